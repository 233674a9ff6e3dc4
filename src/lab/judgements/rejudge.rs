//! A finished debate, judged again: what a judge would have seen round by round, and nothing of how
//! it ended.
//!
//! Hidden are what is sealed at the time, the other judge's numbers and decisions, rewards, the
//! payoff, and how many rounds are still to come. What the other judge said to the debaters is
//! shown: they answer it.

use std::ops::Range;

use crate::tell::Narrator;
use debate_core::number::{Exact, Number as _};
use debate_core::player::Move;
use debate_core::protocol::speeches::{Scoring, beliefs, continues};
use debate_core::protocol::{
    Event, Illegal, Kind, Log, Protocol, Reader, Rules as _, Seat, State, Turn,
};
use debate_core::scenario::Instance;

use super::{JudgedDebate, Judgement, RoundBelief};
use crate::record::History;
use crate::tell::plain_line;

/// A finished debate under the eyes of another judge.
#[derive(Clone, Debug)]
pub struct Rejudgement<'a> {
    history: History<'a>,
    /// True under Speeches, where judges give probabilities.
    speaks: bool,
    /// The number of moves before each question to the judge.
    stops: Vec<usize>,
    /// The number of them that were reached.
    reached: usize,
    /// The number of entries of the log that were shown.
    shown: usize,
    given: Vec<RoundBelief>,
}

impl<'a> Rejudgement<'a> {
    /// Begins with the moves that stood at the end of a debate.
    ///
    /// # Errors
    /// If they do not follow from the rules.
    pub fn begin(start: State<'a, Exact>, moves: &[Move<Exact>]) -> Result<Self, Illegal> {
        let speaks = start.kind() == Kind::Speeches;
        let mut history = History::of_moves(start, moves)?;
        let mut stops = if speaks { Vec::new() } else { vec![0] };
        let mut entered = None;
        for count in 0..=moves.len() {
            history.to(count)?;
            if speaks {
                // The judge is asked before the other one has said a word.
                let turn = history.state().request();
                if turn.is_some_and(|turn| turn.request.wants_probability()) {
                    stops.push(count);
                }
                continue;
            }
            // Elsewhere a round ends where the next one begins.
            let entries = history.log().entries();
            let mut events = entries.iter().rev().map(|entry| &entry.event);
            let round = events.find_map(Event::round_entered);
            if round != entered {
                stops.extend(entered.map(|_| count - 1));
                entered = round;
            }
        }
        if !speaks {
            stops.push(last_stop(moves));
            stops.dedup();
        }
        history.to(0)?;
        Ok(Self {
            history,
            speaks,
            stops,
            reached: 0,
            shown: 0,
            given: Vec::new(),
        })
    }

    /// True until the first number is given.
    pub fn is_fresh(&self) -> bool {
        self.given.is_empty()
    }

    /// The number of rounds that were shown.
    pub fn rounds_shown(&self) -> u32 {
        if self.speaks {
            return continues(self.history.log());
        }
        u32::try_from(self.reached.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Goes on to the next time the judge is asked. Returns the entries of the log that came since
    /// the last time; `None` where the debate has no more.
    ///
    /// # Errors
    /// If a move does not follow from the rules.
    pub fn go_on(&mut self) -> Result<Option<Range<usize>>, Illegal> {
        let Some(stop) = self.stops.get(self.reached).copied() else {
            return Ok(None);
        };
        self.history.to(stop)?;
        self.reached += 1;
        let shown = self.log().entries().len();
        let new = std::mem::replace(&mut self.shown, shown)..shown;
        Ok(Some(new))
    }

    /// The events so far; [`Reader::JUDGING_ANEW`] says what is to be seen of them.
    pub fn log(&self) -> &Log<Exact> {
        self.history.log()
    }

    /// The debate as it stands.
    pub fn state(&self) -> &State<'a, Exact> {
        self.history.state()
    }

    /// The small claim that the other judge was asked about at this point, and its evidence.
    pub fn evidence(&self, narrator: &Narrator<'_>) -> Vec<String> {
        let turn = self.state().request();
        let asked = |turn: &Turn<Exact>| turn.request.judged_claim().is_some();
        let Some(turn) = turn.filter(asked) else {
            return Vec::new();
        };
        let question = narrator.ask(&turn, self.log());
        let evidence = question.evidence.map(|text| format!("Evidence: {text}"));
        let asked = format!("The judge was asked here: {}", question.text);
        [asked].into_iter().chain(evidence).collect()
    }

    /// These entries of the log and the evidence, in the sentences of plain mode.
    pub fn news(&self, narrator: &Narrator<'_>, new: Range<usize>) -> Vec<String> {
        let lines =
            new.filter_map(|index| plain_line(narrator, self.log(), index, Reader::JUDGING_ANEW));
        lines.chain(self.evidence(narrator)).collect()
    }

    /// Takes the judge's probability that the root claim is true: under Speeches, that the first
    /// answer is right.
    pub fn judge(&mut self, p: &Exact) {
        self.given.push(RoundBelief {
            round: self.rounds_shown(),
            // Turned to the right answer where the judgement is made.
            p_correct: p.to_float(),
            says: String::new(),
        });
    }

    /// Goes to the end of the debate. Returns the judgement that was given, and the other judge's by
    /// round where the debate has them; `None` where nothing was given or nobody knows what is
    /// right.
    ///
    /// # Errors
    /// If a move does not follow from the rules.
    pub fn end(
        &mut self,
        instance: &Instance,
        protocol: &Protocol,
        debate: JudgedDebate,
    ) -> Result<Option<(Judgement, Vec<RoundBelief>)>, Illegal> {
        self.history.to(self.history.steps().len())?;
        let Some(holds) = instance.truth(instance.root()) else {
            return Ok(None);
        };
        let right = |p: f64| if holds { p } else { 1.0 - p };
        let theirs = beliefs(self.history.log())
            .into_iter()
            .map(|(round, p)| RoundBelief {
                round,
                p_correct: right(p.to_float()),
                says: String::new(),
            })
            .collect();
        let mut by_round = self.given.clone();
        for belief in &mut by_round {
            belief.p_correct = right(belief.p_correct);
        }
        let Some(last) = by_round.last() else {
            return Ok(None);
        };
        let scoring = match protocol {
            Protocol::Speeches(parameters) => parameters.scoring.clone(),
            _ => Scoring::default(),
        };
        let (p_correct, continues) = (last.p_correct, last.round);
        let correct = u32::from(!holds);
        let made = debate.judged(correct, &scoring, p_correct, continues, by_round);
        Ok(Some((made, theirs)))
    }
}

/// The number of moves before the last time that a judge is asked: before the judge of the debate
/// decided it, or else all.
fn last_stop(moves: &[Move<Exact>]) -> usize {
    let end = moves
        .iter()
        .rposition(|made| !matches!(made.seat, Seat::Judge | Seat::Chance))
        .map_or(0, |last| last + 1);
    let rest = moves.iter().skip(end);
    end + rest.take_while(|made| made.seat != Seat::Judge).count()
}
