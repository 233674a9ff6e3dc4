//! The parameters of a protocol: ranges, suitable problems and costs of a debate. Also the lower bounds for every
//! protocol (DQC §2–§5).

use std::fmt;

use super::{Kind, ParameterValue, Protocol, ProtocolError, Seat, Warrants};
use crate::bits::bits_to_distinguish;
use crate::number::Exact;
use crate::scenario::{Decomposition, Instance};

/// The parameters of a protocol.
pub trait Conditions {
    /// Checks the ranges of the parameters.
    ///
    /// # Errors
    /// Returns the first parameter that is out of range.
    fn check(&self) -> Result<(), ProtocolError> {
        Ok(())
    }

    /// True if a problem offers the structure that these rules debate.
    fn fits(&self, problem: &dyn Decomposition) -> bool;

    /// True if the rules make the prover claim that the root is true, so that the verdict is the debate's finding
    /// ([`super::Rules::finding`]).
    fn fixes_claim(&self) -> bool {
        false
    }

    /// True if the truths under debate may be hidden from the debaters. If false, the debate is only about a
    /// computation that every seat sees.
    fn hides_truths(&self) -> bool {
        false
    }

    /// Returns ε and ρ, if the theorems on these rules are about (ε, ρ)-stable decompositions.
    fn epsilon_and_rho(&self) -> Option<(&Exact, &Exact)> {
        None
    }

    /// Returns the rule for disputing the step from the subclaims to the claim.
    fn warrants(&self) -> Warrants {
        Warrants::None
    }

    /// True if the opponent estimates claims that it cannot decide.
    fn has_estimator(&self) -> bool {
        false
    }

    /// Calls a function with each parameter, in the order in which a form shows them.
    fn each_parameter(&mut self, _with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {}

    /// Returns the largest number of samples of a mean, if it is so large that probabilities are rounded; else `None`.
    fn rounded_samples(&self, _instance: &Instance) -> Option<u64> {
        None
    }

    /// Returns the weight (maximum reward) of a round divided by that of the next round; `None` if the rules have no
    /// such ratio.
    fn reward_ratio(&self) -> Option<Exact> {
        None
    }

    /// Returns a short text with the protocol's parameters, for a title line.
    fn summary(&self) -> String {
        String::new()
    }

    /// Returns the same text for new users, with words for its symbols.
    fn summary_in_words(&self) -> String {
        self.summary()
    }

    /// Returns the upper bounds on a verifier's spending on an instance, each with its theorem.
    fn bounds(&self, _instance: &Instance) -> Vec<SpendingBound> {
        Vec::new()
    }

    /// True if a debate about an instance can contain a request to a seat.
    fn asks(&self, _seat: Seat, _instance: &Instance) -> bool {
        true
    }

    /// True if the opponent may see less of an instance than the other seats. If false, the rules show the opponent the
    /// whole instance.
    fn hides_the_instance(&self) -> bool {
        false
    }

    /// True if the verifier is a circuit that could be cross-examined instead
    /// ([`super::CircuitVerifier::verifier`]).
    fn has_verifier(&self) -> bool {
        false
    }
}

/// Refuses a value that is out of range.
pub(super) fn require(
    holds: bool,
    name: &'static str,
    value: impl fmt::Display,
    range: &'static str,
) -> Result<(), ProtocolError> {
    let value = || value.to_string();
    let refused = || ProtocolError::Parameter {
        name,
        value: value(),
        range,
    };
    holds.then_some(()).ok_or_else(refused)
}

/// True if a parameter has its default value, so that it need not be written.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// An upper bound on one kind of the verifier's spending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpendingBound {
    /// The unit, as the ledger's JSON names it: `bits_read`, `oracle_queries`.
    pub what: &'static str,
    pub most: u64,
    /// The theorem that proves the bound.
    pub source: &'static str,
}

impl SpendingBound {
    /// Creates an upper bound on a quantity.
    pub fn new(what: &'static str, max: u64, source: &'static str) -> Self {
        Self {
            what,
            most: max,
            source,
        }
    }
}

