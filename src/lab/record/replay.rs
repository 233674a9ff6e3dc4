//! A saved debate, to be stepped through in both directions.

use super::error::{Difference, RecordError};
use super::line::Line;
use super::save::Save;
use super::walk::{Deed, Walk};
use debate_core::number::Exact;
use debate_core::player::{Move, Player, Seating};
use debate_core::protocol::{Entry, Log, Round, Rules as _, Sink as _, State};
use debate_core::scenario::Instance;

/// A save with the states and events that follow from it.
///
/// A position is a number of moves, from 0 (nobody has spoken) to [`Replay::len`]. Moves that
/// were taken back have no position; [`Replay::lines`] still tells them.
#[derive(Clone, Debug)]
pub struct Replay<'a, 's> {
    save: &'s Save,
    walk: Walk<'a>,
    log: Log<Exact>,
    /// How many events there were at each position.
    marks: Vec<usize>,
}

impl<'a, 's> Replay<'a, 's> {
    /// Follows a save about an instance, which [`super::Header::instance`] makes.
    ///
    /// # Errors
    /// Where the save does not follow from the rules and the seed.
    pub fn new(save: &'s Save, instance: &'a Instance) -> Result<Self, RecordError> {
        let walk = follow(save, instance)?;
        let mut state = save.header.protocol.start(instance)?;
        let mut log = Log::default();
        let mut marks = vec![0];
        for made in walk.moves() {
            // It was legal here before.
            let _ = state.reply(made.reply.clone(), &mut log);
            marks.push(log.entries().len());
        }
        Ok(Self {
            save,
            walk,
            log,
            marks,
        })
    }

    /// How many moves there are to step through.
    #[must_use]
    pub fn len(&self) -> usize {
        self.walk.moves().len()
    }

    /// Whether nobody has spoken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The save.
    #[must_use]
    pub fn save(&self) -> &'s Save {
        self.save
    }

    /// The moves that stand, in order.
    #[must_use]
    pub fn moves(&self) -> &[Move<Exact>] {
        self.walk.moves()
    }

    /// The saved line of each move that stands, in order: it has the time and the remark.
    #[must_use]
    pub fn saved(&self) -> impl ExactSizeIterator<Item = &'s Line> {
        self.save.moves()
    }

    /// Everything that happened, each with the position after it, if it has one: not where it
    /// was taken back, nor where it is no move.
    pub fn lines(&self) -> impl Iterator<Item = (&'s Line, Option<usize>)> {
        let mut standing = self.save.moves().enumerate().peekable();
        self.save.lines().iter().map(move |line| {
            let here = standing.next_if(|(_, next)| next.n == line.n);
            (line, here.map(|(place, _)| place + 1))
        })
    }

    /// The debate at a position; the end for one beyond it.
    #[must_use]
    pub fn state_at(&self, position: usize) -> State<'a, Exact> {
        self.walk.state_after(position)
    }

    /// The events up to a position.
    #[must_use]
    pub fn entries_at(&self, position: usize) -> &[Entry<Exact>] {
        let position = position.min(self.len());
        let count = self.marks.get(position).copied().unwrap_or(0);
        self.log.entries().get(..count).unwrap_or_default()
    }

    /// The log as it stood at a position: what was sealed then is sealed in it.
    #[must_use]
    pub fn log_at(&self, position: usize) -> Log<Exact> {
        let mut log = Log::default();
        for entry in self.entries_at(position) {
            log.note(entry.seat, entry.seal, entry.event.clone());
        }
        log
    }

    /// The log of the whole debate.
    #[must_use]
    pub fn log(&self) -> &Log<Exact> {
        &self.log
    }

    /// The first position at which a round is being played; `None` where none is.
    #[must_use]
    pub fn start_of(&self, round: Round) -> Option<usize> {
        let mut state = self.walk.state_after(0);
        if state.round() == Some(round) {
            return Some(0);
        }
        for (place, made) in self.moves().iter().enumerate() {
            let _ = state.reply(made.reply.clone(), &mut ());
            if state.round() == Some(round) {
                return Some(place + 1);
            }
        }
        None
    }
}

impl Save {
    /// Every line with what it did, what was taken back among them. `instance` is the one that
    /// [`super::Header::instance`] makes.
    ///
    /// # Errors
    /// Where the save does not follow from the rules and the seed.
    pub fn history(&self, instance: &Instance) -> Result<Vec<(&Line, Deed)>, RecordError> {
        let mut walk = Walk::new(self.header.protocol.start(instance)?, self);
        let followed = self.lines().iter().map(|line| Ok((line, walk.step(line)?)));
        followed.collect()
    }

    /// Seats players (prover, opponent, judge) at the debate where the save leaves it. `instance`
    /// is the one that [`super::Header::instance`] makes.
    ///
    /// # Errors
    /// Where the save does not follow from the rules and the seed.
    pub fn seat<'a>(
        &self,
        instance: &'a Instance,
        players: [Player<'a, Exact>; 3],
    ) -> Result<Seating<'a, Exact>, RecordError> {
        let walk = follow(self, instance)?;
        let header = &self.header;
        let start = header.protocol.start(instance)?;
        let mut seating = Seating::new(start, players, &header.seed, header.debate);
        for (made, line) in walk.moves().iter().zip(self.moves()) {
            seating.follow(made.clone()).map_err(|illegal| Difference {
                line: line.line,
                expected: "a legal reply".to_owned(),
                found: illegal.to_string(),
            })?;
        }
        Ok(seating)
    }
}

fn follow<'a>(save: &Save, instance: &'a Instance) -> Result<Walk<'a>, RecordError> {
    let mut walk = Walk::new(save.header.protocol.start(instance)?, save);
    for line in save.lines() {
        walk.step(line)?;
    }
    Ok(walk)
}
