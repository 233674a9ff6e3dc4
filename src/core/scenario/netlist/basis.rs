//! Circuits rewritten over AND, OR and NOT, with NOT at no cost: every gate is an AND or an OR whose inputs may be
//! negated.

use super::{Gate2, Netlist, TruthTable, Wire};

/// A value within a rewritten circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// Always this.
    Constant(bool),
    /// A wire or its negation.
    Wire {
        /// The wire.
        wire: Wire,
        /// True if its opposite is meant.
        turned: bool,
    },
}

impl Literal {
    fn of(wire: Wire) -> Self {
        Self::Wire {
            wire,
            turned: false,
        }
    }

    fn turned_if(self, turn: bool) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(value != turn),
            Self::Wire { wire, turned } => Self::Wire {
                wire,
                turned: turned != turn,
            },
        }
    }
}

/// An AND or an OR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork {
    /// True if it is an OR.
    pub is_or: bool,
    /// The wires that it reads; the boolean is true if the wire is negated first.
    pub legs: [(Wire, bool); 2],
}

/// A circuit of one output over AND, OR and NOT. Inputs keep their wires.
///
/// AND, OR, NAND, NOR and their like stay one gate; an exclusive or becomes an OR of two ANDs;
/// constants and gates of one input vanish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AndOrNotCircuit {
    /// Every gate's table has one row that differs from the three others.
    netlist: Netlist,
    /// The original wire of each gate, and its part of it.
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
    pub fn inputs(&self) -> u32 {
        self.netlist.inputs()
    }

    /// Returns the number of gates.
    pub fn gates(&self) -> u32 {
        self.netlist.gates()
    }

    /// Returns the gate of a wire; `None` at an input.
    pub fn fork(&self, wire: Wire) -> Option<Fork> {
        let gate = self.netlist.gate(wire)?;
        let (odd, value) = odd_one(gate.table)?;
        // The odd row of an AND has both legs 1, the odd row of an OR both 0.
        let turned = |bit: bool| bit != value;
        Some(Fork {
            is_or: !value,
            legs: [(gate.a, turned(odd.0)), (gate.b, turned(odd.1))],
        })
    }

    /// Returns the wire of the original circuit, and the part of its gate: 0 is the gate itself; 1 and 2 are the ANDs
    /// within an exclusive or, the one with first input 1 first.
    pub fn source(&self, wire: Wire) -> (Wire, u8) {
        let gate = wire.checked_sub(self.inputs());
        gate.and_then(|gate| self.sources.get(gate as usize).copied())
            .unwrap_or((wire, 0))
    }

    /// Returns the number of ANDs and ORs on the longest path from an input to a wire.
    pub fn level(&self, wire: Wire) -> u32 {
        let gate = wire.checked_sub(self.inputs());
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

    /// Adds a function of two wires that comes from a gate; `turned` says which inputs that gate negates.
    fn gate(
        &mut self,
        table: TruthTable,
        wires: [Wire; 2],
        turned: [bool; 2],
        of: Wire,
    ) -> Option<Wire> {
        let [a, b] = wires;
        let read = table.reading(turned[0], turned[1]);
        if odd_one(table).is_some() {
            return self.push(read, a, b, (of, 0));
        }
        let mut half = |part: u8| {
            let row = table.part(part);
            self.push(row.reading(turned[0], turned[1]), a, b, (of, part))
        };
        let one = half(1)?;
        let other = half(2)?;
        self.push(TruthTable::OR, one, other, (of, 0))
    }
}

impl TruthTable {
    /// Returns one of the two conjunctions that make up an exclusive or, or its opposite. Part 1 is true in its true
    /// row with first bit 1, part 2 in the one with first bit 0. Part 0 is the whole.
    #[must_use]
    pub fn part(self, part: u8) -> Self {
        match part {
            0 => self,
            part => Self::of(|a, b| self.at(a, b) && a == (part == 1)),
        }
    }
}

/// Returns the row whose value differs from the three other rows, and that value; `None` if there is no such row.
fn odd_one(table: TruthTable) -> Option<((bool, bool), bool)> {
    let rows = TruthTable::ROWS;
    let ones = rows.iter().filter(|(a, b)| table.at(*a, *b)).count();
    let value = match ones {
        1 => true,
        3 => false,
        _ => return None,
    };
    let row = rows.into_iter().find(|(a, b)| table.at(*a, *b) == value)?;
    Some((row, value))
}

/// Returns a function of one literal, from its values at 0 and at 1.
fn unary(at_zero: bool, at_one: bool, literal: Literal) -> Literal {
    if at_zero == at_one {
        Literal::Constant(at_zero)
    } else {
        literal.turned_if(at_zero)
    }
}

impl Netlist {
    /// Returns the circuit of one wire over AND, OR and NOT (DQC Theorem 5 is about such circuits). `None` if there is
    /// no such wire, or too many gates are needed.
    pub fn and_or_not_form(&self, output: Wire) -> Option<AndOrNotCircuit> {
        let mut rewritten = AndOrNotCircuit {
            netlist: Self::new(self.inputs()),
            sources: Vec::new(),
            levels: Vec::new(),
            output: Literal::Constant(false),
        };
        let mut literals: Vec<Literal> = (0..self.inputs()).map(Literal::of).collect();
        for wire in self.inputs()..=output.min(self.inputs().checked_add(self.gates())?) {
            let Some(gate) = self.gate(wire) else { break };
            let literal = rewritten.literal(gate, &literals, wire)?;
            literals.push(literal);
        }
        rewritten.output = *literals.get(output as usize)?;
        Some(rewritten)
    }
}

impl AndOrNotCircuit {
    /// Expresses a gate's value by existing literals.
    fn literal(&mut self, gate: Gate2, literals: &[Literal], of: Wire) -> Option<Literal> {
        let table = gate.table;
        if table == TruthTable::FALSE || table == TruthTable::TRUE {
            return Some(Literal::Constant(table == TruthTable::TRUE));
        }
        let a = *literals.get(gate.a as usize)?;
        let b = *literals.get(gate.b as usize)?;
        Some(match (a, b) {
            (Literal::Constant(a), b) => unary(table.at(a, false), table.at(a, true), b),
            (a, Literal::Constant(b)) => unary(table.at(false, b), table.at(true, b), a),
            (
                Literal::Wire { wire, turned },
                Literal::Wire {
                    wire: other,
                    turned: other_turned,
                },
            ) => match table.depends_on_inputs() {
                (true, true) if wire == other => {
                    let at = |value: bool| table.at(value != turned, value != other_turned);
                    unary(at(false), at(true), Literal::of(wire))
                }
                (true, true) => {
                    let turned = [turned, other_turned];
                    Literal::of(self.gate(table, [wire, other], turned, of)?)
                }
                (false, _) => unary(table.at(false, false), table.at(false, true), b),
                (true, false) => unary(table.at(false, false), table.at(true, false), a),
            },
        })
    }
}
