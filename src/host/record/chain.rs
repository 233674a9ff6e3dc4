//! Append-only files whose lines end with hashes: saves of debates, logs of study sessions, and the ledger of such
//! logs. Hashes link the lines of a save or a log; the lines of a ledger are not linked.
//!
//! Each line ends with its hash, between an opener and a closer. In a save, the hash of the header is the SHA-256
//! digest of the header's bytes up to the opener. The hash of a line is the digest of the previous hash, as hexadecimal
//! digits, followed by the line's own bytes up to its opener. In a log, the previous hash is part of the line, so only
//! the line's own bytes are hashed. A hash is the first bytes of the digest: 16 in saves, 8 in ledgers, and all 32 in
//! logs. The chain detects accidents and careless changes. A forger who writes a new chain must also satisfy the rules
//! and the seed of a save, or the ledger of a log.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::error::SaveDifference;
use super::syntax::excerpt_for_error;

/// A hash at the end of a line of a chained file: the first `BYTES` bytes of a SHA-256 digest, 16 in saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainHash<const BYTES: usize = 16>([u8; BYTES]);

impl<const BYTES: usize> ChainHash<BYTES> {
    /// The number of hexadecimal digits of a chained hash.
    pub const DIGITS: usize = 2 * BYTES;

    /// Returns the hash of a line that depends only on the line's own bytes: the first line of a save, or any line of a
    /// log or ledger.
    pub fn hash_without_previous_line(body: &[u8]) -> Self {
        Self::of(Sha256::new_with_prefix(body))
    }

    /// Returns the hash of the next line, which depends on this hash and the line's bytes.
    pub(super) fn hash_of_next_line(self, body: &[u8]) -> Self {
        Self::of(self.hasher().chain_update(body))
    }

    fn hasher(self) -> Sha256 {
        Sha256::new_with_prefix(self.to_string())
    }

    fn of(hasher: Sha256) -> Self {
        let digest = hasher.finalize();
        let mut kept = [0; BYTES];
        for (kept, byte) in kept.iter_mut().zip(digest) {
            *kept = byte;
        }
        Self(kept)
    }

    /// True if `digits` are the hexadecimal digits of this hash, with lower-case letters.
    pub fn matches_hex_digits(self, digits: &[u8]) -> bool {
        Self::stated(digits) == Some(self)
    }

    /// Parses the hash that a line of a chained file states; `None` if the digits are not a hash.
    fn stated(digits: &[u8]) -> Option<Self> {
        let value = |digit: &u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        let mut kept = [0; BYTES];
        if digits.len() != Self::DIGITS {
            return None;
        }
        for (kept, pair) in kept.iter_mut().zip(digits.chunks_exact(2)) {
            *kept = value(&pair[0])? << 4 | value(&pair[1])?;
        }
        Some(Self(kept))
    }

    /// Compares the expected hash with the one that the file states on a line. Returns the hash from which the next
    /// line follows, and the difference, if any.
    pub(super) fn compare_with_stated_hash(
        self,
        stated: &[u8],
        line: usize,
    ) -> (Self, Option<SaveDifference>) {
        let read = Self::stated(stated);
        if read == Some(self) {
            return (self, None);
        }
        let expected = format!("the hash {self} of all content up to here");
        let broken = format!(
            "{stated_hash}; the content was changed",
            stated_hash = excerpt_for_error(stated)
        );
        // Later lines are checked against the stated hash, if it can be read.
        (
            read.unwrap_or(self),
            Some(SaveDifference::new(line, expected, broken)),
        )
    }
}

impl<const BYTES: usize> fmt::Display for ChainHash<BYTES> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// The layout of lines in one kind of chained file: the text that precedes the hash in a line, by which the hash is
/// found.
#[derive(Clone, Copy, Debug)]
pub struct ChainedLineHashMarker<const BYTES: usize> {
    /// The text before a hash.
    opener: &'static str,
}

/// The position of the hash in the lines of a save.
pub(super) const SAVE_HASH_POSITION: ChainedLineHashMarker<16> =
    ChainedLineHashMarker { opener: ", h: \"" };
/// The position of the hash in the lines of a study session's log.
pub const LOG_HASH_POSITION: ChainedLineHashMarker<32> = ChainedLineHashMarker {
    opener: ",\"hash\":\"",
};
/// The position of the hash in the lines of a ledger, which are not linked to each other.
pub(super) const LEDGER_HASH_POSITION: ChainedLineHashMarker<8> = ChainedLineHashMarker {
    opener: ",\"check\":\"",
};

