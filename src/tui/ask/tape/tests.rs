use super::super::testing::{
    WidgetTestInput, check_traces, draw_as_text, grid_editor_trace_steps,
    undo_and_wheel_trace_steps,
};
use super::*;
use crate::tui::ask::widget::{AnswerWidget as _, UndoableWidget as _};
use crate::tui::theme::ScreenAppearance;
use crate::tui::widget::Canvas;
use debate_core::scenario::machine::{
    HeadMove, MachineProblem, MachineProblemSpec, MachineRuleSpec, TuringMachineSpec,
};
use debate_core::scenario::{ComputationProblem as _, ScenarioValuePath};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

fn rule(text: &str) -> MachineRuleSpec {
    let parts: Vec<&str> = text.split(' ').collect();
    let [state, read, to, write, shift] = parts[..] else {
        panic!("{text}");
    };
    let shift = match shift {
        "L" => HeadMove::Left,
        "R" => HeadMove::Right,
        _ => HeadMove::Stay,
    };
    let [state, read, to, write] = [state, read, to, write].map(str::to_owned);
    MachineRuleSpec {
        state,
        read,
        to,
        write,
        shift,
    }
}

/// Returns a machine that accepts words of a and b with an even number of b, on a tape of `cells` cells.
fn even_b_machine(input: &str, cells: u64) -> Arc<dyn MachineRun> {
    let rules = [
        "even a even a R",
        "even b odd b R",
        "odd a odd a R",
        "odd b even b R",
        "even _ yes _ S",
    ];
    let spec = MachineProblemSpec {
        turing: TuringMachineSpec {
            states: None,
            start: "even".to_owned(),
            accept: "yes".to_owned(),
            reject: "no".to_owned(),
            rules: rules.iter().map(|text| rule(text)).collect(),
        },
        inputs: vec![input.to_owned()],
        steps: 9,
        cells: Some(cells),
        ..MachineProblemSpec::default()
    };
    let machine =
        MachineProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .unwrap();
    machine.run(0).unwrap()
}

fn editor(run: &Arc<dyn MachineRun>, time: u64) -> GridEditor<TapeEditorBehaviour> {
    let prepared = run.at(time).unwrap();
    GridEditor::for_tape_configuration(run.clone(), Some(&prepared)).unwrap()
}

fn sent_configuration(editor: &GridEditor<TapeEditorBehaviour>) -> String {
    let Ok(Reply::Bits(bits)) = editor.reply() else {
        panic!("no bits");
    };
    editor.cells.run.text(&bits)
}

fn bits(editor: &GridEditor<TapeEditorBehaviour>) -> BitString {
    editor.cells.bits(editor.grid.edits.edited())
}

fn perform_all(editor: &mut GridEditor<TapeEditorBehaviour>, actions: &[Action]) {
    for action in actions {
        assert!(editor.act(*action), "{action:?}");
    }
}

fn type_text(editor: &mut GridEditor<TapeEditorBehaviour>, text: &str) -> bool {
    let event = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
    text.chars().all(|c| editor.write_typed_character(event(c)))
}

#[test]
fn the_tape_the_head_the_state_and_its_rules_are_drawn() {
    let run = even_b_machine("abba", 8);
    let mut editor = editor(&run, 2);
    insta::assert_snapshot!("beside", draw_as_text(&mut editor, 78));
    insta::assert_snapshot!("below", draw_as_text(&mut editor, 38));
}

#[test]
fn cells_state_and_head_are_edited_and_every_edit_is_undone() {
    let run = even_b_machine("abba", 8);
    let mut editor = editor(&run, 2);
    assert_eq!(
        sent_configuration(&editor),
        "odd, head at 2: a b[b]a _ _ _ _"
    );
    // The cursor begins at the head. Symbols that are letters are written.
    assert!(type_text(&mut editor, "ab"));
    perform_all(&mut editor, &[Action::PlaceOn, Action::PutHead]);
    perform_all(&mut editor, &[Action::Turn, Action::Above, Action::PlaceOn]);
    assert_eq!(
        sent_configuration(&editor),
        "yes, head at 5: a b a b _[a]_ _"
    );
    insta::assert_snapshot!("changed", draw_as_text(&mut editor, 78));
    let mut before = Vec::new();
    while editor.is_edited() {
        before.push(sent_configuration(&editor));
        assert!(editor.undo());
    }
    assert_eq!(before.len(), 5);
    assert_eq!(
        sent_configuration(&editor),
        "odd, head at 2: a b[b]a _ _ _ _"
    );
    assert!(!editor.undo());
}

#[test]
fn the_editor_runs_the_machine_step_by_step() {
    let run = even_b_machine("abba", 8);
    let mut editor = editor(&run, 0);
    for time in 1..=5 {
        perform_all(&mut editor, &[Action::RunStep]);
        assert_eq!(bits(&editor), run.at(time).unwrap());
    }
    perform_all(&mut editor, &[Action::RunStep]);
    assert!(draw_as_text(&mut editor, 78).contains("has halted here"));
    assert!(draw_as_text(&mut editor, 78).contains("accepts in this state"));
    perform_all(&mut editor, &[Action::Restore]);
    assert_eq!(bits(&editor), run.at(0).unwrap());
    perform_all(&mut editor, &[Action::Restore]);
    assert_eq!(bits(&editor), run.at(5).unwrap());
}

