//! The exact value of a debate between players that are known.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use super::expected::{Expected, Gain, Places, Rewards};
use crate::number::Number;
use crate::player::{Choice, Mind, Strategy};
use crate::protocol::{Draw, Illegal, Reply, Request, Reward, Rules, Seat, State, Turn};

/// Why a value was not found.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Unsolved {
    /// It takes more replies than allowed.
    #[error(
        "this takes more than {0} replies to play through; take a smaller instance, players that \
         do not draw, or `simulate`"
    )]
    TooLarge(u64),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A player has no reply.
    #[error("the {0} has no reply to a request; the scenario does not say enough for it")]
    NoReply(Seat),
    /// A player's reply is illegal.
    #[error("the {seat} gave an illegal reply: {illegal}")]
    Illegal {
        /// Whose.
        seat: Seat,
        /// What is wrong with it.
        illegal: Illegal,
    },
    /// The best of endlessly many replies is not found by trying.
    #[error("the {0} can reply in too many ways here to find the best by trying")]
    Endless(Seat),
}

/// How much a walk may do.
#[derive(Clone, Copy, Debug)]
pub struct Effort<'c> {
    /// The most replies that are played.
    pub replies: u64,
    /// Set from elsewhere to stop it.
    pub cancel: Option<&'c AtomicBool>,
}

impl Default for Effort<'_> {
    fn default() -> Self {
        Self {
            replies: 100_000_000,
            cancel: None,
        }
    }
}

/// What the rest of a debate depends on.
pub(super) type Marks = Box<[u64]>;

/// A debate as it stands, with what its players remember.
#[derive(Clone)]
pub(super) struct Position<'a, N> {
    pub(super) state: State<'a, N>,
    pub(super) minds: [Mind; 3],
}

impl<'a, N: Number> Position<'a, N> {
    pub(super) fn new(state: State<'a, N>) -> Self {
        Self {
            state,
            minds: [Mind::default(); 3],
        }
    }

    /// What the rest depends on, where histories meet.
    pub(super) fn marks(&self) -> Option<Marks> {
        let mut marks = Vec::new();
        self.state.mark(&mut marks).then(|| {
            marks.extend(self.minds.iter().flat_map(|mind| mind.memory.0));
            marks.into()
        })
    }

