use debate_theory::query_complexity::{
    BooleanFunction, FunctionsByQueryComplexityReport, MessageSideAndSeal, QueryComplexityReport,
    QueryDebateDefinition, VerifierDecisionTree, VerifierLookupTable, VerifierReadableBit,
    debate_query_complexity_bounds, fewest_contradictions_in_wrong_transcript, hard_points,
    transcripts_with_honest_prover, truth_table_decided_by_three_debaters,
};

/// The majority of three inputs, as the tree that reads the third input only if the first two differ.
#[test]
fn a_table_of_a_verifier_has_its_outputs() {
    let reads =
        |index, no, yes| VerifierDecisionTree::reading(VerifierReadableBit::Input(index), no, yes);
    let says = VerifierDecisionTree::Says;
    let verifier = reads(
        0,
        reads(1, says(false), reads(2, says(false), says(true))),
        reads(1, reads(2, says(false), says(true)), says(true)),
    );
    let table = VerifierLookupTable::lookup_table_of_debate_verifier(&QueryDebateDefinition {
        inputs: 3,
        rounds: 0,
        verifier,
    });
    assert_eq!((table.row_count(), table.bits_per_lookup_row()), (15, 2));
    for input in 0..8_usize {
        let bits: Vec<bool> = (0..3).map(|at| input >> at & 1 == 1).collect();
        assert_eq!(table.verifier_output(&bits), input.count_ones() > 1);
    }
    // A message has the location after the inputs.
    let verifier = reads(
        0,
        says(false),
        VerifierDecisionTree::reading(VerifierReadableBit::Message(2), says(true), says(false)),
    );
    let table = VerifierLookupTable::lookup_table_of_debate_verifier(&QueryDebateDefinition {
        inputs: 1,
        rounds: 2,
        verifier,
    });
    for bits in 0..32_usize {
        let bits: Vec<bool> = (0..5).map(|at| bits >> at & 1 == 1).collect();
        assert_eq!(table.verifier_output(&bits), bits[0] && !bits[3]);
    }
}

#[test]
fn all_found_verifiers_fit_into_tables() {
    let report = FunctionsByQueryComplexityReport::compute_for_all_functions_of_inputs(4).lemma_11;
    assert_eq!(
        (report.tables, report.failures, report.too_large),
        (208, 0, 0)
    );
    // Four queries have 2^5 − 1 strings of answers.
    assert_eq!(report.most_rows, 31);
}

/// The transcripts of the hard distribution are among the valid ones of both inputs, and on no valid transcript the
/// honest prover loses.
#[test]
fn valid_transcripts_are_those_of_an_honest_prover() {
    let pairs =
        BooleanFunction::from_row_values(4, |row| row & 0b11 == 0b11 || row & 0b1100 == 0b1100);
    let debate = debate_query_complexity_bounds(pairs).debate;
    for point in hard_points(4, &|input| pairs.value_at(input), &debate) {
        assert!(transcripts_with_honest_prover(&debate, point.input).contains(&point.transcript));
    }
    let all = 1_usize << (2 * debate.rounds);
    for input in 0..16 {
        let valid = transcripts_with_honest_prover(&debate, input);
        assert_eq!(valid.len(), 1 << debate.rounds);
        assert!(valid.len() < all);
        for transcript in valid {
            assert_eq!(
                debate.verifier_output_for_transcript(input, &transcript),
                pairs.value_at(input)
            );
        }
    }
    let report = QueryComplexityReport::new().definition_12;
    assert_eq!(report.majority_error, "1/3");
    assert_eq!(
        (
            report.valid,
            report.errors_on_valid,
            report.errors_on_others
        ),
        (4, 0, 2)
    );
}

