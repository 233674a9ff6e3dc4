//! A circuit together with its input, as a computation in which every step evaluates a gate.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::netlist::{Netlist, RewrittenAndOrNotCircuit, TwoInputGate, TwoInputTruthTable, Wire};
use super::{BitSource, Computation, RequiredStepOutput};
use crate::bits::BitString;
use crate::number::to_u32_saturating;

/// A circuit with one output (its last gate), and the input bits on which it is evaluated.
#[derive(Debug)]
pub struct CircuitWithInput {
    netlist: Arc<Netlist>,
    input: BitString,
    /// The range of inputs that are the witness: the prover gives their bits.
    witness: Range<Wire>,
    gates: OnceLock<BitString>,
    /// The circuit rewritten with AND, OR and NOT; shared with the copies of this circuit on other inputs.
    basis: Arc<OnceLock<Option<RewrittenAndOrNotCircuit>>>,
    names: Option<Arc<dyn InputNamesAndWitness>>,
}

/// Names for a circuit's inputs, and the witness that an honest prover gives.
pub trait InputNamesAndWitness: Debug + Send + Sync {
    fn name(&self, wire: Wire) -> String;
    /// Returns the witness that an honest prover gives.
    fn witness(&self) -> BitString;
}

impl CircuitWithInput {
    /// Creates a circuit whose output is the wire `output` of a netlist, on an input. If this wire is not the last
    /// gate, the circuit has only the gates on which the wire depends.
    ///
    /// `None` if the number of bits differs from the number of inputs, or there is no such wire.
    pub fn new(netlist: &Arc<Netlist>, output: Wire, input: BitString) -> Option<Self> {
        if input.len() != netlist.input_count() as usize {
            return None;
        }
        let last = (netlist.input_count() + netlist.gate_count()).checked_sub(1)?;
        let netlist = if output == last && netlist.gate_count() > 0 {
            netlist.clone()
        } else {
            Arc::new(netlist.circuit_of_wire_if_exists(output)?)
        };
        Some(Self {
            netlist,
            input,
            witness: 0..0,
            gates: OnceLock::new(),
            basis: Arc::default(),
            names: None,
        })
    }

    /// Returns this circuit with names for its inputs, and with the witness of `names` as the honest prover's witness.
    #[must_use]
    pub(super) fn with_input_names_and_witness(self, names: Arc<dyn InputNamesAndWitness>) -> Self {
        let names = Some(names);
        Self { names, ..self }
    }

    /// Returns this circuit with a range of inputs marked as the witness, which the prover gives. The current bits of
    /// these inputs become the honest prover's witness, unless the names of the inputs come with a witness.
    #[must_use]
    pub fn with_witness(self, witness: Range<Wire>) -> Self {
        Self { witness, ..self }
    }

    /// Returns this circuit on another input; `None` if the input has the wrong number of bits.
    pub fn with_input_of_same_length(&self, input: BitString) -> Option<Self> {
        (input.len() == self.input.len()).then(|| Self {
            netlist: self.netlist.clone(),
            input,
            witness: self.witness.clone(),
            gates: OnceLock::new(),
            basis: self.basis.clone(),
            names: self.names.clone(),
        })
    }

    /// Returns this circuit rewritten with AND, OR and NOT gates; `None` if it would have too many gates. Computed at
    /// the first call and shared by the circuits of all inputs.
    pub fn and_or_not_form(&self) -> Option<&RewrittenAndOrNotCircuit> {
        let rewritten = || {
            let output = (self.netlist.input_count() + self.netlist.gate_count()).checked_sub(1)?;
            self.netlist.and_or_not_form(output)
        };
        self.basis.get_or_init(rewritten).as_ref()
    }

    /// Returns the gates.
    pub fn netlist(&self) -> &Netlist {
        &self.netlist
    }

    /// Returns the input.
    pub fn input_bits(&self) -> &BitString {
        &self.input
    }

    /// Returns every gate's true value.
    pub fn gate_values(&self) -> &BitString {
        self.gates.get_or_init(|| {
            self.netlist
                .transcript(self.input.as_slice())
                .unwrap_or_default()
        })
    }

    /// Returns a wire's true value.
    pub fn wire_value(&self, wire: Wire) -> bool {
        let bits = match wire.checked_sub(self.netlist.input_count()) {
            None => self.input.bit_at(wire.into()),
            Some(gate) => self.gate_values().bit_at(gate.into()),
        };
        bits.unwrap_or(false)
    }

