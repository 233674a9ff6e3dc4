//! The panel of a wide screen that explains the step, the estimates of the round and the evidence.

use debate_core::protocol::Seat;
use debate_core::scenario::JudgeSees;
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::theme::{ASCII, ScreenAppearance, Theme};

use super::{TO_THE_PICTURE, picture, press};
use crate::support::scenes::{Setup, bridge, bundled, primes, primes_recursive};

/// The title of the panel.
const TITLE: &str = " Explanation ";

fn with<T>(
    setup: &Setup,
    seat: Seat,
    judge_sees: JudgeSees,
    script: &str,
    look: impl FnOnce(&mut DebateScreen) -> T,
) -> T {
    let mut scene = setup.scene();
    scene.facts.judge_sees = judge_sees;
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[seat]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, script);
    look(&mut debate)
}

fn at(debate: &mut DebateScreen, look: &ScreenAppearance, columns: u16, rows: u16) -> String {
    picture::text(&picture::buffer(debate, look, columns, rows))
}

fn seen(setup: &Setup, seat: Seat, script: &str, columns: u16, rows: u16) -> String {
    let sees = JudgeSees::default();
    with(setup, seat, sees, script, |debate| {
        at(debate, &ScreenAppearance::default(), columns, rows)
    })
}

#[test]
fn wide_screens_show_the_estimates_as_a_bar_that_splits() {
    let setup = bundled("primes");
    with(
        &setup,
        Seat::Opponent,
        JudgeSees::default(),
        "enter 6 7 enter enter 9 0 enter enter 3 3",
        |debate| {
            for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
                let shown = at(debate, &ScreenAppearance::default(), columns, rows);
                assert_eq!(shown.contains(TITLE), columns >= 110, "{shown}");
                // A large panel also explains the signs of the claims.
                let explains_signs = shown.contains("◇ a sealed reply");
                assert_eq!(explains_signs, columns >= 200, "{shown}");
                insta::assert_snapshot!(format!("explanation-{columns}x{rows}"), shown);
            }
            // The hole has its own sign, so that it is visible without colours and in ASCII.
            let plain = ScreenAppearance {
                theme: Theme::Monochrome,
                glyphs: &ASCII,
                ..ScreenAppearance::default()
            };
            let shown = at(debate, &plain, 120, 36);
            assert!(shown.is_ascii() && shown.contains("xxx"), "{shown}");
            insta::assert_snapshot!("explanation-ascii", shown);
            // The picture follows the draft: with this number there is no hole.
            press(debate, "backspace backspace 7 5");
            let shown = at(debate, &ScreenAppearance::default(), 120, 36);
            assert!(
                !shown.contains('╳') && shown.contains("No gap so far"),
                "{shown}"
            );
        },
    );
}

#[test]
fn a_gap_is_red_and_nothing_else_of_the_picture_is() {
    with(
        &bundled("primes"),
        Seat::Opponent,
        JudgeSees::default(),
        "enter 6 7 enter enter 9 0 enter enter 3 3",
        |debate| {
            let look = ScreenAppearance::default();
            let buffer = picture::buffer(debate, &look, 120, 36);
            let red = look.style(debate_tui::tui::theme::TextRole::Bad).fg;
            let cells = || buffer.content.iter().filter(|cell| cell.symbol() == "╳");
            assert!(cells().count() > 2);
            assert!(cells().all(|cell| Some(cell.fg) == red));
            press(debate, "backspace backspace 7 5");
            let buffer = picture::buffer(debate, &look, 120, 36);
            let is_red = |position: &ratatui::layout::Position| Some(buffer[*position].fg) == red;
            // The loss of the first answer, above the panel, is red too.
            let text = picture::text(&buffer);
            let top = text.lines().position(|line| line.contains(TITLE)).unwrap();
            let panel = buffer.area.positions();
            let panel = panel.filter(|position| position.x > 84 && usize::from(position.y) > top);
            let red: Vec<_> = panel.filter(is_red).collect();
            assert!(red.is_empty(), "{red:?}");
        },
    );
}

/// Under a majority the estimates leave a range, and the panel says so.
#[test]
fn other_gates_show_the_range() {
    let script = "enter 9 0 enter enter 3 0 enter enter 2 0";
    let shown = seen(&bridge(), Seat::Opponent, script, 120, 36);
    assert!(
        shown.contains("together") && shown.contains("range"),
        "{shown}"
    );
    insta::assert_snapshot!("explanation-majority", shown);
}

#[test]
fn other_rules_explain_the_step() {
    let shown = seen(&primes_recursive(), Seat::Opponent, "enter", 120, 36);
    assert!(
        shown.contains(TITLE) && shown.contains("This step"),
        "{shown}"
    );
    assert!(!shown.contains("The estimates"), "{shown}");
}

/// The panel has nothing that its reader may not see.
#[test]
fn the_panel_keeps_the_secrets_of_the_debate() {
    let setup = bridge();
    for sees in [JudgeSees::Leaf, JudgeSees::Path, JudgeSees::Transcript] {
        with(&setup, Seat::Judge, sees, "enter", |debate| {
            let shown = at(debate, &ScreenAppearance::default(), 200, 60);
            assert!(!shown.contains("The estimates"), "{shown}");
            // A judge must not see how the answer pays.
            assert!(!shown.contains("largest stake"), "{shown}");
        });
    }
    // Bob is not shown the evidence unless the scenario opens it.
    let bob = seen(&setup, Seat::Opponent, "enter 9 0 enter enter", 200, 60);
    assert!(!bob.contains("Test report"), "{bob}");
    // A sealed bet is not in the panel, whatever it is.
    let panel = |script: &str| {
        let shown = seen(&primes(), Seat::Opponent, script, 200, 60);
        let (_, panel) = shown.split_once(TITLE).unwrap();
        // The meanings of all signs are no secret.
        let (panel, _) = panel.split_once(" Signs").unwrap();
        assert!(
            !panel.contains(['▲', '▼']) && !panel.contains("Alice bet "),
            "{panel}"
        );
    };
    panel("enter");
    panel(TO_THE_PICTURE);
}

/// Alice reads the evidence for the claim that is selected in the tree.
#[test]
fn alice_reads_the_evidence_of_the_selected_claim() {
    let script = "y enter enter 1 enter 1 enter f2 down down";
    let shown = seen(&bridge(), Seat::Prover, script, 120, 36);
    assert!(shown.contains("Evidence"), "{shown}");
    insta::assert_snapshot!("explanation-evidence", shown);
}
