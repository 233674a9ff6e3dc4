//! A protocol that wraps an inner debate whose verifier is a circuit. After the inner debate, the verifier's gates are
//! cross-examined (DQC Lemma 8, and through it Theorem 9).
//!
//! The inner debate is played to its end, but no verdict is given. The prover writes down the value of every gate of
//! the inner verifier on the bits of the debate. The opponent points at one that does not follow. Of a verifier of m
//! gates, at most ⌈log2 m⌉ + 3 bits are read, however many bits the inner debate's own verifier reads.
//!
//! Requests in order: those of the inner debate; then those of the cross-examination of its verifier.
//!
//! Payoff to the prover: +1 if the verifier decides for it, else −1.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event::{Event, EventSink, ReplySeal, Round};
use super::examination::CrossExaminedComputationState;
use super::parameter::one_of;
use super::request::{BitString, IllegalReply, PendingTurn, Reply};
use super::{
    ComputationAndTranscript, DebateWithExaminedComputation, ParameterValue,
    PaymentsAndResourceCosts, ProofBitSource, Protocol, ProtocolError, ProtocolKind,
    ProtocolParameters, Rules, Seat, State, VerifierCostBound, View,
};
use crate::bits::bits_to_distinguish;
use crate::number::Number;
use crate::scenario::netlist::Netlist;
use crate::scenario::{CircuitWithInput, Decomposition, Instance};

/// The inner debate's protocol, which is written in parentheses: `Verified(Descent)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
#[serde(rename = "Parameters")]
pub struct InnerProtocolOfVerified(Box<Protocol>);

impl InnerProtocolOfVerified {
    /// Returns the inner debate.
    pub fn inner_protocol(&self) -> &Protocol {
        &self.0
    }
}

/// Returns the inner protocols of the examples of this protocol.
fn inner_debates() -> impl Iterator<Item = Protocol> {
    let examples = ProtocolKind::Verified.protocol_texts().examples.iter();
    examples.filter_map(|example| match Protocol::parse(example) {
        Ok(Protocol::Verified(outer)) => Some(*outer.0),
        _ => None,
    })
}

impl ProtocolParameters for InnerProtocolOfVerified {
    fn check(&self) -> Result<(), ProtocolError> {
        self.0.check_parameter_ranges()?;
        // Verified cannot contain itself, so brackets never nest deeply.
        if !self.0.protocol_parameters().has_verifier() {
            return Err(ProtocolError::Text(format!(
                "the verifier of {} is not a circuit; write Verified(…) around Descent or \
                 Quantifiers(verifier: Direct)",
                self.0.kind().protocol_name_in_scenarios()
            )));
        }
        Ok(())
    }

    fn prover_always_claims_true(&self) -> bool {
        self.0.protocol_parameters().prover_always_claims_true()
    }

    fn fits(&self, problem: &dyn Decomposition) -> bool {
        self.0.fits_problem(problem)
    }

    fn each_parameter(&mut self, with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {
        let all: Vec<Protocol> = inner_debates().collect();
        with("inner", one_of(&mut *self.0, &all));
    }

    fn summary(&self) -> String {
        self.0.to_string()
    }

    fn asks(&self, seat: Seat, instance: &Instance) -> bool {
        // Both debaters have their part in the examination at the end.
        seat != Seat::Judge || self.0.protocol_parameters().asks(seat, instance)
    }

    fn bounds(&self, instance: &Instance) -> Vec<VerifierCostBound> {
        let debate = self.0.start::<f64>(instance).ok();
        let verifier = debate.and_then(|debate| debate.verifier_circuit());
        let bits = |gates: u32| u64::from(bits_to_distinguish(gates.into())) + 3;
        let bound = |verifier: Arc<Netlist>| {
            VerifierCostBound::new("bits_read", bits(verifier.gate_count()), "DQC Lemma 8")
        };
        verifier.map(bound).into_iter().collect()
    }
}

/// The state of a debate whose verifier is cross-examined.
#[derive(Clone, Debug)]
pub struct DebateWithExaminedVerifier<'a, N> {
    instance: &'a Instance,
    inner: Box<State<'a, N>>,
    /// The verifier of the inner debate, as a circuit over the bits of that debate.
    verifier: Arc<Netlist>,
    /// The cross-examination of the verifier; `None` until the inner debate is over.
    examination: Option<CrossExaminedComputationState>,
    account: PaymentsAndResourceCosts<N>,
}

