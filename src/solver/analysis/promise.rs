//! Completeness of prover-estimator debate (PE Lemma A.5): checks each hypothesis of the lemma for a scenario, and
//! computes the bound that follows if all hold.
//!
//! The commands `check`, `solve --judge-errors` and `equilibrium`, and the lobby all use this result, so that they
//! agree.

use num_traits::Zero as _;
use serde::Serialize;

use crate::setup::LoadedScenario;
use debate_core::number::{Exact, Number as _, parse};
use debate_core::player::PlayerSpec;
use debate_core::protocol::Seat;
use debate_core::protocol::prover_estimator::{CarriedEstimateKind, ProverEstimatorParameters};
use debate_core::scenario::stability::{StabilitySurvey, completeness_bound, survey};

/// The hypothesis of stability (PE Definition 5.3).
pub const STABLE: &str = "the decomposition is (ε, ρ)-stable";
/// The first hypothesis of provability (PE Definition 5.2): honest Alice always has a sound support to choose.
pub const SUPPORTED: &str =
    "every claim that Alice may reach has a support that implies it (PE Definition 5.2)";
/// The second hypothesis of provability (PE Definition 5.2): honest Alice knows the answer to every claim.
pub const DECIDED: &str = "every claim that Alice may reach can be decided (PE Definition 5.2)";
/// The hypothesis on the probability f that the judge errs, by this project's reading of the lemma's proof. If f ≤ ρε,
/// honest Alice gains at least ε − f ≥ ε(1 − ρ) at the leaf.
pub const JUDGE_NEARLY_RIGHT: &str =
    "the judge, given the true proof bits, errs on each leaf with probability at most ρε";
/// The papers' hypothesis on the judge: the oracle never errs.
pub const JUDGE_RIGHT: &str = "the judge, given the true proof bits, is right about every leaf";
/// The hypothesis that the next round uses the conditional estimates, given the earlier coins (Errata 2).
pub const CONDITIONAL: &str = "the estimate given the earlier coins is carried on, as printed (`carry: Conditional`; \
                               Errata 2)";

/// A hypothesis of a theorem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "Hypothesis")]
pub struct TheoremHypothesis {
    /// The hypothesis in words, as a sentence without a full stop.
    pub what: &'static str,
    /// True if the hypothesis holds; null if that is unknown.
    pub holds: Option<bool>,
}

impl TheoremHypothesis {
    pub(crate) fn new(statement: &'static str, holds: Option<bool>) -> Self {
        Self {
            what: statement,
            holds,
        }
    }
}

/// The hypotheses of PE Lemma A.5 for a scenario, and the bound that the lemma states.
#[derive(Clone, Debug)]
pub struct CompletenessLemma {
    /// The survey of the claims.
    pub survey: StabilitySurvey,
    /// All hypotheses of the lemma.
    pub hypotheses: Vec<TheoremHypothesis>,
    /// The greatest probability with which the judge errs on any examined leaf; `None` if it is unknown.
    pub judge_error: Option<Exact>,
    /// True if the rules carry conditional estimates, given the earlier coins, into the next round.
    pub is_conditional: bool,
    /// (1 − ε)·r^(d+1).
    bound: Exact,
}

