//! Escape leaves every layer, and keys typed at a question are not lost.

use std::time::Duration;

use debate_core::protocol::Seat;
use debate_host::record::{SavedDebateWithCursor, TimeSource};
use debate_tui::tui::debate::{DebateScreen, DebateScreenChoice, ReplayScreen, ReplayScreenChoice};
use debate_tui::tui::keys;
use debate_tui::tui::menu::{SeatChoice, SeatChooserContents, SeatToPlayScreen};
use debate_tui::tui::scene::{AutoplaySettings, DebateScreenContext};
use debate_tui::tui::screen::{Screen, ScreenEffect, ScreenWithTimedUpdates as _};
use debate_tui::tui::theme::ScreenAppearance;

use super::hands::click;
use super::{picture, press, wait_until_due};
use crate::support::scenes::{bridge, primes, primes_recursive};

fn text(show: &mut impl Screen) -> String {
    picture::text(&picture::buffer(show, &ScreenAppearance::default(), 80, 24))
}

#[test]
fn esc_leaves_a_debate_at_the_second_time() {
    let keys = keys::default_key_map().unwrap();
    let setup = primes();
    let scene = setup.scene();
    for (seat, to_question) in [
        (Seat::Opponent, "enter"),
        (Seat::Prover, "enter"),
        (Seat::Judge, ""),
    ] {
        let (mut running, players) = setup.debate(&[seat]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        press(&mut debate, to_question);
        // Escape first moves the focus from a panel to the question.
        assert_eq!(press(&mut debate, "f3 esc"), ScreenEffect::None);
        assert_eq!(press(&mut debate, "esc"), ScreenEffect::None);
        let shown = text(&mut debate);
        assert!(shown.contains("esc again to leave"), "{seat:?}: {shown}");
        // Any other key keeps the debate open.
        assert_eq!(press(&mut debate, "f3 esc esc"), ScreenEffect::None);
        assert_eq!(
            press(&mut debate, "esc"),
            ScreenEffect::Leave(DebateScreenChoice::Quit)
        );
    }
}

/// Plays a debate of the human player in `seat` to its end; autoplay makes the moves of the others.
fn play_by_itself(debate: &mut DebateScreen<'_, '_>, time: &TimeSource) {
    for _ in 0..400 {
        if debate.deadline().is_some() {
            wait_until_due(debate, time);
        } else if text(debate).contains("The end") {
            return;
        } else {
            press(debate, "y 1 enter");
        }
    }
    panic!("no end in sight:\n{}", text(debate));
}

/// An end that came by itself ignores the key that the user meant for the play before it.
#[test]
fn esc_leaves_an_end_that_came_by_itself_at_the_second_time() {
    let keys = keys::default_key_map().unwrap();
    let setup = primes();
    for waits in [false, true] {
        let scene = DebateScreenContext {
            tempo: AutoplaySettings::new(true, AutoplaySettings::MAX_SPEED).unwrap(),
            time: TimeSource::manual_clock(),
            save_notice: Some("saved".to_owned()),
            ..setup.scene()
        };
        let (mut running, players) = setup.debate(&[Seat::Opponent]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        play_by_itself(&mut debate, &scene.time);
        if waits {
            scene.time.advance_both_clocks(Duration::from_secs(1));
        }
        assert_eq!(press(&mut debate, "esc"), ScreenEffect::None);
        let shown = text(&mut debate);
        assert!(shown.contains("Press esc again to leave"), "{shown}");
        let left = press(&mut debate, "esc");
        assert_eq!(left, ScreenEffect::Leave(DebateScreenChoice::Quit));
    }
}

/// Keys that arrive together are handled without a frame between them.
#[test]
fn esc_typed_ahead_does_not_leave_an_end_that_was_not_drawn() {
    let keys = keys::default_key_map().unwrap();
    let setup = primes_recursive();
    let scene = DebateScreenContext {
        save_notice: Some("saved".to_owned()),
        ..setup.scene()
    };
    let (mut running, players) = setup.debate(&[Seat::Opponent]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    while !debate.screen_context().screen.intersects(keys::END) {
        press(&mut debate, "1 enter");
    }
    assert_eq!(press(&mut debate, "esc"), ScreenEffect::None);
    assert!(text(&mut debate).contains("The end"));
    let left = press(&mut debate, "esc");
    assert_eq!(left, ScreenEffect::Leave(DebateScreenChoice::Quit));
}

/// The end is left at the second press of Escape; overlays are closed first. Another key in between keeps the end.
#[test]
fn esc_at_the_end_closes_overlays_and_then_asks() {
    let keys = keys::default_key_map().unwrap();
    let setup = primes_recursive();
    for save_notice in [None, Some("saved".to_owned())] {
        let scene = DebateScreenContext {
            save_notice,
            ..setup.scene()
        };
        let (mut running, players) = setup.debate(&[Seat::Opponent]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        while !text(&mut debate).contains("The end") {
            press(&mut debate, "1 enter");
        }
        for overlay in ["e", "?", "b", "i", "f3", ":"] {
            press(&mut debate, overlay);
            assert_eq!(press(&mut debate, "esc"), ScreenEffect::None, "{overlay}");
            assert!(!text(&mut debate).contains("again to leave"), "{overlay}");
        }
        let note = match &scene.save_notice {
            None => "This debate is unsaved. Press esc again to leave.",
            Some(_) => "Press esc again to leave; the debate is saved.",
        };
        assert_eq!(press(&mut debate, "esc"), ScreenEffect::None);
        let shown = text(&mut debate);
        assert!(shown.contains(note), "{shown}");
        assert_eq!(press(&mut debate, "down esc"), ScreenEffect::None);
        let left = press(&mut debate, "esc");
        assert_eq!(left, ScreenEffect::Leave(DebateScreenChoice::Quit));
    }
}

#[test]
fn esc_leaves_a_support_that_is_being_written() {
    let keys = keys::default_key_map().unwrap();
    let setup = bridge();
    let scene = setup.scene();
    let (mut running, players) = setup.debate(&[Seat::Prover]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, "enter y enter esc");
    assert!(
        text(&mut debate).contains("again to leave"),
        "{}",
        text(&mut debate)
    );
    assert_eq!(
        press(&mut debate, "esc"),
        ScreenEffect::Leave(DebateScreenChoice::Quit)
    );
}

#[test]
fn esc_leaves_a_replay_and_the_choice_of_a_seat() {
    let keys = keys::default_key_map().unwrap();
    let setup = primes();
    let scene = setup.scene();
    let mut seating = setup.seating(&[]);
    while seating.make_automatic_move().is_ok() {}
    let start = setup.protocol.start(&setup.instance).unwrap();
    let history = SavedDebateWithCursor::from_moves(start, seating.moves()).unwrap();
    let mut replay = ReplayScreen::new(history, &scene, &keys);
    press(&mut replay, "right f3");
    assert_eq!(press(&mut replay, "esc"), ScreenEffect::None);
    assert_eq!(
        press(&mut replay, "esc"),
        ScreenEffect::Leave(ReplayScreenChoice::Done)
    );
    let offer = SeatChooserContents {
        draws_other_instance: false,
        last_results: &[],
        scene: &scene,
        preselected: SeatChoice::Play(Seat::Judge),
        can_change_players: true,
        stronger: None,
    };
    let mut chooser = SeatToPlayScreen::new(&offer, &keys);
    assert_eq!(press(&mut chooser, "esc"), ScreenEffect::Leave(None));
}

#[test]
fn a_slash_at_a_question_searches_the_transcript() {
    let keys = keys::default_key_map().unwrap();
    let setup = primes();
    let scene = setup.scene();
    for seat in [Seat::Opponent, Seat::Prover] {
        let (mut running, players) = setup.debate(&[seat]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        press(&mut debate, "enter");
        press(&mut debate, "/ A l i c");
        let shown = text(&mut debate);
        assert!(shown.contains("Search: Alic_"), "{seat:?}: {shown}");
        // Cancelling the search returns to the question.
        press(&mut debate, "esc");
        assert!(
            !text(&mut debate).contains("esc question"),
            "{}",
            text(&mut debate)
        );
        assert_eq!(press(&mut debate, "/ A l i c e enter"), ScreenEffect::None);
        let shown = text(&mut debate);
        // Alice has answered before Bob is asked; before her own answer the transcript is empty.
        let found = if seat == Seat::Opponent {
            "esc question"
        } else {
            "“alice” is not in the transcript."
        };
        assert!(shown.contains(found), "{shown}");
        drop(debate);
        let made = running.state_and_players().moves();
        assert!(made.iter().all(|made| made.seat != seat), "{made:?}");
    }
}

#[test]
fn a_fraction_is_typed_with_a_slash_all_the_same() {
    let keys = keys::default_key_map().unwrap();
    let setup = primes();
    let scene = setup.scene();
    let (mut running, players) = setup.debate(&[Seat::Opponent]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, "enter 1 / 3");
    assert!(text(&mut debate).contains("1/3_"), "{}", text(&mut debate));
}

#[test]
fn digits_after_a_click_on_a_claim_are_typed_into_the_question() {
    let keys = keys::default_key_map().unwrap();
    let setup = primes();
    let scene = setup.scene();
    let (mut running, players) = setup.debate(&[Seat::Opponent]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, "enter");
    click(&mut debate, "4331 is prime");
    press(&mut debate, "4 2");
    let shown = text(&mut debate);
    assert!(shown.contains("42_ %"), "{shown}");
    press(&mut debate, "enter");
    assert!(text(&mut debate).contains("42 %"), "{}", text(&mut debate));
}

/// The help describes each key once, although an action can have two descriptions.
#[test]
fn the_help_lists_a_key_once() {
    let setup = crate::support::scenes::bridge();
    let people = &[Seat::Opponent];
    let scene = super::values::valued(&setup, people, true);
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(people);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, "enter h ?");
    let look = ScreenAppearance::default();
    let screen = picture::text(&picture::buffer(&mut debate, &look, 120, 60));
    let of_key = |line: &&str| line.trim_start_matches([' ', '│']).starts_with("h  ");
    let lines: Vec<&str> = screen.lines().filter(of_key).collect();
    assert_eq!(lines.len(), 1, "{screen}");
}
