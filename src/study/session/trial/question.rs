//! Requests of the debate's rules to a participant on a page, and the conversion of answers to replies.

use serde_json::{Value, json};

use super::SPEECH;
use super::request_words::RequestTextInputs;
use crate::error::{Result, StudyError};
use crate::plan::StudyPlan;
use crate::session::page::{ParticipantInput, rejected_answer_error};
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{Log, PendingTurn, Reply, Seat};
use debate_core::scenario::{ClaimId, Speech, SpeechCharacterLimits};
use debate_text::{DebateNarrator, LabelledReply};

/// Maximum number of options on a page.
const MAX_OPTIONS: usize = 30;
/// Maximum number of characters of a speech, even if the rules allow more.
const MAX_SPEECH: usize = 4000;
/// Maximum number of characters of a judge's feedback to the debaters.
const MAX_FEEDBACK: usize = 1000;

/// A request of the debate's rules to a participant, as a page shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestToParticipant {
    /// The request's name in the session's log: `query`, `continue`, `feedback`, `move`, `estimate` or `speech`.
    pub kind: &'static str,
    pub question: String,
    /// The claim that the judge checks, if the question is only whether it is true.
    pub checked_claim: Option<String>,
    /// The answer for which the participant argues, if the request is for a speech of a debater.
    pub argued_answer: Option<String>,
    /// The limits of the length of a speech.
    pub speech_limits: SpeechCharacterLimits,
    /// The evidence that the judge is shown for the claim that the request asks about, if there is any.
    pub evidence: Option<String>,
    pub form: AnswerForm,
    /// Index of the right option, if one is right. Only simulated and rehearsed participants use it.
    pub right: Option<usize>,
}

/// The form of the answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerForm {
    OneOf(Vec<StudyPageReplyOption>),
    /// The answer is a whole percentage, which a debater gives in public.
    Percent,
    /// The answer is a text; the number is the maximum of its characters.
    Text(usize),
}

/// An option of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyPageReplyOption {
    pub label: String,
    pub reply: Reply<Exact>,
    /// The payload for the log.
    note: Value,
}

/// Converts a whole percentage to the reply that states this probability.
pub(crate) fn probability_reply(percent: u8) -> Reply<Exact> {
    Reply::Probability(Exact::ratio(i64::from(percent), 100))
}

impl RequestToParticipant {
    /// Returns the page's request for a turn of the participant, whose seat is `turn.seat`, in the words of the study.
    pub(super) fn of(
        turn: &PendingTurn<Exact>,
        log: &Log<Exact>,
        narrator: &DebateNarrator<'_>,
        plan: &StudyPlan,
    ) -> Result<Self> {
        let prompt = narrator.pending_question(turn, log);
        // Studies of format 3 and earlier keep the words of the rules.
        let words = (!plan.has_words_of_format_3).then_some(RequestTextInputs {
            plan,
            turn,
            log,
            narrator,
        });
        let (kind, form) = form(turn, log, narrator, words.as_ref());
        let options = match &form {
            AnswerForm::OneOf(options) => options.len(),
            AnswerForm::Percent | AnswerForm::Text(_) => 1,
        };
        let is_judge = turn.seat == Seat::Judge;
        let fits = match kind {
            "query" | "continue" | "feedback" => is_judge,
            "move" | "speech" => !is_judge && (1..=MAX_OPTIONS).contains(&options),
            _ => true,
        };
        if !fits {
            let requested_reply = turn.request.requested_reply_phrase();
            return Err(StudyError::Debate(if is_judge {
                format!(
                    "study pages cannot ask the judge for {requested_reply}; choose other rules"
                )
            } else {
                format!(
                    "study pages cannot ask the participant for {requested_reply}; choose other rules"
                )
            }));
        }
        let claim_of_request = turn.request.claim_of_request();
        let claim = claim_of_request.filter(|_| kind == "query");
        let is_plain = |claim: &ClaimId| {
            narrator
                .instance
                .warranted_claim_and_support(*claim)
                .is_none()
        };
        let checked = claim.filter(is_plain);
        let truth = claim.and_then(|claim| narrator.instance.truth(claim));
        Ok(Self {
            kind,
            question: match kind {
                "feedback" => "Is there anything that you want to say to the debaters? To say nothing, press Enter.".to_owned(),
                "continue" => "Do you want to hear another round?".to_owned(),
                _ => words.and_then(|it| it.question()).unwrap_or(prompt.text),
            },
            argued_answer: argued_answer(turn, narrator),
            speech_limits: turn.request.speech_limits().unwrap_or_default(),
            checked_claim: checked.map(|claim| narrator.instance.text(claim)),
            evidence: prompt.evidence.filter(|_| is_judge),
            form,
            right: truth.map(|truth| usize::from(!truth)),
        })
    }

