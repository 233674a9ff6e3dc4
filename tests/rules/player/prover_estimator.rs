use std::collections::BTreeMap;
use std::sync::Arc;

use debate_core::number::{Exact, Number as _, parse};
use debate_core::player::{PlayerSpec, Strategy, StrategyMemoryAndCosts, StrategyRegistry};
use debate_core::protocol::{
    ChanceDraw, Event, EventSink, Log, Protocol, Reply, Request, Rules, Seat, State, View,
};
use debate_core::scenario::{
    Instance, NumbersTestedForPrimality, Oracle, PrimalityMethod, PrimalityProblem, PrimalitySpec,
    ScenarioValuePath, TestedNumberVisibility,
};

use crate::support::arguments;

fn q(text: &str) -> Exact {
    parse(text).unwrap()
}

type PlayableStrategy<'a> = Box<dyn Strategy<'a, Exact> + 'a>;

fn seats<'a>(
    instance: &'a Instance,
    protocol: &Protocol,
    names: [&str; 3],
) -> [PlayableStrategy<'a>; 3] {
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    let build = |seat: Seat| {
        let spec = PlayerSpec::parse(names[seat.seat_index()]).unwrap();
        registry.build(&spec, seat, instance, protocol).unwrap()
    };
    Seat::PLAYERS.map(build)
}

/// A plain walk over all replies and coins: the expected rewards from here on, by round, as the rules pay them.
fn walk<'a>(
    state: &State<'a, Exact>,
    players: &[PlayableStrategy<'a>; 3],
    mut policy_states: [StrategyMemoryAndCosts; 3],
) -> BTreeMap<String, Exact> {
    let Some(turn) = state.request() else {
        return BTreeMap::new();
    };
    let replies = match &turn.request {
        Request::Draw {
            draw: ChanceDraw::Bernoulli(p),
            ..
        } => vec![
            (p.clone(), Reply::Drawn(1)),
            (Exact::ratio(1, 1) - p, Reply::Drawn(0)),
        ],
        request => {
            let seat = turn.seat;
            let policy_state = &mut policy_states[seat.seat_index()];
            players[seat.seat_index()]
                .choose(View::new(state, seat), request, policy_state)
                .unwrap()
                .weighted_replies()
                .unwrap()
        }
    };
    let mut expected: BTreeMap<String, Exact> = BTreeMap::new();
    for (chance, reply) in replies {
        if chance == Exact::ratio(0, 1) {
            continue;
        }
        let mut next = state.clone();
        let mut log = Log::default();
        next.reply(reply, &mut log).unwrap();
        let mut rewards = walk(&next, players, policy_states);
        for entry in log.entries() {
            if let Event::Rewarded(reward) = &entry.event {
                *rewards
                    .entry(reward.round_of_reward().to_string())
                    .or_default() += reward.payment_to_prover();
            }
        }
        for (round, reward) in rewards {
            let sum = expected.entry(round).or_default();
            if reward != Exact::ratio(0, 1) {
                *sum += &chance * reward;
            }
        }
    }
    expected
}

fn expected(
    instance: &Instance,
    protocol: &Protocol,
    names: [&str; 3],
) -> (Exact, BTreeMap<String, Exact>) {
    let players = seats(instance, protocol, names);
    let start = protocol.start(instance).unwrap();
    let rewards = walk(&start, &players, [StrategyMemoryAndCosts::default(); 3]);
    (rewards.values().sum(), rewards)
}

fn pe(epsilon: &str, rho: &str) -> Protocol {
    Protocol::parse(&format!(
        "ProverEstimator(epsilon: {epsilon:?}, rho: {rho:?})"
    ))
    .unwrap()
}

/// Every line was computed by hand from equation (13) and the formulas of the rewards.
#[test]
fn small_debates_have_their_exact_values() {
    let majority = arguments::instance("maj(1, 1, 1)");
    let tenth = pe("1/10", "1/2");
    for (prover, estimator, value) in [
        ("honest", "truthful", "1/6400"),
        ("contrarian", "truthful", "0"),
        ("honest", "shifted(0.1)", "9/64000"),
        ("honest", "shifted(0.25)", "6433/25600"),
        ("lazy", "shifted(0.25)", "3/25600"),
    ] {
        let (payoff, _) = expected(&majority, &tenth, [prover, estimator, "oracle"]);
        assert_eq!(payoff, q(value), "{prover} against {estimator}");
    }
}

#[test]
fn the_honest_prover_stops_at_exactly_epsilon() {
    let instance = arguments::instance("all(1, 1)");
    let protocol = pe("1/4", "1/2");
    // |p_d − L| = ε: no bet. Just beyond ε she bets, and the leaf pays the error.
    let (at, rounds) = expected(&instance, &protocol, ["honest", "stubborn(3/4)", "oracle"]);
    assert_eq!(
        (at, &rounds["0"], &rounds["1"]),
        (q("3/4096"), &q("0"), &q("0"))
    );
    let (_, rounds) = expected(
        &instance,
        &protocol,
        ["honest", "stubborn(0.7499)", "oracle"],
    );
    assert_eq!(rounds["0"], q("0.2501"));
    // The markov variant bets by equation (13) alone; at ε it still does not.
    let (_, rounds) = expected(
        &instance,
        &protocol,
        ["honest(markov)", "stubborn(3/4)", "oracle"],
    );
    assert_eq!(rounds["0"], q("0"));
}

