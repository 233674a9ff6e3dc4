//! A string of bits of which nothing more can be shown than their meaning as a whole: a witness.

use std::sync::Arc;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use super::jump::Jump;
use super::widget::Widget;
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, BITS};
use crate::tui::panel::PanelView;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widget::bit_edits::BitEdits;
use crate::tui::widget::grid::Grid;
use debate_core::bits::Bits;
use debate_core::number::Exact;
use debate_core::protocol::{Ask, Reply};
use debate_core::scenario::{Computation, Run, Source};
use debate_core::text::shortened_around;
use debate_lab::tell::grouped;

/// Rows that the grid takes at most, and where there is little room.
const ROWS: usize = 8;
const LEAST: usize = 2;
/// Places that differ are named up to so many.
const NAMED: usize = 6;
/// Characters of a configuration's meaning.
const MEANING: usize = 200;

/// The meaning of the bits.
#[derive(Debug)]
enum Meaning {
    /// Nothing that can be told of each.
    Plain,
    /// A configuration of a machine; what it says now.
    Configuration(Arc<dyn Run>, Option<String>),
    /// The witness of a computation, and its text as it stands, where it has one.
    Witness(Arc<dyn Computation>, Option<String>),
}

/// The number of places that were changed, and the first of them by name.
pub(super) fn differences(
    edits: &BitEdits,
    prepared: bool,
    name: impl Fn(usize) -> String,
) -> String {
    let turned = edits.turned();
    let base = if prepared {
        "what was prepared for you"
    } else {
        "the zeros that stood here"
    };
    if turned.is_empty() {
        return if prepared {
            "As prepared for you.".to_owned()
        } else {
            "All zeros to begin with.".to_owned()
        };
    }
    let named = turned.iter().take(NAMED);
    let mut places: Vec<String> = named.map(|place| name(*place)).collect();
    if turned.len() > NAMED {
        places.push("…".to_owned());
    }
    let verb = if turned.len() == 1 {
        "differs"
    } else {
        "differ"
    };
    format!(
        "{} of {} {verb} from {base}: {}.",
        grouped(turned.len() as u64),
        grouped(edits.len() as u64),
        places.join(", ")
    )
}

/// An editor of bits that stand prepared.
#[derive(Debug)]
pub(super) struct BitsEditor {
    grid: Grid,
    jump: Jump,
    meaning: Meaning,
    /// True if what stands there to begin with is what the problem says.
    prepared: bool,
}

impl BitsEditor {
    pub(super) fn of(
        view: &PanelView<'_, '_>,
        ask: Ask,
        prepared: Option<Bits>,
        length: usize,
    ) -> Self {
        let instance = view.scene.facts.instance;
        let meaning = match ask {
            Ask::Configuration { .. } => {
                instance.run().map(|run| Meaning::Configuration(run, None))
            }
            Ask::Witness => {
                let computation = instance.computation();
                computation.map(|computation| Meaning::Witness(computation, None))
            }
            _ => None,
        };
        Self::new(prepared, length, meaning.unwrap_or(Meaning::Plain))
    }

    fn new(prepared: Option<Bits>, length: usize, meaning: Meaning) -> Self {
        // Zeros are what stands anywhere to begin with.
        let is_prepared = prepared
            .as_ref()
            .is_some_and(|bits| bits.as_slice().contains(&true));
        let mut editor = Self {
            grid: Grid::new(prepared.unwrap_or_else(|| Bits::zeros(length))),
            jump: Jump::default(),
            meaning,
            prepared: is_prepared,
        };
        editor.interpret();
        editor
    }

    /// Reads a configuration anew, once after each change: that takes a look at all of it.
    fn interpret(&mut self) {
        match &mut self.meaning {
            Meaning::Configuration(run, text) => {
                let bits = self.grid.edits().bits();
                let well_formed = run.is_well_formed(&bits);
                *text = well_formed.then(|| shortened_around(&run.text(&bits), '[', MEANING));
            }
            Meaning::Witness(computation, text) => {
                *text = computation.witness_text(&self.grid.edits().bits());
            }
            Meaning::Plain => {}
        }
    }

