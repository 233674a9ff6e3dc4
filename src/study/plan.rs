//! The study file: conditions, participants, items, questions and analysis.
//!
//! Unknown field names are errors. A field with the attribute `serde(default)` or the type `Option` is optional.

pub(crate) mod contrast;
mod flaws;
pub(crate) mod item;
pub(crate) mod languages;
pub(crate) mod markdown;
pub(crate) mod media;
pub(crate) mod schedule;
pub(crate) mod screening;
pub(crate) mod structure;
mod unique;
pub(crate) mod words;

use std::collections::BTreeMap;
use std::path::Path;

use ron::value::RawValue;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Result, StudyError};
use debate_core::player::PlayerSpec;
use debate_core::protocol::{Protocol, Seat};
use debate_core::text::decode_utf8;
use debate_host::plan::{ExternalPlayerOptions, quote_for_shell};
use debate_lab::matches::TotalCostCaps;
use debate_solver::setup::{check_regular_file, read_one_past_limit, ron_options};

pub use contrast::ContrastDesign;
pub use languages::{WordingReplacementsAndTranslations, native_language_name};
pub use media::{MediaFile, MediaFiles, MediaKind, StudyMediaFileType};
pub use screening::{
    EarlyEndPay, Quota, ScreenOutRule, ScreeningAnswerSet, ScreeningSurvey, WaitingListSettings,
};
pub(crate) use unique::unique_keys;
pub use words::PageWording;

/// The stage of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Stage")]
pub enum StudyStage {
    /// The stage in which the researchers try the study. The study is not locked in it, and its sessions do not count
    /// in later stages.
    Debug,
    Pilot,
    Main,
}

impl StudyStage {
    pub fn study_stage_name(self) -> &'static str {
        match self {
            Self::Debug => "Debug",
            Self::Pilot => "Pilot",
            Self::Main => "Main",
        }
    }
}

/// A study file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Study", deny_unknown_fields)]
pub struct StudyPlan {
    /// Version of the format: 1.
    pub format: u32,
    /// The study's short name. It has only letters and digits, because the names of exported files contain it.
    pub id: String,
    pub title: String,
    /// Language of the study's texts as an HTML language tag such as "de" or "ar"; default "en".
    pub language: Option<String>,
    /// The languages of the study, the first of which is the language of the study's own texts. Participants choose
    /// one. If empty, the study has one language, which `language` names.
    #[serde(default)]
    pub languages: Vec<String>,
    /// Replacements of the standard page texts, by their names in `words.ron`; and translations of all texts, by
    /// language.
    #[serde(default)]
    pub texts: WordingReplacementsAndTranslations,
    /// The markup of the texts that participants read; default: `Plain`.
    #[serde(default)]
    pub markup: StudyTextMarkup,
    /// The media files to which the texts refer.
    #[serde(skip)]
    pub media: MediaFiles,
    /// True if the study was locked with study format 3 or an earlier one, whose pages have other words.
    #[serde(skip)]
    pub(crate) has_words_of_format_3: bool,
    /// The address to which participants can write or call: a name, a telephone number or an email address.
    pub contact: Option<String>,
    pub stage: StudyStage,
    /// Seed of everything that the study draws at random: orders, coins and bonuses.
    pub seed: u64,
    /// Seats that participants take; default: the judge. If there are several seats, a group with one participant per
    /// seat plays each debate.
    #[serde(default = "judges")]
    pub roles: Vec<Seat>,
    /// Time limits and pay of groups of participants. `None` if participants do not debate with each other.
    pub group: Option<ParticipantGroupSettings>,
    pub conditions: Vec<ExperimentCondition>,
    /// Programs that debate, such as language models, by name. Tasks refer to them as `engine:NAME`.
    #[serde(default, deserialize_with = "unique_keys")]
    pub engines: BTreeMap<String, DebatingProgramSettings>,
    /// Cost limits of the debates that `prepare` plays.
    #[serde(default)]
    pub caps: TotalCostCaps,
    pub items: StudyItems,
    pub design: ExperimentDesign,
    #[serde(default)]
    pub swap: AnswerSwapRule,
    /// The screening survey before consent; `None` if the study has none.
    pub screening: Option<ScreeningSurvey>,
    #[serde(default)]
    pub quotas: Vec<Quota>,
    /// Number of participants who may begin in addition to the number in `stop`, because some leave; default: 0.
    #[serde(default)]
    pub over_recruit: u32,
    /// The waiting list for participants who find no free place. `None` if their sessions end at once.
    pub waiting_list: Option<WaitingListSettings>,
    pub flow: Vec<StudyFlowStep>,
    #[serde(default)]
    pub checks: Vec<AttentionOrRepeatTrial>,
    #[serde(default)]
    pub response: ParticipantProbabilityAnswerSettings,
    /// `None` if the study file names no score rule. [`StudyPlan::score_rule_or_default`] returns the rule that
    /// applies.
    pub score: Option<LogScoreRule>,
    #[serde(default)]
    pub time: StudyTimeLimits,
    pub target: PlannedParticipantCount,
    #[serde(default)]
    pub codes: CodeOrAddressByOutcome,
    /// Addresses to which the browser of a participant returns at the end, by outcome of the session. `{code}` is
    /// replaced by the completion code.
    #[serde(default)]
    pub returns: CodeOrAddressByOutcome,
    /// Pay of participants whose sessions end before the trials.
    #[serde(default)]
    pub outcome_pay: EarlyEndPay,
    #[serde(default)]
    pub hypotheses: Vec<String>,
    #[serde(default)]
    pub exclude: Vec<ExclusionRule>,
    pub stop: RecruitmentStoppingRule,
    pub bonus: Option<Bonus>,
    /// Date, such as "2027-06-30", after which the logs are to be deleted. `status` reports when it has passed, and
    /// `forget --due` deletes the logs.
    pub delete_raw_after: Option<String>,
    pub analysis: AnalysisPlan,
}

