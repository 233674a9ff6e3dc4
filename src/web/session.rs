//! One visitor's session: a process, and the window that currently shows its screen, if any.
//!
//! The process outlives a lost connection for a limited time. A second window replaces the first one. If a window is
//! slow to read, the session stops reading from the process, which then blocks. No output accumulates here.

#[cfg(all(test, unix))]
mod tests;

use std::io;
use std::process::Stdio;

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep_until, timeout};

use super::{Visitor, WebLimits};
use debate_host::record::create_private_folder;

/// Timeout for a visitor's process that accepts no input or does not end.
const PATIENCE: Duration = Duration::from_secs(3);
/// Upper limits on the bytes of a file that a visitor's process writes, and on its open files.
const FILE_BYTES: u64 = 16 << 20;
const OPEN_FILES: u64 = 128;
/// Upper limits on the columns and rows of a browser window.
const MAX_SIZE: (u16, u16) = (300, 100);

/// A browser window that shows a visitor's screen.
#[derive(Debug)]
pub(super) struct ConnectedBrowserWindow {
    /// Sender of lines to the browser window.
    pub(super) outgoing: mpsc::Sender<String>,
    /// Receiver of lines from the browser window. The field is `None` only in
    /// [`Self::window_that_ends_session`]; a session that gets such a window ends.
    pub(super) incoming: Option<mpsc::Receiver<String>>,
    /// The size of the browser window in columns and rows.
    pub(super) size: (u16, u16),
}

impl ConnectedBrowserWindow {
    /// Returns a window without a receiver. If a session receives it in place of a new browser window, the session
    /// ends.
    pub(super) fn window_that_ends_session() -> Self {
        Self {
            outgoing: mpsc::channel(1).0,
            incoming: None,
            size: (0, 0),
        }
    }
}

