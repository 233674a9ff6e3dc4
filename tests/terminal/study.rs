//! Whole sessions of a study in a real terminal: ended by SIGKILL and resumed, without a byte that reveals the right
//! answers.

use std::fs;
use std::path::Path;

use debate_study::{
    LiveOrSimulated, Study, StudySessionStatus, create_example_study, read_log,
    read_session_status_and_records,
};
use rustix::process::Signal;

use crate::support::patience::wait_until;
use crate::support::program::{path, say};
use crate::support::pty::Pty;
use crate::support::studies::{STUDY, indistinguishable, screened_study, study};
use crate::terminal::debates::wait_to_read;

const PAGE_DOWN: &str = "\u{1b}[6~";

/// The contents of the screen.
pub fn shown(pty: &Pty) -> String {
    pty.screen(vt100::Screen::contents)
}

/// Waits for a page that can be answered. Returns its text.
pub fn asked(pty: &Pty) -> String {
    pty.wait_until("a question", |shown| {
        let is_asked = [
            "Press Enter to continue.",
            "Press Enter to close this page.",
            "Enter: ",
            " enter ",
        ];
        shown.contains("To answer") && is_asked.iter().any(|it| shown.contains(it))
    });
    pty.settle();
    shown(pty)
}

/// The number of the option that answers the question: the required one for the quiz and for attention checks, else the
/// first.
fn option(page: &str) -> String {
    let known = [
        ("somewhat more likely", "3"),
        ("Which of your answers", "2"),
        ("What do you know about Alice", "3"),
        ("“Bob: 80 % likely true”", "2"),
    ];
    if let Some((_, number)) = known.iter().find(|(words, _)| page.contains(words)) {
        return (*number).to_owned();
    }
    let wanted = page
        .split_once("Choose “")
        .and_then(|(_, rest)| rest.split_once('”'));
    let word = wanted.map_or("", |(word, _)| word);
    let mut lines = page.lines().filter(|_| !word.is_empty());
    let line =
        lines.find(|line| line.trim_matches(['│', ' ']).ends_with(word) && line.contains("  "));
    let number = line.and_then(|line| line.chars().find(char::is_ascii_digit));
    number.unwrap_or('1').to_string()
}

/// Reads the current page to its end and answers it; each key follows the effect of the previous one.
pub fn answer(pty: &mut Pty, page: &str) {
    let mut before = page.to_owned();
    while before.contains("page↓") {
        pty.type_in(PAGE_DOWN);
        pty.wait_until("more to read", |shown| shown != before);
        pty.settle();
        before = shown(pty);
    }
    if page.contains("100   ?") {
        pty.type_in("7");
        pty.wait_for("7_ %");
        pty.type_in("0");
        pty.wait_for("70_ %");
    } else if !page.contains("Enter") {
        let number = option(page);
        pty.type_in(&number);
        pty.wait_for(&format!("›{number}"));
    }
    pty.settle();
    let before = shown(pty);
    pty.type_in("\r");
    pty.wait_until("the next page", |shown| shown != before);
}

/// The question without the footer. The comparison uses pages before any scrolling.
fn to_answer(page: &str) -> &str {
    let (_, asked) = page.split_once("To answer").expect("a page");
    asked.rsplit_once('╯').expect("a frame").0
}

/// Returns true if a page is the last.
pub fn is_end(page: &str) -> bool {
    page.contains("Press Enter to close this page.")
}

fn begun(folder: &Path) -> Pty {
    let folder = folder.to_str().unwrap();
    Pty::program(&["study", "run", folder, "--participant", "anna"])
}

/// Takes a session through at most `pages` pages, and kills and starts the program at every page. Returns the number of
/// kills.
fn through(folder: &Path, pages: usize) -> usize {
    let mut pty = begun(folder);
    let mut killed = 0;
    for _ in 0..pages {
        let before = asked(&pty);
        pty.signal(Signal::KILL);
        pty.exit_code();
        killed += 1;
        pty = begun(folder);
        let page = asked(&pty);
        // A partly read text starts again from its beginning; the question is the same.
        assert_eq!(to_answer(&page), to_answer(&before), "{before}\n{page}");
        if is_end(&page) {
            pty.type_in("\r");
            assert_eq!(pty.exit_code(), 0);
            pty.assert_restored();
            return killed;
        }
        answer(&mut pty, &page);
    }
    killed
}

