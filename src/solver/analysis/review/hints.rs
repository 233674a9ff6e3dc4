//! Hints: the expected payoff of each possible reply, as far as the seat to move can know it.

use super::beliefs::{
    PossibleInstanceWithDebatePositions, PriorInstanceWithPlayers, SealedReplyAuthorAssumption,
    SeatKnowledge,
};
use super::hint_search::{
    LaterReplyAssumption, ProverPayoffBeforeAndAfterReply, RepliesToValue, ReplyPayoffSearch,
};
use super::measures::gap_of_current_round;
use super::reference::ReferenceEstimate;
use super::{ReviewContext, seated, specs_of_seat};
use super::{ReviewError, have_same_effect, uniform_grid, unless_stopped};
use crate::expectation::PayoffNotComputedReason;
use crate::expectimax::ExhaustiveExpectimax;
use crate::game::every_reply;
use debate_core::budget::{ComputationBudget, ComputationStopReason};
use debate_core::gate::{EstimateConsistency, ProbabilityToShareEvenly};
use debate_core::number::{Exact, Number as _};
use debate_core::player::{Move, ReplyDistribution, StrategyRegistry};
use debate_core::protocol::{Bet, Log, Reply, Rules as _, Seat};
use debate_core::scenario::PossibleCaseCount;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

/// Limits on the numbers of simulated replies in the searches for one hint.
#[derive(Clone, Copy)]
pub(super) struct HintSearchLimits {
    /// The limit for replies against the debate's actual players, with later replies from a stand-in.
    table: u64,
    /// The limit for replies against the debate's actual players, with the best later replies.
    best: u64,
    /// The limit for the search for the worst player in the other debater's seat.
    worst: u64,
    /// The limit for simulating the built-in players who may hold the other debater's seat, over all instances.
    rivals: u64,
}

impl HintSearchLimits {
    /// The effort while a user waits for a hint: about one second, at about 300 simulated replies per millisecond. The
    /// first hint for Alice in `primes` needs 170,000 replies.
    const HINT: Self = Self {
        table: 45_000,
        best: 200_000,
        worst: 55_000,
        rivals: 25_000,
    };
    /// Returns the sum of the limits: no search for one hint simulates more replies.
    const fn total(self) -> u64 {
        self.table + self.best + self.worst + self.rivals
    }

    /// The effort for the review after a debate.
    pub(super) const REVIEW: Self = Self {
        table: 2_000_000,
        best: 300_000,
        worst: 200_000,
        rivals: 400_000,
    };
}

/// Maximum number of replies that the search for a hint simulates.
///
/// Only the search for estimates is repeated on a coarse grid. It has no limit `best`, because estimates are not valued
/// with the best later replies, and its second attempt looks for no worst player.
pub const MAX_REPLIES_FOR_HINT: u64 = HintSearchLimits::HINT.total();

/// Maximum number of coins in a debate for which exact values are computed, except for a request for half of a coin.
/// Each coin lengthens the fractions and slows the computation.
const MAX_COINS: u64 = 30;
/// Maximum number of replies of one built-in player that are evaluated, if not all replies can be listed.
const MAX_REPLIES_OF_PLAYER: usize = 4;
/// The number of intervals in the grid of estimates.
const PARTS: u32 = 20;
/// The number of intervals in the coarse grid of estimates, used if the fine grid takes too long.
const FEW_PARTS: u32 = 4;

/// A reply with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedReply {
    pub reply: Reply<Exact>,
    /// The prover's expected payoff after this reply, against the current player of the other debater's seat.
    pub value: Exact,
    /// The prover's expected payoff after this reply, against the player in the other debater's seat that is worst for
    /// the seat to move. `None` if it is unknown.
    pub worst: Option<Exact>,
}

/// The players among whom the search looked for the worst one in the other debater's seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchedRivals {
    /// All conceivable players in the other debater's seat, even those that know the instance.
    Everybody,
    /// Only some built-in players; the field is their number.
    Listed(usize),
}

