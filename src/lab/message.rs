//! Messages to and from another program in a seat.
//!
//! One set of messages for every way in: programs that we call, and programs that drive us. A
//! [`SeatTeller`] makes the [`Act`] of a seat: its [view](SeatView), the [request](RequestMessage),
//! both in words, and the [legal replies](StrictSchema). [`read_reply`] reads what comes back. Nothing
//! here says more than the seat may see: [`Log::seen_by`](debate_core::Log::seen_by) decides.

mod engine;
mod history;
mod legal;
mod lines;
mod reply;
mod request;
mod server;
#[cfg(test)]
mod tests;
mod view;

pub use engine::{
    EngineErrorKind, EngineHello, EngineOption, EngineOptionKind, FromEngine, ToEngine,
};
pub use history::{SeatHistory, SeenEvents};
pub use legal::{StrictSchema, legal};
pub use lines::{LineRead, MAX_MESSAGE, line_of, read_line};
pub use reply::{
    BulkBitsMessage, ComposeMessage, DirectionName, GateName, OracleMessage, ReplyMessage,
    SpokenNumber, UnreadReply, field_of, read_reply,
};
pub use request::{Asked, GivenCoin, OfferedSupport, ReadMessage, RequestMessage, StepMessage};
pub use server::{
    ActLine, ForfeitFault, FromServer, Handles, Message, NamedPlayers, NewDebate, PROTOCOL_VERSION,
    ReplyLine, SeatName, ServerErrorKind, ToServer,
};
pub use view::{Act, SeatTeller, SeatView, WeightedRound};
