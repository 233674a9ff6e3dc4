//! Pictures of the screens of real debates.

use debate_core::protocol::{ProtocolKind, Seat};
use debate_host::record::SavedDebateWithCursor;
use debate_tui::tui::debate::{DebateScreen, ReplayScreen};
use debate_tui::tui::keys;
use debate_tui::tui::menu::{SeatChoice, SeatChooserContents, SeatToPlayScreen};
use debate_tui::tui::theme::{ASCII, ScreenAppearance};

use super::{TO_THE_PICTURE, picture, press};
use crate::support::scenes::{Setup, bundled, primes, primes_recursive};

/// Plays with these human players and keys, and passes the debate on.
fn with<T>(
    setup: &Setup,
    people: &[Seat],
    script: &str,
    look: impl FnOnce(&mut DebateScreen) -> T,
) -> T {
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(people);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, script);
    look(&mut debate)
}

fn seen(setup: &Setup, seat: Seat, script: &str, columns: u16, rows: u16) -> String {
    with(setup, &[seat], script, |debate| {
        picture::text(&picture::buffer(
            debate,
            &ScreenAppearance::default(),
            columns,
            rows,
        ))
    })
}

#[test]
fn the_picture_of_the_design() {
    let picture = seen(&primes(), Seat::Opponent, TO_THE_PICTURE, 120, 30);
    insta::assert_snapshot!("picture", picture);
    for said in ["you are Bob", "±10,000", "your 0 % is possible"] {
        assert!(picture.contains(said), "{said}: {picture}");
    }
}

/// Asserts that the picture of a page after `<!-- screen: NAME -->` is this one. With `UPDATE` in the environment,
/// replaces it.
fn assert_shown(page: &str, name: &str, picture: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let mark = format!("<!-- screen: {name} -->\n```text\n");
    let (before, rest) = text.split_once(&mark).expect(name);
    let (shown, after) = rest.split_once("\n```\n").unwrap();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, format!("{before}{mark}{picture}\n```\n{after}")).unwrap();
    } else {
        assert_eq!(shown, picture, "{page}: {name}");
    }
}

/// `UPDATE=1 cargo test --test suite looks::` writes the current pictures into the guide.
#[test]
fn the_pages_of_the_guide_show_these_pictures() {
    let guide = "src/guide/play.md";
    let estimate = seen(&bundled("primes"), Seat::Opponent, TO_THE_PICTURE, 80, 24);
    assert_shown(guide, "estimate", &estimate);
}

#[test]
fn every_layout_shows_the_seat_to_move_and_the_question() {
    with(&primes(), &[Seat::Opponent], TO_THE_PICTURE, |debate| {
        for (columns, rows) in [(200, 50), (80, 24), (45, 20), (40, 12)] {
            let buffer = picture::buffer(debate, &ScreenAppearance::default(), columns, rows);
            let text = picture::text(&buffer);
            insta::assert_snapshot!(format!("layout-{columns}x{rows}"), text);
            for always in ["33_ %", "total", "round 1 of 4"] {
                assert!(
                    text.contains(always),
                    "{always} at {columns}x{rows}:\n{text}"
                );
            }
        }
    });
}

#[test]
fn a_too_small_window_shows_a_message() {
    let text = seen(&primes(), Seat::Opponent, "", 39, 12);
    assert!(text.starts_with("The screen needs 40 columns and 12"));
}

#[test]
fn ascii_terminals_get_ascii() {
    with(&primes(), &[Seat::Opponent], TO_THE_PICTURE, |debate| {
        let look = ScreenAppearance {
            glyphs: &ASCII,
            ..ScreenAppearance::default()
        };
        let text = picture::text(&picture::buffer(debate, &look, 80, 24));
        insta::assert_snapshot!("ascii", text);
        assert!(text.is_ascii());
    });
}

/// Moves through the blocks of the formula to the steps, and then to the fourth step.
const STEP_THREE: &str = "enter enter enter enter enter enter enter enter enter enter 3";

