//! Sessions of live or simulated participants: the participant, the log of the answers, and the clock.

mod clock;
pub(crate) mod flow;
pub(crate) mod group;
pub(crate) mod page;
pub(crate) mod preview;
pub(crate) mod program;
pub(crate) mod quota;
mod shown_time;
pub(crate) mod simulate;
pub(crate) mod terminal;
pub(crate) mod trial;

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::audit::SessionLogsWithHashLedger;
use crate::folder::lock::{lock_study, verify_lock};
use crate::folder::log::{
    IN_LEDGER, SessionLogOpenForAppending, StudySessionLogRecord, StudySessionStatus, read_log,
    status_of_records,
};
use crate::folder::places::{ADMISSION, ParticipantPlaceAvailability, WAITING_LIST};
use crate::folder::{LiveOrSimulated, create_owner_only_folder, pseudonym_of};
use crate::plan::schedule::AssignedTrial;
use crate::plan::{CodeOrAddressByOutcome, RecruitmentStoppingRule, StudyStage};
use crate::session::flow::{Participant, SessionLogLineContent};
use crate::session::group::{
    PlayingParticipantGroup, SEATED, SharedParticipantGroup, WaitingRoomAndGroups,
};
use crate::session::page::{ParticipantInput, StudySessionPage};
use crate::session::program::{
    FAULT, PROGRAM, PendingRequestToProgram, ProgramsDebatingParticipants,
};
use crate::session::terminal::StudyTerminalTexts;
use crate::session::trial::ParticipantTrialReply;
use debate_core::protocol::Seat;
use debate_host::record::SavedReply;

/// The kind of the log line for a session that the experimenter closed.
pub(crate) const CLOSED: &str = "closed";

pub use clock::{SessionClock, SessionClockReading};
pub use shown_time::{PAGE_TIME_SAVE_INTERVAL, PageTimeSaver};

/// A session in progress.
pub struct RunningStudySession<'s> {
    participant: Participant<'s>,
    session: String,
    log: SessionLogOpenForAppending,
    /// The row of the schedule (slot) of a simulated session. `None` for a live session, which claims its slot.
    given_slot: Option<u32>,
    /// The waiting room and the groups of the study. `None` if participants do not debate with each other, and in
    /// simulated sessions.
    groups: Option<&'s WaitingRoomAndGroups>,
    /// The participant's group, once seated.
    group: Option<SharedParticipantGroup>,
    /// The programs that debate with the participant, if any.
    programs: Option<&'s ProgramsDebatingParticipants>,
    /// The pending request to a program, if any.
    asking: Option<PendingRequestToProgram>,
    /// The number of accepted answers.
    answers: u64,
    last_answer: Option<ParticipantInput>,
}

/// The last known status of a session in its log, with the time of the last log line.
struct Ending {
    status: StudySessionStatus,
    /// Wall-clock time of the last log line, RFC 3339.
    wall: String,
    /// Wall-clock times of all lines of the session's log, and the latest time in the ledger when the log was last
    /// written.
    times: Vec<SystemTime>,
}

impl Ending {
    /// Builds the value from the records of a session's log. `latest` is the latest time that the ledger states up to
    /// the log's last write. It limits the age of a log that was written while the clock was slow.
    fn of(records: &[StudySessionLogRecord], latest: Option<&str>) -> Self {
        Self {
            status: status_of_records(records),
            wall: records
                .last()
                .map_or_else(String::new, |record| record.t_wall.clone()),
            times: records
                .iter()
                .map(|record| record.t_wall.as_str())
                .chain(latest)
                .filter_map(|wall| humantime::parse_rfc3339(wall).ok())
                .collect(),
        }
    }

    /// Returns the time since the log was last written; zero if the clock was set back since then.
    // A slow clock at the last write does not lengthen the age, because earlier lines or the ledger have later times.
    fn age(&self, now: SystemTime) -> Duration {
        if humantime::parse_rfc3339(&self.wall).is_ok_and(|last| last > now) {
            return Duration::ZERO;
        }
        let past = self.times.iter().filter(|time| **time <= now).max();
        past.and_then(|last| now.duration_since(*last).ok())
            .unwrap_or_default()
    }
}

