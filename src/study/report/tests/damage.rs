//! Damaged logs are excluded and named. All other participants continue.

use super::sessions::{agreed, complete, rewritten, through};
use super::*;

/// Creates a study with three complete sessions.
fn three(folder: &Path) -> Study {
    let study = direct(&folder.join("p"));
    for id in ["anna", "bert", "cara"] {
        complete(&study, id, SimulatedJudgeBehaviour::NOISY);
    }
    study
}

fn log_of(study: &Study, number: usize) -> std::path::PathBuf {
    study
        .folder
        .log_file(LiveOrSimulated::Live, &format!("s{number:04}"))
}

/// Removes the last lines of a log.
fn cut(path: &Path, lines: usize) {
    let text = fs::read_to_string(path).unwrap();
    let kept = text.lines().count() - lines;
    let text: String = text.split_inclusive('\n').take(kept).collect();
    fs::write(path, text).unwrap();
}

fn flip(path: &Path, index: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[index] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_session_that_begins_while_logs_are_read_is_not_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let study = three(folder.path());
    let audit = study
        .folder
        .session_logs_with_ledger(LiveOrSimulated::Live)
        .unwrap();
    let late = log_of(&study, 3);
    complete(&study, "dora", SimulatedJudgeBehaviour::NOISY);
    assert!(read_log(&late).unwrap().records.len() > 1);
    assert!(audit.read_verified_log(&late).is_ok());
    // A log that the newer ledger does not mention either is still damaged.
    let ledger = study.folder.live_data_ledger();
    let lines = fs::read_to_string(ledger.hash_ledger_path()).unwrap();
    let others = lines.split_inclusive('\n');
    let others: String = others.filter(|line| !line.contains("s0003")).collect();
    assert!(others.len() < lines.len());
    fs::write(ledger.hash_ledger_path(), others).unwrap();
    assert!(audit.read_verified_log(&late).is_err());
}

#[test]
fn a_damaged_log_is_excluded_and_named_and_other_sessions_continue() {
    type Harm = fn(&Study);
    let harms: [(&str, &str, Harm); 7] = [
        ("flipped", "s0001.jsonl", |study| {
            flip(&log_of(study, 1), 700);
        }),
        ("cut", "s0001.jsonl", |study| cut(&log_of(study, 1), 2)),
        ("emptied", "s0001.jsonl", |study| {
            fs::write(log_of(study, 1), "").unwrap();
        }),
        ("gone", "s0001.jsonl", |study| {
            fs::remove_file(log_of(study, 1)).unwrap();
        }),
        ("exchanged", "s0001.jsonl", |study| {
            fs::copy(log_of(study, 0), log_of(study, 1)).unwrap();
        }),
        ("copied", "s0009.jsonl", |study| {
            fs::copy(log_of(study, 1), log_of(study, 9)).unwrap();
        }),
        ("renamed copy", "mine.jsonl", |study| {
            let copy = study
                .folder
                .data_folder(LiveOrSimulated::Live)
                .join("raw/mine.jsonl");
            fs::copy(log_of(study, 1), copy).unwrap();
        }),
    ];
    let folder = tempfile::tempdir().unwrap();
    let sound = three(folder.path());
    for (name, log, harm) in harms {
        let root = folder.path().join(name);
        copy_folder(sound.folder.root(), &root);
        let study = load(&root);
        assert_eq!(
            study.folder.live_data_damage().unwrap(),
            StudyDataDamage::default()
        );
        assert!(
            verify_logs_of_participants(&study.folder)
                .unwrap()
                .iter()
                .all(|log| log.ok)
        );
        harm(&study);
        let damage = study.folder.live_data_damage().unwrap();
        let named: Vec<&str> = damage.logs.iter().map(|it| it.log.as_str()).collect();
        assert_eq!(named, [log], "{name}");
        let whole = if name.contains("cop") { 3 } else { 2 };
        let found = study_report(&study, LiveOrSimulated::Live).unwrap();
        assert_eq!(
            (found.flow.sessions, found.flow.damaged),
            (whole, 1),
            "{name}"
        );
        assert!(report_text(&found).contains(log), "{name}");
        assert_eq!(write_payments(&study).unwrap().0.len(), whole, "{name}");
        let verified = verify_logs_of_participants(&study.folder).unwrap();
        let bad: Vec<&str> = verified
            .iter()
            .filter(|it| !it.ok)
            .map(|it| it.log.rsplit('/').next().unwrap())
            .collect();
        assert_eq!(bad, [log], "{name}");
        // A new participant can start, and a participant who is complete can return.
        assert_eq!(end_expired_sessions(&study).unwrap(), 0, "{name}");
        agreed(&study, "dora");
        assert_eq!(
            through(&study, "anna", SimulatedJudgeBehaviour::NOISY, 1).0,
            StudySessionStatus::Complete
        );
        let out = StudyExportDestination::new(&root.join("out"));
        assert_eq!(
            export(&study, LiveOrSimulated::Live, &out, true)
                .unwrap()
                .sessions,
            whole + 1
        );
        // The experimenter can delete a session, and its slot becomes free.
        if whole == 2 {
            study
                .folder
                .delete_participant("s0001", "2026-11-21T09:14:03Z")
                .unwrap();
            assert_eq!(
                study.folder.live_data_damage().unwrap(),
                StudyDataDamage::default(),
                "{name}"
            );
            assert_eq!(agreed(&study, "emma").1.as_deref(), Some("s0001"), "{name}");
        }
    }
}

