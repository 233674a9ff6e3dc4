//! Figures as scripts read them.

use serde_json::{Value, json};

use debate_core::number::{Exact, Number as _};
use debate_core::protocol::Seat;

/// How a number that is a fraction is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As the nearest floating-point number.
    Decimal,
    /// As a string, `"num/den"`: nothing is rounded.
    Fraction,
}

impl Form {
    pub(super) fn number(self, value: &Exact) -> Value {
        match self {
            Self::Decimal => json!(value.to_float()),
            Self::Fraction => Value::String(fraction(value)),
        }
    }
}

/// `num/den`, in lowest terms, a whole number too.
pub(super) fn fraction(value: &Exact) -> String {
    format!("{}/{}", value.numer(), value.denom())
}

/// Something of each seat, by the seat's name.
pub(super) fn by_seat(of: impl Fn(Seat) -> Value) -> Value {
    let seats = Seat::PLAYERS.map(|seat| (seat.name().to_owned(), of(seat)));
    Value::Object(seats.into_iter().collect())
}
