//! Free speeches about an open question, as in Michael et al. 2023, "Debate helps supervise
//! unreliable experts" (arXiv:2311.08702): debate between two, and consultancy.
//!
//! Requests in order: Judge [`Request::Probability`] of the first answer and, with
//! `judge_feedback`, Judge [`Request::Speech`]. Then in each round: Prover [`Request::Speech`], for
//! the first answer; Opponent [`Request::Speech`], for the second, sealed with the prover's until
//! both are in where the round is simultaneous; Judge [`Request::Probability`], [`Request::Speech`]
//! and, but in the last round, [`Request::Continue`]. With `judged: EachRound` the judge is not
//! asked before the first round, with `judged: AtEnd` after the last round alone.
//!
//! Payoff to the prover: p − ½, where p is the judge's last probability of the prover's answer. The
//! judge's own score, [`Scoring::score`], is a figure beside the debate.

use serde::{Deserialize, Serialize};

use super::conditions::is_default;
use super::event::{Event, Log, Round, Seal, Sink};
use super::parameter::{Parameter, ParameterValue, choices};
use super::request::{self, Illegal, Reply, Request, Turn};
use super::reward::Reward;
use super::{Bits, Conditions, Introduction, Ledger, Refused, Rules, Seat, View, verdict};
use crate::number::{Decimal, Exact, Number};
use crate::scenario::{Decomposition, Instance, Question, Speech, SpeechLimits};

/// The most rounds of a debate.
pub const MAX_ROUNDS: u32 = 1000;

/// The parameters of a debate in free speeches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// The most rounds; without a number the judge alone ends the debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// True if nobody sees the other's speech of the same round before both are in.
    #[serde(default, skip_serializing_if = "is_default")]
    pub simultaneous: bool,
    /// The first round, from 2, in which the opponent answers the speech of the same round all the
    /// same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_turn_from: Option<u32>,
    /// Other rounds in which the opponent answers the speech of the same round all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_turn: Vec<u32>,
    /// The answer that a consultant argues for, who is then alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consultant: Option<Side>,
    /// When the judge is asked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub judged: Judged,
    /// Rounds after which the judge is not asked all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unjudged: Vec<u32>,
    /// True if the judge may speak after giving a probability.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub judge_feedback: bool,
    /// The most characters of a debater's own words in one speech.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speech_limit: Option<u32>,
    /// The most characters that a debater may quote in one speech.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote_limit: Option<u32>,
    /// The most characters of what the judge says at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_limit: Option<u32>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub scoring: Scoring,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            rounds: None,
            simultaneous: false,
            in_turn_from: None,
            in_turn: Vec::new(),
            consultant: None,
            judged: Judged::default(),
            unjudged: Vec::new(),
            judge_feedback: true,
            speech_limit: None,
            quote_limit: None,
            feedback_limit: None,
            scoring: Scoring::default(),
        }
    }
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_yes(value: &bool) -> bool {
    *value
}

/// When the judge is asked for a probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Judged {
    /// Before the first round and after each.
    #[default]
    FromStart,
    /// After each round.
    EachRound,
    /// After the last round.
    AtEnd,
}

/// One of the two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    First,
    Second,
}

impl Side {
    /// The answer's place, from 0.
    pub fn place(self) -> u8 {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }
}

/// The judge's own score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Scoring {
    /// log₂ of the probability of the right answer, less so much for each round that was heard.
    Log2 {
        #[serde(default = "five_hundredths")]
        per_continue: Decimal,
    },
}

fn five_hundredths() -> Decimal {
    Decimal(Exact::ratio(1, 20))
}

impl Default for Scoring {
    fn default() -> Self {
        let per_continue = five_hundredths();
        Self::Log2 { per_continue }
    }
}

impl Scoring {
    /// The score of a judge who gave the right answer the probability `p` in the end and went on
    /// so many times, in bits. Proper: nothing pays better than saying what one believes.
    pub fn score(&self, p: f64, continues: u32) -> f64 {
        let Self::Log2 { per_continue } = self;
        p.log2() - per_continue.0.to_float() * f64::from(continues)
    }
}

impl Parameters {
    /// True if the speeches of a round, from 1, are sealed until all are in.
    pub fn seals(&self, round: u32) -> bool {
        let in_turn = self.in_turn_from.is_some_and(|first| round >= first);
        let in_turn = in_turn || self.in_turn.contains(&round);
        self.simultaneous && !in_turn && self.consultant.is_none()
    }

    /// The most rounds.
    fn most(&self) -> u32 {
        self.rounds.unwrap_or(MAX_ROUNDS)
    }

    /// The limits of one speech of a seat.
    pub fn limits(&self, seat: Seat) -> SpeechLimits {
        match seat {
            Seat::Judge => SpeechLimits {
                words: self.feedback_limit,
                quotes: None,
            },
            _ => SpeechLimits {
                words: self.speech_limit,
                quotes: self.quote_limit,
            },
        }
    }

