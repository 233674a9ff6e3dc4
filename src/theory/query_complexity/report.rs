//! The report of `queries`: a table of query complexities, and checks of the paper's statements about them.

use serde::Serialize;

use super::checkable::{self, FreeInputVerifierReport};
use super::family::{FunctionFamilyMemberReport, reports_on_divisible_by_four_functions};
use super::verifier::{QueryDebateDefinition, VerifierDecisionTree, VerifierReadableBit};
use super::{
    BooleanFunction, ComplexityBounds, ComplexityCensus, ErrorsOnValidTranscriptsReport,
    FunctionsByQueryComplexityReport, FunctionsOfFewQueries, HardInputTranscriptAndOutput,
    MillionInputQueryBounds, ThirdDebaterQuerySavingsReport, VerifierLookupTableTestReport,
    complexity_bounds, debate_query_complexity_bounds, derandomise, hard_points, least_errors,
    majority_verifier_of_two_random_inputs,
};

/// The JSON document that `queries` prints: on one function, on all functions of a given number of inputs, or on all
/// functions of up to three inputs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum QueriesDocument {
    One(FunctionComplexityReport),
    Inputs(Box<FunctionsByQueryComplexityReport>),
    All(Box<QueryComplexityReport>),
}

/// The report on one function: bounds on its query complexity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "FunctionReport")]
pub struct FunctionComplexityReport {
    /// The function's truth table. Its first value is for all inputs 0.
    pub table: String,
    /// The number of inputs on which the function depends.
    pub depends_on: usize,
    /// The number of functions in this class: this function, and those that differ from it only by renaming or negating
    /// inputs or negating the value. Null if one function was requested.
    pub class_size: Option<usize>,
    pub lower: usize,
    /// The justification of the lower bound.
    pub lower_by: String,
    pub upper: usize,
    /// The justification of the upper bound.
    pub upper_by: String,
    /// True if the lower bound equals the upper bound.
    pub exact: bool,
    /// A verifier with the number of queries of the upper bound. x is the input, α and β are the messages of Prover 0
    /// and Prover 1. `a ? b : c` means b if a is 1, otherwise c.
    pub verifier: String,
}

impl FunctionComplexityReport {
    pub(super) fn new(
        function: BooleanFunction,
        class_size: Option<usize>,
        bounds: &ComplexityBounds,
    ) -> Self {
        Self {
            table: function.to_string(),
            depends_on: function.drop_irrelevant_inputs().input_count(),
            class_size,
            lower: bounds.lower.queries,
            lower_by: bounds.lower.by.to_owned(),
            upper: bounds.upper.queries,
            upper_by: bounds.upper.by.to_owned(),
            exact: bounds.are_bounds_equal(),
            verifier: bounds.debate.verifier.to_string(),
        }
    }

    /// Reports on one function.
    pub fn report_on_function(function: BooleanFunction) -> Self {
        Self::new(function, None, &debate_query_complexity_bounds(function))
    }
}

/// The query complexities of all functions of up to three inputs, and checks of the paper's statements about them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "QueryReport")]
pub struct QueryComplexityReport {
    /// One function for each class of functions that differ only by renaming or negation. The classes are ordered by
    /// the number of inputs on which their functions depend.
    pub functions: Vec<FunctionComplexityReport>,
    pub lemma_3: UnreadRoundLemmaTestReport,
    pub corollary_4: QueryLowerBoundTestReport,
    pub corollary_7: CircuitCorollaryReport,
    pub lemma_11: VerifierLookupTableTestReport,
    pub definition_12: ErrorsOnValidTranscriptsReport,
    pub theorem_13: RandomisedLowerBoundReport,
    /// The results for debates whose verifier reads the input without cost, for comparison with DQC Theorem 13.
    pub checkable: FreeInputVerifierReport,
    /// The test of DQC Theorem 14; null if the construction fails.
    pub theorem_14: Option<DerandomisedVerifierReport>,
    /// The bounds for inputs of a million bits (a remark of DQC §6).
    pub million: MillionInputQueryBounds,
    /// The results on a third debater (an open question of DQC §6).
    pub third_debater: ThirdDebaterQuerySavingsReport,
}

