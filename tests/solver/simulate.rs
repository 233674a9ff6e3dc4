mod allocations;
mod protocols;
mod sums;

use std::ops::Range;

use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number};
use debate_core::player::{
    PlayableStrategy, PlayerSpec, SeededRandomness, StrategyRegistry, play_between,
};
use debate_core::protocol::{Event, EventSink, Protocol, ReplySeal, Reward, Rules as _, Seat};
use debate_core::scenario::Instance;
use debate_solver::expectimax::{ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::setup::LoadedScenario;
use debate_solver::simulate::sums::ToFixedPoint;
use debate_solver::simulate::{
    PlannedSimulation, RulesAndPlayers, ShardError, SimulationIdentity, SimulationResults,
    SimulationShard, SimulationSums, SumAndSumOfSquares, merge_shards,
};
use num_bigint::BigInt;
use num_traits::Zero as _;

use crate::support::scenarios::{examples, setup};

/// Two instances, one of which has a false second leaf. Judges err, and one leaf reads a bit.
const TWO: &str = r#"Scenario(
    format: 1, title: "Most?",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "Most.", supports: [
            Support(gate: Majority, on: ["a", "b", "m"]),
            Support(gate: Any, on: ["b", "m"]),
        ]),
        "a": Claim(text: "A.", truth: true, estimate: "2/3", judged_true: "0.9"),
        "b": Claim(text: "B.", truth: true, estimate: "1/2"),
        "m": Claim(text: "M.", supports: [Support(gate: Any, on: ["b", "c"])]),
        "c": Claim(text: "C.", reads: ["u"], check: All),
    }, proof: {"u": true}, worlds: [
        World(name: "x", weight: 2),
        World(name: "y", weight: 1, truths: {"b": false}),
    ]),
    oracle: PerLeaf,
    protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
)"#;

fn side(setup: &LoadedScenario, players: [&str; 3]) -> RulesAndPlayers {
    RulesAndPlayers {
        protocol: setup.protocol.clone(),
        players: players.map(|name| PlayerSpec::parse(name).unwrap()),
    }
}

fn run(
    setup: &LoadedScenario,
    sides: &[RulesAndPlayers],
    debates: Range<u64>,
    threads: usize,
) -> SimulationResults {
    let seed = Seed::new("7").unwrap();
    let simulation = PlannedSimulation {
        setup,
        world: None,
        seed: &seed,
        sides,
        debates,
        threads,
    };
    let found = simulation.run(
        &StrategyRegistry::registry_with_builtin_players(),
        &StrategyRegistry::registry_with_builtin_players(),
        ComputationBudget::default(),
    );
    found.unwrap()
}

fn built<'a, N: Number>(
    side: &RulesAndPlayers,
    instance: &'a Instance,
) -> [PlayableStrategy<'a, N>; 3] {
    let registry = StrategyRegistry::registry_with_builtin_players();
    Seat::PLAYERS.map(|seat| {
        let spec = &side.players[seat.seat_index()];
        let built = registry.build(spec, seat, instance, &side.protocol);
        built.unwrap()
    })
}

/// A sink that records the rewards of a debate.
struct Rewards<N>(Vec<Reward<N>>);

impl<N> EventSink<N> for Rewards<N> {
    fn wants(&self) -> bool {
        true
    }

    fn note(&mut self, _seat: Seat, _seal: Option<ReplySeal>, event: Event<N>) {
        self.0.extend(event.into_reward());
    }
}

/// The number of calls of all players in all debates.
fn calls(sums: &SimulationSums) -> u128 {
    let debates = u32::try_from(sums.debates).unwrap();
    let each = Seat::PLAYERS.map(|seat| sums.mean_expenses_by_kind(seat)[4] * f64::from(debates));
    each.map(whole).into_iter().sum()
}

/// A whole number that floating point holds exactly.
fn whole(value: f64) -> u128 {
    let parsed = format!("{value}").parse();
    parsed.unwrap_or_else(|_| panic!("{value} is no whole number"))
}

/// The result of playing debates one by one: the sum of payoffs, the number in which the prover was ahead, and the
/// number of replies.
fn one_by_one<N: Number + ToFixedPoint>(
    setup: &LoadedScenario,
    side: &RulesAndPlayers,
    debates: Range<u64>,
) -> (BigInt, u64, u128) {
    let seed = Seed::new("7").unwrap();
    let (mut sum, mut won, mut calls) = (BigInt::zero(), 0, 0);
    for debate in debates {
        let instance = setup.instance(setup.world_of_debate(&seed, debate));
        let mut state = side.protocol.start::<N>(&instance).unwrap();
        let players = built::<N>(side, &instance);
        let players = players.each_ref().map(|player| &**player);
        let mut chances = SeededRandomness::new(&seed, debate, state.coins());
        let mut rewards = Rewards(Vec::new());
        let budget = ComputationBudget::default();
        let played = play_between(&mut state, players, &mut chances, &mut rewards, &budget);
        assert!(played.is_ok());
        let paid = rewards
            .0
            .iter()
            .map(|reward| reward.payment_to_prover().fixed());
        let payoff = paid.map(Option::unwrap).sum::<i128>();
        sum += payoff;
        won += u64::from(payoff > 0);
        calls += u128::from(state.ledger().spending_of_all_seats().calls);
    }
    (sum, won, calls)
}

