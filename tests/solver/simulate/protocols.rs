//! Simulations under every protocol, compared with the exact values.

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::Protocol;
use debate_solver::analysis::DebateSolutionInputs;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use debate_solver::simulate::{RulesAndPlayers, merge_shards};
use num_bigint::BigInt;
use num_traits::Zero as _;

use super::{part, run, side};

/// A scenario, its rules if they are not its own, and the players.
struct Tried {
    scenario: &'static str,
    rules: &'static str,
    players: [&'static str; 3],
}

/// Draws of every kind: estimates, coins, samples, votes, challenges, bits, judges who err.
const TRIED: [Tried; 12] = [
    Tried {
        scenario: "lighthouse",
        rules: "Speeches(rounds: 1)",
        players: ["random", "silent", "swayed"],
    },
    Tried {
        scenario: "caffeine-plan",
        rules: "",
        players: ["drifting(0.1)", "random", "oracle"],
    },
    Tried {
        scenario: "caffeine-plan",
        rules: "",
        players: ["liar", "honest", "oracle"],
    },
    Tried {
        scenario: "caffeine-plan",
        rules: "Stochastic(k: 1, constants: Panel(size: 3, threshold: 0.4))",
        players: ["random", "random", "noisy(0.2)"],
    },
    Tried {
        scenario: "turing",
        rules: "",
        players: ["liar", "random", "oracle"],
    },
    Tried {
        scenario: "law",
        rules: "",
        players: ["liar(3)", "random", "noisy(0.1)"],
    },
    Tried {
        scenario: "multiplier",
        rules: "",
        players: ["liar(3)", "random", "oracle"],
    },
    Tried {
        scenario: "parity",
        rules: "",
        players: ["random", "honest", "oracle"],
    },
    Tried {
        scenario: "parity",
        rules: "Verified(Descent)",
        players: ["liar", "random", "oracle"],
    },
    Tried {
        scenario: "qbf",
        rules: "Quantifiers(verifier: Direct)",
        players: ["random", "random", "oracle"],
    },
    Tried {
        scenario: "primes-recursive",
        rules: "",
        players: ["obfuscator", "bounded(2)", "noisy(0.1)"],
    },
    Tried {
        scenario: "two-of-three",
        rules: "",
        players: ["liar", "hedged", "noisy(0.05)"],
    },
];

impl Tried {
    fn seated(&self) -> (LoadedScenario, RulesAndPlayers) {
        let mut setup =
            LoadedScenario::load_bundled_scenario(self.scenario, &ScenarioLimits::default())
                .unwrap();
        if !self.rules.is_empty() {
            setup.protocol = Protocol::parse(self.rules).unwrap();
        }
        let side = side(&setup, self.players);
        (setup, side)
    }
}

/// The prover's exact expected payoff over all instances, and its standard deviation.
fn expected(setup: &LoadedScenario, side: &RulesAndPlayers) -> (f64, f64) {
    let case: DebateSolutionInputs<'_, f64> = DebateSolutionInputs {
        registry: &StrategyRegistry::registry_with_builtin_players(),
        protocol: &side.protocol,
        players: &side.players,
        grid: &[],
    };
    let all = setup.decomposition.worlds();
    let worlds: Vec<usize> = match setup.requested_world {
        Some(world) => vec![world],
        None => (0..all.len()).collect(),
    };
    let total: Exact = worlds.iter().map(|world| &all[*world].weight).sum();
    let (mut mean, mut square) = (0.0, 0.0);
    for world in worlds {
        let solved = case
            .solve(&setup.instance(world), ComputationBudget::default())
            .unwrap()
            .expected;
        let share = (&all[world].weight / &total).to_float();
        mean += share * solved.expected_payoff();
        square += share * solved.square;
    }
    (mean, (square - mean * mean).max(0.0).sqrt())
}

#[test]
fn means_agree_with_exact_values_under_every_protocol() {
    let mut kinds = Vec::new();
    for tried in &TRIED {
        let (setup, side) = tried.seated();
        let (players, count) = (tried.players, 1500);
        let found = run(&setup, std::slice::from_ref(&side), 0..count, 2);
        let sums = &found.sides[0];
        let (mean, spread) = expected(&setup, &side);
        let off = (sums.payoff.mean(count).unwrap() - mean).abs();
        let error = spread / 1500_f64.sqrt();
        let name = tried.scenario;
        assert!(spread > 0.01, "{name}: nothing is drawn: {mean}");
        assert!(off < 4.5 * error, "{name} {players:?}: {off} of {error}");
        // The printed interval has the width that the spread implies.
        let printed = sums.payoff.standard_error(count).unwrap();
        assert!(
            (printed / error - 1.0).abs() < 0.5,
            "{name}: {printed} {error}"
        );
        kinds.push(side.protocol.kind());
    }
    for kind in debate_core::protocol::ProtocolKind::ALL {
        assert!(kinds.contains(kind), "{}", kind.protocol_name());
    }
}

#[test]
fn shards_merge_to_the_whole_under_every_protocol() {
    for tried in &TRIED {
        let (setup, first) = tried.seated();
        let mut second = first.clone();
        let other = match tried.players[0] {
            "random" if tried.scenario == "lighthouse" => "quoter",
            "random" => "honest",
            _ => "random",
        };
        second.players[0] = PlayerSpec::without_arguments(other);
        let sides = [first, second];
        let whole = run(&setup, &sides, 0..300, 2);
        let part = |number: u64| {
            let debates = 300 * number / 3..300 * (number + 1) / 3;
            part(&setup, &sides, 300, debates)
        };
        let merged = merge_shards((0..3).rev().map(part).collect())
            .unwrap()
            .unwrap();
        assert_eq!(merged.whole.simulated, whole, "{}", tried.scenario);
        assert!(merged.missing.is_empty());
        let difference = whole.difference.unwrap();
        let [first, second] = whole.sides.as_slice() else {
            panic!("two sides");
        };
        assert_eq!(difference.sum, &first.payoff.sum - &second.payoff.sum);
        assert_ne!(difference.squares, BigInt::zero(), "{}", tried.scenario);
    }
}
