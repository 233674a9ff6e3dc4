//! One window's connection: lines of the screen in either direction.

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, interval, sleep_until, timeout};

use super::crowd::Address;
use super::listener::Waiting;
use super::pages::Server;
use super::session::Window;
use super::{Arrival, Seated};

/// Bytes of a message from a window at most.
pub(super) const MAX_MESSAGE: usize = 64 << 10;
/// Bytes that are read and written at once.
pub(super) const BUFFER: usize = 4 << 10;
/// The time for the first message.
const HELLO: Duration = Duration::from_secs(10);
/// A refusal comes so long after the window.
const REFUSAL: Duration = Duration::from_secs(1);
/// How often a silent window is asked whether it is there, and how long it may be silent.
const PING: Duration = Duration::from_secs(25);
const SILENT: Duration = Duration::from_secs(80);
/// Messages at once, and a second, at most: faster ones wait.
const BURST: f64 = 200.0;
const RATE: f64 = 60.0;

/// Talks with a window until it is gone or nobody has more to say to it.
pub(super) async fn talk(mut socket: WebSocket, server: Server, waiting: Waiting) {
    let taken = server.options.limits.taken;
    let (to, outgoing) = mpsc::channel(4);
    let (incoming, from) = mpsc::channel(64);
    let hello = timeout(HELLO, socket.recv()).await;
    let came = Instant::now();
    let seated = match hello {
        Ok(Some(Ok(Message::Text(text)))) => {
            welcome(text.as_str(), &server, to, from, waiting.address)
        }
        Ok(Some(Ok(Message::Binary(_)))) => Err("This is not a page of this program.".to_owned()),
        Ok(Some(Err(_))) => Err(too_long()),
        _ => return,
    };
    let first = match &seated {
        Ok(seated) => json!({"type": "seated", "secret": seated.secret}),
        Err(why) => json!({"type": "refused", "why": why}),
    };
    if seated.is_err() {
        // How long it takes tells nothing of what was wrong.
        sleep_until(came + REFUSAL).await;
    }
    if !send(&mut socket, Message::text(first.to_string()), taken).await {
        return;
    }
    // From here on it is one of the visitors.
    drop(waiting);
    if seated.is_ok() {
        pass(&mut socket, outgoing, incoming, taken).await;
    }
    send(&mut socket, Message::Close(None), taken).await;
}

/// Reads the first message and leads the window to its session.
fn welcome(
    text: &str,
    server: &Server,
    to: mpsc::Sender<String>,
    from: mpsc::Receiver<String>,
    address: Option<Address>,
) -> Result<Seated, String> {
    let arrival: Arrival = serde_json::from_str(text)
        .map_err(|error| format!("The first message is not understood: {error}."))?;
    let window = Window {
        to,
        from: Some(from),
        size: (arrival.columns, arrival.rows),
    };
    server.visitors.seat(&arrival, window, address)
}

async fn pass(
    socket: &mut WebSocket,
    mut outgoing: mpsc::Receiver<String>,
    incoming: mpsc::Sender<String>,
    taken: Duration,
) {
    let mut ping = interval(PING);
    let mut heard = Instant::now();
    let mut left = BURST;
    let mut at = Instant::now();
    // Room for the next message of the window: without it none is read.
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
                // The session is over; what it said last is still to come.
                Err(_) => break,
            },
            message = socket.recv(), if room.is_some() && may_speak => {
                heard = Instant::now();
                match message {
                    Some(Ok(Message::Text(text))) => {
                        left -= 1.0;
                        if let Some(room) = room.take() {
                            // A line is a line.
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
    format!("A message may have {MAX_MESSAGE} bytes at most.")
}

/// Sends a message; false where it is not taken in time, or the connection is lost.
async fn send(socket: &mut WebSocket, message: Message, taken: Duration) -> bool {
    matches!(timeout(taken, socket.send(message)).await, Ok(Ok(())))
}
