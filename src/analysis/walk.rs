//! The exact value of a debate, by playing every reply that its players might give.

mod effort;
mod position;
mod shares;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::expected::{Expected, Gain, Places};
use crate::bits::Bits;
use crate::number::Number;
use crate::player::Strategy;
use crate::protocol::{Bet, Reply, Request, Rules as _, Seat, State, Turn};
pub(super) use effort::Steps;
pub use effort::{Effort, Unsolved};
use position::Marks;
pub(super) use position::{Position, outcomes};

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
pub struct Worth<N> {
    /// The reply.
    pub reply: Reply<N>,
    /// What is expected after it.
    pub expected: Expected<N>,
}

/// What a walk has found out about points where histories meet.
#[derive(Debug)]
pub struct Memory<N>(HashMap<Marks, Arc<Expected<N>>>);

impl<N> Default for Memory<N> {
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
    effort: Effort<'p>,
    played: u64,
    known: Memory<N>,
    /// Whether the coins of a round can be counted.
    counts: bool,
}

impl<'p, 'a, N: Number> Walk<'p, 'a, N> {
    /// A walk of debates that begin so, between prover, opponent and judge.
    #[must_use]
    pub fn new(start: &State<'a, N>, players: [Actor<'p, 'a, N>; 3], effort: Effort<'p>) -> Self {
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
            effort,
            played: 0,
            known: Memory::default(),
        }
    }

    /// The same, the best estimator choosing among these probabilities.
    #[must_use]
    pub fn on_grid(mut self, grid: Vec<N>) -> Self {
        self.grid = grid;
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

    /// What is expected from here on. `fresh`: whether it is to be found even where histories
    /// meet, instead of looked up.
    fn expectation(
        &mut self,
        mut at: Position<'a, N>,
        fresh: bool,
    ) -> Result<Expected<N>, Unsolved> {
        let mut gains: Vec<Gain<N>> = Vec::new();
        let mut fresh = fresh;
        let rest = loop {
            let Some(turn) = at.state.request() else {
                break Expected::over(self.places.len(), at.state.finding());
            };
            if !std::mem::take(&mut fresh)
                && let Some(marks) = at.marks()
            {
                break self.met(marks, at)?.as_ref().clone();
            }
            let whole = at.counts();
            if let Some(Actor::Best) = self.players.get(turn.seat.index()) {
                break self.best(&at, &turn)?.expected;
            }
            if self.counts
                && whole
                && turn.seat == Seat::Chance
                && at.state.coins_of_gate().is_some()
            {
                break self.counted(at)?;
            }
            let mut gain = Gain::nothing();
            let shared = match &turn.request {
                Request::Share { .. } => self.shared(&at, &turn)?,
                _ => None,
            };
            if let Some(both) = shared {
                break self.coin(&at, both)?;
            }
            let mut each = self.replies(&mut at, &turn, &mut gain)?;
            gains.push(gain);
            if each.len() != 1 {
                break self.branch(&at, &turn, each)?;
            }
            let (_, reply) = each.swap_remove(0);
            self.tick()?;
            gains.push(at.reply(turn.seat, reply, &self.places)?);
        };
        Ok(gains.iter().rev().fold(rest, Expected::after))
    }

    /// What is expected at a point where histories meet.
    fn met(&mut self, marks: Marks, at: Position<'a, N>) -> Result<Arc<Expected<N>>, Unsolved> {
        if let Some(known) = self.known.0.get(&marks) {
            return Ok(Arc::clone(known));
        }
        let found = Arc::new(self.expectation(at, true)?);
        self.known.0.insert(marks, Arc::clone(&found));
        Ok(found)
    }

    fn branch(
        &mut self,
        at: &Position<'a, N>,
        turn: &Turn<N>,
        each: Vec<(N, Reply<N>)>,
    ) -> Result<Expected<N>, Unsolved> {
        let against_best = self
            .players
            .iter()
            .any(|actor| matches!(actor, Actor::Best));
        let mut sum = Expected::nothing(self.places.len());
        for (chance, reply) in each {
            self.tick()?;
            let mut next = at.clone();
            let (gain, open) = next.reply_openly(turn.seat, reply, &self.places)?;
            if against_best && !open {
                return Err(Unsolved::Hidden(turn.seat));
            }
            let rest = self.expectation(next, false)?;
            sum.add(&chance, &rest.after(&gain));
        }
        Ok(sum)
    }

    fn replies(
        &self,
        at: &mut Position<'a, N>,
        turn: &Turn<N>,
        gain: &mut Gain<N>,
    ) -> Result<Vec<(N, Reply<N>)>, Unsolved> {
        if let Request::Draw { draw, .. } = &turn.request {
            return outcomes(draw, at.state.alike());
        }
        let Some(Actor::Plays(strategy)) = self.players.get(turn.seat.index()) else {
            return Err(Unsolved::NoReply(turn.seat));
        };
        let mut each = at.choice(turn, *strategy, gain)?.each();
        each.retain(|(chance, _)| !chance.is_zero());
        Ok(each)
    }

    fn tick(&mut self) -> Result<(), Unsolved> {
        self.played += 1;
        if self.played > self.effort.replies {
            return Err(Unsolved::TooLarge(self.effort.replies));
        }
        if self.played % Effort::STEP == 1 {
            if let Some(seen) = self.effort.seen {
                seen.fetch_add(Effort::STEP, Ordering::Relaxed);
            }
            let cancelled = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
            if self.effort.cancel.is_some_and(cancelled) {
                return Err(Unsolved::Cancelled);
            }
        }
        Ok(())
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
        match state.request() {
            Some(turn) => self.best(&Position::new(state.clone()), &turn).map(Some),
            None => Ok(None),
        }
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

    /// The best reply to a request, and what is expected from there on; the first of the best.
    fn best(&mut self, at: &Position<'a, N>, turn: &Turn<N>) -> Result<Worth<N>, Unsolved> {
        let mut best: Option<(N, Worth<N>)> = None;
        for worth in self.each(at, turn)? {
            let value = match turn.seat {
                Seat::Prover => worth.expected.value(),
                _ => -worth.expected.value(),
            };
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                best = Some((value, worth));
            }
        }
        best.map(|(_, best)| best)
            .ok_or(Unsolved::NoReply(turn.seat))
    }

    /// The rest of a round whose players look at no coin: it is walked once, with coins that may
    /// fall so, and the reward that hangs on the gate is weighed by the gate's probability.
    fn counted(&mut self, mut at: Position<'a, N>) -> Result<Expected<N>, Unsolved> {
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
            let (Some(odds), false) = (odds, rewards.is_empty()) else {
                continue;
            };
            let (gate, given) = odds;
            let odds = gate.probability(&given);
            let rest = self.expectation(at, false)?;
            let mut sum = Expected::nothing(self.places.len());
            for (holds, chance) in [(true, odds.clone()), (false, N::one() - odds)] {
                let mut gain = Gain::nothing();
                for reward in &rewards {
                    let reward = reward.clone().with_outcome(holds);
                    gain.reward(self.places.of_round(reward.round()), reward.value());
                }
                sum.add(&chance, &rest.clone().after(&gain));
            }
            return Ok(gains.iter().rev().fold(sum, Expected::after));
        }
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