#[test]
fn bits_steps_and_halves_have_room_in_wide_windows() {
    let cases = vec![
        ("halves", bundled("turing"), "enter 2 enter enter 1"),
        ("steps", bundled("qbf"), STEP_THREE),
        (
            "end",
            bundled("turing"),
            "enter 1 enter enter 2 enter enter 1 enter enter 1 enter enter 1 enter enter 1 enter enter",
        ),
    ];
    for (name, setup, script) in cases {
        let text = seen(&setup, Seat::Opponent, script, 120, 36);
        insta::assert_snapshot!(format!("wide-{name}"), text);
    }
}

#[test]
fn bob_steps_through_the_machine_beside_the_question() {
    let turing = bundled("turing");
    let bob = |script, columns, rows| seen(&turing, Seat::Opponent, script, columns, rows);
    insta::assert_snapshot!("machine-run-80x24", bob("enter s s s", 80, 24));
    insta::assert_snapshot!("machine-run-middle-80x24", bob("enter m 2", 80, 24));
    insta::assert_snapshot!(
        "machine-run-120x36",
        bob("enter 1 enter enter m s a a", 120, 36)
    );
    // The given configurations stay in view.
    let narrow = bob("enter m", 64, 20);
    assert!(narrow.contains("You, step 32"), "{narrow}");
}

