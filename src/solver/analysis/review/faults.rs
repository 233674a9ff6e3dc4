//! Finds mistakes (faults) in the replies of human players, and splits a payoff into parts.
//!
//! An estimator is judged by one question: are the numbers consistent ([`EstimateConsistency`])? The answer is exact,
//! immediate, and independent of the player who bets against them. The reply of any other player is compared
//! with the best reply, as valued by hints.

use super::beliefs::{PriorInstanceWithPlayers, SeatKnowledge};
use super::hint_search::RepliesToValue;
use super::hints::HintSearchLimits;
use super::reference::{ReferenceEstimate, ReferenceEstimateBasis, opponent_reads_no_evidence};
use super::{
    RatedReply, ReplyPayoffHint, ReviewContext, ReviewError, uniform_grid, unless_stopped,
};
use crate::expectation::PayoffNotComputedReason;
use debate_core::budget::ComputationBudget;
use debate_core::gate::{EstimateConsistency, is_rounding_gap, is_visible_gap};
use debate_core::number::{Exact, Number as _};
use debate_core::player::Move;
use debate_core::protocol::{
    BitsMeaning, Log, PendingTurn, ProtocolKind, Reply, Request, Reward, Round, Rules as _, Seat,
    State,
};
use debate_core::scenario::{BlindReader, ClaimId, Instance};
use num_traits::{One as _, Signed as _, Zero as _};

/// The number of intervals of the grid of estimates. The grid is coarser than for hints, because a review evaluates
/// many replies.
const PARTS: u32 = 10;
/// The smallest loss that counts as a fault, except for bets and inconsistent estimates. It is a proportion of the
/// stake, a probability of winning, or the distance of an estimate from a known truth.
const LEAST_FAULT: (i64, i64) = (1, 20);
/// The smallest distance between an estimate and the seat's posterior that counts as a fault, unless the posterior is 0
/// or 1 ([`LEAST_FAULT`]).
const LEAST_DISTANCE: (i64, i64) = (1, 5);
/// Maximum number of faults listed of each type: those that lost expected payoff, and those that did not.
const MAX_FAULTS: usize = 3;

/// The stake of a round: its maximum payoff r^k, with the round's number.
#[derive(Clone, Debug, PartialEq)]
pub struct MaxRoundPayoff {
    pub round: Round,
    /// r^k, the maximum payoff.
    pub weight: Exact,
    /// The exponent k of `weight`: the round's number in formulas, or d + 1 for the first estimate.
    pub exponent: u32,
    /// The displayed number of the round, from 1; `None` for the first estimate, which precedes all rounds.
    pub number: Option<u32>,
}

impl MaxRoundPayoff {
    /// Returns the stake of a round in a debate's schedule. The first estimate has no round number; its stake has one
    /// more factor r than that of the first round. `None` if the schedule lacks the round.
    fn of(round: Round, schedule: &[(Round, Exact)]) -> Option<Self> {
        let (_, weight) = schedule.iter().find(|(other, _)| *other == round)?;
        let first = Round::first_of(schedule);
        let (exponent, number) = match (round, first) {
            (Round::Number(k), first) => (k, Some(Round::round_ordinal(k, first.unwrap_or(k)))),
            (Round::Initial, first) => (first.map_or(0, |d| d + 1), None),
        };
        Some(Self {
            round,
            weight: weight.clone(),
            exponent,
            number,
        })
    }
}

/// An estimate that is inconsistent with other estimates of its round: no probability distribution has all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct InconsistentEstimate {
    /// The claim that the round's support derives.
    pub claim: ClaimId,
    /// The estimate for that claim.
    pub stated: Exact,
    /// The range of the claim's probability that is consistent with the round's estimates.
    pub claim_range: (Exact, Exact),
    /// The number of subclaim estimates in the round so far, including this one.
    pub count: u32,
    /// The signed gap, not yet multiplied by the probability of the round's coins so far
    /// ([`EstimateConsistency::signed_unweighted_subclaim_estimate_gap`]).
    pub gap: Exact,
    /// The least and the greatest estimate of the subclaim that would have been consistent.
    pub consistent_range: (Exact, Exact),
    /// The estimate that divides the remaining probability evenly among the remaining subclaims.
    pub even: Exact,
    /// True if the estimate `even` causes no gap, up to rounding. False if the round's earlier estimates already force
    /// one.
    pub even_leaves_no_gap: bool,
}

