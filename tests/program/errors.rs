//! Errors as JSON, settings for one run, colours on request, and the version.

use serde_json::Value;

use crate::support::program::{program, run_here, say};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The lines of a run's stderr, each of which is a JSON object.
fn lines(err: &str) -> Vec<Value> {
    let lines = err.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect(err)
}

#[test]
fn errors_are_one_line_of_json_if_json_is_asked_for() {
    let dir = folder();
    for (line, kind, code, part) in [
        ("solve nowhere --json", "input", 2, "nowhere"),
        ("nowhere --json", "input", 2, "no such file or scenario"),
        ("check nowhere --json", "input", 2, "lines above this one"),
        (
            "verify nowhere.ron --json",
            "input",
            2,
            "lines above this one",
        ),
        ("report nowhere.csv --json", "input", 2, "nowhere.csv"),
        ("simulate primes -n 0 --json", "usage", 2, "whole number"),
        ("solve --json", "usage", 2, "<SCENARIO>"),
        ("--json slove primes", "usage", 2, "did you mean"),
        (
            "solve primes --json --no-such-flag",
            "usage",
            2,
            "--no-such-flag",
        ),
        (
            "solve primes-small --sweep rho=0.5..0.6:2 --vega /dev/full --json",
            "system",
            3,
            "No space left",
        ),
        (
            "train hidden-flaw --delta 0.01 --out /dev --json",
            "input",
            2,
            "is a folder",
        ),
        ("study check nowhere --json", "input", 2, "nowhere"),
        ("match --json", "usage", 2, "<PLAN>"),
        ("export nowhere --to json --json", "usage", 2, "--json"),
    ] {
        if cfg!(not(unix)) && line.contains("/dev") {
            continue;
        }
        let words: Vec<&str> = line.split(' ').collect();
        for said in [
            run_here(dir.path(), &words, ""),
            say(dir.path(), &words, ""),
        ] {
            assert_eq!(said.code, Some(code), "{line}: {said:?}");
            let lines = lines(&said.err);
            let (last, notes) = lines.split_last().expect("a line");
            let error = &last["error"];
            assert_eq!(error["kind"], kind, "{line}: {said:?}");
            assert_eq!(error["code"], code, "{line}: {said:?}");
            let message = error["message"].as_str().expect("a sentence");
            assert!(message.contains(part), "{line}: {said:?}");
            assert!(!message.contains("Usage"), "{line}: {said:?}");
            for note in notes {
                assert!(note["note"]["message"].is_string(), "{line}: {said:?}");
            }
        }
    }
    // After `--` the word is a file.
    let said = run_here(dir.path(), &["verify", "--", "--json"], "");
    assert!(said.err.starts_with("debate-tui: --json: "), "{said:?}");
    // The answer no is not an error.
    let no = ["check", "hidden-flaw", "--require-stable", "--json"];
    let said = run_here(dir.path(), &no, "");
    assert_eq!((said.code, &*said.err), (Some(1), ""), "{said:?}");
}

#[test]
fn settings_for_one_run_are_given_before_or_after_the_command() {
    let dir = folder();
    let saves = dir.path().join("mine");
    let folder = format!("saves=\"{}\"", saves.display());
    let folder = folder.replace('"', "");
    for words in [
        ["--set", &folder, "list", "saves"],
        ["list", "saves", "--set", &folder],
        ["list", "--set", &folder, "saves"],
    ] {
        let mut command = program(dir.path());
        command.env_remove("DEBATE_TUI_SAVES").args(words);
        let said = crate::support::program::Said::from(command.output().expect("it runs"));
        assert_eq!(said.code, Some(0), "{said:?}");
        let named = said.err.contains(saves.to_str().expect("UTF-8"));
        assert!(named, "{words:?}: {said:?}");
    }
    // All settings apply; if a name is repeated, the last value is used.
    let words = ["--set", "speed=3", "--print-config", "--set=theme=light"];
    let printed = run_here(dir.path(), &words, "");
    assert!(printed.out.contains("speed: 3,"), "{printed:?}");
    assert!(printed.out.contains("theme: \"light\","), "{printed:?}");
    for words in [
        ["--set", "sped=3", "guide", "saves"],
        ["solve", "primes", "--set", "sped=3"],
        ["--set", "sped=3", "solve", "primes"],
    ] {
        let said = run_here(dir.path(), &words, "");
        assert_eq!((said.code, &*said.out), (Some(2), ""), "{said:?}");
        assert!(said.err.contains("did you mean `speed`?"), "{said:?}");
    }
}

#[test]
fn colours_are_forced_by_a_flag_and_by_variables() {
    let dir = folder();
    let run = |variables: &[(&str, &str)], words: &[&str]| {
        let mut command = program(dir.path());
        for name in ["NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied()).args(words);
        crate::support::program::Said::from(command.output().expect("it runs"))
    };
    for words in [
        &["--print-themes"][..],
        &["--help"],
        &["solve", "--help"],
        &["solve", "--no-such-flag"],
    ] {
        let has_colour = |variables: &[(&str, &str)], more: &[&str]| {
            let said = run(variables, &[more, words].concat());
            (said.out + &said.err).contains('\u{1b}')
        };
        assert!(!has_colour(&[], &[]), "{words:?}");
        for name in ["FORCE_COLOR", "CLICOLOR_FORCE"] {
            assert!(has_colour(&[(name, "1")], &[]), "{name}: {words:?}");
            let both = [(name, "1"), ("NO_COLOR", "1")];
            assert!(!has_colour(&both, &[]), "{name}: {words:?}");
            let never = ["--color", "never"];
            assert!(!has_colour(&[(name, "1")], &never), "{name}: {words:?}");
        }
        assert!(!has_colour(&[("FORCE_COLOR", "0")], &[]), "{words:?}");
        assert!(has_colour(&[("NO_COLOR", "1")], &["--color", "always"]));
    }
    // A command without coloured output reports that.
    let said = run(&[], &["--color", "always", "list", "protocols"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.err.contains("--color always has no effect"),
        "{said:?}"
    );
    assert_eq!(run(&[("FORCE_COLOR", "1")], &["list", "protocols"]).err, "");
}

#[test]
fn the_version_names_the_features_of_the_build() {
    let dir = folder();
    let said = run_here(dir.path(), &["--version"], "");
    let names = [
        ("mcp", cfg!(feature = "mcp")),
        ("tls", cfg!(feature = "tls")),
        ("web", cfg!(feature = "web")),
    ];
    let names: Vec<&str> = names.iter().filter(|it| it.1).map(|it| it.0).collect();
    let names = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        said.out,
        format!("debate-tui {version} (features: {names})\n")
    );
}
