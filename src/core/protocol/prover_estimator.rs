//! Prover-estimator debate (PE Figure 2): the estimator gives probabilities, the prover bets on the direction of their
//! errors and chooses the subclaim with which the debate continues.
//!
//! Requests in order: Prover [`Request::Answer`]; Opponent [`Request::Probability`] of the root; a coin; then for each
//! round k = d … 1: Prover [`Request::Direction`] and [`Request::Support`]; for each subclaim Opponent
//! [`Request::Probability`] and a coin; Prover [`Request::Select`]; and at a leaf: Prover [`Request::Direction`] and
//! [`Request::Bits`] for each proof bit it reads; Judge [`Request::Oracle`].
//!
//! With [`SupportDisputeRule::Challenge`] (ours) each [`Request::Support`] is followed by Opponent
//! [`Request::Challenge`]. To dispute the step, the opponent gives a [`Request::Probability`] p_w ≤ ½ of its warrant;
//! the round's own bet is cancelled, and the warrant is played as the leaf of round 0, with weight 1: r_0 = A_0 · (O −
//! p_w).
//!
//! Payoff to the prover: r^(d+1) · 1(ẑ = a) + Σ_{k=1..d} r^k · A_k · (M(z) − p_k) + A_0 · (O − p_0), with r = ε(1 −
//! ρ)/4. The opponent receives its negative.

mod parameters;
mod view;

use std::sync::Arc;

use super::event::{Event, EventSink, ReplySeal, Round};
use super::proof::ProofBitsGivenByProver;
use super::request::{self, Bet, BitString, ChanceDraw, IllegalReply, PendingTurn, Reply, Request};
use super::reward::Reward;
use super::{
    PaymentsAndResourceCosts, ProofBitSource, ProtocolError, ProtocolParameters, Rules, Seat,
    SupportDisputeRule, warrants,
};
pub use parameters::{
    BetDisclosureTime, CarriedEstimateKind, EarlyLeafWeight, ProverEstimatorParameters,
};

use crate::gate::{EstimateConsistency, Gate, GateEvaluationState};
use crate::number::{Number, powers, to_u32_saturating};
use crate::scenario::{BitId, ClaimId, Instance, NO_SUPPORT, ProverWrittenSupport, Support};

/// The constants of a debate.
#[derive(Debug)]
struct Terms<N> {
    epsilon: N,
    /// r^0 … r^(d+1).
    weights: Box<[N]>,
    depth: u32,
    width: u32,
    carry: CarriedEstimateKind,
    early_leaf: EarlyLeafWeight,
    /// True if bets are hidden from the opponent until the round's reward is paid, or a dispute cancels the bet.
    sealed_bets: bool,
    warrants: SupportDisputeRule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Answer,
    RootProbability,
    RootCoin,
    Direction,
    Support,
    Dispute,
    Doubt,
    Alone,
    Estimate,
    Coin,
    Select,
    ProofBit,
    Oracle,
    Over,
}

/// A prover-estimator debate in progress.
#[derive(Clone, Debug)]
pub struct ProverEstimatorDebate<'a, N> {
    instance: &'a Instance,
    terms: Arc<Terms<N>>,
    step: Step,
    answer: bool,
    /// p_d.
    root_p: N,
    /// The number k of the current round. Rounds are counted down to 0.
    round: u32,
    /// ŷ_k.
    claim: ClaimId,
    /// p_k.
    p: N,
    bet: Bet,
    /// The supports that the scenario lists for the claim under discussion, from which the prover can choose; empty at
    /// a leaf.
    offered: &'a [Support],
    /// True if the current claim is a leaf: the judge decides it, and it is not split.
    leaf: bool,
    /// The chosen support.
    chosen: &'a Support,
    /// The warrant of the most recent step: the claim that the step from subclaims to claim is valid. `None` before the
    /// first support, or if steps cannot be disputed.
    warrant: Option<ClaimId>,
    /// The opponent's separate estimates of the subclaims, which ignore the coins; empty unless one of them becomes the
    /// next p_k.
    alone: Vec<N>,
    /// The opponent's estimate of each subclaim, given the coins of the subclaims before it.
    given: Vec<N>,
    /// The coins of this round.
    coins: Vec<bool>,
    /// The coins of earlier rounds that were tossed before the chosen subclaim's estimate. A consistent estimator's
    /// later estimates depend on these coins. Empty if separate estimates, which ignore coins, become the next p_k.
    earlier_coins: Vec<(ClaimId, bool)>,
    tally: GateEvaluationState,
    proof: ProofBitsGivenByProver,
    account: PaymentsAndResourceCosts<N>,
}

