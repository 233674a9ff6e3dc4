mod errors;
mod random;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, parse};
use debate_core::player::prover_estimator::{
    CoinIgnoringProverPolicy, MarkovProver, SubclaimSelectionRule,
};
use debate_core::player::{PlayableStrategy, PlayerSpec, PolicyAsStrategy, StrategyRegistry};
use debate_core::protocol::{Bet, Protocol, ProverEstimatorDebate, Seat};
use debate_core::scenario::{BitId, ClaimId, Instance, Support};
use debate_solver::closed_form::prover_estimator::PayoffMinimisingEstimator;
use debate_solver::expectation::PayoffNotComputedReason;
use debate_solver::expectimax::{ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use proptest::prelude::*;
use proptest::strategy::Strategy;
use proptest::test_runner::TestRunner;

fn exact(text: &str) -> Exact {
    parse(text).unwrap()
}

/// A gate over up to three claims, each a leaf or a gate over leaves.
#[derive(Clone, Debug)]
enum Node {
    Leaf(bool),
    Inner(u8, Vec<Self>),
}

fn gate(kind: u8, width: usize) -> String {
    match kind % 6 {
        0 => "All".to_owned(),
        1 => "Any".to_owned(),
        2 => "Majority".to_owned(),
        3 => "Xor".to_owned(),
        4 => format!("AtLeast({})", 1 + usize::from(kind) % width),
        // A table that is not symmetric.
        _ => {
            let rows = (0..1_usize << width).map(|row| u8::from(row.is_multiple_of(3)).to_string());
            format!("Table([{}])", rows.collect::<Vec<_>>().join(", "))
        }
    }
}

fn write(node: &Node, out: &mut Vec<String>) -> usize {
    let own = out.len();
    out.push(String::new());
    let text = match node {
        Node::Leaf(truth) => format!("truth: {truth}"),
        Node::Inner(kind, below) => {
            let on: Vec<String> = below
                .iter()
                .map(|child| format!("\"n{}\"", write(child, out)))
                .collect();
            format!(
                "supports: [Support(gate: {}, on: [{}])]",
                gate(*kind, on.len()),
                on.join(", ")
            )
        }
    };
    out[own] = format!("\"n{own}\": Claim(text: \"A.\", {text}),");
    own
}

fn setup(root: &Node, conventions: &str) -> LoadedScenario {
    let mut claims = Vec::new();
    write(root, &mut claims);
    let text = format!(
        "Scenario(format: 1, title: \"Tree\", problem: Argument(root: \"n0\", claims: {{ {} }}),
          protocol: ProverEstimator(epsilon: 0.2, rho: 0.5{conventions}))",
        claims.concat()
    );
    LoadedScenario::from_text(
        &text,
        ScenarioTextSource::Text("test".to_owned()),
        &ScenarioLimits::default(),
    )
    .unwrap()
}

fn nodes() -> impl Strategy<Value = Node> {
    let leaf = any::<bool>().prop_map(Node::Leaf);
    let inner = |below: BoxedStrategy<Node>| {
        let below = prop::collection::vec(below, 1..=3);
        (any::<u8>(), below).prop_map(|(kind, below)| Node::Inner(kind, below))
    };
    let lower = prop_oneof![3 => leaf.clone(), 1 => inner(leaf.boxed())];
    inner(lower.boxed())
}

/// The value in three ways: dynamic programming, a walk over all replies, and the built player's play.
fn three_ways(setup: &LoadedScenario, prover: &str, judge: &str, grid: &[Exact]) -> [Exact; 3] {
    three_ways_of(
        setup,
        &|instance| build(setup, prover, Seat::Prover, instance),
        judge,
        grid,
    )
}

fn build<'a>(
    setup: &LoadedScenario,
    name: &str,
    seat: Seat,
    instance: &'a Instance,
) -> PlayableStrategy<'a, Exact> {
    let built = StrategyRegistry::registry_with_builtin_players().build(
        &PlayerSpec::parse(name).unwrap(),
        seat,
        instance,
        &setup.protocol,
    );
    built.unwrap()
}

