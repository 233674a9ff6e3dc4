//! Small sets of replies that contain a best one, for requests with too many replies to try all. They exist for a
//! prover's transcripts of a computation and configurations of a machine, against an opponent who objects by a known
//! rule; and for the step to which an opponent points.
//!
//! If a step queries the oracle, the arguments below are not valid, because a judge may err. Then no set is known.
//!
//! **A transcript y of m steps.** A step is right if y agrees with the step's rule, applied to the bits of y
//! that it reads. The prover wins if the step pointed at is right and, if it is the output, 1. Without a
//! challenge the output is checked. Call the true transcript h; all its steps are right.
//! - Against an opponent who points at the first wrong step, every y with a wrong step loses. The only y
//!   without one is h, so h suffices.
//! - An opponent who points at the first right step before the output lets h win if m > 1. If m = 1 he points
//!   at the output, and of both bits the wrong one loses: h suffices.
//! - Against an opponent who never points, only the output is checked, and only the bits that it reads
//!   matter. Every value of these bits occurs in a copy of h with these bits set to it and the output 1.
//! - An opponent who points at each step, or at none, with equal probability counts right steps: the output
//!   twice if it is 1 and not at all if it is 0. With k wrong steps before the output, y scores at most m + 1
//!   − k and h at least m − 1. So y can beat h only if k < 2 and the output is right and 1. For k = 0 that is
//!   h. For k = 1 it is right up to its lie and follows from the lie afterwards: h with a first lie at one
//!   step.
//!
//! **A witness w.** Against the first two opponents, h wins with every accepted w (against the second with
//! any w, if m > 1). A problem's own witness is accepted if any witness is ([`Computation::witness`]). The
//! third looks only at the bits of w that the output reads. Against the fourth, h with an accepted w has the
//! maximum score. Without an accepted one, no witness is known to be best, and none is listed.
//!
//! **A configuration c between a first and a last one, against an opponent who chooses a half by checking if
//! c follows from the first.** A stretch of the run is good if its last configuration follows from its first.
//! In a good stretch, the configuration that follows keeps both halves good, and the one step left at the end
//! is right whatever he chooses. In a bad stretch, at most one half can be good. If c follows from the first,
//! the first half is good and the second bad. Otherwise the first is bad, and the second is good or bad. It
//! is good if c is the last configuration and that one steps to itself, as an accepting one does. He chooses
//! the same half for all c that do not follow, so a c with a good second half is no worse than any other. Two
//! replies therefore suffice: the one that follows, and the last one. At the very beginning the last
//! configuration is claimed: the run's actual one, or an accepting one. With a bad stretch that does not
//! accept the prover loses, and two accepting bad ones have equal value by the above.

use debate_core::bits::BitString;
use debate_core::number::Number;
use debate_core::player::ChallengeStrategy;
use debate_core::player::cross_examination::StepChallengeStrategy;
use debate_core::protocol::{
    BisectionDebate, BitsMeaning, ComputationAndTranscript, PendingTurn, Reply, Seat, State, View,
};
use debate_core::scenario::{BitSource, Computation, MachineRun};

use super::node::MAX_REPLIES;

/// Maximum number of bits that an output gate may read. All their values are tried.
const MAX_READ: usize = 12;

/// Returns a set of replies to a request that contains a best reply of the seat to move, if the other debater gives
/// best replies too. `None` if no such set is known.
///
/// The honest challenger has a best reply to everything that a prover writes: he points at the first wrong step, and
/// goes to a bad stretch if there is one. So a prover's best replies to him are best replies in the game.
pub(crate) fn dominant_replies<N: Number>(
    state: &State<'_, N>,
    turn: &PendingTurn<N>,
) -> Option<Vec<Reply<N>>> {
    let honest = match turn.request.meaning_of_bits() {
        Some(BitsMeaning::Configuration { .. }) => ChallengeStrategy::Bisector,
        _ => ChallengeStrategy::Examiner(StepChallengeStrategy::Honest),
    };
    normal_form(state, turn, Some(honest))
}

/// Returns a set of replies to a request that contains a best one, against an opponent who objects by this rule. `None`
/// if no such set is known.
pub(crate) fn normal_form<N: Number>(
    state: &State<'_, N>,
    turn: &PendingTurn<N>,
    opponent: Option<ChallengeStrategy>,
) -> Option<Vec<Reply<N>>> {
    if turn.request.challengeable_steps().is_some() {
        return challenges(&state.transcript()?);
    }
    let written = match (turn.request.meaning_of_bits()?, opponent?) {
        (BitsMeaning::Configuration { time }, ChallengeStrategy::Bisector) => {
            configurations(state, time)
        }
        (BitsMeaning::Transcript { .. }, ChallengeStrategy::Examiner(examiner)) => {
            transcripts(&state.transcript()?, examiner)
        }
        (BitsMeaning::Witness, ChallengeStrategy::Examiner(examiner)) => {
            witnesses(&*state.transcript()?.computation, examiner)
        }
        _ => None,
    };
    Some(written?.into_iter().map(Reply::Bits).collect())
}

/// Returns the opponent's best reply to a given transcript: he challenges the first wrong step, or no step if all are
/// right. Without a challenge, the output is checked. `None` if a step queries the oracle, or if there is no
/// transcript.
fn challenges<N: Number>(computed: &ComputationAndTranscript) -> Option<Vec<Reply<N>>> {
    let computation = &computed.computation;
    let transcript = computed.transcript.as_ref()?.as_slice();
    let wrong =
        (!computation.asks()).then(|| computation.first_wrong_step(&computed.witness, transcript));
    Some(vec![Reply::Challenge(wrong?)])
}

