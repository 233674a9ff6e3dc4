//! Trials: plays many debates with the same players to show their average payoff.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use super::ReviewError;
use super::reference::ReferenceEstimator;
use super::{
    DebateReview, LaterReplyAssumption, MAX_REVIEW_REPLIES, ReviewContext, seated, unless_stopped,
};
use crate::expectation::PayoffNotComputedReason;
use crate::expectimax::{ExhaustiveExpectimax, SeatDecisionMaker};
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::gate::is_rounding_gap;
use debate_core::number::{
    Exact, NORMAL_95, Number as _, to_u32_saturating, zero_if_rounding_error,
};
use debate_core::player::prover_estimator::EstimateQuery;
use debate_core::player::{
    Move, PlayableStrategy, PlayerSpec, Policy, ReplyDistribution, SeededRandomness,
    StrategyMemoryAndCosts, play_recording_moves,
};
use debate_core::protocol::speeches::rounds_heard_by_judge;
use debate_core::protocol::{
    Log, PendingTurn, ProtocolKind, Reply, Request, Round, Rules as _, Seat, SpeechDebate, State,
    View,
};
use debate_core::scenario::{ClaimId, Instance};
use num_traits::{One as _, Zero as _};

/// The trials of two players. For comparison, the same debates with the user's own estimates, and with the honest
/// prover.
#[derive(Clone, Debug, PartialEq)]
pub struct PayoffsWithReplacedPlayers {
    /// The debates of the two players as they are, without the user's own estimates and without the honest prover in
    /// place of the debate's own players.
    pub pair: ManyDebatesPayoffs,
    /// The trials with the user's own estimates, if the user gave any. The estimator repeats the user's estimate of a
    /// claim while the reference estimator's number for the claim is the same as in the user's debate. Otherwise it
    /// gives the reference number, because the user's estimate would ignore the different coins. A user's estimate that
    /// was consistent, up to rounding, is moved to the nearest consistent number, so that a user without gaps has none
    /// here.
    pub own: Option<ManyDebatesPayoffs>,
    /// The same debates with the honest prover. `None` if the prover is already honest, if the rules have no honest
    /// prover, or if they make her claim something false.
    pub honest: Option<ManyDebatesPayoffs>,
    /// The expected payoff of a human prover who replies best by what its seat knows, before its first reply. `None` if
    /// it is unknown, or if the prover is not human.
    pub best_play: Option<Exact>,
    /// The score, in bits, of the human judge in the user's debate; `None` without a score.
    pub own_judge_score: Option<f64>,
}

/// A row of a histogram: the number of payoffs in an interval. Positive intervals contain their upper end, negative
/// ones their lower end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistogramBar {
    /// The lower end of the interval. It equals the upper end `to` in the row of the payoff 0, and if all payoffs are
    /// equal.
    pub from: Exact,
    pub to: Exact,
    pub count: usize,
}

/// The payoffs of many debates.
#[derive(Clone, Debug, PartialEq)]
pub struct ManyDebatesPayoffs {
    /// Prover, opponent and judge.
    pub players: [String; 3],
    /// The payoff of each debate: the prover's, unless [seen from the other seat](Self::payoffs_of_debater).
    pub payoffs: Vec<f64>,
    /// The exact expected payoff, if it was found.
    pub exact: Result<Exact, PayoffNotComputedReason>,
    /// The exact expectations of the payoff's parts, whose sum is `exact`: first answer, gaps, coins and last claim.
    /// `None` if they are unknown.
    pub exact_parts: Option<[Exact; 4]>,
    /// True if the estimator repeats the user's numbers.
    pub has_own_numbers: bool,
    /// The measures of the estimates in these debates; `None` under rules without estimates.
    pub measures: Option<ManyDebatesEstimateMeasures>,
    /// The judge's score in bits, averaged over debates; `None` if a debate has no score or an infinite one.
    pub judge_score: Option<f64>,
}

