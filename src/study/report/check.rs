//! `check`: rehearses the session of a participant and finds flaws of a study.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Study;
use crate::error::Result;
use crate::folder::lock::StudyLock;
use crate::folder::log::StudySessionStatus;
use crate::plan::schedule::AssignedTrial;
use crate::plan::screening::CODE;
use crate::plan::{
    AnswerSwapRule, ContrastDesign, ExclusionRule, InformationShownWithQuestion, LogScoreRule,
    PrimaryContrast, RecruitmentStoppingRule, StudyFlowStep, StudyPlan, TrialTask,
};
use crate::report::languages::report_translation_problems;
use crate::report::power::{PlannedPower, SimulatedTests};
use crate::report::quotas::{check_screening_and_quotas, screening_and_quotas_in_words};
use crate::session::page::StudyPagePointOrRemark;
use crate::session::trial::{ScheduledTrial, TrialQuestion};
use debate_core::budget::ComputationBudget;
use debate_core::player::player_name_without_arguments;
use debate_core::protocol::ProtocolKind;
use debate_core::scenario::JudgeSees;
use debate_core::text::{duration_in_words, round_estimated_seconds};
use debate_lab::judgements::statistics::{count_to_float, mean};
use debate_text::Line;

/// Assumed reading speed of participants, in characters per minute.
const READING: f64 = 1000.0;
/// Assumed time that a participant needs per question, in seconds.
const ANSWERING: f64 = 15.0;

/// The result of `check`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "CheckReport")]
pub struct StudyCheckReport {
    /// Version of this document: 1.
    pub format: u32,
    /// True if the check of the study found no problem.
    pub ok: bool,
    pub id: String,
    pub title: String,
    pub stage: &'static str,
    pub participants: u32,
    pub trials_per_participant: usize,
    /// Estimated duration of a session in minutes: reading and answering in trials, and one minute for each other step
    /// of `flow` except `Screener`.
    pub minutes: f64,
    pub items: usize,
    /// Items that no planned participant gets in a trial.
    pub unused_items: Vec<String>,
    /// Proportion of trials in which a judge who reads no arguments could guess the truth of the claim, or the position
    /// of the right answer.
    ///
    /// This judge knows the items and the right answer of the previous trial. The proportion is the highest over all
    /// decks of items. Null if the study was locked with study format 1, or if no deck has two stories.
    pub guessed: Option<f64>,
    pub conditions: Vec<PlannedConditionTrialsReport>,
    /// The design of the primary contrast.
    pub contrast: ContrastDesign,
    /// The smallest effect that is detected with probability 0.8 at the planned number of participants, in standard
    /// deviations.
    ///
    /// The deviations are of the participants' differences (within participants) or means (between participants).
    pub detectable_sds: Option<f64>,
    /// Power to detect the effect that the study file states, with the planned number of participants. Null if it
    /// states none.
    pub planned: Option<PlannedPower>,
    /// Price of a round that a participant is shown, in bits of the score.
    pub per_continue: f64,
    /// True if the study file states its score rule.
    pub score_is_stated: bool,
    /// Flaws that make the study invalid.
    pub problems: Vec<String>,
    pub warnings: Vec<String>,
}

/// The trials of one condition.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ConditionCheck")]
pub struct PlannedConditionTrialsReport {
    pub id: String,
    pub shown_as: String,
    /// Description of the participant's view.
    pub sees: String,
    /// Number of trials under this condition that all planned participants have together, without practice and repeated
    /// trials.
    pub trials: usize,
    /// Proportion of trials in which the answer shown first is right; and proportion in which the two answers are shown
    /// in swapped order.
    pub first_is_right: f64,
    pub swapped: f64,
    /// Number of trials of the item that is used least, and of the item that is used most, without practice and
    /// repeated trials.
    pub per_item: [usize; 2],
    /// Number of lines that a trial shows: minimum and maximum over the items.
    pub lines: [usize; 2],
    /// Number of questions that a trial asks: minimum and maximum over the items.
    pub questions: [usize; 2],
    pub minutes: f64,
}

