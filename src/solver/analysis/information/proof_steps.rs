//! Splits the rewards of prover-estimator debate by the steps of the soundness proof (PE Lemma A.4).
//!
//! Let g be the truth, ŷ the claim of a round, z the coins of its subclaims, and ẑ the coin for ŷ itself from
//! one round earlier. A bet pays
//!
//! r^k A (M(z) − p) = r^k A [(M(z) − M(g)) + (M(g) − g(ŷ)) + (g(ŷ) − p)].
//!
//! The mean of the first part is the advantage of the round's test (6). The mean of the second part is 0 if claims
//! follow from their subclaims. The proof replaces the mean of the third part by the advantage of the test (8): the
//! mean of r^k A ẑ over coins that show the truth, minus its mean over Bob's coins. In that test, the prover continues
//! and bets after coins that show the truth. The difference is the step of equation (9). To compute it, the search
//! follows the debate a second time from each round, with coins that show the truth, up to the next bet. If Bob gives
//! the truth probability 0, or if no debate reaches this point, no such bet is recorded.

use debate_core::number::{Number, to_u32_saturating};
use debate_core::protocol::{Bet, Event, EventSink, ReplySeal, Reward, Seat};
use debate_core::scenario::{BitId, ClaimId, Instance};

/// A step of the soundness proof (PE Lemma A.4), which accounts for part of a debate's payoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoundnessProofStep {
    /// The prize r^(d+1) for a true answer: the part of the payoff if the root's coin shows the truth.
    Answer,
    /// The advantage of the test that distinguishes the root claim's coin from its truth (PE equation 5).
    RootTest,
    /// The part caused by an unsound support: its gate over the subclaims' truths differs from the truth of the claim.
    Unsound,
    /// The part caused by the oracle: its answer for a leaf is wrong, given the proof bits that the prover wrote.
    Oracle,
    /// The part caused by wrong proof bits: the check of a leaf with the prover's bits differs from the leaf's truth
    /// (PE equation 10).
    Bits,
    /// The part caused by the prover's reaction to coins. The prover continues and bets differently after the actual
    /// coins than after coins that show the truth (PE equation 9).
    Swap,
    /// The advantage of a test of round k that distinguishes coins from the truth. The test uses the claim with which
    /// the prover continues (PE equation 8).
    SelectionTest(u32),
    /// The advantage of a test of round k that distinguishes coins from the truth. The test uses the gate of the
    /// round's support (PE equation 6).
    GateTest(u32),
}

impl SoundnessProofStep {
    /// Returns all steps of the soundness proof for a debate of depth d, in the order of their indices.
    pub fn soundness_proof_steps_of_depth(depth: u32) -> Vec<Self> {
        let first = [
            Self::Answer,
            Self::RootTest,
            Self::Unsound,
            Self::Oracle,
            Self::Bits,
            Self::Swap,
        ];
        let selections = (0..=depth).map(Self::SelectionTest);
        let gates = (1..=depth).map(Self::GateTest);
        first.into_iter().chain(selections).chain(gates).collect()
    }

    /// True if the step is the advantage of a test that distinguishes Bob's estimates from the truth.
    pub fn is_estimator_test_proof_step(self) -> bool {
        matches!(
            self,
            Self::RootTest | Self::SelectionTest(_) | Self::GateTest(_)
        )
    }

    fn index(self, depth: u32) -> usize {
        let place = match self {
            Self::Answer => 0,
            Self::RootTest => 1,
            Self::Unsound => 2,
            Self::Oracle => 3,
            Self::Bits => 4,
            Self::Swap => 5,
            Self::SelectionTest(k) => 6 + k,
            Self::GateTest(k) => 6 + depth + k,
        };
        place as usize
    }
}

