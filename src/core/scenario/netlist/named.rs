//! Circuits from `.bench` and BLIF files, in which gates have names, any order and any number of inputs.

use std::collections::{HashMap, HashSet};

use super::{
    Netlist, NetlistError, TwoInputGate, TwoInputTruthTable, Wire, text_lines, topological_order,
};
use crate::text::count_with_noun;

/// The function of a named gate of the wires that it reads, in a fixed order.
enum GateFormula {
    /// A two-input function (AND, OR or XOR) that combines all wires, from the first to the last. The result is negated
    /// if the flag is set.
    Fold(TwoInputTruthTable, bool),
    /// True if the wires match at least one of these rows; `None` in a row matches either value. The result is negated
    /// if the flag is set.
    Cover(Vec<Vec<Option<bool>>>, bool),
    /// A truth table. Bit j of a row's index is the value of wire j.
    Table(Vec<bool>),
}

impl GateFormula {
    /// The function of a gate with one input that copies its input.
    const BUFFER: Self = Self::Fold(TwoInputTruthTable::AND, false);

    /// Returns the function of a gate without inputs that has this constant value.
    fn constant(value: bool) -> Self {
        Self::Fold(TwoInputTruthTable::AND, !value)
    }

    /// Returns the function of a gate with two inputs.
    fn of_two(function: impl Fn(bool, bool) -> bool) -> Self {
        let rows = (0..4).map(|row| function(row & 1 == 1, row >> 1 == 1));
        Self::Table(rows.collect())
    }
}

/// A named gate.
struct Definition<'t> {
    line: usize,
    name: &'t str,
    reads: Vec<&'t str>,
    formula: GateFormula,
}

/// A name in the file, after the number of its line.
type Named<'t> = (usize, &'t str);

