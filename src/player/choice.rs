//! Finitely many weighted replies.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigInt;

use crate::chance::{self, pick};
use crate::number::{Exact, Number};
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
    /// Half of a coin: (4 place + 1) / (4 parts) as a probability, each place below `parts` as
    /// likely. Two such numbers never add up to a multiple of 1 / parts: a probability of 0 never
    /// comes out 1, and one of 1 always does.
    Share {
        /// How many; at least 1.
        parts: u64,
    },
    /// The mean of so many samples, each 1 with probability `p`, as a probability.
    Mean {
        /// How many samples; at least 1.
        samples: u64,
        /// The probability.
        p: N,
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
            Self::Share { parts } => share(scaled(draw(), parts), parts),
            Self::Mean { samples, p } => {
                mean(chance::binomial(draw(), samples, p.to_float()), samples)
            }
            Self::Weighted(mut replies) => {
                let weights = replies.iter().map(|(weight, _)| weight.clone());
                let place = pick(draw(), weights).unwrap_or(0);
                replies.swap_remove(place).1
            }
        }
    }

    /// Every reply with its probability. The mean of more than `MOST_EXACT` samples has those
    /// replies alone that lie within ten deviations, with probabilities as good as an `f64` is.
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
            Self::Share { parts } => (0..parts)
                .map(|place| {
                    let count = i64::try_from(parts).unwrap_or(i64::MAX);
                    (N::ratio(1, count), share(place, parts))
                })
                .collect(),
            Self::Mean { samples, p } => match u32::try_from(samples) {
                Ok(few) if few <= MOST_EXACT => (0..)
                    .zip(chance::binomial_law(few, &p))
                    .filter(|(_, chance)| !chance.is_zero())
                    .map(|(ones, chance)| (chance, mean(ones, samples)))
                    .collect(),
                _ => chance::binomial_middle(samples, p.to_float())
                    .into_iter()
                    .filter_map(|(ones, chance)| {
                        Some((
                            N::from_exact(&Exact::from_float(chance)?),
                            mean(ones, samples),
                        ))
                    })
                    .collect(),
            },
            Self::Weighted(replies) => replies,
        }
    }
}

/// The most samples of whose mean every value is listed exactly.
pub const MOST_EXACT: u32 = 1024;

/// Half of a coin: the number at this place below `parts`.
#[must_use]
pub fn share<N: Number>(place: u64, parts: u64) -> Reply<N> {
    let four = |count: u64| BigInt::from(count) * 4;
    let half = Exact::new(four(place) + 1, four(parts.max(1)));
    Reply::Probability(N::from_exact(&half))
}

/// So many of so many, as a probability.
fn mean<N: Number>(ones: u64, samples: u64) -> Reply<N> {
    let samples = samples.max(1);
    Reply::Probability(N::from_exact(&Exact::new(ones.into(), samples.into())))
}

/// A 53-bit draw as a number below `count`: off from even by at most count / 2⁵³.
fn scaled(draw: u64, count: u64) -> u64 {
    let scaled = (u128::from(draw) * u128::from(count)) >> crate::number::COIN_BITS;
    u64::try_from(scaled).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn means_are_drawn_as_often_as_they_are_likely() {
        let two = || Choice::Mean {
            samples: 2,
            p: Exact::ratio(1, 3),
        };
        let each = two().each();
        assert_eq!(
            each[1],
            (Exact::ratio(4, 9), Reply::Probability(Exact::ratio(1, 2)))
        );
        assert_eq!(two().settle(|| 0), Reply::Probability(Exact::ratio(0, 1)));
        assert_eq!(
            two().settle(|| (1 << 53) - 1),
            Reply::Probability(Exact::ratio(1, 1))
        );
        // Many samples: the same law, and it sums to one.
        let many = Choice::Mean {
            samples: 1_000_000,
            p: 0.25,
        };
        let (sum, first) =
            many.each()
                .into_iter()
                .fold((0.0, 0.0), |(sum, first), (chance, reply)| {
                    let Reply::Probability(p) = reply else {
                        panic!("no mean");
                    };
                    (sum + chance, first + chance * p)
                });
        assert!((sum - 1.0_f64).abs() < 1e-12 && (first - 0.25_f64).abs() < 1e-12);
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