fn complete(folder: &Path) {
    let study = Study::load(folder).unwrap();
    let log = study.folder.log_file(LiveOrSimulated::Live, "s0000");
    assert_eq!(
        read_session_status_and_records(&log).unwrap().0,
        StudySessionStatus::Complete
    );
}

/// `cargo test --test suite killed_at_every_page -- --ignored`
#[test]
#[ignore = "exhaustive: 20 s; every day: a_session_is_killed_at_its_first_pages_and_resumed"]
fn the_example_is_killed_and_resumed_at_every_page() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("p");
    create_example_study(&folder).unwrap();
    let killed = through(&folder, 300);
    println!("killed {killed} times");
    assert!(killed > 40, "{killed}");
    complete(&folder);
}

#[test]
fn a_session_is_killed_at_its_first_pages_and_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("p");
    study(&folder, STUDY);
    assert_eq!(through(&folder, 6), 6);
}

#[test]
fn the_time_of_a_page_before_a_kill_of_the_terminal_program_counts() {
    for (display, sign) in [("--ascii", "Enter"), ("--plain", "Type your answer")] {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("p");
        study(&folder, STUDY);
        let name = folder.to_str().unwrap();
        let run = || {
            let pty = Pty::program(&["study", "run", name, "--participant", "anna", display]);
            pty.wait_for(sign);
            pty
        };
        let pty = run();
        let study = Study::load(&folder).unwrap();
        let shown = wait_until("the time of the page is kept", || {
            study
                .folder
                .stored_session_clock_ms("s0000")
                .filter(|shown| *shown > 0)
        });
        pty.signal(Signal::KILL);
        drop(pty);
        drop(run());
        let records = read_log(&study.folder.log_file(LiveOrSimulated::Live, "s0000"))
            .unwrap()
            .records;
        let resumed = records.iter().find(|record| record.kind == "resume");
        assert!(
            resumed.unwrap().t_mono_ms >= shown,
            "{display}: {records:?}"
        );
    }
}

/// `cargo test --test suite what_a_terminal_gets -- --ignored`
#[test]
#[ignore = "exhaustive: 10 s; every day: participants_lines_are_independent_of_truths_and_players"]
fn terminal_output_is_independent_of_truths_and_players() {
    let dir = tempfile::tempdir().unwrap();
    let mut debriefs = Vec::new();
    let written = indistinguishable(dir.path()).map(|folder| {
        let mut pty = begun(&folder);
        for _ in 0..100 {
            let page = asked(&pty);
            if page.contains("Looking back") && page.contains("Task M") {
                let until = pty.settle();
                let bytes = pty.bytes();
                answer(&mut pty, &page);
                debriefs.push(asked(&pty));
                return bytes[..until].to_vec();
            }
            answer(&mut pty, &page);
        }
        panic!("it has no end");
    });
    let [one, other] = written;
    assert!(one.len() > 20_000, "{}", one.len());
    let same = one
        .iter()
        .zip(&other)
        .take_while(|(one, other)| one == other);
    assert_eq!(same.count(), one.len().max(other.len()));
    let right = |text: &String| {
        text.lines()
            .filter(|it| it.contains("Right answer:"))
            .count()
    };
    assert!(right(&debriefs[0]) > 1, "{}", debriefs[0]);
    assert_ne!(debriefs[0], debriefs[1], "the debrief tells what was right");
    fs::remove_dir_all(dir.path()).unwrap();
}

#[test]
fn study_status_shows_the_progress_of_all_participants() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("p");
    study(&folder, STUDY);
    let status = Pty::program(&["study", "status", folder.to_str().unwrap()]);
    status.wait_for("0 of 40 sessions complete (none yet)");
    let mut pty = begun(&folder);
    for _ in 0..2 {
        let page = asked(&pty);
        answer(&mut pty, &page);
    }
    let page = asked(&pty);
    pty.signal(Signal::KILL);
    pty.exit_code();
    let again = asked(&begun(&folder));
    assert_eq!(to_answer(&again), to_answer(&page));
    status.wait_for("(1 started)");
    status.wait_for("s0000");
    // The first consent locked it.
    status.wait_for("stage Pilot, locked, ");
    let mut status = status;
    status.type_in("q");
    assert_eq!(status.exit_code(), 0);
    status.assert_restored();
}

