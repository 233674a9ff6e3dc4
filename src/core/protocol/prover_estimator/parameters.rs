//! The parameters of prover-estimator debate, and its conventions where Figure 2 of the paper (PE) is ambiguous.

use num_traits::{One, Zero};
use serde::{Deserialize, Serialize};

use crate::number::{Exact, Number, RonNumber, format_as_short_decimal_or_fraction};
use crate::protocol::conditions::{is_default, require};
use crate::protocol::parameter::one_of;
use crate::protocol::{
    ParameterValue, ProtocolError, ProtocolParameters, SupportDisputeRule, VerifierCostBound,
};
use crate::scenario::{Decomposition, Instance};

/// The rule that determines p_{k−1}, the probability of the selected subclaim with which the next round starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Carry")]
pub enum CarriedEstimateKind {
    /// p_{k−1} is the estimate of the chosen subclaim given the coins of the subclaims before it, as step 7 of PE
    /// Figure 2 is printed.
    #[default]
    Conditional,
    /// p_{k−1} is the opponent's separate estimate of the chosen subclaim, which ignores the coins. The opponent gives
    /// a separate estimate of every subclaim before the round's first coin.
    Marginal,
}

/// The weight of a leaf that the debate reaches before round 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "EarlyLeaf")]
pub enum EarlyLeafWeight {
    /// The leaf is debated in round 0, so that its weight is 1. The rounds in between are skipped.
    #[default]
    Jump,
    /// The leaf stays in the round k in which it is reached, so that its weight is r^k.
    InPlace,
}

impl EarlyLeafWeight {
    /// Returns the number of the round in which a selected subclaim is debated. It is 0 if the subclaim is a leaf and
    /// leaves jump to round 0, otherwise `next_round`.
    pub fn round_after_selection(self, is_leaf: bool, next_round: u32) -> u32 {
        match self {
            Self::Jump if is_leaf => 0,
            _ => next_round,
        }
    }
}

/// The time at which the opponent sees the prover's bet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Direction")]
pub enum BetDisclosureTime {
    /// The opponent sees the bet at the end of the round, when the round's reward is paid or a dispute cancels the bet.
    /// In PE Figure 2, the bet is not an input of the estimator.
    #[default]
    Sealed,
    /// The opponent sees the bet immediately.
    Public,
}

/// The parameters of prover-estimator debate, in the form of scenario files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Parameters")]
pub struct ProverEstimatorParameters {
    /// ε: the largest error of an estimate against which honest Alice does not bet. 0 < ε < 1/2.
    pub epsilon: RonNumber,
    /// ρ: the largest effect of errors of size ε on a stable gate's value, as a fraction of ε (PE Definition 5.3). 0 <
    /// ρ < 1.
    pub rho: RonNumber,
    /// The choice of the probability with which the next round starts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub carry: CarriedEstimateKind,
    /// The weight of a leaf that the debate reaches before round 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub early_leaf: EarlyLeafWeight,
    /// The time at which the opponent sees the prover's bet.
    #[serde(default, skip_serializing_if = "is_default")]
    pub direction: BetDisclosureTime,
    /// The rule by which the opponent may dispute that a claim follows from its subclaims.
    #[serde(default, skip_serializing_if = "is_default")]
    pub warrants: SupportDisputeRule,
}

impl ProverEstimatorParameters {
    /// Creates the parameters from ε and ρ, with the conventions of PE Figure 2 as printed.
    pub fn new(epsilon: Exact, rho: Exact) -> Self {
        Self {
            epsilon: RonNumber(epsilon),
            rho: RonNumber(rho),
            carry: CarriedEstimateKind::default(),
            early_leaf: EarlyLeafWeight::default(),
            direction: BetDisclosureTime::default(),
            warrants: SupportDisputeRule::default(),
        }
    }

