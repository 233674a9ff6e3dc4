//! Sessions that are left, killed, resumed or deleted.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::*;
use debate_core::digest::Digest;

const TWO_DAYS: Duration = Duration::from_secs(2 * 86_400);

/// Takes a simulated judge through a live session, for at most `most` answers. After each answer the session is
/// dropped, as if the program had been killed, and resumed. Returns the status and the number of answers.
pub(super) fn through(
    study: &Study,
    id: &str,
    model: SimulatedJudgeBehaviour,
    most: usize,
) -> (StudySessionStatus, usize) {
    let mut judge = SimulatedJudge::new(model, id).unwrap();
    let open = || start_or_resume(study, Some(id), CodeOrAddressByOutcome::default()).unwrap();
    let (mut session, mut clock) = open();
    let mut answered = 0;
    while answered < most && !session.current_page().is_session_over() {
        let input = judge.answer_for_page(&session.current_page(), session.participant());
        session
            .take_input(&input, &clock.record_key_press_times())
            .unwrap()
            .unwrap();
        answered += 1;
        let before = session.current_page();
        drop(session);
        (session, clock) = open();
        assert_eq!(session.current_page(), before, "after answer {answered}");
    }
    (session.participant().status(), answered)
}

/// Takes a simulated judge through the whole study in one session.
pub(super) fn complete(study: &Study, id: &str, model: SimulatedJudgeBehaviour) {
    let mut judge = SimulatedJudge::new(model, id).unwrap();
    let (mut session, mut clock) =
        start_or_resume(study, Some(id), CodeOrAddressByOutcome::default()).unwrap();
    while !session.current_page().is_session_over() {
        let input = judge.answer_for_page(&session.current_page(), session.participant());
        session
            .take_input(&input, &clock.record_key_press_times())
            .unwrap()
            .unwrap();
    }
    assert_eq!(session.participant().status(), StudySessionStatus::Complete);
}

#[test]
fn a_session_resumes_at_the_same_point_after_each_answer() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| {
        text.replace("blocks: 2", "blocks: 1")
    });
    let (status, answers) = through(&study, "anna", SimulatedJudgeBehaviour::NOISY, 500);
    assert_eq!(status, StudySessionStatus::Complete);
    assert!(answers > 25, "{answers}");
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Live).unwrap();
    assert_eq!(rows.participants[0].trials, 4);
    assert!(rows.counted_trials().count() <= 4);
    // The debates of trials are ordinary saves.
    let mut saves = 0;
    for entry in fs::read_dir(
        study
            .folder
            .data_folder(LiveOrSimulated::Live)
            .join("debates"),
    )
    .unwrap()
    {
        let verdict = debate_host::record::verify_file(
            &entry.unwrap().path(),
            &debate_solver::setup::ScenarioLimits::default(),
        )
        .unwrap();
        assert!(verdict.ok && verdict.finished);
        saves += 1;
    }
    assert_eq!(saves, 4, "two debates, one side alone, one practice");
}

#[test]
fn the_first_consent_locks_and_a_changed_study_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("p");
    let study = direct(&root);
    assert_eq!(verify_lock(&study).unwrap(), None);
    through(&study, "anna", SimulatedJudgeBehaviour::NOISY, 1);
    assert!(verify_lock(&study).unwrap().is_some());
    let item = root.join("items/cake.ron");
    let sound = fs::read_to_string(&item).unwrap();
    fs::write(&item, sound.replace("marzipan", "Marzipan")).unwrap();
    let changed = load(&root);
    let error = start_or_resume(&changed, Some("anna"), CodeOrAddressByOutcome::default())
        .err()
        .unwrap();
    assert!(error.to_string().contains("items/cake.ron"), "{error}");
    fs::write(&item, sound).unwrap();
    rewrite(&root, |text| text.replace("seed: 7", "seed: 8"));
    let changed = load(&root);
    assert!(matches!(
        start_or_resume(&changed, None, CodeOrAddressByOutcome::default()),
        Err(StudyError::Changed(_))
    ));
}