/// The results of the test of DQC Lemma 3: its construction, which removes unread rounds, is applied to many debates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "ShorteningReport")]
pub struct UnreadRoundLemmaTestReport {
    /// The number of debates that were tested. They have all verifiers of at most one query over two inputs and three
    /// rounds, and of at most two queries over two inputs and two rounds.
    pub debates: usize,
    /// The number of debates from which the construction removed a round.
    pub shortened: usize,
    /// The number of debates for which the construction of DQC Lemma 3 fails. Either it changes the decided function,
    /// or leaves more than 2^ℓ rounds for a verifier of ℓ queries. Or an honest prover loses on some input with the
    /// strategy of the proof.
    pub failures: usize,
}

/// The results of the test of DQC Corollary 4: a function of n relevant inputs needs at least log2 n queries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "LowerBoundReport"))]
#[serde(rename = "QueryLowerBoundReport")]
pub struct QueryLowerBoundTestReport {
    /// The number of functions of up to three inputs that were tested.
    pub functions: usize,
    /// The number of functions with a query complexity below log2 n, where n is the number of inputs on which the
    /// function depends.
    pub failures: usize,
}

/// The results of the test of DQC Corollary 7 on circuit sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "CircuitReport")]
pub struct CircuitCorollaryReport {
    /// The number of functions of up to three inputs that depend on at least one.
    pub functions: usize,
    /// The number of functions that need at least log2 n + 6 queries, so that by the corollary their circuits have at
    /// least 8n gates. With up to nine inputs there is none, because all inputs can be read.
    pub hard: usize,
    /// The number of gates of a circuit for the parity of n = 16 inputs. It is at most 4n.
    pub gates: usize,
    /// The number of bits that the verifier reads if the parity circuit is cross-examined. It is below log2 n + 6.
    pub bits: u64,
    /// The results for divisibility by four of the number of ones, for increasing numbers of inputs.
    pub family: Vec<FunctionFamilyMemberReport>,
}

/// The results of the test of DQC Theorem 13 on the parity of sixteen inputs. The debate has no messages, and its
/// verifier reads all inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "RandomisedReport")]
pub struct RandomisedLowerBoundReport {
    /// The number of points in the hard distribution from the theorem's proof.
    pub points: usize,
    /// The least number of points at which a deterministic verifier errs if it reads 0, 1 or 2 input bits.
    pub least_errors: Vec<usize>,
    /// The least number of queries with which at most one in three points is wrong; null if 0, 1 and 2 queries leave
    /// more.
    pub needed: Option<usize>,
    /// The theorem's lower bound on the number of queries: log2 n − 3.
    pub promised: i64,
}

/// The results of the test of DQC Theorem 14 on the majority of three inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "DerandomisedReport")]
pub struct DerandomisedVerifierReport {
    /// The number of queries of the randomised verifier, which reads two of the three inputs.
    pub queries: usize,
    /// The number of decision trees in the derandomised verifier. The majority of their outputs is right for every
    /// input.
    pub trees: usize,
    /// The number of gates in the circuit for the majority of the derandomised verifier's trees. The circuit was
    /// checked for every input.
    pub gates: usize,
    /// The number of bits that the verifier reads if the derandomised verifier's circuit is cross-examined.
    pub bits: u64,
    /// The theorem's strict upper bound q + log2(2k + n) + 10, rounded up. For n = 3 it says nothing, because three
    /// queries read all inputs.
    pub promised: u64,
}

impl QueryComplexityReport {
    /// Computes the whole report. Takes at most a second.
    pub fn new() -> Self {
        let searched: Vec<FunctionsOfFewQueries> = (0..=3)
            .map(FunctionsOfFewQueries::from_exhaustive_search)
            .collect();
        let mut functions: Vec<FunctionComplexityReport> = Vec::new();
        let mut lemma_11 = VerifierLookupTableTestReport::default();
        for inputs in 0..=3 {
            let census = ComplexityCensus::compute_for_all_functions_of_inputs(inputs);
            functions.extend(census.classes);
            lemma_11.merge(&census.lemma_11);
        }
        let majority = BooleanFunction::from_row_values(3, |row| row.count_ones() > 1);
        Self {
            corollary_4: corollary_4(&searched),
            corollary_7: corollary_7(&functions),
            functions,
            lemma_3: lemma_3(),
            lemma_11,
            definition_12: ErrorsOnValidTranscriptsReport::compute(),
            theorem_13: theorem_13(),
            checkable: checkable::parity_circuit_report(
                &parity_points(),
                PARITY_INPUTS,
                &parity_circuit(),
            ),
            theorem_14: derandomise(majority, &majority_verifier_of_two_random_inputs()),
            million: MillionInputQueryBounds::new(),
            third_debater: ThirdDebaterQuerySavingsReport::from_tests_of_all_functions(),
        }
    }
}

