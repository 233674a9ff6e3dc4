//! `list`: what there is, with one line each.

use std::io::{self, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use super::{Failure, ListArgs, ListTopic, print_json};
use crate::tui::panel::measure::wrap;
use debate_core::number::Exact;
use debate_core::player::Registry;
use debate_core::protocol::{self, Kind, Seat};
use debate_core::text::safe;
use debate_lab::record::{self, SaveCondition, SaveListing, utc};
use debate_lab::setup::{self, FittingProtocols, PROBLEMS, ProblemKind};

/// Lines are folded at so many columns.
const COLUMNS: usize = 80;

/// Names longer than this stand on a line of their own.
const LONGEST_NAME: usize = 24;

/// A space at which no line is folded.
const NO_BREAK_SPACE: &str = "\u{a0}";

/// A row: its name, what it is for, what else there is to say, and the fields of its JSON.
struct ListEntry {
    name: String,
    group: String,
    about: String,
    more: Vec<(String, String)>,
    json: Value,
}

pub(super) fn list(args: &ListArgs) -> Result<(), Failure> {
    let rows = match args.what {
        ListTopic::Scenarios => scenarios(),
        ListTopic::Strategies => strategies(&debate_lab::registry()),
        ListTopic::Protocols => protocols(),
        ListTopic::Problems => problems()?,
        ListTopic::Saves => saves(args.saves.as_deref())?,
    };
    if args.json {
        return print_json(&rows.into_iter().map(|row| row.json).collect::<Vec<_>>());
    }
    let mut out = io::stdout().lock();
    for line in lines(&rows) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn lines(rows: &[ListEntry]) -> Vec<String> {
    let mut lines = Vec::new();
    let names = rows.iter().map(|row| row.name.chars().count());
    let column = names
        .filter(|width| *width <= LONGEST_NAME)
        .max()
        .unwrap_or(0);
    let mut group = "";
    for row in rows {
        if row.group != group {
            if !group.is_empty() {
                lines.push(String::new());
            }
            lines.push(row.group.clone());
            group = &row.group;
        }
        let indent = if row.group.is_empty() { 0 } else { 2 };
        two_columns(&row.name, &row.about, indent, column, &mut lines);
        // What else there is to say stands as a table of its own below.
        let second = row.more.iter().map(|(name, _)| name.chars().count()).max();
        for (name, text) in &row.more {
            let second = second.unwrap_or(0).min(LONGEST_NAME + 4);
            two_columns(name, text, indent + 4, second, &mut lines);
        }
    }
    lines
}

/// A name and a text beside it, folded.
pub(super) fn two_columns(
    name: &str,
    text: &str,
    indent: usize,
    column: usize,
    lines: &mut Vec<String>,
) {
    let start = indent + column + 2;
    let mut name = format!("{:indent$}{name}", "");
    if name.chars().count() > indent + column {
        lines.push(std::mem::take(&mut name));
    }
    for part in wrap(text, COLUMNS.saturating_sub(start)) {
        let part = part.replace(NO_BREAK_SPACE, " ");
        let line = format!("{name:width$}  {part}", width = start - 2);
        lines.push(line.trim_end().to_owned());
        name.clear();
    }
}

fn scenarios() -> Vec<ListEntry> {
    setup::bundled()
        .into_iter()
        .map(|listing| ListEntry {
            name: listing.name.to_owned(),
            group: String::new(),
            about: listing.title.clone(),
            more: Vec::new(),
            json: json!({"name": listing.name, "title": listing.title, "about": listing.about}),
        })
        .collect()
}

fn strategies(registry: &Registry<Exact>) -> Vec<ListEntry> {
    let entries = registry.entries().iter();
    entries
        .map(|entry| {
            let protocol = entry.protocol.map_or("every protocol", Kind::name);
            let title = entry
                .protocol
                .map_or_else(|| entry.seat.name(), |kind| kind.title(entry.seat));
            ListEntry {
                name: entry.usage(),
                group: format!("{title}, {protocol}"),
                about: entry.about.to_owned(),
                more: Vec::new(),
                json: json!({
                    "name": entry.name,
                    "usage": entry.usage(),
                    "seat": entry.seat.name(),
                    "protocol": entry.protocol.map(Kind::name),
                    "about": entry.about,
                }),
            }
        })
        .collect()
}

fn protocols() -> Vec<ListEntry> {
    Kind::ALL
        .iter()
        .map(|kind| ListEntry {
            name: kind.variant().to_owned(),
            group: String::new(),
            about: kind.about().to_owned(),
            more: vec![(
                "guarantee".to_owned(),
                kind.introduction().guarantee.to_owned(),
            )],
            json: json!({
                "name": kind.name(),
                "variant": kind.variant(),
                "about": kind.about(),
                "guarantee": kind.introduction().guarantee,
                "examples": kind.introduction().examples,
                "prover": kind.title(Seat::Prover),
                "opponent": kind.title(Seat::Opponent),
            }),
        })
        .collect()
}

/// The debates that are kept. Their texts come from files that anybody may have written.
fn saves(asked: Option<&Path>) -> Result<Vec<ListEntry>, Failure> {
    let folder = record::folder(asked).map_err(Failure::input)?;
    let listed = record::list(&folder).map_err(Failure::input)?;
    if listed.is_empty() {
        let folder = folder.display().to_string();
        writeln!(io::stderr(), "There are no saves in {}.", safe(&folder))?;
    }
    Ok(listed.iter().map(kept).collect())
}

fn kept(save: &SaveListing) -> ListEntry {
    let path = save.path.display().to_string();
    let condition = match save.condition {
        SaveCondition::Finished => "finished",
        SaveCondition::Unfinished => "unfinished",
        SaveCondition::Unplayed => "unplayed",
        SaveCondition::Unclear => "unclear",
    };
    let written = utc(save.modified);
    let title = save
        .title
        .as_deref()
        .unwrap_or("(its title cannot be read)");
    let header = save.header.as_ref();
    ListEntry {
        name: safe(&path).into_owned(),
        group: String::new(),
        about: safe(&format!("{title} ({condition}, last written {written})")).into_owned(),
        more: Vec::new(),
        json: json!({
            "save": path,
            "title": save.title,
            "condition": condition,
            "protocol": header.map(|header| header.protocol.kind().name()),
            "players": header.map(|header| json!({
                "prover": header.players[0],
                "opponent": header.players[1],
                "judge": header.players[2],
            })),
            "seed": header.map(|header| header.seed.as_str()),
            "written": written,
        }),
    }
}

/// The problems, each with what it can be debated under.
fn problems() -> Result<Vec<ListEntry>, Failure> {
    let each = PROBLEMS.iter();
    each.map(|problem| problem.debated().map(|debated| row(problem, &debated)))
        .collect::<Result<_, _>>()
        .map_err(Failure::input)
}

fn row(problem: &ProblemKind, debated: &[FittingProtocols]) -> ListEntry {
    let more = debated.iter().map(|debated| {
        let names: Vec<_> = debated
            .protocols
            .iter()
            .map(|example| protocol::called(example))
            .collect();
        let decomposition = debated.decomposition.unwrap_or("as it is");
        // A name is not to be folded within.
        let names = names
            .join(",\n")
            .replace(' ', NO_BREAK_SPACE)
            .replace('\n', " ");
        (decomposition.to_owned(), names)
    });
    let json: Vec<_> = debated
        .iter()
        .map(|debated| {
            json!({"decomposition": debated.decomposition, "protocols": debated.protocols})
        })
        .collect();
    ListEntry {
        name: problem.name.to_owned(),
        group: String::new(),
        about: problem.about.to_owned(),
        more: more.collect(),
        json: json!({
            "name": problem.name,
            "about": problem.about,
            "example": problem.example,
            "debated": json,
        }),
    }
}
