//! Questions from data, each as a scenario file.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::importer::{normalised_row, skipped_row};
use super::{ImportError, Kept, RefusedFile, keep};
use debate_core::text::safe;
use debate_solver::setup::{AnswerPairs, Limits, QuestionRow, QuestionSet};
use debate_text::Page;
use debate_text::results::Tell;

/// The result of an import of questions.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuestionImport {
    /// The folder with the scenario files, each called after the id of its question.
    pub out: PathBuf,
    /// Questions that were found, those that were refused or left out among them.
    pub questions: usize,
    /// Those of them that are scenario files now.
    pub imported: usize,
    /// Those of them that were there already, unchanged.
    pub already_there: usize,
    /// Questions without a label, which are left out.
    pub unlabelled: usize,
    /// Lines of which a text was normalised: tabs, line ends or invisible characters.
    pub normalised: usize,
    /// Refused questions, each with its place.
    pub refused: Vec<RefusedFile>,
    /// Files of a folder that are no sets of questions.
    pub skipped: Vec<String>,
}

impl QuestionImport {
    /// Puts scenario files into this folder.
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

    /// Lists a file of a folder that is no set of questions.
    pub fn skip(&mut self, path: &Path) {
        self.skipped.push(path.display().to_string());
    }

    /// Takes the questions of a file, and tells what of it is refused.
    ///
    /// # Errors
    /// If the file cannot be read, or the system failed, such as a full disk.
    pub fn take(&mut self, path: &Path, pairs: AnswerPairs) -> Result<&[RefusedFile], ImportError> {
        let limits = Limits::default();
        let before = self.refused.len();
        let set = QuestionSet::import(path, pairs, &limits).map_err(ImportError::whole)?;
        self.questions += set.rows.len() + set.refused.len() + set.unlabelled;
        self.unlabelled += set.unlabelled;
        self.normalised += set.normalised;
        for row in &set.refused {
            self.refuse(format!("{}:{}", path.display(), row.line), &row.what);
        }
        for row in &set.rows {
            // The error has the place.
            let sound = set.setup_of(row, &limits).map_err(ImportError::whole);
            match sound.and_then(|_| self.keep(row)) {
                Ok(kept) => {
                    self.imported += 1;
                    self.already_there += usize::from(kept == Kept::There);
                }
                Err(error) if error.is_of_system => return Err(error),
                Err(error) => {
                    let place = format!("{}#{}", path.display(), row.id);
                    self.refuse(place, &error.to_string());
                }
            }
        }
        Ok(self.refused.get(before..).unwrap_or_default())
    }

    fn keep(&self, row: &QuestionRow) -> Result<Kept, ImportError> {
        keep(&self.out, &format!("{}.ron", row.id), &row.scenario())
    }

    fn refuse(&mut self, file: String, why: &str) {
        self.refused.push(RefusedFile {
            file,
            why: safe(why).into_owned(),
        });
    }
}

impl Tell for QuestionImport {
    fn document(&self) -> impl Serialize {
        self
    }

    fn page(&self) -> Page {
        let mut page = Page::default();
        let mut parts = vec![format!(
            "{} of {} questions imported into {}",
            self.imported,
            self.questions,
            self.out.display()
        )];
        for (count, what) in [
            (self.already_there, "there already"),
            (
                self.unlabelled,
                "left out, as nothing says which answer is right",
            ),
            (self.refused.len(), "refused"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        page.row(parts.join("; ") + ".");
        if let Some(row) = normalised_row(self.normalised, "line", "lines") {
            page.row(row);
        }
        if let Some(row) = skipped_row(&self.skipped, "questions") {
            page.row(row);
        }
        page
    }
}
