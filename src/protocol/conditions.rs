//! What a protocol says of its parameters and of what it costs.

use std::fmt;

use super::{Kind, Refused};
use crate::number::Exact;
use crate::scenario::Decomposition;

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

    /// What keeps these parameters, though not others, from a problem that fits: one sentence that
    /// says what to write.
    fn objection(&self, _problem: &dyn Decomposition) -> Option<&'static str> {
        None
    }

    /// The same with what a problem calls for, where it calls for something.
    #[must_use]
    fn suited_to(self, _problem: &dyn Decomposition) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// How much less each earlier round weighs than the next, where rounds differ.
    fn reward_ratio(&self) -> Option<Exact> {
        None
    }

    /// The parameters in few words, for a title line.
    fn summary(&self) -> String {
        String::new()
    }

    /// The most that a verifier can spend on an instance in this world of the problem, each with
    /// the theorem that says so.
    fn bounds(&self, _problem: &dyn Decomposition, _world: usize) -> Vec<Bound> {
        Vec::new()
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
pub fn fitting(problem: &dyn Decomposition) -> Vec<String> {
    let examples = Kind::ALL.iter().map(|kind| kind.example_for(problem));
    let fitting = examples.flatten().filter(|example| example.fits(problem));
    fitting.map(|example| example.to_string()).collect()
}

/// A protocol and what else would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The protocol that was asked for.
    pub protocol: &'static str,
    /// What the problem can be debated under.
    pub instead: Vec<String>,
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
