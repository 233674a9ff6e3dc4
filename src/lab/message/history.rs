//! What a seat has seen so far. Each event is put into words and into JSON once, though every request
//! tells all of them.

use std::ops::Range;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::view::SeatSetting;
use crate::export::{ClaimNumbers, SeenEvent};
use debate_core::number::Exact;
use debate_core::player::Seating;
use debate_core::protocol::{Event, LogEntry};

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
pub struct SeatHistory {
    /// The entries of the log that it has.
    entries: usize,
    /// True if every request tells all of it; else what came since the last one.
    tells_all: bool,
    /// What is still to be told.
    pub(super) events: SeenEvents,
    /// The claims that the events speak of.
    pub(super) numbers: ClaimNumbers,
    /// What was told of the debate itself.
    pub(super) setting: Option<Arc<SeatSetting>>,
}

impl Default for SeatHistory {
    fn default() -> Self {
        Self::new(true)
    }
}

impl SeatHistory {
    /// Nothing was told yet. Each request is to tell all that the seat has seen, or only what came since
    /// the one before.
    pub fn new(tells_all: bool) -> Self {
        Self {
            entries: 0,
            tells_all,
            events: SeenEvents::default(),
            numbers: ClaimNumbers::default(),
            setting: None,
        }
    }

    /// The places of the entries that came since. Where a seal opened and all is told, what it hid reads
    /// otherwise: all begins anew.
    pub(super) fn since(&mut self, seating: &Seating<'_, Exact>) -> Range<usize> {
        let entries = seating.log().entries();
        let new = entries.get(self.entries..).unwrap_or_default();
        let opened = |entry: &LogEntry<Exact>| matches!(entry.event, Event::Opened(_));
        if self.tells_all && new.iter().any(opened) {
            *self = Self::default();
        }
        let from = self.entries;
        self.entries = entries.len();
        from..entries.len()
    }

    /// The events that a request tells now.
    pub(super) fn told_events(&mut self) -> SeenEvents {
        if self.tells_all {
            self.events.clone()
        } else {
            std::mem::take(&mut self.events)
        }
    }
}
