//! Judges, for every protocol: they answer oracle queries.

use super::registry::{Parameter, StrategyEntry};
use super::{Choice, Policy, PolicyState};
use crate::number::{Known, Number};
use crate::protocol::{Request, Rules, Seat, View};
use crate::scenario::Informed;

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
        let Request::Oracle { claim } = request else {
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
        self.yes(request, &view.proof()).map(Choice::verdict)
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
        let yes: N = self.oracle.yes(request, &view.proof())?;
        let flip = N::of(&self.flip);
        let kept = yes.clone() * (N::one() - flip.clone());
        Some(Choice::verdict(kept + (N::one() - yes) * flip))
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
    ]
}
