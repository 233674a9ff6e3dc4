//! Limits on the size of a scenario.

/// The most characters that a title, an id, a label, a tag or a player's name may have.
pub const MAX_NAME: usize = 200;

/// The deepest that brackets may nest in a scenario file. The format itself needs six levels.
///
/// The parser counts a bracket and its content apart, so this is half of what it is told.
pub(super) const MAX_NESTING: usize = 32;

/// The largest scenario that is read. Each limit can be raised by the flag that its message names.
///
/// A generated decomposition (`Intervals` over a long number) has claims without end that nobody
/// keeps, so [`Self::claims`] counts the claims that are written down; [`Self::depth`] and
/// [`Self::width`] hold for both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file: `--max-file`.
    pub file: u64,
    /// Claims written in the file: `--max-claims`.
    pub claims: usize,
    /// Edges from the root to a leaf: `--max-depth`. A debate keeps a power of r for each.
    pub depth: u32,
    /// Subclaims of one support: `--max-width`.
    pub width: u32,
    /// Characters of one text: `--max-text`.
    pub text: usize,
    /// Gates of a circuit, and inputs: `--max-gates`. Each gate takes nine bytes, and one more for
    /// each input that is debated.
    pub gates: u32,
    /// Digits of the smallest weight of a round, r^(d + 1), which all of the arithmetic carries: `--max-digits`.
    pub digits: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file: 64 << 20,
            claims: 1_000_000,
            depth: 4096,
            width: 1024,
            text: 1 << 16,
            gates: 1 << 24,
            digits: 20_000,
        }
    }
}

/// A limit on the size of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitFlag {
    File,
    Claims,
    Depth,
    Width,
    Text,
    Gates,
    Digits,
}

impl Limits {
    /// A limit, and the name of the flag that raises it.
    pub(super) fn of(&self, limit: LimitFlag) -> (u128, &'static str) {
        match limit {
            LimitFlag::File => (self.file.into(), "--max-file"),
            LimitFlag::Claims => (self.claims as u128, "--max-claims"),
            LimitFlag::Depth => (self.depth.into(), "--max-depth"),
            LimitFlag::Width => (self.width.into(), "--max-width"),
            LimitFlag::Text => (self.text as u128, "--max-text"),
            LimitFlag::Gates => (self.gates.into(), "--max-gates"),
            LimitFlag::Digits => (self.digits.into(), "--max-digits"),
        }
    }
}
