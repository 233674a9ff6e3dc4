//! The bundled scenarios in play: every built-in player can take every seat, and each scenario's statements about
//! itself are true.

use std::collections::BTreeSet;

use debate_core::bits::BitString;
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number as _};
use debate_core::player::{
    CannotAdvanceDebate, PlayableStrategy, Player, PlayerSpec, SeatedDebate, StrategyEntry,
    StrategyMemoryAndCosts, StrategyRegistry, seated_player_in_plain_words,
};
use debate_core::protocol::{Protocol, Reply, Rules as _, Seat, View};
use debate_core::scenario::{BlindReader, Instance, lipschitz_bounds};
use debate_solver::analysis::DebateSolutionInputs;
use debate_solver::setup::{
    LoadedScenario, ScenarioLimits, ScenarioTextSource, bundled_names, bundled_scenarios,
};

/// Scenarios in which a lie pays, with the figures that their texts give.
const PAYING: [&str; 5] = [
    "primes",
    "primes-liar-witness",
    "hidden-flaw",
    "one-question",
    "odd-votes",
];

/// The scenarios without open claims; in the other ones Alice writes the claims.
fn closed() -> impl Iterator<Item = &'static str> {
    bundled_names().filter(|name| scenario(name).decomposition.as_open().is_none())
}

/// The closed scenarios about claims or steps, in which one side is honest and one lies.
fn decided() -> impl Iterator<Item = &'static str> {
    closed().filter(|name| scenario(name).decomposition.as_question().is_none())
}

fn scenario(name: &str) -> LoadedScenario {
    LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap()
}

fn built<'a>(
    setup: &LoadedScenario,
    seat: Seat,
    name: &str,
    instance: &'a Instance,
) -> PlayableStrategy<'a, f64> {
    StrategyRegistry::registry_with_builtin_players()
        .build(
            &PlayerSpec::parse(name).unwrap(),
            seat,
            instance,
            &setup.protocol,
        )
        .unwrap_or_else(|error| panic!("{}: {error}", setup.title))
}

/// The prover's mean payoff against an opponent: in the scenario's own instance, or over all instances, which are
/// equally likely here.
fn value(setup: &LoadedScenario, prover: &str, opponent: &str) -> f64 {
    let worlds = match setup.requested_world {
        Some(world) => vec![world],
        None => (0..setup.decomposition.worlds().len()).collect(),
    };
    let each = 1.0 / f64::from(u32::try_from(worlds.len()).unwrap());
    let sum: f64 = worlds
        .into_iter()
        .map(|world| {
            let instance = setup.instance(world);
            let players = [prover, opponent, "oracle"].map(|name| PlayerSpec::parse(name).unwrap());
            let case = DebateSolutionInputs::<f64> {
                registry: &StrategyRegistry::registry_with_builtin_players(),
                protocol: &setup.protocol,
                players: &players,
                grid: &[],
            };
            let solved = case.solve(&instance, ComputationBudget::default()).unwrap();
            solved.expected.expected_payoff()
        })
        .sum();
    sum * each
}

#[track_caller]
fn assert_near(value: f64, stated: f64) {
    assert!((value - stated).abs() < 1e-12, "{value} is not {stated}");
}

#[test]
fn the_replies_of_a_seat_are_as_many_as_the_course_says() {
    let seed = Seed::new("7").unwrap();
    let mut differ = Vec::new();
    for listing in bundled_scenarios() {
        let setup = scenario(listing.name);
        let instance = setup.instance(setup.world_of_debate(&seed, 0));
        for advice in listing.seats {
            let Some(replies) = advice.replies else {
                assert!(setup.decomposition.as_open().is_some(), "{}", listing.name);
                continue;
            };
            let players = Seat::PLAYERS.map(|seat| {
                let own = setup.players.text_of_seat(seat).unwrap();
                let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
                let spec = PlayerSpec::parse(own).unwrap();
                let player = registry.build(&spec, seat, &instance, &setup.protocol);
                Player::Builtin(player.unwrap())
            });
            let start = setup.protocol.start::<Exact>(&instance).unwrap();
            let mut seating = SeatedDebate::new(start, players, &seed, 0);
            seating
                .play_automatic_moves(&ComputationBudget::default())
                .unwrap();
            let moves = seating.moves().iter();
            let given = moves.filter(|made| made.seat == advice.seat).count();
            if given != replies as usize {
                differ.push((listing.name, advice.seat, given));
            }
        }
    }
    assert_eq!(differ, []);
}

