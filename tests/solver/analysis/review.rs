use std::cell::Cell;
use std::collections::BTreeSet;
mod trials;

use std::sync::atomic::AtomicU64;

use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::gate::{EstimateConsistency, Gate};
use debate_core::number::{Exact, Number as _, format_percent, parse};
use debate_core::player::{Move, Player, PlayerSpec, SeatedDebate, StrategyRegistry};
use debate_core::protocol::{
    Bet, Event, Log, Protocol, ProtocolKind, Reply, Rules as _, Seat, SeatResourceCosts,
};
use debate_core::scenario::{BlindReader, ClaimId, InstanceOrFlawCaseKind};
use debate_solver::analysis::DebateSolutionInputs;
use debate_solver::analysis::review::{
    LaterReplyAssumption, MAX_REPLIES_FOR_HINT, ReplyFaultCause, RequestAdvice, ReviewContext,
    ReviewError, total_estimate_gap,
};
use debate_solver::expectation::PayoffNotComputedReason;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};
use debate_text::review::{consistency_sentence, estimate_quality_measures, final_review_sentence};
use debate_text::{PayoffFormatter, ViewerPerspective};
use num_traits::{One as _, Signed as _, Zero as _};

use crate::support::scenarios::{ALL_OF_THREE, setup};

/// An `All` of two claims, one of them false.
const SMALL: &str = r#"Scenario(
    format: 1, title: "Both?",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "Both.", supports: [Support(gate: All, on: ["a", "b"])]),
        "a": Claim(text: "A.", truth: true, estimate: "2/3"),
        "b": Claim(text: "B.", truth: false, estimate: "1/2"),
    }),
    protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
)"#;

fn case(setup: &LoadedScenario, protocol: &Protocol, players: [&str; 3]) -> ReviewContext {
    let specs = players.map(|name| PlayerSpec::parse(name).unwrap());
    let instance = setup.instance(0);
    ReviewContext::new(
        &instance,
        protocol,
        specs,
        Default::default(),
        StrategyRegistry::registry_with_builtin_players(),
    )
}

/// The moves of a debate in which human players reply as these strategies do.
fn moves(
    setup: &LoadedScenario,
    protocol: &Protocol,
    players: [&str; 3],
    seed: &str,
) -> (Vec<Move<Exact>>, Exact) {
    let instance = setup.instance(0);
    let built = |seat: Seat| {
        let spec = PlayerSpec::parse(players[seat.seat_index()]).unwrap();
        let built = StrategyRegistry::registry_with_builtin_players()
            .build(&spec, seat, &instance, protocol);
        Player::Builtin(built.unwrap())
    };
    let start = protocol.start(&instance).unwrap();
    let seed = Seed::new(seed).unwrap();
    let mut seating = SeatedDebate::new(start, Seat::PLAYERS.map(built), &seed, 0);
    while seating.make_automatic_move().is_ok() {}
    assert!(seating.turn().is_none());
    (seating.moves().to_vec(), seating.state().payoff())
}

/// Scenarios of two rounds with every kind of gate, both carrying rules, and early leaves.
fn gated(gate: &str, parameters: &str) -> LoadedScenario {
    setup(&format!(
        r#"Scenario(
        format: 1, title: "Parts",
        problem: Argument(root: "r", claims: {{
            "r": Claim(text: "All.", supports: [Support(gate: {gate}, on: ["a", "b", "c"])]),
            "a": Claim(text: "A.", supports: [Support(gate: Any, on: ["d", "e"])], estimate: "2/3"),
            "b": Claim(text: "B.", truth: false, estimate: "1/2"),
            "c": Claim(text: "C.", truth: true, estimate: "1/3"),
            "d": Claim(text: "D.", truth: true, estimate: "1/4"),
            "e": Claim(text: "E.", truth: false, estimate: "1/5"),
        }}),
        protocol: ProverEstimator(epsilon: 0.25, rho: 0.5{parameters}),
    )"#
    ))
}

/// The payoff equals the first answer + gaps times her bets + coins + the last claim, exactly. Consistent numbers have
/// no gap.
#[test]
fn the_four_parts_add_up_to_the_last_digit() {
    let gates = [
        "All",
        "Any",
        "Majority",
        "AtLeast(2)",
        "Xor",
        "Table([true, false, false, true, true, false, true, false])",
    ];
    let rules = ["", ", carry: Marginal", ", early_leaf: InPlace"];
    let (mut missed, mut debates, mut exceeding) = (0, 0, 0);
    for gate in gates {
        for parameters in rules {
            let setup = gated(gate, parameters);
            for bob in ["random", "even", "hedged"] {
                for seed in 0..6 {
                    let sits = ["random", bob, "oracle"];
                    let seed = seed.to_string();
                    let (moves, payoff) = moves(&setup, &setup.protocol, sits, &seed);
                    let sits = ["random", "human", "oracle"];
                    let case = case(&setup, &setup.protocol, sits);
                    let review = case
                        .review_moves(&moves, ComputationBudget::default())
                        .unwrap();
                    let parts = review.parts.clone().unwrap();
                    assert_eq!(
                        parts.total_payoff(),
                        payoff,
                        "{gate}{parameters} {bob} {seed}"
                    );
                    assert_eq!(review.payoff, payoff);
                    assert!(parts.misses.abs() <= parts.open);
                    // A reward never exceeds its stake, so the coins pay back gaps beyond the stake.
                    if parts.exceeds_stake {
                        assert!(parts.coins != Exact::default(), "{gate}{parameters} {seed}");
                        exceeding += 1;
                    }
                    // Before any coin, a gap costs its size times the stake of its round.
                    let figures = review.figures.as_ref().unwrap();
                    let stake_of = |number: u32| {
                        let steps = review.steps.iter().filter_map(|step| step.stake.as_ref());
                        let mut stakes = steps.filter(|stake| stake.number == Some(number));
                        stakes.next().unwrap().weight.clone()
                    };
                    let costs = figures.round_gaps.iter();
                    let costs = costs.map(|round| &round.gap * stake_of(round.number));
                    assert_eq!(costs.sum::<Exact>(), figures.before_coins, "{gate}");
                    assert!(parts.misses_before_coins.abs() <= figures.before_coins);
                    assert_eq!(parts.round_gaps, figures.round_gaps);
                    // Other gates depend on numbers that were never asked for.
                    let figures = review.figures.as_ref().unwrap();
                    let is_simple = ["All", "Any"].contains(&gate);
                    assert!(is_simple || !figures.is_exact, "{gate}");
                    assert!(!is_simple || figures.is_exact, "{gate}");
                    if bob == "even" {
                        assert_eq!(parts.open, Exact::default(), "{gate}{parameters} {seed}");
                        assert!(review.moves_with_greatest_faults().is_empty());
                    }
                    missed += usize::from(parts.open > Exact::default());
                    debates += 1;
                }
            }
        }
    }
    assert!(missed * 4 > debates, "{missed} of {debates}");
    assert!(exceeding > 0);
}