    /// The answer that a seat argues for, 0 or 1; `None` for the judge.
    pub fn argues_for(&self, seat: Seat) -> Option<u8> {
        match seat {
            Seat::Prover => Some(self.consultant.map_or(0, Side::place)),
            Seat::Opponent => Some(1),
            _ => None,
        }
    }
}

choices!(Judged {
    FromStart => "before the first round and after each",
    EachRound => "after each round",
    AtEnd => "after the last round",
});

impl Conditions for Parameters {
    fn each_parameter(&mut self, with: &mut dyn FnMut(Parameter<'_>)) {
        with(Parameter {
            name: "simultaneous",
            label: "Both speak at once",
            about: "Whether the debaters write the speeches of a round without reading each other's.",
            changes: "In turn, whoever speaks second can answer what was just said.",
            value: ParameterValue::Choice(&mut self.simultaneous),
        });
        with(Parameter {
            name: "judged",
            label: "The judge is asked",
            about: "When the judge says how likely each answer is.",
            changes: "A judge who is asked after each round may end the debate there.",
            value: ParameterValue::Choice(&mut self.judged),
        });
        with(Parameter {
            name: "judge_feedback",
            label: "The judge writes back",
            about: "Whether the judge writes some words to the debaters after each round.",
            changes: "With feedback each round has one more move of the judge.",
            value: ParameterValue::Choice(&mut self.judge_feedback),
        });
    }

    fn check(&self) -> Result<(), Refused> {
        let refused = |name, value: u32, range| {
            Err(Refused::Parameter {
                name,
                value: value.to_string(),
                range,
            })
        };
        match self.rounds {
            Some(rounds) if rounds == 0 || rounds > MAX_ROUNDS => {
                return refused("rounds", rounds, "from 1 to 1000");
            }
            None if self.judged == Judged::AtEnd => {
                return Err(Refused::Parameter {
                    name: "rounds",
                    value: "left out".to_owned(),
                    range: "a number with `judged: AtEnd`",
                });
            }
            _ => {}
        }
        match self.in_turn_from {
            Some(round) if !self.simultaneous => {
                return refused(
                    "in_turn_from",
                    round,
                    "left out unless `simultaneous: true`",
                );
            }
            Some(round) if round < 2 => return refused("in_turn_from", round, "2 or more"),
            _ => {}
        }
        for (name, rounds) in [("in_turn", &self.in_turn), ("unjudged", &self.unjudged)] {
            let counted = rounds.iter().all(|round| (1..=MAX_ROUNDS).contains(round));
            if !counted || !rounds.is_sorted_by(|one, next| one < next) {
                return Err(Refused::Parameter {
                    name,
                    value: format!("{rounds:?}"),
                    range: "rounds from 1 to 1000, in order and each once",
                });
            }
        }
        if !self.in_turn.is_empty() && !self.simultaneous {
            return Err(Refused::Parameter {
                name: "in_turn",
                value: format!("{:?}", self.in_turn),
                range: "left out unless `simultaneous: true`",
            });
        }
        for (name, limit) in [
            ("speech_limit", self.speech_limit),
            ("quote_limit", self.quote_limit),
            ("feedback_limit", self.feedback_limit),
        ] {
            if limit == Some(0) {
                return refused(name, 0, "1 or more; leave it out for no limit");
            }
        }
        let Scoring::Log2 { per_continue } = &self.scoring;
        if per_continue.0 < Exact::default() {
            return Err(Refused::Parameter {
                name: "per_continue",
                value: per_continue.0.to_string(),
                range: "0 or more",
            });
        }
        Ok(())
    }

    fn fits(&self, problem: &dyn Decomposition) -> bool {
        problem.as_question().is_some()
    }

    fn fixes_claim(&self) -> bool {
        true
    }

    fn hides_truths(&self) -> bool {
        true
    }

    fn summary(&self) -> String {
        let who = match self.consultant {
            Some(Side::First) => "a consultant for the first answer",
            Some(Side::Second) => "a consultant for the second answer",
            None if self.simultaneous => "two debaters at once",
            None => "two debaters in turn",
        };
        match self.rounds {
            Some(1) => format!("{who}, one round"),
            Some(rounds) => format!("{who}, up to {rounds} rounds"),
            None => who.to_owned(),
        }
    }

    fn asks(&self, seat: Seat, _instance: &Instance) -> bool {
        seat != Seat::Opponent || self.consultant.is_none()
    }
}

pub(super) const INTRODUCTION: Introduction = Introduction {
    name: "speeches",
    examples: &[
        "Speeches(rounds: 3)",
        "Speeches(rounds: 3, simultaneous: true)",
        "Speeches(rounds: 3, consultant: First)",
    ],
    guarantee: "none is proved: what it is worth is measured with judges (Michael et al. 2023, \
                arXiv:2311.08702)",
    about: "two debaters argue for two answers in free text with quotes from a source, and a judge who \
            has not read it says how likely each is",
    rules: "A question has two answers. The prover argues for the first and the second debater for \
            the second, in their own words and in quotes from a source that the judge has not read; \
            a quote stands only if the source says it. After each round the judge says how likely \
            the first answer is and may hear another round or end the debate. The prover receives \
            what the judge's last probability of the first answer is above one half, the second \
            debater the opposite.",
    opponent: "second debater",
    prover_task: "argue for the first answer, in your own words and with quotes",
    opponent_task: "argue for the second answer, in your own words and with quotes",
    judge_task: "say how likely the first answer is, and whether to hear more",
};

/// The request that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A debater's speech.
    Speech(Seat),
    /// The judge's probability of the first answer.
    Probability,
    /// The judge's words.
    Feedback,
    /// Another round, or the end.
    Continue,
    Over,
}