/// Returns the protocols under which a problem can be debated, as text.
pub fn fitting_protocols(problem: &dyn Decomposition) -> Vec<&'static str> {
    let fits =
        |text: &&str| Protocol::parse(text).is_ok_and(|protocol| protocol.fits_problem(problem));
    let examples = Kind::ALL
        .iter()
        .flat_map(|kind| &kind.introduction().examples);
    examples.copied().filter(fits).collect()
}

/// Returns the shortest text that distinguishes a protocol's example from the other examples: the bare name if it is
/// the only example of its protocol.
pub fn short_example_name(example: &'static str) -> &'static str {
    let of_one = |kind: &&Kind| kind.introduction().examples == [example];
    Kind::ALL
        .iter()
        .find(of_one)
        .map_or(example, |kind| kind.variant_name())
}

/// A protocol that does not fit a problem, and protocols that do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolMismatch {
    /// The requested protocol.
    pub protocol: &'static str,
    /// The protocols under which the problem can be debated.
    pub instead: Vec<&'static str>,
}

impl ProtocolMismatch {
    /// Returns the error for a problem that does not fit a protocol.
    pub(super) fn for_problem(protocol: Kind, problem: &dyn Decomposition) -> ProtocolError {
        ProtocolError::ProtocolMismatch(Self {
            protocol: protocol.variant_name(),
            instead: fitting_protocols(problem),
        })
    }
}

impl fmt::Display for ProtocolMismatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "this problem cannot be debated under {protocol}; use one of {usable}",
            protocol = self.protocol,
            usable = self.instead.join(", ")
        )
    }
}

/// Upper bounds on the verifier's spending that a protocol guarantees for an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolBounds {
    /// The protocol as scenario files write it.
    pub protocol: String,
    /// Upper bounds on its verifier's spending.
    pub bounds: Vec<SpendingBound>,
}

/// Returns the bounds of each protocol under which the instance can be debated. For the debate's own protocol, its
/// actual rules replace the example.
pub fn promised_bounds(instance: &Instance, rules: &Protocol) -> Vec<ProtocolBounds> {
    let problem = instance.decomposition().as_ref();
    let examples = fitting_protocols(problem);
    // If a protocol has several examples, each one is a complete text.
    let own = &rules.kind().introduction().examples;
    let single = examples.iter().filter(|text| own.contains(text)).count() == 1;
    let bounds = |text: &'static str| {
        let example = Protocol::parse(text).ok()?;
        let replaced = single && example.kind() == rules.kind() && example != *rules;
        let used = if replaced { rules } else { &example };
        Some(ProtocolBounds {
            protocol: if replaced {
                rules.to_string()
            } else {
                text.to_owned()
            },
            bounds: used.conditions().bounds(instance),
        })
    };
    examples.into_iter().filter_map(bounds).collect()
}

/// A bound on the bits that any debate about a function needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryBound {
    pub about: &'static str,
    /// The bits.
    pub bits: u64,
    /// The theorem that proves the bound.
    pub source: &'static str,
}

/// Bounds on every debate about a circuit's function, with n the number of inputs that the circuit reads. Empty if the
/// instance is not a circuit.
///
/// The lower bounds hold for functions that depend on all n inputs; this function does not check that.
pub fn query_bounds(instance: &Instance) -> Vec<QueryBound> {
    let Some(circuit) = instance.circuit() else {
        return Vec::new();
    };
    let inputs = circuit.count_inputs_read();
    vec![
        QueryBound {
            about: "if the function depends on all its inputs, any verifier reads at least",
            bits: u64::from(bits_to_distinguish(inputs)),
            source: "DQC Corollary 4",
        },
        QueryBound {
            about: "a randomised verifier with an error probability of at most 1/3 reads at least",
            bits: u64::from(bits_to_distinguish(inputs)).saturating_sub(3),
            source: "DQC Theorem 13",
        },
    ]
}
