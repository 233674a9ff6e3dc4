use debate_core::number::{Exact, Number as _};
use debate_theory::Polynomial;

fn polynomial(coefficients: &[(i64, i64)]) -> Polynomial {
    Polynomial::new(
        coefficients
            .iter()
            .map(|(top, under)| Exact::ratio(*top, *under))
            .collect(),
    )
}

#[test]
fn a_polynomial_goes_through_its_points() {
    let wanted = polynomial(&[(1, 2), (-3, 1), (0, 1), (5, 7)]);
    let points: Vec<(Exact, Exact)> = (0..5)
        .map(|place| Exact::ratio(place, 4))
        .map(|x| (x.clone(), wanted.value_at(&x)))
        .collect();
    assert_eq!(Polynomial::polynomial_through_points(&points), wanted);
    assert_eq!(
        Polynomial::polynomial_through_points(&[]),
        Polynomial::new(Vec::new())
    );
}

#[test]
fn the_first_root_is_found_without_a_sign_change() {
    let half = Exact::ratio(1, 2);
    // (x − 1/2)², and 1 − 2x.
    for touching in [
        polynomial(&[(1, 4), (-1, 1), (1, 1)]),
        polynomial(&[(1, 1), (-2, 1)]),
    ] {
        assert_eq!(
            touching.first_root_in_unit_interval(),
            Some((half.clone(), half.clone()))
        );
    }
    // (x − 1/4)(x − 3/4): the first of two roots; the polynomial has the same sign at both ends.
    let two = polynomial(&[(3, 16), (-1, 1), (1, 1)]);
    let quarter = Exact::ratio(1, 4);
    assert_eq!(
        two.first_root_in_unit_interval(),
        Some((quarter.clone(), quarter))
    );
    // 2x² − 1.
    let (low, high) = polynomial(&[(-1, 1), (0, 1), (2, 1)])
        .first_root_in_unit_interval()
        .unwrap();
    assert!((low.to_float() - 0.5_f64.sqrt()).abs() < 1e-11 && low < high);
    for none in [polynomial(&[(1, 1)]), polynomial(&[(2, 1), (-1, 1)])] {
        assert_eq!(none.first_root_in_unit_interval(), None);
    }
    for first in [polynomial(&[(0, 1), (1, 1)]), polynomial(&[])] {
        assert_eq!(
            first.first_root_in_unit_interval().unwrap().0,
            Exact::default()
        );
    }
}