#[test]
fn the_end_shows_the_result() {
    let setup = primes();
    let text = seen(&setup, Seat::Judge, "enter y enter", 80, 24);
    for said in ["Alice receives", "Decided", "is false"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let all = seen(&setup, Seat::Judge, "enter y enter e", 120, 50);
    for said in [
        "Alice's answer was false",
        "training rewards, not a verdict",
        "One debate proves little",
    ] {
        assert!(all.contains(said), "{said}: {all}");
    }
    insta::assert_snapshot!(
        "end-45x20",
        seen(&setup, Seat::Judge, "enter y enter", 45, 20)
    );
    let recursive = seen(&primes_recursive(), Seat::Judge, "enter n enter", 120, 36);
    insta::assert_snapshot!("end-recursive", recursive);
}

#[test]
fn the_truth_is_hidden_until_the_end() {
    for seat in Seat::PLAYERS {
        for script in ["", "enter", "enter 0 enter enter"] {
            let text = seen(&primes(), seat, script, 120, 36);
            assert!(!text.contains("Truth"), "{text}");
        }
    }
}

#[test]
fn a_sealed_bet_is_a_question_mark_to_other_seats() {
    let bob = seen(&primes(), Seat::Opponent, TO_THE_PICTURE, 120, 36);
    assert!(bob.contains("▸1 ◇"), "{bob}");
    let alice = seen(&primes(), Seat::Prover, "y enter enter 1 enter", 120, 36);
    assert!(alice.contains("▸1 ▲"), "{alice}");
}

#[test]
fn the_chooser_describes_each_seat() {
    let setup = primes();
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let offer = SeatChooserContents {
        draws_other_instance: false,
        last_results: &[],
        scene: &scene,
        preselected: SeatChoice::Play(Seat::Opponent),
        can_change_players: true,
        stronger: None,
    };
    let mut chooser = SeatToPlayScreen::new(&offer, &keys);
    let look = ScreenAppearance::default();
    for (columns, rows) in [(100, 40), (45, 20)] {
        let text = picture::text(&picture::buffer(&mut chooser, &look, columns, rows));
        insta::assert_snapshot!(format!("chooser-{columns}x{rows}"), text);
    }
}

/// To a judge, Alice's player would tell if she lies. A sentence says so, and another one if the instance is drawn.
#[test]
fn the_chooser_hides_the_player_of_alice_from_the_judge() {
    let setup = primes();
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    for draws_other_instance in [false, true] {
        for seat in Seat::PLAYERS {
            let offer = SeatChooserContents {
                draws_other_instance,
                last_results: &[],
                scene: &scene,
                preselected: SeatChoice::Play(seat),
                can_change_players: true,
                stronger: None,
            };
            let mut chooser = SeatToPlayScreen::new(&offer, &keys);
            let look = ScreenAppearance::default();
            let text = picture::text(&picture::buffer(&mut chooser, &look, 100, 40));
            let is_judge = seat == Seat::Judge;
            assert_eq!(text.contains("hidden from the judge"), is_judge, "{text}");
            assert_eq!(
                text.contains("(`obfuscator`)"),
                seat == Seat::Opponent,
                "{text}"
            );
            let is_drawn = text.contains("drawn at random");
            assert_eq!(is_drawn, draws_other_instance, "{text}");
        }
    }
}

/// The behaviour of a built-in player is shown only after the end, because it reveals how a liar lies and how she bets.
#[test]
fn the_chooser_does_not_describe_the_players() {
    let keys = keys::default_key_map().unwrap();
    for listing in debate_solver::setup::bundled_scenarios() {
        let setup = bundled(listing.name);
        let scene = setup.scene();
        for preselected in [SeatChoice::Watch, SeatChoice::Play(Seat::Judge)] {
            let offer = SeatChooserContents {
                draws_other_instance: false,
                last_results: &[],
                scene: &scene,
                preselected,
                can_change_players: true,
                stronger: None,
            };
            let mut chooser = SeatToPlayScreen::new(&offer, &keys);
            let look = ScreenAppearance::default();
            let text = picture::text(&picture::buffer(&mut chooser, &look, 200, 60));
            for seat in Seat::PLAYERS {
                let registry = debate_solver::registry::<debate_core::number::Exact>();
                let spec =
                    debate_core::player::PlayerSpec::parse(&setup.players[seat.seat_index()])
                        .unwrap();
                let Ok(entry) = registry.find(&spec.name, seat, listing.protocol) else {
                    continue;
                };
                assert!(
                    !text.contains(entry.strategy_description()),
                    "{}:\n{text}",
                    listing.name
                );
            }
        }
    }
}

/// If no judge is asked, no judge is played, and the chooser tells a user who would take that seat.
#[test]
fn the_chooser_marks_seats_without_moves() {
    let keys = keys::default_key_map().unwrap();
    for (name, idle) in [
        ("parity", true),
        ("turing", true),
        ("law", false),
        ("primes", false),
    ] {
        let setup = bundled(name);
        let scene = setup.scene();
        let offer = SeatChooserContents {
            draws_other_instance: false,
            last_results: &[],
            scene: &scene,
            preselected: SeatChoice::Watch,
            can_change_players: false,
            stronger: None,
        };
        let mut chooser = SeatToPlayScreen::new(&offer, &keys);
        let buffer = picture::buffer(&mut chooser, &ScreenAppearance::default(), 80, 24);
        let text = picture::text(&buffer);
        let judge = text.split("The judge").nth(1).unwrap();
        let judge = judge.split(" 4 ").next().unwrap();
        assert_eq!(
            judge.contains("This seat has no task: these rules"),
            idle,
            "{text}"
        );
        assert_eq!(judge.contains("a judge who"), !idle, "{text}");
    }
}

/// To a judge, the name of Alice's player tells if she lies.
#[test]
fn the_chooser_does_not_tell_a_judge_who_plays_alice() {
    let keys = keys::default_key_map().unwrap();
    let setup = bundled("law");
    let scene = setup.scene();
    for (seat, is_shown) in [(Seat::Judge, false), (Seat::Opponent, true)] {
        let offer = SeatChooserContents {
            draws_other_instance: false,
            last_results: &[],
            scene: &scene,
            preselected: SeatChoice::Play(seat),
            can_change_players: true,
            stronger: None,
        };
        let mut chooser = SeatToPlayScreen::new(&offer, &keys);
        for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
            let buffer = picture::buffer(&mut chooser, &ScreenAppearance::default(), columns, rows);
            let text = picture::text(&buffer);
            assert_eq!(text.contains("may hide"), is_shown, "{text}");
        }
    }
}