/// The moves of a debate in which a human estimator gives the number of each hint.
fn moves_by_hints(
    setup: &LoadedScenario,
    alice: &str,
    seed: &str,
) -> (ReviewContext, Vec<Move<Exact>>) {
    let reply = |advice: RequestAdvice| match advice {
        RequestAdvice::Share(advice) => Reply::Probability(advice.reference.p),
        RequestAdvice::Replies(_) => panic!("{advice:?}"),
    };
    moves_by_advice(setup, [alice, "human", "oracle"], seed, reply)
}

/// The moves of a debate in which the human players reply to each hint with `reply`.
fn moves_by_advice(
    setup: &LoadedScenario,
    sits: [&str; 3],
    seed: &str,
    reply: impl Fn(RequestAdvice) -> Reply<Exact>,
) -> (ReviewContext, Vec<Move<Exact>>) {
    let case = case(setup, &setup.protocol, sits);
    let instance = setup.instance(0);
    let built = |seat: Seat| {
        let spec = PlayerSpec::parse(sits[seat.seat_index()]).unwrap();
        if spec.is_human() {
            return Player::Outside;
        }
        let built = StrategyRegistry::registry_with_builtin_players().build(
            &spec,
            seat,
            &instance,
            &setup.protocol,
        );
        Player::Builtin(built.unwrap())
    };
    let start = setup.protocol.start(&instance).unwrap();
    let seed = Seed::new(seed).unwrap();
    let mut seating = SeatedDebate::new(start, Seat::PLAYERS.map(built), &seed, 0);
    while let Some(turn) = seating.turn() {
        if seating.awaited_seat_of_user_or_driving_program() != Some(turn.seat) {
            seating.make_automatic_move().unwrap();
            continue;
        }
        let advice = case.advice_on_request(seating.moves(), ComputationBudget::default());
        seating.reply(reply(advice.unwrap())).unwrap();
    }
    let moves = seating.moves().to_vec();
    (case, moves)
}

/// A player who follows the hints leaves no gap, is charged with no fault, and is as good as the reference, on every
/// bundled scenario and with different provers.
#[test]
fn following_the_hints_leaves_no_gap_and_no_fault() {
    let mut bases = BTreeSet::new();
    let mut played = 0;
    for name in debate_solver::setup::bundled_names() {
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        let is_open = setup.decomposition.as_open().is_some();
        if is_open || setup.protocol.kind() != ProtocolKind::ProverEstimator {
            continue;
        }
        let alice = setup.players.text_of_seat(Seat::Prover);
        let alice = alice.filter(|name| *name != "human").unwrap_or("honest");
        for alice in [alice, "random"] {
            for seed in ["1", "2"] {
                let (case, moves) = moves_by_hints(&setup, alice, seed);
                let review = case
                    .review_moves(&moves, ComputationBudget::default())
                    .unwrap();
                assert!(
                    review.moves_with_greatest_faults().is_empty(),
                    "{name} {alice} {seed}"
                );
                let parts = review.parts.as_ref().unwrap();
                assert_eq!(parts.total_payoff(), review.payoff);
                assert_eq!(parts.open, Exact::default(), "{name} {alice} {seed}");
                let figures = review.figures.as_ref().unwrap();
                assert_eq!(figures.gap, Exact::default(), "{name} {alice} {seed}");
                if let Some(knowledge) = &figures.knowledge {
                    assert_eq!(knowledge.own, knowledge.reference, "{name}");
                    if let Some(distances) = &knowledge.to_posterior {
                        assert_eq!(distances.own, distances.reference, "{name}");
                    }
                }
                let asked = moves.iter().position(|made| made.seat == Seat::Opponent);
                let first =
                    case.advice_on_request(&moves[..asked.unwrap()], ComputationBudget::default());
                if let Ok(RequestAdvice::Share(first)) = first {
                    bases.insert(format!("{:?}", first.reference.basis));
                }
                played += 1;
            }
        }
    }
    assert!(played > 20, "{played}");
    // The scenarios cover priors, leaf estimates and the lack of both.
    assert_eq!(bases.len(), 3, "{bases:?}");
}

/// An estimator who types each hint as it is printed, with four digits, is called consistent: by the sentence beside
/// the hint and at the end.
#[test]
fn hints_typed_as_printed_are_consistent() {
    let typed = |p: &Exact| {
        let text = format_percent(p.to_float());
        let number = text.trim_start_matches('>').trim_end_matches(" %");
        parse(number).unwrap() / Exact::ratio(100, 1)
    };
    let rounded = Cell::new(0);
    for (name, setup) in bundled_with_estimates() {
        for seed in ["1", "2", "3"] {
            let reply = |advice: RequestAdvice| {
                let RequestAdvice::Share(advice) = advice else {
                    panic!("{advice:?}");
                };
                let p = typed(&advice.reference.p);
                let told = consistency_sentence(&advice, &p);
                assert!(told.ends_with(" is consistent."), "{name} {seed}: {told}");
                let is_rounded = p != advice.reference.p;
                rounded.set(rounded.get() + u32::from(is_rounded));
                Reply::Probability(p)
            };
            let (case, moves) = moves_by_advice(&setup, ["random", "human", "oracle"], seed, reply);
            let review = case
                .review_moves(&moves, ComputationBudget::default())
                .unwrap();
            let figures = review.figures.as_ref().unwrap();
            assert!(!figures.has_gap_beyond_rounding(), "{name} {seed}");
            assert!(
                review.moves_with_greatest_faults().is_empty(),
                "{name} {seed}"
            );
            let amounts = PayoffFormatter::formatter_in_points_of_schedule(
                &setup.protocol.start(&setup.instance(0)).unwrap().schedule(),
            )
            .with_perspective(ViewerPerspective::of_seat(Seat::Opponent));
            let measures = estimate_quality_measures(&review, &amounts);
            let (_, consistency) = &measures[0];
            let is_consistent =
                consistency.starts_with("no gap") || consistency.starts_with("consistent");
            assert!(is_consistent, "{name} {seed}: {consistency}");
            let verdict = final_review_sentence(&case, &review, &amounts).unwrap();
            assert_eq!(
                verdict, "No mistake: your numbers are consistent.",
                "{name} {seed}"
            );
        }
    }
    assert!(rounded.get() > 20, "{rounded:?}");
}

/// An Alice who follows the hints makes no mistake: the review assumes the same knowledge.
#[test]
fn following_the_hints_as_alice_is_no_mistake() {
    let mut bets = 0;
    for (name, bob) in [
        ("hidden-flaw", "bayes"),
        ("hidden-flaw", "hedged"),
        ("two-of-three", "stubborn(0.6)"),
        ("three-readings", "bayes"),
        ("five-parts", "shifted(0.1)"),
        ("primes-small", "hedged"),
        ("pull-request", "calibrated"),
    ] {
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        for seed in ["1", "2"] {
            let reply = |advice: RequestAdvice| match advice {
                RequestAdvice::Replies(hints) => hints.best_reply().unwrap().reply.clone(),
                RequestAdvice::Share(_) => panic!("{advice:?}"),
            };
            let (case, moves) = moves_by_advice(&setup, ["human", bob, "oracle"], seed, reply);
            let review = case
                .review_moves(&moves, ComputationBudget::default())
                .unwrap();
            assert!(
                review.moves_with_greatest_faults().is_empty(),
                "{name} {bob} {seed}: {review:?}"
            );
            let directions = moves
                .iter()
                .filter(|made| matches!(made.reply, Reply::Direction(_)));
            bets += directions.count();
        }
    }
    assert!(bets > 20, "{bets}");
}

