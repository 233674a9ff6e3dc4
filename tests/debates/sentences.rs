//! Every sentence that says how much a way of playing earns, with the computation that proves it. Covers README, the
//! guide's page on playing, the texts of the bundled scenarios and the tutorial. A sentence about earnings that is in
//! neither of the two tables fails here: compute it, and add it to `HELD`.

use std::fs;
use std::path::Path;
use std::sync::Once;

use crate::debates::errata::{best_after_false, spoilt_bits_pay_before_every_bob};
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::gate::{EstimateConsistency, Gate};
use debate_core::number::{Exact, Number as _, parse};
use debate_core::player::{Move, Player, PlayerSpec, SeatedDebate, StrategyRegistry};
use debate_core::protocol::{
    Bet, Protocol, ProtocolKind, Reply, Rules as _, Seat, SeatResourceCosts,
};
use debate_host::plan::difficulty_levels;
use debate_solver::analysis::review::{DebateReview, ReviewContext};
use debate_solver::analysis::{
    BestResponseKnowledgeAndAnswers, DebateSolution, DebateSolutionInputs,
};
use debate_solver::expectimax::BEST_RESPONSE;
use debate_solver::registry;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource, bundled_names};
use debate_solver::simulate::{PlannedSimulation, RulesAndPlayers, wilson_interval};
use debate_text::review::final_review_sentence;
use debate_text::{PayoffFormatter, ViewerPerspective};
use debate_tui::tui::tutorial::{COMPARISON_LESSON, COMPARISON_OPPONENTS, TUTORIAL};
use num_traits::Signed as _;

/// The expected payoff of an Alice who plays best against `bayes` and knows only which instances are possible.
fn best_reply_to_bayes(setup: &LoadedScenario) -> Exact {
    let registry = registry::<Exact>();
    let players =
        [BEST_RESPONSE, "bayes", "oracle"].map(|name| PlayerSpec::parse(name).expect("a player"));
    let solver = DebateSolutionInputs {
        registry: &registry,
        protocol: &setup.protocol,
        players: &players,
        grid: &[],
    };
    let worlds = setup.decomposition.worlds();
    let weights: Exact = worlds.iter().map(|world| &world.weight).sum();
    let instance = |world: usize| (&worlds[world].weight / &weights, setup.instance(world));
    let instances: Vec<_> = (0..worlds.len()).map(instance).collect();
    let seat = BestResponseKnowledgeAndAnswers {
        seat: Seat::Prover,
        blocks: vec![0; worlds.len()],
        queries: 0,
        answers: None,
    };
    let solved = solver.solve_with_knowledge(&instances, &seat, ComputationBudget::default());
    let solved = solved.expect("it is solved");
    let each = instances.iter().zip(&solved);
    each.map(|((probability, _), solution)| probability * solution.expected.expected_payoff())
        .sum()
}

/// The best play of an Alice who knows only the possible numbers of `primes`, against `bayes`: all but the first
/// answer, of one point, is from the last claim.
fn best_without_a_factor() {
    let points = best_reply_to_bayes(&scenario("primes")).to_float() * 10_000.0;
    assert!((points - 650.0).abs() < 0.5, "{points}");
}

/// The averages tell a person in Alice's seat what best play was worth: the solver's value.
#[test]
fn the_value_of_best_play_is_the_solvers() {
    let setup = scenario("primes-small");
    let sits = ["human", "bayes", "oracle"].map(|name| PlayerSpec::parse(name).expect("a player"));
    let case = ReviewContext::new(
        &setup.instance(0),
        &setup.protocol,
        sits,
        Default::default(),
        StrategyRegistry::registry_with_builtin_players(),
    );
    let answered = Move {
        seat: Seat::Prover,
        reply: Reply::Answer(true),
        coin: None,
        spent: SeatResourceCosts::default(),
    };
    let seed = Seed::new("7").expect("a seed");
    let budget = ComputationBudget::default();
    let trials = case.trials(&[answered], &seed, 1, budget, &|_| {});
    let best = trials.expect("played").best_play;
    assert_eq!(best, Some(best_reply_to_bayes(&setup)));
}

/// The grid that the texts about stability name.
const FINE: [&str; 7] = ["0", "0.1", "0.101", "0.5", "0.899", "0.9", "1"];
/// The number of debates for estimating a proportion.
const MANY: u64 = 20_000;

fn scenario(name: &str) -> LoadedScenario {
    LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default())
        .expect("a bundled scenario")
}

fn exact(text: &str) -> Exact {
    parse(text).expect("a number")
}

/// The solutions of a scenario's own instance if it names one, else of all instances, each with its probability.
fn solutions(
    setup: &LoadedScenario,
    prover: &str,
    opponent: &str,
    judge: &str,
    grid: &[&str],
) -> Vec<(Exact, DebateSolution<Exact>)> {
    let players = [prover, opponent, judge].map(|name| PlayerSpec::parse(name).expect("a player"));
    let grid: Vec<Exact> = grid.iter().map(|p| exact(p)).collect();
    let solve = |world: usize| {
        let registry = registry::<Exact>();
        let solver = DebateSolutionInputs {
            registry: &registry,
            protocol: &setup.protocol,
            players: &players,
            grid: &grid,
        };
        let solution = solver.solve(&setup.instance(world), ComputationBudget::default());
        solution.expect("small")
    };
    let worlds = setup.decomposition.worlds();
    let all: Exact = worlds.iter().map(|world| &world.weight).sum();
    match setup.requested_world {
        Some(world) => vec![(Exact::ratio(1, 1), solve(world))],
        None => (0..worlds.len())
            .map(|world| (&worlds[world].weight / &all, solve(world)))
            .collect(),
    }
}