/// Measurements of one item under one condition, taken by playing its trial.
struct Rehearsal {
    lines: usize,
    characters: usize,
    questions: usize,
    public: Option<f64>,
}

/// Checks the study by playing, for each condition, a trial with each item of this condition.
///
/// # Errors
/// None at present: a fault in playing an item is one of the report's `problems`.
pub fn check_study(study: &Study) -> Result<StudyCheckReport> {
    check_study_within(study, ComputationBudget::default())
}

/// Checks the study as [`check_study`] does. The budget counts the studies that are simulated for the power.
///
/// # Errors
/// As [`check_study`].
pub fn check_study_within(
    study: &Study,
    budget: ComputationBudget<'_>,
) -> Result<StudyCheckReport> {
    let simulated = SimulatedTests::simulate_contrast_tests(study, budget);
    let plan = &study.plan;
    let schedule = study.schedule();
    let first = schedule.trials_of_slot_without_practice(0);
    let mut report = StudyCheckReport {
        format: 1,
        ok: true,
        id: plan.id.clone(),
        title: plan.title.clone(),
        stage: plan.stage.study_stage_name(),
        participants: plan.target.participants,
        trials_per_participant: first.len(),
        minutes: 0.0,
        items: study.items.iter().filter(|item| !item.practice).count()
            + study.saved_items.iter().map(Vec::len).sum::<usize>(),
        unused_items: Vec::new(),
        guessed: schedule.share_guessed_from_deck_and_previous_answer(),
        conditions: Vec::new(),
        contrast: study.primary_contrast_design(),
        detectable_sds: simulated.detectable_effect_in_sds(),
        planned: simulated.planned_power(),
        per_continue: plan.score_rule_or_default().per_continue,
        score_is_stated: plan.score.is_some(),
        problems: Vec::new(),
        warnings: Vec::new(),
    };
    let slots = 0..plan.schedule_rows_of_planned_participants();
    let slots: Vec<Vec<AssignedTrial>> = slots
        .map(|slot| schedule.trials_of_slot_without_practice(slot))
        .collect();
    met_twice(study, &slots, &mut report);
    let trials: Vec<AssignedTrial> = slots.into_iter().flatten().collect();
    for place in 0..plan.conditions.len() {
        let checked = condition(study, place, &trials, &mut report);
        report.conditions.push(checked);
    }
    if let Err(error) = study.check_program_debates_were_played() {
        report.problems.push(error.to_string());
    }
    unused(study, &trials, &mut report);
    unbalanced(study, &mut report);
    uncompared(study, &mut report);
    guessed(study, &mut report);
    check_lengths(&mut report);
    report_texts_that_reveal_internal_names(study, &mut report);
    report.problems.extend(plan.unknown_placeholder_errors());
    report.warnings.extend(plan.unused_text_warnings());
    report_translation_problems(study, &mut report);
    unstated_score(study, &mut report);
    missing_facts(study, &mut report);
    check_screening_and_quotas(study, &mut report);
    secrets(study, &mut report);
    let asks_keyboard =
        |step: &StudyFlowStep| matches!(step, StudyFlowStep::Screener { keyboard: true, .. });
    if plan.flow.iter().any(asks_keyboard) {
        let warning = "flow: `keyboard: true` in `Screener` has no effect, because pages in a browser need no \
                       keyboard; remove it";
        report.warnings.push(warning.to_owned());
    }
    let minutes = first
        .iter()
        .map(|it| report.conditions[it.condition].minutes);
    let is_around =
        |it: &&StudyFlowStep| !matches!(it, StudyFlowStep::Trials | StudyFlowStep::Screener { .. });
    let around = plan.flow.iter().filter(is_around).count();
    report.minutes = minutes.sum::<f64>() + count_to_float(around);
    report.ok = report.problems.is_empty();
    Ok(report)
}