/// Starts a session for a participant, or resumes their earlier session.
///
/// `id` is the participant's external name, which is stored only in `private/`. A session without an `id` cannot be
/// resumed. The session claims its slot later: at the admission, if the study has one, else before the first trial.
///
/// # Errors
/// If recruiting is paused, enough sessions are complete, or all slots are taken without a waiting list. If a debate is
/// not prepared, or the study was changed after its lock. If the session is open elsewhere or too old, or a file cannot
/// be read or written. Also if participants debate with each other or with programs, which needs a server.
pub fn start_or_resume<'s>(
    study: &'s Study,
    id: Option<&str>,
    codes: CodeOrAddressByOutcome,
) -> Result<(RunningStudySession<'s>, SessionClock)> {
    if study.plan.has_several_participants_per_debate() {
        return Err(StudyError::Together);
    }
    if study.plan.programs_debate_with_participants() {
        return Err(StudyError::Programs);
    }
    come(study, id, codes, ExpiryPolicy::Now)
}

/// Starts or resumes a session for a server, which calls [`end_expired_sessions`] separately. Ends expired sessions
/// here only if all schedule rows are taken, because this reads all logs. `groups` contains the waiting room and the
/// groups of the study.
///
/// # Errors
/// As [`start_or_resume`], but debates between participants and with programs are allowed.
pub fn start_or_resume_on_server<'s>(
    study: &'s Study,
    id: Option<&str>,
    codes: CodeOrAddressByOutcome,
    groups: Option<&'s WaitingRoomAndGroups>,
) -> Result<(RunningStudySession<'s>, SessionClock)> {
    come(study, id, codes, ExpiryPolicy::Elsewhere(groups))
}

/// The policy for ending expired sessions.
#[derive(Clone, Copy)]
enum ExpiryPolicy<'s> {
    /// End expired sessions whenever a participant without a session arrives.
    Now,
    /// End expired sessions when a participant without a session arrives only if all schedule rows are taken.
    /// Otherwise, the server ends them separately. The value contains the study's groups of participants.
    Elsewhere(Option<&'s WaitingRoomAndGroups>),
}

fn come<'s>(
    study: &'s Study,
    id: Option<&str>,
    codes: CodeOrAddressByOutcome,
    sweep: ExpiryPolicy<'s>,
) -> Result<(RunningStudySession<'s>, SessionClock)> {
    let (sweeps, groups) = match sweep {
        ExpiryPolicy::Now => (true, None),
        ExpiryPolicy::Elsewhere(groups) => (false, groups),
    };
    verify_lock(study)?;
    study.check_program_debates_were_played()?;
    create_owner_only_folder(&study.folder.raw_log_folder(LiveOrSimulated::Live))?;
    study.folder.create_hash_ledger_of_logs_if_missing()?;
    end_sessions_closed_by_experimenter(study)?;
    if let Some(session) = id.map(|id| known(study, id)).transpose()?.flatten() {
        return resume(study, session, codes, groups).and_then(with_admission);
    }
    if study.folder.is_recruiting_paused() {
        return Err(StudyError::Paused);
    }
    let RecruitmentStoppingRule::Participants(stop) = study.plan.stop;
    // Expired sessions return their slots.
    if sweeps || study.place_availability()? == ParticipantPlaceAvailability::Held {
        end_expired_sessions(study)?;
    }
    let waits = study.plan.waiting_list.is_some();
    match study.place_availability()? {
        ParticipantPlaceAvailability::Free => {}
        ParticipantPlaceAvailability::Held if waits => {}
        ParticipantPlaceAvailability::Held | ParticipantPlaceAvailability::Complete => {
            return Err(StudyError::Full(stop));
        }
    }
    let session = study.folder.reserve_study_session_name()?;
    if let Some(id) = id {
        study.folder.save_identity(id, &session)?;
    }
    begin(study, session, codes, groups).and_then(with_admission)
}

/// Ends the pause of a participant whose session begins or continues. If the participant waits for admission, decides
/// it as [`RunningStudySession::admit_or_update_waiting_position`] does.
fn with_admission(
    (mut live, clock): (RunningStudySession<'_>, SessionClock),
) -> Result<(RunningStudySession<'_>, SessionClock)> {
    live.participant.end_participant_pause();
    live.admit_or_update_waiting_position(&clock.current_times())?;
    Ok((live, clock))
}

/// Returns the session of the participant `id`, if they have one. If this session has expired, ends it first.
fn known(study: &Study, id: &str) -> Result<Option<String>> {
    let Some(session) = study.folder.session_of_participant(id)? else {
        return Ok(None);
    };
    let log = study.folder.log_file(LiveOrSimulated::Live, &session);
    if log.exists()
        && expire_session(
            study,
            &study
                .folder
                .session_logs_with_ledger(LiveOrSimulated::Live)?,
            &log,
        )?
    {
        return study.folder.session_of_participant(id);
    }
    Ok(Some(session))
}

fn begin<'s>(
    study: &'s Study,
    session: String,
    codes: CodeOrAddressByOutcome,
    groups: Option<&'s WaitingRoomAndGroups>,
) -> Result<(RunningStudySession<'s>, SessionClock)> {
    let wall = study.folder.time.utc_now();
    let mut live = RunningStudySession::begin(study, session, codes, None, &wall)?;
    live.groups = groups;
    Ok((
        live,
        SessionClock::new(&study.folder.time, 0, Some(0), study.plan.time.idle_s),
    ))
}

