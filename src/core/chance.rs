//! Chance: the coin tosses of debates. Anyone can verify them by deriving them from the seed again.
//!
//! The key is the SHA-256 digest of the seed's text. Coin `i` of debate `n` is the `u64` at word
//! `n · words_per_debate + 2i` of `ChaCha8` stream 0, cut to its top 53 bits; it comes up true at probability p if
//! `u / 2⁵³ < p`. The stride is a power of two that holds all coins of one debate. Players draw from separate streams,
//! so that a player's draws never change a coin.

use std::cell::RefCell;
use std::ops::Range;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use crate::number::{COIN_BITS, Number};

/// The seed: the text from which all coins of a debate are derived.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seed(String);

/// Maximum number of characters a seed may have.
pub const MAX_SEED: usize = 200;

impl Seed {
    /// Creates a seed from its text.
    ///
    /// `None` if the text is empty, longer than [`MAX_SEED`] characters or has control characters.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        let fits = !text.is_empty()
            && text.chars().count() <= MAX_SEED
            && !text.chars().any(char::is_control);
        fits.then_some(Self(text))
    }

    /// Creates a seed of eight hexadecimal digits from a random number generator, such as the operating system's.
    pub fn random_seed(generator: &mut impl Rng) -> Self {
        Self(format!("{:08x}", generator.next_u32()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn generator(&self, stream: u64) -> ChaCha8Rng {
        let mut generator = ChaCha8Rng::from_seed(Sha256::digest(self.0.as_bytes()).into());
        generator.set_stream(stream);
        generator
    }
}

/// Draws a random integer below 2⁵³ for a user who asks for a random number. The rules and the built-in players never
/// use it.
pub fn random_53_bit_integer_for_user(generator: &mut impl Rng) -> u64 {
    generator.next_u64() >> (64 - COIN_BITS)
}

/// The purpose of one of a debate's streams of random numbers, each derived from the seed. Stream 0 contains the coins
/// that the rules toss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomStreamPurpose {
    Coins,
    /// Random choices of the prover's strategy.
    Prover,
    /// Random choices of the opponent's strategy.
    Opponent,
    /// Random choices of the judge's strategy.
    Judge,
    /// The choice of the instance.
    Instance,
}

/// The random numbers of one stream in one debate. Each number can be computed directly from its index.
#[derive(Clone, Debug)]
pub struct RandomStream {
    generator: ChaCha8Rng,
    first: u128,
}

/// The number of 32-bit words of a player's random stream that belong to one debate.
const PLAYER_STRIDE: u128 = 1 << 20;

impl RandomStream {
    /// Creates the coins of debate number `debate_number`, which tosses at most `max_coins` coins.
    pub fn for_coins_of_debate(seed: &Seed, debate_number: u64, max_coins: u64) -> Self {
        Self {
            generator: seed.generator(RandomStreamPurpose::Coins as u64),
            first: u128::from(debate_number) * u128::from(random_u32_words_per_debate(max_coins)),
        }
    }

    /// Creates a player's private random numbers in debate number `debate_number`, or the random numbers that choose
    /// the instance.
    pub fn for_player_in_debate(
        seed: &Seed,
        stream: RandomStreamPurpose,
        debate_number: u64,
    ) -> Self {
        Self {
            generator: seed.generator(stream as u64),
            first: u128::from(debate_number) * PLAYER_STRIDE,
        }
    }

    /// Moves to the start of debate number `debate_number` in this stream of private random numbers.
    pub fn seek_debate(&mut self, debate_number: u64) {
        self.first = u128::from(debate_number) * PLAYER_STRIDE;
    }

    /// Returns the debate's random number at index `ordinal`, a 53-bit integer.
    pub fn random_53_bit_number_at(&mut self, ordinal: u64) -> u64 {
        let word = self.first + 2 * u128::from(ordinal);
        // Draws are mostly read in order, and seeking would compute a new block each time.
        if self.generator.get_word_pos() != word {
            self.generator.set_word_pos(word);
        }
        self.generator.next_u64() >> (64 - COIN_BITS)
    }
}

/// Returns the number of 32-bit words of the random stream that one debate with `max_coins` coins uses: a power of two.
pub fn random_u32_words_per_debate(max_coins: u64) -> u64 {
    (2 * max_coins.max(1)).next_power_of_two()
}

const AT_ONCE: usize = 128;

/// The coins of many consecutive debates, generated in bulk.
#[derive(Clone, Debug)]
pub struct BulkDebateCoins {
    generator: ChaCha8Rng,
    words_per_debate: u64,
}

impl BulkDebateCoins {
    /// Creates the coins of debate number `first_debate` and all later debates, with at most `max_coins` coins per
    /// debate.
    pub fn new(seed: &Seed, first_debate: u64, max_coins: u64) -> Self {
        let words_per_debate = random_u32_words_per_debate(max_coins);
        let mut generator = seed.generator(RandomStreamPurpose::Coins as u64);
        generator.set_word_pos(u128::from(first_debate) * u128::from(words_per_debate));
        Self {
            generator,
            words_per_debate,
        }
    }

    /// Returns the number of entries for one debate in the buffer of [`Self::fill_with_one_coin_per_entry`].
    pub fn buffer_entries_per_debate(&self) -> usize {
        crate::number::index_saturating(self.words_per_debate / 2)
    }

    /// Fills the buffer with the coins of the next debates, as 53-bit integers. Each debate takes
    /// [`Self::buffer_entries_per_debate`] entries of the buffer.
    pub fn fill_with_one_coin_per_entry(&mut self, buffer: &mut [u64]) {
        let mut bytes = [0; 8 * AT_ONCE];
        for coins in buffer.chunks_mut(AT_ONCE) {
            let bytes = &mut bytes[..8 * coins.len()];
            self.generator.fill_bytes(bytes);
            for (coin, word) in coins.iter_mut().zip(bytes.as_chunks().0) {
                *coin = u64::from_le_bytes(*word) >> (64 - COIN_BITS);
            }
        }
    }
}

/// Returns the index of the outcome that a random draw selects: the first outcome at which the running sum of the
/// weights exceeds the draw.
///
/// The weights should sum to 1; a draw beyond their sum picks the last one. `None` only if there is no outcome.
pub fn pick<N: Number>(draw: u64, weights: impl IntoIterator<Item = N>) -> Option<usize> {
    let mut sum = N::zero();
    let mut last = None;
    for (index, weight) in weights.into_iter().enumerate() {
        sum += weight;
        last = Some(index);
        if sum.comes_up_yes(draw) {
            break;
        }
    }
    last
}

/// Returns the number of ones among `count` random bits if it is certain (because each bit is 1 with probability 0 or
/// 1); `None` otherwise.
fn certain(count: u64, p: f64) -> Option<u64> {
    match p {
        p if p <= 0.0 => Some(0),
        p if p >= 1.0 => Some(count),
        _ => None,
    }
}

/// Draws from a binomial distribution: the number of ones among `count` samples, each 1 with probability `probability`
/// in [0, 1]. A 53-bit random integer selects the number by its cumulative probability.
///
/// The probabilities are summed over outcomes within some ten standard deviations of the mean, so n samples cost about
/// √n additions. No function is approximated.
pub fn binomial_sample(random_integer: u64, count: u64, probability: f64) -> u64 {
    // Probability 0 or 1 makes the result certain; rounding must not change that.
    if let Some(ones) = certain(count, probability) {
        return ones;
    }
    #[expect(clippy::cast_precision_loss, reason = "below 2⁵³")]
    let below = random_integer as f64 / (1_u64 << COIN_BITS) as f64;
    let bell = BinomialWeights::new(count, probability);
    let mut sum = 0.0;
    for (ones, weight) in bell.weights() {
        sum += weight;
        if sum > below * bell.total {
            return ones;
        }
    }
    bell.last
}

/// Returns the probability that the number of ones among `count` independent samples is outside `range`. Each sample is
/// 1 with probability `p`.
pub fn binomial_outside_probability(count: u64, p: f64, range: &Range<u64>) -> f64 {
    if let Some(ones) = certain(count, p) {
        return if range.contains(&ones) { 0.0 } else { 1.0 };
    }
    // The same law is requested repeatedly, with other ranges.
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
    /// Cache of binomial distributions. If it has [`MAX_TAILS`] entries, a new one replaces the oldest.
    static TAILS: RefCell<Vec<Tails>> = const { RefCell::new(Vec::new()) };
}

/// The tails of a binomial distribution: sums of its [`BinomialWeights`] from both ends.
struct Tails {
    count: u64,
    p: f64,
    first: u64,
    /// For each number n of ones, from the least stored one on: the probability of fewer than n ones.
    below: Vec<f64>,
    /// For each number n of ones, from the least stored one on: the probability of at least n ones.
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
        // Sums from the outside inwards, so that small values are added first.
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
        let place = |ones: u64| crate::number::index_saturating(ones.saturating_sub(self.first));
        // Beyond the last number that matters the tail below is 1 and the tail above is 0.
        let below = self.below.get(place(range.start));
        let above = self.above.get(place(range.end));
        (below.copied().unwrap_or(1.0) + above.copied().unwrap_or(0.0)).min(1.0)
    }
}

