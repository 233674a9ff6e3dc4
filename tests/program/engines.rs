//! Other programs in the seats: `engine:COMMAND`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::driver::Driver;
use crate::support::engines::command;
use crate::support::program::{Said, json as document, path, say};
use debate_lab::setup::bundled;

/// A player that is one of the engines beside these tests.
fn engine(file: &str, arguments: &str) -> Option<String> {
    Some(format!("engine:{}", command(file, arguments)?))
}

fn saves(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "ron"))
        .collect()
}

/// Plays a debate with an engine in a seat; returns what was said, and the save.
fn play(folder: &Path, scenario: &str, seat: &str, engine: &str, more: &[&str]) -> (Said, PathBuf) {
    let flag = format!("--{seat}");
    let all = [
        &[
            scenario, "--role", "none", "--seed", "7", "--json", &flag, engine,
        ],
        more,
    ]
    .concat();
    let before = saves(folder);
    let said = say(folder, &all, "");
    let mut after = saves(folder);
    after.retain(|save| !before.contains(save));
    assert_eq!(after.len(), 1, "{said:?}");
    (said, after.remove(0))
}

fn verified(folder: &Path, save: &Path) -> Value {
    let verified = document(&say(folder, &["verify", path(save), "--json"], ""));
    assert_eq!(verified["ok"], true, "{verified}");
    verified
}

#[test]
fn the_guide_shows_the_engine_that_is_tested() {
    let guide = include_str!("../../src/guide/engines.md");
    assert!(guide.contains(include_str!("../engines/simple.py")));
    let guide = include_str!("../../src/guide/models.md");
    assert!(guide.contains(include_str!("../engines/model.py")));
}

#[test]
fn the_engine_of_the_guide_plays_every_seat_to_a_verified_save() {
    let Some(simple) = engine("simple.py", "") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut played = 0;
    for scenario in bundled().iter().filter(|scenario| scenario.name != "open") {
        for seat in ["prover", "opponent", "judge"] {
            let (said, save) = play(folder.path(), scenario.name, seat, &simple, &[]);
            let outcome = document(&said);
            assert_eq!(outcome["outcome"], "finished", "{} {seat}", scenario.name);
            assert_eq!(verified(folder.path(), &save)["finished"], true);
            let text = fs::read_to_string(&save).unwrap();
            played += usize::from(text.contains("engine: \"simple 1.0\""));
        }
    }
    // Some seats are never asked.
    assert!(played > 40, "{played}");
    // An argument that people write is written by it, and nobody else plays there who writes.
    let more = ["--opponent", &simple, "--judge", &simple];
    let (said, save) = play(folder.path(), "open", "prover", &simple, &more);
    assert_eq!(document(&said)["outcome"], "finished", "{said:?}");
    assert_eq!(verified(folder.path(), &save)["finished"], true);
    let text = fs::read_to_string(&save).unwrap();
    assert!(text.contains("reply: Compose("), "{text}");
}

/// A limit of time holds for its first word too, and for how long it asks to be left alone.
#[test]
fn no_engine_takes_longer_than_it_may() {
    let (Some(silent), Some(busy)) = (
        engine("faulty.py", "no_hello"),
        engine("faulty.py", "hangs"),
    ) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let play = |engine: &str| {
        let begun = Instant::now();
        let all = ["primes-small", "--role", "none", "--seed", "7", "--plain"];
        let limits = ["--opponent", engine, "--engine-timeout", "1"];
        let said = say(folder.path(), &[&all[..], &limits].concat(), "");
        assert_eq!(said.code, Some(3), "{said:?}");
        (said, begun.elapsed())
    };
    let (said, took) = play(&silent);
    let why = "it said no `hello` within 1s";
    assert!(said.err.contains(why), "{said:?}");
    assert!(took < Duration::from_secs(25), "{took:?}");
    let (said, took) = play(&busy);
    assert!(said.err.contains("(infrastructure): 429"), "{said:?}");
    assert!(took < Duration::from_secs(100), "{took:?}");
}