/// The measures of the estimates in many debates. The squared errors are means over estimates, everything else is a
/// mean over debates.
#[derive(Clone, Debug, PartialEq)]
pub struct ManyDebatesEstimateMeasures {
    /// The sum of the sizes of the gaps in a debate's estimates, averaged over debates.
    pub gap: f64,
    /// The sum of each round's absolute gap times its stake, averaged over debates: the payoff of bets in the right
    /// direction.
    pub open: f64,
    /// True if bets in the right direction would earn exactly `open` on average; false if `open` is only a lower bound
    /// on these earnings.
    pub is_exact: bool,
    /// The mean squared error of the player's estimates: of the root claim, and of first-round subclaims while all
    /// earlier coins agree with the truth ([`super::truth_for_knowledge_score`]).
    pub own: f64,
    /// The mean squared error of the reference estimator's numbers for the same claims.
    pub reference: f64,
    /// The number of these estimates.
    pub count: u64,
    /// The mean squared distances to the posterior: of the player's estimates and of the reference estimator's. `None`
    /// if Bob reads evidence, or if his seat has no prior.
    pub to_posterior: Option<[f64; 2]>,
    /// The part of the prover's payoff from the first answer, averaged over debates.
    pub first: f64,
    /// The part of the prover's payoff from gaps in estimates: each gap times the bet and the stake.
    pub misses: f64,
    /// The part from the coins.
    pub coins: f64,
    /// The part of the prover's payoff from the bet on the last claim, averaged over debates.
    pub last: f64,
}

impl ManyDebatesEstimateMeasures {
    fn new() -> Self {
        Self {
            gap: 0.0,
            open: 0.0,
            is_exact: true,
            own: 0.0,
            reference: 0.0,
            count: 0,
            to_posterior: Some([0.0; 2]),
            first: 0.0,
            misses: 0.0,
            coins: 0.0,
            last: 0.0,
        }
    }

    /// Adds the measures of one debate to the sums.
    fn add(&mut self, debate: &DebateReview) {
        if let Some(figures) = &debate.figures {
            self.gap += figures.gap.to_float();
            self.is_exact &= figures.is_exact;
            if let Some(knowledge) = &figures.knowledge {
                let count = f64::from(knowledge.count);
                self.own += knowledge.own.to_float() * count;
                self.reference += knowledge.reference.to_float() * count;
                self.count += u64::from(knowledge.count);
                let distances = knowledge.to_posterior.as_ref();
                let both = self.to_posterior.zip(distances);
                self.to_posterior = both.map(|([own, reference], more)| {
                    [
                        own + more.own.to_float() * count,
                        reference + more.reference.to_float() * count,
                    ]
                });
            }
        }
        if let Some(parts) = &debate.parts {
            self.open += parts.open.to_float();
            self.first += parts.first.to_float();
            self.misses += parts.misses.to_float();
            self.coins += parts.coins.to_float();
            self.last += parts.last.to_float();
        }
    }

    /// Divides the sums by the number of debates or estimates to get means.
    fn mean(mut self, debates: u32) -> Self {
        let debates = f64::from(debates.max(1));
        for sum in [
            &mut self.gap,
            &mut self.open,
            &mut self.first,
            &mut self.misses,
            &mut self.coins,
            &mut self.last,
        ] {
            *sum /= debates;
        }
        let estimates =
            f64::from(to_u32_saturating(usize::try_from(self.count).unwrap_or(usize::MAX)).max(1));
        self.own /= estimates;
        self.reference /= estimates;
        self.to_posterior = self
            .to_posterior
            .filter(|_| self.count > 0)
            .map(|sums| sums.map(|sum| sum / estimates));
        self
    }
}

