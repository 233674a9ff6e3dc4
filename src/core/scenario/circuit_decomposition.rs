//! Circuits as problems: is the output of a circuit 1 on a given input?
//!
//! Its claims are its wires: the claim "gate g7 is 1" is supported by the claims about the wires that the gate reads. A
//! circuit may have a million gates and a depth of a hundred thousand, so this module does not recurse and creates a
//! claim only when it is requested.

use std::sync::{Arc, OnceLock};

use super::belief::TruthDistributionBelief;
use super::decomposition::{
    ComputationProblem, Decomposition, DecompositionSize, PossibleWorld, ProblemSupport,
};
use super::key::{ClaimKey, ClaimKeyContent};
use super::netlist::{Netlist, TwoInputGate, TwoInputTruthTable, Wire};
use super::process::all_witnesses;
use super::{
    CircuitWithInput, Computation, RandomComputation, ScenarioValueError, ScenarioValuePath,
};
use crate::bits::BitString;
use crate::gate::Gate;
use crate::number::{Exact, ExactWithFloat, Number as _, to_u32_saturating};

/// Maximum number of input bits that the root claim and the evidence show. If the circuit has more, the root claim
/// shows none, and the evidence only the bit that its claim is about.
const MAX_SHOWN_BITS: usize = 64;

/// Maximum number of gate evaluations to try all witnesses. If all witnesses together need more, none is tried.
const MAX_TRIED_GATES: u64 = 1 << 24;

/// A circuit as a problem, and the inputs on which it may be debated.
#[derive(Debug)]
pub struct CircuitDecomposition {
    /// The circuit on the first of its inputs. `circuits` has the circuit on each input; all of them share the gates of
    /// this one.
    template: CircuitWithInput,
    worlds: Vec<PossibleWorld>,
    inputs: Vec<BitString>,
    circuits: Box<[OnceLock<Option<Arc<CircuitWithInput>>>]>,
    size: OnceLock<DecompositionSize>,
    leaves: OnceLock<Box<[u64]>>,
}

impl CircuitDecomposition {
    /// Builds the problem whose root claim is that output number `output` of a netlist is 1. Each of the given inputs
    /// is one instance of μ.
    ///
    /// # Errors
    /// Returns an error if there is no input or no such output, or if an input's number of bits differs from the
    /// circuit's number of inputs. `at` is the path of the problem; the error's path is below it.
    pub fn build(
        netlist: &Arc<Netlist>,
        output: u32,
        inputs: Vec<(PossibleWorld, BitString)>,
        at: &ScenarioValuePath,
    ) -> Result<Self, ScenarioValueError> {
        let outputs = netlist.outputs();
        let Some(wire) = outputs.get(output as usize) else {
            return Err(at.path_of_field("output").error_at_path(format_args!(
                "there is no output number {output}; outputs are counted from 0, and the circuit has {outputs}",
                outputs = outputs.len()
            )));
        };
        let (worlds, inputs): (Vec<PossibleWorld>, Vec<BitString>) = inputs.into_iter().unzip();
        let wanted = netlist.input_count() as usize;
        if let Some(bad) = inputs.iter().find(|input| input.len() != wanted) {
            return Err(at.error_at_path(format_args!(
                "the input has {given} bits, but the circuit has {wanted} inputs; give {wanted} bits",
                given = bad.len()
            )));
        }
        let first = inputs.first().cloned();
        let template = first.and_then(|first| CircuitWithInput::new(netlist, *wire, first));
        let Some(template) = template else {
            return Err(at.error_at_path("give at least one input of the circuit"));
        };
        Ok(Self {
            template,
            circuits: worlds.iter().map(|_| OnceLock::new()).collect(),
            worlds,
            inputs,
            size: OnceLock::new(),
            leaves: OnceLock::new(),
        })
    }

