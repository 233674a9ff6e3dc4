//! A program with a few keys that shows which input has reached it.

use std::{env, io, path::Path, thread, time::Duration};

use debate_tui::tui::{
    input::{MainLoopInbox, MainLoopMessage},
    terminal::{LocalTerminal, Terminal as _, TerminalFeaturesToEnable},
};
use ratatui::{
    crossterm::event::{KeyCode, KeyModifiers},
    style::{Modifier, Style},
    text::Line,
    widgets::{Paragraph, Widget as _},
};

/// The variable that turns the test binary into the probe. Its value is a path in the folder of the test.
pub const ASKED: &str = "TERMINAL_PROBE";

/// The file in the folder of the test for which the probe waits while it is held.
pub const RELEASED: &str = "released";

pub fn run_if_asked() {
    if let Some(path) = env::var_os(ASKED) {
        let folder = Path::new(&path).parent().expect("a folder");
        run(&folder.join(RELEASED)).unwrap();
    }
}

#[derive(Default)]
struct Seen {
    keys: usize,
    pasted: usize,
    frames: usize,
    stuck: bool,
    flood: bool,
    held: bool,
}

fn run(released: &Path) -> io::Result<()> {
    let mut inbox = MainLoopInbox::<()>::new();
    let mut screen = LocalTerminal::open(TerminalFeaturesToEnable::default(), &inbox)?;
    let mut seen = Seen::default();
    loop {
        seen.frames += 1;
        screen.draw(&mut |buffer, area| {
            let Seen {
                keys,
                pasted,
                frames,
                stuck,
                held,
                ..
            } = seen;
            let status = format!(
                "keys={keys} pasted={pasted} frames={frames} stuck={stuck} held={held} size={}x{} .",
                area.width, area.height
            );
            let bold = Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED);
            let lines = vec![Line::raw(status), Line::styled("selected", bold)];
            Paragraph::new(lines).render(area, buffer);
        })?;
        if seen.stuck {
            loop {
                thread::park();
            }
        }
        while seen.held && !released.exists() {
            thread::sleep(Duration::from_millis(1));
        }
        seen.held = false;
        if seen.flood {
            screen.make_next_frame_full()?;
            continue;
        }
        for message in inbox.wait(None) {
            match message {
                MainLoopMessage::Key(key) => {
                    seen.keys += 1;
                    match key.code {
                        KeyCode::Char('z') if key.modifiers == KeyModifiers::CONTROL => {
                            screen.suspend();
                        }
                        KeyCode::Char('q') => return Ok(()),
                        KeyCode::Char('e') => return Err(io::Error::other("the probe failed")),
                        KeyCode::Char('p') => panic!("the probe panicked"),
                        KeyCode::Char('t') => {
                            thread::spawn(|| panic!("the probe panicked"));
                        }
                        KeyCode::Char('b') => seen.stuck = true,
                        KeyCode::Char('w') => seen.held = true,
                        KeyCode::Char('f') => seen.flood = true,
                        _ => {}
                    }
                }
                MainLoopMessage::Paste(text) => seen.pasted += text.len(),
                MainLoopMessage::Closed => return Ok(()),
                MainLoopMessage::Mouse(_)
                | MainLoopMessage::Resized
                | MainLoopMessage::Resumed
                | MainLoopMessage::Share
                | MainLoopMessage::Other(()) => {}
            }
        }
    }
}
