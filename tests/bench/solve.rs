//! Exact values: wide symmetric gates by counts, and the worst estimator on a grid.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use debate_core::budget::ComputationBudget;
use debate_core::number::{Number, parse};
use debate_core::player::PlayerSpec;
use debate_solver::analysis::DebateSolutionInputs;
use debate_solver::expectimax::BEST_RESPONSE;
use debate_solver::registry;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};

/// Builds `depth` layers of `width` claims under one root. Each claim is over all claims of the layer below.
fn layers(gate: &str, width: usize, depth: usize) -> LoadedScenario {
    let names = |layer: usize| (0..width).map(move |n| format!("\"c{layer}x{n}\""));
    let mut claims = Vec::new();
    let mut claim = |name: &str, layer: usize| {
        let below: Vec<String> = names(layer).collect();
        claims.push(if layer == depth + 1 {
            format!("{name}: Claim(text: \"Leaf.\", truth: true),")
        } else {
            let below = below.join(", ");
            format!(
                "{name}: Claim(text: \"Claim.\", supports: [Support(gate: {gate}, on: [{below}])]),"
            )
        });
    };
    claim("\"root\"", 1);
    for layer in 1..=depth {
        for name in names(layer) {
            claim(&name, layer + 1);
        }
    }
    scenario(&claims.concat())
}

/// Builds a tree of claims, each true if both of its subclaims are true.
fn tree(depth: usize) -> LoadedScenario {
    let mut claims = Vec::new();
    for number in 1..1_usize << (depth + 1) {
        let name = if number == 1 {
            "root".to_owned()
        } else {
            format!("n{number}")
        };
        claims.push(if number >= 1 << depth {
            format!("\"{name}\": Claim(text: \"Leaf.\", truth: true),")
        } else {
            let (left, right) = (2 * number, 2 * number + 1);
            format!(
                "\"{name}\": Claim(text: \"Claim.\", supports: [Support(gate: All, \
                 on: [\"n{left}\", \"n{right}\"])]),"
            )
        });
    }
    scenario(&claims.concat())
}

fn scenario(claims: &str) -> LoadedScenario {
    let text = format!(
        "Scenario(format: 1, title: \"Bench\", problem: Argument(root: \"root\", claims: {{ {claims} }}),
          protocol: ProverEstimator(epsilon: 0.1, rho: 0.5))"
    );
    LoadedScenario::from_text(
        &text,
        ScenarioTextSource::Text("bench".to_owned()),
        &ScenarioLimits::default(),
    )
    .expect("a scenario")
}

fn solved(setup: &LoadedScenario, opponent: &str, grid: &[f64]) -> f64 {
    let registry = registry::<f64>();
    let players =
        ["honest", opponent, "oracle"].map(|name| PlayerSpec::parse(name).expect("a name"));
    let case = DebateSolutionInputs {
        registry: &registry,
        protocol: &setup.protocol,
        players: &players,
        grid,
    };
    let instance = setup.instance(0);
    let found = case.solve(&instance, ComputationBudget::default());
    found.expect("solved").expected.expected_payoff()
}

fn solve(criterion: &mut Criterion) {
    let wide = layers("Majority", 64, 6);
    criterion.bench_function("solve: 64 wide, 6 deep, shifted(0.3)", |bencher| {
        bencher.iter(|| black_box(solved(&wide, "shifted(0.3)", &[])));
    });
    let all = tree(8);
    let grid: Vec<f64> = (0..=10)
        .map(|tenths| parse(&format!("{tenths}/10")).expect("a number").to_float())
        .collect();
    criterion.bench_function(
        "solve: worst estimator, 2 wide, 8 deep, 11 points",
        |bencher| {
            bencher.iter(|| black_box(solved(&all, BEST_RESPONSE, &grid)));
        },
    );
}

criterion_group!(benches, solve);
criterion_main!(benches);
