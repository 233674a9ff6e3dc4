use super::advice::estimate_gap;
use super::*;
use crate::ViewerPerspective;
use debate_core::budget::ComputationBudget;
use debate_core::player::{Move, PlayerSpec, StrategyRegistry};
use debate_core::protocol::{Bet, Log, Rules as _};
use debate_solver::analysis::review::{
    EstimateAdvice, ManyDebatesPayoffs, ReferenceEstimateBasis, RequestAdvice,
};
use debate_solver::expectation::PayoffNotComputedReason;
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
        StrategyRegistry::registry_with_builtin_players(),
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
        spent: debate_core::protocol::SeatResourceCosts::default(),
    }
}

fn percent(hundredths: i64) -> Reply<Exact> {
    Reply::Probability(Exact::ratio(hundredths, 100))
}

/// The review explains numbers that are inconsistent, a number against a test, and the parts of the payoff.
#[test]
fn faults_of_an_estimator_have_their_reason() {
    let case = bundled("primes-small", ["obfuscator", "human", "oracle"]);
    let amounts =
        PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(Seat::Opponent));
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
    assert_eq!(review.moves_with_greatest_faults(), [5, 1]);
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
    let amounts =
        PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(Seat::Opponent));
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
            has_visible_gap_after_rounding(&review),
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

/// Plays the first round of a debate whose coins all come up yes: 100 % for the root, 50 % for each subclaim, and Alice
/// bets “too high”. Returns the moves, with the inputs for their review.
fn halves_below_a_certain_claim() -> (ReviewContext, Vec<Move<Exact>>) {
    use debate_core::protocol::{Request, Rules as _};
    let setup =
        LoadedScenario::load_bundled_scenario("primes", &ScenarioLimits::default()).unwrap();
    let instance = setup.instance(0);
    let mut state = setup.protocol.start::<Exact>(&instance).unwrap();
    let mut moves = Vec::new();
    while let Some(turn) = state.request() {
        let reply = match &turn.request {
            Request::Answer { .. } => Reply::Answer(true),
            Request::Direction { .. } => Reply::Direction(Bet::TooHigh),
            Request::Support { .. } => Reply::Support(0),
            Request::Draw { .. } => Reply::Drawn(1),
            request if request.index_among_siblings().is_some() => percent(50),
            Request::Probability { .. } => percent(100),
            Request::Select { .. } => Reply::Select(0),
            _ => break,
        };
        let ends_round = matches!(reply, Reply::Select(_));
        state.reply(reply.clone(), &mut ()).unwrap();
        moves.push(made(turn.seat, reply));
        if ends_round {
            break;
        }
    }
    (case(&setup, ["obfuscator", "human", "oracle"]), moves)
}

/// After each coin the next number adds its own gap, so the gaps of a round can exceed its stake. The payoff line shows
/// the gaps after the coins, as the line on consistency does. The first number that had a gap is the mistake.
#[test]
fn gaps_above_the_stake_are_explained() {
    let (case, moves) = halves_below_a_certain_claim();
    let review = case
        .review_moves(&moves, ComputationBudget::default())
        .unwrap();
    let parts = review.parts.as_ref().unwrap();
    let stake = &review.steps.last().unwrap().stake.as_ref().unwrap().weight;
    assert!(
        parts.misses > *stake && parts.misses_before_coins < *stake,
        "{parts:?}, {stake}"
    );
    assert_eq!(
        parts.misses_before_coins,
        review.figures.as_ref().unwrap().before_coins
    );
    let amounts =
        PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(Seat::Opponent));
    let text = payoff_parts_text(&review, &amounts).unwrap();
    let gaps = amounts.signed_for_viewer(&parts.misses);
    assert!(text.contains(&format!(", gaps {gaps}, ")), "{text}");
    assert!(text.ends_with("the coins pay the excess back"), "{text}");
    let first = moves.iter().position(|made| made.reply == percent(50));
    assert_eq!(review.moves_with_greatest_faults().first().copied(), first);
    let mistake = final_review_sentence(&case, &review, &amounts).unwrap();
    let first = fault_sentence(&case, &review.steps[first.unwrap()], &amounts).unwrap();
    assert!(mistake.ends_with(&first), "{mistake}");
    // The numbers of a round that count for knowledge, and the one furthest from its hint.
    let scope = knowledge_measure_coverage_sentences(&case, &review).unwrap();
    assert!(
        scope.contains("Of these, furthest from its hint: “"),
        "{scope}"
    );
    assert!(scope.ends_with(", 100 % (hint 0 %)."), "{scope}");
    // Alice reads in which rounds Bob's numbers had gaps.
    assert_eq!(bobs_gaps_sentence_for_alice(&review, &amounts), None);
    let alice =
        PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(Seat::Prover));
    let gaps = bobs_gaps_sentence_for_alice(&review, &alice).unwrap();
    assert!(gaps.ends_with(" percentage points in round 1."), "{gaps}");
}

