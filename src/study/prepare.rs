//! Debates between programs, played before participants judge them. All judges of the same item and condition read the
//! same debate, and no participant waits for a model.
//!
//! [`match_of_prepared_debates`] returns the match of a study's debates; an interrupted match is continued. Its saves
//! are stored in `items/prepared/`. A study finds the saves by their contents, whatever their file names are.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::lock::verify_lock;
use crate::folder::path_file_name;
use crate::plan::TrialTask;
use debate_core::chance::Seed;
use debate_core::digest::Digest;
use debate_core::text::count_with_noun;
use debate_host::plan::{DebatePlan, ExternalPlayerOptions, players};
use debate_host::record::{ReplyCostSum, Save, list_save_files};
use debate_lab::judgements::FinishedDebateToRejudge;
use debate_lab::matches::{
    Match, MatchRunOptions, PlannedMatchDebate, TotalCostCaps, TotalCostReport, planned_debate_key,
    saved_debate_key,
};
use debate_solver::setup::ScenarioLimits;

/// A cell of the table of prepared debates: the index of a condition, and the index of one of its items.
pub(crate) type Cell = (usize, usize);

/// The prepared debate of a condition and an item.
#[derive(Debug)]
pub struct PreparedDebate {
    pub(crate) case: FinishedDebateToRejudge,
    pub row: ProgramDebateRow,
    cost: ReplyCostSum,
}

/// A row of the table of debates with programs: a prepared debate between programs, or the debate of a participant's
/// trial in which a program played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProgramDebateRow {
    pub condition: String,
    pub item: String,
    /// The names of the players: `human` for a participant, else as in the study file.
    pub prover: String,
    pub opponent: String,
    /// Names of the language models that the programs report, sorted; empty if no program reports one.
    pub model: String,
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Cost of the debate in US dollars, as a decimal number.
    pub usd: String,
    /// File name of the debate's save; empty for a debate with a participant.
    pub save: String,
    /// Session of the participant who took part in the debate; empty for a prepared debate.
    pub session: String,
}

/// Returns the distinct names of language models, sorted and joined by ` + `.
pub(crate) fn joined_model_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    names.into_iter().collect::<Vec<_>>().join(" + ")
}

impl ProgramDebateRow {
    /// Returns this row of the table of debates with programs, with the cost of its debate filled in.
    pub(crate) fn with_debate_cost(self, sum: ReplyCostSum) -> Self {
        let cost = TotalCostReport::from(sum);
        Self {
            calls: cost.calls,
            tokens_in: cost.tokens_in,
            tokens_out: cost.tokens_out,
            usd: cost.usd,
            ..self
        }
    }
}

/// The debates between programs that are to be prepared, by key. Several pairs of a condition and an item may use the
/// same debate.
type CellsByKey = HashMap<Digest, Vec<Cell>>;

/// Returns the pairs of condition and item that need a prepared debate between programs: those that the schedule
/// contains below a row limit.
fn cells(study: &Study) -> BTreeSet<Cell> {
    let mut cells = BTreeSet::new();
    let count = study.plan.conditions.len();
    let all = (0..count).filter(|condition| study.plan.requires_prepared_debates(*condition));
    let all: usize = all
        .map(|condition| study.items_of_condition(condition).len())
        .sum();
    let schedule = study.schedule();
    let rows = study.plan.max_claimed_schedule_rows();
    for slot in 0..rows.max(study.plan.schedule_rows_of_planned_participants()) {
        if cells.len() == all {
            break;
        }
        let trials = schedule
            .trials_of_slot_without_practice(slot)
            .into_iter()
            .chain(schedule.practice_trials_of_slot(slot));
        let played = trials.filter(|trial| study.plan.requires_prepared_debates(trial.condition));
        cells.extend(played.map(|trial| (trial.condition, trial.item)));
    }
    cells
}

