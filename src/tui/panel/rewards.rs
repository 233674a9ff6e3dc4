//! The display of rewards: a table with one row and one bar for each round, and a strip of two lines with past and
//! possible payments.
//!
//! The debate screen and the replay show the strip under the panels if their layout has no panel of rewards. A
//! comparison of two debates shows a strip for each debate.

use num_traits::{Signed as _, Zero as _};
use ratatui::layout::Rect;

use crate::tui::theme::{ScreenAppearance, TextRole};
use crate::tui::widget::measure::{align_right, pad};
use crate::tui::widget::scroll::{Entries, Entry, TextWithRole};
use crate::tui::widget::{Canvas, measure};
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{Round, Rules as _};
use debate_text::{
    DebateViewpoint, PayoffFormatter, PayoffUnit, RewardRow, RewardTable, RewardsSoFar,
    RoundPaymentState, RoundPaymentStatus, SignCharacters, log_scale_bar_height,
};

/// The heading of the column with the numbers of the rounds.
pub const ROUND_HEADING: &str = " round";
/// The note on the bars in the row of the total.
const LOG_SCALE: &str = "log scale";
/// Width of a round's bet in the table of rewards, in screen columns.
const BET_COLUMNS: usize = 4;
/// Width of a round's outcome in the table of rewards, in screen columns.
const OUTCOME_COLUMNS: usize = 6;
/// Minimum and maximum width of a round's bar, in columns.
const BAR_COLUMNS: (usize, usize) = (5, 31);
/// Maximum width of the range of a round's payments. A wider range is shortened to its upper bound.
const MAX_STAKE_COLUMNS: usize = 10;

/// The rows of the table of rewards in reverse order of play: the last round first. Each row is formatted when it is in
/// view.
pub struct RewardTableRows<'t, 'v, 'a> {
    rewards: &'t RewardTable,
    view: &'t DebateViewpoint<'v, 'a>,
    amounts: PayoffFormatter,
    look: &'t ScreenAppearance,
    /// True if the table has room for the columns with the bet and the outcome.
    wide: bool,
    /// Columns for the number of a round; `figure` is the number of columns for its payment.
    label: usize,
    figure: usize,
    /// Width of the bars in columns; 0 if there is no room.
    bar: usize,
    /// The smallest and the largest amount that the bars can show, in points.
    scale: (f64, f64),
    /// The payments of the rows in the order of the table, formatted so that they add up to `total`.
    payments: Vec<Option<String>>,
    total: String,
    /// The lines below the rows of the rounds.
    below: Vec<Entry>,
}

impl<'t, 'v, 'a> RewardTableRows<'t, 'v, 'a> {
    /// Creates the table of rewards with a row for each round. If `explains_last_reward`, adds lines below the rows:
    /// the last reward in words and as a formula, and the definition of a point or the exact payoff.
    pub fn new(
        rewards: &'t RewardTable,
        view: &'t DebateViewpoint<'v, 'a>,
        amounts: PayoffFormatter,
        look: &'t ScreenAppearance,
        columns: usize,
        explains_last_reward: bool,
    ) -> Self {
        let amounts = amounts.with_script(look.formula_script());
        let mut below = Vec::new();
        if explains_last_reward {
            if !rewards.has_several_paying_rounds() {
                below.push(Entry::default());
                below.extend(rewards.lines_about_only_reward());
            }
            below.extend(rewards.explain_last_reward(view, &amounts));
            below.extend(exact_payoff(rewards, view, &amounts));
        }
        let (payments, total) = rewards.shown_payments(view, &amounts);
        let mut lines = Self {
            rewards,
            view,
            look,
            payments,
            total,
            wide: false,
            label: 0,
            figure: 0,
            bar: 0,
            scale: (
                1.0,
                amounts
                    .in_points(&rewards.largest_paid_or_possible_payment(view))
                    .max(1.0),
            ),
            amounts,
            below,
        };
        for index in 0..rewards.len() {
            let Some(row) = rewards.row(index, view) else {
                continue;
            };
            lines.label = lines.label.max(measure::width(&lines.round_label(&row)));
            lines.figure = lines
                .figure
                .max(measure::width(&lines.payment_or_stake(index, &row).1));
        }
        // The sign and number of the round, its payment, and the gaps between them.
        let taken = 1 + lines.label + 1 + lines.figure + 1;
        lines.wide = columns >= taken + BET_COLUMNS + OUTCOME_COLUMNS + 2 * BAR_COLUMNS.0;
        let taken = taken
            + if lines.wide {
                BET_COLUMNS + OUTCOME_COLUMNS
            } else {
                0
            };
        let free = columns.saturating_sub(taken);
        lines.bar = if free < BAR_COLUMNS.0 {
            0
        } else {
            free.min(BAR_COLUMNS.1)
        };
        // An odd width puts zero in the middle.
        lines.bar -= usize::from(lines.bar > 0 && lines.bar.is_multiple_of(2));
        lines
    }