impl InconsistentEstimate {
    fn of(
        fit: &EstimateConsistency<Exact>,
        claim: ClaimId,
        seen: u32,
        estimate: &Exact,
    ) -> Option<Self> {
        let gap = fit.signed_unweighted_subclaim_estimate_gap(estimate);
        let (from, to) = fit.consistent_estimate_range().into_inner();
        let even = fit.estimate_sharing_doubt_evenly();
        let (least, most) = fit.claim_range_after_estimate(&even);
        let stated = fit.claim_estimate();
        (!gap.is_zero()).then(|| Self {
            even_leaves_no_gap: is_rounding_gap(&(stated - stated.clamp(&least, &most))),
            claim,
            stated: stated.clone(),
            claim_range: fit.claim_range_after_estimate(estimate),
            count: seen + 1,
            gap,
            consistent_range: (from, to),
            even,
        })
    }
}

/// The reason why the review criticises a reply.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyFaultCause {
    /// The estimate is inconsistent with the other estimates of its round.
    Misfit(Box<InconsistentEstimate>),
    /// The estimate differs from the claim's truth, which a test revealed to the seat with certainty.
    Known(bool),
    /// The estimate is far from the seat's posterior, although it is consistent with its round.
    Unlikely {
        posterior: Exact,
        /// The consistent number nearest to the posterior.
        consistent: Exact,
    },
    /// Another reply had a better expected payoff.
    Worse {
        best: Reply<Exact>,
        /// The number of instances that the seat could not tell apart. The values are means over them.
        possible_cases: usize,
        /// True if the reply lost guaranteed payoff. False if it lost expected payoff against the debate's actual
        /// players.
        guaranteed: bool,
    },
}

/// A mistake in a reply, with its cause and its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyFault {
    pub cause: ReplyFaultCause,
    /// The expected payoff that the mistake cost; 0 if an estimate only ignored known facts.
    pub loss: Exact,
    /// The mistake's cost as a proportion of the round's stake; for the first answer, as a proportion of the last
    /// stake, 1. Under rules with a verdict, as a probability of winning. If an estimate only ignored known facts, its
    /// distance from the truth or from the consistent number nearest to the posterior.
    pub share: Exact,
}

/// A move of a reviewed debate, with the review's assessment of its reply.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReview {
    pub seat: Seat,
    pub reply: Reply<Exact>,
    /// The stake of the move's round, if rounds have different stakes.
    pub stake: Option<MaxRoundPayoff>,
    /// The claim that the move was about, if any.
    pub claim: Option<ClaimId>,
    /// The meaning of the requested bits, if the request was for bits.
    pub ask: Option<BitsMeaning>,
    /// The index in the log of the first event that the move produced.
    pub entry: usize,
    /// The mistake in the move's reply; only for human players.
    pub fault: Option<ReplyFault>,
    /// The loss of a reply that was worse than the best one by what its player knew, but better in the debated
    /// instance. The player may have found the truth without the scenario, for example by a division.
    pub lucky_fault: Option<ReplyFault>,
    /// True if no reply was better by what the player knew, or if the hint recommends this reply. False also if the
    /// reply was not valued.
    pub is_best: bool,
}

/// The value of a reply compared with the best one, by what its player knew.
#[derive(Default)]
struct ReplyAssessment {
    fault: Option<ReplyFault>,
    /// See [`MoveReview::lucky_fault`].
    lucky_fault: Option<ReplyFault>,
    is_best: bool,
}

/// The parts of the prover's payoff under prover-estimator rules. The payoff is exactly the sum of `first`, `misses`,
/// `coins` and `last`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PayoffParts {
    /// The part of the prover's payoff from the first answer, decided by the root claim's coin.
    pub first: Exact,
    /// The part of the prover's payoff from gaps: in each round, the gap of the estimates
    /// ([`EstimateConsistency::signed_unweighted_subclaim_estimate_gap`]) times the prover's bet and the stake.
    pub misses: Exact,
    /// The part of the prover's payoff from luck: in each round, the deviation from the mean that the coins caused.
    pub coins: Exact,
    /// The part of the prover's payoff from the bet on the last claim: A_0 · (O − p_0).
    pub last: Exact,
    /// The sum of each round's absolute gap times its stake: the value of `misses` if every bet were in the right
    /// direction. The part of a gap above 1 is cancelled by the coins.
    pub open: Exact,
    /// The part that the prover lost of the sum `open`, because she bet in the wrong direction in some rounds.
    pub wrong: Exact,
    /// The number of these rounds.
    pub wrong_bets: u32,
    /// `misses` as expected before the coins: each gap in the claim's probability, times the prover's bet and the
    /// stake.
    pub misses_before_coins: Exact,
    /// True if the gap of a round with a bet is above 1, so that the gap times the stake exceeds the stake. The coins
    /// then pay back at least the excess.
    pub exceeds_stake: bool,
    /// The rounds whose estimates have a gap, in the order of play.
    pub round_gaps: Vec<RoundGapSum>,
}

