//! The game's screens and the pages of studies in a browser.
//!
//! [`serve_game`], [`serve_study`] and [`serve_preview`] listen; [`listener`] takes connections, [`crowd`] holds addresses
//! to their shares. For the game there is one child process a visitor: [`pages`] gives the page to who may ask, [`socket`]
//! talks with one window, [`visitors`] knows who is there, and [`session`] runs one visitor's process, which is this program
//! with its screen elsewhere (`--screen json-lines`): nothing of the game is known here. The pages of a study are those of
//! [`study`], which serves all participants itself. No file is served by its name.

mod crowd;
mod listener;
mod pages;
mod session;
mod socket;
mod stream;
mod study;
mod visitors;

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use listener::Service;
use visitors::Visitors;

pub use axum::http::header::HeaderName;
pub use crowd::AddressSource;
pub use pages::Origin;
pub use study::{LinkKey, Preview, StatusLines, StudySite, is_name};
pub use visitors::new_secret;

/// Where to listen, and for whom.
pub struct WebOptions {
    pub listen: SocketAddr,
    /// The address under which visitors come, where a proxy stands between.
    pub public: Option<Origin>,
    /// How the addresses of visitors are known.
    pub addresses: AddressSource,
    /// The path before that of every page: empty, or "/pilot". The game has none.
    pub base: String,
    pub limits: WebLimits,
}

/// Limits on visitors.
#[derive(Clone, Copy, Debug)]
pub struct WebLimits {
    /// Visitors at a time.
    pub visitors: usize,
    /// Visitors of one address at a time; a quarter of all, and at least eight, where none is named.
    pub of_address: Option<usize>,
    /// Visitors who begin, a minute.
    pub new_per_minute: u32,
    /// How long a window is waited for that takes nothing of what it is sent.
    pub taken: Duration,
    /// How long a visitor's process lives on when the connection is lost, once something was typed: before that it ends
    /// at once.
    pub away: Duration,
    /// How long a visitor who types nothing is waited for.
    pub idle: Duration,
    /// How long a visitor's process lives in all.
    pub longest: Duration,
    /// Bytes of memory that a visitor's process may have of its own. Kept on Linux alone.
    pub memory: u64,
    /// Seconds of computing that a visitor's process may take. Kept on Linux alone.
    pub computing: u64,
}

impl Default for WebLimits {
    fn default() -> Self {
        Self {
            visitors: 100,
            of_address: None,
            new_per_minute: 120,
            taken: Duration::from_secs(20),
            away: Duration::from_secs(15 * 60),
            idle: Duration::from_secs(3600),
            longest: Duration::from_secs(6 * 3600),
            memory: 256 << 20,
            computing: 1800,
        }
    }
}

/// What a window says when it comes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Arrival {
    /// What the window was given when it came first.
    pub secret: Option<String>,
    /// Columns and rows.
    pub columns: u16,
    pub rows: u16,
    /// What the address of the page asks for: names and values.
    pub asks: Vec<(String, String)>,
}

/// What a visitor gets: who they are, and the process behind their screen.
#[derive(Clone, Debug)]
pub struct Seated {
    /// Who it is: two windows of one key are one visitor.
    pub key: String,
    /// What the window says when it comes again.
    pub secret: String,
    /// The arguments of the program.
    pub arguments: Vec<OsString>,
    /// The folder of saves and settings.
    pub folder: PathBuf,
}

/// The desk of a game: every window gets a table of its own.
pub struct GameDesk {
    /// The folder of all visitors' folders.
    pub data: PathBuf,
    /// The scenarios that can be played, by name or path; all that come with the program where there is none.
    pub scenarios: Vec<String>,
}

/// The flags that the address of the page may set.
const FLAGS: [&str; 9] = [
    "role", "prover", "opponent", "judge", "protocol", "seed", "debate", "instance", "blind",
];
/// Characters of a value, and bytes in a visitor's folder, at most.
const MAX_VALUE: usize = 200;
const MAX_FOLDER: u64 = 64 << 20;