    /// Returns this problem with the last `length` inputs as a witness, which the prover gives. The root claim becomes:
    /// the output is 1 for some witness. If the last bits of an input do not make the output 1, and there are few
    /// enough witnesses to try, the first witness that does replaces them. If no witness does, these bits stay.
    ///
    /// # Errors
    /// Returns an error if the circuit has fewer than `length` inputs. Also returns an error if there are too many
    /// witnesses to try and the last bits of an input do not make the output 1.
    pub fn with_witness(
        mut self,
        length: u32,
        at: &ScenarioValuePath,
    ) -> Result<Self, ScenarioValueError> {
        if length == 0 {
            return Ok(self);
        }
        let inputs = self.netlist().input_count();
        let Some(first) = inputs.checked_sub(length) else {
            return Err(at.path_of_field("witness").error_at_path(format_args!(
                "the witness is longer than the circuit's inputs, which are {inputs}; give at most \
                 as many"
            )));
        };
        self.template = self.template.with_witness(first..inputs);
        let gates = u64::from(self.netlist().gate_count()).max(1);
        let tries = 1_u64.checked_shl(length).unwrap_or(u64::MAX);
        let can_be_tried = tries.saturating_mul(gates) <= MAX_TRIED_GATES;
        for (input, world) in self.inputs.iter_mut().zip(&self.worlds) {
            let given = self.template.with_input_of_same_length(input.clone());
            if given.is_some_and(|circuit| circuit.true_output_value()) {
                continue;
            }
            if !can_be_tried {
                return Err(at.path_of_field("witness").error_at_path(format_args!(
                    "witnesses of {length} bits are too many to try, and the last bits of input {} \
                     do not make the output 1; give a witness there that does",
                    world.name
                )));
            }
            if let Some(found) = input_with_accepted_witness(&self.template, input, length) {
                *input = found;
            }
        }
        Ok(self)
    }

    fn circuit_of_world(&self, world: usize) -> Option<&Arc<CircuitWithInput>> {
        let circuit = || {
            self.template
                .with_input_of_same_length(self.inputs.get(world)?.clone())
                .map(Arc::new)
        };
        self.circuits.get(world)?.get_or_init(circuit).as_ref()
    }

    fn netlist(&self) -> &Netlist {
        self.template.netlist()
    }

    /// Returns the size of the decomposition, counting only the wires on which the output depends.
    fn sizes(&self) -> DecompositionSize {
        let netlist = self.netlist();
        let inputs = netlist.input_count() as usize;
        let all = inputs + netlist.gate_count() as usize;
        let mut reached = vec![false; all];
        let mut depth = vec![0_u32; all];
        if let Some(last) = reached.last_mut() {
            *last = true;
        }
        let mut size = DecompositionSize::default();
        for wire in (0..all).rev() {
            if !reached[wire] {
                continue;
            }
            size.claims += 1_u32;
            let Some((_, on)) = netlist
                .gate(to_u32_saturating(wire))
                .and_then(support_of_gate)
            else {
                size.leaves += 1_u32;
                size.depth = size.depth.max(depth[wire]);
                continue;
            };
            size.width = size.width.max(to_u32_saturating(on.len()));
            for read in on {
                let read = read as usize;
                reached[read] = true;
                depth[read] = depth[read].max(depth[wire] + 1);
            }
        }
        size
    }

    /// Returns the number of leaves below each wire. A leaf counts once for each path from the wire to it.
    fn leaves(&self) -> &[u64] {
        self.leaves.get_or_init(|| {
            let netlist = self.netlist();
            let mut leaves: Vec<u64> = vec![1; netlist.input_count() as usize];
            for wire in netlist.input_count()..netlist.input_count() + netlist.gate_count() {
                let on = netlist.gate(wire).and_then(support_of_gate);
                leaves.push(on.map_or(1, |(_, on)| {
                    let under = on.iter().map(|read| leaves[*read as usize]);
                    under.fold(0, u64::saturating_add)
                }));
            }
            leaves.into()
        })
    }
}

/// Returns the input whose last `length` bits are replaced by the first witness that makes the output 1; `None` if no
/// witness does.
fn input_with_accepted_witness(
    circuit: &CircuitWithInput,
    input: &BitString,
    length: u32,
) -> Option<BitString> {
    let known = input.len().checked_sub(length as usize)?;
    let known = input.as_slice().get(..known)?;
    let mut each = all_witnesses(length.into()).map(|witness| [known, &witness].concat().into());
    each.find(|input: &BitString| {
        circuit
            .with_input_of_same_length(input.clone())
            .is_some_and(|it| it.true_output_value())
    })
}