    /// Returns the output's true value.
    pub fn true_output_value(&self) -> bool {
        self.gate_values().as_slice().last() == Some(&true)
    }

    /// Returns the number of the circuit's inputs that its gates read.
    pub fn count_inputs_read_by_gates(&self) -> u64 {
        self.netlist.count_inputs_read()
    }

    fn gate(&self, step: u64) -> Option<TwoInputGate> {
        let wire = u64::from(self.netlist.input_count()) + step;
        self.netlist.gate(Wire::try_from(wire).ok()?)
    }

    fn source(&self, wire: Wire) -> BitSource {
        match wire.checked_sub(self.netlist.input_count()) {
            Some(gate) => BitSource::Step(gate.into()),
            None if self.witness.contains(&wire) => {
                BitSource::Witness((wire - self.witness.start).into())
            }
            None => BitSource::Input(wire.into()),
        }
    }

    /// Returns the circuit's input with its witness bits replaced; missing witness bits are 0.
    fn input_with(&self, witness: &BitString) -> Cow<'_, [bool]> {
        let own = self.input.as_slice();
        if self.witness.is_empty() {
            return Cow::Borrowed(own);
        }
        let given = (0..).zip(own).map(|(wire, bit)| match self.source(wire) {
            BitSource::Witness(index) => witness.bit_at(index).unwrap_or(false),
            _ => *bit,
        });
        Cow::Owned(given.collect())
    }

    /// Returns the name of a wire, such as `x3` for an input or `g17` for a gate.
    pub fn wire_name(&self, wire: Wire) -> String {
        self.source_text(self.source(wire))
    }
}

impl Computation for CircuitWithInput {
    fn steps(&self) -> u64 {
        self.netlist.gate_count().into()
    }

    fn input(&self, index: u64) -> bool {
        self.input.bit_at(index).unwrap_or(false)
    }

    fn witness_length(&self) -> u64 {
        self.witness.len() as u64
    }

    fn witness(&self) -> BitString {
        if let Some(names) = &self.names {
            return names.witness();
        }
        let bit = |wire: Wire| self.input(wire.into());
        self.witness.clone().map(bit).collect()
    }

    fn reads(&self, step: u64, into: &mut Vec<BitSource>) {
        into.clear();
        let Some(gate) = self.gate(step) else { return };
        let (first, second) = gate.table.depends_on_inputs();
        into.extend(first.then(|| self.source(gate.a)));
        into.extend((second && !(first && gate.a == gate.b)).then(|| self.source(gate.b)));
    }

    fn rule(&self, step: u64, bits: &[bool]) -> RequiredStepOutput {
        let Some(gate) = self.gate(step) else {
            return RequiredStepOutput::Value(false);
        };
        let bit = |index: usize| bits.get(index).copied().unwrap_or(false);
        let both = gate.table.depends_on_inputs() == (true, true) && gate.a != gate.b;
        RequiredStepOutput::Value(gate.table.value_at(bit(0), bit(usize::from(both))))
    }

    fn asks(&self) -> bool {
        false
    }

    fn step_text(&self, step: u64) -> String {
        self.netlist.step_text(step, |wire| self.wire_name(wire))
    }

    fn witness_text(&self, witness: &BitString) -> Option<String> {
        let names = self.names.as_ref()?;
        let each = (self.witness.start..).zip(witness.as_slice());
        let each = each.map(|(wire, bit)| format!("{} = {}", names.name(wire), u8::from(*bit)));
        Some(each.collect::<Vec<_>>().join(", "))
    }

    fn source_text(&self, source: BitSource) -> String {
        let name = |wire: Wire| self.names.as_ref().map(|names| names.name(wire));
        let named = match source {
            BitSource::Input(index) => name(to_u32_saturating(index)),
            BitSource::Witness(index) => name(self.witness.start + to_u32_saturating(index)),
            BitSource::Step(_) => None,
        };
        named.unwrap_or_else(|| source.bit_source_name(|step| format!("g{step}")))
    }

    fn transcript(&self, witness: &BitString) -> Option<BitString> {
        match self.input_with(witness) {
            Cow::Borrowed(_) => Some(self.gate_values().clone()),
            Cow::Owned(input) => self.netlist.transcript(&input),
        }
    }

    fn first_wrong_step(&self, witness: &BitString, transcript: &[bool]) -> Option<u64> {
        let input = self.input_with(witness);
        self.netlist.first_wrong_step(&input, transcript)
    }
}

