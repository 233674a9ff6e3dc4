use super::*;
use crate::ViewerPerspective;
use debate_core::budget::ComputationBudget;
use debate_core::player::{Move, PlayerSpec, StrategyRegistry};
use debate_core::protocol::Bet;
use debate_solver::analysis::review::RequestAdvice;
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
            has_visible_estimate_gap(&review),
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

/// A bet on the wrong side of a gap is named with its cost, and Bob by his name for other readers.
#[test]
fn a_wrong_bet_is_named_with_its_cost() {
    let case = bundled("primes-small", ["obfuscator", "human", "oracle"]);
    let moves = [
        made(Seat::Prover, Reply::Answer(true)),
        made(Seat::Opponent, percent(90)),
        made(Seat::Chance, Reply::Drawn(0)),
        made(Seat::Prover, Reply::Direction(Bet::TooLow)),
        made(Seat::Prover, Reply::Support(0)),
        made(Seat::Opponent, percent(20)),
    ];
    let mut review = case
        .review_moves(&moves, ComputationBudget::default())
        .unwrap();
    let parts = review.parts.as_mut().unwrap();
    parts.open = Exact::ratio(99, 10);
    parts.wrong = parts.open.clone();
    parts.wrong_bets = 1;
    let text = |seat: Option<Seat>| {
        let perspective = seat.map_or(ViewerPerspective::NEUTRAL, ViewerPerspective::of_seat);
        estimate_quality_measures(&review, &PayoffFormatter::with_three_digits(perspective))[0]
            .1
            .clone()
    };
    let own = text(Some(Seat::Opponent));
    assert!(
        own.contains("Her bet on the wrong side paid you 9.9 instead of costing you as much."),
        "{own}"
    );
    let neutral = text(None);
    assert!(
        neutral
            .contains("Alice's bet on the wrong side paid Bob 9.9 instead of costing Bob as much."),
        "{neutral}"
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
