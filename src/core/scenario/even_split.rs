//! Trees in which a claim about several things is split evenly, down to claims about one.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use super::decomposition::{Level, Size};
use super::key::{ClaimKey, Key};

/// The spans from `low` to `high` in at most `width` parts, the larger first.
pub(super) fn spans(low: &BigUint, high: &BigUint, width: u32) -> Vec<ClaimKey> {
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

/// The sizes of a tree over so many things.
pub(super) fn size(count: &BigUint, width: u32, splits_one: bool) -> Size {
    let levels = levels(count, width, splits_one);
    let depth = u32::try_from(levels.len() - 1).unwrap_or(u32::MAX);
    let parts = count.to_u32().map_or(width, |count| count.min(width));
    Size {
        depth,
        width: if depth == 0 { 0 } else { parts },
        claims: levels.iter().map(|level| &level.claims).sum(),
        leaves: count.clone(),
    }
}

/// The levels of a tree over so many things. `splits_one`: its root is split even where it is about
/// one thing alone.
pub(super) fn levels(count: &BigUint, width: u32, splits_one: bool) -> Vec<Level> {
    let mut spans = BTreeMap::from([(count.clone(), BigUint::one())]);
    let mut levels = Vec::new();
    while !spans.is_empty() {
        let mut next: BTreeMap<BigUint, BigUint> = BTreeMap::new();
        let mut level = Level::default();
        let splits = splits_one && levels.is_empty();
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
