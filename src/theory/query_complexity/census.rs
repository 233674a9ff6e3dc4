//! A census: the query complexity of every function of a given number of inputs, up to renaming and negation.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bases::{QueryBoundByDepthReport, check_theorem_5};
use super::{
    BooleanFunction, FunctionComplexityReport, FunctionsOfFewQueries,
    VerifierLookupTableTestReport, complexity_bounds,
};

/// The query complexities of all functions of a given number of inputs.
pub(super) struct ComplexityCensus {
    pub inputs: usize,
    /// One function for each class of functions that depend on all inputs and differ only by renaming or negation, with
    /// the size of the class.
    pub classes: Vec<FunctionComplexityReport>,
    /// The query complexity of each function, indexed by its truth table.
    pub queries: Vec<usize>,
    /// The test of DQC Lemma 11 on one verifier for each class. Its counts are 0 if the functions have fewer than two
    /// inputs.
    pub lemma_11: VerifierLookupTableTestReport,
}

impl ComplexityCensus {
    /// Computes the query complexity of one function of each class. Renaming inputs, or negating inputs or the value,
    /// does not change it.
    pub fn compute_for_all_functions_of_inputs(inputs: usize) -> Self {
        let searched: Vec<FunctionsOfFewQueries> = (0..=inputs)
            .map(FunctionsOfFewQueries::from_exhaustive_search)
            .collect();
        let mut census = Self {
            inputs,
            classes: Vec::new(),
            queries: vec![0; 1 << (1 << inputs)],
            lemma_11: VerifierLookupTableTestReport::default(),
        };
        for (first, class) in BooleanFunction::classes(inputs) {
            let drop_irrelevant_inputs = first.drop_irrelevant_inputs();
            let bounds = complexity_bounds(
                drop_irrelevant_inputs,
                &searched[drop_irrelevant_inputs.input_count()],
            );
            for function in &class {
                census.queries[function.true_rows_bitmask() as usize] = bounds.upper.queries;
            }
            if drop_irrelevant_inputs.input_count() == inputs {
                let report = FunctionComplexityReport::new(first, Some(class.len()), &bounds);
                census.classes.push(report);
                if inputs >= 2 {
                    census.lemma_11.test_verifier_table(&bounds.debate);
                }
            }
        }
        census
    }
}

/// A report on all functions that depend on a given number of inputs: their query complexities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "CensusReport")]
pub struct FunctionsByQueryComplexityReport {
    /// The number of inputs on which each function of the report depends.
    pub inputs: usize,
    /// The number of functions.
    pub total: usize,
    /// The number of functions for each query complexity, in increasing order.
    pub counts: Vec<ComplexityCountReport>,
    /// One function of each class. Functions are in the same class if they differ only by renaming inputs or negating
    /// inputs or the value.
    pub functions: Vec<FunctionComplexityReport>,
    /// The test of DQC Theorem 5 for several sets of gates, on functions of up to this number of inputs.
    pub theorem_5: Vec<QueryBoundByDepthReport>,
    /// The test of DQC Lemma 11 on one verifier for each class. Its counts are 0 for fewer than two inputs.
    pub lemma_11: VerifierLookupTableTestReport,
}

/// The numbers of functions and of classes in the census that have a given query complexity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "CountReport")]
pub struct ComplexityCountReport {
    pub queries: usize,
    pub classes: usize,
    pub functions: usize,
}

impl FunctionsByQueryComplexityReport {
    /// Computes the report on functions of `inputs` inputs, at most [`super::MAX_INPUTS`]. Takes a second or two.
    pub fn compute_for_all_functions_of_inputs(inputs: usize) -> Self {
        let census = ComplexityCensus::compute_for_all_functions_of_inputs(inputs);
        let mut counts: BTreeMap<usize, ComplexityCountReport> = BTreeMap::new();
        for class in &census.classes {
            let count = counts.entry(class.upper).or_default();
            count.queries = class.upper;
            count.classes += 1;
            count.functions += class.class_size.unwrap_or(0);
        }
        let counts: Vec<ComplexityCountReport> = counts.into_values().collect();
        Self {
            inputs,
            total: counts.iter().map(|count| count.functions).sum(),
            counts,
            theorem_5: check_theorem_5(&census),
            lemma_11: census.lemma_11,
            functions: census.classes,
        }
    }
}