    /// Returns the index, from the top of the panel, of the current round's row. The panel shows the rounds in the
    /// reverse order of the table. `None` if the table marks no row as current.
    pub fn displayed_row_of_current_round(&self) -> Option<usize> {
        let is_current = |index: &usize| {
            let row = self.rewards.row(*index, self.view);
            row.is_some_and(|row| row.is_current)
        };
        let index = (0..self.rewards.len()).find(is_current)?;
        Some(self.rewards.len() - 1 - index)
    }

    /// Draws the row with the total of all payments. At the end, or in a wide panel, also notes the bars' log scale, if
    /// several rounds pay and there is room.
    pub fn draw_total(&self, canvas: &mut Canvas<'_>, mut at: Rect) {
        let total = self.rewards.summary(self.view).total;
        let role = role_by_sign(&self.amounts.amount_for_viewer(&total));
        canvas.draw_line_and_skip_columns("total ", TextRole::Text, &mut at);
        canvas.draw_line_and_skip_columns(&self.total, role, &mut at);
        let has_room = usize::from(at.width) > measure::width(LOG_SCALE);
        // A narrow screen has few words while a player decides.
        let is_shown = self.wide || self.view.state.request().is_none();
        if self.bar > 0 && has_room && is_shown && self.rewards.has_several_paying_rounds() {
            canvas.draw_text_right_aligned(LOG_SCALE, TextRole::Faint, at);
        }
    }

    /// True if the rows have the numbers of rounds.
    pub fn has_round_numbers(&self) -> bool {
        self.rewards.has_several_paying_rounds()
    }

    /// Returns the label of a round: its number, 0 for the first answer, or `end` if at most one round pays.
    fn round_label(&self, row: &RewardRow) -> String {
        match row.round {
            _ if !self.rewards.has_several_paying_rounds() => "end".to_owned(),
            Round::Initial => "0".to_owned(),
            Round::Number(_) => row.label.clone(),
        }
    }

    /// Returns the amount that the round in this row of the table paid, or the range of payments that are still
    /// possible. Returns "none" if the round was skipped.
    fn payment_or_stake(&self, index: usize, row: &RewardRow) -> (TextRole, String) {
        match &row.payment {
            RoundPaymentStatus::Paid(value) => {
                let role = role_by_sign(&self.amounts.amount_for_viewer(value));
                let shown = self.payments.get(index).cloned().flatten();
                (role, shown.unwrap_or_default())
            }
            RoundPaymentStatus::Open(range) => {
                let role = if row.is_current {
                    TextRole::Text
                } else {
                    TextRole::Faint
                };
                let texts = [
                    self.amounts.format_range(range),
                    self.amounts.format_payoff_range_briefly(range),
                ];
                let mut fitting = texts
                    .into_iter()
                    .filter(|text| measure::width(text) <= MAX_STAKE_COLUMNS);
                let upper_bound = || self.amounts.format_largest_absolute_payoff(range);
                (role, fitting.next().unwrap_or_else(upper_bound))
            }
            RoundPaymentStatus::Skipped => (TextRole::Faint, "none".to_owned()),
        }
    }

