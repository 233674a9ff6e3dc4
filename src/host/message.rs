//! Messages to and from another program that plays a seat.
//!
//! Both directions of control use the same messages: engines that this program calls, and programs that drive this one.
//! A [`SeatMessageBuilder`] builds the [`SeatRequest`] of a seat: its [view](SeatViewMessage), the
//! [request](RequestMessage), both in words, and the [legal replies](StrictSchema). [`read_reply`] reads the answer. No
//! message contains more than the seat may see, which [`Log::observation_at`](debate_core::Log::observation_at)
//! decides. Messages are lines of JSON. Reading stops at the maximum length, and output contains no control characters
//! for terminals.

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

use debate_core::text::{has_unsafe_characters, is_unsafe_character, strip_byte_order_mark_bytes};

pub use batch::{BatchDebateStatus, DebateBatchForkRequest, DebateBatchStartRequest, ReplyCounts};
pub use event::{ClaimMentionedInEvents, SeenEvent, SerializedSpeechPart};
#[cfg(feature = "schema")]
pub use reply::ReplyMessage;
pub use reply::{
    ComposedSupportReply, FlippedPreparedBitsReply, JsonNumberOrText, JsonReplyError,
    JudgeAnswerReply, StrictSchema, legal_reply_schema, read_reply,
};
pub use request::{EarlierCoinInSameRound, OfferedSupport, RequestMessage, RequestMessageFields};
#[cfg(feature = "schema")]
pub use server::Message;
pub use server::{
    DebateOverrides, DebateStartRequest, ForfeitReason, MessageRefusalKind, MessageToCaller,
    MessageToServer, NamedPlayers, PROTOCOL_VERSION, ScenarioSource, SeatHandles, SeatName,
    SeatReplyMessage, SeatRequestLine,
};
pub use server::{
    EngineHello, EngineOption, EngineOptionKind, EngineReportedErrorKind, MessageFromEngine,
    MessageToEngine,
};
pub use view::{
    RoundWithMaxPayoff, SeatMessageBuilder, SeatRequest, SeatViewMessage, SeenEvents,
    SeenEventsOfOneSeat,
};

/// Maximum size of a line from a program that drives `serve`, in bytes. Lines of engines have a separate limit.
pub const MAX_MESSAGE: usize = 8 << 20;

/// Initial capacity for a line, in bytes; few lines are longer.
const USUAL_LINE: usize = 8192;

/// The result of [`read_line`]: another program's line was read, it was too long, or the input has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineReadResult {
    /// The buffer contains one line without its newline.
    Line,
    /// The line exceeded the maximum length, so the buffer does not contain it.
    TooLong,
    /// The input has ended.
    End,
}

/// Reads the next line of another program into the buffer, at most `max_bytes` bytes. A last line without a newline
/// counts as a line.
///
/// # Errors
/// If it cannot be read.
pub fn read_line(
    input: &mut impl BufRead,
    buffer: &mut Vec<u8>,
    max_bytes: usize,
) -> io::Result<LineReadResult> {
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
        too_long |= buffer.len() + text.len() > max_bytes;
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
    let mark = buffer.len() - strip_byte_order_mark_bytes(buffer).len();
    buffer.drain(..mark);
    Ok(match (any, too_long) {
        (false, _) => LineReadResult::End,
        (true, true) => LineReadResult::TooLong,
        (true, false) => LineReadResult::Line,
    })
}

/// Returns a message as one line of JSON with its newline.
///
/// # Errors
/// If it cannot be written as JSON.
pub fn json_line_with_newline(message: &impl Serialize) -> serde_json::Result<String> {
    let mut written = Vec::with_capacity(USUAL_LINE);
    serde_json::to_writer(&mut written, message)?;
    let mut line =
        escape_json_controls(String::from_utf8(written).map_err(serde_json::Error::custom)?);
    line.push('\n');
    Ok(line)
}

/// Escapes the characters that must not reach a terminal in a JSON text on one line. The result parses to the same
/// value.
pub fn escape_json_controls(plain: String) -> String {
    if !has_unsafe_characters(&plain) {
        return plain;
    }
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        if is_unsafe_character(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}
