//! Matches: plays every combination of players, instances and rules, with one save per debate and a report.
//!
//! Start with a [`MatchPlan`], which lists players, scenarios, rules and the number of debates. A [`Match`] plays its
//! debates, and its [`MatchReport`] summarises them. Only the saves are stored. A debate is identified by its scenario,
//! rules, seed, number, instance, players, and whether it is blind. So a stopped match resumes from its saves, and an
//! extended plan plays only the new debates.

mod chart;
mod plan;
mod ratings;
mod report;
mod run;
mod schedule;
mod sprt;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use thiserror::Error;

use debate_core::{PlayerSpec, Seed};
use debate_host::DebateError;
use debate_host::engine::{EnginePool, SharedCostMeterWithCaps};
use debate_host::plan::{DebatePlanError, ExternalPlayerOptions, SaveStorageOptions};
use debate_host::record::{
    Save, SaveFileError, accept_missing_lock_support, delete_save_and_label, list_save_files,
};
use debate_solver::setup::ScenarioLimits;
use run::MatchProgress;
use schedule::MatchSchedule;

pub use chart::{ratings_chart_svg, ratings_chart_vega};
pub use debate_host::record::TotalCostCaps;
pub use plan::{MatchPlan, MatchPlanError, NamedDebateRules};
pub use ratings::{EloEstimate, GamesOfTwoPlayers, MatchRatings, PlayerRating, RatingEstimate};
pub use report::{
    DebateResult, FaultCounts, InstanceOrDebateUnit, MIN_UNITS, MatchReport, MatchupReport,
    MatchupResults, MeanWithInterval, TotalCostReport,
};
pub use schedule::{PlannedMatchDebate, planned_debate_key, saved_debate_key};
pub use sprt::{SprtHypothesis, SprtState, SprtTest};

/// The reason why a match cannot be played.
#[derive(Debug, Error)]
pub enum DebateMatchError {
    /// A debate cannot be planned or started.
    #[error(transparent)]
    Debate(#[from] DebatePlanError),
    /// The match's plan cannot be used; the text gives the reason as a sentence.
    #[error("{0}")]
    Plan(String),
    /// The match has no seed.
    #[error(
        "a match needs a seed, so that it can be stopped and continued; give one in the plan or with --seed"
    )]
    NoSeed,
    /// The program that plays for a player does not start; the text gives the reason as a sentence.
    #[error("{0}")]
    Engine(String),
    /// A move of a debate cannot be made or saved.
    #[error(transparent)]
    Running(#[from] DebateError),
    /// A file or folder of the match cannot be used.
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: String },
    /// A thread cannot be started.
    #[error(transparent)]
    Thread(#[from] io::Error),
}

impl DebateMatchError {
    fn file(path: &Path, why: impl Into<String>) -> Self {
        Self::File {
            path: path.to_owned(),
            why: why.into(),
        }
    }

    /// True if a file or a program failed, although the request was valid.
    pub fn is_system_error(&self) -> bool {
        match self {
            Self::Debate(error) => error.is_system_error(),
            Self::Plan(_) | Self::NoSeed => false,
            Self::Engine(_) | Self::Running(_) | Self::File { .. } | Self::Thread(_) => true,
        }
    }
}

/// The lock file in a match's folder. A process that plays the whole match holds it exclusively; shards share it.
const LOCK: &str = "match.lock";

/// The options for running a match.
#[derive(Clone, Debug)]
pub struct MatchRunOptions {
    /// The folder for its saves.
    pub folder: PathBuf,
    /// The maximum number of debates played at the same time.
    pub jobs: usize,
    /// The limits for scenarios.
    pub limits: ScenarioLimits,
    pub engines: ExternalPlayerOptions,
    /// The players that the user named on the command line. Only their programs may be started without further
    /// permission.
    pub named: Vec<String>,
}

impl MatchRunOptions {
    /// True if the user allows the program `command` of a player to be started.
    fn may_run(&self, command: &str) -> bool {
        let of = |name: &String| {
            PlayerSpec::parse(name).is_ok_and(|spec| spec.command_or_model_name() == Some(command))
        };
        self.engines.allow_commands || self.named.iter().any(of)
    }
}

