//! Engines, which are other programs in the seats: `engine:COMMAND`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::driver::Driver;
use crate::support::engines::{command, script};
#[cfg(target_os = "linux")]
use crate::support::patience::wait_until;
use crate::support::program::{Said, json as document, path, say};
use debate_core::budget::ComputationBudget;
use debate_host::AdvanceResult;
use debate_host::engine::{EngineFailure, EngineWaitAndRetryLimits};
use debate_host::message::DebateOverrides;
use debate_host::plan::{DebateOptions, ExternalPlayerOptions, SaveStorageOptions};
use debate_host::record::verify_file;
use debate_solver::setup::{ScenarioLimits, bundled_scenarios};

/// The name of a player that is an engine of `tests/engines`; `None` without Python.
fn engine(file: &str, arguments: &str) -> Option<String> {
    Some(format!("engine:{}", command(file, arguments)?))
}

/// The name of a player that is a shell script; see [`script`].
fn shell(folder: &Path, name: &str, at_request: &str) -> String {
    format!("engine:{}", script(folder, name, at_request))
}

fn saves(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "ron"))
        .collect()
}

/// Plays a debate with an engine in a seat; returns the output and the save.
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

/// Verifies a save. Returns true if its debate is finished.
fn verified(save: &Path) -> bool {
    let verdict = verify_file(save, &ScenarioLimits::default()).unwrap();
    assert!(verdict.ok, "{verdict:?}");
    verdict.finished
}

/// A scenario of each protocol.
const EACH_PROTOCOL: [&str; 8] = [
    "primes",
    "primes-recursive",
    "law",
    "lighthouse",
    "turing",
    "parity",
    "qbf",
    "caffeine-plan",
];

#[test]
fn the_engine_of_the_guide_plays_each_protocol_to_a_verified_save() {
    let Some(simple) = engine("simple.py", "") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut all = vec!["match", "--saves", path(folder.path()), "--json"];
    all.extend(["--seed", "7", "-n", "1", "--jobs", "1"]);
    all.extend([
        "--prover",
        &simple,
        "--opponent",
        &simple,
        "--judge",
        &simple,
    ]);
    for scenario in EACH_PROTOCOL {
        all.extend(["--scenario", scenario]);
    }
    let table = document(&say(folder.path(), &all, ""));
    assert_eq!(table["finished"], EACH_PROTOCOL.len(), "{table}");
    let mut seats = 0;
    for save in saves(folder.path()) {
        assert!(verified(&save));
        let text = fs::read_to_string(&save).unwrap();
        // The first reply of each seat names the engine. A debate need not ask the judge.
        let asked = ["Prover", "Opponent", "Judge"]
            .iter()
            .filter(|seat| text.contains(&format!("seat: {seat}, reply")))
            .count();
        assert_eq!(text.matches("engine: \"simple 1.0\"").count(), asked);
        seats += asked;
    }
    assert!(seats > 2 * EACH_PROTOCOL.len(), "{seats}");
    plays_an_open_argument(&simple);
}

/// Plays an argument whose claims the players write, with this engine in each seat.
fn plays_an_open_argument(engine: &str) {
    let folder = tempfile::tempdir().unwrap();
    let more = ["--opponent", engine, "--judge", engine];
    let (said, save) = play(folder.path(), "open", "prover", engine, &more);
    assert_eq!(document(&said)["outcome"], "finished", "{said:?}");
    assert!(verified(&save));
    let text = fs::read_to_string(&save).unwrap();
    assert!(text.contains("reply: Compose("), "{text}");
}

