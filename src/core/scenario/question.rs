//! An open question with two answers and a source text, as a problem for free speeches.
//!
//! There is one world and one claim: the first answer is right.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize};

use super::decomposition::{Decomposition, PossibleWorld};
use super::flaw::{ScenarioValueError, ScenarioValuePath};
use super::key::ClaimKey;
use super::speech::{QuotableSource, QuoteRule, Speech, SpeechCharacterLimits};

/// A question in the form in which a scenario file writes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename = "Question", deny_unknown_fields)]
pub struct DebateQuestionSpec {
    pub text: String,
    #[serde(deserialize_with = "pair")]
    pub answers: [String; 2],
    /// The text from which the debaters quote. The judge does not see it.
    #[serde(default)]
    pub source: String,
    /// The index of the right answer, 0 or 1, if it is known.
    pub correct: Option<u32>,
    /// Prepared speeches for the first answer, and prepared speeches for the second.
    #[serde(default)]
    pub material: Option<(PreparedSpeechesSpec, PreparedSpeechesSpec)>,
}

/// Prepared speeches of a debater for one answer, in the form in which a scenario file writes them. Quotes are between
/// `<quote>` and `</quote>`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Material", deny_unknown_fields, default)]
pub struct PreparedSpeechesSpec {
    /// One argument per round.
    pub arguments: Vec<String>,
    /// Replies to the judge.
    pub replies: Vec<PreparedReplyToJudge>,
}

/// A prepared reply to the judge, in the form in which a scenario file writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Reply", deny_unknown_fields)]
pub struct PreparedReplyToJudge {
    /// Keywords: the debater gives this prepared reply if the judge's message contains one of them. A word of four
    /// letters or more also matches longer words that begin with it.
    pub to: Vec<String>,
    pub text: String,
}

/// Prepared speeches of a debater for one answer.
#[derive(Clone, Debug, Default)]
pub struct PreparedSpeeches {
    arguments: Vec<Speech>,
    replies: Vec<(Vec<String>, Speech)>,
}

impl PreparedSpeeches {
    fn build(
        spec: PreparedSpeechesSpec,
        source: &QuotableSource,
        at: &ScenarioValuePath,
    ) -> Result<Self, ScenarioValueError> {
        let arguments = spec.arguments.iter().enumerate();
        let arguments = arguments
            .map(|(index, text)| {
                prepared(
                    text,
                    source,
                    &at.path_of_field("arguments").then_list_item(index),
                )
            })
            .collect::<Result<_, _>>()?;
        let mut replies = Vec::new();
        for (index, reply) in spec.replies.into_iter().enumerate() {
            let at = at.path_of_field("replies").then_list_item(index);
            if reply.to.is_empty() {
                return Err(at.path_of_field("to").error_at_path(
                    "the list is empty; add a word that the judge's question may contain",
                ));
            }
            for (index, word) in reply.to.iter().enumerate() {
                if word.is_empty() || !word.chars().all(|c| c.is_lowercase() || c.is_numeric()) {
                    let at = at.path_of_field("to").then_list_item(index);
                    return Err(at.error_at_path("write one word in lower case, such as \"oil\""));
                }
            }
            let speech = prepared(&reply.text, source, &at.path_of_field("text"))?;
            replies.push((reply.to, speech));
        }
        Ok(Self { arguments, replies })
    }

    /// Returns the prepared argument for a round; rounds are counted from 1.
    pub fn prepared_argument(&self, round: u32) -> Option<&Speech> {
        self.arguments.get(round.checked_sub(1)? as usize)
    }

    /// Returns the prepared reply with the most keywords in the judge's message; if several have equally many, the
    /// first one. `None` if no keyword of any reply is in the message.
    pub fn reply_with_most_keywords_in(&self, judge_message: &str) -> Option<&Speech> {
        let words = lower_case_words(judge_message);
        let is_used = |key: &&String| {
            words.iter().any(|word| {
                word == *key || key.chars().count() >= 4 && word.starts_with(key.as_str())
            })
        };
        let matches = |(to, _): &&(Vec<String>, Speech)| to.iter().filter(is_used).count();
        // `max_by_key` returns the last of equal replies.
        let best = self.replies.iter().rev().max_by_key(matches)?;
        (matches(&best) > 0).then_some(&best.1)
    }
}

/// Returns the words of a text in lower case.
pub(crate) fn lower_case_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Parses a prepared speech. Returns an error if the text is not a valid speech, or if a quote is not in the source.
fn prepared(
    text: &str,
    source: &QuotableSource,
    at: &ScenarioValuePath,
) -> Result<Speech, ScenarioValueError> {
    let speech = Speech::parse(text).map_err(|error| at.error_at_path(error))?;
    let limits = SpeechCharacterLimits::default();
    let checked = speech.with_checked_quotes(source, &limits, QuoteRule::Strict);
    checked.map_err(|error| at.error_at_path(error))
}

