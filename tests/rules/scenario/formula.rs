use std::sync::Arc;

use debate_core::bits::BitString;
use debate_core::scenario::netlist::generated;
use debate_core::scenario::{Formula, FormulaMatrix, Quantifier, QuantifierBlock, read_qdimacs};
use proptest::prelude::*;

fn formula(text: &str) -> Formula {
    read_qdimacs(text.as_bytes()).unwrap()
}

fn wrong(text: &str) -> (usize, String) {
    let error = read_qdimacs(text.as_bytes()).unwrap_err();
    (error.line, error.what)
}

/// Returns true if every clause holds, computed from its literals.
fn clauses_hold(formula: &Formula, values: &[bool]) -> bool {
    let FormulaMatrix::Clauses(clauses) = formula.matrix() else {
        panic!("no clauses");
    };
    let variables: Vec<u32> = formula
        .blocks()
        .iter()
        .flat_map(|block| block.variables.clone())
        .collect();
    let holds = |literal: &i32| {
        let place = variables.iter().position(|v| *v == literal.unsigned_abs());
        values[place.unwrap()] == (*literal > 0)
    };
    clauses.iter().all(|clause| clause.iter().any(holds))
}

/// Returns the winner, found by trying all assignments.
fn tried(formula: &Formula, values: &mut Vec<bool>) -> bool {
    let mut before = 0;
    let next = formula.blocks().iter().find(|block| {
        before += block.variables.len();
        values.len() < before
    });
    let Some(block) = next else {
        return formula.matrix_value_of_full_assignment(values).unwrap();
    };
    let each = [false, true].map(|value| {
        values.push(value);
        let holds = tried(formula, values);
        values.pop();
        holds
    });
    match block.quantifier {
        Quantifier::Exists => each[0] || each[1],
        Quantifier::ForAll => each[0] && each[1],
    }
}

/// Checks the winner at every position after whole blocks, and that the values given there win. Returns the number of
/// positions.
fn check_positions(formula: &Formula, outer: &mut Vec<bool>) -> usize {
    let position = formula.solve_position(outer).expect("decided");
    let truth = tried(formula, outer);
    assert_eq!(position.holds, truth, "{formula:?} at {outer:?}");
    let Some((_, block)) = formula.next_block(outer.len()) else {
        assert!(position.values.is_empty());
        return 1;
    };
    let (length, quantifier) = (block.variables.len(), block.quantifier);
    assert_eq!(position.values.len(), length);
    if quantifier.choosing_player_wins(truth) {
        let mut chosen = outer.clone();
        chosen.extend(position.values.as_slice());
        let still = tried(formula, &mut chosen);
        assert_eq!(still, truth, "{formula:?} at {outer:?}: {position:?}");
    }
    let mut count = 1;
    for number in 0..1_u64 << length {
        let before = outer.len();
        let bits = BitString::low_bits_of_number(number, u32::try_from(length).unwrap());
        outer.extend(bits.as_slice());
        count += check_positions(formula, outer);
        outer.truncate(before);
    }
    count
}

/// All prefixes over `variables` variables, quantified one at a time.
fn prefixes(variables: u32) -> impl Iterator<Item = Vec<QuantifierBlock>> {
    (0..1_u32 << variables).map(move |mask| {
        (0..variables)
            .map(|place| QuantifierBlock {
                quantifier: match mask >> place & 1 {
                    0 => Quantifier::Exists,
                    _ => Quantifier::ForAll,
                },
                variables: vec![place + 1],
            })
            .collect()
    })
}

/// All clauses over `variables` variables: each occurs positively, negated, or not at all.
fn clauses(variables: u32) -> Vec<Vec<i32>> {
    (0..3_u32.pow(variables))
        .map(|number| {
            let literal = |place: u32| {
                let variable = i32::try_from(place + 1).unwrap();
                [0, variable, -variable][(number / 3_u32.pow(place) % 3) as usize]
            };
            (0..variables).map(literal).filter(|l| *l != 0).collect()
        })
        .collect()
}

