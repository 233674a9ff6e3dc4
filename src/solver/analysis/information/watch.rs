//! Observers who follow a debate while it is played.

use debate_core::number::Number;
use debate_core::observe::Observer;
use debate_core::protocol::{Event, LogEntry, Seal, Seat, Sink};

/// Takes the events that follow a reply: shows each to all observers, and passes it on.
pub(super) struct Watch<'w, 'a, N> {
    pub(super) observers: &'w mut [Observer<'a>],
    pub(super) inner: &'w mut dyn Sink<N>,
}

impl<N: Number> Sink<N> for Watch<'_, '_, N> {
    fn wants(&self) -> bool {
        true
    }

    fn note(&mut self, seat: Seat, seal: Option<Seal>, event: Event<N>) {
        let entry = LogEntry { seat, seal, event };
        for observer in &mut *self.observers {
            observer.see(&entry);
        }
        self.inner.note(seat, seal, entry.event);
    }
}
