//! Errors in a scenario file, with their location and a remedy; limits on the size of a scenario; escaping of
//! quoted text and the check for unsafe characters.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::{fmt, io};

use ron::error::SpannedError;
use thiserror::Error;

use super::locator;
use debate_core::number::Exact;
use debate_core::protocol::Protocol;
use debate_core::scenario::{Decomposition, ScenarioValueError, ScenarioValuePath};
use debate_core::text::{escaped_and_shortened, is_unsafe_character, shortened_in_backticks};

/// The origin of a scenario's text, which errors name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScenarioTextSource {
    File(PathBuf),
    /// The text is that of the bundled scenario with this name.
    Bundled(&'static str),
    /// A text from elsewhere, such as a save. The field is a name for it in error messages.
    Text(String),
}

impl fmt::Display for ScenarioTextSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(out, "{}", path.display()),
            Self::Bundled(name) => write!(out, "scenarios/{name}.ron"),
            Self::Text(name) => out.write_str(name),
        }
    }
}

/// A line and column in a scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// The path of the file, or a name for another origin.
    pub origin: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.origin, self.line, self.column)
    }
}

/// The reason why a scenario cannot be read. Each message is one sentence of limited length that is safe to display,
/// because quotations from the file are escaped.
#[derive(Debug, Error)]
pub enum ScenarioError {
    #[error("{file}: cannot be read: {cause}", file = .origin)]
    Unreadable {
        origin: String,
        #[source]
        cause: io::Error,
    },
    /// No file, bundled scenario or question has this name.
    #[error("{name}: no such file or scenario; {hint}")]
    Unknown {
        name: String,
        /// Advice to the user, such as the most similar name, or all names of bundled scenarios.
        hint: String,
    },
    /// A question set has several questions, or none with this name.
    #[error("{name}: {hint}")]
    UnknownQuestion {
        name: String,
        /// Advice to the user: the most similar or the first id in the question set, or the number of its questions.
        hint: String,
    },
    /// The text is not a scenario: its syntax, a type or a field name is wrong.
    #[error("{place}: {what}")]
    Malformed { place: SourceLocation, what: String },
    /// The syntax is right, but a value is out of range or contradicts another.
    #[error("{place}: {path}: {what}")]
    Flawed {
        place: SourceLocation,
        /// The path to the value in the file, such as `problem.claims["a"]`.
        path: String,
        what: String,
    },
    #[error("{place}: {excess}; `{flag}` raises the limit", excess = .what)]
    TooLarge {
        place: SourceLocation,
        what: String,
        /// The command-line flag that raises the limit.
        flag: &'static str,
    },
    #[error("{origin}: there is no instance {name}; use one of {known}")]
    NoInstance {
        origin: String,
        name: String,
        /// The names of the first few instances, for the message.
        known: String,
    },
}

/// The text of a scenario with its origin and size limits. It computes the locations for errors.
pub struct ScenarioSourceText<'s> {
    pub text: &'s str,
    pub origin: &'s ScenarioTextSource,
    pub limits: &'s ScenarioLimits,
}

