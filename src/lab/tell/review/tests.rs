use super::*;
use crate::setup::{Limits, Origin, Setup};
use debate_core::budget::Budget;
use debate_core::player::{Move, Registry, Spec};

/// All of two claims, one of them false; Bob's estimates of them are right.
const SMALL: &str = r#"Scenario(
    format: 1, title: "Both?",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "Both.", supports: [Support(gate: All, on: ["a", "b"])]),
        "a": Claim(text: "A.", truth: true, estimate: "1"),
        "b": Claim(text: "B.", truth: false, estimate: "0"),
    }),
    protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
)"#;

/// A debate in which some seats are people's and the scenario's own players stand in.
fn case(setup: &Setup, sits: [&str; 3]) -> ReviewContext {
    let own = Seat::PLAYERS.map(|seat| Spec::parse(setup.players.get(seat)?).ok());
    let sits = sits.map(|name| Spec::parse(name).unwrap());
    ReviewContext::new(
        &setup.instance(0),
        &setup.protocol,
        sits,
        own,
        Registry::builtin(),
    )
}

fn bundled(name: &str, sits: [&str; 3]) -> ReviewContext {
    case(&Setup::bundled(name, &Limits::default()).unwrap(), sits)
}

fn made(seat: Seat, reply: Reply<Exact>) -> Move<Exact> {
    Move {
        seat,
        reply,
        coin: None,
        spent: debate_core::protocol::Spent::default(),
    }
}

fn percent(hundredths: i64) -> Reply<Exact> {
    Reply::Probability(Exact::ratio(hundredths, 100))
}

/// The last line says who won, by how much and by what, each from their own seat.
#[test]
fn the_result_is_told_from_each_seat() {
    let origin = Origin::Text("both".to_owned());
    let setup = Setup::from_text(SMALL, origin, &Limits::default()).unwrap();
    let case = case(&setup, ["honest", "human", "oracle"]);
    // Bob says that a false claim is certain, and pays for it.
    let moves = [
        made(Seat::Prover, Reply::Answer(false)),
        made(Seat::Opponent, percent(100)),
    ];
    let review = case.attribution(&moves, Budget::default()).unwrap();
    assert!(review.skill(Seat::Opponent) > Exact::default());
    let bob = result(
        &case,
        &review,
        &Amounts::rounded(Perspective::of(Seat::Opponent)),
    );
    assert!(bob.starts_with("You lost: -"), "{bob}");
    assert!(bob.contains("mostly by your own mistakes"), "{bob}");
    let alice = result(
        &case,
        &review,
        &Amounts::rounded(Perspective::of(Seat::Prover)),
    );
    assert!(alice.starts_with("You won: +"), "{alice}");
    assert!(alice.contains("mostly by Bob's mistakes"), "{alice}");
    let reference = case.player(Seat::Opponent);
    let told = ledger(
        &case,
        &review,
        &Amounts::rounded(Perspective::of(Seat::Opponent)),
    );
    let own = told.iter().find(|(label, _)| *label == "You").unwrap();
    assert!(
        own.1
            .contains(&format!("against {reference} in your place")),
        "{own:?}"
    );
}

#[test]
fn what_a_reply_guarantees_is_told_before_what_it_is_worth_here() {
    let case = bundled("primes-small", ["obfuscator", "human", "oracle"]);
    let moves = [made(Seat::Prover, Reply::Answer(true))];
    let worth = |hundredths: i64| {
        let rated = case.worth(&moves, &percent(hundredths), Budget::default());
        rated.unwrap().unwrap()
    };
    let hints = Hints {
        seat: Seat::Opponent,
        before: Exact::default(),
        replies: [100, 45, 5, 0].map(worth).into(),
        of_players: false,
        rivals: Some(RivalPool::Everybody),
        later: LaterReplies::StandIn,
        means: false,
        instances: 7,
    };
    let certain = hints.of(&percent(100)).unwrap();
    let amounts = Amounts::rounded(Perspective::of(hints.seat));
    let [first, second] = two_lines(&case, &hints, certain, "", &amounts).unwrap();
    assert!(
        first.starts_with("100 %: it loses at most") && first.contains("Best: 0 %"),
        "{first}"
    );
    assert!(
        second.starts_with("Against this Alice, obfuscator: "),
        "{second}"
    );
}

#[test]
fn a_better_configuration_is_told_in_the_words_of_the_machine() {
    let case = bundled("turing", ["human", "random", "oracle"]);
    let run = case.instance().run().unwrap();
    let truth = Reply::Bits(run.at(run.steps()).unwrap());
    let review = case
        .review(&[made(Seat::Prover, truth)], Budget::default())
        .unwrap();
    let amounts = Amounts::rounded(Perspective::of(Seat::Prover));
    let told = regret(&case, &review, &review.steps[0], &amounts).unwrap();
    assert!(
        told.contains("yes, head at") && told.contains("would have been worth"),
        "{told}"
    );
}
