//! Small computations, written out.

use std::collections::BTreeMap;
use std::sync::Arc;

use debate_core::protocol::BitString;
use debate_core::scenario::netlist::{Netlist, TwoInputGate, TwoInputTruthTable};
use debate_core::scenario::{
    BitSource, CircuitWithInput, ClaimKey, Computation, RequiredStepOutput,
};

/// The operation of a step on the bits that it reads.
#[derive(Clone, Debug)]
pub enum Does {
    /// A lookup table; the first bit is the most significant.
    Table(Vec<bool>),
    /// A query of the oracle about the bits.
    Oracle,
}

/// A program of table and oracle steps.
#[derive(Clone, Debug)]
pub struct Program {
    pub steps: Vec<(Vec<BitSource>, Does)>,
    pub input: BitString,
    pub oracle: BTreeMap<String, bool>,
    pub witness: BitString,
}

impl Computation for Program {
    fn steps(&self) -> u64 {
        self.steps.len() as u64
    }

    fn input(&self, place: u64) -> bool {
        self.input.bit_at(place).expect("an input")
    }

    fn witness_length(&self) -> u64 {
        self.witness.len() as u64
    }

    fn witness(&self) -> BitString {
        self.witness.clone()
    }

    fn reads(&self, step: u64, into: &mut Vec<BitSource>) {
        into.clear();
        into.extend(&self.steps[usize::try_from(step).expect("small")].0);
    }

    fn rule(&self, step: u64, bits: &[bool]) -> RequiredStepOutput {
        match &self.steps[usize::try_from(step).expect("small")].1 {
            Does::Table(rows) => {
                let row = bits.iter().fold(0, |row, bit| row << 1 | usize::from(*bit));
                RequiredStepOutput::Value(rows[row])
            }
            Does::Oracle => {
                RequiredStepOutput::Oracle(ClaimKey::from_bits(bits.iter().copied().collect()))
            }
        }
    }

    fn answer(&self, claim: &ClaimKey) -> Option<bool> {
        self.oracle.get(&claim.bits_of_key()?.to_string()).copied()
    }

    fn step_text(&self, step: u64) -> String {
        format!("step {step}")
    }
}

/// A circuit of these gates on an input; the last gate is the output.
pub fn circuit(
    inputs: u32,
    gates: &[(TwoInputTruthTable, u32, u32)],
    input: &BitString,
) -> Arc<CircuitWithInput> {
    let mut netlist = Netlist::new(inputs);
    for (table, a, b) in gates {
        let gate = TwoInputGate {
            table: *table,
            a: *a,
            b: *b,
        };
        netlist.push(gate).expect("reads earlier wires");
    }
    let last = inputs + netlist.gate_count() - 1;
    netlist.add_output(last);
    Arc::new(CircuitWithInput::new(&Arc::new(netlist), last, input.clone()).expect("a circuit"))
}
