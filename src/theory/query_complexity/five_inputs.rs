//! Bounds on the query complexity of functions that depend on five inputs.
//!
//! The lower bound is exact up to three queries: all verifiers of three queries are tried. For the upper bound, some
//! verifiers of four queries are tried. Such a verifier reads an input first, or a message that one prover writes
//! first. Then it continues with one of two debates of three queries. If Prover 0 writes the first message, the debate
//! decides g AND h, because this prover chooses the debate whose value is 0. If Prover 1 writes it, the debate decides
//! g OR h.

use std::collections::HashSet;

use super::verifier::{QueryDebateDefinition, VerifierDecisionTree, VerifierReadableBit};
use super::{
    BooleanFunction, ComplexityBounds, FunctionsDecidedByThreeQueries, FunctionsOfFewQueries,
    MAX_INPUTS, MAX_TABLE_INPUTS, SourcedComplexityBound, complexity_bounds,
};

/// The results of two exhaustive searches: for functions of at most four inputs, and for verifiers of three queries on
/// five inputs.
pub struct FewQueriesSearchResults {
    /// For each number of inputs from 0 to 4, the functions of that number of inputs that verifiers with few
    /// queries decide.
    fewer: Vec<FunctionsOfFewQueries>,
    three: FunctionsDecidedByThreeQueries,
    /// The truth tables of all functions of five inputs that three queries decide, including those that ignore some
    /// inputs. The set is closed under negation.
    decided_by_three: Vec<u32>,
}

impl Default for FewQueriesSearchResults {
    fn default() -> Self {
        Self::new()
    }
}

impl FewQueriesSearchResults {
    /// Runs the searches.
    pub fn new() -> Self {
        let fewer: Vec<FunctionsOfFewQueries> = (0..=MAX_INPUTS)
            .map(FunctionsOfFewQueries::from_exhaustive_search)
            .collect();
        let three =
            FunctionsDecidedByThreeQueries::search_functions_of_three_queries(MAX_TABLE_INPUTS);
        let mut decided: HashSet<u32> = three
            .decided_functions()
            .map(BooleanFunction::true_rows_bitmask)
            .collect();
        if let Some(FunctionsOfFewQueries::Three(four)) = fewer.last() {
            for function in four.decided_functions() {
                decided.extend((0..MAX_TABLE_INPUTS).map(|unused| with_input(function, unused)));
            }
        }
        let mut decided_by_three: Vec<u32> = decided.into_iter().collect();
        // Larger sets first: they cover more, and the result does not depend on the order of a hash table.
        decided_by_three.sort_unstable_by_key(|rows| (32 - rows.count_ones(), *rows));
        Self {
            fewer,
            three,
            decided_by_three,
        }
    }

    /// Returns the functions that depend on all five inputs and that three queries decide.
    pub fn five_input_functions_decided_by_three_queries(
        &self,
    ) -> impl Iterator<Item = BooleanFunction> {
        self.three.decided_functions()
    }

    /// Computes bounds on the query complexity of a function that depends on all five inputs.
    pub fn complexity_bounds(&self, function: BooleanFunction) -> ComplexityBounds {
        let bound = |queries, by| SourcedComplexityBound { queries, by };
        if let Some(debate) = self.three.debate_deciding(function) {
            return ComplexityBounds {
                lower: bound(
                    3,
                    "DQC Corollary 4: two queries read at most three different bits",
                ),
                upper: bound(3, "the verifier that the search found"),
                debate,
            };
        }
        let lower = bound(4, "a search of all verifiers with three queries found none");
        let by_input = || {
            let debate = self.after_an_input(function)?;
            Some((
                debate,
                "a query of one input, then a debate of three queries",
            ))
        };
        let by_message = || {
            let debate = self.after_a_message(function)?;
            Some((
                debate,
                "a message that chooses one of two debates of three queries",
            ))
        };
        if let Some((debate, by)) = by_input().or_else(by_message) {
            return ComplexityBounds {
                lower,
                upper: bound(4, by),
                debate,
            };
        }
        let debate = QueryDebateDefinition {
            inputs: function.input_count(),
            rounds: 0,
            verifier: function.input_only_verifier(),
        };
        ComplexityBounds {
            lower,
            upper: bound(debate.verifier.max_queries(), "reading the input"),
            debate,
        }
    }