/// Alice's expected payoff: in the scenario's own instance if it names one, else the mean over all instances.
fn expected(
    setup: &LoadedScenario,
    prover: &str,
    opponent: &str,
    judge: &str,
    grid: &[&str],
) -> Exact {
    solutions(setup, prover, opponent, judge, grid)
        .into_iter()
        .map(|(probability, solution)| probability * solution.expected.expected_payoff())
        .sum()
}

fn value(name: &str, prover: &str, opponent: &str) -> Exact {
    expected(&scenario(name), prover, opponent, "oracle", &[])
}

/// Alice's expected payoff in points, to three digits.
fn points(name: &str, prover: &str, opponent: &str) -> String {
    let setup = scenario(name);
    let instance = setup.instance(0);
    let state = setup.protocol.start::<Exact>(&instance).expect("it fits");
    let amounts = PayoffFormatter::formatter_in_points_of_schedule(&state.schedule());
    amounts.signed_for_viewer_with_unit(&value(name, prover, opponent))
}

/// The weight r of a scenario's rules.
fn ratio(name: &str) -> Exact {
    scenario(name)
        .protocol
        .weight_ratio_if_constant()
        .expect("weights")
}

/// Alice's probability of winning if a win pays ±1.
fn wins(name: &str, prover: &str, opponent: &str) -> f64 {
    f64::midpoint(value(name, prover, opponent).to_float(), 1.0)
}

/// The probability that Alice's payoff is positive: the 95 % interval of many debates.
fn ahead(name: &str, prover: &str, opponent: &str) -> [f64; 2] {
    let setup = scenario(name);
    let players =
        [prover, opponent, "oracle"].map(|name| PlayerSpec::parse(name).expect("a player"));
    let side = RulesAndPlayers {
        protocol: setup.protocol.clone(),
        players,
    };
    let simulation = PlannedSimulation {
        setup: &setup,
        world: setup.requested_world,
        seed: &Seed::new("7").expect("a seed"),
        sides: std::slice::from_ref(&side),
        debates: 0..MANY,
        threads: 1,
    };
    let (floats, exacts) = (registry::<f64>(), registry::<Exact>());
    let results = simulation.run(&floats, &exacts, ComputationBudget::default());
    let share = results.expect("played").sides[0]
        .positive_payoff_rate_of_prover()
        .expect("many");
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a count"
    )]
    let count = (share * MANY as f64).round() as u64;
    wilson_interval(count, MANY).expect("many")
}

/// The bound of PE Lemma A.5, (1 − ε) r², of a scenario one level deep.
fn completeness(name: &str) -> Exact {
    let setup = scenario(name);
    let (epsilon, _) = setup
        .protocol
        .protocol_parameters()
        .epsilon_and_rho()
        .expect("ε");
    let r = ratio(name);
    (Exact::ratio(1, 1) - epsilon) * &r * &r
}

/// The probability that the plan about the two trials ends with yes, if the trials are admitted by this witness.
fn yes_after(witness: [bool; 2]) -> f64 {
    let instance = scenario("caffeine-choice").instance(0);
    let process = instance.random_computation().expect("a plan");
    process.accepts_after(&witness).expect("short").to_float()
}

/// The liar's replies are the same for two different smallest factors; honest Alice's are not.
fn the_place_is_not_used() {
    let setup = scenario("primes");
    let registry = registry::<Exact>();
    let seed = Seed::new("7").expect("a seed");
    let replies = |number: &str, prover: &str, debate: u64| {
        let instance = setup.instance(setup.world_index(number).expect("a number"));
        let names = [prover, "stubborn(0.9)", "oracle"];
        let seated = |seat: Seat| {
            let spec = PlayerSpec::parse(names[seat.seat_index()]).expect("a player");
            let built = registry.build(&spec, seat, &instance, &setup.protocol);
            Player::Builtin(built.expect("it sits"))
        };
        let start = setup.protocol.start(&instance).expect("it fits");
        let mut seating = SeatedDebate::new(start, Seat::PLAYERS.map(seated), &seed, debate);
        while seating.make_automatic_move().is_ok() {}
        let moves = seating.moves().iter();
        let own = moves.filter(|made| made.seat == Seat::Prover);
        own.map(|made| format!("{:?}", made.reply))
            .collect::<Vec<_>>()
    };
    let alike = |prover: &str| {
        (0..50).all(|debate| replies("109931", prover, debate) == replies("110057", prover, debate))
    };
    assert!(alike("obfuscator") && alike("errs(+, -)") && !alike("honest"));
}

