//! The table of rewards in the columns of its panel: one row and one bar a round.

use std::iter;

use super::strip::sign_role;
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::measure;
use crate::tui::widget::measure::{align_right, clip, pad};
use crate::tui::widget::scroll::{Entries, Entry};
use debate_core::number::Exact;
use debate_core::protocol::Round;
use debate_lab::tell::{Amounts, Payment, RewardRow, RewardTable, Unit, Viewpoint, bar_height};

/// Columns of the round, the stake, the bet, the outcome, the estimate and the reward.
const ROUND: usize = 7;
const STAKE: usize = 9;
const BET: usize = 6;
const OUTCOME: usize = 6;
const ESTIMATE: usize = 5;
/// Columns of the reward: in points, and as it is.
const PAID: [usize; 2] = [9, 18];
/// Columns of a bar at least and at most.
const BAR: (usize, usize) = (9, 41);

/// The rewards as entries of a scrolling list, each made when it is seen.
pub(super) struct RewardLines<'t, 'v, 'a> {
    rewards: &'t RewardTable,
    view: &'t Viewpoint<'v, 'a>,
    amounts: Amounts,
    look: &'t Appearance,
    /// True if there is a column for the stakes.
    stakes: bool,
    paid: usize,
    /// Columns of the bars; none where there is no room.
    bar: usize,
    /// The least and the largest figure of the bars, in points.
    scale: (f64, f64),
    largest: Exact,
    /// The entries below the rows.
    below: Vec<Entry>,
}

impl<'t, 'v, 'a> RewardLines<'t, 'v, 'a> {
    /// The table and below it the last reward in words and as its formula.
    pub(super) fn new(
        rewards: &'t RewardTable,
        view: &'t Viewpoint<'v, 'a>,
        amounts: Amounts,
        look: &'t Appearance,
        columns: usize,
    ) -> Self {
        let amounts = amounts.in_script(look.script());
        let paid = PAID[usize::from(amounts.unit == Unit::Payoff)];
        let least = ROUND + BET + OUTCOME + ESTIMATE + paid;
        // The stakes go first where there is no room: a bar shows how far it can reach.
        let stakes = columns >= least + STAKE + BAR.0 + 3;
        let free = columns.saturating_sub(least + if stakes { STAKE } else { 0 } + 1);
        let bar = if free < BAR.0 { 0 } else { free.min(BAR.1) };
        let largest = rewards.largest(view);
        let scale = (1.0, amounts.in_points(&largest).max(1.0));
        let mut below = rewards.explained(view, look.script());
        below.extend(exactly(rewards, view, &amounts));
        Self {
            rewards,
            view,
            amounts,
            look,
            stakes,
            paid,
            // Zero stands in the middle.
            bar: bar - usize::from(bar > 0 && bar % 2 == 0),
            scale,
            largest,
            below,
        }
    }

    /// The rows of the table, its head among them.
    fn rows(&self) -> usize {
        if self.rewards.compares() {
            self.rewards.len() + 1
        } else {
            0
        }
    }

    fn stake(&self, text: &str) -> String {
        if self.stakes {
            pad(text, STAKE)
        } else {
            String::new()
        }
    }

    fn head(&self) -> Entry {
        let head = format!(
            "{}{}{}{}{}{}",
            pad("round", ROUND),
            self.stake("stake"),
            pad("bet", BET),
            pad("came", OUTCOME),
            align_right("est.", ESTIMATE),
            align_right("reward", self.paid),
        );
        let entry = Entry::default().then(Role::Faint, head);
        match self.bar {
            0 => entry,
            columns => entry.then(Role::Faint, format!(" {}", self.axis(columns))),
        }
    }

    /// What the ends of the bars stand for.
    fn axis(&self, columns: usize) -> String {
        let most = self.amounts.size(&self.largest);
        let half = columns / 2;
        let (left, right) = (format!("-{most}"), format!("+{most}"));
        if half > measure::width(&right) {
            return format!("{}0{}", pad(&left, half), align_right(&right, half));
        }
        let most = self.amounts.either_way(&self.largest);
        align_right(&clip(&most, columns, self.look.glyphs.ellipsis), columns)
    }

