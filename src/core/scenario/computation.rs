//! Problems as computations. A [`Computation`] writes one bit per step; players debate its transcript. A [`MachineRun`]
//! is a run of a deterministic machine; players debate its configurations.

use crate::scenario::key::ClaimKeyContent;
use std::fmt::Debug;

use super::ClaimKey;
use crate::bits::BitString;
use crate::number::index_saturating;

/// The source of a bit that a step of a computation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BitSource {
    /// A bit of the input x, with its index. Every seat knows the input.
    Input(u64),
    /// A bit of the witness w, with its index. The prover gives the witness.
    Witness(u64),
    /// A bit of the transcript: the bit that the step with this number wrote.
    Step(u64),
}

impl BitSource {
    /// Returns the name of the bit's source, such as `x2`. The parameter `step` is a
    /// function that returns the name of a step.
    pub(super) fn bit_source_name(self, step: impl FnOnce(u64) -> String) -> String {
        match self {
            Self::Input(index) => format!("x{index}"),
            Self::Witness(index) => format!("w{index}"),
            Self::Step(number) => step(number),
        }
    }
}

/// The bit that a step must write: a known bit, or the oracle's answer to a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequiredStepOutput {
    /// The step must write this bit.
    Value(bool),
    /// The step must write the oracle's answer to this claim.
    Oracle(ClaimKey),
}

/// A computation that writes one bit per step (DE §3: the transcript y, of which step t reads the coordinates I(t)).
/// Its last bit is the output.
///
/// Steps are counted from 0. Implementations must not recurse on depth, because some computations have a million steps
/// that each read the one before.
pub trait Computation: Debug + Send + Sync {
    /// Returns m, the number of steps of the computation; at least 1.
    fn steps(&self) -> u64;
    /// Returns the bit of the input at this index.
    fn input(&self, index: u64) -> bool;
    /// Returns the number of bits of the witness that the computation reads.
    fn witness_length(&self) -> u64 {
        0
    }
    /// Returns a witness with which the computation outputs 1, if the problem knows one; otherwise any witness. A
    /// formula may have such a witness that its solver did not find within the effort limit.
    fn witness(&self) -> BitString {
        BitString::default()
    }
    /// Replaces the content of `into` with the sources of the bits that a step reads, in order. A step reads only
    /// earlier steps.
    fn reads(&self, step: u64, into: &mut Vec<BitSource>);
    /// Returns the output that a step must have, given the values of the bits that it reads: a bit, or the oracle's
    /// answer. The bits are in the order of [`Self::reads`].
    fn rule(&self, step: u64, bits: &[bool]) -> RequiredStepOutput;
    /// Returns the oracle's true answer to the claim that a step queries; `None` if it is unknown.
    fn answer(&self, _claim: &ClaimKey) -> Option<bool> {
        None
    }

    /// Returns the claim that this step writes 1, for the tree and for sentences.
    fn claim(&self, step: u64) -> ClaimKey {
        ClaimKey(ClaimKeyContent::Step(step))
    }
    /// Returns the evidence for the claim about which a step queries the oracle.
    fn evidence(&self, _step: u64) -> Option<String> {
        None
    }
    /// Describes the rule of a step briefly: "g7 = g3 and x2".
    fn step_text(&self, step: u64) -> String;
    /// Describes in words what a 1 of this step means: "the delay is excused". `None` if [`Self::step_text`] is clear
    /// enough.
    fn statement(&self, _step: u64) -> Option<String> {
        None
    }
    /// Describes a witness in words; `None` if its bits need no description.
    fn witness_text(&self, _witness: &BitString) -> Option<String> {
        None
    }
    /// Describes the bits that a step reads, such as "p = 7, g = 3"; `None` if the bits need no description.
    fn reads_text(&self, _step: u64, _bits: &[bool]) -> Option<String> {
        None
    }
    /// Returns the name of a bit's source, such as "x2".
    fn source_text(&self, source: BitSource) -> String {
        source.bit_source_name(|step| format!("step {step}"))
    }

    /// Returns the bit at a source: in the input, the witness or the transcript.
    fn bit(&self, source: BitSource, witness: &BitString, transcript: &[bool]) -> bool {
        match source {
            BitSource::Input(index) => self.input(index),
            BitSource::Witness(index) => witness.bit_at(index).unwrap_or(false),
            BitSource::Step(step) => transcript
                .get(index_saturating(step))
                .copied()
                .unwrap_or(false),
        }
    }

