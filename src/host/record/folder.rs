//! The folder of saves: its location and its content.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::chain::{END_CLOSER, EVENT_CLOSER, SAVE_HASH_POSITION};
use super::scan::{
    first_line_ends_with_crlf, parse_closing_line_without_hash, read_header_of_save,
};
use super::syntax::{END_LINE, FIRST_LINE, MAX_SAVE};
use super::{
    Result, SaveEventLine, SaveFileError, SaveHeader, SavedDebateEnd, SavedEventKind,
    UserSaveLabel, paths_in,
};
use debate_core::number::{Exact, parse_canonical};
use debate_solver::setup::{check_regular_file, read_one_past_limit, scenario_title};

/// Maximum number of saves that [`list_saves`] returns.
pub const MAX_LISTED: usize = 10_000;

/// Maximum number of bytes of a save's header that [`list_saves`] reads. A save with a larger header is listed
/// without a title.
const MAX_GLANCE: u64 = 1 << 20;

/// Number of bytes at the end of a save that are searched for the last line.
const MAX_END: u64 = 1 << 16;

/// The environment variable that names the folder of saves.
pub const FOLDER_VARIABLE: &str = "DEBATE_TUI_SAVES";

/// Returns the folder of saves: `requested_folder`, else the folder in `DEBATE_TUI_SAVES`, else a folder in the
/// platform's data directory. It need not exist yet.
///
/// # Errors
/// If the platform has no data directory.
pub fn saves_folder(requested_folder: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = requested_folder {
        return Ok(folder.to_owned());
    }
    if let Some(folder) = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty()) {
        return Ok(folder.into());
    }
    directories::ProjectDirs::from("", "", "debate-tui")
        .map(|platform| platform.data_dir().join("saves"))
        .ok_or(SaveFileError::NoFolder)
}

/// Returns the files in a folder that may be saves, sorted by name.
///
/// # Errors
/// If the folder cannot be read.
pub fn list_save_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = paths_in(folder)?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "ron"));
    Ok(paths)
}

/// The progress of a saved debate, found without verification of the save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SavedDebateProgress {
    /// The debate is finished: its save has its closing line.
    Finished,
    /// The debate can be continued.
    Unfinished,
    /// The debate is unfinished, and no player has replied since it began or branched off from another save. Continuing
    /// it is like beginning a new debate.
    Unplayed,
    /// The save's header cannot be read or is too large, or the file cannot be read to its end.
    Unclear,
}

/// A save as an entry of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveListing {
    pub path: PathBuf,
    /// The scenario's title, filled in for the debated instance.
    pub title: Option<String>,
    /// The scenario's title, filled in for the scenario's own instance, as in lists of scenarios.
    pub scenario_title: Option<String>,
    /// The header of the save, if it can be read.
    pub header: Option<SaveHeader>,
    pub condition: SavedDebateProgress,
    /// The end of the debate, if it can be read.
    pub end: Option<SavedDebateEnd>,
    /// The time of the last write to the save.
    pub modified: SystemTime,
    /// The user's label.
    pub label: UserSaveLabel,
}

impl SaveListing {
    /// Reads the entry that lists show for a save; `None` if the file is not a save.
    pub fn read_listing(path: &Path) -> Option<Self> {
        let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
        glance(path.to_owned(), modified.unwrap_or(SystemTime::UNIX_EPOCH))
    }

    /// Returns the name under which lists show the save: the user's label, else the scenario's title, else the file
    /// name.
    pub fn save_name_in_lists(&self) -> String {
        let named = self.label.name.as_ref().or(self.title.as_ref());
        named.cloned().unwrap_or_else(|| {
            let name = self.path.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        })
    }

    /// Returns the prover's payoff at the end of the debate, as the save states it, without verification. `None` if the
    /// debate is unfinished or ended by a forfeit.
    pub fn prover_payoff(&self) -> Option<Exact> {
        match self.end.as_ref()? {
            SavedDebateEnd::Finished { payoff, .. } => parse_canonical(payoff),
            SavedDebateEnd::Forfeit { .. } => None,
        }
    }
}

/// Returns at most [`MAX_LISTED`] saves in a folder, the last written first; empty if the folder does not exist. Files
/// that are not saves, and links, are skipped.
///
/// # Errors
/// If the folder cannot be read.
pub fn list_saves(folder: &Path) -> Result<Vec<SaveListing>> {
    listed(folder, MAX_LISTED, |_| true)
}