impl ScenarioSourceText<'_> {
    fn place(&self, line_and_column: (usize, usize)) -> SourceLocation {
        let (line, column) = line_and_column;
        SourceLocation {
            origin: escaped_and_shortened_message(&self.origin.to_string()),
            line,
            column,
        }
    }

    fn locate(&self, path: &ScenarioValuePath) -> SourceLocation {
        self.place(locator::line_and_column_of_value(self.text, path).unwrap_or((1, 1)))
    }

    pub fn flaw_error(&self, flaw: &ScenarioValueError) -> ScenarioError {
        ScenarioError::Flawed {
            place: self.locate(&flaw.path),
            path: escaped_and_shortened_message(&flaw.path.to_string()),
            what: escaped_and_shortened_message(&flaw.what),
        }
    }

    /// Returns an error if `count` exceeds a size limit. `noun` is the plural noun for the message.
    pub(super) fn limit(
        &self,
        flag: ScenarioLimitFlag,
        count: u128,
        path: impl FnOnce() -> ScenarioValuePath,
        noun: &str,
    ) -> Result<(), ScenarioError> {
        let (most, _) = self.limits.value_and_flag(flag);
        if count <= most {
            return Ok(());
        }
        let what = format!("{count} {noun} are more than the limit of {most}");
        Err(self.too_large_error(flag, &path(), &what))
    }

    pub(super) fn too_large_error(
        &self,
        flag: ScenarioLimitFlag,
        path: &ScenarioValuePath,
        what: &str,
    ) -> ScenarioError {
        ScenarioError::TooLarge {
            place: self.locate(path),
            what: escaped_and_shortened_message(&format!("{path}: {what}")),
            flag: self.limits.value_and_flag(flag).1,
        }
    }

    pub(super) fn check_depth_limit(
        &self,
        depth: u32,
        path: &ScenarioValuePath,
    ) -> Result<(), ScenarioError> {
        let path = || path.clone();
        self.limit(
            ScenarioLimitFlag::Depth,
            depth.into(),
            path,
            "levels of claims",
        )
    }

    /// Returns an error if the rules' parameters would lead to numbers with too many digits in this decomposition. If
    /// the stakes differ by round, also returns an error if the decomposition is too deep.
    pub(super) fn check_number_limits(
        &self,
        protocol: &Protocol,
        decomposition: &dyn Decomposition,
    ) -> Result<(), ScenarioError> {
        let sizes = (0..decomposition.worlds().len()).map(|world| decomposition.size(world));
        let (depth, width) = sizes.fold((0, 0), |(depth, width), size| {
            (depth.max(size.depth), width.max(size.width))
        });
        if let Some(ratio) = protocol.weight_ratio_if_constant() {
            self.limit_rounds(depth, &ratio)?;
        }
        match protocol.protocol_parameters().epsilon_and_rho() {
            Some((epsilon, _)) => self.limit_supports(width, epsilon),
            None => Ok(()),
        }
    }

    /// Returns an error if a debate has too many rounds, or if the stakes (powers of the reward ratio) have too many
    /// digits.
    fn limit_rounds(&self, depth: u32, reward_ratio: &Exact) -> Result<(), ScenarioError> {
        self.check_depth_limit(
            depth,
            &ScenarioValuePath::path_of_top_level_field("decomposition"),
        )?;
        let digits = approximate_digits_of_power(reward_ratio, u64::from(depth) + 1);
        let path = || ScenarioValuePath::path_of_top_level_field("protocol");
        let noun = "digits in the highest power of the reward ratio r";
        self.limit(ScenarioLimitFlag::Digits, digits, path, noun)
    }

    /// Returns an error if ε^width has too many digits. This is the probability of an error in every subclaim of the
    /// widest support.
    fn limit_supports(&self, width: u32, epsilon: &Exact) -> Result<(), ScenarioError> {
        let digits = approximate_digits_of_power(epsilon, width.into());
        let path = || ScenarioValuePath::path_of_top_level_field("protocol");
        let noun = "digits in ε^w, for the w subclaims of the widest support";
        self.limit(ScenarioLimitFlag::Digits, digits, path, noun)
    }

    /// Returns an error if a text or a file has too many bytes.
    pub(super) fn check_file_size(&self, length: usize) -> Result<(), ScenarioError> {
        let (most, flag) = self.limits.value_and_flag(ScenarioLimitFlag::File);
        if length as u128 <= most {
            return Ok(());
        }
        Err(ScenarioError::TooLarge {
            place: self.place((1, 1)),
            what: format!("the file has more than {most} bytes"),
            flag,
        })
    }

    /// Creates the error for a byte offset in the scenario's text.
    pub(super) fn scenario_error_at_offset(&self, offset: usize, what: &str) -> ScenarioError {
        ScenarioError::Malformed {
            place: self.place(locator::line_and_column(self.text, offset)),
            what: escaped_and_shortened_message(what),
        }
    }

    /// Converts an error of the parser. `slice` is the parsed part of the text, or the whole text.
    pub fn parse_error(&self, slice: &str, error: &SpannedError) -> ScenarioError {
        let (within, next) = position(slice, error);
        let is_field = slice.len() < self.text.len();
        let what = match (&error.code, next) {
            (ron::Error::ExpectedIdentifier, Some('&' | '|')) => {
                "a gate is a name: `All` if every subclaim must hold, `Any` if one is enough"
                    .to_owned()
            }
            (ron::Error::TrailingCharacters, Some('(')) if is_field => {
                "the value at this position takes no brackets; remove them".to_owned()
            }
            (ron::Error::ExpectedComma, Some('(')) => {
                "the value at this position takes no brackets; remove them, or add a comma before them"
                    .to_owned()
            }
            (ron::Error::ExpectedComma, Some(')' | ']' | '}')) => {
                "this bracket does not match the last opening bracket; correct one of them"
                    .to_owned()
            }
            (code, _) => explain(code),
        };
        self.scenario_error_at_offset(self.start_of(slice) + within, &what)
    }

    /// Returns the byte offset in the whole text at which the parser found an error in `slice`.
    pub(super) fn parse_error_offset_in_whole_text(
        &self,
        slice: &str,
        error: &SpannedError,
    ) -> usize {
        let (within, _) = position(slice, error);
        self.start_of(slice) + within
    }

    /// Returns the byte offset at which `slice` starts in the scenario's text; 0 if it is not part of this text.
    fn start_of(&self, slice: &str) -> usize {
        let start = slice.as_ptr().addr();
        start
            .checked_sub(self.text.as_ptr().addr())
            .filter(|offset| offset + slice.len() <= self.text.len())
            .unwrap_or(0)
    }
}

