//! Bounds on the bits that a verifier reads: what each protocol promises of an instance, and what no
//! protocol can beat (DQC §2–§5).

use super::examination::pointer_bits;
use super::{Bound, Kind, Protocol};
use crate::scenario::Instance;

/// The bounds that a protocol promises of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolBounds {
    /// The protocol as scenario files write it.
    pub protocol: String,
    /// The most that its verifier spends.
    pub bounds: Vec<Bound>,
}

/// The bounds of each protocol under which the instance can be debated. The rules that it is
/// debated under stand in place of the example of their protocol.
pub fn promises(instance: &Instance, rules: &Protocol) -> Vec<ProtocolBounds> {
    let problem = instance.decomposition().as_ref();
    let examples = Kind::ALL
        .iter()
        .flat_map(|kind| kind.introduction().examples)
        .filter_map(|text| {
            let protocol = Protocol::parse(text).ok()?;
            protocol.fits(problem).then_some((*text, protocol))
        });
    let examples: Vec<(&str, Protocol)> = examples.collect();
    // Of several examples of one protocol each says all that there is to say.
    let of_kind = |(_, example): &&(&str, Protocol)| example.kind() == rules.kind();
    let replaced = examples.iter().filter(of_kind).count() == 1;
    let promise = |(text, example): (&str, Protocol)| {
        let replaced = replaced && example.kind() == rules.kind() && example != *rules;
        let (protocol, rules) = if replaced {
            (rules.to_string(), rules)
        } else {
            (text.to_owned(), &example)
        };
        ProtocolBounds {
            protocol,
            bounds: rules.conditions().bounds(instance),
        }
    };
    examples.into_iter().map(promise).collect()
}

/// A bound on the bits that any debate about a function needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryBound {
    pub about: &'static str,
    /// The bits.
    pub bits: u64,
    /// Which theorem says so.
    pub source: &'static str,
}

/// Bounds on every debate about a circuit's function, with n the inputs that the circuit reads.
/// Empty where the instance is no circuit.
///
/// The lower bounds are of functions that depend on all n inputs; whether this one does is not
/// looked into.
pub fn laws(instance: &Instance) -> Vec<QueryBound> {
    let Some(circuit) = instance.circuit() else {
        return Vec::new();
    };
    let inputs = circuit.inputs_read();
    vec![
        QueryBound {
            about: "any verifier of a function of all these inputs reads at least",
            bits: pointer_bits(inputs),
            source: "DQC Corollary 4",
        },
        QueryBound {
            about: "a randomised verifier that errs at most once in three reads at least",
            bits: pointer_bits(inputs).saturating_sub(3),
            source: "DQC Theorem 13",
        },
    ]
}
