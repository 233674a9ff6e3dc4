//! The expected earnings of the first opponent, `errs(+, -)`, against Bobs who give different numbers. One of 64 last
//! claims is wrong, each equally likely, and Bob knows that the root is false.

use std::fmt::Write as _;

use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number, parse};
use debate_core::player::prover_estimator::{EstimateQuery, Estimator, EstimatorPolicy, PeView};
use debate_core::player::{
    BuildFunction, ERRS, Player, PlayerSpec, ReplyDistribution, SeatedDebate, StrategyEntry,
    StrategyRegistry, boxed_strategy,
};
use debate_core::protocol::{Bet, ProtocolKind, Reply, Seat};
use debate_solver::analysis::DebateSolutionInputs;
use debate_solver::registry;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use debate_solver::simulate::{PlannedSimulation, RulesAndPlayers};
use num_traits::Zero as _;

/// The number of last claims: three rounds with four subclaims each.
const LEAVES: usize = 64;

/// The number of debates against the Bob whose numbers are random.
const DEBATES: u64 = 6000;

/// The rule by which a Bob derives an estimate from the index of the subclaim and the even share.
type Rule = fn(usize, Exact) -> Exact;

/// A Bob who knows that the root is false.
#[derive(Clone, Copy)]
struct RuleEstimator(Rule);

impl<N: Number> Estimator<N> for RuleEstimator {
    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        let p = match asked.place {
            None => Exact::zero(),
            Some(place) => {
                let even = view.consistency().estimate_sharing_doubt_evenly();
                (self.0)(place as usize, even.to_exact())
            }
        };
        ReplyDistribution::Certain(Reply::Probability(N::from_exact(&p)))
    }
}

/// A Bob whose numbers are the even share and an error of up to ten percentage points, each equally likely.
#[derive(Clone, Copy)]
struct NoisyEstimator;

impl<N: Number> Estimator<N> for NoisyEstimator {
    fn estimate(&self, view: PeView<'_, '_, N>, asked: EstimateQuery) -> ReplyDistribution<N> {
        if asked.place.is_none() {
            return ReplyDistribution::Certain(Reply::Probability(N::zero()));
        }
        let even = view
            .consistency()
            .estimate_sharing_doubt_evenly()
            .to_float();
        ReplyDistribution::uniform_computed(2001, move |drawn| {
            let drawn = f64::from(u32::try_from(drawn).unwrap());
            let error = (drawn - 1000.0) / 10_000.0;
            let p = Exact::from_float((even + error).clamp(0.0, 1.0)).unwrap();
            Reply::Probability(N::from_exact(&p))
        })
    }
}

fn percent(points: i64) -> Exact {
    Exact::ratio(points, 100)
}

/// The Bobs by name, with their rules.
const RULES: [(&str, Rule); 5] = [
    ("even-share", |_, even| even),
    ("whole-tens", |_, even| {
        let tens = even * Exact::ratio(10, 1);
        tens.round() / Exact::ratio(10, 1)
    }),
    ("by-steps", |index, _| percent([75, 67, 60, 50][index])),
    ("ninety", |_, _| percent(90)),
    ("half", |_, _| percent(50)),
];