/// Builds the circuit. A gate with more than two inputs becomes several gates with two inputs.
fn build(
    inputs: &[Named<'_>],
    outputs: &[Named<'_>],
    definitions: &[Definition<'_>],
) -> Result<Netlist, NetlistError> {
    let count = u32::try_from(inputs.len())
        .map_err(|_error| NetlistError::new(1, "the circuit has too many inputs"))?;
    let mut netlist = Netlist::new(count);
    let mut wires: HashMap<&str, Wire> = HashMap::new();
    for (wire, (line, name)) in (0..).zip(inputs) {
        if wires.insert(name, wire).is_some() {
            let what = format!("the input {name:?} is listed twice");
            return Err(NetlistError::new(*line, what));
        }
    }
    let mut indices: HashMap<&str, usize> = HashMap::new();
    for (index, gate) in definitions.iter().enumerate() {
        if wires.contains_key(gate.name) || indices.insert(gate.name, index).is_some() {
            let what = format!(
                "the wire {wire:?} is already an input, or the output of another gate",
                wire = gate.name
            );
            return Err(NetlistError::new(gate.line, what));
        }
    }
    let mut reads = Vec::with_capacity(definitions.len());
    for gate in definitions {
        let mut gates = Vec::new();
        for name in &gate.reads {
            match indices.get(name) {
                Some(index) => gates.push(*index),
                None if wires.contains_key(name) => {}
                None => {
                    let what = format!("there is no wire {name:?}; add a gate or an input");
                    return Err(NetlistError::new(gate.line, what));
                }
            }
        }
        reads.push(gates);
    }
    let order = topological_order(0..definitions.len(), &reads).map_err(|(gate, read)| {
        let gate = &definitions[reads[gate][read]];
        let what = format!(
            "the gate {gate:?} reads itself; break the cycle",
            gate = gate.name
        );
        NetlistError::new(gate.line, what)
    })?;
    for index in order {
        let gate = &definitions[index];
        let read: Vec<Wire> = gate
            .reads
            .iter()
            .filter_map(|name| wires.get(name).copied())
            .collect();
        let wire = emit(&mut netlist, &gate.formula, &read)
            .ok_or_else(|| NetlistError::new(gate.line, "the circuit has too many gates"))?;
        wires.insert(gate.name, wire);
    }
    for (line, name) in outputs {
        let wire = wires.get(name);
        if !wire.is_some_and(|wire| netlist.add_output(*wire)) {
            let what = format!("the circuit has no wire for the output {name:?}");
            return Err(NetlistError::new(*line, what));
        }
    }
    Ok(netlist)
}

/// A wire, and a flag: true if its value must be negated.
type Item = (Wire, bool);

fn emit(netlist: &mut Netlist, formula: &GateFormula, read: &[Wire]) -> Option<Wire> {
    match formula {
        GateFormula::Fold(table, negated) => {
            let items = read.iter().map(|wire| (*wire, false)).collect();
            fold(netlist, *table, items, *negated)
        }
        // A cover of at most two inputs becomes one gate.
        GateFormula::Cover(rows, negated) if read.len() <= 2 => {
            let fits = |bits: [bool; 2]| {
                let fits_row = |row: &Vec<Option<bool>>| {
                    let mut cells = row.iter().zip(bits);
                    cells.all(|(cell, bit)| cell.is_none_or(|cell| cell == bit))
                };
                rows.iter().any(fits_row) != *negated
            };
            let (a, b) = match *read {
                [] => (0, 0),
                [a] => (a, a),
                [a, b, ..] => (a, b),
            };
            netlist.push(TwoInputGate::new(
                TwoInputTruthTable::from_function(|a, b| fits([a, b])),
                a,
                b,
            ))
        }
        GateFormula::Cover(rows, negated) => {
            let mut products = Vec::with_capacity(rows.len());
            for row in rows {
                let cells = row.iter().zip(read);
                let items: Vec<Item> = cells
                    .filter_map(|(cell, wire)| Some((*wire, !(*cell)?)))
                    .collect();
                products.push((fold(netlist, TwoInputTruthTable::AND, items, false)?, false));
            }
            fold(netlist, TwoInputTruthTable::OR, products, *negated)
        }
        GateFormula::Table(rows) => table(netlist, rows, read),
    }
}

/// A value of a row of a truth table: a constant, or a wire with a flag that is true if its value must be negated.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Value {
    Constant(bool),
    Wire(Wire, bool),
}

impl Value {
    /// Returns the Boolean negation of this value if `turn` is set, else the value itself.
    fn negated(self, turn: bool) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(value != turn),
            Self::Wire(wire, negated) => Self::Wire(wire, negated != turn),
        }
    }
}

/// Builds a circuit for a truth table over these wires, as multiplexers: each wire in turn selects between pairs of
/// rows. Pairs that are equal, or negations of each other, share their gates.
fn table(netlist: &mut Netlist, rows: &[bool], read: &[Wire]) -> Option<Wire> {
    let first = netlist.input_count() + netlist.gate_count();
    let mut values: Vec<Value> = rows.iter().map(|row| Value::Constant(*row)).collect();
    for selector in read {
        let mut known: HashMap<[Value; 2], Value> = HashMap::new();
        let mut halves = Vec::with_capacity(values.len() / 2);
        for pair in values.chunks_exact(2) {
            let turn = matches!(pair[0], Value::Constant(true) | Value::Wire(_, true));
            let pair = [pair[0].negated(turn), pair[1].negated(turn)];
            let value = match known.get(&pair) {
                Some(value) => *value,
                None => selected(netlist, *selector, pair)?,
            };
            known.insert(pair, value);
            halves.push(value.negated(turn));
        }
        values = halves;
    }
    match *values.first()? {
        Value::Constant(value) => {
            netlist.push(TwoInputGate::new(TwoInputTruthTable::constant(value), 0, 0))
        }
        Value::Wire(wire, false) if wire >= first => Some(wire),
        Value::Wire(wire, negated) => netlist.push(TwoInputGate::new(
            TwoInputTruthTable::first_input_function(negated),
            wire,
            wire,
        )),
    }
}

