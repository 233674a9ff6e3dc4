//! Structure of the project: layers between modules, packages, licences, and the tests that run every day.

mod drivers;
mod enums;
mod everyday;
mod voice;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each module: its crate's folder, its name and its layer, as the crates' documentation draws them. The compiler
/// checks which items a crate uses of another.
const MODULES: [(&str, &str, u8); 56] = [
    ("src/core", "bits", 0),
    ("src/core", "budget", 0),
    ("src/core", "digest", 0),
    ("src/core", "number", 0),
    ("src/core", "text", 0),
    ("src/core", "gate", 1),
    ("src/core", "chance", 1),
    ("src/core", "scenario", 2),
    ("src/core", "protocol", 3),
    ("src/core", "observe", 4),
    ("src/core", "player", 5),
    ("src/solver", "setup", 5),
    ("src/solver", "expectation", 6),
    ("src/solver", "game", 7),
    ("src/solver", "expectimax", 8),
    ("src/solver", "closed_form", 9),
    ("src/solver", "training", 9),
    ("src/solver", "analysis", 10),
    ("src/solver", "simulate", 11),
    ("src/theory", "amplification", 11),
    ("src/theory", "evidence", 11),
    ("src/theory", "in_practice", 11),
    ("src/theory", "judge_error", 11),
    ("src/theory", "least_queries", 11),
    ("src/theory", "papers", 11),
    ("src/theory", "provability", 11),
    ("src/theory", "query_complexity", 11),
    ("src/theory", "soundness", 11),
    ("src/theory", "growth", 12),
    ("src/theory", "check", 12),
    ("src/theory", "solve", 13),
    ("src/theory", "search", 14),
    ("src/host", "record", 7),
    ("src/host", "message", 8),
    ("src/host", "engine", 9),
    ("src/host", "debate", 10),
    ("src/host", "plan", 11),
    ("src/host", "serve", 12),
    ("src/lab", "export", 13),
    ("src/lab", "judgements", 14),
    ("src/lab", "calibration", 15),
    ("src/lab", "import", 15),
    ("src/lab", "matches", 15),
    ("src/study", "error", 9),
    ("src/study", "plan", 10),
    ("src/study", "folder", 11),
    ("src/study", "prepare", 12),
    ("src/study", "session", 13),
    ("src/study", "report", 14),
    ("src", "exit", 13),
    ("src", "guide", 14),
    ("src", "model", 14),
    ("src", "tui", 14),
    ("src", "app", 15),
    ("src", "web", 16),
    ("src", "cli", 17),
];

/// Modules of the terminal interface, from the lowest layer up, in the order of its documentation.
const TUI_MODULES: [(&str, u8); 16] = [
    ("theme", 0),
    ("widget", 1),
    ("actions", 2),
    ("input", 3),
    ("keys", 3),
    ("terminal", 4),
    ("background", 4),
    ("tutorial", 4),
    ("scene", 5),
    ("screen", 6),
    ("panel", 7),
    ("ask", 8),
    ("menu", 9),
    ("debate", 10),
    ("settings", 11),
    ("picture", 11),
];

/// Folders of crates, the most nested first.
const CRATES: [&str; 8] = [
    "src/core",
    "src/solver",
    "src/theory",
    "src/text",
    "src/host",
    "src/lab",
    "src/study",
    "src",
];

/// Crates without layers: their modules describe the same few things, and use each other.
const WITHOUT_LAYERS: [&str; 1] = ["src/text"];

/// The path of a file in the project's root folder.
fn top(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(top(name)).expect("a file at the top")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The first names of the paths that follow: `a` of `a::b`, and `a`, `b` of `{a::{c, d}, b}`.
fn heads(rest: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        let word = text.trim_start().chars();
        word.take_while(|sign| sign.is_alphanumeric() || *sign == '_')
            .collect()
    };
    let Some(group) = rest.strip_prefix('{') else {
        return vec![word(rest)];
    };
    let mut depth = 0;
    let mut found = vec![word(group)];
    for (at, sign) in group.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => found.push(word(group.get(at + 1..).unwrap_or_default())),
            _ => {}
        }
    }
    found
}

