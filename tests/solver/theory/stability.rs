mod evidence;

use std::sync::Arc;

use debate_core::budget::ComputationBudget;
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number as _, parse, power};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::Seat;
use debate_core::scenario::stability::{
    ConditionalSubclaimProbabilities, LargestGateShift, StabilitySurvey, completeness_bound,
    copies_for_supports, copies_required_by_proof, evidence_copies_by_printed_formulas,
    evidence_copy_counts, largest_shift, largest_shift_at_truths, majority_error, survey,
};
use debate_solver::analysis::{DebateSolutionInputs, default_probability_grid};
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use num_traits::Signed as _;
use proptest::prelude::*;

fn q(text: &str) -> Exact {
    parse(text).unwrap()
}

fn all(texts: &[&str]) -> Vec<Exact> {
    texts.iter().map(|text| q(text)).collect()
}

fn table(rows: &str) -> Gate {
    Gate::Table(rows.chars().map(|row| row == '1').collect())
}

/// By hand: an odd number of (1, 0, 1) flips with one error, 1 − 0.9³. Two of three at (9/10, 1/2, 3/4) decreases to
/// the value at (7/10, 3/10, 11/20).
#[test]
fn reaches_by_hand() {
    let tenth = q("1/10");
    let odd = largest_shift(
        &Gate::Xor,
        ConditionalSubclaimProbabilities::Each(&all(&["1", "0", "1"])),
        &tenth,
    )
    .unwrap();
    assert_eq!(
        (odd.base, odd.up, odd.down),
        (q("0"), q("271/1000"), q("0"))
    );
    assert!(!odd.attained);
    let each = all(&["9/10", "1/2", "3/4"]);
    let most = largest_shift(
        &Gate::Majority,
        ConditionalSubclaimProbabilities::Each(&each),
        &q("1/5"),
    )
    .unwrap();
    assert_eq!((most.up, most.down), (q("4/25"), q("37/125")));
    // A probability of 9/10 can reach 1, which is strictly inside (7/10, 11/10).
    let not = largest_shift(
        &Gate::Not,
        ConditionalSubclaimProbabilities::Each(&all(&["9/10"])),
        &q("1/5"),
    )
    .unwrap();
    assert_eq!(
        (not.up, not.down, not.attained),
        (q("1/5"), q("1/10"), false)
    );
    let any = largest_shift(
        &Gate::Not,
        ConditionalSubclaimProbabilities::Each(&all(&["4/5"])),
        &q("1/4"),
    )
    .unwrap();
    assert_eq!(
        (any.up, any.down, any.attained),
        (q("1/4"), q("1/5"), false)
    );
    let parity = largest_shift(
        &table("01101001"),
        ConditionalSubclaimProbabilities::Each(&all(&["1/3", "1/2", "2/3"])),
        &q("1/6"),
    )
    .unwrap();
    assert_eq!(
        (parity.up.clone(), parity.down.clone()),
        (q("2/9"), q("2/9"))
    );
}

/// A shift that only approaches ρε counts as below it.
#[test]
fn a_shift_that_only_approaches_the_bound_is_below_it() {
    let not = |epsilon: &str| {
        largest_shift(
            &Gate::Not,
            ConditionalSubclaimProbabilities::Each(&all(&["1"])),
            &q(epsilon),
        )
        .unwrap()
    };
    assert!(not("1/10").is_shift_below(&q("1/10")));
    assert!(!not("1/10").is_shift_below(&q("1/11")));
    // A probability of 1/10 can be moved to exactly 0: that moves the gate by 1/10, attained.
    let half = largest_shift(
        &Gate::All,
        ConditionalSubclaimProbabilities::Each(&all(&["1/10"])),
        &q("1/5"),
    )
    .unwrap();
    assert_eq!((half.up.clone(), half.down.clone()), (q("1/5"), q("1/10")));
    let sure = largest_shift(
        &Gate::Xor,
        ConditionalSubclaimProbabilities::Each(&all(&["1"])),
        &q("1/5"),
    )
    .unwrap();
    assert_eq!(
        (sure.up, sure.down, sure.attained),
        (q("0"), q("1/5"), false)
    );
    let inside = LargestGateShift {
        base: q("1/2"),
        up: q("1/5"),
        down: q("0"),
        attained: true,
    };
    assert!(!inside.is_shift_below(&q("1/5")) && inside.is_shift_below(&q("1/4")));
}

