//! The tutorial's lessons, played by obedient and by contrary users.

use std::collections::BTreeSet;
use std::time::Duration;

use debate_core::budget::ComputationBudget;
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::{ProtocolKind, Seat};
use debate_host::record::TimeSource;
use debate_solver::analysis::review::ReviewContext;
use debate_tui::tui::actions::KeyMap;
use debate_tui::tui::debate::{DebateScreen, DebateScreenChoice};
use debate_tui::tui::input::MainLoopWaker;
use debate_tui::tui::menu::{Paragraphs, ReadingPage};
use debate_tui::tui::scene::{AutoplaySettings, DebateScreenContext};
use debate_tui::tui::screen::{Screen, ScreenEffect, ScreenWithTimedUpdates as _};
use debate_tui::tui::theme::ScreenAppearance;
use debate_tui::tui::tutorial::{
    COMPARISON_LESSON, COMPARISON_OPPONENTS, Lesson, LessonTexts, TUTORIAL,
};
use debate_tui::tui::{keys, tutorial};

use super::{picture, press, wait_until_due};
use crate::support::patience::wait_until;
use crate::support::scenes::{Setup, of};

fn setup(lesson: &Lesson) -> (Setup, Seat) {
    let user_seat = lesson.user_seat();
    let mut players = lesson.players.map(str::to_owned);
    let stands_in = match user_seat {
        Seat::Judge => "oracle",
        Seat::Opponent if is_estimated(lesson) => "bayes",
        _ => "honest",
    };
    stands_in.clone_into(&mut players[user_seat.seat_index()]);
    let setup = Setup {
        players,
        seed: lesson.seed.to_owned(),
        ..of(lesson.lesson_scenario().unwrap())
    };
    (setup, user_seat)
}

/// True if a lesson is debated with estimates.
fn is_estimated(lesson: &Lesson) -> bool {
    lesson.lesson_scenario().unwrap().protocol.kind() == ProtocolKind::ProverEstimator
}

/// Opens a lesson and presses these keys.
pub(super) fn in_lesson(
    number: usize,
    script: &str,
    hand: &mut dyn FnMut(&mut DebateScreen<'_, '_>),
) {
    in_lesson_with(&keys::default_key_map().unwrap(), number, script, hand);
}

/// Opens a lesson with this key map, after some keys.
pub(super) fn in_lesson_with(
    keys: &KeyMap<keys::Action>,
    number: usize,
    script: &str,
    hand: &mut dyn FnMut(&mut DebateScreen<'_, '_>),
) {
    let (setup, user_seat) = setup(&TUTORIAL.lessons[number]);
    let scene = DebateScreenContext {
        coach: LessonTexts::texts_of_lesson_debate(number),
        ..setup.scene()
    };
    let (mut running, players) = setup.debate(&[user_seat]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, keys);
    press(&mut debate, script);
    hand(&mut debate);
}

/// The screen as lines, and the lower panel as one line.
fn look(show: &mut impl Screen) -> (String, String) {
    let screen = picture::text(&picture::buffer(show, &ScreenAppearance::default(), 80, 24));
    // The lowest panel.
    let lines: Vec<&str> = screen.lines().collect();
    let from = lines.iter().rposition(|line| line.starts_with(['╭', '├']));
    let inside = lines.iter().skip(from.unwrap_or(0));
    let inside = inside.filter(|line| line.starts_with('│'));
    let words = inside.flat_map(|line| line.trim_matches('│').split_whitespace());
    let panel = words.collect::<Vec<_>>().join(" ");
    (screen, panel)
}