/// The names that a file uses from its crate's root: after `crate::`, and after a chain of `super::` that leads there.
/// `depth` is the file's module depth. An inline module, such as `tests`, is one level deeper.
fn names_in_the_root(text: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        found.extend(heads(text.get(at + "crate::".len()..).unwrap_or_default()));
    }
    for climb in [depth, depth + 1] {
        let up = "super::".repeat(climb);
        for (at, _) in text.match_indices(&up) {
            let before = text.get(..at).unwrap_or_default();
            if !before.ends_with("::") {
                found.extend(heads(text.get(at + up.len()..).unwrap_or_default()));
            }
        }
    }
    found
}

#[test]
fn modules_use_only_modules_below_them() {
    let mut found = Vec::new();
    files(&top("src"), &mut found);
    assert!(found.len() > 100);
    for path in found {
        let home = CRATES.into_iter().find(|home| path.starts_with(top(home)));
        let home = home.expect("a crate");
        if WITHOUT_LAYERS.contains(&home) {
            continue;
        }
        let inside = path.strip_prefix(top(home)).expect("within");
        let parts: Vec<&str> = inside.iter().filter_map(|part| part.to_str()).collect();
        let module = parts[0].trim_end_matches(".rs");
        let layer = |name: &str| {
            let mut modules = MODULES.iter();
            modules
                .find(|(folder, known, _)| *folder == home && *known == name)
                .map(|(_, _, layer)| *layer)
        };
        let Some(own) = layer(module) else {
            assert!(["lib", "main"].contains(&module), "{module} has no layer");
            continue;
        };
        let text = fs::read_to_string(&path).expect("UTF-8");
        for used in names_in_the_root(&text, parts.len()) {
            let below = layer(&used).is_none_or(|layer| layer < own);
            assert!(used == module || below, "{} uses {used}", path.display());
        }
    }
}

#[test]
fn modules_of_the_terminal_interface_use_only_modules_below_them() {
    let folder = top("src/tui");
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let layer = |name: &str| {
        let mut modules = TUI_MODULES.iter();
        modules
            .find(|(module, _)| *module == name)
            .map(|(_, layer)| *layer)
    };
    for path in paths {
        let inside = path.strip_prefix(&folder).expect("within");
        let parts: Vec<&str> = inside.iter().filter_map(|part| part.to_str()).collect();
        let module = parts[0].trim_end_matches(".rs");
        let own = layer(module).unwrap_or_else(|| panic!("{module} has no layer"));
        let text = fs::read_to_string(&path).expect("UTF-8");
        // The interface is the root of its modules.
        let text = text.replace("crate::tui::", "crate::");
        for used in names_in_the_root(&text, parts.len()) {
            let below = layer(&used).is_none_or(|layer| layer < own);
            assert!(used == module || below, "{} uses {used}", path.display());
        }
    }
}

#[test]
fn imports_are_found_however_they_are_written() {
    let text = "use crate::{record::{Save, Line}, tui}; use super::super::cli::Failure;";
    assert_eq!(names_in_the_root(text, 2), ["record", "tui", "cli"]);
    let tests = "mod tests { use super::super::cli::Failure; }";
    assert_eq!(names_in_the_root(tests, 1), ["super", "cli"]);
}