#[test]
fn a_participant_with_a_damaged_log_sees_no_path() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("p");
    study(&folder, STUDY);
    let name = folder.to_str().unwrap();
    let join = || Pty::program(&["study", "join", name, "--token", "anna"]);
    let mut pty = join();
    asked(&pty);
    pty.signal(Signal::KILL);
    pty.exit_code();
    fs::write(folder.join("data/raw/s0000.jsonl"), "").unwrap();
    let mut pty = join();
    assert_eq!(pty.exit_code(), 2);
    let said = String::from_utf8_lossy(&pty.bytes()).into_owned();
    assert!(said.contains("tell the person who invited you"), "{said}");
    for secret in [name, "s0000", "jsonl"] {
        assert!(!said.contains(secret), "{secret}: {said}");
    }
}

/// Runs a participant's session in plain lines with these answers; the session stays open after the last one.
fn answers_in_lines(folder: &Path, participant: &str, answers: &str) {
    let arguments = [
        "study",
        "run",
        path(folder),
        "--plain",
        "--participant",
        participant,
    ];
    let said = say(folder, &arguments, answers);
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// Answers the screening survey at the keyboard: the age, and one of the two answers about news.
fn screen(folder: &Path, participant: &str, news: &str) -> Pty {
    let mut pty = Pty::program(&["study", "run", path(folder), "--participant", participant]);
    pty.wait_for("How old are you?");
    pty.type_in("30");
    pty.wait_for("30");
    pty.type_in("\r");
    pty.wait_for("How often do you read news?");
    pty.type_in(news);
    pty.wait_for(&format!("›{news}"));
    pty.type_in("\r");
    pty
}

#[test]
fn a_participant_waits_for_a_place_and_gets_it_when_another_one_declines() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("p");
    screened_study(&folder);
    // Two participants hold both places, and one of them is all that the quota allows.
    answers_in_lines(&folder, "first", "30\n1\n");
    answers_in_lines(&folder, "second", "30\n2\n");
    let mut beyond_quota = screen(&folder, "third", "1");
    wait_to_read(&beyond_quota, "Enough people with answers like yours");
    beyond_quota.type_in("\r");
    assert_eq!(beyond_quota.exit_code(), 0);
    beyond_quota.assert_restored();

    let position = "Your position on the waiting list: 1";
    let pty = screen(&folder, "fourth", "2");
    wait_to_read(&pty, position);
    // The position survives the end of the terminal.
    pty.signal(Signal::KILL);
    drop(pty);
    let mut pty = Pty::program(&["study", "run", path(&folder), "--participant", "fourth"]);
    wait_to_read(&pty, position);
    answers_in_lines(&folder, "second", "2\n");
    // Without a key, the page continues.
    wait_to_read(&pty, "Do you agree to take part?");
    let mut page = asked(&pty);
    while !is_end(&page) {
        answer(&mut pty, &page);
        page = asked(&pty);
    }
    pty.type_in("\r");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
    let status = say(&folder, &["study", "status", path(&folder), "--plain"], "");
    assert!(
        status.out.contains("1 of 2 sessions complete"),
        "{status:?}"
    );
}

#[test]
fn a_participant_leaves_the_waiting_list() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("p");
    screened_study(&folder);
    answers_in_lines(&folder, "first", "30\n1\n");
    answers_in_lines(&folder, "second", "30\n2\n");
    let mut pty = screen(&folder, "third", "2");
    wait_to_read(&pty, "Your position on the waiting list: 1");
    pty.type_in("q");
    pty.wait_for("Stop taking part");
    pty.type_in("3");
    pty.wait_for("›3");
    pty.type_in("\r");
    wait_to_read(
        &pty,
        "You have stopped taking part. Your answers will not be used.",
    );
    pty.type_in("\r");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}
