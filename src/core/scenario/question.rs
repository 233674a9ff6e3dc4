//! An open question with two answers and a source text, as a problem for free speeches.
//!
//! There is one world and one claim: the first answer is right.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer};

use super::decomposition::{Decomposition, World};
use super::flaw::{LocatedError, ScenarioPath};
use super::key::ClaimKey;
use super::speech::SourceText;

/// A question as a scenario file states it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename = "Question", deny_unknown_fields)]
pub struct QuestionSpec {
    pub text: String,
    #[serde(deserialize_with = "pair")]
    pub answers: [String; 2],
    /// The text that the debaters quote from; the judge does not see it.
    #[serde(default)]
    pub source: String,
    /// The right answer, 0 or 1, if it is known.
    pub correct: Option<u32>,
}

/// Reads two answers. Uses a tuple instead of an array for its error message if the number of answers is wrong.
fn pair<'de, D: Deserializer<'de>>(reader: D) -> Result<[String; 2], D::Error> {
    let (first, second) = Deserialize::deserialize(reader)?;
    Ok([first, second])
}

/// A question with two answers and a source.
#[derive(Debug)]
pub struct Question {
    text: String,
    answers: [String; 2],
    source: Arc<SourceText>,
    /// True if the first answer is right.
    first_is_right: Option<bool>,
    worlds: [World; 1],
    /// For each answer, the sentences of the source, sorted by the number of words that they share with the answer and
    /// the question; computed at the first use.
    nearest: [OnceLock<Vec<Range<usize>>>; 2],
}

impl Question {
    /// Checks a question and makes it a problem.
    ///
    /// # Errors
    /// Returns the first flaw, with its path.
    pub fn build(spec: QuestionSpec, at: &ScenarioPath) -> Result<Self, LocatedError> {
        if spec.text.trim().is_empty() {
            return Err(at
                .then_field("text")
                .flaw("the question is empty; write one"));
        }
        for (index, answer) in spec.answers.iter().enumerate() {
            if answer.trim().is_empty() {
                let answers = at.then_field("answers").item(index);
                return Err(answers.flaw("the answer is empty; write one"));
            }
        }
        let [first, second] = spec.answers.each_ref().map(|answer| answer.trim());
        if first == second {
            let answers = at.then_field("answers");
            return Err(answers.flaw("both answers are equal; change one"));
        }
        let first_is_right = match spec.correct {
            None => None,
            Some(index @ (0 | 1)) => Some(index == 0),
            Some(index) => {
                return Err(at.then_field("correct").flaw(format_args!(
                    "there is no answer {index}; write 0 for the first or 1 for the second"
                )));
            }
        };
        Ok(Self {
            text: spec.text,
            answers: spec.answers,
            source: Arc::new(SourceText::new(spec.source)),
            first_is_right,
            worlds: [World::new("question")],
            nearest: Default::default(),
        })
    }

    /// Returns the question itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the first answer and the second.
    pub fn answers(&self) -> [&str; 2] {
        self.answers.each_ref().map(String::as_str)
    }

    /// Returns the text that the debaters quote from.
    pub fn source(&self) -> &Arc<SourceText> {
        &self.source
    }

    /// Returns the sentences of the source, sorted by the number of words shared with this answer and with the
    /// question, highest first. Empty if there is no such answer.
    pub fn nearest_sentences(&self, answer: usize) -> impl Iterator<Item = &str> {
        let sentences = self
            .nearest
            .get(answer)
            .zip(self.answers.get(answer))
            .map(|(known, text)| known.get_or_init(|| self.by_nearness(text)))
            .into_iter()
            .flatten();
        sentences.filter_map(|at| self.source.as_str().get(at.clone()))
    }

    fn by_nearness(&self, answer: &str) -> Vec<Range<usize>> {
        let (answer, asked) = (words(answer), words(&self.text));
        let mut sentences: Vec<_> = self.source.sentences().collect();
        // The sort is stable: sentences with equal scores keep the order of the source.
        sentences.sort_by_cached_key(|at| {
            let words = words(self.source.as_str().get(at.clone()).unwrap_or_default());
            // A word of the answer counts for more than all of the question's.
            let shared = 100 * words.intersection(&answer).count();
            Reverse(shared + words.intersection(&asked).count())
        });
        sentences
    }
}

/// Returns the words of a text that are longer than three letters, in lower case.
fn words(text: &str) -> HashSet<String> {
    let each = text.split(|c: char| !c.is_alphanumeric());
    each.filter(|word| word.chars().count() > 3)
        .map(str::to_lowercase)
        .collect()
}

impl Decomposition for Question {
    fn worlds(&self) -> &[World] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey::from_number(0)
    }

    fn truth(&self, _key: &ClaimKey, _world: usize) -> Option<bool> {
        self.first_is_right
    }

    fn is_decidable(&self, _world: usize) -> bool {
        self.first_is_right.is_some()
    }

    fn has_claims(&self) -> bool {
        false
    }

    fn text(&self, _key: &ClaimKey, _world: usize) -> String {
        format!("{} {}", self.text.trim(), self.answers[0].trim())
    }

    fn short_text(&self, _key: &ClaimKey, _world: usize) -> String {
        self.answers[0].trim().to_owned()
    }

    fn as_question(&self) -> Option<&Question> {
        Some(self)
    }
}
