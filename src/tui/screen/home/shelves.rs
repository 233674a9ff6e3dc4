//! What stands on the shelves of home, and what is wanted of it.

use crate::tui::actions::Facts;
use crate::tui::panel::scroll::Entry;
use crate::tui::panel::tree::Row;

/// A shelf with a heading.
#[derive(Clone, Debug)]
pub struct Shelf<B> {
    /// The heading: "Unfinished debates".
    pub heading: String,
    /// What stands on it.
    pub books: Vec<Book<B>>,
}

/// Something that can be opened.
#[derive(Clone, Debug)]
pub struct Book<B> {
    /// In a few words.
    pub title: String,
    /// Shortly at the right edge: a date, a round; may be empty.
    pub value: String,
    /// What it is.
    pub what: B,
}

/// What is said of a book before it is opened.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// Sentences.
    pub about: Vec<Entry>,
    /// The claims it is about.
    pub claims: Vec<Row>,
}

/// What can be opened, and what is said of it.
pub trait Library {
    /// What is handed back.
    type Book: Clone + PartialEq;

    /// The shelves, from top to bottom; empty ones are not shown.
    fn shelves(&self) -> &[Shelf<Self::Book>];
    /// What is said of a book. Called once each time it is marked.
    fn preview(&mut self, book: &Self::Book) -> Preview;
    /// Takes in books that were found since; says whether there are any.
    fn take_in(&mut self) -> bool {
        false
    }
    /// What can be done with a book besides opening it: [`READABLE`](crate::tui::screen::keys::READABLE),
    /// [`COMPARABLE`](crate::tui::screen::keys::COMPARABLE).
    fn facts(&self, book: &Self::Book) -> Facts;
}

/// What the user decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened<B> {
    /// To open a book.
    Book(B),
    /// To say who plays by which rules, and then to open it.
    Arranged(B),
    /// To watch a kept debate again.
    Watched(B),
    /// To see it under two sets of rules.
    Compared(B),
    /// To delete it, and then to mark the other one.
    Removed(B, Option<B>),
    /// To change the settings.
    Settings,
    /// To leave.
    Quit,
}
