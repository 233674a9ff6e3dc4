//! Digests: SHA-256 hashes that identify files, and fingerprints that distinguish values in memory.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use sha2::{Digest as _, Sha256};

/// The SHA-256 digest of some bytes. A file that accompanies a save has its digest as its file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    pub fn digest_of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Returns the SHA-256 digest of the concatenation of these byte strings.
    pub fn digest_of_concatenation(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update(part);
        }
        Self(digest.finalize().into())
    }

    /// Reads a digest from 64 hexadecimal digits in lower case; `None` for any other text.
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

/// The JSON text before and after the digest in the field that [`append_digest_to_json`] adds.
const FIELD: [&str; 2] = [",\"digest\":\"", "\"}"];
/// The number of hexadecimal digits of a digest.
const DIGITS: usize = 64;

/// The result of checking the digest at the end of a line of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineDigestCheck {
    /// The line has no digest at its end.
    Absent,
    Right,
    /// The line was changed after it was written.
    Wrong,
}

/// Appends a last field `digest` to a JSON object in one line: the digest of the object without that field. The object
/// must have at least one field.
pub fn append_digest_to_json(object: &str) -> String {
    let digest = Digest::digest_of_bytes(object.as_bytes());
    let [begin, end] = FIELD;
    let rest = object.strip_suffix('}').unwrap_or(object);
    format!("{rest}{begin}{digest}{end}")
}

/// Checks the digest in a line that [`append_digest_to_json`] made, for example a file with one shard of a simulation.
/// The line may end with a line break.
pub fn check_line_digest(line: &str) -> LineDigestCheck {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let [begin, end] = FIELD;
    let length = begin.len() + DIGITS + end.len();
    let parts = line.len().checked_sub(length).and_then(|at| {
        let (object, field) = line.split_at_checked(at)?;
        Some((object, field.strip_prefix(begin)?.strip_suffix(end)?))
    });
    let Some((object, digits)) = parts else {
        return LineDigestCheck::Absent;
    };
    if Digest::digest_of_bytes(format!("{object}}}").as_bytes()).to_string() == digits {
        LineDigestCheck::Right
    } else {
        LineDigestCheck::Wrong
    }
}

/// Returns a 128-bit fingerprint, to distinguish values while the program runs: two different values have equal
/// fingerprints with probability 2^-128. Fingerprints are never saved.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_json_has_the_digest_of_the_rest() {
        let line = append_digest_to_json("{\"a\":1}");
        assert!(line.starts_with("{\"a\":1,\"digest\":\""), "{line}");
        for end in ["", "\n", "\r\n"] {
            assert_eq!(
                check_line_digest(&format!("{line}{end}")),
                LineDigestCheck::Right
            );
        }
        assert_eq!(
            check_line_digest(&line.replace('1', "2")),
            LineDigestCheck::Wrong
        );
        for none in [
            "",
            "{}",
            "{\"a\":1}",
            &line.replace("digest", "digesT"),
            &format!("{line} "),
        ] {
            assert_eq!(check_line_digest(none), LineDigestCheck::Absent, "{none}");
        }
    }
}
