//! Lines of tables of comma-separated values (RFC 4180), for spreadsheets and data frames.
//!
//! By hand: cells with spaces at their ends are quoted, because some readers cut them off; the
//! writer of `csv` leaves them bare. The tests read every line back with `csv`.

use serde::Serialize;
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use debate_core::text::safe;

/// A line without its end: commas between the cells, quotation marks where they are needed.
///
/// ```
/// use debate_text::table::line;
/// assert_eq!(line(["1", "who, and \"how\""]), "1,\"who, and \"\"how\"\"\"");
/// ```
pub fn line<Cell: AsRef<str>>(cells: impl IntoIterator<Item = Cell>) -> String {
    let mut line = String::new();
    for (place, cell) in cells.into_iter().enumerate() {
        if place > 0 {
            line.push(',');
        }
        let cell = cell.as_ref();
        if cell.contains([',', '"', '\n', '\r']) || cell.trim() != cell {
            line.push('"');
            line.push_str(&cell.replace('"', "\"\""));
            line.push('"');
        } else {
            line.push_str(cell);
        }
    }
    line
}

/// The header of a table: the names of its columns, with commas between them.
pub fn header(names: &str) -> Vec<String> {
    names.split(',').map(str::to_owned).collect()
}

/// A row of a table: the values of a document at these places, such as `payoff.ci95.0`, with commas between them. A place
/// without a value leaves its cell empty.
pub fn row(document: &impl Serialize, places: &str) -> Vec<String> {
    let document = serde_json::to_value(document).unwrap_or_default();
    let cell = |place: &str| match document.pointer(&format!("/{}", place.replace('.', "/"))) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(words)) => text(words),
        Some(Value::Number(number)) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => number.to_string(),
            None => number.to_string(),
        },
        Some(other) => other.to_string(),
    };
    places.split(',').map(cell).collect()
}

/// Rows for people: each column is as wide as its widest cell, two spaces from the next.
pub fn aligned<Row: AsRef<[String]>>(rows: &[Row]) -> Vec<String> {
    let columns = rows.iter().map(|row| row.as_ref().len()).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.as_ref().get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let padded = rows.iter().map(|row| {
        let cells = row.as_ref().iter().zip(&widths);
        let cells =
            cells.map(|(cell, width)| format!("  {cell}{}", " ".repeat(width - cell.width())));
        cells.collect::<String>().trim_end().to_owned()
    });
    padded.collect()
}

/// A text as a cell of one line that no spreadsheet takes for a formula: one that would be has an
/// apostrophe before it.
///
/// ```
/// use debate_text::table::text;
/// assert_eq!(text("=1+1"), "'=1+1");
/// assert_eq!(text("stubborn(0.5)"), "stubborn(0.5)");
/// ```
pub fn text(text: &str) -> String {
    let text = text.replace(['\n', '\t'], " ");
    let text = safe(&text);
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']);
    if formula {
        format!("'{text}")
    } else {
        text.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::line;

    proptest! {
        // A mark of byte order at the start of a file is no part of its text.
        #[test]
        fn a_line_is_read_back_as_it_was(cells in prop::collection::vec("[^\\u{feff}]{0,12}|[ ,\"\r\n]{0,4}", 2..6)) {
            let text = line(&cells) + "\n";
            let mut reader = csv::ReaderBuilder::new();
            let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
            let read: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("a table");
            prop_assert_eq!(read.len(), 1);
            prop_assert_eq!(read[0].iter().collect::<Vec<_>>(), cells);
        }
    }
}
