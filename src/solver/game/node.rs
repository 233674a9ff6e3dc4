//! A node in the game tree of a debate.

use std::ops::Range;

use super::StateKey;
use crate::expectation::{
    CertainRewardsAndExpenses, DebateRoundIndices, PayoffNotComputedReason, ProofBitValues,
    ReplyRewardSink,
};
use debate_core::bits::BitString;
use debate_core::chance::{binomial_distribution, binomial_outside_probability};
use debate_core::number::{Exact, Number};
use debate_core::observe::ObservationKeyBuilder;
use debate_core::player::{PlayableStrategy, ReplyDistribution, Strategy, StrategyMemoryAndCosts};
use debate_core::protocol::{
    Bet, ChanceDraw, Event, EventSink, LogEntry, PendingTurn, Reply, ReplySeal, Request,
    Rules as _, Seat, State, View,
};

/// The player in a seat: a known strategy or a best response.
#[derive(Clone, Copy)]
pub enum SeatDecisionMaker<'p, 'a, N: Number> {
    /// A known strategy, which the search follows with all its possible replies.
    Plays(&'p dyn Strategy<'a, N>),
    /// A best response to the other players, which it knows. Its estimates are taken from the search's grid.
    BestResponse,
}

impl<'p, 'a, N: Number> SeatDecisionMaker<'p, 'a, N> {
    /// Returns the given player; for `None`, the best response.
    pub fn player_or_best_response(player: Option<&'p PlayableStrategy<'a, N>>) -> Self {
        player.map_or(Self::BestResponse, |player| Self::Plays(&**player))
    }

    /// Returns the actors for the players of prover, opponent and judge.
    pub fn decision_makers_of_players(players: &'p [PlayableStrategy<'a, N>; 3]) -> [Self; 3] {
        players
            .each_ref()
            .map(|player| Self::player_or_best_response(Some(player)))
    }

    /// True if this actor is a best response, which chooses among all replies.
    pub(crate) fn chooses_among_all_replies(&self) -> bool {
        matches!(self, Self::BestResponse)
    }

    /// True if the actor's replies depend on coins of earlier rounds.
    pub(crate) fn uses_earlier_coins(&self) -> bool {
        self.strategy_unless_best_response()
            .is_some_and(debate_core::player::Policy::uses_earlier_coins)
    }

    /// Returns the known strategy; `None` for a best response.
    pub(crate) fn strategy_unless_best_response(&self) -> Option<&'p dyn Strategy<'a, N>> {
        match self {
            Self::Plays(strategy) => Some(*strategy),
            Self::BestResponse => None,
        }
    }
}

/// A debate in its current state, with the internal states of its strategies and observers.
#[derive(Clone)]
pub(crate) struct DebateAndStrategyStates<'a, N, const OBSERVERS: usize = 0> {
    pub(crate) state: State<'a, N>,
    policy_states: [StrategyMemoryAndCosts; 3],
    /// True if the search started among the conditional estimates and coins of the current round. The round's coins
    /// must then be followed one by one.
    midway: bool,
    pub(crate) observers: [ObservationKeyBuilder<'a>; OBSERVERS],
}

impl<'a, N: Number> DebateAndStrategyStates<'a, N> {
    pub(crate) fn new(state: State<'a, N>) -> Self {
        Self {
            midway: state.gate_decided_by_coins_with_estimates().is_some(),
            state,
            policy_states: [StrategyMemoryAndCosts::default(); 3],
            observers: [],
        }
    }

    /// Attaches observers to the node.
    pub(crate) fn with_observers<const OBSERVERS: usize>(
        self,
        observers: [ObservationKeyBuilder<'a>; OBSERVERS],
    ) -> DebateAndStrategyStates<'a, N, OBSERVERS> {
        DebateAndStrategyStates {
            state: self.state,
            policy_states: self.policy_states,
            midway: self.midway,
            observers,
        }
    }
}

impl<'a, N: Number, const OBSERVERS: usize> DebateAndStrategyStates<'a, N, OBSERVERS> {
    /// Marks this node as the position at which a search starts.
    pub(crate) fn into_search_root(mut self) -> Self {
        self.midway = self.state.gate_decided_by_coins_with_estimates().is_some();
        self
    }

    /// True if the coins of the current round can be summarised by the gate's probability, because the search did not
    /// start among the round's conditional estimates and coins.
    pub(crate) fn can_replace_round_coins_by_gate_probability(&mut self) -> bool {
        self.midway &= self.state.gate_decided_by_coins_with_estimates().is_some();
        !self.midway
    }

