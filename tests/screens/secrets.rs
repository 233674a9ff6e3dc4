//! The content of a judge's screen.

use debate_core::number::{Exact, Number};
use debate_core::player::Move;
use debate_core::protocol::{Bet, BitString, Reply, Request, Seat};
use debate_core::scenario::JudgeSees;
use debate_host::Debate;
use debate_host::PlayersThread;
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::screen::Screen;
use debate_tui::tui::theme::ScreenAppearance;

use super::{picture, press};
use crate::support::scenes::{Setup, bridge, bundled};

fn text(show: &mut impl Screen) -> String {
    picture::text(&picture::buffer(
        show,
        &ScreenAppearance::default(),
        100,
        30,
    ))
}

/// The moves of a debate up to the judge's question about the load test; `other` changes all earlier replies.
fn to_the_judge(setup: &Setup, other: bool) -> Vec<Move<Exact>> {
    let mut seating = setup.seating(&Seat::PLAYERS);
    while let Some(turn) = seating.turn() {
        let reply = match turn.request {
            Request::Draw { .. } => {
                seating.make_automatic_move().unwrap();
                continue;
            }
            Request::Oracle { .. } => return seating.moves().to_vec(),
            Request::Answer { .. } => Reply::Answer(other),
            Request::Probability { .. } => {
                Reply::Probability(Exact::ratio(1 + i64::from(other), 4))
            }
            Request::Direction { .. } if other => Reply::Direction(Bet::TooLow),
            Request::Direction { .. } => Reply::Direction(Bet::TooHigh),
            Request::Support { .. } => Reply::Support(u32::from(other)),
            Request::Select { count, .. } => Reply::Select(u32::from(count > 1)),
            Request::Bits { length, .. } => Reply::Bits(BitString::zeros(length as usize)),
            request => panic!("{request:?}"),
        };
        seating.reply(reply).unwrap();
    }
    panic!("nobody asked the judge");
}

fn judged(setup: &Setup, other: bool) -> (Debate<'_>, PlayersThread) {
    let mut seating = setup.seating(&[Seat::Judge]);
    for made in to_the_judge(setup, other) {
        seating.apply_recorded_move(made).unwrap();
    }
    let running = Debate::new(seating, None);
    (running, setup.thread(&[Seat::Judge]))
}

#[test]
fn with_judge_sees_leaf_the_screen_is_independent_of_replies() {
    let setup = bridge();
    let map = keys::default_key_map().unwrap();
    let mut scene = setup.scene();
    scene.facts.judge_sees = JudgeSees::Leaf;
    scene.facts.blind = true;
    let pictures = |other: bool| {
        let (mut running, players) = judged(&setup, other);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &map);
        let mut pictures = vec![text(&mut debate)];
        for keys in [
            "tab",
            "f2",
            "up",
            "f3",
            "up",
            "c",
            "/ s enter",
            "esc",
            "f4",
            "h",
            "? ",
            "esc",
            "esc",
            "y",
        ] {
            let effect = press(&mut debate, keys);
            pictures.push(format!("{}\n{effect:?}", text(&mut debate)));
        }
        press(&mut debate, "enter");
        (pictures, text(&mut debate))
    };
    let ((one, end), (other, other_end)) = (pictures(false), pictures(true));
    assert_eq!(one, other);
    let asked = &one[0];
    assert!(
        asked.contains("It bore three times the usual load"),
        "{asked}"
    );
    for hidden in [
        "lorries",
        "prover-estimator",
        "Round ",
        "stubborn",
        "±1",
        setup.about.as_str(),
    ] {
        let told = one
            .iter()
            .find(|shown| !hidden.is_empty() && shown.contains(hidden));
        assert!(told.is_none(), "{hidden}: {told:?}");
    }
    // After the end everything is open.
    assert_ne!(end, other_end);
    assert!(end.contains("the debate is over"), "{end}");
}

#[test]
fn with_judge_sees_path_the_judge_sees_the_claims_on_the_path() {
    let setup = bridge();
    let map = keys::default_key_map().unwrap();
    let mut scene = setup.scene();
    scene.facts.judge_sees = JudgeSees::Path;
    let (mut running, players) = judged(&setup, false);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &map);
    let asked = text(&mut debate);
    assert!(
        asked.contains("The claims above this one: ") && asked.contains("lorries"),
        "{asked}"
    );
    assert!(!asked.contains("estimated at"), "{asked}");
}

/// A judge who does not see the others' moves does not see their number either.
#[test]
fn one_key_moves_the_debate_to_an_unseeing_judge() {
    let setup = bridge();
    let map = keys::default_key_map().unwrap();
    let mut scene = setup.scene();
    scene.facts.judge_sees = JudgeSees::Leaf;
    let (mut running, players) = setup.debate(&[Seat::Judge]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &map);
    let before = text(&mut debate);
    assert!(before.contains("debate without the judge"), "{before}");
    press(&mut debate, "R");
    let asked = text(&mut debate);
    assert!(asked.contains("Is this claim true"), "{asked}");
}

/// The question to a judge repeats no estimate, coin or bet. The evidence may contain other numbers.
#[test]
fn the_question_to_a_judge_repeats_no_hidden_number() {
    let keys = keys::default_key_map().unwrap();
    for name in ["caffeine", "primes-small", "hidden-flaw"] {
        let setup = bundled(name);
        let scene = setup.scene();
        let (mut running, players) = setup.debate(&[Seat::Judge]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        press(&mut debate, "enter");
        let shown = text(&mut debate);
        assert!(shown.contains("Is this claim true"), "{name}\n{shown}");
        let (upper, question) = shown.split_once("Is this claim true").unwrap();
        assert!(!upper.contains(['%', '⚄', '▲', '▼']), "{name}\n{shown}");
        let meanwhile = question.split_once("Since your last key: ");
        let meanwhile = meanwhile.map_or("", |(_, after)| after);
        assert!(!meanwhile.contains(['%', '⚄']), "{name}\n{shown}");
        assert!(
            !meanwhile.contains("estimate") && !meanwhile.contains("coin"),
            "{name}\n{shown}"
        );
    }
}
