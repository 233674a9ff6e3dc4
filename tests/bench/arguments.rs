//! Reads an argument of 100,000 claims, each written in the file, and reports claims per second. Reading should take
//! less than half a second.

#[path = "../support/large.rs"]
mod large;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};

const CLAIMS: usize = 100_000;

fn arguments(criterion: &mut Criterion) {
    let text = large::argument(CLAIMS);
    let mut group = criterion.benchmark_group("an argument of 100 000 claims");
    group.throughput(Throughput::Elements(CLAIMS as u64));
    group.sample_size(10);
    group.bench_function("read", |bencher| {
        bencher.iter(|| {
            let origin = ScenarioTextSource::Text("large.ron".to_owned());
            LoadedScenario::from_text(&text, origin, &ScenarioLimits::default())
                .expect("a scenario")
        });
    });
    group.finish();
}

criterion_group!(benches, arguments);
criterion_main!(benches);