/// The gaps in percentage points of the claim, which the live line shows, become the cost of the round's gaps if each
/// is divided by the probability of the coins before it and multiplied by the stake.
#[test]
fn gaps_after_the_coins_are_divided_by_the_probability_of_the_coins() {
    let (case, moves) = halves_below_a_certain_claim();
    let review = case
        .review_moves(&moves, ComputationBudget::default())
        .unwrap();
    let stake = &review.steps.last().unwrap().stake.as_ref().unwrap().weight;
    let mut cost = Exact::zero();
    for (index, made) in moves.iter().enumerate() {
        let Reply::Probability(estimate) = &made.reply else {
            continue;
        };
        let advice = case
            .advice_on_request(&moves[..index], ComputationBudget::default())
            .unwrap();
        let RequestAdvice::Share(advice) = advice else {
            panic!("no hint for an estimate: {advice:?}");
        };
        cost += estimate_gap(&advice, estimate) / &advice.coins_probability * stake;
    }
    assert!(cost.is_positive());
    assert_eq!(cost, review.parts.unwrap().open);
}

/// Inconsistent numbers can earn more than the built-in Bob's if Alice does not bet on the right side of the gaps. The
/// results then say so, and an Alice who does bet on that side would take the advantage away.
#[test]
fn lucky_gaps_are_explained() {
    let case = bundled("primes-small", ["obfuscator", "human", "oracle"]);
    let amounts =
        PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(Seat::Opponent));
    let seed = debate_core::chance::Seed::new("lucky").unwrap();
    let mut explained = 0;
    for number in [0, 20, 50, 80, 100] {
        let moves = [
            made(Seat::Prover, Reply::Answer(true)),
            made(Seat::Opponent, percent(90)),
            made(Seat::Chance, Reply::Drawn(0)),
            made(Seat::Prover, Reply::Direction(Bet::TooLow)),
            made(Seat::Prover, Reply::Support(0)),
            made(Seat::Opponent, percent(number)),
        ];
        let trials = case
            .trials(&moves, &seed, 1, ComputationBudget::default(), &|_| {})
            .unwrap();
        let own = trials.own.unwrap();
        let own_mean = own.exact.clone().unwrap();
        let pair_mean = trials.pair.exact.clone().unwrap();
        let Some(sentence) = lucky_gaps_sentence(&own, &trials.pair, &amounts) else {
            continue;
        };
        explained += 1;
        assert!(
            sentence.contains("better for you than the built-in Bob's"),
            "{sentence}"
        );
        assert!(own_mean < pair_mean, "{number}");
        let gaps = own.exact_parts.unwrap()[1].clone();
        let followed = own_mean - &gaps + gaps.abs();
        assert!(followed >= pair_mean, "{number}");
    }
    assert!(explained > 0);
}

/// A bet whose three replies are equally good changes nothing on average, and the hint says so.
#[test]
fn a_bet_on_consistent_numbers_changes_nothing() {
    let case = bundled("primes-small", ["human", "bayes", "oracle"]);
    let amounts =
        PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(Seat::Prover));
    let moves = [
        made(Seat::Prover, Reply::Answer(true)),
        made(Seat::Opponent, percent(0)),
        made(Seat::Chance, Reply::Drawn(0)),
    ];
    let hints = case
        .reply_hints(&moves, ComputationBudget::default())
        .unwrap();
    let hint = hint_lines(&case, &hints, &amounts).concat();
    assert!(
        hint.starts_with("Hint: this bet changes nothing on average. The whole debate: "),
        "{hint}"
    );
}

