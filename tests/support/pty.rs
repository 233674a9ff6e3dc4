//! A pseudo-terminal that runs a program, read through a terminal emulator.

use std::{
    env,
    io::{Read, Write},
    num::NonZero,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Instant,
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::BEGIN;
use super::patience::{PATIENCE, wait_until};
use super::probe::ASKED;
#[cfg(target_os = "linux")]
use super::probe::RELEASED;
#[cfg(target_os = "linux")]
use super::threads::{State, threads, wait_for_events};

/// A byte that no program writes. [`Pty::settle`] writes it after the program's output. When the reading thread finds
/// the byte, it has read all of that output.
const MARK: u8 = 0x16;

pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Output>,
    modes_before: String,
    folder: TempDir,
}

/// The output of a program, with a signal for new output.
struct Output {
    seen: Mutex<Seen>,
    news: Condvar,
}

struct Seen {
    bytes: Vec<u8>,
    parser: vt100::Parser,
    /// The number of [`MARK`]s read.
    marks: usize,
    /// True once every process that had the terminal open has closed it.
    ended: bool,
}

impl Output {
    fn change<T>(&self, change: impl FnOnce(&mut Seen) -> T) -> T {
        let changed = change(&mut self.seen.lock().unwrap());
        self.news.notify_all();
        changed
    }

