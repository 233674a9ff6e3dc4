//! Problems as computations of one bit a step, whose transcripts are debated.

use crate::scenario::key::Key;
use std::fmt::Debug;

use super::ClaimKey;
use crate::bits::Bits;
use crate::number::place;

/// Where a step reads a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Of the input x, which everybody knows.
    Input(u64),
    /// Of the witness w, which the prover gives.
    Witness(u64),
    /// Of the transcript: what an earlier step wrote.
    Step(u64),
}

impl Source {
    /// Its name, where `step` names the steps.
    pub(super) fn text(self, step: impl FnOnce(u64) -> String) -> String {
        match self {
            Self::Input(place) => format!("x{place}"),
            Self::Witness(place) => format!("w{place}"),
            Self::Step(number) => step(number),
        }
    }
}

/// The rule of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// This bit.
    Value(bool),
    /// The oracle's answer to this claim.
    Oracle(ClaimKey),
}

/// A computation that writes one bit a step (DE §3: the transcript y, of which step t reads the
/// coordinates I(t)). Its last bit is the output.
///
/// Steps are counted from 0. Nothing may recurse on depth: there are computations of a million
/// steps, each reading the one before.
pub trait Computation: Debug + Send + Sync {
    /// The number of steps, m; at least 1.
    fn steps(&self) -> u64;
    /// A bit of the input.
    fn input(&self, place: u64) -> bool;
    /// The number of bits the witness has.
    fn witness_length(&self) -> u64 {
        0
    }
    /// A witness with which the computation says 1, where there is one and it is known; else any
    /// witness, the problem's best try.
    fn witness(&self) -> Bits {
        Bits::default()
    }
    /// Replaces `into` by the sources that a step reads, in order. Steps read are earlier ones.
    fn reads(&self, step: u64, into: &mut Vec<Source>);
    /// The bit that a step must write where it reads these bits, in the order of [`Self::reads`].
    fn rule(&self, step: u64, bits: &[bool]) -> Rule;
    /// The oracle's true answer to a claim that a step asks about; `None` where that cannot be
    /// known.
    fn answer(&self, _claim: &ClaimKey) -> Option<bool> {
        None
    }

    /// The claim "this step writes 1", for the tree and for sentences.
    fn claim(&self, step: u64) -> ClaimKey {
        ClaimKey(Key::Step(step))
    }
    /// The evidence for the question that a step asks.
    fn evidence(&self, _step: u64) -> Option<String> {
        None
    }
    /// A step in few words: "g7 = g3 and x2".
    fn step_text(&self, step: u64) -> String;
    /// A witness in words; `None` where its bits speak for themselves.
    fn witness_text(&self, _witness: &Bits) -> Option<String> {
        None
    }
    /// The bits that a step reads, in words: "p = 7, g = 3"; `None` where the
    /// bits speak for themselves.
    fn reads_text(&self, _step: u64, _bits: &[bool]) -> Option<String> {
        None
    }
    /// The name of a source: "x2".
    fn source_text(&self, source: Source) -> String {
        source.text(|step| format!("step {step}"))
    }

    /// A bit that is read.
    fn bit(&self, source: Source, witness: &Bits, transcript: &[bool]) -> bool {
        match source {
            Source::Input(place) => self.input(place),
            Source::Witness(place) => witness.at(place).unwrap_or(false),
            Source::Step(step) => transcript.get(place(step)).copied().unwrap_or(false),
        }
    }

    /// The most different bits that a step reads.
    fn widest(&self) -> u64 {
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

    /// The bit that a step should write after a transcript as it was given; `None` where the oracle's
    /// answer cannot be known.
    fn value(&self, step: u64, witness: &Bits, transcript: &[bool]) -> Option<bool> {
        self.value_in(&mut StepBuffer::default(), step, witness, transcript)
    }

    /// [`Self::value`] with room that serves one step after the other.
    fn value_in(
        &self,
        buffer: &mut StepBuffer,
        step: u64,
        witness: &Bits,
        transcript: &[bool],
    ) -> Option<bool> {
        self.reads(step, &mut buffer.sources);
        buffer.bits.clear();
        let read = |source: &Source| self.bit(*source, witness, transcript);
        buffer.bits.extend(buffer.sources.iter().map(read));
        match self.rule(step, &buffer.bits) {
            Rule::Value(value) => Some(value),
            Rule::Oracle(claim) => self.answer(&claim),
        }
    }

    /// The true continuation of a transcript that begins with these values, to its end; `None`
    /// where an oracle's answer cannot be known.
    fn continued(&self, witness: &Bits, begun: &[bool]) -> Option<Bits> {
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

    /// The true transcript with a witness; `None` where an oracle's answer cannot be known.
    fn transcript(&self, witness: &Bits) -> Option<Bits> {
        self.continued(witness, &[])
    }

    /// The first step of a transcript that does not follow from what it reads.
    fn first_wrong(&self, witness: &Bits, transcript: &[bool]) -> Option<u64> {
        let mut buffer = StepBuffer::default();
        (0..self.steps()).find(|step| {
            let given = transcript.get(place(*step));
            let value = self.value_in(&mut buffer, *step, witness, transcript);
            value.is_some_and(|value| given != Some(&value))
        })
    }
}

/// Room for what one step reads, made once for all of them.
#[derive(Clone, Debug, Default)]
pub struct StepBuffer {
    sources: Vec<Source>,
    bits: Vec<bool>,
}
