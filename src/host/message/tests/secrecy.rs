//! Tests of secrecy: the messages to a seat do not depend on replies that are sealed from it. During a debate, engines,
//! the server and the MCP tools send only messages built by a [`SeatMessageBuilder`].

use serde_json::{Value, json};

use crate::message::{SeatMessageBuilder, SeenEventsOfOneSeat};
use debate_core::observe::ObservedLogEntry;
use debate_core::protocol::{Bet, LogViewerRole, Protocol, Reply, Seat};
use debate_core::scenario::{Instance, Speech};
use debate_core::{Exact, Move, Number as _, Player, PlayerSpec, SeatedDebate, Seed};
use debate_solver::registry;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};

/// Returns the moves of a debate between random players.
fn random_moves(protocol: &Protocol, instance: &Instance, seed: &Seed) -> Vec<Move<Exact>> {
    let registry = registry::<Exact>();
    let built = |name, seat| {
        let player = registry.build(
            &PlayerSpec::without_arguments(name),
            seat,
            instance,
            protocol,
        );
        Player::Builtin(player.unwrap())
    };
    let players = [
        built("random", Seat::Prover),
        built("random", Seat::Opponent),
        built("oracle", Seat::Judge),
    ];
    let mut seating = SeatedDebate::new(protocol.start(instance).unwrap(), players, seed, 0);
    while seating.turn().is_some() {
        seating.make_automatic_move().unwrap();
    }
    seating.moves().to_vec()
}

/// Returns the debate of these moves, if they are legal in sequence.
fn followed<'a>(
    protocol: &Protocol,
    instance: &'a Instance,
    moves: &[Move<Exact>],
) -> Option<SeatedDebate<'a, Exact>> {
    let nobody = [Player::Outside, Player::Outside, Player::Outside];
    let seed = Seed::new("any").unwrap();
    let mut seating = SeatedDebate::new(protocol.start(instance).unwrap(), nobody, &seed, 0);
    for made in moves {
        seating.apply_recorded_move(made.clone()).ok()?;
    }
    Some(seating)
}

/// Returns other replies of the same kind.
fn others(reply: &Reply<Exact>) -> Vec<Reply<Exact>> {
    match reply {
        Reply::Answer(answer) => vec![Reply::Answer(!answer)],
        Reply::Direction(bet) => {
            let all = [Bet::TooHigh, Bet::AboutRight, Bet::TooLow];
            let others = all.into_iter().filter(|other| other != bet);
            others.map(Reply::Direction).collect()
        }
        Reply::Probability(p) => vec![Reply::Probability(Exact::ratio(1, 1) - p)],
        Reply::Speech(_) => {
            let said = Speech::parse("Something else.").unwrap();
            vec![Reply::Speech(Box::new(said)), Reply::Speech(Box::default())]
        }
        _ => Vec::new(),
    }
}

/// True if a move is sealed from a seat.
fn is_sealed(seating: &SeatedDebate<'_, Exact>, number: usize, reader: LogViewerRole) -> bool {
    let events = seating
        .timeline()
        .log_range_of_move(number)
        .unwrap_or_default();
    let mut seen = events.filter_map(|index| seating.log().observation_at(index, reader));
    seen.any(|seen| matches!(seen, ObservedLogEntry::Sealed { .. }))
}

/// Returns all messages to the holder of a seat.
fn told(view_builder: &SeatMessageBuilder<'_>, seating: &SeatedDebate<'_, Exact>) -> Value {
    json!({
        "act": view_builder.pending_request(seating, true),
        "seen": view_builder.current_view_for_own_seat(seating),
        "number": view_builder.pending_or_next_request_number(seating),
        "reward": view_builder.debater_payoff_so_far(seating).filter(|_| seating.turn().is_none()),
    })
}

#[test]
fn debates_that_differ_only_in_sealed_replies_give_equal_requests() {
    let mut compared = 0;
    for (scenario, protocol) in [
        ("primes-small", None),
        ("caffeine", None),
        ("hidden-flaw", None),
        ("two-of-three", None),
        ("law", None),
        ("lighthouse", None),
        (
            "five-parts",
            Some("ProverEstimator(epsilon: 0.25, rho: 0.5)"),
        ),
    ] {
        let setup =
            LoadedScenario::load_bundled_scenario(scenario, &ScenarioLimits::default()).unwrap();
        let protocol = protocol.map_or_else(
            || setup.protocol.clone(),
            |text| Protocol::parse(text).unwrap(),
        );
        for seed in 0..4 {
            let seed = Seed::new(format!("{scenario}-{seed}")).unwrap();
            let instance = setup.instance(setup.world_of_debate(&seed, 0));
            let moves = random_moves(&protocol, &instance, &seed);
            for count in 1..moves.len() {
                compared += compare(&setup, &protocol, &instance, &moves[..count]);
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn a_request_is_equal_with_and_without_a_cached_history() {
    for scenario in ["primes-small", "caffeine", "lighthouse"] {
        let setup =
            LoadedScenario::load_bundled_scenario(scenario, &ScenarioLimits::default()).unwrap();
        let seed = Seed::new(scenario).unwrap();
        let (protocol, instance) = (&setup.protocol, setup.instance(0));
        let moves = random_moves(protocol, &instance, &seed);
        let view_builders = Seat::PLAYERS
            .map(|seat| SeatMessageBuilder::new(&setup, protocol, &instance, seat, false));
        let mut histories = Seat::PLAYERS.map(|_| SeenEventsOfOneSeat::default());
        for count in 0..moves.len() {
            let seating = followed(protocol, &instance, &moves[..count]).unwrap();
            for (view_builder, history) in view_builders.iter().zip(&mut histories) {
                let act = view_builder.pending_request_with_cache(&seating, true, history);
                let fresh = view_builder.pending_request(&seating, true);
                assert_eq!(json!(act), json!(fresh), "{scenario} {count}");
            }
        }
    }
}

/// Compares a debate with each variant in which one sealed move differs, for each seat from which the move is sealed.
fn compare(
    setup: &LoadedScenario,
    protocol: &Protocol,
    instance: &Instance,
    moves: &[Move<Exact>],
) -> usize {
    let seating = followed(protocol, instance, moves).unwrap();
    let mut compared = 0;
    for seat in Seat::PLAYERS {
        let reader = LogViewerRole::new(seat, setup.judge_sees);
        let view_builder = SeatMessageBuilder::new(setup, protocol, instance, seat, false);
        let sealed = (0..moves.len()).filter(|number| is_sealed(&seating, *number, reader));
        for number in sealed {
            for reply in others(&moves[number].reply) {
                let mut changed = moves.to_vec();
                changed[number].reply = reply;
                let Some(other) = followed(protocol, instance, &changed) else {
                    continue;
                };
                assert_eq!(
                    told(&view_builder, &seating),
                    told(&view_builder, &other),
                    "{changed:?}"
                );
                compared += 1;
            }
        }
    }
    compared
}
