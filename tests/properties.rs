//! Debates of random legal replies on random small scenarios keep every promise of the rules.

#[path = "support/trees.rs"]
mod trees;

use debate_tui::chance::Seed;
use debate_tui::number::{Exact, Number};
use debate_tui::player::{Player, Seating};
use debate_tui::protocol::{
    Ask, Bet, Bits, Event, Log, Protocol, Reply, Request, Rules, Seat, Seen, State,
};
use debate_tui::scenario::Instance;
use proptest::prelude::*;
use proptest::test_runner::Config;

const PROTOCOLS: [&str; 4] = [
    "ProverEstimator(epsilon: 0.25, rho: 0.5)",
    "ProverEstimator(epsilon: 0.45, rho: \"1/9\", early_leaf: InPlace, direction: Public)",
    "ProverEstimator(epsilon: 0.1, rho: 0.9, carry: Marginal)",
    "Recursive",
];

/// A legal reply, chosen by a number.
fn legal(request: &Request<Exact>, instance: &Instance, choice: u32) -> Reply<Exact> {
    match request {
        Request::Answer { .. } => Reply::Answer(choice % 2 == 1),
        Request::Probability { .. } | Request::Share { .. } => {
            Reply::Probability(Exact::ratio(i64::from(choice % 13), 12))
        }
        Request::Direction { .. } => Reply::Direction(Bet::ALL[choice as usize % 3]),
        Request::Support { offered: count, .. } => Reply::Support(choice % count),
        Request::Select { count, .. } => Reply::Select(choice % count),
        Request::Bits {
            ask:
                Ask::Answers {
                    claim,
                    support,
                    result,
                },
            length,
        } => {
            let wish: Vec<bool> = (0..*length).map(|place| choice >> place & 1 == 1).collect();
            let gate = &instance.supports(*claim)[*support as usize].gate;
            Reply::Bits(Bits::from(
                gate.nearest(&wish, *result).expect("no gate is constant"),
            ))
        }
        Request::Bits { length, .. } => Reply::Bits(
            (0..*length)
                .map(|place| choice.rotate_right(place) & 1 == 1)
                .collect(),
        ),
        Request::Challenge { steps, .. } => {
            let step = steps.start + u64::from(choice / 2) % (steps.end - steps.start);
            Reply::Challenge((choice % 2 == 1).then_some(step))
        }
        Request::Oracle { .. } => Reply::Oracle {
            holds: choice % 2 == 1,
            confidence: choice.is_multiple_of(3).then(|| Exact::ratio(1, 3)),
        },
        Request::Draw { .. } => unreachable!("chance draws for itself"),
    }
}

fn outside<'a>() -> [Player<'a, Exact>; 3] {
    [Player::Outside, Player::Outside, Player::Outside]
}

fn start(protocol: usize, instance: &Instance) -> State<'_, Exact> {
    let protocol = Protocol::parse(PROTOCOLS[protocol]).expect("legal");
    protocol.start(instance).expect("legal")
}

/// Plays to the end with replies chosen by the numbers, over and over.
fn play_on(seating: &mut Seating<'_, Exact>, instance: &Instance, choices: &[u32]) {
    for round in 0.. {
        assert!(round < 10_000, "a debate ends");
        let Some(turn) = seating.turn() else { return };
        if turn.seat == Seat::Chance {
            seating.advance().expect("a coin falls");
        } else {
            let choice = choices[round % choices.len()];
            seating
                .reply(legal(&turn.request, instance, choice))
                .expect("legal");
        }
    }
}

/// What a seat sees, with what is sealed from it left out.
fn seen(log: &Log<Exact>, seat: Seat) -> Vec<String> {
    log.all_seen_by(Some(seat))
        .map(|seen| format!("{seen:?}"))
        .collect()
}

