use debate_core::number::{
    COIN_BITS, Exact, MAX_NUMBER, Number, NumberError, ceil_of_factor_times_ln,
    format_as_short_decimal_or_fraction, format_canonical, format_percent, format_rounded,
    format_rounded_with_sign, format_with_decimals, ln_bounds, number_text_in_raw_ron, parse,
    parse_canonical, zero_if_rounding_error,
};
use num_bigint::BigInt;
use num_traits::{One as _, Zero as _};

fn exact(numerator: i64, denominator: i64) -> Exact {
    Exact::ratio(numerator, denominator)
}

#[test]
fn text_is_read_without_loss() {
    for (text, value) in [
        ("0.1", exact(1, 10)),
        (".25", exact(1, 4)),
        ("1/3", exact(1, 3)),
        ("0.5/2", exact(1, 4)),
        ("33.3 %", exact(333, 1000)),
        ("-2.5e-3", exact(-1, 400)),
        ("1E2", exact(100, 1)),
        ("+7", exact(7, 1)),
    ] {
        assert_eq!(parse(text), Ok(value), "{text}");
    }
}

#[test]
fn comments_around_a_field_are_no_part_of_it() {
    for raw in [
        "0.5",
        "\"0.5\"",
        " /* a */ // b\n 0.5 // half",
        "\"0.5\" /* c */",
    ] {
        assert_eq!(number_text_in_raw_ron(raw), "0.5", "{raw}");
    }
    assert_eq!(number_text_in_raw_ron("\"1 / 2\""), "1 / 2");
    assert_eq!(number_text_in_raw_ron("// 0.5"), "");
}

#[test]
fn invalid_numbers_are_refused() {
    for text in [
        "", ".", "abc", "1.2.3", "1/", "--1", "0x10", "1e", "NaN", "inf", "٣",
    ] {
        assert!(
            matches!(parse(text), Err(NumberError::Malformed(_))),
            "{text}"
        );
    }
    assert!(matches!(parse("1/0"), Err(NumberError::ZeroDenominator(_))));
    assert_eq!(parse("1e999999999"), Err(NumberError::TooLong));
    assert_eq!(parse(&"9".repeat(500)), Err(NumberError::TooLong));
}

#[test]
fn coins_compare_exactly_at_the_boundary() {
    let half = exact(1, 2);
    let middle = 1_u64 << (COIN_BITS - 1);
    assert!(half.comes_up_yes(middle - 1) && !half.comes_up_yes(middle));
    assert!(0.5_f64.comes_up_yes(middle - 1) && !0.5_f64.comes_up_yes(middle));
    assert!(!exact(0, 1).comes_up_yes(0) && exact(1, 1).comes_up_yes((1 << COIN_BITS) - 1));
    assert!(!0.0_f64.comes_up_yes(0) && 1.0_f64.comes_up_yes((1 << COIN_BITS) - 1));
}

#[test]
fn rounding_errors_are_shown_as_zero() {
    let left = 0.1 + 0.2 - 0.3;
    assert!(left > 0.0);
    assert_eq!(format_rounded(zero_if_rounding_error(left, 0.3), 4), "0");
    // At a smaller scale the value may be real, so it is shown.
    assert_eq!(
        format_rounded(zero_if_rounding_error(left, 1e-9), 2),
        "5.6e-17"
    );
    assert_eq!(
        format_rounded_with_sign(zero_if_rounding_error(-1e-14, 1.0), 2),
        "-1e-14"
    );
    assert_eq!(
        format_rounded_with_sign(zero_if_rounding_error(0.0, 0.0), 2),
        "0"
    );
    assert!(zero_if_rounding_error(f64::NAN, 1.0).is_nan());
}

#[test]
fn a_zero_has_no_sign() {
    assert_eq!(format_with_decimals(-0.0004, 3), "0.000");
    assert_eq!(format_with_decimals(-0.4, 0), "0");
    assert_eq!(format_with_decimals(-0.0, 1), "0.0");
    assert_eq!(format_with_decimals(-0.0006, 3), "-0.001");
    assert_eq!(format_with_decimals(-10.0, 0), "-10");
    assert!(zero_if_rounding_error(-0.0, 0.0).is_sign_positive());
    assert!(zero_if_rounding_error(-1e-20, 1.0).is_sign_positive());
}

/// A number in a file keeps its value, also if twelve digits or an `f64` cannot represent it.
#[test]
fn an_exact_number_in_brief_is_exact() {
    for (text, value) in [
        ("0.25", exact(1, 4)),
        ("1/3", exact(1, 3)),
        ("123456789.1234", exact(1_234_567_891_234, 10_000)),
        ("9007199254740993", exact(9_007_199_254_740_993, 1)),
        ("-9007199254740993.5", exact(-18_014_398_509_481_987, 2)),
    ] {
        assert_eq!(format_as_short_decimal_or_fraction(&value), text);
        assert_eq!(parse(text), Ok(value));
    }
}

