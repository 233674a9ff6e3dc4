//! A pseudo-terminal with a program in it, seen through a terminal emulator.

use std::{
    env,
    io::{Read, Write},
    num::NonZero,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::probe::ASKED;

/// How long a state is waited for before it is said that it does not come. It decides nothing else:
/// a busy machine may take long for anything.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
    modes_before: String,
    folder: TempDir,
}

struct Seen {
    bytes: Vec<u8>,
    parser: vt100::Parser,
    /// The program and everybody who inherited the terminal have closed it.
    ended: bool,
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

/// A shell that runs a command, says so when it has the terminal again, and continues the command
/// after a line of input.
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
    // The tests let the others move, one key at a time.
    let config = folder.path().join("config.ron");
    std::fs::write(&config, "(auto_play: false, animation: false)").unwrap();
    command.env("DEBATE_TUI_CONFIG", config);
    command.env("LC_ALL", "C.UTF-8");
    command.env("TERM", "xterm-256color");
    command.env_remove("COLORTERM");
    folder
}

fn wait_for_end(child: &mut Box<dyn Child + Send + Sync>) -> u32 {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.exit_code();
        }
        assert!(start.elapsed() < PATIENCE, "the program goes on");
        thread::sleep(Duration::from_millis(5));
    }
}

/// How often the threads of a process were woken up.
#[cfg(target_os = "linux")]
fn wake_ups(id: u32) -> u64 {
    let switches = |(_, status): (String, String)| {
        let counts = status.lines().filter(|line| line.contains("ctxt_switches"));
        let count = |line: &str| line.split_whitespace().last()?.parse::<u64>().ok();
        counts.filter_map(count).sum::<u64>()
    };
    threads(id).map(switches).sum()
}

/// Whether all threads sleep: who waits for a processor does not. Where something is computed on the
/// side the screen looks for it all the time, and only the picture can be looked at.
#[cfg(target_os = "linux")]
fn is_waiting(id: u32) -> bool {
    // The probe runs in a thread of its own.
    let own =
        ["input", "signals", "saves", "players", "probe"].map(|name| format!("Name:\t{name}\n"));
    let is_own = |(thread, status): &(String, String)| {
        *thread == id.to_string() || own.iter().any(|name| status.starts_with(name))
    };
    let threads: Vec<_> = threads(id).collect();
    let sleeps = |(_, status): &(String, String)| status.contains("State:\tS");
    threads.iter().all(sleeps) || !threads.iter().all(is_own)
}

#[cfg(not(target_os = "linux"))]
fn is_waiting(_id: u32) -> bool {
    true
}

/// The threads of a process, each by its number with what the system says of it.
#[cfg(target_os = "linux")]
fn threads(id: u32) -> impl Iterator<Item = (String, String)> {
    let threads = std::fs::read_dir(format!("/proc/{id}/task"));
    threads.into_iter().flatten().flatten().map(|thread| {
        let status = std::fs::read_to_string(thread.path().join("status"));
        let number = thread.file_name().to_string_lossy().into_owned();
        (number, status.unwrap_or_default())
    })
}

/// Waits until two looks, so far apart, see the same, and says what.
fn wait_for_rest<T: PartialEq>(apart: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    let mut before = look();
    loop {
        thread::sleep(apart);
        let now = look();
        if before == now
            && let Some(now) = now
        {
            return now;
        }
        assert!(start.elapsed() < PATIENCE, "it finds no rest");
        before = now;
    }
}

/// Waits until none of these programs wakes up for two seconds: one that has nothing to do never
/// does.
#[cfg(target_os = "linux")]
pub fn wait_for_sleep(all: &[&Pty]) {
    let counts = || all.iter().map(|pty| wake_ups(pty.id())).collect::<Vec<_>>();
    wait_for_rest(Duration::from_secs(2), || Some(counts()));
}

/// A probe whose output is read only until it is ready.
struct Unread {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    /// Kept until the probe has ended.
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
    // Only when every handle is gone does the system hang up.
    drop(probe.master);
    wait_for_end(&mut probe.child);
}

