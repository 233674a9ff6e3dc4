//! A debate that is laid out as a graph allocates no memory, and no step of any debate does.

use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{SeededRandomness, StrategyRegistry, play_between};
use debate_core::protocol::{
    Event, EventSink, Protocol, ProtocolKind, ReplySeal, Rules as _, Seat,
};
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use debate_solver::simulate::{PlannedSimulation, RulesAndPlayers};

use super::{built, side};

/// A scenario, protocol, prover and opponent for each protocol.
const EVERY_PROTOCOL: [(&str, &str, &str, &str); 10] = [
    (
        "primes",
        "ProverEstimator(epsilon: 0.45, rho: \"1/9\")",
        "honest",
        "calibrated",
    ),
    (
        "hidden-flaw",
        "ProverEstimator(epsilon: 0.25, rho: 0.5)",
        "random",
        "bayes",
    ),
    ("primes-recursive", "Recursive", "obfuscator", "random"),
    ("turing", "Bisection", "liar", "honest"),
    ("parity", "CrossExamination", "liar", "honest"),
    ("multiplier", "Descent", "liar", "honest"),
    ("qbf", "Quantifiers(verifier: Direct)", "honest", "honest"),
    ("caffeine-plan", "Stochastic(k: 3)", "honest", "honest"),
    ("multiplier", "Verified(Descent)", "liar", "honest"),
    ("lighthouse", "Speeches(rounds: 2)", "silent", "silent"),
];

/// The number of allocations of a simulation on this thread.
fn allocations(setup: &LoadedScenario, side: &RulesAndPlayers, debates: u64) -> u64 {
    let seed = Seed::new("allocations").unwrap();
    let simulation = PlannedSimulation {
        setup,
        world: None,
        seed: &seed,
        sides: std::slice::from_ref(side),
        debates: 0..debates,
        threads: 1,
    };
    let registries = (
        StrategyRegistry::registry_with_builtin_players(),
        StrategyRegistry::registry_with_builtin_players(),
    );
    let run = || {
        let found = simulation.run(&registries.0, &registries.1, ComputationBudget::default());
        assert_eq!(found.unwrap().sides[0].debates, debates);
    };
    allocation_counter::measure(run).count_total
}

#[test]
fn no_debate_allocates() {
    let mut seen = Vec::new();
    for (scenario, protocol, prover, opponent) in EVERY_PROTOCOL {
        let mut setup =
            LoadedScenario::find_scenario(scenario, &ScenarioLimits::default()).unwrap();
        setup.protocol = Protocol::parse(protocol).unwrap();
        let side = side(&setup, [prover, opponent, "oracle"]);
        // The first simulation sets up data that all later ones use. The shorter of the other two includes every
        // instance that the longer one includes.
        let [_, short, long] = [256, 512, 1024].map(|debates| allocations(&setup, &side, debates));
        let more = long - short;
        let kind = setup.protocol.kind();
        seen.push(kind);
        if kind == ProtocolKind::Stochastic {
            // It draws too many kinds of samples for a graph. Each debate is set up again, but its steps allocate no
            // memory.
            let range = 512..=8 * 512;
            assert!(range.contains(&more), "{scenario}, {protocol}: {more}");
        } else {
            // Two more chunks of debates, whose sums are added once each.
            assert!(more <= 8, "{scenario}, {protocol}: {more}");
        }
    }
    assert!(ProtocolKind::ALL.iter().all(|kind| seen.contains(kind)));
}

/// A sink that counts events and drops them.
struct Count {
    wants: bool,
    noted: u64,
}

impl EventSink<Exact> for Count {
    fn wants(&self) -> bool {
        self.wants
    }

    fn note(&mut self, _seat: Seat, _seal: Option<ReplySeal>, _event: Event<Exact>) {
        self.noted += 1;
    }
}

#[test]
fn headless_play_builds_no_unused_events() {
    let seed = Seed::new("allocations").unwrap();
    for (scenario, protocol, prover, opponent) in EVERY_PROTOCOL {
        let mut setup =
            LoadedScenario::find_scenario(scenario, &ScenarioLimits::default()).unwrap();
        setup.protocol = Protocol::parse(protocol).unwrap();
        let instance = setup.instance(0);
        let side = side(&setup, [prover, opponent, "oracle"]);
        let players = built::<Exact>(&side, &instance);
        let players = players.each_ref().map(|player| &**player);
        let start = setup.protocol.start::<Exact>(&instance).unwrap();
        let play = |wants| {
            let mut state = start.clone();
            let mut chances = SeededRandomness::new(&seed, 0, state.coins());
            let mut count = Count { wants, noted: 0 };
            let taken = allocation_counter::measure(|| {
                let budget = ComputationBudget::default();
                let played = play_between(&mut state, players, &mut chances, &mut count, &budget);
                assert!(played.is_ok());
            });
            (count.noted, taken.count_total)
        };
        let _ = play(true);
        let ((noted, loud), (unwanted, silent)) = (play(true), play(false));
        assert!(
            noted > 0 && unwanted == 0,
            "{protocol}: {noted}, {unwanted}"
        );
        // These events list claims; the other kinds need no allocation.
        let lists = matches!(
            setup.protocol.kind(),
            ProtocolKind::Bisection
                | ProtocolKind::Descent
                | ProtocolKind::Quantifiers
                | ProtocolKind::Stochastic
                | ProtocolKind::Verified
        );
        assert_eq!(silent < loud, lists, "{protocol}: {silent}, {loud}");
    }
}