/// "Both agree" if the second copies the first: only the first one's probability and the copying itself can be moved.
#[test]
fn conditional_probabilities_are_shifted_separately() {
    let copies = |before: &[bool]| match before {
        [] => q("1/2"),
        [first, ..] => Exact::indicator(*first),
    };
    let agree = table("1001");
    let moved = largest_shift(
        &agree,
        ConditionalSubclaimProbabilities::After(2, &copies),
        &q("1/4"),
    )
    .unwrap();
    assert_eq!(
        (moved.base, moved.up, moved.down),
        (q("1"), q("0"), q("1/4"))
    );
    let odd = table("0110");
    let moved = largest_shift(
        &odd,
        ConditionalSubclaimProbabilities::After(2, &copies),
        &q("1/4"),
    )
    .unwrap();
    assert_eq!(
        (moved.base, moved.up, moved.down),
        (q("0"), q("1/4"), q("0"))
    );
    assert_eq!(
        largest_shift(
            &Gate::All,
            ConditionalSubclaimProbabilities::After(13, &copies),
            &q("1/4")
        ),
        None
    );
}

#[test]
fn closed_forms_at_the_truth() {
    let quarter = q("1/4");
    let truths =
        |ones: usize, width: usize| -> Vec<bool> { (0..width).map(|i| i < ones).collect() };
    // PE §8: five bases move the gate by 0.1035, three by 0.1562.
    let five = largest_shift_at_truths(&Gate::Majority, &truths(5, 5), &quarter).unwrap();
    assert_eq!(five, q("53/512"));
    let three = largest_shift_at_truths(&Gate::Majority, &truths(3, 3), &quarter).unwrap();
    assert_eq!(three, q("5/32"));
    // All of q true subclaims: 1 − (1 − ε)^q.
    let wide = largest_shift_at_truths(&Gate::All, &truths(64, 64), &quarter).unwrap();
    assert_eq!(wide, q("1") - power(&q("3/4"), 64));
    assert_eq!(largest_shift_at_truths(&Gate::All, &[], &quarter), None);
}

proptest! {
    #[test]
    fn closed_forms_are_backward_induction(
        gate in 0..6_usize,
        truths in proptest::collection::vec(any::<bool>(), 1..7),
        least in 1..7_u32,
        epsilon in 1..10_i64,
    ) {
        let width = u32::try_from(truths.len()).unwrap();
        let gate = [
            Gate::All,
            Gate::Any,
            Gate::Majority,
            Gate::AtLeast(least.min(width)),
            Gate::Xor,
            Gate::Not,
        ][gate].clone();
        prop_assume!(gate != Gate::Not || width == 1);
        let epsilon = Exact::ratio(epsilon, 20);
        let each: Vec<Exact> = truths.iter().copied().map(Exact::indicator).collect();
        let walked = largest_shift(&gate, ConditionalSubclaimProbabilities::Each(&each), &epsilon).unwrap();
        let closed = largest_shift_at_truths(&gate, &truths, &epsilon).unwrap();
        prop_assert_eq!(&closed, walked.supremum_of_shift());
        prop_assert!(!walked.attained);
        // The result by counting equals that of a walk.
        let same = |before: &[bool]| each[before.len()].clone();
        let plain = largest_shift(&gate, ConditionalSubclaimProbabilities::After(each.len(), &same), &epsilon).unwrap();
        prop_assert_eq!(plain, walked);
    }

    #[test]
    fn no_estimator_moves_a_gate_further(
        each in proptest::collection::vec(0..=20_i64, 1..5),
        moves in proptest::collection::vec(-99..=99_i64, 16),
        rows in proptest::collection::vec(any::<bool>(), 16),
        epsilon in 1..10_i64,
    ) {
        let rows: Vec<bool> = rows[..1 << each.len()].to_vec();
        prop_assume!(rows.iter().any(|row| *row != rows[0]));
        let gate = Gate::Table(rows.into());
        let epsilon = Exact::ratio(epsilon, 20);
        let each: Vec<Exact> = each.iter().map(|p| Exact::ratio(*p, 20)).collect();
        let found = largest_shift(&gate, ConditionalSubclaimProbabilities::Each(&each), &epsilon).unwrap();
        let off = |before: &[bool]| {
            let number = before.iter().fold(1, |number, bit| 2 * number + usize::from(*bit));
            let p = &each[before.len()] + Exact::ratio(moves[number], 100) * &epsilon;
            p.max(q("0")).min(q("1"))
        };
        let moved = largest_shift(&gate, ConditionalSubclaimProbabilities::After(each.len(), &off), &q("0")).unwrap();
        let difference = moved.base - &found.base;
        prop_assert!(difference <= found.up && -difference.clone() <= found.down);
        prop_assert!(difference.abs() <= *found.supremum_of_shift());
    }
}

