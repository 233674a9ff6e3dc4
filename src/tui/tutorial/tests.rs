use num_traits::Zero as _;

use super::*;
use crate::tui::keys;
use debate_core::bits::Bits;
use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::player::{Player, Registry, Spec};
use debate_core::protocol::{Ask, Bet, Event, Reply, Request, Round, Rules as _, Seat};
use debate_core::scenario::ClaimId;
use debate_solver::analysis::review::ReviewContext;
use debate_solver::expectimax::{Actor, Expectimax};
use debate_solver::setup::{Limits, Setup};
use debate_text::{Perspective, prepared_bits};

/// True if a step is shown only to users who do not follow the instructions.
fn is_for_others(step: &LessonStep) -> bool {
    use StepCondition as When;
    step.when.iter().any(|when| {
        matches!(
            when,
            When::RootAsTold(false)
                | When::PartAsTold(false)
                | When::Agrees(false)
                | When::AgreedThroughout(false)
                | When::AnsweredTruly(false)
                | When::BetTruly(false)
                | When::WentFurthest(false)
                | When::LedToError(false)
                | When::JudgedTruly(false)
                | When::NothingWrong(true)
                | When::Lost(true)
                | When::Won(false)
        )
    })
}

#[test]
fn each_course_is_read_in_four_minutes() {
    let (first, second) = TUTORIAL.lessons.split_at(SECOND_COURSE);
    let words = |lessons: &[Lesson], more: &[&str]| -> usize {
        let steps = lessons
            .iter()
            .flat_map(|lesson| &lesson.steps)
            .filter(|step| !is_for_others(step));
        let texts = steps.map(|step| step.text).chain(more.iter().copied());
        texts.map(|text| text.split_whitespace().count()).sum()
    };
    let first = words(first, &[TUTORIAL.differs, TUTORIAL.after]);
    assert!((600..=850).contains(&first), "{first}");
    let second = words(second, &[]);
    assert!((350..=850).contains(&second), "{second}");
}

/// The index of the second course's first debate.
const SECOND_COURSE: usize = COMPARISON_LESSON + COMPARISON_OPPONENTS.len();

#[test]
fn even_doubt_breaks_even_against_the_liar() {
    let setup = Setup::bundled(FIRST_COURSE_SCENARIO, &Limits::default()).unwrap();
    let instance = setup.instance(0);
    let start = setup.protocol.start::<Exact>(&instance).unwrap();
    let registry = Registry::with_builtin_players();
    let build = |seat: Seat, name: &str| {
        let spec = Spec::parse(name).unwrap();
        let built = registry.build(&spec, seat, &instance, &setup.protocol);
        built.unwrap()
    };
    let [prover, _, judge] = TUTORIAL.lessons[0].players;
    let alice = build(Seat::Prover, prover);
    let bob = build(Seat::Opponent, COMPARISON_OPPONENTS[1]);
    let judge = build(Seat::Judge, judge);
    let actors = [&alice, &bob, &judge].map(|player| Actor::Plays(&**player));
    let budget = Budget {
        steps: 10_000_000,
        ..Budget::default()
    };
    let expected = Expectimax::new(&start, actors, budget).value(start.clone());
    assert_eq!(expected.unwrap().value(), Exact::zero());
    // The result is not obvious: against an opponent that believes almost everything, she loses.
    let careless = build(Seat::Opponent, TUTORIAL.lessons[1].players[1]);
    let actors = [&alice, &careless, &judge].map(|player| Actor::Plays(&**player));
    let budget = Budget {
        steps: 10_000_000,
        ..Budget::default()
    };
    let expected = Expectimax::new(&start, actors, budget).value(start.clone());
    assert!(expected.unwrap().value() > Exact::zero());
}

