//! Who hears what an engine says: a process can play in several debates at once.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::message::FromEngine;

/// Messages that wait in a mailbox. The engine waits where there are more.
const QUEUE: usize = 64;

/// What comes from an engine.
#[derive(Clone)]
pub(super) enum Heard {
    Message(Box<FromEngine>),
    /// A line that is no message: why.
    Unread(String),
}

/// The mailboxes of an engine: one for each request that waits for a reply, and one for what belongs to
/// no request.
#[derive(Default)]
pub(super) struct Mailboxes(Mutex<OpenMailboxes>);

#[derive(Default)]
struct OpenMailboxes {
    by_request: BTreeMap<Option<u64>, SyncSender<Heard>>,
    /// True once no more can come.
    ended: bool,
}

/// What an engine says to one request. Dropping it closes it.
pub(super) struct Mailbox {
    request: Option<u64>,
    heard: Receiver<Heard>,
    all: Arc<Mailboxes>,
}

impl Mailboxes {
    fn lock(&self) -> MutexGuard<'_, OpenMailboxes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the mailbox of a request; of none for `hello` and `pong`.
    pub(super) fn open(self: &Arc<Self>, request: Option<u64>) -> Mailbox {
        let (to, heard) = sync_channel(QUEUE);
        let mut open = self.lock();
        if !open.ended {
            open.by_request.insert(request, to);
        }
        Mailbox {
            request,
            heard,
            all: Arc::clone(self),
        }
    }

    /// Puts what was said where it belongs. What nobody waits for is dropped: a late or a second reply.
    /// A line that is no message goes to everybody who waits.
    pub(super) fn deliver(&self, heard: &Heard) {
        let to: Vec<SyncSender<Heard>> = {
            let open = self.lock();
            match heard {
                Heard::Unread(_) => open.by_request.values().cloned().collect(),
                Heard::Message(message) => {
                    let of = open.by_request.get(&request_of(message));
                    of.or_else(|| open.by_request.get(&None))
                        .cloned()
                        .into_iter()
                        .collect()
                }
            }
        };
        for mailbox in to {
            // Whoever waited may have gone.
            let _ = mailbox.send(heard.clone());
        }
    }

    /// No more comes.
    pub(super) fn end(&self) {
        let mut open = self.lock();
        open.ended = true;
        open.by_request.clear();
    }
}

/// The request that a message belongs to.
fn request_of(message: &FromEngine) -> Option<u64> {
    match message {
        FromEngine::Hello(_) | FromEngine::Pong => None,
        FromEngine::Info { id, .. } | FromEngine::Error { id, .. } => Some(*id),
        FromEngine::Reply(line) => Some(line.id),
    }
}

impl Mailbox {
    /// What comes next.
    ///
    /// # Errors
    /// If nothing comes in time, or nothing can come any more.
    pub(super) fn next_within(&self, time: Duration) -> Result<Heard, RecvTimeoutError> {
        self.heard.recv_timeout(time)
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.all.lock().by_request.remove(&self.request);
    }
}
