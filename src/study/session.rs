//! A session under way: a participant, the log of what they answer, and the clock.

mod clock;
pub(crate) mod flow;
pub(crate) mod group;
pub(crate) mod page;
pub(crate) mod preview;
pub(crate) mod program;
mod shown_time;
pub(crate) mod simulate;
pub(crate) mod trial;

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::audit::Audit;
use crate::folder::lock::{lock, verify_lock};
use crate::folder::log::{EventLog, IN_LEDGER, Record, Status, status};
use crate::folder::{DataKind, make_folder, participant_of};
use crate::plan::schedule::Assigned;
use crate::plan::{Codes, Stage, Stop};
use crate::session::flow::{Noted, Participant};
use crate::session::group::{Groups, SEATED, SharedGroup};
use crate::session::page::{Input, SessionPage};
use crate::session::program::{Asking, FAULT, PROGRAM, Programs};
use crate::session::trial::TrialReply;
use debate_core::protocol::Seat;
use debate_core::text::duration;
use debate_host::record::SavedReply;

pub use clock::{Clock, Ticks};
pub use shown_time::{SHOWN_TIME_PAUSE, ShownTimeKeeper};

/// A session that is under way.
pub struct LiveSession<'s> {
    participant: Participant<'s>,
    session: String,
    log: EventLog,
    /// The slot of a simulated session; a live one claims its own.
    given: Option<u32>,
    /// The waiting room and the groups of the study; none where nobody debates with others.
    groups: Option<&'s Groups>,
    /// The group that they sit in.
    group: Option<SharedGroup>,
    /// The programs that debate with them; none where none does.
    programs: Option<&'s Programs>,
    /// The program that thinks about its reply.
    asking: Option<Asking>,
    /// How many answers were taken, and the last of them.
    answers: u64,
    last_answer: Option<Input>,
}

/// How a session ended, and when its log was last written to.
struct Ending {
    status: Status,
    /// By the clock of then.
    wall: String,
    /// The latest time that a clock is known to have shown by then: of this log, and of the ledger.
    times: Vec<SystemTime>,
}

impl Ending {
    /// `latest` is what the ledger knows of the log's last line.
    fn of(records: &[Record], latest: Option<&str>) -> Self {
        Self {
            status: status(records),
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

    /// The most time that can have passed since it was last written to; zero where the clock was set back since. A
    /// clock that was slow then makes it no longer: earlier lines, and those of others, have later times.
    fn age(&self, now: SystemTime) -> Duration {
        if humantime::parse_rfc3339(&self.wall).is_ok_and(|last| last > now) {
            return Duration::ZERO;
        }
        let past = self.times.iter().filter(|time| **time <= now).max();
        past.and_then(|last| now.duration_since(*last).ok())
            .unwrap_or_default()
    }
}

/// Begins the session of somebody, or goes on with the one that they left.
///
/// `id` is the name that they came with; it is kept in `private/` alone. Without one nobody can come
/// back. A slot is claimed later, on the way into the first trial.
///
/// # Errors
/// If all places are taken, the study was changed after its lock, the session is open elsewhere or
/// too old, or nothing can be written.
pub fn start_or_resume<'s>(
    study: &'s Study,
    id: Option<&str>,
    codes: Codes,
) -> Result<(LiveSession<'s>, Clock)> {
    if study.plan.is_group() {
        return Err(StudyError::Together);
    }
    if study.plan.has_live_programs() {
        return Err(StudyError::Programs);
    }
    come(study, id, codes, Sweep::Now)
}

/// The same for a server of many participants, which ends sessions whose time is over by itself ([`expire`]): this
/// reads no other session unless all places are taken. `groups` has those who debate with each other.
///
/// # Errors
/// As [`start_or_resume`].
pub fn start_or_resume_swept<'s>(
    study: &'s Study,
    id: Option<&str>,
    codes: Codes,
    groups: Option<&'s Groups>,
) -> Result<(LiveSession<'s>, Clock)> {
    come(study, id, codes, Sweep::Elsewhere(groups))
}

/// When sessions whose time is over are ended.
#[derive(Clone, Copy)]
enum Sweep<'s> {
    /// When somebody comes.
    Now,
    /// By a server, which has the groups of the study.
    Elsewhere(Option<&'s Groups>),
}