/// Every pair of players gets the sums of the debates played one by one. An opponent who draws every number is slow to
/// lay out as a graph, so only honest Alice plays against that one, if `random`.
fn a_graph_of_draws_is_debate_by_debate(random: bool) {
    let mut setup = setup(TWO);
    for protocol in [
        "ProverEstimator(epsilon: 0.25, rho: 0.5)",
        "ProverEstimator(epsilon: 0.1, rho: 0.5, carry: Marginal, early_leaf: InPlace)",
        "Recursive",
    ] {
        setup.protocol = Protocol::parse(protocol).unwrap();
        let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
        let names = |seat| examples(&registry, seat, setup.protocol.kind());
        for prover in names(Seat::Prover) {
            for opponent in names(Seat::Opponent) {
                if opponent == "random" && !(random && prover == "honest") {
                    continue;
                }
                let side = side(&setup, [&prover, &opponent, "noisy(0.2)"]);
                let found = run(&setup, std::slice::from_ref(&side), 300..308, 1);
                let pair = format!("{prover} against {opponent} under {protocol}");
                let sums = &found.sides[0];
                assert_eq!(sums.debates, 8);
                let spent = calls(sums);
                let come_to = (sums.payoff.sum.clone(), sums.won, spent);
                let exact = one_by_one::<Exact>(&setup, &side, 300..308);
                if opponent == "random" || opponent.starts_with("asks") {
                    // There may be too many draws for a graph.
                    let float = one_by_one::<f64>(&setup, &side, 300..308);
                    assert!([exact, float].contains(&come_to), "{pair}");
                } else {
                    assert_eq!(come_to, exact, "{pair}");
                }
                let rounds: BigInt = sums.rounds().map(|(_, round)| &round.sum).sum();
                assert_eq!(rounds, sums.payoff.sum, "{pair}");
            }
        }
    }
}

#[test]
fn a_graph_of_draws_equals_single_debates() {
    a_graph_of_draws_is_debate_by_debate(false);
}

#[test]
#[ignore = "exhaustive: 3 s; every day: a_graph_of_draws_equals_single_debates"]
fn a_graph_of_draws_equals_single_debates_for_random_estimators() {
    a_graph_of_draws_is_debate_by_debate(true);
}

/// Every estimate is exactly ε from the truth, one on either side of it, or slightly beyond. In floating point 1 − 0.9
/// is less than 0.1, and 1 − 0.7 more than 0.3.
const AT_THE_THRESHOLD: &str = r#"Scenario(
    format: 1, title: "Just so?",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "All.", estimate: "0.9", supports: [Support(gate: All, on: ["a", "m"])]),
        "a": Claim(text: "A.", truth: true, estimate: "0.9"),
        "m": Claim(text: "M.", estimate: "0.89", supports: [Support(gate: Any, on: ["b", "c"])]),
        "b": Claim(text: "B.", truth: false, estimate: "0.1"),
        "c": Claim(text: "C.", truth: true, estimate: "0.7"),
    }),
    protocol: ProverEstimator(epsilon: 0.1, rho: 0.5),
)"#;

#[test]
fn both_kinds_of_number_decide_alike_at_the_threshold() {
    let mut setup = setup(AT_THE_THRESHOLD);
    for epsilon in ["0.1", "0.3", "0.11"] {
        let rules = format!("ProverEstimator(epsilon: {epsilon}, rho: 0.5)");
        setup.protocol = Protocol::parse(&rules).unwrap();
        let r = setup
            .protocol
            .weight_ratio_if_constant()
            .unwrap()
            .to_float();
        for prover in ["honest", "honest(markov)", "contrarian"] {
            let side = side(&setup, [prover, "calibrated", "noisy(0.2)"]);
            let (exact, won, replies) = one_by_one::<Exact>(&setup, &side, 0..400);
            let (float, also_won, also) = one_by_one::<f64>(&setup, &side, 0..400);
            // A different bet changes the value by more than a hundredth of the least weight.
            let apart = SumAndSumOfSquares {
                sum: exact - float,
                ..SumAndSumOfSquares::default()
            };
            let apart = apart.mean(1).unwrap().abs();
            assert!(apart < 0.01 * r.powi(3), "{prover}, {epsilon}: {apart}");
            assert_eq!((won, replies), (also_won, also), "{prover}, {epsilon}");
        }
    }
}

