//! The recursion as a tree: every claim met on the way, with what was said and drawn of it.

mod walk;

use std::ops::Range;

use crate::protocol::{Reader, Seat, Seen};
use crate::scenario::ClaimId;
use crate::tui::panel::measure::width;
use crate::tui::panel::tree::Row;
use crate::tui::theme::Look;

use super::{Sight, chance};
use walk::Walk;

/// Bits at the right edge of a row.
const BITS: usize = 10;

/// What is known of one claim.
#[derive(Clone, Debug)]
struct Node {
    claim: ClaimId,
    /// The last probability that was given for it.
    p: Option<f64>,
    coin: Option<bool>,
    claimed: Option<bool>,
    judged: Option<bool>,
    /// The bits that were given for it, shortened; or the one that was read of it.
    bits: Option<String>,
    /// Whether it was pointed at as wrong.
    pointed: bool,
    /// Whether what the verifier checked of it is as it should be.
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

    /// What stands at the right edge: the probability, then what came of it, in words.
    fn value(&self, look: &Look) -> String {
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
            (Some(p), Some(outcome)) => Some(format!("{p} {outcome}")),
            (Some(p), None) => Some(format!("{p}      ")),
            (None, outcome) => outcome,
        };
        let bits = self.bits.clone();
        let checked = match (self.checked, self.pointed) {
            (Some(true), _) => Some(format!("{} right", look.glyphs.right)),
            (Some(false), _) => Some(format!("{} wrong", look.glyphs.wrong)),
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
pub(super) struct Outline {
    walk: Walk,
    /// Who looked when the log was read.
    reader: Reader,
    /// Entries of the log that have been read.
    read: usize,
    /// Those among them that were sealed then.
    sealed: Vec<usize>,
    /// The claim that is asked about: its level and its index there.
    asked: (usize, usize),
    /// The entries that the last step made.
    newest: Range<usize>,
}

impl Outline {
    /// Nothing read yet.
    pub(super) fn new(sight: &Sight<'_, '_>) -> Self {
        Self {
            walk: Walk::new(sight.scene.instance.root()),
            reader: sight.reader,
            read: 0,
            sealed: Vec::new(),
            asked: (0, 0),
            newest: 0..0,
        }
    }

    /// Reads on in the log, or anew where somebody else looks. Where the log was taken back in
    /// between begin with [`Self::new`].
    pub(super) fn read(&mut self, sight: &Sight<'_, '_>) {
        let count = sight.log.entries().len();
        if self.reader != sight.reader || count < self.read {
            *self = Self::new(sight);
        }
        let open = |index: &usize| {
            let seen = sight.log.seen_by(*index, sight.reader);
            matches!(seen, Some(Seen::Open(_)))
        };
        for index in self.sealed.extract_if(.., |index| open(index)) {
            if let Some(entry) = sight.log.entries().get(index) {
                self.walk.note_late(&entry.event);
            }
        }
        for index in self.read..count {
            match sight.log.seen_by(index, sight.reader) {
                Some(Seen::Open(entry)) => self.walk.note(sight, index, &entry.event),
                Some(Seen::Sealed { .. }) => self.sealed.push(index),
                None => {}
            }
        }
        self.read = count;
        self.asked = self.walk.asked(sight);
        self.newest = sight.newest.clone();
    }

    pub(super) fn len(&self) -> usize {
        self.walk.rows()
    }

    /// Whether claims fell into parts or were written down in bits.
    pub(super) fn is_parted(&self) -> bool {
        self.walk.is_parted()
    }

    /// The row of the claim that is asked about.
    pub(super) fn current(&self) -> usize {
        self.walk.row_of(self.asked).unwrap_or(0)
    }

    /// The row of a subclaim of the claim under discussion.
    pub(super) fn row_of(&self, place: usize) -> Option<usize> {
        self.walk.row_of((self.walk.last(), place))
    }

    /// The subclaim of the claim under discussion that stands in a row.
    pub(super) fn place_of(&self, row: usize) -> Option<usize> {
        let last = self.walk.last();
        let (level, index) = self.walk.place_of(row)?;
        (level == last && last > 0).then_some(index)
    }

    /// The claim of a row.
    pub(super) fn claim(&self, row: usize) -> Option<ClaimId> {
        let place = self.walk.place_of(row)?;
        Some(self.walk.node(place)?.claim)
    }

    /// The rows on the way to where the debate stands, and those that have just changed, from
    /// the top down.
    pub(super) fn mattering(&self) -> Vec<usize> {
        let places = self.walk.mattering(self.asked, &self.newest);
        let mut rows: Vec<usize> = places.filter_map(|place| self.walk.row_of(place)).collect();
        rows.sort_unstable();
        rows
    }

    /// A row as it is drawn.
    pub(super) fn row(
        &self,
        sight: &Sight<'_, '_>,
        number: usize,
        columns: usize,
        look: &Look,
    ) -> Row {
        let Some(place) = self.walk.place_of(number) else {
            return Row::default();
        };
        let Some(node) = self.walk.node(place) else {
            return Row::default();
        };
        let mut text = sight.scene.instance.short_text(node.claim);
        let value = node.value(look);
        // The coin takes the place at the edge, but what Alice claimed of the root stands.
        if let (0, Some(claimed), Some(_)) = (place.0, node.claimed, node.coin) {
            let said = if claimed { "yes" } else { "no" };
            // Fold, mark and the gap before the value take five columns.
            let taken = width(&value) + 5;
            let forms = [
                format!("{text} (Alice: {said})"),
                format!("{text} ({said})"),
            ];
            let fits = |form: &String| width(form) + taken <= columns;
            text = forms.into_iter().find(fits).unwrap_or(text);
        }
        Row {
            lines: self.walk.lines(place),
            fold: self.walk.fold(place),
            text,
            value,
            mark: self.walk.mark(place, self.asked, &self.newest),
        }
    }
}

/// The colours of the parties: Alice, Bob, the judge, chance.
pub(in crate::tui::screen) fn party(seat: Seat) -> crate::tui::theme::Role {
    crate::tui::theme::Role::Party(u8::try_from(seat.index()).unwrap_or(0))
}
