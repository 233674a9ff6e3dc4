//! An exact bracket of the value of a debate between players of all strategies.
//!
//! Estimates are taken from a grid. This restricts only the opponent, so the value of the game on the grid is an upper
//! bound of the real value. Linear programs in floating point propose a plan for each side. The exact best reply to
//! each plan then gives a bound: the upper end of the bracket is the best prover's payoff against the opponent's plan,
//! and the lower end is the payoff of the prover's plan against the best opponent. Both ends are rationals.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_traits::{One as _, Zero as _};

use super::SideReport;
use super::plans::{
    DoubleOracleResult, LeastTruthSearch, ProgramSize, optimal_plan, solve_by_double_oracle,
};
use super::sequence_form::SequenceForm;
use crate::analysis::SolveError;
use crate::expectation::Unsolved;
use crate::game::{GameStart, GameTree};
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _, powers};
use debate_core::player::{Registry, Spec};
use debate_core::protocol::{Protocol, Rules as _, Seat};
use debate_core::scenario::{ClaimId, Instance};

/// Maximum number of sequences, of both sides together, for which one linear program per side solves the game.
const MAX_PROGRAM: usize = 4000;

/// If the game has more sequences than this, and one side has at most [`SMALL_SIDE`] of them, double oracle is used,
/// because it then needs few sequences of the other side.
const SMALL_PROGRAM: usize = 600;
const SMALL_SIDE: usize = 400;

/// Maximum number of the prover's sequences for which the least probability of a true answer is computed.
const MAX_PROVER: usize = 12_000;

/// A game over all strategies of both debaters.
#[derive(Clone, Copy, Debug)]
pub struct AllStrategiesGame<'g> {
    pub protocol: &'g Protocol,
    pub judge: &'g Spec,
    /// The instances with their probabilities.
    pub instances: &'g [(Exact, Instance)],
    /// The block of each instance, for prover and opponent.
    pub blocks: [&'g [usize]; 2],
    /// The number of leaves that prover and opponent may query in a debate.
    pub queries: [u32; 2],
    /// The probabilities that a player may give.
    pub grid: &'g [Exact],
    /// α: in the search for the least probability of a true answer, provers must guarantee the value less α.
    pub alpha: &'g Exact,
    /// Maximum number of rounds of double oracle.
    pub rounds: u32,
}

/// The least probability of a true answer among all provers who guarantee the value less α.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeastTruthProbability {
    /// The probability that this prover's answer is true.
    pub probability: Exact,
    /// The payoff that this prover guarantees against the best opponent; at least the lower end of the value less α.
    pub keeps: Exact,
    /// The requested α, or a larger one if the solution of the linear program is less accurate.
    pub alpha: Exact,
}

/// A bracket of the value of a game, with the plans' properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptimalPlay {
    /// The payoff that a prover guarantees against every opponent on the grid.
    pub lower: Exact,
    /// The upper bound that an opponent on the grid enforces against every prover.
    pub upper: Exact,
    /// The difference between the greatest and the least possible payoff.
    pub range: Exact,
    /// The payoff that a prover guarantees against every opponent with arbitrary probabilities; `None` if
    /// [`max_loss_without_grid`] is `None`.
    pub lower_of_all: Option<Exact>,
    /// The probability that the prover's answer is true under the plan that gives the lower end.
    pub answers_truly: Option<Exact>,
    pub least_truth: Option<LeastTruthProbability>,
    /// The number of rounds of double oracle, which grows a game between a few pure strategies. `None` if one
    /// program per side solved the game.
    pub rounds: Option<u32>,
    /// The sizes of the prover's and the opponent's side. Information sets after which no payoff depends on the other
    /// side are omitted.
    pub sides: [SideReport; 2],
    /// The number of positions that were played.
    pub positions: u64,
    /// The number of pairs of sequences of both sides with a payoff.
    pub payoffs: usize,
    /// The largest linear program that was solved for the value.
    pub program: ProgramSize,
    /// True if the bracket may be wider than necessary, because the search was stopped or ran out of rounds.
    pub stopped: bool,
}

