//! What has been played of a match, what is being played, and what is left.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::matches::DebateResult;
use crate::record::CostSum;

/// How often a debate is begun or taken up again in one run of a match before it counts as void.
const ATTEMPTS: u32 = 3;

/// A debate that is to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PendingDebate {
    pub(super) place: usize,
    /// The save in which it was begun.
    pub(super) save: Option<PathBuf>,
    attempts: u32,
}

/// The state of a match, shared by those who play its debates.
pub(super) struct Board {
    state: Mutex<BoardState>,
    changed: Condvar,
}

struct BoardState {
    results: Vec<Option<DebateResult>>,
    /// The saves of debates that have no end yet.
    begun: Vec<Option<PathBuf>>,
    waiting: VecDeque<PendingDebate>,
    /// How many are being played.
    playing: usize,
    spent: CostSum,
    voids: Vec<String>,
}

impl Board {
    pub(super) fn new(debates: usize) -> Self {
        Self {
            state: Mutex::new(BoardState {
                results: vec![None; debates],
                begun: vec![None; debates],
                waiting: VecDeque::new(),
                playing: 0,
                spent: CostSum::default(),
                voids: Vec::new(),
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BoardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the result of a debate that was over when the match began; of two saves the first counts.
    pub(super) fn put(&self, place: usize, result: DebateResult) {
        let mut state = self.lock();
        let cost = result.costs.total();
        if let Some(slot) = state.results.get_mut(place)
            && slot.is_none()
        {
            *slot = Some(result);
            state.spent += cost;
        }
    }

    /// Notes the save of a debate that was begun and has no end.
    pub(super) fn begun(&self, place: usize, save: &Path, cost: &CostSum) {
        let mut state = self.lock();
        if let Some(slot) = state.begun.get_mut(place)
            && slot.is_none()
        {
            *slot = Some(save.to_owned());
            state.spent += *cost;
        }
    }

    /// All that has no result waits to be played.
    pub(super) fn queue(&self) {
        let mut state = self.lock();
        let places = state.results.iter().enumerate();
        let open: Vec<usize> = places
            .filter(|(_, result)| result.is_none())
            .map(|(place, _)| place)
            .collect();
        state.waiting = open
            .into_iter()
            .map(|place| PendingDebate {
                place,
                save: state.begun.get(place).cloned().flatten(),
                attempts: 0,
            })
            .collect();
    }

    /// The places of the debates that wait.
    pub(super) fn waiting(&self) -> Vec<usize> {
        self.lock().waiting.iter().map(|it| it.place).collect()
    }

    /// The next debate to be played; waits as long as one that is being played may come back. `None`
    /// where there is no more.
    pub(super) fn take(&self) -> Option<PendingDebate> {
        let mut state = self.lock();
        loop {
            if let Some(next) = state.waiting.pop_front() {
                state.playing += 1;
                return Some(next);
            }
            if state.playing == 0 {
                return None;
            }
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes in that one that was taken is not played any more.
    fn leave(&self, change: impl FnOnce(&mut BoardState)) {
        let mut state = self.lock();
        state.playing -= 1;
        change(&mut state);
        drop(state);
        self.changed.notify_all();
    }

    /// A debate is over.
    pub(super) fn finish(&self, place: usize, result: DebateResult) {
        self.leave(|state| {
            if let Some(slot) = state.results.get_mut(place) {
                *slot = Some(result);
            }
        });
    }

    /// Something outside of the players kept a debate from its end: it is tried again later.
    pub(super) fn void(&self, debate: &PendingDebate, save: Option<PathBuf>, why: String) {
        let attempts = debate.attempts + 1;
        self.leave(|state| {
            if attempts >= ATTEMPTS {
                state.voids.push(why);
            } else {
                state.waiting.push_back(PendingDebate {
                    place: debate.place,
                    save,
                    attempts,
                });
            }
        });
    }

    /// No more is played: what waits goes on waiting for another time.
    pub(super) fn stop(&self) {
        self.leave(|state| state.waiting.clear());
    }

    /// Adds what was spent since.
    pub(super) fn spend(&self, more: CostSum) {
        self.lock().spent += more;
    }

    pub(super) fn spent(&self) -> CostSum {
        self.lock().spent
    }

    pub(super) fn voids(&self) -> Vec<String> {
        self.lock().voids.clone()
    }

    /// The results by the places of their debates.
    pub(super) fn results(&self) -> Vec<Option<DebateResult>> {
        self.lock().results.clone()
    }
}
