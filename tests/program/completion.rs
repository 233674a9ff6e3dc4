//! The completions that a shell gets. `tests/terminal/completion.rs` asks real shells.

use std::fs;
use std::path::Path;

use crate::support::program::{path, program, say};

/// The completions for the last of these words, as fish requests them.
fn offered(folder: &Path, words: &[&str]) -> Vec<String> {
    let output = program(folder)
        .args(["--", "debate-tui"])
        .args(words)
        .env("DEBATE_TUI_COMPLETE", "fish")
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.chars()
            .all(|c| matches!(c, '\n' | '\t') || !c.is_control())
    );
    text.lines().map(str::to_owned).collect()
}

#[test]
fn completion_offers_commands_names_values_saves_and_files() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("mine.ron"), "").unwrap();
    let save = dir.path().join("2026-primes.ron");
    fs::copy("saves/primes-estimator.ron", &save).unwrap();
    let save = path(&save);
    for (words, wanted) in [
        (&["sim"][..], "simulate"),
        (&["primes-l"], "primes-liar-witness"),
        (&["solve", "multi"], "multiplier"),
        (&["solve", "mi"], "mine.ron"),
        (&["check", "law", "tur"], "turing"),
        (&["--prover", "ob"], "obfuscator"),
        (&["simulate", "primes-4331", "--opponent", "bay"], "bayes"),
        (&["solve", "--protocol", "Rec"], "Recursive"),
        (&["--role", ""], "judge"),
        (&["--theme", ""], "high-contrast"),
        (&["--set", "sp"], "speed="),
        (&["list", ""], "saves"),
        (&["completions", ""], "zsh"),
        (&["man", "comp"], "compare"),
        (&["export", "primes-4331", "--to", "d"], "dot"),
        (&["replay", "--color", "n"], "never"),
        (&["list", "--log", "mi"], "mine.ron"),
        (&["replay", ""], save),
        (&["verify", ""], save),
        (&["export", ""], save),
        (&["resume", "mi"], "mine.ron"),
    ] {
        let offered = offered(dir.path(), words);
        let names = |line: &String| line.split('\t').next() == Some(wanted);
        assert!(offered.iter().any(names), "{words:?}: {offered:?}");
    }
    let about = offered(dir.path(), &["replay", save]);
    assert_eq!(about, [format!("{save}\tIs 4331 prime?")]);
}

#[test]
fn every_shell_gets_a_script_that_asks_the_program() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = say(dir.path(), &["completions", shell], "");
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(said.out.contains("DEBATE_TUI_COMPLETE"), "{said:?}");
        // The output contains no path of the machine that built the program.
        assert!(!said.out.contains(env!("CARGO_MANIFEST_DIR")), "{said:?}");
    }
}