impl ReviewContext {
    /// Plays `count` debates of the two players. Plays `count` more with the user's own estimates from `moves`, if
    /// there are any. Plays `count` more with the honest prover, unless the prover is already honest, the rules have
    /// none, or she would claim something false. Calls `tell` with the number of debates played so far.
    ///
    /// # Errors
    /// Returns an error if a player fails, or if the trials are stopped.
    pub fn trials(
        &self,
        moves: &[Move<Exact>],
        seed: &Seed,
        count: u32,
        budget: ComputationBudget<'_>,
        tell: &dyn Fn(u32),
    ) -> Result<PayoffsWithReplacedPlayers, ReviewError> {
        let plays = self.plays(budget)?;
        let played = Cell::new(0);
        let tell = |more: u32| {
            tell(played.get() + more);
            if more == count {
                played.set(played.get() + count);
            }
        };
        let numbers = self.numbers(moves)?;
        let pair = self.trial(plays, None, seed, count, budget, &tell)?;
        let own = (!numbers.is_empty())
            .then(|| self.trial(plays, Some(&numbers), seed, count, budget, &tell));
        let table = self.with_honesty(plays);
        let honest = table.map(|table| self.trial(&table, None, seed, count, budget, &tell));
        Ok(PayoffsWithReplacedPlayers {
            pair,
            own: own.transpose()?,
            honest: honest.transpose()?,
            best_play: self.best_play(moves, budget)?,
            own_judge_score: self
                .is_human_seat(Seat::Judge)
                .then(|| judge_score(&self.start().ok()?, moves, &self.instance))
                .flatten(),
        })
    }

    /// Returns the expected payoff of a human prover who replies best by what its seat knows, before its first reply.
    /// `None` under rules without bets, against another human, or if it takes too long.
    fn best_play(
        &self,
        moves: &[Move<Exact>],
        budget: ComputationBudget<'_>,
    ) -> Result<Option<Exact>, ReviewError> {
        let is_valued = self.has_bets()
            && self.is_human_seat(Seat::Prover)
            && !self.is_human_seat(Seat::Opponent)
            && self.can_value_replies(Seat::Prover);
        let first = moves.iter().position(|made| made.seat == Seat::Prover);
        let Some(first) = first.filter(|_| is_valued) else {
            return Ok(None);
        };
        let hints = unless_stopped(self.reply_hints(&moves[..first], budget))?;
        let hints = hints.filter(|hints| hints.later == LaterReplyAssumption::Best);
        Ok(hints.and_then(|hints| Some(hints.best_reply()?.value.clone())))
    }

    /// Returns the largest stake of a round: the last claim's, if rounds are bets.
    pub fn largest_stake(&self) -> Option<Exact> {
        let schedule = self.start().ok()?.schedule();
        schedule.into_iter().map(|(_, weight)| weight).max()
    }

    /// Returns ε, the error of an estimate beyond which the honest prover bets. `None` under rules without bets.
    pub fn epsilon_beyond_which_honest_prover_bets(&self) -> Option<Exact> {
        let (epsilon, _) = self.protocol.protocol_parameters().epsilon_and_rho()?;
        Some(epsilon.clone())
    }

    /// Returns the total number of debates that [`Self::trials`] plays for these arguments.
    pub fn simulated_debate_count(
        &self,
        moves: &[Move<Exact>],
        debates_per_comparison: u32,
    ) -> u32 {
        let own = self.numbers(moves).is_ok_and(|numbers| !numbers.is_empty());
        let honest = self.with_honesty(self.known_players()).is_some();
        debates_per_comparison * (1 + u32::from(own) + u32::from(honest))
    }

