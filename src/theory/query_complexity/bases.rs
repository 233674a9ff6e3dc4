//! DQC Theorem 5 for circuits of several sets of gates: AND, OR and NOT, and others. Finds functions that need more
//! queries than the theorem's bound for their circuit depth.

use serde::Serialize;

use super::{BooleanFunction, ComplexityCensus, MAX_INPUTS};

/// The set of truth-table rows in which a wire is 1, as bits of a number.
type Rows = u32;

/// The gates from which circuits are built. Negations and constants are free, as in the paper's proof, where a prover
/// may claim that a wire is 0 or 1.
struct Basis {
    gates: &'static str,
    two: &'static [fn(Rows, Rows) -> Rows],
    three: &'static [fn(Rows, Rows, Rows) -> Rows],
}

const BASES: [Basis; 6] = [
    Basis {
        gates: "and, or",
        two: &[|a, b| a & b],
        three: &[],
    },
    Basis {
        gates: "and, or, xor",
        two: &[|a, b| a & b, |a, b| a ^ b],
        three: &[],
    },
    Basis {
        gates: "xor",
        two: &[|a, b| a ^ b],
        three: &[],
    },
    Basis {
        gates: "choice between two inputs by a third (a ? b : c)",
        two: &[],
        three: &[|a, b, c| a & b | !a & c],
    },
    Basis {
        gates: "majority of three",
        two: &[],
        three: &[|a, b, c| a & b | a & c | b & c],
    },
    Basis {
        gates: "and, or of three",
        two: &[],
        three: &[|a, b, c| a & b & c],
    },
];

/// The least circuit depth at which DQC Theorem 5 cannot fail. There its bound, depth + 1 queries, is at least four,
/// and four queries can read all inputs.
const DEPTHS: usize = MAX_INPUTS - 1;

/// The results of the test of DQC Theorem 5 for one set of gates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "BasisReport")]
pub struct QueryBoundByDepthReport {
    /// The names of the gates, except negations and constants, which are free.
    pub gates: &'static str,
    /// The number of functions for which the theorem fails: those that need more than depth + 1 queries. Functions of
    /// up to the given number of inputs are counted as truth tables of exactly this number.
    pub failures: usize,
    /// The smallest function for which the theorem fails, first by the number of inputs on which it depends, then by
    /// its table. Null if there is none.
    pub smallest: Option<DepthBoundCounterexample>,
}

/// A function that needs more queries than the depth + 1 of DQC Theorem 5, for circuits of the tested set of gates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "FailureReport")]
pub struct DepthBoundCounterexample {
    /// The function's truth table. Its first value is for all inputs 0.
    pub table: String,
    pub depends_on: usize,
    /// The least depth of a circuit of these gates for the function.
    pub depth: usize,
    /// The query complexity of the function, which is more than depth + 1.
    pub queries: usize,
}

impl Basis {
    /// Returns, for each circuit depth below [`DEPTHS`], the functions that circuits of up to this depth compute.
    fn levels(&self, inputs: usize) -> Vec<Vec<Rows>> {
        let all = BooleanFunction::from_row_values(inputs, |_| true).true_rows_bitmask();
        let input = |index| {
            BooleanFunction::from_row_values(inputs, |row| row >> index & 1 == 1)
                .true_rows_bitmask()
        };
        let mut known: Vec<Rows> = [0, all]
            .into_iter()
            .chain((0..inputs).flat_map(|index| [input(index), all ^ input(index)]))
            .collect();
        let mut levels = vec![known.clone()];
        while levels.len() < DEPTHS {
            let mut reached = vec![false; 1 << (1 << inputs)];
            let mut reach = |rows: Rows| {
                for rows in [rows & all, !rows & all] {
                    reached[rows as usize] = true;
                }
            };
            for rows in &known {
                reach(*rows);
            }
            for (a, b) in known
                .iter()
                .flat_map(|a| known.iter().map(move |b| (*a, *b)))
            {
                for gate in self.two {
                    reach(gate(a, b));
                }
                for gate in self.three {
                    for c in &known {
                        reach(gate(a, b, *c));
                    }
                }
            }
            let numbered = (0..).zip(&reached).filter(|(_, is)| **is);
            known = numbered.map(|(rows, _)| rows).collect();
            levels.push(known.clone());
        }
        levels
    }

    fn report(&self, census: &ComplexityCensus) -> QueryBoundByDepthReport {
        let mut depths: Vec<Option<usize>> = vec![None; census.queries.len()];
        for (depth, level) in self.levels(census.inputs).iter().enumerate() {
            for rows in level {
                depths[*rows as usize].get_or_insert(depth);
            }
        }
        let each = BooleanFunction::all_with_inputs(census.inputs)
            .zip(depths)
            .zip(&census.queries);
        let failures: Vec<(BooleanFunction, usize, usize)> = each
            .filter_map(|((function, depth), queries)| {
                Some((function.drop_irrelevant_inputs(), depth?, *queries))
            })
            .filter(|(_, depth, queries)| *queries > depth + 1)
            .collect();
        let smallest = failures.iter().min_by_key(|(function, ..)| *function);
        QueryBoundByDepthReport {
            gates: self.gates,
            failures: failures.len(),
            smallest: smallest.map(|(function, depth, queries)| DepthBoundCounterexample {
                table: function.to_string(),
                depends_on: function.input_count(),
                depth: *depth,
                queries: *queries,
            }),
        }
    }
}

/// Checks DQC Theorem 5 for several sets of gates, on all functions in `census` (the query complexities of all
/// functions of a given number of inputs).
pub(super) fn check_theorem_5(census: &ComplexityCensus) -> Vec<QueryBoundByDepthReport> {
    BASES.iter().map(|basis| basis.report(census)).collect()
}
