//! The values of replies on the screens: hints, many debates of a pair, the review.

use debate_core::chance::Seed;
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::Seat;
use debate_host::record::SavedDebateWithCursor;
use debate_solver::analysis::review::ReviewContext;
use debate_tui::tui::debate::{DebateScreen, DebateScreenChoice, ReplayScreen};
use debate_tui::tui::input::MainLoopWaker;
use debate_tui::tui::keys;
use debate_tui::tui::scene::{DebateScreenContext, HintAndReviewInputs};
use debate_tui::tui::screen::{Screen, ScreenEffect, ScreenWithTimedUpdates as _};
use debate_tui::tui::theme::{ASCII, ScreenAppearance};

use super::choices::joined;
use super::{picture, press};
use crate::support::patience::wait_until;
use crate::support::scenes::{Setup, bridge, bundled, primes};

/// The scene of a debate with these human players, with the data for computing values.
pub(super) fn valued<'a>(
    setup: &'a Setup,
    people: &[Seat],
    hints: bool,
) -> DebateScreenContext<'a> {
    let sits = Seat::PLAYERS.map(|seat| {
        let human = people.contains(&seat);
        let name = &setup.players[seat.seat_index()];
        PlayerSpec::parse(if human { "human" } else { name }).unwrap()
    });
    let own = setup
        .players
        .each_ref()
        .map(|name| PlayerSpec::parse(name).ok());
    let case = ReviewContext::new(
        &setup.instance,
        &setup.protocol,
        sits,
        own,
        StrategyRegistry::registry_with_builtin_players(),
    );
    let seed = Seed::new(setup.seed.as_str()).unwrap();
    let values = HintAndReviewInputs {
        case,
        seed,
        hints,
        waker: MainLoopWaker::default(),
    };
    DebateScreenContext {
        values: Some(values.clone()),
        values_at_end: Some(values),
        ..setup.scene()
    }
}

/// The text of the screen after all computations have ended.
pub(super) fn settled(
    show: &mut impl Screen,
    look: &ScreenAppearance,
    columns: u16,
    rows: u16,
) -> String {
    wait_until("the end of the computation", || {
        let text = picture::text(&picture::buffer(show, look, columns, rows));
        show.timer()
            .and_then(|timer| timer.deadline())
            .is_none()
            .then_some(text)
    })
}

fn with<T>(
    setup: &Setup,
    people: &[Seat],
    hints: bool,
    script: &str,
    look: impl FnOnce(&mut DebateScreen) -> T,
) -> T {
    let scene = valued(setup, people, hints);
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(people);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, script);
    look(&mut debate)
}

fn seen(setup: &Setup, seat: Seat, hints: bool, script: &str) -> String {
    with(setup, &[seat], hints, script, |debate| {
        settled(debate, &ScreenAppearance::default(), 100, 30)
    })
}

#[test]
fn hints_are_shown_beside_every_reply() {
    let (prover, opponent) = (Seat::Prover, Seat::Opponent);
    for (name, setup, seat, script) in [
        ("answer", bridge(), prover, ""),
        ("direction", bridge(), prover, "y enter enter"),
        ("estimate", bridge(), opponent, "enter 3 7"),
    ] {
        let text = seen(&setup, seat, true, script);
        assert!(text.contains("Hint: "), "{text}");
        insta::assert_snapshot!(format!("hint-{name}"), text);
    }
}

#[test]
fn a_judge_has_no_hints() {
    for hints in [false, true] {
        let text = seen(&primes(), Seat::Judge, hints, "enter h");
        assert!(text.contains("You have no hints in this debate."), "{text}");
        assert!(
            !text.contains("worth +") && !text.contains("worth -"),
            "{text}"
        );
    }
}

#[test]
fn hints_toggle_with_their_key_and_are_off_in_studies() {
    with(&bridge(), &[Seat::Prover], false, "", |debate| {
        let look = ScreenAppearance::default();
        let shown = |debate: &mut DebateScreen<'_, '_>| settled(debate, &look, 100, 30);
        assert!(!shown(debate).contains("Hint: "));
        press(debate, "h");
        assert!(shown(debate).contains("Hint: "));
        press(debate, "h");
        let hidden = shown(debate);
        assert!(!hidden.contains("Hint: "));
        assert!(
            hidden.contains("Hints are off. h turns them on again."),
            "{hidden}"
        );
    });
    let setup = bridge();
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[Seat::Prover]);
    let mut study = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut study, "h");
    assert!(study.deadline().is_none());
    let text = settled(&mut study, &ScreenAppearance::default(), 100, 30);
    assert!(text.contains("You have no hints in this debate."), "{text}");
}

#[test]
fn computations_can_be_stopped() {
    with(&primes(), &[Seat::Opponent], true, "enter", |debate| {
        press(debate, "esc");
        assert!(debate.deadline().is_none());
        let text = settled(debate, &ScreenAppearance::default(), 100, 30);
        let found = text.contains("Hint: ");
        assert!(
            found || text.contains("No hint for this question: stopped."),
            "{text}"
        );
        // A second request finds the hints.
        if !found {
            press(debate, "h");
            assert!(settled(debate, &ScreenAppearance::default(), 100, 30).contains("Hint: "));
        }
    });
}

/// Alice claims a falsehood about the bridge, and bets without a plan.
const ALICE: &str = "n enter enter 1 enter 1 enter enter 1 enter enter y enter";

/// Plays to the end with any accepted replies.
pub(super) fn to_the_end(debate: &mut DebateScreen) {
    for _ in 0..200 {
        let text = picture::text(&picture::buffer(
            debate,
            &ScreenAppearance::default(),
            100,
            30,
        ));
        if text.contains("The end") {
            return;
        }
        press(debate, "n 1 enter");
    }
    panic!("no end");
}

