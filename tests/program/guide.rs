//! The guide's tables match the program, and its commands work.
//!
//! `UPDATE=1 cargo test --test suite program::guide` writes the current tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use debate_core::protocol::{ProtocolKind, short_protocol_example_name};
use debate_solver::setup::{PROBLEMS, ScenarioLimits, bundled_scenarios};
use debate_tui::guide::{GuidePage, PAGES};
use debate_tui::tui::settings::{ALL_SETTINGS, Settings};
use serde_json::Value;

use crate::program::errata::assert_prints;
use crate::program::examples;
use crate::support::program::{json, run_here, say};

fn page(name: &str) -> &'static GuidePage {
    PAGES.iter().find(|page| page.name == name).expect("a page")
}

fn file(page: &str) -> String {
    format!("{}/src/guide/{page}.md", env!("CARGO_MANIFEST_DIR"))
}

/// The text of a page between `<!-- NAME -->` and `<!-- end -->`.
fn marked(page: &GuidePage, name: &str) -> &'static str {
    let (_, rest) = page.text.split_once(&format!("<!-- {name} -->\n")).unwrap();
    rest.split_once("<!-- end -->").unwrap().0
}

/// The cells of each row of such a table. A bar within a cell is written `\\|`.
fn rows(page_name: &str, name: &str) -> Vec<Vec<String>> {
    let table = marked(page(page_name), name).replace("\\|", "\0");
    let rows = table.lines().skip(2).map(|row| {
        let cells = row.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().replace('\0', "|")).collect()
    });
    rows.collect()
}

/// Compares the text of a page between `<!-- NAME -->` and `<!-- end -->` with a table, or writes the table.
#[track_caller]
fn assert_shown(page_name: &str, name: &str, table: &str) {
    if std::env::var_os("UPDATE").is_some() {
        // The file is read again, because an earlier table of the page may have been written.
        let text = fs::read_to_string(file(page_name)).unwrap();
        let mark = format!("<!-- {name} -->\n");
        let (before, rest) = text.split_once(&mark).unwrap();
        let (_, after) = rest.split_once("<!-- end -->").unwrap();
        let now = format!("{before}{mark}{table}<!-- end -->{after}");
        fs::write(file(page_name), now).unwrap();
    } else {
        assert_eq!(marked(page(page_name), name), table);
    }
}

fn protocols() -> String {
    let mut table = "| protocol | procedure | guarantee |\n| --- | --- | --- |\n".to_owned();
    for kind in ProtocolKind::ALL {
        let says = kind.protocol_texts();
        writeln!(
            table,
            "| `{}` | {} | {} |",
            kind.protocol_name_in_scenarios(),
            says.about,
            says.guarantee
        )
        .unwrap();
    }
    table
}

/// One row for the decompositions of a problem that can be debated under the same protocols.
fn debated() -> String {
    let mut table =
        "| problem | `decomposition` | can be debated under |\n| --- | --- | --- |\n".to_owned();
    for problem in PROBLEMS.iter() {
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for debated in problem.fitting_protocol_examples().unwrap() {
            let decomposition = debated
                .decomposition
                .map_or_else(|| "left out".to_owned(), |text| format!("`{text}`"));
            let protocols: Vec<_> = debated
                .protocols
                .iter()
                .map(|example| format!("`{}`", short_protocol_example_name(example)))
                .collect();
            assert!(!protocols.is_empty(), "{}", problem.name);
            let protocols = protocols.join(", ");
            match rows.iter_mut().find(|(listed, _)| *listed == protocols) {
                Some((_, decompositions)) => decompositions.push(decomposition),
                None => rows.push((protocols, vec![decomposition])),
            }
        }
        for (protocols, decompositions) in rows {
            writeln!(
                table,
                "| `{}` | {} | {protocols} |",
                problem.name,
                decompositions.join(", ")
            )
            .unwrap();
        }
    }
    table
}

