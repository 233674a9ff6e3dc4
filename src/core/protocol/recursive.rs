//! Plain recursive debate (Irving, Christiano and Amodei 2018, arXiv:1805.00899; the baseline of PE §7): the prover
//! answers all subclaims, the opponent contests one of the answers, and the debate continues with that subclaim.
//!
//! Requests in order: Prover [`Request::Answer`]; then until a leaf: Prover [`Request::Support`] and [`Request::Bits`]
//! (claimed answers that make the gate give the claimed answer); Opponent [`Request::Select`]; at the leaf Prover
//! [`Request::Bits`] for each proof bit it reads; Judge [`Request::Oracle`].
//!
//! With [`SupportDisputeRule::Challenge`] (ours) each [`Request::Support`] is followed by Opponent
//! [`Request::Challenge`]: the judge answers at once for a disputed step, as for a leaf that the prover claims true.
//!
//! Payoff to the prover: +1 if the oracle's answer is the claimed one, else −1.

use serde::{Deserialize, Serialize};

use super::event::{Event, EventSink, Round};
use super::proof::ProofBitsGivenByProver;
use super::request::{self, BitString, BitsMeaning, IllegalReply, PendingTurn, Reply, Request};
use super::reward::Reward;
use super::{
    ParameterValue, PaymentsAndResourceCosts, ProofBitSource, ProtocolError, ProtocolParameters,
    Rules, Seat, SupportDisputeRule, VerifierCostBound, View, conditions::is_default, reward,
    warrants,
};
use crate::number::{Number, to_u32_saturating};
use crate::scenario::{BitId, ClaimId, Decomposition, Instance, NO_SUPPORT, Support};

/// The parameters of plain recursive debate, in the form of scenario files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Parameters")]
pub struct RecursiveProtocolParameters {
    /// The rule by which the opponent may dispute that a claim follows from its subclaims.
    #[serde(default, skip_serializing_if = "is_default")]
    pub warrants: SupportDisputeRule,
}

impl ProtocolParameters for RecursiveProtocolParameters {
    fn hides_truths(&self) -> bool {
        true
    }

    fn fits(&self, problem: &dyn Decomposition) -> bool {
        problem.can_split_root()
    }

    fn warrants(&self) -> SupportDisputeRule {
        self.warrants
    }

    fn each_parameter(&mut self, with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {
        self.warrants.lend_dispute_parameter(with);
    }

    fn hides_the_instance(&self) -> bool {
        true
    }

    fn bounds(&self, _instance: &Instance) -> Vec<VerifierCostBound> {
        vec![VerifierCostBound::new(
            "oracle_queries",
            1,
            "arXiv:1805.00899",
        )]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Answer,
    Support,
    Dispute,
    Answers,
    Select,
    ProofBit,
    Oracle,
    Over,
}

/// A recursion over claims, in progress.
#[derive(Clone, Debug)]
pub struct RecursiveDebate<'a, N> {
    instance: &'a Instance,
    warrants: SupportDisputeRule,
    step: Step,
    answer: bool,
    claim: ClaimId,
    /// The prover's answer to the claim under discussion.
    claimed: bool,
    round: u32,
    support: u32,
    chosen: &'a Support,
    answers: BitString,
    proof: ProofBitsGivenByProver,
    account: PaymentsAndResourceCosts<N>,
}

impl<'a, N: Number> RecursiveDebate<'a, N> {
    /// Starts a recursive debate about an instance, before the first reply.
    ///
    /// # Errors
    /// None today; a protocol may refuse its parameters.
    pub fn new(
        instance: &'a Instance,
        parameters: &RecursiveProtocolParameters,
    ) -> Result<Self, ProtocolError> {
        parameters.check()?;
        Ok(Self {
            instance,
            warrants: parameters.warrants,
            step: Step::Answer,
            answer: false,
            claim: instance.root(),
            claimed: false,
            round: instance.size().depth,
            support: 0,
            chosen: &NO_SUPPORT,
            answers: BitString::default(),
            proof: ProofBitsGivenByProver::default(),
            account: PaymentsAndResourceCosts::new(false),
        })
    }

