//! The thread that reads the terminal on Unix.
//!
//! The reader of crossterm is not sufficient: after an unknown sequence it blocks in `read(2)` and misses all other
//! messages, a paste without an end swallows all later keys, and it spins if the terminal is gone. Here each read
//! follows a `poll(2)` that reported available bytes.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Read};
use std::os::fd::AsFd;
use std::{io, thread};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::parse::TerminalInputParser;
use super::{MainLoopMessage, MainLoopSender};

pub fn start_reader<T: Send + 'static>(sender: MainLoopSender<T>) -> io::Result<()> {
    let terminal = if io::stdin().is_terminal() {
        File::from(io::stdin().as_fd().try_clone_to_owned()?)
    } else {
        File::open("/dev/tty")?
    };
    thread::Builder::new().name("input".into()).spawn(move || {
        // Either the loop has ended, or the terminal has ended and the loop needs a message.
        if run(terminal, &sender) == End::Terminal {
            sender.send_input(MainLoopMessage::Closed);
        }
    })?;
    Ok(())
}

#[derive(PartialEq, Eq)]
enum End {
    Loop,
    Terminal,
}

fn run<T>(mut terminal: File, sender: &MainLoopSender<T>) -> End {
    let mut parser = TerminalInputParser::default();
    let mut bytes = [0; 4096];
    loop {
        let wait_for_rest = parser.incomplete_input_timeout().map(|limit| Timespec {
            tv_sec: limit.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: limit.subsec_nanos().into(),
        });
        let mut wanted = [PollFd::new(&terminal, PollFlags::IN)];
        match poll(&mut wanted, wait_for_rest.as_ref()) {
            Ok(0) => parser.parse_pending_bytes_as_complete(),
            Ok(_) if wanted[0].revents().contains(PollFlags::IN) => {
                match terminal.read(&mut bytes) {
                    Ok(0) => return End::Terminal,
                    Ok(count) => parser.feed(&bytes[..count]),
                    Err(e)
                        if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                    Err(_) => return End::Terminal,
                }
            }
            Err(rustix::io::Errno::INTR) => {}
            // The terminal has hung up without unread bytes, or it is no longer a terminal.
            Ok(_) | Err(_) => return End::Terminal,
        }
        for message in parser.messages() {
            if !sender.send_input(message) {
                return End::Loop;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::input::MainLoopInbox;
    use std::io::Write;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    #[test]
    fn typed_keys_arrive_before_the_end_of_the_terminal() {
        let (mut keyboard, terminal) = UnixStream::pair().unwrap();
        keyboard.write_all(b"ab").unwrap();
        drop(keyboard);
        let mut inbox = MainLoopInbox::<()>::new();
        assert!(run(File::from(OwnedFd::from(terminal)), &inbox.sender()) == End::Terminal);
        assert_eq!(inbox.wait(None).count(), 2);
    }
}
