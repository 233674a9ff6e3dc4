//! Requests of the rules as a participant is asked them, and the reply that an answer makes.

use serde_json::{Value, json};

use super::{Halt, SPEECH, failed};
use crate::error::StudyError;
use crate::session::page::Input;
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{Ask, Bet, Bits, Log, Reply, Request, Seat, Turn};
use debate_core::scenario::Speech;
use debate_lab::tell::Narrator;

/// The most options of a page.
const MOST_OPTIONS: usize = 30;
/// The most bits that are chosen as one of all strings.
const MOST_BITS: u32 = 4;
/// The most characters of a speech, where the rules allow more.
const MOST_SPEECH: usize = 4000;
/// The most characters of what a judge says to debaters.
const MOST_FEEDBACK: usize = 1000;

/// A request of the rules, as a page asks it.
#[derive(Clone, Debug, PartialEq)]
pub struct RulesQuestion {
    /// Its name in the log: `query`, `continue`, `feedback`, `move`, `estimate` or `speech`.
    pub kind: &'static str,
    pub question: String,
    /// What the judge sees of a small claim.
    pub evidence: Option<String>,
    pub form: AnswerForm,
    /// The option that is right, where there is one: for the tables and simulated judges alone.
    pub right: Option<usize>,
}

/// How a request is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerForm {
    OneOf(Vec<ReplyOption>),
    /// A whole percentage that somebody who debates gives for all to see.
    Percent,
    /// Text of so many characters at most.
    Text(usize),
}

/// An option of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplyOption {
    pub label: String,
    pub reply: Reply<Exact>,
    /// What the log says of it.
    note: Value,
}

impl ReplyOption {
    fn new(label: impl Into<String>, reply: Reply<Exact>, note: Value) -> Self {
        let label = label.into();
        Self { label, reply, note }
    }

    /// A move of somebody who debates.
    fn of_move(label: impl Into<String>, reply: Reply<Exact>) -> Self {
        let label = label.into();
        Self::new(label.clone(), reply, json!({"answer": label}))
    }
}

/// A whole percentage as a reply.
pub(crate) fn probability(percent: u8) -> Reply<Exact> {
    Reply::Probability(Exact::ratio(i64::from(percent), 100))
}

impl RulesQuestion {
    /// The question of a turn of the participant, who sits in its seat.
    pub(super) fn of(
        turn: &Turn<Exact>,
        log: &Log<Exact>,
        narrator: &Narrator<'_>,
    ) -> Result<Self, Halt> {
        let prompt = narrator.ask(turn, log);
        let (kind, form) = form(turn, log, narrator);
        let options = match &form {
            AnswerForm::OneOf(options) => options.len(),
            AnswerForm::Percent | AnswerForm::Text(_) => 1,
        };
        let is_judge = turn.seat == Seat::Judge;
        let fits = match kind {
            "query" | "continue" | "feedback" => is_judge,
            "move" | "speech" => !is_judge && (1..=MOST_OPTIONS).contains(&options),
            _ => true,
        };
        if !fits {
            let wants = turn.request.wants();
            return Err(failed(if is_judge {
                format!("the judge is asked for {wants}")
            } else {
                format!(
                    "the participant would be asked for {wants}, which no page of a study asks for; take other rules"
                )
            }));
        }
        let claim = turn.request.claim().filter(|_| kind == "query");
        let truth = claim.and_then(|claim| narrator.instance.truth(claim));
        Ok(Self {
            kind,
            question: match kind {
                "feedback" => "Is there anything that you want to say to those who argue? Enter alone says nothing.".to_owned(),
                "continue" => "Do you want to hear another round?".to_owned(),
                _ => prompt.text,
            },
            evidence: prompt.evidence.filter(|_| is_judge),
            form,
            right: truth.map(|truth| usize::from(!truth)),
        })
    }

    /// The reply that an answer makes, and what the log says of it. A percentage is [`probability`].
    ///
    /// # Errors
    /// If it is no answer to this question.
    pub(crate) fn reply(&self, input: &Input) -> Result<(Reply<Exact>, Value), StudyError> {
        match (&self.form, input) {
            (AnswerForm::OneOf(options), Input::Choice(place)) if *place < options.len() => {
                let option = &options[*place];
                Ok((option.reply.clone(), option.note.clone()))
            }
            (AnswerForm::Text(_), Input::Text(text)) => {
                let note = json!({"characters": text.chars().count()});
                let speech = match self.kind {
                    "feedback" => Ok(Speech::text(text.trim())),
                    _ => Speech::parse(text.trim()),
                };
                let speech = speech.map_err(|why| StudyError::Refused(why.to_string()))?;
                Ok((Reply::Speech(Box::new(speech)), note))
            }
            _ => Err(StudyError::NotTaken("Type what you say.".to_owned())),
        }
    }

