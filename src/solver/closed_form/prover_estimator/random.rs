//! The value of a debate in which one player draws replies at random, independently of the debate.
//!
//! No search over the replies is needed. A prover who bets up as often as down has an expected reward of 0 in each
//! round, against every estimator. If its answer is a fair coin as well, the answer agrees with the root's coin half of
//! the time: the expected payoff is r^(d+1)/2. Against an estimator who draws each estimate uniformly from a grid, the
//! dynamic programme of `ClaimValues` takes means instead of minima.

use super::{ClaimValues, WordChoice, agreement, markov};
use crate::expectation::Unsolved;
use debate_core::budget::Budget;
use debate_core::number::{Number, power};
use debate_core::player::{Choice, Strategy};
use debate_core::protocol::prover_estimator::{Direction, Parameters};
use debate_core::protocol::{Protocol, Reply, Request};
use debate_core::scenario::Instance;

/// The prover's expectation of a debate in which somebody draws every reply, and with which
/// probability its answer is true. `None` where nobody does, or others play too than are known
/// here.
///
/// # Errors
/// If it takes too long, or the oracle cannot answer.
pub fn value<N: Number>(
    players: [&dyn Strategy<'_, N>; 3],
    instance: &Instance,
    protocol: &Protocol,
    budget: Budget<'_>,
) -> Option<Result<(N, Option<N>), Unsolved>> {
    let Protocol::ProverEstimator(parameters) = protocol else {
        return None;
    };
    let [prover, opponent, judge] = players;
    let truth = instance.truth(instance.root());
    if let Some(value) = drawn_bets(prover, instance, parameters) {
        let half = N::ratio(1, 2);
        return Some(Ok((value, truth.map(|_| half))));
    }
    let grid = drawn_words(opponent, instance)?;
    let known = markov(prover)?;
    let flip = judge.as_oracle()?;
    let uniform = WordChoice::Uniform;
    let values = ClaimValues::new(uniform, known, flip, instance, parameters, &grid, budget);
    Some(values.map(|values| {
        let right = truth.map(|truth| N::indicator(values.answer == truth));
        (values.value, right)
    }))
}

/// The expectation of a prover who answers by a fair coin and whose bets are up as often as down,
/// whatever has happened.
fn drawn_bets<N: Number>(
    prover: &dyn Strategy<'_, N>,
    instance: &Instance,
    parameters: &Parameters,
) -> Option<N> {
    // Whoever sees a bet before the coins fall may make something of it.
    if parameters.direction != Direction::Sealed {
        return None;
    }
    let claim = instance.root();
    let answers = prover.as_constant(&Request::Answer { claim })?.each()?;
    let bets = prover.as_constant(&Request::Direction { claim })?.each()?;
    let mean = |sum: N, (chance, reply): &(N, Reply<N>)| match reply {
        Reply::Direction(bet) => sum + bet.times(chance.clone()),
        _ => sum,
    };
    let exponent = instance.size().depth + 1;
    let weight = power(&N::from_exact(&parameters.ratio()), exponent);
    // Whichever way the root's coin falls.
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

/// The words that an estimator says, each as likely, of whatever it is asked; `None` where it does
/// not draw them so.
fn drawn_words<N: Number>(opponent: &dyn Strategy<'_, N>, instance: &Instance) -> Option<Vec<N>> {
    let claim = instance.root();
    let request = Request::Probability {
        claim,
        place: None,
        alone: true,
    };
    let choice = opponent.as_constant(&request)?;
    if !matches!(choice, Choice::Even { .. }) {
        return None;
    }
    let word = |(_, reply)| match reply {
        Reply::Probability(p) => Some(p),
        _ => None,
    };
    choice.each()?.into_iter().map(word).collect()
}
