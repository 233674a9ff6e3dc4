//! Oracles: the ground truth of human judgement at the leaves.

use std::collections::HashMap;

use super::instance::{ClaimId, Instance};
use crate::number::{Exact, Known};

/// The probability that the oracle says yes at a leaf. In a debate the judge's seat *answers*.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Oracle {
    /// The leaf's truth.
    #[default]
    Truth,
    /// The leaf's own `judged_true` where it states one, else its truth.
    PerLeaf,
    /// The truth, flipped with this probability.
    Noisy(Exact),
    /// The probability stated for each leaf, by its id or its text.
    Table(HashMap<String, Exact>),
}

impl Oracle {
    /// The probability of "yes" at a leaf whose fact (its truth, or its check of the proof bits
    /// given) is `fact`. `None` where the oracle cannot know.
    pub(super) fn yes(
        &self,
        instance: &Instance,
        leaf: ClaimId,
        fact: Option<bool>,
    ) -> Option<Known> {
        let exact = match self {
            Self::Truth => fact.map(Known::from)?,
            Self::PerLeaf => match instance.judged_true(leaf) {
                Some(stated) => stated.into(),
                None => fact.map(Known::from)?,
            },
            Self::Noisy(flip) if fact? => (Exact::from_integer(1.into()) - flip).into(),
            Self::Noisy(flip) => flip.clone().into(),
            Self::Table(stated) => instance
                .id(leaf)
                .and_then(|id| stated.get(id))
                .or_else(|| stated.get(&instance.text(leaf)))
                .cloned()
                .map(Known::from)
                // A table is of the problem's own claims.
                .or_else(|| instance.warrant_of(leaf).and(fact).map(Known::from))?,
        };
        Some(exact)
    }
}
