//! Problems as computations. A [`Computation`] writes one bit per step, and its transcript is debated. A [`MachineRun`]
//! is a run of a deterministic machine, and its configurations are debated.

use crate::scenario::key::ClaimKeyContent;
use std::fmt::Debug;

use super::ClaimKey;
use crate::bits::Bits;
use crate::number::index_saturating;

/// The source of a bit that a step reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BitSource {
    /// A bit of the input x, which every seat knows.
    Input(u64),
    /// A bit of the witness w, which the prover gives.
    Witness(u64),
    /// A bit of the transcript: written by an earlier step.
    Step(u64),
}

impl BitSource {
    /// Returns the name of the source. `step` returns the name of a step.
    pub(super) fn text(self, step: impl FnOnce(u64) -> String) -> String {
        match self {
            Self::Input(index) => format!("x{index}"),
            Self::Witness(index) => format!("w{index}"),
            Self::Step(number) => step(number),
        }
    }
}

/// The rule of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepRule {
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
    /// Returns the number of steps, m; at least 1.
    fn steps(&self) -> u64;
    /// Returns a bit of the input.
    fn input(&self, index: u64) -> bool;
    /// Returns the number of bits of the witness.
    fn witness_length(&self) -> u64 {
        0
    }
    /// Returns a witness with which the computation outputs 1, if one exists. Loading a problem either finds such a
    /// witness or rejects the problem. If none exists, returns any witness.
    fn witness(&self) -> Bits {
        Bits::default()
    }
    /// Replaces the content of `into` with the sources that a step reads, in order. A step reads only earlier steps.
    fn reads(&self, step: u64, into: &mut Vec<BitSource>);
    /// Returns the bit that a step must write after reading these bits, in the order of [`Self::reads`].
    fn rule(&self, step: u64, bits: &[bool]) -> StepRule;
    /// Returns the oracle's true answer to the claim that a step queries; `None` if it is unknown.
    fn answer(&self, _claim: &ClaimKey) -> Option<bool> {
        None
    }

    /// Returns the claim "this step writes 1", for the tree and for sentences.
    fn claim(&self, step: u64) -> ClaimKey {
        ClaimKey(ClaimKeyContent::Step(step))
    }
    /// Returns the evidence for the claim that a step queries.
    fn evidence(&self, _step: u64) -> Option<String> {
        None
    }
    /// Returns the rule of a step in a few words: "g7 = g3 and x2".
    fn step_text(&self, step: u64) -> String;
    /// Returns in words what is true if a step writes 1: "the delay is excused". `None` if [`Self::step_text`] is clear
    /// enough.
    fn statement(&self, _step: u64) -> Option<String> {
        None
    }
    /// Describes a witness in words; `None` if its bits need no description.
    fn witness_text(&self, _witness: &Bits) -> Option<String> {
        None
    }
    /// Describes the bits that a step reads, such as "p = 7, g = 3"; `None` if the bits need no description.
    fn reads_text(&self, _step: u64, _bits: &[bool]) -> Option<String> {
        None
    }
    /// Returns the name of a source: "x2".
    fn source_text(&self, source: BitSource) -> String {
        source.text(|step| format!("step {step}"))
    }

    /// Returns the bit of a source.
    fn bit(&self, source: BitSource, witness: &Bits, transcript: &[bool]) -> bool {
        match source {
            BitSource::Input(index) => self.input(index),
            BitSource::Witness(index) => witness.bit_at(index).unwrap_or(false),
            BitSource::Step(step) => transcript
                .get(index_saturating(step))
                .copied()
                .unwrap_or(false),
        }
    }

    /// Returns the maximum number of distinct bits that a step reads.
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

    /// True if a step may ask the oracle.
    fn asks(&self) -> bool {
        true
    }

    /// Returns the bit that a step should write after a given transcript; `None` if the oracle's answer is unknown.
    fn value(&self, step: u64, witness: &Bits, transcript: &[bool]) -> Option<bool> {
        self.value_in(&mut StepBuffer::default(), step, witness, transcript)
    }

    /// Computes [`Self::value`] with a buffer that is reused for all steps.
    fn value_in(
        &self,
        buffer: &mut StepBuffer,
        step: u64,
        witness: &Bits,
        transcript: &[bool],
    ) -> Option<bool> {
        self.reads(step, &mut buffer.sources);
        buffer.bits.clear();
        let read = |source: &BitSource| self.bit(*source, witness, transcript);
        buffer.bits.extend(buffer.sources.iter().map(read));
        match self.rule(step, &buffer.bits) {
            StepRule::Value(value) => Some(value),
            StepRule::Oracle(claim) => self.answer(&claim),
        }
    }

    /// Completes a transcript that begins with the bits `begun`: every later step is computed. `None` if an oracle's
    /// answer is unknown.
    fn complete_transcript(&self, witness: &Bits, begun: &[bool]) -> Option<Bits> {
        let steps = usize::try_from(self.steps()).ok()?;
        let mut transcript = Vec::with_capacity(steps);
        transcript.extend(begun.iter().take(steps));
        let mut buffer = StepBuffer::default();
        for step in begun.len()..steps {
            let value = self.value_in(&mut buffer, step as u64, witness, &transcript)?;
            transcript.push(value);
        }
        Some(transcript.into())
    }

    /// Returns the true transcript with a witness; `None` if an oracle's answer is unknown.
    fn transcript(&self, witness: &Bits) -> Option<Bits> {
        self.complete_transcript(witness, &[])
    }

    /// Returns the first step of a transcript that does not follow from the bits that it reads.
    fn first_wrong_step(&self, witness: &Bits, transcript: &[bool]) -> Option<u64> {
        let mut buffer = StepBuffer::default();
        (0..self.steps()).find(|step| {
            let given = transcript.get(index_saturating(*step));
            let value = self.value_in(&mut buffer, *step, witness, transcript);
            value.is_some_and(|value| given != Some(&value))
        })
    }
}

