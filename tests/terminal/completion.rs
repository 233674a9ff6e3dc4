//! Real shells complete the command line as the user types.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::support::pty::Pty;

/// The typed text, and the shell's completion or an entry of its list.
const TYPED: [(&str, &str); 8] = [
    ("debate-tui simu", "debate-tui simulate"),
    ("debate-tui primes-l", "debate-tui primes-liar-witness"),
    ("debate-tui solve one-q", "debate-tui solve one-question"),
    ("debate-tui solve primes --opponent bay", "--opponent bayes"),
    ("debate-tui --role jud", "debate-tui --role judge"),
    (
        "debate-tui --theme high",
        "debate-tui --theme high-contrast",
    ),
    ("debate-tui list prot", "debate-tui list protocols"),
    (
        "debate-tui completions pow",
        "debate-tui completions powershell",
    ),
];

/// Types into a shell that completes as soon as it has read `setup`.
fn completes(shell: &str, arguments: &[&str], setup: &str, script: &str) {
    let there = Command::new(shell)
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if there.is_err() {
        eprintln!("skipped: there is no {shell}");
        return;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_debate-tui"));
    let folder = tempfile::tempdir().unwrap();
    let written = Command::new(program)
        .args(["completions", shell])
        .output()
        .unwrap();
    fs::write(folder.path().join(script), written.stdout).unwrap();
    let save = folder.path().join("kept-2026.ron");
    fs::copy("saves/primes-estimator.ron", save).unwrap();
    let folder = folder.path().to_str().unwrap();
    let path = env::var("PATH").unwrap();
    let path = format!("{}:{path}", program.parent().unwrap().to_str().unwrap());
    let variables = [
        ("PATH", path.as_str()),
        ("DEBATE_TUI_SAVES", folder),
        ("HOME", folder),
        ("XDG_CONFIG_HOME", folder),
        ("XDG_DATA_HOME", folder),
    ];
    let mut pty = Pty::other(shell, arguments, (150, 70), &variables);
    pty.type_in(&format!(
        "{}; echo rea''dy\r",
        setup.replace("FOLDER", folder)
    ));
    pty.wait_for("\nready");
    for (typed, wanted) in TYPED {
        // Ctrl-U deletes the earlier input.
        pty.type_in(&format!("\u{15}{typed}\t"));
        pty.wait_for(wanted);
    }
    // The shell lists several candidates.
    pty.type_in("\u{15}debate-tui replay \t\t");
    pty.wait_for("kept-2026.ron");
    pty.type_in("\u{15}debate-tui check \t\t");
    pty.wait_for("hidden-flaw-count");
}

#[test]
fn bash_completes() {
    completes(
        "bash",
        &["--norc", "--noprofile", "-i"],
        "source FOLDER/script",
        "script",
    );
}

#[test]
fn zsh_completes_from_its_folder_of_functions() {
    let setup = "fpath=(FOLDER $fpath); autoload -Uz compinit; compinit -u -D";
    completes("zsh", &["-f", "-i"], setup, "_debate-tui");
}

#[test]
fn fish_completes() {
    completes(
        "fish",
        &["--no-config", "-i"],
        "source FOLDER/script",
        "script",
    );
}
