//! The built-in players of prover-estimator debate by name.

use super::estimators::{
    Bayes, Calibrated, Coherent, Drifting, Hedged, Marginal, Random as RandomEstimator, Shifted,
    Stubborn,
};
use super::provers::{
    Contrarian, Exploiter, Honest, Lazy, Liar, Obfuscator, Random as RandomProver,
};
use super::{Estimator, EstimatorSeat, MarkovProver, Markovian, ProverSeat};
use crate::number::Number;
use crate::player::registry::{BuildError, Built, Parameter, StrategyEntry, built};
use crate::protocol::{Kind, Seat};

fn markovian<'a, N: Number>(prover: impl MarkovProver<N> + 'a) -> Result<Built<'a, N>, BuildError> {
    built(ProverSeat(Markovian(prover)))
}

fn estimator<'a, N: Number>(estimator: impl Estimator<N> + 'a) -> Result<Built<'a, N>, BuildError> {
    built(EstimatorSeat(estimator))
}

/// The built-in players of prover-estimator debate by name.
pub(in crate::player) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = |name, about, build| {
        StrategyEntry::new(Kind::ProverEstimator, Seat::Prover, name, about, build)
    };
    let opponent = |name, about, build| {
        StrategyEntry::new(Kind::ProverEstimator, Seat::Opponent, name, about, build)
    };
    vec![
        prover(
            "honest",
            "claims the truth, bets where the estimate is off by more than ε, goes on \
             where it is furthest off (PE equation 13)",
            |order| markovian(Honest::new(order.truths()?, order.option)),
        )
        .taking(&[Parameter::Option("markov")]),
        prover(
            "contrarian",
            "claims, bets and goes on against the honest prover",
            |order| markovian(Contrarian(order.truths()?)),
        ),
        prover(
            "liar",
            "lies about the root and bets the way of its lie every time",
            |order| markovian(Liar(order.truths()?)),
        ),
        prover(
            "obfuscator",
            "lies about the root and hides the one flaw among many subclaims; bets +1 \
             every time",
            |order| markovian(Obfuscator(order.truths()?)),
        ),
        prover(
            "exploiter",
            "looks at no truth: bets on the gap between a conditional estimate and its \
             marginal",
            |order| markovian(Exploiter(order.blind())),
        ),
        prover("lazy", "claims the truth and never bets", |order| {
            markovian(Lazy(order.truths()?))
        }),
        prover("random", "any legal reply", |_| {
            built(ProverSeat(RandomProver))
        }),
        opponent(
            "calibrated",
            "the problem's own cheap estimates, without a look at any truth; what follows \
             from others is exact up to 512 bits, beyond that rounded to 2⁻¹²⁸",
            |order| estimator(Calibrated::new(order.blind())),
        ),
        opponent(
            "bayes",
            "the exact posterior given what it may know and this round's coins",
            |order| estimator(Bayes(order.blind())),
        ),
        opponent(
            "marginal",
            "each claim's own posterior, the coins left aside",
            |order| estimator(Marginal(order.blind())),
        ),
        opponent(
            "coherent",
            "the leaves' cheap estimates, propagated up the gates as if independent; \
             exact up to 512 bits, beyond that rounded to 2⁻¹²⁸",
            |order| match Coherent::new(&order.blind()) {
                Some(coherent) => estimator(coherent),
                None => Err(BuildError::TooMany(order.name)),
            },
        ),
        opponent(
            "hedged",
            "splits its doubt evenly among the subclaims (PE §7)",
            |order| estimator(Hedged(order.blind())),
        )
        .asking_nothing(),
        opponent("truthful", "the truth itself", |order| {
            estimator(Shifted::truthful(order.omniscient()?))
        }),
        opponent("shifted", "so far from the truth, everywhere", |order| {
            estimator(Shifted::new(order.omniscient()?, order.number()))
        })
        .taking(&[Parameter::Probability("delta")]),
        opponent(
            "drifting",
            "wrong at the root, then nearer to the truth by equal steps: what stability \
             is there to stop",
            |order| estimator(Drifting(order.omniscient()?)),
        ),
        opponent("stubborn", "the same probability every time", |order| {
            estimator(Stubborn(order.number()))
        })
        .taking(&[Parameter::Probability("p")])
        .asking_nothing(),
        opponent("random", "any multiple of a tenth", |_| {
            estimator(RandomEstimator)
        })
        .asking_nothing(),
    ]
}