/// Ends expired sessions, so that their schedule rows become free. Returns the number of sessions that it ended.
///
/// Sessions of a trial run return their slots too. A session that cannot be read or ended is skipped with a warning, so
/// that it does not block the other sessions.
///
/// # Errors
/// If the folder of the logs cannot be read.
pub fn end_expired_sessions(study: &Study) -> Result<u32> {
    let audit = study
        .folder
        .session_logs_with_ledger(LiveOrSimulated::Live)?;
    let mut expired = 0;
    for path in &audit.paths {
        match expire_session(study, &audit, path) {
            Ok(is_expired) => expired += u32::from(is_expired),
            Err(error) => tracing::warn!(%error, "cannot end an expired session; skipped it"),
        }
    }
    Ok(expired)
}

/// Ends the sessions that the experimenter closes, and returns them. A session whose log is open is left to a later
/// call.
///
/// # Errors
/// If a request or a log cannot be read or written.
pub fn end_sessions_closed_by_experimenter(study: &Study) -> Result<Vec<String>> {
    let mut ended = Vec::new();
    for request in study.folder.session_close_requests()? {
        let path = study
            .folder
            .log_file(LiveOrSimulated::Live, &request.session);
        if path.exists() {
            let _maintenance = study.folder.lock_log_maintenance();
            let (mut log, read) =
                match SessionLogOpenForAppending::open(&path, study.folder.live_data_ledger()) {
                    Err(StudyError::Open) => continue,
                    opened => opened?,
                };
            let is_running = status_of_records(&read.records) == StudySessionStatus::Started;
            if let Some(last) = read.records.last().filter(|_| is_running).cloned() {
                log.append(StudySessionLogRecord {
                    t_wall: study.folder.time.utc_now(),
                    kind: CLOSED.to_owned(),
                    payload: json!({"status": StudySessionStatus::Closed.status_name(), "cents": request.cents}),
                    ..last
                })?;
                study.folder.release_schedule_row(&request.session)?;
                ended.push(request.session.clone());
            }
        }
        study.folder.delete_close_request(&request.session)?;
    }
    Ok(ended)
}

/// Ends the session of a log if it has expired. Returns true if it was ended. Also gives back the slot of a trial run
/// (stage Debug), or of a session that ended earlier.
fn expire_session(
    study: &Study,
    audit: &SessionLogsWithHashLedger<'_>,
    path: &Path,
) -> Result<bool> {
    let records = audit.read_verified_log(path)?.records;
    let Some(first) = records.first() else {
        return Ok(false);
    };
    if study.is_trial_run(first) {
        study.folder.release_schedule_row(&first.session)?;
        return Ok(false);
    }
    let limit = Duration::from_secs(study.plan.time.resume_within_s());
    let ending = Ending::of(&records, audit.latest_ledger_time_until_last_write(path));
    if ending.status.frees_schedule_row() && records.iter().any(|record| record.slot.is_some()) {
        // If the program was killed after the last line, the session still has its slot.
        study.folder.release_schedule_row(&first.session)?;
    }
    if ending.status != StudySessionStatus::Started
        || ending.age(study.folder.time.wall_clock_now()) <= limit
    {
        return Ok(false);
    }
    let _maintenance = study.folder.lock_log_maintenance();
    let (mut log, read) =
        match SessionLogOpenForAppending::open(path, study.folder.live_data_ledger()) {
            Err(StudyError::Open) => return Ok(false),
            opened => opened?,
        };
    let Some(last) = read.records.last().cloned() else {
        return Ok(false);
    };
    let session = last.session.clone();
    let slot = last.slot;
    log.append(StudySessionLogRecord {
        t_wall: study.folder.time.utc_now(),
        kind: "expired".to_owned(),
        payload: json!({"status": StudySessionStatus::Expired.status_name()}),
        ..last
    })?;
    study.folder.release_schedule_row(&session)?;
    let is_before_consent = !records
        .iter()
        .any(|it| it.payload_flag("agreed") == Some(true));
    if slot.is_none() || study.plan.has_admission_before_consent() && is_before_consent {
        // The participant has answered no trial yet and may start again.
        study.folder.delete_identity(&session)?;
    }
    Ok(true)
}

