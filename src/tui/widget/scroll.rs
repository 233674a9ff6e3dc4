//! A scrolling list of entries, wrapped to the width. Entries are formatted only when they are in view, so the list may
//! be very long.
//!
//! The view is anchored at a line of an entry, not at a line number. A million entries therefore scroll as fast as ten,
//! and a change of width keeps the position. A view that follows new entries stays at the end until the user scrolls
//! up.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use ratatui::layout::{Rect, Size};
use ratatui::style::Style;

use crate::tui::theme::TextRole;
use crate::tui::widget::{Canvas, measure, popup_width};
use debate_core::text::{replace_unsafe_characters, replace_unsafe_multiline};

pub use debate_text::{Line as Entry, TextWithRole};

/// Width of a popup with a text, in columns, if the screen is wide enough. Longer lines are hard to read.
pub const POPUP_WIDTH: u16 = 100;
/// The limit of scroll distances. A larger distance means: to the start, or to the end.
const FAR: usize = 1 << 30;

/// The position of a line: the index of its entry, and of the line in the entry. Ordered from top to bottom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct LinePosition {
    entry: usize,
    line: usize,
}

/// The scroll position and the last search match of a list.
#[derive(Clone, Debug)]
pub struct Scroll {
    /// The line of the list at the top of the view. After each call to `fit_to_area`, the list contains this line.
    top: LinePosition,
    /// True if the view, once it has reached the end, moves on when entries are added.
    follows: bool,
    is_following: bool,
    found: Option<usize>,
    size: Size,
    /// Columns for labels.
    pub margin: u16,
}

impl Default for Scroll {
    fn default() -> Self {
        Self::following_list_end(0)
    }
}

impl Scroll {
    /// Creates a view at the end of a list that moves on when entries are added. `label_columns` is the number of
    /// columns for labels, 0 if there are none.
    pub fn following_list_end(label_columns: u16) -> Self {
        Self {
            top: LinePosition::default(),
            follows: true,
            is_following: true,
            found: None,
            size: Size::ZERO,
            margin: label_columns,
        }
    }

    /// Creates a view at the start of a list that does not move when entries are added.
    pub fn at_start_without_following(label_columns: u16) -> Self {
        Self {
            follows: false,
            is_following: false,
            ..Self::following_list_end(label_columns)
        }
    }

    /// Adapts the view to the current area and to the list's current entries.
    pub fn fit_to_area(&mut self, entries: &(impl Entries + ?Sized), area: Rect) {
        self.size = area.as_size();
        let last_top = self.last_top(entries);
        if self.is_following {
            self.top = last_top;
            return;
        }
        let count = self.line_count(entries, self.top.entry);
        self.top.line = self.top.line.min(count.saturating_sub(1));
        self.top = self.top.min(last_top);
    }

    /// True if the view is at the end and moves on when entries are added.
    pub fn follows_new_entries(&self) -> bool {
        self.is_following
    }

    /// True if the list has lines above the view.
    pub fn has_lines_above_view(&self) -> bool {
        self.top > LinePosition::default()
    }

    /// True if the list has no lines below the view.
    pub fn is_scrolled_to_end(&self, entries: &(impl Entries + ?Sized)) -> bool {
        self.top >= self.last_top(entries)
    }

    /// Returns the index of the entry at the top of the view.
    pub fn top_entry(&self) -> usize {
        self.top.entry
    }

    /// Returns the number of lines by which a page key scrolls: those of the view, less one for context.
    pub fn lines_per_page_key(&self) -> isize {
        isize::try_from(self.size.height.saturating_sub(1).max(1)).unwrap_or(1)
    }

