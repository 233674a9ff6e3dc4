//! What an estimator says after each outcome of a round, and the tables of it that are kept and played by.

use std::collections::HashMap;

use debate_core::number::{Exact, Known, Number};
use debate_core::player::prover_estimator::EstimateQuery;
use debate_core::scenario::{ClaimId, ClaimKey, Instance};

/// Below this a floating-point mass is nothing but noise.
const NOTHING: f64 = 1e-15;

/// The probabilities that a distribution over the outcomes of q subclaims comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ConditionalEstimates<T> {
    /// P[next is true | the ones before]: the outcomes before are binary digits after a leading
    /// 1, so that number 1 is for none of them.
    after: Vec<T>,
    /// Each subclaim's own probability.
    pub(super) alone: Vec<T>,
}

impl<T: Number> ConditionalEstimates<T> {
    /// Of a distribution over 2^q outcomes, the first subclaim being the most significant digit.
    /// After outcomes that cannot be, the estimate is one half.
    pub(super) fn of(h: &[T]) -> Self {
        let size = h.len();
        let mut mass = vec![T::zero(); size];
        mass.extend(h.iter().cloned());
        for node in (1..size).rev() {
            mass[node] = mass[2 * node].clone() + mass[2 * node + 1].clone();
        }
        let mut after = vec![T::ratio(1, 2); size];
        let width = size.trailing_zeros() as usize;
        let mut alone = vec![T::zero(); width];
        for node in 1..size {
            let yes = mass[2 * node + 1].clone();
            if mass[node].to_float() > NOTHING {
                after[node] = yes.clone() / mass[node].clone();
            }
            alone[node.ilog2() as usize] += yes;
        }
        Self { after, alone }
    }

    /// Converts the numbers.
    pub(super) fn map<U>(&self, number: impl Fn(&T) -> U) -> ConditionalEstimates<U> {
        ConditionalEstimates {
            after: self.after.iter().map(&number).collect(),
            alone: self.alone.iter().map(&number).collect(),
        }
    }
}

impl<T> ConditionalEstimates<T> {
    /// Of what is said after each prefix, in the order of their numbers from 1 on, and of each
    /// subclaim alone; `None` where there are not as many as there must be.
    pub(super) fn given(first: T, after: Vec<T>, alone: Vec<T>) -> Option<Self> {
        let size = u32::try_from(alone.len())
            .ok()
            .and_then(|width| 1_usize.checked_shl(width))?;
        let after: Vec<T> = std::iter::once(first).chain(after).collect();
        (after.len() == size).then_some(Self { after, alone })
    }

    /// The estimates after each prefix, in the order of their numbers from 1 on.
    pub(super) fn all_after(&self) -> &[T] {
        self.after.get(1..).unwrap_or_default()
    }

    /// The probability of the next subclaim after these outcomes.
    pub(super) fn after(&self, outcomes: impl Iterator<Item = bool>) -> Option<&T> {
        let node = outcomes.fold(1, |node: usize, outcome| {
            (node << 1 | usize::from(outcome)).min(self.after.len())
        });
        self.after.get(node)
    }

    /// The probability of the subclaim that is asked for, after these outcomes of the ones before it.
    pub(super) fn answer(
        &self,
        asked: EstimateQuery,
        before: impl Iterator<Item = bool>,
    ) -> Option<&T> {
        if asked.alone {
            self.alone.get(asked.place.unwrap_or(0) as usize)
        } else {
            self.after(before)
        }
    }
}

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
    pub(super) root: Known,
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

    /// The estimates at an information set with so many subclaims; `None` if its claim was never met.
    pub(super) fn at(
        &self,
        set: &InformationSet,
        width: usize,
    ) -> Option<&ConditionalEstimates<Known>> {
        let row = self
            .rows
            .get(set)
            .or_else(|| self.by_claim.get(&(set.claim, set.support)));
        row.filter(|row| row.alone.len() == width)
    }
}