/// True if the debaters of `side` have a joint strategy that wins against all replies of the others. Such a strategy
/// gives a bit to each sealed message, and to each open message a bit for all earlier open messages.
fn has_winning_strategy(
    side: bool,
    input: usize,
    verifier: &VerifierDecisionTree,
    by: [MessageSideAndSeal; 3],
) -> bool {
    // A strategy has one bit for the first message, two for the second and four for the third.
    const FIRST_BITS: [usize; 3] = [0, 1, 3];
    (0..1_usize << 7).any(|strategy| {
        (0..8_usize).all(|others| {
            let mut messages = [false; 3];
            for at in 0..3 {
                let mut seen = 0;
                for earlier in 0..at {
                    if !by[at].sealed && !by[earlier].sealed {
                        seen = 2 * seen + usize::from(messages[earlier]);
                    }
                }
                messages[at] = if by[at].side == side {
                    strategy >> (FIRST_BITS[at] + seen) & 1 == 1
                } else {
                    others >> at & 1 == 1
                };
            }
            let output = verifier.output(&|variable| match variable {
                VerifierReadableBit::Input(index) => input >> (1 - index) & 1 == 1,
                VerifierReadableBit::Message(index) => messages[index],
            });
            output == side
        })
    })
}

#[test]
fn a_third_debater_decides_what_its_strategies_force() {
    let variables: Vec<VerifierReadableBit> = (0..2)
        .map(VerifierReadableBit::Input)
        .chain((0..3).map(VerifierReadableBit::Message))
        .collect();
    let writers =
        [false, true].map(|side| [false, true].map(|sealed| MessageSideAndSeal { side, sealed }));
    let writers = writers.as_flattened();
    let verifiers = VerifierDecisionTree::all_with_at_most_queries(&variables, 2);
    let mut decided = 0;
    for (number, verifier) in verifiers.iter().enumerate() {
        // Every verifier is tried with one choice of writers; neighbours have different ones.
        let by = [number % 4, number / 4 % 4, number / 16 % 4].map(|one| writers[one]);
        let values = (0..4).map(|input| {
            let forces = |side| has_winning_strategy(side, input, verifier, by);
            match (forces(false), forces(true)) {
                (true, false) => Some(0),
                (false, true) => Some(1 << input),
                _ => None,
            }
        });
        let rows: Option<u32> = values.sum();
        decided += usize::from(rows.is_some());
        assert_eq!(
            truth_table_decided_by_three_debaters(2, verifier, &by),
            rows,
            "{verifier} {by:?}"
        );
    }
    assert!(decided > 100 && decided < verifiers.len(), "{decided}");
    let report = QueryComplexityReport::new().third_debater;
    assert_eq!((report.functions, report.fewer), (256, 0));
    assert_eq!(report.by_two, report.by_three);
}

/// On the parity of four inputs, all transcripts of three gates.
#[test]
fn one_wrong_gate_is_enough_for_a_lie() {
    let gates = [[0, 1], [2, 3], [4, 5]];
    for input in 0..16_usize {
        assert_eq!(
            fewest_contradictions_in_wrong_transcript(4, &gates, input),
            1
        );
        let bit = |at: usize| input >> (3 - at) & 1;
        for [first, second] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            let last = 1 - input.count_ones() as usize % 2;
            let wrong = [
                first != bit(0) ^ bit(1),
                second != bit(2) ^ bit(3),
                last != first ^ second,
            ];
            assert!(wrong.contains(&true));
        }
    }
    let report = QueryComplexityReport::new().checkable;
    assert_eq!((report.points, report.errors_with_free_input), (32, 0));
    assert_eq!((report.gates, report.wrong_gates), (15, 1));
    // 15 − 10 of 15 gates are unchecked.
    assert_eq!(
        (
            report.accepted_after_one_gate.as_str(),
            report.gates_for_one_third
        ),
        ("14/15", 10)
    );
}

#[test]
fn a_million_inputs_take_the_bits_of_the_formulas() {
    let report = QueryComplexityReport::new().million;
    let bits = |count: u64| (0..64).find(|bits| 1_u64 << bits >= count);
    assert_eq!(Some(report.lower), bits(1_000_000));
    assert_eq!(Some(report.parity - 3), bits(999_999));
    assert_eq!(report.gates, Some(2_999_997));
    assert_eq!(report.divisible_by_four.map(|all| all - 3), bits(2_999_997));
    assert_eq!(Some(report.square - 3), bits(1_000_000_000_000));
}
