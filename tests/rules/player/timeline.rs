use std::sync::Arc;

use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{DebateTimeline, Player, PlayerSpec, SeatedDebate, StrategyRegistry};
use debate_core::protocol::{Protocol, Rules as _, Seat};
use debate_core::scenario::{Instance, Oracle, QbfProblem, read_qdimacs};
use proptest::prelude::*;

use crate::support::players::prime;

/// Plays a debate of built-in players to its end.
fn played<'a>(instance: &'a Instance, protocol: &str, names: [&str; 3]) -> SeatedDebate<'a, Exact> {
    let protocol = Protocol::parse(protocol).unwrap();
    let registry = StrategyRegistry::registry_with_builtin_players();
    let players = Seat::PLAYERS.map(|seat| {
        let spec = PlayerSpec::parse(names[seat.seat_index()]).unwrap();
        Player::Builtin(registry.build(&spec, seat, instance, &protocol).unwrap())
    });
    let start = protocol.start(instance).unwrap();
    let mut seating = SeatedDebate::new(start, players, &Seed::new("7").unwrap(), 0);
    seating
        .play_automatic_moves(&ComputationBudget::default())
        .unwrap();
    assert_eq!(seating.turn(), None);
    seating
}

/// A debate that needs several snapshots.
fn long(instance: &Instance) -> SeatedDebate<'_, Exact> {
    let rules = "ProverEstimator(epsilon: 0.25, rho: \"1/2\")";
    played(instance, rules, ["random", "calibrated", "oracle"])
}

/// All observable data of a timeline at its cursor.
fn seen(timeline: &DebateTimeline<'_, Exact>) -> String {
    let state = timeline.state();
    format!(
        "{} {:?} {} {:?} {:?} {:?}",
        timeline.move_count_before_cursor(),
        state.request(),
        state.payoff(),
        state.ledger(),
        timeline.log_to_cursor(),
        timeline.move_before_cursor()
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// At each cursor position, the state equals that of a debate played up to there.
    #[test]
    fn a_position_is_independent_of_the_path_to_it(
        ways in prop::collection::vec((0..5_u8, any::<prop::sample::Index>()), 1..12),
    ) {
        let instance = prime(10_000_019, 64);
        let seating = long(&instance);
        let all = seating.moves();
        prop_assert!(all.len() > 130, "{}", all.len());
        let mut timeline = seating.timeline().clone();
        for (way, place) in ways {
            let place = place.index(all.len() + 1);
            match way {
                0 => timeline.move_cursor_back().unwrap(),
                1 => {
                    timeline.move_cursor_forward().unwrap();
                }
                2 => timeline.truncate_moves(place).unwrap(),
                3 => {
                    if let Some(made) = all.get(timeline.move_count_before_cursor()) {
                        timeline.make_move(made.clone()).unwrap();
                        prop_assert_eq!(timeline.moves().len(), timeline.move_count_before_cursor());
                    }
                }
                _ => timeline.seek_cursor_after_moves(place).unwrap(),
            }
            let at = timeline.move_count_before_cursor();
            let anew = DebateTimeline::with_moves(seating.state_at_start().clone(), &all[..at]).unwrap();
            prop_assert_eq!(seen(&timeline), seen(&anew));
            prop_assert_eq!(timeline.moves(), &all[..timeline.moves().len()]);
            for number in 0..at {
                let events = timeline.log_range_of_move(number).unwrap();
                prop_assert_eq!(Some(events), seating.timeline().log_range_of_move(number));
            }
            prop_assert_eq!(timeline.log_range_of_move(at), None);
        }
    }
}

/// The cost that players report for their moves counts only up to the cursor.
#[test]
fn moves_after_the_cursor_cost_nothing() {
    let instance = prime(4331, 4);
    let seating = long(&instance);
    let mut moves = seating.moves().to_vec();
    moves[0].spent.oracle_queries = 3;
    let start = seating.state_at_start().clone();
    let mut timeline = DebateTimeline::with_moves(start, &moves).unwrap();
    let seat = moves[0].seat;
    let spent = |timeline: &DebateTimeline<'_, Exact>| {
        let all = timeline.spending_by_seat();
        all.spending_of_seat(seat).oracle_queries
    };
    timeline.seek_cursor_after_moves(0).unwrap();
    assert_eq!(spent(&timeline), 0);
    timeline.seek_cursor_after_moves(1).unwrap();
    assert_eq!(spent(&timeline), 3);
}

