//! A family of functions with enough inputs that DQC Corollary 7 is not vacuous: the value is 1 if the number of ones
//! among the inputs is divisible by four.

use serde::Serialize;

use debate_core::scenario::netlist::{Netlist, TwoInputGate, TwoInputTruthTable, Wire};

use super::pointer_bits;

/// The numbers of inputs for which a circuit is built.
const SIZES: [u32; 4] = [128, 256, 512, 1024];

/// One function of the family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "MemberReport")]
pub struct FunctionFamilyMemberReport {
    /// The number n of inputs, a power of two. Reading the whole input takes n queries.
    pub inputs: u32,
    /// The number of two-input gates in the circuit that was built: 3n − 3.
    pub gates: u32,
    /// The bound 8n on the number of gates. By DQC Corollary 7 as printed, a function that needs log2 n + 6 queries
    /// (`hard`) has at least 8n gates.
    pub limit: u32,
    /// The bound 4n on the number of gates, which follows from ⌈log2 m⌉ + 3 queries for every circuit of m gates. A
    /// function that needs log2 n + 6 queries (`hard`) has more than 4n gates.
    pub follows: u32,
    /// The number of bits that the verifier reads if the built circuit is cross-examined: ⌈log2 m⌉ + 3 for m gates.
    pub bits: u64,
    /// The number log2 n + 6 of queries. The bounds `limit` (8n) and `follows` (4n) are for functions that need this
    /// number.
    pub hard: u32,
}

/// Builds circuits for several functions of the family, and returns the figures of each.
pub fn reports_on_divisible_by_four_functions() -> Vec<FunctionFamilyMemberReport> {
    let member = |inputs: u32| {
        let gates = ones_count_divisible_by_four_circuit(inputs)?.gate_count();
        Some(FunctionFamilyMemberReport {
            inputs,
            gates,
            limit: 8 * inputs,
            follows: 4 * inputs,
            bits: pointer_bits(u64::from(gates)) + 3,
            hard: inputs.ilog2() + 6,
        })
    };
    SIZES.into_iter().filter_map(member).collect()
}

/// Builds a circuit that outputs 1 if the number of ones among its `n` inputs is divisible by four. `n` must be even
/// and at least 4. A chain of full adders reads two inputs per step. Its result is the parity of all inputs, which is
/// the lower bit of the remainder, and one carry per step, which counts for two. The parity of the carries is the upper
/// bit of the remainder. `None` if the circuit is too large.
pub fn ones_count_divisible_by_four_circuit(n: u32) -> Option<Netlist> {
    let mut circuit = Netlist::new(n);
    let mut gate = |table, a, b| circuit.push(TwoInputGate::new(table, a, b));
    let mut sum: Wire = 0;
    let mut carries = None;
    let mut first = 1;
    while first < n {
        let half = gate(TwoInputTruthTable::XOR, sum, first)?;
        let both = gate(TwoInputTruthTable::AND, sum, first)?;
        let mut carry = both;
        sum = half;
        if first + 1 < n {
            sum = gate(TwoInputTruthTable::XOR, half, first + 1)?;
            let passed = gate(TwoInputTruthTable::AND, half, first + 1)?;
            carry = gate(TwoInputTruthTable::OR, both, passed)?;
        }
        carries = Some(match carries {
            None => carry,
            Some(others) => gate(TwoInputTruthTable::XOR, others, carry)?,
        });
        first += 2;
    }
    let output = gate(TwoInputTruthTable::OR.negation(), sum, carries?)?;
    circuit.add_output(output).then_some(circuit)
}