    /// Scrolls down by `lines`, or up if negative. At the end of the list, a view that is not fixed follows new entries
    /// again.
    pub fn scroll(&mut self, entries: &(impl Entries + ?Sized), lines: isize) {
        let steps = lines.unsigned_abs();
        // A distance this large means the start or the end.
        if steps > FAR {
            if lines < 0 {
                self.scroll_to_start(entries);
            } else {
                self.follow_list_end();
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
        self.is_following = self.follows && self.top >= last_top;
    }

    /// Scrolls to the first line.
    pub fn scroll_to_start(&mut self, entries: &(impl Entries + ?Sized)) {
        self.scroll_entry_to_top(entries, 0);
    }

    /// Clears the search match. From the next frame on, the view follows the end of the list, unless it is a fixed
    /// view.
    pub fn follow_list_end(&mut self) {
        self.is_following = self.follows;
        self.found = None;
    }

    /// Scrolls so that an entry is at the top of the view, or as close to it as the end of the list allows.
    pub fn scroll_entry_to_top(&mut self, entries: &(impl Entries + ?Sized), number: usize) {
        let last_top = self.last_top(entries);
        let number = number.min(entries.len().saturating_sub(1));
        self.top = LinePosition {
            entry: number,
            line: 0,
        }
        .min(last_top);
        self.is_following = self.follows && self.top >= last_top;
    }

    /// Scrolls by the smallest distance that shows an entry in full, or its beginning if it is too long.
    pub fn scroll_into_view(&mut self, entries: &(impl Entries + ?Sized), entry_index: usize) {
        let height = usize::from(self.size.height);
        let here = LinePosition {
            entry: entry_index,
            line: 0,
        };
        let end = LinePosition {
            entry: entry_index + 1,
            line: 0,
        };
        let last = self.up(entries, end, height);
        if here < self.top || last > here {
            self.scroll_entry_to_top(entries, entry_index);
        } else if last > self.top {
            self.top = last;
            self.is_following = false;
        }
    }

    /// Returns the cursor of a search through all entries. It starts after the last match, or else at the entry at the
    /// top of the view.
    pub fn search_cursor_from_last_match_or_view(
        &self,
        count: usize,
        forward: bool,
    ) -> ResumableEntrySearch {
        let start = self.found.filter(|found| *found < count);
        ResumableEntrySearch {
            from: start.unwrap_or(self.top.entry),
            first: usize::from(start.is_some()),
            done: 0,
            count,
            forward,
        }
    }

    /// Scrolls to an entry that a search has found, and marks it. In a long entry, scrolls to the first line that
    /// contains these words, given in lower case.
    pub fn show_search_match(
        &mut self,
        entries: &(impl Entries + ?Sized),
        found: usize,
        words: &str,
    ) {
        self.scroll_entry_to_top(entries, found);
        let lines = WrappedLines::wrap(&entries.entry(found), self.layout().1);
        let has = |line: &Vec<TextWithRole>| {
            let text: String = line.iter().map(|span| span.text.as_str()).collect();
            text.to_lowercase().contains(words)
        };
        let line = lines.pieces.iter().position(has).unwrap_or(0);
        // The beginning of a short entry stays in view.
        if line >= usize::from(self.size.height) {
            let here = LinePosition { entry: found, line };
            self.top = here.min(self.last_top(entries));
        }
        // The match stays marked, and new entries must not scroll it away.
        self.is_following = false;
        self.found = Some(found);
    }

    /// Clears the search result.
    pub fn clear_search(&mut self) {
        self.found = None;
    }

    /// Adapts the view to its area and draws it. Symbols at the right edge, or on the frame, show that there are lines
    /// above or below the view.
    pub fn draw(
        &mut self,
        entries: &(impl Entries + ?Sized),
        newest: &Range<usize>,
        is_inside_frame: bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let glyphs = canvas.look.glyphs;
        self.fit_to_area(entries, area);
        self.render(entries, newest, canvas, area);
        if area.is_empty() {
            return;
        }
        let x = area.right() - u16::from(!is_inside_frame);
        let width = 1;
        let edge = Rect { x, width, ..area };
        if self.has_lines_above_view() {
            canvas.draw_text_line(glyphs.more_up, TextRole::Focus, measure::row(edge, 0));
        }
        if !self.is_scrolled_to_end(entries) {
            let last = measure::row(edge, usize::from(edge.height) - 1);
            canvas.draw_text_line(glyphs.more_down, TextRole::Focus, last);
        }
    }

    /// Draws a text that has no new entries.
    pub fn draw_text(
        &mut self,
        text: &[Entry],
        is_inside_frame: bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        self.draw(text, &(0..0), is_inside_frame, canvas, area);
    }

    /// Draws a text in a frame with a title, which is highlighted if `focused`.
    pub fn draw_panel(
        &mut self,
        title: &str,
        focused: bool,
        text: &[Entry],
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let inner = canvas.draw_frame(title, focused, area);
        self.draw_text(text, true, canvas, inner);
    }

    /// Draws a text, such as the help, in a box over the screen. The box is as high as the text with its frame. It has
    /// the height of the area if hardly any rows would be left beside it.
    pub fn draw_box(&mut self, title: &str, text: &[Entry], canvas: &mut Canvas<'_>, area: Rect) {
        let inside = popup_width(POPUP_WIDTH, area.width).saturating_sub(2);
        let rows = self.wrapped_line_count(text, inside, area.height);
        let inner = canvas.draw_popup(title, POPUP_WIDTH, rows.saturating_add(2), area);
        self.draw_text(text, true, canvas, inner);
    }

    /// Draws the entries that are in view. The entries in `newest` are marked as new.
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
                Some(TextRole::Match)
            } else {
                newest.contains(&number).then_some(TextRole::Newest)
            };
            for (line, pieces) in WrappedLines::wrap(&entry, columns)
                .pieces
                .iter()
                .enumerate()
                .skip(skip)
            {
                let at = measure::row(area, row);
                if line == 0 {
                    let style = look.style(mark.or(entry.label_role).unwrap_or(TextRole::Text));
                    draw_label(
                        &entry.label,
                        mark,
                        style,
                        canvas,
                        measure::first_columns(at, margin),
                    );
                }
                let mut at = measure::skip_columns(at, margin);
                for piece in pieces {
                    let style = match mark {
                        Some(mark) if piece.role.is_outcome_word_role() => {
                            look.style(mark).patch(look.style(piece.role))
                        }
                        Some(mark) => look.style(piece.role).patch(look.style(mark)),
                        None => look.style(piece.role),
                    };
                    at = measure::skip_columns(
                        at,
                        measure::draw_single_text_line(&piece.text, style, canvas.buffer, at),
                    );
                }
                if let Some(frame) = look.frame.filter(|_| newest.contains(&number)) {
                    frame.hide_new_results(canvas.buffer, measure::row(area, row));
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
        // A margin takes at most a third, because a narrower body would contain only syllables.
        let margin = self.margin.min(columns / 3);
        (margin, usize::from(columns - margin).max(1))
    }

    /// Returns the number of lines of a text at a width of `columns`, counted up to `max_lines`.
    pub fn wrapped_line_count(
        &self,
        text: &(impl Entries + ?Sized),
        columns: u16,
        max_lines: u16,
    ) -> u16 {
        let (margin, _) = self.layout_in(columns);
        let lines = lines_up_to(text, columns - margin, max_lines.into());
        measure::to_u16_saturating(lines).min(max_lines)
    }

    fn line_count(&self, entries: &(impl Entries + ?Sized), number: usize) -> usize {
        if number >= entries.len() {
            return 0;
        }
        WrappedLines::wrap(&entries.entry(number), self.layout().1)
            .pieces
            .len()
    }

    /// Returns the position of the view's top line when the list's last line is at the bottom of the view.
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
        let mut position = from;
        while lines > position.line {
            if position.entry == 0 {
                return LinePosition::default();
            }
            lines -= position.line;
            position.entry -= 1;
            position.line = self.line_count(entries, position.entry);
        }
        position.line -= lines;
        position
    }

    fn down(
        &self,
        entries: &(impl Entries + ?Sized),
        from: LinePosition,
        mut lines: usize,
        limit: LinePosition,
    ) -> LinePosition {
        let mut position = from;
        while position < limit {
            let left = self.line_count(entries, position.entry) - position.line;
            if lines < left {
                position.line += lines;
                break;
            }
            lines -= left;
            position = LinePosition {
                entry: position.entry + 1,
                line: 0,
            };
        }
        position.min(limit)
    }
}

fn draw_label(
    label: &str,
    mark: Option<TextRole>,
    style: Style,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let look = canvas.look;
    let room = measure::first_columns(area, area.width.saturating_sub(1));
    let sign = match mark {
        Some(TextRole::Match) => look.glyphs.cursor,
        Some(_) => look.narration_symbols().newest,
        None => "",
    };
    if area.width == 1 {
        measure::draw_single_text_line(sign, style, canvas.buffer, area);
        return;
    }
    // The sign is at the end of the margin, so that labels stay aligned.
    let has_sign = !sign.is_empty() && room.width >= 3;
    let columns = usize::from(room.width) - usize::from(has_sign);
    let label = replace_unsafe_characters(label);
    let label = measure::clip(&label, columns, look.glyphs.ellipsis);
    measure::draw_single_text_line(&label, style, canvas.buffer, room);
    if has_sign {
        measure::draw_text_right_aligned(sign, style, canvas.buffer, room);
    }
}

/// The progress of a search through all entries, from a first entry and around the end of the list. The search can be
/// paused and resumed, so that a search among millions of entries does not block the screen.
#[derive(Clone, Debug)]
pub struct ResumableEntrySearch {
    pub(super) from: usize,
    /// The offset of the first searched entry, counted from the entry `from`.
    pub(super) first: usize,
    /// The number of entries that were already searched.
    pub(super) done: usize,
    pub(super) count: usize,
    pub(super) forward: bool,
}

impl ResumableEntrySearch {
    /// Returns the proportion of the list's entries that this search has examined, in percent.
    pub fn percent_searched(&self) -> usize {
        self.done.saturating_mul(100) / self.count.max(1)
    }
}

impl Iterator for ResumableEntrySearch {
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

/// A list of entries to draw. `entry` is called only for entries in or near the view, so it may format them on demand.
pub trait Entries {
    /// Returns the number of entries.
    fn len(&self) -> usize;

