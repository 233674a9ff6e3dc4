//! The branch lines before each row of a drawn tree.

/// The branch lines before a row of a drawn tree, with one column for each ancestor of the row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeBranchLines {
    depth: u16,
    last: bool,
    /// Bit k is set if the ancestor at depth k + 1 has later siblings, so that a vertical line is drawn in its column.
    /// Depths beyond 64 have no lines.
    rails: u64,
}

impl TreeBranchLines {
    pub const ROOT: Self = Self {
        depth: 0,
        last: true,
        rails: 0,
    };

    #[must_use]
    pub fn branch_of_child(self, last: bool) -> Self {
        let rail = match self.depth.checked_sub(1) {
            Some(level) if level < 64 && !self.last => 1 << level,
            _ => 0,
        };
        Self {
            depth: self.depth.saturating_add(1),
            last,
            rails: self.rails | rail,
        }
    }

    pub fn depth_in_claim_tree(self) -> u16 {
        self.depth
    }

    /// True if no sibling follows.
    pub fn is_last_sibling(self) -> bool {
        self.last
    }

    /// True if a vertical line is drawn in column `level`, counted from 0, to a later sibling of the row's ancestor at
    /// depth `level` + 1.
    pub fn has_branch_line_at(self, level: u16) -> bool {
        level < 64 && self.rails >> level & 1 == 1
    }
}