/// Returns the numbers of ones among `count` samples within about ten standard deviations of the mean, each with its
/// probability.
pub fn binomial_central_weights(count: u64, p: f64) -> Vec<(u64, f64)> {
    if let Some(ones) = certain(count, p) {
        return vec![(ones, 1.0)];
    }
    let bell = BinomialWeights::new(count, p);
    let share = |(ones, weight)| (ones, weight / bell.total);
    bell.weights().map(share).collect()
}

/// Returns the probabilities that 0, 1, … `count` of `count` independent samples are 1, each with probability `p`.
/// Exact if the number type is.
pub fn binomial_distribution<N: Number>(count: u32, p: &N) -> Vec<N> {
    let whole = |n: u32| N::ratio(n.into(), 1);
    let mut law = vec![N::zero(); count as usize + 1];
    if p.is_zero() || p.is_one() {
        let ones = if p.is_one() { count } else { 0 };
        if let Some(sure) = law.get_mut(ones as usize) {
            *sure = N::one();
        }
        return law;
    }
    // Starts at the mode. From an end, the first weight could underflow to 0, and then all weights would be 0.
    let probability = p.clone() / (N::one() - p.clone());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the most likely number of ones (the mode) is between 0 and `count`, so the cast only rounds it down"
    )]
    let mode = ((f64::from(count) * p.to_float()) as u32).min(count);
    let mut total = N::one();
    let mut weight = N::one();
    for ones in (0..mode).rev() {
        weight = weight * whole(ones + 1) / whole(count - ones) / probability.clone();
        total += weight.clone();
        law[ones as usize] = weight.clone();
    }
    law[mode as usize] = N::one();
    weight = N::one();
    for ones in mode + 1..=count {
        weight = weight * whole(count - ones + 1) / whole(ones) * probability.clone();
        total += weight.clone();
        law[ones as usize] = weight.clone();
    }
    for weight in &mut law {
        *weight = weight.clone() / total.clone();
    }
    law
}