/// A buffer for the bits that one step reads, allocated once for all steps.
#[derive(Clone, Debug, Default)]
pub struct StepBuffer {
    sources: Vec<BitSource>,
    bits: Vec<bool>,
}

/// The successor of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Successor {
    /// This configuration. The successor of a halting configuration is that configuration.
    To(Bits),
    /// One of two configurations, `yes` or `no`: the oracle's answer decides.
    Oracle {
        /// The claim that is queried.
        claim: ClaimKey,
        yes: Bits,
        no: Bits,
    },
}

/// A deterministic machine M on an input, run for T steps (DE §3). Configurations are bit strings
/// of one length.
pub trait MachineRun: Debug + Send + Sync {
    /// Returns T, the number of steps; at least 1.
    fn steps(&self) -> u64;
    /// Returns the number of bits of a configuration.
    fn length(&self) -> u32;
    /// Returns the configuration before the first step.
    fn start(&self) -> Bits;
    /// True if these bits encode a configuration. They must have the length [`Self::length`].
    fn is_well_formed(&self, configuration: &Bits) -> bool;
    /// True if a well-formed configuration accepts.
    fn accepts(&self, configuration: &Bits) -> bool;
    /// Returns the successor of a well-formed configuration.
    fn next(&self, configuration: &Bits) -> Successor;
    /// True if a step may ask the oracle.
    fn asks(&self) -> bool {
        true
    }
    /// Returns the oracle's true answer to a claim; `None` if it is unknown.
    fn answer(&self, claim: &ClaimKey) -> Option<bool>;
    /// Returns the true configuration after `time` steps, or the last one if there are fewer steps. `None` if an
    /// oracle's answer is unknown.
    fn at(&self, time: u64) -> Option<Bits>;
    /// Returns an accepting configuration that resembles the well-formed configuration `like`. A liar claims it as the
    /// successor of `like`.
    fn accepting_configuration(&self, like: &Bits) -> Bits;
    /// Formats a configuration: `state q1 at cell 3: 0 1 [1] _`.
    fn text(&self, configuration: &Bits) -> String;
    /// Formats a well-formed configuration in a word or two, for narrow columns: `q1`.
    fn short_text(&self, configuration: &Bits) -> String {
        self.text(configuration)
    }

    /// Returns the machine as a [`TapeMachine`] if its configurations are a tape, a head and a state.
    fn tape(&self) -> Option<&dyn TapeMachine> {
        None
    }

    /// Returns the claim that the machine goes from the configuration that the prover stated for time `from` to the one
    /// stated for time `to`.
    fn claim(&self, from: u64, to: u64) -> ClaimKey {
        ClaimKey(ClaimKeyContent::Times(from, to))
    }

    /// Returns the true successor of a configuration; `None` if the oracle's answer is unknown.
    fn after(&self, configuration: &Bits) -> Option<Bits> {
        match self.next(configuration) {
            Successor::To(next) => Some(next),
            Successor::Oracle { claim, yes, no } => self
                .answer(&claim)
                .map(|holds| if holds { yes } else { no }),
        }
    }

    /// Returns the configuration that the machine reaches in `steps` steps from the configuration `from`. `None` if
    /// `from` is not a valid configuration, or an oracle's answer is unknown.
    fn follow(&self, from: &Bits, steps: u64) -> Option<Bits> {
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
/// A symbol's number; the blank is 0.
pub type SymbolId = u8;

/// The move of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename = "move")]
pub enum Shift {
    /// One cell to the left; it stays at cell 0.
    Left,
    /// One cell to the right; at the last cell the machine is out of tape and rejects.
    Right,
    /// The head stays.
    Stay,
}

/// The action of a machine's rule: the next state, the symbol to write, and the move of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TapeAction {
    pub to: StateId,
    pub write: SymbolId,
    pub shift: Shift,
}

/// The transition from a state on a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// The machine has halted: the configuration stays the same.
    Halt,
    /// The machine queries the oracle, whose answer decides the next state.
    Ask,
    /// The machine acts by its rule. If no rule matches, the action goes to the rejecting state.
    Act(TapeAction),
}

/// A configuration of a machine with one tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeConfiguration {
    pub state: StateId,
    /// The cell that the head is at, from 0.
    pub head: usize,
    /// The symbol of each cell.
    pub tape: Vec<SymbolId>,
}

/// A machine whose configurations are a tape, a head and a state.
pub trait TapeMachine: Debug + Send + Sync {
    /// Returns the names of the states, by number.
    fn states(&self) -> &[String];
    /// Returns the symbols, by number.
    fn symbols(&self) -> &[char];
    /// Decodes a configuration; `None` if the bits are not valid.
    fn decode(&self, configuration: &Bits) -> Option<TapeConfiguration>;
    /// Encodes a configuration as bits.
    fn encode(&self, configuration: &TapeConfiguration) -> Bits;
    /// Returns the rule of a state for a symbol.
    fn transition(&self, state: StateId, symbol: SymbolId) -> Transition;
}
