//! Accepts connections: a limited number at a time, each with a short timeout for its request.
//!
//! An address has a share of the connections. While the head of a request is read, only the peer's address is known,
//! which behind a proxy is the proxy's. After that, the connection counts for the address that the proxy names, or for
//! the participant whom the cookie names. A participant in the middle of a study thus does not compete with other
//! visitors from the same address.

use std::any::Any;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use super::address_limits::{ConcurrentUsesPerVisitor, VisitorAddress, limit_per_address};
use super::stream::SecurityHeaderStream;
use super::{AddressSource, WebOptions};

/// Upper limit on concurrent connections, from their first byte until they have a page or a game.
const CONNECTIONS: usize = 512;
/// The divisor for the limit of one visitor's address: an address may have at most 1/n of all connections.
const CONNECTION_PARTS: usize = 8;
/// The fraction (1/n) of all connections that one address may have while the heads of their requests are read. Most
/// heads take less than a second.
const HEAD_PARTS: usize = 2;
/// Upper limit on concurrent connections of a participant, who may have several windows in one browser.
const OF_PARTICIPANT: usize = 8;
/// Timeout for the arrival of a request's head.
const HEAD: Duration = Duration::from_secs(5);
/// Timeout for a complete page.
const WHOLE: Duration = Duration::from_secs(30);
/// Upper limit on the bytes of a request's head.
const HEAD_BYTES: usize = 16 << 10;
/// The delay until the server tries again, after the system could not accept a connection.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
/// The number of seconds after which a client should repeat a refused request, as the value of a header.
const AGAIN_S: &str = "10";

/// The response text for a client whose connection is refused because there is no room.
pub(super) const FULL: &str =
    "Too many connections are open at the moment. Try again in ten seconds.";

const AMBIGUOUS: &str = "Send exactly one Host header and at most one Origin header.";

/// A function from a request's headers to the id of the study participant whose cookie they contain. `None` if they
/// contain no such cookie, as before that participant's session begins.
pub(super) type ParticipantLookup = Arc<dyn Fn(&HeaderMap) -> Option<String> + Send + Sync>;

/// A server: the router of its pages, and the functions that the listener calls.
pub(super) struct WebService {
    pub(super) routes: Router,
    pub(super) participants: ParticipantLookup,
    /// A function that the listener calls when it cannot accept a connection, or refuses it before its request is read.
    pub(super) refused: Box<dyn Fn()>,
}

impl WebService {
    /// Creates a service without participants.
    pub(super) fn with_routes_only(routes: Router) -> Self {
        Self {
            routes,
            participants: Arc::new(|_| None),
            refused: Box::new(|| {}),
        }
    }
}

/// The limits on connections, and their current counts.
struct Gate {
    options: Arc<WebOptions>,
    participants: ParticipantLookup,
    by_address: Arc<ConcurrentUsesPerVisitor>,
    by_participant: Arc<ConcurrentUsesPerVisitor<String>>,
}

/// A connection that is counted among all connections and among those of its address or participant.
#[derive(Clone, Debug)]
pub(super) struct CountedConnection {
    peer: IpAddr,
    _permit: Arc<OwnedSemaphorePermit>,
    /// True once the request of the connection has been read.
    is_read: Arc<AtomicBool>,
    /// This connection's unit in the limit of connections per address or participant. It is released when the
    /// connection is closed or has a game. Until the request's head is read, it counts towards the separate limit for
    /// such connections.
    share: Arc<Mutex<Box<dyn Any + Send>>>,
}

/// A WebSocket that is counted for its address until it has a game.
pub(super) struct WebSocketBeforeGame {
    /// The address of the WebSocket's visitor; `None` if it is not known.
    pub(super) address: Option<VisitorAddress>,
    _held: CountedConnection,
}

impl CountedConnection {
    /// Returns the visitor's address of a request; `None` if it is not known.
    pub(super) fn request_address(
        &self,
        source: &AddressSource,
        headers: &HeaderMap,
    ) -> Option<VisitorAddress> {
        source.address_of_request(self.peer, headers)
    }

    /// Converts the counted connection into a WebSocket that asks for a game. The connection is still counted for its
    /// address.
    pub(super) fn into_pending_socket(
        self,
        source: &AddressSource,
        headers: &HeaderMap,
    ) -> WebSocketBeforeGame {
        WebSocketBeforeGame {
            address: self.request_address(source, headers),
            _held: self,
        }
    }

    /// Counts the connection for its participant or address, now that the head of its request is read. Returns false if
    /// that participant or address has reached its limit.
    fn take_share(&self, gate: &Gate, headers: &HeaderMap) -> bool {
        let share = if let Some(participant) = (gate.participants)(headers) {
            let share = gate.by_participant.try_acquire(Some(participant));
            share.map(|share| Box::new(share) as Box<dyn Any + Send>)
        } else {
            let address = self.request_address(&gate.options.addresses, headers);
            let share = gate.by_address.try_acquire(address);
            share.map(|share| Box::new(share) as Box<dyn Any + Send>)
        };
        let Some(share) = share else {
            return false;
        };
        *self.share.lock().unwrap_or_else(PoisonError::into_inner) = share;
        true
    }
}

/// Admits a request unless its participant or address has reached its limit of connections.
async fn limit_requests(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let connection = request.extensions().get::<CountedConnection>();
    if connection.is_none_or(|connection| connection.take_share(&gate, request.headers())) {
        return next.run(request).await;
    }
    let mut response = (StatusCode::SERVICE_UNAVAILABLE, FULL).into_response();
    set_retry_headers(&mut response, *request.method() == Method::GET);
    response
}

