//! Two debates side by side.

use debate_host::record::SavedDebateWithCursor;
use debate_tui::tui::debate::{CompareScreen, ComparedDebate, ComparedDebatePair};
use debate_tui::tui::keys;
use debate_tui::tui::screen::{Screen, ScreenEffect};
use debate_tui::tui::theme::ScreenAppearance;

use super::{picture, press};
use crate::support::scenes::{Setup, primes, primes_recursive};

pub(super) fn half(setup: &Setup) -> ComparedDebate<'_> {
    let mut seating = setup.seating(&[]);
    while seating.make_automatic_move().is_ok() {}
    assert!(seating.turn().is_none());
    ComparedDebate {
        history: SavedDebateWithCursor::from_moves(
            seating.state_at_start().clone(),
            seating.moves(),
        )
        .unwrap(),
        scene: setup.scene(),
    }
}

fn text(show: &mut impl Screen, columns: u16, rows: u16) -> String {
    picture::text(&picture::buffer(
        show,
        &ScreenAppearance::default(),
        columns,
        rows,
    ))
}

#[test]
fn both_debates_advance_together_to_their_ends() {
    let keys = keys::default_key_map().unwrap();
    let (left, right) = (primes_recursive(), primes());
    let pair = ComparedDebatePair::new([half(&left), half(&right)]);
    let mut compare = CompareScreen::new(&pair, &keys);
    let start = text(&mut compare, 120, 36);
    assert!(start.contains("recursive: obfuscator") && start.contains("moves left"));
    press(&mut compare, "right right");
    insta::assert_snapshot!("compare-120x36", text(&mut compare, 120, 36));
    press(&mut compare, "end");
    insta::assert_snapshot!("compare-end-80x24", text(&mut compare, 80, 24));
    let narrow = text(&mut compare, 60, 24);
    assert!(narrow.contains("recursive:") && !narrow.contains("estimator:"));
    press(&mut compare, "tab tab");
    let narrow = text(&mut compare, 60, 24);
    assert!(narrow.contains("prover-estimator:"), "{narrow}");
    press(&mut compare, "home");
    assert_eq!(text(&mut compare, 120, 36), {
        press(&mut compare, "tab tab");
        press(&mut compare, "end left [ home tab");
        text(&mut compare, 120, 36)
    });
    assert_eq!(press(&mut compare, "q"), ScreenEffect::Leave(()));
}

/// Both sides have one unit, the smaller one: a win under plain recursion and the points of the other side. 1 payoff is
/// 10,000 points with r = 1/10 and four rounds.
#[test]
fn both_sides_use_points_of_equal_size() {
    let keys = keys::default_key_map().unwrap();
    let (recursive, estimated) = (primes_recursive(), primes());
    for pair in [[&recursive, &estimated], [&estimated, &recursive]] {
        let pair = ComparedDebatePair::new(pair.map(half));
        let mut compare = CompareScreen::new(&pair, &keys);
        press(&mut compare, "end");
        let end = text(&mut compare, 200, 60);
        let words = end.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words.contains("receives +10,000 points, Bob -10,000"),
            "{end}"
        );
        assert!(words.contains("total to Alice +10,000"), "{end}");
        assert!(!words.contains("1 point,"), "{end}");
        assert!(!words.contains("Alice receives +1, Bob"), "{end}");
    }
}

/// The last step is one move, not "1 moves".
#[test]
fn a_single_remaining_move_is_singular() {
    let keys = keys::default_key_map().unwrap();
    let setup = primes_recursive();
    let pair = ComparedDebatePair::new([half(&setup), half(&setup)]);
    let mut compare = CompareScreen::new(&pair, &keys);
    press(&mut compare, "end left");
    let text = text(&mut compare, 120, 36);
    assert!(text.contains("1 move left."), "{text}");
}