/// The least and the most replies of a seat, over debates of players who reply at random and of the scenario's own
/// players.
#[test]
fn the_replies_of_a_seat_are_in_the_range_of_the_course() {
    let registry = StrategyRegistry::<f64>::registry_with_builtin_players();
    let mut differ = Vec::new();
    for listing in bundled_scenarios() {
        let setup = scenario(listing.name);
        for advice in listing
            .seats
            .iter()
            .filter(|advice| advice.replies.is_some())
        {
            let mut counts = BTreeSet::new();
            for debate in 0..RANDOM_DEBATES {
                let seed = Seed::new(debate.to_string()).unwrap();
                let instance = setup.instance(setup.draw_world_by_weight(&seed, 0));
                let players = Seat::PLAYERS.map(|seat| {
                    let own = setup.players.text_of_seat(seat).unwrap();
                    let is_random = debate >> seat.seat_index() & 1 == 1;
                    let random = PlayerSpec::without_arguments("random");
                    let can_be_random = registry
                        .build(&random, seat, &instance, &setup.protocol)
                        .is_ok();
                    let sits = if is_random && can_be_random {
                        "random"
                    } else {
                        own
                    };
                    Player::Builtin(built(&setup, seat, sits, &instance))
                });
                let start = setup.protocol.start(&instance).unwrap();
                let mut seating = SeatedDebate::new(start, players, &seed, 0);
                while seating.make_automatic_move().is_ok() {}
                let moves = seating.moves().iter();
                counts.insert(moves.filter(|made| made.seat == advice.seat).count());
            }
            let range = (*counts.first().unwrap(), *counts.last().unwrap());
            let [least, most] = [range.0, range.1].map(|count| u32::try_from(count).unwrap());
            if advice.seat_reply_count_range() != Some((least, most)) {
                differ.push((listing.name, advice.seat, range));
            }
        }
    }
    assert_eq!(differ, []);
}

/// The number of debates that count the replies: multiples of 8 seat the random players alike.
const RANDOM_DEBATES: u64 = 160;

#[test]
fn every_player_can_sit_in_every_seat() {
    let seed = Seed::new("seats").unwrap();
    let registry = StrategyRegistry::<f64>::registry_with_builtin_players();
    for name in closed() {
        let setup = scenario(name);
        for seat in Seat::PLAYERS {
            let entries = registry.strategies_for_seat(seat, setup.protocol.kind());
            for player in entries.flat_map(StrategyEntry::example_specs_with_arguments) {
                for debate in 0..5 {
                    let instance = setup.instance(setup.world_of_debate(&seed, debate));
                    let players = Seat::PLAYERS.map(|other| {
                        let own = setup.players.text_of_seat(other).unwrap();
                        let sits = if other == seat { player.as_str() } else { own };
                        Player::Builtin(built(&setup, other, sits, &instance))
                    });
                    let start = setup.protocol.start(&instance).unwrap();
                    let mut seating = SeatedDebate::new(start, players, &seed, debate);
                    let stuck = loop {
                        if let Err(stuck) = seating.make_automatic_move() {
                            break stuck;
                        }
                    };
                    assert_eq!(stuck, CannotAdvanceDebate::Over, "{name}: {player}");
                    // Only seats with something to decide are asked.
                    let asks = |seat| setup.protocol.protocol_parameters().asks(seat, &instance);
                    let mut made = seating.moves().iter().map(|made| made.seat);
                    assert!(
                        made.all(|seat| seat == Seat::Chance || asks(seat)),
                        "{name}"
                    );
                }
            }
        }
    }
}

#[test]
fn every_leaf_shows_a_text_to_the_judge() {
    for name in decided() {
        let setup = scenario(name);
        for world in 0..setup.decomposition.worlds().len() {
            let instance = setup.instance(world);
            let mut open = vec![instance.root()];
            while let Some(claim) = open.pop() {
                let supports = instance.supports(claim);
                open.extend(
                    supports
                        .iter()
                        .flat_map(|support| support.on.iter().copied()),
                );
                if supports.is_empty() {
                    let evidence = instance.evidence(claim).expect("evidence");
                    assert!(evidence.len() > 8, "{name}: {evidence}");
                }
            }
        }
    }
}

