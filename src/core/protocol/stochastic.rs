//! Stochastic debate (DE Figure 2, Theorem 6.2, arXiv:2311.14125, and its machine-checked version), for problems with a
//! [`RandomComputation`]: a random computation whose probabilities are debated bit by bit. Oracles are indexed by
//! history, as in the machine-checked version.
//!
//! Requests in order: with a witness (DE Theorem 7.2), Prover [`Request::Bits`], the bits of the first steps; then, for
//! every step t: Prover [`Request::Probability`], p̂ₜ, of the bit being 1; then, by the paper, Opponent and Prover
//! [`Request::Share`], sealed until both are in, whose sum z modulo 1 makes the bit 1 if z ≤ p̂ₜ, and Opponent
//! [`Request::Challenge`]; by the formal version Opponent [`Request::Challenge`] and only then Chance
//! [`ChanceDraw::Bernoulli`] of p̂ₜ. Pointing at the step ends the debate: the verifier draws samples of the bit
//! (Chance [`ChanceDraw::Binomial`], or, with a panel, Judge [`Request::Oracle`], vote by vote; a bit that the oracle
//! does not decide needs no samples).
//!
//! Payoff to the prover: after an objection −1 if the mean is off by the verifier's limit or more, else +1; without one
//! +1 if the last bit is 1, else −1.

pub mod constants;
mod parameters;
use std::ops::Range;
use std::sync::Arc;

use num_traits::{One as _, Zero as _};

pub use parameters::{SamplingConstants, StochasticProtocolParameters};

use super::event::{Event, EventSink, ReplySeal, Round, VerifierCheck};
use super::request::{
    self, BitString, BitsMeaning, ChanceDraw, IllegalReply, PendingTurn, Reply, Request,
};
use super::{
    PaymentsAndResourceCosts, ProtocolError, ProtocolParameters, Rules, Seat, View, reward,
};
use crate::number::{Exact, Number, index_saturating, to_u32_saturating};
use crate::scenario::{ClaimId, Instance, RandomComputation};
use constants::RequiredSamplesAndTests;

/// Maximum number of steps for which the root claim is split into one subclaim per step at the start.
const MAX_SHOWN: u64 = 1024;

#[derive(Clone, Debug, PartialEq)]
enum Step<N> {
    /// The witness is expected.
    Witness,
    /// p̂ₜ is expected.
    Say,
    /// The opponent must give its half of the coin.
    FirstShare,
    /// The prover must give its half of the coin; the field is the opponent's half.
    SecondShare(N),
    /// Bob must object to the stated probability, or not.
    Challenge,
    /// The trusted coin.
    Coin,
    /// The verifier's samples.
    Samples,
    /// The verifier's samples, if they are the votes of a panel of judges. The rules ask the judge for one vote after
    /// the other.
    Votes {
        yes: u64,
        count: u64,
    },
    Over,
}

/// A stochastic debate in progress.
#[derive(Clone, Debug)]
pub struct StochasticDebate<'a, N> {
    instance: &'a Instance,
    process: Arc<dyn RandomComputation>,
    terms: RequiredSamplesAndTests<N>,
    /// True under the rules of the paper DE: the debaters' halves make each coin, and Bob sees the bit before he
    /// objects.
    shared: bool,
    /// True if the verifier's samples are votes of a panel of judges.
    panel: bool,
    step: Step<N>,
    /// The bits written so far. Under the rules of the paper DE, Bob may still object to the last one.
    bits: Vec<bool>,
    /// p̂: Alice's stated probability of the step under discussion.
    said: N,
    begun: bool,
    account: PaymentsAndResourceCosts<N>,
}

