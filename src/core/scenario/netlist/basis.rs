//! Circuits rewritten with AND, OR and NOT, in which NOT is not counted as a gate: every gate is an AND or an OR whose
//! inputs may be negated.

use super::{Netlist, TwoInputGate, TwoInputTruthTable, Wire};

/// A value in a rewritten circuit: a constant, a wire or a negated wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CircuitLiteral {
    /// A constant.
    Constant(bool),
    /// A wire or its negation.
    Wire {
        /// The wire.
        wire: Wire,
        /// True if the value is the negation of the wire.
        negated: bool,
    },
}

impl CircuitLiteral {
    fn positive(wire: Wire) -> Self {
        Self::Wire {
            wire,
            negated: false,
        }
    }

    fn negated_if(self, turn: bool) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(value != turn),
            Self::Wire { wire, negated } => Self::Wire {
                wire,
                negated: negated != turn,
            },
        }
    }
}

/// A gate of an [`RewrittenAndOrNotCircuit`]: an AND or an OR of two wires or their negations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AndOrGate {
    /// True if the gate is an OR, false if it is an AND.
    pub is_or: bool,
    /// The two wires that the gate reads, each with a flag: true if the wire is negated first.
    pub inputs: [(Wire, bool); 2],
}

/// A circuit with one output, rewritten with AND, OR and NOT. The inputs keep their wire numbers.
///
/// A gate with an odd number of true rows, such as AND, OR, NAND or NOR, stays one gate. An exclusive or becomes an OR
/// of two ANDs. Constants and gates of one input are removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewrittenAndOrNotCircuit {
    /// The gates. In each gate's truth table, one row differs from the three others, so the gate is an AND or an OR
    /// with negations.
    netlist: Netlist,
    /// For each gate, the original circuit's wire from which it comes, and the part of that wire's gate: 0, or 1 or 2
    /// for the halves of an exclusive or.
    sources: Vec<(Wire, u8)>,
    /// For each gate, the number of gates on the longest path from an input to it.
    levels: Vec<u32>,
    output: CircuitLiteral,
}

impl RewrittenAndOrNotCircuit {
    /// Returns the output: a constant, a wire or a negated wire.
    pub fn output(&self) -> CircuitLiteral {
        self.output
    }

    /// Returns the number of inputs. A wire whose number is below it is an input.
    pub fn input_count(&self) -> u32 {
        self.netlist.input_count()
    }

    /// Returns the number of gates.
    pub fn gate_count(&self) -> u32 {
        self.netlist.gate_count()
    }

    /// Returns the gate that computes a wire; `None` for an input, or if there is no such wire.
    pub fn and_or_gate(&self, wire: Wire) -> Option<AndOrGate> {
        let gate = self.netlist.gate(wire)?;
        let (odd, value) = row_with_unique_value(gate.table)?;
        // In the row with the unique value, both inputs of an AND are 1, and both inputs of an OR are 0.
        let negated = |bit: bool| bit != value;
        Some(AndOrGate {
            is_or: !value,
            inputs: [(gate.a, negated(odd.0)), (gate.b, negated(odd.1))],
        })
    }

    /// Returns the original circuit's wire from which a wire comes, and the part of its gate: 0 for the gate itself, 1
    /// or 2 for an AND within an exclusive or. Part 1 is the AND that requires the exclusive or's first input to be 1,
    /// part 2 the AND that requires it to be 0.
    pub fn original_wire_and_part(&self, wire: Wire) -> (Wire, u8) {
        let gate = wire.checked_sub(self.input_count());
        gate.and_then(|gate| self.sources.get(gate as usize).copied())
            .unwrap_or((wire, 0))
    }

    /// Returns the number of AND and OR gates on the longest path from an input to a wire.
    pub fn level(&self, wire: Wire) -> u32 {
        let gate = wire.checked_sub(self.input_count());
        gate.and_then(|gate| self.levels.get(gate as usize).copied())
            .unwrap_or(0)
    }

    /// Returns the number of AND and OR gates on the longest path from an input to the output.
    pub fn and_or_depth(&self) -> u32 {
        match self.output {
            CircuitLiteral::Constant(_) => 0,
            CircuitLiteral::Wire { wire, .. } => self.level(wire),
        }
    }

    fn push(
        &mut self,
        table: TwoInputTruthTable,
        a: Wire,
        b: Wire,
        source: (Wire, u8),
    ) -> Option<Wire> {
        let wire = self.netlist.push(TwoInputGate::new(table, a, b))?;
        self.levels.push(1 + self.level(a).max(self.level(b)));
        self.sources.push(source);
        Some(wire)
    }

