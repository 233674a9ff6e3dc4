use super::*;
use crate::ViewerPerspective;
use debate_core::budget::ComputationBudget;
use debate_core::player::{Move, PlayerSpec, StrategyRegistry};
use debate_core::protocol::Bet;
use debate_solver::analysis::review::RequestAdvice;
use debate_solver::expectation::UnsolvedReason;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};

/// Creates a debate in which users hold some seats; the scenario's own players act in their place.
fn case(setup: &LoadedScenario, sits: [&str; 3]) -> ReviewContext {
    let own = Seat::PLAYERS.map(|seat| PlayerSpec::parse(setup.players.text_of_seat(seat)?).ok());
    let sits = sits.map(|name| PlayerSpec::parse(name).unwrap());
    ReviewContext::new(
        &setup.instance(0),
        &setup.protocol,
        sits,
        own,
        StrategyRegistry::with_builtin_players(),
    )
}

fn bundled(name: &str, sits: [&str; 3]) -> ReviewContext {
    case(
        &LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap(),
        sits,
    )
}

fn made(seat: Seat, reply: Reply<Exact>) -> Move<Exact> {
    Move {
        seat,
        reply,
        coin: None,
        spent: debate_core::protocol::SeatSpending::default(),
    }
}

fn percent(hundredths: i64) -> Reply<Exact> {
    Reply::Probability(Exact::ratio(hundredths, 100))
}

/// The review explains numbers that are inconsistent, a number against a test, and the parts of the payoff.
#[test]
fn faults_of_an_estimator_have_their_reason() {
    let case = bundled("primes-small", ["obfuscator", "human", "oracle"]);
    let amounts = PayoffFormatter::with_three_digits(ViewerPerspective::of_seat(Seat::Opponent));
    let moves = [
        made(Seat::Prover, Reply::Answer(true)),
        made(Seat::Opponent, percent(45)),
        made(Seat::Chance, Reply::Drawn(0)),
        made(Seat::Prover, Reply::Direction(Bet::TooLow)),
        made(Seat::Prover, Reply::Support(0)),
        made(Seat::Opponent, percent(20)),
    ];
    let review = case
        .review_moves(&moves, ComputationBudget::default())
        .unwrap();
    // The greatest loss comes first.
    assert_eq!(review.moves_with_faults(), [5, 1]);
    let told = |number: usize| fault_sentence(&case, &review.steps[number], &amounts).unwrap();
    assert!(
        told(1).ends_with("A test had shown you that this claim is false."),
        "{}",
        told(1)
    );
    assert!(told(5).contains("With your numbers so far,"), "{}", told(5));
    assert!(
        told(5).contains("at most 20 %; you had said 45 %."),
        "{}",
        told(5)
    );
    let parts = review.parts.as_ref().unwrap();
    assert_eq!(parts.total_payoff(), review.payoff);
}

/// The end names the gap, the squared error beside the hint's, and luck. Gaps that are not visible are not counted.
#[test]
fn the_three_measures_say_what_the_numbers_did() {
    let case = bundled("primes-small", ["obfuscator", "human", "oracle"]);
    let amounts = PayoffFormatter::with_three_digits(ViewerPerspective::of_seat(Seat::Opponent));
    let measured = |second: i64| {
        let moves = [
            made(Seat::Prover, Reply::Answer(true)),
            made(Seat::Opponent, percent(0)),
            made(Seat::Chance, Reply::Drawn(0)),
            made(Seat::Prover, Reply::Direction(Bet::TooLow)),
            made(Seat::Prover, Reply::Support(0)),
            made(Seat::Opponent, percent(second)),
        ];
        let review = case
            .review_moves(&moves, ComputationBudget::default())
            .unwrap();
        (
            has_visibly_inconsistent_estimates(&review),
            estimate_quality_measures(&review, &amounts),
        )
    };
    let (has_gap, lines) = measured(50);
    assert!(!has_gap);
    let names: Vec<&str> = lines.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, [CONSISTENCY, "Knowledge", "Luck"]);
    let promise = "no gap. Your numbers left no bet in round 1 worth anything on average.";
    assert!(lines[0].1.starts_with(promise), "{lines:?}");
    // Far from the truth, the number has a larger squared error than the hint.
    let (_, right) = measured(100);
    let (_, wrong) = measured(0);
    assert!(lines[1].1 != right[1].1 && lines[1].1 != wrong[1].1);
}

/// Returns the numbers of a text, with their signs.
fn numbers(text: &str) -> Vec<Exact> {
    let words = text.split([' ', ',', ':', ';']);
    let numbers = words.map(|word| word.trim_matches(['.', '(', ')']));
    numbers
        .filter_map(|word| debate_core::number::parse(word.trim_start_matches('+')).ok())
        .collect()
}

