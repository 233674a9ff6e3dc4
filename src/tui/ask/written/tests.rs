use super::super::testing::{
    WidgetTestInput, check_traces, draw_as_text, grid_editor_trace_steps, parity_computation,
    undo_and_wheel_trace_steps,
};
use super::*;
use crate::tui::ask::widget::{AnswerWidget as _, UndoableWidget as _};
use debate_core::protocol::Reply;

fn editor() -> (GridEditor<ComputationTranscriptEditor>, BitString) {
    let sheet = parity_computation(|_| None);
    let truth = sheet.computation.transcript(&BitString::default()).unwrap();
    let length = truth.len();
    let editor = GridEditor::for_transcript(sheet, Some(truth.clone()), length);
    (editor, truth)
}

fn sent_bits(editor: &GridEditor<ComputationTranscriptEditor>) -> BitString {
    let Ok(Reply::Bits(bits)) = editor.reply() else {
        panic!("no bits");
    };
    bits
}

#[test]
fn a_transcript_is_edited_step_by_step() {
    let (mut editor, truth) = editor();
    assert_eq!(sent_bits(&editor), truth);
    insta::assert_snapshot!("prepared", draw_as_text(&mut editor, 78));
    for action in [Action::LastPlace, Action::Turn] {
        assert!(editor.act(action));
    }
    assert_eq!(sent_bits(&editor), truth.with_bit_flipped(truth.len() - 1));
    let shown = draw_as_text(&mut editor, 78);
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
        .first_wrong_step(&BitString::default(), sent_bits(&editor).as_slice());
    assert_eq!(found, Some(0), "only the flipped step is wrong");
    assert_ne!(sent_bits(&editor), truth);
    // It is one edit.
    assert!(editor.undo());
    assert_eq!(sent_bits(&editor), truth.with_bit_flipped(0));
    editor.act(Action::Restore);
    editor.act(Action::CarryOn);
    assert!(draw_as_text(&mut editor, 78).contains("Each later step already has"));
}

#[test]
fn the_neighbours_of_a_gate_are_shown() {
    let (mut editor, _) = editor();
    editor.act(Action::LastPlace);
    let shown = draw_as_text(&mut editor, 78);
    assert!(
        shown.contains("├ g") && shown.contains("as written down for g"),
        "{shown}"
    );
    editor.act(Action::FirstPlace);
    let shown = draw_as_text(&mut editor, 78);
    assert!(
        shown.contains("of the input") && shown.contains("is read by g"),
        "{shown}"
    );
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
        ("carry on", WidgetTestInput::Act(Action::CarryOn)),
        ("carry on again", WidgetTestInput::Act(Action::CarryOn)),
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
        ("click 77,5", WidgetTestInput::Click(77, 5)),
        ("click 3,9", WidgetTestInput::Click(3, 9)),
        ("unknown", WidgetTestInput::Act(Action::NoStep)),
    ]);
    check_traces("written", || Box::new(editor().0), &steps);
}
