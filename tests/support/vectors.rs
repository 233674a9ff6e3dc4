//! Exact values that were computed elsewhere, in a folder beside the checkout, which a clone alone
//! does not have. The library's own tests read them too.

use std::fs;
use std::path::Path;

use debate_core::bits::Bits;
use debate_core::scenario::netlist::{Gate2, Table};
use serde_json::Value;

/// Those of a family; none, with a sentence, where there is no such folder.
pub fn of(family: &str) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors/vectors.json");
    let Ok(text) = fs::read_to_string(&file) else {
        eprintln!("skipped: there is no {}", file.display());
        return Vec::new();
    };
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let all = all["vectors"].as_array().expect("a list").iter();
    let of_family: Vec<Value> = all.filter(|v| v["family"] == family).cloned().collect();
    assert!(!of_family.is_empty(), "{family}");
    of_family
}

/// A whole number.
pub fn whole(value: &Value) -> u64 {
    value.as_u64().expect("a whole number")
}

/// A list of zeros and ones.
pub fn bits(value: &Value) -> Bits {
    let list = value.as_array().expect("a list");
    list.iter().map(|bit| whole(bit) == 1).collect()
}

/// The gates of a circuit: a name and one wire or two each.
pub fn gates(circuit: &Value) -> Vec<Gate2> {
    let wire = |value: &Value| u32::try_from(whole(value)).expect("a wire");
    let gate = |gate: &Value| Gate2 {
        table: table(gate[0].as_str().expect("a name")),
        a: wire(&gate[1]),
        b: wire(gate.get(2).unwrap_or(&gate[1])),
    };
    let gates = circuit["gates"].as_array().expect("gates");
    gates.iter().map(gate).collect()
}

fn table(name: &str) -> Table {
    match name {
        "and" => Table::AND,
        "or" => Table::OR,
        "xor" => Table::XOR,
        "not" => Table::NOT,
        "nand" => Table::AND.opposite(),
        "nor" => Table::OR.opposite(),
        "xnor" => Table::XOR.opposite(),
        other => panic!("no gate {other}"),
    }
}
