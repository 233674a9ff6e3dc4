//! Question sets: JSON Lines files. Each line is a question with two answers, from which a scenario is made.
//!
//! [`QuestionSet::load_question_file`] reads a file; [`QuestionSet::scenario_of_question`] creates the scenario of a
//! question. Users type `FILE#ID` for one question and `FILE` for all. Lines in the layout of QuALITY's public files
//! are read directly ([`quality`]).

mod mapped;
mod quality;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use mapped::QuestionFieldNames;

use super::error::{
    MAX_NAME, ScenarioError, ScenarioLimits, ScenarioTextSource, escaped_and_shortened_message,
    nearest_name,
};
use super::reader::{
    FileLoader, ScenarioInputFile, ScenarioReader, read_regular_file_one_past_limit,
};
use super::scenario::LoadedScenario;
use debate_core::text::{
    decode_utf8, normalise_invisible_characters, normalise_text_keeping_tabs, numbered_byte_lines,
    replace_unsafe_characters, shortened_in_backticks,
};

/// Maximum number of questions in a set.
const MAX_QUESTIONS: usize = 100_000;
/// Maximum number of characters of a question's id. The id is used in file names.
const MAX_ID: usize = 100;
/// The character between a set's file name and a question's id, as in `set.jsonl#ID`.
const MARK: char = '#';

/// A question in a question set: one line of its file. Unknown fields are rejected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[serde(rename = "QuestionRow")]
pub struct QuestionSetEntry {
    /// The id of the question, unique in its set. It has 1 to 100 ASCII letters, digits, `-`, `_` and `.`; it does not
    /// begin with a dot.
    pub id: String,
    pub question: String,
    pub answers: [String; 2],
    /// The index of the right answer: 0 for the first answer, 1 for the second. Omitted if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct: Option<u32>,
    /// The text that debaters quote from and that the judge does not see.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub source: Arc<str>,
    /// The name of a file with the source text, in place of `source`: a path within the folder of the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_file: Option<String>,
    /// The difficulty of the question, in your own words or numbers. It becomes the tag `difficulty` of the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<String>,
    /// A property that the question shares with others, such as a story. It becomes the tag `group` of the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// The treatment of a question set's texts: used as they are in the file, or with normalised characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextForm {
    /// The texts are not normalised. A locked study depends on this.
    Raw,
    Normalised,
}

impl QuestionSetEntry {
    /// Normalises the characters of the question's displayed texts. Returns true if a text changed.
    fn normalise(&mut self) -> bool {
        let [first, second] = &mut self.answers;
        let mut is_changed = false;
        for text in [&mut self.question, first, second] {
            let normal = normalise_invisible_characters(text).text.into_owned();
            is_changed |= normal != *text;
            *text = normal;
        }
        let source = normalise_invisible_characters(&self.source).text;
        if source == *self.source {
            return is_changed;
        }
        self.source = source.into();
        true
    }

    /// Returns the text of a scenario file for this question.
    pub fn scenario_text(&self) -> String {
        let mut tags = BTreeMap::from([("question", self.id.as_str())]);
        tags.extend(self.difficulty.as_deref().map(|it| ("difficulty", it)));
        tags.extend(self.group.as_deref().map(|it| ("group", it)));
        let tags = tags
            .into_iter()
            .fold(String::new(), |mut all, (name, value)| {
                let _ = writeln!(all, "        {name:?}: {},", ron_string_literal(value));
                all
            });
        let [first, second] = self
            .answers
            .each_ref()
            .map(|answer| ron_string_literal(answer));
        let correct = self.correct.map(|place| place.to_string());
        format!(
            "Scenario(\n    format: 1,\n    title: {},\n    problem: Question(\n        text: {},\n        answers: \
             ({first}, {second}),\n        source: {},\n        correct: {},\n    ),\n    protocol: Speeches(rounds: \
             3),\n    players: (prover: \"quoter\", opponent: \"quoter\", judge: \"swayed\"),\n    tags: \
             {{\n{tags}    }},\n)\n",
            ron_string_literal(&title(&self.question)),
            ron_string_literal(&self.question),
            ron_string_literal(&self.source),
            correct.as_deref().unwrap_or("None"),
        )
    }
}

