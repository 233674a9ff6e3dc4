//! Text for the clipboard, sent through the terminal, so that it works over ssh too.

/// Several terminals drop a longer sequence without a word.
const LIMIT: usize = 74_000;

/// The sequence (OSC 52) that puts a text on the clipboard, or none if it would be too long.
pub(super) fn sequence(text: &str) -> Option<String> {
    let encoded = base64(text.as_bytes());
    (encoded.len() <= LIMIT).then(|| format!("\x1b]52;c;{encoded}\x07"))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| usize::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let filled = digit <= group.len();
            let value = DIGITS[bits >> (18 - 6 * digit) & 63];
            text.push(if filled { value.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts_have_their_known_form() {
        let known = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (text, encoded) in known {
            assert_eq!(base64(text.as_bytes()), encoded);
        }
        assert_eq!(sequence("ε").unwrap(), "\x1b]52;c;zrU=\x07");
    }

    #[test]
    fn what_terminals_would_drop_is_refused() {
        assert!(sequence(&"x".repeat(LIMIT)).is_none());
    }
}
