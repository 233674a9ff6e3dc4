use debate_core::bits::BitString;
use debate_core::scenario::ClaimKey;

#[test]
fn keys_are_read_as_they_are_written() {
    let texts = [
        "3",
        "said 2 1 two  words",
        "said 2 0 two  words",
        "2..17",
        "warrant 1 of 2..17",
        "step 0",
        "times 1..4",
        "word 01",
        "word ",
        "block 0..8",
        "wire 7 2 1",
        "wire 7 2 0",
        "piece 4.0 of 2..17",
        "piece  of 3",
    ];
    let keys: Vec<ClaimKey> = texts
        .iter()
        .map(|text| ClaimKey::parse(text).expect("a key"))
        .collect();
    for (place, (key, text)) in keys.iter().zip(texts).enumerate() {
        assert_eq!(key.to_string(), text);
        assert!(!keys[..place].contains(key), "{text}");
    }
}

#[test]
fn numbers_and_words_are_found_in_their_keys() {
    let number = ClaimKey::key_of_claim_number(3);
    assert_eq!(ClaimKey::parse("3"), Some(number.clone()));
    assert_eq!(
        (number.as_claim_number(), number.bits_of_key()),
        (Some(3), None)
    );
    let bits = BitString::from(vec![false, true]);
    let word = ClaimKey::from_bits(bits.clone());
    assert_eq!(ClaimKey::parse("word 01"), Some(word.clone()));
    assert_eq!(
        (word.as_claim_number(), word.bits_of_key()),
        (None, Some(&bits))
    );
}

#[test]
fn invalid_claim_keys_are_refused() {
    let longest = format!("1..{}", "1".repeat(9_997));
    assert!(ClaimKey::parse(&longest).is_some(), "10000 characters");
    let long = format!("{longest}1");
    for text in [
        "",
        " ",
        "03",
        "-1",
        "+1",
        "1..",
        "..",
        "1..02",
        "step",
        "step x",
        "times 1",
        "word 2",
        "block 1..",
        "wire 1 2",
        "wire 1 2 3",
        "wire 1 2 1 1",
        "sub 1",
        "piece 1",
        "said x 1 y",
        "said 1 2 y",
        "said 01 1 y",
        "piece 1. of 3",
        "piece x of 3",
        "piece 1 of piece 1 of 3",
        "piece 1 of warrant 0 of 3",
        "warrant 0 of warrant 0 of 3",
        "warrant 0",
        &long,
    ] {
        assert_eq!(ClaimKey::parse(text), None, "{text:?}");
    }
}
