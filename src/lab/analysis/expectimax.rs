//! The exact value of a debate, by playing every reply that its players might give.

pub(super) mod expected;
mod half_coins;
mod position;
mod unsolved;

use std::collections::HashMap;
use std::sync::Arc;

use debate_core::bits::Bits;
use debate_core::budget::Budget;
use debate_core::number::Number;
use debate_core::player::Strategy;
use debate_core::protocol::{Bet, Reply, Request, Reward, Rules as _, Seat, State, Turn};
use expected::{Expected, Gain, Places};
use position::{Marks, marks_of};
pub(super) use position::{Position, outcomes};
pub(super) use unsolved::Steps;
pub use unsolved::Unsolved;

/// Who replies in a seat during a walk.
#[derive(Clone, Copy)]
pub enum Actor<'p, 'a, N: Number> {
    /// A strategy, with all that it might say.
    Plays(&'p dyn Strategy<'a, N>),
    /// Whoever gets the most out of the rest, knowing the other players. Probabilities are taken
    /// from the walk's grid.
    Best,
}

/// What a reply is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Worth<N: Number> {
    /// The reply.
    pub reply: Reply<N>,
    /// What is expected after it.
    pub expected: Expected<N>,
}

/// Whoever may play so many replies may remember one point where histories meet, each of which
/// takes up to some 2 kB; and so many points in any case.
const REPLIES_A_POINT: u64 = 200;
const MIN_POINTS: u64 = 200_000;

/// What a walk has found out about points where histories meet.
#[derive(Debug)]
pub struct Memory<N: Number>(HashMap<Marks, Arc<Expected<N>>>);

impl<N: Number> Default for Memory<N> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

/// Walks debates between players that are known.
pub struct Walk<'p, 'a, N: Number> {
    players: [Actor<'p, 'a, N>; 3],
    /// What the best estimator may say.
    grid: Vec<N>,
    places: Places,
    budget: Budget<'p>,
    played: u64,
    known: Memory<N>,
    /// The outcomes of the verifier's samples, which are drawn at many points alike.
    sampled: HashMap<Marks, Vec<(N, Reply<N>)>>,
    /// Whether the coins of a round can be counted.
    counts: bool,
}

impl<'p, 'a, N: Number> Walk<'p, 'a, N> {
    /// A walk of debates that begin so, between prover, opponent and judge.
    #[must_use]
    pub fn new(start: &State<'a, N>, players: [Actor<'p, 'a, N>; 3], budget: Budget<'p>) -> Self {
        let [prover, opponent, _] = &players;
        let counts = match (prover, opponent) {
            (Actor::Plays(prover), Actor::Plays(opponent)) => {
                prover.is_steady() && opponent.is_steady()
            }
            // What is best after coins that nobody else looks at is best whichever way they fell.
            (Actor::Best, Actor::Plays(opponent)) => opponent.is_steady(),
            (_, Actor::Best) => false,
        };
        Self {
            counts,
            players,
            grid: Vec::new(),
            places: Places::of(&start.schedule()),
            budget,
            played: 0,
            known: Memory::default(),
            sampled: HashMap::new(),
        }
    }

    /// The same, the best estimator choosing among these probabilities.
    #[must_use]
    pub fn on_grid(mut self, grid: Vec<N>) -> Self {
        self.grid = grid;
        self
    }

    /// The same, of which the value alone is asked for: neither rounds nor expenses are told apart.
    #[must_use]
    pub fn for_value(mut self) -> Self {
        self.places = Places::one();
        self
    }

    /// The same without counting: every coin is walked.
    #[must_use]
    pub fn plain(mut self) -> Self {
        self.counts = false;
        self
    }

    /// The same, knowing what a walk between the same players on the same grid found out.
    #[must_use]
    pub fn remembering(mut self, memory: Memory<N>) -> Self {
        self.known = memory;
        self
    }

    /// What it has found out.
    #[must_use]
    pub fn memory(self) -> Memory<N> {
        self.known
    }

