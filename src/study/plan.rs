//! The study file: what is compared, with whom, on what, and what is asked.
//!
//! Unknown names are errors. What is left out has the value that the field's comment says.

pub(crate) mod contrast;
mod flaws;
pub(crate) mod item;
pub(crate) mod schedule;
mod unique;
mod words;

use std::collections::BTreeMap;
use std::path::Path;

use ron::value::RawValue;
use serde::{Deserialize, Deserializer, Serialize};

use crate::Study;
use crate::error::{Result, StudyError};
use debate_core::player::Spec;
use debate_core::protocol::{Protocol, Seat};
use debate_core::text::decoded;
use debate_host::plan::word_in_shell;
use debate_lab::matches::CostCaps;
use debate_solver::setup::{check_plain, read_at_most, ron_options};

pub use contrast::ContrastDesign;
use unique::unique_keys;
pub use words::{PageWords, duration_places};

/// What counts: a trial run of the researchers, a pilot, or the study itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Stage {
    /// The researchers try it out: never counted, never locked.
    Debug,
    Pilot,
    Main,
}

impl Stage {
    pub fn name(self) -> &'static str {
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
pub struct Plan {
    /// The version of the format: 1.
    pub format: u32,
    /// Letters and digits: it stands in the names of exported files.
    pub id: String,
    pub title: String,
    /// The language of the study's texts, as HTML names it: "de", "ar"; "en" where it is left out.
    pub language: Option<String>,
    /// Words of the pages that are the same in every study, by their names in `words.ron`, in that language.
    #[serde(default, deserialize_with = "unique_keys")]
    pub texts: BTreeMap<String, PageWords>,
    pub stage: Stage,
    /// All orders, coins and bonuses follow from it.
    pub seed: u64,
    /// The seat that participants take: judges where it is left out. Where there are several, so many participants sit in
    /// one debate.
    #[serde(default = "judges")]
    pub roles: Vec<Seat>,
    /// The times and the pay of groups; none where everybody debates alone.
    pub group: Option<GroupPlan>,
    pub conditions: Vec<Condition>,
    /// Programs that debate, such as language models, by the names by which tasks call them: `engine:NAME`.
    #[serde(default, deserialize_with = "unique_keys")]
    pub engines: BTreeMap<String, DebateEngine>,
    /// What their debates may cost, which `prepare` plays.
    #[serde(default)]
    pub caps: CostCaps,
    pub items: Items,
    pub design: Design,
    #[serde(default)]
    pub swap: Swap,
    pub flow: Vec<FlowStep>,
    #[serde(default)]
    pub checks: Vec<CheckTrial>,
    #[serde(default)]
    pub response: Response,
    /// `None` if the study file names no score: [`Plan::score`] has the one that applies.
    pub score: Option<Score>,
    #[serde(default)]
    pub time: Time,
    pub target: Target,
    #[serde(default)]
    pub codes: Codes,
    #[serde(default)]
    pub hypotheses: Vec<String>,
    #[serde(default)]
    pub exclude: Vec<Exclusion>,
    pub stop: Stop,
    pub bonus: Option<Bonus>,
    /// A day, "2027-06-30", after which the logs are to be deleted: `status` says when it is over, and
    /// `forget --due` deletes them.
    pub delete_raw_after: Option<String>,
    pub analysis: Analysis,
}

fn judges() -> Vec<Seat> {
    vec![Seat::Judge]
}

/// One of the things that are compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    pub id: String,
    /// What participants read: it must not say what the condition is.
    pub shown_as: String,
    pub task: Task,
}

/// The times and the pay of participants who debate with each other.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename = "Group", deny_unknown_fields)]
pub struct GroupPlan {
    /// Seconds for which somebody waits for others: then their session ends as `waited`.
    pub wait_s: u32,
    /// Seconds for which others wait for somebody's answer: then it ends as `forfeited`, and theirs as `left_alone`.
    pub turn_s: u32,
    /// The pay of a participant who waited in vain or was left alone, in cents.
    #[serde(default)]
    pub cents: u32,
}

