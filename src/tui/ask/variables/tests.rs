use super::super::testing::{Step, check_traces, picture};
use super::*;
use crate::tui::ask::widget::{Editor as _, Widget as _};
use crate::tui::keys::Action;
use crate::tui::theme::Appearance;
use crate::tui::widget::Canvas;
use debate_core::protocol::Reply;
use debate_core::scenario::read_qdimacs;
use std::fmt::Write as _;

/// Returns a formula: the bicycle is chosen first, then the rain, then the coat, the bus and the ride.
fn formula() -> Arc<Formula> {
    let text = "p cnf 5 5\ne 1 0\na 2 0\ne 3 4 5 0\n4 5 0\n-5 1 0\n-5 -2 3 0\n-3 2 0\n1 -4 0\n";
    let names = ["bicycle", "rain", "coat", "bus", "ride"].map(str::to_owned);
    let formula = read_qdimacs(text.as_bytes()).unwrap();
    Arc::new(formula.with_names((1..).zip(names)).unwrap())
}

/// Returns the editor of the last block, if Alice has no bicycle and it does not rain.
fn editor() -> GridEditor<VariableEditor> {
    GridEditor::for_variables(formula(), 2, vec![false, false], None).unwrap()
}

/// Returns a block of 120 variables with 40 clauses.
fn long_formula() -> Arc<Formula> {
    let variables: Vec<String> = (1..=120).map(|number: u32| number.to_string()).collect();
    let mut text = format!("p cnf 120 40\ne {} 0\n", variables.join(" "));
    for clause in 1..=40 {
        let _ = writeln!(text, "{clause} -{} 0", clause + 80);
    }
    Arc::new(read_qdimacs(text.as_bytes()).unwrap())
}

fn press(editor: &mut GridEditor<VariableEditor>, keys: &str) {
    for key in keys.chars() {
        assert!(editor.press(key));
    }
}

fn sent_bits(editor: &GridEditor<VariableEditor>) -> String {
    let Ok(Reply::Bits(bits)) = editor.reply() else {
        panic!("no bits");
    };
    bits.to_string()
}

#[test]
fn variables_have_names_and_clauses_show_their_truth() {
    let mut editor = editor();
    insta::assert_snapshot!("beside", picture(&mut editor, 78));
    insta::assert_snapshot!("below", picture(&mut editor, 38));
    // A ride without a bicycle breaks a clause.
    editor.act(Action::LastPlace);
    press(&mut editor, "1");
    assert_eq!(sent_bits(&editor), "001");
    let shown = picture(&mut editor, 78);
    assert!(shown.contains("✘ not ride or bicycle"), "{shown}");
    assert!(shown.contains("✔ bus or ride"), "{shown}");
    insta::assert_snapshot!("broken", shown);
}

#[test]
fn clauses_that_outer_blocks_satisfy_are_only_counted() {
    let mut editor = GridEditor::for_variables(formula(), 2, vec![true, false], None).unwrap();
    let shown = picture(&mut editor, 78);
    // Of five clauses three read the bicycle or the sun and hold.
    assert!(!shown.contains("not ride or bicycle"), "{shown}");
    assert!(shown.contains("1 fails, 4 hold"), "{shown}");
    press(&mut editor, "1");
    let shown = picture(&mut editor, 78);
    assert!(shown.contains("2 fail, 3 hold"), "{shown}");
}

#[test]
fn edits_are_undone_and_clauses_follow() {
    let mut editor = editor();
    let before = picture(&mut editor, 78);
    press(&mut editor, "111");
    assert_ne!(picture(&mut editor, 78), before);
    while editor.is_edited() {
        assert!(editor.undo());
    }
    editor.act(Action::FirstPlace);
    assert_eq!(picture(&mut editor, 78), before);
}

#[test]
fn a_click_marks_a_variable() {
    let mut editor = editor();
    picture(&mut editor, 78);
    let area = Rect::new(0, 3, 78, 6);
    assert!(editor.click(Position::new(2, 5), area));
    assert_eq!(editor.grid.cell(), 2);
    assert!(!editor.click(Position::new(60, 5), area));
    assert_eq!(sent_bits(&editor), "000", "a click changes nothing");
}

