//! The dataset for other programs, as Psych-DS: tables, a description of every column, a codebook.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::Study;
use crate::error::StudyError;
use crate::folder::audit::Damage;
use crate::folder::{DataKind, write_whole};
use crate::plan::{SurveyAnswer, read_text};
use crate::report::columns::TABLES;
use crate::report::rows::Rows;
use debate_lab::tell::table::line;

/// The file that says what an export is of.
const README: &str = "README.md";

/// What was written.
#[derive(Clone, Debug)]
pub struct Exported {
    pub folder: PathBuf,
    pub files: Vec<PathBuf>,
    pub sessions: usize,
    /// What is not as it was written, and left out.
    pub damage: Damage,
}

/// Writes the dataset of a study into a folder.
///
/// With `anonymise` names are new and shuffled, and times of day, slots, hashes and free texts are left out.
///
/// # Errors
/// If there is nothing to write, the folder has tables of another kind, or a file cannot be written.
pub fn export(
    study: &Study,
    kind: DataKind,
    folder: &Path,
    anonymise: bool,
) -> Result<Exported, StudyError> {
    let mut rows = Rows::read(study, kind)?;
    refuse_other(folder, kind, anonymise)?;
    if rows.participants.is_empty() {
        return Err(StudyError::Nothing(
            "there is no session to export yet; `status` lists the sessions".to_owned(),
        ));
    }
    if anonymise {
        anonymous(study, &mut rows);
    }
    let mut files = Vec::new();
    let mut write = |name: String, text: &str| {
        let path = folder.join(name);
        write_whole(&path, text)?;
        files.push(path);
        Ok::<_, StudyError>(())
    };
    // The first file says what the others are of: whoever is cut off here leaves no tables of an unknown kind.
    write(README.to_owned(), &readme(study, kind, anonymise))?;
    for table in TABLES {
        let mut text = line(table.columns.iter().map(|column| column.name)) + "\n";
        for cells in (table.cells)(&rows) {
            text += &line(cells);
            text.push('\n');
        }
        write(
            format!(
                "data/study-{}_description-{}_data.csv",
                study.plan.id, table.name
            ),
            &text,
        )?;
    }
    let described = serde_json::to_string_pretty(&description(study, kind)).unwrap_or_default();
    write("dataset_description.json".to_owned(), &(described + "\n"))?;
    write("codebook.md".to_owned(), &codebook(study))?;
    Ok(Exported {
        folder: folder.to_owned(),
        files,
        sessions: rows.participants.len(),
        damage: rows.damage,
    })
}

/// What the README of an export says of whom the tables are of, and of their names.
fn origin(kind: DataKind, anonymise: bool) -> (&'static str, &'static str) {
    let simulated = match kind {
        DataKind::Live => "",
        DataKind::Simulated => "These are simulated judges, not people.\n\n",
    };
    let names = if anonymise {
        "Names are new, times of day, slots, hashes and free texts are left out."
    } else {
        "Names are those of the sessions; who somebody is stands in no table."
    };
    (simulated, names)
}

/// Refuses a folder that has an export of another kind: tables with names would take the place of those without.
fn refuse_other(folder: &Path, kind: DataKind, anonymise: bool) -> Result<(), StudyError> {
    let path = folder.join(README);
    if !path.exists() {
        return Ok(());
    }
    let text = read_text(&path)?;
    let is_same = |(of, other): (DataKind, bool)| {
        let (simulated, names) = origin(of, other);
        text.contains(&format!("\n\n{simulated}{names}"))
    };
    if is_same((kind, anonymise)) {
        return Ok(());
    }
    let kinds = [
        (DataKind::Live, false, "the tables of people"),
        (DataKind::Live, true, "the anonymous tables of people"),
        (DataKind::Simulated, false, "the tables of simulated judges"),
        (
            DataKind::Simulated,
            true,
            "the anonymous tables of simulated judges",
        ),
    ];
    let known = kinds.iter().find(|(of, other, _)| is_same((*of, *other)));
    let what = known.map_or("a README.md of something else", |(.., what)| what);
    Err(StudyError::file(
        folder,
        format!("this folder has {what}; name another with --out, or delete it"),
    ))
}