/// Lets a participant consent. Returns the participant's slot and the previous session of that slot.
pub(super) fn agreed(study: &Study, id: &str) -> (u32, Option<String>) {
    let (mut session, mut clock) =
        start_or_resume(study, Some(id), CodeOrAddressByOutcome::default()).unwrap();
    let agrees = session.take_input(
        &ParticipantInput::Choice(0),
        &clock.record_key_press_times(),
    );
    agrees.unwrap().unwrap();
    let slot = session.participant().slot().unwrap();
    let claims = study.folder.all_schedule_row_reservations().unwrap();
    let own = claims.iter().rfind(|claim| claim.slot == slot).unwrap();
    (slot, own.reclaimed_from.clone())
}

#[test]
fn a_slot_is_claimed_at_the_first_trial() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| {
        text.replace("stop: Participants(16)", "stop: Participants(1)")
    });
    let mut judge = SimulatedJudge::new(SimulatedJudgeBehaviour::PERFECT, "7").unwrap();
    let codes = || CodeOrAddressByOutcome {
        screened_out: Some("TOO-LATE".to_owned()),
        ..CodeOrAddressByOutcome::default()
    };
    let mut both = ["anna", "bert"].map(|id| {
        let (mut session, mut clock) = start_or_resume(&study, Some(id), codes()).unwrap();
        // No participant has a slot before the last question of the quiz.
        loop {
            assert_eq!(session.participant().slot(), None);
            assert!(
                study
                    .folder
                    .all_schedule_row_reservations()
                    .unwrap()
                    .is_empty()
            );
            let input = judge.answer_for_page(&session.current_page(), session.participant());
            let mut next = session.participant().clone();
            next.take_input(&input).unwrap().unwrap();
            if next.must_claim_slot_next() {
                return (session, clock, input);
            }
            session
                .take_input(&input, &clock.record_key_press_times())
                .unwrap()
                .unwrap();
        }
    });
    // The program is killed between the claim and its log line: the same session keeps the claim.
    let claim = study
        .folder
        .reserve_free_schedule_row("s0000", 1)
        .unwrap()
        .unwrap();
    assert_eq!((claim.slot, claim.reclaimed_from), (0, None));
    for (session, clock, last) in &mut both {
        session
            .take_input(last, &clock.record_key_press_times())
            .unwrap()
            .unwrap();
    }
    let [anna, bert] = both.map(|(session, ..)| session);
    assert_eq!(anna.participant().slot(), Some(0));
    assert!(anna.participant().current_trial().is_some());
    // The other participant reads that the study is full, and can return a code.
    assert_eq!(bert.participant().status(), StudySessionStatus::Full);
    let end = bert.current_page();
    assert!(end.is_session_over());
    let said = end
        .page
        .lines
        .iter()
        .map(debate_text::Line::plain_body_text);
    let said = said.collect::<Vec<_>>().join("\n");
    assert!(
        said.contains("places") && said.contains("TOO-LATE"),
        "{said}"
    );
    drop((anna, bert));
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Live).unwrap();
    let told = rows.participants.iter().map(|row| (row.status, row.slot));
    let expected = [
        (StudySessionStatus::Started, Some(0)),
        (StudySessionStatus::Full, None),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    // This is unchanged after both return, and a new participant is rejected.
    for (id, slot, shown) in [("anna", Some(0), true), ("bert", None, false)] {
        let (session, _) = start_or_resume(&study, Some(id), codes()).unwrap();
        assert_eq!(session.participant().slot(), slot);
        assert_eq!(!session.current_page().is_session_over(), shown);
    }
    let late = start_or_resume(&study, Some("cara"), codes());
    assert!(matches!(late.err(), Some(StudyError::Full(1))));
    // A participant who withdraws frees the slot.
    let (mut anna, mut clock) = start_or_resume(&study, Some("anna"), codes()).unwrap();
    for input in [ParticipantInput::Leave, ParticipantInput::Choice(2)] {
        anna.take_input(&input, &clock.record_key_press_times())
            .unwrap()
            .unwrap();
    }
    assert!(start_or_resume(&study, Some("cara"), codes()).is_ok());
}