#[test]
fn the_texts_of_every_instance_name_its_number_and_no_other() {
    for name in bundled_names() {
        let setup = scenario(name);
        let about_numbers = ["primes", "primes-4331", "primes-recursive"].contains(&name);
        for world in 0..setup.decomposition.worlds().len() {
            let texts = setup.scenario_texts(world);
            for text in [&texts.title, &texts.about, &texts.debrief] {
                assert!(!text.contains(['{', '}']), "{name}: {text}");
            }
            if about_numbers {
                let instance = setup.instance(world);
                let root = instance.text(instance.root());
                let number = root.strip_suffix(" is prime").unwrap();
                assert!(
                    texts.title.starts_with(&format!("Is {number} prime?")),
                    "{root}"
                );
                assert!(texts.debrief.contains(number), "{root}: {}", texts.debrief);
            }
        }
    }
    let primes = scenario("primes");
    let debrief = |number| {
        primes
            .scenario_texts(primes.world_index(number).unwrap())
            .debrief
    };
    assert!(debrief("109931").starts_with("109,931 = 211 × 521."));
    assert!(debrief("111547").starts_with("111,547 = 331 × 337."));
    assert!(debrief("109903").starts_with("109,903 is prime."));
}

#[test]
fn a_lie_does_not_pay_unless_that_is_the_point() {
    for name in decided() {
        let setup = scenario(name);
        let (prover, opponent) = (
            setup.players.text_of_seat(Seat::Prover).unwrap(),
            setup.players.text_of_seat(Seat::Opponent).unwrap(),
        );
        let pays = value(&setup, prover, opponent) > value(&setup, "honest", opponent);
        assert_eq!(pays, PAYING.contains(&name), "{name}");
        assert_eq!(pays, setup.tags.contains_key("lie-pays"), "{name}");
    }
}

/// The index of the first wrong step that the scenario's own prover writes, and the number of wrong steps.
fn lies(setup: &LoadedScenario, instance: &Instance) -> (usize, usize) {
    let liar = built(
        setup,
        Seat::Prover,
        setup.players.text_of_seat(Seat::Prover).unwrap(),
        instance,
    );
    let state = setup.protocol.start(instance).unwrap();
    let turn = state.request().unwrap();
    let choice = liar.choose(
        View::new(&state, turn.seat),
        &turn.request,
        &mut StrategyMemoryAndCosts::default(),
    );
    let Reply::Bits(bits) = choice.unwrap().reply_for_draw(|| 0) else {
        panic!("a transcript is written")
    };
    let computation = instance.computation().unwrap();
    let wrong = (0..bits.len()).filter(|step| {
        let value = computation.value(*step as u64, &BitString::default(), bits.as_slice());
        value != bits.bit_at(*step as u64)
    });
    let wrong: Vec<usize> = wrong.collect();
    assert_eq!(bits.as_slice().last(), Some(&true));
    (wrong[0], wrong.len())
}

#[test]
fn the_figures_in_the_texts_are_right() {
    let primes = scenario("primes");
    assert_near(value(&primes, "obfuscator", "bayes"), 0.0);
    assert_near(
        value(&primes, "exploiter", "bayes"),
        0.040_573_853_858_785_91,
    );
    assert_near(value(&primes, "honest", "bayes"), 1e-4);
    assert_near(value(&primes, "exploiter", "marginal"), 81.0 / 256_000.0);
    assert_near(
        value(&primes, "obfuscator", "marginal"),
        0.000_686_132_669_448_853,
    );

    // The liar wins 63 of 64 debates at ±1 each.
    let recursive = scenario("primes-recursive");
    assert_near(value(&recursive, "obfuscator", "bounded(0)"), 62.0 / 64.0);

    let r = 1.0 / 32.0;
    let flaw = scenario("hidden-flaw");
    assert_near(value(&flaw, "exploiter", "bayes"), 0.5);
    assert_near(value(&flaw, "exploiter", "marginal"), r * r / 4.0);
    let count = scenario("hidden-flaw-count");
    assert_near(value(&count, "exploiter", "marginal"), 5.0 / 8.0 * r * r);
    assert!(value(&count, "exploiter", "bayes") > 5.0 / 8.0 * r * r);

    let witness = scenario("primes-liar-witness");
    let lie = value(&witness, "liar", "bayes");
    assert!((0.15..0.155).contains(&lie), "{lie}");

    // An upper limit on the bits of each circuit that the verifiers read; the multiplication contains one lie.
    for (name, protocol, most) in [
        ("parity", "Descent", 7),
        ("parity", "CrossExamination", 6),
        ("multiplier", "Descent", 20),
        ("multiplier", "CrossExamination", 9),
    ] {
        let instance = scenario(name).instance(0);
        let protocol = Protocol::parse(protocol).unwrap();
        assert_eq!(
            protocol.protocol_parameters().bounds(&instance)[0].most,
            most,
            "{name}"
        );
    }
    let multiplier = scenario("multiplier");
    let instance = multiplier.instance(multiplier.world_index("11x13").unwrap());
    let (step, wrong) = lies(&multiplier, &instance);
    assert_eq!((step, wrong), (25, 1));

    // The bound for an honest prover under a stable decomposition: (1 − ε) r².
    let stable = scenario("primes-stable");
    for opponent in [
        "stubborn(0.5)",
        "stubborn(1)",
        "drifting",
        "shifted(0.25)",
        "bayes",
    ] {
        let honest = value(&stable, "honest", opponent);
        assert!(honest >= 0.75 * r * r, "{opponent}: {honest}");
    }
}

