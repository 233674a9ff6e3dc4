//! Finds the files to import: those that the user named, and files of the requested kind in a named folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::nyu::{NyuDebateMetadata, read_nyu_metadata};
use super::{ImportError, inspect};
use debate_core::text::decode_utf8;
use debate_host::record::paths_in;
use debate_solver::setup::read_one_past_limit;

/// The maximum size of an imported file, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// The first bytes of a zip archive with files, and of an empty one.
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// The names of the metadata files of the NYU study (Michael et al. 2023).
const METADATA: [&str; 2] = ["debates-metadata.jsonl", "debates-metadata.json"];

/// The subfolders that contain the debates in the published folder of the NYU study (Michael et al. 2023).
const INNER: [&str; 2] = ["debates", "official"];

/// The kinds of files that the program imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFileKind {
    /// Debates of the NYU study (Michael et al. 2023).
    Nyu,
    /// Debates in the public [`ImportedSpeechDebate`](super::ImportedSpeechDebate) format, and logs of
    /// `inspect_ai`.
    Transcript,
    /// Debate trees of the DC-Debates data.
    Tree,
    /// Debates in the text format of `export --format game`.
    Game,
    /// Sets of questions.
    Questions,
}

impl ImportFileKind {
    /// Returns the extensions of files of this kind that a folder search includes. The extension `eval` is that of log
    /// archives, which the import refuses with a hint at the command that converts them.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Nyu | Self::Tree => &["json"],
            Self::Game => &["game"],
            Self::Transcript => &["json", "eval"],
            // The public files of QuALITY have the name of their split as extension.
            Self::Questions => &["jsonl", "train", "dev", "test"],
        }
    }

    /// Returns the fields that identify a JSON document of this kind. One of them is enough: a document that lacks the
    /// others is refused with an error, not skipped.
    fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Nyu => &["setup"],
            Self::Tree => &["root"],
            Self::Game => &[],
            Self::Transcript => &["format", "debaters", "eval"],
            Self::Questions => &["question", "answers", "questions"],
        }
    }

    /// Returns the plural noun for the contents of files of this kind: debates or questions.
    pub fn plural_noun_of_contents(self) -> &'static str {
        match self {
            Self::Nyu | Self::Transcript | Self::Tree | Self::Game => "debates",
            Self::Questions => "questions",
        }
    }

    /// True if a text is of this kind or damaged. A damaged file is included, because the import must refuse it with an
    /// error and not skip it. Always true for [`Self::Game`], whose files only their extension identifies. False for a
    /// blank text of any other kind.
    pub fn is_this_kind_or_damaged(self, text: &str) -> bool {
        if self == Self::Game {
            return true;
        }
        let text = match self {
            Self::Transcript => inspect::replace_non_finite_json_numbers_by_null(text),
            Self::Nyu | Self::Tree | Self::Game | Self::Questions => text.into(),
        };
        let mut documents = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        match documents.next() {
            None => false,
            Some(Err(_)) => true,
            Some(Ok(document)) => {
                let mut fields = self.fields().iter();
                fields.any(|name| document.get(name).is_some())
            }
        }
    }

    /// Returns the error for folders that contain no file of the requested kind.
    pub fn no_files_error(self, folders: &[PathBuf]) -> ImportError {
        let folders: Vec<String> = folders.iter().map(|it| it.display().to_string()).collect();
        let endings: Vec<String> = self.endings().iter().map(|it| format!(".{it}")).collect();
        let what = format!(
            "no {content_noun} found: neither this folder nor its subfolders `debates` and `official` have a file of this format whose name ends in {endings}",
            content_noun = self.plural_noun_of_contents(),
            endings = endings.join(" or ")
        );
        ImportError::error_at_place(folders.join(", "), what)
    }
}

/// Reads the text of a file and removes its byte-order mark.
///
/// # Errors
/// If the file is not a regular file, cannot be read, or is not UTF-8. If it is larger than 64 MiB, or a zip archive.
pub fn read_text_file(path: &Path) -> Result<String, ImportError> {
    let unread =
        |error: io::Error| ImportError::error_at_place("", format_args!("cannot be read: {error}"));
    // Reading a pipe could block forever.
    if !fs::metadata(path).map_err(unread)?.is_file() {
        return Err(ImportError::error_at_place(
            "",
            "this is not a regular file",
        ));
    }
    let file = File::open(path).map_err(unread)?;
    let bytes = read_one_past_limit(file, MAX_FILE).map_err(unread)?;
    if bytes.len() as u64 > MAX_FILE {
        let most = MAX_FILE >> 20;
        return Err(ImportError::error_at_place(
            "",
            format_args!("more than {most} MiB"),
        ));
    }
    if ZIP.iter().any(|start| bytes.starts_with(start)) {
        let what = "this is a zip archive, which cannot be read; if it is a log of Inspect (.eval), convert it \
                    first: inspect log dump FILE > log.json";
        return Err(ImportError::error_at_place("", what));
    }
    decode_utf8(&bytes).map(str::to_owned).map_err(|error| {
        ImportError::error_at_place(format!("byte {}", error.offset_of_first_error()), error)
    })
}

/// The files found at the paths that the user named.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FilesToImport {
    /// The files to import, in order and without duplicates.
    pub files: Vec<PathBuf>,
    /// Those of `files` that the user named directly. All others were found in a folder, so they may turn out to be of
    /// another kind.
    pub named: BTreeSet<PathBuf>,
    /// Files in the folders whose names show that they are of another kind, so they are not imported.
    pub others: Vec<PathBuf>,
}

