//! Headless debates beside filling the same coins in bulk. Read the ratio of the two.

#[path = "../support/trees.rs"]
mod trees;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use debate_tui::chance::{Bulk, Seed};
use debate_tui::gate::Gate;
use debate_tui::number::parse;
use debate_tui::player::prover_estimator::estimators::Shifted;
use debate_tui::player::prover_estimator::provers::Honest;
use debate_tui::player::prover_estimator::{EstimatorSeat, ProverSeat};
use debate_tui::player::{OracleJudge, play};
use debate_tui::protocol::prover_estimator::Parameters;
use debate_tui::protocol::{ProverEstimator, Rules};
use debate_tui::scenario::Informed;

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

criterion_group!(benches, debates);
criterion_main!(benches);
