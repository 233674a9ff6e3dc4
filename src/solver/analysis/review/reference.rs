//! The reference estimator: the numbers that hints recommend and reviews compare with.
//!
//! It uses only the knowledge of the estimator's seat. With a prior over several worlds, it gives the posterior. With
//! stated estimates of the leaves, it propagates these as if the leaves were independent. Otherwise it shares doubt
//! evenly. The result is moved to the nearest number that is consistent with the round so far.

use std::ops::RangeInclusive;

use crate::expectation::Unsolved;
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::{BuildError, Choice, PlayableStrategy, PolicyState, Registry, Spec};
use debate_core::protocol::prover_estimator::Carry;
use debate_core::protocol::{Log, Protocol, ProverEstimator, Reply, Seat, State, Turn, View};
use debate_core::scenario::{Blind, Estimate, Instance};

/// The knowledge from which the reference estimator derives its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceBasis {
    /// The posterior over the worlds that the seat cannot tell apart.
    Posterior,
    /// The stated estimates of the leaves, as if independent.
    LeafEstimates,
    /// No knowledge: doubt is shared evenly.
    EvenShare,
}

/// A number of the reference estimator.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceEstimate {
    /// The number, consistent with the round so far.
    pub p: Exact,
    pub basis: ReferenceBasis,
}

/// The reference estimator of one instance.
pub(super) struct ReferenceEstimator<'i> {
    blind: Blind<'i>,
    basis: ReferenceBasis,
    /// True if a round continues with the probability given the coins of elder siblings.
    conditional: bool,
    leaves: Option<PlayableStrategy<'i, Exact>>,
    even: PlayableStrategy<'i, Exact>,
}

/// True if a leaf below the root has a stated estimate.
fn has_leaf_estimates(blind: &Blind<'_>) -> bool {
    blind.claims().any(|claim| {
        blind.supports(claim).is_empty() && matches!(blind.estimate(claim), Estimate::Stated(_))
    })
}

impl<'i> ReferenceEstimator<'i> {
    /// Builds the estimator for the opponent's seat.
    ///
    /// # Errors
    /// Returns an error if the even share cannot be built, or if the budget is exceeded.
    pub(super) fn new(
        instance: &'i Instance,
        protocol: &Protocol,
        registry: &Registry<Exact>,
        plays: &[Spec; 3],
        budget: Budget<'_>,
    ) -> Result<Self, BuildError> {
        let build = |name: &str| {
            let mut table = plays.clone();
            table[Seat::Opponent.index()] = Spec::named(name);
            registry.build_at(&table, Seat::Opponent, instance, protocol, budget)
        };
        let blind = Blind::of_seat(instance, Seat::Opponent.index());
        let even = build("even")?;
        // `coherent` cannot be built if there are too many claims.
        let leaves = if !blind.has_prior() && has_leaf_estimates(&blind) {
            build("coherent").ok()
        } else {
            None
        };
        let basis = if blind.has_prior() {
            ReferenceBasis::Posterior
        } else if leaves.is_some() {
            ReferenceBasis::LeafEstimates
        } else {
            ReferenceBasis::EvenShare
        };
        let conditional = match protocol {
            Protocol::ProverEstimator(parameters) => parameters.carry == Carry::Conditional,
            _ => false,
        };
        Ok(Self {
            blind,
            basis,
            conditional,
            leaves,
            even,
        })
    }

    /// Ignores all knowledge from now on.
    pub(super) fn share_evenly(&mut self) {
        self.basis = ReferenceBasis::EvenShare;
        self.leaves = None;
    }

    /// Returns the number for the pending request, after the events of `log`.
    ///
    /// # Errors
    /// Returns an error if the request is not for a probability.
    pub(super) fn estimate(
        &self,
        state: &State<'i, Exact>,
        log: &Log<Exact>,
        turn: &Turn<Exact>,
    ) -> Result<ReferenceEstimate, Unsolved> {
        let even = || Self::of_strategy(&self.even, state, turn);
        let view: Option<View<'_, ProverEstimator<'i, Exact>>> =
            View::new(state, turn.seat).under();
        if view.is_some_and(|view| view.is_disputing()) {
            // A doubt about a step belongs to no round of estimates.
            let (p, basis) = (even()?, ReferenceBasis::EvenShare);
            return Ok(ReferenceEstimate { p, basis });
        }
        let (p, basis) = match (&self.leaves, self.basis) {
            (_, ReferenceBasis::Posterior) => match self.posterior(log, turn) {
                Some(p) => (p, ReferenceBasis::Posterior),
                // The numbers of another player can lead to outcomes that the prior excludes.
                None => (even()?, ReferenceBasis::EvenShare),
            },
            (Some(leaves), _) => (Self::of_strategy(leaves, state, turn)?, self.basis),
            (None, _) => (even()?, ReferenceBasis::EvenShare),
        };
        let consistent = state.consistency().map(|round| round.consistent_range());
        Ok(ReferenceEstimate {
            p: clamped(p, consistent),
            basis,
        })
    }

    fn of_strategy(
        strategy: &PlayableStrategy<'i, Exact>,
        state: &State<'i, Exact>,
        turn: &Turn<Exact>,
    ) -> Result<Exact, Unsolved> {
        let view = View::new(state, turn.seat);
        let choice = strategy.choose(view, &turn.request, &mut PolicyState::default());
        let each = choice.and_then(Choice::each).unwrap_or_default();
        match each.into_iter().next() {
            Some((_, Reply::Probability(p))) => Ok(p),
            _ => Err(Unsolved::NoReply(turn.seat)),
        }
    }

    fn posterior(&self, log: &Log<Exact>, turn: &Turn<Exact>) -> Option<Exact> {
        let claim = turn.request.claim()?;
        if turn.request.place().is_none() {
            let test = self.blind.cheap_test().map(Exact::indicator);
            return test.or_else(|| self.blind.chance(claim, std::iter::empty()));
        }
        let given = log.coins_before_estimate(self.conditional, turn.request.is_conditional());
        self.blind.chance(claim, given.iter().copied())
    }
}

fn clamped(p: Exact, range: Option<RangeInclusive<Exact>>) -> Exact {
    match range.map(RangeInclusive::into_inner) {
        Some((from, _)) if p < from => from,
        Some((_, to)) if p > to => to,
        _ => p,
    }
}
