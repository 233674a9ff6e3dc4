//! Autoplay of the other players' moves: they are timed, stopped, skipped and folded.

use debate_core::protocol::Seat;
use debate_core::scenario::Instance;
use debate_core::scenario::JudgeSees;
use debate_host::record::TimeSource;
use debate_solver::setup::{LoadedScenario as Loaded, ScenarioLimits, ScenarioTextSource};
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::scene::{AutoplaySettings, DebateScreenContext};
use debate_tui::tui::screen::{Screen, ScreenWithTimedUpdates as _};
use debate_tui::tui::theme::ScreenAppearance;

use super::{picture, press, wait_until_due};
use crate::support::scenes::{Setup, bundled, primes};

fn text(show: &mut impl Screen) -> String {
    picture::text(&picture::buffer(
        show,
        &ScreenAppearance::default(),
        100,
        30,
    ))
}

/// A debate with one human player and autoplay at the highest speed.
fn by_itself(setup: &Setup, seat: Seat, test: impl FnOnce(&mut DebateScreen, &TimeSource)) {
    let mut scene = DebateScreenContext {
        tempo: AutoplaySettings::new(true, AutoplaySettings::MAX_SPEED).unwrap(),
        time: TimeSource::manual_clock(),
        ..setup.scene()
    };
    // The judge sees estimates and coins, so these moves are shown.
    scene.facts.judge_sees = JudgeSees::Figures;
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[seat]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    test(&mut debate, &scene.time);
}

/// Advances the time until the user is asked, or the debate is over.
fn until_asked(debate: &mut DebateScreen, time: &TimeSource) -> String {
    loop {
        let shown = text(debate);
        if !shown.contains("Next move") {
            return shown;
        }
        wait_until_due(debate, time);
    }
}

#[test]
fn one_enter_per_estimate_plays_primes_as_bob() {
    by_itself(&bundled("primes-4331"), Seat::Opponent, |debate, time| {
        let mut enters = 0;
        while until_asked(debate, time).contains("likely is “") {
            // No value is preset, because it would be an anchor.
            assert!(text(debate).contains("100   ?"));
            press(debate, "3 0 enter");
            enters += 1;
            // Autoplay throws the coin, and the screen shows it.
            let before = text(debate);
            assert!(before.contains("A coin is thrown for"), "{before}");
            wait_until_due(debate, time);
            let after = text(debate);
            assert!(after.contains('⚄'), "{after}");
            assert!(!after.contains("A coin is thrown for"), "{after}");
        }
        assert!(text(debate).contains("The end"));
        assert!((13..=16).contains(&enters), "{enters}");
        assert_eq!(debate.deadline(), None);
    });
}

#[test]
fn space_pauses_other_players_and_a_full_stop_makes_one_move() {
    by_itself(&primes(), Seat::Judge, |debate, time| {
        wait_until_due(debate, time);
        press(debate, "space");
        assert_eq!(debate.deadline(), None);
        let stopped = text(debate);
        assert!(stopped.contains("Paused"), "{stopped}");
        press(debate, ".");
        let moved = text(debate);
        assert!(moved.contains("Bob: 0 %"), "{moved}");
        assert!(!moved.contains("⚄ 4331 is prime"), "{moved}");
        assert_eq!(debate.deadline(), None);
        press(debate, "space");
        wait_until_due(debate, time);
        assert!(text(debate).contains("⚄ 4331 is prime"));
    });
}

#[test]
fn skipping_to_the_turn_shows_the_skipped_events() {
    by_itself(&primes(), Seat::Judge, |debate, _| {
        press(debate, "enter");
        let shown = text(debate);
        assert!(
            shown.contains("Since your last key: 13 estimates, 13 coins"),
            "{shown}"
        );
        assert!(
            shown.contains("the debate continued with “none of"),
            "{shown}"
        );
    });
    // A judge who has watched needs no summary.
    by_itself(&primes(), Seat::Judge, |debate, time| {
        let shown = until_asked(debate, time);
        assert!(!shown.contains("Since your last key"), "{shown}");
    });
}

/// A panel of thirty members who agree.
fn panel() -> Setup {
    let text = r#"Scenario(format: 1, title: "Asked", problem: Plan(steps: [
        Step(id: "a", ask: "Is it so?", judged_true: 1),
    ]), protocol: Stochastic(k: 1, constants: Panel(size: 30, threshold: 0.5)))"#;
    let origin = ScenarioTextSource::Text("asked.ron".to_owned());
    let loaded = Loaded::from_text(text, origin, &ScenarioLimits::default()).unwrap();
    let instance: Instance = loaded.instance(0);
    Setup {
        instance,
        protocol: loaded.protocol.clone(),
        title: loaded.title.clone(),
        about: String::new(),
        players: ["honest", "silent", "oracle"].map(str::to_owned),
        seed: "7".to_owned(),
    }
}

#[test]
fn equal_votes_of_a_panel_are_folded() {
    by_itself(&panel(), Seat::Opponent, |debate, time| {
        assert!(until_asked(debate, time).contains("too far off"));
        press(debate, "2 enter");
        wait_until_due(debate, time);
        let shown = text(debate);
        assert!(shown.contains("The end"), "{shown}");
        press(debate, "t");
        let shown = text(debate);
        assert!(shown.contains("29 more answered alike"), "{shown}");
        press(debate, "t");
        press(debate, "f3 g");
        let shown = text(debate);
        let told = shown.matches("” is true").count();
        assert!(told <= 2, "{shown}");
    });
}
