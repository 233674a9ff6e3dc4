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

/// What the panels keep of the log as far as they have read it.
pub struct ReadOn {
    outline: Outline,
    rewards: Rewards,
}

/// A debate as the panels of a replay tell it, at one moment.
pub struct Told<'s, 'a> {
    sight: Sight<'s, 'a>,
    read: ReadOn,
    look: Look,
}

impl<'s, 'a> Told<'s, 'a> {
    /// A debate as `replay` shows it to the scene's reader. `newest` are the entries of the
    /// log that have just been made.
    #[must_use]
    pub fn new(
        scene: &'s Scene<'a>,
        state: &'s State<'a, Exact>,
        log: &'s Log<Exact>,
        newest: Range<usize>,
    ) -> Self {
        Self::after(None, scene, state, log, newest)
    }

    /// The same after [`Self::into_read`] of an earlier moment of the same debate: only what the
    /// log has more since then is read.
    #[must_use]
    pub fn after(
        before: Option<ReadOn>,
        scene: &'s Scene<'a>,
        state: &'s State<'a, Exact>,
        log: &'s Log<Exact>,
        newest: Range<usize>,
    ) -> Self {
        let sight = Sight {
            scene,
            state,
            log,
            reader: scene.watched_by(state),
            newest,
            marks: &[],
        };
        let mut read = before.unwrap_or_else(|| ReadOn {
            outline: Outline::new(&sight),
            rewards: Rewards::new(&sight, &state.schedule()),
        });
        read.outline.read(&sight);
        if !read.rewards.read(&sight) {
            read.rewards = Rewards::of(&sight, &state.schedule());
        }
        Self {
            sight,
            read,
            look: Look::default(),
        }
    }

    /// What was read of the log, for [`Self::after`].
    #[must_use]
    pub fn into_read(self) -> ReadOn {
        self.read
    }

    /// The recursion: claims met so far, depth first, and how many are left out where there are
    /// more than `most`. Those on the way and those that have just changed are kept.
    #[must_use]
    pub fn tree(&self, most: usize) -> (Vec<Met>, usize) {
        let outline = &self.read.outline;
        let count = outline.len();
        let shown = shown(count, &outline.mattering(), most).into_iter();
        let rows: Vec<Met> = shown
            .filter_map(|number| {
                let claim = outline.claim(number)?;
                let row = outline.row(&self.sight, number, COLUMNS.into(), &self.look);
                Some(Met { claim, row })
            })
            .collect();
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
        self.read.rewards.rows(&self.sight.newest)
    }

    /// Whether several rounds pay, so that there is something to compare.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.read.rewards.compares()
    }

    /// The rewards in words: what a single one is for, then why the last one was what it was.
    #[must_use]
    pub fn because(&self) -> Vec<Entry> {
        let mut entries = if self.read.rewards.compares() {
            Vec::new()
        } else {
            self.read.rewards.only()
        };
        entries.extend(self.read.rewards.explained(&self.sight, &self.look));
        entries
    }

    /// How high a reward stands in the chart, from −1 to 1.
    #[must_use]
    pub fn height(&self, value: f64) -> f64 {
        let scale = self.read.rewards.scale();
        scale.map_or(0.0, |(least, largest)| chart::height(value, least, largest))
    }

    /// The round, what is at stake in it, so far, and the round that dominates.
    #[must_use]
    pub fn strip(&self) -> Vec<String> {
        bars::strip_words(&self.sight, &self.read.rewards, &self.look, COLUMNS)
    }

    /// Who must speak next and what they do: "Bob estimates …"; `None` where it is over,
    /// or goes on unseen.
    #[must_use]
    pub fn next(&self) -> Option<String> {
        let turn = self.sight.state.request()?;
        if !self.sight.reader.follows() {
            return None;
        }
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

/// Which of `count` rows are shown where `most` can be: those that matter, and of the others as
/// many of the first ones as there is room for.
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