    /// The bit under the cursor in words.
    fn here(&self) -> String {
        let place = self.grid.cursor();
        let bit = u8::from(self.grid.edits().at(place));
        let at = place as u64;
        let of = format!("{} of {}", grouped(at), grouped(self.grid.len() as u64));
        match &self.meaning {
            Meaning::Plain | Meaning::Configuration(..) => format!("Bit {of} is {bit}."),
            Meaning::Witness(computation, _) => {
                let name = computation.source_text(Source::Witness(at));
                format!("Bit {of}: {name} = {bit}.")
            }
        }
    }

    /// The number of bits that were changed, and the first of them.
    fn differences(&self) -> String {
        differences(self.grid.edits(), self.prepared, |place| {
            grouped(place as u64)
        })
    }

    fn follow_jump(&mut self) {
        if let Some(place) = self.jump.number() {
            self.grid.go(usize::try_from(place).unwrap_or(usize::MAX));
        }
    }
}

impl Widget for BitsEditor {
    fn context(&self) -> Contexts {
        BITS
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        Ok(Reply::Bits(self.grid.edits().bits()))
    }

    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::PlaceBack => self.grid.step(-1),
            Action::PlaceOn => self.grid.step(1),
            Action::Above => self.grid.step_rows(-1),
            Action::Below => self.grid.step_rows(1),
            Action::PageAbove => self.grid.step_pages(-1),
            Action::PageBelow => self.grid.step_pages(1),
            Action::FirstPlace => self.grid.go(0),
            Action::LastPlace => self.grid.go(usize::MAX),
            Action::Turn => self.grid.turn(),
            Action::NextDifference => self.grid.next_turned(true),
            Action::PreviousDifference => self.grid.next_turned(false),
            Action::Restore => self.grid.restore(),
            Action::Jump => {
                self.jump.open();
                return true;
            }
            _ => return false,
        }
        self.jump.close();
        if matches!(action, Action::Turn | Action::Restore) {
            self.interpret();
        }
        true
    }

    fn press(&mut self, c: char) -> bool {
        if self.jump.is_open() {
            let taken = self.jump.press(c);
            self.follow_jump();
            return taken;
        }
        if !matches!(c, '0' | '1') {
            return false;
        }
        self.grid.write(c == '1');
        self.interpret();
        true
    }

    fn erase(&mut self) -> bool {
        let open = self.jump.erase();
        self.follow_jump();
        if !open {
            self.grid.step(-1);
        }
        true
    }

    fn settle(&mut self) -> bool {
        self.jump.close()
    }

    fn is_edited(&self) -> bool {
        self.grid.edits().is_edited()
    }

    fn undo(&mut self) -> bool {
        let edited = self.grid.undo();
        self.interpret();
        edited
    }

    fn scroll(&mut self, lines: isize) -> bool {
        self.grid.step_rows(lines);
        true
    }

    fn click(&mut self, at: Position, area: Rect) -> bool {
        let place = self.grid.place_at(at, area);
        if let Some(place) = place {
            self.jump.close();
            self.grid.go(place);
        }
        place.is_some()
    }

    fn rows(&self, columns: u16) -> usize {
        self.grid.rows(columns).min(ROWS)
    }

    fn least_rows(&self, columns: u16) -> usize {
        self.rows(columns).min(LEAST)
    }

    fn notes(&self) -> Vec<(StyleRole, String)> {
        let mut notes = Vec::new();
        match self.jump.typed() {
            Some(typed) => notes.push((StyleRole::Title, format!("Go to place {typed}_"))),
            None => notes.push((StyleRole::Text, self.here())),
        }
        match &self.meaning {
            Meaning::Configuration(_, None) => {
                notes.push((StyleRole::Bad, "That is no configuration.".to_owned()));
            }
            Meaning::Configuration(_, Some(text)) | Meaning::Witness(_, Some(text)) => {
                notes.push((StyleRole::Text, format!("That says: {text}")));
            }
            _ => {}
        }
        notes.push((StyleRole::Faint, self.differences()));
        notes
    }

    fn draw(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        self.grid.fit(area);
        self.grid.render(look, buffer, area);
    }
}

#[cfg(test)]
mod tests;
