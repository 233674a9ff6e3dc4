//! The rewards of prover-estimator debate, split by the steps of the soundness proof (PE Lemma A.4).
//!
//! With g the truth, ŷ the claim of a round, z the coins of its subclaims, and ẑ the coin that fell for
//! ŷ itself one round earlier, a bet pays
//!
//! r^k A (M(z) − p) = r^k A [(M(z) − M(g)) + (M(g) − g(ŷ)) + (g(ŷ) − p)].
//!
//! The mean of the first part is the advantage of the round's test (6), that of the second is 0 where
//! claims follow from their subclaims. The proof takes the mean of the third for the advantage of the
//! test (8), E over true coins of r^k A ẑ less E over B's coins of the same: there the prover goes on
//! and bets after coins that fell as the truth. What the two differ by is the step of equation (9). So
//! the debate is followed once more from each round on with coins that fall as the truth, up to the
//! next bet; where Bob holds the truth impossible, or no debate gets there, no bet is taken for it.

use debate_core::number::{Number, small};
use debate_core::protocol::{Bet, Event, Reward, Seal, Seat, Sink};
use debate_core::scenario::{BitId, ClaimId, Instance};

/// A step of the proof, which accounts for part of what a debate pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofStep {
    /// r^(d+1) · 1(a = L): what the answer is worth where the root's coin falls as the truth.
    Answer,
    /// The root's coin is told from the truth (5).
    RootTest,
    /// A gate over subclaims that are true does not say what its claim is.
    Unsound,
    /// The oracle does not say what is so of a leaf, given the bits that she wrote.
    Oracle,
    /// She gave other bits than the proof's, and what a leaf's check says of hers is not the truth that
    /// the root's claim was held against (10).
    Bits,
    /// After the coins that fell she goes on and bets otherwise than after the truth, and the
    /// proof takes samples for truths (9).
    Swap,
    /// The coins of the claims before a round are told from the truth by what she goes on with (8).
    SelectionTest(u32),
    /// The gate of a round is told from the truth by its coins (6).
    GateTest(u32),
}

impl ProofStep {
    /// All steps of a debate of depth d, in the order of their places.
    pub fn all(depth: u32) -> Vec<Self> {
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

    /// True if it is the advantage of a test that Bob must pass.
    pub fn is_test(self) -> bool {
        matches!(
            self,
            Self::RootTest | Self::SelectionTest(_) | Self::GateTest(_)
        )
    }

    fn place(self, depth: u32) -> usize {
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

/// What of a debate the parts of its next reward depend on.
#[derive(Clone, Debug, Default)]
pub(super) struct ProofTrace {
    claim: Option<ClaimId>,
    /// ẑ of the claim.
    coin: bool,
    /// The coins of this round.
    coins: Vec<bool>,
    /// M(g) of the support that was chosen.
    gate: bool,
    /// The proof bits that were given at this leaf.
    bits: Vec<(BitId, bool)>,
    course: Course,
}

/// Whether a debate is one that happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Course {
    #[default]
    Actual,
    /// The coins of one round fall as the truth; up to the bet on what is chosen after them.
    Truth,
    /// The same, once that bet is made.
    Over,
}

impl ProofTrace {
    /// What the rest depends on where a round begins.
    pub(super) fn key(&self) -> u64 {
        2 * self.course as u64 + u64::from(self.coin)
    }

    /// True if coins fall as the truth here.
    pub(super) fn is_truth(&self) -> bool {
        self.course == Course::Truth
    }

    /// True if nothing more is asked of it.
    pub(super) fn is_over(&self) -> bool {
        self.course == Course::Over
    }

    /// True if no coin of the round has fallen.
    pub(super) fn is_before_coins(&self) -> bool {
        self.coins.is_empty()
    }

    /// The same where the coins of this round fall as the truth.
    pub(super) fn with_truth(&self) -> Self {
        Self {
            course: Course::Truth,
            ..self.clone()
        }
    }
}

/// Follows a debate, and splits what it pays.
pub(super) struct ProofSplit<'s, N> {
    pub(super) instance: &'s Instance,
    /// r^0 … r^d.
    pub(super) weights: &'s [N],
    pub(super) trace: &'s mut ProofTrace,
    /// The parts, each with its place.
    pub(super) parts: Vec<(usize, N)>,
}

impl<N: Number> ProofSplit<'_, N> {
    /// g; the caller has seen to it that all truths can be told.
    fn truth(&self, claim: Option<ClaimId>) -> bool {
        claim.and_then(|claim| self.instance.truth(claim)) == Some(true)
    }

    /// What is so of a leaf, given the bits that were written for it.
    fn checked(&self, claim: Option<ClaimId>) -> Option<bool> {
        let leaf = claim?;
        let given = |wanted: &BitId| {
            let mut given = self.trace.bits.iter();
            given.any(|(bit, value)| bit == wanted && *value)
        };
        let bits: Vec<bool> = self.instance.reads(leaf).iter().map(given).collect();
        self.instance.checked(leaf, &bits)
    }

    fn part(&mut self, step: ProofStep, amount: N) {
        if !amount.is_zero() {
            let depth = small(self.weights.len().saturating_sub(1));
            self.parts.push((step.place(depth), amount));
        }
    }

    /// A bet after coins that fell as the truth.
    fn bet(&mut self, round: u32, bet: Bet, claim: ClaimId) {
        self.trace.course = Course::Over;
        let Some(weight) = self.weights.get(round as usize) else {
            return;
        };
        let paid = bet.times(weight.clone() * N::indicator(self.truth(Some(claim))));
        self.part(ProofStep::SelectionTest(round), paid.clone());
        self.part(ProofStep::Swap, -paid);
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
                self.part(ProofStep::Answer, weight.clone() * right);
                self.part(ProofStep::RootTest, weight.clone() * more);
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
                        (ProofStep::Oracle, outcome - checked.clone()),
                        (ProofStep::Bits, checked - truth.clone()),
                    ]
                } else {
                    let gate = one(self.trace.gate);
                    [
                        (ProofStep::GateTest(*round), outcome - gate.clone()),
                        (ProofStep::Unsound, gate - truth.clone()),
                    ]
                };
                let last = [
                    (ProofStep::SelectionTest(*round), -coin.clone()),
                    (ProofStep::Swap, truth - p.clone() + coin),
                ];
                for (step, amount) in first.into_iter().chain(last) {
                    self.part(step, paid(amount));
                }
            }
            Reward::Decided { .. } | Reward::Persuaded { .. } | Reward::Verdict { .. } => {}
        }
    }
}

impl<N: Number> Sink<N> for ProofSplit<'_, N> {
    fn wants(&self) -> bool {
        true
    }

    fn note(&mut self, _seat: Seat, _seal: Option<Seal>, event: Event<N>) {
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
                self.trace.gate = chosen.gate.says(truths);
            }
            Event::Selected { place, .. } => {
                let coin = self.trace.coins.get(place as usize);
                self.trace.coin = coin.copied().unwrap_or_default();
            }
            Event::GaveBit { bit, value } => self.trace.bits.push((bit, value)),
            Event::Betted { round, claim, bet } if self.trace.is_truth() => {
                self.bet(round, bet, claim);
            }
            Event::Rewarded(reward) if !self.trace.is_truth() => self.pay(&reward),
            Event::Betted { .. }
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
