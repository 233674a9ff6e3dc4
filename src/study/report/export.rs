//! Tables for others: the dataset, as Psych-DS, with a description of every column and a codebook; and what
//! participants are paid, one trial by chance, by the stated rule.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::Study;
use crate::error::StudyError;
use crate::folder::audit::Damage;
use crate::folder::log::{Record, Status};
use crate::folder::{DataKind, remove, write_whole};
use crate::plan::schedule::draw;
use crate::plan::{Bonus, SurveyAnswer, read_text};
use crate::report::rows::{
    ParticipantRow, QueryRow, RoundRow, Rows, SurveyRow, TRIAL_RUN, TrialRow,
};
use debate_lab::tell::table::{line, text};

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
        write(format!("data/{}", table.file(study)), &text)?;
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
    let is_same = |of: DataKind, other: bool| {
        let (simulated, names) = origin(of, other);
        text.contains(&format!("\n\n{simulated}{names}"))
    };
    if is_same(kind, anonymise) {
        return Ok(());
    }
    let mut what = "a README.md of something else".to_owned();
    for (of, judges) in [
        (DataKind::Live, "people"),
        (DataKind::Simulated, "simulated judges"),
    ] {
        for (other, tables) in [(false, "tables"), (true, "anonymous tables")] {
            if is_same(of, other) {
                what = format!("the {tables} of {judges}");
            }
        }
    }
    Err(StudyError::file(
        folder,
        format!("this folder has {what}; name another with --out, or delete it"),
    ))
}

