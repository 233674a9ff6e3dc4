//! The output of `study check` and `study status`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde::Serialize;

use super::super::Result;
use super::super::output::stdout;
use debate_core::text::{
    count_with_noun, duration_in_words, replace_unsafe_characters, replace_unsafe_multiline,
    round_estimated_seconds,
};
use debate_host::record::ReplyCostSum;
use debate_lab::matches::TotalCostReport;
use debate_study::{
    LiveOrSimulated, PlannedPower, QuotaCount, Study, StudyCheckReport, StudyDataDamage,
    StudySessionLogRecord, StudySessionStatus, end_expired_sessions, participant_payments,
    quota_counts, status_of_records, verify_lock,
};
use debate_text::table::{ColumnAlignment, TextTable};
use debate_text::with_thousands_separators;

/// The interval between updates of the printed status of a study.
const UPDATE_INTERVAL: Duration = Duration::from_secs(2);

/// Prints the text report of `study check`.
pub(super) fn print_study_check_report(report: &StudyCheckReport) -> Result {
    let mut out = stdout();
    let mut print = |line: String| writeln!(out, "{}", replace_unsafe_multiline(&line));
    let StudyCheckReport {
        title, id, stage, ..
    } = report;
    print(format!("{title} ({id}, stage {stage})"))?;
    print(format!(
        "{participants}, {trials} each, about {duration}; {items}\n",
        participants = count_with_noun(report.participants, "participant", "participants"),
        trials = count_with_noun(report.trials_per_participant, "trial", "trials"),
        duration = duration_in_words(round_estimated_seconds(report.minutes * 60.0)),
        items = count_with_noun(report.items, "item", "items")
    ))?;
    let mut table = TextTable::new([
        ("condition", ColumnAlignment::Left),
        ("shown as", ColumnAlignment::Left),
        ("trials", ColumnAlignment::Right),
        ("per item", ColumnAlignment::Right),
        ("lines", ColumnAlignment::Right),
        ("questions", ColumnAlignment::Right),
        ("minutes", ColumnAlignment::Right),
        ("first ok", ColumnAlignment::Right),
    ]);
    let range = |[least, most]: [usize; 2]| {
        if least == most {
            least.to_string()
        } else {
            format!("{least}-{most}")
        }
    };
    for condition in &report.conditions {
        table.row([
            condition.id.clone(),
            condition.shown_as.clone(),
            condition.trials.to_string(),
            range(condition.per_item),
            range(condition.lines),
            range(condition.questions),
            format!("{:.1}", condition.minutes),
            format!("{:.0} %", condition.first_is_right * 100.0),
        ]);
    }
    for line in table.aligned_table_lines() {
        print(line)?;
    }
    print(String::new())?;
    for condition in &report.conditions {
        print(format!(
            "{}: participants see {}.",
            condition.id, condition.sees
        ))?;
    }
    let default_note = if report.score_is_stated {
        ""
    } else {
        " (the default, because the study file states no score)"
    };
    print(format!(
        "\nScore: log2 of the probability of the right answer, less {bits} bits for each round{default_note}.",
        bits = report.per_continue
    ))?;
    if let Some(sds) = report.detectable_sds {
        print(format!(
            "\nSmallest difference {within_or_between} participants that is detected with 80 % power: {difference:.2} standard deviations {of_differences_or_means}.",
            within_or_between = if report.contrast.compares_within_participants() {
                "within"
            } else {
                "between"
            },
            difference = sds,
            of_differences_or_means = report.contrast.effect_sd_basis_phrase()
        ))?;
    }
    if let Some(power) = &report.planned {
        print(power_in_words(power))?;
    }
    for problem in &report.problems {
        print(format!("\nPROBLEM: {problem}."))?;
    }
    for warning in &report.warnings {
        print(format!("\nwarning: {warning}."))?;
    }
    if report.ok {
        print("\nNo problems found.".to_owned())?;
    }
    Ok(())
}

/// The progress of a study.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::cli) struct StudyStatus {
    /// The version of this document: 1.
    format: u32,
    id: String,
    stage: &'static str,
    /// The lock's hash; null if the study is not locked.
    lock: Option<String>,
    /// The version of the program that locked the study; null if it is not locked.
    locked_by: Option<String>,
    /// This version of the program.
    program: &'static str,
    target: u32,
    complete: usize,
    by_status: BTreeMap<String, usize>,
    /// The state of each quota.
    quotas: Vec<QuotaCount>,
    forgotten: usize,
    /// The number of session logs left out because they are damaged or were changed.
    damaged: usize,
    damage: StudyDataDamage,
    /// The day after which the session logs are to be deleted, if the study names one.
    delete_raw_after: Option<String>,
    /// True if the day after which the session logs are to be deleted is over.
    delete_raw_due: bool,
    /// The sum of all payments so far, in cents: the bonuses of complete sessions, and the pay of sessions that ended
    /// for other paid reasons.
    bonus_cents: u32,
    /// True if `study pay` has written the table of payments, and `study pay --close` has not deleted it yet.
    payments_written: bool,
    /// The reported costs of debates by programs; null if there are none.
    debates_cost: Option<TotalCostReport>,
    sessions: Vec<SessionStatus>,
}