/// Returns the security headers of every response. A page has its own policy for scripts and styles.
fn security_headers() -> [(HeaderName, &'static str); 5] {
    let policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
    ]
}

/// Returns the security headers as lines of a response.
fn security_lines() -> String {
    let lines = security_headers().map(|(name, value)| format!("{name}: {value}\r\n"));
    lines.concat()
}

/// Refuses a request whose host or origin is ambiguous. Adds missing security headers to the response and closes the
/// connection after it, unless the response opens a WebSocket.
async fn finish_response(request: Request, next: Next) -> Response {
    if let Some(connection) = request.extensions().get::<CountedConnection>() {
        connection.is_read.store(true, Ordering::Relaxed);
    }
    let mut response = if is_ambiguous(&request) {
        (StatusCode::BAD_REQUEST, AMBIGUOUS).into_response()
    } else {
        next.run(request).await
    };
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        // hyper can close connections too, but also adds `close` to the response that opens a WebSocket. Proxies such
        // as Caddy refuse this response.
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
        for (name, value) in security_headers() {
            let entry = response.headers_mut().entry(name);
            entry.or_insert(HeaderValue::from_static(value));
        }
    }
    response
}

/// True if a request has several hosts or several origins, because a proxy may have checked another one. Also true for
/// an HTTP/1.1 request without a host, which HTTP/1.1 does not allow.
fn is_ambiguous(request: &Request) -> bool {
    let count = |name| request.headers().get_all(name).iter().count();
    let hosts = count(header::HOST);
    let lacks_host = hosts == 0 && request.version() == Version::HTTP_11;
    hosts > 1 || lacks_host || count(header::ORIGIN) > 1
}

/// Sets the headers of a refusal that tell the client when to repeat the request. A browser reloads a page without a
/// script, if `browser_may_reload` is true. It must not reload after a form that sends an answer; the user sends the
/// answer again.
pub(super) fn set_retry_headers(response: &mut Response, browser_may_reload: bool) {
    let seconds = HeaderValue::from_static(AGAIN_S);
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, seconds.clone());
    if browser_may_reload {
        headers.insert(header::REFRESH, seconds);
    }
}

/// Serves pages until a signal ends the process; then runs `close`.
pub(super) async fn accept_connections(
    options: Arc<WebOptions>,
    service: WebService,
    ready: impl FnOnce(SocketAddr),
    close: impl Future<Output = ()>,
) -> io::Result<()> {
    let WebService {
        routes,
        participants,
        refused,
    } = service;
    let listener = TcpListener::bind(options.listen).await?;
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let heads = ConcurrentUsesPerVisitor::new(limit_per_address(CONNECTIONS, HEAD_PARTS));
    let gate = Arc::new(Gate {
        options: Arc::clone(&options),
        participants,
        by_address: ConcurrentUsesPerVisitor::new(limit_per_address(CONNECTIONS, CONNECTION_PARTS)),
        by_participant: ConcurrentUsesPerVisitor::new(OF_PARTICIPANT),
    });
    let routes = routes
        .layer(from_fn_with_state(gate, limit_requests))
        .layer(from_fn(finish_response));
    ready(listener.local_addr()?);
    let mut end = std::pin::pin!(end_signal());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            signal = &mut end => {
                close.await;
                return signal;
            }
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                if error.kind() != io::ErrorKind::ConnectionAborted {
                    // For example, the process is out of file descriptors.
                    refused();
                    sleep(ACCEPT_RETRY_DELAY).await;
                }
                continue;
            }
        };
        let share = heads.try_acquire(options.addresses.address_before_request_is_read(peer.ip()));
        let permit = Arc::clone(&room).try_acquire_owned().ok();
        let Some((permit, share)) = permit.zip(share) else {
            refused();
            tokio::spawn(refuse(stream));
            continue;
        };
        let counted = CountedConnection {
            peer: peer.ip(),
            _permit: Arc::new(permit),
            is_read: Arc::default(),
            share: Arc::new(Mutex::new(Box::new(share))),
        };
        let stream = SecurityHeaderStream::new(stream, &counted.is_read, security_lines());
        // The count moves with the connection, so that a connection that becomes a socket is still counted.
        let service = TowerToHyperService::new(routes.clone().layer(Extension(counted)));
        tokio::spawn(async move {
            let mut builder = http1::Builder::new();
            builder
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .max_buf_size(HEAD_BYTES);
            let connection = builder.serve_connection(TokioIo::new(stream), service);
            // A client that violates HTTP has received an error by then, or is gone.
            let _ = timeout(WHOLE, connection.with_upgrades()).await;
        });
    }
}

async fn refuse(mut stream: TcpStream) {
    let security = security_lines();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\n\
         {security}retry-after: {AGAIN_S}\r\nrefresh: {AGAIN_S}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{FULL}",
        FULL.len()
    );
    let _ = timeout(HEAD, stream.write_all(answer.as_bytes())).await;
}

/// Waits for a signal that ends the program.
async fn end_signal() -> io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminated = signal(SignalKind::terminate())?;
        let mut hung_up = signal(SignalKind::hangup())?;
        tokio::select! {
            done = tokio::signal::ctrl_c() => done,
            _ = terminated.recv() => Ok(()),
            _ = hung_up.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
