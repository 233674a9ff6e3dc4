//! Headless play allocates no memory per step.

use crate::support::full;
use debate_core::budget::ComputationBudget;
use debate_core::chance::{BulkDebateCoins, Seed};
use debate_core::gate::Gate;
use debate_core::number::parse;
use debate_core::player::prover_estimator::estimators::{
    DistanceFromTruthEstimator, ProblemEstimatesEstimator,
};
use debate_core::player::prover_estimator::provers::{InformedProver, InformedProverBehaviour};
use debate_core::player::prover_estimator::{CoinIgnoringProverPolicy, EstimatorPolicy};
use debate_core::player::{OracleJudge, Policy, PolicyAsStrategy, Strategy, play_between};
use debate_core::protocol::{Protocol, ProverEstimatorDebate, Rules, State};
use debate_core::scenario::{BlindReader, InformedReader};

/// The number of allocations of `debates` debates, after all claims have occurred.
fn allocations<'a>(
    state: &mut State<'a, f64>,
    players: [&dyn Strategy<'a, f64>; 3],
    debates: usize,
) -> u64 {
    let seed = Seed::new("allocations").expect("a seed");
    let mut bulk = BulkDebateCoins::new(&seed, 0, state.coins());
    let per_debate = bulk.buffer_entries_per_debate();
    let mut buffer = vec![0; per_debate * debates];
    bulk.fill_with_one_coin_per_entry(&mut buffer);
    let mut all = |buffer: &[u64]| {
        for coins in buffer.chunks_exact(per_debate) {
            let State::ProverEstimator(rules) = &mut *state else {
                panic!("it is prover-estimator debate");
            };
            rules.reset_debate_to_start();
            let mut coins = coins;
            let played = play_between(
                state,
                players,
                &mut coins,
                &mut (),
                &ComputationBudget::default(),
            );
            assert!(played.is_ok());
        }
    };
    all(&buffer);
    allocation_counter::measure(|| all(&buffer)).count_total
}

/// Wraps a policy for prover-estimator debate as a player.
fn player<'a, P>(policy: P) -> PolicyAsStrategy<P, ProverEstimatorDebate<'a, f64>>
where
    P: Policy<f64, ProverEstimatorDebate<'a, f64>>,
{
    PolicyAsStrategy::new(policy)
}

#[test]
fn no_step_allocates() {
    for (gate, width, depth) in [(Gate::All, 2, 4), (Gate::Majority, 5, 3), (Gate::Xor, 4, 2)] {
        let instance = full::tree(&gate, width, depth);
        let protocol = Protocol::parse("ProverEstimator(epsilon: 0.1, rho: 0.5)").expect("legal");
        let mut state = protocol.start(&instance).expect("legal");
        let informed = InformedReader::new(&instance);
        let shifted =
            DistanceFromTruthEstimator::new(informed, parse("0.3").expect("legal").into());
        let shifted = player(EstimatorPolicy(shifted));
        let prover = |manner| {
            player(CoinIgnoringProverPolicy(InformedProver {
                informed,
                manner,
            }))
        };
        let (honest, liar) = (
            prover(InformedProverBehaviour::Honest),
            prover(InformedProverBehaviour::Obfuscator),
        );
        let calibrated = player(EstimatorPolicy(ProblemEstimatesEstimator::new(
            BlindReader::new(&instance),
        )));
        let judge = player(OracleJudge::new(informed));
        for players in [
            [&honest as &dyn Strategy<'_, f64>, &shifted, &judge],
            [&liar, &shifted, &judge],
            [&honest, &calibrated, &judge],
        ] {
            assert_eq!(allocations(&mut state, players, 500), 0);
        }
    }
}
