//! The reader of a scenario file. It checks names, texts, numbers and sizes, and reads the other files to which the
//! scenario refers: circuits, formulas and the files of players.
//!
//! The name of such a file is a path within the scenario's folder. It cannot leave the folder, neither by
//! `..` nor by an absolute path nor by a link. Each file is recorded with its digest, so that a save can
//! contain or name it.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::io::{self, Read as _};
use std::mem;
use std::path::{Component, Path as FilePath, PathBuf};
use std::sync::Arc;

use num_integer::Integer as _;
use ron::error::SpannedError;
use ron::extensions::Extensions;
use ron::value::RawValue;
use serde::Deserialize;

use super::error::{
    MAX_NAME, MAX_NESTING, ScenarioError, ScenarioLimitFlag, ScenarioSourceText,
    ScenarioTextSource, SourceLocation, describe_rejected_character, escaped_and_shortened_message,
    first_unsafe_character,
};
use super::locator;
use super::written::DecompositionInFile;
use debate_core::digest::Digest;
use debate_core::number::Exact;
use debate_core::scenario::written::parse_probability;
use debate_core::scenario::{Decomposition, ScenarioValueError, ScenarioValuePath};
use debate_core::text::shortened_in_backticks;

/// The text of a scenario file, with the size limits and the other files to which it may refer.
pub(super) struct ScenarioReader<'s> {
    pub(super) source: ScenarioSourceText<'s>,
    pub(super) files: FileLoader<'s>,
}

pub(super) type Result<T, E = ScenarioError> = std::result::Result<T, E>;

/// Returns the parser options for this project's RON files: `Some(…)` is implicit, and nesting is limited.
pub fn ron_options() -> ron::Options {
    ron::Options::default()
        // A bracket and the value in it count separately.
        .with_recursion_limit(2 * MAX_NESTING)
        .with_default_extension(
            Extensions::IMPLICIT_SOME
                | Extensions::UNWRAP_NEWTYPES
                | Extensions::UNWRAP_VARIANT_NEWTYPES,
        )
}

/// Maximum number of bits of the common denominator of the instances' weights. It keeps sums of weights cheap.
const MAX_WEIGHT_BITS: u64 = 4096;

/// A type of problem as a scenario file states it, before it is checked.
pub(super) trait ProblemInFile {
    /// The name of the problem's type in tables and JSON.
    const KIND: &'static str;
    /// The error message for a file that requests a decomposition, if this type of problem has only its own one.
    const OWN_DECOMPOSITION: Option<&'static str> = None;
    type Problem: Decomposition + 'static;

    /// Checks and builds the problem.
    fn problem(
        self,
        reader: &ScenarioReader<'_>,
        method: RequestedDecomposition<'_>,
    ) -> Result<Self::Problem>;

    /// Returns the path of the field `problem` within the scenario file's text.
    fn path() -> ScenarioValuePath {
        ScenarioValuePath::path_of_top_level_field("problem")
    }
}

/// The decomposition that the scenario file requests; `None` if it requests none.
pub(super) type RequestedDecomposition<'m> = Option<&'m DecompositionInFile>;

/// The value of one of two alternative fields, such as `input` and `inputs`.
pub(super) enum OneOfTwoFields<A, B> {
    First(A),
    Second(B),
}