#[test]
#[ignore = "exhaustive: 16 s; every day: the_engine_of_the_guide_plays_each_protocol_to_a_verified_save"]
fn the_engine_of_the_guide_plays_every_seat_to_a_verified_save() {
    let Some(simple) = engine("simple.py", "") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut played = 0;
    for scenario in bundled_scenarios()
        .iter()
        .filter(|scenario| scenario.name != "open")
    {
        for seat in ["prover", "opponent", "judge"] {
            let (said, save) = play(folder.path(), scenario.name, seat, &simple, &[]);
            let outcome = document(&said);
            assert_eq!(outcome["outcome"], "finished", "{} {seat}", scenario.name);
            assert!(verified(&save));
            let text = fs::read_to_string(&save).unwrap();
            played += usize::from(text.contains("engine: \"simple 1.0\""));
        }
    }
    // Some scenarios never ask the judge.
    assert!(played > 40, "{played}");
}

/// The limits of an engine that has time for everything.
const PATIENT: EngineWaitAndRetryLimits = EngineWaitAndRetryLimits {
    hello: Duration::from_secs(600),
    reply: Duration::from_secs(600),
    stall: Duration::from_secs(6000),
    quit: Duration::from_millis(50),
    retries: 2,
    patience: 5,
};

/// Plays a debate in this process, with an engine as the estimator. Returns how the engine ended, and the save.
fn play_within(
    limits: EngineWaitAndRetryLimits,
    engine: &str,
    folder: &Path,
) -> (EngineFailure, PathBuf) {
    let options = DebateOptions {
        choices: DebateOverrides {
            players: [None, Some(engine.to_owned()), None].into(),
            seed: Some("7".to_owned()),
            ..DebateOverrides::default()
        },
        roles: vec![None],
        engines: ExternalPlayerOptions {
            limits,
            ..ExternalPlayerOptions::default()
        },
        ..DebateOptions::default()
    };
    let plan = options.plan_named_scenario("primes-small").unwrap();
    let instance = plan.instance();
    let players = plan
        .build_players(&instance, ComputationBudget::default())
        .unwrap();
    let save_options = SaveStorageOptions {
        folder: Some(folder.to_owned()),
        no_save: false,
    };
    let debate = plan
        .debate(&instance, players, &save_options, None)
        .unwrap();
    let mut debate = debate.with_engines(plan.start_engines(&instance).unwrap());
    let save = debate.save_path().unwrap().to_owned();
    let step = debate.play_until_blocked().unwrap();
    let AdvanceResult::Failed(ending) = step else {
        panic!("the engine makes no move, but: {step:?}");
    };
    (ending, save)
}

/// Neither engine ever sends the message that the program waits for, so the result does not depend on the machine's
/// speed.
#[test]
fn a_silent_engine_forfeits_at_its_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let silent = shell(folder.path(), "silent", "");
    let limits = EngineWaitAndRetryLimits {
        reply: Duration::from_millis(50),
        ..PATIENT
    };
    let (ending, save) = play_within(limits, &silent, folder.path());
    assert_eq!(ending.fault.engine_fault_name(), "timeout", "{ending}");
    assert_eq!(ending.why, "no reply within 50ms");
    let text = fs::read_to_string(&save).unwrap();
    let end = "end: Forfeit(seat: Opponent, fault: \"timeout\")";
    assert!(text.contains(end), "{text}");
    verified(&save);
    // The flag holds for the first message, too.
    let all = ["primes-small", "--role", "none", "--seed", "7", "--plain"];
    let limits = ["--opponent", "engine:cat >&2", "--engine-timeout", "1"];
    let said = say(folder.path(), &[&all[..], &limits].concat(), "");
    assert_eq!(said.code, Some(3), "{said:?}");
    let why = "the engine sent no `hello` within 1s";
    assert!(said.err.contains(why), "{said:?}");
}

#[test]
#[ignore = "exhaustive: 61 s; every day: a_silent_engine_forfeits_at_its_deadline"]
fn the_flag_limits_the_time_of_a_reply() {
    let folder = tempfile::tempdir().unwrap();
    let silent = shell(folder.path(), "silent", "");
    // The same limit holds for its `hello`, which a busy machine may delay.
    let limit = ["--engine-timeout", "60"];
    let (said, save) = play(folder.path(), "primes-small", "opponent", &silent, &limit);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("no reply within 60s"), "{said:?}");
    verified(&save);
}

