//! Cross-examination of a computation that the prover wrote down: the judge checks one step instead of all (DE Theorem
//! 5.3, arXiv:2311.14125; DQC Theorem 6 and Lemma 8).
//!
//! Requests in order: Prover [`Request::Bits`], the bit of every step of the computation; Opponent
//! [`Request::Challenge`], a step that does not follow from what it reads, or none; if the step asks the oracle, Judge
//! [`Request::Oracle`].
//!
//! The verifier reads the pointer, the value written for that step and what the step reads. A wrong step decides for
//! the opponent, a right one for the prover; but the output, if it is challenged directly or by challenging no step,
//! must be right and 1.
//!
//! Cross-examination is a separate protocol; other protocols end with it, over their own verifier.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use super::event::{Event, EventSink, VerifierCheck};
use super::request::{self, BitString, BitsMeaning, IllegalReply, PendingTurn, Reply, Request};
use super::{ComputationAndTranscript, PaymentsAndResourceCosts, Seat, VerifierCostBound};
use crate::bits::bits_to_distinguish;
use crate::number::{Number, to_u32_saturating};
use crate::scenario::{BitSource, ClaimId, Computation, Instance, RequiredStepOutput};

/// The state of an examination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExaminationStage {
    Transcript,
    Challenge,
    Oracle { step: u64, claim: ClaimId },
    Over,
}

/// The cross-examination of one computation. The prover claims that the computation's output is 1.
#[derive(Clone, Debug)]
pub(super) struct CrossExaminedComputationState {
    computation: Arc<dyn Computation>,
    witness: BitString,
    verifier: bool,
    stage: ExaminationStage,
    transcript: BitString,
    /// The true transcript of the computation, computed when it is first needed.
    prepared: OnceLock<Option<BitString>>,
}

impl CrossExaminedComputationState {
    /// Creates an examination for which the prover must first give the transcript. `verifier` is true if the
    /// computation is the verifier's own, which reads the bits of the debate before it.
    pub(super) fn new(
        computation: Arc<dyn Computation>,
        witness: BitString,
        verifier: bool,
    ) -> Self {
        Self {
            computation,
            witness,
            verifier,
            stage: ExaminationStage::Transcript,
            transcript: BitString::default(),
            prepared: OnceLock::new(),
        }
    }

    /// Returns the pending request of the examination; `None` once the examination is decided.
    pub(super) fn request<N>(&self, instance: &Instance) -> Option<PendingTurn<N>> {
        let (seat, request) = match self.stage {
            ExaminationStage::Transcript => {
                let ask = self.ask();
                let length = to_u32_saturating(self.computation.steps());
                (Seat::Prover, Request::Bits { ask, length })
            }
            ExaminationStage::Challenge => {
                let claim = instance.root();
                let steps = 0..self.computation.steps();
                (Seat::Opponent, Request::Challenge { claim, steps })
            }
            ExaminationStage::Oracle { claim, .. } => (Seat::Judge, Request::Oracle { claim }),
            ExaminationStage::Over => return None,
        };
        Some(PendingTurn { seat, request })
    }

    /// Accepts the reply to the pending request. As soon as the examination is decided, pays the reward and ends the
    /// debate.
    ///
    /// # Errors
    /// Returns an error if the reply is illegal. The state is then unchanged and no event is recorded.
    pub(super) fn reply<N: Number>(
        &mut self,
        instance: &Instance,
        reply: Reply<N>,
        account: &mut PaymentsAndResourceCosts<N>,
        sink: &mut dyn EventSink<N>,
    ) -> Result<(), IllegalReply> {
        match (self.stage, reply) {
            (ExaminationStage::Transcript, Reply::Bits(bits)) => {
                self.transcript =
                    request::check_bit_count(bits, to_u32_saturating(self.computation.steps()))?;
                self.stage = ExaminationStage::Challenge;
                account.count_reply(Seat::Prover);
                sink.log_given_bits(Seat::Prover, self.ask(), &self.transcript);
            }
            (ExaminationStage::Challenge, Reply::Challenge(step)) => {
                let step = request::check_challenged_step(step, &(0..self.computation.steps()))?;
                account.count_reply(Seat::Opponent);
                sink.log_challenge(step, self.verifier);
                self.examine(instance, step, account, sink);
            }
            (ExaminationStage::Oracle { step, claim }, Reply::Oracle { holds, confidence }) => {
                sink.judged(
                    claim,
                    request::check_judge_answer(holds, confidence)?,
                    account,
                );
                self.decide(step, holds, account, sink);
            }
            (_, reply) => return Err(IllegalReply::kind(self.request(instance), &reply)),
        }
        Ok(())
    }

    fn ask(&self) -> BitsMeaning {
        let verifier = self.verifier;
        BitsMeaning::Transcript { verifier }
    }

