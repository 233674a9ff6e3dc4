//! The exact output of the program for every bundled scenario and every bundled save: values, documents, transcripts,
//! exported games and the messages to each seat. `UPDATE=1` rewrites the files in `tests/program/golden`. A change of
//! them is visible to users and other programs, so the changelog lists it.

use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use debate_core::digest::Digest;
use debate_solver::setup::bundled_scenarios;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::driver::Driver;
use crate::support::program::{Said, run_here, say};

/// The file stores only the digest of a longer text.
const MAX_STORED: usize = 6_000;
/// Maximum number of replies for an exact value here.
const MAX_REPLIES: &str = "20000";

/// Fields that differ from run to run.
const UNSTABLE: [&str; 5] = ["seconds", "debates_per_second", "threads", "app", "started"];

/// Scenarios whose table of payoffs takes more than 0.1 s.
const LARGE_TABLES: [&str; 12] = [
    "five-parts-stable",
    "hidden-flaw-count",
    "lighthouse",
    "multiplier",
    "one-question",
    "primes",
    "primes-certificate",
    "primes-small",
    "primes-stable",
    "qbf",
    "qbf-false",
    "turing",
];

/// Scenarios whose two exported games take more than 0.15 s.
const LARGE_GAMES: [&str; 14] = [
    "caffeine",
    "caffeine-choice",
    "caffeine-plan",
    "five-parts",
    "five-parts-stable",
    "hidden-flaw-count",
    "primes",
    "primes-liar-witness",
    "primes-recursive",
    "primes-small",
    "primes-stable",
    "pull-request",
    "three-receipts",
    "two-of-three",
];

/// The commands that a test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// All commands except those that take long.
    EveryDay,
    Exhaustive,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/golden")
}

/// A page of commands, each with its output.
struct Page {
    extent: Extent,
    sections: Vec<Section>,
}

/// A command or a list of messages, and its output.
struct Section {
    title: String,
    /// The title and the output as the file has them.
    text: String,
    /// The output, if the file has only its digest.
    long: Option<String>,
}

impl Page {
    fn new(extent: Extent) -> Self {
        Self {
            extent,
            sections: Vec::new(),
        }
    }

    fn add(&mut self, title: &str, output: String) {
        let title = format!("$ {title}");
        let section = if output.len() > MAX_STORED {
            let digest = Digest::digest_of_bytes(output.as_bytes());
            let lines = output.lines().count();
            Section {
                text: format!("{title}\n({lines} lines, SHA-256 {digest})\n\n"),
                title,
                long: Some(output),
            }
        } else {
            Section {
                text: format!("{title}\n{}\n\n", output.trim_end()),
                title,
                long: None,
            }
        };
        self.sections.push(section);
    }

    fn run(&mut self, saves: &Path, command: &str) {
        let done = run_here(saves, &words(command), "");
        self.add(&format!("debate-tui {command}"), printed(&done));
    }

    /// Compares the page with its file. Sections that were not run stay as the file has them.
    fn check(self, name: &str) {
        let file = folder().join(format!("{name}.txt"));
        let mut kept = fs::read_to_string(&file).unwrap_or_default();
        if std::env::var_os("UPDATE").is_some() {
            if self.extent == Extent::Exhaustive {
                kept.clear();
            }
            for section in &self.sections {
                let place = place_of(&kept, &section.title).unwrap_or(kept.len()..kept.len());
                kept.replace_range(place, &section.text);
            }
            fs::create_dir_all(folder()).unwrap();
            fs::write(&file, kept).unwrap();
            return;
        }
        for section in &self.sections {
            let place = place_of(&kept, &section.title);
            let then = place.and_then(|place| kept.get(place)).unwrap_or_default();
            if section.text != then {
                report_difference(name, &file, section, then);
            }
        }
        if self.extent == Extent::Exhaustive {
            let now: String = self.sections.into_iter().map(|it| it.text).collect();
            assert_eq!(now, kept, "{}: other sections or order", file.display());
        }
    }
}

/// The range of a section in the text of a page.
fn place_of(page: &str, title: &str) -> Option<Range<usize>> {
    let mut at = 0;
    let mut begin = None;
    for line in page.split_inclusive('\n') {
        let starts = line.starts_with("$ debate-tui ") || line.starts_with("$ messages to ");
        if let Some(begin) = begin.filter(|_| starts) {
            return Some(begin..at);
        }
        if line.trim_end_matches('\n') == title {
            begin = Some(at);
        }
        at += line.len();
    }
    begin.map(|begin| begin..at)
}

/// Panics with the first line in which a section differs from its file.
fn report_difference(name: &str, file: &Path, section: &Section, then: &str) -> ! {
    let (mut now, mut kept) = (section.text.lines(), then.lines());
    let (now, kept) = loop {
        match (now.next(), kept.next()) {
            (Some(now), Some(kept)) if now == kept => {}
            (now, kept) => break (now.unwrap_or("(nothing)"), kept.unwrap_or("(nothing)")),
        }
    };
    let whole = section.long.as_ref().map_or_else(String::new, |text| {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("golden-{name}.txt"));
        fs::write(&place, text).unwrap();
        format!("\nthe whole text is in {}", place.display())
    });
    panic!(
        "{}: {}\nkept: {kept}\n now: {now}{whole}",
        file.display(),
        section.title
    );
}

/// The output of a command; on failure also its error and its exit code.
fn printed(done: &Said) -> String {
    let mut text = stable(&done.out);
    if done.code != Some(0) {
        let _ = write!(text, "{}exit code {:?}", done.err, done.code);
    }
    text
}