impl PayoffParts {
    /// Returns the payoff.
    pub fn total_payoff(&self) -> Exact {
        &self.first + &self.misses + &self.coins + &self.last
    }
}

/// The mean squared error of a player's estimates, compared with that of the reference estimator.
///
/// The mean covers the root's estimate, and the estimates of the first round whose earlier coins agree with the truth.
/// Deeper rounds do not count, because the prover's choice of a claim reveals something about it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerAndReferenceEstimateErrors {
    /// The mean of (b − truth)² over the player's estimates b.
    pub own: Exact,
    /// The mean of (b − truth)² over the reference estimator's numbers b for the same claims.
    pub reference: Exact,
    /// The number of estimates over which the errors are averaged.
    pub count: u32,
    /// The mean squared distances of the player's estimates to the posterior. `None` if Bob reads evidence, or if his
    /// seat has no prior.
    pub to_posterior: Option<EstimatePosteriorDistances>,
    /// The estimate that differs most from the reference estimator's number; `None` if no estimate differs.
    pub furthest: Option<EstimateFurthestFromReference>,
}

/// The player's estimate that differs most from the reference estimator's number for the same claim.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateFurthestFromReference {
    pub claim: ClaimId,
    /// The player's estimate.
    pub own: Exact,
    /// The reference estimator's number.
    pub reference: Exact,
}

impl EstimateFurthestFromReference {
    fn distance(&self) -> Exact {
        (&self.own - &self.reference).abs()
    }
}

/// The mean squared distances of estimates to the posterior probability, given the knowledge of the estimator's seat.
///
/// They measure what the estimator made of its knowledge, without the luck of the instance.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimatePosteriorDistances {
    /// The mean of (b − posterior)² over the player's estimates b.
    pub own: Exact,
    /// The mean of (b − posterior)² over the reference estimator's numbers b, which are moved to be consistent with
    /// their round.
    pub reference: Exact,
}

/// The stake, and the greatest bet payment, of a debate's last claim, which the judge answered.
#[derive(Clone, Debug, PartialEq)]
pub struct LastClaimStake {
    /// The stake of its round.
    pub stake: Exact,
    /// The greatest payment for a bet on the last claim: stake · max(p, 1 − p), for its estimate p.
    pub most: Exact,
}

/// The size of the inconsistency of one round's estimates.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundGapSum {
    /// The displayed number of the round, from 1.
    pub number: u32,
    /// The sum of the sizes of the round's gaps.
    pub gap: Exact,
}

/// Measures of a player's estimates that do not depend on luck: gaps, and errors compared with a reference.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EstimatorMeasures {
    /// The sum of the sizes of all gaps. Each is measured as a change of the probability of the claim that the round
    /// derives.
    pub gap: Exact,
    /// The amount that bets in the right direction would earn on average, before any coin is thrown: the sum of all
    /// gaps' sizes, each times the stake of its round. The actual coins change it to [`PayoffParts::open`].
    pub before_coins: Exact,
    /// The rounds whose estimates have a gap, in the order of play.
    pub round_gaps: Vec<RoundGapSum>,
    /// True if every round's gate is `All`, `Any` or `Not`. Then the expected payoff of a bet is exactly the gap times
    /// the bet.
    pub is_exact: bool,
    /// `None` if no estimate can be compared with a known truth.
    pub knowledge: Option<PlayerAndReferenceEstimateErrors>,
    /// The number of rounds in which subclaims were estimated. They are the first rounds of the debate.
    pub rounds: u32,
    /// `None` if the judge has not answered a claim.
    pub last_claim: Option<LastClaimStake>,
}

impl EstimatorMeasures {
    /// True if the gaps of at least one round are visible ([`is_visible_gap`]).
    pub fn has_visible_gap(&self) -> bool {
        self.round_gaps
            .iter()
            .any(|round| is_visible_gap(&round.gap))
    }

    /// True if the gaps of at least one round are more than rounding errors ([`is_rounding_gap`]).
    pub fn has_gap_beyond_rounding(&self) -> bool {
        self.round_gaps
            .iter()
            .any(|round| !is_rounding_gap(&round.gap))
    }
}

/// A debate move by move.
#[derive(Clone, Debug, PartialEq)]
pub struct DebateReview {
    /// Every move.
    pub steps: Vec<MoveReview>,
    /// The prover's payoff.
    pub payoff: Exact,
    /// The rewards of the rounds in the order of play; their sum is the payoff.
    pub rewards: Vec<Exact>,
    /// The parts of the prover's payoff, under rules with estimates.
    pub parts: Option<PayoffParts>,
    /// The measures of the estimator's estimates. A [review](ReviewContext::review_moves) computes them only for a
    /// human estimator.
    pub figures: Option<EstimatorMeasures>,
}