/// Returns a text as a string literal of RON.
fn ron_string_literal(text: &str) -> String {
    // Serialising a string to a string cannot fail.
    ron::to_string(text).unwrap_or_default()
}

/// Returns the question on one line, shortened to the maximum length of a title.
fn title(question: &str) -> String {
    let question = normalise_text_keeping_tabs(question);
    let words = question.split_whitespace().collect::<Vec<_>>().join(" ");
    replace_unsafe_characters(&words)
        .chars()
        .take(MAX_NAME)
        .collect()
}

/// The selection of wrong answers to debate against the right one, if a question has more than two options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebatedWrongAnswers {
    /// The most misleading one, if the file has the layout of QuALITY; otherwise the first wrong answer.
    #[default]
    Best,
    /// All wrong answers; each gives a separate question.
    All,
}

/// Options for reading the lines of a question set.
#[derive(Clone, Copy)]
struct RowOptions<'m> {
    pairs: DebatedWrongAnswers,
    form: TextForm,
    map: Option<&'m QuestionFieldNames>,
}

/// A line of a question set's file that is not a valid question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRow {
    /// From 1.
    pub line: usize,
    pub what: String,
}

/// The questions of a question set, as read from its file.
#[derive(Clone, Debug)]
pub struct QuestionSet {
    path: PathBuf,
    pub rows: Vec<QuestionSetEntry>,
    /// Lines that are not questions.
    pub refused: Vec<RefusedRow>,
    /// The number of questions that were left out because the right answer is not given.
    pub unlabelled: usize,
    /// The number of lines in which [`Self::import`] changed characters of a text: tabs, line ends or invisible
    /// characters.
    pub normalised: usize,
    /// The source files that the questions refer to.
    pub files: Vec<ScenarioInputFile>,
}

/// Splits a name such as `set.jsonl#ID` into the path of the set and the id of the question. `None` if the name has no
/// `#`, or if no such file exists.
fn split_name(name: &str) -> Option<(&Path, &str)> {
    let (file, id) = name.rsplit_once(MARK)?;
    let file = Path::new(file);
    file.is_file().then_some((file, id))
}

/// Reads the question that `FILE#ID` names, or the only question of a set. Returns `None` for any other name.
///
/// # Errors
/// Returns an error if the file is not a valid set, has no such question, or has several questions and the name has no
/// id.
pub(super) fn find_question(
    name: &str,
    limits: &ScenarioLimits,
) -> Result<Option<LoadedScenario>, ScenarioError> {
    let whole = Path::new(name);
    let (file, id) = match split_name(name) {
        _ if is_set(whole) => (whole, None),
        Some((file, id)) => (file, Some(id)),
        None => return Ok(None),
    };
    let set = QuestionSet::load_question_file(file, limits)?;
    let id = match (id, set.rows.as_slice()) {
        (Some(id), _) => id,
        (None, [only]) => &only.id,
        (None, rows) => {
            let (count, first_question_id) = (rows.len(), rows.first().map_or("ID", |row| &row.id));
            let hint = format!(
                "the question set has {count} questions; name one of them, such as {name}{MARK}{first_question_id}"
            );
            return Err(unknown(name, &hint));
        }
    };
    set.scenario_of_question(id, limits).map(Some)
}

/// Creates the error for a name that does not mean exactly one question.
fn unknown(name: &str, hint: &str) -> ScenarioError {
    ScenarioError::UnknownQuestion {
        name: escaped_and_shortened_message(name),
        hint: escaped_and_shortened_message(hint),
    }
}

/// True if a path names an existing file with the extension `jsonl`.
fn is_set(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl") && path.is_file()
}

/// Returns the scenarios for all questions of a set, each with its name; `None` if `name` is not a question set.
///
/// # Errors
/// Returns an error if the set cannot be read, or if a question is not a valid scenario.
pub(super) fn find_all(
    name: &str,
    limits: &ScenarioLimits,
) -> Result<Option<Vec<(String, LoadedScenario)>>, ScenarioError> {
    let path = Path::new(name);
    if !is_set(path) {
        return Ok(None);
    }
    let set = QuestionSet::load_question_file(path, limits)?;
    let each = set.rows.iter();
    let each = each.map(|row| {
        Ok((
            format!("{name}{MARK}{}", row.id),
            set.scenario_of_row(row, limits)?,
        ))
    });
    each.collect::<Result<_, _>>().map(Some)
}

