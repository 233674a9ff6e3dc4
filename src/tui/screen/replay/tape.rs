//! A debate that was played, as the replay walks through it.

mod position;

pub(in crate::tui::screen) use position::Position;

use debate_core::number::Exact;
use debate_core::player::Move;
use debate_core::protocol::{Round, Rules, State};
use debate_core::scenario::Instance;
use debate_lab::record::{Deed, RecordError, Save};

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

impl Tape<'_> {
    /// Which steps made the moves that stand at the end.
    pub(super) fn standing(&self) -> Vec<usize> {
        let mut standing = Vec::with_capacity(self.steps.len());
        for (number, step) in self.steps.iter().enumerate() {
            match &step.what {
                What::Move(_) => standing.push(number),
                What::Undo { kept } => standing.truncate(*kept),
            }
        }
        standing
    }

    /// The moves that these steps made.
    pub(super) fn moves(&self, standing: &[usize]) -> Vec<Move<Exact>> {
        let made = standing.iter().filter_map(|number| {
            let step = self.steps.get(*number)?;
            match &step.what {
                What::Move(made) => Some(made.clone()),
                What::Undo { .. } => None,
            }
        });
        made.collect()
    }
}
