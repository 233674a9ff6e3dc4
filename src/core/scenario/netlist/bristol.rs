//! Reader for circuits in Bristol Fashion, a file format from secure computation. Inputs and outputs are groups of
//! wires, with the least significant bit first; gates are listed in order, and the last wires are the outputs. The
//! older Bristol format differs only in its header.

use super::{
    MAX_GATES, Netlist, NetlistError, TwoInputGate, TwoInputTruthTable, Wire, numbers, text_lines,
};
use crate::text::count_with_noun;

/// Reads a circuit from a file in Bristol fashion or in the older Bristol format.
///
/// # Errors
/// Returns an error if the bytes are not such a file, or if a gate reads a wire that has no value yet.
pub fn read_bristol(bytes: &[u8]) -> Result<Netlist, NetlistError> {
    let mut lines = Vec::new();
    for line in text_lines(bytes, None) {
        let (number, line) = line?;
        if !line.trim().is_empty() {
            lines.push((number, line));
        }
    }
    let header = |index: usize, wanted_line: &str| -> Result<(usize, Vec<u32>), NetlistError> {
        let (number, line) = *lines
            .get(index)
            .ok_or_else(|| NetlistError::new(1, format!("the file ends before {wanted_line}")))?;
        let wrong = || NetlistError::new(number, format!("expected {wanted_line} here"));
        Ok((number, numbers(line).ok_or_else(wrong)?))
    };
    let (line, sizes) = header(0, "the numbers of gates and wires")?;
    let wrong = |what: &str| Err(NetlistError::new(line, what));
    let &[gates, wires] = &sizes[..] else {
        return wrong("the first line must have the numbers of gates and wires");
    };
    let second = header(1, "the groups of inputs")?;
    // The header of the older format has one line with the sizes of two inputs and of the output.
    let is_old = lines
        .get(2)
        .is_some_and(|(_, line)| numbers(line).is_none());
    let sizes = (is_old, &second.1[..]);
    let (inputs, outputs, header_lines) = if let (true, &[one, other, outputs]) = sizes {
        (one.checked_add(other), outputs, 2)
    } else {
        let inputs = group(second)?;
        let outputs = group(header(2, "the groups of outputs")?)?;
        (Some(inputs), outputs, 3)
    };
    let Some(inputs) = inputs.filter(|inputs| *inputs <= wires && outputs <= wires) else {
        return wrong("the header has fewer wires than inputs or outputs");
    };
    // The line of a gate has several bytes for the gate and for each wire that it defines.
    let inner = wires - inputs;
    if gates > MAX_GATES || u64::from(gates.max(inner)) > bytes.len() as u64 {
        return wrong(
            "the header announces more content than the file has, or too many variables or gates",
        );
    }
    let mut reader = BristolReader {
        netlist: Netlist::new(inputs),
        inner: vec![None; inner as usize],
    };
    let rows = lines.get(header_lines..).unwrap_or_default();
    for (number, line) in rows {
        reader
            .gate(line)
            .map_err(|what| NetlistError::new(*number, what))?;
    }
    if rows.len() as u64 != u64::from(gates) {
        let found = rows.len();
        return wrong(&format!(
            "the header promises {gates} gates, but the file has {found}"
        ));
    }
    if let Some(index) = reader.inner.iter().position(Option::is_none) {
        let wire = inputs as usize + index;
        return wrong(&format!(
            "the header promises {wires} wires, but wire {wire} has no gate"
        ));
    }
    for wire in wires - outputs..wires {
        let known = reader.wire(wire as usize);
        if !known.is_some_and(|wire| reader.netlist.add_output(wire)) {
            return wrong(&format!("the output wire {wire} has no gate"));
        }
    }
    Ok(reader.netlist)
}

/// Returns the sum of the sizes of groups of wires. The line has the number of groups, then their sizes.
fn group(header: (usize, Vec<u32>)) -> Result<u32, NetlistError> {
    let (line, numbers) = header;
    let wrong =
        "expected the number of input or output values here, then the number of wires of each";
    let wrong = || NetlistError::new(line, wrong);
    let (count, sizes) = numbers.split_first().ok_or_else(wrong)?;
    let sum = sizes
        .iter()
        .try_fold(0_u32, |sum, size| sum.checked_add(*size));
    sum.filter(|_| sizes.len() as u64 == u64::from(*count))
        .ok_or_else(wrong)
}