/// Returns true if the panel contains a step's whole text, with any values in its slots.
fn is_current(text: &str, panel: &str) -> bool {
    let text = text.replace("{on}", " Press enter.");
    let mut rest = panel;
    let fixed = text.split('{').enumerate().map(|(number, part)| {
        if number == 0 {
            part
        } else {
            part.split_once('}').unwrap().1
        }
    });
    for part in fixed {
        match rest.split_once(part.trim()) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

/// The keys that answer a lesson's questions in order. The first user of each lesson replies well, the others explore.
fn users(number: usize) -> Vec<Vec<&'static str>> {
    let repeated = |keys: &'static str| vec![keys; 12];
    match number {
        0 => vec![
            vec![
                "0 enter",
                "7 5 enter",
                "6 7 enter",
                "5 0 enter",
                "1 0 0 enter",
            ],
            repeated("9 0 enter"),
            repeated("2 enter"),
            // The coin for the second box comes up no with 0 %, so every number is certain.
            vec![
                "0 enter",
                "1 0 0 enter",
                "0 enter",
                "1 0 0 enter",
                "1 0 0 enter",
            ],
            // The first three coins come up yes, so the last number must be 0 %.
            vec!["0 enter", "9 0 enter", "9 0 enter", "9 0 enter", "0 enter"],
        ],
        1 => vec![
            vec!["n enter", "3 enter", "3 enter", "3 enter"],
            vec!["y enter", "1 enter", "1 enter", "1 enter"],
            vec!["y enter", "2 enter", "1 enter", "2 enter"],
        ],
        2 => vec![vec!["n enter"], vec!["y enter"]],
        3 => vec![vec!["1 enter", "1 enter"], vec!["2 enter", "2 enter"]],
        4 => vec![
            vec!["0 enter", "5 0 enter", "0 enter", "0 enter", "0 enter"],
            repeated("9 0 enter"),
            repeated("2 enter"),
        ],
        6 => vec![vec!["3 enter"], vec!["4 enter"], vec!["n enter"]],
        // Own a bicycle; then take the bus in the rain, ride in the strike, and ride with the coat in both. The second
        // user chooses no each time, the third one writes a wrong bit.
        7 => {
            let (bus, ride) = ("down space enter", "down down space enter");
            let ride_with_coat = "space down down space enter";
            let days = vec!["space enter", bus, ride, ride_with_coat];
            let mut wrong_bit = days.clone();
            wrong_bit.push("space enter");
            vec![days, Vec::new(), wrong_bit]
        }
        8 => vec![
            vec!["1 enter", "2 enter"],
            vec!["2 enter"],
            repeated("1 enter"),
        ],
        _ => vec![Vec::new()],
    }
}

/// The keys for a question of the second course: those of a good reply, or of the opposite.
fn keys_for_computations(number: usize, panel: &str, is_good: bool) -> &'static str {
    if number != 5 {
        return "enter";
    }
    // The last line is that of the machine, if it has run.
    let Some((given, ran)) = panel.split_once("You, step ") else {
        return "m";
    };
    let configuration = |line: &'_ str| line.split_once(": ").unwrap().1.to_owned();
    let middle = configuration(given.rsplit("After ").nth(1).unwrap());
    let is_right = configuration(ran).starts_with(middle.trim());
    // If Alice's configuration in the middle is wrong, the error is in the first part.
    if is_right == is_good {
        "2 enter"
    } else {
        "1 enter"
    }
}

/// Plays a lesson. Returns the steps shown, and the last text.
fn walk(number: usize, user: usize, shots: &mut dyn FnMut(&str)) -> (BTreeSet<usize>, String) {
    let lesson = &TUTORIAL.lessons[number];
    let (setup, user_seat) = setup(lesson);
    let scene = DebateScreenContext {
        coach: LessonTexts::texts_of_lesson_debate(number),
        ..setup.scene()
    };
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[user_seat]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    let script = users(number).get(user).cloned().unwrap_or_default();
    let mut script = script.into_iter();
    let mut said = BTreeSet::new();
    for _ in 0..100 {
        let (screen, panel) = look(&mut debate);
        shots(&screen);
        let steps = lesson.steps.iter().enumerate();
        let now: Vec<usize> = steps
            .filter(|(_, step)| is_current(step.text, &panel))
            .map(|(number, _)| number)
            .collect();
        let place = LessonTexts::texts_of_lesson_debate(number)
            .unwrap()
            .position_in_course();
        let named = panel.contains(&format!("{place}. "));
        assert_eq!(named, now.len() == 1, "{now:?}\n{screen}");
        said.extend(now);
        if screen.contains("├ The end ─") {
            assert!(named && screen.contains("enter go on"), "{screen}");
            assert_eq!(
                press(&mut debate, "enter"),
                ScreenEffect::Leave(DebateScreenChoice::Onward)
            );
            return (said, panel);
        }
        let is_waiting = screen.contains("├ Next move ─");
        // A warning before a reply that gives up replaces the question, which the user has read.
        let warned = panel.contains("to send the reply anyway");
        if !is_waiting && !warned {
            // The whole question is below the lesson's text.
            let (before, question) = panel.split_once("You are").unwrap();
            assert!(named == before.starts_with(&place), "{screen}");
            let asks = ["?", "one way", "Choose", "Point at", "Write down"];
            assert!(asks.iter().any(|it| question.contains(it)), "{screen}");
        }
        let keys = if is_waiting || warned {
            "enter"
        } else {
            let next = script.next();
            next.unwrap_or_else(|| keys_for_computations(number, &panel, user == 0))
        };
        press(&mut debate, keys);
    }
    panic!("no end in sight");
}

