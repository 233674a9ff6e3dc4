//! Takes connections: so many at a time, each with little time to say what it wants.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use super::crowd::{Address, Crowd, Share, share_of};
use super::{AddressSource, WebOptions};

/// Connections at a time, from their first byte on until they have a page or a table.
const CONNECTIONS: usize = 512;
/// An address has one in so many of them.
const CONNECTION_PARTS: usize = 8;
/// The time for the head of a request.
const HEAD: Duration = Duration::from_secs(5);
/// The time for a page in all.
const WHOLE: Duration = Duration::from_secs(30);
/// Bytes of a request's head at most.
const HEAD_BYTES: usize = 16 << 10;
/// The wait where the system has no room for a connection.
const BREATH: Duration = Duration::from_millis(50);

/// Said to whoever comes when there is no room for a connection.
pub(super) const FULL: &str = "Too many people are coming at the moment. Try again in ten seconds.";

/// The place of a connection among all, and among those of its address.
#[derive(Clone, Debug)]
pub(super) struct Place {
    peer: IpAddr,
    connections: Arc<Crowd>,
    /// Held until the connection is gone, or has a table.
    _held: Arc<(OwnedSemaphorePermit, Share)>,
}

/// A socket among those of its address, until it has a table.
pub(super) struct Waiting {
    /// Whose it is, where that is known.
    pub(super) address: Option<Address>,
    _held: (Place, Share),
}

impl Place {
    /// Whose request it is, where that is known.
    pub(super) fn address(&self, source: &AddressSource, headers: &HeaderMap) -> Option<Address> {
        source.of(self.peer, headers)
    }

    /// The place of a socket that asks for a table; `None` where too many of its address do.
    pub(super) fn waiting(self, source: &AddressSource, headers: &HeaderMap) -> Option<Waiting> {
        let address = self.address(source, headers);
        // Whose connection it is was known before.
        let new = address.filter(|_| source.of_connection(self.peer).is_none());
        let share = self.connections.enter(new)?;
        Some(Waiting {
            address,
            _held: (self, share),
        })
    }
}

/// Serves routes until the process is told to end; `close` comes then. Calls `refused` if there was no room for a connection.
pub(super) async fn listen(
    options: Arc<WebOptions>,
    routes: Router,
    refused: impl Fn(),
    ready: impl FnOnce(SocketAddr),
    close: impl Future<Output = ()>,
) -> io::Result<()> {
    let listener = TcpListener::bind(options.listen).await?;
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let connections = Crowd::new(share_of(CONNECTIONS, CONNECTION_PARTS));
    ready(listener.local_addr()?);
    let mut end = std::pin::pin!(ended());
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
                    // Out of file descriptors, say.
                    refused();
                    sleep(BREATH).await;
                }
                continue;
            }
        };
        let share = connections.enter(options.addresses.of_connection(peer.ip()));
        let permit = Arc::clone(&room).try_acquire_owned().ok();
        let Some(held) = permit.zip(share) else {
            refused();
            tokio::spawn(refuse(stream));
            continue;
        };
        let place = Place {
            peer: peer.ip(),
            connections: Arc::clone(&connections),
            _held: Arc::new(held),
        };
        // A socket takes it on.
        let service = TowerToHyperService::new(routes.clone().layer(Extension(place)));
        tokio::spawn(async move {
            let mut builder = http1::Builder::new();
            builder
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .max_buf_size(HEAD_BYTES)
                .keep_alive(false);
            let connection = builder.serve_connection(TokioIo::new(stream), service);
            // Whoever breaks a rule of HTTP has been told by then, or is gone.
            let _ = timeout(WHOLE, connection.with_upgrades()).await;
        });
    }
}

async fn refuse(mut stream: TcpStream) {
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\n\
         retry-after: 10\r\nrefresh: 10\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{FULL}",
        FULL.len()
    );
    let _ = timeout(HEAD, stream.write_all(answer.as_bytes())).await;
}

/// Waits for a signal that ends the program.
async fn ended() -> io::Result<()> {
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
