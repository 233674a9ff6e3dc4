//! A list of very many entries, wrapped to the width, made only when they are seen.
//!
//! The view is anchored at a line of an entry, not at a line number, so that a million entries
//! scroll like ten and a change of width keeps the reader's place. It sticks to the end until
//! the reader scrolls up.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use ratatui::layout::{Rect, Size};
use ratatui::style::Style;

use crate::tui::theme::Role;
use crate::tui::widget::{Canvas, measure};
use debate_core::text::{safe, safe_multiline};

pub use debate_text::{Line as Entry, Span};

/// Columns of a box at most.
const BOX: u16 = 76;
/// More lines than anybody scrolls by.
const FAR: usize = 1 << 30;

/// A line of an entry; the order is that of reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct LinePosition {
    entry: usize,
    line: usize,
}

/// The reader's position.
#[derive(Clone, Debug)]
pub struct Scroll {
    /// The line at the top of the view; always one that exists, once fitted.
    top: LinePosition,
    /// True if it sticks to the end once it is there.
    follows: bool,
    sticks: bool,
    found: Option<usize>,
    size: Size,
    /// Columns for labels.
    pub margin: u16,
}

impl Default for Scroll {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Scroll {
    /// A view at the end of the list that follows new entries, with so many columns for labels
    /// (none without labels).
    pub fn new(margin: u16) -> Self {
        Self {
            top: LinePosition::default(),
            follows: true,
            sticks: true,
            found: None,
            size: Size::ZERO,
            margin,
        }
    }

    /// A view at the start of the list that stays where it is when entries are added.
    pub fn fixed(margin: u16) -> Self {
        Self {
            follows: false,
            sticks: false,
            ..Self::new(margin)
        }
    }

    /// Takes the room there is and the entries there are now.
    pub fn fit(&mut self, entries: &(impl Entries + ?Sized), area: Rect) {
        self.size = area.as_size();
        let last_top = self.last_top(entries);
        if self.sticks {
            self.top = last_top;
            return;
        }
        let count = self.line_count(entries, self.top.entry);
        self.top.line = self.top.line.min(count.saturating_sub(1));
        self.top = self.top.min(last_top);
    }

    /// True if the view follows new entries.
    pub fn sticks(&self) -> bool {
        self.sticks
    }

    /// True if something lies above the view.
    pub fn is_below_start(&self) -> bool {
        self.top > LinePosition::default()
    }

    /// True if nothing lies below the view.
    pub fn is_at_end(&self, entries: &(impl Entries + ?Sized)) -> bool {
        self.top >= self.last_top(entries)
    }

    /// The number of the entry at the top of the view.
    pub fn top(&self) -> usize {
        self.top.entry
    }

    /// The number of lines of a page, leaving one for context.
    pub fn page(&self) -> isize {
        isize::try_from(self.size.height.saturating_sub(1).max(1)).unwrap_or(1)
    }

    /// Scrolls down by so many lines, or up if negative. At the end it sticks again.
    pub fn scroll(&mut self, entries: &(impl Entries + ?Sized), lines: isize) {
        let steps = lines.unsigned_abs();
        // Nobody counts so many lines: the start or the end is meant.
        if steps > FAR {
            if lines < 0 {
                self.to_start(entries);
            } else {
                self.to_end();
                self.top = self.last_top(entries);
            }
            return;
        }
        let last_top = self.last_top(entries);
        if lines < 0 {
            self.top = self.up(entries, self.top, steps);
        } else {
            self.top = self.down(entries, self.top, steps, last_top);
        }
        self.sticks = self.follows && self.top >= last_top;
    }

    /// Goes to the first line.
    pub fn to_start(&mut self, entries: &(impl Entries + ?Sized)) {
        self.jump(entries, 0);
    }

    /// Goes to the end with the next frame, and sticks there where it follows new entries.
    pub fn to_end(&mut self) {
        self.sticks = self.follows;
        self.found = None;
    }

    /// Puts an entry at the top of the view, or as near as the end of the list allows.
    pub fn jump(&mut self, entries: &(impl Entries + ?Sized), number: usize) {
        let last_top = self.last_top(entries);
        let number = number.min(entries.len().saturating_sub(1));
        self.top = LinePosition {
            entry: number,
            line: 0,
        }
        .min(last_top);
        self.sticks = self.follows && self.top >= last_top;
    }

