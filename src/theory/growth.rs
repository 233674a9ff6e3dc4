//! The parameters of PE Theorems 6.1 and 8.3 as functions of the depth d, and the reward gap between truth and lies (PE
//! §7).
//!
//! With ρ = 1/2, the reward ratio is r = ε/8, and n = r^−(d+1). A verifier of time n^c gives gates of w = (8/ε)^c
//! inputs. Each input becomes a majority of κ independent pieces of evidence, each of which errs with probability
//! ε/(4n), the most that PE Definition 8.1 allows. All numbers are in floating point.

use serde::Serialize;

use crate::least_queries::{MAX_LEAVES, MostLeafQueriesReport, gates_needing_most_queries};

/// Maximum depth of a row.
pub const MAX_DEPTH: u32 = 12;
/// Maximum exponent c in the running time n^c of the verifier.
pub const MAX_EXPONENT: u32 = 8;
/// Maximum number κ of pieces of evidence that the search tries.
const MAX_PIECES: u32 = 20_001;

/// The parameters for each depth.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "GrowthReport")]
pub struct TheoremParametersByDepthReport {
    pub epsilon: f64,
    /// The exponent c: the verifier runs in time n^c.
    pub exponent: u32,
    /// The number of inputs of each gate: w = (8/ε)^c, rounded up.
    pub inputs: f64,
    /// The least odd number κ of pieces of evidence for which gates of w inputs are (ε, 1/2)-stable.
    pub copies_stable: Option<u32>,
    pub rows: Vec<ParameterGrowthRow>,
    /// The least depth in the table at which prover-estimator debate has a greater reward gap than plain recursion.
    pub first_better_depth: Option<u32>,
    /// The number of queries that Bob needs for the hardest gates over a few leaves (an open question of PE §9).
    pub least_queries: Vec<MostLeafQueriesReport>,
}

/// The parameters for one depth.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "GrowthRow")]
pub struct ParameterGrowthRow {
    pub depth: u32,
    /// The reciprocal of the reward for a true answer: n = (8/ε)^(d+1).
    pub n: f64,
    /// The least odd number κ of pieces of evidence with which a true intended claim makes the debated claim true with
    /// probability above 1 − ε/(4n).
    pub copies_membership: Option<u32>,
    /// The probability that the debated claim (about the evidence) is false although the intended claim is true. Each
    /// subclaim has `copies_membership` pieces of evidence.
    pub false_if_true: Option<f64>,
    /// The greatest probability that the debated claim (about the evidence) is true although the intended claim is
    /// false. Each subclaim has `copies_membership` pieces of evidence. One input of each gate on a path is false, and
    /// all other inputs are true.
    pub true_if_false: Option<f64>,
    /// The limit ε/(4n): `false_if_true` must be below it, and `true_if_false` at most 1 minus it.
    pub allowed: f64,
    /// The greater of `copies_stable` and `copies_membership`: the number κ of pieces of evidence for each subclaim.
    pub copies: Option<u32>,
    /// The number of subclaims of a support with `copies` pieces of evidence: q = wκ.
    pub width: Option<f64>,
    /// The number of pieces of evidence for each question to the judge: s = κ^d.
    pub pieces: Option<f64>,
    /// The reward gap of plain recursion: 1/w^d, the probability that a Bob who contests random subclaims finds the
    /// only flaw among w^d leaves.
    pub gap_recursion: f64,
    /// The reward gap of prover-estimator debate, (1 − 2ε)/n: the least payoff of honest Alice, (1 − ε)/n, minus the
    /// greatest payoff of a liar, ε/n (PE Theorem 6.2).
    pub gap_estimates: f64,
    /// The logarithm to base 10 of the size of Bob's circuit by PE Theorem 6.1, without its constant:
    /// q·2^(2q)·n·d²/η², where η = ε/n.
    pub circuit_log10: Option<f64>,
}

