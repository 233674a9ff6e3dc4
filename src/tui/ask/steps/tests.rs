use crate::tui::widget::Canvas;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::testing::{WidgetTestInput, check_traces, draw_as_text, parity_computation};
use super::*;
use crate::tui::ask::widget::AnswerWidget as _;
use crate::tui::widget::testing::drawn_text;
use debate_core::bits::BitString;
use debate_core::scenario::{BitSource, Computation, RequiredStepOutput};

fn press(steps: &mut GridEditor<ChallengeableStepList>, keys: &str) {
    for key in keys.chars() {
        steps.press(key);
    }
}

fn step_list() -> GridEditor<ChallengeableStepList> {
    let computed = parity_computation(|truth| Some(truth.with_bit_flipped(2)));
    GridEditor::list_of_challengeable_steps(0..computed.computation.steps(), Some(computed))
}

#[test]
fn each_row_shows_the_inputs_of_its_step() {
    let mut steps = step_list();
    insta::assert_snapshot!("unchosen", draw_as_text(&mut steps, 78));
    assert!(steps.reply().is_err());
    press(&mut steps, "2");
    insta::assert_snapshot!("pointing", draw_as_text(&mut steps, 78));
    insta::assert_snapshot!("wide", draw_as_text(&mut steps, 118));
    assert_eq!(steps.reply(), Ok(Reply::Challenge(Some(2))));
    steps.act(Action::NoStep);
    assert_eq!(steps.reply(), Ok(Reply::Challenge(None)));
    assert!(!draw_as_text(&mut steps, 78).contains("wrong"));
}

#[test]
fn a_number_beyond_the_last_step_is_refused() {
    let mut steps = step_list();
    press(&mut steps, "77");
    assert!(steps.reply().unwrap_err().contains("There is no step 7;"));
    steps.handle_backspace();
    press(&mut steps, "3");
    assert_eq!(steps.reply(), Ok(Reply::Challenge(Some(3))));
}

#[test]
fn a_digit_that_continues_no_number_begins_another_one() {
    let mut steps = step_list();
    for typed in ["1", "2", "3", "0", "1"] {
        press(&mut steps, typed);
        let step = typed.parse().unwrap();
        assert_eq!(steps.reply(), Ok(Reply::Challenge(Some(step))));
    }
}

#[test]
fn the_first_arrow_key_marks_the_first_or_the_last_row() {
    let mut steps = step_list();
    steps.act(Action::Above);
    let last = steps.cells.steps.end - 1;
    assert_eq!(steps.reply(), Ok(Reply::Challenge(Some(last))));
    let mut steps = step_list();
    steps.act(Action::Below);
    assert_eq!(steps.reply(), Ok(Reply::Challenge(None)));
}

/// A million steps, each of which repeats the previous one. The counter holds the number of requested step texts.
#[derive(Debug, Default)]
struct LongChain(AtomicUsize);

impl Computation for LongChain {
    fn steps(&self) -> u64 {
        1_000_000
    }
    fn input(&self, _place: u64) -> bool {
        true
    }
    fn reads(&self, step: u64, into: &mut Vec<BitSource>) {
        into.clear();
        into.push(match step.checked_sub(1) {
            Some(before) => BitSource::Step(before),
            None => BitSource::Input(0),
        });
    }
    fn rule(&self, _step: u64, bits: &[bool]) -> RequiredStepOutput {
        RequiredStepOutput::Value(bits.first() == Some(&true))
    }
    fn answer(&self, _claim: &debate_core::scenario::ClaimKey) -> Option<bool> {
        None
    }
    fn step_text(&self, step: u64) -> String {
        self.0.fetch_add(1, Ordering::Relaxed);
        format!("s{step} repeats")
    }
}

