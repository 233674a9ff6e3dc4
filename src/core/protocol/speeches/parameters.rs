//! The parameters of a debate in free speeches.

use serde::{Deserialize, Serialize};

use super::MAX_ROUNDS;
use crate::number::{Exact, Number, RonNumber};
use crate::protocol::conditions::{is_default, require};
use crate::protocol::parameter::{ParameterValue, one_of};
use crate::protocol::{ProtocolError, ProtocolParameters, Seat};
use crate::scenario::{Decomposition, Instance, QuoteRule, SpeechCharacterLimits};

/// The parameters of a debate in free speeches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[serde(rename = "Parameters")]
pub struct SpeechParameters {
    /// Maximum number of rounds; `None` if the judge decides when the debate ends, after at most [`MAX_ROUNDS`]. With 0
    /// rounds there are no speeches: the judge answers the question alone, as a baseline for debates.
    #[serde(skip_serializing_if = "is_default")]
    pub rounds: Option<u32>,
    /// True if a debater sees the other debater's speech of a round only after both have made their speeches.
    #[serde(skip_serializing_if = "is_default")]
    pub simultaneous: bool,
    /// The first round, from 2, from which on the opponent speaks after seeing the prover's speech of the same round,
    /// despite `simultaneous`.
    #[serde(skip_serializing_if = "is_default")]
    pub in_turn_from: Option<u32>,
    /// Single rounds, in addition to those from `in_turn_from` on, in which the opponent speaks after seeing the
    /// prover's speech of the same round, despite `simultaneous`.
    #[serde(skip_serializing_if = "is_default")]
    pub in_turn: Vec<u32>,
    /// In a consultancy, the answer for which the consultant argues; the consultant is the only debater. `None` in a
    /// debate between two.
    #[serde(skip_serializing_if = "is_default")]
    pub consultant: Option<AnswerSide>,
    /// The times at which the judge states a probability of the first answer.
    #[serde(skip_serializing_if = "is_default")]
    pub judged: JudgeProbabilityTimes,
    /// Numbers of rounds after which, as exceptions to `judged`, the judge is not asked. After the last round, the
    /// judge is always asked.
    #[serde(skip_serializing_if = "is_default")]
    pub unjudged: Vec<u32>,
    /// True if the judge may send the debaters a message after stating a probability.
    #[serde(skip_serializing_if = "is_yes")]
    pub judge_feedback: bool,
    /// Maximum number of characters of a debater's own words in one speech.
    #[serde(skip_serializing_if = "is_default")]
    pub speech_limit: Option<u32>,
    /// Maximum number of characters that a debater may quote in one speech.
    #[serde(skip_serializing_if = "is_default")]
    pub quote_limit: Option<u32>,
    /// Maximum number of characters of one message of the judge.
    #[serde(skip_serializing_if = "is_default")]
    pub feedback_limit: Option<u32>,
    /// The rule for quotes that differ from the source. The default is `Lenient`.
    #[serde(skip_serializing_if = "is_default")]
    pub quotes: Option<QuoteRule>,
    #[serde(skip_serializing_if = "is_default")]
    pub scoring: JudgeScoring,
}

