//! The game's screens and the pages of studies in a browser.
//!
//! [`serve_game`], [`serve_study`] and [`serve_preview`] start the servers; [`listener`] accepts connections, and
//! [`address_limits`] enforces the limits for each address. The game runs one child process for each visitor: this
//! program with a remote screen (`--screen json-lines`). [`pages`] serves the page to permitted visitors, [`socket`]
//! talks to one window, [`visitors`] holds the list of visitors, and [`session`] runs one visitor's process. These
//! modules know nothing about the game. [`study`] has the pages of a study; one process serves all participants. The
//! server never serves a file by its name.

mod address_limits;
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

use listener::WebService;
use visitors::Visitors;

pub use address_limits::AddressSource;
pub use axum::http::header::HeaderName;
pub use pages::SiteOrigin;
pub use study::{Dashboard, LinkSigningKey, StudyPreview, StudySite, is_valid_participant_name};
pub use visitors::new_secret;

/// The options of a server: the address to listen on, the source of visitors' addresses, and the limits on visitors.
pub struct WebOptions {
    pub listen: SocketAddr,
    /// The public address that visitors use, if a proxy is in front of the server.
    pub public: Option<SiteOrigin>,
    /// The source from which the server takes a visitor's address.
    pub addresses: AddressSource,
    /// The path prefix of every page of a study: empty, or for example "/pilot". Pages of the game have no prefix.
    pub path_prefix: String,
    pub limits: WebLimits,
}

/// Limits on visitors.
#[derive(Clone, Copy, Debug)]
pub struct WebLimits {
    /// Upper limit on concurrent visitors.
    pub visitors: usize,
    /// Upper limit on concurrent visitors from one address, and on new visitors per minute from one address. `None`
    /// means a quarter of the limit for all visitors, but at least the smaller of 8 and this limit.
    pub per_address: Option<usize>,
    /// Upper limit on new visitors per minute.
    pub new_per_minute: u32,
    /// Timeout for a browser window that accepts none of the data sent to it.
    pub send_timeout: Duration,
    /// Time that a visitor's process outlives a lost connection, once the visitor has typed something. Before the
    /// first input the process ends at once. In a study, the time without requests after which a session is closed.
    pub reconnect_time: Duration,
    /// Time without input and output after which a visitor is disconnected.
    pub idle_timeout: Duration,
    /// Maximum lifetime of a visitor's process.
    pub max_lifetime: Duration,
    /// Upper limit on the private memory of a visitor's process, in bytes. Enforced only on Linux.
    pub memory_bytes: u64,
    /// Upper limit on the CPU time of a visitor's process, in seconds. Enforced only on Linux.
    pub cpu_seconds: u64,
}

impl Default for WebLimits {
    fn default() -> Self {
        Self {
            visitors: 100,
            per_address: None,
            new_per_minute: 120,
            send_timeout: Duration::from_secs(20),
            reconnect_time: Duration::from_secs(15 * 60),
            idle_timeout: Duration::from_secs(3600),
            max_lifetime: Duration::from_secs(6 * 3600),
            memory_bytes: 256 << 20,
            cpu_seconds: 1800,
        }
    }
}

/// The first message that a browser window sends.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WindowHello {
    /// The secret that the window received on its first visit, if it has one.
    pub secret: Option<String>,
    /// Width of the window in columns; `rows` is its height.
    pub columns: u16,
    pub rows: u16,
    /// The parameters in the page's address, as names and values.
    pub asks: Vec<(String, String)>,
}

/// A visitor's identity, and the arguments and the folder of the process behind their screen.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// An identifier of the visitor: two windows with the same key belong to one visitor.
    pub key: String,
    /// The secret by which a returning window identifies its visitor.
    pub secret: String,
    /// The arguments of the program.
    pub arguments: Vec<OsString>,
    /// The visitor's folder of saves and settings.
    pub folder: PathBuf,
}

/// The options of a game server. Each visitor gets a separate game.
pub struct VisitorGameOptions {
    /// The folder that contains every visitor's folder.
    pub data: PathBuf,
    /// The scenarios that visitors can play, by name or path; empty for all bundled scenarios.
    pub scenarios: Vec<String>,
}

/// The flags that parameters in the page's address may set, for example `seed` in `/?seed=7`.
const FLAGS: [&str; 9] = [
    "role", "prover", "opponent", "judge", "protocol", "seed", "debate", "instance", "blind",
];
/// Upper limits on the characters of a parameter's value, and on the bytes in a visitor's folder.
const MAX_VALUE: usize = 200;
const MAX_FOLDER: u64 = 64 << 20;