    /// Returns the user's estimates by claim, if the user is the estimator. If a claim was estimated twice, the last
    /// estimate counts.
    fn numbers(&self, moves: &[Move<Exact>]) -> Result<OwnNumbers, ReviewError> {
        let mut numbers = HashMap::new();
        let reference = ReferenceEstimator::new(&self.instance);
        if !self.is_rated_by_consistency(Seat::Opponent) || !self.is_human_seat(Seat::Opponent) {
            return Ok(numbers);
        }
        let mut state = self.start()?;
        for made in moves {
            let seat = made.seat;
            let turn = state.request();
            let query = turn
                .as_ref()
                .and_then(|turn| EstimateQuery::of(&turn.request));
            if let (Some(turn), Some(query), Reply::Probability(p)) = (turn, query, &made.reply) {
                let fit = state.consistency();
                let own = OwnNumber {
                    p: p.clone(),
                    has_gap: fit.is_some_and(|fit| {
                        !is_rounding_gap(&fit.signed_unweighted_subclaim_estimate_gap(p))
                    }),
                    reference: reference.estimate(&state, &turn)?.p,
                };
                numbers.insert((query.claim, query.alone), own);
            }
            let illegal = |illegal| PayoffNotComputedReason::Illegal { seat, illegal };
            state.reply(made.reply.clone(), &mut ()).map_err(illegal)?;
        }
        Ok(numbers)
    }

    /// Returns the players with the honest prover in place of the current one. Returns `None` if the prover is already
    /// honest, if the rules have no honest prover, or if they make her claim something false.
    fn with_honesty(&self, plays: &[PlayerSpec; 3]) -> Option<[PlayerSpec; 3]> {
        let fixed = self
            .protocol
            .protocol_parameters()
            .prover_always_claims_true();
        if fixed && self.instance.truth(self.instance.root()) == Some(false) {
            return None;
        }
        let honest = seated(plays, Seat::Prover, PlayerSpec::without_arguments("honest"));
        let kind = self.protocol.kind();
        let exists = self.registry.find("honest", Seat::Prover, kind).is_ok();
        (exists && honest != *plays).then_some(honest)
    }

    fn trial(
        &self,
        plays: &[PlayerSpec; 3],
        numbers: Option<&OwnNumbers>,
        seed: &Seed,
        count: u32,
        budget: ComputationBudget<'_>,
        tell: &dyn Fn(u32),
    ) -> Result<ManyDebatesPayoffs, ReviewError> {
        let start = self.start()?;
        let mut players = self.build(plays, &self.instance, budget)?;
        if let Some(numbers) = numbers {
            let [prover, scenario, judge] = players;
            let numbers = numbers.clone();
            let repeating = Repeating {
                numbers,
                scenario,
                reference: ReferenceEstimator::new(&self.instance),
            };
            players = [prover, Box::new(repeating), judge];
        }
        let is_measured = self.is_rated_by_consistency(Seat::Opponent);
        let limit = budget.with_computation_step_limit(MAX_REVIEW_REPLIES);
        // The parts of a mean payoff need the rewards of each round.
        let mut search = if is_measured {
            ExhaustiveExpectimax::new(
                &start,
                SeatDecisionMaker::decision_makers_of_players(&players),
                limit,
            )
        } else {
            ExhaustiveExpectimax::between_players(&start, &players, limit)
        };
        let exact = search.expectation_from_state(start.clone());
        if exact == Err(PayoffNotComputedReason::STOPPED) {
            return Err(PayoffNotComputedReason::STOPPED.into());
        }
        let mut measures = is_measured.then(ManyDebatesEstimateMeasures::new);
        let mut is_last_claim_in_round_0 = true;
        let mut payoffs = Vec::with_capacity(count as usize);
        let mut judge_scores = Vec::new();
        for number in 0..count {
            let mut chances = SeededRandomness::new(seed, number.into(), start.coins());
            let mut state = start.clone();
            let table = players.each_ref().map(|player| &**player);
            let mut moves = Vec::new();
            let played = play_recording_moves(&mut state, table, &mut chances, &mut moves, &budget);
            let played = played.map_err(PayoffNotComputedReason::from)?;
            if let Some(measures) = &mut measures {
                let debate = self.review_moves_without_faults(&moves)?;
                measures.add(&debate);
                is_last_claim_in_round_0 &= pays_last_claim_in_round_0(&debate);
            }
            judge_scores.extend(judge_score(&start, &moves, &self.instance));
            payoffs.push(played.payoff.to_float());
            tell(number + 1);
        }
        let mut names = plays.each_ref().map(ToString::to_string);
        if numbers.is_some() {
            "your numbers; where your debate has none or had other hints, the hints' numbers"
                .clone_into(&mut names[1]);
        }
        let has_exact_gaps = measures.as_ref().is_some_and(|measures| measures.is_exact);
        let exact_parts = exact
            .as_ref()
            .ok()
            .filter(|_| has_exact_gaps && is_last_claim_in_round_0);
        let exact_parts = exact_parts.map(|expected| {
            expected_payoff_parts(&start.schedule(), &expected.expected_rewards_by_round())
        });
        Ok(ManyDebatesPayoffs {
            players: names,
            payoffs,
            exact: exact.map(|expected| expected.expected_payoff()),
            exact_parts,
            has_own_numbers: numbers.is_some(),
            measures: measures.map(|measures| measures.mean(count)),
            judge_score: mean_if_finite(&judge_scores, count),
        })
    }
}

