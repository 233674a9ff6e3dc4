//! Exact sums over many debates.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};

use super::fixed::{PLACES, ratio};
use crate::expectation::KINDS;
use debate_core::number::Exact;
use debate_core::protocol::{Round, Seat};

/// A quantity over many debates: its sum and the sum of its squares, in multiples of 2⁻⁸⁰.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    /// The sum.
    pub sum: BigInt,
    /// The sum of squares, each rounded once.
    pub squares: BigInt,
}

impl Moments {
    /// The mean over so many debates; `None` of none.
    pub fn mean(&self, count: u64) -> Option<f64> {
        (count > 0).then(|| ratio(&self.sum, count))
    }

    /// The standard error of the mean; `None` of fewer than two debates, which tell nothing of it.
    pub fn standard_error(&self, count: u64) -> Option<f64> {
        if count < 2 {
            return None;
        }
        // n Σx² − (Σx)², in multiples of 2⁻¹⁶⁰; rounding may leave it just below 0.
        let spread = ((&self.squares * count) << PLACES) - &self.sum * &self.sum;
        let spread = if spread.is_negative() {
            BigInt::zero()
        } else {
            spread
        };
        let below = (BigInt::from(count) * count * (count - 1)) << (2 * PLACES);
        Exact::new(spread, below).to_f64().map(f64::sqrt)
    }

    /// The interval that the mean lies in with a confidence of 95 % (Student's t).
    pub fn interval(&self, count: u64) -> Option<[f64; 2]> {
        let (mean, error) = (self.mean(count)?, self.standard_error(count)?);
        let reach = error * quantile(count - 1);
        Some([mean - reach, mean + reach])
    }

    pub(super) fn add(&mut self, more: &Self) {
        self.sum += &more.sum;
        self.squares += &more.squares;
    }
}

/// The standard errors to either side of a 95 % interval: Student's t, off by less than 10⁻⁶.
fn quantile(freedom: u64) -> f64 {
    /// For 1, 2, … degrees of freedom.
    const FEW: [f64; 19] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
        2.262_157, 2.228_139, 2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905,
        2.109_816, 2.100_922, 2.093_024,
    ];
    /// The normal law's, then what 1/n, 1/n², … are multiplied by (Abramowitz and Stegun,
    /// 26.7.5).
    const MANY: [f64; 5] = [
        1.959_963_984_540_054,
        2.372_271_230_3,
        2.822_498_615_7,
        2.555_849_679_5,
        1.589_534_053_4,
    ];
    let place = usize::try_from(freedom.saturating_sub(1)).unwrap_or(usize::MAX);
    if let Some(few) = FEW.get(place) {
        return *few;
    }
    #[expect(clippy::cast_precision_loss, reason = "the more, the less it matters")]
    let share = 1.0 / freedom as f64;
    MANY.iter().rev().fold(0.0, |sum, term| sum * share + term)
}

/// The interval of a share of so many (Wilson), with a confidence of 95 %.
pub fn wilson(count: u64, of: u64) -> Option<[f64; 2]> {
    const Z: f64 = 1.959_963_984_540_054;
    if of == 0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "an interval is no exact number")]
    let (n, share) = (of as f64, count as f64 / of as f64);
    let shrink = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / shrink;
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / shrink;
    Some([(middle - reach).max(0.0), (middle + reach).min(1.0)])
}

/// One round, summed over many debates.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundSum {
    /// The most that its reward can be; `None` where instances differ in it.
    pub weight: Option<f64>,
    /// The sum of its rewards to the prover, in multiples of 2⁻⁸⁰.
    pub sum: BigInt,
}

/// A round's place among others: the first one first.
pub(super) type RoundKey = Reverse<u64>;

pub(super) fn key(round: Round) -> RoundKey {
    Reverse(match round {
        Round::Initial => u64::from(u32::MAX) + 1,
        Round::Number(k) => k.into(),
    })
}

pub(super) fn round_of(key: RoundKey) -> Round {
    u32::try_from(key.0).map_or(Round::Initial, Round::Number)
}

/// Sums over many debates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    pub debates: u64,
    /// In how many the prover received more than the opponent.
    pub won: u64,
    /// In how many the answer to the root claim can be told right or wrong.
    pub answered: u64,
    /// In how many of these it is right.
    pub correct: u64,
    /// The payoff to the prover.
    pub payoff: Moments,
    /// Expenses of prover, opponent and judge, kind by kind.
    pub(super) spent: [[u128; KINDS]; 3],
    /// Round by round.
    pub(super) rounds: BTreeMap<RoundKey, RoundSum>,
}