fn rehearse(study: &Study, condition: usize, item: usize) -> Result<Rehearsal> {
    let assigned = AssignedTrial {
        number: 1,
        block: 1,
        condition,
        item,
        swap: false,
        repeat: false,
        practice: false,
    };
    let slot = 0;
    let trial = ScheduledTrial {
        study,
        assigned,
        slot,
        seat: study.plan.participant_seat(),
        stand_ins: true,
    };
    let mut rehearsal = Rehearsal {
        lines: 0,
        characters: 0,
        questions: 0,
        public: trial.opponents_public_root_estimate()?,
    };
    // With several seats, use the maximum over the seats.
    for moments in trial.rehearse_trial(&study.plan.roles)? {
        let last = moments.last();
        let lines = last.into_iter().flat_map(|point| {
            let arguments = point
                .arguments
                .iter()
                .map(StudyPagePointOrRemark::plain_text);
            point
                .lines
                .iter()
                .map(Line::plain_body_text)
                .chain(arguments)
        });
        let lines: Vec<String> = lines.collect();
        let evidence = moments.iter().filter_map(|point| match &point.asked {
            TrialQuestion::Rules(asked) if asked.kind == "query" => {
                Some(asked.question.len() + asked.evidence.as_ref().map_or(0, String::len))
            }
            _ => None,
        });
        let told = lines.iter().map(String::len);
        let characters = told.chain(evidence).sum();
        rehearsal.lines = rehearsal.lines.max(lines.len());
        rehearsal.characters = rehearsal.characters.max(characters);
        rehearsal.questions = rehearsal.questions.max(moments.len() - 1);
    }
    Ok(rehearsal)
}

fn condition(
    study: &Study,
    place: usize,
    trials: &[AssignedTrial],
    report: &mut StudyCheckReport,
) -> PlannedConditionTrialsReport {
    let condition = &study.plan.conditions[place];
    let trials = trials.iter();
    let own = trials.filter(|trial| trial.condition == place && !trial.repeat);
    let pool = study.items_of_condition(place);
    let all = own.clone().count();
    let share = |test: &dyn Fn(&AssignedTrial) -> bool| {
        count_to_float(own.clone().filter(|trial| test(trial)).count()) / count_to_float(all.max(1))
    };
    let items = (0..pool.len()).filter(|item| !pool[*item].practice);
    let counts = items.map(|item| own.clone().filter(|trial| trial.item == item).count());
    let plays = matches!(
        condition.task,
        TrialTask::Debate { .. } | TrialTask::Consultancy { .. }
    );
    let mut rehearsals = Vec::new();
    for (item, known) in pool.iter().enumerate() {
        if plays && matches!(known.setup().judge_sees, JudgeSees::Leaf | JudgeSees::Path) {
            report.problems.push(format!(
                "`{}` shows its judge less than the transcript, so the judge cannot give a probability for the \
                 question; remove its `judge_sees`",
                known.id
            ));
        }
        if study.plan.requires_prepared_debates(place)
            && study.prepared_debate(place, item).is_none()
        {
            continue;
        }
        match rehearse(study, place, item) {
            Ok(rehearsal) => {
                if rehearsal.public.is_some_and(|p| p <= 0.0 || p >= 1.0) {
                    report.problems.push(format!(
                        "`{}` on `{}`: the opponent's public number for the question is 0 or 1, which reveals the \
                         answer; use an opponent that does not know it, such as calibrated",
                        condition.id, known.id
                    ));
                }
                rehearsals.push((known.truth, rehearsal));
            }
            Err(error) => report
                .problems
                .push(format!("`{}` on `{}`: {error}", condition.id, known.id)),
        }
    }
    public_number_reveals_truth(&condition.id, &rehearsals, report);
    let of_each = |of: fn(&Rehearsal) -> usize| range(rehearsals.iter().map(|(_, it)| of(it)));
    let minutes: Vec<f64> = rehearsals
        .iter()
        .map(|(_, it)| {
            count_to_float(it.characters) / READING
                + count_to_float(it.questions) * ANSWERING / 60.0
        })
        .collect();
    PlannedConditionTrialsReport {
        id: condition.id.clone(),
        shown_as: condition.shown_as.clone(),
        sees: sees(&condition.task, &study.plan),
        trials: all,
        first_is_right: share(&|trial| pool[trial.item].truth != trial.swap),
        swapped: share(&|trial| trial.swap),
        per_item: range(counts),
        lines: of_each(|it| it.lines),
        questions: of_each(|it| it.questions),
        minutes: if minutes.is_empty() {
            0.0
        } else {
            mean(&minutes)
        },
    }
}