    /// Adds gates for the function `table` of two wires, which are first negated as `negated` says. `of` is the wire of
    /// the original gate.
    fn gate(
        &mut self,
        table: TwoInputTruthTable,
        wires: [Wire; 2],
        negated: [bool; 2],
        of: Wire,
    ) -> Option<Wire> {
        let [a, b] = wires;
        let read = table.with_inputs_negated(negated[0], negated[1]);
        if row_with_unique_value(table).is_some() {
            return self.push(read, a, b, (of, 0));
        }
        let mut half = |part: u8| {
            let row = table.exclusive_or_part(part);
            self.push(
                row.with_inputs_negated(negated[0], negated[1]),
                a,
                b,
                (of, part),
            )
        };
        let one = half(1)?;
        let other = half(2)?;
        self.push(TwoInputTruthTable::OR, one, other, (of, 0))
    }
}

impl TwoInputTruthTable {
    /// Returns one of the two ANDs whose OR is this function, an exclusive or or its negation. Part 1 is true only in
    /// the function's true row with first bit 1, part 2 only in its true row with first bit 0. Part 0 is the whole
    /// function.
    #[must_use]
    pub fn exclusive_or_part(self, part: u8) -> Self {
        match part {
            0 => self,
            part => Self::from_function(|a, b| self.value_at(a, b) && a == (part == 1)),
        }
    }
}

/// Returns the row of a truth table whose value differs from the three other rows, and that value; `None` if there is
/// no such row.
fn row_with_unique_value(table: TwoInputTruthTable) -> Option<((bool, bool), bool)> {
    let rows = TwoInputTruthTable::ROWS;
    let ones = rows.iter().filter(|(a, b)| table.value_at(*a, *b)).count();
    let value = match ones {
        1 => true,
        3 => false,
        _ => return None,
    };
    let row = rows
        .into_iter()
        .find(|(a, b)| table.value_at(*a, *b) == value)?;
    Some((row, value))
}

/// Returns the function of one literal that has these values for a literal of 0 and of 1.
fn unary(at_zero: bool, at_one: bool, literal: CircuitLiteral) -> CircuitLiteral {
    if at_zero == at_one {
        CircuitLiteral::Constant(at_zero)
    } else {
        literal.negated_if(at_zero)
    }
}

impl Netlist {
    /// Returns the circuit that computes one wire, rewritten with AND, OR and NOT (DQC Theorem 5 is about such
    /// circuits). `None` if there is no such wire, or too many gates are needed.
    pub fn and_or_not_form(&self, output: Wire) -> Option<RewrittenAndOrNotCircuit> {
        let mut rewritten = RewrittenAndOrNotCircuit {
            netlist: Self::new(self.input_count()),
            sources: Vec::new(),
            levels: Vec::new(),
            output: CircuitLiteral::Constant(false),
        };
        let mut literals: Vec<CircuitLiteral> = (0..self.input_count())
            .map(CircuitLiteral::positive)
            .collect();
        for wire in
            self.input_count()..=output.min(self.input_count().checked_add(self.gate_count())?)
        {
            let Some(gate) = self.gate(wire) else { break };
            let literal = rewritten.literal(gate, &literals, wire)?;
            literals.push(literal);
        }
        rewritten.output = *literals.get(output as usize)?;
        Some(rewritten)
    }
}

impl RewrittenAndOrNotCircuit {
    /// Adds an original gate to the rewritten circuit, if needed, and returns its value as a literal of that circuit.
    /// `literals` contains the literals of all earlier wires.
    fn literal(
        &mut self,
        gate: TwoInputGate,
        literals: &[CircuitLiteral],
        of: Wire,
    ) -> Option<CircuitLiteral> {
        let table = gate.table;
        if table == TwoInputTruthTable::FALSE || table == TwoInputTruthTable::TRUE {
            return Some(CircuitLiteral::Constant(table == TwoInputTruthTable::TRUE));
        }
        let a = *literals.get(gate.a as usize)?;
        let b = *literals.get(gate.b as usize)?;
        Some(match (a, b) {
            (CircuitLiteral::Constant(a), b) => {
                unary(table.value_at(a, false), table.value_at(a, true), b)
            }
            (a, CircuitLiteral::Constant(b)) => {
                unary(table.value_at(false, b), table.value_at(true, b), a)
            }
            (
                CircuitLiteral::Wire { wire, negated },
                CircuitLiteral::Wire {
                    wire: other,
                    negated: other_turned,
                },
            ) => match table.depends_on_inputs() {
                (true, true) if wire == other => {
                    let at = |value: bool| table.value_at(value != negated, value != other_turned);
                    unary(at(false), at(true), CircuitLiteral::positive(wire))
                }
                (true, true) => {
                    let negated = [negated, other_turned];
                    CircuitLiteral::positive(self.gate(table, [wire, other], negated, of)?)
                }
                (false, _) => unary(table.value_at(false, false), table.value_at(false, true), b),
                (true, false) => {
                    unary(table.value_at(false, false), table.value_at(true, false), a)
                }
            },
        })
    }
}