/// A bet against the hint is a mistake only if it is worse in the debated case too: Alice may have found the truth. The
/// mistake names the number of cases that she could not tell apart.
#[test]
fn a_bet_that_is_right_by_the_truth_is_no_mistake() {
    let setup = setup(
        r#"Scenario(
            format: 1, title: "Both?",
            problem: Argument(
                root: "r",
                claims: {
                    "r": Claim(text: "Both.", supports: [Support(gate: All, on: ["a", "b"])]),
                    "a": Claim(text: "A.", truth: true),
                    "b": Claim(text: "B.", truth: true),
                },
                worlds: [World(name: "yes", weight: 3), World(name: "no", weight: 1, truths: {"a": false})],
            ),
            protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
        )"#,
    );
    let cause = |world: usize, bet: Bet| {
        let case = ReviewContext::new(
            &setup.instance(world),
            &setup.protocol,
            ["human", "stubborn(0.5)", "oracle"].map(|name| PlayerSpec::parse(name).unwrap()),
            Default::default(),
            StrategyRegistry::registry_with_builtin_players(),
        );
        let half = || made(Seat::Opponent, percent(50));
        let coin = || made(Seat::Chance, Reply::Drawn(1));
        let moves = [
            made(Seat::Prover, Reply::Answer(true)),
            half(),
            coin(),
            made(Seat::Prover, Reply::Direction(Bet::TooHigh)),
            made(Seat::Prover, Reply::Support(0)),
            half(),
            coin(),
            half(),
            coin(),
            made(Seat::Prover, Reply::Select(0)),
            made(Seat::Prover, Reply::Direction(bet)),
        ];
        let review = case
            .review_moves(&moves, ComputationBudget::default())
            .unwrap();
        let last = review.steps.last().unwrap();
        last.fault.as_ref().map(|fault| fault.cause.clone())
    };
    // Three cases in four make the claim true, so “too low” is best for what she knows.
    assert_eq!(cause(0, Bet::TooLow), None);
    assert_eq!(cause(1, Bet::TooLow), None);
    assert_eq!(cause(1, Bet::TooHigh), None);
    let Some(ReplyFaultCause::Worse {
        best,
        possible_cases,
        ..
    }) = cause(0, Bet::TooHigh)
    else {
        panic!("no mistake");
    };
    assert_eq!((best, possible_cases), (Reply::Direction(Bet::TooLow), 2));
}

/// The posterior, conditioned on this round's coins and on the coins before each chosen claim, is consistent in every
/// round: the hint equals it, so it was not moved into the consistent range.
#[test]
fn hints_are_the_posterior_of_the_seat_in_every_round() {
    let setup =
        LoadedScenario::load_bundled_scenario("primes-4331", &ScenarioLimits::default()).unwrap();
    let instance = setup.instance(0);
    let blind = BlindReader::belief_reader_for_seat(&instance, Seat::Opponent.seat_index());
    let mut rounds = BTreeSet::new();
    for seed in 0..12 {
        let (_, moves) = moves_by_hints(&setup, "random", &seed.to_string());
        let mut state = setup.protocol.start(&instance).unwrap();
        let mut log = Log::default();
        for made in &moves {
            let turn = state.request().unwrap();
            if let (Some(claim), Reply::Probability(p)) =
                (turn.request.claim_of_request(), &made.reply)
                && turn.request.index_among_siblings().is_some()
            {
                let given = coins_before_estimate(&log, turn.request.may_depend_on_sibling_coins());
                let posterior: Option<Exact> =
                    blind.posterior_if_possible(claim, given.iter().copied());
                if let Some(posterior) = posterior {
                    assert_eq!(posterior, *p, "seed {seed}, round {:?}", state.round());
                    rounds.insert(format!("{:?}", state.round()));
                }
            }
            state.reply(made.reply.clone(), &mut log).unwrap();
        }
    }
    assert!(rounds.len() >= 3, "{rounds:?}");
}

/// A posterior is explained as a proportion of equally likely cases: of the primes that may still divide the number, or
/// of the worlds, each as often as its weight says.
#[test]
fn hints_count_the_cases_that_are_still_possible() {
    let counted = |name: &str, asked: usize| {
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        let (case, moves) = moves_by_hints(&setup, "random", "1");
        let mut own = moves.iter().enumerate();
        let mut own = own.by_ref().filter(|(_, made)| made.seat == Seat::Opponent);
        let (at, _) = own.nth(asked).unwrap();
        let Ok(RequestAdvice::Share(advice)) =
            case.advice_on_request(&moves[..at], ComputationBudget::default())
        else {
            panic!("no advice at {at}");
        };
        let cases = advice.cases.unwrap();
        (cases.possible.kind, cases.holding, cases.possible.count)
    };
    // Three of four groups of 16 primes do not hold the divisor that the first group may hold.
    assert_eq!(
        counted("primes", 1),
        (InstanceOrFlawCaseKind::Worlds, 48, 64)
    );
    // 28 of the last 40 changes were safe.
    assert_eq!(
        counted("pull-request", 0),
        (InstanceOrFlawCaseKind::Worlds, 28, 40)
    );
}

/// The review lists at most three faults, the largest loss first. It values no reply of a judge, of
/// speakers, or of a debate with a human judge.
#[test]
fn at_most_three_faults_are_listed_and_none_with_a_human_judge() {
    let setup = gated("All", "");
    let sits = ["honest", "stubborn(0.9)", "oracle"];
    let (moves, _) = moves(&setup, &setup.protocol, sits, "1");
    let human = case(&setup, &setup.protocol, ["honest", "human", "oracle"]);
    let review = human
        .review_moves(&moves, ComputationBudget::default())
        .unwrap();
    let faults = review.moves_with_greatest_faults();
    assert!((1..=3).contains(&faults.len()), "{faults:?}");
    let losses = faults.iter().map(|number| {
        let fault = review.steps[*number].fault.as_ref().unwrap();
        fault.loss.clone()
    });
    let losses: Vec<Exact> = losses.collect();
    assert!(losses.is_sorted_by(|one, other| one >= other), "{losses:?}");
    // No estimate that is left out lost more.
    let least = losses.last().unwrap();
    for (number, step) in review.steps.iter().enumerate() {
        let is_listed = faults.contains(&number);
        let loss = step.fault.as_ref().map(|fault| &fault.loss);
        assert!(is_listed || loss.is_none_or(|loss| loss <= least));
    }
    let judged = case(&setup, &setup.protocol, ["honest", "human", "human"]);
    assert!(
        judged
            .review_moves(&moves, ComputationBudget::default())
            .unwrap()
            .moves_with_greatest_faults()
            .is_empty()
    );
    let why = judged.advice_on_request(&moves[..1], ComputationBudget::default());
    assert_eq!(why, Err(ReviewError::NotRated));
}

