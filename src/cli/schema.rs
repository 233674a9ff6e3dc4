//! `schema`: the JSON Schema of what the program prints and writes.

use std::io::{self, Write as _};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::Failure;
use super::compare::CompareReport;
use super::import::ImportReport;
use super::list::{
    ListedProblem, ListedProtocol, ListedSave, ListedScenario, ListedStrategy, two_columns,
};
use super::print::{PrintedBinding, PrintedSetting, PrintedTheme};
use super::queries::QueriesDocument;
use super::saves::ReplayReport;
use super::study::StudyStatus;
use super::theorems::StatementReport;
use debate_lab::analysis::equilibrium::EquilibriumDocument;
use debate_lab::expectation::OneOrMany;
use debate_lab::export::play::PlayReport;
use debate_lab::export::{DebateReport, EvalLog, ScenarioReport};
use debate_lab::import::Transcript;
use debate_lab::judgements::{Judgement, JudgementReport};
use debate_lab::matches::MatchReport;
use debate_lab::message::Message;
use debate_lab::record::{SaveLineSchema, VerifyDocument};
use debate_lab::simulate::{ShardFile, SimulationReport};
use debate_lab::theory::SolveDocument;
use debate_lab::theory::check::Checked;
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
    /// Where it comes from, in one line.
    about: &'static str,
    schema: fn() -> Schema,
}

/// Every document: a new one is a line here.
const DOCUMENTS: &[Document] = &[
    Document {
        name: "play",
        about: "`debate-tui SCENARIO --json`, `resume --json`",
        schema: printed::<PlayReport>,
    },
    Document {
        name: "replay",
        about: "`replay --json`",
        schema: printed::<ReplayReport>,
    },
    Document {
        name: "verify",
        about: "`verify --json`; of several saves a list",
        schema: printed::<OneOrMany<VerifyDocument>>,
    },
    Document {
        name: "check",
        about: "`check --json`; of several scenarios a list",
        schema: printed::<OneOrMany<Checked>>,
    },
    Document {
        name: "solve",
        about: "`solve --json`, with `--sweep` too",
        schema: printed::<SolveDocument>,
    },
    Document {
        name: "report",
        about: "`report --json`",
        schema: printed::<JudgementReport>,
    },
    Document {
        name: "judgement",
        about: "a line of a file of judgements, which `report` reads",
        schema: read::<Judgement>,
    },
    Document {
        name: "import",
        about: "`import --json`",
        schema: printed::<ImportReport>,
    },
    Document {
        name: "transcript",
        about: "a debate held elsewhere, which `import transcript` reads",
        schema: read::<Transcript>,
    },
    Document {
        name: "simulate",
        about: "`simulate --json`, `merge --json`",
        schema: printed::<SimulationReport>,
    },
    Document {
        name: "shard",
        about: "`simulate --shard`: one line of JSON, which `merge` reads",
        schema: printed::<ShardFile>,
    },
    Document {
        name: "match",
        about: "`match --json`",
        schema: printed::<MatchReport>,
    },
    Document {
        name: "compare",
        about: "`compare --json`",
        schema: printed::<CompareReport>,
    },
    Document {
        name: "equilibrium",
        about: "`equilibrium --json`",
        schema: printed::<EquilibriumDocument>,
    },
    Document {
        name: "train",
        about: "`train --json`",
        schema: printed::<TrainingDocument>,
    },
    Document {
        name: "theorems",
        about: "`theorems --json`",
        schema: printed::<Vec<StatementReport>>,
    },
    Document {
        name: "search",
        about: "`search --json`, `merge --json` of its parts",
        schema: printed::<SearchDocument>,
    },
    Document {
        name: "search-part",
        about: "`search --shard`: one line of JSON, which `merge` reads",
        schema: printed::<SearchPart>,
    },
    Document {
        name: "queries",
        about: "`queries --json`",
        schema: printed::<QueriesDocument>,
    },
    Document {
        name: "study-check",
        about: "`study check --json`",
        schema: printed::<CheckReport>,
    },
    Document {
        name: "study-status",
        about: "`study status --json`",
        schema: printed::<StudyStatus>,
    },
    Document {
        name: "study-report",
        about: "`study report --json`",
        schema: printed::<StudyReport>,
    },
    Document {
        name: "list-scenarios",
        about: "`list scenarios --json`",
        schema: printed::<Vec<ListedScenario>>,
    },
    Document {
        name: "list-strategies",
        about: "`list strategies --json`",
        schema: printed::<Vec<ListedStrategy>>,
    },
    Document {
        name: "list-protocols",
        about: "`list protocols --json`",
        schema: printed::<Vec<ListedProtocol>>,
    },
    Document {
        name: "list-problems",
        about: "`list problems --json`",
        schema: printed::<Vec<ListedProblem>>,
    },
    Document {
        name: "list-saves",
        about: "`list saves --json`",
        schema: printed::<Vec<ListedSave>>,
    },
    Document {
        name: "print-keys",
        about: "`--print-keys --json`",
        schema: printed::<Vec<PrintedBinding>>,
    },
    Document {
        name: "print-config",
        about: "`--print-config --json`",
        schema: printed::<Vec<PrintedSetting>>,
    },
    Document {
        name: "print-themes",
        about: "`--print-themes --json`",
        schema: printed::<Vec<PrintedTheme>>,
    },
    Document {
        name: "debate",
        about: "`export SAVE --to json`",
        schema: printed::<DebateReport>,
    },
    Document {
        name: "scenario",
        about: "`export SCENARIO --to json`",
        schema: printed::<ScenarioReport>,
    },
    Document {
        name: "inspect",
        about: "`export SAVE --to inspect`: a log of inspect_ai",
        schema: printed::<EvalLog>,
    },
    Document {
        name: "messages",
        about: "each line between the program and another one: `serve`, engines",
        schema: read::<Message>,
    },
    Document {
        name: "save",
        about: "each line of a save as data; a save itself is RON",
        schema: read::<SaveLineSchema>,
    },
];

/// The names, each with where the document comes from.
fn names() -> impl Iterator<Item = PossibleValue> {
    let value = |document: &Document| PossibleValue::new(document.name).help(document.about);
    DOCUMENTS.iter().map(value)
}

pub(super) fn schema(args: &SchemaArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let asked = |document: &&Document| args.name.as_deref() == Some(document.name);
    if let Some(document) = DOCUMENTS.iter().find(asked) {
        let mut schema = (document.schema)();
        schema.insert(
            "title".to_owned(),
            format!("debate-tui {}", document.name).into(),
        );
        let text = serde_json::to_string_pretty(&schema).map_err(io::Error::from)?;
        return Ok(writeln!(out, "{text}")?);
    }
    let column = DOCUMENTS.iter().map(|document| document.name.len());
    let column = column.max().unwrap_or(0);
    let mut lines = Vec::new();
    for document in DOCUMENTS {
        two_columns(document.name, document.about, 0, column, &mut lines);
    }
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
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