fn judges() -> Vec<Seat> {
    vec![Seat::Judge]
}

/// The markup of the texts of a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename = "Markup")]
pub enum StudyTextMarkup {
    /// Plain text: paragraphs, and headings that begin with `#`.
    #[default]
    Plain,
    /// Markdown with tables, links, and media files of the study's folder.
    Markdown,
}

/// A condition of the experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Condition")]
pub struct ExperimentCondition {
    pub id: String,
    /// The condition's name that participants are shown; it must not reveal the condition.
    pub shown_as: String,
    pub task: TrialTask,
    /// The figures (probabilities, coins, bets) that a judge sees; default: `Hidden`. Participants who debate see all
    /// figures of their debate.
    #[serde(default)]
    pub figures: JudgeFigureVisibility,
}

/// The setting that hides the figures of a debate (probabilities, coins, bets) from its judge, or shows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename = "Figures")]
pub enum JudgeFigureVisibility {
    /// The judge does not see the debaters' probabilities, coins and bets, but their other replies and the evidence.
    #[default]
    Hidden,
    /// The judge also sees the debaters' probabilities, coins and bets.
    Shown,
}

/// Time limits and pay of participants who debate with each other.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename = "Group", deny_unknown_fields)]
pub struct ParticipantGroupSettings {
    /// Seconds that a participant waits for other participants to form a group. Then the session ends as `waited`.
    pub wait_s: u32,
    /// Seconds that the group waits for a participant's answer. Then that session ends as `forfeited`, and the sessions
    /// of the other participants end as `left_alone`.
    pub turn_s: u32,
    /// Pay in cents of a participant whose session ended as `waited` or `left_alone`.
    #[serde(default)]
    pub cents: u32,
}

/// An external program (engine) that plays a seat in a study's debates, such as a language model.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Engine", deny_unknown_fields)]
pub struct DebatingProgramSettings {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Values of the engine's options.
    #[serde(default, deserialize_with = "unique_keys")]
    pub options: BTreeMap<String, String>,
}

/// Prefix of an engine's name in the player fields of a task.
pub(crate) const ENGINE: &str = "engine:";

/// The participant's task in a trial.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Task")]
pub enum TrialTask {
    /// The participant judges without a debate: the question alone, or with all evidence or the source (floor and
    /// ceiling).
    Direct { shows: InformationShownWithQuestion },
    /// The participant sees the prover's side of a debate without an opponent: answer, supports, path and the leaf's
    /// evidence.
    Consultancy { prover: String },
    /// A debate under any rules. The participant judges it or takes the seat that `roles` names.
    Debate {
        protocol: Rules,
        #[serde(default = "human")]
        prover: String,
        #[serde(default = "human")]
        opponent: String,
        /// The player that judges if participants debate; default: the scenario's own judge.
        judge: Option<String>,
    },
    /// The participant judges finished debates again, and cannot look ahead.
    Rejudge {
        /// Paths of saved debates inside the study folder; `*` matches any part of a file name.
        saves: String,
        #[serde(default = "yes")]
        stepped: bool,
    },
}