/// Before the last claim, the hint gives the probability with which the coins of the subclaims confirm the claim. A Bob
/// who always says 90 % makes a claim with k subclaims, all of which must be true, true with probability 0.9^k.
#[test]
fn the_reason_for_a_bet_is_the_probability_of_its_outcome() {
    let case = bundled("primes-small", ["human", "stubborn(0.9)", "oracle"]);
    let amounts =
        PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(Seat::Prover));
    let moves = [
        made(Seat::Prover, Reply::Answer(true)),
        made(Seat::Opponent, percent(90)),
        made(Seat::Chance, Reply::Drawn(0)),
    ];
    let hints = case
        .reply_hints(&moves, ComputationBudget::default())
        .unwrap();
    let root = case.instance().root();
    let width = case.instance().support(root, 0).unwrap().on.len();
    let outcome = hints.bet_outcome.as_ref().unwrap();
    let all_true = (0..width).fold(Exact::one(), |product, _| product * Exact::ratio(9, 10));
    assert_eq!(outcome.probability, all_true);
    assert_eq!(outcome.estimate, Exact::ratio(9, 10));
    let hint = hint_lines(&case, &hints, &amounts).concat();
    let [yes, estimate] = [&all_true, &outcome.estimate].map(in_percent);
    let reason = format!("decide the bet: yes with {yes} on average. Bob: {estimate}.");
    assert!(hint.contains(&reason), "{hint}");
    assert!(hint.starts_with("Hint: too high is best"), "{hint}");
    // The answer is no bet.
    let answer = case.reply_hints(&[], ComputationBudget::default()).unwrap();
    assert_eq!(answer.bet_outcome, None);
}

/// A mean of a sample has no more digits than its margin of error allows, and its parts add up to it.
#[test]
fn a_sampled_mean_has_no_more_digits_than_its_margin_allows() {
    let amounts = PayoffFormatter::formatter_with_three_digits(ViewerPerspective::NEUTRAL);
    let digit = |width: i64| amounts.place_value_of_last_meaningful_digit(&Exact::ratio(width, 10));
    assert_eq!(digit(146_960), Exact::ratio(1000, 1));
    assert_eq!(digit(308), Exact::one());
    assert_eq!(digit(2), Exact::ratio(1, 100));
    assert_eq!(digit(0), Exact::zero());
    let value = Exact::ratio(520_207_892, 1000);
    let rounded = crate::amounts::rounded_to_digit(&value, &digit(146_960));
    assert_eq!(rounded, Exact::ratio(520_000, 1));
    assert_eq!(
        crate::amounts::rounded_to_digit(&value, &Exact::zero()),
        value
    );
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
    // All subclaims must be true, so the claim is at most 20 % after the number 20 %, and 90 % was 70 points too high.
    // The bet “too low” won the amount that a bet “too high” would have cost.
    let amounts =
        PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(Seat::Opponent));
    let stake = &reviewed.steps[5].stake.as_ref().unwrap().weight;
    let cost = amounts.absolute_with_unit(&(stake * Exact::ratio(7, 10)));
    let end = format!("against bets on the right side, they would cost you {cost} on average. ");
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
            let amounts = PayoffFormatter::formatter_with_three_digits(perspective);
            let text = &estimate_quality_measures(&review, &amounts)[0].1;
            let text = text.trim_end_matches(DIVIDED_BY_COINS);
            let is_luck = won < lost;
            assert_eq!(text.contains(" only because "), is_luck, "{text}");
            if seat == Seat::Opponent {
                assert_eq!(text.contains(&end), is_luck, "{text}");
            }
            let gaps = text.rsplit("gaps ").next().unwrap();
            let line = payoff_parts_text(&review, &amounts).unwrap();
            let figure = gaps.split(' ').next().unwrap();
            let is_named = [",", " ("].map(|end| line.contains(&format!("gaps {figure}{end}")));
            assert!(is_named.contains(&true), "{line} {text}");
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
        let amounts = PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(
            Seat::Opponent,
        ));
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
                let lines = trial_result_sentences(
                    case.instance(),
                    case.protocol_kind(),
                    &results,
                    &amounts,
                );
                let parts = lines
                    .iter()
                    .find(|line| line.contains("last claim ") && line.contains(": "))
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
        let lines = trial_result_sentences(case.instance(), case.protocol_kind(), &own, &amounts);
        assert!(
            lines[1].starts_with(
                "Each debate has its own coins, so its questions can differ from yours."
            ),
            "{lines:?}"
        );
        assert!(
            lines[1].contains(" in a debate against an Alice who bets on the right side."),
            "{lines:?}"
        );
        assert!(lines[2].starts_with("Exact mean: "), "{lines:?}");
    }
}

