//! The columns of the tree of claims. Under rules with estimates and coins, their positions depend only on the rules
//! and on the width of the panel, so that no mark moves while a debate is shown at one size. Replies in bits, and the
//! numbers of other rules, can widen the last column.

use std::collections::BTreeSet;

use debate_core::number::format_percent;
use debate_core::protocol::{ProtocolKind, Seat};
use debate_text::claim_tree::{ClaimTreeRow, MAX_BITS_COLUMNS, RowMark};
use debate_text::{DebateViewpoint, with_thousands_separators};
use ratatui::layout::Rect;

use super::percent_that_fits;
use crate::tui::theme::TextRole;
use crate::tui::widget::labels::MIN_LABEL_COLUMNS;
use crate::tui::widget::{Canvas, measure};

/// The number of empty columns after the column of claims. The mark of a prover who must bet can take the first one.
const CLAIM_GAP: usize = 2;
/// The number of empty columns before the bar. The number begins after the bar's end mark, which is a thin line.
const BAR_GAP: usize = 1;
/// Minimum width of the bar of a probability, and its maximum in a panel of at most 51 columns. In a wider panel, the
/// maximum is a quarter of the panel's width.
const BAR_COLUMNS: (usize, usize) = (5, 12);
/// Width of the column of claims from which on the bar of a probability can be wider than its minimum.
const USUAL_CLAIM_COLUMNS: usize = 30;
/// Minimum width of the column of claims beside a bar.
const MIN_CLAIM_COLUMNS_BESIDE_BAR: usize = 29;
/// Minimum width of the column of claims at which claims are shown in full, if they fit.
const MIN_FULL_TEXT_COLUMNS: usize = 44;
/// Minimum width of a claim beside an answer with the prover's name.
const MIN_TEXT_COLUMNS: usize = 16;
/// Width of the results of two coins: "⚄ yes/no".
const COIN_COLUMNS: usize = 8;
/// Width of the panel from which on the column of coins also has room for the judge's answer.
const MIN_VERDICT_PANEL_COLUMNS: usize = 60;
/// Width of a probability: "66.67 %".
const NUMBER_COLUMNS: usize = 7;
/// Width of the panel from which on probabilities have all of their digits.
const MIN_PRECISE_PANEL_COLUMNS: usize = 30;
/// Width of a probability in a narrower panel: "100 %".
const ROUNDED_NUMBER_COLUMNS: usize = 5;

/// The facts about a debate on which the columns depend. They stay the same during the debate.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClaimColumnLayoutInputs {
    /// True if claims have estimates, bets and coins, and the viewer may see them.
    has_estimates: bool,
    /// Width of the prover's and of the judge's name.
    prover: usize,
    judge: usize,
    /// Width of the widest text for a machine's state after a step; 0 without a machine.
    machine_state: usize,
}

impl ClaimColumnLayoutInputs {
    pub(super) fn of(view: &DebateViewpoint<'_, '_>) -> Self {
        let name = |seat| measure::width(view.perspective.player_name_or_you(seat));
        let run = view.facts.instance.run();
        let machine_state = run.map_or(0, |run| {
            let last_time = with_thousands_separators(run.steps());
            let state = if run.tape().is_some() { "state " } else { "" };
            measure::width(&format!("after {last_time}: {state}")) + MAX_BITS_COLUMNS
        });
        Self {
            has_estimates: view.facts.kind == ProtocolKind::ProverEstimator
                && view.viewer_may_see_estimates_and_rewards(),
            prover: name(Seat::Prover),
            judge: name(Seat::Judge),
            machine_state,
        }
    }
}

/// The widths of the columns in a claim's row of the tree: its text with the prover's answer and bet, the coin, a bar
/// and its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClaimColumns {
    /// The width of the claims' texts with the branches of the tree, and the prover's answer and bet at its right end.
    claim: usize,
    /// The width of the column with the coin or the judge's answer; 0 if there is no room for it. If Bob or the judge
    /// must reply, this column contains their mark. The prover's mark is in the column before it.
    outcome: usize,
    /// The width of the bar; 0 if there is no room for it.
    bar: usize,
    /// The width of the number or the bits beside the bar.
    number: usize,
    has_bets: bool,
}

