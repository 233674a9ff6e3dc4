//! Built-in players of plain recursive debate.

use super::prover_estimator::provers::{InformedProver, InformedProverBehaviour};
use super::registry::{StrategyEntry, StrategyParameter, boxed_strategy};
use super::{Policy, ReplyDistribution, StrategyMemoryAndCosts};
use crate::number::{Number, to_u32_saturating};
use crate::protocol::{
    BitString, BitsMeaning, ProtocolKind, RecursiveDebate, Reply, Request, Seat, View,
};
use crate::scenario::{ClaimId, InformedReader};

type RecursiveView<'v, 'a, N> = View<'v, RecursiveDebate<'a, N>>;

/// A prover of recursion over claims: an honest one, an obfuscator that hides one flaw among many subclaims, or a
/// random one.
#[derive(Clone, Copy, Debug)]
pub enum RecursiveProver<'a> {
    /// The honest prover answers every claim truthfully. The obfuscator answers the root falsely and takes the support
    /// that hides a flaw best. It then calls as many subclaims true as its answer to the claim allows.
    Informed(InformedProver<'a>),
    /// A prover that gives legal replies at random. For its answers to subclaims, it draws random answers and takes the
    /// nearest legal ones.
    Random,
}

impl RecursiveProver<'_> {
    fn answers<N: Number>(
        &self,
        view: RecursiveView<'_, '_, N>,
        result: bool,
    ) -> Option<ReplyDistribution<N>> {
        let support = view.last_chosen_support_or_empty();
        let nearest_outcomes = |wish: &[bool]| {
            Some(BitString::from(
                support.gate.nearest_outcomes_giving_value(wish, result)?,
            ))
        };
        let wish: Vec<bool> = match self {
            Self::Informed(prover) => {
                let hides = prover.manner == InformedProverBehaviour::Obfuscator;
                let truth = |y: &ClaimId| prover.informed.truth(*y).unwrap_or(false);
                support.on.iter().map(|y| hides || truth(y)).collect()
            }
            Self::Random => return random_answers(support.on.len(), nearest_outcomes),
        };
        nearest_outcomes(&wish).map(|bits| ReplyDistribution::Certain(Reply::Bits(bits)))
    }
}

/// Returns the distribution of the random prover's answers to `width` subclaims. The prover draws one of several lists
/// of answers, and makes the fewest changes with which the gate gives its answer to the claim. It draws from all lists
/// for up to eight subclaims, else from the lists with at most one true or at most one false answer.
fn random_answers<N: Number>(
    width: usize,
    nearest_outcomes: impl Fn(&[bool]) -> Option<BitString>,
) -> Option<ReplyDistribution<N>> {
    let wishes: Vec<Vec<bool>> = if width <= 8 {
        let wish = |w: usize| (0..width).map(|i| w >> i & 1 == 1).collect();
        (0_usize..1 << width).map(wish).collect()
    } else {
        let all_but = |kind: bool, one: usize| (0..width).map(|i| (i == one) != kind).collect();
        let kinds = [true, false].into_iter();
        kinds
            .flat_map(|kind| (0..=width).map(move |one| all_but(kind, one)))
            .collect()
    };
    let replies = wishes
        .iter()
        .map(|wish| nearest_outcomes(wish).map(Reply::Bits));
    replies
        .collect::<Option<_>>()
        .map(ReplyDistribution::uniform_among)
}

impl<'a, N: Number> Policy<N, RecursiveDebate<'a, N>> for RecursiveProver<'_> {
    fn choose(
        &self,
        view: RecursiveView<'_, 'a, N>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        Some(match (request, self) {
            (
                Request::Bits {
                    ask: BitsMeaning::Answers { result, .. },
                    ..
                },
                _,
            ) => return self.answers(view, *result),
            (Request::Answer { .. }, Self::Random) => ReplyDistribution::uniform_yes_no_answer(),
            (Request::Support { .. }, Self::Random) => {
                ReplyDistribution::uniform_over_numbered_replies(
                    view.available_supports().len(),
                    Reply::Support,
                )
            }
            (Request::Bits { .. }, Self::Random) => {
                ReplyDistribution::uniform_bit_reply_distribution()
            }
            (Request::Answer { .. }, Self::Informed(prover)) => ReplyDistribution::Certain(
                Reply::Answer(prover.answer(view.claim_under_discussion())),
            ),
            (Request::Support { .. }, Self::Informed(prover)) => ReplyDistribution::Certain(
                Reply::Support(to_u32_saturating(prover.place(view.available_supports()))),
            ),
            (
                Request::Bits {
                    ask: BitsMeaning::Proof(bit),
                    ..
                },
                Self::Informed(prover),
            ) => ReplyDistribution::certain_one_bit_reply(prover.proof_bit(*bit)),
            _ => return None,
        })
    }
}

