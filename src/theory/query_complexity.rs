//! Debate query complexity (DQC Definition 1): the least number of bits of input and transcript that a verifier must
//! read to decide a function. Computes a lower and an upper bound for small functions, each with its justification.
//!
//! Verifiers of at most two queries are searched exhaustively. Such a verifier may read at most three different bits,
//! so three rounds of messages suffice (DQC Lemma 3). For functions of four inputs, verifiers of three queries are
//! searched as well. All other functions need as many queries as they have inputs, and a verifier can read all inputs.
//! So both bounds are equal for all functions of up to four inputs. For a function of five inputs, all verifiers of
//! three queries are searched, and some verifiers of four; its bounds may be four and five.

mod advice;
mod bases;
mod census;
mod checkable;
mod family;
mod five_inputs;
mod million;
mod randomised;
mod report;
mod third_debater;
mod three_queries;
mod verifier;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use census::ComplexityCensus;

pub use advice::{VerifierLookupTable, VerifierLookupTableTestReport};
pub use bases::{DepthBoundCounterexample, QueryBoundByDepthReport};
pub use census::{ComplexityCountReport, FunctionsByQueryComplexityReport};
pub use checkable::{FreeInputVerifierReport, fewest_contradictions_in_wrong_transcript};
pub use family::{FunctionFamilyMemberReport, ones_count_divisible_by_four_circuit};
pub use five_inputs::FewQueriesSearchResults;
pub use million::MillionInputQueryBounds;
pub use randomised::{
    ErrorsOnValidTranscriptsReport, HardInputTranscriptAndOutput, derandomise, hard_points,
    least_errors, majority_verifier_of_two_random_inputs, transcripts_with_honest_prover,
};
pub use report::{
    DerandomisedVerifierReport, FunctionComplexityReport, QueriesDocument, QueryComplexityReport,
    parity_circuit,
};
pub use third_debater::{
    MessageSideAndSeal, ThirdDebaterQuerySavingsReport, truth_table_decided_by_three_debaters,
};
pub use three_queries::FunctionsDecidedByThreeQueries;
pub use verifier::{QueryDebateDefinition, VerifierDecisionTree, VerifierReadableBit};

/// Maximum number of inputs of the functions in a census, which lists all functions.
pub const MAX_INPUTS: usize = 4;

/// Maximum number of inputs of a function in a truth table.
pub const MAX_TABLE_INPUTS: usize = 5;

/// The number of rounds that always suffices for three messages, whatever their writers and order.
const ROUNDS: usize = 3;

/// A Boolean function of a few inputs as a truth table. In the binary number of a row, the first input is the most
/// significant bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BooleanFunction {
    inputs: usize,
    rows: u32,
}

impl fmt::Display for BooleanFunction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..1_usize << self.inputs)
            .try_for_each(|row| write!(out, "{}", u8::from(self.value_at(row))))
    }
}

impl BooleanFunction {
    /// Creates the function whose value in row n of its truth table is bit n of `rows`. Returns `None` for more than
    /// [`MAX_TABLE_INPUTS`] inputs, or if `rows` has more bits than the table has rows.
    pub fn new(inputs: usize, rows: u32) -> Option<Self> {
        let fits = inputs <= MAX_TABLE_INPUTS && u64::from(rows) >> (1_u32 << inputs) == 0;
        fits.then_some(Self { inputs, rows })
    }

    /// Returns all functions of `inputs` inputs; `inputs` is at most [`MAX_INPUTS`].
    pub fn all_with_inputs(inputs: usize) -> impl Iterator<Item = Self> {
        (0..1_u32 << (1 << inputs)).map(move |rows| Self { inputs, rows })
    }

    /// Parses a truth table such as 0110: the function's value in each row. In the first row, all inputs are 0.
    pub fn parse(table: &str) -> Option<Self> {
        let inputs = (0..=MAX_TABLE_INPUTS).find(|inputs| table.len() == 1 << inputs)?;
        let mut rows = 0;
        for (row, sign) in table.chars().enumerate() {
            match sign {
                '0' => {}
                '1' => rows |= 1 << row,
                _ => return None,
            }
        }
        Self::new(inputs, rows)
    }

    pub fn input_count(self) -> usize {
        self.inputs
    }

    /// Returns the function's value at a row of its truth table.
    #[inline]
    pub fn value_at(self, row: usize) -> bool {
        self.rows >> row & 1 == 1
    }

    /// Returns the set of rows in which the function is 1, as bits of a number.
    pub fn true_rows_bitmask(self) -> u32 {
        self.rows
    }

    /// Creates the function of `inputs` inputs whose value in each row is `at(row)`. `inputs` is at most
    /// [`MAX_TABLE_INPUTS`].
    pub fn from_row_values(inputs: usize, at: impl Fn(usize) -> bool) -> Self {
        let ones = (0..1_usize << inputs).filter(|row| at(*row));
        let rows = ones.fold(0, |rows, row| rows | 1 << row);
        Self { inputs, rows }
    }

