//! The connection of one browser window, which carries lines of JSON in both directions: frames and input.

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, interval, sleep_until, timeout};

use super::address_limits::VisitorAddress;
use super::listener::WebSocketBeforeGame;
use super::pages::WebGameHandlerState;
use super::session::ConnectedBrowserWindow;
use super::{Visitor, WindowHello};

/// Upper limit on the bytes of a message from a browser window.
pub(super) const MAX_MESSAGE: usize = 64 << 10;
/// Size in bytes of the WebSocket's read and write buffers.
pub(super) const BUFFER: usize = 4 << 10;
/// Timeout for the first message.
const HELLO: Duration = Duration::from_secs(10);
/// Delay between the first message of a browser window and the refusal of this window. With it, the time of the refusal
/// does not depend on the reason.
const REFUSAL: Duration = Duration::from_secs(1);
/// Interval of pings to a window, and the time after which a window that sends nothing counts as gone.
const PING: Duration = Duration::from_secs(25);
const SILENT: Duration = Duration::from_secs(80);
/// Upper limits on a burst of messages and on messages per second. If messages arrive faster, the server delays reading
/// them.
const BURST: f64 = 200.0;
const RATE: f64 = 60.0;

/// Exchanges lines with a browser window until the window or its session is gone.
pub(super) async fn exchange_messages(
    mut socket: WebSocket,
    server: WebGameHandlerState,
    waiting: WebSocketBeforeGame,
) {
    let taken = server.options.limits.send_timeout;
    let (to, outgoing) = mpsc::channel(4);
    let (incoming, from) = mpsc::channel(64);
    let hello = timeout(HELLO, socket.recv()).await;
    let came = Instant::now();
    let seated = match hello {
        Ok(Some(Ok(Message::Text(text)))) => {
            join_session(text.as_str(), &server, to, from, waiting.address)
        }
        Ok(Some(Ok(Message::Binary(_)))) => {
            Err("This connection is not from a page of this program.".to_owned())
        }
        Ok(Some(Err(_))) => Err(too_long()),
        _ => return,
    };
    let first = match &seated {
        Ok(seated) => json!({"type": "seated", "secret": seated.secret}),
        Err(why) => json!({"type": "refused", "why": why}),
    };
    if seated.is_err() {
        // With the delay, the time of the refusal does not depend on its reason.
        sleep_until(came + REFUSAL).await;
    }
    if !send(&mut socket, Message::text(first.to_string()), taken).await {
        return;
    }
    // From here on the window counts as a visitor, not as a waiting connection.
    drop(waiting);
    if seated.is_ok() {
        relay_lines(&mut socket, outgoing, incoming, taken).await;
    }
    send(&mut socket, Message::Close(None), taken).await;
}

/// Reads a window's first message, and passes the window to its visitor's session.
fn join_session(
    text: &str,
    server: &WebGameHandlerState,
    to: mpsc::Sender<String>,
    from: mpsc::Receiver<String>,
    address: Option<VisitorAddress>,
) -> Result<Visitor, String> {
    let hello: WindowHello = serde_json::from_str(text)
        .map_err(|error| format!("The page's first message is not understood: {error}."))?;
    let window = ConnectedBrowserWindow {
        outgoing: to,
        incoming: Some(from),
        size: (hello.columns, hello.rows),
    };
    server.visitors.admit_window(&hello, window, address)
}

async fn relay_lines(
    socket: &mut WebSocket,
    mut outgoing: mpsc::Receiver<String>,
    incoming: mpsc::Sender<String>,
    taken: Duration,
) {
    let mut ping = interval(PING);
    let mut heard = Instant::now();
    let mut left = BURST;
    let mut at = Instant::now();
    // A free slot in the session's queue for the window's next message. Without one, no message is read.
    let mut room = None;
    loop {
        left = (left + at.elapsed().as_secs_f64() * RATE).min(BURST);
        at = Instant::now();
        let may_speak = left >= 1.0;
        let again = at + Duration::from_secs_f64(1.0 / RATE);
        tokio::select! {
            line = outgoing.recv() => match line {
                Some(line) => if !send(socket, Message::text(line), taken).await {
                    return;
                },
                None => return,
            },
            permit = incoming.reserve(), if room.is_none() => match permit {
                Ok(permit) => room = Some(permit),
                // The session is over; its last lines are still to be sent.
                Err(_) => break,
            },
            message = socket.recv(), if room.is_some() && may_speak => {
                heard = Instant::now();
                match message {
                    Some(Ok(Message::Text(text))) => {
                        left -= 1.0;
                        if let Some(room) = room.take() {
                            // The process reads one message per line, so line breaks are removed.
                            room.send(text.as_str().replace(['\n', '\r'], " "));
                        }
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => left -= 1.0,
                    Some(Ok(Message::Binary(_) | Message::Close(_))) | None => return,
                    Some(Err(_)) => {
                        let frame = CloseFrame {
                            code: close_code::SIZE,
                            reason: too_long().into(),
                        };
                        send(socket, Message::Close(Some(frame)), taken).await;
                        return;
                    }
                }
            }
            () = sleep_until(again), if !may_speak => {}
            _ = ping.tick() => {
                let is_gone = heard.elapsed() > SILENT;
                if is_gone || !send(socket, Message::Ping(Bytes::new()), taken).await {
                    return;
                }
            }
        }
    }
    while let Some(line) = outgoing.recv().await {
        if !send(socket, Message::text(line), taken).await {
            return;
        }
    }
}

fn too_long() -> String {
    format!("A message from the browser may have at most {MAX_MESSAGE} bytes.")
}

/// Sends a message to the window. Returns false if it is not accepted in time, or if the connection is lost.
async fn send(socket: &mut WebSocket, message: Message, taken: Duration) -> bool {
    matches!(timeout(taken, socket.send(message)).await, Ok(Ok(())))
}
