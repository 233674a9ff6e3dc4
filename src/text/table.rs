//! Tables: as text for pages ([`TextTable`]), and as lines of comma-separated values (RFC 4180) for spreadsheets and
//! data frames.
//!
//! The crate `csv` leaves cells with leading or trailing spaces unquoted, and some readers then remove the spaces.
//! Therefore [`csv_line()`] quotes such cells itself. The tests read every line back with `csv`.

use serde::Serialize;
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use debate_core::text::replace_unsafe_characters;

/// Formats the cells of a row as a line of comma-separated values, without a line end. Cells are quoted if necessary.
///
/// ```
/// use debate_text::table::csv_line;
/// assert_eq!(csv_line(["1", "who, and \"how\""]), "1,\"who, and \"\"how\"\"\"");
/// ```
pub fn csv_line<Cell: AsRef<str>>(cells: impl IntoIterator<Item = Cell>) -> String {
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

/// Splits the comma-separated column names `names` into the header row of a CSV table.
pub fn csv_header_from_comma_list(names: &str) -> Vec<String> {
    names.split(',').map(str::to_owned).collect()
}

/// Returns a row of a table with values from a JSON document. Their paths, such as `payoff.ci95.0`, are separated by
/// commas. A path without a value gives an empty cell.
pub fn csv_row(document: &impl Serialize, paths: &str) -> Vec<String> {
    let document = serde_json::to_value(document).unwrap_or_default();
    let cell = |place: &str| match document.pointer(&format!("/{}", place.replace('.', "/"))) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(words)) => spreadsheet_safe_cell_text(words),
        Some(Value::Number(number)) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => number.to_string(),
            None => number.to_string(),
        },
        Some(other) => other.to_string(),
    };
    paths.split(',').map(cell).collect()
}

/// The alignment of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnAlignment {
    Left,
    Right,
}

/// A text table for pages. Its first row contains the names of the columns.
///
/// ```
/// use debate_text::table::{ColumnAlignment, TextTable};
/// let mut table = TextTable::new([("player", ColumnAlignment::Left), ("points", ColumnAlignment::Right)]);
/// table.row(["honest", "12"]);
/// assert_eq!(table.aligned_table_lines(), ["player  points", "honest      12"]);
/// ```
#[derive(Clone, Debug)]
pub struct TextTable {
    columns: Vec<ColumnAlignment>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// Creates a table without rows, with columns of these names.
    pub fn new<Name: Into<String>>(
        columns: impl IntoIterator<Item = (Name, ColumnAlignment)>,
    ) -> Self {
        let named = columns
            .into_iter()
            .map(|(name, align)| (align, name.into()));
        let (columns, names) = named.unzip();
        Self {
            columns,
            rows: vec![names],
        }
    }

    /// Adds a row with a cell for each column. Missing cells are empty; extra cells are dropped.
    pub fn row<Cell: Into<String>>(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut row: Vec<String> = cells.into_iter().map(Into::into).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// Returns the table without the columns that contain only this cell.
    #[must_use]
    pub fn without_columns_filled_with(&self, cell: &str) -> Self {
        let is_kept = |column: &usize| self.rows.iter().skip(1).any(|row| row[*column] != cell);
        let kept: Vec<usize> = (0..self.columns.len()).filter(is_kept).collect();
        let rows = self.rows.iter();
        Self {
            columns: kept.iter().map(|column| self.columns[*column]).collect(),
            rows: rows
                .map(|row| kept.iter().map(|column| row[*column].clone()).collect())
                .collect(),
        }
    }

    /// Returns the cells of all rows, beginning with the names of the columns.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Formats the table as lines of text. Columns are two spaces apart, and each column is as wide as its widest cell.
    pub fn aligned_table_lines(&self) -> Vec<String> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut lines = Vec::new();
        for row in &self.rows {
            let mut line = String::new();
            for (place, cell) in row.iter().enumerate() {
                if place > 0 {
                    line += "  ";
                }
                let space = " ".repeat(widths[place] - cell.width());
                if self.columns[place] == ColumnAlignment::Right {
                    line += &space;
                    line += cell;
                } else {
                    line += cell;
                    line += &space;
                }
            }
            lines.push(line.trim_end().to_owned());
        }
        lines
    }

    /// Returns the table in Markdown.
    pub fn markdown(&self) -> String {
        let rule = vec!["---"; self.columns.len()].join(" | ");
        let mut rows = self
            .rows
            .iter()
            .map(|row| format!("| {} |\n", row.join(" | ")));
        let names = rows.next().unwrap_or_default();
        format!("{names}| {rule} |\n{}", rows.collect::<String>())
    }
}

/// Converts a text to a one-line cell for a spreadsheet. A text that a spreadsheet would evaluate as a formula gets a
/// leading apostrophe.
///
/// ```
/// use debate_text::table::spreadsheet_safe_cell_text;
/// assert_eq!(spreadsheet_safe_cell_text("=1+1"), "'=1+1");
/// assert_eq!(spreadsheet_safe_cell_text("stubborn(0.5)"), "stubborn(0.5)");
/// ```
pub fn spreadsheet_safe_cell_text(text: &str) -> String {
    let text = text.replace(['\n', '\t'], " ");
    let text = replace_unsafe_characters(&text);
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

    use super::csv_line;

    proptest! {
        // A byte order mark at the start of a file is not part of its text.
        #[test]
        fn a_line_is_read_back_as_it_was(cells in prop::collection::vec("[^\\u{feff}]{0,12}|[ ,\"\r\n]{0,4}", 2..6)) {
            let text = csv_line(&cells) + "\n";
            let mut reader = csv::ReaderBuilder::new();
            let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
            let read: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("a table");
            prop_assert_eq!(read.len(), 1);
            prop_assert_eq!(read[0].iter().collect::<Vec<_>>(), cells);
        }
    }
}