/// Returns the byte offset of a parser error in the parsed text, and the next character. The character is `None` if the
/// text ends there.
fn position(text: &str, error: &SpannedError) -> (usize, Option<char>) {
    // The parser reports the start and the end of the last token that it read.
    let position = if blames_what_was_read(&error.code) {
        error.span.start
    } else {
        error.span.end
    };
    let offset = locator::byte_offset(text, position.line, position.col);
    let rest = text.get(offset..).unwrap_or_default();
    let bare = rest.trim_start();
    let next = bare.chars().next();
    let space = next.map_or(0, |_| rest.len() - bare.len());
    (offset + space, next)
}

fn blames_what_was_read(code: &ron::Error) -> bool {
    use ron::Error as E;
    matches!(
        code,
        E::NoSuchStructField { .. }
            | E::NoSuchEnumVariant { .. }
            | E::DuplicateStructField { .. }
            | E::ExpectedDifferentStructName { .. }
            | E::ExpectedDifferentLength { .. }
            | E::InvalidValueForType { .. }
            | E::IntegerOutOfBounds
            | E::Message(_)
    )
}

/// Explains an error of the parser in a sentence, with a remedy if one is known.
fn explain(code: &ron::Error) -> String {
    use ron::Error as E;
    match code {
        E::NoSuchStructField {
            expected,
            found,
            outer,
        } => unknown_field(found, outer.as_deref(), expected),
        E::NoSuchEnumVariant {
            expected,
            found,
            outer,
        } => {
            let noun = outer.as_deref().unwrap_or("kind").to_lowercase();
            let hint = one_of(found, expected);
            format!(
                "there is no {noun} {name}; {hint}",
                name = shortened_in_backticks(found)
            )
        }
        E::MissingStructField { field, outer } => {
            let struct_or_value = outer
                .as_deref()
                .unwrap_or("the value that ends at this position");
            format!("{struct_or_value} needs a field `{field}`; add it")
        }
        E::DuplicateStructField { field, .. } => {
            format!("the field `{field}` occurs twice; remove one")
        }
        E::ExpectedDifferentStructName { expected, found } => {
            let found = shortened_in_backticks(found);
            format!("expected `{expected}(…)`, found {found}")
        }
        E::ExpectedNamedStructLike(name) if !name.is_empty() => {
            format!("expected `{name}(…)` here")
        }
        E::InvalidValueForType { expected, found } => {
            format!("expected {expected}, found {found}")
        }
        E::ExpectedDifferentLength {
            expected,
            found: found_count,
        } => {
            let expected_elements = expected.rsplit(" with ").next().unwrap_or(expected);
            format!(
                "expected {expected_elements} here, found {found_count}; write exactly {expected_elements}"
            )
        }
        E::UnexpectedChar(c) => {
            let c = shortened_in_backticks(&c.to_string());
            format!("the character {c} is not allowed here; remove it")
        }
        E::ExceededRecursionLimit => {
            format!("brackets nest more than {MAX_NESTING} levels deep here; remove some")
        }
        E::InvalidEscape(what) => {
            format!("invalid escape in this text ({what}); write a backslash as \\\\")
        }
        E::NoSuchExtension(name) => {
            format!(
                "there is no RON extension {name}; remove it",
                name = shortened_in_backticks(name)
            )
        }
        E::Message(what) => what.clone(),
        syntax_error => {
            // A test checks that the file can be parsed.
            static MISTAKES: LazyLock<HashMap<&str, &str>> =
                LazyLock::new(|| ron::from_str(include_str!("mistakes.ron")).unwrap_or_default());
            let name = format!("{syntax_error:?}");
            let plain = MISTAKES.get(name.split('(').next().unwrap_or_default());
            plain.map_or_else(
                || format!("{syntax_error}; see `debate-tui guide scenarios`"),
                |it| (*it).to_owned(),
            )
        }
    }
}