/// Builds a multiplexer: its value is `low` if the wire `selector` is false, else `high`. `low` is false or a wire that
/// is not negated.
fn selected(netlist: &mut Netlist, selector: Wire, [low, high]: [Value; 2]) -> Option<Value> {
    if low == high {
        return Some(low);
    }
    let (and, or) = (TwoInputTruthTable::AND, TwoInputTruthTable::OR);
    let mut push =
        |table: TwoInputTruthTable, wire| netlist.push(TwoInputGate::new(table, selector, wire));
    let gate = match (low, high) {
        (Value::Constant(_), Value::Constant(_)) => Some(selector),
        (Value::Constant(_), Value::Wire(wire, negated)) => {
            push(and.with_inputs_negated(false, negated), wire)
        }
        (Value::Wire(wire, _), Value::Constant(false)) => {
            push(and.with_inputs_negated(true, false), wire)
        }
        (Value::Wire(wire, _), Value::Constant(true)) => push(or, wire),
        (Value::Wire(low, _), Value::Wire(high, _)) if low == high => {
            push(TwoInputTruthTable::XOR, low)
        }
        (Value::Wire(low, _), Value::Wire(high, negated)) => {
            let low = push(and.with_inputs_negated(true, false), low)?;
            let high = push(and.with_inputs_negated(false, negated), high)?;
            netlist.push(TwoInputGate::new(or, low, high))
        }
    };
    gate.map(|wire| Value::Wire(wire, false))
}

/// Builds a balanced tree of gates that combines the items by `table`, and negates the result if `negated` is set. The
/// combination of no items is true for AND, and false for OR and XOR.
fn fold(
    netlist: &mut Netlist,
    table: TwoInputTruthTable,
    mut items: Vec<Item>,
    negated: bool,
) -> Option<Wire> {
    if items.is_empty() {
        let neutral = (table == TwoInputTruthTable::AND) != negated;
        return netlist.push(TwoInputGate::new(
            TwoInputTruthTable::constant(neutral),
            0,
            0,
        ));
    }
    if let [(wire, turn)] = items[..] {
        return netlist.push(TwoInputGate::new(
            TwoInputTruthTable::first_input_function(turn != negated),
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
            let read = table.with_inputs_negated(turn_a, turn_b);
            let table = if last && negated {
                read.negation()
            } else {
                read
            };
            next.push((netlist.push(TwoInputGate::new(table, a, b))?, false));
        }
        items = next;
        if last {
            return items.first().map(|(wire, _)| *wire);
        }
    }
}

/// Maximum number of inputs of a lookup table (LUT) in a `.bench` file: 2¹⁶ rows.
const MAX_LUT_INPUTS: usize = 16;

/// Reads a circuit from a `.bench` file. Gates may come in any order and read any number of wires.
///
/// Accepts the gates of the ISCAS benchmarks, and those that the programs ABC and cirbo write. They are: `LUT 0x8 (a,
/// b)`, whose first wire is the least significant bit of a row's number; the constant wires `vdd` and `gnd`; one wire
/// as a copy of another (`a = b`); `ALWAYS_TRUE()` and `ALWAYS_FALSE()`; and the comparisons and projections of two
/// wires.
///
/// # Errors
/// Returns an error if the bytes are not a `.bench` file, contain flip-flops, or are inconsistent.
pub fn read_bench(bytes: &[u8]) -> Result<Netlist, NetlistError> {
    let (mut inputs, mut outputs): (Vec<Named<'_>>, Vec<Named<'_>>) = (Vec::new(), Vec::new());
    let mut gates = Vec::new();
    for line in text_lines(bytes, Some(b'#')) {
        let (number, line) = line?;
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let wrong = || {
            NetlistError::new(
                number,
                "this line must be INPUT(a), OUTPUT(a) or a = GATE(b, c)",
            )
        };
        let (name, call) = match line.split_once('=') {
            Some((name, call)) => (Some(name.trim()), call.trim()),
            None => (None, line),
        };
        if name == Some("") {
            return Err(wrong());
        }
        if let (Some(name), true) = (name, is_wire(call)) {
            gates.push(Definition {
                line: number,
                name,
                reads: vec![call],
                formula: GateFormula::BUFFER,
            });
            continue;
        }
        let (kind, rest) = call.split_once('(').ok_or_else(wrong)?;
        let arguments = rest.strip_suffix(')').ok_or_else(wrong)?.trim();
        let mut reads: Vec<&str> = arguments.split(',').map(str::trim).collect();
        if arguments.is_empty() {
            reads.clear();
        }
        if reads.iter().any(|wire| wire.is_empty()) {
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
                // A constant ignores its wires.
                if kind.starts_with("ALWAYS_") {
                    reads.clear();
                }
                gates.push(Definition {
                    line: number,
                    name,
                    reads,
                    formula,
                });
            }
        }
    }
    add_rails(&inputs, &outputs, &mut gates);
    build(&inputs, &outputs, &gates)
}

