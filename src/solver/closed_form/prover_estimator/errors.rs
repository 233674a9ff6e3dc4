//! The least payoff of a prover against estimators with limited errors. An error is the distance of an estimate from
//! the claim's truth (0 or 1).

use super::{
    AllowedEstimatesAndChoiceRule, BestEstimatorResponse, BestOrRandomEstimateRule,
    as_markov_prover,
};
use crate::expectation::PayoffNotComputedReason;
use debate_core::budget::ComputationBudget;
use debate_core::number::Number;
use debate_core::player::Strategy;
use debate_core::protocol::prover_estimator::ProverEstimatorParameters;
use debate_core::scenario::Instance;

/// The limit on an estimator's errors. For a claim whose truth is unknown, every estimate is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedEstimateErrors<N> {
    Any,
    AtMost(N),
    Exactly(N),
}

impl<N: Number> AllowedEstimateErrors<N> {
    /// True if the limit allows this estimate of a claim with this truth. Under `Exactly`, the error must equal the
    /// limit. Always true if the truth is unknown.
    pub(super) fn allows_error_of_estimate(&self, truth: Option<bool>, estimate: &N) -> bool {
        let (limit, is_exact) = match self {
            Self::Any => return true,
            Self::AtMost(limit) => (limit, false),
            Self::Exactly(limit) => (limit, true),
        };
        let error = match truth {
            Some(true) => N::one() - estimate.clone(),
            Some(false) => estimate.clone(),
            None => return true,
        };
        if is_exact {
            error == *limit
        } else {
            error <= *limit
        }
    }
}

/// Returns the prover's least expected payoff against estimators who state probabilities of `grid` under `errors`.
/// Returns `None` if the prover's replies depend on more than the current round, if the judge does not answer by the
/// oracle, or if the estimator may gain by disputing a step.
///
/// # Errors
/// Returns an error if the computation takes too long, if the oracle cannot answer, or if some claim allows no
/// estimate.
pub fn least_payoff<N: Number>(
    [prover, judge]: [&dyn Strategy<'_, N>; 2],
    instance: &Instance,
    parameters: &ProverEstimatorParameters,
    grid: &[N],
    errors: AllowedEstimateErrors<N>,
    budget: ComputationBudget<'_>,
) -> Option<Result<N, PayoffNotComputedReason>> {
    let known = as_markov_prover(prover)?;
    let flip = judge.oracle_error_probability()?;
    let estimates = AllowedEstimatesAndChoiceRule {
        grid: grid.to_vec(),
        choice: BestOrRandomEstimateRule::Best,
        errors,
    };
    match BestEstimatorResponse::new(estimates, known, flip, instance, parameters, budget) {
        Ok(values) if values.gains_by_dispute => None,
        found => Some(found.map(|values| values.value)),
    }
}
