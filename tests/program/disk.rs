//! A full disk, pipes instead of saves, and other programs that write to saves.

#![cfg(unix)]

use std::fs;
use std::io::{BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use debate_host::record::list_save_files;

use crate::support::program::{Said, cramped, path, program, say};

/// The saves in a folder.
fn saves(folder: &Path) -> Vec<PathBuf> {
    list_save_files(folder).expect("a folder")
}

/// Reads the output up to and including the next prompt.
fn until_asked(out: &mut impl Read) -> String {
    let mut said = Vec::new();
    let mut byte = [0_u8; 1];
    while out.read(&mut byte).is_ok_and(|count| count == 1) {
        said.push(byte[0]);
        if said.ends_with(b"\n> ") {
            break;
        }
    }
    String::from_utf8(said).expect("UTF-8")
}

/// Types a line and waits for the next prompt.
fn ask(child: &mut Child, out: &mut impl Read, line: &str) -> String {
    let input = child.stdin.as_mut().expect("a pipe");
    input.write_all(line.as_bytes()).expect("read");
    until_asked(out)
}

const DEBATE: [&str; 6] = ["primes-small", "--plain", "--seed", "7", "--role", "prover"];

#[test]
fn a_pipe_in_place_of_a_save_does_not_block() {
    let dir = tempfile::tempdir().expect("a folder");
    let pipe = dir.path().join("pipe.ron");
    let made = Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: there is no mkfifo on the PATH.");
        return;
    }
    let pipe = path(&pipe);
    for arguments in [
        &["verify", pipe][..],
        &["replay", "--plain", pipe],
        &["replay", "--plain", "--json", pipe],
        &["export", pipe, "--to", "md"],
        &["resume", "--plain", pipe],
    ] {
        let said = say(dir.path(), arguments, "");
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{said:?}");
        let told = said.err.contains(pipe) && said.err.contains("not a regular file");
        assert!(told && said.err.lines().count() == 1, "{said:?}");
    }
}

/// A study whose folders contain a pipe instead of a file: each command names it, or does not need it.
#[test]
fn a_pipe_in_a_study_folder_does_not_block() {
    let dir = tempfile::tempdir().expect("a folder");
    let pilot = dir.path().join("pilot");
    let folder = path(&pilot);
    let made = say(dir.path(), &["study", "new", folder], "");
    assert_eq!(made.code, Some(0), "{made:?}");
    // A session that begins makes the folders of the data.
    say(dir.path(), &["study", "run", folder, "--plain"], "");
    let pipe = |name: &str| {
        let made = Command::new("mkfifo").arg(pilot.join(name)).status();
        made.is_ok_and(|status| status.success())
    };
    if !pipe("data/raw/s0007.jsonl") {
        println!("skipped: there is no mkfifo on the PATH.");
        return;
    }
    for command in [
        &["study", "status", folder][..],
        &["study", "report", folder],
        &["study", "export", folder],
        &["study", "pay", folder],
        &["study", "run", folder, "--plain"],
        &["verify", folder],
    ] {
        let said = say(dir.path(), command, "");
        let text = format!("{}{}", said.out, said.err);
        assert!(said.code.is_some(), "{command:?}: {said:?}");
        // Long lines are wrapped.
        let text = text.replace('\n', " ");
        let is_named = text.contains("s0007.jsonl") && text.contains("not a regular file");
        assert!(
            is_named || command[1] == "run" || command[1] == "pay",
            "{command:?}: {said:?}"
        );
    }
    fs::remove_file(pilot.join("data/raw/s0007.jsonl")).expect("a pipe");
    // Pipes instead of other files that commands find in the folder.
    for name in [
        "data/ledger.log",
        "items/pump.ron",
        "consent.md",
        "lock.json",
    ] {
        let file = pilot.join(name);
        let kept = pilot.join("kept");
        let was_there = fs::rename(&file, &kept).is_ok();
        assert!(pipe(name), "{name}");
        for command in ["status", "check", "report"] {
            let said = say(dir.path(), &["study", command, folder], "");
            let is_named = said.err.contains("not a regular file");
            assert!(is_named || command == "check", "{name} {command}: {said:?}");
        }
        fs::remove_file(&file).expect("a pipe");
        if was_there {
            fs::rename(&kept, &file).expect("a file");
        }
    }
}

