//! Exact sums over many debates. All numbers are multiples of 2⁻⁸⁰, so the order of addition makes no difference.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};

use super::report::MeanAndErrorReport;
use crate::expectation::EXPENSE_KINDS;
use debate_core::number::{Exact, NORMAL_95, zero_if_rounding_error};
use debate_core::protocol::{Round, Seat};

/// The number of binary digits after the point in every number.
pub const BINARY_PLACES: u32 = 80;

/// The exponent of the size limit: numbers must be below 2²⁰, so that squares and large sums fit in 128 bits.
const LARGEST: u32 = 20;

/// A number type whose values can be summed exactly after one rounding to a multiple of 2⁻⁸⁰.
pub trait ToFixedPoint {
    /// Returns the nearest multiple of 2⁻⁸⁰, as an integer; rounds half up. Returns `None` if the number is not finite,
    /// or if its absolute value is 2²⁰ or more.
    fn fixed(&self) -> Option<i128>;
}

fn bounded(value: i128) -> Option<i128> {
    (value.unsigned_abs() >> (BINARY_PLACES + LARGEST) == 0).then_some(value)
}

impl ToFixedPoint for Exact {
    fn fixed(&self) -> Option<i128> {
        let twice: BigInt = (self.numer() << (BINARY_PLACES + 1)) + self.denom();
        bounded(twice.div_floor(&(self.denom() << 1)).to_i128()?)
    }
}

impl ToFixedPoint for f64 {
    fn fixed(&self) -> Option<i128> {
        // Every number in this range is a 53-bit mantissa times a power of two.
        if !self.is_finite() || self.abs() >= Self::from(1 << LARGEST) {
            return None;
        }
        let bits = self.to_bits();
        let exponent = i32::try_from(bits >> 52 & 0x7ff).ok()?;
        let fraction = i128::from(bits & ((1 << 52) - 1));
        let mantissa = if exponent == 0 {
            fraction
        } else {
            fraction | 1 << 52
        };
        let mantissa = if *self < 0.0 { -mantissa } else { mantissa };
        let shift = exponent.max(1) - 1075 + 80;
        Some(match shift {
            0.. => mantissa << shift,
            -120..0 => {
                let half = 1_i128 << (-shift - 1);
                (mantissa + half) >> -shift
            }
            // Less than half of a multiple.
            _ => 0,
        })
    }
}

/// Returns the square of a number in multiples of 2⁻⁸⁰, rounded to the nearest multiple. The number must be below 2²⁰
/// in absolute value.
pub fn fixed_point_square(value: i128) -> i128 {
    const LOW: u128 = (1 << 64) - 1;
    const FRACTION: u128 = (1 << BINARY_PLACES) - 1;
    let size = value.unsigned_abs();
    let high = size >> 64;
    let low = size & LOW;
    let middle = high * low;
    let lowest = low * low;
    // size² = high² · 2¹²⁸ + middle · 2⁶⁵ + lowest.
    let rest = ((middle & 0x7fff) << 65) + (lowest & FRACTION) + (1 << (BINARY_PLACES - 1));
    let sum = ((high * high) << 48)
        + (middle >> 15)
        + (lowest >> BINARY_PLACES)
        + (rest >> BINARY_PLACES);
    i128::try_from(sum).unwrap_or(i128::MAX)
}

/// Returns the mean from a sum in multiples of 2⁻⁸⁰ and a count.
pub(super) fn fixed_point_mean(sum: &BigInt, count: u64) -> f64 {
    let denominator = BigInt::from(count.max(1)) << BINARY_PLACES;
    Exact::new(sum.clone(), denominator).to_f64().unwrap_or(0.0)
}

/// The sum of a quantity over many debates, and the sum of its squares, in multiples of 2⁻⁸⁰.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SumAndSumOfSquares {
    /// The sum.
    pub sum: BigInt,
    /// The sum of the squared values. Each square is rounded once.
    pub squares: BigInt,
}

impl SumAndSumOfSquares {
    /// Returns the mean of the quantity over `count` debates; `None` if `count` is 0.
    pub fn mean(&self, count: u64) -> Option<f64> {
        (count > 0).then(|| fixed_point_mean(&self.sum, count))
    }