/// The marks at the right end of the column of claims.
#[derive(Debug, Default)]
struct ProverMarks {
    /// The prover's answer and bet.
    response: String,
    /// The mark of the prover who must reply about this claim, or the key that selects the claim. It ends one column to
    /// the right of the end of `response`. Without a column of outcomes, it ends at the same column, and the marks of
    /// Bob and the judge are here too.
    asked: String,
}

/// Returns the number of columns that a row of the tree needs: its branches and the claim's text.
fn row_columns(row: &ClaimTreeRow) -> usize {
    2 * usize::from(row.branches.depth_in_claim_tree()) + measure::width(&row.text)
}

/// True if the row shows an answer of the prover (yes or no), not only a bet.
fn has_answer(row: &ClaimTreeRow) -> bool {
    row.short_response.starts_with("yes") || row.short_response.starts_with("no")
}

impl ClaimColumns {
    /// Computes the widths of the columns of a panel. Claims are shown in full if there is room; `full_text` returns
    /// the full text of a row's claim.
    pub(super) fn new(
        rows: &mut [ClaimTreeRow],
        columns: usize,
        board: ClaimColumnLayoutInputs,
        full_text: impl Fn(&ClaimTreeRow) -> String,
    ) -> Self {
        let verdict = board.judge + measure::width(": yes");
        let outcome = if board.has_estimates && columns < MIN_VERDICT_PANEL_COLUMNS {
            COIN_COLUMNS
        } else {
            verdict.max(COIN_COLUMNS)
        };
        let bits = rows.iter().map(|row| measure::width(&row.bits)).max();
        // Under rules with estimates, only replies in bits can widen the column, because their length is not known in
        // advance.
        let bits = bits.unwrap_or(0).max(board.machine_state.min(columns / 3));
        let number = match board.has_estimates {
            true if columns < MIN_PRECISE_PANEL_COLUMNS => bits.max(ROUNDED_NUMBER_COLUMNS),
            true => bits.max(NUMBER_COLUMNS),
            // Some rules have one number, such as the judge's probability.
            false => {
                let number =
                    |row: &ClaimTreeRow| row.p.map_or(0, |p| measure::width(&format_percent(p)));
                rows.iter().map(number).max().unwrap_or(0).max(bits)
            }
        };
        let mut all = Self {
            claim: 0,
            outcome,
            bar: 0,
            number,
            has_bets: board.has_estimates,
        };
        // If not all fits, the column of coins is dropped.
        if all.other_columns() + MIN_LABEL_COLUMNS + 8 > columns {
            all.outcome = 0;
        }
        let free = columns.saturating_sub(all.outcome + CLAIM_GAP + BAR_GAP + all.number);
        if board.has_estimates && free >= MIN_CLAIM_COLUMNS_BESIDE_BAR + BAR_COLUMNS.0 {
            let most = BAR_COLUMNS.1.max(columns / 4);
            all.bar = (free - USUAL_CLAIM_COLUMNS).clamp(BAR_COLUMNS.0, most);
            // A bar of the usual length is enough if claims are then shown in full.
            let beside_full_text = free.saturating_sub(MIN_FULL_TEXT_COLUMNS);
            if beside_full_text >= BAR_COLUMNS.1 {
                all.bar = all.bar.min(beside_full_text);
            }
        }
        all.claim = columns.saturating_sub(all.other_columns());
        if all.claim >= MIN_FULL_TEXT_COLUMNS {
            all.show_full_texts(rows, board, full_text);
        }
        all
    }

