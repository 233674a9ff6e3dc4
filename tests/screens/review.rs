//! The review: faults with their claims, links to each, and another try.

use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{Reply, Seat};
use debate_host::record::{SavedDebateStep, SavedDebateWithCursor, SavedStepKind};
use debate_text::ViewerPerspective;
use debate_tui::tui::debate::{DebateScreen, DebateScreenChoice, ReplayScreen, ReplayScreenChoice};
use debate_tui::tui::keys;
use debate_tui::tui::scene::DebateScreenContext;
use debate_tui::tui::screen::{Screen as _, ScreenEffect};
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
        press(&mut debate, "f"),
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
    let history = SavedDebateWithCursor::from_moves(start, moves).unwrap();
    let mut replay = ReplayScreen::new(history, &scene, &keys);
    settled(&mut replay, &look, 120, 40);
    press(&mut replay, "x");
    let shown = settled(&mut replay, &look, 120, 40);
    let step = format!("Move {first} of");
    assert!(shown.contains(&step), "{shown}");
    assert!(shown.contains("f retries this move"), "{shown}");
    press(&mut replay, "x");
    let shown = settled(&mut replay, &look, 120, 40);
    assert!(shown.contains(&format!("Move {second} of")), "{shown}");
    press(&mut replay, "X");
    let ScreenEffect::Leave(ReplayScreenChoice::PlayOn(at, kept)) = press(&mut replay, "f") else {
        panic!("{}", settled(&mut replay, &look, 120, 40));
    };
    assert_eq!((at, &kept[..]), (first, &moves[..first]));
    press(&mut replay, "home f");
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
    steps.extend(seating.moves().iter().cloned().map(SavedDebateStep::from));
    seating.undo_reply_of_user_or_driving_program().unwrap();
    steps.push(SavedDebateStep {
        kind: SavedStepKind::Undo { kept: 0 },
        ms: None,
    });
    seating.reply(Reply::Answer(true)).unwrap();
    seating
        .reply(Reply::Probability(Exact::ratio(1, 2)))
        .unwrap();
    steps.extend(seating.moves().iter().cloned().map(SavedDebateStep::from));
    let start = setup.protocol.start(&setup.instance).unwrap();
    let history = SavedDebateWithCursor::new(start, steps).unwrap();
    let found = [0, 1, 2].map(|number| history.steps_before_move(number));
    assert_eq!(found, [Some(2), Some(3), None]);
}

/// The review of a replay shows the same lines as the review at the end of the debate, with and without the values of
/// replies. A replay of a debate that was not played to its end has no such report.
#[test]
fn the_review_of_a_replay_equals_the_review_at_the_end() {
    let setup = bridge();
    let keys = keys::default_key_map().unwrap();
    let look = ScreenAppearance::default();
    let start = || setup.protocol.start(&setup.instance).unwrap();
    for scene in [valued(&setup, &[Seat::Prover], false), setup.scene()] {
        let scene = DebateScreenContext {
            replayed_from: ViewerPerspective::of_seat(Seat::Prover),
            ..scene
        };
        let (mut running, players) = setup.debate(&[Seat::Prover]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        press(&mut debate, ALICE);
        to_the_end(&mut debate);
        settled(&mut debate, &look, 120, 40);
        press(&mut debate, "e");
        settled(&mut debate, &look, 120, 40);
        let at_end = debate.screen_reader_text().unwrap();
        assert!(at_end.contains("Players"), "{at_end}");
        drop(debate);

        let moves = running.state_and_players().moves();
        let history = SavedDebateWithCursor::from_moves(start(), moves).unwrap();
        let mut replay = ReplayScreen::new(history, &scene, &keys);
        for way in ["e", "esc end e"] {
            press(&mut replay, way);
            settled(&mut replay, &look, 120, 40);
            assert_eq!(replay.screen_reader_text().unwrap(), at_end, "{way}");
        }
        let cut = SavedDebateWithCursor::from_moves(start(), &moves[..3]).unwrap();
        let mut replay = ReplayScreen::new(cut, &scene, &keys);
        press(&mut replay, "end e");
        settled(&mut replay, &look, 120, 40);
        let shown = replay.screen_reader_text().unwrap();
        assert!(!shown.contains("Players"), "{shown}");
    }
}

/// The averages of many debates are available in the replay of a finished debate.
#[test]
fn a_replay_shows_the_averages_of_many_debates() {
    let setup = bridge();
    let scene = valued(&setup, &[Seat::Prover], false);
    let keys = keys::default_key_map().unwrap();
    let look = ScreenAppearance::default();
    let (mut running, players) = setup.debate(&[Seat::Prover]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, ALICE);
    to_the_end(&mut debate);
    drop(debate);
    let moves = running.state_and_players().moves();
    let start = || setup.protocol.start(&setup.instance).unwrap();
    for (count, is_over) in [(moves.len(), true), (3, false)] {
        let history = SavedDebateWithCursor::from_moves(start(), &moves[..count]).unwrap();
        let mut replay = ReplayScreen::new(history, &scene, &keys);
        press(&mut replay, "m");
        let shown = settled(&mut replay, &look, 120, 40);
        assert_eq!(
            shown.contains("Averages of many debates"),
            is_over,
            "{shown}"
        );
        assert_eq!(
            shown.contains("Only a finished debate"),
            !is_over,
            "{shown}"
        );
    }
}

/// The footer says where the key leads: back to the end of the debate, or away.
#[test]
fn the_footer_of_a_replay_names_the_way_back() {
    let setup = bridge();
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    for (returns, word) in [(true, "q back"), (false, "q leave")] {
        let start = setup.protocol.start(&setup.instance).unwrap();
        let history = SavedDebateWithCursor::from_moves(start, &[]).unwrap();
        let mut replay = ReplayScreen::new(history, &scene, &keys);
        if returns {
            replay.mark_return_to_debate_end();
        }
        let shown = settled(&mut replay, &ScreenAppearance::default(), 120, 40);
        let footer = shown.trim_end().lines().next_back().unwrap();
        assert!(footer.ends_with(word), "{footer}");
    }
}