/// What an engine says of its thinking, and what it complains of, takes bounded memory and a bounded file.
#[cfg(target_os = "linux")]
#[test]
fn an_engine_that_talks_without_end_fills_nothing() {
    let Some(chatter) = engine("faulty.py", "chatter") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("engine.log");
    let all = [
        "primes-small",
        "--role",
        "none",
        "--seed",
        "7",
        "--plain",
        "--opponent",
        &chatter,
        "--log",
    ];
    // So many kilobytes of its own.
    let limit = "ulimit -d 120000; exec \"$0\" \"$@\"";
    let run = std::process::Command::new("sh")
        .args(["-c", limit, env!("CARGO_BIN_EXE_debate-tui")])
        .args(all)
        .arg(&log)
        .env("DEBATE_TUI_SAVES", folder.path())
        .env("DEBATE_TUI_CONFIG", folder.path().join("config.ron"))
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{err}");
    let log = fs::read_to_string(log).unwrap();
    assert!(log.len() <= 16 << 20, "{}", log.len());
    let (first, _) = log.split_once('\n').unwrap();
    let (dropped, _) = first
        .split_once(" earlier lines were dropped")
        .expect(first);
    // Nothing is lost between what was dropped and what is there.
    let complaints = |line: &&str| line.contains("complaint ");
    let kept = log.lines().filter(complaints).count();
    let dropped: usize = dropped.parse().unwrap();
    assert!(kept > 1000 && kept + dropped >= 80_000, "{kept} {dropped}");
    assert!(log.contains("complaint 79999"), "the newest is kept");
    // Of its thinking the newest is told, with how much was said before.
    let thoughts = log.lines().filter(|line| line.contains("thought "));
    let counted = thoughts.clone().filter_map(|line| {
        let (_, count) = line.split_once("dropped=")?;
        count.trim().parse::<usize>().ok()
    });
    let (told, passed) = (thoughts.count(), counted.sum::<usize>());
    assert_eq!(told + passed, 400_000);
    assert!(log.contains("thought 399999"), "the newest is told");
}

/// How a faulty engine's debate ends, and how long that took.
fn failed(fault: &str, arguments: &str, folder: &Path) -> Option<(Said, String, Duration)> {
    let faulty = engine("faulty.py", &format!("{fault} {arguments}"))?;
    let begun = Instant::now();
    // A machine may be busy: only who is to be late has little time.
    let seconds = if ["timeout", "child"].contains(&fault) {
        "2"
    } else {
        "60"
    };
    let timeout = ["--engine-timeout", seconds];
    let (said, save) = play(folder, "primes-small", "opponent", &faulty, &timeout);
    let took = begun.elapsed();
    let text = fs::read_to_string(&save).unwrap();
    verified(folder, &save);
    Some((said, text, took))
}

#[test]
fn every_fault_of_an_engine_is_recorded_by_its_name_and_forfeits() {
    let folder = tempfile::tempdir().unwrap();
    for (fault, recorded) in [
        ("crash", "crash"),
        ("timeout", "timeout"),
        ("bad_json", "bad_json"),
        ("long_line", "bad_json"),
        ("illegal", "illegal"),
        ("bug", "bug"),
        ("model_refusal", "model_refusal"),
    ] {
        let Some((said, save, took)) = failed(fault, "", folder.path()) else {
            return;
        };
        assert_eq!(said.code, Some(3), "{fault}: {said:?}");
        let outcome: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(outcome["outcome"], "forfeited", "{fault}");
        assert_eq!(
            outcome["forfeit"],
            json!({"seat": "opponent", "fault": recorded})
        );
        let save_path = saves(folder.path())
            .into_iter()
            .max_by_key(|path| fs::metadata(path).unwrap().modified().unwrap());
        let replayed = say(
            folder.path(),
            &["replay", "--plain", path(&save_path.unwrap())],
            "",
        );
        let ended = format!("The debate was forfeited by the opponent ({recorded}).");
        assert!(replayed.out.contains(&ended), "{replayed:?}");
        let save_path = saves(folder.path())
            .into_iter()
            .max_by_key(|path| fs::metadata(path).unwrap().modified().unwrap());
        for format in ["md", "html"] {
            let all = ["export", path(save_path.as_ref().unwrap()), "--to", format];
            let told = say(folder.path(), &all, "").out.replace('\\', "");
            assert!(told.contains(&ended), "{format}: {told}");
        }
        let end = format!("end: Forfeit(seat: Opponent, fault: \"{recorded}\")");
        assert!(save.contains(&end), "{fault}: {save}");
        assert!(
            said.err.contains(recorded) && said.err.contains("forfeits"),
            "{said:?}"
        );
        assert!(took < Duration::from_secs(30), "{fault} {took:?}");
    }
}