/// Returns the judge's score in a debate in free speeches, in bits. `None` under other rules, if the right answer is
/// not known, or if a move is illegal.
fn judge_score(
    start: &State<'_, Exact>,
    moves: &[Move<Exact>],
    instance: &Instance,
) -> Option<f64> {
    if start.kind() != ProtocolKind::Speeches {
        return None;
    }
    let mut state = start.clone();
    let mut log = Log::default();
    for made in moves {
        state.reply(made.reply.clone(), &mut log).ok()?;
    }
    let debate: &SpeechDebate<'_, Exact> = (&state).try_into().ok()?;
    let p = debate.last_judge_probability()?.clone();
    let right = if instance.truth(instance.root())? {
        p
    } else {
        Exact::one() - p
    };
    let scoring = &debate.parameters().scoring;
    Some(scoring.judge_score(right.to_float(), rounds_heard_by_judge(&log)))
}

/// Returns the mean of the scores of `count` debates. `None` if a debate has no score, or an infinite one.
fn mean_if_finite(scores: &[f64], count: u32) -> Option<f64> {
    let mean = scores.iter().sum::<f64>() / f64::from(count.max(1));
    (scores.len() == count as usize && count > 0 && mean.is_finite()).then_some(mean)
}

/// True if the bet on the last claim is paid in round 0. With `early_leaf: InPlace`, it can be paid in an earlier
/// round. Also true if this part of the payoff is 0.
fn pays_last_claim_in_round_0(debate: &DebateReview) -> bool {
    let last_stake = debate.steps.last().and_then(|step| step.stake.as_ref());
    let is_zero = debate
        .parts
        .as_ref()
        .is_none_or(|parts| parts.last.is_zero());
    is_zero || last_stake.is_some_and(|stake| stake.round == Round::Number(0))
}

/// Returns the expectations of a payoff's parts: first answer, gaps, coins and last claim. In each round, the expected
/// reward is the gap times the bet and the stake, because every gate's coins determine its probability; so the coins
/// have the mean 0. The judge answers the last claim in round 0.
fn expected_payoff_parts(schedule: &[(Round, Exact)], rewards: &[Exact]) -> [Exact; 4] {
    let mut parts = <[Exact; 4]>::default();
    for ((round, _), reward) in schedule.iter().zip(rewards) {
        let index = match round {
            Round::Initial => 0,
            Round::Number(0) => 3,
            Round::Number(_) => 1,
        };
        parts[index] += reward;
    }
    parts
}

/// A user's estimate of a claim.
#[derive(Clone, Debug)]
struct OwnNumber {
    p: Exact,
    /// True if the estimate was inconsistent with the other estimates of its round by more than rounding.
    has_gap: bool,
    /// The reference estimator's number for the same request. If it is equal in another debate, the seat knows the same
    /// about the claim there.
    reference: Exact,
}

/// A user's estimates by claim and flag. The flag is true for an estimate of the claim alone, which ignores the round's
/// coins.
type OwnNumbers = HashMap<(ClaimId, bool), OwnNumber>;