impl GameDesk {
    /// Says what a window gets, or why it gets nothing.
    ///
    /// # Errors
    /// A sentence for the visitor.
    fn receive(&self, arrival: &Arrival) -> Result<Seated, String> {
        let secret = match arrival
            .secret
            .as_deref()
            .filter(|it| visitors::is_secret(it))
        {
            // Without a folder it is nobody's any more.
            Some(secret) if self.folder(secret).is_dir() => secret.to_owned(),
            _ => visitors::new_secret(),
        };
        let folder = self.folder(&secret);
        if visitors::bytes_in(&folder) > MAX_FOLDER {
            return Err("Your debates take all the room there is for one visitor.".to_owned());
        }
        Ok(Seated {
            key: visitors::digest(&secret),
            arguments: self.arguments(&arrival.asks)?,
            secret,
            folder,
        })
    }

    fn folder(&self, secret: &str) -> PathBuf {
        // A digest: whoever reads the list of folders can be nobody else.
        self.data.join(visitors::digest(secret))
    }

    /// The arguments that the address of the page asks for.
    fn arguments(&self, asks: &[(String, String)]) -> Result<Vec<OsString>, String> {
        let mut flags: Vec<OsString> = Vec::new();
        let mut scenario = None;
        for (name, value) in asks {
            if value.chars().count() > MAX_VALUE || value.chars().any(char::is_control) {
                return Err("This link has a value that is too long.".to_owned());
            }
            match name.as_str() {
                "scenario" => scenario = Some(value.as_str()),
                "blind" => flags.push("--blind".into()),
                name if FLAGS.contains(&name) => flags.push(format!("--{name}={value}").into()),
                _ => return Err("This link asks for something that there is not.".to_owned()),
            }
        }
        let offered = self.scenarios.first().filter(|_| self.scenarios.len() == 1);
        let scenario = match scenario {
            None => offered.cloned(),
            Some(name) => Some(self.offered(name)?),
        };
        if scenario.is_none() && !flags.is_empty() {
            return Err("This link names no scenario.".to_owned());
        }
        let mut arguments: Vec<OsString> = scenario.map(Into::into).into_iter().collect();
        arguments.extend(flags);
        Ok(arguments)
    }

    /// A scenario that may be played, as the program knows it.
    fn offered(&self, name: &str) -> Result<String, String> {
        let stem = |path: &str| {
            Path::new(path)
                .file_stem()
                .map(|it| it.to_string_lossy().into_owned())
        };
        let scenario = if self.scenarios.is_empty() {
            debate_solver::setup::names()
                .find(|known| *known == name)
                .map(str::to_owned)
        } else {
            let mut offered = self.scenarios.iter();
            offered
                .find(|one| stem(one).as_deref() == Some(name) || *one == name)
                .cloned()
        };
        scenario.ok_or_else(|| "This link names a scenario that is not played here.".to_owned())
    }
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

/// Serves the game until the process is told to end.
///
/// # Errors
/// If nothing can listen there.
pub fn serve_game(
    options: WebOptions,
    desk: GameDesk,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    runtime()?.block_on(async {
        let options = Arc::new(options);
        let visitors = Arc::new(Visitors::new(options.limits, desk));
        let routes = pages::routes(Arc::clone(&options), Arc::clone(&visitors));
        let close = async move { visitors.close().await };
        listener::listen(options, Service::of(routes), ready, close).await
    })
}

/// Serves the pages of `service` until a signal ends the process.
fn serve_pages(
    options: WebOptions,
    service: impl FnOnce(&Arc<WebOptions>) -> Service,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    runtime()?.block_on(async {
        let options = Arc::new(options);
        let service = service(&options);
        listener::listen(options, service, ready, async {}).await
    })
}

/// Serves the pages of a study until the process is told to end.
///
/// # Errors
/// If nothing can listen there.
pub fn serve_study(
    options: WebOptions,
    site: StudySite,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    serve_pages(options, |options| study::service(site, options), ready)
}

/// Serves every page of a study to look at, until the process is told to end.
///
/// # Errors
/// If nothing can listen there.
pub fn serve_preview(
    options: WebOptions,
    preview: Preview,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    serve_pages(
        options,
        |options| Service::of(study::preview_routes(preview, options)),
        ready,
    )
}
