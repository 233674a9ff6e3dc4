//! Built-in players of debate with cross-examination: provers that write a computation down, and challengers that point
//! at its steps. Other protocols that examine a computation use them too.

use std::num::NonZeroU64;

use TranscriptOrChallengeStrategy::{Point, Write};

use super::registry::{
    PlayableStrategy, StrategyBuildError, StrategyBuildInputs, StrategyEntry, StrategyParameter,
    boxed_strategy,
};
use super::{ChallengeStrategy, Policy, ReplyDistribution, StrategyMemoryAndCosts};
use crate::number::Number;
use crate::protocol::{
    BitString, BitsMeaning, ComputationAndTranscript, CrossExaminationDebate, ProtocolKind, Reply,
    Request, Seat, View,
};
use crate::scenario::{BitSource, RequiredStepOutput};

impl<'a, N: Number> Policy<N, CrossExaminationDebate<'a, N>> for TranscriptOrChallengeStrategy {
    fn as_challenge_rule(&self) -> Option<ChallengeStrategy> {
        self.challenge_rule()
    }

    fn choose(
        &self,
        view: View<'_, CrossExaminationDebate<'a, N>>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let computed = view.transcript()?;
        match (self, request) {
            (
                Self::Write(writer),
                Request::Bits {
                    ask: BitsMeaning::Witness,
                    ..
                },
            ) => writer.witness(&computed),
            _ => self.examination_reply(&computed),
        }
    }
}

/// Builds a player that computes the steps of the computation itself; for this, it must know the oracle's answers.
fn informed<'a, N: Number>(
    order: &StrategyBuildInputs<'a, '_>,
    role: TranscriptOrChallengeStrategy,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
    let computation = order.instance.computation();
    if computation.is_some_and(|computation| computation.asks()) {
        order.reader_of_all_truths()?;
    }
    boxed_strategy(role)
}

/// Returns the built-in players of debate with cross-examination by name.
pub(super) fn entries<N: Number>() -> Vec<StrategyEntry<N>> {
    let prover = StrategyEntry::entry_builder(ProtocolKind::CrossExamination, Seat::Prover);
    let opponent = StrategyEntry::entry_builder(ProtocolKind::CrossExamination, Seat::Opponent);
    vec![
        prover("honest", |order| {
            informed(order, Write(TranscriptWritingProver::Honest))
        }),
        prover("liar", |order| {
            informed(
                order,
                Write(TranscriptWritingProver::Liar(order.first_count_if_given())),
            )
        })
        .with_parameters(&[StrategyParameter::OptionalCount("at")]),
        prover("hider", |order| {
            informed(order, Write(TranscriptWritingProver::Hider))
        }),
        prover("random", |_| {
            boxed_strategy(Write(TranscriptWritingProver::Random))
        }),
        opponent("honest", |order| {
            informed(order, Point(StepChallengeStrategy::Honest))
        }),
        opponent("silent", |_| {
            boxed_strategy(Point(StepChallengeStrategy::Silent))
        }),
        opponent("false-alarm", |order| {
            informed(order, Point(StepChallengeStrategy::FalseAlarm))
        }),
        opponent("random", |_| {
            boxed_strategy(Point(StepChallengeStrategy::Random))
        }),
    ]
}

/// Random strings of at most this number of bits are drawn from all strings. Longer random strings are drawn from only
/// 2^`RANDOM_BITS` strings.
const RANDOM_BITS: u32 = 12;

/// Upper limit on the number of questions whose false answers [`TranscriptWritingProver::Hider`] examines.
const MAX_FALSE_ANSWERS: usize = 64;

/// A prover that writes the bit of every step of a computation, and claims that the computation outputs 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranscriptWritingProver {
    /// Writes the true bits.
    Honest,
    /// Writes a false bit at the step with this number (the last step if there are fewer), and computes all later steps
    /// from it. If the output is still not 1, the last step is false too. Without a number only the output is false, if
    /// it is 0.
    Liar(Option<u64>),
    /// As `Liar`, with a random false answer to one of the oracle's questions: one of those whose false answer makes
    /// the output 1. As `Liar` without a number if the output is 1 anyway, or if no single false answer makes it 1.
    Hider,
    /// Writes random bits.
    Random,
}

impl TranscriptWritingProver {
    /// Returns the prover's witness; an empty one if the computation reads no witness. `None` if the witness would be
    /// too long for this machine's memory.
    pub fn witness<N: Number>(
        self,
        computed: &ComputationAndTranscript,
    ) -> Option<ReplyDistribution<N>> {
        let length = usize::try_from(computed.computation.witness_length()).ok()?;
        Some(match self {
            Self::Honest | Self::Liar(_) | Self::Hider => {
                ReplyDistribution::Certain(Reply::Bits(computed.computation.witness()))
            }
            Self::Random => random_bits(length),
        })
    }

    /// Returns the bits, right or wrong, that the prover writes for all steps. `None` if an oracle's answer is unknown.
    pub fn transcript<N: Number>(
        self,
        computed: &ComputationAndTranscript,
    ) -> Option<ReplyDistribution<N>> {
        let computation = &computed.computation;
        let witness = &computed.witness;
        let bits = match self {
            Self::Honest => computation.transcript(witness)?,
            Self::Liar(None) => with_answer_yes(&computation.transcript(witness)?),
            Self::Hider => {
                let lies = transcripts_with_one_false_answer(computed)?;
                let Some(count) = NonZeroU64::new(lies.len() as u64) else {
                    return Self::Liar(None).transcript(computed);
                };
                return Some(ReplyDistribution::uniform_computed(
                    count.get(),
                    move |number| {
                        let lie = usize::try_from(number).ok().and_then(|at| lies.get(at));
                        Reply::Bits(lie.cloned().unwrap_or_default())
                    },
                ));
            }
            Self::Liar(Some(step)) => {
                let last = computation.steps().saturating_sub(1);
                let step = usize::try_from(step.min(last)).ok()?;
                let lie = computation.transcript(witness)?.with_bit_flipped(step);
                let begun = lie.as_slice().get(..=step)?;
                with_answer_yes(&computation.complete_transcript(witness, begun)?)
            }
            Self::Random => return Some(random_bits(usize::try_from(computation.steps()).ok()?)),
        };
        Some(ReplyDistribution::Certain(Reply::Bits(bits)))
    }
}

