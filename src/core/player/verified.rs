//! Built-in players of a debate whose verifier is cross-examined: they play the inner debate as
//! its own players do, then write its verifier down or point at a gate of it.

use super::examination::{Examiner, Writer};
use super::registry::{BuildError, Built, Entry, Order, Parameter, built};
use super::{Choice, Mind, Policy, Registry, Spec};
use crate::number::Number;
use crate::protocol::{Kind, Protocol, Request, Seat, Verified, View};

/// What a player does once the inner debate is over.
#[derive(Clone, Copy, Debug)]
enum Then {
    Write(Writer),
    Point(Examiner),
}

/// Plays the inner debate as another player would.
struct Around<'a, N> {
    inner: Built<'a, N>,
    then: Then,
}

impl<'a, N: Number> Policy<N, Verified<'a, N>> for Around<'a, N> {
    fn choose(
        &self,
        view: View<'_, Verified<'a, N>>,
        request: &Request<N>,
        mind: &mut Mind,
    ) -> Option<Choice<N>> {
        if let Some(state) = view.inner() {
            return self.inner.choose(state, view.seat(), request, mind);
        }
        let computed = view.transcript()?;
        match self.then {
            Then::Write(writer) => writer.transcript(&computed),
            Then::Point(examiner) => examiner.challenge(&computed),
        }
    }
}

/// Whoever plays the inner debate under this name, and then this.
fn around<'a, N: Number>(
    order: &Order<'a, '_>,
    inner: &str,
    then: Then,
) -> Result<Built<'a, N>, BuildError> {
    let seat = match then {
        Then::Write(_) => Seat::Prover,
        Then::Point(_) => Seat::Opponent,
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
    built::<N, Verified<'a, N>>(Around { inner, then })
}

/// The built-in players of a debate whose verifier is cross-examined, by name.
pub(super) fn entries<N: Number>() -> Vec<Entry<N>> {
    let entry = |name, seat, parameters, about, build| Entry {
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
            |order| around(order, "honest", Then::Write(Writer::Honest)),
        ),
        entry(
            "liar",
            Seat::Prover,
            &[Parameter::OptionalCount("at")],
            "the inner debate's liar, then claims by one false gate, the last or the one with a \
             number, that its verifier says 1",
            |order| {
                let writer = Writer::Liar(order.optional_count());
                around(order, "liar", Then::Write(writer))
            },
        ),
        entry(
            "random",
            Seat::Prover,
            none,
            "the inner debate's random player, then writes down any bits",
            |order| around(order, "random", Then::Write(Writer::Random)),
        ),
        entry(
            "honest",
            Seat::Opponent,
            none,
            "the inner debate's honest player, then points at the first wrong gate",
            |order| around(order, "honest", Then::Point(Examiner::Honest)),
        ),
        entry(
            "silent",
            Seat::Opponent,
            none,
            "the inner debate's honest player, then points at nothing",
            |order| around(order, "honest", Then::Point(Examiner::Silent)),
        ),
        entry(
            "false-alarm",
            Seat::Opponent,
            none,
            "the inner debate's player of that name, then points at a gate that is right",
            |order| around(order, "false-alarm", Then::Point(Examiner::FalseAlarm)),
        ),
        entry(
            "random",
            Seat::Opponent,
            none,
            "the inner debate's random player, then points at any gate or at none",
            |order| around(order, "random", Then::Point(Examiner::Random)),
        ),
    ]
}

#[cfg(test)]
mod tests;