/// The truth of a leaf is a bit that Alice writes: the bit is fixed before Bob's estimate, and hints do not let it
/// wait.
#[test]
fn hints_settle_proof_bits_before_the_first_reply() {
    let setup = setup(
        r#"Scenario(
        format: 1, title: "One bit",
        problem: Argument(root: "r", claims: {
            "r": Claim(text: "The bit is 1.", reads: ["u"], check: All),
        }, proof: {"u": true}),
        protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
    )"#,
    );
    let case = case(&setup, &setup.protocol, ["human", "random", "oracle"]);
    let made = |seat, reply| Move {
        seat,
        reply,
        coin: None,
        spent: SeatResourceCosts::default(),
    };
    for tenths in [1, 9] {
        let p = Exact::new(tenths.into(), 10.into());
        let mut moves = vec![
            made(Seat::Prover, Reply::Answer(true)),
            made(Seat::Opponent, Reply::Probability(p.clone())),
            made(Seat::Chance, Reply::Drawn(0)),
        ];
        let bets = case
            .reply_hints(&moves, ComputationBudget::default())
            .unwrap();
        let worth = |bet| &bets.rated_reply(&Reply::Direction(bet)).unwrap().value;
        // Both bits have the same value beforehand, and the first one is 0, so the bit does not depend on the number.
        assert_eq!([worth(Bet::TooHigh), worth(Bet::TooLow)], [&p, &-p.clone()]);
        moves.push(made(Seat::Prover, Reply::Direction(Bet::TooHigh)));
        let bits = case
            .reply_hints(&moves, ComputationBudget::default())
            .unwrap();
        // ½ for the leaf, and r/2 for the answer.
        let value = Exact::new(33.into(), 64.into());
        assert_eq!(bits.before, value);
        let values = bits.replies.iter().map(|rated| &rated.value);
        assert_eq!(values.collect::<Vec<_>>(), [&value, &value]);
    }
}

#[test]
fn a_hint_is_independent_of_sealed_replies() {
    let setup = setup(SMALL);
    let protocol = &setup.protocol;
    let hints = |prover: &str, answer: bool, bet: Bet| {
        let case = case(&setup, protocol, [prover, "human", "oracle"]);
        let made = |seat, reply| Move {
            seat,
            reply,
            coin: None,
            spent: debate_core::protocol::SeatResourceCosts::default(),
        };
        let half = Exact::ratio(1, 2);
        let moves = [
            made(Seat::Prover, Reply::Answer(answer)),
            made(Seat::Opponent, Reply::Probability(half)),
            made(Seat::Chance, Reply::Drawn(1)),
            made(Seat::Prover, Reply::Direction(bet)),
            made(Seat::Prover, Reply::Support(0)),
        ];
        [1, 5].map(|count| {
            case.reply_hints(&moves[..count], ComputationBudget::default())
                .unwrap()
        })
    };
    for prover in ["random", "human", "honest"] {
        let [root, sub] = hints(prover, true, Bet::TooLow);
        assert_eq!(root.means, prover == "random");
        assert_eq!(sub.means, prover == "random");
        // The answer is sealed until the first coin is thrown, and the bet until its round is paid.
        assert_eq!(root, hints(prover, false, Bet::TooLow)[0]);
        for bet in Bet::ALL {
            assert_eq!(sub, hints(prover, true, bet)[1]);
        }
    }
}

#[test]
fn hints_equal_the_value_of_continuing() {
    let setup = setup(ALL_OF_THREE);
    let case = case(&setup, &setup.protocol, ["human", "calibrated", "oracle"]);
    let seen = AtomicU64::new(0);
    let watch = ComputationBudget {
        progress: Some(&seen),
        ..ComputationBudget::default()
    };
    let hints = case.reply_hints(&[], watch).unwrap();
    // The progress count grows during the computation.
    assert!(seen.into_inner() >= ComputationBudget::STEP);
    assert_eq!(hints.replies.len(), 2);
    for rated in &hints.replies {
        let again = case
            .value_of_reply(&[], &rated.reply, ComputationBudget::default())
            .unwrap();
        assert_eq!(again.as_ref(), Some(rated));
        // Alice plays a best response to this Bob from here on, which gives no value against other Bobs.
        assert_eq!(rated.worst, None);
    }
    let illegal = case
        .value_of_reply(&[], &Reply::Select(0), ComputationBudget::default())
        .unwrap();
    assert_eq!(illegal, None);
    let stop = std::sync::atomic::AtomicBool::new(true);
    let seen = AtomicU64::new(0);
    let watch = ComputationBudget {
        stop: Some(&stop),
        progress: Some(&seen),
        ..ComputationBudget::default()
    };
    let stopped = case.reply_hints(&[], watch);
    assert_eq!(
        stopped,
        Err(ReviewError::Unsolved(PayoffNotComputedReason::STOPPED))
    );
}

/// If the user stops the training of a stand-in, no other player replaces it.
#[test]
fn stopping_the_training_of_a_stand_in_seats_no_other_player() {
    let trained = "indistinguishable(0.2)";
    let setup =
        LoadedScenario::load_bundled_scenario("hidden-flaw", &ScenarioLimits::default()).unwrap();
    let sits = ["honest", "human", "oracle"].map(|name| PlayerSpec::parse(name).unwrap());
    let own = [None, Some(PlayerSpec::parse(trained).unwrap()), None];
    let registry = debate_solver::registry();
    let case = ReviewContext::new(&setup.instance(0), &setup.protocol, sits, own, registry);
    let stop = std::sync::atomic::AtomicBool::new(true);
    let stopped = ComputationBudget {
        stop: Some(&stop),
        ..ComputationBudget::default()
    };
    let found = case.reply_hints(&[], stopped).unwrap_err();
    assert!(found.was_cancelled(), "{found}");
    case.reply_hints(&[], ComputationBudget::default()).unwrap();
    assert_eq!(case.player_name(Seat::Opponent), "indistinguishable");
    assert!(case.is_stand_in_scenario_player(Seat::Opponent));
}

#[test]
fn many_debates_agree_with_the_exact_value() {
    let setup = setup(ALL_OF_THREE);
    let case = case(&setup, &setup.protocol, ["liar", "human", "oracle"]);
    let seed = Seed::new("7").unwrap();
    let last = std::cell::Cell::new(0);
    let trials = case
        .trials(&[], &seed, 200, ComputationBudget::default(), &|done| {
            last.set(done);
        })
        .unwrap();
    assert_eq!(last.get(), 400);
    for trial_results in [Some(&trials.pair), trials.honest.as_ref()]
        .into_iter()
        .flatten()
    {
        let exact = trial_results.exact.clone().unwrap().to_float();
        let off = (trial_results.mean_payoff() - exact).abs();
        assert!(
            off <= 3.0 * trial_results.confidence_half_width() + 1e-9,
            "{trial_results:?}"
        );
    }
    assert_eq!(trials.honest.unwrap().players[0], "honest");
}