    /// Returns a debate with four queries that decides the function and first reads an input bit; `None` if there is
    /// none.
    fn after_an_input(&self, function: BooleanFunction) -> Option<QueryDebateDefinition> {
        (0..function.input_count()).find_map(|index| {
            let [no, yes] = [false, true]
                .map(|value| self.debate_of_three(function.with_input_fixed(index, value)));
            Some(joined(VerifierReadableBit::Input(index), 0, &no?, &yes?))
        })
    }

    /// Returns a debate with four queries that decides the function and first reads a message, which one prover writes
    /// before all other messages; `None` if there is none.
    fn after_a_message(&self, function: BooleanFunction) -> Option<QueryDebateDefinition> {
        let debate = |rows: u32| {
            let function = BooleanFunction::new(MAX_TABLE_INPUTS, rows)?;
            self.debate_of_three(function)
        };
        // The ones of g OR h are the union of two sets of ones; the zeros of g AND h are the union of two sets of
        // zeros.
        if let Some([first, second]) = self.cover(function.true_rows_bitmask()) {
            return Some(joined(
                VerifierReadableBit::Message(1),
                1,
                &debate(first)?,
                &debate(second)?,
            ));
        }
        let [first, second] = self.cover(!function.true_rows_bitmask())?;
        Some(joined(
            VerifierReadableBit::Message(0),
            1,
            &debate(!first)?,
            &debate(!second)?,
        ))
    }

    /// Returns two sets of truth-table rows whose union is `target`, each of which three queries decide; `None` if
    /// there are none.
    fn cover(&self, target: u32) -> Option<[u32; 2]> {
        let mut largest: Vec<u32> = Vec::new();
        for rows in &self.decided_by_three {
            let inside = rows & !target == 0 && *rows != target;
            if inside && !largest.iter().any(|known| rows & !known == 0) {
                largest.push(*rows);
            }
        }
        largest.iter().enumerate().find_map(|(index, first)| {
            let mut rest = largest.iter().skip(index + 1);
            let second = rest.find(|second| first | *second == target)?;
            Some([*first, *second])
        })
    }

    /// Returns a debate with at most three queries for a function of five inputs, which may ignore some inputs; `None`
    /// if there is none.
    fn debate_of_three(&self, function: BooleanFunction) -> Option<QueryDebateDefinition> {
        let relevant = function.relevant_inputs();
        let debate = if relevant.len() == MAX_TABLE_INPUTS {
            self.three.debate_deciding(function)?
        } else {
            complexity_bounds(
                function.drop_irrelevant_inputs(),
                self.fewer.get(relevant.len())?,
            )
            .debate
        };
        let name = |variable| match variable {
            VerifierReadableBit::Input(index) => VerifierReadableBit::Input(relevant[index]),
            message @ VerifierReadableBit::Message(_) => message,
        };
        (debate.verifier.max_queries() <= 3).then(|| QueryDebateDefinition {
            inputs: MAX_TABLE_INPUTS,
            rounds: debate.rounds,
            verifier: debate.verifier.with_bits_renamed(&name),
        })
    }
}

/// Returns the truth table of the function of five inputs that ignores the input `unused` and equals `function` on the
/// others.
fn with_input(function: BooleanFunction, unused: usize) -> u32 {
    let below = MAX_TABLE_INPUTS - 1 - unused;
    let row_of = |row: usize| (row >> (below + 1)) << below | row & ((1 << below) - 1);
    BooleanFunction::from_row_values(MAX_TABLE_INPUTS, |row| function.value_at(row_of(row)))
        .true_rows_bitmask()
}

/// Returns a debate whose verifier reads `first` and then continues with one of two debates. Both debates share the
/// messages after round `before`. Both provers know which of them continues.
fn joined(
    first: VerifierReadableBit,
    before: usize,
    no: &QueryDebateDefinition,
    yes: &QueryDebateDefinition,
) -> QueryDebateDefinition {
    let later = |tree: &VerifierDecisionTree| {
        tree.with_bits_renamed(&|variable| match variable {
            VerifierReadableBit::Message(index) => VerifierReadableBit::Message(index + 2 * before),
            input @ VerifierReadableBit::Input(_) => input,
        })
    };
    QueryDebateDefinition {
        inputs: no.inputs,
        rounds: before + no.rounds.max(yes.rounds),
        verifier: VerifierDecisionTree::reading(first, later(&no.verifier), later(&yes.verifier)),
    }
}
