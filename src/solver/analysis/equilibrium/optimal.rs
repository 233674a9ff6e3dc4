//! Exact bounds on the value of a debate in which both debaters may use any strategy.
//!
//! Estimates are taken from a grid. Under prover-estimator rules this restricts only the opponent, so the value of the
//! game on the grid is an upper bound on the value without a grid. A linear program in floating point proposes a plan
//! for each side. The exact best reply to each plan then gives a bound: the upper end of the bracket is the best
//! prover's payoff against the opponent's plan, and the lower end is the payoff of the prover's plan against the best
//! opponent. Both ends are rationals.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::Signed as _;

use super::DebaterSequenceFormSizeReport;
use super::builder::{BuiltSequenceForm, SequenceFormBuilder};
use super::continuum::{ValueBoundsWithoutGrid, continuum_bracket, prover_guarantee_without_bets};
use super::plans::{EquilibriumToleranceAndRounds, MAX_PAYOFFS, SolvedSequenceForm, solve_form};
use super::programs::{LinearProgramSize, least_true_plan};
use super::sequence_form::SequenceForm;
use crate::analysis::SolveError;
use crate::expectation::PayoffNotComputedReason;
use crate::game::{GameInstance, LazyGameTree};
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::{Protocol, Rules as _, Seat};
use debate_core::scenario::Instance;

/// A debate as a game in which both debaters may use any strategy.
#[derive(Clone, Copy, Debug)]
pub struct UnrestrictedDebaterGame<'g> {
    pub protocol: &'g Protocol,
    pub judge: &'g PlayerSpec,
    /// The instances with their probabilities.
    pub instances: &'g [(Exact, Instance)],
    /// For prover and opponent: the number of each instance's block. The debater cannot tell instances of one block
    /// apart.
    pub blocks: [&'g [usize]; 2],
    /// The maximum numbers of leaves that prover and opponent may each query in a debate.
    pub queries: [u32; 2],
    /// The probabilities that a player may state as an estimate.
    pub grid: &'g [Exact],
    /// The amount α below the game's value that a prover must still guarantee, in the search for the least probability
    /// of a true answer.
    pub alpha: &'g Exact,
    /// Maximum number of rounds of the double-oracle algorithm.
    pub rounds: u32,
}

/// The least probability of a true answer among all provers who guarantee at least the game's value minus α.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeastTruthfulNearOptimalProver {
    /// The probability that the answer of the found prover is true.
    pub probability: Exact,
    /// The payoff that the found prover guarantees against the best opponent: at least the lower bound on the value,
    /// minus `alpha`.
    pub keeps: Exact,
    /// The amount α by which the prover's guarantee may be below the value: as requested, or larger if the solution of
    /// the linear program is less accurate.
    pub alpha: Exact,
}

/// A lower and an upper bound on a game's value, if estimates are on a finite grid.
#[derive(Clone, Debug)]
pub(super) struct ValueBoundsOnGrid {
    pub(super) lower: Exact,
    pub(super) upper: Exact,
    /// The number of positions of the game that were visited.
    pub(super) positions: u64,
}

/// A game with its solution.
pub(super) struct SolvedGame {
    form: SequenceForm<Exact>,
    subgames: usize,
    is_subgame_stopped: bool,
    solved: SolvedSequenceForm,
    pub(super) bracket: ValueBoundsOnGrid,
}

/// The solution of a game: an interval that contains its value, with properties of both sides' plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameValueInterval {
    /// The payoff that the prover's plan guarantees against every opponent whose estimates are on the grid.
    pub lower: Exact,
    /// The largest payoff that any prover can get against the opponent's plan, whose estimates are on the grid.
    pub upper: Exact,
    /// The difference between the greatest and the least possible payoff.
    pub range: Exact,
    /// Bounds on the value if the opponent may state any probability; `None` if the opponent gives no estimates.
    pub of_all: Option<ValueBoundsWithoutGrid>,
    /// The probability of a true answer under the prover's plan that guarantees `lower`; `None` if it cannot be
    /// determined.
    pub answers_truly: Option<Exact>,
    pub least_truth: Option<LeastTruthfulNearOptimalProver>,
    /// The number of rounds of the double-oracle algorithm, which repeatedly solves a smaller game and extends it.
    /// `None` if one linear program solved the game.
    pub rounds: Option<u32>,
    /// The numbers of information sets and sequences of the prover and of the opponent. Information sets after which no
    /// payoff depends on the other side are left out.
    pub sides: [DebaterSequenceFormSizeReport; 2],
    /// The number of positions of the game that were visited.
    pub positions: u64,
    /// The number of different closed subgames that were solved separately.
    pub subgames: usize,
    /// The number of pairs of a prover's and an opponent's sequence that have a payoff.
    pub payoffs: usize,
    /// The size of the largest linear program that was solved for both plans, without the programs of closed subgames.
    pub program: LinearProgramSize,
    /// True if a longer search may narrow the interval: the search was stopped or reached its maximum number of rounds,
    /// also in a closed subgame.
    pub stopped: bool,
}

