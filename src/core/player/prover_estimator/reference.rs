//! The reference estimator: its estimates are recommended by hints, and reviews compare a player's estimates with them.

use std::ops::RangeInclusive;

use super::estimators::{
    EvenDoubtSplitEstimator, LeafPropagatingEstimator, at_most_half, certain_estimate,
};
use super::{EstimateQuery, Estimator, PeView};
use crate::number::Number;
use crate::player::ReplyDistribution;
use crate::scenario::{BlindReader, CarefulReaderEstimate, ClaimId, PossibleCaseCount};

/// The knowledge from which the reference estimator derives its estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceEstimateBasis {
    /// The posterior over the instances that the estimator's seat cannot tell apart.
    Posterior,
    /// The stated estimates of the leaves, which are treated as independent.
    LeafEstimates,
    /// No knowledge: the claim's doubt is divided evenly among its subclaims.
    EvenShare,
}

/// An estimate that the reference estimator gives.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceEstimate<N> {
    /// The reference estimator's final estimate: the posterior or other basis, moved to the nearest number that is
    /// consistent with the round's earlier estimates.
    pub p: N,
    pub basis: ReferenceEstimateBasis,
    /// The posterior probability on which the estimate is based, before it is moved to a consistent number. `None` if
    /// the estimate is not based on a posterior.
    pub posterior: Option<N>,
}

/// The reference estimator. It uses only the knowledge of its seat. With a prior over several instances, it gives the
/// posterior. The posterior is conditioned on the coins of this round and on the coins before each claim that was
/// chosen in an earlier round. If a cheap test decides the root, the root's estimate is 0 or 1 instead. Without a
/// prior, it treats the stated estimates of the leaves as independent. Without these, or if the prior excludes the
/// coins, it shares doubt evenly. The estimator moves each number to the nearest one that is consistent with the round
/// so far; not for the root, and not for a claim alone.
#[derive(Clone, Debug)]
pub struct ReferenceEstimator<'a> {
    blind: BlindReader<'a>,
    basis: ReferenceEstimateBasis,
    leaves: Option<LeafPropagatingEstimator>,
}

/// True if the scenario states an estimate of some leaf.
fn has_leaf_estimates(blind: &BlindReader<'_>) -> bool {
    blind.claims().any(|claim| {
        blind.supports(claim).is_empty()
            && matches!(blind.estimate(claim), CarefulReaderEstimate::Stated(_))
    })
}

impl<'a> ReferenceEstimator<'a> {
    /// Creates the reference estimator for a seat that knows what `blind` knows.
    pub fn new(blind: BlindReader<'a>) -> Self {
        // The estimates of the leaves are not propagated if there are too many claims.
        let leaves =
            if !blind.has_belief_over_instances_or_flaw_places() && has_leaf_estimates(&blind) {
                LeafPropagatingEstimator::new(&blind)
            } else {
                None
            };
        let basis = if blind.has_belief_over_instances_or_flaw_places() {
            ReferenceEstimateBasis::Posterior
        } else if leaves.is_some() {
            ReferenceEstimateBasis::LeafEstimates
        } else {
            ReferenceEstimateBasis::EvenShare
        };
        Self {
            blind,
            basis,
            leaves,
        }
    }

    /// Returns the reference estimate of a claim, with the kind of knowledge on which it is based.
    pub fn reference<N: Number>(
        &self,
        view: PeView<'_, '_, N>,
        asked: EstimateQuery,
    ) -> ReferenceEstimate<N> {
        let even = || {
            let p = EvenDoubtSplitEstimator(self.blind.clone()).even(view, asked);
            (p, ReferenceEstimateBasis::EvenShare)
        };
        let (p, basis) = match (&self.leaves, self.basis) {
            (_, ReferenceEstimateBasis::Posterior) => match self.posterior(view, asked) {
                Some(p) => (p, ReferenceEstimateBasis::Posterior),
                // The numbers of another player can lead to outcomes that the prior excludes.
                None => even(),
            },
            (Some(leaves), _) => (leaves.of(asked.claim), self.basis),
            (None, _) => even(),
        };
        let is_in_round = asked.place.is_some() && !asked.alone;
        let consistent = is_in_round.then(|| view.consistency().consistent_estimate_range());
        ReferenceEstimate {
            posterior: (basis == ReferenceEstimateBasis::Posterior).then(|| p.clone()),
            p: clamped(p, consistent),
            basis,
        }
    }

    fn posterior<N: Number>(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> Option<N> {
        if asked.place.is_none() {
            let test = self.blind.cheap_root_test_result().map(N::indicator);
            return test.or_else(|| {
                self.blind
                    .posterior_if_possible(asked.claim, std::iter::empty())
            });
        }
        let earlier = view
            .earlier_coins_before_selected_estimates()
            .iter()
            .copied();
        if asked.alone {
            return self.blind.posterior_if_possible(asked.claim, earlier);
        }
        self.blind
            .posterior_if_possible(asked.claim, earlier.chain(view.tossed_subclaims()))
    }

    /// True if the posterior is conditioned on coins: those of earlier subclaims of this round, or those before each
    /// claim that was chosen in an earlier round.
    pub fn is_given_coins<N: Number>(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> bool {
        let has_earlier = !view.earlier_coins_before_selected_estimates().is_empty();
        self.basis == ReferenceEstimateBasis::Posterior
            && asked.place.is_some()
            && (has_earlier || (!asked.alone && view.tossed_subclaims().next().is_some()))
    }

    /// Returns the number of equally likely cases, if the posterior is the proportion of these cases in which the claim
    /// is true. `None` without a posterior, or if it is not such a proportion.
    pub fn possible_cases<N: Number>(
        &self,
        view: PeView<'_, '_, N>,
        asked: EstimateQuery,
    ) -> Option<PossibleCaseCount> {
        if self.basis != ReferenceEstimateBasis::Posterior {
            return None;
        }
        if asked.place.is_none() {
            return self.blind.possible_cases(std::iter::empty());
        }
        let earlier = view
            .earlier_coins_before_selected_estimates()
            .iter()
            .copied();
        if asked.alone {
            return self.blind.possible_cases(earlier);
        }
        self.blind
            .possible_cases(earlier.chain(view.tossed_subclaims()))
    }
}

fn clamped<N: Number>(p: N, range: Option<RangeInclusive<N>>) -> N {
    match range.map(RangeInclusive::into_inner) {
        Some((from, _)) if from.exceeds(&p) => from,
        Some((_, to)) if p.exceeds(&to) => to,
        _ => p,
    }
}

impl<N: Number> Estimator<N> for ReferenceEstimator<'_> {
    fn uses_earlier_coins(&self) -> bool {
        self.basis == ReferenceEstimateBasis::Posterior
    }

    fn knowledge_key(&self) -> Option<Vec<u64>> {
        match self.basis {
            ReferenceEstimateBasis::Posterior => self.blind.belief_key(),
            ReferenceEstimateBasis::LeafEstimates | ReferenceEstimateBasis::EvenShare => None,
        }
    }

    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        certain_estimate(self.reference(view, asked).p)
    }

    fn doubt(&self, warrant: ClaimId) -> Option<N> {
        // Without a prior, the "marginal" of a single world is the truth, which the seat does not know.
        if self.basis != ReferenceEstimateBasis::Posterior {
            return None;
        }
        at_most_half(self.blind.marginal(warrant))
    }
}
