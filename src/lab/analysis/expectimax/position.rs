//! Where a walk stands.

use super::Unsolved;
use super::expected::{Gain, RewardSink, RoundPlaces};
use super::transposition::StateKey;
use debate_core::number::Number;
use debate_core::player::{Choice, PolicyState, Strategy};
use debate_core::protocol::{Reply, Reward, Rules as _, Seat, State, Turn, View};

/// A debate as it stands, with what its players remember.
#[derive(Clone)]
pub(in crate::analysis) struct Position<'a, N> {
    pub(in crate::analysis) state: State<'a, N>,
    minds: [PolicyState; 3],
    /// Whether it was taken up in the middle of a round, some coins of which have fallen: these
    /// cannot be counted any more.
    midway: bool,
}

impl<'a, N: Number> Position<'a, N> {
    pub(in crate::analysis) fn new(state: State<'a, N>) -> Self {
        Self {
            midway: state.coins_of_gate().is_some(),
            state,
            minds: [PolicyState::default(); 3],
        }
    }

    /// The same, from here on as if it had been taken up here.
    pub(in crate::analysis) fn taken_up(mut self) -> Self {
        self.midway = self.state.coins_of_gate().is_some();
        self
    }

    /// Whether the coins of the round under way can be counted, none having fallen before.
    pub(super) fn counts(&mut self) -> bool {
        self.midway &= self.state.coins_of_gate().is_some();
        !self.midway
    }

    /// Every reply that a strategy might give here, with its probability; the strategy remembers
    /// that it was asked.
    pub(in crate::analysis) fn asked(
        &mut self,
        turn: &Turn<N>,
        strategy: &dyn Strategy<'a, N>,
    ) -> Result<Choice<N>, Unsolved> {
        self.choice(turn, strategy, &mut Gain::nothing())
    }

    /// What the rest depends on, where histories meet.
    pub(super) fn state_key(&self) -> Option<StateKey> {
        let mut key = Vec::new();
        self.state.state_key(&mut key).then(|| {
            key.extend(self.minds.iter().flat_map(|mind| mind.memory.0));
            key.into()
        })
    }

    /// Takes a reply, and says what came of it: what was spent, what was paid, and whether any of
    /// it was in the open.
    fn taken(&mut self, seat: Seat, reply: Reply<N>) -> Result<(Gain<N>, RewardSink<N>), Unsolved> {
        let mut gain = Gain::nothing();
        let before = *self.state.ledger();
        let mut rewards = RewardSink::default();
        let illegal = |illegal| Unsolved::Illegal { seat, illegal };
        self.state.reply(reply, &mut rewards).map_err(illegal)?;
        gain.ledger(&before, self.state.ledger());
        Ok((gain, rewards))
    }

    /// Takes a reply: what was spent, and what was paid.
    pub(super) fn replied(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
    ) -> Result<(Gain<N>, Vec<Reward<N>>), Unsolved> {
        let (gain, rewards) = self.taken(seat, reply)?;
        Ok((gain, rewards.paid))
    }

    /// Takes a reply: what came of it, and whether others see it.
    pub(super) fn reply_openly(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
        places: &RoundPlaces,
    ) -> Result<(Gain<N>, bool), Unsolved> {
        let (mut gain, rewards) = self.taken(seat, reply)?;
        for reward in rewards.paid {
            gain.reward(places.of_round(reward.round()), reward.value());
        }
        Ok((gain, rewards.open))
    }

    /// Takes a reply: what came of it.
    pub(super) fn reply(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
        places: &RoundPlaces,
    ) -> Result<Gain<N>, Unsolved> {
        let (gain, _) = self.reply_openly(seat, reply, places)?;
        Ok(gain)
    }

    /// Takes a reply: how the coin fell that it made, if it made one.
    pub(super) fn tossed(&mut self, seat: Seat, reply: Reply<N>) -> Result<Option<bool>, Unsolved> {
        let (_, rewards) = self.taken(seat, reply)?;
        Ok(rewards.tossed)
    }

    /// What a strategy would say, and what it spends on saying so.
    pub(super) fn choice(
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
