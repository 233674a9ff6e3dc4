//! The best Alice and the worst Bob, as players.

use super::sample_distribution::Weigh;
use super::setting::Setting;
use super::step::Coin;
use super::{Prefixes, Words};
use crate::analysis::expectimax::{Steps, Unsolved};
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number};
use debate_core::player::{Built, Choice, Mind, Only, Policy, Spec};
use debate_core::protocol::stochastic::Parameters;
use debate_core::protocol::{Reply, Request, Seat, Stochastic, View};
use debate_core::scenario::Instance;

/// Whoever of two players is the best, ready to play; `None` where the other one plays in a way
/// that is not known here, or there are too many prefixes.
///
/// # Errors
/// Where it takes too long.
pub(in crate::analysis) fn best<'a, N: Number>(
    players: &[Spec; 3],
    instance: &'a Instance,
    parameters: &Parameters,
    budget: Budget<'_>,
) -> Result<Option<Built<'a, N>>, Unsolved> {
    let Some(mut setting) = Setting::of(players, instance, parameters, &[]) else {
        return Ok(None);
    };
    setting.keeps = true;
    if setting.terms.are_exact() {
        built::<N, Exact>(&setting, budget)
    } else {
        built::<N, f64>(&setting, budget)
    }
}

fn built<'a, N: Number, M: Weigh>(
    setting: &Setting<'_>,
    budget: Budget<'_>,
) -> Result<Option<Built<'a, N>>, Unsolved> {
    let found = Prefixes::<M>::of(setting, &mut Steps::of(budget))?;
    Ok(found.map(|(prefixes, _)| -> Built<'a, N> {
        Box::new(Only::<_, Stochastic<'a, N>>::new(Player(prefixes)))
    }))
}

/// ProverModel what is best, or objects where that is.
struct Player<M>(Prefixes<M>);

impl<M: Weigh> Player<M> {
    fn say<N: Number>(&self, view: View<'_, Stochastic<'_, N>>) -> Option<Choice<N>> {
        let node = self.0.node(view.history())?;
        let said = match node.words {
            Words::Best => node.said.as_ref()?,
            _ => return None,
        };
        Some(Choice::Sure(Reply::Probability(N::from_exact(said))))
    }

    /// Whether an objection leaves Alice less than going on; `None` where it was thought that
    /// things cannot come so far.
    fn objects<N: Number>(&self, view: View<'_, Stochastic<'_, N>>) -> Option<bool> {
        let node = self.0.node(view.history())?;
        let said = view.said();
        let law = node.law.as_ref()?;
        let passes = M::one() - law.outside(&view.terms().verifier.passing(said));
        let [no, yes] = self.0.values(view.history())?;
        let rest = match view.bit() {
            Some(true) => yes,
            Some(false) => no,
            None => {
                let one = M::from_exact(&self.0.coin.at(&said.to_exact()));
                (M::one() - one.clone()) * no + one * yes
            }
        };
        Some(passes < rest)
    }
}

impl<'a, N: Number, M: Weigh> Policy<N, Stochastic<'a, N>> for Player<M> {
    fn choose(
        &self,
        view: View<'_, Stochastic<'a, N>>,
        request: &Request<N>,
        _mind: &mut Mind,
    ) -> Option<Choice<N>> {
        match (request, view.seat()) {
            (Request::Share { .. }, _) => match self.0.coin {
                Coin::Shared(parts) => Some(Choice::Share { parts }),
                Coin::Trusted => None,
            },
            (Request::Probability { .. }, Seat::Prover) => self.say(view),
            (Request::Challenge { .. }, Seat::Opponent) => {
                let objects = self.objects(view).unwrap_or(false);
                let step = objects.then(|| view.place());
                Some(Choice::Sure(Reply::Challenge(step)))
            }
            _ => None,
        }
    }
}
