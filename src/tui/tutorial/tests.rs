use num_traits::{Signed as _, Zero as _};

use super::*;
use crate::tui::keys;
use debate_core::bits::BitString;
use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::player::{Player, PlayerSpec, StrategyMemoryAndCosts, StrategyRegistry};
use debate_core::protocol::{Bet, BitsMeaning, Reply, Request, Rules as _, Seat, View};
use debate_core::scenario::ClaimId;
use debate_solver::analysis::review::ReviewContext;
use debate_solver::expectimax::{ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::setup::LoadedScenario;
use debate_text::{PartialSubclaimEstimates, PayoffUnit, ViewerPerspective, prepared_reply_bits};

/// The index of the second course's first debate.
const SECOND_COURSE: usize = COMPARISON_LESSON + COMPARISON_OPPONENTS.len();

/// The knowledge that Bob has in the lessons, used in the way that they teach, leaves the liar nothing.
#[test]
fn consistent_numbers_break_even_against_the_liar() {
    for number in [0, COMPARISON_LESSON + 1] {
        let lesson = &TUTORIAL.lessons[number];
        let setup = lesson.lesson_scenario().unwrap();
        let instance = setup.instance(setup.requested_world.unwrap());
        let expected = |opponent: &str| {
            let registry = StrategyRegistry::registry_with_builtin_players();
            let build = |seat: Seat, name: &str| {
                let spec = PlayerSpec::parse(name).unwrap();
                let built = registry.build(&spec, seat, &instance, &setup.protocol);
                built.unwrap()
            };
            let [prover, _, judge] = lesson.players;
            let alice = build(Seat::Prover, prover);
            let bob = build(Seat::Opponent, opponent);
            let judge = build(Seat::Judge, judge);
            let actors = [&alice, &bob, &judge].map(|player| SeatDecisionMaker::Plays(&**player));
            let budget = ComputationBudget {
                steps: 10_000_000,
                ..ComputationBudget::default()
            };
            let start = setup.protocol.start::<Exact>(&instance).unwrap();
            let value = ExhaustiveExpectimax::new(&start, actors, budget)
                .expectation_from_state(start.clone());
            value.unwrap().expected_payoff()
        };
        assert_eq!(expected(COMPARISON_OPPONENTS[1]), Exact::zero());
        // The result is not obvious: an opponent that believes almost everything does not break even.
        assert_ne!(expected("stubborn(0.9)"), Exact::zero());
    }
}

#[test]
fn every_name_in_the_lessons_is_known() {
    let tutorial: TutorialTexts = ron::from_str(include_str!("lessons.ron")).unwrap();
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
        "on",
        "next",
        "send",
        "retry",
        "panel",
        "mistake",
        "low",
        "high",
        "sealed",
        "coin",
        "middle",
        "first",
        "last",
        "own",
        "p",
        "weight",
        "claim",
        "truth",
        "bet",
        "implied",
        "gap",
        "nogap",
        "side",
        "earned",
        "allearned",
        "repeated",
        "betearned",
        "right",
        "certain",
        "coinspaid",
        "paid",
        "payoff",
    ];
    for step in tutorial.lessons.iter().flat_map(|lesson| &lesson.steps) {
        for when in &step.when {
            if let LessonTextCondition::Asked(name) | LessonTextCondition::Awaited(name) = when {
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
fn steps_with_figures_without_a_value_are_skipped() {
    let setup = TUTORIAL.lessons[0].lesson_scenario().unwrap();
    let instance = setup.instance(0);
    let start = setup.protocol.start(&instance).unwrap();
    let seed = Seed::new("7").unwrap();
    let players = [Player::Outside, Player::Outside, Player::Outside];
    let seating = SeatedDebate::new(start, players, &seed, 0);
    let context = LessonContext {
        seating: &seating,
        instance: &instance,
        input_mode: LineOrKeyInputMode::Lines,
        lesson: &TUTORIAL.lessons[0],
    };
    for slot in ["p", "truth", "gap", "bet", "paid", "nonsense"] {
        assert_eq!(
            context.fill_lesson_text_placeholders(&format!("So {{{slot}}}.")),
            None
        );
    }
    assert_eq!(
        context.fill_lesson_text_placeholders("So."),
        Some("So.".to_owned())
    );
    assert!(LessonTexts::texts_of_lesson_debate(TUTORIAL.lessons.len()).is_none());
}

/// Returns the most likely reply of the honest player to the user's request.
fn honest_reply(
    seating: &SeatedDebate<'_, Exact>,
    instance: &Instance,
    lesson: &Lesson,
) -> Option<Reply<Exact>> {
    let seat = seating.awaited_seat_of_user_or_driving_program()?;
    let turn = seating.turn()?;
    let setup = lesson.lesson_scenario().ok()?;
    let honest = PlayerSpec::without_arguments(REFERENCE_PROVER);
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    let player = registry.build(&honest, seat, instance, &setup.protocol);
    let view = View::new(seating.state(), seat);
    let mut state = StrategyMemoryAndCosts::default();
    let chosen = player.ok()?.choose(view, &turn.request, &mut state)?;
    let replies = chosen.weighted_replies()?.into_iter();
    let likeliest = replies.max_by(|one, other| one.0.cmp(&other.0));
    likeliest.map(|(_, reply)| reply)
}

/// Returns a good reply: the even share for Bob, the largest error for Alice, the honest player's reply elsewhere.
fn good_reply(
    seating: &SeatedDebate<'_, Exact>,
    instance: &Instance,
    lesson: &Lesson,
) -> Reply<Exact> {
    let turn = seating.turn().unwrap();
    let log = seating.log();
    match &turn.request {
        Request::Probability { place: None, .. } => Reply::Probability(Exact::zero()),
        Request::Probability { .. } => {
            let given = PartialSubclaimEstimates::incomplete_estimates_of_last_split(instance, log)
                .unwrap();
            Reply::Probability(given.fit.estimate_sharing_doubt_evenly())
        }
        Request::Direction { .. } => Reply::Direction(Bet::TooHigh),
        Request::Support { .. } => Reply::Support(0),
        Request::Select { claim, .. } if lesson.user_seat() == Seat::Prover => {
            let on = &instance.supports(*claim)[0].on;
            let is_false = |part: &ClaimId| instance.truth(*part) == Some(false);
            Reply::Select(u32::try_from(on.iter().position(is_false).unwrap()).unwrap())
        }
        Request::Oracle { claim } => Reply::Oracle {
            holds: instance.truth(*claim).unwrap(),
            confidence: None,
        },
        Request::Bits {
            ask: BitsMeaning::Transcript { .. },
            ..
        } => Reply::Bits(prepared_reply_bits(seating, &turn.request)),
        // Plain recursion leaves a guess.
        Request::Select { .. } if lesson.rules.is_some() => Reply::Select(0),
        Request::Answer { claim } => Reply::Answer(instance.truth(*claim).unwrap()),
        _ => honest_reply(seating, instance, lesson).unwrap_or_else(|| panic!("{turn:?}")),
    }
}

/// Starts a lesson with its players, an open seat for the user, and the inputs for hints.
fn in_lesson<'a>(
    lesson: &Lesson,
    setup: &LoadedScenario,
    instance: &'a Instance,
    seed: &str,
) -> (SeatedDebate<'a, Exact>, ReviewContext) {
    let registry = StrategyRegistry::registry_with_builtin_players();
    let specs = lesson.players.map(|name| PlayerSpec::parse(name).unwrap());
    let players = Seat::PLAYERS.map(|seat| {
        let spec = &specs[seat.seat_index()];
        if spec.is_human() {
            return Player::Outside;
        }
        let built = registry.build(spec, seat, instance, &setup.protocol);
        Player::Builtin(built.unwrap())
    });
    let mut own =
        Seat::PLAYERS.map(|seat| PlayerSpec::parse(setup.players.text_of_seat(seat)?).ok());
    own[Seat::Prover.seat_index()] = Some(PlayerSpec::without_arguments(REFERENCE_PROVER));
    let case = ReviewContext::new(instance, &setup.protocol, specs, own, registry);
    let start = setup.protocol.start(instance).unwrap();
    let seating = SeatedDebate::new(start, players, &Seed::new(seed).unwrap(), 0);
    (seating, case)
}

/// The finished debate of a lesson.
struct PlayedLesson {
    /// The words of all texts, in the order in which they were shown.
    texts: Vec<String>,
    /// The number of the user's replies.
    replies: usize,
    payoff: Exact,
    /// The faults that the review names.
    faults: Vec<String>,
}

/// Plays a lesson to its end with these replies.
fn played(
    number: usize,
    choose: impl Fn(&SeatedDebate<'_, Exact>, &Instance, &Lesson) -> Reply<Exact>,
) -> PlayedLesson {
    let lesson = &TUTORIAL.lessons[number];
    let setup = lesson.lesson_scenario().unwrap();
    let seed = Seed::new(lesson.seed).unwrap();
    let instance = setup.instance(setup.world_of_debate(&seed, 0));
    let coach = LessonTexts::texts_of_lesson_debate(number).unwrap();
    let map = keys::default_key_map().unwrap();
    let (mut seating, case) = in_lesson(lesson, &setup, &instance, lesson.seed);
    let mut texts = Vec::new();
    let mut replies = 0;
    loop {
        let text = coach.advice(
            &seating,
            &instance,
            LineOrKeyInputMode::Keys(&map, PayoffUnit::Points),
        );
        texts.extend(text.filter(|text| texts.last() != Some(text)));
        if seating.turn().is_none() {
            break;
        }
        if seating.awaited_seat_of_user_or_driving_program().is_none() {
            seating.make_automatic_move().unwrap();
            continue;
        }
        let reply = choose(&seating, &instance, lesson);
        replies += 1;
        seating.reply(reply).unwrap();
    }
    let review = case
        .review_moves(seating.moves(), ComputationBudget::default())
        .unwrap();
    let faults = review.moves_with_greatest_faults().into_iter();
    let faults = faults.map(|at| format!("{:?}", review.steps[at])).collect();
    PlayedLesson {
        texts,
        replies,
        payoff: seating.state().payoff(),
        faults,
    }
}

/// Returns 90 % for every subclaim, and else good replies.
fn ninety(seating: &SeatedDebate<'_, Exact>, instance: &Instance, lesson: &Lesson) -> Reply<Exact> {
    match seating.turn().unwrap().request {
        Request::Probability { place: Some(_), .. } => Reply::Probability(Exact::ratio(9, 10)),
        _ => good_reply(seating, instance, lesson),
    }
}

#[test]
fn all_lessons_take_at_most_twelve_minutes() {
    const WORDS_PER_MINUTE: usize = 200;
    const SECONDS_PER_REPLY: usize = 10;
    for choose in [good_reply, ninety] {
        let (mut words, mut replies) = (0, 0);
        let mut count = |text: &str| words += text.split_whitespace().count();
        for number in 0..TUTORIAL.lessons.len() {
            let played = played(number, choose);
            played.texts.iter().for_each(|text| count(text));
            replies += played.replies;
        }
        let pages = [
            TUTORIAL.differs,
            TUTORIAL.measures,
            TUTORIAL.costs,
            TUTORIAL.after,
            TUTORIAL.done,
            TUTORIAL.second_done,
        ];
        for text in pages {
            count(text);
        }
        let table = TUTORIAL.average_loss_table_by_estimates();
        for text in &table {
            count(text);
        }
        let seconds = words * 60 / WORDS_PER_MINUTE + replies * SECONDS_PER_REPLY;
        assert!(seconds <= 12 * 60, "{words} words, {replies} replies");
        assert!(
            words > 800 && replies > 24,
            "{words} words, {replies} replies"
        );
    }
}

/// Good replies are no faults, and win the debates about computations.
#[test]
fn good_replies_make_no_fault() {
    for (number, lesson) in TUTORIAL.lessons.iter().enumerate() {
        let played = played(number, good_reply);
        // Plain recursion leaves a guess.
        assert!(
            played.faults.is_empty() || lesson.rules.is_some(),
            "{}: {:?}",
            lesson.title,
            played.faults
        );
        if number >= SECOND_COURSE {
            let payoff = ViewerPerspective::of_seat(lesson.user_seat()).value(played.payoff);
            assert_eq!(payoff, Exact::ratio(1, 1), "{}", lesson.title);
        }
    }
}

/// Luck is about even in the lessons in which the user estimates: careful numbers lose nothing in that very debate, and
/// careless ones lose.
#[test]
fn careful_numbers_lose_nothing_in_a_lesson_and_careless_ones_do() {
    for number in [0, COMPARISON_LESSON + 1] {
        let bob = ViewerPerspective::of_seat(Seat::Opponent);
        let careful = bob.value(played(number, good_reply).payoff);
        let careless = bob.value(played(number, ninety).payoff);
        assert!(careful >= Exact::zero(), "{number}: {careful}");
        // A tenth of the largest stake.
        assert!(careful <= Exact::ratio(1, 10), "{number}: {careful}");
        assert!(careless < Exact::zero(), "{number}: {careless}");
    }
}

/// In the game of a formula, Bob's choices differ from day to day, so that the user's replies must differ too.
#[test]
fn bob_chooses_other_values_on_each_day_of_the_formula_game() {
    let number = TUTORIAL
        .lessons
        .iter()
        .position(|lesson| lesson.scenario == "qbf");
    let days = std::cell::RefCell::new(Vec::new());
    played(number.unwrap(), |seating, instance, lesson| {
        let values = seating.log().chosen_variable_values();
        // After the bicycle, a day has five values, of which Bob chooses the first two.
        let bobs = values.iter().skip(1).collect::<Vec<_>>();
        *days.borrow_mut() = bobs
            .chunks(5)
            .map(|day| [*day[0], *day[1]])
            .collect::<Vec<_>>();
        good_reply(seating, instance, lesson)
    });
    let days = days.into_inner();
    assert_eq!(days.len(), 3);
    for (index, day) in days.iter().enumerate() {
        assert!(!days[..index].contains(day), "{days:?}");
        assert!(
            day.contains(&true),
            "a day without rain and strike is no task: {days:?}"
        );
    }
}

/// Only the first question of the first lesson names its reply.
#[test]
fn lessons_ask_for_numbers_and_do_not_dictate_them() {
    let mut named = 0;
    for lesson in &TUTORIAL.lessons {
        for step in &lesson.steps {
            let asks = step.when.iter();
            let asks = asks
                .filter(|when| matches!(when, LessonTextCondition::Asked(_)))
                .count();
            let is_dictated = ["Type ", "Send it", "bet that", "answer no", "answer yes"];
            if asks > 0 && is_dictated.iter().any(|words| step.text.contains(words)) {
                named += 1;
            }
        }
    }
    assert_eq!(named, 1);
}

/// Plays the first lesson with these estimates, and returns the texts after each of them.
fn consequences(estimates: &[i64]) -> Vec<String> {
    let left = std::cell::RefCell::new(estimates.iter());
    let played = played(0, |seating, instance, lesson| {
        match seating.turn().unwrap().request {
            Request::Probability { .. } => {
                let next = left.borrow_mut().next();
                Reply::Probability(Exact::ratio(*next.unwrap(), 100))
            }
            _ => good_reply(seating, instance, lesson),
        }
    });
    played.texts
}

#[test]
fn consequences_of_estimates_are_computed_from_them() {
    let shown = |texts: &[String], wanted: &str| {
        let found = texts.iter().any(|text| text.contains(wanted));
        assert!(found, "{wanted}\n{texts:#?}");
    };
    // 0.9⁴ = 0.6561, at a stake of 10 points.
    let alike = consequences(&[0, 90, 90, 90, 90]);
    shown(
        &alike,
        "make the claim 65.61 % likely, not 0 %. The gap is 65.61 percentage points, the stake 10 points: “too low” \
         earns Alice +6.56 points on average. Press enter, or u to retry.",
    );
    shown(
        &alike,
        "Before any coin, your gap was worth +6.56 points to a right bet",
    );
    let even = consequences(&[0, 90, 90, 90, 0]);
    shown(&even, "make the claim 0 % likely, as you said: no gap");
    shown(&even, "Your numbers left no gap to bet on.");
    assert!(!even.iter().any(|text| text.contains("percentage points")));
    let nearly = consequences(&[1, 90, 90, 90, 2]);
    shown(&nearly, "as you said: almost no gap,");
    // A first number other than 0 leaves a gap of its own kind.
    let believed = consequences(&[60, 50, 50, 50, 50]);
    shown(&believed, "You gave 60 %, but one box is empty.");
    shown(&believed, "“too high” earns Alice +1 point on average");
    // An early gap is reported at once, and the last number cannot close it.
    shown(
        &believed,
        "make the claim at most 50 % likely, not 60 %. The gap is 10 percentage points",
    );
}

/// The consequences that Alice reads before the coins are the averages of her bets.
#[test]
fn averages_of_bets_shown_to_alice_equal_those_of_the_players() {
    let lesson = &TUTORIAL.lessons[1];
    let texts = played(1, good_reply).texts;
    let all = texts.join("\n");
    // 0.9 − 0.9⁴ = 0.2439 of 10 points, and 0.9 of 100.
    for wanted in [
        "make the claim 65.61 % likely, not 90 %. At a stake of 10 points, your bet “too high” earns +2.44 points on average",
        "instead of +2.44 points: luck",
        "“box 3 is full” is false, and Bob said 90 %. The right bet earns +90 points for certain, the most of the four boxes.",
        "You bet “too high” on a claim that is false: that earns +90 points.",
    ] {
        assert!(all.contains(wanted), "{wanted}\n{all}");
    }
    let setup = lesson.lesson_scenario().unwrap();
    let instance = setup.instance(setup.requested_world.unwrap());
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    let players =
        ["honest", lesson.players[1], "oracle"].map(|name| PlayerSpec::parse(name).unwrap());
    let solver = debate_solver::analysis::DebateSolutionInputs {
        registry: &registry,
        protocol: &setup.protocol,
        players: &players,
        grid: &[],
    };
    let solution = solver
        .solve(&instance, ComputationBudget::default())
        .unwrap();
    let expected = solution.expected.expected_payoff();
    // Honest Alice's answer is paid 1 point with probability 0.1.
    let parts = Exact::ratio(1, 1000) + Exact::ratio(2439, 100_000) + Exact::ratio(9, 10);
    assert_eq!(expected, parts);
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
    let setup = lesson.lesson_scenario().unwrap();
    let instance = setup.instance(0);
    let coach = LessonTexts::texts_of_lesson_debate(number).unwrap();
    let map = keys::default_key_map().unwrap();
    for bicycle in [false, true] {
        let (mut seating, _) = in_lesson(lesson, &setup, &instance, lesson.seed);
        let mut asked = 0;
        while let Some(turn) = seating.turn() {
            if seating.awaited_seat_of_user_or_driving_program().is_none() {
                seating.make_automatic_move().unwrap();
                continue;
            }
            let says = coach
                .advice(
                    &seating,
                    &instance,
                    LineOrKeyInputMode::Keys(&map, PayoffUnit::Points),
                )
                .unwrap();
            assert_eq!(
                says.contains("lost"),
                !bicycle && asked > 0 && !says.contains("a clause fails"),
                "{says}"
            );
            let warned = says.ends_with("Press u to retry.");
            assert_eq!(warned, !bicycle && asked > 0, "{says}");
            let lines = coach
                .advice(&seating, &instance, LineOrKeyInputMode::Lines)
                .unwrap();
            assert_eq!(lines.ends_with("Type undo to retry."), warned, "{lines}");
            let reply = match &turn.request {
                Request::Bits { length: 1, .. } => Reply::Bits(BitString::from_iter([bicycle])),
                request => honest_reply(&seating, &instance, lesson)
                    .unwrap_or_else(|| Reply::Bits(prepared_reply_bits(&seating, request))),
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
    let setup = TUTORIAL.lessons[0].lesson_scenario().unwrap();
    let instance = setup.instance(setup.requested_world.unwrap());
    let start = setup.protocol.start::<Exact>(&instance).unwrap();
    let schedule = start.schedule();
    let mut weights: Vec<Exact> = schedule.iter().map(|(_, weight)| weight.clone()).collect();
    weights.sort();
    let ten = Exact::ratio(10, 1);
    let grows = weights.windows(2).all(|pair| &pair[0] * &ten == pair[1]);
    let boxes = &instance.supports(instance.root())[0].on;
    let last = TUTORIAL.lessons.last().unwrap().lesson_scenario().unwrap();
    let stochastic = last.protocol.to_string();
    let formula = TUTORIAL
        .lessons
        .iter()
        .find(|lesson| lesson.scenario == "qbf");
    let formula = formula.unwrap().lesson_scenario().unwrap().instance(0);
    let verifier_gates = formula
        .formula()
        .map(|formula| formula.matrix_as_circuit().gate_count());
    let holds = |figure: &str| match figure {
        // "Type 0".
        "0" => instance.truth(instance.root()) == Some(false),
        "ten" => grows,
        // "Box 3 is empty", "3 times in 4".
        "3" => instance.truth(boxes[2]) == Some(false) && boxes.len() - 1 == 3,
        // The gates of the formula's verifier.
        "32" => verifier_gates == Some(32),
        // "One half", "halved": two groups of two boxes.
        "4" | "four" | "half" => boxes.len() == 4,
        // "0 or 100 %": the truths of a claim.
        "100" => format_percent(Exact::ratio(1, 1).to_float()) == "100 %",
        // Nine people vote, and 40 points decide.
        "nine" => stochastic.contains("size: 9"),
        "40" => stochastic.contains("threshold: 0.4)"),
        "90" => TUTORIAL.lessons[1].players[1] == "stubborn(0.9)",
        // "Two sets of rules", "two halves".
        "two" => COMPARISON_OPPONENTS.len() == 2,
        // "Three figures": consistency, knowledge and luck.
        "three" => TUTORIAL.measures.matches(": ").count() == 3,
        // A test of the sentences computes the costs; it is about estimates under one half.
        "50" => TUTORIAL.costs.contains("under 50 %"),
        _ => false,
    };
    let steps = TUTORIAL.lessons.iter().flat_map(|lesson| &lesson.steps);
    let texts = steps.map(|step| step.text);
    let mut count = 0;
    for text in texts.chain([
        TUTORIAL.differs,
        TUTORIAL.measures,
        TUTORIAL.costs,
        TUTORIAL.after,
        TUTORIAL.done,
    ]) {
        for figure in figures_in(text) {
            assert!(holds(&figure), "{figure}: {text}");
            count += 1;
        }
    }
    assert!(count > 15, "{count}");
}

/// Returns a reply that depends on a number.
fn any_reply(request: &Request<Exact>, number: usize) -> Reply<Exact> {
    let index = u32::try_from(number).unwrap();
    match request {
        Request::Answer { .. } => Reply::Answer(number.is_multiple_of(2)),
        Request::Probability { .. } => {
            let quarters = i64::try_from(number % 5).unwrap();
            Reply::Probability(Exact::ratio(quarters, 4))
        }
        Request::Direction { .. } => Reply::Direction(Bet::ALL[number % 3]),
        Request::Support { offered, .. } => Reply::Support(index % offered),
        Request::Select { count, .. } => Reply::Select(index % count),
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
            Reply::Bits(BitString::low_bits_of_number(number as u64 % few, *length))
        }
        _ => panic!("{request:?}"),
    }
}

#[test]
fn every_question_has_a_comment_for_any_reply() {
    let registry = StrategyRegistry::registry_with_builtin_players();
    let map = keys::default_key_map().unwrap();
    let input_mode = LineOrKeyInputMode::Keys(&map, PayoffUnit::Points);
    for (number, lesson) in TUTORIAL.lessons.iter().enumerate() {
        let coach = LessonTexts::texts_of_lesson_debate(number).unwrap();
        let setup = lesson.lesson_scenario().unwrap();
        let instance = setup.instance(setup.requested_world.unwrap_or(0));
        for seed in 0..60_usize {
            let players = Seat::PLAYERS.map(|seat| {
                let spec = PlayerSpec::parse(lesson.players[seat.seat_index()]).unwrap();
                if spec.is_human() {
                    return Player::Outside;
                }
                let built = registry.build(&spec, seat, &instance, &setup.protocol);
                Player::Builtin(built.unwrap())
            });
            let start = setup.protocol.start(&instance).unwrap();
            let named = Seed::new(seed.to_string().as_str()).unwrap();
            let mut seating = SeatedDebate::new(start, players, &named, 0);
            while let Some(turn) = seating.turn() {
                if seating.awaited_seat_of_user_or_driving_program().is_none() {
                    seating.make_automatic_move().unwrap();
                    continue;
                }
                // The screen sends an only choice itself.
                if let Some(only) = turn.request.only_listed_choice() {
                    seating.reply(only).unwrap();
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

/// A statement in a lesson's text that depends on the user's choices.
struct StatementInText {
    /// Words of the text that make the statement.
    words: &'static str,
    /// True if the statement is true in this debate.
    holds: fn(&SeatedDebate<'_, Exact>, &Instance) -> bool,
}

/// Returns the step at which the user pointed; `None` if the user pointed at none.
fn challenged_step(seating: &SeatedDebate<'_, Exact>) -> Option<u64> {
    let end = seating.log().entries().len();
    seating.log().last_challenge_with_verifier_flag(end)?.0
}

/// True if the values that were chosen so far leave Alice a way to win the game of a formula.
fn is_formula_won(seating: &SeatedDebate<'_, Exact>, instance: &Instance) -> bool {
    let formula = instance.formula().unwrap();
    let values = seating.log().chosen_variable_values();
    formula.solve_position(&values).unwrap().holds
}

/// True if the claim with which the debate continued last is false.
fn is_selected_claim_false(seating: &SeatedDebate<'_, Exact>, instance: &Instance) -> bool {
    instance.truth(seating.log().last_selected_claim().unwrap()) == Some(false)
}

fn last_coin(seating: &SeatedDebate<'_, Exact>) -> Option<bool> {
    seating.log().subclaim_estimates().last()?.coin
}

const STATEMENTS: [StatementInText; 19] = [
    StatementInText {
        words: "instead of",
        holds: |seating, _| seating.log().last_bet() != Some(Bet::AboutRight),
    },
    StatementInText {
        words: "You bet “about right”, so",
        holds: |seating, _| seating.log().last_bet() == Some(Bet::AboutRight),
    },
    StatementInText {
        words: "most of it from the last box",
        holds: |seating, _| {
            let last = seating.log().paid_rewards().last().unwrap();
            let half = seating.state().payoff() * Exact::ratio(1, 2);
            half > Exact::zero() && last.payment_to_prover() > half
        },
    },
    StatementInText {
        words: "the most of the four boxes",
        holds: |seating, instance| {
            let error = |claim: ClaimId, p: &Exact| {
                (Exact::indicator(instance.truth(claim).unwrap()) - p).abs()
            };
            let (chosen, p) = seating.log().current_claim_estimate().unwrap();
            let estimates = seating.log().subclaim_estimates();
            let mut others = estimates.iter().map(|given| error(given.claim, given.p));
            others.all(|other| other <= error(chosen, p))
        },
    },
    StatementInText {
        words: "A coin came up no",
        holds: |seating, _| {
            let estimates = seating.log().subclaim_estimates();
            estimates.iter().any(|given| given.coin == Some(false))
        },
    },
    StatementInText {
        words: "The coin came up yes",
        holds: |seating, _| last_coin(seating) == Some(true),
    },
    StatementInText {
        words: "Right: you looked into one box",
        holds: |seating, instance| {
            let (claim, answer) = seating.log().last_judge_verdict().unwrap();
            instance.truth(claim) == Some(answer)
        },
    },
    StatementInText {
        words: "The box was empty",
        holds: |seating, instance| {
            let (claim, answer) = seating.log().last_judge_verdict().unwrap();
            answer && instance.truth(claim) == Some(false)
        },
    },
    StatementInText {
        words: "Your guess was right",
        holds: is_selected_claim_false,
    },
    StatementInText {
        words: "The empty box is elsewhere",
        holds: |seating, instance| !is_selected_claim_false(seating, instance),
    },
    StatementInText {
        words: "You lost, as a guess does",
        holds: |seating, _| seating.state().payoff() > Exact::zero(),
    },
    StatementInText {
        words: "That was luck",
        holds: |seating, _| seating.state().payoff() < Exact::zero(),
    },
    StatementInText {
        words: "That step is not the error",
        holds: |seating, _| challenged_step(seating).is_some(),
    },
    StatementInText {
        words: "You pointed at no step",
        holds: |seating, _| challenged_step(seating).is_none(),
    },
    StatementInText {
        words: "lost now",
        holds: |seating, instance| !is_formula_won(seating, instance),
    },
    StatementInText {
        words: "Every clause holds",
        holds: is_formula_won,
    },
    StatementInText {
        words: "A clause failed",
        holds: |seating, instance| !is_formula_won(seating, instance),
    },
    StatementInText {
        words: "you wrote a wrong bit",
        holds: |seating, instance| {
            is_formula_won(seating, instance) && seating.state().payoff() < Exact::zero()
        },
    },
    StatementInText {
        words: "No number was checked",
        holds: |seating, _| seating.log().last_ones_and_sample_counts().is_none(),
    },
];

/// Returns replies to the user's request that differ in everything that a lesson's text can depend on.
fn different_replies(seating: &SeatedDebate<'_, Exact>) -> Vec<Reply<Exact>> {
    let turn = seating.turn().unwrap();
    match &turn.request {
        Request::Answer { .. } => [true, false].map(Reply::Answer).into(),
        // Certain numbers decide the coins, so each coin comes up yes in one play and no in another.
        Request::Probability { .. } => [0, 1]
            .map(|p| Reply::Probability(Exact::ratio(p, 1)))
            .into(),
        Request::Direction { .. } => Bet::ALL.map(Reply::Direction).into(),
        Request::Select { count, .. } => (0..*count).map(Reply::Select).collect(),
        Request::Oracle { .. } => [true, false]
            .map(|holds| Reply::Oracle {
                holds,
                confidence: None,
            })
            .into(),
        Request::Challenge { steps, .. } => std::iter::once(None)
            .chain(steps.clone().map(Some))
            .map(Reply::Challenge)
            .collect(),
        Request::Bits {
            ask: BitsMeaning::Transcript { .. },
            ..
        } => {
            let prepared = prepared_reply_bits(seating, &turn.request);
            vec![
                Reply::Bits(prepared.with_bit_flipped(0)),
                Reply::Bits(prepared),
            ]
        }
        // A day: at home, by bus, by bicycle without and with the coat.
        Request::Bits { length: 3, .. } => [0b000, 0b010, 0b001, 0b101]
            .map(|day| Reply::Bits(BitString::low_bits_of_number(day, 3)))
            .into(),
        Request::Bits { length, .. } => (0..1_u64 << *length)
            .map(|bits| Reply::Bits(BitString::low_bits_of_number(bits, *length)))
            .collect(),
        request => panic!("{request:?}"),
    }
}

/// Plays a lesson with every combination of [`different_replies`], and shows the text at each state after the last
/// reply.
fn for_each_text(number: usize, visit: &mut dyn FnMut(&SeatedDebate<'_, Exact>, &Instance, &str)) {
    let lesson = &TUTORIAL.lessons[number];
    let setup = lesson.lesson_scenario().unwrap();
    let seed = Seed::new(lesson.seed).unwrap();
    let instance = setup.instance(setup.world_of_debate(&seed, 0));
    let coach = LessonTexts::texts_of_lesson_debate(number).unwrap();
    let map = keys::default_key_map().unwrap();
    let input_mode = LineOrKeyInputMode::Keys(&map, PayoffUnit::Points);
    let mut open: Vec<Vec<Reply<Exact>>> = vec![Vec::new()];
    while let Some(replies) = open.pop() {
        let (mut seating, _) = in_lesson(lesson, &setup, &instance, lesson.seed);
        let mut left = replies.iter();
        loop {
            let is_asked = seating.awaited_seat_of_user_or_driving_program().is_some();
            // The screen sends an only choice itself.
            let turn = seating.turn().filter(|_| is_asked);
            if let Some(only) = turn.and_then(|turn| turn.request.only_listed_choice()) {
                seating.reply(only).unwrap();
                continue;
            }
            let next = if is_asked { left.next() } else { None };
            if left.len() == 0
                && next.is_none()
                && let Some(text) = coach.advice(&seating, &instance, input_mode)
            {
                visit(&seating, &instance, &text);
            }
            if seating.turn().is_none() {
                break;
            }
            if !is_asked {
                seating.make_automatic_move().unwrap();
                continue;
            }
            let Some(reply) = next else {
                let more = different_replies(&seating).into_iter();
                open.extend(more.map(|reply| [&replies[..], &[reply]].concat()));
                break;
            };
            seating.reply(reply.clone()).unwrap();
        }
    }
}

/// The texts of a lesson are true whatever the user chooses.
#[test]
fn every_text_is_true_for_every_choice_of_the_user() {
    let mut seen = [0; STATEMENTS.len()];
    for number in 0..TUTORIAL.lessons.len() {
        for_each_text(number, &mut |seating, instance, text| {
            for (seen, statement) in seen.iter_mut().zip(&STATEMENTS) {
                if text.contains(statement.words) {
                    *seen += 1;
                    let holds = (statement.holds)(seating, instance);
                    assert!(holds, "{text}\n{:?}", seating.moves());
                }
            }
        });
    }
    for (seen, statement) in seen.iter().zip(&STATEMENTS) {
        assert!(*seen > 0, "no text says: {}", statement.words);
    }
}

/// The text of a lost game names the choice before which the game was won.
#[test]
fn a_lost_game_names_the_choice_that_lost_it() {
    let mut lessons = TUTORIAL.lessons.iter();
    let number = lessons.position(|lesson| lesson.scenario == "qbf").unwrap();
    let mut named = std::collections::BTreeSet::new();
    for_each_text(number, &mut |_, _, text| {
        if let Some((_, choice)) = text.split_once("before your choice “") {
            named.insert(choice.split_once('”').unwrap().0.to_owned());
        }
    });
    // On a day without a strike the bus is right. Without a bus or a bicycle, Alice stays at home.
    assert!(named.contains("bicycle = 0"), "{named:?}");
    assert!(
        named.contains("coat Mon = 0, bus Mon = 0, ride Mon = 0"),
        "{named:?}"
    );
    assert!(
        named.contains("coat Tue = 0, bus Tue = 0, ride Tue = 0"),
        "{named:?}"
    );
    assert!(
        named.iter().all(|choice| !choice.contains("rain")),
        "{named:?}"
    );
}