fn come<'s>(
    study: &'s Study,
    id: Option<&str>,
    codes: Codes,
    sweep: Sweep<'s>,
) -> Result<(LiveSession<'s>, Clock)> {
    let (sweeps, groups) = match sweep {
        Sweep::Now => (true, None),
        Sweep::Elsewhere(groups) => (false, groups),
    };
    verify_lock(study)?;
    study.check_prepared()?;
    make_folder(&study.folder.raw(DataKind::Live))?;
    study.folder.begin_ledger()?;
    if let Some(session) = id.map(|id| known(study, id)).transpose()?.flatten() {
        return resume(study, session, codes, groups);
    }
    let Stop::Participants(stop) = study.plan.stop;
    let places = study.plan.places();
    // Who left long ago makes room.
    if sweeps || !study.folder.has_place(places)? {
        expire(study)?;
    }
    if !study.folder.has_place(places)? {
        return Err(StudyError::Full(stop));
    }
    let session = study.folder.new_session()?;
    if let Some(id) = id {
        study.folder.identify(id, &session)?;
    }
    begin(study, session, codes, groups)
}

/// The session that somebody has and may go on with.
fn known(study: &Study, id: &str) -> Result<Option<String>> {
    let Some(session) = study.folder.session_of(id)? else {
        return Ok(None);
    };
    let log = study.folder.log(DataKind::Live, &session);
    if log.exists() && expire_session(study, &study.folder.audit(DataKind::Live)?, &log)? {
        return study.folder.session_of(id);
    }
    Ok(Some(session))
}

fn begin<'s>(
    study: &'s Study,
    session: String,
    codes: Codes,
    groups: Option<&'s Groups>,
) -> Result<(LiveSession<'s>, Clock)> {
    let wall = study.folder.time.utc();
    let mut live = LiveSession::begin(study, session, codes, None, &wall)?;
    live.groups = groups;
    Ok((
        live,
        Clock::new(&study.folder.time, 0, Some(0), study.plan.time.idle_s),
    ))
}

/// Ends the sessions that were left and whose time is over, so that their slots are free; those of a
/// trial run give theirs back too. A session that cannot be read or ended stays as it is: the others do not wait for it.
///
/// # Errors
/// If the folder of the logs cannot be read.
pub fn expire(study: &Study) -> Result<u32> {
    let audit = study.folder.audit(DataKind::Live)?;
    let mut expired = 0;
    for path in &audit.paths {
        match expire_session(study, &audit, path) {
            Ok(is_expired) => expired += u32::from(is_expired),
            Err(error) => tracing::warn!(%error, "a session is left as it is"),
        }
    }
    Ok(expired)
}

/// Ends the session of a log if its time is over; tells whether it did.
fn expire_session(study: &Study, audit: &Audit<'_>, path: &Path) -> Result<bool> {
    let records = audit.read(path)?.records;
    let Some(first) = records.first() else {
        return Ok(false);
    };
    if study.is_trial_run(first) {
        study.folder.give_back(&first.session)?;
        return Ok(false);
    }
    let limit = Duration::from_secs(study.plan.time.resume_within_s());
    let ending = Ending::of(&records, audit.latest(path));
    if ending.status.returns_slot() && records.iter().any(|record| record.slot.is_some()) {
        // Cut off after its last line, it has its slot still.
        study.folder.give_back(&first.session)?;
    }
    if ending.status != Status::Started || ending.age(study.folder.time.wall()) <= limit {
        return Ok(false);
    }
    let (mut log, read) = match EventLog::open(path, study.folder.ledger()) {
        Err(StudyError::Open) => return Ok(false),
        opened => opened?,
    };
    let Some(last) = read.records.last().cloned() else {
        return Ok(false);
    };
    let session = last.session.clone();
    let slot = last.slot;
    log.append(Record {
        t_wall: study.folder.time.utc(),
        kind: "expired".to_owned(),
        payload: json!({"status": Status::Expired.name()}),
        ..last
    })?;
    study.folder.give_back(&session)?;
    if slot.is_none() {
        // They were asked nothing yet, and may begin anew.
        study.folder.forget_identity(&session)?;
    }
    Ok(true)
}

