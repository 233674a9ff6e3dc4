//! The tutorial's lessons, played by obedient and by contrary users.

use std::collections::BTreeSet;

use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::number::Exact;
use debate_core::player::{Registry, Spec};
use debate_core::protocol::{Kind, Seat};
use debate_solver::analysis::review::ReviewContext;
use debate_tui::tui::actions::KeyMap;
use debate_tui::tui::debate::{DebateOutcome, DebateScreen};
use debate_tui::tui::input::Waker;
use debate_tui::tui::menu::{Paragraphs, ReadingPage};
use debate_tui::tui::scene::Scene;
use debate_tui::tui::screen::{Effect, Screen};
use debate_tui::tui::theme::Appearance;
use debate_tui::tui::tutorial::{COMPARISON_LESSON, COMPARISON_OPPONENTS, Coach, Lesson, TUTORIAL};
use debate_tui::tui::{keys, tutorial};

use super::{picture, press};
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
    stands_in.clone_into(&mut players[user_seat.index()]);
    let setup = Setup {
        players,
        seed: lesson.seed.to_owned(),
        ..of(lesson.setup().unwrap())
    };
    (setup, user_seat)
}

/// True if a lesson is debated with estimates.
fn is_estimated(lesson: &Lesson) -> bool {
    lesson.setup().unwrap().protocol.kind() == Kind::ProverEstimator
}

/// Opens a lesson and presses these keys.
pub(super) fn in_lesson(
    number: usize,
    script: &str,
    hand: &mut dyn FnMut(&mut DebateScreen<'_, '_>),
) {
    in_lesson_with(&keys::map().unwrap(), number, script, hand);
}

/// Opens a lesson with this key map, after some keys.
pub(super) fn in_lesson_with(
    keys: &KeyMap<keys::Action>,
    number: usize,
    script: &str,
    hand: &mut dyn FnMut(&mut DebateScreen<'_, '_>),
) {
    let (setup, user_seat) = setup(&TUTORIAL.lessons[number]);
    let scene = Scene {
        coach: Coach::lesson(number),
        ..setup.scene()
    };
    let (mut running, players) = setup.debate(&[user_seat]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, keys);
    press(&mut debate, script);
    hand(&mut debate);
}

/// The screen as lines, and the lower panel as one line.
fn look(show: &mut impl Screen) -> (String, String) {
    let screen = picture::text(&picture::buffer(show, &Appearance::default(), 80, 24));
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

/// The keys of a user who follows the instructions, or of one who does the opposite.
fn keys_for(lesson: &Lesson, panel: &str, screen: &str, obedient: bool) -> String {
    if is_estimated(lesson) {
        keys_for_estimates(panel, screen, obedient).to_owned()
    } else if lesson.rules.is_some() && screen.contains("├ Your choice ─") {
        // Without knowledge the user guesses the first subclaim; 11 is the second of the third subclaim.
        let flaw = if chosen_by(1, screen).contains("none of") {
            "3 enter"
        } else {
            "2 enter"
        };
        if obedient { "1 enter" } else { flaw }.to_owned()
    } else {
        keys_for_computations(panel, screen, obedient)
    }
}

/// The label of the claim in the tree that a number selects; else the choice in the panel.
fn chosen_by(number: usize, screen: &str) -> &str {
    let sign = format!("◂ {number} ");
    let row = screen.lines().find(|line| line.contains(&sign));
    let choice = format!("│ {number}  ");
    let listed = screen.lines().find_map(|line| line.strip_prefix(&choice));
    let label = row
        .map(|row| row.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '(' && c != '…'));
    let label = label.or(listed).unwrap_or_default();
    label
        .split("  ")
        .next()
        .unwrap_or_default()
        .trim_matches([' ', '•'])
}

fn keys_for_computations(panel: &str, screen: &str, obedient: bool) -> String {
    let says = panel.split("You are").next().unwrap();
    let (_, advice) = says.trim_end().rsplit_once(": ").unwrap_or_default();
    let advice = advice.trim_end_matches('.');
    let is = |title: &str| screen.contains(&format!("├ {title} ─"));
    if is("Your choice") {
        let advised = advice.trim_matches(['“', '”']);
        let label = chosen_by(1, screen);
        let mut rest = advised;
        let first = label.split('…').all(|part| match rest.split_once(part) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        });
        let place = if first == obedient { "1" } else { "2" };
        return format!("{place} enter");
    }
    if is("Your challenge") && panel.contains("have it checked") {
        let checks = says.contains("Have it checked");
        return if checks == obedient {
            "2 enter"
        } else {
            "1 enter"
        }
        .to_owned();
    }
    if is("Your challenge") {
        let step = advice.trim_start_matches("step ");
        return if obedient {
            format!("{step} enter")
        } else {
            "n enter".to_owned()
        };
    }
    if is("Your values") && obedient {
        let values = advice.split(", ").map(|value| {
            let turns = value.ends_with('1');
            if turns { "space down " } else { "down " }
        });
        return values.collect::<String>() + "enter";
    }
    // The panel "Next move", with the current values and transcript.
    "enter".to_owned()
}

