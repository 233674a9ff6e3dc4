//! The views of the seats in prover-estimator debate.

use super::{ProverEstimator, Step};
use crate::gate::Consistency;
use crate::number::Number;
use crate::protocol::{Bet, Rules as _, Seat, View};
use crate::scenario::{ClaimId, Support};

/// The state of the debate that both debaters see, except the answer and the bet while these are sealed.
impl<'v, 'a, N: Number> View<'v, ProverEstimator<'a, N>> {
    /// Returns ŷ_k, the claim under discussion.
    #[inline]
    pub fn claim(&self) -> ClaimId {
        self.rules.claim
    }

    /// Returns p_k, the probability given for the claim under discussion.
    #[inline]
    pub fn claim_probability(&self) -> &'v N {
        &self.rules.p
    }

    /// Returns p_d, the probability given for the root.
    #[inline]
    pub fn root_probability(&self) -> &'v N {
        &self.rules.root_p
    }

    /// True if the opponent has disputed a step and must give the probability that it follows.
    #[inline]
    pub fn is_disputing_step(&self) -> bool {
        self.rules.step == Step::Doubt
    }

    /// True if the claim under discussion is the warrant of a step that was disputed.
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

    /// Returns the answer to the root claim; hidden from the opponent until the root's coin has been tossed.
    #[inline]
    pub fn visible_root_answer(&self) -> Option<bool> {
        let open = !matches!(self.rules.step, Step::RootProbability | Step::RootCoin);
        (open || self.seat == Seat::Prover).then(|| self.rules.answer())?
    }

    /// Returns the prover's bet of this round; hidden from other seats until its reward, unless bets are public.
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

    /// Returns the support chosen in this round.
    #[inline]
    pub fn chosen_support(&self) -> &'a Support {
        self.rules.chosen
    }

    /// Returns the subclaims of this round whose coins have been tossed, with the outcomes.
    #[inline]
    pub fn tossed_subclaims(&self) -> impl Iterator<Item = (ClaimId, bool)> + Clone + 'v {
        self.rules
            .chosen
            .on
            .iter()
            .copied()
            .zip(self.rules.coins.iter().copied())
    }

    /// Returns the coins that were tossed, in earlier rounds, before the subclaims chosen there. Empty if separate
    /// estimates are carried.
    #[inline]
    pub fn earlier_coins(&self) -> &'v [(ClaimId, bool)] {
        &self.rules.earlier_coins
    }

    /// Returns the estimates of this round given its coins, compared with p_k.
    pub fn consistency(&self) -> Consistency<N> {
        self.rules.estimates()
    }

    /// Returns one probability for each subclaim estimated so far. The selected subclaim's probability becomes p_{k−1}.
    #[inline]
    pub fn carried_probabilities(&self) -> &'v [N] {
        self.rules.carried_probabilities()
    }
}
