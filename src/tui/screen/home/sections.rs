//! The items of home, and the user's decision about them.

use crate::tui::actions::Facts;
use crate::tui::panel::scroll::Entry;
use crate::tui::panel::tree::TreeRow;

/// A shelf with a heading.
#[derive(Clone, Debug)]
pub struct HomeSection<B> {
    /// The heading: "Unfinished debates".
    pub heading: String,
    /// Its items.
    pub items: Vec<HomeItem<B>>,
}

/// Something that can be opened.
#[derive(Clone, Debug)]
pub struct HomeItem<B> {
    /// In a few words.
    pub title: String,
    /// Shortly at the right edge: a date, a round; may be empty.
    pub value: String,
    /// The target of the item.
    pub what: B,
}

/// The preview of an item.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// Sentences.
    pub about: Vec<Entry>,
    /// The claims it is about.
    pub claims: Vec<TreeRow>,
}

/// The items of home and their previews.
pub trait HomeModel {
    /// The target that is handed back.
    type HomeItem: Clone + PartialEq;

    /// The shelves, from top to bottom; empty ones are not shown.
    fn sections(&self) -> &[HomeSection<Self::HomeItem>];
    /// The preview of an item. Called once each time it is marked.
    fn preview(&mut self, item: &Self::HomeItem) -> Preview;
    /// Takes in books that were found since; says whether there are any.
    fn poll(&mut self) -> bool {
        false
    }
    /// Actions on an item besides opening it: [`READABLE`](crate::tui::screen::keys::READABLE),
    /// [`COMPARABLE`](crate::tui::screen::keys::COMPARABLE).
    fn facts(&self, item: &Self::HomeItem) -> Facts;
}

/// The user's decision.
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
