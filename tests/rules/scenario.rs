mod circuit;
mod circuit_decomposition;
mod formula;
mod key;
mod machine;
mod netlist;
mod open;
mod plan;
mod primality;
mod question;
mod specification;
mod speech;
mod stable;
mod transcript;

use debate_core::scenario::ClaimKey;

/// A claim's key from its text.
fn claim_key(text: &str) -> ClaimKey {
    ClaimKey::parse(text).expect("a key")
}
