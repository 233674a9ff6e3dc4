//! Chance: coins that anybody can check from the seed.
//!
//! The key is the SHA-256 digest of the seed's text. Coin `i` of debate `n` is the `u64` at word
//! `n · stride + 2i` of `ChaCha8` stream 0, cut to its top 53 bits; it comes out true at
//! probability p where `u / 2⁵³ < p`. The stride is a power of two that holds all coins of one
//! debate. Players draw from streams of their own, so that what one player draws never moves a
//! coin.

mod binomial;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use crate::number::{COIN_BITS, Number};
pub use binomial::{binomial, binomial_law, binomial_middle, binomial_outside};

/// The text that every coin follows from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seed(String);

/// The most characters a seed may have.
pub const MAX_SEED: usize = 200;

impl Seed {
    /// A seed from its text.
    ///
    /// `None` where the text is empty, longer than [`MAX_SEED`] characters or has control
    /// characters.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        let fits = !text.is_empty()
            && text.chars().count() <= MAX_SEED
            && !text.chars().any(char::is_control);
        fits.then_some(Self(text))
    }

    /// A seed of eight hexadecimal digits from a generator, such as the operating system's.
    pub fn random(generator: &mut impl Rng) -> Self {
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

/// A random integer below 2⁵³: for a person who asks for one, never for the rules or a built-in
/// player.
pub fn random(generator: &mut impl Rng) -> u64 {
    generator.next_u64() >> (64 - COIN_BITS)
}

/// The purpose of a generator's stream. Stream 0 holds the coins of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Coins,
    /// The draws of the prover's strategy.
    Prover,
    /// The draws of the opponent's strategy.
    Opponent,
    /// The draws of the judge's strategy.
    Judge,
    /// Which instance is debated.
    Instance,
}

/// The draws of one stream in one debate, each found by its ordinal.
#[derive(Clone, Debug)]
pub struct Draws {
    generator: ChaCha8Rng,
    first: u128,
}

/// The 32-bit words of a player's stream that belong to one debate.
const PLAYER_STRIDE: u128 = 1 << 20;

impl Draws {
    /// The coins of debate number `debate`, of which there are at most `coins`.
    pub fn coins(seed: &Seed, debate: u64, coins: u64) -> Self {
        let first = u128::from(debate) * u128::from(stride(coins));
        Self {
            generator: seed.generator(Stream::Coins as u64),
            first,
        }
    }

    /// A player's private draws, or the choice of the instance, in debate number `debate`.
    pub fn private(seed: &Seed, stream: Stream, debate: u64) -> Self {
        let first = u128::from(debate) * PLAYER_STRIDE;
        Self {
            generator: seed.generator(stream as u64),
            first,
        }
    }

    /// Goes to the private draws of another debate of the same player, or its choice of instance.
    pub fn go_to(&mut self, debate: u64) {
        self.first = u128::from(debate) * PLAYER_STRIDE;
    }

    /// The 53-bit integer of draw number `ordinal`.
    pub fn at(&mut self, ordinal: u64) -> u64 {
        let word = self.first + 2 * u128::from(ordinal);
        // Draws are mostly read in order; seeking would make a fresh block each time.
        if self.generator.get_word_pos() != word {
            self.generator.set_word_pos(word);
        }
        self.generator.next_u64() >> (64 - COIN_BITS)
    }
}

/// The number of 32-bit words that one debate with so many coins takes up: a power of two.
pub fn stride(coins: u64) -> u64 {
    (2 * coins.max(1)).next_power_of_two()
}

const AT_ONCE: usize = 128;

/// All coins of many debates in a row, filled in bulk.
#[derive(Clone, Debug)]
pub struct BulkDraws {
    generator: ChaCha8Rng,
    stride: u64,
}

impl BulkDraws {
    /// The coins from debate number `first` on, each debate with at most `coins` of them.
    pub fn new(seed: &Seed, first: u64, coins: u64) -> Self {
        let stride = stride(coins);
        let mut generator = seed.generator(Stream::Coins as u64);
        generator.set_word_pos(u128::from(first) * u128::from(stride));
        Self { generator, stride }
    }

    /// The number of numbers one debate takes up in the buffer of [`Self::fill`].
    pub fn per_debate(&self) -> usize {
        usize::try_from(self.stride / 2).unwrap_or(usize::MAX)
    }

    /// Fills the buffer with the coins of the debates that follow, [`Self::per_debate`] numbers
    /// each, as 53-bit integers.
    pub fn fill(&mut self, buffer: &mut [u64]) {
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

/// Which of several weighted outcomes a draw picks: the first whose running sum it stays below.
///
/// The weights should sum to 1; a draw beyond their sum picks the last one. `None` only where
/// there is no outcome.
pub fn pick<N: Number>(draw: u64, weights: impl IntoIterator<Item = N>) -> Option<usize> {
    let mut sum = N::zero();
    let mut last = None;
    for (index, weight) in weights.into_iter().enumerate() {
        sum += weight;
        last = Some(index);
        if sum.beats(draw) {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests;
