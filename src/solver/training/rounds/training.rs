//! The debates of a training: the replies of the provers, and rounds in which the estimator says
//! what it has learnt.

use std::cell::Cell;

use super::super::conditional_estimates::ConditionalEstimates;
use super::TrainingError;
use super::training_round::Input;
use debate_core::budget::Budget;
use debate_core::number::Number;
use debate_core::player::{Built, PolicyState};
use debate_core::protocol::{Draw, Reply, Request, Rules as _, Seat, State, View};
use debate_core::scenario::Instance;

/// A debate as it stands, reached with this probability.
#[derive(Clone)]
pub(super) struct ReachedState<'i, T> {
    pub(super) state: State<'i, T>,
    /// The prover's memory.
    pub(super) mind: PolicyState,
    pub(super) weight: T,
}

/// A reply, and where it leads.
type Successor<'i, T> = (Reply<T>, ReachedState<'i, T>);

/// The instances of μ with the prover of each, and how many replies were played.
pub(super) struct Training<'i, T: Number> {
    pub(super) instances: &'i [&'i Instance],
    pub(super) provers: Vec<Built<'i, T>>,
    pub(super) budget: Budget<'i>,
    pub(super) played: Cell<u64>,
}

impl<'i, T: Number> Training<'i, T> {
    fn reply(
        &self,
        point: &ReachedState<'i, T>,
        reply: Reply<T>,
    ) -> Result<ReachedState<'i, T>, TrainingError> {
        self.played.set(self.played.get() + 1);
        self.budget.taken(self.played.get(), "replies")?;
        let mut next = point.clone();
        next.state.reply(reply, &mut ())?;
        Ok(next)
    }

    /// Every reply of the prover, and where it leads.
    pub(super) fn branch(
        &self,
        world: usize,
        point: &ReachedState<'i, T>,
    ) -> Result<Vec<Successor<'i, T>>, TrainingError> {
        let turn = point.state.request().ok_or(TrainingError::NoReply)?;
        let mut mind = point.mind;
        let prover = &self.provers[world];
        let choice = prover.choose(
            View::new(&point.state, Seat::Prover),
            &turn.request,
            &mut mind,
        );
        let each = choice.ok_or(TrainingError::NoReply)?.each();
        let each = each.ok_or(TrainingError::Countless)?.into_iter();
        each.filter(|(chance, _)| !chance.is_zero())
            .map(|(chance, reply)| {
                let mut next = self.reply(point, reply.clone())?;
                next.mind = mind;
                next.weight = point.weight.clone() * chance;
                Ok((reply, next))
            })
            .collect()
    }

    /// Plays a round to the prover's next turn, as the estimator speaks: the outcomes as binary
    /// digits, and the debate with its probability then.
    pub(super) fn run(
        &self,
        point: &ReachedState<'i, T>,
        estimates: &ConditionalEstimates<T>,
    ) -> Result<Vec<(usize, ReachedState<'i, T>)>, TrainingError> {
        let mut done = Vec::new();
        let mut open = vec![(0, 0_usize, point.clone())];
        while let Some((seen, outcomes, point)) = open.pop() {
            let turn = point.state.request().ok_or(TrainingError::NoReply)?;
            match turn.request {
                Request::Probability { alone, place, .. } => {
                    let before = (0..seen).rev().map(|at| outcomes >> at & 1 == 1);
                    let p = if alone {
                        estimates.alone(place.map_or(0, |place| place as usize))
                    } else {
                        estimates.after(before)
                    };
                    let p = p.ok_or(TrainingError::NoReply)?.clone();
                    let next = self.reply(&point, Reply::Probability(p))?;
                    open.push((seen, outcomes, next));
                }
                Request::Draw {
                    draw: Draw::Bernoulli(p),
                    ..
                } => {
                    // The last pushed is played first, so that outcomes come in their order.
                    for (bit, chance) in [(1, p.clone()), (0, T::one() - p)] {
                        if chance > T::zero() {
                            let mut next = self.reply(&point, Reply::Drawn(bit))?;
                            next.weight = point.weight.clone() * chance;
                            open.push((seen + 1, outcomes << 1 | usize::from(bit == 1), next));
                        }
                    }
                }
                _ => done.push((outcomes, point)),
            }
        }
        Ok(done)
    }

    /// The mean of A_{k−1} · z_j over what the prover does next, the outcomes of the round being
    /// these.
    pub(super) fn next_bet(
        &self,
        input: &Input<'i, T>,
        outcomes: usize,
        point: &ReachedState<'i, T>,
    ) -> Result<T, TrainingError> {
        let one = ReachedState {
            weight: T::one(),
            ..point.clone()
        };
        let mut sum = T::zero();
        let mut open = vec![(outcomes & 1 == 1, one)];
        while let Some((holds, point)) = open.pop() {
            for (reply, next) in self.branch(input.world, &point)? {
                match reply {
                    Reply::Select(place) => {
                        let from_last = (input.width - 1).saturating_sub(place as usize);
                        if outcomes >> from_last & 1 == 1 {
                            open.push((true, next));
                        }
                    }
                    Reply::Direction(bet) if holds => {
                        sum += next.weight * T::ratio(bet.sign().into(), 1);
                    }
                    _ => {}
                }
            }
        }
        Ok(sum)
    }

    /// From the end of a round to where the next bet is asked for.
    pub(super) fn to_bet(
        &self,
        world: usize,
        point: ReachedState<'i, T>,
    ) -> Result<Vec<ReachedState<'i, T>>, TrainingError> {
        match point.state.request().map(|turn| turn.request) {
            Some(Request::Select { .. }) => {
                let each = self.branch(world, &point)?;
                Ok(each.into_iter().map(|(_, point)| point).collect())
            }
            _ => Ok(vec![point]),
        }
    }
}