fn keys_for_estimates(panel: &str, screen: &str, obedient: bool) -> &'static str {
    let says = panel.split("You are").next().unwrap();
    let advice = says.rsplit(": ").next().unwrap();
    let is = |title: &str| screen.contains(&format!("├ {title} ─"));
    match obedient {
        _ if is("Next move") => "enter",
        _ if is("Your support") => "1 enter",
        true if is("Your answer") || is("Your judgement") => "n enter",
        false if is("Your answer") || is("Your judgement") => "y enter",
        true if is("Your bet") && says.contains("too high") => "3 enter",
        _ if is("Your bet") => "1 enter",
        true if is("Your choice") => "4 enter",
        false if is("Your choice") => "1 enter",
        true if is("Your estimate") => {
            let advice = if says.contains("Type 0") { "0" } else { advice };
            let number: String = advice.chars().take_while(char::is_ascii_digit).collect();
            assert!(!number.is_empty(), "{panel}");
            let typed = number
                .chars()
                .map(String::from)
                .collect::<Vec<_>>()
                .join(" ");
            format!("{typed} enter").leak()
        }
        false if is("Your estimate") => "9 0 enter",
        _ => panic!("{screen}"),
    }
}

/// Plays a lesson. Returns the steps shown, and the last text.
fn walk(number: usize, obedient: bool, shots: &mut dyn FnMut(&str)) -> (BTreeSet<usize>, String) {
    let lesson = &TUTORIAL.lessons[number];
    let (setup, user_seat) = setup(lesson);
    let scene = Scene {
        coach: Coach::lesson(number),
        ..setup.scene()
    };
    let keys = keys::map().unwrap();
    let (mut running, players) = setup.debate(&[user_seat]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    let mut said = BTreeSet::new();
    for _ in 0..100 {
        let (screen, panel) = look(&mut debate);
        shots(&screen);
        let steps = lesson.steps.iter().enumerate();
        let now: Vec<usize> = steps
            .filter(|(_, step)| is_current(step.text, &panel))
            .map(|(number, _)| number)
            .collect();
        let place = Coach::lesson(number).unwrap().place();
        let named = panel.contains(&format!("{place}. "));
        assert_eq!(named, now.len() == 1, "{now:?}\n{screen}");
        said.extend(now);
        if screen.contains("├ The end ─") {
            assert!(named && screen.contains("enter go on"), "{screen}");
            assert_eq!(
                press(&mut debate, "enter"),
                Effect::Leave(DebateOutcome::Onward)
            );
            return (said, panel);
        }
        // A warning before a reply that gives up replaces the question, which the user has read.
        let warned = panel.contains("to send it anyway");
        if !screen.contains("├ Next move ─") && !warned {
            // The whole question is below the lesson's text.
            let (before, question) = panel.split_once("You are").unwrap();
            assert!(named == before.starts_with(&place), "{screen}");
            let asks = ["?", "one way", "Choose", "Point at", "Write down"];
            assert!(asks.iter().any(|it| question.contains(it)), "{screen}");
        }
        press(&mut debate, &keys_for(lesson, &panel, &screen, obedient));
    }
    panic!("no end in sight");
}

#[test]
fn every_text_of_a_lesson_is_shown_to_some_user() {
    // Steps that are shown only to a contrary user.
    let contrary = [
        BTreeSet::from([3, 8, 10, 12, 14]),
        BTreeSet::from([1, 3, 5, 12]),
        BTreeSet::from([3]),
        BTreeSet::from([3, 5]),
        BTreeSet::from([7]),
        BTreeSet::from([1, 5]),
        BTreeSet::from([3]),
        BTreeSet::from([1, 3, 6]),
        BTreeSet::from([4]),
    ];
    let mut gained = Vec::new();
    for (number, lesson) in TUTORIAL.lessons.iter().enumerate() {
        let (mut said, end) = walk(number, true, &mut |_| {});
        let otherwise = &contrary[number];
        let all: BTreeSet<usize> = (0..lesson.steps.len()).collect();
        assert_eq!(
            said,
            all.difference(otherwise).copied().collect(),
            "{number}"
        );
        said.extend(walk(number, false, &mut |_| {}).0);
        assert_eq!(said, all, "{number}");
        let mut told = ["You won: ", "You lost: ", "Alice receives ", "Payoff "].iter();
        let payoff = told.find_map(|told| end.split(told).nth(1)).unwrap();
        let payoff = payoff.trim_start().split(' ').next().unwrap();
        gained.push(payoff.replace(',', "").parse::<f64>().unwrap());
        if number > COMPARISON_LESSON + 1 {
            assert!(end.contains("You won: +1 point"), "{end}");
        }
    }
    // The texts at the ends are true. The payoffs are out of 1,000 points.
    assert!(gained[0].abs() < 100.0, "{gained:?}");
    assert!(gained[1] > 900.0 && gained[2] > 900.0, "{gained:?}");
}

#[test]
fn some_steps_of_the_lessons() {
    let mut number = 0;
    walk(0, true, &mut |screen| {
        number += 1;
        if [1, 4, 11].contains(&number) {
            insta::assert_snapshot!(format!("lesson-1-{number}"), screen);
        }
    });
    let mut bets = 0;
    walk(1, true, &mut |screen| {
        if screen.contains("├ Your bet ─") {
            bets += 1;
            if bets == 1 {
                insta::assert_snapshot!("lesson-2-bet", screen);
            }
        }
    });
    walk(2, true, &mut |screen| {
        if screen.contains("├ The end ─") {
            insta::assert_snapshot!("lesson-3-end", screen);
        }
    });
}

#[test]
fn comments_can_be_hidden_and_the_answer_stays() {
    let (setup, user_seat) = setup(&TUTORIAL.lessons[0]);
    let scene = Scene {
        coach: Coach::lesson(0),
        ..setup.scene()
    };
    let keys = keys::map().unwrap();
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
    assert!(screen.contains("the same key shows it again"), "{screen}");
    press(&mut debate, "?");
    assert!(
        look(&mut debate)
            .0
            .contains("Hide the text of the tutorial")
    );
    press(&mut debate, "esc enter");
    assert!(!look(&mut debate).1.contains("Lesson"));
    press(&mut debate, "c");
    assert!(look(&mut debate).1.contains("Lesson 1 of 4. You gave 42 %"));
    // It fits any size.
    for columns in (1..=90).step_by(7).chain([250]) {
        for rows in (1..=30).step_by(3).chain([80]) {
            picture::buffer(&mut debate, &Appearance::default(), columns, rows);
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
fn computed(budget: Budget<'_>) -> Paragraphs {
    let debate = |page: usize| {
        let setup = of(TUTORIAL.lessons[COMPARISON_LESSON + page].setup().unwrap());
        let players = ["obfuscator", COMPARISON_OPPONENTS[page], "oracle"];
        let players = players.map(|name| Spec::parse(name).unwrap());
        let registry = Registry::<Exact>::with_builtin_players();
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
    let keys = keys::map().unwrap();
    let below = vec![(String::new(), TUTORIAL.after.to_owned())];
    let page = ReadingPage::new("Lesson 4 of 4", Paragraphs::new(), &keys);
    let mut page = page.with_figures(|budget| Ok(computed(budget)), below, &Waker::default());
    let (screen, panel) = wait_until("the computed values", || {
        Some(look(&mut page)).filter(|(_, panel)| !panel.contains("being computed"))
    });
    for wanted in [
        // 7/8 of the stake: she wins 15 of 16 times.
        "█ 87.5 %: Plain recursion",
        "▏ 0 %: Prover-estimator debate",
        TUTORIAL.differs,
        TUTORIAL.after,
    ] {
        assert!(panel.contains(wanted), "{wanted}\n{screen}");
    }
    insta::assert_snapshot!("lesson-4-figures", screen);
    for columns in (1..=90).step_by(7).chain([250]) {
        for rows in (1..=30).step_by(3).chain([80]) {
            picture::buffer(&mut page, &Appearance::default(), columns, rows);
        }
    }
    assert_eq!(press(&mut page, "enter"), Effect::Leave(()));
    assert_eq!(press(&mut page, "q"), Effect::Leave(()));
}

/// The panels' positions depend on the size of the terminal, and figures are shown only if there are some.
#[test]
fn no_lesson_refers_to_a_place_on_the_screen() {
    let lessons = include_str!("../../src/tui/tutorial/lessons.ron");
    for words in ["Below is", "below is", "Above is"] {
        assert!(!lessons.contains(words), "{words}");
    }
}
