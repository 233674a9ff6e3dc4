//! The cheap estimates of a whole argument, worked out once.

use std::collections::HashMap;

use crate::number::{Exact, Known, Number};
use crate::scenario::{Blind, ClaimId, Estimate};

/// Arguments with more claims than this are not propagated through.
pub(super) const MAX_CLAIMS: usize = 1 << 18;

/// One probability a claim.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates(HashMap<ClaimId, Known>);

impl Estimates {
    pub(super) fn of(&self, claim: ClaimId) -> Option<&Known> {
        self.0.get(&claim)
    }

    /// Stated estimates where there are any, else what those below imply. Empty where the problem
    /// leaves estimates to the posterior.
    pub(super) fn stated(blind: &Blind<'_>) -> Self {
        if blind.estimate(blind.root()) == Estimate::Posterior {
            return Self::default();
        }
        Self::visit(blind, true).unwrap_or_default()
    }

    /// Estimates that the leaves' estimates imply. `None` where there are too many claims.
    pub(super) fn propagated(blind: &Blind<'_>) -> Option<Self> {
        Self::visit(blind, false)
    }

    /// Every claim after its subclaims. A claim's own support is its first one: which of several
    /// is sound, a blind reader cannot tell.
    fn visit(blind: &Blind<'_>, keep_stated: bool) -> Option<Self> {
        let mut known: HashMap<ClaimId, Known> = HashMap::new();
        let mut open = vec![(blind.root(), false)];
        while let Some((claim, ready)) = open.pop() {
            if known.contains_key(&claim) {
                continue;
            }
            let supports = blind.supports(claim);
            if !ready && !supports.is_empty() {
                open.push((claim, true));
                let below = supports.iter().flat_map(|support| support.on.iter());
                open.extend(below.map(|child| (*child, false)));
                continue;
            }
            if known.len() >= MAX_CLAIMS {
                return None;
            }
            let estimate = match (blind.estimate(claim), supports.first()) {
                (Estimate::Stated(p), None) => p,
                (Estimate::Stated(p), Some(_)) if keep_stated => p,
                (Estimate::Posterior, None) => blind.marginal(claim),
                (Estimate::Unstated, None) => Exact::ratio(1, 2),
                (_, Some(support)) => {
                    let below: Vec<Exact> = support
                        .on
                        .iter()
                        .map(|y| known[y].exact().clone())
                        .collect();
                    support.gate.estimate(&below)
                }
            };
            known.insert(claim, estimate.into());
        }
        Some(Self(known))
    }
}
