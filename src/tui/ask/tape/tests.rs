use super::super::testing::{Step, check_traces, picture};
use super::*;
use crate::tui::ask::widget::{Editor as _, Widget as _};
use crate::tui::theme::Appearance;
use crate::tui::widget::Canvas;
use debate_core::scenario::machine::{Machine, MachineSpec, RuleSpec, Shift, Turing};
use debate_core::scenario::{ComputationProblem as _, ScenarioPath};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

fn rule(text: &str) -> RuleSpec {
    let parts: Vec<&str> = text.split(' ').collect();
    let [state, read, to, write, shift] = parts[..] else {
        panic!("{text}");
    };
    let shift = match shift {
        "L" => Shift::Left,
        "R" => Shift::Right,
        _ => Shift::Stay,
    };
    let [state, read, to, write] = [state, read, to, write].map(str::to_owned);
    RuleSpec {
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
    let spec = MachineSpec {
        turing: Turing {
            states: None,
            start: "even".to_owned(),
            accept: "yes".to_owned(),
            reject: "no".to_owned(),
            rules: rules.iter().map(|text| rule(text)).collect(),
        },
        inputs: vec![input.to_owned()],
        steps: 9,
        cells: Some(cells),
        ..MachineSpec::default()
    };
    let machine = Machine::build(spec, &ScenarioPath::field("problem")).unwrap();
    machine.run(0).unwrap()
}

fn editor(run: &Arc<dyn MachineRun>, time: u64) -> GridEditor<TapeEditor> {
    let prepared = run.at(time).unwrap();
    GridEditor::for_tape(run.clone(), Some(&prepared)).unwrap()
}

fn sent_configuration(editor: &GridEditor<TapeEditor>) -> String {
    let Ok(Reply::Bits(bits)) = editor.reply() else {
        panic!("no bits");
    };
    editor.cells.run.text(&bits)
}

fn bits(editor: &GridEditor<TapeEditor>) -> Bits {
    editor.cells.bits(editor.grid.edits.edited())
}

fn perform_all(editor: &mut GridEditor<TapeEditor>, actions: &[Action]) {
    for action in actions {
        assert!(editor.act(*action), "{action:?}");
    }
}

fn type_text(editor: &mut GridEditor<TapeEditor>, text: &str) -> bool {
    let event = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
    text.chars().all(|c| editor.type_key(event(c)))
}

#[test]
fn the_tape_the_head_the_state_and_its_rules_are_drawn() {
    let run = even_b_machine("abba", 8);
    let mut editor = editor(&run, 2);
    insta::assert_snapshot!("beside", picture(&mut editor, 78));
    insta::assert_snapshot!("below", picture(&mut editor, 38));
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
    insta::assert_snapshot!("changed", picture(&mut editor, 78));
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
    assert!(picture(&mut editor, 78).contains("has halted here"));
    assert!(picture(&mut editor, 78).contains("accepts in this state"));
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
    assert_eq!(editor.grid.cell(), 6);
    assert!(editor.finish_typing() && !editor.finish_typing());
}

#[test]
fn a_click_marks_a_cell_or_the_state() {
    let run = even_b_machine("abba", 8);
    let mut editor = editor(&run, 0);
    let area = Rect::new(0, 3, 78, 5);
    picture(&mut editor, 78);
    // Each cell takes four columns, the first after the labels.
    assert!(editor.click(Position::new(7 + 4 * 5 + 2, 5), area));
    assert_eq!(editor.grid.cursor(), Cursor::on(5));
    assert!(!editor.click(Position::new(7 + 4 * 8 + 2, 5), area));
    assert!(editor.click(Position::new(9, 3), area));
    assert_eq!(editor.grid.focus(), Focus::Header);
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
                    editor.draw(&mut Canvas::new(&Appearance::default(), buffer), area);
                });
            }
        }
    }
    let run = even_b_machine("a", 1200);
    let mut editor = editor(&run, 0);
    perform_all(&mut editor, &[Action::LastPlace]);
    insta::assert_snapshot!("long", picture(&mut editor, 78));
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
        ("symbol", Step::Key('b')),
        ("no symbol", Step::Key('q')),
        ("press a symbol", Step::Press("a")),
        ("paste symbols", Step::Paste("ab")),
        ("head", Step::Act(Action::PutHead)),
        ("run", Step::Act(Action::RunStep)),
        ("to the state", Step::Act(Action::Above)),
        ("symbol in the state", Step::Key('b')),
        ("state on", Step::Act(Action::PlaceOn)),
        ("turn state", Step::Act(Action::Turn)),
        ("state back", Step::Act(Action::PlaceBack)),
        ("erase in the state", Step::Erase),
        ("to the state again", Step::Act(Action::Above)),
        ("run in the state", Step::Act(Action::RunStep)),
        ("jump from the state", Step::Act(Action::Above)),
        ("jump from the state, opened", Step::Act(Action::Jump)),
        ("symbol while a number is typed", Step::Key('a')),
        ("first digit", Step::Press("9")),
        ("below", Step::Act(Action::Below)),
        ("turn", Step::Act(Action::Turn)),
        ("restore", Step::Act(Action::Restore)),
        ("restore again", Step::Act(Action::Restore)),
        ("move", Step::Act(Action::LastPlace)),
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
        ("click 9,0", Step::Click(9, 0)),
        ("click 2,2", Step::Click(2, 2)),
        ("click 40,2", Step::Click(40, 2)),
        ("click 9,1", Step::Click(9, 1)),
        (
            "number before a click on the margin",
            Step::Act(Action::Jump),
        ),
        ("click on the margin", Step::Click(2, 2)),
        ("number before a click on a cell", Step::Act(Action::Jump)),
        ("click on a cell", Step::Click(16, 2)),
        ("click on a rule", Step::Click(110, 2)),
        ("unknown", Step::Act(Action::NoStep)),
    ];
    check_traces(
        "tape",
        || Box::new(editor(&even_b_machine("abba", 60), 2)),
        &steps,
    );
}
