//! Built-in players of the descent through a circuit.

use super::registry::{StrategyEntry, built};
use super::{Choice, Policy, PolicyState};
use crate::number::Number;
use crate::protocol::{Descent, Kind, Reply, Request, Seat, View};
use crate::scenario::Informed;

type DescentView<'v, 'a, N> = View<'v, Descent<'a, N>>;

/// A prover of the descent.
#[derive(Clone, Copy, Debug)]
pub enum Prover<'a> {
    /// Says what the output is and points to inputs that show it.
    Honest(Informed<'a>),
    /// Says what the output is not; points to inputs that are as claimed where there are any, else
    /// to the one farthest from being found out.
    Liar(Informed<'a>),
    /// Any answer and any input, each as likely.
    Random,
}

/// An opponent of the descent.
#[derive(Clone, Copy, Debug)]
pub enum Opponent<'a> {
    /// Disputes an input of which something false is claimed.
    Honest(Informed<'a>),
    /// Disputes an input of which the truth is claimed.
    FalseAlarm(Informed<'a>),
    /// Any input, each as likely.
    Random,
}

/// The first of the two inputs of which the truth, or something false, is claimed.
fn first<N: Number>(
    informed: Informed<'_>,
    view: DescentView<'_, '_, N>,
    truth: bool,
) -> Option<u32> {
    let [one, other] = view
        .parts()?
        .map(|part| informed.truth(part) == Some(truth));
    match (one, other) {
        (true, _) => Some(0),
        (false, true) => Some(1),
        (false, false) => None,
    }
}

/// The input from which it is farther down.
fn deeper<N: Number>(view: DescentView<'_, '_, N>) -> u32 {
    let levels = view.levels();
    u32::from(levels.is_some_and(|[one, other]| other > one))
}

impl<'a, N: Number> Policy<N, Descent<'a, N>> for Prover<'_> {
    fn choose(
        &self,
        view: DescentView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        let truth = |informed: &Informed<'_>| informed.truth(view.claim());
        Some(match (request, self) {
            (Request::Answer { .. }, Self::Random) => Choice::any_answer(),
            (Request::Answer { .. }, Self::Honest(informed)) => {
                Choice::Sure(Reply::Answer(truth(informed)?))
            }
            (Request::Answer { .. }, Self::Liar(informed)) => {
                Choice::Sure(Reply::Answer(!truth(informed)?))
            }
            (Request::Select { .. }, Self::Random) => Choice::even(2, Reply::Select),
            (Request::Select { .. }, Self::Honest(informed) | Self::Liar(informed)) => {
                let place = first(*informed, view, true).unwrap_or_else(|| deeper(view));
                Choice::Sure(Reply::Select(place))
            }
            _ => return None,
        })
    }
}

impl<'a, N: Number> Policy<N, Descent<'a, N>> for Opponent<'_> {
    fn choose(
        &self,
        view: DescentView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        let Request::Select { .. } = request else {
            return None;
        };
        let (informed, truth) = match self {
            Self::Random => return Some(Choice::even(2, Reply::Select)),
            Self::Honest(informed) => (*informed, false),
            Self::FalseAlarm(informed) => (*informed, true),
        };
        let place = first(informed, view, truth).unwrap_or(0);
        Some(Choice::Sure(Reply::Select(place)))
    }
}

/// The built-in players of the descent by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::maker(Kind::Descent, Seat::Prover);
    let opponent = StrategyEntry::maker(Kind::Descent, Seat::Opponent);
    vec![
        prover("honest", |order| built(Prover::Honest(order.omniscient()?))),
        prover("liar", |order| built(Prover::Liar(order.omniscient()?))),
        prover("random", |_| built(Prover::Random)),
        opponent("honest", |order| {
            built(Opponent::Honest(order.omniscient()?))
        }),
        opponent("false-alarm", |order| {
            built(Opponent::FalseAlarm(order.omniscient()?))
        }),
        opponent("random", |_| built(Opponent::Random)),
    ]
}

#[cfg(test)]
mod tests;
