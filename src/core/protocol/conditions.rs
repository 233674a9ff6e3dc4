//! The parameters of a protocol: their ranges, the problems for which the protocol is suitable, and the costs of a
//! debate. Also lower bounds on the cost of every protocol (DQC §2–§5).

use std::fmt;

use super::{ParameterValue, Protocol, ProtocolError, ProtocolKind, Seat, SupportDisputeRule};
use crate::bits::bits_to_distinguish;
use crate::number::Exact;
use crate::scenario::{Decomposition, Instance};

/// The parameters of a protocol.
pub trait ProtocolParameters {
    /// Checks that each parameter of the protocol is in its range.
    ///
    /// # Errors
    /// Returns the first parameter that is out of range.
    fn check(&self) -> Result<(), ProtocolError> {
        Ok(())
    }

    /// True if this problem has the structure that the protocol needs, so that it can be debated.
    fn fits(&self, problem: &dyn Decomposition) -> bool;

    /// True if, under these rules, the prover always claims that the root is true. The verdict is then the debate's
    /// finding ([`super::Rules::finding`]).
    fn prover_always_claims_true(&self) -> bool {
        false
    }

    /// True if debaters may be uninformed about the truths of claims. If false, the debate is only about a computation
    /// that every seat sees.
    fn hides_truths(&self) -> bool {
        false
    }

    /// Returns the parameters ε and ρ, if the theorems about these rules need (ε, ρ)-stable decompositions.
    fn epsilon_and_rho(&self) -> Option<(&Exact, &Exact)> {
        None
    }

    /// Returns the rule by which the opponent may dispute that a claim follows from its subclaims.
    fn warrants(&self) -> SupportDisputeRule {
        SupportDisputeRule::None
    }

    /// True if the opponent is an estimator: it states probabilities of claims that it cannot decide.
    fn has_estimator(&self) -> bool {
        false
    }

    /// Calls a function with each parameter of the protocol, in the order in which a form shows the parameters.
    fn each_parameter(&mut self, _with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {}

    /// Returns the largest number of samples that a seat draws for one step, if a number of samples is so large that
    /// probabilities are rounded; else `None`.
    fn rounded_samples(&self, _instance: &Instance) -> Option<u64> {
        None
    }

    /// Returns the weight (maximum reward) of a round divided by the weight of the next round; `None` if the rules have
    /// no such ratio.
    fn weight_ratio_to_next_round(&self) -> Option<Exact> {
        None
    }

    /// Formats the protocol's parameters briefly, for a title line.
    fn summary(&self) -> String {
        String::new()
    }

    /// Formats the protocol's parameters briefly for new users, with words instead of symbols.
    fn summary_in_words(&self) -> String {
        self.summary()
    }

    /// Explains each symbol of [`Self::summary`] with its value.
    fn meanings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the upper bounds on the verifier's cost in a debate about an instance, each with the theorem that proves
    /// it.
    fn bounds(&self, _instance: &Instance) -> Vec<VerifierCostBound> {
        Vec::new()
    }

    /// True if a debate about this instance can contain a request to this seat.
    fn asks(&self, _seat: Seat, _instance: &Instance) -> bool {
        true
    }

    /// True if the opponent may see less of an instance than the other seats. If false, the rules show the opponent the
    /// whole instance.
    fn hides_the_instance(&self) -> bool {
        false
    }

    /// True if the verifier is a circuit, so that a cross-examination can replace the verifier's reading of all bits.
    fn has_verifier(&self) -> bool {
        false
    }
}

/// Returns an error unless the parameter's value is in its range.
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

/// True if a parameter has its default value. Such a parameter is left out when it is written to a file.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// An upper bound on one kind of cost of the verifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierCostBound {
    /// The kind of cost, as the ledger's JSON names it: `bits_read`, `oracle_queries`.
    pub what: &'static str,
    pub most: u64,
    /// The theorem that proves the upper bound.
    pub source: &'static str,
}

impl VerifierCostBound {
    /// Creates an upper bound on one kind of cost of the verifier.
    pub fn new(what: &'static str, max: u64, source: &'static str) -> Self {
        Self {
            what,
            most: max,
            source,
        }
    }
}

/// Lists the examples of protocols under which a problem can be debated, with parameters as scenario files write them.
/// A protocol with several examples is listed several times.
pub fn fitting_protocol_examples(problem: &dyn Decomposition) -> Vec<&'static str> {
    let fits =
        |text: &&str| Protocol::parse(text).is_ok_and(|protocol| protocol.fits_problem(problem));
    let examples = ProtocolKind::ALL
        .iter()
        .flat_map(|kind| &kind.protocol_texts().examples);
    examples.copied().filter(fits).collect()
}