    /// Returns a key of everything that the remaining debate depends on; `None` if that is the whole history.
    /// `uses_earlier_coins` is true if some player's replies depend on coins of earlier rounds
    /// ([`debate_core::player::Policy::uses_earlier_coins`]).
    pub(crate) fn state_key(&self, uses_earlier_coins: bool) -> Option<StateKey> {
        let mut key = Vec::new();
        if !self.state.state_key(&mut key) {
            return None;
        }
        if uses_earlier_coins {
            self.state.add_earlier_rounds_coins_to_key(&mut key);
        }
        for policy_state in &self.policy_states {
            key.extend(policy_state.memory.0);
        }
        Some(key.into())
    }

    /// Returns the possible replies of chance or of the player to move, with their nonzero probabilities. Adds the
    /// player's expenses to `gain`.
    pub(crate) fn reply_distribution(
        &mut self,
        turn: &PendingTurn<N>,
        strategy: Option<&dyn Strategy<'a, N>>,
        gain: &mut CertainRewardsAndExpenses<N>,
    ) -> Result<Vec<(N, Reply<N>)>, PayoffNotComputedReason> {
        if let Some((_, draw)) = turn.request.requested_draw() {
            return outcomes(draw, self.state.draw_outcomes_that_pass());
        }
        let known = strategy.ok_or(PayoffNotComputedReason::NoReply(turn.seat))?;
        let choice = self.choice(turn, known, gain)?;
        let mut each = choice
            .weighted_replies()
            .ok_or(PayoffNotComputedReason::Countless(turn.seat))?;
        each.retain(|(chance, _)| !chance.is_zero());
        Ok(each)
    }

    /// Returns the distribution of a strategy's reply, and updates the strategy's state. Adds the strategy's expenses
    /// to those in `gain`.
    pub(crate) fn choice(
        &mut self,
        turn: &PendingTurn<N>,
        strategy: &dyn Strategy<'a, N>,
        gain: &mut CertainRewardsAndExpenses<N>,
    ) -> Result<ReplyDistribution<N>, PayoffNotComputedReason> {
        let seat = turn.seat;
        let policy_state = &mut self.policy_states[seat.seat_index()];
        let before = policy_state.spent;
        let choice = strategy.choose(View::new(&self.state, seat), &turn.request, policy_state);
        gain.add_expenses(seat, &before, &policy_state.spent);
        choice.ok_or(PayoffNotComputedReason::NoReply(seat))
    }

    /// Returns the distribution of a strategy's reply, without counting expenses.
    pub(crate) fn choice_without_expenses(
        &mut self,
        turn: &PendingTurn<N>,
        strategy: &dyn Strategy<'a, N>,
    ) -> Result<ReplyDistribution<N>, PayoffNotComputedReason> {
        self.choice(turn, strategy, &mut CertainRewardsAndExpenses::default())
    }

    /// Applies a reply to the debate, sends its events to all observers and to `sink`, and returns the expenses.
    pub(crate) fn reply_to(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
        sink: &mut dyn EventSink<N>,
    ) -> Result<CertainRewardsAndExpenses<N>, PayoffNotComputedReason> {
        let mut gain = CertainRewardsAndExpenses::default();
        let before = *self.state.ledger();
        let illegal = |illegal| PayoffNotComputedReason::Illegal { seat, illegal };
        if OBSERVERS == 0 {
            self.state.reply(reply, sink).map_err(illegal)?;
        } else {
            let mut watched = WatchedSink {
                observers: &mut self.observers,
                sink,
            };
            self.state.reply(reply, &mut watched).map_err(illegal)?;
            // Every observer sees whose turn it is, even if the reply is sealed.
            let next = self
                .state
                .request()
                .map(|turn| turn.seat.seat_index() as u64);
            for observer in &mut self.observers {
                observer.add_observation_from_outside_log(&[next.map_or(0, |seat| seat + 1)]);
            }
        }
        gain.add_ledger_difference(&before, self.state.ledger());
        Ok(gain)
    }

    /// Applies a reply to the debate. Returns the expenses, and a sink with the reply's rewards, visibility and coin.
    pub(crate) fn reply_with_sink(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
    ) -> Result<(CertainRewardsAndExpenses<N>, ReplyRewardSink<N>), PayoffNotComputedReason> {
        let mut sink = ReplyRewardSink::default();
        let gain = self.reply_to(seat, reply, &mut sink)?;
        Ok((gain, sink))
    }