fn three_ways_of(
    setup: &LoadedScenario,
    prover: &dyn for<'a> Fn(&'a Instance) -> PlayableStrategy<'a, Exact>,
    judge: &str,
    grid: &[Exact],
) -> [Exact; 3] {
    let instance = setup.instance(0);
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        panic!("another protocol");
    };
    let budget = ComputationBudget::default();
    let judge = build(setup, judge, Seat::Judge, &instance);
    let (own, prover) = (prover(&instance), prover(&instance));
    let worst =
        PayoffMinimisingEstimator::against(own, &*judge, &instance, parameters, grid, budget)
            .unwrap()
            .unwrap();
    let value = worst.expected_prover_payoff().clone();
    let found: PlayableStrategy<'_, Exact> =
        Box::new(PolicyAsStrategy::<_, ProverEstimatorDebate<'_, Exact>>::new(worst));
    let walked = |opponent| {
        let start = setup.protocol.start(&instance).unwrap();
        let actors = [
            SeatDecisionMaker::Plays(&*prover),
            opponent,
            SeatDecisionMaker::Plays(&*judge),
        ];
        let mut walk =
            ExhaustiveExpectimax::new(&start, actors, budget).with_probability_grid(grid.to_vec());
        walk.expectation_from_state(start)
            .unwrap()
            .expected_payoff()
    };
    [
        value,
        walked(SeatDecisionMaker::BestResponse),
        walked(SeatDecisionMaker::Plays(&*found)),
    ]
}

/// The built-in provers that draw no bet.
const PROVERS: [&str; 8] = [
    "honest",
    "honest(markov)",
    "contrarian",
    "liar",
    "obfuscator",
    "errs(-, +)",
    "exploiter",
    "lazy",
];

/// The worst estimator has the same value by dynamic programming, by walking all replies, and as a player.
fn the_worst_is_the_same(cases: u32) {
    let drawn = (
        nodes(),
        prop::sample::select(&PROVERS[..]),
        any::<[bool; 2]>(),
    );
    let config = ProptestConfig {
        cases,
        ..ProptestConfig::default()
    };
    let grid = ["0", "1/5", "3/10", "9/10"].map(exact);
    let tried = TestRunner::new(config).run(&drawn, |(root, prover, [in_place, noisy])| {
        let conventions = if in_place {
            ", early_leaf: InPlace"
        } else {
            ""
        };
        let setup = setup(&root, conventions);
        let judge = if noisy { "noisy(0.1)" } else { "oracle" };
        let [value, walked, played] = three_ways(&setup, prover, judge, &grid);
        prop_assert_eq!(&value, &walked);
        prop_assert_eq!(&value, &played);
        Ok(())
    });
    tried.unwrap_or_else(|failed| panic!("{failed}"));
}

#[test]
fn the_worst_is_the_same_by_dynamic_programming_and_by_walking() {
    the_worst_is_the_same(20);
}

#[test]
#[ignore = "exhaustive: 12 s; every day: the_worst_is_the_same_by_dynamic_programming_and_by_walking"]
fn dynamic_programming_and_walks_agree_on_the_worst_of_500_debates() {
    the_worst_is_the_same(500);
}

/// A gate over two leaves, one of them true.
fn two(kind: u8) -> Node {
    Node::Inner(kind, vec![Node::Leaf(true), Node::Leaf(false)])
}

/// If marginals are carried, an estimator states them before the coins are thrown.
fn marginals_are_said_first(roots: &[Node], grid: &[Exact]) {
    for root in roots {
        let setup = setup(root, ", carry: Marginal");
        for prover in PROVERS {
            let [value, walked, played] = three_ways(&setup, prover, "oracle", grid);
            assert_eq!((&value, &value), (&walked, &played), "{root:?} {prover}");
        }
    }
}

#[test]
fn marginals_are_given_before_the_coins() {
    let grid = ["0", "1/5", "9/10"].map(exact);
    marginals_are_said_first(&[two(0), two(1)], &grid);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: marginals_are_given_before_the_coins"]
fn marginals_are_given_before_the_coins_of_two_rounds() {
    let grid = ["0", "1/5", "9/10"].map(exact);
    let three = Node::Inner(2, [true, true, false].map(Node::Leaf).to_vec());
    let nested = Node::Inner(0, vec![two(1), Node::Leaf(true)]);
    marginals_are_said_first(&[three, nested], &grid);
}

/// A prover outside the registry: claims the root, bets down on likely claims and up on the others, and continues with
/// the likeliest.
struct Contrary;

impl MarkovProver<Exact> for Contrary {
    fn claims(&self, _root: ClaimId) -> bool {
        true
    }
    fn bet_on(&self, _: bool, _: ClaimId, p: &Exact, epsilon: &Exact) -> Bet {
        Bet::beyond(&(exact("1/2") - p), epsilon)
    }
    fn support_index(&self, _offered: &[Support]) -> usize {
        0
    }
    fn selection(&self) -> SubclaimSelectionRule {
        SubclaimSelectionRule::Greatest
    }
    fn score(&self, _claim: ClaimId, p: &Exact) -> Exact {
        p.clone()
    }
    fn bit(&self, _bit: BitId) -> bool {
        true
    }
}

fn contrary<'a>(_instance: &'a Instance) -> PlayableStrategy<'a, Exact> {
    let prover = CoinIgnoringProverPolicy(Contrary);
    Box::new(PolicyAsStrategy::<_, ProverEstimatorDebate<'a, Exact>>::new(prover))
}

