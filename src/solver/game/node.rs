//! A node of a debate's game tree.

use std::ops::Range;

use super::StateKey;
use crate::expectation::{Gain, ProofPlan, RewardSink, RoundPlaces, Unsolved};
use debate_core::bits::Bits;
use debate_core::chance::{binomial_law, binomial_outside};
use debate_core::number::{Exact, Number};
use debate_core::observe::Observer;
use debate_core::player::{Built, Choice, PolicyState, Strategy};
use debate_core::protocol::{
    Bet, Draw, Event, LogEntry, Reply, Request, Rules as _, Seal, Seat, Sink, State, Turn, View,
};

/// Who decides in a seat.
#[derive(Clone, Copy)]
pub enum Actor<'p, 'a, N: Number> {
    /// A strategy, with all that it might say.
    Plays(&'p dyn Strategy<'a, N>),
    /// The best response, which knows the other players. Probabilities are taken
    /// from the search's grid.
    BestResponse,
}

impl<'p, 'a, N: Number> Actor<'p, 'a, N> {
    /// This player, or the best response if there is none.
    pub fn of(player: Option<&'p Built<'a, N>>) -> Self {
        player.map_or(Self::BestResponse, |player| Self::Plays(&**player))
    }

    /// Three players: prover, opponent and judge.
    pub fn all(players: &'p [Built<'a, N>; 3]) -> [Self; 3] {
        players.each_ref().map(|player| Self::of(Some(player)))
    }

    /// True if whoever sits there chooses among all replies.
    pub(crate) fn chooses(&self) -> bool {
        matches!(self, Self::BestResponse)
    }

    /// The strategy, where one plays.
    pub(crate) fn strategy(&self) -> Option<&'p dyn Strategy<'a, N>> {
        match self {
            Self::Plays(strategy) => Some(*strategy),
            Self::BestResponse => None,
        }
    }
}

/// A debate as it stands, with what its players remember and what observers have seen of it.
#[derive(Clone)]
pub(crate) struct Node<'a, N, const OBSERVERS: usize = 0> {
    pub(crate) state: State<'a, N>,
    minds: [PolicyState; 3],
    /// True if it was taken up in the middle of a round, some coins of which have fallen: these
    /// cannot be counted any more.
    midway: bool,
    pub(crate) observers: [Observer<'a>; OBSERVERS],
}

impl<'a, N: Number> Node<'a, N> {
    pub(crate) fn new(state: State<'a, N>) -> Self {
        Self {
            midway: state.coins_of_gate().is_some(),
            state,
            minds: [PolicyState::default(); 3],
            observers: [],
        }
    }

    /// The same node before observers.
    pub(crate) fn before<const OBSERVERS: usize>(
        self,
        observers: [Observer<'a>; OBSERVERS],
    ) -> Node<'a, N, OBSERVERS> {
        Node {
            state: self.state,
            minds: self.minds,
            midway: self.midway,
            observers,
        }
    }
}

impl<'a, N: Number, const OBSERVERS: usize> Node<'a, N, OBSERVERS> {
    /// Takes the node as the start of a search.
    pub(crate) fn taken_up(mut self) -> Self {
        self.midway = self.state.coins_of_gate().is_some();
        self
    }

    /// True if the coins of the round under way can be counted, none having fallen before.
    pub(crate) fn counts(&mut self) -> bool {
        self.midway &= self.state.coins_of_gate().is_some();
        !self.midway
    }

    /// The key of what the rest depends on; `None` if it depends on the whole history.
    pub(crate) fn state_key(&self) -> Option<StateKey> {
        let mut key = Vec::new();
        self.state.state_key(&mut key).then(|| {
            key.extend(self.minds.iter().flat_map(|mind| mind.memory.0));
            key.into()
        })
    }

    /// The replies of chance or of the player who is asked, each with its probability, which is not 0; what
    /// the player spends is added to the gain.
    pub(crate) fn chances(
        &mut self,
        turn: &Turn<N>,
        strategy: Option<&dyn Strategy<'a, N>>,
        gain: &mut Gain<N>,
    ) -> Result<Vec<(N, Reply<N>)>, Unsolved> {
        if let Some((_, draw)) = turn.request.draw() {
            return outcomes(draw, self.state.equivalent_outcomes());
        }
        let known = strategy.ok_or(Unsolved::NoReply(turn.seat))?;
        let choice = self.choice(turn, known, gain)?;
        let mut each = choice.each().ok_or(Unsolved::Countless(turn.seat))?;
        each.retain(|(chance, _)| !chance.is_zero());
        Ok(each)
    }

