//! The binomial law: how many of so many independent samples are 1.

use std::cell::RefCell;
use std::ops::Range;

use crate::number::{COIN_BITS, Number};

/// The number of `count` independent samples that are 1, each with probability `p` in [0, 1]: the
/// outcome whose cumulative probability a 53-bit integer falls into.
///
/// The probabilities are summed over what lies within some ten standard deviations of the mean, so
/// n samples cost about √n additions; no function is approximated on the way.
pub fn binomial(integer: u64, count: u64, p: f64) -> u64 {
    // Probability 0 or 1 leaves nothing to chance, and rounding must not either.
    if p <= 0.0 || p >= 1.0 {
        return if p >= 1.0 { count } else { 0 };
    }
    #[expect(clippy::cast_precision_loss, reason = "below 2⁵³")]
    let below = integer as f64 / (1_u64 << COIN_BITS) as f64;
    let bell = BinomialWeights::new(count, p);
    let mut sum = 0.0;
    for (ones, weight) in bell.weights() {
        sum += weight;
        if sum > below * bell.total {
            return ones;
        }
    }
    bell.last
}

/// The probability that the number of ones among `count` independent samples, each 1 with
/// probability `p`, is outside the range.
pub fn binomial_outside(count: u64, p: f64, range: &Range<u64>) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        let ones = if p >= 1.0 { count } else { 0 };
        return if range.contains(&ones) { 0.0 } else { 1.0 };
    }
    // The same law is asked for again and again, with other ranges.
    TAILS.with_borrow_mut(|known| {
        let same = |tails: &Tails| tails.count == count && tails.p.to_bits() == p.to_bits();
        let place = known.iter().position(same).unwrap_or_else(|| {
            if known.len() >= MAX_TAILS {
                known.remove(0);
            }
            known.push(Tails::new(count, p));
            known.len() - 1
        });
        known.get(place).map_or(0.0, |tails| tails.outside(range))
    })
}

const MAX_TAILS: usize = 8;

thread_local! {
    /// The [`MAX_TAILS`] laws that were asked for last.
    static TAILS: RefCell<Vec<Tails>> = const { RefCell::new(Vec::new()) };
}

/// The tails of a binomial law: sums of its [`BinomialWeights`] from both ends.
struct Tails {
    count: u64,
    p: f64,
    first: u64,
    /// For each number of ones from the first on the probability that there are fewer.
    below: Vec<f64>,
    /// The probability that there are as many or more.
    above: Vec<f64>,
}

impl Tails {
    fn new(count: u64, p: f64) -> Self {
        let bell = BinomialWeights::new(count, p);
        let weights: Vec<f64> = bell
            .weights()
            .map(|(_, weight)| weight / bell.total)
            .collect();
        let running = |sum: &mut f64, weight: &f64| {
            let before = *sum;
            *sum += weight;
            Some(before)
        };
        // From the outside inwards, so that small sums are summed first.
        let below: Vec<f64> = weights.iter().scan(0.0, running).collect();
        let after = |sum: &mut f64, weight: &f64| {
            *sum += weight;
            Some(*sum)
        };
        let mut above: Vec<f64> = weights.iter().rev().scan(0.0, after).collect();
        above.reverse();
        Self {
            count,
            p,
            first: bell.first,
            below,
            above,
        }
    }

    fn outside(&self, range: &Range<u64>) -> f64 {
        let place = |ones: u64| {
            let place = ones.saturating_sub(self.first);
            usize::try_from(place).unwrap_or(usize::MAX)
        };
        // Beyond the last number that matters everything is below it, and nothing above.
        let below = self.below.get(place(range.start));
        let above = self.above.get(place(range.end));
        (below.copied().unwrap_or(1.0) + above.copied().unwrap_or(0.0)).min(1.0)
    }
}

/// The numbers of ones that `count` samples can come to, each with its probability, as far as they
/// matter: those within some ten standard deviations of the mean.
pub fn binomial_middle(count: u64, p: f64) -> Vec<(u64, f64)> {
    if p <= 0.0 || p >= 1.0 {
        return vec![(if p >= 1.0 { count } else { 0 }, 1.0)];
    }
    let bell = BinomialWeights::new(count, p);
    let share = |(ones, weight)| (ones, weight / bell.total);
    bell.weights().map(share).collect()
}

/// The probabilities that 0, 1, … `count` of so many independent samples are 1, each with
/// probability `p`: exact where the number is.
pub fn binomial_law<N: Number>(count: u32, p: &N) -> Vec<N> {
    let whole = |n: u32| N::ratio(n.into(), 1);
    let mut law = vec![N::zero(); count as usize + 1];
    if p.is_zero() || p.is_one() {
        let ones = if p.is_one() { count } else { 0 };
        if let Some(sure) = law.get_mut(ones as usize) {
            *sure = N::one();
        }
        return law;
    }
    // From the middle outwards, so that nothing becomes too small to tell from 0.
    let odds = p.clone() / (N::one() - p.clone());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the count"
    )]
    let mode = ((f64::from(count) * p.to_float()) as u32).min(count);
    let mut total = N::one();
    let mut weight = N::one();
    for ones in (0..mode).rev() {
        weight = weight * whole(ones + 1) / whole(count - ones) / odds.clone();
        total += weight.clone();
        law[ones as usize] = weight.clone();
    }
    law[mode as usize] = N::one();
    weight = N::one();
    for ones in mode + 1..=count {
        weight = weight * whole(count - ones + 1) / whole(ones) * odds.clone();
        total += weight.clone();
        law[ones as usize] = weight.clone();
    }
    for weight in &mut law {
        *weight = weight.clone() / total.clone();
    }
    law
}

/// The part of a binomial law that is not negligible: weights relative to the mode, above
/// [`BinomialWeights::LEAST`].
struct BinomialWeights {
    count: u64,
    odds: f64,
    first: u64,
    first_weight: f64,
    last: u64,
    total: f64,
}

impl BinomialWeights {
    /// Weights below this fraction of the weight at the mode are left out.
    const LEAST: f64 = 1e-22;

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the middle need not be exact, and it lies between 0 and the count"
    )]
    fn new(count: u64, p: f64) -> Self {
        let mode = ((count as f64 * p) as u64).min(count);
        let mut bell = Self {
            count,
            odds: p / (1.0 - p),
            first: mode,
            first_weight: 1.0,
            last: mode,
            total: 1.0,
        };
        while bell.first > 0 && bell.first_weight > Self::LEAST {
            let rest = (count - bell.first + 1) as f64;
            bell.first_weight *= bell.first as f64 / rest / bell.odds;
            bell.first -= 1;
            bell.total += bell.first_weight;
        }
        let mut weight = 1.0;
        while bell.last < count && weight > Self::LEAST {
            weight *= bell.step(bell.last);
            bell.last += 1;
            bell.total += weight;
        }
        bell
    }

    /// `P[ones + 1] / P[ones]`.
    #[expect(clippy::cast_precision_loss, reason = "counts are below 2⁵³")]
    fn step(&self, ones: u64) -> f64 {
        (self.count - ones) as f64 / (ones + 1) as f64 * self.odds
    }

    fn weights(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        let mut weight = self.first_weight;
        (self.first..=self.last).map(move |ones| {
            let here = weight;
            if ones < self.last {
                weight *= self.step(ones);
            }
            (ones, here)
        })
    }
}
