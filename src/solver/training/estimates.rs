//! Trained estimates: conditional probabilities for the subclaims of a round, and tables of them.

use std::collections::HashMap;

use debate_core::number::{Exact, ExactWithFloat, Number};
use debate_core::player::prover_estimator::EstimateQuery;
use debate_core::scenario::{ClaimId, ClaimKey, Instance};

/// Probabilities up to this limit count as 0, because in floating point they are only rounding errors. The limit also
/// holds for exact probabilities.
const NOTHING: f64 = 1e-15;

/// The conditional estimates that follow from a probability distribution over the outcomes of q subclaims.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ConditionalEstimates<T> {
    /// P[next subclaim is true | earlier outcomes]. In binary, the index is a 1 followed by the earlier outcomes; index
    /// 1 means none, and index 0 is unused.
    after: Vec<T>,
    /// Each subclaim's own probability.
    pub(super) alone: Vec<T>,
}

impl<T: Number> ConditionalEstimates<T> {
    /// Computes the conditional estimates from a distribution over 2^q outcomes. The first subclaim is the most
    /// significant binary digit. After impossible outcomes, the estimate is one half.
    pub(super) fn conditional_estimates_of_distribution(outcome_probabilities: &[T]) -> Self {
        let size = outcome_probabilities.len();
        let mut mass = vec![T::zero(); size];
        mass.extend(outcome_probabilities.iter().cloned());
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

    /// Returns the estimates converted by `number`.
    pub(super) fn map<U>(&self, number: impl Fn(&T) -> U) -> ConditionalEstimates<U> {
        ConditionalEstimates {
            after: self.after.iter().map(&number).collect(),
            alone: self.alone.iter().map(&number).collect(),
        }
    }
}

impl<T> ConditionalEstimates<T> {
    /// Creates conditional estimates from their stored form. `later_estimates` are those by the index of the earlier
    /// outcomes, from 1. `first_estimate` only fills the unused index 0. Returns `None` if the number of entries is
    /// wrong.
    pub(super) fn from_parts(
        first_estimate: T,
        later_estimates: Vec<T>,
        unconditional_estimates: Vec<T>,
    ) -> Option<Self> {
        let size = u32::try_from(unconditional_estimates.len())
            .ok()
            .and_then(|width| 1_usize.checked_shl(width))?;
        let later_estimates: Vec<T> = std::iter::once(first_estimate)
            .chain(later_estimates)
            .collect();
        (later_estimates.len() == size).then_some(Self {
            after: later_estimates,
            alone: unconditional_estimates,
        })
    }

    /// Returns the conditional estimates in the order of the index of the earlier outcomes, from 1.
    pub(super) fn estimates_by_earlier_outcomes(&self) -> &[T] {
        self.after.get(1..).unwrap_or_default()
    }

    /// Returns the estimate of the next subclaim, given the earlier outcomes; `None` after the last subclaim.
    pub(super) fn probability_after_outcomes(
        &self,
        outcomes: impl Iterator<Item = bool>,
    ) -> Option<&T> {
        let node = outcomes.fold(1, |node: usize, outcome| {
            (node << 1 | usize::from(outcome)).min(self.after.len())
        });
        self.after.get(node)
    }

    /// Returns the requested estimate: the subclaim's unconditional estimate if the request asks for it, else its
    /// estimate given the outcomes of the earlier subclaims. `None` if there is no such subclaim.
    pub(super) fn estimate_for(
        &self,
        asked: EstimateQuery,
        before: impl Iterator<Item = bool>,
    ) -> Option<&T> {
        if asked.alone {
            self.alone.get(asked.place.unwrap_or(0) as usize)
        } else {
            self.probability_after_outcomes(before)
        }
    }
}

/// The estimator's knowledge when it receives a request: the key of a row in a table of estimates. Claims are
/// identified by number within a debate, and by key in stored tables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct InformationSet<C = ClaimId> {
    pub(super) round: u32,
    pub(super) claim: C,
    pub(super) support: u32,
    pub(super) answer: Option<bool>,
    /// The estimate p_k of the round's claim, in units of 10⁻¹². `root_p` is the estimate p_d of the root claim in the
    /// same unit.
    pub(super) p: i64,
    pub(super) root_p: i64,
}

impl<C> InformationSet<C> {
    /// Returns a copy of the information set in which the claim has another identifier.
    pub(super) fn with_claim<D>(&self, claim: D) -> InformationSet<D> {
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

/// The trained estimates for one information set of the estimator.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TrainedEstimatesOfInformationSet {
    pub(super) set: InformationSet<ClaimKey>,
    /// The instance's weight in μ times the probability that a debate about it reaches this information set.
    pub(super) weight: Exact,
    pub(super) estimates: ConditionalEstimates<Exact>,
}

/// The estimates for one world.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct InstanceEstimates {
    /// The trained estimate of the root claim.
    pub(super) root: Exact,
    /// The rows of the table, in the order in which training reached their information sets.
    pub(super) rows: Vec<TrainedEstimatesOfInformationSet>,
}

impl Default for InstanceEstimates {
    fn default() -> Self {
        Self {
            root: Exact::ratio(1, 2),
            rows: Vec::new(),
        }
    }
}

/// The trained estimates for debates about one instance, ready for look-up.
#[derive(Debug)]
pub(super) struct EstimateTable {
    pub(super) root: ExactWithFloat,
    rows: HashMap<InformationSet, ConditionalEstimates<ExactWithFloat>>,
    /// For each claim and support, the estimates of its likeliest information set. They are used at information sets
    /// that training never reached.
    by_claim: HashMap<(ClaimId, u32), ConditionalEstimates<ExactWithFloat>>,
}

impl EstimateTable {
    pub(super) fn new(trained_estimates: &InstanceEstimates, instance: &Instance) -> Self {
        let mut heaviest: HashMap<(ClaimId, u32), &Exact> = HashMap::new();
        let mut table = Self {
            root: ExactWithFloat::from(trained_estimates.root.clone()),
            rows: HashMap::with_capacity(trained_estimates.rows.len()),
            by_claim: HashMap::new(),
        };
        for row in &trained_estimates.rows {
            let claim = instance.claim_with_key(row.set.claim.clone());
            let about = (claim, row.set.support);
            let estimates = row.estimates.map(|p| ExactWithFloat::from(p.clone()));
            if heaviest
                .get(&about)
                .is_none_or(|weight| row.weight > **weight)
            {
                heaviest.insert(about, &row.weight);
                table.by_claim.insert(about, estimates.clone());
            }
            table.rows.insert(row.set.with_claim(claim), estimates);
        }
        table
    }

    /// Returns the estimates at an information set whose support has `width` subclaims; `None` if training never
    /// reached its claim and support, or if the stored estimates have another width.
    pub(super) fn estimates_at(
        &self,
        set: &InformationSet,
        width: usize,
    ) -> Option<&ConditionalEstimates<ExactWithFloat>> {
        let row = self
            .rows
            .get(set)
            .or_else(|| self.by_claim.get(&(set.claim, set.support)));
        row.filter(|row| row.alone.len() == width)
    }
}
