//! One round: what the estimator is asked about, with which probability, and what comes next.

use std::collections::HashMap;

use super::super::conditional_estimates::ConditionalEstimates;
use super::super::descent::DescentProblem;
use super::super::estimate_table::InformationSet;
use super::training::{ReachedState, Training};
use super::{TrainingError, units};
use debate_core::number::Number;
use debate_core::player::PolicyState;
use debate_core::protocol::{Protocol, ProverEstimator, Request, Rules as _, Seat, State, View};
use debate_core::scenario::ClaimKey;

/// The most inputs of a round times their outcomes.
const MAX_CELLS: u64 = 1 << 20;

/// The estimates of a round, in the order of its inputs.
pub(super) type RoundEstimates<T> = Vec<ConditionalEstimates<T>>;

/// States that the estimator cannot tell apart.
pub(super) struct Input<'i, T> {
    pub(super) world: usize,
    pub(super) set: InformationSet,
    pub(super) weight: T,
    /// The number of subclaims that it is asked about.
    pub(super) width: usize,
    /// The true outcomes as binary digits.
    truth: usize,
    pub(super) points: Vec<ReachedState<'i, T>>,
}

/// All inputs of one round.
pub(super) struct TrainingRound<'t, 'i, T: Number> {
    pub(super) inputs: Vec<Input<'i, T>>,
    pub(super) training: &'t Training<'i, T>,
}

impl<'t, 'i, T: Number> TrainingRound<'t, 'i, T> {
    /// The root's own probability.
    pub(super) fn root(
        training: &'t Training<'i, T>,
        protocol: &Protocol,
    ) -> Result<Self, TrainingError> {
        let mut inputs = Vec::new();
        for (world, instance) in training.instances.iter().enumerate() {
            let known = &instance.decomposition().worlds()[world].weight;
            let state = protocol.start::<T>(instance);
            let point = ReachedState {
                state: state.map_err(|_refused| TrainingError::Protocol)?,
                mind: PolicyState::default(),
                weight: T::from_exact(known),
            };
            let truth = instance.truth(instance.root());
            let points = training.branch(world, &point)?;
            inputs.push(Input {
                world,
                set: InformationSet {
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
        Ok(Self { inputs, training })
    }

    /// The key of the claim that an input is about.
    pub(super) fn key(&self, input: &Input<'i, T>) -> &'i ClaimKey {
        self.training.instances[input.world].key(input.set.claim)
    }

    /// The problem of this round.
    pub(super) fn problem(&self, delta: &T) -> Result<DescentProblem<T>, TrainingError> {
        let weights = || self.inputs.iter().map(|input| input.weight.clone());
        let all = weights().fold(T::zero(), |sum, weight| sum + weight);
        let outcomes = || self.inputs.iter().map(|input| 1_usize << input.width);
        let truth = |input: &Input<'i, T>| {
            (0..1_usize << input.width)
                .map(|z| T::indicator(z == input.truth))
                .collect()
        };
        let most = self.training.budget.with_steps(MAX_CELLS);
        if outcomes().sum::<usize>() as u64 > most.steps {
            return Err(most.exceeded("outcomes of the inputs of a round").into());
        }
        Ok(DescentProblem {
            mu: weights().map(|weight| weight / all.clone()).collect(),
            g: self.inputs.iter().map(truth).collect(),
            outcomes: outcomes().max().unwrap_or(1),
            delta: delta.clone(),
        })
    }

    /// The next round, the estimator having spoken so.
    pub(super) fn next(&self, table: &RoundEstimates<T>) -> Result<Self, TrainingError> {
        let training = self.training;
        // States from which all that follows is the same are one.
        let mut places = HashMap::new();
        let mut entered: Vec<(usize, ReachedState<'i, T>)> = Vec::new();
        for (input, estimates) in self.inputs.iter().zip(table) {
            for point in &input.points {
                for (_, point) in training.run(point, estimates)? {
                    for point in training.to_bet(input.world, point)? {
                        let mut key = Vec::new();
                        point.state.state_key(&mut key);
                        let key = (input.world, key, point.mind.memory);
                        let place = *places.entry(key).or_insert(entered.len());
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
            training,
        };
        let mut rows: HashMap<(usize, InformationSet), usize> = HashMap::new();
        for (world, point) in entered {
            for (_, bet) in training.branch(world, &point)? {
                // At a leaf nobody is asked to estimate again.
                if !matches!(
                    bet.state.request().map(|turn| turn.request),
                    Some(Request::Support { .. })
                ) {
                    continue;
                }
                for (_, point) in training.branch(world, &bet)? {
                    next.add(world, point, &mut rows)?;
                }
            }
        }
        Ok(next)
    }

    /// Adds a state in which the estimator is asked.
    fn add(
        &mut self,
        world: usize,
        point: ReachedState<'i, T>,
        rows: &mut HashMap<(usize, InformationSet), usize>,
    ) -> Result<(), TrainingError> {
        let view = View::new(rules(&point.state)?, Seat::Opponent);
        let set = information_set(view);
        let place = *rows
            .entry((world, set.clone()))
            .or_insert(self.inputs.len());
        if let Some(input) = self.inputs.get_mut(place) {
            input.weight += point.weight.clone();
            input.points.push(point);
            return Ok(());
        }
        let on = &view.support().on;
        let instance = self.training.instances[world];
        let truth = on.iter().try_fold(0, |row, claim| {
            let truth = instance.truth(*claim).ok_or(TrainingError::Undecided)?;
            Ok::<_, TrainingError>(row << 1 | usize::from(truth))
        })?;
        self.inputs.push(Input {
            world,
            set,
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

/// The information set of the estimator.
pub(in crate::training) fn information_set<N: Number>(
    view: View<'_, ProverEstimator<'_, N>>,
) -> InformationSet {
    let chosen = view.support();
    let mut offered = (0..).zip(view.offered());
    let support = offered.find(|(_, offered)| std::ptr::eq(*offered, chosen));
    InformationSet {
        round: view.round(),
        claim: view.claim(),
        support: support.map_or(0, |(place, _)| place),
        answer: view.answer(),
        p: units(view.p()),
        root_p: units(view.root_p()),
    }
}