/// Checks the mean payoffs over the ten numbers of the scenario `primes`. The provers are the obfuscator, the exploiter
/// and the honest prover, first against bayes, then against marginal.
fn assert_values_of_primes(protocol: &Protocol, values: [&str; 6]) {
    let numbers = [
        4237_u32, 4247, 4267, 4307, 4309, 4313, 4321, 4331, 4343, 4351,
    ];
    let problem = Arc::new(
        PrimalityProblem::build(
            PrimalitySpec {
                numbers: NumbersTestedForPrimality::List(
                    numbers.iter().map(|n| (*n).into()).collect(),
                ),
                estimator_knows: TestedNumberVisibility::Size,
                method: PrimalityMethod::Intervals {
                    width: 4,
                    primes_from: None,
                },
            },
            &ScenarioValuePath::default(),
        )
        .unwrap(),
    );
    let instances: Vec<Instance> = (0..numbers.len())
        .map(|world| Instance::new(problem.clone(), world, Oracle::Truth))
        .collect();
    let pairs = ["bayes", "marginal"]
        .into_iter()
        .flat_map(|b| ["obfuscator", "exploiter", "honest"].map(|a| (a, b)));
    for ((prover, estimator), value) in pairs.zip(values) {
        let of = |instance| expected(instance, protocol, [prover, estimator, "oracle"]).0;
        let mean = instances.iter().map(of).sum::<Exact>() / Exact::ratio(10, 1);
        assert_eq!(mean, q(value), "{prover} {estimator}");
    }
}

#[test]
fn primes_have_the_guaranteed_values() {
    assert_values_of_primes(
        &pe("0.45", "1/9"),
        [
            "0",
            "73/300",
            "1/10000",
            "5817/10000000",
            "81/312500",
            "1/10000",
        ],
    );
}

#[test]
fn primes_have_the_guaranteed_values_with_a_smaller_epsilon() {
    assert_values_of_primes(
        &pe("1/4", "1/2"),
        [
            "0",
            "73/300",
            "1/1048576",
            "541/10240000",
            "81/10240000",
            "1/1048576",
        ],
    );
}

/// The view of a strategy when it is asked in a given position.
struct Probe<'a> {
    state: State<'a, Exact>,
}

impl<'a> Probe<'a> {
    fn after(
        instance: &'a Instance,
        protocol: &Protocol,
        replies: Vec<debate_core::protocol::Reply<Exact>>,
    ) -> Self {
        let mut state = protocol.start(instance).unwrap();
        for reply in replies {
            state.reply(reply, &mut ()).unwrap();
        }
        Self { state }
    }

    fn ask(
        &self,
        strategy: &PlayableStrategy<'a>,
    ) -> Vec<(Exact, debate_core::protocol::Reply<Exact>)> {
        let turn = self.state.request().unwrap();
        let mut policy_state = StrategyMemoryAndCosts::default();
        strategy
            .choose(
                View::new(&self.state, turn.seat),
                &turn.request,
                &mut policy_state,
            )
            .unwrap()
            .weighted_replies()
            .unwrap()
    }
}

#[test]
fn ties_go_to_the_lowest_index() {
    use debate_core::protocol::{Bet, Reply};
    let instance = arguments::instance("all(1, 1, 1)");
    let protocol = pe("1/4", "1/2");
    let say = |p: &str| Reply::Probability(q(p));
    let position = Probe::after(
        &instance,
        &protocol,
        vec![
            Reply::Answer(true),
            say("1/2"),
            Reply::Drawn(1),
            Reply::Direction(Bet::TooLow),
            Reply::Support(0),
            say("3/4"),
            Reply::Drawn(1),
            say("1/2"),
            Reply::Drawn(1),
            say("1/2"),
            Reply::Drawn(1),
        ],
    );
    let [honest, ..] = seats(&instance, &protocol, ["honest", "truthful", "oracle"]);
    assert_eq!(position.ask(&honest), [(q("1"), Reply::Select(1))]);
    let [contrarian, ..] = seats(&instance, &protocol, ["contrarian", "truthful", "oracle"]);
    assert_eq!(position.ask(&contrarian), [(q("1"), Reply::Select(0))]);
}

#[test]
fn hedged_splits_its_doubt() {
    use debate_core::protocol::{Bet, Reply};
    for (formula, p, each) in [
        ("all(1, 1, 0, 1)", "3/5", "9/10"),
        ("any(1, 0)", "1/2", "1/4"),
        ("maj(1, 0, 1)", "3/5", "3/5"),
        ("not(1)", "1/4", "3/4"),
    ] {
        let instance = arguments::instance(formula);
        let protocol = pe("1/4", "1/2");
        let [_, hedged, _] = seats(&instance, &protocol, ["honest", "hedged", "oracle"]);
        let replies = vec![
            Reply::Answer(true),
            Reply::Probability(q(p)),
            Reply::Drawn(1),
            Reply::Direction(Bet::TooLow),
            Reply::Support(0),
        ];
        let position = Probe::after(&instance, &protocol, replies);
        assert_eq!(
            position.ask(&hedged),
            [(q("1"), Reply::Probability(q(each)))],
            "{formula}"
        );
    }
}

