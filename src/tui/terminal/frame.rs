//! A frame of a remote screen as a message: the changed cells, as runs of adjacent cells with one style.

use std::collections::HashMap;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

/// Maximum number of unchanged cells that are sent again between two changed cells of the same style. Sending a
/// separate run would take as many bytes.
const BRIDGE: u16 = 5;

/// Text modifiers such as bold, with their names in frames.
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
#[serde(rename = "ChangedCells")]
pub struct ChangedScreenCells {
    /// The screen's columns and rows, if the frame is a full one that begins with blank cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<(u16, u16)>,
    /// Styles that this frame uses for the first time since the last full frame, as words such as `lightred bold`. Runs
    /// refer to a style by its number.
    #[serde(skip_serializing_if = "HashMap::is_empty")]
    styles: HashMap<usize, String>,
    /// The changed rows: each contains the row's number, then the column, style number and text of each run.
    rows: Vec<Vec<Part>>,
}

impl ChangedScreenCells {
    /// True if the frame is not a full one and no cell changed.
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
    /// A symbol and the number of its cells, if it takes several cells or consists of several characters.
    Wide(String, usize),
}

/// Encodes pictures of the screen as frames that contain only the changes since the last picture.
#[derive(Debug)]
pub struct FrameEncoder {
    shown: Buffer,
    styles: HashMap<(Color, Color, Modifier), usize>,
    /// True if the next frame must be a full one: the remote screen has no picture yet, or has lost it.
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
    /// Makes the next frame a full one, without reference to earlier frames.
    pub fn force_full_frame(&mut self) {
        self.anew = true;
    }

    /// Returns the cells that changed from the last picture of the screen to this one.
    pub fn changed_cells(&mut self, picture: Buffer) -> ChangedScreenCells {
        let mut cells = ChangedScreenCells::default();
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
    /// The column after the run's last cell.
    to: u16,
    first: &'b Cell,
    text: String,
    /// True if the run is one symbol that takes several cells or consists of several characters.
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

    /// Appends a changed cell to the run, with the unchanged cells before it, if they are few and all have the run's
    /// style. Returns false otherwise.
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

/// True if a cell contains one character, which takes one column.
fn is_plain(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    symbol.chars().count() == 1 && symbol.width() == 1
}

fn style(cell: &Cell) -> (Color, Color, Modifier) {
    (cell.fg, cell.bg, cell.modifier)
}

/// Returns a cell's style in words; empty for the default style.
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
