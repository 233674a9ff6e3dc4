//! Bisection: the debate protocol for time T and space S of DE (arXiv:2311.14125), Figure 4 and Theorem 5.1.
//!
//! The prover claims that a machine accepts within T steps. Requests in order: Prover [`Request::Bits`], the last
//! configuration; then while more than one step is under discussion, of t steps: Prover [`Request::Bits`], the
//! configuration after ⌊t/2⌋ of them; Opponent [`Request::Select`], the half that contains the lie (0 the first, 1 the
//! second). When one step is left the verifier makes four checks: the first configuration is the machine's start, all
//! given bits are configurations, the last one accepts, and the step is right. The last check may need the oracle:
//! Judge [`Request::Oracle`]. The verifier stops at the first check that fails.
//!
//! Payoff to the prover: +1 if every check holds, else −1.
//!
//! One label of the figure is swapped: by step 1(b)'s meaning of b the debate continues in the half that was *not*
//! disputed, the verifier never checks b, and an honest opponent loses to any lie: see
//! [`BisectionHalfRule::Printed`]. The theorem holds; its proof says "which half was incorrect".

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::conditions::is_default;
use super::event::{EventSink, Round, VerifierCheck};
use super::parameter::one_of;
use super::request::{self, BitString, BitsMeaning, IllegalReply, PendingTurn, Reply, Request};
use super::{
    DebateWithExaminedComputation, ParameterValue, PaymentsAndResourceCosts, ProtocolError,
    ProtocolKind, ProtocolParameters, ProtocolUnsuitableForProblemError, Rules, Seat,
    VerifierCostBound, View, reward,
};
use crate::bits::bits_to_distinguish;
use crate::number::Number;
use crate::scenario::{ClaimId, Decomposition, Instance, MachineRun, SuccessorOrOracleQuery};

/// The rule for continuing a bisection after the opponent's dispute: with the half of the machine's run that the
/// opponent disputes, or with the other half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "Half")]
pub enum BisectionHalfRule {
    /// The debate continues with the half of the run that the opponent disputes.
    #[default]
    Disputed,
    /// The debate continues with the half that the opponent does not dispute. DE Figure 4 prints the labels in this
    /// order, by mistake: the lie is then never checked.
    Printed,
}

/// The parameters of bisection, in the form of scenario files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(rename = "Parameters")]
pub struct BisectionProtocolParameters {
    /// The half of the machine's run with which the debate continues after a dispute: the disputed half or the other
    /// one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub half: BisectionHalfRule,
}

const THEOREM: &str = "DE Theorem 5.1";

impl ProtocolParameters for BisectionProtocolParameters {
    fn prover_always_claims_true(&self) -> bool {
        true
    }

    fn fits(&self, problem: &dyn Decomposition) -> bool {
        let mut worlds = 0..problem.worlds().len();
        let computed = problem.as_computation();
        computed.is_some_and(|problem| worlds.all(|world| problem.run(world).is_some()))
    }

    fn each_parameter(&mut self, with: &mut dyn FnMut(&'static str, ParameterValue<'_>)) {
        let all = [BisectionHalfRule::Disputed, BisectionHalfRule::Printed];
        with("half", one_of(&mut self.half, &all));
    }

    fn summary(&self) -> String {
        match self.half {
            BisectionHalfRule::Disputed => String::new(),
            BisectionHalfRule::Printed => "Figure 4 as printed".to_owned(),
        }
    }

    fn asks(&self, seat: Seat, instance: &Instance) -> bool {
        seat != Seat::Judge || instance.run().is_some_and(|run| run.asks())
    }

