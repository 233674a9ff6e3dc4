//! A finished debate, judged again: what a judge would have seen round by round, and nothing of how
//! it ended.
//!
//! Hidden are what is sealed at the time, the other judge's numbers and decisions, rewards, the
//! payoff, and how many rounds are still to come. What the other judge said to the debaters is
//! shown: they answer it.

use debate_core::number::{Exact, Number as _};
use debate_core::protocol::speeches::{Scoring, beliefs, continues};
use debate_core::protocol::words::Narrator;
use debate_core::protocol::{
    Event, Illegal, Kind, Protocol, Reader, Request, Rules as _, Seat, Turn,
};
use debate_core::scenario::{Instance, JudgeSees};

use super::{Judgement, RoundBelief};
use crate::record::History;

/// A finished debate under the eyes of another judge.
#[derive(Clone, Debug)]
pub struct Rejudgement<'a> {
    history: History<'a>,
    /// True under Speeches, where judges give probabilities.
    speaks: bool,
    /// How many moves were made before the judge is asked each time.
    stops: Vec<usize>,
    /// How many of these were reached.
    reached: usize,
    /// How many entries of the log were told.
    told: usize,
    given: Vec<RoundBelief>,
}

impl<'a> Rejudgement<'a> {
    /// Begins with a debate that is over.
    ///
    /// # Errors
    /// If its moves do not follow from the rules.
    pub fn begin(mut history: History<'a>) -> Result<Self, Illegal> {
        let all = history.moves_at_end().len();
        let speaks = history.state().kind() == Kind::Speeches;
        let mut stops = if speaks { Vec::new() } else { vec![0] };
        let mut entered = None;
        for count in 0..=all {
            history.to(count)?;
            if speaks {
                // The judge is asked before the other one has said a word.
                let turn = history.state().request();
                let asked =
                    |turn: &Turn<Exact>| matches!(turn.request, Request::Probability { .. });
                stops.extend(turn.filter(asked).map(|_| count));
                continue;
            }
            // Elsewhere a round ends where the next one begins.
            let entries = history.log().entries();
            let round = entries.iter().rev().find_map(|entry| match entry.event {
                Event::Entered { round, .. } => Some(round),
                _ => None,
            });
            if round != entered {
                stops.extend(entered.map(|_| count - 1));
                entered = round;
            }
        }
        if !speaks && all > 0 {
            stops.push(all);
        }
        history.to(0)?;
        Ok(Self {
            history,
            speaks,
            stops,
            reached: 0,
            told: 0,
            given: Vec::new(),
        })
    }

    /// How many rounds were shown.
    pub fn rounds_shown(&self) -> u32 {
        if self.speaks {
            return continues(self.history.log());
        }
        u32::try_from(self.reached.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Goes on to the next time the judge is asked, and tells what happened until then; `None`
    /// where the debate has no more.
    ///
    /// # Errors
    /// If a move does not follow from the rules.
    pub fn next(&mut self, narrator: &Narrator<'_>) -> Result<Option<Vec<String>>, Illegal> {
        let Some(stop) = self.stops.get(self.reached).copied() else {
            return Ok(None);
        };
        self.history.to(stop)?;
        self.reached += 1;
        let log = self.history.log();
        let reader = Reader::new(Seat::Judge, JudgeSees::Transcript);
        let shown = (self.told..log.entries().len()).filter_map(|index| {
            let entry = log.entries().get(index)?;
            if !is_shown(entry.seat, &entry.event) {
                return None;
            }
            let told = narrator.tell(log, index, reader)?;
            let text = told.text.replace('\n', "\n  ");
            Some(match told.who {
                Some(seat) => format!("{} {text}", seat.person()),
                None => text,
            })
        });
        let shown = shown.collect();
        self.told = log.entries().len();
        Ok(Some(shown))
    }

    /// Takes the judge's probability that the root claim is true: under Speeches, that the first
    /// answer is right.
    pub fn judge(&mut self, p: &Exact, says: String) {
        self.given.push(RoundBelief {
            round: self.rounds_shown(),
            // Turned to the right answer where the judgement is made.
            p_correct: p.to_float(),
            says,
        });
    }

    /// The judgement that was given, and the other judge's by round where the debate has them;
    /// `None` where nothing was given or nobody knows what is right.
    ///
    /// # Errors
    /// If a move does not follow from the rules.
    pub fn end(
        mut self,
        instance: &Instance,
        protocol: &Protocol,
        told: JudgedDebate,
    ) -> Result<Option<(Judgement, Vec<RoundBelief>)>, Illegal> {
        let all = self.history.moves_at_end().len();
        self.history.to(all)?;
        let Some(holds) = instance.truth(instance.root()) else {
            return Ok(None);
        };
        let right = |p: f64| if holds { p } else { 1.0 - p };
        let theirs = beliefs(self.history.log());
        let theirs = theirs.into_iter().map(|(round, p)| RoundBelief {
            round,
            p_correct: right(p.to_float()),
            says: String::new(),
        });
        let theirs = theirs.collect();
        for belief in &mut self.given {
            belief.p_correct = right(belief.p_correct);
        }
        let Some(last) = self.given.last() else {
            return Ok(None);
        };
        let scoring = match protocol {
            Protocol::Speeches(parameters) => parameters.scoring.clone(),
            _ => Scoring::default(),
        };
        let (p_correct, continues) = (last.p_correct, last.round);
        let reward = scoring.score(p_correct, continues);
        let JudgedDebate {
            condition,
            debate,
            judge,
            story,
        } = told;
        let made = Judgement {
            condition,
            debate,
            judge,
            story,
            p_correct,
            continues,
            reward: reward.is_finite().then_some(reward),
            correct_answer_index: u32::from(!holds),
            by_round: self.given,
        };
        Ok(Some((made, theirs)))
    }
}

/// What a judgement is called by.
#[derive(Clone, Debug)]
pub struct JudgedDebate {
    pub condition: String,
    pub debate: String,
    pub judge: String,
    pub story: Option<String>,
}

/// True of what another judge may see.
fn is_shown(seat: Seat, event: &Event<Exact>) -> bool {
    match event {
        // The last three are the verifier's, on the way to its decision.
        Event::Rewarded(_)
        | Event::Ended { .. }
        | Event::Continued { .. }
        | Event::Judged { .. }
        | Event::Checked { .. }
        | Event::Read { .. }
        | Event::Sampled { .. } => false,
        Event::Estimated { .. } => seat != Seat::Judge,
        _ => true,
    }
}