/// Returns at most `max_saves` saves in a folder, the last written first. Leaves out unfinished debates without a
/// player's reply ([`SavedDebateProgress::Unplayed`]).
///
/// # Errors
/// As [`list_saves`].
pub fn latest_saves_with_moves(folder: &Path, max_saves: usize) -> Result<Vec<SaveListing>> {
    let has_move = |save: &SaveListing| save.condition != SavedDebateProgress::Unplayed;
    listed(folder, max_saves, has_move)
}

fn listed(
    folder: &Path,
    max_saves: usize,
    wanted: impl Fn(&SaveListing) -> bool,
) -> Result<Vec<SaveListing>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(SaveFileError::saves_folder_error(folder, "read"))?,
    };
    let mut saves: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let named = fs::symlink_metadata(&path).ok()?;
            let fits = named.is_file() && path.extension().is_some_and(|ending| ending == "ron");
            fits.then(|| (named.modified().unwrap_or(SystemTime::UNIX_EPOCH), path))
        })
        .collect();
    // Names contain times and counters, so they order saves that were written at the same moment.
    saves.sort_by(|one, other| other.cmp(one));
    let glances = saves
        .into_iter()
        .filter_map(|(modified, path)| glance(path, modified));
    Ok(glances
        .filter(wanted)
        .take(max_saves.min(MAX_LISTED))
        .collect())
}

/// Reads the entry that lists show for a save; `None` if the file is not a save.
fn glance(path: PathBuf, modified: SystemTime) -> Option<SaveListing> {
    check_regular_file(&path).ok()?;
    let mut file = File::open(&path).ok()?;
    let start = read_one_past_limit(&mut file, MAX_GLANCE).ok()?;
    let line_end = if first_line_ends_with_crlf(&start) {
        "\r\n"
    } else {
        "\n"
    };
    if !start.starts_with(format!("{FIRST_LINE}{line_end}").as_bytes()) {
        return None;
    }
    let header = read_header_of_save(&start).ok();
    // A save that cannot be read to its end is as unclear as one that cannot be parsed.
    let mut end = None;
    let condition = header.as_ref().and_then(|header| {
        if let Some(line) = end_line(&mut file).ok()? {
            end = parse_closing_line_without_hash(&line)
                .ok()
                .map(|closing| closing.end);
            return Some(SavedDebateProgress::Finished);
        }
        Some(if has_move(&mut file, header).ok()? {
            SavedDebateProgress::Unfinished
        } else {
            SavedDebateProgress::Unplayed
        })
    });
    let [title, scenario_title] = match &header {
        Some(header) => {
            [Some(&*header.instance), None].map(|of| scenario_title(&header.scenario, of))
        }
        None => [None, None],
    };
    Some(SaveListing {
        label: UserSaveLabel::read_label_beside_save(&path),
        path,
        title,
        scenario_title,
        header,
        condition: condition.unwrap_or(SavedDebateProgress::Unclear),
        end,
        modified,
    })
}

/// True if a player has replied since the debate began or branched off from another save. Coins do not count.
fn has_move(file: &mut File, header: &SaveHeader) -> io::Result<bool> {
    let taken_over = header.branch.as_ref().map_or(0, |branch| branch.from);
    file.seek(SeekFrom::Start(0))?;
    for row in BufReader::new(file.take(MAX_SAVE)).split(b'\n') {
        let row = row?;
        let body = SAVE_HASH_POSITION.split(&row, EVENT_CLOSER);
        let text = body.and_then(|(body, _)| std::str::from_utf8(body).ok());
        let line = text.and_then(|text| SaveEventLine::read_save_line(text, 0).ok());
        if let Some(SaveEventLine { n, kind, .. }) = line
            && matches!(kind, SavedEventKind::Reply { .. })
            && n > taken_over
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the closing line of the save without its hash, if the save has one.
fn end_line(file: &mut File) -> io::Result<Option<String>> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_END)))?;
    let end = read_one_past_limit(file, MAX_END)?;
    let Some(end) = end.strip_suffix(b"\n") else {
        return Ok(None);
    };
    let last = end.rsplit(|byte| *byte == b'\n').next().unwrap_or(end);
    if !last.starts_with(END_LINE.as_bytes()) {
        return Ok(None);
    }
    let (body, _) = SAVE_HASH_POSITION
        .split(last, END_CLOSER)
        .unwrap_or((last, &[]));
    Ok(Some(String::from_utf8_lossy(body).into_owned()))
}