/// Returns a short name for an example of a protocol. It is the protocol's bare name if this is the protocol's only
/// example, otherwise the example's full text.
pub fn short_protocol_example_name(example: &'static str) -> &'static str {
    let of_one = |kind: &&ProtocolKind| kind.protocol_texts().examples == [example];
    ProtocolKind::ALL
        .iter()
        .find(of_one)
        .map_or(example, |kind| kind.protocol_name_in_scenarios())
}

/// The error that a problem cannot be debated under a protocol. It names the protocols that can debate the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolUnsuitableForProblemError {
    /// The requested protocol.
    pub protocol: &'static str,
    /// Examples of the protocols under which the problem can be debated, as in [`fitting_protocol_examples`].
    pub instead: Vec<&'static str>,
}

impl ProtocolUnsuitableForProblemError {
    /// Returns the error for a problem that cannot be debated under a protocol.
    pub(super) fn for_problem(
        protocol: ProtocolKind,
        problem: &dyn Decomposition,
    ) -> ProtocolError {
        ProtocolError::ProtocolMismatch(Self {
            protocol: protocol.protocol_name_in_scenarios(),
            instead: fitting_protocol_examples(problem),
        })
    }
}

impl fmt::Display for ProtocolUnsuitableForProblemError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "this problem cannot be debated under {protocol}; use one of {usable}",
            protocol = self.protocol,
            usable = self.instead.join(", ")
        )
    }
}

/// Upper bounds on the verifier's cost that a protocol guarantees in debates about an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierCostUpperBounds {
    /// The protocol, in the notation of scenario files.
    pub protocol: String,
    /// Upper bounds on the cost of the protocol's verifier.
    pub bounds: Vec<VerifierCostBound>,
}

/// Returns, for each example of a protocol under which the instance can be debated, the upper bounds on the verifier's
/// cost. The current protocol has its actual parameters if only one of its examples fits; otherwise, and for the other
/// protocols, the parameters are those of the examples.
pub fn verifier_cost_bounds_by_protocol(
    instance: &Instance,
    debate_protocol: &Protocol,
) -> Vec<VerifierCostUpperBounds> {
    let problem = instance.decomposition().as_ref();
    let examples = fitting_protocol_examples(problem);
    // If a protocol has several examples, each one is a complete text.
    let own = &debate_protocol.kind().protocol_texts().examples;
    let single = examples.iter().filter(|text| own.contains(text)).count() == 1;
    let bounds = |text: &'static str| {
        let example = Protocol::parse(text).ok()?;
        let replaced =
            single && example.kind() == debate_protocol.kind() && example != *debate_protocol;
        let used = if replaced { debate_protocol } else { &example };
        Some(VerifierCostUpperBounds {
            protocol: if replaced {
                debate_protocol.to_string()
            } else {
                text.to_owned()
            },
            bounds: used.protocol_parameters().bounds(instance),
        })
    };
    examples.into_iter().filter_map(bounds).collect()
}

/// A lower bound on the number of bits that the verifier must read in any debate about a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierBitsReadLowerBound {
    pub about: &'static str,
    /// The bits.
    pub bits: u64,
    /// The theorem that proves the lower bound.
    pub source: &'static str,
}

/// Returns lower bounds for every debate about a circuit's function. n is the number of inputs that the circuit reads.
/// Empty if the instance is not a circuit.
///
/// The lower bounds hold for functions that depend on all n inputs; this function does not check that.
pub fn verifier_bits_read_lower_bounds(instance: &Instance) -> Vec<VerifierBitsReadLowerBound> {
    let Some(circuit) = instance.circuit() else {
        return Vec::new();
    };
    let inputs = circuit.count_inputs_read_by_gates();
    vec![
        VerifierBitsReadLowerBound {
            about: "bits that any verifier reads, if the function depends on all its inputs: at least",
            bits: u64::from(bits_to_distinguish(inputs)),
            source: "DQC Corollary 4",
        },
        VerifierBitsReadLowerBound {
            about: "bits that a randomised verifier reads, if it errs with probability at most 1/3: at least",
            bits: u64::from(bits_to_distinguish(inputs)).saturating_sub(3),
            source: "DQC Theorem 13",
        },
    ]
}
