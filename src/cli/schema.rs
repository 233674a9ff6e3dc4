//! `schema`: the JSON Schema of what the program prints and writes.

use std::io;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::Failure;
use super::compare::CompareReport;
use super::list::{ListedProblem, ListedProtocol, ListedSave, ListedScenario, ListedStrategy};
use super::output::{print_lines, two_columns};
use super::print::{PrintedBinding, PrintedSetting, PrintedTheme};
use super::saves::ReplayReport;
use super::study::StudyStatus;
use debate_lab::analysis::equilibrium::EquilibriumDocument;
use debate_lab::expectation::OneOrMany;
use debate_lab::export::play::PlayReport;
use debate_lab::export::{DebateReport, EvalLog, ScenarioReport};
use debate_lab::import::{ImportReport, Transcript};
use debate_lab::judgements::{Judgement, JudgementReport};
use debate_lab::matches::MatchReport;
use debate_lab::message::Message;
use debate_lab::record::{SaveLineSchema, VerifyDocument};
use debate_lab::simulate::{ShardFile, SimulationReport};
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

/// A document that the program prints or writes.
struct Document {
    name: &'static str,
    /// The command that prints or reads it, in words; empty for the command of its own name with `--json`.
    words: &'static str,
    schema: fn() -> Schema,
}

impl Document {
    fn about(&self) -> String {
        match self.words {
            "" => format!("`{} --json`", self.name.replace('-', " ")),
            words => words.to_owned(),
        }
    }
}

/// Every document: a new one is an entry here.
const DOCUMENTS: &[Document] = &[
    document(
        "play",
        "`debate-tui SCENARIO --json`, `resume --json`",
        printed::<PlayReport>,
    ),
    of_command("replay", printed::<ReplayReport>),
    document(
        "verify",
        "`verify --json`; of several saves a list",
        printed::<OneOrMany<VerifyDocument>>,
    ),
    document(
        "check",
        "`check --json`; of several scenarios a list",
        printed::<OneOrMany<Checked>>,
    ),
    document(
        "solve",
        "`solve --json`, with `--sweep` too",
        printed::<SolveDocument>,
    ),
    of_command("report", printed::<JudgementReport>),
    document(
        "judgement",
        "a line of a file of judgements, which `report` reads",
        read::<Judgement>,
    ),
    of_command("import", printed::<ImportReport>),
    document(
        "transcript",
        "a debate held elsewhere, which `import transcript` reads",
        read::<Transcript>,
    ),
    document(
        "simulate",
        "`simulate --json`, `merge --json`",
        printed::<SimulationReport>,
    ),
    document(
        "shard",
        "`simulate --shard`: one line of JSON, which `merge` reads",
        printed::<ShardFile>,
    ),
    of_command("match", printed::<MatchReport>),
    of_command("compare", printed::<CompareReport>),
    of_command("equilibrium", printed::<EquilibriumDocument>),
    of_command("train", printed::<TrainingDocument>),
    of_command("theorems", printed::<Vec<StatementReport>>),
    document(
        "search",
        "`search --json`, `merge --json` of its parts",
        printed::<SearchDocument>,
    ),
    document(
        "search-part",
        "`search --shard`: one line of JSON, which `merge` reads",
        printed::<SearchPart>,
    ),
    of_command("queries", printed::<QueriesDocument>),
    of_command("study-check", printed::<CheckReport>),
    of_command("study-status", printed::<StudyStatus>),
    of_command("study-report", printed::<StudyReport>),
    of_command("list-scenarios", printed::<Vec<ListedScenario>>),
    of_command("list-strategies", printed::<Vec<ListedStrategy>>),
    of_command("list-protocols", printed::<Vec<ListedProtocol>>),
    of_command("list-problems", printed::<Vec<ListedProblem>>),
    of_command("list-saves", printed::<Vec<ListedSave>>),
    document(
        "print-keys",
        "`--print-keys --json`",
        printed::<Vec<PrintedBinding>>,
    ),
    document(
        "print-config",
        "`--print-config --json`",
        printed::<Vec<PrintedSetting>>,
    ),
    document(
        "print-themes",
        "`--print-themes --json`",
        printed::<Vec<PrintedTheme>>,
    ),
    document("debate", "`export SAVE --to json`", printed::<DebateReport>),
    document(
        "scenario",
        "`export SCENARIO --to json`",
        printed::<ScenarioReport>,
    ),
    document(
        "inspect",
        "`export SAVE --to inspect`: a log of inspect_ai",
        printed::<EvalLog>,
    ),
    document(
        "messages",
        "each line between the program and another one: `serve`, engines",
        read::<Message>,
    ),
    document(
        "save",
        "each line of a save as data; a save itself is RON",
        read::<SaveLineSchema>,
    ),
];

const fn document(name: &'static str, words: &'static str, schema: fn() -> Schema) -> Document {
    Document {
        name,
        words,
        schema,
    }
}

/// A document that the command of its name prints with `--json`.
const fn of_command(name: &'static str, schema: fn() -> Schema) -> Document {
    document(name, "", schema)
}

/// The names, each with where the document comes from.
fn names() -> impl Iterator<Item = PossibleValue> {
    let value = |document: &Document| PossibleValue::new(document.name).help(document.about());
    DOCUMENTS.iter().map(value)
}

pub(super) fn schema(args: &SchemaArgs) -> Result<(), Failure> {
    let asked = |document: &&Document| args.name.as_deref() == Some(document.name);
    if let Some(document) = DOCUMENTS.iter().find(asked) {
        let mut schema = (document.schema)();
        schema.insert(
            "title".to_owned(),
            format!("debate-tui {}", document.name).into(),
        );
        let text = serde_json::to_string_pretty(&schema).map_err(io::Error::from)?;
        return print_lines([text]);
    }
    let widths = DOCUMENTS.iter().map(|document| document.name.len());
    let column = widths.max().unwrap_or(0);
    let mut lines = Vec::new();
    for document in DOCUMENTS {
        two_columns(document.name, &document.about(), 0, column, &mut lines);
    }
    print_lines(lines)
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
    generator.into_root_schema_for::<T>()
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
