//! The replies to a request of somebody who chooses, and the outcomes of a draw with their probabilities.

use std::ops::Range;

use super::StateKey;
use crate::expectation::{ProofPlan, Unsolved};
use debate_core::bits::Bits;
use debate_core::chance::{binomial_law, binomial_outside};
use debate_core::number::{Exact, Number};
use debate_core::protocol::{Bet, Draw, Reply, Request, Seat, Turn};

/// The most replies of one kind that the best is looked for among.
const MAX_REPLIES: u64 = 4096;

/// Every reply to a request; of probabilities those of the grid. Some may be illegal.
pub(crate) fn every_reply<N: Number>(
    turn: &Turn<N>,
    grid: &[N],
) -> Result<Vec<Reply<N>>, Unsolved> {
    let few = |count: Option<u64>| match count {
        Some(count) if count <= MAX_REPLIES => Ok(count),
        _ => Err(Unsolved::Endless(turn.seat)),
    };
    Ok(match &turn.request {
        Request::Answer { .. } => [true, false].map(Reply::Answer).into(),
        Request::Probability { .. } | Request::Share { .. } => {
            grid.iter().cloned().map(Reply::Probability).collect()
        }
        Request::Direction { .. } => Bet::ALL.map(Reply::Direction).into(),
        Request::Support { offered, .. } => (0..*offered).map(Reply::Support).collect(),
        Request::Select { count, .. } => (0..*count).map(Reply::Select).collect(),
        Request::Challenge { steps, .. } => {
            few(steps.end.checked_sub(steps.start))?;
            let each = std::iter::once(None).chain(steps.clone().map(Some));
            each.map(Reply::Challenge).collect()
        }
        Request::Bits { length, .. } => {
            let count = few(1_u64.checked_shl(*length))?;
            let bits = |number| Reply::Bits(Bits::of_number(number, *length));
            (0..count).map(bits).collect()
        }
        Request::Continue { .. } => [true, false].map(Reply::Continue).into(),
        // Nobody lists what can be said.
        Request::Speech { .. } => return Err(Unsolved::Endless(turn.seat)),
        Request::Oracle { .. } => {
            let verdict = |holds| Reply::Oracle {
                holds,
                confidence: None,
            };
            [true, false].map(verdict).into()
        }
        Request::Draw { .. } => return Err(Unsolved::NoReply(turn.seat)),
    })
}

/// What somebody may reply who chooses.
#[derive(Clone, Debug)]
pub(crate) struct Replies<N> {
    /// The probabilities that may be said.
    pub(crate) grid: Vec<N>,
    /// The proof bits that are settled beforehand.
    pub(crate) proof: ProofPlan,
    /// The only answer to the root claim that may be given.
    pub(crate) answers: Option<bool>,
}

impl<N> Default for Replies<N> {
    fn default() -> Self {
        Self {
            grid: Vec::new(),
            proof: ProofPlan::default(),
            answers: None,
        }
    }
}

impl<N: Number> Replies<N> {
    /// Every reply to a request that is left; some may be illegal.
    pub(crate) fn to(&self, turn: &Turn<N>) -> Result<Vec<Reply<N>>, Unsolved> {
        let bit = turn.request.proof_bit();
        if let Some(value) = bit.and_then(|bit| self.proof.value(bit)) {
            return Ok(vec![Reply::Bits(Bits::from(vec![value]))]);
        }
        let mut each = every_reply(turn, &self.grid)?;
        if let Some(only) = self.answers {
            each.retain(|reply| !matches!(reply, Reply::Answer(answer) if *answer != only));
        }
        Ok(each)
    }
}

/// The outcomes of a draw with their probabilities: of those that are `equivalent` one, and of all
/// others one.
pub(crate) fn outcomes<N: Number>(
    draw: &Draw<N>,
    equivalent: Option<Range<u64>>,
) -> Result<Vec<(N, Reply<N>)>, Unsolved> {
    let each: Vec<(N, u64)> = match (draw, equivalent) {
        (Draw::Bernoulli(p), _) => vec![(p.clone(), 1), (N::one() - p.clone(), 0)],
        (Draw::Binomial { count, p }, Some(equivalent)) => {
            let outside = match u32::try_from(*count) {
                Ok(few) if *count <= MOST_EACH => {
                    let law = (0..).zip(binomial_law(few, p));
                    let outside = law.filter(|(ones, _)| !equivalent.contains(ones));
                    outside.fold(N::zero(), |sum, (_, chance)| sum + chance)
                }
                _ => N::from_exact(&exactly(binomial_outside(
                    *count,
                    p.to_float(),
                    &equivalent,
                ))),
            };
            // Any that is no member stands for all of those.
            let other = if equivalent.start > 0 {
                0
            } else {
                equivalent.end
            };
            let inside = N::one() - outside.clone();
            let possible = |ones: u64| !(p.is_zero() && ones > 0 || p.is_one() && ones < *count);
            let within = equivalent.clone().find(|ones| possible(*ones));
            let beyond = [other, equivalent.end, *count];
            let beyond = beyond
                .into_iter()
                .find(|ones| possible(*ones) && !equivalent.contains(ones));
            let given = |chance: N, ones: Option<u64>| Some((chance, ones?));
            let both = [given(inside, within), given(outside, beyond)];
            both.into_iter().flatten().collect()
        }
        (Draw::Binomial { count, p }, _) => {
            let few = u32::try_from(*count).map_err(|_many| Unsolved::Endless(Seat::Chance))?;
            binomial_law(few, p).into_iter().zip(0..).collect()
        }
    };
    let possible = each.into_iter().filter(|(chance, _)| !chance.is_zero());
    Ok(possible
        .map(|(chance, outcome)| (chance, Reply::Drawn(outcome)))
        .collect())
}

/// The key of the outcomes of samples, some of which are equivalent; `None` of any other draw.
pub(crate) fn sample_key<N: Number>(
    draw: &Draw<N>,
    equivalent: Option<&Range<u64>>,
) -> Option<StateKey> {
    let (Draw::Binomial { count, p }, Some(equivalent)) = (draw, equivalent) else {
        return None;
    };
    let mut key = vec![*count, equivalent.start, equivalent.end];
    p.add_to_key(&mut key);
    Some(key.into())
}

/// Up to so many samples the law of their number of ones is exact.
const MOST_EACH: u64 = 1024;

/// The value of a probability in floating point.
fn exactly(p: f64) -> Exact {
    Exact::from_float(p).unwrap_or_default()
}
