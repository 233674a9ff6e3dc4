//! Questions of quizzes and surveys, and how the files of a study are read.

use std::path::Path;

use serde::Deserialize;

use crate::error::StudyError;
use debate_lab::setup::{read_at_most, ron_options};

/// The most bytes of a study file and of each text of it.
const MAX_FILE: u64 = 1 << 20;

/// A question of a quiz.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Question", deny_unknown_fields)]
pub struct QuizQuestion {
    pub ask: String,
    pub options: Vec<String>,
    /// The place of the right option, from 1.
    pub right: usize,
}

/// A question of a survey.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Question", deny_unknown_fields)]
pub struct SurveyQuestion {
    /// Its name in the tables.
    pub id: String,
    pub ask: String,
    pub answer: SurveyAnswer,
}

/// What answers a question of a survey.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum SurveyAnswer {
    Choice(Vec<String>),
    /// Numbers, with words for the first and the last.
    Scale {
        from: i32,
        to: i32,
        #[serde(default)]
        ends: (String, String),
    },
    Number {
        min: i64,
        max: i64,
    },
    /// Free text of so many characters: it may say who wrote it, so it is asked for by name only.
    Text(usize),
}

/// Reads a small text of a study.
///
/// # Errors
/// If it cannot be read, is too long, or is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String, StudyError> {
    let file = std::fs::File::open(path).map_err(StudyError::io(path))?;
    let bytes = read_at_most(file, MAX_FILE + 1).map_err(StudyError::io(path))?;
    if bytes.len() as u64 > MAX_FILE {
        let what = format!("it is longer than {MAX_FILE} bytes; make it shorter");
        return Err(StudyError::file(path, what));
    }
    let text = String::from_utf8(bytes);
    text.map_err(|_error| StudyError::file(path, "it is not UTF-8; save it as UTF-8"))
}

/// Reads a RON document of a study.
///
/// # Errors
/// As [`read_text`]; where it is malformed, with its line.
pub(crate) fn read_ron<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, StudyError> {
    let text = read_text(path)?;
    let read = ron_options().from_str(&text);
    read.map_err(|error| StudyError::file(path, error.to_string()))
}
