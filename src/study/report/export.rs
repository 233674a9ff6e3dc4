//! Exports of the dataset as Psych-DS, with a description of each column and a codebook. Payments to participants,
//! including the bonus for one randomly drawn trial.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Study;
use crate::error::{Result, StudyError};
use crate::folder::audit::StudyDataDamage;
use crate::folder::log::StudySessionStatus;
use crate::folder::{
    LiveOrSimulated, ParticipantExternalIdentity, delete_file_if_present, write_atomically,
};
use crate::plan::{PrimaryContrast, SurveyAnswerForm, drawn_bonus, read_text};
use crate::report::rows::{SessionRow, StudyRows, TRIAL_RUN, TrialRow};
use debate_text::table::{csv_line, spreadsheet_safe_cell_text};

/// File that describes an export.
pub(super) const README: &str = "README.md";

/// The result of an export.
#[derive(Clone, Debug)]
pub struct StudyExportResult {
    pub folder: PathBuf,
    pub files: Vec<PathBuf>,
    pub sessions: usize,
    /// Descriptions of the damage of the study's logs. Damaged logs are left out of the export.
    pub damage: StudyDataDamage,
}

/// The folder into which an export is written.
#[derive(Clone, Debug)]
pub struct StudyExportDestination {
    pub folder: PathBuf,
    /// True if existing files are replaced; otherwise, an existing file is an error.
    pub replace: bool,
}

impl StudyExportDestination {
    /// Returns an export target under which existing files are not replaced.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            replace: false,
        }
    }
}

/// Writes the dataset of a study (tables and codebook) into a folder.
///
/// With `anonymise`, sessions get new names in a shuffled order, and times of day, slots, hashes and free texts are
/// left out.
///
/// # Errors
/// If there is no session, the folder contains another README.md, a log names an unknown item, or a file exists and
/// `replace` is false. Also if a file cannot be read or written.
pub fn export(
    study: &Study,
    kind: LiveOrSimulated,
    target: &StudyExportDestination,
    anonymise: bool,
) -> Result<StudyExportResult> {
    let folder = &target.folder;
    let mut rows = StudyRows::read_study_rows(study, kind)?;
    refuse_other(folder, kind, anonymise)?;
    if rows.participants.is_empty() {
        return Err(StudyError::Nothing(
            "there is no session to export yet; `status` lists the sessions".to_owned(),
        ));
    }
    let names = anonymise.then(|| new_names(&rows));
    if anonymise {
        rows.survey.retain(|row| !is_free(study, &row.question));
    }
    // The first file states the kind of the tables, so that a crash leaves no tables of an unknown kind.
    let mut files = vec![(PathBuf::from(README), readme(study, kind, anonymise))];
    files.extend(tables(study, &rows, names.as_ref()));
    let described = serde_json::to_string_pretty(&description(study, kind)).unwrap_or_default();
    files.push(("dataset_description.json".into(), described + "\n"));
    files.extend(analysis_scripts(study));
    let files = write_files(target, &files)?;
    Ok(StudyExportResult {
        folder: folder.to_owned(),
        files,
        sessions: rows.participants.len(),
        damage: rows.damage,
    })
}

/// Returns the scripts that fit a mixed model to the exported trials, for Python and R.
fn analysis_scripts(study: &Study) -> [(PathBuf, String); 2] {
    let PrimaryContrast {
        measure,
        of,
        against,
    } = &study.plan.analysis.primary;
    let measure = measure.export_column();
    let table = trials_file(study);
    let python = format!(
        include_str!("analysis.py"),
        measure = measure,
        table = table,
        of = of,
        against = against
    );
    let r = format!(
        include_str!("analysis.R"),
        measure = measure,
        table = table,
        of = of,
        against = against
    );
    [("analysis.py".into(), python), ("analysis.R".into(), r)]
}

/// Returns the file name of the table of trials.
fn trials_file(study: &Study) -> String {
    let mut tables = codebook_tables().iter();
    let trials = tables.find(|table| table.name == "trials");
    trials.map_or_else(String::new, |table| table.file(study))
}