#[test]
fn a_replay_shows_the_same_panels_and_a_timeline() {
    let setup = primes();
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let mut seating = setup.seating(&[]);
    while seating.make_automatic_move().is_ok() {}
    let history =
        SavedDebateWithCursor::from_moves(seating.state_at_start().clone(), seating.moves())
            .unwrap();
    let mut replay = ReplayScreen::new(history, &scene, &keys);
    let look = ScreenAppearance::default();
    press(&mut replay, "] ] right right");
    insta::assert_snapshot!(
        "replay-120x30",
        picture::text(&picture::buffer(&mut replay, &look, 120, 30))
    );
    insta::assert_snapshot!(
        "replay-45x20",
        picture::text(&picture::buffer(&mut replay, &look, 45, 20))
    );
}

/// A seat's task is one or two sentences, each about one thing to do.
#[test]
fn tasks_are_one_or_two_short_sentences() {
    for kind in ProtocolKind::ALL {
        for seat in Seat::PLAYERS {
            let task = kind.task(seat);
            let sentences: Vec<&str> = task.split_inclusive(". ").collect();
            assert!(sentences.len() <= 2, "{kind:?}: {task}");
            for sentence in sentences {
                assert!(sentence.trim().ends_with('.'), "{kind:?}: {task}");
                assert!(sentence.starts_with(char::is_uppercase), "{kind:?}: {task}");
                assert!(
                    sentence.split_whitespace().count() <= 18,
                    "{kind:?}: {task}"
                );
                assert!(!sentence.contains(';'), "{kind:?}: {task}");
            }
        }
    }
}

/// A wide screen describes the marked seat beside the seats; a narrow one does not.
#[test]
fn a_wide_chooser_describes_the_marked_seat() {
    let setup = bundled("pull-request");
    let limits = debate_solver::setup::ScenarioLimits::default();
    let loaded =
        debate_solver::setup::LoadedScenario::load_bundled_scenario("pull-request", &limits);
    let mut scene = setup.scene();
    scene.facts.briefing = loaded
        .unwrap()
        .scenario_texts(setup.instance.world_index())
        .briefing;
    let keys = keys::default_key_map().unwrap();
    let last_results = ["As Bob: gap 2.5 percentage points, payoff +108 points".to_owned()];
    let offer = SeatChooserContents {
        draws_other_instance: false,
        last_results: &last_results,
        scene: &scene,
        preselected: SeatChoice::Play(Seat::Opponent),
        can_change_players: true,
        stronger: None,
    };
    let mut chooser = SeatToPlayScreen::new(&offer, &keys);
    let look = ScreenAppearance::default();
    let words = [
        "If you are Bob",
        "Bob: you.",
        "The rules",
        "payoff +108 points",
    ];
    let wide = picture::text(&picture::buffer(&mut chooser, &look, 200, 60));
    insta::assert_snapshot!("chooser-200x60", wide);
    let narrow = picture::text(&picture::buffer(&mut chooser, &look, 120, 36));
    for words in words {
        assert!(wide.contains(words), "{words}\n{wide}");
        assert!(!narrow.contains(words), "{words}\n{narrow}");
    }
    // A briefing is for one seat only, and the user can still choose another.
    let secret = "Of the last 40 such changes, 28 were safe.";
    assert!(!wide.contains(secret), "{wide}");
    // Every choice has a panel that fits, at every size.
    for _ in 0..5 {
        super::press(&mut chooser, "down");
        for (columns, rows) in [(140, 18), (140, 24), (250, 80)] {
            let text = picture::text(&picture::buffer(&mut chooser, &look, columns, rows));
            let has_panel = text.contains("If you are") || text.contains(" The debate ─");
            assert!(has_panel || rows < 20, "{text}");
        }
    }
}
