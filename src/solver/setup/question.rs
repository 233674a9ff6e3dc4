//! Open questions with two answers and a source: from the file to the problem.

use serde::Deserialize;

use super::reader::{Method, ProblemForm, Result, ScenarioReader, ron_options};
use debate_core::scenario::{Question, QuestionSpec};
use debate_core::text::with_plain_lines;

#[derive(Deserialize)]
#[serde(rename = "Question", deny_unknown_fields)]
pub(super) struct RonQuestion {
    text: String,
    answers: (String, String),
    #[serde(default)]
    source: String,
    correct: Option<u32>,
}

/// The text of a scenario with the answers of its question, which its problem asks, in the other order;
/// `None` where that asks none.
pub(super) fn with_answers_swapped(text: &str, problem: &str) -> Option<String> {
    let written: RonQuestion = ron_options().from_str(problem).ok()?;
    let quoted = |text: &str| ron::to_string(text).ok();
    let (first, second) = &written.answers;
    let correct = match written.correct {
        Some(place) => format!("Some({})", 1_u32.checked_sub(place)?),
        None => "None".to_owned(),
    };
    let swapped = format!(
        "Question(text: {}, answers: ({}, {}), source: {}, correct: {correct})",
        quoted(&written.text)?,
        quoted(second)?,
        quoted(first)?,
        quoted(&written.source)?,
    );
    let (before, after) = text.split_once(problem)?;
    Some(format!("{before}{swapped}{after}"))
}

impl ProblemForm for RonQuestion {
    type Problem = Question;
    const KIND: &'static str = "question";
    const OWN_DECOMPOSITION: Option<&'static str> =
        Some("a question is answered in free speeches; leave `decomposition` out");

    fn problem(self, reader: &ScenarioReader<'_>, _: Method<'_>) -> Result<Question> {
        let at = &Self::path();
        // Questions are data from elsewhere. Other texts of a scenario are written for it and checked as they are.
        let plain = |text: &str| with_plain_lines(text).into_owned();
        let text = reader.prose(plain(&self.text), || at.then("text"))?;
        let answer =
            |text: &str, place| reader.prose(plain(text), || at.then("answers").item(place));
        let (first, second) = &self.answers;
        let answers = [answer(first, 0)?, answer(second, 1)?];
        let source = reader.prose(plain(&self.source), || at.then("source"))?;
        let spec = QuestionSpec {
            text,
            answers,
            source,
            correct: self.correct,
        };
        Question::build(spec, at).map_err(|flaw| reader.flaw(&flaw))
    }
}
