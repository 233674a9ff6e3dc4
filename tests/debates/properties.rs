//! Debates of random legal replies on random small scenarios satisfy every property of the rules.

use std::sync::LazyLock;

use crate::support::pairs::{DECOMPOSITIONS, OVER_CLAIMS, OVER_PROBLEMS, PAIRS, PROBLEMS};
use debate_core::chance::Seed;
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number};
use debate_core::observe::ObservedLogEntry;
use debate_core::player::{Player, SeatedDebate};
use debate_core::protocol::{
    Bet, BitString, BitsMeaning, Event, Log, Protocol, Reply, Request, ResourceCostsBySeat, Rules,
    Seat, State,
};
use debate_core::scenario::{Instance, ProverWrittenSubclaim, ProverWrittenSupport, Speech};
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use proptest::prelude::*;
use proptest::test_runner::Config;

use crate::support::trees::{Plan, plans};

/// The scenarios of all pairs.
static SETUPS: LazyLock<Vec<LoadedScenario>> = LazyLock::new(|| {
    let setup = |pair: &crate::support::pairs::Pair| {
        let origin = ScenarioTextSource::Text(pair.name.to_owned());
        LoadedScenario::from_text(&pair.scenario(), origin, &ScenarioLimits::default())
            .expect("a scenario")
    };
    PAIRS.iter().map(setup).collect()
});

/// The rules of random arguments.
const PROTOCOLS: [&str; 4] = [
    "ProverEstimator(epsilon: 0.25, rho: 0.5)",
    "ProverEstimator(epsilon: 0.45, rho: \"1/9\", early_leaf: InPlace, direction: Public)",
    "ProverEstimator(epsilon: 0.1, rho: 0.9, carry: Marginal)",
    "Recursive",
];

/// A legal reply, chosen by a number.
fn legal(
    state: &State<'_, Exact>,
    request: &Request<Exact>,
    instance: &Instance,
    choice: u32,
) -> Reply<Exact> {
    match request {
        Request::Answer { .. } => Reply::Answer(choice % 2 == 1),
        Request::Probability { .. } | Request::Share { .. } => {
            Reply::Probability(Exact::ratio(i64::from(choice % 13), 12))
        }
        Request::Direction { .. } => Reply::Direction(Bet::ALL[choice as usize % 3]),
        Request::Support { claim, offered } => {
            match instance.max_prover_written_subclaims(*claim) {
                Some(most) if *offered == 0 || choice % 2 == 1 => {
                    Reply::Compose(Box::new(composed(claim.claim_number(), most, choice)))
                }
                _ => Reply::Support(choice % offered),
            }
        }
        Request::Select { count, .. } => Reply::Select(choice % count),
        Request::Bits {
            ask:
                BitsMeaning::Answers {
                    claim,
                    support,
                    result,
                },
            length,
        } => {
            let wish: Vec<bool> = (0..*length).map(|place| choice >> place & 1 == 1).collect();
            let gate = &instance.support(*claim, *support).expect("chosen").gate;
            Reply::Bits(BitString::from(
                gate.nearest_outcomes_giving_value(&wish, *result)
                    .expect("no gate is constant"),
            ))
        }
        Request::Bits { length, .. } => Reply::Bits(bits(state, *length, choice)),
        Request::Challenge { steps, .. } => {
            let step = steps.start + u64::from(choice / 2) % (steps.end - steps.start);
            Reply::Challenge((choice % 2 == 1).then_some(step))
        }
        Request::Oracle { .. } => Reply::Oracle {
            holds: choice % 2 == 1,
            confidence: choice.is_multiple_of(3).then(|| Exact::ratio(1, 3)),
        },
        Request::Speech { .. } => Reply::Speech(Box::new(speech(choice))),
        Request::Continue { .. } => Reply::Continue(!choice.is_multiple_of(3)),
        Request::Draw { .. } => unreachable!("chance draws for itself"),
    }
}

/// A speech about the doctor, selected by a number.
fn speech(choice: u32) -> Speech {
    let text = [
        "",
        "It is so.",
        "See: <quote>had slept well</quote>.",
        "<quote>He</quote>\n<quote>slept</quote>",
    ];
    Speech::parse(text[choice as usize % text.len()]).expect("a speech")
}

/// A support in words, selected by a number.
fn composed(below: u32, most: u32, choice: u32) -> ProverWrittenSupport {
    let count = choice / 2 % most + 1;
    let gates = [
        Gate::All,
        Gate::Any,
        Gate::Majority,
        Gate::Xor,
        Gate::AtLeast(count),
    ];
    let part = |place: u32| ProverWrittenSubclaim {
        text: format!("part {place} of {below}, choice {}", choice % 7),
        judged: choice >> (place + 4) & 1 == 1,
    };
    ProverWrittenSupport {
        gate: gates[choice as usize / 16 % gates.len()].clone(),
        parts: (0..count).map(part).collect(),
    }
}

