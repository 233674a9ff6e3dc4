//! The parameters of stochastic debate.

use std::mem::discriminant;

use num_traits::{One, Zero};
use serde::{Deserialize, Serialize};

use super::constants::{MachineCheckedConstants, RequiredSamplesAndTests, SampleMeanTest};
use crate::number::{
    Exact, Number, RonNumber, format_as_short_decimal_or_fraction, format_percent,
};
use crate::protocol::conditions::{is_default, require};
use crate::protocol::parameter::one_of;
use crate::protocol::{ParameterValue, ProtocolError, ProtocolParameters, Seat, VerifierCostBound};
use crate::scenario::{Decomposition, Instance, RandomComputation};

/// Maximum number of samples that any seat may have to draw.
const MAX_SAMPLES: u64 = 10_000_000_000_000;

/// The largest panel of judges.
const MAX_PANEL: u64 = 1000;

/// The largest k.
const MAX_K: i64 = 100;

/// Maximum number of steps for which the constants are checked: up to this length of a debate, they must not need too
/// many samples.
const MAX_STEPS: u64 = 1 << 40;

/// The constants that determine the numbers of samples that each seat draws, and the limits within which their means
/// must lie.
#[expect(clippy::large_enum_variant, reason = "a scenario has one")]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Constants")]
pub enum SamplingConstants {
    /// The constants and rules of DE Figure 2: copies of the debaters make each coin, and Bob objects after he has seen
    /// its outcome.
    Paper,
    /// The constants and rules of the machine-checked version: the coin is trusted, and Bob objects before it is
    /// tossed.
    #[default]
    Formal,
    /// The machine-checked rules with other constants, which satisfy 0 < c < s < b; q and v are in (0, 1].
    Custom {
        /// The maximum error of honest Alice's probabilities.
        c: RonNumber,
        /// The error of Alice's probability up to which the verifier may accept it.
        s: RonNumber,
        /// The error of Alice's probability from which on Bob objects, except with probability q.
        b: RonNumber,
        /// The maximum probability that the mean of a debater's samples at one step differs from the true probability
        /// by more than its allowed error. Together with the error limits c, s and b above, q determines the number of
        /// samples.
        q: RonNumber,
        /// The maximum probability that the mean of the verifier's samples differs from the true probability by more
        /// than its allowed error. Together with the error limits c, s and b above, v determines the number of samples.
        v: RonNumber,
    },
    /// The machine-checked rules for a panel of human judges. Each seat draws as many samples as the panel has members.
    /// The verifier's samples are the members' votes, which the judge's seat casts one after another.
    Panel {
        /// The number of judges who vote after Bob's objection, from 1 to 1000.
        size: u64,
        /// The difference, in (0, 1], between Alice's stated probability and the proportion of yes votes at which Alice
        /// loses.
        threshold: RonNumber,
    },
}

/// The parameters of stochastic debate, in the form of scenario files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Parameters")]
pub struct StochasticProtocolParameters {
    /// K: the Lipschitz constant of the computation's result as a function of the oracle (DE Definition 6.1). Above 0,
    /// at most 100. The constants of [`SamplingConstants::Custom`] and [`SamplingConstants::Panel`] do not depend on
    /// it.
    pub k: RonNumber,
    /// The sampling constants and the variant of the rules: how many samples each seat draws, and whether debaters make
    /// the coins or the coins are trusted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub constants: SamplingConstants,
    /// True if the computation reads a witness, which Alice gives at the start (DE Theorem 7.2). The flag must match
    /// the problem's computation.
    #[serde(default, skip_serializing_if = "is_default")]
    pub witness: bool,
}

