//! Built-in players of plain recursive debate.

use super::prover_estimator::provers::{hiding_place, sound_place};
use super::registry::{Parameter, StrategyEntry, built};
use super::{Choice, Policy, PolicyState};
use crate::number::{Number, small};
use crate::protocol::{Ask, Bits, Kind, Recursive, Reply, Request, Seat, View};
use crate::scenario::{BitId, ClaimId, Informed};

type RecursiveView<'v, 'a, N> = View<'v, Recursive<'a, N>>;

/// A prover of recursive debate: the truth, or one flaw hidden among many.
#[derive(Clone, Copy, Debug)]
pub enum Prover<'a> {
    /// Claims every truth.
    Honest(Informed<'a>),
    /// Answers the root falsely, takes the support with the fewest false subclaims but at least
    /// one, and claims all of them true (or as many as make the gate give its claim).
    Obfuscator(Informed<'a>),
    /// Any legal reply; of the claimed answers those nearest to a random wish.
    Random,
}

impl Prover<'_> {
    fn answer<N: Number>(&self, view: RecursiveView<'_, '_, N>) -> Choice<N> {
        let truth = |informed: &Informed<'_>| informed.truth(view.claim()).unwrap_or(false);
        Choice::Sure(Reply::Answer(match self {
            Self::Honest(informed) => truth(informed),
            Self::Obfuscator(informed) => !truth(informed),
            Self::Random => return Choice::any_answer(),
        }))
    }

    fn support<N: Number>(&self, view: RecursiveView<'_, '_, N>) -> Choice<N> {
        let offered = view.offered();
        let place = match self {
            Self::Honest(informed) => sound_place(*informed, offered),
            Self::Obfuscator(informed) => hiding_place(*informed, offered),
            Self::Random => return Choice::even(offered.len(), Reply::Support),
        };
        Choice::Sure(Reply::Support(small(place)))
    }

    fn answers<N: Number>(
        &self,
        view: RecursiveView<'_, '_, N>,
        result: bool,
    ) -> Option<Choice<N>> {
        let support = view.support();
        let nearest = |wish: &[bool]| Some(Bits::from(support.gate.nearest(wish, result)?));
        let wish: Vec<bool> = match self {
            Self::Honest(informed) => {
                let truth = |y: &ClaimId| informed.truth(*y).unwrap_or(false);
                support.on.iter().map(truth).collect()
            }
            Self::Obfuscator(_) => vec![true; support.on.len()],
            Self::Random => return random_answers(support.on.len(), nearest),
        };
        nearest(&wish).map(|bits| Choice::Sure(Reply::Bits(bits)))
    }

    fn bit<N: Number>(&self, index: BitId) -> Choice<N> {
        let value = match self {
            Self::Honest(informed) => informed.bit(index),
            Self::Obfuscator(_) => true,
            Self::Random => return Choice::any_bit(),
        };
        Choice::bit(value)
    }
}

/// For each of finitely many wishes the nearest answers that support the claim: all wishes up to
/// eight subclaims, beyond that those with at most one true or at most one false.
fn random_answers<N: Number>(
    width: usize,
    nearest: impl Fn(&[bool]) -> Option<Bits>,
) -> Option<Choice<N>> {
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
    let replies = wishes.iter().map(|wish| nearest(wish).map(Reply::Bits));
    replies.collect::<Option<_>>().map(Choice::each_of)
}

impl<'a, N: Number> Policy<N, Recursive<'a, N>> for Prover<'_> {
    fn choose(
        &self,
        view: RecursiveView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        match request {
            Request::Answer { .. } => Some(self.answer(view)),
            Request::Support { .. } => Some(self.support(view)),
            Request::Bits {
                ask: Ask::Answers { result, .. },
                ..
            } => self.answers(view, *result),
            Request::Bits {
                ask: Ask::Proof(bit),
                ..
            } => Some(self.bit(*bit)),
            _ => None,
        }
    }
}

