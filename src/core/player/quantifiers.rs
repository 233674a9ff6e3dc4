//! Built-in players of the game of a quantified formula.

use super::examination::{Examiner, TranscriptWriter, random};
use super::registry::{BuildError, Built, Order, StrategyEntry, built};
use super::{Choice, Policy, PolicyState};
use crate::bits::Bits;
use crate::number::Number;
use crate::protocol::{Ask, Kind, Quantifiers, Reply, Request, Seat, View};

type GameView<'v, 'a, N> = View<'v, Quantifiers<'a, N>>;

/// A prover of the game, who says that the formula is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prover {
    /// Plays to win wherever that is possible and writes down what every gate says.
    Honest,
    /// Keeps a false formula open for as long as it can: chooses values that make most clauses
    /// hold, writes down what every gate says, but always that the last one says 1.
    Liar,
    /// Any values, and gates that say anything.
    Random,
}

impl Prover {
    fn block<N: Number>(self, view: GameView<'_, '_, N>, length: u32) -> Option<Choice<N>> {
        match self {
            Self::Honest => winning(view),
            Self::Liar => Some(bits(view.formula().greedy(view.values()))),
            Self::Random => Some(random(length as usize)),
        }
    }

    /// Who writes down what every gate says.
    fn writer(self) -> TranscriptWriter {
        match self {
            Self::Honest => TranscriptWriter::Honest,
            Self::Liar => TranscriptWriter::Liar(None),
            Self::Random => TranscriptWriter::Random,
        }
    }
}

impl<'a, N: Number> Policy<N, Quantifiers<'a, N>> for Prover {
    fn choose(
        &self,
        view: GameView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        match request {
            Request::Bits {
                ask: Ask::Block { .. },
                length,
            } => self.block(view, *length),
            Request::Bits {
                ask: Ask::Transcript { .. },
                ..
            } => self.writer().transcript(&view.transcript()?),
            _ => None,
        }
    }
}

/// An opponent of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// Plays to win wherever that is possible and points at the first false gate.
    Honest,
    /// Chooses 0 everywhere and never points at anything.
    Silent,
    /// Chooses values that break most clauses, then points at a gate that is right.
    FalseAlarm,
    /// Any values; points at any gate, or none.
    Random,
}

impl Opponent {
    fn block<N: Number>(self, view: GameView<'_, '_, N>, length: u32) -> Option<Choice<N>> {
        match self {
            Self::Honest => winning(view),
            Self::Silent => Some(bits(Bits::zeros(length as usize))),
            Self::FalseAlarm => Some(bits(view.formula().greedy(view.values()))),
            Self::Random => Some(random(length as usize)),
        }
    }

    /// Who points at a gate.
    fn examiner(self) -> Examiner {
        match self {
            Self::Honest => Examiner::Honest,
            Self::Silent => Examiner::Silent,
            Self::FalseAlarm => Examiner::FalseAlarm,
            Self::Random => Examiner::Random,
        }
    }
}

impl<'a, N: Number> Policy<N, Quantifiers<'a, N>> for Opponent {
    fn choose(
        &self,
        view: GameView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        match request {
            Request::Bits {
                ask: Ask::Block { .. },
                length,
            } => self.block(view, *length),
            Request::Challenge { .. } => self.examiner().challenge(&view.transcript()?),
            _ => None,
        }
    }
}

fn bits<N>(bits: Bits) -> Choice<N> {
    Choice::Sure(Reply::Bits(bits))
}

/// Values that win, where any do; no reply where this position is not decided within the effort
/// that is allowed.
fn winning<N: Number>(view: GameView<'_, '_, N>) -> Option<Choice<N>> {
    let position = view.formula().play(view.values())?;
    Some(bits(position.values))
}

/// Refuses where nobody knows who wins.
fn solved(order: &Order<'_, '_>) -> Result<(), BuildError> {
    let decided = order.instance.formula().and_then(|formula| formula.holds());
    decided.map(|_| ()).ok_or(BuildError::Unsolved(order.name))
}

fn prover<'a, N: Number>(prover: Prover) -> Result<Built<'a, N>, BuildError> {
    built::<N, Quantifiers<'a, N>>(prover)
}

fn opponent<'a, N: Number>(opponent: Opponent) -> Result<Built<'a, N>, BuildError> {
    built::<N, Quantifiers<'a, N>>(opponent)
}

/// The built-in players of the game by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let entry = |name, seat, about, build| StrategyEntry {
        name,
        seat,
        protocol: Some(Kind::Quantifiers),
        parameters: &[],
        about,
        asks_nothing: false,
        build,
    };
    vec![
        entry(
            "honest",
            Seat::Prover,
            "wins wherever the formula is true, writes down what every gate says",
            |order| solved(order).and_then(|()| prover(Prover::Honest)),
        ),
        entry(
            "liar",
            Seat::Prover,
            "satisfies most clauses, then says of the last gate that it says 1",
            |_| prover(Prover::Liar),
        ),
        entry(
            "random",
            Seat::Prover,
            "any values, and gates that say anything",
            |_| prover(Prover::Random),
        ),
        entry(
            "honest",
            Seat::Opponent,
            "wins wherever the formula is false, points at the first false gate",
            |order| solved(order).and_then(|()| opponent(Opponent::Honest)),
        ),
        entry(
            "silent",
            Seat::Opponent,
            "chooses 0 everywhere and never points at anything",
            |_| opponent(Opponent::Silent),
        ),
        entry(
            "false-alarm",
            Seat::Opponent,
            "breaks most clauses, then points at a gate that is right",
            |_| opponent(Opponent::FalseAlarm),
        ),
        entry(
            "random",
            Seat::Opponent,
            "any values, points at any gate or none",
            |_| opponent(Opponent::Random),
        ),
    ]
}

#[cfg(test)]
mod tests;