#[test]
fn every_name_in_the_lessons_means_something() {
    let tutorial: Tutorial = ron::from_str(include_str!("lessons.ron")).unwrap();
    assert_eq!(tutorial.lessons.len(), LESSON_COUNT + 1);
    // The names of requests, and of the requested bits.
    let known = [
        "Answer",
        "Probability",
        "Part",
        "Direction",
        "Support",
        "Select",
        "Challenge",
        "Oracle",
        "Draw",
        "Configuration",
        "Block",
        "Transcript",
    ];
    let slots = [
        "on", "send", "back", "advised", "middle", "p", "weight", "claim", "truth", "err", "bet",
        "fair", "typed", "share", "implied", "agree", "again", "side", "gap", "worst", "paid",
        "payoff",
    ];
    for step in tutorial.lessons.iter().flat_map(|lesson| &lesson.steps) {
        for when in &step.when {
            if let StepCondition::Asked(name) | StepCondition::Awaited(name) = when {
                assert!(known.contains(name), "{name}");
            }
        }
        for slot in step.text.split('{').skip(1) {
            let (slot, _) = slot.split_once('}').unwrap();
            assert!(slots.contains(&slot), "{slot}");
        }
    }
}

#[test]
fn comments_with_meaningless_figures_are_omitted() {
    let setup = Setup::bundled(FIRST_COURSE_SCENARIO, &Limits::default()).unwrap();
    let instance = setup.instance(0);
    let start = setup.protocol.start(&instance).unwrap();
    let seed = Seed::new("7").unwrap();
    let players = [Player::Outside, Player::Outside, Player::Outside];
    let seating = Seating::new(start, players, &seed, 0);
    let context = LessonContext {
        seating: &seating,
        instance: &instance,
        input_mode: InputMode::Lines,
        lesson: &TUTORIAL.lessons[0],
    };
    for slot in ["p", "truth", "fair", "worst", "paid", "nonsense"] {
        assert_eq!(context.fill_slots(&format!("So {{{slot}}}.")), None);
    }
    assert_eq!(context.fill_slots("So."), Some("So.".to_owned()));
    assert!(Coach::lesson(TUTORIAL.lessons.len()).is_none());
}

/// Parses the number at the start of a text, in percent.
fn percent_in(text: &str) -> Reply<Exact> {
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    let number: String = text.chars().take_while(|c| digits(*c)).collect();
    let number = number.trim_end_matches('.');
    Reply::Probability(debate_core::number::parse(&format!("{number}%")).unwrap())
}

/// Returns the reply that a text of the second course advises: the honest player's reply by name, or the prepared
/// reply.
fn advised_of_computation(says: &str, context: &LessonContext<'_, '_>) -> Reply<Exact> {
    let turn = context.seating.turn().unwrap();
    if let Request::Bits {
        ask: Ask::Transcript { .. },
        ..
    } = turn.request
    {
        assert!(says.contains("Send it as it is"), "{says}");
        return Reply::Bits(prepared_bits(context.seating, &turn.request));
    }
    let reply = context
        .advised_reply()
        .unwrap_or_else(|| panic!("{says} {turn:?}"));
    let named = context.advised();
    match &reply {
        Reply::Challenge(None) => assert!(says.contains("let it stand"), "{says}"),
        Reply::Challenge(_) if says.contains("Have it checked") => {}
        _ => assert!(says.contains(&named.unwrap()), "{says}"),
    }
    reply
}

/// Returns the reply that a text advises.
fn advised(says: &str, request: &Request<Exact>, instance: &Instance) -> Reply<Exact> {
    let last = says.rsplit(": ").next().unwrap();
    match request {
        Request::Answer { .. } => Reply::Answer(!says.contains("answer no")),
        Request::Probability { place: None, .. } => percent_in(says.split("Type ").nth(1).unwrap()),
        Request::Probability { .. } => percent_in(last),
        Request::Direction { .. } => {
            let named = |bet: &Bet| last.contains(bet.words());
            Reply::Direction(Bet::ALL.into_iter().find(named).unwrap())
        }
        Request::Support { .. } => Reply::Support(0),
        Request::Select { .. } if says.contains("ontest") || says.contains("Guess") => {
            Reply::Select(0)
        }
        Request::Select { claim, .. } => {
            let on = &instance.supports(*claim)[0].on;
            let named = |y: &ClaimId| says.contains(&format!("“{}”", instance.short_text(*y)));
            Reply::Select(u32::try_from(on.iter().position(named).unwrap()).unwrap())
        }
        Request::Oracle { claim } => Reply::Oracle {
            holds: instance.truth(*claim).unwrap(),
            confidence: None,
        },
        _ => panic!("{request:?}"),
    }
}

