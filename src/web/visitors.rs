//! Who is there: one session a visitor, so many at a time and a minute.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rand::Rng as _;
use tokio::sync::mpsc;
use tokio::time::{Duration, sleep};

use super::crowd::{Address, Allowances, Crowd, share_of};
use super::session::{self, Window};
use super::{Arrival, GameDesk, Seated, WebLimits};
use debate_core::digest::Digest;
use debate_host::record::TimeSource;

/// An address has one in so many tables, unless it is said how many.
const TABLE_PARTS: usize = 4;
/// Bytes of a secret: nobody guesses one.
const SECRET: usize = 32;

/// Said to whoever comes while all tables are taken, or too many come at once.
const FULL: &str = "All tables are taken. Try again in a few minutes.";
const SHARE: &str = "From where you are all tables are taken that there are for one address. Try again in a few minutes.";
const BUSY: &str = "Many people are coming at the moment. Try again in a minute.";

/// A new secret: hexadecimal digits.
pub fn new_secret() -> String {
    let mut bytes = [0_u8; SECRET];
    rand::rng().fill_bytes(&mut bytes);
    digest_of(&bytes)
}

/// True if a text has the form of a secret.
pub(super) fn is_secret(text: &str) -> bool {
    Digest::parse(text).is_some()
}

fn digest_of(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string()
}

/// What stands for a secret where others may read.
pub(super) fn digest(secret: &str) -> String {
    digest_of(secret.as_bytes())
}

/// The bytes of the files in a folder; 0 where there is none.
pub(super) fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let sizes = entries.flatten().filter_map(|entry| entry.metadata().ok());
    sizes.map(|data| data.len()).sum()
}

/// Who is there.
pub(super) struct Visitors {
    limits: WebLimits,
    desk: GameDesk,
    sessions: Mutex<HashMap<String, mpsc::Sender<Window>>>,
    /// Tables by address.
    tables: Arc<Crowd>,
    allowances: Mutex<Allowances>,
}

impl Visitors {
    pub(super) fn new(limits: WebLimits, desk: GameDesk) -> Self {
        let a_minute = limits.new_per_minute;
        let of_address = limits.of_address;
        let share = |all: usize| of_address.unwrap_or_else(|| share_of(all, TABLE_PARTS));
        let share_of_minute = share(usize::try_from(a_minute).unwrap_or(usize::MAX));
        Self {
            limits,
            desk,
            sessions: Mutex::default(),
            tables: Crowd::new(share(limits.visitors)),
            allowances: Mutex::new(Allowances::new(
                a_minute,
                share_of_minute,
                &TimeSource::System,
            )),
        }
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, mpsc::Sender<Window>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one of those who may begin now.
    fn allows_one(&self, address: Option<Address>) -> bool {
        let allowances = self.allowances.lock();
        allowances
            .unwrap_or_else(PoisonError::into_inner)
            .take(address)
    }

    /// Leads a window to its visitor's session, which begins where there is none. Returns who it is.
    ///
    /// # Errors
    /// A sentence for the visitor.
    pub(super) fn seat(
        self: &Arc<Self>,
        arrival: &Arrival,
        mut window: Window,
        address: Option<Address>,
    ) -> Result<Seated, String> {
        let seated = self.desk.receive(arrival)?;
        let mut sessions = self.sessions();
        if let Some(session) = sessions.get(&seated.key) {
            match session.try_send(window) {
                Ok(()) => return Ok(seated),
                Err(mpsc::error::TrySendError::Full(_)) => {
                    return Err("Too many windows are opened here at once.".to_owned());
                }
                // It is about to end.
                Err(mpsc::error::TrySendError::Closed(back)) => window = back,
            }
        }
        if sessions.len() >= self.limits.visitors {
            return Err(FULL.to_owned());
        }
        let Some(share) = self.tables.enter(address) else {
            return Err(SHARE.to_owned());
        };
        if !self.allows_one(address) {
            return Err(BUSY.to_owned());
        }
        let (sender, windows) = mpsc::channel(4);
        let child = session::start(&seated, self.limits).map_err(|error| {
            tracing::error!(%error, "no process for a visitor");
            "The game cannot be started at the moment.".to_owned()
        })?;
        // There is room: nobody else has it.
        let _ = sender.try_send(window);
        sessions.insert(seated.key.clone(), sender.clone());
        drop(sessions);
        let (visitors, key) = (Arc::clone(self), seated.key.clone());
        tokio::spawn(async move {
            session::run(child, windows, visitors.limits).await;
            visitors.leave(&key, &sender);
            drop(share);
        });
        Ok(seated)
    }

    /// Takes a session off the table, unless another one of the same visitor has begun.
    fn leave(&self, key: &str, session: &mpsc::Sender<Window>) {
        let mut sessions = self.sessions();
        if sessions
            .get(key)
            .is_some_and(|other| other.same_channel(session))
        {
            sessions.remove(key);
        }
    }

    /// Ends all sessions: who is there is told so.
    pub(super) async fn close(&self) {
        let sessions: Vec<_> = self
            .sessions()
            .drain()
            .map(|(_, session)| session)
            .collect();
        for session in &sessions {
            let _ = session.try_send(Window::closing());
        }
        // Their processes are told to end; what does not is ended with this one.
        let patience = Instant::now() + Duration::from_secs(3);
        while Instant::now() < patience && sessions.iter().any(|it| !it.is_closed()) {
            sleep(Duration::from_millis(20)).await;
        }
    }
}
