//! Test support: sends inputs to a reply widget, draws it as the question panel does, and records each picture.

use crate::tui::widget::Canvas;
use std::fmt::Write as _;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};

use super::paste;
use super::widget::{AnswerWidget, UndoableWidget, WidgetInput};
use crate::tui::keys::Action;
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::measure;
use crate::tui::widget::testing::drawn_text;
use debate_core::bits::BitString;
use debate_core::protocol::{ComputationTranscript, Reply};
use debate_core::scenario::Circuit;
use debate_core::scenario::netlist::generated;

/// Draws all rows of a widget as text, with its notes below them.
pub fn draw_as_text(widget: &mut dyn AnswerWidget, columns: u16) -> String {
    let rows = u16::try_from(widget.rows(columns).all).unwrap();
    let mut picture = drawn_text(columns, rows, |buffer, area| {
        widget.draw(&mut Canvas::new(&ScreenAppearance::default(), buffer), area);
    });
    for (_, note) in widget.notes() {
        for line in measure::wrap(&note, columns.into()) {
            let _ = write!(picture, "\n{line}");
        }
    }
    picture
}

/// Returns the computation of the parity of eight bits, five of which are 1, with a transcript.
pub fn parity_computation(
    transcript: impl FnOnce(&BitString) -> Option<BitString>,
) -> ComputationTranscript {
    let netlist = Arc::new(generated::parity_circuit(8).unwrap());
    let input = BitString::parse("11011001").unwrap();
    let circuit = Circuit::new(&netlist, netlist.outputs()[0], input).unwrap();
    let transcript = transcript(circuit.gate_values());
    ComputationTranscript {
        computation: Arc::new(circuit),
        witness: BitString::default(),
        transcript,
    }
}