/// Starts a lesson with its players, an open seat for the user, and the inputs for hints.
fn in_lesson<'a>(
    lesson: &Lesson,
    setup: &Setup,
    instance: &'a Instance,
    seed: &str,
) -> (Seating<'a, Exact>, ReviewContext) {
    let registry = Registry::with_builtin_players();
    let specs = lesson.players.map(|name| Spec::parse(name).unwrap());
    let players = Seat::PLAYERS.map(|seat| {
        let spec = &specs[seat.index()];
        if spec.is_human() {
            return Player::Outside;
        }
        let built = registry.build(spec, seat, instance, &setup.protocol);
        Player::Builtin(built.unwrap())
    });
    let mut own = Seat::PLAYERS.map(|seat| Spec::parse(setup.players.get(seat)?).ok());
    own[Seat::Prover.index()] = Some(Spec::without_arguments(REFERENCE_PROVER));
    let case = ReviewContext::new(instance, &setup.protocol, specs, own, registry);
    let start = setup.protocol.start(instance).unwrap();
    let seating = Seating::new(start, players, &Seed::new(seed).unwrap(), 0);
    (seating, case)
}

/// A user who follows the instructions makes no fault, and wins the debates about computations.
#[test]
fn following_the_instructions_makes_no_fault() {
    let mut asked = 0;
    for (number, lesson) in TUTORIAL.lessons.iter().enumerate() {
        let setup = lesson.setup().unwrap();
        let seed = Seed::new(lesson.seed).unwrap();
        let instance = setup.instance(setup.draw(&seed, 0));
        let coach = Coach::lesson(number).unwrap();
        let (mut seating, case) = in_lesson(lesson, &setup, &instance, lesson.seed);
        while let Some(turn) = seating.turn() {
            if seating.awaited_outside_seat().is_none() {
                seating.make_automatic_move().unwrap();
                continue;
            }
            let says = coach.advice(&seating, &instance, InputMode::Lines).unwrap();
            let reply = if number < SECOND_COURSE {
                advised(&says, &turn.request, &instance)
            } else {
                let context = LessonContext {
                    seating: &seating,
                    instance: &instance,
                    input_mode: InputMode::Lines,
                    lesson,
                };
                advised_of_computation(&says, &context)
            };
            asked += 1;
            seating.reply(reply).unwrap();
        }
        let review = case.review(seating.moves(), Budget::default()).unwrap();
        let faults = review.faults().into_iter();
        let faults: Vec<_> = faults.map(|number| &review.steps[number]).collect();
        // Plain recursion leaves a guess.
        assert!(
            faults.is_empty() || lesson.rules.is_some(),
            "{}: {faults:?}",
            lesson.title
        );
        if number >= SECOND_COURSE {
            let payoff = Perspective::of_seat(lesson.user_seat()).value(seating.state().payoff());
            assert_eq!(
                payoff,
                Exact::ratio(1, 1),
                "{}: who does as told wins",
                lesson.title
            );
        }
    }
    assert!(asked > 24, "{asked}");
}

/// Plays rounds of the first lesson with these estimates. The coins of all parts except the last come up true, and
/// Alice recurses into the second part. Returns the text before the last coin.
fn comment_on(rounds: &[[i64; 4]]) -> String {
    let setup = Setup::bundled(FIRST_COURSE_SCENARIO, &Limits::default()).unwrap();
    let instance = setup.instance(0);
    let coach = Coach::lesson(0).unwrap();
    'seeds: for seed in 0..2000 {
        let (mut seating, _) =
            in_lesson(&TUTORIAL.lessons[0], &setup, &instance, &seed.to_string());
        let mut left = std::iter::once(0)
            .chain(rounds.iter().flatten().copied())
            .peekable();
        loop {
            if seating.awaited_outside_seat().is_some() {
                let p = Exact::ratio(left.next().unwrap(), 100);
                seating.reply(Reply::Probability(p)).unwrap();
                continue;
            }
            let coins = seating.log().coins_of_round();
            if coins.iter().take(3).any(|(_, value)| !value) {
                continue 'seeds;
            }
            let mut selected = seating
                .log()
                .entries()
                .iter()
                .rev()
                .filter_map(|entry| match entry.event {
                    Event::Selected { place, .. } => Some(place),
                    _ => None,
                });
            if selected.next().is_some_and(|place| place != 1) {
                continue 'seeds;
            }
            if left.peek().is_none() {
                return coach.advice(&seating, &instance, InputMode::Lines).unwrap();
            }
            seating.make_automatic_move().unwrap();
        }
    }
    panic!("no such coins in 2000 debates");
}

