//! The built-in players of prover-estimator debate by name.

use super::estimators::{
    Bayes, Calibrated, Coherent, Drifting, Hedged, Marginal, Random as RandomEstimator, Shifted,
    Stubborn,
};
use super::provers::{
    Contrarian, Exploiter, Honest, Lazy, Liar, Obfuscator, Random as RandomProver,
};
use super::{Estimator, EstimatorSeat, MarkovProver, Markovian, Prover, ProverSeat};
use crate::number::Number;
use crate::player::registry::{BuildError, Built, Parameter, StrategyEntry, built};
use crate::protocol::{Kind, ProverEstimator, Seat};

fn pe_prover<'a, N: Number>(prover: impl Prover<N> + 'a) -> Result<Built<'a, N>, BuildError> {
    built::<N, ProverEstimator<'a, N>>(ProverSeat(prover))
}

fn markovian<'a, N: Number>(prover: impl MarkovProver<N> + 'a) -> Result<Built<'a, N>, BuildError> {
    pe_prover(Markovian(prover))
}

fn pe_estimator<'a, N: Number>(
    estimator: impl Estimator<N> + 'a,
) -> Result<Built<'a, N>, BuildError> {
    built::<N, ProverEstimator<'a, N>>(EstimatorSeat(estimator))
}

/// All of them.
pub(in crate::player) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    pe_provers().into_iter().chain(pe_estimators()).collect()
}

fn pe_provers<N: Number>() -> Vec<StrategyEntry<N>> {
    let entry = |name, parameters, about, build| StrategyEntry {
        name,
        seat: Seat::Prover,
        protocol: Some(Kind::ProverEstimator),
        parameters,
        about,
        asks_nothing: false,
        build,
    };
    let none: &[Parameter] = &[];
    vec![
        entry(
            "honest",
            &[Parameter::Option("markov")],
            "claims the truth, bets where the estimate is off by more than ε, goes on where it is furthest off (PE equation 13)",
            |order| {
                if order.option {
                    markovian(Honest::markov(order.informed()))
                } else {
                    markovian(Honest::new(order.informed()))
                }
            },
        ),
        entry(
            "contrarian",
            none,
            "claims, bets and goes on against the honest prover",
            |order| markovian(Contrarian(order.informed())),
        ),
        entry(
            "liar",
            none,
            "lies about the root and bets the way of its lie every time",
            |order| markovian(Liar(order.informed())),
        ),
        entry(
            "obfuscator",
            none,
            "lies about the root and hides the one flaw among many subclaims; bets +1 every time",
            |order| markovian(Obfuscator(order.informed())),
        ),
        entry(
            "exploiter",
            none,
            "looks at no truth: bets on the gap between a conditional estimate and its marginal",
            |order| markovian(Exploiter(order.blind())),
        ),
        entry("lazy", none, "claims the truth and never bets", |order| {
            markovian(Lazy(order.informed()))
        }),
        entry("random", none, "any legal reply", |_| {
            pe_prover(RandomProver)
        }),
    ]
}

fn pe_estimators<N: Number>() -> Vec<StrategyEntry<N>> {
    let entry = |name, parameters, about, build| StrategyEntry {
        name,
        seat: Seat::Opponent,
        protocol: Some(Kind::ProverEstimator),
        parameters,
        about,
        asks_nothing: false,
        build,
    };
    let none: &[Parameter] = &[];
    vec![
        entry(
            "calibrated",
            none,
            "the problem's own cheap estimates, without a look at any truth; what follows from others is exact up to 512 bits, beyond that rounded to 2⁻¹²⁸",
            |order| pe_estimator(Calibrated::new(order.blind())),
        ),
        entry(
            "bayes",
            none,
            "the exact posterior given what it may know and this round's coins",
            |order| pe_estimator(Bayes(order.blind())),
        ),
        entry(
            "marginal",
            none,
            "each claim's own posterior, the coins left aside",
            |order| pe_estimator(Marginal(order.blind())),
        ),
        entry(
            "coherent",
            none,
            "the leaves' cheap estimates, propagated up the gates as if independent; exact up to 512 bits, beyond that rounded to 2⁻¹²⁸",
            |order| match Coherent::new(&order.blind()) {
                Some(coherent) => pe_estimator(coherent),
                None => Err(BuildError::TooMany(order.name)),
            },
        ),
        entry(
            "hedged",
            none,
            "splits its doubt evenly among the subclaims (PE §7)",
            |order| pe_estimator(Hedged(order.blind())),
        )
        .asking_nothing(),
        entry("truthful", none, "the truth itself", |order| {
            pe_estimator(Shifted::truthful(order.omniscient()?))
        }),
        entry(
            "shifted",
            &[Parameter::Probability("delta")],
            "so far from the truth, everywhere",
            |order| pe_estimator(Shifted::new(order.omniscient()?, order.number())),
        ),
        entry(
            "drifting",
            none,
            "wrong at the root, then nearer to the truth by equal steps: what stability is there to stop",
            |order| pe_estimator(Drifting(order.omniscient()?)),
        ),
        entry(
            "stubborn",
            &[Parameter::Probability("p")],
            "the same probability every time",
            |order| pe_estimator(Stubborn(order.number())),
        )
        .asking_nothing(),
        entry("random", none, "any multiple of a tenth", |_| {
            pe_estimator(RandomEstimator)
        })
        .asking_nothing(),
    ]
}
