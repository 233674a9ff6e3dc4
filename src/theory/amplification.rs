//! Amplification (DE §4.1): a debate is repeated, and the majority of the results is the answer.
//!
//! Each debate is a new game with new coins. If an honest player wins each one with probability at least `p`, whatever
//! happened in the others, then it wins at least as often as in independent debates with probability `p`.

use serde::Serialize;

use debate_core::chance::binomial_distribution;
use debate_core::number::{Exact, Number};

/// The largest number of repeated debates for which a majority is computed.
pub const MAX_REPETITIONS: u32 = 999;

/// The denominators n of the error rates 1/n for which `check` lists a number of debates.
const ERRORS: [i64; 5] = [3, 10, 100, 1_000, 1_000_000];

/// The probability that a player wins the majority of repeated debates.
#[derive(Clone, Debug)]
pub struct MajorityWinProbability<N> {
    /// The number of repeated debates, which is odd.
    pub debates: u32,
    pub wins: N,
}

impl<N: Number> MajorityWinProbability<N> {
    /// Computes the probability of winning more than half of `debates` independent debates, each of which is won with
    /// probability `win_probability`.
    pub fn majority_win_probability_of_debates(debates: u32, win_probability: &N) -> Self {
        let by_wins = binomial_distribution(debates, win_probability);
        let more_than_half = by_wins.into_iter().skip(debates as usize / 2 + 1);
        Self {
            debates,
            wins: more_than_half.fold(N::zero(), |sum, share| sum + share),
        }
    }
}

/// The number of repeated debates that is enough for a given error rate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "RepetitionReport"))]
pub struct NeededRepetitionsReport {
    /// The allowed error rate of the majority, as a fraction.
    pub error: String,
    /// The least odd number of debates whose majority errs with at most the allowed rate.
    pub debates: u32,
}

/// Returns the required numbers of repeated debates for several error rates. The honest player wins each debate with
/// probability at least `win_probability`. Error rates that need more than [`MAX_REPETITIONS`] debates are left out.
pub fn repetition_reports(win_probability: &Exact) -> Vec<NeededRepetitionsReport> {
    let needed = |denominator: i64| {
        let error = Exact::ratio(1, denominator);
        let debates = debates_needed(win_probability, &error)?;
        Some(NeededRepetitionsReport {
            error: error.to_string(),
            debates,
        })
    };
    ERRORS.into_iter().filter_map(needed).collect()
}

/// Returns the least odd number of debates whose majority errs with probability at most `error`. Each debate is right
/// with probability `right_probability`. `None` if more than [`MAX_REPETITIONS`] are needed.
pub fn debates_needed(right_probability: &Exact, error: &Exact) -> Option<u32> {
    let one = Exact::ratio(1, 1);
    let product = right_probability * (&one - right_probability);
    let mut right = right_probability.clone();
    // Two more debates add (2p − 1)·C(2m − 1, m)·(pq)^m to the probability that 2m − 1 debates have.
    let mut added = (right_probability + right_probability - &one) * &product;
    for half in 1.. {
        let debates = 2 * half - 1;
        if debates > MAX_REPETITIONS {
            break;
        }
        if &one - &right <= *error {
            return Some(debates);
        }
        right += &added;
        added *= &product * Exact::ratio((4 * half + 2).into(), (half + 1).into());
    }
    None
}