#[test]
fn a_participant_with_a_damaged_log_sees_no_details() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    through(&study, "anna", SimulatedJudgeBehaviour::NOISY, 2);
    let log = log_of(&study, 0);
    let sound = fs::read(&log).unwrap();
    cut(&log, 1);
    let before = fs::read(&log).unwrap();
    let error = start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default())
        .err()
        .unwrap();
    assert!(matches!(error, StudyError::Damaged { .. }), "{error}");
    let told = error.message_for_participant();
    assert!(told.contains("tell the person who invited you"), "{told}");
    for secret in ["s0000", "jsonl", "/", "line"] {
        assert!(!told.contains(secret), "{told}");
    }
    // The damaged log is not written to. After the intact log is restored, the session continues.
    assert_eq!(fs::read(&log).unwrap(), before);
    fs::write(&log, sound).unwrap();
    assert!(start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).is_ok());
}

/// Kills the program at each point of the last write: the log stays valid, the session continues, and the ledger is
/// completed.
#[test]
fn no_instant_of_a_kill_makes_a_log_look_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    through(&study, "anna", SimulatedJudgeBehaviour::NOISY, 2);
    let (log, ledger) = (log_of(&study, 0), study.folder.live_data_ledger());
    let lines = |path: &Path| -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        text.split_inclusive('\n').map(str::to_owned).collect()
    };
    let (entries, noted) = (lines(&log), lines(ledger.hash_ledger_path()));
    assert_eq!(entries.len(), noted.len());
    for whole in 0..entries.len() {
        let next = &entries[whole];
        // The log's line is cut off or complete; in the latter case the ledger's line is missing, cut off or complete.
        let states = [
            (next.len() / 2, 0),
            (next.len() - 1, 0),
            (next.len(), 0),
            (next.len(), noted[whole].len() / 2),
            (next.len(), noted[whole].len() - 1),
            (next.len(), noted[whole].len()),
        ];
        for (of_log, of_ledger) in states {
            fs::write(&log, entries[..whole].concat() + next.split_at(of_log).0).unwrap();
            let line = noted[whole].split_at(of_ledger).0;
            fs::write(ledger.hash_ledger_path(), noted[..whole].concat() + line).unwrap();
            let case = format!("line {whole}: {of_log} and {of_ledger} bytes");
            let damage = study.folder.live_data_damage().unwrap();
            assert!(
                damage.logs.is_empty() && !damage.is_ledger_gone,
                "{case}: {damage:?}"
            );
            drop(start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).unwrap());
            assert_eq!(study.folder.live_data_damage().unwrap().logs, [], "{case}");
            let now = read_log(&log).unwrap().records.len() as u64;
            let state = ledger
                .read_hash_ledger_with_times_until("")
                .unwrap()
                .unwrap();
            assert_eq!(state.files["raw/s0000.jsonl"].newest.entries, now, "{case}");
        }
    }
}