/// The plan about caffeine: its probability of yes, and its K, which is at least the true constant. A lie that nine
/// panellists see is caught; a lie that they hardly see changes little.
#[test]
fn a_panel_sees_large_lies_and_small_ones_move_little() {
    let plan = scenario("caffeine-plan");
    let instance = plan.instance(0);
    let process = instance.random_computation().unwrap();
    // About one in five.
    let yes = process.accepts().unwrap().to_float();
    assert_near(yes, 0.212);
    let claimed = process.claimed_lipschitz().unwrap();
    assert!(lipschitz_bounds(&*process).high <= claimed);

    let mut moved = Vec::new();
    for (prover, opponent) in [
        ("exact", "silent"),
        ("liar(1)", "honest"),
        ("liar(1)", "silent"),
        ("drifting(0.1)", "silent"),
    ] {
        moved.push(value(&plan, prover, opponent));
    }
    let [exact, caught, unseen, drift] = moved[..] else {
        panic!("four values")
    };
    assert_near(exact, 2.0 * yes - 1.0);
    assert!(caught < -0.95, "{caught}");
    assert!(unseen > 0.4, "{unseen}");
    // Payoffs are ±1, so the change is at most twice K times the lie.
    let most = 2.0 * 0.1 * claimed.to_float();
    assert!(drift > exact && drift < exact + most, "{drift}");
}

/// DE Theorem 6.2 with oracles that are indexed by the question alone: checks the figures of the scenario's text.
#[test]
fn a_question_that_is_asked_often_is_lied_about_with_success() {
    let often = scenario("one-question");
    let instance = often.instance(0);
    let process = instance.random_computation().unwrap();
    let accepts = process.accepts().unwrap();
    assert_eq!(
        accepts,
        Exact::new(4_514_873.into(), 4_294_967_296_u64.into())
    );
    // Payoffs are ±1.
    let wins = |prover: &str, opponent: &str| f64::midpoint(value(&often, prover, opponent), 1.0);
    // Halves of coins have 2³⁰ values; with undivided coins the probability is 0.960492655997.
    let liar = wins("drifting(0.374999)", "honest");
    assert!((liar - 0.960_492_655_997).abs() < 1e-8, "{liar}");
    assert_near(wins("exact", "silent"), accepts.to_float());

    // Indexed by the question alone, the answer hardly moves. All probabilities in thousandths are tried.
    let by_question = |p: f64| {
        let law = |p: f64| debate_core::chance::binomial_distribution(16, &p);
        let (first, last) = (law(p), law(p));
        let pairs = (0..=16).flat_map(|a| (0..=16).map(move |b| (a, b)));
        let ahead = pairs.filter(|(a, b)| *a >= b + 9);
        ahead.map(|(a, b)| first[a] * last[b]).sum::<f64>()
    };
    let fair = by_question(0.5);
    assert!((fair - accepts.to_float()).abs() < 1e-15);
    let moves = (0..1000)
        .filter(|thousandth| *thousandth != 500)
        .map(|thousandth| {
            let p = f64::from(thousandth) / 1000.0;
            (by_question(p) - fair).abs() / (p - 0.5).abs()
        });
    let most = moves.fold(0.0, f64::max);
    assert!(
        (most - 0.003_366).abs() < 1e-6 && most < 1.0 / 150.0,
        "{most}"
    );
    // An oracle whose answers depend on the history moves it far.
    let by_history = lipschitz_bounds(&*process);
    assert!(by_history.low > Exact::new(5.into(), 2.into()));
}