/// One table for each lesson of the bundled scenarios.
fn scenarios() -> String {
    let mut table = String::new();
    let mut teaches = "";
    for listing in bundled_scenarios() {
        if listing.teaches != teaches {
            teaches = listing.teaches;
            let gap = if table.is_empty() { "" } else { "\n" };
            write!(
                table,
                "{gap}**{teaches}**\n\n| scenario | question | rules | seats, minutes |\n| --- | --- | --- | --- |\n"
            )
            .unwrap();
        }
        let seats = listing.seats.iter().map(|advice| {
            let title = listing.protocol.title(advice.seat);
            let minutes = advice.expected_minutes_in_seat();
            minutes.map_or_else(|| title.to_owned(), |minutes| format!("{title} {minutes}"))
        });
        writeln!(
            table,
            "| `{}` | {} | {}, {} | {} |",
            listing.name,
            listing.title,
            listing.protocol.protocol_name(),
            listing.difficulty.difficulty_name(),
            seats.collect::<Vec<_>>().join(", ")
        )
        .unwrap();
    }
    table
}

fn settings() -> String {
    let mut table = "| setting | values | purpose |\n| --- | --- | --- |\n".to_owned();
    for field in ALL_SETTINGS {
        let (name, takes, doc) = (field.name, field.accepted_values(), field.doc());
        let standard = field.value_in_ron(&Settings::default());
        writeln!(
            table,
            "| `{name}` | {takes}; default `{standard}` | {doc} |"
        )
        .unwrap();
    }
    table
}

fn asked(arguments: &[&str]) -> Vec<Value> {
    let dir = tempfile::tempdir().unwrap();
    let document = json(&run_here(dir.path(), arguments, ""));
    document.as_array().unwrap().clone()
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap()
}

/// The built-in players: one list for each seat and each set of protocols.
fn strategies() -> String {
    let mut rows: Vec<([String; 3], Vec<String>)> = Vec::new();
    for player in asked(&["list", "strategies", "--json"]) {
        // The page describes this player in one sentence.
        if text(&player, "usage") == "random" {
            continue;
        }
        let protocol = player["protocol"].as_str().unwrap_or("every protocol");
        let usage = text(&player, "usage").replace(" or ", "`, `");
        let [seat, about] = ["seat", "about"].map(|field| text(&player, field).to_owned());
        let row = [usage, seat, about];
        match rows.iter_mut().find(|(listed, _)| *listed == row) {
            Some((_, protocols)) => protocols.push(protocol.to_owned()),
            None => rows.push((row, vec![protocol.to_owned()])),
        }
    }
    // Players with equal texts under equal protocols are listed once for both seats.
    let mut merged: Vec<(String, String, Vec<String>)> = Vec::new();
    for ([usage, seat, about], protocols) in rows {
        let protocols = protocols.join(", ");
        let player = format!("- `{usage}` {about}.\n");
        let seats = merged
            .iter_mut()
            .find(|(listed, under, _)| *listed == player && *under == protocols);
        match seats {
            Some((_, _, seats)) => seats.push(seat),
            None => merged.push((player, protocols, vec![seat])),
        }
    }
    let mut lists: Vec<(String, String)> = Vec::new();
    for (player, protocols, seats) in merged {
        let title = format!("**{protocols}: {}**", seats.join(" and "));
        match lists.iter_mut().find(|(listed, _)| *listed == title) {
            Some((_, players)) => players.push_str(&player),
            None => lists.push((title, player)),
        }
    }
    let lists = lists
        .iter()
        .map(|(title, players)| format!("{title}\n\n{players}"));
    lists.collect::<Vec<_>>().join("\n")
}

/// The guide lists the actions that work on more screens than this; `--print-keys` prints all.
const FEW_SCREENS: usize = 5;

/// The beginnings of the descriptions of actions that only move the cursor, the view or the focus. The guide leaves
/// these actions out.
const MOVEMENTS: [&str; 4] = ["Go ", "Scroll ", "Move the focus ", "Mark "];

/// The actions of most screens, in the order of the program.
fn actions() -> String {
    let mut list = String::new();
    for action in asked(&["--print-keys", "--json"]) {
        let (name, doc) = (text(&action, "action"), text(&action, "doc"));
        let screens = action["contexts"].as_array().unwrap().len();
        if screens <= FEW_SCREENS || MOVEMENTS.iter().any(|start| doc.starts_with(start)) {
            continue;
        }
        let keys = action["standard"].as_array().unwrap().iter();
        let keys: Vec<String> = keys
            .map(|key| format!("`{}`", key.as_str().unwrap()))
            .collect();
        writeln!(list, "- `{name}` ({}) – {doc}.", keys.join(" ")).unwrap();
    }
    list
}