#[test]
fn leaving_before_the_first_trial_allows_a_new_start_days_later() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| text);
    let log = study.folder.log_file(LiveOrSimulated::Live, "s0000");
    drop(start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap());
    study.folder.time.advance_both_clocks(TWO_DAYS);
    drop(start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap());
    assert_eq!(
        read_session_status_and_records(&log).unwrap().0,
        StudySessionStatus::Expired
    );
    let anew = study.folder.log_file(LiveOrSimulated::Live, "s0001");
    assert_eq!(
        read_session_status_and_records(&anew).unwrap().0,
        StudySessionStatus::Started
    );
}

#[test]
fn a_return_waits_until_another_thread_has_closed_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    through(&study, "anna", SimulatedJudgeBehaviour::NOISY, 2);
    let path = study.folder.log_file(LiveOrSimulated::Live, "s0000");
    // Without the lock, one of these returns finds the log open and is refused.
    for attempt in 0..20 {
        let returned = thread::scope(|threads| {
            let maintenance = study.folder.lock_log_maintenance();
            let log =
                SessionLogOpenForAppending::open(&path, study.folder.live_data_ledger()).unwrap();
            let (begins, begun) = mpsc::channel();
            let participant = threads.spawn({
                let study = &study;
                move || {
                    begins.send(()).unwrap();
                    start_or_resume(study, Some("anna"), CodeOrAddressByOutcome::default())
                        .map(drop)
                }
            });
            begun.recv().unwrap();
            for _ in 0..attempt {
                read_log(&path).unwrap();
            }
            drop(log);
            drop(maintenance);
            participant.join().unwrap()
        });
        assert!(returned.is_ok(), "attempt {attempt}: {returned:?}");
    }
}

/// Rewrites a log with the times that `wall` gives to its lines, and recreates its chain and the ledger.
pub(super) fn rewritten(
    study: &Study,
    path: &Path,
    wall: impl Fn(usize, &StudySessionLogRecord) -> String,
) {
    let records = read_log(path).unwrap().records;
    fs::remove_file(path).unwrap();
    let mut log = SessionLogOpenForAppending::create(path, None).unwrap();
    for (number, record) in records.into_iter().enumerate() {
        let t_wall = wall(number, &record);
        log.append(StudySessionLogRecord { t_wall, ..record })
            .unwrap();
    }
    // It may already be deleted.
    let _ = fs::remove_file(study.folder.live_data_ledger().hash_ledger_path());
}

/// Rewrites a log with this time in all of its lines.
fn with_times(study: &Study, path: &Path, wall: &str) {
    rewritten(study, path, |_, _| wall.to_owned());
}

#[test]
fn sessions_expire_after_two_days_despite_a_clock_set_back() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    through(&study, "anna", SimulatedJudgeBehaviour::NOISY, 2);
    let log = study.folder.log_file(LiveOrSimulated::Live, "s0000");
    // The clock was set back, so the last answer is in the future.
    with_times(&study, &log, "2999-01-01T00:00:00Z");
    let (session, mut clock) =
        start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap();
    drop(session);
    let last = read_log(&log).unwrap().records.pop().unwrap();
    assert_eq!(
        (last.kind.as_str(), last.payload_flag("clock_set_back")),
        ("resume", Some(true))
    );
    assert!(clock.record_key_press_times().mono_ms >= last.t_mono_ms);
    // Two days passed.
    study.folder.time.advance_both_clocks(TWO_DAYS);
    assert!(matches!(
        start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()),
        Err(StudyError::Expired(24))
    ));
    assert_eq!(agreed(&study, "bert"), (0, Some("s0000".to_owned())));
    let (status, _) = read_session_status_and_records(&log).unwrap();
    assert_eq!(status, StudySessionStatus::Expired);
}

