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
    sink: &mut dyn Sink<N>,
) -> Played<N>
where
    N: Number,
    R: Rules<N>,
{
    let mut table = Table::new(rules, chances, sink);
    table.debate(|table, Turn { seat, request }| match seat {
        Seat::Prover => table.speak(Seat::Prover, |rules, mind| {
            prover.choose(View::new(rules, Seat::Prover), request, mind)
        }),
        Seat::Opponent => table.speak(Seat::Opponent, |rules, mind| {
            opponent.choose(View::new(rules, Seat::Opponent), request, mind)
        }),
        Seat::Judge => table.speak(Seat::Judge, |rules, mind| {
            judge.choose(View::new(rules, Seat::Judge), request, mind)
        }),
        Seat::Chance => table.toss(request),
    })
}

/// Plays a debate between strategies of any protocol (prover, opponent, judge) to its end.
#[inline]
pub fn play_between<'a, N: Number>(
    state: &mut State<'a, N>,
    players: [&dyn Strategy<'a, N>; 3],
    chances: &mut impl Chances,
    sink: &mut dyn Sink<N>,
) -> Played<N> {
    let mut table = Table::new(state, chances, sink);
    table.debate(
        |table, Turn { seat, request }| match players.get(seat.index()) {
            Some(player) => table.speak(*seat, |state, mind| {
                player.choose(state, *seat, request, mind)
            }),
            None => table.toss(request),
        },
    )
}

/// A debate under way, with all that moves it on.
struct Table<'t, N, R, C> {
    rules: &'t mut R,
    chances: &'t mut C,
    sink: &'t mut dyn Sink<N>,
    minds: [Mind; 3],
    /// How many moves there were.
    number: u64,
}

/// That a player had no reply, or an illegal one.
struct Stuck;

impl<'t, N: Number, R: Rules<N>, C: Chances> Table<'t, N, R, C> {
    #[inline]
    fn new(rules: &'t mut R, chances: &'t mut C, sink: &'t mut dyn Sink<N>) -> Self {
        Self {
            rules,
            chances,
            sink,
            minds: [Mind::default(); 3],
            number: 0,
        }
    }

    /// Asks for move after move until the debate is over.
    #[inline]
    fn debate(&mut self, answer: impl Fn(&mut Self, &Turn<N>) -> Result<(), Stuck>) -> Played<N> {
        let mut finished = true;
        while let Some(turn) = self.rules.request() {
            if answer(self, &turn).is_err() {
                finished = false;
                break;
            }
            self.number += 1;
        }
        Played {
            payoff: self.rules.payoff(),
            spent: self.minds.map(|mind| mind.spent),
            finished,
        }
    }

    /// The move of a player. Each seat's own copy of this leads straight to what its replies do.
    #[inline]
    fn speak(
        &mut self,
        seat: Seat,
        choose: impl FnOnce(&R, &mut Mind) -> Option<Choice<N>>,
    ) -> Result<(), Stuck> {
        let mind = &mut self.minds[seat.index()];
        let choice = choose(self.rules, mind).ok_or(Stuck)?;
        let reply = choice.settle(|| self.chances.private(seat, self.number));
        self.take(reply)
    }

    /// The move of chance.
    #[inline]
    fn toss(&mut self, request: &Request<N>) -> Result<(), Stuck> {
        let Request::Draw { ordinal, draw, .. } = request else {
            return Err(Stuck);
        };
        let outcome = draw.outcome(self.chances.coin(*ordinal));
        self.take(Reply::Drawn(outcome))
    }

    #[inline]
    fn take(&mut self, reply: Reply<N>) -> Result<(), Stuck> {
        self.rules.reply(reply, self.sink).map_err(|_illegal| Stuck)
    }
}
