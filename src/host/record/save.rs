//! A save as it was read.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::sidecar::SidecarFolder;
use super::{ChainHash, Difference, Header, LineKind, RecordError, SaveLine, SeatCosts};
use debate_core::protocol::Seat;
use debate_solver::setup::{Limits, Setup};

/// The end of a debate, as the save says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "end")]
pub enum SaveEnd {
    /// By its rules.
    Finished {
        /// The prover's payoff, in canonical form.
        payoff: String,
        /// The rewards by round, in the order of the schedule, in canonical form.
        by_round: Vec<String>,
    },
    /// By the fault of a player, which the last event tells.
    Forfeit {
        seat: Seat,
        /// As the event names it: `timeout`, `crash` and so on.
        fault: String,
    },
}

/// What the closing line says.
pub(super) struct ClosingLine {
    pub(super) end: SaveEnd,
    /// The costs of the seats, as they are written.
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
        write!(out, "forfeited by the {} ({})", self.seat, self.fault)
    }
}

/// A last line that never got its newline. It was never acknowledged, and is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TornLine {
    /// The line in the file, from 1.
    pub line: usize,
    /// Its length in bytes.
    pub bytes: usize,
}

/// A save whose lines all follow from one another. Whether they follow from the rules and the
/// seed is for `verify` to say.
#[derive(Clone, Debug)]
pub struct Save {
    pub header: Header,
    pub(super) lines: Vec<SaveLine>,
    /// The places in `lines` of the moves that were not taken back.
    pub(super) standing: Vec<usize>,
    /// The line, from 1, that says how it ended, and how.
    pub(super) end: Option<(usize, SaveEnd)>,
    /// What the closing line says of costs, as it is written.
    pub(super) stated_costs: Option<String>,
    /// The last line, where it was torn off and dropped.
    pub torn: Option<TornLine>,
    /// The number of sound bytes: all but a torn last line.
    pub(super) length: u64,
    pub(super) link: ChainHash,
    /// The folder of the files beside it.
    pub(super) sidecars: SidecarFolder,
    pub(super) first_difference: Option<Difference>,
}

impl Save {
    /// Why it does not verify, where it was read to be shown and does not.
    pub fn first_difference(&self) -> Option<&Difference> {
        self.first_difference.as_ref()
    }

    /// A warning above a save that does not verify.
    pub fn warning(&self) -> Option<String> {
        self.first_difference().map(|difference| {
            format!(
                "NOT VERIFIED: {difference}. What is shown is what the save says, as far as it \
                 can be followed."
            )
        })
    }

    /// A title above what is shown of it, which says so where it does not verify.
    pub fn title_with_warning(&self, title: &str) -> String {
        match self.first_difference() {
            None => title.to_owned(),
            Some(_) => format!("NOT VERIFIED: {title}"),
        }
    }

    /// Everything that happened, also what was taken back.
    pub fn lines(&self) -> &[SaveLine] {
        &self.lines
    }

    /// The moves that were not taken back, in order.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = &SaveLine> {
        self.standing.iter().map(|place| &self.lines[*place])
    }

    /// True if the move with this number was not taken back.
    pub fn stands(&self, n: u64) -> bool {
        self.place_of(n).is_ok()
    }

    /// The end; `None` where the debate has none.
    pub fn end(&self) -> Option<&SaveEnd> {
        self.end.as_ref().map(|(_, end)| end)
    }

    /// The fault that ended it, where one did.
    pub fn forfeit(&self) -> Option<Forfeit> {
        match self.end()? {
            SaveEnd::Forfeit { seat, fault } => Some(Forfeit {
                seat: seat.name(),
                fault: fault.clone(),
            }),
            SaveEnd::Finished { .. } => None,
        }
    }

    /// What the replies of each seat cost, those among them that were refused or taken back.
    pub fn costs(&self) -> SeatCosts {
        let mut costs = SeatCosts::default();
        for line in &self.lines {
            costs.add(line.kind.seat(), line.meta.cost.as_ref());
        }
        costs
    }

    /// Reads the scenario that the save carries, from what it carries alone and what is kept
    /// beside it.
    ///
    /// # Errors
    /// If an input file is not there or not what it was, or the scenario is no sound one
    /// within the limits.
    pub fn setup(&self, limits: &Limits) -> Result<Setup, RecordError> {
        self.header.setup(limits, &self.sidecars)
    }

    /// Reads sidecars from beside the save at a path.
    pub(super) fn with_sidecars_of(mut self, path: &Path) -> Self {
        self.sidecars = SidecarFolder::save(path);
        self
    }

    /// The number and the seat of each standing move.
    pub(super) fn standing(&self) -> Vec<(u64, Seat)> {
        let moved = |line: &SaveLine| Some((line.n, line.kind.seat()?));
        self.moves().filter_map(moved).collect()
    }

    fn place_of(&self, n: u64) -> Result<usize, usize> {
        self.standing
            .binary_search_by_key(&n, |place| self.lines[*place].n)
    }

    /// Takes the next event, if it can come next.
    pub(super) fn push(&mut self, line: SaveLine) -> Result<(), Difference> {
        let expected_n = self.lines.len() as u64 + 1;
        if line.n != expected_n {
            let expected = format!("n: {expected_n}");
            let found = format!("n: {}", line.n);
            return Err(Difference::new(line.line, expected, found));
        }
        let place = self.lines.len();
        if let LineKind::Undo { from } = line.kind {
            let found = format!("undo: {from}");
            let wrong = |expected: &str| Difference::new(line.line, expected, &found);
            let Ok(kept) = self.place_of(from) else {
                return Err(wrong("the number of a move that stands"));
            };
            let taken = self.standing.iter().skip(kept);
            if taken
                .clone()
                .any(|place| self.lines[*place].kind.seat() == Some(Seat::Chance))
            {
                return Err(wrong("an undo that takes back no coin"));
            }
            self.standing.truncate(kept);
        } else if line.kind.is_move() {
            self.standing.push(place);
        }
        self.lines.push(line);
        Ok(())
    }
}