/// Returns the files below a folder that contain these words.
fn files_with(folder: &Path, words: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, words));
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(words) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn withdrawing_frees_the_slot_and_keeps_other_chains() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    complete(&study, "anna", SimulatedJudgeBehaviour::NOISY);
    complete(&study, "bert", SimulatedJudgeBehaviour::PERFECT);
    let other = study.folder.log_file(LiveOrSimulated::Live, "s0001");
    let before = Digest::digest_of_bytes(&fs::read(&other).unwrap());
    let (payments, path) = write_payments(&study).unwrap();
    assert_eq!(payments.len(), 2);
    assert_eq!(payments[1].cents, 300, "0.99 right: 300 · 0.9999");
    assert!(fs::read_to_string(&path).unwrap().contains("anna"));
    let now = "2026-11-21T09:14:03Z";
    let message = "Please call the number on the door.";
    let to_anna = ExperimenterMessageTarget::Session("s0000".to_owned());
    study
        .folder
        .set_message_to_waiting_participants(&to_anna, message)
        .unwrap();
    let exported = |name: &str| {
        let target = StudyExportDestination {
            folder: folder.path().join("export").join(name),
            replace: false,
        };
        export_participant(&study, name, &target).unwrap();
        target.folder
    };
    let of_anna = exported("anna");
    let stored = fs::read_to_string(of_anna.join("stored/message.txt")).unwrap();
    assert_eq!(stored, format!("{message}\n"));
    fs::remove_dir_all(of_anna).unwrap();
    let deletion = study.folder.delete_participant("anna", now).unwrap();
    assert_eq!(files_with(folder.path(), message), Vec::<String>::new());
    assert_eq!(
        (deletion.session.as_deref(), deletion.keeps_payment),
        (Some("s0000"), true)
    );
    assert_eq!(Digest::digest_of_bytes(&fs::read(&other).unwrap()), before);
    // No file contains the name. The amount of the payment remains.
    assert_eq!(files_with(folder.path(), "anna"), Vec::<String>::new());
    let paid = fs::read_to_string(&path).unwrap();
    let own = paid.lines().find(|line| line.contains("s0000")).unwrap();
    assert_eq!(own, format!(",s0000,,,{},bonus", payments[0].cents));
    assert!(paid.contains("bert,s0001,"), "{paid}");
    // An invited name without a session is removed from the list.
    study.folder.invite(["zoe".to_owned()]).unwrap();
    let of_zoe = exported("zoe");
    let stored = fs::read_to_string(of_zoe.join("private/invited.txt")).unwrap();
    assert_eq!(stored, "zoe\n");
    fs::remove_dir_all(of_zoe).unwrap();
    assert_eq!(
        study.folder.delete_participant("zoe", now).unwrap().session,
        None
    );
    assert_eq!(files_with(folder.path(), "zoe"), Vec::<String>::new());
    assert!(study.folder.delete_participant("zoe", now).is_err());
    let found = study_report(&study, LiveOrSimulated::Live).unwrap();
    assert_eq!((found.flow.forgotten, found.flow.sessions), (1, 1));
    assert_eq!(agreed(&study, "cara"), (0, Some("s0000".to_owned())));
    let (mut session, mut clock) =
        start_or_resume(&study, Some("cara"), CodeOrAddressByOutcome::default()).unwrap();
    for input in [ParticipantInput::Leave, ParticipantInput::Choice(2)] {
        session
            .take_input(&input, &clock.record_key_press_times())
            .unwrap()
            .unwrap();
    }
    assert_eq!(
        session.participant().status(),
        StudySessionStatus::Withdrawn
    );
    drop(session);
    assert_eq!(agreed(&study, "dora"), (0, Some("s0002".to_owned())));
    assert_eq!(delete_names_and_payments(&study).unwrap(), 3);
    // The data contain no participant's own name.
    for log in study
        .folder
        .session_log_files(LiveOrSimulated::Live)
        .unwrap()
    {
        let text = fs::read_to_string(log).unwrap();
        for name in ["anna", "bert", "cara", "dora"] {
            assert!(!text.contains(name), "{name}");
        }
    }
}

