//! The others' moves: asked for, waited for, and taken in when they are there.

use std::time::{Duration, Instant};

use super::{Debate, Panel};
use crate::tui::players::NextMove;
use debate_core::protocol::{Round, Rules as _, Seat};

/// How long the screen is kept for a move: one that is there by then is shown without a word about
/// waiting.
const FRAME: Duration = Duration::from_millis(30);

/// How far the others are to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// One move.
    Move,
    /// To the end of the round that was under way when it was asked for.
    Round(Option<Round>),
    /// To the turn of a person, or to the end.
    Turn,
}

/// Moves that are waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thinking {
    goal: Goal,
    /// Since when the move under way is waited for.
    since: Instant,
    /// Whether more is there than was taken in.
    more: bool,
}

impl Debate<'_, '_> {
    /// Has the others move as far as this, or to the turn of a person, or to the end.
    pub(super) fn go(&mut self, goal: Goal) {
        self.stuck = None;
        if self.players.is_none() {
            self.go_here(goal);
            return;
        }
        let since = self
            .thinking
            .map_or_else(Instant::now, |thinking| thinking.since);
        self.thinking = Some(Thinking {
            goal,
            since,
            more: false,
        });
        self.await_moves(FRAME);
        self.refresh();
    }

    pub(super) fn go_round(&mut self) {
        self.go(Goal::Round(self.table.seating().state().round()));
    }

    /// Asks the players here and now.
    fn go_here(&mut self, goal: Goal) {
        while !self.is_others_end() {
            let before = self.table.seating().log().entries().len();
            if let Err(refusal) = self.table.advance() {
                self.fail(refusal.to_string());
                break;
            }
            self.newest = before..self.table.seating().log().entries().len();
            if self.reached(goal) {
                break;
            }
        }
        self.refresh();
    }

    /// Whether nobody but a person can move, if anybody.
    fn is_others_end(&self) -> bool {
        let seating = self.table.seating();
        seating.turn().is_none() || seating.awaited().is_some()
    }

    /// Whether a move was enough. Whoever does not follow the debate must not count its moves.
    fn reached(&self, goal: Goal) -> bool {
        self.sight().reader.follows()
            && match goal {
                Goal::Move => true,
                Goal::Round(round) => self.table.seating().state().round() != round,
                Goal::Turn => false,
            }
    }

    fn fail(&mut self, why: String) {
        self.stuck = Some(why);
        self.thinking = None;
        self.pace.stop();
    }

    /// Takes in moves that are waited for, and waits for them at most so long. Says whether anything
    /// has changed.
    fn await_moves(&mut self, patience: Duration) -> bool {
        let start = Instant::now();
        let until = start + patience;
        let mut changed = false;
        while let (Some(thinking), Some(players)) = (self.thinking, &mut self.players) {
            let seating = self.table.seating();
            if seating.turn().is_none() || seating.awaited().is_some() {
                self.thinking = None;
                return true;
            }
            if changed && start.elapsed() >= FRAME {
                self.thinking = Some(Thinking {
                    more: true,
                    ..thinking
                });
                return true;
            }
            let before = seating.log().entries().len();
            let ahead = thinking.goal != Goal::Move;
            match players.next(seating.moves(), ahead, until) {
                NextMove::Pending => {
                    self.thinking = Some(Thinking {
                        more: false,
                        ..thinking
                    });
                    return changed;
                }
                NextMove::Failed(why) => self.fail(why),
                NextMove::Made(made) => {
                    if let Err(refusal) = self.table.accept(made) {
                        self.fail(refusal.to_string());
                        return true;
                    }
                    self.newest = before..self.table.seating().log().entries().len();
                    let since = Instant::now();
                    let on = (!self.reached(thinking.goal)).then_some(thinking);
                    self.thinking = on.map(|thinking| Thinking { since, ..thinking });
                }
            }
            changed = true;
        }
        changed
    }

    /// Takes in moves that came while the screen went on. Whoever reads elsewhere meanwhile goes on
    /// reading, until it is their turn.
    pub(super) fn poll_moves(&mut self) {
        if self.thinking.is_none() {
            return;
        }
        let focus = self.panels.focus;
        if !self.await_moves(Duration::ZERO) {
            return;
        }
        let said = self.panels.said.take();
        self.refresh();
        if self.ask.is_none() && !self.is_over() {
            self.panels.focus = focus;
            self.panels.said = said;
        } else if focus != Panel::Ask {
            self.panels.focus = Panel::Ask;
        }
    }

    /// Waits no longer; says whether anything was waited for.
    pub(super) fn stop_waiting(&mut self) -> bool {
        let Some(players) = self.players.as_mut().filter(|_| self.thinking.is_some()) else {
            return false;
        };
        players.stop();
        let who = self.who_thinks();
        self.thinking = None;
        self.pace.stop();
        self.panels.said = Some(format!(
            "{who} is not waited for. Let the others play to ask again."
        ));
        true
    }

    /// Moves were taken back: what the players know of them is no longer so.
    pub(super) fn forget_players(&mut self) {
        self.thinking = None;
        if let Some(players) = &mut self.players {
            players.forget();
        }
    }

    /// Who is thinking, as a sentence begins; nobody is named to whom does not follow the debate.
    fn who_thinks(&self) -> &'static str {
        let turn = self.table.seating().turn();
        match turn.filter(|_| self.sight().reader.follows()) {
            Some(turn) if turn.seat == Seat::Judge => "The judge",
            Some(turn) if turn.seat != Seat::Chance => turn.seat.person(),
            _ => "Somebody",
        }
    }

    /// Who is thinking and for how long, for the status line.
    pub(super) fn thinking_line(&self) -> Option<String> {
        let seconds = self.thinking?.since.elapsed().as_secs();
        let who = self.who_thinks();
        Some(match seconds {
            0 => format!("{who} is thinking"),
            some => format!("{who} is thinking, {some} s"),
        })
    }

    /// When the status line changes, or more moves can be taken in.
    pub(super) fn thinking_deadline(&self) -> Option<Instant> {
        let thinking = self.thinking?;
        if thinking.more {
            return Some(Instant::now());
        }
        let seconds = thinking.since.elapsed().as_secs();
        Some(thinking.since + Duration::from_secs(seconds + 1))
    }
}
