//! The table of query complexities, and checks of the paper's statements on them.

use serde::Serialize;

use super::checkable::{self, CheckableReport};
use super::family::{MemberReport, family};
use super::verifier::{DecisionTree, QueryDebate, Variable};
use super::{
    AdviceReport, BooleanFunction, Census, CensusReport, ComplexityBounds, HardPoint,
    MillionReport, SearchedVerifiers, ThirdDebaterReport, ValidityReport, complexity_bounds,
    complexity_bounds_of_any, derandomise, hard_points, least_errors, random_pair_verifier,
};

/// The document that `queries` prints: one function, all functions of a given number of inputs, or all functions of up
/// to three inputs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum QueriesDocument {
    One(FunctionReport),
    Inputs(Box<CensusReport>),
    All(Box<QueryReport>),
}

/// Bounds on the query complexity of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionReport {
    /// Its truth table; the first value is for all inputs 0.
    pub table: String,
    /// The number of inputs that the function depends on.
    pub depends_on: usize,
    /// The size of its class: the functions with the same number of inputs that become it by renaming and
    /// negating inputs, or by negating the value. Null if one function was requested.
    pub class_size: Option<usize>,
    pub lower: usize,
    /// The justification of the lower bound.
    pub lower_by: String,
    pub upper: usize,
    /// The justification of the upper bound.
    pub upper_by: String,
    /// True if both bounds are equal.
    pub exact: bool,
    /// A verifier with the upper bound's number of queries. x is the input, α and β are the messages of
    /// Prover 0 and Prover 1, and `a ? b : c` is b if a is 1, otherwise c.
    pub verifier: String,
}

impl FunctionReport {
    pub(super) fn new(
        function: BooleanFunction,
        class_size: Option<usize>,
        bounds: &ComplexityBounds,
    ) -> Self {
        Self {
            table: function.to_string(),
            depends_on: function.on_relevant_inputs().input_count(),
            class_size,
            lower: bounds.lower.queries,
            lower_by: bounds.lower.by.to_owned(),
            upper: bounds.upper.queries,
            upper_by: bounds.upper.by.to_owned(),
            exact: bounds.is_exact(),
            verifier: bounds.debate.verifier.to_string(),
        }
    }

    /// Reports on one function.
    pub fn of(function: BooleanFunction) -> Self {
        Self::new(function, None, &complexity_bounds_of_any(function))
    }
}

/// The query complexity of all functions of up to three inputs, and checks of the paper's statements on them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueryReport {
    /// The first function of each class, by the number of inputs that it depends on.
    pub functions: Vec<FunctionReport>,
    pub lemma_3: ShorteningReport,
    pub corollary_4: LowerBoundReport,
    pub corollary_7: CircuitReport,
    pub lemma_11: AdviceReport,
    pub definition_12: ValidityReport,
    pub theorem_13: RandomisedReport,
    /// Debates whose verifier reads the input for free, beside Theorem 13.
    pub checkable: CheckableReport,
    /// Null if the construction fails.
    pub theorem_14: Option<DerandomisedReport>,
    /// The remark of §6 on inputs of a million bits.
    pub million: MillionReport,
    /// The open question of §6 on a third debater.
    pub third_debater: ThirdDebaterReport,
}

/// The test of DQC Lemma 3: its construction applied to many debates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShorteningReport {
    /// The number of debates that were shortened: all verifiers of one query over two inputs and three
    /// rounds, and of two queries over two inputs and two rounds.
    pub debates: usize,
    /// The number of debates from which a round was removed.
    pub shortened: usize,
    /// The number of failures. A debate fails if it then decides another function, or if it has more than 2^ℓ
    /// rounds left. It also fails if its honest provers lose on some input with the strategies of the proof.
    pub failures: usize,
}

/// The test of DQC Corollary 4.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LowerBoundReport {
    /// The number of functions of up to three inputs.
    pub functions: usize,
    /// The number of functions whose query complexity is below log2 of the number of inputs that they depend
    /// on.
    pub failures: usize,
}

/// The test of DQC Corollary 7.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CircuitReport {
    /// The number of functions of up to three inputs that depend on at least one.
    pub functions: usize,
    /// The number of functions with at least 6 + log2 n queries; by the corollary each needs a circuit of 8n
    /// gates. None can exist with up to nine inputs, because all inputs can be read.
    pub hard: usize,
    /// The number of gates of a circuit for the parity of sixteen inputs, at most 4n.
    pub gates: usize,
    /// The number of bits that its cross-examination reads, fewer than 6 + log2 n.
    pub bits: u64,
    /// The function that is true if the number of ones is divisible by four, for increasing numbers of
    /// inputs.
    pub family: Vec<MemberReport>,
}

/// The test of DQC Theorem 13: the parity of sixteen inputs in a debate without messages, whose verifier reads all
/// inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RandomisedReport {
    /// The number of points of the hard distribution.
    pub points: usize,
    /// For 0, 1 and 2 queries of input bits: the least number of points at which a deterministic verifier
    /// errs.
    pub least_errors: Vec<usize>,
    /// The least number of queries for which at most one in three points is wrong; null if all of these have
    /// more errors.
    pub needed: Option<usize>,
    /// log2 n − 3.
    pub promised: i64,
}

