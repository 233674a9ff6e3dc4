//! The fields of the `inspect_ai` type `EvalLog` (version 2) that exported debates use.

use std::collections::BTreeMap;

use serde::Serialize;

use debate_host::message::play::SavedDebateOutcomeReport;
use debate_host::record::ReplyCost;
use debate_solver::expectation::{BySeat, OneOrMany, RoundNumberOrInitial};

/// A log of an evaluation by `inspect_ai`; each debate is a sample.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvalLog {
    pub version: u32,
    pub status: EvalStatus,
    pub eval: EvalSpec,
    pub plan: EvalLogPlan,
    pub results: Option<EvalResults>,
    pub stats: EvalStats,
    pub samples: Vec<EvalSample>,
}

/// The value of the fields that readers of the log require and that are always empty for a debate.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EmptyObject {}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EvalStatus {
    /// Every debate has ended, by the rules or by a forfeit.
    Success,
    Started,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvalSpec {
    pub eval_id: String,
    pub run_id: String,
    pub created: String,
    pub task: String,
    pub task_id: String,
    pub task_version: u32,
    pub task_attribs: EmptyObject,
    pub task_args: EmptyObject,
    pub dataset: EvalDatasetSummary,
    pub model: String,
    pub model_args: EmptyObject,
    pub model_roles: BySeat<OneOrMany<EvalLogPlayer>>,
    pub config: EmptyObject,
    pub packages: EvalLogProgramVersion,
    pub metadata: EvalLogDebatesMetadata,
    pub scorers: [LoggedScorer; 2],
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "EvalDataset")]
pub struct EvalDatasetSummary {
    pub name: String,
    pub samples: usize,
    pub sample_ids: Vec<String>,
    pub shuffled: bool,
}

/// A player.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ModelConfig")]
pub struct EvalLogPlayer {
    pub model: String,
    pub config: EmptyObject,
    pub base_url: Option<String>,
    pub args: EmptyObject,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Packages")]
pub struct EvalLogProgramVersion {
    #[serde(rename = "debate-tui")]
    pub debate_tui: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "LogMetadata")]
pub enum EvalLogDebatesMetadata {
    One(Box<DebateMetadata>),
    Several {
        /// The names of the saves.
        saves: Vec<String>,
        /// True if all saves verify.
        verified: bool,
    },
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DebateMetadata {
    #[serde(flatten)]
    pub play: SavedDebateOutcomeReport,
    /// The number of this debate among the debates with the same seed.
    pub debate: u64,
    pub about: String,
}

/// A scorer of the log: its name, its options and its metric.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Scorer"))]
pub struct LoggedScorer {
    pub name: &'static str,
    pub options: EmptyObject,
    pub metrics: [MetricName; 1],
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetricName {
    pub name: &'static str,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "EvalPlan")]
pub struct EvalLogPlan {
    pub name: &'static str,
    pub steps: [EvalLogPlanStep; 1],
    pub config: EmptyObject,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "EvalStep")]
pub struct EvalLogPlanStep {
    /// The protocol's name.
    pub solver: &'static str,
    pub params: EvalPlanStepParameters,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "StepParameters")]
pub struct EvalPlanStepParameters {
    /// The protocol with its parameters, as a scenario file writes it.
    pub parameters: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvalStats {
    pub started_at: String,
    /// The latest end time of the log's debates; empty if one of them has not ended.
    pub completed_at: String,
    /// The tokens that the programs in the seats used, by model.
    pub model_usage: BTreeMap<String, ModelTokenUsage>,
}

/// The mean scores over the debates that were played to their end, without forfeits.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvalResults {
    pub total_samples: usize,
    pub completed_samples: usize,
    pub scores: Vec<EvalScore>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvalScore {
    pub name: &'static str,
    pub scorer: &'static str,
    pub scored_samples: usize,
    pub unscored_samples: usize,
    pub params: EmptyObject,
    pub metrics: BTreeMap<&'static str, EvalMetric>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvalMetric {
    pub name: &'static str,
    pub value: f64,
    pub params: EmptyObject,
}

impl EvalMetric {
    pub(super) fn new(name: &'static str, value: f64) -> Self {
        let params = EmptyObject {};
        Self {
            name,
            value,
            params,
        }
    }
}

/// A debate.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvalSample {
    pub id: String,
    pub epoch: u32,
    /// The question.
    pub input: String,
    /// The truth in words, or the probability with which chance decides it. Otherwise says that the truth is unknown,
    /// or hidden until the end of the debate.
    pub target: String,
    pub output: ModelOutput,
    pub scores: Option<InspectSampleScores>,
    pub metadata: DebateMetadata,
    pub store: EmptyObject,
    pub model_usage: BTreeMap<String, ModelTokenUsage>,
    pub started_at: String,
    pub completed_at: Option<String>,
    /// The thinking time of people and other programs, in seconds.
    pub total_time: f64,
    pub uuid: String,
    pub attachments: EmptyObject,
    pub messages: Vec<EvalLogMessage>,
    pub events: Vec<EvalEvent>,
    pub events_data: InspectSampleEventMessages,
}

#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "EventsData")]
pub struct InspectSampleEventMessages {
    /// The messages of the sample, repeated here because the log's events refer to them.
    pub messages: Vec<EvalLogMessage>,
    pub calls: Vec<EmptyObject>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelOutput {
    pub model: String,
    pub choices: [EvalLogOutputChoice; 1],
    /// The tokens spent on the reply, if the player's program reported them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ModelTokenUsage>,
}

/// Tokens that a model read and wrote.
#[expect(
    clippy::struct_field_names,
    reason = "the EvalLog format prescribes these field names"
)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ModelUsage")]
pub struct ModelTokenUsage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub total_tokens: u64,
}