/// A program that debates.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Engine", deny_unknown_fields)]
pub struct DebateEngine {
    /// The program with its arguments.
    pub command: Vec<String>,
    /// Values of options that it has.
    #[serde(default, deserialize_with = "unique_keys")]
    pub options: BTreeMap<String, String>,
}

/// What stands before the name of an engine where a task names a player.
pub(crate) const ENGINE: &str = "engine:";

/// What the participant does in a trial.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Task {
    /// The question alone, or with all that could be known: floor and ceiling.
    Direct { shows: Shows },
    /// The prover's side of a debate without an opponent: answer, supports, path, the leaf's evidence.
    Consultancy { prover: String },
    /// A debate by any rules; the participant judges it, or has the seat that `roles` names.
    Debate {
        protocol: Rules,
        #[serde(default = "human")]
        prover: String,
        #[serde(default = "human")]
        opponent: String,
        /// Who decides where the participant debates; the scenario's own judge where it is left out.
        judge: Option<String>,
    },
    /// Finished debates, judged again without looking ahead.
    Rejudge {
        /// Paths within the study's folder; `*` stands for any part of a file's name.
        saves: String,
        #[serde(default = "yes")]
        stepped: bool,
    },
}

fn yes() -> bool {
    true
}

/// The player of a seat that a participant takes.
fn human() -> String {
    "human".to_owned()
}

impl Task {
    /// The players that it names, seat by seat.
    pub(crate) fn players(&self) -> [Option<&str>; 3] {
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

    /// True if it names a program.
    pub(crate) fn names_engine(&self) -> bool {
        let mut named = self.players().into_iter().flatten();
        named.any(|name| name.starts_with(ENGINE))
    }
}

/// The rules of a debate, as a scenario writes them.
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

/// What is shown beside a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Shows {
    /// Nothing.
    Question,
    /// The evidence of every leaf.
    Evidence,
    /// The source that debaters quote from.
    Source,
}

/// What is judged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Items {
    /// Bundled scenarios by name, and paths within the study's folder; `*` stands for any part of a
    /// file's name.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// A set of questions within the study's folder, one a line: each is an item under its id.
    pub questions: Option<String>,
    /// Tags of scenarios over which items are spread evenly.
    #[serde(default)]
    pub strata: Vec<String>,
    /// A tag of scenarios: no participant meets the same value twice.
    pub once_per_participant_by: Option<String>,
}

/// Who meets which conditions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Design {
    /// Everybody meets every condition: `blocks` times `per_cell` trials of each.
    Within {
        #[serde(default)]
        order: Order,
        #[serde(default = "one")]
        blocks: u32,
        #[serde(default = "one")]
        per_cell: u32,
    },
    /// Everybody meets one condition, in `trials` trials.
    Between {
        /// Sizes of the blocks within which conditions are balanced: multiples of their number.
        block: Vec<u32>,
        #[serde(default = "one")]
        trials: u32,
    },
    /// Everybody meets the conditions of one group.
    Mixed {
        groups: Vec<Vec<String>>,
        block: Vec<u32>,
        #[serde(default)]
        order: Order,
        #[serde(default = "one")]
        blocks: u32,
        #[serde(default = "one")]
        per_cell: u32,
    },
}

fn one() -> u32 {
    1
}

/// The order of conditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Order {
    /// Every condition in every place, and after every other one, equally often.
    #[default]
    Williams,
    /// Shuffled for everybody anew.
    Random,
}

/// Whether the two answers change places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum Swap {
    /// In one half of the trials of every cell.
    #[default]
    Balanced,
    Never,
}

/// A part of a participant's way.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum FlowStep {
    /// The terminal has this many columns and rows.
    Screener {
        min: (u16, u16),
        /// Asks nothing any more: pages in a browser fit every window, and need no keyboard.
        #[serde(default)]
        keyboard: bool,
    },
    /// A text to agree to.
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
        /// What they are about, as in `items`; where none is named, items that the participant does
        /// not meet later.
        #[serde(default)]
        scenarios: Vec<String>,
    },
    Trials,
    /// A break within the trials.
    Break {
        after: u32,
        max_s: u32,
    },
    Survey(String),
    Debrief {
        /// Whether the right answers are told.
        #[serde(default = "yes")]
        reveal: bool,
        /// A text to read.
        text: Option<String>,
    },
}