#[test]
fn values_are_read_short() {
    assert_eq!(format_rounded(0.0028, 3), "0.0028");
    assert_eq!(format_rounded(0.000_259_2, 3), "2.59e-4");
    assert_eq!(format_rounded(-12.5, 3), "-12.5");
    assert_eq!(format_rounded_with_sign(0.5, 3), "+0.5");
    assert_eq!(format_percent(1.0 / 3.0), "33.33 %");
    assert_eq!(format_percent(0.999_999_9), ">99.99 %");
    assert_eq!(format_percent(1.0), "100 %");
    assert_eq!(format_percent(1.0 - 3e-16), "100 %");
    assert_eq!(format_percent(0.1 + 0.2 - 0.3), "0 %");
    assert_eq!(format_percent(-1e-17), "0 %");
    assert_eq!(format_percent(1e-14), "1e-12 %");
}

/// Returns true if the truth exceeds a probability by more than ε, and true if it is below it by more than ε.
fn decide<N: Number>(p: &Exact, epsilon: &Exact, truth: bool) -> [bool; 2] {
    let (p, epsilon) = (N::from_exact(p), N::from_exact(epsilon));
    let error = N::indicator(truth) - p;
    [error.exceeds(&epsilon), (-epsilon).exceeds(&error)]
}

proptest::proptest! {
    /// Compares |L − p| with ε; both may be the same number in different notations.
    #[test]
    fn thresholds_are_decided_alike(
        p in 0_i64..=100_000, epsilon in 1_i64..100_000, at in 0_usize..4, truth: bool
    ) {
        // Often exactly at the threshold, or one unit of the last decimal beside it.
        let p = match at {
            0 => p,
            1 => 100_000 - epsilon,
            2 => epsilon,
            _ => (epsilon - 1) + p % 3,
        };
        let (p, epsilon) = (exact(p, 100_000), exact(epsilon, 100_000));
        proptest::prop_assert_eq!(
            decide::<f64>(&p, &epsilon, truth),
            decide::<Exact>(&p, &epsilon, truth)
        );
    }

    #[test]
    fn canonical_text_reads_back(numerator in -10_000_i64..10_000, denominator in 1_i64..10_000) {
        let value = exact(numerator, denominator);
        proptest::prop_assert_eq!(parse(&format_canonical(&value)), Ok(value));
    }
}

#[test]
fn numbers_have_one_form() {
    for text in ["0", "1", "-1/9", "1/3", "12345678901234567890/7"] {
        let value = parse_canonical(text);
        assert_eq!(
            value.map(|value| format_canonical(&value)).as_deref(),
            Some(text)
        );
    }
    for text in [
        "", "-", "+1", "01", "2/4", "1/1", "1/0", "0.5", "1/-3", "-0", "1 ", "1/2/3", "٣",
    ] {
        assert_eq!(parse_canonical(text), None, "{text}");
    }
    assert_eq!(parse_canonical(&"9".repeat(MAX_NUMBER + 1)), None);
}

#[test]
fn bounds_hold_the_logarithm_and_are_near() {
    for (numerator, denominator) in [(1, 1), (2, 1), (1, 3), (100, 1), (7, 1000), (4001, 4000)] {
        let x = Exact::ratio(numerator, denominator);
        let (low, high) = ln_bounds(&x, 80).unwrap();
        assert!(low <= high && (&high - &low) < Exact::new(1.into(), BigInt::one() << 70));
        assert!((low.to_float() - x.to_float().ln()).abs() < 1e-14, "{x}");
    }
    assert_eq!(ln_bounds(&Exact::zero(), 64), None);
}

#[test]
fn ceilings_are_right_next_to_whole_numbers() {
    // ln 2 = 0.693147180559945309417232121458…: just above and below a multiple of 10⁻²⁴.
    let scale = |last: u64| {
        Exact::from_integer(BigInt::from(1_000_000_000_000_u64) * 1_000_000_000_000_u64)
            / Exact::new(BigInt::from(last), BigInt::one())
    };
    let two = Exact::ratio(2, 1);
    let digits = ceil_of_factor_times_ln(&scale(1), &two).unwrap();
    assert_eq!(digits.to_string(), "693147180559945309417233");
    assert_eq!(
        ceil_of_factor_times_ln(&Exact::ratio(5, 1), &Exact::one()).unwrap(),
        BigInt::zero()
    );
}
