//! Where a walk stands.

use std::ops::Range;

use super::Unsolved;
use super::expected::{Gain, Places, Rewards};
use debate_core::chance::{binomial_law, binomial_outside};
use debate_core::number::{Exact, Number};
use debate_core::player::{Choice, Mind, Strategy};
use debate_core::protocol::{Draw, Reply, Reward, Rules as _, Seat, State, Turn};

/// What the rest of a debate depends on.
pub(super) type Marks = Box<[u64]>;

/// A debate as it stands, with what its players remember.
#[derive(Clone)]
pub(in crate::analysis) struct Position<'a, N> {
    pub(in crate::analysis) state: State<'a, N>,
    minds: [Mind; 3],
    /// Whether it was taken up in the middle of a round, some coins of which have fallen: these
    /// cannot be counted any more.
    midway: bool,
}

impl<'a, N: Number> Position<'a, N> {
    pub(in crate::analysis) fn new(state: State<'a, N>) -> Self {
        Self {
            midway: state.coins_of_gate().is_some(),
            state,
            minds: [Mind::default(); 3],
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
    pub(super) fn marks(&self) -> Option<Marks> {
        let mut marks = Vec::new();
        self.state.mark(&mut marks).then(|| {
            marks.extend(self.minds.iter().flat_map(|mind| mind.memory.0));
            marks.into()
        })
    }

    /// Takes a reply, and says what came of it: what was spent, what was paid, and whether any of
    /// it was in the open.
    fn taken(&mut self, seat: Seat, reply: Reply<N>) -> Result<(Gain<N>, Rewards<N>), Unsolved> {
        let mut gain = Gain::nothing();
        let before = *self.state.ledger();
        let mut rewards = Rewards::default();
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
        places: &Places,
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
        places: &Places,
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
        let choice = strategy.choose(&self.state, seat, &turn.request, mind);
        gain.spend(seat, &before, &mind.spent);
        choice.ok_or(Unsolved::NoReply(seat))
    }
}

/// The outcomes of a draw with their probabilities: of those that are `alike` one, and of all
/// others one.
pub(in crate::analysis) fn outcomes<N: Number>(
    draw: &Draw<N>,
    alike: Option<Range<u64>>,
) -> Result<Vec<(N, Reply<N>)>, Unsolved> {
    let each: Vec<(N, u64)> = match (draw, alike) {
        (Draw::Bernoulli(p), _) => vec![(p.clone(), 1), (N::one() - p.clone(), 0)],
        (Draw::Binomial { count, p }, Some(alike)) => {
            let outside = match u32::try_from(*count) {
                Ok(few) if *count <= MOST_EACH => {
                    let law = (0..).zip(binomial_law(few, p));
                    let outside = law.filter(|(ones, _)| !alike.contains(ones));
                    outside.fold(N::zero(), |sum, (_, chance)| sum + chance)
                }
                _ => N::from_exact(&exactly(binomial_outside(*count, p.to_float(), &alike))),
            };
            // Any that is no member stands for all of those.
            let other = if alike.start > 0 { 0 } else { alike.end };
            let inside = N::one() - outside.clone();
            let possible = |ones: u64| !(p.is_zero() && ones > 0 || p.is_one() && ones < *count);
            let within = alike.clone().find(|ones| possible(*ones));
            let beyond = [other, alike.end, *count];
            let beyond = beyond
                .into_iter()
                .find(|ones| possible(*ones) && !alike.contains(ones));
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

/// What the outcomes of samples depend on, of which some are alike; `None` of any other draw.
pub(super) fn marks_of<N: Number>(draw: &Draw<N>, alike: Option<&Range<u64>>) -> Option<Marks> {
    let (Draw::Binomial { count, p }, Some(alike)) = (draw, alike) else {
        return None;
    };
    let mut marks = vec![*count, alike.start, alike.end];
    p.mark(&mut marks);
    Some(marks.into())
}

/// Up to so many samples the law of their number of ones is exact.
const MOST_EACH: u64 = 1024;

/// The value of a probability in floating point.
fn exactly(p: f64) -> Exact {
    Exact::from_float(p).unwrap_or_default()
}