/// The text that follows the hash of a save's header.
pub(super) const HEADER_CLOSER: &str = "\",";
/// The text that follows the hash in the line of a save that records an event, such as a move or an undo.
pub(super) const EVENT_CLOSER: &str = "\"),";
/// The text that follows the last hash of a finished save.
pub(super) const END_CLOSER: &str = "\")";
/// The text that follows the hash of a line of JSON.
pub const JSON_CLOSER: &str = "\"}";

impl<const BYTES: usize> ChainedLineHashMarker<BYTES> {
    /// Returns a line of a chained file with its hash and its newline.
    pub fn line_closed_with_hash(self, body: &str, hash: ChainHash<BYTES>, closer: &str) -> String {
        format!("{body}{}{hash}{closer}\n", self.opener)
    }

    /// Splits a line of a chained file, without its newline, into the hashed bytes and the hash; `None` if it has no
    /// hash.
    pub fn split<'b>(self, line: &'b [u8], closer: &str) -> Option<(&'b [u8], &'b [u8])> {
        let line = line.strip_suffix(closer.as_bytes())?;
        let length = line.len().checked_sub(ChainHash::<BYTES>::DIGITS)?;
        let (rest, hash) = line.split_at_checked(length)?;
        Some((rest.strip_suffix(self.opener.as_bytes())?, hash))
    }

    /// True if a complete line was damaged at its end: its newline was replaced by other bytes, not cut off. `before`
    /// is the previous line's hash, if the hash of this line depends on it.
    pub fn is_line_with_changed_end(
        self,
        before: Option<ChainHash<BYTES>>,
        bytes: &[u8],
        closer: &str,
    ) -> bool {
        let mut hasher = before.map_or_else(Sha256::new, ChainHash::hasher);
        let mut start = 0;
        for at in 0..bytes.len() {
            let rest = bytes.get(at..).unwrap_or_default();
            let after = rest.strip_prefix(self.opener.as_bytes());
            let Some((hash, end)) =
                after.and_then(|after| after.split_at_checked(ChainHash::<BYTES>::DIGITS))
            else {
                continue;
            };
            if end.len() > closer.len() && end.starts_with(closer.as_bytes()) {
                hasher.update(&bytes[start..at]);
                start = at;
                if ChainHash::<BYTES>::of(hasher.clone()).matches_hex_digits(hash) {
                    return true;
                }
            }
        }
        false
    }
}

/// A line of a file.
pub struct RawLine<'b> {
    /// The line without its newline.
    pub bytes: &'b [u8],
    /// Line number, from 1.
    pub line: usize,
    /// True if the line of the file ends in a newline. A last line without one was written incompletely and does not
    /// count as saved.
    pub whole: bool,
}

/// An iterator over the lines of a chained file, before they are parsed.
pub struct RawLineIterator<'b> {
    pub(super) bytes: &'b [u8],
    /// The number of the file's bytes that were read so far.
    pub(super) at: usize,
    pub(super) line: usize,
}

impl<'b> RawLineIterator<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        let at = 0;
        let line = 0;
        Self { bytes, at, line }
    }
}

impl<'b> Iterator for RawLineIterator<'b> {
    type Item = RawLine<'b>;

    fn next(&mut self) -> Option<RawLine<'b>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        self.line += 1;
        let newline = rest.iter().position(|byte| *byte == b'\n');
        let bytes = rest.get(..newline.unwrap_or(rest.len())).unwrap_or(rest);
        self.at += bytes.len() + usize::from(newline.is_some());
        Some(RawLine {
            bytes,
            line: self.line,
            whole: newline.is_some(),
        })
    }
}

/// The error about a chained file whose line ends were converted to CR LF. Its hashes are computed with LF.
pub const CONVERTED: &str = "its line ends were changed from LF to CR LF, as git does with `core.autocrlf`; change them back, \
                             for example with `sed -i 's/\\r$//' FILE`, and write `* -text` into .gitattributes";

/// A file that is open for appending, locked against other programs.
#[derive(Debug)]
pub struct LockedAppendFile {
    pub file: File,
    /// The number of bytes that are known to be in the file.
    pub length: u64,
    /// True if a write failed, so that the file may have more bytes.
    pub(super) failed: bool,
}