impl CompletenessLemma {
    /// Decides the hypotheses of PE Lemma A.5 by examining up to `claims` claims. `judge` is the player who answers
    /// oracle queries.
    pub fn for_scenario(
        setup: &LoadedScenario,
        parameters: &ProverEstimatorParameters,
        judge: &PlayerSpec,
        claims: usize,
    ) -> Self {
        let (epsilon, rho) = (&parameters.epsilon.0, &parameters.rho.0);
        let decomposition = &setup.decomposition;
        let survey = survey(decomposition, &setup.oracle, (epsilon, rho), claims);
        let judge_error = judge_error(survey.oracle_error.as_ref(), judge)
            .filter(|error| survey.complete || *error > survey.allowed);
        let is_conditional = parameters.carry == CarriedEstimateKind::Conditional;
        let complete = survey.complete.then_some(true);
        let fails = |found: bool| if found { Some(false) } else { complete };
        let nearly_right = judge_error.as_ref().map(|error| *error <= survey.allowed);
        let hypotheses = vec![
            TheoremHypothesis::new(STABLE, survey.is_stable()),
            TheoremHypothesis::new(SUPPORTED, fails(survey.unsupported.is_some())),
            TheoremHypothesis::new(DECIDED, fails(survey.undecided)),
            TheoremHypothesis::new(JUDGE_NEARLY_RIGHT, nearly_right),
            TheoremHypothesis::new(CONDITIONAL, Some(is_conditional)),
        ];
        // The bound is that of the deepest instance, where it is smallest. An incomplete survey promises nothing.
        let worlds = match setup.requested_world {
            _ if !survey.complete => 0..0,
            Some(world) => world..world + 1,
            None => 0..decomposition.worlds().len(),
        };
        let depth = worlds.map(|world| decomposition.size(world).depth).max();
        Self {
            bound: completeness_bound(
                epsilon,
                &parameters.weight_ratio_to_next_round(),
                depth.unwrap_or(0),
            ),
            survey,
            hypotheses,
            judge_error,
            is_conditional,
        }
    }

    /// True if every hypothesis holds.
    pub fn all_hypotheses_hold(&self) -> bool {
        self.hypotheses.iter().all(|one| one.holds == Some(true))
    }

    /// Returns the guaranteed expected payoff of honest Alice, (1 − ε)·r^(d+1); `None` unless every hypothesis holds.
    pub fn honest_payoff_bound(&self) -> Option<&Exact> {
        self.all_hypotheses_hold().then_some(&self.bound)
    }

    /// Returns ρε, the greatest probability of an error on a leaf that PE Lemma A.5 allows the judge. `None` unless
    /// every hypothesis of the lemma holds.
    pub fn judge_error_allowed_by_lemma(&self) -> Option<&Exact> {
        self.all_hypotheses_hold().then_some(&self.survey.allowed)
    }

    /// Returns the greatest rate at which a judge may invert the oracle's answers. At this rate, the judge's total
    /// error on a leaf is at most ρε. `None` unless every hypothesis holds.
    pub fn allowed_judge_flip_rate(&self) -> Option<Exact> {
        let allowed = self.judge_error_allowed_by_lemma()?;
        let oracle = self.survey.oracle_error.as_ref()?;
        // Both together err with probability f + (1 − 2f)e, and e is at most ρε, below 1/2.
        let two = Exact::ratio(2, 1);
        Some((allowed - oracle) / (Exact::ratio(1, 1) - two * oracle))
    }
}

/// Returns the judge that a scenario names, or the player `oracle` if it names none.
pub fn scenario_judge(setup: &LoadedScenario) -> PlayerSpec {
    let named = setup.players.text_of_seat(Seat::Judge);
    // The name of a human judge is not a strategy. It is kept as it is, and its errors count as unknown.
    named.map_or_else(
        || PlayerSpec::without_arguments("oracle"),
        |name| PlayerSpec::parse(name).unwrap_or_else(|_| PlayerSpec::without_arguments(name)),
    )
}

/// Returns the greatest probability with which a judge errs on a leaf; `None` if it is unknown. `oracle` is the
/// oracle's own greatest error probability.
fn judge_error(oracle: Option<&Exact>, judge: &PlayerSpec) -> Option<Exact> {
    let oracle = oracle?;
    match (judge.name.as_str(), judge.arguments.as_slice()) {
        ("oracle", []) => Some(oracle.clone()),
        ("noisy", [flip]) => {
            let flip = parse(flip).ok()?;
            let rest = Exact::ratio(1, 1) - Exact::ratio(2, 1) * &flip;
            // If the oracle errs with probability above 1/2, more flips mean fewer errors.
            (rest >= Exact::zero()).then(|| flip + rest * oracle)
        }
        _ => None,
    }
}
