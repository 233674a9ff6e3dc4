//! A position on a tape, and how it moves without playing everything again.

use std::ops::Range;
use std::rc::Rc;

use super::{Tape, TapeStep, What};
use crate::tui::scene::Scene;
use crate::tui::screen::panels::{DebatePanels, PanelView};
use debate_core::number::Exact;
use debate_core::player::Move;
use debate_core::protocol::{Log, Reader, Rules, State};
use debate_lab::narration::ReplyMark;

/// The most states that are kept on the way, evenly.
const MOST: usize = 32;
/// How many steps lie between two of them at first. Where there would be too many, every second
/// one is dropped and the distance doubles.
const FIRST: usize = 128;
/// How far before a place that was gone back to states are kept as well, since whoever goes back
/// by one step does so again.
const NEAR: [usize; 3] = [4096, 256, 16];

/// The debate after so many steps, kept so that going back need not begin at the start.
#[derive(Clone, Debug)]
struct Stop<'a> {
    at: usize,
    state: State<'a, Exact>,
}

/// A position on a tape: the debate after so many steps.
#[derive(Clone, Debug)]
pub(in crate::tui::screen) struct Position<'a> {
    tape: Rc<Tape<'a>>,
    /// The steps that took replies back.
    undos: Rc<[usize]>,
    at: usize,
    state: State<'a, Exact>,
    log: Log<Exact>,
    /// Of the moves that stand, which step made each.
    standing: Vec<usize>,
    /// How many entries the log had after each step.
    lengths: Vec<usize>,
    /// After which steps another round had begun.
    begins: Vec<usize>,
    stops: Vec<Stop<'a>>,
    /// Steps between two stops.
    stride: usize,
    near: Vec<Stop<'a>>,
    newest: Range<usize>,
    /// Whether the log has been taken back since somebody asked.
    taken_back: bool,
    /// Why the next step cannot be made.
    broken: Option<String>,
}

impl<'a> Position<'a> {
    pub(in crate::tui::screen) fn at_start(tape: Tape<'a>) -> Self {
        let undos = tape.steps.iter().enumerate();
        let undos = undos.filter(|(_, step)| matches!(step.what, What::Undo { .. }));
        Self {
            undos: undos.map(|(number, _)| number).collect(),
            state: tape.start.clone(),
            log: Log::default(),
            at: 0,
            standing: Vec::new(),
            lengths: Vec::new(),
            begins: Vec::new(),
            stops: Vec::new(),
            stride: FIRST,
            near: Vec::new(),
            newest: 0..0,
            taken_back: false,
            broken: None,
            tape: Rc::new(tape),
        }
    }

    pub(in crate::tui::screen) fn at(&self) -> usize {
        self.at
    }

    pub(in crate::tui::screen) fn len(&self) -> usize {
        self.tape.steps.len()
    }

