//! One round of training: the states in which the estimator receives a request, with their probabilities, and the
//! continuation after its estimates.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use thiserror::Error;

use super::descent::{EstimatorTestSequence, TestValuesByInputAndOutcome, TrainingTarget};
use super::estimates::{ConditionalEstimates, InformationSet};
use super::rounds::scaled_budget;
use crate::expectation::{CertainRewardsAndExpenses, PayoffNotComputedReason};
use crate::game::{self, DebateAndStrategyStates};
use debate_core::budget::{ComputationBudget, ComputationStopReason};
use debate_core::number::Number;
use debate_core::player::prover_estimator::EstimateQuery;
use debate_core::player::{PlayableStrategy, StrategyBuildError};
use debate_core::protocol::{
    PendingTurn, Protocol, ProverEstimatorDebate, Reply, Request, Rules as _, Seat, State, View,
};
use debate_core::scenario::{ClaimKey, Instance};

/// Maximum number of subclaims of a support for which an estimator can be trained.
pub const MAX_WIDTH: u32 = 8;

/// The reason why an estimator could not be trained.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TrainingError {
    /// δ is out of range.
    #[error("delta must be above 0 and below 1")]
    Delta,
    /// The rules are not prover-estimator debate; only its estimators can be trained.
    #[error(
        "PE Algorithm 1 trains estimators only for prover-estimator debate; choose that protocol"
    )]
    Protocol,
    /// Some supports have too many subclaims: a distribution needs an entry for each combination of outcomes.
    #[error(
        "the distribution covers all outcomes of up to {0} subclaims, but at most {MAX_WIDTH} are \
         allowed; use a narrower decomposition"
    )]
    TooWide(u32),
    /// The training exceeded its budget, or the user stopped it.
    #[error("{exceeded}{advice}", exceeded = .0, advice = advice(.0))]
    Exceeded(#[from] ComputationStopReason),
    /// The prover draws among too many replies to list them.
    #[error(
        "the prover randomises among too many replies to list; choose a prover that does not randomise"
    )]
    Countless,
    /// The prover cannot be built.
    #[error("{0}")]
    Prover(#[from] StrategyBuildError),
    /// A player has no reply, or an illegal one, so the training cannot continue.
    #[error(transparent)]
    Unplayed(PayoffNotComputedReason),
    /// The truth of a claim cannot be computed.
    #[error("the truth of some claims cannot be computed, so there is no truth to learn")]
    Undecided,
}

impl From<PayoffNotComputedReason> for TrainingError {
    fn from(error: PayoffNotComputedReason) -> Self {
        match error {
            PayoffNotComputedReason::Exceeded(exceeded) => Self::Exceeded(exceeded),
            PayoffNotComputedReason::Countless(_) => Self::Countless,
            error => Self::Unplayed(error),
        }
    }
}

/// Returns advice to the user on making the training shorter.
fn advice(exceeded: &ComputationStopReason) -> &'static str {
    match exceeded {
        ComputationStopReason::Stopped => "",
        ComputationStopReason::TooLarge { .. } => {
            ": use a larger delta, a smaller instance, or a prover that does not randomise"
        }
    }
}

/// A state of a debate, with the probability that a debate reaches it.
#[derive(Clone)]
pub(super) struct ReachedState<'i, T> {
    pub(super) at: DebateAndStrategyStates<'i, T>,
    pub(super) weight: T,
}

impl<T: Number> ReachedState<'_, T> {
    fn turn(&self) -> Result<PendingTurn<T>, TrainingError> {
        let turn = self.at.state.request();
        Ok(turn.ok_or(PayoffNotComputedReason::NoReply(Seat::Prover))?)
    }

    /// True if a request is pending and `such` is true for it.
    fn is_asked(&self, such: impl Fn(&Request<T>) -> bool) -> bool {
        let turn = self.at.state.request();
        turn.is_some_and(|turn| such(&turn.request))
    }
}