impl RequiredSamplesAndTests<Exact> {
    /// Returns the sampling terms of a debate about a computation of `steps` steps. `None` if a seat would need more
    /// samples than can be counted, or if custom constants are out of range.
    pub fn sample_counts_and_tests_of_parameters(
        parameters: &StochasticProtocolParameters,
        steps: u64,
    ) -> Option<Self> {
        let k = &parameters.k.0;
        match &parameters.constants {
            SamplingConstants::Paper => Self::sample_counts_from_paper(k, steps),
            SamplingConstants::Formal => {
                MachineCheckedConstants::constants_for_lipschitz_constant(k, steps)
                    .sample_counts_and_tests_unless_too_many()
            }
            SamplingConstants::Custom { c, s, b, q, v } => MachineCheckedConstants {
                c: c.0.clone(),
                s: s.0.clone(),
                b: b.0.clone(),
                q: q.0.clone(),
                v: v.0.clone(),
            }
            .sample_counts_and_tests_unless_too_many(),
            SamplingConstants::Panel { size, threshold } => {
                let panel = SampleMeanTest {
                    samples: *size,
                    limit: threshold.0.clone(),
                };
                Some(Self {
                    alice: *size,
                    bob: panel.clone(),
                    verifier: panel,
                })
            }
        }
    }
}

impl StochasticProtocolParameters {
    pub(super) fn witness_setting_fits(&self, process: &dyn RandomComputation) -> bool {
        self.witness == (process.witness_length() > 0)
    }
}

impl ProtocolParameters for StochasticProtocolParameters {
    fn check(&self) -> Result<(), ProtocolError> {
        let k = &self.k.0;
        let within = *k > Exact::zero() && *k <= Exact::ratio(MAX_K, 1);
        require(
            within,
            "k",
            format_as_short_decimal_or_fraction(k),
            "above 0 and at most 100",
        )?;
        self.constants.check()?;
        let enough =
            RequiredSamplesAndTests::sample_counts_and_tests_of_parameters(self, MAX_STEPS)
                .is_some_and(|terms| terms.max_samples_per_step() <= MAX_SAMPLES);
        require(
            enough,
            "constants",
            "too fine",
            "coarse enough for at most ten million million samples per seat; use a smaller k or \
             larger differences",
        )
    }

    fn prover_always_claims_true(&self) -> bool {
        true
    }

    fn fits(&self, problem: &dyn Decomposition) -> bool {
        let computed = problem.as_computation();
        let process = computed.and_then(|problem| problem.process(0));
        process.is_some_and(|process| self.witness_setting_fits(process.as_ref()))
    }

    fn rounded_samples(&self, instance: &Instance) -> Option<u64> {
        let steps = instance
            .random_computation()
            .map_or(0, |process| process.debated_steps());
        let terms = RequiredSamplesAndTests::sample_counts_and_tests_of_parameters(self, steps)?;
        (!terms.has_exact_binomial_tails()).then(|| terms.max_samples_per_step())
    }