/// Renames everybody and drops what could say who somebody is.
fn anonymous(study: &Study, rows: &mut Rows) {
    // The order is one of hashes of the last lines, which nobody knows without the logs.
    let mut order: Vec<(String, String)> = Vec::new();
    for record in &rows.events {
        match order
            .iter_mut()
            .find(|(session, _)| *session == record.session)
        {
            Some((_, hash)) => hash.clone_from(&record.prev_hash),
            None => order.push((record.session.clone(), record.prev_hash.clone())),
        }
    }
    order.sort_by(|(_, one), (_, other)| one.cmp(other));
    let names: BTreeMap<String, String> = order
        .into_iter()
        .zip(1..)
        .map(|((session, _), number)| (session, format!("a{number:03}")))
        .collect();
    let rename = |session: &mut String, participant: &mut String| {
        let name = names.get(session).cloned().unwrap_or_default();
        session.clone_from(&name);
        *participant = name;
    };
    let free = |id: &str| {
        let mut questions = study.surveys.iter().flat_map(|(_, survey)| survey);
        questions
            .any(|question| question.id == id && matches!(question.answer, SurveyAnswer::Text(_)))
    };
    rows.survey.retain(|row| !free(&row.question));
    for row in &mut rows.trials {
        rename(&mut row.session, &mut row.participant);
        row.slot = None;
    }
    for row in &mut rows.queries {
        rename(&mut row.session, &mut row.participant);
    }
    for row in &mut rows.rounds {
        rename(&mut row.session, &mut row.participant);
    }
    for row in &mut rows.participants {
        rename(&mut row.session, &mut row.participant);
        row.slot = None;
        row.started.clear();
        row.ended.clear();
        row.reclaimed_from.clear();
    }
    for row in &mut rows.survey {
        rename(&mut row.session, &mut row.participant);
    }
    for row in &mut rows.events {
        rename(&mut row.session, &mut row.participant);
        row.slot = None;
        row.t_wall.clear();
        row.prev_hash.clear();
    }
    // Rows stood in the order of sessions.
    rows.trials
        .sort_by(|one, other| one.session.cmp(&other.session));
    rows.queries
        .sort_by(|one, other| one.session.cmp(&other.session));
    rows.rounds
        .sort_by(|one, other| one.session.cmp(&other.session));
    rows.participants
        .sort_by(|one, other| one.session.cmp(&other.session));
    rows.survey
        .sort_by(|one, other| one.session.cmp(&other.session));
    rows.events
        .sort_by(|one, other| one.session.cmp(&other.session));
}

/// `dataset_description.json`, in the vocabulary of schema.org.
fn description(study: &Study, kind: DataKind) -> serde_json::Value {
    let mut seen: Vec<&str> = Vec::new();
    let mut variables = Vec::new();
    for column in TABLES.iter().flat_map(|table| table.columns) {
        if !seen.contains(&column.name) {
            seen.push(column.name);
            variables.push(json!({
                "@type": "PropertyValue",
                "name": column.name,
                "description": column.description,
                "unitText": column.unit,
            }));
        }
    }
    let simulated = match kind {
        DataKind::Live => "",
        DataKind::Simulated => "Simulated judges, not people. ",
    };
    json!({
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": study.plan.id,
        "description": format!(
            "{simulated}{} Stage: {}. Written by debate-tui {}. Missing values are empty cells.",
            study.plan.title,
            study.plan.stage.name(),
            env!("CARGO_PKG_VERSION")
        ),
        "variableMeasured": variables,
    })
}

fn codebook(study: &Study) -> String {
    let mut text = format!("# Codebook of {}\n", study.plan.id);
    for table in TABLES {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n## study-{}_description-{}_data.csv\n\n{}\n\n| column | type | unit | what it is |\n| --- | --- | --- | --- |\n",
            study.plan.id, table.name, table.about
        );
        for column in table.columns {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} |",
                column.name, column.kind, column.unit, column.description
            );
        }
    }
    text
}

fn readme(study: &Study, kind: DataKind, anonymise: bool) -> String {
    let (simulated, names) = origin(kind, anonymise);
    format!(
        "# {}\n\n{simulated}{names} `codebook.md` and `dataset_description.json` describe every column. A model of the \
         trials that takes participants and items for random, in lme4's words:\n\n    brier ~ condition + (1 + condition \
         | participant) + (1 | item)\n\nwith the rows of `trials` whose `is_practice` and `is_repeat` are false, of \
         participants whose `is_counted` is true.\n",
        study.plan.title
    )
}
