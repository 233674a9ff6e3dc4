//! Saves and study logs whose line ends git or an editor has converted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::program::{path, say};

fn convert(file: &Path) {
    let text = fs::read_to_string(file).expect("UTF-8");
    fs::write(file, text.replace('\n', "\r\n")).expect("a file");
}

fn in_repository(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn a_save_with_converted_line_ends_is_named_with_the_way_back() {
    let dir = tempfile::tempdir().expect("a folder");
    let original = in_repository("saves/primes-estimator.ron");
    let save = dir.path().join("save.ron");
    fs::copy(&original, &save).expect("a save");
    convert(&save);
    let file = path(&save);
    for command in [
        &["verify", file][..],
        &["replay", "--plain", file],
        &["export", file, "--to", "md"],
        &["resume", "--plain", file],
    ] {
        let said = say(dir.path(), command, "");
        let text = format!("{}{}", said.out, said.err);
        let is_clear = text.contains("line ends were changed from LF to CR LF");
        assert!(is_clear && text.contains("sed -i"), "{command:?}: {said:?}");
        assert!(
            said.code.is_some_and(|code| code != 0),
            "{command:?}: {said:?}"
        );
    }
    // The command in the sentence restores the save.
    let restored = Command::new("sed").args(["-i", r"s/\r$//", file]).status();
    if restored.is_ok_and(|status| status.success()) {
        assert_eq!(fs::read(&save).unwrap(), fs::read(&original).unwrap());
    }
}

#[test]
fn a_study_log_with_converted_line_ends_is_named_with_the_way_back() {
    let dir = tempfile::tempdir().expect("a folder");
    let pilot = dir.path().join("pilot");
    let folder = path(&pilot);
    say(dir.path(), &["study", "new", folder], "");
    say(dir.path(), &["study", "run", folder, "--plain"], "");
    let log = pilot.join("data/raw/s0000.jsonl");
    convert(&log);
    for command in [
        &["study", "status", folder][..],
        &["verify", folder],
        &["verify", path(&log)],
    ] {
        let said = say(dir.path(), command, "");
        let text = format!("{}{}", said.out, said.err);
        let is_clear = text.contains("line ends were changed from LF to CR LF");
        assert!(
            is_clear && text.contains("s0000.jsonl"),
            "{command:?}: {said:?}"
        );
    }
}

/// A clone with `core.autocrlf` has the bytes of the repository.
#[test]
fn git_converts_no_file_of_the_project() {
    let dir = tempfile::tempdir().expect("a folder");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(dir.path()).args(arguments);
        command.output().is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "-q"]) {
        println!("skipped: there is no git on the PATH.");
        return;
    }
    let names = ["saves/primes-estimator.ron", "scenarios/primes.ron"];
    let file = |name: &str| dir.path().join(Path::new(name).file_name().unwrap());
    for name in names {
        fs::copy(in_repository(name), file(name)).expect("a file");
    }
    fs::copy(
        in_repository(".gitattributes"),
        dir.path().join(".gitattributes"),
    )
    .expect("a file");
    assert!(git(&["config", "core.autocrlf", "true"]));
    assert!(git(&["add", "."]));
    for name in names {
        fs::remove_file(file(name)).expect("a file");
    }
    assert!(git(&["checkout", "--", "."]));
    for name in names {
        assert_eq!(
            fs::read(file(name)).unwrap(),
            fs::read(in_repository(name)).unwrap()
        );
    }
}