fn yes() -> bool {
    true
}

/// The name of a participant as a player.
pub(crate) const HUMAN: &str = "human";

/// Returns the default value of a task's player field: a participant plays the seat.
fn human() -> String {
    HUMAN.to_owned()
}

impl TrialTask {
    /// Returns the names of the players that the task states for the prover, the opponent and the judge;
    /// `None` if it states no player for the seat. A debater whom a debate task omits is `human`, a participant.
    pub(crate) fn named_players(&self) -> [Option<&str>; 3] {
        match self {
            Self::Debate {
                prover,
                opponent,
                judge,
                ..
            } => [Some(prover), Some(opponent), judge.as_deref()],
            Self::Consultancy { prover } => [Some(prover), None, None],
            Self::Direct { .. } | Self::Rejudge { .. } => [None; 3],
        }
    }

    /// True if an engine or a language model plays the prover, the opponent or the judge of this task. False for
    /// built-in players and people.
    pub(crate) fn has_engine_or_model_player(&self) -> bool {
        let mut named = self.named_players().into_iter().flatten();
        let is_model =
            |name: &str| PlayerSpec::parse(name).is_ok_and(|player| player.is_language_model());
        named.any(|name| name.starts_with(ENGINE) || is_model(name))
    }
}

/// The rules of a debate, in the notation of scenario files.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    pub text: String,
    pub protocol: Box<Protocol>,
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(reader)?
            .get_ron()
            .trim()
            .to_owned();
        let protocol = Box::new(Protocol::parse(&text).map_err(serde::de::Error::custom)?);
        Ok(Self { text, protocol })
    }
}

/// The evidence or source shown with a question, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename = "ShownInformation")]
pub enum InformationShownWithQuestion {
    /// The question alone.
    Question,
    /// The evidence of every leaf.
    Evidence,
    /// The source that debaters quote from.
    Source,
}

/// The items to judge.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Items")]
pub struct StudyItems {
    /// Scenarios to judge: names of bundled ones, and paths inside the study folder. `*` matches any part of a file
    /// name.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// A file of questions inside the study folder, one question per line. Each question is an item, named by its id.
    pub questions: Option<String>,
    /// Tags of scenarios, such as their topic. A participant's items are spread evenly over the values of each tag.
    #[serde(default)]
    pub strata: Vec<String>,
    /// A tag of scenarios. No participant gets two items with the same value of this tag.
    pub once_per_participant_by: Option<String>,
    /// Markdown texts that the pages of an item show below its question, by the id of the item.
    #[serde(default, deserialize_with = "unique_keys")]
    pub notes: BTreeMap<String, String>,
    /// Folders with the items in other languages, by language. A translated item has the path of its original inside
    /// this folder.
    #[serde(default, deserialize_with = "unique_keys")]
    pub translated: BTreeMap<String, String>,
}

/// The assignment of conditions to participants.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Design")]
pub enum ExperimentDesign {
    /// Each participant gets every condition: `blocks` × `per_cell` trials of each.
    Within {
        #[serde(default)]
        order: ConditionOrder,
        #[serde(default = "one")]
        blocks: u32,
        #[serde(default = "one")]
        per_cell: u32,
    },
    /// Each participant gets every condition in tiers of rising difficulty: `per_cell` trials of each in each tier.
    Stepped {
        /// Scenario tag with the difficulty of an item, which was rated before the study.
        tag: String,
        /// Values of the difficulty tag, from the first tier to the last one.
        tiers: Vec<String>,
        #[serde(default)]
        order: ConditionOrder,
        #[serde(default = "one")]
        per_cell: u32,
    },
    /// Each participant gets one condition, in `trials` trials.
    Between {
        /// Sizes of the blocks within which conditions are balanced. Each is a multiple of the number of conditions.
        block: Vec<u32>,
        #[serde(default = "one")]
        trials: u32,
    },
    /// Each participant gets the conditions of one group.
    Mixed {
        groups: Vec<Vec<String>>,
        block: Vec<u32>,
        #[serde(default)]
        order: ConditionOrder,
        #[serde(default = "one")]
        blocks: u32,
        #[serde(default = "one")]
        per_cell: u32,
    },
}

fn one() -> u32 {
    1
}