/// Two questions; each coin depends on two numbers, each one of 2³⁰.
#[test]
fn hints_and_reviews_of_half_coins_list_no_outcomes() {
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
    for (seat, place) in [(Seat::Opponent, 1), (Seat::Prover, 2)] {
        let before = &moves[..place];
        let hints = case
            .reply_hints(before, ComputationBudget::default())
            .unwrap();
        assert_eq!(hints.seat, seat);
        // For any value of one half, the other half makes the coin even.
        assert!(hints.replies.len() > 3);
        assert!(
            hints
                .replies
                .iter()
                .all(|rated| rated.value == hints.before)
        );
        let typed = |p: Exact| {
            let typed = Reply::Probability(p);
            let rated = case
                .value_of_reply(before, &typed, ComputationBudget::default())
                .unwrap();
            rated.map(|rated| rated.value)
        };
        assert_eq!(typed(Exact::ratio(1, 3)), Some(hints.before.clone()));
        assert_eq!(typed(Exact::ratio(4, 3)), None);
    }
    let review = case
        .review_moves(&moves, ComputationBudget::default())
        .unwrap();
    assert_eq!(review.payoff, payoff);
    assert!(review.moves_with_greatest_faults().is_empty());
}

/// A bundled debate with human players in some seats, and the scenario's own players as stand-ins.
fn bundled(name: &str, instance: Option<&str>, sits: [&str; 3]) -> (LoadedScenario, ReviewContext) {
    let setup = LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
    let world = instance.map_or(0, |name| setup.world_index(name).unwrap());
    let own = Seat::PLAYERS.map(|seat| PlayerSpec::parse(setup.players.text_of_seat(seat)?).ok());
    let sits = sits.map(|name| PlayerSpec::parse(name).unwrap());
    let registry = StrategyRegistry::registry_with_builtin_players();
    let case = ReviewContext::new(&setup.instance(world), &setup.protocol, sits, own, registry);
    (setup, case)
}

fn made(seat: Seat, reply: Reply<Exact>) -> Move<Exact> {
    Move {
        seat,
        reply,
        coin: None,
        spent: debate_core::protocol::SeatResourceCosts::default(),
    }
}

fn percent(hundredths: i64) -> Reply<Exact> {
    Reply::Probability(Exact::ratio(hundredths, 100))
}

/// Two instances that a player cannot distinguish give the same hint.
#[test]
fn a_hint_never_looks_at_the_hidden_instance() {
    // In both instances Alice answers that the claim is true, sealed, and Bob estimates the opposite.
    let moves = [
        made(Seat::Prover, Reply::Answer(true)),
        made(Seat::Opponent, percent(0)),
        made(Seat::Chance, Reply::Drawn(0)),
        made(Seat::Prover, Reply::Direction(Bet::TooLow)),
        made(Seat::Prover, Reply::Support(0)),
        made(Seat::Opponent, percent(50)),
        made(Seat::Chance, Reply::Drawn(0)),
        made(Seat::Opponent, percent(100)),
        made(Seat::Chance, Reply::Drawn(1)),
    ];
    for (sits, count) in [
        (["exploiter", "human", "oracle"], 7),
        (["human", "bayes", "oracle"], 3),
        (["human", "bayes", "oracle"], 9),
    ] {
        let hints = ["01", "10"].map(|name| {
            let (_, case) = bundled("hidden-flaw", Some(name), sits);
            case.reply_hints(&moves[..count], ComputationBudget::default())
                .unwrap()
        });
        assert_eq!(hints[0], hints[1], "{sits:?} {count}");
    }
    // On `primes` neither player knows the divisor's position.
    for (sits, count, reply) in [
        (["obfuscator", "human", "oracle"], 1, percent(0)),
        (
            ["human", "bayes", "oracle"],
            3,
            Reply::Direction(Bet::TooLow),
        ),
    ] {
        let worth = ["4331", "4343"].map(|number| {
            let (_, case) = bundled("primes-4331", Some(number), sits);
            let worth = case.value_of_reply(&moves[..count], &reply, ComputationBudget::default());
            worth.unwrap()
        });
        assert_eq!(worth[0], worth[1], "{sits:?}");
    }
}

/// Hints do not assume that an honest user continues like the scenario's own player, a liar. The value of an answer is
/// that of the best later replies.
#[test]
fn hints_do_not_follow_the_lying_stand_in() {
    let (setup, case) = bundled("primes-4331", Some("4331"), ["human", "marginal", "oracle"]);
    assert_eq!(setup.players.text_of_seat(Seat::Prover), Some("obfuscator"));
    let hints = case.reply_hints(&[], ComputationBudget::default()).unwrap();
    assert_eq!(
        (hints.later, hints.instances),
        (LaterReplyAssumption::Best, 10)
    );
    let worth = |answer| {
        hints
            .rated_reply(&Reply::Answer(answer))
            .unwrap()
            .value
            .clone()
    };
    // The values that `solve --prover best-response --prover-knows nothing` finds for either answer.
    assert_eq!(worth(false), Exact::ratio(1749, 1_250_000));
    assert_eq!(worth(true), Exact::ratio(203, 156_250));
    assert_eq!(hints.best_reply().unwrap().reply, Reply::Answer(false));
    assert_eq!(hints.before, worth(false));
}

#[test]
fn a_user_is_compared_with_the_scenarios_player() {
    let (_, case) = bundled("primes-small", None, ["obfuscator", "human", "oracle"]);
    let seed = Seed::new("1").unwrap();
    let trials = case
        .trials(&[], &seed, 0, ComputationBudget::default(), &|_| ())
        .unwrap();
    assert_eq!(case.player_name(Seat::Opponent), "bayes");
    assert_eq!(trials.pair.exact, Ok(Exact::default()));
    assert_eq!(case.simulated_debate_count(&[], 1000), 2000);
}