    /// How many replies were played so far.
    #[must_use]
    pub fn played(&self) -> u64 {
        self.played
    }

    /// What is expected from a point of the debate on.
    ///
    /// # Errors
    /// Where it takes too long, or a player has no reply.
    pub fn value(&mut self, state: State<'a, N>) -> Result<Expected<N>, Unsolved> {
        self.expectation(Position::new(state), true)
    }

    /// What is expected from here on, even where histories meet. What waits for its rest stands on
    /// a stack of its own, so that a debate may be as long as it likes.
    fn expectation(&mut self, at: Position<'a, N>, fresh: bool) -> Result<Expected<N>, Unsolved> {
        self.run(Next::enter(at, fresh), Vec::new())
    }

    /// What is expected from a request for half of a coin on, where the coin can be weighed without
    /// a look at each number that the halves may be.
    pub(super) fn shared_value(
        &mut self,
        at: &Position<'a, N>,
        turn: &Turn<N>,
    ) -> Result<Option<Expected<N>>, Unsolved> {
        let Some(each) = self.shared(at, turn)? else {
            return Ok(None);
        };
        let branch = Branch {
            at: at.clone(),
            each: each.into_iter(),
            sum: self.places.nothing(),
        };
        let mut waiting = Vec::new();
        let next = self.branch(branch, &mut waiting)?;
        self.run(next, waiting).map(Some)
    }

    /// Goes on until nobody waits.
    fn run(
        &mut self,
        mut next: Next<'a, N>,
        mut waiting: Vec<Waits<'a, N>>,
    ) -> Result<Expected<N>, Unsolved> {
        loop {
            next = match next {
                Next::Enter { at, fresh } => self.enter(*at, fresh, &mut waiting)?,
                Next::Found(rest) => match waiting.pop() {
                    Some(waits) => self.go_on(waits, rest, &mut waiting)?,
                    None => return Ok(rest),
                },
            };
        }
    }

