//! A whole debate between three policies, at full speed: no text, and no allocation a step.

use super::{Choice, Mind, Policy, Strategy};
use crate::chance::{Draws, Seed, Stream};
use crate::number::Number;
use crate::protocol::{Reply, Request, Rules, Seat, Sink, Spent, State, Turn, View};

/// Where a debate's randomness comes from.
pub trait Chances {
    /// The coin that the rules ask for by its ordinal, below 2⁵³.
    fn coin(&mut self, ordinal: u64) -> u64;
    /// A player's private draw at its move with this number, below 2⁵³.
    fn private(&mut self, seat: Seat, number: u64) -> u64;
}

/// All randomness of one debate, from its seed.
#[derive(Clone, Debug)]
pub struct Seeded {
    seed: Seed,
    debate: u64,
    coins: Draws,
    private: [Option<Draws>; 3],
}

impl Seeded {
    /// The randomness of debate number `debate`, of which the rules ask for at most `coins` coins.
    #[must_use]
    pub fn new(seed: &Seed, debate: u64, coins: u64) -> Self {
        let draws = Draws::coins(seed, debate, coins);
        Self {
            seed: seed.clone(),
            debate,
            coins: draws,
            private: [None, None, None],
        }
    }
}

impl Chances for Seeded {
    fn coin(&mut self, ordinal: u64) -> u64 {
        self.coins.at(ordinal)
    }

    fn private(&mut self, seat: Seat, number: u64) -> u64 {
        let stream = match seat {
            Seat::Prover => Stream::Prover,
            Seat::Opponent => Stream::Opponent,
            Seat::Judge => Stream::Judge,
            Seat::Chance => return self.coins.at(number),
        };
        self.private[seat.index()]
            .get_or_insert_with(|| Draws::private(&self.seed, stream, self.debate))
            .at(number)
    }
}

/// A debate's coins from a buffer that was filled in bulk; for players that draw nothing.
impl Chances for &[u64] {
    #[inline]
    fn coin(&mut self, ordinal: u64) -> u64 {
        usize::try_from(ordinal)
            .ok()
            .and_then(|place| self.get(place))
            .copied()
            .unwrap_or(0)
    }

    #[inline]
    fn private(&mut self, _seat: Seat, _number: u64) -> u64 {
        0
    }
}

/// What a debate came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Played<N> {
    /// What the prover received.
    pub payoff: N,
    /// What the players spent beyond what the rules see, by seat.
    pub spent: [Spent; 3],
    /// Whether the debate came to its end. It did not where a player had no reply, or an illegal
    /// one.
    pub finished: bool,
}

/// Plays a debate to its end, from wherever it stands.
#[inline]
pub fn play<N, R>(
    rules: &mut R,
    prover: &impl Policy<N, R>,
    opponent: &impl Policy<N, R>,
    judge: &impl Policy<N, R>,
    chances: &mut impl Chances,
    sink: &mut impl Sink<N>,
) -> Played<N>
where
    N: Number,
    R: Rules<N>,
{
    drive(rules, chances, sink, |rules, turn, minds| {
        let (seat, request) = (turn.seat, &turn.request);
        let view = View::new(rules, seat);
        match seat {
            Seat::Prover => prover.choose(view, request, &mut minds[0]),
            Seat::Opponent => opponent.choose(view, request, &mut minds[1]),
            Seat::Judge | Seat::Chance => judge.choose(view, request, &mut minds[2]),
        }
    })
}

/// Plays a debate between strategies of any protocol (prover, opponent, judge) to its end.
#[inline]
pub fn play_between<'a, N: Number>(
    state: &mut State<'a, N>,
    players: [&dyn Strategy<'a, N>; 3],
    chances: &mut impl Chances,
    sink: &mut impl Sink<N>,
) -> Played<N> {
    drive(state, chances, sink, |state, turn, minds| {
        let place = turn.seat.index().min(2);
        players[place].choose(state, turn.seat, &turn.request, &mut minds[place])
    })
}

/// Asks chance and the players in turn until the debate is over.
#[inline]
fn drive<N: Number, R: Rules<N>>(
    rules: &mut R,
    chances: &mut impl Chances,
    sink: &mut impl Sink<N>,
    choose: impl Fn(&R, &Turn<N>, &mut [Mind; 3]) -> Option<Choice<N>>,
) -> Played<N> {
    let mut minds = [Mind::default(); 3];
    let mut number = 0;
    let mut finished = true;
    while let Some(turn) = rules.request() {
        let seat = turn.seat;
        let choice = match &turn.request {
            Request::Draw { ordinal, draw, .. } => {
                let outcome = draw.outcome(chances.coin(*ordinal));
                Some(Choice::Sure(Reply::Drawn(outcome)))
            }
            _ => choose(rules, &turn, &mut minds),
        };
        let reply = choice.map(|choice| choice.settle(|| chances.private(seat, number)));
        if reply.is_none_or(|reply| rules.reply(reply, sink).is_err()) {
            finished = false;
            break;
        }
        number += 1;
    }
    Played {
        payoff: rules.payoff(),
        spent: minds.map(|mind| mind.spent),
        finished,
    }
}