impl Default for QueryComplexityReport {
    fn default() -> Self {
        Self::new()
    }
}

fn lemma_3() -> UnreadRoundLemmaTestReport {
    let mut report = UnreadRoundLemmaTestReport::default();
    for (inputs, rounds, queries) in [(2, 3, 1), (2, 2, 2)] {
        let variables: Vec<VerifierReadableBit> =
            VerifierReadableBit::input_and_message_bits(inputs, 2 * rounds).collect();
        for verifier in VerifierDecisionTree::all_with_at_most_queries(&variables, queries) {
            let debate = QueryDebateDefinition {
                inputs,
                rounds,
                verifier,
            };
            let short = debate.without_rounds_unread_by_verifier();
            let few = short.rounds <= 1 << debate.verifier.max_queries();
            let same =
                short.truth_table_of_decided_function() == debate.truth_table_of_decided_function();
            let won = (0..1 << inputs).all(|input| debate.honest_prover_wins_shortened(input));
            report.debates += 1;
            report.shortened += usize::from(short.rounds < rounds);
            report.failures += usize::from(!(few && same && won));
        }
    }
    report
}

/// Checks DQC Corollary 4 on every function of up to three inputs, with bounds from exhaustive search only.
fn corollary_4(searched: &[FunctionsOfFewQueries]) -> QueryLowerBoundTestReport {
    let mut report = QueryLowerBoundTestReport::default();
    for function in BooleanFunction::all_with_inputs(3) {
        let drop_irrelevant_inputs = function.drop_irrelevant_inputs();
        let bounds = complexity_bounds(
            drop_irrelevant_inputs,
            &searched[drop_irrelevant_inputs.input_count()],
        );
        report.functions += 1;
        report.failures +=
            usize::from(1 << bounds.lower.queries < drop_irrelevant_inputs.input_count());
    }
    report
}

fn corollary_7(functions: &[FunctionComplexityReport]) -> CircuitCorollaryReport {
    let each = functions.iter().filter(|one| one.depends_on > 0);
    let count = |one: &FunctionComplexityReport| one.class_size.unwrap_or(0);
    // upper ≥ log2 n + 6 if 2^(upper − 6) ≥ n.
    let hard =
        |one: &&FunctionComplexityReport| one.upper >= 6 && 1 << (one.upper - 6) >= one.depends_on;
    CircuitCorollaryReport {
        functions: each.clone().map(count).sum(),
        hard: each.filter(hard).map(count).sum(),
        gates: parity_circuit().len(),
        bits: super::pointer_bits(parity_circuit().len() as u64) + 3,
        family: reports_on_divisible_by_four_functions(),
    }
}

/// Returns a circuit of 15 XOR gates for the parity of 16 inputs. Each entry has the two wires that a gate reads. Wires
/// are numbered from the inputs on.
pub fn parity_circuit() -> Vec<[usize; 2]> {
    (0..PARITY_INPUTS - 1)
        .map(|gate| [2 * gate, 2 * gate + 1])
        .collect()
}

/// The number of inputs of the circuit that [`parity_circuit`] returns.
const PARITY_INPUTS: usize = 16;

/// Returns the points of the hard distribution (DQC Theorem 13) for the parity of sixteen inputs, in a debate without
/// messages.
fn parity_points() -> Vec<HardInputTranscriptAndOutput> {
    let parity = |input: usize| input.count_ones() % 2 == 1;
    let read_all = QueryDebateDefinition {
        inputs: PARITY_INPUTS,
        rounds: 0,
        verifier: VerifierDecisionTree::Says(false),
    };
    hard_points(PARITY_INPUTS, &parity, &read_all)
}

fn theorem_13() -> RandomisedLowerBoundReport {
    let points = parity_points();
    let all: Vec<&HardInputTranscriptAndOutput> = points.iter().collect();
    let least: Vec<usize> = (0..3)
        .map(|queries| least_errors(&all, PARITY_INPUTS, 0, queries))
        .collect();
    RandomisedLowerBoundReport {
        needed: least.iter().position(|errors| 3 * errors <= points.len()),
        points: points.len(),
        least_errors: least,
        promised: i64::from(PARITY_INPUTS.ilog2()) - 3,
    }
}
