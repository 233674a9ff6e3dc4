use super::super::testing::{Step, check_traces, parity, picture};
use super::*;
use crate::tui::ask::widget::{Editor as _, Widget as _};
use debate_core::protocol::Reply;

fn editor() -> (GridEditor<WrittenSteps>, Bits) {
    let sheet = parity(|_| None);
    let truth = sheet.computation.transcript(&Bits::default()).unwrap();
    let length = truth.len();
    let editor = GridEditor::for_transcript(sheet, Some(truth.clone()), length);
    (editor, truth)
}

fn sent_bits(editor: &GridEditor<WrittenSteps>) -> Bits {
    let Ok(Reply::Bits(bits)) = editor.reply() else {
        panic!("no bits");
    };
    bits
}

#[test]
fn a_transcript_is_edited_step_by_step() {
    let (mut editor, truth) = editor();
    assert_eq!(sent_bits(&editor), truth);
    insta::assert_snapshot!("prepared", picture(&mut editor, 78));
    for action in [Action::LastPlace, Action::Turn] {
        assert!(editor.act(action));
    }
    assert_eq!(sent_bits(&editor), truth.with_bit_flipped(truth.len() - 1));
    let shown = picture(&mut editor, 78);
    assert!(
        shown.contains('✘') && shown.contains("that does not follow"),
        "{shown}"
    );
    insta::assert_snapshot!("changed", shown);
    assert!(editor.undo());
    assert_eq!(sent_bits(&editor), truth);
    assert!(!editor.undo());
}

#[test]
fn later_steps_are_recomputed_on_request() {
    let (mut editor, truth) = editor();
    editor.act(Action::Turn);
    editor.act(Action::CarryOn);
    let computed = &editor.cells.computed;
    let found = computed
        .computation
        .first_wrong_step(&Bits::default(), sent_bits(&editor).as_slice());
    assert_eq!(found, Some(0), "only the flipped step is wrong");
    assert_ne!(sent_bits(&editor), truth);
    // It is one edit.
    assert!(editor.undo());
    assert_eq!(sent_bits(&editor), truth.with_bit_flipped(0));
    editor.act(Action::Restore);
    editor.act(Action::CarryOn);
    assert!(picture(&mut editor, 78).contains("follow already"));
}

#[test]
fn the_neighbours_of_a_gate_are_shown() {
    let (mut editor, _) = editor();
    editor.act(Action::LastPlace);
    let shown = picture(&mut editor, 78);
    assert!(
        shown.contains("├ g") && shown.contains("the written value of g"),
        "{shown}"
    );
    editor.act(Action::FirstPlace);
    let shown = picture(&mut editor, 78);
    assert!(
        shown.contains("of the input") && shown.contains("is read by g"),
        "{shown}"
    );
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
        ("carry on", Step::Act(Action::CarryOn)),
        ("carry on again", Step::Act(Action::CarryOn)),
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
        ("click 77,5", Step::Click(77, 5)),
        ("click 3,9", Step::Click(3, 9)),
        ("unknown", Step::Act(Action::NoStep)),
    ];
    check_traces("written", || Box::new(editor().0), &steps);
}
