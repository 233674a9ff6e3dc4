//! Circuits in flat arrays: gates of at most two inputs, ordered so that each gate comes after its inputs. The code
//! does not recurse, so depth costs nothing. The readers are written by hand: each names the line that is wrong, and
//! refuses a file that is too large before it takes the memory.
//!
//! Entry points: a reader such as [`read_aiger`] makes a [`Netlist`] from bytes; [`Netlist::evaluate`] gives every
//! wire's value on an input.

mod aiger;
mod basis;
mod bristol;
pub mod generated;
mod named;

use thiserror::Error;

use crate::number::to_u32_saturating;
use crate::text::numbered_byte_lines;

pub use aiger::read_aiger;
pub use basis::{AndOrNotCircuit, Fork, Literal};
pub use bristol::read_bristol;
pub use named::{read_bench, read_blif};

/// The number of a wire: inputs first, then gates.
pub type Wire = u32;

/// Maximum number of gates that a circuit may have.
pub const MAX_GATES: u32 = 1 << 28;

/// A function of two bits, as its truth table: bit `2a + b` is its value at (a, b).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TruthTable(u8);

impl TruthTable {
    /// The values of the two inputs, in the order of the rows.
    pub const ROWS: [(bool, bool); 4] =
        [(false, false), (false, true), (true, false), (true, true)];
    /// Always false.
    pub const FALSE: Self = Self(0b0000);
    /// Always true.
    pub const TRUE: Self = Self(0b1111);
    /// The first bit.
    pub const SAME: Self = Self(0b1100);
    /// The opposite of the first bit.
    pub const NOT: Self = Self(0b0011);
    /// Both.
    pub const AND: Self = Self(0b1000);
    /// At least one.
    pub const OR: Self = Self(0b1110);
    /// Exactly one.
    pub const XOR: Self = Self(0b0110);

    /// Returns the value at (a, b).
    #[inline]
    pub fn at(self, a: bool, b: bool) -> bool {
        self.0 >> (u8::from(a) << 1 | u8::from(b)) & 1 == 1
    }

    /// Returns the table of a function.
    pub fn of(function: impl Fn(bool, bool) -> bool) -> Self {
        let row = |row: u8| u8::from(function(row >> 1 == 1, row & 1 == 1)) << row;
        Self((0..4).map(row).sum())
    }

    /// Returns the constant with this value.
    pub fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// Returns the first bit, or its negation.
    pub fn copy_first(turned: bool) -> Self {
        if turned { Self::NOT } else { Self::SAME }
    }

    /// Returns the negation of the function.
    #[must_use]
    pub fn opposite(self) -> Self {
        Self(!self.0 & 0b1111)
    }

    /// Returns the same function with either bit negated before it is read.
    #[must_use]
    pub fn reading(self, turn_a: bool, turn_b: bool) -> Self {
        Self::of(|a, b| self.at(a != turn_a, b != turn_b))
    }
}

/// One gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate2 {
    pub table: TruthTable,
    /// The wire that gives its first bit.
    pub a: Wire,
    /// The wire that gives its second bit; a gate of one input reads the same wire twice.
    pub b: Wire,
}

impl Gate2 {
    /// Creates a gate that computes `table` of the wires `a` and `b`.
    pub fn new(table: TruthTable, a: Wire, b: Wire) -> Self {
        Self { table, a, b }
    }
}

/// The reason why bytes are not a circuit.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: {what}")]
pub struct NetlistError {
    /// The line, from 1; within a binary part the line that it begins on.
    pub line: usize,
    pub what: String,
}

impl NetlistError {
    pub(super) fn new(line: usize, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { line, what }
    }
}