    /// Applies a reply to the debate. Returns its rewards and expenses, and true if other seats observe any of its
    /// events.
    pub(crate) fn reply(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
        positions: &DebateRoundIndices,
    ) -> Result<(CertainRewardsAndExpenses<N>, bool), PayoffNotComputedReason> {
        let (mut gain, sink) = self.reply_with_sink(seat, reply)?;
        for reward in sink.paid {
            gain.add_reward(
                positions.index_of_round(reward.round_of_reward()),
                reward.payment_to_prover(),
            );
        }
        Ok((gain, sink.open))
    }
}

/// An event sink that shows each event of a reply to all observers and then passes it on to another sink.
struct WatchedSink<'s, 'a, N> {
    observers: &'s mut [ObservationKeyBuilder<'a>],
    sink: &'s mut dyn EventSink<N>,
}

impl<N: Number> EventSink<N> for WatchedSink<'_, '_, N> {
    fn wants(&self) -> bool {
        true
    }

    fn note(&mut self, seat: Seat, seal: Option<ReplySeal>, event: Event<N>) {
        let entry = LogEntry { seat, seal, event };
        for observer in &mut *self.observers {
            observer.see(&entry);
        }
        self.sink.note(seat, seal, entry.event);
    }
}

/// Maximum number of possible replies to one request, among which a best one is searched.
pub(super) const MAX_REPLIES: u64 = 4096;

/// Returns every possible reply to a request, except supports that the prover writes. Estimates are taken from the
/// grid. Some replies may be illegal.
///
/// # Errors
/// Returns an error for a speech or a random draw, and for more than 4,096 bit strings or challengeable steps.
pub fn every_reply<N: Number>(
    turn: &PendingTurn<N>,
    grid: &[N],
) -> Result<Vec<Reply<N>>, PayoffNotComputedReason> {
    let few = |count: Option<u64>| match count {
        Some(count) if count <= MAX_REPLIES => Ok(count),
        _ => Err(PayoffNotComputedReason::Endless(turn.seat)),
    };
    Ok(match &turn.request {
        Request::Answer { .. } => [true, false].map(Reply::Answer).into(),
        Request::Probability { .. } | Request::Share { .. } => {
            grid.iter().cloned().map(Reply::Probability).collect()
        }
        Request::Direction { .. } => Bet::ALL.map(Reply::Direction).into(),
        Request::Support { offered, .. } => (0..*offered).map(Reply::Support).collect(),
        Request::Select { count, .. } => (0..*count).map(Reply::Select).collect(),
        Request::Challenge { steps, .. } => {
            few(steps.end.checked_sub(steps.start))?;
            let each = std::iter::once(None).chain(steps.clone().map(Some));
            each.map(Reply::Challenge).collect()
        }
        Request::Bits { length, .. } => {
            let count = few(1_u64.checked_shl(*length))?;
            let bits = |number| Reply::Bits(BitString::low_bits_of_number(number, *length));
            (0..count).map(bits).collect()
        }
        Request::Continue { .. } => [true, false].map(Reply::Continue).into(),
        // Speeches cannot be listed.
        Request::Speech { .. } => return Err(PayoffNotComputedReason::Endless(turn.seat)),
        Request::Oracle { .. } => {
            let verdict = |holds| Reply::Oracle {
                holds,
                confidence: None,
            };
            [true, false].map(verdict).into()
        }
        Request::Draw { .. } => return Err(PayoffNotComputedReason::NoReply(turn.seat)),
    })
}

/// Returns a short text for a reply, used as the name of an action.
pub(crate) fn action_name_of_reply(reply: &Reply<Exact>) -> String {
    match reply {
        Reply::Answer(true) => "true".to_owned(),
        Reply::Answer(false) => "false".to_owned(),
        Reply::Probability(p) => format!("p={p}"),
        Reply::Direction(bet) => format!("bet={}", bet.sign()),
        Reply::Support(position) => format!("support={position}"),
        Reply::Compose(composed) => format!("support of {}", composed.parts.len()),
        Reply::Select(position) => format!("select={position}"),
        Reply::Bits(bits) => format!("bits={bits}"),
        Reply::Challenge(None) => "none".to_owned(),
        Reply::Challenge(Some(step)) => format!("step={step}"),
        Reply::Oracle { holds, .. } => if *holds { "yes" } else { "no" }.to_owned(),
        Reply::Speech(speech) if speech.is_empty() => "silence".to_owned(),
        Reply::Speech(_) => "speech".to_owned(),
        Reply::Continue(true) => "continue".to_owned(),
        Reply::Continue(false) => "end".to_owned(),
        Reply::Drawn(outcome) => format!("{outcome}"),
    }
}

