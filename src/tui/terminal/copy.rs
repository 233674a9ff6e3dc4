//! Text for the clipboard, sent through the terminal, so that it works over ssh too.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// Several terminals drop a longer sequence without a word.
const LIMIT: usize = 74_000;

/// The sequence (OSC 52) that puts a text on the clipboard, or none if it would be too long.
pub(super) fn sequence(text: &str) -> Option<String> {
    let encoded = BASE64_STANDARD.encode(text);
    (encoded.len() <= LIMIT).then(|| format!("\x1b]52;c;{encoded}\x07"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_text_has_its_known_form() {
        assert_eq!(sequence("ε").unwrap(), "\x1b]52;c;zrU=\x07");
    }

    #[test]
    fn what_terminals_would_drop_is_refused() {
        assert!(sequence(&"x".repeat(LIMIT)).is_none());
    }
}