#[test]
fn letters_that_are_not_symbols_stay_key_bindings() {
    let run = even_b_machine("abba", 8);
    let mut editor = editor(&run, 0);
    assert!(!type_text(&mut editor, "q"));
    perform_all(&mut editor, &[Action::Above]);
    assert!(!type_text(&mut editor, "a"), "on the state's line");
    perform_all(&mut editor, &[Action::Jump]);
    for digit in "6".chars() {
        editor.press(digit);
    }
    assert_eq!(editor.grid.cell_under_cursor(), 6);
    assert!(editor.finish_typing() && !editor.finish_typing());
}

#[test]
fn a_click_marks_a_cell_or_the_state() {
    let run = even_b_machine("abba", 8);
    let mut editor = editor(&run, 0);
    let area = Rect::new(0, 3, 78, 5);
    draw_as_text(&mut editor, 78);
    // Each cell takes four columns, the first after the labels.
    assert!(editor.click(Position::new(7 + 4 * 5 + 2, 5), area));
    assert_eq!(editor.grid.cursor(), GridCursor::cursor_at_cell(5));
    assert!(!editor.click(Position::new(7 + 4 * 8 + 2, 5), area));
    assert!(editor.click(Position::new(9, 3), area));
    assert_eq!(editor.grid.focus(), GridFocus::Header);
    assert_eq!(
        sent_configuration(&editor),
        run.text(&run.start()),
        "a click changes nothing"
    );
}

#[test]
fn tapes_of_any_length_are_drawn_in_any_area() {
    for cells in [1, 2, 9, 1200] {
        let run = even_b_machine("a", cells);
        for columns in [0, 1, 7, 8, 12, 40, 69, 70, 200] {
            for rows in [0, 1, 3, 4, 9] {
                let mut editor = editor(&run, 0);
                perform_all(&mut editor, &[Action::LastPlace]);
                crate::tui::widget::testing::drawn_text(columns, rows, |buffer, area| {
                    editor.draw(&mut Canvas::new(&ScreenAppearance::default(), buffer), area);
                });
            }
        }
    }
    let run = even_b_machine("a", 1200);
    let mut editor = editor(&run, 0);
    perform_all(&mut editor, &[Action::LastPlace]);
    insta::assert_snapshot!("long", draw_as_text(&mut editor, 78));
}

#[test]
fn keys_and_clicks_match_the_recorded_traces_at_two_sizes() {
    let mut steps = grid_editor_trace_steps("33", "999");
    steps.extend([
        ("symbol", WidgetTestInput::Key('b')),
        ("no symbol", WidgetTestInput::Key('q')),
        ("press a symbol", WidgetTestInput::Press("a")),
        ("paste symbols", WidgetTestInput::Paste("ab")),
        ("head", WidgetTestInput::Act(Action::PutHead)),
        ("run", WidgetTestInput::Act(Action::RunStep)),
        ("to the state", WidgetTestInput::Act(Action::Above)),
        ("symbol in the state", WidgetTestInput::Key('b')),
        ("state on", WidgetTestInput::Act(Action::PlaceOn)),
        ("turn state", WidgetTestInput::Act(Action::Turn)),
        ("state back", WidgetTestInput::Act(Action::PlaceBack)),
        ("erase in the state", WidgetTestInput::Erase),
        ("to the state again", WidgetTestInput::Act(Action::Above)),
        ("run in the state", WidgetTestInput::Act(Action::RunStep)),
        ("jump from the state", WidgetTestInput::Act(Action::Above)),
        (
            "jump from the state, opened",
            WidgetTestInput::Act(Action::Jump),
        ),
        ("symbol while a number is typed", WidgetTestInput::Key('a')),
        ("first digit", WidgetTestInput::Press("9")),
        ("below", WidgetTestInput::Act(Action::Below)),
        ("turn", WidgetTestInput::Act(Action::Turn)),
        ("restore", WidgetTestInput::Act(Action::Restore)),
        ("restore again", WidgetTestInput::Act(Action::Restore)),
        ("move", WidgetTestInput::Act(Action::LastPlace)),
    ]);
    steps.extend(undo_and_wheel_trace_steps());
    steps.extend([
        ("number before a click", WidgetTestInput::Act(Action::Jump)),
        ("click 9,0", WidgetTestInput::Click(9, 0)),
        ("click 2,2", WidgetTestInput::Click(2, 2)),
        ("click 40,2", WidgetTestInput::Click(40, 2)),
        ("click 9,1", WidgetTestInput::Click(9, 1)),
        (
            "number before a click on the margin",
            WidgetTestInput::Act(Action::Jump),
        ),
        ("click on the margin", WidgetTestInput::Click(2, 2)),
        (
            "number before a click on a cell",
            WidgetTestInput::Act(Action::Jump),
        ),
        ("click on a cell", WidgetTestInput::Click(16, 2)),
        ("click on a rule", WidgetTestInput::Click(110, 2)),
        ("unknown", WidgetTestInput::Act(Action::NoStep)),
    ]);
    check_traces(
        "tape",
        || Box::new(editor(&even_b_machine("abba", 60), 2)),
        &steps,
    );
}