#[test]
fn every_text_of_a_lesson_is_shown_to_some_user() {
    let mut gained = Vec::new();
    for (number, lesson) in TUTORIAL.lessons.iter().enumerate() {
        let (mut said, end) = walk(number, 0, &mut |_| {});
        let mut told = ["You won: ", "You lost: ", "Alice receives ", "Payoff "].iter();
        let payoff = told.find_map(|told| end.split(told).nth(1)).unwrap();
        let payoff = payoff.trim_start().split(' ').next().unwrap();
        gained.push(payoff.replace(',', "").parse::<f64>().ok());
        if number > COMPARISON_LESSON + 1 {
            assert!(end.contains("You won: +1 point"), "{end}");
        }
        for user in 1..users(number).len().max(2) {
            said.extend(walk(number, user, &mut |_| {}).0);
        }
        let all: BTreeSet<usize> = (0..lesson.steps.len()).collect();
        assert_eq!(said, all, "{number}");
    }
    // The texts at the ends are true. The payoffs are out of 100 points.
    assert!(
        gained[1] > Some(80.0) && gained[2] > Some(80.0),
        "{gained:?}"
    );
}

#[test]
fn the_end_explains_that_certain_numbers_left_nothing_to_pay() {
    let (_, end) = walk(0, 3, &mut |_| {});
    let reason = "Nothing was paid for the bets, because your numbers for the claims that were bet on were 0 or 100 %, and the outcomes of the bets agreed with them.";
    assert!(end.contains(reason), "{end}");
    let (_, end) = walk(0, 1, &mut |_| {});
    assert!(!end.contains("Nothing was paid"), "{end}");
}

#[test]
fn some_steps_of_the_lessons() {
    let mut number = 0;
    walk(0, 0, &mut |screen| {
        number += 1;
        if [1, 4, 11].contains(&number) {
            insta::assert_snapshot!(format!("lesson-1-{number}"), screen);
        }
    });
    let mut bets = 0;
    walk(1, 0, &mut |screen| {
        if screen.contains("├ Your bet ─") {
            bets += 1;
            if bets == 1 {
                insta::assert_snapshot!("lesson-2-bet", screen);
            }
        }
    });
    walk(2, 0, &mut |screen| {
        if screen.contains("├ The end ─") {
            insta::assert_snapshot!("lesson-3-end", screen);
        }
    });
}

#[test]
fn comments_can_be_hidden_and_the_answer_stays() {
    let (setup, user_seat) = setup(&TUTORIAL.lessons[0]);
    let scene = DebateScreenContext {
        coach: LessonTexts::texts_of_lesson_debate(0),
        ..setup.scene()
    };
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[user_seat]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, "enter 4 2");
    assert!(look(&mut debate).1.contains("Type 0"));
    press(&mut debate, "c");
    let (screen, panel) = look(&mut debate);
    assert!(
        !panel.contains("Type 0") && panel.contains("42_"),
        "{screen}"
    );
    assert!(screen.contains("The same key shows it again"), "{screen}");
    press(&mut debate, "?");
    let in_help = (0..80).any(|_| {
        press(&mut debate, "down");
        look(&mut debate).0.contains("Hide the text of the")
    });
    assert!(
        in_help,
        "the help has no line about the text of the tutorial"
    );
    press(&mut debate, "esc enter");
    assert!(!look(&mut debate).1.contains("Lesson"));
    press(&mut debate, "c");
    assert!(look(&mut debate).1.contains("Lesson 1 of 4. You gave 42 %"));
    // It fits any size.
    for columns in (1..=90).step_by(7).chain([250]) {
        for rows in (1..=30).step_by(3).chain([80]) {
            picture::buffer(&mut debate, &ScreenAppearance::default(), columns, rows);
        }
    }
    // Other screens have no advice to hide.
    let scene = setup.scene();
    let (mut running, players) = setup.debate(&[user_seat]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, "enter c");
    let (screen, panel) = look(&mut debate);
    assert!(
        !screen.contains("tutorial") && !panel.contains("Lesson"),
        "{screen}"
    );
}

