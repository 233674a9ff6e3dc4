//! Judges, for every protocol: they answer oracle queries. A judge of free speeches says how likely
//! the oracle holds the first answer, and ends the debate as soon as that is allowed.

use std::collections::HashSet;

use super::knowledge::claim_of;
use super::registry::{BuildError, Order, Parameter, StrategyEntry};
use super::{Choice, Policy, PolicyState};
use crate::number::{Known, Number};
use crate::protocol::{Reply, Request, Rules, Seat, View};
use crate::scenario::{ClaimId, Informed};

/// Answers from the scenario's oracle.
#[derive(Clone, Copy, Debug)]
pub struct OracleJudge<'a>(Informed<'a>);

impl<'a> OracleJudge<'a> {
    /// A judge with the scenario's oracle at hand.
    pub fn new(informed: Informed<'a>) -> Self {
        Self(informed)
    }

    #[inline]
    fn yes<N: Number>(self, request: &Request<N>, bits: &[bool]) -> Option<N> {
        let (Request::Oracle { claim } | Request::Probability { claim, .. }) = request else {
            return None;
        };
        self.0.oracle(*claim, bits).map(|yes| N::of(&yes))
    }
}

impl<N: Number, R: Rules<N>> Policy<N, R> for OracleJudge<'_> {
    fn as_oracle(&self) -> Option<N> {
        Some(N::zero())
    }

    #[inline]
    fn choose(
        &self,
        view: View<'_, R>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        if let Some(reply) = brief(request) {
            return Some(Choice::Sure(reply));
        }
        let yes = self.yes(request, &view.proof())?;
        Some(match request {
            Request::Probability { .. } => Choice::Sure(Reply::Probability(yes)),
            _ => Choice::verdict(yes),
        })
    }
}

/// A judge's reply to free speeches that needs no oracle: nothing to say, and no more to hear.
fn brief<N>(request: &Request<N>) -> Option<Reply<N>> {
    match request {
        Request::Speech { .. } => Some(Reply::Speech(Box::default())),
        Request::Continue { .. } => Some(Reply::Continue(false)),
        _ => None,
    }
}

/// Answers from the scenario's oracle, and errs with a fixed probability.
#[derive(Clone, Debug)]
pub struct NoisyJudge<'a> {
    oracle: OracleJudge<'a>,
    flip: Known,
}

impl<'a> NoisyJudge<'a> {
    /// A judge that flips the oracle's answer with probability `flip`.
    pub fn new(informed: Informed<'a>, flip: Known) -> Self {
        Self {
            oracle: OracleJudge(informed),
            flip,
        }
    }
}

impl<N: Number, R: Rules<N>> Policy<N, R> for NoisyJudge<'_> {
    fn as_oracle(&self) -> Option<N> {
        Some(N::of(&self.flip))
    }

    fn choose(
        &self,
        view: View<'_, R>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        if let Some(reply) = brief(request) {
            return Some(Choice::Sure(reply));
        }
        let yes: N = self.oracle.yes(request, &view.proof())?;
        let flip = N::of(&self.flip);
        if let Request::Probability { .. } = request {
            let says = |p| Reply::Probability(p);
            let wrong = (flip.clone(), says(N::one() - yes.clone()));
            return Some(Choice::Weighted(vec![(N::one() - flip, says(yes)), wrong]));
        }
        let kept = yes.clone() * (N::one() - flip.clone());
        Some(Choice::verdict(kept + (N::one() - yes) * flip))
    }
}

/// Answers from the scenario's oracle, and the contrary of it about these leaves.
#[derive(Clone, Debug)]
pub struct WrongJudge<'a> {
    oracle: OracleJudge<'a>,
    wrong: HashSet<ClaimId>,
}

impl<'a> WrongJudge<'a> {
    /// A judge who is wrong about the leaves with these ids.
    fn about(order: &Order<'a, '_>) -> Result<Self, BuildError> {
        let instance = order.instance;
        let problem = instance.decomposition();
        let problem = problem.as_stable().map_or(problem, |stable| stable.of());
        let mut named = HashSet::new();
        for id in order.arguments {
            let key = claim_of(problem.as_ref(), id, instance.world());
            let leaf = key.filter(|key| problem.supports(key, instance.world()).is_empty());
            let refused = || BuildError::Refused {
                name: order.name,
                reason: format!(
                    "there is no leaf {id:?} here; take the id of a claim without supports"
                ),
            };
            named.insert(instance.claim_of(leaf.ok_or_else(refused)?));
        }
        Ok(Self {
            oracle: OracleJudge::new(order.informed()),
            wrong: named,
        })
    }
}

impl<N: Number, R: Rules<N>> Policy<N, R> for WrongJudge<'_> {
    fn choose(
        &self,
        view: View<'_, R>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        if let Some(reply) = brief(request) {
            return Some(Choice::Sure(reply));
        }
        let yes: N = self.oracle.yes(request, &view.proof())?;
        let is_wrong = request
            .claim()
            .is_some_and(|claim| self.wrong.contains(&claim));
        let says = if is_wrong { N::one() - yes } else { yes };
        Some(match request {
            Request::Probability { .. } => Choice::Sure(Reply::Probability(says)),
            _ => Choice::verdict(says),
        })
    }
}

/// The built-in judges by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let entry = |name, parameters, about, build| StrategyEntry {
        name,
        seat: Seat::Judge,
        protocol: None,
        parameters,
        about,
        asks_nothing: false,
        build,
    };
    vec![
        entry(
            "oracle",
            &[],
            "answers from the scenario's oracle",
            |order| Ok(Box::new(OracleJudge::new(order.informed()))),
        ),
        entry(
            "noisy",
            &[Parameter::Probability("flip")],
            "answers from the scenario's oracle and errs so often",
            |order| Ok(Box::new(NoisyJudge::new(order.informed(), order.number()))),
        ),
        entry(
            "wrong",
            &[Parameter::Claims("leaf")],
            "answers from the scenario's oracle, and the contrary about these leaves",
            |order| Ok(Box::new(WrongJudge::about(order)?)),
        ),
    ]
}