/// An opponent of recursive debate.
#[derive(Clone, Copy, Debug)]
pub enum RecursiveOpponent<'a> {
    /// An opponent that knows every truth and contests the first false answer, or the first subclaim if no answer is
    /// false.
    Honest(InformedReader<'a>),
    /// An opponent with a limited number of leaf queries in a debate. To check a subclaim, it pays for all leaves below
    /// it. It checks the subclaims in order, but skips those for which too few queries are left. It contests the first
    /// false answer that it finds. If it finds none, it contests a skipped subclaim, each equally likely, or the first
    /// subclaim if it skipped none.
    Bounded {
        /// The reader that knows every truth. The opponent asks it about a claim only after paying the leaf queries.
        informed: InformedReader<'a>,
        /// The number of leaf queries.
        queries: u64,
    },
    /// Any subclaim, each equally likely.
    Random,
}

impl RecursiveOpponent<'_> {
    /// Returns `Some(0)` if the opponent disputes that a claim follows from its subclaims, else `None`. It disputes the
    /// step if it knows, or can pay one query to find out, that the step's warrant is false.
    fn disputes(&self, warrant: ClaimId, policy_state: &mut StrategyMemoryAndCosts) -> Option<u64> {
        let informed = match self {
            Self::Honest(informed) => informed,
            Self::Bounded { informed, queries } if policy_state.memory.0[0] < *queries => {
                policy_state.memory.0[0] += 1;
                policy_state.spent.oracle_queries += 1;
                informed
            }
            Self::Bounded { .. } | Self::Random => return None,
        };
        (informed.truth(warrant) == Some(false)).then_some(0)
    }

    fn bounded<N: Number>(
        informed: InformedReader<'_>,
        queries: u64,
        view: RecursiveView<'_, '_, N>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> ReplyDistribution<N> {
        let select = |index: usize| Reply::Select(to_u32_saturating(index));
        let mut unchecked = Vec::new();
        for (index, (claim, answer)) in view
            .last_chosen_support_or_empty()
            .on
            .iter()
            .zip(view.claimed_subclaim_answers())
            .enumerate()
        {
            let cost = informed.leaf_count_under(*claim);
            if cost > queries - policy_state.memory.0[0] {
                unchecked.push(index);
                continue;
            }
            policy_state.memory.0[0] += cost;
            policy_state.spent.oracle_queries += cost;
            if informed.truth(*claim).is_some_and(|truth| truth != *answer) {
                return ReplyDistribution::Certain(select(index));
            }
        }
        if unchecked.is_empty() {
            return ReplyDistribution::Certain(select(0));
        }
        ReplyDistribution::uniform_among(unchecked.into_iter().map(select).collect())
    }
}

impl<'a, N: Number> Policy<N, RecursiveDebate<'a, N>> for RecursiveOpponent<'_> {
    fn choose(
        &self,
        view: RecursiveView<'_, 'a, N>,
        request: &Request<N>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let count = match request {
            Request::Challenge { claim, .. } => {
                return Some(ReplyDistribution::Certain(Reply::Challenge(
                    self.disputes(*claim, policy_state),
                )));
            }
            Request::Select { count, .. } => count,
            _ => return None,
        };
        Some(match self {
            Self::Honest(informed) => {
                let mut claims = view
                    .last_chosen_support_or_empty()
                    .on
                    .iter()
                    .zip(view.claimed_subclaim_answers());
                let wrong = claims.position(|(y, answer)| {
                    informed.truth(*y).is_some_and(|truth| truth != *answer)
                });
                ReplyDistribution::Certain(Reply::Select(to_u32_saturating(wrong.unwrap_or(0))))
            }
            Self::Bounded { informed, queries } => {
                Self::bounded(*informed, *queries, view, policy_state)
            }
            Self::Random => {
                ReplyDistribution::uniform_over_numbered_replies(*count as usize, Reply::Select)
            }
        })
    }
}

/// Returns the built-in players of plain recursive debate by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::entry_builder(ProtocolKind::Recursive, Seat::Prover);
    let opponent = StrategyEntry::entry_builder(ProtocolKind::Recursive, Seat::Opponent);
    vec![
        prover("honest", |order| {
            boxed_strategy(RecursiveProver::Informed(InformedProver::of(
                order,
                InformedProverBehaviour::Honest,
            )?))
        }),
        prover("obfuscator", |order| {
            boxed_strategy(RecursiveProver::Informed(InformedProver::of(
                order,
                InformedProverBehaviour::Obfuscator,
            )?))
        }),
        prover("random", |_| boxed_strategy(RecursiveProver::Random)),
        opponent("honest", |order| {
            boxed_strategy(RecursiveOpponent::Honest(order.reader_of_all_truths()?))
        }),
        opponent("bounded", |order| {
            let informed = order.truth_reader();
            let queries = order.first_count_or_zero();
            boxed_strategy(RecursiveOpponent::Bounded { informed, queries })
        })
        .with_parameters(&[StrategyParameter::Count("queries")]),
        opponent("random", |_| boxed_strategy(RecursiveOpponent::Random))
            .mark_as_using_no_claim_knowledge(),
    ]
}
