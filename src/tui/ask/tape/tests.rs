use super::super::testing::picture;
use super::*;
use crate::tui::theme::Appearance;
use crate::tui::widget::Canvas;
use debate_core::scenario::machine::{Machine, MachineSpec, RuleSpec, Shift, Turing};
use debate_core::scenario::{ComputationProblem as _, Path};

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

/// Accepts words of a and b with an even number of b, on so many cells.
fn even(input: &str, cells: u64) -> Arc<dyn Run> {
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
    let machine = Machine::build(spec, &Path::field("problem")).unwrap();
    machine.run(0).unwrap()
}

fn editor(run: &Arc<dyn Run>, time: u64) -> TapeEditor {
    let prepared = run.at(time).unwrap();
    TapeEditor::new(run.clone(), Some(&prepared)).unwrap()
}

fn sent(editor: &TapeEditor) -> String {
    let Ok(Reply::Bits(bits)) = editor.reply() else {
        panic!("no bits");
    };
    editor.run.text(&bits)
}

fn act(editor: &mut TapeEditor, actions: &[Action]) {
    for action in actions {
        assert!(editor.act(*action), "{action:?}");
    }
}

fn type_text(editor: &mut TapeEditor, text: &str) -> bool {
    let event = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
    text.chars().all(|c| editor.type_key(event(c)))
}

#[test]
fn a_machine_is_seen_as_tape_head_and_state_with_its_rules_beside() {
    let run = even("abba", 8);
    let mut editor = editor(&run, 2);
    insta::assert_snapshot!("beside", picture(&mut editor, 78));
    insta::assert_snapshot!("below", picture(&mut editor, 38));
}

#[test]
fn cells_state_and_head_are_changed_and_every_edit_is_taken_back() {
    let run = even("abba", 8);
    let mut editor = editor(&run, 2);
    assert_eq!(sent(&editor), "odd, head at 2: a b[b]a _ _ _ _");
    // The cursor begins at the head. Symbols that are letters are written.
    assert!(type_text(&mut editor, "ab"));
    act(&mut editor, &[Action::PlaceOn, Action::PutHead]);
    act(&mut editor, &[Action::Turn, Action::Above, Action::PlaceOn]);
    assert_eq!(sent(&editor), "yes, head at 5: a b a b _[a]_ _");
    insta::assert_snapshot!("changed", picture(&mut editor, 78));
    let mut before = Vec::new();
    while editor.is_edited() {
        before.push(sent(&editor));
        assert!(editor.undo());
    }
    assert_eq!(before.len(), 5);
    assert_eq!(sent(&editor), "odd, head at 2: a b[b]a _ _ _ _");
    assert!(!editor.undo());
}

#[test]
fn the_machine_takes_steps_in_the_editor() {
    let run = even("abba", 8);
    let mut editor = editor(&run, 0);
    for time in 1..=5 {
        act(&mut editor, &[Action::RunStep]);
        assert_eq!(editor.bits(), run.at(time).unwrap());
    }
    act(&mut editor, &[Action::RunStep]);
    assert!(picture(&mut editor, 78).contains("has halted here"));
    assert!(picture(&mut editor, 78).contains("accepts in this state"));
    act(&mut editor, &[Action::Restore]);
    assert_eq!(editor.bits(), run.at(0).unwrap());
    act(&mut editor, &[Action::Restore]);
    assert_eq!(editor.bits(), run.at(5).unwrap());
}

#[test]
fn letters_that_are_no_symbols_are_left_to_the_keys() {
    let run = even("abba", 8);
    let mut editor = editor(&run, 0);
    assert!(!type_text(&mut editor, "q"));
    act(&mut editor, &[Action::Above]);
    assert!(!type_text(&mut editor, "a"), "on the state's line");
    act(&mut editor, &[Action::Jump]);
    for digit in "6".chars() {
        editor.press(digit);
    }
    assert_eq!(editor.cell, 6);
    assert!(editor.settle() && !editor.settle());
}

#[test]
fn a_click_marks_a_cell_or_the_state() {
    let run = even("abba", 8);
    let mut editor = editor(&run, 0);
    let area = Rect::new(0, 3, 78, 5);
    picture(&mut editor, 78);
    // Each cell takes four columns, the first after the labels.
    assert!(editor.click(Position::new(7 + 4 * 5 + 2, 5), area));
    assert_eq!((editor.field, editor.cell), (Field::Tape, 5));
    assert!(!editor.click(Position::new(7 + 4 * 8 + 2, 5), area));
    assert!(editor.click(Position::new(9, 3), area));
    assert_eq!(editor.field, Field::State);
    assert_eq!(
        sent(&editor),
        run.text(&run.start()),
        "a click changes nothing"
    );
}

#[test]
fn any_room_and_any_length_of_tape_are_drawn() {
    for cells in [1, 2, 9, 1200] {
        let run = even("a", cells);
        for columns in [0, 1, 7, 8, 12, 40, 69, 70, 200] {
            for rows in [0, 1, 3, 4, 9] {
                let mut editor = editor(&run, 0);
                act(&mut editor, &[Action::LastPlace]);
                crate::tui::widget::testing::drawn(columns, rows, |buffer, area| {
                    editor.draw(&mut Canvas::of(&Appearance::default(), buffer), area);
                });
            }
        }
    }
    let run = even("a", 1200);
    let mut editor = editor(&run, 0);
    act(&mut editor, &[Action::LastPlace]);
    insta::assert_snapshot!("long", picture(&mut editor, 78));
}
