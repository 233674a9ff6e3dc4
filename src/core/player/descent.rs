//! Built-in players of the descent, a debate that goes from a circuit's output down to one of its inputs.

use super::registry::{StrategyEntry, boxed_strategy};
use super::{Policy, ReplyDistribution, StrategyMemoryAndCosts};
use crate::number::Number;
use crate::protocol::{CircuitDescentDebate, ProtocolKind, Reply, Request, Seat, View};
use crate::scenario::InformedReader;

type DescentView<'v, 'a, N> = View<'v, CircuitDescentDebate<'a, N>>;

/// A player of the descent.
#[derive(Clone, Copy, Debug)]
pub enum CircuitDescentPlayer<'a> {
    /// As Alice: states the true output and selects the gate inputs that prove it. As Bob: disputes a gate input whose
    /// claimed value is false.
    Honest(InformedReader<'a>),
    /// As Alice: states the wrong output and selects gate inputs that have their claimed value, else the input
    /// with the longer path of gates below it. As Bob: disputes a gate input whose claimed value is true.
    Dishonest(InformedReader<'a>),
    /// States any answer and selects any input, each equally likely.
    Random,
}

/// Returns the first of the gate's two inputs whose claim has the truth value `truth`; `None` if neither has it.
fn first<N: Number>(
    informed: InformedReader<'_>,
    view: DescentView<'_, '_, N>,
    truth: bool,
) -> Option<u32> {
    let [one, other] = view
        .selectable_input_claims()?
        .map(|part| informed.truth(part) == Some(truth));
    match (one, other) {
        (true, _) => Some(0),
        (false, true) => Some(1),
        (false, false) => None,
    }
}

/// Returns the gate input with the longer path below it in the circuit.
fn deeper<N: Number>(view: DescentView<'_, '_, N>) -> u32 {
    let levels = view.and_or_depths_below_gate_under_discussion();
    u32::from(levels.is_some_and(|[one, other]| other > one))
}

impl<'a, N: Number> Policy<N, CircuitDescentDebate<'a, N>> for CircuitDescentPlayer<'_> {
    fn choose(
        &self,
        view: DescentView<'_, 'a, N>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let (informed, honest) = match self {
            Self::Honest(informed) => (*informed, true),
            Self::Dishonest(informed) => (*informed, false),
            Self::Random => {
                return match request {
                    Request::Answer { .. } => Some(ReplyDistribution::uniform_yes_no_answer()),
                    Request::Select { .. } => Some(
                        ReplyDistribution::uniform_over_numbered_replies(2, Reply::Select),
                    ),
                    _ => None,
                };
            }
        };
        Some(ReplyDistribution::Certain(match request {
            Request::Answer { .. } => {
                Reply::Answer(informed.truth(view.claim_under_discussion())? == honest)
            }
            Request::Select { .. } if view.viewing_seat() == Seat::Prover => {
                Reply::Select(first(informed, view, true).unwrap_or_else(|| deeper(view)))
            }
            Request::Select { .. } => Reply::Select(first(informed, view, !honest).unwrap_or(0)),
            _ => return None,
        }))
    }
}

/// Returns the built-in players of the circuit descent, each with its name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::entry_builder(ProtocolKind::Descent, Seat::Prover);
    let opponent = StrategyEntry::entry_builder(ProtocolKind::Descent, Seat::Opponent);
    vec![
        prover("honest", |order| {
            boxed_strategy(CircuitDescentPlayer::Honest(order.reader_of_all_truths()?))
        }),
        prover("liar", |order| {
            boxed_strategy(CircuitDescentPlayer::Dishonest(
                order.reader_of_all_truths()?,
            ))
        }),
        prover("random", |_| boxed_strategy(CircuitDescentPlayer::Random)),
        opponent("honest", |order| {
            boxed_strategy(CircuitDescentPlayer::Honest(order.reader_of_all_truths()?))
        }),
        opponent("false-alarm", |order| {
            boxed_strategy(CircuitDescentPlayer::Dishonest(
                order.reader_of_all_truths()?,
            ))
        }),
        opponent("random", |_| boxed_strategy(CircuitDescentPlayer::Random)),
    ]
}
