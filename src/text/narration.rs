//! The panels of a replay as text, for exports: a whole debate for a reader who sees everything.

use std::ops::Range;

use super::{
    ClaimTree, DebateDescription, DebateViewpoint, FormulaCharacterSet, Line, PayoffFormatter,
    RewardRow, RewardTable, ViewerPerspective, log_scale_bar_height, report, status,
};
use debate_core::number::Exact;
use debate_core::protocol::{Log, ResourceCostsBySeat, Round, Rules, Seat, State};

use super::claim_tree::ClaimTreeRow;
use super::transcript::TranscriptFormatter;

/// The state of a replay's panels, with the log entries that they have processed.
pub struct ReplayTreeAndRewards {
    /// `None` if the claims are not shown: a long debate has as many rows as events.
    tree: Option<ClaimTree>,
    rewards: RewardTable,
}

/// A replay's panels at one position in the debate: the claim tree, the transcript, the rewards and the status line.
pub struct ReplayFrame<'s, 'a> {
    view: DebateViewpoint<'s, 'a>,
    panels: ReplayTreeAndRewards,
    script: FormulaCharacterSet,
}

impl<'s, 'a> ReplayFrame<'s, 'a> {
    /// Creates a replay's panels without the claim tree. `newest` is the range of log entries that the replay's last
    /// step added.
    pub fn new(
        facts: &'s DebateDescription<'a>,
        state: &'s State<'a, Exact>,
        log: &'s Log<Exact>,
        newest: Range<usize>,
    ) -> Self {
        let view = viewpoint(facts, state, log, newest);
        let panels = ReplayTreeAndRewards {
            tree: None,
            rewards: RewardTable::new(&view, &state.schedule()),
        };
        Self::read(view, panels)
    }

    /// Creates the panels of a replay with the claim tree. `before` is the [`Self::into_state`] of an earlier moment of
    /// the debate, if there is one; then only newer log entries are processed.
    pub fn after(
        before: Option<ReplayTreeAndRewards>,
        facts: &'s DebateDescription<'a>,
        state: &'s State<'a, Exact>,
        log: &'s Log<Exact>,
        newest: Range<usize>,
    ) -> Self {
        let view = viewpoint(facts, state, log, newest);
        let panels = before.unwrap_or_else(|| ReplayTreeAndRewards {
            tree: Some(ClaimTree::new(&view)),
            rewards: RewardTable::new(&view, &state.schedule()),
        });
        Self::read(view, panels)
    }

    /// Updates the panels for new entries of the log.
    fn read(view: DebateViewpoint<'s, 'a>, mut panels: ReplayTreeAndRewards) -> Self {
        if let Some(tree) = &mut panels.tree {
            tree.read_new_log_entries(&view);
        }
        panels.rewards.read_new_log_entries(&view);
        Self {
            view,
            panels,
            script: FormulaCharacterSet::Unicode,
        }
    }

    /// Returns the state of the panels, from which [`Self::after`] can continue.
    pub fn into_state(self) -> ReplayTreeAndRewards {
        self.panels
    }

    /// Returns at most `max_rows` rows of the claim tree in depth-first order, and the number of omitted rows. Claims
    /// on the path and claims that just changed take precedence. Empty without the claim tree.
    pub fn tree_rows(&self, max_rows: usize) -> (Vec<ClaimTreeRow>, usize) {
        let Some(tree) = &self.panels.tree else {
            return (Vec::new(), 0);
        };
        let count = tree.row_count();
        let shown = shown(count, &tree.path_and_changed_rows(), max_rows).into_iter();
        let rows: Vec<ClaimTreeRow> = shown
            .filter_map(|number| tree.row(&self.view, number, self.script))
            .collect();
        let hidden = count - rows.len();
        (rows, hidden)
    }

    /// Returns a transcript line for the log entry with this number; a line that is not displayed if the entry has no
    /// text.
    pub fn transcript_line(&self, entry_index: usize) -> Line {
        TranscriptFormatter {
            view: self.view.clone(),
            script: self.script,
            in_points: false,
            brief: None,
            withheld: usize::MAX,
        }
        .entry_line(entry_index)
    }

    pub fn reward_rows(&self) -> Vec<RewardRow> {
        self.panels.rewards.rows(&self.view)
    }