/// An estimator that repeats a user's estimates. It uses the estimate of a claim only while the reference estimator's
/// number is the same as in the user's debate, else the reference number. Estimates without a gap are moved to the
/// nearest consistent number.
struct Repeating<'a> {
    numbers: OwnNumbers,
    /// The player who replies in the estimator's place to all requests other than those for estimates.
    scenario: PlayableStrategy<'a, Exact>,
    reference: ReferenceEstimator<'a>,
}

impl<'a> Policy<Exact, State<'a, Exact>> for Repeating<'a> {
    // The reference estimator's number depends on earlier coins.
    fn uses_earlier_coins(&self) -> bool {
        true
    }

    fn choose(
        &self,
        view: View<'_, State<'a, Exact>>,
        request: &Request<Exact>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        let Some(query) = EstimateQuery::of(request) else {
            return self.scenario.choose(view, request, policy_state);
        };
        let turn = PendingTurn {
            seat: view.viewing_seat(),
            request: request.clone(),
        };
        let reference = self.reference.estimate(view.state(), &turn).ok()?.p;
        let own = self.numbers.get(&(query.claim, query.alone));
        let p = match own.filter(|own| own.reference == reference) {
            Some(own) if own.has_gap => own.p.clone(),
            Some(own) => nearest_consistent(view.state(), own.p.clone()),
            None => reference,
        };
        Some(ReplyDistribution::Certain(Reply::Probability(p)))
    }
}

/// Returns the consistent estimate nearest to `p`. Outside rounds, returns `p`.
fn nearest_consistent(state: &State<'_, Exact>, p: Exact) -> Exact {
    let Some(fit) = state.consistency() else {
        return p;
    };
    let (from, to) = fit.consistent_estimate_range().into_inner();
    p.clamp(from, to)
}

impl PayoffsWithReplacedPlayers {
    /// True if, for each set of players, all debates had the same payoff.
    pub fn have_equal_payoffs_in_all_debates(&self) -> bool {
        let others = self.own.iter().chain(&self.honest);
        let mut all = std::iter::once(&self.pair).chain(others);
        all.all(ManyDebatesPayoffs::have_constant_payoffs)
    }
}

impl ManyDebatesPayoffs {
    fn have_constant_payoffs(&self) -> bool {
        self.payoffs.windows(2).all(|two| two[0] - two[1] == 0.0)
    }

    fn count(&self) -> f64 {
        f64::from(to_u32_saturating(self.payoffs.len()))
    }

    /// Returns the mean of `payoffs`; 0 if there are no debates.
    pub fn mean_payoff(&self) -> f64 {
        // Computed relative to the first payoff, so that the mean of equal payoffs is exactly that payoff.
        let Some(first) = self.payoffs.first() else {
            return 0.0;
        };
        let beyond: f64 = self.payoffs.iter().map(|payoff| payoff - first).sum();
        zero_if_rounding_error(first + beyond / self.count(), self.largest())
    }

    /// Returns a copy of the trials in which payoffs are those of the given debater.
    #[must_use]
    pub fn payoffs_of_debater(&self, debater: Seat) -> Self {
        let gains = debater != Seat::Opponent;
        let sign = if gains { 1.0 } else { -1.0 };
        Self {
            // Adding 0 turns −0 into 0.
            payoffs: self
                .payoffs
                .iter()
                .map(|payoff| sign * payoff + 0.0)
                .collect(),
            exact: self
                .exact
                .clone()
                .map(|exact| if gains { exact } else { -exact }),
            exact_parts: self
                .exact_parts
                .clone()
                .map(|parts| parts.map(|part| if gains { part } else { -part })),
            ..self.clone()
        }
    }

    /// Returns the greatest absolute value of the payoffs.
    fn largest(&self) -> f64 {
        let sizes = self.payoffs.iter().map(|payoff| payoff.abs());
        sizes.fold(0.0, f64::max)
    }

