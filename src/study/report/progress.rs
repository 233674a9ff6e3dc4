//! The progress of a running study, for the experimenter's dashboard.

use std::collections::BTreeMap;

use super::export::participant_payments;
use super::median;
use super::quotas::{QuotaCount, quota_counts};
use crate::Study;
use crate::error::Result;
use crate::folder::LiveOrSimulated;
use crate::folder::control::ExperimenterMessageTarget;
use crate::folder::log::{StudySessionLogRecord, StudySessionStatus, status_of_records};
use crate::folder::places::ADMISSION;
use crate::session::awaited_seats_of_group;
use crate::session::group::SEATED;
use crate::session::program::FAULT;
use debate_core::protocol::Seat;

/// The progress of all sessions.
#[derive(Clone, Debug)]
pub struct StudyProgress {
    /// Number of completed sessions, and the planned number of participants.
    pub complete: usize,
    pub target: u32,
    /// Number of sessions by status.
    pub by_status: BTreeMap<&'static str, usize>,
    /// Numbers of running sessions by condition and page, sorted.
    pub places: Vec<SessionCountAtPage>,
    /// Numbers of sessions that reached each step, from the first page to the end.
    pub drop_off: Vec<SessionCountReachingStep>,
    /// Median duration of the completed sessions in minutes: from the start to the last log line, without
    /// interruptions.
    pub median_minutes: Option<f64>,
    /// Sum of all payments by the study's rules up to now, in cents.
    pub pay_cents: u32,
    /// Number of attention questions that were answered wrongly, and number of all that were answered.
    pub attention_failed: usize,
    pub attention_answered: usize,
    pub sessions: Vec<SessionProgress>,
    /// The groups of participants with a session in progress.
    pub groups: Vec<GroupProgress>,
    /// The state of each quota.
    pub quotas: Vec<QuotaCount>,
    /// True if recruiting is paused, so that no new session may begin.
    pub is_paused: bool,
    /// The experimenter's messages for participants who wait, with their targets.
    pub waiting_messages: Vec<(ExperimenterMessageTarget, String)>,
    /// Sentences about damaged logs, which are left out.
    pub damage: Vec<String>,
}

/// The number of running sessions at one page under one condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionCountAtPage {
    /// Empty outside of trials.
    pub condition: String,
    pub page: String,
    pub sessions: usize,
}

/// Sessions that reached a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionCountReachingStep {
    pub step: String,
    pub sessions: usize,
}

/// A group of participants who debate with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupProgress {
    /// The members in the order of their seats.
    pub members: Vec<GroupMemberProgress>,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMemberProgress {
    pub session: String,
    pub seat: Seat,
    /// The session of the member for whose answer this member waits, if any.
    pub waits_for: Option<String>,
}

/// The progress of one session.
#[derive(Clone, Debug)]
pub struct SessionProgress {
    pub session: String,
    pub status: StudySessionStatus,
    pub condition: String,
    /// The kind of the participant's last answer, "waiting" if the participant waits for a group or for a slot, or
    /// "pause" if the participant has paused and not come back.
    pub page: String,
    /// Number of the last trial in which the participant gave an answer; `None` before the first one.
    pub trial: Option<u32>,
    /// Number of times that the session was interrupted and resumed.
    pub resumes: usize,
    pub minutes: f64,
    pub attention_failed: usize,
    /// The name of the participant's group: the session in the group's first seat. `None` without a group.
    pub group: Option<String>,
    pub cents: Option<u32>,
    /// The time of the session's last log line, in UTC.
    pub last: String,
    /// Index of the furthest step of the drop-off curve that the session reached.
    step: usize,
}

/// The steps of the drop-off curve that precede the first trial.
const BEFORE_TRIALS: [&str; 3] = ["began", "agreed to take part", "got a place"];
/// The steps of the drop-off curve in a study that admits participants before consent.
const BEFORE_TRIALS_WITH_ADMISSION: [&str; 3] = ["began", "was admitted", "agreed to take part"];

