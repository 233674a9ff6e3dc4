//! Debate with cross-examination (DE Theorem 5.3 and, with a witness, Theorem 7.1,
//! arXiv:2311.14125; DQC Theorem 6). The bodies of DE Figures 1 and 3 are missing from the
//! document's text; this is the reading of those theorems.
//!
//! Requests in order: with a witness, Prover [`Request::Bits`], the witness w; Prover
//! [`Request::Bits`], what every step of M(x, w) writes; Opponent [`Request::Challenge`], a wrong
//! step or none; where that step asks the oracle, Judge [`Request::Oracle`].
//!
//! Payoff to the prover, who claims M(x, w) = 1: −1 where the step pointed at is wrong, or is the
//! output and 0; else +1. Pointing at nothing is pointing at the output.

use serde::{Deserialize, Serialize};

use super::event::{Event, Round, Sink};
use super::examination::{self, Examination};
use super::request::{self, Ask, Bits, Illegal, Reply, Request, Turn};
use super::reward::Reward;
use super::{
    Bound, ComputationTranscript, Conditions, Introduction, Ledger, Parameter, ParameterValue,
    Refused, Rules, Seat, reward,
};
use crate::number::Number;
use crate::scenario::{Computation, Decomposition, Instance};

/// The parameters of cross-examination.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// True if the computation reads a witness, which the prover gives first. It must be what the
    /// problem's computation does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub witness: bool,
}

impl Parameters {
    fn reads_as_said(&self, computation: &dyn Computation) -> bool {
        self.witness == (computation.witness_length() > 0)
    }
}

impl Conditions for Parameters {
    fn fits(&self, problem: &dyn Decomposition) -> bool {
        let computed = problem.as_computation();
        let computation = computed.and_then(|problem| problem.computation(0));
        computation.is_some_and(|computation| self.reads_as_said(computation.as_ref()))
    }

    fn each_parameter(&mut self, with: &mut dyn FnMut(Parameter<'_>)) {
        with(Parameter {
            name: "witness",
            label: "A witness first",
            about: "Whether Alice first gives a witness that the computation reads. It must be what \
                    the problem's computation does.",
            changes: "With a witness Alice may choose what is computed on, and so has one more move.",
            value: ParameterValue::Choice(&mut self.witness),
        });
    }

    fn summary(&self) -> String {
        let witness = if self.witness { "with a witness" } else { "" };
        witness.to_owned()
    }

    fn asks(&self, seat: Seat, instance: &Instance) -> bool {
        let computation = instance.computation();
        seat != Seat::Judge || computation.is_some_and(|computation| computation.asks())
    }

    fn bounds(&self, instance: &Instance) -> Vec<Bound> {
        let source = if self.witness {
            "DE Theorem 7.1"
        } else {
            "DQC Theorem 6"
        };
        let computation = instance.computation();
        computation.map_or_else(Vec::new, |computation| {
            examination::bounds(computation.as_ref(), source)
        })
    }
}

pub(super) const INTRODUCTION: Introduction = Introduction {
    name: "cross-examination",
    examples: &["CrossExamination", "CrossExamination(witness: true)"],
    guarantee: "whoever is right can win, whatever the other replies; the verifier reads ⌈log2 m⌉ + 3 bits of \
                m steps that read two bits each, and asks the oracle once at most (DE Theorem \
                5.3, DQC Theorem 6)",
    about: "the prover writes down every step of the computation, the challenger points at one, \
            and only that one is checked",
    rules: "The prover claims that a computation says yes and writes down every one of its steps. \
            The challenger points at a step that does not follow from what it reads, or at none. \
            Only that step is checked: if it is wrong the challenger wins, if it is right the \
            prover wins. Pointing at none is pointing at the last step, which must also say yes.",
    opponent: "challenger",
    prover_task: "write down what every step of the computation says",
    opponent_task: "find a step that does not follow from what it reads and point at it",
    judge_task: super::introduction::ORACLE,
};

/// A debate with cross-examination under way.
#[derive(Clone, Debug)]
pub struct CrossExamination<'a, N> {
    instance: &'a Instance,
    /// The number of bits of a witness that are still asked for.
    witness: Option<u32>,
    examination: Examination,
    payoff: N,
    ledger: Ledger,
}

