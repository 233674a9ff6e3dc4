//! The properties that `check` computes claim by claim, and Algorithm 1 on bundled scenarios.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use debate_core::budget::ComputationBudget;
use debate_core::number::parse;
use debate_core::player::PlayerSpec;
use debate_core::protocol::Protocol;
use debate_core::scenario::stability::survey;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use debate_solver::training;

fn found(scenario: &str) -> LoadedScenario {
    LoadedScenario::find_scenario(scenario, &ScenarioLimits::default()).expect("a bundled scenario")
}

/// Stability and provability of every claim (PE Definitions 5.2 and 5.3).
fn check(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("check");
    for scenario in ["primes", "primes-stable", "two-of-three", "pull-request"] {
        let setup = found(scenario);
        let Protocol::ProverEstimator(parameters) = &setup.protocol else {
            panic!("{scenario} is debated under other rules");
        };
        let terms = (&parameters.epsilon.0, &parameters.rho.0);
        group.bench_function(BenchmarkId::from_parameter(scenario), |bencher| {
            bencher.iter(|| {
                let survey = survey(&setup.decomposition, &setup.oracle, terms, 1 << 18);
                black_box(survey.is_stable())
            });
        });
    }
    group.finish();
}

/// Algorithm 1 against the honest prover.
fn train(criterion: &mut Criterion) {
    let delta = parse("0.1").expect("a number");
    let prover = PlayerSpec::parse("honest").expect("a player");
    let mut group = criterion.benchmark_group("train, δ = 0.1");
    group.sample_size(10);
    for scenario in ["primes", "two-of-three", "hidden-flaw"] {
        let setup = found(scenario);
        let instance = setup.instance(0);
        group.bench_function(BenchmarkId::from_parameter(scenario), |bencher| {
            bencher.iter(|| {
                let trained = training::train(
                    &instance,
                    &setup.protocol,
                    &prover,
                    &delta,
                    ComputationBudget::default(),
                );
                assert!(
                    trained
                        .expect("trained")
                        .report
                        .is_indistinguishable_within_step_bound()
                );
            });
        });
    }
    group.finish();
}

criterion_group!(benches, check, train);
criterion_main!(benches);