/// The end says in one sum what bets on both sides won and lost. The sum is the payoff line's figure. If gaps paid the
/// estimator, the end first says that this was luck.
#[test]
fn bets_on_the_wrong_side_are_one_sum_with_the_payoff_line() {
    let case = bundled("primes-small", ["obfuscator", "human", "oracle"]);
    let moves = [
        made(Seat::Prover, Reply::Answer(true)),
        made(Seat::Opponent, percent(90)),
        made(Seat::Chance, Reply::Drawn(0)),
        made(Seat::Prover, Reply::Direction(Bet::TooLow)),
        made(Seat::Prover, Reply::Support(0)),
        made(Seat::Opponent, percent(20)),
    ];
    let reviewed = case
        .review_moves(&moves, ComputationBudget::default())
        .unwrap();
    for (won, lost) in [(15, 168), (168, 15), (0, 52)] {
        let mut review = reviewed.clone();
        let won = Exact::ratio(won * 1000 + 449, 1000);
        let lost = Exact::ratio(lost * 1000 + 351, 1000);
        let parts = review.parts.as_mut().unwrap();
        let rest = &parts.first + &parts.coins + &parts.last;
        parts.misses = &won - &lost;
        parts.open = &won + &lost;
        parts.wrong = lost.clone();
        parts.wrong_bets = 2;
        review.payoff = &rest + &parts.misses;
        review.rewards = vec![rest, parts.misses.clone()];
        for seat in [Seat::Opponent, Seat::Prover] {
            let perspective = ViewerPerspective::of_seat(seat);
            let amounts = PayoffFormatter::with_three_digits(perspective);
            let text = &estimate_quality_measures(&review, &amounts)[0].1;
            let is_luck = won < lost;
            assert_eq!(text.contains("This was luck: "), is_luck, "{text}");
            let gaps = text.rsplit("gaps ").next().unwrap();
            let line = payoff_parts_text(&review, &amounts).unwrap();
            let figure = gaps.split(' ').next().unwrap();
            assert!(line.contains(&format!("gaps {figure},")), "{line} {text}");
            let sum = text.rsplit(". ").next().unwrap();
            let [won, lost, total] = &numbers(sum)[..] else {
                panic!("{sum}")
            };
            let to_alice = won - lost;
            let total = match seat {
                Seat::Opponent => -total.clone(),
                _ => total.clone(),
            };
            assert_eq!(to_alice, total, "{sum}");
        }
    }
}

/// The parts of each mean add up to it. Gaps of a user are shown with their cost before the mean.
#[test]
fn the_parts_of_a_mean_add_up_to_it() {
    for (name, prover) in [
        ("primes-small", "obfuscator"),
        ("primes-4331", "errs(+, -)"),
    ] {
        let case = bundled(name, [prover, "human", "oracle"]);
        let moves = [
            made(Seat::Prover, Reply::Answer(true)),
            made(Seat::Opponent, percent(90)),
            made(Seat::Chance, Reply::Drawn(0)),
            made(Seat::Prover, Reply::Direction(Bet::TooLow)),
            made(Seat::Prover, Reply::Support(0)),
            made(Seat::Opponent, percent(20)),
        ];
        let seed = debate_core::chance::Seed::new("parts").unwrap();
        let budget = ComputationBudget::default();
        let trials = case.trials(&moves, &seed, 60, budget, &|_| {}).unwrap();
        let own = trials.own.unwrap();
        let amounts =
            PayoffFormatter::with_three_digits(ViewerPerspective::of_seat(Seat::Opponent));
        for mut results in [own.clone(), trials.pair, trials.honest.unwrap()] {
            let parts = results.exact_parts.clone().unwrap();
            assert_eq!(
                &parts.iter().sum::<Exact>(),
                results.exact.as_ref().unwrap()
            );
            for is_exact in [true, false] {
                if !is_exact {
                    results.exact_parts = None;
                }
                let lines = trial_result_sentences(case.protocol_kind(), &results, &amounts);
                let parts = lines
                    .iter()
                    .find(|line| line.contains("last claim "))
                    .unwrap();
                let (mean, parts) = parts.split_once(": first answer").unwrap_or_else(|| {
                    let (mean, parts) = parts.split_once(": ").unwrap();
                    (mean, parts)
                });
                let mean = mean.strip_prefix("Exact mean: ").unwrap_or(mean);
                let mean = numbers(mean.split(['±', '=']).next().unwrap());
                let parts = parts.rsplit("first answer").next().unwrap();
                let sum: Exact = numbers(parts).iter().sum();
                assert_eq!(mean.last(), Some(&sum), "{lines:?}");
            }
        }
        let lines = trial_result_sentences(case.protocol_kind(), &own, &amounts);
        assert!(lines[1].starts_with("Your gaps cost you "), "{lines:?}");
        assert!(
            lines[1].contains("if bets are on the right side."),
            "{lines:?}"
        );
        assert!(lines[2].starts_with("Exact mean: "), "{lines:?}");
    }
}