/// An opponent of recursive debate.
#[derive(Clone, Copy, Debug)]
pub enum Opponent<'a> {
    /// Knows every truth and contests the first false answer.
    Honest(Informed<'a>),
    /// May spend so many leaf queries of its own in a debate: checks subclaims in order, each at
    /// the cost of all leaves under it, as long as it can pay; contests a false answer that it
    /// found, else one of those that it could not check, each as likely.
    Bounded {
        /// Asked for a truth only when it is paid for.
        informed: Informed<'a>,
        /// The number of leaf queries.
        queries: u64,
    },
    /// Any subclaim, each as likely.
    Random,
}

impl Opponent<'_> {
    /// Whether it disputes a step: where it knows, or can pay to find out, that it does not follow.
    fn disputes(&self, warrant: ClaimId, mind: &mut PolicyState) -> Option<u64> {
        let informed = match self {
            Self::Honest(informed) => informed,
            Self::Bounded { informed, queries } if mind.memory.0[0] < *queries => {
                mind.memory.0[0] += 1;
                mind.spent.oracle_queries += 1;
                informed
            }
            Self::Bounded { .. } | Self::Random => return None,
        };
        (informed.truth(warrant) == Some(false)).then_some(0)
    }

    fn bounded<N: Number>(
        informed: Informed<'_>,
        queries: u64,
        view: RecursiveView<'_, '_, N>,
        mind: &mut PolicyState,
    ) -> Choice<N> {
        let select = |place: usize| Reply::Select(small(place));
        let mut unchecked = Vec::new();
        for (place, (claim, answer)) in view.support().on.iter().zip(view.answers()).enumerate() {
            let cost = informed.leaves_under(*claim);
            if cost > queries - mind.memory.0[0] {
                unchecked.push(place);
                continue;
            }
            mind.memory.0[0] += cost;
            mind.spent.oracle_queries += cost;
            if informed.truth(*claim).is_some_and(|truth| truth != *answer) {
                return Choice::Sure(select(place));
            }
        }
        if unchecked.is_empty() {
            return Choice::Sure(select(0));
        }
        Choice::each_of(unchecked.into_iter().map(select).collect())
    }
}

impl<'a, N: Number> Policy<N, Recursive<'a, N>> for Opponent<'_> {
    fn choose(
        &self,
        view: RecursiveView<'_, 'a, N>,
        request: &Request<N>,
        mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        let count = match request {
            Request::Challenge { claim, .. } => {
                return Some(Choice::Sure(Reply::Challenge(self.disputes(*claim, mind))));
            }
            Request::Select { count, .. } => count,
            _ => return None,
        };
        Some(match self {
            Self::Honest(informed) => {
                let mut claims = view.support().on.iter().zip(view.answers());
                let wrong = claims.position(|(y, answer)| {
                    informed.truth(*y).is_some_and(|truth| truth != *answer)
                });
                Choice::Sure(Reply::Select(small(wrong.unwrap_or(0))))
            }
            Self::Bounded { informed, queries } => Self::bounded(*informed, *queries, view, mind),
            Self::Random => Choice::even(*count as usize, Reply::Select),
        })
    }
}

/// The built-in players of plain recursive debate by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::maker(Kind::Recursive, Seat::Prover);
    let opponent = StrategyEntry::maker(Kind::Recursive, Seat::Opponent);
    vec![
        prover("honest", |order| built(Prover::Honest(order.truths()?))),
        prover("obfuscator", |order| {
            built(Prover::Obfuscator(order.truths()?))
        }),
        prover("random", |_| built(Prover::Random)),
        opponent("honest", |order| {
            built(Opponent::Honest(order.omniscient()?))
        }),
        opponent("bounded", |order| {
            let (informed, queries) = (order.informed(), order.count());
            built(Opponent::Bounded { informed, queries })
        })
        .taking(&[Parameter::Count("queries")]),
        opponent("random", |_| built(Opponent::Random)).asking_nothing(),
    ]
}
