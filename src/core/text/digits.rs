//! Decimal digits: numbers with separators for display, and digits of other scripts in numbers that users type.

use std::borrow::Cow;

/// Inserts a comma before each group of three digits, if the text is a number of 5 to 15 digits. Returns any other text
/// unchanged.
///
/// ```
/// use debate_core::text::add_group_commas;
/// assert_eq!(add_group_commas("109931"), "109,931");
/// assert_eq!(add_group_commas("4331"), "4331");
/// assert_eq!(add_group_commas("6 of 10"), "6 of 10");
/// ```
pub fn add_group_commas(text: &str) -> Cow<'_, str> {
    if !(5..=15).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(text);
    }
    let mut grouped = String::new();
    for (index, digit) in text.chars().enumerate() {
        if index > 0 && (text.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    Cow::Owned(grouped)
}

/// The digit zero of each script that has its own decimal digits (Unicode 14, general category Nd), sorted. The digits
/// one to nine follow each zero.
const ZEROS: [char; 65] = [
    '\u{660}',
    '\u{6F0}',
    '\u{7C0}',
    '\u{966}',
    '\u{9E6}',
    '\u{A66}',
    '\u{AE6}',
    '\u{B66}',
    '\u{BE6}',
    '\u{C66}',
    '\u{CE6}',
    '\u{D66}',
    '\u{DE6}',
    '\u{E50}',
    '\u{ED0}',
    '\u{F20}',
    '\u{1040}',
    '\u{1090}',
    '\u{17E0}',
    '\u{1810}',
    '\u{1946}',
    '\u{19D0}',
    '\u{1A80}',
    '\u{1A90}',
    '\u{1B50}',
    '\u{1BB0}',
    '\u{1C40}',
    '\u{1C50}',
    '\u{A620}',
    '\u{A8D0}',
    '\u{A900}',
    '\u{A9D0}',
    '\u{A9F0}',
    '\u{AA50}',
    '\u{ABF0}',
    '\u{FF10}',
    '\u{104A0}',
    '\u{10D30}',
    '\u{11066}',
    '\u{110F0}',
    '\u{11136}',
    '\u{111D0}',
    '\u{112F0}',
    '\u{11450}',
    '\u{114D0}',
    '\u{11650}',
    '\u{116C0}',
    '\u{11730}',
    '\u{118E0}',
    '\u{11950}',
    '\u{11C50}',
    '\u{11D50}',
    '\u{11DA0}',
    '\u{16A60}',
    '\u{16AC0}',
    '\u{16B50}',
    '\u{1D7CE}',
    '\u{1D7D8}',
    '\u{1D7E2}',
    '\u{1D7EC}',
    '\u{1D7F6}',
    '\u{1E140}',
    '\u{1E2F0}',
    '\u{1E950}',
    '\u{1FBF0}',
];

/// Converts a decimal digit of any script to the ASCII digit of the same value; returns any other character unchanged.
///
/// ```
/// use debate_core::text::to_ascii_digit;
/// assert_eq!((to_ascii_digit('\u{0666}'), to_ascii_digit('x')), ('6', 'x'));
/// ```
pub fn to_ascii_digit(c: char) -> char {
    // The last zero that is not above the character.
    let index = ZEROS.partition_point(|zero| *zero <= c);
    let zero = index.checked_sub(1).and_then(|index| ZEROS.get(index));
    let digit = zero.and_then(|zero| char::from_digit(u32::from(c) - u32::from(*zero), 10));
    digit.unwrap_or(c)
}

/// Converts a typed number to ASCII: decimal digits of other scripts, and the signs in numbers that
/// [`to_ascii_number_character`] converts, become the ASCII ones.
///
/// ```
/// use debate_core::text::to_ascii_number;
/// assert_eq!(to_ascii_number("\u{0666}\u{0660}\u{066A}"), "60%");
/// assert_eq!(to_ascii_number("\u{FF15}\u{FF10}"), "50");
/// ```
pub fn to_ascii_number(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(to_ascii_number_character).collect())
}

/// Converts a digit of any script, or a sign that occurs in numbers, to ASCII; returns any other character unchanged.
pub fn to_ascii_number_character(c: char) -> char {
    match c {
        // Arabic, small and full-width percent signs.
        '\u{66A}' | '\u{FE6A}' | '\u{FF05}' => '%',
        // The Arabic decimal separator and the full-width full stop.
        '\u{66B}' | '\u{FF0E}' => '.',
        '\u{FF0C}' => ',',
        '\u{FF0F}' => '/',
        '\u{FF1D}' => '=',
        // The minus sign and the full-width hyphen.
        '\u{2212}' | '\u{FF0D}' => '-',
        '\u{FF0B}' => '+',
        c => to_ascii_digit(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decimal_digit_has_its_value_and_other_characters_stay() {
        assert!(ZEROS.is_sorted());
        for zero in ZEROS {
            for value in 0..10 {
                let digit = char::from_u32(u32::from(zero) + value).unwrap();
                assert!(digit.is_numeric(), "{digit:?}");
                assert_eq!(to_ascii_digit(digit).to_digit(10), Some(value), "{digit:?}");
            }
        }
        // Letters, and numbers that are no decimal digits.
        for c in [
            'a',
            '\u{0669}',
            '\u{B2}',
            '\u{BD}',
            '\u{2167}',
            '\u{4E03}',
            '\u{66C}',
            '\u{1FBFA}',
        ] {
            let is_digit = c == '\u{0669}';
            assert_eq!(to_ascii_digit(c) != c, is_digit, "{c:?}");
        }
        assert_eq!(to_ascii_number("\u{FF11}\u{FF0F}\u{FF13}"), "1/3");
        assert!(matches!(to_ascii_number("33 %"), Cow::Borrowed("33 %")));
    }
}
