use std::sync::atomic::AtomicU64;

use super::*;
use crate::analysis::sample::{ALL_OF_THREE, setup};
use crate::chance::Seed;
use crate::number::Exact;
use crate::player::{Player, Registry, Seating, Spec};
use crate::protocol::{Bet, Kind, Protocol};
use crate::setup::Setup;

/// All of two, one of them false.
const SMALL: &str = r#"Scenario(
    format: 1, title: "Both?",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "Both.", supports: [Support(gate: All, on: ["a", "b"])]),
        "a": Claim(text: "A.", truth: true, estimate: "2/3"),
        "b": Claim(text: "B.", truth: false, estimate: "1/2"),
    }),
    protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
)"#;

fn case(setup: &Setup, protocol: &Protocol, players: [&str; 3]) -> Case {
    let specs = players.map(|name| Spec::parse(name).unwrap());
    let instance = setup.instance(0);
    Case::new(&instance, protocol, specs, Registry::builtin())
}

/// The moves of a debate in which people say what these players do.
fn moves(
    setup: &Setup,
    protocol: &Protocol,
    players: [&str; 3],
    seed: &str,
) -> (Vec<Move<Exact>>, Exact) {
    let instance = setup.instance(0);
    let built = |seat: Seat| {
        let spec = Spec::parse(players[seat.index()]).unwrap();
        let built = Registry::builtin().build(&spec, seat, &instance, protocol);
        Player::Builtin(built.unwrap())
    };
    let start = protocol.start(&instance).unwrap();
    let seed = Seed::new(seed).unwrap();
    let mut seating = Seating::new(start, Seat::PLAYERS.map(built), &seed, 0);
    while seating.advance().is_ok() {}
    assert!(seating.turn().is_none());
    (seating.moves().to_vec(), seating.state().payoff())
}

fn adds_up(review: &Review<Exact>, payoff: &Exact) {
    let sum = review.start.clone()
        + review.skill(Seat::Prover)
        + review.skill(Seat::Opponent)
        + review.luck();
    assert_eq!(sum, *payoff);
    assert_eq!(review.payoff, *payoff);
}