/// Returns a registry with the Bobs of this test.
fn registry_with_bobs<N: Number>() -> StrategyRegistry<N> {
    let builders: [(&'static str, BuildFunction<N>); 6] = [
        (RULES[0].0, |_| {
            boxed_strategy(EstimatorPolicy(RuleEstimator(RULES[0].1)))
        }),
        (RULES[1].0, |_| {
            boxed_strategy(EstimatorPolicy(RuleEstimator(RULES[1].1)))
        }),
        (RULES[2].0, |_| {
            boxed_strategy(EstimatorPolicy(RuleEstimator(RULES[2].1)))
        }),
        (RULES[3].0, |_| {
            boxed_strategy(EstimatorPolicy(RuleEstimator(RULES[3].1)))
        }),
        (RULES[4].0, |_| {
            boxed_strategy(EstimatorPolicy(RuleEstimator(RULES[4].1)))
        }),
        ("noisy-share", |_| {
            boxed_strategy(EstimatorPolicy(NoisyEstimator))
        }),
    ];
    let mut registry = registry::<N>();
    for (name, build) in builders {
        registry.add(StrategyEntry {
            name,
            seat: Seat::Opponent,
            protocol: Some(ProtocolKind::ProverEstimator),
            parameters: &[],
            about: None,
            uses_no_claim_knowledge: false,
            build,
        });
    }
    registry
}

/// Returns a scenario like `primes`: 64 last claims, of which one is false in each world.
fn setup() -> LoadedScenario {
    let mut claims = String::new();
    let mut worlds = String::new();
    let below = |id: &str| {
        let on: Vec<String> = (0..4).map(|index| format!("\"{id}{index}\"")).collect();
        format!("supports: [Support(gate: All, on: [{}])]", on.join(", "))
    };
    let mut ids = vec!["n".to_owned()];
    while let Some(id) = ids.pop() {
        let is_leaf = id.len() == 4;
        let rest = if is_leaf {
            "truth: true".to_owned()
        } else {
            below(&id)
        };
        writeln!(claims, "\"{id}\": Claim(text: \"{id} holds.\", {rest}),").unwrap();
        if is_leaf {
            writeln!(
                worlds,
                "World(name: \"{id}\", truths: {{\"{id}\": false}}),"
            )
            .unwrap();
        } else {
            ids.extend((0..4).map(|index| format!("{id}{index}")));
        }
    }
    let text = format!(
        "Scenario(format: 1, title: \"One flaw\",
          problem: Argument(root: \"n\", claims: {{ {claims} }}, worlds: [{worlds}]),
          oracle: Truth, protocol: ProverEstimator(epsilon: 0.45, rho: \"1/9\"))"
    );
    LoadedScenario::from_text(
        &text,
        ScenarioTextSource::Text("test".to_owned()),
        &ScenarioLimits::default(),
    )
    .unwrap()
}

fn players(opponent: &str) -> [PlayerSpec; 3] {
    ["errs(+, -)", opponent, "oracle"].map(|name| PlayerSpec::parse(name).unwrap())
}

/// Returns Alice's expected earnings in points, the mean over all flaws.
fn points(setup: &LoadedScenario, opponent: &str, worlds: usize) -> f64 {
    let (registry, players) = (registry_with_bobs::<Exact>(), players(opponent));
    let solver = DebateSolutionInputs {
        registry: &registry,
        protocol: &setup.protocol,
        players: &players,
        grid: &[],
    };
    let mut sum = Exact::zero();
    for world in 0..worlds {
        let solution = solver.solve(&setup.instance(world), ComputationBudget::default());
        sum += solution.unwrap().expected.expected_payoff();
    }
    let point = parse("0.0001").unwrap();
    (sum / Exact::ratio(i64::try_from(worlds).unwrap(), 1) / point).to_float()
}

/// The figures of the design that were computed exactly are equal to these. The other ones are means of 6,000 debates,
/// with a standard error of 3 to 6 points: 264 for 90 % everywhere, 485 for 50 % and 531 for 75, 67, 60 and 50 %.
#[test]
fn the_first_opponent_earns_the_gaps_of_bob() {
    let setup = setup();
    for (opponent, worlds, expected) in [
        ("even-share", LEAVES, "2.4"),
        ("whole-tens", LEAVES, "1.0"),
        // The flaw has no effect, because no last claim gets less than 50 %.
        ("ninety", 1, "274.9"),
        ("stubborn(0.9)", 1, "271.6"),
        ("half", 1, "481.9"),
        ("stubborn(0.5)", 1, "486.1"),
        ("by-steps", 1, "528.7"),
        // Each last claim is reached with the same probability.
        ("stubborn(0)", 1, "9843.8"),
    ] {
        let found = format!("{:.1}", points(&setup, opponent, worlds));
        assert_eq!(found, expected, "{opponent}");
    }
}

/// The interval contains the 65 points of the design.
#[test]
fn the_first_opponent_earns_little_from_a_noisy_even_share() {
    let setup = setup();
    let side = RulesAndPlayers {
        protocol: setup.protocol.clone(),
        players: players("noisy-share"),
    };
    let simulation = PlannedSimulation {
        setup: &setup,
        world: None,
        seed: &Seed::new("7").unwrap(),
        sides: std::slice::from_ref(&side),
        debates: 0..DEBATES,
        threads: 1,
    };
    let (floats, exacts) = (registry_with_bobs::<f64>(), registry_with_bobs::<Exact>());
    let results = simulation
        .run(&floats, &exacts, ComputationBudget::default())
        .unwrap();
    let [low, high] = results.sides[0].payoff_report().ci95.unwrap();
    let (low, high) = (low * 10_000.0, high * 10_000.0);
    assert!((low..high).contains(&65.0), "{low} to {high}");
    assert!(high - low < 25.0, "{low} to {high}");
}

/// The seat chooser's text about her: on a last claim she bets “too low” below 50 %, else “about right”, whatever her
/// signs are.
#[test]
fn the_first_opponent_ignores_her_signs_on_the_last_claim() {
    let setup = setup();
    let instance = setup.instance(0);
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    for (alice, opponent, on_last, before) in [
        ("errs(+, -)", "stubborn(0.49)", Bet::TooLow, Bet::TooLow),
        ("errs(-, +)", "stubborn(0.49)", Bet::TooLow, Bet::TooHigh),
        ("errs(+, -)", "stubborn(0.5)", Bet::AboutRight, Bet::TooHigh),
        ("errs(-, +)", "stubborn(0.5)", Bet::AboutRight, Bet::TooLow),
    ] {
        let table = [alice, opponent, "oracle"].map(|name| PlayerSpec::parse(name).unwrap());
        let built = |seat: Seat| {
            let instance = &instance;
            let built = registry.build(&table[seat.seat_index()], seat, instance, &setup.protocol);
            Player::Builtin(built.unwrap())
        };
        let start = setup.protocol.start(&instance).unwrap();
        let seed = Seed::new("7").unwrap();
        let mut seating = SeatedDebate::new(start, Seat::PLAYERS.map(built), &seed, 0);
        while seating.make_automatic_move().is_ok() {}
        let bets: Vec<Bet> = seating
            .moves()
            .iter()
            .filter_map(|made| match made.reply {
                Reply::Direction(bet) => Some(bet),
                _ => None,
            })
            .collect();
        assert_eq!(
            bets,
            [before, before, before, on_last],
            "{alice}, {opponent}"
        );
    }
}

/// Her signs reverse the bets, except on a last claim; her name has two signs in every list.
#[test]
fn the_signs_of_the_first_opponent_are_required() {
    let setup = setup();
    let instance = setup.instance(0);
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    let build = |text: &str| {
        let spec = PlayerSpec::parse(text).unwrap();
        let built = registry.build(&spec, Seat::Prover, &instance, &setup.protocol);
        built.map(drop).map_err(|error| error.to_string())
    };
    for signs in ["(+, -)", "(-,+)", "( + , + )", "(-, -)"] {
        assert_eq!(build(&format!("{ERRS}{signs}")), Ok(()), "{signs}");
    }
    let refused =
        "the player errs takes two signs, first and second, each + or -, as in errs(+, -)";
    for signs in [
        "",
        "(+)",
        "(+, -, +)",
        "(+, 1)",
        "(+, −)",
        "(++, -)",
        "(0.5, 0.5)",
    ] {
        assert_eq!(
            build(&format!("{ERRS}{signs}")),
            Err(refused.to_owned()),
            "{signs}"
        );
    }
    let entry = registry
        .find(ERRS, Seat::Prover, ProtocolKind::ProverEstimator)
        .unwrap();
    assert_eq!(entry.usage_form(), "errs(first, second)");
    assert_eq!(entry.example_specs_with_arguments(), ["errs(+, -)"]);
    let written = PlayerSpec::parse("errs( -,+ )").unwrap().to_string();
    assert_eq!(written, "errs(-, +)");
}
