use super::*;
use crate::chance::Seed;

use crate::player::{Player, Registry, Spec};
use crate::protocol::{Reply, Seat};
use crate::setup::{Limits, Setup};

#[test]
fn the_lessons_are_read_in_four_minutes() {
    let steps = LESSONS.iter().flat_map(|lesson| lesson.steps);
    let texts = steps.map(|step| step.text).chain(BEFORE.iter().copied());
    let words: usize = texts
        .chain([AFTER])
        .map(|text| text.split_whitespace().count())
        .sum();
    assert!((500..=700).contains(&words), "{words}");
}

#[test]
fn bob_is_told_what_the_exact_posterior_says() {
    let setup = Setup::bundled(SCENARIO, &Limits::default()).unwrap();
    let instance = setup.instance(0);
    let registry = Registry::builtin();
    let built = |seat: Seat, name: &str| {
        let spec = Spec::parse(name).unwrap();
        let built = registry.build(&spec, seat, &instance, &setup.protocol);
        Player::Builtin(built.unwrap())
    };
    let coach = Coach::lesson(0).unwrap();
    let [prover, _, judge] = LESSONS[0].players;
    for seed in [LESSONS[0].seed, "1", "2", "3", "4", "5", "6", "7"] {
        let seed = Seed::new(seed).unwrap();
        let seated = |bob| {
            let alice = built(Seat::Prover, prover);
            let start = setup.protocol.start(&instance).unwrap();
            Seating::new(start, [alice, bob, built(Seat::Judge, judge)], &seed, 0)
        };
        let mut told = seated(Player::Outside);
        let mut posterior = seated(built(Seat::Opponent, "bayes"));
        let mut parts = 0;
        while let Some(turn) = told.turn() {
            posterior.advance().unwrap();
            if told.awaited().is_none() {
                told.advance().unwrap();
                continue;
            }
            let reply = posterior.moves().last().unwrap().reply.clone();
            let Reply::Probability(p) = &reply else {
                panic!("{reply:?}");
            };
            let says = coach.says(&told, &instance).unwrap();
            if let Request::Probability { place: Some(_), .. } = turn.request {
                let rounded = percent((p.to_float() * 100.0).round() / 100.0);
                assert!(
                    says.ends_with(&format!(": {rounded}.")),
                    "{says} not {rounded}"
                );
                parts += 1;
            } else {
                assert!(says.contains("Type 0, then enter") && *p == Exact::zero());
            }
            told.reply(reply).unwrap();
        }
        assert_eq!(parts, 8);
        let end = coach.in_lines().says(&told, &instance).unwrap();
        assert!(
            end.starts_with("Alice got ") && !end.contains("Enter"),
            "{end}"
        );
    }
}

#[test]
fn a_text_whose_figures_mean_nothing_now_is_not_said() {
    let setup = Setup::bundled(SCENARIO, &Limits::default()).unwrap();
    let instance = setup.instance(0);
    let start = setup.protocol.start(&instance).unwrap();
    let seed = Seed::new("7").unwrap();
    let players = [Player::Outside, Player::Outside, Player::Outside];
    let seating = Seating::new(start, players, &seed, 0);
    let moment = Moment {
        seating: &seating,
        instance: &instance,
    };
    let coach = Coach::lesson(1).unwrap();
    for slot in ["p", "truth", "fair", "worst", "paid", "nonsense"] {
        assert_eq!(coach.fill(&moment, &format!("So {{{slot}}}.")), None);
    }
    assert_eq!(coach.fill(&moment, "So."), Some("So.".to_owned()));
    assert!(Coach::lesson(LESSONS.len()).is_none());
}
