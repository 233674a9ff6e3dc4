//! The replies among which the best is found where there are too many to try: what a prover writes of a computation, or
//! where a machine stands, before an opponent who objects by a rule; and the step that an opponent points at.
//!
//! Nothing here holds where a step asks the oracle, for a judge may err; there no reply is listed.
//!
//! **A transcript y of m steps.** A step is right where y has what its rule makes of the bits of y that it reads. The
//! prover wins where the step pointed at is right and, if it is the output, 1; nobody pointing is pointing at the
//! output. Call the true transcript h; all its steps are right.
//! - Before an opponent who points at the first wrong step every y with a wrong step loses. The only one without is
//!   h: h is enough.
//! - One who points at the first right step short of the output lets h win where m > 1. Where m = 1 he points at the
//!   output, and of both bits the wrong one loses: h is enough.
//! - One who never points leaves the output alone to be checked, of which the bits that it reads decide. Every value
//!   of these bits stands in a copy of h with these bits put so and the output 1.
//! - One who points at each step with the same chance, or at none, counts right steps, the output twice where it is 1
//!   and not at all where it is 0. With k wrong steps short of the output, y scores m + 1 − k at the most and h at
//!   least m − 1, so more than h has only a y with k < 2 and an output that is right and 1. With k = 0 that is h; with
//!   k = 1 it is right up to its lie, and from there on follows from it: h with a first lie at one step.
//!
//! **A witness w.** Before the first two opponents h wins with every w that is accepted (with any, where m > 1, before
//! the second), and a problem's own witness is one wherever there is one ([`Computation::witness`]). The third looks at
//! the bits of w alone that the output reads. Before the fourth h with an accepted w scores the most that there is;
//! without one no witness is known to be best, and none is listed.
//!
//! **A configuration c between a first and a last one, before an opponent who chooses a half by whether c follows from
//! the first.** A stretch of the run is good where its last configuration follows from its first. In a good stretch the
//! configuration that follows keeps both halves good, and at the end the one step left is right whatever he chooses.
//! In a bad one two good halves cannot be. If c follows from the first, the first half is good and the second bad.
//! If c does not, the first is bad, and the second is good or bad: it is good where c is the last configuration and
//! that one steps to itself, as one that accepts does. Which half he chooses is the same for all c that do not follow,
//! so that a c with a good second half is no worse than any other. So two replies are enough: what follows, and the last
//! one. At the very beginning the last configuration is given: what the run comes to, or one that accepts; with a bad
//! stretch that does not accept the prover loses, and two that accept and are bad are worth the same by the above.

use debate_core::bits::Bits;
use debate_core::number::Number;
use debate_core::player::cross_examination::Examiner;
use debate_core::player::{Objector, Strategy};
use debate_core::protocol::{
    Ask, Bisection, ComputationTranscript, Reply, Seat, State, Turn, View,
};
use debate_core::scenario::{Computation, Run, Source};

use super::node::MAX_REPLIES;

/// The most bits that an output may read, each of whose values is tried.
const MAX_READ: usize = 12;

/// Replies to a request among which is a best one against this opponent; `None` where none such are known.
pub(crate) fn normal_form<'a, N: Number>(
    state: &State<'a, N>,
    turn: &Turn<N>,
    opponent: Option<&dyn Strategy<'a, N>>,
) -> Option<Vec<Reply<N>>> {
    if turn.request.steps().is_some() {
        return challenges(&state.transcript()?);
    }
    let written = match (turn.request.ask()?, opponent?.as_objector()?) {
        (Ask::Configuration { time }, Objector::Bisector) => configurations(state, time),
        (Ask::Transcript { .. }, Objector::Examiner(examiner)) => {
            transcripts(&state.transcript()?, examiner)
        }
        (Ask::Witness, Objector::Examiner(examiner)) => {
            witnesses(&*state.transcript()?.computation, examiner)
        }
        _ => None,
    };
    Some(written?.into_iter().map(Reply::Bits).collect())
}

/// After a transcript, whoever wrote it: its first wrong step decides for the opponent, and where there is none he can
/// only hope for an output of 0.
fn challenges<N: Number>(computed: &ComputationTranscript) -> Option<Vec<Reply<N>>> {
    let computation = &computed.computation;
    let transcript = computed.transcript.as_ref()?.as_slice();
    let wrong =
        (!computation.asks()).then(|| computation.first_wrong(&computed.witness, transcript));
    Some(vec![Reply::Challenge(wrong?)])
}