/// The facts of a debate so far that determine how the next reward is split among the steps of the soundness proof.
#[derive(Clone, Debug, Default)]
pub(super) struct ProofStepSplitFacts {
    claim: Option<ClaimId>,
    /// ẑ of the proof: the coin that was thrown for the claim in the previous round.
    coin: bool,
    /// The coins of this round.
    coins: Vec<bool>,
    /// M(g) of the proof: the value of the chosen support's gate for the true values of the subclaims.
    gate: bool,
    /// The proof bits that the prover wrote for the current leaf.
    bits: Vec<(BitId, bool)>,
    course: HistoryKind,
}

/// The type of a followed history: actual or hypothetical.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HistoryKind {
    #[default]
    Actual,
    /// A hypothetical history in which the coins of one round show the truth. It lasts until the next bet.
    Truth,
    /// A hypothetical history in which coins showed the truth and Alice has then made her next bet. Later rewards do
    /// not matter.
    Over,
}

impl ProofStepSplitFacts {
    /// Returns a number for the search's table key of a history at the start of a round. It is equal if later rewards
    /// are split among the proof's steps in the same way.
    pub(super) fn history_key_part(&self) -> u64 {
        2 * self.course as u64 + u64::from(self.coin)
    }

    /// True if the coins of this history show the truth.
    pub(super) fn history_coins_equal_truths(&self) -> bool {
        self.course == HistoryKind::Truth
    }

    /// True if the soundness proof ignores all later rewards of this history: a hypothetical one in which coins showed
    /// the truth and Alice has then made her next bet.
    pub(super) fn does_proof_ignore_later_rewards(&self) -> bool {
        self.course == HistoryKind::Over
    }

    /// True if no coin of the current round has been thrown.
    pub(super) fn is_before_coins(&self) -> bool {
        self.coins.is_empty()
    }

    /// Returns a copy of these facts for the hypothetical history in which the current round's coins show the truth.
    pub(super) fn with_coins_showing_truth(&self) -> Self {
        Self {
            course: HistoryKind::Truth,
            ..self.clone()
        }
    }
}

/// An event sink that splits each reward of a debate by the steps of the soundness proof.
pub(super) struct SoundnessProofRewardSplitter<'s, N> {
    pub(super) instance: &'s Instance,
    /// r^0 … r^d.
    pub(super) weights: &'s [N],
    pub(super) trace: &'s mut ProofStepSplitFacts,
    /// The parts of the rewards, each with the index of its proof step.
    pub(super) parts: Vec<(usize, N)>,
}