#[test]
fn theorem_8_3_at_a_quarter() {
    let found = evidence_copy_counts(&q("1/4"), 1, 1).unwrap();
    assert_eq!(found.w, 32);
    let printed = (found.printed_first, found.printed_second);
    assert_eq!((printed, found.needed, found.least), ((517, 259), 173, 111));
    assert_eq!((found.q, found.s), (8288_u32.into(), 259_u32.into()));
    assert_eq!(evidence_copy_counts(&q("1/3"), 1, 1), None);
    assert_eq!(evidence_copy_counts(&q("0"), 1, 1), None);
    // The sum of errors at the least number of copies is small enough; at two fewer it is not.
    let sum = |count| majority_error(count, &q("3/8")) * q("32");
    assert!(sum(111) <= q("1/8") && sum(109) > q("1/8"));
}

/// For every ρ instead of 1/2, the number of copies from the proof of PE Theorem 8.3 makes w majorities err by at most
/// ρε. The least sufficient number is no larger.
#[test]
fn the_proofs_number_of_copies_is_enough_for_every_rho() {
    for (epsilon, rho) in [
        ("1/20", "9/10"),
        ("1/10", "1/1000"),
        ("1/10", "1/2"),
        ("1/4", "1/10"),
    ] {
        let (epsilon, rho) = (q(epsilon), q(rho));
        let allowed = &rho * &epsilon;
        for w in [1, 5] {
            let needed = copies_required_by_proof((&epsilon, &rho), &q("1/400"), w).unwrap();
            let error = majority_error(needed, &(&epsilon * q("3/2")));
            assert!(
                error * Exact::from_integer(w.into()) <= allowed,
                "{epsilon} {rho} {w}"
            );
            let width = usize::try_from(w).unwrap();
            for gate in [Gate::All, Gate::Any] {
                let support = [(gate, vec![true; width])];
                let least = copies_for_supports(&support, &epsilon, &allowed).unwrap();
                assert!(least <= needed, "{epsilon} {rho} {w}: {least} {needed}");
            }
        }
    }
    assert_eq!(
        copies_required_by_proof((&q("1/10"), &q("1/1000")), &q("1/6400"), 5),
        Some(33)
    );
}

/// The claim that both of two pages are right; one is wrong. A majority of κ pieces errs with P[Bin(κ, ¼) > κ/2], which
/// is 5/32 at three and 53/512 at five. The limit is 1/8.
#[test]
fn the_least_evidence_is_found_by_trying() {
    let (quarter, eighth) = (q("1/4"), q("1/8"));
    let one_wrong = (Gate::All, vec![true, false]);
    let found = copies_for_supports(std::slice::from_ref(&one_wrong), &quarter, &eighth);
    assert_eq!(found, Some(5));
    let both_right = (Gate::All, vec![true, true]);
    let found =
        copies_for_supports(&[one_wrong.clone(), both_right.clone()], &quarter, &eighth).unwrap();
    let moved = |copies| {
        largest_shift_at_truths(&Gate::All, &both_right.1, &majority_error(copies, &quarter))
            .unwrap()
    };
    assert!(moved(found) <= eighth && moved(found - 2) > eighth);
    assert_eq!(
        copies_for_supports(&[one_wrong], &q("499/1000"), &q("1/100000")),
        None
    );
    assert_eq!(
        copies_required_by_proof((&quarter, &q("1/2")), &q("1/1024"), 32),
        Some(173)
    );
    // From 1/3 on by ε + ε/(4n): ln(2w/ε) = ln 25 and 4e(1 − e), e = 0.4 + 0.1/400.
    let needed = copies_required_by_proof((&q("2/5"), &q("1/2")), &q("1/400"), 5).unwrap();
    let error: f64 = 0.4 + 0.1 / 400.0;
    let bound = -2.0 * 25.0_f64.ln() / (4.0 * error * (1.0 - error)).ln();
    let needed = f64::from(u32::try_from(needed).unwrap());
    assert!(bound <= needed && needed < bound + 2.0, "{needed} {bound}");
    assert_eq!(
        copies_required_by_proof((&q("1/2"), &q("1/2")), &q("1/400"), 5),
        None
    );
    assert_eq!(evidence_copies_by_printed_formulas(&q("1/3"), 5), None);
}

