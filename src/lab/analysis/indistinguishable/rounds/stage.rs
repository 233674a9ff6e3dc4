//! One round: what the estimator is asked about, with which probability, and what comes next.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use super::super::conditional_estimates::ConditionalEstimates;
use super::super::descent::DescentProblem;
use super::super::learnt::InformationSet;
use super::round_tests::{RoundTests, own_test};
use super::{MAX_REPLIES, TrainingError, units};
use debate_core::number::Number;
use debate_core::player::{PolicyState, Strategy};
use debate_core::protocol::{
    Draw, Protocol, ProverEstimator, Reply, Request, Rules as _, Seat, State, View,
};
use debate_core::scenario::{ClaimKey, Instance};

/// What is spoken at each input of a stage, in its order.
pub(in crate::analysis::indistinguishable) type RoundEstimates<T> = Vec<ConditionalEstimates<T>>;

/// A debate as it stands, met with this probability.
#[derive(Clone)]
pub(super) struct ReachedState<'i, T> {
    pub(super) state: State<'i, T>,
    /// What the prover remembers.
    mind: PolicyState,
    pub(super) weight: T,
}

/// A reply, and where it leads.
type Successor<'i, T> = (Reply<T>, ReachedState<'i, T>);

/// Points that the estimator cannot tell apart.
pub(super) struct Input<'i, T> {
    pub(super) world: usize,
    pub(super) sight: InformationSet,
    pub(super) weight: T,
    /// How many outcomes it is asked about.
    pub(super) width: usize,
    /// The true outcomes as binary digits.
    truth: usize,
    pub(super) points: Vec<ReachedState<'i, T>>,
}

/// All inputs of one round.
pub(super) struct TrainingRound<'p, 'i, T: Number> {
    pub(super) inputs: Vec<Input<'i, T>>,
    instances: &'p [&'i Instance],
    provers: &'p [&'p dyn Strategy<'i, T>],
    /// How many replies were played so far, in all rounds.
    played: Rc<Cell<u64>>,
}

