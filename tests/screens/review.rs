//! The review: faults with their claims, links to each, and another try.

use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{Reply, Seat};
use debate_host::record::{SavedDebateHistory, SavedStep, SavedStepKind};
use debate_tui::tui::debate::{DebateScreen, DebateScreenChoice, ReplayScreen, ReplayScreenChoice};
use debate_tui::tui::keys;
use debate_tui::tui::screen::ScreenEffect;
use debate_tui::tui::theme::ScreenAppearance;

use super::press;
use super::values::{settled, to_the_end, valued};
use crate::support::scenes::bridge;

/// Alice bets the wrong way, twice.
const ALICE: &str = "y enter enter 3 enter 1 enter enter 1 enter 3 enter";

#[test]
fn a_fault_is_listed_and_replayed() {
    let setup = bridge();
    let scene = valued(&setup, &[Seat::Prover], false);
    let keys = keys::default_key_map().unwrap();
    let look = ScreenAppearance::default();
    let (mut running, players) = setup.debate(&[Seat::Prover]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, ALICE);
    to_the_end(&mut debate);
    settled(&mut debate, &look, 120, 40);
    press(&mut debate, "e");
    let listed = settled(&mut debate, &look, 120, 40);
    let claim = "“The old bridge can carry lorries";
    assert!(listed.contains("enter goes to a mistake"), "{listed}");
    assert!(listed.contains(claim), "{listed}");
    assert!(
        listed.contains("too high. ") && listed.contains(" more "),
        "{listed}"
    );
    // Enter shows the greatest fault; the key for another try continues before it.
    let ScreenEffect::Leave(DebateScreenChoice::Show(first)) = press(&mut debate, "enter") else {
        panic!("{listed}");
    };
    assert_eq!(
        press(&mut debate, "a"),
        ScreenEffect::Leave(DebateScreenChoice::TryAgain(first))
    );
    press(&mut debate, "down");
    let ScreenEffect::Leave(DebateScreenChoice::Show(second)) = press(&mut debate, "enter") else {
        panic!("there are two");
    };
    assert_ne!(second, first);
    // Outside the list, faults are visited in the order of time.
    let (first, second) = (first.min(second), first.max(second));
    press(&mut debate, "esc");
    assert_eq!(
        press(&mut debate, "x"),
        ScreenEffect::Leave(DebateScreenChoice::Show(first))
    );
    drop(debate);

    let start = setup.protocol.start(&setup.instance).unwrap();
    let moves = running.state_and_players().moves();
    let history = SavedDebateHistory::from_moves(start, moves).unwrap();
    let mut replay = ReplayScreen::new(history, &scene, &keys);
    settled(&mut replay, &look, 120, 40);
    press(&mut replay, "x");
    let shown = settled(&mut replay, &look, 120, 40);
    let step = format!("Step {first} of");
    assert!(shown.contains(&step), "{shown}");
    assert!(shown.contains("a tries again"), "{shown}");
    press(&mut replay, "x");
    let shown = settled(&mut replay, &look, 120, 40);
    assert!(shown.contains(&format!("Step {second} of")), "{shown}");
    press(&mut replay, "X");
    let ScreenEffect::Leave(ReplayScreenChoice::PlayOn(at, kept)) = press(&mut replay, "a") else {
        panic!("{}", settled(&mut replay, &look, 120, 40));
    };
    assert_eq!((at, &kept[..]), (first, &moves[..first]));
    press(&mut replay, "home a");
    let shown = settled(&mut replay, &look, 120, 40);
    assert!(shown.contains("This move is no mistake"), "{shown}");
}

/// A move that was undone and repeated is found at the last step that made it.
#[test]
fn a_move_is_found_among_undone_steps() {
    let setup = bridge();
    let mut seating = setup.seating(&[Seat::Prover, Seat::Opponent]);
    let mut steps = Vec::new();
    seating.reply(Reply::Answer(false)).unwrap();
    steps.extend(seating.moves().iter().cloned().map(SavedStep::from));
    seating.undo_last_outside_reply().unwrap();
    steps.push(SavedStep {
        kind: SavedStepKind::Undo { kept: 0 },
        ms: None,
    });
    seating.reply(Reply::Answer(true)).unwrap();
    seating
        .reply(Reply::Probability(Exact::ratio(1, 2)))
        .unwrap();
    steps.extend(seating.moves().iter().cloned().map(SavedStep::from));
    let start = setup.protocol.start(&setup.instance).unwrap();
    let history = SavedDebateHistory::new(start, steps).unwrap();
    let found = [0, 1, 2].map(|number| history.steps_before_move(number));
    assert_eq!(found, [Some(2), Some(3), None]);
}
