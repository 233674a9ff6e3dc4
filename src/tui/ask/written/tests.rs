use super::super::testing::{parity, picture};
use super::*;
use crate::tui::ask::widget::Widget as _;
use debate_core::protocol::Reply;

fn editor() -> (BitsEditor<WrittenSteps>, Bits) {
    let sheet = parity(|_| None);
    let truth = sheet.computation.transcript(&Bits::default()).unwrap();
    let length = truth.len();
    let editor = BitsEditor::<WrittenSteps>::of(sheet, Some(truth.clone()), length);
    (editor, truth)
}

fn sent(editor: &BitsEditor<WrittenSteps>) -> Bits {
    let Ok(Reply::Bits(bits)) = editor.reply() else {
        panic!("no bits");
    };
    bits
}

#[test]
fn a_transcript_is_edited_step_by_step() {
    let (mut editor, truth) = editor();
    assert_eq!(sent(&editor), truth);
    insta::assert_snapshot!("prepared", picture(&mut editor, 78));
    for action in [Action::LastPlace, Action::Turn] {
        assert!(editor.act(action));
    }
    assert_eq!(sent(&editor), truth.turned(truth.len() - 1));
    let shown = picture(&mut editor, 78);
    assert!(
        shown.contains('✘') && shown.contains("that does not follow"),
        "{shown}"
    );
    insta::assert_snapshot!("changed", shown);
    assert!(editor.undo());
    assert_eq!(sent(&editor), truth);
    assert!(!editor.undo());
}

#[test]
fn the_rest_follows_where_that_is_asked_for() {
    let (mut editor, truth) = editor();
    editor.act(Action::Turn);
    editor.act(Action::CarryOn);
    let computed = &editor.layout.computed;
    let found = computed
        .computation
        .first_wrong(&Bits::default(), sent(&editor).as_slice());
    assert_eq!(
        found,
        Some(0),
        "only the step that was turned around is wrong"
    );
    assert_ne!(sent(&editor), truth);
    // It is one edit.
    assert!(editor.undo());
    assert_eq!(sent(&editor), truth.turned(0));
    editor.act(Action::Restore);
    editor.act(Action::CarryOn);
    assert!(picture(&mut editor, 78).contains("follow already"));
}

#[test]
fn the_neighbours_of_a_gate_are_told() {
    let (mut editor, _) = editor();
    editor.act(Action::LastPlace);
    let shown = picture(&mut editor, 78);
    assert!(
        shown.contains("├ g") && shown.contains("written for g"),
        "{shown}"
    );
    editor.act(Action::FirstPlace);
    let shown = picture(&mut editor, 78);
    assert!(
        shown.contains("of the input") && shown.contains("is read by g"),
        "{shown}"
    );
}