/// Runs the engine that talks without end, with at most `kilobytes` of memory for the program. Returns the lines of the
/// log.
#[cfg(target_os = "linux")]
fn log_of_chatter(complaints: usize, thoughts: usize, kilobytes: u32) -> Option<Vec<String>> {
    let arguments = format!("chatter {complaints} {thoughts}");
    let chatter = engine("faulty.py", &arguments)?;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("engine.log");
    let limit = format!("ulimit -d {kilobytes}; exec \"$0\" \"$@\"");
    let run = std::process::Command::new("sh")
        .args(["-c", &limit, env!("CARGO_BIN_EXE_debate-tui")])
        .args(["primes-small", "--role", "none", "--seed", "7", "--plain"])
        .args(["--opponent", &chatter, "--log"])
        .arg(&log)
        .env("DEBATE_TUI_SAVES", folder.path())
        .env("DEBATE_TUI_CONFIG", folder.path().join("config.ron"))
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{err}");
    let log = fs::read_to_string(log).unwrap();
    assert!(log.len() <= 16 << 20, "{}", log.len());
    Some(log.lines().map(str::to_owned).collect())
}

/// Checks that the log has the newest complaints, and the number of those that it dropped.
#[cfg(target_os = "linux")]
fn assert_newest_complaints(log: &[String], complaints: usize) {
    let (dropped, _) = log[0]
        .split_once(" earlier lines were dropped")
        .expect(&log[0]);
    let dropped: usize = dropped.parse().unwrap();
    let kept = log.iter().filter(|line| line.contains("complaint "));
    let (first, last) = (kept.clone().next().unwrap(), kept.clone().next_back());
    // Each line between the dropped ones and the newest one is there.
    let kept = kept.count();
    assert!(
        kept > 1000 && kept + dropped >= complaints,
        "{kept} {dropped} {first}"
    );
    let newest = format!("complaint {} ", complaints - 1);
    assert!(last.unwrap().contains(&newest), "{last:?}");
}

/// Checks that the newest thought is shown, and that each other one is shown or counted.
#[cfg(target_os = "linux")]
fn assert_newest_thought(log: &[String], thoughts: usize) {
    let told = log.iter().filter(|line| line.contains("thought "));
    let counted = told.clone().filter_map(|line| {
        let (_, count) = line.split_once("dropped=")?;
        count.trim().parse::<usize>().ok()
    });
    let newest = format!("thought {} ", thoughts - 1);
    assert!(told.clone().any(|line| line.contains(&newest)), "{newest}");
    assert_eq!(told.count() + counted.sum::<usize>(), thoughts);
}

/// The thoughts and the complaints of an engine take bounded memory and a bounded file.
#[cfg(target_os = "linux")]
#[test]
fn long_output_of_an_engine_fills_no_memory() {
    // The program alone takes 12 MB, and to halve the log takes 24 MB more.
    let Some(log) = log_of_chatter(80_000, 0, 60_000) else {
        return;
    };
    assert_newest_complaints(&log, 80_000);
    // These thoughts have 24 MB.
    let log = log_of_chatter(0, 80_000, 25_000).unwrap();
    assert_newest_thought(&log, 80_000);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "exhaustive: 7 s; every day: long_output_of_an_engine_fills_no_memory"]
fn endless_output_of_an_engine_fills_no_memory() {
    let Some(log) = log_of_chatter(80_000, 400_000, 120_000) else {
        return;
    };
    assert_newest_complaints(&log, 80_000);
    assert_newest_thought(&log, 400_000);
}

/// An error that an engine reports, in a shell script.
fn reports(kind: &str, why: &str) -> String {
    format!(
        r#"echo '{{"type":"error","id":'$n',"kind":"{kind}","why":"{why}","retry_after_ms":1}}'"#
    )
}

