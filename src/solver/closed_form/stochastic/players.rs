//! The best Alice and the worst Bob, as players.

use super::model::DebateModel;
use super::sample_distribution::SampleNumber;
use super::step::CoinRule;
use super::{ProverReplies, WitnessGraphs};
use crate::expectation::{StepCounter, Unsolved};
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number};
use debate_core::player::stochastic::{StochasticPolicy, StochasticSeat, StochasticView};
use debate_core::player::{Built, Choice, PolicyState, PolicyStrategy, Spec};
use debate_core::protocol::stochastic::Parameters;
use debate_core::protocol::{Reply, Stochastic};
use debate_core::scenario::Instance;

/// The best response among two players, ready to play; `None` if the other one plays in a way
/// that is not known here, or there are too many prefixes.
///
/// # Errors
/// If it takes too long.
pub(crate) fn best<'a, N: Number>(
    players: &[Spec; 3],
    instance: &'a Instance,
    parameters: &Parameters,
    budget: Budget<'_>,
) -> Result<Option<Built<'a, N>>, Unsolved> {
    let Some(mut model) = DebateModel::of(players, instance, parameters, &[]) else {
        return Ok(None);
    };
    model.keeps = true;
    if model.terms.are_exact() {
        built::<N, Exact>(&model, budget)
    } else {
        built::<N, f64>(&model, budget)
    }
}

fn built<'a, N: Number, M: SampleNumber>(
    model: &DebateModel<'_>,
    budget: Budget<'_>,
) -> Result<Option<Built<'a, N>>, Unsolved> {
    let found = WitnessGraphs::<M>::of(model, &mut StepCounter::of(budget))?;
    Ok(found.map(|(graphs, _)| -> Built<'a, N> {
        Box::new(PolicyStrategy::<_, Stochastic<'a, N>>::new(StochasticSeat(
            BestResponsePlayer(graphs),
        )))
    }))
}

/// Says what is best, or objects where that is.
struct BestResponsePlayer<M>(WitnessGraphs<M>);

impl<M: SampleNumber> BestResponsePlayer<M> {
    /// True if an objection leaves Alice less than going on; `None` where it was thought that
    /// things cannot come so far.
    fn objects<N: Number>(&self, view: StochasticView<'_, '_, N>) -> Option<bool> {
        let graph = self.0.of_bits(view.history())?;
        let node = graph.node(view.history())?;
        let said = view.said();
        let law = node.law.as_ref()?;
        let passes = M::one() - law.outside(&view.terms().verifier.passing(said));
        let [no, yes] = graph.values(view.history())?;
        let rest = match view.bit() {
            Some(true) => yes,
            Some(false) => no,
            None => {
                let one = M::from_exact(&graph.coin.at(&said.to_exact()));
                (M::one() - one.clone()) * no + one * yes
            }
        };
        Some(passes < rest)
    }
}

impl<N: Number, M: SampleNumber> StochasticPolicy<N> for BestResponsePlayer<M> {
    fn witness(&self, _view: StochasticView<'_, '_, N>, _length: u32) -> Option<Choice<N>> {
        let witness = &self.0.each.get(self.0.best)?.witness;
        Some(Choice::Sure(Reply::Bits(witness.clone().into())))
    }

    fn say(&self, view: StochasticView<'_, '_, N>, _mind: &mut PolicyState) -> Option<Choice<N>> {
        let node = self.0.of_bits(view.history())?.node(view.history())?;
        let said = match node.words {
            ProverReplies::BestReply => node.said.as_ref()?,
            _ => return None,
        };
        Some(Choice::Sure(Reply::Probability(N::from_exact(said))))
    }

    fn share(&self) -> Option<Choice<N>> {
        match self.0.each.first()?.coin {
            CoinRule::Shared(parts) => Some(Choice::Share { parts }),
            CoinRule::Trusted => None,
        }
    }

    fn challenge(
        &self,
        view: StochasticView<'_, '_, N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        let objects = self.objects(view).unwrap_or(false);
        let step = objects.then(|| view.place());
        Some(Choice::Sure(Reply::Challenge(step)))
    }
}