impl<'a, N: Number> ProverEstimatorDebate<'a, N> {
    /// Starts a prover-estimator debate about an instance, before the first reply.
    ///
    /// # Errors
    /// Returns the first parameter that is out of range.
    pub fn new(
        instance: &'a Instance,
        parameters: &ProverEstimatorParameters,
    ) -> Result<Self, ProtocolError> {
        parameters.check()?;
        let size = instance.size();
        let ratio = N::from_exact(&parameters.weight_ratio_to_next_round());
        let terms = Terms {
            epsilon: N::from_exact(&parameters.epsilon.0),
            weights: powers(&ratio, size.depth + 1).collect(),
            depth: size.depth,
            width: size.width,
            carry: parameters.carry,
            early_leaf: parameters.early_leaf,
            sealed_bets: parameters.direction == BetDisclosureTime::Sealed,
            warrants: parameters.warrants,
        };
        let width = size.width as usize;
        Ok(Self {
            instance,
            step: Step::Answer,
            answer: false,
            root_p: N::zero(),
            round: size.depth,
            claim: instance.root(),
            p: N::zero(),
            bet: Bet::AboutRight,
            offered: instance.supports(instance.root()),
            leaf: instance.is_leaf(instance.root()),
            chosen: &NO_SUPPORT,
            warrant: None,
            alone: Vec::with_capacity(match terms.carry {
                CarriedEstimateKind::Marginal => width,
                CarriedEstimateKind::Conditional => 0,
            }),
            given: Vec::with_capacity(width),
            coins: Vec::with_capacity(width),
            earlier_coins: Vec::new(),
            tally: GateEvaluationState::default(),
            proof: ProofBitsGivenByProver::default(),
            account: PaymentsAndResourceCosts::new(false),
            terms: Arc::new(terms),
        })
    }

    /// Resets the debate to its start without allocating memory.
    pub fn reset_debate_to_start(&mut self) {
        self.step = Step::Answer;
        self.round = self.terms.depth;
        self.claim = self.instance.root();
        self.offered = self.instance.supports(self.claim);
        self.leaf = self.instance.is_leaf(self.claim);
        self.warrant = None;
        self.account = PaymentsAndResourceCosts::new(false);
        self.proof.clear();
        self.earlier_coins.clear();
        self.clear_round();
    }

    #[inline]
    fn clear_round(&mut self) {
        self.alone.clear();
        self.given.clear();
        self.coins.clear();
        self.tally = GateEvaluationState::default();
    }

    #[inline]
    fn place(&self) -> u32 {
        self.tally.seen
    }

    /// Returns the consistency of this round's estimates, given its coins, with p_k, the estimate of the round's claim.
    fn estimates(&self) -> EstimateConsistency<N> {
        let chosen = self.chosen;
        let mut fit = EstimateConsistency::new(&chosen.gate, chosen.on.len(), self.p.clone());
        for (estimate, coin) in self.given.iter().zip(&self.coins) {
            fit.record_estimate_and_return_unweighted_gap(estimate);
            fit.update_consistency_with_coin(estimate, *coin);
        }
        fit
    }

    /// Returns the weight of the current round. If a leaf is reached early, the round may jump to 0 and its weight to
    /// 1.
    #[inline]
    fn weight(&self) -> &N {
        &self.terms.weights[self.round as usize]
    }

