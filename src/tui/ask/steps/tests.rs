use crate::tui::widget::Canvas;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::testing::{Step, check_traces, parity, picture};
use super::*;
use crate::tui::ask::widget::Widget as _;
use crate::tui::widget::testing::drawn_text;
use debate_core::bits::Bits;
use debate_core::scenario::{BitSource, Computation, StepRule};

fn press(steps: &mut GridEditor<StepList>, keys: &str) {
    for key in keys.chars() {
        steps.press(key);
    }
}

fn step_list() -> GridEditor<StepList> {
    let computed = parity(|truth| Some(truth.with_bit_flipped(2)));
    GridEditor::for_steps(0..computed.computation.steps(), Some(computed))
}

#[test]
fn each_row_shows_the_inputs_of_its_step() {
    let mut steps = step_list();
    insta::assert_snapshot!("unchosen", picture(&mut steps, 78));
    assert!(steps.reply().is_err());
    press(&mut steps, "2");
    insta::assert_snapshot!("pointing", picture(&mut steps, 78));
    insta::assert_snapshot!("wide", picture(&mut steps, 118));
    assert_eq!(steps.reply(), Ok(Reply::Challenge(Some(2))));
    steps.act(Action::NoStep);
    assert_eq!(steps.reply(), Ok(Reply::Challenge(None)));
    assert!(!picture(&mut steps, 78).contains("wrong"));
}

#[test]
fn a_number_beyond_the_last_step_is_refused() {
    let mut steps = step_list();
    press(&mut steps, "77");
    assert!(steps.reply().unwrap_err().contains("There is no step 7;"));
    steps.erase();
    press(&mut steps, "3");
    assert_eq!(steps.reply(), Ok(Reply::Challenge(Some(3))));
}

#[test]
fn a_digit_that_continues_no_number_begins_another_one() {
    let mut steps = step_list();
    for typed in ["1", "2", "3"] {
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
    fn rule(&self, _step: u64, bits: &[bool]) -> StepRule {
        StepRule::Value(bits.first() == Some(&true))
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
    let computed = ComputationTranscript {
        computation: long.clone(),
        witness: Bits::default(),
        transcript: Some(Bits::zeros(1_000_000)),
    };
    let mut steps = GridEditor::for_steps(0..1_000_000, Some(computed));
    assert_eq!(steps.rows(78).all, MAX_GRID_ROWS);
    for keys in ["0", "999999", "500000"] {
        steps.act(Action::Jump);
        press(&mut steps, keys);
        let before = long.0.load(Ordering::Relaxed);
        let picture = drawn_text(78, 10, |buffer, area| {
            steps.draw(&mut Canvas::new(&Appearance::default(), buffer), area);
        });
        assert!(long.0.load(Ordering::Relaxed) - before <= 10, "{picture}");
        assert!(picture.contains(&format!("s{keys} repeats")), "{picture}");
    }
}

#[test]
fn keys_and_clicks_match_the_recorded_traces_at_two_sizes() {
    let steps = [
        ("wheel before a choice", Step::Wheel(3)),
        ("page below", Step::Act(Action::PageBelow)),
        ("below", Step::Act(Action::Below)),
        ("page above", Step::Act(Action::PageAbove)),
        ("above", Step::Act(Action::Above)),
        ("last", Step::Act(Action::LastPlace)),
        ("below the last", Step::Act(Action::Below)),
        ("page below the last", Step::Act(Action::PageBelow)),
        ("first", Step::Act(Action::FirstPlace)),
        ("above the first", Step::Act(Action::Above)),
        ("jump", Step::Act(Action::Jump)),
        ("no digit", Step::Press("x")),
        ("jump again", Step::Act(Action::Jump)),
        ("number", Step::Press("7")),
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
        ("digit", Step::Press("4")),
        ("enter with a number", Step::Enter),
        ("move", Step::Act(Action::Below)),
        ("no digit", Step::Press("y")),
        ("text before keys", Step::Key('1')),
        ("paste", Step::Paste("12")),
        ("erase the paste", Step::Erase),
        ("undo", Step::Undo),
        ("none", Step::Act(Action::NoStep)),
        ("wheel down", Step::Wheel(3)),
        ("wheel up", Step::Wheel(-1)),
        ("number before a click", Step::Act(Action::Jump)),
        ("click 0,0", Step::Click(0, 0)),
        ("click 5,3", Step::Click(5, 3)),
        ("click 77,5", Step::Click(77, 5)),
        ("click 3,9", Step::Click(3, 9)),
        ("wheel far", Step::Wheel(99)),
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
            ("wheel", Step::Wheel(4)),
            ("page", Step::Act(action)),
            ("click", Step::Click(3, 2)),
        ];
        check_traces(&format!("first-{name}"), || Box::new(step_list()), &steps);
    }
}
