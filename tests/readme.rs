//! What the README shows as tables is what the program knows.
//!
//! `README_UPDATE=1 cargo test --test readme` writes the tables of today.

use std::fmt::Write as _;

use debate_tui::protocol::{Kind, called};
use debate_tui::setup::{PROBLEMS, bundled};

/// What stands in the README from `<!-- NAME -->` to `<!-- end -->`.
#[track_caller]
fn assert_shown(name: &str, table: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let mark = format!("<!-- {name} -->\n");
    let (before, rest) = readme.split_once(&mark).unwrap();
    let (shown, after) = rest.split_once("<!-- end -->").unwrap();
    if std::env::var_os("README_UPDATE").is_some() {
        let now = format!("{before}{mark}{table}<!-- end -->{after}");
        std::fs::write(path, now).unwrap();
    } else {
        assert_eq!(shown, table);
    }
}

fn protocols() -> String {
    let mut table =
        "| protocol | what happens | what it guarantees |\n| --- | --- | --- |\n".to_owned();
    for kind in Kind::ALL {
        let says = kind.introduction();
        writeln!(
            table,
            "| `{}` | {} | {} |",
            kind.variant(),
            says.about,
            says.guarantee
        )
        .unwrap();
    }
    table
}

fn debated() -> String {
    let mut table =
        "| problem | `decomposition` | can be debated under |\n| --- | --- | --- |\n".to_owned();
    for problem in PROBLEMS {
        for debated in problem.debated().unwrap() {
            let decomposition = debated
                .decomposition
                .map_or_else(|| "left out".to_owned(), |text| format!("`{text}`"));
            let protocols: Vec<_> = debated
                .protocols
                .iter()
                .map(|example| format!("`{}`", called(example)))
                .collect();
            assert!(!protocols.is_empty(), "{}", problem.name);
            writeln!(
                table,
                "| `{}` | {decomposition} | {} |",
                problem.name,
                protocols.join(", ")
            )
            .unwrap();
        }
    }
    table
}

fn scenarios() -> String {
    let mut table = "| scenario | asks |\n| --- | --- |\n".to_owned();
    for listing in bundled() {
        writeln!(table, "| `{}` | {} |", listing.name, listing.title).unwrap();
    }
    table
}

/// One test, so that nobody writes the file while another reads it.
#[test]
fn the_readme_shows_what_there_is() {
    assert_shown("protocols", &protocols());
    assert_shown("debated", &debated());
    assert_shown("scenarios", &scenarios());
}

#[test]
fn every_protocol_can_debate_some_example() {
    let mut missing: Vec<_> = Kind::ALL
        .iter()
        .flat_map(|kind| kind.introduction().examples)
        .collect();
    for problem in PROBLEMS {
        for debated in problem.debated().unwrap() {
            missing.retain(|example| !debated.protocols.contains(example));
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}
