//! Speeches: free text with quotes from a source, and the text that debaters quote from.

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::text::{is_unsafe_character, normalise_invisible_characters, replace_unsafe_characters};

/// Maximum number of characters of a speech, including its quotes.
pub const MAX_SPEECH: usize = 100_000;

/// The marks around a quote in a speech that is written as one text.
pub const QUOTE_MARKS: [&str; 2] = ["<quote>", "</quote>"];

/// A speech with more quotes is rejected under [`QuoteRule::Lenient`], because each quote is searched for in the whole
/// source.
pub const MAX_QUOTES: usize = 1000;

/// The rule for a quote that differs from the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Quotes")]
pub enum QuoteRule {
    /// The matching words of the source replace each quote. Case, spaces, line ends, a final full stop of the quote,
    /// and the forms of quotation marks, apostrophes and dashes may differ. A quote without matching words becomes the
    /// speaker's own words, marked as not in the source.
    Lenient,
    /// The speech is rejected. Spaces, line ends, and the forms of quotation marks, apostrophes and dashes may differ.
    Strict,
}

/// A piece of a speech.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename = "piece of a speech")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SpeechPart {
    /// The speaker's own words.
    Text(String),
    /// Words of the source.
    Quote(String),
}

/// A speech: own words and quotes, in order. It may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Speech {
    pub parts: Vec<SpeechPart>,
}

/// Limits on the own words and quotes of a speech; `None` if only [`MAX_SPEECH`] limits it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpeechCharacterLimits {
    /// Maximum number of characters in all of the speaker's own words of the speech together.
    pub words: Option<u32>,
    /// Maximum number of characters in all quotes of the speech together.
    pub quotes: Option<u32>,
}

/// The reason why a speech is rejected.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SpeechError {
    /// One of the two marks around a quote is missing.
    #[error("one of the marks <quote> and </quote> is missing; write a quote between both marks")]
    Unclosed,
    /// The speech has more characters than any speech may have.
    #[error("the speech has {given} characters; shorten it to {MAX_SPEECH} characters")]
    Endless { given: usize },
    /// The speaker's own words have more characters than the rules allow.
    #[error("the speech has {given} characters of your own words; the rules allow at most {most}")]
    TooLong { given: usize, most: u32 },
    /// The quotes have more characters than the rules allow.
    #[error("the speech's quotes have {given} characters; the rules allow at most {most}")]
    TooMuchQuoted { given: usize, most: u32 },
    /// More quotes than the limit.
    #[error("the speech has {given} quotes; use at most {MAX_QUOTES}")]
    TooManyQuotes { given: usize },
    /// A quote without words.
    #[error("quote {number} is empty; fill it or remove it", number = .0)]
    EmptyQuote(usize),
    /// A quote has words that are not in the source.
    #[error(
        "quote {place} is not in the source: “{words}”; quote exact words, or write it without <quote> \
         and </quote>"
    )]
    NotInSource {
        /// The number of the quote, from 1.
        place: usize,
        /// The beginning of the quote.
        words: String,
    },
    /// The speech has a character that could disturb a terminal or is invisible.
    #[error("the speech has a character that cannot be shown (U+{code:04X}); remove it")]
    Unsafe {
        /// The character's code.
        code: u32,
    },
}

impl Speech {
    /// Creates a speech that has only the speaker's own words. The text is normalised by
    /// [`normalise_invisible_characters`]; an empty text gives an empty speech.
    pub fn from_own_words(text: impl AsRef<str>) -> Self {
        let text = normalise_invisible_characters(text.as_ref())
            .text
            .into_owned();
        let text = Some(text).filter(|text| !text.is_empty());
        Self {
            parts: text.into_iter().map(SpeechPart::Text).collect(),
        }
    }