/// Returns the parameters for the depths from 1 to `depth`. `None` unless ε is above 0 and below 1/2, `exponent` is
/// from 1 to [`MAX_EXPONENT`], and `depth` is at most [`MAX_DEPTH`].
pub fn parameter_growth_by_depth(
    epsilon: f64,
    exponent: u32,
    depth: u32,
) -> Option<TheoremParametersByDepthReport> {
    let fits = epsilon > 0.0 && epsilon < 0.5;
    if !fits || exponent == 0 || exponent > MAX_EXPONENT || depth > MAX_DEPTH {
        return None;
    }
    let inputs = (8.0 / epsilon).powi(exponent.cast_signed()).ceil();
    let stable = |copies| any_error(inputs, majority_error(copies, epsilon)) <= epsilon / 2.0;
    let copies_stable = least_odd(stable);
    let rows: Vec<ParameterGrowthRow> = (1..=depth)
        .map(|depth| row(epsilon, inputs, copies_stable, depth))
        .collect();
    let better = rows
        .iter()
        .find(|row| row.gap_estimates > row.gap_recursion);
    Some(TheoremParametersByDepthReport {
        epsilon,
        exponent,
        inputs,
        copies_stable,
        first_better_depth: better.map(|row| row.depth),
        least_queries: (1..=MAX_LEAVES)
            .map(|leaves| gates_needing_most_queries(leaves, epsilon))
            .collect(),
        rows,
    })
}

fn row(epsilon: f64, inputs: f64, copies_stable: Option<u32>, depth: u32) -> ParameterGrowthRow {
    let n = (8.0 / epsilon).powi(depth.cast_signed() + 1);
    let piece = epsilon / (4.0 * n);
    let copies_membership =
        least_odd(|copies| wrong_circuit_probabilities(inputs, copies, depth, piece)[0] < piece);
    let copies = copies_stable.zip(copies_membership);
    let copies = copies.map(|(stable, membership)| stable.max(membership));
    let wrong =
        copies_membership.map(|copies| wrong_circuit_probabilities(inputs, copies, depth, piece));
    let width = copies.map(|copies| inputs * f64::from(copies));
    let eta = epsilon / n;
    let d = f64::from(depth);
    ParameterGrowthRow {
        depth,
        n,
        copies_membership,
        copies,
        width,
        pieces: copies.map(|copies| f64::from(copies).powf(d)),
        false_if_true: wrong.map(|[wrong, _]| wrong),
        true_if_false: wrong.map(|[_, wrong]| wrong),
        allowed: piece,
        gap_recursion: inputs.powf(-d),
        gap_estimates: (1.0 - 2.0 * epsilon) / n,
        circuit_log10: width
            .map(|q| q.log10() + 2.0 * (q * 2_f64.log10() + (d / eta).log10()) + n.log10()),
    }
}

/// Returns two probabilities that a transformed circuit of AND gates is wrong: if all inputs are true, and if one input
/// of each gate on a path is false. Each piece of evidence errs with probability `piece_error`.
pub fn wrong_circuit_probabilities(
    inputs: f64,
    copies: u32,
    depth: u32,
    piece_error: f64,
) -> [f64; 2] {
    let [mut if_true, mut if_false] = [piece_error; 2];
    for _ in 0..depth {
        let flipped = majority_error(copies, if_true);
        let others_right = ((inputs - 1.0) * (-flipped).ln_1p()).exp();
        if_false = majority_error(copies, if_false) * others_right;
        if_true = any_error(inputs, flipped);
    }
    [if_true, if_false]
}

/// Returns the probability that at least one of `inputs` independent inputs errs: 1 − (1 − p)^inputs. Each errs with
/// probability p.
fn any_error(inputs: f64, p: f64) -> f64 {
    -(inputs * (-p).ln_1p()).exp_m1()
}

/// Returns the probability that the majority of `copies` independent pieces of evidence errs. Each piece errs with
/// probability p.
pub fn majority_error(copies: u32, piece_error: f64) -> f64 {
    if piece_error <= 0.0 || piece_error >= 1.0 {
        return piece_error.clamp(0.0, 1.0);
    }
    let least = copies / 2 + 1;
    // The first term is the largest for piece_error below 1/2, so the sum starts there.
    let ways = (1..=least).map(|index| (f64::from(copies - least + index) / f64::from(index)).ln());
    let first = ways.sum::<f64>()
        + f64::from(least) * piece_error.ln()
        + f64::from(copies - least) * (-piece_error).ln_1p();
    let mut term = first.exp();
    let mut sum = 0.0;
    for wrong in least..=copies {
        sum += term;
        term *=
            f64::from(copies - wrong) / f64::from(wrong + 1) * piece_error / (1.0 - piece_error);
    }
    sum
}

/// Returns the least odd number of pieces of evidence for which `is_enough` is true. `None` if no number up to
/// `MAX_PIECES` is enough.
fn least_odd(is_enough: impl Fn(u32) -> bool) -> Option<u32> {
    (1..=MAX_PIECES)
        .step_by(2)
        .find(|copies| is_enough(*copies))
}