    /// Converts a participant's answer to a reply, with the payload for the log. Percentages use [`probability_reply`]
    /// instead.
    ///
    /// # Errors
    /// If the input does not answer this request, or if the speech is not allowed.
    pub(crate) fn reply_from_input(
        &self,
        input: &ParticipantInput,
        plan: &StudyPlan,
    ) -> Result<(Reply<Exact>, Value)> {
        match (&self.form, input) {
            (AnswerForm::OneOf(options), ParticipantInput::Choice(index))
                if *index < options.len() =>
            {
                let option = &options[*index];
                Ok((option.reply.clone(), option.note.clone()))
            }
            (AnswerForm::Text(_), ParticipantInput::Text(text)) => {
                let note = json!({"characters": text.chars().count()});
                let speech = match self.kind {
                    "feedback" => Ok(Speech::from_own_words(text.trim())),
                    _ => Speech::parse(text.trim()),
                };
                let speech =
                    speech.map_err(|why| StudyError::Refused(plan.speech_error_sentence(&why)))?;
                Ok((Reply::Speech(Box::new(speech)), note))
            }
            _ => Err(rejected_answer_error(plan)),
        }
    }

    /// Returns the answer of a rehearsed participant, who is right about small claims and gives 50 % elsewhere. A
    /// higher `attempt` selects another option of a move; `None` if there are no more options.
    pub(super) fn rehearsed_participant_reply(&self, attempt: usize) -> Option<Reply<Exact>> {
        match &self.form {
            AnswerForm::OneOf(options) => {
                let index = self.right.unwrap_or(0) + attempt;
                options.get(index).map(|option| option.reply.clone())
            }
            AnswerForm::Percent => Some(probability_reply(50)),
            AnswerForm::Text(_) => {
                let words = if self.kind == "speech" { SPEECH } else { "" };
                Some(Reply::Speech(Box::new(Speech::from_own_words(words))))
            }
        }
    }
}

/// Returns the answer for which the participant argues. `None` if the request is not for a speech of a debater.
fn argued_answer(turn: &PendingTurn<Exact>, narrator: &DebateNarrator<'_>) -> Option<String> {
    let index = usize::from(turn.request.argued_answer_index()?);
    let question = narrator.instance.as_two_answer_question()?;
    question.answers().get(index).map(|it| (*it).to_owned())
}

/// Returns the kind of a request and the form of its answer. The options are empty if they cannot be listed.
fn form(
    turn: &PendingTurn<Exact>,
    log: &Log<Exact>,
    narrator: &DebateNarrator<'_>,
    words: Option<&RequestTextInputs<'_>>,
) -> (&'static str, AnswerForm) {
    let request = &turn.request;
    let kind = match request.reply_name() {
        "probability" => return ("estimate", AnswerForm::Percent),
        "speech" if request.argued_answer_index().is_none() => {
            return ("feedback", AnswerForm::Text(MAX_FEEDBACK));
        }
        "speech" => return ("speech", AnswerForm::Text(MAX_SPEECH)),
        "oracle" => "query",
        "continue" => "continue",
        _ => "move",
    };
    let claim = request.claim_for_judge_to_decide().map(|claim| {
        let name = narrator.instance.claim_id_in_file(claim).map(str::to_owned);
        name.unwrap_or_else(|| narrator.instance.text(claim))
    });
    let choices = narrator.reply_choices(turn, log, MAX_OPTIONS);
    let options = choices.into_iter().map(|LabelledReply { label, reply }| {
        let note = match &reply {
            Reply::Oracle { holds, .. } => json!({"claim": claim, "answer": holds}),
            Reply::Continue(continues) => json!({"goes_on": continues}),
            // The label before translation, so that the log is the same in every language.
            _ => json!({"answer": label}),
        };
        let label = words.and_then(|it| it.option(&reply)).unwrap_or(label);
        StudyPageReplyOption { label, reply, note }
    });
    (kind, AnswerForm::OneOf(options.collect()))
}
