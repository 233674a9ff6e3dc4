//! The folder of saves: where it is, and what is in it.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::chain::{END_CLOSER, EVENT_CLOSER, SAVE_SEAL};
use super::scan::{end_of, header_of, is_converted};
use super::syntax::{END_LINE, FIRST_LINE, Fields, MAX_SAVE};
use super::{Header, LineKind, RecordError, Result, SaveEnd, SaveLabel, SaveLine, paths_in};
use debate_core::number::{Exact, read_canonical};
use debate_solver::setup::{check_plain, read_at_most};

/// The most saves that [`list`] tells of.
pub const MAX_LISTED: usize = 10_000;

/// The most bytes of a save's header that [`list`] reads. A larger one is listed without a title.
const MAX_GLANCE: u64 = 1 << 20;

/// The most bytes from the end in which the last line is looked for.
const MAX_END: u64 = 1 << 16;

/// The environment variable that names the folder.
pub const FOLDER_VARIABLE: &str = "DEBATE_TUI_SAVES";

/// The folder of saves: the one that was asked for, else the one that `DEBATE_TUI_SAVES`
/// names, else one in the platform's folder for data. It need not exist yet.
///
/// # Errors
/// If the platform names no folder for data.
pub fn folder(asked: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = asked {
        return Ok(folder.to_owned());
    }
    if let Some(folder) = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) {
        return Ok(folder.into());
    }
    directories::ProjectDirs::from("", "", "debate-tui")
        .map(|platform| platform.data_dir().join("saves"))
        .ok_or(RecordError::NoFolder)
}

/// The files in a folder that may be saves, by their names.
///
/// # Errors
/// If the folder cannot be read.
pub fn files_of_saves(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = paths_in(folder)?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "ron"));
    Ok(paths)
}

/// The state of a save at a glance. Nothing of it was verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveCondition {
    /// With its closing line.
    Finished,
    /// A debate that can go on.
    Unfinished,
    /// Not finished either, and no person has replied in it: there is nothing in it to go on
    /// with.
    Unplayed,
    /// The header cannot be read, or is too large to be read at a glance.
    Unclear,
}

/// A save as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveListing {
    pub path: PathBuf,
    /// The scenario's title.
    pub title: Option<String>,
    /// The header, where it can be read.
    pub header: Option<Header>,
    pub condition: SaveCondition,
    /// Its end, where it has one that can be read.
    pub end: Option<SaveEnd>,
    /// When it was last written to.
    pub modified: SystemTime,
    /// A person's note about it.
    pub label: SaveLabel,
}

impl SaveListing {
    /// A save at a glance; `None` where it is none.
    pub fn read(path: &Path) -> Option<Self> {
        let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
        glance(path.to_owned(), modified.unwrap_or(SystemTime::UNIX_EPOCH))
    }

    /// The name for people: their own, else the scenario's title, else the file's name.
    pub fn name(&self) -> String {
        let named = self.label.name.as_ref().or(self.title.as_ref());
        named.cloned().unwrap_or_else(|| {
            let name = self.path.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        })
    }

    /// The payoff to the prover at its end. Nothing of it was verified.
    pub fn payoff(&self) -> Option<Exact> {
        match self.end.as_ref()? {
            SaveEnd::Finished { payoff, .. } => read_canonical(payoff),
            SaveEnd::Forfeit { .. } => None,
        }
    }
}

/// The saves in a folder, the last written first; none where there is no such folder. Files that
/// are no saves, and links, are passed over.
///
/// # Errors
/// If the folder cannot be read.
pub fn list(folder: &Path) -> Result<Vec<SaveListing>> {
    listed(folder, MAX_LISTED, |_| true)
}

/// The saves in which somebody has played, the last written first, `most` of them.
///
/// # Errors
/// As [`list`].
pub fn latest(folder: &Path, most: usize) -> Result<Vec<SaveListing>> {
    let is_played = |save: &SaveListing| save.condition != SaveCondition::Unplayed;
    listed(folder, most, is_played)
}

fn listed(
    folder: &Path,
    most: usize,
    wanted: impl Fn(&SaveListing) -> bool,
) -> Result<Vec<SaveListing>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(RecordError::folder(folder, "read"))?,
    };
    let mut saves: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let named = fs::symlink_metadata(&path).ok()?;
            let fits = named.is_file() && path.extension().is_some_and(|ending| ending == "ron");
            fits.then(|| (named.modified().unwrap_or(SystemTime::UNIX_EPOCH), path))
        })
        .collect();
    // The names carry times and counters, which tell apart what was written at the same moment.
    saves.sort_by(|one, other| other.cmp(one));
    let glances = saves
        .into_iter()
        .filter_map(|(modified, path)| glance(path, modified));
    Ok(glances.filter(wanted).take(most.min(MAX_LISTED)).collect())
}

/// A save at a glance; `None` where it is none.
fn glance(path: PathBuf, modified: SystemTime) -> Option<SaveListing> {
    check_plain(&path).ok()?;
    let mut file = File::open(&path).ok()?;
    let start = read_at_most(&mut file, MAX_GLANCE).ok()?;
    let line_end = if is_converted(&start) { "\r\n" } else { "\n" };
    if !start.starts_with(format!("{FIRST_LINE}{line_end}").as_bytes()) {
        return None;
    }
    let header = header_of(&start).ok();
    // What cannot be read to its end is as unclear as what cannot be understood.
    let mut end = None;
    let condition = header.as_ref().and_then(|header| {
        if let Some(line) = end_line(&mut file).ok()? {
            end = end_of(&line).ok().map(|closing| closing.end);
            return Some(SaveCondition::Finished);
        }
        Some(if is_played(&mut file, header).ok()? {
            SaveCondition::Unfinished
        } else {
            SaveCondition::Unplayed
        })
    });
    let title = header.as_ref().and_then(|header| {
        let mut fields = Fields::read("Scenario", &header.scenario).ok()?;
        fields.required("title").ok()
    });
    Some(SaveListing {
        label: SaveLabel::read(&path),
        path,
        title,
        header,
        condition: condition.unwrap_or(SaveCondition::Unclear),
        end,
        modified,
    })
}

/// True if a person has replied since the debate began or branched off.
fn is_played(file: &mut File, header: &Header) -> io::Result<bool> {
    let taken_over = header.branch.as_ref().map_or(0, |branch| branch.from);
    file.seek(SeekFrom::Start(0))?;
    for row in BufReader::new(file.take(MAX_SAVE)).split(b'\n') {
        let row = row?;
        let body = SAVE_SEAL.split(&row, EVENT_CLOSER);
        let text = body.and_then(|(body, _)| std::str::from_utf8(body).ok());
        let line = text.and_then(|text| SaveLine::read(text, 0).ok());
        if let Some(SaveLine { n, kind, .. }) = line
            && let LineKind::Reply { seat, .. } = kind
            && n > taken_over
            && header.player(seat) == Some("human")
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The closing line without its hash, where there is one.
fn end_line(file: &mut File) -> io::Result<Option<String>> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_END)))?;
    let end = read_at_most(file, MAX_END)?;
    let Some(end) = end.strip_suffix(b"\n") else {
        return Ok(None);
    };
    let last = end.rsplit(|byte| *byte == b'\n').next().unwrap_or(end);
    if !last.starts_with(END_LINE.as_bytes()) {
        return Ok(None);
    }
    let (body, _) = SAVE_SEAL.split(last, END_CLOSER).unwrap_or((last, &[]));
    Ok(Some(String::from_utf8_lossy(body).into_owned()))
}