    /// Returns the row of a round in the table of rewards.
    fn round_entry(&self, index: usize, row: &RewardRow) -> Entry {
        let signs = self.look.narration_symbols();
        let (sign, role) = match (row.is_current, row.newest, row.dominant) {
            (_, true, true) => (signs.dominant, TextRole::Newest),
            (_, true, _) => (signs.newest, TextRole::Newest),
            (true, _, _) => (self.look.glyphs.shut, TextRole::Title),
            (_, _, true) => (signs.dominant, TextRole::Text),
            _ => (" ", TextRole::Text),
        };
        let label = pad(&self.round_label(row), self.label);
        let mut entry = Entry::unlabelled(role, format!("{sign}{label} "));
        if self.wide {
            let (outcome_role, outcome) = self.outcome_sign(row, signs);
            entry = entry
                .append_span(TextRole::Text, pad(bet_sign(row.bet, signs), BET_COLUMNS))
                .append_span(outcome_role, pad(&outcome, OUTCOME_COLUMNS));
        }
        let (role, figure) = self.payment_or_stake(index, row);
        entry = entry.append_span(role, align_right(&figure, self.figure));
        if self.bar > 0 {
            entry = entry.append_span(TextRole::Text, " ");
            for (role, text) in self.round_bar(row, role) {
                entry = entry.append_span(role, text);
            }
        }
        Entry {
            fixed: true,
            ..entry
        }
    }

    /// Returns the symbol for the outcome of a bet, or the result of a debate that its rules decide. A coin is shown as
    /// a die; green and red are reserved for decisions of a player.
    fn outcome_sign(&self, row: &RewardRow, signs: &SignCharacters) -> (TextRole, String) {
        if row.is_coin {
            return (TextRole::Text, signs.coin_outcome(row.outcome == "true"));
        }
        let role = TextRole::role_for_cell_text(row.outcome).unwrap_or(TextRole::Text);
        let outcome = match (row.outcome, &row.payment) {
            ("true", _) => "yes",
            ("false", _) => "no",
            // The outcome names the winner. The amounts of this panel belong to one recipient, and so does its result.
            (_, RoundPaymentStatus::Paid(value)) if row.is_decided_by_rules => {
                let own = self.amounts.amount_for_viewer(value);
                if own.is_negative() { "lost" } else { "won" }
            }
            (outcome, _) => outcome,
        };
        (role, outcome.to_owned())
    }

    /// Returns the bar of a round: the amount that it paid, or the range that is possible.
    fn round_bar(&self, row: &RewardRow, role: TextRole) -> Vec<(TextRole, String)> {
        let payment = &row.payment;
        let frame = self.look.frame.filter(|_| row.newest);
        let glyphs = self.look.glyphs;
        let half = self.bar / 2;
        let (least, largest) = self.scale;
        let halves = u32::try_from(2 * half).unwrap_or(0);
        // Lengths in half cells, to the left and to the right of zero.
        let length = |value: &Exact| {
            let height = log_scale_bar_height(self.amounts.in_points(value), least, largest).abs();
            let shown = (0..=halves)
                .rev()
                .find(|n| f64::from(*n) - 0.5 <= height * f64::from(halves));
            // A round with a non-zero reward gets a bar.
            shown.unwrap_or(0).max(u32::from(height > 0.0)) as usize
        };
        let (side, [left, right]) = match payment {
            RoundPaymentStatus::Paid(value) => {
                let own = self.amounts.amount_for_viewer(value);
                // The bar of a new payment grows in an animation.
                let whole = length(value);
                let length = frame.map_or(whole, |frame| frame.growing_bar_length(whole));
                let ends = if own.is_negative() {
                    [length, 0]
                } else {
                    [0, length]
                };
                (role, ends)
            }
            RoundPaymentStatus::Open(range) => {
                let [low, high] = self.amounts.range_for_viewer(range);
                let below = length(&low) * usize::from(low.is_negative());
                let above = length(&high) * usize::from(high.is_positive());
                (TextRole::Faint, [below, above])
            }
            RoundPaymentStatus::Skipped => (TextRole::Faint, [0, 0]),
        };
        let (whole, part) = match payment {
            RoundPaymentStatus::Paid(_) => (glyphs.whole, [glyphs.left_half, glyphs.right_half]),
            _ => (glyphs.open_stake, [glyphs.open_stake; 2]),
        };
        let blank = |cells: usize| " ".repeat(half.saturating_sub(cells));
        let [left_cells, right_cells] = [left.div_ceil(2), right.div_ceil(2)];
        let bar_left = part[0].repeat(left % 2) + &whole.repeat(left / 2);
        let bar_right = whole.repeat(right / 2) + &part[1].repeat(right % 2);
        vec![
            (side, blank(left_cells) + &bar_left),
            (TextRole::Faint, glyphs.axis.to_owned()),
            (side, bar_right + &blank(right_cells)),
        ]
    }
}