    /// Returns half the width of the 95 % confidence interval of the mean payoff; 0 for fewer than two debates.
    pub fn confidence_half_width(&self) -> f64 {
        if self.payoffs.len() < 2 {
            return 0.0;
        }
        let mean = self.mean_payoff();
        let squares = self.payoffs.iter().map(|payoff| (payoff - mean).powi(2));
        let variance = squares.sum::<f64>() / (self.count() - 1.0);
        zero_if_rounding_error(NORMAL_95 * (variance / self.count()).sqrt(), self.largest())
    }

    /// Divides the range of payoffs into at most `parts` equal intervals. Their ends are round multiples of `unit`, so
    /// 0 is an end. Payoffs of exactly 0 have a row of their own. If all payoffs are equal, there is one row.
    pub fn payoff_histogram(&self, parts: u32, unit: &Exact) -> Vec<HistogramBar> {
        let least = self.payoffs.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self
            .payoffs
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let Some(first) = self.payoffs.first() else {
            return Vec::new();
        };
        let row = |at: Exact, count| HistogramBar {
            from: at.clone(),
            to: at,
            count,
        };
        if least >= most {
            let only = Exact::from_float(*first).unwrap_or_default();
            return vec![row(only, self.payoffs.len())];
        }
        let step = round_step(least, most, parts.max(1), unit);
        let width = step.to_float();
        let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
        for payoff in &self.payoffs {
            *counts.entry(interval(*payoff, width)).or_default() += 1;
        }
        let times = |index: i64| &step * Exact::from_integer(index.into());
        let bar = |index: i64| {
            let count = counts.get(&index).copied().unwrap_or(0);
            match index.signum() {
                0 => row(Exact::zero(), count),
                sign => HistogramBar {
                    from: times(index.min(index - sign)),
                    to: times(index.max(index - sign)),
                    count,
                },
            }
        };
        let ends = interval(least, width)..=interval(most, width);
        let is_row = |index: &i64| *index != 0 || counts.contains_key(&0);
        ends.filter(is_row).map(bar).collect()
    }
}

/// Returns the signed index of a payoff's interval of a histogram: 1 for payoffs above 0 up to `width`, -1 for those
/// below 0, and 0 for the payoff 0.
fn interval(payoff: f64, width: f64) -> i64 {
    // A payoff at the end of an interval can exceed it by a rounding error.
    let index = (payoff.abs() / width - ROUNDING).ceil();
    let signed = if payoff < 0.0 { -index } else { index };
    #[expect(clippy::cast_possible_truncation, reason = "a few rows")]
    let signed = signed as i64;
    match signed {
        0 if payoff < 0.0 => -1,
        0 if payoff > 0.0 => 1,
        signed => signed,
    }
}

/// The relative size of a rounding error at the end of an interval.
const ROUNDING: f64 = 1e-9;

/// Returns the smallest step of the series …, 0.5, 1, 2, 5, 10, … times `unit` that divides the range from `least` to
/// `most` into at most `parts` intervals.
fn round_step(least: f64, most: f64, parts: u32, unit: &Exact) -> Exact {
    let fits = |step: &Exact| {
        let width = step.to_float();
        let [first, last] = [least, most].map(|end| interval(end, width));
        // The index 0 is no interval.
        let rows = last - first + i64::from(first.signum() * last.signum() > 0);
        rows <= i64::from(parts)
    };
    let ten = Exact::from_integer(10.into());
    let wanted = (most - least) / f64::from(parts) / unit.to_float();
    #[expect(clippy::cast_possible_truncation, reason = "an exponent")]
    let exponent = wanted.log10().floor() as i32;
    let mut decade = unit * ten.pow(exponent);
    loop {
        for digit in [1, 2, 5] {
            let step = &decade * Exact::from_integer(digit.into());
            if fits(&step) {
                return step;
            }
        }
        decade *= &ten;
    }
}