impl DebateReview {
    /// Returns the indices of the moves with the greatest faults: at most three that lost payoff, by loss, then at most
    /// three others, by proportion. The others only ignored what the seat knew. Equal faults are in the order of play.
    pub fn moves_with_greatest_faults(&self) -> Vec<usize> {
        let numbered = self.steps.iter().enumerate();
        let faults = numbered.filter_map(|(number, step)| Some((number, step.fault.as_ref()?)));
        let (mut losing, mut others): (Vec<_>, Vec<_>) =
            faults.partition(|(_, fault)| !fault.loss.is_zero());
        losing.sort_by(|(_, one), (_, other)| {
            (&other.loss, &other.share).cmp(&(&one.loss, &one.share))
        });
        others.sort_by(|(_, one), (_, other)| other.share.cmp(&one.share));
        losing.truncate(MAX_FAULTS);
        others.truncate(MAX_FAULTS);
        let listed = losing.into_iter().chain(others);
        listed.map(|(number, _)| number).collect()
    }
}

/// Sums of the squared errors of the estimates so far, for the player and for the reference estimator.
#[derive(Default)]
struct SquaredErrors {
    own: Exact,
    reference: Exact,
    count: u32,
    /// The sums of squared distances to the posterior, for the player and the reference estimator. Only estimates with
    /// a posterior count.
    to_posterior: [Exact; 2],
    with_posterior: u32,
    furthest: Option<EstimateFurthestFromReference>,
}

impl SquaredErrors {
    /// Adds the errors of one estimate. `posterior` is the claim's posterior, if estimates are compared with it.
    fn add(
        &mut self,
        truth: bool,
        estimate: EstimateFurthestFromReference,
        posterior: Option<&Exact>,
    ) {
        let (own, reference) = (&estimate.own, &estimate.reference);
        let square = |p: &Exact, from: &Exact| (p - from) * (p - from);
        let truth = Exact::indicator(truth);
        self.own += square(own, &truth);
        self.reference += square(reference, &truth);
        self.count += 1;
        if let Some(posterior) = posterior {
            self.to_posterior[0] += square(own, posterior);
            self.to_posterior[1] += square(reference, posterior);
            self.with_posterior += 1;
        }
        let distance = estimate.distance();
        let least = self
            .furthest
            .as_ref()
            .map(EstimateFurthestFromReference::distance);
        if distance > least.unwrap_or_default() {
            self.furthest = Some(estimate);
        }
    }

    fn mean(self) -> Option<PlayerAndReferenceEstimateErrors> {
        let count = Exact::ratio(self.count.into(), 1);
        let [own, reference] = self.to_posterior;
        let has_posterior = self.count > 0 && self.with_posterior == self.count;
        let to_posterior = has_posterior.then(|| EstimatePosteriorDistances {
            own: own / &count,
            reference: reference / &count,
        });
        (self.count > 0).then(|| PlayerAndReferenceEstimateErrors {
            own: self.own / &count,
            reference: self.reference / &count,
            count: self.count,
            to_posterior,
            furthest: self.furthest,
        })
    }
}

/// The running sums of the payoff's parts while a debate is replayed.
#[derive(Default)]
struct Sums {
    parts: PayoffParts,
    /// The prover's bet in the current round of the replayed debate; `claim` is the claim of the bet.
    bet: Exact,
    claim: Option<ClaimId>,
    /// The sum of the current round's gaps; `None` if no subclaim has been estimated in it.
    misses: Option<Exact>,
    /// The sum of the current round's gaps in the claim's probability, signed.
    before_coins: Exact,
}

impl Sums {
    /// Adds the prover's reward `paid` to the payoff's parts. `stake` is the stake of its round.
    fn pay(&mut self, paid: &Exact, stake: Option<&MaxRoundPayoff>) {
        let before_coins = std::mem::take(&mut self.before_coins);
        match (
            stake.map(|stake| (stake.round, &stake.weight)),
            self.misses.take(),
        ) {
            (Some((Round::Number(_), weight)), Some(misses)) => {
                let earned = &misses * weight * &self.bet;
                self.parts.open += misses.abs() * weight;
                self.parts.misses_before_coins += before_coins * weight * &self.bet;
                self.parts.exceeds_stake |= !self.bet.is_zero() && misses.abs() > Exact::one();
                if earned.is_negative() {
                    self.parts.wrong += -&earned;
                    self.parts.wrong_bets += 1;
                }
                self.parts.coins += paid - &earned;
                self.parts.misses += earned;
            }
            (Some((Round::Initial, _)), _) => self.parts.first += paid,
            _ => self.parts.last += paid,
        }
    }
}