#[test]
fn an_outage_is_nobodys_loss() {
    let folder = tempfile::tempdir().unwrap();
    let Some((said, save, _)) = failed("infrastructure", "", folder.path()) else {
        return;
    };
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(!save.contains("end:"), "{save}");
    assert_eq!(save.matches("fault: \"transient\"").count(), 5, "{save}");
    assert!(
        save.contains("fault: \"infrastructure\", why: \"429\""),
        "{save}"
    );
    // It is taken up again, once somebody allows the command that the save names.
    let save = saves(folder.path()).remove(0);
    let refused = say(folder.path(), &["resume", path(&save), "--plain"], "");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("--allow-commands"), "{refused:?}");
    let again = ["resume", path(&save), "--plain", "--allow-commands"];
    let again = say(folder.path(), &again, "");
    assert_eq!(again.code, Some(3), "{again:?}");
}

#[test]
fn what_is_late_double_or_anothers_is_passed_over() {
    let Some(engine) = engine("faulty.py", "recovers") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (said, save) = play(folder.path(), "primes-small", "opponent", &engine, &[]);
    assert_eq!(document(&said)["outcome"], "finished");
    verified(folder.path(), &save);
    let text = fs::read_to_string(&save).unwrap();
    assert!(text.contains("refused: Select(99), why: "), "{text}");
    assert!(
        text.contains("fault: \"transient\", why: \"503\""),
        "{text}"
    );
    assert!(text.contains("cost: (calls: 1, usd: \"0.01\")"), "{text}");
}

#[test]
fn options_of_an_engine_stand_in_its_name_and_with_its_first_reply() {
    let Some(command) = command("faulty.py", "recovers") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let engine = format!("engine(t=0.7):{command}");
    let (said, save) = play(folder.path(), "primes-small", "opponent", &engine, &[]);
    assert_eq!(document(&said)["outcome"], "finished");
    verified(folder.path(), &save);
    let text = fs::read_to_string(&save).unwrap();
    assert!(text.contains(&format!("opponent: \"{engine}\"")), "{text}");
    let kept = "engine: \"faulty recovers\", options: {\"style\": \"long\", \"t\": \"0.7\"}";
    assert_eq!(text.matches(kept).count(), 1, "{text}");
    // The engine was told the same.
    let told = r#"note: "{\"style\": \"long\", \"t\": 0.7}""#;
    assert!(text.contains(told), "{text}");
    let unknown = format!("engine(heat=1):{command}");
    let arguments = ["primes-small", "--role", "none", "--opponent", &unknown];
    let said = say(folder.path(), &arguments, "");
    assert_eq!(said.code, Some(3), "{said:?}");
    let why = "it has no option \"heat\"; it has style, t";
    assert!(said.err.contains(why) && said.is_clean(), "{said:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_an_engine_has_started_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("child.pid");
    let Some((_, save, took)) = failed("child", path(&file), folder.path()) else {
        return;
    };
    assert!(save.contains("fault: \"timeout\""), "{save}");
    assert!(took < Duration::from_secs(20), "{took:?}");
    let child = fs::read_to_string(&file).unwrap();
    // A process that was ended may wait for its parent's look, as `Z`.
    let state = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    let runs = !state.is_empty() && !state.contains(") Z ");
    assert!(!runs, "{state}");
}

#[test]
fn what_is_no_engine_is_said_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for (command, why) in [
        ("engine:exit 3", "it ended"),
        ("engine:no-such-program-anywhere", "it ended"),
        ("engine:echo hello; cat", "no message"),
        ("engine:", "names no command"),
    ] {
        let said = say(
            folder.path(),
            &["primes", "--role", "none", "--judge", command],
            "",
        );
        assert!(matches!(said.code, Some(2 | 3)), "{said:?}");
        assert!(said.err.contains(why) && said.is_clean(), "{said:?}");
    }
    assert_eq!(saves(folder.path()).len(), 0);
    // A scenario that names a command does not run it.
    let scenario = fs::read_to_string("scenarios/primes-small.ron").unwrap();
    let (before, rest) = scenario.split_once("players: (").unwrap();
    let (_, after) = rest.split_once(')').unwrap();
    let named = format!("{before}players: (judge: \"engine:touch ran\"){after}");
    let file = folder.path().join("named.ron");
    fs::write(&file, named).unwrap();
    let said = say(
        folder.path(),
        &[path(&file), "--role", "none", "--plain"],
        "",
    );
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("--allow-commands"), "{said:?}");
    assert!(!Path::new("ran").exists());
}

