//! A whole debate in a real terminal, from the chooser to the shell.

use std::{
    env,
    io::{Read, Write},
    sync::{Arc, Mutex},
    thread,
};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::support::patience::wait_until;
use crate::support::play::ASKED;

#[test]
fn a_debate_is_played_from_the_chooser_to_the_shell() {
    let size = PtySize {
        rows: 24,
        cols: 80,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env::current_exe().unwrap());
    command.args([
        "--exact",
        "screens::trial",
        "--nocapture",
        "--test-threads=1",
    ]);
    command.env(ASKED, "choose");
    command.env("TERM", "xterm-256color");
    command.env("LC_ALL", "C.UTF-8");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let parser = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
    let screen = Arc::new(Mutex::new(parser));
    let mut output = pair.master.try_clone_reader().unwrap();
    let shared = Arc::clone(&screen);
    thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut part) {
            shared.lock().unwrap().process(&part[..count]);
        }
    });
    let mut keyboard = pair.master.take_writer().unwrap();
    let shown = || screen.lock().unwrap().screen().contents();
    let mut step = |keys: &str, wanted: &str| {
        keyboard.write_all(keys.as_bytes()).unwrap();
        wait_until(wanted, || shown().contains(wanted).then_some(()));
    };
    step("", "Which seat do you take?");
    step("3\r", "You are the JUDGE.");
    step("\r", "Evidence: 4331 = 32");
    step("y\r", "The end");
    step("T", "Colours: light.");
    step("r", "Timeline");
    step("\x1b[C\x1b[C", "Move 2 of");
    step("q", "Watched it again.");
    assert!(child.wait().unwrap().success());
    assert!(!screen.lock().unwrap().screen().alternate_screen());
}