    /// Parses a text in which each quote is between `<quote>` and `</quote>`. The text is normalised by
    /// [`normalise_invisible_characters`].
    ///
    /// ```
    /// use debate_core::scenario::{Speech, SpeechPart};
    /// let speech = Speech::parse("He says <quote>too late</quote>.").unwrap();
    /// assert_eq!(speech.parts[1], SpeechPart::Quote("too late".to_owned()));
    /// assert_eq!(speech.to_string(), "He says <quote>too late</quote>.");
    /// assert!(Speech::parse("<quote>too late").is_err());
    /// ```
    ///
    /// # Errors
    /// Returns an error if one of the two marks is missing.
    pub fn parse(text: &str) -> Result<Self, SpeechError> {
        let [open, close] = QUOTE_MARKS;
        let mut parts = Vec::new();
        let text = normalise_invisible_characters(text).text;
        let mut rest = &*text;
        while let Some((before, behind)) = rest.split_once(open) {
            let (quote, after) = behind.split_once(close).ok_or(SpeechError::Unclosed)?;
            if before.contains(close) || quote.contains(open) {
                return Err(SpeechError::Unclosed);
            }
            if !before.is_empty() {
                parts.push(SpeechPart::Text(before.to_owned()));
            }
            parts.push(SpeechPart::Quote(quote.to_owned()));
            rest = after;
        }
        if rest.contains(close) {
            return Err(SpeechError::Unclosed);
        }
        if !rest.is_empty() {
            parts.push(SpeechPart::Text(rest.to_owned()));
        }
        Ok(Self { parts })
    }

    /// Returns the quotes, in order.
    pub fn quotes(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            SpeechPart::Quote(words) => Some(words.as_str()),
            SpeechPart::Text(_) => None,
        })
    }

    /// Returns the number of characters in the speaker's own words, that is outside quotes.
    pub fn own_text_char_count(&self) -> usize {
        let own = self.parts.iter().filter_map(|part| match part {
            SpeechPart::Text(words) => Some(words.chars().count()),
            SpeechPart::Quote(_) => None,
        });
        own.sum()
    }

    /// Returns the number of characters in quotes.
    pub fn quoted_char_count(&self) -> usize {
        self.quotes().map(|words| words.chars().count()).sum()
    }

    /// True if the speech has no words and no quotes.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Checks a speech by the rule `quotes`. Under [`QuoteRule::Strict`], returns the speech unchanged if all quotes
    /// are in the source. Under [`QuoteRule::Lenient`], replaces each quote by the matching words of the source.
    /// A quote without matching words becomes the speaker's own words.
    ///
    /// ```
    /// use debate_core::scenario::{QuoteRule, QuotableSource, Speech, SpeechCharacterLimits};
    /// let source = QuotableSource::new("The Cook left\nat noon, they say.".to_owned());
    /// let speech = Speech::parse("<quote>the cook left at noon.</quote> <quote>At dusk</quote>").unwrap();
    /// let taken = speech.with_checked_quotes(&source, &SpeechCharacterLimits::default(), QuoteRule::Lenient).unwrap();
    /// assert_eq!(
    ///     taken.to_string(),
    ///     "<quote>The Cook left at noon</quote> “At dusk” [not in the source]"
    /// );
    /// ```
    ///
    /// # Errors
    /// Returns the first problem found.
    pub fn with_checked_quotes(
        self,
        source: &QuotableSource,
        limits: &SpeechCharacterLimits,
        quotes: QuoteRule,
    ) -> Result<Self, SpeechError> {
        if quotes == QuoteRule::Strict {
            self.check_quotes_and_length(source, limits)?;
            return Ok(self);
        }
        self.check_form(limits)?;
        let given = self.quotes().count();
        if given > MAX_QUOTES {
            return Err(SpeechError::TooManyQuotes { given });
        }
        let mut parts = Vec::with_capacity(self.parts.len());
        let mut place = 0;
        for part in self.parts {
            let SpeechPart::Quote(words) = part else {
                parts.push(part);
                continue;
            };
            place += 1;
            if words.trim().is_empty() {
                return Err(SpeechError::EmptyQuote(place));
            }
            parts.push(match source.matching_source_words(&words) {
                Some(matching_source_words) => SpeechPart::Quote(matching_source_words),
                None => SpeechPart::Text(format!(
                    "“{words}” [not in the source]",
                    words = words.trim()
                )),
            });
        }
        Ok(Self { parts })
    }

    /// Checks that a speech keeps to the limits, and that its quotes are in the source, compared as in
    /// [`QuotableSource::find_in_exact_case`].
    ///
    /// # Errors
    /// Returns the first problem found.
    pub fn check_quotes_and_length(
        &self,
        source: &QuotableSource,
        limits: &SpeechCharacterLimits,
    ) -> Result<(), SpeechError> {
        self.check_form(limits)?;
        for (index, words) in self.quotes().enumerate() {
            let place = index + 1;
            if words.trim().is_empty() {
                return Err(SpeechError::EmptyQuote(place));
            }
            if !source.contains_quotation(words) {
                return Err(SpeechError::NotInSource {
                    place,
                    words: beginning(words),
                });
            }
        }
        Ok(())
    }

    /// Checks the lengths and the characters of a speech.
    fn check_form(&self, limits: &SpeechCharacterLimits) -> Result<(), SpeechError> {
        let own = self.own_text_char_count();
        let quoted = self.quoted_char_count();
        if own + quoted > MAX_SPEECH {
            let given = own + quoted;
            return Err(SpeechError::Endless { given });
        }
        match (limits.words, limits.quotes) {
            (Some(most), _) if own > most as usize => {
                return Err(SpeechError::TooLong { given: own, most });
            }
            (_, Some(most)) if quoted > most as usize => {
                return Err(SpeechError::TooMuchQuoted {
                    given: quoted,
                    most,
                });
            }
            _ => {}
        }
        let words = self.parts.iter().flat_map(|part| match part {
            SpeechPart::Text(words) | SpeechPart::Quote(words) => words.chars(),
        });
        if let Some(bad) = words
            .into_iter()
            .find(|c| *c != '\n' && is_unsafe_character(*c))
        {
            return Err(SpeechError::Unsafe { code: bad.into() });
        }
        Ok(())
    }
}