/// The computation of the last page.
fn computed(budget: ComputationBudget<'_>) -> Paragraphs {
    let debate = |page: usize| {
        let setup = of(TUTORIAL.lessons[COMPARISON_LESSON + page]
            .lesson_scenario()
            .unwrap());
        let players = ["obfuscator", COMPARISON_OPPONENTS[page], "oracle"];
        let players = players.map(|name| PlayerSpec::parse(name).unwrap());
        let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
        let own = Default::default();
        ReviewContext::new(&setup.instance, &setup.protocol, players, own, registry)
    };
    let seed = Seed::new("7").unwrap();
    let liar_gain_bars = tutorial::liar_gain_bars(&[debate(0), debate(1)], &seed, budget).unwrap();
    let told = liar_gain_bars
        .into_iter()
        .chain([TUTORIAL.differs.to_owned()]);
    told.map(|text| (String::new(), text)).collect()
}

#[test]
fn the_last_page_shows_computed_figures() {
    let keys = keys::default_key_map().unwrap();
    let below = vec![(String::new(), TUTORIAL.after.to_owned())];
    let page = ReadingPage::new("Lesson 4 of 4", Paragraphs::new(), &keys);
    let mut page = page.with_figures(
        |budget| Ok(computed(budget)),
        below,
        &MainLoopWaker::default(),
    );
    let (screen, panel) = wait_until("the computed values", || {
        Some(look(&mut page)).filter(|(_, panel)| !panel.contains("being computed"))
    });
    for wanted in [
        // Half of the stake: she wins 3 of 4 times.
        "█ 50 %: Plain recursion",
        "▏ 0 %: Prover-estimator debate",
        TUTORIAL.differs,
        TUTORIAL.after,
    ] {
        assert!(panel.contains(wanted), "{wanted}\n{screen}");
    }
    insta::assert_snapshot!("lesson-4-figures", screen);
    for columns in (1..=90).step_by(7).chain([250]) {
        for rows in (1..=30).step_by(3).chain([80]) {
            picture::buffer(&mut page, &ScreenAppearance::default(), columns, rows);
        }
    }
    assert_eq!(press(&mut page, "enter"), ScreenEffect::Leave(()));
    assert_eq!(press(&mut page, "q"), ScreenEffect::Leave(()));
}

/// The panels' positions depend on the size of the terminal, and figures are shown only if there are some.
#[test]
fn no_lesson_refers_to_a_place_on_the_screen() {
    let lessons = include_str!("../../src/tui/tutorial/lessons.ron");
    for words in ["Below is", "below is", "Above is"] {
        assert!(!lessons.contains(words), "{words}");
    }
}

/// Plays a lesson's debate with the lesson's text hidden, so that autoplay makes the moves of the others, up to the
/// end.
fn play_by_itself(debate: &mut DebateScreen<'_, '_>, time: &TimeSource) {
    press(debate, "c");
    for _ in 0..200 {
        let shown = look(debate).0;
        if shown.contains("├ The end ─") {
            return;
        }
        if debate.deadline().is_some() {
            wait_until_due(debate, time);
        } else {
            press(debate, "2 enter");
        }
    }
    panic!("no end in sight:\n{}", look(debate).0);
}