impl Sums {
    /// The rounds in playing order.
    pub fn rounds(&self) -> impl Iterator<Item = (Round, &RoundSum)> {
        self.rounds.iter().map(|(key, sum)| (round_of(*key), sum))
    }

    /// The mean reward of a round.
    pub fn mean_of(&self, round: &RoundSum) -> Option<f64> {
        (self.debates > 0).then(|| ratio(&round.sum, self.debates))
    }

    /// Mean expenses of a seat: oracle queries, bits read, configurations read, samples, calls.
    pub fn spent(&self, seat: Seat) -> [f64; KINDS] {
        let spent = self.spent.get(seat.index()).copied().unwrap_or_default();
        spent.map(|amount| share(amount, self.debates))
    }

    /// The share of debates in which the prover received more than the opponent.
    pub fn prover_wins(&self) -> Option<f64> {
        (self.debates > 0).then(|| share(self.won.into(), self.debates))
    }

    /// The share of right answers among those that can be told.
    pub fn answer_correct(&self) -> Option<f64> {
        (self.answered > 0).then(|| share(self.correct.into(), self.answered))
    }

    /// A round's rewards, so many times.
    pub(super) fn reward(&mut self, round: Round, sum: BigInt) {
        let entry = self.rounds.entry(key(round)).or_insert_with(|| RoundSum {
            weight: None,
            sum: BigInt::zero(),
        });
        entry.sum += sum;
    }

    /// The rounds of an instance with their weights.
    pub(super) fn schedule(&mut self, schedule: impl IntoIterator<Item = (Round, f64)>) {
        for (round, weight) in schedule {
            let new = RoundSum {
                weight: Some(weight),
                sum: BigInt::zero(),
            };
            join(&mut self.rounds, key(round), new);
        }
    }

    /// Adds other debates.
    pub fn add(&mut self, more: &Self) {
        self.debates += more.debates;
        self.won += more.won;
        self.answered += more.answered;
        self.correct += more.correct;
        self.payoff.add(&more.payoff);
        let mine = self.spent.iter_mut().flatten();
        for (sum, amount) in mine.zip(more.spent.iter().flatten()) {
            *sum += amount;
        }
        for (key, round) in &more.rounds {
            join(&mut self.rounds, *key, round.clone());
        }
    }
}

fn join(rounds: &mut BTreeMap<RoundKey, RoundSum>, key: RoundKey, more: RoundSum) {
    match rounds.get_mut(&key) {
        Some(round) => {
            round.weight = round.weight.filter(|weight| more.weight == Some(*weight));
            round.sum += more.sum;
        }
        None => {
            rounds.insert(key, more);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a mean is no exact number")]
fn share(amount: u128, of: u64) -> f64 {
    if of == 0 {
        0.0
    } else {
        amount as f64 / of as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::fixed::{Fixed as _, square};

    fn moments(values: &[f64]) -> Moments {
        let mut moments = Moments::default();
        for value in values {
            let fixed = value.fixed().unwrap();
            moments.sum += fixed;
            moments.squares += square(fixed);
        }
        moments
    }

    #[test]
    fn intervals_are_students() {
        let five = moments(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(five.mean(5), Some(3.0));
        let error = five.standard_error(5).unwrap();
        assert!((error - 0.5_f64.sqrt()).abs() < 1e-15);
        let [low, high] = five.interval(5).unwrap();
        // t(4) at 97.5 %, from any table: 2.776.
        assert!((high - 3.0 - 2.776_445 * error).abs() < 1e-6);
        assert!((low + high - 6.0).abs() < 1e-12);
        assert!((quantile(1) - 12.706_205).abs() < 1e-5);
        assert!((quantile(1 << 40) - 1.959_964).abs() < 1e-6);
        // From any table: 2.085963 for 20, 2.042272 for 30 and 1.983972 for 100.
        for (freedom, t) in [(20, 2.085_963), (30, 2.042_272), (100, 1.983_972)] {
            assert!((quantile(freedom) - t).abs() < 1e-6, "{freedom}");
        }
    }

    #[test]
    fn nothing_is_infinite() {
        assert_eq!(moments(&[]).mean(0), None);
        assert_eq!(moments(&[0.25]).interval(1), None);
        assert_eq!(moments(&[0.1, 0.1, 0.1]).standard_error(3), Some(0.0));
        assert_eq!(wilson(0, 0), None);
        assert_eq!(wilson(0, 10).map(|[low, _]| low), Some(0.0));
        // 2 of 10, from any table: 0.0567 to 0.5098.
        let [low, high] = wilson(2, 10).unwrap();
        assert!((low - 0.0567).abs() < 1e-4 && (high - 0.5098).abs() < 1e-4);
    }
}
