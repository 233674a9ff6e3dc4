//! The columns of a claim: its text, what was said and bet, its coin, and a bar with its number.

use ratatui::layout::Rect;

use crate::tui::theme::Role;
use crate::tui::widget::labels::LEAST;
use crate::tui::widget::tree::TreeRow;
use crate::tui::widget::{Canvas, measure};
use debate_lab::tell::chance;
use debate_lab::tell::claim_tree::{ClaimRow, Fold, RowMark};

/// Columns between two columns.
const GAP: usize = 2;
/// Columns of a bar at least and, in a panel of 50 columns, at most.
const BAR: (usize, usize) = (6, 12);

/// The widths of the columns.
#[derive(Clone, Copy, Debug)]
pub struct ClaimColumns {
    /// Of the claims with their branches.
    pub text: usize,
    response: usize,
    outcome: usize,
    /// Of the bar; none where there is no room.
    bar: usize,
    /// Of the number, or of bits.
    number: usize,
}

/// What is said of a claim, and who is asked about it.
fn response(row: &ClaimRow) -> String {
    let parts = [&row.response, &row.asked];
    let parts: Vec<&str> = parts.into_iter().map(String::as_str).collect();
    parts.join(" ").trim().to_owned()
}

impl ClaimColumns {
    /// The widths for these rows in so many columns.
    pub fn new(rows: &[ClaimRow], columns: usize) -> Self {
        let most = |width: &dyn Fn(&ClaimRow) -> usize| rows.iter().map(width).max().unwrap_or(0);
        let text = most(&|row| {
            let branches = 2 * usize::from(row.branches.depth());
            // The sign of what is new takes two columns.
            let sign = 2 * usize::from(row.mark == RowMark::Newest);
            branches + measure::width(&row.text) + sign
        });
        let mut all = Self {
            text,
            response: most(&|row| measure::width(&response(row))),
            outcome: most(&|row| measure::width(&row.outcome)),
            bar: 0,
            number: most(&|row| {
                let number = row.p.map_or(0, |p| measure::width(&chance(p)));
                number.max(measure::width(&row.bits))
            }),
        };
        // Where not all fits, the claims are cut as far as they can still be told apart, then what
        // was said goes, then how coins fell.
        let least = text.min(LEAST + 8);
        if all.taken() + least > columns {
            all.response = 0;
        }
        if all.taken() + least > columns {
            all.outcome = 0;
        }
        let free = columns.saturating_sub(all.taken() + text + GAP);
        if free >= BAR.0 && rows.iter().any(|row| row.p.is_some()) {
            all.bar = free.min(BAR.1.max(columns / 4));
        }
        all.text = columns.saturating_sub(all.taken());
        all
    }

    /// Columns beside the claims.
    fn taken(self) -> usize {
        let widths = [self.response, self.outcome, self.bar, self.number];
        let shown = widths.into_iter().filter(|width| *width > 0);
        shown.map(|width| width + GAP).sum()
    }

    /// A claim for the tree; `whole` is its text in full, for which there may be room.
    pub fn tree_row(self, row: &ClaimRow, whole: impl FnOnce() -> String) -> TreeRow {
        let branches = 2 * usize::from(row.branches.depth());
        let room = self.text.saturating_sub(branches + 2);
        // Texts differ too little from the short ones to be worth half a row.
        let whole = (room >= 40).then(whole);
        let whole = whole.filter(|whole| measure::width(whole) <= room);
        TreeRow {
            branches: row.branches,
            fold: Fold::Leaf,
            text: whole.unwrap_or_else(|| row.text.clone()),
            claim: Some(row.claim.number()),
            value: String::new(),
            mark: row.mark,
        }
    }

    /// Draws all columns but the first.
    pub fn draw(self, row: &ClaimRow, canvas: &mut Canvas<'_>, mut at: Rect) {
        let faint = row.mark == RowMark::Faint;
        let plain = if faint { Role::Faint } else { Role::Text };
        let mut cell = |width: usize| {
            let gap = if width > 0 { GAP } else { 0 };
            let area = measure::first(
                measure::after(at, measure::cells(gap)),
                measure::cells(width),
            );
            at = measure::after(at, measure::cells(gap + width));
            area
        };
        let mut place = cell(self.response);
        if row.response.is_empty() || row.asked.is_empty() {
            canvas.put_next(&row.response, plain, &mut place);
        } else {
            canvas.put_next(&format!("{} ", row.response), plain, &mut place);
        }
        canvas.put(&row.asked, Role::Focus, place);
        let place = cell(self.outcome);
        // Green and red are for what somebody decided, never for a coin.
        canvas.put(
            &row.outcome,
            Role::of_word(&row.outcome).unwrap_or(plain),
            place,
        );
        let place = cell(self.bar);
        if let Some(p) = row.p {
            canvas.put(&self.bar_of(p, canvas), plain, place);
        }
        let place = cell(self.number);
        let number = row.p.map_or_else(String::new, chance);
        if row.bits.is_empty() {
            canvas.put_right(&number, plain, place);
        } else {
            canvas.put_right(&row.bits, plain, place);
        }
    }

    /// A probability as a bar between its ends.
    fn bar_of(self, p: f64, canvas: &Canvas<'_>) -> String {
        let glyphs = canvas.look.glyphs;
        let inside = self.bar.saturating_sub(2);
        let halves = u32::try_from(2 * inside).unwrap_or(0);
        let length = (0..=halves)
            .rev()
            .find(|n| f64::from(*n) - 0.5 <= p * f64::from(halves))
            .unwrap_or(0);
        // Neither end is reached by what is not certain.
        let length = length.clamp(
            u32::from(p > 0.0).min(halves),
            halves.saturating_sub(u32::from(p < 1.0)),
        ) as usize;
        let bar = glyphs.whole.repeat(length / 2) + &glyphs.right_half.repeat(length % 2);
        let bar = measure::pad(&bar, inside);
        format!("{}{bar}{}", glyphs.stake_left, glyphs.stake_right)
    }
}