#[test]
fn unlistable_replies_are_valued_by_built_in_candidates() {
    let (setup, case) = bundled("turing", None, ["human", "random", "oracle"]);
    let hints = case.reply_hints(&[], ComputationBudget::default()).unwrap();
    assert!(hints.of_players && hints.replies.len() > 1);
    let best = hints.best_reply().unwrap();
    assert_eq!(best.value, hints.before, "as good as who stands in");
    let instance = setup.instance(0);
    let run = instance.run().unwrap();
    let accepts = |reply: &Reply<Exact>| match reply {
        Reply::Bits(bits) => run.accepts(bits),
        _ => false,
    };
    // The machine rejects, so only a lie about its end can still win.
    let lost = Exact::ratio(-1, 1);
    for rated in &hints.replies {
        assert_eq!(accepts(&rated.reply), rated.value > lost, "{rated:?}");
        assert_eq!(rated.worst.as_ref(), Some(&lost), "Bob may find any lie");
    }
    // A typed reply is valued as well, and a review finds better replies.
    let truth = Reply::Bits(run.at(run.steps()).unwrap());
    let typed = case
        .value_of_reply(&[], &truth, ComputationBudget::default())
        .unwrap();
    assert_eq!(typed.unwrap().value, lost);
    let review = case
        .review_moves(&[made(Seat::Prover, truth)], ComputationBudget::default())
        .unwrap();
    // The truth guarantees the same amount as any lie: −1.
    assert!(review.moves_with_greatest_faults().is_empty());
}

/// The requests of a debate between a scenario's own players, as a user in a seat gets them. For each: the number of
/// replies played for its hint, and true if a hint was found.
fn hints_met(name: &str, seat: Seat) -> Vec<(u64, bool)> {
    let setup = LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
    let instance = setup.instance(setup.requested_world.unwrap_or(0));
    let own =
        Seat::PLAYERS.map(|seat| PlayerSpec::parse(setup.players.text_of_seat(seat).unwrap()).ok());
    let mut sits = own.clone().map(Option::unwrap);
    sits[seat.seat_index()] = PlayerSpec::without_arguments("human");
    let registry = StrategyRegistry::registry_with_builtin_players();
    let players = Seat::PLAYERS.map(|seat| {
        let spec = own[seat.seat_index()].as_ref().unwrap();
        let built = registry.build(spec, seat, &instance, &setup.protocol);
        built.map_or(Player::Outside, Player::Builtin)
    });
    let start = setup.protocol.start(&instance).unwrap();
    let mut seating = SeatedDebate::new(start, players, &Seed::new("7").unwrap(), 0);
    let case = ReviewContext::new(&instance, &setup.protocol, sits, own, registry.clone());
    let mut met = Vec::new();
    while let Some(turn) = seating.turn() {
        // Later requests of a seat leave fewer replies to play.
        if turn.seat == seat && met.len() < 6 {
            let progress = AtomicU64::new(0);
            let budget = ComputationBudget {
                progress: Some(&progress),
                ..ComputationBudget::default()
            };
            let hints = case.reply_hints(seating.moves(), budget);
            met.push((progress.into_inner(), hints.is_ok()));
        }
        if seating.make_automatic_move().is_err() {
            break;
        }
    }
    met
}