#[test]
fn drifting_takes_equal_steps_to_the_truth() {
    let instance = arguments::instance("all(all(1, 1), all(1, 1))");
    let protocol = pe("1/4", "1/2");
    let (_, rounds) = expected(&instance, &protocol, ["honest", "drifting", "oracle"]);
    // p = 0, then 1/2, then 1: the errors of the rounds relative to the estimates are 1 − 1/4, 1 − 1/2 …
    assert_eq!(rounds["0"], q("0"));
    assert_eq!(rounds["2"], q("1/4") / q("1024"));
    assert_eq!(rounds["1"], q("1/2") / q("32"));
}

/// A single true leaf: Alice claims it, and bets that its estimate is too low if that is off by more than ε. Every
/// answer of the copies is written out.
#[test]
fn an_estimator_asks_copies_of_alice_who_err() {
    let instance = arguments::instance("1");
    let protocol = pe("1/4", "1/2");
    let (error, right) = (q("2/5"), q("3/5"));
    let mut wanted = Exact::default();
    for answers in 0_u32..8 {
        let count = answers.count_ones();
        let chance = |yes: &Exact, no: &Exact| {
            yes.pow(count.cast_signed()) * no.pow((3 - count).cast_signed())
        };
        let [if_true, if_false] = [chance(&right, &error), chance(&error, &right)];
        let p = &if_true / (&if_true + &if_false);
        let odds = q("3/2").pow(2 * count.cast_signed() - 3);
        assert_eq!(p, &odds / (&odds + q("1")));
        let gap = q("1") - &p;
        let bet = if gap > q("1/4") { gap } else { q("0") };
        wanted += if_true * (p * q("1/32") + bet);
    }
    let (_, rounds) = expected(&instance, &protocol, ["honest", "asks(0.4, 3)", "oracle"]);
    let found: Exact = rounds.values().sum();
    assert_eq!(found, wanted);
    // A copy that never errs is a truthful Bob.
    let sure = expected(&instance, &protocol, ["honest", "asks(0, 2)", "oracle"]);
    let truthful = expected(&instance, &protocol, ["honest", "truthful", "oracle"]);
    assert_eq!(sure.1, truthful.1);
}

#[test]
fn an_estimator_asks_at_least_one_copy() {
    let instance = arguments::instance("1");
    let protocol = pe("1/4", "1/2");
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    for name in ["asks(0.1, 0)", "asks(0.1, 100)"] {
        let spec = PlayerSpec::parse(name).unwrap();
        let refused = registry.build(&spec, Seat::Opponent, &instance, &protocol);
        let refused = refused.err().unwrap().to_string();
        assert!(
            refused.contains("the number of copies of Alice that Bob queries must be from 1 to 99"),
            "{refused}"
        );
    }
}

#[test]
fn an_unknown_player_is_refused_with_the_known_ones() {
    let registry = StrategyRegistry::<f64>::registry_with_builtin_players();
    let instance = arguments::instance("1");
    let protocol = pe("1/4", "1/2");
    let build = |name: &str, seat| {
        let spec = PlayerSpec::parse(name).unwrap();
        registry
            .build(&spec, seat, &instance, &protocol)
            .err()
            .unwrap()
            .to_string()
    };
    let unknown = build("bayesian", Seat::Opponent);
    assert!(
        unknown.contains("estimator") && unknown.contains("bayes, "),
        "{unknown}"
    );
    let wrong = build("stubborn(2)", Seat::Opponent);
    assert_eq!(
        wrong,
        "the player stubborn takes p, a number from 0 to 1, as in stubborn(0.5)"
    );
    assert!(build("honest(1)", Seat::Prover).contains("or the word markov"));
    let wrong = build("asks(0.1)", Seat::Opponent);
    assert_eq!(
        wrong,
        "the player asks takes error, a number from 0 to 1, and copies, a whole number, as in asks(0.1, 3)"
    );
}

/// Play without a log is the same play.
#[test]
fn silent_play_is_the_same_play() {
    struct Count(usize);
    impl EventSink<Exact> for Count {
        fn wants(&self) -> bool {
            true
        }
        fn note(&mut self, _: Seat, _: Option<debate_core::protocol::ReplySeal>, _: Event<Exact>) {
            self.0 += 1;
        }
    }
    let instance = arguments::instance("all(1, 0)");
    let protocol = pe("1/4", "1/2");
    let mut loud = protocol.start::<Exact>(&instance).unwrap();
    let mut silent = loud.clone();
    let mut count = Count(0);
    let reply = debate_core::protocol::Reply::Answer(true);
    loud.reply(reply.clone(), &mut count).unwrap();
    silent.reply(reply, &mut ()).unwrap();
    assert_eq!((loud.request(), count.0), (silent.request(), 1));
}