impl<'a, N: Number> StochasticDebate<'a, N> {
    /// Starts a stochastic debate about an instance, before the first reply.
    ///
    /// # Errors
    /// Returns an error if a parameter is out of its range, if the instance offers no random computation, if the
    /// `witness` parameter does not match the computation, or if a seat would need too many samples.
    pub fn new(
        instance: &'a Instance,
        parameters: &StochasticProtocolParameters,
    ) -> Result<Self, ProtocolError> {
        parameters.check()?;
        let process = instance.random_computation().ok_or_else(|| {
            ProtocolError::Text(format!(
                "instance {instance} has no random computation; choose another instance",
                instance = instance.world_name()
            ))
        })?;
        if !parameters.witness_setting_fits(process.as_ref()) {
            let witness_mismatch = if parameters.witness {
                "reads no witness; write Stochastic without `witness: true`"
            } else {
                "reads a witness; add `witness: true` to Stochastic"
            };
            return Err(ProtocolError::Text(format!(
                "the computation of instance {instance} {witness_mismatch}",
                instance = instance.world_name()
            )));
        }
        let terms = RequiredSamplesAndTests::sample_counts_and_tests_of_parameters(parameters, process.debated_steps())
            .ok_or_else(|| ProtocolError::Text("the seats would need too many samples; use a smaller `k`, or error limits that differ more from each other".to_owned()))?;
        Ok(Self {
            shared: parameters.constants == SamplingConstants::Paper,
            panel: matches!(parameters.constants, SamplingConstants::Panel { .. }),
            ..Self::start_with_sample_counts(instance, process, &terms)
        })
    }

    /// Starts a debate under the machine-checked rules with the given numbers of samples, for callers that need other
    /// numbers than the parameters imply.
    pub fn start_with_sample_counts(
        instance: &'a Instance,
        process: Arc<dyn RandomComputation>,
        terms: &RequiredSamplesAndTests<Exact>,
    ) -> Self {
        Self {
            instance,
            terms: terms.as_numbers(),
            shared: false,
            panel: false,
            step: if process.witness_length() > 0 {
                Step::Witness
            } else {
                Step::Say
            },
            process,
            bits: Vec::new(),
            said: N::zero(),
            begun: false,
            account: PaymentsAndResourceCosts::new(true),
        }
    }

    /// Returns the opponent's half of a coin, while the prover is asked for the other half; `None` at other times.
    pub fn opponent_coin_half(&self) -> Option<&N> {
        match &self.step {
            Step::SecondShare(first) => Some(first),
            _ => None,
        }
    }

    /// Returns this debate under the rules of the paper DE: the debaters' halves make each coin, and Bob may object
    /// after he has seen the bit.
    #[must_use]
    pub fn with_coins_from_both_debaters(mut self) -> Self {
        self.shared = true;
        self
    }

    /// Returns the number of the step under discussion, from 0.
    fn place(&self) -> u64 {
        let written = self.bits.len() as u64;
        // Under the paper's rules the bit is already written when Bob may object to it.
        let ahead = self.shared && self.is_contested();
        written - u64::from(ahead)
    }

    fn is_contested(&self) -> bool {
        matches!(
            self.step,
            Step::Challenge | Step::Samples | Step::Votes { .. }
        )
    }

    /// Returns the bits that were written before the step under discussion.
    fn history(&self) -> &[bool] {
        self.bits
            .get(..index_saturating(self.place()))
            .unwrap_or(&self.bits)
    }

    fn round_of(&self, place: u64) -> u32 {
        to_u32_saturating(self.process.steps().saturating_sub(place + 1))
    }

    /// Returns the claim that the bit of the step under discussion is 1.
    fn claim(&self) -> ClaimId {
        self.instance
            .claim_with_key(self.process.step_claim(self.place()))
    }

    /// Returns the oracle's true probability that the bit of the step is 1.
    fn truth(&self) -> N {
        N::of(&self.process.next(self.history()))
    }

    fn enter(&mut self, sink: &mut dyn EventSink<N>) {
        let steps = self.process.steps();
        if !self.begun && steps <= MAX_SHOWN {
            let (claim, process) = (self.instance.root(), &self.process);
            let part = |step| self.instance.claim_with_key(process.step_claim(step));
            let on = || (process.witness_length()..steps).map(part).collect();
            sink.record_unsealed_event(Seat::Chance, || Event::Parts { claim, on: on() });
        }
        self.begun = true;
        sink.log_round_start(self.round_of(self.place()), self.claim());
    }

