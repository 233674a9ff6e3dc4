//! The game's page and its assets, which are the same for all visitors, and the check of requests. A request that
//! another site makes in a visitor's browser is refused.
//!
//! A page of another site can open a socket to this address. The other site's name can also be made to resolve to this
//! address (DNS rebinding). A browser sends the name that it used in `Host`, and the page that it comes from in
//! `Origin`. Both must be ours.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{State, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, Router};

use super::listener::CountedConnection;
use super::visitors::Visitors;
use super::{WebOptions, socket};

/// The page's content security policy: it allows only our own script, style, images and socket. Other sites cannot
/// frame the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

#[derive(Clone)]
pub(super) struct WebGameHandlerState {
    pub(super) options: Arc<WebOptions>,
    pub(super) visitors: Arc<Visitors>,
}

pub(super) fn game_routes(options: Arc<WebOptions>, visitors: Arc<Visitors>) -> Router {
    let part = |kind: &'static str, text: &'static str| {
        get(
            async move |State(server): State<WebGameHandlerState>, headers: HeaderMap| {
                page(&server, &headers, kind, text)
            },
        )
    };
    Router::new()
        .route("/", part("text/html", include_str!("page.html")))
        .route("/page.js", part("text/javascript", include_str!("page.js")))
        .route("/page.css", part("text/css", include_str!("page.css")))
        .route("/icon.svg", part("image/svg+xml", include_str!("icon.svg")))
        .route("/socket", get(open_socket))
        .fallback(not_found)
        .with_state(WebGameHandlerState { options, visitors })
}

async fn not_found() -> Response {
    plain_page(
        StatusCode::NOT_FOUND,
        "There is no such page; the game is at /.",
    )
}

async fn open_socket(
    State(server): State<WebGameHandlerState>,
    Extension(connection): Extension<CountedConnection>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    if !admits_socket(&headers, server.options.public.as_ref()) {
        return plain_page(
            StatusCode::FORBIDDEN,
            "This request does not come from the game's page, so it is refused; the game is at /.",
        );
    }
    let Ok(upgrade) = upgrade else {
        return plain_page(
            StatusCode::BAD_REQUEST,
            "This address is only for the game's WebSocket connection; the game is at /.",
        );
    };
    let waiting = connection.into_pending_socket(&server.options.addresses, &headers);
    upgrade
        .max_message_size(socket::MAX_MESSAGE)
        .max_frame_size(socket::MAX_MESSAGE)
        .read_buffer_size(socket::BUFFER)
        .write_buffer_size(socket::BUFFER)
        .on_upgrade(move |socket| socket::exchange_messages(socket, server, waiting))
}

fn page(
    server: &WebGameHandlerState,
    headers: &HeaderMap,
    kind: &'static str,
    text: &'static str,
) -> Response {
    if !admits_page(headers, server.options.public.as_ref()) {
        return plain_page(
            StatusCode::FORBIDDEN,
            "This server does not answer requests to this host name; its operator can allow the name with --public.",
        );
    }
    answer(StatusCode::OK, kind, text)
}

fn plain_page(status: StatusCode, text: &'static str) -> Response {
    answer(status, "text/plain", text)
}

fn answer(status: StatusCode, kind: &'static str, text: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, format!("{kind}; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, POLICY.to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
        (header::X_FRAME_OPTIONS, "DENY".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (status, headers, text).into_response()
}

/// A site's origin in the form `https://name:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteOrigin(String);

impl SiteOrigin {
    /// Parses an origin, which has a scheme and a name but no path.
    ///
    /// # Errors
    /// Returns a sentence if the text is not an origin.
    pub fn parse(text: &str) -> Result<Self, String> {
        let site = text.strip_suffix('/').unwrap_or(text);
        let rest = site
            .strip_prefix("https://")
            .or_else(|| site.strip_prefix("http://"));
        let sound = |name: &str| {
            let known = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
            !name.is_empty() && name.chars().all(known)
        };
        match rest {
            Some(name) if sound(name) => Ok(Self(site.to_ascii_lowercase())),
            _ => Err(format!(
                "`{site}` is not a site's origin: write `https://` or `http://`, then the host, without a path, such as https://debates.example.org",
                site = debate_core::text::replace_unsafe_characters(site)
            )),
        }
    }

    /// Returns the text of the origin.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn host(&self) -> &str {
        self.0.split_once("://").map_or("", |(_, host)| host)
    }
}