/// The arguments of a command line in which single quotes keep spaces.
fn words(line: &str) -> Vec<&str> {
    let quoted = line.split('\'').enumerate().flat_map(|(place, part)| {
        if place % 2 == 1 {
            vec![part]
        } else {
            part.split_whitespace().collect()
        }
    });
    quoted.collect()
}

/// A document without the fields that differ from run to run; other texts unchanged.
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

/// The lines of a debate that another program drives.
fn messages(mut driver: Driver, scenario: &str, seats: &[&str]) -> String {
    let new = json!({"scenario": scenario, "seats": seats, "seed": "7", "save": false});
    driver.begin(&new);
    let mut lines = String::new();
    driver.play(7, |line| {
        let mut line = line.clone();
        without_unstable(&mut line);
        // The handle is a secret that is drawn for each debate.
        line["debate"] = Value::Null;
        let _ = writeln!(lines, "{line}");
    });
    driver.end();
    lines
}

/// The commands of a scenario's page, in order.
fn commands(name: &str, extent: Extent) -> Vec<String> {
    let is_large = |large: &[&str]| extent == Extent::EveryDay && large.contains(&name);
    let bounded = format!("{name} --json --exact --max-replies {MAX_REPLIES}");
    let mut commands = vec![
        format!("check {name} --json --exact"),
        format!("solve {bounded}"),
        format!("solve {bounded} --prover best-response"),
    ];
    if !is_large(&LARGE_TABLES) {
        commands.push(format!("equilibrium {bounded}"));
    }
    commands.push(format!("export {name} --to json"));
    // The binomial laws of the samples of `one-question` take minutes.
    if name != "one-question" && !is_large(&LARGE_GAMES) {
        let game = format!("export {name} --to efg --grid 0,1 --most-nodes 30000");
        commands.push(game.clone());
        commands.push(format!("{game} --blind prover"));
    }
    // The users write the claims of `open`.
    if name != "open" {
        commands.push(format!("{name} --json --seed 7 --role none --no-save"));
        commands.push(format!("{name} --plain --seed 7 --role none --no-save"));
        commands.push(format!("simulate {name} -n 100 --seed 7 --json"));
    }
    commands
}

fn check_scenarios(extent: Extent) {
    let saves = TempDir::new().unwrap();
    for scenario in bundled_scenarios() {
        let name = scenario.name;
        let mut page = Page::new(extent);
        for command in commands(name, extent) {
            page.run(saves.path(), &command);
        }
        // The seats of `open` need players that write claims.
        let seats: &[&[&str]] = if name == "open" {
            &[&["prover", "opponent", "judge"]]
        } else {
            &[&["prover"], &["opponent"], &["judge"]]
        };
        for seats in seats {
            let text = messages(Driver::in_process(), name, seats);
            page.add(&format!("messages to {}", seats.join(", ")), text);
        }
        page.check(name);
    }
}

#[test]
fn the_output_for_scenarios_is_unchanged() {
    check_scenarios(Extent::EveryDay);
}

#[test]
#[ignore = "exhaustive: 22 s; every day: golden::the_output_for_scenarios_is_unchanged"]
fn the_output_for_scenarios_is_unchanged_for_large_tables_and_games() {
    check_scenarios(Extent::Exhaustive);
}

/// The commands of a save's page, in order.
fn commands_of_save(file: &str) -> Vec<String> {
    let mut commands = vec![format!("verify saves/{file} --json")];
    for seen_by in [
        "",
        " --seen-by prover",
        " --seen-by opponent",
        " --seen-by judge",
    ] {
        commands.push(format!("replay saves/{file} --plain{seen_by}"));
    }
    for format in ["json", "csv", "md", "html", "inspect"] {
        commands.push(format!("export saves/{file} --to {format}"));
    }
    commands
}

#[test]
fn the_output_for_saves_is_unchanged() {
    let saves = TempDir::new().unwrap();
    let mut files: Vec<_> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("saves"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    for file in files {
        let mut page = Page::new(Extent::Exhaustive);
        for command in commands_of_save(&file) {
            page.run(saves.path(), &command);
        }
        page.check(file.trim_end_matches(".ron"));
    }
}

/// The other tests of this file call the library. This one runs the same commands, and commands that fail, as real
/// processes.
#[test]
fn the_program_prints_the_output_of_the_library() {
    let folder = TempDir::new().unwrap();
    let saves = folder.path();
    let mut all = commands("hidden-flaw", Extent::Exhaustive);
    all.extend(commands_of_save("caffeine-judge.ron"));
    for other in [
        "check no-such-scenario",
        "check hidden-flaw --require-stable",
        "check --no-such-flag",
        "solve",
        "slove",
        "--version",
        "export --help",
        "verify Cargo.toml",
        "list saves",
        "list protocols",
        "guide scenarios",
        "schema solve",
        "--print-config",
        "--print-themes",
    ] {
        all.push(other.to_owned());
    }
    for command in all {
        let words = words(&command);
        let [real, here] = [say(saves, &words, ""), run_here(saves, &words, "")];
        assert_eq!(real.code, here.code, "{command}");
        assert_eq!(stable(&real.out), stable(&here.out), "{command}");
        assert_eq!(real.err, here.err, "{command}");
    }
    let input = "yes\nhigh\n1\n";
    let play = words("hidden-flaw --plain --seed 3 --role prover --no-save");
    let [real, here] = [say(saves, &play, input), run_here(saves, &play, input)];
    assert_eq!((real.code, real.out), (here.code, here.out));
    let driver = Driver::start(saves, &["--no-save"]);
    assert_eq!(
        messages(driver, "hidden-flaw", &["prover"]),
        messages(Driver::in_process(), "hidden-flaw", &["prover"])
    );
}
