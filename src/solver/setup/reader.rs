//! The reader of a scenario file, and the names, prose, numbers and sizes that every part of a file is made of.

use std::collections::HashSet;
use std::sync::Arc;

use num_integer::Integer as _;
use num_traits::One as _;
use ron::extensions::Extensions;
use ron::value::RawValue;
use serde::Deserialize;

use super::error::{
    NamedSource, SetupError, SourceLocation, first_unsafe, kind_of, quoted, sentence,
};
use super::load::{FileLoader, stays_within};
use super::written::{MapEntries, RonDecomposition};
use debate_core::number::{self, Exact, Number as _};
use debate_core::scenario::{Flaw, Path};

/// The text, the limits and the files for one reading.
pub(super) struct ScenarioReader<'s> {
    pub(super) source: NamedSource<'s>,
    pub(super) files: FileLoader<'s>,
}

pub(super) type Result<T, E = SetupError> = std::result::Result<T, E>;

/// Options for reading the project's RON files: without `Some(…)`, and not too deep.
pub fn ron_options() -> ron::Options {
    ron::Options::default()
        // A bracket and the value in it count apart.
        .with_recursion_limit(2 * MAX_NESTING)
        .with_default_extension(
            Extensions::IMPLICIT_SOME
                | Extensions::UNWRAP_NEWTYPES
                | Extensions::UNWRAP_VARIANT_NEWTYPES,
        )
}

/// The most bits of the common denominator of the worlds' weights: sums of weights must stay cheap.
const MAX_WEIGHT_BITS: u64 = 4096;

/// One of two fields that mean the same in two ways.
pub(super) enum OneOf<A, B> {
    First(A),
    Second(B),
}