    fn bounds(&self, instance: &Instance) -> Vec<VerifierCostBound> {
        let Some(run) = instance.run() else {
            return Vec::new();
        };
        let rounds = u64::from(bits_to_distinguish(run.steps()));
        vec![
            VerifierCostBound::new("configurations_read", rounds + 2, THEOREM),
            VerifierCostBound::new("oracle_queries", 1, THEOREM),
        ]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Last,
    Middle,
    Select,
    Oracle,
    Over,
}

/// A bisection debate in progress.
#[derive(Clone, Debug)]
pub struct BisectionDebate<'a, N> {
    instance: &'a Instance,
    run: Arc<dyn MachineRun>,
    half: BisectionHalfRule,
    step: Step,
    /// The configurations that the prover gave, each with its time: the last configuration of the run, then the middle
    /// ones in the order in which they were given.
    given: Vec<(u64, BitString)>,
    /// The two times of the machine's run between which the debaters search for the lie.
    from: u64,
    to: u64,
    /// The configurations at those times.
    first: BitString,
    last: BitString,
    claim: ClaimId,
    /// If the last step asks the oracle: the claim in question, the configuration after the answer yes, and the one
    /// after the answer no.
    answers: Option<(ClaimId, BitString, BitString)>,
    account: PaymentsAndResourceCosts<N>,
}

impl<'a, N: Number> BisectionDebate<'a, N> {
    /// Starts a bisection debate about an instance, before the first reply.
    ///
    /// # Errors
    /// Returns an error if the problem is not a run of a machine.
    pub fn new(
        instance: &'a Instance,
        parameters: &BisectionProtocolParameters,
    ) -> Result<Self, ProtocolError> {
        parameters.check()?;
        let problem = instance.decomposition().as_ref();
        let misfit =
            || ProtocolUnsuitableForProblemError::for_problem(ProtocolKind::Bisection, problem);
        let run = instance.run().ok_or_else(misfit)?;
        Ok(Self {
            half: parameters.half,
            step: Step::Last,
            given: Vec::new(),
            from: 0,
            to: run.steps(),
            first: run.start(),
            last: BitString::default(),
            claim: instance.root(),
            answers: None,
            account: PaymentsAndResourceCosts::new(true),
            instance,
            run,
        })
    }

    /// Returns the midpoint of the disputed part of the machine's run, in steps.
    fn middle(&self) -> u64 {
        self.from + (self.to - self.from) / 2
    }

    /// Returns the number of halvings until a single step is left, if the longer half is disputed each time.
    fn rounds_left(&self) -> u32 {
        bits_to_distinguish(self.to - self.from)
    }

    fn asked(&self) -> Option<u64> {
        match self.step {
            Step::Last => Some(self.to),
            Step::Middle => Some(self.middle()),
            _ => None,
        }
    }

    fn give(&mut self, bits: BitString, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        let Some(time) = self.asked() else {
            return Err(IllegalReply::Over);
        };
        let bits = request::check_bit_count(bits, self.run.length())?;
        self.account.count_reply(Seat::Prover);
        sink.log_given_bits(Seat::Prover, BitsMeaning::Configuration { time }, &bits);
        self.given.push((time, bits.clone()));
        if self.step == Step::Last {
            self.last = bits;
            self.enter(sink);
        } else {
            sink.log_split_without_support(Seat::Prover, self.claim, &self.halves());
            self.step = Step::Select;
        }
        Ok(())
    }

    /// Returns the claims about the two halves of the disputed part of the run.
    fn halves(&self) -> [ClaimId; 2] {
        let from = self.from;
        let middle = self.middle();
        let to = self.to;
        [(from, middle), (middle, to)]
            .map(|(from, to)| self.instance.claim_with_key(self.run.claim(from, to)))
    }

    fn enter(&mut self, sink: &mut dyn EventSink<N>) {
        sink.log_round_start(self.rounds_left(), self.claim);
        if self.to - self.from > 1 {
            self.step = Step::Middle;
        } else {
            self.verify(sink);
        }
    }

