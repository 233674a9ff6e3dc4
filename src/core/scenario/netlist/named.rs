//! Circuits whose gates have names, stand in any order and read any number of wires: what
//! `.bench` and BLIF files have in common.

use std::collections::HashMap;

use super::{Gate2, Netlist, NetlistError, TruthTable, Wire, sorted};

/// The function of a named gate of the wires it reads, in order.
enum GateFormula {
    /// The table applied over and over; the result is perhaps turned around.
    Fold(TruthTable, bool),
    /// At least one of these rows fits (a cell of a row may be either value); perhaps turned
    /// around.
    Cover(Vec<Vec<Option<bool>>>, bool),
}

/// A named gate.
struct Definition<'t> {
    line: usize,
    name: &'t str,
    reads: Vec<&'t str>,
    formula: GateFormula,
}

/// A name and the line where it stands.
type Named<'t> = (usize, &'t str);

/// Builds the circuit: wide gates become balanced trees of gates of two inputs.
fn build(
    inputs: &[Named<'_>],
    outputs: &[Named<'_>],
    definitions: &[Definition<'_>],
) -> Result<Netlist, NetlistError> {
    let count = u32::try_from(inputs.len())
        .map_err(|_error| NetlistError::new(1, "there are too many inputs"))?;
    let mut netlist = Netlist::new(count);
    let mut wires: HashMap<&str, Wire> = HashMap::new();
    for (wire, (line, name)) in (0..).zip(inputs) {
        if wires.insert(name, wire).is_some() {
            let what = format!("the input {name:?} stands twice");
            return Err(NetlistError::new(*line, what));
        }
    }
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (place, gate) in definitions.iter().enumerate() {
        if wires.contains_key(gate.name) || places.insert(gate.name, place).is_some() {
            let what = format!("the wire {:?} has two sources", gate.name);
            return Err(NetlistError::new(gate.line, what));
        }
    }
    let mut reads = Vec::with_capacity(definitions.len());
    for gate in definitions {
        let mut gates = Vec::new();
        for name in &gate.reads {
            match places.get(name) {
                Some(place) => gates.push(*place),
                None if wires.contains_key(name) => {}
                None => {
                    let what = format!("there is no wire {name:?}; add a gate or an input");
                    return Err(NetlistError::new(gate.line, what));
                }
            }
        }
        reads.push(gates);
    }
    let order = sorted(0..definitions.len(), &reads).map_err(|(gate, read)| {
        let gate = &definitions[reads[gate][read]];
        let what = format!("the gate {:?} reads itself; break the cycle", gate.name);
        NetlistError::new(gate.line, what)
    })?;
    for place in order {
        let gate = &definitions[place];
        let read: Vec<Wire> = gate
            .reads
            .iter()
            .filter_map(|name| wires.get(name).copied())
            .collect();
        let wire = emit(&mut netlist, &gate.formula, &read)
            .ok_or_else(|| NetlistError::new(gate.line, "there are too many gates"))?;
        wires.insert(gate.name, wire);
    }
    for (line, name) in outputs {
        let wire = wires.get(name);
        if !wire.is_some_and(|wire| netlist.output(*wire)) {
            let what = format!("there is no wire {name:?} to output");
            return Err(NetlistError::new(*line, what));
        }
    }
    Ok(netlist)
}

/// A wire, perhaps to be turned around when it is read.
type Item = (Wire, bool);

fn emit(netlist: &mut Netlist, formula: &GateFormula, read: &[Wire]) -> Option<Wire> {
    match formula {
        GateFormula::Fold(table, turned) => {
            let items = read.iter().map(|wire| (*wire, false)).collect();
            fold(netlist, *table, items, *turned)
        }
        // Up to two inputs a cover is one gate.
        GateFormula::Cover(rows, turned) if read.len() <= 2 => {
            let fits = |bits: [bool; 2]| {
                let fits_row = |row: &Vec<Option<bool>>| {
                    let mut cells = row.iter().zip(bits);
                    cells.all(|(cell, bit)| cell.is_none_or(|cell| cell == bit))
                };
                rows.iter().any(fits_row) != *turned
            };
            let (a, b) = match *read {
                [] => (0, 0),
                [a] => (a, a),
                [a, b, ..] => (a, b),
            };
            netlist.push(Gate2::new(TruthTable::of(|a, b| fits([a, b])), a, b))
        }
        GateFormula::Cover(rows, turned) => {
            let mut products = Vec::with_capacity(rows.len());
            for row in rows {
                let cells = row.iter().zip(read);
                let items: Vec<Item> = cells
                    .filter_map(|(cell, wire)| Some((*wire, !(*cell)?)))
                    .collect();
                products.push((fold(netlist, TruthTable::AND, items, false)?, false));
            }
            fold(netlist, TruthTable::OR, products, *turned)
        }
    }
}

/// A balanced tree over the items. Over nothing it is the value that changes nothing.
fn fold(
    netlist: &mut Netlist,
    table: TruthTable,
    mut items: Vec<Item>,
    turned: bool,
) -> Option<Wire> {
    if items.is_empty() {
        let neutral = (table == TruthTable::AND) != turned;
        return netlist.push(Gate2::new(TruthTable::constant(neutral), 0, 0));
    }
    if let [(wire, turn)] = items[..] {
        return netlist.push(Gate2::new(
            TruthTable::repeating(turn != turned),
            wire,
            wire,
        ));
    }
    loop {
        let last = items.len() == 2;
        let mut next = Vec::with_capacity(items.len().div_ceil(2));
        for pair in items.chunks(2) {
            let &[(a, turn_a), (b, turn_b)] = pair else {
                next.extend_from_slice(pair);
                continue;
            };
            let read = table.reading(turn_a, turn_b);
            let table = if last && turned {
                read.opposite()
            } else {
                read
            };
            next.push((netlist.push(Gate2::new(table, a, b))?, false));
        }
        items = next;
        if last {
            return items.first().map(|(wire, _)| *wire);
        }
    }
}

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
                let formula = bench_formula(kind, reads.len())
                    .map_err(|what| NetlistError::new(number, what))?;
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

fn bench_formula(kind: &str, reads: usize) -> Result<GateFormula, String> {
    let (table, turned) = match kind {
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
            let kinds = "AND, NAND, OR, NOR, XOR, XNOR, NOT or BUFF";
            return Err(format!("there is no gate {kind:?}; take {kinds}"));
        }
    };
    Ok(GateFormula::Fold(table, turned))
}

/// Reads a circuit from a BLIF file: one `.model` with `.inputs`, `.outputs` and `.names`.
///
/// # Errors
/// If the text is no such file, has latches or subcircuits, or does not fit together.
pub fn read_blif(text: &str) -> Result<Netlist, NetlistError> {
    let mut reader = BlifReader::default();
    for (number, words) in logical_lines(text) {
        let Some((first, rest)) = words.split_first() else {
            continue;
        };
        if *first == ".end" {
            break;
        }
        reader.take(number, first, rest)?;
    }
    reader.close();
    build(&reader.inputs, &reader.outputs, &reader.gates)
}

/// Lines without comments, those that end in a backslash joined with the next.
fn logical_lines(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let mut lines = (1..).zip(text.lines());
    std::iter::from_fn(move || {
        let mut joined: Option<(usize, Vec<&str>)> = None;
        for (number, line) in lines.by_ref() {
            let line = line.split('#').next().unwrap_or_default().trim_end();
            let (line, goes_on) = match line.strip_suffix('\\') {
                Some(line) => (line, true),
                None => (line, false),
            };
            let (_, words) = joined.get_or_insert((number, Vec::new()));
            words.extend(line.split_ascii_whitespace());
            if !goes_on {
                break;
            }
        }
        joined
    })
}

#[derive(Default)]
struct BlifReader<'t> {
    models: usize,
    inputs: Vec<Named<'t>>,
    outputs: Vec<Named<'t>>,
    gates: Vec<Definition<'t>>,
    /// The cover that is being read: its rows fit where the gate has this value.
    open: Option<(Definition<'t>, Option<bool>)>,
}

impl<'t> BlifReader<'t> {
    fn close(&mut self) {
        let Some((mut gate, value)) = self.open.take() else {
            return;
        };
        if let GateFormula::Cover(_, turned) = &mut gate.formula {
            *turned = value == Some(false);
        }
        self.gates.push(gate);
    }

    fn take(
        &mut self,
        number: usize,
        first: &'t str,
        rest: &[&'t str],
    ) -> Result<(), NetlistError> {
        let wrong = |what: &str| NetlistError::new(number, what);
        if !first.starts_with('.') {
            return self.row(number, first, rest);
        }
        self.close();
        let names = rest.iter().map(|name| (number, *name));
        match first {
            ".model" if self.models == 0 => self.models = 1,
            ".model" => return Err(wrong("a second model is not taken; flatten the circuit")),
            ".inputs" => self.inputs.extend(names),
            ".outputs" => self.outputs.extend(names),
            ".names" => {
                let missing = || wrong(".names needs an output");
                let (name, reads) = rest.split_last().ok_or_else(missing)?;
                let formula = GateFormula::Cover(Vec::new(), false);
                let gate = Definition {
                    line: number,
                    name,
                    reads: reads.to_vec(),
                    formula,
                };
                self.open = Some((gate, None));
            }
            ".latch" => return Err(wrong("latches are not taken; give a combinational circuit")),
            ".subckt" | ".gate" | ".mlatch" => {
                return Err(wrong("subcircuits are not taken; flatten the circuit"));
            }
            // Delays, areas and the like change nothing of what is computed.
            _ => {}
        }
        Ok(())
    }

    fn row(&mut self, number: usize, first: &str, rest: &[&str]) -> Result<(), NetlistError> {
        let wrong = |what: &str| NetlistError::new(number, what);
        let Some((gate, value)) = &mut self.open else {
            return Err(wrong("a row of a cover belongs below .names"));
        };
        let (pattern, out) = match (gate.reads.len(), rest) {
            (0, []) => ("", first),
            (_, [out]) => (first, *out),
            _ => {
                return Err(wrong(
                    "a row of a cover has its inputs, a space and its output",
                ));
            }
        };
        let cells: Option<Vec<_>> = pattern
            .chars()
            .map(|cell| match cell {
                '0' => Some(Some(false)),
                '1' => Some(Some(true)),
                '-' => Some(None),
                _ => None,
            })
            .collect();
        let cells = cells
            .filter(|cells| cells.len() == gate.reads.len())
            .ok_or_else(|| wrong("a row has one of 0, 1 and - for each input"))?;
        let out = match out {
            "0" => false,
            "1" => true,
            _ => return Err(wrong("a row's output is 0 or 1")),
        };
        if value.is_some_and(|value| value != out) {
            return Err(wrong("all rows of a cover have the same output"));
        }
        *value = Some(out);
        if let GateFormula::Cover(rows, _) = &mut gate.formula {
            rows.push(cells);
        }
        Ok(())
    }
}
