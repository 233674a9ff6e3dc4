//! The recursion as a tree: every claim met on the way, with what was said and drawn of it.

mod levels;

use std::ops::Range;

use super::Script;
use debate_core::observe::Observation;
use debate_core::protocol::{Reader, Seat};
use debate_core::scenario::ClaimId;

use super::{Signs, Viewpoint, chance};
use levels::Levels;

/// Bits at the right edge of a row.
const BITS: usize = 10;

/// The lines that lead from the root to a row: one level an ancestor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Branches {
    depth: u16,
    last: bool,
    /// Bit k: the ancestor at depth k + 1 has siblings after it. Deeper levels have no rails.
    rails: u64,
}

impl Branches {
    pub const ROOT: Self = Self {
        depth: 0,
        last: true,
        rails: 0,
    };

    #[must_use]
    pub fn child(self, last: bool) -> Self {
        let rail = match self.depth.checked_sub(1) {
            Some(level) if level < 64 && !self.last => 1 << level,
            _ => 0,
        };
        Self {
            depth: self.depth.saturating_add(1),
            last,
            rails: self.rails | rail,
        }
    }

    pub fn depth(self) -> u16 {
        self.depth
    }

    /// True if no sibling follows.
    pub fn is_last(self) -> bool {
        self.last
    }

    /// True if a line passes by at this level, to a later sibling of the ancestor there.
    pub fn passes(self, level: u16) -> bool {
        level < 64 && self.rails >> level & 1 == 1
    }
}

/// The children of a row: none, shown or hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fold {
    #[default]
    Leaf,
    Open,
    Shut,
}

/// The mark of a row. Each has a sign besides its style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowMark {
    #[default]
    Plain,
    /// Behind the debate: no longer of interest.
    Faint,
    /// The claim under discussion.
    Current,
    /// Picked on the way to the claim under discussion.
    Chosen,
    /// Changed by the last step.
    Newest,
}

/// A row of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRow {
    pub claim: ClaimId,
    pub branches: Branches,
    pub fold: Fold,
    /// The claim in few words.
    pub text: String,
    /// The prover's answer, where `value` shows something else.
    pub claimed: Option<bool>,
    /// The name of whoever gave it: "Alice", or "You".
    pub prover: &'static str,
    /// A short value for the right edge, such as a probability; may be empty.
    pub value: String,
    pub mark: RowMark,
    /// True if the last step changed it, whatever its mark.
    pub newest: bool,
}

impl ClaimRow {
    /// The claim with the prover's answer, the longest form first.
    pub fn forms(&self) -> Vec<String> {
        let (text, prover) = (&self.text, self.prover);
        let said = self
            .claimed
            .map(|claimed| if claimed { "yes" } else { "no" });
        said.into_iter()
            .flat_map(|said| {
                [
                    format!("{text} ({prover}: {said})"),
                    format!("{text} ({said})"),
                ]
            })
            .chain([text.clone()])
            .collect()
    }
}

/// One claim, with all that was said of it.
#[derive(Clone, Debug)]
struct Node {
    claim: ClaimId,
    p: Option<f64>,
    coin: Option<bool>,
    claimed: Option<bool>,
    judged: Option<bool>,
    /// The bits that were given for it, shortened; or the one that was read of it.
    bits: Option<String>,
    pointed: bool,
    /// True if what the verifier checked of it is as it should be.
    checked: Option<bool>,
    /// The last entry of the log that is about it.
    touched: usize,
}

impl Node {
    fn new(claim: ClaimId, touched: usize) -> Self {
        Self {
            claim,
            p: None,
            coin: None,
            claimed: None,
            judged: None,
            bits: None,
            pointed: false,
            checked: None,
            touched,
        }
    }

    /// The value at the right edge: the probability, then the outcome in words.
    fn value(&self, script: Script) -> String {
        let signs = Signs::of(script);
        // Columns are dear here: no space before the sign.
        let p = self.p.map(|p| chance(p).replace(' ', ""));
        let word = |holds: bool| if holds { "true" } else { "false" };
        let outcome = match (self.judged, self.coin, self.claimed) {
            (Some(judged), _, _) => Some(format!("judged {}", word(judged))),
            (None, Some(coin), _) => Some(format!("{:<5}", word(coin))),
            (None, None, Some(claimed)) => Some(format!("said {}", word(claimed))),
            (None, None, None) => None,
        };
        let said = match (p, outcome) {
            (Some(_), Some(outcome)) if self.judged.is_some() => Some(outcome),
            (Some(p), Some(outcome)) if self.coin.is_some() => {
                Some(format!("{p}{}{outcome}", signs.fell))
            }
            (Some(p), Some(outcome)) => Some(format!("{p} {outcome}")),
            (Some(p), None) => Some(format!("{p}      ")),
            (None, outcome) => outcome,
        };
        let bits = self.bits.clone();
        let checked = match (self.checked, self.pointed) {
            (Some(true), _) => Some(format!("{} right", signs.right)),
            (Some(false), _) => Some(format!("{} wrong", signs.wrong)),
            (None, true) => Some("pointed at".to_owned()),
            (None, false) => None,
        };
        let parts = [said, bits, checked].into_iter().flatten();
        parts.collect::<Vec<_>>().join(" ")
    }
}

