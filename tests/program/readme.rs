//! What the README shows as tables is what the program knows.
//!
//! `README_UPDATE=1 cargo test --test program readme` writes the tables of today.

use std::fmt::Write as _;

use debate_core::protocol::{Kind, called};
use debate_lab::setup::{PROBLEMS, bundled};
use debate_tui::tui::settings::{FIELDS, Settings};

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

fn settings() -> String {
    let mut table = "| setting | takes | for what |\n| --- | --- | --- |\n".to_owned();
    for field in FIELDS {
        let (name, takes, doc) = (field.name, field.takes(), field.doc);
        let standard = field.in_ron(&Settings::default());
        writeln!(
            table,
            "| `{name}` | {takes}; `{standard}` where it is left out | {doc} |"
        )
        .unwrap();
    }
    table
}

/// One test, so that nobody writes the file while another reads it.
#[test]
fn the_readme_shows_what_there_is() {
    assert_shown("protocols", &protocols());
    assert_shown("debated", &debated());
    assert_shown("scenarios", &scenarios());
    assert_shown("settings", &settings());
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

/// The words of a command: spaces part them, single quotes hold them together.
fn words(command: &str) -> Vec<String> {
    let pieces = command.split('\'').enumerate();
    pieces
        .flat_map(|(place, piece)| match place % 2 {
            1 => vec![piece.to_owned()],
            _ => piece.split_whitespace().map(str::to_owned).collect(),
        })
        .collect()
}

fn backticked(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_figures_beside_the_theorems_are_what_the_commands_print() {
    let readme = include_str!("../../README.md");
    let (_, rest) = readme.split_once("<!-- checked -->\n").unwrap();
    let (table, _) = rest.split_once("<!-- end -->").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let rows: Vec<&str> = table.lines().skip(2).collect();
    assert!(rows.len() >= 10);
    for row in rows {
        let cells: Vec<&str> = row.split('|').collect();
        let [_, _, command, figure, _, _] = cells[..] else {
            panic!("five bars: {row}");
        };
        let words = words(backticked(command)[0]);
        let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let said = crate::support::say(dir.path(), &[&arguments[..], &["--json"]].concat(), "");
        assert_eq!(said.code, Some(0), "{command}: {said:?}");
        let json: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let [field, stated] = backticked(figure)[..] else {
            panic!("a field and its value: {figure}");
        };
        let value = json
            .pointer(&format!("/{}", field.replace('.', "/")))
            .unwrap();
        let printed = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        match stated.strip_prefix("≈ ") {
            // Worked out in floating point.
            Some(near) => {
                let near: f64 = near.parse().unwrap();
                let found = value.as_f64().unwrap();
                assert!((found - near).abs() < 1e-9, "{command}: {found}");
            }
            None => assert_eq!(printed, stated, "{command}"),
        }
    }
}
