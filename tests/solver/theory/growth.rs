use debate_core::gate::Gate;
use debate_core::number::{Exact, Number as _};
use debate_core::scenario::stability::copies_for_supports;
use debate_theory::growth::{
    majority_error, parameter_growth_by_depth, wrong_circuit_probabilities,
};

fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 1e-9 * wanted.abs()
}

/// Enumerates the outcomes of all pieces.
fn enumerated(copies: u32, p: f64) -> f64 {
    let outcomes = 0_u32..1 << copies;
    let wrong = outcomes.filter(|outcome| outcome.count_ones() > copies / 2);
    wrong
        .map(|outcome| {
            let wrong = outcome.count_ones();
            p.powi(wrong.cast_signed()) * (1.0 - p).powi((copies - wrong).cast_signed())
        })
        .sum()
}

#[test]
fn the_error_of_a_majority_agrees_with_enumeration() {
    for copies in [1, 3, 5, 9, 13] {
        for p in [1e-6, 0.01, 0.25, 0.4] {
            assert!(
                close(majority_error(copies, p), enumerated(copies, p)),
                "{copies} {p}"
            );
        }
    }
}

/// A circuit of one layer: every outcome of all pieces for three inputs with three pieces each.
#[test]
fn wrong_verdicts_agree_with_enumeration() {
    let p = 0.1_f64;
    let said = |outcome: u32, truths: [bool; 3]| {
        truths.iter().zip(0..).all(|(truth, input)| {
            let wrong = (outcome >> (3 * input) & 7).count_ones();
            *truth == (wrong < 2)
        })
    };
    let total = |truths: [bool; 3]| -> f64 {
        let chance = |outcome: u32| {
            let wrong = outcome.count_ones();
            p.powi(wrong.cast_signed()) * (1.0 - p).powi((9 - wrong).cast_signed())
        };
        (0_u32..1 << 9)
            .filter(|outcome| said(*outcome, truths))
            .map(chance)
            .sum()
    };
    let [if_true, if_false] = wrong_circuit_probabilities(3.0, 3, 1, p);
    assert!(close(if_true, 1.0 - total([true; 3])));
    assert!(close(if_false, total([true, true, false])));
    // With more false inputs a wrong verdict is less likely.
    assert!(total([true, false, false]) < if_false);
    // The second layer sees the errors of the first.
    let [next, _] = wrong_circuit_probabilities(3.0, 3, 2, p);
    let [again, _] = wrong_circuit_probabilities(3.0, 3, 1, if_true);
    assert!(close(next, again));
}

/// The search of `check`, in exact arithmetic, needs as many pieces.
#[test]
fn the_copies_for_stability_agree_with_the_exact_search() {
    let found = parameter_growth_by_depth(0.4, 1, 1).unwrap();
    assert!(close(found.inputs, 20.0));
    let epsilon = Exact::ratio(2, 5);
    let supports = [(Gate::All, vec![true; 20])];
    let exact = copies_for_supports(&supports, &epsilon, &Exact::ratio(1, 5));
    assert_eq!(found.copies_stable.map(u64::from), exact);
}

#[test]
fn both_halves_of_theorem_8_3_hold_at_every_depth() {
    let found = parameter_growth_by_depth(0.25, 2, 6).unwrap();
    for row in &found.rows {
        let [wrong, accepted] = [row.false_if_true, row.true_if_false].map(Option::unwrap);
        assert!(wrong < row.allowed, "depth {}", row.depth);
        assert!(accepted <= 1.0 - row.allowed, "depth {}", row.depth);
        // Two pieces fewer are not enough.
        let fewer = row.copies_membership.unwrap() - 2;
        assert!(
            wrong_circuit_probabilities(found.inputs, fewer, row.depth, row.allowed)[0]
                >= row.allowed
        );
        assert!(row.copies >= row.copies_membership && row.copies >= found.copies_stable);
    }
    // n^c leaves: recursion with c = 2 falls behind as soon as 32^(d+1) is below 32^(2d).
    assert_eq!(found.first_better_depth, Some(2));
    assert_eq!(
        parameter_growth_by_depth(0.25, 1, 6)
            .unwrap()
            .first_better_depth,
        None
    );
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (epsilon, exponent, depth) in [
        (0.0, 1, 1),
        (0.5, 1, 1),
        (f64::NAN, 1, 1),
        (0.1, 0, 1),
        (0.1, 9, 1),
        (0.1, 1, 13),
    ] {
        assert!(parameter_growth_by_depth(epsilon, exponent, depth).is_none());
    }
}
