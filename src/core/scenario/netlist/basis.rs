//! Circuits rewritten over AND, OR and NOT, with NOT at no cost: every gate is an AND or an OR whose inputs may be
//! negated.

use super::{Gate2, Netlist, TruthTable, Wire};

/// A value within a rewritten circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A constant.
    Constant(bool),
    /// A wire or its negation.
    Wire {
        /// The wire.
        wire: Wire,
        /// True if the literal is the negation of the wire.
        negated: bool,
    },
}

impl Literal {
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

/// A gate of an [`AndOrNotCircuit`]: an AND or an OR of two wires or their negations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AndOrGate {
    /// True if it is an OR.
    pub is_or: bool,
    /// The wires that it reads; the boolean is true if the wire is negated first.
    pub inputs: [(Wire, bool); 2],
}

/// A circuit of one output over AND, OR and NOT. Inputs keep their wires.
///
/// A gate with an odd number of true rows, such as AND, OR, NAND or NOR, stays one gate. An exclusive or becomes an OR
/// of two ANDs. Constants and gates of one input are removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AndOrNotCircuit {
    /// Every gate's table has one row that differs from the three others.
    netlist: Netlist,
    /// The original wire of each gate, and the part of that wire's gate that it computes.
    sources: Vec<(Wire, u8)>,
    /// Number of gates on the longest path from an input, for each gate.
    levels: Vec<u32>,
    output: Literal,
}

impl AndOrNotCircuit {
    /// Returns the value of the output.
    pub fn output(&self) -> Literal {
        self.output
    }

    /// Returns the number of inputs; smaller wire numbers are inputs.
    pub fn input_count(&self) -> u32 {
        self.netlist.input_count()
    }

    /// Returns the number of gates.
    pub fn gate_count(&self) -> u32 {
        self.netlist.gate_count()
    }

    /// Returns the gate of a wire; `None` at an input.
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

    /// Returns the wire of the original circuit, and the part of its gate: 0 is the gate itself; 1 and 2 are the ANDs
    /// within an exclusive or, the one with first input 1 first.
    pub fn source(&self, wire: Wire) -> (Wire, u8) {
        let gate = wire.checked_sub(self.input_count());
        gate.and_then(|gate| self.sources.get(gate as usize).copied())
            .unwrap_or((wire, 0))
    }

    /// Returns the number of ANDs and ORs on the longest path from an input to a wire.
    pub fn level(&self, wire: Wire) -> u32 {
        let gate = wire.checked_sub(self.input_count());
        gate.and_then(|gate| self.levels.get(gate as usize).copied())
            .unwrap_or(0)
    }

    /// Returns the number of ANDs and ORs on the longest path from an input to the output.
    pub fn depth(&self) -> u32 {
        match self.output {
            Literal::Constant(_) => 0,
            Literal::Wire { wire, .. } => self.level(wire),
        }
    }

    fn push(&mut self, table: TruthTable, a: Wire, b: Wire, source: (Wire, u8)) -> Option<Wire> {
        let wire = self.netlist.push(Gate2::new(table, a, b))?;
        self.levels.push(1 + self.level(a).max(self.level(b)));
        self.sources.push(source);
        Some(wire)
    }

    /// Adds a function of two wires, or of their negations as `negated` says. `of` is the wire of the original gate.
    fn gate(
        &mut self,
        table: TruthTable,
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
        self.push(TruthTable::OR, one, other, (of, 0))
    }
}

impl TruthTable {
    /// Returns one of the two conjunctions whose disjunction is an exclusive or (or the negation of one). Part 1 is
    /// true only in the true row with first bit 1, part 2 only in the true row with first bit 0. Part 0 is the whole
    /// function.
    #[must_use]
    pub fn exclusive_or_part(self, part: u8) -> Self {
        match part {
            0 => self,
            part => Self::from_function(|a, b| self.value_at(a, b) && a == (part == 1)),
        }
    }
}

/// Returns the row whose value differs from the three other rows, and that value; `None` if there is no such row.
fn row_with_unique_value(table: TruthTable) -> Option<((bool, bool), bool)> {
    let rows = TruthTable::ROWS;
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

/// Returns a function of one literal, from its values at 0 and at 1.
fn unary(at_zero: bool, at_one: bool, literal: Literal) -> Literal {
    if at_zero == at_one {
        Literal::Constant(at_zero)
    } else {
        literal.negated_if(at_zero)
    }
}

impl Netlist {
    /// Returns the circuit of one wire over AND, OR and NOT (DQC Theorem 5 is about such circuits). `None` if there is
    /// no such wire, or too many gates are needed.
    pub fn and_or_not_form(&self, output: Wire) -> Option<AndOrNotCircuit> {
        let mut rewritten = AndOrNotCircuit {
            netlist: Self::new(self.input_count()),
            sources: Vec::new(),
            levels: Vec::new(),
            output: Literal::Constant(false),
        };
        let mut literals: Vec<Literal> = (0..self.input_count()).map(Literal::positive).collect();
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

impl AndOrNotCircuit {
    /// Returns the value of an original gate as a literal of the new circuit; adds gates if needed. `literals` has the
    /// literals of all earlier wires.
    fn literal(&mut self, gate: Gate2, literals: &[Literal], of: Wire) -> Option<Literal> {
        let table = gate.table;
        if table == TruthTable::FALSE || table == TruthTable::TRUE {
            return Some(Literal::Constant(table == TruthTable::TRUE));
        }
        let a = *literals.get(gate.a as usize)?;
        let b = *literals.get(gate.b as usize)?;
        Some(match (a, b) {
            (Literal::Constant(a), b) => {
                unary(table.value_at(a, false), table.value_at(a, true), b)
            }
            (a, Literal::Constant(b)) => {
                unary(table.value_at(false, b), table.value_at(true, b), a)
            }
            (
                Literal::Wire { wire, negated },
                Literal::Wire {
                    wire: other,
                    negated: other_turned,
                },
            ) => match table.depends_on_inputs() {
                (true, true) if wire == other => {
                    let at = |value: bool| table.value_at(value != negated, value != other_turned);
                    unary(at(false), at(true), Literal::positive(wire))
                }
                (true, true) => {
                    let negated = [negated, other_turned];
                    Literal::positive(self.gate(table, [wire, other], negated, of)?)
                }
                (false, _) => unary(table.value_at(false, false), table.value_at(false, true), b),
                (true, false) => {
                    unary(table.value_at(false, false), table.value_at(true, false), a)
                }
            },
        })
    }
}