/// The prepared bits with up to three of them flipped, or arbitrary bits.
fn bits(state: &State<'_, Exact>, length: u32, choice: u32) -> BitString {
    let (Some(prepared), false) = (state.honest_reply_bits(), choice % 5 == 4) else {
        return (0..length)
            .map(|place| choice.rotate_right(place) & 1 == 1)
            .collect();
    };
    assert_eq!(prepared.len(), length as usize);
    let count = prepared.len().max(1);
    let places = [choice, choice / 7, choice / 49].into_iter();
    places
        .take(choice as usize % 4)
        .map(|place| place as usize % count)
        .fold(prepared, |bits, place| bits.with_bit_flipped(place))
}

fn outside<'a>() -> [Player<'a, Exact>; 3] {
    [Player::Outside, Player::Outside, Player::Outside]
}

fn start(protocol: usize, instance: &Instance) -> State<'_, Exact> {
    let protocol = Protocol::parse(PROTOCOLS[protocol]).expect("legal");
    protocol.start(instance).expect("fits")
}

/// Plays to the end with replies selected by the numbers, which repeat.
fn play_on(seating: &mut SeatedDebate<'_, Exact>, instance: &Instance, choices: &[u32]) {
    for round in 0.. {
        assert!(round < 10_000, "a debate ends");
        let Some(turn) = seating.turn() else { return };
        if turn.seat == Seat::Chance {
            seating.make_automatic_move().expect("a coin falls");
        } else {
            let choice = choices[round % choices.len()];
            let reply = legal(seating.state(), &turn.request, instance, choice);
            seating.reply(reply).expect("legal");
        }
    }
}

/// The entries that a seat sees, without the ones sealed from it.
fn seen(log: &Log<Exact>, seat: Seat) -> Vec<String> {
    log.all_observations(Some(seat))
        .map(|seen| format!("{seen:?}"))
        .collect()
}

/// The subject of a debate: a random argument under some rules, or one of the pairs in a world.
#[derive(Clone, Debug)]
enum Matter {
    Argument(Plan, usize),
    Pair(usize, prop::sample::Index),
}

impl Matter {
    fn instance(&self) -> Instance {
        match self {
            Self::Argument(plan, _) => plan.build(),
            Self::Pair(pair, world) => {
                let setup = &SETUPS[*pair];
                setup.instance(world.index(setup.decomposition.worlds().len()))
            }
        }
    }

    fn protocol(&self) -> Protocol {
        match self {
            Self::Argument(_, rules) => Protocol::parse(PROTOCOLS[*rules]).expect("legal"),
            Self::Pair(pair, _) => SETUPS[*pair].protocol.clone(),
        }
    }
}

fn matters() -> impl Strategy<Value = Matter> {
    prop_oneof![
        (plans(), 0..PROTOCOLS.len()).prop_map(|(plan, rules)| Matter::Argument(plan, rules)),
        (0..PAIRS.len(), any::<prop::sample::Index>())
            .prop_map(|(pair, world)| Matter::Pair(pair, world)),
    ]
}

/// Asserts that the verifier spends no more than the rules promise.
fn assert_within_bounds(protocol: &Protocol, instance: &Instance, ledger: &ResourceCostsBySeat) {
    let spent = ledger.spending_of_seat(Seat::Judge);
    for bound in protocol.protocol_parameters().bounds(instance) {
        let amount = match bound.what {
            "bits_read" => spent.bits_read,
            "oracle_queries" => spent.oracle_queries,
            "samples" => spent.samples,
            // The ledger counts these as bits.
            "configurations_read" => continue,
            other => panic!("{other} is spent by nobody"),
        };
        assert!(amount <= bound.most, "{bound:?}: {amount}");
    }
}

