//! The value of a debate between players of all strategies: an exact bracket of it.
//!
//! Estimates are taken from a grid, which is a hypothesis: it limits the opponent alone, so that the
//! value of the grid's game is an upper bound of the real one. Programs in floating point propose a
//! plan for each side; the exact best reply to each plan certifies it. The upper end is what the
//! best prover gets against the opponent's plan, the lower end what the prover's plan keeps against
//! the best opponent, both in rationals.

use super::SideReport;
use super::plans::{Reached, by_double_oracle, least_true_plan, optimal_plan};
use super::sequence_form::SequenceForm;
use crate::analysis::SolveError;
use crate::game::{GameStart, GameTree};
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _, powers};
use debate_core::player::{Registry, Spec};
use debate_core::protocol::{Protocol, Rules as _, Seat};
use debate_core::scenario::{Instance, Size};

/// Games of at most so many sequences of both sides together are solved by one program a side.
const MAX_PROGRAM: usize = 12_000;

/// A game to be solved, by all strategies of both debaters.
#[derive(Clone, Copy, Debug)]
pub struct GameOfAll<'g> {
    pub protocol: &'g Protocol,
    pub judge: &'g Spec,
    /// The instances, with their shares.
    pub instances: &'g [(Exact, Instance)],
    /// The block of each instance, for prover and opponent.
    pub blocks: [&'g [usize]; 2],
    /// The leaves that prover and opponent may look up in a debate.
    pub queries: [u32; 2],
    /// The probabilities that can be said.
    pub grid: &'g [Exact],
    /// How far below the value a prover's guarantee may lie, where the least true answer is looked
    /// for.
    pub alpha: &'g Exact,
    /// The most rounds of double oracle.
    pub rounds: u32,
}

/// How rarely a prover may answer truly who guarantees the value less α.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeastTruth {
    /// The probability that this prover's answer is true.
    pub probability: Exact,
    /// What this prover keeps against the best opponent: the value's lower end less α.
    pub keeps: Exact,
    /// α as it was asked for, or more where the program's solution falls short of it.
    pub alpha: Exact,
}

/// The value of a game, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptimalPlay {
    /// What a prover keeps against every opponent on the grid.
    pub lower: Exact,
    /// What an opponent on the grid lets no prover exceed.
    pub upper: Exact,
    /// The greatest possible payoff less the least.
    pub range: Exact,
    /// What a prover keeps against every opponent, whatever probabilities they say; `None` where
    /// nobody says any.
    pub lower_of_all: Option<Exact>,
    /// The probability that the answer of the prover is true whose plan gives the lower end.
    pub answers_truly: Option<Exact>,
    pub least_truth: Option<LeastTruth>,
    /// The rounds of double oracle, in which a game between a few pure strategies grew; `None` where
    /// there was one program for each side.
    pub rounds: Option<u32>,
    /// Prover and opponent, those sets left out in which nothing hangs on the other side any more.
    pub sides: [SideReport; 2],
    /// The positions that were played through.
    pub positions: u64,
}