    fn width(&self) -> u32 {
        to_u32_saturating(self.chosen.on.len())
    }

    fn enter(&mut self, sink: &mut dyn EventSink<N>) {
        self.step = if self.instance.is_leaf(self.claim) {
            self.round = 0;
            if self
                .proof
                .first_missing_proof_bit(self.instance, self.claim)
                .is_some()
            {
                Step::ProofBit
            } else {
                Step::Oracle
            }
        } else {
            Step::Support
        };
        sink.log_round_start(self.round, self.claim);
    }

    fn supported(&mut self, support: u32, chosen: &'a Support, sink: &mut dyn EventSink<N>) {
        let claim = self.claim;
        self.support = support;
        self.chosen = chosen;
        self.account.count_reply(Seat::Prover);
        sink.record_unsealed_event(Seat::Prover, || Event::Supported { claim, support });
        self.step = if self.warrants.allows_support_disputes() {
            Step::Dispute
        } else {
            Step::Answers
        };
    }

    /// Returns the warrant of the current step: the claim that the current claim follows from its subclaims.
    fn warrant(&self) -> ClaimId {
        self.instance.warrant_claim(self.claim, self.support)
    }

    fn judge(&mut self, verdict: (bool, Option<N>), sink: &mut dyn EventSink<N>) {
        let claimed = self.claimed;
        let answer = verdict.0;
        sink.judged(self.claim, verdict, &mut self.account);
        self.account
            .pay_and_end(Reward::Verdict { claimed, answer }, sink);
        self.step = Step::Over;
    }
}

impl<N: Number> Rules<N> for RecursiveDebate<'_, N> {
    fn request(&self) -> Option<PendingTurn<N>> {
        let claim = self.claim;
        let (seat, request) = match self.step {
            Step::Answer => (Seat::Prover, Request::Answer { claim }),
            Step::Support => {
                let offered = to_u32_saturating(self.instance.supports(claim).len());
                (Seat::Prover, Request::Support { claim, offered })
            }
            Step::Dispute => return Some(warrants::dispute_request(self.warrant())),
            Step::Answers => {
                let ask = BitsMeaning::Answers {
                    claim,
                    support: self.support,
                    result: self.claimed,
                };
                let length = self.width();
                (Seat::Prover, Request::Bits { ask, length })
            }
            Step::Select => {
                let count = self.width();
                (Seat::Opponent, Request::Select { claim, count })
            }
            Step::ProofBit => (Seat::Prover, self.proof.request(self.instance, claim)?),
            Step::Oracle => (Seat::Judge, Request::Oracle { claim }),
            Step::Over => return None,
        };
        Some(PendingTurn { seat, request })
    }

    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        let claim = self.claim;
        match (self.step, reply) {
            (Step::Answer, Reply::Answer(answer)) => {
                self.answer = answer;
                self.claimed = answer;
                self.account.count_reply(Seat::Prover);
                sink.record_unsealed_event(Seat::Prover, || Event::Answered { claim, answer });
                self.enter(sink);
            }
            (Step::Support, Reply::Support(number)) => {
                let (number, support) = request::listed_support(self.instance, claim, number)?;
                self.supported(number, support, sink);
            }
            (Step::Support, Reply::Compose(composed)) => {
                let (number, support) =
                    request::add_composed_support(self.instance, claim, &composed)?;
                self.supported(number, support, sink);
            }
            (Step::Dispute, Reply::Challenge(step)) => {
                let disputed = request::check_challenged_step(step, &(0..1))?;
                self.account.count_reply(Seat::Opponent);
                sink.log_challenge(disputed, false);
                if disputed.is_some() {
                    self.claimed = true;
                    self.claim = self.warrant();
                    self.enter(sink);
                } else {
                    self.step = Step::Answers;
                }
            }
            (Step::Answers, Reply::Bits(answers)) => {
                let answers = request::check_bit_count(answers, self.width())?;
                let holds = self
                    .chosen
                    .gate
                    .value_for_outcomes(answers.as_slice().iter().copied());
                if holds != self.claimed {
                    return Err(IllegalReply::Unsupported(self.claimed));
                }
                self.answers = answers;
                self.account.count_reply(Seat::Prover);
                let support = self.support;
                let answers = &self.answers;
                sink.record_unsealed_event(Seat::Prover, || Event::Claimed {
                    claim,
                    support,
                    answers: answers.clone(),
                });
                self.step = Step::Select;
            }
            (Step::Select, Reply::Select(position)) => {
                let index = request::check_choice_index(position, self.width())?;
                let chosen = self.chosen.on[index];
                self.account.count_reply(Seat::Opponent);
                sink.log_selection(Seat::Opponent, claim, position, chosen);
                self.claimed = self.answers.as_slice()[index];
                self.claim = chosen;
                self.round -= 1;
                self.enter(sink);
            }
            (Step::ProofBit, Reply::Bits(bits)) => {
                if self
                    .proof
                    .give(self.instance, claim, &bits, &mut self.account, sink)?
                {
                    self.step = Step::Oracle;
                }
            }
            (Step::Oracle, Reply::Oracle { holds, confidence }) => {
                self.judge(request::check_judge_answer(holds, confidence)?, sink);
            }
            (_, reply) => return Err(IllegalReply::kind(self.request(), &reply)),
        }
        Ok(())
    }

    fn account(&self) -> &PaymentsAndResourceCosts<N> {
        &self.account
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        reward::schedule_of_end(self.instance.size().depth)
    }

    fn round(&self) -> Option<Round> {
        (self.step != Step::Over).then_some(Round::Number(self.round))
    }

    fn answer(&self) -> Option<bool> {
        (self.step != Step::Answer).then_some(self.answer)
    }

    #[inline]
    fn state_key(&self, key: &mut Vec<u64>) -> bool {
        if self.step != Step::Support {
            return false;
        }
        let claims = u64::from(self.answer) << 1 | u64::from(self.claimed);
        key.extend([
            self.claim.claim_number().into(),
            u64::from(self.round) << 2 | claims,
        ]);
        self.proof.add_given_bits_to_key(key);
        true
    }

    fn proof_bits(&self) -> Option<&dyn ProofBitSource> {
        Some(self)
    }
}