#[test]
fn a_missing_ledger_is_reported_except_for_older_logs() {
    let folder = tempfile::tempdir().unwrap();
    let study = three(folder.path());
    let ledger = study.folder.live_data_ledger();
    fs::remove_file(ledger.hash_ledger_path()).unwrap();
    let damage = study.folder.live_data_damage().unwrap();
    assert!(damage.is_ledger_gone && damage.logs.is_empty());
    assert!(
        verify_logs_of_participants(&study.folder)
            .unwrap()
            .iter()
            .any(|log| !log.ok)
    );
    assert_eq!(
        study_report(&study, LiveOrSimulated::Live)
            .unwrap()
            .flow
            .counted,
        3
    );
    // The next participant recreates the ledger from all existing logs.
    agreed(&study, "dora");
    assert_eq!(
        study.folder.live_data_damage().unwrap(),
        StudyDataDamage::default()
    );
    cut(&log_of(&study, 2), 1);
    assert_eq!(
        study.folder.live_data_damage().unwrap().logs[0].log,
        "s0002.jsonl"
    );
    // An older version writes logs that the ledger does not cover.
    let old = folder.path().join("old");
    let study = direct(&old);
    agreed(&study, "anna");
    complete(&study, "bert", SimulatedJudgeBehaviour::NOISY);
    let log = log_of(&study, 1);
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains("\"ledger\":true"));
    let records = read_log(&log).unwrap().records;
    fs::remove_file(&log).unwrap();
    let mut made = SessionLogOpenForAppending::create(&log, None).unwrap();
    for mut record in records {
        if let Some(payload) = record.payload.as_object_mut() {
            payload.remove("ledger");
        }
        made.append(record).unwrap();
    }
    drop(made);
    let ledger = study.folder.live_data_ledger();
    let lines = fs::read_to_string(ledger.hash_ledger_path()).unwrap();
    let own = lines.lines().filter(|line| line.contains("s0000"));
    fs::write(
        ledger.hash_ledger_path(),
        own.collect::<Vec<_>>().join("\n") + "\n",
    )
    .unwrap();
    assert_eq!(
        study.folder.live_data_damage().unwrap(),
        StudyDataDamage::default()
    );
    assert_eq!(
        study_report(&study, LiveOrSimulated::Live)
            .unwrap()
            .flow
            .counted,
        1
    );
}

#[test]
fn an_answer_under_a_slow_clock_does_not_expire_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let study = direct(&folder.path().join("p"));
    let days = |count: u64| {
        let past = std::time::Duration::from_secs(count * 86_400);
        debate_host::record::format_utc(study.folder.time.wall_clock_now() - past)
    };
    through(&study, "anna", SimulatedJudgeBehaviour::NOISY, 2);
    let log = log_of(&study, 0);
    let last = read_log(&log).unwrap().records.len() - 1;
    // The clock was slow only for the last answer.
    rewritten(&study, &log, |number, record| {
        if number == last {
            days(3)
        } else {
            record.t_wall.clone()
        }
    });
    assert_eq!(end_expired_sessions(&study).unwrap(), 0);
    assert!(start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default()).is_ok());
    assert_eq!(
        read_session_status_and_records(&log).unwrap().0,
        StudySessionStatus::Started
    );
    // The clock was slow for a whole session, and other participants had answered before.
    through(&study, "bert", SimulatedJudgeBehaviour::NOISY, 2);
    let log = log_of(&study, 1);
    rewritten(&study, &log, |_, _| days(3));
    // The ledger is recreated in the order of the sessions.
    study
        .folder
        .create_hash_ledger_of_logs_if_missing()
        .unwrap();
    assert_eq!(end_expired_sessions(&study).unwrap(), 0);
    assert!(start_or_resume(&study, Some("bert"), CodeOrAddressByOutcome::default()).is_ok());
    // A participant who was really absent that long cannot resume.
    for number in [0, 1] {
        rewritten(&study, &log_of(&study, number), |_, _| days(3));
    }
    let late = start_or_resume(&study, Some("anna"), CodeOrAddressByOutcome::default());
    assert!(matches!(late.err(), Some(StudyError::Expired(24))));
    assert_eq!(end_expired_sessions(&study).unwrap(), 1);
}