    /// Replaces the texts of claims by their full texts at each depth of the tree at which all of them fit.
    fn show_full_texts(
        self,
        rows: &mut [ClaimTreeRow],
        board: ClaimColumnLayoutInputs,
        full_text: impl Fn(&ClaimTreeRow) -> String,
    ) {
        // Room for every response that a claim can get: a bet or, for the first claim, an answer and a bet.
        let bet = if self.has_bets { 2 } else { 0 };
        let room = |row: &ClaimTreeRow| {
            let is_root = row.branches.depth_in_claim_tree() == 0;
            let answer = if is_root || !self.has_bets {
                measure::width(": yes")
            } else {
                0
            };
            self.claim.saturating_sub(board.prover + answer + bet + 1)
        };
        let full: Vec<ClaimTreeRow> = rows
            .iter()
            .map(|row| ClaimTreeRow {
                text: full_text(row),
                ..row.clone()
            })
            .collect();
        let too_long = full.iter().filter(|row| row_columns(row) > room(row));
        let too_long: BTreeSet<u16> = too_long
            .map(|row| row.branches.depth_in_claim_tree())
            .collect();
        for (row, full) in rows.iter_mut().zip(full) {
            if !too_long.contains(&row.branches.depth_in_claim_tree()) {
                row.text = full.text;
            }
        }
    }

    /// Returns the number of columns that all cells of a row except the claim take.
    fn other_columns(self) -> usize {
        let gap = |width: usize, gap: usize| if width > 0 { width + gap } else { 0 };
        gap(self.outcome, CLAIM_GAP) + gap(self.bar, BAR_GAP) + gap(self.number, self.number_gap())
    }

    /// Returns the number of empty columns before the number.
    fn number_gap(self) -> usize {
        match (self.has_bets, self.bar) {
            (false, _) => CLAIM_GAP,
            (true, 0) => 1,
            (true, _) => 0,
        }
    }

    /// Returns the columns that a claim's text may use.
    pub(super) fn text_columns(self, row: &ClaimTreeRow) -> usize {
        let marks = self.prover_marks(row);
        let taken = match (marks.response.is_empty(), marks.asked.is_empty()) {
            (true, true) => return self.claim + self.free_columns_after_claim(row),
            (false, _) => measure::width(&marks.response),
            (true, false) => measure::width(&marks.asked).saturating_sub(self.pointer_columns()),
        };
        self.claim.saturating_sub(taken + 1)
    }

    /// Returns the columns of the empty cells after the claim that its text may use. Under rules with estimates every
    /// cell is soon filled, so a text in it would be cut a moment later.
    fn free_columns_after_claim(self, row: &ClaimTreeRow) -> usize {
        if self.has_bets || !self.outcome(row).is_empty() {
            return 0;
        }
        let number = self.number + self.number_gap();
        let has_number = row.p.is_some() || !row.bits.is_empty();
        let outcome = self.outcome + CLAIM_GAP;
        outcome * usize::from(self.outcome > 0)
            + number * usize::from(self.number > 0 && !has_number)
    }

    /// Returns the number of empty columns after the column of claims that the mark of a prover who must reply may
    /// take.
    fn pointer_columns(self) -> usize {
        usize::from(self.outcome > 0)
    }

    /// Returns the marks at the right end of a row's claim. The prover's name is left out if the claim would be cut
    /// for it.
    fn prover_marks(self, row: &ClaimTreeRow) -> ProverMarks {
        let response = self.response(row);
        let is_prover_asked = row.asked_seat == Some(Seat::Prover);
        if row.asked.is_empty() || !is_prover_asked && self.outcome > 0 {
            let asked = String::new();
            return ProverMarks { response, asked };
        }
        let (pointer, name) = row.asked.split_once(' ').unwrap_or((&row.asked, ""));
        let is_key = name.starts_with(|c: char| c.is_ascii_digit());
        let room = (self.claim + self.pointer_columns()).saturating_sub(row_columns(row) + 1);
        let asked = if !response.is_empty() {
            // The mark has a column of its own, if it has one at all.
            if self.pointer_columns() > 0 {
                pointer
            } else {
                ""
            }
        } else if is_key || measure::width(&row.asked) <= room {
            &row.asked
        } else {
            pointer
        };
        ProverMarks {
            asked: asked.to_owned(),
            response,
        }
    }

