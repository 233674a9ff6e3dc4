//! Debates between participants: the waiting room and the groups formed from it.
//!
//! Participants wait before the first trial until one is present for each role in `roles`. Then they claim a row
//! of the schedule together and complete its trials. In a debate each participant has a separate seat. Each reply is
//! stored in its author's log in the form of the rules, so a group's debate follows from the logs of its sessions. A
//! participant's page is computed from their log and the replies of the other members.
//!
//! The process that serves the study knows the waiting participants by the last request of their browsers. It
//! writes no data while a participant waits.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{RunningStudySession, SessionClockReading};
use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::log::{
    SessionLogOpenForAppending, StudySessionLogRecord, StudySessionStatus,
    read_session_status_and_records,
};
use crate::folder::places::ParticipantPlaceAvailability;
use crate::folder::{LiveOrSimulated, ScheduleRowClaim, create_owner_only_folder};
use crate::plan::schedule::{AssignedTrial, shuffled_indices};
use crate::session::flow::Participant;
use crate::session::trial::TrialRepliesBySeat;
use debate_core::number::Exact;
use debate_core::protocol::{Reply, Seat};
use debate_host::record::{LockedAppendFile, SavedReply};
use debate_solver::setup::check_regular_file;

/// Time without a request from their browser after which a participant counts as absent.
// A browser window in the background sends one request a minute.
const PRESENT: Duration = Duration::from_secs(75);
/// Longest time between two reports of a running server. A longer gap means that it was stopped, or that the machine
/// slept.
const MAX_SERVER_REPORT_GAP: Duration = Duration::from_secs(5);

/// The kind of the log line for taking a seat in a group.
pub(crate) const SEATED: &str = "seated";
/// The kind of the log line for leaving the waiting room without a seat.
const SEATLESS: &str = "seatless";

/// The replies that the members of a group of participants made in their debates, by trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GroupRepliesByTrial(BTreeMap<(bool, u32), TrialRepliesBySeat>);

impl GroupRepliesByTrial {
    /// Returns the replies in the debate of a trial.
    pub(crate) fn replies_in_trial(&self, trial: &AssignedTrial) -> TrialRepliesBySeat {
        let own = self.0.get(&(trial.practice, trial.number));
        own.cloned().unwrap_or_default()
    }

    pub(crate) fn add_reply(
        &mut self,
        practice: bool,
        number: u32,
        seat: Seat,
        reply: Reply<Exact>,
    ) {
        let own = self.0.entry((practice, number)).or_default();
        if let Some(own) = own.get_mut(seat.seat_index()) {
            own.push(reply);
        }
    }
}

/// A member of a group.
#[derive(Debug)]
struct Member {
    session: String,
    seat: Seat,
    status: StudySessionStatus,
    /// The time of the member's last answer, of the creation of this value, or of the last server error for this
    /// member.
    active: Instant,
    /// The seat of the player for whose reply the member's page waits, if any. Unknown, and thus `None`, until the
    /// member's first request to this process.
    awaits: Option<Seat>,
    /// True if the member was absent: other members waited for them longer than the limit.
    away: bool,
    /// True if the member's log was deleted because they asked for it.
    gone: bool,
}

/// Participants who play the same series of debates together.
#[derive(Debug)]
pub(crate) struct PlayingParticipantGroup {
    slot: u32,
    members: Vec<Member>,
    replies: GroupRepliesByTrial,
    /// The time of the last reply of any member, of the creation of this value, or of the last restart of the time
    /// limits.
    replied: Instant,
}

/// A group, shared by its members.
#[derive(Clone, Debug)]
pub(crate) struct SharedParticipantGroup(Arc<Mutex<PlayingParticipantGroup>>);