    /// Returns the bit that represents an input in the number of a row.
    fn bit(self, index: usize) -> usize {
        1 << (self.inputs - 1 - index)
    }

    /// Returns the indices of the inputs on which the function depends.
    pub fn relevant_inputs(self) -> Vec<usize> {
        let depends = |index: &usize| {
            let bit = self.bit(*index);
            (0..1_usize << self.inputs).any(|row| self.value_at(row) != self.value_at(row ^ bit))
        };
        (0..self.inputs).filter(depends).collect()
    }

    /// Returns this Boolean function without the inputs on which its value does not depend.
    #[must_use]
    pub fn drop_irrelevant_inputs(self) -> Self {
        let relevant_inputs = self.relevant_inputs();
        let row_of = |row: usize| {
            let bits = relevant_inputs.iter().rev().enumerate();
            bits.filter(|(at, _)| row >> at & 1 == 1)
                .fold(0, |sum, (_, index)| sum | self.bit(*index))
        };
        Self::from_row_values(relevant_inputs.len(), |row| self.value_at(row_of(row)))
    }

    /// Returns this function with the inputs in `mask` negated.
    pub(super) fn with_inputs_negated(self, mask: usize) -> Self {
        Self::from_row_values(self.inputs, |row| self.value_at(row ^ mask))
    }

    /// Returns the negated function.
    pub(super) fn negated(self) -> Self {
        Self::from_row_values(self.inputs, |row| !self.value_at(row))
    }

    /// Returns this function with one input fixed to a value. The result has as many inputs, but ignores this one.
    fn with_input_fixed(self, index: usize, value: bool) -> Self {
        let bit = self.bit(index);
        Self::from_row_values(self.inputs, |row| {
            self.value_at(if value { row | bit } else { row & !bit })
        })
    }

    /// Returns all functions that result from renaming inputs or negating inputs or the value. They all have the same
    /// query complexity.
    pub fn equivalent_functions(self) -> BTreeSet<Self> {
        let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..self.inputs {
            let longer = orders.iter().flat_map(|order| {
                let rest = (0..self.inputs).filter(|index| !order.contains(index));
                rest.map(|index| order.iter().copied().chain([index]).collect::<Vec<_>>())
            });
            orders = longer.collect();
        }
        let mut equivalent_functions = BTreeSet::new();
        for order in &orders {
            let renamed = |row: usize| {
                let indices = order.iter().enumerate();
                indices
                    .filter(|(at, _)| row & self.bit(*at) != 0)
                    .fold(0, |sum, (_, index)| sum | self.bit(*index))
            };
            for mask in 0..1_usize << self.inputs {
                let other =
                    Self::from_row_values(self.inputs, |row| self.value_at(renamed(row) ^ mask));
                equivalent_functions.extend([other, other.negated()]);
            }
        }
        equivalent_functions
    }

    /// Groups all functions of `inputs` inputs into classes that differ only by renaming or negation. The key of a
    /// class is its first function.
    fn classes(inputs: usize) -> BTreeMap<Self, BTreeSet<Self>> {
        let mut classes = BTreeMap::new();
        let mut rest: BTreeSet<Self> = Self::all_with_inputs(inputs).collect();
        while let Some(first) = rest.first().copied() {
            let class = first.equivalent_functions();
            rest.retain(|function| !class.contains(function));
            classes.insert(first, class);
        }
        classes
    }

    /// Returns a verifier that reads as few input bits as possible and no messages.
    fn input_only_verifier(self) -> VerifierDecisionTree {
        let mut best: Option<VerifierDecisionTree> = None;
        for index in self.relevant_inputs() {
            let [no, yes] = [false, true]
                .map(|value| self.with_input_fixed(index, value).input_only_verifier());
            let tree = VerifierDecisionTree::reading(VerifierReadableBit::Input(index), no, yes);
            if best
                .as_ref()
                .is_none_or(|best| tree.max_queries() < best.max_queries())
            {
                best = Some(tree);
            }
        }
        best.unwrap_or_else(|| VerifierDecisionTree::Says(self.value_at(0)))
    }
}

/// A bound on a function's query complexity, with its justification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcedComplexityBound {
    pub queries: usize,
    /// The justification of the bound.
    pub by: &'static str,
}

/// A lower and an upper bound on the query complexity of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComplexityBounds {
    pub lower: SourcedComplexityBound,
    pub upper: SourcedComplexityBound,
    /// A debate that decides the function with the number of queries of the upper bound.
    pub debate: QueryDebateDefinition,
}

impl ComplexityBounds {
    pub fn are_bounds_equal(&self) -> bool {
        self.lower.queries == self.upper.queries
    }
}

/// The functions that a verifier with at most two queries can decide, each with a debate of the fewest queries.
#[derive(Debug, Default)]
pub struct TwoQueryFunctions(BTreeMap<BooleanFunction, QueryDebateDefinition>);