impl<'a, N: Number> CrossExamination<'a, N> {
    /// A debate about an instance, before anybody has spoken.
    ///
    /// # Errors
    /// If the instance offers no computation, or one that reads a witness where none is given
    /// or the other way around.
    pub fn new(instance: &'a Instance, parameters: &Parameters) -> Result<Self, Refused> {
        let Some(computation) = instance.computation() else {
            return Err(Refused::Text(format!(
                "the steps of instance {} cannot be written down here; choose another instance",
                instance.name()
            )));
        };
        if !parameters.reads_as_said(computation.as_ref()) {
            let witness = if parameters.witness {
                "read no witness; write CrossExamination without `witness: true`"
            } else {
                "read a witness; write CrossExamination(witness: true)"
            };
            return Err(Refused::Text(format!(
                "the steps of instance {} {witness}",
                instance.name()
            )));
        }
        let length = u32::try_from(computation.witness_length()).unwrap_or(u32::MAX);
        Ok(Self {
            instance,
            witness: parameters.witness.then_some(length),
            examination: Examination::new(computation, Bits::default(), false),
            payoff: N::zero(),
            ledger: Ledger::default(),
        })
    }

    fn end(&mut self, for_prover: bool, sink: &mut dyn Sink<N>) {
        self.payoff = reward::pay_at_end(Reward::Decided { for_prover }, sink);
    }
}

impl<N: Number> Rules<N> for CrossExamination<'_, N> {
    fn request(&self) -> Option<Turn<N>> {
        match self.witness {
            Some(length) => Some(Turn {
                seat: Seat::Prover,
                request: Request::Bits {
                    ask: Ask::Witness,
                    length,
                },
            }),
            None => self.examination.request(self.instance),
        }
    }

    fn reply(&mut self, reply: Reply<N>, sink: &mut dyn Sink<N>) -> Result<(), Illegal> {
        if let Some(length) = self.witness {
            let Reply::Bits(bits) = reply else {
                return Err(Illegal::kind(self.request(), &reply));
            };
            let bits = request::of_length(bits, length)?;
            self.ledger.spoke(Seat::Prover);
            let computation = self.examination.transcript().computation;
            self.examination = Examination::new(computation, bits.clone(), false);
            self.witness = None;
            let ask = Ask::Witness;
            sink.note_with(Seat::Prover, None, || Event::Gave { ask, bits });
            return Ok(());
        }
        let decided = self
            .examination
            .reply(self.instance, reply, &mut self.ledger, sink)?;
        if let Some(for_prover) = decided {
            self.end(for_prover, sink);
        }
        Ok(())
    }

    fn payoff(&self) -> N {
        self.payoff.clone()
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn schedule(&self) -> Vec<(Round, N)> {
        reward::schedule_of_end(0)
    }

    fn round(&self) -> Option<Round> {
        let open = self.examination.decided().is_none();
        open.then_some(Round::Number(0))
    }

    fn answer(&self) -> Option<bool> {
        self.examination.output()
    }

    fn proof(&self) -> Vec<bool> {
        Vec::new()
    }

    /// Never: the one transcript is all that was said.
    fn state_key(&self, _key: &mut Vec<u64>) -> bool {
        false
    }

    fn coins(&self) -> u64 {
        0
    }

    fn prepared(&self) -> Option<Bits> {
        match self.witness {
            Some(_) => Some(self.examination.transcript().computation.witness()),
            None => self.examination.prepared(),
        }
    }

    fn transcript(&self) -> Option<ComputationTranscript> {
        Some(self.examination.transcript())
    }
}
