//! The items of home, and the user's decision about them.

use crate::tui::actions::Facts;
use crate::tui::widget::scroll::Entry;
use crate::tui::widget::tree::TreeRow;
use debate_lab::plan::Reproduction;

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
    /// At the right edge: an age, a round; may be empty.
    pub value: String,
    /// The same where there is no room for all of it; may be empty.
    pub brief: String,
    /// More words by which it is found: a scenario's name and rules.
    pub words: String,
    /// How far the user has come with it.
    pub progress: ItemProgress,
    /// The target of the item.
    pub what: B,
}

impl<B> HomeItem<B> {
    /// An item of which nothing is said yet.
    pub fn new(what: B) -> Self {
        Self {
            title: String::new(),
            value: String::new(),
            brief: String::new(),
            words: String::new(),
            progress: ItemProgress::New,
            what,
        }
    }
}

/// How far the user has come with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemProgress {
    /// Nothing is known, or nothing was done.
    New,
    /// It was played.
    Played,
    /// It was won.
    Won,
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
    /// Actions on an item besides opening it: [`READABLE`](crate::tui::keys::READABLE),
    /// [`COMPARABLE`](crate::tui::keys::COMPARABLE).
    fn facts(&self, item: &Self::HomeItem) -> Facts;
    /// What plays the debate of an item again.
    fn reproduction(&self, _item: &Self::HomeItem) -> Option<Reproduction> {
        None
    }
    /// The name of an item that can be renamed, to begin with.
    fn name(&self, _item: &Self::HomeItem) -> String {
        String::new()
    }
}

/// The user's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// To give it a name; an empty one takes the name away.
    Renamed(B, String),
    /// To hide it or show it again, and then to mark the other one.
    Hidden(B, Option<B>),
    /// To show hidden items too, or no more, with this one marked.
    ShowHidden(Option<B>),
    /// To leave.
    Quit,
}
