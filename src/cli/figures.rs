//! Figures as scripts read them.

use serde_json::Value;

use debate_core::protocol::Seat;

/// Something of each seat, by the seat's name.
pub(super) fn by_seat(of: impl Fn(Seat) -> Value) -> Value {
    let seats = Seat::PLAYERS.map(|seat| (seat.name().to_owned(), of(seat)));
    Value::Object(seats.into_iter().collect())
}
