//! A widget as it would be drawn in a panel, for tests.

use crate::tui::widget::Canvas;
use std::fmt::Write as _;
use std::sync::Arc;

use super::widget::Widget;
use crate::tui::theme::Appearance;
use crate::tui::widget::measure;
use crate::tui::widget::testing::drawn;
use debate_core::bits::Bits;
use debate_core::protocol::ComputationTranscript;
use debate_core::scenario::Circuit;
use debate_core::scenario::netlist::generated;

/// The widget's rows and below them its notes.
pub fn picture(widget: &mut dyn Widget, columns: u16) -> String {
    let rows = u16::try_from(widget.rows(columns)).unwrap();
    let mut picture = drawn(columns, rows, |buffer, area| {
        widget.draw(&mut Canvas::of(&Appearance::default(), buffer), area);
    });
    for (_, note) in widget.notes() {
        for line in measure::wrap(&note, columns.into()) {
            let _ = write!(picture, "\n{line}");
        }
    }
    picture
}

/// The parity of eight bits of which five are 1, with a transcript.
pub fn parity(transcript: impl FnOnce(&Bits) -> Option<Bits>) -> ComputationTranscript {
    let netlist = Arc::new(generated::parity(8).unwrap());
    let input = Bits::parse("11011001").unwrap();
    let circuit = Circuit::new(&netlist, netlist.outputs()[0], input).unwrap();
    let transcript = transcript(circuit.gates());
    ComputationTranscript {
        computation: Arc::new(circuit),
        witness: Bits::default(),
        transcript,
    }
}