fn resume<'s>(
    study: &'s Study,
    session: String,
    codes: CodeOrAddressByOutcome,
    groups: Option<&'s WaitingRoomAndGroups>,
) -> Result<(RunningStudySession<'s>, SessionClock)> {
    let path = study.folder.log_file(LiveOrSimulated::Live, &session);
    if !path.exists() {
        // The program was killed before it wrote the first line.
        return begin(study, session, codes, groups);
    }
    let maintenance = study.folder.lock_log_maintenance();
    let (mut log, read) = SessionLogOpenForAppending::open(&path, study.folder.live_data_ledger())?;
    drop(maintenance);
    let audit = study
        .folder
        .session_logs_with_ledger(LiveOrSimulated::Live)?;
    let ending = Ending::of(
        &read.records,
        audit.latest_ledger_time_until_last_write(&path),
    );
    let age = ending.age(study.folder.time.wall_clock_now());
    let hours = study.plan.time.resume_within_h;
    let is_over = age > Duration::from_secs(study.plan.time.resume_within_s());
    if ending.status == StudySessionStatus::Expired
        || ending.status == StudySessionStatus::Started && is_over
    {
        return Err(StudyError::Expired(hours));
    }
    let mut replay = Replay {
        participant: Participant::new(study, codes),
        groups: GroupSource::Server(groups),
        group: None,
        answers: Vec::new(),
    };
    for record in &read.records {
        replay.take(&path, record)?;
    }
    let is_ended_by_others = study.plan.has_several_participants_per_debate()
        || ending.status == StudySessionStatus::Closed;
    if is_ended_by_others && ending.status != StudySessionStatus::Started {
        replay
            .participant
            .end_with_status("", ending.status, json!({}));
    }
    let (last, active) = read
        .records
        .last()
        .map_or((0, Some(0)), |last| (last.t_mono_ms, last.t_active_ms));
    // The page has been shown since the last line, `resume` lines aside.
    let mut answered = read.records.iter().rev();
    let answered = answered.find(|record| record.kind != "resume");
    let answered = answered.map_or(0, |record| record.t_mono_ms);
    let shown = study.folder.stored_session_clock_ms(&session);
    let mono = shown.unwrap_or(0).max(last);
    let earlier = Duration::from_millis(mono.saturating_sub(answered));
    let clock = SessionClock::new(&study.folder.time, answered, active, study.plan.time.idle_s)
        .with_earlier_page_time(earlier);
    if read.records.is_empty() {
        let wall = study.folder.time.utc_now();
        log.append(first_record(study, &session, &wall).of(&replay.participant))?;
    }
    let mut live = RunningStudySession {
        participant: replay.participant,
        session,
        log,
        given_slot: None,
        groups,
        group: replay.group,
        programs: None,
        asking: None,
        answers: replay.answers.len() as u64,
        last_answer: replay.answers.pop(),
    };
    if ending.status == StudySessionStatus::Started && !read.records.is_empty() {
        let now = SessionClockReading {
            wall: study.folder.time.utc_now(),
            mono_ms: mono,
            active_ms: active,
        };
        let back = humantime::parse_rfc3339(&ending.wall)
            .is_ok_and(|last| last > study.folder.time.wall_clock_now() + Duration::from_secs(1));
        let payload = json!({
            "away_s": age.as_secs(),
            "shown_ms": mono - last,
            "clock_set_back": back,
            "program": env!("CARGO_PKG_VERSION"),
        });
        let resumed = SessionLogLineContent {
            kind: "resume",
            trial: None,
            round: None,
            payload,
        };
        live.append(resumed, live.participant.slot(), &now)?;
    }
    live.save_unsaved_group_debates();
    Ok((live, clock))
}

