mod consistency;
mod weigh;

use debate_core::gate::{Gate, GateError, GateEvaluationState};
use debate_core::number::{Exact, Number as _};
use num_traits::{One, Zero};
use proptest::prelude::*;

fn table(rows: &str) -> Gate {
    Gate::Table(rows.chars().map(|row| row == '1').collect())
}

#[test]
fn each_gate_holds_as_documented() {
    let of = |gate: &Gate, outcomes: &[bool]| gate.value_for_outcomes(outcomes.iter().copied());
    let (t, f) = (true, false);
    assert!(of(&Gate::All, &[t, t]) && !of(&Gate::All, &[t, f]));
    assert!(of(&Gate::Any, &[f, t]) && !of(&Gate::Any, &[f, f]));
    assert!(of(&Gate::Majority, &[t, t, f]) && !of(&Gate::Majority, &[t, f]));
    assert!(of(&Gate::AtLeast(2), &[t, f, t]) && !of(&Gate::AtLeast(2), &[t, f, f]));
    assert!(of(&Gate::Not, &[f]) && !of(&Gate::Not, &[t]));
    assert!(of(&Gate::Xor, &[t, t, t]) && !of(&Gate::Xor, &[t, t]));
    // Row 2 is "true, false": the first subclaim is the most significant bit.
    assert!(of(&table("0010"), &[t, f]) && !of(&table("0010"), &[f, t]));
}

#[test]
fn invalid_gates_are_refused_with_the_reason() {
    assert_eq!(Gate::All.check_input_count(0), Err(GateError::Empty));
    assert_eq!(Gate::Not.check_input_count(2), Err(GateError::NotArity(2)));
    assert_eq!(
        Gate::AtLeast(0).check_input_count(3),
        Err(GateError::Threshold(0, 3))
    );
    assert_eq!(
        Gate::AtLeast(4).check_input_count(3),
        Err(GateError::Threshold(4, 3))
    );
    assert_eq!(
        table("01").check_input_count(2),
        Err(GateError::Rows { inputs: 2, rows: 2 })
    );
    assert_eq!(
        table("1111").check_input_count(2),
        Err(GateError::Constant(true))
    );
    assert_eq!(table("0110").check_input_count(2), Ok(()));
    let all = |copies| Gate::All.with_majority_at_each_input(copies);
    assert_eq!(all(4).check_input_count(8), Err(GateError::Even(4)));
    assert_eq!(all(0).check_input_count(8), Err(GateError::Even(0)));
    let uneven = GateError::Uneven {
        inputs: 8,
        copies: 3,
    };
    assert_eq!(all(3).check_input_count(8), Err(uneven));
    assert_eq!(
        all(3).with_majority_at_each_input(3).check_input_count(9),
        Err(GateError::Nested)
    );
    assert_eq!(
        Gate::Not
            .with_majority_at_each_input(3)
            .check_input_count(6),
        Err(GateError::NotArity(2))
    );
    assert_eq!(all(3).check_input_count(9), Ok(()));
}

#[test]
fn a_gate_over_majorities_asks_each_majority() {
    let (t, f) = (true, false);
    let all = Gate::All.with_majority_at_each_input(3);
    assert!(
        all.value_for_outcomes([t, f, t, t, t, f]) && !all.value_for_outcomes([t, t, t, t, f, f])
    );
    // The first majority is the most significant bit of a table's row.
    let table = table("0010").with_majority_at_each_input(3);
    assert!(
        table.value_for_outcomes([t, t, f, f, f, t])
            && !table.value_for_outcomes([f, f, t, t, t, f])
    );
    // Only the necessary number of votes changes, in the last majority.
    let nearest_outcomes = Gate::All
        .with_majority_at_each_input(5)
        .nearest_outcomes_giving_value(&[true; 10], false);
    assert_eq!(nearest_outcomes, Some(vec![t, t, t, t, t, t, t, f, f, f]));
    assert_eq!(
        Gate::All
            .with_majority_at_each_input(5)
            .describe_gate_over_inputs(25),
        "all of 5, each by most of 5 pieces"
    );
    assert_eq!(
        Gate::Not
            .with_majority_at_each_input(5)
            .describe_gate_over_inputs(5),
        "not most of 5"
    );
    assert_eq!(Gate::All.describe_gate_over_inputs(1), "one subclaim");
}

/// 64 majorities of 21 pieces, each right with probability 9/10: (1 − P[11 or more of 21 err])^64.
#[test]
fn wide_gates_over_majorities_are_counted() {
    let right = Exact::ratio(9, 10);
    let each = vec![right.clone(); 64 * 21];
    let one = Gate::Majority.probability(&each[..21]);
    let all = Gate::All.with_majority_at_each_input(21);
    assert_eq!(all.probability(&each), debate_core::number::power(&one, 64));
    assert_eq!(
        all.reachable_false_and_true(GateEvaluationState::default(), 64 * 21),
        (true, true)
    );
    let votes = std::iter::repeat_n(false, 11);
    assert_eq!(
        all.reachable_false_and_true(all.tally_of_outcomes(votes), 64 * 21 - 11),
        (true, false)
    );
}

