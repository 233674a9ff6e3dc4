//! Values computed by hand or elsewhere; these tests always run.

use debate_core::budget::ComputationBudget;
use debate_core::number::Exact;
use debate_core::player::prover_estimator::{EstimateQuery, Estimator, EstimatorPolicy, PeView};
use debate_core::player::{PolicyAsStrategy, ReplyDistribution, StrategyRegistry};
use debate_core::protocol::prover_estimator::{CarriedEstimateKind, ProverEstimatorParameters};
use debate_core::protocol::{Protocol, ProverEstimatorDebate, Reply, Seat};
use debate_solver::analysis::{DebateSolutionInputs, SolveError};
use debate_solver::expectimax::{BEST_RESPONSE, ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use num_traits::{One as _, Zero as _};

use super::{exact, mean, players, value};
use crate::support::scenarios::setup;

pub(super) fn bundled(name: &str) -> LoadedScenario {
    LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap()
}

/// A gate over `count` true leaves.
pub(super) fn true_leaves(gate: &str, count: usize) -> LoadedScenario {
    let names: Vec<String> = (0..count).map(|n| format!("\"l{n}\"")).collect();
    let leaf = |name: &String| format!("{name}: Claim(text: \"Leaf.\", truth: true),\n");
    let leaves: String = names.iter().map(leaf).collect();
    setup(&format!(
        "Scenario(format: 1, title: \"True leaves\", problem: Argument(root: \"r\", claims: {{
            \"r\": Claim(text: \"Root.\", supports: [Support(gate: {gate}, on: [{}])]),
            {leaves} }}),
            protocol: ProverEstimator(epsilon: 0.1, rho: 0.5))",
        names.join(", ")
    ))
}

fn carried(protocol: &Protocol, carry: CarriedEstimateKind) -> Protocol {
    let Protocol::ProverEstimator(parameters) = protocol else {
        panic!("another protocol");
    };
    Protocol::ProverEstimator(ProverEstimatorParameters {
        carry,
        ..parameters.clone()
    })
}

fn kinks() -> [Exact; 7] {
    ["0", "1/10", "101/1000", "1/2", "899/1000", "9/10", "1"].map(exact)
}

/// Errata 1 (a), with the exact posterior. If the sampled prefix is carried, a liar without knowledge gets one half; if
/// each claim's own probability is carried, the liar gets no part of it.
#[test]
fn carried_conditionals_pay_a_liar() {
    let flaw = bundled("hidden-flaw");
    let names = ["exploiter", "bayes", "oracle"];
    let found = mean::<Exact>(&flaw, &flaw.protocol, names, &[]);
    assert_eq!(found.expected.expected_payoff(), exact("1/2"));
    assert_eq!(found.answer_correct, Some(Exact::zero()));
    assert_eq!(
        found.expected.expected_rewards_by_round(),
        ["0", "0", "1/2"].map(exact)
    );
    let marginal = value(&flaw, ["exploiter", "marginal", "oracle"]);
    assert_eq!(marginal, exact("1/4096"), "r²/4");
    let own = carried(&flaw.protocol, CarriedEstimateKind::Marginal);
    let found = mean::<Exact>(&flaw, &own, names, &[]);
    assert_eq!(found.expected.expected_payoff(), Exact::zero());
}

/// Errata 1 (b).
#[test]
fn the_best_blind_estimator_leaves_a_liar_five_eighths() {
    let flaw = bundled("hidden-flaw-count");
    let found = value(&flaw, ["exploiter", "marginal", "oracle"]);
    assert_eq!(found, exact("5/8192"), "5r²/8");
    assert!(found > exact("1/4096"), "the bound at δ = εr²/3");
}

/// Errata 2: an estimator that states slightly less than 9/10 for the root and the true marginal of each claim. It
/// makes a random pair of coins wrong together.
struct Pairs;

