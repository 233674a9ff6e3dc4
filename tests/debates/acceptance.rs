//! What must hold on any small scenario, whatever way it is computed.

use std::fmt::Write as _;

use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number as _};
use debate_core::player::{Spec, StrategyEntry};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::stability::{completeness, survey};
use debate_lab::analysis::default_grid;
use debate_lab::analysis::equilibrium::{ExcludedPlayer, PayoffTable};
use debate_lab::expectimax::{Actor, BEST_RESPONSE, Expectimax};
use debate_lab::setup::{Limits, Origin, Setup};
use debate_lab::simulate::{Side, Simulation};
use proptest::prelude::*;
use proptest::test_runner::Config;

/// A leaf with its truth and estimate in sevenths, or a gate over claims.
#[derive(Clone, Debug)]
enum Node {
    Leaf(bool, u8),
    Inner(u8, Vec<Self>),
}

fn leaf() -> impl Strategy<Value = Node> {
    (any::<bool>(), 0_u8..8).prop_map(|(truth, estimate)| Node::Leaf(truth, estimate))
}

fn inner(
    kinds: std::ops::Range<u8>,
    below: BoxedStrategy<Node>,
    most: usize,
) -> BoxedStrategy<Node> {
    let below = prop::collection::vec(below, 1..=most);
    let node = (kinds, below).prop_map(|(kind, below)| Node::Inner(kind, below));
    node.boxed()
}

/// Any gates over up to three claims, each a leaf or a gate over up to three leaves.
fn any_tree() -> impl Strategy<Value = Node> {
    let lower = prop_oneof![2 => leaf().boxed(), 1 => inner(0..5, leaf().boxed(), 3)];
    inner(0..5, lower.boxed(), 3)
}

/// Gates over which errors even out: majorities of three or five, leaves most of which are alike.
fn even_tree() -> impl Strategy<Value = Node> {
    let alike = |odd: Vec<bool>, truth: bool| {
        let leaf = |odd: &bool| Node::Leaf(truth != *odd, u8::from(truth) * 7);
        Node::Inner(2, odd.iter().map(leaf).collect())
    };
    let odd = || prop::bool::weighted(0.1);
    let three = (prop::collection::vec(odd(), 3..=3), any::<bool>());
    let five = (prop::collection::vec(odd(), 5..=5), any::<bool>());
    let low = prop_oneof![
        three.prop_map(move |(odd, truth)| alike(odd, truth)),
        five.prop_map(move |(odd, truth)| alike(odd, truth)),
    ];
    let high = prop::collection::vec(low.clone(), 3..=3).prop_map(|below| Node::Inner(2, below));
    prop_oneof![3 => low, 2 => high]
}

fn write(node: &Node, claims: &mut Vec<String>) -> usize {
    let own = claims.len();
    claims.push(String::new());
    let mut text = format!("\"n{own}\": Claim(text: \"Claim {own}.\", ");
    match node {
        Node::Leaf(truth, estimate) => {
            let _ = write!(text, "truth: {truth}, estimate: \"{estimate}/7\"");
        }
        Node::Inner(kind, below) => {
            let gate = ["All", "Any", "Majority", "Xor", "AtLeast(1)"][usize::from(*kind)];
            let on: Vec<String> = below
                .iter()
                .map(|child| format!("\"n{}\"", write(child, claims)))
                .collect();
            let _ = write!(
                text,
                "supports: [Support(gate: {gate}, on: [{}])]",
                on.join(", ")
            );
        }
    }
    claims[own] = text + "),\n";
    own
}

fn setup(root: &Node, protocol: &str) -> Setup {
    let mut claims = Vec::new();
    write(root, &mut claims);
    let text = format!(
        "Scenario(format: 1, title: \"Tree\", problem: Argument(root: \"n0\", claims: {{ {} }}),
          protocol: {protocol})",
        claims.concat()
    );
    let origin = Origin::Text("tree".to_owned());
    Setup::from_text(&text, origin, &Limits::default()).expect("a scenario")
}