fn gates(inputs: u32) -> impl Strategy<Value = Gate> {
    prop_oneof![
        Just(Gate::All),
        Just(Gate::Any),
        Just(Gate::Majority),
        (1..=inputs).prop_map(Gate::AtLeast),
        Just(Gate::Xor),
        prop::collection::vec(any::<bool>(), 1 << inputs).prop_map(|rows| Gate::Table(rows.into())),
    ]
}

/// Generates a gate with a probability in tenths for each input; the gate may be over majorities.
fn cases() -> impl Strategy<Value = (Gate, Vec<u8>)> {
    let plain =
        (1_u32..=5).prop_flat_map(|n| (gates(n), prop::collection::vec(0_u8..=10, n as usize)));
    let sizes = prop_oneof![
        Just((2_u32, 3_u32)),
        Just((3, 3)),
        Just((1, 5)),
        Just((2, 1))
    ];
    let over_majorities = sizes.prop_flat_map(|(n, copies)| {
        let gate = gates(n).prop_map(move |gate| gate.with_majority_at_each_input(copies));
        (
            gate,
            prop::collection::vec(0_u8..=10, (n * copies) as usize),
        )
    });
    prop_oneof![plain, over_majorities]
}

fn each_row(inputs: usize) -> impl Iterator<Item = Vec<bool>> {
    (0_usize..1 << inputs).map(move |row| (0..inputs).map(|i| row >> i & 1 == 1).collect())
}

proptest! {
    #[test]
    fn probability_is_the_sum_over_rows((gate, tenths) in cases()) {
        let each: Vec<Exact> = tenths.iter().map(|t| Exact::ratio(i64::from(*t), 10)).collect();
        let sum = each_row(each.len())
            .filter(|row| gate.value_for_outcomes(row.iter().copied()))
            .map(|row| row.iter().zip(&each).fold(Exact::one(), |chance, (outcome, p)| {
                chance * if *outcome { p.clone() } else { Exact::one() - p }
            }))
            .fold(Exact::zero(), |sum, chance| sum + chance);
        prop_assert_eq!(gate.probability(&each), sum);
    }

    #[test]
    fn ways_distinguish_exactly_the_relevant_outcomes((gate, tenths) in cases()) {
        let outcomes: Vec<bool> = tenths.iter().map(|t| *t > 5).collect();
        let mut tally = GateEvaluationState::default();
        for outcome in outcomes {
            tally = gate.tally_with_outcome(tally, outcome);
            let tally_index = gate.tally_index(tally);
            prop_assert!(tally_index < gate.distinct_tally_count(tally.seen));
            prop_assert_eq!(gate.tally_index(gate.tally_from_index(tally.seen, tally_index)), tally_index);
        }
        prop_assert_eq!(gate.value_of_tally(gate.tally_from_index(tally.seen, gate.tally_index(tally))), gate.value_of_tally(tally));
    }

    #[test]
    fn implied_values_agree_with_all_completions((gate, tenths) in cases(), tenth in 0_i64..=10) {
        let rest = u32::try_from(tenths.len()).unwrap() - 1;
        let p = Exact::ratio(tenth, 10);
        let sides = [false, true].map(|first| {
            each_row(rest as usize).fold((false, false), |can, row| {
                let holds = gate.value_for_outcomes(std::iter::once(first).chain(row));
                (can.0 || !holds, can.1 || holds)
            })
        });
        let weigh = |no: bool, yes: bool| {
            let q = Exact::one() - &p;
            let side = |is: bool, weight: &Exact| if is { weight.clone() } else { Exact::zero() };
            side(no, &q) + side(yes, &p)
        };
        let (least, most) = gate.implied_range(GateEvaluationState::default(), rest, &p);
        prop_assert_eq!(least, weigh(!sides[0].0, !sides[1].0));
        prop_assert_eq!(most, weigh(sides[0].1, sides[1].1));
    }

    #[test]
    fn nearest_changes_as_little_as_possible((gate, tenths) in cases(), target: bool) {
        let wish: Vec<bool> = tenths.iter().map(|t| *t > 5).collect();
        let distance = |row: &[bool]| row.iter().zip(&wish).filter(|(a, b)| a != b).count();
        let least = each_row(wish.len())
            .filter(|row| gate.value_for_outcomes(row.iter().copied()) == target)
            .map(|row| distance(&row))
            .min();
        let found = gate.nearest_outcomes_giving_value(&wish, target);
        if let Some(row) = &found {
            prop_assert_eq!(gate.value_for_outcomes(row.iter().copied()), target);
        }
        prop_assert_eq!(found.map(|row| distance(&row)), least);
    }

    #[test]
    fn reachable_values_are_those_of_some_completion((gate, tenths) in cases(), seen in 0_usize..9) {
        let outcomes: Vec<bool> = tenths.iter().map(|t| *t > 5).collect();
        let seen = seen.min(outcomes.len());
        let rest = outcomes.len() - seen;
        let can = each_row(rest).fold((false, false), |can, row| {
            let holds = gate.value_for_outcomes(outcomes.iter().copied().take(seen).chain(row));
            (can.0 || !holds, can.1 || holds)
        });
        let tally = gate.tally_of_outcomes(outcomes.iter().copied().take(seen));
        prop_assert_eq!(gate.reachable_false_and_true(tally, u32::try_from(rest).unwrap()), can);
    }
}