/// The order in which a participant's trials go through the conditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum ConditionOrder {
    /// The order of conditions follows Williams squares: each condition is equally often in each position, and follows
    /// each other one equally often.
    #[default]
    Williams,
    /// Shuffled separately for each participant, and again each time that the conditions repeat.
    Random,
}

/// The order in which a page shows the two answers to a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename = "AnswerSwap")]
pub enum AnswerSwapRule {
    /// The second answer is shown first in one half of the trials under each condition.
    #[default]
    Balanced,
    Never,
}

/// A step of a session.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "FlowStep")]
pub enum StudyFlowStep {
    /// A check that the participant's terminal has at least the size `min` (columns, rows).
    Screener {
        min: (u16, u16),
        /// Ignored: whether a keyboard is required. Pages in a browser fit every window and need no keyboard.
        #[serde(default)]
        keyboard: bool,
    },
    /// A consent text that the participant must agree to.
    Consent(String),
    Instructions(String),
    Quiz {
        file: String,
        tries: u32,
    },
    /// Trials that do not count.
    Practice {
        condition: String,
        trials: u32,
        /// Items for practice, written as in the study file's field `items`. All practice steps share the items that
        /// any of them lists. If no step lists any, practice uses items whose stories the participant does not get
        /// later.
        #[serde(default)]
        scenarios: Vec<String>,
    },
    Trials,
    /// A break between trials.
    Break {
        after: u32,
        max_s: u32,
    },
    Survey(String),
    Debrief {
        /// True if the debriefing shows the right answers.
        #[serde(default = "yes")]
        reveal: bool,
        /// A text to read.
        text: Option<String>,
    },
}

/// Questions and trials that test whether the participant is attentive and consistent.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "CheckTrial")]
pub enum AttentionOrRepeatTrial {
    /// Attention questions, which a participant can answer only by reading them.
    Attention { per_block: u32 },
    /// Trials that are repeated at the end; the primary analysis leaves them out.
    Repeat { fraction: f64 },
}

/// The moments at which participants are asked for a probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename = "AskWhen")]
pub enum ProbabilityQuestionTime {
    Before,
    EachRound,
    Final,
}

/// Initial position of the slider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum SliderStart {
    /// The slider for a probability has no initial position, so that it suggests no number to the participant.
    Unset,
}

/// The way in which participants answer with a probability, in whole percents.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Probability", deny_unknown_fields, default)]
pub struct ParticipantProbabilityAnswerSettings {
    pub min: u8,
    pub max: u8,
    pub start: SliderStart,
    pub ask: Vec<ProbabilityQuestionTime>,
    /// True if the page shows each number in words before it is sent. In studies of format 3 and earlier, the
    /// participant confirms each number on a separate page.
    pub confirm: bool,
    /// True if the judge is asked for words after the last round, which no debater reads; default: false.
    pub reasons: bool,
}

impl Default for ParticipantProbabilityAnswerSettings {
    fn default() -> Self {
        Self {
            min: 1,
            max: 99,
            start: SliderStart::Unset,
            ask: vec![
                ProbabilityQuestionTime::Before,
                ProbabilityQuestionTime::EachRound,
                ProbabilityQuestionTime::Final,
            ],
            confirm: true,
            reasons: false,
        }
    }
}

/// Time limits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[serde(rename = "Time")]
pub struct StudyTimeLimits {
    /// Idle limit: seconds without a key press after which time does not count as active.
    pub idle_s: u32,
    /// Active seconds after which a trial is marked as longer than the limit. `None` for no limit.
    pub trial_limit_s: Option<u32>,
    /// Hours within which an interrupted session can be resumed.
    pub resume_within_h: u32,
    /// The duration of a session that pages state, in minutes. `None` if pages show no remaining time.
    pub minutes: Option<u32>,
}

impl StudyTimeLimits {
    /// Returns the seconds within which an interrupted session can be resumed.
    pub fn resume_within_s(&self) -> u64 {
        u64::from(self.resume_within_h) * 3600
    }
}