#[test]
fn completion_codes_are_shown_at_the_end_and_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    let codes = || CodeOrAddressByOutcome {
        no_consent: Some("NO-17".to_owned()),
        ..CodeOrAddressByOutcome::default()
    };
    let (mut session, mut clock) = start_or_resume(&study, None, codes()).unwrap();
    session
        .take_input(
            &ParticipantInput::Choice(1),
            &clock.record_key_press_times(),
        )
        .unwrap()
        .unwrap();
    assert_eq!(
        session.participant().status(),
        StudySessionStatus::NoConsent
    );
    assert!(
        session
            .current_page()
            .page
            .lines
            .iter()
            .any(|line| line.plain_body_text().contains("NO-17"))
    );
    drop(session);
    let text = fs::read_to_string(study.folder.log_file(LiveOrSimulated::Live, "s0000")).unwrap();
    assert!(!text.contains("NO-17"));
    assert_eq!(verify_lock(&study).unwrap(), None);
}

/// Two studies that differ only in the right answers and the names of conditions show the same pages until the
/// debriefing.
#[test]
fn pages_hide_truth_and_condition_before_the_debrief() {
    let folder = tempfile::tempdir().unwrap();
    let one = direct(&folder.path().join("one"));
    let root = folder.path().join("other");
    create_example_study(&root).unwrap();
    rewrite(&root, |_| {
        DIRECT
            .replace("\"one\"", "\"floor\"")
            .replace("\"two\"", "\"ceiling\"")
    });
    for entry in fs::read_dir(root.join("items")).unwrap() {
        let path = entry.unwrap().path();
        // True items become false and vice versa, by one flipped leaf.
        let text = fs::read_to_string(&path).unwrap();
        let text = if text.contains("truth: false") {
            text.replace("truth: false", "truth: true")
        } else {
            text.replacen("truth: true", "truth: false", 1)
        };
        fs::write(path, text).unwrap();
    }
    let other = load(&root);
    assert!(
        one.items
            .iter()
            .zip(&other.items)
            .all(|(one, other)| one.truth != other.truth)
    );
    // Compare the same trials in both studies, independently of the schedule.
    for condition in 0..2 {
        for item in 0..one.items.len() {
            let moments = |study: &Study| {
                let assigned = AssignedTrial {
                    number: 1,
                    block: 1,
                    condition,
                    item,
                    swap: item % 2 == 1,
                    repeat: false,
                    practice: false,
                };
                ScheduledTrial {
                    study,
                    assigned,
                    slot: 0,
                    seat: study.plan.participant_seat(),
                    stand_ins: true,
                }
                .rehearse_trial(&study.plan.roles)
                .unwrap()
            };
            assert_eq!(moments(&one), moments(&other));
        }
    }
}

#[test]
fn debug_sessions_never_count_and_take_no_slot() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("p");
    direct(&root);
    rewrite(&root, |text| text.replace("stage: Pilot", "stage: Debug"));
    let tried = load(&root);
    complete(&tried, "researcher", SimulatedJudgeBehaviour::PERFECT);
    assert_eq!(verify_lock(&tried).unwrap(), None);
    rewrite(&root, |text| text.replace("stage: Debug", "stage: Pilot"));
    let study = load(&root);
    complete(&study, "anna", SimulatedJudgeBehaviour::NOISY);
    let found = study_report(&study, LiveOrSimulated::Live).unwrap();
    assert_eq!((found.flow.sessions, found.flow.counted), (2, 1));
    assert_eq!(found.flow.excluded["debug_run"], 1);
    assert!(found.conditions.iter().all(|condition| condition.n == 4));
    assert_eq!(write_payments(&study).unwrap().0.len(), 1);
    let claims = study.folder.all_schedule_row_reservations().unwrap();
    let claims = claims.iter().map(|it| (it.slot, it.session.as_str()));
    assert_eq!(claims.collect::<Vec<_>>(), [(0, "s0000"), (0, "s0001")]);
}