/// Returns the smallest and the largest of these counts, or zeros if there are none.
fn range(counts: impl Iterator<Item = usize> + Clone) -> [usize; 2] {
    [counts.clone().min(), counts.max()].map(Option::unwrap_or_default)
}

/// Warns if the opponent's public numbers alone reveal the truth: with six or more items, the number of every true item
/// is above the number of every false item.
fn public_number_reveals_truth(
    id: &str,
    rehearsals: &[(bool, Rehearsal)],
    report: &mut StudyCheckReport,
) {
    let of = |truth: bool| {
        let own = rehearsals.iter().filter(move |(of, _)| *of == truth);
        own.filter_map(|(_, it)| it.public)
    };
    let least = of(true).min_by(f64::total_cmp);
    let most = of(false).max_by(f64::total_cmp);
    if let Some((least, most)) = least.zip(most)
        && least > most
        && rehearsals.len() >= 6
    {
        report.warnings.push(format!(
            "`{id}`: the opponent's public number is at least {least:.2} for every true item and at most {most:.2} \
             for every false item, which reveals the answer; use another opponent"
        ));
    }
}

/// Describes the parts of a debate that a participant sees under a task.
fn sees(task: &TrialTask, plan: &StudyPlan) -> String {
    let words = match task {
        TrialTask::Direct { shows } => match shows {
            InformationShownWithQuestion::Question => "the question alone",
            InformationShownWithQuestion::Evidence => "the question and all evidence",
            InformationShownWithQuestion::Source => "the question and the source",
        },
        TrialTask::Consultancy { .. } => {
            "the answer and claims of one debater only, and the evidence at the end"
        }
        TrialTask::Debate { .. } if plan.has_program_interacting_with_participants(task) => {
            "a live debate that programs join"
        }
        TrialTask::Debate { .. } if task.has_engine_or_model_player() => {
            "a debate between programs, round by round"
        }
        TrialTask::Debate { protocol, .. } => {
            let protocol_name = protocol.protocol.kind().protocol_name();
            if plan.has_several_participants_per_debate() {
                let seats: Vec<&str> = plan
                    .roles
                    .iter()
                    .map(|seat| seat.name_in_flags_and_json())
                    .collect();
                return format!(
                    "a debate ({protocol_name}) in which they take the seats {seats}",
                    seats = seats.join(", ")
                );
            }
            if protocol.protocol.kind() == ProtocolKind::Speeches {
                return format!("a {protocol_name} debate");
            }
            return format!("a {protocol_name} debate and the evidence at its end");
        }
        TrialTask::Rejudge { stepped: true, .. } => "a finished debate, round by round",
        TrialTask::Rejudge { stepped: false, .. } => "a finished debate, all at once",
    };
    words.to_owned()
}

fn unused(study: &Study, trials: &[AssignedTrial], report: &mut StudyCheckReport) {
    let is_shared = |trial: &AssignedTrial| study.saved_items[trial.condition].is_empty();
    for (place, item) in study.items.iter().enumerate() {
        let is_met = trials.iter().any(|it| it.item == place && is_shared(it));
        if !item.practice && !is_met {
            report.unused_items.push(item.id.clone());
        }
    }
    if !report.unused_items.is_empty() {
        let items = report.unused_items.join(", ");
        report
            .warnings
            .push(format!("no participant gets these items: {items}"));
    }
}

