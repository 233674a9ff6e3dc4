//! Home: everything that can be opened, on shelves, with a preview of what is marked.
//!
//! What stands on the shelves is the caller's; a book is whatever it wants back.

mod screen;
mod shelves;

use ratatui::{buffer::Buffer, layout::Rect};

use super::panels::edges;
use super::{Action, Effect, Overlay};
use crate::tui::actions::KeyMap;
use crate::tui::panel::{
    frame,
    line::Line,
    measure,
    scroll::Scroll,
    tree::{Row, Tree},
};
use crate::tui::theme::Look;
use debate_lab::narration::claim_tree::Fold;
pub use shelves::{Book, Library, Opened, Preview, Shelf};

/// From so many columns on the preview stands beside the shelves, else below them.
const SIDE_BY_SIDE: u16 = 70;

/// Home on the screen.
pub struct Home<'h, L: Library> {
    library: &'h mut L,
    keys: &'h KeyMap<Action>,
    /// The shelf and the book of each row; a heading has no book.
    rows: Vec<(usize, Option<usize>)>,
    list: Tree,
    preview: Preview,
    /// What the preview is of.
    shown: Option<L::Book>,
    /// What is to be marked as soon as it is there.
    wanted: Option<L::Book>,
    about: Scroll,
    /// Whether the mark was moved by hand.
    moved: bool,
    typing: Option<Line>,
    /// Whether to delete what is marked is asked.
    removing: bool,
    pattern: String,
    overlay: Overlay,
    said: Option<String>,
    /// Where the list was drawn.
    place: Rect,
}

/// Columns of a row that are neither title nor value: the frame's, the indent, a gap.
const BESIDE: usize = 6;
/// From so many columns on a list shows values beside titles that are shortened for them.
const VALUES: u16 = 44;

impl<'h, L: Library> Home<'h, L> {
    /// Home with this book marked, else the first one.
    pub fn new(library: &'h mut L, keys: &'h KeyMap<Action>, marked: Option<&L::Book>) -> Self {
        let mut about = Scroll::new(0);
        about.unstick();
        let mut home = Self {
            library,
            keys,
            rows: Vec::new(),
            list: Tree::default(),
            preview: Preview::default(),
            shown: None,
            wanted: None,
            about,
            moved: false,
            typing: None,
            removing: false,
            pattern: String::new(),
            overlay: Overlay::default(),
            said: None,
            place: Rect::ZERO,
        };
        home.arrange();
        if let Some(marked) = marked {
            home.moved = home.mark(marked);
            home.wanted = (!home.moved).then(|| marked.clone());
        }
        home
    }

    /// Marks a book; says whether it is there.
    fn mark(&mut self, book: &L::Book) -> bool {
        let is_it = |row: &usize| self.book_at(*row) == Some(book);
        let Some(row) = (0..self.rows.len()).find(is_it) else {
            return false;
        };
        self.list.select(row);
        self.look_inside();
        true
    }

    /// Puts books on the shelves that were found since, and leaves the mark where it is. Where
    /// nobody has moved it yet it is on the first book.
    fn take_in(&mut self) {
        if !self.library.take_in() {
            return;
        }
        let before = self.marked().cloned().filter(|_| self.moved);
        self.arrange();
        if let Some(book) = self.wanted.take().or(before) {
            self.mark(&book);
        }
    }

    /// Lays out the rows that fit what was searched for.
    fn arrange(&mut self) {
        self.rows.clear();
        let words: Vec<String> = self
            .pattern
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        for (shelf_number, shelf) in self.library.shelves().iter().enumerate() {
            let fits = |book: &Book<L::Book>| {
                let text = format!("{} {}", shelf.heading, book.title).to_lowercase();
                words.iter().all(|word| text.contains(word))
            };
            let books = shelf.books.iter().enumerate();
            let found: Vec<usize> = books
                .filter(|(_, book)| fits(book))
                .map(|(number, _)| number)
                .collect();
            if found.is_empty() {
                continue;
            }
            self.rows.push((shelf_number, None));
            self.rows
                .extend(found.into_iter().map(|book| (shelf_number, Some(book))));
        }
        self.list.select(0);
        self.step(0);
    }

    /// Moves the mark by so many rows; headings are passed over.
    fn step(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(1);
        let at = self.list.selected().saturating_add_signed(by).min(last);
        let is_book = |row: &usize| self.rows.get(*row).is_some_and(|(_, book)| book.is_some());
        let (after, before) = ((at..self.rows.len()).find(is_book), (0..at).rfind(is_book));
        let found = if by < 0 && !is_book(&at) {
            before.or(after)
        } else {
            after.or(before)
        };
        let at = found.unwrap_or(0);
        self.list.select(at);
        self.look_inside();
    }

