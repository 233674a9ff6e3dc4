//! An import in progress: writes debates as saves to one folder and counts the files that were read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{ImportError, ImportedSave, ImportedSpeechDebate, read_text_file};
use crate::judgements::Judgement;
use debate_core::text::{count_with_noun, replace_unsafe_characters};
use debate_host::record::{create_file_atomically, is_system_failure};
use debate_text::HeadedTextPage;
use debate_text::results::PrintableCommandResult;

/// The name of the file for judgements by other judges, who judged finished debates.
const LATER: &str = "later-judgements.jsonl";

/// The maximum number of skipped files that a summary names.
const MAX_NAMED: usize = 20;

/// The result of an import.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportReport {
    /// The folder with the saves.
    pub out: String,
    /// The number of debates found.
    pub debates: usize,
    /// The number of debates that now have a save, including those whose save already existed.
    pub imported: usize,
    /// The number of imported debates that have ended.
    pub finished: usize,
    /// The number of imported debates whose save already existed unchanged.
    pub already_there: usize,
    /// The number of judgements by other judges, who judged finished debates.
    pub later_judgements: usize,
    /// The refused debates and unreadable files, each with its file, the place and the reason.
    pub refused: Vec<RefusedFile>,
    /// The number of quotes whose end lay beyond the end of the source; the import shortened them.
    pub cut_quotes: usize,
    /// For each imported debate with such facts, the facts that the save's moves cannot represent. The save's tag
    /// `oddities` also lists them.
    pub notes: Vec<ImportedDebateNotes>,
    /// The debates whose texts were normalised, each with the number of changed characters by kind.
    pub normalised: Vec<ImportedDebateNotes>,
    /// The files in the imported folder that were skipped because they contain no debate of the imported kind.
    pub skipped: Vec<String>,
    /// The log samples that were skipped because they ended with an error, each with its place and its error.
    pub skipped_samples: Vec<RefusedFile>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefusedFile {
    pub file: String,
    pub why: String,
}

impl RefusedFile {
    fn new(path: &Path, error: &ImportError) -> Self {
        Self {
            file: path.display().to_string(),
            why: replace_unsafe_characters(&error.to_string()).into_owned(),
        }
    }
}

/// The remarks on one imported debate, under the name of its file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "FileNotes")]
pub struct ImportedDebateNotes {
    pub file: String,
    pub notes: Vec<String>,
}

/// The debates of one imported file, each as a save. A debate of free speeches from another program also has its
/// transcript.
#[derive(Debug, Default)]
pub struct DebatesInFile {
    pub debates: Vec<(ImportedSave, Option<ImportedSpeechDebate>)>,
    /// The parts of the imported file that cannot be converted to debates, each with the reason.
    pub refused: Vec<ImportError>,
    /// The file's samples that were not imported because the file marks them as failed.
    pub skipped: Vec<ImportError>,
}

/// An import in progress.
#[derive(Debug)]
pub struct ImportInProgress {
    out: PathBuf,
    report: ImportReport,
    later: Vec<Judgement>,
}

impl ImportInProgress {
    /// Creates an import that writes saves to the folder `out`.
    pub fn new(out: &Path) -> Self {
        Self {
            out: out.to_owned(),
            report: ImportReport {
                out: out.display().to_string(),
                ..ImportReport::default()
            },
            later: Vec::new(),
        }
    }

    /// Records that a file in a folder was skipped, because it is not a debate of the imported kind.
    pub fn record_skipped_file(&mut self, path: &Path) {
        self.report.skipped.push(path.display().to_string());
    }

    /// Saves the debates of one file. Returns the errors of the debates that were refused.
    ///
    /// # Errors
    /// If the system failed, such as a full disk.
    pub fn take(
        &mut self,
        path: &Path,
        debates: Result<DebatesInFile, ImportError>,
    ) -> Result<&[RefusedFile], ImportError> {
        let before = self.report.refused.len();
        match debates {
            Ok(file) => {
                self.report.debates += file.debates.len() + file.refused.len();
                for (save, transcript) in file.debates {
                    match self.keep(path, save, transcript.as_ref()) {
                        Err(error) if error.is_system_error => return Err(error),
                        Err(error) => self.refuse(path, &error),
                        Ok(()) => {}
                    }
                }
                for error in &file.refused {
                    self.refuse(path, error);
                }
                let skipped = file
                    .skipped
                    .iter()
                    .map(|error| RefusedFile::new(path, error));
                self.report.skipped_samples.extend(skipped);
            }
            Err(error) => {
                self.report.debates += 1;
                self.refuse(path, &error);
            }
        }
        Ok(self.report.refused.get(before..).unwrap_or_default())
    }

    fn keep(
        &mut self,
        path: &Path,
        save: ImportedSave,
        transcript: Option<&ImportedSpeechDebate>,
    ) -> Result<(), ImportError> {
        let kept = write_new_file(&self.out, &format!("{}.ron", save.name), &save.text)?;
        self.report.imported += 1;
        self.report.finished += usize::from(save.finished);
        self.report.already_there += usize::from(kept == NewFileWriteOutcome::There);
        self.report.cut_quotes += save.cut_quotes;
        if !save.notes.is_empty() {
            self.report.notes.push(ImportedDebateNotes {
                file: path.display().to_string(),
                notes: save.notes,
            });
        }
        if !save.normalised.is_empty() {
            self.report.normalised.push(ImportedDebateNotes {
                file: path.display().to_string(),
                notes: save.normalised,
            });
        }
        if let Some(transcript) = transcript {
            let later = transcript.judgements.iter();
            self.later
                .extend(later.filter_map(|judgement| judgement.final_judgement_in(transcript)));
        }
        Ok(())
    }