    /// Plays what is certain, up to a point where there are several ways to go on. `fresh`: whether
    /// what is expected is to be found even where histories meet, instead of looked up.
    fn enter(
        &mut self,
        mut at: Position<'a, N>,
        fresh: bool,
        waiting: &mut Vec<Waits<'a, N>>,
    ) -> Result<Next<'a, N>, Unsolved> {
        let mut gains: Vec<Gain<N>> = Vec::new();
        let mut fresh = fresh;
        loop {
            let Some(turn) = at.state.request() else {
                let over = self.places.over(at.state.finding());
                let rest = gains.iter().rev().fold(over, Expected::after);
                return Ok(Next::Found(rest));
            };
            if !std::mem::take(&mut fresh)
                && let Some(marks) = at.marks()
            {
                waiting.push(Waits::After(gains));
                if let Some(known) = self.known.0.get(&marks) {
                    return Ok(Next::Found(known.as_ref().clone()));
                }
                waiting.push(Waits::Met(marks));
                return Ok(Next::enter(at, true));
            }
            let whole = at.counts();
            let shared = self.shared(&at, &turn)?;
            if shared.is_none()
                && let Some(Actor::Best) = self.players.get(turn.seat.index())
            {
                waiting.push(Waits::After(gains));
                let each = every_reply(&turn, &self.grid)?.into_iter();
                let seat = turn.seat;
                let best = Best {
                    at,
                    seat,
                    each,
                    found: None,
                };
                return self.best(best, waiting);
            }
            if self.counts
                && whole
                && turn.seat == Seat::Chance
                && at.state.coins_of_gate().is_some()
            {
                waiting.push(Waits::After(gains));
                return self.counted(at, waiting);
            }
            let mut gain = Gain::nothing();
            let mut each = match shared {
                Some(each) => each,
                None => self.ways(&mut at, &turn, &mut gain)?,
            };
            gains.push(gain);
            if each.len() != 1 {
                waiting.push(Waits::After(gains));
                let sum = self.places.nothing();
                let each = each.into_iter();
                return self.branch(Branch { at, each, sum }, waiting);
            }
            let way = each.swap_remove(0);
            self.tick()?;
            for (seat, reply) in std::iter::once(way.reply).chain(way.then) {
                gains.push(at.reply(seat, reply, &self.places)?);
            }
        }
    }

    /// Goes on with what has waited for this rest.
    fn go_on(
        &mut self,
        waits: Waits<'a, N>,
        rest: Expected<N>,
        waiting: &mut Vec<Waits<'a, N>>,
    ) -> Result<Next<'a, N>, Unsolved> {
        Ok(match waits {
            Waits::After(gains) => Next::Found(gains.iter().rev().fold(rest, Expected::after)),
            Waits::Met(marks) => {
                let room = (self.budget.steps / REPLIES_A_POINT).max(MIN_POINTS);
                if self.known.0.len() as u64 >= room {
                    return Err(self.budget.exceeded("replies' worth of memory").into());
                }
                self.known.0.insert(marks, Arc::new(rest.clone()));
                Next::Found(rest)
            }
            Waits::Counted { odds, rewards } => Next::Found(self.weighed(&odds, &rewards, &rest)),
            Waits::Branch(mut branch, chance, gains) => {
                let rest = gains.iter().rev().fold(rest, Expected::after);
                branch.sum.add(&chance, &rest);
                self.branch(branch, waiting)?
            }
            Waits::Best(mut best, gain) => {
                best.take(rest.after(&gain));
                self.best(best, waiting)?
            }
        })
    }

    /// Takes the next way of a branch.
    fn branch(
        &mut self,
        mut branch: Branch<'a, N>,
        waiting: &mut Vec<Waits<'a, N>>,
    ) -> Result<Next<'a, N>, Unsolved> {
        let Some(way) = branch.each.next() else {
            return Ok(Next::Found(branch.sum));
        };
        self.tick()?;
        let mut at = branch.at.clone();
        let (seat, reply) = way.reply;
        let (gain, open) = at.reply_openly(seat, reply, &self.places)?;
        let mut gains = vec![gain];
        if let Some((seat, reply)) = way.then {
            gains.push(at.reply(seat, reply, &self.places)?);
        } else if !open
            && self
                .players
                .iter()
                .any(|actor| matches!(actor, Actor::Best))
        {
            return Err(Unsolved::Hidden(seat));
        }
        waiting.push(Waits::Branch(branch, way.chance, gains));
        Ok(Next::enter(at, false))
    }

    /// Tries the next reply of whoever replies best.
    fn best(
        &mut self,
        mut best: Best<'a, N>,
        waiting: &mut Vec<Waits<'a, N>>,
    ) -> Result<Next<'a, N>, Unsolved> {
        while let Some(reply) = best.each.next() {
            self.tick()?;
            let mut at = best.at.clone();
            match at.reply(best.seat, reply, &self.places) {
                Err(Unsolved::Illegal { .. }) => {}
                Err(error) => return Err(error),
                Ok(gain) => {
                    waiting.push(Waits::Best(best, gain));
                    return Ok(Next::enter(at, false));
                }
            }
        }
        let found = best.found.map(|(_, expected)| Next::Found(expected));
        found.ok_or(Unsolved::NoReply(best.seat))
    }

    /// The ways to go on after a request, each with its probability.
    fn ways(
        &mut self,
        at: &mut Position<'a, N>,
        turn: &Turn<N>,
        gain: &mut Gain<N>,
    ) -> Result<Vec<Way<N>>, Unsolved> {
        let way = |(chance, reply)| Way {
            chance,
            reply: (turn.seat, reply),
            then: None,
        };
        let each = self.replies(at, turn, gain)?;
        Ok(each.into_iter().map(way).collect())
    }

    fn replies(
        &mut self,
        at: &mut Position<'a, N>,
        turn: &Turn<N>,
        gain: &mut Gain<N>,
    ) -> Result<Vec<(N, Reply<N>)>, Unsolved> {
        if let Request::Draw { draw, .. } = &turn.request {
            let alike = at.state.alike();
            let Some(marks) = marks_of(draw, alike.as_ref()) else {
                return outcomes(draw, alike);
            };
            if let Some(known) = self.sampled.get(&marks) {
                return Ok(known.clone());
            }
            let found = outcomes(draw, alike)?;
            self.sampled.insert(marks, found.clone());
            return Ok(found);
        }
        let Some(Actor::Plays(strategy)) = self.players.get(turn.seat.index()) else {
            return Err(Unsolved::NoReply(turn.seat));
        };
        let each = at.choice(turn, *strategy, gain)?.each();
        let mut each = each.ok_or(Unsolved::Countless(turn.seat))?;
        each.retain(|(chance, _)| !chance.is_zero());
        Ok(each)
    }

    fn tick(&mut self) -> Result<(), Unsolved> {
        self.played += 1;
        Ok(self.budget.taken(self.played, "replies")?)
    }

    /// Every reply of the seat that is asked, with what is expected after it; those of
    /// probabilities are the grid's. Illegal ones are left out.
    ///
    /// # Errors
    /// Where there are too many, or the rest takes too long.
    pub fn each_reply(&mut self, state: &State<'a, N>) -> Result<Vec<Worth<N>>, Unsolved> {
        match state.request() {
            Some(turn) => self.each(&Position::new(state.clone()), &turn),
            None => Ok(Vec::new()),
        }
    }

    /// The best reply of the seat that is asked, the first of several; `None` where the debate is
    /// over.
    ///
    /// # Errors
    /// As [`Self::each_reply`].
    pub fn best_reply(&mut self, state: &State<'a, N>) -> Result<Option<Worth<N>>, Unsolved> {
        let Some(turn) = state.request() else {
            return Ok(None);
        };
        let mut best: Option<(N, Worth<N>)> = None;
        for worth in self.each(&Position::new(state.clone()), &turn)? {
            let value = worth_to(turn.seat, &worth.expected);
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                best = Some((value, worth));
            }
        }
        best.map(|(_, best)| Some(best))
            .ok_or(Unsolved::NoReply(turn.seat))
    }

    /// What is expected from a position on.
    pub(super) fn value_at(&mut self, at: Position<'a, N>) -> Result<Expected<N>, Unsolved> {
        self.expectation(at, true)
    }

    /// What is expected after a reply at a position; `None` where it is illegal there.
    pub(super) fn worth_at(
        &mut self,
        at: &Position<'a, N>,
        seat: Seat,
        reply: Reply<N>,
    ) -> Result<Option<Expected<N>>, Unsolved> {
        let mut next = at.clone();
        let gain = match next.reply(seat, reply, &self.places) {
            Err(Unsolved::Illegal { .. }) => return Ok(None),
            gain => gain?,
        };
        Ok(Some(self.expectation(next, false)?.after(&gain)))
    }

    /// Every reply at a position, with what is expected after it.
    pub(super) fn each(
        &mut self,
        at: &Position<'a, N>,
        turn: &Turn<N>,
    ) -> Result<Vec<Worth<N>>, Unsolved> {
        let mut found = Vec::new();
        for reply in every_reply(turn, &self.grid)? {
            self.tick()?;
            if let Some(expected) = self.worth_at(at, turn.seat, reply.clone())? {
                found.push(Worth { reply, expected });
            }
        }
        Ok(found)
    }

    /// The rest of a round whose players look at no coin: it is walked once, with coins that may
    /// fall so, and the reward that hangs on the gate is weighed by the gate's probability.
    fn counted(
        &mut self,
        mut at: Position<'a, N>,
        waiting: &mut Vec<Waits<'a, N>>,
    ) -> Result<Next<'a, N>, Unsolved> {
        let mut gains = Vec::new();
        loop {
            let turn = at.state.request().ok_or(Unsolved::NoReply(Seat::Chance))?;
            let mut gain = Gain::nothing();
            let each = self.replies(&mut at, &turn, &mut gain)?;
            gains.push(gain);
            self.tick()?;
            let odds = match (turn.seat, at.state.coins_of_gate()) {
                (Seat::Chance, Some((gate, given))) => Some((gate.clone(), given.to_vec())),
                _ => None,
            };
            let (_, reply) = each
                .into_iter()
                .next()
                .ok_or(Unsolved::NoReply(turn.seat))?;
            let (gain, rewards) = at.replied(turn.seat, reply)?;
            gains.push(gain);
            if let (Some((gate, given)), false) = (odds, rewards.is_empty()) {
                let odds = gate.probability(&given);
                waiting.push(Waits::After(gains));
                waiting.push(Waits::Counted { odds, rewards });
                return Ok(Next::enter(at, false));
            }
        }
    }

    /// The rest after a gate that holds with this probability.
    fn weighed(&self, odds: &N, rewards: &[Reward<N>], rest: &Expected<N>) -> Expected<N> {
        let mut sum: Expected<N> = self.places.nothing();
        for (holds, chance) in [(true, odds.clone()), (false, N::one() - odds.clone())] {
            let mut gain = Gain::nothing();
            for reward in rewards {
                let reward = reward.clone().with_outcome(holds);
                gain.reward(self.places.of_round(reward.round()), reward.value());
            }
            sum.add(&chance, &rest.clone().after(&gain));
        }
        sum
    }
}