/// True if a text in a `.bench` file is the name of a wire rather than an expression for a gate.
fn is_wire(text: &str) -> bool {
    let is_part = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',');
    !text.is_empty() && !text.contains(is_part)
}

/// Defines the wire `vdd` as true, or `gnd` as false, if a gate or an output of a `.bench` file reads it and the file
/// does not define it.
fn add_rails<'t>(inputs: &[Named<'t>], outputs: &[Named<'t>], gates: &mut Vec<Definition<'t>>) {
    let rails = [("vdd", true), ("gnd", false)];
    let rail = |name: &str| {
        let named = |(rail, _): &&(&str, bool)| name.eq_ignore_ascii_case(rail);
        rails.iter().find(named).map(|(_, value)| *value)
    };
    let given = inputs.iter().map(|(_, name)| *name);
    let mut defined: HashSet<&str> = given.chain(gates.iter().map(|gate| gate.name)).collect();
    let read = gates
        .iter()
        .flat_map(|gate| gate.reads.iter().map(|name| (gate.line, *name)));
    let mut added = Vec::new();
    for (line, name) in read.chain(outputs.iter().copied()) {
        if let Some(value) = rail(name).filter(|_| defined.insert(name)) {
            added.push(Definition {
                line,
                name,
                reads: Vec::new(),
                formula: GateFormula::constant(value),
            });
        }
    }
    gates.append(&mut added);
}

/// Returns the function of a `.bench` gate that reads `reads` wires. `kind` is its name in capitals, such as NAND.
fn bench_formula(kind: &str, reads: usize) -> Result<GateFormula, String> {
    if let Some(digits) = kind.strip_prefix("LUT") {
        return lut(digits.trim(), reads);
    }
    let takes = |ways: usize, formula: GateFormula| {
        if reads == ways {
            return Ok(formula);
        }
        let required_wires = count_with_noun(ways, "wire", "wires");
        Err(format!(
            "a `.bench` gate {kind} reads {required_wires}, not {reads}"
        ))
    };
    let fold = |table, negated| match reads {
        0 => Err(format!("a `.bench` gate {kind} reads at least one wire")),
        _ => Ok(GateFormula::Fold(table, negated)),
    };
    let two = |function: fn(bool, bool) -> bool| takes(2, GateFormula::of_two(function));
    match kind {
        "AND" => fold(TwoInputTruthTable::AND, false),
        "NAND" => fold(TwoInputTruthTable::AND, true),
        "OR" => fold(TwoInputTruthTable::OR, false),
        "NOR" => fold(TwoInputTruthTable::OR, true),
        "XOR" => fold(TwoInputTruthTable::XOR, false),
        "XNOR" | "NXOR" => fold(TwoInputTruthTable::XOR, true),
        "NOT" | "INV" => takes(1, GateFormula::Fold(TwoInputTruthTable::AND, true)),
        "BUF" | "BUFF" | "IFF" => takes(1, GateFormula::BUFFER),
        "ALWAYS_TRUE" => Ok(GateFormula::constant(true)),
        "ALWAYS_FALSE" => Ok(GateFormula::constant(false)),
        "GT" => two(|a, b| a && !b),
        "LT" => two(|a, b| !a && b),
        "GEQ" => two(|a, b| a || !b),
        "LEQ" => two(|a, b| !a || b),
        "LIFF" => two(|a, _| a),
        "RIFF" => two(|_, b| b),
        "LNOT" => two(|a, _| !a),
        "RNOT" => two(|_, b| !b),
        _ if kind.starts_with("DFF") => Err(format!(
            "the `.bench` gate {kind} is a flip-flop; use a combinational circuit"
        )),
        _ => {
            let kinds = "AND, NAND, OR, NOR, XOR, XNOR, NOT, BUFF, LUT, ALWAYS_TRUE, ALWAYS_FALSE, \
                         GT, LT, GEQ, LEQ, LIFF, RIFF, LNOT or RNOT";
            Err(format!(
                "a `.bench` circuit has no gate type {kind:?}; use {kinds}"
            ))
        }
    }
}