/// A visitor's process.
#[derive(Debug)]
pub(super) struct VisitorProcess {
    process: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

/// Starts the process that runs a visitor's game: on Unix in a separate process group, on Linux within limits.
pub(super) fn start_process(visitor: &Visitor, limits: WebLimits) -> io::Result<VisitorProcess> {
    create_private_folder(&visitor.folder)?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(&visitor.arguments)
        .args(["--screen", "json-lines", "--visitor"])
        .env("DEBATE_TUI_SAVES", &visitor.folder)
        .env("DEBATE_TUI_CONFIG", visitor.folder.join("config.ron"))
        .env("RAYON_NUM_THREADS", "1")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut process = command.spawn()?;
    set_process_limits(&process, limits)?;
    let gone = || io::Error::other("no pipe");
    Ok(VisitorProcess {
        input: process.stdin.take().ok_or_else(gone)?,
        lines: BufReader::new(process.stdout.take().ok_or_else(gone)?).lines(),
        process,
    })
}

/// Sets the limits of a visitor's process on memory, CPU time, file sizes, open files and core dumps. Meanwhile the
/// process waits for the size of its screen.
#[cfg(target_os = "linux")]
fn set_process_limits(process: &Child, limits: WebLimits) -> io::Result<()> {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let pid = process
        .id()
        .and_then(|id| Pid::from_raw(id.try_into().ok()?));
    for (resource, most) in [
        (Resource::Data, limits.memory_bytes),
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::Fsize, FILE_BYTES),
        (Resource::Nofile, OPEN_FILES),
        (Resource::Core, 0),
    ] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        prlimit(pid, resource, limit)?;
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn set_process_limits(_process: &Child, _limits: WebLimits) -> io::Result<()> {
    Ok(())
}

/// The reason why a visitor's session ends.
enum Ending {
    /// The process exited.
    Process,
    /// The server ends the session, and the browser window shows this sentence.
    Because(&'static str),
}

/// Prefixes of a line with the changed cells of the screen, and of a line with all its cells.
const FRAME: &str = r#"{"type":"frame""#;
const WHOLE_FRAME: &str = r#"{"type":"frame","size""#;

/// Runs a visitor's session until its process ends, its time is over, or the server stops.
pub(super) async fn run_session(
    mut running: VisitorProcess,
    mut windows: mpsc::Receiver<ConnectedBrowserWindow>,
    limits: WebLimits,
) {
    let begun = Instant::now();
    let mut changed = begun;
    let mut is_first = true;
    let mut to: Option<mpsc::Sender<String>> = None;
    let mut from: Option<mpsc::Receiver<String>> = None;
    // The receiver of the previous window: lines that it has sent come first.
    let mut earlier: Option<mpsc::Receiver<String>> = None;
    // The line of the process that the window has not accepted yet.
    let mut pending: Option<String> = None;
    // An unused session has no moves to lose, so it ends with its window.
    let mut is_used = false;
    // True until the window has a whole frame. Changes of cells before that belong to the previous window's frame.
    let mut is_blank = true;
    // A window that connected while another event was handled.
    let mut queued: Option<ConnectedBrowserWindow> = None;
    let ending = loop {
        // The socket closes the connection of a window that accepts no data.
        let patience = match &to {
            Some(_) => limits.idle_timeout,
            None if is_used || is_first => limits.reconnect_time,
            None => Duration::ZERO,
        };
        let deadline = (changed + patience).min(begun + limits.max_lifetime);
        tokio::select! {
            window = next_window(&mut queued, &mut windows) => {
                let Some(ConnectedBrowserWindow { outgoing: next, incoming: Some(lines), size }) = window else {
                    break Ending::Because("This server is stopping. Your progress is saved.");
                };
                if let Some(before) = to.replace(next) {
                    // The previous window may no longer accept data.
                    let _ = before.try_send(json!({"type": "taken-over"}).to_string());
                }
                if let Some(before) = from.replace(lines) {
                    earlier = Some(before);
                }
                pending = None;
                is_blank = true;
                changed = Instant::now();
                let columns = size.0.clamp(1, MAX_SIZE.0);
                let rows = size.1.clamp(1, MAX_SIZE.1);
                let mut text = json!({"type": "size", "columns": columns, "rows": rows}).to_string();
                if !std::mem::take(&mut is_first) {
                    text.push_str("\n{\"type\":\"redraw\"}");
                }
                if !write(&mut running.input, text).await {
                    break Ending::Process;
                }
            }
            // Lines of the process wait for the first window.
            line = running.lines.next_line(), if pending.is_none() && !is_first => match line {
                // Without a window, lines are dropped: the next window gets a complete redraw.
                Ok(Some(_)) if to.is_none() => {}
                Ok(Some(line)) => {
                    is_blank &= !line.starts_with(WHOLE_FRAME);
                    if !(is_blank && line.starts_with(FRAME)) {
                        changed = Instant::now();
                        pending = Some(line);
                    }
                }
                Ok(None) | Err(_) => break Ending::Process,
            },
            permit = reserve(to.clone()), if pending.is_some() && to.is_some() => {
                match (permit, pending.take()) {
                    (Some(permit), Some(line)) => drop(permit.send(line)),
                    _ => to = None,
                }
                changed = Instant::now();
            }
            text = receive(&mut earlier, from.as_mut()), if from.is_some() && pending.is_none() => {
                changed = Instant::now();
                if let Some(text) = text {
                    is_used |= is_move(&text);
                    if !write(&mut running.input, text).await {
                        break Ending::Process;
                    }
                } else {
                    // The connection is lost.
                    to = None;
                    from = None;
                }
            }
            () = sleep_until(deadline) => {
                if let Ok(window) = windows.try_recv() {
                    queued = Some(window);
                    continue;
                }
                if begun.elapsed() >= limits.max_lifetime {
                    break Ending::Because("The time for one visit is over. Your progress is saved.");
                }
                break Ending::Because(if to.is_some() {
                    "There was no input for a long time. Your progress is saved: load this page again to continue."
                } else {
                    ""
                });
            }
        }
    };
    // A window that connects from now on starts a new session.
    windows.close();
    let last = match ending {
        Ending::Process => json!({"type": "left"}),
        Ending::Because(why) => json!({"type": "closed", "why": why}),
    };
    // A process that no longer accepts input may have printed the reason.
    let hears = to.as_ref().filter(|_| matches!(ending, Ending::Process));
    end_process(running, hears).await;
    if let Some(to) = to {
        let _ = timeout(PATIENCE, to.send(last.to_string())).await;
    }
}

/// Waits for the next window that shows the session; `None` if there are no more.
async fn next_window(
    queued: &mut Option<ConnectedBrowserWindow>,
    windows: &mut mpsc::Receiver<ConnectedBrowserWindow>,
) -> Option<ConnectedBrowserWindow> {
    match queued.take() {
        None => windows.recv().await,
        window => window,
    }
}

/// True if a line from a browser window reports an action of its user.
fn is_move(line: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct Line {
        #[serde(rename = "type")]
        kind: String,
    }
    serde_json::from_str(line)
        .is_ok_and(|line: Line| matches!(&*line.kind, "key" | "paste" | "mouse"))
}

async fn reserve(to: Option<mpsc::Sender<String>>) -> Option<mpsc::OwnedPermit<String>> {
    to?.reserve_owned().await.ok()
}

/// Waits for the next line from the session's window; `None` if the window is gone.
async fn receive(
    earlier: &mut Option<mpsc::Receiver<String>>,
    from: Option<&mut mpsc::Receiver<String>>,
) -> Option<String> {
    let from = from?;
    if let Some(before) = earlier {
        tokio::select! {
            biased;
            line = before.recv() => match line {
                Some(line) => return Some(line),
                None => *earlier = None,
            },
            line = from.recv() => return line,
        }
    }
    from.recv().await
}

/// Writes a line to the visitor's process. Returns false if the process does not accept it.
async fn write(input: &mut ChildStdin, mut text: String) -> bool {
    text.push('\n');
    let written = timeout(PATIENCE, input.write_all(text.as_bytes())).await;
    matches!(written, Ok(Ok(())))
}

/// Waits for the visitor's process to exit, or kills it and its process group. Forwards its last lines to the window.
async fn end_process(running: VisitorProcess, window: Option<&mpsc::Sender<String>>) {
    let VisitorProcess {
        mut process,
        input,
        mut lines,
    } = running;
    #[cfg(unix)]
    let group = process.id();
    drop(input);
    let ends = async {
        // The process may still be writing.
        while let Ok(Some(line)) = lines.next_line().await {
            if let Some(window) = window.filter(|_| !line.starts_with(FRAME)) {
                let _ = window.send(line).await;
            }
        }
        process.wait().await
    };
    if timeout(PATIENCE, ends).await.is_err() {
        #[cfg(unix)]
        if let Some(group) =
            group.and_then(|id| rustix::process::Pid::from_raw(id.try_into().ok()?))
        {
            // The process may have exited at this moment.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = process.kill().await;
    }
}
