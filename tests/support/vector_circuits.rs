//! Circuits and bit strings in the format of the values computed elsewhere.

use debate_core::bits::Bits;
use debate_core::scenario::netlist::{Gate2, TruthTable};
use serde_json::Value;

use super::vectors::whole;

/// A list of zeros and ones.
pub fn bits(value: &Value) -> Bits {
    let list = value.as_array().expect("a list");
    list.iter().map(|bit| whole(bit) == 1).collect()
}

/// The gates of a circuit: each has a name and one or two wires.
pub fn gates(circuit: &Value) -> Vec<Gate2> {
    let wire = |value: &Value| u32::try_from(whole(value)).expect("a wire");
    let gate = |gate: &Value| {
        let table = table(gate[0].as_str().expect("a name"));
        Gate2::new(table, wire(&gate[1]), wire(gate.get(2).unwrap_or(&gate[1])))
    };
    let gates = circuit["gates"].as_array().expect("gates");
    gates.iter().map(gate).collect()
}

fn table(name: &str) -> TruthTable {
    match name {
        "and" => TruthTable::AND,
        "or" => TruthTable::OR,
        "xor" => TruthTable::XOR,
        "not" => TruthTable::NOT_FIRST,
        "nand" => TruthTable::AND.negation(),
        "nor" => TruthTable::OR.negation(),
        "xnor" => TruthTable::XOR.negation(),
        other => panic!("no gate {other}"),
    }
}
