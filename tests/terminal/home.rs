//! The home screen: debates are left, named, hidden, resumed and deleted there.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use debate_host::plan::daily_date_of_save;
use debate_host::record::{SaveListing, list_saves};

use crate::support::program::{json, path, run_here, say};
use crate::support::pty::Pty;

fn press(pty: &mut Pty, steps: &[(&str, &str)]) {
    for (keys, wanted) in steps {
        pty.type_in(keys);
        pty.wait_for(wanted);
    }
}

/// A debate in which Bob has given his first estimate.
fn in_a_debate() -> Pty {
    let mut pty = Pty::program(&["primes-4331", "--role", "estimator", "--seed", "7"]);
    pty.begin();
    press(
        &mut pty,
        &[("", "Next move"), ("\r", "100   ?"), ("50\r", "Next move")],
    );
    pty
}

fn save_of(pty: &Pty) -> std::path::PathBuf {
    let is_save = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "ron");
    let mut saves = pty.saves();
    saves.retain(is_save);
    assert_eq!(saves.len(), 1, "{saves:?}");
    saves.remove(0)
}

#[test]
fn settings_and_exports_are_opened_over_a_debate() {
    let mut pty = in_a_debate();
    let save = save_of(&pty);
    press(
        &mut pty,
        &[
            // To the settings and back; a changed key takes effect at once, and so do changed colours.
            ("\x1b[20~", "Settings"),
            ("l\r", "Saved in"),
            (":", "Commands"),
            ("export", "Export the debate to a file"),
            ("\r", "Export the debate to a file"),
            ("", "< html >"),
            ("l", "< md >"),
            ("\r", "Written to"),
            ("", "Next move"),
            // A second export does not replace the first one.
            ("E", "< html >"),
            ("q", "Next move"),
        ],
    );
    let written = fs::read_to_string(save.with_extension("md")).unwrap();
    assert!(written.contains("4331"), "{written}");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn a_debate_is_left_named_hidden_and_resumed() {
    let mut pty = in_a_debate();
    let save = save_of(&pty);
    pty.type_in("H");
    pty.wait_for("Continue: Is 4331 prime?");
    let bytes = fs::read(&save).unwrap();
    press(
        &mut pty,
        &[
            ("g", "You sit as: Bob, the estimator"),
            ("", "Progress: the first answer"),
            ("n\x15my game\r", "The debate has a new name"),
            ("", "Continue: my game"),
            ("x", "The debate is hidden"),
            ("X", "Continue: (hidden) my game"),
            ("gx", "It is shown again"),
            ("", "Continue: my game"),
            // The debate continues at the same position.
            ("g\r", "Next move"),
            ("H", "Continue: my game"),
        ],
    );
    // The save contains none of that.
    assert_eq!(fs::read(&save).unwrap(), bytes);
    press(
        &mut pty,
        &[("gd", "y deletes it"), ("y", "The debate is deleted")],
    );
    assert!(pty.saves().iter().all(|path| !path.starts_with(&save)));
    assert!(!save.exists() && !save.with_extension("ron.label").exists());
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn played_scenarios_are_marked_and_another_is_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let arguments = [
        "primes-recursive",
        "--role",
        "opponent",
        "--seed",
        "7",
        "--saves",
        folder,
    ];
    let mut played = Pty::program(&arguments);
    played.begin();
    played.wait_for("Next move");
    played.type_until("1\r", "The end");
    played.type_in("q");
    assert_eq!(played.exit_code(), 0);
    let mut home = Pty::program(&["--saves", folder]);
    home.wait_for("What next");
    // The first debate of the course was not played yet.
    home.wait_for("Is 4331 prime?");
    home.type_in("/recursion");
    home.wait_for("plain recursion");
    home.type_in("\r");
    home.wait_for("played once");
    home.type_in("q");
    assert_eq!(home.exit_code(), 0);
    // The search finds a scenario by its name on the command line, and by its rules.
    let mut home = Pty::program(&["--saves", folder]);
    home.wait_for("Is 4331 prime?");
    home.type_in("/law cross-exam\r");
    home.wait_for("Open: law cross-exam");
    home.wait_for("Did the seller break the contract?");
    home.type_in("q");
    assert_eq!(home.exit_code(), 0);
}

/// A folder with a copy of a bundled save, in which a user lost as the estimator, and an unfinished debate.
fn folder_of_saves() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let save = concat!(env!("CARGO_MANIFEST_DIR"), "/saves/primes-estimator.ron");
    fs::copy(save, folder.path().join("won.ron")).unwrap();
    let play = ["primes-small", "--plain", "--seed", "7", "--role", "prover"];
    let said = say(folder.path(), &play, "yes\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    folder
}

#[test]
fn home_and_the_debate_screen_show_payoffs_in_the_same_unit() {
    let folder = folder_of_saves();
    let saves = [("DEBATE_TUI_SAVES", path(folder.path()))];
    let mut pty = Pty::program_at(&[], (120, 36), &saves);
    // The last item of the home screen is the debate that was played.
    pty.wait_for("What next");
    pty.type_until("G", "Finished debates");
    pty.wait_for("payoff -297 points");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}

/// The row of a finished debate names the gap with its unit, even if the row has little room.
#[test]
fn the_row_of_a_finished_debate_has_a_gap_with_its_unit() {
    let folder = folder_of_saves();
    let saves = [("DEBATE_TUI_SAVES", path(folder.path()))];
    for size in [(200, 60), (120, 36)] {
        let mut pty = Pty::program_at(&[], size, &saves);
        pty.wait_for("What next");
        // The last item is the finished debate. Its result is read on a separate thread.
        pty.type_until("G", "Finished debates");
        pty.wait_until("the row with the gap", |shown| {
            // The list is left of the preview.
            shown.lines().any(|line| {
                let row = line.split('│').nth(1).unwrap_or_default();
                row.contains("Is 4331 prime?") && row.contains("gap 20.3 percentage points, ")
            })
        });
        pty.type_in("q");
        assert_eq!(pty.exit_code(), 0);
    }
}

/// Sets the time of the last write to a save.
fn set_age(save: &SaveListing, seconds: u64) {
    let file = fs::File::options().write(true).open(&save.path).unwrap();
    let modified = SystemTime::now() - Duration::from_secs(seconds);
    file.set_modified(modified).unwrap();
}

/// The titles and the rows of the section of the other unfinished debates on the home screen.
fn shown_unfinished(folder: &Path, wanted: &str) -> (String, usize) {
    let variables = [("DEBATE_TUI_SAVES", path(folder))];
    let mut pty = Pty::program_at(&[], (120, 36), &variables);
    pty.wait_for("Other unfinished debates");
    pty.wait_for(wanted);
    pty.settle();
    let shown = pty.screen(vt100::Screen::contents);
    let mut lines = shown.lines();
    lines.find(|line| line.contains("Other unfinished debates"));
    let rows = lines.take_while(|line| !line.contains('▾')).count();
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    (shown, rows)
}

/// Each unfinished debate has one row: the latest as the debate to continue, today's debate as today's debate, and the
/// others in their section.
#[test]
fn each_unfinished_debate_is_listed_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plays: [&[&str]; 3] = [
        &["daily", "--plain"],
        &["hidden-flaw", "--role", "estimator", "--plain"],
        &["primes-small", "--role", "estimator", "--plain"],
    ];
    for play in plays {
        let said = say(folder, play, "50\n");
        assert_eq!(said.code, Some(0), "{said:?}");
    }
    let saves = list_saves(folder).unwrap();
    let is_daily = |save: &SaveListing| {
        let header = save.header.as_ref();
        header.is_some_and(|header| daily_date_of_save(header).is_some())
    };
    for save in &saves {
        match save.title.as_deref() {
            Some("Is 323 prime?") => set_age(save, 60),
            _ if is_daily(save) => set_age(save, 180),
            _ => set_age(save, 120),
        }
    }
    let (shown, rows) = shown_unfinished(folder, "Today's debate: begun");
    assert!(shown.contains("Continue: Is 323 prime?"), "{shown}");
    assert_eq!(rows, 1, "{shown}");
    // Now today's debate is the latest one.
    let daily = saves.iter().find(|save| is_daily(save)).unwrap();
    set_age(daily, 0);
    let (shown, rows) = shown_unfinished(folder, "Continue: ");
    assert!(!shown.contains("Today's debate"), "{shown}");
    assert_eq!(rows, 2, "{shown}");
}