impl UnrestrictedDebaterGame<'_> {
    /// Solves the game. If the search is stopped, returns the bounds reached so far. If it is stopped before the game
    /// is built, returns the bounds that simple strategies guarantee.
    ///
    /// # Errors
    /// Returns an error if the game has more positions than allowed, if replies cannot be listed, or if the solver of
    /// linear programs fails.
    pub fn solve(&self, budget: ComputationBudget<'_>) -> Result<GameValueInterval, SolveError> {
        if self.min_position_count() > BigUint::from(budget.steps) {
            return Err(
                PayoffNotComputedReason::from(budget.limit_exceeded_error("positions")).into(),
            );
        }
        let range = self.payoff_range()?;
        let SolvedGame {
            form,
            subgames,
            is_subgame_stopped,
            solved,
            bracket,
        } = match self.solve_on_grid(budget) {
            Err(error) if error.was_cancelled() => return Ok(self.simple_bracket(&range)),
            solved => solved?,
        };
        let payoffs: usize = form.payoff.iter().map(BTreeMap::len).sum();
        let width = (&bracket.upper - &bracket.lower).to_float();
        let settled = width <= 2.0 * self.solver_limits()?.tolerance;
        let least_truth = if settled && payoffs <= MAX_PAYOFFS {
            match self.least_truth(&form, &solved.plans[0], budget) {
                // The bracket is known already.
                Err(error) if error.was_cancelled() => None,
                least => least?,
            }
        } else {
            None
        };
        Ok(GameValueInterval {
            of_all: continuum_bracket(self, &bracket, &range, budget)?,
            answers_truly: form.prover_true_answer_probability(&solved.plans[0]),
            lower: bracket.lower,
            upper: bracket.upper,
            range,
            least_truth,
            rounds: solved.rounds,
            sides: form
                .seats
                .each_ref()
                .map(|seat| DebaterSequenceFormSizeReport {
                    information_sets: seat.sets.len(),
                    sequences: seat.sequences,
                }),
            positions: bracket.positions,
            subgames,
            payoffs,
            program: solved.size,
            stopped: solved.stopped || is_subgame_stopped,
        })
    }

    /// Solves the game in which estimates are on the grid.
    pub(super) fn solve_on_grid(
        &self,
        budget: ComputationBudget<'_>,
    ) -> Result<SolvedGame, SolveError> {
        let BuiltSequenceForm {
            form,
            subgames,
            subgame_width,
            is_subgame_stopped,
        } = self.build_game(budget, false)?;
        let solved = solve_form(&form, self.solver_limits()?, budget)?;
        Ok(SolvedGame {
            bracket: ValueBoundsOnGrid {
                lower: solved.lower.clone(),
                upper: &solved.upper + subgame_width,
                positions: form.positions,
            },
            form,
            subgames,
            is_subgame_stopped,
            solved,
        })
    }

    /// Returns the greatest number of subclaims of any support, over all instances.
    pub(super) fn largest_width_of_instances(&self) -> u32 {
        let widths = self
            .instances
            .iter()
            .map(|(_, instance)| instance.size().width);
        widths.max().unwrap_or(0)
    }

    /// Returns bounds on the value from simple strategies, without a search. Alice answers at random and never bets.
    /// Bob always states the grid's estimate nearest to 1/2. Under rules without estimates, the bounds are the least
    /// and the greatest payoff.
    fn simple_bracket(&self, range: &Exact) -> GameValueInterval {
        let half = Exact::ratio(1, 2);
        let distance = |p: &Exact| (p - &half).abs();
        let of_all = prover_guarantee_without_bets(self).map(|lower| {
            let nearest = self
                .grid
                .iter()
                .map(distance)
                .min()
                .unwrap_or_else(|| half.clone());
            ValueBoundsWithoutGrid {
                lower,
                // Each reward is at most its weight times the larger of p and 1 − p. The range is twice the sum of
                // weights.
                upper: range * &half * (&half + nearest),
                points: self.grid.len(),
            }
        });
        let [lower, upper] = match &of_all {
            Some(bracket) => [bracket.lower.clone(), bracket.upper.clone()],
            None => [-(range * &half), range * &half],
        };
        let empty = DebaterSequenceFormSizeReport {
            information_sets: 0,
            sequences: 0,
        };
        GameValueInterval {
            lower,
            upper,
            range: range.clone(),
            of_all,
            answers_truly: None,
            least_truth: None,
            rounds: None,
            sides: [empty.clone(), empty],
            positions: 0,
            subgames: 0,
            payoffs: 0,
            program: LinearProgramSize::default(),
            stopped: true,
        }
    }

    /// Returns the limits of the search for plans. Its tolerance is a fixed fraction of the range of payoffs.
    fn solver_limits(&self) -> Result<EquilibriumToleranceAndRounds, SolveError> {
        Ok(EquilibriumToleranceAndRounds {
            tolerance: self.payoff_range()?.to_float() * 1e-10,
            rounds: self.rounds,
        })
    }

    /// Returns a lower bound on the number of positions in the game, without visiting them. The bound does not depend
    /// on the grid.
    ///
    /// Reasons: Alice can lead the debate to every claim. Under prover-estimator rules, Bob has seen all coins of a
    /// round except the last two when he gives the last estimate but one of the round.
    pub fn min_position_count(&self) -> BigUint {
        let sizes = self.instances.iter().map(|(_, instance)| instance.size());
        let is_estimated = self.protocol.protocol_parameters().has_estimator();
        let each = sizes.map(|size| {
            let coins = size.width.saturating_sub(2);
            let seen = BigUint::from(u8::from(is_estimated)) << coins;
            size.claims.clone().max(seen)
        });
        each.max().unwrap_or_default()
    }

    /// Builds the game in sequence form. If `includes_all_moves` is false, leaves out moves that do not affect the
    /// value, and replaces closed subgames by their values.
    ///
    /// # Errors
    /// Returns an error if the game has more positions than the budget allows, if replies cannot be listed, or if a
    /// closed subgame cannot be solved.
    pub fn build_game(
        &self,
        budget: ComputationBudget<'_>,
        includes_all_moves: bool,
    ) -> Result<BuiltSequenceForm, SolveError> {
        let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
        let mut judges = Vec::with_capacity(self.instances.len());
        for (_, instance) in self.instances {
            judges.push(registry.build(self.judge, Seat::Judge, instance, self.protocol)?);
        }
        let mut starts = Vec::with_capacity(self.instances.len());
        for (index, ((share, instance), judge)) in self.instances.iter().zip(&judges).enumerate() {
            starts.push(GameInstance {
                chance: share.clone(),
                instance,
                state: self.protocol.start(instance)?,
                judge: &**judge,
                blocks: self
                    .blocks
                    .map(|blocks| blocks.get(index).copied().unwrap_or(0)),
            });
        }
        let tree = LazyGameTree::new(&starts, self.grid, self.queries);
        let tree = if includes_all_moves {
            tree
        } else {
            tree.without_moves_irrelevant_to_value()
        };
        SequenceFormBuilder::new(tree, self.solver_limits()?, budget).build()
    }

    fn least_truth(
        &self,
        form: &SequenceForm<Exact>,
        safe: &[Exact],
        budget: ComputationBudget<'_>,
    ) -> Result<Option<LeastTruthfulNearOptimalProver>, SolveError> {
        if form.truly.is_none() {
            return Ok(None);
        }
        let lower = &form.prover_payoff_under_best_reply(1, safe);
        let guaranteed = (lower - self.alpha).to_float();
        let found = least_true_plan(&form.float_form(), guaranteed, budget)?;
        let mut plan = form.exact_plan_near_weights(0, &found);
        let mut keeps = form.prover_payoff_under_best_reply(1, &plan);
        // The solver's tolerance may cost more than α. Mixing the plan with the one that guarantees most
        // restores the required guarantee. If α is 0, mixing would leave nothing of the plan, so α becomes
        // the cost.
        let missing = lower - self.alpha - &keeps;
        if *self.alpha > Exact::default() && missing > Exact::default() {
            let share = missing / (lower - &keeps);
            for (weight, safe) in plan.iter_mut().zip(safe) {
                *weight += &share * (safe - &*weight);
            }
            keeps = form.prover_payoff_under_best_reply(1, &plan);
        }
        let probability = form.prover_true_answer_probability(&plan);
        let alpha = self.alpha.max(&(lower - &keeps)).clone();
        Ok(
            probability.map(|probability| LeastTruthfulNearOptimalProver {
                probability,
                keeps,
                alpha,
            }),
        )
    }

    /// Returns the difference between the greatest and the least possible payoff, in the instance in which it is
    /// largest.
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
