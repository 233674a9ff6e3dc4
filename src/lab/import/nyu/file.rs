//! The file format of a debate of the NYU study, with its source word by word. Fields that the import does not need are
//! ignored.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A debate as a file of the NYU study stores it.
#[derive(Deserialize)]
pub(super) struct NyuDebate {
    pub(super) setup: NyuDebateSetup,
    pub(super) rounds: Vec<NyuRound>,
    #[serde(default)]
    pub(super) feedback: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[serde(rename = "NyuSetup")]
pub(super) struct NyuDebateSetup {
    #[serde(default)]
    pub(super) rules: Value,
    pub(super) source_material: BTreeMap<String, NyuSource>,
    pub(super) question: String,
    pub(super) answers: Vec<String>,
    pub(super) correct_answer_index: u32,
    pub(super) roles: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) creation_time: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct NyuRoundStructure {
    pub(super) fixed_opening: Vec<BTreeMap<String, NyuSpeechLimits>>,
    pub(super) repeating_structure: Vec<BTreeMap<String, NyuSpeechLimits>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[serde(rename = "RoundRules")]
pub(super) struct NyuSpeechLimits {
    pub(super) char_limit: Option<u32>,
    pub(super) quote_limit: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[serde(rename = "Source")]
pub(super) struct NyuSource {
    #[serde(default)]
    pub(super) article_id: Option<String>,
    pub(super) title: String,
    pub(super) contents: Vec<String>,
}

#[derive(Deserialize)]
pub(super) enum NyuRound {
    SimultaneousSpeeches {
        speeches: BTreeMap<String, NyuSpokenTurn>,
    },
    SequentialSpeeches {
        speeches: BTreeMap<String, NyuSpokenTurn>,
    },
    JudgeFeedback(NyuJudgeTurn),
    NegotiateEnd(serde::de::IgnoredAny),
    OfflineJudgments {
        judgments: BTreeMap<String, JudgementsOfOfflineJudge>,
    },
}

#[derive(Deserialize)]
#[serde(rename = "SpokenTurn")]
pub(super) struct NyuSpokenTurn {
    #[serde(default)]
    pub(super) content: Vec<NyuSpeechSegment>,
}

#[derive(Deserialize)]
#[serde(rename = "Segment")]
pub(super) enum NyuSpeechSegment {
    Text { text: String },
    Quote { span: (usize, usize) },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[serde(rename = "Feedback")]
pub(super) struct NyuJudgeTurn {
    pub(super) distribution: Vec<f64>,
    #[serde(rename = "feedback")]
    pub(super) said: NyuSpokenTurn,
    pub(super) end_debate: bool,
}

#[derive(Deserialize)]
#[serde(rename = "OfflineJudgement")]
pub(super) struct JudgementsOfOfflineJudge {
    #[serde(default)]
    pub(super) judgments: Vec<NyuJudgeTurn>,
}

/// The source text of a debate (a story), with the position of each word.
pub(super) struct NyuSourceText {
    pub(super) text: String,
    /// The start and end of each token in the text, in bytes.
    places: Vec<(usize, usize)>,
}

impl NyuSourceText {
    /// Joins the tokens of the source to a printed text. The tokens follow the Penn Treebank: quotation marks and
    /// clitics are separate tokens.
    pub(super) fn nyu_source_text_from_tokens(tokens: &[String]) -> Self {
        let mut text = String::new();
        let mut places = Vec::with_capacity(tokens.len());
        let mut glued = true;
        for token in tokens {
            let (shown, before, after) = printed(token);
            if !glued && !before {
                text.push(' ');
            }
            let start = text.len();
            text.push_str(shown);
            places.push((start, text.len()));
            glued = after;
        }
        Self { text, places }
    }

    /// Returns the number of tokens: words, parts of words and punctuation marks.
    pub(super) fn source_token_count(&self) -> usize {
        self.places.len()
    }

    /// Returns the words of the token range `start..end`, shortened to the length of the source. Returns an error if
    /// `start` is greater than `end`.
    pub(super) fn source_words_of_span(&self, start: usize, end: usize) -> Result<&str, String> {
        if start > end {
            let count = self.source_token_count();
            return Err(format!(
                "the span [{start}, {end}] begins after its end; the source has {count} words"
            ));
        }
        let places =
            &self.places[start.min(self.source_token_count())..end.min(self.source_token_count())];
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            return Ok("");
        };
        let words = self.text.get(first.0..last.1).unwrap_or_default();
        Ok(words.trim())
    }
}

/// Returns the printed form of a token; true if no space precedes it; and true if no space follows it.
fn printed(token: &str) -> (&str, bool, bool) {
    match token {
        "\n" => ("\n", true, true),
        "``" => ("“", false, true),
        "`" => ("‘", false, true),
        "''" => ("”", true, false),
        "-LRB-" => ("(", false, true),
        "-LSB-" => ("[", false, true),
        "-LCB-" => ("{", false, true),
        "-RRB-" => (")", true, false),
        "-RSB-" => ("]", true, false),
        "-RCB-" => ("}", true, false),
        "$" | "#" => (token, false, true),
        "." | "," | ";" | ":" | "?" | "!" | "..." | "%" | "'" | "n't" | "N'T" => {
            (token, true, false)
        }
        _ => (token, is_ending(token), false),
    }
}

/// True if the token is a clitic that was split off the end of a word: 's, 'll, 've.
fn is_ending(token: &str) -> bool {
    let rest = token.strip_prefix('\'').unwrap_or("");
    matches!(
        rest.to_ascii_lowercase().as_str(),
        "s" | "ll" | "re" | "ve" | "d" | "m"
    )
}
