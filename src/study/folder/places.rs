//! The places of a study: which sessions have a place, which wait for one, and the lock under which they are counted.
//!
//! Sessions are counted from their logs, and free rows of the schedule from the claims. A file per waiting session has
//! the time of its last request, so that an absent participant does not block the waiting list.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::{
    LiveOrSimulated, StudyFolder, create_owner_only_folder, delete_file_if_present, entry_names_in,
    read_text,
};
use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::log::{StudySessionLogRecord, StudySessionStatus, read_log, status_of_records};
use crate::plan::{RecruitmentStoppingRule, StudyPlan};
use debate_solver::setup::check_regular_file;

/// The kind of the log line for an answer to the screening survey.
pub(crate) const SCREENING: &str = "screening";
/// The kind of the log line for the decision whether a participant gets a place.
pub(crate) const ADMISSION: &str = "admission";
/// The kind of the log line for joining the waiting list.
pub(crate) const WAITING_LIST: &str = "waiting_list";

/// Time without a request after which a participant on the waiting list is passed over.
// A browser window in the background sends one request a minute.
const PRESENT: Duration = Duration::from_secs(75);
/// The shortest interval between two writes of the time of a waiting participant's request.
const REQUEST_INTERVAL: Duration = Duration::from_secs(10);

/// The facts about a session that decide whether it has, or waits for, a place in the study.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionAdmissionFacts {
    pub(crate) session: String,
    pub(crate) status: Option<StudySessionStatus>,
    /// The answers to the screening survey, by question.
    pub(crate) answers: BTreeMap<String, Value>,
    pub(crate) is_admitted: bool,
    pub(crate) slot: Option<u32>,
    /// The wall-clock time at which the session joined the waiting list.
    pub(crate) waits_since: Option<String>,
    /// True if the session does not count, because it ran in the stage Debug and the study is now at a later stage.
    is_trial_run: bool,
}

impl SessionAdmissionFacts {
    pub(crate) fn summary_of_records(study: &Study, records: &[StudySessionLogRecord]) -> Self {
        let mut summary = Self {
            status: Some(status_of_records(records)),
            slot: records.iter().rev().find_map(|record| record.slot),
            is_trial_run: records.first().is_some_and(|it| study.is_trial_run(it)),
            ..Self::default()
        };
        for record in records {
            summary.session.clone_from(&record.session);
            match record.kind.as_str() {
                SCREENING => {
                    let answer = record
                        .payload_string_field("question")
                        .zip(record.payload_value("answer"));
                    let answer =
                        answer.map(|(question, value)| (question.to_owned(), value.clone()));
                    summary.answers.extend(answer);
                }
                ADMISSION => summary.is_admitted = record.status_after_record().is_none(),
                WAITING_LIST => summary.waits_since = Some(record.t_wall.clone()),
                _ => {}
            }
        }
        summary
    }

    /// True if the session has a place: it is admitted, in progress or complete, and no trial run.
    pub(crate) fn holds_study_place(&self) -> bool {
        let keeps = self
            .status
            .is_some_and(|status| !status.frees_schedule_row());
        self.is_admitted && keeps && !self.is_trial_run
    }

    /// True if the session is complete and counts. It does not count if it ran in the stage Debug and the study is now
    /// at a later stage.
    pub(crate) fn is_complete_and_counts(&self) -> bool {
        self.status == Some(StudySessionStatus::Complete) && !self.is_trial_run
    }

    /// True if the session is on the waiting list.
    pub(crate) fn is_on_waiting_list(&self) -> bool {
        self.waits_since.is_some()
            && !self.is_admitted
            && self.status == Some(StudySessionStatus::Started)
    }
}

/// Cached summaries of session logs: for each log's path, the log's length when it was summarised, and the summary.
pub(super) type KnownSummaries = BTreeMap<PathBuf, (u64, SessionAdmissionFacts)>;

