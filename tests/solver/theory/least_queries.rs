use debate_core::gate::Gate;
use debate_core::number::{Exact, Number as _};
use debate_core::scenario::stability::largest_shift_at_truths;
use debate_theory::least_queries::{EstimatorLeafQueryGame, gates_needing_most_queries};

fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() < 1e-12
}

/// The games that `search soundness` finds, with the payoffs of its solver in units of r².
#[test]
fn without_queries_alice_keeps_what_the_solver_finds() {
    let xor = EstimatorLeafQueryGame::new(2, 0b0110, |_| true);
    assert!(close(xor.alice_payoff_after_queries(0), 1.0 / 2.0));
    let differ = EstimatorLeafQueryGame::new(3, 0b0111_1110, |_| true);
    assert!(close(differ.alice_payoff_after_queries(0), 3.0 / 4.0));
    // "Not two of four": every blind Bob leaves her 5r²/8.
    let is_two = |instance: u32| instance.count_ones() == 2;
    let table = (0..16_u32).fold(0, |table, x| table | u64::from(!is_two(x)) << x);
    assert!(close(
        EstimatorLeafQueryGame::new(4, table, |_| true).alice_payoff_after_queries(0),
        5.0 / 8.0
    ));
}

/// Every decision tree of two queries over three leaves, written out.
#[test]
fn the_best_queries_agree_with_all_decision_trees() {
    let product = |table: u64, block: &[u32]| -> f64 {
        let mean = |leaf: u32| {
            let yes: u32 = block.iter().map(|x| x >> leaf & 1).sum();
            f64::from(yes) / f64::from(u32::try_from(block.len()).unwrap())
        };
        let chance = |x: u32| -> f64 {
            let each = (0..3).map(|leaf| {
                if x >> leaf & 1 == 1 {
                    mean(leaf)
                } else {
                    1.0 - mean(leaf)
                }
            });
            each.product()
        };
        (0..8).filter(|x| table >> x & 1 == 1).map(chance).sum()
    };
    for table in [
        0b1001_0110,
        0b0111_1110,
        0b1110_1000,
        0b1000_0000,
        0b1011_0010_u64,
    ] {
        let worlds: Vec<u32> = (0..8).filter(|x| table >> x & 1 == 0).collect();
        let mut least = f64::INFINITY;
        for first in 0..3 {
            // The second leaf may depend on the answer to the first query.
            for [second_if_false, second_if_true] in (0..9).map(|pair| [pair / 3, pair % 3]) {
                let block = |x: &u32| {
                    let one = x >> first & 1;
                    let second = if one == 1 {
                        second_if_true
                    } else {
                        second_if_false
                    };
                    one << 1 | (x >> second & 1)
                };
                let mut kept = 0.0;
                for answers in 0..4 {
                    let own: Vec<u32> = worlds
                        .iter()
                        .copied()
                        .filter(|x| block(x) == answers)
                        .collect();
                    if !own.is_empty() {
                        let share = f64::from(u32::try_from(own.len()).unwrap());
                        kept += product(table, &own) * share;
                    }
                }
                least = least.min(kept / f64::from(u32::try_from(worlds.len()).unwrap()));
            }
        }
        let found = EstimatorLeafQueryGame::new(3, table, |_| true).alice_payoff_after_queries(2);
        assert!(close(found, least), "{table:08b}: {found} {least}");
    }
}

/// Parity needs all leaves but one, for every ε below 3/8; no gate needs more.
#[test]
fn parity_needs_all_leaves_but_one() {
    for leaves in 1..=4 {
        let parity =
            (0..1_u32 << leaves).fold(0, |table, x| table | u64::from(x.count_ones() & 1) << x);
        let game = EstimatorLeafQueryGame::new(leaves, parity, |_| true);
        assert_eq!(game.min_leaves_to_limit_payoff(1.0 / 3.0), leaves - 1);
        if leaves > 1 {
            assert!(close(game.alice_payoff_after_queries(leaves - 2), 0.5));
        }
    }
    for leaves in 1..=3 {
        let found = gates_needing_most_queries(leaves, 0.25);
        assert_eq!(found.queries, leaves - 1);
        assert_eq!(found.gates, (1 << (1 << leaves)) - 1);
        assert!(found.queries_if_stable <= found.queries);
    }
}

/// The restriction to stable instances uses the definition of `check`.
#[test]
fn stable_gates_are_those_of_the_definition() {
    let epsilon = Exact::ratio(1, 20);
    // The gate that is always false; `Gate` refuses it.
    let mut counted = 1;
    for table in 1..(1_u64 << 8) - 1 {
        let values: Vec<bool> = (0..8).map(|row| table >> row & 1 == 1).collect();
        let some_stable = (0..8_u32).filter(|x| !values[*x as usize]).any(|x| {
            // Child 1 is the most significant digit of a table's row.
            let truths: Vec<bool> = (0..3).rev().map(|leaf| x >> leaf & 1 == 1).collect();
            let gate = Gate::Table(values.clone().into());
            let shift = largest_shift_at_truths(&gate, &truths, &epsilon).unwrap();
            shift <= Exact::ratio(1, 40)
        });
        counted += usize::from(some_stable);
    }
    assert_eq!(counted, gates_needing_most_queries(3, 0.05).stable_gates);
}