fn unknown_field(name: &str, outer: Option<&str>, known: &[&str]) -> String {
    let in_struct = outer.map_or_else(String::new, |outer| {
        format!(" in {}", shortened_in_backticks(outer))
    });
    let of_scenario = SCENARIO_FIELDS.iter().find(|field| **field == name);
    let hint = match of_scenario.filter(|_| outer != Some("Scenario")) {
        Some(field) => format!(
            "`{field}` is a field of `Scenario`; write it next to `title` and \
                                `problem`"
        ),
        None => one_of(name, known),
    };
    format!(
        "there is no field {name}{in_struct}; {hint}",
        name = shortened_in_backticks(name)
    )
}

/// The names of all top-level fields that a scenario file may have.
pub(super) const SCENARIO_FIELDS: [&str; 19] = [
    "format",
    "title",
    "about",
    "briefing",
    "cannot_win",
    "debrief",
    "problem",
    "instance",
    "decomposition",
    "oracle",
    "evidence",
    "protocol",
    "players",
    "sit",
    "judge_sees",
    "opponent_sees",
    "knows",
    "queries",
    "tags",
];

/// Other words for gates, in lower case, with this program's names of the gates.
const SYNONYMS: [(&str, &str); 9] = [
    ("and", "All"),
    ("every", "All"),
    ("forall", "All"),
    ("or", "Any"),
    ("some", "Any"),
    ("exists", "Any"),
    ("most", "Majority"),
    ("negation", "Not"),
    ("parity", "Xor"),
];

/// Returns the known name that means the same as a mistaken word; `None` if there is none.
fn synonym<'n>(word: &str, known: &[&'n str]) -> Option<&'n str> {
    let word = word.to_lowercase();
    let (_, ours) = SYNONYMS.iter().find(|(other, _)| *other == word)?;
    known.iter().copied().find(|name| name == ours)
}

fn one_of(word: &str, known: &[&str]) -> String {
    match synonym(word, known).or_else(|| nearest_name(word, known)) {
        _ if known.is_empty() => "remove it".to_owned(),
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("use one of {}", known.join(", ")),
    }
}

/// Maximum number of characters of each text that an error message is made of.
const MAX_SENTENCE: usize = 600;

/// Returns the first character of a text that is unsafe for a terminal. If `prose` is true, line breaks and tabs are
/// allowed.
///
/// These are the characters that `text::replace_unsafe_characters` would replace, so a reader sees exactly the
/// scenario's text.
pub(super) fn first_unsafe_character(text: &str, prose: bool) -> Option<char> {
    // Nearly all texts are plain ASCII, and checking bytes is faster than checking characters.
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return None;
    }
    text.chars()
        .find(|c| is_unsafe_character(*c) && !(prose && matches!(c, '\n' | '\t')))
}

