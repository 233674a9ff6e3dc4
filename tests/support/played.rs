//! Debates between built-in players.

use debate_core::chance::Seed;
use debate_core::player::{Player, PlayerSpec, SeatedDebate, StrategyRegistry};
use debate_core::protocol::{Protocol, Rules, Seat};
use debate_solver::setup::LoadedScenario;

/// Plays a debate in one of a scenario's worlds to its end. Returns Alice's payoff and the bits that the verifier read.
pub fn played(
    setup: &LoadedScenario,
    world: usize,
    protocol: &str,
    players: [&str; 3],
) -> (f64, u64) {
    let protocol = Protocol::parse(protocol).expect("a protocol");
    let instance = setup.instance(world);
    let registry = StrategyRegistry::<f64>::registry_with_builtin_players();
    let seated = |seat: Seat| {
        let spec = PlayerSpec::parse(players[seat.seat_index()]).expect("a player");
        let built = registry.build(&spec, seat, &instance, &protocol);
        Player::Builtin(built.expect("a player of this protocol"))
    };
    let start = protocol.start(&instance).expect("it fits");
    let seed = Seed::new("circuits").expect("a seed");
    let mut seating = SeatedDebate::new(start, Seat::PLAYERS.map(seated), &seed, 0);
    while seating.make_automatic_move().is_ok() {}
    assert!(seating.turn().is_none(), "the debate is over");
    let read = seating
        .spending_by_seat()
        .spending_of_seat(Seat::Judge)
        .bits_read;
    (seating.state().payoff(), read)
}
