//! One click marks a row, a second one on the same row acts.

/// Remembers the row of the last click.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clicks(Option<usize>);

impl Clicks {
    /// Takes a click on a row of a list in which `marked` is the marked row; true if it is the
    /// second one on that row. A row that only keys have marked takes two clicks as well.
    pub fn is_second(&mut self, row: usize, marked: Option<usize>) -> bool {
        let second = self.0 == Some(row) && marked == Some(row);
        self.0 = (!second).then_some(row);
        second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_two_clicks() {
        let mut clicks = Clicks::default();
        assert!(!clicks.is_second(0, Some(0)), "marked, but not by a click");
        assert!(clicks.is_second(0, Some(0)));
        assert!(!clicks.is_second(0, Some(0)), "the third begins anew");
        assert!(!clicks.is_second(2, Some(0)));
        assert!(!clicks.is_second(2, Some(1)), "keys have gone elsewhere");
        assert!(clicks.is_second(2, Some(2)));
    }
}
