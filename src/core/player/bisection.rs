//! Built-in players of bisection.

use std::sync::Arc;

use super::registry::{
    StrategyBuildError, StrategyBuildInputs, StrategyEntry, StrategyParameter, boxed_strategy,
};
use super::{ChallengeStrategy, Policy, ReplyDistribution, StrategyMemoryAndCosts};
use crate::number::Number;
use crate::protocol::{BisectionDebate, BitsMeaning, ProtocolKind, Reply, Request, Seat, View};
use crate::scenario::MachineRun;

type BisectionView<'v, 'a, N> = View<'v, BisectionDebate<'a, N>>;

/// A built-in prover of bisection: it states configurations of the machine's true run, of a run with one false step, or
/// with a random bit flipped.
#[derive(Clone, Debug)]
pub enum BisectionProver {
    /// Gives the true configurations.
    Honest(Arc<dyn MachineRun>),
    /// States the true configurations before the time of a false step, and an accepting configuration from that time
    /// on. Only the step that ends at that time is false.
    Liar {
        /// The machine.
        run: Arc<dyn MachineRun>,
        /// The number of the false step, from 1 to T, the length of the run.
        step: u64,
    },
    /// Each time, states the true configuration, unchanged or with one flipped bit. All these configurations (one more
    /// than there are bits) are equally likely.
    Random(Arc<dyn MachineRun>),
}

impl BisectionProver {
    fn configuration<N: Number>(&self, time: u64) -> Option<ReplyDistribution<N>> {
        let bits = match self {
            Self::Honest(run) => run.at(time)?,
            Self::Liar { run, step } => {
                let truth = run.at(time.min(step.saturating_sub(1)))?;
                if time < *step {
                    truth
                } else {
                    run.accepting_configuration(&truth)
                }
            }
            Self::Random(run) => {
                let truth = run.at(time)?;
                let count = truth.len() as u64 + 1;
                return Some(ReplyDistribution::uniform_computed(count, move |index| {
                    let bit = crate::number::index_saturating(index).checked_sub(1);
                    Reply::Bits(
                        bit.map_or_else(|| truth.clone(), |bit| truth.with_bit_flipped(bit)),
                    )
                }));
            }
        };
        Some(ReplyDistribution::Certain(Reply::Bits(bits)))
    }
}

impl<'a, N: Number> Policy<N, BisectionDebate<'a, N>> for BisectionProver {
    fn choose(
        &self,
        _view: BisectionView<'_, 'a, N>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        match request {
            Request::Bits {
                ask: BitsMeaning::Configuration { time },
                ..
            } => self.configuration(*time),
            _ => None,
        }
    }
}

/// An opponent of bisection.
#[derive(Clone, Copy, Debug)]
pub enum BisectionOpponent {
    /// Runs the machine from the last agreed configuration to the middle. Disputes the first half if the result differs
    /// from the prover's configuration, else the second half.
    Honest,
    /// Disputes the half that the honest opponent would not dispute: a half without a false step, if there is one.
    FalseAlarm,
    /// Disputes either half, each equally likely.
    Random,
}

impl<'a, N: Number> Policy<N, BisectionDebate<'a, N>> for BisectionOpponent {
    fn as_challenge_rule(&self) -> Option<ChallengeStrategy> {
        Some(ChallengeStrategy::Bisector)
    }

    fn choose(
        &self,
        view: BisectionView<'_, 'a, N>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let Request::Select { count, .. } = request else {
            return None;
        };
        let (from, middle, _) = view.first_middle_last_disputed_time();
        let is_true = || {
            let comes = view
                .machine_run()
                .follow(view.configuration_at_disputed_start(), middle - from);
            comes.is_some() && comes.as_ref() == view.latest_given_configuration()
        };
        let index = match self {
            Self::Honest => u32::from(is_true()),
            Self::FalseAlarm => u32::from(!is_true()),
            Self::Random => {
                return Some(ReplyDistribution::uniform_over_numbered_replies(
                    *count as usize,
                    Reply::Select,
                ));
            }
        };
        Some(ReplyDistribution::Certain(Reply::Select(index)))
    }
}

/// Returns the machine's true run, which this player must be able to compute.
fn run(order: &StrategyBuildInputs<'_, '_>) -> Result<Arc<dyn MachineRun>, StrategyBuildError> {
    order.reader_of_all_truths()?;
    let run = order.instance.run();
    run.ok_or(StrategyBuildError::Undecidable(order.name))
}

/// Returns the built-in players of bisection by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::entry_builder(ProtocolKind::Bisection, Seat::Prover);
    let opponent = StrategyEntry::entry_builder(ProtocolKind::Bisection, Seat::Opponent);
    vec![
        prover("honest", |order| {
            boxed_strategy(BisectionProver::Honest(run(order)?))
        }),
        prover("liar", |order| {
            let run = run(order)?;
            let last = run.steps();
            let step = order.first_count_if_given().unwrap_or(last).clamp(1, last);
            boxed_strategy(BisectionProver::Liar { run, step })
        })
        .with_parameters(&[StrategyParameter::OptionalCount("step")]),
        prover("random", |order| {
            boxed_strategy(BisectionProver::Random(run(order)?))
        }),
        opponent("honest", |order| {
            run(order).and_then(|_| boxed_strategy(BisectionOpponent::Honest))
        }),
        opponent("false-alarm", |order| {
            run(order).and_then(|_| boxed_strategy(BisectionOpponent::FalseAlarm))
        }),
        opponent("random", |_| boxed_strategy(BisectionOpponent::Random)),
    ]
}
