//! DQC Theorem 5 for other gates than AND, OR and NOT of two inputs: the functions whose query complexity exceeds the
//! bound that the theorem gives for their circuit depth.

use serde::Serialize;

use super::{BooleanFunction, Census, MAX_INPUTS};

/// The rows at which a wire is 1, as bits.
type Rows = u32;

/// The gates of a basis. Negations and constants are free in every basis, as in the paper's proof, where a prover may
/// claim that a wire is 0 or 1.
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
        gates: "choice of three (a ? b : c)",
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

/// The depth from which the theorem's bound is at least four, the number of queries that read all inputs.
const DEPTHS: usize = MAX_INPUTS - 1;

/// The test of DQC Theorem 5 for one basis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BasisReport {
    /// The basis's gates, except for negations and constants, which are free.
    pub gates: &'static str,
    /// The number of functions with at most the given number of inputs, as tables of that many inputs, that
    /// need more queries than depth + 1.
    pub failures: usize,
    /// The smallest of these functions, by the number of inputs that it depends on and its table; null if
    /// there is none.
    pub smallest: Option<FailureReport>,
}

/// A function for which the theorem fails over a basis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailureReport {
    /// Its truth table; the first value is for all inputs 0.
    pub table: String,
    pub depends_on: usize,
    /// The least depth of a circuit over the basis.
    pub depth: usize,
    /// The function's query complexity, which is more than depth + 1.
    pub queries: usize,
}

impl Basis {
    /// Returns the functions that circuits of each depth below [`DEPTHS`] compute. Each level includes the
    /// shallower ones.
    fn levels(&self, inputs: usize) -> Vec<Vec<Rows>> {
        let all = BooleanFunction::from_values(inputs, |_| true).true_rows();
        let input =
            |index| BooleanFunction::from_values(inputs, |row| row >> index & 1 == 1).true_rows();
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

    fn report(&self, census: &Census) -> BasisReport {
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
                Some((function.on_relevant_inputs(), depth?, *queries))
            })
            .filter(|(_, depth, queries)| *queries > depth + 1)
            .collect();
        let smallest = failures.iter().min_by_key(|(function, ..)| *function);
        BasisReport {
            gates: self.gates,
            failures: failures.len(),
            smallest: smallest.map(|(function, depth, queries)| FailureReport {
                table: function.to_string(),
                depends_on: function.input_count(),
                depth: *depth,
                queries: *queries,
            }),
        }
    }
}

/// Checks the theorem for each basis and all functions of at most the census's number of inputs.
pub(super) fn theorem_5(census: &Census) -> Vec<BasisReport> {
    BASES.iter().map(|basis| basis.report(census)).collect()
}