#[test]
fn the_events_of_its_moves_are_the_log() {
    let instance = prime(4331, 4);
    let seating = long(&instance);
    let timeline = seating.timeline();
    let mut end = 0;
    for number in 0..timeline.move_count_before_cursor() {
        let events = timeline.log_range_of_move(number).unwrap();
        assert_eq!(events.start, end);
        end = events.end;
    }
    assert_eq!(end, timeline.log_to_cursor().entries().len());
    let mut again = timeline.copy_with_cursor_at_start();
    assert_eq!(
        (again.move_count_before_cursor(), again.moves()),
        (0, timeline.moves())
    );
    while again.move_cursor_forward().unwrap().is_some() {}
    assert_eq!(seen(&again), seen(timeline));
}

#[test]
fn an_illegal_move_is_an_error_without_effect() {
    let instance = prime(4331, 4);
    let seating = long(&instance);
    let mut moves = seating.moves().to_vec();
    moves.swap(2, 4);
    let mut timeline = DebateTimeline::new(seating.state_at_start().clone());
    let mut refused = 0;
    for made in &moves {
        let before = seen(&timeline);
        if timeline.make_move(made.clone()).is_err() {
            refused += 1;
            assert_eq!(seen(&timeline), before);
        }
    }
    assert!(refused > 0);
    assert!(DebateTimeline::with_moves(seating.state_at_start().clone(), &moves).is_err());
}

#[test]
fn prepared_replies_are_known_at_every_position() {
    let formula = read_qdimacs(b"p cnf 3 2\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n").unwrap();
    let instance = Instance::new(Arc::new(QbfProblem::new(formula)), 0, Oracle::Truth);
    let rules = "Quantifiers(verifier: CrossExamined)";
    let seating = played(&instance, rules, ["honest", "false-alarm", "oracle"]);
    let mut timeline = seating.timeline().copy_with_cursor_at_start();
    let mut prepared = Vec::new();
    while let Some(latest) = timeline.move_cursor_forward().unwrap() {
        prepared.push(latest.prepared.cloned());
    }
    assert!(prepared.iter().any(Option::is_some), "{prepared:?}");
    for at in (1..=prepared.len()).rev() {
        timeline.seek_cursor_after_moves(at).unwrap();
        let latest = timeline.move_before_cursor().unwrap();
        assert_eq!(latest.prepared, prepared[at - 1].as_ref());
    }
}

mod snapshots {
    use debate_core::player::StateSnapshots;

    /// Distance of the snapshots near the end, in steps.
    const EVERY: usize = 32;

    /// Steps forward from `from` to `to`; each snapshot is its step number.
    fn walk(snapshots: &mut StateSnapshots<usize>, from: usize, to: usize) {
        for steps in from + 1..=to {
            snapshots.store_if_due(steps, || steps);
        }
    }

    /// Asserts that each position has a near snapshot before it, if the timeline was once `furthest` steps long.
    fn assert_close(snapshots: &StateSnapshots<usize>, length: usize, furthest: usize) {
        for back in (0..length).step_by(1 + length / 1000).chain([1, 31, 500]) {
            let steps = length.saturating_sub(back);
            let (at, kept) = snapshots.last_snapshot_strictly_before(steps);
            assert_eq!(at, *kept);
            let near = EVERY.max((furthest - steps) / 7);
            assert!(steps == 0 || at < steps, "{at} {steps} {length}");
            assert!(steps - at <= near + 1, "{at} {steps} {length}");
        }
    }

    #[test]
    fn every_position_has_a_snapshot_shortly_before_it() {
        for length in [0, 31, 32, 33, 1024, 100_000, 1_000_000] {
            let mut snapshots = StateSnapshots::new(0);
            walk(&mut snapshots, 0, length);
            assert!(
                snapshots.snapshot_count_after_start() <= 150,
                "{}",
                snapshots.snapshot_count_after_start()
            );
            assert_close(&snapshots, length, length);
        }
    }

    #[test]
    fn replaying_after_going_back_adds_dense_snapshots() {
        let mut snapshots = StateSnapshots::new(0);
        walk(&mut snapshots, 0, 100_000);
        for back in [70_003, 64, 63, 5, 0] {
            let (from, _) = snapshots.last_snapshot_strictly_before(back);
            snapshots.drop_snapshots_after(from);
            walk(&mut snapshots, from, back);
            assert_close(&snapshots, back, 100_000);
            // The snapshots near the new position are as dense as near the old one.
            let (at, _) = snapshots.last_snapshot_strictly_before(back.saturating_sub(1));
            assert!(back - at <= EVERY + 1, "{at} {back}");
            walk(&mut snapshots, back, 100_000);
            assert_close(&snapshots, 100_000, 100_000);
        }
    }
}