/// The claims met along the path, as far as the log has been read. Level 0 is the root; level n + 1
/// holds the subclaims of the claim of level n that the debate went on with.
///
/// Rows are not kept but counted: where a row stands follows from how many rows the levels above
/// take before and after the claims that they opened. So a reply costs what it changed, and a
/// frame what is in view, however long the debate.
#[derive(Clone, Debug)]
pub struct ClaimTree {
    levels: Levels,
    /// The reader for whom the log was read.
    reader: Reader,
    /// Entries of the log that have been read.
    read: usize,
    /// The entries among them that were sealed then.
    sealed: Vec<usize>,
    /// The claim that is asked about: its level and its index there.
    asked: (usize, usize),
    /// The entries that the last step made.
    newest: Range<usize>,
}

impl ClaimTree {
    pub fn new(view: &Viewpoint<'_, '_>) -> Self {
        Self {
            levels: Levels::new(view.facts.instance.root()),
            reader: view.reader,
            read: 0,
            sealed: Vec::new(),
            asked: (0, 0),
            newest: 0..0,
        }
    }

    /// Reads on in the log, or anew where somebody else looks. Where the log was taken back in
    /// between begin with [`Self::new`].
    pub fn read(&mut self, view: &Viewpoint<'_, '_>) {
        let count = view.log.entries().len();
        if self.reader != view.reader || count < self.read {
            *self = Self::new(view);
        }
        let open = |index: &usize| {
            let seen = view.log.seen_by(*index, view.reader);
            matches!(seen, Some(Observation::Open(_)))
        };
        for index in self.sealed.extract_if(.., |index| open(index)) {
            if let Some(entry) = view.log.entries().get(index) {
                self.levels.note_late(&entry.event);
            }
        }
        for index in self.read..count {
            match view.log.seen_by(index, view.reader) {
                Some(Observation::Open(entry)) => self.levels.note(view, index, &entry.event),
                Some(Observation::Sealed { .. }) => self.sealed.push(index),
                None => {}
            }
        }
        self.read = count;
        self.asked = self.levels.asked(view);
        self.newest = view.newest.clone();
    }

    pub fn rows(&self) -> usize {
        self.levels.rows()
    }

    /// True if claims fell into parts or were written down in bits.
    pub fn is_parted(&self) -> bool {
        self.levels.is_parted()
    }

    /// The row of the claim that is asked about.
    pub fn current(&self) -> usize {
        self.levels.row_of(self.asked).unwrap_or(0)
    }

    /// The row of a subclaim of the claim under discussion.
    pub fn row_of(&self, place: usize) -> Option<usize> {
        self.levels.row_of((self.levels.last(), place))
    }

    /// The subclaim of the claim under discussion that stands in a row.
    pub fn place_of(&self, row: usize) -> Option<usize> {
        let last = self.levels.last();
        let (level, index) = self.levels.place_of(row)?;
        (level == last && last > 0).then_some(index)
    }

    pub fn claim(&self, row: usize) -> Option<ClaimId> {
        let place = self.levels.place_of(row)?;
        Some(self.levels.node(place)?.claim)
    }

    /// The rows on the way to where the debate stands, and those that have just changed, from
    /// the top down.
    pub fn mattering(&self) -> Vec<usize> {
        let places = self.levels.mattering(self.asked, &self.newest);
        let mut rows: Vec<usize> = places
            .filter_map(|place| self.levels.row_of(place))
            .collect();
        rows.sort_unstable();
        rows
    }

    /// A row, counted from 0.
    pub fn row(&self, view: &Viewpoint<'_, '_>, number: usize, script: Script) -> Option<ClaimRow> {
        let place = self.levels.place_of(number)?;
        let node = self.levels.node(place)?;
        Some(ClaimRow {
            claim: node.claim,
            branches: self.levels.branches(place),
            fold: self.levels.fold(place),
            text: view.facts.instance.short_text(node.claim),
            // The coin takes the place at the edge, but what Alice claimed of the root stands.
            claimed: node.claimed.filter(|_| place.0 == 0 && node.coin.is_some()),
            prover: view.perspective.name(Seat::Prover),
            value: node.value(script),
            mark: self.levels.mark(place, self.asked, &self.newest),
            newest: self.newest.contains(&node.touched),
        })
    }
}
