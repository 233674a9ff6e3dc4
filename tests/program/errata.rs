//! The errata as files: each has the guide's words, then details, and commands that print its figures.

use std::fs;
use std::path::{Path, PathBuf};

use debate_tui::guide::PAGES;
use serde_json::Value;

use crate::program::examples::shell_words;
use crate::support::program::{json, run_here};

/// A file of `tests/debates/errata`: the number of its erratum, its words, and its commands with their figures.
struct Erratum {
    path: PathBuf,
    number: String,
    words: String,
    figures: Vec<(String, String, String)>,
}

impl Erratum {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).expect("UTF-8");
        let lines = text.lines().map_while(|line| line.strip_prefix("//"));
        let mut lines = lines.map(str::trim).skip(2);
        let words: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        let words = words.join(" ");
        let (number, words) = words.split_once(". ").expect("a number");
        let mut lines = lines.skip_while(|line| !line.starts_with('$'));
        let mut figures = Vec::new();
        while let Some(line) = lines.next() {
            let command = line.strip_prefix("$ debate-tui ").expect("a command");
            let figure = lines.next().expect("its figure");
            let (field, value) = figure.split_once(" = ").expect("a field");
            figures.push([command, field, value].map(str::to_owned).into());
        }
        assert!(!figures.is_empty(), "{}", path.display());
        Self {
            path,
            number: number.to_owned(),
            words: words.to_owned(),
            figures,
        }
    }

    fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/debates/errata");
        let files = fs::read_dir(folder).expect("the folder");
        let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
        // This file has the estimator's numbers for an erratum.
        paths.retain(|path| !path.ends_with("2-pairs.ron"));
        paths.sort();
        paths.into_iter().map(Self::read).collect()
    }
}

/// The errata of the guide by number: the words, and the commands at the end.
fn guide() -> Vec<(String, String)> {
    let page = PAGES.iter().find(|page| page.name == "theorems");
    let (_, text) = page
        .expect("a page")
        .text
        .split_once("\n## Errata\n")
        .expect("errata");
    let (text, _) = text.split_once("\n## ").expect("the next part");
    let items = text
        .split('\n')
        .fold(Vec::<String>::new(), |mut items, line| {
            let number = line
                .split_once(". ")
                .is_some_and(|(number, _)| number.parse::<u8>().is_ok());
            if number {
                items.push(line.to_owned());
            } else if let Some(last) = items.last_mut() {
                *last = format!("{last} {}", line.trim());
            }
            items
        });
    let split = |item: String| {
        let item = item.replace("**", "");
        let (words, run) = item.split_once(" Run `").expect("a command");
        (words.to_owned(), format!("`{}", run.trim()))
    };
    items.into_iter().map(split).collect()
}

#[test]
fn every_erratum_has_a_file_with_the_same_words() {
    let guide = guide();
    assert_eq!(guide.len(), 9);
    let errata = Erratum::all();
    for (words, run) in &guide {
        let (number, words) = words.split_once(". ").expect("a number");
        let of_number = errata.iter().filter(|one| one.number == number);
        let mut count = 0;
        for erratum in of_number {
            assert_eq!(erratum.words, words, "{}", erratum.path.display());
            let (command, field, value) = &erratum.figures[0];
            let shown = format!("`debate-tui {command}`: `{field}` = `{value}`");
            assert!(run.contains(&shown), "{run}\n{shown}");
            count += 1;
        }
        assert!(count > 0, "{number}");
    }
}

/// Runs the commands in the source folder, as an author of the paper would.
#[test]
fn the_commands_of_the_errata_print_their_figures() {
    let dir = tempfile::tempdir().expect("a folder");
    for erratum in Erratum::all() {
        for (command, field, value) in &erratum.figures {
            let root = env!("CARGO_MANIFEST_DIR");
            let command = command.replace("tests/debates", &format!("{root}/tests/debates"));
            let words = shell_words(&command);
            let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--json"]).collect();
            let document = json(&run_here(dir.path(), &arguments, ""));
            assert_prints(&document, field, value);
        }
    }
}

/// Asserts that a document has this figure: `≈` before a number allows for rounding.
#[track_caller]
pub fn assert_prints(document: &Value, field: &str, value: &str) {
    let place = format!("/{}", field.replace('.', "/"));
    let found = document
        .pointer(&place)
        .unwrap_or_else(|| panic!("no {field} in {document}"));
    let agrees = match (value.strip_prefix("≈ "), found) {
        (Some(near), found) => {
            let near: f64 = near.parse().expect("a number");
            let found = found.as_f64().expect("a number");
            (found - near).abs() < 1e-9 * near.abs().max(1.0)
        }
        (None, Value::String(found)) => found == value,
        (None, found) => format!("{found}") == value,
    };
    assert!(agrees, "{field} = {found}, and not {value}");
}