/// Returns the members of a group, each with the seat of the player for whose reply the member waits. `sessions` are
/// the sessions of the group, joined with spaces. The value is read from the logs, so it does not need the server.
///
/// # Errors
/// If a log of the group cannot be read.
pub(crate) fn awaited_seats_of_group(
    study: &Study,
    slot: u32,
    sessions: &str,
) -> Result<Vec<(String, Seat, Option<Seat>)>> {
    let group = PlayingParticipantGroup::read(study, slot, sessions.split(' '))?;
    let replies = group.replies_of_members().clone();
    let members = group.sessions_and_seats();
    let shared = group.into_shared();
    let mut awaited = Vec::new();
    for (session, seat) in members {
        let path = study.folder.log_file(LiveOrSimulated::Live, &session);
        let mut replay = Replay {
            participant: Participant::new(study, CodeOrAddressByOutcome::default()),
            groups: GroupSource::Known(shared.clone()),
            group: None,
            answers: Vec::new(),
        };
        let mut is_waiting = false;
        if path.exists() {
            let records = read_log(&path)?.records;
            for record in &records {
                replay.take(&path, record)?;
            }
            replay.participant.set_other_replies(&replies)?;
            // A member on the page for leaving, in a pause or whose session has ended waits for nobody.
            let last = records.last().map(|last| last.kind.as_str());
            is_waiting = status_of_records(&records) == StudySessionStatus::Started
                && !matches!(last, Some("leave" | "pause"));
        }
        let seat_awaited = replay.participant.awaited_other_seat();
        awaited.push((session, seat, seat_awaited.filter(|_| is_waiting)));
    }
    Ok(awaited)
}

/// The source of the group of a replayed session.
enum GroupSource<'s> {
    /// The groups of the process that serves the study, if it has debates between participants.
    Server(Option<&'s WaitingRoomAndGroups>),
    Known(SharedParticipantGroup),
}

impl GroupSource<'_> {
    /// Returns the group of the replayed session, which its log line `record` names. `None` if the server has no
    /// groups.
    fn group_of_record(
        &self,
        study: &Study,
        record: &StudySessionLogRecord,
    ) -> Result<Option<SharedParticipantGroup>> {
        match self {
            Self::Server(groups) => {
                let group = groups.map(|groups| groups.group_of_record(study, record));
                group.transpose()
            }
            Self::Known(group) => Ok(Some(group.clone())),
        }
    }
}

/// A session that is reconstructed from its log.
struct Replay<'s> {
    participant: Participant<'s>,
    groups: GroupSource<'s>,
    group: Option<SharedParticipantGroup>,
    answers: Vec<ParticipantInput>,
}

impl Replay<'_> {
    fn take(&mut self, path: &Path, record: &StudySessionLogRecord) -> Result {
        let study = self.participant.study();
        let wrong =
            |what: &str| StudyError::invalid_file(path, format!("line {}: {what}", record.seq + 1));
        if record.kind == SEATED
            && let Some(group) = self.groups.group_of_record(study, record)?
        {
            let joined = group
                .lock()
                .seat_participant(&mut self.participant, &record.session);
            joined.ok_or_else(|| wrong("the session is not a member of this group"))??;
            self.group = Some(group);
            return Ok(());
        }
        if record.kind == PROGRAM
            && let Some((seat, text)) = record
                .payload_string_field("seat")
                .zip(record.payload_string_field("reply"))
        {
            let reply = SavedReply::parse_reply_stored_in_full(text).map_err(|why| wrong(&why))?;
            let seat = Seat::PLAYERS
                .into_iter()
                .find(|it| it.name_in_flags_and_json() == seat);
            let seat = seat.ok_or_else(|| wrong("the seat is unknown"))?;
            self.participant.apply_program_reply(seat, reply)?;
            return Ok(());
        }
        if record.kind == FAULT {
            self.participant.end_trial_by_fault();
            return Ok(());
        }
        if record.kind == WAITING_LIST {
            self.participant.join_waiting_list_for_place(&record.t_wall);
            return Ok(());
        }
        if record.kind == ADMISSION {
            match record.status_after_record() {
                Some(status) => {
                    self.participant.end_with_status("", status, json!({}));
                }
                None => self.participant.continue_after_admission(record.slot)?,
            }
            return Ok(());
        }
        let Some(input) = record.payload_value("input") else {
            return Ok(());
        };
        let input: ParticipantInput =
            serde_json::from_value(input.clone()).map_err(|error| wrong(&error.to_string()))?;
        // If a member's replies were deleted, later inputs of the group cannot be replayed.
        let is_followed = self
            .group
            .as_ref()
            .is_none_or(|group| !group.lock().has_member_with_deleted_replies());
        if is_followed {
            if self.participant.take_input(&input)?.is_err() {
                return Err(wrong("the study does not request this answer"));
            }
            if self.participant.must_claim_slot_next() && !self.participant.is_waiting_for_group() {
                self.participant.start_trials_or_end_as_full(record.slot)?;
            }
        }
        self.answers.push(input);
        Ok(())
    }
}