/// The end of a lesson stays until a key that is pressed after the user can have seen it.
#[test]
fn enter_meant_for_autoplay_does_not_skip_the_end_of_a_lesson() {
    let keys = keys::default_key_map().unwrap();
    let (setup, user_seat) = setup(&TUTORIAL.lessons[0]);
    for waits in [false, true] {
        let scene = DebateScreenContext {
            tempo: AutoplaySettings::new(true, AutoplaySettings::MAX_SPEED).unwrap(),
            time: TimeSource::manual_clock(),
            coach: LessonTexts::texts_of_lesson_debate(0),
            ..setup.scene()
        };
        let (mut running, players) = setup.debate(&[user_seat]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
        play_by_itself(&mut debate, &scene.time);
        if waits {
            scene.time.advance_both_clocks(Duration::from_secs(1));
        } else {
            assert_eq!(press(&mut debate, "enter"), ScreenEffect::None);
            let shown = look(&mut debate).0;
            assert!(shown.contains("Press enter again to go on."), "{shown}");
            assert!(shown.contains("├ The end ─"), "{shown}");
        }
        assert_eq!(
            press(&mut debate, "enter"),
            ScreenEffect::Leave(DebateScreenChoice::Onward)
        );
    }
}

/// Keys that arrive together are handled without a frame between them.
#[test]
fn enter_typed_ahead_does_not_skip_the_end_of_a_lesson() {
    // The lessons whose questions these keys answer.
    for number in 0..4 {
        in_lesson(number, "", &mut |debate| {
            let mut left = ScreenEffect::None;
            for _ in 0..200 {
                if debate.screen_context().screen.intersects(keys::END) {
                    break;
                }
                left = press(debate, "2 1 y enter enter");
            }
            assert!(
                debate.screen_context().screen.intersects(keys::END),
                "{number}"
            );
            assert_eq!(left, ScreenEffect::None, "{number}");
            assert_eq!(press(debate, "enter"), ScreenEffect::None, "{number}");
            assert!(look(debate).0.contains("├ The end ─"));
            let left = press(debate, "enter");
            assert_eq!(left, ScreenEffect::Leave(DebateScreenChoice::Onward));
        });
    }
}

/// The text of a lesson has the unit of the amounts beside it.
#[test]
fn the_text_of_a_lesson_follows_the_unit_of_the_screen() {
    in_lesson(1, "y enter", &mut |debate| {
        let points = "only 1 point. The last stake is 100 points";
        let (screen, panel) = look(debate);
        assert!(panel.contains(points), "{screen}");
        assert!(screen.contains("Rewards to you"), "{screen}");
        press(debate, "=");
        let (screen, panel) = look(debate);
        assert!(
            panel.contains("only 0.01. The last stake is 1,"),
            "{screen}"
        );
        // The transcript keeps points, so the title names the other unit.
        assert!(screen.contains("Payoffs to you"), "{screen}");
        press(debate, "=");
        assert!(look(debate).1.contains(points));
        // The text beside a question follows the unit too.
        press(debate, "enter");
        assert!(look(debate).0.contains("Your bet"));
        press(debate, "1 enter =");
        let (screen, panel) = look(debate);
        assert!(panel.contains("At a stake of 0.1, your bet"), "{screen}");
    });
}

/// A number that is typed before the question neither lets the debate continue nor becomes another number.
#[test]
fn a_number_that_is_typed_too_early_changes_nothing() {
    in_lesson(0, "7", &mut |debate| {
        let waits = |debate: &mut DebateScreen<'_, '_>, note: &str| {
            let screen = look(debate).0;
            assert!(screen.contains("├ Next move ─"), "{screen}");
            assert!(screen.contains(note), "{screen}");
        };
        waits(debate, "the digit was not taken");
        // In 7.5 and 1/3, the second character is the key of an action.
        press(debate, ".");
        waits(debate, "the number was not taken. Press enter to go on.");
        press(debate, "5 enter");
        waits(debate, "the number was not taken. Press enter to go on.");
        press(debate, "1 /");
        waits(debate, "the number was not taken");
        press(debate, "3 enter enter");
        let (screen, panel) = look(debate);
        assert!(panel.contains("Are all four full?"), "{screen}");
        assert!(screen.contains("100   ?"), "{screen}");
    });
    // The question comes between two digits.
    in_lesson(0, "7", &mut |debate| {
        debate.act(keys::Action::PlayToTurn);
        press(debate, "5 enter");
        let (screen, panel) = look(debate);
        let error = "The first digits came before the question and were not taken.";
        assert!(panel.contains(error) && panel.contains("5_ %"), "{screen}");
        press(debate, "backspace 0 enter");
        assert!(look(debate).0.contains("You: 0 %"));
    });
}