impl SharedParticipantGroup {
    pub(crate) fn lock(&self) -> MutexGuard<'_, PlayingParticipantGroup> {
        locked(&self.0)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PlayingParticipantGroup {
    /// Creates a group of participants that has not begun. `sessions` are in seat order.
    pub(crate) fn new<'n>(
        study: &Study,
        slot: u32,
        sessions: impl Iterator<Item = &'n str>,
    ) -> Self {
        let now = study.folder.time.monotonic_now();
        let member = |(session, seat): (&str, &Seat)| Member {
            session: session.to_owned(),
            seat: *seat,
            status: StudySessionStatus::Started,
            active: now,
            awaits: None,
            away: false,
            gone: false,
        };
        Self {
            slot,
            members: sessions.zip(&study.plan.roles).map(member).collect(),
            replies: GroupRepliesByTrial::default(),
            replied: now,
        }
    }

    pub(crate) fn into_shared(self) -> SharedParticipantGroup {
        SharedParticipantGroup(Arc::new(Mutex::new(self)))
    }

    /// Reconstructs the state of a group from the logs of its members.
    pub(crate) fn read<'n>(
        study: &Study,
        slot: u32,
        sessions: impl Iterator<Item = &'n str>,
    ) -> Result<Self> {
        let mut group = Self::new(study, slot, sessions);
        let mut away = Vec::new();
        for place in 0..group.members.len() {
            let Member { session, seat, .. } = &group.members[place];
            let (path, seat) = (study.folder.log_file(LiveOrSimulated::Live, session), *seat);
            if !path.exists() {
                group.members[place].gone = true;
                group.members[place].status = StudySessionStatus::Withdrawn;
                continue;
            }
            let (status, records) = read_session_status_and_records(&path)?;
            group.members[place].status = status;
            for record in &records {
                away.extend(record.payload_string_field("away").map(str::to_owned));
                let Some(text) = record.payload_string_field("reply") else {
                    continue;
                };
                let reply = SavedReply::parse_reply_stored_in_full(text).map_err(|why| {
                    StudyError::invalid_file(&path, format!("line {}: {why}", record.seq + 1))
                })?;
                let practice = record.payload_flag("practice").unwrap_or(false);
                group
                    .replies
                    .add_reply(practice, record.trial.unwrap_or(0), seat, reply);
            }
        }
        for member in &mut group.members {
            member.away = away.contains(&member.session);
        }
        Ok(group)
    }

    fn member(&self, session: &str) -> Option<&Member> {
        self.members.iter().find(|it| it.session == session)
    }

    /// Returns the sessions of the members, in seat order.
    pub(crate) fn sessions_of_members(&self) -> Vec<&str> {
        self.members.iter().map(|it| it.session.as_str()).collect()
    }

    /// Returns the replies of all members.
    pub(crate) fn replies_of_members(&self) -> &GroupRepliesByTrial {
        &self.replies
    }

    /// Returns the sessions and seats of the members, in seat order.
    pub(crate) fn sessions_and_seats(&self) -> Vec<(String, Seat)> {
        let members = self.members.iter();
        members.map(|it| (it.session.clone(), it.seat)).collect()
    }

    /// True if other members of the group waited for this session longer than the limit.
    pub(crate) fn is_reply_overdue(&self, session: &str) -> bool {
        self.member(session).is_some_and(|it| it.away)
    }

    /// True if a member's replies were deleted, because the member asked for it.
    pub(crate) fn has_member_with_deleted_replies(&self) -> bool {
        self.members.iter().any(|member| member.gone)
    }

    /// Seats a participant in the seat of `session`; `None` if the session is not in this group.
    pub(crate) fn seat_participant(
        &self,
        participant: &mut Participant<'_>,
        session: &str,
    ) -> Option<Result> {
        let seat = self.member(session)?.seat;
        Some(participant.join_group_slot(self.slot, seat, &self.replies))
    }

    /// Updates the member after the log line `kind`: the status, the last activity, and the reply in `trial`, if any.
    /// The page for leaving and a pause are no activity, so they do not extend the group's limit.
    pub(crate) fn note(
        &mut self,
        session: &str,
        participant: &Participant<'_>,
        kind: &str,
        trial: Option<AssignedTrial>,
    ) {
        let Some(place) = self.members.iter().position(|it| it.session == session) else {
            return;
        };
        let member = &mut self.members[place];
        if !matches!(kind, "leave" | "stay" | "pause") {
            member.active = participant.study().folder.time.monotonic_now();
        }
        member.status = participant.status();
        member.awaits = participant.awaited_other_seat();
        if let Some((trial, reply)) = trial.zip(participant.last_answer_as_reply()) {
            self.replies
                .add_reply(trial.practice, trial.number, member.seat, reply.clone());
            self.replied = member.active;
        }
    }

    /// Records the player for whose reply the page of `session` waits, if any.
    fn set_awaited_seat(&mut self, session: &str, seat: Option<Seat>) {
        if let Some(member) = self.members.iter_mut().find(|it| it.session == session) {
            member.awaits = seat;
        }
    }

    /// Returns the start of the limit for the reply of `awaited`, for which `waiting` waits: the latest of either
    /// member's last answer and the group's last reply.
    fn start_of_wait(&self, awaited: &Member, waiting: &Member) -> Instant {
        awaited.active.max(waiting.active).max(self.replied)
    }

    /// Returns the time left at `at` of the limit `turn` for the reply for which the page of `session` waits. If it
    /// waits for none, returns the time left for a reply of `session` itself, for which other members wait. `None` if
    /// no member waits for this reply, or if the awaited member has ended the session.
    fn time_left_for_reply(&self, session: &str, turn: Duration, at: Instant) -> Option<Duration> {
        let own = self.member(session)?;
        let started = |member: &&Member| member.status == StudySessionStatus::Started;
        let since = if let Some(seat) = own.awaits {
            let awaited = self.members.iter().find(|it| it.seat == seat)?;
            Some(awaited).filter(started)?;
            self.start_of_wait(awaited, own)
        } else {
            let waiting = self.members.iter().filter(started);
            let waiting = waiting.filter(|it| it.awaits == Some(own.seat));
            waiting.map(|it| self.start_of_wait(own, it)).min()?
        };
        Some(turn.saturating_sub(at.saturating_duration_since(since)))
    }

    /// Checks if the member at `seat` keeps the group waiting: has left, or has exceeded `turn`, the time limit for a
    /// reply. Returns the payload of a log line about this member, or `None`. `own` is the session that waits.
    fn missing(&mut self, seat: Seat, own: &str, turn: Duration, at: Instant) -> Option<Value> {
        let place = self.members.iter().position(|it| it.seat == seat)?;
        let since = self.start_of_wait(&self.members[place], self.member(own)?);
        let awaited = &mut self.members[place];
        if awaited.status != StudySessionStatus::Started {
            return Some(json!({}));
        }
        awaited.away |= at.saturating_duration_since(since) > turn;
        awaited.away.then(|| json!({"away": awaited.session}))
    }
}

