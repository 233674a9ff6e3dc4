//! The current visitors: one session for each, with limits on concurrent and on new sessions.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rand::Rng as _;
use tokio::sync::mpsc;
use tokio::time::{Duration, sleep};

use super::address_limits::{
    ConcurrentUsesPerVisitor, NewVisitorRateLimiter, VisitorAddress, limit_per_address,
};
use super::session::{self, ConnectedBrowserWindow};
use super::{Visitor, VisitorGameOptions, WebLimits, WindowHello};
use debate_core::digest::Digest;
use debate_host::record::TimeSource;

/// The fraction (1/n) of all games that one address may have, if `WebLimits::per_address` is not set.
const GAME_PARTS: usize = 4;
/// The length of a visitor's secret in bytes, which makes the secret impossible to guess.
const SECRET_BYTES: usize = 32;

/// The texts for refused visitors: no game is free, the address has its share of games, or too many visitors arrive.
const FULL: &str = "All games of this server are in use. Try again in a few minutes.";
const SHARE: &str = "Too many games are in use from your address. Try again in a few minutes.";
const BUSY: &str = "Too many games are starting at the moment. Try again in a minute.";

/// Returns a new random secret for a visitor, in hexadecimal digits.
pub fn new_secret() -> String {
    let mut bytes = [0_u8; SECRET_BYTES];
    rand::rng().fill_bytes(&mut bytes);
    digest_of(&bytes)
}

/// True if a text has the form of a visitor's secret.
pub(super) fn has_visitor_secret_format(text: &str) -> bool {
    Digest::parse(text).is_some()
}

fn digest_of(bytes: &[u8]) -> String {
    Digest::digest_of_bytes(bytes).to_string()
}

/// Returns the digest of a visitor's secret, for use where other people can read it.
pub(super) fn secret_digest(secret: &str) -> String {
    digest_of(secret.as_bytes())
}

/// Returns the total size of the files directly in a folder, in bytes; 0 if the folder is missing.
pub(super) fn folder_size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let sizes = entries.flatten().filter_map(|entry| entry.metadata().ok());
    sizes.map(|data| data.len()).sum()
}

/// The current visitors and their sessions.
pub(super) struct Visitors {
    limits: WebLimits,
    desk: VisitorGameOptions,
    sessions: Mutex<HashMap<String, mpsc::Sender<ConnectedBrowserWindow>>>,
    /// The count of running games of each address.
    games_by_address: Arc<ConcurrentUsesPerVisitor>,
    allowances: Mutex<NewVisitorRateLimiter>,
}

impl Visitors {
    pub(super) fn new(limits: WebLimits, desk: VisitorGameOptions) -> Self {
        let per_minute = limits.new_per_minute;
        let of_address = limits.per_address;
        let share = |all: usize| of_address.unwrap_or_else(|| limit_per_address(all, GAME_PARTS));
        let share_of_minute = share(usize::try_from(per_minute).unwrap_or(usize::MAX));
        Self {
            limits,
            desk,
            sessions: Mutex::default(),
            games_by_address: ConcurrentUsesPerVisitor::new(share(limits.visitors)),
            allowances: Mutex::new(NewVisitorRateLimiter::new(
                per_minute,
                share_of_minute,
                &TimeSource::System,
            )),
        }
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, mpsc::Sender<ConnectedBrowserWindow>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one new visitor against the rate limits. Returns false if a limit is exhausted.
    fn allows_one(&self, address: Option<VisitorAddress>) -> bool {
        let allowances = self.allowances.lock();
        allowances
            .unwrap_or_else(PoisonError::into_inner)
            .allow_new_visitor(address)
    }

    /// Passes a window to its visitor's session, and starts the session if there is none. Returns the visitor to whom
    /// the window belongs.
    ///
    /// # Errors
    /// Returns a sentence for the visitor.
    pub(super) fn admit_window(
        self: &Arc<Self>,
        hello: &WindowHello,
        mut window: ConnectedBrowserWindow,
        address: Option<VisitorAddress>,
    ) -> Result<Visitor, String> {
        let seated = self.desk.admit_visitor(hello)?;
        let mut sessions = self.sessions();
        if let Some(session) = sessions.get(&seated.key) {
            match session.try_send(window) {
                Ok(()) => return Ok(seated),
                Err(mpsc::error::TrySendError::Full(_)) => {
                    return Err("Too many windows are being opened at once.".to_owned());
                }
                // The session is about to end, so a new one is started.
                Err(mpsc::error::TrySendError::Closed(back)) => window = back,
            }
        }
        if sessions.len() >= self.limits.visitors {
            return Err(FULL.to_owned());
        }
        let Some(share) = self.games_by_address.try_acquire(address) else {
            return Err(SHARE.to_owned());
        };
        if !self.allows_one(address) {
            return Err(BUSY.to_owned());
        }
        let (sender, windows) = mpsc::channel(4);
        let child = session::start_process(&seated, self.limits).map_err(|error| {
            tracing::error!(%error, "cannot start the process of a visitor");
            "The game cannot be started at the moment.".to_owned()
        })?;
        // This cannot fail: the channel is new and has free capacity.
        let _ = sender.try_send(window);
        sessions.insert(seated.key.clone(), sender.clone());
        drop(sessions);
        let (visitors, key) = (Arc::clone(self), seated.key.clone());
        tokio::spawn(async move {
            session::run_session(child, windows, visitors.limits).await;
            visitors.remove_session(&key, &sender);
            drop(share);
        });
        Ok(seated)
    }

    /// Removes a visitor's session, unless another session of the same visitor has replaced it.
    fn remove_session(&self, key: &str, session: &mpsc::Sender<ConnectedBrowserWindow>) {
        let mut sessions = self.sessions();
        if sessions
            .get(key)
            .is_some_and(|other| other.same_channel(session))
        {
            sessions.remove(key);
        }
    }

    /// Ends the sessions of all visitors and notifies their windows.
    pub(super) async fn close_all_sessions(&self) {
        let sessions: Vec<_> = self
            .sessions()
            .drain()
            .map(|(_, session)| session)
            .collect();
        for session in &sessions {
            let _ = session.try_send(ConnectedBrowserWindow::window_that_ends_session());
        }
        // The sessions ask their processes to end. A process that does not end is killed when this process ends.
        let patience = Instant::now() + Duration::from_secs(3);
        while Instant::now() < patience && sessions.iter().any(|it| !it.is_closed()) {
            sleep(Duration::from_millis(20)).await;
        }
    }
}
