//! A debate as it was kept: every step, those that were taken back among them, and a cursor.

use std::ops::Range;

use debate_core::number::Exact;
use debate_core::player::{LatestMove, Move, Timeline};
use debate_core::protocol::{Illegal, Log, Round, Rules as _, State};

/// The kind of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// A reply was given or a coin fell.
    Move(Move<Exact>),
    /// All but the first moves that stood, so many, were taken back.
    Undo { kept: usize },
}

/// One step of a debate as it was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedStep {
    pub kind: StepKind,
    /// Milliseconds that it took, where that is known.
    pub ms: Option<u64>,
}

impl From<Move<Exact>> for SavedStep {
    fn from(made: Move<Exact>) -> Self {
        let kind = StepKind::Move(made);
        Self { kind, ms: None }
    }
}

/// A debate that was kept, with a cursor on its steps. The timeline has the moves that stand at the
/// cursor.
#[derive(Clone, Debug)]
pub struct History<'a> {
    pub(super) timeline: Timeline<'a, Exact>,
    steps: Vec<SavedStep>,
    /// The number of moves that stand after each number of steps, from 0 on.
    standing: Vec<usize>,
    /// After which numbers of steps another round is played than before, and which.
    rounds: Vec<(usize, Option<Round>)>,
    /// The steps that took moves back, and how many each left.
    undos: Vec<(usize, usize)>,
    at: usize,
}

impl<'a> History<'a> {
    /// A debate in which nobody has spoken.
    pub(super) fn begin(start: State<'a, Exact>) -> Self {
        Self {
            rounds: vec![(0, start.round())],
            timeline: Timeline::new(start),
            steps: Vec::new(),
            standing: vec![0],
            undos: Vec::new(),
            at: 0,
        }
    }

    /// A debate with these steps; the cursor stands after the last.
    ///
    /// # Errors
    /// The first move that is illegal.
    pub fn new(
        start: State<'a, Exact>,
        steps: impl IntoIterator<Item = SavedStep>,
    ) -> Result<Self, Illegal> {
        let mut history = Self::begin(start);
        for step in steps {
            history.push(step)?;
        }
        Ok(history)
    }

    /// A debate of moves that all stand, without times; the cursor stands after the last.
    ///
    /// # Errors
    /// The first move that is illegal.
    pub fn of_moves(start: State<'a, Exact>, moves: &[Move<Exact>]) -> Result<Self, Illegal> {
        Self::new(start, moves.iter().cloned().map(SavedStep::from))
    }