    #[inline]
    #[expect(
        clippy::unnecessary_wraps,
        reason = "every branch of `request` returns through this function, so it returns the same Option"
    )]
    fn turn(seat: Seat, request: Request<N>) -> Option<PendingTurn<N>> {
        Some(PendingTurn { seat, request })
    }

    #[inline]
    fn child(&self, place: u32) -> ClaimId {
        self.chosen.on[place as usize]
    }

    /// Starts the round of the current claim.
    #[inline]
    fn enter(&mut self, sink: &mut dyn EventSink<N>) {
        self.offered = self.instance.supports(self.claim);
        self.leaf = self.offered.is_empty()
            && self
                .instance
                .max_prover_written_subclaims(self.claim)
                .is_none();
        self.round = self
            .terms
            .early_leaf
            .round_after_selection(self.leaf, self.round);
        self.begin_round(sink);
    }

    #[inline]
    fn begin_round(&mut self, sink: &mut dyn EventSink<N>) {
        self.clear_round();
        self.step = Step::Direction;
        sink.record_unsealed_event(Seat::Chance, || Event::Entered {
            round: self.round,
            claim: self.claim,
            p: Some(self.p.clone()),
        });
    }

    #[inline]
    fn open(seal: ReplySeal, sink: &mut dyn EventSink<N>) {
        sink.record_unsealed_event(Seat::Chance, || Event::Opened(seal));
    }

    #[inline]
    fn pay(&mut self, reward: &Reward<N>, sink: &mut dyn EventSink<N>) {
        self.account.payoff += reward.payment_to_prover();
        sink.record_unsealed_event(Seat::Chance, || Event::Rewarded(reward.clone()));
    }

    #[inline]
    fn pay_bet(&mut self, outcome: bool, judged: bool, sink: &mut dyn EventSink<N>) {
        if self.terms.sealed_bets {
            Self::open(ReplySeal::Bet(self.round), sink);
        }
        let reward = Reward::Bet {
            round: self.round,
            weight: self.weight().clone(),
            exponent: self.round,
            bet: self.bet,
            outcome,
            judged,
            p: self.p.clone(),
        };
        self.pay(&reward, sink);
    }

    /// Returns the error for a reply of the wrong kind. This is a separate function so that [`Rules::reply`] stays
    /// small.
    #[cold]
    fn misplaced(&self, reply: &Reply<N>) -> IllegalReply {
        IllegalReply::kind(self.request(), reply)
    }

    #[inline]
    fn width(&self) -> u32 {
        to_u32_saturating(self.chosen.on.len())
    }

    /// Returns the claim whose probability the opponent must state now, and its index among its siblings. The flag is
    /// true if the estimate must ignore the coins.
    #[inline]
    fn asked(&self) -> Option<(ClaimId, Option<u32>, bool)> {
        Some(match self.step {
            Step::RootProbability => (self.claim, None, false),
            Step::Doubt => (self.warrant?, Some(self.width()), true),
            Step::Alone => {
                let place = to_u32_saturating(self.alone.len());
                (self.child(place), Some(place), true)
            }
            Step::Estimate => (self.child(self.place()), Some(self.place()), false),
            _ => return None,
        })
    }
}

