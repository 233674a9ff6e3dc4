//! The table of rewards in the columns of its panel.

use std::ops::Range;

use debate_lab::narration::{RewardRow, RewardTable, Viewpoint};

use crate::tui::panel::measure::{align_right, pad};
use crate::tui::panel::scroll::{Entries, Entry};
use crate::tui::theme::{Appearance, StyleRole};

/// The rewards as entries of a scrolling list, each made when it is seen.
pub(super) struct RewardLines<'t> {
    rewards: &'t RewardTable,
    look: &'t Appearance,
    newest: Range<usize>,
    /// True if there is a column for the weights.
    weights: bool,
    /// The entries below the rows.
    below: Vec<Entry>,
}

impl<'t> RewardLines<'t> {
    /// The table and below it the last reward in words and as its formula.
    pub(super) fn new(
        rewards: &'t RewardTable,
        view: &Viewpoint<'_, '_>,
        look: &'t Appearance,
        columns: usize,
    ) -> Self {
        let single_reward = if rewards.compares() {
            Vec::new()
        } else {
            rewards.single_reward()
        };
        let explained = rewards.explained(view, look.script());
        Self {
            rewards,
            look,
            newest: view.newest.clone(),
            // The weight goes first where there is no room for it: the strip says what is at stake.
            weights: columns >= 41,
            below: single_reward.into_iter().chain(explained).collect(),
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

    fn weight(&self, text: &str) -> String {
        if self.weights {
            pad(text, 7)
        } else {
            String::new()
        }
    }

    fn head(&self) -> Entry {
        let head = format!(
            "{}{}{}{}{}{}",
            pad("round", 6),
            self.weight("weight"),
            pad("bet", 6),
            pad("came", 6),
            align_right("p", 7),
            align_right("paid", 9)
        );
        Entry::default().then(StyleRole::Faint, head)
    }

    /// The row of a round that pays.
    fn row(&self, paid: &RewardRow) -> Entry {
        let mut round = paid.round.clone();
        if paid.dominant {
            round.push_str(self.look.signs().dominant);
        }
        let text = format!(
            "{}{}{}{}{}",
            pad(&round, 6),
            self.weight(&paid.weight),
            pad(paid.bet, 6),
            pad(paid.outcome, 6),
            align_right(&paid.p, 7),
        );
        let role = match (paid.newest, paid.value) {
            (true, _) => StyleRole::Newest,
            (false, None) if paid.p.is_empty() => StyleRole::Faint,
            _ => StyleRole::Text,
        };
        let paid_role = match paid.value {
            Some(value) if value > 0.0 => StyleRole::Good,
            Some(value) if value < 0.0 => StyleRole::Bad,
            _ => role,
        };
        Entry::default()
            .then(role, text)
            .then(paid_role, align_right(&paid.paid, 9))
    }
}

impl Entries for RewardLines<'_> {
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
        let paid = self.rewards.row(row, &self.newest);
        paid.map_or_else(Entry::default, |paid| self.row(&paid))
    }
}