/// A number far from the posterior is compared with it, and with the nearest consistent number if this one differs.
#[test]
fn an_unlikely_number_is_compared_with_the_posterior() {
    let case = bundled("primes-small", ["obfuscator", "human", "oracle"]);
    let amounts = PayoffFormatter::in_payoff_unit(ViewerPerspective::of_seat(Seat::Opponent));
    let moves = [
        made(Seat::Prover, Reply::Answer(true)),
        made(Seat::Opponent, percent(95)),
    ];
    let review = case
        .review_moves(&moves, ComputationBudget::default())
        .unwrap();
    let text = |posterior: i64, consistent: i64| {
        let mut step = review.steps[1].clone();
        step.fault = Some(ReplyFault {
            cause: ReplyFaultCause::Unlikely {
                posterior: Exact::ratio(posterior, 100),
                consistent: Exact::ratio(consistent, 100),
            },
            loss: Exact::zero(),
            share: Exact::ratio(1, 2),
        });
        fault_sentence(&case, &step, &amounts).unwrap()
    };
    assert!(
        text(50, 50).ends_with("you said 95 %; from what you knew, 50 % was right."),
        "{}",
        text(50, 50)
    );
    let both = text(50, 66);
    assert!(
        both.ends_with(
            "from what you knew, 50 % was right; with your earlier numbers, 66 % was the nearest consistent number."
        ),
        "{both}"
    );
}

/// A reply that was worse by what Alice knew is named, even if it was better in the debated case.
#[test]
fn a_lucky_reply_is_named() {
    let case = bundled("hidden-flaw", ["human", "bayes", "oracle"]);
    let amounts = PayoffFormatter::in_payoff_unit(ViewerPerspective::of_seat(Seat::Prover));
    let moves = [made(Seat::Prover, Reply::Answer(true))];
    let mut review = case
        .review_moves(&moves, ComputationBudget::default())
        .unwrap();
    review.steps[0].fault = None;
    review.steps[0].lucky_fault = Some(ReplyFault {
        cause: ReplyFaultCause::Worse {
            best: Reply::Answer(false),
            possible_cases: 64,
            guaranteed: false,
        },
        loss: Exact::ratio(1690, 1),
        share: Exact::ratio(1, 2),
    });
    let text = final_review_sentence(&case, &review, &amounts).unwrap();
    assert!(
        text.ends_with("1690 less by what you knew (64 cases); in this case it was right."),
        "{text}"
    );
}

/// Knowledge is compared with the hints in words.
#[test]
fn knowledge_is_as_good_as_the_hints_or_worse_or_better() {
    assert_eq!(
        knowledge_text([0.5, 0.4], Some([0.171, 0.007])),
        "worse than the hints: squared distance 0.171 (hints 0.007)."
    );
    assert_eq!(
        knowledge_text([0.1, 0.2], None),
        "better than the hints: squared error 0.100 (hints 0.200)."
    );
    assert_eq!(
        knowledge_text([0.1, 0.2], Some([0.0004, 0.0])),
        "as good as the hints: squared distance below 0.001."
    );
    assert_eq!(
        knowledge_text([0.1, 0.2], Some([0.0, 0.0])),
        "as good as the hints: squared distance 0.000."
    );
}

#[test]
fn the_hint_of_an_estimator_is_the_reference() {
    let case = bundled("primes", ["obfuscator", "human", "oracle"]);
    let moves = [
        made(Seat::Prover, Reply::Answer(true)),
        made(Seat::Opponent, percent(0)),
        made(Seat::Chance, Reply::Drawn(0)),
        made(Seat::Prover, Reply::Direction(Bet::TooLow)),
        made(Seat::Prover, Reply::Support(0)),
    ];
    let advice = |moves: &[Move<Exact>]| match case
        .advice_on_request(moves, ComputationBudget::default())
        .unwrap()
    {
        RequestAdvice::Share(advice) => advice,
        RequestAdvice::Replies(hints) => panic!("{hints:?}"),
    };
    let first = advice(&moves[..1]);
    assert_eq!(
        estimate_advice_sentence(&first),
        "Hint: 0 %. A test has shown you that this claim is false."
    );
    let part = advice(&moves);
    let told = estimate_advice_sentence(&part);
    assert_eq!(
        told,
        "Hint: 75 %: the claim is true in 48 of the 64 cases that are still possible. Any number is still consistent."
    );
    assert_eq!(
        consistency_sentence(&part, &Exact::ratio(1, 2)),
        "50 % is consistent."
    );
    // A coin has the probability of an estimate, so it says nothing about the truth.
    for (coin, cases) in [(0, "16 of 16 cases"), (1, "32 of 48 cases")] {
        let mut after = moves.to_vec();
        after.push(made(Seat::Opponent, percent(75)));
        after.push(made(Seat::Chance, Reply::Drawn(coin)));
        let told = estimate_advice_sentence(&advice(&after));
        let wanted = format!("if the coins were the truth, the claim would be true in {cases}");
        assert!(told.contains(&wanted), "{told}");
    }
}