    fn give(&mut self, witness: &BitString, sink: &mut dyn EventSink<N>) {
        self.account.count_reply(Seat::Prover);
        self.bits = witness.as_slice().to_vec();
        sink.log_given_bits(Seat::Prover, BitsMeaning::Witness, witness);
        self.step = Step::Say;
    }

    fn say(&mut self, p: N, sink: &mut dyn EventSink<N>) {
        if !self.begun {
            self.enter(sink);
        }
        sink.log_estimate(
            Seat::Prover,
            self.claim(),
            Some(to_u32_saturating(self.place())),
            &p,
        );
        self.said = p;
        self.account.count_reply(Seat::Prover);
        self.step = if self.shared {
            Step::FirstShare
        } else {
            Step::Challenge
        };
    }

    /// Records a debater's half of a coin, which is sealed until both halves are given.
    fn share(&mut self, seat: Seat, share: &N, sink: &mut dyn EventSink<N>) {
        let place = to_u32_saturating(self.place());
        self.account.count_reply(seat);
        sink.note_with(seat, Some(ReplySeal::Share(place)), || Event::Shared {
            place,
            share: share.clone(),
        });
    }

    /// Adds the two halves of the coin, z = z^A + z^B modulo 1, and computes the step's bit from z.
    fn add_shares(&mut self, first: N, second: N, sink: &mut dyn EventSink<N>) {
        let seal = ReplySeal::Share(to_u32_saturating(self.place()));
        for seat in [Seat::Opponent, Seat::Prover] {
            sink.record_unsealed_event(seat, || Event::Opened(seal));
        }
        let mut sum = first + second;
        while sum >= N::one() {
            sum -= N::one();
        }
        self.fall(sum <= self.said, sink);
        self.step = Step::Challenge;
    }

    /// Records the outcome of the coin as the bit of the step under discussion.
    fn fall(&mut self, bit: bool, sink: &mut dyn EventSink<N>) {
        sink.log_coin(
            self.claim(),
            Some(to_u32_saturating(self.place())),
            &self.said,
            bit,
        );
        self.bits.push(bit);
    }

    /// Continues with the next step, or ends the debate.
    fn go_on(&mut self, sink: &mut dyn EventSink<N>) {
        self.step = Step::Say;
        if self.place() < self.process.steps() {
            self.enter(sink);
            return;
        }
        let holds = self.bits.last() == Some(&true);
        sink.log_check(Seat::Chance, VerifierCheck::Output, holds);
        self.end(holds, sink);
    }

    /// Returns a copy of the debate, advanced past the current step: the step's coin gave the bit `coin`, and Bob did
    /// not object.
    #[must_use]
    pub fn after_coin_without_challenge(&self, coin: bool) -> Self {
        let mut next = self.clone();
        next.bits.push(coin);
        next.begun = true;
        next.go_on(&mut ());
        next
    }

    fn challenge(&mut self, step: Option<u64>, sink: &mut dyn EventSink<N>) {
        self.account.count_reply(Seat::Opponent);
        sink.log_challenge(step, false);
        if step.is_none() && self.shared {
            self.go_on(sink);
        } else if step.is_none() {
            self.step = Step::Coin;
        } else if !self.process.is_oracle(self.place()) {
            // The bit follows from those before it, so one step of the machine decides it with certainty.
            let sure = u64::from(self.truth().is_one());
            self.verify(sure * self.terms.verifier.samples, sink);
        } else if self.panel {
            self.step = Step::Votes { yes: 0, count: 0 };
        } else {
            self.step = Step::Samples;
        }
    }

    fn sampled(&mut self, ones: u64, sink: &mut dyn EventSink<N>) {
        let (step, count) = (self.place(), self.terms.verifier.samples);
        let spent = self.account.judge_spending();
        spent.samples += count;
        if !self.panel {
            spent.oracle_queries += count;
        }
        sink.record_unsealed_event(Seat::Chance, || Event::Sampled { step, ones, count });
        self.verify(ones, sink);
    }

