//! What moves: a coin falls in three frames, any key skips them, and nothing wakes the program afterwards.

use std::thread;
use std::time::{Duration, Instant};

use debate_core::protocol::Seat;
use debate_tui::tui::debate::Debate;
use debate_tui::tui::keys;
use debate_tui::tui::scene::Scene;
use debate_tui::tui::screen::Screen;
use debate_tui::tui::theme::Appearance;

use super::{picture, press};
use crate::support::scenes::primes;

/// A debate with Bob at the keyboard, who has just said 90 % of the first subclaim, and has seen the coin start to fall.
fn falling(animated: bool, test: impl FnOnce(&mut Debate)) {
    let setup = primes();
    let scene = Scene {
        animated,
        ..setup.scene()
    };
    let keys = keys::map().unwrap();
    let (mut session, players) = setup.session(&[Seat::Opponent]);
    let mut debate = Debate::new(&mut session, players, &scene, &keys);
    press(&mut debate, "enter 0 enter enter 9 0 enter enter");
    test(&mut debate);
}

fn text(debate: &mut Debate) -> String {
    picture::text(&picture::buffer(debate, &Appearance::default(), 80, 24))
}

/// Wakes the screen whenever it asks for it; returns how often it did.
fn rest(debate: &mut Debate) -> usize {
    let mut woken = 0;
    while let Some(due) = debate.deadline() {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        debate.wake();
        woken += 1;
        assert!(woken < 10, "it never rests");
    }
    woken
}

#[test]
fn a_coin_falls_in_three_frames_and_then_nothing_moves() {
    falling(true, |debate| {
        let due = debate.deadline().expect("a coin falls");
        assert!(due <= Instant::now() + Duration::from_millis(100));
        assert!((1..=3).contains(&rest(debate)));
        let settled = text(debate);
        falling(false, |still| assert_eq!(settled, text(still)));
    });
}

#[test]
fn any_key_shows_at_once_what_happened_and_is_taken() {
    falling(true, |debate| {
        press(debate, "3");
        assert_eq!(debate.deadline(), None);
        assert!(text(debate).contains("3_ %"));
    });
}

#[test]
fn nothing_moves_where_that_is_not_wanted() {
    falling(false, |debate| assert_eq!(debate.deadline(), None));
}
