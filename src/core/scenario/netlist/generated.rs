//! Generated circuits for parity, majority, addition and multiplication.

use super::{Netlist, TwoInputGate, TwoInputTruthTable, Wire};

/// A builder for a circuit each of whose gates reads earlier wires.
struct CircuitBuilder(Netlist);

impl CircuitBuilder {
    fn gate(&mut self, table: TwoInputTruthTable, a: Wire, b: Wire) -> Option<Wire> {
        self.0.push(TwoInputGate::new(table, a, b))
    }

    fn zero(&mut self) -> Option<Wire> {
        self.0
            .push(TwoInputGate::new(TwoInputTruthTable::FALSE, 0, 0))
    }

    /// Adds five gates that compute the sum and the carry of three bits.
    fn full_adder(&mut self, a: Wire, b: Wire, c: Wire) -> Option<(Wire, Wire)> {
        let half = self.gate(TwoInputTruthTable::XOR, a, b)?;
        let sum = self.gate(TwoInputTruthTable::XOR, half, c)?;
        let both = self.gate(TwoInputTruthTable::AND, a, b)?;
        let passed = self.gate(TwoInputTruthTable::AND, half, c)?;
        Some((sum, self.gate(TwoInputTruthTable::OR, both, passed)?))
    }

    /// Adds gates that compute the sum of two numbers of equal length. The least significant bit is first, and the
    /// carry is the last bit of the sum.
    fn add(&mut self, a: &[Wire], b: &[Wire]) -> Option<Vec<Wire>> {
        let mut carry = self.zero()?;
        let mut sum = Vec::with_capacity(a.len() + 1);
        for (a, b) in a.iter().zip(b) {
            let (bit, next) = self.full_adder(*a, *b, carry)?;
            sum.push(bit);
            carry = next;
        }
        sum.push(carry);
        Some(sum)
    }

    fn close(mut self, outputs: &[Wire]) -> Option<Netlist> {
        outputs
            .iter()
            .all(|wire| self.0.add_output(*wire))
            .then_some(self.0)
    }
}

/// Builds a circuit that outputs 1 if an odd number of its n inputs is 1: a balanced tree of XOR gates. `None` if n is
/// 0 or too large.
pub fn parity_circuit(n: u32) -> Option<Netlist> {
    let mut builder = CircuitBuilder(Netlist::new(n));
    let mut wires: Vec<Wire> = (0..n).collect();
    while wires.len() > 1 {
        let mut next = Vec::with_capacity(wires.len().div_ceil(2));
        for pair in wires.chunks(2) {
            next.push(match *pair {
                [a, b] => builder.gate(TwoInputTruthTable::XOR, a, b)?,
                _ => *pair.first()?,
            });
        }
        wires = next;
    }
    let output = *wires.first()?;
    builder.close(&[output])
}

/// Builds a circuit that outputs 1 if more than half of its n inputs are 1: it counts them with full adders and
/// compares the count with ⌊n/2⌋. `None` if n is 0 or too large.
pub fn majority_circuit(n: u32) -> Option<Netlist> {
    if n == 0 {
        return None;
    }
    let mut builder = CircuitBuilder(Netlist::new(n));
    let zero = builder.zero()?;
    // Column k contains bits of weight 2^k. A full adder replaces three bits by one in this column and one in the next.
    let mut columns: Vec<Vec<Wire>> = vec![(0..n).collect()];
    let mut count = Vec::new();
    let mut index = 0;
    while index < columns.len() {
        let mut column = std::mem::take(&mut columns[index]);
        while column.len() > 1 {
            let a = column.pop()?;
            let b = column.pop()?;
            let c = column.pop().unwrap_or(zero);
            let (sum, carry) = builder.full_adder(a, b, c)?;
            column.push(sum);
            if columns.len() == index + 1 {
                columns.push(Vec::new());
            }
            columns[index + 1].push(carry);
        }
        count.push(*column.first()?);
        index += 1;
    }
    // count > ⌊n/2⌋, from the least significant bit up: the highest bit in which they differ decides.
    let mut more = zero;
    for (index, bit) in (0..).zip(count) {
        more = if ((n / 2) >> index) & 1 == 1 {
            builder.gate(TwoInputTruthTable::AND, bit, more)?
        } else {
            builder.gate(TwoInputTruthTable::OR, bit, more)?
        };
    }
    builder.close(&[more])
}

/// Builds a circuit that adds two n-bit numbers. Its inputs are the bits of a, then the bits of b; the circuit has n +
/// 1 outputs. All numbers begin with the least significant bit. `None` if n is 0 or too large.
pub fn adder_circuit(n: u32) -> Option<Netlist> {
    let mut builder = CircuitBuilder(Netlist::new(n.checked_mul(2).filter(|inputs| *inputs > 0)?));
    let (a, b): (Vec<Wire>, Vec<Wire>) = ((0..n).collect(), (n..2 * n).collect());
    let sum = builder.add(&a, &b)?;
    builder.close(&sum)
}

/// Builds a circuit that multiplies two n-bit numbers by shifting and adding. Its inputs are the bits of a, then the
/// bits of b; the circuit has 2n outputs. All numbers begin with the least significant bit. `None` if n is 0 or too
/// large.
pub fn multiplier_circuit(n: u32) -> Option<Netlist> {
    let mut builder = CircuitBuilder(Netlist::new(n.checked_mul(2).filter(|inputs| *inputs > 0)?));
    let row = |builder: &mut CircuitBuilder, b: Wire| -> Option<Vec<Wire>> {
        (0..n)
            .map(|a| builder.gate(TwoInputTruthTable::AND, a, b))
            .collect()
    };
    let mut product = Vec::with_capacity(2 * n as usize);
    let zero = builder.zero()?;
    let mut high = row(&mut builder, n)?;
    high.push(zero);
    for b in n + 1..2 * n {
        product.push(high.remove(0));
        let next = row(&mut builder, b)?;
        high = builder.add(&high, &next)?;
    }
    product.extend(high);
    product.truncate(2 * n as usize);
    builder.close(&product)
}