impl StudyProgress {
    /// Reads the progress of all live sessions from their logs. Damaged logs are left out.
    ///
    /// # Errors
    /// If the folder or a file cannot be read, or a log names an unknown item.
    pub fn read_session_progress(study: &Study) -> Result<Self> {
        let trials = study.schedule().trials_of_slot_without_practice(0).len();
        let payments = participant_payments(study)?;
        let mut sessions = Vec::new();
        let mut answered = 0;
        let mut seated = BTreeMap::new();
        let damage = study
            .folder
            .visit_undamaged_logs(LiveOrSimulated::Live, |_, log| {
                let attention = log.records.iter().filter(|it| it.kind == "attention");
                answered += attention.count();
                if status_of_records(&log.records) == StudySessionStatus::Started
                    && let Some((slot, members)) = group_of_records(&log.records)
                {
                    seated.insert(members.to_owned(), slot);
                }
                sessions.extend(session_progress(study, &log.records, trials));
                Ok(())
            })?;
        let mut by_status: BTreeMap<&str, usize> = BTreeMap::new();
        let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
        for session in &mut sessions {
            let mut own = payments.iter();
            let payment = own.find(|payment| payment.session == session.session);
            session.cents = payment.map(|payment| payment.cents);
            *by_status.entry(session.status.status_name()).or_default() += 1;
            if session.status == StudySessionStatus::Started {
                let place = (session.condition.clone(), session.page.clone());
                *places.entry(place).or_default() += 1;
            }
        }
        let is_complete = |it: &&SessionProgress| it.status == StudySessionStatus::Complete;
        let complete: Vec<&SessionProgress> = sessions.iter().filter(is_complete).collect();
        Ok(Self {
            complete: complete.len(),
            target: study.plan.target.participants,
            median_minutes: median(complete.iter().map(|it| it.minutes).collect()),
            by_status,
            places: places
                .into_iter()
                .map(|((condition, page), sessions)| SessionCountAtPage {
                    condition,
                    page,
                    sessions,
                })
                .collect(),
            drop_off: drop_off(study, &sessions, trials),
            pay_cents: payments.iter().map(|payment| payment.cents).sum(),
            attention_failed: sessions.iter().map(|it| it.attention_failed).sum(),
            attention_answered: answered,
            is_paused: study.folder.is_recruiting_paused(),
            waiting_messages: study.folder.all_messages_to_waiting_participants()?,
            damage: damage.damage_sentences(),
            quotas: quota_counts(study)?,
            groups: seated
                .iter()
                .map(|(members, slot)| group_progress(study, *slot, members))
                .collect(),
            sessions,
        })
    }
}

/// Returns the progress of a session from its log; `None` if the log is empty.
fn session_progress(
    study: &Study,
    records: &[StudySessionLogRecord],
    trials: usize,
) -> Option<SessionProgress> {
    let last = records.last()?;
    let status = status_of_records(records);
    // Lines about an interruption, or about the page for leaving, are no answers.
    let is_answer = |record: &&StudySessionLogRecord| {
        !matches!(record.kind.as_str(), "resume" | "leave" | "stay" | "pause")
    };
    let answer = records.iter().rev().find(is_answer).unwrap_or(last);
    // The page for leaving was shown last, or no answer and no resumption follows a pause: then the participant waits
    // for nothing.
    let page = match last.kind.as_str() {
        "pause" => "pause",
        "leave" => &answer.kind,
        _ if answer.payload_flag("waits") == Some(true) => "waiting",
        _ => &answer.kind,
    };
    let group = group_of_records(records).and_then(|(_, members)| members.split(' ').next());
    let failed = records
        .iter()
        .filter(|it| it.kind == "attention" && it.payload_flag("passed") == Some(false));
    #[expect(clippy::cast_precision_loss, reason = "minutes")]
    let minutes = last.t_mono_ms as f64 / 60_000.0;
    Some(SessionProgress {
        session: last.session.clone(),
        status,
        condition: answer.condition.clone().unwrap_or_default(),
        page: page.to_owned(),
        resumes: records.iter().filter(|it| it.kind == "resume").count(),
        trial: records.iter().rev().find_map(|record| record.trial),
        minutes,
        attention_failed: failed.count(),
        group: group.map(str::to_owned),
        cents: None,
        last: last.t_wall.clone(),
        step: furthest_step(study, records, status, trials),
    })
}

