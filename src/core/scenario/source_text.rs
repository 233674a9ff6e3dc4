//! The text that debaters quote from.

use std::ops::Range;
use std::sync::OnceLock;

/// A source text, in which quotes are looked for.
#[derive(Debug)]
pub struct SourceText {
    text: String,
    /// The text as quotes are compared.
    folded: String,
    /// The sentences, found when they are first asked for.
    sentences: OnceLock<Vec<Range<usize>>>,
}

impl SourceText {
    pub fn new(text: String) -> Self {
        Self {
            folded: folded(&text),
            text,
            sentences: OnceLock::new(),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Where words stand, in bytes: their first occurrence. Spaces and line ends count as one
    /// space; quotation marks, apostrophes and dashes of all kinds are the same.
    pub fn find(&self, words: &str) -> Option<Range<usize>> {
        let words = folded(words);
        if words.is_empty() {
            return None;
        }
        let start = self.folded.find(&words)?;
        let before = self.folded.get(..start)?.chars().count();
        let length = words.chars().count();
        let mut places = fold(&self.text).skip(before).take(length);
        let (first, _) = places.next()?;
        let (last, _) = places.last().unwrap_or((first, ' '));
        let end = self.text.get(last..)?.chars().next()?.len_utf8() + last;
        Some(first..end)
    }

    /// True if words stand in it, as [`Self::find`] finds them.
    pub fn says(&self, words: &str) -> bool {
        let words = folded(words);
        !words.is_empty() && self.folded.contains(&words)
    }

    /// The sentences, each with its mark and what closes a quotation after it, in bytes: a sentence
    /// ends at a full stop, a question mark or an exclamation mark before a space, and with its line.
    ///
    /// ```
    /// use debate_core::scenario::SourceText;
    /// let source = SourceText::new("“Stop!” he said. Nobody\nstopped: 3.5 knots.".to_owned());
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

/// The sentences of a text, in bytes.
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

/// The length of a text's first sentence, in bytes.
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

/// The characters of a text as quotes are compared, each with its place in bytes.
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

fn folded(text: &str) -> String {
    fold(text).map(|(_, c)| c).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_stand() {
        let source = SourceText::new("  “She,” said\n\nhe — then left. ".to_owned());
        let found = |words: &str| source.find(words).and_then(|at| source.as_str().get(at));
        assert_eq!(found("said he - then"), Some("said\n\nhe — then"));
        assert_eq!(found("\"She"), Some("“She"));
        assert_eq!(found(" left. "), Some("left."));
        assert_eq!(found("."), Some("."));
        assert_eq!(found("she"), None);
        assert_eq!(found(" "), None);
        assert!(source.says("said he") && !source.says("she") && !source.says(" "));
    }

    #[test]
    fn sentences_leave_no_word_out() {
        for (text, sentences) in [
            ("", &[][..]),
            (" … \n\n.", &[]),
            ("One", &["One"]),
            (
                "One. Two?!  (Three.)\nfour",
                &["One.", "Two?!", "(Three.)", "four"],
            ),
            ("日本。語", &["日本。語"]),
        ] {
            let source = SourceText::new(text.to_owned());
            let found: Vec<&str> = source
                .sentences()
                .filter_map(|at| source.as_str().get(at))
                .collect();
            assert_eq!(found, sentences, "{text:?}");
        }
    }
}
