//! The history of a saved debate: every step, including undone moves, and a cursor.

use std::ops::Range;

use debate_core::number::Exact;
use debate_core::player::{DebateTimeline, Move, MoveWithEvents};
use debate_core::protocol::{IllegalReply, Log, Round, Rules as _, State};

/// The kind of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum SavedStepKind {
    /// A reply, a coin, or a draw of several samples at once.
    Move(Move<Exact>),
    /// An undo that keeps the first `kept` moves and removes all moves after them.
    Undo { kept: usize },
}

/// One step of a saved debate.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedDebateStep {
    pub kind: SavedStepKind,
    /// The player's thinking time in milliseconds, if it is known.
    pub ms: Option<u64>,
}

impl From<Move<Exact>> for SavedDebateStep {
    fn from(made: Move<Exact>) -> Self {
        let kind = SavedStepKind::Move(made);
        Self { kind, ms: None }
    }
}

/// A saved debate, with a cursor on its steps. The timeline has the moves that are not undone at the cursor.
#[derive(Clone, Debug)]
pub struct SavedDebateWithCursor<'a> {
    pub(super) timeline: DebateTimeline<'a, Exact>,
    steps: Vec<SavedDebateStep>,
    /// For each number n of steps, from 0 on: how many moves are in effect (not undone) after the first n steps.
    current_moves: Vec<usize>,
    /// For each change of the round: the number of steps before it, and the new round.
    rounds: Vec<(usize, Option<Round>)>,
    /// For each undo: its index among the steps, and the number of moves that remained after it.
    undos: Vec<(usize, usize)>,
    at: usize,
}

impl<'a> SavedDebateWithCursor<'a> {
    /// Creates the history of a debate without moves.
    pub(super) fn history_without_moves(start: State<'a, Exact>) -> Self {
        Self {
            rounds: vec![(0, start.round())],
            timeline: DebateTimeline::new(start),
            steps: Vec::new(),
            current_moves: vec![0],
            undos: Vec::new(),
            at: 0,
        }
    }

    /// Creates the history of a saved debate from its steps (moves and undos). The cursor is after the last step.
    ///
    /// # Errors
    /// Returns the first illegal move.
    pub fn new(
        start: State<'a, Exact>,
        steps: impl IntoIterator<Item = SavedDebateStep>,
    ) -> Result<Self, IllegalReply> {
        let mut history = Self::history_without_moves(start);
        for step in steps {
            history.push(step)?;
        }
        Ok(history)
    }

    /// Creates a history of moves without undos and times; the cursor is after the last move.
    ///
    /// # Errors
    /// Returns the first illegal move.
    pub fn from_moves(
        start: State<'a, Exact>,
        moves: &[Move<Exact>],
    ) -> Result<Self, IllegalReply> {
        Self::new(start, moves.iter().cloned().map(SavedDebateStep::from))
    }

