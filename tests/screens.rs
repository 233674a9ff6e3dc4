//! The screens of a debate, driven by keys as a user would, and compared as text.

#[cfg(unix)]
mod terminal;

mod briefing;
mod choices;
mod every;
mod explanation;
mod hands;
mod layers;
mod lessons;
mod lists;
mod looks;
mod many;
mod motion;
mod open;
mod pace;
mod pictures;
mod rejudge;
mod review;
mod rewards;
mod scripts;
mod secrets;
mod side_by_side;
mod speeches;
mod study;
mod table;
mod thinking;
mod values;
mod widths;
mod words;

use crate::support::{picture, play};
use debate_host::record::TimeSource;
use debate_tui::tui::screen::{Screen, ScreenEffect, ScreenExt as _};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// From the start to the design's picture: in round 3, 2–17 came up true, and the second subclaim is being estimated at
/// 33 %.
const TO_THE_PICTURE: &str = "enter 0 enter enter 9 0 enter enter 3 3";

/// Plays a debate as the program if the test asks for it.
#[test]
fn trial() {
    play::run_if_asked();
}

fn event(name: &str) -> KeyEvent {
    if let Some(c) = name.strip_prefix("ctrl-") {
        let code = KeyCode::Char(c.chars().next().unwrap());
        return KeyEvent::new(code, KeyModifiers::CONTROL);
    }
    let code = match name {
        "enter" => KeyCode::Enter,
        "space" => KeyCode::Char(' '),
        "tab" => KeyCode::Tab,
        "esc" => KeyCode::Esc,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "backspace" => KeyCode::Backspace,
        "f2" => KeyCode::F(2),
        "f3" => KeyCode::F(3),
        "f4" => KeyCode::F(4),
        "f8" => KeyCode::F(8),
        "pagedown" => KeyCode::PageDown,
        one => KeyCode::Char(one.chars().next().unwrap()),
    };
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// Presses keys, separated by spaces. Returns the effect of the last one.
fn press<S: Screen>(show: &mut S, keys: &str) -> ScreenEffect<S::Outcome> {
    let mut effect = ScreenEffect::None;
    for key in keys.split_whitespace() {
        effect = show.key(event(key));
    }
    effect
}

/// Moves a manual clock to the deadline of a screen, and wakes it.
fn wait_until_due(show: &mut impl Screen, time: &TimeSource) {
    let timer = show.timer().expect("a timer");
    let due = timer.deadline().expect("a deadline");
    time.advance_both_clocks(due.saturating_duration_since(time.monotonic_now()));
    timer.wake();
}
