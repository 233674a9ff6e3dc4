mod five_inputs;
mod remarks;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use debate_theory::query_complexity::{
    BooleanFunction, FunctionsByQueryComplexityReport, FunctionsDecidedByThreeQueries,
    FunctionsOfFewQueries, QueryComplexityReport, QueryDebateDefinition, VerifierDecisionTree,
    VerifierReadableBit, complexity_bounds, debate_query_complexity_bounds, derandomise,
    hard_points, majority_verifier_of_two_random_inputs, ones_count_divisible_by_four_circuit,
    parity_circuit,
};

/// The functions of four inputs that verifiers of three queries decide.
static SEARCHED: LazyLock<FunctionsOfFewQueries> =
    LazyLock::new(|| FunctionsOfFewQueries::from_exhaustive_search(4));

fn three_queries() -> &'static FunctionsDecidedByThreeQueries {
    match &*SEARCHED {
        FunctionsOfFewQueries::Three(three) => three,
        FunctionsOfFewQueries::Two(two) => panic!("{two:?}"),
    }
}

fn function(table: &str) -> BooleanFunction {
    BooleanFunction::parse(table).unwrap()
}

/// x1 ∧ x2 ∨ x3 ∧ x4.
fn two_pairs() -> BooleanFunction {
    BooleanFunction::from_row_values(4, |row| row & 0b11 == 0b11 || row & 0b1100 == 0b1100)
}

/// A second search, by truth tables: a verifier of two queries is a function of at most three bits. The writer of a
/// message replaces it by the minimum or the maximum over both values, starting with the last message.
fn decided_by_two(inputs: usize) -> BTreeSet<u32> {
    // Each of three positions is an input or a message, which one of the two provers writes.
    #[derive(Clone, Copy, PartialEq)]
    enum Bit {
        Input(usize),
        Written(bool),
    }
    let bits: Vec<Bit> = (0..inputs)
        .map(Bit::Input)
        .chain([Bit::Written(false), Bit::Written(true)])
        .collect();
    let mut found = BTreeSet::new();
    for first in &bits {
        for second in &bits {
            for third in &bits {
                let three = [*first, *second, *third];
                // The root reads the first position; if it is 0 the second is read next, else the third. Messages may
                // be written in any order.
                for order in [
                    [0, 1, 2],
                    [0, 2, 1],
                    [1, 0, 2],
                    [1, 2, 0],
                    [2, 0, 1],
                    [2, 1, 0],
                ] {
                    for says in 0..16_u32 {
                        let verdict = |read: [bool; 3]| {
                            let leaf = if read[0] {
                                2 + usize::from(read[2])
                            } else {
                                usize::from(read[1])
                            };
                            says >> leaf & 1 == 1
                        };
                        let mut rows = 0;
                        for input in 0..1_usize << inputs {
                            let known = three.map(|bit| match bit {
                                Bit::Input(place) => Some(input >> (inputs - 1 - place) & 1 == 1),
                                Bit::Written(_) => None,
                            });
                            let writers = three.map(|bit| match bit {
                                Bit::Written(greatest) => greatest,
                                Bit::Input(_) => false,
                            });
                            if played(known, writers, &order, &verdict) {
                                rows |= 1 << input;
                            }
                        }
                        found.insert(rows);
                    }
                }
            }
        }
    }
    found
}

fn played(
    known: [Option<bool>; 3],
    writers: [bool; 3],
    order: &[usize],
    verdict: &impl Fn([bool; 3]) -> bool,
) -> bool {
    let Some((next, rest)) = order.split_first() else {
        return verdict(known.map(|bit| bit.unwrap_or(false)));
    };
    if known[*next].is_some() {
        return played(known, writers, rest, verdict);
    }
    let with = |bit| {
        let mut known = known;
        known[*next] = Some(bit);
        played(known, writers, rest, verdict)
    };
    if writers[*next] {
        with(false) || with(true)
    } else {
        with(false) && with(true)
    }
}

#[test]
fn two_query_functions_agree_with_a_second_search() {
    for inputs in 1..=3 {
        let searched = FunctionsOfFewQueries::from_exhaustive_search(inputs);
        let is_found = |function: &BooleanFunction| {
            complexity_bounds(*function, &searched)
                .upper
                .by
                .contains("search")
        };
        let found = BooleanFunction::all_with_inputs(inputs).filter(is_found);
        let found: BTreeSet<u32> = found.map(BooleanFunction::true_rows_bitmask).collect();
        assert_eq!(found, decided_by_two(inputs), "{inputs}");
    }
}