fn first_record(study: &Study, session: &str, wall: &str) -> StudySessionLogRecord {
    let payload = json!({
        "program": env!("CARGO_PKG_VERSION"),
        "study": study.plan.id,
        IN_LEDGER: true,
    });
    StudySessionLogRecord {
        v: 1,
        session: session.to_owned(),
        participant: pseudonym_of(session),
        stage: study.plan.stage.study_stage_name().to_owned(),
        t_wall: wall.to_owned(),
        t_active_ms: Some(0),
        kind: "start".to_owned(),
        payload,
        ..StudySessionLogRecord::default()
    }
}

impl StudySessionLogRecord {
    /// Returns the log record with its role set to the participant's seat. The role is empty before the participant has
    /// a seat.
    fn of(self, participant: &Participant<'_>) -> Self {
        let seat = participant.participant_seat();
        Self {
            role: seat.map_or_else(String::new, |seat| seat.name_in_flags_and_json().to_owned()),
            ..self
        }
    }
}

impl<'s> RunningStudySession<'s> {
    /// Creates a session and its log. `given_slot` is the schedule's row for a simulated session, and `None` for a live
    /// one.
    ///
    /// # Errors
    /// If the log already exists or cannot be created.
    pub(crate) fn begin(
        study: &'s Study,
        session: String,
        codes: CodeOrAddressByOutcome,
        given_slot: Option<u32>,
        wall: &str,
    ) -> Result<Self> {
        let (kind, ledger) = match given_slot {
            Some(_) => (LiveOrSimulated::Simulated, None),
            None => (LiveOrSimulated::Live, Some(study.folder.live_data_ledger())),
        };
        let path = study.folder.log_file(kind, &session);
        let mut log = SessionLogOpenForAppending::create(&path, ledger)?;
        let mut participant = Participant::new(study, codes);
        if given_slot.is_some() {
            participant = participant.with_programs_replaced_by_builtins();
        }
        log.append(first_record(study, &session, wall).of(&participant))?;
        Ok(Self {
            participant,
            session,
            log,
            given_slot,
            groups: None,
            group: None,
            programs: None,
            asking: None,
            answers: 0,
            last_answer: None,
        })
    }

    fn is_live(&self) -> bool {
        self.given_slot.is_none()
    }

    pub fn current_page(&self) -> StudySessionPage {
        let mut page = self.participant.page_of_session(&self.session);
        let Some(left) = self.time_left_for_reply() else {
            return page;
        };
        if page.polls {
            let plan = &self.participant.study().plan;
            // Rounded up, because the text says "at most".
            let minutes = left.as_millis().div_ceil(60_000).max(1);
            let seconds = 60 * u64::try_from(minutes).unwrap_or_default();
            let places = plan.duration_placeholders(seconds);
            page.wait_left = Some(plan.filled_text("time for others", &places));
        } else {
            // Rounded down, because the participant must not be promised more time.
            page.limit_s = u32::try_from(left.as_secs()).ok();
        }
        page
    }

