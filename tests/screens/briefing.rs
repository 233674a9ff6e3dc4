//! The briefing: the question and the user's instructions, shown before the first move until the user presses Enter.

use debate_core::protocol::Seat;
use debate_host::record::TimeSource;
use debate_solver::setup::{LoadedScenario as Loaded, ScenarioLimits};
use debate_text::DebateDescription;
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::scene::{AutoplaySettings, DebateScreenContext};
use debate_tui::tui::screen::{Screen, ScreenEffect, ScreenWithTimedUpdates as _};
use debate_tui::tui::theme::ScreenAppearance;

use super::{picture, press, wait_until_due};
use crate::support::scenes::{Setup, bridge, of};

/// The key hint of the briefing.
const BEGIN: &str = " enter begin";

fn text(show: &mut impl Screen, columns: u16, rows: u16) -> String {
    picture::text(&picture::buffer(
        show,
        &ScreenAppearance::default(),
        columns,
        rows,
    ))
}

/// A bundled debate with one user, as the program starts it, with autoplay.
fn begun(name: &str, seat: Seat, test: impl FnOnce(&mut DebateScreen, &TimeSource)) {
    let file = Loaded::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
    let facts = |setup: &Setup| {
        (
            file.briefing.clone(),
            setup.title.clone(),
            setup.about.clone(),
        )
    };
    let setup = of(file.clone());
    let (briefing, title, about) = facts(&setup);
    let scene = DebateScreenContext {
        facts: DebateDescription {
            title,
            about,
            briefing,
            ..DebateDescription::new(&setup.instance, &setup.protocol)
        },
        opens_briefing: true,
        tempo: AutoplaySettings::new(true, AutoplaySettings::MAX_SPEED).unwrap(),
        time: TimeSource::manual_clock(),
        ..DebateScreenContext::new(&setup.instance, &setup.protocol)
    };
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[seat]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    test(&mut debate, &scene.time);
}

#[test]
fn the_briefing_stays_until_enter_at_every_size() {
    begun("primes", Seat::Opponent, |debate, time| {
        for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
            let shown = text(debate, columns, rows);
            insta::assert_snapshot!(format!("briefing-{columns}x{rows}"), shown);
        }
        for (columns, rows) in [(40, 12), (60, 20), (110, 24)] {
            let shown = text(debate, columns, rows);
            assert!(
                shown.contains("You are BOB") && shown.contains(BEGIN),
                "{shown}"
            );
        }
        // The other players wait, and no other key closes the briefing.
        assert_eq!(debate.deadline(), None);
        press(debate, "5 0 space h t b i");
        assert!(text(debate, 80, 24).contains("enter begins"));
        // The help opens over the briefing, which is shown again afterwards.
        press(debate, "?");
        let help = text(debate, 80, 24);
        assert!(help.contains("╭ Help") && !help.contains(BEGIN), "{help}");
        assert_eq!(debate.deadline(), None);
        press(debate, "?");
        assert!(text(debate, 80, 24).contains(BEGIN));
        assert_eq!(debate.deadline(), None);
        press(debate, "enter");
        let shown = text(debate, 80, 24);
        assert!(
            shown.contains("Next move") && !shown.contains(BEGIN),
            "{shown}"
        );
        wait_until_due(debate, time);
        let moved = text(debate, 80, 24);
        assert!(moved.contains("Alice answers"), "{moved}");
        // `b` shows it again, at every size.
        for (columns, rows) in [(40, 12), (80, 24), (200, 60)] {
            press(debate, "b");
            let again = text(debate, columns, rows);
            assert!(
                again.contains("esc closes") && again.contains("64 primes"),
                "{again}"
            );
            press(debate, "b");
            let closed = text(debate, columns, rows);
            assert!(!closed.contains("esc closes"), "{closed}");
        }
    });
}

#[test]
fn the_first_enter_sends_no_reply() {
    begun("primes", Seat::Prover, |debate, _| {
        assert!(text(debate, 80, 24).contains(BEGIN));
        assert_eq!(press(debate, "enter"), ScreenEffect::None);
        let shown = text(debate, 80, 24);
        assert!(
            shown.contains("Is this true") && !shown.contains(BEGIN),
            "{shown}"
        );
        assert!(!shown.contains("Choose first"), "{shown}");
    });
    // An empty speech of a judge is a legal reply, but its key does not send it from the briefing.
    begun("lighthouse", Seat::Judge, |debate, _| {
        press(debate, "ctrl-s 5 0");
        assert!(text(debate, 100, 30).contains(BEGIN));
        press(debate, "esc");
        let shown = text(debate, 100, 30);
        assert!(
            shown.contains("100   ?") && !shown.contains(BEGIN),
            "{shown}"
        );
    });
}

#[test]
fn a_scenario_without_texts_has_no_briefing() {
    let setup = Setup {
        about: String::new(),
        ..bridge()
    };
    let scene = DebateScreenContext {
        opens_briefing: true,
        ..setup.scene()
    };
    let keys = keys::default_key_map().unwrap();
    for seat in Seat::PLAYERS {
        let (mut running, players) = setup.debate(&[seat]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        let shown = text(&mut debate, 80, 24);
        assert!(!shown.contains(BEGIN), "{shown}");
    }
}