    /// Returns the maximum, over all steps, of the number of distinct bits that a step reads.
    fn max_bits_read(&self) -> u64 {
        let mut sources = Vec::new();
        let width = |step| {
            self.reads(step, &mut sources);
            sources.sort_unstable();
            sources.dedup();
            sources.len() as u64
        };
        (0..self.steps()).map(width).max().unwrap_or(0)
    }

    /// True if some step of the computation may query the oracle.
    fn asks(&self) -> bool {
        true
    }

    /// Returns the correct bit of a step, given the transcript of the steps before it; `None` if the oracle's answer is
    /// unknown.
    fn value(&self, step: u64, witness: &BitString, transcript: &[bool]) -> Option<bool> {
        self.value_in(
            &mut StepInputBitsBuffer::default(),
            step,
            witness,
            transcript,
        )
    }

    /// As [`Self::value`], but with a buffer that the caller reuses for all steps.
    fn value_in(
        &self,
        buffer: &mut StepInputBitsBuffer,
        step: u64,
        witness: &BitString,
        transcript: &[bool],
    ) -> Option<bool> {
        self.reads(step, &mut buffer.sources);
        buffer.bits.clear();
        let read = |source: &BitSource| self.bit(*source, witness, transcript);
        buffer.bits.extend(buffer.sources.iter().map(read));
        match self.rule(step, &buffer.bits) {
            RequiredStepOutput::Value(value) => Some(value),
            RequiredStepOutput::Oracle(claim) => self.answer(&claim),
        }
    }

    /// Completes a transcript that begins with the bits `begun` by computing every later step. `None` if an oracle's
    /// answer is unknown.
    fn complete_transcript(&self, witness: &BitString, begun: &[bool]) -> Option<BitString> {
        let steps = usize::try_from(self.steps()).ok()?;
        let mut transcript = Vec::with_capacity(steps);
        transcript.extend(begun.iter().take(steps));
        let mut buffer = StepInputBitsBuffer::default();
        for step in begun.len()..steps {
            let value = self.value_in(&mut buffer, step as u64, witness, &transcript)?;
            transcript.push(value);
        }
        Some(transcript.into())
    }

    /// Returns the true transcript of the computation on this witness; `None` if an oracle's answer is unknown.
    fn transcript(&self, witness: &BitString) -> Option<BitString> {
        self.complete_transcript(witness, &[])
    }

    /// Returns the number of the transcript's first wrong step: its bit is missing, or does not follow from the bits
    /// that it reads. `None` if there is no such step. A step whose oracle answer is unknown does not count as wrong.
    fn first_wrong_step(&self, witness: &BitString, transcript: &[bool]) -> Option<u64> {
        let mut buffer = StepInputBitsBuffer::default();
        (0..self.steps()).find(|step| {
            let given = transcript.get(index_saturating(*step));
            let value = self.value_in(&mut buffer, *step, witness, transcript);
            value.is_some_and(|value| given != Some(&value))
        })
    }
}

/// A buffer for the bits that one step reads and their sources. All steps reuse it, so memory is allocated only once.
#[derive(Clone, Debug, Default)]
pub struct StepInputBitsBuffer {
    sources: Vec<BitSource>,
    bits: Vec<bool>,
}

/// The successor of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuccessorOrOracleQuery {
    /// The successor is the configuration in this field. A halting configuration is its own successor.
    To(BitString),
    /// The successor is `yes` or `no`, depending on the oracle's answer about `claim`.
    Oracle {
        /// The claim that is queried.
        claim: ClaimKey,
        yes: BitString,
        no: BitString,
    },
}

