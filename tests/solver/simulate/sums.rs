use debate_core::number::{Exact, Number as _};
use debate_solver::simulate::sums::{
    BINARY_PLACES, SumAndSumOfSquares, ToFixedPoint as _, fixed_point_square, wilson_interval,
};
use num_bigint::BigInt;
use num_traits::One as _;
use proptest::prelude::*;

fn moments(values: &[f64]) -> SumAndSumOfSquares {
    let mut moments = SumAndSumOfSquares::default();
    for value in values {
        let fixed = value.fixed().unwrap();
        moments.sum += fixed;
        moments.squares += fixed_point_square(fixed);
    }
    moments
}

#[test]
fn intervals_are_students() {
    let five = moments(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(five.mean(5), Some(3.0));
    let error = five.standard_error(5).unwrap();
    assert!((error - 0.5_f64.sqrt()).abs() < 1e-15);
    let [low, high] = five.confidence_interval_of_mean(5).unwrap();
    // t(4) at 97.5 %, from a table: 2.776.
    assert!((high - 3.0 - 2.776_445 * error).abs() < 1e-6);
    assert!((low + high - 6.0).abs() < 1e-12);
    assert!((quantile(1) - 12.706_205).abs() < 1e-5);
    assert!((quantile(1 << 40) - 1.959_964).abs() < 1e-6);
    // From a table: 2.085963 for 20, 2.042272 for 30 and 1.983972 for 100.
    for (freedom, t) in [(20, 2.085_963), (30, 2.042_272), (100, 1.983_972)] {
        assert!((quantile(freedom) - t).abs() < 1e-6, "{freedom}");
    }
}

#[test]
fn statistics_are_finite() {
    assert_eq!(moments(&[]).mean(0), None);
    assert_eq!(moments(&[0.25]).confidence_interval_of_mean(1), None);
    for equal in [0.1, 1.0 / 6400.0, 1.0 / 3.0, -1e-6] {
        let error = moments(&[equal; 1000]).standard_error(1000);
        assert_eq!(error, Some(0.0), "{equal}");
    }
    let almost = moments(&[0.1, 0.1, 0.1 + 1e-9]).standard_error(3).unwrap();
    assert!((almost * 3e9 - 1.0).abs() < 1e-3, "{almost}");
    let small = moments(&[1e-9, 2e-9, 3e-9]).standard_error(3).unwrap();
    assert!(
        (small * 1e9 - 3.0_f64.sqrt().recip()).abs() < 1e-3,
        "{small}"
    );
    assert_eq!(wilson_interval(0, 0), None);
    assert_eq!(wilson_interval(0, 10).map(|[low, _]| low), Some(0.0));
    // 2 of 10, from a table: 0.0567 to 0.5098.
    let [low, high] = wilson_interval(2, 10).unwrap();
    assert!((low - 0.0567).abs() < 1e-4 && (high - 0.5098).abs() < 1e-4);
}

/// The number of standard errors from the mean to either end of an interval, for `freedom` degrees of freedom.
fn quantile(freedom: u64) -> f64 {
    let count = freedom + 1;
    // A mean of 0 with a standard error of 1: the squares sum to n (n − 1).
    let spread = SumAndSumOfSquares {
        sum: BigInt::ZERO,
        squares: (BigInt::from(count) * freedom) << BINARY_PLACES,
    };
    let [low, high] = spread.confidence_interval_of_mean(count).unwrap();
    assert!((low + high).abs() < 1e-12);
    high
}

fn exactly(value: f64) -> Exact {
    Exact::from_float(value).unwrap()
}

#[test]
fn too_large_values_and_nan_have_no_fixed_point_form() {
    assert_eq!(1.0_f64.fixed(), Some(1 << 80));
    assert_eq!((-0.5_f64).fixed(), Some(-(1 << 79)));
    assert_eq!(Exact::ratio(1, 3).fixed(), Some((1 << 80) / 3));
    for value in [f64::NAN, f64::INFINITY, 1_048_576.0] {
        assert_eq!(value.fixed(), None);
    }
    assert_eq!(Exact::from_integer(BigInt::one() << 20).fixed(), None);
    assert_eq!(Exact::from_integer(BigInt::one() << 300).fixed(), None);
    assert_eq!(f64::MIN_POSITIVE.fixed(), Some(0));
    assert_eq!(5e-324_f64.fixed(), Some(0));
}

proptest! {
    #[test]
    fn floats_round_as_the_rationals_that_they_are(value in -1e6_f64..1e6, scale in -100_i32..1) {
        let value = value * 2_f64.powi(scale);
        prop_assert_eq!(value.fixed(), exactly(value).fixed());
    }

    #[test]
    fn squares_round_once(value in -(1_i128 << 100) + 1..1_i128 << 100) {
        let wide: BigInt = BigInt::from(value) * value + (BigInt::one() << (BINARY_PLACES - 1));
        prop_assert_eq!(BigInt::from(fixed_point_square(value)), wide >> BINARY_PLACES);
    }
}
