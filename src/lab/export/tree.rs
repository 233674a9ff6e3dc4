//! The claims of a scenario, as many as are asked for.

use std::collections::HashMap;

use debate_core::scenario::{ClaimId, Instance};

/// The default of `--most-claims`.
const CLAIMS: usize = 500;

/// Claims from the root down, level by level.
pub(super) struct ClaimExcerpt {
    pub(super) claims: Vec<ClaimId>,
    numbers: HashMap<ClaimId, usize>,
    pub(super) widest: usize,
    /// Whether claims were left out.
    pub(super) cut: bool,
}

/// The first claims of an instance, breadth first. A claim under several others is in it once.
pub(super) fn tree(instance: &Instance, asked: Option<usize>) -> ClaimExcerpt {
    let most = asked.unwrap_or(CLAIMS).max(1);
    let root = instance.root();
    let mut tree = ClaimExcerpt {
        claims: vec![root],
        numbers: HashMap::from([(root, 0)]),
        widest: 1,
        cut: false,
    };
    let mut next = 0;
    // Where the level below the current claim's begins.
    let mut below = 1;
    while let Some(claim) = tree.claims.get(next).copied() {
        if next == below {
            tree.widest = tree.widest.max(tree.claims.len() - below);
            below = tree.claims.len();
        }
        next += 1;
        for support in instance.supports(claim) {
            for claim in &support.on {
                if tree.numbers.contains_key(claim) {
                    continue;
                }
                if tree.claims.len() == most {
                    tree.cut = true;
                    break;
                }
                tree.numbers.insert(*claim, tree.claims.len());
                tree.claims.push(*claim);
            }
        }
    }
    tree
}

impl ClaimExcerpt {
    /// The place of a claim, from 0; `None` for one that was cut.
    pub(super) fn number(&self, claim: ClaimId) -> Option<usize> {
        self.numbers.get(&claim).copied()
    }

    /// What to say where claims were cut.
    pub(super) fn note(&self, instance: &Instance) -> Option<String> {
        self.cut.then(|| {
            format!(
                "the first {} of {} claims are written; --most-claims raises that",
                self.claims.len(),
                instance.size().claims
            )
        })
    }
}
