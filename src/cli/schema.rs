//! `schema`: the JSON Schemas of the program's output and files.

#[cfg(test)]
mod tests;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::Result;
use super::output::print_lines;

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The document. Without it, list the names.
    #[arg(value_parser = PossibleValuesParser::new(names()))]
    name: Option<String>,
}

/// The documents that the program prints, writes or reads: one name and command per line.
const DOCUMENTS: &str = include_str!("help/documents.txt");

/// Expands to a list of JSON documents, each with the text of its schema file.
macro_rules! bundled {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("schema/", $name, ".json")))),*]
    };
}

/// The JSON Schema of each document, without indentation. A test generates the schema files from the types.
const SCHEMAS: &[(&str, &str)] = bundled! {
    "play" "replay" "verify" "check" "solve" "report" "me" "judgement" "import" "import-questions"
    "question" "transcript" "simulate" "shard" "match" "compare" "equilibrium" "train" "theorems"
    "growth"
    "search" "search-part" "queries" "study-check" "study-status" "study-report" "list-scenarios"
    "list-strategies" "list-protocols" "list-problems" "list-saves" "print-keys" "print-config"
    "print-themes" "debate" "scenario" "inspect" "messages" "save"
};

/// Returns the names of the JSON documents, each with the commands that print, write or read it.
fn documents() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = DOCUMENTS.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(name, command)| (name, command.trim_start()))
}

fn names() -> impl Iterator<Item = PossibleValue> {
    documents().map(|(name, command)| PossibleValue::new(name).help(command))
}

pub(super) fn run_schema(args: &SchemaArgs) -> Result {
    let asked = |(name, _): &&(&str, &str)| args.name.as_deref() == Some(name);
    match SCHEMAS.iter().find(asked) {
        Some((_, schema)) => print_lines([with_indentation(schema)]),
        None => print_lines(DOCUMENTS.lines()),
    }
}

/// Indents the lines of a JSON document by two spaces a level.
fn with_indentation(document: &str) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for line in document.lines() {
        // JSON strings contain no raw line break, so each line begins and ends with a token.
        if line.starts_with(['}', ']']) {
            depth -= 1;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        for _ in 0..depth {
            text.push_str("  ");
        }
        text.push_str(line);
        if line.ends_with(['{', '[']) {
            depth += 1;
        }
    }
    text
}