#[test]
fn the_end_has_five_lines_and_a_thousand_debates() {
    with(&bridge(), &[Seat::Prover], false, ALICE, |debate| {
        to_the_end(debate);
        let look = ScreenAppearance::default();
        let end = settled(debate, &look, 120, 60);
        for said in ["Payoff", "Rounds", "Decided", "Mistake"] {
            assert!(end.contains(said), "{said}: {end}");
        }
        insta::assert_snapshot!("end-review", end);
        press(debate, "m");
        let many = settled(debate, &look, 100, 40);
        let text = joined(&many);
        assert!(
            text.contains("Exact mean: ") && text.contains("first answer "),
            "{many}"
        );
        insta::assert_snapshot!("end-many", many);
        press(debate, "esc e");
        let review = settled(debate, &look, 100, 40);
        assert!(
            review.contains("Breakdown") && review.contains("Spent"),
            "{review}"
        );
        insta::assert_snapshot!("end-regrets", review);
        let ascii = ScreenAppearance {
            glyphs: &ASCII,
            ..ScreenAppearance::default()
        };
        settled(debate, &ascii, 40, 12);
        press(debate, "esc");
        assert_eq!(
            press(debate, "q"),
            ScreenEffect::Leave(DebateScreenChoice::Quit)
        );
    });
}

/// Alice's answer to one question of fact contradicts its evidence; the later steps follow from that answer.
#[test]
fn the_review_lists_the_steps_of_a_plan_and_the_wrong_one() {
    with(&bundled("law"), &[Seat::Judge], false, "", |debate| {
        to_the_end(debate);
        press(debate, "e");
        let review = settled(debate, &ScreenAppearance::default(), 120, 60);
        let follows = "(this answer is false";
        let counts =
            ["”: yes", "”: no", " (wrong)", follows, "told ="].map(|it| review.matches(it).count());
        assert_eq!(counts[1..], [2, 1, 3, 0], "{review}");
        // The guarantee is for a judge who is right, and names no theorem.
        assert!(
            review.contains("if the judge is right: the side"),
            "{review}"
        );
        assert!(!review.contains("Theorem"), "{review}");
        let wrong = "“the seller announced the delay within three working days”: no (wrong)";
        assert!(review.contains(wrong), "{review}");
    });
}

/// The steps of an argument are listed as claims, with the evidence of a step beside them, also in a small window.
#[test]
fn pointing_at_a_step_shows_its_claim_and_evidence() {
    with(&bundled("law"), &[Seat::Opponent], false, "", |debate| {
        let look = ScreenAppearance::default();
        press(debate, "enter");
        let wide = settled(debate, &look, 200, 60);
        for said in ["├ the oven was due by 1 June", "the answer to every step"] {
            assert!(wide.contains(said), "{said}: {wide}");
        }
        let listed = |line: &str| line.contains("0 “the oven was due by 1 June”: yes;");
        assert!(wide.lines().any(listed), "{wide}");
        settled(debate, &look, 80, 24);
        press(debate, "3");
        let screen = settled(debate, &look, 80, 24);
        for said in [
            "3  no   told: the seller announced the delay within three working days",
            "Step 3, told:",
            "wrote no.",
            "Evidence for a judge: Clause 8",
        ] {
            assert!(screen.contains(said), "{said}: {screen}");
        }
        // A conclusion is above the claims that it follows from.
        press(debate, "down");
        let screen = settled(debate, &look, 120, 36);
        for said in ["├ beyond: yes, the cause of", "└ told: no, the seller"] {
            assert!(screen.contains(said), "{said}: {screen}");
        }
    });
    with(&bundled("law"), &[Seat::Prover], false, "", |debate| {
        let screen = settled(debate, &ScreenAppearance::default(), 80, 24);
        let conclusion = "4  yes ✔  excused: the delay is excused (all of beyond, told)";
        assert!(screen.contains(conclusion), "{screen}");
    });
}

/// The judge decides one step, and sees the answers to all steps as a list.
#[test]
fn the_answers_to_all_steps_are_a_list_for_the_judge() {
    with(&bundled("law"), &[Seat::Judge], false, "", |debate| {
        press(debate, "enter");
        let look = ScreenAppearance::default();
        insta::assert_snapshot!("listed-answers", settled(debate, &look, 80, 24));
        insta::assert_snapshot!("listed-answers-wide", settled(debate, &look, 120, 36));
        press(debate, "y enter");
        insta::assert_snapshot!("listed-answers-end", settled(debate, &look, 120, 36));
    });
}

#[test]
fn a_replay_has_the_review_and_its_marks() {
    let setup = bridge();
    let scene = valued(&setup, &[Seat::Prover], false);
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[Seat::Prover]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, ALICE);
    to_the_end(&mut debate);
    drop(debate);
    let start = setup.protocol.start(&setup.instance).unwrap();
    let history =
        SavedDebateWithCursor::from_moves(start, running.state_and_players().moves()).unwrap();
    let mut replay = ReplayScreen::new(history, &scene, &keys);
    let look = ScreenAppearance::default();
    press(&mut replay, "right right");
    let text = settled(&mut replay, &look, 120, 40);
    insta::assert_snapshot!("replay-marks", text);
    press(&mut replay, "x");
    let text = settled(&mut replay, &look, 120, 40);
    assert!(
        joined(&text).contains("more against this Bob, if"),
        "{text}"
    );
    assert!(!text.contains(".."), "{text}");
    press(&mut replay, "e");
    let text = settled(&mut replay, &look, 120, 40);
    assert!(text.contains("Review: enter goes to a mistake"), "{text}");
}