    /// The choice of a strategy, which remembers that it was asked; its expenses are added to the gain.
    pub(crate) fn choice(
        &mut self,
        turn: &Turn<N>,
        strategy: &dyn Strategy<'a, N>,
        gain: &mut Gain<N>,
    ) -> Result<Choice<N>, Unsolved> {
        let seat = turn.seat;
        let mind = &mut self.minds[seat.index()];
        let before = mind.spent;
        let choice = strategy.choose(View::new(&self.state, seat), &turn.request, mind);
        gain.spend(seat, &before, &mind.spent);
        choice.ok_or(Unsolved::NoReply(seat))
    }

    /// The choice of a strategy, whatever it spends.
    pub(crate) fn asked(
        &mut self,
        turn: &Turn<N>,
        strategy: &dyn Strategy<'a, N>,
    ) -> Result<Choice<N>, Unsolved> {
        self.choice(turn, strategy, &mut Gain::default())
    }

    /// Takes a reply, whose events go to the observers and to a sink: what was spent.
    pub(crate) fn reply_to(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
        sink: &mut dyn Sink<N>,
    ) -> Result<Gain<N>, Unsolved> {
        let mut gain = Gain::default();
        let before = *self.state.ledger();
        let illegal = |illegal| Unsolved::Illegal { seat, illegal };
        if OBSERVERS == 0 {
            self.state.reply(reply, sink).map_err(illegal)?;
        } else {
            let mut watched = WatchedSink {
                observers: &mut self.observers,
                sink,
            };
            self.state.reply(reply, &mut watched).map_err(illegal)?;
            // Everybody sees whose turn it is.
            let next = self.state.request().map(|turn| turn.seat.index() as u64);
            for observer in &mut self.observers {
                observer.learn(&[next.map_or(0, |seat| seat + 1)]);
            }
        }
        gain.ledger(&before, self.state.ledger());
        Ok(gain)
    }

    /// Takes a reply: what was spent, and the rewards, whether any of it was in the open, and how a
    /// coin fell.
    pub(crate) fn reply_noted(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
    ) -> Result<(Gain<N>, RewardSink<N>), Unsolved> {
        let mut sink = RewardSink::default();
        let gain = self.reply_to(seat, reply, &mut sink)?;
        Ok((gain, sink))
    }

    /// Takes a reply: what was spent and paid, and whether others see any of it.
    pub(crate) fn reply(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
        places: &RoundPlaces,
    ) -> Result<(Gain<N>, bool), Unsolved> {
        let (mut gain, sink) = self.reply_noted(seat, reply)?;
        for reward in sink.paid {
            gain.reward(places.of_round(reward.round()), reward.value());
        }
        Ok((gain, sink.open))
    }
}

/// Takes the events that follow a reply: shows each to all observers, and passes it on.
struct WatchedSink<'s, 'a, N> {
    observers: &'s mut [Observer<'a>],
    sink: &'s mut dyn Sink<N>,
}

impl<N: Number> Sink<N> for WatchedSink<'_, '_, N> {
    fn wants(&self) -> bool {
        true
    }

    fn note(&mut self, seat: Seat, seal: Option<Seal>, event: Event<N>) {
        let entry = LogEntry { seat, seal, event };
        for observer in &mut *self.observers {
            observer.see(&entry);
        }
        self.sink.note(seat, seal, entry.event);
    }
}

/// The most replies of one kind that the best is looked for among.
pub(super) const MAX_REPLIES: u64 = 4096;

/// Every reply to a request; of probabilities those of the grid. Some may be illegal.
///
/// # Errors
/// If there are more than 4,096, as of free text.
pub fn every_reply<N: Number>(turn: &Turn<N>, grid: &[N]) -> Result<Vec<Reply<N>>, Unsolved> {
    let few = |count: Option<u64>| match count {
        Some(count) if count <= MAX_REPLIES => Ok(count),
        _ => Err(Unsolved::Endless(turn.seat)),
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
            let bits = |number| Reply::Bits(Bits::of_number(number, *length));
            (0..count).map(bits).collect()
        }
        Request::Continue { .. } => [true, false].map(Reply::Continue).into(),
        // Nobody lists what can be said.
        Request::Speech { .. } => return Err(Unsolved::Endless(turn.seat)),
        Request::Oracle { .. } => {
            let verdict = |holds| Reply::Oracle {
                holds,
                confidence: None,
            };
            [true, false].map(verdict).into()
        }
        Request::Draw { .. } => return Err(Unsolved::NoReply(turn.seat)),
    })
}

