//! Built-in players of a debate whose verifier is cross-examined: they play the inner debate as
//! its own players do, then write its verifier down or point at a gate of it.

use super::cross_examination::{ExaminationRole, Examiner, TranscriptWriter};
use super::registry::{BuildError, Built, Order, Parameter, StrategyEntry, built};
use super::{Choice, Policy, PolicyState, Registry, Spec};
use crate::number::Number;
use crate::protocol::{Kind, Protocol, Request, Seat, Verified, View};

/// Plays the inner debate as another player would.
struct VerifiedPlayer<'a, N> {
    inner: Built<'a, N>,
    role: ExaminationRole,
}

impl<'a, N: Number> Policy<N, Verified<'a, N>> for VerifiedPlayer<'a, N> {
    fn choose(
        &self,
        view: View<'_, Verified<'a, N>>,
        request: &Request<N>,
        mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        if let Some(state) = view.inner() {
            return self
                .inner
                .choose(View::new(state, view.seat()), request, mind);
        }
        self.role.choose(&view.transcript()?)
    }
}

/// Builds a player: `inner` names the strategy of the inner debate, `role` is played after it.
fn verified_player<'a, N: Number>(
    order: &Order<'a, '_>,
    inner: &str,
    role: ExaminationRole,
) -> Result<Built<'a, N>, BuildError> {
    let seat = match role {
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
    built(VerifiedPlayer { inner, role })
}

/// The built-in players of a debate whose verifier is cross-examined, by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover =
        |name, about, build| StrategyEntry::new(Kind::Verified, Seat::Prover, name, about, build);
    let opponent =
        |name, about, build| StrategyEntry::new(Kind::Verified, Seat::Opponent, name, about, build);
    vec![
        prover(
            "honest",
            "the inner debate's honest player, then writes down what every gate truly says",
            |order| {
                verified_player(
                    order,
                    "honest",
                    ExaminationRole::Write(TranscriptWriter::Honest),
                )
            },
        ),
        prover(
            "liar",
            "the inner debate's liar, then claims by one false gate, the last or the one with a \
             number, that its verifier says 1",
            |order| {
                let writer = TranscriptWriter::Liar(order.optional_count());
                verified_player(order, "liar", ExaminationRole::Write(writer))
            },
        )
        .taking(&[Parameter::OptionalCount("at")]),
        prover(
            "random",
            "the inner debate's random player, then writes down any bits",
            |order| {
                verified_player(
                    order,
                    "random",
                    ExaminationRole::Write(TranscriptWriter::Random),
                )
            },
        ),
        opponent(
            "honest",
            "the inner debate's honest player, then points at the first wrong gate",
            |order| verified_player(order, "honest", ExaminationRole::Point(Examiner::Honest)),
        ),
        opponent(
            "silent",
            "the inner debate's honest player, then points at nothing",
            |order| verified_player(order, "honest", ExaminationRole::Point(Examiner::Silent)),
        ),
        opponent(
            "false-alarm",
            "the inner debate's player of that name, then points at a gate that is right",
            |order| {
                verified_player(
                    order,
                    "false-alarm",
                    ExaminationRole::Point(Examiner::FalseAlarm),
                )
            },
        ),
        opponent(
            "random",
            "the inner debate's random player, then points at any gate or at none",
            |order| verified_player(order, "random", ExaminationRole::Point(Examiner::Random)),
        ),
    ]
}

#[cfg(test)]
mod tests;
