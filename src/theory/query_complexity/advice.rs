//! DQC Lemma 11: writes a verifier as a look-up table, which can be given as advice. The table maps the bits read so
//! far to the next location to read, and all bits read to the output.

use serde::Serialize;

use super::verifier::{QueryDebateDefinition, VerifierDecisionTree, VerifierReadableBit};

/// A verifier with a fixed number of queries as a look-up table. After the answers b1 … bt (the bits read so far), its
/// row has the index 2^t − 1 plus the binary number b1 … bt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierLookupTable {
    queries: usize,
    inputs: usize,
    /// The location that the verifier reads next, by row. Input bits come first, then messages.
    locations: Vec<usize>,
    outputs: Vec<bool>,
}

impl VerifierLookupTable {
    /// Writes a debate's verifier as a look-up table. On a path that is shorter than the longest, the table reads
    /// location 0 for each missing query and ignores its bit.
    pub fn lookup_table_of_debate_verifier(debate: &QueryDebateDefinition) -> Self {
        let queries = debate.verifier.max_queries();
        let mut table = Self {
            queries,
            inputs: debate.inputs,
            locations: vec![0; (1 << queries) - 1],
            outputs: vec![false; 1 << queries],
        };
        table.fill(&debate.verifier, 0, 0);
        table
    }

    /// Fills in the rows of the verifier's look-up table for all answers that begin with the `length` binary digits of
    /// `answers`.
    fn fill(&mut self, tree: &VerifierDecisionTree, length: usize, answers: usize) {
        if length == self.queries {
            self.outputs[answers] = *tree == VerifierDecisionTree::Says(true);
            return;
        }
        let [no, yes] = match tree {
            VerifierDecisionTree::Says(_) => [tree, tree],
            VerifierDecisionTree::Reads(variable, then) => {
                self.locations[(1 << length) - 1 + answers] = match variable {
                    VerifierReadableBit::Input(index) => *index,
                    VerifierReadableBit::Message(index) => self.inputs + index,
                };
                [&then[0], &then[1]]
            }
        };
        self.fill(no, length + 1, 2 * answers);
        self.fill(yes, length + 1, 2 * answers + 1);
    }

    /// Returns the verifier's output, looking up one row per query. `bits` are the input bits, then the messages.
    pub fn verifier_output(&self, bits: &[bool]) -> bool {
        let mut answers = 0;
        for length in 0..self.queries {
            let location = self.locations[(1 << length) - 1 + answers];
            answers = 2 * answers + usize::from(bits[location]);
        }
        self.outputs[answers]
    }

    /// Returns the number of rows.
    pub fn row_count(&self) -> usize {
        self.locations.len() + self.outputs.len()
    }

    /// Returns the number of bits of one row of the look-up table. A row holds the output, or the location of the bit
    /// that the verifier reads next.
    pub fn bits_per_lookup_row(&self) -> u32 {
        let last = self.locations.iter().max().copied().unwrap_or(0);
        (usize::BITS - last.leading_zeros()).max(1)
    }
}

/// The results of the test of DQC Lemma 11, in which verifiers are written as look-up tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "AdviceReport"))]
#[serde(rename = "VerifierTableTestReport")]
pub struct VerifierLookupTableTestReport {
    /// The number of verifiers that were tested: one for each class of functions that depend on at least two inputs.
    pub tables: usize,
    /// The number of look-up tables whose output differs from their verifier's for some input and transcript.
    pub failures: usize,
    /// The number of look-up tables that are larger than the lemma's proof allows: n·2^ℓ rows of 2ℓ bits, for ℓ queries
    /// and n inputs. In the proof, these are n^(a+1) rows of 2a·log2 n bits, where ℓ = a·log2 n.
    pub too_large: usize,
    /// The number of rows of the largest look-up table.
    pub most_rows: usize,
    /// The number of bits of the longest row of a look-up table.
    pub most_bits_per_row: u32,
}

impl VerifierLookupTableTestReport {
    pub(super) fn merge(&mut self, other: &Self) {
        self.tables += other.tables;
        self.failures += other.failures;
        self.too_large += other.too_large;
        self.most_rows = self.most_rows.max(other.most_rows);
        self.most_bits_per_row = self.most_bits_per_row.max(other.most_bits_per_row);
    }

    /// Writes a debate's verifier as a look-up table, and compares their outputs for every input and transcript.
    pub(super) fn test_verifier_table(&mut self, debate: &QueryDebateDefinition) {
        let table = VerifierLookupTable::lookup_table_of_debate_verifier(debate);
        let queries = debate.verifier.max_queries();
        self.tables += 1;
        self.failures += usize::from(!agrees(&table, debate));
        let fits = table.row_count() <= debate.inputs << queries
            && table.bits_per_lookup_row() as usize <= 2 * queries;
        self.too_large += usize::from(!fits);
        self.most_rows = self.most_rows.max(table.row_count());
        self.most_bits_per_row = self.most_bits_per_row.max(table.bits_per_lookup_row());
    }
}

/// True if a look-up table has the same output as the debate's verifier, for every input and transcript.
fn agrees(table: &VerifierLookupTable, debate: &QueryDebateDefinition) -> bool {
    let length = debate.inputs + 2 * debate.rounds;
    (0..1_usize << length).all(|number| {
        let bits: Vec<bool> = (0..length).map(|at| number >> at & 1 == 1).collect();
        let output = debate.verifier.output(&|variable| match variable {
            VerifierReadableBit::Input(index) => bits[index],
            VerifierReadableBit::Message(index) => bits[debate.inputs + index],
        });
        table.verifier_output(&bits) == output
    })
}