impl Estimator<Exact> for Pairs {
    /// With probability 1/20 each, one of the three pairs comes up wrong; otherwise no coin is wrong.
    fn estimate(
        &self,
        view: PeView<'_, '_, Exact>,
        asked: EstimateQuery,
    ) -> ReplyDistribution<Exact> {
        let coins: Vec<bool> = view.tossed_subclaims().map(|(_, coin)| coin).collect();
        ReplyDistribution::Certain(Reply::Probability(match (asked.place, coins.as_slice()) {
            (None, _) => exact("899/1000"),
            _ if asked.alone => exact("9/10"),
            // Each subclaim is in two of three pairs, so it is wrong with probability 1/10.
            (_, []) => exact("9/10"),
            (_, [true]) => exact("17/18"),
            (_, [false]) => exact("1/2"),
            (_, [true, false] | [false, true]) => Exact::zero(),
            _ => Exact::one(),
        }))
    }
}

/// Honest Alice's payoff against it on a majority of three true leaves.
pub(super) fn against_pairs(carry: CarriedEstimateKind) -> Exact {
    let majority = true_leaves("Majority", 3);
    let rules = carried(&majority.protocol, carry);
    let instance = majority.instance(0);
    let start = rules.start::<Exact>(&instance).unwrap();
    let registry = StrategyRegistry::registry_with_builtin_players();
    let names = players("honest", "truthful", "oracle");
    let seat = |seat| {
        registry
            .build_at(
                &names,
                seat,
                &instance,
                &rules,
                ComputationBudget::default(),
            )
            .unwrap()
    };
    let (prover, judge) = (seat(Seat::Prover), seat(Seat::Judge));
    let pairs =
        PolicyAsStrategy::<_, ProverEstimatorDebate<'_, Exact>>::new(EstimatorPolicy(Pairs));
    let actors = [
        SeatDecisionMaker::Plays(&*prover),
        SeatDecisionMaker::Plays(&pairs),
        SeatDecisionMaker::Plays(&*judge),
    ];
    let mut walk = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default());
    walk.expectation_from_state(start)
        .unwrap()
        .expected_payoff()
}

#[test]
fn carrying_marginals_breaks_completeness() {
    assert_eq!(
        against_pairs(CarriedEstimateKind::Marginal),
        exact("-3021/6400000")
    );
    // The conditionals reveal the pair: they call a true claim certainly false.
    let found = against_pairs(CarriedEstimateKind::Conditional);
    assert!(found > exact("9/64000") && found < Exact::one(), "{found}");
}

/// An `All` that is not stable: the worst estimator makes honesty lose under both carrying rules.
#[test]
fn without_stability_honesty_can_lose() {
    let all = true_leaves("All", 5);
    let bound = exact("9/64000");
    for (carry, wanted) in [
        (CarriedEstimateKind::Conditional, "-118909/32000000"),
        // No stake remains after the root's round, and the gate is certain to fail: 899/1000 r² − 899/1000 r.
        (CarriedEstimateKind::Marginal, "-71021/6400000"),
    ] {
        let rules = carried(&all.protocol, carry);
        for prover in ["honest", "honest(markov)"] {
            let worst = mean(&all, &rules, [prover, BEST_RESPONSE, "oracle"], &kinks());
            assert_eq!(worst.expected.expected_payoff(), exact(wanted), "{carry:?}");
            assert!(worst.expected.expected_payoff() < bound);
        }
    }
}

/// Lemma A.5 on a stable claim: the payoff is at least (1 − ε) r^(d+1), with equality for a shift by ε.
#[test]
fn on_a_stable_claim_the_lemma_is_tight() {
    let majority = true_leaves("Majority", 3);
    let rules = &majority.protocol;
    let bound = exact("9/64000");
    let worst = mean(
        &majority,
        rules,
        ["honest", BEST_RESPONSE, "oracle"],
        &kinks(),
    );
    assert_eq!(worst.expected.expected_payoff(), bound);
    let shifted = value(&majority, ["honest", "shifted(0.1)", "oracle"]);
    assert_eq!(shifted, bound);
    // The same in floating point: 1 − 0.9 does not exceed one tenth there either.
    let float = mean::<f64>(&majority, rules, ["honest", "shifted(0.1)", "oracle"], &[]);
    assert!((float.expected.expected_payoff() - 9.0 / 64000.0).abs() < 1e-15);
}