/// A number far from the posterior is compared with it, and with the nearest consistent number if this one differs.
#[test]
fn an_unlikely_number_is_compared_with_the_posterior() {
    let case = bundled("primes-small", ["obfuscator", "human", "oracle"]);
    let amounts = PayoffFormatter::in_unit_of_rules(ViewerPerspective::of_seat(Seat::Opponent));
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
    let amounts = PayoffFormatter::in_unit_of_rules(ViewerPerspective::of_seat(Seat::Prover));
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

/// A prover who bets on the last claim as the hint says was right, even if the bet lost. The end does not call it luck.
#[test]
fn a_recommended_last_bet_is_no_luck() {
    let limits = ScenarioLimits::default();
    let setup = LoadedScenario::load_bundled_scenario("primes-small", &limits).unwrap();
    let instance = setup.instance(0);
    let case = case(&setup, ["human", "hedged", "oracle"]);
    let amounts =
        PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(Seat::Prover));
    let budget = ComputationBudget::default;
    let mut moves = vec![
        made(Seat::Prover, Reply::Answer(true)),
        made(Seat::Opponent, percent(0)),
        made(Seat::Chance, Reply::Drawn(0)),
    ];
    // Each bet and each choice is the one that the hint recommends.
    loop {
        let mut state = setup.protocol.start::<Exact>(&instance).unwrap();
        for made in &moves {
            let mut log = Log::default();
            state.reply(made.reply.clone(), &mut log).unwrap();
        }
        let Some(turn) = state.request() else { break };
        let reply = match turn.seat {
            Seat::Prover => {
                let hints = case.reply_hints(&moves, budget()).unwrap();
                hints.best_reply().unwrap().reply.clone()
            }
            Seat::Opponent => percent(90),
            Seat::Judge => Reply::Oracle {
                holds: false,
                confidence: None,
            },
            Seat::Chance => Reply::Drawn(0),
        };
        moves.push(made(turn.seat, reply));
    }
    let review = case.review_moves(&moves, budget()).unwrap();
    assert!(review.moves_with_greatest_faults().is_empty(), "{review:?}");
    let lines = estimate_quality_measures(&review, &amounts);
    let names: Vec<&str> = lines.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, [LAST_BET, "Luck"]);
    assert!(
        lines[0]
            .1
            .starts_with("no other bet was better by what you knew; it paid "),
        "{lines:?}"
    );
    assert!(!lines[1].1.contains("last claim"), "{lines:?}");
    // Another bet on the last claim was not the best one.
    let is_bet = |made: &Move<Exact>| matches!(made.reply, Reply::Direction(_));
    let last = moves.iter().rposition(is_bet).unwrap();
    moves[last].reply = match moves[last].reply {
        Reply::Direction(Bet::TooLow) => Reply::Direction(Bet::TooHigh),
        _ => Reply::Direction(Bet::TooLow),
    };
    let review = case.review_moves(&moves, budget()).unwrap();
    let lines = estimate_quality_measures(&review, &amounts);
    assert!(
        lines[0].1.starts_with("not the best by what you knew"),
        "{lines:?}"
    );
}

