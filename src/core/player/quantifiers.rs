//! Built-in players of the game of a quantified formula.

use super::cross_examination::{ExaminationRole, Examiner, TranscriptWriter, random};
use super::registry::{BuildError, Order, StrategyEntry, built};
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

impl<'a, N: Number> Policy<N, Quantifiers<'a, N>> for Prover {
    fn choose(
        &self,
        view: GameView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        let (values, writer) = match self {
            Self::Honest => (Values::Winning, TranscriptWriter::Honest),
            Self::Liar => (Values::Greedy, TranscriptWriter::Liar(None)),
            Self::Random => (Values::Random, TranscriptWriter::Random),
        };
        choose(values, ExaminationRole::Write(writer), view, request)
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

impl<'a, N: Number> Policy<N, Quantifiers<'a, N>> for Opponent {
    fn choose(
        &self,
        view: GameView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        let (values, examiner) = match self {
            Self::Honest => (Values::Winning, Examiner::Honest),
            Self::Silent => (Values::Zeros, Examiner::Silent),
            Self::FalseAlarm => (Values::Greedy, Examiner::FalseAlarm),
            Self::Random => (Values::Random, Examiner::Random),
        };
        choose(values, ExaminationRole::Point(examiner), view, request)
    }
}

/// The values that a player chooses for its blocks.
#[derive(Clone, Copy)]
enum Values {
    /// Values that win, where any do; no reply where the position is not decided within the effort
    /// allowed.
    Winning,
    /// Values that make most clauses hold, or break most, one variable after the other.
    Greedy,
    Zeros,
    Random,
}

/// The reply of either player: to a block these values, to a request of the examination its role.
fn choose<N: Number>(
    values: Values,
    role: ExaminationRole,
    view: GameView<'_, '_, N>,
    request: &Request<N>,
) -> Option<Choice<N>> {
    let Request::Bits {
        ask: Ask::Block { .. },
        length,
    } = request
    else {
        return role.choose(&view.transcript()?);
    };
    let length = *length as usize;
    let bits = match values {
        Values::Winning => view.formula().play(view.values())?.values,
        Values::Greedy => view.formula().greedy(view.values()),
        Values::Zeros => Bits::zeros(length),
        Values::Random => return Some(random(length)),
    };
    Some(Choice::Sure(Reply::Bits(bits)))
}

/// Refuses where nobody knows who wins.
fn solved(order: &Order<'_, '_>) -> Result<(), BuildError> {
    let decided = order.instance.formula().and_then(|formula| formula.holds());
    decided.map(|_| ()).ok_or(BuildError::Unsolved(order.name))
}

/// The built-in players of the game by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::maker(Kind::Quantifiers, Seat::Prover);
    let opponent = StrategyEntry::maker(Kind::Quantifiers, Seat::Opponent);
    vec![
        prover("honest", |order| {
            solved(order).and_then(|()| built(Prover::Honest))
        }),
        prover("liar", |_| built(Prover::Liar)),
        prover("random", |_| built(Prover::Random)),
        opponent("honest", |order| {
            solved(order).and_then(|()| built(Opponent::Honest))
        }),
        opponent("silent", |_| built(Opponent::Silent)),
        opponent("false-alarm", |_| built(Opponent::FalseAlarm)),
        opponent("random", |_| built(Opponent::Random)),
    ]
}

#[cfg(test)]
mod tests;
