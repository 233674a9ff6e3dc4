//! A position in a search.

use super::transposition::StateKey;
use crate::expectation::{Gain, RewardSink, RoundPlaces, Unsolved};
use debate_core::number::Number;
use debate_core::player::{Choice, PolicyState, Strategy};
use debate_core::protocol::{Reply, Rules as _, Seat, Sink, State, Turn, View};

/// A debate as it stands, with what its players remember.
#[derive(Clone)]
pub(crate) struct Position<'a, N> {
    pub(crate) state: State<'a, N>,
    minds: [PolicyState; 3],
    /// True if it was taken up in the middle of a round, some coins of which have fallen: these
    /// cannot be counted any more.
    midway: bool,
}

impl<'a, N: Number> Position<'a, N> {
    pub(crate) fn new(state: State<'a, N>) -> Self {
        Self {
            midway: state.coins_of_gate().is_some(),
            state,
            minds: [PolicyState::default(); 3],
        }
    }

    /// Takes the position as the start of a search.
    pub(crate) fn taken_up(mut self) -> Self {
        self.midway = self.state.coins_of_gate().is_some();
        self
    }

    /// True if the coins of the round under way can be counted, none having fallen before.
    pub(super) fn counts(&mut self) -> bool {
        self.midway &= self.state.coins_of_gate().is_some();
        !self.midway
    }

    /// Every reply that a strategy might give here, with its probability; the strategy remembers
    /// that it was asked.
    pub(crate) fn asked(
        &mut self,
        turn: &Turn<N>,
        strategy: &dyn Strategy<'a, N>,
    ) -> Result<Choice<N>, Unsolved> {
        self.choice(turn, strategy, &mut Gain::nothing())
    }

    /// The key of what the rest depends on; `None` if it depends on the whole history.
    pub(crate) fn state_key(&self) -> Option<StateKey> {
        let mut key = Vec::new();
        self.state.state_key(&mut key).then(|| {
            key.extend(self.minds.iter().flat_map(|mind| mind.memory.0));
            key.into()
        })
    }

    /// Takes a reply: what was spent, and the rewards, whether any of it was in the open, and how a
    /// coin fell.
    pub(super) fn reply_noted(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
    ) -> Result<(Gain<N>, RewardSink<N>), Unsolved> {
        let mut sink = RewardSink::default();
        let gain = self.reply_to(seat, reply, &mut sink)?;
        Ok((gain, sink))
    }

    /// Takes a reply, whose events go to a sink: what was spent.
    pub(crate) fn reply_to(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
        sink: &mut dyn Sink<N>,
    ) -> Result<Gain<N>, Unsolved> {
        let mut gain = Gain::nothing();
        let before = *self.state.ledger();
        let illegal = |illegal| Unsolved::Illegal { seat, illegal };
        self.state.reply(reply, sink).map_err(illegal)?;
        gain.ledger(&before, self.state.ledger());
        Ok(gain)
    }

    /// Takes a reply: what was spent and paid, and whether others see any of it.
    pub(super) fn reply(
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

    /// The choice of a strategy; its expenses are added to the gain.
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
}
