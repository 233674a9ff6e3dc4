//! The value of a debate between players of all strategies: an exact bracket of it.
//!
//! Estimates are taken from a grid, which is a hypothesis: it limits the opponent alone, so that the
//! value of the grid's game is an upper bound of the real one. Programs in floating point propose a
//! plan for each side; the exact best reply to each plan certifies it. The upper end is what the
//! best prover gets against the opponent's plan, the lower end what the prover's plan keeps against
//! the best opponent, both in rationals.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_traits::{One as _, Zero as _};

use super::SideReport;
use super::plans::{ProgramSize, Reached, TruthProgram, by_double_oracle, optimal_plan};
use super::sequence_form::SequenceForm;
use crate::analysis::SolveError;
use crate::expectation::Unsolved;
use crate::game::{GameStart, GameTree};
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _, powers};
use debate_core::player::{Registry, Spec};
use debate_core::protocol::{Protocol, Rules as _, Seat};
use debate_core::scenario::{ClaimId, Instance};

/// Games of at most so many sequences of both sides together are solved by one program a side.
const MAX_PROGRAM: usize = 4000;

/// Beyond so many, where one side alone has no more than [`SMALL_SIDE`], few sequences of the other come into play.
const SMALL_PROGRAM: usize = 600;
const SMALL_SIDE: usize = 400;

/// The least true answer is looked for where the prover has at most so many sequences.
const MAX_PROVER: usize = 12_000;

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
    /// What a prover keeps against every opponent, whatever probabilities they say; `None` as of
    /// [`continuum_loss`].
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
    /// Pairs of sequences of both sides with a payoff.
    pub payoffs: usize,
    /// The largest linear program that was solved for the value.
    pub program: ProgramSize,
    /// True if the bracket may be wider than it has to be: it was stopped, or the rounds were over.
    pub stopped: bool,
}