/// A match and its progress.
pub struct Match {
    title: String,
    seed: Seed,
    options: MatchRunOptions,
    /// A sequential test that stops the match once the test is decided.
    sprt: Option<SprtTest>,
    keeping: SaveStorageOptions,
    schedule: MatchSchedule,
    board: MatchProgress,
    pool: EnginePool,
    /// The costs of all replies in the match, including those of earlier runs.
    meter: Arc<SharedCostMeterWithCaps>,
    /// The range of debate numbers to play, if this process plays only a shard of the match; `None` for the whole
    /// match.
    part: Option<Range<u64>>,
}

/// The outcome of a run of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchRunOutcome {
    /// The reasons why debates could not end because of failures outside the players, one for each such debate.
    pub void_reasons: Vec<String>,
    /// The cost limit that was reached, in words; `None` if none was reached.
    pub cap: Option<String>,
}

impl Match {
    /// Returns the match of a plan, without any progress: [`Self::take_in_or_delete_saves_and_list_skipped`] adds the saves of
    /// its folder.
    ///
    /// # Errors
    /// If the plan cannot be played, or a scenario cannot be read.
    pub fn new(plan: MatchPlan, options: MatchRunOptions) -> Result<Self, DebateMatchError> {
        plan.check_plan_values().map_err(DebateMatchError::Plan)?;
        let named = plan.seed.as_deref().and_then(Seed::new);
        let seed = named.ok_or(DebateMatchError::NoSeed)?;
        let schedule = MatchSchedule::new(&plan, &seed, &options)?;
        Ok(Self::of(plan, seed, schedule, options))
    }

    /// Returns a match of debates that were planned individually, each with its own seed. Its report shows `title` and
    /// `seed`.
    pub fn from_planned_debates(
        title: &str,
        seed: Seed,
        debates: Vec<PlannedMatchDebate>,
        caps: TotalCostCaps,
        options: MatchRunOptions,
    ) -> Self {
        let plan = MatchPlan {
            title: Some(title.to_owned()),
            caps,
            ..MatchPlan::default()
        };
        Self::of(
            plan,
            seed,
            MatchSchedule::from_planned_debates(debates),
            options,
        )
    }

    fn of(plan: MatchPlan, seed: Seed, schedule: MatchSchedule, options: MatchRunOptions) -> Self {
        let title = plan
            .title
            .clone()
            .unwrap_or_else(|| schedule.title_from_scenarios());
        let keeping = SaveStorageOptions {
            folder: Some(options.folder.clone()),
            no_save: false,
        };
        Self {
            board: MatchProgress::new(schedule.debates.len()),
            pool: EnginePool::new(options.engines.limits, Arc::clone(&options.engines.models)),
            meter: Arc::new(SharedCostMeterWithCaps::new(plan.caps)),
            sprt: plan.sprt,
            part: None,
            title,
            seed,
            options,
            keeping,
            schedule,
        }
    }

    /// Returns the number of debates of the match, or of the shard to which it is restricted.
    pub fn debate_count(&self) -> u64 {
        self.schedule.debates.len() as u64
    }

    /// Restricts the match to a shard: the debates with numbers in `part`, counted from 0. Drops the progress that was
    /// read. Shards of a match can be played at the same time in one folder if they share no debate. The whole match
    /// cannot be played at the same time as a shard.
    pub fn restrict_to_debate_range(&mut self, part: Range<u64>) {
        self.schedule.restrict_to_debate_range(&part);
        self.part = Some(part);
        self.board = MatchProgress::new(self.schedule.debates.len());
    }