    /// To the first book of the next or the previous shelf.
    fn step_shelf(&mut self, on: bool) {
        let Some((shelf, _)) = self.rows.get(self.list.selected()).copied() else {
            return;
        };
        let headings = |row: &usize| matches!(self.rows.get(*row), Some((_, None)));
        let here = |row: &usize| {
            self.rows
                .get(*row)
                .is_some_and(|(other, _)| *other == shelf)
        };
        let count = self.rows.len();
        let heading = if on {
            (0..count)
                .filter(headings)
                .find(|row| *row > self.list.selected())
        } else {
            (0..count)
                .filter(headings)
                .rfind(|row| *row < self.list.selected() && !here(row))
        };
        if let Some(heading) = heading {
            self.list.select(heading);
            self.step(1);
        }
    }

    fn book_at(&self, row: usize) -> Option<&L::Book> {
        let (shelf, book) = self.rows.get(row)?;
        let shelf = self.library.shelves().get(*shelf)?;
        Some(&shelf.books.get((*book)?)?.what)
    }

    fn marked(&self) -> Option<&L::Book> {
        self.book_at(self.list.selected())
    }

    fn look_inside(&mut self) {
        let Some(book) = self.marked().cloned() else {
            self.preview = Preview::default();
            self.shown = None;
            return;
        };
        if self.shown.as_ref() == Some(&book) {
            return;
        }
        self.shown = Some(book.clone());
        self.preview = self.library.preview(&book);
        self.about = Scroll::new(0);
        self.about.unstick();
    }

    /// Asks whether to delete what is marked.
    fn ask_to_remove(&mut self) {
        let row = self.rows.get(self.list.selected()).copied();
        let book = row.and_then(|(shelf, book)| {
            let shelf = self.library.shelves().get(shelf)?;
            shelf.books.get(book?)
        });
        if let Some(Book { title, value, .. }) = book {
            self.said = Some(format!(
                "y deletes it for good, any other key keeps it: {title}, {value}"
            ));
            self.removing = true;
        }
    }

    /// Deletes what is marked; the book after it will be marked, else the one before.
    fn remove(&self) -> Effect<Opened<L::Book>> {
        let row = self.list.selected();
        let after = (row + 1..self.rows.len()).find_map(|row| self.book_at(row));
        let before = || (0..row).rev().find_map(|row| self.book_at(row));
        let next = after.or_else(before).cloned();
        self.leave(|book| Opened::Removed(book, next))
    }

    fn leave(&self, how: impl FnOnce(L::Book) -> Opened<L::Book>) -> Effect<Opened<L::Book>> {
        match self.marked().cloned() {
            Some(book) => Effect::Leave(how(book)),
            None => Effect::None,
        }
    }

    fn row(&self, number: usize) -> Row {
        let Some((shelf, book)) = self.rows.get(number) else {
            return Row::default();
        };
        let Some(shelf) = self.library.shelves().get(*shelf) else {
            return Row::default();
        };
        match book.and_then(|book| shelf.books.get(book)) {
            None => Row {
                text: shelf.heading.clone(),
                fold: Fold::Open,
                ..Row::default()
            },
            Some(book) => Row {
                text: format!("  {}", book.title),
                value: if self.shows_value(book) {
                    book.value.clone()
                } else {
                    String::new()
                },
                ..Row::default()
            },
        }
    }

    /// A narrow list shows a value only where it shortens no title.
    fn shows_value(&self, book: &Book<L::Book>) -> bool {
        let columns = usize::from(self.place.width);
        let taken = [&book.title, &book.value].map(|text| measure::width(text));
        self.place.width >= VALUES || taken.iter().sum::<usize>() + BESIDE <= columns
    }

    fn draw_preview(&mut self, look: &Look, buffer: &mut Buffer, area: Rect) {
        let inner = frame("What it is", false, look, buffer, area);
        let claims = self.preview.claims.len();
        let lines = super::panels::measure_lines(&self.preview.about, inner.width);
        let height = usize::from(inner.height);
        // The words come first; the claims have what is left, and three rows at least.
        let tree = claims
            .min(height.saturating_sub(lines + 1).max(3))
            .min(height / 2 + 1);
        let tree = u16::try_from(if claims == 0 { 0 } else { tree }).unwrap_or(0);
        let upper = Rect {
            height: inner
                .height
                .saturating_sub(if tree > 0 { tree + 1 } else { 0 }),
            ..inner
        };
        let about = &self.preview.about[..];
        self.about.fit(about, upper);
        self.about.render(about, &(0..0), look, buffer, upper);
        edges(&self.about, about, true, look, buffer, upper);
        let lower = Rect {
            y: inner.bottom().saturating_sub(tree),
            height: tree,
            ..inner
        };
        let mut view = Tree::default();
        view.fit(claims, lower);
        let row = |number: usize| self.preview.claims.get(number).cloned().unwrap_or_default();
        view.render(claims, row, false, look, buffer, lower);
    }
}