    fn vote(&mut self, verdict: (bool, Option<N>), sink: &mut dyn EventSink<N>) {
        let Step::Votes { yes, count } = self.step else {
            return;
        };
        let (yes, count) = (yes + u64::from(verdict.0), count + 1);
        sink.judged(self.voted_claim(), verdict, &mut self.account);
        if count < self.terms.verifier.samples {
            self.step = Step::Votes { yes, count };
        } else {
            self.sampled(yes, sink);
        }
    }

    /// Returns the claim that the next bit after this history is 1, about which the oracle is queried.
    fn voted_claim(&self) -> ClaimId {
        self.instance
            .claim_with_key(self.process.claim(self.history()))
    }

    fn verify(&mut self, ones: u64, sink: &mut dyn EventSink<N>) {
        let step = self.place();
        let holds = self
            .terms
            .verifier
            .stated_probability_passes(&self.said, ones);
        sink.log_check(Seat::Chance, VerifierCheck::Estimate { step }, holds);
        self.end(holds, sink);
    }

    fn end(&mut self, for_prover: bool, sink: &mut dyn EventSink<N>) {
        self.account.end_by_verifier(for_prover, sink);
        self.step = Step::Over;
    }
}

impl<N: Number> Rules<N> for StochasticDebate<'_, N> {
    fn request(&self) -> Option<PendingTurn<N>> {
        let place = self.place();
        let claim = || self.claim();
        let draw = |ordinal, draw| {
            let claim = claim();
            let request = Request::Draw {
                ordinal,
                claim,
                draw,
            };
            (Seat::Chance, request)
        };
        let (seat, request) = match &self.step {
            Step::Over => return None,
            Step::Witness => {
                let (ask, length) = (
                    BitsMeaning::Witness,
                    to_u32_saturating(self.process.witness_length()),
                );
                (Seat::Prover, Request::Bits { ask, length })
            }
            Step::Say => {
                let request = Request::Probability {
                    claim: claim(),
                    place: Some(to_u32_saturating(place)),
                    alone: false,
                };
                (Seat::Prover, request)
            }
            Step::FirstShare => (Seat::Opponent, Request::Share { claim: claim() }),
            Step::SecondShare(_) => (Seat::Prover, Request::Share { claim: claim() }),
            Step::Challenge => {
                let (claim, steps) = (claim(), place..place + 1);
                (Seat::Opponent, Request::Challenge { claim, steps })
            }
            Step::Coin => draw(place, ChanceDraw::Bernoulli(self.said.clone())),
            Step::Samples => {
                let (count, p) = (self.terms.verifier.samples, self.truth());
                draw(self.process.steps(), ChanceDraw::Binomial { count, p })
            }
            Step::Votes { .. } => {
                let claim = self.voted_claim();
                (Seat::Judge, Request::Oracle { claim })
            }
        };
        Some(PendingTurn { seat, request })
    }

    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        match (self.step.clone(), reply) {
            (Step::Witness, Reply::Bits(bits)) => {
                let length = to_u32_saturating(self.process.witness_length());
                self.give(&request::check_bit_count(bits, length)?, sink);
            }
            (Step::Say, Reply::Probability(p)) => self.say(request::check_probability(p)?, sink),
            (Step::FirstShare, Reply::Probability(share)) => {
                let share = request::check_probability(share)?;
                self.share(Seat::Opponent, &share, sink);
                self.step = Step::SecondShare(share);
            }
            (Step::SecondShare(first), Reply::Probability(share)) => {
                let share = request::check_probability(share)?;
                self.share(Seat::Prover, &share, sink);
                self.add_shares(first, share, sink);
            }
            (Step::Challenge, Reply::Challenge(step)) => {
                let place = self.place();
                self.challenge(
                    request::check_challenged_step(step, &(place..place + 1))?,
                    sink,
                );
            }
            (Step::Coin, Reply::Drawn(outcome)) => {
                let bit = request::check_bernoulli_outcome(outcome, &self.said)?;
                self.fall(bit, sink);
                self.go_on(sink);
            }
            (Step::Samples, Reply::Drawn(outcome)) => {
                let count = self.terms.verifier.samples;
                let ones = request::check_binomial_outcome(outcome, count, &self.truth())?;
                self.sampled(ones, sink);
            }
            (Step::Votes { .. }, Reply::Oracle { holds, confidence }) => {
                self.vote(request::check_judge_answer(holds, confidence)?, sink);
            }
            (_, reply) => return Err(IllegalReply::kind(self.request(), &reply)),
        }
        Ok(())
    }

    fn account(&self) -> &PaymentsAndResourceCosts<N> {
        &self.account
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        reward::schedule_of_end(self.round_of(self.process.witness_length()))
    }

    fn round(&self) -> Option<Round> {
        let open = self.step != Step::Over;
        let place = self.place().max(self.process.witness_length());
        open.then(|| Round::Number(self.round_of(place)))
    }

    /// Returns true after Alice's first probability, `None` before it: Alice always claims that the output is 1.
    fn answer(&self) -> Option<bool> {
        self.begun.then_some(true)
    }

    /// Appends the values on which the rest of the debate depends. If Alice is asked for the next step's probability:
    /// the bits so far on which later steps depend. If the panel of judges votes: the numbers of votes and of yes
    /// votes, all bits, and Alice's probability. At any other request, appends nothing and returns false.
    fn state_key(&self, key: &mut Vec<u64>) -> bool {
        match &self.step {
            Step::Say => {
                let mut bits = self.bits.clone();
                self.process.forget(&mut bits);
                key.push(bits.len() as u64);
                key.extend(bits.chunks(64).map(crate::bits::number_from_bits));
            }
            Step::Votes { yes, count } => {
                key.extend([u64::MAX, *yes, *count, self.bits.len() as u64]);
                key.extend(self.bits.chunks(64).map(crate::bits::number_from_bits));
                self.said.add_to_key(key);
            }
            _ => return false,
        }
        true
    }

    fn coins(&self) -> u64 {
        self.process.steps() + 1
    }
}