    /// Reads the existing saves in the match's folder, and deletes those whose header is incomplete. Returns the
    /// skipped files, each with the reason.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn take_in_or_delete_saves_and_list_skipped(
        &self,
    ) -> Result<Vec<String>, DebateMatchError> {
        let mut passed_over = Vec::new();
        let folder = &self.options.folder;
        let paths = match list_save_files(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            paths => paths.map_err(|error| DebateMatchError::file(folder, error.to_string()))?,
        };
        for path in paths {
            if let Err(why) = self.take_in(&path) {
                passed_over.push(format!("{}: {why}", path.display()));
            }
        }
        Ok(passed_over)
    }

    /// Reads one save and records its result or its unfinished debate, if the save belongs to this match. Deletes a
    /// save with an incomplete header.
    fn take_in(&self, path: &Path) -> Result<(), String> {
        let save = match Save::read_save(path) {
            // The program was killed while it created this save, so the save has no moves.
            Err(SaveFileError::CutHeader { .. }) => {
                return delete_save_and_label(path).map_err(|error| error.to_string());
            }
            save => save.map_err(|error| error.to_string())?,
        };
        let Some(place) = self
            .schedule
            .debate_index_of_digest(&saved_debate_key(&save.header))
        else {
            return Ok(());
        };
        let counts = match self.result(place, &save)? {
            Some(result) => self.board.record_earlier_result(place, result),
            None => self.board.record_unfinished_save(place, path),
        };
        for line in save.events_with_undone().iter().filter(|_| counts) {
            let player = line
                .kind
                .seat_unless_undo()
                .and_then(|seat| save.header.player_name(seat));
            if let Some((player, cost)) = player.zip(line.meta.cost.as_ref()) {
                self.meter.add_earlier_cost(player, cost);
            }
        }
        Ok(())
    }

    /// Returns the result of the save of debate with index `place`; `None` if the debate has not ended.
    fn result(&self, place: usize, save: &Save) -> Result<Option<DebateResult>, String> {
        let instance = self.schedule.debate_plan(place).instance();
        DebateResult::result_of_save(save, &instance).map_err(|error| error.to_string())
    }

    /// Plays the match's remaining debates, until all are finished, `stop` is set, a cost limit is reached, or the
    /// sequential test is decided or meets a debate without a result.
    ///
    /// # Errors
    /// If an engine is not allowed or cannot be started, if a save cannot be read or written, or if another process
    /// plays this match.
    pub fn play_remaining_debates(
        &self,
        stop: &AtomicBool,
    ) -> Result<MatchRunOutcome, DebateMatchError> {
        let _locks = self.lock()?;
        run::play_match(self, stop)
    }

    /// Locks the match's debates against other processes while the returned files are open. Shards share the folder's
    /// lock, which a whole match holds exclusively. Each shard also has its own lock.
    fn lock(&self) -> Result<Vec<File>, DebateMatchError> {
        let folder = &self.options.folder;
        let take = |name: &str, shared: bool| {
            let path = folder.join(name);
            let failed = |error: io::Error| DebateMatchError::file(&path, error.to_string());
            fs::create_dir_all(folder).map_err(failed)?;
            let mut options = OpenOptions::new();
            options.create(true).append(true);
            let file = options.open(&path).map_err(failed)?;
            let tried = if shared {
                file.try_lock_shared()
            } else {
                file.try_lock()
            };
            match accept_missing_lock_support(tried) {
                Ok(()) => Ok(file),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    Err(DebateMatchError::file(
                        folder,
                        "another program is running a match in this folder",
                    ))
                }
                Err(error) => Err(failed(error)),
            }
        };
        let mut files = vec![take(LOCK, self.part.is_some())?];
        if let Some(part) = &self.part {
            let own = format!("match-{}-{}.lock", part.start, part.end);
            files.push(take(&own, false)?);
        }
        Ok(files)
    }

    /// True if the match has a sequential test and the results so far decide it.
    fn is_decided(&self) -> bool {
        let sprt = self.sprt_state(&self.board.results_by_index());
        sprt.is_some_and(|sprt| sprt.accepted.is_some())
    }

    /// Returns the state of the sequential test, if the match has one.
    fn sprt_state(&self, results: &[Option<DebateResult>]) -> Option<SprtState> {
        self.schedule.sprt_state(self.sprt?, results)
    }

    /// Returns the results so far.
    pub fn report(&self) -> MatchReport {
        let results = self.board.results_by_index();
        let finished = results.iter().flatten().count();
        MatchReport {
            format: 1,
            title: self.title.clone(),
            seed: self.seed.as_str().to_owned(),
            debates: results.len(),
            finished,
            sprt: self.sprt_state(&results),
            matchups: self.schedule.matchup_reports(&results),
            ratings: self.schedule.player_ratings(&results),
            cost: self.meter.total_cost_so_far().into(),
        }
    }
}