impl AllStrategiesGame<'_> {
    /// Solves the game. If the search is stopped, returns the bracket reached so far.
    ///
    /// # Errors
    /// Returns an error if the game has more positions than allowed, or if replies cannot be listed. Also
    /// returns an error if the search is stopped before the game is built.
    pub fn solve(&self, budget: Budget<'_>) -> Result<OptimalPlay, SolveError> {
        if self.min_position_count() > BigUint::from(budget.steps) {
            return Err(Unsolved::from(budget.limit_exceeded_error("positions")).into());
        }
        let form = self.build_sequence_form(budget, false)?;
        let float_form = form.float_form();
        let range = self.payoff_range()?;
        let sides = form.seats.each_ref().map(|seat| SideReport {
            information_sets: seat.sets.len(),
            sequences: seat.sequences,
        });
        let tolerance = range.to_float() * 1e-10;
        let [alice, bob] = sides.each_ref().map(|side| side.sequences);
        let by_programs = alice + bob <= SMALL_PROGRAM
            || alice + bob <= MAX_PROGRAM && alice.min(bob) > SMALL_SIDE;
        let (reached, rounds) = if by_programs {
            let plan = |side| optimal_plan(&float_form, side, budget);
            let reached = match rayon::join(|| plan(0), || plan(1)) {
                (Ok(alice), Ok(bob)) => DoubleOracleResult {
                    size: alice.size.max(bob.size),
                    plans: [alice.plan, bob.plan],
                    stopped: false,
                    ..DoubleOracleResult::uniform_plans(&float_form)
                },
                (Err(error), _) | (_, Err(error)) if error.was_cancelled() => {
                    DoubleOracleResult::uniform_plans(&float_form)
                }
                (Err(error), _) | (_, Err(error)) => return Err(error),
            };
            (reached, None)
        } else {
            let reached = solve_by_double_oracle(&float_form, self.rounds, tolerance, budget)?;
            let rounds = reached.rounds;
            (reached, Some(rounds))
        };
        let prover = form.rounded_plan(0, &reached.plans[0]);
        let opponent = form.rounded_plan(1, &reached.plans[1]);
        let lower = form.best_reply_payoff(1, &prover);
        let upper = form.best_reply_payoff(0, &opponent);
        let settled = (&upper - &lower).to_float() <= 2.0 * tolerance;
        let [_, kept] = reached.kept;
        let least_truth = if settled && sides[0].sequences <= MAX_PROVER {
            let program = LeastTruthSearch {
                form: &float_form,
                guaranteed: (&lower - self.alpha).to_float(),
                kept,
                rounds: self.rounds,
                tolerance,
            };
            self.least_truth(&form, program, &prover, budget)?
        } else {
            None
        };
        Ok(OptimalPlay {
            lower_of_all: max_loss_without_grid(self).map(|loss| &lower - loss),
            answers_truly: form.true_answer_probability(&prover),
            lower,
            upper,
            range,
            least_truth,
            rounds,
            sides,
            positions: form.positions,
            payoffs: form.payoff.iter().map(BTreeMap::len).sum(),
            program: reached.size,
            stopped: reached.stopped,
        })
    }

    /// Returns a lower bound on the number of positions, without a walk through the game. The bound does not depend on
    /// the grid.
    ///
    /// Reasons: Alice can lead the debate to every claim. Under prover-estimator rules, Bob has seen all coins of a
    /// round except the last two when he gives the last estimate of the round.
    pub fn min_position_count(&self) -> BigUint {
        let sizes = self.instances.iter().map(|(_, instance)| instance.size());
        let is_estimated = self.protocol.conditions().has_estimator();
        let each = sizes.map(|size| {
            let coins = size.width.saturating_sub(2);
            let seen = BigUint::from(u8::from(is_estimated)) << coins;
            size.claims.clone().max(seen)
        });
        each.max().unwrap_or_default()
    }

    /// Builds the game in sequence form. Unless `whole` is set, omits moves at the end that do not affect the value.
    ///
    /// # Errors
    /// Returns an error if the game has more positions than the budget allows, or if replies cannot be
    /// listed.
    pub fn build_sequence_form(
        &self,
        budget: Budget<'_>,
        whole: bool,
    ) -> Result<SequenceForm<Exact>, SolveError> {
        let registry = Registry::<Exact>::with_builtin_players();
        let mut judges = Vec::with_capacity(self.instances.len());
        for (_, instance) in self.instances {
            judges.push(registry.build(self.judge, Seat::Judge, instance, self.protocol)?);
        }
        let mut starts = Vec::with_capacity(self.instances.len());
        for (index, ((share, instance), judge)) in self.instances.iter().zip(&judges).enumerate() {
            starts.push(GameStart {
                chance: share.clone(),
                instance,
                state: self.protocol.start(instance)?,
                judge: &**judge,
                blocks: self
                    .blocks
                    .map(|blocks| blocks.get(index).copied().unwrap_or(0)),
            });
        }
        let tree = GameTree::new(&starts, self.grid, self.queries);
        let tree = if whole { tree } else { tree.reduced() };
        Ok(SequenceForm::from_tree(tree, budget)?)
    }

    fn least_truth(
        &self,
        form: &SequenceForm<Exact>,
        program: LeastTruthSearch<'_>,
        safe: &[Exact],
        budget: Budget<'_>,
    ) -> Result<Option<LeastTruthProbability>, SolveError> {
        if form.truly.is_none() {
            return Ok(None);
        }
        let lower = &form.best_reply_payoff(1, safe);
        let mut plan = form.rounded_plan(0, &program.least_truthful_plan(budget)?);
        let mut keeps = form.best_reply_payoff(1, &plan);
        // The solver's tolerance may cost more than α. Mixing the plan with the one that guarantees most
        // restores the required guarantee. If α is 0, mixing would leave nothing of the plan, so α becomes
        // the cost.
        let missing = lower - self.alpha - &keeps;
        if *self.alpha > Exact::default() && missing > Exact::default() {
            let share = missing / (lower - &keeps);
            for (weight, safe) in plan.iter_mut().zip(safe) {
                *weight += &share * (safe - &*weight);
            }
            keeps = form.best_reply_payoff(1, &plan);
        }
        let probability = form.true_answer_probability(&plan);
        let alpha = self.alpha.max(&(lower - &keeps)).clone();
        Ok(probability.map(|probability| LeastTruthProbability {
            probability,
            keeps,
            alpha,
        }))
    }

    /// True if the end of the debate is known to the prover: it knows the instance, the subclaims of a round are either
    /// all leaves or contain no leaf, leaves read no proof bits, and the judge is always right about them.
    fn ends_known(&self, instance: &Instance) -> bool {
        let blocks: BTreeSet<usize> = self.blocks[0].iter().copied().collect();
        let is_known = |claim: ClaimId| {
            let is_leaf = |claim: &ClaimId| instance.is_leaf(*claim);
            let supports = instance.supports(claim).iter();
            let mut on = supports.map(|support| &support.on);
            on.all(|on| on.iter().all(is_leaf) || !on.iter().any(is_leaf))
        };
        let knows = |claim: ClaimId| {
            let truth = instance.truth(claim).map(Exact::indicator);
            let verdict = instance
                .oracle_yes_probability(claim, &[])
                .map(|yes| Exact::of(&yes));
            !instance.is_leaf(claim)
                || instance.reads(claim).is_empty() && truth.is_some() && verdict == truth
        };
        let oracle = Spec::without_arguments("oracle");
        let mut claims = instance.claims_below(instance.root());
        blocks.len() == self.instances.len()
            && *self.judge == oracle
            && claims.all(|claim| is_known(claim) && knows(claim))
    }

    /// Returns the difference between the greatest and the least possible payoff, for the instance where it is largest.
    fn payoff_range(&self) -> Result<Exact, SolveError> {
        let mut widest = Exact::default();
        for (_, instance) in self.instances {
            let start = self.protocol.start::<Exact>(instance)?;
            let all: Exact = start.schedule().iter().map(|(_, weight)| weight).sum();
            widest = widest.max(all * Exact::ratio(2, 1));
        }
        Ok(widest)
    }
}

