//! The matrix (quantifier-free part) of a formula as a circuit, and its value.

use std::sync::Arc;

use super::{Formula, FormulaMatrix, Quantifier};
use crate::bits::BitString;
use crate::scenario::Computation;
use crate::scenario::circuit::{CircuitWithInput, InputNamesAndWitness};
use crate::scenario::netlist::{Netlist, TwoInputGate, TwoInputTruthTable, Wire};

/// A wire of a circuit, and a flag: true if its value must be negated.
type SignedWire = (Wire, bool);

impl Formula {
    /// Returns the matrix as a circuit whose only output is its last gate. The circuit's inputs are the variables in
    /// the order of the blocks, then the bits of [`Self::nonvariable_input_bits`]. Clauses become chains of OR gates of
    /// two inputs under a chain of AND gates. A negation is part of the gate that reads it. So c clauses of k₁ … k_c
    /// literals, each kᵢ ≥ 1, take Σ(kᵢ − 1) + (c − 1) gates, and at least one. An empty clause takes a constant gate.
    pub fn matrix_as_circuit(&self) -> &Arc<Netlist> {
        self.circuit.get_or_init(|| match &self.matrix {
            FormulaMatrix::Circuit { netlist, .. } => netlist.clone(),
            FormulaMatrix::Clauses(clauses) => Arc::new(self.circuit_of_clauses(clauses)),
        })
    }

    fn circuit_of_clauses(&self, clauses: &[Vec<i32>]) -> Netlist {
        let mut netlist = Netlist::new(self.variable_count());
        let mut all: Option<SignedWire> = None;
        for clause in clauses {
            let mut any: Option<SignedWire> = None;
            for literal in clause {
                let wire = self.position(literal.unsigned_abs()).unwrap_or(0);
                let read = (wire, *literal < 0);
                any = Some(any.map_or(read, |any| {
                    join(&mut netlist, TwoInputTruthTable::OR, any, read)
                }));
            }
            let clause = any.unwrap_or_else(|| constant(&mut netlist, TwoInputTruthTable::FALSE));
            all = Some(all.map_or(clause, |all| {
                join(&mut netlist, TwoInputTruthTable::AND, all, clause)
            }));
        }
        let (mut output, turned) =
            all.unwrap_or_else(|| constant(&mut netlist, TwoInputTruthTable::TRUE));
        if output < netlist.input_count() {
            // A matrix of one literal needs a gate, because the output must be one: it repeats or negates the variable.
            output = gate(
                &mut netlist,
                TwoInputTruthTable::first_input_function(turned),
                output,
                output,
            );
        }
        let _ = netlist.add_output(output);
        netlist
    }

    /// Returns the number of distinct inputs that the matrix reads. A verifier must read this number of bits to
    /// evaluate it.
    pub fn count_inputs_read_by_formula(&self) -> u64 {
        self.matrix_as_circuit().count_inputs_read()
    }

    /// Returns the matrix as a circuit on these values of all variables; `None` if the number of values is wrong.
    pub fn circuit_on_variable_values(&self, values: &[bool]) -> Option<CircuitWithInput> {
        let netlist = self.matrix_as_circuit();
        let output = *netlist.outputs().first()?;
        let input = values
            .iter()
            .chain(self.nonvariable_input_bits())
            .copied()
            .collect();
        CircuitWithInput::new(netlist, output, input)
    }

    /// Returns the value of the matrix for these values of all variables; `None` if the number of values is wrong.
    pub fn matrix_value_of_full_assignment(&self, values: &[bool]) -> Option<bool> {
        self.circuit_on_variable_values(values)
            .map(|circuit| circuit.true_output_value())
    }

    /// Describes the gate that computes a step of the formula's matrix (its part without quantifiers), with the names
    /// of the variables: "g3 = x1 or not y2".
    pub fn quantifier_free_gate_text(&self, step: u64) -> String {
        self.matrix_as_circuit()
            .step_text(step, |wire| self.name(wire))
    }