#[test]
fn an_unnamed_prover_is_solved_by_its_declared_policy() {
    let grid = ["0", "1/3", "9/10"].map(exact);
    let three = |kind| Node::Inner(kind, [true, false, true].map(Node::Leaf).to_vec());
    for root in [three(2), Node::Inner(0, vec![three(5), three(1)])] {
        let setup = setup(&root, "");
        let [value, walked, played] = three_ways_of(&setup, &contrary, "oracle", &grid);
        assert_eq!((&value, &value), (&walked, &played), "{root:?}");
    }
}

/// If Bob is blind or a leaf reads proof bits, provers differ in more than their bets.
#[test]
fn beliefs_and_proof_bits_of_provers_are_included() {
    let grid = ["0", "1/3", "1"].map(exact);
    let bits = r#"Scenario(format: 1, title: "Bits", problem: Argument(root: "r", claims: {
            "r": Claim(text: "R.", supports: [Support(gate: All, on: ["a", "b"])]),
            "a": Claim(text: "A.", reads: ["u", "v"], check: Xor),
            "b": Claim(text: "B.", truth: true),
        }, proof: {"u": true, "v": false}),
        protocol: ProverEstimator(epsilon: 0.2, rho: 0.5))"#;
    let bits = LoadedScenario::from_text(
        bits,
        ScenarioTextSource::Text("test".to_owned()),
        &ScenarioLimits::default(),
    );
    let flaw = LoadedScenario::load_bundled_scenario("hidden-flaw", &ScenarioLimits::default());
    for setup in [bits.unwrap(), flaw.unwrap()] {
        for prover in PROVERS {
            let [value, walked, played] = three_ways(&setup, prover, "oracle", &grid);
            assert_eq!((&value, &value), (&walked, &played), "{prover}");
        }
    }
}

/// Eight subclaims on the default grid: a plain walk would play (2 · 15)^8 replies per round.
#[test]
fn wide_rounds_take_no_time() {
    let eight = |kind| Node::Inner(kind, (0..8).map(|leaf| Node::Leaf(leaf % 3 > 0)).collect());
    let root = Node::Inner(2, (0..8).map(|kind| eight(kind % 6)).collect());
    let setup = setup(&root, "");
    let instance = setup.instance(0);
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        panic!("another protocol");
    };
    let grid: Vec<f64> = (0..15_u8).map(|place| f64::from(place) / 14.0).collect();
    for prover in PROVERS {
        let players =
            [prover, "best-response", "oracle"].map(|name| PlayerSpec::parse(name).unwrap());
        let budget = ComputationBudget {
            steps: 20_000_000,
            ..ComputationBudget::default()
        };
        let against = |budget| {
            let seat = |seat| {
                let built = StrategyRegistry::<f64>::registry_with_builtin_players().build_at(
                    &players,
                    seat,
                    &instance,
                    &setup.protocol,
                    ComputationBudget::default(),
                );
                built.unwrap()
            };
            let judge = seat(Seat::Judge);
            let prover = seat(Seat::Prover);
            let found = PayoffMinimisingEstimator::against(
                prover, &*judge, &instance, parameters, &grid, budget,
            );
            found.unwrap().map(|_| ())
        };
        assert!(against(budget).is_ok(), "{prover}");
        let few = ComputationBudget {
            steps: 1_000,
            ..ComputationBudget::default()
        };
        let refused = against(few).unwrap_err();
        assert!(matches!(
            refused,
            PayoffNotComputedReason::TooFine {
                grid: 15,
                most: 1_000,
                ..
            }
        ));
        assert!(refused.to_string().contains("--grid"), "{refused}");
    }
}

#[test]
fn provers_with_random_bets_are_left_to_the_walk() {
    let setup = setup(&Node::Inner(0, vec![Node::Leaf(true)]), "");
    let instance = setup.instance(0);
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        panic!("another protocol");
    };
    let players =
        ["random", "best-response", "oracle"].map(|name| PlayerSpec::parse(name).unwrap());
    let registry = StrategyRegistry::<f64>::registry_with_builtin_players();
    let seat = |seat| {
        registry.build_at(
            &players,
            seat,
            &instance,
            &setup.protocol,
            ComputationBudget::default(),
        )
    };
    let (prover, judge) = (seat(Seat::Prover).unwrap(), seat(Seat::Judge).unwrap());
    let budget = ComputationBudget::default();
    let worst =
        PayoffMinimisingEstimator::against(prover, &*judge, &instance, parameters, &[0.5], budget);
    assert!(worst.is_none());
}
