//! The query complexity of every function with a given number of inputs, up to symmetry.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bases::{BasisReport, theorem_5};
use super::{AdviceReport, BooleanFunction, FunctionReport, SearchedVerifiers, complexity_bounds};

/// The query complexities of all functions with a given number of inputs.
pub(super) struct Census {
    pub inputs: usize,
    /// The first function of each class of functions that depend on all inputs, with the size of its class.
    pub classes: Vec<FunctionReport>,
    /// The query complexity of each function, by its rows.
    pub queries: Vec<usize>,
    /// The verifiers of these classes as tables, if the functions have at least two inputs.
    pub lemma_11: AdviceReport,
}

impl Census {
    /// Evaluates one function of each class. Renaming and negating inputs, and negating the value, does not
    /// change a verifier's queries.
    pub fn of(inputs: usize) -> Self {
        let searched: Vec<SearchedVerifiers> = (0..=inputs).map(SearchedVerifiers::of).collect();
        let mut census = Self {
            inputs,
            classes: Vec::new(),
            queries: vec![0; 1 << (1 << inputs)],
            lemma_11: AdviceReport::default(),
        };
        for (first, class) in BooleanFunction::classes(inputs) {
            let on_relevant_inputs = first.on_relevant_inputs();
            let bounds = complexity_bounds(
                on_relevant_inputs,
                &searched[on_relevant_inputs.input_count()],
            );
            for function in &class {
                census.queries[function.true_rows() as usize] = bounds.upper.queries;
            }
            if on_relevant_inputs.input_count() == inputs {
                let report = FunctionReport::new(first, Some(class.len()), &bounds);
                census.classes.push(report);
                if inputs >= 2 {
                    census.lemma_11.add(&bounds.debate);
                }
            }
        }
        census
    }
}

/// All functions that depend on a given number of inputs, by query complexity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CensusReport {
    /// The number of inputs that each function of the census depends on.
    pub inputs: usize,
    /// The number of functions.
    pub total: usize,
    /// The numbers of functions by query complexity, in increasing order.
    pub counts: Vec<CountReport>,
    /// The first function of each class. A class is closed under renaming and negating inputs, and under
    /// negating the value.
    pub functions: Vec<FunctionReport>,
    /// DQC Theorem 5 over several bases, for functions of up to this number of inputs.
    pub theorem_5: Vec<BasisReport>,
    /// DQC Lemma 11: the verifiers of these classes as tables. Empty for fewer than two inputs.
    pub lemma_11: AdviceReport,
}

/// The functions of one query complexity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CountReport {
    pub queries: usize,
    pub classes: usize,
    pub functions: usize,
}

impl CensusReport {
    /// Reports on functions of `inputs` inputs, at most [`super::MAX_INPUTS`]; takes a second or two.
    pub fn of(inputs: usize) -> Self {
        let census = Census::of(inputs);
        let mut counts: BTreeMap<usize, CountReport> = BTreeMap::new();
        for class in &census.classes {
            let count = counts.entry(class.upper).or_default();
            count.queries = class.upper;
            count.classes += 1;
            count.functions += class.class_size.unwrap_or(0);
        }
        let counts: Vec<CountReport> = counts.into_values().collect();
        Self {
            inputs,
            total: counts.iter().map(|count| count.functions).sum(),
            counts,
            theorem_5: theorem_5(&census),
            lemma_11: census.lemma_11,
            functions: census.classes,
        }
    }
}