    /// Returns r = ε(1 − ρ)/4, the weight of a round divided by the weight of the next round.
    pub fn weight_ratio_to_next_round(&self) -> Exact {
        &self.epsilon.0 * (Exact::one() - &self.rho.0) / Exact::ratio(4, 1)
    }
}

impl ProtocolParameters for ProverEstimatorParameters {
    /// Checks 0 < ε < 1/2 and 0 < ρ < 1.
    fn check(&self) -> Result<(), ProtocolError> {
        let within = |name, value: &Exact, high: Exact, range| {
            require(*value > Exact::zero() && *value < high, name, value, range)
        };
        let half = Exact::ratio(1, 2);
        within("epsilon", &self.epsilon.0, half, "above 0 and below 1/2")?;
        within("rho", &self.rho.0, Exact::one(), "above 0 and below 1")
    }

    fn hides_truths(&self) -> bool {
        true
    }

    fn fits(&self, problem: &dyn Decomposition) -> bool {
        problem.can_split_root()
    }

    fn warrants(&self) -> SupportDisputeRule {
        self.warrants
    }

    fn epsilon_and_rho(&self) -> Option<(&Exact, &Exact)> {
        Some((&self.epsilon.0, &self.rho.0))
    }

    fn has_estimator(&self) -> bool {
        true
    }

    fn weight_ratio_to_next_round(&self) -> Option<Exact> {
        Some(self.weight_ratio_to_next_round())
    }

    fn each_parameter(&mut self, with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {
        let carry = [
            CarriedEstimateKind::Conditional,
            CarriedEstimateKind::Marginal,
        ];
        let early_leaf = [EarlyLeafWeight::Jump, EarlyLeafWeight::InPlace];
        let direction = [BetDisclosureTime::Sealed, BetDisclosureTime::Public];
        with("epsilon", ParameterValue::Number(&mut self.epsilon));
        with("rho", ParameterValue::Number(&mut self.rho));
        with("carry", one_of(&mut self.carry, &carry));
        with("early_leaf", one_of(&mut self.early_leaf, &early_leaf));
        with("direction", one_of(&mut self.direction, &direction));
        self.warrants.lend_dispute_parameter(with);
    }

    fn summary(&self) -> String {
        let epsilon = format_as_short_decimal_or_fraction(&self.epsilon.0);
        let rho = format_as_short_decimal_or_fraction(&self.rho.0);
        format!(
            "ε {epsilon} ρ {rho} r {r}",
            r = format_as_short_decimal_or_fraction(&self.weight_ratio_to_next_round())
        )
    }

    fn summary_in_words(&self) -> String {
        let ratio = self.weight_ratio_to_next_round();
        if ratio.is_zero() {
            // A form shows values that the rules refuse.
            return self.summary();
        }
        let factor = format_as_short_decimal_or_fraction(&ratio.recip());
        format!("each stake is {factor} times the one before")
    }

    fn meanings(&self) -> Vec<String> {
        let [epsilon, rho] =
            [&self.epsilon.0, &self.rho.0].map(format_as_short_decimal_or_fraction);
        let ratio = format_as_short_decimal_or_fraction(&self.weight_ratio_to_next_round());
        let points = format_as_short_decimal_or_fraction(
            &(&self.epsilon.0 * Exact::from_integer(100.into())),
        );
        vec![
            format!("r = {ratio}: each stake divided by the next one, r = ε (1 − ρ) / 4."),
            format!(
                "ε = {epsilon}: the built-in honest Alice bets only if an estimate is off by more than {points} percentage points."
            ),
            format!(
                "ρ = {rho}: if the estimates of all subclaims are off by ε, the claim's probability may change by at most ρε. \
                 The guarantee for an honest Alice needs this."
            ),
        ]
    }

    fn hides_the_instance(&self) -> bool {
        true
    }

    fn bounds(&self, _instance: &Instance) -> Vec<VerifierCostBound> {
        vec![VerifierCostBound::new("oracle_queries", 1, "PE Figure 2")]
    }
}