    fn each_parameter(&mut self, with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {
        with("k", ParameterValue::Number(&mut self.k));
        let all = self.constants.each_kind();
        with("constants", one_of(&mut self.constants, &all));
        self.constants.each_parameter(with);
        with("witness", one_of(&mut self.witness, &[false, true]));
    }

    fn summary(&self) -> String {
        let k = format_as_short_decimal_or_fraction(&self.k.0);
        match &self.constants {
            SamplingConstants::Paper => format!("K {k}, the paper's constants"),
            SamplingConstants::Formal => format!("K {k}, the machine-checked constants"),
            SamplingConstants::Custom { .. } => format!("K {k}, custom constants"),
            SamplingConstants::Panel { size, threshold } => {
                format!(
                    "a panel of {size} judges; Alice loses if her probability differs from their proportion of yes votes by {threshold} or more",
                    threshold = format_as_short_decimal_or_fraction(&threshold.0)
                )
            }
        }
    }

    fn summary_in_words(&self) -> String {
        match &self.constants {
            SamplingConstants::Panel { size, threshold } => {
                format!(
                    "a panel of {size} judges; Alice loses if her probability differs from their proportion of yes votes by {least_difference} or more",
                    least_difference = format_percent(threshold.0.to_float())
                )
            }
            SamplingConstants::Paper
            | SamplingConstants::Formal
            | SamplingConstants::Custom { .. } => {
                format!("Lipschitz constant {}", self.summary())
            }
        }
    }

    fn asks(&self, seat: Seat, instance: &Instance) -> bool {
        if seat != Seat::Judge {
            return true;
        }
        let process = instance.random_computation();
        let asks = |process: &dyn RandomComputation| {
            (0..process.steps()).any(|step| process.is_oracle(step))
        };
        matches!(self.constants, SamplingConstants::Panel { .. })
            && process.is_some_and(|process| asks(process.as_ref()))
    }

    /// Returns the upper bound on the number of samples that the verifier draws after Bob objects.
    fn bounds(&self, instance: &Instance) -> Vec<VerifierCostBound> {
        let source = match self.constants {
            SamplingConstants::Paper => "DE Figure 2",
            SamplingConstants::Formal => "DE Theorem 6.2, machine-checked",
            SamplingConstants::Custom { .. } | SamplingConstants::Panel { .. } => {
                "the constants given"
            }
        };
        let terms = instance.random_computation().and_then(|process| {
            RequiredSamplesAndTests::sample_counts_and_tests_of_parameters(
                self,
                process.debated_steps(),
            )
        });
        let bound = |terms: RequiredSamplesAndTests<Exact>| {
            VerifierCostBound::new("oracle_queries", terms.verifier.samples, source)
        };
        terms.map(bound).into_iter().collect()
    }
}

impl SamplingConstants {
    /// Returns one value of each variant, for a choice in a form: these constants for their own variant, usual numbers
    /// for the other variants.
    fn each_kind(&self) -> [Self; 4] {
        let part = |of: i64| RonNumber(Exact::ratio(1, of));
        let custom = Self::Custom {
            c: part(20),
            s: part(10),
            b: part(5),
            q: part(100),
            v: part(20),
        };
        let panel = Self::Panel {
            size: 9,
            threshold: RonNumber(Exact::ratio(2, 5)),
        };
        [Self::Formal, Self::Paper, custom, panel].map(|usual| {
            let same = discriminant(&usual) == discriminant(self);
            if same { self.clone() } else { usual }
        })
    }

    fn each_parameter(&mut self, with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {
        match self {
            Self::Paper | Self::Formal => {}
            Self::Custom { c, s, b, q, v } => {
                for (name, number) in [("c", c), ("s", s), ("b", b), ("q", q), ("v", v)] {
                    with(name, ParameterValue::Number(number));
                }
            }
            Self::Panel { size, threshold } => {
                with("size", ParameterValue::Count(size));
                with("threshold", ParameterValue::Number(threshold));
            }
        }
    }

    fn check(&self) -> Result<(), ProtocolError> {
        let (zero, one) = (Exact::zero(), Exact::one());
        let chance = |name, value: &RonNumber| {
            let within = value.0 > zero && value.0 <= one;
            require(
                within,
                name,
                format_as_short_decimal_or_fraction(&value.0),
                "above 0 and at most 1",
            )
        };
        match self {
            Self::Paper | Self::Formal => Ok(()),
            Self::Custom { c, s, b, q, v } => {
                require(
                    c.0 > zero,
                    "c",
                    format_as_short_decimal_or_fraction(&c.0),
                    "above 0",
                )?;
                require(
                    s.0 > c.0,
                    "s",
                    format_as_short_decimal_or_fraction(&s.0),
                    "above c",
                )?;
                require(
                    b.0 > s.0,
                    "b",
                    format_as_short_decimal_or_fraction(&b.0),
                    "above s",
                )?;
                chance("q", q)?;
                chance("v", v)
            }
            Self::Panel { size, threshold } => {
                let fits = (1..=MAX_PANEL).contains(size);
                require(fits, "size", size, "from 1 to 1000")?;
                chance("threshold", threshold)
            }
        }
    }
}