/// A reply, and the state of the debate after it.
type Successor<'i, T> = (Reply<T>, ReachedState<'i, T>);

/// The data of a training: all instances with the prover built for each, and the number of replies simulated.
pub(super) struct TrainingContext<'i, T: Number> {
    pub(super) instances: &'i [&'i Instance],
    pub(super) provers: Vec<PlayableStrategy<'i, T>>,
    pub(super) budget: ComputationBudget<'i>,
    pub(super) played: Cell<u64>,
}

impl<'i, T: Number> TrainingContext<'i, T> {
    /// Returns the state of a debate after one reply, and counts the reply in the budget.
    fn reply(
        &self,
        point: &ReachedState<'i, T>,
        seat: Seat,
        reply: Reply<T>,
    ) -> Result<ReachedState<'i, T>, TrainingError> {
        self.played.set(self.played.get() + 1);
        self.budget
            .check_total_steps(self.played.get(), "replies")?;
        let mut next = point.clone();
        next.at.reply_to(seat, reply, &mut ())?;
        Ok(next)
    }

    /// Returns each possible reply of the prover, with the state of the debate after it.
    fn branch(
        &self,
        world: usize,
        mut point: ReachedState<'i, T>,
    ) -> Result<Vec<Successor<'i, T>>, TrainingError> {
        let turn = point.turn()?;
        let prover = Some(&*self.provers[world]);
        let each = (point.at).reply_distribution(
            &turn,
            prover,
            &mut CertainRewardsAndExpenses::default(),
        )?;
        each.into_iter()
            .map(|(chance, reply)| {
                let mut next = self.reply(&point, turn.seat, reply.clone())?;
                next.weight *= chance;
                Ok((reply, next))
            })
            .collect()
    }

    /// Plays a round with the given estimates, up to the prover's next turn. Returns each outcome of the coins (as
    /// binary digits) with the state of the debate and its probability.
    pub(super) fn play_round(
        &self,
        point: &ReachedState<'i, T>,
        estimates: &ConditionalEstimates<T>,
    ) -> Result<Vec<(usize, ReachedState<'i, T>)>, TrainingError> {
        let mut done = Vec::new();
        let mut open = vec![(0, 0_usize, point.clone())];
        while let Some((seen, outcomes, point)) = open.pop() {
            let turn = point.turn()?;
            if let Some(asked) = EstimateQuery::of(&turn.request) {
                let before = (0..seen).rev().map(|at| outcomes >> at & 1 == 1);
                let p = estimates.estimate_for(asked, before);
                let p = p
                    .ok_or(PayoffNotComputedReason::NoReply(Seat::Opponent))?
                    .clone();
                let next = self.reply(&point, turn.seat, Reply::Probability(p))?;
                open.push((seen, outcomes, next));
            } else if let Some((_, draw)) = turn.request.requested_draw() {
                // The last pushed state is played first, so that outcomes are in order.
                for (chance, reply) in game::outcomes(draw, None)? {
                    let bit = usize::from(matches!(reply, Reply::Drawn(1)));
                    let mut next = self.reply(&point, turn.seat, reply)?;
                    next.weight *= chance;
                    open.push((seen + 1, outcomes << 1 | bit, next));
                }
            } else {
                done.push((outcomes, point));
            }
        }
        Ok(done)
    }

    /// Returns the mean of A_{k−1} · z_j: the prover's next bet, times the coin (0 or 1) of the subclaim on which she
    /// bets. The round's coins have the given outcomes.
    pub(super) fn mean_next_bet(
        &self,
        input: &IndistinguishableStates<'i, T>,
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
            for (reply, next) in self.branch(input.world, point)? {
                match reply {
                    Reply::Select(index) => {
                        let from_last = (input.width - 1).saturating_sub(index as usize);
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

    /// Returns the states in which the prover makes her next bet after the end of a round: one for each subclaim that
    /// she may select.
    fn advance_to_bet(
        &self,
        world: usize,
        point: ReachedState<'i, T>,
    ) -> Result<Vec<ReachedState<'i, T>>, TrainingError> {
        if point.is_asked(|request| matches!(request, Request::Select { .. })) {
            let each = self.branch(world, point)?;
            return Ok(each.into_iter().map(|(_, point)| point).collect());
        }
        Ok(vec![point])
    }
}

/// Maximum number of entries in a round's table: the sum over the inputs of the number of outcomes. It holds if the
/// limit on replies is [`MAX_REPLIES`](super::MAX_REPLIES).
const MAX_CELLS: u64 = 1 << 20;

/// The estimates of a round, one entry for each of its inputs ([`IndistinguishableStates`]).
pub(super) type RoundEstimates<T> = Vec<ConditionalEstimates<T>>;

/// All states of one instance that look the same to the estimator when it is asked. Training finds one set of estimates
/// for them.
pub(super) struct IndistinguishableStates<'i, T> {
    pub(super) world: usize,
    pub(super) set: InformationSet,
    pub(super) weight: T,
    /// The number of subclaims that the estimator is asked about.
    pub(super) width: usize,
    /// The truths of the claims that the estimator is asked about, as the bits of an integer. The last claim has the
    /// lowest bit.
    truth: usize,
    pub(super) points: Vec<ReachedState<'i, T>>,
}

/// All inputs of one round.
pub(super) struct RoundTrainingInputs<'t, 'i, T: Number> {
    pub(super) inputs: Vec<IndistinguishableStates<'i, T>>,
    pub(super) training: &'t TrainingContext<'i, T>,
}

impl<'t, 'i, T: Number> RoundTrainingInputs<'t, 'i, T> {
    /// Returns the inputs of the first step of the training, in which the estimator gives the estimate of the root
    /// claim.
    pub(super) fn root(
        training: &'t TrainingContext<'i, T>,
        protocol: &Protocol,
    ) -> Result<Self, TrainingError> {
        let mut inputs = Vec::new();
        for (world, instance) in training.instances.iter().enumerate() {
            let known = &instance.decomposition().worlds()[world].weight;
            let state = protocol.start::<T>(instance);
            let state = state.map_err(|_refused| TrainingError::Protocol)?;
            let weight = T::from_exact(known);
            let at = DebateAndStrategyStates::new(state);
            let truth = instance.truth(instance.root());
            let start = ReachedState {
                at,
                weight: weight.clone(),
            };
            let points = training.branch(world, start)?;
            inputs.push(IndistinguishableStates {
                world,
                set: InformationSet {
                    round: instance.size().depth + 1,
                    claim: instance.root(),
                    support: 0,
                    answer: None,
                    p: 0,
                    root_p: 0,
                },
                weight,
                width: 1,
                truth: usize::from(truth.ok_or(TrainingError::Undecided)?),
                points: points.into_iter().map(|(_, point)| point).collect(),
            });
        }
        Ok(Self { inputs, training })
    }

    /// Returns the key of the claim that is debated in the states of a training input.
    pub(super) fn claim_key_of_training_input(
        &self,
        input: &IndistinguishableStates<'i, T>,
    ) -> &'i ClaimKey {
        self.training.instances[input.world].key(input.set.claim)
    }

    /// Returns the problem that the gradient descent solves for this round.
    pub(super) fn descent_problem(&self, delta: &T) -> Result<TrainingTarget<T>, TrainingError> {
        let weights = || self.inputs.iter().map(|input| input.weight.clone());
        let all = weights().fold(T::zero(), |sum, weight| sum + weight);
        let outcomes = || self.inputs.iter().map(|input| 1_usize << input.width);
        let truth = |input: &IndistinguishableStates<'i, T>| {
            (0..1_usize << input.width)
                .map(|z| T::indicator(z == input.truth))
                .collect()
        };
        let most = scaled_budget(self.training.budget, MAX_CELLS);
        if outcomes().sum::<usize>() as u64 > most.steps {
            return Err(most
                .limit_exceeded_error(
                    "combinations of the subclaims' truth values in one round of training",
                )
                .into());
        }
        Ok(TrainingTarget {
            mu: weights().map(|weight| weight / all.clone()).collect(),
            g: self.inputs.iter().map(truth).collect(),
            outcomes: outcomes().max().unwrap_or(1),
            delta: delta.clone(),
        })
    }

    /// Returns the next round of the training. It follows the current round if the estimator gives the estimates
    /// `round_estimates`. It has no inputs if no further estimate is requested.
    pub(super) fn next_round(
        &self,
        round_estimates: &RoundEstimates<T>,
    ) -> Result<Self, TrainingError> {
        let training = self.training;
        // Merges states with the same future.
        let mut indices = HashMap::new();
        let mut entered: Vec<(usize, ReachedState<'i, T>)> = Vec::new();
        for (input, estimates) in self.inputs.iter().zip(round_estimates) {
            for point in &input.points {
                for (_, point) in training.play_round(point, estimates)? {
                    for point in training.advance_to_bet(input.world, point)? {
                        let key = (input.world, point.at.state_key(false));
                        let index = *indices.entry(key).or_insert(entered.len());
                        match entered.get_mut(index) {
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
            for (_, bet) in training.branch(world, point)? {
                // At a leaf no further estimate is requested.
                if !bet.is_asked(|request| matches!(request, Request::Support { .. })) {
                    continue;
                }
                for (_, point) in training.branch(world, bet)? {
                    next.add(world, point, &mut rows)?;
                }
            }
        }
        Ok(next)
    }

    /// Adds a state of a debate to the round's training inputs: a state in which the estimator receives a request.
    /// States that look the same to the estimator share an input.
    fn add(
        &mut self,
        world: usize,
        point: ReachedState<'i, T>,
        rows: &mut HashMap<(usize, InformationSet), usize>,
    ) -> Result<(), TrainingError> {
        let view = View::new(rules(&point.at.state)?, Seat::Opponent);
        let set = information_set(view);
        let index = *rows
            .entry((world, set.clone()))
            .or_insert(self.inputs.len());
        if let Some(input) = self.inputs.get_mut(index) {
            input.weight += point.weight.clone();
            input.points.push(point);
            return Ok(());
        }
        let on = &view.last_chosen_support_or_empty().on;
        let instance = self.training.instances[world];
        let truth = on.iter().try_fold(0, |row, claim| {
            let truth = instance.truth(*claim).ok_or(TrainingError::Undecided)?;
            Ok::<_, TrainingError>(row << 1 | usize::from(truth))
        })?;
        self.inputs.push(IndistinguishableStates {
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
) -> Result<&'s ProverEstimatorDebate<'i, T>, TrainingError> {
    <&ProverEstimatorDebate<'i, T>>::try_from(state).map_err(|_other| TrainingError::Protocol)
}

/// Returns what the estimator knows at its request in this debate.
pub(super) fn information_set<N: Number>(
    view: View<'_, ProverEstimatorDebate<'_, N>>,
) -> InformationSet {
    let chosen = view.last_chosen_support_or_empty();
    let mut offered = (0..).zip(view.available_supports());
    let support = offered.find(|(_, offered)| std::ptr::eq(*offered, chosen));
    InformationSet {
        round: view.round(),
        claim: view.claim_under_discussion(),
        support: support.map_or(0, |(index, _)| index),
        answer: view.visible_root_answer(),
        p: in_units(view.claim_probability()),
        root_p: in_units(view.root_claim_estimate()),
    }
}

/// Converts a probability to an integer number of units of 10⁻¹².
#[expect(clippy::cast_possible_truncation, reason = "at most 10¹²")]
fn in_units<N: Number>(p: &N) -> i64 {
    (p.to_float() * 1e12).round() as i64
}

/// Returns the values of the round's own test, one for each outcome z of the subclaims: the mean of A_k · M(z), the
/// prover's bet times the gate's value. At the root, z is the root claim's outcome, and the value is 1 if z equals the
/// prover's answer.
fn own_test<T: Number>(input: &IndistinguishableStates<'_, T>) -> Vec<T> {
    let mut values = vec![T::zero(); 1 << input.width];
    for point in &input.points {
        let share = point.weight.clone() / input.weight.clone();
        let Ok(rules) = rules(&point.at.state) else {
            continue;
        };
        let view = View::new(rules, Seat::Prover);
        for (z, value) in values.iter_mut().enumerate() {
            let says = match view.visible_bet() {
                None => i64::from(point.at.state.answer() == Some(z == 1)),
                Some(bet) => {
                    let digits = (0..input.width).rev().map(|at| z >> at & 1 == 1);
                    i64::from(bet.sign())
                        * i64::from(
                            view.last_chosen_support_or_empty()
                                .gate
                                .value_for_outcomes(digits),
                        )
                }
            };
            *value += share.clone() * T::ratio(says, 1);
        }
    }
    values
}

/// The tests that the estimates of one round must pass, in order.
pub(super) struct EstimatorTestsOfRound<'s, 't, 'i, T: Number> {
    round: &'s RoundTrainingInputs<'t, 'i, T>,
    outcomes: usize,
    own: Rc<Vec<Vec<T>>>,
}

impl<'s, 't, 'i, T: Number> EstimatorTestsOfRound<'s, 't, 'i, T> {
    pub(super) fn new(round: &'s RoundTrainingInputs<'t, 'i, T>, outcomes: usize) -> Self {
        Self {
            round,
            outcomes,
            own: Rc::new(round.inputs.iter().map(own_test).collect()),
        }
    }

    /// Returns the displayed names of the round's tests.
    pub(super) fn round_test_names(&self, is_root: bool) -> Vec<String> {
        let own = if is_root { "z = A" } else { "A_k · M(z)" };
        let digits = self.outcomes.trailing_zeros() as usize;
        let point = |z: usize| format!("z = {z:0digits$b}");
        let named = [own, "A_{k-1} · z_j"].map(str::to_owned);
        named
            .into_iter()
            .chain((0..self.outcomes).map(point))
            .collect()
    }

    /// Returns the mean of A_{k−1} · z_j for each input and outcome z: the prover's next bet, times the outcome of the
    /// subclaim on which she bets.
    fn next_bets(&self, h: &[Vec<T>]) -> Result<Vec<Vec<T>>, TrainingError> {
        let training = self.round.training;
        let each = self.round.inputs.iter().zip(h);
        each.map(|(input, h)| {
            let estimates = ConditionalEstimates::conditional_estimates_of_distribution(h);
            let mut values = vec![T::zero(); h.len()];
            for point in &input.points {
                let share = point.weight.clone() / input.weight.clone();
                for (z, end) in training.play_round(point, &estimates)? {
                    values[z] += share.clone() * training.mean_next_bet(input, z, &end)?;
                }
            }
            Ok(values)
        })
        .collect()
    }
}

impl<T: Number> EstimatorTestSequence<T> for EstimatorTestsOfRound<'_, '_, '_, T> {
    type Error = TrainingError;

    fn count(&self) -> usize {
        2 + self.outcomes
    }

    fn values(
        &mut self,
        test: usize,
        h: &[Vec<T>],
    ) -> Result<TestValuesByInputAndOutcome<T>, TrainingError> {
        Ok(match test {
            0 => TestValuesByInputAndOutcome::Table(Rc::clone(&self.own)),
            1 => TestValuesByInputAndOutcome::Table(Rc::new(self.next_bets(h)?)),
            point => TestValuesByInputAndOutcome::Point(point - 2),
        })
    }
}