/// The waiting room and the groups of a study, in the process that serves it.
#[derive(Debug)]
pub struct WaitingRoomAndGroups {
    room: Mutex<Vec<WaitingParticipant>>,
    /// The groups, by their sessions joined with spaces.
    seated: Mutex<BTreeMap<String, SharedParticipantGroup>>,
    /// The last time at which the server is known to have run; `None` if no server has reported.
    ran: Mutex<Option<Instant>>,
    /// The file lock that is held while this process serves the study.
    _lock: LockedAppendFile,
}

/// A participant in the waiting room.
#[derive(Debug)]
struct WaitingParticipant {
    session: String,
    since: Instant,
    seen: Instant,
}

/// The state of a participant in the waiting room.
enum WaitingState {
    Wait,
    Seat(ScheduleRowClaim),
    /// Too few participants arrived in the waiting room in time.
    Vain,
    /// All slots are taken.
    Full,
}

impl WaitingRoomAndGroups {
    /// Opens the groups of a study for this process alone; `None` if the study has no debates between participants.
    ///
    /// # Errors
    /// If another process has opened them, or the lock file cannot be written.
    pub fn open_groups_of_study(study: &Study) -> Result<Option<Self>> {
        if !study.plan.has_several_participants_per_debate() {
            return Ok(None);
        }
        let folder = study.folder.data_folder(LiveOrSimulated::Live);
        create_owner_only_folder(&folder)?;
        let path = folder.join("groups.lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        if path.exists() {
            check_regular_file(&path).map_err(StudyError::io_error_at(&path))?;
        }
        let lock = options
            .open(&path)
            .and_then(LockedAppendFile::lock_for_appending);
        Ok(Some(Self {
            room: Mutex::default(),
            seated: Mutex::default(),
            ran: Mutex::default(),
            _lock: lock.map_err(|cause| match cause.kind() {
                std::io::ErrorKind::WouldBlock => StudyError::Served,
                _ => StudyError::io_error_at(&path)(cause),
            })?,
        }))
    }

