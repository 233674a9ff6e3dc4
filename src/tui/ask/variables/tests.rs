use super::super::testing::{
    WidgetTestInput, check_traces, draw_as_text, grid_editor_trace_steps,
    undo_and_wheel_trace_steps,
};
use super::*;
use crate::tui::ask::widget::{AnswerWidget as _, UndoableWidget as _};
use crate::tui::keys::Action;
use crate::tui::theme::ScreenAppearance;
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
    insta::assert_snapshot!("beside", draw_as_text(&mut editor, 78));
    insta::assert_snapshot!("below", draw_as_text(&mut editor, 38));
    // A ride without a bicycle breaks a clause.
    editor.act(Action::LastPlace);
    press(&mut editor, "1");
    assert_eq!(sent_bits(&editor), "001");
    let shown = draw_as_text(&mut editor, 78);
    assert!(shown.contains("✘ not ride or bicycle"), "{shown}");
    assert!(shown.contains("✔ bus or ride"), "{shown}");
    insta::assert_snapshot!("broken", shown);
}

#[test]
fn clauses_that_outer_blocks_satisfy_are_only_counted() {
    let mut editor = GridEditor::for_variables(formula(), 2, vec![true, false], None).unwrap();
    let shown = draw_as_text(&mut editor, 78);
    // Of five clauses three read the bicycle or the sun and hold.
    assert!(!shown.contains("not ride or bicycle"), "{shown}");
    assert!(shown.contains("1 fails, 4 hold"), "{shown}");
    press(&mut editor, "1");
    let shown = draw_as_text(&mut editor, 78);
    assert!(shown.contains("2 fail, 3 hold"), "{shown}");
}

#[test]
fn edits_are_undone_and_clauses_follow() {
    let mut editor = editor();
    let before = draw_as_text(&mut editor, 78);
    press(&mut editor, "111");
    assert_ne!(draw_as_text(&mut editor, 78), before);
    while editor.is_edited() {
        assert!(editor.undo());
    }
    editor.act(Action::FirstPlace);
    assert_eq!(draw_as_text(&mut editor, 78), before);
}

#[test]
fn a_click_marks_a_variable() {
    let mut editor = editor();
    draw_as_text(&mut editor, 78);
    let area = Rect::new(0, 3, 78, 6);
    assert!(editor.click(Position::new(2, 5), area));
    assert_eq!(editor.grid.cell_under_cursor(), 2);
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
                    editor.draw(&mut Canvas::new(&ScreenAppearance::default(), buffer), area);
                });
            }
        }
    }
}

#[test]
fn keys_and_clicks_match_the_recorded_traces_at_two_sizes() {
    let mut steps = grid_editor_trace_steps("33", "999");
    steps.extend([
        ("text before keys", WidgetTestInput::Key('1')),
        ("write", WidgetTestInput::Press("11")),
        ("another digit", WidgetTestInput::Press("\u{0661}\u{0660}")),
        ("no bit", WidgetTestInput::Press("2")),
        ("paste", WidgetTestInput::Paste(" 101\n")),
        ("turn", WidgetTestInput::Act(Action::Turn)),
        ("restore", WidgetTestInput::Act(Action::Restore)),
        ("restore again", WidgetTestInput::Act(Action::Restore)),
        ("move", WidgetTestInput::Act(Action::LastPlace)),
        ("next change", WidgetTestInput::Act(Action::NextDifference)),
        (
            "previous change",
            WidgetTestInput::Act(Action::PreviousDifference),
        ),
    ]);
    steps.extend(undo_and_wheel_trace_steps());
    steps.extend([
        ("number before a click", WidgetTestInput::Act(Action::Jump)),
        ("click 0,0", WidgetTestInput::Click(0, 0)),
        ("click 5,3", WidgetTestInput::Click(5, 3)),
        ("click 20,1", WidgetTestInput::Click(20, 1)),
        ("click 77,5", WidgetTestInput::Click(77, 5)),
        ("click 3,9", WidgetTestInput::Click(3, 9)),
        ("unknown", WidgetTestInput::Act(Action::NoStep)),
    ]);
    check_traces(
        "variables",
        || Box::new(GridEditor::for_variables(long_formula(), 0, Vec::new(), None).unwrap()),
        &steps,
    );
}