fn surveyed(name: &str) -> StabilitySurvey {
    let setup = LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
    let (epsilon, rho) = (q("1/4"), q("1/2"));
    survey(
        &setup.decomposition,
        &setup.oracle,
        (&epsilon, &rho),
        1 << 16,
    )
}

#[test]
fn bundled_scenarios_are_surveyed() {
    let stable = surveyed("primes-stable");
    assert_eq!(stable.is_stable(), Some(true));
    assert_eq!((stable.provable, stable.stable), (q("1"), q("1")));
    assert_eq!(stable.worst.unwrap().deviation, q("53/512"));
    let primes = surveyed("primes");
    assert_eq!(primes.is_stable(), Some(false));
    let worst = primes.worst.unwrap();
    assert_eq!(worst.deviation, q("1") - power(&q("3/4"), 4));
    assert_eq!((worst.moved, worst.width), (4, 4));
}

/// One of two worlds is stable: three true leaves under a majority of five are not stable, five are.
#[test]
fn proportions_of_mu_count_only_stable_worlds() {
    let text = r#"Scenario(
        format: 1, title: "Most?",
        problem: Argument(root: "r", claims: {
            "r": Claim(text: "Most.", supports: [Support(gate: Majority, on: ["a", "b", "c", "d", "e"])]),
            "a": Claim(text: "A."), "b": Claim(text: "B."), "c": Claim(text: "C."),
            "d": Claim(text: "D."), "e": Claim(text: "E."),
        }, worlds: [
            World(weight: 3, truths: {"a": true, "b": true, "c": true, "d": true, "e": true}),
            World(weight: 1, truths: {"a": true, "b": true, "c": true, "d": false, "e": false}),
        ]),
        oracle: Noisy(0.1),
        protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
    )"#;
    let origin = debate_solver::setup::ScenarioTextSource::Text("test".to_owned());
    let setup = LoadedScenario::from_text(text, origin, &ScenarioLimits::default()).unwrap();
    let found = |claims| {
        let (epsilon, rho) = (q("1/4"), q("1/2"));
        survey(
            &Arc::clone(&setup.decomposition),
            &setup.oracle,
            (&epsilon, &rho),
            claims,
        )
    };
    let whole = found(1000);
    assert_eq!(
        (whole.stable.clone(), whole.provable.clone()),
        (q("3/4"), q("1"))
    );
    assert_eq!(whole.is_stable(), Some(false));
    assert_eq!(whole.oracle_error, Some(q("1/10")));
    let worst = whole.worst.unwrap();
    assert_eq!((worst.claim.as_str(), worst.moved), ("r", 3));
    assert_eq!(worst.deviation, q("37/64"));
    // Only the first world was examined when the budget ended, and it is stable, so the result is unknown.
    let part = found(6);
    assert_eq!((part.complete, part.is_stable()), (false, None));
}

