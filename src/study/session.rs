//! A session under way: a participant, the log of what they answer, and the clock.

pub(crate) mod flow;
pub(crate) mod page;
pub(crate) mod preview;
pub(crate) mod simulate;
pub(crate) mod trial;

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::audit::Audit;
use crate::folder::lock::{lock, verify_lock};
use crate::folder::log::{EventLog, IN_LEDGER, Record, Status, status};
use crate::folder::{DataKind, make_folder, participant_of};
use crate::plan::{Codes, Stage, Stop};
use crate::session::flow::{Noted, Participant};
use crate::session::page::{Input, SessionPage};
use debate_lab::record::utc;

/// A session that is under way.
pub struct LiveSession<'s> {
    participant: Participant<'s>,
    session: String,
    log: EventLog,
    /// The slot of a simulated session; a live one claims its own.
    given: Option<u32>,
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
    come(study, id, codes, true)
}

/// The same for a server of many participants, which ends sessions whose time is over by itself ([`expire`]): this
/// reads no other session unless all places are taken.
///
/// # Errors
/// As [`start_or_resume`].
pub fn start_or_resume_swept<'s>(
    study: &'s Study,
    id: Option<&str>,
    codes: Codes,
) -> Result<(LiveSession<'s>, Clock)> {
    come(study, id, codes, false)
}