fn limits() -> String {
    let limits = ScenarioLimits::default();
    let rows = [
        ("file", limits.file.to_string(), "bytes of a file"),
        ("claims", limits.claims.to_string(), "claims in a file"),
        (
            "depth",
            limits.depth.to_string(),
            "levels of subclaims below the root claim",
        ),
        ("width", limits.width.to_string(), "subclaims of a support"),
        ("text", limits.text.to_string(), "characters of a text"),
        (
            "gates",
            limits.gates.to_string(),
            "gates of a circuit, and inputs",
        ),
        (
            "digits",
            limits.digits.to_string(),
            "digits of the smallest reward, r^(d + 1), and of ε to the power of the widest support",
        ),
    ];
    let mut table = "| flag | default | limits |\n| --- | --- | --- |\n".to_owned();
    for (flag, default, what) in rows {
        writeln!(table, "| `--max-{flag}` | {default} | {what} |").unwrap();
    }
    table
}

/// A single test, because two tests could write the same page at once.
#[test]
fn generated_tables_of_the_guide_are_current() {
    assert_shown("protocols", "protocols", &protocols());
    assert_shown("protocols", "debated", &debated());
    assert_shown("scenarios", "scenarios", &scenarios());
    assert_shown("settings", "settings", &settings());
    assert_shown("players", "strategies", &strategies());
    assert_shown("keys", "actions", &actions());
    assert_shown("limits", "limits", &limits());
}

#[test]
fn the_most_used_keys_are_keys() {
    let actions = asked(&["--print-keys", "--json"]);
    let keys = actions
        .iter()
        .flat_map(|action| action["standard"].as_array().unwrap());
    let keys: Vec<&str> = keys.map(|key| key.as_str().unwrap()).collect();
    let table = rows("keys", "most used keys");
    assert!(table.len() > 10);
    for row in &table {
        for key in backticked(&row[0]) {
            assert!(keys.contains(&key), "{key} does nothing");
        }
    }
}

#[test]
fn the_commands_page_lists_the_commands_of_the_help() {
    let dir = tempfile::tempdir().unwrap();
    let table = rows("commands", "commands");
    let mut told: Vec<String> = Vec::new();
    for row in &table {
        let usage = backticked(&row[0])[0];
        let name = usage.split_whitespace().nth(1).unwrap();
        let command = if name.starts_with('[') {
            None
        } else {
            Some(name)
        };
        told.extend(command.map(str::to_owned));
        let arguments: Vec<&str> = command.into_iter().chain(["--help"]).collect();
        let help = run_here(dir.path(), &arguments, "").out;
        let cells = row.iter().flat_map(|cell| backticked(cell));
        for word in cells.flat_map(str::split_whitespace) {
            if word.starts_with("--") {
                assert!(help.contains(word), "{name} has no {word}");
            }
        }
    }
    let help = run_here(dir.path(), &["--help"], "").out;
    let (_, listed) = help.split_once("Commands:\n").unwrap();
    let listed = listed.lines().take_while(|line| !line.is_empty());
    let mut names: Vec<&str> = listed
        .filter_map(|line| line.split_whitespace().next())
        // The last two exist only in builds with their features.
        .filter(|name| !["help", "mcp", "web"].contains(name))
        .collect();
    names.sort_unstable();
    told.sort_unstable();
    assert_eq!(told, names);
}

#[test]
fn limits_of_computations_match_the_help() {
    let dir = tempfile::tempdir().unwrap();
    let table = rows("limits", "computations");
    assert!(table.len() > 5);
    for row in &table {
        let command = backticked(&row[0])[0].split_whitespace().next().unwrap();
        let flag = backticked(&row[1])[0].split_whitespace().next().unwrap();
        let help = run_here(dir.path(), &[command, "--help"], "").out;
        let (_, about) = help.split_once(&format!("\n      {flag} ")).unwrap();
        let (_, default) = about.split_once("[default: ").unwrap();
        assert!(
            default.starts_with(&format!("{}]", row[2])),
            "{flag}: {default:.20}"
        );
    }
}

