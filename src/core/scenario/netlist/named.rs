//! Circuits whose gates have names, stand in any order and read any number of wires: what
//! `.bench` and BLIF files have in common.

use std::collections::HashMap;

use super::cone::sorted;
use super::{Gate2, Netlist, NetlistError, TruthTable, Wire};

/// The function of a named gate of the wires it reads, in order.
pub(super) enum GateFormula {
    /// The table applied over and over; the result is perhaps turned around.
    Fold(TruthTable, bool),
    /// At least one of these rows fits (a cell of a row may be either value); perhaps turned
    /// around.
    Cover(Vec<Vec<Option<bool>>>, bool),
}

/// A named gate.
pub(super) struct Definition<'t> {
    pub(super) line: usize,
    pub(super) name: &'t str,
    pub(super) reads: Vec<&'t str>,
    pub(super) formula: GateFormula,
}

/// A name and the line where it stands.
pub(super) type Named<'t> = (usize, &'t str);

/// Builds the circuit: wide gates become balanced trees of gates of two inputs.
pub(super) fn build(
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
            return Err(NetlistError::new(
                *line,
                format!("the input {name:?} stands twice"),
            ));
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
    let order = sorted(definitions.len(), |gate| &reads[gate]).map_err(|gate| {
        let what = format!(
            "the gate {:?} reads itself; break the cycle",
            definitions[gate].name
        );
        NetlistError::new(definitions[gate].line, what)
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
            return Err(NetlistError::new(
                *line,
                format!("there is no wire {name:?} to output"),
            ));
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
                    row.iter()
                        .zip(bits)
                        .all(|(cell, bit)| cell.is_none_or(|cell| cell == bit))
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
        let table = if neutral {
            TruthTable::TRUE
        } else {
            TruthTable::FALSE
        };
        return netlist.push(Gate2::new(table, 0, 0));
    }
    if let [(wire, turn)] = items[..] {
        let table = if turn == turned {
            TruthTable::SAME
        } else {
            TruthTable::NOT
        };
        return netlist.push(Gate2::new(table, wire, wire));
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