/// The first wrong step of the argument about the contract is a question of fact, which the judge is asked once. A
/// challenger who selects the conclusion loses, because the conclusion follows from its premises.
#[test]
fn the_mistake_in_the_contract_case_is_where_it_is_made() {
    let law = scenario("law");
    let instance = law.instance(0);
    let (step, wrong) = lies(&law, &instance);
    assert_eq!((step, wrong), (2, 1));
    let computation = instance.computation().unwrap();
    assert!(computation.evidence(3).unwrap().contains("working days"));
    assert!(computation.evidence(6).is_none());
    let liar = built(&law, Seat::Prover, "liar(3)", &instance);
    for (step, payoff, asked) in [
        (Some(3), -1.0, 1),
        (Some(2), 1.0, 1),
        (Some(4), 1.0, 0),
        (Some(6), 1.0, 0),
        (None, 1.0, 0),
    ] {
        let mut state = law.protocol.start(&instance).unwrap();
        let judge = built(&law, Seat::Judge, "oracle", &instance);
        while let Some(turn) = state.request() {
            let player = if turn.seat == Seat::Prover {
                &liar
            } else {
                &judge
            };
            let reply = if turn.seat == Seat::Opponent {
                Reply::Challenge(step)
            } else {
                let choice = player.choose(
                    View::new(&state, turn.seat),
                    &turn.request,
                    &mut StrategyMemoryAndCosts::default(),
                );
                choice.unwrap().reply_for_draw(|| 0)
            };
            state.reply(reply, &mut ()).unwrap();
        }
        assert_near(state.payoff(), payoff);
        assert_eq!(
            state.ledger().spending_of_seat(Seat::Judge).oracle_queries,
            asked
        );
    }
    assert_near(value(&law, "honest", "honest"), -1.0);
}

/// The judge of the contract case is asked different questions in different debates, and never about a right step.
#[test]
fn the_contract_case_asks_the_judge_about_every_fact_that_can_be_hidden() {
    let law = scenario("law");
    let instance = law.instance(0);
    let mut asked = BTreeSet::new();
    for seed in 0..20 {
        let seed = Seed::new(seed.to_string()).unwrap();
        let state = law.protocol.start::<f64>(&instance).unwrap();
        let players = Seat::PLAYERS.map(|seat| {
            let name = law.players.text_of_seat(seat).unwrap();
            Player::Builtin(built(&law, seat, name, &instance))
        });
        let mut seating = SeatedDebate::new(state, players, &seed, 0);
        while seating.turn().is_some() {
            seating.make_automatic_move().unwrap();
        }
        let (claim, answer) = seating.log().last_judge_verdict().unwrap();
        assert!(answer, "the hidden false answer is always a no");
        asked.insert(instance.text(claim));
    }
    // The other two facts, and the conclusions, cannot change the output by a single false answer.
    assert_eq!(asked.len(), 2, "{asked:?}");
}

/// A judge who may err is not described as one who knows the answers.
#[test]
fn a_judge_who_may_err_is_described_as_such() {
    let mut erring = Vec::new();
    for name in decided() {
        let setup = scenario(name);
        let instance = setup.instance(0);
        let kind = setup.protocol.kind();
        let words = seated_player_in_plain_words(&instance, kind, Seat::Judge, "oracle");
        let errs = instance.has_stated_oracle_errors();
        assert_eq!(
            words == "a judge who knows the answers (oracle)",
            !errs,
            "{name}"
        );
        assert_eq!(
            words == "a judge who reads the evidence and may err (oracle)",
            errs,
            "{name}"
        );
        if errs {
            erring.push(name);
        }
    }
    erring.sort_unstable();
    let expected = [
        "caffeine",
        "caffeine-choice",
        "caffeine-plan",
        "one-question",
    ];
    assert_eq!(erring, expected);
}

/// A judge who always answers wrongly errs as well; one who always agrees with the truth does not.
#[test]
fn a_judge_who_is_certainly_wrong_is_one_who_errs() {
    for (judged, errs) in [("1", true), ("0", false), ("0.5", true)] {
        let text = format!(
            "Scenario(format: 1, title: \"t\", oracle: PerLeaf, problem: Argument(root: \"a\", claims: {{\
             \"a\": Claim(text: \"It rains.\", truth: false, judged_true: {judged})}}), \
             protocol: Recursive)"
        );
        let origin = ScenarioTextSource::Text("judged.ron".to_owned());
        let setup = LoadedScenario::from_text(&text, origin, &ScenarioLimits::default()).unwrap();
        assert_eq!(
            setup.instance(0).has_stated_oracle_errors(),
            errs,
            "{judged}"
        );
    }
}