/// Trials that look at the participant, not at the debate.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum CheckTrial {
    /// Questions that only somebody who reads can answer.
    Attention { per_block: u32 },
    /// Trials that come again at the end; they are left out of the primary analysis.
    Repeat { fraction: f64 },
}

/// When a probability is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum AskWhen {
    Before,
    EachRound,
    Final,
}

/// Where the slider stands at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum SliderStart {
    /// Nowhere: no number is suggested.
    Unset,
}

/// How probabilities are asked for: whole percents.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Probability", deny_unknown_fields, default)]
pub struct Response {
    pub min: u8,
    pub max: u8,
    pub start: SliderStart,
    pub ask: Vec<AskWhen>,
    /// Whether the participant confirms each number.
    pub confirm: bool,
}

impl Default for Response {
    fn default() -> Self {
        Self {
            min: 1,
            max: 99,
            start: SliderStart::Unset,
            ask: vec![AskWhen::Before, AskWhen::EachRound, AskWhen::Final],
            confirm: true,
        }
    }
}

/// Limits of time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Time {
    /// Longer than this without a key is no active time, in seconds.
    pub idle_s: u32,
    /// A trial that took longer is marked, in seconds of active time.
    pub trial_limit_s: Option<u32>,
    /// A session that was left can be resumed for so long, in hours.
    pub resume_within_h: u32,
}

impl Time {
    /// The seconds within which a session that was left can be resumed.
    pub fn resume_within_s(&self) -> u64 {
        u64::from(self.resume_within_h) * 3600
    }
}

impl Default for Time {
    fn default() -> Self {
        Self {
            idle_s: 60,
            trial_limit_s: None,
            resume_within_h: 24,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    pub participants: u32,
}

/// Codes that participants take back to where they were recruited: `env:NAME` is read from the
/// environment and kept nowhere.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Codes {
    pub complete: Option<String>,
    pub screened_out: Option<String>,
    pub failed_attention: Option<String>,
    pub no_consent: Option<String>,
    /// Of whoever waited in vain for others to debate with.
    pub waited: Option<String>,
    /// Of those whom somebody left in the middle of a debate.
    pub left_alone: Option<String>,
}

impl Codes {
    /// Each code as another text.
    pub(crate) fn map(&self, to: impl Fn(&str) -> Option<String>) -> Self {
        let map = |code: &Option<String>| code.as_deref().and_then(&to);
        Self {
            complete: map(&self.complete),
            screened_out: map(&self.screened_out),
            failed_attention: map(&self.failed_attention),
            no_consent: map(&self.no_consent),
            waited: map(&self.waited),
            left_alone: map(&self.left_alone),
        }
    }
}

/// The score of a judgement: log₂ of the probability of the right answer, less a price for each round that was heard.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename = "Log2", deny_unknown_fields)]
pub struct Score {
    /// The price of a round that was heard, in bits.
    #[serde(default)]
    pub per_continue: f64,
    #[serde(default)]
    pub shown: ScoreShown,
}

impl Score {
    /// The score of a study file that names none. Studies that were locked without one have it, so it never changes.
    const UNSTATED: Self = Self {
        per_continue: 0.05,
        shown: ScoreShown::AtEnd,
    };
}

impl Score {
    /// The score of a judgement, in bits, after so many rounds.
    pub(crate) fn of(&self, p_correct: f64, rounds: u32) -> f64 {
        p_correct.log2() - self.per_continue * f64::from(rounds)
    }
}

/// When the participant sees a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum ScoreShown {
    Never,
    #[default]
    AtEnd,
}

/// Whose data do not count, said before there are any.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Exclusion {
    FailedQuiz,
    /// So many questions of attention, or more.
    FailedAttention(u32),
    /// More than this share of the trials took less than so many active seconds.
    FasterThan {
        seconds: u32,
        share: f64,
    },
}

/// When no more participants are taken.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Stop {
    /// So many have completed it.
    Participants(u32),
}

/// What is paid for good judgements: so many cents times the score, from 0 to 1, of one trial by chance.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename = "OneTrial", deny_unknown_fields)]
pub struct Bonus {
    pub score: BonusScore,
    pub cents: u32,
}

