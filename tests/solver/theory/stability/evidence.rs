//! Majorities of independent evidence.

use std::sync::Arc;

use debate_core::gate::Gate;
use debate_core::number::{Exact, Number as _, power};
use debate_core::protocol::Protocol;
use debate_core::scenario::stability::{
    ConditionalSubclaimProbabilities, MAX_CLAIMS, copies_for_supports, copies_required_by_proof,
    largest_shift, largest_shift_at_truths, majority_error, survey,
};
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use proptest::prelude::*;

use super::{all, holds, q, random_scenario};

proptest! {
    /// The closed form of a gate over majorities equals backward induction over single pieces, whether or not the
    /// pieces of each majority agree.
    #[test]
    fn majorities_are_moved_piece_by_piece(
        gate in 0..7_usize,
        truths in proptest::collection::vec(any::<bool>(), 1..4),
        rows in proptest::collection::vec(any::<bool>(), 8),
        apart in any::<bool>(),
        epsilon in 1..10_i64,
    ) {
        let width = truths.len();
        let least = u32::try_from(width.min(2)).unwrap();
        let rows: Vec<bool> = rows[..1 << width].to_vec();
        let gate = [
            Gate::All,
            Gate::Any,
            Gate::Majority,
            Gate::AtLeast(least),
            Gate::Xor,
            Gate::Not,
            Gate::Table(rows.into()),
        ][gate].clone();
        prop_assume!(gate.check_input_count(width).is_ok());
        let gate = gate.with_majority_at_each_input(3);
        let mut pieces: Vec<bool> = truths.iter().flat_map(|truth| [*truth; 3]).collect();
        pieces[0] ^= apart;
        let epsilon = Exact::ratio(epsilon, 20);
        let each: Vec<Exact> = pieces.iter().copied().map(Exact::indicator).collect();
        let same = |before: &[bool]| each[before.len()].clone();
        let plain = largest_shift(&gate, ConditionalSubclaimProbabilities::After(each.len(), &same), &epsilon).unwrap();
        let ways = largest_shift(&gate, ConditionalSubclaimProbabilities::Each(&each), &epsilon).unwrap();
        prop_assert_eq!(&plain, &ways);
        let closed = largest_shift_at_truths(&gate, &pieces, &epsilon).unwrap();
        prop_assert_eq!(&closed, plain.supremum_of_shift());
    }
}

/// An `All` over w true majorities: 1 − (1 − tail)^w.
#[test]
fn all_of_majorities_has_a_closed_form() {
    let tenth = q("1/10");
    let gate = Gate::All.with_majority_at_each_input(5);
    let moved = largest_shift_at_truths(&gate, &[true; 25], &tenth).unwrap();
    let tail = majority_error(5, &tenth);
    assert_eq!(tail, q("107/12500"));
    assert_eq!(moved, q("1") - power(&(q("1") - tail), 5));
    assert!(moved < q("1/20"));
}

/// Five subclaims become stable with five pieces of evidence each, and not with fewer; the pieces are counted by their
/// claim.
#[test]
fn evidence_makes_five_parts_stable() {
    let setup =
        LoadedScenario::load_bundled_scenario("five-parts-stable", &ScenarioLimits::default())
            .unwrap();
    let evidence = setup.decomposition.as_stable().unwrap();
    assert_eq!(evidence.evidence_copies_per_subclaim(), 5);
    let terms = (&q("1/10"), &q("1/2"));
    let survey = |of: &Arc<dyn debate_core::scenario::Decomposition>| {
        survey(of, &setup.oracle, terms, MAX_CLAIMS)
    };
    let found = survey(&setup.decomposition);
    assert_eq!(found.is_stable(), Some(true));
    let worst = found.worst.unwrap();
    assert_eq!((worst.width, worst.moved), (25, 25));
    assert_eq!(
        worst.deviation,
        q("1") - power(&(q("1") - majority_error(5, &q("1/10"))), 5)
    );
    let plain = survey(evidence.original_decomposition());
    assert_eq!(plain.is_stable(), Some(false));
    assert_eq!(
        copies_for_supports(&plain.supports, terms.0, &plain.allowed),
        Some(5)
    );
    assert_eq!(
        copies_required_by_proof(terms, &Exact::ratio(1, 6400), 5),
        Some(15)
    );
    // Three do not suffice.
    let three = debate_core::scenario::StableProblem::build(
        evidence.original_decomposition().clone(),
        3,
        &debate_core::scenario::ScenarioValuePath::path_of_top_level_field("decomposition"),
    );
    let three: Arc<dyn debate_core::scenario::Decomposition> = Arc::new(three.unwrap());
    assert_eq!(survey(&three).is_stable(), Some(false));
}

