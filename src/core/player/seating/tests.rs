use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;
use crate::number::Exact;
use crate::player::test_players::prime;
use crate::player::{Choice, Policy, Registry, Spec};
use crate::protocol::{Protocol, View};
use crate::scenario::Instance;

/// Counts how often a player is asked.
struct Counted<'a>(Built<'a, Exact>, &'a AtomicUsize);

impl<'a> Policy<Exact, State<'a, Exact>> for Counted<'a> {
    fn choose(
        &self,
        view: View<'_, State<'a, Exact>>,
        request: &Request<Exact>,
        mind: &mut PolicyState,
    ) -> Option<Choice<Exact>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        mind.memory.0[0] += 1;
        self.0.choose(view, request, mind)
    }
}

fn seating<'a>(
    instance: &'a Instance,
    asked: &'a AtomicUsize,
    outside: Option<Seat>,
) -> Seating<'a, Exact> {
    let protocol = Protocol::parse("Recursive").unwrap();
    let players = Seat::PLAYERS.map(|seat| {
        if Some(seat) == outside {
            return Player::Outside;
        }
        let spec = Spec::named(["random", "random", "oracle"][seat.index()]);
        let built = Registry::builtin().build(&spec, seat, instance, &protocol);
        Player::Builtin(Box::new(Counted(built.unwrap(), asked)))
    });
    let start = protocol.start(instance).unwrap();
    Seating::new(start, players, &Seed::new("7").unwrap(), 0)
}

#[test]
fn going_back_asks_nobody_again_and_forgets_what_was_remembered_since() {
    let (instance, asked) = (prime(4331, 4), AtomicUsize::new(0));
    let mut seating = seating(&instance, &asked, None);
    let mut minds = vec![seating.minds];
    while seating.advance().is_ok() {
        minds.push(seating.minds);
    }
    let moves = seating.moves().to_vec();
    assert_eq!(asked.load(Ordering::Relaxed), moves.len());
    for kept in (0..moves.len()).rev() {
        seating.go_back(kept).unwrap();
        assert_eq!(
            (seating.minds, seating.moves()),
            (minds[kept], &moves[..kept])
        );
    }
    assert_eq!(asked.load(Ordering::Relaxed), moves.len());
    seating.play(&Budget::default()).unwrap();
    assert_eq!(seating.moves(), moves);
}

#[test]
fn play_stops_for_people_for_the_budget_and_at_a_flag() {
    let (instance, asked) = (prime(4331, 4), AtomicUsize::new(0));
    let mut open = seating(&instance, &asked, Some(Seat::Opponent));
    open.play(&Budget::default()).unwrap();
    assert_eq!(open.awaited(), Some(Seat::Opponent));
    let mut few = seating(&instance, &asked, None);
    let budget = Budget {
        steps: 2,
        ..Budget::default()
    };
    let Err(Stuck::Play(PlayError::Exceeded(Exceeded::TooLarge { what, limit, .. }))) =
        few.play(&budget)
    else {
        panic!("it is more than two moves long");
    };
    assert_eq!((what, limit), ("moves", 2));
    let stop = AtomicBool::new(true);
    let budget = Budget {
        stop: Some(&stop),
        ..Budget::default()
    };
    let mut none = seating(&instance, &asked, None);
    let stopped = none.play(&budget).unwrap_err();
    assert_eq!(stopped, Stuck::Play(PlayError::Exceeded(Exceeded::Stopped)));
    assert_eq!(none.moves(), []);
}