impl<N: Number> StochasticDebate<'_, N> {
    pub(super) fn root_truth_probability(&self) -> Option<Exact> {
        let certain =
            |probability: &Exact| *probability == Exact::zero() || *probability == Exact::one();
        self.process
            .accepts()
            .filter(|probability| !certain(probability))
    }

    pub(super) fn draw_outcomes_that_pass(&self) -> Option<Range<u64>> {
        let pending = self.step == Step::Samples;
        pending.then(|| self.terms.verifier.passing_counts(&self.said))
    }
}

/// A seat's view of stochastic debate. Every seat has access to the computation and its oracle. Only the debaters'
/// halves of coins are sealed, and no view shows them.
impl<'v, N: Number> View<'v, StochasticDebate<'_, N>> {
    /// Returns the computation.
    pub fn process(&self) -> &'v dyn RandomComputation {
        self.rules.process.as_ref()
    }

    /// Returns the terms of the debate: the number of samples that each seat draws, and the limits within which their
    /// means must lie.
    pub fn terms(&self) -> &'v RequiredSamplesAndTests<N> {
        &self.rules.terms
    }

    /// Returns the number of the step under discussion, from 0.
    pub fn step_number(&self) -> u64 {
        self.rules.place()
    }

    /// Returns the bits of the steps before the step under discussion.
    pub fn bits_before_step(&self) -> &'v [bool] {
        self.rules.history()
    }

    /// Returns the true probability of the step under discussion. Only players that know the oracle exactly, or draw
    /// samples from it, may call this function.
    pub fn true_step_probability(&self) -> N {
        self.rules.truth()
    }

    /// True if the step under discussion asks the oracle. Otherwise its bit follows from the bits before it.
    pub fn step_asks_oracle(&self) -> bool {
        self.rules.process.is_oracle(self.rules.place())
    }

    /// Returns the bit of the step under discussion if it is already written: under the rules of the paper DE, Bob sees
    /// it before he objects.
    pub fn written_step_bit(&self) -> Option<bool> {
        self.rules
            .bits
            .get(index_saturating(self.rules.place()))
            .copied()
    }

    /// Returns Alice's stated probability of the step under discussion.
    pub fn stated_step_probability(&self) -> &'v N {
        &self.rules.said
    }
}
