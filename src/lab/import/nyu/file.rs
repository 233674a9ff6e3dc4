//! A debate as its file has it. What is not needed is passed over.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A debate.
#[derive(Deserialize)]
pub(super) struct Debate {
    pub(super) setup: Setup,
    pub(super) rounds: Vec<Round>,
    #[serde(default)]
    pub(super) feedback: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Setup {
    #[serde(default)]
    pub(super) rules: Value,
    pub(super) source_material: BTreeMap<String, Source>,
    pub(super) question: String,
    pub(super) answers: Vec<String>,
    pub(super) correct_answer_index: u32,
    pub(super) roles: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) creation_time: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Rules {
    pub(super) fixed_opening: Vec<BTreeMap<String, RoundRules>>,
    pub(super) repeating_structure: Vec<BTreeMap<String, RoundRules>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RoundRules {
    pub(super) char_limit: Option<u32>,
    pub(super) quote_limit: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Source {
    #[serde(default)]
    pub(super) article_id: Option<String>,
    pub(super) title: String,
    pub(super) contents: Vec<String>,
}

#[derive(Deserialize)]
pub(super) enum Round {
    SimultaneousSpeeches {
        speeches: BTreeMap<String, Said>,
    },
    SequentialSpeeches {
        speeches: BTreeMap<String, Said>,
    },
    JudgeFeedback(Feedback),
    NegotiateEnd(serde::de::IgnoredAny),
    OfflineJudgments {
        judgments: BTreeMap<String, Offline>,
    },
}

#[derive(Deserialize)]
pub(super) struct Said {
    #[serde(default)]
    pub(super) content: Vec<Segment>,
}

#[derive(Deserialize)]
pub(super) enum Segment {
    Text { text: String },
    Quote { span: (usize, usize) },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Feedback {
    pub(super) distribution: Vec<f64>,
    #[serde(rename = "feedback")]
    pub(super) said: Said,
    pub(super) end_debate: bool,
}

#[derive(Deserialize)]
pub(super) struct Offline {
    #[serde(default)]
    pub(super) judgments: Vec<Feedback>,
}