/// Some of `all` debates as a shard that was written and read again.
fn part(
    setup: &LoadedScenario,
    sides: &[RulesAndPlayers],
    all: u64,
    debates: Range<u64>,
) -> SimulationShard {
    let seed = Seed::new("7").unwrap();
    let simulation = PlannedSimulation {
        setup,
        world: None,
        seed: &seed,
        sides,
        debates: debates.clone(),
        threads: 1,
    };
    let shard = SimulationShard {
        identity: SimulationIdentity::identity_of_simulation(&simulation, all),
        simulated: run(setup, sides, debates, 1),
        seconds: 0.5,
        threads: 1,
    };
    SimulationShard::parse_shard_file(&shard.to_json_line()).unwrap()
}

/// Any number of threads and any split into shards give the same sums.
fn sums_are_the_same(first: [&str; 3], second: [&str; 3]) {
    let setup = setup(TWO);
    let sides = [side(&setup, first), side(&setup, second)];
    let whole = run(&setup, &sides, 0..800, 1);
    assert_eq!(run(&setup, &sides, 0..800, 2), whole);
    let part = |debates| part(&setup, &sides, 800, debates);
    let bounds = [0, 1, 1, 220, 500, 512, 799, 800];
    let parts: Vec<SimulationShard> = bounds.windows(2).map(|w| part(w[0]..w[1])).collect();
    let mut turned = parts.clone();
    turned.reverse();
    for parts in [parts.clone(), turned] {
        let merged = merge_shards(parts).unwrap().unwrap();
        assert_eq!(merged.whole.simulated, whole);
        assert!(merged.missing.is_empty());
    }
    let some = merge_shards(vec![parts[3].clone(), parts[0].clone()])
        .unwrap()
        .unwrap();
    assert_eq!(some.missing, [1..220, 500..800]);
    let twice = merge_shards(vec![parts[0].clone(), parts[3].clone(), parts[3].clone()]);
    assert_eq!(twice.unwrap_err().1, ShardError::Twice(220));
}

#[test]
fn sums_are_equal_on_any_threads_and_in_any_shards() {
    sums_are_the_same(
        ["random", "calibrated", "noisy(0.1)"],
        ["liar", "bayes", "oracle"],
    );
}

#[test]
#[ignore = "exhaustive: 13 s; every day: sums_are_equal_on_any_threads_and_in_any_shards"]
fn sums_of_single_debates_are_independent_of_shards() {
    sums_are_the_same(
        ["random", "bayes", "noisy(0.1)"],
        ["liar", "random", "oracle"],
    );
}

/// The means of 4,000 debates are within four standard errors of the exact values.
fn means_lie_near_exact_values(pairs: &[(&str, &str)]) {
    const DEBATES: u64 = 4_000;
    let setup = setup(TWO);
    for (prover, opponent) in pairs {
        let side = side(&setup, [prover, opponent, "noisy(0.1)"]);
        let found = run(&setup, std::slice::from_ref(&side), 0..DEBATES, 2);
        let mut expected = 0.0;
        for (world, weight) in [(0, 2.0 / 3.0), (1, 1.0 / 3.0)] {
            let instance = setup.instance(world);
            let players = built::<f64>(&side, &instance);
            let actors = players
                .each_ref()
                .map(|player| SeatDecisionMaker::Plays(&**player));
            let start = side.protocol.start::<f64>(&instance).unwrap();
            let mut walk = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default());
            expected += weight
                * walk
                    .expectation_from_state(start)
                    .unwrap()
                    .expected_payoff();
        }
        let sums = &found.sides[0];
        let (mean, error) = (
            sums.payoff.mean(DEBATES).unwrap(),
            sums.payoff.standard_error(DEBATES).unwrap(),
        );
        assert!(
            error > 0.0 && (mean - expected).abs() < 4.0 * error,
            "{mean} {expected}"
        );
    }
}

