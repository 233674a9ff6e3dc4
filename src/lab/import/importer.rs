//! An import: the files that debates are read from, their saves in one folder, and what became of each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::nyu::{DebateMetadata, read_metadata};
use super::{ImportError, ImportedSave, Transcript};
use crate::judgements::Judgement;
use crate::record::{create_whole, is_system_failure};
use crate::setup::read_at_most;
use crate::tell::Page;
use crate::tell::results::Tell;
use debate_core::text::{counted, decoded, safe};

/// The file with the judgements that others made of finished debates.
const LATER: &str = "later-judgements.jsonl";

/// The result of an import.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Files of a folder that are no debates of this kind.
    pub skipped: Vec<String>,
    /// Samples of logs that ended with an error, each with its place and the error.
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
            why: safe(&error.to_string()).into_owned(),
        }
    }
}

/// A debate of which something is not in its save.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileNotes {
    pub file: String,
    pub notes: Vec<String>,
}

/// The debates of one file, each as a save and as a transcript.
#[derive(Debug, Default)]
pub struct DebatesInFile {
    pub debates: Vec<(ImportedSave, Transcript)>,
    /// The parts of the file that are no debates, each with the reason.
    pub refused: Vec<ImportError>,
    /// The parts that the file itself marks as failed: samples that ended with an error.
    pub skipped: Vec<ImportError>,
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

    /// Saves the debates of a file. Returns the refused ones.
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
                    match self.keep(path, save, &transcript) {
                        Err(error) if error.is_of_system => return Err(error),
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
        self.report.refused.push(RefusedFile::new(path, error));
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
    fn document(&self) -> impl Serialize {
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
        if !self.skipped_samples.is_empty() {
            let count = self.skipped_samples.len();
            let of = counted(count, "sample is", "samples are");
            page.row(format!("{of} skipped:"));
            for RefusedFile { file, why } in &self.skipped_samples {
                page.row(format!("  {file}: {why}"));
            }
        }
        if self.later_judgements > 0 {
            let count = self.later_judgements;
            let of = counted(count, "judgement of another is", "judgements of others are");
            page.row(format!("{of} in {LATER}."));
        }
        page
    }
}

/// The most bytes of a file that a debate is read from.
const MAX_FILE: u64 = 64 << 20;

/// The first bytes of a zip archive with files and of one without.
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// The names under which the study keeps its metadata.
const METADATA: [&str; 2] = ["debates-metadata.jsonl", "debates-metadata.json"];

/// Files of the study beside its debates: who took part, and what they were asked afterwards.
const OTHERS: [&str; 2] = ["profiles.json", "open-feedback.json"];

/// Folders within a folder of the study in which its debates are.
const INNER: [&str; 2] = ["debates", "official"];

/// The saves that were put into a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// A new file.
    Written,
    /// The same file was there already.
    There,
}

/// The text of a file without a byte-order mark. The file must be UTF-8 and not too large.
///
/// # Errors
/// If it is no plain file, or cannot be read.
pub fn read_text(path: &Path) -> Result<String, ImportError> {
    let unread = |error: io::Error| ImportError::at("", format_args!("cannot be read: {error}"));
    // A pipe would be waited for without end.
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Err(ImportError::at("", "this is no plain file"));
    }
    let file = File::open(path).map_err(unread)?;
    let bytes = read_at_most(file, MAX_FILE).map_err(unread)?;
    if bytes.len() as u64 > MAX_FILE {
        let most = MAX_FILE >> 20;
        return Err(ImportError::at("", format_args!("more than {most} MiB")));
    }
    if ZIP.iter().any(|start| bytes.starts_with(start)) {
        let what = "this is a zip archive, which is not read here; if it is a log of Inspect (.eval), convert it \
                    first: inspect log dump FILE > log.json";
        return Err(ImportError::at("", what));
    }
    decoded(&bytes)
        .map(str::to_owned)
        .map_err(|error| ImportError::at(format!("byte {}", error.offset()), error))
}

/// What paths lead to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DebateFiles {
    /// In order, and each once.
    pub debates: Vec<PathBuf>,
    /// Files of a study that are known to be no debates.
    pub others: Vec<PathBuf>,
}

/// The files of debates that paths lead to: files as they are; of a folder all that end in `.json`, and those of
/// `debates` and `official` within it.
///
/// # Errors
/// If a folder cannot be read, or has no such file.
pub fn files(paths: &[PathBuf]) -> Result<DebateFiles, ImportError> {
    let mut all = DebateFiles::default();
    for path in paths {
        if !path.is_dir() {
            all.debates.push(path.clone());
            continue;
        }
        let before = all.debates.len();
        files_in(path, &mut all)?;
        if all.debates.len() == before {
            let what = "there is no debate in this folder: no file that ends in .json, nor in `debates` or \
                        `official` within it";
            return Err(ImportError::at(path.display().to_string(), what));
        }
    }
    for files in [&mut all.debates, &mut all.others] {
        files.sort();
        files.dedup();
    }
    Ok(all)
}