#[test]
fn the_winner_is_right_in_every_position_of_every_small_formula() {
    let mut positions = 0;
    for variables in 0..=2 {
        let all = clauses(variables);
        for prefix in prefixes(variables) {
            for (first, a) in all.iter().enumerate() {
                for (second, b) in all[first..].iter().enumerate() {
                    for c in &all[first + second..] {
                        let matrix = FormulaMatrix::Clauses(vec![a.clone(), b.clone(), c.clone()]);
                        let formula = Formula::new(prefix.clone(), matrix).unwrap();
                        positions += check_positions(&formula, &mut Vec::new());
                    }
                }
            }
        }
    }
    assert!(positions > 2000, "{positions}");
}

fn some_formula() -> impl Strategy<Value = Formula> {
    let literal = (1_i32..=9, any::<bool>()).prop_map(|(v, s)| if s { v } else { -v });
    let clause = proptest::collection::vec(literal, 1..4);
    let clauses = proptest::collection::vec(clause, 0..24);
    let order = Just((1_u32..=9).collect::<Vec<_>>()).prop_shuffle();
    let cuts = proptest::collection::vec((1_usize..4, any::<bool>()), 0..6);
    (clauses, order, cuts).prop_map(|(clauses, order, cuts)| {
        let mut rest = order.as_slice();
        let blocks = cuts
            .into_iter()
            .map(|(size, exists)| {
                let (block, others) = rest.split_at(size.min(rest.len()));
                rest = others;
                QuantifierBlock {
                    quantifier: if exists {
                        Quantifier::Exists
                    } else {
                        Quantifier::ForAll
                    },
                    variables: block.to_vec(),
                }
            })
            .collect();
        Formula::new(blocks, FormulaMatrix::Clauses(clauses)).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_winner_is_right_in_larger_formulas(formula in some_formula()) {
        check_positions(&formula, &mut Vec::new());
    }

    #[test]
    fn a_matrix_is_the_same_as_clauses_and_as_a_circuit(formula in some_formula(), input in any::<u64>()) {
        let values = BitString::low_bits_of_number(input, formula.variable_count());
        let holds = clauses_hold(&formula, values.as_slice());
        prop_assert_eq!(formula.matrix_value_of_full_assignment(values.as_slice()), Some(holds));
        let matrix = FormulaMatrix::Circuit { netlist: formula.matrix_as_circuit().clone(), given: BitString::default() };
        let circuit = Formula::new(formula.blocks().to_vec(), matrix).unwrap();
        prop_assert_eq!(circuit.matrix_value_of_full_assignment(values.as_slice()), Some(holds));
        prop_assert_eq!(circuit.is_formula_true(), formula.is_formula_true());
        prop_assert!(circuit.is_formula_true().is_some());
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_qdimacs(&bytes);
        let header: Vec<u8> = b"p cnf 3 3\n".iter().chain(&bytes).copied().collect();
        if let Err(error) = read_qdimacs(&header) {
            prop_assert!(error.line >= 1);
        }
    }
}

#[test]
fn a_circuit_with_given_bits_is_played_too() {
    // Both players choose a bit; the circuit is the majority of five bits.
    let netlist = generated::majority_circuit(5).unwrap();
    let output = netlist.outputs()[0];
    let netlist = Arc::new(netlist.circuit_of_wire_if_exists(output).unwrap());
    for number in 0..8 {
        let block = |quantifier, variable| QuantifierBlock {
            quantifier,
            variables: vec![variable],
        };
        let blocks = vec![block(Quantifier::ForAll, 1), block(Quantifier::Exists, 2)];
        let given = BitString::low_bits_of_number(number, 3);
        let ones = number.count_ones();
        let matrix = FormulaMatrix::Circuit {
            netlist: netlist.clone(),
            given,
        };
        let formula = Formula::new(blocks, matrix).unwrap();
        // ∀ adds 0 and ∃ adds 1.
        assert_eq!(
            formula.is_formula_true(),
            Some(ones + 1 >= 3),
            "{number:03b}"
        );
        check_positions(&formula, &mut Vec::new());
    }
}

#[test]
fn a_circuit_must_fit_its_variables() {
    let netlist = Arc::new(generated::parity_circuit(3).unwrap());
    let matrix = FormulaMatrix::Circuit {
        netlist,
        given: BitString::zeros(2),
    };
    let error = Formula::new(Vec::new(), matrix).unwrap_err();
    assert!(error.contains("3 inputs, but the formula has 2"), "{error}");
}

#[test]
fn files_are_read_half_way() {
    let read = formula(
        "c a comment\r\n\r\np cnf 4 9 extra\na 1\n 2 0\ne 3 0\ne 4 0\nc another\n1 -3\n 0 2 2 3 0\n5 0\n",
    );
    // 5 is in no block and is chosen first; the blocks of 3 and 4 are merged.
    let blocks: Vec<(char, &[u32])> = read
        .blocks()
        .iter()
        .map(|block| (block.quantifier.quantifier_symbol(), &block.variables[..]))
        .collect();
    assert_eq!(blocks, [('∃', &[5][..]), ('∀', &[1, 2]), ('∃', &[3, 4])]);
    let clauses = vec![vec![1, -3], vec![2, 3], vec![5]];
    assert_eq!(*read.matrix(), FormulaMatrix::Clauses(clauses));
    assert_eq!(read.quantifier_blocks_text_from(0), "∃x5 ∀y1 y2 ∃x3 x4");
    assert_eq!(read.count_inputs_read_by_formula(), 4);
}

#[test]
fn formulas_without_variables_are_decided() {
    assert_eq!(formula("p cnf 0 0").is_formula_true(), Some(true));
    assert_eq!(formula("p cnf 0 1\n0\n").is_formula_true(), Some(false));
    assert_eq!(
        formula("p cnf 1 1\na 1 0\n0\n").is_formula_true(),
        Some(false)
    );
    assert_eq!(formula("p cnf 0 0").matrix_as_circuit().gate_count(), 1);
    assert_eq!(
        formula("p cnf 1 1\n-1 0\n")
            .matrix_as_circuit()
            .gate_count(),
        1
    );
    assert_eq!(
        formula("p cnf 3 2\n1 -2 3 0\n2 0\n")
            .matrix_as_circuit()
            .gate_count(),
        3
    );
}

#[test]
fn faults_of_a_formula_file_have_their_line() {
    for (text, line, part) in [
        ("", 1, "p cnf"),
        ("1 2 0\n", 1, "p cnf"),
        ("c x\np dnf 1 1\n", 2, "p cnf"),
        ("p cnf 1\n", 1, "p cnf"),
        ("p cnf 1 1\np cnf 1 1\n", 2, "second `p` header"),
        ("p cnf 1 1\n1 two 0\n", 2, "\"two\""),
        ("p cnf 1 1\ne 1 0\na 1 0\n1 0\n", 3, "quantified twice"),
        ("p cnf 1 1\ne -1 0\n1 0\n", 2, "minus"),
        ("p cnf 1 1\n1 0\ne 1 0\n", 3, "before the first clause"),
        ("p cnf 1 1\ne 1\na 2 0\n1 0\n", 2, "does not end with 0"),
        ("p cnf 1 1\n1\n", 2, "does not end with 0"),
        ("p cnf 1 1\n", 1, "the file has none"),
        ("p cnf 1 1\n9999999 0\n", 2, "1048576"),
        ("p cnf 1 1\n99999999999 0\n", 2, "99999999999"),
        ("p cnf 1 1\n-2147483648 0\n", 2, "1048576"),
    ] {
        let (at, what) = wrong(text);
        assert_eq!(at, line, "{text:?}: {what}");
        assert!(what.contains(part), "{text:?}: {what}");
    }
    let error = read_qdimacs(b"p cnf 1 1\n1 \xff 0\n").unwrap_err();
    assert_eq!((error.line, error.what.contains("byte 3")), (2, true));
}

#[test]
fn too_hard_formulas_are_undecided() {
    // The pigeonhole principle with one hole too few: it has no short resolution proofs.
    let (pigeons, holes) = (12, 11);
    let variable = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
    let mut clauses: Vec<Vec<i32>> = (0..pigeons)
        .map(|pigeon| (0..holes).map(|hole| variable(pigeon, hole)).collect())
        .collect();
    for hole in 0..holes {
        for one in 0..pigeons {
            for other in 0..one {
                clauses.push(vec![-variable(one, hole), -variable(other, hole)]);
            }
        }
    }
    let formula = Formula::new(Vec::new(), FormulaMatrix::Clauses(clauses)).unwrap();
    assert_eq!(formula.solve_position_within(&[], 1_000_000), None);
}

#[test]
fn greedy_values_satisfy_the_satisfiable_clauses() {
    let formula = formula("p cnf 3 3\ne 1 2 0\na 3 0\n1 0\n-1 2 0\n2 3 0\n");
    assert_eq!(formula.greedy_block_values(&[]).to_string(), "11");
    assert_eq!(formula.greedy_block_values(&[true, false]).to_string(), "0");
}

#[test]
fn open_clauses_depend_on_the_chosen_values() {
    let text = "p cnf 4 4\ne 1 0\na 2 0\ne 3 4 0\n-3 1 0\n-2 3 0\n4 2 1 0\n1 0\n";
    let formula = read_qdimacs(text.as_bytes()).unwrap();
    let open = |outer: &[bool]| {
        let open = formula.unsatisfied_clauses(outer, 10).unwrap();
        [open.next, open.later, open.broken].map(|clauses| clauses.join("; "))
    };
    assert_eq!(
        open(&[]),
        ["not x3 or x1; x4 or y2 or x1; x1", "not y2 or x3", ""]
    );
    assert_eq!(open(&[true]), ["not y2 or x3", "", ""]);
    assert_eq!(open(&[false, true]), ["not x3; x3", "", "x1"]);
    assert_eq!(open(&[true, false, true, true]), ["", "", ""]);
    assert_eq!(formula.unsatisfied_clauses(&[], 1).unwrap().next.len(), 1);
}

#[test]
fn differences_between_header_blocks_and_clauses_are_noted() {
    let fine = "p cnf 2 2\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n";
    for (text, expected) in [
        (fine, &[][..]),
        // For a formula without blocks, the values of all variables are needed.
        ("p cnf 2 1\n1 -2 0\n", &[]),
        (
            "p cnf 2 5\na 1 0\ne 2 0\n1 2 0\n",
            &[
                "the header promises 5 clauses, but the file has 1; check that no clauses are missing",
            ],
        ),
        (
            "p cnf 2 1\na 1 0\ne 2 0\n1 2 0\n1 0\n",
            &["the header promises 1 clause, but the file has 2"],
        ),
        (
            "p cnf 1 1\na 1 0\ne 7 0\n1 7 0\n",
            &["the header promises 1 variable, but the file has variable 7"],
        ),
        (
            "p cnf 3 1\na 1 0\n1 3 0\n",
            &[
                "no quantifier block declares variable 3, which is therefore quantified by ∃, before all blocks",
            ],
        ),
        (
            "p cnf 4 3\na 1 0\n1 -9 2 3 0\n4 5 6 7 0\n",
            &[
                "the header promises 3 clauses, but the file has 2; check that no clauses are missing",
                "the header promises 4 variables, but the file has variable 9",
                "no quantifier block declares variables 2, 3, 4, 5, 6 and 2 more, which are therefore quantified by ∃, before all blocks",
            ],
        ),
    ] {
        assert_eq!(
            formula(text).inconsistencies_within_file(),
            expected,
            "{text}"
        );
    }
}