    /// Records that the server is running. A server calls this about once a second. After an outage since the last
    /// call, the limits `wait_s` and `turn_s` restart for all participants, because they could not reach the server.
    pub fn restart_limits_after_outage(&self, study: &Study) {
        let now = study.folder.time.monotonic_now();
        let before = locked(&self.ran).replace(now);
        if before
            .is_some_and(|before| now.saturating_duration_since(before) > MAX_SERVER_REPORT_GAP)
        {
            self.restart_time_limits(study);
        }
    }

    /// Restarts the limits `wait_s` and `turn_s` for all participants. Used after the server
    /// refused requests: it cannot know whose requests they were.
    pub fn restart_time_limits(&self, study: &Study) {
        let now = study.folder.time.monotonic_now();
        for waiter in locked(&self.room).iter_mut() {
            waiter.since = now;
        }
        let groups: Vec<SharedParticipantGroup> = locked(&self.seated).values().cloned().collect();
        for group in groups {
            group.lock().replied = now;
        }
    }

    /// Records that the server could not answer a request of this session. Both limits restart for its participant.
    pub fn restart_limits_after_server_error(&self, study: &Study, session: &str) {
        let now = study.folder.time.monotonic_now();
        if let Some(waiter) = locked(&self.room)
            .iter_mut()
            .find(|it| it.session == session)
        {
            waiter.since = now;
            waiter.seen = now;
        }
        let groups: Vec<SharedParticipantGroup> = locked(&self.seated).values().cloned().collect();
        for group in groups {
            let mut group = group.lock();
            if let Some(member) = group.members.iter_mut().find(|it| it.session == session) {
                member.active = now;
            }
        }
    }

    /// Detects a server outage before a limit is applied.
    fn check_outage(&self, study: &Study) {
        if locked(&self.ran).is_some() {
            self.restart_limits_after_outage(study);
        }
    }

    /// Returns the group of participants that a log line names.
    pub(super) fn group_of_record(
        &self,
        study: &Study,
        record: &StudySessionLogRecord,
    ) -> Result<SharedParticipantGroup> {
        let slot = record.slot.unwrap_or_default();
        self.group_of(
            study,
            slot,
            record.payload_string_field("sessions").unwrap_or_default(),
        )
    }

    fn group_of(&self, study: &Study, slot: u32, sessions: &str) -> Result<SharedParticipantGroup> {
        let mut groups = locked(&self.seated);
        if let Some(group) = groups.get(sessions) {
            return Ok(group.clone());
        }
        let group = PlayingParticipantGroup::read(study, slot, sessions.split(' '))?.into_shared();
        groups.insert(sessions.to_owned(), group.clone());
        Ok(group)
    }

