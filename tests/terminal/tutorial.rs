//! The tutorial is left in the middle and continues at the same step.

use std::fs;
use std::path::Path;

use debate_host::record::verify_file;
use debate_solver::setup::ScenarioLimits;

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
    leave(
        start(&[("", "Four boxes: are they all full?")]),
        "Lesson 1 of 4",
    );
    assert!(saves(Path::new(folder)).is_empty());
    let pty = start(&[
        ("", "Four boxes: are they all full?"),
        ("\r", "Your estimate"),
        ("0\r", "Next move"),
        ("\r", "Alice has bet"),
        ("75\r", "still possible"),
        ("\r", "The coin came up yes"),
    ]);
    leave(pty, "To continue: debate-tui tutorial");
    let pty = start(&[("", "The coin came up yes")]);
    let told = "Lesson 1 of 4. The coin came up yes: count this box as full.";
    wait_to_read(&pty, told);
    leave(pty, "Lesson 1 of 4");
    // The home screen continues it too.
    let mut home = Pty::program(&["--saves", folder]);
    press(
        &mut home,
        &[
            ("", "Tutorial: lesson 1 of 4"),
            ("\r", "The coin came up yes"),
            ("67\r", "Next move"),
            ("q", "Tutorial: lesson 1 of 4"),
        ],
    );
    leave(home, "");
    let [save] = &saves(Path::new(folder))[..] else {
        panic!("one debate was begun");
    };
    let verdict = verify_file(save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok && !verdict.finished, "{verdict:?}");
}

/// Opens the first unfinished debate on the home screen, then leaves it and the home screen.
fn from_the_shelf(folder: &str, wanted: &'static str) -> String {
    let mut home = Pty::program(&["--saves", folder]);
    press(
        &mut home,
        &[
            ("", "Continue: "),
            ("g", "This debate is unfinished"),
            ("\r", wanted),
        ],
    );
    let shown = read(&home);
    press(&mut home, &[("q", "Continue: ")]);
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
            ("", "Four boxes: are they all full?"),
            ("\r", "Your estimate"),
            ("0\r", "Next move"),
            ("\r", "Alice has bet"),
            ("75\r", "still possible"),
            ("\r", "The coin came up yes"),
        ],
    );
    leave(pty, "Lesson 1 of 4");
    let shown = from_the_shelf(folder, "The coin came up yes");
    assert!(
        shown.contains("Lesson 1 of 4. The coin came up yes"),
        "{shown}"
    );
    // Another lesson is started, and the save of the first one still belongs to its lesson.
    let mut pty = Pty::program(&["tutorial", "--saves", folder, "--lesson", "2"]);
    press(
        &mut pty,
        &[("", "You are Alice. You know"), ("n\r", "Next move")],
    );
    leave(pty, "Lesson 2 of 4");
    let mut home = Pty::program(&["--saves", folder]);
    press(
        &mut home,
        &[
            // The saves may arrive after the first frame.
            ("", "Other unfinished debates"),
            ("g", "Lesson 2 of 4 of the tutorial"),
            ("\t", "Lesson 1 of 4 of the tutorial"),
            ("\r", "Lesson 1 of 4. The coin came up yes"),
            ("67\r", "still possible"),
            ("\r", "The coin came up yes"),
            ("50\r", "still possible"),
            ("\r", "A coin came up no"),
            ("100\r", "fit together"),
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
    pty.begin();
    press(
        &mut pty,
        &[
            ("", "Next move"),
            ("\r", "How likely is"),
            ("50\r", "Next move"),
        ],
    );
    leave(pty, "");
    let shown = from_the_shelf(other, "Next move");
    assert!(!shown.contains("Lesson"), "{shown}");
}

#[test]
fn the_last_lesson_is_left_page_by_page() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let first = [("", "One lie, two sets of rules"), ("\r", "Your choice")];
    let mut pty = Pty::program(&["tutorial", "4", "--saves", folder]);
    press(&mut pty, &first);
    leave(pty, "Lesson 4 of 4. To continue: debate-tui tutorial");
    let guesses: [Keys; 4] = [
        ("1\r", "Next move"),
        ("\r", "The empty box is elsewhere"),
        ("1\r", "Next move"),
        ("\r", "3 times in 4"),
    ];
    let mut pty = Pty::program(&["tutorial", "--saves", folder]);
    press(&mut pty, &[("", "Your choice")]);
    press(&mut pty, &guesses);
    press(&mut pty, &[("\r", "The same lie.")]);
    leave(pty, "Lesson 4 of 4. To continue: debate-tui tutorial");
    let estimates: [Keys; 9] = [
        ("\r", "Your estimate"),
        ("0\r", "Next move"),
        ("\r", "One half has the empty box"),
        ("50\r", "u to retry"),
        ("\r", "Which number still fits"),
        ("0\r", "u to retry"),
        ("\r", "Alice continues with"),
        ("50\r", "Next move"),
        ("\r", "Your estimate"),
    ];
    let end: [Keys; 4] = [
        ("0\r", "Next move"),
        ("\r", "The end"),
        ("\r", "50 %: Plain recursion"),
        ("\r", "Three figures end"),
    ];
    let mut pty = Pty::program(&["tutorial", "--saves", folder]);
    press(&mut pty, &[("", "The same lie.")]);
    press(&mut pty, &estimates);
    press(&mut pty, &end);
    press(
        &mut pty,
        &[("", "always 50 %"), ("?", "Continue the tutorial")],
    );
    // The first key closes the help. The end is a page with choices, not the shell.
    pty.type_in("q\r");
    pty.wait_for("What next?");
    // A choice is opened, and leaving it leads to the home screen.
    press(
        &mut pty,
        &[("3\r", "Which seat do you take?"), ("q", "Preview")],
    );
    leave(pty, "");
}