impl ScenarioReader<'_> {
    /// Parses a raw slice of the file; errors have its place in the file.
    pub(super) fn part<'f, T: Deserialize<'f>>(&self, raw: &'f RawValue) -> Result<T> {
        let slice = raw.get_ron();
        ron_options()
            .from_str(slice)
            .map_err(|error| self.source.unparsed(slice, &error))
    }

    pub(super) fn flaw(&self, flaw: &Flaw) -> SetupError {
        self.source.flawed(flaw)
    }

    pub(super) fn flawed<T>(&self, path: &Path, what: impl std::fmt::Display) -> Result<T> {
        Err(self.flaw(&path.flaw(what)))
    }

    /// Refuses any decomposition but the problem's own.
    pub(super) fn own_decomposition(
        &self,
        method: Option<&RonDecomposition>,
        why: &str,
    ) -> Result<()> {
        if matches!(method, None | Some(RonDecomposition::Explicit)) {
            return Ok(());
        }
        let at = Path::field("decomposition");
        self.flawed(&at, format_args!("{why}"))
    }

    /// Checks a text of one line: a title, an id, a label, a name.
    pub(super) fn name(&self, text: &str, path: impl Fn() -> Path) -> Result<()> {
        if let Some(bad) = first_unsafe(text, false) {
            return Err(self.bad_character(bad, &path()));
        }
        if text.len() > MAX_NAME && text.chars().count() > MAX_NAME {
            return self.flawed(
                &path(),
                format_args!("more than {MAX_NAME} characters; shorten it"),
            );
        }
        Ok(())
    }

    /// Checks a text of several lines. Tabs become spaces and line ends plain.
    pub(super) fn prose(&self, mut text: String, path: impl Fn() -> Path) -> Result<String> {
        if text.contains('\r') {
            text = text.replace("\r\n", "\n");
        }
        if let Some(bad) = first_unsafe(&text, true) {
            return Err(self.bad_character(bad, &path()));
        }
        // A character has a byte at least, and bytes are counted faster.
        if text.len() > self.source.limits.text {
            let count = text.chars().count() as u128;
            self.limit(LimitFlag::Text, count, path, "characters")?;
        }
        if text.contains('\t') {
            text = text.replace('\t', "    ");
        }
        Ok(text)
    }

    pub(super) fn optional_prose(
        &self,
        text: Option<String>,
        path: impl Fn() -> Path,
    ) -> Result<Option<String>> {
        text.map(|text| self.prose(text, path)).transpose()
    }

    /// Refuses a text without words; `what` says what to do.
    pub(super) fn not_blank(&self, text: &str, path: impl Fn() -> Path, what: &str) -> Result<()> {
        if text.trim().is_empty() {
            return self.flawed(&path(), what);
        }
        Ok(())
    }

    fn bad_character(&self, bad: char, path: &Path) -> SetupError {
        let (kind, code) = (kind_of(bad), u32::from(bad));
        self.flaw(&path.flaw(match bad {
            '\n' | '\r' | '\t' => format!("{kind} (U+{code:04X}) has no place here; remove it"),
            _ => format!("{kind} (U+{code:04X}) could disturb a terminal; remove it"),
        }))
    }

    /// Checks that no key stands twice.
    pub(super) fn unique<T>(&self, entries: &MapEntries<T>, path: impl Fn() -> Path) -> Result<()> {
        let mut seen = HashSet::with_capacity(entries.0.len());
        for (key, _) in &entries.0 {
            self.name(key, || path().entry(key))?;
            if !seen.insert(key.as_str()) {
                return self.flawed(
                    &path().entry(key),
                    "this key stands twice; keep one, or give each its own",
                );
            }
        }
        Ok(())
    }

    pub(super) fn number(&self, raw: &RawValue, path: impl Fn() -> Path) -> Result<Exact> {
        number::parse(number::unquoted(raw.get_ron()))
            .map_err(|error| self.flaw(&path().flaw(error)))
    }

    pub(super) fn probability(&self, raw: &RawValue, path: impl Fn() -> Path) -> Result<Exact> {
        let value = self.number(raw, &path)?;
        if value.is_probability() {
            Ok(value)
        } else {
            self.flawed(
                &path(),
                format_args!(
                    "{} is no probability; take a number from 0 to 1",
                    number::short(value.to_float(), 4)
                ),
            )
        }
    }

    /// Refuses more of something, named by a plural noun, than the limits allow.
    pub(super) fn limit(
        &self,
        flag: LimitFlag,
        count: u128,
        path: impl FnOnce() -> Path,
        noun: &str,
    ) -> Result<()> {
        self.source.limit(flag, count, path, noun)
    }

    pub(super) fn depth(&self, depth: u32, path: &Path) -> Result<()> {
        self.source.limit_depth(depth, path)
    }

    /// Checks a number of subclaims.
    pub(super) fn width(&self, width: usize, path: impl Fn() -> Path) -> Result<()> {
        let noun = "subclaims in one support";
        self.limit(LimitFlag::Width, width as u128, path, noun)
    }

    /// Takes whichever of two fields the file gives; it must give one of them.
    pub(super) fn one_of<A, B>(
        &self,
        at: &Path,
        [one, other]: [&'static str; 2],
        given: (Option<A>, Option<B>),
        neither: &str,
    ) -> Result<OneOf<A, B>> {
        match given {
            (Some(first), None) => Ok(OneOf::First(first)),
            (None, Some(second)) => Ok(OneOf::Second(second)),
            (None, None) => self.flawed(at, neither),
            (Some(_), Some(_)) => self.flawed(
                &at.then(other),
                format_args!("`{one}` and `{other}` stand together; keep one of them"),
            ),
        }
    }

    /// The weights of worlds, whose sums must stay short.
    pub(super) fn weight(
        &self,
        raw: Option<&RawValue>,
        common: &mut num_bigint::BigInt,
        path: impl Fn() -> Path,
    ) -> Result<Exact> {
        let weight = match raw {
            None => Exact::one(),
            Some(raw) => self.number(raw, &path)?,
        };
        *common = common.lcm(weight.denom());
        if common.bits() > MAX_WEIGHT_BITS {
            return self.flawed(
                &path(),
                "the weights up to here have no short common denominator; write whole numbers",
            );
        }
        Ok(weight)
    }

    /// The bytes of a file beside the scenario.
    pub(super) fn read_file(&self, name: &str, path: impl Fn() -> Path) -> Result<Arc<[u8]>> {
        self.name(name, &path)?;
        if !stays_within(name) {
            return self.flawed(
                &path(),
                format_args!(
                    "{} leads out of the scenario's folder; put the file beside the scenario and \
                     write its name",
                    quoted(name)
                ),
            );
        }
        let most = self.source.limits.file;
        let file = self.files.find(name, most).map_err(|cause| {
            self.flaw(&path().flaw(format_args!("{} cannot be read: {cause}", quoted(name))))
        })?;
        if file.bytes.len() as u64 > most {
            let what = format!("{} has more than {most} bytes", quoted(name));
            return Err(self.source.too_large(LimitFlag::File, &path(), &what));
        }
        Ok(file.bytes)
    }

    /// The error for a line of a file beside the scenario.
    pub(super) fn wrong_line(name: &str, line: usize, what: &str) -> SetupError {
        SetupError::Malformed {
            place: SourceLocation {
                origin: sentence(name),
                line,
                column: 1,
            },
            what: sentence(what),
        }
    }
}

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