/// A server of a study keeps running if a log reaches the limit of a file, and refuses the request.
#[cfg(feature = "web")]
#[test]
fn a_file_limit_does_not_end_a_server() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("pilot");
    say(dir.path(), &["study", "new", path(&folder)], "");
    let link = say(
        dir.path(),
        &["study", "invite", path(&folder), "-n", "1"],
        "",
    )
    .out;
    let (_, query) = link.trim().split_once('?').expect("a query");
    let serve = ["study", "serve", path(&folder), "--listen", "127.0.0.1:0"];
    let mut server = cramped(dir.path(), 1, &serve)
        .spawn()
        .expect("the program starts");
    let mut out = BufReader::new(server.stdout.take().expect("a pipe"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut out, &mut line).expect("a line");
    let (_, rest) = line.split_once("http://").expect("an address");
    let (address, _) = rest.split_once('/').expect("its end");
    let get = |query: &str| {
        let mut stream = std::net::TcpStream::connect(address).expect("a server");
        let head = format!("GET /{query} HTTP/1.1\r\nHost: {address}\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("a connection");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("a response");
        text
    };
    // 512 bytes are too few for the first lines of a log.
    for _ in 0..2 {
        let refused = get(&format!("?{query}"));
        assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    }
    assert!(server.try_wait().expect("a process").is_none());
    server.kill().expect("a process");
    server.wait().expect("an end");
}

#[test]
fn an_overwritten_save_is_not_reported_as_saved() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut child = program(dir.path())
        .args(DEBATE)
        .stdin(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    until_asked(&mut out);
    ask(&mut child, &mut out, "yes\n");
    let save = saves(dir.path()).pop().expect("a save");
    let text = fs::read_to_string(&save).expect("UTF-8");
    fs::write(&save, text.replacen("seed", "sead", 1)).expect("a file");
    drop(child.stdin.take());
    let said = Said::from(child.wait_with_output().expect("it ends"));
    assert_eq!(said.code, Some(3), "{said:?}");
    let sentence = format!(
        "debate-tui: {}: another program has changed the file",
        path(&save)
    );
    assert!(said.err.starts_with(&sentence), "{said:?}");
    assert!(!said.err.contains("is kept"), "{said:?}");
}

#[test]
fn a_full_disk_at_the_start_leaves_no_file_and_is_located() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = cramped(dir.path(), 0, &DEBATE).output().expect("it ends");
    let said = Said::from(out);
    assert_eq!((said.code, said.out.as_str()), (Some(3), ""), "{said:?}");
    let sentence = format!(
        "debate-tui: the folder {} cannot be written to: ",
        path(dir.path())
    );
    let told = said.err.starts_with(&sentence) && said.err.contains("--saves");
    assert!(told && said.err.lines().count() == 1, "{said:?}");
    assert_eq!(saves(dir.path()), Vec::<PathBuf>::new());
}

/// A number of blocks slightly above the size of the save at the first question.
fn enough(folder: &Path) -> u32 {
    say(folder, &DEBATE, "");
    let save = saves(folder).pop().expect("a save");
    let length = fs::metadata(&save).expect("a file").len();
    fs::remove_file(save).expect("a file");
    u32::try_from(length / 512 + 1).expect("a small save")
}

#[test]
fn a_write_to_a_full_disk_is_retried() {
    if !Command::new("prlimit")
        .arg("--version")
        .output()
        .is_ok_and(|out| out.status.success())
    {
        println!("skipped: there is no prlimit on the PATH.");
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let blocks = enough(dir.path());
    let mut child = cramped(dir.path(), blocks, &DEBATE)
        .spawn()
        .expect("the program starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    until_asked(&mut out);
    let save = saves(dir.path()).pop().expect("a save");
    let mut asked = String::new();
    let mut replies = Vec::new();
    while !asked.contains("Not saved: ") {
        assert!(replies.len() < 40, "{asked}");
        let reply = ["yes\n", "right\n", "1\n"]
            .into_iter()
            .find(|reply| {
                asked = ask(&mut child, &mut out, reply);
                !asked.contains("Not understood") && !asked.contains("Not accepted")
            })
            .expect("a reply");
        replies.push(reply);
    }
    let sentence = format!("Not saved: {}: cannot be written: ", path(&save));
    assert!(asked.contains(&sentence), "{asked}");
    assert!(
        asked.contains("Press Enter to try again, or type q to leave."),
        "{asked}"
    );
    // Input typed for another question is not a reply, and trying again may fail again.
    let asked = ask(&mut child, &mut out, "low\n");
    assert!(asked.starts_with("Press Enter to try again"), "{asked}");
    let asked = ask(&mut child, &mut out, "\n");
    assert!(asked.starts_with(&sentence), "{asked}");
    // The disk has space again, and the debate continues without a trace of the failure.
    let freed = Command::new("prlimit")
        .args(["--pid", &child.id().to_string(), "--fsize=unlimited"])
        .status();
    assert!(freed.expect("prlimit runs").success());
    let asked = ask(&mut child, &mut out, "\n");
    assert!(!asked.contains("Not saved"), "{asked}");
    drop(child.stdin.take());
    let said = Said::from(child.wait_with_output().expect("it ends"));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("The debate is saved."), "{said:?}");
    let verified = say(dir.path(), &["verify", path(&save)], "");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    // The save equals that of the same debate on a disk with space.
    let kept = fs::read_to_string(&save).expect("UTF-8");
    let moves = |text: &str| {
        let lines = text.lines().filter(|line| line.contains("reply: "));
        lines.filter(|line| line.contains("seat: Prover")).count()
    };
    assert_eq!(moves(&kept), replies.len());
}

#[test]
fn the_end_of_input_on_a_full_disk_ends_the_program() {
    let dir = tempfile::tempdir().expect("a folder");
    let blocks = enough(dir.path());
    let mut child = cramped(dir.path(), blocks, &DEBATE)
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let _ = input.write_all("yes\nright\n1\n".repeat(40).as_bytes());
    drop(input);
    let said = Said::from(child.wait_with_output().expect("it ends"));
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("cannot be written"), "{said:?}");
    let save = saves(dir.path()).pop().expect("a save");
    let verified = say(dir.path(), &["verify", path(&save)], "");
    assert_eq!(verified.code, Some(0), "{verified:?}");
}
