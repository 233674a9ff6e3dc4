//! Test support: sends inputs to a reply widget, draws it as the question panel does, and records each picture.

use crate::tui::widget::Canvas;
use std::fmt::Write as _;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};

use super::paste;
use super::widget::{AnswerWidget, UndoableWidget, UnmappedWidgetInput};
use crate::tui::keys::Action;
use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::measure;
use crate::tui::widget::testing::drawn_text;
use debate_core::bits::BitString;
use debate_core::protocol::{ComputationAndTranscript, Reply};
use debate_core::scenario::CircuitWithInput;
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
) -> ComputationAndTranscript {
    let netlist = Arc::new(generated::parity_circuit(8).unwrap());
    let input = BitString::parse("11011001").unwrap();
    let circuit = CircuitWithInput::new(&netlist, netlist.outputs()[0], input).unwrap();
    let transcript = transcript(circuit.gate_values());
    ComputationAndTranscript {
        computation: Arc::new(circuit),
        witness: BitString::default(),
        transcript,
    }
}

/// An input of a trace.
#[derive(Clone, Copy)]
pub enum WidgetTestInput {
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

/// A step of a widget test: its name in the test's recorded trace, and the input that the test sends to the widget.
pub type WidgetTestStep = (&'static str, WidgetTestInput);

/// Returns the steps that every grid editor has in its trace: moves of the cursor, and jumps to a cell. `index` is the
/// index of a cell, and `index_beyond_end` is larger than that of the last cell.
pub fn grid_editor_trace_steps(
    index: &'static str,
    index_beyond_end: &'static str,
) -> Vec<WidgetTestStep> {
    vec![
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
        ("on", WidgetTestInput::Act(Action::PlaceOn)),
        ("back", WidgetTestInput::Act(Action::PlaceBack)),
        ("back at the first", WidgetTestInput::Act(Action::PlaceBack)),
        ("jump", WidgetTestInput::Act(Action::Jump)),
        ("no digit", WidgetTestInput::Press("x")),
        ("jump again", WidgetTestInput::Act(Action::Jump)),
        ("number", WidgetTestInput::Press(index)),
        ("no digit after the number", WidgetTestInput::Press("x")),
        ("erase a digit", WidgetTestInput::Erase),
        ("enter ends the number", WidgetTestInput::Enter),
        ("enter sends", WidgetTestInput::Enter),
        ("jump beyond", WidgetTestInput::Act(Action::Jump)),
        ("too large", WidgetTestInput::Press(index_beyond_end)),
        (
            "a move ends the number",
            WidgetTestInput::Act(Action::Above),
        ),
        ("jump and erase", WidgetTestInput::Act(Action::Jump)),
        ("erase nothing", WidgetTestInput::Erase),
        ("erase without a number", WidgetTestInput::Erase),
    ]
}

/// Returns ten steps of a grid editor's test: eight steps undo an edit each, and two turn the mouse wheel.
pub fn undo_and_wheel_trace_steps() -> Vec<WidgetTestStep> {
    vec![
        ("undo 1", WidgetTestInput::Undo),
        ("undo 2", WidgetTestInput::Undo),
        ("undo 3", WidgetTestInput::Undo),
        ("undo 4", WidgetTestInput::Undo),
        ("undo 5", WidgetTestInput::Undo),
        ("undo 6", WidgetTestInput::Undo),
        ("undo 7", WidgetTestInput::Undo),
        ("undo 8", WidgetTestInput::Undo),
        ("wheel down", WidgetTestInput::Wheel(3)),
        ("wheel up", WidgetTestInput::Wheel(-1)),
    ]
}

/// Draws the widget at `columns` × `rows` after each test step. Records if the widget handled the step, the reply, the
/// notes and the highlighted cells, and each picture that differs from the previous one.
pub fn trace_widget(
    widget: &mut dyn UndoableWidget,
    columns: u16,
    rows: u16,
    steps: &[WidgetTestStep],
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
            WidgetTestInput::Act(action) => widget.act(*action),
            WidgetTestInput::Key(c) => widget.input(UnmappedWidgetInput::Key(KeyEvent::new(
                KeyCode::Char(*c),
                KeyModifiers::NONE,
            ))),
            WidgetTestInput::Press(keys) => keys.chars().fold(false, |_, c| {
                widget.input(UnmappedWidgetInput::Character(c))
            }),
            WidgetTestInput::Paste(text) => paste(widget, text),
            WidgetTestInput::Erase => widget.input(UnmappedWidgetInput::Erase),
            WidgetTestInput::Enter => widget.input(UnmappedWidgetInput::Enter),
            WidgetTestInput::Undo => widget.undo(),
            WidgetTestInput::Wheel(lines) => widget.input(UnmappedWidgetInput::Wheel(*lines)),
            WidgetTestInput::Click(x, y) => {
                let at = Position::new(*x, *y);
                widget.input(UnmappedWidgetInput::Click { at, area })
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
    steps: &[WidgetTestStep],
) {
    for (size, columns, rows) in [("80x24", 78, 6), ("120x36", 118, 16)] {
        let text = trace_widget(&mut *widget(), columns, rows, steps);
        insta::assert_snapshot!(format!("{name}-{size}"), text);
    }
}