/// A debate in free speeches under way.
#[derive(Clone, Debug)]
pub struct Speeches<'a, N> {
    instance: &'a Instance,
    question: &'a Question,
    parameters: Parameters,
    stage: Stage,
    /// The round under way, from 1; 0 before the first.
    round: u32,
    /// The judge's last probability of the first answer.
    p: Option<N>,
    /// Characters quoted for the first answer, and for the second.
    quoted: [u64; 2],
    payoff: N,
    ledger: Ledger,
}

impl<'a, N: Number> Speeches<'a, N> {
    /// A debate about an instance, before anybody has spoken.
    ///
    /// # Errors
    /// If the instance is no open question.
    pub fn new(instance: &'a Instance, parameters: &Parameters) -> Result<Self, Refused> {
        let Some(question) = instance.question() else {
            return Err(Refused::Text(
                "free speeches need an open question with two answers".to_owned(),
            ));
        };
        let mut debate = Self {
            instance,
            question,
            parameters: parameters.clone(),
            stage: Stage::Probability,
            round: 0,
            p: None,
            quoted: [0; 2],
            payoff: N::zero(),
            ledger: Ledger::default(),
        };
        if parameters.judged != Judged::FromStart {
            debate.begin_round();
        }
        Ok(debate)
    }

    /// The parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The round under way, from 1; 0 before the first.
    pub fn round_under_way(&self) -> u32 {
        self.round
    }

    /// The judge's last probability of the first answer.
    pub fn last_probability(&self) -> Option<&N> {
        self.p.as_ref()
    }

    fn spoken(
        &mut self,
        seat: Seat,
        speech: Speech,
        sink: &mut dyn Sink<N>,
    ) -> Result<(), Illegal> {
        let limits = self.parameters.limits(seat);
        let allowed = speech.check(self.question.source(), &limits);
        allowed.map_err(Illegal::Speech)?;
        self.ledger.spoke(seat);
        let round = self.round;
        let side = self.parameters.argues_for(seat).map(usize::from);
        if let Some(quoted) = side.and_then(|side| self.quoted.get_mut(side)) {
            *quoted += speech.quoted_length() as u64;
        }
        if seat == Seat::Prover {
            sink.entered(round, self.instance.root());
        }
        let sealed = seat != Seat::Judge && self.parameters.seals(round);
        let seal = sealed.then_some(Seal::Speech(round));
        sink.note_with(seat, seal, || Event::Spoke { round, speech });
        if seat == Seat::Judge {
            self.decide(sink);
        } else if seat == Seat::Prover && self.parameters.consultant.is_none() {
            self.stage = Stage::Speech(Seat::Opponent);
        } else {
            if sealed {
                let opened = || Event::Opened(Seal::Speech(round));
                sink.note_with(Seat::Chance, None, opened);
            }
            let more = round < self.parameters.most();
            let unjudged = self.parameters.unjudged.contains(&round);
            if (unjudged || self.parameters.judged == Judged::AtEnd) && more {
                self.begin_round();
            } else {
                self.stage = Stage::Probability;
            }
        }
        Ok(())
    }

    /// The stage after the judge has said everything of a round.
    fn decide(&mut self, sink: &mut dyn Sink<N>) {
        if self.round == 0 {
            self.begin_round();
        } else if self.round < self.parameters.most() {
            self.stage = Stage::Continue;
        } else {
            self.end(sink);
        }
    }

    fn begin_round(&mut self) {
        self.round += 1;
        self.stage = Stage::Speech(Seat::Prover);
    }

