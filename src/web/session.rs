//! One visitor: a process, and the window that shows its screen, if there is one now.
//!
//! The process outlives a lost connection for a while; a second window takes over the first. What a window does not
//! take is not read from the process either, which then waits: nothing piles up here.

#[cfg(all(test, unix))]
mod tests;

use std::io;
use std::process::Stdio;

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant, sleep_until, timeout};

use super::{Seated, WebLimits};
use debate_host::record::private_folder;

/// The wait for a process that takes no input, or does not end.
const PATIENCE: Duration = Duration::from_secs(3);
/// Bytes of a file that a visitor's process writes, and files that it has open, at most.
const FILE_BYTES: u64 = 16 << 20;
const OPEN_FILES: u64 = 128;
/// Columns and rows of a window, at most.
const MOST: (u16, u16) = (300, 100);

/// A window that shows a visitor's screen.
#[derive(Debug)]
pub(super) struct Window {
    /// Lines for it.
    pub(super) to: mpsc::Sender<String>,
    /// Lines from it; `None` closes the session.
    pub(super) from: Option<mpsc::Receiver<String>>,
    /// Columns and rows.
    pub(super) size: (u16, u16),
}

impl Window {
    /// Word that the session is over.
    pub(super) fn closing() -> Self {
        Self {
            to: mpsc::channel(1).0,
            from: None,
            size: (0, 0),
        }
    }
}

/// A visitor's process.
#[derive(Debug)]
pub(super) struct Running {
    process: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

/// Starts the process of a visitor, in a group of its own and within limits.
pub(super) fn start(seated: &Seated, limits: WebLimits) -> io::Result<Running> {
    private_folder(&seated.folder)?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(&seated.arguments)
        .args(["--screen", "json-lines", "--visitor"])
        .env("DEBATE_TUI_SAVES", &seated.folder)
        .env("DEBATE_TUI_CONFIG", seated.folder.join("config.ron"))
        .env("RAYON_NUM_THREADS", "1")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut process = command.spawn()?;
    limit(&process, limits)?;
    let gone = || io::Error::other("no pipe");
    Ok(Running {
        input: process.stdin.take().ok_or_else(gone)?,
        lines: BufReader::new(process.stdout.take().ok_or_else(gone)?).lines(),
        process,
    })
}

/// Lets a process take so much memory, time and disk. It waits for the size of its screen meanwhile.
#[cfg(target_os = "linux")]
fn limit(process: &Child, limits: WebLimits) -> io::Result<()> {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let pid = process
        .id()
        .and_then(|id| Pid::from_raw(id.try_into().ok()?));
    for (resource, most) in [
        (Resource::Data, limits.memory),
        (Resource::Cpu, limits.computing),
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
fn limit(_process: &Child, _limits: WebLimits) -> io::Result<()> {
    Ok(())
}

/// Why a session ends.
enum Ending {
    /// The process has ended by itself.
    Process,
    /// This sentence says it.
    Because(&'static str),
}

/// How a line with cells begins, and one that has all of them.
const FRAME: &str = r#"{"type":"frame""#;
const WHOLE_FRAME: &str = r#"{"type":"frame","size""#;

/// Runs a session until its process ends, or its time is over.
pub(super) async fn run(
    mut running: Running,
    mut windows: mpsc::Receiver<Window>,
    limits: WebLimits,
) {
    let begun = Instant::now();
    let mut changed = begun;
    let mut is_first = true;
    let mut to: Option<mpsc::Sender<String>> = None;
    let mut from: Option<mpsc::Receiver<String>> = None;
    // That of the window before: what it has sent comes first.
    let mut earlier: Option<mpsc::Receiver<String>> = None;
    // A line that the window has not taken yet.
    let mut pending: Option<String> = None;
    // Nothing is lost with a table at which nobody has done anything: it is not kept for who leaves it.
    let mut is_used = false;
    // True until a window has a whole frame: cells that changed before it came are another window's.
    let mut is_blank = true;
    // One that came while another thing was done.
    let mut queued: Option<Window> = None;
    let ending = loop {
        // Of a window that takes nothing the connection is closed.
        let patience = match &to {
            Some(_) => limits.idle,
            None if is_used || is_first => limits.away,
            None => Duration::ZERO,
        };
        let deadline = (changed + patience).min(begun + limits.longest);
        tokio::select! {
            window = next_window(&mut queued, &mut windows) => {
                let Some(Window { to: next, from: Some(lines), size }) = window else {
                    break Ending::Because("This server is being stopped. What you did is kept.");
                };
                if let Some(before) = to.replace(next) {
                    // It may take nothing any more.
                    let _ = before.try_send(json!({"type": "taken-over"}).to_string());
                }
                if let Some(before) = from.replace(lines) {
                    earlier = Some(before);
                }
                pending = None;
                is_blank = true;
                changed = Instant::now();
                let columns = size.0.clamp(1, MOST.0);
                let rows = size.1.clamp(1, MOST.1);
                let mut text = json!({"type": "size", "columns": columns, "rows": rows}).to_string();
                if !std::mem::take(&mut is_first) {
                    text.push_str("\n{\"type\":\"redraw\"}");
                }
                if !write(&mut running.input, text).await {
                    break Ending::Process;
                }
            }
            // Lines of the process wait for its first window.
            line = running.lines.next_line(), if pending.is_none() && !is_first => match line {
                // Nobody sees it: whoever comes gets everything anew.
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
                if begun.elapsed() >= limits.longest {
                    break Ending::Because("The time for one visit is over. What you did is kept.");
                }
                break Ending::Because(if to.is_some() {
                    "Nothing was typed for a long time. What you did is kept: load this page again to go on."
                } else {
                    ""
                });
            }
        }
    };
    // Whoever comes now begins anew.
    windows.close();
    let last = match ending {
        Ending::Process => json!({"type": "left"}),
        Ending::Because(why) => json!({"type": "closed", "why": why}),
    };
    // A process that takes no input any more may have said why.
    let hears = to.as_ref().filter(|_| matches!(ending, Ending::Process));
    end(running, hears).await;
    if let Some(to) = to {
        let _ = timeout(PATIENCE, to.send(last.to_string())).await;
    }
}

/// The window that is next; `None` where no more come.
async fn next_window(
    queued: &mut Option<Window>,
    windows: &mut mpsc::Receiver<Window>,
) -> Option<Window> {
    match queued.take() {
        None => windows.recv().await,
        window => window,
    }
}

/// True if a line from a window is something that a person did.
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

/// The next line; `None` where the window is gone.
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

/// Gives a line to the process; `false`: it takes none.
async fn write(input: &mut ChildStdin, mut text: String) -> bool {
    text.push('\n');
    let written = timeout(PATIENCE, input.write_all(text.as_bytes())).await;
    matches!(written, Ok(Ok(())))
}

/// Lets a process end by itself, else ends it with all that it has started. Tells its last lines to the window.
async fn end(running: Running, window: Option<&mpsc::Sender<String>>) {
    let Running {
        mut process,
        input,
        mut lines,
    } = running;
    #[cfg(unix)]
    let group = process.id();
    drop(input);
    let ends = async {
        // It may be writing.
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
            // It may have ended this moment.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = process.kill().await;
    }
}
