use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _, power};
use debate_core::player::PlayerSpec;
use debate_core::protocol::Protocol;
use debate_solver::analysis::equilibrium::scenario_theorem_hypotheses;
use debate_solver::analysis::promise::{
    CONDITIONAL, CompletenessLemma, JUDGE_NEARLY_RIGHT, JUDGE_RIGHT, STABLE, SUPPORTED,
    scenario_judge,
};
use debate_solver::analysis::{DebateSolutionInputs, default_probability_grid};
use debate_solver::expectation::ReportNumberFormat;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use debate_theory::check::{ScenarioCheckReport, check};

fn setup(text: &str) -> LoadedScenario {
    let text = format!("Scenario(format: 1, title: \"Case\", {text})");
    LoadedScenario::from_text(
        &text,
        ScenarioTextSource::Text("a test".to_owned()),
        &ScenarioLimits::default(),
    )
    .unwrap()
}

/// A majority of five true leaves. `more` follows the problem, and `leaf` is added to each leaf.
fn five(leaf: &str, more: &str) -> LoadedScenario {
    let leaves: Vec<String> = (1..=5)
        .map(|number| format!("\"{number}\": Claim(text: \"Leaf {number}.\", truth: true{leaf})"))
        .collect();
    let root = "\"r\": Claim(text: \"Most hold.\", supports: [Support(gate: Majority, on: \
                [\"1\", \"2\", \"3\", \"4\", \"5\"])])";
    let leaves = leaves.join(", ");
    setup(&format!(
        "problem: Argument(root: \"r\", claims: {{{root}, {leaves}}}), {more}"
    ))
}

const RULES: &str = "protocol: ProverEstimator(epsilon: 0.25, rho: 0.5)";

fn report(setup: &LoadedScenario) -> ScenarioCheckReport {
    check(setup, &setup.protocol, ReportNumberFormat::Fraction).unwrap()
}

fn promise(setup: &LoadedScenario) -> CompletenessLemma {
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        panic!("{}", setup.protocol);
    };
    CompletenessLemma::for_scenario(setup, parameters, &scenario_judge(setup), 1 << 18)
}

/// Honest Alice's payoff against the worst Bob on the default grid, with the scenario's judge.
fn kept(setup: &LoadedScenario) -> Exact {
    let honest = ["honest", "best-response"].map(PlayerSpec::without_arguments);
    let [prover, opponent] = honest;
    let solver = DebateSolutionInputs {
        registry: &debate_solver::registry(),
        protocol: &setup.protocol,
        players: &[prover, opponent, scenario_judge(setup)],
        grid: &default_probability_grid(&setup.protocol),
    };
    solver
        .debate_value(&setup.instance(0), ComputationBudget::default())
        .unwrap()
}