/// Asks for hints in these scenarios, in every seat. Each hint plays a bounded number of replies. Returns the number of
/// requests, and the scenarios and seats that have a request without a hint.
fn bounded_hints(
    names: impl Iterator<Item = &'static str>,
) -> (usize, BTreeSet<(&'static str, usize)>) {
    let (mut asked, mut without) = (0, BTreeSet::new());
    for name in names {
        for seat in Seat::PLAYERS {
            for (number, (played, found)) in hints_met(name, seat).into_iter().enumerate() {
                assert!(
                    played <= MAX_REPLIES_FOR_HINT,
                    "{name}: {seat}, {number}: {played} replies"
                );
                asked += 1;
                if !found {
                    without.insert((name, seat.seat_index()));
                }
            }
        }
    }
    (asked, without)
}

#[test]
fn a_hint_plays_a_bounded_number_of_replies() {
    let names = [
        "primes-small",
        "open",
        "turing",
        "parity",
        "qbf",
        "caffeine-plan",
        "hidden-flaw",
    ];
    let (asked, without) = bounded_hints(names.into_iter());
    assert!(asked > 40, "{asked}");
    // Alice writes the claims in `open`.
    let known = [("open", Seat::Prover.seat_index())];
    assert_eq!(without, known.into_iter().collect());
}

#[test]
#[ignore = "exhaustive: 14 s; every day: a_hint_plays_a_bounded_number_of_replies"]
fn a_hint_plays_a_bounded_number_of_replies_in_every_scenario() {
    let (asked, without) = bounded_hints(debate_solver::setup::bundled_names());
    assert!(asked > 150, "{asked}");
    // Alice writes the claims in `open`. Bob has twenty-five subclaims to estimate, or Alice thirty-two numbers to
    // give.
    let (prover, opponent) = (Seat::Prover.seat_index(), Seat::Opponent.seat_index());
    let known = [
        ("open", prover),
        ("one-question", prover),
        ("one-question", opponent),
        ("five-parts-stable", opponent),
    ];
    assert_eq!(without, known.into_iter().collect());
}

/// The trials repeat the user's own numbers as a policy, which earns another value than the reference.
#[test]
fn own_numbers_are_a_policy() {
    let (_, case) = bundled("primes-small", None, ["obfuscator", "human", "oracle"]);
    let moves = [
        made(Seat::Prover, Reply::Answer(true)),
        made(Seat::Opponent, percent(45)),
    ];
    let seed = Seed::new("1").unwrap();
    let trials = case
        .trials(&moves, &seed, 200, ComputationBudget::default(), &|_| ())
        .unwrap();
    let own = trials.own.unwrap().exact.unwrap();
    assert_ne!(own, trials.pair.exact.unwrap());
    assert_eq!(case.simulated_debate_count(&moves, 10), 30);
}

/// A user who gives the hint everywhere has no gap in the trials either, although other coins need other numbers.
#[test]
fn consistent_numbers_have_no_gap_in_the_trials() {
    let setup =
        LoadedScenario::load_bundled_scenario("primes-small", &ScenarioLimits::default()).unwrap();
    let (case, moves) = moves_by_hints(&setup, "obfuscator", "1");
    let seed = Seed::new("1").unwrap();
    let trials = case
        .trials(&moves, &seed, 200, ComputationBudget::default(), &|_| ())
        .unwrap();
    let measures = trials.own.unwrap().measures.unwrap();
    assert_eq!((measures.gap, measures.open), (0.0, 0.0));
}

/// After a debate with hints, the trials with the user's numbers know as much as the reference, and their mean agrees
/// with their exact value. A number is not repeated after coins that change what is known: a claim that was known to be
/// false in the user's debate can be true after other coins.
#[test]
fn own_numbers_are_repeated_only_with_equal_knowledge() {
    let mut compared = 0;
    for name in ["primes", "primes-4331", "primes-small", "two-of-three"] {
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        for alice in ["errs(-, +)", "obfuscator", "random"] {
            let (case, moves) = moves_by_hints(&setup, alice, "7");
            let seed = Seed::new("1").unwrap();
            let trials = case.trials(&moves, &seed, 400, ComputationBudget::default(), &|_| ());
            let own = trials.unwrap().own.unwrap();
            let measures = own.measures.as_ref().unwrap();
            // The numbers of debates are sums of floats.
            assert!(
                (measures.own - measures.reference).abs() < 1e-9,
                "{name} {alice}: {measures:?}"
            );
            let Ok(exact) = &own.exact else { continue };
            let distance = (own.mean_payoff() - exact.to_float()).abs();
            assert!(
                distance <= 2.0 * own.confidence_half_width() + 1e-9,
                "{name} {alice}: {} ± {}, exactly {}",
                own.mean_payoff(),
                own.confidence_half_width(),
                exact.to_float()
            );
            compared += 1;
        }
    }
    assert!(compared > 3, "{compared}");
}

/// Returns the coins on which a consistent estimate is conditioned: those of the current round if `in_round`, and for
/// each earlier round those before the claim that was chosen there.
fn coins_before_estimate(log: &Log<Exact>, in_round: bool) -> Vec<(ClaimId, bool)> {
    let mut given = Vec::new();
    let mut coins = Vec::new();
    for event in log.entries().iter().map(|entry| &entry.event) {
        match event {
            Event::Entered { .. } => coins.clear(),
            Event::Tossed {
                claim,
                place: Some(_),
                value,
                ..
            } => coins.push((*claim, *value)),
            Event::Selected { place, .. } => {
                given.extend(coins.drain(..).take(*place as usize));
            }
            _ => {}
        }
    }
    if in_round {
        given.append(&mut coins);
    }
    given
}

/// Returns the bundled scenarios under prover-estimator rules whose claims are fixed.
fn bundled_with_estimates() -> Vec<(&'static str, LoadedScenario)> {
    let each = debate_solver::setup::bundled_names().map(|name| {
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        (name, setup)
    });
    let fits = |(_, setup): &(&str, LoadedScenario)| {
        setup.decomposition.as_open().is_none()
            && setup.protocol.kind() == ProtocolKind::ProverEstimator
    };
    each.filter(fits).collect()
}

/// The parts of the payoff add up to the last digit in every bundled scenario, with random players. The measures are
/// those of the review, and the total gap is found without it too.
#[test]
fn the_parts_add_up_in_every_bundled_scenario() {
    let mut wrong_bets = 0;
    let all = bundled_with_estimates();
    for (name, setup) in &all {
        for seed in ["1", "2", "3"] {
            let sits = ["random", "random", "oracle"];
            let (moves, payoff) = moves(setup, &setup.protocol, sits, seed);
            let person = case(setup, &setup.protocol, ["random", "human", "oracle"]);
            let review = person
                .review_moves(&moves, ComputationBudget::default())
                .unwrap();
            let parts = review.parts.clone().unwrap();
            assert_eq!(parts.total_payoff(), payoff, "{name} {seed}");
            // A bet on the wrong side costs what one on the right side earns.
            assert!(parts.wrong <= parts.open, "{name} {seed}");
            assert_eq!(parts.wrong.is_positive(), parts.wrong_bets > 0);
            wrong_bets += parts.wrong_bets;
            let builtin = case(setup, &setup.protocol, sits);
            let measured = builtin.review_moves_without_faults(&moves).unwrap();
            assert_eq!(measured.figures, review.figures, "{name} {seed}");
            assert_eq!(measured.parts, review.parts, "{name} {seed}");
            let instance = setup.instance(0);
            let start = setup.protocol.start(&instance).unwrap();
            let gap = review.figures.map(|figures| figures.gap);
            assert_eq!(total_estimate_gap(&start, &moves), gap, "{name} {seed}");
        }
    }
    assert!(all.len() > 5 && wrong_bets > 0);
}

/// Returns the advice to the estimator at each of its requests, in a debate with these moves. `None` if the moves do
/// not fit the instance, which the seat can then tell apart.
fn advice_along(case: &ReviewContext, moves: &[Move<Exact>]) -> Option<Vec<RequestAdvice>> {
    let own = moves.iter().enumerate();
    let own = own.filter(|(_, made)| made.seat == Seat::Opponent);
    own.map(|(at, _)| {
        case.advice_on_request(&moves[..at], ComputationBudget::default())
            .ok()
    })
    .collect()
}

/// Turns every truth in the text of a scenario around.
fn with_other_truths(text: &str) -> String {
    text.replace("truth: true", "truth: ?")
        .replace("truth: false", "truth: true")
        .replace("truth: ?", "truth: false")
}

/// A hint depends only on what the estimator knows: it is the same in every instance that the seat cannot tell apart
/// and, if the scenario has one world, the same when all its truths are turned around.
#[test]
fn hints_do_not_depend_on_the_truth() {
    let (mut instances, mut turned) = (0, 0);
    for (name, setup) in bundled_with_estimates() {
        let (own, moves) = moves_by_hints(&setup, "random", "1");
        let advice = advice_along(&own, &moves).unwrap();
        let sits = ["random", "human", "oracle"].map(|name| PlayerSpec::parse(name).unwrap());
        let instance = setup.instance(0);
        let known = instance.instances_known_to(Seat::Opponent.seat_index(), 70);
        for (_, other) in known.unwrap_or_default().iter().take(12) {
            let case = ReviewContext::new(
                other,
                &setup.protocol,
                sits.clone(),
                Default::default(),
                StrategyRegistry::registry_with_builtin_players(),
            );
            if let Some(told) = advice_along(&case, &moves) {
                assert_eq!(told, advice, "{name}: {}", other.world_name());
                instances += 1;
            }
        }
        if BlindReader::belief_reader_for_seat(&instance, Seat::Opponent.seat_index())
            .has_belief_over_instances_or_flaw_places()
        {
            continue;
        }
        let path = format!("{}/scenarios/{name}.ron", env!("CARGO_MANIFEST_DIR"));
        let text = with_other_truths(&std::fs::read_to_string(path).unwrap());
        let origin = ScenarioTextSource::Text(name.to_owned());
        let Ok(other) = LoadedScenario::from_text(&text, origin, &ScenarioLimits::default()) else {
            continue;
        };
        let case = case(&other, &other.protocol, ["random", "human", "oracle"]);
        // The moves may not fit an instance with other truths.
        if let Some(told) = advice_along(&case, &moves) {
            assert_eq!(told, advice, "{name}");
            turned += 1;
        }
    }
    assert!(instances > 20 && turned > 2, "{instances} {turned}");
}

/// The mean of many debates agrees with the exact value, which is the one that `solve --exact` prints, in every bundled
/// scenario of at most 20 claims. Consistent players have no gap on average.
#[test]
fn the_average_agrees_with_the_exact_value() {
    let mut compared = 0;
    for (name, setup) in bundled_with_estimates() {
        // Larger games take minutes to solve.
        let instance = setup.instance(0);
        if BlindReader::new(&instance).claims().nth(20).is_some() {
            continue;
        }
        let sits = ["honest", "even", "oracle"];
        let case = case(&setup, &setup.protocol, sits);
        let seed = Seed::new("1").unwrap();
        let trials = case.trials(&[], &seed, 400, ComputationBudget::default(), &|_| {});
        let pair = trials.unwrap().pair;
        let measures = pair.measures.as_ref().unwrap();
        assert!(measures.gap.abs() < f64::MIN_POSITIVE, "{name}");
        assert!(measures.open.abs() < f64::MIN_POSITIVE, "{name}");
        let Ok(exact) = &pair.exact else { continue };
        let players = sits.map(|name| PlayerSpec::parse(name).unwrap());
        let solver = DebateSolutionInputs {
            registry: &StrategyRegistry::<Exact>::registry_with_builtin_players(),
            protocol: &setup.protocol,
            players: &players,
            grid: &[],
        };
        let solved = solver
            .solve(&setup.instance(0), ComputationBudget::default())
            .unwrap();
        assert_eq!(solved.expected_prover_payoff(), *exact, "{name}");
        // Two half-widths are four standard errors.
        let far = (pair.mean_payoff() - exact.to_float()).abs();
        assert!(
            far <= 2.0 * pair.confidence_half_width() + 1e-9,
            "{name}: {far}"
        );
        compared += 1;
    }
    assert!(compared > 1, "{compared}");
}

/// The judge's score of the averages is that of the user's debate, if the only debate of the averages is the same one.
#[test]
fn the_built_in_judges_score_is_the_score_of_its_debates() {
    let setup =
        LoadedScenario::load_bundled_scenario("lighthouse", &ScenarioLimits::default()).unwrap();
    let own = Seat::PLAYERS.map(|seat| setup.players.text_of_seat(seat).unwrap());
    let (moves, _) = moves(&setup, &setup.protocol, own, "1");
    let judge = PlayerSpec::parse(own[2]).ok();
    let context = ReviewContext::new(
        &setup.instance(0),
        &setup.protocol,
        [own[0], own[1], "human"].map(|name| PlayerSpec::parse(name).unwrap()),
        [None, None, judge],
        StrategyRegistry::registry_with_builtin_players(),
    );
    let seed = Seed::new("1").unwrap();
    let trials = context.trials(&moves, &seed, 1, ComputationBudget::default(), &|_| {});
    let trials = trials.unwrap();
    let score = trials.own_judge_score.unwrap();
    assert!(score < 0.0, "{score}");
    assert_eq!(trials.pair.judge_score, Some(score));
}

/// Returns the mean value of a gate over all coins, if each estimate is the even share.
fn mean_of_even_shares(
    fit: &EstimateConsistency<Exact>,
    gate: &Gate,
    coins: &mut Vec<bool>,
) -> Exact {
    if fit.untossed_subclaim_count() == 0 {
        return Exact::indicator(gate.value_for_outcomes(coins.iter().copied()));
    }
    let p = fit.estimate_sharing_doubt_evenly();
    let mut mean = Exact::zero();
    for (outcome, chance) in [(true, p.clone()), (false, Exact::one() - &p)] {
        if chance.is_zero() {
            continue;
        }
        let mut next = fit.clone();
        assert!(next.record_estimate_and_return_unweighted_gap(&p).is_zero());
        next.update_consistency_with_coin(&p, outcome);
        coins.push(outcome);
        mean += chance * mean_of_even_shares(&next, gate, coins);
        coins.pop();
    }
    mean
}

/// The end says of numbers without a gap that no bet above the last claim was worth anything on average.
#[test]
fn bets_on_estimates_without_a_gap_pay_nothing_on_average() {
    for gate in [Gate::All, Gate::Any] {
        for inputs in 1..=4 {
            for hundredths in [0, 1, 33, 50, 67, 99, 100] {
                let p = Exact::ratio(hundredths, 100);
                let fit = EstimateConsistency::new(&gate, inputs, p.clone());
                let mean = mean_of_even_shares(&fit, &gate, &mut Vec::new());
                // A bet pays the stake times this difference, with one sign or the other.
                assert_eq!(mean - &p, Exact::zero(), "{gate} of {inputs}, {p}");
            }
        }
    }
}

/// The end names the rounds without a gap, and the most that a bet on the last claim can pay.
#[test]
fn the_last_claim_pays_at_most_the_larger_side_of_its_estimate() {
    let setup =
        LoadedScenario::load_bundled_scenario("primes", &ScenarioLimits::default()).unwrap();
    let players = ["obfuscator", "even", "oracle"];
    let case = case(&setup, &setup.protocol, players);
    for seed in ["1", "2", "3", "4", "5", "6"] {
        let (moves, _) = moves(&setup, &setup.protocol, players, seed);
        let review = case.review_moves_without_faults(&moves).unwrap();
        let figures = review.figures.unwrap();
        assert!(figures.gap.is_zero() && figures.is_exact, "{seed}");
        assert_eq!(figures.rounds, 3, "{seed}");
        let last = figures.last_claim.unwrap();
        let schedule = setup
            .protocol
            .start::<Exact>(case.instance())
            .unwrap()
            .schedule();
        let largest = schedule
            .into_iter()
            .map(|(_, weight)| weight)
            .max()
            .unwrap();
        assert_eq!(last.stake, largest, "{seed}");
        let paid = review.parts.unwrap().last.abs();
        let other = &last.stake - &last.most;
        assert!(
            [&last.most, &other, &Exact::zero()].contains(&&paid),
            "{seed}: {paid}"
        );
        assert!(last.most >= other, "{seed}");
    }
}

/// Without evidence for Bob, knowledge is the distance to what he can know: the hints have none, whatever is true.
#[test]
fn knowledge_without_evidence_is_the_distance_to_the_posterior() {
    let setup =
        LoadedScenario::load_bundled_scenario("primes", &ScenarioLimits::default()).unwrap();
    let distances = |bob: &str| {
        let players = ["obfuscator", bob, "oracle"];
        let (moves, _) = moves(&setup, &setup.protocol, players, "7");
        let review = case(&setup, &setup.protocol, players)
            .review_moves_without_faults(&moves)
            .unwrap();
        let knowledge = review.figures.unwrap().knowledge.unwrap();
        let distances = knowledge.to_posterior.unwrap();
        (knowledge.own, distances.own, distances.reference)
    };
    let (error, own, reference) = distances("reference");
    assert_eq!((&own, &reference), (&Exact::zero(), &Exact::zero()));
    // The squared error of the same numbers is not 0, because nobody can know the factor.
    assert!(error.is_positive());
    let (_, own, _) = distances("stubborn(0.9)");
    assert!(own > Exact::ratio(1, 100), "{own}");
    // A scenario that shows Bob evidence has no such measure.
    let evident = bundled_with_estimates().into_iter().find(|(_, setup)| {
        setup.instance(0).opponent_sees()
            == debate_core::scenario::OpponentEvidenceVisibility::Evidence
    });
    if let Some((name, setup)) = evident {
        let players = ["honest", "reference", "oracle"];
        let (moves, _) = moves(&setup, &setup.protocol, players, "7");
        let review = case(&setup, &setup.protocol, players)
            .review_moves_without_faults(&moves)
            .unwrap();
        let knowledge = review.figures.unwrap().knowledge;
        assert!(
            knowledge.is_none_or(|it| it.to_posterior.is_none()),
            "{name}"
        );
    }
}
