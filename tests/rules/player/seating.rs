use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use debate_core::budget::{ComputationBudget, ComputationStopReason};
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{
    BuiltinDebateUnfinishedError, CannotAdvanceDebate, PlayableStrategy, Player, PlayerSpec,
    Policy, ReplyDistribution, SeatedDebate, StrategyMemoryAndCosts, StrategyRegistry,
};
use debate_core::protocol::{Protocol, Request, Seat, State, View};
use debate_core::scenario::Instance;

use crate::support::players::prime;

/// The questions to the players: the seat, and the number of questions that the player's state has counted.
type Asked = Mutex<Vec<(Seat, u64)>>;

/// A player that counts its questions in its state.
struct Counting<'a>(PlayableStrategy<'a, Exact>, &'a Asked);

impl<'a> Policy<Exact, State<'a, Exact>> for Counting<'a> {
    fn choose(
        &self,
        view: View<'_, State<'a, Exact>>,
        request: &Request<Exact>,
        policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        let remembered = policy_state.memory.0[0];
        self.1
            .lock()
            .unwrap()
            .push((view.viewing_seat(), remembered));
        policy_state.memory.0[0] += 1;
        self.0.choose(view, request, policy_state)
    }
}

fn seating<'a>(
    instance: &'a Instance,
    asked: &'a Asked,
    outside: Option<Seat>,
) -> SeatedDebate<'a, Exact> {
    let protocol = Protocol::parse("Recursive").unwrap();
    let players = Seat::PLAYERS.map(|seat| {
        if Some(seat) == outside {
            return Player::Outside;
        }
        let spec = PlayerSpec::without_arguments(["random", "random", "oracle"][seat.seat_index()]);
        let built = StrategyRegistry::registry_with_builtin_players()
            .build(&spec, seat, instance, &protocol);
        Player::Builtin(Box::new(Counting(built.unwrap(), asked)))
    });
    let start = protocol.start(instance).unwrap();
    SeatedDebate::new(start, players, &Seed::new("7").unwrap(), 0)
}

#[test]
fn going_back_forgets_later_memory_and_asks_no_player() {
    let (instance, asked) = (prime(4331, 4), Asked::default());
    let mut seating = seating(&instance, &asked, None);
    while seating.make_automatic_move().is_ok() {}
    let moves = seating.moves().to_vec();
    let first = asked.lock().unwrap().clone();
    assert_eq!(first.len(), moves.len());
    for kept in (0..moves.len()).rev() {
        asked.lock().unwrap().clear();
        seating.go_back_to_move(kept).unwrap();
        assert_eq!(seating.moves(), &moves[..kept]);
        assert_eq!(*asked.lock().unwrap(), []);
        // The player's state is the same as the first time.
        seating.make_automatic_move().unwrap();
        assert_eq!(*asked.lock().unwrap(), first[kept..=kept]);
        seating.go_back_to_move(kept).unwrap();
    }
    seating
        .play_automatic_moves(&ComputationBudget::default())
        .unwrap();
    assert_eq!(seating.moves(), moves);
}

#[test]
fn play_stops_for_people_for_the_budget_and_at_a_flag() {
    let (instance, asked) = (prime(4331, 4), Asked::default());
    let mut open = seating(&instance, &asked, Some(Seat::Opponent));
    open.play_automatic_moves(&ComputationBudget::default())
        .unwrap();
    assert_eq!(
        open.awaited_seat_of_user_or_driving_program(),
        Some(Seat::Opponent)
    );
    let mut few = seating(&instance, &asked, None);
    let budget = ComputationBudget {
        steps: 2,
        ..ComputationBudget::default()
    };
    let Err(CannotAdvanceDebate::Play(BuiltinDebateUnfinishedError::Exceeded(
        ComputationStopReason::TooLarge { what, limit, .. },
    ))) = few.play_automatic_moves(&budget)
    else {
        panic!("it is more than two moves long");
    };
    assert_eq!((what, limit), ("moves", 2));
    let stop = AtomicBool::new(true);
    let budget = ComputationBudget {
        stop: Some(&stop),
        ..ComputationBudget::default()
    };
    let mut none = seating(&instance, &asked, None);
    let stopped = none.play_automatic_moves(&budget).unwrap_err();
    assert_eq!(
        stopped,
        CannotAdvanceDebate::Play(BuiltinDebateUnfinishedError::Exceeded(
            ComputationStopReason::Stopped
        ))
    );
    assert_eq!(none.moves(), []);
}