impl GameOfAll<'_> {
    /// Solves the game.
    ///
    /// # Errors
    /// If it has more positions than allowed, replies cannot be listed, or it was stopped.
    pub fn solve(&self, budget: Budget<'_>) -> Result<OptimalPlay, SolveError> {
        let form = self.form(budget)?;
        let floats = form.floats();
        let range = self.range()?;
        let sides = form.seats.each_ref().map(|seat| SideReport {
            information_sets: seat.sets.len(),
            sequences: seat.sequences,
        });
        let (plans, rounds) = if sides[0].sequences + sides[1].sequences <= MAX_PROGRAM {
            let plan = |side| optimal_plan(&floats, side);
            let (alice, bob) = rayon::join(|| plan(0), || plan(1));
            ([alice?, bob?], None)
        } else {
            let tolerance = range.to_float() * 1e-10;
            let Reached { plans, rounds } =
                by_double_oracle(&floats, self.rounds, tolerance, budget)?;
            (plans, Some(rounds))
        };
        let prover = form.rounded(0, &plans[0]);
        let opponent = form.rounded(1, &plans[1]);
        let (lower, _) = form.best_reply(1, &prover);
        let (upper, _) = form.best_reply(0, &opponent);
        let least_truth = match rounds {
            None => self.least_truth(&form, &floats, &prover, &lower)?,
            Some(_) => None,
        };
        let size = self.instances.iter().map(|(_, instance)| instance.size());
        let loss = size.filter_map(|size| continuum_loss(self.protocol, size, self.grid));
        Ok(OptimalPlay {
            lower_of_all: loss.max().map(|loss| &lower - loss),
            answers_truly: form.answered_truly(&prover),
            lower,
            upper,
            range,
            least_truth,
            rounds,
            sides,
            positions: form.positions,
        })
    }

    fn form(&self, budget: Budget<'_>) -> Result<SequenceForm<Exact>, SolveError> {
        let registry = Registry::<Exact>::builtin();
        let mut judges = Vec::with_capacity(self.instances.len());
        for (_, instance) in self.instances {
            judges.push(registry.build(self.judge, Seat::Judge, instance, self.protocol)?);
        }
        let mut starts = Vec::with_capacity(self.instances.len());
        for (place, ((share, instance), judge)) in self.instances.iter().zip(&judges).enumerate() {
            starts.push(GameStart {
                chance: share.clone(),
                instance,
                state: self.protocol.start(instance)?,
                judge: &**judge,
                blocks: self
                    .blocks
                    .map(|blocks| blocks.get(place).copied().unwrap_or(0)),
            });
        }
        let tree = GameTree::new(&starts, self.grid, self.queries);
        Ok(SequenceForm::of(tree, budget)?)
    }

    fn least_truth(
        &self,
        form: &SequenceForm<Exact>,
        floats: &SequenceForm<f64>,
        safe: &[Exact],
        lower: &Exact,
    ) -> Result<Option<LeastTruth>, SolveError> {
        if form.truly.is_none() {
            return Ok(None);
        }
        let guaranteed = (lower - self.alpha).to_float();
        let mut plan = form.rounded(0, &least_true_plan(floats, guaranteed)?);
        let (mut keeps, _) = form.best_reply(1, &plan);
        // The solver's tolerance may cost more than α. Mixed with the plan that keeps the most, the plan
        // keeps what it must; where α is 0 that would leave nothing of it, and α is what it costs.
        let missing = lower - self.alpha - &keeps;
        if *self.alpha > Exact::default() && missing > Exact::default() {
            let share = missing / (lower - &keeps);
            for (weight, safe) in plan.iter_mut().zip(safe) {
                *weight += &share * (safe - &*weight);
            }
            keeps = form.best_reply(1, &plan).0;
        }
        let probability = form.answered_truly(&plan);
        let alpha = self.alpha.max(&(lower - &keeps)).clone();
        Ok(probability.map(|probability| LeastTruth {
            probability,
            keeps,
            alpha,
        }))
    }

    /// The most that the rules can pay less the least, over all instances.
    fn range(&self) -> Result<Exact, SolveError> {
        let mut widest = Exact::default();
        for (_, instance) in self.instances {
            let start = self.protocol.start::<Exact>(instance)?;
            let all: Exact = start.schedule().iter().map(|(_, weight)| weight).sum();
            widest = widest.max(all * Exact::ratio(2, 1));
        }
        Ok(widest)
    }
}

/// By how much a prover may do worse against all probabilities than against those of a grid, where
/// she takes each for the nearest of the grid; `None` where nobody says any.
///
/// A probability that is off by at most h pays a bet r^k·h more or less, and lets a coin fall
/// otherwise with probability h, after which everything that is still to be paid may differ. The
/// root's coin decides r^(d+1) and may turn the rest, 2 Σ r^k; each of the q coins of round k may
/// turn 2 Σ_{j≤k} r^j.
pub fn continuum_loss(protocol: &Protocol, size: &Size, grid: &[Exact]) -> Option<Exact> {
    let ratio = protocol.reward_ratio()?;
    let furthest = furthest(grid)?;
    let weights: Vec<Exact> = powers(&ratio, size.depth + 1).collect();
    let (first, rounds) = weights.split_last()?;
    let two = Exact::ratio(2, 1);
    let mut still = Exact::default();
    let mut coins = Exact::default();
    for (round, weight) in rounds.iter().enumerate() {
        still += weight;
        if round > 0 {
            coins += &two * &still;
        }
    }
    let width = Exact::ratio(size.width.into(), 1);
    Some(furthest * (&still + first + two * &still + width * coins))
}

/// The distance of the probability that is furthest from a grid.
fn furthest(grid: &[Exact]) -> Option<Exact> {
    let mut sorted = grid.to_vec();
    sorted.sort();
    let first = sorted.first()?;
    let last = sorted.last()?;
    let ends = [first.clone(), Exact::ratio(1, 1) - last];
    let gaps = sorted
        .windows(2)
        .map(|pair| (&pair[1] - &pair[0]) / Exact::ratio(2, 1));
    gaps.chain(ends).max()
}

#[cfg(test)]
mod tests;
