//! Open questions with two answers and a source: from the file to the problem.

use serde::Deserialize;

use super::reader::{Result, ScenarioReader, ron_options};
use super::written::{ProblemKind, RonDecomposition};
use debate_core::scenario::{Path, Question, QuestionSpec};

pub(super) const PROBLEM: ProblemKind = ProblemKind {
    name: "Question",
    kind: "question",
    about: "which of two answers is right, by a text that the debaters quote from",
    example: r#"Question(text: "Who left first?", answers: ("The cook", "The pilot"), source: "The cook stayed. The pilot left at noon.", correct: 1)"#,
    decompositions: &[None],
};

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

/// The problem that a question asks about.
pub(super) fn problem(
    reader: &ScenarioReader<'_>,
    written: RonQuestion,
    method: Option<&RonDecomposition>,
    at: &Path,
) -> Result<Question> {
    let why = "a question is answered in free speeches; leave `decomposition` out";
    reader.own_decomposition(method, why)?;
    let text = reader.prose(written.text, || at.then("text"))?;
    let answer = |text, place| reader.prose(text, || at.then("answers").item(place));
    let (first, second) = written.answers;
    let answers = [answer(first, 0)?, answer(second, 1)?];
    let source = reader.prose(written.source, || at.then("source"))?;
    let spec = QuestionSpec {
        text,
        answers,
        source,
        correct: written.correct,
    };
    Question::build(spec, at).map_err(|flaw| reader.flaw(&flaw))
}