#[test]
fn every_fault_of_an_engine_is_recorded_by_its_name_and_forfeits() {
    let folder = tempfile::tempdir().unwrap();
    let [bug, refusal] = ["bug", "model_refusal"].map(|kind| reports(kind, "because"));
    for (recorded, at_request) in [
        ("crash", "echo 'the sky fell' >&2; exit 7"),
        ("bad_json", "echo let me think"),
        // A line that exceeds the limit of a message.
        ("bad_json", "head -c 5000000 /dev/zero | tr '\\0' x; echo"),
        (
            "illegal",
            r#"echo '{"type":"reply","id":'$n',"reply":{"select":99}}'"#,
        ),
        ("bug", &bug),
        ("model_refusal", &refusal),
    ] {
        let faulty = shell(folder.path(), recorded, at_request);
        let (said, save) = play(folder.path(), "primes-small", "opponent", &faulty, &[]);
        assert_eq!(said.code, Some(3), "{recorded}: {said:?}");
        let outcome: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(outcome["outcome"], "forfeited", "{recorded}");
        assert_eq!(
            outcome["forfeit"],
            json!({"seat": "opponent", "fault": recorded})
        );
        assert!(
            said.err.contains(recorded) && said.err.contains("forfeits"),
            "{said:?}"
        );
        verified(&save);
        let text = fs::read_to_string(&save).unwrap();
        let end = format!("end: Forfeit(seat: Opponent, fault: \"{recorded}\")");
        assert!(text.contains(&end), "{recorded}: {text}");
        let replayed = say(folder.path(), &["replay", "--plain", path(&save)], "");
        let ended = format!("The debate was forfeited by the opponent ({recorded}).");
        assert!(replayed.out.contains(&ended), "{replayed:?}");
        for format in ["md", "html"] {
            let all = ["export", path(&save), "--to", format];
            let told = say(folder.path(), &all, "").out.replace('\\', "");
            assert!(told.contains(&ended), "{format}: {told}");
        }
    }
}

#[test]
fn an_outage_leaves_the_debate_unfinished() {
    let folder = tempfile::tempdir().unwrap();
    let down = shell(folder.path(), "down", &reports("transient", "429"));
    let (said, save) = play(folder.path(), "primes-small", "opponent", &down, &[]);
    assert_eq!(said.code, Some(3), "{said:?}");
    verified(&save);
    let text = fs::read_to_string(&save).unwrap();
    assert!(!text.contains("end:"), "{text}");
    assert_eq!(text.matches("fault: \"transient\"").count(), 5, "{text}");
    assert!(
        text.contains("fault: \"infrastructure\", why: \"429\""),
        "{text}"
    );
    // The debate is resumed once the user allows the command that the save names.
    let refused = say(folder.path(), &["resume", path(&save), "--plain"], "");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.err.contains("--allow-commands"), "{refused:?}");
    let again = ["resume", path(&save), "--plain", "--allow-commands"];
    let again = say(folder.path(), &again, "");
    assert_eq!(again.code, Some(3), "{again:?}");
}

#[test]
fn late_duplicate_and_foreign_replies_are_ignored() {
    let Some(engine) = engine("faulty.py", "recovers") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (said, save) = play(folder.path(), "primes-small", "opponent", &engine, &[]);
    assert_eq!(document(&said)["outcome"], "finished");
    verified(&save);
    let text = fs::read_to_string(&save).unwrap();
    assert!(text.contains("refused: Select(99), why: "), "{text}");
    assert!(
        text.contains("fault: \"transient\", why: \"503\""),
        "{text}"
    );
    assert!(text.contains("cost: (calls: 1, usd: \"0.01\")"), "{text}");
}