/// Adds the gap of an estimate to the total of its round.
fn add_round_gap(round_gaps: &mut Vec<RoundGapSum>, stake: Option<&MaxRoundPayoff>, gap: Exact) {
    let Some(number) = stake.and_then(|stake| stake.number) else {
        return;
    };
    if gap.is_zero() {
        return;
    }
    match round_gaps.last_mut() {
        Some(last) if last.number == number => last.gap += gap,
        _ => round_gaps.push(RoundGapSum { number, gap }),
    }
}

/// Returns the stake of the debate's last claim, if the judge answered this claim and a bet on it was paid.
fn last_claim(log: &Log<Exact>) -> Option<LastClaimStake> {
    let Some(Reward::Bet {
        judged: true,
        weight,
        p,
        ..
    }) = log.paid_rewards().last()
    else {
        return None;
    };
    let most = weight * p.clone().max(Exact::one() - p);
    Some(LastClaimStake {
        stake: weight.clone(),
        most,
    })
}

/// Returns the truth of the estimated claim, if the estimate's error is measured. It is measured for the root claim,
/// and in the first round if the earlier coins agree with the truth.
pub fn truth_for_knowledge_score(
    instance: &Instance,
    turn: &PendingTurn<Exact>,
    log: &Log<Exact>,
) -> Option<bool> {
    let claim = turn.request.claim_of_request()?;
    if turn.request.index_among_siblings().is_some() {
        if log.last_selected_claim().is_some() || !turn.request.may_depend_on_sibling_coins() {
            return None;
        }
        let coins = log.coins_since_split();
        let agrees = |(claim, value): &(ClaimId, bool)| instance.truth(*claim) == Some(*value);
        if !coins.iter().all(agrees) {
            return None;
        }
    }
    instance.truth(claim)
}

impl ReviewContext {
    /// True if the replies of a seat can be evaluated. They cannot for a judge, under the rules Speeches, or with a
    /// human judge.
    pub fn can_value_replies(&self, seat: Seat) -> bool {
        let is_debater = matches!(seat, Seat::Prover | Seat::Opponent);
        is_debater
            && self.protocol_kind() != ProtocolKind::Speeches
            && !self.is_human_seat(Seat::Judge)
    }

    /// True if the seat's replies are evaluated by the consistency of its estimates: the estimator's seat.
    pub fn is_rated_by_consistency(&self, seat: Seat) -> bool {
        self.protocol_kind() == ProtocolKind::ProverEstimator && seat == Seat::Opponent
    }

    /// Finds mistakes in the replies of human players, and computes the parts of the prover's payoff.
    ///
    /// # Errors
    /// Returns an error if the review is stopped, if a player cannot be built, or if a move is illegal. A reply whose
    /// value takes too long is not assessed.
    pub fn review_moves(
        &self,
        moves: &[Move<Exact>],
        budget: ComputationBudget<'_>,
    ) -> Result<DebateReview, ReviewError> {
        let is_measured =
            self.is_human_seat(Seat::Opponent) && self.can_value_replies(Seat::Opponent);
        self.replayed(moves, is_measured, true, budget)
    }

    /// Computes the parts of the prover's payoff, and the measures of the estimates even if the estimator is not human.
    /// Finds no faults.
    ///
    /// # Errors
    /// Returns an error if a move is illegal.
    pub fn review_moves_without_faults(
        &self,
        moves: &[Move<Exact>],
    ) -> Result<DebateReview, ReviewError> {
        self.replayed(moves, true, false, ComputationBudget::default())
    }

