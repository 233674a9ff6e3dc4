//! The promises of stability (PE Definition 5.3) and provability (PE Definition 5.2).
//!
//! [`debate_core::scenario::stability`] finds whether a decomposition has them.

#[cfg(test)]
mod tests;

use debate_core::number::{Exact, Number as _, power};
pub use debate_core::scenario::stability::{
    Copies, MAX_CLAIMS, ProbabilityShift, SubclaimProbabilities, Survey, Unsound, WorstSupport,
    copies, copies_for_supports, copies_needed, copies_printed, from_truths, leaf_that_reads,
    majority_error, reach, survey, unsound,
};

/// The least that honest Alice expects on a stable decomposition that she can prove:
/// (1 − ε) · r^(d+1) (PE Lemma A.5).
pub fn completeness(epsilon: &Exact, ratio: &Exact, depth: u32) -> Exact {
    (Exact::ratio(1, 1) - epsilon) * power(ratio, depth + 1)
}

/// The addend of PE Lemma A.4 to r^(d+1) · P[A = L] at the δ of PE Theorem 6.2, ε r^(d+1)/(2d + 1),
/// with the constant that its proof needs: (2d + 2) δ.
pub fn soundness_offset(epsilon: &Exact, ratio: &Exact, depth: u32) -> Exact {
    let d = i64::from(depth);
    epsilon * power(ratio, depth + 1) * Exact::ratio(2 * d + 2, 2 * d + 1)
}