/// A reply as an action's label.
pub(crate) fn reply_label(reply: &Reply<Exact>) -> String {
    match reply {
        Reply::Answer(true) => "true".to_owned(),
        Reply::Answer(false) => "false".to_owned(),
        Reply::Probability(p) => format!("p={p}"),
        Reply::Direction(bet) => format!("bet={}", bet.sign()),
        Reply::Support(place) => format!("support={place}"),
        Reply::Compose(composed) => format!("support of {}", composed.parts.len()),
        Reply::Select(place) => format!("select={place}"),
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

/// What somebody may reply who chooses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replies<N> {
    /// The probabilities that may be said.
    pub(crate) grid: Vec<N>,
    /// The proof bits that are settled beforehand.
    pub(crate) proof: ProofPlan,
    /// The only answer to the root claim that may be given.
    pub(crate) answers: Option<bool>,
    /// Whether the normal form is taken even where all replies can be tried.
    pub(crate) by_normal_form: bool,
}

impl<N: Number> Replies<N> {
    /// Every reply to a request that is left; some may be illegal.
    pub(crate) fn to(&self, turn: &Turn<N>) -> Result<Vec<Reply<N>>, Unsolved> {
        let bit = turn.request.proof_bit();
        if let Some(value) = bit.and_then(|bit| self.proof.value(bit)) {
            return Ok(vec![Reply::Bits(Bits::from(vec![value]))]);
        }
        let mut each = every_reply(turn, &self.grid)?;
        if let Some(only) = self.answers {
            each.retain(|reply| !matches!(reply, Reply::Answer(answer) if *answer != only));
        }
        Ok(each)
    }
}

/// The outcomes of a draw with their probabilities: of those that are `equivalent` one, and of all
/// others one.
///
/// # Errors
/// If there are too many outcomes to list.
pub fn outcomes<N: Number>(
    draw: &Draw<N>,
    equivalent: Option<Range<u64>>,
) -> Result<Vec<(N, Reply<N>)>, Unsolved> {
    let each: Vec<(N, u64)> = match (draw, equivalent) {
        (Draw::Bernoulli(p), _) => vec![(p.clone(), 1), (N::one() - p.clone(), 0)],
        (Draw::Binomial { count, p }, Some(equivalent)) => {
            let outside = match u32::try_from(*count) {
                Ok(few) if *count <= MOST_EACH => {
                    let law = (0..).zip(binomial_law(few, p));
                    let outside = law.filter(|(ones, _)| !equivalent.contains(ones));
                    outside.fold(N::zero(), |sum, (_, chance)| sum + chance)
                }
                _ => N::from_exact(&exactly(binomial_outside(
                    *count,
                    p.to_float(),
                    &equivalent,
                ))),
            };
            let inside = N::one() - outside.clone();
            let possible = |ones: u64| !(p.is_zero() && ones > 0 || p.is_one() && ones < *count);
            let within = equivalent.clone().find(|ones| possible(*ones));
            // Any that is no member stands for all of those.
            let others = [0, equivalent.end, *count].into_iter();
            let beyond = others
                .filter(|ones| !equivalent.contains(ones))
                .find(|ones| possible(*ones));
            let given = |chance: N, ones: Option<u64>| Some((chance, ones?));
            let both = [given(inside, within), given(outside, beyond)];
            both.into_iter().flatten().collect()
        }
        (Draw::Binomial { count, p }, _) => {
            let few = u32::try_from(*count).map_err(|_many| Unsolved::Endless(Seat::Chance))?;
            binomial_law(few, p).into_iter().zip(0..).collect()
        }
    };
    let possible = each.into_iter().filter(|(chance, _)| !chance.is_zero());
    Ok(possible
        .map(|(chance, outcome)| (chance, Reply::Drawn(outcome)))
        .collect())
}

/// The key of the outcomes of samples, some of which are equivalent; `None` of any other draw.
pub(crate) fn sample_key<N: Number>(
    draw: &Draw<N>,
    equivalent: Option<&Range<u64>>,
) -> Option<StateKey> {
    let (Draw::Binomial { count, p }, Some(equivalent)) = (draw, equivalent) else {
        return None;
    };
    let mut key = vec![*count, equivalent.start, equivalent.end];
    p.add_to_key(&mut key);
    Some(key.into())
}

/// Up to so many samples the law of their number of ones is exact.
const MOST_EACH: u64 = 1024;

/// The value of a probability in floating point.
fn exactly(p: f64) -> Exact {
    Exact::from_float(p).unwrap_or_default()
}