impl Default for SpeechParameters {
    fn default() -> Self {
        Self {
            rounds: None,
            simultaneous: false,
            in_turn_from: None,
            in_turn: Vec::new(),
            consultant: None,
            judged: JudgeProbabilityTimes::default(),
            unjudged: Vec::new(),
            judge_feedback: true,
            speech_limit: None,
            quote_limit: None,
            feedback_limit: None,
            quotes: None,
            scoring: JudgeScoring::default(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_yes(value: &bool) -> bool {
    *value
}

/// The times at which the judge states a probability of the first answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "JudgingTimes")]
pub enum JudgeProbabilityTimes {
    /// The judge states a probability before the first round and after each round.
    #[default]
    FromStart,
    /// After each round.
    EachRound,
    /// After the last round.
    AtEnd,
}

/// One of the two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "Side")]
pub enum AnswerSide {
    First,
    Second,
}

impl AnswerSide {
    /// Returns the index of the answer: 0 or 1.
    pub fn answer_index(self) -> u8 {
        self as u8
    }
}

/// The judge's own score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Scoring")]
pub enum JudgeScoring {
    /// The judge's score: log₂ of the judge's final probability of the right answer, minus `per_continue` for each
    /// round heard.
    Log2 {
        #[serde(default = "five_hundredths")]
        per_continue: RonNumber,
    },
}

fn five_hundredths() -> RonNumber {
    RonNumber(Exact::ratio(1, 20))
}

impl Default for JudgeScoring {
    fn default() -> Self {
        let per_continue = five_hundredths();
        Self::Log2 { per_continue }
    }
}

impl JudgeScoring {
    /// Returns the score, in bits, of a judge who heard `continuation_count` rounds and finally gave the right answer
    /// the probability `right_answer_probability`. This scoring rule is proper: the judge's true belief has the
    /// greatest expected score.
    pub fn judge_score(&self, right_answer_probability: f64, continuation_count: u32) -> f64 {
        let Self::Log2 { per_continue } = self;
        right_answer_probability.log2() - per_continue.0.to_float() * f64::from(continuation_count)
    }
}

impl SpeechParameters {
    /// True if the speeches of this round are sealed until both debaters have spoken. Rounds count from 1.
    pub fn is_sealed_round(&self, round: u32) -> bool {
        let from_here = self.in_turn_from.is_some_and(|first| round >= first);
        let in_turn = from_here || self.in_turn.contains(&round);
        self.simultaneous && !in_turn && self.consultant.is_none()
    }

    /// True if there are no debaters' speeches: the judge answers alone.
    fn is_judge_alone(&self) -> bool {
        self.rounds == Some(0)
    }

    /// Returns the least number of rounds that the judge hears: the rules do not let the judge end the debate earlier.
    pub fn min_rounds_heard(&self) -> u32 {
        let most = self.max_rounds();
        if self.judged == JudgeProbabilityTimes::AtEnd {
            return most;
        }
        let mut rounds = 1..=most;
        rounds
            .find(|round| !self.unjudged.contains(round))
            .unwrap_or(most)
    }

    /// Returns the maximum number of rounds.
    pub(super) fn max_rounds(&self) -> u32 {
        self.rounds.unwrap_or(MAX_ROUNDS)
    }

    /// Returns the rule for quotes that differ from the source.
    pub fn quote_rule(&self) -> QuoteRule {
        self.quotes.unwrap_or(QuoteRule::Lenient)
    }

    /// Returns the maximum lengths of one speech of this seat.
    pub fn speech_limits_of_seat(&self, seat: Seat) -> SpeechCharacterLimits {
        let (words, quotes) = match seat {
            Seat::Judge => (self.feedback_limit, None),
            _ => (self.speech_limit, self.quote_limit),
        };
        SpeechCharacterLimits { words, quotes }
    }

    /// Returns the index (0 or 1) of the answer for which a seat argues; `None` for the judge.
    pub fn answer_argued_by_seat(&self, seat: Seat) -> Option<u8> {
        match seat {
            Seat::Prover => Some(self.consultant.map_or(0, AnswerSide::answer_index)),
            Seat::Opponent => Some(1),
            _ => None,
        }
    }
}

impl ProtocolParameters for SpeechParameters {
    fn each_parameter(&mut self, with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {
        let judged = [
            JudgeProbabilityTimes::FromStart,
            JudgeProbabilityTimes::EachRound,
            JudgeProbabilityTimes::AtEnd,
        ];
        with(
            "simultaneous",
            one_of(&mut self.simultaneous, &[false, true]),
        );
        with("judged", one_of(&mut self.judged, &judged));
        with(
            "judge_feedback",
            one_of(&mut self.judge_feedback, &[false, true]),
        );
    }

    fn check(&self) -> Result<(), ProtocolError> {
        let rounds = self.rounds.unwrap_or(1);
        let some = rounds <= MAX_ROUNDS;
        let range = "from 0 to 1000 rounds (0: the judge decides without speeches)";
        require(some, "rounds", rounds, range)?;
        let alone = self.judged == JudgeProbabilityTimes::FromStart && self.consultant.is_none();
        let range =
            "at least 1 if `consultant` is set, or if the judge is not asked before round 1";
        require(rounds > 0 || alone, "rounds", 0, range)?;
        let ends = self.rounds.is_some() || self.judged != JudgeProbabilityTimes::AtEnd;
        require(
            ends,
            "rounds",
            "left out",
            "given, as a number of rounds, if `judged: AtEnd` is set",
        )?;
        let left_out = "left out unless `simultaneous: true` is set";
        if let Some(round) = self.in_turn_from {
            require(self.simultaneous, "in_turn_from", round, left_out)?;
            require(round >= 2, "in_turn_from", round, "2 or more")?;
        }
        for (name, rounds) in [("in_turn", &self.in_turn), ("unjudged", &self.unjudged)] {
            let counted = rounds.iter().all(|round| (1..=MAX_ROUNDS).contains(round));
            let in_order = rounds.is_sorted_by(|one, next| one < next);
            let range = "a list of round numbers from 1 to 1000, ascending, each once";
            require(counted && in_order, name, format!("{rounds:?}"), range)?;
        }
        let in_turn = format!("{:?}", self.in_turn);
        let sequential = self.in_turn.is_empty() || self.simultaneous;
        require(sequential, "in_turn", in_turn, left_out)?;
        for (name, limit) in [
            ("speech_limit", self.speech_limit),
            ("quote_limit", self.quote_limit),
            ("feedback_limit", self.feedback_limit),
        ] {
            let range = "1 or more; omit the field for no limit";
            require(limit != Some(0), name, 0, range)?;
        }
        let JudgeScoring::Log2 { per_continue } = &self.scoring;
        let cost = &per_continue.0;
        require(*cost >= Exact::default(), "per_continue", cost, "0 or more")
    }

    fn fits(&self, problem: &dyn Decomposition) -> bool {
        problem.as_question().is_some()
    }

    fn prover_always_claims_true(&self) -> bool {
        true
    }

    fn hides_truths(&self) -> bool {
        true
    }

    fn summary(&self) -> String {
        if self.is_judge_alone() {
            return "the judge alone".to_owned();
        }
        let speakers = match self.consultant {
            Some(AnswerSide::First) => "a consultant for the first answer",
            Some(AnswerSide::Second) => "a consultant for the second answer",
            None if self.simultaneous => "two debaters at once",
            None => "two debaters in turn",
        };
        match self.rounds {
            Some(1) => format!("{speakers}, one round"),
            Some(rounds) => format!("{speakers}, up to {rounds} rounds"),
            None => speakers.to_owned(),
        }
    }

    fn asks(&self, seat: Seat, _instance: &Instance) -> bool {
        match seat {
            Seat::Judge => true,
            Seat::Prover => !self.is_judge_alone(),
            _ => !self.is_judge_alone() && self.consultant.is_none(),
        }
    }
}