#[test]
fn logs_are_deleted_after_their_day() {
    let folder = tempfile::tempdir().unwrap();
    let study = |name: &str, day: &str| {
        let text = DIRECT.replace("bonus:", &format!("delete_raw_after: \"{day}\", bonus:"));
        example(&folder.path().join(name), |_| text.clone())
    };
    let early = study("early", "2999-12-31");
    complete(&early, "anna", SimulatedJudgeBehaviour::NOISY);
    assert!(!early.is_deletion_due());
    let error = early
        .delete_participant_data_after_study_deletion_day()
        .unwrap_err()
        .to_string();
    assert!(error.contains("2999-12-31"), "{error}");
    assert_eq!(
        early
            .folder
            .session_log_files(LiveOrSimulated::Live)
            .unwrap()
            .len(),
        1
    );
    let late = study("late", "2020-01-31");
    complete(&late, "anna", SimulatedJudgeBehaviour::NOISY);
    export(
        &late,
        LiveOrSimulated::Live,
        &StudyExportDestination::new(&folder.path().join("out")),
        true,
    )
    .unwrap();
    assert!(late.is_deletion_due());
    assert_eq!(
        late.delete_participant_data_after_study_deletion_day()
            .unwrap(),
        1
    );
    assert!(
        late.folder
            .session_log_files(LiveOrSimulated::Live)
            .unwrap()
            .is_empty()
    );
    assert_eq!(late.folder.session_of_participant("anna").unwrap(), None);
    // The slot stays taken, because a finished study accepts no participants.
    assert_eq!(
        late.folder.all_schedule_row_reservations().unwrap().len(),
        1
    );
    assert_eq!(
        late.delete_participant_data_after_study_deletion_day()
            .unwrap(),
        0
    );
    let none = direct(&folder.path().join("none"));
    assert!(
        none.delete_participant_data_after_study_deletion_day()
            .unwrap_err()
            .to_string()
            .contains("names no deletion day")
    );
}

#[test]
fn the_time_of_a_page_sums_over_runs_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    let mut judge = SimulatedJudge::new(SimulatedJudgeBehaviour::NOISY, "anna").unwrap();
    let open = |study: &Study| {
        let (session, clock) =
            start_or_resume(study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap();
        // The session is dropped here, as by a kill.
        (
            session.session_name().to_owned(),
            clock.current_times().mono_ms,
        )
    };
    let (mut session, mut clock) =
        start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap();
    // Continue to the page of the first trial.
    while session.participant().slot().is_none() {
        let input = judge.answer_for_page(&session.current_page(), session.participant());
        session
            .take_input(&input, &clock.record_key_press_times())
            .unwrap()
            .unwrap();
    }
    let before = clock.current_times().mono_ms;
    let name = session.session_name().to_owned();
    drop(session);
    // The page is shown for 40 seconds, then the server is killed; then for 20 seconds, then it is killed again. It is
    // down for an hour each time.
    let mut expected = before;
    for seconds in [40, 20] {
        expected += seconds * 1000;
        study.folder.store_session_clock(&name, expected).unwrap();
        study
            .folder
            .time
            .advance_both_clocks(Duration::from_secs(3600));
        assert_eq!(open(&study), (name.clone(), expected));
    }
    // A stored time that is no longer updated is not added twice.
    let (mut session, mut clock) =
        start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap();
    assert_eq!(clock.current_times().mono_ms, expected);
    study
        .folder
        .time
        .advance_both_clocks(Duration::from_secs(5));
    let counted = clock.add_browser_active_time(Some(Duration::from_secs(50)));
    let input = judge.answer_for_page(&session.current_page(), session.participant());
    session.take_input(&input, &counted).unwrap().unwrap();
    drop(session);
    let (mut session, mut clock) =
        start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap();
    while !session.current_page().is_session_over() {
        let input = judge.answer_for_page(&session.current_page(), session.participant());
        session
            .take_input(&input, &clock.record_key_press_times())
            .unwrap()
            .unwrap();
    }
    let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Live).unwrap();
    let first = &rows.trials[0];
    assert_eq!((first.elapsed_s, first.active_s), (65.0, Some(50.0)));
    assert!(rows.trials[1..].iter().all(|trial| trial.elapsed_s < 1.0));
    // No shown time remains after the participant is deleted.
    study
        .folder
        .delete_participant(&name, "2026-01-02T00:00:00Z")
        .unwrap();
    assert_eq!(study.folder.stored_session_clock_ms(&name), None);
}