/// The probability of a claim by what the seat to move knows, and the opponent's estimate of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimKnowledgeAndEstimate {
    /// The probability of the claim, from what the seat to move knows.
    pub probability: Exact,
    /// The number of cases in which the claim is true, and the number of possible cases, if all are equally likely.
    pub cases: Option<(usize, usize)>,
    /// The opponent's estimate of the claim.
    pub estimate: Exact,
}

/// The expected outcome of a bet that the coins of the claim's subclaims will decide.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedBetOutcome {
    /// The probability that these coins make the claim true, given the opponent's strategy.
    pub probability: Exact,
    /// The opponent's estimate of the claim.
    pub estimate: Exact,
}

impl ExpectedBetOutcome {
    /// Computes the expected outcome M from the values of the replies: the bet "too low" pays stake · (M − p). `None` if
    /// the values are not those of such a bet.
    fn of_reply_values(
        replies: &[(Reply<Exact>, Exact)],
        stake: &Exact,
        estimate: &Exact,
    ) -> Option<Self> {
        let value = |bet: Bet| {
            let same = replies
                .iter()
                .find(|(reply, _)| *reply == Reply::Direction(bet));
            same.map(|(_, value)| value)
        };
        let (low, right) = (value(Bet::TooLow)?, value(Bet::AboutRight)?);
        let gain = low - right;
        // A dispute can cancel a bet. Then the values of the bets are not symmetric, or not payments for one outcome.
        if right - value(Bet::TooHigh)? != gain || stake.is_zero() {
            return None;
        }
        let probability = estimate + gain / stake;
        probability.is_probability().then(|| Self {
            probability,
            estimate: estimate.clone(),
        })
    }
}

/// A hint: the expected payoff of each reply to the pending request.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyPayoffHint {
    pub seat: Seat,
    /// The prover's expected payoff before the reply.
    pub before: Exact,
    /// The evaluated replies: all replies, or those on a grid of estimates, or those of built-in players.
    pub replies: Vec<RatedReply>,
    /// True if `replies` contains only the replies of built-in players, because not all replies can be listed.
    pub of_players: bool,
    /// The players among whom the search looked for the worst one. `None` if no reply has a guarantee: under rules with
    /// bets, or for the bits of a joint coin. Also `None` if the seat's later replies are chosen against the current
    /// player, or if no other player could be examined.
    pub rivals: Option<SearchedRivals>,
    /// The assumption about later replies of the seat to move.
    pub later: LaterReplyAssumption,
    /// True if the replies that are sealed from the seat to move could be several different ones. The values are then
    /// means over these.
    pub means: bool,
    /// The number of instances that the seat to move cannot tell apart. The values are means over them.
    pub instances: usize,
    /// The last claim, which the judge will decide. `None` unless the request is for the bet on it.
    pub last_claim: Option<Box<ClaimKnowledgeAndEstimate>>,
    /// The subclaim that the best reply selects. `None` unless the request is for the selection of a subclaim with
    /// an estimate, and only one reply is best.
    pub best_subclaim: Option<Box<ClaimKnowledgeAndEstimate>>,
    /// `None` unless the request is for a bet on a claim with subclaims, before the last claim.
    pub bet_outcome: Option<Box<ExpectedBetOutcome>>,
}

/// A posterior probability as a proportion: k of n equally likely cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PosteriorAsCaseCounts {
    pub possible: PossibleCaseCount,
    /// The number of equally likely cases in which the claim is true.
    pub holding: u64,
}

impl PosteriorAsCaseCounts {
    /// Counts the cases in which a claim with the given posterior is true. `None` if the count is not a whole number.
    fn of(possible: PossibleCaseCount, posterior: &Exact) -> Option<Self> {
        let holding = posterior * Exact::from_integer(possible.count.into());
        let count = holding
            .to_integer()
            .to_u64()
            .filter(|_| holding.is_integer())?;
        Some(Self {
            possible,
            holding: count,
        })
    }
}