/// A sentence, or a part of one, that says how much a way of playing earns, and the computation that proves it.
type HeldSentence = (&'static str, fn());

const HELD: &[HeldSentence] = &[
    // Scenarios: `bundled::a_prover_announced_to_lose_gets_minus_one` tries the honest Alice too.
    ("against honest Bob you lose.", || {
        for name in ["multiplier", "turing"] {
            assert!(wins(name, "liar", "honest").abs() < 1e-12, "{name}");
        }
    }),
    // The levels of `guide play`.
    (
        "Alice's expected payoff in `primes-4331` against `stubborn(0.9)`",
        || {
            assert_level_order(Seat::Opponent, |players| {
                level_value(
                    "primes-4331",
                    players,
                    ["honest", "stubborn(0.9)", "oracle"],
                )
            });
        },
    ),
    (
        "the expected payoff of `honest` in `hidden-flaw-count`, the largest first",
        || {
            assert_level_order(Seat::Prover, |players| {
                -level_value("hidden-flaw-count", players, ["honest", "even", "oracle"])
            });
        },
    ),
    (
        "the change of Alice's expected payoff in `primes-4331` if the judge errs in one answer of ten",
        || {
            assert_level_order(Seat::Judge, |players| {
                let judged = |judge| level_value("primes-4331", players, ["honest", "even", judge]);
                (judged("noisy(0.1)") - judged("oracle")).abs()
            });
        },
    ),
    // README and `guide play`.
    (
        "If your numbers are consistent, the bet gains Alice nothing on average",
        a_bet_on_numbers_that_fit,
    ),
    (
        "The lying Alice gets 2.4 points on average from a Bob who splits his remaining doubt evenly after each coin. An honest Alice, who says that the number is not prime, gets 1.",
        || {
            assert_eq!(points("primes", "errs(+, -)", "even"), "+2.44 points");
            assert_eq!(points("primes", "honest", "even"), "+1 point");
            assert_eq!(points("primes", "errs(+, -)", "bayes"), "+2.44 points");
        },
    ),
    ("a liar wins 63 debates of 64", wins_63_of_64),
    (
        "Against `stubborn(0.9)`, who estimates every claim at 90 %, `obfuscator` gets 574 points on average, and has a positive payoff in 98 debates of 100.",
        liar_and_stubborn,
    ),
    (
        "Against `bayes`, who updates his probabilities after each coin, `obfuscator` gets 0 points.",
        liar_and_bayes,
    ),
    (
        "Against `hedged`, who answers each group separately, `obfuscator` gets 6.9 points.",
        liar_and_hedged,
    ),
    // The numbers of `bayes` are consistent, so she earns this at the last claim, where her number is better.
    (
        "Consistent numbers do not protect the last claim: the last claim pays the side whose number for this claim is better",
        || {
            assert_eq!(points("primes", "exploiter", "bayes"), "+406 points");
            assert_eq!(points("primes", "errs(+, -)", "bayes"), "+2.44 points");
        },
    ),
    (
        "They do not protect the last claim, which pays the side whose number for it is better",
        || {
            assert_eq!(points("primes", "exploiter", "bayes"), "+406 points");
        },
    ),
    (
        "An Alice with the same knowledge as Bob can gain at the last claim too, because Bob's number treats the coins as the truth.",
        best_without_a_factor,
    ),
    ("`exploiter` gets 406 points from `bayes`", || {
        assert_eq!(points("primes", "exploiter", "bayes"), "+406 points");
    }),
    (
        "she gets 2.4 of 10,000 points from the Bob of the hints, an honest Alice 1.",
        || {
            assert_eq!(points("primes", "errs(+, -)", "bayes"), "+2.44 points");
            assert_eq!(points("primes", "honest", "bayes"), "+1 point");
        },
    ),
    (
        "An Alice who knows no factor and plays best gets 650 from this Bob, nearly all at the last claim:",
        best_without_a_factor,
    ),
    (
        "the average earnings of bets in the direction of the gaps.",
        earnings_of_bets_on_a_gap,
    ),
    (
        "If the review found no mistake, it lists the replies that beat the hint, each with its expected loss by what you knew.",
        loss_by_what_she_knew,
    ),
    (
        "Consistent numbers make Alice's bets worthless on average in the rounds before the last claim.",
        || {
            only_the_last_claim_pays("primes", "errs(+, -)", "bayes");
        },
    ),
    (
        "`obfuscator` wins 63 debates of 64 against a challenger who can only guess.",
        wins_63_of_64,
    ),
    // Scenarios.
    (
        "From him the liar gets nothing on average. Against `hedged`, who answers each group separately, she gets 6.9 points.",
        || {
            let of_liar = |opponent| points("primes-4331", "obfuscator", opponent);
            assert_eq!(of_liar("bayes"), "0 points");
            assert_eq!(of_liar("hedged"), "+6.86 points");
        },
    ),
    ("From this Bob, the liar gets 0 points on average.", || {
        assert_eq!(
            value("primes-small", "obfuscator", "bayes"),
            Exact::default()
        );
    }),
    (
        "A lie gets past him 63 times in 64, although both sides know that it is a lie.",
        wins_63_of_64,
    ),
    (
        "An honest Alice gains on average, whatever Bob says.",
        || {
            let mut setup = scenario("primes-stable");
            for world in 0..setup.decomposition.worlds().len() {
                setup.requested_world = Some(world);
                let least = expected(&setup, "honest", BEST_RESPONSE, "oracle", &FINE);
                assert!(least >= completeness("primes-stable") && least > Exact::default());
            }
        },
    ),
    (
        "he brings her payoff below what PE Lemma A.5 promises, even below zero",
        || {
            let least = expected(
                &scenario("five-parts"),
                "honest",
                BEST_RESPONSE,
                "oracle",
                &FINE,
            );
            assert!(least < Exact::default());
        },
    ),
    (
        "honest Alice gets what PE Lemma A.5 promises, whatever Bob says",
        || {
            let least = expected(
                &scenario("five-parts-stable"),
                "honest",
                BEST_RESPONSE,
                "oracle",
                &FINE,
            );
            assert_eq!(least, completeness("five-parts-stable"));
        },
    ),
    (
        "An Alice who lies and bets that every base passes earns about 0.15 on average, more than an honest one",
        || {
            let lie = value("primes-liar-witness", "liar", "bayes");
            assert!((lie.to_float() - 0.15).abs() < 0.005, "{lie}");
            assert!(lie > value("primes-liar-witness", "honest", "bayes"));
        },
    ),
    (
        "A prover who bets against it earns 1/2 on average without knowing which page is wrong",
        || {
            assert_eq!(value("hidden-flaw", "exploiter", "bayes"), exact("1/2"));
        },
    ),
    ("the same prover earns only r²/4", || {
        let r = ratio("hidden-flaw");
        assert_eq!(
            value("hidden-flaw", "exploiter", "marginal"),
            &r * &r / exact("4")
        );
    }),
    (
        "If he does not know the scales, she keeps at least 5r²/8, whatever he says.",
        || {
            let r = ratio("hidden-flaw-count");
            let least = &r * &r * exact("5/8");
            assert_eq!(value("hidden-flaw-count", "exploiter", "marginal"), least);
            for bob in [
                "bayes",
                "marginal",
                "calibrated",
                "coherent",
                "hedged",
                "stubborn(0)",
                "stubborn(0.5)",
                "stubborn(1)",
            ] {
                assert!(
                    value("hidden-flaw-count", BEST_RESPONSE, bob) >= least,
                    "{bob}"
                );
            }
        },
    ),
    (
        "She gets 17/128000. PE Lemma A.5 would promise 18/128000",
        || {
            assert_eq!(value("two-of-three", "honest", "bayes"), exact("17/128000"));
            assert_eq!(completeness("two-of-three"), exact("18/128000"));
        },
    ),
    (
        "If estimates are carried conditionally, as printed, she gets at least the promised payoff.",
        || {
            let mut setup = scenario("two-of-three");
            setup.protocol =
                Protocol::parse("ProverEstimator(epsilon: 0.1, rho: 0.5)").expect("rules");
            assert!(expected(&setup, "honest", "bayes", "oracle", &[]) >= exact("18/128000"));
        },
    ),
    (
        "carrying marginals removes the profit of the liar in `hidden-flaw`, but costs honest Alice a part of her payoff",
        || {
            let mut setup = scenario("hidden-flaw");
            let own = setup.protocol.to_string();
            let marginal = format!(
                "{}, carry: Marginal)",
                own.strip_suffix(')').expect("brackets")
            );
            setup.protocol = Protocol::parse(&marginal).expect("rules");
            setup.requested_world = None;
            assert_eq!(
                expected(&setup, "exploiter", "bayes", "oracle", &[]),
                Exact::default()
            );
            assert!(value("two-of-three", "honest", "bayes") < completeness("two-of-three"));
        },
    ),
    (
        "she is accepted with probability 0.9605. The true probability is 0.001",
        || {
            let share = wins("one-question", "drifting(0.374999)", "honest");
            assert!((share - 0.9605).abs() < 5e-5, "{share}");
            assert!((wins("one-question", "exact", "silent") - 0.001).abs() < 1e-4);
        },
    ),
    (
        "But one wrong vote turns the result around, so the eight errors add up: she is accepted with probability 0.57, and this is the point here.",
        || {
            let share = wins("odd-votes", "drifting(0.1)", "honest");
            assert!((share - 0.57).abs() < 0.005, "{share}");
            assert!(wins("odd-votes", "exact", "honest") < 1e-12);
        },
    ),
    (
        "The rules here assume K = 3. With Stochastic(k: 8) she is caught.",
        || {
            let mut setup = scenario("odd-votes");
            setup.protocol = Protocol::parse("Stochastic(k: 8)").expect("rules");
            let payoff = expected(&setup, "drifting(0.1)", "honest", "oracle", &[]);
            assert!(payoff < exact("-0.99"), "{payoff}");
        },
    ),
    (
        "With the Harbour College trial alone, about four in five runs of the plan end with a yes. With any other choice, fewer than one in ten do.",
        || {
            assert!((yes_after([true, false]) - 0.8).abs() < 0.02);
            for other in [[false, false], [false, true], [true, true]] {
                assert!(yes_after(other) < 0.1, "{other:?}");
            }
        },
    ),
    (
        "If Alice says so, she earns r² from a truthful Bob.",
        || {
            let r = ratio("three-receipts");
            assert_eq!(value("three-receipts", "honest", "truthful"), &r * &r);
        },
    ),
    (
        "so it fails, and she earns 1 against a Bob who states the truth of every claim: this is the point here.",
        || {
            let setup = scenario("three-receipts");
            assert_eq!(best_after_false(&setup, "truthful"), exact("1"));
        },
    ),
    (
        "Against every Bob who cannot know her answer, she keeps at least r² in this way.",
        spoilt_bits_pay_before_every_bob,
    ),
    (
        "If you have a right number checked, you lose nearly always.",
        right_number_checked,
    ),
    (
        "With `drifting(0.1)` as Alice, two runs in five end with a yes.",
        || {
            let share = wins("caffeine-plan", "drifting(0.1)", "honest");
            assert!((share - 0.4).abs() < 0.01, "{share}");
            assert!(
                share < wins("caffeine-plan", "liar(1)", "silent"),
                "less than a large lie that passes"
            );
        },
    ),
    (
        "A judge who believes the side that quotes more (`swayed`) can be won for either answer",
        || {
            let lighthouse = scenario("lighthouse");
            assert!(expected(&lighthouse, "quoter", "silent", "swayed", &[]) > Exact::default());
            assert!(expected(&lighthouse, "silent", "quoter", "swayed", &[]) < Exact::default());
        },
    ),
    (
        "Only that step is checked, and the side that is right about it wins",
        || {
            assert_eq!(value("primes-certificate", "liar", "honest"), exact("-1"));
            assert_eq!(
                value("primes-certificate", "liar", "false-alarm"),
                exact("1")
            );
        },
    ),
    (
        "Alice can manage on all three days if her first choice is right; if it is wrong, Bob can make her fail.",
        || {
            let instance = scenario("qbf").instance(0);
            let formula = instance.formula().expect("a formula");
            let after = |bicycle| formula.solve_position(&[bicycle]).expect("small").holds;
            assert_eq!([after(true), after(false)], [true, false]);
        },
    ),
    // The tutorial.
    ("She makes no use of the factor.", the_place_is_not_used),
    (
        "as a guess does 3 times in 4, though both of you knew",
        guess,
    ),
    ("3 times in 4 the lie gets through", guess),
    (
        "A Bob who estimates the main claim at 0 % loses this much on average, for each choice of numbers for subclaims:",
        costs_of_profiles,
    ),
    (
        "Always 0 % has no gap either, and loses most",
        costs_of_profiles,
    ),
    (
        "You told the truth. Bob's first coin would probably pay for a lie, but only {first}.",
        first_coin,
    ),
    (
        "You lied. Bob's first coin probably pays for it, but only {first}.",
        first_coin,
    ),
    (
        "so no bet earns anything on average",
        a_bet_on_numbers_that_fit,
    ),
    (
        "Bob was most wrong about box 3: the bet “too high” pays most there.",
        || {
            let setup = TUTORIAL.lessons[1].lesson_scenario().expect("a scenario");
            let instance = setup.instance(setup.requested_world.expect("box 3"));
            let p = exact("0.9");
            for (index, leaf) in instance.supports(instance.root())[0].on.iter().enumerate() {
                let truth = Exact::indicator(instance.truth(*leaf).expect("a truth"));
                let too_high = &p - truth;
                assert_eq!(too_high == p, index == 2, "no other bet earns 0.9");
            }
        },
    ),
    (
        "Bob loses where his numbers are inconsistent, Alice gains where she knows his errors",
        || {
            assert!(
                value("primes-small", "obfuscator", "stubborn(0.9)")
                    > value("primes-small", "obfuscator", "bayes")
            );
            let lesson = TUTORIAL.lessons[1].lesson_scenario().expect("a scenario");
            let known = expected(&lesson, "honest", "stubborn(0.9)", "oracle", &[]);
            assert!(known > exact("0.9"));
        },
    ),
    ("give her nothing on average", || {
        for number in [0, COMPARISON_LESSON + 1] {
            let lesson = TUTORIAL.lessons[number]
                .lesson_scenario()
                .expect("a scenario");
            let average = expected(&lesson, "obfuscator", "reference", "oracle", &[]);
            assert_eq!(average, Exact::default(), "{number}");
        }
    }),
    (
        "From this Bob a lie earns about as much as the truth: his errors pay.",
        || {
            let lesson = TUTORIAL.lessons[1].lesson_scenario().expect("a scenario");
            let truth = expected(&lesson, "honest", "stubborn(0.9)", "oracle", &[]);
            // The best Alice lies: the first coin pays the lie 1 point with 90 %, and the truth with 10 %.
            let lie = expected(&lesson, BEST_RESPONSE, "stubborn(0.9)", "oracle", &[]);
            assert_eq!(&lie - &truth, exact("0.01") * (exact("0.9") - exact("0.1")));
            assert!(truth > exact("0.9"), "most of the stake");
        },
    ),
    ("A run of double length takes one more question.", || {
        let text = fs::read_to_string("scenarios/turing.ron").expect("a scenario");
        let rounds = |steps: &str| {
            let text = text.replace("steps: 64,", &format!("steps: {steps},"));
            let origin = ScenarioTextSource::Text("turing.ron".to_owned());
            let setup = LoadedScenario::from_text(&text, origin, &ScenarioLimits::default())
                .expect("a scenario");
            let instance = setup.instance(0);
            let state = setup.protocol.start::<Exact>(&instance).expect("it fits");
            state.schedule().len()
        };
        assert_eq!(rounds("128"), rounds("64") + 1);
        assert_eq!(rounds("1024"), rounds("512") + 1);
    }),
    (
        "A false conclusion needs an error somewhere, and Bob wins if he finds it.",
        || {
            for at in 0..7 {
                let liar = format!("liar({at})");
                let law = scenario("law");
                let players = [liar.as_str(), "honest", "oracle"]
                    .map(|name| PlayerSpec::parse(name).expect("a player"));
                let registry = registry::<Exact>();
                let instance = law.instance(0);
                // The registry refuses a liar whose lie would change no later step.
                if registry
                    .build(&players[0], Seat::Prover, &instance, &law.protocol)
                    .is_ok()
                {
                    assert_eq!(value("law", &liar, "honest"), exact("-1"), "{at}");
                }
            }
        },
    ),
    ("You can win whatever Bob does.", formula_is_won),
    (
        "If a formula is true, Alice can win against every Bob; if it is false, Bob can win against every Alice.",
        formula_is_won,
    ),
    (
        "The formula is false, and honest Bob wins whatever she chooses and whatever she writes",
        formula_is_won,
    ),
    (
        "You could have won whatever Bob does, until you chose “{mistake}”.",
        formula_is_won,
    ),
    (
        "You lose nearly always if you have a right number checked",
        right_number_checked,
    ),
    (
        "A small lie would have passed, but it also changes the result less.",
        || {
            let small = wins("caffeine-plan", "drifting(0.1)", "honest");
            assert!(
                small > wins("caffeine-plan", "honest", "honest"),
                "it passes"
            );
            assert!(
                small < wins("caffeine-plan", "liar(1)", "silent"),
                "and moves less"
            );
            assert!(
                wins("caffeine-plan", "liar(1)", "honest") < 0.05,
                "the large one is caught"
            );
        },
    ),
];

/// Sentences with such words that only explain the rules' payments, the screens, or the last event. They do not say
/// that a way of playing earns anything.
const RULES: &[&str] = &[
    "After a win, the end report names the weakness",
    "Bob wins if his numbers agree with each other",
    "If your numbers contradict each other, Alice is paid for the difference",
    "The review lists at most three mistakes that lost payoff",
    "the loss in expected payoff against the actual Bob",
    "any other reply that lost 5 % or more of its round's stake, or of the probability of winning a verdict",
    "Bob loses the points that Alice gains",
    "A reply that loses for certain needs a second `enter`",
    "only the average over many debates counts",
    "In a debate without an objection, she wins if both coins come up yes",
    "Without a check, she wins if the coins give an odd number",
    "Without a check, she wins if the last coin comes up yes",
    "he wins if their share of yes differs from her estimate by 40 points or more; otherwise she wins",
    "You gain most if the judge's answer at the end contradicts Alice's bet",
    "See how much honesty earns here, then try to lie",
    "your error pays a liar",
    "“{side}” earns Alice {earned} on average",
    "the distance is a gap, and can pay her",
    "the right bet earns {last} times Bob's distance from the truth",
    "she loses if it is 40 points or more off",
    "your bet “{bet}” earns {betearned} on average",
    "The right bet earns {right} for certain",
    "that earns {certain}",
    "The liar's expected payoff (wins minus losses) in percent of the last stake: against a guessing Bob, and a consistent one who splits doubt evenly",
    "and what bets on their right side earn",
    "so you lose whatever you contest",
    "No error is left, so this is lost",
    "This is lost now",
    "It was won before your choice",
];

/// Computes Alice's expected payoff between the players of a level, with these players in the other seats.
fn level_value(name: &str, players: &[(Seat, &'static str)], others: [&'static str; 3]) -> Exact {
    let mut seated = others;
    for (seat, player) in players {
        seated[seat.seat_index()] = player;
    }
    let [prover, opponent, judge] = seated;
    expected(&scenario(name), prover, opponent, judge, &[])
}

/// Checks that a strength increases from each level to the next one.
fn assert_level_order(seat: Seat, strength: impl Fn(&[(Seat, &'static str)]) -> Exact) {
    let all = difficulty_levels(ProtocolKind::ProverEstimator, seat);
    let strengths: Vec<Exact> = all.iter().map(|level| strength(level.players)).collect();
    assert!(all.len() >= 4);
    assert!(
        strengths.is_sorted_by(|one, other| one < other),
        "{strengths:?}"
    );
}

fn liar_and_stubborn() {
    assert_eq!(
        points("primes", "obfuscator", "stubborn(0.9)"),
        "+574 points"
    );
    let [low, high] = ahead("primes", "obfuscator", "stubborn(0.9)");
    assert!(low > 0.98 && high < 0.99, "{low} to {high}");
}

fn liar_and_bayes() {
    assert_eq!(value("primes", "obfuscator", "bayes"), Exact::default());
}

/// Over all coins, the gate is true with exactly the estimated probability, for every estimate, if the numbers are
/// consistent.
fn a_bet_on_numbers_that_fit() {
    fn comes_true(gate: &Gate, outcomes: &[bool], fit: &EstimateConsistency<Exact>) -> Exact {
        if fit.untossed_subclaim_count() == 0 {
            return Exact::indicator(gate.value_for_outcomes(outcomes.iter().copied()));
        }
        let number = fit.estimate_sharing_doubt_evenly();
        let after = |outcome: bool, chance: Exact| {
            let mut fit = fit.clone();
            assert_eq!(
                fit.record_estimate_and_return_unweighted_gap(&number),
                Exact::default()
            );
            fit.update_consistency_with_coin(&number, outcome);
            let outcomes = [outcomes, &[outcome]].concat();
            if chance > Exact::default() {
                chance * comes_true(gate, &outcomes, &fit)
            } else {
                Exact::default()
            }
        };
        after(true, number.clone()) + after(false, exact("1") - &number)
    }
    for gate in [Gate::All, Gate::Any] {
        for p in ["0", "1/3", "0.9", "1"] {
            let fit = EstimateConsistency::new(&gate, 4, exact(p));
            assert_eq!(comes_true(&gate, &[], &fit), exact(p), "{gate} {p}");
        }
    }
}

fn liar_and_hedged() {
    assert_eq!(points("primes", "obfuscator", "hedged"), "+6.86 points");
}

/// Every round before the last one pays her 0 on average.
fn only_the_last_claim_pays(name: &str, prover: &str, opponent: &str) {
    for (_, solution) in solutions(&scenario(name), prover, opponent, "oracle", &[]) {
        let rewards = solution.expected.expected_rewards_by_round();
        let (last, earlier) = rewards.split_last().expect("a round");
        assert!(*last > Exact::default(), "{last}");
        assert!(earlier.iter().all(|it| *it == Exact::default()));
    }
}

/// Two claims that are both false in the debated instance. Three times in four, both are true.
const BOTH: &str = r#"Scenario(
    format: 1, title: "Both?",
    problem: Argument(
        root: "r",
        claims: {
            "r": Claim(text: "Both.", supports: [Support(gate: All, on: ["a", "b"])]),
            "a": Claim(text: "A.", truth: true),
            "b": Claim(text: "B.", truth: true),
        },
        worlds: [
            World(name: "yes", weight: 3),
            World(name: "no", weight: 1, truths: {"a": false, "b": false}),
        ],
    ),
    protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
)"#;

/// Reviews a debate about [`BOTH`] between these players. Bob says 50 % of everything, the coins come up yes, and Alice
/// bets “too high”. Returns the debate's scenario too.
fn review_of_half(players: [&str; 3]) -> (LoadedScenario, ReviewContext, DebateReview) {
    let origin = ScenarioTextSource::Text("both.ron".to_owned());
    let setup = LoadedScenario::from_text(BOTH, origin, &ScenarioLimits::default());
    let setup = setup.expect("a scenario");
    let case = ReviewContext::new(
        &setup.instance(1),
        &setup.protocol,
        players.map(|name| PlayerSpec::parse(name).expect("a player")),
        Default::default(),
        StrategyRegistry::registry_with_builtin_players(),
    );
    let made = |seat, reply| Move {
        seat,
        reply,
        coin: None,
        spent: SeatResourceCosts::default(),
    };
    let half = || made(Seat::Opponent, Reply::Probability(exact("0.5")));
    let yes = || made(Seat::Chance, Reply::Drawn(1));
    let moves = [
        made(Seat::Prover, Reply::Answer(true)),
        half(),
        yes(),
        made(Seat::Prover, Reply::Direction(Bet::TooHigh)),
        made(Seat::Prover, Reply::Support(0)),
        half(),
        yes(),
        half(),
        yes(),
        made(Seat::Prover, Reply::Select(0)),
        made(Seat::Prover, Reply::Direction(Bet::TooHigh)),
    ];
    let review = case.review_moves(&moves, ComputationBudget::default());
    (setup, case, review.expect("reviewed"))
}

/// Bob's numbers give 0.5 · 0.5 for the claim, to which he gave 0.5.
fn earnings_of_bets_on_a_gap() {
    let (setup, _, review) = review_of_half(["honest", "human", "oracle"]);
    let weight = setup.protocol.weight_ratio_if_constant().expect("weights");
    let earned = review.figures.expect("estimates").before_coins;
    assert_eq!(earned, weight * exact("0.25"));
}

/// By what Alice knows, the last claim is true three times in four, so “too high” loses 0.25 and “too low” earns 0.25.
/// In the debated instance, the claim is false.
fn loss_by_what_she_knew() {
    let (_, case, review) = review_of_half(["human", "stubborn(0.5)", "oracle"]);
    let last = review.steps.last().expect("a bet");
    assert_eq!(last.fault, None);
    let lucky = last.lucky_fault.as_ref().expect("a bet against the hint");
    assert_eq!(lucky.loss, exact("0.5"));
    let amounts = PayoffFormatter::in_unit_of_rules(ViewerPerspective::of_seat(Seat::Prover));
    let listed = final_review_sentence(&case, &review, &amounts).expect("a review");
    let ending = " less by what you knew (2 cases); in this case it was right.";
    assert!(listed.ends_with(ending), "{listed}");
}

fn wins_63_of_64() {
    let value = value("primes-recursive", "obfuscator", "bounded(0)");
    assert_eq!((value + exact("1")) / exact("2"), exact("63/64"));
}

/// One of the four leaves of the compared debate is false.
fn guess() {
    let lesson = &TUTORIAL.lessons[COMPARISON_LESSON];
    let setup = lesson.lesson_scenario().expect("a scenario");
    let liar = expected(&setup, "obfuscator", COMPARISON_OPPONENTS[0], "oracle", &[]);
    // She wins 1 or loses 1.
    assert_eq!(liar, exact("3/4") - exact("1/4"));
}

/// The first coin of the second lesson's Bob comes up yes with 90 %, and yes is the lie.
fn first_coin() {
    let lesson = &TUTORIAL.lessons[1];
    assert_eq!(lesson.players[1], "stubborn(0.9)");
    let setup = lesson.lesson_scenario().expect("a scenario");
    let instance = setup.instance(setup.requested_world.expect("an empty box"));
    assert_eq!(instance.truth(instance.root()), Some(false));
}

/// The expected loss in points of a Bob in `primes`, from a claim with the estimate `p`, `rounds` rounds above the
/// leaves. Alice bets "too low" under ½, "too high" otherwise, and picks a subclaim at random. Her last bet is "too
/// low" under ½. `numbers` are his estimates of four subclaims while the coins come up yes, and `after` is his
/// estimate after a no; `None` repeats the number of the position.
fn loss(
    p: f64,
    rounds: u32,
    numbers: &dyn Fn(f64) -> [f64; 4],
    after: Option<f64>,
    leaf_is_true: f64,
) -> f64 {
    if rounds == 0 {
        return if p < 0.5 {
            10_000.0 * (leaf_is_true - p)
        } else {
            0.0
        };
    }
    let each = numbers(p);
    let implied: f64 = each.iter().product();
    let gap = if p < 0.5 { implied - p } else { p - implied };
    let mut total = gap * 10_f64.powi(4 - i32::try_from(rounds).expect("few rounds"));
    let mut all_yes = 1.0;
    for own in each {
        let next = |p: f64| loss(p, rounds - 1, numbers, after, leaf_is_true);
        // A probability of 0 needs no further rounds.
        if all_yes > 0.0 {
            total += all_yes * next(own) / 4.0;
        }
        if all_yes < 1.0 {
            total += (1.0 - all_yes) * next(after.unwrap_or(own)) / 4.0;
        }
        all_yes *= own;
    }
    total
}

/// The table at the end of the lessons, for a debate of the shape of `primes`.
fn costs_of_profiles() {
    let setup = scenario("primes");
    let instance = setup.instance(0);
    let state = setup.protocol.start::<Exact>(&instance).expect("it fits");
    let schedule = state.schedule();
    // The first answer, three rounds of four subclaims, and the leaf; each has ten times the stake of the last one.
    assert_eq!(schedule.len(), 5);
    assert_eq!(ratio("primes"), exact("0.1"));
    let parts = |claim| instance.supports(claim)[0].on.clone();
    let top = parts(instance.root());
    let middle: Vec<_> = top.iter().flat_map(|claim| parts(*claim)).collect();
    let leaves: Vec<_> = middle.iter().flat_map(|claim| parts(*claim)).collect();
    assert_eq!([top.len(), middle.len(), leaves.len()], [4, 16, 64]);
    let even = |p: f64| {
        let mut fit = EstimateConsistency::new(&Gate::All, 4, p);
        [0; 4].map(|_| {
            let next = fit.estimate_sharing_doubt_evenly();
            fit.record_estimate_and_return_unweighted_gap(&next);
            fit.update_consistency_with_coin(&next, true);
            next
        })
    };
    let constant = |numbers: [f64; 4]| loss(0.0, 3, &|_| numbers, None, 63.0 / 64.0);
    let losses = [
        ("always 90 %: 275 points", constant([0.9; 4])),
        ("always 50 %: 482 points", constant([0.5; 4])),
        (
            "always 75, 67, 60, 50 %: 529 points",
            constant([0.75, 0.67, 0.6, 0.5]),
        ),
        (
            "Bob's remaining doubt, split evenly: 2.4 points",
            loss(0.0, 3, &even, Some(1.0), 63.0 / 64.0),
        ),
        ("always 0 %: 9,844 points", constant([0.0; 4])),
    ];
    assert_eq!(losses.len(), TUTORIAL.profiles.len());
    for ((text, points), shown) in losses.iter().zip(&TUTORIAL.profiles) {
        assert_eq!(text, shown);
        let (_, figure) = text.rsplit_once(": ").expect("a figure");
        let figure: f64 = figure
            .trim_end_matches(" points")
            .replace(',', "")
            .parse()
            .expect("a number");
        let slack = if figure < 10.0 { 0.05 } else { 0.5 };
        assert!((points - figure).abs() <= slack, "{text}: {points}");
    }
    // The weight of the last claim, which is decided without a coin, is 10,000 points.
    let (_, unit) = TUTORIAL.profile_heads;
    let last = schedule.iter().map(|(_, weight)| weight.clone()).max();
    let least = schedule.iter().map(|(_, weight)| weight.clone()).min();
    let points = last.expect("rounds") / least.expect("rounds");
    assert!(unit.contains("10,000 points") && points == exact("10000"));
    let most = losses.iter().map(|(_, points)| *points).fold(0.0, f64::max);
    assert!((most - losses[4].1).abs() < 1e-9, "always 0 % loses most");
}

fn right_number_checked() {
    for alice in ["exact", "honest"] {
        assert!(
            wins("caffeine-plan", alice, "false-alarm") > 0.99,
            "{alice}"
        );
    }
}

/// Four sentences depend on this result, so it is computed once.
fn formula_is_won() {
    static COMPUTED: Once = Once::new();
    COMPUTED.call_once(|| {
        for bob in ["honest", "silent", "false-alarm", "random", BEST_RESPONSE] {
            assert_eq!(value("qbf", "honest", bob), exact("1"), "{bob}");
        }
        for alice in ["honest", "liar", BEST_RESPONSE] {
            assert_eq!(value("qbf-false", alice, "honest"), exact("-1"), "{alice}");
        }
    });
}

#[test]
#[ignore = "exhaustive: 5 s; every day: every_sentence_about_earnings_is_computed"]
fn random_alice_loses_the_false_formula() {
    assert_eq!(value("qbf-false", "random", "honest"), exact("-1"));
}

/// A text in one line, without the line-break marks of Markdown and RON.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A page without its code and screen pictures.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// Every text for readers, with its name.
fn texts() -> Vec<(String, String)> {
    let file = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        (
            name.to_owned(),
            prose(&fs::read_to_string(path).expect("a page")),
        )
    };
    let mut texts = vec![file("README.md"), file("src/guide/play.md")];
    for name in bundled_names() {
        let setup = scenario(name);
        texts.push((name.to_owned(), setup.about.clone()));
        texts.push((name.to_owned(), setup.debrief.clone()));
        for seat in Seat::PLAYERS {
            let briefing = setup.briefing.text_of_seat(seat).unwrap_or_default();
            texts.push((name.to_owned(), briefing.to_owned()));
        }
    }
    let steps = TUTORIAL.lessons.iter().flat_map(|lesson| &lesson.steps);
    let tutorial = steps.map(|step| step.text);
    let pages = [
        TUTORIAL.differs,
        TUTORIAL.measures,
        TUTORIAL.costs,
        TUTORIAL.after,
        TUTORIAL.done,
        TUTORIAL.second_done,
    ];
    for text in tutorial.chain(pages) {
        texts.push(("tutorial".to_owned(), text.to_owned()));
    }
    for (_, text) in &mut texts {
        *text = in_one_line(text);
    }
    texts
}

/// Returns true if a sentence contains a word about earnings.
fn is_about_earnings(sentence: &str) -> bool {
    const WORDS: [&str; 16] = [
        "earn", "earns", "gain", "gains", "lose", "loses", "lost", "win", "wins", "won", "pays",
        "expect", "expected", "ahead", "accepted", "payoff's",
    ];
    let mut words = sentence.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.any(|word| WORDS.contains(&word.to_lowercase().as_str()))
        || sentence.contains("on average")
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '?', '!', ';', ':'])
}

#[test]
fn every_sentence_about_earnings_is_computed() {
    let texts = texts();
    for (sentence, holds) in HELD {
        let is_current = texts.iter().any(|(_, text)| text.contains(sentence));
        assert!(is_current, "it is nowhere said that: {sentence}");
        holds();
    }
    for rule in RULES {
        assert!(
            texts.iter().any(|(_, text)| text.contains(rule)),
            "it is nowhere said that: {rule}"
        );
    }
}

#[test]
fn no_sentence_about_earnings_is_left_out() {
    let tables = HELD
        .iter()
        .map(|(sentence, _)| *sentence)
        .chain(RULES.iter().copied());
    let tables: Vec<&str> = tables.collect();
    let mut seen = 0;
    for (name, text) in texts() {
        // The positions of the tables' sentences; any sentence inside them is covered.
        let held: Vec<(usize, usize)> = tables
            .iter()
            .flat_map(|sentence| {
                let found = text.match_indices(sentence);
                found
                    .map(|(at, part)| (at, at + part.len()))
                    .collect::<Vec<_>>()
            })
            .collect();
        let mut at = 0;
        for sentence in sentences(&text) {
            let (from, to) = (at, at + sentence.len());
            at = to;
            if is_about_earnings(sentence) {
                seen += 1;
                let meets = held.iter().any(|(start, end)| *start < to && from < *end);
                assert!(meets, "{name}: nothing computes that: {sentence}");
            }
        }
    }
    assert!(seen > 40, "{seen}");
}
