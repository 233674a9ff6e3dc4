//! Judges, for every protocol: built-in judges that answer oracle queries. A judge of free speeches states the oracle's
//! probability of the first answer, and ends the debate as soon as the rules allow it.

use std::collections::HashSet;

use super::knowledge::claim_with_name;
use super::registry::{StrategyBuildError, StrategyBuildInputs, StrategyEntry, StrategyParameter};
use super::{Policy, ReplyDistribution, StrategyMemoryAndCosts};
use crate::number::{ExactWithFloat, Number};
use crate::protocol::{Reply, Request, Rules, Seat, View};
use crate::scenario::{ClaimId, InformedReader};

/// A judge that gives the scenario oracle's answers: unchanged, with random errors, or inverted for some leaves.
#[derive(Clone, Debug)]
pub struct OracleJudge<'a> {
    informed: InformedReader<'a>,
    /// The probability of an error.
    flip: Option<ExactWithFloat>,
    wrong: HashSet<ClaimId>,
}

impl<'a> OracleJudge<'a> {
    /// Creates a judge who uses the scenario's oracle.
    pub fn new(informed: InformedReader<'a>) -> Self {
        let flip = None;
        let wrong = HashSet::new();
        Self {
            informed,
            flip,
            wrong,
        }
    }

    /// Creates a judge who answers wrongly about the leaves with these ids.
    fn wrong_about(order: &StrategyBuildInputs<'a, '_>) -> Result<Self, StrategyBuildError> {
        let instance = order.instance;
        let problem = instance.decomposition();
        let problem = problem
            .as_stable()
            .map_or(problem, |stable| stable.original_decomposition());
        let mut judge = Self::new(order.truth_reader());
        for id in order.arguments {
            let key = claim_with_name(problem.as_ref(), id, instance.world_index());
            let leaf = key.filter(|key| problem.supports(key, instance.world_index()).is_empty());
            let refused = || StrategyBuildError::Refused {
                name: order.name,
                reason: format!(
                    "this scenario has no leaf {id:?}; use the id of a claim without supports"
                ),
            };
            judge
                .wrong
                .insert(instance.claim_with_key(leaf.ok_or_else(refused)?));
        }
        Ok(judge)
    }

    #[inline]
    fn yes<N: Number>(&self, claim: ClaimId, bits: &[bool]) -> Option<N> {
        let yes = N::of(&self.informed.oracle_yes_probability(claim, bits)?);
        let turned = self.wrong.contains(&claim);
        Some(if turned { N::one() - yes } else { yes })
    }
}

impl<N: Number, R: Rules<N>> Policy<N, R> for OracleJudge<'_> {
    fn oracle_error_probability(&self) -> Option<N> {
        let flip = || self.flip.as_ref().map_or_else(N::zero, N::of);
        self.wrong.is_empty().then(flip)
    }

    #[inline]
    fn choose(
        &self,
        view: View<'_, R>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let flip = self.flip.as_ref().map(N::of);
        Some(match (request, flip) {
            // In free speeches: an empty speech, and no further round.
            (Request::Speech { .. }, _) => {
                ReplyDistribution::Certain(Reply::Speech(Box::default()))
            }
            (Request::Continue { .. }, _) => ReplyDistribution::Certain(Reply::Continue(false)),
            (Request::Oracle { claim }, None) => {
                ReplyDistribution::judge_answer_with_probability(self.yes(*claim, &view.proof())?)
            }
            (Request::Oracle { claim }, Some(flip)) => {
                let yes: N = self.yes(*claim, &view.proof())?;
                let kept = yes.clone() * (N::one() - flip.clone());
                ReplyDistribution::judge_answer_with_probability(kept + (N::one() - yes) * flip)
            }
            (Request::Probability { claim, .. }, None) => {
                ReplyDistribution::Certain(Reply::Probability(self.yes(*claim, &view.proof())?))
            }
            (Request::Probability { claim, .. }, Some(flip)) => {
                let yes: N = self.yes(*claim, &view.proof())?;
                let wrong = Reply::Probability(N::one() - yes.clone());
                let right = (N::one() - flip.clone(), Reply::Probability(yes));
                ReplyDistribution::Weighted(vec![right, (flip, wrong)])
            }
            _ => return None,
        })
    }
}

/// Returns the built-in judges by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let judge = StrategyEntry::entry_builder(None, Seat::Judge);
    vec![
        judge("oracle", |order| {
            Ok(Box::new(OracleJudge::new(order.truth_reader())))
        }),
        judge("noisy", |order| {
            let flip = Some(order.first_argument_as_number());
            let judge = OracleJudge::new(order.truth_reader());
            Ok(Box::new(OracleJudge { flip, ..judge }))
        })
        .with_parameters(&[StrategyParameter::Probability("flip")]),
        judge("wrong", |order| {
            Ok(Box::new(OracleJudge::wrong_about(order)?))
        })
        .with_parameters(&[StrategyParameter::Claims("leaf")]),
    ]
}