/// A small random tree of claims under gates that tolerate errors, with random estimates.
fn random_scenario(dice: &mut impl FnMut(u64) -> u64, early_leaf: &str) -> String {
    fn claim(dice: &mut impl FnMut(u64) -> u64, depth: u64, out: &mut Vec<String>) -> usize {
        let number = out.len();
        out.push(String::new());
        let estimate = dice(21);
        out[number] = if depth == 0 {
            let truth = dice(8) > 0;
            format!(
                "\"c{number}\": Claim(text: \"{number}\", truth: {truth}, estimate: \"{estimate}/20\"),"
            )
        } else {
            let width = 3 + 2 * dice(2);
            let gate = match dice(4) {
                0 => "Any".to_owned(),
                1 => format!("AtLeast({})", 1 + dice(width)),
                _ => "Majority".to_owned(),
            };
            let on: Vec<String> = (0..width)
                .map(|_| {
                    let deeper = if dice(3) == 0 { depth - 1 } else { 0 };
                    format!("\"c{}\"", claim(dice, deeper, out))
                })
                .collect();
            format!(
                "\"c{number}\": Claim(text: \"{number}\", estimate: \"{estimate}/20\", supports: [Support(gate: {gate}, on: [{}])]),",
                on.join(", ")
            )
        };
        number
    }
    let mut claims = Vec::new();
    let depth = 1 + dice(2);
    claim(dice, depth, &mut claims);
    format!(
        r#"Scenario(format: 1, title: "Random", problem: Argument(root: "c0", claims: {{{}}}),
        protocol: ProverEstimator(epsilon: 0.1, rho: 0.5, early_leaf: {early_leaf}))"#,
        claims.join("\n")
    )
}

/// PE Lemma A.5, exactly. If a decomposition is found stable and provable, honest Alice expects at least (1 − ε)
/// r^(d+1). The opponents are every built-in estimator and the worst one of a grid with both sides of ε.
#[test]
fn the_lemma_holds_for_stable_provable_decompositions() {
    let mut state = 5_u64;
    let mut dice = |sides: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % sides
    };
    let (mut held, mut tried) = (0, 0);
    while held < 24 {
        tried += 1;
        assert!(tried < 2000, "only {held} of {tried} are stable");
        let text = random_scenario(&mut dice, ["Jump", "InPlace"][held % 2]);
        let origin = debate_solver::setup::ScenarioTextSource::Text("random".to_owned());
        let Ok(setup) = LoadedScenario::from_text(&text, origin, &ScenarioLimits::default()) else {
            panic!("{text}");
        };
        let (epsilon, rho) = (q("0.1"), q("0.5"));
        let found = survey(&setup.decomposition, &setup.oracle, (&epsilon, &rho), 1000);
        if found.is_stable() != Some(true) || found.provable != q("1") {
            continue;
        }
        held += 1;
        holds(
            &setup,
            (&epsilon, &default_probability_grid(&setup.protocol)),
        );
    }
}

/// Asserts the lemma against every built-in estimator and the worst estimator of a grid, for which it is tight.
fn holds(setup: &LoadedScenario, (epsilon, grid): (&Exact, &[Exact])) {
    let instance = setup.instance(0);
    let ratio = setup.protocol.weight_ratio_if_constant().unwrap();
    let bound = completeness_bound(epsilon, &ratio, instance.size().depth);
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    let opponents = registry
        .strategies_for_seat(Seat::Opponent, setup.protocol.kind())
        .flat_map(debate_core::player::StrategyEntry::example_specs_with_arguments)
        // Players that draw their replies multiply the positions.
        .filter(|name| name != "random" && !name.starts_with("asks"))
        // An estimator that reads every coin cannot be walked on a wide support.
        .filter(|name| {
            let walks = name == "even" || name == "reference";
            !walks || instance.size().width <= 12
        })
        .chain(["shifted(0.1)".to_owned(), "best-response".to_owned()]);
    for opponent in opponents {
        let players = ["honest", &opponent, "oracle"].map(|name| PlayerSpec::parse(name).unwrap());
        let case = DebateSolutionInputs {
            registry: &registry,
            protocol: &setup.protocol,
            players: &players,
            grid,
        };
        let value = case.solve(&instance, ComputationBudget::default()).unwrap();
        let value = value.expected.expected_payoff();
        let text = &setup.source;
        assert!(value >= bound, "{opponent}: {value} < {bound} on\n{text}");
        if opponent == "shifted(0.1)" {
            assert_eq!(value, bound, "the bound is tight");
        }
    }
}