    /// An answer of somebody who is right about small claims and even about the rest; the options of a move are tried in
    /// turn.
    pub(super) fn rehearsed(&self, attempt: usize) -> Option<Reply<Exact>> {
        match &self.form {
            AnswerForm::OneOf(options) => {
                let place = self.right.unwrap_or(0) + attempt;
                options.get(place).map(|option| option.reply.clone())
            }
            AnswerForm::Percent => Some(probability(50)),
            AnswerForm::Text(_) => {
                let words = if self.kind == "speech" { SPEECH } else { "" };
                Some(Reply::Speech(Box::new(Speech::text(words))))
            }
        }
    }
}

/// The kind of a request, and how it is answered; without options where they cannot be listed.
fn form(
    turn: &Turn<Exact>,
    log: &Log<Exact>,
    narrator: &Narrator<'_>,
) -> (&'static str, AnswerForm) {
    let instance = narrator.instance;
    let options: Vec<ReplyOption> = match &turn.request {
        Request::Oracle { claim } => {
            let name = instance.id(*claim).map(str::to_owned);
            let name = name.unwrap_or_else(|| instance.text(*claim));
            let option = |label: &str, holds| {
                let confidence = None;
                let reply = Reply::Oracle { holds, confidence };
                ReplyOption::new(label, reply, json!({"claim": name, "answer": holds}))
            };
            let options = [
                option("Yes, it is true", true),
                option("No, it is not true", false),
            ];
            return ("query", AnswerForm::OneOf(options.into()));
        }
        Request::Continue { .. } => {
            let option = |label: &str, goes_on| {
                ReplyOption::new(label, Reply::Continue(goes_on), json!({"goes_on": goes_on}))
            };
            let options = [
                option("Hear another round", true),
                option("Stop here", false),
            ];
            return ("continue", AnswerForm::OneOf(options.into()));
        }
        Request::Speech { argues_for, .. } => {
            return match argues_for {
                None => ("feedback", AnswerForm::Text(MOST_FEEDBACK)),
                Some(_) => ("speech", AnswerForm::Text(MOST_SPEECH)),
            };
        }
        Request::Probability { .. } | Request::Share { .. } => {
            return ("estimate", AnswerForm::Percent);
        }
        Request::Answer { .. } => vec![
            ReplyOption::of_move("Yes, it is true", Reply::Answer(true)),
            ReplyOption::of_move("No, it is not true", Reply::Answer(false)),
        ],
        Request::Direction { .. } => vec![
            ReplyOption::of_move("It is too low", Reply::Direction(Bet::TooLow)),
            ReplyOption::of_move("It is about right", Reply::Direction(Bet::AboutRight)),
            ReplyOption::of_move("It is too high", Reply::Direction(Bet::TooHigh)),
        ],
        Request::Support { claim, offered } => (0..*offered)
            .map(|place| {
                ReplyOption::of_move(narrator.support(*claim, place), Reply::Support(place))
            })
            .collect(),
        Request::Select { claim, count } => {
            let parts = log.parts_of(*claim, instance);
            let label = |place: u32| {
                let part = parts.get(place as usize);
                part.map_or_else(
                    || format!("Number {}", place + 1),
                    |part| instance.text(*part),
                )
            };
            (0..*count)
                .map(|place| ReplyOption::of_move(label(place), Reply::Select(place)))
                .collect()
        }
        Request::Challenge { steps, .. } => {
            let none = ReplyOption::of_move("No step is wrong", Reply::Challenge(None));
            let named = steps.clone().take(MOST_OPTIONS).map(|step| {
                let label = format!("Step {step} is wrong");
                ReplyOption::of_move(label, Reply::Challenge(Some(step)))
            });
            std::iter::once(none).chain(named).collect()
        }
        Request::Bits { ask, length } if *length <= MOST_BITS => (0..1_u32 << length)
            .rev()
            .map(|number| {
                let bits: Vec<bool> = (0..*length).map(|bit| number >> bit & 1 == 1).collect();
                let label = bits_in_words(&bits, *ask, narrator);
                ReplyOption::of_move(label, Reply::Bits(Bits::from(bits)))
            })
            .collect(),
        Request::Bits { .. } | Request::Draw { .. } => Vec::new(),
    };
    ("move", AnswerForm::OneOf(options))
}

/// A string of bits: where they are answers about subclaims, each with its subclaim.
fn bits_in_words(bits: &[bool], ask: Ask, narrator: &Narrator<'_>) -> String {
    let on = match ask {
        Ask::Answers { claim, support, .. } => {
            let support = narrator.instance.support(claim, support);
            support
                .map(|support| support.on.as_slice())
                .unwrap_or_default()
        }
        _ => &[],
    };
    let each = bits
        .iter()
        .enumerate()
        .map(|(place, bit)| match on.get(place) {
            Some(claim) => {
                let is = if *bit { "true" } else { "not true" };
                format!("{} {is}", narrator.brief(*claim))
            }
            None => u8::from(*bit).to_string(),
        });
    let between = if on.is_empty() { "" } else { ", " };
    each.collect::<Vec<_>>().join(between)
}
