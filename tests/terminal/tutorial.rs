//! The tutorial is left in the middle and continues at the same step.

use std::fs;
use std::path::Path;

use debate_host::record::verify_file;
use debate_solver::setup::Limits;

use crate::support::pty::Pty;
use crate::terminal::debates::{Keys, press, read, wait_to_read};

fn leave(mut pty: Pty, told: &str) {
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
    if !told.is_empty() {
        pty.assert_told_after_leaving(told);
    }
}

fn saves(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "ron"))
        .collect()
}

#[test]
fn a_lesson_is_left_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let arguments = ["tutorial", "--saves", folder];
    let start = |keys: &[Keys]| {
        let mut pty = Pty::program(&arguments);
        press(&mut pty, keys);
        pty
    };
    // Without a reply there is no debate to resume.
    leave(start(&[("", "You will sit in each seat")]), "Lesson 1 of 4");
    assert!(saves(Path::new(folder)).is_empty());
    let pty = start(&[
        ("", "You will sit in each seat"),
        ("\r", "Your estimate"),
        ("0\r", "What comes next"),
        ("\r", "75 %"),
        ("75\r", "What comes next"),
        ("\r", "Yes so far"),
    ]);
    leave(pty, "To go on: debate-tui tutorial");
    let pty = start(&[("", "Yes so far")]);
    let told = "Lesson 1 of 4. Yes so far, so more doubt falls on the rest: 67 %.";
    wait_to_read(&pty, told);
    leave(pty, "Lesson 1 of 4");
    // The home screen continues it too.
    let mut home = Pty::program(&["--saves", folder]);
    press(
        &mut home,
        &[
            ("", "Tutorial: lesson 1 of 4"),
            ("\r", "Yes so far"),
            ("67\r", "What comes next"),
            ("q", "Tutorial: lesson 1 of 4"),
        ],
    );
    leave(home, "");
    let [save] = &saves(Path::new(folder))[..] else {
        panic!("one debate was begun");
    };
    let verdict = verify_file(save, &Limits::default()).unwrap();
    assert!(verdict.ok && !verdict.finished, "{verdict:?}");
}

/// Opens the first unfinished debate on the home screen, then leaves it and the home screen.
fn from_the_shelf(folder: &str, wanted: &'static str) -> String {
    let mut home = Pty::program(&["--saves", folder]);
    press(
        &mut home,
        &[
            ("", "Unfinished debates"),
            ("g\t", "not finished"),
            ("\r", wanted),
        ],
    );
    let shown = read(&home);
    press(&mut home, &[("q", "Unfinished debates")]);
    leave(home, "");
    shown
}

#[test]
fn an_unfinished_lesson_on_home_opens_as_a_lesson() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let mut pty = Pty::program(&["tutorial", "--saves", folder]);
    press(
        &mut pty,
        &[
            ("", "You will sit in each seat"),
            ("\r", "Your estimate"),
            ("0\r", "What comes next"),
            ("\r", "75 %"),
            ("75\r", "What comes next"),
            ("\r", "Yes so far"),
        ],
    );
    leave(pty, "Lesson 1 of 4");
    let shown = from_the_shelf(folder, "Yes so far");
    assert!(shown.contains("Lesson 1 of 4. Yes so far"), "{shown}");
    // Another lesson is started, and the save of the first one still belongs to its lesson.
    let mut pty = Pty::program(&["tutorial", "--saves", folder, "--lesson", "2"]);
    press(
        &mut pty,
        &[("", "Now you are Alice"), ("n\r", "What comes next")],
    );
    leave(pty, "Lesson 2 of 4");
    let mut home = Pty::program(&["--saves", folder]);
    press(
        &mut home,
        &[
            // The saves may arrive after the first frame.
            ("", "Unfinished debates"),
            ("g\t", "Lesson 2 of 4 of the tutorial"),
            ("j", "Lesson 1 of 4 of the tutorial"),
            ("\r", "Lesson 1 of 4. Yes so far"),
            ("67\r", "What comes next"),
            ("\r", "Your estimate"),
            ("100\r", "What comes next"),
            ("\r", "Your estimate"),
            ("100\r", "What comes next"),
            ("\r", "This round paid Alice"),
            ("92\r", "What comes next"),
            ("\r", "Your estimate"),
            ("91\r", "What comes next"),
            ("\r", "Your estimate"),
            ("90\r", "What comes next"),
            ("\r", "Your estimate"),
            ("89\r", "What comes next"),
            ("\r", "The end"),
            // The tutorial continues at its current step.
            ("\r", "You: no"),
            ("q", "Tutorial: lesson 2 of 4"),
        ],
    );
    leave(home, "");
    // A debate of the same scenario outside the tutorial has no explanations.
    let other = tempfile::tempdir().unwrap();
    let other = other.path().to_str().unwrap();
    let players = [
        "primes-small",
        "--role",
        "opponent",
        "--prover",
        "obfuscator",
    ];
    let mut pty = Pty::program(&[&players[..], &["--saves", other]].concat());
    press(
        &mut pty,
        &[
            ("", "What comes next"),
            ("\r", "How likely is"),
            ("50\r", "What comes next"),
        ],
    );
    leave(pty, "");
    let shown = from_the_shelf(other, "What comes next");
    assert!(!shown.contains("Lesson"), "{shown}");
}

#[test]
fn the_last_lesson_is_left_page_by_page() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let first = [
        ("", "One lie, under two sets of rules"),
        ("\r", "Your choice"),
    ];
    let mut pty = Pty::program(&["tutorial", "4", "--saves", folder]);
    press(&mut pty, &first);
    leave(pty, "Lesson 4 of 4. To go on: debate-tui tutorial");
    let guesses: [Keys; 4] = [
        ("1\r", "What comes next"),
        ("\r", "The flaw was elsewhere"),
        ("1\r", "What comes next"),
        ("\r", "15 times in 16"),
    ];
    let mut pty = Pty::program(&["tutorial", "--saves", folder]);
    press(&mut pty, &[("", "Your choice")]);
    press(&mut pty, &guesses);
    press(&mut pty, &[("\r", "The same lie about 319")]);
    leave(pty, "Lesson 4 of 4. To go on: debate-tui tutorial");
    let estimates: [Keys; 18] = [
        ("\r", "Your estimate"),
        ("0\r", "What comes next"),
        ("\r", "75 %"),
        ("75\r", "What comes next"),
        ("\r", "67 %"),
        ("67\r", "What comes next"),
        ("\r", "50 %"),
        ("50\r", "What comes next"),
        ("\r", "100 %"),
        ("100\r", "What comes next"),
        ("\r", "She goes on with"),
        ("94\r", "What comes next"),
        ("\r", "Your estimate"),
        ("93\r", "What comes next"),
        ("\r", "Your estimate"),
        ("93\r", "What comes next"),
        ("\r", "Your estimate"),
        ("92\r", "What comes next"),
    ];
    let end: [Keys; 2] = [("\r", "The end"), ("\r", "Doubt shared evenly")];
    let mut pty = Pty::program(&["tutorial", "--saves", folder]);
    press(&mut pty, &[("", "The same lie about 319")]);
    press(&mut pty, &estimates);
    press(&mut pty, &end);
    press(&mut pty, &[("", "87.5 %"), ("?", "Go on in the tutorial")]);
    // The first key closes the help. The end is a page with choices, not the shell.
    pty.type_in("q\r");
    pty.wait_for("What next?");
    // A choice is opened, and leaving it leads to the home screen.
    press(
        &mut pty,
        &[("3\r", "Which seat do you take?"), ("q", "What it is")],
    );
    leave(pty, "");
}