    fn select(&mut self, index: u32, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        let disputed = request::check_choice_index(index, 2)?;
        let claim = self.claim;
        let halves = self.halves();
        self.account.count_reply(Seat::Opponent);
        sink.log_selection(Seat::Opponent, claim, index, halves[disputed]);
        let next = match self.half {
            BisectionHalfRule::Disputed => disputed,
            BisectionHalfRule::Printed => {
                let other = 1 - disputed;
                sink.log_selection(Seat::Prover, claim, 1 - index, halves[other]);
                other
            }
        };
        let middle = self.middle();
        let given = self.given.last().map(|(_, bits)| bits.clone());
        let configuration = given.unwrap_or_default();
        if next == 0 {
            self.to = middle;
            self.last = configuration;
        } else {
            self.from = middle;
            self.first = configuration;
        }
        self.claim = halves[next];
        self.enter(sink);
        Ok(())
    }

    fn read_configuration(&mut self) {
        let length = self.run.length();
        let spent = self.account.judge_spending();
        spent.configurations_read += 1;
        spent.bits_read += u64::from(length);
    }

    /// Makes all checks of the verifier except that of the disputed step, until one fails. Returns true if all hold.
    fn is_sound(&mut self, sink: &mut dyn EventSink<N>) -> bool {
        // The first configuration is not given by a player: it is the machine's own, on the input.
        self.read_configuration();
        sink.log_check(Seat::Chance, VerifierCheck::Start, true);
        let mut given: Vec<(u64, BitString)> = self.given.clone();
        given.sort_by_key(|(time, _)| *time);
        for (time, bits) in &given {
            self.read_configuration();
            let check = VerifierCheck::WellFormed { time: *time };
            if !sink.log_check(Seat::Chance, check, self.run.is_well_formed(bits)) {
                return false;
            }
        }
        let accepts = given.last().is_some_and(|(_, last)| self.run.accepts(last));
        sink.log_check(Seat::Chance, VerifierCheck::Accepts, accepts)
    }

    fn verify(&mut self, sink: &mut dyn EventSink<N>) {
        if !self.is_sound(sink) {
            self.decide(false, sink);
            return;
        }
        match self.run.next(&self.first) {
            SuccessorOrOracleQuery::To(next) => self.follows(&next, sink),
            SuccessorOrOracleQuery::Oracle { claim, yes, no } => {
                let claim = self.instance.claim_with_key(claim);
                self.answers = Some((claim, yes, no));
                self.step = Step::Oracle;
            }
        }
    }

    fn follows(&mut self, next: &BitString, sink: &mut dyn EventSink<N>) {
        let check = VerifierCheck::Follows { time: self.from };
        let holds = sink.log_check(Seat::Chance, check, *next == self.last);
        self.decide(holds, sink);
    }

    fn judge(&mut self, verdict: (bool, Option<N>), sink: &mut dyn EventSink<N>) {
        let Some((claim, yes, no)) = self.answers.clone() else {
            return;
        };
        let next = if verdict.0 { &yes } else { &no };
        sink.judged(claim, verdict, &mut self.account);
        self.follows(next, sink);
    }

    fn decide(&mut self, for_prover: bool, sink: &mut dyn EventSink<N>) {
        self.account.end_by_verifier(for_prover, sink);
        self.step = Step::Over;
    }
}

