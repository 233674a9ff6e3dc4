//! The part of a circuit that one wire depends on, and gates in an order in which each comes after what it reads.

use super::{Gate2, Netlist, TruthTable, Wire};

impl Netlist {
    /// The circuit of one wire alone: the gates that it depends on, in order, that wire's gate
    /// last. Where the wire is an input, one gate that repeats it. `None` where there is no such
    /// wire.
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
        // Where a wire goes: inputs stay, gates move up to close the gaps.
        let moved = |wire: Wire| match wire.checked_sub(inputs) {
            None => wire,
            Some(gate) => inputs + needed.before(gate),
        };
        for gate in (0..=output - inputs).filter(|gate| needed.has(*gate)) {
            let gate = self.gate(inputs + gate)?;
            let (first, second) = gate.table.depends();
            // A wire that the gate does not depend on may be gone: read another in its place.
            let a = if first { gate.a } else { gate.b };
            let b = if second { gate.b } else { gate.a };
            let at = |wire| if first || second { moved(wire) } else { 0 };
            cone.push(Gate2::new(gate.table, at(a), at(b)))?;
        }
        cone.output(moved(output));
        Some(cone)
    }

    /// The gates that one of them, that of a wire, depends on, itself among them.
    fn needed(&self, output: Wire) -> Places {
        let inputs = self.inputs();
        let mut needed = vec![0_u64; (output - inputs) as usize / 64 + 1];
        let mut need = vec![output];
        for place in (0..=output - inputs).rev() {
            for wire in need.drain(..) {
                if let Some(gate) = Wire::checked_sub(wire, inputs) {
                    needed[gate as usize / 64] |= 1 << (gate % 64);
                }
            }
            let is_needed = needed[place as usize / 64] >> (place % 64) & 1 == 1;
            if let (true, Some(gate)) = (is_needed, self.gate(inputs + place)) {
                let (first, second) = gate.table.depends();
                need.extend(first.then_some(gate.a));
                need.extend(second.then_some(gate.b));
            }
        }
        Places::of(needed)
    }
}

/// A set of numbers, as bits, which knows how many of them are below each: a quarter of a byte
/// for each number.
struct Places {
    words: Vec<u64>,
    /// The counts in all words before each, and in all.
    before: Vec<u32>,
}

impl Places {
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

    fn has(&self, place: u32) -> bool {
        self.words[place as usize / 64] >> (place % 64) & 1 == 1
    }

    /// The count below a number.
    fn before(&self, place: u32) -> u32 {
        let word = place as usize / 64;
        let below = self.words[word] & ((1 << (place % 64)) - 1);
        self.before[word] + below.count_ones()
    }

    fn count(&self) -> u32 {
        self.before.last().copied().unwrap_or(0)
    }
}

/// Sorts gates that read others in any order. `reads` gives the gates that a gate reads. `Err` is
/// a gate that reads itself, perhaps through others.
pub(super) fn sorted<'r>(
    count: usize,
    reads: impl Fn(usize) -> &'r [usize],
) -> Result<Vec<usize>, usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; count];
    let mut order = Vec::with_capacity(count);
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for start in 0..count {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        stack.push((start, 0));
        while let Some((gate, place)) = stack.pop() {
            let Some(next) = reads(gate).get(place).copied() else {
                marks[gate] = Mark::Done;
                order.push(gate);
                continue;
            };
            stack.push((gate, place + 1));
            match marks[next] {
                Mark::Done => {}
                Mark::Open => return Err(next),
                Mark::New => {
                    marks[next] = Mark::Open;
                    stack.push((next, 0));
                }
            }
        }
    }
    Ok(order)
}