/// What a walk does next.
enum Next<'a, N: Number> {
    /// Goes on from a position; `fresh` as in [`Walk::enter`].
    Enter {
        at: Box<Position<'a, N>>,
        fresh: bool,
    },
    /// Gives what is expected to whoever waits for it.
    Found(Expected<N>),
}

impl<'a, N: Number> Next<'a, N> {
    fn enter(at: Position<'a, N>, fresh: bool) -> Self {
        Self::Enter {
            at: Box::new(at),
            fresh,
        }
    }
}

/// What waits for the rest of a debate.
enum Waits<'a, N: Number> {
    /// What was gained before it.
    After(Vec<Gain<N>>),
    /// A point where histories meet.
    Met(Marks),
    /// A gate that holds with a probability, and what is paid then.
    Counted { odds: N, rewards: Vec<Reward<N>> },
    /// A branch, on one way of this probability with these gains.
    Branch(Branch<'a, N>, N, Vec<Gain<N>>),
    /// Whoever replies best, having gained this.
    Best(Best<'a, N>, Gain<N>),
}

/// A way to go on, by a reply or by two.
struct Way<N> {
    chance: N,
    reply: (Seat, Reply<N>),
    then: Option<(Seat, Reply<N>)>,
}

/// A point with several ways to go on.
struct Branch<'a, N: Number> {
    at: Position<'a, N>,
    each: std::vec::IntoIter<Way<N>>,
    /// What is expected on the ways that were taken.
    sum: Expected<N>,
}

/// The replies of whoever replies best.
struct Best<'a, N: Number> {
    at: Position<'a, N>,
    seat: Seat,
    each: std::vec::IntoIter<Reply<N>>,
    /// The best so far, with what it is worth to the seat.
    found: Option<(N, Expected<N>)>,
}

impl<N: Number> Best<'_, N> {
    /// Keeps what is expected after a reply where it is the best; the first of the best.
    fn take(&mut self, expected: Expected<N>) {
        let value = worth_to(self.seat, &expected);
        if self.found.as_ref().is_none_or(|(most, _)| value > *most) {
            self.found = Some((value, expected));
        }
    }
}

/// What a seat that replies best makes the most of.
fn worth_to<N: Number>(seat: Seat, expected: &Expected<N>) -> N {
    match seat {
        Seat::Prover => expected.value(),
        _ => -expected.value(),
    }
}

/// The most replies of one kind that the best is looked for among.
const MAX_REPLIES: u64 = 4096;

/// Every reply to a request; of probabilities those of the grid. Some may be illegal.
pub(super) fn every_reply<N: Number>(
    turn: &Turn<N>,
    grid: &[N],
) -> Result<Vec<Reply<N>>, Unsolved> {
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

#[cfg(test)]
mod tests;