    /// Takes a reply, and says what came of it.
    pub(super) fn reply(
        &mut self,
        seat: Seat,
        reply: Reply<N>,
        places: &Places,
    ) -> Result<Gain<N>, Unsolved> {
        let mut gain = Gain::nothing();
        let before = *self.state.ledger();
        let mut rewards = Rewards::default();
        let illegal = |illegal| Unsolved::Illegal { seat, illegal };
        self.state.reply(reply, &mut rewards).map_err(illegal)?;
        gain.ledger(&before, self.state.ledger());
        for reward in rewards.paid {
            gain.reward(places.of_round(reward.round()), reward.value());
        }
        Ok(gain)
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

/// The outcomes of a draw with their probabilities.
pub(super) fn outcomes<N: Number>(draw: &Draw<N>) -> Result<Vec<(N, Reply<N>)>, Unsolved> {
    let each: Vec<(N, u64)> = match draw {
        Draw::Bernoulli(p) => vec![(p.clone(), 1), (N::one() - p.clone(), 0)],
        Draw::Binomial { count, p } => {
            let few = u32::try_from(*count).map_err(|_| Unsolved::Endless(Seat::Chance))?;
            crate::chance::binomial_law(few, p)
                .into_iter()
                .zip(0..)
                .collect()
        }
    };
    let possible = each.into_iter().filter(|(chance, _)| !chance.is_zero());
    Ok(possible
        .map(|(chance, outcome)| (chance, Reply::Drawn(outcome)))
        .collect())
}

/// Walks debates between three strategies.
pub struct Walk<'p, 'a, N: Number> {
    players: [&'p dyn Strategy<'a, N>; 3],
    places: Places,
    effort: Effort<'p>,
    played: u64,
    known: HashMap<Marks, Rc<Expected<N>>>,
    /// Whether the coins of a round can be counted.
    counts: bool,
}

impl<'p, 'a, N: Number> Walk<'p, 'a, N> {
    /// A walk of debates that begin so, between prover, opponent and judge.
    #[must_use]
    pub fn new(
        start: &State<'a, N>,
        players: [&'p dyn Strategy<'a, N>; 3],
        effort: Effort<'p>,
    ) -> Self {
        Self {
            counts: !players.iter().take(2).any(|player| player.reads_coins()),
            players,
            places: Places::of(&start.schedule()),
            effort,
            played: 0,
            known: HashMap::new(),
        }
    }

    /// The same without counting: every coin is walked.
    #[must_use]
    pub fn plain(mut self) -> Self {
        self.counts = false;
        self
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
        self.from(Position::new(state), true)
    }

    /// What is expected from here on; `fresh` where this is not a point that is just looked up.
    fn from(&mut self, mut at: Position<'a, N>, fresh: bool) -> Result<Expected<N>, Unsolved> {
        let mut gains: Vec<Gain<N>> = Vec::new();
        let mut first = fresh;
        let rest = loop {
            let Some(turn) = at.state.request() else {
                break Expected::nothing(self.places.len());
            };
            if !std::mem::take(&mut first)
                && let Some(marks) = at.marks()
            {
                break self.met(marks, at)?.as_ref().clone();
            }
            let mut gain = Gain::nothing();
            let mut each = self.replies(&mut at, &turn, &mut gain)?;
            gains.push(gain);
            if self.counts && turn.seat == Seat::Chance && each.len() > 1 && self.is_counted(&at) {
                break self.counted(at)?;
            }
            if each.len() == 1 {
                let (_, reply) = each.swap_remove(0);
                self.tick()?;
                gains.push(at.reply(turn.seat, reply, &self.places)?);
                continue;
            }
            break self.branch(&at, &turn, each)?;
        };
        Ok(gains.iter().rev().fold(rest, Expected::after))
    }

    /// What is expected at a point where histories meet.
    fn met(&mut self, marks: Marks, at: Position<'a, N>) -> Result<Rc<Expected<N>>, Unsolved> {
        if let Some(known) = self.known.get(&marks) {
            return Ok(Rc::clone(known));
        }
        let found = Rc::new(self.from(at, true)?);
        self.known.insert(marks, Rc::clone(&found));
        Ok(found)
    }

    fn branch(
        &mut self,
        at: &Position<'a, N>,
        turn: &Turn<N>,
        each: Vec<(N, Reply<N>)>,
    ) -> Result<Expected<N>, Unsolved> {
        let mut sum = Expected::nothing(self.places.len());
        for (chance, reply) in each {
            self.tick()?;
            let mut next = at.clone();
            let gain = next.reply(turn.seat, reply, &self.places)?;
            let rest = self.from(next, false)?;
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
            return outcomes(draw);
        }
        let strategy = *self
            .players
            .get(turn.seat.index())
            .ok_or(Unsolved::NoReply(turn.seat))?;
        let mut each = at.choice(turn, strategy, gain)?.each();
        each.retain(|(chance, _)| !chance.is_zero());
        Ok(each)
    }

    fn tick(&mut self) -> Result<(), Unsolved> {
        self.played += 1;
        if self.played > self.effort.replies {
            return Err(Unsolved::TooLarge(self.effort.replies));
        }
        let cancelled = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        if self.played.is_multiple_of(256) && self.effort.cancel.is_some_and(cancelled) {
            return Err(Unsolved::Cancelled);
        }
        Ok(())
    }

    /// Whether the coins from here on are those of a round, of which the gate alone counts.
    fn is_counted(&self, at: &Position<'a, N>) -> bool {
        at.state.gate().is_some_and(|gate| gate.is_symmetric())
    }

    /// The rest of a round whose players look at no coin: it is walked once, with coins that may
    /// fall so, and the reward that hangs on the gate is weighed by the gate's probability.
    fn counted(&mut self, mut at: Position<'a, N>) -> Result<Expected<N>, Unsolved> {
        let mut gains = Vec::new();
        loop {
            let Some(turn) = at.state.request() else {
                return Err(Unsolved::NoReply(Seat::Chance));
            };
            let mut gain = Gain::nothing();
            let each = self.replies(&mut at, &turn, &mut gain)?;
            gains.push(gain);
            self.tick()?;
            if turn.seat != Seat::Chance || at.state.gate().is_none() {
                // An estimator that draws would be walked reply by reply.
                if each.len() > 1 {
                    let rest = self.branch(&at, &turn, each)?;
                    return Ok(gains.iter().rev().fold(rest, Expected::after));
                }
            }
            let odds = at.state.gate_odds();
            let Some((_, reply)) = each.into_iter().next() else {
                return Err(Unsolved::NoReply(turn.seat));
            };
            let mut rewards = Rewards::default();
            let before = *at.state.ledger();
            let illegal = |illegal| Unsolved::Illegal {
                seat: turn.seat,
                illegal,
            };
            at.state.reply(reply, &mut rewards).map_err(illegal)?;
            let mut gain = Gain::nothing();
            gain.ledger(&before, at.state.ledger());
            gains.push(gain);
            let Some(Reward::Bet { .. }) = rewards.paid.first() else {
                continue;
            };
            let rest = self.from(at, false)?;
            let mut sum = Expected::nothing(self.places.len());
            for holds in [true, false] {
                let chance = match (&odds, holds) {
                    (Some(odds), true) => odds.clone(),
                    (Some(odds), false) => N::one() - odds.clone(),
                    (None, _) => return Err(Unsolved::NoReply(Seat::Chance)),
                };
                let mut gain = Gain::nothing();
                for reward in &rewards.paid {
                    let reward = reward.clone().with_outcome(holds);
                    gain.reward(self.places.of_round(reward.round()), reward.value());
                }
                sum.add(&chance, &rest.clone().after(&gain));
            }
            return Ok(gains.iter().rev().fold(sum, Expected::after));
        }
    }
}
