//! Prover-estimator debate (PE Figure 2): the estimator gives probabilities, the prover bets on
//! the direction of their errors and chooses where to go on.
//!
//! Requests in order: Prover [`Request::Answer`]; Opponent [`Request::Probability`] of the root;
//! a coin; then for each round k = d … 1: Prover [`Request::Direction`] and [`Request::Support`];
//! for each subclaim Opponent [`Request::Probability`] and a coin; Prover [`Request::Select`]; and
//! at a leaf: Prover [`Request::Direction`] and [`Request::Bits`] for each proof bit it reads;
//! Judge [`Request::Oracle`].
//!
//! With [`Warrants::Challenge`] (ours) each [`Request::Support`] is followed by Opponent
//! [`Request::Challenge`]. Who disputes the step gives a [`Request::Probability`] p_w ≤ ½ of its
//! warrant; the round's own bet falls away, and the warrant is played as the leaf of round 0, with
//! weight 1: r_0 = A_0 · (O − p_w).
//!
//! Payoff to the prover: r^(d+1) · 1(ẑ = a) + Σ_{k=1..d} r^k · A_k · (M(z) − p_k)
//! + A_0 · (O − p_0), with r = ε(1 − ρ)/4. The opponent receives its negative.

mod moves;
mod parameters;
mod view;

use std::sync::Arc;

use super::event::{Event, Round, Seal, Sink};
use super::proof::ProofBits;
use super::request::{self, Bet, Bits, Draw, Illegal, Reply, Request, Turn};
use super::reward::Reward;
use super::{Conditions, Introduction, Ledger, Refused, Rules, Seat, Warrants, warrants};
pub use parameters::{Carry, Direction, EarlyLeaf, Parameters};

use crate::gate::{Gate, Tally};
use crate::number::{Number, powers};
use crate::scenario::{BitId, ClaimId, Instance, NO_SUPPORT, Support};

pub(super) const INTRODUCTION: Introduction = Introduction {
    name: "prover-estimator",
    examples: &["ProverEstimator(epsilon: 0.25, rho: 0.5)"],
    guarantee: "an honest prover expects at least (1 − ε)·r^(d+1) on a stable decomposition (PE \
                Lemma A.5); that lies earn less takes a decomposition in which a claim follows \
                from whatever subclaims the prover chooses (PE Definition 5.1), and in which no \
                leaf reads the prover's bits, or the claim fixes the machine (PE equation 10)",
    about: "the estimator gives probabilities, the prover bets on where they are wrong \
            and goes on there",
    rules: "The prover answers and splits the claim into subclaims; the estimator says how likely \
            each is, and coins fall by these numbers. The prover bets that an estimate is too low \
            or too high, then goes on with one subclaim; the last one is judged. Deeper rounds \
            are worth more.",
    opponent: "estimator",
    prover_task: "say if the claim is true, split it, bet where the estimates are off",
    opponent_task: "say how likely each claim is; the prover bets that you are wrong",
    judge_task: super::introduction::ORACLE,
};

/// The constants of a debate.
#[derive(Debug)]
struct Terms<N> {
    epsilon: N,
    /// r^0 … r^(d+1).
    weights: Box<[N]>,
    depth: u32,
    width: u32,
    carry: Carry,
    early_leaf: EarlyLeaf,
    /// True if bets are sealed until the round's reward.
    sealed_bets: bool,
    warrants: Warrants,
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

/// A prover-estimator debate under way.
#[derive(Clone, Debug)]
pub struct ProverEstimator<'a, N> {
    instance: &'a Instance,
    terms: Arc<Terms<N>>,
    step: Step,
    answer: bool,
    /// p_d.
    root_p: N,
    /// The round k, counted down to 0.
    round: u32,
    /// ŷ_k.
    claim: ClaimId,
    /// p_k.
    p: N,
    bet: Bet,
    /// The supports of the current claim that are listed; none at a leaf.
    offered: &'a [Support],
    /// True if the current claim is judged, and not split.
    leaf: bool,
    /// The one that was chosen.
    chosen: &'a Support,
    /// The warrant of the step that was made last, where steps can be disputed.
    warrant: Option<ClaimId>,
    /// The opponent's estimates of each subclaim on its own, where these are carried.
    alone: Vec<N>,
    /// The opponent's estimates of each subclaim given the coins of its elder siblings.
    given: Vec<N>,
    /// The coins of this round.
    coins: Vec<bool>,
    tally: Tally,
    proof: ProofBits,
    payoff: N,
    ledger: Ledger,
}

