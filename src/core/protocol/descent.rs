//! Descent through a circuit (DQC Theorem 5, after Karchmer and Wigderson): the debaters choose a path from the output
//! gate down to one input. The verifier reads the path and that input's bit.
//!
//! Requests in order: Prover [`Request::Answer`] (is the output 1?); then from the output down, at each AND and OR,
//! [`Request::Select`] one of its inputs. An AND claimed 0 and an OR claimed 1 are forced by one input, which the
//! prover selects; an AND claimed 1 and an OR claimed 0 need both, and the opponent selects the one it disputes. A NOT
//! negates the claim and costs no move; other gates are rewritten as AND, OR and NOT
//! ([`crate::scenario::netlist::RewrittenAndOrNotCircuit`]).
//!
//! Payoff to the prover: +1 if the input's bit is as claimed in the end, else −1.
//!
//! The claim under discussion is always the prover's own: "gate g7 is 0". The verifier reads at most the circuit's
//! depth + 1 bits: every selection and one bit of the input.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event::{Event, EventSink, Round};
use super::request::{self, BitString, IllegalReply, PendingTurn, Reply, Request};
use super::{
    DebateWithCircuitVerifier, PaymentsAndResourceCosts, ProtocolError, ProtocolKind,
    ProtocolParameters, ProtocolUnsuitableForProblemError, Rules, Seat, VerifierCostBound, View,
    reward,
};
use crate::number::Number;
use crate::scenario::netlist::{
    AndOrGate, CircuitLiteral, Netlist, RewrittenAndOrNotCircuit, TwoInputGate, TwoInputTruthTable,
    Wire,
};
use crate::scenario::{
    BitSource, CircuitWireClaim, CircuitWithInput, ClaimId, Decomposition, Instance,
};

/// The parameters of the protocol `descent`, which has none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Parameters")]
pub struct DescentProtocolParameters {}

impl ProtocolParameters for DescentProtocolParameters {
    fn fits(&self, problem: &dyn Decomposition) -> bool {
        let computed = problem.as_computation();
        computed.is_some_and(|problem| problem.circuit(0).is_some())
    }

    fn asks(&self, seat: Seat, _instance: &Instance) -> bool {
        seat != Seat::Judge
    }

    fn bounds(&self, instance: &Instance) -> Vec<VerifierCostBound> {
        let circuit = instance.circuit();
        let depth = circuit.and_then(|circuit| Some(circuit.and_or_not_form()?.and_or_depth()));
        let most = depth.map(|depth| u64::from(depth) + 1);
        most.map(|most| VerifierCostBound::new("bits_read", most, "DQC Theorem 5"))
            .into_iter()
            .collect()
    }

    fn has_verifier(&self) -> bool {
        true
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Answer,
    Select,
    Over,
}

/// A descent in progress.
#[derive(Clone, Debug)]
pub struct CircuitDescentDebate<'a, N> {
    instance: &'a Instance,
    circuit: Arc<CircuitWithInput>,
    step: Step,
    answer: bool,
    /// The wire under discussion, in the circuit that is rewritten with AND, OR and NOT.
    wire: Wire,
    /// The value that the prover claims for the wire under discussion.
    claimed: bool,
    round: u32,
    /// For each gate on the path so far, the input that was selected: false for the first input, true for the second.
    selected: Vec<bool>,
    account: PaymentsAndResourceCosts<N>,
}

impl<'a, N: Number> CircuitDescentDebate<'a, N> {
    /// Starts the debate that descends through the circuit of an instance, before the first reply.
    ///
    /// # Errors
    /// Returns an error if the problem is not a circuit, or if the circuit has too many gates after it is rewritten.
    pub fn new(
        instance: &'a Instance,
        parameters: &DescentProtocolParameters,
    ) -> Result<Self, ProtocolError> {
        parameters.check()?;
        let circuit = instance.circuit();
        let circuit = circuit.filter(|circuit| circuit.and_or_not_form().is_some());
        let misfit = || {
            ProtocolUnsuitableForProblemError::for_problem(
                ProtocolKind::Descent,
                instance.decomposition().as_ref(),
            )
        };
        let circuit = circuit.ok_or_else(misfit)?;
        let mut descent = Self {
            instance,
            circuit,
            step: Step::Answer,
            answer: false,
            wire: 0,
            claimed: false,
            round: 0,
            selected: Vec::new(),
            account: PaymentsAndResourceCosts::new(false),
        };
        descent.round = descent
            .gates()
            .map_or(0, RewrittenAndOrNotCircuit::and_or_depth);
        Ok(descent)
    }