/// Advice to an estimator: the reference estimator's number, and the range of consistent estimates.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimateAdvice {
    /// The estimate of the reference estimator, with the posterior on which it is based.
    pub reference: ReferenceEstimate,
    /// True if the posterior treats coins as the truth: those of earlier subclaims in this round, and those before each
    /// claim that was chosen in an earlier round.
    pub is_given_coins: bool,
    /// The equally likely cases behind the posterior; `None` if they cannot be counted.
    pub cases: Option<PosteriorAsCaseCounts>,
    /// The least and the greatest estimate that is consistent with the round's estimates so far.
    pub consistent_range: (Exact, Exact),
    /// The probability that a hint can divide evenly among the remaining subclaims. `None` if the claim's gate has no
    /// such quantity.
    pub share: Option<ProbabilityToShareEvenly<Exact>>,
    /// The number of subclaims in the round whose coins have not been thrown, including this one; 0 outside rounds.
    pub left: u32,
    /// The truth of the claim, if a test revealed it with certainty.
    pub known: Option<bool>,
    /// True if the round's coins have already decided the gate, so every estimate is consistent.
    pub is_decided: bool,
    /// The probability of the round's coins so far. The gap in the claim's probability is this factor times the
    /// estimate's distance from the consistent range.
    pub coins_probability: Exact,
    /// The sum of the gaps that the round's earlier estimates already have, as a change of the claim's probability.
    pub earlier_gap: Exact,
}

/// Advice on the pending request.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestAdvice {
    /// Advice on an estimate, for the estimator.
    Share(Box<EstimateAdvice>),
    /// Advice on any other reply of a debater.
    Replies(ReplyPayoffHint),
}

impl ReplyPayoffHint {
    /// Converts a payoff of the prover into a payoff of the seat to move. For a judge, it stays the prover's payoff.
    pub fn payoff_of_seat_to_move(&self, value: Exact) -> Exact {
        match self.seat {
            Seat::Opponent => -value,
            _ => value,
        }
    }

    /// True if the first reply is better than the second: it guarantees more payoff, or equally much and more against
    /// the current player.
    fn is_better(&self, one: &RatedReply, other: &RatedReply) -> bool {
        let worst = |rated: &RatedReply| {
            rated
                .worst
                .clone()
                .map(|worst| self.payoff_of_seat_to_move(worst))
        };
        let value = |rated: &RatedReply| self.payoff_of_seat_to_move(rated.value.clone());
        match (worst(one), worst(other)) {
            (Some(one), Some(other)) if one != other => one > other,
            _ => value(one) > value(other),
        }
    }

    /// Returns the best reply: the one with the greatest guaranteed payoff, and among equal ones the greatest payoff
    /// against the current player. `None` for a judge, who has no payoff.
    pub fn best_reply(&self) -> Option<&RatedReply> {
        self.ranked_replies().into_iter().next()
    }

    /// Returns the index of the subclaim that the best reply selects. `None` if several replies are equally good, or if
    /// the reply is no selection.
    fn only_best_selection(&self) -> Option<u32> {
        let ranked = self.ranked_replies();
        let best = ranked.first()?;
        let is_tied = ranked
            .get(1)
            .is_some_and(|second| !self.is_better(best, second));
        match best.reply {
            Reply::Select(place) if !is_tied => Some(place),
            _ => None,
        }
    }

    /// Returns all evaluated replies, the best one first; empty for a judge, who has no payoff.
    pub fn ranked_replies(&self) -> Vec<&RatedReply> {
        let mut ranked_replies: Vec<&RatedReply> = Vec::new();
        if !matches!(self.seat, Seat::Prover | Seat::Opponent) {
            return ranked_replies;
        }
        for rated in &self.replies {
            let place = ranked_replies
                .iter()
                .position(|other| self.is_better(rated, other));
            ranked_replies.insert(place.unwrap_or(ranked_replies.len()), rated);
        }
        ranked_replies
    }

