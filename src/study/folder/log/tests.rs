//! Logs that are interrupted, changed, or not written.

use std::fs;

use super::*;

fn record(kind: &str) -> StudySessionLogRecord {
    StudySessionLogRecord {
        v: 1,
        seq: 0,
        prev_hash: String::new(),
        session: "s0000".to_owned(),
        participant: "p0000".to_owned(),
        slot: Some(0),
        stage: "Pilot".to_owned(),
        t_wall: "2026-11-21T09:14:03Z".to_owned(),
        t_mono_ms: 0,
        t_active_ms: Some(0),
        block: None,
        trial: Some(1),
        round: None,
        condition: Some("direct".to_owned()),
        item: None,
        role: "judge".to_owned(),
        kind: kind.to_owned(),
        payload: serde_json::json!({"p": 0.7, "text": "a \"}\" b"}),
    }
}

fn ledger(folder: &Path) -> FileHashLedger {
    FileHashLedger::ledger_in_folder(folder)
}

fn three(folder: &Path) -> PathBuf {
    let path = folder.join("s0000.jsonl");
    let ledger = ledger(folder);
    ledger.create_for_files(&[]).unwrap();
    let mut log = SessionLogOpenForAppending::create(&path, Some(ledger)).unwrap();
    for kind in ["start", "prior", "final"] {
        log.append(record(kind)).unwrap();
    }
    path
}

#[test]
fn every_flipped_byte_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = three(folder.path());
    let sound = fs::read(&path).unwrap();
    assert_eq!(read_log(&path).unwrap().records.len(), 3);
    for index in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[index] ^= [0x01_u8, 0x20, 0x80][index % 3];
        assert!(read_bytes(&path, &bytes).is_err(), "byte {index}");
    }
}

#[test]
fn a_truncated_log_continues_after_its_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = three(folder.path());
    let sound = fs::read(&path).unwrap();
    let ends: Vec<usize> = sound
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at)
        .collect();
    for length in 0..sound.len() {
        let read = read_bytes(&path, &sound[..length]).unwrap();
        let whole = ends.iter().filter(|end| **end < length).count();
        assert_eq!(read.records.len(), whole);
        if length % 97 == 0 {
            fs::write(&path, &sound[..length]).unwrap();
            fs::remove_file(ledger(folder.path()).hash_ledger_path()).unwrap();
            ledger(folder.path()).create_for_files(&[]).unwrap();
            let (mut log, _) =
                SessionLogOpenForAppending::open(&path, ledger(folder.path())).unwrap();
            log.append(record("more")).unwrap();
            drop(log);
            assert_eq!(read_log(&path).unwrap().records.len(), whole + 1);
        }
    }
}

#[test]
fn a_failed_write_is_reported_and_the_log_stays_sound() {
    let folder = tempfile::tempdir().unwrap();
    let path = three(folder.path());
    let (mut log, _) = SessionLogOpenForAppending::open(&path, ledger(folder.path())).unwrap();
    let sound = fs::read(&path).unwrap();
    // A file opened for reading only: writes to it fail.
    let other = folder.path().join("other");
    fs::write(&other, "").unwrap();
    let unwritable = LockedAppendFile::lock_for_appending(File::open(&other).unwrap()).unwrap();
    let good = std::mem::replace(&mut log.file, unwritable);
    let error = log.append(record("more")).unwrap_err();
    assert!(error.is_transient(), "{error}");
    assert_eq!(fs::read(&path).unwrap(), sound);
    log.file = good;
    log.append(record("more")).unwrap();
    assert_eq!(read_log(&path).unwrap().records.len(), 4);
}

#[test]
fn a_log_is_open_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = three(folder.path());
    let (_log, _) = SessionLogOpenForAppending::open(&path, ledger(folder.path())).unwrap();
    assert!(matches!(
        SessionLogOpenForAppending::open(&path, ledger(folder.path())),
        Err(StudyError::Open)
    ));
}

#[test]
fn a_log_above_the_limit_is_refused_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = three(folder.path());
    let sound = fs::read(&path).unwrap();
    let length = sound.len() as u64;
    for limit in [0, 1, length - 1, length, length + 1, MAX_LOG] {
        let file = File::open(&path).unwrap();
        let read = read_up_to(&path, &file, limit);
        if limit < length {
            let error = read.unwrap_err().to_string();
            assert!(error.contains("the log is too large"), "{limit}: {error}");
        } else {
            assert_eq!(read.unwrap().records.len(), 3, "{limit}");
        }
        assert_eq!(fs::read(&path).unwrap(), sound);
    }
}