/// Reads the two answers of a question, for `deserialize_with`. Reads a tuple, because its error message about a wrong
/// number of answers is clearer than an array's.
fn pair<'de, D: Deserializer<'de>>(reader: D) -> Result<[String; 2], D::Error> {
    let (first, second) = Deserialize::deserialize(reader)?;
    Ok([first, second])
}

/// A question with two answers and a source text.
#[derive(Debug)]
pub struct TwoAnswerQuestion {
    text: String,
    answers: [String; 2],
    source: Arc<QuotableSource>,
    /// True if the first answer is right, false if the second is; `None` if that is unknown.
    first_is_right: Option<bool>,
    /// The prepared speeches for the first answer and for the second; `None` if the scenario has none.
    material: Option<[PreparedSpeeches; 2]>,
    worlds: [PossibleWorld; 1],
    /// For each answer, the sentences of the source, most relevant first: sorted by the number of long words that they
    /// share with the answer, then with the question. Computed at the first use.
    nearest: [OnceLock<Vec<Range<usize>>>; 2],
}

impl TwoAnswerQuestion {
    /// Checks a question and builds the problem from it.
    ///
    /// # Errors
    /// Returns the first flaw, with its path.
    pub fn build(
        spec: DebateQuestionSpec,
        at: &ScenarioValuePath,
    ) -> Result<Self, ScenarioValueError> {
        if spec.text.trim().is_empty() {
            return Err(at
                .path_of_field("text")
                .error_at_path("the question's text is empty in the file; write it"));
        }
        for (index, answer) in spec.answers.iter().enumerate() {
            if answer.trim().is_empty() {
                let answers = at.path_of_field("answers").then_list_item(index);
                return Err(answers.error_at_path(
                    "one of the question's two answers is empty in the file; write its text",
                ));
            }
        }
        let [first, second] = spec.answers.each_ref().map(|answer| answer.trim());
        if first == second {
            let answers = at.path_of_field("answers");
            return Err(answers
                .error_at_path("the question's two answers are equal in the file; change one"));
        }
        let first_is_right = match spec.correct {
            None => None,
            Some(index @ (0 | 1)) => Some(index == 0),
            Some(index) => {
                return Err(at.path_of_field("correct").error_at_path(format_args!(
                    "the question has no answer {index}; write 0 for the first or 1 for the second"
                )));
            }
        };
        let source = Arc::new(QuotableSource::new(spec.source));
        let material = match spec.material {
            None => None,
            Some((first, second)) => {
                let at = at.path_of_field("material");
                Some([
                    PreparedSpeeches::build(first, &source, &at.then_list_item(0))?,
                    PreparedSpeeches::build(second, &source, &at.then_list_item(1))?,
                ])
            }
        };
        Ok(Self {
            text: spec.text,
            answers: spec.answers,
            source,
            material,
            first_is_right,
            worlds: [PossibleWorld::new("question")],
            nearest: Default::default(),
        })
    }

    /// Returns the question itself.
    pub fn question_text(&self) -> &str {
        &self.text
    }

    /// Returns the texts of the first answer and of the second.
    pub fn answers(&self) -> [&str; 2] {
        self.answers.each_ref().map(String::as_str)
    }

    /// Returns the text from which the debaters quote.
    pub fn source(&self) -> &Arc<QuotableSource> {
        &self.source
    }

    /// Returns the prepared speeches for the answer with this index. `None` if the scenario has none.
    pub fn prepared_speeches_for_answer(&self, answer: u8) -> Option<&PreparedSpeeches> {
        self.material.as_ref()?.get(usize::from(answer))
    }

    /// Returns the sentences of the source directly before and after a quote.
    pub fn sentences_around_quote(&self, quote: &str) -> [Option<&str>; 2] {
        let Some(at) = self.source.find_in_exact_case(quote) else {
            return [None, None];
        };
        let before = self
            .source
            .sentences()
            .filter(|it| it.end <= at.start)
            .last();
        let after = self.source.sentences().find(|it| it.start >= at.end);
        [before, after].map(|it| self.source.as_str().get(it?))
    }

    /// Returns the sentences of the source, most relevant first: sorted by the number of words of over three letters
    /// that they share with this answer, then with the question. Empty if there is no such answer.
    pub fn source_sentences_by_relevance(&self, answer: usize) -> impl Iterator<Item = &str> {
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
            // One word shared with the answer counts as much as 100 words shared with the question.
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

impl Decomposition for TwoAnswerQuestion {
    fn worlds(&self) -> &[PossibleWorld] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey::key_of_claim_number(0)
    }

    fn truth(&self, _key: &ClaimKey, _world: usize) -> Option<bool> {
        self.first_is_right
    }

    fn is_decidable(&self, _world: usize) -> bool {
        self.first_is_right.is_some()
    }

    fn can_split_root(&self) -> bool {
        false
    }

    fn text(&self, _key: &ClaimKey, _world: usize) -> String {
        format!("{} {}", self.text.trim(), self.answers[0].trim())
    }

    fn short_text(&self, _key: &ClaimKey, _world: usize) -> String {
        self.answers[0].trim().to_owned()
    }

    fn as_question(&self) -> Option<&TwoAnswerQuestion> {
        Some(self)
    }
}