#[test]
fn the_exports_page_lists_the_formats_of_export() {
    let dir = tempfile::tempdir().unwrap();
    let help = run_here(dir.path(), &["export", "--help"], "").out;
    let (_, values) = help.split_once("Possible values:\n").unwrap();
    let values = values
        .lines()
        .map_while(|line| line.trim().strip_prefix("- "));
    let mut formats: Vec<&str> = values.filter_map(|line| line.split(':').next()).collect();
    let table = rows("exports", "formats");
    let mut told: Vec<&str> = table.iter().map(|row| backticked(&row[0])[0]).collect();
    formats.sort_unstable();
    told.sort_unstable();
    told.dedup();
    assert_eq!(told, formats);
}

#[test]
fn files_named_for_extensions_exist() {
    let text = include_str!("../../CONTRIBUTING.md");
    let (_, table) = text.split_once("<!-- touch -->\n").unwrap();
    let (table, _) = table.split_once("<!-- end -->").unwrap();
    let paths = backticked(table)
        .into_iter()
        .filter(|name| name.starts_with("src/") || name.starts_with("tests/"));
    let mut count = 0;
    for path in paths {
        let there = Path::new(env!("CARGO_MANIFEST_DIR")).join(path).exists();
        assert!(there, "there is no {path}");
        count += 1;
    }
    assert!(count > 10);
}

/// The language and the text of each fenced block of a page.
fn code_blocks(page: &GuidePage) -> Vec<(&'static str, String)> {
    let mut lines = page.text.lines();
    let mut blocks = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let code = lines.by_ref().take_while(|line| *line != "```");
            blocks.push((language, code.flat_map(|line| [line, "\n"]).collect()));
        }
    }
    blocks
}

/// The code of a page can be copied from the page, and printed to a file.
#[test]
fn code_is_printed_without_indentation_and_separately() {
    let dir = tempfile::tempdir().unwrap();
    let guide = |words: &[&str]| run_here(dir.path(), &[&["guide"], words].concat(), "");
    for (name, script) in [
        ("models", include_str!("../../src/guide/model.py")),
        ("engines", include_str!("../../src/guide/simple.py")),
    ] {
        let printed = guide(&[name, "--code"]);
        assert_eq!((printed.code, printed.out.as_str()), (Some(0), script));
        assert_eq!(page(name).script, Some(script));
    }
    for page in PAGES {
        let blocks = code_blocks(page);
        for (number, (_, code)) in (1..).zip(&blocks) {
            let printed = guide(&[page.name, &format!("--code={number}")]);
            assert_eq!((printed.code, &printed.out), (Some(0), code));
        }
        let scripts = blocks.iter().filter(|(language, _)| *language == "python");
        let printed = guide(&[page.name, "--code"]);
        if page.script.is_some() || blocks.len() == 1 || scripts.count() == 1 {
            assert_eq!(printed.code, Some(0), "{printed:?}");
            continue;
        }
        // The error lists each block with its number.
        assert_eq!((printed.code, printed.out.as_str()), (Some(2), ""));
        assert!(printed.err.contains(page.name), "{printed:?}");
        for number in 1..=blocks.len() {
            assert!(
                printed.err.contains(&format!("--code={number} for `")),
                "{printed:?}"
            );
        }
        for wrong in [0, blocks.len() + 1] {
            assert_eq!(
                guide(&[page.name, &format!("--code={wrong}")]).code,
                Some(2)
            );
        }
    }
    assert_eq!(guide(&["--code"]).code, Some(2));
    assert_eq!(guide(&["models", "--code=x"]).code, Some(2));
    let help = guide(&["--help"]).out;
    assert!(
        help.contains("debate-tui guide models --code > model.py"),
        "{help}"
    );
}

#[test]
fn a_page_fits_a_hundred_columns_and_has_no_marks_left() {
    let dir = tempfile::tempdir().unwrap();
    for page in PAGES {
        let said = run_here(dir.path(), &["guide", page.name], "");
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(said.is_clean(), "{}", page.name);
        let code: String = code_blocks(page)
            .into_iter()
            .map(|(_, code)| code)
            .collect();
        let code: BTreeSet<&str> = code.lines().collect();
        for line in said.out.lines() {
            let name = page.name;
            assert!(line.chars().count() <= 100, "{name}: {line}");
            let outside = line.split('`').step_by(2).collect::<String>();
            let marks = ["**", "](", "][", "<!--", "| --- |", "```"];
            let is_code = code.contains(line);
            let left = marks.iter().find(|mark| outside.contains(**mark));
            assert!(is_code || left.is_none(), "{name}: {line}");
        }
        let (heading, _) = page.text.split_once('\n').unwrap();
        assert!(said.out.starts_with(heading.trim_start_matches("# ")));
    }
}