    /// Returns the hint's entry for a reply, if there is one. Oracle replies that differ only in confidence share an
    /// entry.
    pub fn rated_reply(&self, reply: &Reply<Exact>) -> Option<&RatedReply> {
        self.replies
            .iter()
            .find(|rated| have_same_effect(&rated.reply, reply))
    }
}

impl ReviewContext {
    /// Returns advice on the request that is pending after the given moves.
    ///
    /// # Errors
    /// Returns an error if the seat's replies are not valued here; otherwise as for [`Self::reply_hints`].
    pub fn advice_on_request(
        &self,
        moves: &[Move<Exact>],
        budget: ComputationBudget<'_>,
    ) -> Result<RequestAdvice, ReviewError> {
        let mut state = self.start()?;
        let mut log = Log::default();
        for made in moves {
            let seat = made.seat;
            let illegal = |illegal| PayoffNotComputedReason::Illegal { seat, illegal };
            state.reply(made.reply.clone(), &mut log).map_err(illegal)?;
        }
        let turn = state.request().ok_or(ReviewError::NotAsked)?;
        if !self.can_value_replies(turn.seat) {
            return Err(ReviewError::NotRated);
        }
        if !self.is_rated_by_consistency(turn.seat) || !turn.request.is_answered_with_probability()
        {
            return self.reply_hints(moves, budget).map(RequestAdvice::Replies);
        }
        let estimator = self.reference();
        let reference = estimator.estimate(&state, &turn)?;
        let cases = estimator.possible_cases(&state, &turn);
        let fit = state.consistency();
        let whole = || (Exact::ratio(0, 1), Exact::ratio(1, 1));
        let consistent_range = fit
            .as_ref()
            .map(|fit| fit.consistent_estimate_range().into_inner());
        Ok(RequestAdvice::Share(Box::new(EstimateAdvice {
            consistent_range: consistent_range.unwrap_or_else(whole),
            share: fit
                .as_ref()
                .and_then(EstimateConsistency::evenly_shared_quantity),
            left: fit
                .as_ref()
                .map_or(0, EstimateConsistency::untossed_subclaim_count),
            is_given_coins: estimator.is_given_coins(&state, &turn),
            cases: cases
                .and_then(|cases| PosteriorAsCaseCounts::of(cases, reference.posterior.as_ref()?)),
            known: self.truth_revealed_to_estimator(&turn.request),
            is_decided: fit
                .as_ref()
                .is_some_and(EstimateConsistency::is_gate_decided),
            coins_probability: fit
                .map_or_else(Exact::one, |fit| fit.probability_of_tossed_coins().clone()),
            earlier_gap: gap_of_current_round(&self.start()?, moves)
                .ok_or(ReviewError::NotAsked)?,
            reference,
        })))
    }

    /// Returns the expected payoff of each reply to the request that is pending after the given moves.
    ///
    /// # Errors
    /// Returns an error if no request is pending, if the search takes too long or is stopped, or if hidden
    /// information cannot be weighted.
    pub fn reply_hints(
        &self,
        moves: &[Move<Exact>],
        budget: ComputationBudget<'_>,
    ) -> Result<ReplyPayoffHint, ReviewError> {
        self.with_knowledge_of_seat(moves, budget, |view, worlds| {
            self.hints_for_seat(view, worlds, budget)
        })
    }

