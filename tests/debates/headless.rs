//! Headless play allocates nothing a step.

use crate::full;
use debate_core::chance::{Bulk, Seed};
use debate_core::gate::Gate;
use debate_core::number::parse;
use debate_core::player::prover_estimator::estimators::{Calibrated, Shifted};
use debate_core::player::prover_estimator::provers::{Honest, Obfuscator};
use debate_core::player::prover_estimator::{EstimatorSeat, Markovian, ProverSeat};
use debate_core::player::{OracleJudge, Policy, play};
use debate_core::protocol::{Protocol, ProverEstimator, Rules};
use debate_core::scenario::{Blind, Informed, Instance};

/// How often `debates` debates allocate, when all claims have been met before.
fn allocations<'a>(
    rules: &mut ProverEstimator<'a, f64>,
    prover: &impl Policy<f64, ProverEstimator<'a, f64>>,
    estimator: &impl Policy<f64, ProverEstimator<'a, f64>>,
    instance: &'a Instance,
    debates: usize,
) -> u64 {
    let judge = OracleJudge::new(Informed::new(instance));
    let seed = Seed::new("allocations").expect("a seed");
    let mut bulk = Bulk::new(&seed, 0, rules.coins());
    let per_debate = bulk.per_debate();
    let mut buffer = vec![0; per_debate * debates];
    bulk.fill(&mut buffer);
    let mut all = |buffer: &[u64]| {
        for coins in buffer.chunks_exact(per_debate) {
            rules.restart();
            let mut coins = coins;
            let played = play(rules, prover, estimator, &judge, &mut coins, &mut ());
            assert!(played.finished);
        }
    };
    all(&buffer);
    allocation_counter::measure(|| all(&buffer)).count_total
}

#[test]
fn no_step_allocates() {
    for (gate, width, depth) in [(Gate::All, 2, 4), (Gate::Majority, 5, 3), (Gate::Xor, 4, 2)] {
        let instance = full::tree(&gate, width, depth);
        let protocol = Protocol::parse("ProverEstimator(epsilon: 0.1, rho: 0.5)").expect("legal");
        let Protocol::ProverEstimator(parameters) = &protocol else {
            panic!("{protocol} is prover-estimator debate");
        };
        let mut rules = ProverEstimator::new(&instance, parameters).expect("legal");
        let informed = Informed::new(&instance);
        let shifted = || EstimatorSeat(Shifted::new(informed, parse("0.3").expect("legal").into()));
        let honest = ProverSeat(Markovian(Honest::new(informed)));
        assert_eq!(
            allocations(&mut rules, &honest, &shifted(), &instance, 500),
            0
        );
        let liar = ProverSeat(Markovian(Obfuscator(informed)));
        assert_eq!(
            allocations(&mut rules, &liar, &shifted(), &instance, 500),
            0
        );
        let calibrated = EstimatorSeat(Calibrated::new(Blind::new(&instance)));
        assert_eq!(
            allocations(&mut rules, &honest, &calibrated, &instance, 500),
            0
        );
    }
}