fn files_in(folder: &Path, all: &mut DebateFiles) -> Result<(), ImportError> {
    let unread = |error: io::Error| {
        let what = format_args!("cannot be read: {error}");
        ImportError::at(folder.display().to_string(), what)
    };
    for entry in fs::read_dir(folder).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        let name = path.file_name().unwrap_or_default();
        let is_json = path.extension().is_some_and(|ending| ending == "json");
        if path.is_dir() && INNER.iter().any(|inner| name == *inner) {
            files_in(&path, all)?;
        } else if OTHERS.iter().any(|other| name == *other) {
            all.others.push(path);
        } else if is_json && path.is_file() && !METADATA.iter().any(|other| name == *other) {
            all.debates.push(path);
        }
    }
    Ok(())
}

/// The metadata beside files: in their folders or up to two folders above.
///
/// # Errors
/// If there are some that cannot be read.
pub fn metadata(files: &[PathBuf]) -> Result<BTreeMap<String, DebateMetadata>, ImportError> {
    let above = files
        .iter()
        .flat_map(|file| file.ancestors().skip(1).take(3));
    let mut known = BTreeMap::new();
    for folder in above.collect::<BTreeSet<&Path>>() {
        let mut there = METADATA.iter().map(|name| folder.join(name));
        let Some(path) = there.find(|path| path.is_file()) else {
            continue;
        };
        let entries = read_text(&path).and_then(|text| read_metadata(&text));
        let named = |error| ImportError::at(path.display().to_string(), error);
        let entries = entries.map_err(named)?;
        known.extend(entries.into_iter().map(|entry| (entry.name.clone(), entry)));
    }
    Ok(known)
}

/// Puts a file into a folder, which is made if need be, whole or not at all. No other file is ever
/// replaced.
///
/// # Errors
/// If it cannot be written, or a file of this name says something else.
pub fn keep(folder: &Path, name: &str, text: &str) -> Result<Kept, ImportError> {
    let path = folder.join(name);
    let refused = |what: &str| ImportError::at(path.display().to_string(), what);
    let unkept = |error: io::Error| ImportError {
        is_of_system: is_system_failure(&error),
        ..refused(&format!("cannot be written: {error}"))
    };
    fs::create_dir_all(folder).map_err(unkept)?;
    if fs::symlink_metadata(&path).is_ok() {
        return match read_text(&path) {
            Ok(there) if there == text => Ok(Kept::There),
            _ => Err(refused(
                "there is another file of this name; take another folder",
            )),
        };
    }
    create_whole(&path, text).map_err(unkept)?;
    Ok(Kept::Written)
}

#[cfg(test)]
mod folder_tests {
    use super::*;

    #[test]
    fn a_folder_gives_its_debates_and_what_is_known_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("debates/official");
        fs::create_dir_all(&inner).unwrap();
        for name in ["b.json", "a.json", "notes.txt"] {
            fs::write(inner.join(name), "{}").unwrap();
        }
        let line = r#"{"name": "a", "includedInPaper": true}"#;
        fs::write(folder.path().join(METADATA[0]), line).unwrap();
        let found = files(&[folder.path().to_owned(), inner.join("a.json")]).unwrap();
        assert_eq!(found.debates, [inner.join("a.json"), inner.join("b.json")]);
        let found = found.debates;
        assert_eq!(metadata(&found).unwrap()["a"].included, Some(true));
        fs::write(folder.path().join(METADATA[0]), "{").unwrap();
        assert!(
            metadata(&found)
                .unwrap_err()
                .place
                .contains("debates-metadata")
        );
    }

    #[test]
    fn no_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let kept = |text| keep(folder.path(), "a.ron", text);
        assert_eq!(kept("one"), Ok(Kept::Written));
        assert_eq!(kept("one"), Ok(Kept::There));
        assert!(kept("two").unwrap_err().what.contains("another file"));
        assert_eq!(
            fs::read_to_string(folder.path().join("a.ron")).unwrap(),
            "one"
        );
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        fs::write(&path, [b'a', 0xff]).unwrap();
        assert_eq!(read_text(&path).unwrap_err().place, "byte 1");
        assert!(read_text(folder.path()).is_err());
    }
}
