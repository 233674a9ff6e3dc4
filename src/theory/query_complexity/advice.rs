//! DQC Lemma 11: a verifier as a look-up table, which is given as advice. The table maps each string of answers to the
//! next location, and each complete string to the output.

use serde::Serialize;

use super::verifier::{DecisionTree, QueryDebate, Variable};

/// A verifier of a fixed number of queries as a table. The row of the answers b1 … bt is at index 2^t − 1 plus the
/// number with the binary digits b1 … bt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdviceTable {
    queries: usize,
    inputs: usize,
    /// The location to read: first the input bits, then the messages.
    locations: Vec<usize>,
    outputs: Vec<bool>,
}

impl AdviceTable {
    /// Writes the table of a debate's verifier. If a path of the verifier is shorter than others, the table reads the
    /// first location again.
    pub fn of(debate: &QueryDebate) -> Self {
        let queries = debate.verifier.queries();
        let mut table = Self {
            queries,
            inputs: debate.inputs,
            locations: vec![0; (1 << queries) - 1],
            outputs: vec![false; 1 << queries],
        };
        table.fill(&debate.verifier, 0, 0);
        table
    }

    /// Fills in the rows of all strings of answers that begin with the first `length` binary digits `answers`.
    fn fill(&mut self, tree: &DecisionTree, length: usize, answers: usize) {
        if length == self.queries {
            self.outputs[answers] = *tree == DecisionTree::Says(true);
            return;
        }
        let [no, yes] = match tree {
            DecisionTree::Says(_) => [tree, tree],
            DecisionTree::Reads(variable, then) => {
                self.locations[(1 << length) - 1 + answers] = match variable {
                    Variable::Input(index) => *index,
                    Variable::Message(index) => self.inputs + index,
                };
                [&then[0], &then[1]]
            }
        };
        self.fill(no, length + 1, 2 * answers);
        self.fill(yes, length + 1, 2 * answers + 1);
    }

    /// Returns the output by looking up one row per query; `bits` are the input followed by the messages.
    pub fn output(&self, bits: &[bool]) -> bool {
        let mut answers = 0;
        for length in 0..self.queries {
            let location = self.locations[(1 << length) - 1 + answers];
            answers = 2 * answers + usize::from(bits[location]);
        }
        self.outputs[answers]
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.locations.len() + self.outputs.len()
    }

    /// Returns the number of bits of a row, which contains a location or an output.
    pub fn bits_per_row(&self) -> u32 {
        let last = self.locations.iter().max().copied().unwrap_or(0);
        (usize::BITS - last.leading_zeros()).max(1)
    }
}

/// The test of DQC Lemma 11: the verifiers of debates, written as tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AdviceReport {
    /// The number of verifiers: one for each class of functions that depend on at least two inputs.
    pub tables: usize,
    /// The number of tables whose output differs from that of the verifier for some input and some transcript.
    pub failures: usize,
    /// The number of tables with more than n·2^ℓ rows, or with rows of more than 2ℓ bits, for ℓ queries and n inputs.
    /// The lemma's proof allows this size, as n^(a+1) rows of 2a·log2 n bits with ℓ = a·log2 n.
    pub too_large: usize,
    /// The number of rows of the largest table.
    pub most_rows: usize,
    /// The number of bits of the longest row.
    pub most_bits_per_row: u32,
}

impl AdviceReport {
    pub(super) fn merge(&mut self, other: &Self) {
        self.tables += other.tables;
        self.failures += other.failures;
        self.too_large += other.too_large;
        self.most_rows = self.most_rows.max(other.most_rows);
        self.most_bits_per_row = self.most_bits_per_row.max(other.most_bits_per_row);
    }

    /// Writes the verifier of a debate as a table, and compares both for every input and transcript.
    pub(super) fn add(&mut self, debate: &QueryDebate) {
        let table = AdviceTable::of(debate);
        let queries = debate.verifier.queries();
        self.tables += 1;
        self.failures += usize::from(!agrees(&table, debate));
        let fits = table.rows() <= debate.inputs << queries
            && table.bits_per_row() as usize <= 2 * queries;
        self.too_large += usize::from(!fits);
        self.most_rows = self.most_rows.max(table.rows());
        self.most_bits_per_row = self.most_bits_per_row.max(table.bits_per_row());
    }
}

/// True if the table and the verifier have the same output for every input and transcript.
fn agrees(table: &AdviceTable, debate: &QueryDebate) -> bool {
    let length = debate.inputs + 2 * debate.rounds;
    (0..1_usize << length).all(|number| {
        let bits: Vec<bool> = (0..length).map(|at| number >> at & 1 == 1).collect();
        let output = debate.verifier.output(&|variable| match variable {
            Variable::Input(index) => bits[index],
            Variable::Message(index) => bits[debate.inputs + index],
        });
        table.output(&bits) == output
    })
}
