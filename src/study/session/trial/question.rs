//! Requests of the rules as a page asks them, and the reply that an answer makes.

use serde_json::{Value, json};

use super::SPEECH;
use crate::error::{Result, StudyError};
use crate::session::page::Input;
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{Log, Reply, Seat, Turn};
use debate_core::scenario::Speech;
use debate_text::{Narrator, ReplyChoice};

/// The most options of a page.
const MOST_OPTIONS: usize = 30;
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
    ) -> Result<Self> {
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
            return Err(StudyError::Debate(if is_judge {
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
    pub(crate) fn reply(&self, input: &Input) -> Result<(Reply<Exact>, Value)> {
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
    let request = &turn.request;
    let kind = match request.reply_name() {
        "probability" => return ("estimate", AnswerForm::Percent),
        "speech" if request.argues_for().is_none() => {
            return ("feedback", AnswerForm::Text(MOST_FEEDBACK));
        }
        "speech" => return ("speech", AnswerForm::Text(MOST_SPEECH)),
        "oracle" => "query",
        "continue" => "continue",
        _ => "move",
    };
    let claim = request.judged_claim().map(|claim| {
        let name = narrator.instance.id(claim).map(str::to_owned);
        name.unwrap_or_else(|| narrator.instance.text(claim))
    });
    let choices = narrator.choices(turn, log, MOST_OPTIONS);
    let options = choices.into_iter().map(|ReplyChoice { label, reply }| {
        let note = match &reply {
            Reply::Oracle { holds, .. } => json!({"claim": claim, "answer": holds}),
            Reply::Continue(goes_on) => json!({"goes_on": goes_on}),
            _ => json!({"answer": label}),
        };
        ReplyOption { label, reply, note }
    });
    (kind, AnswerForm::OneOf(options.collect()))
}