/// The test of DQC Theorem 14: the majority of three inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DerandomisedReport {
    /// The number of queries of the randomised verifier, which reads two of the three inputs.
    pub queries: usize,
    /// The number of trees whose majority is right at every input.
    pub trees: usize,
    /// The number of gates of the circuit of that majority, checked at every input.
    pub gates: usize,
    /// The number of bits that its cross-examination reads.
    pub bits: u64,
    /// The theorem's strict upper bound: q + log2(2k + n) + 10, rounded up. It is vacuous here, because n is
    /// 3.
    pub promised: u64,
}

impl QueryReport {
    /// Computes the whole report; takes a second or less.
    pub fn new() -> Self {
        let searched: Vec<SearchedVerifiers> = (0..=3).map(SearchedVerifiers::of).collect();
        let mut functions: Vec<FunctionReport> = Vec::new();
        let mut lemma_11 = AdviceReport::default();
        for inputs in 0..=3 {
            let census = Census::of(inputs);
            functions.extend(census.classes);
            lemma_11.merge(&census.lemma_11);
        }
        let majority = BooleanFunction::from_values(3, |row| row.count_ones() > 1);
        Self {
            corollary_4: corollary_4(&searched),
            corollary_7: corollary_7(&functions),
            functions,
            lemma_3: lemma_3(),
            lemma_11,
            definition_12: ValidityReport::new(),
            theorem_13: theorem_13(),
            checkable: checkable::report(&parity_points(), PARITY_INPUTS, &parity_circuit()),
            theorem_14: derandomise(majority, &random_pair_verifier()),
            million: MillionReport::new(),
            third_debater: ThirdDebaterReport::new(),
        }
    }
}

impl Default for QueryReport {
    fn default() -> Self {
        Self::new()
    }
}

fn lemma_3() -> ShorteningReport {
    let mut report = ShorteningReport::default();
    for (inputs, rounds, queries) in [(2, 3, 1), (2, 2, 2)] {
        let variables: Vec<Variable> = Variable::all(inputs, 2 * rounds).collect();
        for verifier in DecisionTree::all_with_queries(&variables, queries) {
            let debate = QueryDebate {
                inputs,
                rounds,
                verifier,
            };
            let short = debate.shortened();
            let few = short.rounds <= 1 << debate.verifier.queries();
            let same = short.decided_function() == debate.decided_function();
            let won = (0..1 << inputs).all(|input| debate.honest_prover_wins_shortened(input));
            report.debates += 1;
            report.shortened += usize::from(short.rounds < rounds);
            report.failures += usize::from(!(few && same && won));
        }
    }
    report
}

/// Checks every function of up to three inputs by search, without other theorems of the paper.
fn corollary_4(searched: &[SearchedVerifiers]) -> LowerBoundReport {
    let mut report = LowerBoundReport::default();
    for function in BooleanFunction::all_with_inputs(3) {
        let on_relevant_inputs = function.on_relevant_inputs();
        let bounds = complexity_bounds(
            on_relevant_inputs,
            &searched[on_relevant_inputs.input_count()],
        );
        report.functions += 1;
        report.failures +=
            usize::from(1 << bounds.lower.queries < on_relevant_inputs.input_count());
    }
    report
}

fn corollary_7(functions: &[FunctionReport]) -> CircuitReport {
    let each = functions.iter().filter(|one| one.depends_on > 0);
    let count = |one: &FunctionReport| one.class_size.unwrap_or(0);
    // upper ≥ log2 n + 6 if 2^(upper − 6) ≥ n.
    let hard = |one: &&FunctionReport| one.upper >= 6 && 1 << (one.upper - 6) >= one.depends_on;
    CircuitReport {
        functions: each.clone().map(count).sum(),
        hard: each.filter(hard).map(count).sum(),
        gates: parity_circuit().len(),
        bits: super::pointer_bits(parity_circuit().len() as u64) + 3,
        family: family(),
    }
}

/// Returns the XOR gates that compute the parity of 16 inputs: one gate fewer than inputs. Each entry has the
/// two wires that the gate reads. Wires are numbered starting with the inputs.
pub fn parity_circuit() -> Vec<[usize; 2]> {
    (0..PARITY_INPUTS - 1)
        .map(|gate| [2 * gate, 2 * gate + 1])
        .collect()
}

/// The number of inputs of [`parity_circuit`].
const PARITY_INPUTS: usize = 16;

/// Returns the points of the hard distribution for the parity of sixteen inputs, in a debate without messages.
fn parity_points() -> Vec<HardPoint> {
    let parity = |input: usize| input.count_ones() % 2 == 1;
    let read_all = QueryDebate {
        inputs: PARITY_INPUTS,
        rounds: 0,
        verifier: DecisionTree::Says(false),
    };
    hard_points(PARITY_INPUTS, &parity, &read_all)
}

fn theorem_13() -> RandomisedReport {
    let points = parity_points();
    let all: Vec<&HardPoint> = points.iter().collect();
    let least: Vec<usize> = (0..3)
        .map(|queries| least_errors(&all, PARITY_INPUTS, 0, queries))
        .collect();
    RandomisedReport {
        needed: least.iter().position(|errors| 3 * errors <= points.len()),
        points: points.len(),
        least_errors: least,
        promised: i64::from(PARITY_INPUTS.ilog2()) - 3,
    }
}