/// Returns a blank line, and a line with the definition of a point or, in the unit of the rules, the exact payoff.
fn exact_payoff(
    rewards: &RewardTable,
    view: &DebateViewpoint<'_, '_>,
    amounts: &PayoffFormatter,
) -> [Entry; 2] {
    let narrator = view.narrator(amounts.script);
    let unit_sentence = match amounts.unit {
        PayoffUnit::Points => format!("{}.", amounts.payoff_of_one_point_sentence(&narrator)),
        PayoffUnit::OfRules => {
            let total = amounts.exact_payoff(&rewards.summary(view).total);
            format!("The payoff so far, exactly: {total}.")
        }
    };
    let text = if rewards.has_several_paying_rounds() {
        format!("{unit_sentence} The bars have a log scale.")
    } else {
        unit_sentence
    };
    [Entry::default(), Entry::unlabelled(TextRole::Faint, text)]
}

/// Returns the symbol of a bet. An answer is returned as a word.
fn bet_sign<'b>(word: &'b str, signs: &'static SignCharacters) -> &'b str {
    let [low, right, high] = signs.bets;
    match word {
        "?" => signs.sealed,
        "low" => low,
        "right" => right,
        "high" => high,
        "true" => "yes",
        "false" => "no",
        word => word,
    }
}

impl Entries for RewardTableRows<'_, '_, '_> {
    fn len(&self) -> usize {
        self.rewards.len() + self.below.len()
    }

    fn entry(&self, number: usize) -> Entry {
        let rounds = self.rewards.len();
        if let Some(below) = number.checked_sub(rounds) {
            return self.below.get(below).cloned().unwrap_or_default();
        }
        let index = rounds - 1 - number;
        let row = self.rewards.row(index, self.view);
        row.map_or_else(Entry::default, |row| self.round_entry(index, &row))
    }
}

/// Minimum width at which the texts of the strip of rewards are not shortened.
const MIN_LONG_TEXT_COLUMNS: usize = 80;
/// Minimum and maximum width of the current round's bar in the strip, in columns.
const STAKE_BAR_COLUMNS: (usize, usize) = (9, 31);

/// The strip that shows the rewards in two lines, or in one line if rows are scarce.
pub struct RewardStrip<'s> {
    rewards: &'s RewardTable,
    summary: RewardsSoFar,
    /// The total, formatted with as many decimal places as the payments.
    total: String,
    pub amounts: PayoffFormatter,
    look: ScreenAppearance,
}

/// Returns the colour role for a gain, a loss or zero.
pub fn role_by_sign(value: &Exact) -> TextRole {
    if value.is_positive() {
        TextRole::Good
    } else if value.is_negative() {
        TextRole::Bad
    } else {
        TextRole::Text
    }
}

