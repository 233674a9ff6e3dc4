//! Headless debates beside filling the same coins in bulk. Read the ratio of the two.

#[path = "../support/trees.rs"]
mod trees;

use std::fmt::Write as _;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use debate_tui::analysis::simulate::{Side, Simulation, Watch};
use debate_tui::chance::{Bulk, Seed};
use debate_tui::gate::Gate;
use debate_tui::number::parse;
use debate_tui::player::prover_estimator::estimators::Shifted;
use debate_tui::player::prover_estimator::provers::Honest;
use debate_tui::player::prover_estimator::{EstimatorSeat, ProverSeat};
use debate_tui::player::{OracleJudge, Registry, Spec, play};
use debate_tui::protocol::prover_estimator::Parameters;
use debate_tui::protocol::{ProverEstimator, Rules};
use debate_tui::scenario::Informed;
use debate_tui::setup::{Limits, Origin, Setup};

const DEBATES: u64 = 4096;

fn debates(criterion: &mut Criterion) {
    let number = |text| parse(text).expect("a number");
    let parameters = Parameters::new(number("0.1"), number("0.5"));
    let seed = Seed::new("bench").expect("a seed");
    let mut group = criterion.benchmark_group("headless");
    group.throughput(Throughput::Elements(DEBATES));
    for (width, depth) in [(2_usize, 4_u32), (4, 5)] {
        let instance = trees::full(&Gate::All, width, depth);
        let mut rules = ProverEstimator::<f64>::new(&instance, &parameters).expect("legal");
        let coins = rules.coins();
        let shape = format!("q = {width}, d = {depth}");
        group.bench_function(BenchmarkId::new("coins alone", &shape), |bencher| {
            let mut bulk = Bulk::new(&seed, 0, coins);
            let mut buffer = vec![0; bulk.per_debate() * 64];
            bencher.iter(|| {
                let mut sum = 0_u64;
                for _ in 0..DEBATES / 64 {
                    bulk.fill(&mut buffer);
                    sum ^= buffer[0];
                }
                sum
            });
        });
        group.bench_function(
            BenchmarkId::new("honest against shifted(0.1)", &shape),
            |bencher| {
                let informed = Informed::new(&instance);
                let prover = ProverSeat(Honest::new(informed));
                let delta = parse("0.1").expect("a number").into();
                let estimator = EstimatorSeat(Shifted::new(informed, delta));
                let judge = OracleJudge::new(informed);
                let mut bulk = Bulk::new(&seed, 0, coins);
                let per_debate = bulk.per_debate();
                let mut buffer = vec![0; per_debate * 64];
                bencher.iter(|| {
                    let mut sum = 0.0;
                    for _ in 0..DEBATES / 64 {
                        bulk.fill(&mut buffer);
                        for coins in buffer.chunks_exact(per_debate) {
                            rules.restart();
                            let mut coins = coins;
                            sum +=
                                play(&mut rules, &prover, &estimator, &judge, &mut coins, &mut ())
                                    .payoff;
                        }
                    }
                    sum
                });
            },
        );
    }
    group.finish();
}

/// The scenario of a full tree whose leaves are true.
fn scenario(width: usize, depth: u32) -> String {
    let mut claims = String::new();
    let mut level = vec!["r".to_owned()];
    for k in (0..=depth).rev() {
        let mut next = Vec::new();
        for id in level {
            let on: Vec<String> = (0..if k == 0 { 0 } else { width })
                .map(|place| format!("{id}{place}"))
                .collect();
            let rest = if k == 0 {
                "truth: true".to_owned()
            } else {
                format!("supports: [Support(gate: All, on: {on:?})]")
            };
            write!(claims, "{id:?}: Claim(text: {id:?}, {rest}), ").expect("a text");
            next.extend(on);
        }
        level = next;
    }
    format!(
        "Scenario(format: 1, title: \"Full\", problem: Argument(root: \"r\", claims: {{{claims}}}), \
         protocol: ProverEstimator(epsilon: 0.1, rho: 0.5))"
    )
}

/// Named players, as `simulate` plays them on one thread: sums and all. To be read beside the
/// coins alone, and beside 2 million debates a second, what a vectorised numpy program makes of
/// the smaller tree.
fn simulated(criterion: &mut Criterion) {
    const DEBATES: u64 = 1 << 18;
    let seed = Seed::new("bench").expect("a seed");
    let mut group = criterion.benchmark_group("simulate");
    group.throughput(Throughput::Elements(DEBATES));
    group.sample_size(10);
    for (width, depth) in [(2_usize, 4_u32), (4, 5)] {
        let origin = Origin::Text("bench".to_owned());
        let text = scenario(width, depth);
        let setup = Setup::from_text(&text, origin, &Limits::default()).expect("sound");
        for opponent in ["shifted(0.1)", "calibrated"] {
            let name = |text: &str| Spec::parse(text).expect("a player");
            let side = Side {
                protocol: setup.protocol.clone(),
                players: [name("honest"), name(opponent), name("oracle")],
            };
            let simulation = Simulation {
                setup: &setup,
                world: None,
                seed: &seed,
                sides: &[side],
                debates: 0..DEBATES,
                threads: 1,
            };
            let shape = format!("q = {width}, d = {depth}, honest against {opponent}");
            group.bench_function(BenchmarkId::new("one thread", &shape), |bencher| {
                bencher.iter(|| {
                    let (floats, exacts) = (Registry::builtin(), Registry::builtin());
                    simulation.run(&floats, &exacts, &Watch::default())
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, debates, simulated);
criterion_main!(benches);