/// The pairs here are exactly the pairs of rules and problem that can be debated.
#[test]
fn every_pair_that_fits_is_played() {
    let plain = |protocols: &[&'static str]| -> Vec<_> {
        protocols.iter().map(|protocol| (None, *protocol)).collect()
    };
    let decomposed = DECOMPOSITIONS.iter().flat_map(|decomposition| {
        OVER_CLAIMS
            .iter()
            .map(|protocol| (Some(*decomposition), *protocol))
    });
    let rules: Vec<_> = decomposed
        .chain(plain(OVER_CLAIMS))
        .chain(plain(OVER_PROBLEMS))
        .collect();
    let mut missing = Vec::new();
    for problem in PROBLEMS {
        for (decomposition, protocol) in &rules {
            let text = crate::support::pairs::written(problem, *decomposition, Some(protocol));
            let origin = ScenarioTextSource::Text("pair".to_owned());
            let fits = LoadedScenario::from_text(&text, origin, &ScenarioLimits::default());
            let listed = PAIRS
                .iter()
                .any(|pair| pair.is(problem, *decomposition, protocol));
            if fits.is_ok() != listed {
                let title = problem.lines().nth(1).unwrap_or_default();
                missing.push(format!(
                    "{title} {decomposition:?} {protocol}: {:?}",
                    fits.err()
                ));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Checks that a sealed reply changes nothing that other seats see, are asked or have prepared for them. Plays
/// `debates` debates under each pair of rules and problem.
fn check_sealed_replies(debates: u32) {
    let mut compared = vec![0; PAIRS.len()];
    for (setup, compared) in SETUPS.iter().zip(&mut compared) {
        let instance = setup.instance(0);
        for seed in 0..debates {
            let mut state = setup.protocol.start(&instance).expect("fits");
            let mut log = Log::default();
            let mut entropy = seed.wrapping_mul(0x9e37_79b9) | 1;
            while let Some(turn) = state.request() {
                entropy = entropy.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let choice = entropy >> 8;
                let replies = match &turn.request {
                    Request::Draw { draw, .. } => [choice, choice / 2].map(|coin| {
                        Reply::Drawn(draw.outcome_for_random_integer(u64::from(coin) << 29))
                    }),
                    request => {
                        [choice, choice + 1].map(|choice| legal(&state, request, &instance, choice))
                    }
                };
                let before = log.entries().len();
                let [(one, one_log), (other, other_log)] = replies.map(|reply| {
                    let (mut state, mut log) = (state.clone(), log.clone());
                    state.reply(reply, &mut log).expect("legal");
                    (state, log)
                });
                let sealed = |log: &Log<Exact>| {
                    // Every seat may know that a round begins with the reply.
                    let new = log.entries()[before..].iter();
                    let new = new.filter(|entry| !matches!(entry.event, Event::Entered { .. }));
                    new.map(|entry| entry.seal).collect::<Option<Vec<_>>>()
                };
                if one_log != other_log
                    && sealed(&one_log).is_some_and(|seals| !seals.is_empty())
                    && sealed(&one_log) == sealed(&other_log)
                {
                    *compared += 1;
                    assert_eq!(one.request(), other.request());
                    for seat in Seat::PLAYERS.into_iter().filter(|seat| *seat != turn.seat) {
                        assert_eq!(seen(&one_log, seat), seen(&other_log, seat));
                    }
                    if one.request().is_some_and(|next| next.seat != turn.seat) {
                        assert_eq!(one.honest_reply_bits(), other.honest_reply_bits());
                    }
                }
                (state, log) = (one, one_log);
            }
        }
    }
    for (pair, compared) in PAIRS.iter().zip(compared) {
        assert_eq!(compared > 0, pair.seals, "{}: {compared}", pair.name);
    }
}

#[test]
fn sealed_replies_are_invisible_to_other_seats() {
    check_sealed_replies(6);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: sealed_replies_are_invisible_to_other_seats"]
fn sealed_replies_are_invisible_to_other_seats_in_many_debates() {
    check_sealed_replies(40);
}

/// Generates random debates: the problem and rules, numbers that select the replies, the seed, and the move to undo to.
fn debates() -> impl Strategy<Value = (Matter, Vec<u32>, u32, prop::sample::Index)> {
    let choices = prop::collection::vec(any::<u32>(), 1..12);
    (
        matters(),
        choices,
        0_u32..1000,
        any::<prop::sample::Index>(),
    )
}

/// Plays a debate of random legal replies, and checks the sums, the bounds and undo.
fn check_rules(
    matter: &Matter,
    choices: &[u32],
    seed: u32,
    back: prop::sample::Index,
) -> Result<(), TestCaseError> {
    let (instance, protocol) = (matter.instance(), matter.protocol());
    let seed = Seed::new(seed.to_string()).expect("a seed");
    let start = protocol.start(&instance).expect("fits");
    let mut seating = SeatedDebate::new(start, outside(), &seed, 0);
    play_on(&mut seating, &instance, choices);

    let log = seating.log().clone();
    let paid: Exact = log
        .entries()
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Rewarded(reward) => Some(reward.payment_to_prover()),
            _ => None,
        })
        .sum();
    prop_assert_eq!(&paid, &seating.state().payoff());
    let ended = log.entries().last().map(|entry| &entry.event);
    prop_assert_eq!(
        ended,
        Some(&Event::Ended {
            payoff: paid.clone()
        })
    );
    let schedule = seating.state().schedule();
    let most: Exact = schedule.iter().map(|(_, weight)| weight.clone()).sum();
    prop_assert!(paid.clone() <= most && -paid.clone() <= most);
    prop_assert!(
        log.all_observations(Some(Seat::Judge))
            .all(|s| matches!(s, ObservedLogEntry::Open(_)))
    );
    assert_within_bounds(&protocol, &instance, seating.state().ledger());
    if let Matter::Argument(..) = matter {
        prop_assert_eq!(
            seating
                .spending_by_seat()
                .spending_of_seat(Seat::Judge)
                .oracle_queries,
            1
        );
    }

    // Undo and the same moves again give the same debate.
    let moves = seating.moves().to_vec();
    let kept = back.index(moves.len());
    seating.go_back_to_move(kept).expect("it was legal before");
    prop_assert_eq!(seating.moves(), &moves[..kept]);
    for made in &moves[kept..] {
        seating
            .apply_recorded_move(made.clone())
            .expect("it was legal before");
    }
    prop_assert_eq!(seating.log(), &log);
    prop_assert_eq!(seating.state().payoff(), paid);
    prop_assert_eq!(seating.state().request(), None);
    Ok(())
}

/// Checks that the sealed answer, and two bets sealed until the first reward, affect neither the estimator's view nor
/// its requests.
fn check_estimator(plan: &Plan, choices: &[u32], sign: usize) -> Result<(), TestCaseError> {
    let instance = plan.build();
    let mut one = start(0, &instance);
    let mut other = start(0, &instance);
    let (mut log, mut other_log) = (Log::default(), Log::default());
    one.reply(Reply::Answer(true), &mut log).expect("legal");
    other
        .reply(Reply::Answer(false), &mut other_log)
        .expect("legal");
    prop_assert_eq!(one.request(), other.request());
    prop_assert_eq!(seen(&log, Seat::Opponent), seen(&other_log, Seat::Opponent));

    // After the same answer, two bets of the first round, hidden until its reward.
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
                [
                    draw.outcome_for_random_integer(coin),
                    draw.outcome_for_random_integer(coin),
                ]
                .map(Reply::Drawn)
            }
            request => {
                let reply = legal(
                    &states[0],
                    request,
                    &instance,
                    choices[step % choices.len()],
                );
                [reply.clone(), reply]
            }
        };
        let opened = matches!(
            turn.request,
            Request::Oracle { .. } | Request::Select { .. }
        );
        if opened {
            break;
        }
        for ((state, log), reply) in states.iter_mut().zip(&mut logs).zip(replies) {
            state.reply(reply, log).expect("legal");
        }
        let paid = |log: &Log<Exact>| {
            let rewards = log
                .entries()
                .iter()
                .filter(|e| matches!(e.event, Event::Rewarded(_)));
            rewards.count() > 1
        };
        if !paid(&logs[0]) {
            prop_assert_eq!(
                seen(&logs[0], Seat::Opponent),
                seen(&logs[1], Seat::Opponent)
            );
        }
        step += 1;
    }
    Ok(())
}