    /// Scrolls no further than it takes to see all of an entry, or its beginning.
    pub fn show(&mut self, entries: &(impl Entries + ?Sized), number: usize) {
        let height = usize::from(self.size.height);
        let here = LinePosition {
            entry: number,
            line: 0,
        };
        let end = LinePosition {
            entry: number + 1,
            line: 0,
        };
        let last = self.up(entries, end, height);
        if here < self.top || last > here {
            self.jump(entries, number);
        } else if last > self.top {
            self.top = last;
            self.sticks = false;
        }
    }

    /// The entries in the order in which a search looks at them, to be looked at bit by bit.
    pub fn search_cursor(&self, count: usize, forward: bool) -> SearchCursor {
        let start = self.found.filter(|found| *found < count);
        SearchCursor {
            from: start.unwrap_or(self.top.entry),
            first: usize::from(start.is_some()),
            done: 0,
            count,
            forward,
        }
    }

    /// Goes to an entry that was searched for, and marks it; in a long one, to the first of its lines
    /// with these words in small letters.
    pub fn show_found(&mut self, entries: &(impl Entries + ?Sized), found: usize, words: &str) {
        self.jump(entries, found);
        let lines = Lines::of(&entries.entry(found), self.layout().1);
        let has = |line: &Vec<Span>| {
            let text: String = line.iter().map(|span| span.text.as_str()).collect();
            text.to_lowercase().contains(words)
        };
        let line = lines.pieces.iter().position(has).unwrap_or(0);
        // The beginning of a short one stays in view.
        if line >= usize::from(self.size.height) {
            let here = LinePosition { entry: found, line };
            self.top = here.min(self.last_top(entries));
        }
        // What matched stays marked, and does not run away when something is added.
        self.sticks = false;
        self.found = Some(found);
    }

    /// Forgets what was searched for.
    pub fn forget_search(&mut self) {
        self.found = None;
    }

    /// Fits the view to its room and draws it, with signs at its right edge where there is more: on
    /// its frame, if it has one.
    pub fn draw(
        &mut self,
        entries: &(impl Entries + ?Sized),
        newest: &Range<usize>,
        framed: bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let glyphs = canvas.look.glyphs;
        self.fit(entries, area);
        self.render(entries, newest, canvas, area);
        if area.is_empty() {
            return;
        }
        let x = area.right() - u16::from(!framed);
        let width = 1;
        let edge = Rect { x, width, ..area };
        if self.is_below_start() {
            canvas.put(glyphs.more_up, Role::Focus, measure::row(edge, 0));
        }
        if !self.is_at_end(entries) {
            let last = measure::row(edge, usize::from(edge.height) - 1);
            canvas.put(glyphs.more_down, Role::Focus, last);
        }
    }

    /// Draws a text of which nothing is new.
    pub fn draw_text(&mut self, text: &[Entry], framed: bool, canvas: &mut Canvas<'_>, area: Rect) {
        self.draw(text, &(0..0), framed, canvas, area);
    }

    /// Draws a text in a frame with a title, marked where it is `focused`.
    pub fn draw_panel(
        &mut self,
        title: &str,
        focused: bool,
        text: &[Entry],
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let inner = canvas.frame(title, focused, area);
        self.draw_text(text, true, canvas, inner);
    }

    /// Draws a box over the screen with a text, such as help, no higher than the text.
    pub fn draw_box(&mut self, title: &str, text: &[Entry], canvas: &mut Canvas<'_>, area: Rect) {
        let inside = BOX.min(area.width).saturating_sub(2);
        let rows = self.lines_in(text, inside, area.height);
        let inner = canvas.popup(title, BOX, rows.saturating_add(2), area);
        self.draw_text(text, true, canvas, inner);
    }