impl Default for StudyTimeLimits {
    fn default() -> Self {
        Self {
            idle_s: 60,
            trial_limit_s: None,
            resume_within_h: 24,
            minutes: None,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Target")]
pub struct PlannedParticipantCount {
    pub participants: u32,
}

/// For each outcome of a session: the completion code that the participant gives the recruitment platform, or the web
/// address to which they return. A code `env:NAME` is read from the environment and never stored.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[serde(rename = "Codes")]
pub struct CodeOrAddressByOutcome {
    pub complete: Option<String>,
    /// Code or address for the outcomes `screened_out` and `failed_quiz`; also for `quota_full` and `full` if they have
    /// no entry of their own.
    pub screened_out: Option<String>,
    pub quota_full: Option<String>,
    pub full: Option<String>,
    pub failed_attention: Option<String>,
    pub no_consent: Option<String>,
    /// Code or address for participants who waited too long for other participants.
    pub waited: Option<String>,
    /// Code or address for participants whose debate another participant left.
    pub left_alone: Option<String>,
    /// Code or address for participants whose session the experimenter closed.
    pub closed: Option<String>,
}

impl CodeOrAddressByOutcome {
    /// Returns the codes or addresses of all outcomes, each converted by `convert`.
    pub(crate) fn filter_map_outcome_codes(
        &self,
        convert: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let map = |code: &Option<String>| code.as_deref().and_then(&convert);
        Self {
            complete: map(&self.complete),
            screened_out: map(&self.screened_out),
            quota_full: map(&self.quota_full),
            full: map(&self.full),
            failed_attention: map(&self.failed_attention),
            no_consent: map(&self.no_consent),
            waited: map(&self.waited),
            left_alone: map(&self.left_alone),
            closed: map(&self.closed),
        }
    }

    /// Returns the completion code or the web address for each outcome of a session; `None` for an outcome without one.
    pub(crate) fn codes_or_addresses_of_outcomes(&self) -> [Option<&str>; 9] {
        [
            &self.complete,
            &self.screened_out,
            &self.quota_full,
            &self.full,
            &self.failed_attention,
            &self.no_consent,
            &self.waited,
            &self.left_alone,
            &self.closed,
        ]
        .map(Option::as_deref)
    }
}

/// The score of a judgement: log₂ of the probability of the right answer, minus a price for each round shown.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename = "Log2", deny_unknown_fields)]
pub struct LogScoreRule {
    /// Price of a round that the participant was shown, in bits.
    #[serde(default)]
    pub per_continue: f64,
    #[serde(default)]
    pub shown: ScoreDisplayTime,
}

impl LogScoreRule {
    /// The score rule for study files that name none. It must never change: studies may have been locked with it.
    const UNSTATED: Self = Self {
        per_continue: 0.05,
        shown: ScoreDisplayTime::AtEnd,
    };
}

impl LogScoreRule {
    /// Returns the score of a judgement in bits, if the participant was shown `rounds` rounds.
    pub(crate) fn score_bits(&self, p_correct: f64, rounds: u32) -> f64 {
        p_correct.log2() - self.per_continue * f64::from(rounds)
    }
}

/// The time at which the participant is shown the score: never, or at the session's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename = "ScoreShown")]
pub enum ScoreDisplayTime {
    Never,
    #[default]
    AtEnd,
}

/// Exclusion rules for participants' data, fixed before data collection.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Exclusion")]
pub enum ExclusionRule {
    FailedQuiz,
    /// Exclude a participant who failed at least this number of attention questions.
    FailedAttention(u32),
    /// Exclude a participant who spent less than `seconds` active seconds on more than the proportion `share` of the
    /// trials.
    FasterThan {
        seconds: u32,
        share: f64,
    },
}

/// The stopping rule of recruitment.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "StoppingRule")]
pub enum RecruitmentStoppingRule {
    /// The study stops after this number of completed sessions.
    Participants(u32),
}

/// The bonus for good judgements: `cents` times the score, from 0 to 1, of one randomly drawn trial.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "OneTrial", deny_unknown_fields)]
pub struct Bonus {
    pub score: BonusScore,
    pub cents: u32,
    /// The currency of the bonus on the last page, such as "GBP". `None` shows the amount in cents.
    pub currency: Option<String>,
}

impl Bonus {
    /// Returns the bonus of a trial with this score from 0 to 1, in cents.
    pub(crate) fn cents_of_score(&self, score: f64) -> u32 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a bonus is at most the cents that the study file states"
        )]
        let cents = (score * f64::from(self.cents)).round() as u32;
        cents
    }
}

/// Draws the trial that decides a session's bonus, and returns it with its score. `scores` contains the trials with
/// their scores. `None` if it is empty.
pub(crate) fn drawn_bonus(
    seed: u64,
    session: &str,
    mut scores: Vec<(u32, f64)>,
) -> Option<(u32, f64)> {
    scores.sort_by_key(|(trial, _)| *trial);
    let count = u64::try_from(scores.len())
        .ok()
        .filter(|count| *count > 0)?;
    let drawn = schedule::pseudorandom_number(seed, &format!("bonus/{session}")) % count;
    scores.get(usize::try_from(drawn).ok()?).copied()
}