/// Returns all tables and the codebook, as paths in the folder of an export and their texts. With `names`, the tables
/// contain these names instead of the sessions' own.
pub(super) fn tables(
    study: &Study,
    rows: &StudyRows,
    names: Option<&BTreeMap<String, String>>,
) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for table in codebook_tables() {
        let mut values = table.study_rows_of_table(rows);
        if let Some(names) = names {
            anonymous(&mut values, names);
        }
        let lines = values.iter().map(|row| table.cells(row));
        let text = lines_of(std::iter::once(table.head()).chain(lines));
        files.push((Path::new("data").join(table.file(study)), text));
    }
    files.push(("codebook.md".into(), codebook(study)));
    files
}

/// Writes the files of an export in order. Returns their paths.
pub(super) fn write_files(
    target: &StudyExportDestination,
    files: &[(PathBuf, String)],
) -> Result<Vec<PathBuf>> {
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(path, _)| target.folder.join(path))
        .collect();
    let existing = paths.iter().find(|path| path.exists());
    if let Some(path) = existing.filter(|_| !target.replace) {
        return Err(StudyError::invalid_file(
            path,
            "already exists; name another folder with --out, or add --replace to replace the export",
        ));
    }
    for (path, (_, text)) in paths.iter().zip(files) {
        write_atomically(path, text)?;
    }
    Ok(paths)
}

/// Returns the sentences of an export's README about the judges and about the names.
fn origin(kind: LiveOrSimulated, anonymise: bool) -> (&'static str, &'static str) {
    let simulated = match kind {
        LiveOrSimulated::Live => "",
        LiveOrSimulated::Simulated => "The participants are simulated judges, not people.\n\n",
    };
    let names = if anonymise {
        "Participants have new names; times of day, slots, hashes and free texts are left out."
    } else {
        "Participants are named by their sessions; no table says who a participant is."
    };
    (simulated, names)
}

/// Rejects a folder that contains an export of another kind or another README.md, so that tables with original names do
/// not replace anonymous ones.
fn refuse_other(folder: &Path, kind: LiveOrSimulated, anonymise: bool) -> Result {
    let path = folder.join(README);
    if !path.exists() {
        return Ok(());
    }
    let text = read_text(&path)?;
    let is_same = |of: LiveOrSimulated, other: bool| {
        let (simulated, names) = origin(of, other);
        // Older versions continue the sentence with other words.
        let names = names.split_inclusive(';').next().unwrap_or(names);
        text.contains(&format!("\n\n{simulated}{names}"))
    };
    if is_same(kind, anonymise) {
        return Ok(());
    }
    let mut folder_content = "a README.md that is not from a study's export".to_owned();
    for (of, judges) in [
        (LiveOrSimulated::Live, "people"),
        (LiveOrSimulated::Simulated, "simulated judges"),
    ] {
        for (other, tables) in [(false, "tables"), (true, "anonymous tables")] {
            if is_same(of, other) {
                folder_content = format!("another kind of export, the {tables} of {judges}");
            }
        }
    }
    Err(StudyError::invalid_file(
        folder,
        format!(
            "this folder contains {folder_content}; name another folder with --out, or delete this one"
        ),
    ))
}

/// Returns a new name for each session; the names reveal nothing about the sessions. The sessions are numbered in the
/// order of the previous-line hash in each session's last line. Nobody knows this hash without the logs.
fn new_names(rows: &StudyRows) -> BTreeMap<String, String> {
    let last: BTreeMap<&str, &str> = rows
        .events
        .iter()
        .map(|record| (record.session.as_str(), record.prev_hash.as_str()))
        .collect();
    let mut order: Vec<(&str, &str)> = last.into_iter().map(|(of, hash)| (hash, of)).collect();
    order.sort_unstable();
    let order = order.into_iter().zip(1..);
    order
        .map(|((_, session), number)| (session.to_owned(), format!("a{number:03}")))
        .collect()
}

/// True if a survey question is answered with free text.
fn is_free(study: &Study, id: &str) -> bool {
    let mut questions = study.surveys.iter().flat_map(|(_, survey)| survey);
    questions.any(|it| it.id == id && matches!(it.answer, SurveyAnswerForm::Text(_)))
}