impl<'s> RewardStrip<'s> {
    pub fn new(
        rewards: &'s RewardTable,
        view: &DebateViewpoint<'_, '_>,
        amounts: PayoffFormatter,
        look: ScreenAppearance,
    ) -> Self {
        let amounts = amounts.with_script(look.formula_script());
        Self {
            rewards,
            summary: rewards.summary(view),
            total: rewards.shown_payments(view, &amounts).1,
            amounts,
            look,
        }
    }

    /// Returns the payments as pieces of a line: the total, the last payment, and the round that outweighs all others,
    /// if there is one. If `brief`, the pieces have fewer words.
    fn payment_pieces(&self, brief: bool) -> Vec<DroppableLinePiece> {
        let amounts = &self.amounts;
        let summary = &self.summary;
        let figure = |value: &Exact| {
            (
                role_by_sign(&amounts.amount_for_viewer(value)),
                amounts.signed_payment(value),
            )
        };
        let role = role_by_sign(&amounts.amount_for_viewer(&summary.total));
        let mut pieces = vec![
            DroppableLinePiece::new(
                9,
                TextRole::Text,
                format!("total to {} ", amounts.word_for_payoff_recipient()),
            )
            .append(role, self.total.clone()),
        ];
        pieces.push(match &summary.last {
            None => DroppableLinePiece::new(8, TextRole::Faint, "nothing paid yet"),
            Some((round, value, newest)) => {
                let (role, value) = figure(value);
                let (named, sign) = if *newest {
                    (TextRole::Newest, self.look.narration_symbols().newest)
                } else {
                    (TextRole::Text, "")
                };
                let has_rounds = self.rewards.has_several_paying_rounds();
                let round = if has_rounds {
                    format!(" ({})", self.rewards.round_name(*round))
                } else {
                    String::new()
                };
                let piece = DroppableLinePiece::new(8, named, format!("{sign}last "));
                piece.append(role, value).append(named, round)
            }
        });
        if let Some((round, value)) = &summary.dominant
            && self.rewards.has_several_paying_rounds()
        {
            let sign = self.look.narration_symbols().dominant;
            let name = self.rewards.round_name(*round);
            let (role, value) = figure(value);
            pieces.push(if brief {
                DroppableLinePiece::new(7, TextRole::Text, format!("{sign} {name}"))
            } else {
                DroppableLinePiece::new(7, TextRole::Text, format!("{sign} mostly {name} "))
                    .append(role, value)
            });
        }
        pieces
    }

    /// Returns a piece of a line with the range of possible payments in the current round, or with the reason why no
    /// payment is possible.
    fn open_range_piece(&self) -> DroppableLinePiece {
        match &self.summary.now {
            RoundPaymentState::Over => {
                DroppableLinePiece::new(9, TextRole::Text, "the debate is over")
            }
            RoundPaymentState::Nothing => {
                DroppableLinePiece::new(9, TextRole::Faint, "this round pays nothing")
            }
            RoundPaymentState::Paid => {
                DroppableLinePiece::new(9, TextRole::Faint, "this round is paid")
            }
            RoundPaymentState::Open(range) => {
                let when = if self.rewards.last_judge_probability_sets_payoff() {
                    "at the end "
                } else {
                    "this round "
                };
                DroppableLinePiece::new(9, TextRole::Text, when)
                    .append(TextRole::Title, self.amounts.format_range(range))
            }
        }
    }