/// Returns the host of a request if it is ours. That is the public host, if one is set. Otherwise it is a numeric
/// address or `localhost`, which no other site can use as its name.
fn own_host<'h>(headers: &'h HeaderMap, public: Option<&SiteOrigin>) -> Option<&'h str> {
    let host = headers.get(header::HOST)?.to_str().ok()?;
    let own = match public {
        Some(public) => host.eq_ignore_ascii_case(public.host()),
        None => is_numeric(host),
    };
    own.then_some(host)
}

fn is_numeric(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    name.eq_ignore_ascii_case("localhost") || bare.unwrap_or(name).parse::<IpAddr>().is_ok()
}

/// True if a request names our host, so that the server may send it a page.
pub(super) fn admits_page(headers: &HeaderMap, public_origin: Option<&SiteOrigin>) -> bool {
    own_host(headers, public_origin).is_some()
}

/// True if a submitted form may be accepted. Browsers send the page's origin, which must be ours. A request without an
/// origin does not come from a browser.
pub(super) fn admits_form(headers: &HeaderMap, public_origin: Option<&SiteOrigin>) -> bool {
    admits_page(headers, public_origin)
        && (!headers.contains_key(header::ORIGIN) || admits_socket(headers, public_origin))
}

/// True if a WebSocket may be opened: its request's origin must be our page.
pub(super) fn admits_socket(headers: &HeaderMap, public_origin: Option<&SiteOrigin>) -> bool {
    let Some(host) = own_host(headers, public_origin) else {
        return false;
    };
    let origin = headers.get(header::ORIGIN).and_then(|it| it.to_str().ok());
    match (origin, public_origin) {
        (Some(origin), Some(public_origin)) => origin.eq_ignore_ascii_case(public_origin.as_str()),
        (Some(origin), None) => origin.eq_ignore_ascii_case(&format!("http://{host}")),
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        headers
    }

    #[test]
    fn only_our_own_pages_can_open_sockets() {
        let public = SiteOrigin::parse("https://Debates.example.org/").unwrap();
        for (host, origin, public, admits) in [
            ("127.0.0.1:8080", Some("http://127.0.0.1:8080"), None, true),
            ("localhost:8080", Some("http://localhost:8080"), None, true),
            ("[::1]:8080", Some("http://[::1]:8080"), None, true),
            ("127.0.0.1:8080", Some("http://evil.example"), None, false),
            ("127.0.0.1:8080", Some("http://127.0.0.1:9090"), None, false),
            ("127.0.0.1:8080", Some("null"), None, false),
            ("127.0.0.1:8080", None, None, false),
            // A foreign name that resolves to this address.
            (
                "evil.example:8080",
                Some("http://evil.example:8080"),
                None,
                false,
            ),
            (
                "127.0.0.1.evil.example",
                Some("http://127.0.0.1.evil.example"),
                None,
                false,
            ),
            (
                "debates.example.org",
                Some("https://debates.example.org"),
                Some(&public),
                true,
            ),
            (
                "debates.example.org",
                Some("http://debates.example.org"),
                Some(&public),
                false,
            ),
            (
                "127.0.0.1:8080",
                Some("http://127.0.0.1:8080"),
                Some(&public),
                false,
            ),
        ] {
            let headers = headers(host, origin);
            assert_eq!(admits_socket(&headers, public), admits, "{host} {origin:?}");
            let is_silent = origin.is_none() && admits_page(&headers, public);
            assert_eq!(admits_form(&headers, public), admits || is_silent, "{host}");
        }
    }

    #[test]
    fn an_origin_is_a_scheme_and_a_name() {
        for wrong in [
            "",
            "example.org",
            "ftp://a",
            "https://",
            "https://a/b",
            "https://a b",
            "https://a\r\nb",
        ] {
            assert!(SiteOrigin::parse(wrong).is_err(), "{wrong}");
        }
    }
}
