//! Reassembles the frames of a remote screen.

use serde_json::Value;

/// The cells of a screen as a client sees them after reading all frames.
#[derive(Default)]
pub struct Picture {
    rows: Vec<Vec<String>>,
}

impl Picture {
    /// Applies a frame.
    pub fn take(&mut self, frame: &Value) {
        let number = |value: &Value| usize::try_from(value.as_u64().expect("a number")).unwrap();
        if let Some(size) = frame.get("size") {
            let (columns, rows) = (number(&size[0]), number(&size[1]));
            self.rows = vec![vec![" ".to_owned(); columns]; rows];
        }
        assert!(!self.rows.is_empty(), "the first frame is a whole one");
        for row in frame["rows"].as_array().expect("rows") {
            let row = row.as_array().expect("a row");
            let cells = &mut self.rows[number(&row[0])];
            for run in row[1..].chunks(3) {
                let at = number(&run[0]);
                if let Some(text) = run[2].as_str() {
                    let signs = text.chars().map(String::from);
                    signs
                        .enumerate()
                        .for_each(|(by, sign)| cells[at + by] = sign);
                } else {
                    run[2][0]
                        .as_str()
                        .expect("a sign")
                        .clone_into(&mut cells[at]);
                    let width = number(&run[2][1]);
                    cells[at + 1..at + width].fill(String::new());
                }
            }
        }
    }

    /// The rows as text, without the blanks at their ends.
    pub fn text(&self) -> String {
        let row = |row: &Vec<String>| row.concat().trim_end().to_owned();
        self.rows.iter().map(row).collect::<Vec<_>>().join("\n")
    }
}