fn transcripts(
    computed: &ComputationAndTranscript,
    examiner: StepChallengeStrategy,
) -> Option<Vec<BitString>> {
    let computation = &*computed.computation;
    let steps = computation.steps();
    if computation.asks() || steps > MAX_REPLIES {
        return None;
    }
    let witness = &computed.witness;
    let honest = computation.transcript(witness)?;
    Some(match examiner {
        StepChallengeStrategy::Honest | StepChallengeStrategy::FalseAlarm => vec![honest],
        StepChallengeStrategy::Silent => {
            let read = read_by_output(computation, |source| match source {
                BitSource::Step(step) => Some(step),
                BitSource::Input(_) | BitSource::Witness(_) => None,
            })?;
            let output = usize::try_from(steps).ok()?.checked_sub(1)?;
            let copy = |bits: BitString| match bits.bit_at(steps - 1) {
                Some(false) => bits.with_bit_flipped(output),
                _ => bits,
            };
            let copies = all_variants(&honest, &read).map(copy);
            std::iter::once(honest.clone()).chain(copies).collect()
        }
        StepChallengeStrategy::Random => {
            let first_lie = |step: usize| {
                let begun = honest.with_bit_flipped(step);
                computation.complete_transcript(witness, begun.as_slice().get(..=step)?)
            };
            let lies = (0..honest.len()).map(first_lie);
            std::iter::once(Some(honest.clone()))
                .chain(lies)
                .collect::<Option<_>>()?
        }
    })
}

fn witnesses(
    computation: &dyn Computation,
    examiner: StepChallengeStrategy,
) -> Option<Vec<BitString>> {
    let own = computation.witness();
    let accepted = || computation.transcript(&own)?.as_slice().last().copied();
    match examiner {
        _ if computation.asks() => None,
        StepChallengeStrategy::Honest => Some(vec![own]),
        StepChallengeStrategy::FalseAlarm => {
            (computation.steps() > 1 || accepted()?).then(|| vec![own])
        }
        StepChallengeStrategy::Silent => {
            let read = read_by_output(computation, |source| match source {
                BitSource::Witness(index) => Some(index),
                BitSource::Input(_) | BitSource::Step(_) => None,
            })?;
            Some(all_variants(&own, &read).collect())
        }
        StepChallengeStrategy::Random => accepted()?.then(|| vec![own]),
    }
}

/// Returns the indices of the bits of one type (witness or gate) that the last gate reads directly; `None` if these are
/// more than `MAX_READ`.
fn read_by_output(
    computation: &dyn Computation,
    index: impl Fn(BitSource) -> Option<u64>,
) -> Option<Vec<usize>> {
    let mut sources = Vec::new();
    computation.reads(computation.steps().checked_sub(1)?, &mut sources);
    sources.sort_unstable();
    sources.dedup();
    let indices = sources.into_iter().filter_map(index);
    let indices: Vec<usize> = indices
        .map(usize::try_from)
        .collect::<Result<_, _>>()
        .ok()?;
    (indices.len() <= MAX_READ).then_some(indices)
}

/// Returns all variants of `bits` that differ only at the given indices.
fn all_variants(bits: &BitString, indices: &[usize]) -> impl Iterator<Item = BitString> {
    (0..1_u64 << indices.len()).map(move |set| {
        let chosen = indices
            .iter()
            .enumerate()
            .filter(|(at, _)| set >> at & 1 == 1);
        chosen.fold(bits.clone(), |bits, (_, index)| {
            bits.with_bit_flipped(*index)
        })
    })
}

fn configurations<'a, N: Number>(state: &State<'a, N>, time: u64) -> Option<Vec<BitString>> {
    let view: View<'_, BisectionDebate<'a, N>> = View::new(state, Seat::Prover).under()?;
    let run: &dyn MachineRun = &**view.machine_run();
    if run.asks() {
        return None;
    }
    let is_first_reply = view.latest_given_configuration().is_none();
    let (from, ..) = view.first_middle_last_disputed_time();
    let follows = run.follow(view.configuration_at_disputed_start(), time - from);
    let steps_to_itself = |bits: &BitString| run.after(bits).as_ref() == Some(bits);
    let claimed = if is_first_reply {
        run.accepting_configuration(&run.at(time)?)
    } else {
        view.configuration_at_disputed_end().clone()
    };
    // Other configurations may lead to a last configuration that does not step to itself.
    if !run.accepts(&claimed) || !steps_to_itself(&claimed) {
        return follows
            .filter(|_| !is_first_reply && is_good(&view))
            .map(|next| vec![next]);
    }
    // If the first bits are not a configuration, no bits follow from them, and the stretch is lost in any
    // case.
    Some(follows.into_iter().chain([claimed]).collect())
}

/// True if the last configuration of the current range follows from the first by the machine's rules.
fn is_good<N: Number>(view: &View<'_, BisectionDebate<'_, N>>) -> bool {
    let (from, _, to) = view.first_middle_last_disputed_time();
    view.machine_run()
        .follow(view.configuration_at_disputed_start(), to - from)
        .as_ref()
        == Some(view.configuration_at_disputed_end())
}
