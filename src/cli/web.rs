//! `web`: the same screens in a browser.

use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{CommandFailure, Result};
use crate::web::{
    AddressSource, HeaderName, SiteOrigin, VisitorGameOptions, WebLimits, WebOptions, serve_game,
};
use debate_core::text::replace_unsafe_characters;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};

// The address of a server, and its limits on visitors.
#[derive(Debug, Args)]
pub(super) struct WebServerArgs {
    /// The address and port to listen on. Connections from other machines are not encrypted.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    #[arg(long, value_name = "URL", value_parser = SiteOrigin::parse)]
    #[arg(
        help = "The public address of the proxy, such as https://debates.example.org. Requests for any other host name are refused"
    )]
    public: Option<SiteOrigin>,
    /// The maximum number of visitors at a time.
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=2000))]
    visitors: u16,
    /// The maximum number of visitors of one address at a time, and of its new visitors per minute. The default is
    /// a quarter of all, and at least eight.
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=2000))]
    per_address: Option<u16>,
    /// The header in which the proxy in front gives the visitor's address, such as X-Forwarded-For. Its last
    /// address counts. Without this flag, no limit per address applies behind a proxy.
    #[arg(long, value_name = "HEADER")]
    address_header: Option<HeaderName>,
    /// The maximum number of new visitors per minute. Others are asked to wait.
    #[arg(long, value_name = "N", default_value_t = 120)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    new_per_minute: u32,
    /// The number of seconds without progress in sending to a window before its connection counts as lost.
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=3600))]
    taken: u64,
    /// The number of minutes in which a visitor whose connection is lost can return.
    #[arg(long, value_name = "MINUTES", default_value_t = 15)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1440))]
    away: u64,
    /// The maximum memory of one visitor, in megabytes; enforced only on Linux.
    #[arg(long, value_name = "MB", default_value_t = 256)]
    #[arg(value_parser = clap::value_parser!(u64).range(16..=65_536))]
    memory: u64,
}

impl WebServerArgs {
    pub(super) fn limits(&self) -> WebLimits {
        WebLimits {
            visitors: self.visitors.into(),
            per_address: self.per_address.map(usize::from),
            new_per_minute: self.new_per_minute,
            send_timeout: std::time::Duration::from_secs(self.taken),
            reconnect_time: std::time::Duration::from_secs(60 * self.away),
            memory_bytes: self.memory << 20,
            ..WebLimits::default()
        }
    }

    pub(super) fn web_options(&self, path_prefix: &str) -> WebOptions {
        WebOptions {
            listen: self.listen,
            public: self.public.clone(),
            addresses: match (&self.address_header, &self.public) {
                (Some(header), _) => AddressSource::Header(header.clone()),
                (None, Some(_)) => AddressSource::Unknown,
                (None, None) => AddressSource::Peer,
            },
            path_prefix: path_prefix.to_owned(),
            limits: self.limits(),
        }
    }

    /// Serves browsers. Once the server accepts visitors, prints the lines that `announce` returns for the website's
    /// address on stdout.
    pub(super) fn serve(
        &self,
        options: WebOptions,
        announce: &dyn Fn(&str) -> Vec<String>,
        serve: impl FnOnce(WebOptions, &dyn Fn(SocketAddr)) -> io::Result<()>,
    ) -> Result {
        let public = self.public.as_ref().map(SiteOrigin::as_str);
        let addresses = options.addresses.clone();
        let base = options.path_prefix.clone();
        let say = |address: SocketAddr| {
            let local = || format!("http://{}", address_on_this_machine(address));
            let site = public.map_or_else(local, str::to_owned);
            for line in announce(&format!("{site}{base}/")) {
                // The reader of this line may be gone.
                let _ = writeln!(io::stdout(), "{line}");
            }
            let _ = io::stdout().flush();
            if addresses == AddressSource::Unknown {
                let _ = writeln!(
                    io::stderr(),
                    "The limits per visitor's address are off: set --address-header to the header with the visitor's address."
                );
            }
            if !address.ip().is_loopback() {
                let _ = writeln!(
                    io::stderr(),
                    "Anyone who reaches {address} can connect, and connections are not encrypted: put a proxy with TLS in front \
                     (debate-tui guide deploy)."
                );
            }
        };
        let at = self.listen;
        serve(options, &say).map_err(|error| CommandFailure::System(format!("{at}: {error}")))
    }
}

/// Returns the address under which a browser on this machine reaches a server. Browsers cannot open 0.0.0.0, which
/// means all addresses of the machine.
fn address_on_this_machine(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}

/// Returns the line with the address of a website for the person who started its server.
pub(super) fn open_in_browser_line(site: &str) -> String {
    format!("Open {site} in a browser. Ctrl-C stops the server.")
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("help/web.txt"))]
pub(super) struct WebArgs {
    /// The playable scenarios: files, or names of bundled ones [default: all bundled scenarios].
    scenarios: Vec<String>,
    #[command(flatten)]
    listen: WebServerArgs,
    /// Store the saves of visitors in this folder. By default they are deleted at the end.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data: Option<PathBuf>,
}

pub(super) fn run_web(args: &WebArgs) -> Result {
    let mut scenarios = Vec::new();
    for name in &args.scenarios {
        LoadedScenario::find_scenario(name, &ScenarioLimits::default())?;
        scenarios.push(absolute_scenario(name)?);
    }
    let temporary = tempfile::Builder::new()
        .prefix("debate-tui-web-")
        .tempdir()?;
    let data = match &args.data {
        Some(folder) => std::path::absolute(folder)?,
        None => temporary.path().to_owned(),
    };
    let desk = VisitorGameOptions { data, scenarios };
    let options = args.listen.web_options("");
    args.listen.serve(
        options,
        &|site| vec![open_in_browser_line(site)],
        |options, ready| serve_game(options, desk, ready),
    )
}

/// Returns the absolute path of a scenario's file. The name of a bundled scenario is returned unchanged.
fn absolute_scenario(name: &str) -> Result<String> {
    let path = PathBuf::from(name);
    if !path.is_file() {
        return Ok(name.to_owned());
    }
    let path = std::path::absolute(path)?;
    path.into_os_string().into_string().map_err(|path| {
        let path = path.display().to_string();
        CommandFailure::Input(format!(
            "{path}: the path must be UTF-8",
            path = replace_unsafe_characters(&path)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_all_addresses_is_opened_at_the_loopback_address() {
        for (listening, opened) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("192.0.2.7:80", "192.0.2.7:80"),
        ] {
            let address = address_on_this_machine(listening.parse().unwrap());
            assert_eq!(address.to_string(), opened);
        }
    }
}