/// Returns the files to import: each named file; for a named folder, its files and those in its subfolders `debates`
/// and `official`. In folders, hidden files and the NYU study's metadata files are left out.
///
/// # Errors
/// If a folder cannot be read, or has no file with an extension of this kind.
pub fn find_files_to_import(
    paths: &[PathBuf],
    kind: ImportFileKind,
) -> Result<FilesToImport, ImportError> {
    let mut all = FilesToImport::default();
    for path in paths {
        if !path.is_dir() {
            all.files.push(path.clone());
            all.named.insert(path.clone());
            continue;
        }
        let before = all.files.len();
        files_in(path, kind, &mut all)?;
        if all.files.len() == before {
            return Err(kind.no_files_error(std::slice::from_ref(path)));
        }
    }
    for files in [&mut all.files, &mut all.others] {
        files.sort();
        files.dedup();
    }
    Ok(all)
}

fn files_in(
    folder: &Path,
    kind: ImportFileKind,
    all: &mut FilesToImport,
) -> Result<(), ImportError> {
    let unread = |error: io::Error| {
        let what = format_args!("cannot be read: {error}");
        ImportError::error_at_place(folder.display().to_string(), what)
    };
    for path in paths_in(folder).map_err(unread)? {
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && INNER.iter().any(|inner| name == *inner) {
            files_in(&path, kind, all)?;
            continue;
        }
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        let is_metadata = METADATA.iter().any(|other| name == *other);
        if is_hidden || is_metadata || !path.is_file() {
            continue;
        }
        let ending = path.extension().unwrap_or_default();
        if kind.endings().iter().any(|it| ending == *it) {
            all.files.push(path);
        } else {
            all.others.push(path);
        }
    }
    Ok(())
}

/// Reads the NYU study's metadata for the given files. The metadata file is in a file's folder or up to two folders
/// above.
///
/// # Errors
/// If a metadata file exists and cannot be read.
pub fn read_study_metadata(
    files: &[PathBuf],
) -> Result<BTreeMap<String, NyuDebateMetadata>, ImportError> {
    let above = files
        .iter()
        .flat_map(|file| file.ancestors().skip(1).take(3));
    let mut known = BTreeMap::new();
    for folder in above.collect::<BTreeSet<&Path>>() {
        let mut there = METADATA.iter().map(|name| folder.join(name));
        let Some(path) = there.find(|path| path.is_file()) else {
            continue;
        };
        let entries = read_text_file(&path).and_then(|text| read_nyu_metadata(&text));
        let named = |error| ImportError::error_at_place(path.display().to_string(), error);
        let entries = entries.map_err(named)?;
        known.extend(entries.into_iter().map(|entry| (entry.name.clone(), entry)));
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_its_debates_and_their_metadata() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("debates/official");
        fs::create_dir_all(&inner).unwrap();
        for name in ["b.json", "a.json", "notes.txt"] {
            fs::write(inner.join(name), "{}").unwrap();
        }
        let line = r#"{"name": "a", "includedInPaper": true}"#;
        fs::write(folder.path().join(METADATA[0]), line).unwrap();
        let paths = [folder.path().to_owned(), inner.join("a.json")];
        let found = find_files_to_import(&paths, ImportFileKind::Nyu).unwrap();
        assert_eq!(found.files, [inner.join("a.json"), inner.join("b.json")]);
        assert_eq!(found.named, BTreeSet::from([inner.join("a.json")]));
        assert_eq!(found.others, [inner.join("notes.txt")]);
        let found = found.files;
        assert_eq!(
            read_study_metadata(&found).unwrap()["a"].included,
            Some(true)
        );
        fs::write(folder.path().join(METADATA[0]), "{").unwrap();
        assert!(
            read_study_metadata(&found)
                .unwrap_err()
                .place
                .contains("debates-metadata")
        );
    }

    #[test]
    fn files_that_are_not_text_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        fs::write(&path, [b'a', 0xff]).unwrap();
        assert_eq!(read_text_file(&path).unwrap_err().place, "byte 1");
        assert!(read_text_file(folder.path()).is_err());
    }

    #[test]
    fn other_documents_are_skipped_and_damaged_ones_are_errors() {
        for (kind, text, included) in [
            (ImportFileKind::Nyu, r#"{"setup": {}}"#, true),
            (ImportFileKind::Nyu, r#"{"by_setting": {}}"#, false),
            (ImportFileKind::Nyu, r#"{"setup": "#, true),
            (ImportFileKind::Nyu, "[]", false),
            (ImportFileKind::Nyu, "", false),
            (
                ImportFileKind::Transcript,
                r#"{"loss": NaN, "eval": {}}"#,
                true,
            ),
            (ImportFileKind::Transcript, "{\"n\": 1}\n{\"n\": 2}", false),
            (
                ImportFileKind::Questions,
                "\n{\"question\": \"Who?\"}\n",
                true,
            ),
            (
                ImportFileKind::Questions,
                "{\"judge\": \"swayed\"}\n",
                false,
            ),
        ] {
            assert_eq!(
                kind.is_this_kind_or_damaged(text),
                included,
                "{kind:?}: {text}"
            );
        }
    }
}
