use std::sync::atomic::AtomicU64;

use debate_core::budget::{Budget, Exceeded};
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{BuildError, Player, Seating, Spec};
use debate_core::protocol::{Kind, Rules as _, Seat};
use debate_solver::analysis::{Solution, SolverInput, default_grid};
use debate_solver::expectimax::{Actor, BEST_RESPONSE, Expectimax};
use debate_solver::registry;
use debate_solver::setup::{Limits, Setup};

fn bundled(name: &str) -> Setup {
    Setup::bundled(name, &Limits::default()).unwrap()
}

fn table(prover: &str, opponent: &str, judge: &str) -> [Spec; 3] {
    [prover, opponent, judge].map(|name| Spec::parse(name).unwrap())
}

fn solved(setup: &Setup, players: &[Spec; 3]) -> Solution<Exact> {
    let registry = registry::<Exact>();
    let grid = default_grid(&setup.protocol);
    let case = SolverInput {
        registry: &registry,
        protocol: &setup.protocol,
        players,
        grid: &grid,
    };
    case.solve(&setup.instance(0), Budget::default()).unwrap()
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
                Budget::default(),
            );
            built.unwrap()
        };
        let seated = [seat(Seat::Prover), seat(Seat::Opponent), seat(Seat::Judge)];
        let start = setup.protocol.start::<Exact>(&instance).unwrap();
        let actors = seated.each_ref().map(|player| Actor::Plays(&**player));
        let played = Expectimax::new(&start, actors, Budget::default())
            .value(start)
            .unwrap();
        let best = solved(&setup, &players).expected.value();
        assert_eq!(played.value(), best, "{prover} against {opponent}");
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
                Budget::default(),
            );
            Player::Builtin(built.unwrap())
        };
        let seated = [sit(Seat::Prover), sit(Seat::Opponent), sit(Seat::Judge)];
        let start = setup.protocol.start::<Exact>(&instance).unwrap();
        let mut seating = Seating::new(start, seated, &Seed::new(seed).unwrap(), 0);
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
            Budget::default(),
        );
        assert!(matches!(built.err(), Some(BuildError::Against { .. })));
    }
    let alone = registry.build(
        &Spec::without_arguments(BEST_RESPONSE),
        Seat::Prover,
        &instance,
        &setup.protocol,
    );
    assert!(matches!(alone.err(), Some(BuildError::Against { .. })));
    // No best response is defined against a prover who hides a draw.
    let players = table("random", BEST_RESPONSE, "oracle");
    let built = registry.build_at(
        &players,
        Seat::Opponent,
        &instance,
        &setup.protocol,
        Budget::default(),
    );
    assert!(matches!(built.err(), Some(BuildError::Refused { .. })));
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
        let budget = Budget {
            stop: Some(&stop),
            progress: Some(&played),
            ..Budget::default()
        };
        let registry = registry::<f64>();
        let built = registry.build_at(&players, seat, &instance, &setup.protocol, budget);
        let (name, exceeded) = (BEST_RESPONSE, Exceeded::Stopped);
        assert_eq!(
            built.err(),
            Some(BuildError::Exceeded { name, exceeded }),
            "{scenario}: {prover} against {opponent}"
        );
        assert!(played.into_inner() <= Budget::STEP);
    }
}

#[test]
fn the_best_response_plays_eight_protocols() {
    let registry = registry::<Exact>();
    let plays = |kind: &&Kind| {
        let mut seats = [Seat::Prover, Seat::Opponent].into_iter();
        seats.all(|seat| {
            let mut entries = registry.for_seat(seat, **kind);
            entries.any(|entry| entry.name == BEST_RESPONSE)
        })
    };
    assert_eq!(Kind::ALL.iter().filter(plays).count(), 8);
}
