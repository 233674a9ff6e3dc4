//! Generates the files that `schema` prints from the types of the documents.
//!
//! `UPDATE=1 cargo test --lib schema` rewrites the files.

use std::path::Path;
use std::{env, fs};

use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::{SCHEMAS, documents, with_indentation};
use crate::cli::compare::DebateComparisonReport;
use crate::cli::list::{ListedProblem, ListedProtocol, ListedSave, ListedScenario, ListedStrategy};
use crate::cli::print::{PrintedBinding, PrintedSetting, PrintedTheme};
use crate::cli::saves::ReplayReport;
use crate::cli::study::StudyStatus;
use debate_host::message::Message;
use debate_host::message::play::DebateOutcomeReport;
use debate_host::record::{SaveLineSchema, VerificationResult};
use debate_lab::calibration::CalibrationReport;
use debate_lab::export::{DebateReport, EvalLog, ScenarioReport};
use debate_lab::import::{ImportReport, ImportedSpeechDebate, QuestionImporter};
use debate_lab::judgements::{Judgement, JudgementReport};
use debate_lab::matches::MatchReport;
use debate_solver::analysis::equilibrium::EquilibriumDocument;
use debate_solver::expectation::OneOrMany;
use debate_solver::setup::QuestionSetEntry;
use debate_solver::simulate::{SimulationReport, SimulationShardFile};
use debate_solver::training::TrainCommandReport;
use debate_study::{StudyCheckReport, StudyReport};
use debate_text::capitalized;
use debate_text::results::PaperStatementReport;
use debate_theory::SolveDocument;
use debate_theory::check::ScenarioCheckResult;
use debate_theory::growth::TheoremParametersByDepthReport;
use debate_theory::query_complexity::QueriesDocument;
use debate_theory::search::{SearchResultDocument, SearchShard};

/// A function that generates the schema of a type.
type MakeSchema = fn() -> Schema;

/// The type of each document. A new document is an entry here and in [`SCHEMAS`], and a line in `help/documents.txt`.
const TYPES: &[(&str, MakeSchema)] = &[
    ("play", printed::<DebateOutcomeReport>),
    ("replay", printed::<ReplayReport>),
    ("verify", printed::<OneOrMany<VerificationResult>>),
    ("check", printed::<OneOrMany<ScenarioCheckResult>>),
    ("solve", printed::<SolveDocument>),
    ("report", printed::<JudgementReport>),
    ("me", printed::<CalibrationReport>),
    ("judgement", read::<Judgement>),
    ("import", printed::<ImportReport>),
    ("import-questions", printed::<QuestionImporter>),
    ("question", read::<QuestionSetEntry>),
    ("transcript", read::<ImportedSpeechDebate>),
    ("simulate", printed::<SimulationReport>),
    ("shard", printed::<SimulationShardFile>),
    ("match", printed::<MatchReport>),
    ("compare", printed::<DebateComparisonReport>),
    ("equilibrium", printed::<EquilibriumDocument>),
    ("train", printed::<TrainCommandReport>),
    ("theorems", printed::<Vec<PaperStatementReport>>),
    ("growth", printed::<TheoremParametersByDepthReport>),
    ("search", printed::<SearchResultDocument>),
    ("search-part", printed::<SearchShard>),
    ("queries", printed::<QueriesDocument>),
    ("study-check", printed::<StudyCheckReport>),
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

/// Returns the schema of a document that the program prints.
fn printed<T: JsonSchema>() -> Schema {
    generated::<T>(Contract::Serialize)
}

/// Returns the schema of a document that the program reads: fields may be left out.
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

/// Titles each variant of a kind after the kind and its tag: `FromServerAct`. Programs that make classes from a schema
/// need titles.
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
            let title = name.to_owned() + &tag.split('_').map(capitalized).collect::<String>();
            variant.entry("title").or_insert(title.into());
        }
    }
}

/// Forbids other fields in every object: a schema describes what this version prints.
fn close(schema: &mut Schema) {
    let has = |key: &str| schema.get(key).is_some();
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    let is_open = !["additionalProperties", "unevaluatedProperties"]
        .into_iter()
        .any(has);
    let choice = ["anyOf", "oneOf", "allOf"].into_iter().find(|key| has(key));
    match choice {
        // The variants add fields to these properties.
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

/// Returns the schema of a document as `schema` prints it.
fn printed_text(name: &str, schema: MakeSchema) -> String {
    let mut schema = schema();
    schema.insert("title".to_owned(), format!("debate-tui {name}").into());
    serde_json::to_string_pretty(&schema).unwrap()
}

fn without_indentation(text: &str) -> String {
    text.lines()
        .map(|line| line.trim_start().to_owned() + "\n")
        .collect()
}

#[test]
fn every_document_has_a_line_in_the_list_a_type_and_a_schema_file() {
    let lines: Vec<&str> = documents().map(|(name, _)| name).collect();
    let types: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
    let files: Vec<&str> = SCHEMAS.iter().map(|(name, _)| *name).collect();
    assert_eq!(lines, types);
    assert_eq!(lines, files);
}

#[test]
fn bundled_schemas_follow_from_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/schema");
    for ((name, make), (_, bundled)) in TYPES.iter().zip(SCHEMAS) {
        let text = printed_text(name, *make);
        if env::var_os("UPDATE").is_some() {
            let file = folder.join(format!("{name}.json"));
            fs::write(file, without_indentation(&text)).unwrap();
            continue;
        }
        assert!(
            *bundled == without_indentation(&text),
            "the schema of {name} has changed: UPDATE=1 cargo test rewrites the file",
        );
        assert_eq!(with_indentation(bundled), text, "{name}");
    }
}