    /// Returns the hints that a user in the seat gets: on the fine grid, or else on the coarse one.
    pub(super) fn hints_for_seat(
        &self,
        view: &SeatKnowledge<'_>,
        worlds: &[PriorInstanceWithPlayers<'_>],
        budget: ComputationBudget<'_>,
    ) -> Result<ReplyPayoffHint, ReviewError> {
        let hints = |parts| {
            let grid = uniform_grid(parts);
            let filter = RepliesToValue::All(&grid);
            self.hints_from_knowledge(view, worlds, filter, HintSearchLimits::HINT, budget)
        };
        match hints(PARTS) {
            // Without estimates, the coarse grid would only repeat the same search.
            Err(ReviewError::Unsolved(PayoffNotComputedReason::Exceeded(
                ComputationStopReason::TooLarge { .. },
            ))) if view.turn.request.is_answered_with_probability() => hints(FEW_PARTS),
            fine => fine,
        }
    }

    /// Returns the expected payoff of one reply to the request that is pending after the given moves. `None` if the
    /// reply is illegal.
    ///
    /// # Errors
    /// As for [`Self::reply_hints`].
    pub fn value_of_reply(
        &self,
        moves: &[Move<Exact>],
        reply: &Reply<Exact>,
        budget: ComputationBudget<'_>,
    ) -> Result<Option<RatedReply>, ReviewError> {
        let filter = RepliesToValue::These(std::slice::from_ref(reply));
        let hints = self.with_knowledge_of_seat(moves, budget, |view, worlds| {
            self.hints_from_knowledge(view, worlds, filter, HintSearchLimits::HINT, budget)
        })?;
        Ok(hints.replies.into_iter().next())
    }

    /// Calls `search` with what the seat to move knows after the given moves, and with the instances that it considers
    /// possible.
    fn with_knowledge_of_seat(
        &self,
        moves: &[Move<Exact>],
        budget: ComputationBudget<'_>,
        search: impl FnOnce(
            &SeatKnowledge<'_>,
            &[PriorInstanceWithPlayers<'_>],
        ) -> Result<ReplyPayoffHint, ReviewError>,
    ) -> Result<ReplyPayoffHint, ReviewError> {
        let start = self.start()?;
        let view = SeatKnowledge::new(&start, moves, self.human_seats())?;
        // A request for half of a coin has a special case, in which all replies share one value.
        let is_half = view.turn.request.is_coin_half_request();
        if start.coins() > MAX_COINS && !is_half {
            let exceeded = budget
                .with_computation_step_limit(MAX_COINS)
                .limit_exceeded_error("coins");
            return Err(PayoffNotComputedReason::Exceeded(exceeded).into());
        }
        let known = self.instances_known_to(view.seat)?;
        let worlds = self.possible(&known, budget)?;
        search(&view, &worlds)
    }

    pub(super) fn hints_from_knowledge(
        &self,
        view: &SeatKnowledge<'_>,
        worlds: &[PriorInstanceWithPlayers<'_>],
        filter: RepliesToValue<'_>,
        effort: HintSearchLimits,
        budget: ComputationBudget<'_>,
    ) -> Result<ReplyPayoffHint, ReviewError> {
        if let Some(hints) = self.half_of_a_coin(view, worlds, filter, budget)? {
            return Ok(hints);
        }
        let beliefs = view.beliefs(worlds)?;
        let endless = matches!(filter, RepliesToValue::All(_))
            && matches!(
                every_reply(&view.turn, &[]),
                Err(PayoffNotComputedReason::Endless(_))
            );
        let listed = if endless {
            self.replies_of_players(view, &beliefs, budget)?
        } else {
            Vec::new()
        };
        let filter = if listed.is_empty() {
            filter
        } else {
            RepliesToValue::These(&listed)
        };
        let mut search = ReplyPayoffSearch {
            view,
            worlds,
            beliefs: &beliefs,
            filter,
            budget: budget.with_computation_step_limit(effort.table),
        };
        let (values_against_players, later) = search.values_against_players(effort.best)?;
        let guaranteed = match later {
            // Bets have no guaranteed value: they are valued against the current estimator only.
            _ if self.has_bets() => None,
            LaterReplyAssumption::Best => None,
            LaterReplyAssumption::PlaceholderPlayer => {
                self.guaranteed(&mut search, &values_against_players, effort)?
            }
        };
        let worst = |reply: &Reply<Exact>| {
            let (values, _) = guaranteed.as_ref()?;
            let same = values.replies.iter().find(|(other, _)| other == reply);
            same.map(|(_, worst)| worst.clone())
        };
        let rated = |(reply, value): (Reply<Exact>, Exact)| RatedReply {
            worst: worst(&reply),
            reply,
            value,
        };
        let schedule = self.start()?.schedule();
        let bet_outcome = view.estimate_decided_by_coins(&schedule);
        let bet_outcome = bet_outcome.and_then(|(stake, estimate)| {
            ExpectedBetOutcome::of_reply_values(&values_against_players.replies, stake, estimate)
        });
        let mut hint = ReplyPayoffHint {
            seat: view.seat,
            before: values_against_players.before,
            replies: values_against_players
                .replies
                .into_iter()
                .map(rated)
                .collect(),
            of_players: !listed.is_empty(),
            rivals: guaranteed.as_ref().map(|(_, rivals)| *rivals),
            later,
            means: beliefs.iter().any(|belief| belief.each.len() > 1),
            instances: beliefs.len(),
            best_subclaim: None,
            last_claim: view
                .knowledge_of_last_claim_to_bet_on(&beliefs)
                .map(Box::new),
            bet_outcome: bet_outcome.map(Box::new),
        };
        let best_subclaim = hint
            .only_best_selection()
            .and_then(|place| view.knowledge_of_subclaim_to_select(place, &beliefs));
        hint.best_subclaim = best_subclaim.map(Box::new);
        Ok(hint)
    }

    /// Returns the different replies that built-in players would give in the seat, the stand-in's first. If a player's
    /// strategy has many random replies, only the first ones are used.
    fn replies_of_players(
        &self,
        view: &SeatKnowledge<'_>,
        beliefs: &[PossibleInstanceWithDebatePositions<'_, '_>],
        budget: ComputationBudget<'_>,
    ) -> Result<Vec<Reply<Exact>>, ReviewError> {
        let registry = StrategyRegistry::registry_with_builtin_players();
        let listed = specs_of_seat(&registry, view.seat, self.protocol.kind());
        let plays = self.plays(budget)?;
        let stand_in = plays[view.seat.seat_index()].clone();
        let mut replies: Vec<Reply<Exact>> = Vec::new();
        for spec in std::iter::once(stand_in).chain(listed) {
            let table = seated(plays, view.seat, spec);
            for belief in beliefs {
                let world = belief.world;
                let players = self.build(&table, world.instance, budget);
                // A player who cannot play here is skipped.
                let Some(players) = unless_stopped(players)? else {
                    continue;
                };
                let each = view.positions(world, &players, SealedReplyAuthorAssumption::Players)?;
                for (_, mut at) in each {
                    let asked =
                        at.choice_without_expenses(&view.turn, &*players[view.seat.seat_index()]);
                    let each = asked
                        .ok()
                        .and_then(ReplyDistribution::weighted_replies)
                        .unwrap_or_default();
                    let few = each.into_iter().take(MAX_REPLIES_OF_PLAYER);
                    for (_, reply) in few {
                        if !replies.iter().any(|other| have_same_effect(other, &reply)) {
                            replies.push(reply);
                        }
                    }
                }
            }
        }
        Ok(replies)
    }

    /// Evaluates the bits that a seat contributes to a jointly drawn coin, if the other seat draws its bits uniformly.
    /// Then all bits of this seat give the same coin, so they need not be listed.
    fn half_of_a_coin(
        &self,
        view: &SeatKnowledge<'_>,
        worlds: &[PriorInstanceWithPlayers<'_>],
        filter: RepliesToValue<'_>,
        budget: ComputationBudget<'_>,
    ) -> Result<Option<ReplyPayoffHint>, ReviewError> {
        if !view.turn.request.is_coin_half_request() {
            return Ok(None);
        }
        // The second half is requested while the first is sealed, so the value is that of the whole coin.
        let first = view
            .moves
            .split_last()
            .filter(|_| view.seat != Seat::Opponent);
        let moves = first.map_or(view.moves, |(_, before)| before);
        let start = self.start()?;
        let before = SeatKnowledge::new(&start, moves, self.human_seats())?;
        let beliefs = before.beliefs(worlds)?;
        let mut value = Exact::default();
        for belief in &beliefs {
            let PriorInstanceWithPlayers { start, players, .. } = belief.world;
            let effort = budget.with_computation_step_limit(HintSearchLimits::REVIEW.table);
            let mut search = ExhaustiveExpectimax::between_players(start, players, effort);
            for (chance, at) in &belief.each {
                let turn = at.state.request().ok_or(ReviewError::NotAsked)?;
                let Some(expected) = search.half_coin_value(at, &turn)? else {
                    return Ok(None);
                };
                value += &belief.chance * chance * (at.state.payoff() + expected.expected_payoff());
            }
        }
        let replies = filter.filtered_replies(&view.turn)?;
        let legal =
            |reply: &Reply<Exact>| matches!(reply, Reply::Probability(p) if p.is_probability());
        let rated = |reply| RatedReply {
            reply,
            value: value.clone(),
            worst: None,
        };
        Ok(Some(ReplyPayoffHint {
            seat: view.seat,
            before: value.clone(),
            replies: replies.into_iter().filter(legal).map(rated).collect(),
            of_players: false,
            rivals: None,
            later: LaterReplyAssumption::PlaceholderPlayer,
            means: view.seat != Seat::Opponent,
            instances: beliefs.len(),
            last_claim: None,
            best_subclaim: None,
            bet_outcome: None,
        }))
    }

    /// Returns the payoff that each reply guarantees against all players in the other debater's seat. If it cannot be
    /// found, only built-in players are considered. `values_against_players` are the values against the current player.
    fn guaranteed(
        &self,
        search: &mut ReplyPayoffSearch<'_, '_, '_, '_>,
        values_against_players: &ProverPayoffBeforeAndAfterReply,
        effort: HintSearchLimits,
    ) -> Result<Option<(ProverPayoffBeforeAndAfterReply, SearchedRivals)>, ReviewError> {
        let rival = match search.view.seat {
            Seat::Prover => Seat::Opponent,
            Seat::Opponent => Seat::Prover,
            _ => return Ok(None),
        };
        // If the grid is coarse, the players at the table already took too long.
        if !search.filter.evaluates_all_replies_on_grid(FEW_PARTS) {
            search.budget = search.budget.with_computation_step_limit(effort.worst);
            if let Some(worst) = unless_stopped(search.values_against_worst_player(rival))? {
                return Ok(Some((worst, SearchedRivals::Everybody)));
            }
        }
        search.budget = search.budget.with_computation_step_limit(effort.rivals);
        let plays = self.plays(search.budget)?;
        let registry = StrategyRegistry::registry_with_builtin_players();
        let listed = specs_of_seat(&registry, rival, self.protocol.kind())
            .filter(|spec| *spec != plays[rival.seat_index()]);
        let mut least = values_against_players.clone();
        let mut count = 1;
        for spec in listed {
            let table = seated(plays, rival, spec);
            let budget = search.budget;
            let values = search
                .values_against_built_players(|world| self.build(&table, world.instance, budget));
            let is_late = matches!(
                values,
                Err(ReviewError::Unsolved(PayoffNotComputedReason::Exceeded(_)))
            );
            // A player who cannot play here does not count.
            if let Some(values) = unless_stopped(values)? {
                least.keep_better_payoffs_for_rival(&values, rival);
                count += 1;
            } else if is_late {
                // The limit on replies is reached: the players examined so far must do.
                break;
            }
        }
        Ok((count > 1).then_some((least, SearchedRivals::Listed(count))))
    }
}