/// A posterior and a consistent number that are equal as shown are not contrasted.
#[test]
fn a_hint_that_fits_both_says_so() {
    let nearly = Exact::ratio(14, 15);
    let p = &nearly + Exact::ratio(1, 10_000_000);
    let advice = EstimateAdvice {
        reference: debate_solver::analysis::review::ReferenceEstimate {
            p: p.clone(),
            basis: ReferenceEstimateBasis::Posterior,
            posterior: Some(nearly),
        },
        cases: None,
        is_given_coins: false,
        consistent_range: (p.clone(), p),
        share: None,
        left: 1,
        known: None,
        is_decided: false,
        coins_probability: Exact::one(),
    };
    assert_eq!(
        estimate_advice_sentence(&advice),
        "Hint: 93.33 %, which fits both what you know and your earlier numbers."
    );
}

#[test]
fn configurations_without_a_guaranteed_value_are_not_faulted() {
    let case = bundled("turing", ["human", "random", "oracle"]);
    let run = case.instance().run().unwrap();
    let truth = Reply::Bits(run.at(run.steps()).unwrap());
    let review = case
        .review_moves(&[made(Seat::Prover, truth)], ComputationBudget::default())
        .unwrap();
    let amounts = PayoffFormatter::with_three_digits(ViewerPerspective::of_seat(Seat::Prover));
    let told = fault_sentence(&case, &review.steps[0], &amounts);
    // Every configuration loses to a Bob who looks: no reply has a guaranteed value.
    assert_eq!(told, None);
}

fn trials(exact: Option<i64>) -> TrialDebatePayoffs {
    TrialDebatePayoffs {
        players: ["errs(+, -)", "bayes", "oracle"].map(str::to_owned),
        payoffs: vec![4.0, -4.0, 0.0, 1.0],
        exact: exact
            .map(|value| Exact::ratio(value, 1))
            .ok_or(UnsolvedReason::STOPPED),
        exact_parts: None,
        has_own_numbers: false,
        measures: None,
    }
}

/// An exact mean is the only mean: no interval of a sample contradicts it. Players are described in words.
#[test]
fn a_sampled_interval_is_shown_only_without_an_exact_mean() {
    let amounts = PayoffFormatter::in_payoff_unit(ViewerPerspective::of_seat(Seat::Opponent));
    let kind = ProtocolKind::ProverEstimator;
    let exact = trial_result_sentences(kind, &trials(Some(3)), &amounts);
    assert_eq!(exact[1], "Exact mean: -3 to you.");
    assert!(!exact.concat().contains('±'), "{exact:?}");
    let sampled = trial_result_sentences(kind, &trials(None), &amounts);
    assert!(sampled[1].starts_with("Mean -0.25 ± "), "{sampled:?}");
    assert!(sampled[2].starts_with("The exact value is not known"));
    assert!(exact[0].contains("looks only at Bob's number"), "{exact:?}");
}

/// A measure of knowledge that is not perfect is never shown as 0.
#[test]
fn a_small_squared_error_is_not_shown_as_0() {
    for value in [1e-9, 0.0001, 0.000_499] {
        assert_eq!(squared_error_text(value), "below 0.001");
    }
    assert_eq!(squared_error_text(0.0), "0.000");
    assert_eq!(squared_error_text(0.0005), "0.001");
}

/// Hints for Alice say how many cases they assume to be possible, or that she knows the truth.
#[test]
fn values_for_alice_name_the_knowledge_that_they_assume() {
    let case = bundled("hidden-flaw", ["human", "bayes", "oracle"]);
    let amounts = PayoffFormatter::in_payoff_unit(ViewerPerspective::of_seat(Seat::Prover));
    let hints = case.reply_hints(&[], ComputationBudget::default()).unwrap();
    assert!(hints.instances > 1);
    let told = hint_lines(&case, &hints, &amounts).join(" ");
    let assumed = format!(
        "Assumed: you know only that {} cases are possible.",
        hints.instances
    );
    assert!(told.contains(&assumed), "{told}");
    let case = bundled("five-parts", ["human", "even", "oracle"]);
    let hints = case.reply_hints(&[], ComputationBudget::default()).unwrap();
    let told = hint_lines(&case, &hints, &amounts).join(" ");
    assert!(
        told.contains("Assumed: you know which claims are true."),
        "{told}"
    );
}