    /// Returns the prover's answer and bet. An answer has room for a later bet, so that the bet does not move it.
    fn response(self, row: &ClaimTreeRow) -> String {
        let has_room_for_bet = self.has_bets && matches!(&*row.short_response, "yes" | "no");
        let room_for_bet = if has_room_for_bet { "  " } else { "" };
        let texts = [&row.response, &row.short_response];
        let [long, short] = texts.map(|text| format!("{text}{room_for_bet}"));
        let left = |text: &str| self.claim.saturating_sub(measure::width(text) + 1);
        let names_prover =
            row_columns(row) <= left(&long) || has_answer(row) && left(&long) >= MIN_TEXT_COLUMNS;
        if row.response.is_empty() {
            String::new()
        } else if names_prover {
            long
        } else if left(&short) >= MIN_LABEL_COLUMNS {
            short
        } else {
            String::new()
        }
    }

    /// Returns the mark of Bob or the judge if that player must reply, else the coin or verdict of the row.
    fn outcome(self, row: &ClaimTreeRow) -> &str {
        let is_asked = row.asked_seat.is_some_and(|seat| seat != Seat::Prover);
        let text = if is_asked { &row.asked } else { &row.outcome };
        if measure::width(text) > self.outcome && self.bar == 0 {
            // There is no room for the judge's name.
            let answer = text.split_once(": ").map(|(_, answer)| answer);
            return answer.unwrap_or(text);
        }
        text
    }

    /// True if the text of a claim does not fit into its row.
    pub(super) fn is_claim_text_cut(self, row: &ClaimTreeRow) -> bool {
        // A mark that does not fit is left out.
        row_columns(row) > self.text_columns(row)
    }

    /// Draws all cells of a row except the claim's text.
    pub(super) fn draw_cells_beside_claim_text(
        self,
        row: &ClaimTreeRow,
        canvas: &mut Canvas<'_>,
        mut at: Rect,
    ) {
        let faint = row.mark == RowMark::Faint;
        // Colours show the speaker: answers and bets are Alice's, numbers are Bob's.
        let roles = [TextRole::Text, TextRole::Party(0), TextRole::Party(1)];
        let [plain, alice, bob] = roles.map(|role| if faint { TextRole::Faint } else { role });
        let columns = measure::to_u16_saturating;
        let marks = self.prover_marks(row);
        let claim = measure::first_columns(at, columns(self.claim));
        canvas.draw_text_right_aligned(&marks.response, alice, claim);
        let claim = measure::first_columns(at, columns(self.claim + self.pointer_columns()));
        canvas.draw_text_right_aligned(&marks.asked, TextRole::Focus, claim);
        at = measure::skip_columns(at, columns(self.claim));
        let mut cell = |width: usize, gap: usize| {
            let gap = if width > 0 { gap } else { 0 };
            at = measure::skip_columns(at, columns(gap));
            let area = measure::first_columns(at, columns(width));
            at = measure::skip_columns(at, columns(width));
            area
        };
        let outcome_area = cell(self.outcome, CLAIM_GAP);
        let bar_area = cell(self.bar, BAR_GAP);
        let number_area = cell(self.number, self.number_gap());
        let outcome = if self.outcome > 0 {
            self.outcome(row)
        } else {
            ""
        };
        // A verdict can take the place of the bar.
        let takes_bar = measure::width(outcome) > self.outcome;
        if row.bits.is_empty() && self.bar > 0 && !takes_bar {
            let bar = self.probability_bar(row.p.unwrap_or(0.0), canvas);
            canvas.draw_text_line(&bar, bob, bar_area);
        }
        let outcome_area = if takes_bar {
            let width = outcome_area.width + bar_area.width + columns(BAR_GAP);
            Rect {
                width,
                ..outcome_area
            }
        } else {
            outcome_area
        };
        // Green and red are for decisions of a player, never for a coin.
        let role = match row.asked_seat {
            Some(seat) if seat != Seat::Prover => TextRole::Focus,
            _ => TextRole::role_for_cell_text(&row.outcome).unwrap_or(plain),
        };
        canvas.draw_text_line(outcome, role, outcome_area);
        let number = row.p.map(|p| percent_that_fits(p, self.number));
        let number = number.filter(|_| row.bits.is_empty());
        let number = number.as_ref().unwrap_or(&row.bits);
        canvas.draw_text_right_aligned(number, plain, number_area);
    }

    /// Returns a probability as a text bar with marks at both ends.
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