impl ScenarioReader<'_> {
    /// Parses a part of the scenario file. An error names its line and column in the file.
    pub(super) fn parse_slice<'f, T: Deserialize<'f>>(&self, raw: &'f RawValue) -> Result<T> {
        let slice = raw.get_ron();
        ron_options()
            .from_str(slice)
            .map_err(|error| self.parse_error(slice, &error))
    }

    /// Converts the parser's error on a part of the file. An error about a number also names the path of the value.
    pub(super) fn parse_error(&self, slice: &str, error: &SpannedError) -> ScenarioError {
        let offset = self.source.parse_error_offset_in_whole_text(slice, error);
        let values = || locator::nested_values_at_or_before(self.source.text, offset);
        match &error.code {
            ron::Error::Message(what) => {
                let is_wrong =
                    |value| parse_probability(value).is_err_and(|error| error.to_string() == *what);
                if let Some((path, _)) = values().into_iter().rfind(|(_, value)| is_wrong(value)) {
                    return self.scenario_error_in_value(&path.error_at_path(what));
                }
            }
            ron::Error::NoSuchStructField { .. } | ron::Error::MissingStructField { .. } => {
                // The limits of an open argument have no struct name in the file. The parser's error would name the
                // argument instead, so the name is removed.
                let open =
                    ScenarioValuePath::path_of_top_level_field("problem").path_of_field("open");
                if values().iter().any(|(path, _)| *path == open) {
                    return self.source.parse_error(slice, &nameless(error.clone()));
                }
            }
            _ => {}
        }
        self.source.parse_error(slice, error)
    }

    pub(super) fn scenario_error_in_value(&self, flaw: &ScenarioValueError) -> ScenarioError {
        self.source.flaw_error(flaw)
    }

    pub(super) fn flaw_error<T>(
        &self,
        path: &ScenarioValuePath,
        what: impl std::fmt::Display,
    ) -> Result<T> {
        Err(self.scenario_error_in_value(&path.error_at_path(what)))
    }

    /// Checks a one-line text: a title, an id, a label or a name.
    pub(super) fn check_one_line_text(
        &self,
        text: &str,
        path: impl Fn() -> ScenarioValuePath,
    ) -> Result<()> {
        if let Some(bad) = first_unsafe_character(text, false) {
            return Err(self.bad_character(bad, &path()));
        }
        if text.len() > MAX_NAME && text.chars().count() > MAX_NAME {
            return self.flaw_error(
                &path(),
                format_args!("this text has more than {MAX_NAME} characters; shorten it"),
            );
        }
        Ok(())
    }

    /// Returns a multi-line text with normalised tabs and line ends, after checking its length and characters.
    pub(super) fn checked_prose(
        &self,
        mut text: String,
        path: impl Fn() -> ScenarioValuePath,
    ) -> Result<String> {
        if text.contains('\r') {
            text = text.replace("\r\n", "\n");
        }
        if let Some(bad) = first_unsafe_character(&text, true) {
            return Err(self.bad_character(bad, &path()));
        }
        // A character has at least one byte, and counting bytes is faster.
        if text.len() > self.source.limits.text {
            let count = text.chars().count() as u128;
            self.limit(ScenarioLimitFlag::Text, count, path, "characters")?;
        }
        if text.contains('\t') {
            text = text.replace('\t', "    ");
        }
        Ok(text)
    }

    /// Checks a multi-line text. Normalises its tabs and line ends in place.
    pub(super) fn normalise_lines(
        &self,
        text: &mut String,
        path: impl Fn() -> ScenarioValuePath,
    ) -> Result<()> {
        *text = self.checked_prose(mem::take(text), path)?;
        Ok(())
    }

    pub(super) fn check_optional_prose(
        &self,
        text: Option<String>,
        path: impl Fn() -> ScenarioValuePath,
    ) -> Result<Option<String>> {
        text.map(|text| self.checked_prose(text, path)).transpose()
    }

    /// Returns an error if a text is blank. `what` names the remedy.
    pub(super) fn check_not_blank(
        &self,
        text: &str,
        path: impl Fn() -> ScenarioValuePath,
        what: &str,
    ) -> Result<()> {
        if text.trim().is_empty() {
            return self.flaw_error(&path(), what);
        }
        Ok(())
    }

    fn bad_character(&self, bad: char, path: &ScenarioValuePath) -> ScenarioError {
        let character = describe_rejected_character(bad);
        let code = u32::from(bad);
        self.scenario_error_in_value(&path.error_at_path(match bad {
            '\n' | '\r' | '\t' => {
                format!("{character} (U+{code:04X}) is not allowed here; remove it")
            }
            _ => format!("{character} (U+{code:04X}) could disturb a terminal; remove it"),
        }))
    }

    /// Checks that no key of a map occurs twice, and that each key is a valid one-line text.
    pub(super) fn check_unique_keys<T>(
        &self,
        entries: &[(String, T)],
        path: impl Fn() -> ScenarioValuePath,
    ) -> Result<()> {
        let mut seen = HashSet::with_capacity(entries.len());
        for (key, _) in entries {
            self.check_one_line_text(key, || path().then_map_entry(key))?;
            if !seen.insert(key.as_str()) {
                return self.flaw_error(
                    &path().then_map_entry(key),
                    "this key occurs twice; remove one, or give each entry its own key",
                );
            }
        }
        Ok(())
    }

    /// Returns an error if `count` exceeds a size limit. `noun` is the plural noun for the message.
    pub(super) fn limit(
        &self,
        flag: ScenarioLimitFlag,
        count: u128,
        path: impl FnOnce() -> ScenarioValuePath,
        noun: &str,
    ) -> Result<()> {
        self.source.limit(flag, count, path, noun)
    }

    pub(super) fn check_decomposition_depth(
        &self,
        depth: u32,
        path: &ScenarioValuePath,
    ) -> Result<()> {
        self.source.check_depth_limit(depth, path)
    }

    /// Checks a number of subclaims.
    pub(super) fn check_subclaim_count(
        &self,
        subclaim_count: usize,
        path: impl Fn() -> ScenarioValuePath,
    ) -> Result<()> {
        let noun = "subclaims in one support";
        self.limit(ScenarioLimitFlag::Width, subclaim_count as u128, path, noun)
    }

    /// Returns the value of the one of two alternative fields that the file gives. Exactly one must be given.
    pub(super) fn exactly_one_of<A, B>(
        &self,
        at: &ScenarioValuePath,
        [field, other_field]: [&'static str; 2],
        given: (Option<A>, Option<B>),
        neither: &str,
    ) -> Result<OneOfTwoFields<A, B>> {
        match given {
            (Some(first), None) => Ok(OneOfTwoFields::First(first)),
            (None, Some(second)) => Ok(OneOfTwoFields::Second(second)),
            (None, None) => self.flaw_error(at, neither),
            (Some(_), Some(_)) => self.flaw_error(
                &at.path_of_field(other_field),
                format_args!("`{field}` and `{other_field}` exclude each other; remove one"),
            ),
        }
    }

    /// Checks the weight of an instance, so that sums of weights stay short. `common` is the common denominator of the
    /// earlier weights, and is extended by this one.
    pub(super) fn check_weight(
        &self,
        weight: &Exact,
        common: &mut num_bigint::BigInt,
        path: impl Fn() -> ScenarioValuePath,
    ) -> Result<()> {
        *common = common.lcm(weight.denom());
        if common.bits() > MAX_WEIGHT_BITS {
            return self.flaw_error(
                &path(),
                "the common denominator of the weights up to this one is too large; write whole numbers",
            );
        }
        Ok(())
    }

    /// Returns the bytes of a file in the scenario's folder. An error names the place that refers to the file.
    pub(super) fn read_file(
        &self,
        name: &str,
        path: impl Fn() -> ScenarioValuePath,
    ) -> Result<Arc<[u8]>> {
        self.check_one_line_text(name, &path)?;
        if !names_file_inside_folder(name) {
            return self.flaw_error(
                &path(),
                format_args!(
                    "{} is outside the scenario's folder; put the file beside the scenario and \
                     write its name",
                    shortened_in_backticks(name)
                ),
            );
        }
        let most = self.source.limits.file;
        let file = self.files.load_file(name, most).map_err(|cause| {
            self.scenario_error_in_value(&path().error_at_path(format_args!(
                "{file} cannot be read: {cause}",
                file = shortened_in_backticks(name)
            )))
        })?;
        if file.bytes.len() as u64 > most {
            let what = format!(
                "{file} has more than {most} bytes",
                file = shortened_in_backticks(name)
            );
            return Err(self
                .source
                .too_large_error(ScenarioLimitFlag::File, &path(), &what));
        }
        Ok(file.bytes)
    }

    /// Creates the error for a line of another file in the scenario's folder.
    pub(super) fn line_error(name: &str, line: usize, what: &str) -> ScenarioError {
        ScenarioError::Malformed {
            place: SourceLocation {
                origin: escaped_and_shortened_message(name),
                line,
                column: 1,
            },
            what: escaped_and_shortened_message(what),
        }
    }
}