    /// The row of a round that pays.
    fn row(&self, row: &RewardRow) -> Entry {
        let mut round = match row.round {
            Round::Initial => "first".to_owned(),
            Round::Number(_) => row.label.clone(),
        };
        let signs = self.look.signs();
        // Beside the sign of the round that counts the colour alone says that it is the newest: the
        // strip above says it in a word.
        match (row.dominant, row.newest) {
            (true, _) => round.push_str(signs.dominant),
            (false, true) => round.push_str(signs.newest),
            (false, false) => {}
        }
        let role = match (row.newest, &row.payment) {
            (true, _) => Role::Newest,
            (false, Payment::Skipped) => Role::Faint,
            (false, Payment::Open(_)) if row.p.is_none() => Role::Faint,
            _ => Role::Text,
        };
        let stake = self.stake(&self.amounts.size(&row.weight));
        let mut entry = Entry::default()
            .then(role, format!("{}{stake}", pad(&round, ROUND)))
            .then(word_role(row.bet, role), pad(row.bet, BET))
            .then(word_role(row.outcome, role), pad(row.outcome, OUTCOME))
            .then(
                role,
                align_right(&row.estimate().replace(' ', ""), ESTIMATE),
            );
        let (paid_role, paid) = match &row.payment {
            Payment::Paid(value) => {
                let own = self.amounts.to_side(value);
                (sign_role(&own), self.amounts.signed(value))
            }
            Payment::Open(_) => (role, String::new()),
            Payment::Skipped => (role, "none".to_owned()),
        };
        entry = entry.then(paid_role, align_right(&paid, self.paid));
        if self.bar > 0 {
            entry = entry.then(Role::Text, " ");
            for (role, text) in self.bar_of(&row.payment, paid_role) {
                entry = entry.then(role, text);
            }
        }
        entry
    }

    /// The bar of a round: what it paid, or how far it can still reach either way.
    fn bar_of(&self, payment: &Payment, role: Role) -> Vec<(Role, String)> {
        let glyphs = self.look.glyphs;
        let half = self.bar / 2;
        let (least, largest) = self.scale;
        let halves = u32::try_from(2 * half).unwrap_or(0);
        // Lengths in halves of a cell, from zero to the left and to the right.
        let length = |value: &Exact| {
            let height = bar_height(self.amounts.in_points(value), least, largest).abs();
            let shown = (0..=halves)
                .rev()
                .find(|n| f64::from(*n) - 0.5 <= height * f64::from(halves));
            // What is not nothing is seen.
            shown.unwrap_or(0).max(u32::from(height > 0.0)) as usize
        };
        let (side, [left, right]) = match payment {
            Payment::Paid(value) => {
                let own = self.amounts.to_side(value);
                let negative = own < Exact::default();
                let length = length(value);
                let ends = if negative { [length, 0] } else { [0, length] };
                (role, ends)
            }
            Payment::Open(range) => {
                let [low, high] = self.amounts.range_to_side(range);
                let below = if low < Exact::default() {
                    length(&low)
                } else {
                    0
                };
                let above = if high > Exact::default() {
                    length(&high)
                } else {
                    0
                };
                (Role::Faint, [below, above])
            }
            Payment::Skipped => (Role::Faint, [0, 0]),
        };
        let (whole, part) = match payment {
            Payment::Paid(_) => (glyphs.whole, [glyphs.left_half, glyphs.right_half]),
            _ => (glyphs.open_stake, [glyphs.open_stake; 2]),
        };
        let blank = |cells: usize| " ".repeat(half.saturating_sub(cells));
        let [left_cells, right_cells] = [left.div_ceil(2), right.div_ceil(2)];
        let bar_left = part[0].repeat(left % 2) + &whole.repeat(left / 2);
        let bar_right = whole.repeat(right / 2) + &part[1].repeat(right % 2);
        vec![
            (side, blank(left_cells) + &bar_left),
            (Role::Faint, glyphs.axis.to_owned()),
            (side, bar_right + &blank(right_cells)),
        ]
    }
}

/// The colour of true and false, beside the word.
fn word_role(word: &str, otherwise: Role) -> Role {
    Role::of_word(word).unwrap_or(otherwise)
}

/// What a point is, or the payoff with all its digits.
fn exactly(
    rewards: &RewardTable,
    view: &Viewpoint<'_, '_>,
    amounts: &Amounts,
) -> impl Iterator<Item = Entry> {
    let narrator = view.narrator(amounts.script);
    let text = match amounts.unit {
        Unit::Points => format!("{}.", amounts.point_text(&narrator)),
        Unit::Payoff => {
            let total = amounts.exactly(&rewards.summary(view).total);
            format!("The payoff so far, exactly: {total}.")
        }
    };
    let line = Entry::default().then(Role::Faint, text);
    iter::once(Entry::default()).chain(iter::once(line))
}

impl Entries for RewardLines<'_, '_, '_> {
    fn len(&self) -> usize {
        self.rows() + self.below.len()
    }

    fn entry(&self, number: usize) -> Entry {
        if let Some(below) = number.checked_sub(self.rows()) {
            return self.below.get(below).cloned().unwrap_or_default();
        }
        let Some(row) = number.checked_sub(1) else {
            return self.head();
        };
        let row = self.rewards.row(row, self.view);
        row.map_or_else(Entry::default, |row| self.row(&row))
    }
}