impl LockedAppendFile {
    /// Creates and locks a new file, which on Unix only its owner can read. An existing link of that name is an error,
    /// even if it leads nowhere.
    ///
    /// # Errors
    /// If the file exists, or cannot be created or locked.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self::lock_for_appending(options.open(path)?)
    }

    /// Locks a file, so that this program alone can append to it. Appending begins at offset 0, unless
    /// [`Self::cut_file_to_length`] sets another length first.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] if another program has the lock; other errors of the system.
    pub fn lock_for_appending(file: File) -> io::Result<Self> {
        accept_missing_lock_support(file.try_lock())?;
        Ok(Self {
            file,
            length: 0,
            failed: false,
        })
    }

    /// Cuts off all bytes of the file after `length`. Later bytes are appended there.
    ///
    /// # Errors
    /// If the file cannot be cut.
    pub fn cut_file_to_length(&mut self, length: u64) -> io::Result<()> {
        self.length = length;
        if self.file.metadata()?.len() == length {
            return Ok(());
        }
        self.file.set_len(length)?;
        self.file.sync_data()
    }

    /// Appends bytes to the file, and then calls `settle` with the file, for example to wait until the bytes are on the
    /// disk.
    ///
    /// # Errors
    /// If the bytes cannot be written or `settle` fails. The file is then restored, now or at the next attempt.
    pub fn append(
        &mut self,
        bytes: &[u8],
        settle: impl FnOnce(&File) -> io::Result<()>,
    ) -> io::Result<()> {
        let written = self.write(bytes).and_then(|()| settle(&self.file));
        self.failed = written.is_err();
        if self.failed {
            // Restored at once, so that the file stays readable. If that fails, the next attempt restores it.
            let _ = self.file.set_len(self.length);
        } else {
            self.length += bytes.len() as u64;
        }
        written
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.failed {
            self.file.set_len(self.length)?;
        }
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(bytes)
    }
}

/// Converts the result of an attempt to lock a file. On a file system without locks, the file counts as locked.
///
/// # Errors
/// [`io::ErrorKind::WouldBlock`] if another program has the lock; other errors of the system.
pub fn accept_missing_lock_support(tried: Result<(), TryLockError>) -> io::Result<()> {
    match tried {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
        // Some network file systems have no locks; the program then works without one.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(cause)) => Err(cause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::digest::Digest;

    #[test]
    fn a_sealed_line_is_split_into_body_and_hash() {
        let link: ChainHash =
            ChainHash::hash_without_previous_line(b"header").hash_of_next_line(b"(n: 1");
        let row = SAVE_HASH_POSITION.line_closed_with_hash("(n: 1", link, EVENT_CLOSER);
        let row = row.strip_suffix('\n').unwrap();
        let (body, hash) = SAVE_HASH_POSITION
            .split(row.as_bytes(), EVENT_CLOSER)
            .unwrap();
        assert_eq!((body, hash), (&b"(n: 1"[..], link.to_string().as_bytes()));
        assert_eq!(SAVE_HASH_POSITION.split(row.as_bytes(), END_CLOSER), None);
        assert_eq!(SAVE_HASH_POSITION.split(b"\"),", EVENT_CLOSER), None);
    }

    /// Checks hashes against the published rule, applied by hand.
    #[test]
    fn the_hash_chain_follows_the_published_rule() {
        let first = Digest::digest_of_bytes(b"header").to_string();
        let text = format!("{}(n: 1", first.split_at(32).0);
        let second = Digest::digest_of_bytes(text.as_bytes()).to_string();
        assert_eq!(
            ChainHash::<16>::hash_without_previous_line(b"header")
                .hash_of_next_line(b"(n: 1")
                .to_string(),
            second.split_at(32).0
        );
    }

    #[test]
    fn a_digest_has_one_spelling() {
        let text = Digest::digest_of_bytes(b"abc").to_string();
        assert!(text.starts_with("ba7816bf8f01cfea"), "{text}");
        assert_eq!(Digest::parse(&text), Some(Digest::digest_of_bytes(b"abc")));
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
    fn a_changed_newline_is_distinguished_from_a_torn_line() {
        let before: ChainHash = ChainHash::hash_without_previous_line(b"header");
        // The note contains the opener of the hash field in RON's escaped form, which must not count as an opener.
        let body = r#"(n: 1, note: ", h: \"""#;
        let line = SAVE_HASH_POSITION.line_closed_with_hash(
            body,
            before.hash_of_next_line(body.as_bytes()),
            EVENT_CLOSER,
        );
        let torn = line.strip_suffix('\n').unwrap();
        let has_more = |bytes: &str| {
            SAVE_HASH_POSITION.is_line_with_changed_end(
                Some(before),
                bytes.as_bytes(),
                EVENT_CLOSER,
            )
        };
        assert!(!has_more(torn) && has_more(&format!("{torn}x")));
    }
}
