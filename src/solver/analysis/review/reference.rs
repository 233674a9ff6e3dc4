//! The reference estimator of one debate, with which hints and reviews compare a player's estimates.

use crate::expectation::PayoffNotComputedReason;
use debate_core::number::Exact;
pub use debate_core::player::prover_estimator::ReferenceEstimateBasis;
use debate_core::player::prover_estimator::{self, EstimateQuery, Estimator as _};
use debate_core::protocol::{PendingTurn, ProverEstimatorDebate, Seat, State, View};
use debate_core::scenario::{BlindReader, Instance, OpponentEvidenceVisibility, PossibleCaseCount};

/// An estimate of the reference estimator, with its posterior.
pub type ReferenceEstimate = prover_estimator::ReferenceEstimate<Exact>;

/// The reference estimator for the debate's instance, with the knowledge of the opponent's seat.
pub(super) struct ReferenceEstimator<'i>(prover_estimator::ReferenceEstimator<'i>);

impl<'i> ReferenceEstimator<'i> {
    /// Builds the reference estimator, with the knowledge of the opponent's seat.
    pub(super) fn new(instance: &'i Instance) -> Self {
        let blind = BlindReader::belief_reader_for_seat(instance, Seat::Opponent.seat_index());
        Self(prover_estimator::ReferenceEstimator::new(blind))
    }

    /// Returns the reference estimator's estimate for the pending request.
    ///
    /// # Errors
    /// Returns an error if the request is not for a probability.
    pub(super) fn estimate(
        &self,
        state: &State<'i, Exact>,
        turn: &PendingTurn<Exact>,
    ) -> Result<ReferenceEstimate, PayoffNotComputedReason> {
        let view: Option<View<'_, ProverEstimatorDebate<'i, Exact>>> =
            View::new(state, turn.seat).under();
        let (Some(view), Some(asked)) = (view, EstimateQuery::of(&turn.request)) else {
            return Err(PayoffNotComputedReason::NoReply(turn.seat));
        };
        if view.is_opponent_disputing_support() {
            // A probability about a disputed step is not an estimate of a round.
            let p = self.0.doubt(asked.claim).unwrap_or_default();
            let basis = ReferenceEstimateBasis::EvenShare;
            return Ok(ReferenceEstimate {
                p,
                basis,
                posterior: None,
            });
        }
        Ok(self.0.reference(view, asked))
    }
}

impl<'i> ReferenceEstimator<'i> {
    /// Returns the equally likely cases of which the posterior for the pending request is a proportion; `None` if there
    /// are none.
    pub(super) fn possible_cases(
        &self,
        state: &State<'i, Exact>,
        turn: &PendingTurn<Exact>,
    ) -> Option<PossibleCaseCount> {
        let view: Option<View<'_, ProverEstimatorDebate<'i, Exact>>> =
            View::new(state, turn.seat).under();
        let view = view.filter(|view| !view.is_opponent_disputing_support())?;
        self.0
            .possible_cases(view, EstimateQuery::of(&turn.request)?)
    }
}

impl<'i> ReferenceEstimator<'i> {
    /// True if the posterior for the pending request is conditioned on coins.
    pub(super) fn is_given_coins(
        &self,
        state: &State<'i, Exact>,
        turn: &PendingTurn<Exact>,
    ) -> bool {
        let view: Option<View<'_, ProverEstimatorDebate<'i, Exact>>> =
            View::new(state, turn.seat).under();
        let view = view.filter(|view| !view.is_opponent_disputing_support());
        let (Some(view), Some(asked)) = (view, EstimateQuery::of(&turn.request)) else {
            return false;
        };
        self.0.is_given_coins(view, asked)
    }
}

/// The posterior probabilities of claims, given the knowledge of the opponent's seat. Estimates are compared with them
/// if the seat reads no evidence.
pub struct ClaimPosteriorsGivenOpponentKnowledge<'i>(ReferenceEstimator<'i>);

impl<'i> ClaimPosteriorsGivenOpponentKnowledge<'i> {
    /// Builds the posterior for the opponent's seat. `None` if this seat reads evidence, because no prior describes the
    /// evidence.
    pub fn new(instance: &'i Instance) -> Option<Self> {
        opponent_reads_no_evidence(instance).then(|| Self(ReferenceEstimator::new(instance)))
    }

    /// Returns the posterior probability of the requested claim. `None` if the seat has no prior over several
    /// instances, or if the request is not for an estimate of a round.
    pub fn posterior_of_claim_of_request(
        &self,
        state: &State<'i, Exact>,
        turn: &PendingTurn<Exact>,
    ) -> Option<Exact> {
        self.0.estimate(state, turn).ok()?.posterior
    }
}

/// True if the opponent's seat reads no evidence.
pub(super) fn opponent_reads_no_evidence(instance: &Instance) -> bool {
    instance.opponent_sees() != OpponentEvidenceVisibility::Evidence
}
