//! Netlists in the `.bench` format of the ISCAS benchmarks.

use super::named::{Definition, GateFormula, Named, build};
use super::{Netlist, NetlistError, TruthTable};

/// Reads a circuit from a `.bench` file. Gates stand in any order and read any number of wires.
///
/// # Errors
/// If the text is no such file, has flip-flops, or does not fit together.
pub fn read_bench(text: &str) -> Result<Netlist, NetlistError> {
    let (mut inputs, mut outputs): (Vec<Named<'_>>, Vec<Named<'_>>) = (Vec::new(), Vec::new());
    let mut gates = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let wrong =
            || NetlistError::new(number, "write INPUT(a), OUTPUT(a) or a = GATE(b, c) here");
        let (name, call) = match line.split_once('=') {
            Some((name, call)) => (Some(name.trim()), call.trim()),
            None => (None, line),
        };
        let (kind, rest) = call.split_once('(').ok_or_else(wrong)?;
        let arguments = rest.strip_suffix(')').ok_or_else(wrong)?;
        let reads: Vec<&str> = arguments.split(',').map(str::trim).collect();
        if reads.iter().any(|wire| wire.is_empty()) || name == Some("") {
            return Err(wrong());
        }
        let kind = kind.trim().to_ascii_uppercase();
        match (name, kind.as_str(), &reads[..]) {
            (None, "INPUT", [wire]) => inputs.push((number, *wire)),
            (None, "OUTPUT", [wire]) => outputs.push((number, *wire)),
            (None, ..) => return Err(wrong()),
            (Some(name), kind, _) => {
                let formula =
                    formula(kind, reads.len()).map_err(|what| NetlistError::new(number, what))?;
                gates.push(Definition {
                    line: number,
                    name,
                    reads,
                    formula,
                });
            }
        }
    }
    build(&inputs, &outputs, &gates)
}

fn formula(kind: &str, reads: usize) -> Result<GateFormula, String> {
    let fold = match kind {
        "AND" => (TruthTable::AND, false),
        "NAND" => (TruthTable::AND, true),
        "OR" => (TruthTable::OR, false),
        "NOR" => (TruthTable::OR, true),
        "XOR" => (TruthTable::XOR, false),
        "XNOR" => (TruthTable::XOR, true),
        "NOT" | "INV" if reads == 1 => (TruthTable::AND, true),
        "BUF" | "BUFF" if reads == 1 => (TruthTable::AND, false),
        "NOT" | "INV" | "BUF" | "BUFF" => return Err(format!("{kind} reads one wire")),
        "DFF" => return Err("flip-flops are not taken; give a combinational circuit".to_owned()),
        _ => {
            return Err(format!(
                "there is no gate {kind:?}; take AND, NAND, OR, NOR, XOR, XNOR, NOT or BUFF"
            ));
        }
    };
    Ok(GateFormula::Fold(fold.0, fold.1))
}