#[test]
fn options_of_an_engine_are_saved_in_its_name_and_first_reply() {
    let Some(command) = command("faulty.py", "recovers") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let engine = format!("engine(t=0.7):{command}");
    let (said, save) = play(folder.path(), "primes-small", "opponent", &engine, &[]);
    assert_eq!(document(&said)["outcome"], "finished");
    verified(&save);
    let text = fs::read_to_string(&save).unwrap();
    assert!(text.contains(&format!("opponent: \"{engine}\"")), "{text}");
    let kept = "engine: \"faulty recovers\", options: {\"style\": \"long\", \"t\": \"0.7\"}";
    assert_eq!(text.matches(kept).count(), 1, "{text}");
    // The engine received the same text.
    let told = r#"note: "{\"style\": \"long\", \"t\": 0.7}""#;
    assert!(text.contains(told), "{text}");
    let unknown = format!("engine(heat=1):{command}");
    let arguments = ["primes-small", "--role", "none", "--opponent", &unknown];
    let said = say(folder.path(), &arguments, "");
    assert_eq!(said.code, Some(3), "{said:?}");
    let why = "the engine has no option \"heat\"; it has style, t";
    assert!(said.err.contains(why) && said.is_clean(), "{said:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn child_processes_end_with_their_engine() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("child.pid");
    // The child holds neither pipe open, so the engine's end alone does not end it.
    let mut at_request = "sleep 1000 < /dev/null > /dev/null 2>&1 & ".to_owned();
    write!(at_request, "echo $! > {}; ", file.display()).unwrap();
    at_request += &reports("bug", "because");
    let parent = shell(folder.path(), "parent", &at_request);
    let (_, save) = play(folder.path(), "primes-small", "opponent", &parent, &[]);
    let text = fs::read_to_string(&save).unwrap();
    assert!(text.contains("fault: \"bug\""), "{text}");
    let child = fs::read_to_string(&file).unwrap();
    let stat = format!("/proc/{}/stat", child.trim());
    wait_until("the end of the child", || {
        // A process that has ended is `Z` until its parent asks for the exit code.
        let state = fs::read_to_string(&stat).unwrap_or_default();
        (state.is_empty() || state.contains(") Z ")).then_some(())
    });
}

#[test]
fn a_program_that_is_no_engine_gives_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    for (command, why) in [
        ("engine:exit 3", "it ended"),
        ("engine:no-such-program-anywhere", "it ended"),
        ("engine:echo hello; cat", "not a message"),
        ("engine:", "has no command"),
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
    // On a busy machine an engine may need more than the 0.75 s that it gets for its end.
    let is_late = said
        .out
        .contains("FAIL  ends after `bye`: the engine still ran 0.75 s");
    assert_eq!(said.code, Some(i32::from(is_late)), "{said:?}");
    let passed = said.out.lines().filter(|line| line.starts_with("pass  "));
    assert!(passed.clone().count() > 15, "{said:?}");
    let lines = said.out.lines().count() - usize::from(is_late);
    assert_eq!(passed.count(), lines, "{said:?}");
    assert!(
        said.out
            .contains("pass  the engine replies again after an illegal reply"),
        "{said:?}"
    );
    assert!(
        said.out
            .contains("pass  the engine plays the estimator in the scenario "),
        "{said:?}"
    );
    assert_eq!(saves(folder.path()).len(), 0);
}

#[test]
fn engine_check_names_the_faults_of_an_engine() {
    let folder = tempfile::tempdir().unwrap();
    let check = |command: &str| {
        let said = say(folder.path(), &["engine", "check", command], "");
        assert_eq!(said.code, Some(1), "{said:?}");
        said.out
    };
    // It answers a ping with another message, and it continues after `bye`.
    let faulty = folder.path().join("faulty.sh");
    let text = r#"read -r hello
        echo '{"type":"hello","name":"faulty","version":"crash"}'
        while read -r line; do
          case $line in
            '{"type":"ping"'*) echo '{"type":"info","id":1,"text":"here"}';;
            '{"type":"act"'*) echo 'the sky fell' >&2; exit 7;;
            '{"type":"bye"'*) sleep 1000;;
          esac
        done"#;
    fs::write(&faulty, text).unwrap();
    let said = check(&format!("sh {}", faulty.display()));
    for line in [
        "pass  says hello: faulty crash",
        "FAIL  answers a ping: the engine sent another message instead",
        "FAIL  ends after `bye`: the engine still ran 0.75 s after `bye`",
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