/// Terminates a probe that is stuck in writing; says how it ended.
pub fn terminate_while_unread() -> u32 {
    let mut probe = unread_probe();
    let mut keyboard = probe.master.take_writer().unwrap();
    keyboard.write_all(b"f").unwrap();
    // Until it is stuck.
    let id = probe.child.process_id().unwrap();
    wait_for_rest(Duration::from_millis(150), || is_waiting(id).then_some(()));
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

    /// The program itself, with saves in a folder of its own.
    pub fn program(arguments: &[&str]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_debate-tui"));
        command.args(arguments);
        Self::spawn(command)
    }

    /// The program itself with these variables, in a terminal of so many columns and rows.
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

    /// Another program with these variables, in a terminal of so many columns and rows.
    pub fn other(
        program: &str,
        arguments: &[&str],
        (columns, rows): (u16, u16),
        variables: &[(&str, &str)],
    ) -> Self {
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        // What the test sets goes before what it would otherwise inherit.
        let folder = prepare(&mut command);
        for (name, value) in variables {
            command.env(name, value);
        }
        Self::spawn_in(command, folder, (columns, rows))
    }

    /// The program itself on a terminal of this kind (`TERM`), or of none.
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

    /// The saves that the program has left.
    pub fn saves(&self) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        // The settings and what they were before are in the same folder here.
        let is_save = |path: &std::path::PathBuf| {
            !path.ends_with("config.ron") && !path.ends_with("config.ron.bak")
        };
        paths.filter(is_save).collect()
    }

    /// The probe as the job of a shell that continues it after a line of input.
    pub fn probe_under_shell() -> Self {
        let pty = Self::spawn(under_shell(&probe_command()));
        pty.wait_for("keys=0");
        pty
    }

    /// The program itself as such a job.
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
        let seen = Arc::new(Mutex::new(Seen {
            bytes: Vec::new(),
            parser: vt100::Parser::new(nonzero(rows), nonzero(columns), 0),
            ended: false,
        }));
        let mut output = pair.master.try_clone_reader().unwrap();
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut part) {
                let mut seen = shared.lock().unwrap();
                seen.bytes.extend_from_slice(&part[..count]);
                seen.parser.process(&part[..count]);
            }
            shared.lock().unwrap().ended = true;
        });
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
        self.seen
            .lock()
            .unwrap()
            .parser
            .screen_mut()
            .set_size(nonzero(rows), nonzero(columns));
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// Tells the program that its window has another size, of which the emulator here knows nothing.
    pub fn claim_size(&self, columns: u16, rows: u16) {
        self.master.resize(size(columns, rows)).unwrap();
    }

    pub fn signal(&self, signal: Signal) {
        send(&*self.child, signal);
    }

    /// Signals the job in the foreground of the shell.
    pub fn signal_probe(&self, signal: Signal) {
        let id = self.master.process_group_leader().unwrap();
        kill_process(Pid::from_raw(id).unwrap(), signal).unwrap();
    }

    pub fn screen<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.seen.lock().unwrap().parser.screen())
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.seen.lock().unwrap().bytes.clone()
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

    /// Waits until the screen shows exactly this.
    pub fn wait_until_shown(&self, contents: &str) {
        self.wait_until("the same picture", |shown| shown == contents);
    }

    /// Waits until the screen shows what is wanted; a frame may be drawn in part before.
    pub fn wait_until(&self, what: &str, shown: impl Fn(&str) -> bool) {
        self.wait(what, |seen| shown(&seen.parser.screen().contents()));
    }

    /// Types the same keys now and then until a text is there.
    pub fn type_until(&mut self, keys: &str, text: &str) {
        let start = Instant::now();
        while !self.screen(|screen| screen.contents().contains(text)) {
            assert!(start.elapsed() < PATIENCE, "{text} did not come");
            self.type_in(keys);
            thread::sleep(Duration::from_millis(400));
        }
    }

    fn wait(&self, what: &str, arrived: impl Fn(&Seen) -> bool) {
        let start = Instant::now();
        while !arrived(&self.seen.lock().unwrap()) {
            let late = start.elapsed() > PATIENCE;
            assert!(
                !late,
                "{what} did not come:\n{}",
                self.screen(vt100::Screen::contents)
            );
            thread::sleep(Duration::from_millis(5));
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

    /// The terminal is as a shell expects it, and every mode was left by its own sequence.
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

    fn id(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Waits until the program has drawn all there is to draw and waits for a key; says how much was
    /// written in all.
    pub fn settle(&self) -> usize {
        wait_for_rest(Duration::from_millis(150), || {
            let contents = self.screen(vt100::Screen::contents);
            is_waiting(self.id()).then_some(contents)
        });
        self.seen.lock().unwrap().bytes.len()
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
