//! The published JSON format of a debate in free speeches.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{FORMAT, ImportError};
use debate_core::number::{Exact, Number as _, parse};
use debate_core::scenario::{Speech, SpeechPart};
use debate_core::text::{
    normalise_invisible_characters, replace_unsafe_multiline, strip_byte_order_mark,
};
use debate_host::message::SerializedSpeechPart;

/// A debate in free speeches, or a consultancy (a debate with a single debater).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(rename = "Transcript")]
pub struct ImportedSpeechDebate {
    /// The version of the transcript format: 1.
    pub format: u32,
    /// The debate's name, from which the save's name is derived.
    pub name: String,
    pub question: String,
    /// The two possible answers to the question. The first debater argues for the first answer.
    pub answers: [String; 2],
    /// The index of the right answer, 0 or 1; null if it is unknown.
    #[serde(default)]
    pub correct: Option<u32>,
    /// The text from which the debaters quote.
    #[serde(default)]
    pub source: String,
    /// The name of the source text. Judgements about the same source are not independent.
    #[serde(default)]
    pub story: Option<String>,
    /// The experimental condition, such as "human debate".
    #[serde(default)]
    pub condition: Option<String>,
    /// The names of the debaters for the first and the second answer. Null for an answer without a debater; the other
    /// debater is then a consultant.
    pub debaters: [Option<String>; 2],
    /// The judge during the debate.
    #[serde(default)]
    pub judge: Option<String>,
    /// The start of the debate, in UTC as RFC 3339: "2023-05-05T14:49:01Z".
    #[serde(default)]
    pub started: Option<String>,
    /// The judge's judgement before the first speech.
    #[serde(default)]
    pub opening: Option<RoundJudgement>,
    pub rounds: Vec<ImportedSpeechRound>,
    /// Judgements that other judges made of the finished debate.
    #[serde(default)]
    pub judgements: Vec<RoundJudgementsByAnotherJudge>,
    /// Text shown at the end of the debate, such as answers to a questionnaire.
    #[serde(default)]
    pub remarks: String,
    /// Any names and values.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

/// A round: a speech of each debater, and the judge's judgement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(rename = "TranscriptRound")]
pub struct ImportedSpeechRound {
    /// True if neither debater saw the other's speech of this round.
    #[serde(default)]
    pub simultaneous: bool,
    /// The speeches for the first and the second answer; null if the debater gave no speech.
    pub speeches: [Option<ImportedSpeech>; 2],
    /// The judge's judgement after the round: probability, feedback, and the decision to end the debate. Null if the
    /// judge was not asked.
    #[serde(default)]
    pub judgement: Option<RoundJudgement>,
}

/// One judgement of a judge: a probability, feedback, and the decision to end the debate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(rename = "JudgedTurn")]
pub struct RoundJudgement {
    /// The judge's probability that the first answer is right.
    pub p_first: WrittenProbability,
    /// The judge's feedback to the debaters.
    #[serde(default)]
    pub says: Option<ImportedSpeech>,
    /// True if the judge ended the debate, false if the judge asked for another round. If omitted, only a judgement
    /// after the transcript's last round ends the debate. The last judgement of another judge also counts as the end.
    #[serde(default)]
    pub ends: Option<bool>,
}

/// The judgements that another judge made of a finished debate, round by round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(rename = "LaterJudgement")]
pub struct RoundJudgementsByAnotherJudge {
    pub judge: String,
    /// The judge's judgements: before the first round, after the first round, and so on, until the judge stopped.
    pub turns: Vec<RoundJudgement>,
}

/// A probability from 0 to 1, written as a number or as a text such as "1/3" or "62 %".
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "Likelihood")]
pub enum WrittenProbability {
    Number(f64),
    Text(String),
}

impl WrittenProbability {
    /// Returns the exact probability that was written.
    pub(super) fn exact_probability(&self) -> Result<Exact, String> {
        let text = match self {
            // The shortest decimal that reads back as the same number.
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        };
        let p = parse(&text).map_err(|error| error.to_string())?;
        if p.is_probability() {
            Ok(p)
        } else {
            Err(format!(
                "the value {text} is not a probability; give a number from 0 to 1"
            ))
        }
    }
}

/// A speech: a text that marks quotes with `<quote>` and `</quote>`, or a list of text parts and quotes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "SpokenText")]
pub enum ImportedSpeech {
    Marked(String),
    Parts(Vec<SerializedSpeechPart>),
}

impl ImportedSpeech {
    /// Returns the texts of the speech as they are in the file.
    pub(super) fn imported_speech_part_texts(&self) -> Vec<&str> {
        match self {
            Self::Marked(text) => vec![text],
            Self::Parts(parts) => parts
                .iter()
                .map(SerializedSpeechPart::text_of_speech_part)
                .collect(),
        }
    }

    /// Converts the file's text to a speech. Characters that could disturb a terminal are replaced by a visible mark.
    pub(super) fn to_displayable_speech(&self) -> Result<Speech, String> {
        let parts = match self {
            Self::Marked(text) => {
                Speech::parse(text)
                    .map_err(|error| error.to_string())?
                    .parts
            }
            Self::Parts(parts) => parts.iter().cloned().map(SpeechPart::from).collect(),
        };
        Ok(clean(&parts))
    }
}

fn clean(parts: &[SpeechPart]) -> Speech {
    let safe = |words: &str| {
        replace_unsafe_multiline(&normalise_invisible_characters(words).text).into_owned()
    };
    let clean = |part: &SpeechPart| match part {
        SpeechPart::Text(words) => SpeechPart::Text(safe(words)),
        SpeechPart::Quote(words) => SpeechPart::Quote(safe(words)),
    };
    Speech {
        parts: parts.iter().map(clean).collect(),
    }
}

impl ImportedSpeechDebate {
    /// Reads a transcript from the text of a file.
    ///
    /// # Errors
    /// If the text is not a transcript of this format.
    pub fn parse_transcript(text: &str) -> Result<Self, ImportError> {
        let read: Self = serde_json::from_str(strip_byte_order_mark(text))?;
        if read.format == FORMAT {
            return Ok(read);
        }
        let what =
            "is not a supported transcript format; this version of the program reads format 1";
        Err(ImportError::error_at_place(
            "format",
            format_args!("{} {what}", read.format),
        ))
    }
}