impl<'a, N: Number> ProverEstimator<'a, N> {
    /// A debate about an instance, before anybody has spoken.
    ///
    /// # Errors
    /// The first parameter out of its range.
    pub fn new(instance: &'a Instance, parameters: &Parameters) -> Result<Self, Refused> {
        parameters.check()?;
        let size = instance.size();
        let ratio = N::from_exact(&parameters.ratio());
        let terms = Terms {
            epsilon: N::from_exact(&parameters.epsilon.0),
            weights: powers(&ratio, size.depth + 1).collect(),
            depth: size.depth,
            width: size.width,
            carry: parameters.carry,
            early_leaf: parameters.early_leaf,
            sealed_bets: parameters.direction == Direction::Sealed,
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
            alone: Vec::with_capacity(if terms.carry == Carry::Marginal {
                width
            } else {
                0
            }),
            given: Vec::with_capacity(width),
            coins: Vec::with_capacity(width),
            tally: Tally::default(),
            proof: ProofBits::default(),
            payoff: N::zero(),
            ledger: Ledger::default(),
            terms: Arc::new(terms),
        })
    }

    /// The same debate before anybody has spoken, without any allocation.
    pub fn restart(&mut self) {
        self.step = Step::Answer;
        self.round = self.terms.depth;
        self.claim = self.instance.root();
        self.offered = self.instance.supports(self.claim);
        self.payoff = N::zero();
        self.ledger = Ledger::default();
        self.proof.clear();
        self.clear_round();
    }

    #[inline]
    fn clear_round(&mut self) {
        self.alone.clear();
        self.given.clear();
        self.coins.clear();
        self.tally = Tally::default();
    }

    #[inline]
    fn place(&self) -> u32 {
        self.tally.seen
    }

    /// The weight of the current round: a leaf met early may jump to weight 1.
    #[inline]
    fn weight(&self) -> &N {
        &self.terms.weights[self.round as usize]
    }

    fn missing_bit(&self) -> bool {
        self.proof.missing(self.instance, self.claim).is_some()
    }

    #[inline]
    fn seal_of_bet(&self) -> Option<Seal> {
        self.terms.sealed_bets.then_some(Seal::Bet(self.round))
    }

    #[inline]
    #[expect(clippy::unnecessary_wraps, reason = "every request ends with it")]
    fn turn(seat: Seat, request: Request<N>) -> Option<Turn<N>> {
        Some(Turn { seat, request })
    }

    #[inline]
    fn child(&self, place: u32) -> ClaimId {
        self.chosen.on[place as usize]
    }

    /// Enters the round of the current claim.
    #[inline]
    fn enter(&mut self, sink: &mut dyn Sink<N>) {
        self.offered = self.instance.supports(self.claim);
        self.leaf = self.offered.is_empty() && self.instance.composing(self.claim).is_none();
        self.round = self.terms.early_leaf.round_of(self.leaf, self.round);
        self.begin_round(sink);
    }

    #[inline]
    fn begin_round(&mut self, sink: &mut dyn Sink<N>) {
        self.clear_round();
        self.step = Step::Direction;
        sink.note_with(Seat::Chance, None, || Event::Entered {
            round: self.round,
            claim: self.claim,
            p: Some(self.p.clone()),
        });
    }

    #[inline]
    fn open(seal: Seal, sink: &mut dyn Sink<N>) {
        sink.note_with(Seat::Chance, None, || Event::Opened(seal));
    }

    #[inline]
    fn pay(&mut self, reward: &Reward<N>, sink: &mut dyn Sink<N>) {
        self.payoff += reward.value();
        sink.note_with(Seat::Chance, None, || Event::Rewarded(reward.clone()));
    }

    #[inline]
    fn pay_bet(&mut self, outcome: bool, judged: bool, sink: &mut dyn Sink<N>) {
        if self.terms.sealed_bets {
            Self::open(Seal::Bet(self.round), sink);
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

    /// Why a reply of another kind than was asked for is illegal. Apart, so that [`Rules::reply`]
    /// stays small.
    #[cold]
    fn misplaced(&self, reply: &Reply<N>) -> Illegal {
        Illegal::kind(self.request(), reply)
    }

    #[inline]
    fn width(&self) -> u32 {
        u32::try_from(self.chosen.on.len()).unwrap_or(u32::MAX)
    }
}

impl<N: Number> Rules<N> for ProverEstimator<'_, N> {
    // Headless play gets its speed from this being compiled into its loop, for each seat apart.
    #[expect(
        clippy::inline_always,
        reason = "measured: a third of the time of a debate"
    )]
    #[inline(always)]
    fn request(&self) -> Option<Turn<N>> {
        let claim = self.claim;
        let probability = |claim, place, alone| {
            let request = Request::Probability {
                claim,
                place,
                alone,
            };
            Self::turn(Seat::Opponent, request)
        };
        let coin = |ordinal, claim, p: &N| {
            let draw = Draw::Bernoulli(p.clone());
            let request = Request::Draw {
                ordinal,
                claim,
                draw,
            };
            Self::turn(Seat::Chance, request)
        };
        match self.step {
            Step::Answer => Self::turn(Seat::Prover, Request::Answer { claim }),
            Step::RootProbability => probability(claim, None, false),
            Step::RootCoin => coin(0, claim, &self.root_p),
            Step::Direction => Self::turn(Seat::Prover, Request::Direction { claim }),
            Step::Support => {
                let offered = u32::try_from(self.offered.len()).unwrap_or(u32::MAX);
                Self::turn(Seat::Prover, Request::Support { claim, offered })
            }
            Step::Dispute => Some(warrants::dispute(self.warrant?)),
            Step::Doubt => probability(self.warrant?, Some(self.width()), true),
            Step::Alone => {
                let place = u32::try_from(self.alone.len()).unwrap_or(u32::MAX);
                probability(self.child(place), Some(place), true)
            }
            Step::Estimate => {
                let place = self.place();
                probability(self.child(place), Some(place), false)
            }
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
    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn Sink<N>) -> Result<(), Illegal> {
        match (reply, self.step) {
            (Reply::Answer(answer), Step::Answer) => self.answer_with(answer, sink),
            (Reply::Probability(p), Step::RootProbability) => self.estimate_root(p, sink)?,
            (Reply::Drawn(outcome), Step::RootCoin) => {
                let coin = request::bernoulli(outcome, &self.root_p)?;
                self.root_coin(coin, sink);
            }
            (Reply::Direction(bet), Step::Direction) => self.bet_on(bet, sink),
            (Reply::Support(support), Step::Support) => self.support_by(support, sink)?,
            (Reply::Compose(composed), Step::Support) => self.compose(&composed, sink)?,
            (Reply::Challenge(step), Step::Dispute) => self.dispute(step, sink)?,
            (Reply::Probability(p), Step::Doubt) => self.doubt(p, sink)?,
            (Reply::Probability(p), Step::Alone) => self.estimate_alone(p, sink)?,
            (Reply::Probability(p), Step::Estimate) => self.estimate(p, sink)?,
            (Reply::Drawn(outcome), Step::Coin) => {
                let p = &self.given[self.place() as usize];
                let value = request::bernoulli(outcome, p)?;
                self.coin(value, sink);
            }
            (Reply::Select(place), Step::Select) => {
                let place = request::in_range(place, self.width())?;
                self.ledger.spoke(Seat::Prover);
                self.select(place, sink);
            }
            (Reply::Bits(bits), Step::ProofBit) => self.prove(&bits, sink)?,
            (Reply::Oracle { holds, confidence }, Step::Oracle) => {
                self.judge(request::verdict(holds, confidence)?, sink);
            }
            (reply, _) => return Err(self.misplaced(&reply)),
        }
        Ok(())
    }

    #[inline]
    fn payoff(&self) -> N {
        self.payoff.clone()
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
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
    fn proof(&self) -> Vec<bool> {
        self.proof.of(self.instance, self.claim)
    }

    fn open_bits(&self, most: usize) -> Option<Vec<BitId>> {
        self.proof.open(self.instance, most)
    }

    fn coins_of_gate(&self) -> Option<(&Gate, &[N])> {
        let falling = matches!(self.step, Step::Estimate | Step::Coin);
        falling.then_some((&self.chosen.gate, &self.given))
    }

    /// Where a round begins nothing that was said before counts but this.
    fn state_key(&self, key: &mut Vec<u64>) -> bool {
        if self.step != Step::Direction {
            return false;
        }
        let answer = u64::from(self.answer);
        key.extend([
            self.claim.number().into(),
            u64::from(self.round) << 1 | answer,
        ]);
        self.p.add_to_key(key);
        self.root_p.add_to_key(key);
        self.proof.add_to_key(key);
        true
    }

    /// Once the gate has paid, its coins decide nothing any more.
    fn game_key(&self, key: &mut Vec<u64>) -> bool {
        if self.step != Step::Select {
            return self.state_key(key);
        }
        let answer = u64::from(self.answer);
        key.push(u64::from(self.round) << 1 | answer);
        key.extend(self.chosen.on.iter().map(|claim| u64::from(claim.number())));
        for p in self.carried() {
            p.add_to_key(key);
        }
        self.proof.add_to_key(key);
        true
    }

    /// Proof bits are given one by one.
    fn prepared(&self) -> Option<Bits> {
        None
    }

    fn coins(&self) -> u64 {
        1 + u64::from(self.terms.depth) * u64::from(self.terms.width)
    }
}

#[cfg(test)]
mod tests;