/// The rule that scores a judgement from 0 to 1 for the bonus. It is a proper scoring rule: a participant does best by
/// reporting the probability that they believe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum BonusScore {
    /// The quadratic score 1 − (1 − p)², where p is the probability of the right answer.
    Quadratic,
}

impl BonusScore {
    pub fn score_for_bonus(self, p_correct: f64) -> f64 {
        match self {
            Self::Quadratic => 1.0 - (1.0 - p_correct).powi(2),
        }
    }
}

/// The analysis, fixed before data collection.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Analysis")]
pub struct AnalysisPlan {
    pub primary: PrimaryContrast,
    #[serde(default = "resamples")]
    pub bootstrap: u32,
    /// Number of probability bins for the calibration error. Only 10, the default, is allowed.
    #[serde(default = "bins")]
    pub ece_bins: u32,
    /// The effect that the researchers expect and its standard deviation, for the power analysis.
    pub power: Option<ExpectedEffect>,
}

fn resamples() -> u32 {
    4000
}

fn bins() -> u32 {
    10
}

/// An expected effect, for the power of the primary contrast.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(rename = "Power")]
pub struct ExpectedEffect {
    /// The expected difference, in the measure's unit.
    pub effect: f64,
    /// Standard deviation between participants: of their differences if each judges under both conditions, otherwise of
    /// their means under one condition.
    pub sd: f64,
    /// Standard deviation between items; default: 0, if items are equally difficult.
    #[serde(default)]
    pub items: f64,
    /// Standard deviation of one judgement around the value of its participant and item; default: 0.
    #[serde(default)]
    pub trials: f64,
}

/// The primary contrast of a study: the mean of a measure under condition `of` minus its mean under condition
/// `against`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Difference", deny_unknown_fields)]
pub struct PrimaryContrast {
    pub measure: JudgementMeasure,
    pub of: String,
    pub against: String,
}

/// The measure of a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Measure")]
pub enum JudgementMeasure {
    /// The Brier score (1 − p)², where p is the probability of the right answer: less is better.
    Brier,
    /// Accuracy: 1 if the right answer got a probability above one half, ½ at one half, otherwise 0.
    Accuracy,
    /// The log score of a judgement in bits, by the score rule of the study file.
    Score,
}

impl JudgementMeasure {
    pub fn measure_name(self) -> &'static str {
        match self {
            Self::Brier => "Brier score",
            Self::Accuracy => "accuracy",
            Self::Score => "log2 score",
        }
    }

    /// Returns the name of the column that contains the measure in the exported table of trials.
    pub(crate) fn export_column(self) -> &'static str {
        match self {
            Self::Brier => "brier",
            Self::Accuracy => "correct",
            Self::Score => "score",
        }
    }
}

impl StudyPlan {
    /// Reads a study file.
    ///
    /// # Errors
    /// If it cannot be read or has invalid contents.
    pub fn read_study_file(path: &Path) -> Result<Self> {
        let plan: Self = read_ron(path)?;
        plan.check_study_file()
            .map_err(|why| StudyError::invalid_file(path, why))?;
        Ok(plan)
    }

    /// Returns an amount of a bonus with its currency: "2.55 GBP", or "255 cents".
    pub(crate) fn bonus_amount_text(&self, bonus: &Bonus, cents: u32) -> String {
        let Some(currency) = &bonus.currency else {
            return self.filled_text("cents", &serde_json::json!({"amount": cents}));
        };
        let amount = format!("{}.{:02}", cents / 100, cents % 100);
        format!("{} {currency}", self.decimal_text(&amount))
    }

    /// Returns the score rule that applies: the study file's, or the default.
    pub fn score_rule_or_default(&self) -> LogScoreRule {
        self.score.unwrap_or(LogScoreRule::UNSTATED)
    }

    /// Returns the seat that the study's participants take; the first one if there are several.
    pub fn participant_seat(&self) -> Seat {
        self.roles.first().copied().unwrap_or(Seat::Judge)
    }

    /// True if several participants take part in one debate.
    pub fn has_several_participants_per_debate(&self) -> bool {
        self.roles.len() > 1
    }