#[test]
fn every_page_is_listed_and_every_link_resolves() {
    let dir = tempfile::tempdir().unwrap();
    let listed = run_here(dir.path(), &["guide"], "").out;
    let readme = include_str!("../../README.md");
    let files = fs::read_dir(file("x").trim_end_matches("x.md")).unwrap();
    let names = files.map(|file| file.unwrap().file_name());
    let pages = names.filter(|name| name.to_string_lossy().ends_with(".md"));
    assert_eq!(pages.count(), PAGES.len());
    for page in PAGES {
        let line = |line: &str| line.split_whitespace().next() == Some(page.name);
        assert!(listed.lines().any(line), "{}", page.name);
        let is_listed = listed.lines().any(|line| line == page.section);
        assert!(is_listed, "{}", page.section);
        assert!(
            readme.contains(&format!("](src/guide/{}.md)", page.name)),
            "{}",
            page.name
        );
        // `[text][page]` links to the page; on the forge, through a definition in the file.
        let links = page.text.split("][").skip(1);
        for target in links.map(|rest| rest.split(']').next().unwrap()) {
            assert!(
                PAGES.iter().any(|page| page.name == target),
                "{}: {target}",
                page.name
            );
            let defined = format!("\n[{target}]: {target}.md\n");
            assert!(page.text.contains(&defined), "{}: {target}", page.name);
        }
        // Without a language, rustdoc would run a block as a test.
        let fences = page.text.lines().filter(|line| line.starts_with("```"));
        for opening in fences.step_by(2) {
            assert!(
                ["```sh", "```ron", "```text", "```python"].contains(&opening),
                "{}",
                page.name
            );
        }
    }
}

#[test]
fn a_mistyped_page_gets_a_suggestion() {
    let dir = tempfile::tempdir().unwrap();
    for (typed, part) in [
        (
            "protocol",
            "unknown page `protocol`; did you mean `protocols`?",
        ),
        ("weather\u{1b}[2J", "take one of play, scenarios, speeches"),
    ] {
        let said = run_here(dir.path(), &["guide", typed], "");
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains(part) && said.is_clean(), "{said:?}");
        assert!(said.out.is_empty(), "{said:?}");
    }
}

/// All commands in the blocks of the guide and of the readme, in order.
fn commands() -> Vec<&'static str> {
    let mut found = Vec::new();
    let texts = PAGES.iter().map(|page| page.text);
    for text in texts.chain([include_str!("../../README.md")]) {
        let blocks = text.split("```sh\n").skip(1);
        for line in blocks.flat_map(|rest| rest.split("```").next().unwrap().lines()) {
            if line.starts_with("debate-tui ") && !line.contains("*.part") {
                found.push(line);
            }
        }
    }
    found
}

#[test]
fn every_command_of_the_guide_and_the_readme_works() {
    let dir = tempfile::tempdir().unwrap();
    // For `resume --last`: a debate that the user left after one reply.
    let left = say(
        dir.path(),
        &["primes", "--plain", "--role", "estimator"],
        "0\n",
    );
    assert_eq!(left.code, Some(0), "{left:?}");
    let mut run = 0;
    for command in commands() {
        if !examples::is_large(command) {
            examples::assert_works(dir.path(), command, run);
            run += 1;
        }
    }
    assert!(run > 30, "{run}");
}

#[test]
#[ignore = "exhaustive: 1 s; every day: guide::every_command_of_the_guide_and_the_readme_works"]
fn every_large_command_of_the_guide_and_the_readme_works() {
    let dir = tempfile::tempdir().unwrap();
    let commands = commands();
    let large = commands
        .iter()
        .filter(|command| examples::is_large(command));
    for (number, command) in large.enumerate() {
        examples::assert_works(dir.path(), command, number);
    }
}

