//! Texts from a scenario file: what may stand in them, and how a bad one is quoted.

use debate_core::text::is_unsafe;

/// The most characters of an error's sentence.
const MAX_SENTENCE: usize = 600;

/// The first character of a text that must not reach a terminal.
///
/// These are the characters that `text::safe` would replace, so that what a scenario says is
/// what a reader sees. A line break and a tab may stand in prose.
pub(super) fn first_unsafe(text: &str, prose: bool) -> Option<char> {
    // Plain ASCII is nearly all there is, and bytes are checked faster than characters.
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return None;
    }
    text.chars()
        .find(|c| is_unsafe(*c) && !(prose && matches!(c, '\n' | '\t')))
}

/// A refused character in words, for an error.
pub(super) fn kind(c: char) -> &'static str {
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

/// A sentence that may quote a file: escaped, at most [`MAX_SENTENCE`] characters.
pub(super) fn sentence(text: &str) -> String {
    shortened(text, MAX_SENTENCE)
}

/// A text of a file in backticks: escaped, at most 60 characters.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text, 60))
}

/// A text, escaped, cut after `most` characters.
pub fn shortened(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == most {
            shown.push('…');
            break;
        }
        if is_unsafe(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The known name nearest to a mistaken one, where one is near.
pub fn nearest_name<'n>(word: &str, known: &[&'n str]) -> Option<&'n str> {
    // A name much longer than any known one is no slip of the fingers.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_hold_nothing_that_moves_a_terminal() {
        assert_eq!(sentence("a\u{1b}[2Jb\u{202e}"), "a\\u{1b}[2Jb\\u{202e}");
        assert_eq!(sentence(&"x".repeat(10_000)).chars().count(), 601);
        assert_eq!(quoted("über"), "`über`");
    }

    #[test]
    fn prose_may_break_lines_and_names_may_not() {
        assert_eq!(first_unsafe("a\n\tb", true), None);
        assert_eq!(first_unsafe("a\nb", false), Some('\n'));
        assert_eq!(first_unsafe("é\u{9b}", true), Some('\u{9b}'));
        assert_eq!(first_unsafe("a\rb", true), Some('\r'));
        // Emoji and scripts are spelt with joiners.
        assert_eq!(first_unsafe("👩\u{200d}💻 क\u{94d}\u{200d}ष", false), None);
    }

    #[test]
    fn slips_find_the_name_that_was_meant() {
        let known = ["title", "about", "problem", "oracle"];
        assert_eq!(nearest_name("tittle", &known), Some("title"));
        assert_eq!(nearest_name("Orcale", &known), Some("oracle"));
        assert_eq!(nearest_name("weather", &known), None);
        assert_eq!(nearest_name(&"t".repeat(100_000), &known), None);
    }
}