/// A score from 0 to 1 for which the best answer is what one holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum BonusScore {
    /// 1 − (1 − p)², p being the probability of the right answer.
    Quadratic,
}

impl BonusScore {
    pub fn of(self, p_correct: f64) -> f64 {
        match self {
            Self::Quadratic => 1.0 - (1.0 - p_correct).powi(2),
        }
    }
}

/// What is worked out, said before there are data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    pub primary: Primary,
    #[serde(default = "resamples")]
    pub bootstrap: u32,
    /// Bins of the calibration error: 10.
    #[serde(default = "bins")]
    pub ece_bins: u32,
    /// An effect and standard deviations of it that power is worked out for.
    pub power: Option<Power>,
}

fn resamples() -> u32 {
    4000
}

fn bins() -> u32 {
    10
}

/// A stated effect for the power of the primary contrast.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Power {
    /// The difference that is expected, in the measure's unit.
    pub effect: f64,
    /// The standard deviation between participants: within participants, of their own differences; between
    /// participants, of their own means under one condition.
    pub sd: f64,
}

/// The contrast that the study is about: the mean under `of` less the mean under `against`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Difference", deny_unknown_fields)]
pub struct Primary {
    pub measure: Measure,
    pub of: String,
    pub against: String,
}

/// What a judgement is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Measure {
    /// (1 − p)², p being the probability of the right answer: less is better.
    Brier,
    /// 1 where the right answer had more than one half, ½ at one half.
    Accuracy,
    /// The score of the study file, in bits.
    Score,
}

impl Measure {
    pub fn name(self) -> &'static str {
        match self {
            Self::Brier => "Brier score",
            Self::Accuracy => "accuracy",
            Self::Score => "log2 score",
        }
    }
}

/// The power at the target if the stated numbers are true.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedPower {
    /// The effect and its standard deviation between participants, as the study file states them.
    pub stated: Power,
    /// Participants whose judgements are compared: of a group with a judge, the judge alone.
    pub participants: u32,
    /// The design of the primary contrast.
    pub contrast: ContrastDesign,
    /// The chance that the stated effect is found.
    pub power: Option<f64>,
    /// The smallest effect that is found four times out of five, in the measure's unit.
    pub detectable: Option<f64>,
}

impl PlannedPower {
    /// `None` if the study file states no effect.
    pub fn of(study: &Study) -> Option<Self> {
        let stated = study.plan.analysis.power?;
        let contrast = study.contrast();
        let test = contrast.test();
        Some(Self {
            stated,
            participants: contrast.participants(),
            contrast,
            power: test.power(stated.effect / stated.sd),
            detectable: test.detectable().map(|sds| sds * stated.sd),
        })
    }
}

impl Plan {
    /// Reads a study file.
    ///
    /// # Errors
    /// If it cannot be read, or says what no study says.
    pub fn read(path: &Path) -> Result<Self> {
        let plan: Self = read_ron(path)?;
        plan.check().map_err(|why| StudyError::file(path, why))?;
        Ok(plan)
    }

    /// The score that applies.
    pub fn score(&self) -> Score {
        self.score.unwrap_or(Score::UNSTATED)
    }

    /// The seat that participants take, the first of several.
    pub fn role(&self) -> Seat {
        self.roles.first().copied().unwrap_or(Seat::Judge)
    }

    /// True if several participants sit in one debate.
    pub fn is_group(&self) -> bool {
        self.roles.len() > 1
    }

    /// The rows of the schedule that so many participants take: a group has one.
    pub(crate) fn rows(&self, participants: u32) -> u32 {
        participants / u32::try_from(self.roles.len()).unwrap_or(1).max(1)
    }

    /// The rows of the schedule up to the target.
    pub(crate) fn target_rows(&self) -> u32 {
        self.rows(self.target.participants)
    }

    /// The rows of the schedule that there are places for.
    pub(crate) fn places(&self) -> u32 {
        let Stop::Participants(stop) = self.stop;
        self.rows(stop)
    }

    /// True if what somebody in this seat holds likely is compared: where a judge sits with those who debate, the
    /// judge's alone.
    pub(crate) fn is_compared(&self, seat: &str) -> bool {
        !self.is_group() || !self.roles.contains(&Seat::Judge) || seat == Seat::Judge.name()
    }

