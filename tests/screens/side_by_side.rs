//! Two debates side by side.

use debate_lab::record::History;
use debate_tui::tui::{
    screen::{Compare, ComparedDebate, Effect, LessonOutcome, Screen, keys},
    theme::Appearance,
};

use super::{picture, press};
use crate::scenes::{Setup, primes, primes_recursive};

pub(super) fn half(setup: &Setup) -> ComparedDebate<'_> {
    let mut seating = setup.seating(&[]);
    while seating.advance().is_ok() {}
    assert!(seating.turn().is_none());
    ComparedDebate {
        history: History::of_moves(seating.start().clone(), seating.moves()).unwrap(),
        scene: setup.scene(),
    }
}

fn text(show: &mut impl Screen, columns: u16, rows: u16) -> String {
    picture::text(&picture::buffer(
        show,
        &Appearance::default(),
        columns,
        rows,
    ))
}

#[test]
fn both_debates_go_on_together_to_their_ends() {
    let keys = keys::map().unwrap();
    let (left, right) = (primes_recursive(), primes());
    let halves = [half(&left), half(&right)];
    let mut compare = Compare::new(&halves, &keys);
    let start = text(&mut compare, 120, 36);
    assert!(start.contains("recursive: obfuscator") && start.contains("moves to come"));
    press(&mut compare, "right right");
    insta::assert_snapshot!("compare-120x36", text(&mut compare, 120, 36));
    press(&mut compare, "end");
    insta::assert_snapshot!("compare-end-80x24", text(&mut compare, 80, 24));
    let narrow = text(&mut compare, 60, 24);
    assert!(narrow.contains("recursive:") && !narrow.contains("estimator:"));
    press(&mut compare, "tab");
    let narrow = text(&mut compare, 60, 24);
    assert!(narrow.contains("prover-estimator:"), "{narrow}");
    press(&mut compare, "home");
    assert_eq!(text(&mut compare, 120, 36), {
        press(&mut compare, "tab");
        press(&mut compare, "end left [ home tab");
        text(&mut compare, 120, 36)
    });
    assert_eq!(
        press(&mut compare, "q"),
        Effect::Leave(LessonOutcome::Leave)
    );
}