#[test]
fn every_protocol_can_debate_some_example() {
    let mut missing: Vec<_> = ProtocolKind::ALL
        .iter()
        .flat_map(|kind| &kind.protocol_texts().examples)
        .collect();
    for problem in PROBLEMS.iter() {
        for debated in problem.fitting_protocol_examples().unwrap() {
            missing.retain(|example| !debated.protocols.contains(example));
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

fn backticked(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_errata_are_numbered_as_the_statements_cite_them() {
    let text = page("theorems").text;
    let (_, errata) = text.split_once("\n## Errata\n").unwrap();
    let (errata, _) = errata.split_once("\n## ").unwrap();
    let starts = errata.lines().filter_map(|line| line.split_once(". "));
    let numbers: Vec<u64> = starts
        .filter_map(|(number, _)| number.parse().ok())
        .collect();
    assert_eq!(numbers, (1..=9).collect::<Vec<_>>());
}

/// The list of the statements of the papers, one line each, and their details, from the document of `theorems`.
fn statements(all: &[Value]) -> [String; 2] {
    let mut table = String::new();
    let mut details = String::new();
    for one in all {
        let [name, says] = ["name", "says"].map(|field| text(one, field));
        writeln!(table, "- **{name}** ({}): {says}", short_outcome(one)).unwrap();
        let gap = if details.is_empty() { "" } else { "\n" };
        writeln!(details, "{gap}### {name}\n").unwrap();
        let given = match text(one, "given") {
            "None." => String::new(),
            given => format!("Given: {given}"),
        };
        let notes: Vec<String> = [given].into_iter().chain(cases(one)).collect();
        let notes = notes.join(" ");
        if !notes.trim().is_empty() {
            writeln!(details, "{}\n", notes.trim()).unwrap();
        }
        details += &figures(one["figures"].as_array().unwrap());
    }
    assert_eq!(all.len(), 54);
    [table, details]
}

/// The outcomes of a statement without their cases, and the numbers of their errata.
fn short_outcome(one: &Value) -> String {
    let verdicts = std::iter::once(one).chain(one["also"].as_array().unwrap());
    let mut outcomes: Vec<&str> = Vec::new();
    let mut errata = BTreeSet::new();
    for verdict in verdicts {
        let outcome = text(verdict, "outcome").trim_end_matches(" under reading");
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
        errata.extend(verdict["erratum"].as_u64());
    }
    let outcomes = outcomes.join("; ");
    if errata.is_empty() {
        return outcomes;
    }
    let errata: Vec<String> = errata.iter().map(u64::to_string).collect();
    format!("{outcomes}; Errata {}", errata.join(", "))
}

/// The cases that the outcomes of a statement cover, without the scenarios that its commands name.
fn cases(one: &Value) -> Vec<String> {
    let figures = one["figures"].as_array().unwrap();
    let is_in_a_command = |name: &str| {
        let mut words = figures
            .iter()
            .flat_map(|one| text(one, "command").split(' '));
        words.any(|word| word == name)
    };
    let verdicts = std::iter::once(one).chain(one["also"].as_array().unwrap());
    let mut cases = Vec::new();
    for verdict in verdicts {
        let part = |field: &str| verdict[field].as_str();
        if let Some(class) = part("class") {
            cases.push(format!("Holds for {class}."));
        }
        if let Some(reading) = part("reading") {
            let outcome = text(verdict, "outcome").trim_end_matches(" under reading");
            let outcome = outcome.replacen("its", "Its", 1);
            cases.push(format!("{outcome} if {reading}."));
        }
        if let Some(variant) = part("variant") {
            cases.push(format!("A variant fails: {variant}."));
        }
        let instances = verdict["instances"].as_array().unwrap().iter();
        let instances: Vec<&str> = instances.map(|name| name.as_str().unwrap()).collect();
        if !instances.iter().all(|name| is_in_a_command(name)) {
            cases.push(format!("Checked on {}.", instances.join(", ")));
        }
    }
    cases
}

/// A list item with the first command of a statement and its figures; `debate-tui theorems NAME` prints all.
fn figures(shown: &[Value]) -> String {
    // Each outcome is shown by a command.
    let first = text(&shown[0], "command");
    let figures = shown.iter().take_while(|one| text(one, "command") == first);
    let figures = figures.map(|figure| {
        let [shows, value, beside] = ["shows", "value", "beside"].map(|part| text(figure, part));
        let remark = format!("{shows} {beside}");
        format!(" `{value}`. {}", remark.trim_end())
    });
    format!("- `{first}`:{}\n", figures.collect::<String>())
}

/// The commands of figures that take more than 0.15 s.
const LARGE_FIGURES: [&str; 15] = [
    "debate-tui equilibrium caffeine-plan --all --exact",
    "debate-tui equilibrium five-parts-stable",
    "debate-tui equilibrium hidden-flaw --all --points 11",
    "debate-tui equilibrium hidden-flaw --all --prover-knows nothing --points 5",
    "debate-tui equilibrium qbf --all --exact",
    "debate-tui equilibrium three-readings --all --opponent-knows nothing",
    "debate-tui equilibrium turing --all --exact",
    "debate-tui queries --inputs 4",
    "debate-tui queries 01010110010101100101011010101010",
    "debate-tui queries 0110100110010110",
    "debate-tui queries 01101001100101101001011001101001",
    "debate-tui solve five-parts-stable --opponent best-response --grid 0,0.1,0.101,0.5,0.899,0.9,1 --exact",
    "debate-tui solve hidden-flaw --opponent 'indistinguishable(0.01)' --soundness --exact",
    "debate-tui solve primes-4331 --prover best-response --prover-knows nothing --exact",
    "debate-tui solve primes-4331 --prover best-response --prover-knows nothing --prover-answers true --exact",
];

#[test]
fn the_statements_of_the_papers_and_their_figures_are_in_the_guide() {
    let all = asked(&["theorems", "--json"]);
    let [table, details] = statements(&all);
    assert_shown("theorems", "statements", &table);
    assert_shown("theorems", "details", &details);
    let dir = tempfile::tempdir().unwrap();
    let mut documents: BTreeMap<String, Value> = BTreeMap::new();
    let mut large = BTreeSet::new();
    for figure in all
        .iter()
        .flat_map(|one| one["figures"].as_array().unwrap())
    {
        let command = text(figure, "command");
        if LARGE_FIGURES.contains(&command) {
            large.insert(command);
            continue;
        }
        let document = documents.entry(command.to_owned()).or_insert_with(|| {
            let words = examples::shell_words(command);
            let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
            json(&run_here(
                dir.path(),
                &[&words[..], &["--json"]].concat(),
                "",
            ))
        });
        assert_prints(document, text(figure, "field"), text(figure, "value"));
    }
    // The list of exceptions has no command without a figure.
    assert_eq!(large.len(), LARGE_FIGURES.len());
}

#[test]
#[ignore = "exhaustive: 22 s; every day: guide::the_statements_of_the_papers_and_their_figures_are_in_the_guide"]
fn all_commands_of_the_statements_print_their_figures() {
    let dir = tempfile::tempdir().unwrap();
    let all = json(&say(dir.path(), &["theorems", "--run", "--json"], ""));
    for one in all.as_array().unwrap() {
        for figure in one["figures"].as_array().unwrap() {
            assert_eq!(figure["agrees"], true, "{figure}");
        }
    }
}

#[test]
fn the_words_of_the_glossary_are_names_of_the_code() {
    let mut code = String::new();
    source(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut code,
    );
    let names = defined_names(&code);
    let sections = page("glossary").text.matches("<!-- words: ").count();
    let mut count = 0;
    for name in ["scenario", "protocol", "players", "analysis", "saves"] {
        // A line is: - **word** (`Name`): meaning.
        for line in marked(page("glossary"), &format!("words: {name}")).lines() {
            let (start, _) = line.split_once("): ").unwrap();
            for word in backticked(start) {
                assert!(names.contains(word), "{start}: the code has no {word}");
                count += 1;
            }
        }
    }
    assert_eq!(sections, 5);
    assert!(count > 50, "{count}");
}

/// The names that follow `struct`, `enum`, `trait`, `type` or `mod`.
fn defined_names(code: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for kind in ["struct ", "enum ", "trait ", "type ", "mod "] {
        for (_, rest) in code.match_indices(kind).map(|(at, _)| code.split_at(at)) {
            let name = rest.strip_prefix(kind).unwrap_or_default();
            let end = name.find(|sign: char| !sign.is_alphanumeric() && sign != '_');
            names.extend(end.and_then(|end| name.get(..end)));
        }
    }
    names
}

/// All code in a folder.
fn source(folder: &Path, code: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source(&path, code);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            code.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}