    /// Removes a session's participant from the waiting room.
    pub(super) fn leave_waiting_room(&self, session: &str) {
        locked(&self.room).retain(|waiter| waiter.session != session);
    }

    /// Records that a waiting participant is present at time `at`, and returns the participant's state. Claims a slot
    /// for a group if enough participants are present. The caller gives the participant the seat.
    fn refresh_from_group(
        &self,
        study: &Study,
        session: &str,
        at: Instant,
    ) -> Result<WaitingState> {
        let Some(plan) = study.plan.group else {
            return Ok(WaitingState::Full);
        };
        let mut room = locked(&self.room);
        if let Some(claim) = study.folder.current_or_former_slot_claim(session)? {
            return Ok(WaitingState::Seat(claim));
        }
        if study.place_availability()? != ParticipantPlaceAvailability::Free {
            room.retain(|waiter| waiter.session != session);
            return Ok(WaitingState::Full);
        }
        let known = room.iter().position(|waiter| waiter.session == session);
        let place = known.unwrap_or(room.len());
        if known.is_none() {
            // The limit restarts with the server: the time of the outage does not count.
            room.push(WaitingParticipant {
                session: session.to_owned(),
                since: at,
                seen: at,
            });
        }
        let is_present =
            |waiter: &WaitingParticipant| at.saturating_duration_since(waiter.seen) <= PRESENT;
        let waiter = &mut room[place];
        if !is_present(waiter) {
            // The participant was absent, so this time does not count as waiting.
            waiter.since = at;
        }
        waiter.seen = at;
        if at.saturating_duration_since(waiter.since) > Duration::from_secs(plan.wait_s.into()) {
            room.remove(place);
            return Ok(WaitingState::Vain);
        }
        let present = room.iter().filter(|waiter| is_present(waiter));
        let size = study.plan.roles.len();
        let names: Vec<String> = present.take(size).map(|it| it.session.clone()).collect();
        if names.len() < size {
            return Ok(WaitingState::Wait);
        }
        // Shuffled, so that the order of arrival does not determine the seats.
        let label = format!("seats/{}", names.join(" "));
        let seats = shuffled_indices(study.plan.seed, &label, size);
        let seated: Vec<&str> = seats.iter().map(|place| names[*place].as_str()).collect();
        let claim = study
            .folder
            .reserve_free_schedule_row(&seated.join(" "), study.plan.max_claimed_schedule_rows())?;
        let Some(claim) = claim else {
            return Ok(WaitingState::Full);
        };
        room.retain(|waiter| !names.contains(&waiter.session));
        Ok(if names.iter().any(|name| name == session) {
            WaitingState::Seat(claim)
        } else {
            WaitingState::Wait
        })
    }

    /// Ends the started sessions of absent members: members for whom the others waited longer than the limit. Skips
    /// members whose log was deleted or is open for writing elsewhere.
    ///
    /// # Errors
    /// If a log cannot be written.
    pub fn end_sessions_of_absent_members(&self, study: &Study) -> Result {
        let groups: Vec<SharedParticipantGroup> = locked(&self.seated).values().cloned().collect();
        for group in groups {
            let mut group = group.lock();
            let slot = group.slot;
            let is_due =
                |it: &&mut Member| it.away && !it.gone && it.status == StudySessionStatus::Started;
            for member in group.members.iter_mut().filter(is_due) {
                let path = study
                    .folder
                    .log_file(LiveOrSimulated::Live, &member.session);
                let _maintenance = study.folder.lock_log_maintenance();
                let (mut log, read) = match SessionLogOpenForAppending::open(
                    &path,
                    study.folder.live_data_ledger(),
                ) {
                    Err(StudyError::Open) => continue,
                    opened => opened?,
                };
                let Some(last) = read.records.last().cloned() else {
                    continue;
                };
                log.append(StudySessionLogRecord {
                    t_wall: study.folder.time.utc_now(),
                    slot: Some(slot),
                    kind: "forfeit".to_owned(),
                    payload: json!({"status": StudySessionStatus::Forfeited.status_name()}),
                    ..last
                })?;
                member.status = StudySessionStatus::Forfeited;
                study.folder.release_schedule_row(&member.session)?;
            }
        }
        Ok(())
    }