/// Returns the truth table of a lookup table (LUT) that is written in hexadecimal digits, the last row first.
fn lut(digits: &str, reads: usize) -> Result<GateFormula, String> {
    if reads > MAX_LUT_INPUTS {
        return Err(format!(
            "a `.bench` LUT reads at most {MAX_LUT_INPUTS} wires, not {reads}"
        ));
    }
    let form = || {
        let wires_read = count_with_noun(reads, "wire", "wires");
        format!(
            "the table of a `.bench` LUT over {wires_read} is written `LUT 0x…`, with {rows} rows in hexadecimal",
            rows = 1 << reads
        )
    };
    let digits = digits.strip_prefix("0X").ok_or_else(form)?;
    let count = 1_usize << reads;
    let mut rows = Vec::with_capacity(count);
    for digit in digits.chars().rev() {
        let digit = digit.to_digit(16).ok_or_else(form)?;
        let bits = (0..4).map(|bit| digit >> bit & 1 == 1);
        // A table of one or two rows is written with a whole digit, and zeros may come first.
        for bit in bits {
            if rows.len() < count {
                rows.push(bit);
            } else if bit {
                return Err(form());
            }
        }
    }
    if rows.is_empty() {
        return Err(form());
    }
    rows.resize(count, false);
    Ok(GateFormula::Table(rows))
}