/// The seats that may be asked under each scenario's rules: prover, opponent, judge.
#[test]
fn the_rules_know_which_seats_may_be_asked() {
    let asked = |name: &str, rules: &str| {
        let mut setup = scenario(name);
        if !rules.is_empty() {
            setup.protocol = Protocol::parse(rules).unwrap();
        }
        let instance = setup.instance(0);
        Seat::PLAYERS.map(|seat| setup.protocol.protocol_parameters().asks(seat, &instance))
    };
    for (name, rules, expected) in [
        ("primes", "", [true, true, true]),
        ("primes-recursive", "", [true, true, true]),
        ("law", "", [true, true, true]),
        ("caffeine-plan", "", [true, true, true]),
        // No panel, because samples are drawn.
        ("caffeine-plan", "Stochastic(k: 1)", [true, true, false]),
        ("turing", "", [true, true, false]),
        ("multiplier", "", [true, true, false]),
        ("primes-certificate", "", [true, true, false]),
        ("parity", "", [true, true, false]),
        ("parity", "Verified(Descent)", [true, true, false]),
        ("qbf", "", [true, true, false]),
        ("qbf", "Quantifiers(verifier: Direct)", [true, true, false]),
    ] {
        assert_eq!(asked(name, rules), expected, "{name} {rules}");
    }
}

/// A scenario that announces that the prover cannot win gives her −1, honest or not.
#[test]
fn a_prover_announced_to_lose_gets_minus_one() {
    let all: Vec<&str> = bundled_names()
        .filter(|name| scenario(name).cannot_win.is_some())
        .collect();
    assert_eq!(all, ["turing", "multiplier"]);
    for name in all {
        let setup = scenario(name);
        assert_eq!(setup.cannot_win, Some(Seat::Prover), "{name}");
        for player in ["honest", "liar"] {
            assert_near(value(&setup, player, "honest"), -1.0);
        }
    }
}

/// A seat reads its briefing in every instance, so a briefing may call the claim false only if no instance makes it
/// true.
#[test]
fn briefings_call_the_claim_false_only_if_it_is_false_in_every_instance() {
    for name in closed() {
        let setup = scenario(name);
        for world in 0..setup.decomposition.worlds().len() {
            let instance = setup.instance(world);
            let briefing = setup.scenario_texts(world).briefing;
            for seat in Seat::PLAYERS {
                let text = briefing.text_of_seat(seat).unwrap_or_default();
                let is_true = instance.truth(instance.root()) != Some(false);
                assert!(
                    !(text.contains("claim is false") && is_true),
                    "{name} {world}: {text}"
                );
            }
        }
    }
}

/// In `multiplier`, honest Bob finds a wrong gate of a false claim; a true claim can be defended.
#[test]
fn the_prover_of_the_product_wins_exactly_with_a_true_claim() {
    let mut setup = scenario("multiplier");
    let mut truths = Vec::new();
    for world in 0..setup.decomposition.worlds().len() {
        let instance = setup.instance(world);
        let is_true = instance.truth(instance.root()).unwrap();
        truths.push(is_true);
        setup.requested_world = Some(world);
        for player in ["honest", "liar"] {
            if !(is_true && player == "liar") {
                assert_near(
                    value(&setup, player, "honest"),
                    if is_true { 1.0 } else { -1.0 },
                );
            }
        }
    }
    assert_eq!(truths, [false, true, true, false]);
}

#[test]
fn possible_instances_are_the_believed_instances() {
    for (scenario, many) in [
        ("primes-small", 7),
        ("primes", 64),
        ("hidden-flaw", 2),
        ("primes-liar-witness", 32),
    ] {
        let setup = self::scenario(scenario);
        let instance = setup.instance(0);
        let possible = instance.possible_instances_for_estimator(64).unwrap();
        assert_eq!(possible.len(), many, "{scenario}");
        let blind = BlindReader::new(&instance);
        let mut open = vec![instance.root()];
        while let Some(claim) = open.pop() {
            let holding = possible.iter().filter(|(_, other)| {
                let same = other.claim_with_key(instance.key(claim).clone());
                other.truth(same) == Some(true)
            });
            let p: Exact = holding.map(|(chance, _)| chance).sum();
            assert_eq!(p, blind.marginal::<Exact>(claim), "{scenario}");
            let supports = instance.supports(claim).iter();
            open.extend(supports.flat_map(|support| &support.on).take(40));
        }
        assert!(
            instance
                .possible_instances_for_estimator(many - 1)
                .is_none()
        );
    }
}
