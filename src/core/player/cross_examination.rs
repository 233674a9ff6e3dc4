//! Built-in players of debate with cross-examination.

use super::examination::{Examiner, TranscriptWriter};
use super::registry::{BuildError, Built, Order, Parameter, StrategyEntry, built};
use super::{Choice, Policy, PolicyState};
use crate::number::Number;
use crate::protocol::{Ask, CrossExamination, Kind, Request, Seat, View};

impl<'a, N: Number> Policy<N, CrossExamination<'a, N>> for TranscriptWriter {
    fn choose(
        &self,
        view: View<'_, CrossExamination<'a, N>>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        match request {
            Request::Bits {
                ask: Ask::Witness, ..
            } => self.witness(&view.transcript()?),
            Request::Bits {
                ask: Ask::Transcript { .. },
                ..
            } => self.transcript(&view.transcript()?),
            _ => None,
        }
    }
}

impl<'a, N: Number> Policy<N, CrossExamination<'a, N>> for Examiner {
    fn choose(
        &self,
        view: View<'_, CrossExamination<'a, N>>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        match request {
            Request::Challenge { .. } => self.challenge(&view.transcript()?),
            _ => None,
        }
    }
}

/// A player of cross-examination, ready to play.
fn seated<'a, N: Number>(
    policy: impl Policy<N, CrossExamination<'a, N>> + 'a,
) -> Result<Built<'a, N>, BuildError> {
    built::<N, CrossExamination<'a, N>>(policy)
}

/// The same, of a player that works the steps out: it must know what the oracle would say.
fn informed<'a, N: Number>(
    order: &Order<'a, '_>,
    policy: impl Policy<N, CrossExamination<'a, N>> + 'a,
) -> Result<Built<'a, N>, BuildError> {
    let computation = order.instance.computation();
    if computation.is_some_and(|computation| computation.asks()) {
        order.omniscient()?;
    }
    seated(policy)
}

/// The built-in players of debate with cross-examination by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let entry = |name, seat, parameters, about, build| StrategyEntry {
        name,
        seat,
        protocol: Some(Kind::CrossExamination),
        parameters,
        about,
        asks_nothing: false,
        build,
    };
    let none: &[Parameter] = &[];
    vec![
        entry(
            "honest",
            Seat::Prover,
            none,
            "writes down what every step truly says",
            |order| informed(order, TranscriptWriter::Honest),
        ),
        entry(
            "liar",
            Seat::Prover,
            &[Parameter::OptionalCount("at")],
            "claims that the output is 1 by one false step, the last or the one with a number",
            |order| informed(order, TranscriptWriter::Liar(order.optional_count())),
        ),
        entry("random", Seat::Prover, none, "writes down any bits", |_| {
            seated(TranscriptWriter::Random)
        }),
        entry(
            "honest",
            Seat::Opponent,
            none,
            "points at the first wrong step",
            |order| informed(order, Examiner::Honest),
        ),
        entry(
            "silent",
            Seat::Opponent,
            none,
            "never objects, which is pointing at the output",
            |_| seated(Examiner::Silent),
        ),
        entry(
            "false-alarm",
            Seat::Opponent,
            none,
            "points at a right step",
            |order| informed(order, Examiner::FalseAlarm),
        ),
        entry(
            "random",
            Seat::Opponent,
            none,
            "points at any step or at none",
            |_| seated(Examiner::Random),
        ),
    ]
}
