//! The value of a prover-estimator debate in which one debater draws every reply at random.
//!
//! No search over the replies is needed. A prover who bets up and down equally often has an expected reward
//! of 0 in each round, against every estimator. If the answer is a fair coin as well, it agrees with the
//! root's coin half of the time, and the expected payoff is r^(d+1)/2. Against an estimator who draws each
//! estimate uniformly from a grid, the dynamic programme of `BestEstimatorResponse` takes means instead of minima.

use super::errors::AllowedEstimateErrors;
use super::{
    AllowedEstimatesAndChoiceRule, BestEstimatorResponse, BestOrRandomEstimateRule, agreement,
    as_markov_prover,
};
use crate::expectation::PayoffNotComputedReason;
use debate_core::budget::ComputationBudget;
use debate_core::number::{Number, power};
use debate_core::player::{ReplyDistribution, Strategy};
use debate_core::protocol::prover_estimator::{BetDisclosureTime, ProverEstimatorParameters};
use debate_core::protocol::{Protocol, Reply, Request};
use debate_core::scenario::Instance;

/// Returns the prover's expected payoff in a debate in which a debater draws every reply at random, and the probability
/// that the prover's answer is right (`None` if the root's truth is unknown). Returns `None` under other rules, if no
/// debater draws every reply, or if this module does not model another player.
///
/// # Errors
/// Returns an error if the computation takes too long, or if the oracle cannot answer.
pub fn payoff_with_random_replies<N: Number>(
    players: [&dyn Strategy<'_, N>; 3],
    instance: &Instance,
    protocol: &Protocol,
    budget: ComputationBudget<'_>,
) -> Option<Result<(N, Option<N>), PayoffNotComputedReason>> {
    let Protocol::ProverEstimator(parameters) = protocol else {
        return None;
    };
    let [prover, opponent, judge] = players;
    let truth = instance.truth(instance.root());
    if let Some(value) = drawn_bets(prover, instance, parameters) {
        let half = N::ratio(1, 2);
        return Some(Ok((value, truth.map(|_| half))));
    }
    let grid = drawn_estimates(opponent, instance)?;
    let known = as_markov_prover(prover)?;
    let flip = judge.oracle_error_probability()?;
    let estimates = AllowedEstimatesAndChoiceRule {
        grid,
        choice: BestOrRandomEstimateRule::Uniform,
        errors: AllowedEstimateErrors::Any,
    };
    let values = BestEstimatorResponse::new(estimates, known, flip, instance, parameters, budget);
    Some(values.map(|values| {
        let right = truth.map(|truth| N::indicator(values.answer == truth));
        (values.value, right)
    }))
}

/// Returns the expected payoff of a prover who answers by a fair coin, and bets in every round with equal probability
/// that the estimate is too low or too high. Returns `None` for any other prover, and if bets are not sealed.
fn drawn_bets<N: Number>(
    prover: &dyn Strategy<'_, N>,
    instance: &Instance,
    parameters: &ProverEstimatorParameters,
) -> Option<N> {
    // An opponent who sees a bet before the coins could exploit it.
    if parameters.direction != BetDisclosureTime::Sealed {
        return None;
    }
    let claim = instance.root();
    let answers = prover
        .as_constant(&Request::Answer { claim })?
        .weighted_replies()?;
    let bets = prover
        .as_constant(&Request::Direction { claim })?
        .weighted_replies()?;
    let mean = |sum: N, (chance, reply): &(N, Reply<N>)| match reply {
        Reply::Direction(bet) => sum + bet.times(chance.clone()),
        _ => sum,
    };
    let exponent = instance.size().depth + 1;
    let weight = power(
        &N::from_exact(&parameters.weight_ratio_to_next_round()),
        exponent,
    );
    // The mean reward for the answer, given the root's coin.
    let paid = |coin| {
        let mut sum = N::zero();
        for (chance, reply) in &answers {
            if let &Reply::Answer(answer) = reply {
                let reward = agreement(&weight, exponent as usize, coin, answer);
                sum += chance.clone() * reward;
            }
        }
        sum
    };
    let fair = paid(true) == paid(false) && bets.iter().fold(N::zero(), mean).is_zero();
    fair.then(|| paid(true))
}

/// Returns the estimates among which an estimator draws uniformly at every request; `None` if it draws in another way.
fn drawn_estimates<N: Number>(
    opponent: &dyn Strategy<'_, N>,
    instance: &Instance,
) -> Option<Vec<N>> {
    let claim = instance.root();
    let request = Request::Probability {
        claim,
        place: None,
        alone: true,
    };
    let choice = opponent.as_constant(&request)?;
    if !matches!(choice, ReplyDistribution::Even { .. }) {
        return None;
    }
    let word = |(_, reply)| match reply {
        Reply::Probability(p) => Some(p),
        _ => None,
    };
    choice.weighted_replies()?.into_iter().map(word).collect()
}