/// Returns the plan of the debate of a condition and an item. Its judge is the task's `judge`, else the item's own,
/// else the standard judge of the rules. Participants judge the finished debate again.
fn plan_of(
    study: &Study,
    (condition, item): Cell,
    engines: ExternalPlayerOptions,
) -> Result<DebatePlan> {
    let condition = &study.plan.conditions[condition];
    let item = &study.items[item];
    let refused = |why: String| StudyError::Plan(format!("`{}`: {why}", condition.id));
    let TrialTask::Debate { protocol, .. } = &condition.task else {
        return Err(refused(
            "this condition has no debates between programs".to_owned(),
        ));
    };
    let named = condition.task.named_players();
    let mut specs = [None, None, None];
    for (spec, name) in specs.iter_mut().zip(named) {
        let read = name.map(|name| study.plan.parse_player(name));
        *spec = read
            .transpose()
            .map_err(refused)?
            .map(|spec| spec.to_string());
    }
    let setup = item.setup();
    let rules = study.with_quote_rule_of_lock(protocol.protocol.as_ref().clone());
    let names = specs.each_ref().map(Option::as_deref);
    let players =
        players(names, &[None], setup, &rules).map_err(|error| refused(error.to_string()))?;
    let text = format!("{}/{}", study.plan.seed, item.id);
    let seed = Seed::new(text.clone())
        .ok_or_else(|| refused(format!("the seed `{text}` is not valid")))?;
    Ok(DebatePlan {
        world: item.instance_to_judge().world_index(),
        fixed_world: true,
        blind: true,
        engines,
        ..DebatePlan::new(setup.clone(), rules, seed, players)
    })
}

/// Returns the match that plays all debates between programs which participants judge later.
///
/// # Errors
/// If the study was changed after its lock, no debate is to be prepared, or a debate cannot be planned.
pub fn match_of_prepared_debates(
    study: &Study,
    jobs: usize,
    engines: ExternalPlayerOptions,
    caps: TotalCostCaps,
) -> Result<Match> {
    verify_lock(study)?;
    let cells = cells(study);
    if cells.is_empty() {
        return Err(StudyError::Nothing(
            "no condition has debates that engines play before the sessions, so there is nothing to prepare".to_owned(),
        ));
    }
    let debates = cells.into_iter().map(|cell| {
        let plan = plan_of(study, cell, engines.clone())?;
        for player in &plan.players {
            let checked = engines.check_player_allowed(player);
            checked.map_err(|error| StudyError::Plan(error.to_string()))?;
        }
        Ok(PlannedMatchDebate {
            condition: study.plan.conditions[cell.0].id.clone(),
            plan,
        })
    });
    let debates = debates.collect::<Result<_>>()?;
    let seed = study.plan.seed.to_string();
    let seed = Seed::new(seed.clone())
        .ok_or_else(|| StudyError::Plan(format!("the seed `{seed}` is not valid")))?;
    let options = MatchRunOptions {
        folder: study.folder.prepared_debates_folder(),
        jobs,
        limits: ScenarioLimits::default(),
        engines,
        named: Vec::new(),
    };
    Ok(Match::from_planned_debates(
        &study.plan.title,
        seed,
        debates,
        caps,
        options,
    ))
}

impl Study {
    /// Reads the prepared debates, and counts the debates that are not played yet or that a program gave up.
    pub(crate) fn read_prepared_debates(&mut self) -> Result {
        let mut wanted = CellsByKey::new();
        for cell in cells(self) {
            let plan = plan_of(self, cell, ExternalPlayerOptions::default())?;
            wanted
                .entry(planned_debate_key(&plan))
                .or_default()
                .push(cell);
        }
        if wanted.is_empty() {
            return Ok(());
        }
        self.unprepared = wanted.values().map(Vec::len).sum();
        let folder = self.folder.prepared_debates_folder();
        if !folder.exists() {
            return Ok(());
        }
        let mut paths = list_save_files(&folder).map_err(StudyError::io_error_at(&folder))?;
        paths.sort();
        for path in paths {
            // Skip files that are damaged or are no saves.
            let Ok(save) = Save::read_save(&path) else {
                continue;
            };
            let Some(cells) = wanted.get(&saved_debate_key(&save.header)) else {
                continue;
            };
            let mut is_told = false;
            for cell in cells {
                let case = FinishedDebateToRejudge::of_save(&path, &save, "participant")?;
                let Some(case) = case.filter(|_| !self.prepared.contains_key(cell)) else {
                    // A debate that ended without a result under its rules was given up by a program.
                    let is_given_up =
                        save.stated_debate_end().is_some() && !self.prepared.contains_key(cell);
                    self.given_up
                        .extend(is_given_up.then(|| path_file_name(&path)));
                    continue;
                };
                let row = self.debate_row(*cell, &save, path_file_name(&path));
                let cost = save.reply_costs_by_seat().total_cost_of_seats();
                self.prepared
                    .insert(*cell, PreparedDebate { case, row, cost });
                self.unprepared -= 1;
                is_told = true;
            }
            if is_told {
                self.add_digest_of_file(&path)?;
            }
        }
        Ok(())
    }