    /// Draws what is in view. The entries in `newest` are marked as such.
    pub fn render(
        &self,
        entries: &(impl Entries + ?Sized),
        newest: &Range<usize>,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let look = canvas.look;
        let (margin, columns) = self.layout();
        let mut row = 0;
        let mut skip = self.top.line;
        for number in self.top.entry..entries.len() {
            if row >= usize::from(area.height) {
                break;
            }
            let entry = entries.entry(number);
            let mark = if self.found == Some(number) {
                Some(Role::Match)
            } else {
                newest.contains(&number).then_some(Role::Newest)
            };
            for (line, pieces) in Lines::of(&entry, columns)
                .pieces
                .iter()
                .enumerate()
                .skip(skip)
            {
                let at = measure::row(area, row);
                if line == 0 {
                    let style = look.style(mark.or(entry.label_role).unwrap_or(Role::Text));
                    draw_label(
                        &entry.label,
                        mark,
                        style,
                        canvas,
                        measure::first(at, margin),
                    );
                }
                let mut at = measure::after(at, margin);
                for piece in pieces {
                    let style = match mark {
                        Some(mark) if piece.role.is_outcome() => {
                            look.style(mark).patch(look.style(piece.role))
                        }
                        Some(mark) => look.style(piece.role).patch(look.style(mark)),
                        None => look.style(piece.role),
                    };
                    at = measure::after(at, measure::put(&piece.text, style, canvas.buffer, at));
                }
                if let Some(frame) = look.frame.filter(|_| newest.contains(&number)) {
                    frame.cover(canvas.buffer, measure::row(area, row));
                }
                row += 1;
            }
            skip = 0;
        }
    }

    fn layout(&self) -> (u16, usize) {
        self.layout_in(self.size.width)
    }

    fn layout_in(&self, columns: u16) -> (u16, usize) {
        // A margin never takes more than a third, or the body would be a column of syllables.
        let margin = self.margin.min(columns / 3);
        (margin, usize::from(columns - margin).max(1))
    }

    /// The number of lines of a text in so many columns, counted no further than `most`.
    pub fn lines_in(&self, text: &(impl Entries + ?Sized), columns: u16, most: u16) -> u16 {
        let (margin, _) = self.layout_in(columns);
        let lines = lines_up_to(text, columns - margin, most.into());
        measure::cells(lines).min(most)
    }

    fn line_count(&self, entries: &(impl Entries + ?Sized), number: usize) -> usize {
        if number >= entries.len() {
            return 0;
        }
        Lines::of(&entries.entry(number), self.layout().1)
            .pieces
            .len()
    }

    /// The lowest top that still fills the view.
    fn last_top(&self, entries: &(impl Entries + ?Sized)) -> LinePosition {
        let end = LinePosition {
            entry: entries.len(),
            line: 0,
        };
        self.up(entries, end, self.size.height.into())
    }

    fn up(
        &self,
        entries: &(impl Entries + ?Sized),
        from: LinePosition,
        mut lines: usize,
    ) -> LinePosition {
        let mut place = from;
        while lines > place.line {
            if place.entry == 0 {
                return LinePosition::default();
            }
            lines -= place.line;
            place.entry -= 1;
            place.line = self.line_count(entries, place.entry);
        }
        place.line -= lines;
        place
    }

    fn down(
        &self,
        entries: &(impl Entries + ?Sized),
        from: LinePosition,
        mut lines: usize,
        limit: LinePosition,
    ) -> LinePosition {
        let mut place = from;
        while place < limit {
            let left = self.line_count(entries, place.entry) - place.line;
            if lines < left {
                place.line += lines;
                break;
            }
            lines -= left;
            place = LinePosition {
                entry: place.entry + 1,
                line: 0,
            };
        }
        place.min(limit)
    }
}

fn draw_label(label: &str, mark: Option<Role>, style: Style, canvas: &mut Canvas<'_>, area: Rect) {
    let look = canvas.look;
    let room = measure::first(area, area.width.saturating_sub(1));
    let sign = match mark {
        Some(Role::Match) => look.glyphs.cursor,
        Some(_) => look.signs().newest,
        None => "",
    };
    if area.width == 1 {
        measure::put(sign, style, canvas.buffer, area);
        return;
    }
    // The sign stands last in the margin, so that labels stay in line.
    let has_sign = !sign.is_empty() && room.width >= 3;
    let columns = usize::from(room.width) - usize::from(has_sign);
    let label = safe(label);
    let label = measure::clip(&label, columns, look.glyphs.ellipsis);
    measure::put(&label, style, canvas.buffer, room);
    if has_sign {
        measure::put_right(sign, style, canvas.buffer, room);
    }
}

/// The numbers of all entries, from where a search begins and round the end. It can be laid aside
/// and gone on with, so that a search among millions does not hold anybody up.
#[derive(Clone, Debug)]
pub struct SearchCursor {
    pub(super) from: usize,
    /// The distance from there to the first entry that is looked at.
    pub(super) first: usize,
    /// Entries looked at.
    pub(super) done: usize,
    pub(super) count: usize,
    pub(super) forward: bool,
}

impl SearchCursor {
    /// The share of the list that has been looked at, in percent.
    pub fn percent(&self) -> usize {
        self.done.saturating_mul(100) / self.count.max(1)
    }
}

impl Iterator for SearchCursor {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.done >= self.count {
            return None;
        }
        let step = self.first + self.done;
        self.done += 1;
        Some(if self.forward {
            (self.from + step) % self.count
        } else {
            (self.from + self.count - step % self.count) % self.count
        })
    }
}

