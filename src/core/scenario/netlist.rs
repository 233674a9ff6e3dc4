//! Circuits in flat arrays: each gate reads at most two earlier wires. The code does not recurse, so a deep circuit
//! needs no deep stack. The readers of file formats are written by hand: an error names the line with the mistake, and
//! a file that is too large is rejected before memory is allocated.
//!
//! Entry points: a reader such as [`read_aiger`] makes a [`Netlist`] from bytes; [`Netlist::evaluate_wires`] gives
//! every wire's value on an input.

mod aiger;
mod basis;
mod bristol;
pub mod generated;
mod named;

use thiserror::Error;

use crate::number::to_u32_saturating;
use crate::text::numbered_byte_lines;

pub use aiger::read_aiger;
pub use basis::{AndOrGate, CircuitLiteral, RewrittenAndOrNotCircuit};
pub use bristol::read_bristol;
pub use named::{read_bench, read_blif};

/// The number of a wire of a circuit. The inputs have the first numbers, then the gates.
pub type Wire = u32;

/// Maximum number of gates that a circuit may have.
pub const MAX_GATES: u32 = 1 << 28;

/// A Boolean function of two bits a and b as a truth table: bit `2a + b` is its value at (a, b).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TwoInputTruthTable(u8);

impl TwoInputTruthTable {
    /// The rows of every truth table: the four possible values of the two inputs.
    pub const ROWS: [(bool, bool); 4] =
        [(false, false), (false, true), (true, false), (true, true)];
    /// Always false.
    pub const FALSE: Self = Self(0b0000);
    /// Always true.
    pub const TRUE: Self = Self(0b1111);
    /// The gate function a: the first bit. It ignores the second.
    pub const FIRST: Self = Self(0b1100);
    /// The gate function NOT a: it negates the first bit and ignores the second.
    pub const NOT_FIRST: Self = Self(0b0011);
    /// The function that is true if both bits are 1.
    pub const AND: Self = Self(0b1000);
    /// The function that is true if at least one bit is 1.
    pub const OR: Self = Self(0b1110);
    /// The function that is true if exactly one bit is 1.
    pub const XOR: Self = Self(0b0110);

    /// Returns the function's value at (a, b).
    #[inline]
    pub fn value_at(self, a: bool, b: bool) -> bool {
        self.0 >> (u8::from(a) << 1 | u8::from(b)) & 1 == 1
    }

    /// Returns the truth table of a function of two bits.
    pub fn from_function(function: impl Fn(bool, bool) -> bool) -> Self {
        let row = |row: u8| u8::from(function(row >> 1 == 1, row & 1 == 1)) << row;
        Self((0..4).map(row).sum())
    }

    /// Returns the constant function with this value.
    pub fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// Returns the gate function a or, if `negated` is set, NOT a. It ignores the second bit.
    pub fn first_input_function(negated: bool) -> Self {
        if negated {
            Self::NOT_FIRST
        } else {
            Self::FIRST
        }
    }

    /// Returns the negation of the function.
    #[must_use]
    pub fn negation(self) -> Self {
        Self(!self.0 & 0b1111)
    }

    /// Returns this function with its inputs negated first, as the two flags say.
    #[must_use]
    pub fn with_inputs_negated(self, negate_a: bool, negate_b: bool) -> Self {
        Self::from_function(|a, b| self.value_at(a != negate_a, b != negate_b))
    }
}

/// A gate of two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoInputGate {
    pub table: TwoInputTruthTable,
    /// The wire that is the gate's first input.
    pub a: Wire,
    /// The wire that is the gate's second input. A gate with only one input reads the same wire twice.
    pub b: Wire,
}

impl TwoInputGate {
    /// Creates a gate that computes the function `table` of the wires `a` and `b`.
    pub fn new(table: TwoInputTruthTable, a: Wire, b: Wire) -> Self {
        Self { table, a, b }
    }
}

/// The reason why a file cannot be read as a circuit.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {what}")]
pub struct NetlistError {
    /// The number, from 1, of the line with the error; for an error in a binary part, of the line on which this part
    /// begins.
    pub line: usize,
    pub what: String,
}

impl NetlistError {
    pub(super) fn new(line: usize, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { line, what }
    }
}

/// A combinational circuit. It takes nine bytes of memory per gate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Netlist {
    inputs: u32,
    tables: Vec<TwoInputTruthTable>,
    left: Vec<Wire>,
    right: Vec<Wire>,
    outputs: Vec<Wire>,
}

impl Netlist {
    /// Creates a circuit with `inputs` inputs and no gates.
    pub fn new(inputs: u32) -> Self {
        Self {
            inputs,
            ..Self::default()
        }
    }