    /// Replays a debate and reviews it. `is_measured`: also measure the estimates. `finds_faults`: also find mistakes
    /// of human players.
    #[expect(
        clippy::too_many_lines,
        reason = "a single pass over the moves is clearer: later moves read sums over earlier ones"
    )]
    fn replayed(
        &self,
        moves: &[Move<Exact>],
        is_measured: bool,
        finds_faults: bool,
        budget: ComputationBudget<'_>,
    ) -> Result<DebateReview, ReviewError> {
        let start = self.start()?;
        let schedule = start.schedule();
        let has_bets = self.has_bets();
        let mut state = start.clone();
        let mut log = Log::default();
        let mut sums = Sums::default();
        let bob = Seat::Opponent;
        let is_measured = is_measured && self.is_rated_by_consistency(bob);
        let reference = is_measured.then(|| self.reference());
        let has_posterior = opponent_reads_no_evidence(&self.instance);
        let mut gap = Exact::zero();
        let mut before_coins = Exact::zero();
        let mut round_gaps = Vec::new();
        let mut rounds = 0;
        let mut is_exact = true;
        let mut errors = SquaredErrors::default();
        let mut steps = Vec::with_capacity(moves.len());
        for (number, made) in moves.iter().enumerate() {
            let Some(turn) = state.request() else { break };
            let round = state.round().filter(|_| has_bets);
            let stake = round.and_then(|round| MaxRoundPayoff::of(round, &schedule));
            if let Reply::Direction(bet) = &made.reply {
                sums.bet = Exact::ratio(bet.sign().into(), 1);
                sums.claim = turn.request.claim_of_request();
                sums.misses = None;
                sums.before_coins = Exact::zero();
            }
            if let (Some(round), Reply::Probability(p)) = (state.consistency(), &made.reply) {
                let missed = round.signed_unweighted_subclaim_estimate_gap(p);
                let signed_gap = round.signed_gap_times_coin_probability(p);
                let claim_gap = signed_gap.abs();
                sums.before_coins += signed_gap;
                gap += &claim_gap;
                if let Some(stake) = &stake {
                    before_coins += &claim_gap * &stake.weight;
                }
                add_round_gap(&mut round_gaps, stake.as_ref(), claim_gap);
                is_exact &= round.is_probability_determined_by_one_coin_path();
                let number = stake.as_ref().and_then(|stake| stake.number);
                rounds = rounds.max(number.unwrap_or(0));
                *sums.misses.get_or_insert_default() += missed;
            }
            let reference = match (&reference, &made.reply) {
                (Some(reference), Reply::Probability(_)) if turn.seat == bob => {
                    Some(reference.estimate(&state, &turn)?)
                }
                _ => None,
            };
            if let (Some(reference), Reply::Probability(p)) = (&reference, &made.reply)
                && let Some(truth) = truth_for_knowledge_score(&self.instance, &turn, &log)
            {
                let posterior = reference.posterior.as_ref().filter(|_| has_posterior);
                let estimate = EstimateFurthestFromReference {
                    claim: turn
                        .request
                        .claim_of_request()
                        .unwrap_or_else(|| self.instance.root()),
                    own: p.clone(),
                    reference: reference.p.clone(),
                };
                errors.add(truth, estimate, posterior);
            }
            let is_valued =
                finds_faults && self.can_value_replies(turn.seat) && self.is_human_seat(turn.seat);
            let assessment = if !is_valued {
                ReplyAssessment::default()
            } else if self.is_rated_by_consistency(turn.seat) {
                let round = sums.claim.zip(stake.as_ref());
                let reference = reference.as_ref();
                ReplyAssessment {
                    fault: self.estimate_fault(&state, &turn, &made.reply, round, reference),
                    ..ReplyAssessment::default()
                }
            } else {
                self.assess_reply(&start, moves, number, stake.as_ref(), budget)?
            };
            let entry = log.entries().len();
            let before = state.payoff();
            let seat = turn.seat;
            let illegal = |illegal| PayoffNotComputedReason::Illegal { seat, illegal };
            state.reply(made.reply.clone(), &mut log).map_err(illegal)?;
            let paid = state.payoff() - before;
            if !paid.is_zero() || state.round() != round {
                sums.pay(&paid, stake.as_ref());
            }
            steps.push(MoveReview {
                seat,
                reply: made.reply.clone(),
                stake,
                claim: turn.request.claim_of_request(),
                ask: turn.request.meaning_of_bits(),
                entry,
                fault: assessment.fault,
                lucky_fault: assessment.lucky_fault,
                is_best: assessment.is_best,
            });
        }
        Ok(DebateReview {
            steps,
            payoff: state.payoff(),
            rewards: log.paid_rewards().map(Reward::payment_to_prover).collect(),
            parts: (self.protocol_kind() == ProtocolKind::ProverEstimator).then(|| PayoffParts {
                round_gaps: round_gaps.clone(),
                ..sums.parts
            }),
            figures: is_measured.then(|| EstimatorMeasures {
                gap,
                before_coins,
                round_gaps,
                is_exact,
                knowledge: errors.mean(),
                rounds,
                last_claim: last_claim(&log),
            }),
        })
    }

    /// Returns the mistake in an estimate, if there is one.
    fn estimate_fault(
        &self,
        state: &State<'_, Exact>,
        turn: &PendingTurn<Exact>,
        reply: &Reply<Exact>,
        round: Option<(ClaimId, &MaxRoundPayoff)>,
        reference: Option<&ReferenceEstimate>,
    ) -> Option<ReplyFault> {
        let Reply::Probability(p) = reply else {
            return None;
        };
        if let Some(known) = self.truth_revealed_to_estimator(&turn.request) {
            let share = (Exact::indicator(known) - p).abs();
            return (share >= Exact::ratio(LEAST_FAULT.0, LEAST_FAULT.1)).then(|| ReplyFault {
                cause: ReplyFaultCause::Known(known),
                loss: Exact::zero(),
                share,
            });
        }
        if let (Some(position), Some((claim, stake))) = (turn.request.index_among_siblings(), round)
            && let Some(misfit) =
                InconsistentEstimate::of(&state.consistency()?, claim, position, p)
        {
            // The end screen shows gaps in the claim's probability. With the same gaps here, the first inconsistent
            // estimate of a round is its largest fault, and the faults of a round add up to its gap.
            let share = state
                .consistency()?
                .signed_gap_times_coin_probability(p)
                .abs();
            return is_visible_gap(&share).then(|| ReplyFault {
                loss: &share * &stake.weight,
                cause: ReplyFaultCause::Misfit(Box::new(misfit)),
                share,
            });
        }
        let reference = reference.filter(|it| it.basis == ReferenceEstimateBasis::Posterior)?;
        let share = (&reference.p - p).abs();
        let is_certain = reference.p.is_zero() || reference.p.is_one();
        let least = if is_certain {
            LEAST_FAULT
        } else {
            LEAST_DISTANCE
        };
        (share >= Exact::ratio(least.0, least.1)).then(|| ReplyFault {
            cause: ReplyFaultCause::Unlikely {
                posterior: reference.posterior.as_ref().unwrap_or(&reference.p).clone(),
                consistent: reference.p.clone(),
            },
            loss: Exact::zero(),
            share,
        })
    }

    /// Returns the truth of the requested claim, if a test revealed it to the estimator's seat before the first move.
    pub fn truth_revealed_to_estimator(&self, request: &Request<Exact>) -> Option<bool> {
        let is_root = request.claim_of_request() == Some(self.instance.root())
            && request.index_among_siblings().is_none();
        let blind =
            BlindReader::belief_reader_for_seat(&self.instance, Seat::Opponent.seat_index());
        blind
            .cheap_root_test_result()
            .filter(|_| is_root && request.is_answered_with_probability())
    }

    /// Compares the expected payoff of a move's reply with that of the best reply.
    fn assess_reply(
        &self,
        start: &State<'_, Exact>,
        moves: &[Move<Exact>],
        number: usize,
        stake: Option<&MaxRoundPayoff>,
        budget: ComputationBudget<'_>,
    ) -> Result<ReplyAssessment, ReviewError> {
        let made = &moves[number];
        let Ok(known) = self.instances_known_to(made.seat) else {
            return Ok(ReplyAssessment::default());
        };
        let worlds = self.possible(&known, budget)?;
        let view = SeatKnowledge::new(start, &moves[..number], self.human_seats())?;
        // The grid must contain the actual reply, so that the two can be compared.
        let mut grid = uniform_grid(PARTS);
        if let Reply::Probability(p) = &made.reply
            && !grid.contains(p)
        {
            grid.push(p.clone());
        }
        let effort = HintSearchLimits::REVIEW;
        let hints =
            self.hints_from_knowledge(&view, &worlds, RepliesToValue::All(&grid), effort, budget);
        let hints = match hints {
            Ok(mut hints) if hints.of_players && hints.rated_reply(&made.reply).is_none() => {
                let own = RepliesToValue::These(std::slice::from_ref(&made.reply));
                let own = self.hints_from_knowledge(&view, &worlds, own, effort, budget);
                own.map(|own| {
                    hints.replies.extend(own.replies);
                    hints
                })
            }
            hints => hints,
        };
        let assessment = self.shortfall(hints, &made.reply, stake)?;
        let Some(fault) = &assessment.fault else {
            return Ok(assessment);
        };
        if self.is_recommended_by_hint(&view, &worlds, &made.reply, budget)? {
            return Ok(ReplyAssessment {
                is_best: true,
                ..ReplyAssessment::default()
            });
        }
        let is_right =
            worlds.len() > 1 && self.is_better_in_truth(&view, &made.reply, fault, budget)?;
        Ok(if is_right {
            ReplyAssessment {
                lucky_fault: assessment.fault,
                ..ReplyAssessment::default()
            }
        } else {
            assessment
        })
    }

    /// True if the hint during the debate names the reply as one of the best. The review examines more replies than a
    /// hint, so it can find a better one. A player who follows a hint makes no mistake.
    fn is_recommended_by_hint(
        &self,
        view: &SeatKnowledge<'_>,
        worlds: &[PriorInstanceWithPlayers<'_>],
        made: &Reply<Exact>,
        budget: ComputationBudget<'_>,
    ) -> Result<bool, ReviewError> {
        let hints = unless_stopped(self.hints_for_seat(view, worlds, budget))?;
        Ok(hints.is_some_and(|hints| {
            let best = hints.best_reply();
            let rated = hints.rated_reply(made);
            best.zip(rated).is_some_and(|(best, rated)| {
                (&best.value, &best.worst) == (&rated.value, &rated.worst)
            })
        }))
    }

    /// True if the reply of a fault is better than the suggested one in the debated instance.
    fn is_better_in_truth(
        &self,
        view: &SeatKnowledge<'_>,
        made: &Reply<Exact>,
        fault: &ReplyFault,
        budget: ComputationBudget<'_>,
    ) -> Result<bool, ReviewError> {
        let ReplyFaultCause::Worse { best, .. } = &fault.cause else {
            return Ok(false);
        };
        let truth = [(Exact::one(), self.instance.copy_with_only_root_numbered())];
        let both = [made.clone(), best.clone()];
        let worlds = self.possible(&truth, budget)?;
        let filter = RepliesToValue::These(&both);
        let hints =
            self.hints_from_knowledge(view, &worlds, filter, HintSearchLimits::REVIEW, budget);
        let Some(hints) = unless_stopped(hints)? else {
            return Ok(false);
        };
        let [made, best] = both.each_ref().map(|reply| hints.rated_reply(reply));
        let value = |rated: &RatedReply| hints.payoff_of_seat_to_move(rated.value.clone());
        Ok(made
            .zip(best)
            .is_some_and(|(made, best)| value(made) > value(best)))
    }

    /// Compares a reply with the best of the hints. There is no mistake if the loss is too small, or if there are too
    /// many replies to compare.
    fn shortfall(
        &self,
        hints: Result<ReplyPayoffHint, ReviewError>,
        made: &Reply<Exact>,
        stake: Option<&MaxRoundPayoff>,
    ) -> Result<ReplyAssessment, ReviewError> {
        use PayoffNotComputedReason::{Countless, Endless, Exceeded};
        let hints = match hints {
            Err(error) if error.was_cancelled() => return Err(error),
            Err(
                ReviewError::Unsolved(Countless(_) | Endless(_) | Exceeded(_))
                | ReviewError::Sealed
                | ReviewError::TooMuchSealed,
            ) => return Ok(ReplyAssessment::default()),
            hints => hints?,
        };
        let (Some(best), Some(made)) = (hints.best_reply(), hints.rated_reply(made)) else {
            return Ok(ReplyAssessment::default());
        };
        let less = |best: &Exact, made: &Exact| {
            hints.payoff_of_seat_to_move(best.clone()) - hints.payoff_of_seat_to_move(made.clone())
        };
        let (loss, guaranteed) = match (&best.worst, &made.worst) {
            (Some(most), Some(worst)) => (less(most, worst), true),
            // If the rival is human, there is no strategy against which to compute the value.
            _ if self.is_human_seat(rival(hints.seat)) => return Ok(ReplyAssessment::default()),
            _ => (less(&best.value, &made.value), false),
        };
        // A verdict pays ±1, so half the loss is the decrease of the probability of winning. The whole
        // debate, whose last stake is 1, depends on the first answer.
        let whole = match (&best.reply, stake) {
            (Reply::Answer(_), Some(_)) => Exact::ratio(1, 1),
            (_, Some(stake)) => stake.weight.clone(),
            (_, None) => Exact::ratio(2, 1),
        };
        if whole.is_zero() {
            return Ok(ReplyAssessment::default());
        }
        let share = &loss / whole;
        // Small losses of other replies are ignored. A bet has no such margin, because the best bet is known exactly.
        let is_fault = match made.reply {
            Reply::Direction(_) => loss.is_positive(),
            _ => share >= Exact::ratio(LEAST_FAULT.0, LEAST_FAULT.1),
        };
        let is_best = !loss.is_positive();
        let fault = is_fault.then(|| ReplyFault {
            cause: ReplyFaultCause::Worse {
                best: best.reply.clone(),
                possible_cases: hints.instances,
                guaranteed,
            },
            loss,
            share,
        });
        Ok(ReplyAssessment {
            fault,
            is_best,
            ..ReplyAssessment::default()
        })
    }
}

/// Returns the seat of the other debater.
fn rival(seat: Seat) -> Seat {
    match seat {
        Seat::Prover => Seat::Opponent,
        _ => Seat::Prover,
    }
}