    pub(in crate::tui::screen) fn tape(&self) -> &Tape<'a> {
        &self.tape
    }

    pub(in crate::tui::screen) fn state(&self) -> &State<'a, Exact> {
        &self.state
    }

    pub(in crate::tui::screen) fn log(&self) -> &Log<Exact> {
        &self.log
    }

    /// The moves that stand.
    pub(in crate::tui::screen) fn moves(&self) -> Vec<Move<Exact>> {
        self.tape.moves(&self.standing)
    }

    /// Whether the moves that stand are the first of these.
    pub(in crate::tui::screen) fn leads_to(&self, end: &[usize]) -> bool {
        self.undos.is_empty() || end.starts_with(&self.standing)
    }

    /// Has the panels read on, or anew where the log was taken back.
    pub(in crate::tui::screen) fn show(&mut self, stage: &mut DebatePanels, scene: &Scene<'a>) {
        let anew = std::mem::take(&mut self.taken_back);
        let sight = self.sight(scene, &[]);
        if anew {
            stage.reread(&sight);
        } else {
            stage.refresh(&sight);
        }
    }

    /// What the scene's reader sees.
    pub(in crate::tui::screen) fn sight<'s>(
        &'s self,
        scene: &'s Scene<'a>,
        marks: &'s [ReplyMark],
    ) -> PanelView<'s, 'a> {
        PanelView {
            marks,
            scene,
            state: &self.state,
            log: &self.log,
            reader: self.reader(scene),
            newest: self.newest.clone(),
        }
    }

    /// Who looks: the scene's reader, until the debate is over.
    pub(in crate::tui::screen) fn reader(&self, scene: &Scene<'_>) -> Reader {
        scene.facts.watched_by(&self.state)
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

    /// Goes to where so many steps have been made. It costs the steps in between, going forward;
    /// going back, those from the last state that was kept before.
    pub(in crate::tui::screen) fn go(&mut self, to: usize) {
        let to = to.min(self.tape.steps.len());
        if to < self.at && !self.go_back(to) {
            self.rewind();
        }
        while self.at < to && self.step() {}
    }

    /// Goes on, or back, to where the round changes.
    pub(in crate::tui::screen) fn go_round(&mut self, on: bool) {
        if on {
            let round = self.state.round();
            while self.at < self.tape.steps.len() && self.step() {
                if self.state.round() != round {
                    return;
                }
            }
            return;
        }
        // To the beginning of this round, or of the one before where this is the beginning.
        let before = self.begins.iter().rev().find(|begin| **begin < self.at);
        self.go(before.copied().unwrap_or(0));
    }

    fn rewind(&mut self) {
        self.state = self.tape.start.clone();
        self.log = Log::default();
        self.at = 0;
        self.standing.clear();
        self.lengths.clear();
        self.begins.clear();
        self.newest = 0..0;
        self.taken_back = true;
        self.broken = None;
    }

    /// Goes back by cutting the log and playing on from a state that was kept. False where replies
    /// were taken back in between: the log has not only grown then.
    fn go_back(&mut self, to: usize) -> bool {
        let stops = self.stops.iter().chain(&self.near);
        let stop = stops
            .filter(|stop| stop.at <= to)
            .max_by_key(|stop| stop.at);
        let (from, mut state) = match stop {
            Some(stop) => (stop.at, stop.state.clone()),
            None => (0, self.tape.start.clone()),
        };
        if self.undos.iter().any(|undo| (from..self.at).contains(undo)) {
            return false;
        }
        self.near.retain(|stop| stop.at <= from);
        let surplus = self.near.len().saturating_sub(NEAR.len());
        self.near.drain(..surplus);
        for number in from..to {
            if number > from && NEAR.contains(&(to - number)) {
                self.near.push(Stop {
                    at: number,
                    state: state.clone(),
                });
            }
            let Some(What::Move(made)) = self.tape.steps.get(number).map(|step| &step.what) else {
                return false;
            };
            // It was legal before, in the same state.
            if state.reply(made.reply.clone(), &mut ()).is_err() {
                return false;
            }
        }
        let length = |at: usize| {
            let last = at.checked_sub(1).and_then(|last| self.lengths.get(last));
            last.copied().unwrap_or(0)
        };
        let (start, end) = (length(to.saturating_sub(1)), length(to));
        // Where the last step took replies back nothing is new.
        self.newest = start.min(end)..end;
        self.log.truncate(end);
        self.lengths.truncate(to);
        let stood = self.standing.partition_point(|step| *step < to);
        self.standing.truncate(stood);
        let begun = self.begins.partition_point(|begin| *begin <= to);
        self.begins.truncate(begun);
        self.state = state;
        self.at = to;
        self.taken_back = true;
        self.broken = None;
        true
    }

    /// Keeps the state from time to time.
    fn keep(&mut self) {
        let due = self.stops.last().map_or(0, |stop| stop.at) + self.stride;
        if self.at < due {
            return;
        }
        if self.stops.len() >= MOST {
            let mut even = false;
            self.stops.retain(|_| {
                even = !even;
                !even
            });
            self.stride *= 2;
        }
        self.stops.push(Stop {
            at: self.at,
            state: self.state.clone(),
        });
    }

    /// Makes the next step; says whether there was one.
    pub(super) fn step(&mut self) -> bool {
        let tape = Rc::clone(&self.tape);
        let Some(step) = tape.steps.get(self.at) else {
            return false;
        };
        let round = self.state.round();
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
                self.state = tape.start.clone();
                self.log = Log::default();
                self.taken_back = true;
                for number in &self.standing {
                    if let Some(What::Move(made)) = tape.steps.get(*number).map(|step| &step.what) {
                        // It was legal before, from the same start and in the same order.
                        let _ = self.state.reply(made.reply.clone(), &mut self.log);
                    }
                }
                let end = self.log.entries().len();
                self.newest = end..end;
            }
        }
        self.at += 1;
        self.lengths.push(self.log.entries().len());
        if self.state.round() != round {
            self.begins.push(self.at);
        }
        self.keep();
        true
    }
}
