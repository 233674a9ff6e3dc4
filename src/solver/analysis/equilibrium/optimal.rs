//! An exact bracket of the value of a debate between players of all strategies.
//!
//! Estimates are taken from a grid. This hypothesis limits only the opponent, so the value of the grid's game
//! is an upper bound of the real value. Programs in floating point propose a plan for each side, and the
//! exact best reply to each plan certifies it. The upper end is the best prover's payoff against the
//! opponent's plan. The lower end is the payoff that the prover's plan guarantees against the best opponent.
//! Both are rationals.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_traits::{One as _, Zero as _};

use super::SideReport;
use super::plans::{
    DoubleOracleResult, ProgramSize, TruthProgram, optimal_plan, solve_by_double_oracle,
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

/// Maximum number of sequences, of both sides together, for which one program per side solves the game.
const MAX_PROGRAM: usize = 4000;

/// Above this number of sequences, double oracle is used if one side has at most [`SMALL_SIDE`] of them: few
/// sequences of the other side are then needed.
const SMALL_PROGRAM: usize = 600;
const SMALL_SIDE: usize = 400;

/// Maximum number of the prover's sequences for which the least true answer is searched.
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
    /// α, the distance below the value that a prover's guarantee may have in the search for the least true
    /// answer.
    pub alpha: &'g Exact,
    /// Maximum number of rounds of double oracle.
    pub rounds: u32,
}

/// The least probability of a true answer, among provers who guarantee the value less α.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeastTrueAnswer {
    /// The probability that this prover's answer is true.
    pub probability: Exact,
    /// The payoff that this prover guarantees against the best opponent: the value's lower end less α.
    pub keeps: Exact,
    /// The requested α, or a larger one if the program's solution is less accurate.
    pub alpha: Exact,
}

/// The value of a game, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptimalPlay {
    /// The payoff that a prover guarantees against every opponent on the grid.
    pub lower: Exact,
    /// The upper bound that an opponent on the grid enforces against every prover.
    pub upper: Exact,
    /// The greatest possible payoff less the least.
    pub range: Exact,
    /// The payoff that a prover guarantees against every opponent with arbitrary probabilities; `None` if
    /// [`continuum_loss`] is `None`.
    pub lower_of_all: Option<Exact>,
    /// The probability of a true answer under the prover's plan that gives the lower end.
    pub answers_truly: Option<Exact>,
    pub least_truth: Option<LeastTrueAnswer>,
    /// The number of rounds of double oracle, which grows a game between a few pure strategies. `None` if one
    /// program per side solved the game.
    pub rounds: Option<u32>,
    /// Prover and opponent. Information sets in which no payoff depends on the other side any more are
    /// omitted.
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
        let form = self.form(budget, false)?;
        let float_form = form.float_form();
        let range = self.range()?;
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
                (Err(error), _) | (_, Err(error)) if error.is_stopped() => {
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
        let lower = form.best_reply(1, &prover);
        let upper = form.best_reply(0, &opponent);
        let settled = (&upper - &lower).to_float() <= 2.0 * tolerance;
        let [_, kept] = reached.kept;
        let least_truth = if settled && sides[0].sequences <= MAX_PROVER {
            let program = TruthProgram {
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
            lower_of_all: continuum_loss(self).map(|loss| &lower - loss),
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

    /// Returns a lower bound on the number of positions without walking through the game. Alice may lead to
    /// every claim. Under prover-estimator rules, Bob sees all coins of a round but the last two before he
    /// gives its last estimate.
    ///
    /// The bound does not depend on the grid.
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

    /// Builds the game in sequence form. Unless `whole` is set, omits an end of the game that decides
    /// nothing.
    ///
    /// # Errors
    /// Returns an error if the game has more positions than the budget allows, or if replies cannot be
    /// listed.
    pub fn form(&self, budget: Budget<'_>, whole: bool) -> Result<SequenceForm<Exact>, SolveError> {
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
        Ok(SequenceForm::of(tree, budget)?)
    }

    fn least_truth(
        &self,
        form: &SequenceForm<Exact>,
        program: TruthProgram<'_>,
        safe: &[Exact],
        budget: Budget<'_>,
    ) -> Result<Option<LeastTrueAnswer>, SolveError> {
        if form.truly.is_none() {
            return Ok(None);
        }
        let lower = &form.best_reply(1, safe);
        let mut plan = form.rounded_plan(0, &program.plan(budget)?);
        let mut keeps = form.best_reply(1, &plan);
        // The solver's tolerance may cost more than α. Mixing the plan with the one that guarantees most
        // restores the required guarantee. If α is 0, mixing would leave nothing of the plan, so α becomes
        // the cost.
        let missing = lower - self.alpha - &keeps;
        if *self.alpha > Exact::default() && missing > Exact::default() {
            let share = missing / (lower - &keeps);
            for (weight, safe) in plan.iter_mut().zip(safe) {
                *weight += &share * (safe - &*weight);
            }
            keeps = form.best_reply(1, &plan);
        }
        let probability = form.true_answer_probability(&plan);
        let alpha = self.alpha.max(&(lower - &keeps)).clone();
        Ok(probability.map(|probability| LeastTrueAnswer {
            probability,
            keeps,
            alpha,
        }))
    }

    /// True if the prover knows every instance, and every round that ends in leaves has only leaves. These
    /// leaves must read no bits, and the judge must know them.
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
            let verdict = instance.oracle(claim, &[]).map(|yes| Exact::of(&yes));
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

/// Returns the prover's maximum loss when the opponent may use all probabilities instead of those of a grid.
/// Returns `None` if no player gives probabilities, if the grid lacks 0 or 1, or if steps can be disputed.
///
/// A number p between two neighbours of the grid is their mean under chances λ. The prover throws its coin z,
/// then draws a neighbour g with chances λ_g·g/p after a 1 and λ_g·(1 − g)/(1 − p) after a 0, and continues
/// as if the opponent had given g. The pair (g, z) is then distributed as if the opponent had drawn g by λ
/// beforehand, which an opponent on the grid may do. The only difference is that rewards are paid by p.
/// - The root's coin pays as it would. A bet r^k·A·(M − p_k) pays r^k·A·(g_k − p_k) less, for the chosen
///   claim. Let h be the widest gap of the grid. The mean of |g − p| is at most h/2 for the root, and |g − p|
///   < h always.
/// - Assume that the prover knows the instance and the judge the truth, that every step of the grid is h, and
///   that a round has only leaves. She then chooses and bets by p itself, for max |e − p| over the leaves,
///   where e is 0 or 1. With g in place of p it would be max |e − g|, for numbers on the grid: |e − g| is h·k
///   or h·(k + 1), and among several leaves only those of the greatest k matter. For one leaf the means are
///   the same. For two leaves, let μ be the chance of the upper number of the first, and m that chance after
///   its coin, whose mean is μ. If both have the same k, the mean of max |e − g| is k·h + h·(1 − (1 − m)(1 −
///   μ′)) and the greater mean is k·h + h·max(μ, μ′). The difference is at most h·m·(1 − μ), at μ′ = μ. If
///   the first is above the second, the difference is h·(m − μ), which is no more; otherwise it is 0. The
///   mean over the coin is h·μ·(1 − μ) ≤ h/4. For more leaves |g − p| < h is used.
pub fn continuum_loss(game: &AllStrategiesGame<'_>) -> Option<Exact> {
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