impl<'p, 'i, T: Number> TrainingRound<'p, 'i, T> {
    /// The root's own probability.
    pub(super) fn start(
        instances: &'p [&'i Instance],
        provers: &'p [&'p dyn Strategy<'i, T>],
        protocol: &Protocol,
    ) -> Result<Self, TrainingError> {
        let mut stage = Self {
            inputs: Vec::new(),
            instances,
            provers,
            played: Rc::default(),
        };
        for (world, instance) in instances.iter().enumerate() {
            let known = &instance.decomposition().worlds()[world].weight;
            let state = protocol.start::<T>(instance);
            let point = ReachedState {
                state: state.map_err(|_refused| TrainingError::Protocol)?,
                mind: PolicyState::default(),
                weight: T::from_exact(known),
            };
            let truth = instance.truth(instance.root());
            let points = stage.branch(world, &point)?;
            stage.inputs.push(Input {
                world,
                sight: InformationSet {
                    round: instance.size().depth + 1,
                    claim: instance.root(),
                    support: 0,
                    answer: None,
                    p: 0,
                    root_p: 0,
                },
                weight: point.weight,
                width: 1,
                truth: usize::from(truth.ok_or(TrainingError::Undecided)?),
                points: points.into_iter().map(|(_, point)| point).collect(),
            });
        }
        Ok(stage)
    }

    /// The key of the claim that an input is about.
    pub(super) fn key(&self, input: &Input<'i, T>) -> &'i ClaimKey {
        self.instances[input.world].key(input.sight.claim)
    }

    fn tick(&self) -> Result<(), TrainingError> {
        self.played.set(self.played.get() + 1);
        if self.played.get() > MAX_REPLIES {
            return Err(TrainingError::TooLong);
        }
        Ok(())
    }

    fn replied(
        &self,
        point: &ReachedState<'i, T>,
        reply: Reply<T>,
    ) -> Result<ReachedState<'i, T>, TrainingError> {
        self.tick()?;
        let mut next = point.clone();
        next.state.reply(reply, &mut ())?;
        Ok(next)
    }

    /// Every reply of the prover, and where it leads.
    fn branch(
        &self,
        world: usize,
        point: &ReachedState<'i, T>,
    ) -> Result<Vec<Successor<'i, T>>, TrainingError> {
        let turn = point.state.request().ok_or(TrainingError::NoReply)?;
        let mut mind = point.mind;
        let prover = self.provers[world];
        let choice = prover.choose(
            View::new(&point.state, Seat::Prover),
            &turn.request,
            &mut mind,
        );
        let each = choice.ok_or(TrainingError::NoReply)?.each();
        let each = each.ok_or(TrainingError::TooLong)?;
        each.into_iter()
            .filter(|(chance, _)| !chance.is_zero())
            .map(|(chance, reply)| {
                let mut next = self.replied(point, reply.clone())?;
                next.mind = mind;
                next.weight = point.weight.clone() * chance;
                Ok((reply, next))
            })
            .collect()
    }

    /// Plays a round to the prover's next turn, as the estimator speaks: the outcomes as binary
    /// digits, and the point with what it weighs then.
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
                Request::Probability {
                    alone: true, place, ..
                } => {
                    let place = place.map_or(0, |place| place as usize);
                    let p = estimates
                        .alone(place)
                        .ok_or(TrainingError::NoReply)?
                        .clone();
                    let next = self.replied(&point, Reply::Probability(p))?;
                    open.push((seen, outcomes, next));
                }
                Request::Probability { .. } => {
                    let before = (0..seen).rev().map(|at| outcomes >> at & 1 == 1);
                    let p = estimates
                        .after(before)
                        .ok_or(TrainingError::NoReply)?
                        .clone();
                    let next = self.replied(&point, Reply::Probability(p))?;
                    open.push((seen, outcomes, next));
                }
                Request::Draw {
                    draw: Draw::Bernoulli(p),
                    ..
                } => {
                    // The last pushed is played first, so that outcomes come in their order.
                    for (bit, chance) in [(1, p.clone()), (0, T::one() - p)] {
                        if chance > T::zero() {
                            let mut next = self.replied(&point, Reply::Drawn(bit))?;
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

    /// The mean of A_{k−1} · z_j over what the prover does next, the outcomes of the round being these.
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

    /// What is to be learnt here.
    pub(super) fn problem(&self, delta: &T) -> Result<DescentProblem<T>, TrainingError> {
        let all = self
            .inputs
            .iter()
            .fold(T::zero(), |sum, input| sum + input.weight.clone());
        let widest = self.inputs.iter().map(|input| input.width).max();
        let truth = |input: &Input<'i, T>| {
            (0..1_usize << input.width)
                .map(|z| T::indicator(z == input.truth))
                .collect()
        };
        // Many inputs times many outcomes are tables that nobody waits for.
        let cells: usize = self.inputs.iter().map(|input| 1 << input.width).sum();
        if cells > 1 << 20 {
            return Err(TrainingError::TooLong);
        }
        Ok(DescentProblem {
            mu: self
                .inputs
                .iter()
                .map(|input| input.weight.clone() / all.clone())
                .collect(),
            g: self.inputs.iter().map(truth).collect(),
            outcomes: 1 << widest.unwrap_or(0),
            delta: delta.clone(),
        })
    }

    /// The tests of this round.
    pub(super) fn tests<'s>(&'s self, problem: &DescentProblem<T>) -> RoundTests<'s, 'p, 'i, T> {
        let own = self.inputs.iter().map(own_test).collect();
        RoundTests::new(self, problem.outcomes, own)
    }

    /// The next round, the estimator having spoken so.
    pub(super) fn next(&self, table: &RoundEstimates<T>) -> Result<Self, TrainingError> {
        // Points from which all that follows is the same are one.
        let mut places = HashMap::new();
        let mut entered: Vec<(usize, ReachedState<'i, T>)> = Vec::new();
        for (input, estimates) in self.inputs.iter().zip(table) {
            for point in &input.points {
                for (_, point) in self.run(point, estimates)? {
                    for point in self.to_bet(input.world, point)? {
                        let mut marks = Vec::new();
                        point.state.state_key(&mut marks);
                        let mark = (input.world, marks, point.mind.memory);
                        let place = *places.entry(mark).or_insert(entered.len());
                        match entered.get_mut(place) {
                            Some((_, same)) => same.weight += point.weight,
                            None => entered.push((input.world, point)),
                        }
                    }
                }
            }
        }
        let mut next = Self {
            inputs: Vec::new(),
            instances: self.instances,
            provers: self.provers,
            played: Rc::clone(&self.played),
        };
        let mut rows: HashMap<(usize, InformationSet), usize> = HashMap::new();
        for (world, point) in entered {
            for (_, bet) in self.branch(world, &point)? {
                // At a leaf nobody is asked to estimate again.
                if !matches!(
                    bet.state.request().map(|turn| turn.request),
                    Some(Request::Support { .. })
                ) {
                    continue;
                }
                for (_, point) in self.branch(world, &bet)? {
                    next.meet(world, point, &mut rows)?;
                }
            }
        }
        Ok(next)
    }

    /// From the end of a round to where the next bet is asked for.
    fn to_bet(
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

    /// Adds a point where the estimator is asked.
    fn meet(
        &mut self,
        world: usize,
        point: ReachedState<'i, T>,
        rows: &mut HashMap<(usize, InformationSet), usize>,
    ) -> Result<(), TrainingError> {
        let rules = rules(&point.state)?;
        let view = View::new(rules, Seat::Opponent);
        let sight = sight(view);
        let place = *rows
            .entry((world, sight.clone()))
            .or_insert(self.inputs.len());
        if let Some(input) = self.inputs.get_mut(place) {
            input.weight += point.weight.clone();
            input.points.push(point);
            return Ok(());
        }
        let on = &view.support().on;
        let truths = on.iter().map(|y| self.instances[world].truth(*y));
        let truth = truths
            .map(|truth| truth.ok_or(TrainingError::Undecided))
            .try_fold(0, |row, truth| {
                Ok::<_, TrainingError>(row << 1 | usize::from(truth?))
            })?;
        self.inputs.push(Input {
            world,
            sight,
            weight: point.weight.clone(),
            width: on.len(),
            truth,
            points: vec![point],
        });
        Ok(())
    }
}

pub(super) fn rules<'s, 'i, T: Number>(
    state: &'s State<'i, T>,
) -> Result<&'s ProverEstimator<'i, T>, TrainingError> {
    <&ProverEstimator<'i, T>>::try_from(state).map_err(|_other| TrainingError::Protocol)
}

/// What the estimator sees.
pub(in crate::analysis::indistinguishable) fn sight<N: Number>(
    view: View<'_, ProverEstimator<'_, N>>,
) -> InformationSet {
    let chosen = view.support();
    let support = view
        .offered()
        .iter()
        .position(|offered| std::ptr::eq(offered, chosen));
    InformationSet {
        round: view.round(),
        claim: view.claim(),
        support: support
            .and_then(|place| u32::try_from(place).ok())
            .unwrap_or(0),
        answer: view.answer(),
        p: units(view.p()),
        root_p: units(view.root_p()),
    }
}
