//! A step of a transcript beside what it reads, as far as somebody who checks it must see it.

use debate_core::bits::Bits;
use debate_core::protocol::{ComputationTranscript, Seat};
use debate_core::scenario::{Computation, Rule, Source};

use super::Perspective;

/// More bits than this are not listed.
const LISTED: usize = 6;

/// A step of a computation with what was written down for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenStep {
    /// Which step, from 0.
    pub step: u64,
    /// In words: "g7 = g3 and x2".
    pub text: String,
    /// The bit written for it; `None` where nothing was.
    pub value: Option<bool>,
    /// The bits that it reads, each with its name, as they were given.
    pub reads: Vec<(String, bool)>,
    /// The meaning of these bits together, where the computation has words for it.
    pub meaning: Option<String>,
    /// True if it asks the oracle.
    pub asked: bool,
    /// The evidence for the judge who answers it.
    pub evidence: Option<String>,
}

impl WrittenStep {
    /// A step of a computation with a witness, the transcript being what `value` says.
    pub fn of(
        computation: &dyn Computation,
        witness: &Bits,
        step: u64,
        value: impl Fn(u64) -> Option<bool>,
    ) -> Self {
        let mut sources = Vec::new();
        computation.reads(step, &mut sources);
        let bit = |source: &Source| match source {
            Source::Step(step) => value(*step).unwrap_or(false),
            other => computation.bit(*other, witness, &[]),
        };
        let bits: Vec<bool> = sources.iter().map(bit).collect();
        let names = sources
            .iter()
            .map(|source| computation.source_text(*source));
        Self {
            step,
            text: computation.step_text(step),
            value: value(step),
            meaning: computation.reads_text(step, &bits),
            asked: matches!(computation.rule(step, &bits), Rule::Oracle(_)),
            evidence: computation.evidence(step),
            reads: names.zip(bits).collect(),
        }
    }

    /// A step of a transcript as it was given.
    pub fn on(computed: &ComputationTranscript, step: u64) -> Self {
        let transcript = computed.transcript.as_ref();
        Self::of(&*computed.computation, &computed.witness, step, |step| {
            transcript.and_then(|bits| bits.at(step))
        })
    }

    /// The bit that it must write by the rule of the step; `None` where an oracle decides.
    pub fn rule(&self, computation: &dyn Computation) -> Option<bool> {
        let bits: Vec<bool> = self.reads.iter().map(|(_, bit)| *bit).collect();
        match computation.rule(self.step, &bits) {
            Rule::Value(value) => Some(value),
            Rule::Oracle(_) => None,
        }
    }

    /// The bits that it reads: "g3 = 1, x2 = 0"; empty where it reads nothing.
    pub fn read(&self) -> String {
        if let Some(meaning) = &self.meaning {
            return meaning.clone();
        }
        let listed = self.reads.iter().take(LISTED);
        let mut each: Vec<String> = listed
            .map(|(name, bit)| format!("{name} = {}", u8::from(*bit)))
            .collect();
        if let Some(more) = self
            .reads
            .len()
            .checked_sub(LISTED)
            .filter(|more| *more > 0)
        {
            each.push(format!("and {more} more"));
        }
        each.join(", ")
    }

    /// The bit that was written, as a digit; `?` where nothing was.
    pub fn digit(&self) -> &'static str {
        match self.value {
            Some(true) => "1",
            Some(false) => "0",
            None => "?",
        }
    }

    /// All of it in one sentence without a full stop.
    pub fn sentence(&self, perspective: Perspective) -> String {
        let prover = perspective.within(Seat::Prover);
        let wrote = self.value.map_or_else(String::new, |value| {
            format!("; {prover} wrote {}", u8::from(value))
        });
        let read = match self.read() {
            read if read.is_empty() => String::new(),
            read => format!(", from {read}"),
        };
        format!("step {}: {}{wrote}{read}", self.step, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_core::scenario::Circuit;
    use debate_core::scenario::netlist::read_bench;
    use std::sync::Arc;

    #[test]
    fn a_step_stands_beside_what_it_reads() {
        let text = "INPUT(a)\nINPUT(b)\nOUTPUT(o)\ns = XOR(a, b)\no = AND(s, b)\n";
        let netlist = Arc::new(read_bench(text).unwrap());
        let output = netlist.outputs()[0];
        let circuit = Circuit::new(&netlist, output, Bits::parse("01").unwrap()).unwrap();
        let computed = ComputationTranscript {
            computation: Arc::new(circuit),
            witness: Bits::default(),
            transcript: Bits::parse("01"),
        };
        let written = WrittenStep::on(&computed, 1);
        assert_eq!(
            written.sentence(Perspective::NEUTRAL),
            "step 1: g1 = g0 and x1; Alice wrote 1, from g0 = 0, x1 = 1"
        );
        assert_eq!(
            written.sentence(Perspective::of(Seat::Prover)),
            "step 1: g1 = g0 and x1; you wrote 1, from g0 = 0, x1 = 1"
        );
        assert_eq!(written.rule(&*computed.computation), Some(false));
        let asked = ComputationTranscript {
            transcript: None,
            ..computed
        };
        assert_eq!(WrittenStep::on(&asked, 0).digit(), "?");
    }
}