impl<'a, N: Number> DebateWithExaminedVerifier<'a, N> {
    /// Starts a debate with a cross-examined verifier, before the first reply.
    ///
    /// # Errors
    /// Returns an error if the inner debate cannot be played, or if its verifier is too large a circuit.
    pub fn new(
        instance: &'a Instance,
        parameters: &InnerProtocolOfVerified,
    ) -> Result<Self, ProtocolError> {
        parameters.check()?;
        let inner: State<'a, N> = parameters.0.start(instance)?;
        let too_large = "the verifier of this debate has too many gates; use a smaller problem, or \
                         the inner protocol alone";
        let too_large = || ProtocolError::Text(too_large.to_owned());
        let verifier = inner.verifier_circuit().ok_or_else(too_large)?;
        let mut debate = Self {
            instance,
            inner: Box::new(inner),
            verifier,
            examination: None,
            account: PaymentsAndResourceCosts::new(parameters.prover_always_claims_true()),
        };
        debate.examine();
        Ok(debate)
    }

    /// Begins the cross-examination of the verifier if the inner debate is over.
    fn examine(&mut self) {
        if self.inner.request().is_some() {
            return;
        }
        let circuit = || {
            let output = *self.verifier.outputs().first()?;
            CircuitWithInput::new(&self.verifier, output, self.inner.verifier_input()?)
        };
        self.examination = circuit().map(|circuit| {
            CrossExaminedComputationState::new(Arc::new(circuit), BitString::default(), true)
        });
    }
}

/// An event sink that records the inner debate without its verdict. It drops the verifier's reads and checks, the
/// rewards and the end of the inner debate.
struct WithoutVerdict<'s, N>(&'s mut dyn EventSink<N>);

impl<N> EventSink<N> for WithoutVerdict<'_, N> {
    fn wants(&self) -> bool {
        self.0.wants()
    }

    fn note(&mut self, seat: Seat, seal: Option<ReplySeal>, event: Event<N>) {
        let of_verdict = matches!(
            event,
            Event::Read { .. } | Event::Checked { .. } | Event::Rewarded(_) | Event::Ended { .. }
        );
        if !of_verdict {
            self.0.note(seat, seal, event);
        }
    }
}

impl<N: Number> Rules<N> for DebateWithExaminedVerifier<'_, N> {
    fn request(&self) -> Option<PendingTurn<N>> {
        match &self.examination {
            None => self.inner.request(),
            Some(examination) => examination.request(self.instance),
        }
    }

    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        let Some(examination) = &mut self.examination else {
            self.inner.reply(reply, &mut WithoutVerdict(sink))?;
            // In this protocol the inner verifier reads no bits.
            self.account.ledger = *self.inner.ledger();
            self.account.judge_spending().bits_read = 0;
            self.examine();
            return Ok(());
        };
        examination.reply(self.instance, reply, &mut self.account, sink)
    }

    fn account(&self) -> &PaymentsAndResourceCosts<N> {
        &self.account
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        self.inner.schedule()
    }

    fn round(&self) -> Option<Round> {
        match &self.examination {
            None => self.inner.round(),
            Some(examination) => {
                (!examination.is_computation_examination_decided()).then_some(Round::Number(0))
            }
        }
    }

    fn answer(&self) -> Option<bool> {
        self.inner.answer()
    }

    fn coins(&self) -> u64 {
        self.inner.coins()
    }

    fn proof_bits(&self) -> Option<&dyn ProofBitSource> {
        Some(self)
    }

    fn computed(&self) -> Option<&dyn DebateWithExaminedComputation> {
        Some(self)
    }
}

impl<N: Number> ProofBitSource for DebateWithExaminedVerifier<'_, N> {
    fn proof(&self) -> Vec<bool> {
        self.inner.proof_bits_of_leaf()
    }
}

impl<N: Number> DebateWithExaminedComputation for DebateWithExaminedVerifier<'_, N> {
    fn transcript(&self) -> Option<ComputationAndTranscript> {
        match &self.examination {
            None => self.inner.transcript(),
            Some(examination) => Some(examination.examined_computation_and_transcript()),
        }
    }

    fn prepared(&self) -> Option<BitString> {
        match &self.examination {
            None => self.inner.honest_reply_bits(),
            Some(examination) => examination.requested_true_transcript(),
        }
    }
}

/// A seat's view of the debate: its view of the inner debate, and the cross-examination, which every seat sees
/// completely.
impl<'v, 'a, N: Number> View<'v, DebateWithExaminedVerifier<'a, N>> {
    /// Returns the inner debate, for strategies that play it; `None` once the inner debate is over.
    pub fn unfinished_inner_debate_state(&self) -> Option<&'v State<'a, N>> {
        self.rules
            .examination
            .is_none()
            .then_some(&*self.rules.inner)
    }
}