/// Returns the support of a circuit gate's claim: a gate over the distinct wires that the circuit gate reads. `None` if
/// the circuit gate is constant.
fn support_of_gate(gate: TwoInputGate) -> Option<(Gate, Vec<Wire>)> {
    let table = gate.table;
    let one = |at_zero: bool, at_one: bool, wire: Wire| match (at_zero, at_one) {
        (false, true) => Some((Gate::All, vec![wire])),
        (true, false) => Some((Gate::Not, vec![wire])),
        _ => None,
    };
    if gate.a == gate.b {
        return one(
            table.value_at(false, false),
            table.value_at(true, true),
            gate.a,
        );
    }
    match table.depends_on_inputs() {
        (false, _) => one(
            table.value_at(false, false),
            table.value_at(false, true),
            gate.b,
        ),
        (true, false) => one(
            table.value_at(false, false),
            table.value_at(true, false),
            gate.a,
        ),
        (true, true) => {
            let over_two = match table {
                TwoInputTruthTable::AND => Gate::All,
                TwoInputTruthTable::OR => Gate::Any,
                TwoInputTruthTable::XOR => Gate::Xor,
                _ => Gate::Table(
                    TwoInputTruthTable::ROWS
                        .map(|(a, b)| table.value_at(a, b))
                        .into(),
                ),
            };
            Some((over_two, vec![gate.a, gate.b]))
        }
    }
}

impl Decomposition for CircuitDecomposition {
    fn worlds(&self) -> &[PossibleWorld] {
        &self.worlds
    }

    fn root(&self, _world: usize) -> ClaimKey {
        ClaimKey(ClaimKeyContent::Step(
            u64::from(self.netlist().gate_count()).saturating_sub(1),
        ))
    }

    fn supports(&self, key: &ClaimKey, _world: usize) -> Vec<ProblemSupport> {
        let Some(wire_claim) = self.template.wire_claim(key) else {
            return Vec::new();
        };
        let gate = self.netlist().gate(wire_claim.wire);
        if !wire_claim.value && (wire_claim.part == 0 || gate.is_none()) {
            // A claim that a value is 0 is supported by the negation of the claim that it is 1.
            let claim = self
                .template
                .wire_claim_key(claim_that_wire_is_one(wire_claim.wire));
            return vec![ProblemSupport::sound_support(Gate::Not, [claim])];
        }
        let Some(gate) = gate else {
            return Vec::new();
        };
        let part = gate.table.exclusive_or_part(wire_claim.part);
        let table = if wire_claim.value {
            part
        } else {
            part.negation()
        };
        let supports = support_of_gate(TwoInputGate { table, ..gate }).map(|(gate, on)| {
            let on = on.into_iter().map(claim_that_wire_is_one);
            ProblemSupport::sound_support(gate, on.map(|wire| self.template.wire_claim_key(wire)))
        });
        supports.into_iter().collect()
    }

    fn truth(&self, key: &ClaimKey, world: usize) -> Option<bool> {
        let circuit = self.circuit_of_world(world)?;
        Some(circuit.is_wire_claim_true(circuit.wire_claim(key)?))
    }

    fn size(&self, _world: usize) -> DecompositionSize {
        self.size.get_or_init(|| self.sizes()).clone()
    }

    fn leaf_count_under(&self, key: &ClaimKey, _world: usize) -> u64 {
        let wire_claim = self.template.wire_claim(key);
        let leaves = wire_claim.and_then(|wire_claim| self.leaves().get(wire_claim.wire as usize));
        leaves.copied().unwrap_or(1)
    }