/// PE Lemma A.5, exactly, on claims that evidence makes stable. The opponents are every built-in estimator and the
/// worst one of a grid with both sides of ε; depths one and two.
#[test]
fn the_lemma_holds_with_enough_evidence() {
    let claim = |id: &str, on: &str| {
        format!(
            "\"{id}\": Claim(text: \"{id}\", estimate: 0.9, supports: [Support(gate: All, on: [{on}])]),"
        )
    };
    let leaf = |id: &str| format!("\"{id}\": Claim(text: \"{id}\", truth: true, estimate: 0.8),");
    let claims = [claim("r", r#""a", "b""#), claim("a", r#""c", "d""#)];
    let leaves = ["b", "c", "d"].map(leaf);
    let two_levels = format!(
        r#"Scenario(format: 1, title: "Levels", problem: Argument(root: "r", claims: {{{}{}}}),
        decomposition: Stable(auto), protocol: ProverEstimator(epsilon: 0.1, rho: 0.6))"#,
        claims.concat(),
        leaves.concat()
    );
    let origin = || debate_solver::setup::ScenarioTextSource::Text("levels".to_owned());
    let two = LoadedScenario::from_text(&two_levels, origin(), &ScenarioLimits::default()).unwrap();
    let one =
        LoadedScenario::load_bundled_scenario("five-parts-stable", &ScenarioLimits::default())
            .unwrap();
    for setup in [one, two] {
        let Protocol::ProverEstimator(terms) = &setup.protocol else {
            panic!("other rules")
        };
        let (epsilon, rho) = (&terms.epsilon.0, &terms.rho.0);
        let found = survey(&setup.decomposition, &setup.oracle, (epsilon, rho), 1000);
        assert_eq!((found.is_stable(), found.provable), (Some(true), q("1")));
        let grid = all(&["0", "1/10", "101/1000", "1/2", "899/1000", "9/10", "1"]);
        holds(&setup, (epsilon, &grid));
    }
}

/// The report about all pieces together equals the reports about each single piece.
#[test]
fn grouped_and_single_pieces_of_evidence_agree() {
    let mut state = 11_u64;
    let mut dice = |sides: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    let (epsilon, rho) = (q("0.1"), q("0.5"));
    for _ in 0..20 {
        let text = random_scenario(&mut dice, "Jump")
            .replace("protocol:", "decomposition: Stable(3), protocol:");
        let origin = debate_solver::setup::ScenarioTextSource::Text("random".to_owned());
        let setup = LoadedScenario::from_text(&text, origin, &ScenarioLimits::default()).unwrap();
        assert!(setup.decomposition.as_stable().is_some(), "{text}");
        let together = survey(&setup.decomposition, &setup.oracle, (&epsilon, &rho), 1000);
        let instance = setup.instance(0);
        let mut worst = q("0");
        let mut open = vec![instance.root()];
        while let Some(claim) = open.pop() {
            for support in instance.supports(claim) {
                let truths: Vec<bool> = support
                    .on
                    .iter()
                    .map(|y| instance.truth(*y).unwrap())
                    .collect();
                worst =
                    worst.max(largest_shift_at_truths(&support.gate, &truths, &epsilon).unwrap());
                open.extend(&support.on);
            }
        }
        assert_eq!(
            together
                .worst
                .map_or_else(|| q("0"), |worst| worst.deviation),
            worst
        );
    }
}