    /// The player that a task names: `engine:NAME` is the program that the study file lists so.
    ///
    /// # Errors
    /// If the text names no player, or a program that is not listed.
    pub(crate) fn player(&self, text: &str) -> Result<Spec, String> {
        let Some(name) = text.strip_prefix(ENGINE) else {
            return Spec::parse(text).map_err(|error| error.to_string());
        };
        let DebateEngine { command, options } = self.engines.get(name).ok_or_else(|| {
            format!(
                "the study file lists no engine `{name}`; add it to `engines`, with its command"
            )
        })?;
        let words: Vec<String> = command.iter().map(|word| word_in_shell(word)).collect();
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
        Spec::parse(&spec).map_err(|error| format!("engines: `{name}`: {error}"))
    }

    /// True if the debates of programs under a condition are played before anybody judges them.
    pub fn is_prepared(&self, condition: usize) -> bool {
        let task = self.conditions.get(condition).map(|it| &it.task);
        task.is_some_and(|task| task.names_engine() && !self.is_live(task))
    }

    /// True if a program debates in a task while a participant debates with it, or speaks to it.
    pub(crate) fn is_live(&self, task: &Task) -> bool {
        let hears = match task {
            Task::Debate { protocol, .. } => {
                matches!(&*protocol.protocol, Protocol::Speeches(rules) if rules.judge_feedback)
            }
            Task::Consultancy { .. } => true,
            Task::Direct { .. } | Task::Rejudge { .. } => false,
        };
        task.names_engine() && (hears || self.roles != [Seat::Judge])
    }

    /// True if a program debates with participants, under any condition.
    pub fn has_live_programs(&self) -> bool {
        self.conditions.iter().any(|it| self.is_live(&it.task))
    }

    /// The place of a condition.
    pub fn condition(&self, id: &str) -> Option<usize> {
        self.conditions.iter().position(|it| it.id == id)
    }
}

impl Design {
    /// How many blocks there are, and how many trials of each condition in a block.
    pub fn repeats(&self) -> (u32, u32) {
        match self {
            Self::Within {
                blocks, per_cell, ..
            }
            | Self::Mixed {
                blocks, per_cell, ..
            } => (*blocks, *per_cell),
            Self::Between { trials, .. } => (1, *trials),
        }
    }
}

/// The most bytes of a study file and of each text of it.
const MAX_FILE: u64 = 1 << 20;

/// A question of a quiz.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Question", deny_unknown_fields)]
pub struct QuizQuestion {
    pub ask: String,
    pub options: Vec<String>,
    /// The place of the right option, from 1.
    pub right: usize,
}

/// A question of a survey.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Question", deny_unknown_fields)]
pub struct SurveyQuestion {
    /// Its name in the tables.
    pub id: String,
    pub ask: String,
    pub answer: SurveyAnswer,
}

/// What answers a question of a survey.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum SurveyAnswer {
    Choice(Vec<String>),
    /// Numbers, with words for the first and the last.
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
    /// Free text of so many characters: it may say who wrote it, so it is asked for by name only.
    Text(usize),
}

/// Reads a small text of a study.
///
/// # Errors
/// If it cannot be read, is too long, or is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    check_plain(path).map_err(StudyError::io(path))?;
    let file = std::fs::File::open(path).map_err(StudyError::io(path))?;
    let bytes = read_at_most(file, MAX_FILE + 1).map_err(StudyError::io(path))?;
    if bytes.len() as u64 > MAX_FILE {
        let what = format!("it is longer than {MAX_FILE} bytes; make it shorter");
        return Err(StudyError::file(path, what));
    }
    let text = decoded(&bytes).map(str::to_owned);
    text.map_err(|error| StudyError::file(path, error.to_string()))
}

/// Reads a RON document of a study.
///
/// # Errors
/// As [`read_text`]; where it is malformed, with its line.
pub(crate) fn read_ron<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T> {
    let text = read_text(path)?;
    let read = ron_options().from_str(&text);
    read.map_err(|error| StudyError::file(path, error.to_string()))
}