fn transcripts(computed: &ComputationTranscript, examiner: Examiner) -> Option<Vec<Bits>> {
    let computation = &*computed.computation;
    let steps = computation.steps();
    if computation.asks() || steps > MAX_REPLIES {
        return None;
    }
    let witness = &computed.witness;
    let honest = computation.transcript(witness)?;
    Some(match examiner {
        Examiner::Honest | Examiner::FalseAlarm => vec![honest],
        Examiner::Silent => {
            let read = read_by_output(computation, |source| match source {
                Source::Step(step) => Some(step),
                Source::Input(_) | Source::Witness(_) => None,
            })?;
            let output = usize::try_from(steps).ok()?.checked_sub(1)?;
            let copy = |bits: Bits| match bits.at(steps - 1) {
                Some(false) => bits.turned(output),
                _ => bits,
            };
            let copies = turned_each_way(&honest, &read).map(copy);
            std::iter::once(honest.clone()).chain(copies).collect()
        }
        Examiner::Random => {
            let first_lie = |step: usize| {
                let begun = honest.turned(step);
                computation.continued(witness, begun.as_slice().get(..=step)?)
            };
            let lies = (0..honest.len()).map(first_lie);
            std::iter::once(Some(honest.clone()))
                .chain(lies)
                .collect::<Option<_>>()?
        }
    })
}

fn witnesses(computation: &dyn Computation, examiner: Examiner) -> Option<Vec<Bits>> {
    let own = computation.witness();
    let accepted = || computation.transcript(&own)?.as_slice().last().copied();
    match examiner {
        _ if computation.asks() => None,
        Examiner::Honest => Some(vec![own]),
        Examiner::FalseAlarm => (computation.steps() > 1 || accepted()?).then(|| vec![own]),
        Examiner::Silent => {
            let read = read_by_output(computation, |source| match source {
                Source::Witness(place) => Some(place),
                Source::Input(_) | Source::Step(_) => None,
            })?;
            Some(turned_each_way(&own, &read).collect())
        }
        Examiner::Random => accepted()?.then(|| vec![own]),
    }
}

/// The places of the bits of one kind that the output reads; `None` where they are too many.
fn read_by_output(
    computation: &dyn Computation,
    place: impl Fn(Source) -> Option<u64>,
) -> Option<Vec<usize>> {
    let mut sources = Vec::new();
    computation.reads(computation.steps().checked_sub(1)?, &mut sources);
    sources.sort_unstable();
    sources.dedup();
    let places = sources.into_iter().filter_map(place);
    let places: Vec<usize> = places.map(usize::try_from).collect::<Result<_, _>>().ok()?;
    (places.len() <= MAX_READ).then_some(places)
}

/// Bits with those at some places in all their values.
fn turned_each_way(bits: &Bits, places: &[usize]) -> impl Iterator<Item = Bits> {
    (0..1_u64 << places.len()).map(move |set| {
        let chosen = places
            .iter()
            .enumerate()
            .filter(|(at, _)| set >> at & 1 == 1);
        chosen.fold(bits.clone(), |bits, (_, place)| bits.turned(*place))
    })
}

fn configurations<'a, N: Number>(state: &State<'a, N>, time: u64) -> Option<Vec<Bits>> {
    let view: View<'_, Bisection<'a, N>> = View::new(state, Seat::Prover).under()?;
    let run: &dyn Run = &**view.run();
    if run.asks() {
        return None;
    }
    let is_first_reply = view.given().is_none();
    let (from, ..) = view.times();
    let follows = run.follow(view.first(), time - from);
    let steps_to_itself = |bits: &Bits| run.after(bits).as_ref() == Some(bits);
    let claimed = if is_first_reply {
        run.accepting(&run.at(time)?)
    } else {
        view.last().clone()
    };
    // Of a last configuration that goes on, others may lead to it.
    if !run.accepts(&claimed) || !steps_to_itself(&claimed) {
        return follows
            .filter(|_| !is_first_reply && is_good(&view))
            .map(|next| vec![next]);
    }
    // What does not follow from bits that are no configuration is lost in any case.
    Some(follows.into_iter().chain([claimed]).collect())
}

/// Whether the last configuration follows from the first.
fn is_good<N: Number>(view: &View<'_, Bisection<'_, N>>) -> bool {
    let (from, _, to) = view.times();
    view.run().follow(view.first(), to - from).as_ref() == Some(view.last())
}
