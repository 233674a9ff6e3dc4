//! The values of replies, on random small debates.

use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::observe::ObservedLogEntry;
use debate_core::player::{Move, Player, PlayerSpec, SeatedDebate, StrategyRegistry};
use debate_core::protocol::{Bet, Log, Protocol, ProtocolKind, Reply, Rules as _, Seat};
use debate_core::scenario::Instance;
use debate_solver::analysis::review::{ReviewContext, ReviewError};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::support::trees::plans;

const PROTOCOLS: [&str; 3] = [
    "ProverEstimator(epsilon: 0.25, rho: 0.5)",
    "ProverEstimator(epsilon: 0.1, rho: 0.9, carry: Marginal)",
    "Recursive",
];

fn case(instance: &Instance, protocol: &Protocol, sits: [&str; 3]) -> ReviewContext {
    let sits = sits.map(|name| PlayerSpec::parse(name).expect("a name"));
    ReviewContext::new(
        instance,
        protocol,
        sits,
        Default::default(),
        StrategyRegistry::registry_with_builtin_players(),
    )
}

/// A debate of players that make arbitrary legal replies.
fn anything(instance: &Instance, protocol: &Protocol, seed: u32) -> (Vec<Move<Exact>>, Exact) {
    let sit = |seat: Seat| {
        let name = if seat == Seat::Judge {
            "oracle"
        } else {
            "random"
        };
        let spec = PlayerSpec::parse(name).expect("a name");
        let built = StrategyRegistry::registry_with_builtin_players()
            .build(&spec, seat, instance, protocol);
        Player::Builtin(built.expect("a player"))
    };
    let start = protocol.start(instance).expect("fits");
    let seed = Seed::new(seed.to_string()).expect("a seed");
    let mut seating = SeatedDebate::new(start, Seat::PLAYERS.map(sit), &seed, 0);
    while seating.make_automatic_move().is_ok() {}
    assert!(seating.turn().is_none(), "played to its end");
    (seating.moves().to_vec(), seating.state().payoff())
}

/// The same moves, with each one that is sealed from a seat replaced by another if that is legal.
fn otherwise(
    instance: &Instance,
    protocol: &Protocol,
    moves: &[Move<Exact>],
    viewer: Seat,
) -> Vec<Vec<Move<Exact>>> {
    let mut state = protocol.start::<Exact>(instance).expect("fits");
    let mut log = Log::default();
    let mut ends = Vec::new();
    for made in moves {
        state.reply(made.reply.clone(), &mut log).expect("legal");
        ends.push(log.entries().len());
    }
    let sealed = |place: usize| {
        let from = place.checked_sub(1).map_or(0, |before| ends[before]);
        (from..ends[place]).any(|entry| {
            matches!(
                log.observation_at(entry, Some(viewer)),
                Some(ObservedLogEntry::Sealed { .. })
            )
        })
    };
    let mut found = Vec::new();
    for place in (0..moves.len()).filter(|place| sealed(*place)) {
        let others: Vec<Reply<Exact>> = match &moves[place].reply {
            Reply::Answer(answer) => vec![Reply::Answer(!answer)],
            Reply::Direction(_) => Bet::ALL.map(Reply::Direction).into(),
            _ => Vec::new(),
        };
        for reply in others {
            let mut other = moves.to_vec();
            other[place].reply = reply;
            found.push(other);
        }
    }
    found
}

proptest! {
    #![proptest_config(Config { cases: 6, failure_persistence: None, ..Config::default() })]

    #[test]
    fn the_parts_add_up_exactly(
        plan in plans(),
        rules in 0..PROTOCOLS.len(),
        seed in any::<u32>(),
        people in any::<[bool; 2]>(),
    ) {
        let instance = plan.build();
        let protocol = Protocol::parse(PROTOCOLS[rules]).expect("legal");
        let (moves, payoff) = anything(&instance, &protocol, seed);
        // Each reply may be a user's, or a random draw of a strategy.
        let estimates = protocol.kind() == ProtocolKind::ProverEstimator;
        let strategies = ["honest", if estimates { "stubborn(0.25)" } else { "honest" }];
        let [prover, opponent] = [0, 1].map(|seat| if people[seat] { "human" } else { strategies[seat] });
        let review = case(&instance, &protocol, [prover, opponent, "oracle"]).review_moves(&moves, ComputationBudget::default());
        let review = review.expect("small");
        prop_assert_eq!(&review.payoff, &payoff);
        if let Some(parts) = &review.parts {
            prop_assert_eq!(&parts.total_payoff(), &payoff);
        }
        let faults = review.moves_with_greatest_faults();
        let fault = |number: &usize| review.steps[*number].fault.as_ref().expect("a fault");
        let losing = faults.iter().filter(|number| fault(number).loss > Exact::default()).count();
        prop_assert!(losing <= 3 && faults.len() - losing <= 3);
        for (step, made) in review.steps.iter().zip(&moves) {
            prop_assert_eq!(step.seat, made.seat);
            if let Some(fault) = &step.fault {
                prop_assert!(people[step.seat.seat_index()] && fault.loss >= Exact::default());
            }
        }
    }

    #[test]
    fn hints_are_independent_of_sealed_replies(plan in plans(), rules in 0_usize..2, seed in any::<u32>()) {
        let instance = plan.build();
        let protocol = Protocol::parse(PROTOCOLS[rules]).expect("legal");
        let (moves, _) = anything(&instance, &protocol, seed);
        let case = case(&instance, &protocol, ["random", "human", "oracle"]);
        let asked = moves.iter().position(|made| matches!(made.reply, Reply::Probability(_)));
        let last = moves.iter().rposition(|made| matches!(made.reply, Reply::Probability(_)));
        for place in asked.into_iter().chain(last) {
            let moves = &moves[..place];
            let hints = case.reply_hints(moves, ComputationBudget::default());
            if matches!(hints, Err(ReviewError::Unsolved(_))) {
                continue;
            }
            for other in otherwise(&instance, &protocol, moves, Seat::Opponent) {
                prop_assert_eq!(&case.reply_hints(&other, ComputationBudget::default()), &hints);
            }
        }
    }
}