    fn gates(&self) -> Option<&RewrittenAndOrNotCircuit> {
        self.circuit.and_or_not_form()
    }

    /// Returns the gate under discussion; `None` if an input of the circuit is under discussion.
    fn fork(&self) -> Option<AndOrGate> {
        self.gates()?.and_or_gate(self.wire)
    }

    /// Returns the wire of this input of the gate under discussion, and the value that the prover claims for it if the
    /// debate continues there.
    fn leg(&self, leg: (Wire, bool)) -> (Wire, bool) {
        (leg.0, self.claimed != leg.1)
    }

    /// Returns the seat that selects a gate input: the prover if one input proves its claim, else the opponent.
    fn selects(&self, fork: &AndOrGate) -> Seat {
        if fork.is_or == self.claimed {
            Seat::Prover
        } else {
            Seat::Opponent
        }
    }

    /// Returns the claim that a wire of the circuit has this value.
    fn claim_of(&self, wire: Wire, value: bool) -> ClaimId {
        let (wire, part) = self
            .gates()
            .map_or((wire, 0), |gates| gates.original_wire_and_part(wire));
        let place = CircuitWireClaim { wire, part, value };
        self.instance
            .claim_with_key(self.circuit.wire_claim_key(place))
    }

    fn claim(&self) -> ClaimId {
        match self.step {
            Step::Answer => self.instance.root(),
            Step::Select | Step::Over => self.claim_of(self.wire, self.claimed),
        }
    }

    fn parts(&self, fork: &AndOrGate) -> [ClaimId; 2] {
        fork.inputs.map(|leg| {
            let (wire, value) = self.leg(leg);
            self.claim_of(wire, value)
        })
    }

    /// Continues the descent at a wire, for which the prover claims the value `claimed`.
    fn enter(&mut self, wire: Wire, claimed: bool, sink: &mut dyn EventSink<N>) {
        self.wire = wire;
        self.claimed = claimed;
        let fork = self.fork();
        self.step = if fork.is_some() {
            Step::Select
        } else {
            self.round = 0;
            Step::Over
        };
        // Skipped in headless play, which numbers no claims.
        if sink.wants() {
            sink.log_round_start(self.round, self.claim());
            if let Some(fork) = &fork {
                sink.log_split_without_support(Seat::Chance, self.claim(), &self.parts(fork));
            }
        }
        if fork.is_none() {
            self.read(sink);
        }
    }

    /// Makes the verifier read the bit of the circuit's input at the end of the path, and ends the debate.
    fn read(&mut self, sink: &mut dyn EventSink<N>) {
        let place = u64::from(self.wire);
        let value = self.circuit.wire_value(self.wire);
        self.account.judge_spending().bits_read += 1;
        sink.record_unsealed_event(Seat::Judge, || Event::Read {
            source: BitSource::Input(place),
            value,
            verifier: false,
        });
        self.decide(value == self.claimed, sink);
    }

    fn decide(&mut self, for_prover: bool, sink: &mut dyn EventSink<N>) {
        self.account.end_by_verifier(for_prover, sink);
        self.step = Step::Over;
    }

    /// Continues from the prover's answer about the output to the wire that determines the output. Ends the debate if
    /// the output is constant.
    fn begin(&mut self, sink: &mut dyn EventSink<N>) {
        match self.gates().map(RewrittenAndOrNotCircuit::output) {
            Some(CircuitLiteral::Wire { wire, negated }) => {
                let claimed = self.answer != negated;
                // If Alice answers no, or the output is a NOT, her claim below differs from the root.
                let root = self.instance.root();
                let below = self.claim_of(wire, claimed);
                if below != root {
                    sink.log_split_without_support(Seat::Chance, root, &[below]);
                }
                self.enter(wire, claimed, sink);
            }
            // Every seat knows a constant, so no bit is read.
            Some(CircuitLiteral::Constant(value)) => self.decide(value == self.answer, sink),
            None => self.decide(false, sink),
        }
    }
}