    /// Records that the experimenter closed a session: sets the member's status in its group, and removes the session
    /// from the waiting room.
    pub fn record_closed_session(&self, session: &str) {
        self.leave_waiting_room(session);
        let groups: Vec<SharedParticipantGroup> = locked(&self.seated).values().cloned().collect();
        for group in groups {
            let mut group = group.lock();
            if let Some(member) = group.members.iter_mut().find(|it| it.session == session) {
                member.status = StudySessionStatus::Closed;
            }
        }
    }

    /// Returns the sessions of group members who exceeded the time limit and did not return.
    pub fn overdue_sessions(&self) -> Vec<String> {
        let groups: Vec<SharedParticipantGroup> = locked(&self.seated).values().cloned().collect();
        let mut away = Vec::new();
        for group in groups {
            let group = group.lock();
            let members = group.members.iter();
            let members = members.filter(|it| it.away && it.status == StudySessionStatus::Started);
            away.extend(members.map(|member| member.session.clone()));
        }
        away
    }
}

impl RunningStudySession<'_> {
    /// Returns the session in the first seat of the participant's group, if the participant has a seat.
    pub fn first_session_of_group(&self) -> Option<String> {
        let group = self.group.as_ref()?.lock();
        group
            .sessions_of_members()
            .first()
            .map(|session| (*session).to_owned())
    }

    /// Returns the time left for the reply for which the current page waits, or for the reply that the page asks for
    /// while other members of the group wait for it. `None` on other pages, and in studies of format 3 or earlier.
    pub(super) fn time_left_for_reply(&self) -> Option<Duration> {
        let participant = &self.participant;
        let is_in_turn =
            participant.awaited_other_seat().is_some() || participant.can_delay_others();
        let study = participant.study();
        let has_text = study.has_pages_of_format_4_or_later();
        if !is_in_turn || !has_text || participant.is_leave_page_shown() {
            return None;
        }
        let turn = Duration::from_secs(study.plan.group?.turn_s.into());
        let group = self.group.as_ref()?.lock();
        group.time_left_for_reply(&self.session, turn, study.folder.time.monotonic_now())
    }

    /// Updates the session after other participants arrived, replied or left, or after a place became free. Also asks
    /// programs for their replies. Writes to the session's log only if something changed.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn refresh_from_group(&mut self, now: &SessionClockReading) -> Result {
        let study = self.participant.study();
        let at = study.folder.time.monotonic_now();
        if let Some(groups) = self.groups {
            groups.check_outage(study);
        }
        self.admit_or_update_waiting_position(now)?;
        if self.participant.is_waiting_for_group() {
            self.wait(now, at)?;
        }
        self.ask_programs(now)?;
        self.listen(now, at)
    }

    fn wait(&mut self, now: &SessionClockReading, at: Instant) -> Result {
        let study = self.participant.study();
        let Some(groups) = self.groups else {
            return Ok(());
        };
        if !self.participant.is_in_group_waiting_room() {
            groups.leave_waiting_room(&self.session);
            return Ok(());
        }
        match groups.refresh_from_group(study, &self.session, at)? {
            WaitingState::Wait => Ok(()),
            WaitingState::Seat(claim) => {
                let group = groups.group_of(study, claim.slot, &claim.session)?;
                self.join_group(group, claim.reclaimed_from.as_deref(), now)
            }
            WaitingState::Vain => self.end_session_for_unfilled_group(now),
            WaitingState::Full => {
                self.end_with_status(SEATLESS, StudySessionStatus::Full, json!({}), now)
            }
        }
    }

    /// Ends the session because too few other participants arrived in time to form a group.
    pub(crate) fn end_session_for_unfilled_group(&mut self, now: &SessionClockReading) -> Result {
        self.end_with_status(SEATLESS, StudySessionStatus::Waited, json!({}), now)
    }

    /// Gives the participant a seat in a group.
    pub(crate) fn join_group(
        &mut self,
        shared: SharedParticipantGroup,
        reclaimed_from: Option<&str>,
        now: &SessionClockReading,
    ) -> Result {
        let group = shared.lock();
        let mut after = self.participant.clone();
        let sessions = group.sessions_of_members().join(" ");
        let log_note = after.new_log_note(
            SEATED,
            json!({"sessions": sessions, "reclaimed_from": reclaimed_from}),
        );
        let joined = group.seat_participant(&mut after, &self.session);
        joined.unwrap_or_else(|| {
            Err(StudyError::Debate(
                "the group does not contain this session".to_owned(),
            ))
        })?;
        drop(group);
        let before = std::mem::replace(&mut self.participant, after);
        if let Err(error) = self.append(log_note, self.participant.slot(), now) {
            self.participant = before;
            return Err(error);
        }
        self.group = Some(shared);
        Ok(())
    }

    /// Applies the replies of the other members. Ends the session if another member is missing, or if this participant
    /// exceeded the time limit for a reply.
    fn listen(&mut self, now: &SessionClockReading, at: Instant) -> Result {
        let Some(shared) = self.group.clone() else {
            return Ok(());
        };
        if self.participant.status() != StudySessionStatus::Started {
            return Ok(());
        }
        let mut group = shared.lock();
        if group.is_reply_overdue(&self.session) {
            drop(group);
            return self.end_with_status("forfeit", StudySessionStatus::Forfeited, json!({}), now);
        }
        let judged = self.participant.finished_trials().len();
        let mut after = self.participant.clone();
        if let Some(log_note) = after.set_other_replies(&group.replies)? {
            self.append(log_note, after.slot(), now)?;
        }
        self.participant = after;
        let limit = self.participant.study().plan.group;
        let limit = Duration::from_secs(limit.map_or(0, |group| group.turn_s).into());
        let awaited = self.participant.awaited_other_seat();
        group.set_awaited_seat(&self.session, awaited);
        let left = if group.has_member_with_deleted_replies() {
            Some(json!({}))
        } else {
            awaited.and_then(|seat| group.missing(seat, &self.session, limit, at))
        };
        drop(group);
        self.after_line(judged)?;
        match left {
            Some(payload) => self.left_alone(payload, now),
            None => Ok(()),
        }
    }

    /// Ends the session because another member of its group is missing.
    fn left_alone(&mut self, payload: Value, now: &SessionClockReading) -> Result {
        if let Some((trial, replies, _)) = self.participant.current_trial() {
            self.save_debate(trial.assigned, replies);
        }
        self.end_with_status("left", StudySessionStatus::LeftAlone, payload, now)
    }

    /// Ends the session with `status`, for a reason outside the participant's own replies.
    pub(crate) fn end_with_status(
        &mut self,
        kind: &'static str,
        status: StudySessionStatus,
        payload: Value,
        now: &SessionClockReading,
    ) -> Result {
        let mut after = self.participant.clone();
        let log_note = after.end_with_status(kind, status, payload);
        self.append(log_note, after.slot(), now)?;
        self.participant = after;
        if let Some(shared) = &self.group {
            shared
                .lock()
                .note(&self.session, &self.participant, kind, None);
        }
        self.after_line(self.participant.finished_trials().len())
    }

    /// Saves the debates of a group member's finished trials, if the process was interrupted before it saved them. Does
    /// nothing without a group.
    pub(super) fn save_unsaved_group_debates(&self) {
        if self.group.is_some() {
            for judged in self.participant.finished_trials() {
                self.save_debate(judged.assigned, &judged.replies);
            }
        }
    }
}
