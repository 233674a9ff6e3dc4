//! The entries of a scrolling list, and their lines.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::tui::theme::Role;
use crate::tui::widget::measure;
use debate_core::text::safe_multiline;

pub use debate_lab::tell::{Line as Entry, Span};

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