/// A source of entries. Asked only for those in view, so `entry` may format on the spot.
pub trait Entries {
    /// The number of entries.
    fn len(&self) -> usize;

    /// The entry of this number, from 0.
    fn entry(&self, number: usize) -> Entry;

    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Entries for one frame, each made once however often it is measured and drawn.
pub struct FrameEntries<'e, E: ?Sized> {
    entries: &'e E,
    made: RefCell<HashMap<usize, Entry>>,
}

impl<'e, E: Entries + ?Sized> FrameEntries<'e, E> {
    pub fn new(entries: &'e E) -> Self {
        Self {
            entries,
            made: RefCell::default(),
        }
    }
}

impl<E: Entries + ?Sized> Entries for FrameEntries<'_, E> {
    fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, number: usize) -> Entry {
        let mut made = self.made.borrow_mut();
        let entry = made.entry(number);
        entry.or_insert_with(|| self.entries.entry(number)).clone()
    }
}

impl Entries for [Entry] {
    fn len(&self) -> usize {
        <[Entry]>::len(self)
    }

    fn entry(&self, number: usize) -> Entry {
        self[number].clone()
    }
}

/// The number of lines of a few entries.
pub(in crate::tui) fn measure_lines(entries: &[Entry], columns: u16) -> usize {
    lines_up_to(entries, columns, usize::MAX)
}

/// The number of lines of entries, counted until it is more than `most`. Each has a line at least.
pub(in crate::tui) fn lines_up_to(
    entries: &(impl Entries + ?Sized),
    columns: u16,
    most: usize,
) -> usize {
    if entries.len() > most {
        return entries.len();
    }
    let mut lines = 0;
    for number in 0..entries.len() {
        let entry = entries.entry(number);
        lines += measure::wrap(&entry.text(), columns.into()).len();
        if lines > most {
            break;
        }
    }
    lines
}

/// A title and entries in lines, for whoever does not see them.
pub fn in_words(title: &str, entries: &[Entry]) -> String {
    let texts = entries.iter().filter(|entry| !entry.silent).map(|entry| {
        match (entry.label.trim(), entry.text()) {
            ("", text) => text,
            (label, text) if text.is_empty() => label.to_owned(),
            (label, text) => format!("{label}: {text}"),
        }
    });
    let lines: Vec<String> = std::iter::once(title.to_owned())
        .chain(texts)
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines.join("\n")
}

/// An entry's body, broken into lines that keep the styles of its pieces.
pub(in crate::tui) struct Lines {
    pub(in crate::tui) pieces: Vec<Vec<Span>>,
}

impl Lines {
    pub(in crate::tui) fn of(entry: &Entry, columns: usize) -> Self {
        if entry.silent {
            return Self { pieces: Vec::new() };
        }
        let mut text = String::new();
        let mut ends = Vec::with_capacity(entry.body.len());
        for piece in &entry.body {
            text.push_str(&safe_multiline(&piece.text));
            ends.push((text.len(), piece.role));
        }
        let start = text.as_ptr().addr();
        let lines = measure::wrap(&text, columns).into_iter().map(|line| {
            let from = line.as_ptr().addr() - start;
            styled(line, from, &ends)
        });
        Self {
            pieces: lines.collect(),
        }
    }
}

/// Cuts a line that begins at byte `from` of the text where its pieces end.
fn styled(line: &str, from: usize, ends: &[(usize, Role)]) -> Vec<Span> {
    let mut pieces = Vec::new();
    let mut rest = line;
    let mut at = from;
    for &(end, role) in ends.iter().filter(|(end, _)| *end > from) {
        let length = (end - at).min(rest.len());
        let (front, back) = rest.split_at(length);
        if !front.is_empty() {
            pieces.push(Span {
                text: front.to_owned(),
                role,
            });
        }
        rest = back;
        at += length;
        if rest.is_empty() {
            break;
        }
    }
    pieces
}

#[cfg(test)]
mod tests;
