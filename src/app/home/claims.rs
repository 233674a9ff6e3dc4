//! The claims of a scenario as a small tree.

use crate::tui::widget::tree::TreeRow;
use debate_core::scenario::{ClaimId, Instance};
use debate_lab::tell::claim_tree::{Branches, Fold};

/// Rows of claims that a preview shows.
const CLAIMS: usize = 40;
/// Subclaims of one claim that a preview shows.
const SUBCLAIMS: usize = 8;

/// The claim of an instance with what it rests on, two levels down.
pub(super) fn claims(instance: &Instance) -> Vec<TreeRow> {
    let mut rows = Vec::new();
    add_claim(instance, instance.root(), Branches::ROOT, &mut rows);
    rows
}

/// A claim and, down to the second level, its subclaims: those of its first support.
fn add_claim(instance: &Instance, claim: ClaimId, branches: Branches, rows: &mut Vec<TreeRow>) {
    if rows.len() >= CLAIMS {
        return;
    }
    let leaf = instance.is_leaf(claim);
    let deep = branches.depth() >= 2;
    let text = if rows.is_empty() {
        instance.text(claim)
    } else {
        instance.short_text(claim)
    };
    rows.push(TreeRow {
        branches,
        fold: match (leaf, deep) {
            (true, _) => Fold::Leaf,
            (false, true) => Fold::Shut,
            (false, false) => Fold::Open,
        },
        text,
        claim: Some(claim.number()),
        ..TreeRow::default()
    });
    if leaf || deep {
        return;
    }
    let Some(support) = instance.supports(claim).first() else {
        return;
    };
    let shown = support.on.len().min(SUBCLAIMS);
    let more = support.on.len() - shown;
    for (number, subclaim) in support.on.iter().take(shown).enumerate() {
        let last = number + 1 == shown && more == 0;
        add_claim(instance, *subclaim, branches.child(last), rows);
    }
    if more > 0 {
        rows.push(TreeRow {
            branches: branches.child(true),
            text: format!("and {more} more"),
            ..TreeRow::default()
        });
    }
}