impl<N: Number> Rules<N> for BisectionDebate<'_, N> {
    fn request(&self) -> Option<PendingTurn<N>> {
        let (seat, request) = match self.step {
            Step::Last | Step::Middle => {
                let ask = BitsMeaning::Configuration {
                    time: self.asked()?,
                };
                let length = self.run.length();
                (Seat::Prover, Request::Bits { ask, length })
            }
            Step::Select => {
                let claim = self.claim;
                (Seat::Opponent, Request::Select { claim, count: 2 })
            }
            Step::Oracle => {
                let (claim, ..) = self.answers.as_ref()?;
                (Seat::Judge, Request::Oracle { claim: *claim })
            }
            Step::Over => return None,
        };
        Some(PendingTurn { seat, request })
    }

    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn EventSink<N>) -> Result<(), IllegalReply> {
        match (self.step, reply) {
            (Step::Last | Step::Middle, Reply::Bits(bits)) => self.give(bits, sink),
            (Step::Select, Reply::Select(index)) => self.select(index, sink),
            (Step::Oracle, Reply::Oracle { holds, confidence }) => {
                self.judge(request::check_judge_answer(holds, confidence)?, sink);
                Ok(())
            }
            (_, reply) => Err(IllegalReply::kind(self.request(), &reply)),
        }
    }

    fn account(&self) -> &PaymentsAndResourceCosts<N> {
        &self.account
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        reward::schedule_of_end(bits_to_distinguish(self.run.steps()))
    }

    fn round(&self) -> Option<Round> {
        (self.step != Step::Over).then(|| Round::Number(self.rounds_left()))
    }

    /// Returns true as soon as the prover has given a last configuration: with it, the prover claims that the machine
    /// accepts. `None` before.
    fn answer(&self) -> Option<bool> {
        (self.step != Step::Last).then_some(true)
    }

    fn decided_outcome(&self) -> Option<(bool, VerifierCheck)> {
        let malformed = |(_, bits): &&(u64, BitString)| !self.run.is_well_formed(bits);
        let malformed = self.given.iter().filter(malformed);
        if let Some((time, _)) = malformed.min_by_key(|(time, _)| *time) {
            return Some((false, VerifierCheck::WellFormed { time: *time }));
        }
        let last = self.given.first().map(|(_, bits)| bits);
        if last.is_some_and(|last| !self.run.accepts(last)) {
            return Some((false, VerifierCheck::Accepts));
        }
        // If each half is one step and both are wrong, the choice does not matter.
        let middle = self.given.last().map(|(_, bits)| bits)?;
        let single = self.step == Step::Select && self.to - self.from == 2;
        let follows = |from: &BitString, to: &BitString| match self.run.next(from) {
            SuccessorOrOracleQuery::To(next) => next == *to,
            SuccessorOrOracleQuery::Oracle { yes, no, .. } => yes == *to || no == *to,
        };
        let neither = single && !follows(&self.first, middle) && !follows(middle, &self.last);
        neither.then_some((false, VerifierCheck::Follows { time: self.from }))
    }

    fn computed(&self) -> Option<&dyn DebateWithExaminedComputation> {
        Some(self)
    }
}

impl<N: Number> DebateWithExaminedComputation for BisectionDebate<'_, N> {
    fn prepared(&self) -> Option<BitString> {
        self.run.at(self.asked()?)
    }
}

/// The view of a seat. No event of this protocol is sealed, so every seat sees everything.
impl<'v, N: Number> View<'v, BisectionDebate<'_, N>> {
    /// Returns the debated run: the machine on its input.
    pub fn machine_run(&self) -> &'v Arc<dyn MachineRun> {
        &self.rules.run
    }

    /// Returns the first, the middle and the last time of the part of the run in which the debaters search for the lie.
    pub fn first_middle_last_disputed_time(&self) -> (u64, u64, u64) {
        (self.rules.from, self.rules.middle(), self.rules.to)
    }

    /// Returns the configuration at the first time of the disputed part of the run. The debaters do not dispute this
    /// configuration.
    pub fn configuration_at_disputed_start(&self) -> &'v BitString {
        &self.rules.first
    }

    /// Returns the configuration that the prover gave most recently; `None` before the first one. While the opponent
    /// chooses a half, it is the middle one.
    pub fn latest_given_configuration(&self) -> Option<&'v BitString> {
        self.rules.given.last().map(|(_, bits)| bits)
    }

    /// Returns the configuration at the last time of the disputed part of the run.
    pub fn configuration_at_disputed_end(&self) -> &'v BitString {
        &self.rules.last
    }
}
