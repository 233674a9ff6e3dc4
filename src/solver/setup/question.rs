//! Questions for free-text debates, with two answers and a source: builds the problem.

use super::reader::{ProblemInFile, RequestedDecomposition, Result, ScenarioReader, ron_options};
use debate_core::scenario::{
    DebateQuestionSpec, PreparedSpeechesSpec, ScenarioValuePath, TwoAnswerQuestion,
};
use debate_core::text::normalise_text_keeping_tabs;

/// Returns the text of a scenario file with the two answers of its question swapped; `None` if its problem is not a
/// question.
pub(super) fn scenario_text_with_answers_swapped(text: &str, problem: &str) -> Option<String> {
    let written: DebateQuestionSpec = ron_options().from_str(problem).ok()?;
    let ron_string_literal = |text: &str| ron::to_string(text).ok();
    let [first, second] = &written.answers;
    let correct = match written.correct {
        Some(index) => format!("Some({})", 1_u32.checked_sub(index)?),
        None => "None".to_owned(),
    };
    let material = match &written.material {
        Some((first, second)) => format!(", material: {}", ron::to_string(&(second, first)).ok()?),
        None => String::new(),
    };
    let swapped = format!(
        "Question(text: {}, answers: ({}, {}), source: {}, correct: {correct}{material})",
        ron_string_literal(&written.text)?,
        ron_string_literal(second)?,
        ron_string_literal(first)?,
        ron_string_literal(&written.source)?,
    );
    let (before, after) = text.split_once(problem)?;
    Some(format!("{before}{swapped}{after}"))
}

impl ProblemInFile for DebateQuestionSpec {
    type Problem = TwoAnswerQuestion;
    const KIND: &'static str = "question";
    const OWN_DECOMPOSITION: Option<&'static str> =
        Some("a question is debated in free speeches; remove `decomposition`");

    fn problem(
        self,
        reader: &ScenarioReader<'_>,
        _: RequestedDecomposition<'_>,
    ) -> Result<TwoAnswerQuestion> {
        let at = &Self::path();
        // Questions are imported data, so line ends and invisible characters are normalised before the check. In the
        // other texts of a scenario, which are written for it, invisible characters are errors.
        let plain = |text: &str, path: &ScenarioValuePath| {
            reader.checked_prose(normalise_text_keeping_tabs(text).into_owned(), || {
                path.clone()
            })
        };
        let answers = at.path_of_field("answers");
        let [first, second] = &self.answers;
        let material = at.path_of_field("material");
        let material = match self.material {
            Some((first, second)) => Some((
                plain_material(first, &material.then_list_item(0), &plain)?,
                plain_material(second, &material.then_list_item(1), &plain)?,
            )),
            None => None,
        };
        let spec = Self {
            text: plain(&self.text, &at.path_of_field("text"))?,
            answers: [
                plain(first, &answers.then_list_item(0))?,
                plain(second, &answers.then_list_item(1))?,
            ],
            source: plain(&self.source, &at.path_of_field("source"))?,
            correct: self.correct,
            material,
        };
        TwoAnswerQuestion::build(spec, at).map_err(|flaw| reader.scenario_error_in_value(&flaw))
    }
}

/// Applies `plain`, which normalises characters, to all prepared speeches for one answer.
fn plain_material(
    mut material: PreparedSpeechesSpec,
    at: &ScenarioValuePath,
    plain: &dyn Fn(&str, &ScenarioValuePath) -> Result<String>,
) -> Result<PreparedSpeechesSpec> {
    for (index, text) in material.arguments.iter_mut().enumerate() {
        *text = plain(text, &at.path_of_field("arguments").then_list_item(index))?;
    }
    for (index, reply) in material.replies.iter_mut().enumerate() {
        reply.text = plain(
            &reply.text,
            &at.path_of_field("replies")
                .then_list_item(index)
                .path_of_field("text"),
        )?;
    }
    Ok(material)
}
