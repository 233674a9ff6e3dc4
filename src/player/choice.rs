//! Finitely many weighted replies.

use std::fmt;
use std::sync::Arc;

use crate::chance::pick;
use crate::number::Number;
use crate::protocol::Reply;

/// What a policy would reply, with which probabilities.
#[derive(Clone, Debug)]
pub enum Choice<N> {
    /// This, always.
    Sure(Reply<N>),
    /// The replies made from 0 … count − 1, each as likely.
    Even {
        /// How many; at least 1.
        count: u32,
        /// Makes one of them.
        nth: fn(u32) -> Reply<N>,
    },
    /// The replies that a function makes from 0 … count − 1, each as likely.
    Made {
        /// How many; at least 1.
        count: u64,
        /// Makes one of them.
        nth: Maker<N>,
    },
    /// These, with probabilities that sum to 1.
    Weighted(Vec<(N, Reply<N>)>),
}

/// Makes a reply from a number.
#[derive(Clone)]
pub struct Maker<N>(Arc<dyn Fn(u64) -> Reply<N> + Send + Sync>);

impl<N> fmt::Debug for Maker<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Maker")
    }
}

impl<N: Number> Choice<N> {
    /// The replies that a function makes from 0 … count − 1, each as likely.
    #[must_use]
    pub fn made(count: u64, nth: impl Fn(u64) -> Reply<N> + Send + Sync + 'static) -> Self {
        Self::Made {
            count: count.max(1),
            nth: Maker(Arc::new(nth)),
        }
    }

    /// "Yes, it is true" of the judge with this probability.
    #[must_use]
    #[inline]
    pub fn verdict(yes: N) -> Self {
        let verdict = |holds| Reply::Oracle {
            holds,
            confidence: None,
        };
        if yes.is_one() {
            return Self::Sure(verdict(true));
        }
        if yes.is_zero() {
            return Self::Sure(verdict(false));
        }
        let no = N::one() - yes.clone();
        Self::Weighted(vec![(yes, verdict(true)), (no, verdict(false))])
    }

    /// The reply that a draw settles on; the draw is taken only where there is a choice.
    #[inline]
    pub fn settle(self, draw: impl FnOnce() -> u64) -> Reply<N> {
        match self {
            Self::Sure(reply) => reply,
            Self::Even { count, nth } => {
                nth(u32::try_from(scaled(draw(), count.into())).unwrap_or(0))
            }
            Self::Made { count, nth } => nth.0(scaled(draw(), count)),
            Self::Weighted(mut replies) => {
                let weights = replies.iter().map(|(weight, _)| weight.clone());
                let place = pick(draw(), weights).unwrap_or(0);
                replies.swap_remove(place).1
            }
        }
    }

    /// Every reply with its probability.
    #[must_use]
    pub fn each(self) -> Vec<(N, Reply<N>)> {
        match self {
            Self::Sure(reply) => vec![(N::one(), reply)],
            Self::Even { count, nth } => (0..count)
                .map(|place| (N::ratio(1, i64::from(count)), nth(place)))
                .collect(),
            Self::Made { count, nth } => (0..count)
                .map(|place| {
                    let count = i64::try_from(count).unwrap_or(i64::MAX);
                    (N::ratio(1, count), nth.0(place))
                })
                .collect(),
            Self::Weighted(replies) => replies,
        }
    }
}

/// A 53-bit draw as a number below `count`: off from even by at most count / 2⁵³.
fn scaled(draw: u64, count: u64) -> u64 {
    let scaled = (u128::from(draw) * u128::from(count)) >> crate::number::COIN_BITS;
    u64::try_from(scaled).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Exact;

    #[test]
    fn even_choices_split_the_range_of_draws_evenly() {
        let thirds = || Choice::<Exact>::Even {
            count: 3,
            nth: Reply::Select,
        };
        assert_eq!(thirds().settle(|| 0), Reply::Select(0));
        assert_eq!(thirds().settle(|| 1 << 52), Reply::Select(1));
        assert_eq!(thirds().settle(|| (1 << 53) - 1), Reply::Select(2));
        let third = Exact::ratio(1, 3);
        assert!(thirds().each().iter().all(|(weight, _)| *weight == third));
    }

    #[test]
    fn a_sure_choice_takes_no_draw() {
        let sure = Choice::<f64>::Sure(Reply::Select(4));
        assert_eq!(
            sure.settle(|| unreachable!("there is nothing to draw")),
            Reply::Select(4)
        );
    }
}
