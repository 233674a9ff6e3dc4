//! Strings of bits that are edited in place: one editor, and how each kind of bits is laid out.

use crate::tui::widget::Canvas;
use std::fmt::Debug;
use std::sync::Arc;

use ratatui::layout::{Position, Rect};

use super::widget::Widget;
use crate::tui::actions::Contexts;
use crate::tui::keys::{Action, BITS};
use crate::tui::theme::Role;
use crate::tui::widget::grid::{BitEdits, Grid};
use debate_core::bits::Bits;
use debate_core::number::Exact;
use debate_core::protocol::{Ask, Reply};
use debate_core::scenario::{Computation, Instance, Run, Source};
use debate_core::text::{ascii_digit, shortened_around};
use debate_text::grouped;

/// Rows that the grid takes at most, and where there is little room.
const ROWS: usize = 24;
const LEAST: usize = 2;
/// Places that differ are named up to so many.
const NAMED: usize = 6;
/// Characters of a configuration's meaning.
const MEANING: usize = 200;

/// More digits than this are not taken.
const DIGITS: usize = 18;

/// A number on its way; closed, open and empty, or with digits.
#[derive(Clone, Debug, Default)]
pub struct Jump(Option<String>);

impl Jump {
    /// Waits for digits.
    pub fn open(&mut self) {
        self.0 = Some(String::new());
    }

    /// Ends; says whether it was open.
    pub fn close(&mut self) -> bool {
        self.0.take().is_some()
    }

    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Takes a digit, opening where it is closed; says whether it was one.
    pub fn press(&mut self, c: char) -> bool {
        let c = ascii_digit(c);
        let typed = self.0.get_or_insert_default();
        if c.is_ascii_digit() && typed.len() < DIGITS {
            typed.push(c);
        } else if typed.is_empty() && !c.is_ascii_digit() {
            self.0 = None;
        }
        c.is_ascii_digit()
    }

    /// Takes the last digit back, and closes where there is none; says whether it was open.
    pub fn erase(&mut self) -> bool {
        let Some(typed) = &mut self.0 else {
            return false;
        };
        if typed.pop().is_none() {
            self.0 = None;
        }
        true
    }

    /// The number as it stands.
    pub fn number(&self) -> Option<u64> {
        self.0.as_ref()?.parse().ok()
    }