    /// True once the examination is decided.
    pub(super) fn is_computation_examination_decided(&self) -> bool {
        self.stage == ExaminationStage::Over
    }

    /// Returns the computation's output in the prover's transcript; `None` until the prover has given the transcript.
    pub(super) fn claimed_output(&self) -> Option<bool> {
        match self.stage {
            ExaminationStage::Transcript => None,
            _ => self.transcript.as_slice().last().copied(),
        }
    }

    /// Returns the true transcript while the prover is asked for a transcript; `None` at other times, or if it is
    /// unknown.
    pub(super) fn requested_true_transcript(&self) -> Option<BitString> {
        if self.stage != ExaminationStage::Transcript {
            return None;
        }
        let find = || self.computation.transcript(&self.witness);
        self.prepared.get_or_init(find).clone()
    }

    /// Returns the examined computation and the transcript that the prover gave.
    pub(super) fn examined_computation_and_transcript(&self) -> ComputationAndTranscript {
        ComputationAndTranscript {
            computation: self.computation.clone(),
            witness: self.witness.clone(),
            transcript: (self.stage != ExaminationStage::Transcript)
                .then(|| self.transcript.clone()),
        }
    }

    /// Checks the challenged step; if no step was challenged, checks the output.
    fn examine<N: Number>(
        &mut self,
        instance: &Instance,
        pointed: Option<u64>,
        account: &mut PaymentsAndResourceCosts<N>,
        sink: &mut dyn EventSink<N>,
    ) {
        let last = self.computation.steps().saturating_sub(1);
        let step = pointed.unwrap_or(last);
        if step != last && !self.verifier {
            let chosen = instance.claim_with_key(self.computation.claim(step));
            let claim = instance.root();
            sink.log_split_without_support(Seat::Opponent, claim, &[chosen]);
            sink.log_selection(Seat::Opponent, claim, 0, chosen);
        }
        let mut sources = Vec::new();
        self.computation.reads(step, &mut sources);
        let bits: Vec<bool> = sources.iter().map(|source| self.bit(*source)).collect();
        account.judge_spending().bits_read +=
            u64::from(bits_to_distinguish(self.computation.steps()));
        self.read(BitSource::Step(step), account, sink);
        let mut seen = HashSet::with_capacity(sources.len());
        for source in sources {
            if seen.insert(source) {
                self.read(source, account, sink);
            }
        }
        match self.computation.rule(step, &bits) {
            RequiredStepOutput::Value(value) => self.decide(step, value, account, sink),
            RequiredStepOutput::Oracle(key) => {
                let claim = instance.claim_with_key(key);
                self.stage = ExaminationStage::Oracle { step, claim };
            }
        }
    }

    fn bit(&self, source: BitSource) -> bool {
        let transcript = self.transcript.as_slice();
        self.computation.bit(source, &self.witness, transcript)
    }

    fn read<N: Number>(
        &self,
        source: BitSource,
        account: &mut PaymentsAndResourceCosts<N>,
        sink: &mut dyn EventSink<N>,
    ) {
        account.judge_spending().bits_read += 1;
        sink.record_unsealed_event(Seat::Judge, || Event::Read {
            source,
            value: self.bit(source),
            verifier: self.verifier,
        });
    }

    /// Decides the debate: the prover wins if its bit of the challenged step is correct and, for the output step, is
    /// also 1.
    fn decide<N: Number>(
        &mut self,
        step: u64,
        value: bool,
        account: &mut PaymentsAndResourceCosts<N>,
        sink: &mut dyn EventSink<N>,
    ) {
        let given = self.bit(BitSource::Step(step));
        let right = given == value;
        let verifier = self.verifier;
        sink.log_check(Seat::Judge, VerifierCheck::Step { step, verifier }, right);
        let is_output = step + 1 == self.computation.steps();
        if right && is_output {
            sink.log_check(Seat::Judge, VerifierCheck::Output, given);
        }
        self.stage = ExaminationStage::Over;
        account.end_by_verifier(right && (given || !is_output), sink);
    }
}

/// Returns the maximum number of bits that the verifier reads to examine a computation of m steps: ⌈log2 m⌉ bits for
/// the number of the challenged step, one bit for its value, and one for each bit that the widest step reads. If a step
/// asks the oracle, also returns the bound of one oracle query.
pub(super) fn verifier_spending_bounds(
    computation: &dyn Computation,
    source: &'static str,
) -> Vec<VerifierCostBound> {
    let steps = computation.steps();
    let bits = u64::from(bits_to_distinguish(steps)) + computation.max_bits_read() + 1;
    let mut bounds = vec![VerifierCostBound::new("bits_read", bits, source)];
    if computation.asks() {
        bounds.push(VerifierCostBound::new(
            "oracle_queries",
            1,
            "DE Theorem 5.3",
        ));
    }
    bounds
}