impl<N: Number> ProofBitSource for RecursiveDebate<'_, N> {
    fn proof(&self) -> Vec<bool> {
        self.proof
            .proof_bits_given_for_leaf(self.instance, self.claim)
    }

    fn open_bits(&self, most: usize) -> Option<Vec<BitId>> {
        self.proof.missing_bits_below_root(self.instance, most)
    }
}

/// The view of a seat. No event of this protocol is sealed, so every seat sees everything.
impl<'v, 'a, N: Number> View<'v, RecursiveDebate<'a, N>> {
    /// Returns the claim under discussion.
    pub fn claim_under_discussion(&self) -> ClaimId {
        self.rules.claim
    }

    /// Returns the prover's answer to the claim under discussion; false before the prover's first answer.
    pub fn prover_answer_to_current_claim(&self) -> bool {
        self.rules.claimed
    }

    /// Returns the supports that the scenario lists for the claim under discussion, from which the prover can choose.
    pub fn available_supports(&self) -> &'a [Support] {
        self.rules.instance.supports(self.rules.claim)
    }

    /// Returns the support that the prover chose last; a support without subclaims before the first choice.
    pub fn last_chosen_support_or_empty(&self) -> &'a Support {
        self.rules.chosen
    }

    /// Returns the answers to subclaims that the prover gave last; empty before the first. They belong to the chosen
    /// support only after the prover has answered its subclaims.
    pub fn claimed_subclaim_answers(&self) -> &'v [bool] {
        self.rules.answers.as_slice()
    }
}