    /// Takes a step at the end, where the cursor must stand. Returns the move that it made.
    pub(super) fn push(
        &mut self,
        step: SavedStep,
    ) -> Result<Option<LatestMove<'_, Exact>>, Illegal> {
        match &step.kind {
            StepKind::Move(made) => {
                self.timeline.push(made.clone())?;
            }
            StepKind::Undo { kept } => {
                self.timeline.undo(*kept)?;
                self.undos.push((self.steps.len(), *kept));
            }
        }
        let moved = matches!(step.kind, StepKind::Move(_));
        self.steps.push(step);
        self.standing.push(self.timeline.at());
        self.at = self.steps.len();
        let round = self.state().round();
        if self.rounds.last().is_some_and(|(_, last)| *last != round) {
            self.rounds.push((self.at, round));
        }
        Ok(self.timeline.latest().filter(|_| moved))
    }

    /// The moves that stand at the cursor, with their state and log.
    pub fn timeline(&self) -> &Timeline<'a, Exact> {
        &self.timeline
    }

    /// The debate at the cursor.
    pub fn state(&self) -> &State<'a, Exact> {
        self.timeline.state()
    }

    /// The events up to the cursor, but for those taken back.
    pub fn log(&self) -> &Log<Exact> {
        self.timeline.log()
    }

    /// The number of steps before the cursor.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Every step, in order.
    pub fn steps(&self) -> &[SavedStep] {
        &self.steps
    }

    /// The step before the cursor; `None` at the start.
    pub fn last(&self) -> Option<&SavedStep> {
        self.steps.get(self.at.checked_sub(1)?)
    }

    /// Which entries of the log followed from the step before the cursor; none where it took moves
    /// back.
    pub fn newest(&self) -> Range<usize> {
        let moved = |step: &SavedStep| matches!(step.kind, StepKind::Move(_));
        let last = self.timeline.at().checked_sub(1);
        let last = last.filter(|_| self.last().is_some_and(moved));
        let end = self.log().entries().len();
        last.and_then(|last| self.timeline.events(last))
            .unwrap_or(end..end)
    }

    /// The moves that stand after the last step.
    pub fn moves_at_end(&self) -> Vec<Move<Exact>> {
        self.moves_beyond(0, self.steps.len())
    }

    /// True if the moves that stand at the cursor still stand after the last step.
    pub fn leads_to_end(&self) -> bool {
        let mut later = self
            .undos
            .iter()
            .rev()
            .take_while(|(step, _)| *step >= self.at);
        later.all(|(_, kept)| *kept >= self.timeline.at())
    }

    /// After how many steps a round begins; `None` where it never does.
    pub fn start_of(&self, round: Round) -> Option<usize> {
        let begins = |(at, begun): &(usize, _)| (*begun == Some(round)).then_some(*at);
        self.rounds.iter().find_map(begins)
    }

    /// The next step after the cursor at which the round changes; the end where none does.
    pub fn next_round(&self) -> usize {
        let later = self.rounds.iter().find(|(begin, _)| *begin > self.at);
        later.map_or(self.steps.len(), |(begin, _)| *begin)
    }

    /// The beginning of the round at the cursor, or of the one before where this is the beginning.
    pub fn previous_round(&self) -> usize {
        let mut earlier = self.rounds.iter().rev();
        let begin = earlier.find(|(begin, _)| *begin < self.at);
        begin.map_or(0, |(begin, _)| *begin)
    }

    /// After how many steps the move of this number, of those that stand at the end, was made;
    /// `None` if so many do not stand.
    pub fn before_move(&self, number: usize) -> Option<usize> {
        let steps = self.standing_steps(number, self.steps.len());
        steps.first().copied()
    }

    /// Goes to where so many steps have been made; to the end where there are not as many. Says
    /// whether the log was cut on the way.
    ///
    /// # Errors
    /// If a move on the way is illegal: the cursor stays where it was.
    pub fn to(&mut self, count: usize) -> Result<bool, Illegal> {
        let count = count.min(self.steps.len());
        let between = self.at.min(count)..=self.at.max(count);
        let common = self.standing[between].iter().copied().min().unwrap_or(0);
        let moves = self.moves_beyond(common, count);
        let cut = common < self.timeline.at();
        self.timeline.undo(common)?;
        for made in moves {
            self.timeline.push(made)?;
        }
        self.at = count;
        Ok(cut)
    }

    /// The moves that stand after `count` steps, but for the first `common`.
    fn moves_beyond(&self, common: usize, count: usize) -> Vec<Move<Exact>> {
        let steps = self.standing_steps(common, count).into_iter();
        let moves = steps.filter_map(|at| match &self.steps[at].kind {
            StepKind::Move(made) => Some(made.clone()),
            StepKind::Undo { .. } => None,
        });
        moves.collect()
    }

    /// The steps that made these moves.
    fn standing_steps(&self, common: usize, count: usize) -> Vec<usize> {
        let mut wanted = self.standing[count];
        let mut made = Vec::with_capacity(wanted.saturating_sub(common));
        let mut steps = (0..count).rev();
        while wanted > common
            && let Some(at) = steps.next()
        {
            // The last step after which so many stand made the last of them.
            let is_move = matches!(self.steps[at].kind, StepKind::Move(_));
            if is_move && self.standing[at + 1] == wanted {
                made.push(at);
                wanted -= 1;
            }
        }
        made.reverse();
        made
    }
}