/// Renames everybody and drops what could say who somebody is.
fn anonymous(study: &Study, rows: &mut Rows) {
    // The order is one of hashes of the last lines, which nobody knows without the logs.
    let sessions = rows.events.iter();
    let last: BTreeMap<&str, &str> = sessions
        .map(|record| (record.session.as_str(), record.prev_hash.as_str()))
        .collect();
    let mut order: Vec<(&str, &str)> = last.into_iter().map(|(of, hash)| (hash, of)).collect();
    order.sort_unstable();
    let order = order.into_iter().zip(1..);
    let names: BTreeMap<String, String> = order
        .map(|((_, session), number)| (session.to_owned(), format!("a{number:03}")))
        .collect();
    let rename = |session: &mut String, participant: &mut String| {
        *session = names.get(session).cloned().unwrap_or_default();
        participant.clone_from(session);
    };
    let free = |id: &str| {
        let mut questions = study.surveys.iter().flat_map(|(_, survey)| survey);
        questions.any(|it| it.id == id && matches!(it.answer, SurveyAnswer::Text(_)))
    };
    rows.survey.retain(|row| !free(&row.question));
    for row in &mut rows.trials {
        row.slot = None;
    }
    let trials = rows.trials.iter_mut().map(|row| &mut row.key);
    let queries = rows.queries.iter_mut().map(|row| &mut row.key);
    let rounds = rows.rounds.iter_mut().map(|row| &mut row.key);
    for key in trials.chain(queries).chain(rounds) {
        rename(&mut key.session, &mut key.participant);
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
    rows.trials.sort_by_key(|row| row.key.session.clone());
    rows.queries.sort_by_key(|row| row.key.session.clone());
    rows.rounds.sort_by_key(|row| row.key.session.clone());
    rows.participants.sort_by_key(|row| row.session.clone());
    rows.survey.sort_by_key(|row| row.session.clone());
    rows.events.sort_by_key(|row| row.session.clone());
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
    let head = "| column | type | unit | what it is |\n| --- | --- | --- | --- |\n";
    let row = |it: &Column| {
        let Column {
            name,
            unit,
            kind,
            description,
        } = it;
        format!("| `{name}` | {kind} | {unit} | {description} |\n")
    };
    let part = |table: &Table| {
        let rows: String = table.columns.iter().map(row).collect();
        format!(
            "\n## {}\n\n{}\n\n{head}{rows}",
            table.file(study),
            table.about
        )
    };
    let parts: String = TABLES.iter().map(part).collect();
    format!("# Codebook of {}\n{parts}", study.plan.id)
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

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub name: &'static str,
    /// The unit of its values; "text", "name", "yes or no" where they have none.
    pub unit: &'static str,
    /// string, number, integer or boolean.
    pub kind: &'static str,
    pub description: &'static str,
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    pub name: &'static str,
    pub about: &'static str,
    pub columns: &'static [Column],
    /// The cells of all rows.
    pub cells: fn(&Rows) -> Vec<Vec<String>>,
}

impl Table {
    fn file(&self, study: &Study) -> String {
        let id = &study.plan.id;
        format!("study-{id}_description-{}_data.csv", self.name)
    }
}

/// A column of several tables.
const fn column(
    name: &'static str,
    unit: &'static str,
    kind: &'static str,
    description: &'static str,
) -> Column {
    Column {
        name,
        unit,
        kind,
        description,
    }
}

const SESSION: Column = column("session", "name", "string", "The session.");
const PARTICIPANT: Column = column(
    "participant",
    "name",
    "string",
    "The participant's name in the data.",
);

/// The columns of everything that happened within a trial.
mod key {
    use super::{Column, column};

    pub(crate) const TRIAL: Column = column(
        "trial",
        "number",
        "integer",
        "The place in the session, from 1; practice trials count apart.",
    );
    pub(crate) const IS_PRACTICE: Column = column(
        "is_practice",
        "yes or no",
        "boolean",
        "Whether the trial was for practice: it does not count.",
    );
    pub(crate) const CONDITION: Column = column(
        "condition",
        "name",
        "string",
        "The condition's id in the study file.",
    );
    pub(crate) const ITEM: Column = column("item", "name", "string", "What was judged.");
}

/// Makes the tables: of each column its name, unit, kind, description and value. Every table begins
/// with session and participant, those with a `key` go on with the trial.
macro_rules! tables {
    ($($name:literal, $about:literal, $rows:ident as $row:ident: $type:ty $(, $key:ident)? {
        $($column:literal [$unit:literal, $kind:literal] $description:literal = $value:expr;)+
    })+) => {
        /// All tables.
        pub const TABLES: &[Table] = &[$(Table {
            name: $name,
            about: $about,
            columns: &[
                SESSION,
                PARTICIPANT,
                $($key::TRIAL, $key::IS_PRACTICE, $key::CONDITION, $key::ITEM,)?
                $(column($column, $unit, $kind, $description)),+
            ],
            cells: |all| {
                let row = |$row: &$type| {
                    let who = &$row$(.$key)?;
                    let mut cells = vec![text(&who.session), text(&who.participant)];
                    $(
                        let $key = &$row.$key;
                        cells.push($key.trial.to_string());
                        cells.push(yes($key.practice));
                        cells.push(text(&$key.condition));
                        cells.push(text(&$key.item));
                    )?
                    cells.extend([$($value),+]);
                    cells
                };
                all.$rows.iter().map(row).collect()
            },
        }),+];
    };
}

fn yes(value: bool) -> String {
    value.to_string()
}

fn optional<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn plain(value: f64) -> String {
    // Sums of decimals: what is beyond the ninth digit is rounding.
    let rounded = (value * 1e9).round() / 1e9;
    rounded.to_string()
}

tables! {
    "trials", "One row a trial that was judged to its end.", trials as row: TrialRow, key {
        "slot" ["number", "integer"] "The row of the schedule, from 0; missing where anonymised." = optional(row.slot);
        "block" ["number", "integer"] "The block, from 1; 0 for practice." = row.block.to_string();
        "is_repeat" ["yes or no", "boolean"] "Whether the trial came for the second time: left out of the primary analysis." = yes(row.repeat);
        "story" ["name", "string"] "What the item is about; items of one story depend on each other." = text(&row.story);
        "is_swapped" ["yes or no", "boolean"] "Whether the question's second answer stood first on the screen." = yes(row.swap);
        "is_first_right" ["yes or no", "boolean"] "Whether the question's first answer is right." = yes(row.first_is_right);
        "p_before" ["probability", "number"] "The probability of the first answer before anything was told; missing where it was not asked." = optional(row.before_first.map(plain));
        "p_first" ["probability", "number"] "The last probability of the first answer." = plain(row.p_first);
        "p_correct" ["probability", "number"] "The last probability of the right answer." = plain(row.p_correct);
        "correct" ["share", "number"] "1 where the right answer had more than one half, 0.5 at one half, else 0." = plain(row.correct);
        "brier" ["squared probability", "number"] "(1 - p_correct) squared: 0 is the best, 1 the worst." = plain(row.brier);
        "score" ["bits", "number"] "log2 of p_correct, less the price of the rounds that were heard." = plain(row.score);
        "rounds" ["rounds", "integer"] "Rounds that were told." = row.rounds.to_string();
        "queries" ["queries", "integer"] "Small claims that were decided." = row.queries.to_string();
        "query_errors" ["queries", "integer"] "Small claims that were decided wrong." = row.query_errors.to_string();
        "active_s" ["seconds", "number"] "Time in which no more than the idle limit lay between two keys." = plain(row.active_s);
        "elapsed_s" ["seconds", "number"] "Time from the first to the last answer, closed windows left out." = plain(row.elapsed_s);
        "is_interrupted" ["yes or no", "boolean"] "Whether the session was left and resumed within the trial." = yes(row.interrupted);
        "is_over_limit" ["yes or no", "boolean"] "Whether it took longer than the study allows." = yes(row.over_limit);
    }
    "queries", "One row a small claim that a participant decided.", queries as row: QueryRow, key {
        "claim" ["name", "string"] "The small claim's id in its scenario, else its text." = text(&row.claim);
        "is_true" ["yes or no", "boolean"] "Whether the claim is true; missing where nobody knows." = optional(row.truth);
        "answer" ["yes or no", "boolean"] "What the participant said." = yes(row.answer);
        "is_error" ["yes or no", "boolean"] "Whether that is wrong; missing where nobody knows." = optional(row.is_error());
        "active_s" ["seconds", "number"] "Active time for the answer." = plain(row.active_s);
    }
    "rounds", "One row a probability that a participant gave.", rounds as row: RoundRow, key {
        "round" ["rounds", "integer"] "Rounds that were told by then; 0 before anything was." = row.round.to_string();
        "asked" ["name", "string"] "before, round or final." = text(&row.kind);
        "p_first" ["probability", "number"] "The probability of the question's first answer." = plain(row.p_first);
        "p_correct" ["probability", "number"] "The probability of the right answer." = plain(row.p_correct);
        "active_s" ["seconds", "number"] "Active time for the answer and its confirmation." = plain(row.active_s);
    }
    "participants", "One row a session.", participants as row: ParticipantRow {
        "slot" ["number", "integer"] "The row of the schedule, from 0; missing before the trials, and where anonymised." = optional(row.slot);
        "status" ["name", "string"] "started, complete, screened_out, no_consent, failed_quiz, failed_attention, withdrawn, expired or full (all places were taken)." = text(row.status.name());
        "excluded" ["name", "string"] "The exclusion rule that applies; missing where none does." = text(&row.excluded);
        "is_counted" ["yes or no", "boolean"] "Whether the data count." = yes(row.counts());
        "started" ["time, UTC", "string"] "When the session began; missing where anonymised." = text(&row.started);
        "ended" ["time, UTC", "string"] "When its last line was written; missing where anonymised." = text(&row.ended);
        "active_s" ["seconds", "number"] "Active time of the whole session." = plain(row.active_s);
        "elapsed_s" ["seconds", "number"] "Time of the whole session, closed windows left out." = plain(row.elapsed_s);
        "trials" ["trials", "integer"] "Trials that were judged to their end, practice left out." = row.trials.to_string();
        "attention_failed" ["questions", "integer"] "Questions of attention that were answered wrong." = row.attention_failed.to_string();
        "quiz_wrong" ["answers", "integer"] "Wrong answers in quizzes." = row.quiz_wrong.to_string();
        "resumes" ["times", "integer"] "How often the session was left and resumed." = row.resumes.to_string();
        "reclaimed_from" ["name", "string"] "The session that had the slot before; missing where none had." = text(&row.reclaimed_from);
    }
    "survey", "One row an answer to a question of the survey, and a guess about a task.", survey as row: SurveyRow {
        "question" ["name", "string"] "The question's id; `guess:` and a label for a guess about a task." = text(&row.question);
        "answer" ["text", "string"] "The answer." = text(&row.answer);
    }
    "events", "One row a line of a session's log.", events as row: Record {
        "v" ["number", "integer"] "The version of the log's format." = row.v.to_string();
        "seq" ["number", "integer"] "The line in its log, from 0." = row.seq.to_string();
        "prev_hash" ["SHA-256", "string"] "The hash of the line before." = text(&row.prev_hash);
        "slot" ["number", "integer"] "The row of the schedule, from 0; missing before the trials, and where anonymised." = optional(row.slot);
        "stage" ["name", "string"] "Debug, Pilot or Main." = text(&row.stage);
        "t_wall" ["time, UTC", "string"] "The time by the clock of the machine; it may go back. Missing where anonymised." = text(&row.t_wall);
        "t_mono_ms" ["milliseconds", "integer"] "Time since the session began, closed windows left out; never goes back." = row.t_mono_ms.to_string();
        "t_active_ms" ["milliseconds", "integer"] "Of these, active time." = row.t_active_ms.to_string();
        "block" ["number", "integer"] "The block; missing outside of trials." = optional(row.block);
        "trial" ["number", "integer"] "The trial; missing outside of trials." = optional(row.trial);
        "round" ["rounds", "integer"] "Rounds that were told by then; missing outside of trials." = optional(row.round);
        "condition" ["name", "string"] "The condition; missing outside of trials." = optional(row.condition.as_deref().map(text));
        "item" ["name", "string"] "The item; missing outside of trials." = optional(row.item.as_deref().map(text));
        "role" ["name", "string"] "The participant's seat." = text(&row.role);
        "type" ["name", "string"] "What happened: start, screener, consent, read, quiz, typed, meant, change, before, round, final, query, continue, feedback, move, estimate, speech, attention, break, survey, guess, debrief, leave, stay, pause, withdraw, resume or expired." = text(&row.kind);
        "percent" ["percent", "number"] "The number that was given for the answer that stood first on the screen, or for a claim by somebody who debates; missing where none was." = optional(row.number("percent"));
        "status" ["name", "string"] "The session's status where this changed it; missing elsewhere." = row.text("status").map_or_else(String::new, text);
    }
}

/// A participant's bonus.
#[derive(Clone, Debug, PartialEq)]
pub struct Payment {
    pub session: String,
    /// The name that they came with; none where they came without.
    pub id: Option<String>,
    pub trial: u32,
    pub score: f64,
    pub cents: u32,
}

/// Works out what everybody who completed the study is paid, and writes it to `private/payments.csv`.
///
/// # Errors
/// If the study pays no bonus, a log cannot be read, or the file cannot be written.
pub fn pay(study: &Study) -> Result<(Vec<Payment>, PathBuf), StudyError> {
    let Some(Bonus { score, cents }) = study.plan.bonus else {
        return Err(StudyError::Plan(
            "the study file states no bonus; add `bonus: OneTrial(…)`".to_owned(),
        ));
    };
    let rows = Rows::read(study, DataKind::Live)?;
    let identities = study.folder.identities()?;
    let mut payments = Vec::new();
    let is_paid =
        |row: &&ParticipantRow| row.status == Status::Complete && row.excluded != TRIAL_RUN;
    for row in rows.participants.iter().filter(is_paid) {
        let trials = rows
            .trials
            .iter()
            .filter(|it| it.key.session == row.session);
        let own: Vec<&TrialRow> = trials.filter(|it| !it.key.practice && !it.repeat).collect();
        if own.is_empty() {
            continue;
        }
        let chosen = draw(study.plan.seed, &format!("bonus/{}", row.session)) % own.len() as u64;
        let trial = own[usize::try_from(chosen).unwrap_or(0)];
        let worth = score.of(trial.p_correct);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "no more than the stated cents"
        )]
        let paid = (worth * f64::from(cents)).round() as u32;
        let mut known = identities.iter();
        let known = known.find(|(_, identity)| identity.session == row.session);
        payments.push(Payment {
            session: row.session.clone(),
            id: known.map(|(_, identity)| identity.id.clone()),
            trial: trial.key.trial,
            score: worth,
            cents: paid,
        });
    }
    let path = study.folder.payments();
    let mut table = line(["id", "session", "trial", "score", "cents"]) + "\n";
    for payment in &payments {
        let cells = [
            payment.id.as_deref().map_or_else(String::new, text),
            text(&payment.session),
            payment.trial.to_string(),
            format!("{:.4}", payment.score),
            payment.cents.to_string(),
        ];
        table += &line(cells);
        table.push('\n');
    }
    write_whole(&path, &table)?;
    Ok((payments, path))
}

/// Deletes everybody's names and the payments once they are paid. Returns how many names there were.
///
/// # Errors
/// If a file cannot be deleted.
pub fn close_payments(study: &Study) -> Result<usize, StudyError> {
    let identities = study.folder.identities()?;
    for (path, _) in &identities {
        remove(path)?;
    }
    remove(&study.folder.payments())?;
    study.folder.delete_invitations()?;
    Ok(identities.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_plain_name_a_unit_and_a_description() {
        for table in TABLES {
            let mut names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            for column in table.columns {
                let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                assert!(column.name.chars().all(plain), "{}", column.name);
                assert!(!column.unit.is_empty(), "{}", column.name);
                assert!(column.description.ends_with('.'), "{}", column.name);
                assert!(["string", "number", "integer", "boolean"].contains(&column.kind));
            }
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        }
    }
}
