//! Takes connections: so many at a time, each with little time to say what it wants.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::visitors::Visitors;
use super::{WebOptions, pages};

/// Connections that ask for a page or begin a socket, at a time. A socket that stands is none of them.
const CONNECTIONS: usize = 512;
/// The time for the head of a request.
const HEAD: Duration = Duration::from_secs(5);
/// The time for a page in all.
const WHOLE: Duration = Duration::from_secs(30);
/// Bytes of a request's head at most.
const HEAD_BYTES: usize = 16 << 10;
/// The wait where the system has no room for a connection.
const BREATH: Duration = Duration::from_millis(50);

/// Said to whoever comes when there is no room for a connection.
const FULL: &str = "Too many people are coming at the moment. Try again in half a minute.";

pub(super) async fn listen(
    options: Arc<WebOptions>,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let listener = TcpListener::bind(options.listen).await?;
    let visitors = Arc::new(Visitors::new(options.limits));
    let routes = pages::routes(Arc::clone(&options), Arc::clone(&visitors));
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    ready(listener.local_addr()?);
    let mut end = std::pin::pin!(ended());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            signal = &mut end => {
                visitors.close().await;
                return signal;
            }
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, or a connection that was gone at once.
            sleep(BREATH).await;
            continue;
        };
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
            tokio::spawn(refuse(stream));
            continue;
        };
        let service = TowerToHyperService::new(routes.clone());
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
            drop(place);
        });
    }
}

async fn refuse(mut stream: TcpStream) {
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{FULL}",
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
