//! Bounds on the game's value if the opponent may state any probability, derived from a game with a finite grid of
//! probabilities.
//!
//! An estimate p between two neighbours on the grid is their mean with weights λ. After the coin z of p is thrown, the
//! prover draws a neighbour g: with probability λ_g·g/p if z is 1, and λ_g·(1 − g)/(1 − p) if z is 0. It then continues
//! as if the opponent had given g. The pair (g, z) has the same distribution as if the opponent had drawn g by λ first,
//! which an opponent on the grid may do. The only difference is that rewards are computed with p instead of g.
//! - The reward for the root's coin is the same. A bet r^k·A·(M − p_k) on the chosen claim pays r^k·A·(p_k − g_k) less
//!   than with g. Let h be the widest gap of the grid. The mean of |g − p| is at most h/2 for the root, and |g − p| < h
//!   always.
//! - Assume that the prover knows the instance, that the judge knows the truth, that every step of the grid is h, and
//!   that a round has only leaves. She then chooses and bets by p itself and gets max |e − p| over the leaves, where e
//!   is a leaf's truth, 0 or 1. [`last_round_loss_bound_in_grid_steps`] bounds her loss.

use std::collections::BTreeSet;

use num_traits::{One as _, Zero as _};

use super::optimal::{UnrestrictedDebaterGame, ValueBoundsOnGrid};
use crate::analysis::SolveError;
use crate::expectation::PayoffNotComputedReason;
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _, power, powers};
use debate_core::player::PlayerSpec;
use debate_core::protocol::Protocol;
use debate_core::scenario::{ClaimId, Instance};

/// A lower and an upper bound on the game's value if the opponent may state any probability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueBoundsWithoutGrid {
    pub lower: Exact,
    pub upper: Exact,
    /// The number of probabilities in the grid from which the bounds follow.
    pub points: usize,
}

/// Bounds are narrow enough if their distance is at most this fraction of the range of payoffs.
const NARROW: (i64, i64) = (1, 20);

/// Maximum number of positions of a game on a finer grid. Such a game only improves the bounds.
const MAX_FINER_POSITIONS: u64 = 150_000;

/// Returns bounds on the value for all probabilities, given the bounds `on_grid` for a grid. If they are far apart and
/// the game is small, also solves the game on finer grids. Returns `None` if no opponent gives estimates.
///
/// # Errors
/// Returns an error if the solver fails.
pub(super) fn continuum_bracket(
    game: &UnrestrictedDebaterGame<'_>,
    on_grid: &ValueBoundsOnGrid,
    range: &Exact,
    budget: ComputationBudget<'_>,
) -> Result<Option<ValueBoundsWithoutGrid>, SolveError> {
    let Some(without_bets) = prover_guarantee_without_bets(game) else {
        return Ok(None);
    };
    let mut best = ValueBoundsWithoutGrid {
        lower: without_bets,
        upper: on_grid.upper.clone(),
        points: game.grid.len(),
    };
    let narrow = range * Exact::ratio(NARROW.0, NARROW.1);
    let mut positions = on_grid.positions;
    let mut grid = game.grid.to_vec();
    grid.sort();
    let mut lower = on_grid.lower.clone();
    loop {
        let of_grid = UnrestrictedDebaterGame {
            grid: &grid,
            ..*game
        };
        let Some(loss) = prover_loss_bound_without_grid(&of_grid) else {
            return Ok(Some(best));
        };
        best.lower = best.lower.max(lower - loss);
        best.points = grid.len();
        let growth = 1_u64
            .checked_shl(game.largest_width_of_instances() + 1)
            .unwrap_or(u64::MAX);
        positions = positions.saturating_mul(growth);
        if &best.upper - &best.lower <= narrow || positions > MAX_FINER_POSITIONS {
            return Ok(Some(best));
        }
        grid = with_midpoints(&grid);
        let finer = UnrestrictedDebaterGame {
            grid: &grid,
            ..*game
        };
        let solved =
            match finer.solve_on_grid(budget.with_computation_step_limit(MAX_FINER_POSITIONS)) {
                Ok(solved) => solved,
                // The bracket so far is valid.
                Err(SolveError::Unsolved(PayoffNotComputedReason::Exceeded(_))) => {
                    return Ok(Some(best));
                }
                Err(error) => return Err(error),
            };
        best.upper = best.upper.min(solved.bracket.upper);
        lower = solved.bracket.lower;
        positions = solved.bracket.positions;
    }
}

