use std::collections::HashMap;

use debate_core::number::Exact;
use debate_core::player::Registry;
use debate_core::protocol::Seat;

/// The lines about the players of some seats, from the file about all built-in players.
#[derive(serde::Deserialize)]
struct StrategyWords {
    seats: Vec<Seat>,
    players: HashMap<String, String>,
}

#[test]
fn the_table_of_players_matches_the_registry() {
    let text = include_str!("../../../src/core/player/words.ron");
    let read: Vec<StrategyWords> = ron::from_str(text).expect("words");
    let lines = read
        .iter()
        .map(|group| group.seats.len() * group.players.len());
    let registry = Registry::<Exact>::with_builtin_players();
    assert_eq!(registry.entries().len(), lines.sum::<usize>());
    for entry in registry.entries() {
        assert!(
            !entry.description().is_empty(),
            "{:?} {}",
            entry.protocol,
            entry.name
        );
    }
}