const RULES: [&str; 4] = [
    "ProverEstimator(epsilon: 0.25, rho: 0.5)",
    "ProverEstimator(epsilon: 0.1, rho: 0.9, carry: Marginal)",
    "ProverEstimator(epsilon: 0.4, rho: 0.25, early_leaf: InPlace, direction: Public)",
    "Recursive",
];

/// The players of a seat who draw nothing before the gate's coins.
fn named(setup: &Setup, seat: Seat, choice: prop::sample::Index) -> Spec {
    let registry = debate_lab::registry::<Exact>();
    let entries = registry.for_seat(seat, setup.protocol.kind());
    let names: Vec<Spec> = entries
        .flat_map(StrategyEntry::examples)
        .map(|name| Spec::parse(&name).expect("a name"))
        .filter(|spec| {
            !["random", BEST_RESPONSE, "indistinguishable"].contains(&spec.name.as_str())
        })
        .collect();
    names[choice.index(names.len())].clone()
}

proptest! {
    #![proptest_config(Config { cases: 60, failure_persistence: None, ..Config::default() })]

    /// Dynamic programming, a walk of every reply and coin, and the mean of many debates agree.
    #[test]
    fn a_value_is_the_same_whichever_way_it_is_found(
        root in any_tree(),
        rules in prop::sample::select(&RULES[..]),
        prover in any::<prop::sample::Index>(),
        opponent in any::<prop::sample::Index>(),
        judge in prop::sample::select(&["oracle", "noisy(0.2)"][..]),
    ) {
        let setup = setup(&root, rules);
        let judge = Spec::parse(judge).expect("a name");
        let players = [
            named(&setup, Seat::Prover, prover),
            named(&setup, Seat::Opponent, opponent),
            judge,
        ];
        let instance = setup.instance(0);
        let registry = debate_lab::registry::<Exact>();
        let built = Seat::PLAYERS.map(|seat| {
            let built = registry.build_at(&players, seat, &instance, &setup.protocol, Budget::default());
            built.expect("a player")
        });
        let start = setup.protocol.start(&instance).expect("it fits");
        let actors = || built.each_ref().map(|player| Actor::Plays(&**player));
        let counted = Expectimax::new(&start, actors(), Budget::default()).value(start.clone());
        let counted = counted.expect("small");
        let plain = Expectimax::new(&start, actors(), Budget::default()).plain().value(start.clone());
        prop_assert_eq!(&counted, &plain.expect("small"));

        let seed = Seed::new("any").expect("a seed");
        let side = Side { protocol: setup.protocol.clone(), players };
        let simulation = Simulation {
            setup: &setup,
            world: None,
            seed: &seed,
            sides: std::slice::from_ref(&side),
            debates: 0..2_000,
            threads: 1,
        };
        let registry = debate_lab::registry::<f64>();
        let exact = debate_lab::registry::<Exact>();
        let simulated = simulation.run(&registry, &exact, Budget::default()).expect("it is played");
        let payoff = &simulated.sides[0].payoff;
        let mean = payoff.mean(2_000).expect("many");
        // Of so many trees one would leave an interval of 95 %; none leaves six deviations.
        let error = payoff.standard_error(2_000).expect("many");
        let spread = counted.variance().to_float().max(0.0).sqrt() / 2_000_f64.sqrt();
        let off = (mean - counted.value().to_float()).abs();
        prop_assert!(off <= 6.0 * error.max(spread) + 1e-12, "{} is off by {}", mean, off);
    }

    /// Lemma A.5: where every support is stable and Alice can prove, honesty keeps (1 − ε) r^(d+1)
    /// against whoever estimates, on a grid with the kinks of her bets too.
    #[test]
    fn honesty_keeps_its_bound_where_it_is_stable(root in even_tree(), wide in any::<bool>()) {
        let rules = if wide {
            "ProverEstimator(epsilon: 0.2, rho: 0.75)"
        } else {
            "ProverEstimator(epsilon: 0.1, rho: 0.5)"
        };
        let setup = setup(&root, rules);
        let bound = bound(&setup);
        prop_assume!(is_stable(&setup));
        let payoff = against_everybody(&setup);
        for (name, value) in payoff {
            prop_assert!(value >= bound, "{} leaves {} of {}", name, value, bound);
        }
    }
}

