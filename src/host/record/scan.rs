//! Reading the lines of a save. Each line is checked against the hash chain before it is parsed.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::chain::{
    ChainHash, END_CLOSER, EVENT_CLOSER, HEADER_CLOSER, RawLine, RawLineIterator,
    SAVE_HASH_POSITION,
};
use super::save::{ClosingLine, IncompleteLine, Save};
use super::sidecar::SidecarFolder;
use super::syntax::{
    END_LINE, EVENTS_LINE, FIRST_LINE, FORMAT, MAX_LINE, MAX_SAVE, RonStructFields, SECOND_LINE,
    SaveTextMistake, excerpt_for_error,
};
use super::{Result, SaveDifference, SaveEventLine, SaveFileError, SaveHeader};
use debate_solver::setup::{STDIN, read_one_past_limit};

/// The start of the line of a save's first event.
const FIRST_EVENT: &[u8] = b"        (n: 1, ";

/// The result of reading a save as far as possible, even if it is damaged.
pub(super) struct LenientlyReadSave {
    pub(super) save: Save,
    /// Number of the line in which the header ends, from 1.
    pub(super) header: usize,
    /// The first difference that shows a change of the save, if any. A changed line is still part of `save` if it can
    /// be read; later lines follow from the hashes that the file states.
    pub(super) damage: Option<SaveDifference>,
}

/// Reads as much of a save as possible.
pub(super) fn read_save_despite_damage(bytes: &[u8]) -> Result<LenientlyReadSave> {
    if bytes.len() as u64 > MAX_SAVE {
        return Err(SaveFileError::TooLarge);
    }
    if bytes.starts_with(FIRST_LINE.as_bytes()) && first_line_ends_with_crlf(bytes) {
        return Err(SaveFileError::Converted);
    }
    let mut rows = RawLineIterator::new(bytes);
    let (header, link, mut damage) = header(&mut rows)?;
    let ends = rows.line - 1;
    let mut save = Save {
        header,
        lines: Vec::new(),
        current_moves: Vec::new(),
        end: None,
        stated_costs: None,
        torn: None,
        length: rows.at as u64,
        link,
        sidecars: SidecarFolder::default(),
        first_difference: None,
    };
    for row in rows.by_ref() {
        match event(&mut save, &row) {
            Ok(broken) => damage = damage.or(broken),
            Err(unread) => {
                damage = damage.or(Some(unread));
                break;
            }
        }
    }
    Ok(LenientlyReadSave {
        save,
        header: ends,
        damage,
    })
}

/// True if the first line of a save or log ends with CR LF, although the program writes LF. Other lines are not
/// checked.
pub fn first_line_ends_with_crlf(bytes: &[u8]) -> bool {
    let first = RawLineIterator::new(bytes).next();
    first.is_some_and(|line| line.bytes.ends_with(b"\r"))
}

impl Save {
    /// Reads the file of a save, or the standard input for `-`.
    ///
    /// # Errors
    /// If it cannot be read, is not a save, or is damaged. A torn last line is not damage.
    pub fn read_save(path: &Path) -> Result<Self> {
        Ok(Self::parse(&read_save_file_or_stdin(path)?)?.with_sidecar_folder_of(path))
    }

    /// Reads the bytes of a save without its folder. Files stored beside the save then cannot be read.
    ///
    /// # Errors
    /// If they are not a save or are damaged. A torn last line is not damage.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        match read_save_despite_damage(bytes)? {
            LenientlyReadSave {
                damage: Some(damage),
                ..
            } => Err(damage.into()),
            LenientlyReadSave { save, .. } => Ok(save),
        }
    }
}

impl RawLine<'_> {
    fn differs(&self, expected: &str) -> SaveDifference {
        SaveDifference::new(
            self.line,
            expected,
            format!("`{}`", excerpt_for_error(self.bytes)),
        )
    }
}

/// Reads the header of the save whose file begins with these bytes.
pub(super) fn read_header_of_save(bytes: &[u8]) -> Result<SaveHeader> {
    let (header, ..) = header(&mut RawLineIterator::new(bytes))?;
    Ok(header)
}