#[test]
fn only_visible_steps_are_rendered() {
    let long = Arc::new(LongChain::default());
    let computed = ComputationAndTranscript {
        computation: long.clone(),
        witness: BitString::default(),
        transcript: Some(BitString::zeros(1_000_000)),
    };
    let mut steps = GridEditor::list_of_challengeable_steps(0..1_000_000, Some(computed));
    assert_eq!(steps.rows(78).all, MAX_GRID_ROWS);
    for keys in ["0", "999999", "500000"] {
        steps.act(Action::Jump);
        press(&mut steps, keys);
        let before = long.0.load(Ordering::Relaxed);
        let picture = drawn_text(78, 10, |buffer, area| {
            steps.draw(&mut Canvas::new(&ScreenAppearance::default(), buffer), area);
        });
        assert!(long.0.load(Ordering::Relaxed) - before <= 10, "{picture}");
        assert!(picture.contains(&format!("s{keys} repeats")), "{picture}");
    }
}

#[test]
fn keys_and_clicks_match_the_recorded_traces_at_two_sizes() {
    let steps = [
        ("wheel before a choice", WidgetTestInput::Wheel(3)),
        ("page below", WidgetTestInput::Act(Action::PageBelow)),
        ("below", WidgetTestInput::Act(Action::Below)),
        ("page above", WidgetTestInput::Act(Action::PageAbove)),
        ("above", WidgetTestInput::Act(Action::Above)),
        ("last", WidgetTestInput::Act(Action::LastPlace)),
        ("below the last", WidgetTestInput::Act(Action::Below)),
        (
            "page below the last",
            WidgetTestInput::Act(Action::PageBelow),
        ),
        ("first", WidgetTestInput::Act(Action::FirstPlace)),
        ("above the first", WidgetTestInput::Act(Action::Above)),
        ("jump", WidgetTestInput::Act(Action::Jump)),
        ("no digit", WidgetTestInput::Press("x")),
        ("jump again", WidgetTestInput::Act(Action::Jump)),
        ("number", WidgetTestInput::Press("7")),
        ("no digit after the number", WidgetTestInput::Press("x")),
        ("erase a digit", WidgetTestInput::Erase),
        ("enter ends the number", WidgetTestInput::Enter),
        ("enter sends", WidgetTestInput::Enter),
        ("jump beyond", WidgetTestInput::Act(Action::Jump)),
        ("too large", WidgetTestInput::Press("999")),
        (
            "a move ends the number",
            WidgetTestInput::Act(Action::Above),
        ),
        ("jump and erase", WidgetTestInput::Act(Action::Jump)),
        ("erase nothing", WidgetTestInput::Erase),
        ("erase without a number", WidgetTestInput::Erase),
        ("digit", WidgetTestInput::Press("4")),
        ("enter with a number", WidgetTestInput::Enter),
        ("move", WidgetTestInput::Act(Action::Below)),
        ("no digit", WidgetTestInput::Press("y")),
        ("text before keys", WidgetTestInput::Key('1')),
        ("paste", WidgetTestInput::Paste("12")),
        ("erase the paste", WidgetTestInput::Erase),
        ("undo", WidgetTestInput::Undo),
        ("none", WidgetTestInput::Act(Action::NoStep)),
        ("wheel down", WidgetTestInput::Wheel(3)),
        ("wheel up", WidgetTestInput::Wheel(-1)),
        ("number before a click", WidgetTestInput::Act(Action::Jump)),
        ("click 0,0", WidgetTestInput::Click(0, 0)),
        ("click 5,3", WidgetTestInput::Click(5, 3)),
        ("click 77,5", WidgetTestInput::Click(77, 5)),
        ("click 3,9", WidgetTestInput::Click(3, 9)),
        ("wheel far", WidgetTestInput::Wheel(99)),
    ];
    check_traces("steps", || Box::new(step_list()), &steps);
}

#[test]
fn the_first_page_key_marks_the_first_or_the_last_row() {
    for (action, name) in [
        (Action::PageAbove, "page-above"),
        (Action::PageBelow, "page-below"),
    ] {
        let steps = [
            ("wheel", WidgetTestInput::Wheel(4)),
            ("page", WidgetTestInput::Act(action)),
            ("click", WidgetTestInput::Click(3, 2)),
        ];
        check_traces(&format!("first-{name}"), || Box::new(step_list()), &steps);
    }
}