proptest! {
    #![proptest_config(Config { cases: 600, ..Config::default() })]

    #[test]
    fn random_debates_keep_the_rules((matter, choices, seed, back) in debates()) {
        check_rules(&matter, &choices, seed, back)?;
    }

    #[test]
    fn sealed_answers_and_bets_are_hidden_from_the_estimator(
        plan in plans(),
        choices in prop::collection::vec(any::<u32>(), 1..12),
        sign in 0_usize..3,
    ) {
        check_estimator(&plan, &choices, sign)?;
    }
}

proptest! {
    #![proptest_config(Config { cases: 10_000, ..Config::default() })]

    #[test]
    #[ignore = "exhaustive: 2 s; every day: random_debates_keep_the_rules"]
    fn ten_thousand_random_debates_keep_the_rules((matter, choices, seed, back) in debates()) {
        check_rules(&matter, &choices, seed, back)?;
    }

    #[test]
    #[ignore = "exhaustive: 3 s; every day: sealed_answers_and_bets_are_hidden_from_the_estimator"]
    fn sealed_replies_are_hidden_from_the_estimator_in_10_000_debates(
        plan in plans(),
        choices in prop::collection::vec(any::<u32>(), 1..12),
        sign in 0_usize..3,
    ) {
        check_estimator(&plan, &choices, sign)?;
    }
}
