//! The remark of DQC §6 on inputs of a million bits: computes the bounds on queries that the paper's theorems give.

use serde::Serialize;

use super::ones_count_divisible_by_four_circuit;
use super::pointer_bits;

const INPUTS: u32 = 1_000_000;

/// Bounds on the number of queries for functions of n = 1,000,000 inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "MillionReport")]
pub struct MillionInputQueryBounds {
    /// n, the number of inputs.
    pub inputs: u32,
    /// The lower bound ⌈log2 n⌉ for a function that depends on all n inputs (DQC Corollary 4).
    pub lower: u64,
    /// The number of queries that suffice for the parity of all n inputs: ⌈log2(n − 1)⌉ + 3, by cross-examination of a
    /// circuit of n − 1 gates (DQC Theorem 6).
    pub parity: u64,
    /// The number of queries that suffice to decide if the number of ones is divisible by four, by cross-examination of
    /// the built circuit. Null if it cannot be built.
    pub divisible_by_four: Option<u64>,
    /// The number of gates in the built circuit for divisibility by four.
    pub gates: Option<u32>,
    /// The number of queries that suffice by DQC Lemma 8, if the verifier of a debate is a circuit of n² gates.
    pub square: u64,
}

impl MillionInputQueryBounds {
    /// Builds the circuit for divisibility by four, and computes the bounds.
    pub fn new() -> Self {
        let inputs = u64::from(INPUTS);
        let bits = |gates: u64| pointer_bits(gates) + 3;
        let gates =
            ones_count_divisible_by_four_circuit(INPUTS).map(|circuit| circuit.gate_count());
        Self {
            inputs: INPUTS,
            lower: pointer_bits(inputs),
            parity: bits(inputs - 1),
            divisible_by_four: gates.map(|gates| bits(gates.into())),
            gates,
            square: bits(inputs * inputs),
        }
    }
}

impl Default for MillionInputQueryBounds {
    fn default() -> Self {
        Self::new()
    }
}
