use debate_core::scenario::{
    MAX_SPEECH, QuotableSource, Speech, SpeechCharacterLimits, SpeechError, SpeechPart,
};
use proptest::prelude::*;

fn source() -> QuotableSource {
    QuotableSource::new("“It’s too\n\nlate — stop,” he said.".to_owned())
}

fn checked(text: &str, limits: SpeechCharacterLimits) -> Result<(), SpeechError> {
    Speech::parse(text)
        .unwrap()
        .check_quotes_and_length(&source(), &limits)
}

#[test]
fn quotes_are_words_of_the_source_however_they_are_spaced_and_marked() {
    let free = SpeechCharacterLimits::default();
    for good in [
        "<quote>It's too late - stop,</quote>",
        "As he said: <quote>\"It’s  too late</quote>!",
        "שלום 日本語 e\u{301}\nnothing quoted",
        "",
    ] {
        assert_eq!(checked(good, free), Ok(()), "{good}");
    }
    let not = |words: &str| {
        Err(SpeechError::NotInSource {
            place: 1,
            words: words.to_owned(),
        })
    };
    assert_eq!(checked("<quote>too early</quote>", free), not("too early"));
    assert_eq!(checked("<quote>Too late</quote>", free), not("Too late"));
    assert_eq!(
        checked("a <quote>late</quote> <quote> </quote>", free),
        Err(SpeechError::EmptyQuote(2))
    );
}

#[test]
fn too_long_or_unsafe_speeches_are_refused() {
    let limits = SpeechCharacterLimits {
        words: Some(5),
        quotes: Some(4),
    };
    assert_eq!(checked("ééééé<quote>late</quote>", limits), Ok(()));
    assert_eq!(
        checked("123456", limits),
        Err(SpeechError::TooLong { given: 6, most: 5 })
    );
    assert_eq!(
        checked("<quote>too late</quote>", limits),
        Err(SpeechError::TooMuchQuoted { given: 8, most: 4 })
    );
    let free = SpeechCharacterLimits::default();
    assert_eq!(checked(&"x".repeat(MAX_SPEECH), free), Ok(()));
    let endless = checked(&"x".repeat(MAX_SPEECH + 1), free);
    assert!(matches!(endless, Err(SpeechError::Endless { .. })));
    for bad in ['\u{1b}', '\u{202e}', '\0', '\u{9b}', '\u{e0041}'] {
        let code = u32::from(bad);
        let refused = checked(&format!("a{bad}b"), free);
        assert_eq!(refused, Err(SpeechError::Unsafe { code }));
    }
}

#[test]
fn tabs_line_ends_and_invisible_characters_of_a_text_are_normalised() {
    let odd = "\u{feff}a\tb\r\nc\rd\u{c}e\u{ad}\u{200b}\u{200e}\u{200f}f\u{200d}g\u{200c}h";
    let plain = "a b\nc\nd\nef\u{200d}g\u{200c}h";
    assert_eq!(Speech::parse(odd).unwrap(), Speech::from_own_words(plain));
    assert_eq!(Speech::from_own_words(odd), Speech::from_own_words(plain));
    assert_eq!(checked(odd, SpeechCharacterLimits::default()), Ok(()));
    let quote = "<quote>It\u{ad}'s\ttoo\r\nlate</quote>";
    assert_eq!(checked(quote, SpeechCharacterLimits::default()), Ok(()));
    // The rules do not clean a speech but refuse unsafe characters, so a save from another program contains no
    // invisible words.
    let parts = vec![SpeechPart::Text("a\tb".to_owned())];
    let refused =
        Speech { parts }.check_quotes_and_length(&source(), &SpeechCharacterLimits::default());
    assert_eq!(refused, Err(SpeechError::Unsafe { code: 9 }));
}

#[test]
fn quotation_marks_must_be_paired() {
    for bad in [
        "<quote>a",
        "a</quote>",
        "<quote>a<quote>b</quote></quote>",
        "</quote><quote>a</quote>",
    ] {
        assert_eq!(Speech::parse(bad), Err(SpeechError::Unclosed), "{bad}");
    }
}

proptest! {
    #[test]
    fn a_speech_reads_back(text in "([a-z \\n<]{0,5}<quote>[a-z ]{0,5}</quote>){0,4}[a-z/>]{0,5}") {
        let speech = Speech::parse(&text).unwrap();
        prop_assert_eq!(speech.to_string(), text);
    }
}

#[test]
fn quotes_are_found_despite_typographic_differences() {
    let source = QuotableSource::new("  “She,” said\n\nhe — then left. ".to_owned());
    let found = |words: &str| {
        source
            .find_in_exact_case(words)
            .and_then(|at| source.as_str().get(at))
    };
    assert_eq!(found("said he - then"), Some("said\n\nhe — then"));
    assert_eq!(found("\"She"), Some("“She"));
    assert_eq!(found(" left. "), Some("left."));
    assert_eq!(found("."), Some("."));
    assert_eq!(found("she"), None);
    assert_eq!(found(" "), None);
    assert!(
        source.contains_quotation("said he")
            && !source.contains_quotation("she")
            && !source.contains_quotation(" ")
    );
}

#[test]
fn sentences_contain_every_word_of_the_source() {
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
        let source = QuotableSource::new(text.to_owned());
        let found: Vec<&str> = source
            .sentences()
            .filter_map(|at| source.as_str().get(at))
            .collect();
        assert_eq!(found, sentences, "{text:?}");
    }
}