fn bound(setup: &Setup) -> Exact {
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        panic!("another protocol");
    };
    let depth = setup.decomposition.size(0).depth;
    completeness(&parameters.epsilon.0, &parameters.ratio(), depth)
}

/// Whether every claim is (ε, ρ)-stable and honest Alice can prove what she says.
fn is_stable(setup: &Setup) -> bool {
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        return false;
    };
    let (epsilon, rho) = (&parameters.epsilon.0, &parameters.rho.0);
    let found = survey(&setup.decomposition, &setup.oracle, (epsilon, rho), 10_000);
    found.is_stable() == Some(true) && found.provable == Exact::ratio(1, 1)
}

/// What honest Alice expects against every estimator there is, the best on the default grid among
/// them.
fn against_everybody(setup: &Setup) -> Vec<(String, Exact)> {
    let registry = debate_lab::registry::<Exact>();
    let entries = registry.for_seat(Seat::Opponent, setup.protocol.kind());
    let wide = setup.decomposition.size(0).width > 8;
    // Who looks at every coin of so many parts has too many of them to walk through.
    let opponents: Vec<Spec> = entries
        .flat_map(StrategyEntry::examples)
        .map(|name| Spec::parse(&name).expect("a name"))
        .filter(|spec| !wide || spec.name != "even")
        .collect();
    let all: Exact = setup
        .decomposition
        .worlds()
        .iter()
        .map(|world| &world.weight)
        .sum();
    let worlds = setup.decomposition.worlds().iter().enumerate();
    let instances: Vec<_> = worlds
        .map(|(number, world)| (&world.weight / &all, setup.instance(number)))
        .collect();
    let judge = Spec::named("oracle");
    let grid = default_grid(&setup.protocol);
    let table = PayoffTable {
        registry: &registry,
        protocol: &setup.protocol,
        judge: &judge,
        instances: &instances,
        grid: &grid,
    };
    let found = table.fill(&[Spec::named("honest")], &opponents, Budget::default());
    let found = found.expect("filled");
    // Algorithm 1 has no room for distributions over so many outcomes.
    let too_wide = |spec: &Spec| wide && spec.name == "indistinguishable";
    let excused = |left: &ExcludedPlayer| too_wide(&left.player);
    assert!(found.left_out.iter().all(excused), "{:?}", found.left_out);
    let mut opponents = opponents;
    opponents.retain(|spec| !too_wide(spec));
    assert_eq!(found.opponents, opponents);
    let names = opponents.iter().map(ToString::to_string);
    names.zip(found.payoff[0].iter().cloned()).collect()
}

/// The bundled scenarios that are stable, as printed: honesty keeps its bound there too.
#[test]
fn honesty_keeps_its_bound_in_every_stable_scenario_that_is_bundled() {
    let mut stable = Vec::new();
    for name in debate_lab::setup::names() {
        let mut setup = Setup::bundled(name, &Limits::default()).expect("bundled");
        // What people will write is neither stable nor unstable.
        if setup.decomposition.as_open().is_some() {
            continue;
        }
        let Protocol::ProverEstimator(parameters) = &mut setup.protocol else {
            continue;
        };
        // The lemma is about the printed rules.
        parameters.carry = debate_core::protocol::prover_estimator::Carry::Conditional;
        if !is_stable(&setup) {
            continue;
        }
        stable.push(name);
        let bound = bound(&setup);
        for (bob, value) in against_everybody(&setup) {
            assert!(value >= bound, "{name}: {bob} leaves {value} of {bound}");
        }
    }
    assert_eq!(
        stable,
        [
            "five-parts-stable",
            "primes-stable",
            "three-readings",
            "three-receipts"
        ]
    );
}