impl VisitorGameOptions {
    /// Returns the visitor to whom a window belongs, with the arguments of the visitor's process, or the reason for a
    /// refusal.
    ///
    /// # Errors
    /// Returns a sentence for the visitor.
    fn admit_visitor(&self, hello: &WindowHello) -> Result<Visitor, String> {
        let secret = match hello
            .secret
            .as_deref()
            .filter(|it| visitors::has_visitor_secret_format(it))
        {
            // A secret without a folder belongs to no visitor.
            Some(secret) if self.folder(secret).is_dir() => secret.to_owned(),
            _ => visitors::new_secret(),
        };
        let folder = self.folder(&secret);
        if visitors::folder_size(&folder) > MAX_FOLDER {
            return Err(
                "Your saved debates use all the storage that one visitor may have.".to_owned(),
            );
        }
        Ok(Visitor {
            key: visitors::secret_digest(&secret),
            arguments: self.arguments(&hello.asks)?,
            secret,
            folder,
        })
    }

    fn folder(&self, secret: &str) -> PathBuf {
        // Folders are named by a digest, so a reader of the list of folders cannot take over a visitor's identity.
        self.data.join(visitors::secret_digest(secret))
    }

    /// Converts the parameters in the page's address to arguments of the visitor's process.
    fn arguments(&self, asks: &[(String, String)]) -> Result<Vec<OsString>, String> {
        let mut flags: Vec<OsString> = Vec::new();
        let mut scenario = None;
        for (name, value) in asks {
            if value.chars().count() > MAX_VALUE || value.chars().any(char::is_control) {
                return Err(
                    "This link has a parameter value that is too long or not printable.".to_owned(),
                );
            }
            match name.as_str() {
                "scenario" => scenario = Some(value.as_str()),
                "blind" => flags.push("--blind".into()),
                name if FLAGS.contains(&name) => flags.push(format!("--{name}={value}").into()),
                _ => {
                    return Err(
                        "This link has a parameter that this server does not know.".to_owned()
                    );
                }
            }
        }
        let offered = self.scenarios.first().filter(|_| self.scenarios.len() == 1);
        let scenario = match scenario {
            None => offered.cloned(),
            Some(name) => Some(self.offered(name)?),
        };
        if scenario.is_none() && !flags.is_empty() {
            return Err("This link has settings for a debate, but names no scenario.".to_owned());
        }
        let mut arguments: Vec<OsString> = scenario.map(Into::into).into_iter().collect();
        arguments.extend(flags);
        Ok(arguments)
    }

    /// Returns the name or path by which the visitor's process can load a scenario that this server offers. The error
    /// is a sentence for the visitor.
    fn offered(&self, name: &str) -> Result<String, String> {
        let stem = |path: &str| {
            Path::new(path)
                .file_stem()
                .map(|it| it.to_string_lossy().into_owned())
        };
        let scenario = if self.scenarios.is_empty() {
            debate_solver::setup::bundled_names()
                .find(|known| *known == name)
                .map(str::to_owned)
        } else {
            let mut offered = self.scenarios.iter();
            offered
                .find(|one| stem(one).as_deref() == Some(name) || *one == name)
                .cloned()
        };
        scenario
            .ok_or_else(|| "This link names a scenario that this server does not offer.".to_owned())
    }
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

/// Serves the game until a signal ends the process.
///
/// # Errors
/// Returns an error if the server cannot listen on the address.
pub fn serve_game(
    options: WebOptions,
    desk: VisitorGameOptions,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    runtime()?.block_on(async {
        let options = Arc::new(options);
        let visitors = Arc::new(Visitors::new(options.limits, desk));
        let routes = pages::game_routes(Arc::clone(&options), Arc::clone(&visitors));
        let close = async move { visitors.close_all_sessions().await };
        listener::accept_connections(options, WebService::with_routes_only(routes), ready, close)
            .await
    })
}

/// Serves the pages of the router `service` until a signal ends the process.
fn serve_pages(
    options: WebOptions,
    service: impl FnOnce(&Arc<WebOptions>) -> WebService,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    runtime()?.block_on(async {
        let options = Arc::new(options);
        let service = service(&options);
        listener::accept_connections(options, service, ready, async {}).await
    })
}

/// Serves the pages of a study until a signal ends the process.
///
/// # Errors
/// Returns an error if the server cannot listen on the address.
pub fn serve_study(
    options: WebOptions,
    site: StudySite,
    dashboard: Dashboard,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    serve_pages(
        options,
        |options| study::study_service(site, dashboard, options),
        ready,
    )
}

/// Serves the experimenter's dashboard of a study until a signal ends the process.
///
/// # Errors
/// Returns an error if the server cannot listen on the address.
pub fn serve_dashboard(
    options: WebOptions,
    dashboard: Dashboard,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    serve_pages(
        options,
        |options| WebService::with_routes_only(study::dashboard_routes(dashboard, options)),
        ready,
    )
}

/// Serves a preview of every page of a study until a signal ends the process.
///
/// # Errors
/// Returns an error if the server cannot listen on the address.
pub fn serve_preview(
    options: WebOptions,
    preview: StudyPreview,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    serve_pages(
        options,
        |options| WebService::with_routes_only(study::preview_routes(preview, options)),
        ready,
    )
}