    /// Chooses values of the next block greedily, to satisfy (for ∃) or violate (for ∀) as many clauses as possible.
    /// Sets one variable after another; clauses with fewer undecided literals have a greater weight. Returns only 0s if
    /// the matrix is a circuit, because a circuit has no clauses.
    pub fn greedy_block_values(&self, outer_values: &[bool]) -> BitString {
        let Some((_, block)) = self.next_block(outer_values.len()) else {
            return BitString::default();
        };
        let FormulaMatrix::Clauses(clauses) = &self.matrix else {
            return BitString::zeros(block.variables.len());
        };
        let seeks = block.quantifier == Quantifier::Exists;
        let mut values = outer_values.to_vec();
        // The number of open literals of each clause; `None` if the clause already holds.
        let mut open: Vec<Option<usize>> = clauses.iter().map(|c| Some(c.len())).collect();
        let mut occurrences: Vec<Vec<(usize, bool)>> =
            vec![Vec::new(); self.variable_count() as usize];
        for (number, clause) in clauses.iter().enumerate() {
            for literal in clause {
                let index = self.position(literal.unsigned_abs());
                if let Some(at) = index.and_then(|index| occurrences.get_mut(index as usize)) {
                    at.push((number, *literal > 0));
                }
            }
        }
        for index in 0..outer_values.len() + block.variables.len() {
            let here = occurrences.get(index).map_or(&[][..], Vec::as_slice);
            let value = values.get(index).copied().unwrap_or_else(|| {
                let mut weight = [0.0_f64; 2];
                for (clause, sign) in here {
                    if let Some(left) = open.get(*clause).copied().flatten() {
                        let left = i32::try_from(left.min(60)).unwrap_or(60);
                        weight[usize::from(*sign)] += 0.5_f64.powi(left);
                    }
                }
                (weight[1] > weight[0]) == seeks && weight[0].to_bits() != weight[1].to_bits()
            });
            if index >= outer_values.len() {
                values.push(value);
            }
            for (clause, sign) in here {
                if let Some(state) = open.get_mut(*clause) {
                    *state = state
                        .filter(|_| *sign != value)
                        .map(|left| left.saturating_sub(1));
                }
            }
        }
        values.split_off(outer_values.len()).into()
    }
}

fn gate(netlist: &mut Netlist, table: TwoInputTruthTable, a: Wire, b: Wire) -> Wire {
    // Cannot fail: gates read earlier wires, and literals are limited far below the maximum number of gates.
    netlist.push(TwoInputGate::new(table, a, b)).unwrap_or(0)
}

fn constant(netlist: &mut Netlist, table: TwoInputTruthTable) -> SignedWire {
    (gate(netlist, table, 0, 0), false)
}

fn join(
    netlist: &mut Netlist,
    table: TwoInputTruthTable,
    a: SignedWire,
    b: SignedWire,
) -> SignedWire {
    let table = table.with_inputs_negated(a.1, b.1);
    (gate(netlist, table, a.0, b.0), false)
}

impl Formula {
    /// Returns the evaluation of the matrix on these values of all variables, as a computation of one gate per step.
    /// `None` if the number of values is wrong.
    pub fn computation_on_values(
        self: &Arc<Self>,
        values: &[bool],
    ) -> Option<Arc<dyn Computation>> {
        Some(Arc::new(
            self.circuit_on_variable_values(values)?
                .with_input_names_and_witness(self.clone()),
        ))
    }

    /// Returns the matrix as a computation of one gate per step; its witness is the values of all variables. `None`
    /// unless the formula has a single block, with the quantifier ∃.
    pub fn existential_formula_as_computation(self: &Arc<Self>) -> Option<Arc<dyn Computation>> {
        let [block] = self.blocks() else {
            return None;
        };
        if block.quantifier != Quantifier::Exists {
            return None;
        }
        let circuit =
            self.circuit_on_variable_values(&vec![false; self.variable_count() as usize])?;
        let circuit = circuit.with_witness(0..self.variable_count());
        Some(Arc::new(circuit.with_input_names_and_witness(self.clone())))
    }
}

impl InputNamesAndWitness for Formula {
    fn name(&self, wire: Wire) -> String {
        Self::variable_or_bit_name_at(self, wire)
    }

    fn witness(&self) -> BitString {
        let position = self.solve_position(&[]).filter(|position| position.holds);
        position.map_or_else(|| self.greedy_block_values(&[]), |position| position.values)
    }
}
