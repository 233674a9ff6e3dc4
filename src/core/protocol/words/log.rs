//! Looking back in a log: what was stated, drawn or given last.

use super::{Ask, ClaimId, Event, Log};

/// True if the claim under discussion fell into parts that no support offers.
pub(super) fn parted<N>(log: &Log<N>) -> bool {
    let mut backwards = log.entries().iter().rev();
    backwards
        .find_map(|entry| match entry.event {
            Event::Parts { .. } => Some(true),
            Event::Supported { .. } => Some(false),
            _ => None,
        })
        .unwrap_or(false)
}

/// True if what an entry of the log selects is all that the claim had just fallen into.
pub(super) fn is_only_part<N>(log: &Log<N>, index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|at| log.entries().get(at));
    before.is_some_and(|entry| matches!(&entry.event, Event::Parts { on, .. } if on.len() == 1))
}

/// True if a transcript was given, and if so whether it is of the verifier's own computation.
pub(super) fn transcript<N>(log: &Log<N>) -> Option<bool> {
    let mut backwards = log.entries().iter().rev();
    backwards.find_map(|entry| match entry.event {
        Event::Gave {
            ask: Ask::Transcript { verifier },
            ..
        } => Some(verifier),
        _ => None,
    })
}

/// The probability that was stated last.
pub(super) fn said<N>(log: &Log<N>) -> Option<&N> {
    let mut backwards = log.entries().iter().rev();
    backwards.find_map(|entry| match &entry.event {
        Event::Estimated { p, .. } => Some(p),
        _ => None,
    })
}

/// The coins that have fallen since the last support was chosen, or since a claim fell into parts.
pub fn coins_of_round<N>(log: &Log<N>) -> Vec<(ClaimId, bool)> {
    let start = log
        .entries()
        .iter()
        .rposition(|entry| matches!(entry.event, Event::Supported { .. } | Event::Parts { .. }))
        .map_or_else(|| log.entries().len(), |place| place + 1);
    log.entries()
        .iter()
        .skip(start)
        .filter_map(|entry| match entry.event {
            Event::Tossed { claim, value, .. } => Some((claim, value)),
            _ => None,
        })
        .collect()
}

/// The probability that the current round began with.
pub fn last_p<N>(log: &Log<N>) -> Option<&N> {
    log.entries()
        .iter()
        .rev()
        .find_map(|entry| match &entry.event {
            Event::Entered { p, .. } => p.as_ref(),
            _ => None,
        })
}

/// The number of the first round, from which they are counted down; `None` before it has begun.
pub(super) fn first_round<N>(log: &Log<N>) -> Option<u32> {
    log.entries().iter().find_map(|entry| match entry.event {
        Event::Entered { round, .. } => Some(round),
        _ => None,
    })
}

/// The values of variables chosen so far, block by block from the outermost.
pub fn chosen_values<N>(log: &Log<N>) -> Vec<bool> {
    let entries = log.entries().iter();
    let chosen = entries.filter_map(|entry| match &entry.event {
        Event::Gave {
            ask: Ask::Block { .. },
            bits,
        } => Some(bits.as_slice()),
        _ => None,
    });
    chosen.flatten().copied().collect()
}