    /// Returns the standard error of the mean over `count` debates; `None` for fewer than two debates.
    pub fn standard_error(&self, count: u64) -> Option<f64> {
        if count < 2 {
            return None;
        }
        // n Σx² − (Σx)², in multiples of 2⁻¹⁶⁰. Each square was rounded to a multiple of 2⁻⁸⁰. A spread of at most n²/2
        // multiples of 2⁻⁸⁰ is therefore treated as a rounding error, if it is small compared with the squares.
        let squares = (&self.squares * count) << BINARY_PLACES;
        let spread = &squares - &self.sum * &self.sum;
        let rounding = (BigInt::from(count) * count) << (BINARY_PLACES - 1);
        let is_rounding = spread <= rounding && &spread << 20 < squares;
        let spread = if is_rounding || spread.is_negative() {
            BigInt::zero()
        } else {
            spread
        };
        let below = (BigInt::from(count) * count * (count - 1)) << (2 * BINARY_PLACES);
        Exact::new(spread, below).to_f64().map(f64::sqrt)
    }

    /// Returns the 95 % confidence interval of the mean over `count` debates, by Student's t distribution; `None` for
    /// fewer than two debates.
    pub fn confidence_interval_of_mean(&self, count: u64) -> Option<[f64; 2]> {
        let mean = self.mean(count)?;
        let error = self.standard_error(count)?;
        let reach = error * student_quantile(count - 1);
        Some([mean - reach, mean + reach])
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.sum += &other.sum;
        self.squares += &other.squares;
    }
}

/// Returns the 97.5 % quantile of Student's t distribution, with an error below 10⁻⁶.
//
// `statrs` 0.19 is not used: its quantile is wrong from 2²⁰ degrees of freedom on, and at 2²⁴ it does not return.
fn student_quantile(degrees_of_freedom: u64) -> f64 {
    /// The 97.5 % quantiles of Student's t distribution for 1, 2, … degrees of freedom.
    const FEW: [f64; 19] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
        2.262_157, 2.228_139, 2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905,
        2.109_816, 2.100_922, 2.093_024,
    ];
    /// The 97.5 % quantile of the normal distribution, then the coefficients of 1/n, 1/n², … in its expansion for n
    /// degrees of freedom (Abramowitz and Stegun, 26.7.5).
    const MANY: [f64; 5] = [
        NORMAL_95,
        2.372_271_230_3,
        2.822_498_615_7,
        2.555_849_679_5,
        1.589_534_053_4,
    ];
    let position = usize::try_from(degrees_of_freedom.saturating_sub(1)).unwrap_or(usize::MAX);
    if let Some(few) = FEW.get(position) {
        return *few;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "the t quantile hardly changes for many degrees of freedom, so a rounded number is enough"
    )]
    let share = 1.0 / degrees_of_freedom as f64;
    MANY.iter().rev().fold(0.0, |sum, term| sum * share + term)
}

/// Returns Wilson's 95 % confidence interval for the proportion `count` / `total`; `None` if `total` is 0.
pub fn wilson_interval(count: u64, total: u64) -> Option<[f64; 2]> {
    if total == 0 {
        return None;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "rounding large counts hardly changes a confidence interval"
    )]
    let [hits, n] = [count as f64, total as f64];
    Some(wilson_interval_of_proportion(hits / n, n))
}

/// Returns Wilson's 95 % confidence interval for a proportion among `trials` independent trials.
pub fn wilson_interval_of_proportion(proportion: f64, trials: f64) -> [f64; 2] {
    let shrink = 1.0 + NORMAL_95 * NORMAL_95 / trials;
    let middle = (proportion + NORMAL_95 * NORMAL_95 / (2.0 * trials)) / shrink;
    let reach = NORMAL_95
        * (proportion * (1.0 - proportion) / trials
            + NORMAL_95 * NORMAL_95 / (4.0 * trials * trials))
            .sqrt()
        / shrink;
    [(middle - reach).max(0.0), (middle + reach).min(1.0)]
}

/// The rewards of one round, summed over many debates.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundRewardSum {
    /// The maximum reward in the round; `None` if it differs between instances.
    pub weight: Option<f64>,
    /// The sum of the prover's rewards in the round, in multiples of 2⁻⁸⁰.
    pub sum: BigInt,
}

/// A sort key for rounds in the order of play: the initial round first, then by decreasing round number k.
pub(super) type RoundSortKey = Reverse<u64>;

pub(super) fn sort_key_of_round(round: Round) -> RoundSortKey {
    Reverse(match round {
        Round::Initial => u64::from(u32::MAX) + 1,
        Round::Number(k) => k.into(),
    })
}

