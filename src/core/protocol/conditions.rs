//! What a protocol says of its parameters and of what it costs.

use std::fmt;

use super::{Kind, Protocol, Refused, Seat};
use crate::number::{Decimal, Exact};
use crate::scenario::{Decomposition, Instance};

/// The parameters of a protocol.
pub trait Conditions {
    /// Checks the ranges of the parameters.
    ///
    /// # Errors
    /// The first parameter out of its range.
    fn check(&self) -> Result<(), Refused> {
        Ok(())
    }

    /// Whether a problem offers what is debated under these rules.
    fn fits(&self, problem: &dyn Decomposition) -> bool;

    /// Whether the prover has no choice but to claim the root true, so that the verdict is what the
    /// debate says of it ([`super::Rules::finding`]).
    fn fixes_claim(&self) -> bool {
        false
    }

    /// Whether the truths that are debated may be hidden from the debaters. Where they are not, all
    /// that is debated is a computation that everybody is shown.
    fn hides_truths(&self) -> bool {
        false
    }

    /// How much less each earlier round weighs than the next, where rounds differ.
    fn reward_ratio(&self) -> Option<Exact> {
        None
    }

    /// The parameters that are numbers, by the names of a scenario file: those that can be swept.
    fn numbers(&mut self) -> Vec<(&'static str, &mut Decimal)> {
        Vec::new()
    }

    /// The parameters in few words, for a title line.
    fn summary(&self) -> String {
        String::new()
    }

    /// The most that a verifier can spend on an instance, each with the theorem that says so.
    fn bounds(&self, _instance: &Instance) -> Vec<Bound> {
        Vec::new()
    }

    /// Whether a seat can be asked anything in a debate about an instance.
    fn asks(&self, _seat: Seat, _instance: &Instance) -> bool {
        true
    }

    /// Whether the opponent may lack what the other seats see of an instance: elsewhere the rules lay
    /// all of it open.
    fn hides_the_instance(&self) -> bool {
        false
    }

    /// Whether the verifier is a circuit that could be cross-examined instead
    /// ([`super::Rules::verifier`]).
    fn has_verifier(&self) -> bool {
        false
    }
}

/// The most that can be spent of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// What is spent, as the ledger's JSON names it: `bits_read`, `oracle_queries`.
    pub what: &'static str,
    /// How much at most.
    pub most: u64,
    /// Which theorem says so.
    pub source: &'static str,
}

impl Bound {
    /// The most of something.
    #[must_use]
    pub fn new(what: &'static str, most: u64, source: &'static str) -> Self {
        Self { what, most, source }
    }
}

/// The protocols under which a problem can be debated, each as it is written.
#[must_use]
pub fn fitting(problem: &dyn Decomposition) -> Vec<&'static str> {
    let fits = |text: &&str| Protocol::parse(text).is_ok_and(|protocol| protocol.fits(problem));
    let examples = Kind::ALL
        .iter()
        .flat_map(|kind| kind.introduction().examples);
    examples.copied().filter(fits).collect()
}

/// A protocol's example in as few words as tell it from the others: the bare name where it is the
/// only example of its protocol.
#[must_use]
pub fn called(example: &'static str) -> &'static str {
    let of_one = |kind: &&Kind| kind.introduction().examples == [example];
    Kind::ALL
        .iter()
        .find(of_one)
        .map_or(example, |kind| kind.variant())
}

/// A protocol and what else would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The protocol that was asked for.
    pub protocol: &'static str,
    /// What the problem can be debated under.
    pub instead: Vec<&'static str>,
}

impl fmt::Display for Misfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "this problem cannot be debated under {}; take one of {}",
            self.protocol,
            self.instead.join(", ")
        )
    }
}