impl<N: Number> Rules<N> for CircuitDescentDebate<'_, N> {
    fn request(&self) -> Option<PendingTurn<N>> {
        let claim = self.claim();
        let (seat, request) = match self.step {
            Step::Answer => (Seat::Prover, Request::Answer { claim }),
            Step::Select => {
                let seat = self.selects(&self.fork()?);
                (seat, Request::Select { claim, count: 2 })
            }
            Step::Over => return None,
        };
        Some(PendingTurn { seat, request })
    }

    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        match (self.step, reply, self.fork()) {
            (Step::Answer, Reply::Answer(answer), _) => {
                self.answer = answer;
                self.account.count_reply(Seat::Prover);
                let claim = self.instance.root();
                sink.record_unsealed_event(Seat::Prover, || Event::Answered { claim, answer });
                self.begin(sink);
            }
            (Step::Select, Reply::Select(place), Some(fork)) => {
                let index = request::check_choice_index(place, 2)?;
                let seat = self.selects(&fork);
                let (wire, value) = self.leg(fork.inputs[index]);
                self.account.count_reply(seat);
                self.account.judge_spending().bits_read += 1;
                if sink.wants() {
                    sink.log_selection(seat, self.claim(), place, self.claim_of(wire, value));
                }
                self.selected.push(index == 1);
                self.round = self.round.saturating_sub(1);
                self.enter(wire, value, sink);
            }
            (_, reply, _) => return Err(IllegalReply::kind(self.request(), &reply)),
        }
        Ok(())
    }

    fn account(&self) -> &PaymentsAndResourceCosts<N> {
        &self.account
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        reward::schedule_of_end(
            self.gates()
                .map_or(0, RewrittenAndOrNotCircuit::and_or_depth),
        )
    }

    fn round(&self) -> Option<Round> {
        (self.step != Step::Over).then_some(Round::Number(self.round))
    }

    fn answer(&self) -> Option<bool> {
        (self.step != Step::Answer).then_some(self.answer)
    }

    fn circuit_verifier(&self) -> Option<&dyn DebateWithCircuitVerifier> {
        Some(self)
    }
}

impl<N: Number> DebateWithCircuitVerifier for CircuitDescentDebate<'_, N> {
    fn verifier(&self) -> Option<Arc<Netlist>> {
        verifier_of(self.gates()?).map(Arc::new)
    }

    fn verifier_input(&self) -> Option<BitString> {
        if self.step != Step::Over {
            return None;
        }
        let depth = self.gates()?.and_or_depth() as usize;
        let padding = depth.saturating_sub(self.selected.len());
        let moves = self.selected.iter().copied();
        let input = self.circuit.input_bits().as_slice().iter().copied();
        let bits = std::iter::once(self.answer)
            .chain(moves)
            .chain(std::iter::repeat_n(false, padding));
        Some(bits.chain(input).collect())
    }
}

/// The view of a seat. No event of this protocol is sealed, so every seat sees everything.
impl<N: Number> View<'_, CircuitDescentDebate<'_, N>> {
    /// Returns the claim under discussion: the root claim until the prover answers it, then the prover's current claim
    /// about a wire.
    pub fn claim_under_discussion(&self) -> ClaimId {
        self.rules.claim()
    }

    /// Returns the prover's claims about the gate's two inputs, if a debater (prover or opponent) must select one of
    /// them; `None` if there is no selection to make.
    pub fn selectable_input_claims(&self) -> Option<[ClaimId; 2]> {
        let fork = self.rules.fork()?;
        (self.rules.step == Step::Select).then(|| self.rules.parts(&fork))
    }

    /// Returns, for each of the two inputs of the gate under discussion, the number of AND and OR gates on the longest
    /// path from there down to an input of the circuit. `None` if no gate is under discussion.
    pub fn and_or_depths_below_gate_under_discussion(&self) -> Option<[u32; 2]> {
        let gates = self.rules.gates()?;
        let fork = self.rules.fork()?;
        Some(fork.inputs.map(|(wire, _)| gates.level(wire)))
    }
}

