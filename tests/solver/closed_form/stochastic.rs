mod samples;
mod theorem;
mod vectors;

use debate_core::budget::ComputationBudget;
use debate_core::gate::Gate;
use debate_core::number::{Exact, Number, parse};
use debate_core::player::{PlayerSpec, Strategy, StrategyRegistry};
use debate_core::protocol::stochastic::StochasticProtocolParameters;
use debate_core::protocol::stochastic::constants::RequiredSamplesAndTests;
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::{
    Instance, PlanProblemStepSpec, ProgramStepActionSpec, RandomComputation,
};
use debate_solver::closed_form::stochastic::solve;
use debate_solver::expectation::ExpectedRewardsAndExpenses;
use debate_solver::expectimax::{ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::registry;
use num_traits::One as _;

use crate::support::random_computations;

const TWELVE: &str = "Stochastic(k: 1, constants: \
    Custom(c: \"1/4\", s: \"3/4\", b: \"5/4\", q: \"1/2\", v: \"1/2\"))";
const FEW: &str = "Stochastic(k: 1, constants: \
    Custom(c: 0.2, s: 0.45, b: 0.8, q: 0.9, v: 0.7))";
const PANEL: &str = "Stochastic(k: 1, constants: Panel(size: 5, threshold: \"2/5\"))";
const PAPER: &str = "Stochastic(k: \"1/150\", constants: Paper)";

fn exact(text: &str) -> Exact {
    parse(text).unwrap()
}

fn parameters(protocol: &str) -> StochasticProtocolParameters {
    match Protocol::parse(protocol).unwrap() {
        Protocol::Stochastic(parameters) => parameters,
        other => panic!("{other}"),
    }
}

fn table(prover: &str, opponent: &str) -> [PlayerSpec; 3] {
    [prover, opponent, "oracle"].map(|name| PlayerSpec::parse(name).unwrap())
}

/// The expectation by a walk over every reply.
fn walked<N: Number>(
    instance: &Instance,
    protocol: &str,
    players: &[PlayerSpec; 3],
) -> ExpectedRewardsAndExpenses<N> {
    let protocol = Protocol::parse(protocol).unwrap();
    let registry = StrategyRegistry::<N>::registry_with_builtin_players();
    let start = protocol.start::<N>(instance).unwrap();
    let seats = [Seat::Prover, Seat::Opponent, Seat::Judge].map(|seat| {
        let best = players[seat.seat_index()].name == "best-response";
        (!best).then(|| {
            registry
                .build_at(
                    players,
                    seat,
                    instance,
                    &protocol,
                    ComputationBudget::default(),
                )
                .unwrap()
        })
    });
    let actors = seats.each_ref().map(|built| match built {
        Some(built) => SeatDecisionMaker::Plays(&**built as &dyn Strategy<'_, N>),
        None => SeatDecisionMaker::BestResponse,
    });
    let mut walk = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default());
    walk.expectation_from_state(start).unwrap()
}

fn by_prefix<N: Number>(
    instance: &Instance,
    protocol: &str,
    players: &[PlayerSpec; 3],
) -> ExpectedRewardsAndExpenses<N> {
    let found = solve(
        players,
        instance,
        &parameters(protocol),
        &[],
        ComputationBudget::default(),
    );
    found.unwrap().expect("known players").0
}

fn wins<N: Number>(expected: &ExpectedRewardsAndExpenses<N>) -> N {
    (expected.expected_payoff() + N::one()) / (N::one() + N::one())
}

fn three() -> Instance {
    random_computations::random(
        3,
        &[
            ("", "1/3"),
            ("0", "1"),
            ("1", "1/2"),
            ("00", "1/5"),
            ("01", "4/5"),
            ("10", "0"),
            ("11", "2/3"),
        ],
    )
}

/// Checks that the closed form gives the expectation of the walk, including all costs, for every pair of players.
fn prefixes_and_the_walk_agree(cases: &[(Instance, &[&str])]) {
    for (instance, protocols) in cases {
        for protocol in *protocols {
            for prover in [
                "honest",
                "exact",
                "liar",
                "liar(0)",
                "drifting(0.3)",
                "misinformed(0.1)",
                "random",
            ] {
                for opponent in [
                    "honest",
                    "misinformed(0.2)",
                    "silent",
                    "false-alarm",
                    "random",
                    "best-response",
                ] {
                    let players = table(prover, opponent);
                    let found = by_prefix::<Exact>(instance, protocol, &players);
                    let known = if prover == "random" && opponent == "best-response" {
                        continue;
                    } else {
                        walked::<Exact>(instance, protocol, &players)
                    };
                    assert_eq!(found, known, "{protocol}: {prover} against {opponent}");
                    let float = by_prefix::<f64>(instance, protocol, &players);
                    let off = float.expected_payoff() - found.expected_payoff().to_float();
                    assert!(off.abs() < 1e-13, "{protocol}: {prover} against {opponent}");
                }
            }
        }
    }
}

#[test]
fn prefixes_and_the_walk_agree_exactly() {
    let computed = random_computations::asked_and_computed();
    prefixes_and_the_walk_agree(&[(three(), &[TWELVE, PANEL]), (computed, &[PANEL])]);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: prefixes_and_the_walk_agree_exactly"]
fn prefixes_and_the_walk_agree_exactly_under_all_constants() {
    let computed = random_computations::asked_and_computed();
    let rest: &[&str] = &[TWELVE, FEW];
    prefixes_and_the_walk_agree(&[(three(), &[FEW]), (computed, rest)]);
}

/// Two witness bits, two bits that depend on them, and a gate over one of each.
fn with_a_witness() -> Instance {
    let asked = |question: &str, each: &[(&str, &str)]| ProgramStepActionSpec::Ask {
        question: question.to_owned(),
        judged_true: each
            .iter()
            .map(|(bits, p)| ((*bits).to_owned(), exact(p)))
            .collect(),
        evidence: None,
        truth: None,
    };
    let both = ProgramStepActionSpec::Compute {
        gate: Gate::All,
        on: vec!["s1".to_owned(), "s3".to_owned()],
        not: Vec::new(),
    };
    let actions = [
        ProgramStepActionSpec::Witness,
        ProgramStepActionSpec::Witness,
        asked("a", &[("0", "1/4"), ("1", "2/3")]),
        asked(
            "b",
            &[("000", "1/3"), ("101", "1"), ("11", "4/5"), ("", "3/5")],
        ),
        both,
    ];
    let step = |(place, action)| PlanProblemStepSpec {
        id: format!("s{place}"),
        text: None,
        action,
    };
    random_computations::plan((0..).zip(actions).map(step).collect())
}

/// The witness is a move of Alice's like any other: she chooses the best one, at the cost of one reply.
#[test]
fn prefixes_and_the_walk_agree_on_witnesses() {
    let instance = with_a_witness();
    let process = instance.random_computation().unwrap();
    assert_eq!(process.witness().as_slice(), [true, true]);
    assert_eq!(process.accepts().unwrap(), exact("4/5"));
    for protocol in [TWELVE, PANEL] {
        let protocol = protocol.replacen("k: 1", "k: 1, witness: true", 1);
        for (prover, opponents) in [
            ("honest", &["honest", "false-alarm", "best-response"][..]),
            ("exact", &["silent", "best-response"]),
            ("liar(2)", &["honest"]),
            ("random", &["random"]),
        ] {
            for opponent in opponents {
                let players = table(prover, opponent);
                let found = by_prefix::<Exact>(&instance, &protocol, &players);
                let known = walked::<Exact>(&instance, &protocol, &players);
                assert_eq!(found, known, "{protocol}: {prover} against {opponent}");
            }
        }
    }
    let rules = "Stochastic(k: 1, witness: true)";
    let best = by_prefix::<f64>(&instance, rules, &table("best-response", "silent"));
    assert!(wins(&best) > 0.999);
}

/// With the rules of the figure, under which every player draws at least 885 samples.
#[test]
fn prefixes_and_the_walk_agree_on_shared_coins() {
    let one = random_computations::random(1, &[("", "1/3")]);
    let two = random_computations::random(2, &[("", "1/2"), ("0", "1/4"), ("1", "3/4")]);
    for (instance, prover, opponent) in [
        (&one, "honest", "honest"),
        (&two, "exact", "false-alarm"),
        (&two, "liar", "honest"),
        (&one, "random", "random"),
    ] {
        let players = table(prover, opponent);
        let found = by_prefix::<f64>(instance, PAPER, &players);
        let known = walked::<f64>(instance, PAPER, &players);
        let off = found.expected_payoff() - known.expected_payoff();
        // The walk rounds each tail to 10⁻¹².
        assert!(off.abs() < 4e-12, "{prover} against {opponent}: {off}");
    }
}

/// Alice's maximum value. Tries every number at which a verdict changes, the numbers just beside it, and every midpoint
/// between two such numbers.
fn most(instance: &Instance, protocol: &str) -> Exact {
    let process = instance.random_computation().unwrap();
    let terms = RequiredSamplesAndTests::sample_counts_and_tests_of_parameters(
        &parameters(protocol),
        process.steps(),
    )
    .unwrap();
    let mut marks = vec![exact("0"), exact("1")];
    for test in [&terms.bob, &terms.verifier] {
        for ones in 0..=test.samples {
            let mean = Exact::new(ones.into(), test.samples.into());
            marks.extend([&mean + &test.limit, &mean - &test.limit]);
        }
    }
    marks.retain(Number::is_probability);
    marks.sort();
    marks.dedup();
    after(&*process, &terms, &marks, &mut Vec::new())
}

fn after(
    process: &dyn RandomComputation,
    terms: &RequiredSamplesAndTests<Exact>,
    marks: &[Exact],
    bits: &mut Vec<bool>,
) -> Exact {
    if bits.len() as u64 == process.steps() {
        return Exact::indicator(bits.last() == Some(&true));
    }
    let p = process.next(bits).exact().clone();
    let [no, yes] = [false, true].map(|bit| {
        bits.push(bit);
        let value = after(process, terms, marks, bits);
        bits.pop();
        value
    });
    // The value if verdicts use `at` and the coin uses `coin`.
    let value = |at: &Exact, coin: &Exact| {
        let objects = terms.bob.failure_probability(at, &p);
        let passes = Exact::one() - terms.verifier.failure_probability(at, &p);
        let rest = coin * &yes + (Exact::one() - coin) * &no;
        &objects * passes + (Exact::one() - &objects) * rest
    };
    let at = marks.iter().map(|mark| value(mark, mark));
    let beside = marks.windows(2).flat_map(|pair| {
        let middle = (&pair[0] + &pair[1]) / exact("2");
        [value(&middle, &pair[0]), value(&middle, &pair[1])]
    });
    at.chain(beside.collect::<Vec<_>>()).max().unwrap()
}

/// The worst Alice gets the maximum over all numbers at every step.
fn the_worst_alice_is_the_best(cases: &[(Instance, &[&str])]) {
    for (instance, protocols) in cases {
        for protocol in *protocols {
            let players = table("best-response", "honest");
            let found = wins(&by_prefix::<Exact>(instance, protocol, &players));
            assert_eq!(found, most(instance, protocol), "{protocol}");
            let float = wins(&by_prefix::<f64>(instance, protocol, &players));
            assert!((float - found.to_float()).abs() < 1e-13, "{protocol}");
            for prover in ["honest", "exact", "liar", "drifting(0.3)", "random"] {
                let other = by_prefix::<Exact>(instance, protocol, &table(prover, "honest"));
                assert!(wins(&other) <= found, "{protocol}: {prover}");
            }
        }
    }
}

#[test]
fn the_worst_alice_is_the_best_of_all_numbers() {
    let computed = random_computations::asked_and_computed();
    the_worst_alice_is_the_best(&[(three(), &[TWELVE, PANEL]), (computed, &[TWELVE, PANEL])]);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: the_worst_alice_is_the_best_of_all_numbers"]
fn the_worst_alice_is_the_best_of_all_numbers_if_tests_differ() {
    let computed = random_computations::asked_and_computed();
    the_worst_alice_is_the_best(&[(three(), &[FEW]), (computed, &[FEW])]);
}

/// Against Bobs who never object, who object to every true number, or who object sometimes.
#[test]
fn the_best_alice_knows_her_bob() {
    let three = three();
    let most = |opponent: &str, protocol: &str| {
        wins(&by_prefix::<Exact>(
            &three,
            protocol,
            &table("best-response", opponent),
        ))
    };
    assert_eq!(most("silent", TWELVE), Exact::one());
    // One half of the coin suffices: she states 1 at every step that he does not check.
    for protocol in [TWELVE, FEW] {
        for prover in ["honest", "exact", "liar", "drifting(0.3)"] {
            for opponent in ["false-alarm", "random"] {
                let other = by_prefix::<Exact>(&three, protocol, &table(prover, opponent));
                assert!(wins(&other) <= most(opponent, protocol));
            }
        }
    }
}

/// The players that are built for a table get the computed values. The only difference is Alice's small distance from
/// numbers that she may approach but not state.
#[test]
fn a_best_response_can_be_seated() {
    let small = three();
    let large = random_computations::random(2, &[("", "1/2"), ("0", "1/4"), ("1", "3/4")]);
    for (instance, protocol) in [
        (&small, TWELVE),
        (&small, FEW),
        (&large, "Stochastic(k: \"1/20\")"),
    ] {
        for (prover, opponent) in [("best-response", "honest"), ("honest", "best-response")] {
            let players = table(prover, opponent);
            let rules = Protocol::parse(protocol).unwrap();
            let registry = registry::<f64>();
            let seats = [Seat::Prover, Seat::Opponent, Seat::Judge].map(|seat| {
                registry
                    .build_at(
                        &players,
                        seat,
                        instance,
                        &rules,
                        ComputationBudget::default(),
                    )
                    .unwrap()
            });
            let start = rules.start::<f64>(instance).unwrap();
            let actors = seats
                .each_ref()
                .map(|built| SeatDecisionMaker::Plays(&**built));
            let played = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default())
                .expectation_from_state(start)
                .unwrap();
            let found = by_prefix::<f64>(instance, protocol, &players);
            let off = found.expected_payoff() - played.expected_payoff();
            assert!((-1e-11..1e-6).contains(&off), "{protocol}: {prover}: {off}");
        }
    }
}

/// DE §8: one step with the true probability 3/5, by sums over all numbers of ones.
#[test]
fn approximate_oracles_shift_the_samples_against_their_player() {
    let one_step = random_computations::random(1, &[("", "3/5")]);
    let found = |prover: &str, opponent: &str| {
        wins(&by_prefix::<Exact>(
            &one_step,
            TWELVE,
            &table(prover, opponent),
        ))
    };
    // Without objections, Alice wins as often as the mean of her samples is on average.
    assert_eq!(found("misinformed(0.1)", "silent"), exact("1/2"));
    assert_eq!(found("misinformed(0.7)", "silent"), Exact::default());
    for opponent in ["honest", "silent", "best-response"] {
        assert_eq!(found("misinformed(0)", opponent), found("honest", opponent));
    }
    assert_eq!(found("exact", "misinformed(0)"), found("exact", "honest"));
    // Bob samples 7/10 instead of 3/5, and the verifier 3/5.
    let terms = RequiredSamplesAndTests::<Exact>::sample_counts_and_tests_of_parameters(
        &parameters(PANEL),
        1,
    )
    .unwrap();
    let panel = |prover: &str, opponent: &str| {
        wins(&by_prefix::<Exact>(
            &one_step,
            PANEL,
            &table(prover, opponent),
        ))
    };
    let outside = |samples: u64, limit: &Exact, p: &Exact| -> Exact {
        let each = (0..=samples).zip(debate_core::chance::binomial_distribution(
            u32::try_from(samples).unwrap(),
            p,
        ));
        let far = each.filter(|(ones, _)| {
            let mean = Exact::new((*ones).into(), samples.into());
            let off = mean - exact("3/5");
            off >= *limit || -off >= *limit
        });
        far.map(|(_, share)| share).sum()
    };
    let objects = outside(terms.bob.samples, &terms.bob.limit, &exact("7/10"));
    let caught = outside(terms.verifier.samples, &terms.verifier.limit, &exact("3/5"));
    let wanted = &objects * (Exact::one() - &caught) + (Exact::one() - &objects) * exact("3/5");
    assert_eq!(panel("exact", "misinformed(0.1)"), wanted);
    assert_ne!(wanted, panel("exact", "honest"));
}
