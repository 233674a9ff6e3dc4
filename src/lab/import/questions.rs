//! Imports questions from data sets and writes each as a scenario file.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::importer::{skipped_files_summary, summary_of_places_with_normalised_texts};
use super::{ImportError, NewFileWriteOutcome, RefusedFile, write_new_file};
use debate_core::text::replace_unsafe_characters;
use debate_solver::setup::{
    DebatedWrongAnswers, QuestionFieldNames, QuestionSet, QuestionSetEntry, ScenarioLimits,
};
use debate_text::HeadedTextPage;
use debate_text::results::PrintableCommandResult;

/// The state and the counts of an import of questions.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "QuestionImport")]
pub struct QuestionImporter {
    /// The folder with the scenario files, each named after the id of its question.
    pub out: PathBuf,
    /// The number of questions in the data, including those that were refused or left out.
    pub questions: usize,
    /// The number of questions that now have a scenario file, including those whose file already existed.
    pub imported: usize,
    /// The number of imported questions whose scenario file already existed unchanged.
    pub already_there: usize,
    /// The number of questions that were left out because the data does not say which answer is right.
    pub unlabelled: usize,
    /// The number of input lines in which a text was normalised: tabs, line ends or invisible characters.
    pub normalised: usize,
    /// The refused questions, each with its place in the file and the reason.
    pub refused: Vec<RefusedFile>,
    /// The files in the imported folder that were skipped because they are not sets of questions.
    pub skipped: Vec<String>,
}

impl QuestionImporter {
    /// Creates an import that writes scenario files to the folder `out`.
    pub fn new(out: &Path) -> Self {
        Self {
            out: out.to_owned(),
            questions: 0,
            imported: 0,
            already_there: 0,
            unlabelled: 0,
            normalised: 0,
            refused: Vec::new(),
            skipped: Vec::new(),
        }
    }

    /// Records that a file in a folder was skipped, because it is not a set of questions.
    pub fn record_skipped_file(&mut self, path: &Path) {
        self.skipped.push(path.display().to_string());
    }

    /// Imports the questions of one file. `map` names the fields if the file has another format. Returns the errors of
    /// refused questions.
    ///
    /// # Errors
    /// If the file cannot be read, or the system failed, such as a full disk.
    pub fn import_questions(
        &mut self,
        path: &Path,
        pairs: DebatedWrongAnswers,
        map: Option<&QuestionFieldNames>,
    ) -> Result<&[RefusedFile], ImportError> {
        let limits = ScenarioLimits::default();
        let before = self.refused.len();
        let set = QuestionSet::import(path, pairs, map, &limits).map_err(ImportError::whole)?;
        self.questions += set.rows.len() + set.refused.len() + set.unlabelled;
        self.unlabelled += set.unlabelled;
        self.normalised += set.normalised;
        for row in &set.refused {
            self.refuse(format!("{}:{}", path.display(), row.line), &row.what);
        }
        for row in &set.rows {
            // The error includes the place.
            let sound = set
                .scenario_of_row(row, &limits)
                .map_err(ImportError::whole);
            match sound.and_then(|_| self.keep(row)) {
                Ok(kept) => {
                    self.imported += 1;
                    self.already_there += usize::from(kept == NewFileWriteOutcome::There);
                }
                Err(error) if error.is_system_error => return Err(error),
                Err(error) => {
                    let location = format!("{}#{}", path.display(), row.id);
                    self.refuse(location, &error.to_string());
                }
            }
        }
        Ok(self.refused.get(before..).unwrap_or_default())
    }

    fn keep(&self, row: &QuestionSetEntry) -> Result<NewFileWriteOutcome, ImportError> {
        write_new_file(&self.out, &format!("{}.ron", row.id), &row.scenario_text())
    }

    fn refuse(&mut self, file: String, why: &str) {
        self.refused.push(RefusedFile {
            file,
            why: replace_unsafe_characters(why).into_owned(),
        });
    }
}

impl PrintableCommandResult for QuestionImporter {
    fn document(&self) -> impl Serialize {
        self
    }

    fn page(&self) -> HeadedTextPage {
        let mut page = HeadedTextPage::default();
        let mut parts = vec![format!(
            "{imported} of {questions} questions imported into {folder}",
            imported = self.imported,
            questions = self.questions,
            folder = self.out.display()
        )];
        for (count, what) in [
            (self.already_there, "already imported"),
            (
                self.unlabelled,
                "left out, because their right answer is not given",
            ),
            (self.refused.len(), "refused"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        page.add_row(parts.join("; ") + ".");
        if let Some(row) = summary_of_places_with_normalised_texts(self.normalised, "line", "lines")
        {
            page.add_row(row);
        }
        if let Some(row) = skipped_files_summary(&self.skipped, "questions") {
            page.add_row(row);
        }
        page
    }
}
