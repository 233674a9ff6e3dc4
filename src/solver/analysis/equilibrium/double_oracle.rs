//! Optimal plans of games too large for one program: the game between a few pure strategies of
//! either side is solved, and each side's best reply to the other's mixture joins them (McMahan,
//! Gordon and Blum 2003). Every round leaves a bracket.

use super::program::{NoSolution, optimal_mixture};
use super::sequence_form::SequenceForm;
use crate::expectation::Unsolved;
use crate::game::Side;
use debate_core::budget::Budget;

/// What was reached.
pub(super) struct Reached {
    /// The plans of prover and opponent with the narrowest bracket.
    pub(super) plans: [Vec<f64>; 2],
    pub(super) rounds: u32,
}

/// Why a game has no plans.
pub(super) enum Failed {
    Unsolved(Unsolved),
    Program(NoSolution),
}

/// Goes on until nothing is won any more, or so many rounds are over.
pub(super) fn solve(
    form: &SequenceForm<f64>,
    rounds: u32,
    tolerance: f64,
    budget: Budget<'_>,
) -> Result<Reached, Failed> {
    let first = |side: Side| form.pure(side, &vec![0; form.seats[side].sets.len()]);
    let mut pure = [vec![first(0)], vec![first(1)]];
    // What each pure strategy of the opponent leaves the sequences of the prover.
    let mut left = vec![form.against(0, &pure[1][0])];
    let mut payoff = vec![vec![dot(&pure[0][0], &left[0])]];
    let mut plans = [pure[0][0].clone(), pure[1][0].clone()];
    let mut bracket = [f64::NEG_INFINITY, f64::INFINITY];
    let mut round = 0;
    while round < rounds {
        round += 1;
        budget
            .go_on()
            .map_err(|exceeded| Failed::Unsolved(exceeded.into()))?;
        budget.count(Budget::STEP);
        let rows = optimal_mixture(&payoff).map_err(Failed::Program)?;
        let turned: Vec<Vec<f64>> = (0..pure[1].len())
            .map(|column| payoff.iter().map(|row| -row[column]).collect())
            .collect();
        let columns = optimal_mixture(&turned).map_err(Failed::Program)?;
        let mixed = [mixture(&pure[0], &rows), mixture(&pure[1], &columns)];
        let (most, alice) = form.best_reply(0, &mixed[1]);
        let (least, bob) = form.best_reply(1, &mixed[0]);
        let [of_alice, of_bob] = mixed;
        if least > bracket[0] {
            (bracket[0], plans[0]) = (least, of_alice);
        }
        if most < bracket[1] {
            (bracket[1], plans[1]) = (most, of_bob);
        }
        if bracket[1] - bracket[0] <= tolerance {
            break;
        }
        let [alice, bob] = [form.pure(0, &alice), form.pure(1, &bob)];
        let known = [pure[0].contains(&alice), pure[1].contains(&bob)];
        if known == [true, true] {
            break;
        }
        if !known[0] {
            payoff.push(left.iter().map(|left| dot(&alice, left)).collect());
            pure[0].push(alice);
        }
        if !known[1] {
            let against = form.against(0, &bob);
            for (row, plan) in payoff.iter_mut().zip(&pure[0]) {
                row.push(dot(plan, &against));
            }
            left.push(against);
            pure[1].push(bob);
        }
    }
    Ok(Reached {
        plans,
        rounds: round,
    })
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The plan that plays pure strategies with these probabilities.
fn mixture(pure: &[Vec<f64>], chances: &[f64]) -> Vec<f64> {
    let mut plan = vec![0.0; pure.first().map_or(0, Vec::len)];
    for (strategy, chance) in pure.iter().zip(chances) {
        if *chance > 0.0 {
            for (sum, weight) in plan.iter_mut().zip(strategy) {
                *sum += chance * weight;
            }
        }
    }
    plan
}