impl<N: Number> SoundnessProofRewardSplitter<'_, N> {
    /// Returns the truth of a claim. The caller ensures that all truths are known.
    fn truth(&self, claim: Option<ClaimId>) -> bool {
        claim.and_then(|claim| self.instance.truth(claim)) == Some(true)
    }

    /// Returns the result of a leaf's check for the proof bits that the prover wrote; `None` if there is no check.
    fn checked(&self, claim: Option<ClaimId>) -> Option<bool> {
        let leaf = claim?;
        let given = |wanted: &BitId| {
            let mut given = self.trace.bits.iter();
            given.any(|(bit, value)| bit == wanted && *value)
        };
        let bits: Vec<bool> = self
            .instance
            .proof_bits_read_by_leaf(leaf)
            .iter()
            .map(given)
            .collect();
        self.instance.evaluate_leaf_check(leaf, &bits)
    }

    fn part(&mut self, step: SoundnessProofStep, amount: N) {
        if !amount.is_zero() {
            let depth = to_u32_saturating(self.weights.len().saturating_sub(1));
            self.parts.push((step.index(depth), amount));
        }
    }

    /// Records Alice's bet in a hypothetical history whose coins show the truth.
    fn bet(&mut self, round: u32, bet: Bet, claim: ClaimId) {
        self.trace.course = HistoryKind::Over;
        let Some(weight) = self.weights.get(round as usize) else {
            return;
        };
        let paid = bet.times(weight.clone() * N::indicator(self.truth(Some(claim))));
        self.part(SoundnessProofStep::SelectionTest(round), paid.clone());
        self.part(SoundnessProofStep::Swap, -paid);
    }

    fn pay(&mut self, reward: &Reward<N>) {
        let one = |holds: bool| N::indicator(holds);
        match reward {
            Reward::Agreement {
                weight,
                coin,
                answer,
                ..
            } => {
                let truth = self.truth(Some(self.instance.root()));
                let right = one(truth == *answer);
                let more = one(coin == answer) - right.clone();
                self.part(SoundnessProofStep::Answer, weight.clone() * right);
                self.part(SoundnessProofStep::RootTest, weight.clone() * more);
            }
            Reward::Bet {
                round,
                weight,
                bet,
                outcome,
                judged,
                p,
                ..
            } => {
                let truth = one(self.truth(self.trace.claim));
                let coin = one(self.trace.coin);
                let paid = |amount: N| bet.times(weight.clone() * amount);
                let outcome = one(*outcome);
                let first = if *judged {
                    let checked = self
                        .checked(self.trace.claim)
                        .map_or_else(|| truth.clone(), one);
                    [
                        (SoundnessProofStep::Oracle, outcome - checked.clone()),
                        (SoundnessProofStep::Bits, checked - truth.clone()),
                    ]
                } else {
                    let gate = one(self.trace.gate);
                    [
                        (SoundnessProofStep::GateTest(*round), outcome - gate.clone()),
                        (SoundnessProofStep::Unsound, gate - truth.clone()),
                    ]
                };
                let last = [
                    (SoundnessProofStep::SelectionTest(*round), -coin.clone()),
                    (SoundnessProofStep::Swap, truth - p.clone() + coin),
                ];
                for (step, amount) in first.into_iter().chain(last) {
                    self.part(step, paid(amount));
                }
            }
            Reward::Decided { .. } | Reward::Persuaded { .. } | Reward::Verdict { .. } => {}
        }
    }
}

impl<N: Number> EventSink<N> for SoundnessProofRewardSplitter<'_, N> {
    fn wants(&self) -> bool {
        true
    }

    fn note(&mut self, _seat: Seat, _seal: Option<ReplySeal>, event: Event<N>) {
        match event {
            Event::Entered { claim, .. } => {
                self.trace.claim = Some(claim);
                self.trace.coins.clear();
                self.trace.bits.clear();
            }
            Event::Tossed {
                place: None, value, ..
            } => self.trace.coin = value,
            Event::Tossed { value, .. } => self.trace.coins.push(value),
            Event::Supported { claim, support } => {
                let chosen = &self.instance.supports(claim)[support as usize];
                let truths = chosen.on.iter().map(|on| self.truth(Some(*on)));
                self.trace.gate = chosen.gate.value_for_outcomes(truths);
            }
            Event::Selected { place, .. } => {
                let coin = self.trace.coins.get(place as usize);
                self.trace.coin = coin.copied().unwrap_or_default();
            }
            Event::GaveBit { bit, value } => self.trace.bits.push((bit, value)),
            Event::BetPlaced { round, claim, bet } if self.trace.history_coins_equal_truths() => {
                self.bet(round, bet, claim);
            }
            Event::Rewarded(reward) if !self.trace.history_coins_equal_truths() => {
                self.pay(&reward);
            }
            Event::BetPlaced { .. }
            | Event::Rewarded(_)
            | Event::Answered { .. }
            | Event::Estimated { .. }
            | Event::Claimed { .. }
            | Event::Gated { .. }
            | Event::Parts { .. }
            | Event::Gave { .. }
            | Event::Shared { .. }
            | Event::Challenged { .. }
            | Event::Read { .. }
            | Event::Sampled { .. }
            | Event::Checked { .. }
            | Event::Judged { .. }
            | Event::Spoke { .. }
            | Event::Continued { .. }
            | Event::Opened(_)
            | Event::Ended { .. } => {}
        }
    }
}