    /// Returns the entry at index `number`, from 0. `number` must be less than [`Self::len`].
    fn entry(&self, number: usize) -> Entry;

    /// True if the list is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The entries of a list during one frame. Each entry is formatted once, even if it is measured and drawn several
/// times.
pub struct EntriesCachedForFrame<'e, E: ?Sized> {
    entries: &'e E,
    made: RefCell<HashMap<usize, Entry>>,
}

impl<'e, E: Entries + ?Sized> EntriesCachedForFrame<'e, E> {
    pub fn new(entries: &'e E) -> Self {
        Self {
            entries,
            made: RefCell::default(),
        }
    }
}

impl<E: Entries + ?Sized> Entries for EntriesCachedForFrame<'_, E> {
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

/// Returns the number of lines of a short list of entries at a width of `columns`.
pub(in crate::tui) fn measure_lines(entries: &[Entry], columns: u16) -> usize {
    lines_up_to(entries, columns, usize::MAX)
}

/// Returns the number of lines of a list of entries. Counting stops when the number exceeds `max_lines`. Each entry
/// counts as at least one line, even a hidden one.
pub(in crate::tui) fn lines_up_to(
    entries: &(impl Entries + ?Sized),
    columns: u16,
    max_lines: usize,
) -> usize {
    if entries.len() > max_lines {
        return entries.len();
    }
    let mut lines = 0;
    for number in 0..entries.len() {
        let entry = entries.entry(number);
        lines += wrapped_text(&entry, &entry.plain_body_text(), columns.into()).len();
        if lines > max_lines {
            break;
        }
    }
    lines
}

/// Formats a title and entries as lines for screen readers.
pub fn screen_reader_text(title: &str, entries: &[Entry]) -> String {
    let texts = entries.iter().filter(|entry| !entry.silent).map(|entry| {
        match (entry.label.trim(), entry.plain_body_text()) {
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

/// The text of an entry, broken into lines. Each line is a list of pieces with their styles.
pub(in crate::tui) struct WrappedLines {
    pub(in crate::tui) pieces: Vec<Vec<TextWithRole>>,
}

impl WrappedLines {
    pub(in crate::tui) fn wrap(entry: &Entry, columns: usize) -> Self {
        if entry.silent {
            return Self { pieces: Vec::new() };
        }
        let mut text = String::new();
        let mut ends = Vec::with_capacity(entry.body.len());
        for piece in &entry.body {
            text.push_str(&replace_unsafe_multiline(&piece.text));
            ends.push((text.len(), piece.role));
        }
        let start = text.as_ptr().addr();
        let lines = wrapped_text(entry, &text, columns).into_iter().map(|line| {
            let from = line.as_ptr().addr() - start;
            styled(line, from, &ends)
        });
        Self {
            pieces: lines.collect(),
        }
    }
}

/// Breaks the text of an entry into lines. A row of a table is cut at the edge instead, so that its cells stay aligned.
fn wrapped_text<'t>(entry: &Entry, text: &'t str, columns: usize) -> Vec<&'t str> {
    if !entry.fixed {
        return measure::wrap(text, columns);
    }
    let lines = text.split('\n');
    lines
        .map(|line| measure::split_at(line, columns).0)
        .collect()
}

/// Splits a line of an entry's text into pieces with one style each. The line begins at byte `from` of the text, and
/// `ends` are the ends of the pieces.
fn styled(line: &str, from: usize, ends: &[(usize, TextRole)]) -> Vec<TextWithRole> {
    let mut pieces = Vec::new();
    let mut rest = line;
    let mut at = from;
    for &(end, role) in ends.iter().filter(|(end, _)| *end > from) {
        let length = (end - at).min(rest.len());
        let (front, back) = rest.split_at(length);
        if !front.is_empty() {
            pieces.push(TextWithRole {
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