#[test]
fn every_debate_of_the_table_decides_its_function() {
    let two = FunctionsOfFewQueries::from_exhaustive_search(3);
    for rows in 0..256 {
        let whole = BooleanFunction::new(3, rows).unwrap();
        if whole.relevant_inputs().len() < 3 {
            continue;
        }
        let found = complexity_bounds(whole, &two);
        assert!(found.are_bounds_equal(), "{whole}");
        assert_eq!(
            found.debate.truth_table_of_decided_function(),
            rows,
            "{whole}"
        );
        assert_eq!(found.debate.verifier.max_queries(), found.upper.queries);
        // Renamed and negated versions have the same complexity.
        assert_eq!(
            complexity_bounds(*whole.equivalent_functions().first().unwrap(), &two).upper,
            found.upper,
            "{whole}"
        );
    }
}

#[test]
fn brackets_name_the_basis_of_their_ends() {
    let both = complexity_bounds(two_pairs(), &SEARCHED);
    assert_eq!((both.lower.queries, both.upper.queries), (3, 3));
    assert!(both.upper.by.contains("search"), "{both:?}");
    assert_eq!(
        both.debate.truth_table_of_decided_function().count_ones(),
        7
    );
    let parity = BooleanFunction::from_row_values(4, |row| row.count_ones() % 2 == 1);
    let parity = complexity_bounds(parity, &SEARCHED);
    assert_eq!((parity.lower.queries, parity.upper.queries), (4, 4));
    assert!(parity.lower.by.contains("three queries"), "{parity:?}");
    assert!(parity.upper.by.contains("reading the input"), "{parity:?}");
    // An input without influence does not count.
    let one = debate_query_complexity_bounds(function("00001111"));
    assert_eq!((one.lower.queries, one.upper.queries), (1, 1));
    let majority = debate_query_complexity_bounds(function("00010111"));
    assert_eq!(majority.lower.queries, 3);
}

/// A random verifier by xorshift; it may read a bit twice on a path.
fn drawn(
    word: &mut u64,
    variables: &[VerifierReadableBit],
    queries: usize,
) -> VerifierDecisionTree {
    *word ^= *word << 13;
    *word ^= *word >> 7;
    *word ^= *word << 17;
    if queries == 0 {
        return VerifierDecisionTree::Says(*word % 2 == 1);
    }
    let place = *word % variables.len() as u64;
    let [no, yes] = [0, 1].map(|_| drawn(word, variables, queries - 1));
    VerifierDecisionTree::reading(variables[usize::try_from(place).unwrap()], no, yes)
}

/// The debate that was found decides every function of four inputs that three queries decide, and no random verifier
/// decides another function. The parity of four inputs takes four.
#[test]
fn three_queries_decide_these_functions_of_four_inputs() {
    let three = three_queries();
    let mut whole = 0;
    for function in three.decided_functions() {
        let debate = three.debate_deciding(function).unwrap();
        assert_eq!(
            debate.truth_table_of_decided_function(),
            function.true_rows_bitmask(),
            "{function} {debate:?}"
        );
        assert!(debate.verifier.max_queries() <= 3, "{function} {debate:?}");
        whole += usize::from(function.relevant_inputs().len() == 4);
    }
    let every = (0..1 << 16)
        .filter_map(|rows| BooleanFunction::new(4, rows))
        .filter(|function| function.relevant_inputs().len() == 4)
        .count();
    assert_eq!((whole, every), (10_448, 64_594));
    let parity = function("0110100110010110");
    assert!(three.debate_deciding(parity).is_none());
    assert!(three.debate_deciding(two_pairs()).is_some());
    // Messages of seven rounds, because seven different bits can be read.
    let variables: Vec<VerifierReadableBit> = (0..4)
        .map(VerifierReadableBit::Input)
        .chain((0..14).map(VerifierReadableBit::Message))
        .collect();
    let mut word = 4_u64;
    for _ in 0..3000 {
        let verifier = drawn(&mut word, &variables, 3);
        let debate = QueryDebateDefinition {
            inputs: 4,
            rounds: 7,
            verifier,
        };
        let rows = debate
            .without_rounds_unread_by_verifier()
            .truth_table_of_decided_function();
        let decided = BooleanFunction::new(4, rows).unwrap();
        assert!(
            three.debate_deciding(decided).is_some(),
            "{decided} {debate:?}"
        );
    }
}

