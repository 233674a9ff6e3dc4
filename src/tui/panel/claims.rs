//! The columns of a claim: its text, its reply and bet, its coin, and a bar with its number.

use ratatui::layout::Rect;

use crate::tui::theme::Role;
use crate::tui::widget::labels::MIN_LABEL_COLUMNS;
use crate::tui::widget::{Canvas, measure};
use debate_text::claim_tree::{ClaimRow, RowMark};
use debate_text::probability_text;

/// Columns of the gap between two columns.
const GAP: usize = 2;
/// Minimum width of a bar and, in a panel of 50 columns, its maximum.
const BAR_COLUMNS: (usize, usize) = (4, 12);
/// Minimum width at which claims are shown in full, if each fits.
const MIN_FULL_TEXT_COLUMNS: usize = 44;

/// The widths of the columns.
#[derive(Clone, Copy, Debug)]
pub struct ClaimColumns {
    /// The width of the claims with their branches.
    pub text: usize,
    response: usize,
    outcome: usize,
    /// The remaining width before the bar.
    slack: usize,
    /// The width of the bar; 0 if there is no room.
    bar: usize,
    /// The width of the number, or of bits.
    number: usize,
}

/// Returns the reply to a claim and the player to move on it.
fn response(row: &ClaimRow) -> String {
    let text = format!("{} {}", row.response, row.asked);
    text.trim().to_owned()
}

/// Returns the columns of a claim's text with its branches and the sign of new rows.
fn row_columns(row: &ClaimRow) -> usize {
    2 * usize::from(row.branches.depth()) + measure::width(&row.text) + 2
}

impl ClaimColumns {
    /// Computes the widths for these rows in `columns`. Claims are shown in full if there is room; `full_text`
    /// returns the full text of one.
    pub fn new(
        rows: &mut [ClaimRow],
        columns: usize,
        full_text: impl Fn(&ClaimRow) -> String,
    ) -> Self {
        let widest = |rows: &[ClaimRow], width: &dyn Fn(&ClaimRow) -> usize| {
            rows.iter().map(width).max().unwrap_or(0)
        };
        let text = row_columns;
        let mut all = Self {
            text: widest(rows, &text),
            response: widest(rows, &|row| measure::width(&response(row))),
            outcome: widest(rows, &|row| measure::width(&row.outcome)),
            slack: 0,
            bar: 0,
            number: widest(rows, &|row| {
                let number = row.p.map_or(0, |p| measure::width(&probability_text(p)));
                number.max(measure::width(&row.bits))
            }),
        };
        // If not all fits, claims are first cut as far as they remain distinguishable. Then the column of replies is
        // dropped, then the column of coins.
        let least = all.text.min(MIN_LABEL_COLUMNS + 8);
        if all.other_columns() + least > columns {
            all.response = 0;
        }
        if all.other_columns() + least > columns {
            all.outcome = 0;
        }
        let free = columns.saturating_sub(all.other_columns() + all.text + GAP);
        if free >= BAR_COLUMNS.0 && rows.iter().any(|row| row.p.is_some()) {
            all.bar = free.min(BAR_COLUMNS.1.max(columns / 4));
        }
        let room = columns.saturating_sub(all.other_columns());
        for row in rows.iter_mut().filter(|_| room >= MIN_FULL_TEXT_COLUMNS) {
            let full = full_text(row);
            let short = std::mem::replace(&mut row.text, full);
            if text(row) > room {
                row.text = short;
            }
        }
        all.text = widest(rows, &text).min(room);
        all.slack = room - all.text;
        all
    }

    /// Returns the extra columns that a claim's text may use because the other cells of its row are empty. A finished
    /// claim stays short.
    pub fn extra_columns(self, row: &ClaimRow) -> usize {
        if row.mark == RowMark::Faint {
            return 0;
        }
        let has_number = row.p.is_some() || !row.bits.is_empty();
        // The bar and the number are at the right edge, after the slack.
        let cells = [
            (self.response, response(row).is_empty()),
            (self.outcome, row.outcome.is_empty()),
            (self.bar, !has_number),
            (self.number, !has_number),
        ];
        let free = cells.iter().take_while(|(_, is_empty)| *is_empty);
        let columns: usize = free
            .clone()
            .map(|(width, _)| width + GAP * usize::from(*width > 0))
            .sum();
        columns + self.slack * usize::from(free.count() > 1)
    }

    /// True if a claim's text does not fit into its row.
    pub fn cuts(self, row: &ClaimRow) -> bool {
        row_columns(row) > self.text + self.extra_columns(row)
    }

    /// Returns the columns taken by everything except the claims.
    fn other_columns(self) -> usize {
        let widths = [self.response, self.outcome, self.bar, self.number];
        let shown = widths.into_iter().filter(|width| *width > 0);
        shown.map(|width| width + GAP).sum()
    }

    /// Draws all columns except the first.
    pub fn draw(self, row: &ClaimRow, canvas: &mut Canvas<'_>, mut at: Rect) {
        let faint = row.mark == RowMark::Faint;
        // Colours show the speaker: answers and bets are Alice's, numbers are Bob's.
        let roles = [Role::Text, Role::Party(0), Role::Party(1)];
        let [plain, alice, bob] = roles.map(|role| if faint { Role::Faint } else { role });
        let cell = |at: &mut Rect, width: usize| {
            let gap = if width > 0 { GAP } else { 0 };
            *at = measure::skip_columns(*at, measure::to_cells(gap));
            let area = measure::first_columns(*at, measure::to_cells(width));
            *at = measure::skip_columns(*at, measure::to_cells(width));
            area
        };
        let mut area = cell(&mut at, self.response);
        canvas.put_and_advance(&row.response, alice, &mut area);
        if !row.response.is_empty() {
            area = measure::skip_columns(area, 1);
        }
        canvas.put(&row.asked, Role::Focus, area);
        let area = cell(&mut at, self.outcome);
        // Green and red are for decisions of a player, never for a coin.
        let role = Role::of_word(&row.outcome).unwrap_or(plain);
        canvas.put(&row.outcome, role, area);
        at = measure::skip_columns(at, measure::to_cells(self.slack));
        let area = cell(&mut at, self.bar);
        if row.bits.is_empty() && self.bar > 0 {
            canvas.put(
                &self.probability_bar(row.p.unwrap_or(0.0), canvas),
                bob,
                area,
            );
        }
        let area = cell(&mut at, self.number);
        let number = row.p.map(probability_text).filter(|_| row.bits.is_empty());
        canvas.put_right(number.as_ref().unwrap_or(&row.bits), plain, area);
    }

    /// Draws a probability as a bar between its ends.
    fn probability_bar(self, p: f64, canvas: &Canvas<'_>) -> String {
        let glyphs = canvas.look.glyphs;
        let inside = self.bar.saturating_sub(2);
        let halves = u32::try_from(2 * inside).unwrap_or(0);
        let length = (0..=halves)
            .rev()
            .find(|n| f64::from(*n) - 0.5 <= p * f64::from(halves))
            .unwrap_or(0);
        // Only a certain value reaches an end of the bar.
        let length = length.clamp(
            u32::from(p > 0.0).min(halves),
            halves.saturating_sub(u32::from(p < 1.0)),
        ) as usize;
        let bar = glyphs.whole.repeat(length / 2) + &glyphs.right_half.repeat(length % 2);
        let bar = measure::pad(&bar, inside);
        format!("{}{bar}{}", glyphs.stake_left, glyphs.stake_right)
    }
}
