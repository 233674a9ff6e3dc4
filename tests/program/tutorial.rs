//! The tutorial in plain lines.

use std::path::{Path, PathBuf};

use crate::support::program::say;
use debate_host::record::verify_file;
use debate_solver::setup::ScenarioLimits;

/// The input of a user as Bob, as Alice, as the judge, and in both debates of the comparison. An empty line goes on
/// after the consequence of a reply.
const REPLIES: &str =
    "0\n\n75\n\n67\n\n50\n\n100\n\nno\n\nhigh\n\n3\nhigh\n\nno\n1\n1\n0\n50\n\n0\n\n50\n\n0\n\n";

fn saves(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "ron"))
        .collect()
}

#[test]
fn the_lessons_run_in_plain_lines_and_their_saves_verify() {
    let dir = tempfile::tempdir().unwrap();
    let said = say(dir.path(), &["tutorial", "--plain"], REPLIES);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.is_clean());
    let mut rest = said.out.as_str();
    for wanted in [
        "Lesson 1 of 4: You are Bob",
        "Tutorial: Four boxes: are they all full?",
        "You are Bob, the estimator.",
        "Tutorial: Your 0 % for the claim is still possible: no gap.",
        "Press Enter to continue, or type undo.",
        "Tutorial: A coin came up no",
        "Tutorial: Your numbers fit together",
        "Tutorial: Your numbers left no gap to bet on. ",
        "Lesson 2 of 4: You are Alice",
        "Tutorial: You got +0.89, most of it from the last box",
        "Lesson 3 of 4: You are the judge",
        "Evidence: You open box 3. It is empty.",
        "Lesson 4 of 4: Plain recursion",
        "Tutorial: Alice's answer for one half is false: ",
        "Tutorial: The empty box is elsewhere",
        "Type undo to retry.",
        "Tutorial: You lost, as a guess does",
        "Lesson 4 of 4: Prover-estimator debate",
        "next come averages.",
        "█ 50 %: Plain recursion",
        "▏ 0 %: Prover-estimator debate",
        "Three figures end each debate as Bob.",
        "average loss, of 10,000 points",
        "always 90 %",
        "What next?",
        "debate-tui primes ",
    ] {
        let found = rest.split_once(wanted);
        assert!(found.is_some(), "{wanted}\n{}", said.out);
        rest = found.unwrap().1;
    }
    // Plain lines mention no missing keys, and no input was misunderstood.
    for unwanted in ["Press enter", "Not understood", "To continue"] {
        assert!(
            !said.out.contains(unwanted) && !said.err.contains(unwanted),
            "{unwanted}"
        );
    }
    let saves = saves(dir.path());
    assert_eq!(saves.len(), 5);
    for save in saves {
        let verdict = verify_file(&save, &ScenarioLimits::default()).unwrap();
        assert!(verdict.ok && verdict.finished, "{verdict:?}");
    }
}

#[test]
fn without_input_the_tutorial_ends_and_resumes_later() {
    let dir = tempfile::tempdir().unwrap();
    let tutorial = |arguments: &[&str], input: &str| {
        let said = say(dir.path(), &[&["tutorial"][..], arguments].concat(), input);
        assert_eq!(said.code, Some(0), "{said:?}");
        said
    };
    let said = tutorial(&[], "");
    assert!(
        said.out.contains("Type 0, then press enter."),
        "{}",
        said.out
    );
    assert!(
        said.err
            .contains("Lesson 1 of 4. To continue: debate-tui tutorial")
    );
    let said = tutorial(&[], "0\n\n75\n\n");
    assert!(said.out.ends_with("> \n"), "{}", said.out);
    let said = tutorial(&[], "");
    assert!(said.out.contains("The coin came up yes"), "{}", said.out);
    assert_eq!(saves(dir.path()).len(), 1);
    // A restarted lesson has a new save; the other saves remain.
    let said = tutorial(&["3"], "no\n");
    assert!(said.out.contains("honest Alice got +0.89"), "{}", said.out);
    let fourth = "Lesson 4 of 4: Plain recursion";
    assert!(said.out.contains(fourth), "{}", said.out);
    assert_eq!(saves(dir.path()).len(), 3);
    // The debates of the fourth lesson; its figures end the course.
    let said = tutorial(&[], "1\n1\n");
    let other = "Lesson 4 of 4: Prover-estimator debate";
    assert!(said.out.contains(other), "{}", said.out);
    let said = tutorial(&[], "0\n50\n\n0\n\n50\n\n0\n\n");
    assert!(said.err.is_empty(), "{}", said.err);
    assert!(said.out.contains("A second course"), "{}", said.out);
    let said = tutorial(&[], "");
    let place = "Second course, lesson 1 of 4";
    assert!(said.out.starts_with(place), "{}", said.out);
    assert!(said.err.starts_with(place), "{}", said.err);
    let said = tutorial(&[], "1\n2\n2\n1\n1\n2\n1\n2\n");
    let steps = ["Tutorial: Again: after", "Tutorial: That part has no error"];
    for wanted in steps {
        assert!(said.out.contains(wanted), "{wanted}\n{}", said.out);
    }
    let said = tutorial(&["--lesson", "8"], "none\nyes\n");
    for wanted in ["Tutorial: The panel: ", "What next?"] {
        assert!(said.out.contains(wanted), "{wanted}\n{}", said.out);
    }
    // Lessons 6 and 7 have not ended, so the second course is still offered.
    assert!(said.out.contains("A second course") && said.err.is_empty());
    // A lesson is complete once it has ended; the first two lessons have not ended.
    let said = tutorial(&[], "");
    assert!(said.out.starts_with("Lesson 1 of 4"), "{}", said.out);
}