fn resume<'s>(
    study: &'s Study,
    session: String,
    codes: Codes,
    groups: Option<&'s Groups>,
) -> Result<(LiveSession<'s>, Clock)> {
    let path = study.folder.log(DataKind::Live, &session);
    if !path.exists() {
        // It was cut off before the first line.
        return begin(study, session, codes, groups);
    }
    let (mut log, read) = EventLog::open(&path, study.folder.ledger())?;
    let audit = study.folder.audit(DataKind::Live)?;
    let ending = Ending::of(&read.records, audit.latest(&path));
    let age = ending.age(study.folder.time.wall());
    let hours = study.plan.time.resume_within_h;
    let is_over = age > Duration::from_secs(study.plan.time.resume_within_s());
    if ending.status == Status::Expired || ending.status == Status::Started && is_over {
        return Err(StudyError::Expired(hours));
    }
    let mut replay = Replay {
        participant: Participant::new(study, codes),
        groups,
        group: None,
        answers: Vec::new(),
    };
    for record in &read.records {
        replay.take(&path, record)?;
    }
    if study.plan.is_group() && ending.status != Status::Started {
        replay.participant.end_by("", ending.status, json!({}));
    }
    let (last, active) = read
        .records
        .last()
        .map_or((0, Some(0)), |last| (last.t_mono_ms, last.t_active_ms));
    // The page has been shown since the last line that is not about resuming it.
    let mut answered = read.records.iter().rev();
    let answered = answered.find(|record| record.kind != "resume");
    let answered = answered.map_or(0, |record| record.t_mono_ms);
    let shown = study.folder.shown_time(&session);
    let mono = shown.unwrap_or(0).max(last);
    let earlier = Duration::from_millis(mono.saturating_sub(answered));
    let clock = Clock::new(&study.folder.time, answered, active, study.plan.time.idle_s)
        .shown_earlier(earlier);
    if read.records.is_empty() {
        let wall = study.folder.time.utc();
        log.append(first_record(study, &session, &wall).of(&replay.participant))?;
    }
    let mut live = LiveSession {
        participant: replay.participant,
        session,
        log,
        given: None,
        groups,
        group: replay.group,
        programs: None,
        asking: None,
        answers: replay.answers.len() as u64,
        last_answer: replay.answers.pop(),
    };
    if ending.status == Status::Started && !read.records.is_empty() {
        let now = Ticks {
            wall: study.folder.time.utc(),
            mono_ms: mono,
            active_ms: active,
        };
        let back = humantime::parse_rfc3339(&ending.wall)
            .is_ok_and(|last| last > study.folder.time.wall() + Duration::from_secs(1));
        let payload = json!({
            "away_s": age.as_secs(),
            "shown_ms": mono - last,
            "clock_set_back": back,
            "program": env!("CARGO_PKG_VERSION"),
        });
        let resumed = Noted {
            kind: "resume",
            trial: None,
            round: None,
            payload,
        };
        live.append(resumed, live.participant.slot(), &now)?;
    }
    live.keep_missing();
    Ok((live, clock))
}

/// A session that is followed again from its log.
struct Replay<'s> {
    participant: Participant<'s>,
    groups: Option<&'s Groups>,
    group: Option<SharedGroup>,
    answers: Vec<Input>,
}

impl Replay<'_> {
    fn take(&mut self, path: &Path, record: &Record) -> Result {
        let study = self.participant.study();
        let wrong = |what: &str| StudyError::file(path, format!("line {}: {what}", record.seq + 1));
        if record.kind == SEATED
            && let Some(groups) = self.groups
        {
            let group = groups.group(study, record)?;
            let joined = group.lock().join(&mut self.participant, &record.session);
            joined.ok_or_else(|| wrong("it is of another group"))??;
            self.group = Some(group);
            return Ok(());
        }
        if record.kind == PROGRAM
            && let Some((seat, text)) = record.text("seat").zip(record.text("reply"))
        {
            let reply = SavedReply::read_whole(text).map_err(|why| wrong(&why))?;
            let seat = Seat::PLAYERS.into_iter().find(|it| it.name() == seat);
            let seat = seat.ok_or_else(|| wrong("it names no seat"))?;
            self.participant.hear_program(seat, reply)?;
            return Ok(());
        }
        if record.kind == FAULT {
            self.participant.end_trial();
            return Ok(());
        }
        let Some(input) = record.get("input") else {
            return Ok(());
        };
        let input: Input =
            serde_json::from_value(input.clone()).map_err(|error| wrong(&error.to_string()))?;
        // Without what others said, who are forgotten, nothing that came later can be followed.
        let is_followed = self
            .group
            .as_ref()
            .is_none_or(|group| !group.lock().is_torn());
        if is_followed {
            if self.participant.take(&input)?.is_err() {
                return Err(wrong("the study does not ask for this answer"));
            }
            if self.participant.awaits_slot() && !self.participant.is_waiting() {
                self.participant.place(record.slot)?;
            }
        }
        self.answers.push(input);
        Ok(())
    }
}

