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

/// A player that works the steps out, ready to play: it must know what the oracle would say.
fn informed<'a, N: Number>(
    order: &Order<'a, '_>,
    policy: impl Policy<N, CrossExamination<'a, N>> + 'a,
) -> Result<Built<'a, N>, BuildError> {
    let computation = order.instance.computation();
    if computation.is_some_and(|computation| computation.asks()) {
        order.omniscient()?;
    }
    built(policy)
}

/// The built-in players of debate with cross-examination by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = |name, about, build| {
        StrategyEntry::new(Kind::CrossExamination, Seat::Prover, name, about, build)
    };
    let opponent = |name, about, build| {
        StrategyEntry::new(Kind::CrossExamination, Seat::Opponent, name, about, build)
    };
    vec![
        prover(
            "honest",
            "writes down what every step truly says",
            |order| informed(order, TranscriptWriter::Honest),
        ),
        prover(
            "liar",
            "claims that the output is 1 by one false step, the last or the one with a number",
            |order| informed(order, TranscriptWriter::Liar(order.optional_count())),
        )
        .taking(&[Parameter::OptionalCount("at")]),
        prover("random", "writes down any bits", |_| {
            built(TranscriptWriter::Random)
        }),
        opponent("honest", "points at the first wrong step", |order| {
            informed(order, Examiner::Honest)
        }),
        opponent(
            "silent",
            "never objects, which is pointing at the output",
            |_| built(Examiner::Silent),
        ),
        opponent("false-alarm", "points at a right step", |order| {
            informed(order, Examiner::FalseAlarm)
        }),
        opponent("random", "points at any step or at none", |_| {
            built(Examiner::Random)
        }),
    ]
}
