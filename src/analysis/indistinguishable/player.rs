//! The estimator of Algorithm 1 as a player.

use super::rounds::{Trained, sight, train};
use super::spoken::Spoken;
use crate::number::{Known, Number};
use crate::player::prover_estimator::{Asked, Estimator, EstimatorSeat, PeView};
use crate::player::{BuildError, Choice, Entry, Parameter, built};
use crate::protocol::{Kind, ProverEstimator, Reply, Seat};

/// An estimator that was trained against a prover (PE Lemma A.4).
///
/// About what it never met in training it says what it says of the same claim where it met that
/// most, and one half where it never did.
#[derive(Debug)]
struct Indistinguishable(Trained);

impl<N: Number> Estimator<N> for Indistinguishable {
    fn is_steady(&self) -> bool {
        false
    }

    fn estimate(&self, view: PeView<'_, '_, N>, asked: Asked) -> Choice<N> {
        let say = |p: Option<&Known>| {
            Choice::Sure(Reply::Probability(p.map_or_else(|| N::ratio(1, 2), N::of)))
        };
        let Some(place) = asked.place else {
            return say(Some(&self.0.root));
        };
        let sight = sight(view);
        let about = (sight.claim, sight.support);
        let fits = |row: &&Spoken<Known>| row.width() == view.support().on.len();
        let row = self.0.rows.get(&sight);
        let row = row.or_else(|| self.0.by_claim.get(&about)).filter(fits);
        say(row.and_then(|row| {
            if asked.alone {
                row.alone(place as usize)
            } else {
                row.after(view.prefix().map(|(_, outcome)| outcome))
            }
        }))
    }
}

/// The registry's entry.
#[must_use]
pub fn entry<N: Number>() -> Entry<N> {
    Entry {
        name: "indistinguishable",
        seat: Seat::Opponent,
        protocol: Some(Kind::ProverEstimator),
        parameters: &[Parameter::Probability("delta")],
        about: "trained against the prover until no test tells it from the truth (PE Algorithm 1)",
        build: |order| {
            let prover = order.other(Seat::Prover)?;
            let refused = |reason: super::Untrained| BuildError::Refused {
                name: order.name,
                reason: reason.to_string(),
            };
            let delta = order.number();
            let trained = train(order.instance, order.protocol, prover, delta.exact());
            built::<N, ProverEstimator<'_, N>>(EstimatorSeat(Indistinguishable(
                trained.map_err(refused)?,
            )))
        },
    }
}