    /// Returns the number of schedule rows that `participants` participants fill. A group shares one row; an incomplete
    /// group is not counted.
    pub(crate) fn schedule_row_count_for(&self, participants: u32) -> u32 {
        participants / u32::try_from(self.roles.len()).unwrap_or(1).max(1)
    }

    /// Returns the number of schedule rows that the planned number of participants needs.
    pub(crate) fn schedule_rows_of_planned_participants(&self) -> u32 {
        self.schedule_row_count_for(self.target.participants)
    }

    /// Returns the number of schedule rows that sessions can claim: for the stopping rule's number of participants and
    /// for those of `over_recruit`.
    pub(crate) fn max_claimed_schedule_rows(&self) -> u32 {
        let RecruitmentStoppingRule::Participants(stop) = self.stop;
        self.schedule_row_count_for(stop.saturating_add(self.over_recruit))
    }

    /// True if the judgements of this seat are compared. In a group with a judge, only the judge's judgements are
    /// compared.
    pub(crate) fn compares_judgements_of_seat(&self, seat: &str) -> bool {
        !self.has_several_participants_per_debate()
            || !self.roles.contains(&Seat::Judge)
            || seat == Seat::Judge.name_in_flags_and_json()
    }

    /// Parses the player that a condition's task names for a seat. `engine:NAME` is the program that the study file
    /// lists under `NAME`.
    ///
    /// # Errors
    /// If the text is no player, or names a program that is not listed.
    pub(crate) fn parse_player(&self, text: &str) -> Result<PlayerSpec, String> {
        let Some(name) = text.strip_prefix(ENGINE) else {
            return PlayerSpec::parse(text).map_err(|error| error.to_string());
        };
        let DebatingProgramSettings { command, options } =
            self.engines.get(name).ok_or_else(|| {
                format!(
                    "the study file lists no engine `{name}`; add it to `engines`, with its command"
                )
            })?;
        let words: Vec<String> = command.iter().map(|word| quote_for_shell(word)).collect();
        let options: Vec<String> = options
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let command = words.join(" ");
        let spec = if options.is_empty() {
            format!("engine:{command}")
        } else {
            format!("engine({}):{command}", options.join(", "))
        };
        PlayerSpec::parse(&spec).map_err(|error| format!("engines: `{name}`: {error}"))
    }

    /// Returns the names of the prover and the opponent in a task's debates: `human` for a seat that participants take,
    /// else the name in the study file. `None` if the task has no such player.
    pub(crate) fn debaters_of_task<'t>(&self, task: &'t TrialTask) -> [Option<&'t str>; 2] {
        let [prover, opponent, _] = task.named_players();
        let played = |seat: Seat, named: Option<&'t str>| {
            let is_participant = self.roles.contains(&seat);
            named.map(|name| if is_participant { HUMAN } else { name })
        };
        [
            played(Seat::Prover, prover),
            played(Seat::Opponent, opponent),
        ]
    }

    /// True if `prepare` must play the condition's debates before participants judge them: a program takes part in
    /// them, but no program debates with a participant or receives messages from one.
    pub fn requires_prepared_debates(&self, condition: usize) -> bool {
        let task = self.conditions.get(condition).map(|it| &it.task);
        task.is_some_and(|task| {
            task.has_engine_or_model_player()
                && !self.has_program_interacting_with_participants(task)
        })
    }

    /// True if a program in this task debates with a participant or receives messages from one.
    pub(crate) fn has_program_interacting_with_participants(&self, task: &TrialTask) -> bool {
        let hears = match task {
            TrialTask::Debate { protocol, .. } => {
                matches!(&*protocol.protocol, Protocol::Speeches(rules) if rules.judge_feedback)
            }
            TrialTask::Consultancy { .. } => true,
            TrialTask::Direct { .. } | TrialTask::Rejudge { .. } => false,
        };
        task.has_engine_or_model_player() && (hears || self.roles != [Seat::Judge])
    }

    /// True if, under any condition, a program debates with participants or receives messages from one.
    pub fn programs_debate_with_participants(&self) -> bool {
        self.conditions
            .iter()
            .any(|it| self.has_program_interacting_with_participants(&it.task))
    }

    /// Checks that the programs which debate with participants are allowed and can be asked.
    ///
    /// # Errors
    /// If one is not.
    pub(crate) fn check_programs_facing_participants(
        &self,
        engines: &ExternalPlayerOptions,
    ) -> Result<()> {
        for condition in self
            .conditions
            .iter()
            .filter(|it| self.has_program_interacting_with_participants(&it.task))
        {
            for name in condition.task.named_players().into_iter().flatten() {
                let player = self.parse_player(name).map_err(StudyError::Plan)?;
                let checked = engines.check_player_allowed(&player);
                checked.map_err(|error| StudyError::Plan(error.to_string()))?;
            }
        }
        Ok(())
    }

    /// Returns the index of the condition with this id.
    pub fn condition_index(&self, id: &str) -> Option<usize> {
        self.conditions.iter().position(|it| it.id == id)
    }
}