#[test]
fn maps_in_the_documentation_match_the_layers() {
    for home in CRATES {
        if WITHOUT_LAYERS.contains(&home) {
            continue;
        }
        let text = read(&format!("{home}/lib.rs"));
        let mut drawn: Vec<(&str, u8)> = text
            .lines()
            .filter_map(|line| line.strip_prefix("//! | "))
            .filter_map(|row| {
                let mut cells = row.split(" | ");
                Some((cells.next()?.parse().ok()?, cells.next()?))
            })
            .flat_map(|(layer, modules)| {
                let modules = modules.split(", ");
                modules.map(move |module| (module.trim_matches(['[', ']', '`']), layer))
            })
            .collect();
        let mut modules: Vec<(&str, u8)> = MODULES
            .iter()
            .filter(|(folder, _, _)| *folder == home)
            .map(|(_, name, layer)| (*name, *layer))
            .collect();
        drawn.sort_unstable();
        modules.sort_unstable();
        assert_eq!(drawn, modules, "{home}");
    }
}

#[test]
fn the_files_that_contributing_names_exist() {
    let text = read("CONTRIBUTING.md");
    let words = text.split('`').filter(|word| word.starts_with("src/"));
    let mut count = 0;
    for path in words {
        assert!(top(path).exists(), "{path}");
        count += 1;
    }
    assert!(count >= 8, "{count}");
}

#[test]
fn a_single_version_of_crossterm_is_locked() {
    let lock = read("Cargo.lock");
    assert_eq!(lock.matches("name = \"crossterm\"\n").count(), 1);
    // The code uses it through ratatui, at whichever version ratatui depends on; the manifest has the same version.
    let (_, rest) = lock
        .split_once("name = \"crossterm\"\nversion = \"")
        .expect("crossterm");
    let (locked, _) = rest.split_once('"').expect("its version");
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest
        .split_once("\ncrossterm = { version = \"")
        .expect("a line");
    let (named, _) = rest.split_once('"').expect("its version");
    assert!(
        locked.starts_with(&format!("{named}.")),
        "{locked} and {named}"
    );
}

