//! The remark of DQC §6 on inputs of a million bits: the bounds that the paper's theorems give for such functions.

use serde::Serialize;

use super::divisible_by_four;
use super::pointer_bits;

const INPUTS: u32 = 1_000_000;

/// Bounds on the number of queries for functions of a million inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MillionReport {
    /// n, the number of inputs.
    pub inputs: u32,
    /// ⌈log2 n⌉: a function that depends on all inputs needs this number of queries (DQC Corollary 4).
    pub lower: u64,
    /// ⌈log2(n − 1)⌉ + 3: the number of queries that decide the parity of all inputs, by the cross-examination of a
    /// circuit of n − 1 gates (DQC Theorem 6).
    pub parity: u64,
    /// The number of queries that decide divisibility by four of the number of ones, by the cross-examination of the
    /// circuit that was built. Null if it cannot be built.
    pub divisible_by_four: Option<u64>,
    /// The number of gates of that circuit.
    pub gates: Option<u32>,
    /// The number of queries by DQC Lemma 8 if the verifier of a debate has n² gates.
    pub square: u64,
}

impl MillionReport {
    /// Builds the circuit, and computes the bounds.
    pub fn new() -> Self {
        let inputs = u64::from(INPUTS);
        let bits = |gates: u64| pointer_bits(gates) + 3;
        let gates = divisible_by_four(INPUTS).map(|circuit| circuit.gate_count());
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

impl Default for MillionReport {
    fn default() -> Self {
        Self::new()
    }
}
