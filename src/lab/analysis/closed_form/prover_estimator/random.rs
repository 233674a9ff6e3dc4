//! What a debate is worth where `random` sits in a seat of prover-estimator debate: every word it
//! might say is too many to walk, and none needs to be.
//!
//! A prover who bets up, down and not at all as often expects nothing of any round, whoever
//! estimates; and since its answer is a fair coin that nobody saw, it agrees with the root's coin
//! half of the time, however that is weighted: r^(d+1)/2 in all. Against an estimator who says any
//! tenth, [`BestEstimator`]'s dynamic programming takes means where it took the least.

use super::{BestEstimator, WordChoice};
use crate::analysis::expectimax::Unsolved;
use debate_core::budget::Budget;
use debate_core::number::{Number, power};
use debate_core::player::Spec;
use debate_core::protocol::Protocol;
use debate_core::protocol::prover_estimator::Direction;
use debate_core::scenario::Instance;

/// How whoever draws every reply is called.
const RANDOM: &str = "random";

/// What the prover expects of a debate in which somebody draws every reply, and with which
/// probability its answer is true. `None` where nobody does, or others play too than are known
/// here.
pub(in crate::analysis) fn value<N: Number>(
    players: &[Spec; 3],
    instance: &Instance,
    protocol: &Protocol,
    budget: Budget<'_>,
) -> Option<Result<(N, Option<N>), Unsolved>> {
    let Protocol::ProverEstimator(parameters) = protocol else {
        return None;
    };
    let [prover, opponent, judge] = players;
    let truth = instance.truth(instance.root());
    // Whoever sees a bet before the coins fall may make something of it.
    if *prover == Spec::named(RANDOM) && parameters.direction == Direction::Sealed {
        let half = N::ratio(1, 2);
        let ratio = N::from_exact(&parameters.ratio());
        let first = power(&ratio, instance.size().depth + 1);
        return Some(Ok((first * half.clone(), truth.map(|_| half))));
    }
    if *opponent != Spec::named(RANDOM) {
        return None;
    }
    let tenths: Vec<N> = (0..=10).map(|tenths| N::ratio(tenths, 10)).collect();
    let found = BestEstimator::saying(
        WordChoice::Uniform,
        [prover, judge],
        instance,
        parameters,
        &tenths,
        budget,
    )?;
    Some(found.map(|found| {
        let right = truth.map(|truth| N::indicator(found.answers() == truth));
        (found.value().clone(), right)
    }))
}

#[cfg(test)]
mod tests;