    /// Reads the output of a program to its end.
    fn read(&self, mut output: impl Read) {
        let mut part = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut part) {
            self.change(|seen| {
                let pieces = part[..count].split(|byte| *byte == MARK);
                seen.marks += pieces.clone().count() - 1;
                for piece in pieces {
                    seen.bytes.extend_from_slice(piece);
                    seen.parser.process(piece);
                }
            });
        }
        self.change(|seen| seen.ended = true);
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

fn nonzero(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

fn probe_command() -> CommandBuilder {
    let mut command = CommandBuilder::new(env::current_exe().unwrap());
    command.args([
        "--exact",
        "terminal::probe",
        "--nocapture",
        "--test-threads=1",
    ]);
    command
}

/// A shell that runs a command as a job. It prints a line when the job stops, and continues the job after a line of
/// input.
fn under_shell(command: &CommandBuilder) -> CommandBuilder {
    let script = r#""$@"; echo shell-has-it; read line; fg; echo shell-is-done"#;
    let mut shell = CommandBuilder::new("sh");
    shell.args(["-mc", script, "sh"]);
    shell.args(command.get_argv());
    shell
}

fn prepare(command: &mut CommandBuilder) -> TempDir {
    let folder = TempDir::new().unwrap();
    command.env(ASKED, folder.path().join("save"));
    command.env("DEBATE_TUI_SAVES", folder.path());
    // The other players move only when a test presses a key.
    let config = folder.path().join("config.ron");
    std::fs::write(&config, "(auto_play: false, animation: false)").unwrap();
    command.env("DEBATE_TUI_CONFIG", config);
    command.env("LC_ALL", "C.UTF-8");
    command.env("TERM", "xterm-256color");
    command.env_remove("COLORTERM");
    folder
}

fn wait_for_end(child: &mut Box<dyn Child + Send + Sync>) -> u32 {
    wait_until("the end of the program", || {
        let status = child.try_wait().unwrap()?;
        Some(status.exit_code())
    })
}

/// A probe whose output nobody reads after it is ready, so that it blocks in writing.
struct Unread {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    /// Dropped only after the probe has ended.
    _folder: TempDir,
}

fn unread_probe() -> Unread {
    let mut command = probe_command();
    let folder = prepare(&mut command);
    let pair = native_pty_system().openpty(size(80, 24)).unwrap();
    let child = pair.slave.spawn_command(command).unwrap();
    let mut output = pair.master.try_clone_reader().unwrap();
    let mut seen = String::new();
    let mut part = [0; 4096];
    while !seen.contains("keys=0") {
        let count = output.read(&mut part).unwrap();
        seen.push_str(&String::from_utf8_lossy(&part[..count]));
    }
    Unread {
        master: pair.master,
        child,
        _folder: folder,
    }
}

/// Closes the terminal under the probe, as closing its window does, and waits for the probe to end.
pub fn hang_up() {
    let mut probe = unread_probe();
    // The system hangs up only after every handle is closed.
    drop(probe.master);
    wait_for_end(&mut probe.child);
}

/// Terminates a probe that is blocked in writing. Returns its exit code.
#[cfg(target_os = "linux")]
pub fn terminate_while_unread() -> u32 {
    let mut probe = unread_probe();
    let mut keyboard = probe.master.take_writer().unwrap();
    keyboard.write_all(b"f").unwrap();
    let id = probe.child.process_id().unwrap();
    wait_until("a probe that is stuck", || {
        let threads = threads(id);
        let mut states = threads.iter().map(|thread| thread.state);
        states.find(|state| *state == State::Writing)
    });
    send(&*probe.child, Signal::TERM);
    wait_for_end(&mut probe.child)
}

fn send(child: &(dyn Child + Send + Sync), signal: Signal) {
    let id = child.process_id().unwrap().try_into().unwrap();
    kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
}

impl Pty {
    pub fn probe() -> Self {
        Self::probe_with(&[])
    }

    pub fn probe_with(variables: &[(&str, &str)]) -> Self {
        let mut command = probe_command();
        for (name, value) in variables {
            command.env(name, value);
        }
        let pty = Self::spawn(command);
        pty.wait_for("keys=0");
        pty
    }

    /// Starts the program itself, with saves in a separate folder.
    pub fn program(arguments: &[&str]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_debate-tui"));
        command.args(arguments);
        Self::spawn(command)
    }

    /// Starts the program itself with these variables, in a terminal of this size.
    pub fn program_at(
        arguments: &[&str],
        (columns, rows): (u16, u16),
        variables: &[(&str, &str)],
    ) -> Self {
        Self::other(
            env!("CARGO_BIN_EXE_debate-tui"),
            arguments,
            (columns, rows),
            variables,
        )
    }

    /// Starts another program with these variables, in a terminal of this size.
    pub fn other(
        program: &str,
        arguments: &[&str],
        (columns, rows): (u16, u16),
        variables: &[(&str, &str)],
    ) -> Self {
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        // The variables of the test replace inherited ones.
        let folder = prepare(&mut command);
        for (name, value) in variables {
            command.env(name, value);
        }
        Self::spawn_in(command, folder, (columns, rows))
    }

    /// Starts the program itself on a terminal of this kind (`TERM`), or without a kind.
    pub fn program_on(kind: Option<&str>, arguments: &[&str]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_debate-tui"));
        command.args(arguments);
        let folder = prepare(&mut command);
        match kind {
            Some(kind) => command.env("TERM", kind),
            None => command.env_remove("TERM"),
        }
        Self::spawn_in(command, folder, (80, 24))
    }

    /// Closes the briefing, which a debate shows before its first move.
    pub fn begin(&mut self) {
        self.wait_for(BEGIN);
        self.type_in("\r");
        self.wait_until("a debate", |shown| !shown.contains(BEGIN));
    }

    /// The saves that the program has written.
    pub fn saves(&self) -> Vec<std::path::PathBuf> {
        let mut saves = debate_host::record::list_save_files(self.folder.path()).unwrap();
        // The settings are in the same folder.
        saves.retain(|path| !path.ends_with("config.ron"));
        saves
    }

    /// Starts the probe as the job of a shell that continues it after a line of input.
    pub fn probe_under_shell() -> Self {
        let pty = Self::spawn(under_shell(&probe_command()));
        pty.wait_for("keys=0");
        pty
    }

    /// Starts the program itself as such a job.
    pub fn program_under_shell(arguments: &[&str]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_debate-tui"));
        command.args(arguments);
        Self::spawn(under_shell(&command))
    }

    fn spawn(mut command: CommandBuilder) -> Self {
        let folder = prepare(&mut command);
        Self::spawn_in(command, folder, (80, 24))
    }

    fn spawn_in(command: CommandBuilder, folder: TempDir, (columns, rows): (u16, u16)) -> Self {
        let pair = native_pty_system().openpty(size(columns, rows)).unwrap();
        let modes_before = format!("{:?}", pair.master.get_termios().unwrap());
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let seen = Arc::new(Output {
            seen: Mutex::new(Seen {
                bytes: Vec::new(),
                parser: vt100::Parser::new(nonzero(rows), nonzero(columns), 0),
                marks: 0,
                ended: false,
            }),
            news: Condvar::new(),
        });
        let output = pair.master.try_clone_reader().unwrap();
        let shared = Arc::clone(&seen);
        thread::spawn(move || shared.read(output));
        let keyboard = pair.master.take_writer().unwrap();
        Self {
            master: pair.master,
            keyboard,
            child,
            seen,
            modes_before,
            folder,
        }
    }

    pub fn type_in(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        self.seen.change(|seen| {
            let screen = seen.parser.screen_mut();
            screen.set_size(nonzero(rows), nonzero(columns));
        });
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// Changes the window size for the program, but not for the emulator.
    pub fn claim_size(&self, columns: u16, rows: u16) {
        self.master.resize(size(columns, rows)).unwrap();
    }

    pub fn signal(&self, signal: Signal) {
        send(&*self.child, signal);
    }

    /// Signals the shell's foreground job.
    pub fn signal_probe(&self, signal: Signal) {
        let id = self.master.process_group_leader().unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    pub fn screen<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.seen.seen.lock().unwrap().parser.screen())
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.seen.seen.lock().unwrap().bytes.clone()
    }

    /// Waits until the program has written these bytes.
    pub fn wait_for_bytes(&self, wanted: &str) {
        self.wait(wanted, |seen| {
            String::from_utf8_lossy(&seen.bytes).contains(wanted)
        });
    }

    pub fn wait_for(&self, text: &str) {
        self.wait(text, |seen| seen.parser.screen().contents().contains(text));
    }

    /// Waits until the screen shows exactly these contents.
    pub fn wait_until_shown(&self, contents: &str) {
        self.wait_until("the same picture", |shown| shown == contents);
    }

    /// Waits until `shown` accepts the text of the screen, which may be a partial frame.
    pub fn wait_until(&self, what: &str, shown: impl Fn(&str) -> bool) {
        self.wait(what, |seen| shown(&seen.parser.screen().contents()));
    }

    /// Types the same keys until the screen shows a text, each time after the program has become idle.
    pub fn type_until(&mut self, keys: &str, text: &str) {
        self.settle();
        for _ in 0..200 {
            if self.screen(|screen| screen.contents().contains(text)) {
                return;
            }
            self.type_in(keys);
            self.settle();
        }
        panic!("{text} did not come after 200 times {keys:?}");
    }

    fn wait(&self, what: &str, arrived: impl Fn(&Seen) -> bool) {
        let start = Instant::now();
        let mut seen = self.seen.seen.lock().unwrap();
        while !arrived(&seen) {
            let left = PATIENCE.saturating_sub(start.elapsed());
            if left.is_zero() {
                let shown = seen.parser.screen().contents();
                drop(seen);
                panic!("{what} did not come:\n{shown}");
            }
            seen = self.seen.news.wait_timeout(seen, left).unwrap().0;
        }
    }

    pub fn number_after(&self, name: &str) -> usize {
        let text = self.screen(vt100::Screen::contents);
        let (_, rest) = text.split_once(name).unwrap();
        rest.split(' ').next().unwrap().parse().unwrap()
    }

    pub fn exit_code(&mut self) -> u32 {
        let code = wait_for_end(&mut self.child);
        self.wait("the last output", |seen| seen.ended);
        code
    }

    /// Asserts that the terminal is in the state that a shell expects, and that every mode was left by its own
    /// sequence.
    pub fn assert_restored(&self) {
        self.screen(|screen| {
            assert!(!screen.alternate_screen(), "on the alternate screen");
            assert!(!screen.hide_cursor(), "without a cursor");
            assert!(!screen.bracketed_paste(), "in bracketed paste");
            assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        });
        let bytes = self.bytes();
        let mut rest = &bytes[..];
        for left in [
            "?1006l", "?1002l", "?1000l", "?2004l", "0m", "?25h", "?1049l",
        ] {
            let sequence = format!("\x1b[{left}");
            let at = rest
                .windows(sequence.len())
                .rposition(|w| w == sequence.as_bytes());
            rest = &rest[at.unwrap_or_else(|| panic!("{left} is missing or early"))..];
        }
        let modes = self.master.get_termios().unwrap();
        assert_eq!(format!("{modes:?}"), self.modes_before);
    }

    pub fn assert_told_after_leaving(&self, message: &str) {
        let bytes = self.bytes();
        let text = String::from_utf8_lossy(&bytes);
        let (_, after) = text.rsplit_once("\x1b[?1049l").unwrap();
        assert!(after.contains(message), "{text:?}");
    }

    /// Creates the file for which the probe waits once it is held.
    #[cfg(target_os = "linux")]
    pub fn release_probe(&self) {
        std::fs::write(self.folder.path().join(RELEASED), "").unwrap();
    }

    fn id(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Opens the program's side of the terminal. It becomes no process's controlling terminal.
    fn program_side(&self) -> std::io::Result<std::fs::File> {
        use std::os::unix::fs::OpenOptionsExt as _;

        /// `O_NOCTTY` of Linux, which is the same on all its common architectures.
        const NO_CONTROLLING_TERMINAL: i32 = 0o400;
        let path: PathBuf = self.master.tty_name().expect("a terminal has a name");
        let mut options = std::fs::File::options();
        options.read(true).write(true);
        if cfg!(target_os = "linux") {
            options.custom_flags(NO_CONTROLLING_TERMINAL);
        }
        options.open(path)
    }

    /// Returns true if the program has read every typed byte. The system delivers typed bytes with a delay; `poll`
    /// waits for the delivery.
    #[cfg(target_os = "linux")]
    fn has_read_all_keys(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let side = self.program_side().unwrap();
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let mut keys = [PollFd::new(&side, PollFlags::IN)];
        poll(&mut keys, Some(&now)).unwrap() == 0
    }

    /// Waits until the program has read every typed key and waits for the next one without a time limit. The screen
    /// then changes only after a key or a signal. Ignores the thread that measures the time of a study's page, because
    /// it does not draw. Returns the total number of bytes that the program has written.
    #[cfg(target_os = "linux")]
    pub fn settle(&self) -> usize {
        wait_until("a program without work", || {
            let is_idle = wait_for_events(
                self.id(),
                |thread| thread != "shown-time",
                || self.has_read_all_keys(),
            );
            (is_idle || self.seen.seen.lock().unwrap().ended).then_some(())
        });
        self.read_all_output()
    }

    /// Waits until two polls find the same screen, because other systems do not report if a thread waits.
    #[cfg(not(target_os = "linux"))]
    pub fn settle(&self) -> usize {
        let mut before = None;
        wait_until("a program without work", || {
            let now = Some(self.screen(vt100::Screen::contents));
            thread::sleep(std::time::Duration::from_millis(300));
            (std::mem::replace(&mut before, now.clone()) == now).then_some(())
        });
        self.read_all_output()
    }

    /// Waits until all of the program's output is read. Returns the number of bytes.
    fn read_all_output(&self) -> usize {
        let mark = self.seen.seen.lock().unwrap().marks + 1;
        // The terminal may be gone; then `ended` is set after the last byte.
        if let Ok(mut side) = self.program_side() {
            side.write_all(&[MARK]).unwrap();
        }
        self.wait("the last output", |seen| seen.marks >= mark || seen.ended);
        self.seen.seen.lock().unwrap().bytes.len()
    }

    /// Waits until the program has read every typed key. It may still process them.
    #[cfg(target_os = "linux")]
    pub fn wait_until_read(&self) {
        wait_until("a program that reads its keys", || {
            let is_idle = wait_for_events(
                self.id(),
                |name| name == "input",
                || self.has_read_all_keys(),
            );
            is_idle.then_some(())
        });
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
