//! The order in which a search goes through a list.

/// The numbers of all entries, from where a search begins and round the end. It can be laid aside
/// and gone on with, so that a search among millions does not hold anybody up.
#[derive(Clone, Debug)]
pub struct SearchCursor {
    pub(super) from: usize,
    /// The distance from there to the first entry that is looked at.
    pub(super) first: usize,
    /// Entries looked at.
    pub(super) done: usize,
    pub(super) count: usize,
    pub(super) forward: bool,
}

impl SearchCursor {
    /// The share of the list that has been looked at, in percent.
    pub fn percent(&self) -> usize {
        self.done.saturating_mul(100) / self.count.max(1)
    }
}

impl Iterator for SearchCursor {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.done >= self.count {
            return None;
        }
        let step = self.first + self.done;
        self.done += 1;
        Some(if self.forward {
            (self.from + step) % self.count
        } else {
            (self.from + self.count - step % self.count) % self.count
        })
    }
}
