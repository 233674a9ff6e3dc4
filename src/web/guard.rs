//! Who may ask: requests that another site makes in a visitor's browser are refused.
//!
//! A page of another site can open a socket to this address, and a name of its own can be made to lead here
//! (DNS rebinding). Browsers say in `Host` by which name they came, and in `Origin` from which page: both must be ours.

use std::net::IpAddr;

use axum::http::{HeaderMap, header};

/// An address of the form `https://name:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(String);

impl Origin {
    /// Reads an origin: scheme and name, no path.
    ///
    /// # Errors
    /// A sentence where it is none.
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
                "`{}` is not the address of a site; write for example https://debates.example.org",
                debate_core::text::safe(site)
            )),
        }
    }

    /// The origin as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn host(&self) -> &str {
        self.0.split_once("://").map_or("", |(_, host)| host)
    }
}

/// The host of a request, where it is ours: the public one, or where none is named an address in numbers or this
/// machine's own name, which no other site can take for itself.
fn own_host<'h>(headers: &'h HeaderMap, public: Option<&Origin>) -> Option<&'h str> {
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

/// True if a page may be given.
pub(super) fn admits_page(headers: &HeaderMap, public: Option<&Origin>) -> bool {
    own_host(headers, public).is_some()
}

/// True if a socket may be opened: by a page of ours.
pub(super) fn admits_socket(headers: &HeaderMap, public: Option<&Origin>) -> bool {
    let Some(host) = own_host(headers, public) else {
        return false;
    };
    let origin = headers.get(header::ORIGIN).and_then(|it| it.to_str().ok());
    match (origin, public) {
        (Some(origin), Some(public)) => origin.eq_ignore_ascii_case(public.as_str()),
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
    fn only_pages_of_ours_open_sockets() {
        let public = Origin::parse("https://Debates.example.org/").unwrap();
        for (host, origin, public, admits) in [
            ("127.0.0.1:8080", Some("http://127.0.0.1:8080"), None, true),
            ("localhost:8080", Some("http://localhost:8080"), None, true),
            ("[::1]:8080", Some("http://[::1]:8080"), None, true),
            ("127.0.0.1:8080", Some("http://evil.example"), None, false),
            ("127.0.0.1:8080", Some("http://127.0.0.1:9090"), None, false),
            ("127.0.0.1:8080", Some("null"), None, false),
            ("127.0.0.1:8080", None, None, false),
            // A name that was made to lead here.
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
        }
    }

    #[test]
    fn a_site_is_a_scheme_and_a_name() {
        for wrong in [
            "",
            "example.org",
            "ftp://a",
            "https://",
            "https://a/b",
            "https://a b",
            "https://a\r\nb",
        ] {
            assert!(Origin::parse(wrong).is_err(), "{wrong}");
        }
    }
}