    /// Reads the prepared debates of the study `original`, for this study, in which the same items are translated.
    ///
    /// # Errors
    /// If a save cannot be read, or its debate cannot be shown about the translated item.
    pub(crate) fn read_prepared_debates_of_original(&mut self, original: &Self) -> Result {
        let folder = self.folder.prepared_debates_folder();
        for (cell, debate) in &original.prepared {
            let path = folder.join(&debate.row.save);
            let read = Save::read_save(&path);
            let save = read.map_err(|error| StudyError::invalid_file(&path, error.to_string()))?;
            let item = &self.items[cell.1];
            let setup = item.setup().clone();
            let case =
                FinishedDebateToRejudge::of_save_with_scenario(&path, &save, setup, "participant");
            let case = case.map_err(|error| {
                StudyError::Plan(format!(
                    "items: `{}` in the language `{}` does not fit its prepared debate ({error}); keep the `source` from \
                     which debaters quote in the first language",
                    item.id,
                    self.plan.language()
                ))
            })?;
            let Some(case) = case else {
                continue;
            };
            let (row, cost) = (debate.row.clone(), debate.cost);
            self.prepared
                .insert(*cell, PreparedDebate { case, row, cost });
        }
        self.unprepared = original.unprepared;
        self.given_up.clone_from(&original.given_up);
        Ok(())
    }

    fn debate_row(&self, (condition, item): Cell, save: &Save, name: String) -> ProgramDebateRow {
        let condition = &self.plan.conditions[condition];
        let [prover, opponent, _] = condition.task.named_players();
        let costs = save
            .events_with_undone()
            .iter()
            .filter_map(|line| line.meta.cost.as_ref());
        ProgramDebateRow {
            condition: condition.id.clone(),
            item: self.items[item].id.clone(),
            prover: prover.unwrap_or_default().to_owned(),
            opponent: opponent.unwrap_or_default().to_owned(),
            model: joined_model_names(costs.filter_map(|cost| cost.model.as_deref())),
            save: name,
            ..ProgramDebateRow::default()
        }
        .with_debate_cost(save.reply_costs_by_seat().total_cost_of_seats())
    }

    /// Returns the prepared debate of a condition and an item.
    pub(crate) fn prepared_debate(&self, condition: usize, item: usize) -> Option<&PreparedDebate> {
        self.prepared.get(&(condition, item))
    }

    /// Returns the prepared debates in the order of conditions and items.
    pub fn prepared_debates(&self) -> impl Iterator<Item = &PreparedDebate> {
        self.prepared.values()
    }

    /// Returns the total cost of the prepared debates.
    pub fn prepared_debates_cost(&self) -> ReplyCostSum {
        let mut total = ReplyCostSum::default();
        self.prepared_debates()
            .for_each(|debate| total += debate.cost);
        total
    }

    /// Checks that all debates between programs were played.
    ///
    /// # Errors
    /// If a debate was not played yet or was given up by a program.
    pub fn check_program_debates_were_played(&self) -> Result {
        match (self.unprepared, self.given_up.first()) {
            (0, _) => Ok(()),
            (_, Some(save)) => Err(StudyError::Plan(format!(
                "a program gave up {}, the first in items/prepared/{save}; repair the program, delete these saves, \
                 and run `study prepare` again",
                count_with_noun(self.given_up.len(), "debate", "debates")
            ))),
            (unplayed_count, None) => Err(StudyError::Plan(format!(
                "{unplayed_count} of {debate_count} pairs of condition and item have no debate between programs yet; run `study prepare`",
                debate_count = unplayed_count + self.prepared.len()
            ))),
        }
    }
}

/// The prepared debates by cell.
pub(crate) type Prepared = BTreeMap<Cell, PreparedDebate>;