    /// Reserves memory for `gates` more gates. Without this, the growing arrays would be copied repeatedly and need
    /// twice the memory.
    fn reserve(&mut self, gates: u32) {
        let gates = gates as usize;
        self.tables.reserve_exact(gates);
        self.left.reserve_exact(gates);
        self.right.reserve_exact(gates);
    }

    /// Adds a gate and returns its wire. The gate must read earlier wires, except that a constant gate may read wire 0
    /// of an empty circuit. `None` if it reads a wire that does not exist, or if there are too many gates.
    pub fn push(&mut self, gate: TwoInputGate) -> Option<Wire> {
        let wire = self.inputs.checked_add(self.gate_count())?;
        let constant =
            gate.table == TwoInputTruthTable::FALSE || gate.table == TwoInputTruthTable::TRUE;
        let reads_earlier = gate.a < wire && gate.b < wire;
        if self.gate_count() >= MAX_GATES
            || !(reads_earlier || constant && gate.a == 0 && gate.b == 0)
        {
            return None;
        }
        self.tables.push(gate.table);
        self.left.push(gate.a);
        self.right.push(gate.b);
        Some(wire)
    }

    /// Declares a wire as an output of the circuit. Returns false if there is no such wire.
    pub fn add_output(&mut self, wire: Wire) -> bool {
        let exists = wire < self.inputs + self.gate_count();
        if exists {
            self.outputs.push(wire);
        }
        exists
    }

    /// Returns the number of inputs.
    pub fn input_count(&self) -> u32 {
        self.inputs
    }

    /// Returns the number of gates.
    pub fn gate_count(&self) -> u32 {
        // `push` keeps the number at most `MAX_GATES`.
        to_u32_saturating(self.tables.len())
    }

    /// Returns the outputs' wires.
    pub fn outputs(&self) -> &[Wire] {
        &self.outputs
    }

    /// Returns the gate that computes a wire; `None` for an input, or if there is no such wire.
    pub fn gate(&self, wire: Wire) -> Option<TwoInputGate> {
        let index = wire.checked_sub(self.inputs)? as usize;
        Some(TwoInputGate {
            table: *self.tables.get(index)?,
            a: self.left[index],
            b: self.right[index],
        })
    }

    /// Evaluates the circuit: returns the value of every wire, inputs first. `None` if the input has the wrong number
    /// of bits.
    pub fn evaluate_wires(&self, input: &[bool]) -> Option<Vec<bool>> {
        if input.len() != self.inputs as usize {
            return None;
        }
        let mut values = vec![false; input.len() + self.tables.len()];
        values[..input.len()].copy_from_slice(input);
        let gates = self.tables.iter().zip(&self.left).zip(&self.right);
        for (wire, ((table, a), b)) in (input.len()..).zip(gates) {
            values[wire] = table.value_at(values[*a as usize], values[*b as usize]);
        }
        Some(values)
    }

    /// Returns the number of gates on the longest path from an input to an output.
    pub fn circuit_depth(&self) -> u32 {
        let inputs = self.inputs as usize;
        let mut depth = vec![0_u32; inputs + self.tables.len()];
        for (wire, (a, b)) in (inputs..).zip(self.left.iter().zip(&self.right)) {
            // A constant gate may be wire 0 and read itself; its depth is still 0 here.
            depth[wire] = 1 + depth[*a as usize].max(depth[*b as usize]);
        }
        let outputs = self.outputs.iter();
        outputs.map(|wire| depth[*wire as usize]).max().unwrap_or(0)
    }
}

impl Netlist {
    /// Returns the smaller circuit that computes only one wire: the gates on which the wire depends, in order, with the
    /// wire's own gate last. If the wire is an input, the circuit has one gate that copies it. `None` if there is no
    /// such wire.
    pub fn circuit_of_wire_if_exists(&self, output: Wire) -> Option<Self> {
        let inputs = self.input_count();
        if output >= inputs + self.gate_count() {
            return None;
        }
        let mut cone = Self::new(inputs);
        if output < inputs {
            let same = TwoInputGate::new(TwoInputTruthTable::FIRST, output, output);
            let wire = cone.push(same)?;
            cone.add_output(wire);
            return Some(cone);
        }
        let needed = self.gates_needed_for(output);
        cone.reserve(needed.count());
        // Maps a wire to its new number: inputs stay, gates move up to close the gaps.
        let moved = |wire: Wire| match wire.checked_sub(inputs) {
            None => wire,
            Some(gate) => inputs + needed.count_below(gate),
        };
        for gate in (0..=output - inputs).filter(|gate| needed.contains(*gate)) {
            let gate = self.gate(inputs + gate)?;
            let (first, second) = gate.table.depends_on_inputs();
            // A wire that the gate does not depend on may be removed, so read another wire instead.
            let a = if first { gate.a } else { gate.b };
            let b = if second { gate.b } else { gate.a };
            let at = |wire| if first || second { moved(wire) } else { 0 };
            cone.push(TwoInputGate::new(gate.table, at(a), at(b)))?;
        }
        cone.add_output(moved(output));
        Some(cone)
    }