impl TwoQueryFunctions {
    /// Tries every verifier of at most two queries, for functions of `input_count` inputs.
    pub fn search_all_verifiers(input_count: usize) -> Self {
        let variables: Vec<VerifierReadableBit> =
            VerifierReadableBit::input_and_message_bits(input_count, 2 * ROUNDS).collect();
        let mut debates: BTreeMap<BooleanFunction, QueryDebateDefinition> = BTreeMap::new();
        for verifier in VerifierDecisionTree::all_with_at_most_queries(&variables, 2) {
            let long = QueryDebateDefinition {
                inputs: input_count,
                rounds: ROUNDS,
                verifier,
            };
            // Rounds of which no bit is read make no difference (Lemma 3, which is tested separately).
            let debate = long.without_rounds_unread_by_verifier();
            let function = BooleanFunction {
                inputs: input_count,
                rows: debate.truth_table_of_decided_function(),
            };
            let fewer = |known: &QueryDebateDefinition| {
                let size =
                    |debate: &QueryDebateDefinition| (debate.verifier.max_queries(), debate.rounds);
                size(&debate) < size(known)
            };
            if debates.get(&function).is_none_or(fewer) {
                debates.insert(function, debate);
            }
        }
        Self(debates)
    }
}

/// Returns ⌈log2 n⌉, the number of bits needed to point to one of n objects.
fn pointer_bits(count: u64) -> u64 {
    u64::from(u64::BITS - count.saturating_sub(1).leading_zeros())
}

/// The functions of a given number of inputs that a verifier with few queries can decide, found by exhaustive search.
#[derive(Debug)]
pub enum FunctionsOfFewQueries {
    /// The search over verifiers of at most two queries, for functions of up to three inputs.
    Two(TwoQueryFunctions),
    /// The search over verifiers of three queries, for functions of four inputs.
    Three(FunctionsDecidedByThreeQueries),
}

impl FunctionsOfFewQueries {
    /// Tries every verifier with fewer queries than inputs; `input_count` is at most [`MAX_INPUTS`]. For at most two
    /// inputs, tries verifiers of at most two queries.
    pub fn from_exhaustive_search(input_count: usize) -> Self {
        if input_count < MAX_INPUTS {
            Self::Two(TwoQueryFunctions::search_all_verifiers(input_count))
        } else {
            Self::Three(
                FunctionsDecidedByThreeQueries::search_functions_of_three_queries(input_count),
            )
        }
    }

    /// Returns the debate that decides a function with the fewest queries, and the reason why fewer do not suffice. The
    /// function must depend on all its inputs. `None` if the search found no debate.
    fn debate(&self, function: BooleanFunction) -> Option<(QueryDebateDefinition, &'static str)> {
        match self {
            Self::Two(two) => {
                let debate = two.0.get(&function)?;
                Some((
                    debate.clone(),
                    "a search of all verifiers with fewer queries found none",
                ))
            }
            Self::Three(three) => Some((
                three.debate_deciding(function)?,
                "DQC Corollary 4: two queries read at most three different bits",
            )),
        }
    }
}

/// Computes bounds on the query complexity of a function that depends on all its inputs. `searched` is the search
/// result for this number of inputs.
pub fn complexity_bounds(
    function: BooleanFunction,
    searched: &FunctionsOfFewQueries,
) -> ComplexityBounds {
    if let Some((debate, by)) = searched.debate(function) {
        let queries = debate.verifier.max_queries();
        let end = |by| SourcedComplexityBound { queries, by };
        return ComplexityBounds {
            lower: end(by),
            upper: end("the verifier that the search found"),
            debate,
        };
    }
    let debate = QueryDebateDefinition {
        inputs: function.input_count(),
        rounds: 0,
        verifier: function.input_only_verifier(),
    };
    let end = |queries, by| SourcedComplexityBound { queries, by };
    ComplexityBounds {
        lower: match searched {
            FunctionsOfFewQueries::Two(_) => end(
                3,
                "no verifier with two queries decides this function (complete search)",
            ),
            FunctionsOfFewQueries::Three(_) => end(
                4,
                "no verifier with three queries decides this function (complete search)",
            ),
        },
        upper: end(debate.verifier.max_queries(), "reading the input"),
        debate,
    }
}

/// Computes bounds on the query complexity of any function, including one that ignores some inputs.
pub fn debate_query_complexity_bounds(function: BooleanFunction) -> ComplexityBounds {
    let drop_irrelevant_inputs = function.drop_irrelevant_inputs();
    if drop_irrelevant_inputs.input_count() > MAX_INPUTS {
        return FewQueriesSearchResults::new().complexity_bounds(drop_irrelevant_inputs);
    }
    complexity_bounds(
        drop_irrelevant_inputs,
        &FunctionsOfFewQueries::from_exhaustive_search(drop_irrelevant_inputs.input_count()),
    )
}
