//! A room uses only rooms below it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each room with its floor, as the crate's documentation draws them.
const ROOMS: [(&str, u8); 16] = [
    ("bits", 0),
    ("budget", 0),
    ("digest", 0),
    ("number", 0),
    ("gate", 0),
    ("chance", 0),
    ("text", 0),
    ("scenario", 1),
    ("protocol", 2),
    ("player", 3),
    ("setup", 4),
    ("analysis", 5),
    ("record", 5),
    ("tui", 7),
    ("export", 8),
    ("cli", 9),
];

/// Gates and coins count with numbers: the ground floor has one step.
const STEP: [(&str, &str); 2] = [("gate", "number"), ("chance", "number")];

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

#[test]
fn rooms_use_only_rooms_below_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    files(&source, &mut found);
    assert!(found.len() > 100);
    for path in found {
        let inside = path.strip_prefix(&source).expect("within");
        let first = inside.components().next().expect("a name");
        let room = first
            .as_os_str()
            .to_str()
            .expect("UTF-8")
            .trim_end_matches(".rs");
        let Some((_, floor)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            assert!(["lib", "main"].contains(&room), "{room} is on no floor");
            continue;
        };
        let text = fs::read_to_string(&path).expect("UTF-8");
        for (used, below) in ROOMS.iter().filter(|(name, _)| *name != room) {
            let uses = text.contains(&format!("crate::{used}::"));
            let step = STEP.contains(&(room, used));
            assert!(
                !uses || below < floor || step,
                "{} uses {used}",
                inside.display()
            );
        }
    }
}

#[test]
fn the_map_in_the_documentation_is_this_one() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let text = fs::read_to_string(source).expect("the library's first file");
    let mut drawn: Vec<(&str, u8)> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! | "))
        .filter_map(|row| {
            let mut cells = row.split(" | ");
            Some((cells.next()?.parse().ok()?, cells.next()?))
        })
        .flat_map(|(floor, rooms)| {
            let rooms = rooms.split(", ");
            rooms.map(move |room| (room.trim_matches(['[', ']', '`']), floor))
        })
        .collect();
    let mut rooms = ROOMS.to_vec();
    drawn.sort_unstable();
    rooms.sort_unstable();
    assert_eq!(drawn, rooms);
}

/// A file at the top.
fn top(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(path).expect("a file at the top")
}

#[test]
fn one_crossterm_reads_the_keys() {
    let lock = top("Cargo.lock");
    assert_eq!(lock.matches("name = \"crossterm\"\n").count(), 1);
    // The code takes it from ratatui, whatever version that has; the line in the manifest is that one.
    let (_, rest) = lock
        .split_once("name = \"crossterm\"\nversion = \"")
        .expect("crossterm");
    let (locked, _) = rest.split_once('"').expect("its version");
    let manifest = top("Cargo.toml");
    let (_, rest) = manifest
        .split_once("\ncrossterm = { version = \"")
        .expect("a line");
    let (named, _) = rest.split_once('"').expect("its version");
    assert!(
        locked.starts_with(&format!("{named}.")),
        "{locked} and {named}"
    );
}

#[test]
fn the_package_has_what_it_needs_and_nothing_else() {
    let listed = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline", "--quiet"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo");
    assert!(listed.status.success(), "{listed:?}");
    let listed = String::from_utf8(listed.stdout).expect("UTF-8");
    let has = |name: &str| listed.lines().any(|line| line == name);
    for name in [
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "CHANGELOG.md",
        "README.md",
        "scenarios/primes.ron",
        "src/export/html/page.js",
    ] {
        assert!(has(name), "{name} is not in the package");
    }
    assert!(!listed.lines().any(|line| line.starts_with("tests/")));
    assert!(top("LICENSE-MIT").contains("Copyright (c) the debate-tui authors"));
    assert!(top("LICENSE-APACHE").contains("Version 2.0, January 2004"));
}

#[test]
fn the_readme_names_the_least_rust_version() {
    let manifest = top("Cargo.toml");
    let (_, rest) = manifest.split_once("rust-version = \"").expect("a version");
    let (version, _) = rest.split_once('"').expect("its end");
    assert!(top("README.md").contains(&format!("Rust {version} or later")));
}