/// Reads the header of a save. If only the header's hash is wrong, the header is returned together with the difference.
fn header(
    rows: &mut RawLineIterator<'_>,
) -> Result<(SaveHeader, ChainHash, Option<SaveDifference>)> {
    let no_save = |line, what: &str| {
        let what = what.to_owned();
        SaveFileError::NotASave { line, what }
    };
    let (body, hash, line) = loop {
        let line = rows.line + 1;
        let row = rows.next().ok_or(SaveFileError::CutHeader { line })?;
        let expected = match line {
            1 => FIRST_LINE,
            2 => SECOND_LINE,
            _ => "",
        };
        let alike = if line == 1 && row.whole {
            row.bytes == expected.as_bytes()
        } else if row.whole || row.bytes.len() > expected.len() {
            row.bytes.starts_with(expected.as_bytes())
        } else {
            expected.as_bytes().starts_with(row.bytes)
        };
        if !alike {
            return Err(no_save(
                line,
                &format!("the file should start with `{expected}`"),
            ));
        }
        if !row.whole {
            return Err(SaveFileError::CutHeader { line });
        }
        if line == 2 {
            let format =
                format_of(row.bytes).ok_or_else(|| no_save(2, "the save has no format number"))?;
            if format > u64::from(FORMAT) {
                return Err(SaveFileError::Newer { format });
            }
        }
        // A cut cannot cause this: the end of the header was changed.
        if row.bytes.ends_with(EVENTS_LINE.as_bytes()) || row.bytes.starts_with(FIRST_EVENT) {
            let expected = "the hash of the header before the first event";
            return Err(row.differs(expected).into());
        }
        if let Some((body, hash)) = SAVE_HASH_POSITION.split(row.bytes, HEADER_CLOSER) {
            let start = rows.at - 1 - row.bytes.len();
            let body = rows.bytes.get(..start + body.len()).unwrap_or(body);
            break (body, hash, line);
        }
    };
    let (first, broken) =
        ChainHash::hash_without_previous_line(body).compare_with_stated_hash(hash, line);
    let read = match std::str::from_utf8(body) {
        Ok(text) => SaveHeader::read_header(text)
            .map_err(|SaveTextMistake { line, what }| SaveFileError::NotASave { line, what }),
        Err(_) => Err(no_save(line, "the save's header is not UTF-8")),
    };
    let header = match (read, &broken) {
        (Err(_), Some(broken)) => return Err(broken.clone().into()),
        (read, _) => read?,
    };
    let line = line + 1;
    match rows.next() {
        Some(row) if row.whole && row.bytes == EVENTS_LINE.as_bytes() => {
            Ok((header, first, broken))
        }
        Some(row) if row.whole || !EVENTS_LINE.as_bytes().starts_with(row.bytes) => {
            Err(row.differs(&format!("`{}`", EVENTS_LINE.trim())).into())
        }
        _ => Err(SaveFileError::CutHeader { line }),
    }
}

/// Returns the format number in the second line of a save. Its position is the same in every version of the format.
fn format_of(row: &[u8]) -> Option<u64> {
    let rest = row.strip_prefix(SECOND_LINE.as_bytes())?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()
}

/// Adds one line after the header to the save. A changed line that can be read is also added; the difference is then
/// returned.
fn event(save: &mut Save, row: &RawLine<'_>) -> Result<Option<SaveDifference>, SaveDifference> {
    let wrong = |expected: &str| row.differs(expected);
    let is_end = row.bytes.starts_with(END_LINE.trim_end().as_bytes());
    let closer = if is_end { END_CLOSER } else { EVENT_CLOSER };
    if save.stated_debate_end().is_some() {
        return Err(wrong("no lines after the end of the debate"));
    }
    if row.bytes.len() > MAX_LINE {
        return Err(wrong("a shorter line"));
    }
    if !row.whole {
        if SAVE_HASH_POSITION.is_line_with_changed_end(Some(save.link), row.bytes, closer) {
            return Err(wrong("a newline at the end of the line"));
        }
        let line = row.line;
        let bytes = row.bytes.len();
        save.torn = Some(IncompleteLine { line, bytes });
        return Ok(None);
    }
    let (body, hash) = SAVE_HASH_POSITION
        .split(row.bytes, closer)
        .ok_or_else(|| wrong("the line of an event, with its hash"))?;
    let (link, broken) = save
        .link
        .hash_of_next_line(body)
        .compare_with_stated_hash(hash, row.line);
    let unread = |mistake: SaveTextMistake| {
        let found = format!("`{}` ({})", excerpt_for_error(row.bytes), mistake.what);
        SaveDifference::new(row.line, "an event of a debate", found)
    };
    let taken = match std::str::from_utf8(body) {
        Err(_) => Err(wrong("UTF-8")),
        Ok(body) if is_end => parse_closing_line_without_hash(body)
            .map(|closing| {
                save.end = Some((row.line, closing.end));
                save.stated_costs = closing.costs;
            })
            .map_err(unread),
        Ok(body) => SaveEventLine::read_save_line(body, row.line)
            .map_err(unread)
            .and_then(|line| save.push_with_valid_number_and_undo(line)),
    };
    match (taken, broken) {
        (Err(_), Some(broken)) => Err(broken),
        (Err(unread), None) => Err(unread),
        (Ok(()), broken) => {
            save.link = link;
            save.length += row.bytes.len() as u64 + 1;
            Ok(broken)
        }
    }
}

/// Reads the end of the debate from the closing line without its hash.
pub(super) fn parse_closing_line_without_hash(body: &str) -> Result<ClosingLine, SaveTextMistake> {
    let fields = body
        .strip_prefix(END_LINE)
        .ok_or_else(|| "the save's line after its last event must begin with `],`".to_owned())?;
    let text = format!("({fields})");
    let mut fields = RonStructFields::read_struct_fields("Save", &text)?;
    Ok(ClosingLine {
        end: fields.required("end")?,
        costs: fields.take_field_as_text("costs").map(str::to_owned),
    })
}

/// Returns the bytes of a save's file, or of the standard input for `-`.
pub(super) fn read_save_file_or_stdin(path: &Path) -> Result<Vec<u8>> {
    if path == Path::new(STDIN) {
        return read_save_bytes(io::stdin().lock());
    }
    let opened = || SaveFileError::io_error("opened");
    // Opening a pipe could block forever.
    if !fs::metadata(path).map_err(opened())?.is_file() {
        return Err(SaveFileError::NoPlainFile);
    }
    read_save_bytes(File::open(path).map_err(opened())?)
}

/// Returns all bytes of a reader, unless they exceed the maximum size of a save.
pub(super) fn read_save_bytes(reader: impl io::Read) -> Result<Vec<u8>> {
    let bytes = read_one_past_limit(reader, MAX_SAVE).map_err(SaveFileError::io_error("read"))?;
    if bytes.len() as u64 > MAX_SAVE {
        return Err(SaveFileError::TooLarge);
    }
    Ok(bytes)
}