#[test]
fn any_number_of_variables_is_drawn_in_any_area() {
    let many: Vec<u32> = (1..=5000).collect();
    let list: Vec<String> = many.iter().map(u32::to_string).collect();
    let text = format!("p cnf 5000 1\ne {} 0\n1 -5000 0\n", list.join(" "));
    let large = Arc::new(read_qdimacs(text.as_bytes()).unwrap());
    for formula in [formula(), large] {
        for columns in [0, 1, 9, 20, 40, 59, 60, 200] {
            for rows in [0, 1, 2, 8] {
                let formula = formula.clone();
                let mut editor = GridEditor::for_variables(formula, 0, Vec::new(), None).unwrap();
                editor.act(Action::LastPlace);
                crate::tui::widget::testing::drawn_text(columns, rows, |buffer, area| {
                    editor.draw(&mut Canvas::new(&Appearance::default(), buffer), area);
                });
            }
        }
    }
}

#[test]
fn keys_and_clicks_match_the_recorded_traces_at_two_sizes() {
    let steps = [
        ("page below", Step::Act(Action::PageBelow)),
        ("below", Step::Act(Action::Below)),
        ("page above", Step::Act(Action::PageAbove)),
        ("above", Step::Act(Action::Above)),
        ("last", Step::Act(Action::LastPlace)),
        ("below the last", Step::Act(Action::Below)),
        ("page below the last", Step::Act(Action::PageBelow)),
        ("first", Step::Act(Action::FirstPlace)),
        ("above the first", Step::Act(Action::Above)),
        ("on", Step::Act(Action::PlaceOn)),
        ("back", Step::Act(Action::PlaceBack)),
        ("back at the first", Step::Act(Action::PlaceBack)),
        ("jump", Step::Act(Action::Jump)),
        ("no digit", Step::Press("x")),
        ("jump again", Step::Act(Action::Jump)),
        ("number", Step::Press("33")),
        ("no digit after the number", Step::Press("x")),
        ("erase a digit", Step::Erase),
        ("enter ends the number", Step::Enter),
        ("enter sends", Step::Enter),
        ("jump beyond", Step::Act(Action::Jump)),
        ("too large", Step::Press("999")),
        ("a move ends the number", Step::Act(Action::Above)),
        ("jump and erase", Step::Act(Action::Jump)),
        ("erase nothing", Step::Erase),
        ("erase without a number", Step::Erase),
        ("text before keys", Step::Key('1')),
        ("write", Step::Press("11")),
        ("another digit", Step::Press("\u{0661}\u{0660}")),
        ("no bit", Step::Press("2")),
        ("paste", Step::Paste(" 101\n")),
        ("turn", Step::Act(Action::Turn)),
        ("restore", Step::Act(Action::Restore)),
        ("restore again", Step::Act(Action::Restore)),
        ("move", Step::Act(Action::LastPlace)),
        ("next change", Step::Act(Action::NextDifference)),
        ("previous change", Step::Act(Action::PreviousDifference)),
        ("undo 1", Step::Undo),
        ("undo 2", Step::Undo),
        ("undo 3", Step::Undo),
        ("undo 4", Step::Undo),
        ("undo 5", Step::Undo),
        ("undo 6", Step::Undo),
        ("undo 7", Step::Undo),
        ("undo 8", Step::Undo),
        ("wheel down", Step::Wheel(3)),
        ("wheel up", Step::Wheel(-1)),
        ("number before a click", Step::Act(Action::Jump)),
        ("click 0,0", Step::Click(0, 0)),
        ("click 5,3", Step::Click(5, 3)),
        ("click 20,1", Step::Click(20, 1)),
        ("click 77,5", Step::Click(77, 5)),
        ("click 3,9", Step::Click(3, 9)),
        ("unknown", Step::Act(Action::NoStep)),
    ];
    check_traces(
        "variables",
        || Box::new(GridEditor::for_variables(long_formula(), 0, Vec::new(), None).unwrap()),
        &steps,
    );
}