/// If the row of an ended session cannot be given back, the answer is stored and the session is over. A later request
/// gives the row back.
#[test]
fn an_answer_counts_even_if_the_work_after_it_fails() {
    let folder = tempfile::tempdir().unwrap();
    for answers in [1, 3] {
        let study = direct(&folder.path().join(answers.to_string()));
        through(&study, "anna", SimulatedJudgeBehaviour::NOISY, answers);
        let (mut session, mut clock) =
            start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap();
        let slots = study
            .folder
            .data_folder(LiveOrSimulated::Live)
            .join("slots");
        let aside = study
            .folder
            .data_folder(LiveOrSimulated::Live)
            .join("aside");
        assert!(slots.is_dir());
        let before = session.accepted_answer_count_and_last().0;
        let now = clock.record_key_press_times();
        session
            .take_input(&ParticipantInput::Leave, &now)
            .unwrap()
            .unwrap();
        // A file in place of the folder makes all work on rows fail.
        fs::rename(&slots, &aside).unwrap();
        fs::write(&slots, "").unwrap();
        assert!(study.folder.release_schedule_row("s0000").is_err());
        let taken = session
            .take_input(&ParticipantInput::Choice(2), &now)
            .unwrap();
        assert_eq!(taken, Ok(()), "the answer is stored");
        assert_eq!(
            session.participant().status(),
            StudySessionStatus::Withdrawn
        );
        assert_eq!(session.accepted_answer_count_and_last().0, before + 2);
        let log = study.folder.log_file(LiveOrSimulated::Live, "s0000");
        let stored = fs::read(&log).unwrap();
        // The session takes no further answer.
        assert!(
            session
                .take_input(&ParticipantInput::Choice(2), &now)
                .unwrap()
                .is_err()
        );
        assert_eq!(fs::read(&log).unwrap(), stored);
        assert_eq!(
            read_session_status_and_records(&log).unwrap().0,
            StudySessionStatus::Withdrawn
        );
        drop(session);
        fs::remove_file(&slots).unwrap();
        fs::rename(&aside, &slots).unwrap();
        end_expired_sessions(&study).unwrap();
        assert_eq!(agreed(&study, "bert"), (0, Some("s0000".to_owned())));
    }
}

/// The export for one person replaces only an earlier export for this person.
#[test]
fn an_export_for_one_person_replaces_no_other_export() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    for id in ["anna", "bert"] {
        complete(&study, id, SimulatedJudgeBehaviour::NOISY);
    }
    study
        .folder
        .invite(["zoe".to_owned(), "yves".to_owned()])
        .unwrap();
    // A name, or `None` for the tables of all participants, anonymous or not.
    let exports = [Ok("anna"), Ok("bert"), Ok("zoe"), Err(false), Err(true)];
    let write = |which: Result<&str, bool>, target: &StudyExportDestination| match which {
        Ok(name) => export_participant(&study, name, target).map(drop),
        Err(anonymise) => export(&study, LiveOrSimulated::Live, target, anonymise).map(drop),
    };
    let contents = |folder: &Path| {
        let mut files = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push((path.clone(), fs::read(path).unwrap()));
                }
            }
        }
        files.sort();
        files
    };
    for (number, first) in exports.into_iter().enumerate() {
        let target = StudyExportDestination {
            folder: folder.path().join(format!("out-{number}")),
            replace: true,
        };
        write(first, &target).unwrap();
        let before = contents(&target.folder);
        for second in exports {
            if first == second {
                continue;
            }
            let error = write(second, &target).unwrap_err().to_string();
            assert!(error.contains("--out"), "{first:?} {second:?}: {error}");
            assert_eq!(contents(&target.folder), before, "{first:?} {second:?}");
        }
        write(first, &target).unwrap();
        let kept = StudyExportDestination {
            replace: false,
            ..target
        };
        assert!(write(first, &kept).is_err(), "{first:?}");
    }
}

