//! The content of a save that has been read.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::sidecar::SidecarFolder;
use super::{
    AnsweringModel, ChainHash, ReplyCostsBySeat, SaveDifference, SaveEventLine, SaveFileError,
    SaveHeader, SavedEventKind,
};
use debate_core::protocol::Seat;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};

/// The end of a debate, as its save states it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "end")]
pub enum SavedDebateEnd {
    /// Decided by the rules.
    Finished {
        /// The prover's payoff, in canonical form.
        payoff: String,
        /// The rewards by round, in the order of the schedule, in canonical form.
        by_round: Vec<String>,
    },
    /// The debate ended by the fault of a player, which the last event describes.
    Forfeit {
        seat: Seat,
        /// The fault's name in the event: `timeout`, `crash` and so on.
        fault: String,
    },
}

/// The end and the costs in the closing line of a finished save.
pub(super) struct ClosingLine {
    pub(super) end: SavedDebateEnd,
    /// The costs of the replies of each seat, as text.
    pub(super) costs: Option<String>,
}

/// The fault that ended a debate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forfeit {
    pub seat: &'static str,
    /// `illegal`, `timeout`, `stall`, `crash`, `bad_json`, `bug` or `model_refusal`.
    pub fault: String,
}

impl fmt::Display for Forfeit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "forfeited by the {seat} ({fault})",
            seat = self.seat,
            fault = self.fault
        )
    }
}

/// A last line of a save without its newline. The line was written incompletely, and is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IncompleteLine {
    /// Line number in the file, from 1.
    pub line: usize,
    /// Length of the incomplete line, in bytes.
    pub bytes: usize,
}

/// A save whose hash chain is intact, unless [`Self::read_leniently`] returned it. `verify` checks separately that the
/// rules and the seed lead to these lines.
#[derive(Clone, Debug)]
pub struct Save {
    pub header: SaveHeader,
    pub(super) lines: Vec<SaveEventLine>,
    /// For each move that was not undone, its index in `lines`.
    pub(super) current_moves: Vec<usize>,
    /// The line number of the closing line, from 1, and the end of the debate.
    pub(super) end: Option<(usize, SavedDebateEnd)>,
    /// The costs of the seats that the closing line states, as text.
    pub(super) stated_costs: Option<String>,
    /// The last line of the save, if it was incomplete and was dropped.
    pub torn: Option<IncompleteLine>,
    /// The number of bytes of the save without an incomplete last line.
    pub(super) length: u64,
    pub(super) link: ChainHash,
    /// The folder of the files stored beside the save.
    pub(super) sidecars: SidecarFolder,
    pub(super) first_difference: Option<SaveDifference>,
}

impl Save {
    /// Returns the first difference, if the save was read for display and does not verify.
    pub fn first_difference(&self) -> Option<&SaveDifference> {
        self.first_difference.as_ref()
    }

    /// Returns a warning if the save was read for display and does not verify; `None` otherwise.
    pub fn verification_warning(&self) -> Option<String> {
        self.first_difference().map(|difference| {
            format!(
                "NOT VERIFIED: {difference}. The save is shown as written, as far as it \
                 can be followed."
            )
        })
    }

    /// Returns the title to display, with a warning if the save does not verify.
    pub fn title_with_verification_warning(&self, title: &str) -> String {
        match self.first_difference() {
            None => title.to_owned(),
            Some(_) => format!("NOT VERIFIED: {title}"),
        }
    }

    /// Returns all events of the save, including undone ones.
    pub fn events_with_undone(&self) -> &[SaveEventLine] {
        &self.lines
    }

    /// Returns the debate's moves that were not undone, in order.
    pub fn moves_not_undone(&self) -> impl ExactSizeIterator<Item = &SaveEventLine> {
        self.current_moves.iter().map(|place| &self.lines[*place])
    }

    /// True if the move with this event number was not undone.
    pub fn is_move_not_undone(&self, event_number: u64) -> bool {
        self.place_of(event_number).is_ok()
    }

