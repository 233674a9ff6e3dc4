//! What a seat has seen so far. Each event is put into words and into JSON once, though every request
//! tells all of them.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::export::{ClaimNumbers, SeenEvent};
use debate_core::number::Exact;
use debate_core::player::Seating;
use debate_core::protocol::Event;

/// An event that a seat was told.
#[derive(Debug)]
pub(super) struct ToldEvent {
    pub(super) text: String,
    json: Box<RawValue>,
}

/// The events that a seat has seen, in order.
#[derive(Clone, Debug, Default)]
pub struct SeenEvents(Vec<Arc<ToldEvent>>);

impl SeenEvents {
    pub(super) fn push(&mut self, event: &SeenEvent) {
        // An event is made of texts and numbers, which JSON can write.
        if let Ok(json) = to_raw_value(event) {
            let text = event.text.clone();
            self.0.push(Arc::new(ToldEvent { text, json }));
        }
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|event| event.text.as_str())
    }
}

impl Serialize for SeenEvents {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().map(|event| &event.json))
    }
}

/// What a seat has seen of a debate, kept from one request to the next. It is good for one debate, of
/// which no move is taken back.
#[derive(Default)]
pub struct SeatHistory {
    /// The entries of the log that it has.
    entries: usize,
    pub(super) events: SeenEvents,
    /// The claims that the events speak of.
    pub(super) numbers: ClaimNumbers,
}

impl SeatHistory {
    /// The places of the entries that came since. Where a seal opened, what it hid reads otherwise: all
    /// begins anew.
    pub(super) fn since(&mut self, seating: &Seating<'_, Exact>) -> std::ops::Range<usize> {
        let entries = seating.log().entries();
        let new = entries.get(self.entries..).unwrap_or_default();
        if new
            .iter()
            .any(|entry| matches!(entry.event, Event::Opened(_)))
        {
            *self = Self::default();
        }
        let from = self.entries;
        self.entries = entries.len();
        from..entries.len()
    }
}
