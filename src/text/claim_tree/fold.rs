//! Folding: hides the claims beside the path in a deep claim tree.

use super::ClaimTree;

/// Minimum number of levels below the root with which a folded tree always hides the claims beside the path. A tree
/// with fewer levels hides them only while the next reply is about its deepest level.
const FOLDS_FROM: usize = 3;

impl ClaimTree {
    /// Hides the claims beside the path in a deep tree (`hides` true), or shows them again. Returns the new row number
    /// of the claim in `row`. If this claim is now hidden, returns the row number of the pending request's claim.
    pub fn set_claims_beside_path_hidden(&mut self, hides: bool, row: usize) -> usize {
        if self.folds == hides {
            return row;
        }
        let index = self.place_at(row);
        self.folds = hides;
        self.compute_row_offsets(1);
        index
            .and_then(|index| self.row_at(index))
            .unwrap_or_else(|| self.row_of_claim_of_request())
    }

    /// Returns the number of rows that the tree has if no claims are hidden.
    pub fn row_count_if_unfolded(&self) -> usize {
        self.levels.iter().map(|level| level.nodes.len()).sum()
    }

    /// True if claims are hidden.
    pub fn has_folded_claims(&self) -> bool {
        let mut levels = self.levels.iter().enumerate();
        levels.any(|(level, on)| on.nodes.len() > 1 && self.are_claims_beside_path_hidden(level))
    }

    /// True if the tree shows only the claim on the path at this level, and hides the others.
    pub(super) fn are_claims_beside_path_hidden(&self, level: usize) -> bool {
        let last = self.last();
        let deep = self.is_below || last >= FOLDS_FROM;
        let beside = level < last || self.here.0 == last && last > 1;
        self.folds && deep && beside && (1..=last).contains(&level)
    }

    /// Returns the index of the claim on the path at this level.
    pub(super) fn path_claim_index(&self, level: usize) -> Option<usize> {
        let here = (self.here.0 == level).then_some(self.here.1);
        self.parents.get(level).copied().or(here)
    }

    /// Returns the number of rows of the deepest level: one for each claim, or a single row if the level is folded.
    pub(super) fn deepest_level_row_count(&self) -> usize {
        match self.levels.last() {
            Some(_) if self.are_claims_beside_path_hidden(self.last()) => 1,
            Some(last) => last.nodes.len(),
            None => 0,
        }
    }

    /// For each level from `first_level` on, computes how many rows of higher levels are above and below the level's
    /// claims.
    pub(super) fn compute_row_offsets(&mut self, first_level: usize) {
        for level in first_level.max(1)..self.levels.len() {
            let index = (level - 1, self.parents[level - 1]);
            let over = self.branches(index);
            let above = &self.levels[level - 1];
            let (before, after) = if self.are_claims_beside_path_hidden(level - 1) {
                (above.before + 1, above.after)
            } else {
                let upper = (index.1 + 1).min(above.nodes.len());
                (
                    above.before + upper,
                    above.after + above.nodes.len() - upper,
                )
            };
            let below = &mut self.levels[level];
            (below.before, below.after, below.over) = (before, after, over);
        }
    }
}
