//! A debate that was played, as the replay walks through it.

use std::ops::Range;

use crate::number::Exact;
use crate::player::Move;
use crate::protocol::{Log, Round, Rules, State};
use crate::record::{Deed, RecordError, Save};
use crate::scenario::Instance;

/// What was done at a step.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A reply was given or a coin fell.
    Move(Move<Exact>),
    /// Replies were taken back until so many moves were left.
    Undo {
        /// How many moves were left.
        kept: usize,
    },
}

/// One step of a tape.
#[derive(Clone, Debug, PartialEq)]
pub struct TapeStep {
    /// What was done.
    pub what: What,
    /// How long it took whoever did it, where that is known.
    pub milliseconds: Option<u64>,
}

/// A debate that was played: where it began, and every step in order.
#[derive(Clone, Debug)]
pub struct Tape<'a> {
    /// Before anybody had spoken.
    pub start: State<'a, Exact>,
    /// Every step, those that were taken back among them.
    pub steps: Vec<TapeStep>,
}

impl<'a> Tape<'a> {
    /// A tape of moves that were all kept, without times.
    #[must_use]
    pub fn of_moves(start: State<'a, Exact>, moves: &[Move<Exact>]) -> Self {
        let steps = moves.iter().map(|made| TapeStep {
            what: What::Move(made.clone()),
            milliseconds: None,
        });
        Self {
            start,
            steps: steps.collect(),
        }
    }
}

impl<'a> Tape<'a> {
    /// The tape of a save about its instance, with what was taken back and how long people took.
    /// What was refused is no step.
    ///
    /// # Errors
    /// Where the save does not follow from the rules and the seed.
    pub fn of_save(save: &Save, instance: &'a Instance) -> Result<Self, RecordError> {
        let start = save.header.protocol.start(instance)?;
        let history = save.history(instance)?.into_iter();
        let steps = history.filter_map(|(line, deed)| {
            let what = match deed {
                Deed::Comment => return None,
                Deed::Undo { kept } => What::Undo { kept },
                Deed::Move(made) => What::Move(made),
            };
            let milliseconds = line.aside.ms;
            Some(TapeStep { what, milliseconds })
        });
        Ok(Self {
            start,
            steps: steps.collect(),
        })
    }
}

impl Tape<'_> {
    /// After how many steps a round begins; `None` where it never does.
    #[must_use]
    pub fn start_of(&self, round: u32) -> Option<usize> {
        let mut position = Position::at_start(self.clone());
        while position.state().round() != Some(Round::Number(round)) {
            if !position.step() {
                return None;
            }
        }
        Some(position.at())
    }
}

/// A position on a tape: the debate after so many steps.
#[derive(Clone, Debug)]
pub(in crate::tui::screen) struct Position<'a> {
    tape: Tape<'a>,
    at: usize,
    state: State<'a, Exact>,
    log: Log<Exact>,
    /// Of the moves that stand, which step made each.
    standing: Vec<usize>,
    newest: Range<usize>,
    /// Why the next step cannot be made.
    broken: Option<String>,
}

impl<'a> Position<'a> {
    pub(in crate::tui::screen) fn at_start(tape: Tape<'a>) -> Self {
        Self {
            state: tape.start.clone(),
            log: Log::default(),
            at: 0,
            standing: Vec::new(),
            newest: 0..0,
            broken: None,
            tape,
        }
    }

    pub(in crate::tui::screen) fn at(&self) -> usize {
        self.at
    }

    pub(in crate::tui::screen) fn len(&self) -> usize {
        self.tape.steps.len()
    }

    pub(in crate::tui::screen) fn state(&self) -> &State<'a, Exact> {
        &self.state
    }

    pub(in crate::tui::screen) fn log(&self) -> &Log<Exact> {
        &self.log
    }

    /// The moves that stand.
    pub(in crate::tui::screen) fn moves(&self) -> Vec<Move<Exact>> {
        let made = self.standing.iter().filter_map(|number| {
            let step = self.tape.steps.get(*number)?;
            match &step.what {
                What::Move(made) => Some(made.clone()),
                What::Undo { .. } => None,
            }
        });
        made.collect()
    }

    /// Whether the moves that stand are the first of those that stand at the end of the tape.
    pub(in crate::tui::screen) fn leads_to(&self, end: &Self) -> bool {
        end.standing.starts_with(&self.standing)
    }

    /// The same tape at its end.
    pub(in crate::tui::screen) fn end(&self) -> Self {
        let mut end = self.clone();
        end.go(usize::MAX);
        end
    }

    pub(in crate::tui::screen) fn newest(&self) -> Range<usize> {
        self.newest.clone()
    }

    pub(in crate::tui::screen) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// The step that led here.
    pub(in crate::tui::screen) fn last(&self) -> Option<&TapeStep> {
        self.tape.steps.get(self.at.checked_sub(1)?)
    }

    /// Goes to where so many steps have been made. Forward costs the steps in between; backward
    /// is played again from the start, which is as fast as it was exact.
    pub(in crate::tui::screen) fn go(&mut self, to: usize) {
        let to = to.min(self.tape.steps.len());
        if to < self.at {
            self.rewind();
        }
        while self.at < to && self.step() {}
    }

    /// Goes on, or back, to where the round changes.
    pub(in crate::tui::screen) fn go_round(&mut self, on: bool) {
        let round = self.state.round();
        if on {
            while self.at < self.tape.steps.len() && self.step() {
                if self.state.round() != round {
                    return;
                }
            }
            return;
        }
        // To the beginning of this round, or of the one before where this is the beginning.
        let target = self.at;
        self.rewind();
        let mut begins = 0;
        let mut before: Option<Round> = self.state.round();
        while self.at + 1 < target && self.step() {
            if self.state.round() != before {
                begins = self.at;
                before = self.state.round();
            }
        }
        self.go(begins);
    }

    fn rewind(&mut self) {
        self.state = self.tape.start.clone();
        self.log = Log::default();
        self.at = 0;
        self.standing.clear();
        self.newest = 0..0;
        self.broken = None;
    }

    fn step(&mut self) -> bool {
        let Some(step) = self.tape.steps.get(self.at) else {
            return false;
        };
        match &step.what {
            What::Move(made) => {
                let before = self.log.entries().len();
                if let Err(illegal) = self.state.reply(made.reply.clone(), &mut self.log) {
                    self.broken = Some(illegal.to_string());
                    return false;
                }
                self.standing.push(self.at);
                self.newest = before..self.log.entries().len();
            }
            What::Undo { kept } => {
                self.standing.truncate(*kept);
                self.state = self.tape.start.clone();
                self.log = Log::default();
                for number in &self.standing {
                    if let Some(What::Move(made)) =
                        self.tape.steps.get(*number).map(|step| &step.what)
                    {
                        // It was legal before, from the same start and in the same order.
                        let _ = self.state.reply(made.reply.clone(), &mut self.log);
                    }
                }
                let end = self.log.entries().len();
                self.newest = end..end;
            }
        }
        self.at += 1;
        true
    }
}