fn first_record(study: &Study, session: &str, wall: &str) -> Record {
    let payload = json!({
        "program": env!("CARGO_PKG_VERSION"),
        "study": study.plan.id,
        IN_LEDGER: true,
    });
    Record {
        v: 1,
        session: session.to_owned(),
        participant: participant_of(session),
        stage: study.plan.stage.name().to_owned(),
        t_wall: wall.to_owned(),
        t_active_ms: Some(0),
        kind: "start".to_owned(),
        payload,
        ..Record::default()
    }
}

impl Record {
    /// The record with the seat of a participant; none before it is dealt out.
    fn of(self, participant: &Participant<'_>) -> Self {
        let seat = participant.seat();
        Self {
            role: seat.map_or_else(String::new, |seat| seat.name().to_owned()),
            ..self
        }
    }
}

impl<'s> LiveSession<'s> {
    /// A session that begins, with its log: a simulated one where a slot is given.
    ///
    /// # Errors
    /// If the log was there or cannot be made.
    pub(crate) fn begin(
        study: &'s Study,
        session: String,
        codes: Codes,
        given: Option<u32>,
        wall: &str,
    ) -> Result<Self> {
        let (kind, ledger) = match given {
            Some(_) => (DataKind::Simulated, None),
            None => (DataKind::Live, Some(study.folder.ledger())),
        };
        let path = study.folder.log(kind, &session);
        let mut log = EventLog::create(&path, ledger)?;
        let mut participant = Participant::new(study, codes);
        if given.is_some() {
            participant = participant.with_stand_ins();
        }
        log.append(first_record(study, &session, wall).of(&participant))?;
        Ok(Self {
            participant,
            session,
            log,
            given,
            groups: None,
            group: None,
            programs: None,
            asking: None,
            answers: 0,
            last_answer: None,
        })
    }

    fn is_live(&self) -> bool {
        self.given.is_none()
    }

    pub fn page(&self) -> SessionPage {
        self.participant.page()
    }

