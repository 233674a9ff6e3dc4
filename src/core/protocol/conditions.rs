//! The parameters of a protocol: their ranges, what they fit, what a debate costs. And what no
//! protocol can beat (DQC §2–§5).

use std::fmt;

use super::{Kind, ParameterValue, Protocol, Refused, Seat, Warrants};
use crate::bits::width;
use crate::number::Exact;
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

    /// True if a problem offers what is debated under these rules.
    fn fits(&self, problem: &dyn Decomposition) -> bool;

    /// True if the prover has no choice but to claim the root true, so that the verdict is what the
    /// debate says of it ([`super::Rules::finding`]).
    fn fixes_claim(&self) -> bool {
        false
    }

    /// True if the truths that are debated may be hidden from the debaters. Where they are not, all
    /// that is debated is a computation that everybody is shown.
    fn hides_truths(&self) -> bool {
        false
    }

    /// ε and ρ, where the theorems on these rules are about (ε, ρ)-stable decompositions.
    fn epsilon_and_rho(&self) -> Option<(&Exact, &Exact)> {
        None
    }

    /// Whether the opponent may dispute the step from the subclaims to the claim.
    fn warrants(&self) -> Warrants {
        Warrants::None
    }

    /// True if the opponent estimates claims that it cannot decide.
    fn has_estimator(&self) -> bool {
        false
    }

    /// Calls a function with each parameter, in the order in which a form shows them.
    fn each_parameter(&mut self, _with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {}

    /// The most samples that somebody takes the mean of, where so many are drawn in a debate about
    /// an instance that their probabilities are rounded.
    fn rounded_samples(&self, _instance: &Instance) -> Option<u64> {
        None
    }

    /// The weight of a round divided by that of the next, where rounds differ.
    fn reward_ratio(&self) -> Option<Exact> {
        None
    }

    /// The parameters in few words, for a title line.
    fn summary(&self) -> String {
        String::new()
    }

    /// The most that a verifier can spend on an instance, each with the theorem that says so.
    fn bounds(&self, _instance: &Instance) -> Vec<Bound> {
        Vec::new()
    }

    /// True if a seat can be asked anything in a debate about an instance.
    fn asks(&self, _seat: Seat, _instance: &Instance) -> bool {
        true
    }

    /// True if the opponent may lack what the other seats see of an instance: elsewhere the rules lay
    /// all of it open.
    fn hides_the_instance(&self) -> bool {
        false
    }

    /// True if the verifier is a circuit that could be cross-examined instead
    /// ([`super::CircuitVerifier::verifier`]).
    fn has_verifier(&self) -> bool {
        false
    }
}

/// Refuses a value that is not where it must lie.
pub(super) fn require(
    holds: bool,
    name: &'static str,
    value: impl fmt::Display,
    range: &'static str,
) -> Result<(), Refused> {
    let value = || value.to_string();
    let refused = || Refused::Parameter {
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

/// The most that can be spent of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The unit, as the ledger's JSON names it: `bits_read`, `oracle_queries`.
    pub what: &'static str,
    pub most: u64,
    /// Which theorem says so.
    pub source: &'static str,
}

impl Bound {
    /// The most of something.
    pub fn new(what: &'static str, most: u64, source: &'static str) -> Self {
        Self { what, most, source }
    }
}

/// The protocols under which a problem can be debated, each as it is written.
pub fn fitting_protocols(problem: &dyn Decomposition) -> Vec<&'static str> {
    let fits = |text: &&str| Protocol::parse(text).is_ok_and(|protocol| protocol.fits(problem));
    let examples = Kind::ALL
        .iter()
        .flat_map(|kind| &kind.introduction().examples);
    examples.copied().filter(fits).collect()
}

/// A protocol's example in as few words as tell it from the others: the bare name where it is the
/// only example of its protocol.
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
    /// The protocols under which the problem can be debated.
    pub instead: Vec<&'static str>,
}

impl Misfit {
    /// The problem does not fit a protocol.
    pub(super) fn of(protocol: Kind, problem: &dyn Decomposition) -> Refused {
        Refused::Misfit(Self {
            protocol: protocol.variant(),
            instead: fitting_protocols(problem),
        })
    }
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
pub fn promised_bounds(instance: &Instance, rules: &Protocol) -> Vec<ProtocolBounds> {
    let problem = instance.decomposition().as_ref();
    let examples = fitting_protocols(problem);
    // Of several examples of one protocol each says all that there is to say.
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
    /// Which theorem says so.
    pub source: &'static str,
}

/// Bounds on every debate about a circuit's function, with n the inputs that the circuit reads.
/// Empty where the instance is no circuit.
///
/// The lower bounds are of functions that depend on all n inputs; whether this one does is not
/// looked into.
pub fn query_bounds(instance: &Instance) -> Vec<QueryBound> {
    let Some(circuit) = instance.circuit() else {
        return Vec::new();
    };
    let inputs = circuit.inputs_read();
    vec![
        QueryBound {
            about: "any verifier of a function of all these inputs reads at least",
            bits: u64::from(width(inputs)),
            source: "DQC Corollary 4",
        },
        QueryBound {
            about: "a randomised verifier that errs at most once in three reads at least",
            bits: u64::from(width(inputs)).saturating_sub(3),
            source: "DQC Theorem 13",
        },
    ]
}
