//! Trained estimates, as they are kept and as they are played by.

use std::collections::HashMap;

use super::conditional_estimates::ConditionalEstimates;
use debate_core::number::{Exact, Known, Number as _};
use debate_core::scenario::{ClaimId, ClaimKey, Instance};

/// The information set in which the estimator is asked: the key of a row of a table. Claims go by
/// number within a debate, and by key where they are kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct InformationSet<C = ClaimId> {
    pub(super) round: u32,
    pub(super) claim: C,
    pub(super) support: u32,
    pub(super) answer: Option<bool>,
    /// p_k and p_d in units of 10⁻¹².
    pub(super) p: i64,
    pub(super) root_p: i64,
}

impl<C> InformationSet<C> {
    /// The same set with another name for its claim.
    pub(super) fn about<D>(&self, claim: D) -> InformationSet<D> {
        InformationSet {
            round: self.round,
            claim,
            support: self.support,
            answer: self.answer,
            p: self.p,
            root_p: self.root_p,
        }
    }
}

/// The estimates at one information set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EstimateRow {
    pub(super) set: InformationSet<ClaimKey>,
    /// With which probability the point was met.
    pub(super) weight: Exact,
    pub(super) estimates: ConditionalEstimates<Exact>,
}

/// The estimates for one world.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WorldEstimates {
    /// The probability of the root.
    pub(super) root: Exact,
    /// In the order in which points were met.
    pub(super) rows: Vec<EstimateRow>,
}

impl Default for WorldEstimates {
    fn default() -> Self {
        Self {
            root: Exact::ratio(1, 2),
            rows: Vec::new(),
        }
    }
}

/// The estimates for a debate about one instance.
#[derive(Debug)]
pub(super) struct EstimateTable {
    root: Known,
    rows: HashMap<InformationSet, ConditionalEstimates<Known>>,
    /// The row of the likeliest point about a claim and support, for what was never met.
    by_claim: HashMap<(ClaimId, u32), ConditionalEstimates<Known>>,
}

impl EstimateTable {
    pub(super) fn new(learnt: &WorldEstimates, instance: &Instance) -> Self {
        let mut heaviest: HashMap<(ClaimId, u32), &Exact> = HashMap::new();
        let mut table = Self {
            root: Known::from(learnt.root.clone()),
            rows: HashMap::with_capacity(learnt.rows.len()),
            by_claim: HashMap::new(),
        };
        for row in &learnt.rows {
            let claim = instance.claim_of(row.set.claim.clone());
            let about = (claim, row.set.support);
            let estimates = row.estimates.map(|p| Known::from(p.clone()));
            if heaviest
                .get(&about)
                .is_none_or(|weight| row.weight > **weight)
            {
                heaviest.insert(about, &row.weight);
                table.by_claim.insert(about, estimates.clone());
            }
            table.rows.insert(row.set.about(claim), estimates);
        }
        table
    }

    /// The estimate of the root.
    pub(super) fn root(&self) -> &Known {
        &self.root
    }

    /// The estimates at an information set with so many subclaims; `None` if its claim was never met.
    pub(super) fn at(
        &self,
        set: &InformationSet,
        width: usize,
    ) -> Option<&ConditionalEstimates<Known>> {
        let row = self.rows.get(set);
        let row = row.or_else(|| self.by_claim.get(&(set.claim, set.support)));
        row.filter(|row| row.width() == width)
    }
}
