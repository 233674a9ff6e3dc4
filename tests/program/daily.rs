//! `daily`: the debate of a day in plain lines, and the line to share.

use std::fs;
use std::path::Path;

use crate::support::program::{Said, json, path, run_here};

const DATE: &str = "2026-01-05";

fn daily(folder: &Path, flags: &[&str], input: &str) -> Said {
    let arguments = [&["daily", "--date", DATE][..], flags].concat();
    run_here(folder, &arguments, input)
}

/// Enough answers of 50 % for any daily debate.
fn halves() -> String {
    "50\n".repeat(20)
}

fn save_of(folder: &Path) -> std::path::PathBuf {
    let saves = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut saves = saves.filter(|path| path.extension().is_some_and(|end| end == "ron"));
    saves.next().unwrap()
}

#[test]
fn a_finished_debate_gives_a_line_to_share_and_a_second_one_is_practice() {
    let dir = tempfile::tempdir().unwrap();
    let none = daily(dir.path(), &["--share"], "");
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(
        none.out
            .contains("You have no finished daily debate of 2026-01-05.")
    );

    // The first part is played, left, and continued.
    let left = daily(dir.path(), &["--plain"], "50\nq\n");
    assert_eq!(left.code, Some(0), "{left:?}");
    assert!(left.out.contains("daily/1/2026-01-05"), "{left:?}");
    let done = daily(dir.path(), &["--plain"], &halves());
    assert_eq!(done.code, Some(0), "{done:?}");
    let line = done
        .out
        .lines()
        .find(|line| line.starts_with("debate-tui daily"));
    let line = line.unwrap().to_owned();
    assert!(
        line.contains("gap ") && !line.contains("practice"),
        "{line}"
    );
    let share = daily(dir.path(), &["--share"], "");
    assert_eq!((share.code, share.out.trim()), (Some(0), &*line));
    let save = save_of(dir.path());
    let verified = run_here(dir.path(), &["verify", path(&save)], "");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let me = json(&run_here(dir.path(), &["me", "--json"], ""));
    assert_eq!(me["debates"], 1, "{me}");
    assert!(me["hints_squared_error"].is_number(), "{me}");
    assert_eq!(me["daily_streak"], 0, "{me}");

    let again = daily(dir.path(), &["--plain"], &format!("hint\n{}", halves()));
    assert!(
        again.out.contains(
            "This was practice: a hint was shown, and this was not your first attempt at the daily debate of this day."
        ),
        "{again:?}"
    );
    assert!(
        again.err.contains("so this debate is practice"),
        "{again:?}"
    );
    // The first one still counts.
    assert_eq!(daily(dir.path(), &["--share"], "").out.trim(), line);
}

#[test]
fn everybody_gets_the_same_debate() {
    let transcripts = [(), ()].map(|()| {
        let dir = tempfile::tempdir().unwrap();
        daily(dir.path(), &["--plain"], &halves()).out
    });
    assert_eq!(transcripts[0], transcripts[1]);
}

#[test]
fn dates_in_another_form_and_in_the_future_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (date, why) in [
        ("9999-12-31", "is in the future"),
        ("2026-02-30", "write YYYY-MM-DD"),
        ("yesterday", "write YYYY-MM-DD"),
    ] {
        let said = run_here(dir.path(), &["daily", "--date", date], "");
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(why), "{said:?}");
    }
    let help = run_here(dir.path(), &["daily", "--help"], "");
    assert!(help.out.contains("makes it practice"), "{help:?}");
    assert!(help.out.contains("debate-tui daily --share"), "{help:?}");
}

/// Scenarios of daily debates have several instances, so the name and the usual title of the scenario may be about
/// another one.
#[test]
fn saves_of_daily_debates_are_named_and_listed_by_their_day_and_question() {
    for day in 5..9 {
        let date = format!("2026-01-0{day}");
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let left = run_here(folder, &["daily", "--date", &date, "--plain"], "50\nq\n");
        assert_eq!(left.code, Some(0), "{left:?}");
        let save = save_of(folder);
        let name = save.file_name().unwrap().to_string_lossy();
        assert!(name.contains(&format!("daily-{date}")), "{name}");
        let title = left.out.lines().next().unwrap();
        let title = title.split(" (one of").next().unwrap();
        let listed = run_here(folder, &["list", "saves"], "");
        let shown = listed.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let wanted = format!("{title} (daily {date}, unfinished");
        assert!(shown.contains(&wanted), "{wanted}: {listed:?}");
        let done = run_here(folder, &["daily", "--date", &date, "--plain"], &halves());
        assert_eq!(done.code, Some(0), "{done:?}");
        let me = run_here(folder, &["me"], "");
        assert!(me.out.contains(title), "{title}: {me:?}");
    }
}
