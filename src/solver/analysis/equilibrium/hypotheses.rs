//! The hypotheses of PE Theorem 6.2, each held against a game.

use std::collections::HashSet;

use super::GameOfAll;
use crate::analysis::stability::{MAX_CLAIMS, survey, unsound};
use crate::setup::Setup;
use debate_core::number::{Exact, Number as _, power};
use debate_core::protocol::Protocol;

/// A hypothesis of a theorem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    /// What is supposed, in a sentence without a full stop.
    pub what: &'static str,
    /// Whether it is so; `None` where nobody can tell.
    pub holds: Option<bool>,
}

/// The hypotheses of PE Theorem 6.2; none under other rules.
pub fn hypotheses(setup: &Setup, game: &GameOfAll<'_>) -> Vec<Hypothesis> {
    let Protocol::ProverEstimator(parameters) = game.protocol else {
        return Vec::new();
    };
    let (epsilon, rho) = (&parameters.epsilon.0, &parameters.rho.0);
    let (decomposition, oracle) = (&setup.decomposition, &setup.oracle);
    let found = survey(decomposition, oracle, (epsilon, rho), MAX_CLAIMS);
    let depth = decomposition.size(0).depth;
    // 1/n of the theorem.
    let prize = power(&parameters.ratio(), depth + 1);
    let share = Exact::ratio(1, 1) - epsilon * &prize / Exact::ratio(4, 1);
    let known = |share_found: &Exact| {
        let complete = found.complete && !found.undecided;
        let enough = *share_found >= share;
        (complete || !enough).then_some(enough)
    };
    let [prover, opponent] = game.blocks;
    let [of_prover, of_opponent] = [prover, opponent].map(count);
    let informed = of_prover == game.instances.len();
    let all = (prover.iter().zip(opponent)).collect::<HashSet<_>>();
    let hypothesis = |what, holds| Hypothesis { what, holds };
    vec![
        hypothesis("the decomposition is (ε, ρ)-stable", known(&found.stable)),
        hypothesis("ρ is 1/2", Some(*rho == Exact::ratio(1, 2))),
        hypothesis(
            "Alice can decide every claim that she is asked about",
            known(&found.provable).map(|provable| provable && informed),
        ),
        hypothesis(
            "a claim follows from whatever subclaims Alice chooses (PE equation 9)",
            Some(unsound(decomposition, oracle, 1, MAX_CLAIMS).is_empty()),
        ),
        hypothesis(
            "Bob may ask whoever finds what Alice knows",
            // His blocks are parts of hers.
            Some(all.len() == of_opponent),
        ),
        hypothesis("Bob may say any probability", Some(false)),
        hypothesis(
            "α is below ε·r^(d+1)/2",
            Some(*game.alpha < epsilon * prize / Exact::ratio(2, 1)),
        ),
    ]
}

/// The number of blocks.
fn count(blocks: &[usize]) -> usize {
    blocks.iter().collect::<HashSet<_>>().len()
}