#[test]
fn a_check_of_an_engine_has_a_line_for_each_seat_of_each_protocol() {
    let Some(simple) = engine("simple.py", "") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let simple = simple.strip_prefix("engine:").unwrap();
    let said = say(folder.path(), &["engine", "check", simple], "");
    assert_eq!(said.code, Some(0), "{said:?}");
    let passed = said.out.lines().filter(|line| line.starts_with("pass  "));
    assert!(passed.clone().count() > 15, "{said:?}");
    assert_eq!(passed.count(), said.out.lines().count(), "{said:?}");
    assert!(
        said.out
            .contains("pass  replies once more when its reply is not legal"),
        "{said:?}"
    );
    assert!(
        said.out.contains("pass  plays the estimator of "),
        "{said:?}"
    );
    assert_eq!(saves(folder.path()).len(), 0);
}

#[test]
fn a_check_says_what_is_wrong_with_an_engine() {
    let Some(faulty) = engine("faulty.py", "crash") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let command = faulty.strip_prefix("engine:").unwrap();
    let check = |command: &str| {
        let all = ["engine", "check", command, "--engine-timeout", "2"];
        let said = say(folder.path(), &all, "");
        assert_eq!(said.code, Some(1), "{said:?}");
        said.out
    };
    let said = check(command);
    for line in [
        "pass  says hello: faulty crash",
        "FAIL  answers a ping: nothing came",
        "FAIL  ends when it is told to: it still ran 0.75 s after `bye`",
        "crash: it ended (exit status: 7): the sky fell",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(check("exit 3").starts_with("FAIL  says hello: "));
}

#[test]
fn a_server_runs_no_command_that_a_message_names_unless_it_may() {
    let Some(simple) = engine("simple.py", "") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let new = json!({
        "scenario": "primes-small", "seats": ["opponent"], "players": {"prover": simple}, "seed": "7",
    });
    let mut driver = Driver::start(folder.path(), &[]);
    let mut refused = new.clone();
    refused["type"] = json!("new");
    driver.send(&refused);
    let said = driver.next_of("error");
    assert!(
        said["why"].as_str().unwrap().contains("--allow-commands"),
        "{said}"
    );
    driver.end();
    let mut driver = Driver::start(folder.path(), &["--allow-commands"]);
    driver.begin(&new);
    let end = driver.play(3, |_| ());
    assert_eq!(end["outcome"]["outcome"], "finished");
    driver.end();
}
