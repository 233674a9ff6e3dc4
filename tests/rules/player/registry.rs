use std::collections::HashMap;

use debate_core::number::Exact;
use debate_core::player::{StrategyRegistry, player_in_plain_words};
use debate_core::protocol::{ProtocolKind, Seat};

/// The lines about the players of some seats, from the file about all built-in players.
#[derive(serde::Deserialize)]
struct StrategyWords {
    seats: Vec<Seat>,
    players: HashMap<String, (String, String)>,
}

#[test]
fn the_table_of_players_matches_the_registry() {
    let text = include_str!("../../../src/core/player/words.ron");
    let read: Vec<StrategyWords> = ron::from_str(text).expect("words");
    let lines = read
        .iter()
        .map(|group| group.seats.len() * group.players.len());
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    assert_eq!(registry.entries().len(), lines.sum::<usize>());
    for entry in registry.entries() {
        assert!(
            !entry.strategy_description().is_empty(),
            "{:?} {}",
            entry.protocol,
            entry.name
        );
        let kind = entry.protocol.unwrap_or(ProtocolKind::Recursive);
        let plain = player_in_plain_words(kind, entry.seat, entry.name);
        assert!(plain.ends_with(&format!(" (`{}`)", entry.name)), "{plain}");
    }
}

/// A name such as `obfuscator` means nothing to a new user, so a phrase comes first. The phrase must not say which
/// answer is true, because a judge reads it before the debate.
#[test]
fn a_player_is_described_in_plain_words_before_the_name() {
    let plain = player_in_plain_words(ProtocolKind::ProverEstimator, Seat::Prover, "lazy");
    assert_eq!(plain, "a player who risks nothing (`lazy`)");
    let judge = player_in_plain_words(ProtocolKind::Bisection, Seat::Judge, "oracle");
    assert_eq!(judge, "a judge who answers as the scenario says (`oracle`)");
    let engine = player_in_plain_words(ProtocolKind::Bisection, Seat::Prover, "human");
    assert_eq!(engine, "human");
    let text = include_str!("../../../src/core/player/words.ron");
    let read: Vec<StrategyWords> = ron::from_str(text).expect("words");
    for (plain, _) in read.iter().flat_map(|group| group.players.values()) {
        let reveals = ["liar", "lies", "tells the truth"];
        assert!(!reveals.iter().any(|word| plain.contains(word)), "{plain}");
    }
}
