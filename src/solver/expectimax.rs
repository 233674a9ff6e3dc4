//! The search for a value, by playing every reply that players might give; `solve` is the entry for players by name.

mod half_coins;
mod search;

use std::collections::HashMap;
use std::sync::Arc;

use crate::expectation::{Expected, ProofPlan, RoundPlaces, UnderPlan, Unsolved, best_plan};
pub use crate::game::Actor;
use crate::game::{Node, Replies, StateKey, normal_form};
use debate_core::budget::Budget;
use debate_core::number::Number;
use debate_core::player::{Built, Spec};
use debate_core::protocol::{Reply, Rules as _, Seat, State, Turn};
use search::{ChanceNode, SearchStep, worth_to};

/// A search that may play so many replies may store one point, each of which takes up to some
/// 2 kB; and so many points in any case.
const REPLIES_A_POINT: u64 = 200;
const MIN_POINTS: u64 = 200_000;

/// Strings of more bits are not all tried where a normal form is enough.
const FEW_BITS: u32 = 6;

/// The name of the player that gets the most out of a debate, knowing the others.
pub const BEST_RESPONSE: &str = "best-response";

/// True if a seat is to be filled with whoever replies best.
pub(crate) fn is_best_response(spec: &Spec) -> bool {
    spec.name == BEST_RESPONSE && spec.arguments.is_empty()
}

/// A reply with its worth.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReplyValue<N: Number> {
    /// The reply.
    pub reply: Reply<N>,
    pub expected: Expected<N>,
}

/// The value of debates between players that are known.
pub struct Expectimax<'p, 'a, N: Number> {
    players: [Actor<'p, 'a, N>; 3],
    /// What a best response may reply.
    pub(crate) replies: Replies<N>,
    places: RoundPlaces,
    budget: Budget<'p>,
    /// The number of replies played so far.
    pub(crate) played: u64,
    /// It may be that of a search between the same players on the same grid, with the same proof bits
    /// settled.
    pub(crate) table: TranspositionTable<N>,
    /// The outcomes of the verifier's samples, which are drawn at many points alike.
    sampled: HashMap<StateKey, Vec<(N, Reply<N>)>>,
    /// True if the coins of a round can be counted.
    counts: bool,
}