    /// Returns at most `max_rows` rows of the reward table, around the current round, and the number of omitted rounds.
    pub fn reward_rows_near_current_round_and_omitted(
        &self,
        max_rows: usize,
    ) -> (Vec<RewardRow>, usize) {
        let table = &self.panels.rewards;
        let here = table
            .row_index_of_current_round(&self.view)
            .unwrap_or(table.len());
        let first = here.saturating_sub(max_rows / 2);
        let first = first.min(table.len().saturating_sub(max_rows));
        let numbers = first..table.len().min(first + max_rows);
        let rows: Vec<RewardRow> = numbers
            .filter_map(|number| table.row(number, &self.view))
            .collect();
        let hidden = table.len() - rows.len();
        (rows, hidden)
    }

    /// Returns the name of a round in the reward table.
    pub fn round_label(&self, round: Round) -> String {
        self.panels.rewards.label(round)
    }

    /// True if several rounds pay a reward, so that the rewards can be compared.
    pub fn has_several_paying_rounds(&self) -> bool {
        self.panels.rewards.has_several_paying_rounds()
    }

    /// Returns lines that explain the rewards: the rule, if there is only a single reward, then the reason for the last
    /// one.
    pub fn last_reward_explanation_lines(&self) -> Vec<Line> {
        let mut entries = if self.panels.rewards.has_several_paying_rounds() {
            Vec::new()
        } else {
            self.panels.rewards.lines_about_only_reward()
        };
        entries.extend(self.panels.rewards.explain_last_reward(
            &self.view,
            &self.view.payoff_formatter().with_script(self.script),
        ));
        entries
    }

    /// Returns the height of a reward's bar in the chart of rewards, from −1 to 1.
    pub fn signed_log_reward_bar_height(&self, value: f64) -> f64 {
        let scale = self.panels.rewards.round_weight_range();
        scale.map_or(0.0, |(least, largest)| {
            log_scale_bar_height(value, least, largest)
        })
    }

    /// Returns the parts of a line about the debate's state, for an exported page: the current round, its stake, the
    /// payments so far, and the round that dominates their sum. Parts that do not apply are left out.
    pub fn exported_page_status_parts(&self) -> Vec<String> {
        let texts = status::status_texts(&self.view, &self.panels.rewards, self.script);
        texts.into_iter().filter(|text| !text.is_empty()).collect()
    }

    /// Returns a sentence about the next move, with its player: "Bob estimates …". `None` if the debate is over or
    /// hidden from the reader.
    pub fn next_move_sentence(&self) -> Option<String> {
        let turn = self.view.state.request()?;
        if !self.view.reader.is_shown_debate_during_play() {
            return None;
        }
        let name = match turn.seat {
            Seat::Chance => "a coin",
            Seat::Judge => "the judge",
            seat => seat.player_name_of_seat(),
        };
        let narrator = self.view.narrator(self.script);
        Some(format!("{name} {}", narrator.pending_action(&turn.request)))
    }

    pub fn end_report_lines(&self, ledger: &ResourceCostsBySeat) -> Vec<Line> {
        let amounts = PayoffFormatter::formatter_with_three_digits(self.view.perspective);
        report::debate_report(&self.view, &self.panels.rewards, ledger, None, &amounts)
    }
}

/// Returns the debate as the reader of a replay sees it.
fn viewpoint<'s, 'a>(
    facts: &'s DebateDescription<'a>,
    state: &'s State<'a, Exact>,
    log: &'s Log<Exact>,
    newest: Range<usize>,
) -> DebateViewpoint<'s, 'a> {
    DebateViewpoint {
        facts,
        state,
        log,
        reader: facts.log_viewer_in_state(state),
        perspective: ViewerPerspective::NEUTRAL,
        newest,
        marks: &[],
    }
}

/// Chooses at most `most` of `count` rows: the rows in `relevant_rows`, and then the first other rows.
fn shown(count: usize, relevant_rows: &[usize], most: usize) -> Vec<usize> {
    let mut free = most.saturating_sub(relevant_rows.len());
    let mut rows = Vec::with_capacity(count.min(most));
    let mut from = 0;
    for row in relevant_rows.iter().copied().chain([count]) {
        let others = (row - from).min(free);
        rows.extend(from..from + others);
        free -= others;
        rows.push(row);
        from = row + 1;
    }
    rows.pop();
    rows.truncate(most);
    rows
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn important_lines_are_shown_first_and_others_fill_the_room() {
        assert_eq!(shown(4, &[1], 9), [0, 1, 2, 3]);
        assert_eq!(shown(100, &[0, 50, 98], 6), [0, 1, 2, 3, 50, 98]);
        assert_eq!(shown(100, &[98], 3), [0, 1, 98]);
        assert_eq!(shown(100, &[5, 6, 7], 2), [5, 6]);
        assert_eq!(shown(0, &[], 2), [0; 0]);
        assert_eq!(shown(3, &[], 2), [0, 1]);
    }
}
