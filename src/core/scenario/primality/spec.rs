//! Primality problems as scenarios state them.

use num_bigint::BigUint;

use crate::scenario::{Flaw, Path};

/// The most instances that one scenario may have.
pub const MAX_INSTANCES: usize = 100_000;
/// The most bits that a number may have.
pub const MAX_NUMBER_BITS: u64 = 4096;

/// Which numbers are asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// These, each as likely.
    List(Vec<BigUint>),
    /// All integers from the first to the second, both included, each as likely.
    Between(BigUint, BigUint),
    /// So many products of two primes of half as many bits each. The same every time.
    Semiprimes {
        /// The bits of the product.
        bits: u32,
        /// The number of products.
        count: u32,
    },
}

/// The knowledge of a blind player about the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Knowledge {
    /// Everything that can be computed from it.
    Number,
    /// Its length, and from one primality test whether it is prime; but it may not compute on
    /// the digits.
    #[default]
    Size,
    /// Only the distribution that it was drawn from.
    Nothing,
}

/// The decomposition of the root claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// "n has no divisor from a to b" over the candidates 2 … ⌊√n⌋, split into so many parts,
    /// larger parts first, down to single candidates.
    Intervals {
        /// The number of parts, at least 2.
        width: u32,
    },
    /// Miller–Rabin tests to these bases as independent evidence under a majority.
    Witnesses {
        /// The bases, each at least 2.
        bases: Vec<u64>,
    },
    /// The checks of a Pratt certificate, down to the prime 2; or, of a composite number, a
    /// divisor.
    Pratt,
}

/// A primality problem as a scenario states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrimalitySpec {
    /// Which numbers are asked about.
    pub numbers: Numbers,
    pub estimator_knows: Knowledge,
    /// The decomposition of the root claim.
    pub method: Method,
}

/// Checks that numbers can be taken apart in this way.
pub(super) fn check(method: &Method) -> Result<(), Flaw> {
    let at = Path::field("decomposition");
    match method {
        Method::Intervals { width } if *width < 2 => {
            Err(at.flaw("Intervals needs a width of at least 2"))
        }
        Method::Witnesses { bases } if bases.is_empty() => {
            Err(at.flaw("Witnesses needs at least one base"))
        }
        Method::Witnesses { bases } => match bases.iter().position(|base| *base < 2) {
            Some(place) => Err(at.flaw(format_args!(
                "base {} is too small; take 2 or more",
                bases[place]
            ))),
            None => Ok(()),
        },
        Method::Intervals { .. } | Method::Pratt => Ok(()),
    }
}
