use std::borrow::Cow;

use debate_core::text::{
    has_unsafe_characters, is_unsafe_character, number_in_words, ordinal,
    replace_unsafe_characters, replace_unsafe_multiline,
};
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_text_is_unsafe_if_a_character_is(text in "([ -~]{0,9}.{0,2}){0,4}") {
        prop_assert_eq!(has_unsafe_characters(&text), text.chars().any(is_unsafe_character));
    }
}

#[test]
fn ordinals_are_written_as_words_or_digits() {
    let places = [1, 3, 12, 13, 21, 22, 103, 111].map(ordinal);
    let said = [
        "first", "third", "twelfth", "13th", "21st", "22nd", "103rd", "111th",
    ];
    assert_eq!(places, said);
    assert_eq!([5, 12, 13].map(number_in_words), ["five", "twelve", "13"]);
}

#[test]
fn escapes_overrides_and_invisible_characters_become_visible() {
    for bad in [
        '\0',
        '\u{1b}',
        '\r',
        '\n',
        '\u{7f}',
        '\u{85}',
        '\u{9b}',
        '\u{200b}',
        '\u{2028}',
        '\u{2029}',
        '\u{202a}',
        '\u{202e}',
        '\u{2066}',
        '\u{2069}',
        '\u{feff}',
        '\u{e0041}',
    ] {
        assert_eq!(
            replace_unsafe_characters(&format!("a{bad}b")),
            "a\u{FFFD}b",
            "{bad:?}"
        );
    }
}

#[test]
fn writing_that_needs_joiners_and_selectors_is_left_alone() {
    for good in [
        "नमस्ते",
        "👩‍🔬 e\u{301}",
        "❤\u{fe0f}",
        "می\u{200c}خواهم",
        "日本語",
    ] {
        assert!(
            matches!(replace_unsafe_characters(good), Cow::Borrowed(_)),
            "{good}"
        );
    }
}

proptest! {
    #[test]
    fn safe_text_has_no_unsafe_character_and_is_stable(text in any::<String>()) {
        let clean = replace_unsafe_characters(&text);
        prop_assert!(!clean.chars().any(is_unsafe_character));
        prop_assert_eq!(clean.chars().count(), text.chars().count());
        prop_assert_eq!(replace_unsafe_characters(&clean), clean.clone());
    }

    #[test]
    fn only_line_feeds_survive_in_several_lines(text in "[a\r\n\t\u{1b}\u{202e}é]*") {
        let clean = replace_unsafe_multiline(&text);
        prop_assert!(!clean.chars().any(|c| c != '\n' && is_unsafe_character(c)));
        prop_assert_eq!(clean.matches('\n').count(), text.matches('\n').count());
        prop_assert_eq!(replace_unsafe_multiline(&clean), clean.clone());
    }
}