impl QuestionSet {
    /// Reads a question set's file. Every line must be a valid question.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is larger than the limits allow, has no questions, or has a line
    /// that is not a question.
    pub fn load_question_file(path: &Path, limits: &ScenarioLimits) -> Result<Self, ScenarioError> {
        let set = Self::read_question_file(path, DebatedWrongAnswers::Best, limits)?;
        match set.refused.first() {
            Some(RefusedRow { line, what }) => Err(ScenarioReader::line_error(
                &path.display().to_string(),
                *line,
                what,
            )),
            None if set.rows.is_empty() => Err(ScenarioReader::line_error(
                &path.display().to_string(),
                1,
                "the file has no questions; write one per line, as `debate-tui schema question` \
                 describes",
            )),
            None => Ok(set),
        }
    }

    /// Reads a question set's file. Lines that are not valid questions are listed in `refused`.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is larger than the limits allow.
    pub fn read_question_file(
        path: &Path,
        pairs: DebatedWrongAnswers,
        limits: &ScenarioLimits,
    ) -> Result<Self, ScenarioError> {
        let options = RowOptions {
            pairs,
            form: TextForm::Raw,
            map: None,
        };
        Self::read_as(path, options, limits)
    }

    /// Reads a file of questions for an import. Normalises the texts ([`normalise_invisible_characters`]) and lists
    /// invalid lines in `refused`. `map` names the fields of a file in another format.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or is larger than the limits allow.
    pub fn import(
        path: &Path,
        pairs: DebatedWrongAnswers,
        map: Option<&QuestionFieldNames>,
        limits: &ScenarioLimits,
    ) -> Result<Self, ScenarioError> {
        let options = RowOptions {
            pairs,
            form: TextForm::Normalised,
            map,
        };
        Self::read_as(path, options, limits)
    }

    fn read_as(
        path: &Path,
        options: RowOptions<'_>,
        limits: &ScenarioLimits,
    ) -> Result<Self, ScenarioError> {
        let origin = ScenarioTextSource::File(path.to_owned());
        let unreadable = |cause| ScenarioError::Unreadable {
            origin: escaped_and_shortened_message(&origin.to_string()),
            cause,
        };
        let bytes = read_regular_file_one_past_limit(path, limits.file).map_err(unreadable)?;
        let (most, flag) = (limits.file, "--max-file");
        if bytes.len() as u64 > most {
            return Err(ScenarioError::TooLarge {
                place: super::SourceLocation {
                    origin: escaped_and_shortened_message(&origin.to_string()),
                    line: 1,
                    column: 1,
                },
                what: format!("the question file has more than {most} bytes"),
                flag,
            });
        }
        let mut set = Self {
            path: path.to_owned(),
            rows: Vec::new(),
            refused: Vec::new(),
            unlabelled: 0,
            normalised: 0,
            files: Vec::new(),
        };
        let files = FileLoader::loader_in_scenario_folder(&origin);
        let mut ids = HashSet::new();
        for (line, bytes) in numbered_byte_lines(&bytes) {
            if bytes.is_empty() {
                continue;
            }
            let mut taken = set.line(line, bytes, options, &files, limits);
            if let Ok(rows) = &taken {
                let clash = rows.iter().find(|row| !ids.insert(row.id.clone()));
                let clash = clash.map(|row| {
                    format!(
                        "the id {} occurs twice; give each question \
                                                     its own id",
                        shortened_in_backticks(&row.id)
                    )
                });
                taken = clash.map_or(taken, Err);
            }
            match taken {
                Ok(rows) => set.rows.extend(rows),
                Err(what) => set.refused.push(RefusedRow { line, what }),
            }
            if set.rows.len() + set.refused.len() > MAX_QUESTIONS {
                let what =
                    format!("a question set has at most {MAX_QUESTIONS} questions; split it");
                set.refused.push(RefusedRow { line, what });
                break;
            }
        }
        set.files = files.into_loaded_files();
        Ok(set)
    }

