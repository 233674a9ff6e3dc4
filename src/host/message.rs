//! Messages to and from another program in a seat.
//!
//! One set of messages for every way in: programs that we call, and programs that drive us. A
//! [`SeatTeller`] makes the [`Act`] of a seat: its [view](SeatView), the [request](RequestMessage),
//! both in words, and the [legal replies](StrictSchema). [`read_reply`] reads what comes back. Nothing
//! here says more than the seat may see: [`Log::seen_by`](debate_core::Log::seen_by) decides. Messages are lines of JSON: read no
//! further than they may be long, and written so that no terminal obeys them.

mod batch;
pub mod event;
pub mod play;
mod reply;
mod request;
mod server;
#[cfg(test)]
mod tests;
mod view;

use std::fmt::Write as _;
use std::io::{self, BufRead};

use serde::Serialize;
use serde::ser::Error as _;

use debate_core::text::{bytes_without_mark, has_unsafe, is_unsafe};

pub use batch::{BatchSlot, OpenBatch, ReplyCounts};
pub use event::{NumberedClaim, SeenEvent, SpokenPart};
#[cfg(feature = "schema")]
pub use reply::ReplyMessage;
pub use reply::{
    BulkBitsMessage, ComposeMessage, OracleMessage, SpokenNumber, StrictSchema, UnreadReply, legal,
    read_reply,
};
pub use request::{Asked, GivenCoin, OfferedSupport, RequestMessage};
#[cfg(feature = "schema")]
pub use server::Message;
pub use server::{
    ActLine, DebateChoices, ForfeitFault, FromServer, Handles, NamedPlayers, NewDebate,
    PROTOCOL_VERSION, ReplyLine, ScenarioSource, SeatName, ServerErrorKind, ToServer,
};
pub use server::{
    EngineErrorKind, EngineHello, EngineOption, EngineOptionKind, FromEngine, ToEngine,
};
pub use view::{Act, SeatHistory, SeatTeller, SeatView, SeenEvents, WeightedRound};

/// The most bytes of a line that another program sends.
pub const MAX_MESSAGE: usize = 8 << 20;

/// The bytes of a line that few lines are longer than.
const USUAL_LINE: usize = 8192;

/// The result of reading a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRead {
    /// A line stands in the buffer, without its newline.
    Line,
    /// The line was longer than it may be: nothing of it was kept.
    TooLong,
    /// There is no more.
    End,
}

/// Reads the next line into the buffer, of which at most `most` bytes are kept. A line that the end
/// cuts off counts as a line.
///
/// # Errors
/// If it cannot be read.
pub fn read_line(
    input: &mut impl BufRead,
    buffer: &mut Vec<u8>,
    most: usize,
) -> io::Result<LineRead> {
    buffer.clear();
    let (mut any, mut too_long) = (false, false);
    loop {
        let chunk = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        if chunk.is_empty() {
            break;
        }
        any = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let text = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
        too_long |= buffer.len() + text.len() > most;
        if too_long {
            buffer.clear();
            buffer.shrink_to(1 << 16);
        } else {
            buffer.extend_from_slice(text);
        }
        let taken = text.len() + usize::from(end.is_some());
        input.consume(taken);
        if end.is_some() {
            break;
        }
    }
    // Some runtimes write a byte-order mark before their first line.
    let mark = buffer.len() - bytes_without_mark(buffer).len();
    buffer.drain(..mark);
    Ok(match (any, too_long) {
        (false, _) => LineRead::End,
        (true, true) => LineRead::TooLong,
        (true, false) => LineRead::Line,
    })
}

/// A message as a line with its newline.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn line_of(message: &impl Serialize) -> serde_json::Result<String> {
    let mut written = Vec::with_capacity(USUAL_LINE);
    serde_json::to_writer(&mut written, message)?;
    let mut line = json_text(String::from_utf8(written).map_err(serde_json::Error::custom)?);
    line.push('\n');
    Ok(line)
}

/// Escapes every character of a JSON text that a terminal would obey; the text reads back to the same value.
pub fn json_text(plain: String) -> String {
    if !has_unsafe(&plain) {
        return plain;
    }
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        if is_unsafe(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}