/// A combinational circuit: nine bytes a gate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Netlist {
    inputs: u32,
    tables: Vec<TruthTable>,
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

    /// Reserves memory for `gates` gates at once, so that growth never holds them twice.
    fn reserve(&mut self, gates: u32) {
        let gates = gates as usize;
        self.tables.reserve_exact(gates);
        self.left.reserve_exact(gates);
        self.right.reserve_exact(gates);
    }

    /// Adds a gate that reads earlier wires (a constant may read wire 0 in any case). Returns its wire; `None` if it
    /// reads a wire that does not exist yet, or there are too many gates.
    pub fn push(&mut self, gate: Gate2) -> Option<Wire> {
        let wire = self.inputs.checked_add(self.gates())?;
        let constant = gate.table == TruthTable::FALSE || gate.table == TruthTable::TRUE;
        let reads_earlier = gate.a < wire && gate.b < wire;
        if self.gates() >= MAX_GATES || !(reads_earlier || constant && gate.a == 0 && gate.b == 0) {
            return None;
        }
        self.tables.push(gate.table);
        self.left.push(gate.a);
        self.right.push(gate.b);
        Some(wire)
    }

    /// Declares a wire an output. Returns false if there is no such wire.
    pub fn output(&mut self, wire: Wire) -> bool {
        let exists = wire < self.inputs + self.gates();
        if exists {
            self.outputs.push(wire);
        }
        exists
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> u32 {
        self.inputs
    }

    /// Returns the number of gates.
    pub fn gates(&self) -> u32 {
        // `push` keeps the number below `MAX_GATES`.
        to_u32_saturating(self.tables.len())
    }

    /// Returns the outputs' wires.
    pub fn outputs(&self) -> &[Wire] {
        &self.outputs
    }

    /// Returns the gate of a wire; `None` at an input.
    pub fn gate(&self, wire: Wire) -> Option<Gate2> {
        let index = wire.checked_sub(self.inputs)? as usize;
        Some(Gate2 {
            table: *self.tables.get(index)?,
            a: self.left[index],
            b: self.right[index],
        })
    }

    /// Returns the value of every wire, inputs first. `None` if the number of bits differs from the number of inputs.
    pub fn evaluate(&self, input: &[bool]) -> Option<Vec<bool>> {
        if input.len() != self.inputs as usize {
            return None;
        }
        let mut values = vec![false; input.len() + self.tables.len()];
        values[..input.len()].copy_from_slice(input);
        let gates = self.tables.iter().zip(&self.left).zip(&self.right);
        for (wire, ((table, a), b)) in (input.len()..).zip(gates) {
            values[wire] = table.at(values[*a as usize], values[*b as usize]);
        }
        Some(values)
    }

    /// Gates on the longest way from an input to an output.
    pub fn depth(&self) -> u32 {
        let inputs = self.inputs as usize;
        let mut depth = vec![0_u32; inputs + self.tables.len()];
        for (wire, (a, b)) in (inputs..).zip(self.left.iter().zip(&self.right)) {
            // A constant without an earlier wire reads itself; its depth is 0 so far.
            depth[wire] = 1 + depth[*a as usize].max(depth[*b as usize]);
        }
        let outputs = self.outputs.iter();
        outputs.map(|wire| depth[*wire as usize]).max().unwrap_or(0)
    }
}

impl Netlist {
    /// Returns the circuit of one wire: the gates that it depends on, in order, with that wire's gate last. If the wire
    /// is an input, the circuit has one gate that repeats it. `None` if there is no such wire.
    pub fn cone(&self, output: Wire) -> Option<Self> {
        let inputs = self.inputs();
        if output >= inputs + self.gates() {
            return None;
        }
        let mut cone = Self::new(inputs);
        if output < inputs {
            let same = Gate2::new(TruthTable::SAME, output, output);
            let wire = cone.push(same)?;
            cone.output(wire);
            return Some(cone);
        }
        let needed = self.needed(output);
        cone.reserve(needed.count());
        // Maps a wire to its new number: inputs stay, gates move up to close the gaps.
        let moved = |wire: Wire| match wire.checked_sub(inputs) {
            None => wire,
            Some(gate) => inputs + needed.before(gate),
        };
        for gate in (0..=output - inputs).filter(|gate| needed.has(*gate)) {
            let gate = self.gate(inputs + gate)?;
            let (first, second) = gate.table.depends_on_inputs();
            // A wire that the gate does not depend on may be removed, so read another wire instead.
            let a = if first { gate.a } else { gate.b };
            let b = if second { gate.b } else { gate.a };
            let at = |wire| if first || second { moved(wire) } else { 0 };
            cone.push(Gate2::new(gate.table, at(a), at(b)))?;
        }
        cone.output(moved(output));
        Some(cone)
    }

    /// Returns the set of gates that a wire's gate depends on, including itself.
    fn needed(&self, output: Wire) -> NumberSet {
        let inputs = self.inputs();
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
        NumberSet::of(needed)
    }
}

/// A set of numbers as bits that can count its members below any number: a quarter of a byte per number.
struct NumberSet {
    words: Vec<u64>,
    /// The total count before each word, and of all words.
    before: Vec<u32>,
}

impl NumberSet {
    fn of(words: Vec<u64>) -> Self {
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

    fn has(&self, index: u32) -> bool {
        self.words[index as usize / 64] >> (index % 64) & 1 == 1
    }

    /// Returns the number of members below a number.
    fn before(&self, index: u32) -> u32 {
        let word = index as usize / 64;
        let below = self.words[word] & ((1 << (index % 64)) - 1);
        self.before[word] + below.count_ones()
    }

    fn count(&self) -> u32 {
        self.before.last().copied().unwrap_or(0)
    }
}

/// Returns an order in which each node comes after the nodes that it reads, starting from these. If a node would read
/// itself, returns that node and the index of the read that closes the cycle. Iterative: a chain may be as deep as a
/// file is long.
pub(super) fn sorted(
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

/// Returns the numbers of a line; `None` if a word is not a number.
fn numbers(line: &str) -> Option<Vec<u32>> {
    let words = line.split_ascii_whitespace();
    words.map(|word| word.parse().ok()).collect()
}

/// Returns the lines of a text format with their numbers, without `comment` and the text after it. A comment may be in
/// any encoding; any other line that is not UTF-8 is an error.
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
