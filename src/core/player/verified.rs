//! Built-in players of a debate whose verifier is cross-examined: they play the inner debate as
//! its own players do, then write its verifier down or point at a gate of it.

use super::examination::{Examiner, TranscriptWriter};
use super::registry::{BuildError, Built, Order, Parameter, StrategyEntry, built};
use super::{Choice, Policy, PolicyState, Registry, Spec};
use crate::number::Number;
use crate::protocol::{Kind, Protocol, Request, Seat, Verified, View};

/// What a player does once the inner debate is over.
#[derive(Clone, Copy, Debug)]
enum ExaminationRole {
    Write(TranscriptWriter),
    Point(Examiner),
}

/// Plays the inner debate as another player would.
struct VerifiedPlayer<'a, N> {
    inner: Built<'a, N>,
    then: ExaminationRole,
}

impl<'a, N: Number> Policy<N, Verified<'a, N>> for VerifiedPlayer<'a, N> {
    fn choose(
        &self,
        view: View<'_, Verified<'a, N>>,
        request: &Request<N>,
        mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        if let Some(state) = view.inner() {
            return self.inner.choose(state, view.seat(), request, mind);
        }
        let computed = view.transcript()?;
        match self.then {
            ExaminationRole::Write(writer) => writer.transcript(&computed),
            ExaminationRole::Point(examiner) => examiner.challenge(&computed),
        }
    }
}

/// Whoever plays the inner debate under this name, and then this.
fn verified_player<'a, N: Number>(
    order: &Order<'a, '_>,
    inner: &str,
    then: ExaminationRole,
) -> Result<Built<'a, N>, BuildError> {
    let seat = match then {
        ExaminationRole::Write(_) => Seat::Prover,
        ExaminationRole::Point(_) => Seat::Opponent,
    };
    let Protocol::Verified(parameters) = order.protocol else {
        return Err(BuildError::Unknown {
            name: order.name.to_owned(),
            title: order.protocol.kind().title(seat),
            protocol: order.protocol.kind().name(),
            known: String::new(),
        });
    };
    let spec = Spec::named(inner);
    let inner = Registry::builtin().build(&spec, seat, order.instance, parameters.inner())?;
    built::<N, Verified<'a, N>>(VerifiedPlayer { inner, then })
}

/// The built-in players of a debate whose verifier is cross-examined, by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let entry = |name, seat, parameters, about, build| StrategyEntry {
        name,
        seat,
        protocol: Some(Kind::Verified),
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
            "the inner debate's honest player, then writes down what every gate truly says",
            |order| {
                verified_player(
                    order,
                    "honest",
                    ExaminationRole::Write(TranscriptWriter::Honest),
                )
            },
        ),
        entry(
            "liar",
            Seat::Prover,
            &[Parameter::OptionalCount("at")],
            "the inner debate's liar, then claims by one false gate, the last or the one with a \
             number, that its verifier says 1",
            |order| {
                let writer = TranscriptWriter::Liar(order.optional_count());
                verified_player(order, "liar", ExaminationRole::Write(writer))
            },
        ),
        entry(
            "random",
            Seat::Prover,
            none,
            "the inner debate's random player, then writes down any bits",
            |order| {
                verified_player(
                    order,
                    "random",
                    ExaminationRole::Write(TranscriptWriter::Random),
                )
            },
        ),
        entry(
            "honest",
            Seat::Opponent,
            none,
            "the inner debate's honest player, then points at the first wrong gate",
            |order| verified_player(order, "honest", ExaminationRole::Point(Examiner::Honest)),
        ),
        entry(
            "silent",
            Seat::Opponent,
            none,
            "the inner debate's honest player, then points at nothing",
            |order| verified_player(order, "honest", ExaminationRole::Point(Examiner::Silent)),
        ),
        entry(
            "false-alarm",
            Seat::Opponent,
            none,
            "the inner debate's player of that name, then points at a gate that is right",
            |order| {
                verified_player(
                    order,
                    "false-alarm",
                    ExaminationRole::Point(Examiner::FalseAlarm),
                )
            },
        ),
        entry(
            "random",
            Seat::Opponent,
            none,
            "the inner debate's random player, then points at any gate or at none",
            |order| verified_player(order, "random", ExaminationRole::Point(Examiner::Random)),
        ),
    ]
}

#[cfg(test)]
mod tests;
