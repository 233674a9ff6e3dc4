//! Going through the lines of a save, each checked against the chain before it is understood.

use super::chain::{ChainHash, END_CLOSER, EVENT_CLOSER, HEADER_CLOSER, split_hash};
use super::error::{Difference, RecordError};
use super::format::{END_LINE, EVENTS_LINE, FIRST_LINE, FORMAT, MAX_LINE, MAX_SAVE, SECOND_LINE};
use super::header::Header;
use super::line::SaveLine;
use super::save::{ClosingLine, Save, TornLine};
use super::syntax::{Fields, Mistake, excerpt};

/// The start of the first event's line.
const FIRST_EVENT: &[u8] = b"        (n: 1, ";

/// As much of a save as can be read.
pub(super) struct Scan {
    pub(super) save: Save,
    /// The line, from 1, in which the header ends.
    pub(super) header: usize,
    /// The first line that is not as it was written. What it says is in the save where it says
    /// something, and so is what follows it: those lines follow from the hashes that are stated.
    pub(super) damage: Option<Difference>,
}

/// Reads as much of a save as can be read.
pub(super) fn scan(bytes: &[u8]) -> Result<Scan, RecordError> {
    if bytes.len() as u64 > MAX_SAVE {
        return Err(RecordError::TooLarge);
    }
    let mut rows = RawLines::new(bytes);
    let (header, link, mut damage) = header(&mut rows)?;
    let ends = rows.line - 1;
    let mut save = Save::begin(header, link, rows.at as u64);
    while let Some(row) = rows.next() {
        match event(&mut save, &row) {
            Ok(broken) => damage = damage.or(broken),
            Err(unread) => {
                damage = damage.or(Some(unread));
                break;
            }
        }
    }
    Ok(Scan {
        save,
        header: ends,
        damage,
    })
}

/// A line of the file.
struct RawLine<'b> {
    bytes: &'b [u8],
    /// From 1.
    line: usize,
    /// True if it ends in a newline.
    whole: bool,
}

impl RawLine<'_> {
    fn differs(&self, expected: &str) -> Difference {
        Difference::new(self.line, expected, format!("`{}`", excerpt(self.bytes)))
    }
}

struct RawLines<'b> {
    bytes: &'b [u8],
    at: usize,
    line: usize,
}

impl<'b> RawLines<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        let (at, line) = (0, 0);
        Self { bytes, at, line }
    }

    fn next(&mut self) -> Option<RawLine<'b>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        self.line += 1;
        let newline = rest.iter().position(|byte| *byte == b'\n');
        let bytes = rest.get(..newline.unwrap_or(rest.len())).unwrap_or(rest);
        self.at += bytes.len() + usize::from(newline.is_some());
        Some(RawLine {
            bytes,
            line: self.line,
            whole: newline.is_some(),
        })
    }
}

/// The header of a save, of which this is the beginning.
pub(super) fn header_of(bytes: &[u8]) -> Result<Header, RecordError> {
    let (header, ..) = header(&mut RawLines::new(bytes))?;
    Ok(header)
}

/// Reads the header and the line after it. Where its hash alone is wrong, that is the difference.
fn header(rows: &mut RawLines<'_>) -> Result<(Header, ChainHash, Option<Difference>), RecordError> {
    let no_save = |line, what: &str| RecordError::NotASave {
        line,
        what: what.to_owned(),
    };
    let (body, hash, line) = loop {
        let line = rows.line + 1;
        let row = rows.next().ok_or(RecordError::CutHeader { line })?;
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
            return Err(no_save(line, &format!("it should start with `{expected}`")));
        }
        if !row.whole {
            return Err(RecordError::CutHeader { line });
        }
        if line == 2 {
            let format = format_of(row.bytes).ok_or_else(|| no_save(2, "it says no format"))?;
            if format > u64::from(FORMAT) {
                return Err(RecordError::Newer { format });
            }
        }
        // No cut does this: the end of the header was changed.
        if row.bytes.ends_with(EVENTS_LINE.as_bytes()) || row.bytes.starts_with(FIRST_EVENT) {
            let expected = "the header's hash before any event";
            return Err(row.differs(expected).into());
        }
        if let Some((body, hash)) = split_hash(row.bytes, HEADER_CLOSER) {
            let start = rows.at - 1 - row.bytes.len();
            let body = rows.bytes.get(..start + body.len()).unwrap_or(body);
            break (body, hash, line);
        }
    };
    let (first, broken) = ChainHash::first(body).compare(hash, line);
    let read = match std::str::from_utf8(body) {
        Ok(text) => Header::read(text)
            .map_err(|Mistake { line, what }| RecordError::NotASave { line, what }),
        Err(_) => Err(no_save(line, "its header is no UTF-8")),
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
        _ => Err(RecordError::CutHeader { line }),
    }
}

/// The format that the second line says. It stands at the same place in every version.
fn format_of(row: &[u8]) -> Option<u64> {
    let rest = row.strip_prefix(SECOND_LINE.as_bytes())?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()
}

/// Takes in one line after the header. Returns what is wrong with a line that was taken in.
fn event(save: &mut Save, row: &RawLine<'_>) -> Result<Option<Difference>, Difference> {
    let wrong = |expected: &str| row.differs(expected);
    let is_end = row.bytes.starts_with(END_LINE.trim_end().as_bytes());
    let closer = if is_end { END_CLOSER } else { EVENT_CLOSER };
    if save.end().is_some() {
        return Err(wrong("nothing after the end"));
    }
    if row.bytes.len() > MAX_LINE {
        return Err(wrong("a shorter line"));
    }
    if !row.whole {
        if save
            .link()
            .is_whole_line_with_more(row.bytes, closer.as_bytes())
        {
            return Err(wrong("a newline where the line ends"));
        }
        save.tear(TornLine {
            line: row.line,
            bytes: row.bytes.len(),
        });
        return Ok(None);
    }
    let (body, hash) =
        split_hash(row.bytes, closer).ok_or_else(|| wrong("an event with its hash"))?;
    let (link, broken) = save.link().next(body).compare(hash, row.line);
    let unread = |mistake: Mistake| {
        let found = format!("`{}` ({})", excerpt(row.bytes), mistake.what);
        Difference::new(row.line, "an event of a debate", found)
    };
    let taken = match std::str::from_utf8(body) {
        Err(_) => Err(wrong("UTF-8")),
        Ok(body) if is_end => end_of(body)
            .map(|end| save.close(row.line, end))
            .map_err(unread),
        Ok(body) => SaveLine::read(body, row.line)
            .map_err(unread)
            .and_then(|line| save.push(line)),
    };
    match (taken, broken) {
        (Err(_), Some(broken)) => Err(broken),
        (Err(unread), None) => Err(unread),
        (Ok(()), broken) => {
            save.grow(link, row.bytes.len() + 1);
            Ok(broken)
        }
    }
}

/// The end that the closing line says, without its hash.
pub(super) fn end_of(body: &str) -> Result<ClosingLine, Mistake> {
    let fields = body
        .strip_prefix(END_LINE)
        .ok_or_else(|| "the events end with `],`".to_owned())?;
    let text = format!("({fields})");
    let mut fields = Fields::read("Save", &text)?;
    Ok(ClosingLine {
        end: fields.required("end")?,
        costs: fields.raw("costs").map(str::to_owned),
    })
}