impl<N: Number> ProverEstimatorDebate<'_, N> {
    #[inline]
    fn answer_with(&mut self, answer: bool, sink: &mut dyn EventSink<N>) {
        let claim = self.claim;
        self.answer = answer;
        self.account.count_reply(Seat::Prover);
        sink.note_with(Seat::Prover, Some(ReplySeal::Answer), || Event::Answered {
            claim,
            answer,
        });
        self.step = Step::RootProbability;
    }

    #[inline]
    fn estimate(&mut self, p: N, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        let p = match self.step {
            Step::Doubt => warrants::check_disputed_step_probability(p)?,
            _ => request::check_probability(p)?,
        };
        self.account.count_reply(Seat::Opponent);
        let (claim, place, alone) = self.asked().unwrap_or((self.claim, None, false));
        sink.record_unsealed_event(Seat::Opponent, || Event::Estimated {
            claim,
            place,
            alone,
            p: p.clone(),
        });
        match self.step {
            Step::Doubt => self.doubt(p, sink),
            Step::Alone => {
                self.alone.push(p);
                if self.alone.len() == self.chosen.on.len() {
                    self.step = Step::Estimate;
                }
            }
            Step::Estimate => {
                self.given.push(p);
                self.step = Step::Coin;
            }
            _ => {
                self.root_p = p;
                self.step = Step::RootCoin;
            }
        }
        Ok(())
    }

    /// Records that the opponent disputes a step: the step's warrant becomes the leaf of round 0, and the bet of the
    /// current round is revealed and cancelled.
    #[cold]
    fn doubt(&mut self, p: N, sink: &mut dyn EventSink<N>) {
        if self.terms.sealed_bets {
            Self::open(ReplySeal::Bet(self.round), sink);
        }
        self.claim = self.warrant.unwrap_or(self.claim);
        self.p = p;
        self.round = 0;
        self.offered = &[];
        self.leaf = true;
        self.begin_round(sink);
    }

    #[inline]
    fn bet_on(&mut self, bet: Bet, sink: &mut dyn EventSink<N>) {
        let round = self.round;
        let claim = self.claim;
        let seal = self.terms.sealed_bets.then_some(ReplySeal::Bet(round));
        self.bet = bet;
        self.account.count_reply(Seat::Prover);
        sink.note_with(Seat::Prover, seal, || Event::BetPlaced {
            round,
            claim,
            bet,
        });
        self.step = if !self.leaf {
            Step::Support
        } else if self
            .proof
            .first_missing_proof_bit(self.instance, claim)
            .is_some()
        {
            Step::ProofBit
        } else {
            Step::Oracle
        };
    }

    #[inline]
    fn support_by(
        &mut self,
        support: u32,
        sink: &mut dyn EventSink<N>,
    ) -> Result<(), IllegalReply> {
        if self.offered.is_empty() {
            return Err(IllegalReply::NothingListed);
        }
        let offered = to_u32_saturating(self.offered.len());
        self.chosen = &self.offered[request::check_choice_index(support, offered)?];
        self.supported(support, sink);
        Ok(())
    }

    /// Adds a support that the prover wrote during the debate, and chooses it. This is a separate function so that
    /// [`Rules::reply`] stays small.
    #[cold]
    fn compose(
        &mut self,
        composed: &ProverWrittenSupport,
        sink: &mut dyn EventSink<N>,
    ) -> Result<(), IllegalReply> {
        let (support, chosen) = request::add_composed_support(self.instance, self.claim, composed)?;
        self.chosen = chosen;
        self.supported(support, sink);
        Ok(())
    }

    #[inline]
    fn supported(&mut self, support: u32, sink: &mut dyn EventSink<N>) {
        let claim = self.claim;
        self.account.count_reply(Seat::Prover);
        sink.record_unsealed_event(Seat::Prover, || Event::Supported { claim, support });
        if self.terms.warrants.allows_support_disputes() {
            self.warrant = Some(self.instance.warrant_claim(claim, support));
            self.step = Step::Dispute;
        } else {
            self.step = self.first_estimate();
        }
    }

    #[inline]
    fn first_estimate(&self) -> Step {
        match self.terms.carry {
            CarriedEstimateKind::Conditional => Step::Estimate,
            CarriedEstimateKind::Marginal => Step::Alone,
        }
    }

    /// This is a separate function so that [`Rules::reply`] stays small.
    #[cold]
    fn dispute(
        &mut self,
        step: Option<u64>,
        sink: &mut dyn EventSink<N>,
    ) -> Result<(), IllegalReply> {
        let step = request::check_challenged_step(step, &(0..1))?;
        self.account.count_reply(Seat::Opponent);
        sink.log_challenge(step, false);
        self.step = match step {
            Some(_) => Step::Doubt,
            None => self.first_estimate(),
        };
        Ok(())
    }

    fn prove(&mut self, bits: &BitString, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        let leaf = self.claim;
        if self
            .proof
            .give(self.instance, leaf, bits, &mut self.account, sink)?
        {
            self.step = Step::Oracle;
        }
        Ok(())
    }

    #[inline]
    fn root_coin(&mut self, coin: bool, sink: &mut dyn EventSink<N>) {
        let exponent = self.terms.depth + 1;
        sink.log_coin(self.claim, None, &self.root_p, coin);
        Self::open(ReplySeal::Answer, sink);
        let weight = self.terms.weights[exponent as usize].clone();
        let reward = Reward::Agreement {
            weight,
            exponent,
            coin,
            answer: self.answer,
        };
        self.pay(&reward, sink);
        self.p = self.root_p.clone();
        self.enter(sink);
    }

    #[inline]
    fn coin(&mut self, value: bool, sink: &mut dyn EventSink<N>) {
        let place = self.place();
        sink.log_coin(
            self.child(place),
            Some(place),
            &self.given[place as usize],
            value,
        );
        self.coins.push(value);
        let support = self.chosen;
        self.tally = support.gate.tally_with_outcome(self.tally, value);
        if (self.tally.seen as usize) < support.on.len() {
            self.step = Step::Estimate;
            return;
        }
        let holds = support.gate.value_of_tally(self.tally);
        let claim = self.claim;
        sink.record_unsealed_event(Seat::Chance, || Event::Gated { claim, holds });
        self.pay_bet(holds, false, sink);
        self.step = Step::Select;
    }

    #[inline]
    fn select(&mut self, place: usize, sink: &mut dyn EventSink<N>) {
        let chosen = self.chosen.on[place];
        sink.log_selection(Seat::Prover, self.claim, to_u32_saturating(place), chosen);
        self.p = self.carried_probabilities()[place].clone();
        if self.terms.carry == CarriedEstimateKind::Conditional {
            let before = self.chosen.on[..place].iter().copied();
            self.earlier_coins
                .extend(before.zip(self.coins.iter().copied()));
        }
        self.claim = chosen;
        self.round -= 1;
        self.enter(sink);
    }

    #[inline]
    fn judge(&mut self, verdict: (bool, Option<N>), sink: &mut dyn EventSink<N>) {
        let answer = verdict.0;
        sink.judged(self.claim, verdict, &mut self.account);
        self.pay_bet(answer, true, sink);
        self.step = Step::Over;
        self.account.end_debate(sink);
    }

    /// Returns the probability of each subclaim that becomes p_{k−1}, the next round's estimate, if the prover selects
    /// this subclaim.
    #[inline]
    fn carried_probabilities(&self) -> &[N] {
        match self.terms.carry {
            CarriedEstimateKind::Conditional => &self.given,
            CarriedEstimateKind::Marginal => &self.alone,
        }
    }
}