/// The progress of a session.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SessionStatus {
    session: String,
    status: String,
    /// The number of the last trial with a line in the session's log; null before the first trial.
    trial: Option<u32>,
    active_minutes: Option<f64>,
    /// The minutes from the session's beginning to the last line of its log, not counting the time between an
    /// interruption and the resumption.
    elapsed_minutes: f64,
    /// The kind of the last line in the session's log, such as `consent`, `round`, `final` or `expired`; `waiting`
    /// while the participant waits for others.
    at: String,
    /// The participant's payment in cents: a bonus, or the pay of a session that ended for another paid reason. Null if
    /// there is none.
    bonus_cents: Option<u32>,
    /// The time of the last line in the session's log, in UTC.
    last: String,
}

/// Returns the progress of a study. First ends the sessions that have expired, which writes to their logs.
pub(super) fn end_expired_sessions_and_read_status(folder: &Path) -> Result<StudyStatus> {
    let study = Study::load(folder)?;
    end_expired_sessions(&study)?;
    let lock = verify_lock(&study)?;
    let mut now = StudyStatus {
        format: 1,
        id: study.plan.id.clone(),
        stage: study.plan.stage.study_stage_name(),
        locked_by: lock.as_ref().map(|lock| lock.program.clone()),
        lock: lock.map(|lock| lock.hash),
        program: env!("CARGO_PKG_VERSION"),
        target: study.plan.target.participants,
        complete: 0,
        by_status: BTreeMap::new(),
        quotas: quota_counts(&study)?,
        forgotten: study.folder.deletion_tombstones()?.len(),
        damaged: 0,
        damage: StudyDataDamage::default(),
        delete_raw_due: study.is_deletion_due(),
        delete_raw_after: study.plan.delete_raw_after.clone(),
        bonus_cents: 0,
        payments_written: study.folder.payments_file().exists(),
        debates_cost: None,
        sessions: Vec::new(),
    };
    let mut cost = study.prepared_debates_cost();
    let payments = participant_payments(&study)?;
    now.bonus_cents = payments.iter().map(|payment| payment.cents).sum();
    now.damage = study
        .folder
        .visit_undamaged_logs(LiveOrSimulated::Live, |_, log| {
            let (status, records) = (status_of_records(&log.records), log.records);
            let Some(last) = records.last() else {
                return Ok(());
            };
            for spent in records
                .iter()
                .flat_map(StudySessionLogRecord::program_costs_in_record)
            {
                cost.add(&spent);
            }
            *now.by_status
                .entry(status.status_name().to_owned())
                .or_default() += 1;
            now.complete += usize::from(status == StudySessionStatus::Complete);
            #[expect(clippy::cast_precision_loss, reason = "minutes")]
            let minutes = |ms: u64| ms as f64 / 60_000.0;
            let mut own = payments.iter();
            let bonus = own.find(|payment| payment.session == last.session);
            now.sessions.push(SessionStatus {
                session: last.session.clone(),
                status: status.status_name().to_owned(),
                trial: records.iter().rev().find_map(|record| record.trial),
                active_minutes: last.t_active_ms.map(minutes),
                elapsed_minutes: minutes(last.t_mono_ms),
                at: if last.payload_flag("waits") == Some(true) {
                    "waiting".to_owned()
                } else {
                    last.kind.clone()
                },
                bonus_cents: bonus.map(|payment| payment.cents),
                last: last.t_wall.clone(),
            });
            Ok(())
        })?;
    now.damaged = now.damage.logs.len();
    let has_debates = study.prepared_debates().next().is_some() || cost != ReplyCostSum::default();
    now.debates_cost = has_debates.then(|| cost.into());
    Ok(now)
}

/// Prints the participants' progress, once or repeatedly.
pub(super) fn end_expired_sessions_and_print_status(folder: &Path, watch: bool) -> Result {
    loop {
        let mut out = stdout();
        for line in status_lines(&end_expired_sessions_and_read_status(folder)?) {
            writeln!(out, "{line}")?;
        }
        if !watch {
            return Ok(());
        }
        writeln!(out)?;
        out.flush()?;
        drop(out);
        thread::sleep(UPDATE_INTERVAL);
    }
}