/// Returns the transcripts with output 1 in which a single answer of the oracle is false, and all later steps follow
/// from it. Empty if the true output is 1. Looks at the first [`MAX_FALSE_ANSWERS`] questions. `None` if an answer of
/// the oracle is unknown.
fn transcripts_with_one_false_answer(
    computed: &ComputationAndTranscript,
) -> Option<Vec<BitString>> {
    let (computation, witness) = (&computed.computation, &computed.witness);
    let truth = computation.transcript(witness)?;
    if truth.as_slice().last() == Some(&true) {
        return Some(Vec::new());
    }
    let mut sources = Vec::new();
    let asks = |step: &u64| {
        computation.reads(*step, &mut sources);
        let bit = |source: &BitSource| computation.bit(*source, witness, truth.as_slice());
        let bits: Vec<bool> = sources.iter().map(bit).collect();
        matches!(
            computation.rule(*step, &bits),
            RequiredStepOutput::Oracle(_)
        )
    };
    let questions: Vec<u64> = (0..computation.steps())
        .filter(asks)
        .take(MAX_FALSE_ANSWERS)
        .collect();
    let mut lies = Vec::new();
    for step in questions {
        let step = usize::try_from(step).ok()?;
        let lie = truth.with_bit_flipped(step);
        let whole = computation.complete_transcript(witness, lie.as_slice().get(..=step)?)?;
        if whole.as_slice().last() == Some(&true) {
            lies.push(whole);
        }
    }
    Some(lies)
}

/// Returns the transcript with its last bit set to 1: the claim that the computation outputs 1.
fn with_answer_yes(transcript: &BitString) -> BitString {
    match transcript.as_slice().last() {
        Some(false) => transcript.with_bit_flipped(transcript.len() - 1),
        _ => transcript.clone(),
    }
}

/// Returns a random string of `length` bits: any of all strings, or one of 4096 if there are more.
pub(super) fn random_bits<N: Number>(length: usize) -> ReplyDistribution<N> {
    let bits = u32::try_from(length).map_or(RANDOM_BITS, |length| length.min(RANDOM_BITS));
    let all = bits as usize == length;
    ReplyDistribution::uniform_computed(1 << bits, move |number| {
        Reply::Bits(if all {
            BitString::low_bits_of_number(number, bits)
        } else {
            scattered(number, length)
        })
    })
}

/// Returns pseudorandom bits that are derived from a number, by hashing multiples of the golden ratio.
fn scattered(number: u64, length: usize) -> BitString {
    let bit = |index: u64| {
        let mixed = (number << 40 ^ index).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed >> 63 == 1
    };
    (0..length as u64).map(bit).collect()
}

/// A challenger's rule for choosing the written step to challenge, or for challenging none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepChallengeStrategy {
    /// Challenges the first wrong step. If all steps are right, challenges none, so the judge checks the output.
    Honest,
    /// Never objects.
    Silent,
    /// Challenges the first right step that is not the output; challenges none if there is no such step.
    FalseAlarm,
    /// Challenges a random step or no step; all choices are equally likely.
    Random,
}

impl StepChallengeStrategy {
    /// Returns the step that the challenger points at. `None` before the transcript is given.
    pub fn challenge<N: Number>(
        self,
        computed: &ComputationAndTranscript,
    ) -> Option<ReplyDistribution<N>> {
        let computation = &computed.computation;
        let witness = &computed.witness;
        let transcript = computed.transcript.as_ref()?.as_slice();
        Some(ReplyDistribution::Certain(Reply::Challenge(match self {
            Self::Honest => computation.first_wrong_step(witness, transcript),
            Self::Silent => None,
            Self::FalseAlarm => {
                let right = |step: &u64| {
                    let value = computation.value(*step, witness, transcript);
                    let index = usize::try_from(*step).ok();
                    value.as_ref() == index.and_then(|index| transcript.get(index))
                };
                (0..computation.steps().saturating_sub(1)).find(right)
            }
            Self::Random => {
                let count = computation.steps().saturating_add(1);
                return Some(ReplyDistribution::uniform_computed(count, |index| {
                    Reply::Challenge(index.checked_sub(1))
                }));
            }
        })))
    }
}

/// A player's task in a cross-examination: to write the transcript, or to point at one of its steps.
#[derive(Clone, Copy, Debug)]
pub enum TranscriptOrChallengeStrategy {
    Write(TranscriptWritingProver),
    Point(StepChallengeStrategy),
}

impl TranscriptOrChallengeStrategy {
    /// Returns the challenger's rule for choosing a step; `None` for a player who writes the transcript.
    pub(super) fn challenge_rule(self) -> Option<ChallengeStrategy> {
        match self {
            Self::Write(_) => None,
            Self::Point(examiner) => Some(ChallengeStrategy::Examiner(examiner)),
        }
    }

    pub(super) fn examination_reply<N: Number>(
        self,
        computed: &ComputationAndTranscript,
    ) -> Option<ReplyDistribution<N>> {
        match self {
            Self::Write(writer) => writer.transcript(computed),
            Self::Point(examiner) => examiner.challenge(computed),
        }
    }
}