/// Reads a circuit from a BLIF file: one `.model` with `.inputs`, `.outputs` and `.names`, and the commands `.conn` and
/// `.barbuf`, which connect two wires.
/// Ignores don't-cares: rows with the output `-`, and all gates after `.exdc`, whose lines must still be valid. Only
/// the other rows determine the circuit.
///
/// # Errors
/// Returns an error if the bytes are not a BLIF file, have latches or subcircuits, or are inconsistent.
pub fn read_blif(bytes: &[u8]) -> Result<Netlist, NetlistError> {
    let mut reader = BlifReader::default();
    let mut lines = text_lines(bytes, Some(b'#'));
    while let Some((number, words)) = logical_line(&mut lines)? {
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

/// Returns the words of the next line, including continuation lines joined by a backslash.
fn logical_line<'t>(
    lines: &mut impl Iterator<Item = Result<(usize, &'t str), NetlistError>>,
) -> Result<Option<(usize, Vec<&'t str>)>, NetlistError> {
    let mut joined: Option<(usize, Vec<&str>)> = None;
    for line in lines {
        let (number, line) = line?;
        let (line, continues) = match line.strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        let (_, words) = joined.get_or_insert((number, Vec::new()));
        words.extend(line.split_ascii_whitespace());
        if !continues {
            break;
        }
    }
    Ok(joined)
}

#[derive(Default)]
struct BlifReader<'t> {
    models: usize,
    inputs: Vec<Named<'t>>,
    outputs: Vec<Named<'t>>,
    gates: Vec<Definition<'t>>,
    /// The `.names` gate whose truth-table rows the reader is reading, and the output value that these rows give; that
    /// value is `None` before the first row.
    open: Option<(Definition<'t>, Option<bool>)>,
    /// True after the command `.exdc`. The gates after it describe inputs that never occur, so they are ignored.
    is_dont_care: bool,
}

/// BLIF commands that do not affect the computed function: delays, areas, drives, loads, attributes.
const BLIF_IGNORED: &[&str] = &[
    ".area",
    ".attr",
    ".clock",
    ".clock_event",
    ".cname",
    ".cycle",
    ".default_input_arrival",
    ".default_input_drive",
    ".default_input_required",
    ".default_max_input_load",
    ".default_output_load",
    ".default_output_required",
    ".delay",
    ".input_arrival",
    ".input_drive",
    ".input_required",
    ".latch_order",
    ".max_input_load",
    ".output_load",
    ".output_required",
    ".param",
    ".wire",
    ".wire_arrival",
    ".wire_load_slope",
    ".wire_required",
];

impl<'t> BlifReader<'t> {
    fn close(&mut self) {
        let Some((mut gate, value)) = self.open.take() else {
            return;
        };
        if let GateFormula::Cover(_, negated) = &mut gate.formula {
            *negated = value == Some(false);
        }
        if !self.is_dont_care {
            self.gates.push(gate);
        }
    }

    fn take(
        &mut self,
        number: usize,
        command: &'t str,
        rest: &[&'t str],
    ) -> Result<(), NetlistError> {
        let wrong = |what: &str| NetlistError::new(number, what);
        if !command.starts_with('.') {
            return self.row(number, command, rest);
        }
        self.close();
        let names = rest.iter().map(|name| (number, *name));
        match command {
            // The don't-cares after `.exdc` repeat the inputs and outputs, which are ignored.
            ".model" | ".inputs" | ".outputs" if self.is_dont_care => {}
            ".model" if self.models == 0 => self.models = 1,
            ".model" => {
                return Err(wrong(
                    "a second .model is not supported; flatten the circuit",
                ));
            }
            ".inputs" => self.inputs.extend(names),
            ".outputs" => self.outputs.extend(names),
            ".exdc" => self.is_dont_care = true,
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
            ".conn" | ".barbuf" => {
                let &[source, name] = rest else {
                    let what = format!(
                        "{command} needs the names of two wires: `{command} source target`"
                    );
                    return Err(wrong(&what));
                };
                if !self.is_dont_care {
                    self.gates.push(Definition {
                        line: number,
                        name,
                        reads: vec![source],
                        formula: GateFormula::BUFFER,
                    });
                }
            }
            ".latch" | ".mlatch" => {
                let what = format!("BLIF: {command} is a latch; use a combinational circuit");
                return Err(wrong(&what));
            }
            ".subckt" | ".gate" | ".blackbox" | ".search" => {
                let what = format!(
                    "BLIF: {command} is a part of another file or library; flatten the circuit"
                );
                return Err(wrong(&what));
            }
            _ if BLIF_IGNORED.contains(&command) => {}
            _ => {
                let what = format!(
                    "BLIF: the command {command:?} is unknown; describe the gates with .names only"
                );
                return Err(wrong(&what));
            }
        }
        Ok(())
    }

    fn row(&mut self, number: usize, first: &str, rest: &[&str]) -> Result<(), NetlistError> {
        let wrong = |what: &str| NetlistError::new(number, what);
        let Some((gate, value)) = &mut self.open else {
            return Err(wrong("this row of a truth table must follow .names"));
        };
        let (pattern, out) = match (gate.reads.len(), rest) {
            (0, []) => ("", first),
            (_, [out]) => (first, *out),
            _ => {
                return Err(wrong(
                    "a row of .names needs its inputs, a space and its output",
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
            .ok_or_else(|| wrong("a row of .names needs 0, 1 or - for each input"))?;
        let out = match out {
            "0" => false,
            "1" => true,
            // The row is a don't-care, so only the other rows count.
            "-" => return Ok(()),
            _ => {
                return Err(wrong(
                    "the output of a row of .names must be 0, 1 or - (don't care)",
                ));
            }
        };
        if value.is_some_and(|value| value != out) {
            return Err(wrong("all rows of one .names must have the same output"));
        }
        *value = Some(out);
        if let GateFormula::Cover(rows, _) = &mut gate.formula {
            rows.push(cells);
        }
        Ok(())
    }
}