proptest! {
    #![proptest_config(Config { cases: 10_000, ..Config::default() })]

    #[test]
    fn random_debates_keep_the_rules(
        plan in trees::plans(),
        protocol in 0..PROTOCOLS.len(),
        choices in prop::collection::vec(any::<u32>(), 1..12),
        seed in 0_u32..1000,
        back in any::<prop::sample::Index>(),
    ) {
        let instance = plan.build();
        let seed = Seed::new(seed.to_string()).expect("a seed");
        let mut seating = Seating::new(start(protocol, &instance), outside(), &seed, 0);
        play_on(&mut seating, &instance, &choices);

        let log = seating.log().clone();
        let paid: Exact = log.entries().iter().filter_map(|entry| match &entry.event {
            Event::Rewarded(reward) => Some(reward.value()),
            _ => None,
        }).sum();
        prop_assert_eq!(&paid, &seating.state().payoff());
        let ended = log.entries().last().map(|entry| &entry.event);
        prop_assert_eq!(ended, Some(&Event::Ended { payoff: paid.clone() }));
        let schedule = seating.state().schedule();
        let most: Exact = schedule.iter().map(|(_, weight)| weight.clone()).sum();
        prop_assert!(paid.clone() <= most && -paid.clone() <= most);
        prop_assert!(log.all_seen_by(Some(Seat::Judge)).all(|s| matches!(s, Seen::Open(_))));
        prop_assert_eq!(seating.ledger().of(Seat::Judge).oracle_queries, 1);

        // Going back and making the same moves again is the same debate.
        let moves = seating.moves().to_vec();
        let kept = back.index(moves.len());
        seating.go_back(kept);
        prop_assert_eq!(seating.moves(), &moves[..kept]);
        for made in &moves[kept..] {
            seating.follow(made.clone()).expect("it was legal before");
        }
        prop_assert_eq!(seating.log(), &log);
        prop_assert_eq!(seating.state().payoff(), paid);
        prop_assert_eq!(seating.state().request(), None);
    }

    /// What the estimator may not see changes nothing that it sees or is asked.
    #[test]
    fn the_sealed_answer_and_bets_leave_no_trace(
        plan in trees::plans(),
        choices in prop::collection::vec(any::<u32>(), 1..12),
        sign in 0_usize..3,
    ) {
        let instance = plan.build();
        let mut one = start(0, &instance);
        let mut other = start(0, &instance);
        let (mut log, mut other_log) = (Log::default(), Log::default());
        one.reply(Reply::Answer(true), &mut log).expect("legal");
        other.reply(Reply::Answer(false), &mut other_log).expect("legal");
        prop_assert_eq!(one.request(), other.request());
        prop_assert_eq!(seen(&log, Seat::Opponent), seen(&other_log, Seat::Opponent));

        // From the same answer on, two bets of the first round, hidden until its reward.
        let mut states = [start(0, &instance), start(0, &instance)];
        let mut logs = [Log::default(), Log::default()];
        let mut step = 0;
        while let Some(turn) = states[0].request() {
            let same = states[1].request();
            prop_assert_eq!(Some(&turn), same.as_ref());
            let replies = match &turn.request {
                Request::Direction { .. } => {
                    [Bet::ALL[sign], Bet::ALL[(sign + 1) % 3]].map(Reply::Direction)
                }
                Request::Draw { draw, .. } => {
                    let coin = u64::from(choices[step % choices.len()]) << 21;
                    [draw.outcome(coin), draw.outcome(coin)].map(Reply::Drawn)
                }
                request => {
                    let reply = legal(request, &instance, choices[step % choices.len()]);
                    [reply.clone(), reply]
                }
            };
            let opened = matches!(turn.request, Request::Oracle { .. } | Request::Select { .. });
            if opened {
                break;
            }
            for ((state, log), reply) in states.iter_mut().zip(&mut logs).zip(replies) {
                state.reply(reply, log).expect("legal");
            }
            let paid = |log: &Log<Exact>| {
                let rewards = log.entries().iter().filter(|e| matches!(e.event, Event::Rewarded(_)));
                rewards.count() > 1
            };
            if !paid(&logs[0]) {
                prop_assert_eq!(seen(&logs[0], Seat::Opponent), seen(&logs[1], Seat::Opponent));
            }
            step += 1;
        }
    }
}
