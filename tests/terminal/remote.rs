//! A remote screen shows the same as a terminal, and the same keys lead to the same save.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::BEGIN;
use crate::support::pty::Pty;
use crate::support::remote::Remote;
use crate::support::studies::{STUDY, study};

/// The keys that answer the question on a screen of `primes`.
pub fn answer(shown: &str) -> &'static str {
    if shown.contains(BEGIN) {
        "\r"
    } else if shown.contains("100   ?") {
        "50\r"
    } else if shown.contains("(y or n)") {
        "y\r"
    } else if shown.contains("Choose first (by number") {
        "1\r"
    } else {
        "\r"
    }
}

pub const END: &str = "1,000 times";

/// True if a screen asks a question, or it is another player's turn.
pub fn is_asked(shown: &str) -> bool {
    shown.contains(" enter ") || shown.contains(END)
}

pub fn at_a_terminal(arguments: &[&str]) -> String {
    let mut pty = Pty::program(arguments);
    let mut before = String::new();
    loop {
        pty.wait_until("another question", |shown| {
            is_asked(shown) && shown != before
        });
        pty.settle();
        before = pty.screen(vt100::Screen::contents);
        if before.contains(END) {
            break;
        }
        pty.type_in(answer(&before));
    }
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    let [save] = &pty.saves()[..] else {
        panic!("{:?}", pty.saves());
    };
    timeless(save)
}

fn elsewhere(arguments: &[&str]) -> String {
    let mut remote = Remote::start(arguments, (80, 24));
    let mut before = String::new();
    loop {
        remote.wait_until(|shown| is_asked(shown) && shown != before);
        before = remote.picture.text();
        if before.contains(END) {
            break;
        }
        remote.type_in(answer(&before));
    }
    remote.key("q");
    let (code, errors) = remote.leave();
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let end = remote.end.as_ref().expect("an end").to_string();
    assert!(end.contains("One debate proves little"), "{end}");
    let told = remote.spoken.join("\n");
    assert!(told.contains("You are "), "{told}");
    let entries = fs::read_dir(remote.folder.path()).unwrap();
    let mut saves = entries.map(|entry| entry.unwrap().path());
    timeless(
        &saves
            .find(|path| path.to_str().unwrap().contains("primes-4331"))
            .unwrap(),
    )
}