    fn refuse(&mut self, path: &Path, error: &ImportError) {
        self.report.refused.push(RefusedFile::new(path, error));
    }

    /// Writes the judgements by other judges, if there are any, to a file beside the saves. Returns the report of the
    /// import.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write_judgements_by_other_judges(mut self) -> Result<ImportReport, ImportError> {
        self.report.later_judgements = self.later.len();
        if !self.later.is_empty() {
            let mut lines = String::new();
            for judgement in &self.later {
                lines += &serde_json::to_string(judgement).map_err(ImportError::whole)?;
                lines.push('\n');
            }
            write_new_file(&self.out, LATER, &lines)?;
        }
        Ok(self.report)
    }
}

/// Returns the summary's line about debates with normalised texts; `None` if no text was changed.
pub(super) fn summary_of_places_with_normalised_texts(
    place_count: usize,
    place_noun: &str,
    place_noun_plural: &str,
) -> Option<String> {
    let of = count_with_noun(place_count, place_noun, place_noun_plural);
    (place_count > 0).then(|| {
        format!(
            "Texts were normalised in {of}: tabs became spaces, line ends became line feeds, invisible characters were \
             dropped."
        )
    })
}

/// Returns the summary's line that names skipped files; `None` if there are none.
pub(super) fn skipped_files_summary(
    skipped: &[String],
    debates_or_questions: &str,
) -> Option<String> {
    let mut names: Vec<String> = skipped
        .iter()
        .take(MAX_NAMED)
        .map(|name| replace_unsafe_characters(name).into_owned())
        .collect();
    let more = skipped.len() - names.len();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let names = names.join(", ");
    (!names.is_empty()).then(|| {
        format!("Skipped files that are not {debates_or_questions} of this format: {names}.")
    })
}

impl PrintableCommandResult for ImportReport {
    fn document(&self) -> impl Serialize {
        self
    }

    fn page(&self) -> HeadedTextPage {
        let mut page = HeadedTextPage::default();
        let mut parts = vec![format!(
            "{imported} of {debates} debates imported into {folder}",
            imported = self.imported,
            debates = self.debates,
            folder = self.out
        )];
        for (count, what) in [
            (self.imported - self.finished, "unfinished"),
            (self.already_there, "already imported"),
            (self.refused.len(), "refused"),
            (self.notes.len(), "with notes in the tag `oddities`"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        page.add_row(parts.join("; ") + ".");
        if self.cut_quotes > 0 {
            page.add_row(format!(
                "Quotations that went beyond the end of their source and were cut there: {count}.",
                count = self.cut_quotes
            ));
        }
        if let Some(row) =
            summary_of_places_with_normalised_texts(self.normalised.len(), "debate", "debates")
        {
            page.add_row(row);
        }
        if let Some(row) = skipped_files_summary(&self.skipped, "debates") {
            page.add_row(row);
        }
        if !self.skipped_samples.is_empty() {
            let count = self.skipped_samples.len();
            let of = count_with_noun(count, "sample is", "samples are");
            page.add_row(format!("{of} skipped:"));
            for RefusedFile { file, why } in &self.skipped_samples {
                page.add_row(format!("  {file}: {why}"));
            }
        }
        if self.later_judgements > 0 {
            let count = self.later_judgements;
            let of = count_with_noun(
                count,
                "judgement by another judge, made after the debate, is saved",
                "judgements by other judges, made after the debates, are saved",
            );
            page.add_row(format!("{of} in {LATER}."));
        }
        page
    }
}

/// The outcome of writing a new file to a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewFileWriteOutcome {
    /// A new file was written.
    Written,
    /// The same file already existed.
    There,
}

/// Writes a file to a folder atomically and creates the folder if necessary. Never replaces a file with other contents.
///
/// # Errors
/// If the file cannot be written, or a file of this name has other contents.
pub fn write_new_file(
    folder: &Path,
    name: &str,
    text: &str,
) -> Result<NewFileWriteOutcome, ImportError> {
    let path = folder.join(name);
    let refused = |what: &str| ImportError::error_at_place(path.display().to_string(), what);
    let unkept = |error: io::Error| ImportError {
        is_system_error: is_system_failure(&error),
        ..refused(&format!("cannot be written: {error}"))
    };
    fs::create_dir_all(folder).map_err(unkept)?;
    if fs::symlink_metadata(&path).is_ok() {
        return match read_text_file(&path) {
            Ok(there) if there == text => Ok(NewFileWriteOutcome::There),
            _ => Err(refused(
                "a different file has this name; name another folder",
            )),
        };
    }
    create_file_atomically(&path, text).map_err(unkept)?;
    Ok(NewFileWriteOutcome::Written)
}

#[cfg(test)]
mod folder_tests {
    use super::*;

    #[test]
    fn existing_files_are_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let kept = |text| write_new_file(folder.path(), "a.ron", text);
        assert_eq!(kept("one"), Ok(NewFileWriteOutcome::Written));
        assert_eq!(kept("one"), Ok(NewFileWriteOutcome::There));
        assert!(kept("two").unwrap_err().what.contains("a different file"));
        assert_eq!(
            fs::read_to_string(folder.path().join("a.ron")).unwrap(),
            "one"
        );
    }
}
