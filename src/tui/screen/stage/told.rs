//! What the panels of a debate say, for those who show it elsewhere than on a screen.

use std::ops::Range;

use super::bars;
use super::outline::Outline;
use super::rewards::{Paid, Rewards};
use super::transcript::Transcript;
use super::{Sight, Stage};
use crate::number::Exact;
use crate::protocol::{Ledger, Log, Rules, Seat, State};
use crate::scenario::ClaimId;
use crate::tui::panel::{chart, scroll::Entry, tree::Row};
use crate::tui::scene::Scene;
use crate::tui::screen::debate::pace;
use crate::tui::screen::end;
use crate::tui::theme::Look;

/// Columns for lines that need not fit any screen.
const COLUMNS: u16 = 1000;

/// A claim that was met on the way, with its row of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Met {
    /// The claim.
    pub claim: ClaimId,
    /// Its row.
    pub row: Row,
}

/// A debate as the panels of a replay tell it, at one moment.
pub struct Told<'s, 'a> {
    sight: Sight<'s, 'a>,
    rewards: Rewards,
    look: Look,
}

impl<'s, 'a> Told<'s, 'a> {
    /// A debate with all of its log open, as `replay` shows it. `newest` are the entries of the
    /// log that have just been made.
    #[must_use]
    pub fn new(
        scene: &'s Scene<'a>,
        state: &'s State<'a, Exact>,
        log: &'s Log<Exact>,
        newest: Range<usize>,
    ) -> Self {
        let sight = Sight {
            scene,
            state,
            log,
            viewer: None,
            newest,
            marks: &[],
        };
        Self {
            rewards: Rewards::of(&sight, &state.schedule()),
            sight,
            look: Look::default(),
        }
    }

    /// The recursion: claims met so far, depth first, and how many are left out where there are
    /// more than `most`. Those on the way and those that have just changed are kept.
    #[must_use]
    pub fn tree(&self, most: usize) -> (Vec<Met>, usize) {
        let mut outline = Outline::new(&self.sight);
        outline.read(&self.sight);
        let count = outline.len();
        let matter = (0..count).filter(|number| outline.matters(*number)).count();
        let mut free = most.saturating_sub(matter);
        let mut rows = Vec::with_capacity(count.min(most));
        for number in 0..count {
            if !outline.matters(number) {
                if free == 0 {
                    continue;
                }
                free -= 1;
            }
            if rows.len() == most {
                break;
            }
            if let Some(claim) = outline.claim(number) {
                let row = outline.row(&self.sight, number, COLUMNS.into(), &self.look);
                rows.push(Met { claim, row });
            }
        }
        let hidden = count - rows.len();
        (rows, hidden)
    }

    /// An entry of the log as the transcript tells it; a silent one where there is nothing to
    /// tell.
    #[must_use]
    pub fn entry(&self, number: usize) -> Entry {
        use crate::tui::panel::scroll::Entries as _;
        let (sight, look) = (&self.sight, &self.look);
        Transcript { sight, look }.entry(number)
    }

    /// The table of rewards.
    #[must_use]
    pub fn rewards(&self) -> Vec<Paid> {
        self.rewards.rows(&self.sight.newest)
    }

    /// Whether several rounds pay, so that there is something to compare.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.rewards.compares()
    }

    /// The rewards in words: what a single one is for, then why the last one was what it was.
    #[must_use]
    pub fn because(&self) -> Vec<Entry> {
        let mut entries = if self.rewards.compares() {
            Vec::new()
        } else {
            self.rewards.only()
        };
        entries.extend(self.rewards.explained(&self.sight, &self.look));
        entries
    }

    /// How high a reward stands in the chart, from −1 to 1.
    #[must_use]
    pub fn height(&self, value: f64) -> f64 {
        let scale = self.rewards.scale();
        scale.map_or(0.0, |(least, largest)| chart::height(value, least, largest))
    }

    /// The round, what is at stake in it, so far, and the round that dominates.
    #[must_use]
    pub fn strip(&self) -> Vec<String> {
        bars::strip_words(&self.sight, &self.rewards, &self.look, COLUMNS)
    }

    /// Who must speak next and what they do: "Bob estimates …"; `None` where it is over.
    #[must_use]
    pub fn next(&self) -> Option<String> {
        let turn = self.sight.state.request()?;
        let name = match turn.seat {
            Seat::Chance => "a coin",
            Seat::Judge => "the judge",
            seat => seat.person(),
        };
        Some(format!(
            "{name} {}",
            pace::doing(&self.sight, &turn.request)
        ))
    }

    /// The report of a debate that is over.
    #[must_use]
    pub fn report(&self, ledger: &Ledger) -> Vec<Entry> {
        let stage = Stage::new(&self.sight);
        end::report(&self.sight, &stage, ledger, &self.look)
    }
}