#[test]
fn means_agree_with_exact_values() {
    means_lie_near_exact_values(&[
        ("honest", "calibrated"),
        ("random", "calibrated"),
        ("liar", "marginal"),
    ]);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: means_agree_with_exact_values"]
fn the_mean_of_a_random_prover_agrees_with_its_exact_value() {
    means_lie_near_exact_values(&[("random", "bayes")]);
}

#[test]
fn a_comparison_is_debate_by_debate() {
    let setup = setup(TWO);
    let honest = side(&setup, ["honest", "calibrated", "oracle"]);
    let same = run(&setup, &[honest.clone(), honest.clone()], 0..1000, 1);
    let difference = same.difference.unwrap();
    assert_eq!(
        (difference.sum, difference.squares),
        (BigInt::zero(), BigInt::zero())
    );
    let liar = side(&setup, ["liar", "calibrated", "oracle"]);
    let both = run(&setup, &[honest, liar], 0..1000, 1);
    let difference = both.difference.unwrap();
    let sums = &both.sides;
    assert_eq!(difference.sum, &sums[0].payoff.sum - &sums[1].payoff.sum);
    assert_ne!(difference.sum, BigInt::zero());
}

#[test]
fn foreign_and_malformed_shards_are_refused() {
    let setup = setup(TWO);
    let sides = [side(&setup, ["honest", "calibrated", "oracle"])];
    let seed = Seed::new("7").unwrap();
    let simulation = PlannedSimulation {
        setup: &setup,
        world: None,
        seed: &seed,
        sides: &sides,
        debates: 0..10,
        threads: 1,
    };
    let shard = SimulationShard {
        identity: SimulationIdentity::identity_of_simulation(&simulation, 20),
        simulated: run(&setup, &sides, 0..10, 1),
        seconds: 0.0,
        threads: 1,
    };
    let text = shard.to_json_line();
    let changed: [fn(&mut SimulationIdentity); 5] = [
        |of| of.seed.push('8'),
        |of| of.scenario.push('8'),
        |of| of.debates = 21,
        |of| of.sides[0].players[1].push('8'),
        |of| of.instance = Some("x".to_owned()),
    ];
    for change in changed {
        let mut other = shard.clone();
        change(&mut other.identity);
        let refused = merge_shards(vec![shard.clone(), other]).unwrap_err();
        assert!(
            matches!(refused, (1, ShardError::IdentityMismatch(_))),
            "{refused:?}"
        );
    }
    // Shards of format 2 have no digest, so only implausible content reveals a change.
    let (rest, _) = text.split_once(",\"digest\"").unwrap();
    let old = format!("{rest}}}").replace("\"debate_tui_shard\":3", "\"debate_tui_shard\":2");
    assert_eq!(SimulationShard::parse_shard_file(&old).unwrap(), shard);
    let long = format!("\"sum\":\"{}\"", "9".repeat(1000));
    for (from, to) in [
        ("{", ""),
        ("\"debate_tui_shard\":2", "\"debate_tui_shard\":1"),
        ("\"debate_tui_shard\":2", "\"debate_tui_shard\":4"),
        ("\"first\":0", "\"first\":11"),
        ("\"end\":10", "\"end\":21"),
        ("\"won\":", "\"won\":9"),
        ("\"answered\":10", "\"answered\":9"),
        ("\"squares\":\"", "\"squares\":\"-1"),
        ("\"sum\":\"", "\"sum\":\"x"),
        ("\"sum\":\"", long.as_str()),
        ("\"weight\":\"", "\"weight\":\"inf"),
        ("\"round\":null", "\"round\":1"),
        ("\"seconds\":0.0", "\"seconds\":-1.0"),
        (
            "\"difference\":null",
            "\"difference\":{\"sum\":\"0\",\"squares\":\"0\"}",
        ),
    ] {
        let broken = old.replacen(from, to, 1);
        assert_ne!(broken, old, "{from}");
        let refused = SimulationShard::parse_shard_file(&broken);
        assert!(
            matches!(refused, Err(ShardError::Malformed(_))),
            "{to}: {refused:?}"
        );
    }
    assert!(SimulationShard::parse_shard_file(&"[".repeat(100_000)).is_err());
    assert_eq!(SimulationShard::parse_shard_file(&text).unwrap(), shard);
    every_flipped_byte_is_found(&text, |text| {
        SimulationShard::parse_shard_file(text).is_ok()
    });
    every_flipped_byte_is_found(&format!("{text}\n"), |text| {
        SimulationShard::parse_shard_file(text).is_ok()
    });
    let digit = text.replacen("\"sum\":\"", "\"sum\":\"1", 1);
    assert_eq!(
        SimulationShard::parse_shard_file(&digit).unwrap_err(),
        ShardError::Damaged
    );
}

/// Changes each byte of a shard, by one bit and into a digit. `reads` returns true if a text is accepted as a shard.
pub(crate) fn every_flipped_byte_is_found(text: &str, reads: impl Fn(&str) -> bool) {
    let sound = text.as_bytes();
    for (at, byte) in sound.iter().enumerate() {
        for other in [byte ^ 1, byte ^ 2, byte ^ 16, byte ^ 32, b'7'] {
            let mut changed = sound.to_vec();
            changed[at] = other;
            let changed = String::from_utf8(changed);
            let is_read = |changed: String| changed != text && reads(&changed);
            assert!(!changed.is_ok_and(is_read), "byte {at} as {other}");
        }
    }
}