/// The active time of a probability begins when the question is shown, not when its digits are typed.
#[test]
fn the_active_time_of_a_probability_contains_its_typing_and_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    for (format, typed, lines) in [
        (crate::folder::lock::STUDY_FORMAT, "70", 1),
        (crate::folder::lock::STUDY_FORMAT, "0.7", 2),
        (3, "70", 2),
        (3, "0.7", 3),
    ] {
        for detour in [false, true] {
            let root = folder.path().join(format!("{format}-{typed}-{detour}"));
            let mut study = example(&root, |_| {
                DIRECT.replace(
                    "ask: [Final], confirm: false",
                    "ask: [Before, Final], confirm: true",
                )
            });
            study.study_format = format;
            study.plan.has_words_of_format_3 = format < 4;
            let (mut session, mut clock) =
                start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap();
            let mut inputs = vec![ParticipantInput::Choice(0)];
            // The answers about two probabilities. Each question is answered in several lines.
            for _ in 0..2 {
                if detour {
                    inputs.extend([ParticipantInput::Leave, ParticipantInput::Choice(0)]);
                }
                inputs.push(ParticipantInput::Text(typed.to_owned()));
                inputs.extend(vec![ParticipantInput::Choice(0); lines - 1]);
            }
            for input in &inputs {
                study
                    .folder
                    .time
                    .advance_both_clocks(Duration::from_secs(7));
                let now = clock.record_key_press_times();
                session.take_input(input, &now).unwrap().unwrap();
            }
            drop(session);
            let rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Live).unwrap();
            let active: Vec<Option<f64>> = rows.rounds.iter().map(|row| row.active_s).collect();
            let steps = u32::try_from(lines + if detour { 2 } else { 0 }).unwrap();
            let expected = Some(7.0 * f64::from(steps));
            assert_eq!(active, [expected; 2], "{format} {typed} {detour}");
        }
    }
}

/// The dashboard shows the state in which a participant is, also after they left the page and came back.
#[test]
fn the_progress_of_a_resumed_session_is_that_of_its_page() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    let stay = [ParticipantInput::Leave, ParticipantInput::Choice(0)];
    let pause = [ParticipantInput::Leave, ParticipantInput::Choice(1)];
    let consent = || vec![ParticipantInput::Choice(0)];
    // The inputs, true if the session is opened again afterwards, and the state that is shown.
    let cases = [
        (consent(), false, "consent"),
        (consent(), true, "consent"),
        ([consent(), stay[..1].to_vec()].concat(), false, "consent"),
        ([consent(), stay.to_vec()].concat(), false, "consent"),
        ([consent(), pause.to_vec()].concat(), false, "pause"),
        ([consent(), pause.to_vec()].concat(), true, "consent"),
        (
            [
                consent(),
                pause.to_vec(),
                vec![ParticipantInput::Text("70".to_owned())],
            ]
            .concat(),
            false,
            "final",
        ),
    ];
    for (number, (inputs, resumes, _)) in cases.iter().enumerate() {
        let id = format!("p{number}");
        let open = || start_or_resume(&study, Some(&id), CodeOrAddressByOutcome::default());
        let (mut session, mut clock) = open().unwrap();
        for input in inputs {
            let now = clock.record_key_press_times();
            session.take_input(input, &now).unwrap().unwrap();
        }
        drop(session);
        if *resumes {
            open().unwrap();
        }
    }
    let progress = StudyProgress::read_session_progress(&study).unwrap();
    for (own, (inputs, resumes, state)) in progress.sessions.iter().zip(&cases) {
        assert_eq!(own.page, *state, "{inputs:?} {resumes}");
        assert_eq!(own.resumes, usize::from(*resumes));
        assert_eq!(own.status, StudySessionStatus::Started);
    }
}