    fn text(&self, key: &ClaimKey, world: usize) -> String {
        let Some(wire_claim) = self.template.wire_claim(key) else {
            return String::new();
        };
        let value = u8::from(wire_claim.value);
        let text = format!(
            "{} is {value}",
            self.template.wire_text_without_claimed_value(wire_claim)
        );
        // The text of the root claim contains the input, because the debaters must know it.
        let input = self
            .inputs
            .get(world)
            .filter(|input| input.len() <= MAX_SHOWN_BITS);
        let Some(input) = input.filter(|_| *key == self.root(world)) else {
            return text;
        };
        let witness_length = usize::try_from(self.template.witness_length()).unwrap_or(0);
        match input
            .as_slice()
            .split_at_checked(input.len() - witness_length)
        {
            Some(([], [_, ..])) => format!("{text} for some witness of {witness_length} bits"),
            Some((known, [_, ..])) => {
                let known_input: BitString = known.iter().copied().collect();
                format!("{text} on input {known_input} for some witness of {witness_length} bits")
            }
            _ => format!("{text} on input {input}"),
        }
    }

    fn short_text(&self, key: &ClaimKey, _world: usize) -> String {
        let wire_claim = self.template.wire_claim(key);
        wire_claim.map_or_else(String::new, |wire_claim| {
            let value = u8::from(wire_claim.value);
            format!(
                "{} is {value}",
                self.template
                    .short_wire_text_without_claimed_value(wire_claim)
            )
        })
    }

    fn evidence(&self, key: &ClaimKey, world: usize) -> Option<String> {
        let circuit = self.circuit_of_world(world)?;
        let wire_claim = circuit.wire_claim(key)?;
        let wire_name = circuit.wire_name(wire_claim.wire);
        let value = circuit.wire_value(wire_claim.wire);
        let value = u8::from(value);
        if self.netlist().gate(wire_claim.wire).is_some() {
            return Some(format!(
                "The gate {wire_name} depends on no other wire; its value is always {value}."
            ));
        }
        let input = circuit.input_bits();
        let number = wire_claim.wire + 1;
        Some(if input.len() <= MAX_SHOWN_BITS {
            format!(
                "The input is {input}. Its bit number {number} from the left, {wire_name}, is {value}."
            )
        } else {
            let bits = input.len();
            format!("Bit number {number} of the input's {bits} bits, {wire_name}, is {value}.")
        })
    }

    fn belief(&self, _world: usize) -> TruthDistributionBelief {
        match self.worlds[..] {
            [_] => TruthDistributionBelief::uninformed(),
            _ => TruthDistributionBelief::belief_proportional_to_weights(&self.worlds),
        }
    }

    fn public_knowledge_in_words(&self, _world: usize) -> Option<String> {
        Some(match self.worlds.len() {
            1 => "the circuit, but not its input".to_owned(),
            count => format!("the circuit, and that its input is one of {count} possible inputs"),
        })
    }

    fn as_computation(&self) -> Option<&dyn ComputationProblem> {
        Some(self)
    }
}

impl ComputationProblem for CircuitDecomposition {
    fn circuit(&self, world: usize) -> Option<Arc<CircuitWithInput>> {
        self.circuit_of_world(world).cloned()
    }

    fn process(&self, world: usize) -> Option<Arc<dyn RandomComputation>> {
        Some(Arc::new(DeterministicCircuitProcess(
            self.circuit_of_world(world)?.clone(),
        )))
    }
}

/// A circuit as a random computation whose bits are all certain: each has probability 0 or 1.
#[derive(Debug)]
pub(super) struct DeterministicCircuitProcess(pub(super) Arc<CircuitWithInput>);

impl RandomComputation for DeterministicCircuitProcess {
    fn steps(&self) -> u64 {
        self.0.steps()
    }

    fn next(&self, bits: &[bool]) -> ExactWithFloat {
        let value = Computation::value(&*self.0, bits.len() as u64, &self.0.witness(), bits);
        value.unwrap_or(false).into()
    }

    fn is_oracle(&self, _step: u64) -> bool {
        false
    }

    fn claim(&self, bits: &[bool]) -> ClaimKey {
        ClaimKey(ClaimKeyContent::Step(bits.len() as u64))
    }

    fn accepts(&self) -> Option<Exact> {
        Some(Exact::indicator(self.0.true_output_value()))
    }
}