    /// Appends a step. The cursor must be at the end. Returns the move that the step made; `None` if the step is an
    /// undo.
    pub(super) fn push(
        &mut self,
        step: SavedDebateStep,
    ) -> Result<Option<MoveWithEvents<'_, Exact>>, IllegalReply> {
        match &step.kind {
            SavedStepKind::Move(made) => {
                self.timeline.make_move(made.clone())?;
            }
            SavedStepKind::Undo { kept } => {
                self.timeline.truncate_moves(*kept)?;
                self.undos.push((self.steps.len(), *kept));
            }
        }
        let moved = matches!(step.kind, SavedStepKind::Move(_));
        self.steps.push(step);
        self.current_moves
            .push(self.timeline.move_count_before_cursor());
        self.at = self.steps.len();
        let round = self.state_at_cursor().round();
        if self.rounds.last().is_some_and(|(_, last)| *last != round) {
            self.rounds.push((self.at, round));
        }
        Ok(self.timeline.move_before_cursor().filter(|_| moved))
    }

    /// Returns the timeline up to the cursor: the moves that are not undone, the debate's state after them, and their
    /// log.
    pub fn timeline(&self) -> &DebateTimeline<'a, Exact> {
        &self.timeline
    }

    /// Returns the state of the debate at the cursor.
    pub fn state_at_cursor(&self) -> &State<'a, Exact> {
        self.timeline.state()
    }

    /// Returns the events of the debate up to the cursor, except undone ones.
    pub fn log(&self) -> &Log<Exact> {
        self.timeline.log_to_cursor()
    }

    /// Returns the number of steps before the cursor.
    pub fn steps_before_cursor(&self) -> usize {
        self.at
    }

    /// Returns all steps in order.
    pub fn steps(&self) -> &[SavedDebateStep] {
        &self.steps
    }

    /// Returns the step before the cursor; `None` at the start.
    pub fn step_before_cursor(&self) -> Option<&SavedDebateStep> {
        self.steps.get(self.at.checked_sub(1)?)
    }

    /// Returns the range of log entries that the step before the cursor added; empty if that step was not a move (such
    /// as an undo), or if the cursor is at the start.
    pub fn log_entries_of_step_before_cursor(&self) -> Range<usize> {
        let moved = |step: &SavedDebateStep| matches!(step.kind, SavedStepKind::Move(_));
        let last = self.timeline.move_count_before_cursor().checked_sub(1);
        let last = last.filter(|_| self.step_before_cursor().is_some_and(moved));
        let end = self.log().entries().len();
        last.and_then(|last| self.timeline.log_range_of_move(last))
            .unwrap_or(end..end)
    }

    /// Returns the moves that are in effect at the end of the save: those that no later step undoes.
    pub fn moves_never_undone(&self) -> Vec<Move<Exact>> {
        self.moves_beyond(0, self.steps.len())
    }

    /// True if no later step undoes any of the moves before the cursor.
    pub fn has_no_undone_move_before_cursor(&self) -> bool {
        let mut later = self
            .undos
            .iter()
            .rev()
            .take_while(|(step, _)| *step >= self.at);
        later.all(|(_, kept)| *kept >= self.timeline.move_count_before_cursor())
    }

    /// Returns the number of steps before the start of a round; `None` if the debate never reaches the round.
    pub fn steps_before_round(&self, round: Round) -> Option<usize> {
        let begins = |(at, begun): &(usize, _)| (*begun == Some(round)).then_some(*at);
        self.rounds.iter().find_map(begins)
    }

    /// Returns the cursor position at the next change of the round, or the end if the round does not change again.
    pub fn cursor_at_next_round(&self) -> usize {
        let later = self.rounds.iter().find(|(begin, _)| *begin > self.at);
        later.map_or(self.steps.len(), |(begin, _)| *begin)
    }

    /// Returns the cursor position at the start of the current round. If the cursor is already there, returns the start
    /// of the round before.
    pub fn round_start_before_cursor(&self) -> usize {
        let mut earlier = self.rounds.iter().rev();
        let begin = earlier.find(|(begin, _)| *begin < self.at);
        begin.map_or(0, |(begin, _)| *begin)
    }

    /// Returns the number of steps before a move, given by its index among the moves that count at the end; `None` if
    /// there are fewer moves.
    pub fn steps_before_move(&self, move_index: usize) -> Option<usize> {
        let steps = self.remaining_steps(move_index, self.steps.len());
        steps.first().copied()
    }

    /// Moves the cursor to the position after `step_count` steps, at most to the end. Returns true if log entries
    /// disappeared, because some moves are undone at the new position or are made only after it.
    ///
    /// # Errors
    /// If a move on the way is illegal. The cursor then stays where it was.
    pub fn move_cursor_and_tell_if_log_shrank(
        &mut self,
        step_count: usize,
    ) -> Result<bool, IllegalReply> {
        let step_count = step_count.min(self.steps.len());
        let between = self.at.min(step_count)..=self.at.max(step_count);
        let common = self.current_moves[between]
            .iter()
            .copied()
            .min()
            .unwrap_or(0);
        let moves = self.moves_beyond(common, step_count);
        let cut = common < self.timeline.move_count_before_cursor();
        self.timeline.truncate_moves(common)?;
        for made in moves {
            self.timeline.make_move(made)?;
        }
        self.at = step_count;
        Ok(cut)
    }

    /// Returns the moves that are in effect (not undone) after the first `count` steps, but leaves out the first
    /// `common` of these moves.
    fn moves_beyond(&self, common: usize, count: usize) -> Vec<Move<Exact>> {
        let steps = self.remaining_steps(common, count).into_iter();
        let moves = steps.filter_map(|at| match &self.steps[at].kind {
            SavedStepKind::Move(made) => Some(made.clone()),
            SavedStepKind::Undo { .. } => None,
        });
        moves.collect()
    }

    /// Returns the indices of the steps that made the moves in effect (not undone) after `count` steps. Leaves out the
    /// first `common` of these moves.
    fn remaining_steps(&self, common: usize, count: usize) -> Vec<usize> {
        let mut wanted = self.current_moves[count];
        let mut made = Vec::with_capacity(wanted.saturating_sub(common));
        let mut steps = (0..count).rev();
        while wanted > common
            && let Some(at) = steps.next()
        {
            // The latest step after which `wanted` moves count is the step that made the last of these moves.
            let is_move = matches!(self.steps[at].kind, SavedStepKind::Move(_));
            if is_move && self.current_moves[at + 1] == wanted {
                made.push(at);
                wanted -= 1;
            }
        }
        made.reverse();
        made
    }
}