impl ModelTokenUsage {
    pub(super) fn add_reply_tokens(&mut self, cost: &ReplyCost) {
        self.input_tokens = self.input_tokens.saturating_add(cost.tokens_in);
        self.output_tokens = self.output_tokens.saturating_add(cost.tokens_out);
        self.total_tokens = self.input_tokens.saturating_add(self.output_tokens);
    }
}

impl From<&ReplyCost> for ModelTokenUsage {
    fn from(cost: &ReplyCost) -> Self {
        let mut usage = Self::default();
        usage.add_reply_tokens(cost);
        usage
    }
}

impl ModelOutput {
    pub(super) fn new(model: String, answer_message: EvalLogMessage) -> Self {
        Self {
            model,
            choices: [EvalLogOutputChoice {
                message: answer_message,
                stop_reason: "stop",
            }],
            usage: None,
        }
    }
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ModelChoice"))]
pub struct EvalLogOutputChoice {
    pub message: EvalLogMessage,
    pub stop_reason: &'static str,
}

#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ChatMessage")]
pub struct EvalLogMessage {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `system` for the rules, `assistant` for Alice and in the output of any model, `user` for everyone else.
    pub role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'static str>,
    pub content: String,
    /// The player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<EventMetadata>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EventMetadata {
    /// The event number, from 1, as in `replay --plain`.
    pub event: usize,
    pub seat: &'static str,
    pub round: Option<RoundNumberOrInitial>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvalEvent {
    pub uuid: String,
    pub timestamp: String,
    /// The thinking time of people and other programs from the start of the debate to this event, in seconds.
    pub working_start: f64,
    pub metadata: EventMetadata,
    #[serde(flatten)]
    pub content: EvalEventContent,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum EvalEventContent {
    /// An event in which a model speaks: each event by Alice, and for any seat the first event of a reply with a cost.
    Model {
        model: String,
        role: &'static str,
        input: Vec<EmptyObject>,
        /// The range of the sample's messages that precede this event.
        input_refs: [[usize; 2]; 1],
        tools: Vec<EmptyObject>,
        tool_choice: &'static str,
        config: EmptyObject,
        output: Box<ModelOutput>,
        completed: String,
    },
    /// Any other event.
    Info { source: &'static str, data: String },
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "SampleScores")]
pub struct InspectSampleScores {
    pub payoff: EvalPayoffScore,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_correct: Option<EvalAnswerCorrectScore>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "PayoffScore")]
pub struct EvalPayoffScore {
    pub value: f64,
    pub answer: Option<&'static str>,
    pub explanation: String,
    pub metadata: ExactPayoffMetadata,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "PayoffMetadata")]
pub struct ExactPayoffMetadata {
    pub payoff_exact: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "CorrectScore")]
pub struct EvalAnswerCorrectScore {
    /// `C` for correct, `I` for incorrect.
    pub value: &'static str,
    pub answer: Option<&'static str>,
    pub explanation: String,
}
