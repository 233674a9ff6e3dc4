use std::collections::BTreeSet;
use std::sync::LazyLock;

use debate_theory::query_complexity::{
    BooleanFunction, FewQueriesSearchResults, QueryDebateDefinition, VerifierDecisionTree,
    VerifierReadableBit, complexity_bounds, debate_query_complexity_bounds,
};

use super::SEARCHED;

static FIVE: LazyLock<FewQueriesSearchResults> = LazyLock::new(FewQueriesSearchResults::new);

fn next(word: &mut u64) -> u64 {
    *word ^= *word << 13;
    *word ^= *word >> 7;
    *word ^= *word << 17;
    *word
}

fn below(word: &mut u64, limit: usize) -> usize {
    usize::try_from(next(word) % limit as u64).unwrap()
}

#[test]
fn found_verifiers_of_three_queries_decide_their_functions() {
    let mut found = 0;
    for function in FIVE.five_input_functions_decided_by_three_queries() {
        let bounds = FIVE.complexity_bounds(function);
        assert_eq!((bounds.lower.queries, bounds.upper.queries), (3, 3));
        assert_eq!(function.relevant_inputs().len(), 5, "{function}");
        found += 1;
        // Each game has up to 2^8 transcripts for 32 inputs.
        if found % 50 == 0 {
            let debate = bounds.debate;
            assert!(debate.verifier.max_queries() <= 3, "{debate:?}");
            assert_eq!(
                debate.truth_table_of_decided_function(),
                function.true_rows_bitmask(),
                "{debate:?}"
            );
        }
    }
    assert!(found > 1000, "{found}");
}

/// Random verifiers of three queries that read all five inputs, with two more bits of any kind.
#[test]
fn random_verifiers_of_three_queries_decide_no_other_function() {
    let found: BTreeSet<BooleanFunction> = FIVE
        .five_input_functions_decided_by_three_queries()
        .collect();
    let mut word = 5_u64;
    let mut tried = 0;
    for _ in 0..4000 {
        let mut bits: Vec<VerifierReadableBit> = (0..5).map(VerifierReadableBit::Input).collect();
        for _ in 0..2 {
            bits.push(match below(&mut word, 4) {
                0 => VerifierReadableBit::Input(below(&mut word, 5)),
                _ => VerifierReadableBit::Message(below(&mut word, 6)),
            });
        }
        for last in (1..bits.len()).rev() {
            bits.swap(last, below(&mut word, last + 1));
        }
        let leaf = |bit: VerifierReadableBit, turned: bool| {
            VerifierDecisionTree::reading(
                bit,
                VerifierDecisionTree::Says(turned),
                VerifierDecisionTree::Says(!turned),
            )
        };
        let mut turned = || next(&mut word) % 2 == 1;
        let side = |at: usize, first: bool, second: bool| {
            VerifierDecisionTree::reading(
                bits[at],
                leaf(bits[at + 1], first),
                leaf(bits[at + 2], second),
            )
        };
        let [no, yes] = [side(1, turned(), turned()), side(4, turned(), turned())];
        let debate = QueryDebateDefinition {
            inputs: 5,
            rounds: 3,
            verifier: VerifierDecisionTree::reading(bits[0], no, yes),
        };
        let decided = BooleanFunction::new(5, debate.truth_table_of_decided_function()).unwrap();
        if decided.relevant_inputs().len() == 5 {
            tried += 1;
            assert!(found.contains(&decided), "{decided} {debate:?}");
        }
    }
    assert!(tried > 500, "{tried}");
}

/// A debate that decides a function also decides what remains of it after an input is fixed. So no bound may contradict
/// the exact values for four inputs.
#[test]
fn bounds_agree_with_their_debates_and_with_fixed_inputs() {
    let mut word = 7_u64;
    let parity = BooleanFunction::from_row_values(5, |row| row.count_ones() % 2 == 1);
    let majority = BooleanFunction::from_row_values(5, |row| row.count_ones() > 2);
    let two_levels = BooleanFunction::from_row_values(5, |row| {
        (row & 0b11 == 0b11 || row & 0b1100 == 0b1100) != (row & 0b1_0000 != 0)
    });
    let random = (0..6).map(|_| {
        let rows = next(&mut word);
        BooleanFunction::from_row_values(5, |row| rows >> row & 1 == 1)
    });
    let mut exact = 0;
    for function in [parity, majority, two_levels].into_iter().chain(random) {
        let bounds = FIVE.complexity_bounds(function);
        let debate = &bounds.debate;
        assert_eq!(
            debate.verifier.max_queries(),
            bounds.upper.queries,
            "{function}"
        );
        assert_eq!(
            debate.truth_table_of_decided_function(),
            function.true_rows_bitmask(),
            "{function}"
        );
        assert!(bounds.lower.queries <= bounds.upper.queries, "{function}");
        exact += usize::from(bounds.are_bounds_equal());
        for index in 0..5 {
            let bit = 16 >> index;
            for value in [0, bit] {
                let fixed = BooleanFunction::from_row_values(5, |row| {
                    function.value_at(row & !bit | value)
                });
                let part = match fixed.relevant_inputs().len() {
                    4 => complexity_bounds(fixed.drop_irrelevant_inputs(), &SEARCHED),
                    _ => debate_query_complexity_bounds(fixed),
                };
                assert!(part.lower.queries <= bounds.upper.queries, "{function}");
            }
        }
    }
    assert!(exact > 0);
    let ends = |function| {
        let bounds = FIVE.complexity_bounds(function);
        (bounds.lower.queries, bounds.upper.queries)
    };
    assert_eq!(ends(parity), (4, 5));
    assert_eq!(ends(two_levels), (4, 4));
}