/// Returns a sorted grid of probabilities, extended by the midpoint between each two neighbours.
fn with_midpoints(grid: &[Exact]) -> Vec<Exact> {
    let midpoints = grid
        .windows(2)
        .map(|pair| (&pair[0] + &pair[1]) * Exact::ratio(1, 2));
    let mut finer: Vec<Exact> = grid.iter().cloned().chain(midpoints).collect();
    finer.sort();
    finer
}

/// Returns the payoff that a prover gets against every opponent by answering at random and never betting: r^(d+1)/2.
/// `None` if no opponent gives estimates.
pub(super) fn prover_guarantee_without_bets(game: &UnrestrictedDebaterGame<'_>) -> Option<Exact> {
    if !game.protocol.protocol_parameters().has_estimator() {
        return None;
    }
    let ratio = game.protocol.weight_ratio_if_constant()?;
    let of_instance = |(chance, instance): &(Exact, Instance)| {
        chance * power(&ratio, instance.size().depth + 1) * Exact::ratio(1, 2)
    };
    Some(game.instances.iter().map(of_instance).sum())
}

/// Returns an upper bound on the amount that the prover loses if the opponent may state all probabilities, not only
/// those of a grid. `None` if the rules are not prover-estimator debate, if the grid lacks 0 or 1, or if steps can be
/// disputed.
pub fn prover_loss_bound_without_grid(game: &UnrestrictedDebaterGame<'_>) -> Option<Exact> {
    let ratio = game.protocol.weight_ratio_if_constant()?;
    let mut grid = game.grid.to_vec();
    grid.sort();
    let disputed = match game.protocol {
        Protocol::ProverEstimator(own) => own.warrants.allows_support_disputes(),
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
        let share = if steps.len() == 1 && ends_known(game, instance) {
            last_round_loss_bound_in_grid_steps(size.width)
        } else {
            Exact::one()
        };
        Some(leaf * share + between.iter().sum::<Exact>() + own)
    };
    let each: Vec<Exact> = game.instances.iter().map(loss).collect::<Option<_>>()?;
    Some(each.into_iter().max()? * steps.last()?)
}

/// The largest width for which [`last_round_loss_bound_in_grid_steps`] is computed. The length of its fractions doubles
/// with each leaf.
const MAX_SHARE_WIDTH: u32 = 12;

/// Returns an upper bound on the loss, in a round of `width` leaves, of a prover who knows the instance. The loss is
/// caused by the estimates' grid, and its unit is the grid's step h. The bound is a_width, with a_1 = 0 and a_(n+1) =
/// ((1 + a_n)/2)². For more than 12 leaves, returns 1, which is always a bound.
///
/// With the real numbers she gets max |e − p|; with numbers g of the grid it would be max |e − g|. Each |e − g| is h·k
/// or h·(k + 1), and only leaves of the greatest k matter. Let μ be the probability of the upper number, and m this
/// probability after the leaf's coin, whose mean is μ. The loss is h·(1 − Π(1 − m) − max μ). Bob chooses each μ after
/// the earlier coins. What he can still reach is a maximum over μ of a mean over m. It is convex in the product of the
/// 1 − m so far, so no coin is worse for Alice than one that gives m = 1 with probability μ, and m = 0 otherwise. If m
/// is 1, the loss is at most h·(1 − μ). Otherwise the product stays the same, and he can reach no more than with a
/// fresh round of one leaf less. Hence a_(n+1) is at most the maximum of μ·(1 − μ) + (1 − μ)·a_n, at μ = (1 − a_n)/2.
pub fn last_round_loss_bound_in_grid_steps(width: u32) -> Exact {
    if width > MAX_SHARE_WIDTH {
        return Exact::one();
    }
    (1..width).fold(Exact::zero(), |share, _| {
        power(&((Exact::one() + share) * Exact::ratio(1, 2)), 2)
    })
}

/// True if the prover knows how each last round ends: it knows the instance, a round's subclaims are all leaves or all
/// not, no leaf reads proof bits, and the judge is always right about leaves.
fn ends_known(game: &UnrestrictedDebaterGame<'_>, instance: &Instance) -> bool {
    let blocks: BTreeSet<usize> = game.blocks[0].iter().copied().collect();
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
            || instance.proof_bits_read_by_leaf(claim).is_empty()
                && truth.is_some()
                && verdict == truth
    };
    let oracle = PlayerSpec::without_arguments("oracle");
    let mut claims = instance.claim_and_descendants(instance.root());
    blocks.len() == game.instances.len()
        && *game.judge == oracle
        && claims.all(|claim| is_known(claim) && knows(claim))
}
