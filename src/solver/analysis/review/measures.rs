//! Measures of a debate that need no search: the total gap of the estimates, and the correctness of the judge's
//! verdict.

use debate_core::gate::is_visible_gap;
use debate_core::number::{Exact, Number as _};
use debate_core::player::Move;
use debate_core::protocol::{
    Event, Log, ProtocolKind, Reply, Round, Rules as _, SpeechDebate, State,
};
use debate_core::scenario::Instance;
use num_traits::{One as _, Signed as _, Zero as _};

/// Returns the sum of the sizes of all gaps in a debate's estimates. Each is measured as a change of the probability of
/// the derived claim. `None` under rules without estimates, or if a move is illegal.
pub fn total_estimate_gap(start: &State<'_, Exact>, moves: &[Move<Exact>]) -> Option<Exact> {
    if start.kind() != ProtocolKind::ProverEstimator {
        return None;
    }
    let mut state = start.clone();
    let mut gap = Exact::zero();
    for made in moves {
        if let (Some(round), Reply::Probability(p)) = (state.consistency(), &made.reply) {
            gap += round.signed_gap_times_coin_probability(p).abs();
        }
        state.reply(made.reply.clone(), &mut ()).ok()?;
    }
    Some(gap)
}

/// Returns the largest sum of the sizes of the gaps in one round's estimates. `None` under rules without estimates, or
/// if a move is illegal.
pub fn largest_round_gap(start: &State<'_, Exact>, moves: &[Move<Exact>]) -> Option<Exact> {
    if start.kind() != ProtocolKind::ProverEstimator {
        return None;
    }
    let mut largest = Exact::zero();
    visit_round_gaps(start, moves, |_, gap| {
        if *gap > largest {
            largest.clone_from(gap);
        }
    })?;
    Some(largest)
}

/// True if the gaps of the estimates in some round are visible ([`is_visible_gap`]). `None` under rules without
/// estimates, or if a move is illegal.
pub fn has_visible_gap_in_a_round(start: &State<'_, Exact>, moves: &[Move<Exact>]) -> Option<bool> {
    Some(is_visible_gap(&largest_round_gap(start, moves)?))
}

/// Plays these moves. After each estimate, calls `visit` with the round, and with the sum of the sizes of the gaps in
/// the round's estimates so far. Returns the state after the moves; `None` if a move is illegal.
fn visit_round_gaps<'a>(
    start: &State<'a, Exact>,
    moves: &[Move<Exact>],
    mut visit: impl FnMut(Option<Round>, &Exact),
) -> Option<State<'a, Exact>> {
    let mut state = start.clone();
    let mut current = (None, Exact::zero());
    for made in moves {
        if let (Some(estimates), Reply::Probability(p)) = (state.consistency(), &made.reply) {
            let round = state.round();
            if current.0 != round {
                current = (round, Exact::zero());
            }
            current.1 += estimates.signed_gap_times_coin_probability(p).abs();
            visit(round, &current.1);
        }
        state.reply(made.reply.clone(), &mut ()).ok()?;
    }
    Some(state)
}

/// Returns the sum of the sizes of the gaps in the current round's estimates. `None` if a move is illegal.
pub(super) fn gap_of_current_round(
    start: &State<'_, Exact>,
    moves: &[Move<Exact>],
) -> Option<Exact> {
    let mut round_gap = (None, Exact::zero());
    let state = visit_round_gaps(start, moves, |round, gap| round_gap = (round, gap.clone()))?;
    let is_current = round_gap.0 == state.round();
    Some(Some(round_gap.1).filter(|_| is_current).unwrap_or_default())
}

/// The last verdict that the judge gave in a debate.
#[derive(Clone, Debug, PartialEq)]
pub struct LastJudgeVerdict {
    /// True if the verdict agrees with the truth; `None` if the truth is unknown, or if the judge favoured neither
    /// answer.
    pub is_right: Option<bool>,
    /// The probability that the judge gave to its own verdict; `None` if it gave none.
    pub certainty: Option<Exact>,
}

impl LastJudgeVerdict {
    /// Returns the last verdict of the judge in a debate; `None` if there is none.
    pub fn last_verdict(
        state: &State<'_, Exact>,
        log: &Log<Exact>,
        instance: &Instance,
    ) -> Option<Self> {
        let spoken: Result<&SpeechDebate<'_, Exact>, _> = state.try_into();
        let Ok(spoken) = spoken else {
            let verdicts = log.entries().iter().rev();
            let (claim, answer, confidence) = verdicts
                .map(|entry| &entry.event)
                .find_map(Event::judge_verdict)?;
            return Some(Self {
                is_right: instance.truth(claim).map(|truth| truth == answer),
                certainty: confidence.map(|p| if answer { p.clone() } else { Exact::one() - p }),
            });
        };
        let p = spoken.last_judge_probability()?.clone();
        let half = Exact::ratio(1, 2);
        let first_is_right = instance.truth(instance.root()).filter(|_| p != half);
        Some(Self {
            is_right: first_is_right.map(|first| first == (p > half)),
            certainty: Some(p.clone().max(Exact::one() - p)),
        })
    }
}
