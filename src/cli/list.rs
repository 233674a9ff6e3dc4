//! `list`: what there is, with one line each.

use std::io::{self, Write as _};

use serde_json::{Value, json};

use super::{Failure, ListArgs, What, print_json, registry};
use crate::number::Exact;
use crate::player::Registry;
use crate::protocol::{Kind, Seat};
use crate::setup;

/// A row: its name, what it is for, and the fields of its JSON.
struct Row {
    name: String,
    group: String,
    about: String,
    json: Value,
}

pub(super) fn list(args: &ListArgs) -> Result<(), Failure> {
    let rows = match args.what {
        What::Scenarios => scenarios(),
        What::Strategies => strategies(&registry()),
        What::Protocols => protocols(),
        What::Problems => problems(),
    };
    if args.json {
        return print_json(&rows.into_iter().map(|row| row.json).collect());
    }
    let mut out = io::stdout().lock();
    let column = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut group = String::new();
    for row in rows {
        if row.group != group {
            let space = if group.is_empty() { "" } else { "\n" };
            writeln!(out, "{space}{}", row.group)?;
            group.clone_from(&row.group);
        }
        let indent = if row.group.is_empty() { "" } else { "  " };
        writeln!(out, "{indent}{:column$}  {}", row.name, row.about)?;
    }
    Ok(())
}

fn scenarios() -> Vec<Row> {
    setup::bundled()
        .into_iter()
        .map(|listing| Row {
            name: listing.name.to_owned(),
            group: String::new(),
            about: listing.title.clone(),
            json: json!({"name": listing.name, "title": listing.title, "about": listing.about}),
        })
        .collect()
}

fn strategies(registry: &Registry<Exact>) -> Vec<Row> {
    let entries = registry.entries().iter();
    entries
        .map(|entry| {
            let protocol = entry.protocol.map_or("every protocol", Kind::name);
            let title = entry
                .protocol
                .map_or_else(|| entry.seat.name(), |kind| kind.title(entry.seat));
            Row {
                name: entry.usage(),
                group: format!("{title}, {protocol}"),
                about: entry.about.to_owned(),
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

fn protocols() -> Vec<Row> {
    Kind::ALL
        .iter()
        .map(|kind| Row {
            name: kind.variant().to_owned(),
            group: String::new(),
            about: kind.about().to_owned(),
            json: json!({
                "name": kind.name(),
                "variant": kind.variant(),
                "about": kind.about(),
                "prover": kind.title(Seat::Prover),
                "opponent": kind.title(Seat::Opponent),
            }),
        })
        .collect()
}

fn problems() -> Vec<Row> {
    setup::PROBLEMS
        .iter()
        .map(|(name, about)| Row {
            name: (*name).to_owned(),
            group: String::new(),
            about: (*about).to_owned(),
            json: json!({"name": name, "about": about}),
        })
        .collect()
}