    /// Reads the questions in one line of the file. A line can contain several.
    fn line(
        &mut self,
        line: usize,
        bytes: &[u8],
        options: RowOptions<'_>,
        files: &FileLoader<'_>,
        limits: &ScenarioLimits,
    ) -> Result<Vec<QuestionSetEntry>, String> {
        let fields: Map<String, Value> = serde_json::from_slice(bytes)
            .map_err(|error| format!("this line is not a JSON object: {error}"))?;
        let RowOptions { pairs, form, map } = options;
        let rows = if let Some(map) = map {
            let mut rows = mapped::questions_in_line(&fields, map, line, pairs)?;
            self.unlabelled += usize::from(rows.is_empty());
            let changed = rows.iter_mut().map(QuestionSetEntry::normalise);
            self.normalised += usize::from(changed.fold(false, |any, changed| any | changed));
            rows
        } else if quality::has_quality_layout(&fields) {
            let article = quality::read_article(Value::Object(fields), pairs, form)?;
            self.unlabelled += article.unlabelled;
            self.normalised += usize::from(article.is_changed);
            article.rows
        } else {
            let row: QuestionSetEntry =
                serde_json::from_value(Value::Object(fields)).map_err(|error| {
                    format!(
                        "{error}; `debate-tui schema question` describes the \
                                          format"
                    )
                })?;
            let mut row = with_source(row, files, limits)?;
            if form == TextForm::Normalised {
                self.normalised += usize::from(row.normalise());
            }
            vec![row]
        };
        let bad = rows.iter().find(|row| !is_id(&row.id));
        bad.map_or(Ok(()), |row| {
            Err(format!(
                "{} is not a valid id; write at most {MAX_ID} letters, digits, `-`, `_` and `.`, \
                 without a dot at the start",
                shortened_in_backticks(&row.id)
            ))
        })?;
        Ok(rows)
    }

    /// Creates the scenario for the question with this id.
    ///
    /// # Errors
    /// Returns an error if there is no such question, or if it is not a valid scenario.
    pub fn scenario_of_question(
        &self,
        id: &str,
        limits: &ScenarioLimits,
    ) -> Result<LoadedScenario, ScenarioError> {
        let Some(row) = self.rows.iter().find(|row| row.id == id) else {
            let ids: Vec<&str> = self.rows.iter().map(|row| row.id.as_str()).collect();
            let hint = nearest_name(id, &ids).map_or_else(
                || {
                    format!(
                        "the question set has {count} questions, but not the named one",
                        count = ids.len()
                    )
                },
                |near| format!("did you mean {}?", shortened_in_backticks(near)),
            );
            let name = self.name_of(id);
            return Err(unknown(&name, &hint));
        };
        self.scenario_of_row(row, limits)
    }

    /// Creates the scenario for a question of the set.
    ///
    /// # Errors
    /// Returns an error if it is not a valid scenario.
    pub fn scenario_of_row(
        &self,
        row: &QuestionSetEntry,
        limits: &ScenarioLimits,
    ) -> Result<LoadedScenario, ScenarioError> {
        let origin = ScenarioTextSource::Text(self.name_of(&row.id));
        LoadedScenario::from_text(&row.scenario_text(), origin, limits)
    }

    fn name_of(&self, id: &str) -> String {
        format!("{}{MARK}{id}", self.path.display())
    }
}

/// True if the text is a valid question id: usable as the name of a visible file.
fn is_id(id: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=MAX_ID).contains(&id.len()) && id.chars().all(fits) && !id.starts_with('.')
}

/// Returns the question with its source text. If the question names a source file, reads the text from it.
fn with_source(
    mut row: QuestionSetEntry,
    files: &FileLoader<'_>,
    limits: &ScenarioLimits,
) -> Result<QuestionSetEntry, String> {
    let Some(name) = row.source_file.take() else {
        return Ok(row);
    };
    if !row.source.is_empty() {
        return Err("the question has both `source` and `source_file`; remove one".to_owned());
    }
    let most = limits.file;
    let file = files.load_file(&name, most).map_err(|cause| {
        format!(
            "{file} cannot be read: {cause}",
            file = shortened_in_backticks(&name)
        )
    })?;
    if file.bytes.len() as u64 > most {
        return Err(format!(
            "{file} has more than {most} bytes",
            file = shortened_in_backticks(&name)
        ));
    }
    let text = decode_utf8(&file.bytes)
        .map_err(|error| format!("{}: {error}", shortened_in_backticks(&name)))?;
    row.source = text.into();
    Ok(row)
}
