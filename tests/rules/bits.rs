use debate_core::bits::{BitString, bits_to_distinguish, number_from_bits};

#[test]
fn widths_are_logarithms_rounded_up() {
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 8, 9].map(bits_to_distinguish),
        [0, 0, 1, 2, 2, 3, 3, 4]
    );
    assert_eq!(bits_to_distinguish(u64::MAX), 64);
}

#[test]
fn numbers_are_written_most_significant_bit_first() {
    assert_eq!(BitString::low_bits_of_number(6, 4).to_string(), "0110");
    assert_eq!(
        number_from_bits(BitString::low_bits_of_number(6, 4).as_slice()),
        6
    );
    assert_eq!(
        BitString::parse("0110")
            .unwrap()
            .with_bit_flipped(0)
            .to_string(),
        "1110"
    );
    assert_eq!(BitString::parse("012"), None);
}
