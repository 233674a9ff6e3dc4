use debate_core::bits::{Bits, number, width};

#[test]
fn widths_are_logarithms_rounded_up() {
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 8, 9].map(width),
        [0, 0, 1, 2, 2, 3, 3, 4]
    );
    assert_eq!(width(u64::MAX), 64);
}

#[test]
fn numbers_are_written_most_significant_bit_first() {
    assert_eq!(Bits::of_number(6, 4).to_string(), "0110");
    assert_eq!(number(Bits::of_number(6, 4).as_slice()), 6);
    assert_eq!(Bits::parse("0110").unwrap().turned(0).to_string(), "1110");
    assert_eq!(Bits::parse("012"), None);
}