/// A partially read circuit.
struct BristolReader {
    netlist: Netlist,
    /// For each wire of the file that is not an input, the circuit's wire; `None` until the reader has read its gate.
    inner: Vec<Option<Wire>>,
}

impl BristolReader {
    /// Returns the circuit's wire for a wire of the file; `None` until the reader has read its gate.
    fn wire(&self, number: usize) -> Option<Wire> {
        match number.checked_sub(self.netlist.input_count() as usize) {
            None => Wire::try_from(number).ok(),
            Some(index) => *self.inner.get(index)?,
        }
    }

    /// Reads a line that defines a gate, such as `2 1 0 1 4 AND`.
    fn gate(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let form = "a gate needs its numbers of inputs and outputs, its wires and its name, such \
                    as `2 1 a b out AND`";
        let Some((name, words)) = words.split_last() else {
            return Err(form.to_owned());
        };
        let arity = |index: usize| words.get(index).and_then(|word| word.parse::<usize>().ok());
        let (Some(inputs), Some(outputs)) = (arity(0), arity(1)) else {
            return Err(form.to_owned());
        };
        let wires = words.get(2..).unwrap_or_default();
        if inputs.checked_add(outputs) != Some(wires.len()) {
            return Err(form.to_owned());
        }
        let (reads, writes) = wires.split_at(inputs);
        let (table, expected) = match *name {
            "AND" => (Some(TwoInputTruthTable::AND), (2, 1)),
            "XOR" => (Some(TwoInputTruthTable::XOR), (2, 1)),
            "INV" | "NOT" => (Some(TwoInputTruthTable::NOT_FIRST), (1, 1)),
            "EQW" => (Some(TwoInputTruthTable::FIRST), (1, 1)),
            "EQ" => (None, (1, 1)),
            // MAND: many AND gates on one line. All first inputs come before all second inputs.
            "MAND" if outputs > 0 => (Some(TwoInputTruthTable::AND), (2 * outputs, outputs)),
            _ => {
                let known = "AND, XOR, INV, EQW, EQ or MAND";
                return Err(format!(
                    "the Bristol format has no gate {name:?}; use {known}"
                ));
            }
        };
        if expected != (inputs, outputs) {
            let (ins, outs) = expected;
            let required_inputs = count_with_noun(ins, "input", "inputs");
            let required_outputs = count_with_noun(outs, "output", "outputs");
            return Err(format!(
                "a Bristol gate {name} has {required_inputs} and {required_outputs}"
            ));
        }
        let mut gates = Vec::with_capacity(outputs);
        for index in 0..outputs {
            let gate = match table {
                Some(table) => {
                    let a = self.read(reads[index])?;
                    // A gate of one input reads the same wire twice.
                    let b = match reads.get(index + outputs) {
                        Some(word) => self.read(word)?,
                        None => a,
                    };
                    TwoInputGate::new(table, a, b)
                }
                None => match reads[index] {
                    "0" => TwoInputGate::new(TwoInputTruthTable::FALSE, 0, 0),
                    "1" => TwoInputGate::new(TwoInputTruthTable::TRUE, 0, 0),
                    word => return Err(format!("a Bristol gate EQ reads 0 or 1, not {word:?}")),
                },
            };
            gates.push(gate);
        }
        for (gate, word) in gates.into_iter().zip(writes) {
            self.write(gate, word)?;
        }
        Ok(())
    }

    fn read(&self, word: &str) -> Result<Wire, String> {
        let number = word.parse().ok();
        number.and_then(|number| self.wire(number)).ok_or_else(|| {
            format!("the wire {word:?} is read, but no input or earlier gate defines it")
        })
    }

    fn write(&mut self, gate: TwoInputGate, word: &str) -> Result<(), String> {
        let inputs = self.netlist.input_count() as usize;
        let number = word.parse::<usize>().ok();
        let wires = inputs + self.inner.len();
        let Some(number) = number.filter(|number| *number < wires) else {
            return Err(format!(
                "there is no wire {word:?}; the circuit has {wires} wires, numbered from 0"
            ));
        };
        let index = number.checked_sub(inputs);
        let Some(index) = index.filter(|index| self.inner[*index].is_none()) else {
            return Err(format!(
                "the wire {number} is already an input, or the output of another gate"
            ));
        };
        let wire = self
            .netlist
            .push(gate)
            .ok_or("the circuit has too many gates")?;
        self.inner[index] = Some(wire);
        Ok(())
    }
}