impl<'p, 'a, N: Number> Expectimax<'p, 'a, N> {
    /// A search of debates that begin so, between prover, opponent and judge.
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
            replies: Replies::default(),
            places: RoundPlaces::of(&start.schedule()),
            budget,
            played: 0,
            table: TranspositionTable::default(),
            sampled: HashMap::new(),
        }
    }

    /// A search between known players, for the value alone.
    pub(super) fn between(
        start: &State<'a, N>,
        players: &'p [Built<'a, N>; 3],
        budget: Budget<'p>,
    ) -> Self {
        Self::new(start, Actor::all(players), budget).for_value()
    }

    /// Lets a best response choose among these probabilities.
    #[must_use]
    pub fn on_grid(mut self, grid: Vec<N>) -> Self {
        self.replies.grid = grid;
        self
    }

    /// Lets a best response choose only among replies in normal form, at every request. Without this call it does so
    /// only if there are too many replies to try. The search fails with [`Unsolved::Endless`] without a normal form.
    #[must_use]
    pub fn by_normal_form(mut self) -> Self {
        self.replies.by_normal_form = true;
        self
    }

    /// Asks for the value alone: neither rounds nor expenses are told apart.
    #[must_use]
    pub fn for_value(mut self) -> Self {
        self.places = RoundPlaces::one();
        self
    }

    /// Follows every coin, without counting.
    #[must_use]
    pub fn plain(mut self) -> Self {
        self.counts = false;
        self
    }

    /// The expectation from a state of the debate on.
    ///
    /// # Errors
    /// If it takes too long, or a player has no reply.
    pub fn value(&mut self, state: State<'a, N>) -> Result<Expected<N>, Unsolved> {
        self.value_at(&Node::new(state))
    }

    /// The expectation from a request for half of a coin on, if the coin can be weighed without
    /// a look at each number that the halves may be.
    pub(super) fn half_coin_value(
        &mut self,
        at: &Node<'a, N>,
        turn: &Turn<N>,
    ) -> Result<Option<Expected<N>>, Unsolved> {
        let Some(each) = self.half_coin_edges(at, turn)? else {
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

    /// The best reply of the seat that is asked, the first of several; `None` where the debate is
    /// over.
    ///
    /// # Errors
    /// If there are too many, or the rest takes too long.
    pub(super) fn best_reply(
        &mut self,
        state: &State<'a, N>,
    ) -> Result<Option<ReplyValue<N>>, Unsolved> {
        let Some(turn) = state.request() else {
            return Ok(None);
        };
        let mut best: Option<(N, ReplyValue<N>)> = None;
        let replies = self.options(state, &turn)?;
        for worth in self.rated(&Node::new(state.clone()), &turn, replies)? {
            let value = worth_to(turn.seat, &worth.expected);
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                best = Some((value, worth));
            }
        }
        best.map(|(_, best)| Some(best))
            .ok_or(Unsolved::NoReply(turn.seat))
    }

    /// The replies of a best response: all that are left, or where these are too many, some among which is a best one.
    fn options(&self, state: &State<'a, N>, turn: &Turn<N>) -> Result<Vec<Reply<N>>, Unsolved> {
        let few = || {
            let opponent = self.players[Seat::Opponent.index()].strategy();
            normal_form(state, turn, opponent).ok_or(Unsolved::Endless(turn.seat))
        };
        if self.replies.by_normal_form {
            return few();
        }
        let many = turn
            .request
            .bits_wanted()
            .is_some_and(|bits| bits > FEW_BITS);
        if many && let Ok(few) = few() {
            return Ok(few);
        }
        match self.replies.to(turn) {
            Err(Unsolved::Endless(_)) => few(),
            all => all,
        }
    }

    /// The expectation from a position on. What waits for its rest stands on a stack of its own, so
    /// that a debate may be as long as it likes.
    pub(super) fn value_at(&mut self, at: &Node<'a, N>) -> Result<Expected<N>, Unsolved> {
        Ok(self.planned_from(at, true)?.0)
    }

    /// The same, with the plan of a best response for its proof bits.
    pub(super) fn planned(
        &mut self,
        state: State<'a, N>,
    ) -> Result<(Expected<N>, ProofPlan), Unsolved> {
        self.planned_from(&Node::new(state), true)
    }

    /// The expectation from a position on under the best plan for the proof bits, which is settled
    /// before anything that follows. `fresh` as of [`Self::enter`].
    fn planned_from(
        &mut self,
        at: &Node<'a, N>,
        fresh: bool,
    ) -> Result<(Expected<N>, ProofPlan), Unsolved> {
        let settled = self.replies.proof.clone();
        best_plan(&settled, |plan| {
            let step = SearchStep::enter(at.clone(), fresh);
            let expected = if *plan == settled {
                self.run(step, Vec::new())?
            } else {
                // What is known holds under the bits that are settled, and no others.
                let known = std::mem::take(&mut self.table);
                self.replies.proof = plan.clone();
                let expected = self.run(step, Vec::new());
                self.table = known;
                self.replies.proof = settled.clone();
                expected?
            };
            Ok(UnderPlan {
                worth: expected.value(),
                given: expected.given.clone(),
                result: expected,
            })
        })
    }

    /// The expectation after a reply at a position; `None` if it is illegal there.
    fn worth_at(
        &mut self,
        at: &Node<'a, N>,
        seat: Seat,
        reply: Reply<N>,
    ) -> Result<Option<Expected<N>>, Unsolved> {
        let mut next = at.clone();
        let gain = match next.reply(seat, reply, &self.places) {
            Err(Unsolved::Illegal { .. }) => return Ok(None),
            gain => gain?.0,
        };
        let (rest, _) = self.planned_from(&next, false)?;
        Ok(Some(rest.after(&gain)))
    }

    /// These replies at a position, each with what is expected after it; those that are illegal are
    /// left out.
    pub(super) fn rated(
        &mut self,
        at: &Node<'a, N>,
        turn: &Turn<N>,
        replies: Vec<Reply<N>>,
    ) -> Result<Vec<ReplyValue<N>>, Unsolved> {
        let mut rated = Vec::with_capacity(replies.len());
        for reply in replies {
            self.tick()?;
            if let Some(expected) = self.worth_at(at, turn.seat, reply.clone())? {
                rated.push(ReplyValue { reply, expected });
            }
        }
        Ok(rated)
    }
}

/// Expectations at points where histories meet.
#[derive(Debug, Default)]
pub(crate) struct TranspositionTable<N: Number>(HashMap<StateKey, Arc<Expected<N>>>);

impl<N: Number> TranspositionTable<N> {
    fn get(&self, key: &StateKey) -> Option<&Expected<N>> {
        self.0.get(key).map(AsRef::as_ref)
    }

    /// Stores what is expected at a point, where the budget leaves room.
    fn store(
        &mut self,
        key: StateKey,
        expected: &Expected<N>,
        budget: &Budget<'_>,
    ) -> Result<(), Unsolved> {
        let room = (budget.steps / REPLIES_A_POINT).max(MIN_POINTS);
        if self.0.len() as u64 >= room {
            return Err(budget.exceeded("replies' worth of memory").into());
        }
        self.0.insert(key, Arc::new(expected.clone()));
        Ok(())
    }
}