impl GameOfAll<'_> {
    /// Solves the game. Where it is to stop, with the bracket that was reached.
    ///
    /// # Errors
    /// If it has more positions than allowed, replies cannot be listed, or it is to stop before the game is written down.
    pub fn solve(&self, budget: Budget<'_>) -> Result<OptimalPlay, SolveError> {
        if self.least_positions() > BigUint::from(budget.steps) {
            return Err(Unsolved::from(budget.exceeded("positions")).into());
        }
        let form = self.form(budget, false)?;
        let floats = form.floats();
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
            let plan = |side| optimal_plan(&floats, side, budget);
            let reached = match rayon::join(|| plan(0), || plan(1)) {
                (Ok(alice), Ok(bob)) => Reached {
                    size: alice.size.max(bob.size),
                    plans: [alice.plan, bob.plan],
                    stopped: false,
                    ..Reached::even(&floats)
                },
                (Err(error), _) | (_, Err(error)) if error.is_stopped() => Reached::even(&floats),
                (Err(error), _) | (_, Err(error)) => return Err(error),
            };
            (reached, None)
        } else {
            let reached = by_double_oracle(&floats, self.rounds, tolerance, budget)?;
            let rounds = reached.rounds;
            (reached, Some(rounds))
        };
        let prover = form.rounded(0, &reached.plans[0]);
        let opponent = form.rounded(1, &reached.plans[1]);
        let lower = form.best_reply(1, &prover);
        let upper = form.best_reply(0, &opponent);
        let settled = (&upper - &lower).to_float() <= 2.0 * tolerance;
        let [_, kept] = reached.kept;
        let least_truth = if settled && sides[0].sequences <= MAX_PROVER {
            let program = TruthProgram {
                form: &floats,
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
            answers_truly: form.answered_truly(&prover),
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

    /// A lower bound on the positions, which takes no walk through the game: Alice may lead to every claim, and under
    /// prover-estimator rules Bob sees all coins of a round but the last two before he gives its last estimate.
    ///
    /// It does not depend on the grid.
    pub fn least_positions(&self) -> BigUint {
        let sizes = self.instances.iter().map(|(_, instance)| instance.size());
        let is_estimated = self.protocol.conditions().has_estimator();
        let each = sizes.map(|size| {
            let coins = size.width.saturating_sub(2);
            let seen = BigUint::from(u8::from(is_estimated)) << coins;
            size.claims.clone().max(seen)
        });
        each.max().unwrap_or_default()
    }

    /// The game in sequence form. Without `whole`, an end of the game that decides nothing is left out.
    ///
    /// # Errors
    /// If the game has more positions than the budget allows, or replies cannot be listed.
    pub fn form(&self, budget: Budget<'_>, whole: bool) -> Result<SequenceForm<Exact>, SolveError> {
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
        let tree = if whole { tree } else { tree.reduced() };
        Ok(SequenceForm::of(tree, budget)?)
    }

    fn least_truth(
        &self,
        form: &SequenceForm<Exact>,
        program: TruthProgram<'_>,
        safe: &[Exact],
        budget: Budget<'_>,
    ) -> Result<Option<LeastTruth>, SolveError> {
        if form.truly.is_none() {
            return Ok(None);
        }
        let lower = &form.best_reply(1, safe);
        let mut plan = form.rounded(0, &program.plan(budget)?);
        let mut keeps = form.best_reply(1, &plan);
        // The solver's tolerance may cost more than α. Mixed with the plan that keeps the most, the plan
        // keeps what it must; where α is 0 that would leave nothing of it, and α is what it costs.
        let missing = lower - self.alpha - &keeps;
        if *self.alpha > Exact::default() && missing > Exact::default() {
            let share = missing / (lower - &keeps);
            for (weight, safe) in plan.iter_mut().zip(safe) {
                *weight += &share * (safe - &*weight);
            }
            keeps = form.best_reply(1, &plan);
        }
        let probability = form.answered_truly(&plan);
        let alpha = self.alpha.max(&(lower - &keeps)).clone();
        Ok(probability.map(|probability| LeastTruth {
            probability,
            keeps,
            alpha,
        }))
    }

    /// True if the prover knows every instance, and every round that ends in leaves has leaves alone, which read no bits
    /// and which the judge knows.
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
        let oracle = Spec::named("oracle");
        let mut claims = instance.claims_below(instance.root());
        blocks.len() == self.instances.len()
            && *self.judge == oracle
            && claims.all(|claim| is_known(claim) && knows(claim))
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

/// By how much a prover may do worse against all probabilities than against those of a grid; `None` where nobody says
/// any, where the grid leaves out 0 or 1, or where steps can be disputed.
///
/// A number p between two neighbours of the grid is the mean of these under chances λ. The prover lets its coin z fall,
/// then draws a neighbour g with chances λ_g·g/p after a 1 and λ_g·(1 − g)/(1 − p) after a 0, and goes on as if g had
/// been said. So g and z together are as if the opponent had drawn g by λ beforehand, which an opponent on the grid may
/// do: all that is left is that rewards are paid by p.
/// - The root's coin pays as it would. A bet r^k·A·(M − p_k) pays r^k·A·(g_k − p_k) less, of the claim that was chosen.
///   Let h be the widest gap of the grid. The mean of |g − p| is h/2 at the most for the root, and |g − p| < h always.
/// - Where the prover knows the instance and the judge the truth, every step of the grid is h, and a round has leaves
///   alone, she chooses and bets by p itself, for max |e − p| over the leaves, e being 0 or 1. As if g had been said it
///   would be max |e − g|, of numbers that stand on the grid: |e − g| is h·k or h·(k + 1), and of several leaves those of
///   the greatest k alone matter. Of one leaf the means are the same. Of two let μ be the chance of the upper number of
///   the first, and m that chance after its coin, whose mean is μ. If both have the same k, the mean of max |e − g| is
///   k·h + h·(1 − (1 − m)(1 − μ′)) and the greater mean is k·h + h·max(μ, μ′), less by h·m·(1 − μ) at the most, at
///   μ′ = μ; if the first is above the second it is less by h·(m − μ), which is no more; else by nothing. The mean over
///   the coin is h·μ·(1 − μ) ≤ h/4. Of more leaves |g − p| < h is used.
pub fn continuum_loss(game: &GameOfAll<'_>) -> Option<Exact> {
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
