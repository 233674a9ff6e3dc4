//! Going through the lines of a save, each checked against the chain before it is understood.

use super::chain::{END_CLOSER, EVENT_CLOSER, HEADER_CLOSER, Link, unseal};
use super::error::{Difference, RecordError};
use super::header::{EVENTS_LINE, FIRST_LINE, FORMAT, Header, SECOND_LINE};
use super::line::{Line, MAX_LINE};
use super::save::{END_LINE, End, MAX_SAVE, Save, Torn};
use super::syntax::{Fields, Mistake, excerpt};

/// How the first event's line starts.
const FIRST_EVENT: &[u8] = b"        (n: 1, ";

/// A save up to its first damage.
pub(super) struct Scan {
    pub(super) save: Save,
    pub(super) damage: Option<Damage>,
}

/// A line that is not as it was written.
pub(super) struct Damage {
    pub(super) difference: Difference,
    /// What the line says, where it says something: the rules may know better than the chain
    /// what is wrong with it.
    pub(super) says: Option<Box<Line>>,
}

impl From<Difference> for Damage {
    fn from(difference: Difference) -> Self {
        let says = None;
        Self { difference, says }
    }
}

/// Reads as much of a save as is sound.
pub(super) fn scan(bytes: &[u8]) -> Result<Scan, RecordError> {
    if bytes.len() as u64 > MAX_SAVE {
        return Err(RecordError::TooLarge);
    }
    let mut rows = Rows {
        bytes,
        at: 0,
        line: 0,
    };
    let (header, link) = header(&mut rows)?;
    let save = Save::begin(header, link, rows.at as u64);
    let mut scan = Scan { save, damage: None };
    while let Some(row) = rows.next() {
        scan.damage = event(&mut scan.save, &row).err();
        if scan.damage.is_some() {
            break;
        }
    }
    Ok(scan)
}

/// A line of the file.
struct Row<'b> {
    bytes: &'b [u8],
    /// Its number, from 1.
    line: usize,
    /// Whether it ends in a newline.
    whole: bool,
}

struct Rows<'b> {
    bytes: &'b [u8],
    at: usize,
    line: usize,
}

impl<'b> Rows<'b> {
    fn next(&mut self) -> Option<Row<'b>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        self.line += 1;
        let newline = rest.iter().position(|byte| *byte == b'\n');
        let bytes = rest.get(..newline.unwrap_or(rest.len())).unwrap_or(rest);
        self.at += bytes.len() + usize::from(newline.is_some());
        Some(Row {
            bytes,
            line: self.line,
            whole: newline.is_some(),
        })
    }
}

/// Reads the header and the line after it.
fn header(rows: &mut Rows<'_>) -> Result<(Header, Link), RecordError> {
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
            return Err(Difference {
                line,
                expected: "the header's hash before any event".to_owned(),
                found: format!("`{}`", excerpt(row.bytes)),
            }
            .into());
        }
        if let Some((body, hash)) = unseal(row.bytes, HEADER_CLOSER) {
            let start = rows.at - 1 - row.bytes.len();
            let body = rows.bytes.get(..start + body.len()).unwrap_or(body);
            break (body, hash, line);
        }
    };
    let first = Link::first(body);
    follows(first, hash, line)?;
    let Ok(text) = std::str::from_utf8(body) else {
        return Err(no_save(line, "its header is no UTF-8"));
    };
    let header = Header::read(text)
        .map_err(|Mistake { line, what }| RecordError::NotASave { line, what })?;
    let line = line + 1;
    match rows.next() {
        Some(row) if row.whole && row.bytes == EVENTS_LINE.as_bytes() => Ok((header, first)),
        Some(row) if row.whole || !EVENTS_LINE.as_bytes().starts_with(row.bytes) => {
            Err(Difference {
                line,
                expected: format!("`{}`", EVENTS_LINE.trim()),
                found: format!("`{}`", excerpt(row.bytes)),
            }
            .into())
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

fn follows(due: Link, found: &[u8], line: usize) -> Result<(), Difference> {
    if due.digits() == found {
        return Ok(());
    }
    Err(Difference {
        line,
        expected: format!("the hash {due}, which follows from what stands up to here"),
        found: format!("{}; something was changed", excerpt(found)),
    })
}

/// Takes in one line after the header.
fn event(save: &mut Save, row: &Row<'_>) -> Result<(), Damage> {
    let wrong = |expected: &str| Difference {
        line: row.line,
        expected: expected.to_owned(),
        found: format!("`{}`", excerpt(row.bytes)),
    };
    let is_end = row.bytes.starts_with(END_LINE.trim_end().as_bytes());
    let closer = if is_end { END_CLOSER } else { EVENT_CLOSER };
    if save.end().is_some() {
        return Err(wrong("nothing after the end").into());
    }
    if row.bytes.len() > MAX_LINE {
        return Err(wrong("a shorter line").into());
    }
    if !row.whole {
        if save
            .link()
            .is_whole_line_with_more(row.bytes, closer.as_bytes())
        {
            return Err(wrong("a newline where the line ends").into());
        }
        save.tear(Torn {
            line: row.line,
            bytes: row.bytes.len(),
        });
        return Ok(());
    }
    let (body, hash) = unseal(row.bytes, closer).ok_or_else(|| wrong("an event with its hash"))?;
    let link = save.link().next(body);
    follows(link, hash, row.line).map_err(|difference| Damage {
        difference,
        says: std::str::from_utf8(body)
            .ok()
            .and_then(|body| Line::read(body, row.line).ok())
            .map(Box::new),
    })?;
    let Ok(body) = std::str::from_utf8(body) else {
        return Err(wrong("UTF-8").into());
    };
    let unread = |mistake: Mistake| Difference {
        line: row.line,
        expected: "an event of a debate".to_owned(),
        found: format!("`{}` ({})", excerpt(row.bytes), mistake.what),
    };
    if is_end {
        save.close(row.line, end(body).map_err(unread)?);
    } else {
        save.push(Line::read(body, row.line).map_err(unread)?)?;
    }
    save.grow(link, row.bytes.len() + 1);
    Ok(())
}

fn end(body: &str) -> Result<End, Mistake> {
    let fields = body
        .strip_prefix(END_LINE)
        .ok_or_else(|| "the events end with `],`".to_owned())?;
    let text = format!("({fields})");
    Fields::read("Save", &text)?.required("end")
}