/// Upper limit on the size of a verifier circuit: the number of pairs of a gate and a number of moves after which the
/// debate can be at this gate. Each pair needs three gates of the verifier circuit.
const MAX_PLACES: usize = 1 << 20;

/// A wire of the verifier circuit, and a flag: true if its value must be negated.
type Bit = (Wire, bool);

/// Builds the verifier's circuit over the prover's answer, the selections, and the input x. Its output is 1 if the
/// prover wins. Each level of the debated circuit has one selection: 1 selects a gate's second input. Selections after
/// the end of the path are ignored. `None` if the circuit would have millions of gates.
fn verifier_of(circuit: &RewrittenAndOrNotCircuit) -> Option<Netlist> {
    let depth = circuit.and_or_depth();
    let first_input = depth.checked_add(1)?;
    let mut verifier = Netlist::new(first_input.checked_add(circuit.input_count())?);
    let output = match circuit.output() {
        CircuitLiteral::Constant(value) => {
            let table = if value {
                TwoInputTruthTable::FIRST
            } else {
                TwoInputTruthTable::NOT_FIRST
            };
            verifier.push(TwoInputGate::new(table, 0, 0))?
        }
        CircuitLiteral::Wire { wire, negated } => {
            let walk = levels_of(circuit, wire)?;
            let mut below = HashMap::new();
            for (level, wires) in (0..).zip(&walk).collect::<Vec<_>>().into_iter().rev() {
                let mut here = HashMap::with_capacity(wires.len());
                for wire in wires {
                    let fork = circuit.and_or_gate(*wire)?;
                    let [one, other] = fork.inputs.map(|(leg, turned)| {
                        let (wire, turn) = place(circuit, &below, leg)?;
                        Some((wire, turn != turned))
                    });
                    let chosen = select(&mut verifier, 1 + level, one?, other?)?;
                    here.insert(*wire, (chosen, false));
                }
                below = here;
            }
            // The value at the end of the walk is taken as the output's value, so compare it with the answer.
            let (end, turn) = place(circuit, &below, wire)?;
            let same = TwoInputTruthTable::XOR
                .negation()
                .with_inputs_negated(false, turn != negated);
            verifier.push(TwoInputGate::new(same, 0, end))?
        }
    };
    verifier.add_output(output);
    Some(verifier)
}

/// Returns, for each number of moves, the gates that a debate can reach after that number of moves. `None` if there are
/// more than `MAX_PLACES` in total.
fn levels_of(circuit: &RewrittenAndOrNotCircuit, top: Wire) -> Option<Vec<Vec<Wire>>> {
    let mut levels = Vec::new();
    let mut level = vec![top];
    let mut places = 0;
    loop {
        level.retain(|wire| circuit.and_or_gate(*wire).is_some());
        level.sort_unstable();
        level.dedup();
        places += level.len();
        if places > MAX_PLACES {
            return None;
        }
        if level.is_empty() {
            return Some(levels);
        }
        let forks = level.iter().filter_map(|wire| circuit.and_or_gate(*wire));
        let next = forks
            .flat_map(|fork| fork.inputs.map(|(leg, _)| leg))
            .collect();
        levels.push(std::mem::replace(&mut level, next));
    }
}

/// Returns the verifier's wire that has the value of the input at the end of the path from `wire`. If `wire` is an
/// input itself, this is the input's bit; else the selections decide the path.
fn place(
    circuit: &RewrittenAndOrNotCircuit,
    below: &HashMap<Wire, Bit>,
    wire: Wire,
) -> Option<Bit> {
    if wire < circuit.input_count() {
        return Some((1 + circuit.and_or_depth() + wire, false));
    }
    below.get(&wire).copied()
}

/// Adds a multiplexer to the verifier circuit: its output is `one` if the selection is 0, and `other` if it is 1.
fn select(verifier: &mut Netlist, selection: Wire, one: Bit, other: Bit) -> Option<Wire> {
    let mut when = |value: bool, (wire, turned): Bit| {
        verifier.push(TwoInputGate::new(
            TwoInputTruthTable::AND.with_inputs_negated(!value, turned),
            selection,
            wire,
        ))
    };
    let (a, b) = (when(false, one)?, when(true, other)?);
    verifier.push(TwoInputGate::new(TwoInputTruthTable::OR, a, b))
}