/// Returns the claim that a wire has the value 1.
pub(super) fn claim_that_wire_is_one(wire: Wire) -> CircuitWireClaim {
    CircuitWireClaim {
        wire,
        part: 0,
        value: true,
    }
}

/// The content of a claim about a circuit: that a wire, or a half of an exclusive or, has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircuitWireClaim {
    /// The wire.
    pub wire: Wire,
    /// 0 for the wire itself; 1 or 2 for one of the two halves of an exclusive or
    /// ([`TwoInputTruthTable::exclusive_or_part`](crate::scenario::netlist::TwoInputTruthTable::exclusive_or_part)).
    pub part: u8,
    /// The claimed value.
    pub value: bool,
}

impl CircuitWithInput {
    /// Returns the key of a claim about a wire.
    pub fn wire_claim_key(&self, wire_claim: CircuitWireClaim) -> ClaimKey {
        let CircuitWireClaim { wire, part, value } = wire_claim;
        let gate = wire.checked_sub(self.netlist().input_count());
        ClaimKey(match (part, value, gate) {
            (0, true, None) => ClaimKeyContent::At(wire.into()),
            (0, true, Some(gate)) => ClaimKeyContent::Step(gate.into()),
            _ => ClaimKeyContent::Wire { wire, part, value },
        })
    }

    /// Returns the wire and the value that a claim is about; `None` if the claim is not about a wire.
    pub fn wire_claim(&self, key: &ClaimKey) -> Option<CircuitWireClaim> {
        match &key.0 {
            ClaimKeyContent::At(input) => Wire::try_from(*input).ok().map(claim_that_wire_is_one),
            ClaimKeyContent::Step(gate) => {
                let gate = Wire::try_from(*gate).ok()?;
                self.netlist()
                    .input_count()
                    .checked_add(gate)
                    .map(claim_that_wire_is_one)
            }
            ClaimKeyContent::Wire { wire, part, value } => Some(CircuitWireClaim {
                wire: *wire,
                part: *part,
                value: *value,
            }),
            _ => None,
        }
    }

    /// True if the claim about a wire is true on this circuit's input.
    pub fn is_wire_claim_true(&self, wire_claim: CircuitWireClaim) -> bool {
        let value = match (wire_claim.part, self.netlist().gate(wire_claim.wire)) {
            (0, _) | (_, None) => self.wire_value(wire_claim.wire),
            (part, Some(gate)) => {
                let a = self.wire_value(gate.a);
                let b = self.wire_value(gate.b);
                gate.table.exclusive_or_part(part).value_at(a, b)
            }
        };
        value == wire_claim.value
    }

    /// Describes the wire, or the half of an exclusive or, by its name and the function that it computes.
    pub(super) fn wire_text_without_claimed_value(&self, wire_claim: CircuitWireClaim) -> String {
        let name = self.wire_name(wire_claim.wire);
        let Some(gate) = self.netlist().gate(wire_claim.wire) else {
            return format!("input {name}");
        };
        let a = self.wire_name(gate.a);
        let b = self.wire_name(gate.b);
        let rule = gate
            .table
            .exclusive_or_part(wire_claim.part)
            .function_text(&a, &b);
        if wire_claim.part != 0 {
            return format!("the term ({rule}) of gate {name}");
        }
        let rule = match rule.as_str() {
            "0" | "1" => format!("always {rule}"),
            _ => rule,
        };
        if wire_claim.wire + 1 == self.netlist().input_count() + self.netlist().gate_count() {
            format!("the output, gate {name} ({rule}),")
        } else {
            format!("gate {name} ({rule})")
        }
    }

    pub(super) fn short_wire_text_without_claimed_value(
        &self,
        wire_claim: CircuitWireClaim,
    ) -> String {
        match self.netlist().gate(wire_claim.wire) {
            Some(gate) if wire_claim.part != 0 => {
                let a = self.wire_name(gate.a);
                let b = self.wire_name(gate.b);
                format!(
                    "({})",
                    gate.table
                        .exclusive_or_part(wire_claim.part)
                        .function_text(&a, &b)
                )
            }
            _ => self.wire_name(wire_claim.wire),
        }
    }
}