/// A second daily debate would count only as practice, so home shows the finished one.
#[test]
fn a_finished_daily_debate_is_shown_again_from_home() {
    let folder = tempfile::tempdir().unwrap();
    let said = say(folder.path(), &["daily", "--plain"], &"50\n".repeat(20));
    assert_eq!(said.code, Some(0), "{said:?}");
    let saves = [("DEBATE_TUI_SAVES", path(folder.path()))];
    let mut pty = Pty::program_at(&[], (120, 36), &saves);
    press(
        &mut pty,
        &[
            ("", "Today's debate: finished"),
            // The unit of the gap is named.
            ("", " percentage points"),
            ("gj", "You can watch it again."),
            ("\r", "Timeline"),
            ("q", "What next"),
        ],
    );
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    let files = std::fs::read_dir(folder.path()).unwrap();
    let saves = files.filter(|file| {
        let path = file.as_ref().unwrap().path();
        path.extension().is_some_and(|end| end == "ron")
    });
    assert_eq!(saves.count(), 1);
}

/// A user who plays again knows the answer for the first number.
#[test]
fn a_debate_that_is_played_again_is_about_another_number() {
    let folder = tempfile::tempdir().unwrap();
    let saves = [("DEBATE_TUI_SAVES", path(folder.path()))];
    let mut pty = Pty::program_at(&["primes", "--role", "estimator"], (120, 36), &saves);
    pty.begin();
    pty.wait_for("Is 109,931 prime?");
    pty.type_until("50\r", "The end");
    let mut titles = std::collections::BTreeSet::new();
    // By chance, one debate may be about the same number.
    for _ in 0..2 {
        pty.type_until("a", "enter begin");
        pty.settle();
        let shown = pty.screen(vt100::Screen::contents);
        let title = shown
            .split("Is ")
            .nth(1)
            .and_then(|text| text.split(" prime?").next());
        titles.insert(title.unwrap().to_owned());
        pty.begin();
        pty.type_until("50\r", "The end");
    }
    titles.insert("109,931".to_owned());
    assert!(titles.len() > 1, "{titles:?}");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}

