//! What the program says of every bundled scenario and every bundled save, to the letter: values, documents,
//! transcripts, exported games, the messages to each seat. `UPDATE=1` writes the files in `tests/program/golden`
//! anew; a change in them is a change in what people and programs read, and stands in the changelog.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use debate_core::digest::Digest;
use debate_lab::setup::bundled;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::driver::Driver;
use crate::support::program::say;

/// A longer text is kept by its digest.
const MOST_KEPT: usize = 6_000;
/// The most replies that an exact value may take here.
const MOST_REPLIES: &str = "20000";

/// Fields that differ from run to run.
const UNSTABLE: [&str; 5] = ["seconds", "debates_per_second", "threads", "app", "started"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/golden")
}

/// A page of commands and what they print.
#[derive(Default)]
struct Page {
    text: String,
    /// Texts that the page has by their digests alone.
    long: Vec<(Digest, String)>,
}

impl Page {
    fn add(&mut self, title: &str, text: String) {
        let _ = writeln!(self.text, "$ {title}");
        if text.len() > MOST_KEPT {
            let digest = Digest::of(text.as_bytes());
            let lines = text.lines().count();
            let _ = writeln!(self.text, "({lines} lines, SHA-256 {digest})\n");
            self.long.push((digest, text));
        } else {
            let _ = writeln!(self.text, "{}\n", text.trim_end());
        }
    }

    /// Runs a command: its output, and where it fails its error and its exit code.
    fn run(&mut self, saves: &Path, command: &str) {
        let arguments = shell_words(command);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let done = say(saves, &arguments, "");
        let mut text = stable(&done.out);
        if done.code != Some(0) {
            let _ = write!(text, "{}exit code {:?}", done.err, done.code);
        }
        self.add(&format!("debate-tui {command}"), text);
    }

    /// Holds the page against its file.
    fn check(self, name: &str) {
        let file = folder().join(format!("{name}.txt"));
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(folder()).unwrap();
            fs::write(&file, &self.text).unwrap();
            return;
        }
        let kept = fs::read_to_string(&file).unwrap_or_default();
        let Some((line, (now, then))) = first_difference(&self.text, &kept) else {
            return;
        };
        let long = self
            .long
            .iter()
            .find(|(digest, _)| now.contains(&digest.to_string()));
        let place = long.map(|(_, text)| {
            let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("golden-{name}.txt"));
            fs::write(&place, text).unwrap();
            format!("\nthe whole text is in {}", place.display())
        });
        let place = place.unwrap_or_default();
        panic!(
            "{}:{line}\nkept: {then}\n now: {now}{place}",
            file.display()
        );
    }
}

/// The first line in which two texts differ.
fn first_difference(now: &str, kept: &str) -> Option<(usize, (String, String))> {
    let (mut now, mut kept) = (now.lines(), kept.lines());
    for line in 1.. {
        let pair = (now.next(), kept.next());
        if pair == (None, None) {
            return None;
        }
        if pair.0 != pair.1 {
            let text = |line: Option<&str>| line.unwrap_or("(nothing)").to_owned();
            return Some((line, (text(pair.0), text(pair.1))));
        }
    }
    None
}

/// The arguments of a command line in which single quotes keep spaces.
fn shell_words(line: &str) -> Vec<String> {
    let quoted = line.split('\'').enumerate().flat_map(|(place, part)| {
        if place % 2 == 1 {
            vec![part]
        } else {
            part.split_whitespace().collect()
        }
    });
    quoted.map(str::to_owned).collect()
}

/// A document without what differs from run to run; other texts as they are.
fn stable(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(mut document) => {
            without_unstable(&mut document);
            serde_json::to_string_pretty(&document).unwrap()
        }
        Err(_) => text.to_owned(),
    }
}

fn without_unstable(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in UNSTABLE {
                fields.remove(name);
            }
            fields.values_mut().for_each(without_unstable);
        }
        Value::Array(values) => values.iter_mut().for_each(without_unstable),
        _ => {}
    }
}

/// A debate that another program drives, as the lines that it reads.
fn messages(saves: &Path, scenario: &str, seats: &[&str]) -> String {
    let mut driver = Driver::start(saves, &[]);
    let new = json!({"scenario": scenario, "seats": seats, "seed": "7", "save": false});
    driver.begin(&new);
    let mut lines = String::new();
    driver.play(7, |line| {
        let mut line = line.clone();
        without_unstable(&mut line);
        // The handle is a secret, drawn anew.
        line["debate"] = Value::Null;
        let _ = writeln!(lines, "{line}");
    });
    driver.end();
    lines
}

fn scenario(name: &str, seats: &[&[&str]]) {
    let saves = TempDir::new().unwrap();
    let saves = saves.path();
    let mut page = Page::default();
    page.run(saves, &format!("check {name} --json --exact"));
    let bounded = format!("{name} --json --exact --max-replies {MOST_REPLIES}");
    page.run(saves, &format!("solve {bounded}"));
    page.run(saves, &format!("solve {bounded} --prover best-response"));
    page.run(saves, &format!("equilibrium {bounded}"));
    page.run(saves, &format!("export {name} --to json"));
    // The binomial laws of its samples fill minutes.
    if name != "one-question" {
        let game = format!("export {name} --to efg --grid 0,1 --most-nodes 30000");
        page.run(saves, &game);
        page.run(saves, &format!("{game} --blind prover"));
    }
    // People write the claims of `open`.
    if name != "open" {
        page.run(
            saves,
            &format!("{name} --json --seed 7 --role none --no-save"),
        );
        page.run(
            saves,
            &format!("{name} --plain --seed 7 --role none --no-save"),
        );
        page.run(saves, &format!("simulate {name} -n 100 --seed 7 --json"));
    }
    for seats in seats {
        let text = messages(saves, name, seats);
        page.add(&format!("messages to {}", seats.join(", ")), text);
    }
    page.check(name);
}

#[test]
fn scenarios_say_what_they_said() {
    for bundled in bundled() {
        // Where people write the claims every seat is a person's or another program's.
        if bundled.name == "open" {
            scenario("open", &[&["prover", "opponent", "judge"]]);
        } else {
            scenario(bundled.name, &[&["prover"], &["opponent"], &["judge"]]);
        }
    }
}

#[test]
fn saves_say_what_they_said() {
    let saves = TempDir::new().unwrap();
    let mut files: Vec<_> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("saves"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    for file in files {
        let mut page = Page::default();
        page.run(saves.path(), &format!("verify saves/{file} --json"));
        for seat in ["none", "prover", "opponent", "judge"] {
            let seat = if seat == "none" {
                String::new()
            } else {
                format!(" --seen-by {seat}")
            };
            page.run(saves.path(), &format!("replay saves/{file} --plain{seat}"));
        }
        for format in ["json", "csv", "md", "html", "inspect"] {
            page.run(saves.path(), &format!("export saves/{file} --to {format}"));
        }
        page.check(file.trim_end_matches(".ron"));
    }
}
