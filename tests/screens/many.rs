//! Debates with very many events: reading them in parts gives the same as reading them at once.

use debate_host::record::{SavedDebateStep, SavedDebateWithCursor, SavedStepKind};
use debate_tui::tui::debate::ReplayScreen;
use debate_tui::tui::keys;
use debate_tui::tui::scene::DebateScreenContext;
use debate_tui::tui::screen::{Screen, ScreenWithTimedUpdates as _};
use debate_tui::tui::theme::ScreenAppearance;

use super::{picture, press};
use crate::support::long;
use crate::support::scenes::{bundled, primes, primes_recursive};

fn text(show: &mut impl Screen) -> String {
    picture::text(&picture::buffer(
        show,
        &ScreenAppearance::default(),
        160,
        50,
    ))
}

/// After moving back to any step, a replay shows the same as one that only moved forward.
#[test]
fn going_back_shows_the_same_screens_as_going_forward() {
    let keys = keys::default_key_map().unwrap();
    let setups = [
        primes(),
        primes_recursive(),
        bundled("turing"),
        bundled("qbf"),
    ];
    for setup in setups {
        let scene = setup.scene();
        let mut seating = setup.seating(&[]);
        while seating.make_automatic_move().is_ok() {}
        let start = setup.protocol.start(&setup.instance).unwrap();
        let moves = seating.moves().iter().cloned();
        let mut steps: Vec<SavedDebateStep> = moves.map(SavedDebateStep::from).collect();
        // Two moves in the middle are undone and made again.
        let middle = steps.len() / 2;
        let undone = SavedDebateStep {
            kind: SavedStepKind::Undo { kept: middle - 2 },
            ms: None,
        };
        let again = steps[middle - 2..middle].to_vec();
        steps.splice(middle..middle, std::iter::once(undone).chain(again));
        let last = steps.len();
        let history = SavedDebateWithCursor::new(start, steps).unwrap();
        let mut replay = ReplayScreen::new(history.clone(), &scene, &keys);
        press(&mut replay, "end");
        for to in (0..last)
            .rev()
            .chain([last, 1, last - 1, 0, middle, middle + 1, 2])
        {
            replay.go_to_step(to);
            let mut forward = ReplayScreen::new(history.clone(), &scene, &keys);
            (0..=to).for_each(|step| forward.go_to_step(step));
            assert_eq!(text(&mut replay), text(&mut forward), "{to} of {last}");
        }
    }
}

#[test]
fn a_long_debate_is_walked_scrolled_and_searched() {
    let keys = keys::default_key_map().unwrap();
    let rules = long::protocol();
    let instance = long::instance(4);
    let (moves, events) = long::moves(&instance, &rules);
    assert!(events > 8 * long::WIDTH as usize, "{events}");
    let scene = DebateScreenContext::new(&instance, &rules);
    let history =
        SavedDebateWithCursor::from_moves(rules.start(&instance).unwrap(), &moves).unwrap();
    let mut replay = ReplayScreen::new(history.clone(), &scene, &keys);
    press(&mut replay, "end left left left");
    let mut forward = ReplayScreen::new(history, &scene, &keys);
    forward.go_to_step(moves.len() - 3);
    assert_eq!(text(&mut replay), text(&mut forward));
    // Moves back round by round to the start.
    for _ in 0..6 {
        press(&mut replay, "[");
    }
    press(&mut forward, "home");
    assert_eq!(text(&mut replay), text(&mut forward));
    press(&mut replay, "end f3 g");
    assert!(text(&mut replay).contains("All is well from level 0 on"));
    // A search that takes longer than a frame continues in the background.
    press(&mut replay, "/ O V E R . enter");
    let mut frames = 0;
    while replay.deadline().is_some() {
        replay.wake();
        frames += 1;
        assert!(frames < 10_000);
    }
    let found = text(&mut replay);
    assert!(found.contains("The debate is over."), "{found}");
    // The last row of the tree is the root's second-to-last subclaim.
    press(&mut replay, "f2 G");
    let tree = text(&mut replay);
    assert!(tree.contains("The leaf 1023 is sound"), "{tree}");
}