/// The flag `--role` belongs to the first debate: the key at its end shows the seats, with another one marked.
#[test]
fn the_key_for_another_seat_shows_the_seats_after_a_debate_with_a_given_seat() {
    let folder = tempfile::tempdir().unwrap();
    let saves = [("DEBATE_TUI_SAVES", path(folder.path()))];
    let debate = ["primes", "--role", "estimator", "--seed", "7"];
    let mut pty = Pty::program_at(&debate, (120, 36), &saves);
    pty.begin();
    pty.type_until("50\r", "The end");
    pty.type_until("s", "Which seat do you take?");
    pty.settle();
    let shown = pty.screen(vt100::Screen::contents);
    let marked = shown.lines().find(|line| line.contains('›'));
    assert!(marked.is_some_and(|line| line.contains("Alice")), "{shown}");
    // The seat page lies over the end of the debate, and a new debate replaces both.
    pty.type_in("\x1b");
    pty.wait_for("The end");
    pty.type_until("s", "Which seat do you take?");
    pty.type_in("\r");
    pty.begin();
    pty.wait_for("Is this true:");
    pty.wait_for("you are Alice");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn home_offers_to_continue_todays_debate_a_harder_opponent_and_two_scenarios() {
    let folder = folder_of_saves();
    let saves = [("DEBATE_TUI_SAVES", path(folder.path()))];
    // Bob against the first opponent: the next one is of level 4.
    let play = [
        "primes-4331",
        "--plain",
        "--seed",
        "7",
        "--role",
        "estimator",
        "--prover",
        "errs(+, -)",
    ];
    // A debate with a gap offers no next opponent, one without a gap does.
    let said = say(folder.path(), &play, &"50\n".repeat(20));
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut pty = Pty::program_at(&[], (120, 36), &saves);
    pty.wait_for("Today's debate: not played");
    pty.settle();
    let shown = pty.screen(vt100::Screen::contents);
    assert!(!shown.contains("Next opponent"), "{shown}");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    let said = say(folder.path(), &play, &"0\n".repeat(20));
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut pty = Pty::program_at(&[], (120, 36), &saves);
    pty.wait_for("Today's debate: not played");
    let order = [
        "Continue: Is 323",
        "Tutorial: two courses of four lessons",
        "Today's debate: not played",
        "Next opponent: level 4 of 5",
        "Is 109,931 prime?",
        "Is this change safe to merge?",
    ];
    pty.settle();
    let shown = pty.screen(vt100::Screen::contents);
    let rows: Vec<_> = order.iter().map(|text| shown.find(text)).collect();
    assert!(
        rows.iter().all(Option::is_some) && rows.is_sorted(),
        "{shown}"
    );
    // The only unfinished debate is listed once, as the debate to continue.
    assert!(!shown.contains("unfinished debates"), "{shown}");
    press(
        &mut pty,
        &[
            ("jj", "One debate a day"),
            ("j", "Level 4 of 5. This Alice exploits"),
            // Opened, the user plays the same seat against the harder opponent.
            ("\r", "enter begin"),
            ("\r", "Next move"),
            ("H", "Next opponent: level 4 of 5"),
            ("gjj\r", "enter begin"),
            ("\r", "you are Bob, the estimator"),
        ],
    );
    pty.type_in("q");
    pty.wait_for("What next");
    // It was left before the first reply, so there is nothing to show yet.
    pty.wait_for("Today's debate: not played");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn resume_without_a_save_offers_the_unfinished_debates() {
    let folder = folder_of_saves();
    let listed = run_here(folder.path(), &["resume"], "");
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(listed.out.contains("Is 323 prime?"), "{listed:?}");
    assert!(!listed.out.contains("won.ron"), "{listed:?}");
    assert!(listed.err.contains("resume --last"), "{listed:?}");
    let saves = json(&run_here(folder.path(), &["resume", "--json"], ""));
    assert_eq!(saves.as_array().unwrap().len(), 1);
    assert_eq!(saves[0]["condition"], "unfinished");
    let empty = tempfile::tempdir().unwrap();
    let none = run_here(empty.path(), &["resume"], "");
    assert_eq!((none.code, &*none.out), (Some(0), ""), "{none:?}");
    assert!(none.err.contains("No unfinished debates in"));

    let variables = [("DEBATE_TUI_SAVES", path(folder.path()))];
    let mut pty = Pty::program_at(&["resume"], (120, 36), &variables);
    pty.wait_for("This debate is unfinished");
    pty.type_in("\r");
    pty.wait_for("enter send");
    // A second Escape leaves the debate.
    pty.type_in("\x1b");
    pty.wait_for("Press esc again to leave this debate; the debate is saved");
    pty.type_until("\x1b", "Continue: Is 323 prime?");
    // A single Escape leaves the settings.
    pty.type_in(",");
    // The last row names “What next” too, until the settings have drawn their keys there.
    pty.wait_for("enter go on");
    pty.type_in("\x1b");
    pty.wait_for("What next");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

/// A debate can be continued as soon as somebody has moved, whichever seat the user has.
#[test]
fn a_debate_left_before_the_users_first_reply_is_continued_from_every_seat() {
    for (seat, has_move) in [("prover", false), ("estimator", true), ("judge", true)] {
        let folder = tempfile::tempdir().unwrap();
        let saves = ["--saves", path(folder.path())];
        let play = ["primes-4331", "--role", seat, "--seed", "7"];
        let mut pty = Pty::program(&[&play[..], &saves].concat());
        pty.begin();
        if has_move {
            pty.wait_for("Next move");
            pty.type_in(".");
            pty.wait_until("a move", |shown| !shown.contains("No moves yet"));
            pty.settle();
        } else {
            pty.wait_for("Is this true");
        }
        pty.type_in("q");
        assert_eq!(pty.exit_code(), 0);
        let listed = json(&run_here(folder.path(), &["resume", "--json"], ""));
        let conditions: Vec<_> = (listed.as_array().unwrap().iter())
            .map(|save| save["condition"].as_str().unwrap().to_owned())
            .collect();
        let wanted: &[&str] = if has_move { &["unfinished"] } else { &[] };
        assert_eq!(conditions, wanted, "{seat}");
        let mut home = Pty::program(&saves);
        home.wait_for("Today's debate: not played");
        home.settle();
        let shown = home.screen(vt100::Screen::contents);
        assert_eq!(
            shown.contains("Continue: Is 4331 prime?"),
            has_move,
            "{shown}"
        );
        if has_move {
            // The title line of the debate names the user's seat.
            press(
                &mut home,
                &[("g\r", "you are "), ("q", "Continue: Is 4331 prime?")],
            );
        }
        home.type_in("q");
        assert_eq!(home.exit_code(), 0);
    }
}

/// After a debate that was won, lost or left, the first item is the next step, with its reason.
#[test]
fn the_first_item_is_the_step_after_the_last_debate() {
    let estimates = |percent: &str| format!("{percent}\n").repeat(20);
    let all_of = |reply: &str| format!("{reply}\n").repeat(20);
    let cases: [(&[&str], String, &str); 6] = [
        // 0 % for every claim has no gap.
        (
            &[
                "primes-4331",
                "--role",
                "estimator",
                "--prover",
                "errs(+, -)",
            ],
            estimates("0"),
            "Next opponent, level 4: you had no gap",
        ),
        (
            &["primes-4331", "--role", "estimator", "--prover", "honest"],
            estimates("0"),
            "Change seats: you had no gap as Bob",
        ),
        (
            &[
                "primes-4331",
                "--role",
                "estimator",
                "--prover",
                "errs(+, -)",
            ],
            estimates("50"),
            "Play again: your numbers had a gap",
        ),
        (
            &["primes-recursive", "--role", "opponent"],
            all_of("1"),
            "Play again: you did not win",
        ),
        (
            &["primes-4331", "--role", "estimator"],
            "50\n".to_owned(),
            "Continue: Is 4331 prime?",
        ),
        (
            &[
                "hidden-flaw",
                "--role",
                "judge",
                "--prover",
                "honest",
                "--opponent",
                "reference",
            ],
            String::new(),
            "Continue: ",
        ),
    ];
    for (play, input, first) in cases {
        let folder = tempfile::tempdir().unwrap();
        let said = say(
            folder.path(),
            &[play, &["--plain", "--seed", "7"]].concat(),
            &input,
        );
        assert_eq!(said.code, Some(0), "{said:?}");
        let mut home = Pty::program(&["--saves", path(folder.path())]);
        home.wait_for("Today's debate: not played");
        home.settle();
        let shown = home.screen(vt100::Screen::contents);
        let item = shown.lines().nth(3).unwrap();
        assert!(item.contains(first), "{play:?}: {first}: {shown}");
        home.type_in("q");
        assert_eq!(home.exit_code(), 0);
    }
}

/// A right answer of the judge counts as won, and a wrong one does not.
#[test]
fn a_right_verdict_gets_the_check_mark() {
    let mut marks = std::collections::BTreeSet::new();
    for answer in ["yes", "no"] {
        let folder = tempfile::tempdir().unwrap();
        let play = ["pull-request", "--plain", "--seed", "7", "--role", "judge"];
        let said = say(folder.path(), &play, &format!("{answer}\n"));
        assert_eq!(said.code, Some(0), "{said:?}");
        let mut home = Pty::program(&["--saves", path(folder.path())]);
        home.wait_for("Today's debate: not played");
        home.settle();
        let shown = home.screen(vt100::Screen::contents);
        let is_right = shown.contains("you were right");
        assert!(
            is_right || shown.contains("your answer was wrong"),
            "{shown}"
        );
        let mark = if is_right {
            "✓ Is this change"
        } else {
            "· Is this change"
        };
        assert!(shown.contains(mark), "{mark}: {shown}");
        marks.insert(mark);
        home.type_in("q");
        assert_eq!(home.exit_code(), 0);
    }
    assert_eq!(marks.len(), 2);
}

/// The title of a scenario names a number only if the next debate is about it.
#[test]
fn the_title_of_a_played_scenario_names_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let play = ["primes", "--plain", "--seed", "7", "--role", "estimator"];
    let said = say(folder.path(), &play, &"0\n".repeat(20));
    assert_eq!(said.code, Some(0), "{said:?}");
    let mut home = Pty::program(&["--saves", path(folder.path())]);
    home.wait_for("Is a number near 110,000 prime?");
    home.settle();
    let shown = home.screen(vt100::Screen::contents);
    let list: Vec<&str> = shown
        .lines()
        .map(|line| line.split('│').nth(1).unwrap_or(""))
        .collect();
    let is_scenario = |line: &&&str| line.contains("109,931") && line.contains("easy");
    assert!(!list.iter().any(|line| is_scenario(&line)), "{shown}");
    // A search finds it by its old number.
    home.type_in("/109,931\r");
    home.wait_for("Is a number near 110,000 prime?");
    home.type_in("q");
    assert_eq!(home.exit_code(), 0);
}

/// After a finished debate, home marks the next step, and its last line says where the debate is.
#[test]
fn esc_at_the_end_leaves_for_the_next_step_at_home() {
    let folder = tempfile::tempdir().unwrap();
    let saves = [("DEBATE_TUI_SAVES", path(folder.path()))];
    let mut home = Pty::program_at(&["--seed", "7"], (120, 36), &saves);
    press(
        &mut home,
        &[
            ("", "What next"),
            ("/recursion\r", "plain recursion"),
            ("\r", "Which seat"),
        ],
    );
    home.type_in("2\r");
    home.begin();
    home.wait_for("Next move");
    home.type_until("1\r", "The end");
    home.type_until("\x1b", "What next");
    home.wait_for("The debate is saved; it is listed under “Finished debates”.");
    home.settle();
    let shown = home.screen(vt100::Screen::contents);
    let item = shown.lines().nth(3).unwrap();
    assert!(
        item.contains("Play again: you did not win") || item.contains("Another seat: you won"),
        "{shown}"
    );
    // Opened, it is a scenario again.
    press(&mut home, &[("\r", "Which seat"), ("q", "What next")]);
    home.type_in("q");
    assert_eq!(home.exit_code(), 0);

    let play = ["primes-recursive", "--role", "opponent", "--seed", "7"];
    let mut pty = Pty::program_at(&play, (120, 36), &saves);
    pty.begin();
    pty.wait_for("Next move");
    pty.type_until("1\r", "The end");
    // While the review is computed, Escape stops it.
    pty.wait_until("the review", |shown| {
        shown.contains("The end") && !shown.contains("esc stop")
    });
    pty.type_in("\x1b");
    pty.wait_for("again to leave; the debate is saved.");
    pty.type_in("\x1b");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
    pty.assert_told_after_leaving("To see it again: debate-tui replay");
}