/// The part of a binomial distribution that is not negligible, with weights relative to the mode's weight. On each
/// side, the last weight is the first one of at most [`BinomialWeights::LEAST`].
struct BinomialWeights {
    count: u64,
    probability: f64,
    first: u64,
    first_weight: f64,
    last: u64,
    total: f64,
}

impl BinomialWeights {
    /// On each side of the mode, outcomes beyond the first one with at most this fraction of the mode's weight are left
    /// out.
    const LEAST: f64 = 1e-22;

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the most likely number of ones (the mode) is between 0 and `count`, and may be rounded"
    )]
    fn new(count: u64, p: f64) -> Self {
        let mode = ((count as f64 * p) as u64).min(count);
        let mut bell = Self {
            count,
            probability: p / (1.0 - p),
            first: mode,
            first_weight: 1.0,
            last: mode,
            total: 1.0,
        };
        while bell.first > 0 && bell.first_weight > Self::LEAST {
            let rest = (count - bell.first + 1) as f64;
            bell.first_weight *= bell.first as f64 / rest / bell.probability;
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

    /// Returns the ratio `P[ones + 1] / P[ones]` of two neighbouring binomial probabilities.
    #[expect(clippy::cast_precision_loss, reason = "counts are below 2⁵³")]
    fn step(&self, ones: u64) -> f64 {
        (self.count - ones) as f64 / (ones + 1) as f64 * self.probability
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
