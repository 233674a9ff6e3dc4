//! A frame as a message: the cells that changed, as runs of one style.

use std::collections::HashMap;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

/// Cells that did not change are sent where they stand between two that did in one style, and are at most so many: a
/// run of its own is as long.
const BRIDGE: u16 = 5;

/// Modifiers, by the names that frames have for them.
const MODIFIERS: [(Modifier, &str); 6] = [
    (Modifier::BOLD, "bold"),
    (Modifier::DIM, "dim"),
    (Modifier::ITALIC, "italic"),
    (Modifier::UNDERLINED, "underlined"),
    (Modifier::REVERSED, "reversed"),
    (Modifier::CROSSED_OUT, "crossed-out"),
];

/// The cells of a frame that changed.
#[derive(Debug, Default, Serialize)]
pub struct Cells {
    /// Columns and rows where the picture begins anew with blank cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<(u16, u16)>,
    /// Styles that were not used before, by the number that runs have for them: words such as `lightred bold`.
    #[serde(skip_serializing_if = "HashMap::is_empty")]
    styles: HashMap<usize, String>,
    /// A row with changes each: its number, then column, style and text of each run.
    rows: Vec<Vec<Part>>,
}

impl Cells {
    /// True if nothing changed.
    pub fn is_empty(&self) -> bool {
        self.size.is_none() && self.rows.is_empty()
    }
}

/// A part of a row.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Part {
    Number(usize),
    /// One cell a character.
    Text(String),
    /// One sign that takes so many cells, or is several characters.
    Wide(String, usize),
}

/// Makes frames out of pictures: knows what the reader has.
#[derive(Debug)]
pub struct FrameEncoder {
    shown: Buffer,
    styles: HashMap<(Color, Color, Modifier), usize>,
    /// True if the reader has nothing.
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
    /// Lets the next frame be whole.
    pub fn forget(&mut self) {
        self.anew = true;
    }

    /// The way from the last picture to this one.
    pub fn encode(&mut self, picture: Buffer) -> Cells {
        let mut cells = Cells::default();
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
                if !run.reaches(x, cell, |x| &self.shown[(x, y)]) {
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

/// Cells of one style beside each other.
struct Run<'b> {
    from: u16,
    /// The column after the last cell.
    to: u16,
    first: &'b Cell,
    text: String,
    /// One sign that is no character of one cell; such a run has no other.
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

    /// Takes a cell in, with those before it, if they go on with the run.
    fn reaches(&mut self, x: u16, cell: &Cell, at: impl Fn(u16) -> &'b Cell) -> bool {
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
            new.insert(next, words(self.first));
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

/// A style in words; none for the standard one.
fn words(cell: &Cell) -> String {
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
