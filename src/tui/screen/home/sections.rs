//! What stands on the shelves of home, and what is wanted of it.

use crate::tui::actions::Facts;
use crate::tui::panel::scroll::Entry;
use crate::tui::panel::tree::TreeRow;

/// A shelf with a heading.
#[derive(Clone, Debug)]
pub struct HomeSection<B> {
    /// The heading: "Unfinished debates".
    pub heading: String,
    /// What stands on it.
    pub items: Vec<HomeItem<B>>,
}

/// Something that can be opened.
#[derive(Clone, Debug)]
pub struct HomeItem<B> {
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
    pub claims: Vec<TreeRow>,
}

/// What can be opened, and what is said of it.
pub trait HomeModel {
    /// What is handed back.
    type HomeItem: Clone + PartialEq;

    /// The shelves, from top to bottom; empty ones are not shown.
    fn sections(&self) -> &[HomeSection<Self::HomeItem>];
    /// What is said of a book. Called once each time it is marked.
    fn preview(&mut self, item: &Self::HomeItem) -> Preview;
    /// Takes in books that were found since; says whether there are any.
    fn poll(&mut self) -> bool {
        false
    }
    /// What can be done with a book besides opening it: [`READABLE`](crate::tui::screen::keys::READABLE),
    /// [`COMPARABLE`](crate::tui::screen::keys::COMPARABLE).
    fn facts(&self, item: &Self::HomeItem) -> Facts;
}

/// What the user decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeOutcome<B> {
    /// To open a book.
    HomeItem(B),
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
