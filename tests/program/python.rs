//! The Python package, tested against the real program. A test that needs a missing library is skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::models::has_modules;
use crate::support::engines::python;
use crate::support::provider::Provider;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Python that runs the package; `None` if it is older than 3.10.
fn recent_python() -> Option<String> {
    let python = python()?;
    let mut asked = Command::new(&python);
    let recent = asked.args(["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]);
    let recent = recent.status().is_ok_and(|status| status.success());
    if !recent {
        eprintln!("skipped: {python} is older than 3.10");
    }
    recent.then_some(python)
}

/// Runs Python on a file of this repository; returns its output.
fn run(python: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(python);
    command.current_dir(root()).args(arguments);
    command.env("DEBATE_TUI", env!("CARGO_BIN_EXE_debate-tui"));
    command.env("PYTHONPATH", PathBuf::from("src/python"));
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    let run = command.output().unwrap();
    let out = String::from_utf8_lossy(&run.stdout).into_owned();
    let err = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{arguments:?}: {out}{err}");
    // Visible with --nocapture: figures, and the skipped tests.
    print!("{out}");
    out
}

/// Runs a script of `tests/python` to its end, if Python has these modules.
fn script(name: &str, modules: &str) {
    let Some(python) = recent_python() else {
        return;
    };
    if has_modules(&python, modules) {
        let said = run(&python, &[&format!("tests/python/{name}.py")]);
        assert!(said.ends_with("ok\n"), "{said}");
    }
}

/// A session plays against a language model of the settings.
#[test]
fn a_session_names_a_language_model() {
    let Some(python) = recent_python() else {
        return;
    };
    let provider = Provider::start();
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.ron");
    let address = provider.player("good");
    let text = format!("(models: {{\"fast\": (address: {address:?})}})");
    std::fs::write(&settings, text).unwrap();
    let program = format!(
        "import debate_tui\n\
         options = dict(allow_commands=True, no_save=True, config={settings:?})\n\
         with debate_tui.Session(**options) as s:\n    \
             judge = lambda act: {{'oracle': {{'holds': True}}}}\n    \
             players = dict(opponent='model:fast', judge=judge)\n    \
             print(s.new('primes-small', seed='7', **players).play()['outcome']['outcome'])\n    \
             try:\n        \
                 s.new('primes-small', opponent='model:slow', judge=judge)\n    \
             except debate_tui.DebateError as error:\n        \
                 print(error)\n"
    );
    let said = run(&python, &["-c", &program]);
    assert!(said.starts_with("finished\n"), "{said}");
    assert!(said.contains("`model:slow` cannot play"), "{said}");
    assert!(!provider.requests("good").is_empty());
}

#[test]
fn python_classes_match_the_schemas() {
    let Some(python) = recent_python() else {
        return;
    };
    let program = env!("CARGO_BIN_EXE_debate-tui");
    run(&python, &["src/python/classes.py", "--check", program]);
}

#[test]
fn the_client_plays_refuses_and_ends() {
    script("client", "json");
}

#[test]
fn the_environments_pass_the_tests_of_their_libraries() {
    script("environments", "gymnasium, pettingzoo, pygame");
}

#[test]
fn environments_are_vectorized_made_by_id_and_refused_with_the_reason() {
    script("vectors", "gymnasium");
}

#[test]
fn games_pass_the_tests_of_open_spiel() {
    script("spiel_games", "pyspiel, open_spiel");
}

/// Runs every cell of the notebook, whose last cell compares the trained agent with the exact best reply.
#[test]
fn the_notebook_of_the_guide_runs() {
    script("notebook", "nbclient, ipykernel, gymnasium, matplotlib");
}

#[test]
fn frames_are_tidy_in_both_libraries() {
    script("frames", "pandas, polars");
}

/// Runs the lines of the README in their order.
#[test]
fn the_readme_of_the_package_trains_something() {
    let Some(python) = recent_python() else {
        return;
    };
    if !has_modules(&python, "gymnasium") {
        return;
    }
    let readme = include_str!("../../src/python/README.md");
    let code = readme
        .split("```python\n")
        .find(|part| part.contains("gym_env"));
    let (code, _) = code.unwrap().split_once("```").unwrap();
    let said = run(&python, &["-c", code]);
    let (before, after) = said.split_once("->").unwrap();
    let [before, after] = [before, after].map(|text| text.trim().parse::<f64>().unwrap());
    assert!(after > before, "{said}");
}

#[test]
fn the_package_is_typed() {
    let Some(python) = recent_python() else {
        return;
    };
    if !has_modules(
        &python,
        "pyright, gymnasium, pettingzoo, inspect_ai, verifiers.v1, pyspiel",
    ) {
        return;
    }
    run(
        &python,
        &["-m", "pyright", "-p", "src/python", "--pythonpath", &python],
    );
}

/// Type-checks the examples of the package's README and of the guide strictly, except for the one that trains.
#[test]
fn the_examples_are_typed() {
    let Some(python) = recent_python() else {
        return;
    };
    if !has_modules(&python, "pyright") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let texts = [
        include_str!("../../src/python/README.md"),
        include_str!("../../src/guide/python.md"),
    ];
    let blocks = texts
        .iter()
        .flat_map(|text| text.split("```python\n").skip(1));
    let examples = blocks.filter_map(|rest| Some(rest.split_once("```")?.0));
    let examples: Vec<&str> = examples.filter(|code| !code.contains("gym_env")).collect();
    assert!(examples.len() >= 2, "{examples:?}");
    for (number, code) in examples.iter().enumerate() {
        std::fs::write(folder.path().join(format!("example{number}.py")), code).unwrap();
    }
    let settings = serde_json::json!({
        "typeCheckingMode": "strict", "reportMissingTypeStubs": false, "pythonVersion": "3.10",
        "extraPaths": [root().join("src/python")],
    });
    let project = folder.path().join("pyrightconfig.json");
    std::fs::write(&project, settings.to_string()).unwrap();
    let project = project.to_str().unwrap();
    run(
        &python,
        &["-m", "pyright", "-p", project, "--pythonpath", &python],
    );
}

#[test]
fn models_debate_in_the_environment_of_verifiers() {
    script("language", "verifiers.v1, uv");
}

/// Solves games that are built outside of the program, and games that it exports.
#[test]
fn games_have_the_values_of_other_solvers() {
    script("games", "scipy, numpy");
}

#[test]
fn a_ray_cluster_gives_the_same_document_despite_a_lost_worker() {
    script("ray_cluster", "ray");
}

#[test]
fn a_slurm_array_gives_the_same_document() {
    let daemons = ["munged", "slurmctld", "slurmd"];
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin";
    let there =
        |daemon: &&str| std::env::split_paths(&path).any(|folder| folder.join(daemon).exists());
    if daemons.iter().all(there) {
        script("slurm_cluster", "json");
    } else {
        eprintln!("skipped: there is no Slurm");
    }
}

#[test]
fn the_manifest_of_the_guide_is_valid() {
    script("kubernetes_manifest", "kubernetes_validate, yaml");
}