/// Describes a rejected character in words, for an error message.
pub(super) fn describe_rejected_character(c: char) -> &'static str {
    match c {
        '\u{1b}' => "an escape character",
        '\n' | '\r' => "a line break",
        '\t' => "a tab",
        '\u{061C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2066}'..='\u{206F}' => "a character that changes the reading direction",
        c if c.is_control() => "a control character",
        _ => "an invisible character",
    }
}

/// Escapes a message that may quote a file, and shortens it to [`MAX_SENTENCE`] characters.
pub(super) fn escaped_and_shortened_message(text: &str) -> String {
    escaped_and_shortened(text, MAX_SENTENCE)
}

/// Returns the known name that is most similar to a mistaken word; `None` if none is similar.
pub fn nearest_name<'n>(word: &str, known: &[&'n str]) -> Option<&'n str> {
    // A name much longer than any known one is not a typing error.
    if word.chars().count() > 40 {
        return None;
    }
    let word = word.to_lowercase();
    known
        .iter()
        .map(|name| (strsim::osa_distance(&word, &name.to_lowercase()), *name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Maximum number of characters of a title, an id, a label, a tag or a player's name.
pub const MAX_NAME: usize = 200;

/// Maximum nesting depth of brackets in a scenario file. The format itself needs six levels.
///
/// The parser counts a bracket and its content separately, so this is half of the limit that it receives.
pub(super) const MAX_NESTING: usize = 32;

/// The size limits of scenarios. An error names the command-line flag that raises the limit.
///
/// A generated decomposition (`Intervals` over a long number) has an unbounded number of claims that are
/// never stored. [`Self::claims`] therefore counts only the claims that are written in the file, except under
/// `Stable`. [`Self::depth`] and [`Self::width`] apply to written and generated claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioLimits {
    /// Maximum number of bytes of the file (`--max-file`).
    pub file: u64,
    /// Maximum number of claims that are written in the scenario file (`--max-claims`). Also limits the steps of a
    /// plan, the clauses of a formula, and the claims that need evidence under `Stable`.
    pub claims: usize,
    /// Maximum number of edges on a path from the root to a leaf (`--max-depth`). A debate stores a power of r for
    /// each.
    pub depth: u32,
    /// Maximum number of subclaims of one support (`--max-width`).
    pub width: u32,
    /// Maximum number of characters of one text (`--max-text`).
    pub text: usize,
    /// Maximum number of gates of a circuit, and of its inputs (`--max-gates`). A gate takes nine bytes, plus one for
    /// each debated input.
    pub gates: u32,
    /// Maximum number of digits of the longest computed numbers (`--max-digits`): the smallest stake r^(d + 1), and ε
    /// to the power of the widest support.
    pub digits: u64,
}

impl Default for ScenarioLimits {
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

/// The name of a size limit of scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScenarioLimitFlag {
    File,
    Claims,
    Depth,
    Width,
    Text,
    Gates,
    Digits,
}

impl ScenarioLimits {
    /// Returns the value of a size limit, and the flag that raises it.
    pub(super) fn value_and_flag(&self, limit: ScenarioLimitFlag) -> (u128, &'static str) {
        match limit {
            ScenarioLimitFlag::File => (self.file.into(), "--max-file"),
            ScenarioLimitFlag::Claims => (self.claims as u128, "--max-claims"),
            ScenarioLimitFlag::Depth => (self.depth.into(), "--max-depth"),
            ScenarioLimitFlag::Width => (self.width.into(), "--max-width"),
            ScenarioLimitFlag::Text => (self.text as u128, "--max-text"),
            ScenarioLimitFlag::Gates => (self.gates.into(), "--max-gates"),
            ScenarioLimitFlag::Digits => (self.digits.into(), "--max-digits"),
        }
    }
}

/// Returns the approximate number of decimal digits of a fraction's power, for numerator and denominator together.
pub(super) fn approximate_digits_of_power(number: &Exact, exponent: u64) -> u128 {
    let bits = number.numer().bits() + number.denom().bits();
    // Ten bits are about three digits.
    u128::from(bits) * u128::from(exponent) * 3 / 10
}