/// The replies that a best response considers.
#[derive(Clone, Debug, Default)]
pub(crate) struct CandidateReplies<N> {
    /// The available probabilities.
    pub(crate) grid: Vec<N>,
    /// The proof bits that the prover's plan fixes, with their values. Other proof bits are free.
    pub(crate) proof: ProofBitValues,
    /// The only answer to the root claim that the seat may give; `None` if it may choose.
    pub(crate) answers: Option<bool>,
    /// True if, even at a request with few replies, only candidates in normal form are considered: a small set of
    /// replies that contains a best one.
    pub(crate) use_normal_form: bool,
}

impl<N: Number> CandidateReplies<N> {
    /// Returns every considered reply to a request. Some replies may be illegal.
    pub(crate) fn for_request(
        &self,
        turn: &PendingTurn<N>,
    ) -> Result<Vec<Reply<N>>, PayoffNotComputedReason> {
        let bit = turn.request.requested_proof_bit();
        if let Some(value) = bit.and_then(|bit| self.proof.value(bit)) {
            return Ok(vec![Reply::Bits(BitString::from(vec![value]))]);
        }
        let mut each = every_reply(turn, &self.grid)?;
        if let Some(only) = self.answers {
            each.retain(|reply| !matches!(reply, Reply::Answer(answer) if *answer != only));
        }
        Ok(each)
    }
}

/// Returns the outcomes of a random draw with their nonzero probabilities. If `equivalent` is given, the outcomes of a
/// binomial draw are merged: one represents this range, and one represents all other outcomes.
///
/// # Errors
/// Returns an error if there are too many outcomes to list.
pub fn outcomes<N: Number>(
    draw: &ChanceDraw<N>,
    equivalent: Option<Range<u64>>,
) -> Result<Vec<(N, Reply<N>)>, PayoffNotComputedReason> {
    let each: Vec<(N, u64)> = match (draw, equivalent) {
        (ChanceDraw::Bernoulli(p), _) => vec![(p.clone(), 1), (N::one() - p.clone(), 0)],
        (ChanceDraw::Binomial { count, p }, Some(equivalent)) => {
            let outside = match u32::try_from(*count) {
                Ok(few) if *count <= MAX_EXACT_SAMPLES => {
                    let law = (0..).zip(binomial_distribution(few, p));
                    let outside = law.filter(|(ones, _)| !equivalent.contains(ones));
                    outside.fold(N::zero(), |sum, (_, chance)| sum + chance)
                }
                _ => N::from_exact(&exactly(binomial_outside_probability(
                    *count,
                    p.to_float(),
                    &equivalent,
                ))),
            };
            let inside = N::one() - outside.clone();
            let possible = |ones: u64| !(p.is_zero() && ones > 0 || p.is_one() && ones < *count);
            let within = equivalent.clone().find(|ones| possible(*ones));
            // One outcome outside the range represents all outcomes outside it.
            let others = [0, equivalent.end, *count].into_iter();
            let beyond = others
                .filter(|ones| !equivalent.contains(ones))
                .find(|ones| possible(*ones));
            let given = |chance: N, ones: Option<u64>| Some((chance, ones?));
            let both = [given(inside, within), given(outside, beyond)];
            both.into_iter().flatten().collect()
        }
        (ChanceDraw::Binomial { count, p }, _) => {
            let few = u32::try_from(*count)
                .map_err(|_many| PayoffNotComputedReason::Endless(Seat::Chance))?;
            binomial_distribution(few, p).into_iter().zip(0..).collect()
        }
    };
    let possible = each.into_iter().filter(|(chance, _)| !chance.is_zero());
    Ok(possible
        .map(|(chance, outcome)| (chance, Reply::Drawn(outcome)))
        .collect())
}

/// Returns a cache key for the outcomes of samples with a range of equivalent counts; `None` for any other draw.
pub(crate) fn sample_key<N: Number>(
    draw: &ChanceDraw<N>,
    equivalent: Option<&Range<u64>>,
) -> Option<StateKey> {
    let (ChanceDraw::Binomial { count, p }, Some(equivalent)) = (draw, equivalent) else {
        return None;
    };
    let mut key = vec![*count, equivalent.start, equivalent.end];
    p.add_to_key(&mut key);
    Some(key.into())
}

/// Maximum number of samples for which the probability outside a range of counts is computed exactly.
const MAX_EXACT_SAMPLES: u64 = 1024;

/// Converts a floating-point probability to the equal fraction.
fn exactly(p: f64) -> Exact {
    Exact::from_float(p).unwrap_or_default()
}