    /// Returns the set of gates on which a wire depends, including the wire's own gate.
    fn gates_needed_for(&self, output: Wire) -> NumberSet {
        let inputs = self.input_count();
        let mut needed = vec![0_u64; (output - inputs) as usize / 64 + 1];
        let mut need = vec![output];
        for index in (0..=output - inputs).rev() {
            for wire in need.drain(..) {
                if let Some(gate) = Wire::checked_sub(wire, inputs) {
                    needed[gate as usize / 64] |= 1 << (gate % 64);
                }
            }
            let is_needed = needed[index as usize / 64] >> (index % 64) & 1 == 1;
            if let (true, Some(gate)) = (is_needed, self.gate(inputs + index)) {
                let (first, second) = gate.table.depends_on_inputs();
                need.extend(first.then_some(gate.a));
                need.extend(second.then_some(gate.b));
            }
        }
        NumberSet::from_words(needed)
    }
}

/// A set of numbers, stored as a bit set, that can count its members below any number. Each number of its range takes
/// 1.5 bits.
struct NumberSet {
    words: Vec<u64>,
    /// For each 64-bit word of the set, the number of members in all words before it. The last entry counts all
    /// members.
    before: Vec<u32>,
}

impl NumberSet {
    fn from_words(words: Vec<u64>) -> Self {
        let mut sum = 0;
        let counted = words.iter().map(|word| {
            sum += word.count_ones();
            sum
        });
        Self {
            before: std::iter::once(0).chain(counted).collect(),
            words,
        }
    }

    fn contains(&self, index: u32) -> bool {
        self.words[index as usize / 64] >> (index % 64) & 1 == 1
    }

    /// Returns the number of members of the set that are below a number.
    fn count_below(&self, index: u32) -> u32 {
        let word = index as usize / 64;
        let below = self.words[word] & ((1 << (index % 64)) - 1);
        self.before[word] + below.count_ones()
    }

    fn count(&self) -> u32 {
        self.before.last().copied().unwrap_or(0)
    }
}

/// Returns the nodes reachable from `starts` in topological order: each after the nodes that it reads. If there is a
/// cycle, returns a node on it and the index, among its reads, of the one that closes the cycle. Does not recurse,
/// because a chain of gates may be as long as the file.
pub(super) fn topological_order(
    starts: impl IntoIterator<Item = usize>,
    reads: &[Vec<usize>],
) -> Result<Vec<usize>, (usize, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; reads.len()];
    let mut order = Vec::with_capacity(reads.len());
    for start in starts {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut stack = vec![(start, 0)];
        while let Some((node, index)) = stack.pop() {
            let Some(next) = reads[node].get(index).copied() else {
                marks[node] = Mark::Done;
                order.push(node);
                continue;
            };
            stack.push((node, index + 1));
            match marks[next] {
                Mark::Done => {}
                Mark::Open => return Err((node, index)),
                Mark::New => {
                    marks[next] = Mark::Open;
                    stack.push((next, 0));
                }
            }
        }
    }
    Ok(order)
}

/// Parses a line of numbers; `None` if a word is not a number.
fn numbers(line: &str) -> Option<Vec<u32>> {
    let words = line.split_ascii_whitespace();
    words.map(|word| word.parse().ok()).collect()
}

/// Splits a file into numbered lines of text. Removes the character `comment` and the text after it. Comments may be in
/// any encoding; other text that is not UTF-8 is an error.
fn text_lines(
    bytes: &[u8],
    comment: Option<u8>,
) -> impl Iterator<Item = Result<(usize, &str), NetlistError>> {
    numbered_byte_lines(bytes).map(move |(number, line)| {
        let is_comment = |byte: &u8| Some(*byte) == comment;
        let line = line.split(is_comment).next().unwrap_or_default();
        let text = std::str::from_utf8(line).map_err(|_error| {
            let what =
                "this line is not UTF-8 text; save the circuit as UTF-8, or state its `format`";
            NetlistError::new(number, what)
        })?;
        Ok((number, text.trim_ascii_end()))
    })
}