    /// Returns the end of the debate as the closing line states it; `None` if the save has no closing line.
    pub fn stated_debate_end(&self) -> Option<&SavedDebateEnd> {
        self.end.as_ref().map(|(_, end)| end)
    }

    /// Returns the fault that ended the debate, if any.
    pub fn forfeit(&self) -> Option<Forfeit> {
        match self.stated_debate_end()? {
            SavedDebateEnd::Forfeit { seat, fault } => Some(Forfeit {
                seat: seat.name_in_flags_and_json(),
                fault: fault.clone(),
            }),
            SavedDebateEnd::Finished { .. } => None,
        }
    }

    /// Returns the costs of the replies of each seat, including refused and undone replies.
    pub fn reply_costs_by_seat(&self) -> ReplyCostsBySeat {
        let mut costs = ReplyCostsBySeat::default();
        for line in &self.lines {
            costs.add(line.kind.seat_unless_undo(), line.meta.cost.as_ref());
        }
        costs
    }

    /// Returns the language models that answered in the seats for which `is_visible` is true, each once, by seat.
    pub fn models_of_visible_seats(
        &self,
        is_visible: impl Fn(Seat) -> bool,
    ) -> Vec<AnsweringModel> {
        let mut models: Vec<AnsweringModel> = Vec::new();
        for seat in Seat::PLAYERS.into_iter().filter(|seat| is_visible(*seat)) {
            let lines = self.lines.iter();
            let of_seat = lines.filter(|line| line.kind.seat_unless_undo() == Some(seat));
            for cost in of_seat.filter_map(|line| line.meta.cost.as_ref()) {
                let used = AnsweringModel::model_named_in_cost(seat, cost)
                    .filter(|it| !models.contains(it));
                models.extend(used);
            }
        }
        models
    }

    /// Reads the scenario from the save and the files stored beside it, and from no other file.
    ///
    /// # Errors
    /// If an input file is missing or has changed, or the scenario is not valid within the limits.
    pub fn read_saved_scenario(
        &self,
        limits: &ScenarioLimits,
    ) -> Result<LoadedScenario, SaveFileError> {
        self.header.read_saved_scenario(limits, &self.sidecars)
    }

    /// Sets the folder in which sidecars (files beside the save) are found to the folder of `path`.
    pub(super) fn with_sidecar_folder_of(mut self, path: &Path) -> Self {
        self.sidecars = SidecarFolder::folder_of_save(path);
        self
    }

    /// Returns the event number and the seat of each move that was not undone.
    pub(super) fn numbers_and_seats_of_moves(&self) -> Vec<(u64, Seat)> {
        let moved = |line: &SaveEventLine| Some((line.n, line.kind.seat_unless_undo()?));
        self.moves_not_undone().filter_map(moved).collect()
    }

    fn place_of(&self, n: u64) -> Result<usize, usize> {
        self.current_moves
            .binary_search_by_key(&n, |place| self.lines[*place].n)
    }

    /// Appends the next event to the save, if its number and its undo are valid.
    pub(super) fn push_with_valid_number_and_undo(
        &mut self,
        line: SaveEventLine,
    ) -> Result<(), SaveDifference> {
        let expected_n = self.lines.len() as u64 + 1;
        if line.n != expected_n {
            let expected = format!("n: {expected_n}");
            let found = format!("n: {}", line.n);
            return Err(SaveDifference::new(line.line, expected, found));
        }
        let place = self.lines.len();
        if let SavedEventKind::Undo { from } = line.kind {
            let found = format!("undo: {from}");
            let wrong = |expected: &str| SaveDifference::new(line.line, expected, &found);
            let Ok(kept) = self.place_of(from) else {
                return Err(wrong("the number of a move that was not undone"));
            };
            let taken = self.current_moves.iter().skip(kept);
            if taken
                .clone()
                .any(|place| self.lines[*place].kind.seat_unless_undo() == Some(Seat::Chance))
            {
                return Err(wrong(
                    "an undo of replies only, because coins cannot be undone",
                ));
            }
            self.current_moves.truncate(kept);
        } else if line.kind.is_move() {
            self.current_moves.push(place);
        }
        self.lines.push(line);
        Ok(())
    }
}