/// A save without its times, and without the hashes, which depend on them.
pub fn timeless(save: &Path) -> String {
    let text = fs::read_to_string(save).unwrap();
    let without = |line: &str, name: &str| match line.split_once(name) {
        Some((before, rest)) => {
            let end = rest.find([',', ')', '}']).unwrap_or(rest.len());
            format!("{before}{name}{}", rest.split_at(end).1)
        }
        None => line.to_owned(),
    };
    let names = [" ms: ", " h: ", " hash: ", " started: ", " finished: "];
    let lines = text.lines().map(|line| {
        names
            .iter()
            .fold(line.to_owned(), |line, name| without(&line, name))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn equal_keys_give_equal_saves_on_local_and_remote_screens() {
    for seat in ["prover", "estimator", "judge"] {
        let arguments = ["primes-4331", "--role", seat, "--seed", "7"];
        assert_eq!(elsewhere(&arguments), at_a_terminal(&arguments), "{seat}");
    }
}

#[test]
fn lists_announce_the_selection_and_typed_letters_share_no_link() {
    let mut remote = Remote::start(&["primes-4331", "--seed", "7"], (80, 24));
    remote.hear("Which seat do you take? ");
    remote.key("1");
    remote.hear("Alice, the prover");
    remote.key("o");
    remote.hear("Players and rules: ");
    remote.key("down");
    remote.hear("Players and rules: ");
    // In a text field the key is a letter, but the message `share` still shares.
    for key in ["down", "e", "C", "E"] {
        remote.key(key);
    }
    remote.wait_for("CE");
    assert!(remote.copied.is_none());
    remote.send(&json!({"type": "share"}));
    while remote.copied.is_none() {
        remote.next();
    }
    for key in ["esc", "q", "q"] {
        remote.key(key);
    }
    remote.leave();
    let mut remote = Remote::start(&["primes-4331", "--role", "judge", "--blind"], (80, 24));
    remote.hear("You are the JUDGE");
    remote.send(&json!({"type": "share"}));
    remote.hear("Cannot share now: it would reveal secrets of the debate before the end.");
    let mut remote = Remote::start(&[], (80, 24));
    remote.hear("Home, ");
    remote.send(&json!({"type": "share"}));
    remote.hear("Cannot share now: there is no debate here.");
    remote.key("down");
    remote.hear("Home, ");
    remote.type_in("/no such words");
    remote.hear("no entry has these words");
    remote.key("ctrl-u");
    remote.hear("Home, ");
}

/// Presses keys one after the other, each after the announcement before it.
fn converse(remote: &mut Remote, said: &[(&str, &str)]) {
    for (key, sentence) in said {
        if !key.is_empty() {
            remote.key(key);
        }
        remote.hear(sentence);
    }
}

#[test]
fn overlays_announce_their_title_and_selection() {
    let mut remote = Remote::start(&["primes-4331", "--role", "judge", "--seed", "7"], (80, 24));
    let commands = "Commands: type a word\n";
    converse(
        &mut remote,
        &[
            ("", "Is 4331 prime?"),
            ("enter", "You are the JUDGE. Alice, the prover"),
            ("?", "Help\nThis panel: The other players move"),
            ("esc", "You are the JUDGE. Alice, the prover"),
            (":", &format!("{commands}play-round, R: ")),
            ("down", &format!("{commands}play-step, .: ")),
            ("!", "No command contains the typed words."),
            ("esc", "You are the JUDGE. Alice, the prover"),
            ("b", "Is 4331 prime?"),
            ("esc", "You are the JUDGE. Alice, the prover"),
            ("f9", "Settings\ntheme: "),
            ("down", "Settings\ncolor: "),
            ("q", "You are the JUDGE. Alice, the prover"),
            // The question, the missing input, and the current answer.
            ("enter", "Is this claim true: "),
            ("enter", "Choose first (y or n), "),
            ("down", "yes, it is true"),
            ("enter", "The debate is over."),
        ],
    );
}

#[test]
fn answers_are_not_announced_at_a_shared_keyboard() {
    let people = ["--prover", "human", "--opponent", "human"];
    let mut remote = Remote::start(&[&["primes-4331"], &people[..]].concat(), (80, 24));
    remote.hear("You are Alice, the prover. ");
    for key in ["enter", "y", "enter"] {
        remote.key(key);
    }
    remote.wait_for("Hand the keyboard to Bob");
    let handed = |words: &String| words.contains("Hand the keyboard to Bob");
    while !remote.spoken.iter().any(handed) {
        remote.next();
    }
    let told = remote.spoken.join("\n");
    assert!(!told.contains("yes, it is true"), "{told}");
    remote.key("enter");
    remote.hear("You are Bob, the estimator. ");
}

#[test]
fn rejudged_debates_are_announced_as_in_plain_mode() {
    let folder = tempfile::tempdir().unwrap();
    let saves = folder.path().join("saves");
    let mut import = Command::new(env!("CARGO_BIN_EXE_debate-tui"));
    let import = import.args(["--quiet", "import", "nyu", "tests/nyu/official/rx-5.json"]);
    assert!(import.arg("--out").arg(&saves).status().unwrap().success());
    let saves = saves.to_str().unwrap();
    let arguments = ["replay", saves, "--as", "judge", "--seed", "7"];
    let mut remote = Remote::start(&arguments, (80, 24));
    converse(
        &mut remote,
        &[
            ("", "before round 1.\nWhy did the Earth doctor use "),
            ("up", "Set to 50 %."),
            ("enter", "Alice says:\n"),
            ("enter", "Type a percentage or use the arrows"),
            ("up", "Set to 50 %."),
            ("enter", "You said 50 %. enter shows another round"),
            ("enter", "after round 2.\n"),
            ("up", "Set to 50 %."),
            ("enter", "You said 50 %. "),
            ("e", "you 50 %, the other judge "),
        ],
    );
}

#[test]
fn pages_of_tutorials_and_studies_are_announced() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    let mut lesson = Remote::start(&["tutorial", "--saves", place], (80, 24));
    converse(
        &mut lesson,
        &[
            ("", "Lesson 1 of 4. Four boxes: are they all full?"),
            (
                "enter",
                "Type 0, then press enter.\nYou are Bob, the estimator.",
            ),
            ("0", "Set to 0 %."),
        ],
    );
    let progress = folder.path().join("tutorial.progress");
    std::fs::write(progress, "done 3\nended 0 1 2\npage 2\n").unwrap();
    let mut lesson = Remote::start(&["tutorial", "--saves", place], (80, 24));
    converse(
        &mut lesson,
        &[
            ("", "50 %: Plain recursion"),
            ("enter", "Three figures end"),
            ("enter", "What next?\nIn short: Bob loses"),
            ("down", "What next?\n"),
        ],
    );
    let study_folder = folder.path().join("p");
    study(&study_folder, STUDY);
    let status = ["study", "status", study_folder.to_str().unwrap()];
    Remote::start(&status, (80, 24)).hear("0 of 40 sessions complete (none yet)");
    let run = ["study", "run", study_folder.to_str().unwrap()];
    converse(
        &mut Remote::start(&run, (80, 24)),
        &[
            ("", "80 columns and 24 rows"),
            ("enter", "Do you agree"),
            ("2", "I do not agree"),
            ("up", "I agree"),
        ],
    );
}

/// Rows without trailing blanks, and without blank rows at the end.
fn trimmed(text: &str) -> String {
    let lines = text.trim_end().lines().map(str::trim_end);
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn json_screens_equal_terminal_screens_at_any_size() {
    let arguments = ["caffeine", "--role", "estimator", "--seed", "7"];
    let pty = Pty::program_at(&arguments, (80, 24), &[]);
    let mut remote = Remote::start(&arguments, (80, 24));
    for (columns, rows) in [(80, 24), (130, 40), (60, 20), (30, 8)] {
        pty.resize(columns, rows);
        remote.send(&json!({"type": "size", "columns": columns, "rows": rows}));
        // A frame of another size contains all cells.
        remote.wait_until(|there| there.split('\n').count() == usize::from(rows));
        let there = trimmed(&remote.picture.text());
        pty.wait_until("the same picture", |shown| trimmed(shown) == there);
    }
    // Requests all cells again, as a client that has lost its state would.
    let before = remote.picture.text();
    remote.send(&json!({"type": "size", "columns": 80, "rows": 24}));
    remote.wait_for(BEGIN);
    let whole = remote.picture.text();
    assert_ne!(before, whole);
    remote.picture = crate::support::cells::Picture::default();
    remote.send(&json!({"type": "redraw"}));
    remote.wait_until(|shown| shown == whole);
}

#[test]
fn invalid_lines_are_skipped_with_a_message() {
    let mut remote = Remote::start(&["primes-4331", "--role", "judge"], (80, 24));
    remote.begin();
    remote.wait_for("You are the JUDGE");
    let long = "x".repeat(1 << 20);
    for wrong in [
        "",
        "{}",
        "\u{1b}[31m",
        r#"{"type":"key","key":"no such key"}"#,
        r#"{"type":"size","columns":-1,"rows":24}"#,
        r#"{"type":"mouse","kind":"down","column":99999,"row":1}"#,
        r#"{"type":"paste","text":1}"#,
        &format!("{}1{}", "[".repeat(5000), "]".repeat(5000)),
        &long,
    ] {
        remote.send_text(wrong);
    }
    // An impossible size is reduced to a possible one.
    remote.send(&json!({"type": "size", "columns": 65535, "rows": 65535}));
    remote.wait_until(|shown| shown.lines().count() == 200);
    remote.key("q");
    let (code, errors) = remote.leave();
    assert_eq!(code, Some(0));
    assert_eq!(errors.lines().count(), 9, "{errors}");
    assert!(errors.contains("is longer than 262144 bytes"), "{errors}");
    assert!(
        errors.chars().all(|c| c == '\n' || !c.is_control()),
        "{errors}"
    );
}