/// Removes the name of the enclosing struct from the parser's error about a field.
fn nameless(mut error: SpannedError) -> SpannedError {
    if let ron::Error::NoSuchStructField { outer, .. }
    | ron::Error::MissingStructField { outer, .. } = &mut error.code
    {
        *outer = None;
    }
    error
}

/// A file to which a scenario refers, with its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioInputFile {
    /// The file's name as the scenario file or the user writes it.
    pub name: String,
    pub digest: Digest,
    pub bytes: Arc<[u8]>,
}

impl ScenarioInputFile {
    pub fn new(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        Self {
            name: name.into(),
            digest: Digest::digest_of_bytes(&bytes),
            bytes,
        }
    }
}

enum FileSource<'s> {
    /// The scenario's folder.
    Folder(PathBuf),
    /// Only the given files are available, such as those of a save.
    Given(&'s [ScenarioInputFile]),
}

/// Provides the files to which a scenario may refer, and records those that were read.
pub(super) struct FileLoader<'s> {
    source: FileSource<'s>,
    read: RefCell<Vec<ScenarioInputFile>>,
}

impl<'s> FileLoader<'s> {
    /// Provides the files in the scenario's folder; none if the scenario does not come from a file.
    pub(super) fn loader_in_scenario_folder(origin: &ScenarioTextSource) -> Self {
        let source = match origin {
            ScenarioTextSource::File(path) => {
                let folder = path.parent().filter(|folder| *folder != FilePath::new(""));
                FileSource::Folder(folder.unwrap_or_else(|| FilePath::new(".")).to_owned())
            }
            ScenarioTextSource::Bundled(_) | ScenarioTextSource::Text(_) => FileSource::Given(&[]),
        };
        Self {
            source,
            read: RefCell::default(),
        }
    }