/// The files of a crate's package.
fn package(name: &str) -> Vec<String> {
    let listed = Command::new(env!("CARGO"))
        .args([
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "--quiet",
            "-p",
            name,
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo");
    assert!(listed.status.success(), "{listed:?}");
    let listed = String::from_utf8(listed.stdout).expect("UTF-8");
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn packages_contain_the_needed_files_only() {
    let needed: [(&str, &[&str]); 8] = [
        (
            "debate-tui",
            &["CHANGELOG.md", "src/main.rs", "src/guide/protocols.md"],
        ),
        ("debate-core", &["lib.rs", "protocol.rs"]),
        ("debate-solver", &["lib.rs", "scenarios/primes.ron"]),
        ("debate-theory", &["lib.rs", "papers.ron"]),
        ("debate-text", &["lib.rs", "question.ron"]),
        ("debate-host", &["lib.rs", "serve/tools.json"]),
        ("debate-lab", &["lib.rs", "export/html/page.js"]),
        ("debate-study", &["lib.rs", "folder/example/study.ron"]),
    ];
    for (name, files) in needed {
        let listed = package(name);
        for file in [&["README.md", "LICENSE-MIT", "LICENSE-APACHE"], files].concat() {
            let has = listed.iter().any(|listed| listed == file);
            assert!(has, "{file} is not in the package {name}");
        }
        let mut listed = listed.iter();
        assert!(!listed.any(|file| file.starts_with("tests/") || file.starts_with("src/core")));
    }
    assert!(read("LICENSE-MIT").contains("Copyright (c) the debate-tui authors"));
    assert!(read("LICENSE-APACHE").contains("Version 2.0, January 2004"));
}

#[test]
fn the_readme_names_the_least_rust_version() {
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest.split_once("rust-version = \"").expect("a version");
    let (version, _) = rest.split_once('"').expect("its end");
    assert!(read("README.md").contains(&format!("Rust {version} or later")));
}

/// The quoted words of a line such as `allow = ["MIT", "Zlib"]`.
fn quoted(line: &str) -> Vec<&str> {
    line.split('"').skip(1).step_by(2).collect()
}

/// The licences that `.deny.toml` accepts for every library, and for single ones.
fn accepted_licences(settings: &str) -> (Vec<&str>, BTreeMap<&str, Vec<&str>>) {
    let (_, licences) = settings.split_once("[licenses]\n").expect("a section");
    let (licences, _) = licences.split_once("\n[").expect("the next section");
    let mut lines = licences.lines();
    let all = lines.find(|line| line.starts_with("allow = "));
    let exceptions = lines.filter_map(|line| line.trim().strip_prefix("{ crate = "));
    let exceptions = exceptions.map(|line| {
        let words = quoted(line);
        (words[0], words[1..].to_vec())
    });
    (quoted(all.expect("a list")), exceptions.collect())
}

/// The name and the licence of every package in the lock file, for all systems and features.
fn licences() -> Vec<(String, String)> {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--all-features"])
        .args(["--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo");
    let errors = String::from_utf8_lossy(&metadata.stderr);
    assert!(metadata.status.success(), "{errors}");
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let licence = |package: &serde_json::Value| {
        let text = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
        (text("name"), text("license"))
    };
    packages.iter().map(licence).collect()
}

/// Returns true if the licences in a list satisfy an SPDX expression, including the older form with `/`.
fn satisfied(expression: &str, list: &[&str]) -> bool {
    let mode = spdx::ParseMode::LAX;
    let Ok(expression) = spdx::Expression::parse_mode(expression, mode) else {
        return false;
    };
    expression.evaluate(|needed| {
        let id = needed.license.id();
        id.is_some_and(|id| list.contains(&id.name) && needed.addition.is_none())
    })
}

#[test]
fn licences_of_libraries_are_on_the_list() {
    let settings = read(".deny.toml");
    let (all, exceptions) = accepted_licences(&settings);
    let packages = licences();
    assert!(packages.len() > 200, "{}", packages.len());
    let refused: Vec<_> = packages
        .iter()
        .filter(|(name, licence)| {
            let more = exceptions.get(name.as_str()).cloned().unwrap_or_default();
            !satisfied(licence, &[all.clone(), more].concat())
        })
        .collect();
    assert!(refused.is_empty(), "{refused:?}");
    for (expression, accepted) in [
        ("MIT/Apache-2.0", true),
        ("GPL-3.0-only", false),
        ("MIT AND GPL-3.0-only", false),
        ("(LGPL-2.1 OR MIT) AND Zlib", true),
        ("MPL-2.0", false),
        ("", false),
    ] {
        assert_eq!(satisfied(expression, &all), accepted, "{expression}");
    }
}

/// Each library that adds an older version of the random-number crates to the lock file, and the version that it uses.
const OLDER_RANDOM_NUMBERS: [(&str, &str); 2] = [
    ("num-prime", "0.8"),   // primality; its num-bigint uses the older rand
    ("tungstenite", "0.9"), // sockets of the feature `web`; for masks of clients, unused here
];

#[test]
fn older_random_numbers_are_held_by_the_libraries_named_here() {
    let lock = read("Cargo.lock");
    let packages: Vec<_> = lock.split("[[package]]\n").skip(1).collect();
    let name = |package: &str| quoted(package)[0].to_owned();
    let version = |package: &str| quoted(package)[1].to_owned();
    let of = |wanted: &str| {
        let found = packages.iter().filter(|package| name(package) == wanted);
        found.map(|package| version(package)).collect::<Vec<_>>()
    };
    let rand = of("rand");
    let older = rand.iter().filter(|version| !version.starts_with("0.10."));
    assert_eq!(older.count(), OLDER_RANDOM_NUMBERS.len(), "{rand:?}");
    for (holder, of_rand) in OLDER_RANDOM_NUMBERS {
        let package = packages.iter().find(|package| name(package) == holder);
        let package = package.unwrap_or_else(|| panic!("{holder} is not used any more"));
        assert!(package.contains(&format!("\"rand {of_rand}.")), "{holder}");
    }
    // Each version of rand brings its own dependencies, and no other package uses them.
    for part in ["rand_core", "rand_chacha", "getrandom"] {
        assert_eq!(of(part).len(), rand.len(), "{part}");
    }
}