pub(super) fn round_of_sort_key(key: RoundSortKey) -> Round {
    u32::try_from(key.0).map_or(Round::Initial, Round::Number)
}

/// Sums over many debates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulationSums {
    pub debates: u64,
    /// The number of debates in which the prover's payoff was greater than the opponent's.
    pub won: u64,
    /// The number of debates whose answer to the root claim is known to be right or to be wrong.
    pub answered: u64,
    /// The number of debates whose answer to the root claim is right.
    pub correct: u64,
    /// The payoff to the prover.
    pub payoff: SumAndSumOfSquares,
    /// The total expenses of prover, opponent and judge, by type.
    pub(super) spent: [[u128; EXPENSE_KINDS]; 3],
    /// The sums of each round.
    pub(super) rounds: BTreeMap<RoundSortKey, RoundRewardSum>,
}

impl SimulationSums {
    /// Returns the rounds in playing order, each with its sums.
    pub fn rounds(&self) -> impl Iterator<Item = (Round, &RoundRewardSum)> {
        self.rounds
            .iter()
            .map(|(key, sum)| (round_of_sort_key(*key), sum))
    }

    /// Returns the mean reward of a round over all debates; `None` if there are no debates.
    pub fn mean_reward(&self, round: &RoundRewardSum) -> Option<f64> {
        let most = round
            .weight
            .unwrap_or_else(|| self.largest_stake_of_all_rounds());
        let mean = || zero_if_rounding_error(fixed_point_mean(&round.sum, self.debates), most);
        (self.debates > 0).then(mean)
    }

    /// Returns the largest maximum payoff among all rounds; 1 if it is unknown.
    pub fn largest_stake_of_all_rounds(&self) -> f64 {
        let weights = self.rounds.values().filter_map(|round| round.weight);
        // Instances may differ in every weight, but no weight exceeds 1.
        let most = weights.reduce(f64::max).filter(|most| *most > 0.0);
        most.unwrap_or(1.0)
    }

    /// Returns the mean payoff with its standard error and interval.
    pub fn payoff_report(&self) -> MeanAndErrorReport {
        MeanAndErrorReport::report_of_moments(
            &self.payoff,
            self.debates,
            self.largest_stake_of_all_rounds(),
        )
    }

    /// Returns the mean expenses of a seat by type: oracle queries, bits read, configurations read, samples, calls.
    pub fn mean_expenses_by_kind(&self, seat: Seat) -> [f64; EXPENSE_KINDS] {
        let spent = self
            .spent
            .get(seat.seat_index())
            .copied()
            .unwrap_or_default();
        spent.map(|amount| share(amount, self.debates))
    }

    /// Returns the proportion of debates in which the prover's payoff was greater than the opponent's; `None` if there
    /// are no debates.
    pub fn positive_payoff_rate_of_prover(&self) -> Option<f64> {
        (self.debates > 0).then(|| share(self.won.into(), self.debates))
    }

    /// Returns the proportion of debates with a right answer, among those that end with an answer and whose root claim
    /// can be decided. `None` if there are none.
    pub fn correct_root_answer_rate(&self) -> Option<f64> {
        (self.answered > 0).then(|| share(self.correct.into(), self.answered))
    }

    /// Adds a sum of rewards to the total of a round.
    pub(super) fn add_round_reward(&mut self, round: Round, sum: BigInt) {
        let entry = self
            .rounds
            .entry(sort_key_of_round(round))
            .or_insert_with(|| RoundRewardSum {
                weight: None,
                sum: BigInt::zero(),
            });
        entry.sum += sum;
    }

    /// Adds the rounds of an instance's schedule with their maximum payoffs. A maximum that differs between instances
    /// becomes unknown.
    pub(super) fn add_rounds_with_max_payoffs(
        &mut self,
        schedule: impl IntoIterator<Item = (Round, f64)>,
    ) {
        for (round, weight) in schedule {
            let new = RoundRewardSum {
                weight: Some(weight),
                sum: BigInt::zero(),
            };
            join(&mut self.rounds, sort_key_of_round(round), new);
        }
    }

    /// Adds the sums over other debates to these sums.
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

fn join(
    rounds: &mut BTreeMap<RoundSortKey, RoundRewardSum>,
    key: RoundSortKey,
    more: RoundRewardSum,
) {
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

#[expect(clippy::cast_precision_loss, reason = "rounding hardly changes a mean")]
fn share(amount: u128, of: u64) -> f64 {
    if of == 0 {
        0.0
    } else {
        amount as f64 / of as f64
    }
}
