use super::*;
use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::player::prover_estimator::{EstimateQuery, Estimator, EstimatorSeat, PeView};
use debate_core::player::{Choice, Player, Registry, Spec, built};
use debate_core::protocol::{ProverEstimator, Reply, Seat};
use debate_lab::analysis::{Actor, Expectimax};
use debate_lab::setup::{Limits, Setup};

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

/// Bob as the first lesson tells him to be.
struct Even;

impl Estimator<Exact> for Even {
    fn estimate(&self, view: PeView<'_, '_, Exact>, asked: EstimateQuery) -> Choice<Exact> {
        let coins: Vec<bool> = view.prefix().map(|(_, value)| value).collect();
        let p = match asked.place {
            None => Exact::zero(),
            Some(_) => even_doubt(view.p(), view.support().on.len(), &coins).unwrap(),
        };
        Choice::Sure(Reply::Probability(p))
    }
}

#[test]
fn whoever_doubts_evenly_loses_nothing_to_the_liar_on_average() {
    let setup = Setup::bundled(SCENARIO, &Limits::default()).unwrap();
    let instance = setup.instance(0);
    let start = setup.protocol.start::<Exact>(&instance).unwrap();
    let registry = Registry::builtin();
    let build = |seat: Seat, name: &str| {
        let spec = Spec::parse(name).unwrap();
        let built = registry.build(&spec, seat, &instance, &setup.protocol);
        built.unwrap()
    };
    let [prover, _, judge] = LESSONS[0].players;
    let alice = build(Seat::Prover, prover);
    let bob = built::<Exact, ProverEstimator<'_, Exact>>(EstimatorSeat(Even)).unwrap();
    let judge = build(Seat::Judge, judge);
    let actors = [&alice, &bob, &judge].map(|player| Actor::Plays(&**player));
    let budget = Budget {
        steps: 10_000_000,
        ..Budget::default()
    };
    let expected = Expectimax::new(&start, actors, budget).value(start.clone());
    assert_eq!(expected.unwrap().value(), Exact::zero());
    // That is no matter of course: to one who believes almost anything she brings a loss.
    let careless = build(Seat::Opponent, LESSONS[1].players[1]);
    let actors = [&alice, &careless, &judge].map(|player| Actor::Plays(&**player));
    let budget = Budget {
        steps: 10_000_000,
        ..Budget::default()
    };
    let expected = Expectimax::new(&start, actors, budget).value(start.clone());
    assert!(expected.unwrap().value() > Exact::zero());
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
        input_mode: InputMode::Lines,
    };
    for slot in ["p", "truth", "fair", "worst", "paid", "nonsense"] {
        assert_eq!(moment.fill(&format!("So {{{slot}}}.")), None);
    }
    assert_eq!(moment.fill("So."), Some("So.".to_owned()));
    assert!(Coach::lesson(LESSONS.len()).is_none());
}

/// A reply that depends on a number.
fn any_reply(request: &Request<Exact>, number: usize) -> Reply<Exact> {
    let place = u32::try_from(number).unwrap();
    match request {
        Request::Answer { .. } => Reply::Answer(number.is_multiple_of(2)),
        Request::Probability { .. } => {
            let quarters = i64::try_from(number % 5).unwrap();
            Reply::Probability(Exact::ratio(quarters, 4))
        }
        Request::Direction { .. } => Reply::Direction(Bet::ALL[number % 3]),
        Request::Support { offered, .. } => Reply::Support(place % offered),
        Request::Select { count, .. } => Reply::Select(place % count),
        Request::Oracle { .. } => Reply::Oracle {
            holds: number.is_multiple_of(2),
            confidence: None,
        },
        _ => panic!("{request:?}"),
    }
}

#[test]
fn whoever_does_anything_at_all_is_told_something_at_every_question() {
    let setup = Setup::bundled(SCENARIO, &Limits::default()).unwrap();
    let instance = setup.instance(0);
    let registry = Registry::builtin();
    let map = keys::map().unwrap();
    let input_mode = InputMode::Keys(&map);
    for (number, lesson) in LESSONS.iter().enumerate() {
        let coach = Coach::lesson(number).unwrap();
        for seed in 0..60_usize {
            let players = Seat::PLAYERS.map(|seat| {
                let spec = Spec::parse(lesson.players[seat.index()]).unwrap();
                if spec.is_human() {
                    return Player::Outside;
                }
                let built = registry.build(&spec, seat, &instance, &setup.protocol);
                Player::Builtin(built.unwrap())
            });
            let start = setup.protocol.start(&instance).unwrap();
            let named = Seed::new(seed.to_string().as_str()).unwrap();
            let mut seating = Seating::new(start, players, &named, 0);
            while let Some(turn) = seating.turn() {
                if seating.awaited().is_none() {
                    seating.advance().unwrap();
                    continue;
                }
                let says = coach.advice(&seating, &instance, input_mode);
                assert!(says.is_some(), "lesson {number}, seed {seed}: {turn:?}");
                let moves = seating.moves().len();
                let reply = any_reply(&turn.request, seed * 7 + moves * (seed + 1));
                seating.reply(reply).unwrap();
            }
            let says = coach.advice(&seating, &instance, input_mode);
            assert!(says.is_some_and(|says| says.ends_with("Go on with enter.")));
        }
    }
}
