//! The recursion as a tree: every claim met on the way, with what was said and drawn of it.

mod walk;

use crate::protocol::{Seat, Seen};
use crate::scenario::ClaimId;
use crate::tui::panel::measure::width;
use crate::tui::panel::tree::{Fold, Lines, Mark, Row};
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

/// One row of the tree: where its claim stands in the levels.
#[derive(Clone, Debug)]
struct Place {
    level: usize,
    index: usize,
    lines: Lines,
    fold: Fold,
    mark: Mark,
}

/// The claims met along the path. Level 0 is the root; level n + 1 holds the subclaims of the
/// claim of level n that the debate went on with.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    levels: Vec<Vec<Node>>,
    rows: Vec<Place>,
    current: usize,
}

impl Outline {
    /// Reads the tree off the log.
    pub(super) fn of(sight: &Sight<'_, '_>) -> Self {
        let mut walk = Walk::new(sight.scene.instance.root());
        for index in 0..sight.log.entries().len() {
            if let Some(Seen::Open(entry)) = sight.log.seen_by(index, sight.viewer) {
                walk.note(sight, index, &entry.event);
            }
        }
        let asked = walk.asked(sight);
        walk.into_outline(asked, &sight.newest)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of the claim that is asked about.
    pub(super) fn current(&self) -> usize {
        self.current
    }

    /// The row of a subclaim of the claim under discussion.
    pub(super) fn row_of(&self, place: usize) -> Option<usize> {
        let last = self.levels.len().checked_sub(1)?;
        self.rows
            .iter()
            .position(|row| row.level == last && row.index == place)
    }

    /// The subclaim of the claim under discussion that stands in a row.
    pub(super) fn place_of(&self, row: usize) -> Option<usize> {
        let last = self.levels.len().checked_sub(1)?;
        self.rows
            .get(row)
            .filter(|row| row.level == last && last > 0)
            .map(|row| row.index)
    }

    /// The claim of a row.
    pub(super) fn claim(&self, row: usize) -> Option<ClaimId> {
        let row = self.rows.get(row)?;
        self.levels
            .get(row.level)?
            .get(row.index)
            .map(|node| node.claim)
    }

    /// Whether a row is on the way to where the debate stands, or has just changed.
    pub(super) fn matters(&self, row: usize) -> bool {
        let row = self.rows.get(row);
        row.is_some_and(|row| {
            row.fold == Fold::Open || !matches!(row.mark, Mark::Plain | Mark::Faint)
        })
    }

    /// A row as it is drawn.
    pub(super) fn row(
        &self,
        sight: &Sight<'_, '_>,
        number: usize,
        columns: usize,
        look: &Look,
    ) -> Row {
        let Some(row) = self.rows.get(number) else {
            return Row::default();
        };
        let Some(node) = self
            .levels
            .get(row.level)
            .and_then(|level| level.get(row.index))
        else {
            return Row::default();
        };
        let mut text = sight.scene.instance.short_text(node.claim);
        let value = node.value(look);
        // The coin takes the place at the edge, but what Alice claimed of the root stands.
        if let (0, Some(claimed), Some(_)) = (row.level, node.claimed, node.coin) {
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
            lines: row.lines,
            fold: row.fold,
            text,
            value,
            mark: row.mark,
        }
    }
}

/// The colours of the parties: Alice, Bob, the judge, chance.
pub(in crate::tui::screen) fn party(seat: Seat) -> crate::tui::theme::Role {
    crate::tui::theme::Role::Party(u8::try_from(seat.index()).unwrap_or(0))
}