/// Warns if right answers or items are not balanced over the trials of the planned participants.
fn unbalanced(study: &Study, report: &mut StudyCheckReport) {
    let remedy = match study.plan.swap {
        AnswerSwapRule::Balanced => {
            "use as many true as false items, or set `target` so that each item is shown equally often in both orders"
        }
        AnswerSwapRule::Never => "balance true and false items, or set `swap: Balanced`",
    };
    for condition in &report.conditions {
        if condition.trials > 0 && (condition.first_is_right - 0.5).abs() > 0.05 {
            report.warnings.push(format!(
                "in the condition `{condition}`, the answer shown first is right in {percent:.0} % of the trials; {remedy}",
                condition = condition.id,
                percent = condition.first_is_right * 100.0
            ));
        }
        let [least, most] = condition.per_item;
        if most > least {
            report.warnings.push(format!(
                "`{}`: at the target some items have {most} trials and others {least}; set the target so that the \
                 number of trials is a multiple of the number of items",
                condition.id
            ));
        }
    }
}

/// Highest acceptable proportion of right answers that a participant can guess; one half is chance level.
const MAX_GUESSED: f64 = 0.55;

/// Warns if participants could predict the right answer of the next trial.
fn guessed(study: &Study, report: &mut StudyCheckReport) {
    let versions = match &study.plan.items.once_per_participant_by {
        Some(tag) => format!("write a true and a false item for each value of the tag `{tag}`"),
        None => "write a true and a false item for each story, and name the tag of the stories in `once_per_participant_by`".to_owned(),
    };
    if let Some(share) = report.guessed.filter(|share| *share > MAX_GUESSED) {
        report.warnings.push(format!(
            "items: a judge who knows the items and the previous right answer guesses the next one in {:.0} % of the \
             trials; add items, or {versions}",
            share * 100.0
        ));
    }
}

/// Warns if a participant gets a question twice, other than in a repeated trial.
fn met_twice(study: &Study, slots: &[Vec<AssignedTrial>], report: &mut StudyCheckReport) {
    let remedy = match &study.plan.items.once_per_participant_by {
        Some(tag) => format!("give these two items the same value of the tag `{tag}`"),
        None => "give these two items the same value of a tag, and name that tag in `once_per_participant_by`"
            .to_owned(),
    };
    for (slot, trials) in slots.iter().enumerate() {
        let mut met: BTreeMap<String, &str> = BTreeMap::new();
        for trial in trials.iter().filter(|trial| !trial.repeat) {
            let item = &study.items_of_condition(trial.condition)[trial.item];
            let question = item
                .question_or_root_claim()
                .map_or_else(|claim| claim, |(text, _)| text);
            if let Some(other) = met.get(&question) {
                report.warnings.push(format!(
                    "items: the participant in slot {slot} gets the question “{question}” twice, in the items `{other}` and \
                     `{}`; {remedy}",
                    item.id
                ));
                return;
            }
            met.insert(question, &item.id);
        }
    }
}

/// Reports a primary contrast with a condition under which no planned participant judges.
fn uncompared(study: &Study, report: &mut StudyCheckReport) {
    let ContrastDesign::Between { of, against } = report.contrast else {
        return;
    };
    let primary = &study.plan.analysis.primary;
    for (id, count) in [(&primary.of, of), (&primary.against, against)] {
        if count == 0 {
            report.problems.push(format!(
                "analysis: primary: at the target no participant judges under `{id}`; raise the target, or compare \
                 other conditions"
            ));
        }
    }
}

/// Reports conditions with the same displayed name whose trials differ in length: their ranges of lines, or their
/// ranges of questions, do not overlap.
fn check_lengths(report: &mut StudyCheckReport) {
    let apart = |one: [usize; 2], other: [usize; 2]| one[1] < other[0] || other[1] < one[0];
    for (place, one) in report.conditions.iter().enumerate() {
        for other in &report.conditions[place + 1..] {
            // A condition has no lines if none of its items could be rehearsed. Each reason is reported as another
            // problem: an unprepared debate, or a fault.
            let have_lines = one.lines[1] > 0 && other.lines[1] > 0;
            if one.shown_as == other.shown_as
                && have_lines
                && (apart(one.lines, other.lines) || apart(one.questions, other.questions))
            {
                let (noun, own, others) = if apart(one.lines, other.lines) {
                    ("lines", one.lines, other.lines)
                } else {
                    ("questions", one.questions, other.questions)
                };
                report.problems.push(format!(
                    "`{}` and `{}` are both shown as “{}”, but their lengths differ: {} to {} {noun} and {} to {}; \
                     use items with overlapping lengths, or different names",
                    one.id, other.id, one.shown_as, own[0], own[1], others[0], others[1]
                ));
            }
        }
    }
}

