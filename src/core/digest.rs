//! Digests, which name a file by its content, or a value by all that is in it.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use sha2::{Digest as _, Sha256};

/// The SHA-256 digest of some bytes. Files beside a save are named by theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Reads 64 hexadecimal digits in lower case; `None` where the text is anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 2 * bytes.len() {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair.iter().try_fold(0_u8, |value, digit| {
                let digit = match digit {
                    b'0'..=b'9' => digit - b'0',
                    b'a'..=b'f' => digit - b'a' + 10,
                    _ => return None,
                };
                Some(value << 4 | digit)
            })?;
        }
        Some(Self(bytes))
    }
}

/// 128 bits that tell values apart while the program runs: two different ones have the same with
/// probability 2^-128. They are never saved.
pub fn fingerprint(value: &impl Hash) -> [u64; 2] {
    [0_u8, 1].map(|half| {
        let mut hasher = DefaultHasher::new();
        half.hash(&mut hasher);
        value.hash(&mut hasher);
        hasher.finish()
    })
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}