    /// Draws the two lines of the strip, or the most important pieces of both if there is room for only one line.
    pub fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let columns = usize::from(area.width);
        if area.height < 2 {
            let mut paid = self.payment_pieces(true).into_iter();
            let total = paid.next().into_iter();
            let pieces = total.chain([self.open_range_piece()]).chain(paid);
            draw_pieces(
                &pieces_that_fit(pieces.collect(), GAP, columns),
                canvas,
                area,
            );
            return;
        }
        let paid = pieces_that_fit(
            self.payment_pieces(columns < MIN_LONG_TEXT_COLUMNS),
            GAP,
            columns,
        );
        draw_pieces(&paid, canvas, measure::row(area, 0));
        let mut rest = draw_pieces(&[self.open_range_piece()], canvas, measure::row(area, 1));
        // The bar is after the range that it shows.
        if let RoundPaymentState::Open(range) = &self.summary.now
            && range[0] != range[1]
            && usize::from(rest.width) > STAKE_BAR_COLUMNS.0 + 1
        {
            let columns = usize::from(rest.width - 1).min(STAKE_BAR_COLUMNS.1);
            rest = measure::skip_columns(rest, 1);
            canvas.draw_text_line(&self.open_range_bar(range, columns), TextRole::Focus, rest);
        }
    }

    /// Returns a bar for the range of payoffs that are still possible in the round, with a mark at zero.
    fn open_range_bar(&self, range: &[Exact; 2], columns: usize) -> String {
        let [least, most] = self.amounts.range_for_viewer(range);
        let glyphs = self.look.glyphs;
        let inside = columns.saturating_sub(2);
        let width = &most - &least;
        let zero = if width.is_zero() || least.is_positive() || most.is_negative() {
            None
        } else {
            let steps = u32::try_from(inside.saturating_sub(1)).unwrap_or(0);
            let share = (-&least / &width).to_float() * f64::from(steps);
            (0..=steps).find(|step| f64::from(*step) + 0.5 > share)
        };
        let cell = |at: usize| match zero {
            Some(zero) if zero as usize == at => glyphs.axis,
            _ => glyphs.open_stake,
        };
        let cells: String = (0..inside).map(cell).collect();
        format!("{}{cells}{}", glyphs.stake_left, glyphs.stake_right)
    }
}

/// Draws the pieces of a line with gaps between them. Returns the area after the last piece.
fn draw_pieces(pieces: &[DroppableLinePiece], canvas: &mut Canvas<'_>, mut area: Rect) -> Rect {
    for (number, piece) in pieces.iter().enumerate() {
        if number > 0 {
            area = measure::skip_columns(area, measure::to_u16_saturating(GAP));
        }
        for span in &piece.spans {
            canvas.draw_line_and_skip_columns(&span.text, span.role, &mut area);
        }
    }
    area
}

/// Columns between two pieces.
const GAP: usize = 3;

/// A piece of a line of the strip. If not all pieces fit, the one with the lowest weight is dropped first.
#[derive(Clone, Debug)]
pub struct DroppableLinePiece {
    weight: u8,
    pub spans: Vec<TextWithRole>,
}

impl DroppableLinePiece {
    pub fn new(weight: u8, role: TextRole, text: impl Into<String>) -> Self {
        let spans = Vec::new();
        Self { weight, spans }.append(role, text)
    }

    #[must_use]
    pub fn append(mut self, role: TextRole, text: impl Into<String>) -> Self {
        let text = text.into();
        self.spans.push(TextWithRole { text, role });
        self
    }

    pub fn width(&self) -> usize {
        let spans = self.spans.iter();
        spans.map(|span| measure::width(&span.text)).sum()
    }
}

/// Returns the pieces of a line that fit into `columns`. The piece with the highest weight is always included.
pub fn pieces_that_fit(
    mut pieces: Vec<DroppableLinePiece>,
    gap: usize,
    columns: usize,
) -> Vec<DroppableLinePiece> {
    pieces.retain(|piece| piece.width() > 0);
    loop {
        let width: usize = pieces.iter().map(|piece| piece.width() + gap).sum();
        if width <= columns + gap || pieces.len() <= 1 {
            return pieces;
        }
        let lightest = (0..pieces.len()).rev().min_by_key(|at| pieces[*at].weight);
        pieces.remove(lightest.unwrap_or(0));
    }
}