/// On a stable claim, a judge may err with probability ρε and honesty keeps its bound.
#[test]
fn a_judge_may_err_a_little() {
    let majority = true_leaves("Majority", 3);
    let against = |judge: &str| {
        let names = ["honest", BEST_RESPONSE, judge];
        let found = mean(&majority, &majority.protocol, names, &kinks());
        found.expected.expected_payoff()
    };
    assert_eq!(against("noisy(1/20)"), exact("9/64000"));
    assert!(against("noisy(1/5)") < Exact::zero());
}

/// One side gets 1: the probability of a win is (1 + E) / 2, and the ledger counts each player's reads.
#[test]
fn decided_debates_are_won_with_a_probability() {
    let primes = bundled("primes-recursive");
    let world = primes.world_index("4331").unwrap();
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    let names = players("obfuscator", "bounded(0)", "oracle");
    let case = DebateSolutionInputs {
        registry: &registry,
        protocol: &primes.protocol,
        players: &names,
        grid: &[],
    };
    let found = case
        .solve(&primes.instance(world), ComputationBudget::default())
        .unwrap();
    assert_eq!(found.prover_win_probability(), exact("63/64"));
    assert_eq!(
        found.expected.expected_expenses(Seat::Judge)[0],
        Exact::one()
    );
    let names = players("honest", BEST_RESPONSE, "oracle");
    let case = DebateSolutionInputs {
        players: &names,
        ..case
    };
    let found = case
        .solve(&primes.instance(world), ComputationBudget::default())
        .unwrap();
    assert_eq!(
        found.expected.expected_payoff(),
        Exact::one(),
        "honesty always wins"
    );
}

#[test]
fn two_best_replies_to_each_other_are_refused() {
    let flaw = bundled("hidden-flaw");
    let registry = StrategyRegistry::<f64>::registry_with_builtin_players();
    let names = players(BEST_RESPONSE, BEST_RESPONSE, "oracle");
    let case = DebateSolutionInputs {
        registry: &registry,
        protocol: &flaw.protocol,
        players: &names,
        grid: &[0.0, 1.0],
    };
    let found = case.solve(&flaw.instance(0), ComputationBudget::default());
    assert!(matches!(found, Err(SolveError::BothBest)));
}

/// A chain of claims, each the negation of the next.
fn chain(length: usize) -> LoadedScenario {
    let not = |n: usize| {
        let next = n + 1;
        format!(
            "\"c{n}\": Claim(text: \"c{n}\", supports: [Support(gate: Not, on: [\"c{next}\"])]),"
        )
    };
    let claims: String = (0..length).map(not).collect();
    setup(&format!(
        "Scenario(format: 1, title: \"Chain\", problem: Argument(root: \"c0\", claims: {{
            {claims} \"c{length}\": Claim(text: \"Leaf.\", truth: true) }}),
            protocol: ProverEstimator(epsilon: 0.25, rho: 0.5))"
    ))
}

/// A walk of a debate of any length fits a thread with a small stack.
#[test]
fn a_long_chain_is_solved_on_a_small_stack() {
    let setup = chain(3000);
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let found = std::thread::scope(|scope| {
        let solve = || {
            let half = 0.5;
            let walked = mean::<f64>(
                &setup,
                &setup.protocol,
                ["honest", "truthful", "oracle"],
                &[],
            );
            let names = ["honest", BEST_RESPONSE, "oracle"];
            let worst = mean(&setup, &setup.protocol, names, &[0.0, half, 1.0]);
            let names = [BEST_RESPONSE, "stubborn(0.5)", "oracle"];
            let best = mean(&setup, &setup.protocol, names, &[]);
            [walked, worst, best].map(|solved| {
                assert_eq!(solved.expected.expected_rewards_by_round().len(), 3002);
                solved.expected.expected_payoff()
            })
        };
        small.spawn_scoped(scope, solve).unwrap().join().unwrap()
    });
    // The root weighs r^3001 = 2^−15005, which is 0 in floating point. Every round except the last is even: a fair coin
    // against one half. At the leaf the best prover gains 1 − 1/2.
    for (value, wanted) in found.into_iter().zip([0.0, 0.0, 0.5]) {
        assert!((value - wanted).abs() < 1e-12, "{found:?}");
    }
}
