//! `schema`: the JSON Schema of what the program prints and writes.

use std::io;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::Result;
use super::compare::CompareReport;
use super::list::{ListedProblem, ListedProtocol, ListedSave, ListedScenario, ListedStrategy};
use super::output::print_lines;
use super::print::{PrintedBinding, PrintedSetting, PrintedTheme};
use super::saves::ReplayReport;
use super::study::StudyStatus;
use debate_lab::analysis::equilibrium::EquilibriumDocument;
use debate_lab::expectation::OneOrMany;
use debate_lab::export::play::PlayReport;
use debate_lab::export::{DebateReport, EvalLog, ScenarioReport};
use debate_lab::import::{ImportReport, QuestionImport, Transcript};
use debate_lab::judgements::{Judgement, JudgementReport};
use debate_lab::matches::MatchReport;
use debate_lab::message::Message;
use debate_lab::record::{SaveLineSchema, VerifyDocument};
use debate_lab::setup::QuestionRow;
use debate_lab::simulate::{ShardFile, SimulationReport};
use debate_lab::tell::capital;
use debate_lab::tell::results::StatementReport;
use debate_lab::theory::SolveDocument;
use debate_lab::theory::check::Checked;
use debate_lab::theory::query_complexity::QueriesDocument;
use debate_lab::theory::search::{SearchDocument, SearchPart};
use debate_lab::training::TrainingDocument;
use debate_study::{CheckReport, StudyReport};

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The document; without one, the list of names.
    #[arg(value_parser = PossibleValuesParser::new(names()))]
    name: Option<String>,
}

/// The documents that the program prints, writes or reads: on each line a name and the command.
const DOCUMENTS: &str = include_str!("help/documents.txt");

/// Makes the schema of a document.
type MakeSchema = fn() -> Schema;

/// The schema of each document: a new one is an entry here, and a line in `help/documents.txt`.
const SCHEMAS: &[(&str, MakeSchema)] = &[
    ("play", printed::<PlayReport>),
    ("replay", printed::<ReplayReport>),
    ("verify", printed::<OneOrMany<VerifyDocument>>),
    ("check", printed::<OneOrMany<Checked>>),
    ("solve", printed::<SolveDocument>),
    ("report", printed::<JudgementReport>),
    ("judgement", read::<Judgement>),
    ("import", printed::<ImportReport>),
    ("import-questions", printed::<QuestionImport>),
    ("question", read::<QuestionRow>),
    ("transcript", read::<Transcript>),
    ("simulate", printed::<SimulationReport>),
    ("shard", printed::<ShardFile>),
    ("match", printed::<MatchReport>),
    ("compare", printed::<CompareReport>),
    ("equilibrium", printed::<EquilibriumDocument>),
    ("train", printed::<TrainingDocument>),
    ("theorems", printed::<Vec<StatementReport>>),
    ("search", printed::<SearchDocument>),
    ("search-part", printed::<SearchPart>),
    ("queries", printed::<QueriesDocument>),
    ("study-check", printed::<CheckReport>),
    ("study-status", printed::<StudyStatus>),
    ("study-report", printed::<StudyReport>),
    ("list-scenarios", printed::<Vec<ListedScenario>>),
    ("list-strategies", printed::<Vec<ListedStrategy>>),
    ("list-protocols", printed::<Vec<ListedProtocol>>),
    ("list-problems", printed::<Vec<ListedProblem>>),
    ("list-saves", printed::<Vec<ListedSave>>),
    ("print-keys", printed::<Vec<PrintedBinding>>),
    ("print-config", printed::<Vec<PrintedSetting>>),
    ("print-themes", printed::<Vec<PrintedTheme>>),
    ("debate", printed::<DebateReport>),
    ("scenario", printed::<ScenarioReport>),
    ("inspect", printed::<EvalLog>),
    ("messages", read::<Message>),
    ("save", read::<SaveLineSchema>),
];

/// The names of the documents with their commands.
fn documents() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = DOCUMENTS.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(name, command)| (name, command.trim_start()))
}

fn names() -> impl Iterator<Item = PossibleValue> {
    documents().map(|(name, command)| PossibleValue::new(name).help(command))
}

pub(super) fn schema(args: &SchemaArgs) -> Result {
    let asked = |(name, _): &&(&str, MakeSchema)| args.name.as_deref() == Some(name);
    let Some((name, schema)) = SCHEMAS.iter().find(asked) else {
        return print_lines(DOCUMENTS.lines());
    };
    let mut schema = schema();
    let title = format!("debate-tui {name}");
    schema.insert("title".to_owned(), title.into());
    let text = serde_json::to_string_pretty(&schema).map_err(io::Error::from)?;
    print_lines([text])
}

/// The schema of what is printed.
fn printed<T: JsonSchema>() -> Schema {
    generated::<T>(Contract::Serialize)
}

/// The schema of what is read, where fields may be left out.
fn read<T: JsonSchema>() -> Schema {
    generated::<T>(Contract::Deserialize)
}

fn generated<T: JsonSchema>(contract: Contract) -> Schema {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = contract;
    let generator = settings.with_transform(close).into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    if let Some(Value::Object(kinds)) = schema.get_mut("$defs") {
        for (name, kind) in kinds {
            name_variants(name, kind);
        }
    }
    schema
}

/// Gives each variant of a kind a title, after the kind and its tag: `FromServerAct`. Programs that make classes from the
/// schema need one.
fn name_variants(name: &str, kind: &mut Value) {
    let choices = ["oneOf", "anyOf"];
    let Some(choice) = choices
        .into_iter()
        .find(|choice| kind.get(choice).is_some())
    else {
        return;
    };
    let variants = kind.get_mut(choice).and_then(Value::as_array_mut);
    for variant in variants
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
    {
        let Some(Value::Object(fields)) = variant.get("properties") else {
            continue;
        };
        let tag = fields
            .values()
            .find_map(|field| field.get("const")?.as_str());
        let only = fields.keys().next().filter(|_| fields.len() == 1);
        if let Some(tag) = tag.or_else(|| only.map(String::as_str)) {
            let title = name.to_owned() + &tag.split('_').map(capital).collect::<String>();
            variant.entry("title").or_insert(title.into());
        }
    }
}

/// Says of every object that it has no other fields: a schema is of what this version prints.
fn close(schema: &mut Schema) {
    let has = |key: &str| schema.get(key).is_some();
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    let is_open = !["additionalProperties", "unevaluatedProperties"]
        .into_iter()
        .any(has);
    let choice = ["anyOf", "oneOf", "allOf"].into_iter().find(|key| has(key));
    match choice {
        // The variants add fields to those that stand beside them.
        Some(_) if has("properties") => {
            schema.insert("unevaluatedProperties".to_owned(), false.into());
            let properties = schema.get_mut("properties");
            for property in properties
                .and_then(Value::as_object_mut)
                .into_iter()
                .flatten()
            {
                if let Ok(property) = property.1.try_into() {
                    close(property);
                }
            }
        }
        _ => {
            if is_object && is_open {
                schema.insert("additionalProperties".to_owned(), false.into());
            }
            transform_subschemas(&mut close, schema);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_has_a_line_and_a_schema() {
        let lines: Vec<&str> = documents().map(|(name, _)| name).collect();
        let schemas: Vec<&str> = SCHEMAS.iter().map(|(name, _)| *name).collect();
        assert_eq!(lines, schemas);
    }
}