#[test]
fn comments_on_estimates_follow_from_them() {
    // 0.9⁴ = 0.6561, at a weight of 10 points.
    let alike = comment_on(&[[90, 90, 90, 90]]);
    assert!(
        alike.contains("make the claim 65.61 % likely, but you had said 0 %"),
        "{alike}"
    );
    assert!(
        alike.contains("having bet too low, she could expect +0.00656 of this round"),
        "{alike}"
    );
    let even = comment_on(&[[75, 67, 50, 0]]);
    assert!(
        even.contains("make the claim 0 % likely, and you had said 0 %"),
        "{even}"
    );
    let all_on_one = comment_on(&[[100, 100, 100, 0]]);
    assert!(all_on_one.contains("they agree"), "{all_on_one}");
    let nearly = comment_on(&[[75, 67, 50, 1]]);
    assert!(nearly.contains("they nearly agree"), "{nearly}");
}

/// After a text that the numbers agree, the next one must not state that they differ "again". A difference within the
/// tolerance of each number must also be tolerated here.
#[test]
fn comments_on_the_second_round_follow_from_both() {
    let near = comment_on(&[[75, 66, 50, 0], [91, 91, 90, 90]]);
    assert!(near.starts_with("After this coin"), "{near}");
    let off = comment_on(&[[75, 66, 50, 0], [99, 99, 99, 99]]);
    assert!(off.starts_with("Here your numbers differ"), "{off}");
    let both = comment_on(&[[90, 66, 90, 90], [99, 99, 99, 99]]);
    assert!(both.starts_with("Again your numbers differ"), "{both}");
}

/// Without a bicycle the game is lost at once. The lesson states this at every following question and explains how to
/// undo the choice.
#[test]
fn a_lost_game_is_announced_and_can_be_undone() {
    let number = TUTORIAL
        .lessons
        .iter()
        .position(|lesson| lesson.scenario == "qbf")
        .unwrap();
    let lesson = &TUTORIAL.lessons[number];
    let setup = lesson.setup().unwrap();
    let instance = setup.instance(0);
    let coach = Coach::lesson(number).unwrap();
    let map = keys::map().unwrap();
    for bicycle in [false, true] {
        let (mut seating, _) = in_lesson(lesson, &setup, &instance, lesson.seed);
        let mut asked = 0;
        while let Some(turn) = seating.turn() {
            if seating.awaited_outside_seat().is_none() {
                seating.make_automatic_move().unwrap();
                continue;
            }
            let says = coach
                .advice(&seating, &instance, InputMode::Keys(&map))
                .unwrap();
            assert_eq!(
                says.contains("lost"),
                !bicycle && asked > 0 && !says.contains("a clause fails"),
                "{says}"
            );
            let warned = says.ends_with("To undo your last reply: u.");
            assert_eq!(warned, !bicycle && asked > 0, "{says}");
            let lines = coach.advice(&seating, &instance, InputMode::Lines).unwrap();
            assert_eq!(
                lines.ends_with("To undo your last reply: type undo."),
                warned,
                "{lines}"
            );
            let context = LessonContext {
                seating: &seating,
                instance: &instance,
                input_mode: InputMode::Lines,
                lesson,
            };
            let reply = match &turn.request {
                Request::Bits { length: 1, .. } => Reply::Bits(Bits::from_iter([bicycle])),
                request => context
                    .advised_reply()
                    .unwrap_or_else(|| Reply::Bits(prepared_bits(&seating, request))),
            };
            seating.reply(reply).unwrap();
            asked += 1;
        }
        assert_eq!(asked, 5);
        assert_eq!(seating.state().payoff() > Exact::zero(), bicycle);
    }
}

/// Number words that texts may contain. "One" and "once" are ignored, because they count nothing that could be wrong.
const NUMBER_WORDS: [&str; 14] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "sixteen",
    "twice", "half", "hundred",
];

