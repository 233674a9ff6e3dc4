//! The number of independent pieces of evidence that makes a decomposition stable (PE Theorem 8.3).

use num_bigint::BigUint;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use super::{at_least, from_truths};
use crate::gate::Gate;
use crate::number::{Exact, Number as _, power};

/// The sizes of PE Theorem 8.3 for ρ = 1/2.
///
/// Numbers of copies are odd, so that a majority has no ties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copies {
    /// The number of inputs a gate has: (8/ε)^c.
    pub w: u64,
    /// κ by the first of the two expressions that the proof gives, 3 ln(2w/ε) / D(½ ‖ 1 − 3ε/2).
    pub printed_first: u64,
    /// κ by the second, 3 ln(2w/ε) / ln(1/(6ε(1 − 3ε/2))): half of the first, since
    /// D(½ ‖ 1 − 3ε/2) is half of that logarithm.
    pub printed_second: u64,
    /// The number that the proof of stability needs: 2 ln(2w/ε) / ln(1/(6ε(1 − 3ε/2))).
    pub needed: u64,
    /// The width q = wκ at the second printed κ.
    pub q: BigUint,
    /// The evidence for each claim, s = κ^d at the second printed κ.
    pub s: BigUint,
    /// The least κ for which w majorities that err independently at 3ε/2 an input err in sum at
    /// most ε/2, which is what the proof's bound is for; found by trying.
    pub least: u64,
}

/// The most copies that are tried.
const MAX_COPIES: u64 = 20_001;

/// The sizes for ε and a claim that is checked in time n^c, at depth d, by the bound 3ε/2 that the proof
/// prints for the error of an input. `None` unless that is below ½, and where sizes are too large.
pub fn copies(epsilon: &Exact, c: u32, d: u32) -> Option<Copies> {
    if *epsilon <= Exact::zero() || c > 16 {
        return None;
    }
    let w = power(&(Exact::ratio(8, 1) / epsilon), c).ceil().to_u64()?;
    let error = error_printed(epsilon);
    let odd = |times: f64| chernoff(epsilon, &error, w, times);
    let (printed_first, printed_second, needed) = (odd(6.0)?, odd(3.0)?, odd(2.0)?);
    let allowed = epsilon / Exact::ratio(2, 1) / Exact::from_integer(w.into());
    Some(Copies {
        w,
        printed_first,
        printed_second,
        needed,
        q: BigUint::from(w) * printed_second,
        s: num_traits::pow(BigUint::from(printed_second), d as usize),
        least: least_odd(needed, |copies| majority_error(copies, &error) <= allowed)?,
    })
}

/// The number of copies that the proof of PE Theorem 8.3 needs for gates of `w` inputs, odd:
/// 2 ln(2w/ε) / ln(1/(6ε(1 − 3ε/2))). From ε = 1/3 on 3ε/2 bounds nothing, and the sharper ε + ε/(4n)
/// of (27) takes its place; `prize`: 1/n. `None` where that too is ½ or more.
pub fn copies_needed(epsilon: &Exact, prize: &Exact, w: u64) -> Option<u64> {
    let printed = error_printed(epsilon);
    let error = if printed < Exact::ratio(1, 2) {
        printed
    } else {
        epsilon + epsilon * prize / Exact::ratio(4, 1)
    };
    chernoff(epsilon, &error, w, 2.0)
}

/// The two numbers of copies that the proof of PE Theorem 8.3 prints for gates of `w` inputs, odd, the
/// greater first: 3 ln(2w/ε) / D(½ ‖ 1 − 3ε/2) and 3 ln(2w/ε) / ln(1/(6ε(1 − 3ε/2))). `None` unless
/// 0 < ε < 1/3.
pub fn copies_printed(epsilon: &Exact, w: u64) -> Option<[u64; 2]> {
    let error = error_printed(epsilon);
    Some([
        chernoff(epsilon, &error, w, 6.0)?,
        chernoff(epsilon, &error, w, 3.0)?,
    ])
}

/// What the proof takes for the error of an input.
fn error_printed(epsilon: &Exact) -> Exact {
    epsilon * Exact::ratio(3, 2)
}

/// The least odd number from so many times ln(2w/ε) / ln(1/(4e(1 − e))) on, e being an error below ½.
fn chernoff(epsilon: &Exact, error: &Exact, w: u64, times: f64) -> Option<u64> {
    if *error <= Exact::zero() || *error >= Exact::ratio(1, 2) {
        return None;
    }
    let wide = Exact::from_integer(w.into());
    let log = (Exact::ratio(2, 1) * wide / epsilon).to_float().ln();
    let four = Exact::ratio(4, 1) * error * (Exact::one() - error);
    let least = (times * log / -four.to_float().ln()).ceil().to_u64()?;
    Some(least | 1)
}

/// The least number of independent pieces of evidence, a majority of which stands for each
/// subclaim, at which every one of these supports is moved by at most ρε; found by trying. The
/// estimator may be off by ε on each piece, so each majority errs with the chance that more than
/// half of its pieces do. `None` where more than 2047 are needed.
pub fn copies_for_supports(
    supports: &[(Gate, Vec<bool>)],
    epsilon: &Exact,
    allowed: &Exact,
) -> Option<u64> {
    let fits = |copies: u64| {
        let error = majority_error(copies, epsilon);
        supports.iter().all(|(gate, truths)| {
            from_truths(gate, truths, &error).is_some_and(|moved| moved <= *allowed)
        })
    };
    let mut high = 1;
    while !fits(high) {
        high = 2 * high + 1;
        if high > MAX_TRIED {
            return None;
        }
    }
    least_odd(high, fits)
}

/// The most pieces of evidence that are tried.
const MAX_TRIED: u64 = 2047;

/// P[a majority of so many inputs majority_error], each of which errs with this probability by itself.
pub fn majority_error(copies: u64, error: &Exact) -> Exact {
    let copies = u32::try_from(copies).unwrap_or(u32::MAX);
    at_least(copies / 2 + 1, copies, error)
}

/// The least odd number for which something holds that holds from some number on; it is known to
/// hold at `holds`. `None` where that is more than [`MAX_COPIES`].
fn least_odd(holds: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    if holds > MAX_COPIES {
        return None;
    }
    // Of the odd numbers 2k + 1.
    let (mut low, mut high) = (0, holds / 2);
    while low < high {
        let middle = u64::midpoint(low, high);
        if fits(2 * middle + 1) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(2 * low + 1)
}