    /// The text typed so far.
    pub fn typed(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

/// The number of places that were changed, and the first of them by name.
pub fn differences(edits: &BitEdits, prepared: bool, name: impl Fn(usize) -> String) -> String {
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

/// How bits are laid out, and what is said of them there.
pub trait BitsLayout: Debug {
    /// The rows that the editor does with.
    const LEAST: usize;

    /// Which keys the editor has.
    fn context(&self) -> Contexts {
        BITS
    }

    /// The number by which people call the first place.
    fn first(&self) -> u64 {
        0
    }

    /// Moves by so many pages.
    fn step_pages(&self, grid: &mut Grid, pages: isize) {
        grid.step_pages(pages);
    }

    /// Takes the wheel.
    fn scroll(&mut self, grid: &mut Grid, lines: isize) {
        grid.step_rows(lines);
    }

    /// Reads the bits anew, once after each change: that may take a look at all of them.
    fn read(&mut self, _edits: &BitEdits) {}

    /// Does what is this layout's own; says whether it meant anything. A remark is shown until the
    /// next key.
    fn act(&mut self, _action: Action, _grid: &mut Grid, _remark: &mut Option<String>) -> bool {
        false
    }

    /// The place under the mouse.
    fn place_at(&self, grid: &Grid, at: Position, area: Rect) -> Option<usize>;

    /// The rows that it takes in so many columns.
    fn rows(&self, grid: &Grid, columns: u16) -> usize;

    /// Sentences on the place under the cursor and on what was changed. `typed`: the number of the
    /// place to go to, while it is typed.
    fn notes(&self, grid: &Grid, typed: Option<&str>) -> Vec<(Role, String)>;

    /// Draws the places in view.
    fn draw(&mut self, grid: &mut Grid, canvas: &mut Canvas<'_>, area: Rect);
}

/// An editor of bits that stand prepared.
#[derive(Debug)]
pub struct BitsEditor<L> {
    pub grid: Grid,
    jump: Jump,
    pub layout: L,
    remark: Option<String>,
}

impl<L: BitsLayout> BitsEditor<L> {
    pub fn new(given: Bits, layout: L) -> Self {
        let mut editor = Self {
            grid: Grid::new(given),
            jump: Jump::default(),
            layout,
            remark: None,
        };
        editor.layout.read(&editor.grid.edits);
        editor
    }

    fn follow_jump(&mut self) {
        let number = self.jump.number();
        if let Some(place) = number.and_then(|number| number.checked_sub(self.layout.first())) {
            self.grid.go(usize::try_from(place).unwrap_or(usize::MAX));
        }
    }
}

impl<L: BitsLayout> Widget for BitsEditor<L> {
    fn context(&self) -> Contexts {
        self.layout.context()
    }

    fn reply(&self) -> Result<Reply<Exact>, String> {
        Ok(Reply::Bits(self.grid.edits.bits()))
    }

    fn act(&mut self, action: Action) -> bool {
        self.remark = None;
        match action {
            Action::PlaceBack => self.grid.step(-1),
            Action::PlaceOn => self.grid.step(1),
            Action::Above => self.grid.step_rows(-1),
            Action::Below => self.grid.step_rows(1),
            Action::PageAbove => self.layout.step_pages(&mut self.grid, -1),
            Action::PageBelow => self.layout.step_pages(&mut self.grid, 1),
            Action::FirstPlace => self.grid.go(0),
            Action::LastPlace => self.grid.go(usize::MAX),
            Action::Turn => self.grid.turn(),
            Action::NextDifference => self.grid.next_turned(true),
            Action::PreviousDifference => self.grid.next_turned(false),
            Action::Restore => self.grid.edits.restore(),
            Action::Jump => {
                self.jump.open();
                return true;
            }
            _ if self.layout.act(action, &mut self.grid, &mut self.remark) => {}
            _ => return false,
        }
        self.jump.close();
        if matches!(action, Action::Turn | Action::Restore) {
            self.layout.read(&self.grid.edits);
        }
        true
    }

    fn press(&mut self, c: char) -> bool {
        if self.jump.is_open() {
            let taken = self.jump.press(c);
            self.follow_jump();
            return taken;
        }
        let c = ascii_digit(c);
        if !matches!(c, '0' | '1') {
            return false;
        }
        self.remark = None;
        self.grid.write(c == '1');
        self.layout.read(&self.grid.edits);
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
        self.grid.edits.is_edited()
    }

    fn undo(&mut self) -> bool {
        self.remark = None;
        let edited = self.grid.undo();
        self.layout.read(&self.grid.edits);
        edited
    }

    fn scroll(&mut self, lines: isize) -> bool {
        self.layout.scroll(&mut self.grid, lines);
        true
    }

    fn click(&mut self, at: Position, area: Rect) -> bool {
        let place = self.layout.place_at(&self.grid, at, area);
        if let Some(place) = place {
            self.jump.close();
            self.grid.go(place);
        }
        place.is_some()
    }

    fn rows(&self, columns: u16) -> usize {
        self.layout.rows(&self.grid, columns)
    }

    fn least_rows(&self, columns: u16) -> usize {
        self.rows(columns).min(L::LEAST)
    }

    fn notes(&self) -> Vec<(Role, String)> {
        let mut notes = self.layout.notes(&self.grid, self.jump.typed());
        let remark = self.remark.clone();
        let at = usize::from(self.jump.typed().is_some());
        notes.splice(at..at, remark.map(|remark| (Role::Warning, remark)));
        notes
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        self.layout.draw(&mut self.grid, canvas, area);
    }
}

/// The meaning of bits that are shown as they are.
#[derive(Debug)]
enum Meaning {
    /// Nothing that can be told of each.
    Plain,
    /// A configuration of a machine; what it says now.
    Configuration(Arc<dyn Run>, Option<String>),
    /// The witness of a computation, and its text as it stands, where it has one.
    Witness(Arc<dyn Computation>, Option<String>),
}

/// Bits in rows, of which nothing more can be shown than their meaning as a whole: a witness.
#[derive(Debug)]
pub struct BitRows {
    meaning: Meaning,
    /// True if what stands there to begin with is what the problem says.
    prepared: bool,
}

impl BitsEditor<BitRows> {
    /// An editor of so many bits that `ask` asks for.
    pub fn of(instance: &Instance, ask: Ask, prepared: Option<Bits>, length: usize) -> Self {
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
        Self::meaning(prepared, length, meaning.unwrap_or(Meaning::Plain))
    }

    fn meaning(prepared: Option<Bits>, length: usize, meaning: Meaning) -> Self {
        // Zeros are what stands anywhere to begin with.
        let is_prepared = prepared
            .as_ref()
            .is_some_and(|bits| bits.as_slice().contains(&true));
        let rows = BitRows {
            meaning,
            prepared: is_prepared,
        };
        Self::new(prepared.unwrap_or_else(|| Bits::zeros(length)), rows)
    }
}

impl BitRows {
    /// The bit under the cursor in words.
    fn here(&self, grid: &Grid) -> String {
        let place = grid.cursor();
        let bit = u8::from(grid.edits.at(place));
        let at = place as u64;
        let of = format!("{} of {}", grouped(at), grouped(grid.len() as u64));
        match &self.meaning {
            Meaning::Plain | Meaning::Configuration(..) => format!("Bit {of} is {bit}."),
            Meaning::Witness(computation, _) => {
                let name = computation.source_text(Source::Witness(at));
                format!("Bit {of}: {name} = {bit}.")
            }
        }
    }
}

impl BitsLayout for BitRows {
    const LEAST: usize = LEAST;

    fn read(&mut self, edits: &BitEdits) {
        match &mut self.meaning {
            Meaning::Configuration(run, text) => {
                let bits = edits.bits();
                let well_formed = run.is_well_formed(&bits);
                *text = well_formed.then(|| shortened_around(&run.text(&bits), '[', MEANING));
            }
            Meaning::Witness(computation, text) => *text = computation.witness_text(&edits.bits()),
            Meaning::Plain => {}
        }
    }

    fn place_at(&self, grid: &Grid, at: Position, area: Rect) -> Option<usize> {
        grid.place_at(at, area)
    }

    fn rows(&self, grid: &Grid, columns: u16) -> usize {
        grid.rows(columns).min(ROWS)
    }

    fn notes(&self, grid: &Grid, typed: Option<&str>) -> Vec<(Role, String)> {
        let mut notes = vec![match typed {
            Some(typed) => (Role::Title, format!("Go to place {typed}_")),
            None => (Role::Text, self.here(grid)),
        }];
        match &self.meaning {
            Meaning::Configuration(_, None) => {
                notes.push((Role::Bad, "That is no configuration.".to_owned()));
            }
            Meaning::Configuration(_, Some(text)) | Meaning::Witness(_, Some(text)) => {
                notes.push((Role::Text, format!("That says: {text}")));
            }
            Meaning::Plain | Meaning::Witness(_, None) => {}
        }
        let differences = differences(&grid.edits, self.prepared, |place| grouped(place as u64));
        notes.push((Role::Faint, differences));
        notes
    }

    fn draw(&mut self, grid: &mut Grid, canvas: &mut Canvas<'_>, area: Rect) {
        grid.fit(area);
        grid.render(canvas, area);
    }
}

#[cfg(test)]
mod tests;
