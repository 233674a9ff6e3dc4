use std::sync::atomic::AtomicU64;

use debate_core::budget::{ComputationBudget, ComputationStopReason};
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{Player, PlayerSpec, SeatedDebate, StrategyBuildError};
use debate_core::protocol::{ProtocolKind, Rules as _, Seat};
use debate_solver::analysis::{DebateSolution, DebateSolutionInputs, default_probability_grid};
use debate_solver::expectimax::{BEST_RESPONSE, ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::registry;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};

fn bundled(name: &str) -> LoadedScenario {
    LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap()
}

fn table(prover: &str, opponent: &str, judge: &str) -> [PlayerSpec; 3] {
    [prover, opponent, judge].map(|name| PlayerSpec::parse(name).unwrap())
}

fn solved(setup: &LoadedScenario, players: &[PlayerSpec; 3]) -> DebateSolution<Exact> {
    let registry = registry::<Exact>();
    let grid = default_probability_grid(&setup.protocol);
    let case = DebateSolutionInputs {
        registry: &registry,
        protocol: &setup.protocol,
        players,
        grid: &grid,
    };
    case.solve(&setup.instance(0), ComputationBudget::default())
        .unwrap()
}

/// The player built from the registry gets the value that the walk computes for a best response.
#[test]
fn a_best_responding_player_gets_the_value_of_the_best_response() {
    for (scenario, prover, opponent) in [
        ("hidden-flaw", "exploiter", BEST_RESPONSE),
        ("hidden-flaw", BEST_RESPONSE, "bayes"),
        ("hidden-flaw", "honest", BEST_RESPONSE),
        ("hidden-flaw", "liar", BEST_RESPONSE),
        ("primes-small", BEST_RESPONSE, "calibrated"),
        ("primes-recursive", "obfuscator", BEST_RESPONSE),
        ("turing", "liar", BEST_RESPONSE),
        ("multiplier", "honest", BEST_RESPONSE),
        ("parity", "liar", BEST_RESPONSE),
        ("parity", BEST_RESPONSE, "false-alarm"),
        ("qbf", "liar", BEST_RESPONSE),
    ] {
        let setup = bundled(scenario);
        let players = table(prover, opponent, "oracle");
        let instance = setup.instance(0);
        let registry = registry::<Exact>();
        let seat = |seat| {
            let built = registry.build_at(
                &players,
                seat,
                &instance,
                &setup.protocol,
                ComputationBudget::default(),
            );
            built.unwrap()
        };
        let seated = [seat(Seat::Prover), seat(Seat::Opponent), seat(Seat::Judge)];
        let start = setup.protocol.start::<Exact>(&instance).unwrap();
        let actors = seated
            .each_ref()
            .map(|player| SeatDecisionMaker::Plays(&**player));
        let played = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default())
            .expectation_from_state(start)
            .unwrap();
        let best = solved(&setup, &players).expected.expected_payoff();
        assert_eq!(
            played.expected_payoff(),
            best,
            "{prover} against {opponent}"
        );
    }
}

#[test]
fn a_best_response_is_built_under_any_seed() {
    let setup = bundled("hidden-flaw");
    let instance = setup.instance(0);
    let players = table("exploiter", BEST_RESPONSE, "oracle");
    let registry = registry::<Exact>();
    for seed in ["1", "2", "3"] {
        let sit = |seat| {
            let built = registry.build_at(
                &players,
                seat,
                &instance,
                &setup.protocol,
                ComputationBudget::default(),
            );
            Player::Builtin(built.unwrap())
        };
        let seated = [sit(Seat::Prover), sit(Seat::Opponent), sit(Seat::Judge)];
        let start = setup.protocol.start::<Exact>(&instance).unwrap();
        let mut seating = SeatedDebate::new(start, seated, &Seed::new(seed).unwrap(), 0);
        while seating.state().request().is_some() {
            seating.make_automatic_move().unwrap();
        }
    }
}

#[test]
fn a_best_response_needs_a_known_opponent() {
    let setup = bundled("hidden-flaw");
    let instance = setup.instance(0);
    let registry = registry::<f64>();
    for (prover, opponent, seat) in [
        (BEST_RESPONSE, "human", Seat::Prover),
        ("human", BEST_RESPONSE, Seat::Opponent),
        (BEST_RESPONSE, BEST_RESPONSE, Seat::Prover),
    ] {
        let players = table(prover, opponent, "oracle");
        let built = registry.build_at(
            &players,
            seat,
            &instance,
            &setup.protocol,
            ComputationBudget::default(),
        );
        assert!(matches!(
            built.err(),
            Some(StrategyBuildError::Against { .. })
        ));
    }
    let alone = registry.build(
        &PlayerSpec::without_arguments(BEST_RESPONSE),
        Seat::Prover,
        &instance,
        &setup.protocol,
    );
    assert!(matches!(
        alone.err(),
        Some(StrategyBuildError::Against { .. })
    ));
    // No best response is defined against a prover who hides a draw.
    let players = table("random", BEST_RESPONSE, "oracle");
    let built = registry.build_at(
        &players,
        Seat::Opponent,
        &instance,
        &setup.protocol,
        ComputationBudget::default(),
    );
    assert!(matches!(
        built.err(),
        Some(StrategyBuildError::Refused { .. })
    ));
}

#[test]
fn a_stop_ends_the_building_within_a_step_of_the_budget() {
    let stop = std::sync::atomic::AtomicBool::new(true);
    for (scenario, prover, opponent) in [
        ("hidden-flaw", BEST_RESPONSE, "bayes"),
        ("hidden-flaw", "exploiter", BEST_RESPONSE),
        ("hidden-flaw", "honest", BEST_RESPONSE),
        ("primes-recursive", BEST_RESPONSE, "honest"),
        ("primes-recursive", "obfuscator", BEST_RESPONSE),
        ("one-question", BEST_RESPONSE, "honest"),
        ("one-question", "honest", BEST_RESPONSE),
    ] {
        let setup = bundled(scenario);
        let instance = setup.instance(0);
        let players = table(prover, opponent, "oracle");
        let seat = if prover == BEST_RESPONSE {
            Seat::Prover
        } else {
            Seat::Opponent
        };
        let played = AtomicU64::new(0);
        let budget = ComputationBudget {
            stop: Some(&stop),
            progress: Some(&played),
            ..ComputationBudget::default()
        };
        let registry = registry::<f64>();
        let built = registry.build_at(&players, seat, &instance, &setup.protocol, budget);
        let (name, exceeded) = (BEST_RESPONSE, ComputationStopReason::Stopped);
        assert_eq!(
            built.err(),
            Some(StrategyBuildError::Exceeded { name, exceeded }),
            "{scenario}: {prover} against {opponent}"
        );
        assert!(played.into_inner() <= ComputationBudget::STEP);
    }
}

#[test]
fn the_best_response_plays_eight_protocols() {
    let registry = registry::<Exact>();
    let plays = |kind: &&ProtocolKind| {
        let mut seats = [Seat::Prover, Seat::Opponent].into_iter();
        seats.all(|seat| {
            let mut entries = registry.strategies_for_seat(seat, **kind);
            entries.any(|entry| entry.name == BEST_RESPONSE)
        })
    };
    assert_eq!(ProtocolKind::ALL.iter().filter(plays).count(), 8);
}