/// Knowledge is compared with the hints in words.
#[test]
fn knowledge_is_as_good_as_the_hints_or_worse_or_better() {
    assert_eq!(
        knowledge_text([0.5, 0.4], Some([0.171, 0.007]), "4 numbers"),
        "worse than the hints on 4 numbers: mean squared distance from the best possible numbers 0.171 (hints 0.007)."
    );
    assert_eq!(
        knowledge_text([0.1, 0.2], None, "1 number"),
        "better than the hints on 1 number: mean squared error 0.100 (hints 0.200)."
    );
    assert_eq!(
        knowledge_text([0.1, 0.2], Some([0.0004, 0.0]), "3 of your 8 numbers"),
        "as good as the hints on 3 of your 8 numbers: mean squared distance from the best possible numbers below 0.001."
    );
    assert_eq!(
        knowledge_text([0.1, 0.2], Some([0.0, 0.0]), &number_count(1512)),
        "as good as the hints on 1,512 numbers: mean squared distance from the best possible numbers 0.000."
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
    for (coin, left) in [
        (
            0,
            "16 cases would be left, and the claim true in all of them",
        ),
        (
            1,
            "48 cases would be left, and the claim true in 32 of them",
        ),
    ] {
        let mut after = moves.to_vec();
        after.push(made(Seat::Opponent, percent(75)));
        after.push(made(Seat::Chance, Reply::Drawn(coin)));
        let told = estimate_advice_sentence(&advice(&after));
        let wanted = format!("if the coins were the truth, {left}");
        assert!(told.contains(&wanted), "{told}");
    }
}

/// If the earlier numbers have a gap, the hint and the live line tell the gap that stays from the gap that a number
/// adds. A hint beside the posterior names the consistent numbers once.
#[test]
fn hints_after_a_gap_tell_the_added_gap_from_the_earlier_one() {
    let case = bundled("primes", ["obfuscator", "human", "oracle"]);
    let moves = |numbers: &[i64]| {
        let mut moves = vec![
            made(Seat::Prover, Reply::Answer(true)),
            made(Seat::Opponent, percent(80)),
            made(Seat::Chance, Reply::Drawn(1)),
            made(Seat::Prover, Reply::Direction(Bet::TooLow)),
            made(Seat::Prover, Reply::Support(0)),
        ];
        for number in numbers {
            moves.push(made(Seat::Opponent, percent(*number)));
            moves.push(made(Seat::Chance, Reply::Drawn(1)));
        }
        moves
    };
    let advice = |numbers: &[i64]| match case
        .advice_on_request(&moves(numbers), ComputationBudget::default())
        .unwrap()
    {
        RequestAdvice::Share(advice) => advice,
        RequestAdvice::Replies(hints) => panic!("{hints:?}"),
    };
    assert_eq!(
        estimate_advice_sentence(&advice(&[])),
        "Hint: 80 %. From what you know the probability is 75 %, but your earlier numbers allow only 80 % to 100 %."
    );
    let last = advice(&[90, 90, 95]);
    let hint = estimate_advice_sentence(&last);
    assert!(
        hint.ends_with(
            "allow only 100 %. The gap of your earlier numbers stays: 3.1 percentage points."
        ),
        "{hint}"
    );
    assert_eq!(
        consistency_sentence(&last, &Exact::ratio(9, 10)),
        "90 % adds a gap of 7.70 percentage points, in all 10.75."
    );
    assert_eq!(
        consistency_sentence(&last, &Exact::one()),
        "100 % adds no gap."
    );
    // Without a gap, only the number itself is named.
    let only = estimate_advice_sentence(&advice(&[100, 100, 100]));
    assert!(only.ends_with("80 %."), "{only}");
    assert!(!only.contains("gap"), "{only}");
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
        earlier_gap: Exact::zero(),
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
    let amounts =
        PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(Seat::Prover));
    let told = fault_sentence(&case, &review.steps[0], &amounts);
    // Every configuration loses to a Bob who looks: no reply has a guaranteed value.
    assert_eq!(told, None);
}

