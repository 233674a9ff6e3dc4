//! What a debate is told to do, and who waits for it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::task::{Context, Poll, Waker};

use debate_core::protocol::Seat;
use debate_lab::message::{ForfeitFault, ReplyLine};

/// Something for a debate to do.
pub(super) enum Order {
    Reply(Seat, Box<ReplyLine>),
    /// Puts the pending request of this seat once more.
    Again(Seat),
    /// Somebody takes this seat up again by its handle.
    Join(Seat, String),
    /// The player of this seat gives up.
    Forfeit(Seat, ForfeitFault),
    Leave,
}

/// The orders of one debate.
pub(super) struct Orders {
    received: Receiver<Order>,
    has_thread: bool,
}

impl Orders {
    /// Orders of a debate that has a thread of its own, or that the reader of messages plays.
    pub(super) fn new(received: Receiver<Order>, has_thread: bool) -> Self {
        Self {
            received,
            has_thread,
        }
    }

    /// The next order; `None` where nobody gives any more. A debate with a thread blocks it here, any
    /// other is pending until it is polled after an order.
    pub(super) async fn next(&self) -> Option<Order> {
        if self.has_thread {
            return self.received.recv().ok();
        }
        poll_fn(|_| match self.received.try_recv() {
            Ok(order) => Poll::Ready(Some(order)),
            Err(TryRecvError::Empty) => Poll::Pending,
            Err(TryRecvError::Disconnected) => Poll::Ready(None),
        })
        .await
    }

    /// True if the debate has a thread of its own.
    pub(super) fn has_thread(&self) -> bool {
        self.has_thread
    }

    /// An order that is there already.
    pub(super) fn waiting(&self) -> Option<Order> {
        self.received.try_recv().ok()
    }
}

/// Goes on with a debate until it waits for an order.
pub(super) fn poll<T>(debate: std::pin::Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Poll<T> {
    debate.poll(&mut Context::from_waker(Waker::noop()))
}

/// Plays a debate that has this thread.
pub(super) fn play_here<T>(debate: impl Future<Output = T>) -> T {
    let mut debate = pin!(debate);
    loop {
        // It blocks where it waits, so that it is never pending.
        if let Poll::Ready(done) = poll(debate.as_mut()) {
            return done;
        }
    }
}
