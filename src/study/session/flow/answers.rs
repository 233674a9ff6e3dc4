//! What each answer means.

use serde_json::json;

use super::{Asked, Assigned, Noted, Participant, Status, chosen, steps};
use crate::error::StudyError;
use crate::plan::Exclusion;
use crate::session::page::{Input, Percent, percent};
use crate::session::trial::TrialReply;
use debate_core::digest::Digest;

impl Participant<'_> {
    pub(super) fn screened(
        &mut self,
        min: (u16, u16),
        input: &Input,
    ) -> Result<Result<Noted, String>, StudyError> {
        let Input::Size(size) = input else {
            return Ok(Err("The size of the window is asked for.".to_owned()));
        };
        let fits = size.is_none_or(|(columns, rows)| columns >= min.0 && rows >= min.1);
        if !fits {
            self.status = Status::ScreenedOut;
        }
        let (columns, rows) = size.unzip();
        let payload = json!({"columns": columns, "rows": rows, "passed": fits});
        let noted = self.note("screener", payload);
        if fits {
            self.next()?;
        }
        Ok(Ok(noted))
    }

    pub(super) fn consented(
        &mut self,
        name: &str,
        input: &Input,
    ) -> Result<Result<Noted, String>, StudyError> {
        let agreed = *input == Input::Choice(0);
        let digest = Digest::of(self.study.text(name).as_bytes()).to_string();
        let noted = self.note("consent", json!({"agreed": agreed, "text_sha256": digest}));
        if agreed {
            self.next()?;
        } else {
            self.status = Status::NoConsent;
        }
        Ok(Ok(noted))
    }

    pub(super) fn quizzed(
        &mut self,
        file: &str,
        tries: u32,
        input: &Input,
    ) -> Result<Result<Noted, String>, StudyError> {
        let quiz = self.study.quiz(file);
        if self.within.again {
            self.within.again = false;
            return Ok(Ok(self.note("read", json!({}))));
        }
        let question = self.within.questions.last().copied().unwrap_or(0);
        let right = chosen(input).is_some_and(|place| place + 1 == quiz[question].right);
        let payload =
            json!({"question": question + 1, "right": right, "try": self.within.tries + 1});
        let noted = self.note("quiz", payload);
        self.within.questions.pop();
        if !right {
            self.within.wrong.push(question);
        }
        if !self.within.questions.is_empty() {
            return Ok(Ok(noted));
        }
        self.within.tries += 1;
        if self.within.wrong.is_empty() {
            self.next()?;
        } else if self.within.tries < tries {
            self.within.questions = std::mem::take(&mut self.within.wrong);
            self.within.questions.reverse();
            self.within.again = true;
        } else if self.study.plan.exclude.contains(&Exclusion::FailedQuiz) {
            self.status = Status::FailedQuiz;
        } else {
            self.next()?;
        }
        Ok(Ok(noted))
    }

    pub(super) fn attended(
        &mut self,
        right: usize,
        input: &Input,
    ) -> Result<Result<Noted, String>, StudyError> {
        let passed = chosen(input) == Some(right);
        self.attention_failed += u32::from(!passed);
        self.passed("attention", json!({"passed": passed}))
    }

    pub(super) fn surveyed(
        &mut self,
        file: &str,
        index: usize,
        input: &Input,
    ) -> Result<Result<Noted, String>, StudyError> {
        let question = &self.study.survey(file)[index];
        let answer = match steps::survey_value(question, input) {
            Ok(answer) => answer,
            Err(why) => return Ok(Err(why)),
        };
        self.passed("survey", json!({"question": question.id, "answer": answer}))
    }

    /// Takes what was said in a trial.
    pub(super) fn judge(
        &mut self,
        assigned: Assigned,
        input: &Input,
    ) -> Result<Result<Noted, String>, StudyError> {
        let asked = self
            .within
            .moment
            .as_ref()
            .map_or(Asked::Over, |moment| moment.asked.clone());
        let said = match &asked {
            Asked::Before | Asked::Round(_) | Asked::Final | Asked::Estimate { .. } => {
                return self.percent(assigned, &asked, input);
            }
            Asked::Move { options, .. } => {
                let place = chosen(input).unwrap_or(0);
                let noted = self.note("move", json!({"answer": options.get(place)}));
                (noted, TrialReply::Chosen(place))
            }
            Asked::Speech { .. } => {
                let Input::Text(text) = input else {
                    return Ok(Err("Type what you say.".to_owned()));
                };
                let noted = self.note("speech", json!({"characters": text.chars().count()}));
                (noted, TrialReply::Said(text.trim().to_owned()))
            }
            Asked::Query { claim, .. } => {
                let holds = *input == Input::Choice(0);
                let noted = self.note("query", json!({"claim": claim, "answer": holds}));
                (noted, TrialReply::Query(holds))
            }
            Asked::Continue => {
                let goes_on = *input == Input::Choice(0);
                let noted = self.note("continue", json!({"goes_on": goes_on}));
                (noted, TrialReply::Continue(goes_on))
            }
            Asked::Feedback => {
                let Input::Text(text) = input else {
                    return Ok(Err("Type a line, or nothing.".to_owned()));
                };
                let noted = self.note("feedback", json!({"characters": text.chars().count()}));
                (noted, TrialReply::Said(text.trim().to_owned()))
            }
            Asked::Over => return Ok(Err("The trial is over.".to_owned())),
        };
        self.say(said.1)?;
        Ok(Ok(said.0))
    }

    /// Takes a probability, in up to three steps: what was typed, what was meant, and that it is right.
    fn percent(
        &mut self,
        assigned: Assigned,
        asked: &Asked,
        input: &Input,
    ) -> Result<Result<Noted, String>, StudyError> {
        if let Some((typed, meant)) = self.within.perhaps.take() {
            let meant_it = *input == Input::Choice(0);
            let noted = self.note(
                "meant",
                json!({"typed": typed, "percent": meant_it.then_some(meant)}),
            );
            if meant_it {
                return self.typed(assigned, asked, meant, noted);
            }
            return Ok(Ok(noted));
        }
        if let Some(shown) = self.within.unconfirmed.take() {
            if *input != Input::Choice(0) {
                return Ok(Ok(self.note("change", json!({"percent": shown}))));
            }
            return self.given(assigned, asked, shown);
        }
        let Input::Text(text) = input else {
            return Ok(Err("Type a number of percent.".to_owned()));
        };
        let (min, max) = self.study.plan.response.range();
        match percent(text, min, max) {
            Percent::Not(why) => Ok(Err(why)),
            Percent::Perhaps { typed, percent } => {
                let noted = self.note("typed", json!({"typed": typed}));
                self.within.perhaps = Some((typed, percent));
                Ok(Ok(noted))
            }
            Percent::Is(shown) => {
                let noted = self.note("typed", json!({"percent": shown}));
                self.typed(assigned, asked, shown, noted)
            }
        }
    }

    /// Takes a percentage that is clear: it is to be confirmed, or counts at once.
    fn typed(
        &mut self,
        assigned: Assigned,
        asked: &Asked,
        shown: u8,
        noted: Noted,
    ) -> Result<Result<Noted, String>, StudyError> {
        if self.study.plan.response.confirms() {
            self.within.unconfirmed = Some(shown);
            return Ok(Ok(noted));
        }
        self.given(assigned, asked, shown)
    }

    /// Counts a percentage of the answer that stands first on the screen, or an estimate of a claim.
    fn given(
        &mut self,
        assigned: Assigned,
        asked: &Asked,
        shown: u8,
    ) -> Result<Result<Noted, String>, StudyError> {
        if let Asked::Estimate { .. } = asked {
            let noted = self.note("estimate", json!({"percent": shown}));
            self.say(TrialReply::Estimate(shown))?;
            return Ok(Ok(noted));
        }
        let kind = match asked {
            Asked::Before => "before",
            Asked::Round(_) => "round",
            _ => "final",
        };
        let first = if assigned.swap { 100 - shown } else { shown };
        let payload = json!({"percent": shown, "swap": assigned.swap, "first_percent": first});
        let noted = self.note(kind, payload);
        self.say(TrialReply::Percent(first))?;
        Ok(Ok(noted))
    }
}