    pub fn participant(&self) -> &Participant<'s> {
        &self.participant
    }

    /// The session's name.
    pub fn name(&self) -> &str {
        &self.session
    }

    /// How many answers were taken, and the last of them.
    pub fn answers(&self) -> (u64, Option<&Input>) {
        (self.answers, self.last_answer.as_ref())
    }

    /// Takes an input now. Tells why where it is not taken: it can then be given again.
    ///
    /// # Errors
    /// If it cannot be kept, and would not be later.
    pub fn answer(&mut self, input: &Input, clock: &mut Clock) -> Result<Option<String>> {
        self.answer_at(input, &clock.now())
    }

    /// Takes an input at a time. Tells why where it is not taken: it can then be given again.
    ///
    /// # Errors
    /// If it cannot be kept, and would not be later.
    pub fn answer_at(&mut self, input: &Input, now: &Ticks) -> Result<Option<String>> {
        match self.take(input, now) {
            Ok(taken) => Ok(taken.err()),
            Err(error) if error.is_passing() => {
                let why = error.for_participant();
                Ok(Some(format!(
                    "Not kept: {why}. Answer again to try once more."
                )))
            }
            Err(error) => Err(error),
        }
    }

    /// The sentence for a participant who leaves; `None` where the session is over.
    pub fn parting(&self) -> Option<String> {
        let seconds = self.participant.study().plan.time.resume_within_s();
        (self.participant.status() == Status::Started).then(|| {
            let time = duration(seconds);
            format!("Your answers are kept. You can go on within {time}, with the same command.")
        })
    }

    /// Takes an input at a time. When this returns, it is on the disk. The inner error says why it is
    /// not taken.
    ///
    /// # Errors
    /// If it cannot be kept: it is then as if it had not been given, and can be given again.
    pub fn take(&mut self, input: &Input, now: &Ticks) -> Result<Result<(), String>> {
        let shared = self.group.clone();
        let mut group = shared.as_ref().map(SharedGroup::lock);
        if group.as_ref().is_some_and(|it| it.is_away(&self.session)) {
            let plan = &self.participant.study().plan;
            return Ok(Err(plan.sentence("answered", &json!({}))));
        }
        let mut after = self.participant.clone();
        let mut noted = match after.take(input)? {
            Ok(noted) => noted,
            Err(why) => return Ok(Err(why)),
        };
        let study = self.participant.study();
        if noted.kind == "consent"
            && after.status() == Status::Started
            && self.is_live()
            && study.plan.stage != Stage::Debug
        {
            lock(study)?;
        }
        if after.awaits_slot() && !after.is_waiting() {
            self.place(&mut after, &mut noted)?;
        }
        let trial = noted.trial;
        self.append(noted, after.slot(), now)?;
        let before = std::mem::replace(&mut self.participant, after);
        self.answers += 1;
        self.last_answer = Some(input.clone());
        if let Some(group) = &mut group {
            group.note(&self.session, &self.participant, trial);
        }
        drop(group);
        if let Some(groups) = self.groups.filter(|_| !self.participant.is_in_room()) {
            groups.leave(&self.session);
        }
        self.after_line(before.judged().len())?;
        Ok(Ok(()))
    }

    /// Does what follows from a line of the log: keeps the debates of trials that are over since, and gives the slot
    /// back.
    fn after_line(&self, judged: usize) -> Result {
        if !self.is_live() {
            return Ok(());
        }
        for judged in self.participant.judged().iter().skip(judged) {
            self.keep(judged.assigned, &judged.replies);
        }
        if self.participant.status().returns_slot() {
            self.participant.study().folder.give_back(&self.session)?;
        }
        Ok(())
    }

    /// Keeps the debate of a trial as a save. The log has everything already; the save is the same debate for other
    /// commands.
    fn keep(&self, assigned: Assigned, replies: &[TrialReply]) {
        let group = self.group.as_ref().map(SharedGroup::lock);
        let own = [self.session.as_str()];
        let sessions = group.as_ref().map(|group| group.sessions());
        let sessions = sessions.as_deref().unwrap_or(&own);
        let folder = self.participant.study().folder.debates();
        let trial = self.participant.trial_of(assigned);
        // The first of a group who comes to the end of a trial keeps its debate.
        let is_kept = group.is_some() && trial.is_kept(sessions, &folder);
        if is_kept {
            return;
        }
        let heard = self.participant.heard(assigned);
        if let Err(error) = trial.keep(replies, &heard, sessions, &folder) {
            tracing::warn!(%error, "the debate of a trial is not kept as a save");
        }
    }

    /// Claims a slot for somebody whose trials come next. The line of the answer that led there tells which: cut
    /// off before it is written, the session claims the same slot again.
    fn place(&self, after: &mut Participant<'s>, noted: &mut Noted) -> Result {
        let study = after.study();
        let slot = match self.given {
            Some(slot) => Some(slot),
            None => study
                .folder
                .claim(&self.session, study.plan.places())?
                .map(|claim| {
                    noted.payload["reclaimed_from"] = json!(claim.reclaimed_from);
                    claim.slot
                }),
        };
        after.place(slot)?;
        if after.status() != Status::Started {
            noted.payload["status"] = json!(after.status().name());
        }
        Ok(())
    }

    fn append(&mut self, noted: Noted, slot: Option<u32>, now: &Ticks) -> Result {
        let Noted {
            kind,
            trial,
            round,
            mut payload,
        } = noted;
        let study = self.participant.study();
        let pool = |trial: crate::plan::schedule::Assigned| {
            study.pool(trial.condition)[trial.item].id.clone()
        };
        if let Some(trial) = trial {
            payload["practice"] = json!(trial.practice);
            payload["repeat"] = json!(trial.repeat);
        }
        let record = Record {
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

/// The codes of a study, as the environment has them now.
pub fn spoken_codes(study: &Study) -> Codes {
    let spoken = |code: &str| match code.strip_prefix("env:") {
        Some(name) => std::env::var(name).ok(),
        None => Some(code.to_owned()),
    };
    study.plan.codes.map(spoken)
}