/// The columns that an anonymous export clears: they reveal the times, the slot or the log of a session, or the session
/// that had its slot before.
const IDENTIFYING_COLUMNS: [&str; 6] = [
    "slot",
    "started",
    "ended",
    "reclaimed_from",
    "t_wall",
    "prev_hash",
];

/// Makes the rows of a table anonymous: replaces session names by new ones, and clears the columns that could identify
/// a session.
fn anonymous(rows: &mut [Value], names: &BTreeMap<String, String>) {
    for row in &mut *rows {
        let name = names.get(row["session"].as_str().unwrap_or_default());
        row["session"] = json!(name);
        row["participant"] = json!(name);
        if let Some(group) = row.get_mut("group") {
            *group = json!(names.get(group.as_str().unwrap_or_default()));
        }
        for (column, value) in row.as_object_mut().into_iter().flatten() {
            if IDENTIFYING_COLUMNS.contains(&column.as_str()) {
                *value = Value::Null;
            }
        }
    }
    // Sort by the new names, because the rows were in the order of the sessions.
    rows.sort_by_key(|row| row["session"].as_str().map(str::to_owned));
}

/// Returns `dataset_description.json`, in the vocabulary of schema.org.
fn description(study: &Study, kind: LiveOrSimulated) -> serde_json::Value {
    let mut seen: Vec<&str> = Vec::new();
    let mut variables = Vec::new();
    for column in codebook_tables().iter().flat_map(|table| &table.columns) {
        if !seen.contains(&column.name.as_str()) {
            seen.push(&column.name);
            variables.push(json!({
                "@type": "PropertyValue",
                "name": column.name,
                "description": column.about,
                "unitText": column.unit,
            }));
        }
    }
    let simulated_note = match kind {
        LiveOrSimulated::Live => "",
        LiveOrSimulated::Simulated => "Simulated judges, not people. ",
    };
    json!({
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": study.plan.id,
        "description": format!(
            "{simulated_note}{study_title} Stage: {stage}. Written by debate-tui {program_version}. Missing values are empty cells.",
            study_title = study.plan.title,
            stage = study.plan.stage.study_stage_name(),
            program_version = env!("CARGO_PKG_VERSION")
        ),
        "variableMeasured": variables,
    })
}

fn codebook(study: &Study) -> String {
    let head = "| column | type | unit | description |\n| --- | --- | --- | --- |\n";
    let row =
        |CodebookColumn {
             name,
             unit,
             kind,
             about,
         }: &CodebookColumn| { format!("| `{name}` | {kind} | {unit} | {about} |\n") };
    let part = |table: &CodebookTable| {
        let rows: String = table.columns.iter().map(row).collect();
        format!(
            "\n## {}\n\n{}\n\n{head}{rows}",
            table.file(study),
            table.about
        )
    };
    let parts: String = codebook_tables().iter().map(part).collect();
    format!("# Codebook of {}\n{parts}", study.plan.id)
}

fn readme(study: &Study, kind: LiveOrSimulated, anonymise: bool) -> String {
    let (simulated, names) = origin(kind, anonymise);
    let title = &study.plan.title;
    format!(
        include_str!("readme.md"),
        title = title,
        simulated = simulated,
        names = names,
        measure = study.plan.analysis.primary.measure.export_column()
    )
}

/// A column of a table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Column")]
pub struct CodebookColumn {
    pub name: String,
    /// Unit of the column's values; "text", "name" or "yes or no" for values without a unit.
    pub unit: String,
    /// Type of the column's values: string, number, integer or boolean.
    #[serde(rename = "type")]
    pub kind: String,
    pub about: String,
}

/// A table of an export.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Table")]
pub struct CodebookTable {
    pub name: String,
    pub about: String,
    pub columns: Vec<CodebookColumn>,
}

/// Returns the descriptions of all tables, from `codebook.ron`.
pub fn codebook_tables() -> &'static [CodebookTable] {
    // A test checks that the file can be parsed.
    static TABLES: LazyLock<Vec<CodebookTable>> =
        LazyLock::new(|| ron::from_str(include_str!("codebook.ron")).unwrap_or_default());
    &TABLES
}