/// Returns the beginning of a quote on one line, for an error message.
fn beginning(words: &str) -> String {
    const SHOWN: usize = 60;
    let line: String = words
        .chars()
        .map(|c| if c == '\n' { ' ' } else { c })
        .collect();
    if line.chars().nth(SHOWN).is_none() {
        return line;
    }
    line.chars().take(SHOWN).chain(['…']).collect()
}

impl fmt::Display for Speech {
    /// Writes the speech in the form that [`Self::parse`] reads.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [open, close] = QUOTE_MARKS;
        self.parts.iter().try_for_each(|part| match part {
            SpeechPart::Text(words) => out.write_str(words),
            SpeechPart::Quote(words) => write!(out, "{open}{words}{close}"),
        })
    }
}

/// The source of a question: the text from which debaters quote.
#[derive(Debug)]
pub struct QuotableSource {
    text: String,
    /// The source in the normalised form in which quotes are compared with it.
    folded: String,
    /// The normalised source in lower case, computed at the first use.
    lowered: OnceLock<String>,
    /// The ranges of the source's sentences, computed at the first use.
    sentences: OnceLock<Vec<Range<usize>>>,
}

impl QuotableSource {
    pub fn new(text: String) -> Self {
        Self {
            folded: folded(&text),
            lowered: OnceLock::new(),
            text,
            sentences: OnceLock::new(),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the byte range of the first occurrence of these words in the source. Several spaces and line ends count
    /// as one space. Double quotation marks of different forms count as equal, and so do apostrophes, and dashes.
    pub fn find_in_exact_case(&self, words: &str) -> Option<Range<usize>> {
        self.locate(&self.folded, &folded(words), fold(&self.text))
    }

    /// Returns the words of the source that match a quote, on one line: those that [`Self::find_in_exact_case`] finds,
    /// or else words that differ only in case, or only in case and in a full stop at the end of the quote.
    pub fn matching_source_words(&self, words: &str) -> Option<String> {
        let at = self
            .find_in_exact_case(words)
            .or_else(|| self.find_in_any_case(words));
        let at = at.or_else(|| self.find_in_any_case(words.trim_end().strip_suffix('.')?))?;
        let found = self.text.get(at)?.split_whitespace();
        Some(replace_unsafe_characters(&found.collect::<Vec<_>>().join(" ")).into_owned())
    }

    fn find_in_any_case(&self, words: &str) -> Option<Range<usize>> {
        let lowered = self.lowered.get_or_init(|| in_lower_case(&self.text));
        let places = fold(&self.text).flat_map(|(at, c)| c.to_lowercase().map(move |c| (at, c)));
        self.locate(lowered, &in_lower_case(words), places)
    }

    /// Finds words in `form`, the source in a normalised form. `places` yields each character of `form` with its byte
    /// offset in the original source.
    fn locate(
        &self,
        form: &str,
        words: &str,
        places: impl Iterator<Item = (usize, char)>,
    ) -> Option<Range<usize>> {
        if words.is_empty() {
            return None;
        }
        let start = form.find(words)?;
        let before = form.get(..start)?.chars().count();
        let length = words.chars().count();
        let mut places = places.skip(before).take(length);
        let (first, _) = places.next()?;
        let (last, _) = places.last().unwrap_or((first, ' '));
        let end = self.text.get(last..)?.chars().next()?.len_utf8() + last;
        Some(first..end)
    }

    /// True if the source contains these words, compared as in [`Self::find_in_exact_case`].
    pub fn contains_quotation(&self, words: &str) -> bool {
        let words = folded(words);
        !words.is_empty() && self.folded.contains(&words)
    }

    /// Returns the byte ranges of the source's sentences, each with its final mark and any closing quotation mark. A
    /// sentence ends at a full stop, question mark, exclamation mark or ellipsis before a space, and at the end of its
    /// line.
    ///
    /// ```
    /// use debate_core::scenario::QuotableSource;
    /// let source = QuotableSource::new("“Stop!” he said. Nobody\nstopped: 3.5 knots.".to_owned());
    /// let sentences: Vec<_> = source.sentences().map(|at| &source.as_str()[at]).collect();
    /// assert_eq!(sentences, ["“Stop!”", "he said.", "Nobody", "stopped: 3.5 knots."]);
    /// ```
    pub fn sentences(&self) -> impl Iterator<Item = Range<usize>> {
        let place = self
            .sentences
            .get_or_init(|| sentences(&self.text).collect());
        place.iter().cloned()
    }
}

/// Returns the byte ranges of the sentences of a text.
fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut rest = text;
    let pieces = std::iter::from_fn(move || {
        let end = sentence_end(rest);
        let (piece, behind) = rest.split_at_checked(end).filter(|_| !rest.is_empty())?;
        rest = behind;
        Some(piece)
    });
    let mut at = 0;
    pieces.filter_map(move |piece| {
        let from = at + piece.len() - piece.trim_start().len();
        at += piece.len();
        let has_words = piece.chars().any(char::is_alphanumeric);
        has_words.then(|| from..from + piece.trim().len())
    })
}

/// Returns the length of a text's first sentence, in bytes.
fn sentence_end(text: &str) -> usize {
    let mut ended = false;
    for (place, c) in text.char_indices() {
        match c {
            '\n' => return place + 1,
            '.' | '!' | '?' | '…' => ended = true,
            '”' | '’' | '"' | '\'' | '»' | ')' | ']' => {}
            c if ended && c.is_whitespace() => return place,
            _ => ended = false,
        }
    }
    text.len()
}

/// Returns the characters of a text in the normalised form for comparing quotes, each with its byte offset in the text.
fn fold(text: &str) -> impl Iterator<Item = (usize, char)> {
    let start = text.len() - text.trim_start().len();
    let mut spaced = false;
    let trimmed = text.trim().char_indices();
    trimmed.filter_map(move |(place, c)| {
        let again = spaced && c.is_whitespace();
        spaced = c.is_whitespace();
        let c = match c {
            _ if spaced => ' ',
            '“' | '”' | '„' | '«' | '»' => '"',
            '‘' | '’' | '‚' => '\'',
            '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
            c => c,
        };
        (!again).then_some((start + place, c))
    })
}

/// Returns a text in the normalised form for comparing quotes, in lower case.
fn in_lower_case(text: &str) -> String {
    fold(text).flat_map(|(_, c)| c.to_lowercase()).collect()
}

fn folded(text: &str) -> String {
    fold(text).map(|(_, c)| c).collect()
}
