//! The hypotheses of PE Theorem 6.2, each held against a game.

use std::collections::HashSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::GameOfAll;
use crate::setup::Setup;
use debate_core::number::{Exact, Number as _, power};
use debate_core::protocol::Protocol;
use debate_core::protocol::prover_estimator::Parameters;
use debate_core::scenario::stability::{MAX_CLAIMS, Survey, leaf_that_reads, survey, unsound};
use debate_core::scenario::{Decomposition, Oracle};

/// Errata 7: a hypothesis of soundness that is easily missed.
pub const CLAIMS_FOLLOW: &str =
    "a claim follows from whatever subclaims Alice chooses (PE Definition 5.1; Errata 7)";
/// Errata 6: what equation (10) needs.
pub const NO_PROOF_BITS: &str = "no leaf reads the prover's bits, or the claim fixes the machine (PE \
                                 equation 10; Errata 6)";

/// A hypothesis of a theorem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hypothesis {
    /// What is supposed, in a sentence without a full stop.
    pub what: &'static str,
    /// Whether it is so; null where nobody can tell.
    pub holds: Option<bool>,
}

/// What it takes of a decomposition for lies to earn less, which the papers' words let slip.
pub fn soundness_hypotheses(
    decomposition: &Arc<dyn Decomposition>,
    oracle: &Oracle,
) -> Vec<Hypothesis> {
    let follows = unsound(decomposition, oracle, 1, MAX_CLAIMS).is_empty();
    let reads = leaf_that_reads(decomposition, oracle, MAX_CLAIMS).is_some();
    vec![
        Hypothesis {
            what: CLAIMS_FOLLOW,
            holds: Some(follows),
        },
        Hypothesis {
            what: NO_PROOF_BITS,
            holds: Some(!reads),
        },
    ]
}

/// The hypotheses of PE Theorem 6.2 that are of the scenario and its rules; none under other rules.
pub fn scenario_hypotheses(setup: &Setup, protocol: &Protocol) -> Vec<Hypothesis> {
    let Protocol::ProverEstimator(parameters) = protocol else {
        return Vec::new();
    };
    let surveyed = Surveyed::of(setup, parameters);
    let mut list = vec![
        Hypothesis {
            what: "the decomposition is (ε, ρ)-stable",
            holds: surveyed.known(&surveyed.survey.stable),
        },
        Hypothesis {
            what: "ρ is 1/2",
            holds: Some(parameters.rho.0 == Exact::ratio(1, 2)),
        },
    ];
    list.extend(soundness_hypotheses(&setup.decomposition, &setup.oracle));
    list
}

/// A decomposition as it was looked at, and the share of μ on which the theorem wants it stable and
/// provable.
struct Surveyed {
    survey: Survey,
    share: Exact,
    /// 1/n of the theorem.
    prize: Exact,
}

impl Surveyed {
    fn of(setup: &Setup, parameters: &Parameters) -> Self {
        let at = (&parameters.epsilon.0, &parameters.rho.0);
        let survey = survey(&setup.decomposition, &setup.oracle, at, MAX_CLAIMS);
        let depth = setup.decomposition.size(0).depth;
        let prize = power(&parameters.ratio(), depth + 1);
        let share = Exact::ratio(1, 1) - at.0 * &prize / Exact::ratio(4, 1);
        Self {
            survey,
            share,
            prize,
        }
    }

    fn known(&self, share: &Exact) -> Option<bool> {
        let complete = self.survey.complete && !self.survey.undecided;
        let enough = *share >= self.share;
        (complete || !enough).then_some(enough)
    }
}

/// The hypotheses of PE Theorem 6.2; none under other rules. `alpha`: by how much less than the value a
/// prover keeps at least.
pub fn hypotheses(setup: &Setup, game: &GameOfAll<'_>, alpha: &Exact) -> Vec<Hypothesis> {
    let Protocol::ProverEstimator(parameters) = game.protocol else {
        return Vec::new();
    };
    let surveyed = Surveyed::of(setup, parameters);
    let [prover, opponent] = game.blocks;
    let [of_prover, of_opponent] = [prover, opponent].map(count);
    let informed = of_prover == game.instances.len();
    let all = (prover.iter().zip(opponent)).collect::<HashSet<_>>();
    let hypothesis = |what, holds| Hypothesis { what, holds };
    let least = &parameters.epsilon.0 * &surveyed.prize / Exact::ratio(2, 1);
    let reads = leaf_that_reads(&setup.decomposition, &setup.oracle, MAX_CLAIMS).is_some();
    let mut list = scenario_hypotheses(setup, game.protocol);
    list.extend([
        hypothesis(
            "Alice can decide every claim that she is asked about",
            surveyed
                .known(&surveyed.survey.provable)
                .map(|provable| provable && informed),
        ),
        hypothesis(
            "Bob may ask whoever finds what Alice knows",
            // His blocks are parts of hers; bits that she writes he cannot ask for.
            Some(all.len() == of_opponent && !reads),
        ),
        hypothesis("Bob may say any probability", Some(false)),
        hypothesis("α is below ε·r^(d+1)/2", Some(*alpha < least)),
    ]);
    list
}

/// The number of blocks.
fn count(blocks: &[usize]) -> usize {
    blocks.iter().collect::<HashSet<_>>().len()
}
