//! The panels of a replay, for exports: a whole debate for somebody who sees everything.

use std::ops::Range;

use super::{
    Amounts, ClaimTree, DebateFacts, Line, Perspective, RewardRow, RewardTable, Script, Viewpoint,
    bar_height, report, status,
};
use debate_core::number::Exact;
use debate_core::protocol::{Ledger, Log, Round, Rules, Seat, State};

use super::claim_tree::ClaimRow;
use super::transcript::TranscriptView;

/// The panels' state after the part of the log that they have read.
pub struct NarrationState {
    /// `None` if the claims are not shown: a long debate has as many rows as events.
    tree: Option<ClaimTree>,
    rewards: RewardTable,
}

/// A debate at one moment, as the panels of a replay show it.
pub struct Narration<'s, 'a> {
    view: Viewpoint<'s, 'a>,
    panels: NarrationState,
    script: Script,
}

impl<'s, 'a> Narration<'s, 'a> {
    /// A debate as `replay` shows it to the facts' reader, without the tree of claims. `newest` are the entries of
    /// the log that have just been made.
    pub fn new(
        facts: &'s DebateFacts<'a>,
        state: &'s State<'a, Exact>,
        log: &'s Log<Exact>,
        newest: Range<usize>,
    ) -> Self {
        let view = viewpoint(facts, state, log, newest);
        let panels = NarrationState {
            tree: None,
            rewards: RewardTable::new(&view, &state.schedule()),
        };
        Self::read(view, panels)
    }

    /// The same with the tree of claims. Continues from [`Self::into_state`] of an earlier moment of the debate, if
    /// any: reads only the entries of the log that are new.
    pub fn after(
        before: Option<NarrationState>,
        facts: &'s DebateFacts<'a>,
        state: &'s State<'a, Exact>,
        log: &'s Log<Exact>,
        newest: Range<usize>,
    ) -> Self {
        let view = viewpoint(facts, state, log, newest);
        let panels = before.unwrap_or_else(|| NarrationState {
            tree: Some(ClaimTree::new(&view)),
            rewards: RewardTable::new(&view, &state.schedule()),
        });
        Self::read(view, panels)
    }

    /// Has the panels read the log.
    fn read(view: Viewpoint<'s, 'a>, mut panels: NarrationState) -> Self {
        if let Some(tree) = &mut panels.tree {
            tree.read(&view);
        }
        panels.rewards.read(&view);
        Self {
            view,
            panels,
            script: Script::Unicode,
        }
    }

    /// The part of the log that was read, for [`Self::after`].
    pub fn into_state(self) -> NarrationState {
        self.panels
    }

    /// The recursion: claims met so far, depth first, and how many are left out where there are
    /// more than `most`. Those on the way and those that have just changed are kept. Empty without the tree of claims.
    pub fn tree(&self, most: usize) -> (Vec<ClaimRow>, usize) {
        let Some(tree) = &self.panels.tree else {
            return (Vec::new(), 0);
        };
        let count = tree.rows();
        let shown = shown(count, &tree.mattering(), most).into_iter();
        let rows: Vec<ClaimRow> = shown
            .filter_map(|number| tree.row(&self.view, number, self.script))
            .collect();
        let hidden = count - rows.len();
        (rows, hidden)
    }

    /// An entry of the transcript; a silent one where the event has no text.
    pub fn entry(&self, number: usize) -> Line {
        TranscriptView {
            view: self.view.clone(),
            script: self.script,
            in_points: false,
            brief: None,
            withheld: usize::MAX,
        }
        .entry(number)
    }

    pub fn rewards(&self) -> Vec<RewardRow> {
        self.panels.rewards.rows(&self.view)
    }

    /// The rewards around the round under way, at most `most` of them, and the number of rounds that are left out.
    pub fn rewards_near(&self, most: usize) -> (Vec<RewardRow>, usize) {
        let table = &self.panels.rewards;
        let here = table.current(&self.view).unwrap_or(table.len());
        let first = here.saturating_sub(most / 2);
        let first = first.min(table.len().saturating_sub(most));
        let numbers = first..table.len().min(first + most);
        let rows: Vec<RewardRow> = numbers
            .filter_map(|number| table.row(number, &self.view))
            .collect();
        let hidden = table.len() - rows.len();
        (rows, hidden)
    }

    /// A round as the table of rewards names it.
    pub fn round_label(&self, round: Round) -> String {
        self.panels.rewards.label(round)
    }

    /// True if several rounds pay, so that there is something to compare.
    pub fn compares(&self) -> bool {
        self.panels.rewards.compares()
    }

    /// The rewards in words: what a single one is for, then the reason for the last one.
    pub fn reward_reasons(&self) -> Vec<Line> {
        let mut entries = if self.panels.rewards.compares() {
            Vec::new()
        } else {
            self.panels.rewards.single_reward()
        };
        entries.extend(self.panels.rewards.explained(&self.view, self.script));
        entries
    }

    /// A reward's height in the chart, from −1 to 1.
    pub fn height(&self, value: f64) -> f64 {
        let scale = self.panels.rewards.scale();
        scale.map_or(0.0, |(least, largest)| bar_height(value, least, largest))
    }

    /// The status line in pieces.
    pub fn status_line(&self) -> Vec<String> {
        let pieces = status::pieces(&self.view, &self.panels.rewards, self.script, false);
        let texts = pieces.into_iter().map(|(_, text)| text);
        texts.filter(|text| !text.is_empty()).collect()
    }

    /// The next speaker and action: "Bob estimates …"; `None` where the debate is over,
    /// or goes on unseen.
    pub fn next(&self) -> Option<String> {
        let turn = self.view.state.request()?;
        if !self.view.reader.follows() {
            return None;
        }
        let name = match turn.seat {
            Seat::Chance => "a coin",
            Seat::Judge => "the judge",
            seat => seat.person(),
        };
        let narrator = self.view.narrator(self.script);
        Some(format!("{name} {}", narrator.pending_action(&turn.request)))
    }

    pub fn report(&self, ledger: &Ledger) -> Vec<Line> {
        let amounts = Amounts::rounded(self.view.perspective);
        report::report(&self.view, &self.panels.rewards, ledger, None, &amounts)
    }
}

/// The view of a replay's reader.
fn viewpoint<'s, 'a>(
    facts: &'s DebateFacts<'a>,
    state: &'s State<'a, Exact>,
    log: &'s Log<Exact>,
    newest: Range<usize>,
) -> Viewpoint<'s, 'a> {
    Viewpoint {
        facts,
        state,
        log,
        reader: facts.reader_in(state),
        perspective: Perspective::NEUTRAL,
        newest,
        marks: &[],
    }
}

/// The rows that are shown of `count` where at most `most` can be: those that matter, then the
/// first of the others.
fn shown(count: usize, mattering: &[usize], most: usize) -> Vec<usize> {
    let mut free = most.saturating_sub(mattering.len());
    let mut rows = Vec::with_capacity(count.min(most));
    let mut from = 0;
    for row in mattering.iter().copied().chain([count]) {
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
    fn what_matters_is_shown_and_of_the_rest_what_there_is_room_for() {
        assert_eq!(shown(4, &[1], 9), [0, 1, 2, 3]);
        assert_eq!(shown(100, &[0, 50, 98], 6), [0, 1, 2, 3, 50, 98]);
        assert_eq!(shown(100, &[98], 3), [0, 1, 98]);
        assert_eq!(shown(100, &[5, 6, 7], 2), [5, 6]);
        assert_eq!(shown(0, &[], 2), [0; 0]);
        assert_eq!(shown(3, &[], 2), [0, 1]);
    }
}