impl ExperimentDesign {
    /// Returns the number of blocks of a participant's trials, and the number of trials of each condition per block.
    pub fn blocks_and_trials_per_condition(&self) -> (u32, u32) {
        match self {
            Self::Within {
                blocks, per_cell, ..
            }
            | Self::Mixed {
                blocks, per_cell, ..
            } => (*blocks, *per_cell),
            Self::Between { trials, .. } => (1, *trials),
            Self::Stepped {
                tiers, per_cell, ..
            } => (u32::try_from(tiers.len()).unwrap_or(u32::MAX), *per_cell),
        }
    }

    /// Returns the number of trials of each condition that are dealt together: those of a difficulty tier, or all if
    /// the design has no tiers.
    pub(crate) fn trials_per_condition_in_deck(&self) -> u32 {
        let (blocks, per_cell) = self.blocks_and_trials_per_condition();
        match self {
            Self::Stepped { .. } => per_cell,
            Self::Within { .. } | Self::Between { .. } | Self::Mixed { .. } => blocks * per_cell,
        }
    }

    /// Returns the values of the difficulty tag, one for each tier; `None` if the design has no tiers.
    pub(crate) fn difficulty_tiers(&self) -> Option<&[String]> {
        match self {
            Self::Stepped { tiers, .. } => Some(tiers),
            Self::Within { .. } | Self::Between { .. } | Self::Mixed { .. } => None,
        }
    }
}

/// Maximum size of a study file and of each text file to which it refers, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// A question of a quiz.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Question", deny_unknown_fields)]
pub struct QuizQuestion {
    pub ask: String,
    pub options: Vec<String>,
    /// Number of the question's right option, from 1.
    pub right: usize,
    /// A Markdown text that the page shows above the question.
    #[serde(default)]
    pub note: Option<String>,
}

/// A question of a survey.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Question", deny_unknown_fields)]
pub struct SurveyQuestion {
    /// Name that the survey question has in the tables of the report and the export.
    pub id: String,
    pub ask: String,
    pub answer: SurveyAnswerForm,
    /// A Markdown text that the page shows above the question.
    #[serde(default)]
    pub note: Option<String>,
    /// The options of the survey question by their names in tables, if the options are translated.
    #[serde(skip)]
    pub(crate) recorded_options: Vec<String>,
}

/// The form in which a survey question is answered.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "SurveyAnswer")]
pub enum SurveyAnswerForm {
    Choice(Vec<String>),
    /// A scale of whole numbers, with labels for both ends.
    Scale {
        from: i32,
        to: i32,
        #[serde(default)]
        ends: (String, String),
    },
    Number {
        min: i64,
        max: i64,
    },
    /// Free text of at most this number of characters. It may identify its author, so it is collected only if a survey
    /// names this form.
    Text(usize),
}

/// Reads a short text file of a study.
///
/// # Errors
/// If it cannot be read, is too long, or is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    check_regular_file(path).map_err(StudyError::io_error_at(path))?;
    let file = std::fs::File::open(path).map_err(StudyError::io_error_at(path))?;
    let bytes = read_one_past_limit(file, MAX_FILE + 1).map_err(StudyError::io_error_at(path))?;
    if bytes.len() as u64 > MAX_FILE {
        let what = format!("the file is longer than {MAX_FILE} bytes; shorten it");
        return Err(StudyError::invalid_file(path, what));
    }
    let text = decode_utf8(&bytes).map(str::to_owned);
    text.map_err(|error| StudyError::invalid_file(path, error.to_string()))
}

/// Reads a RON document of a study.
///
/// # Errors
/// As [`read_text`]; if it is malformed, the error gives the line.
pub(crate) fn read_ron<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T> {
    let text = read_text(path)?;
    let read = ron_options().from_str(&text);
    read.map_err(|error| StudyError::invalid_file(path, error.to_string()))
}
