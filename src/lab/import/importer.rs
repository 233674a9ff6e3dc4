//! An import: debates of files as saves in one folder, and what became of each.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::{ImportError, ImportedSave, Kept, Transcript, keep};
use crate::judgements::Judgement;
use crate::tell::Page;
use crate::tell::results::Tell;
use debate_core::text::{counted, safe};

/// The file with the judgements that others made of finished debates.
const LATER: &str = "later-judgements.jsonl";

/// The result of an import.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ImportReport {
    /// The folder with the saves.
    pub out: String,
    /// Debates that were found.
    pub debates: usize,
    /// Debates that are saves now, those that were there already among them.
    pub imported: usize,
    /// Those of them that have an end.
    pub finished: usize,
    /// Those of them that were there already, unchanged.
    pub already_there: usize,
    /// Judgements that others made of finished debates.
    pub later_judgements: usize,
    /// The files that were refused, each with the place and the reason.
    pub refused: Vec<RefusedFile>,
    /// Quotes that ran past the end of their source, and are cut there.
    pub cut_quotes: usize,
    /// What of a debate is not in its save; its tag `oddities` has it too.
    pub notes: Vec<FileNotes>,
    /// Files beside the debates that are known to be none.
    pub skipped: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RefusedFile {
    pub file: String,
    pub why: String,
}

/// A debate of which something is not in its save.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileNotes {
    pub file: String,
    pub notes: Vec<String>,
}

/// An import under way.
#[derive(Debug)]
pub struct Importer {
    out: PathBuf,
    report: ImportReport,
    later: Vec<Judgement>,
}

impl Importer {
    /// Puts saves into this folder. `skipped`: files that are known to be no debates.
    pub fn new(out: &Path, skipped: &[PathBuf]) -> Self {
        let skipped = skipped.iter().map(|path| path.display().to_string());
        Self {
            out: out.to_owned(),
            report: ImportReport {
                out: out.display().to_string(),
                skipped: skipped.collect(),
                ..ImportReport::default()
            },
            later: Vec::new(),
        }
    }

    /// Keeps the debates that a file holds, and tells what is refused of it.
    pub fn take(
        &mut self,
        path: &Path,
        debates: Result<Vec<(ImportedSave, Transcript)>, ImportError>,
    ) -> &[RefusedFile] {
        let before = self.report.refused.len();
        match debates {
            Ok(debates) => {
                for (save, transcript) in debates {
                    self.report.debates += 1;
                    if let Err(error) = self.keep(path, save, &transcript) {
                        self.refuse(path, &error);
                    }
                }
            }
            Err(error) => {
                self.report.debates += 1;
                self.refuse(path, &error);
            }
        }
        self.report.refused.get(before..).unwrap_or_default()
    }

    fn keep(
        &mut self,
        path: &Path,
        save: ImportedSave,
        transcript: &Transcript,
    ) -> Result<(), ImportError> {
        let kept = keep(&self.out, &format!("{}.ron", save.name), &save.text)?;
        self.report.imported += 1;
        self.report.finished += usize::from(save.finished);
        self.report.already_there += usize::from(kept == Kept::There);
        self.report.cut_quotes += save.cut_quotes;
        if !save.notes.is_empty() {
            self.report.notes.push(FileNotes {
                file: path.display().to_string(),
                notes: save.notes,
            });
        }
        let later = transcript.judgements.iter();
        self.later
            .extend(later.filter_map(|judgement| judgement.of(transcript)));
        Ok(())
    }

    fn refuse(&mut self, path: &Path, error: &ImportError) {
        self.report.refused.push(RefusedFile {
            file: path.display().to_string(),
            why: safe(&error.to_string()).into_owned(),
        });
    }

    /// Puts the judgements of others beside the saves.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn end(mut self) -> Result<ImportReport, ImportError> {
        self.report.later_judgements = self.later.len();
        if !self.later.is_empty() {
            let mut lines = String::new();
            for judgement in &self.later {
                lines += &serde_json::to_string(judgement).map_err(ImportError::whole)?;
                lines.push('\n');
            }
            keep(&self.out, LATER, &lines)?;
        }
        Ok(self.report)
    }
}

impl Tell for ImportReport {
    fn document(&self) -> impl Serialize + JsonSchema {
        self
    }

    fn page(&self) -> Page {
        let mut page = Page::default();
        let mut parts = vec![format!(
            "{} of {} debates imported into {}",
            self.imported, self.debates, self.out
        )];
        for (count, what) in [
            (self.imported - self.finished, "without an end"),
            (self.already_there, "there already"),
            (self.refused.len(), "refused"),
            (self.notes.len(), "with notes in the tag `oddities`"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        page.row(parts.join("; ") + ".");
        if self.cut_quotes > 0 {
            page.row(format!(
                "Quotes that ran past the end of their source and are cut there: {}.",
                self.cut_quotes
            ));
        }
        if !self.skipped.is_empty() {
            let names = self.skipped.join(", ");
            page.row(format!("Skipped, as these are no debates: {names}."));
        }
        if self.later_judgements > 0 {
            let count = self.later_judgements;
            let of = counted(count, "judgement of another is", "judgements of others are");
            page.row(format!("{of} in {LATER}."));
        }
        page
    }
}
