//! A fast parser for the usual lines of saves. A long debate has a million lines of nearly the same form.

/// Parses the fields of `(name: value, …)`. Every value must be a whole number, a word, a text without escapes, or a
/// word with such values in round brackets. `None` does not mean that the text is invalid: the general parser then
/// reads it.
pub(super) fn parse_simple_fields(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut rest = text.trim_start_matches(' ').strip_prefix('(')?;
    let mut fields = Vec::with_capacity(8);
    loop {
        let (name, after) = named(rest)?;
        let (value, after) = value(after)?;
        fields.push((name, value));
        match after.strip_prefix(", ") {
            Some(more) => rest = more,
            None => return (after == ")").then_some(fields),
        }
    }
}

/// Splits a text after its leading ASCII characters of one kind; `None` if there are none.
fn split(text: &str, kind: impl Fn(u8) -> bool) -> Option<(&str, &str)> {
    let count = text.bytes().take_while(|byte| kind(*byte)).count();
    text.split_at_checked(count).filter(|_| count > 0)
}

/// Parses a field's name and its colon at the beginning of the text; `None` if they are missing.
fn named(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = split(text, |byte| byte.is_ascii_lowercase() || byte == b'_')?;
    Some((name, rest.strip_prefix(": ")?))
}

/// Parses the value of a field at the beginning of the text; `None` if the value is not simple. Also returns the text
/// after the value.
fn value(text: &str) -> Option<(&str, &str)> {
    let (word, rest) = atom(text)?;
    let has_more = word.starts_with(|first: char| first.is_ascii_alphabetic());
    let Some(mut inner) = rest.strip_prefix('(').filter(|_| has_more) else {
        return Some((word, rest));
    };
    // A struct has names before all its values, a tuple before none. The reader of the value decides which one is
    // valid.
    let is_struct = named(inner).is_some();
    let rest = loop {
        let name = named(inner);
        if name.is_some() != is_struct {
            return None;
        }
        let (_, after) = atom(name.map_or(inner, |(_, after)| after))?;
        let Some(more) = after.strip_prefix(", ") else {
            break after.strip_prefix(')')?;
        };
        inner = more;
    };
    let length = text.len() - rest.len();
    text.split_at_checked(length)
}

/// Parses a whole number, a word or a quoted text at the beginning of the text; `None` if it is none of these. Also
/// returns the remaining text.
fn atom(text: &str) -> Option<(&str, &str)> {
    /// Every number with at most this many digits fits into 64 bits.
    const DIGITS: usize = 19;
    match *text.as_bytes().first()? {
        b'"' => {
            let plain = |byte: u8| byte != b'"' && byte != b'\\' && !byte.is_ascii_control();
            let count = text.bytes().skip(1).take_while(|byte| plain(*byte)).count();
            let (text, rest) = text.split_at_checked(count + 2)?;
            text.ends_with('"').then_some((text, rest))
        }
        first if first.is_ascii_digit() => {
            let (number, rest) = split(text, |byte| byte.is_ascii_digit())?;
            let sound = number.len() <= DIGITS && (first != b'0' || number.len() == 1);
            sound.then_some((number, rest))
        }
        _ => {
            let (word, rest) = split(text, |byte| byte.is_ascii_alphabetic())?;
            // The general parser knows the syntax after these words.
            let special = ["Some", "None", "inf", "NaN", "r", "b", "br"].contains(&word);
            (!special).then_some((word, rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{FieldsSeed, RonStructFields, ron_options};
    use super::parse_simple_fields;

    /// Returns the result of the general parser, with which the fast parser must agree.
    fn generally(text: &str) -> Option<Vec<(&str, &str)>> {
        let read: Result<RonStructFields<'_>, _> =
            ron_options().from_str_seed(text, FieldsSeed("Event"));
        read.ok().map(|fields| fields.0)
    }

    #[test]
    fn usual_lines_are_plain() {
        for line in [
            "        (n: 1994, seat: Opponent, reply: Probability(\"1/2\"))",
            "(n: 1, seat: Chance, reply: Drawn(487056944667093), p: \"1\", value: true)",
            "(n: 7, seat: Judge, reply: Oracle(holds: true, confidence: \"1\"), ms: 0)",
            "(n: 7, seat: Prover, reply: Select(3), note: \"für, (dich): 👍\")",
            "(n: 2, undo: 1)",
        ] {
            assert!(parse_simple_fields(line).is_some(), "{line}");
            assert_eq!(parse_simple_fields(line), generally(line), "{line}");
        }
    }

    #[test]
    fn unusual_lines_are_left_to_the_general_parser() {
        for line in [
            "",
            "()",
            "(n: 1",
            "(n: 1,)",
            "(n: 01)",
            "(n: 1.5)",
            "(n: -1)",
            "(n: 1)x",
            "(n: 1))",
            "(n:1)",
            "(n: \"a\\\"b\")",
            "(n: \"a)",
            "(n: \"ä",
            "(n: Some(1))",
            "(n: A(B(1)))",
            "(n: A(1)",
            "(n: A(a: 0, 0))",
            "(n: A(0, a: 0))",
            "(n: [1])",
            "(n: 123456789012345678901)",
        ] {
            assert_eq!(parse_simple_fields(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn the_fast_parser_agrees_with_the_general_parser(
            text in "\\(?([a-z]{1,2}: ?([0-9]{1,3}|[A-Z]?[a-z]{0,4}|\"[a-zé\\\\\"]{0,3}\"|[A-Z][a-z]\\(([a-z]: )?([0-9]|\"x\"|[Aar]+)(, [0-9])?\\)),? ?){1,3}\\)"
        ) {
            if let Some(read) = parse_simple_fields(&text) {
                prop_assert_eq!(Some(read), generally(&text));
            }
        }
    }
}