/// The hint of a lesson is the even share of the doubt, and a retry leaves the debate as it was.
#[test]
fn hints_of_a_lesson_are_even_shares_and_replies_can_be_retried() {
    let dir = tempfile::tempdir().unwrap();
    let input = "hint\n0\n\nhint\n90\nundo\n75\n\nhint\n67\n";
    let said = say(dir.path(), &["tutorial"], input);
    for hint in ["Hint: 0 %", "Hint: 75 %", "Hint: 66.67 %"] {
        assert!(said.out.contains(hint), "{hint}: {}", said.out);
    }
    let (_, undone) = said.out.split_once("Your last reply is undone.").unwrap();
    assert!(undone.contains("How likely is “"), "{}", said.out);
    let verdict = verify_file(&saves(dir.path())[0], &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok, "{verdict:?}");
}

#[test]
fn a_lesson_that_is_resumed_by_its_save_is_explained_too() {
    let dir = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str], input: &str| {
        let said = say(dir.path(), arguments, input);
        assert_eq!(said.code, Some(0), "{said:?}");
        said
    };
    run(&["tutorial"], "0\n\n75\n\n");
    let save = saves(dir.path()).remove(0);
    let resume = ["resume", save.to_str().unwrap()];
    let said = run(&resume, "");
    assert!(
        said.out.contains("Tutorial: The coin came up yes"),
        "{}",
        said.out
    );
    // JSON output contains no words of the tutorial.
    let said = run(&[&resume[..], &["--json"]].concat(), "");
    assert!(!said.out.contains("Tutorial"), "{}", said.out);
    // The same debate outside the tutorial belongs to no lesson.
    let arguments = [
        "primes-small",
        "--plain",
        "--role",
        "opponent",
        "--seed",
        "x",
    ];
    run(&arguments, "0\n");
    let is_other = |path: &PathBuf| *path != save;
    let other = saves(dir.path()).into_iter().find(is_other).unwrap();
    let said = run(&["resume", other.to_str().unwrap()], "");
    assert!(!said.out.contains("Tutorial"), "{}", said.out);
}

#[test]
fn invalid_lesson_arguments_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (arguments, wanted) in [
        (&["tutorial", "--lesson", "9"][..], "1..=8"),
        (&["tutorial", "9"][..], "1..=8"),
        (&["tutorial", "1", "--lesson", "2"][..], "--lesson"),
        (&["tutorial", "--json"][..], "remove --json"),
    ] {
        let said = say(dir.path(), arguments, "");
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(wanted), "{}", said.err);
    }
    let said = say(dir.path(), &["tutorial", "--no-save"], "0\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(std::fs::read_dir(dir.path()).unwrap().next().is_none());
    // The error about a changed save says what to do.
    let said = say(dir.path(), &["tutorial"], "0\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    std::fs::write(&saves(dir.path())[0], "nonsense").unwrap();
    let said = say(dir.path(), &["tutorial"], "");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("debate-tui tutorial 1"), "{}", said.err);
    let said = say(dir.path(), &["tutorial", "--lesson", "1"], "");
    assert_eq!(said.code, Some(0), "{said:?}");
}
