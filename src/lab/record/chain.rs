//! The chain of hashes that ties each line of a save to all that stands before it.
//!
//! The header's hash is the SHA-256 digest of the header's bytes up to the `, h:` that ends it; a
//! line's is that of the hash before it, as its 32 hexadecimal digits, followed by the line's own
//! bytes up to its `, h:`. Of each digest the first 16 bytes are kept. The chain finds accidents
//! and careless changes; whoever writes a new chain must still get past the rules and the seed.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::error::Difference;
use super::syntax::excerpt;

/// The characters of a hash: 16 bytes in hexadecimal.
pub(super) const DIGITS: usize = 32;

/// A hash of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChainHash([u8; DIGITS / 2]);

impl ChainHash {
    /// The header's.
    pub(super) fn first(body: &[u8]) -> Self {
        Self::of(Sha256::new_with_prefix(body))
    }

    /// The hash of the next line.
    pub(super) fn next(self, body: &[u8]) -> Self {
        let mut hasher = self.hasher();
        hasher.update(body);
        Self::of(hasher)
    }

    /// The hash that a line states; `None` where it states none.
    fn stated(digits: &[u8]) -> Option<Self> {
        let mut kept = [0; DIGITS / 2];
        let pairs = digits.chunks_exact(2);
        if digits.len() != DIGITS || digits.iter().any(u8::is_ascii_uppercase) {
            return None;
        }
        for (kept, pair) in kept.iter_mut().zip(pairs) {
            let pair = std::str::from_utf8(pair).ok()?;
            *kept = u8::from_str_radix(pair, 16).ok()?;
        }
        Some(Self(kept))
    }

    /// Compares the hash that is due with the one that a line states. Returns the hash from which the next line follows,
    /// and what is wrong with the one that is stated.
    pub(super) fn compare(self, stated: &[u8], line: usize) -> (Self, Option<Difference>) {
        if self.digits() == stated {
            return (self, None);
        }
        let expected = format!("the hash {self}, which follows from what stands up to here");
        let broken = format!("{}; something was changed", excerpt(stated));
        let broken = Difference::new(line, expected, broken);
        // The lines after it are read on from the hash that is stated, where one is.
        (Self::stated(stated).unwrap_or(self), Some(broken))
    }

    /// True if the bytes hold a whole line of this kind and more after it, where no newline ends
    /// the line.
    pub(super) fn is_whole_line_with_more(self, bytes: &[u8], closer: &[u8]) -> bool {
        let mut hasher = self.hasher();
        let mut start = 0;
        let opener = OPENER.as_bytes();
        for at in 0..bytes.len() {
            let Some(after) = bytes.get(at..).and_then(|rest| rest.strip_prefix(opener)) else {
                continue;
            };
            if after.len() > DIGITS + closer.len()
                && after
                    .get(DIGITS..)
                    .is_some_and(|end| end.starts_with(closer))
            {
                hasher.update(&bytes[start..at]);
                start = at;
                let link = Self::of(hasher.clone());
                if after.starts_with(link.to_string().as_bytes()) {
                    return true;
                }
            }
        }
        false
    }

    fn hasher(self) -> Sha256 {
        Sha256::new_with_prefix(self.digits())
    }

    /// The hash as it is written. A save has one a line, so they are not formatted one by one.
    pub(super) fn digits(self) -> [u8; DIGITS] {
        let mut digits = [0; DIGITS];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            for (digit, half) in pair.iter_mut().zip([byte >> 4, byte & 15]) {
                *digit = if half < 10 { b'0' } else { b'a' - 10 } + half;
            }
        }
        digits
    }

    fn of(hasher: Sha256) -> Self {
        let digest = hasher.finalize();
        let mut kept = [0; DIGITS / 2];
        for (kept, byte) in kept.iter_mut().zip(digest) {
            *kept = byte;
        }
        Self(kept)
    }
}

impl fmt::Display for ChainHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.digits();
        let mut all = digits.iter();
        all.try_for_each(|digit| fmt::Write::write_char(out, char::from(*digit)))
    }
}

/// The text before a hash.
const OPENER: &str = ", h: \"";
/// The text after the header's hash.
pub(super) const HEADER_CLOSER: &str = "\",";
/// The text after an event's hash.
pub(super) const EVENT_CLOSER: &str = "\"),";
/// The text after the last hash of a finished save.
pub(super) const END_CLOSER: &str = "\")";

/// A line with its hash and its newline.
pub(super) fn with_hash(body: &str, link: ChainHash, closer: &str) -> String {
    format!("{body}{OPENER}{link}{closer}\n")
}

/// Splits a line without its newline into what is hashed and its hash; `None` where it has none.
pub(super) fn split_hash<'b>(line: &'b [u8], closer: &str) -> Option<(&'b [u8], &'b [u8])> {
    let line = line.strip_suffix(closer.as_bytes())?;
    let (rest, hash) = line.split_at_checked(line.len().checked_sub(DIGITS)?)?;
    Some((rest.strip_suffix(OPENER.as_bytes())?, hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::digest::Digest;

    #[test]
    fn what_is_sealed_opens_again() {
        let link = ChainHash::first(b"header").next(b"(n: 1");
        let row = with_hash("(n: 1", link, EVENT_CLOSER);
        let row = row.strip_suffix('\n').unwrap();
        let (body, hash) = split_hash(row.as_bytes(), EVENT_CLOSER).unwrap();
        assert_eq!((body, hash), (&b"(n: 1"[..], link.to_string().as_bytes()));
        assert_eq!(split_hash(row.as_bytes(), END_CLOSER), None);
        assert_eq!(split_hash(b"\"),", EVENT_CLOSER), None);
    }

    /// The published rule, followed by hand.
    #[test]
    fn anybody_can_check_a_hash() {
        let first = Digest::of(b"header").to_string();
        let text = format!("{}(n: 1", first.split_at(32).0);
        let second = Digest::of(text.as_bytes()).to_string();
        assert_eq!(
            ChainHash::first(b"header").next(b"(n: 1").to_string(),
            second.split_at(32).0
        );
    }

    #[test]
    fn a_digest_is_written_in_one_way() {
        let text = Digest::of(b"abc").to_string();
        assert!(text.starts_with("ba7816bf8f01cfea"), "{text}");
        assert_eq!(Digest::parse(&text), Some(Digest::of(b"abc")));
        let upper = text.to_uppercase();
        for wrong in [
            "",
            "../../etc/passwd",
            &upper,
            text.split_at(63).0,
            &"é".repeat(32),
        ] {
            assert_eq!(Digest::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_changed_newline_is_told_from_a_torn_line() {
        let before = ChainHash::first(b"header");
        let body = "(n: 1, note: \", h: \\\"\"";
        let line = with_hash(body, before.next(body.as_bytes()), EVENT_CLOSER);
        let torn = line.strip_suffix('\n').unwrap();
        let closer = EVENT_CLOSER.as_bytes();
        assert!(!before.is_whole_line_with_more(torn.as_bytes(), closer));
        assert!(before.is_whole_line_with_more(format!("{torn}x").as_bytes(), closer));
    }
}
