//! The verifier of a descent as a circuit, to be cross-examined in its turn (DQC Lemma 8).

use std::collections::HashMap;

use crate::scenario::netlist::{AndOrNot, Gate2, Literal, Netlist, TruthTable, Wire};

/// The most (wire, move) pairs that a verifier may have to tell apart; each costs three gates.
const MAX_PLACES: usize = 1 << 20;

/// A wire of the verifier, perhaps turned around.
type Bit = (Wire, bool);

/// A circuit over the answer, the selections in order (as many as the debated circuit is deep, 1
/// for the second input; those beyond the end are not looked at) and the input x, which is 1 where
/// the prover wins. `None` where it would have millions of gates.
pub(super) fn of(circuit: &AndOrNot) -> Option<Netlist> {
    let depth = circuit.depth();
    let first_input = depth.checked_add(1)?;
    let mut verifier = Netlist::new(first_input.checked_add(circuit.inputs())?);
    let output = match circuit.output() {
        Literal::Constant(value) => {
            let table = if value {
                TruthTable::SAME
            } else {
                TruthTable::NOT
            };
            verifier.push(Gate2::new(table, 0, 0))?
        }
        Literal::Wire { wire, turned } => {
            let walk = levels(circuit, wire)?;
            let mut below = HashMap::new();
            for (level, wires) in (0..).zip(&walk).collect::<Vec<_>>().into_iter().rev() {
                let mut here = HashMap::with_capacity(wires.len());
                for wire in wires {
                    let fork = circuit.fork(*wire)?;
                    let [one, other] = fork.legs.map(|(leg, turned)| {
                        let (wire, turn) = place(circuit, &below, leg)?;
                        Some((wire, turn != turned))
                    });
                    let chosen = select(&mut verifier, 1 + level, one?, other?)?;
                    here.insert(*wire, (chosen, false));
                }
                below = here;
            }
            // The value that the walk comes to is what the output was found to be.
            let (end, turn) = place(circuit, &below, wire)?;
            let same = TruthTable::XOR.opposite().reading(false, turn != turned);
            verifier.push(Gate2::new(same, 0, end))?
        }
    };
    verifier.output(output);
    Some(verifier)
}

/// The gates that a debate can be at after so many moves.
fn levels(circuit: &AndOrNot, top: Wire) -> Option<Vec<Vec<Wire>>> {
    let mut levels = Vec::new();
    let mut level = vec![top];
    let mut places = 0;
    loop {
        level.retain(|wire| circuit.fork(*wire).is_some());
        level.sort_unstable();
        level.dedup();
        places += level.len();
        if places > MAX_PLACES {
            return None;
        }
        if level.is_empty() {
            return Some(levels);
        }
        let forks = level.iter().filter_map(|wire| circuit.fork(*wire));
        let next = forks
            .flat_map(|fork| fork.legs.map(|(leg, _)| leg))
            .collect();
        levels.push(std::mem::replace(&mut level, next));
    }
}

/// The value that a walk on from a wire comes to: an input's own bit, or that of its selections.
fn place(circuit: &AndOrNot, below: &HashMap<Wire, Bit>, wire: Wire) -> Option<Bit> {
    if wire < circuit.inputs() {
        return Some((1 + circuit.depth() + wire, false));
    }
    below.get(&wire).copied()
}

/// The first bit where a selection is 0, the second where it is 1.
fn select(verifier: &mut Netlist, selection: Wire, one: Bit, other: Bit) -> Option<Wire> {
    let mut when = |value: bool, (wire, turned): Bit| {
        verifier.push(Gate2::new(
            TruthTable::AND.reading(!value, turned),
            selection,
            wire,
        ))
    };
    let (a, b) = (when(false, one)?, when(true, other)?);
    verifier.push(Gate2::new(TruthTable::OR, a, b))
}