/// Returns an upper bound on the prover's loss if the opponent may use all probabilities instead of those of a grid.
/// Returns `None` if no player gives probabilities, if the grid lacks 0 or 1, or if steps can be disputed.
///
/// An estimate p between two neighbours on the grid is their mean with weights λ. After the coin z of p is thrown, the
/// prover draws a neighbour g: with probability λ_g·g/p if z is 1, and λ_g·(1 − g)/(1 − p) if z is 0. It then continues
/// as if the opponent had given g. The pair (g, z) has the same distribution as if the opponent had drawn g by λ first,
/// which an opponent on the grid may do. The only difference is that rewards are computed with p instead of g.
/// - The reward for the root's coin is the same. A bet r^k·A·(M − p_k) on the chosen claim pays r^k·A·(p_k − g_k) less
///   than with g. Let h be the widest gap of the grid. The mean of |g − p| is at most h/2 for the root, and |g − p| < h
///   always.
/// - Assume that the prover knows the instance, that the judge knows the truth, that every step of the grid is h, and
///   that a round has only leaves. She then chooses and bets by p itself, for max |e − p| over the leaves,
///   where e is 0 or 1. With g in place of p it would be max |e − g|, for numbers on the grid: |e − g| is h·k
///   or h·(k + 1), and among several leaves only those of the greatest k matter. For one leaf the means are
///   the same. For two leaves, let μ be the chance of the upper number of the first, and m that chance after
///   its coin, whose mean is μ. If both have the same k, the mean of max |e − g| is k·h + h·(1 − (1 − m)(1 −
///   μ′)) and the greater mean is k·h + h·max(μ, μ′). The difference is at most h·m·(1 − μ), at μ′ = μ. If
///   the first is above the second, the difference is h·(m − μ), which is no more; otherwise it is 0. The
///   mean over the coin is h·μ·(1 − μ) ≤ h/4. For more leaves |g − p| < h is used.
pub fn max_loss_without_grid(game: &AllStrategiesGame<'_>) -> Option<Exact> {
    let ratio = game.protocol.reward_ratio()?;
    let mut grid = game.grid.to_vec();
    grid.sort();
    let disputed = match game.protocol {
        Protocol::ProverEstimator(own) => own.warrants.can_be_disputed(),
        _ => false,
    };
    if disputed || !grid.first()?.is_zero() || !grid.last()?.is_one() {
        return None;
    }
    let steps: BTreeSet<Exact> = grid.windows(2).map(|pair| &pair[1] - &pair[0]).collect();
    let loss = |(_, instance): &(Exact, Instance)| {
        let size = instance.size();
        let weights: Vec<Exact> = powers(&ratio, size.depth).collect();
        let (root, rounds) = weights.split_last()?;
        let own = root * Exact::ratio(1, 2);
        let Some((leaf, between)) = rounds.split_first() else {
            return Some(own);
        };
        let share = match size.width {
            1 if steps.len() == 1 && game.ends_known(instance) => Exact::zero(),
            2 if steps.len() == 1 && game.ends_known(instance) => Exact::ratio(1, 4),
            _ => Exact::one(),
        };
        Some(leaf * share + between.iter().sum::<Exact>() + own)
    };
    let each: Vec<Exact> = game.instances.iter().map(loss).collect::<Option<_>>()?;
    Some(each.into_iter().max()? * steps.last()?)
}