    pub(super) fn loader_of_given_files(files: &'s [ScenarioInputFile]) -> Self {
        Self {
            source: FileSource::Given(files),
            read: RefCell::default(),
        }
    }

    pub(super) fn loaded_file_count(&self) -> usize {
        self.read.borrow().len()
    }

    /// Returns the files that were read, each once.
    pub(super) fn into_loaded_files(self) -> Vec<ScenarioInputFile> {
        self.read.into_inner()
    }

    pub(super) fn load_file(&self, name: &str, max_bytes: u64) -> io::Result<ScenarioInputFile> {
        let is_named = |file: &&ScenarioInputFile| file.name == name;
        if let Some(file) = self.read.borrow().iter().find(is_named) {
            return Ok(file.clone());
        }
        let file = match &self.source {
            FileSource::Given(files) => {
                let missing = || {
                    io::Error::new(
                        io::ErrorKind::NotFound,
                        "the scenario comes with no such \
                                                                          file",
                    )
                };
                files.iter().find(is_named).cloned().ok_or_else(missing)?
            }
            FileSource::Folder(folder) => {
                ScenarioInputFile::new(name, read_within(folder, name, max_bytes)?)
            }
        };
        self.read.borrow_mut().push(file.clone());
        Ok(file)
    }
}

/// Reads a regular file. Reads at most `max_bytes` + 1 bytes; the extra byte shows that the file is too long.
pub(super) fn read_regular_file_one_past_limit(
    path: &FilePath,
    max_bytes: u64,
) -> io::Result<Vec<u8>> {
    check_regular_file(path)?;
    read_one_past_limit(fs::File::open(path)?, max_bytes)
}

/// Returns an error if the path is not a regular file. Opening a pipe or a device could block forever.
///
/// # Errors
/// Returns an error if the file is not a regular file, or does not exist.
pub fn check_regular_file(path: &FilePath) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::other("the file is not a regular file"))
}

/// Reads at most `max_bytes` + 1 bytes; the extra byte shows that the input is too long. The reported length is not
/// used, because a device is endless.
///
/// # Errors
/// Returns the reader's error.
pub fn read_one_past_limit(reader: impl io::Read, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader
        .take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file within a folder. Reads at most `most` + 1 bytes; the extra byte shows that the file is too long.
fn read_within(folder: &FilePath, name: &str, most: u64) -> io::Result<Vec<u8>> {
    let (folder, path) = (folder.canonicalize()?, folder.join(name).canonicalize()?);
    if !path.starts_with(&folder) {
        let what = "the file is a link to a file outside the scenario's folder";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
    }
    read_regular_file_one_past_limit(&path, most)
}

/// True if no part of a file name leads out of the folder in which it is looked up. A link still can; `read_within`
/// checks links.
pub(super) fn names_file_inside_folder(name: &str) -> bool {
    let path = FilePath::new(name);
    !name.is_empty()
        && !name.contains('\\')
        && path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}