/// Returns the figures of a text: words with a digit, and number words. Slots are excluded, because they are computed
/// from the debate.
fn figures_in(text: &str) -> Vec<String> {
    let mut fixed = String::new();
    for (number, piece) in text.split('{').enumerate() {
        let rest = piece.split_once('}').map_or(piece, |(_, after)| after);
        fixed.push_str(if number == 0 { piece } else { rest });
        fixed.push(' ');
    }
    let words = fixed.to_lowercase();
    let parts = |c: char| !(c.is_alphanumeric() || "+−".contains(c));
    let words = words
        .split(parts)
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()) || NUMBER_WORDS.contains(word));
    words.map(str::to_owned).collect()
}

#[test]
fn every_figure_in_a_sentence_follows_from_the_rules() {
    let setup = Setup::bundled(FIRST_COURSE_SCENARIO, &Limits::default()).unwrap();
    let instance = setup.instance(0);
    let start = setup.protocol.start::<Exact>(&instance).unwrap();
    let schedule = start.schedule();
    let mut weights: Vec<Exact> = schedule.iter().map(|(_, weight)| weight.clone()).collect();
    weights.sort();
    let one = Exact::ratio(1, 1);
    let ten = Exact::ratio(10, 1);
    let grows = weights.windows(2).all(|pair| &pair[0] * &ten == pair[1]);
    let parts = |claim: ClaimId| instance.supports(claim)[0].on.clone();
    let leaves = parts(instance.root()).into_iter().flat_map(parts).count();
    let rounds = schedule.iter().filter_map(|(round, _)| match round {
        Round::Number(k) => Some(*k),
        Round::Initial => None,
    });
    let holds = |figure: &str| match figure {
        "323" => instance.text(instance.root()).contains("323"),
        // A test of the sentences computes the last number.
        "17" | "19" | "680" | "233" => 17 * 19 == 323,
        // "Type 0", "0 % was right", "M is … else 0".
        "0" => instance.truth(instance.root()) == Some(false),
        "+1" => Bet::TooLow.sign() == 1,
        "−1" => Bet::TooHigh.sign() == -1,
        // "M is 1", "the last stake is 1".
        "1" => weights.last() == Some(&one) && Exact::indicator(true) == one,
        "2" => rounds.clone().max() == Some(2),
        "ten" => grows,
        "sixteen" | "16" => leaves == 16,
        "15" => leaves - 1 == 15,
        "319" => {
            let setup = TUTORIAL.lessons[COMPARISON_LESSON].setup().unwrap();
            let instance = setup.instance(0);
            instance.text(instance.root()).contains("319")
        }
        // "Two sets of rules" are compared.
        "two" => COMPARISON_OPPONENTS.len() == 2,
        _ => false,
    };
    let steps = TUTORIAL.lessons.iter().flat_map(|lesson| &lesson.steps);
    let texts = steps.map(|step| step.text);
    let mut count = 0;
    for text in texts.chain([TUTORIAL.differs, TUTORIAL.after, TUTORIAL.done]) {
        for figure in figures_in(text) {
            assert!(holds(&figure), "{figure}: {text}");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

/// Returns a reply that depends on a number.
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
        Request::Challenge { steps, .. } => {
            let step = steps.start + number as u64 % (steps.end - steps.start);
            Reply::Challenge((!number.is_multiple_of(3)).then_some(step))
        }
        Request::Bits { length, .. } => {
            let few = 1_u64 << (*length).min(16);
            Reply::Bits(Bits::low_bits_of_number(number as u64 % few, *length))
        }
        _ => panic!("{request:?}"),
    }
}

#[test]
fn every_question_has_a_comment_for_any_reply() {
    let registry = Registry::with_builtin_players();
    let map = keys::map().unwrap();
    let input_mode = InputMode::Keys(&map);
    for (number, lesson) in TUTORIAL.lessons.iter().enumerate() {
        let coach = Coach::lesson(number).unwrap();
        let setup = lesson.setup().unwrap();
        let instance = setup.instance(0);
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
                if seating.awaited_outside_seat().is_none() {
                    seating.make_automatic_move().unwrap();
                    continue;
                }
                let says = coach.advice(&seating, &instance, input_mode);
                assert!(says.is_some(), "lesson {number}, seed {seed}: {turn:?}");
                let moves = seating.moves().len();
                let reply = any_reply(&turn.request, seed * 7 + moves * (seed + 1));
                seating.reply(reply).unwrap();
            }
            let says = coach.advice(&seating, &instance, input_mode);
            assert!(says.is_some_and(|says| says.ends_with("Press enter.")));
        }
    }
}
