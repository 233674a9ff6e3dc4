//! The words that stand on the screen of a debate where somebody decides: few enough to be read.

use std::env;

use debate_core::number::Exact;
use debate_core::player::{Registry, Spec};
use debate_core::protocol::Seat;
use debate_lab::record::Session;
use debate_lab::setup;
use debate_lab::tell::DebateFacts;
use debate_tui::tui::debate::Debate;
use debate_tui::tui::keys;
use debate_tui::tui::scene::Scene;
use debate_tui::tui::theme::Appearance;

use super::{picture, press};
use crate::scenes::{Setup, seated, thread};

/// The most words in the question panel, on a screen of 80×24, and on one of 120×36.
const MOST: [usize; 3] = [45, 120, 180];

/// Columns and rows.
const SIZES: [(u16, u16); 2] = [(80, 24), (120, 36)];

/// The words of a text: what stands between spaces and lines of a frame and has a letter or a digit.
fn words(text: &str) -> usize {
    let is_frame = |c: char| ('─'..='╿').contains(&c);
    let parts = text.split(|c: char| c.is_whitespace() || is_frame(c));
    parts
        .filter(|part| part.contains(char::is_alphanumeric))
        .count()
}

/// The question panel: the last frame on the screen, with its title.
fn panel(screen: &str) -> String {
    let lines: Vec<&str> = screen.lines().collect();
    let begins = |line: &&str| line.starts_with(['┏', '┌', '╭']);
    let from = lines.iter().rposition(begins).unwrap_or(0);
    lines[from..lines.len() - 1].join("\n")
}

/// The screen without texts that may be long: evidence, speeches and sources. They count as one word.
fn without(screen: &str, long: &[String]) -> String {
    let mut kept = String::new();
    'word: for word in screen.split(' ') {
        for text in long {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            if !bare.is_empty() && text.split_whitespace().any(|w| w.contains(bare)) {
                continue 'word;
            }
        }
        kept.push_str(word);
        kept.push(' ');
    }
    kept
}

/// The most words of each kind at any decision of a seat, and the screens where they stand.
struct Count {
    most: [usize; 3],
    screens: [String; 3],
}

fn count(name: &str, seat: Seat) -> Option<Count> {
    let file = setup::Setup::bundled(name, &setup::Limits::default()).unwrap();
    let world = file.requested_world.unwrap_or(0);
    let kind = file.protocol.kind();
    let registry = Registry::<Exact>::builtin();
    let player = |seat: Seat| {
        let default = registry.default_for(seat, kind);
        let named = file.players.get(seat).unwrap_or(default).to_owned();
        let human = Spec::parse(&named).is_ok_and(|spec| spec.is_human());
        if human { default.to_owned() } else { named }
    };
    let setup = Setup {
        instance: file.instance(world),
        players: Seat::PLAYERS.map(player),
        title: file.title.clone(),
        about: file.about.clone(),
        protocol: file.protocol.clone(),
        seed: "7".to_owned(),
    };
    let facts = DebateFacts {
        title: file.title.clone(),
        about: file.about.clone(),
        briefing: file.briefing.clone(),
        judge_sees: file.judge_sees,
        players: setup.players.clone(),
        ..DebateFacts::new(&setup.instance, &setup.protocol)
    };
    if !facts.is_asked(seat) {
        return None;
    }
    let scene = Scene {
        facts,
        ..Scene::new(&setup.instance, &setup.protocol)
    };
    let keys = keys::map().unwrap();
    // The built-in player of the seat decides, and the person is asked what it was asked.
    let names = &setup.players;
    let mut whole = seated(&setup.instance, &setup.protocol, names, &setup.seed);
    while whole.turn().is_some() {
        whole.advance().unwrap();
    }
    let mut found = Count {
        most: [0; 3],
        screens: Default::default(),
    };
    let mut people = names.clone();
    people[seat.index()] = "human".to_owned();
    let moves = whole.moves().to_vec();
    for at in 0..moves.len() {
        let mut seating = seated(&setup.instance, &setup.protocol, &people, &setup.seed);
        for made in &moves[..at] {
            seating.follow(made.clone()).unwrap();
        }
        let turn = seating.turn().unwrap();
        if turn.seat != seat {
            continue;
        }
        let mut long: Vec<String> = Vec::new();
        if let Some(claim) = turn.request.claim() {
            long.extend(setup.instance.evidence(claim));
        }
        if let Some(question) = setup.instance.question() {
            long.push(question.source().as_str().to_owned());
        }
        let mut session = Session::new(seating, None);
        let players = thread(
            &setup.instance,
            &setup.protocol,
            people.clone(),
            &setup.seed,
        );
        let mut debate = Debate::new(&mut session, players, &scene, &keys);
        press(&mut debate, "esc");
        for (number, (columns, rows)) in SIZES.into_iter().enumerate() {
            let text = picture::text(&picture::buffer(
                &mut debate,
                &Appearance::default(),
                columns,
                rows,
            ));
            let ask = panel(&text);
            for (place, part) in [(0, &ask), (number + 1, &text)] {
                let words = words(&without(part, &long));
                if words > found.most[place] {
                    found.most[place] = words;
                    found.screens[place].clone_from(part);
                }
            }
        }
    }
    Some(found)
}

#[test]
fn no_decision_stands_among_many_words() {
    let all = env::var("WORDS").unwrap_or_default();
    let mut over = String::new();
    for scenario in setup::bundled() {
        if !["", "all"].contains(&&*all) && !all.split(',').any(|name| scenario.name == name) {
            continue;
        }
        for seat in Seat::PLAYERS {
            let Some(count) = count(scenario.name, seat) else {
                continue;
            };
            let most = count.most;
            if !all.is_empty() {
                let name = scenario.name;
                println!(
                    "{name:<22} {:<9} {:>4} {:>4} {:>4}",
                    seat.name(),
                    most[0],
                    most[1],
                    most[2]
                );
            }
            for (place, most) in most.into_iter().enumerate() {
                if most > MOST[place] {
                    if place == 0 && env::var("PANELS").is_ok() {
                        println!("{}", count.screens[0]);
                    }
                    over.push_str(&format!(
                        "{} as {}: {most} words, at most {}\n",
                        scenario.name,
                        seat.name(),
                        MOST[place],
                    ));
                }
            }
        }
    }
    assert!(over.is_empty(), "{over}");
}