/// Reports texts for participants that mention a condition or a player by its internal name.
pub(super) fn report_texts_that_reveal_internal_names(
    study: &Study,
    report: &mut StudyCheckReport,
) {
    let mut names: Vec<String> = Vec::new();
    for condition in &study.plan.conditions {
        let [prover, opponent, _] = condition.task.named_players();
        let players = prover.into_iter().chain(opponent);
        // The researcher chose the program's name, so check the whole name.
        names.extend(players.map(|name| match name.split_once(':') {
            Some((_, engine)) => engine.to_owned(),
            None => player_name_without_arguments(name).to_owned(),
        }));
        names.push(condition.id.clone());
    }
    names.sort();
    names.dedup();
    let says = |text: &str, name: &str| {
        let lower = text.to_lowercase();
        let mut words = lower.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
        words.any(|word| word == name.to_lowercase())
    };
    for condition in &study.plan.conditions {
        if let Some(internal_name) = names.iter().find(|name| says(&condition.shown_as, name)) {
            report.problems.push(format!(
                "conditions: `{condition}` is shown as “{label}”, which contains `{internal_name}`; use a neutral name, such as Task K",
                condition = condition.id, label = condition.shown_as
            ));
        }
    }
    if let Some(name) = names.iter().find(|name| says(&study.plan.title, name)) {
        report.warnings.push(format!(
            "title: participants read “{}” on each page, and it contains `{name}`; use a title without names of \
             conditions or players",
            study.plan.title
        ));
    }
    // The debriefing may name the conditions, because it comes last.
    let is_debrief = |file: &String| {
        let mut flow = study.plan.flow.iter();
        flow.any(
            |step| matches!(step, StudyFlowStep::Debrief { text, .. } if text.as_ref() == Some(file)),
        )
    };
    let files = study.texts.iter().filter(|(file, _)| !is_debrief(file));
    let files = files.map(|(file, text)| (file.clone(), text));
    let notes = study.plan.items.notes.iter();
    let notes = notes.map(|(id, note)| (format!("items: notes: `{id}`"), note));
    for (place, text) in files.chain(notes) {
        for name in names.iter().filter(|name| says(text, name)) {
            report.warnings.push(format!(
                "{place} contains `{name}`, the name of a player or a condition; check that it does not reveal the \
                 comparison"
            ));
        }
    }
}

/// Warns if the study file states no score rule, and names the default that applies.
fn unstated_score(study: &Study, report: &mut StudyCheckReport) {
    if study.plan.score.is_none() {
        let LogScoreRule {
            per_continue,
            shown,
        } = study.plan.score_rule_or_default();
        report.warnings.push(format!(
            "score: the study file has none, so `Log2(per_continue: {per_continue}, shown: {shown:?})` applies: each \
             round shown to a participant costs {per_continue} bits; add `score` with the price that you want"
        ));
    }
}

/// Adds a warning to the study's check for each fact that participants should be told and the study file omits, such as
/// a contact address.
fn missing_facts(study: &Study, report: &mut StudyCheckReport) {
    if study.plan.contact.is_none() {
        let warning = "contact: participants get no address for questions and for the deletion of their answers; add \
                       contact: \"NAME, EMAIL\"";
        report.warnings.push(warning.to_owned());
    }
    if study.plan.time.minutes.is_none() {
        let warning = "time: pages do not show the remaining time; add the duration of a session to `time`, for example \
                       minutes: 25";
        report.warnings.push(warning.to_owned());
    }
}