/// Returns two values for the group in which a session has a seat: its slot, and its sessions joined with spaces.
/// `None` if the session has no seat.
fn group_of_records(records: &[StudySessionLogRecord]) -> Option<(u32, &str)> {
    let seated = records.iter().find(|record| record.kind == SEATED)?;
    seated.slot.zip(seated.payload_string_field("sessions"))
}

/// Returns the state of a group. If a log of the group cannot be read, no member is known to wait.
fn group_progress(study: &Study, slot: u32, sessions: &str) -> GroupProgress {
    let awaited = awaited_seats_of_group(study, slot, sessions).unwrap_or_else(|error| {
        tracing::warn!(%error, "a log of a group of participants cannot be read; the progress report does not show which member waits for whose reply");
        let members = sessions.split(' ').zip(&study.plan.roles);
        members
            .map(|(session, seat)| (session.to_owned(), *seat, None))
            .collect()
    });
    let session_of = |seat: Seat| {
        let mut members = awaited.iter();
        let awaited = members.find(|(_, own, _)| *own == seat)?;
        Some(awaited.0.clone())
    };
    let member = |(session, seat, awaited): &(String, Seat, Option<Seat>)| GroupMemberProgress {
        session: session.clone(),
        seat: *seat,
        waits_for: awaited.and_then(session_of),
    };
    GroupProgress {
        members: awaited.iter().map(member).collect(),
    }
}

/// Returns the index of the furthest step that a session reached.
fn furthest_step(
    study: &Study,
    records: &[StudySessionLogRecord],
    status: StudySessionStatus,
    trials: usize,
) -> usize {
    let has_admission = study.plan.has_admission_before_consent();
    if status == StudySessionStatus::Complete {
        return BEFORE_TRIALS.len() + trials;
    }
    let mut step = 0;
    for record in records {
        let is_end_of_trial =
            record.payload_flag("trial_over") == Some(true) || record.kind == FAULT;
        let is_counted = record.payload_flag("practice") == Some(false);
        let reached = match record.trial {
            Some(trial) if is_end_of_trial && is_counted => {
                BEFORE_TRIALS.len() - 1 + (trial as usize).min(trials)
            }
            _ if has_admission => {
                if record.payload_flag("agreed") == Some(true) {
                    2
                } else {
                    let is_admitted =
                        record.kind == ADMISSION && record.status_after_record().is_none();
                    usize::from(is_admitted)
                }
            }
            _ if record.slot.is_some() => 2,
            _ if record.payload_flag("agreed") == Some(true) => 1,
            _ => 0,
        };
        step = step.max(reached);
    }
    step
}

/// Counts the sessions that reached each step.
fn drop_off(
    study: &Study,
    sessions: &[SessionProgress],
    trials: usize,
) -> Vec<SessionCountReachingStep> {
    let before = if study.plan.has_admission_before_consent() {
        BEFORE_TRIALS_WITH_ADMISSION
    } else {
        BEFORE_TRIALS
    };
    let before = before.into_iter().map(str::to_owned);
    let in_trials = (1..=trials).map(|trial| format!("finished trial {trial} of {trials}"));
    let steps = before.chain(in_trials).chain(["completed".to_owned()]);
    steps
        .enumerate()
        .map(|(index, step)| SessionCountReachingStep {
            step,
            sessions: sessions.iter().filter(|it| it.step >= index).count(),
        })
        .collect()
}