/// A deterministic machine M on an input, run for T steps (DE §3). All its configurations are bit strings of the same
/// length.
pub trait MachineRun: Debug + Send + Sync {
    /// Returns T, the number of steps of the run; at least 1.
    fn steps(&self) -> u64;
    /// Returns the number of bits of a configuration.
    fn length(&self) -> u32;
    /// Returns the machine's configuration before the first step.
    fn start(&self) -> BitString;
    /// True if these bits encode a configuration. The caller must pass bits of the length [`Self::length`].
    fn is_well_formed(&self, configuration: &BitString) -> bool;
    /// True if this configuration, which must be well-formed, accepts.
    fn accepts(&self, configuration: &BitString) -> bool;
    /// Returns the successor of a well-formed configuration. If the machine queries the oracle, returns both possible
    /// successors and the queried claim.
    fn next(&self, configuration: &BitString) -> SuccessorOrOracleQuery;
    /// True if the machine may query the oracle.
    fn asks(&self) -> bool {
        true
    }
    /// Returns the oracle's true answer about a claim; `None` if it is unknown.
    fn answer(&self, claim: &ClaimKey) -> Option<bool>;
    /// Returns the machine's true configuration after `time` steps, or after the last step if there are fewer. `None`
    /// if an oracle's answer is unknown.
    fn at(&self, time: u64) -> Option<BitString>;
    /// Returns an accepting configuration that resembles the well-formed configuration `like`. A lying prover states it
    /// as the successor of `like`.
    fn accepting_configuration(&self, like: &BitString) -> BitString;
    /// Formats a configuration: `state q1 at cell 3: 0 1 [1] _`.
    fn text(&self, configuration: &BitString) -> String;
    /// Formats a well-formed configuration in one or two words, for narrow columns: `q1`.
    fn short_text(&self, configuration: &BitString) -> String {
        self.text(configuration)
    }

    /// Returns the machine as a [`TapeMachine`], if its configurations consist of a tape, a head and a state.
    fn tape(&self) -> Option<&dyn TapeMachine> {
        None
    }

    /// Returns the claim that the machine gets from one stated configuration to another: from the one for time `from`
    /// to the one for time `to`.
    fn claim(&self, from: u64, to: u64) -> ClaimKey {
        ClaimKey(ClaimKeyContent::Times(from, to))
    }

    /// Returns the true successor of a configuration; `None` if the oracle's answer is unknown.
    fn after(&self, configuration: &BitString) -> Option<BitString> {
        match self.next(configuration) {
            SuccessorOrOracleQuery::To(next) => Some(next),
            SuccessorOrOracleQuery::Oracle { claim, yes, no } => self
                .answer(&claim)
                .map(|holds| if holds { yes } else { no }),
        }
    }

    /// Returns the configuration that the machine reaches in `steps` steps from the configuration `from`. `None` if
    /// `from` is not a valid configuration, or an oracle's answer is unknown.
    fn follow(&self, from: &BitString, steps: u64) -> Option<BitString> {
        if !self.is_well_formed(from) {
            return None;
        }
        let mut at = from.clone();
        for _ in 0..steps {
            let next = self.after(&at)?;
            if next == at {
                break;
            }
            at = next;
        }
        Some(at)
    }
}

/// The number of a state.
pub type StateId = u16;
/// The number of a tape symbol; the blank symbol is 0.
pub type SymbolId = u8;

/// The move of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename = "move")]
pub enum HeadMove {
    /// The head moves one cell to the left; at cell 0 it does not move.
    Left,
    /// The head moves one cell to the right. At the last cell, the tape ends and the machine rejects.
    Right,
    /// The head stays.
    Stay,
}

/// The action of a machine's rule: the next state, the symbol to write, and the move of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TapeAction {
    pub to: StateId,
    pub write: SymbolId,
    pub shift: HeadMove,
}

/// A machine's next transition: it halts, asks the oracle, or acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TapeMachineTransition {
    /// The machine has halted: its configuration stays the same.
    Halt,
    /// The machine queries the oracle, whose answer decides the next state.
    Ask,
    /// The machine performs the action of its matching rule. If no rule matches, the action is to enter the rejecting
    /// state.
    Act(TapeAction),
}

/// A configuration of a machine with one tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeConfiguration {
    pub state: StateId,
    /// The index of the cell under the head, from 0.
    pub head: usize,
    /// The symbol of each cell.
    pub tape: Vec<SymbolId>,
}

/// A machine whose configurations consist of a tape, a head and a state.
pub trait TapeMachine: Debug + Send + Sync {
    /// Returns the names of the machine's states; the index is the state's number.
    fn states(&self) -> &[String];
    /// Returns the symbols, by number.
    fn symbols(&self) -> &[char];
    /// Decodes a configuration from bits; `None` if the bits encode no configuration.
    fn decode(&self, configuration: &BitString) -> Option<TapeConfiguration>;
    /// Encodes a configuration as bits.
    fn encode(&self, configuration: &TapeConfiguration) -> BitString;
    /// Returns the machine's transition in a state that reads a symbol.
    fn transition(&self, state: StateId, symbol: SymbolId) -> TapeMachineTransition;
}