/// Warns about completion codes that are missing, that are written in the study file itself, or whose environment
/// variable is not set.
fn secrets(study: &Study, report: &mut StudyCheckReport) {
    let codes = &study.plan.codes;
    let is_without = study.plan.has_several_participants_per_debate()
        && (codes.waited.is_none() || codes.left_alone.is_none());
    if is_without && codes.complete.is_some() {
        report.warnings.push(
            "codes: `waited` or `left_alone` is missing, so participants who wait in vain, or are left alone by their group, may get no completion code; add both"
                .to_owned(),
        );
    }
    let returns = &study.plan.returns;
    for status in StudySessionStatus::ENDS {
        let link = returns.code_or_address_for_status(status);
        if link.is_some_and(|link| link.contains(CODE))
            && codes.code_or_address_for_status(status).is_none()
        {
            report.warnings.push(format!(
                "returns: the outcome `{name}` has a link with {{code}}, but no code, so participants get no link; \
                 add a code to `codes`",
                name = status.status_name()
            ));
        }
    }
    for code in codes.codes_or_addresses_of_outcomes().into_iter().flatten() {
        report.warnings.extend(match code.strip_prefix("env:") {
            Some(name) if std::env::var_os(name).is_none() => Some(format!(
                "codes: the environment variable {name} is not set, so participants would get no code; set it"
            )),
            Some(_) => None,
            None => Some(
                "codes: the study file contains a code, which other people may read; write env:NAME"
                    .to_owned(),
            ),
        });
    }
}

/// Returns the preregistration as Markdown: hypotheses, contrast, rules and the lock's hash.
pub fn preregistration_text(study: &Study, checked: &StudyCheckReport, lock: &StudyLock) -> String {
    let plan = &study.plan;
    let PrimaryContrast {
        measure,
        of,
        against,
    } = &plan.analysis.primary;
    let contrast = study.primary_contrast_design();
    let RecruitmentStoppingRule::Participants(stop) = plan.stop;
    let hypotheses = plan.hypotheses.iter().map(|it| format!("- {it}\n"));
    let hypotheses = match plan.hypotheses.as_slice() {
        [] => "None.\n".to_owned(),
        _ => hypotheses.collect(),
    };
    let effect = plan.analysis.power.map_or_else(String::new, |power| {
        format!(
            "Stated effect: {effect} with a standard deviation of {sd} between participants, {of_differences_or_means}.\n",
            effect = power.effect,
            sd = power.sd,
            of_differences_or_means = contrast.effect_sd_basis_phrase()
        )
    });
    let conditions = checked.conditions.iter().map(|it| {
        format!(
            "- `{condition}`, shown as “{label}”: participants see {seen}; {trials} trials if the target is reached.\n",
            condition = it.id, label = it.shown_as, seen = it.sees, trials = it.trials
        )
    });
    let rules = plan.exclude.iter().map(|rule| match rule {
        ExclusionRule::FailedQuiz => "- Excluded: participants who fail the quiz.\n".to_owned(),
        ExclusionRule::FailedAttention(failure_limit) => {
            format!("- Excluded: participants who fail {failure_limit} attention questions or more.\n")
        }
        ExclusionRule::FasterThan { seconds, share } => format!(
            "- Excluded: participants who take less than {seconds} active seconds in more than {percent:.0} % of the trials.\n",
            percent = share * 100.0
        ),
    });
    let bonus = plan.bonus.as_ref().map_or_else(String::new, |bonus| {
        format!(
            "\nBonus: one randomly drawn trial (from the seed), {} cents times 1 - (1 - p)^2, where p is the \
             probability of the right answer.\n",
            bonus.cents
        )
    });
    let bonus = bonus + &screening_and_quotas_in_words(study);
    format!(
        include_str!("preregistration.md"),
        title = plan.title,
        id = plan.id,
        stage = plan.stage.study_stage_name(),
        locked = lock.locked,
        lock = lock.hash,
        version = lock.version_covered_by_hash_in_words(),
        hypotheses = hypotheses,
        measure = measure.measure_name(),
        of = of,
        against = against,
        analysis = contrast.describe_test(plan.analysis.bootstrap, plan.seed),
        participants = contrast.participants_in_words(),
        effect = effect,
        conditions = conditions.collect::<String>(),
        items = checked.items,
        trials = checked.trials_per_participant,
        time = duration_in_words(round_estimated_seconds(checked.minutes * 60.0)),
        rules = rules.collect::<String>(),
        stop = stop,
        bonus = bonus,
    )
}
