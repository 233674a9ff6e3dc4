use std::collections::BTreeMap;

use debate_core::budget::ComputationBudget;
use debate_solver::analysis::equilibrium::learn;
use debate_solver::analysis::equilibrium::sequence_form::{
    InformationSet, SequenceForm, SequenceFormSide,
};

/// A game in which both sides choose once, without seeing the other's choice.
fn matrix(rows: &[[f64; 2]]) -> SequenceForm<f64> {
    let side = |replies| SequenceFormSide {
        sets: vec![InformationSet {
            parent: 0,
            first: 1,
            replies,
        }],
        sequences: replies + 1,
    };
    let mut payoff = vec![BTreeMap::new()];
    payoff.extend(
        rows.iter()
            .map(|row| BTreeMap::from([(1, row[0]), (2, row[1])])),
    );
    SequenceForm {
        seats: [side(rows.len()), side(2)],
        payoff,
        // The first choice counts as the true answer.
        truly: Some(vec![(1, 1.0)]),
        positions: 0,
    }
}

/// The game [[3, −1], [−2, 1]] has the value 1/7, with the first row in 3 of 7 cases.
#[test]
fn training_approaches_the_value_of_a_matrix_game() {
    let game = matrix(&[[3.0, -1.0], [-2.0, 1.0]]);
    for follower in [1, 10] {
        let report = learn(&game, 4096, follower, ComputationBudget::default());
        let last = report.rows.last().unwrap();
        assert_eq!(last.updates, 4096);
        assert!(
            last.keeps <= 1.0 / 7.0 + 1e-9 && last.keeps > 1.0 / 7.0 - 0.01,
            "{last:?}"
        );
        assert!(last.allows >= 1.0 / 7.0 - 1e-9, "{last:?}");
        assert!(
            (last.answer_correct.unwrap() - 3.0 / 7.0).abs() < 0.01,
            "{last:?}"
        );
        let updates: Vec<u32> = report.rows.iter().map(|row| row.updates).collect();
        assert_eq!(updates[..4], [1, 2, 4, 8]);
    }
}

#[test]
fn a_dominated_choice_is_unlearnt() {
    let game = matrix(&[[1.0, 1.0], [0.0, 0.5]]);
    let report = learn(&game, 64, 1, ComputationBudget::default());
    let last = report.rows.last().unwrap();
    assert!(
        (last.keeps - 1.0).abs() < 0.05 && (last.current_keeps - 1.0).abs() < 1e-12,
        "{last:?}"
    );
}