impl CodebookTable {
    fn file(&self, study: &Study) -> String {
        let id = &study.plan.id;
        format!("study-{id}_description-{}_data.csv", self.name)
    }

    /// Returns the data rows for this table of the export. The table's columns are fields of these rows, or of an
    /// event's payload.
    pub(super) fn study_rows_of_table(&self, all: &StudyRows) -> Vec<Value> {
        match self.name.as_str() {
            "trials" => values(&all.trials),
            "queries" => values(&all.queries),
            "rounds" => values(&all.rounds),
            "participants" => values(&all.participants),
            "survey" => values(&all.survey),
            "debates" => values(&all.debates),
            _ => values(&all.events),
        }
    }

    fn head(&self) -> Vec<String> {
        self.columns.iter().map(|it| it.name.clone()).collect()
    }

    fn cells(&self, row: &Value) -> Vec<String> {
        let cell = |column: &CodebookColumn| {
            let own = row.get(&column.name);
            // Some columns of an event are in its payload.
            match own.or_else(|| row.get("payload")?.get(&column.name)) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(value)) => spreadsheet_safe_cell_text(value),
                Some(value) => value.as_f64().filter(|_| value.is_f64()).map_or_else(
                    || value.to_string(),
                    // Values are sums of decimals: digits beyond the ninth are rounding errors. Adding 0 drops the sign
                    // of -0.
                    |value| ((value * 1e9).round() / 1e9 + 0.0).to_string(),
                ),
            }
        };
        self.columns.iter().map(cell).collect()
    }
}

fn values(rows: &[impl Serialize]) -> Vec<Value> {
    // Rows have text keys and plain values, so serialization cannot fail.
    rows.iter().map(|row| json!(row)).collect()
}

/// Formats the rows as lines of a CSV file.
fn lines_of(rows: impl Iterator<Item = Vec<String>>) -> String {
    rows.map(|cells| csv_line(cells) + "\n").collect()
}

/// One payment to a participant: a bonus or pay by status.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticipantPayment {
    pub session: String,
    /// The name of the participant outside the study. `None` if the participant came without one.
    pub id: Option<String>,
    /// The trial that was drawn for the bonus, and its score. `None` for payments other than the bonus.
    pub bonus: Option<(u32, f64)>,
    pub cents: u32,
    /// The reason of the payment: "bonus", or the status of a session that is paid without one, such as "waited",
    /// "closed" or "screened_out".
    pub why: &'static str,
}

/// Computes the bonuses of participants who completed the study, and the pay of sessions that ended for these reasons:
/// the participant was screened out, the quota was full, no place was free, no group formed in time, the group left the
/// participant alone, or the experimenter closed the session. Payments of 0 cents to such sessions are left out.
///
/// # Errors
/// If a file cannot be read, or a log names an unknown item. Damaged logs are left out.
pub fn participant_payments(study: &Study) -> Result<Vec<ParticipantPayment>> {
    let mut payments = bonuses(study)?;
    let rows = StudyRows::read_study_rows(study, LiveOrSimulated::Live)?;
    let identities = study.folder.identities()?;
    let is_paid = |row: &&SessionRow| row.excluded != TRIAL_RUN;
    for row in rows.participants.iter().filter(is_paid) {
        let cents = match row.status {
            StudySessionStatus::Closed => {
                rows.cents_of_session_closed_by_experimenter(&row.session)
            }
            status => study.plan.stated_cents_of_incomplete_outcome(status),
        };
        payments.extend((cents > 0).then(|| ParticipantPayment {
            session: row.session.clone(),
            id: id_of(&identities, &row.session),
            bonus: None,
            cents,
            why: row.status.status_name(),
        }));
    }
    payments.sort_by(|one, other| one.session.cmp(&other.session));
    Ok(payments)
}

/// Returns the name that a session's participant has outside the study.
fn id_of(identities: &[(PathBuf, ParticipantExternalIdentity)], session: &str) -> Option<String> {
    let mut known = identities.iter();
    let known = known.find(|(_, identity)| identity.session == session);
    known.map(|(_, identity)| identity.id.clone())
}