/// Returns a study's status in lines of printable characters. The first line names the study.
pub(super) fn status_lines(status: &StudyStatus) -> Vec<String> {
    let StudyStatus {
        id, stage, program, ..
    } = status;
    let lock = match &status.lock {
        None => "not locked".to_owned(),
        Some(hash) => format!("locked, {hash}"),
    };
    let counts_by_status = status
        .by_status
        .iter()
        .map(|(status, count)| format!("{count} {}", status.replace('_', " ")));
    let counts_by_status = match counts_by_status.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "none yet".to_owned(),
        counts_by_status => counts_by_status,
    };
    let mut lines = vec![
        format!("{id}, stage {stage}, {lock}"),
        format!(
            "{complete_count} of {target_count} sessions complete ({counts_by_status}); {deleted_count} sessions deleted on request",
            complete_count = status.complete,
            target_count = status.target,
            deleted_count = status.forgotten
        ),
    ];
    lines.extend(status.quotas.iter().map(quota_line));
    lines.push(String::new());
    let mut table = TextTable::new([
        ("session", ColumnAlignment::Left),
        ("status", ColumnAlignment::Left),
        ("trial", ColumnAlignment::Right),
        ("at", ColumnAlignment::Left),
        ("minutes", ColumnAlignment::Right),
        ("active", ColumnAlignment::Right),
        ("cents", ColumnAlignment::Right),
        ("last entry", ColumnAlignment::Left),
    ]);
    for session in &status.sessions {
        let trial = session.trial.map(|trial| trial.to_string());
        let minutes = session.active_minutes.map(|it| format!("{it:.1}"));
        let cents = session.bonus_cents.map(|cents| cents.to_string());
        table.row([
            session.session.clone(),
            session.status.replace('_', " "),
            trial.unwrap_or_else(|| "-".to_owned()),
            session.at.clone(),
            format!("{:.1}", session.elapsed_minutes),
            minutes.unwrap_or_else(|| "?".to_owned()),
            cents.unwrap_or_else(|| "-".to_owned()),
            session.last.clone(),
        ]);
    }
    if !status.sessions.is_empty() {
        lines.extend(table.aligned_table_lines());
    }
    if status.bonus_cents > 0 {
        let where_payments_are = if status.payments_written {
            "the payments are in private/payments.csv"
        } else {
            "`study pay` writes the payments"
        };
        lines.push(format!(
            "Payments due so far: {cents} cents; {where_payments_are}.",
            cents = status.bonus_cents
        ));
    }
    if let Some(cost) = &status.debates_cost {
        let tokens = cost.tokens_in + cost.tokens_out;
        lines.push(format!(
            "The debates played by programs cost {calls} calls, {tokens} tokens, ${dollars}.",
            calls = cost.calls,
            dollars = cost.usd
        ));
    }
    if let Some(locking_version) = status.locked_by.as_deref().filter(|by| by != program) {
        lines.push(format!(
            "Version {locking_version} of the program locked this study; version {program} continues it."
        ));
    }
    let damage = status.damage.damage_sentences();
    lines.extend((!damage.is_empty()).then(String::new));
    lines.extend(damage);
    if status.damaged > 0 {
        lines.push(
            "Restore the damaged logs from a backup, or delete a damaged session with `study forget DIR SESSION`."
                .to_owned(),
        );
    }
    if status.delete_raw_due {
        let day = status.delete_raw_after.as_deref().unwrap_or_default();
        lines.push(format!(
            "The session logs were due for deletion after {day}: export the data you need, then run `study forget DIR --due`."
        ));
    }
    let printable = lines
        .iter()
        .map(|line| replace_unsafe_characters(line).into_owned());
    printable.collect()
}

/// Returns the status line of a quota, such as `quota reads: daily: 5 of 8 sessions`.
fn quota_line(quota: &QuotaCount) -> String {
    format!(
        "quota {quota}: {filled} of {most} sessions",
        quota = quota.quota_question_and_answers(),
        filled = quota.filled,
        most = quota.most
    )
}

/// Describes the effects that a study can detect with the planned number of participants.
pub(super) fn power_in_words(planned: &PlannedPower) -> String {
    let unknown = || "?".to_owned();
    let stated = planned.stated;
    let error = planned.power_error.unwrap_or_default();
    let share = planned.power.map(|power| {
        format!(
            "{power:.1} % (standard error {error:.1})",
            power = power * 100.0,
            error = error * 100.0
        )
    });
    let least = planned.detectable.map(|least| format!("{least:.3}"));
    let spread = match (stated.items > 0.0, stated.trials > 0.0) {
        (false, false) => String::new(),
        _ => format!(
            ", and standard deviations of {item_sd} between items and {trial_sd} between trials",
            item_sd = stated.items,
            trial_sd = stated.trials
        ),
    };
    format!(
        "With {}, and the stated standard deviation of {}{spread}: the power for an effect of {} is {}; the smallest \
         effect detected with 80 % power is {}. Both are from {} simulated studies, analysed like the data.",
        planned.contrast.participants_in_words(),
        stated.sd,
        stated.effect,
        share.unwrap_or_else(unknown),
        least.unwrap_or_else(unknown),
        with_thousands_separators(planned.simulated_studies as u64)
    )
}