    fn end(&mut self, sink: &mut dyn Sink<N>) {
        self.stage = Stage::Over;
        let first = self.p.clone().unwrap_or_else(|| N::ratio(1, 2));
        let p = match self.parameters.consultant {
            Some(Side::Second) => N::one() - first,
            _ => first,
        };
        self.payoff = verdict::pay(Reward::Persuaded { p }, sink);
    }
}

impl<N: Number> Rules<N> for Speeches<'_, N> {
    fn request(&self) -> Option<Turn<N>> {
        let claim = self.instance.root();
        let speech = |seat| Request::Speech {
            argues_for: self.parameters.argues_for(seat),
            limits: self.parameters.limits(seat),
        };
        let (seat, request) = match self.stage {
            Stage::Over => return None,
            Stage::Speech(seat) => (seat, speech(seat)),
            Stage::Feedback => (Seat::Judge, speech(Seat::Judge)),
            Stage::Probability => (
                Seat::Judge,
                Request::Probability {
                    claim,
                    place: None,
                    alone: false,
                },
            ),
            Stage::Continue => {
                let round = self.round + 1;
                (Seat::Judge, Request::Continue { round })
            }
        };
        Some(Turn { seat, request })
    }

    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn Sink<N>) -> Result<(), Illegal> {
        match (self.stage, reply) {
            (Stage::Speech(seat), Reply::Speech(speech)) => self.spoken(seat, *speech, sink),
            (Stage::Feedback, Reply::Speech(speech)) => self.spoken(Seat::Judge, *speech, sink),
            (Stage::Probability, Reply::Probability(p)) => {
                let p = request::probability(p)?;
                self.ledger.spoke(Seat::Judge);
                let claim = self.instance.root();
                sink.note_with(Seat::Judge, None, || Event::Estimated {
                    claim,
                    place: None,
                    alone: false,
                    p: p.clone(),
                });
                self.p = Some(p);
                if self.parameters.judge_feedback {
                    self.stage = Stage::Feedback;
                } else {
                    self.decide(sink);
                }
                Ok(())
            }
            (Stage::Continue, Reply::Continue(goes_on)) => {
                self.ledger.spoke(Seat::Judge);
                sink.note_with(Seat::Judge, None, || Event::Continued { goes_on });
                if goes_on {
                    self.begin_round();
                } else {
                    self.end(sink);
                }
                Ok(())
            }
            (_, reply) => Err(Illegal::kind(self.request(), &reply)),
        }
    }

    fn payoff(&self) -> N {
        self.payoff.clone()
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        vec![(Round::Number(0), N::ratio(1, 2))]
    }

    fn round(&self) -> Option<Round> {
        (self.stage != Stage::Over).then_some(Round::Number(0))
    }

    /// The rules fix what each side argues for.
    fn answer(&self) -> Option<bool> {
        Some(self.parameters.argues_for(Seat::Prover) == Some(0))
    }

    /// The answer that the judge holds likelier in the end; `None` at even odds.
    fn finding(&self) -> Option<bool> {
        let p = self.p.as_ref().filter(|_| self.stage == Stage::Over)?;
        let half = N::ratio(1, 2);
        (*p != half).then(|| *p > half)
    }

    fn proof(&self) -> Vec<bool> {
        Vec::new()
    }

    fn coins(&self) -> u64 {
        0
    }

    fn prepared(&self) -> Option<Bits> {
        None
    }

    /// Never: what was said may matter to all that follows.
    fn state_key(&self, _key: &mut Vec<u64>) -> bool {
        false
    }
}

impl<'a, N: Number> View<'_, Speeches<'a, N>> {
    /// The question: its source is for the debaters, the judge is not to be built on it.
    pub fn question(&self) -> &'a Question {
        self.rules.question
    }

    /// The round under way, from 1; 0 before the first.
    pub fn round(&self) -> u32 {
        self.rules.round
    }

    /// How many characters were quoted for the first answer so far, and for the second: to be asked
    /// when nothing is sealed, as by the judge.
    pub fn quoted(&self) -> [u64; 2] {
        self.rules.quoted
    }
}

/// The judge's probabilities of the first answer so far, each with the round after which it was
/// given; 0 stands for the one before the first round.
pub fn beliefs<N: Clone>(log: &Log<N>) -> Vec<(u32, N)> {
    let mut round = 0;
    let mut beliefs = Vec::new();
    for entry in log.entries() {
        match &entry.event {
            Event::Entered { round: entered, .. } => round = *entered,
            Event::Estimated { p, .. } if entry.seat == Seat::Judge => {
                beliefs.push((round, p.clone()));
            }
            _ => {}
        }
    }
    beliefs
}

/// How often the judge went on, the first time before anybody had spoken: the number of rounds
/// heard.
pub fn continues<N>(log: &Log<N>) -> u32 {
    let rounds = log.entries().iter().filter_map(|entry| match entry.event {
        Event::Entered { round, .. } => Some(round),
        _ => None,
    });
    rounds.max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