/// Computes the bonuses of the participants who completed the study. Empty if the study pays no bonus.
fn bonuses(study: &Study) -> Result<Vec<ParticipantPayment>> {
    let Some(bonus) = &study.plan.bonus else {
        return Ok(Vec::new());
    };
    let rows = StudyRows::read_study_rows(study, LiveOrSimulated::Live)?;
    let identities = study.folder.identities()?;
    let mut payments = Vec::new();
    let is_paid =
        |row: &&SessionRow| row.status == StudySessionStatus::Complete && row.excluded != TRIAL_RUN;
    for row in rows.participants.iter().filter(is_paid) {
        let trials = rows
            .trials
            .iter()
            .filter(|it| it.key.session == row.session);
        let own: Vec<&TrialRow> = trials
            .filter(|it| !it.key.is_practice && !it.is_repeat)
            .collect();
        // A trial that a program's fault ended is paid with the full score.
        let void = rows.void.iter().map(|(key, _)| key);
        let void = void.filter(|key| key.session == row.session && !key.is_practice);
        let judged = own
            .iter()
            .map(|it| (it.key.trial, bonus.score.score_for_bonus(it.p_correct)));
        let scores = judged.chain(void.map(|key| (key.trial, 1.0))).collect();
        let Some((trial, worth)) = drawn_bonus(study.plan.seed, &row.session, scores) else {
            continue;
        };
        payments.push(ParticipantPayment {
            session: row.session.clone(),
            id: id_of(&identities, &row.session),
            bonus: Some((trial, worth)),
            cents: bonus.cents_of_score(worth),
            why: "bonus",
        });
    }
    Ok(payments)
}

/// Computes the payments to all participants and writes them to `private/payments.csv`.
///
/// # Errors
/// If the study file states no payment (no bonus, no groups, and no pay for an early end) and no payment is due. Also
/// if a file cannot be read or written, or a log names an unknown item.
pub fn write_payments(study: &Study) -> Result<(Vec<ParticipantPayment>, PathBuf)> {
    let payments = participant_payments(study)?;
    if study.plan.bonus.is_none() && !study.plan.pays_other_than_bonus() && payments.is_empty() {
        return Err(StudyError::Plan(
            "the study file has no bonus; add `bonus: OneTrial(…)`".to_owned(),
        ));
    }
    let path = study.folder.payments_file();
    let head = ["id", "session", "trial", "score", "cents", "why"].map(str::to_owned);
    let optional = Option::unwrap_or_default;
    let rows = payments.iter().map(|payment| {
        vec![
            payment
                .id
                .as_deref()
                .map_or_else(String::new, spreadsheet_safe_cell_text),
            spreadsheet_safe_cell_text(&payment.session),
            optional(payment.bonus.map(|(trial, _)| trial.to_string())),
            optional(payment.bonus.map(|(_, score)| format!("{score:.4}"))),
            payment.cents.to_string(),
            payment.why.to_owned(),
        ]
    });
    let table = lines_of(std::iter::once(head.to_vec()).chain(rows));
    write_atomically(&path, &table)?;
    Ok((payments, path))
}

/// Deletes the names of all participants, the payments and the invitation list. Does not check that all payments were
/// made. Returns the number of participants whose names were deleted.
///
/// # Errors
/// If a file cannot be read or deleted.
pub fn delete_names_and_payments(study: &Study) -> Result<usize> {
    let identities = study.folder.identities()?;
    for (path, _) in &identities {
        delete_file_if_present(path)?;
    }
    delete_file_if_present(&study.folder.payments_file())?;
    study.folder.delete_invitations()?;
    Ok(identities.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_plain_name_a_unit_and_a_description() {
        let read: Result<Vec<CodebookTable>, _> = ron::from_str(include_str!("codebook.ron"));
        assert_eq!(read.unwrap().len(), 7);
        for table in codebook_tables() {
            let mut names = table.head();
            for column in &table.columns {
                let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                assert!(column.name.chars().all(plain), "{}", column.name);
                assert!(!column.unit.is_empty(), "{}", column.name);
                assert!(column.about.ends_with('.'), "{}", column.name);
                assert!(["string", "number", "integer", "boolean"].contains(&&*column.kind));
            }
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        }
    }
}