    pub fn participant(&self) -> &Participant<'s> {
        &self.participant
    }

    /// Ends a participant's pause, because they have come back to the page.
    pub fn end_participant_pause(&mut self) {
        self.participant.end_participant_pause();
    }

    /// Ends expired sessions, and updates the page of a participant who waits for a place. A terminal calls this about
    /// once a second; a server calls [`RunningStudySession::refresh_from_group`] and [`end_expired_sessions`].
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn end_expired_sessions_and_update_waiting(&mut self, clock: &SessionClock) -> Result {
        end_expired_sessions(self.participant.study())?;
        self.admit_or_update_waiting_position(&clock.current_times())
    }

    /// Returns the session's name.
    pub fn session_name(&self) -> &str {
        &self.session
    }

    /// Returns the number of the session's accepted answers, and the last answer.
    pub fn accepted_answer_count_and_last(&self) -> (u64, Option<&ParticipantInput>) {
        (self.answers, self.last_answer.as_ref())
    }

    /// Processes a participant's input at the current time. Returns the reason if the input was rejected; the
    /// participant can then answer again.
    ///
    /// # Errors
    /// If the trial cannot continue, or if the input cannot be saved and a later attempt would fail too.
    pub fn answer_now(
        &mut self,
        input: &ParticipantInput,
        clock: &mut SessionClock,
    ) -> Result<Option<String>> {
        self.answer_at(input, &clock.record_key_press_times())
    }

    /// Processes a participant's input at the time `now`. Returns the reason if the input was rejected; the participant
    /// can then answer again.
    ///
    /// # Errors
    /// If the trial cannot continue, or if the input cannot be saved and a later attempt would fail too.
    pub fn answer_at(
        &mut self,
        input: &ParticipantInput,
        now: &SessionClockReading,
    ) -> Result<Option<String>> {
        match self.take_input(input, now) {
            Ok(taken) => Ok(taken.err()),
            Err(error) if error.is_transient() => {
                let why = error.message_for_participant();
                Ok(Some(format!(
                    "Your answer was not saved: {why}. Answer again to try once more."
                )))
            }
            Err(error) => Err(error),
        }
    }

    /// Answers the page with the choice of a language. Returns false if the current page does not ask for one, or the
    /// study does not have this language. A language that was chosen before does not change.
    ///
    /// # Errors
    /// If the choice cannot be saved.
    pub fn choose_language(&mut self, language: &str, now: &SessionClockReading) -> Result<bool> {
        let Some(input) = self.participant.language_choice_input(language) else {
            return Ok(false);
        };
        Ok(self.take_input(&input, now)?.is_ok())
    }

    /// Returns the sentence that the participant is shown on leaving; `None` after the end of the session. While the
    /// participant chooses a language, there is a sentence in each language of the study.
    pub fn session_resume_sentence(&self) -> Option<String> {
        if self.participant.status() != StudySessionStatus::Started {
            return None;
        }
        if self.participant.language_once_known().is_some() {
            return Some(self.participant_terminal_words().resume_later_remark());
        }
        let study = self.participant.study();
        let languages = study.offered_languages().iter();
        let plans = languages.filter_map(|it| Some(&study.in_language(it)?.plan));
        let sentences = plans
            .map(|plan| StudyTerminalTexts::terminal_words_of_plan(plan).resume_later_remark());
        Some(sentences.collect::<Vec<_>>().join("\n"))
    }

    /// Returns the words of the participant's pages in a terminal.
    pub fn participant_terminal_words(&self) -> StudyTerminalTexts<'s> {
        StudyTerminalTexts::terminal_words_of_plan(&self.participant.study().plan)
    }

    /// Processes a participant's input at the time `now`. An accepted input is on the disk when the call returns. The
    /// inner error is the reason for a rejection.
    ///
    /// # Errors
    /// If the trial cannot continue, the study cannot be locked, no slot can be claimed, or the input cannot be saved.
    /// The session is then unchanged, and the input can be given again.
    pub fn take_input(
        &mut self,
        input: &ParticipantInput,
        now: &SessionClockReading,
    ) -> Result<Result<(), String>> {
        let shared = self.group.clone();
        let mut group = shared.as_ref().map(SharedParticipantGroup::lock);
        if group
            .as_ref()
            .is_some_and(|it| it.is_reply_overdue(&self.session))
        {
            let plan = &self.participant.study().plan;
            return Ok(Err(plan.filled_text("answered", &json!({}))));
        }
        let mut after = self.participant.clone();
        let mut log_note = match after.take_input(input)? {
            Ok(log_note) => log_note,
            Err(why) => return Ok(Err(why)),
        };
        let study = self.participant.study();
        if log_note.kind == "consent"
            && after.status() == StudySessionStatus::Started
            && self.is_live()
            && study.plan.stage != StudyStage::Debug
        {
            lock_study(study)?;
        }
        if after.must_claim_slot_next() && !after.is_waiting_for_group() {
            self.place(&mut after, &mut log_note)?;
        }
        let (kind, trial) = (log_note.kind, log_note.trial);
        self.append(log_note, after.slot(), now)?;
        let before = std::mem::replace(&mut self.participant, after);
        self.answers += 1;
        self.last_answer = Some(input.clone());
        if let Some(group) = &mut group {
            group.note(&self.session, &self.participant, kind, trial);
        }
        drop(group);
        if let Some(groups) = self
            .groups
            .filter(|_| !self.participant.is_in_group_waiting_room())
        {
            groups.leave_waiting_room(&self.session);
        }
        if let Err(error) = self.after_line(before.finished_trials().len()) {
            // The answer is stored, so the participant must not be asked again.
            tracing::warn!(%error, "cannot give back the place of a session that ended");
        }
        if let Err(error) = self.admit_or_update_waiting_position(now) {
            // The answer is stored. The next request tries again.
            tracing::warn!(%error, "cannot decide if a participant gets a place in the study");
        }
        Ok(Ok(()))
    }

    /// Completes the work after a new log line. Saves the debates of finished trials, except the first `judged` trials,
    /// which were saved before. Gives the session's schedule row back if its status requires it.
    fn after_line(&self, judged: usize) -> Result {
        if !self.is_live() {
            return Ok(());
        }
        for judged in self.participant.finished_trials().iter().skip(judged) {
            self.save_debate(judged.assigned, &judged.replies);
        }
        if self.participant.status().frees_schedule_row() {
            self.participant
                .study()
                .folder
                .release_schedule_row(&self.session)?;
        }
        Ok(())
    }

    /// Saves the debate of a trial. The log already contains every reply; the save makes the debate readable for
    /// other commands.
    fn save_debate(&self, assigned: AssignedTrial, replies: &[ParticipantTrialReply]) {
        let group = self.group.as_ref().map(SharedParticipantGroup::lock);
        let own = [self.session.as_str()];
        let sessions = group.as_ref().map(|group| group.sessions_of_members());
        let sessions = sessions.as_deref().unwrap_or(&own);
        let folder = self.participant.study().folder.debates_folder();
        let trial = self.participant.trial_of_assignment(assigned);
        // The first member of a group who ends a trial saves its debate.
        let has_complete_save =
            group.is_some() && trial.has_save_after_deleting_incomplete(sessions, &folder);
        if has_complete_save {
            return;
        }
        let heard = self.participant.other_replies(assigned);
        if let Err(error) = trial.save_debate(replies, &heard, sessions, &folder) {
            tracing::warn!(%error, "cannot save the debate of a trial");
        }
    }

    /// Reserves a slot (a row of the schedule) for a participant, and starts the trials. Without a free slot, the
    /// session gets the status `Full`. The log line of the current answer records the slot.
    // If the program is killed before that line is written, the session claims the same slot again.
    fn place(&self, after: &mut Participant<'s>, log_note: &mut SessionLogLineContent) -> Result {
        let study = after.study();
        let slot = match self.given_slot {
            Some(slot) => Some(slot),
            None if study.place_availability()? == ParticipantPlaceAvailability::Complete => None,
            None => study
                .folder
                .reserve_free_schedule_row(&self.session, study.plan.max_claimed_schedule_rows())?
                .map(|claim| {
                    log_note.payload["reclaimed_from"] = json!(claim.reclaimed_from);
                    claim.slot
                }),
        };
        after.start_trials_or_end_as_full(slot)?;
        if after.status() != StudySessionStatus::Started {
            log_note.payload["status"] = json!(after.status().status_name());
        }
        Ok(())
    }

    fn append(
        &mut self,
        log_note: SessionLogLineContent,
        slot: Option<u32>,
        now: &SessionClockReading,
    ) -> Result {
        let SessionLogLineContent {
            kind,
            trial,
            round,
            mut payload,
        } = log_note;
        let study = self.participant.study();
        let pool = |trial: crate::plan::schedule::AssignedTrial| {
            study.items_of_condition(trial.condition)[trial.item]
                .id
                .clone()
        };
        if let Some(trial) = trial {
            payload["practice"] = json!(trial.practice);
            payload["repeat"] = json!(trial.repeat);
        }
        let record = StudySessionLogRecord {
            t_wall: now.wall.clone(),
            t_mono_ms: now.mono_ms,
            t_active_ms: now.active_ms,
            block: trial.map(|trial| trial.block),
            trial: trial.map(|trial| trial.number),
            round,
            condition: trial.map(|trial| study.plan.conditions[trial.condition].id.clone()),
            item: trial.map(pool),
            kind: kind.to_owned(),
            payload,
            slot,
            ..first_record(study, &self.session, &now.wall)
        };
        self.log.append(record.of(&self.participant))?;
        Ok(())
    }
}

/// Returns the completion codes of a study. A code `env:NAME` is replaced by the current value of that environment
/// variable; without this variable, the outcome has no code.
pub fn completion_codes(study: &Study) -> CodeOrAddressByOutcome {
    let spoken = |code: &str| match code.strip_prefix("env:") {
        Some(name) => std::env::var(name).ok(),
        None => Some(code.to_owned()),
    };
    study.plan.codes.filter_map_outcome_codes(spoken)
}
