//! The exact value of a debate, by playing every reply that its players might give.

pub(super) mod expected;
mod half_coins;
mod position;
mod replies;
mod search;
mod transposition;
mod unsolved;

use std::collections::HashMap;

use debate_core::budget::Budget;
use debate_core::number::Number;
use debate_core::player::{Built, Strategy};
use debate_core::protocol::{Reply, Rules as _, Seat, State, Turn};
use expected::{Expected, RoundPlaces};
pub(super) use position::Position;
pub(super) use replies::{every_reply, outcomes};
use search::{ChanceNode, SearchStep, worth_to};
use transposition::StateKey;
pub use transposition::TranspositionTable;
pub(super) use unsolved::StepCounter;
pub use unsolved::Unsolved;

/// Who replies in a seat during a walk.
#[derive(Clone, Copy)]
pub enum Actor<'p, 'a, N: Number> {
    /// A strategy, with all that it might say.
    Plays(&'p dyn Strategy<'a, N>),
    /// Whoever gets the most out of the rest, knowing the other players. Probabilities are taken
    /// from the walk's grid.
    BestResponse,
}

/// What a reply is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyValue<N: Number> {
    /// The reply.
    pub reply: Reply<N>,
    /// What is expected after it.
    pub expected: Expected<N>,
}

/// Walks debates between players that are known.
pub struct Expectimax<'p, 'a, N: Number> {
    players: [Actor<'p, 'a, N>; 3],
    /// What the best estimator may say.
    grid: Vec<N>,
    places: RoundPlaces,
    budget: Budget<'p>,
    played: u64,
    table: TranspositionTable<N>,
    /// The outcomes of the verifier's samples, which are drawn at many points alike.
    sampled: HashMap<StateKey, Vec<(N, Reply<N>)>>,
    /// Whether the coins of a round can be counted.
    counts: bool,
}

impl<'p, 'a, N: Number> Expectimax<'p, 'a, N> {
    /// A walk of debates that begin so, between prover, opponent and judge.
    #[must_use]
    pub fn new(start: &State<'a, N>, players: [Actor<'p, 'a, N>; 3], budget: Budget<'p>) -> Self {
        let [prover, opponent, _] = &players;
        let counts = match (prover, opponent) {
            (Actor::Plays(prover), Actor::Plays(opponent)) => {
                prover.ignores_round_coins() && opponent.ignores_round_coins()
            }
            // What is best after coins that nobody else looks at is best whichever way they fell.
            (Actor::BestResponse, Actor::Plays(opponent)) => opponent.ignores_round_coins(),
            (_, Actor::BestResponse) => false,
        };
        Self {
            counts,
            players,
            grid: Vec::new(),
            places: RoundPlaces::of(&start.schedule()),
            budget,
            played: 0,
            table: TranspositionTable::default(),
            sampled: HashMap::new(),
        }
    }

    /// The same between players of whom each is known, for the value alone.
    pub(super) fn between(
        start: &State<'a, N>,
        players: &'p [Built<'a, N>; 3],
        budget: Budget<'p>,
    ) -> Self {
        let actors = players.each_ref().map(|player| Actor::Plays(&**player));
        Self::new(start, actors, budget).for_value()
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
        self.places = RoundPlaces::one();
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
    pub fn with_table(mut self, table: TranspositionTable<N>) -> Self {
        self.table = table;
        self
    }

    /// What it has found out.
    #[must_use]
    pub fn into_table(self) -> TranspositionTable<N> {
        self.table
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
        self.run(SearchStep::enter(at, fresh), Vec::new())
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
        let branch = ChanceNode {
            at: at.clone(),
            each: each.into_iter(),
            sum: self.places.nothing(),
        };
        let mut waiting = Vec::new();
        let next = self.chance_node(branch, &mut waiting)?;
        self.run(next, waiting).map(Some)
    }

    /// Every reply of the seat that is asked, with what is expected after it; those of
    /// probabilities are the grid's. Illegal ones are left out.
    ///
    /// # Errors
    /// Where there are too many, or the rest takes too long.
    pub fn each_reply(&mut self, state: &State<'a, N>) -> Result<Vec<ReplyValue<N>>, Unsolved> {
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
    pub fn best_reply(&mut self, state: &State<'a, N>) -> Result<Option<ReplyValue<N>>, Unsolved> {
        let Some(turn) = state.request() else {
            return Ok(None);
        };
        let mut best: Option<(N, ReplyValue<N>)> = None;
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
    ) -> Result<Vec<ReplyValue<N>>, Unsolved> {
        let mut found = Vec::new();
        for reply in every_reply(turn, &self.grid)? {
            self.tick()?;
            if let Some(expected) = self.worth_at(at, turn.seat, reply.clone())? {
                found.push(ReplyValue { reply, expected });
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