/// Each case breaks one hypothesis of Lemma A.5. Honest Alice gets less than the bound of a similar case that satisfies
/// every hypothesis.
#[test]
fn a_guarantee_needs_every_hypothesis() {
    let sound = five("", RULES);
    let found = report(&sound);
    assert!(found.all_hypotheses_hold() && promise(&sound).hypotheses.len() == 5);
    let bound = promise(&sound).honest_payoff_bound().unwrap().clone();
    assert_eq!(bound, Exact::ratio(3, 4096));
    assert!(kept(&sound) >= bound);
    let cases = [
        // 2047 = 23 · 89 passes the test of base 2.
        (
            SUPPORTED,
            setup(&format!(
                "problem: Primality(number: 2047), decomposition: Witnesses(bases: [2]), {RULES}"
            )),
        ),
        // The claim does not follow from its only support, whose gate is stable.
        (
            SUPPORTED,
            setup(&format!(
                "problem: Argument(root: \"r\", claims: {{\"r\": Claim(text: \"R.\", truth: false, supports: \
                 [Support(gate: Majority, on: [\"1\", \"2\", \"3\", \"4\", \"5\"], sound: false)]), {}}}), {RULES}",
                (1..=5)
                    .map(|number| format!(
                        "\"{number}\": Claim(text: \"Leaf {number}.\", truth: true)"
                    ))
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
        ),
        (
            JUDGE_NEARLY_RIGHT,
            five("", &format!("oracle: Noisy(0.4), {RULES}")),
        ),
        (
            JUDGE_NEARLY_RIGHT,
            five(", judged_true: 0.5", &format!("oracle: PerLeaf, {RULES}")),
        ),
        (
            JUDGE_NEARLY_RIGHT,
            five(
                "",
                &format!(
                    "oracle: Table({{\"1\": 0.5, \"2\": 1, \"3\": 1, \"4\": 1, \"5\": 1}}), {RULES}"
                ),
            ),
        ),
        (
            JUDGE_NEARLY_RIGHT,
            five("", &format!("players: (judge: \"noisy(0.4)\"), {RULES}")),
        ),
        // Each of the two errs by less than ρε = 1/8, both together by more.
        (
            JUDGE_NEARLY_RIGHT,
            five(
                "",
                &format!("oracle: Noisy(0.1), players: (judge: \"noisy(0.1)\"), {RULES}"),
            ),
        ),
        (
            CONDITIONAL,
            five(
                "",
                "protocol: ProverEstimator(epsilon: 0.25, rho: 0.5, carry: Marginal)",
            ),
        ),
        (
            STABLE,
            five("", "protocol: ProverEstimator(epsilon: 0.45, rho: 0.5)"),
        ),
    ];
    for (broken, setup) in &cases {
        let found = report(setup);
        let holds = |what: &str| {
            let mut each = found.completeness_hypotheses.iter();
            each.find(|one| one.what == what).unwrap().holds
        };
        assert_eq!(holds(broken), Some(false), "{broken}: {found:?}");
        assert!(!found.all_hypotheses_hold() && found.judge_error_allowed.is_none());
        assert!(found.bounds.completeness.is_none());
        assert_eq!(promise(setup).allowed_judge_flip_rate(), None);
        // `equilibrium` reports the same hypotheses.
        let listed = scenario_theorem_hypotheses(setup, &setup.protocol, &scenario_judge(setup));
        let fails = |what: &str| {
            let mut each = listed.iter().filter(|one| one.holds == Some(false));
            each.any(|one| one.what.starts_with(what))
        };
        let shown = match *broken {
            SUPPORTED => "every claim that Alice may reach can be decided, and has a support",
            JUDGE_NEARLY_RIGHT => JUDGE_RIGHT,
            other => other,
        };
        assert!(fails(shown), "{broken}: {listed:?}");
    }
    // The deviation of 2047's one witness is ε = 1/4, above ρε = 1/8.
    let witness = report(&cases[0].1);
    assert_eq!(
        witness.stability.as_ref().and_then(|one| one.stable),
        Some(false)
    );
    let keeps = [&cases[0].1, &cases[2].1, &cases[3].1].map(kept);
    let worst = Exact::ratio(-23_219, 1_024_000);
    assert_eq!(keeps[0], worst);
    assert!(
        keeps.iter().all(|value| *value < Exact::default()),
        "{keeps:?}"
    );
}

/// The oracle errs with probability e and the judge flips its answer with probability f. Honest Alice keeps the bound
/// up to e + f − 2ef = ρε.
#[test]
fn the_allowed_flips_leave_room_for_the_oracles_errors() {
    let right = five("", RULES);
    assert_eq!(
        promise(&right).allowed_judge_flip_rate(),
        Some(Exact::ratio(1, 8))
    );
    let noisy = five("", &format!("oracle: Noisy(0.1), {RULES}"));
    assert_eq!(
        promise(&noisy).allowed_judge_flip_rate(),
        Some(Exact::ratio(1, 32))
    );
    let both = five(
        "",
        &format!("oracle: Noisy(0.1), players: (judge: \"noisy(1/32)\"), {RULES}"),
    );
    let bound = promise(&both).honest_payoff_bound().unwrap().clone();
    assert!(kept(&both) >= bound);
    // A judge who is not a strategy may err by any amount.
    let person = five("", &format!("players: (judge: \"human\"), {RULES}"));
    assert_eq!(promise(&person).honest_payoff_bound(), None);
    assert!(
        promise(&person)
            .hypotheses
            .iter()
            .all(|one| one.holds != Some(false))
    );
}

/// With instances of different depths, the bound is that of the deepest, unless the scenario names its instance.
#[test]
fn the_bound_is_that_of_the_deepest_instance() {
    let numbers = |more: &str| {
        setup(&format!(
            "problem: Primality(numbers: [9, 341]{more}), decomposition: Stable(auto), {RULES}"
        ))
    };
    let all = numbers("");
    let depths = [0, 1].map(|world| all.decomposition.size(world).depth);
    assert!(depths[0] < depths[1], "{depths:?}");
    let ratio = Exact::ratio(1, 32);
    let bound = |depth| Exact::ratio(3, 4) * power(&ratio, depth + 1);
    assert_eq!(promise(&all).honest_payoff_bound(), Some(&bound(depths[1])));
    let mut one = all;
    one.requested_world = Some(0);
    assert_eq!(promise(&one).honest_payoff_bound(), Some(&bound(depths[0])));
}