fn trials(exact: Option<i64>) -> ManyDebatesPayoffs {
    ManyDebatesPayoffs {
        players: ["errs(+, -)", "bayes", "oracle"].map(str::to_owned),
        payoffs: vec![4.0, -4.0, 0.0, 1.0],
        exact: exact
            .map(|value| Exact::ratio(value, 1))
            .ok_or(PayoffNotComputedReason::STOPPED),
        exact_parts: None,
        has_own_numbers: false,
        measures: None,
        judge_score: None,
    }
}

/// An exact mean is the only mean: no interval of a sample contradicts it. Players are described in words.
#[test]
fn a_sampled_interval_is_shown_only_without_an_exact_mean() {
    let amounts = PayoffFormatter::in_unit_of_rules(ViewerPerspective::of_seat(Seat::Opponent));
    let kind = ProtocolKind::ProverEstimator;
    let case = bundled("primes", ["errs(+, -)", "bayes", "oracle"]);
    let exact = trial_result_sentences(case.instance(), kind, &trials(Some(3)), &amounts);
    assert_eq!(exact[1], "Exact mean: -3 to you.");
    assert!(!exact.concat().contains('±'), "{exact:?}");
    let sampled = trial_result_sentences(case.instance(), kind, &trials(None), &amounts);
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
    let amounts = PayoffFormatter::in_unit_of_rules(ViewerPerspective::of_seat(Seat::Prover));
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

/// A hint names the player whose replies are assumed for the user later, exactly if no best reply of these is computed.
#[test]
fn hints_name_the_player_of_later_replies() {
    let mut assumptions = Vec::new();
    for name in ["primes-small", "primes", "law", "turing"] {
        let setup =
            LoadedScenario::load_bundled_scenario(name, &ScenarioLimits::default()).unwrap();
        let own = |seat| setup.players.text_of_seat(seat).unwrap();
        let case = case(&setup, ["human", own(Seat::Opponent), own(Seat::Judge)]);
        let amounts = PayoffFormatter::in_unit_of_rules(ViewerPerspective::of_seat(Seat::Prover));
        let hints = case.reply_hints(&[], ComputationBudget::default());
        let hints = hints.unwrap_or_else(|error| panic!("{name}: {error}"));
        let player = case.player_name(Seat::Prover);
        let player = player_in_plain_words(case.protocol_kind(), Seat::Prover, &player);
        let sentence = format!("Your later replies are assumed to be those of {player}.");
        let text = hint_lines(&case, &hints, &amounts).join(" ");
        let is_named = hints.later == LaterReplyAssumption::PlaceholderPlayer;
        assert_eq!(text.contains(&sentence), is_named, "{name}: {text}");
        assumptions.push(hints.later);
    }
    assert!(
        assumptions.contains(&LaterReplyAssumption::PlaceholderPlayer),
        "{assumptions:?}"
    );
    assert!(
        assumptions.contains(&LaterReplyAssumption::Best),
        "{assumptions:?}"
    );
}

/// Two replies whose values are shown as equal can differ. The hint then says that the margin is too small to show.
#[test]
fn a_margin_that_is_too_small_to_show_is_named() {
    let mut named = 0;
    for name in ["pull-request", "primes"] {
        let case = bundled(name, ["human", "reference", "oracle"]);
        let amounts =
            PayoffFormatter::formatter_with_three_digits(ViewerPerspective::of_seat(Seat::Prover));
        let hints = case.reply_hints(&[], ComputationBudget::default()).unwrap();
        let best = hints.best_reply().unwrap();
        let [first, second] = &hints.replies[..] else {
            panic!("{name}: the prover answers yes or no")
        };
        assert_ne!(first.value, second.value, "{name}");
        let [one, other] = [first, second]
            .map(|rated| reply_value_text(&case, &hints, rated, &amounts).replace(", best", ""));
        let hint = hint_sentence(&case, &hints, best, &amounts).unwrap();
        let is_named = hint.contains("by too little to show");
        assert_eq!(is_named, one == other, "{hint} {one} {other}");
        named += usize::from(is_named);
    }
    assert!(named > 0);
}