#[test]
fn constructions_of_the_paper_hold_on_all_inputs() {
    let report = QueryComplexityReport::new();
    let lemma = &report.lemma_3;
    assert!(
        lemma.debates > 800 && lemma.shortened > 100 && lemma.failures == 0,
        "{lemma:?}"
    );
    assert_eq!(
        (report.corollary_4.functions, report.corollary_4.failures),
        (256, 0)
    );
    let circuits = &report.corollary_7;
    assert_eq!((circuits.hard, circuits.gates, circuits.bits), (0, 15, 7));
    let parity = parity_circuit();
    let inputs = parity.len() + 1;
    assert_eq!(inputs, 16);
    for input in 0..1_usize << inputs {
        let mut wires: Vec<bool> = (0..inputs).map(|at| input >> at & 1 == 1).collect();
        for [one, other] in &parity {
            wires.push(wires[*one] != wires[*other]);
        }
        assert_eq!(wires.last(), Some(&(input.count_ones() % 2 == 1)));
    }
    let wide = &report.theorem_13;
    assert_eq!(
        (wide.points, &wide.least_errors[..]),
        (32, &[16, 15, 14][..])
    );
    assert!(wide.needed.is_none() && wide.promised == 1);
    let made = report.theorem_14.as_ref().expect("a circuit is found");
    assert!(made.queries == 2 && made.bits < made.promised, "{made:?}");
    for member in &circuits.family {
        assert!(member.gates == 3 * member.inputs - 3 && member.gates < member.limit);
        assert!(member.bits < u64::from(member.hard), "{member:?}");
    }
    // A verifier that errs more often is refused.
    let majority = function("00010111");
    assert_eq!(
        derandomise(majority, &majority_verifier_of_two_random_inputs()[..1]),
        None
    );
}

/// The transcripts of the hard distribution are valid for both inputs of a pair, including messages.
#[test]
fn a_transcript_is_valid_for_both_inputs() {
    let wanted = two_pairs();
    let debate = complexity_bounds(wanted, &SEARCHED).debate;
    let points = hard_points(4, &|input| wanted.value_at(input), &debate);
    assert_eq!(points.len(), 8);
    for point in points {
        assert_eq!(
            debate.verifier_output_for_transcript(point.input, &point.transcript),
            point.says,
            "{point:?}"
        );
    }
}

/// On all inputs of twelve bits, and on some inputs of every weight with 128 bits.
#[test]
fn the_family_counts_ones() {
    let count = |bits: &[bool]| bits.iter().filter(|bit| **bit).count();
    let holds = |bits: &[bool]| {
        let circuit =
            ones_count_divisible_by_four_circuit(u32::try_from(bits.len()).unwrap()).unwrap();
        let last = circuit.outputs()[0];
        let value = circuit.evaluate_wires(bits).unwrap()[usize::try_from(last).unwrap()];
        assert_eq!(value, count(bits).is_multiple_of(4), "{bits:?}");
    };
    for input in 0..1_usize << 12 {
        holds(&(0..12).map(|at| input >> at & 1 == 1).collect::<Vec<_>>());
    }
    for ones in 0..=128 {
        for step in [1, 3, 37, 61] {
            let mut bits = vec![false; 128];
            (0..ones).for_each(|at| bits[at * step % 128] = true);
            assert_eq!(count(&bits), ones);
            holds(&bits);
        }
    }
}

/// The classes of two separate searches, the table of all functions of four inputs, and the bases.
#[test]
fn every_function_of_four_inputs_has_its_queries() {
    let report = FunctionsByQueryComplexityReport::compute_for_all_functions_of_inputs(4);
    let counts: Vec<(usize, usize)> = report
        .counts
        .iter()
        .map(|count| (count.queries, count.functions))
        .collect();
    assert_eq!(counts, [(3, 10_448), (4, 54_146)]);
    assert_eq!((report.total, report.functions.len()), (64_594, 208));
    // Three queries also decide each of the found classes individually.
    let three = three_queries();
    let decided: BTreeSet<BooleanFunction> = three.decided_functions().collect();
    for class in &report.functions {
        let first = function(&class.table);
        for member in first.equivalent_functions() {
            assert_eq!(class.upper <= 3, decided.contains(&member), "{member}");
        }
    }
    // Reading all relevant inputs suffices if there are at most three.
    let few =
        BooleanFunction::all_with_inputs(4).filter(|function| function.relevant_inputs().len() < 4);
    assert!(few.into_iter().all(|function| decided.contains(&function)));
    let smallest = report.theorem_5.iter().map(|basis| {
        let found = basis.smallest.as_ref();
        found.map(|one| (one.table.as_str(), one.depth, one.queries))
    });
    let smallest: Vec<_> = smallest.collect();
    assert_eq!(smallest[0], None);
    assert_eq!(smallest[2], Some(("0110100110010110", 2, 4)));
    assert_eq!(smallest[4], Some(("11101000", 1, 3)));
}
