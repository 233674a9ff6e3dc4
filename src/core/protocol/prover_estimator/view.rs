//! The views of prover-estimator debate: the state of the debate as each seat may see it.

use super::{ProverEstimatorDebate, Step};
use crate::gate::EstimateConsistency;
use crate::number::Number;
use crate::protocol::{Bet, Rules as _, Seat, View};
use crate::scenario::{ClaimId, Support};

/// The state of the debate as a seat sees it. Every seat sees everything, but only the prover sees the answer and the
/// bet while these are sealed.
impl<'v, 'a, N: Number> View<'v, ProverEstimatorDebate<'a, N>> {
    /// Returns ŷ_k, the claim under discussion.
    #[inline]
    pub fn claim_under_discussion(&self) -> ClaimId {
        self.rules.claim
    }

    /// Returns p_k, the estimate of the claim under discussion.
    #[inline]
    pub fn claim_probability(&self) -> &'v N {
        &self.rules.p
    }

    /// Returns p_d, the estimate of the root claim.
    #[inline]
    pub fn root_claim_estimate(&self) -> &'v N {
        &self.rules.root_p
    }

    /// True if the opponent has disputed a step and must now state the probability that the claim follows from its
    /// subclaims.
    #[inline]
    pub fn is_opponent_disputing_support(&self) -> bool {
        self.rules.step == Step::Doubt
    }

    /// True if the claim under discussion is a warrant: the claim that a disputed step from subclaims to claim is
    /// valid.
    #[inline]
    pub fn is_warrant_of_disputed_step(&self) -> bool {
        self.rules.warrant == Some(self.rules.claim)
    }

    /// Returns ε.
    #[inline]
    pub fn epsilon(&self) -> &'v N {
        &self.rules.terms.epsilon
    }

    /// Returns the round k.
    #[inline]
    pub fn round(&self) -> u32 {
        self.rules.round
    }

    /// Returns d, the number of the first round.
    #[inline]
    pub fn first_round_number(&self) -> u32 {
        self.rules.terms.depth
    }

    /// Returns the prover's answer to the root claim, which is hidden from the other seats until the root's coin is
    /// tossed. `None` if it is hidden or not given yet.
    #[inline]
    pub fn visible_root_answer(&self) -> Option<bool> {
        let open = !matches!(self.rules.step, Step::RootProbability | Step::RootCoin);
        (open || self.seat == Seat::Prover).then(|| self.rules.answer())?
    }

    /// Returns the prover's bet of this round. Unless bets are public, it is hidden from other seats until the round's
    /// reward is paid. `None` if it is hidden or not placed yet.
    pub fn visible_bet(&self) -> Option<Bet> {
        let placed = !matches!(
            self.rules.step,
            Step::Answer | Step::RootProbability | Step::RootCoin | Step::Direction
        );
        let open = matches!(self.rules.step, Step::Select | Step::Over)
            || !self.rules.terms.sealed_bets
            || self.seat == Seat::Prover;
        (placed && open).then_some(self.rules.bet)
    }

    /// Returns the available supports of the claim under discussion.
    #[inline]
    pub fn available_supports(&self) -> &'a [Support] {
        self.rules.offered
    }

    /// Returns the support that the prover chose last; a support without subclaims before the first choice.
    #[inline]
    pub fn last_chosen_support_or_empty(&self) -> &'a Support {
        self.rules.chosen
    }

    /// Returns the subclaims of this round whose coins have been tossed, each with the coin's outcome.
    #[inline]
    pub fn tossed_subclaims(&self) -> impl Iterator<Item = (ClaimId, bool)> + Clone + 'v {
        self.rules
            .chosen
            .on
            .iter()
            .copied()
            .zip(self.rules.coins.iter().copied())
    }

    /// Returns the coins of earlier rounds that were tossed before the chosen subclaim's estimate, on which this
    /// estimate depends. Empty if separate estimates, which ignore coins, start the next round.
    #[inline]
    pub fn earlier_coins_before_selected_estimates(&self) -> &'v [(ClaimId, bool)] {
        &self.rules.earlier_coins
    }

    /// Returns the consistency of this round's estimates, given its coins, with p_k, the estimate of the round's claim.
    pub fn consistency(&self) -> EstimateConsistency<N> {
        self.rules.estimates()
    }

    /// Returns a probability for each subclaim estimated so far. If the prover selects a subclaim, its probability
    /// becomes p_{k−1}, the next round's estimate.
    #[inline]
    pub fn next_round_estimate_per_subclaim(&self) -> &'v [N] {
        self.rules.carried_probabilities()
    }
}