fn come<'s>(
    study: &'s Study,
    id: Option<&str>,
    codes: Codes,
    sweeps: bool,
) -> Result<(LiveSession<'s>, Clock)> {
    verify_lock(study)?;
    study.check_prepared()?;
    make_folder(&study.folder.raw(DataKind::Live))?;
    study.folder.begin_ledger()?;
    if let Some(session) = id.map(|id| known(study, id)).transpose()?.flatten() {
        return resume(study, session, codes);
    }
    let Stop::Participants(places) = study.plan.stop;
    // Who left long ago makes room.
    if sweeps || !study.folder.has_place(places)? {
        expire(study)?;
    }
    if !study.folder.has_place(places)? {
        return Err(StudyError::Full(places));
    }
    let session = study.folder.new_session()?;
    if let Some(id) = id {
        study.folder.identify(id, &session)?;
    }
    begin(study, session, codes)
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

fn begin(study: &Study, session: String, codes: Codes) -> Result<(LiveSession<'_>, Clock)> {
    let wall = utc(SystemTime::now());
    let live = LiveSession::begin(study, session, codes, None, &wall)?;
    Ok((live, Clock::new(0, Some(0), study.plan.time.idle_s)))
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
    let limit = Duration::from_secs(u64::from(study.plan.time.resume_within_h) * 3600);
    let ending = Ending::of(&records, audit.latest(path));
    if ending.status != Status::Started || ending.age(SystemTime::now()) <= limit {
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
        t_wall: utc(SystemTime::now()),
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

fn resume(study: &Study, session: String, codes: Codes) -> Result<(LiveSession<'_>, Clock)> {
    let path = study.folder.log(DataKind::Live, &session);
    if !path.exists() {
        // It was cut off before the first line.
        return begin(study, session, codes);
    }
    let (mut log, read) = EventLog::open(&path, study.folder.ledger())?;
    let audit = study.folder.audit(DataKind::Live)?;
    let ending = Ending::of(&read.records, audit.latest(&path));
    let age = ending.age(SystemTime::now());
    let hours = study.plan.time.resume_within_h;
    let is_over = age > Duration::from_secs(u64::from(hours) * 3600);
    if ending.status == Status::Expired || ending.status == Status::Started && is_over {
        return Err(StudyError::Expired(hours));
    }
    let mut participant = Participant::new(study, codes);
    let mut answers = Vec::new();
    for record in &read.records {
        let Some(input) = record.get("input") else {
            continue;
        };
        let input: Input = serde_json::from_value(input.clone()).map_err(|error| {
            StudyError::file(&path, format!("line {}: {error}", record.seq + 1))
        })?;
        let taken = participant.take(&input)?;
        if taken.is_err() {
            let what = format!(
                "line {}: the study does not ask for this answer",
                record.seq + 1
            );
            return Err(StudyError::file(&path, what));
        }
        if participant.awaits_slot() {
            participant.place(record.slot)?;
        }
        answers.push(input);
    }
    let (mono, active) = read
        .records
        .last()
        .map_or((0, Some(0)), |last| (last.t_mono_ms, last.t_active_ms));
    let clock = Clock::new(mono, active, study.plan.time.idle_s);
    if read.records.is_empty() {
        let wall = utc(SystemTime::now());
        log.append(first_record(study, &session, &wall))?;
    }
    let mut live = LiveSession {
        participant,
        session,
        log,
        given: None,
        answers: answers.len() as u64,
        last_answer: answers.pop(),
    };
    if ending.status == Status::Started && !read.records.is_empty() {
        let now = Ticks {
            wall: utc(SystemTime::now()),
            mono_ms: mono,
            active_ms: active,
        };
        let back = humantime::parse_rfc3339(&ending.wall)
            .is_ok_and(|last| last > SystemTime::now() + Duration::from_secs(1));
        let payload = json!({
            "away_s": age.as_secs(),
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
    Ok((live, clock))
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
        role: study.plan.role().name().to_owned(),
        kind: "start".to_owned(),
        payload,
        ..Record::default()
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
        log.append(first_record(study, &session, wall))?;
        Ok(Self {
            participant: Participant::new(study, codes),
            session,
            log,
            given,
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
        let hours = self.participant.study().plan.time.resume_within_h;
        (self.participant.status() == Status::Started).then(|| {
            format!(
                "Your answers are kept. You can go on within {hours} hours, with the same command."
            )
        })
    }

    /// Takes an input at a time. When this returns, it is on the disk. The inner error says why it is
    /// not taken.
    ///
    /// # Errors
    /// If it cannot be kept: it is then as if it had not been given, and can be given again.
    pub fn take(&mut self, input: &Input, now: &Ticks) -> Result<Result<(), String>> {
        let mut after = self.participant.clone();
        let before = self.participant.judged().len();
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
        if after.awaits_slot() {
            self.place(&mut after, &mut noted)?;
        }
        self.append(noted, after.slot(), now)?;
        self.participant = after;
        self.answers += 1;
        self.last_answer = Some(input.clone());
        if self.is_live() {
            if let Some(judged) = self.participant.judged().get(before) {
                // The log has everything already; the save is the same debate for other commands.
                let trial = self.participant.trial_of(judged.assigned);
                let kept = trial.keep(&judged.replies, &self.session, &study.folder.debates());
                if let Err(error) = kept {
                    tracing::warn!(%error, "the debate of a trial is not kept as a save");
                }
            }
            if self.participant.status().returns_slot() {
                study.folder.give_back(&self.session)?;
            }
        }
        Ok(Ok(()))
    }

    /// Claims a slot for somebody whose trials come next. The line of the answer that led there tells which: cut
    /// off before it is written, the session claims the same slot again.
    fn place(&self, after: &mut Participant<'s>, noted: &mut Noted) -> Result {
        let study = after.study();
        let Stop::Participants(places) = study.plan.stop;
        let slot = match self.given {
            Some(slot) => Some(slot),
            None => study.folder.claim(&self.session, places)?.map(|claim| {
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
        self.log.append(record)?;
        Ok(())
    }
}

/// The codes of a study, as the environment has them now.
pub fn spoken_codes(study: &Study) -> Codes {
    let spoken = |code: &Option<String>| {
        let code = code.as_deref()?;
        match code.strip_prefix("env:") {
            Some(name) => std::env::var(name).ok(),
            None => Some(code.to_owned()),
        }
    };
    let codes = &study.plan.codes;
    Codes {
        complete: spoken(&codes.complete),
        screened_out: spoken(&codes.screened_out),
        failed_attention: spoken(&codes.failed_attention),
        no_consent: spoken(&codes.no_consent),
    }
}

/// When something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// In UTC, RFC 3339. It may go back: clocks are set.
    pub wall: String,
    /// Milliseconds since the session began, the time between two parts of it left out. Never goes
    /// back.
    pub mono_ms: u64,
    /// Of these, milliseconds in which no more than the idle limit lay between two keys. None where nobody could tell,
    /// as in a browser without a script, and from then on.
    pub active_ms: Option<u64>,
}

/// The clock of a session.
#[derive(Clone, Debug)]
pub struct Clock {
    /// What stood on the clock when this part of the session began.
    before: (u64, Option<u64>),
    began: Instant,
    /// The last key, and the active time up to it, in this part.
    last: Duration,
    active: Duration,
    idle: Duration,
}

impl Clock {
    /// A clock that goes on from what an earlier part of the session has counted.
    pub fn new(mono_ms: u64, active_ms: Option<u64>, idle_s: u32) -> Self {
        Self {
            before: (mono_ms, active_ms),
            began: Instant::now(),
            last: Duration::ZERO,
            active: Duration::ZERO,
            idle: Duration::from_secs(idle_s.into()),
        }
    }

    /// Somebody is there: a key was pressed. The time since the last one counts where it is no longer
    /// than the idle limit, else the limit.
    pub fn touch(&mut self) {
        self.touch_at(self.began.elapsed());
    }

    fn touch_at(&mut self, now: Duration) {
        let gap = now.saturating_sub(self.last);
        self.active += gap.min(self.idle);
        self.last = self.last.max(now);
    }

    /// The times of now by what a browser counted since the last answer: no more than has passed is believed. None where
    /// it did not count.
    pub fn counted(&mut self, active: Option<Duration>) -> Ticks {
        let now = self.began.elapsed();
        match active {
            Some(active) => self.active += active.min(now.saturating_sub(self.last)),
            None => self.before.1 = None,
        }
        self.last = now;
        self.ticks(now, SystemTime::now())
    }

    /// The times of now.
    pub fn now(&mut self) -> Ticks {
        self.touch();
        self.ticks(self.last, SystemTime::now())
    }

    fn ticks(&self, at: Duration, wall: SystemTime) -> Ticks {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Ticks {
            wall: utc(wall),
            mono_ms: self.before.0 + ms(at),
            active_ms: self.before.1.map(|before| before + ms(self.active)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idling_is_no_active_time_and_a_clock_that_is_set_back_moves_nothing() {
        let mut clock = Clock::new(5_000, Some(2_000), 60);
        clock.touch_at(Duration::from_secs(10));
        clock.touch_at(Duration::from_secs(10 + 3600));
        clock.touch_at(Duration::from_secs(10 + 3605));
        let later = SystemTime::UNIX_EPOCH + Duration::from_secs(9_000);
        let one = clock.ticks(clock.last, later);
        assert_eq!((one.mono_ms, one.active_ms), (3_620_000, Some(77_000)));
        clock.touch_at(Duration::from_secs(10 + 3606));
        let other = clock.ticks(clock.last, SystemTime::UNIX_EPOCH);
        assert_eq!(other.wall, "1970-01-01T00:00:00Z");
        assert_eq!((other.mono_ms, other.active_ms), (3_621_000, Some(78_000)));
        // A browser is believed no more than the time that has passed, and what is not counted once stays unknown.
        let counted = clock.counted(Some(Duration::from_secs(3600))).active_ms;
        assert!((78_000..=82_000).contains(&counted.unwrap()), "{counted:?}");
        assert_eq!(clock.counted(None).active_ms, None);
        assert_eq!(clock.counted(Some(Duration::ZERO)).active_ms, None);
    }
}
