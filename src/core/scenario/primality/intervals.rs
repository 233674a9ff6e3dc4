//! Spans of candidates, split into parts.

use crate::scenario::key::Key;
use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use crate::scenario::decomposition::Level;
use crate::scenario::{ClaimKey, Size};

/// The span in at most `width` parts, larger parts first.
pub(super) fn split(low: &BigUint, high: &BigUint, width: u32) -> Vec<ClaimKey> {
    let size = high + 1_u32 - low;
    let parts = size.to_u32().map_or(width, |size| size.min(width));
    let (base, extra) = (&size / parts, (&size % parts).to_u32().unwrap_or(0));
    let mut from = low.clone();
    (0..parts)
        .map(|part| {
            let next = &from + &base + u32::from(part < extra);
            let span = (from.clone(), &next - 1_u32);
            from = next;
            ClaimKey(Key::Span(Box::new(span)))
        })
        .collect()
}

/// The sizes of the tree over `candidates` candidates. On each level there are at most two sizes
/// of span, so this takes as many steps as there are levels.
pub(super) fn interval_size(candidates: &BigUint, width: u32) -> Size {
    let levels = interval_levels(candidates, width, true);
    Size {
        depth: u32::try_from(levels.len() - 1).unwrap_or(u32::MAX),
        width: candidates.to_u32().map_or(width, |span| span.min(width)),
        claims: levels.iter().map(|level| &level.claims).sum(),
        leaves: candidates.clone(),
    }
}

/// The levels of that tree. The root splits even where there is a single candidate.
pub(super) fn interval_levels(candidates: &BigUint, width: u32, is_root: bool) -> Vec<Level> {
    let mut spans = BTreeMap::from([(candidates.clone(), BigUint::one())]);
    let mut levels = Vec::new();
    while !spans.is_empty() {
        let mut next: BTreeMap<BigUint, BigUint> = BTreeMap::new();
        let mut level = Level::default();
        let splits = is_root && levels.is_empty();
        for (span, count) in &spans {
            level.claims += count;
            if span.is_one() && !splits {
                level.leaves += count;
                continue;
            }
            let parts = span.to_u32().map_or(width, |span| span.min(width));
            let extra = span % parts;
            *next.entry(span / parts).or_default() += count * (BigUint::from(parts) - &extra);
            if !extra.is_zero() {
                *next.entry(span / parts + 1_u32).or_default() += count * extra;
            }
        }
        levels.push(level);
        spans = next;
    }
    levels
}