/// An input of a trace.
#[derive(Clone, Copy)]
pub enum TraceInput {
    Act(Action),
    /// A test input: a key that the widget receives before its key binding is looked up.
    Key(char),
    /// Typed characters that have no binding in the key table.
    Press(&'static str),
    Paste(&'static str),
    Erase,
    Enter,
    Undo,
    Wheel(isize),
    /// A click at this column and row of the widget.
    Click(u16, u16),
}

/// A named step of a trace.
pub type TraceStep = (&'static str, TraceInput);

/// Returns the steps that every grid editor has in its trace: moves of the cursor, and jumps to a cell. `index` is the
/// index of a cell, and `index_beyond_end` is larger than that of the last cell.
pub fn grid_move_steps(index: &'static str, index_beyond_end: &'static str) -> Vec<TraceStep> {
    vec![
        ("page below", TraceInput::Act(Action::PageBelow)),
        ("below", TraceInput::Act(Action::Below)),
        ("page above", TraceInput::Act(Action::PageAbove)),
        ("above", TraceInput::Act(Action::Above)),
        ("last", TraceInput::Act(Action::LastPlace)),
        ("below the last", TraceInput::Act(Action::Below)),
        ("page below the last", TraceInput::Act(Action::PageBelow)),
        ("first", TraceInput::Act(Action::FirstPlace)),
        ("above the first", TraceInput::Act(Action::Above)),
        ("on", TraceInput::Act(Action::PlaceOn)),
        ("back", TraceInput::Act(Action::PlaceBack)),
        ("back at the first", TraceInput::Act(Action::PlaceBack)),
        ("jump", TraceInput::Act(Action::Jump)),
        ("no digit", TraceInput::Press("x")),
        ("jump again", TraceInput::Act(Action::Jump)),
        ("number", TraceInput::Press(index)),
        ("no digit after the number", TraceInput::Press("x")),
        ("erase a digit", TraceInput::Erase),
        ("enter ends the number", TraceInput::Enter),
        ("enter sends", TraceInput::Enter),
        ("jump beyond", TraceInput::Act(Action::Jump)),
        ("too large", TraceInput::Press(index_beyond_end)),
        ("a move ends the number", TraceInput::Act(Action::Above)),
        ("jump and erase", TraceInput::Act(Action::Jump)),
        ("erase nothing", TraceInput::Erase),
        ("erase without a number", TraceInput::Erase),
    ]
}

/// Returns eight steps that undo an edit each, and two of the mouse wheel.
pub fn undo_and_wheel_trace_steps() -> Vec<TraceStep> {
    vec![
        ("undo 1", TraceInput::Undo),
        ("undo 2", TraceInput::Undo),
        ("undo 3", TraceInput::Undo),
        ("undo 4", TraceInput::Undo),
        ("undo 5", TraceInput::Undo),
        ("undo 6", TraceInput::Undo),
        ("undo 7", TraceInput::Undo),
        ("undo 8", TraceInput::Undo),
        ("wheel down", TraceInput::Wheel(3)),
        ("wheel up", TraceInput::Wheel(-1)),
    ]
}

/// Draws the widget at `columns` × `rows` after each test step. Records if the widget handled the step, the reply, the
/// notes and the highlighted cells, and each picture that differs from the previous one.
pub fn trace_widget(
    widget: &mut dyn UndoableWidget,
    columns: u16,
    rows: u16,
    steps: &[TraceStep],
) -> String {
    let area = Rect::new(0, 0, columns, rows);
    let mut text = format!(
        "rows {all_rows}, at least {least_rows}\n",
        all_rows = widget.rows(columns).all,
        least_rows = widget.rows(columns).least
    );
    let mut shown = String::new();
    let mut record =
        |widget: &mut dyn UndoableWidget, name: &str, handled: bool, text: &mut String| {
            let mut highlights = String::new();
            let picture = drawn_text(columns, rows, |buffer, area| {
                let look = ScreenAppearance::default();
                widget.draw(&mut Canvas::new(&look, buffer), area);
                highlights = highlighted(buffer, area, &look);
            });
            let reply = match widget.reply() {
                Ok(Reply::Bits(bits)) => {
                    let ones = bits.as_slice().iter().enumerate().filter(|(_, bit)| **bit);
                    let ones: Vec<usize> = ones.map(|(index, _)| index).collect();
                    format!("{} bits, ones at {ones:?}", bits.len())
                }
                other => format!("{other:?}"),
            };
            let edited = widget.is_edited();
            let _ = writeln!(text, "== {name}: {handled}, edited {edited}, {reply}");
            if picture != shown {
                let _ = writeln!(text, "{picture}");
                shown = picture;
            }
            let _ = writeln!(text, "{highlights}");
            for (role, note) in widget.notes() {
                let _ = writeln!(text, "{role:?}: {note}");
            }
        };
    record(widget, "start", false, &mut text);
    for (name, step) in steps {
        let handled = match step {
            TraceInput::Act(action) => widget.act(*action),
            TraceInput::Key(c) => widget.input(WidgetInput::Key(KeyEvent::new(
                KeyCode::Char(*c),
                KeyModifiers::NONE,
            ))),
            TraceInput::Press(keys) => keys
                .chars()
                .fold(false, |_, c| widget.input(WidgetInput::Character(c))),
            TraceInput::Paste(text) => paste(widget, text),
            TraceInput::Erase => widget.input(WidgetInput::Erase),
            TraceInput::Enter => widget.input(WidgetInput::Enter),
            TraceInput::Undo => widget.undo(),
            TraceInput::Wheel(lines) => widget.input(WidgetInput::Wheel(*lines)),
            TraceInput::Click(x, y) => {
                let at = Position::new(*x, *y);
                widget.input(WidgetInput::Click { at, area })
            }
        };
        record(widget, name, handled, &mut text);
    }
    text
}

/// Returns the screen cells drawn in the style of the cursor or of changes, as runs of columns per row.
fn highlighted(buffer: &Buffer, area: Rect, look: &ScreenAppearance) -> String {
    let selected = look.style(TextRole::Selected);
    let newest = look.style(TextRole::Newest);
    let mut runs = Vec::new();
    for (name, wanted) in [("selected", selected), ("newest", newest)] {
        for y in area.top()..area.bottom() {
            let has_style = |x: u16| {
                let style = buffer[(x, y)].style();
                style.add_modifier.contains(wanted.add_modifier)
                    && wanted.fg.is_none_or(|colour| style.fg == Some(colour))
            };
            let columns: Vec<u16> = (area.left()..area.right())
                .filter(|x| has_style(*x))
                .collect();
            for run in columns.chunk_by(|one, next| one + 1 == *next) {
                runs.push(format!("{name} {y}:{}+{}", run[0], run.len()));
            }
        }
    }
    runs.join(", ")
}

/// Compares the recorded trace of a widget with the expected one. The widget is drawn in the size that it has in the
/// ask panel of a window of 80×24, and of 120×36, columns and rows.
pub fn check_traces(
    name: &str,
    mut widget: impl FnMut() -> Box<dyn UndoableWidget>,
    steps: &[TraceStep],
) {
    for (size, columns, rows) in [("80x24", 78, 6), ("120x36", 118, 16)] {
        let text = trace_widget(&mut *widget(), columns, rows, steps);
        insta::assert_snapshot!(format!("{name}-{size}"), text);
    }
}