impl TwoInputTruthTable {
    /// Returns two flags: true if the table's value depends on its first input, and true if it depends on its second
    /// input.
    pub fn depends_on_inputs(self) -> (bool, bool) {
        let first = (self.value_at(false, false) != self.value_at(true, false))
            || (self.value_at(false, true) != self.value_at(true, true));
        let second = (self.value_at(false, false) != self.value_at(false, true))
            || (self.value_at(true, false) != self.value_at(true, true));
        (first, second)
    }

    /// Describes the truth table in words, for example "g3 and x2". `a` and `b` are the names of its inputs.
    pub fn function_text(self, a: &str, b: &str) -> String {
        let named = [
            (Self::FALSE, "0".to_owned()),
            (Self::TRUE, "1".to_owned()),
            (Self::FIRST, a.to_owned()),
            (Self::NOT_FIRST, format!("not {a}")),
            (Self::from_function(|_, b| b), b.to_owned()),
            (Self::from_function(|_, b| !b), format!("not {b}")),
            (Self::AND, format!("{a} and {b}")),
            (Self::OR, format!("{a} or {b}")),
            (Self::XOR, format!("{a} xor {b}")),
            (Self::AND.negation(), format!("not ({a} and {b})")),
            (Self::OR.negation(), format!("not ({a} or {b})")),
            (Self::XOR.negation(), format!("{a} equals {b}")),
            (
                Self::AND.with_inputs_negated(true, false),
                format!("not {a} and {b}"),
            ),
            (
                Self::AND.with_inputs_negated(false, true),
                format!("{a} and not {b}"),
            ),
            (
                Self::OR.with_inputs_negated(true, false),
                format!("not {a} or {b}"),
            ),
            (
                Self::OR.with_inputs_negated(false, true),
                format!("{a} or not {b}"),
            ),
        ];
        let entry = named.into_iter().find(|(table, _)| *table == self);
        entry.map_or_else(String::new, |(_, text)| text)
    }
}

impl Netlist {
    /// Describes the gate with this number, for example "g3 = x1 and g2". `input_name` returns the name of an input.
    pub(super) fn step_text(&self, step: u64, input_name: impl Fn(Wire) -> String) -> String {
        let wire = self.input_count().saturating_add(to_u32_saturating(step));
        let Some(gate) = self.gate(wire) else {
            return String::new();
        };
        let text = |wire: Wire| match wire.checked_sub(self.input_count()) {
            None => input_name(wire),
            Some(gate) => format!("g{gate}"),
        };
        let rule = gate.table.function_text(&text(gate.a), &text(gate.b));
        format!("g{step} = {rule}")
    }

    /// Returns the value of every gate on an input; `None` if the input has the wrong number of bits.
    fn transcript(&self, input: &[bool]) -> Option<BitString> {
        let wires = self.evaluate_wires(input)?;
        Some(wires.into_iter().skip(input.len()).collect())
    }

    /// Returns the number of inputs on which at least one gate depends.
    pub fn count_inputs_read(&self) -> u64 {
        let mut read = vec![false; self.input_count() as usize];
        let wires = self.input_count()..self.input_count() + self.gate_count();
        for gate in wires.filter_map(|wire| self.gate(wire)) {
            let (first, second) = gate.table.depends_on_inputs();
            for (reads, wire) in [(first, gate.a), (second, gate.b)] {
                if let Some(input) = read.get_mut(wire as usize).filter(|_| reads) {
                    *input = true;
                }
            }
        }
        read.into_iter().map(u64::from).sum()
    }

    /// Returns the first gate whose claimed value in `claimed_gate_values` is wrong, given the values that it reads:
    /// bits of `input` and claimed values of other gates. A missing value counts as wrong.
    pub fn first_wrong_step(&self, input: &[bool], claimed_gate_values: &[bool]) -> Option<u64> {
        let value = |wire: Wire| {
            let wire = wire as usize;
            let (values, index) = match wire.checked_sub(input.len()) {
                None => (input, wire),
                Some(index) => (claimed_gate_values, index),
            };
            values.get(index).copied().unwrap_or(false)
        };
        let count = self.gate_count();
        let is_wrong = |index: &u32| {
            self.gate(self.input_count() + index).is_some_and(|gate| {
                let right = gate.table.value_at(value(gate.a), value(gate.b));
                claimed_gate_values.get(*index as usize) != Some(&right)
            })
        };
        (0..count).find(is_wrong).map(u64::from)
    }
}