/// The lock on decisions about places. Dropping the value releases it.
#[derive(Debug)]
pub(crate) struct AdmissionLock {
    /// `None` if the file system has no locks.
    _file: Option<File>,
}

/// The availability of a place in the study for another participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParticipantPlaceAvailability {
    /// A slot can be claimed.
    Free,
    /// All rows of the schedule are claimed, but some of their participants may still leave.
    Held,
    /// As many sessions as the stopping rule needs are complete.
    Complete,
}

impl StudyFolder {
    /// Waits for the lock on decisions about places, which excludes other processes too.
    ///
    /// # Errors
    /// If the lock file cannot be written.
    pub(crate) fn lock_admission_decisions(&self) -> Result<AdmissionLock> {
        let folder = self.data_folder(LiveOrSimulated::Live);
        create_owner_only_folder(&folder)?;
        let path = folder.join("places.lock");
        if path.exists() {
            check_regular_file(&path).map_err(StudyError::io_error_at(&path))?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = options
            .open(&path)
            .map_err(StudyError::io_error_at(&path))?;
        match file.lock() {
            Ok(()) => Ok(AdmissionLock { _file: Some(file) }),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(AdmissionLock { _file: None })
            }
            Err(cause) => Err(StudyError::io_error_at(&path)(cause)),
        }
    }

    /// Returns the free slots (rows of the schedule) below `slot_count`.
    pub(crate) fn unclaimed_schedule_rows(&self, slot_count: u32) -> Result<Vec<u32>> {
        let claims = self.all_schedule_row_reservations()?;
        let held: BTreeSet<u32> = claims
            .iter()
            .filter(|claim| !claim.returned)
            .map(|claim| claim.slot)
            .collect();
        Ok((0..slot_count)
            .filter(|slot| !held.contains(slot))
            .collect())
    }

    fn waiting_file(&self, session: &str) -> PathBuf {
        self.data_folder(LiveOrSimulated::Live)
            .join("waiting")
            .join(session)
    }

    /// Returns the stored time of a waiting session's last request; `None` if no time is stored.
    pub(crate) fn last_request_of_waiting_session(&self, session: &str) -> Option<SystemTime> {
        let path = self.waiting_file(session);
        if !path.exists() {
            return None;
        }
        humantime::parse_rfc3339(read_text(&path).ok()?.trim()).ok()
    }

    /// Stores the current time as that of a waiting session's last request, unless the stored time is less than
    /// [`REQUEST_INTERVAL`] ago.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn store_last_request_time(&self, session: &str) -> Result {
        let now = self.time.wall_clock_now();
        let is_recent = self
            .last_request_of_waiting_session(session)
            .is_some_and(|last| {
                now.duration_since(last)
                    .is_ok_and(|since| since < REQUEST_INTERVAL)
            });
        if is_recent {
            return Ok(());
        }
        let path = self.waiting_file(session);
        if let Some(folder) = path.parent() {
            create_owner_only_folder(folder)?;
        }
        debate_host::record::write_file_without_sync(&path, self.time.utc_now() + "\n")
            .map_err(StudyError::io_error_at(&path))
    }

    /// Deletes the stored time of the last request of a session that no longer waits.
    pub(crate) fn delete_last_request_time(&self, session: &str) -> Result {
        delete_file_if_present(&self.waiting_file(session))
    }

    /// Deletes the stored request times of all waiting sessions.
    pub(super) fn delete_all_last_request_times(&self) -> Result {
        let folder = self.data_folder(LiveOrSimulated::Live).join("waiting");
        for session in entry_names_in(&folder)? {
            self.delete_last_request_time(&session)?;
        }
        Ok(())
    }
}

