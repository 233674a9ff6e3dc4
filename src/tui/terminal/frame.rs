//! A frame as a message: the changed cells, as runs of one style.

use std::collections::HashMap;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

/// Maximum number of unchanged cells that are sent between two changed cells of the same style. A separate run would be
/// as long.
const BRIDGE: u16 = 5;

/// Modifiers, with their names in frames.
const MODIFIERS: [(Modifier, &str); 6] = [
    (Modifier::BOLD, "bold"),
    (Modifier::DIM, "dim"),
    (Modifier::ITALIC, "italic"),
    (Modifier::UNDERLINED, "underlined"),
    (Modifier::REVERSED, "reversed"),
    (Modifier::CROSSED_OUT, "crossed-out"),
];

/// The changed cells of a frame.
#[derive(Debug, Default, Serialize)]
pub struct ChangedCells {
    /// Columns and rows, if the picture restarts with blank cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<(u16, u16)>,
    /// Styles that were not used before, by the number that runs use for them: words such as `lightred bold`.
    #[serde(skip_serializing_if = "HashMap::is_empty")]
    styles: HashMap<usize, String>,
    /// The changed rows: each has its number, then column, style and text of each run.
    rows: Vec<Vec<Part>>,
}

impl ChangedCells {
    /// True if no cell changed.
    pub fn is_empty(&self) -> bool {
        self.size.is_none() && self.rows.is_empty()
    }
}

/// A part of a row.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Part {
    Number(usize),
    /// One cell per character.
    Text(String),
    /// One sign and its number of cells, if the sign takes several cells or characters.
    Wide(String, usize),
}

/// Encodes pictures as frames, relative to the reader's current picture.
#[derive(Debug)]
pub struct FrameEncoder {
    shown: Buffer,
    styles: HashMap<(Color, Color, Modifier), usize>,
    /// True if the reader has no picture.
    anew: bool,
}

impl Default for FrameEncoder {
    fn default() -> Self {
        Self {
            shown: Buffer::empty(Rect::ZERO),
            styles: HashMap::new(),
            anew: true,
        }
    }
}

impl FrameEncoder {
    /// Makes the next frame a full one.
    pub fn force_full_frame(&mut self) {
        self.anew = true;
    }

    /// Returns the changes from the last picture to this one.
    pub fn changed_cells(&mut self, picture: Buffer) -> ChangedCells {
        let mut cells = ChangedCells::default();
        if self.anew || self.shown.area != picture.area {
            self.anew = false;
            self.styles.clear();
            self.shown = Buffer::empty(picture.area);
            cells.size = Some((picture.area.width, picture.area.height));
        }
        let before = std::mem::replace(&mut self.shown, picture);
        let mut changed = before.diff_iter(&self.shown).peekable();
        while let Some((x, y, cell)) = changed.next() {
            let mut row = vec![Part::Number(y.into())];
            let mut run = Run::begin(x, cell);
            while let Some((x, _, cell)) = changed.next_if(|(_, next, _)| *next == y) {
                if !run.append_if_adjacent(x, cell, |x| &self.shown[(x, y)]) {
                    run.end(&mut row, &mut self.styles, &mut cells.styles);
                    run = Run::begin(x, cell);
                }
            }
            run.end(&mut row, &mut self.styles, &mut cells.styles);
            cells.rows.push(row);
        }
        cells
    }
}

/// Adjacent cells of one style.
struct Run<'b> {
    from: u16,
    /// The column after the last cell.
    to: u16,
    first: &'b Cell,
    text: String,
    /// True if the run is one sign that is not a single character of one cell.
    wide: bool,
}

impl<'b> Run<'b> {
    fn begin(x: u16, cell: &'b Cell) -> Self {
        let symbol = cell.symbol();
        let width = u16::try_from(symbol.width().max(1)).unwrap_or(1);
        Self {
            from: x,
            to: x.saturating_add(width),
            first: cell,
            text: symbol.to_owned(),
            wide: !is_plain(cell),
        }
    }

    /// Appends a cell and the unchanged cells before it, if they continue the run. Returns false otherwise.
    fn append_if_adjacent(&mut self, x: u16, cell: &Cell, at: impl Fn(u16) -> &'b Cell) -> bool {
        let fits = |cell: &Cell| is_plain(cell) && style(cell) == style(self.first);
        let bridged = self.to..x;
        let is_one = !self.wide
            && fits(cell)
            && x >= self.to
            && x - self.to <= BRIDGE
            && bridged.clone().all(|x| fits(at(x)));
        if is_one {
            bridged.for_each(|x| self.text.push_str(at(x).symbol()));
            self.text.push_str(cell.symbol());
            self.to = x + 1;
        }
        is_one
    }

    fn end(
        self,
        row: &mut Vec<Part>,
        known: &mut HashMap<(Color, Color, Modifier), usize>,
        new: &mut HashMap<usize, String>,
    ) {
        let next = known.len();
        let number = *known.entry(style(self.first)).or_insert_with(|| {
            new.insert(next, style_in_words(self.first));
            next
        });
        row.push(Part::Number(self.from.into()));
        row.push(Part::Number(number));
        row.push(if self.wide {
            Part::Wide(self.text, usize::from(self.to - self.from))
        } else {
            Part::Text(self.text)
        });
    }
}

/// True if a cell has one character that takes one column.
fn is_plain(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    symbol.chars().count() == 1 && symbol.width() == 1
}

fn style(cell: &Cell) -> (Color, Color, Modifier) {
    (cell.fg, cell.bg, cell.modifier)
}

/// Returns a style in words; empty for the default style.
fn style_in_words(cell: &Cell) -> String {
    let mut words = Vec::new();
    if cell.fg != Color::Reset {
        words.push(cell.fg.to_string().to_lowercase());
    }
    if cell.bg != Color::Reset {
        words.push(format!("on-{}", cell.bg).to_lowercase());
    }
    let modifiers = MODIFIERS.iter();
    let has = |(one, name): &(Modifier, &str)| cell.modifier.contains(*one).then(|| (*name).into());
    words.extend(modifiers.filter_map(has));
    words.join(" ")
}
