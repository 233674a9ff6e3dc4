//! Circuits and bit strings in the format of the values computed elsewhere.

use debate_core::bits::BitString;
use debate_core::scenario::netlist::{TwoInputGate, TwoInputTruthTable};
use serde_json::Value;

use super::vectors::whole;

/// A list of zeros and ones.
pub fn bits(value: &Value) -> BitString {
    let list = value.as_array().expect("a list");
    list.iter().map(|bit| whole(bit) == 1).collect()
}

/// The gates of a circuit: each has a name and one or two wires.
pub fn gates(circuit: &Value) -> Vec<TwoInputGate> {
    let wire = |value: &Value| u32::try_from(whole(value)).expect("a wire");
    let gate = |gate: &Value| {
        let table = table(gate[0].as_str().expect("a name"));
        TwoInputGate::new(table, wire(&gate[1]), wire(gate.get(2).unwrap_or(&gate[1])))
    };
    let gates = circuit["gates"].as_array().expect("gates");
    gates.iter().map(gate).collect()
}

fn table(name: &str) -> TwoInputTruthTable {
    match name {
        "and" => TwoInputTruthTable::AND,
        "or" => TwoInputTruthTable::OR,
        "xor" => TwoInputTruthTable::XOR,
        "not" => TwoInputTruthTable::NOT_FIRST,
        "nand" => TwoInputTruthTable::AND.negation(),
        "nor" => TwoInputTruthTable::OR.negation(),
        "xnor" => TwoInputTruthTable::XOR.negation(),
        other => panic!("no gate {other}"),
    }
}