impl Study {
    /// Returns the summaries of all live sessions. Sessions with damaged logs are skipped, as in the report.
    ///
    /// # Errors
    /// If the folder of the logs cannot be read.
    pub(crate) fn live_session_summaries(&self) -> Result<Vec<SessionAdmissionFacts>> {
        let paths = self.folder.session_log_files(LiveOrSimulated::Live)?;
        let known = &self.folder.summaries;
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::take(&mut *known);
        for path in paths {
            let Ok(metadata) = path.metadata() else {
                continue;
            };
            let length = metadata.len();
            if let Some((_, summary)) = before.get(&path).filter(|(of, _)| *of == length) {
                known.insert(path, (length, summary.clone()));
                continue;
            }
            match read_log(&path) {
                Ok(log) => {
                    let summary = SessionAdmissionFacts::summary_of_records(self, &log.records);
                    known.insert(path, (length, summary));
                }
                Err(error) => {
                    tracing::warn!(%error, "the log of a session is damaged, so the session does not count as a taken place of the study");
                }
            }
        }
        Ok(known.values().map(|(_, summary)| summary.clone()).collect())
    }

    /// True if as many sessions are complete as the stopping rule needs. Always false in a study with neither
    /// `over_recruit` nor a waiting list.
    fn has_enough_sessions(&self) -> Result<bool> {
        // Without additional participants, a complete session keeps its slot, so free slots mean that more are needed.
        if self.plan.over_recruit == 0 && self.plan.waiting_list.is_none() {
            return Ok(false);
        }
        let RecruitmentStoppingRule::Participants(stop) = self.plan.stop;
        let sessions = self.live_session_summaries()?;
        let complete = sessions
            .iter()
            .filter(|it| it.is_complete_and_counts())
            .count();
        Ok(complete >= stop as usize)
    }

    /// Determines if the study still has a free place, or if all places are claimed, or if the study is complete.
    ///
    /// # Errors
    /// If the logs or the claims cannot be read.
    pub(crate) fn place_availability(&self) -> Result<ParticipantPlaceAvailability> {
        if self.has_enough_sessions()? {
            return Ok(ParticipantPlaceAvailability::Complete);
        }
        let rows = self.plan.max_claimed_schedule_rows();
        Ok(if self.folder.has_free_slot_among_first(rows)? {
            ParticipantPlaceAvailability::Free
        } else {
            ParticipantPlaceAvailability::Held
        })
    }

    /// Returns the number of present participants who are before `session` on the waiting list. A session that is not
    /// on the list is behind all others.
    pub(crate) fn count_waiting_before(
        &self,
        session: &str,
        sessions: &[SessionAdmissionFacts],
    ) -> u32 {
        let order = |it: &SessionAdmissionFacts| (it.waits_since.clone(), it.session.clone());
        let own = sessions.iter().find(|it| it.session == session);
        let own = own.filter(|it| it.is_on_waiting_list()).map(order);
        let now = self.folder.time.wall_clock_now();
        let is_present = |it: &SessionAdmissionFacts| {
            let last = self.folder.last_request_of_waiting_session(&it.session);
            last.is_some_and(|last| now.duration_since(last).unwrap_or_default() <= PRESENT)
        };
        let others = sessions
            .iter()
            .filter(|it| it.is_on_waiting_list() && it.session != session);
        let before = others.filter(|it| own.as_ref().is_none_or(|own| order(it) < *own));
        u32::try_from(before.filter(|it| is_present(it)).count()).unwrap_or(u32::MAX)
    }
}

impl StudyPlan {
    /// Returns the pay, in cents, that the study file sets for this outcome; 0 for all other outcomes. A complete
    /// session gets its bonus instead, and a closed session the amount in the experimenter's request.
    pub(crate) fn stated_cents_of_incomplete_outcome(&self, status: StudySessionStatus) -> u32 {
        match status {
            StudySessionStatus::ScreenedOut => self.outcome_pay.screened_out,
            StudySessionStatus::QuotaFull => self.outcome_pay.quota_full,
            StudySessionStatus::Full => self.outcome_pay.full,
            StudySessionStatus::Waited | StudySessionStatus::LeftAlone => {
                self.group.map_or(0, |group| group.cents)
            }
            _ => 0,
        }
    }
}