#[test]
fn the_ledger_adds_up_to_the_last_digit() {
    let setup = setup(ALL_OF_THREE);
    let protocols = [
        setup.protocol.clone(),
        Protocol::parse("Recursive").unwrap(),
    ];
    for protocol in &protocols {
        let estimates = protocol.kind() == Kind::ProverEstimator;
        let others = if estimates { "stubborn(0.3)" } else { "honest" };
        for seed in 0..3 {
            let seed = seed.to_string();
            for seats in [
                ["random", others, "oracle"],
                ["honest", "random", "noisy(0.2)"],
                ["random", "random", "oracle"],
            ] {
                let (moves, payoff) = moves(&setup, protocol, seats, &seed);
                let sits = seats.map(|name| if name == "random" { "human" } else { name });
                let review = case(&setup, protocol, sits)
                    .review(&moves, Watch::default())
                    .unwrap();
                adds_up(&review, &payoff);
                for step in &review.steps {
                    if let Some((_, regret)) = &step.regret {
                        assert!(*regret >= Exact::default());
                    }
                    // Who plays as the reference says and draws nothing changes nothing.
                    if step.seat == Seat::Prover && seats[0] == "honest" {
                        assert_eq!(step.change(), Exact::default());
                    }
                    if review.best == Some(step.seat) && step.seat == Seat::Prover {
                        assert!(step.change() <= Exact::default());
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_sealed_makes_no_difference_to_a_hint() {
    let setup = setup(SMALL);
    let protocol = &setup.protocol;
    let hints = |prover: &str, answer: bool, bet: Bet| {
        let case = case(&setup, protocol, [prover, "human", "oracle"]);
        let made = |seat, reply| Move {
            seat,
            reply,
            coin: None,
            spent: crate::protocol::Spent::default(),
        };
        let half = Exact::ratio(1, 2);
        let moves = [
            made(Seat::Prover, Reply::Answer(answer)),
            made(Seat::Opponent, Reply::Probability(half)),
            made(Seat::Chance, Reply::Drawn(1)),
            made(Seat::Prover, Reply::Direction(bet)),
            made(Seat::Prover, Reply::Support(0)),
        ];
        [1, 5].map(|count| case.hints(&moves[..count], Watch::default()).unwrap())
    };
    for prover in ["random", "human", "honest"] {
        let [root, sub] = hints(prover, true, Bet::TooLow);
        assert_eq!(root.means, prover == "random");
        assert_eq!(sub.means, prover == "random");
        // The answer is sealed until the first coin has fallen, and the bet until its round is paid.
        assert_eq!(root, hints(prover, false, Bet::TooLow)[0]);
        for bet in Bet::ALL {
            assert_eq!(sub, hints(prover, true, bet)[1]);
        }
    }
}

#[test]
fn coins_that_have_fallen_are_not_counted_again() {
    // Before the last coin of a round the values of its two outcomes average to its own.
    let setup = setup(ALL_OF_THREE);
    let sits = ["honest", "calibrated", "oracle"];
    let (moves, _) = moves(&setup, &setup.protocol, sits, "3");
    let review = case(&setup, &setup.protocol, sits)
        .review(&moves, Watch::default())
        .unwrap();
    for (number, made) in moves.iter().enumerate() {
        let Some(coin) = &made.coin else { continue };
        let crate::protocol::Draw::Bernoulli(p) = &coin.draw else {
            continue;
        };
        let step = &review.steps[number];
        let mut other = moves[..=number].to_vec();
        let Reply::Drawn(fell) = made.reply else {
            panic!()
        };
        other[number].reply = Reply::Drawn(1 - fell);
        let turned = case(&setup, &setup.protocol, sits).review(&other, Watch::default());
        let likely = if fell == 1 {
            p.clone()
        } else {
            Exact::ratio(1, 1) - p
        };
        let mean = match turned {
            // What cannot happen does not count.
            Err(_) => step.after.clone(),
            Ok(turned) => {
                likely.clone() * step.after.clone() + (Exact::ratio(1, 1) - likely) * turned.payoff
            }
        };
        assert_eq!(mean, step.before, "coin {number}");
    }
}

#[test]
fn hints_are_what_playing_on_is_worth() {
    let setup = setup(ALL_OF_THREE);
    let case = case(&setup, &setup.protocol, ["human", "calibrated", "oracle"]);
    let seen = AtomicU64::new(0);
    let watch = Watch {
        seen: Some(&seen),
        ..Watch::default()
    };
    let hints = case.hints(&[], watch).unwrap();
    // Whoever waits sees the count grow.
    assert!(seen.into_inner() >= Budget::STEP);
    assert_eq!(hints.later, Later::Best);
    assert_eq!(hints.replies.len(), 2);
    let (best, most) = hints.best().unwrap();
    assert_eq!(hints.before, *most);
    let again = case.worth(&[], best, &hints, Watch::default()).unwrap();
    assert_eq!(again.as_ref(), Some(most));
    let illegal = case
        .worth(&[], &Reply::Select(0), &hints, Watch::default())
        .unwrap();
    assert_eq!(illegal, None);
    let stop = std::sync::atomic::AtomicBool::new(true);
    let seen = AtomicU64::new(0);
    let watch = Watch {
        cancel: Some(&stop),
        seen: Some(&seen),
    };
    let stopped = case.hints(&[], watch);
    assert_eq!(stopped, Err(Unknown::Unsolved(Unsolved::STOPPED)));
}

#[test]
fn a_thousand_debates_agree_with_the_exact_value() {
    let setup = setup(ALL_OF_THREE);
    let case = case(&setup, &setup.protocol, ["liar", "human", "oracle"]);
    let seed = Seed::new("7").unwrap();
    let last = std::cell::Cell::new(0);
    let often = case
        .often(&seed, 400, Watch::default(), &|done| last.set(done))
        .unwrap();
    assert_eq!(last.get(), 800);
    for tried in [Some(&often.pair), often.honest.as_ref()]
        .into_iter()
        .flatten()
    {
        let exact = tried.exact.clone().unwrap().to_float();
        let off = (tried.mean() - exact).abs();
        assert!(off <= 3.0 * tried.half_width() + 1e-9, "{tried:?}");
    }
    assert_eq!(often.honest.unwrap().players[0], "honest");
}

/// Two questions; each coin falls by two numbers, each one of 2³⁰.
#[test]
fn halves_of_coins_are_hinted_at_and_reviewed_without_listing_them() {
    let setup = setup(
        r#"Scenario(
        format: 1, title: "Asked",
        problem: Plan(steps: [
            Step(id: "a", ask: "Yes?", judged_true: "1/2"),
            Step(id: "b", ask: "And yes?", judged_true: "1/3"),
            Step(id: "c", text: "one said yes", compute: Any, on: ["a", "b"]),
        ]),
        protocol: Stochastic(k: "1/150", constants: Paper),
    )"#,
    );
    let (protocol, players) = (&setup.protocol, ["drifting(0.2)", "silent", "oracle"]);
    let (moves, payoff) = moves(&setup, protocol, players, "1");
    let case = case(&setup, protocol, players);
    let built = case.built(case.plays()).unwrap();
    let start = case.start().unwrap();
    let effort = Budget::default();
    for (seat, place) in [(Seat::Opponent, 1), (Seat::Prover, 2)] {
        for best in [None, Some(seat)] {
            let reference = Reference {
                players: &built,
                best,
            };
            let before = &moves[..place];
            let hints = hints(&start, before, &reference, even_grid(4), effort).unwrap();
            assert_eq!((hints.seat, hints.replies.len()), (seat, 5));
            // Whatever the one half is, the other makes the coin even.
            let mut each = hints.replies.iter();
            assert!(each.all(|(_, worth)| *worth == hints.before));
            let typed = |p: Exact| {
                let typed = Reply::Probability(p);
                worth(&start, before, &reference, (&typed, even_grid(4)), effort)
            };
            assert_eq!(typed(Exact::ratio(1, 3)), Ok(Some(hints.before.clone())));
            assert_eq!(typed(Exact::ratio(4, 3)), Ok(None));
        }
    }
    adds_up(&case.review(&moves, Watch::default()).unwrap(), &payoff);
}
