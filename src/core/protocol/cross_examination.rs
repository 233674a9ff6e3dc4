//! Debate with cross-examination (DE Theorem 5.3 and, with a witness, Theorem 7.1, arXiv:2311.14125; DQC Theorem 6).
//! The bodies of DE Figures 1 and 3 are missing from the paper's text, so these rules are derived from the theorems.
//!
//! Requests in order: with a witness, Prover [`Request::Bits`], the witness w; Prover [`Request::Bits`], the bit of
//! every step of M(x, w); Opponent [`Request::Challenge`], a wrong step or none; if that step asks the oracle, Judge
//! [`Request::Oracle`].
//!
//! Payoff to the prover, who claims M(x, w) = 1: −1 if the challenged step is wrong, or is the output and 0; else +1.
//! Challenging no step is challenging the output.

use serde::{Deserialize, Serialize};

use super::event::{EventSink, Round};
use super::examination::{self, CrossExaminedComputationState};
use super::parameter::one_of;
use super::request::{self, BitString, BitsMeaning, IllegalReply, PendingTurn, Reply, Request};
use super::{
    ComputationAndTranscript, DebateWithExaminedComputation, ParameterValue,
    PaymentsAndResourceCosts, ProtocolError, ProtocolParameters, Rules, Seat, VerifierCostBound,
    reward,
};
use crate::number::{Number, to_u32_saturating};
use crate::scenario::{Computation, Decomposition, Instance};

/// The parameters of cross-examination.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Parameters")]
pub struct CrossExaminationProtocolParameters {
    /// True if the computation reads a witness, which the prover gives before the transcript. The flag must match the
    /// problem's computation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub witness: bool,
}

impl CrossExaminationProtocolParameters {
    fn is_read_literally(&self, computation: &dyn Computation) -> bool {
        self.witness == (computation.witness_length() > 0)
    }
}

impl ProtocolParameters for CrossExaminationProtocolParameters {
    fn fits(&self, problem: &dyn Decomposition) -> bool {
        let computed = problem.as_computation();
        let computation = computed.and_then(|problem| problem.computation(0));
        computation.is_some_and(|computation| self.is_read_literally(computation.as_ref()))
    }

    fn each_parameter(&mut self, with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {
        with("witness", one_of(&mut self.witness, &[false, true]));
    }

    fn summary(&self) -> String {
        let witness = if self.witness { "with a witness" } else { "" };
        witness.to_owned()
    }

    fn asks(&self, seat: Seat, instance: &Instance) -> bool {
        let computation = instance.computation();
        seat != Seat::Judge || computation.is_some_and(|computation| computation.asks())
    }

    fn bounds(&self, instance: &Instance) -> Vec<VerifierCostBound> {
        let source = if self.witness {
            "DE Theorem 7.1"
        } else {
            "DQC Theorem 6"
        };
        let computation = instance.computation();
        computation.map_or_else(Vec::new, |computation| {
            examination::verifier_spending_bounds(computation.as_ref(), source)
        })
    }
}

/// The state of a debate with cross-examination.
#[derive(Clone, Debug)]
pub struct CrossExaminationDebate<'a, N> {
    instance: &'a Instance,
    /// The length of the witness that the prover must still give; `None` if it is given or not needed.
    witness: Option<u32>,
    examination: CrossExaminedComputationState,
    account: PaymentsAndResourceCosts<N>,
}

impl<'a, N: Number> CrossExaminationDebate<'a, N> {
    /// Starts a debate with cross-examination about an instance, before the first reply.
    ///
    /// # Errors
    /// Returns an error if the instance offers no computation, or if `witness` differs from whether the computation
    /// reads one.
    pub fn new(
        instance: &'a Instance,
        parameters: &CrossExaminationProtocolParameters,
    ) -> Result<Self, ProtocolError> {
        let refused = |why| {
            ProtocolError::Text(format!(
                "instance {instance}: its computation {flaw}",
                flaw = why,
                instance = instance.world_name()
            ))
        };
        let computation = instance.computation().ok_or_else(|| {
            refused(
                "cannot be written down as steps that each write one bit; choose another instance",
            )
        })?;
        if !parameters.is_read_literally(computation.as_ref()) {
            return Err(refused(if parameters.witness {
                "reads no witness; write CrossExamination without `witness: true`"
            } else {
                "reads a witness; write CrossExamination(witness: true)"
            }));
        }
        let length = || to_u32_saturating(computation.witness_length());
        Ok(Self {
            instance,
            witness: parameters.witness.then(length),
            examination: CrossExaminedComputationState::new(
                computation,
                BitString::default(),
                false,
            ),
            account: PaymentsAndResourceCosts::new(false),
        })
    }
}

impl<N: Number> Rules<N> for CrossExaminationDebate<'_, N> {
    fn request(&self) -> Option<PendingTurn<N>> {
        let Some(length) = self.witness else {
            return self.examination.request(self.instance);
        };
        let seat = Seat::Prover;
        let ask = BitsMeaning::Witness;
        let request = Request::Bits { ask, length };
        Some(PendingTurn { seat, request })
    }

    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        let Some(length) = self.witness else {
            let account = &mut self.account;
            return self.examination.reply(self.instance, reply, account, sink);
        };
        let Reply::Bits(bits) = reply else {
            return Err(IllegalReply::kind(self.request(), &reply));
        };
        let witness = request::check_bit_count(bits, length)?;
        self.account.count_reply(Seat::Prover);
        sink.log_given_bits(Seat::Prover, BitsMeaning::Witness, &witness);
        let computation = self
            .examination
            .examined_computation_and_transcript()
            .computation;
        self.examination = CrossExaminedComputationState::new(computation, witness, false);
        self.witness = None;
        Ok(())
    }

    fn account(&self) -> &PaymentsAndResourceCosts<N> {
        &self.account
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        reward::schedule_of_end(0)
    }

    fn round(&self) -> Option<Round> {
        (!self.examination.is_computation_examination_decided()).then_some(Round::Number(0))
    }

    fn answer(&self) -> Option<bool> {
        self.examination.claimed_output()
    }

    fn computed(&self) -> Option<&dyn DebateWithExaminedComputation> {
        Some(self)
    }
}

impl<N: Number> DebateWithExaminedComputation for CrossExaminationDebate<'_, N> {
    fn transcript(&self) -> Option<ComputationAndTranscript> {
        Some(self.examination.examined_computation_and_transcript())
    }

    fn prepared(&self) -> Option<BitString> {
        match self.witness {
            Some(_) => Some(
                self.examination
                    .examined_computation_and_transcript()
                    .computation
                    .witness(),
            ),
            None => self.examination.requested_true_transcript(),
        }
    }
}