impl<N: Number> Rules<N> for ProverEstimatorDebate<'_, N> {
    // Inlined separately for each seat, because headless play gets its speed from this.
    #[expect(
        clippy::inline_always,
        reason = "a measurement showed that inlining saves a third of a simulated debate's time"
    )]
    #[inline(always)]
    fn request(&self) -> Option<PendingTurn<N>> {
        let claim = self.claim;
        let coin = |ordinal, claim, p: &N| {
            let draw = ChanceDraw::Bernoulli(p.clone());
            let request = Request::Draw {
                ordinal,
                claim,
                draw,
            };
            Self::turn(Seat::Chance, request)
        };
        match self.step {
            Step::Answer => Self::turn(Seat::Prover, Request::Answer { claim }),
            Step::RootProbability | Step::Doubt | Step::Alone | Step::Estimate => {
                let (claim, place, alone) = self.asked()?;
                let request = Request::Probability {
                    claim,
                    place,
                    alone,
                };
                Self::turn(Seat::Opponent, request)
            }
            Step::RootCoin => coin(0, claim, &self.root_p),
            Step::Direction => Self::turn(Seat::Prover, Request::Direction { claim }),
            Step::Support => {
                let offered = to_u32_saturating(self.offered.len());
                Self::turn(Seat::Prover, Request::Support { claim, offered })
            }
            Step::Dispute => Some(warrants::dispute_request(self.warrant?)),
            Step::Coin => {
                let place = self.place();
                let past = u64::from(self.terms.depth - self.round) * u64::from(self.terms.width);
                let ordinal = 1 + past + u64::from(place);
                coin(ordinal, self.child(place), &self.given[place as usize])
            }
            Step::Select => {
                let count = self.width();
                Self::turn(Seat::Prover, Request::Select { claim, count })
            }
            Step::ProofBit => Self::turn(Seat::Prover, self.proof.request(self.instance, claim)?),
            Step::Oracle => Self::turn(Seat::Judge, Request::Oracle { claim }),
            Step::Over => None,
        }
    }

    #[inline]
    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        match (reply, self.step) {
            (Reply::Answer(answer), Step::Answer) => self.answer_with(answer, sink),
            (Reply::Drawn(outcome), Step::RootCoin) => {
                let coin = request::check_bernoulli_outcome(outcome, &self.root_p)?;
                self.root_coin(coin, sink);
            }
            (Reply::Direction(bet), Step::Direction) => self.bet_on(bet, sink),
            (Reply::Support(support), Step::Support) => self.support_by(support, sink)?,
            (Reply::Compose(composed), Step::Support) => self.compose(&composed, sink)?,
            (Reply::Challenge(step), Step::Dispute) => self.dispute(step, sink)?,
            (
                Reply::Probability(p),
                Step::RootProbability | Step::Doubt | Step::Alone | Step::Estimate,
            ) => self.estimate(p, sink)?,
            (Reply::Drawn(outcome), Step::Coin) => {
                let p = &self.given[self.place() as usize];
                let value = request::check_bernoulli_outcome(outcome, p)?;
                self.coin(value, sink);
            }
            (Reply::Select(place), Step::Select) => {
                let place = request::check_choice_index(place, self.width())?;
                self.account.count_reply(Seat::Prover);
                self.select(place, sink);
            }
            (Reply::Bits(bits), Step::ProofBit) => self.prove(&bits, sink)?,
            (Reply::Oracle { holds, confidence }, Step::Oracle) => {
                self.judge(request::check_judge_answer(holds, confidence)?, sink);
            }
            (reply, _) => return Err(self.misplaced(&reply)),
        }
        Ok(())
    }

    fn account(&self) -> &PaymentsAndResourceCosts<N> {
        &self.account
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        let weight = |k: u32| self.terms.weights[k as usize].clone();
        let depth = self.terms.depth;
        std::iter::once((Round::Initial, weight(depth + 1)))
            .chain((0..=depth).rev().map(|k| (Round::Number(k), weight(k))))
            .collect()
    }

    fn round(&self) -> Option<Round> {
        match self.step {
            Step::Over => None,
            Step::Answer | Step::RootProbability | Step::RootCoin => Some(Round::Initial),
            _ => Some(Round::Number(self.round)),
        }
    }

    fn answer(&self) -> Option<bool> {
        (self.step != Step::Answer).then_some(self.answer)
    }

    #[inline]
    /// If a round has just started, appends the values on which the rest of the debate depends, and returns true. At
    /// any other point, appends nothing and returns false.
    fn state_key(&self, key: &mut Vec<u64>) -> bool {
        if self.step != Step::Direction {
            return false;
        }
        let answer = u64::from(self.answer);
        key.extend([
            self.claim.claim_number().into(),
            u64::from(self.round) << 1 | answer,
        ]);
        self.p.add_to_key(key);
        self.root_p.add_to_key(key);
        self.proof.add_given_bits_to_key(key);
        true
    }

    /// At the start of a round and before a selection, appends the round, claims, estimates and proof bits that later
    /// payments depend on. At any other point, appends nothing and returns false. Leaves out coins and the root's
    /// answer, because their payments have been made already.
    fn game_key(&self, key: &mut Vec<u64>) -> bool {
        match self.step {
            Step::Direction => {
                key.extend([u64::from(self.claim.claim_number()), u64::from(self.round)]);
                self.p.add_to_key(key);
            }
            Step::Select => {
                key.push(self.round.into());
                key.extend(
                    self.chosen
                        .on
                        .iter()
                        .map(|claim| u64::from(claim.claim_number())),
                );
                for p in self.carried_probabilities() {
                    p.add_to_key(key);
                }
            }
            _ => return false,
        }
        self.proof.add_given_bits_to_key(key);
        true
    }

    fn coins(&self) -> u64 {
        1 + u64::from(self.terms.depth) * u64::from(self.terms.width)
    }

    fn proof_bits(&self) -> Option<&dyn ProofBitSource> {
        Some(self)
    }
}

impl<N: Number> ProofBitSource for ProverEstimatorDebate<'_, N> {
    fn proof(&self) -> Vec<bool> {
        self.proof
            .proof_bits_given_for_leaf(self.instance, self.claim)
    }

    fn open_bits(&self, most: usize) -> Option<Vec<BitId>> {
        self.proof.missing_bits_below_root(self.instance, most)
    }
}

impl<N: Number> ProverEstimatorDebate<'_, N> {
    pub(super) fn gate_decided_by_coins_with_estimates(&self) -> Option<(&Gate, &[N])> {
        let falling = matches!(self.step, Step::Estimate | Step::Coin);
        falling.then_some((&self.chosen.gate, &self.given))
    }

    pub(super) fn add_earlier_coins_to_key(&self, key: &mut Vec<u64>) {
        key.push(self.earlier_coins.len() as u64);
        for (claim, coin) in &self.earlier_coins {
            key.push(u64::from(claim.claim_number()) << 1 | u64::from(*coin));
        }
    }

    pub(super) fn consistency(&self) -> Option<EstimateConsistency<N>> {
        (self.step == Step::Estimate).then(|| self.estimates())
    }
}
