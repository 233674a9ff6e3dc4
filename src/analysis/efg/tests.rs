use super::*;
use crate::analysis::{Actor, Effort, Walk};
use crate::number::{Number, parse};
use crate::player::{Built, Registry, Spec};
use crate::setup::{Limits, Origin, Setup};

const NOT_SO: &str = r#"Scenario(
    format: 1, title: "Is it \"so\"? — é",
    problem: Argument(root: "r", claims: {
        "r": Claim(text: "Not a.", supports: [Support(gate: Not, on: ["a"])]),
        "a": Claim(text: "A.", truth: true),
    }),
    protocol: ProverEstimator(epsilon: 0.25, rho: 0.5),
)"#;

fn setup(text: &str) -> Setup {
    Setup::from_text(text, Origin::Text("test".to_owned()), &Limits::default()).unwrap()
}

fn exported(setup: &Setup, grid: &[&str]) -> Game {
    let instance = setup.instance(0);
    let spec = Spec::named("oracle");
    let registry = Registry::<Exact>::builtin();
    let judge = registry
        .build(&spec, Seat::Judge, &instance, &setup.protocol)
        .unwrap();
    let grid: Vec<Exact> = grid.iter().map(|p| parse(p).unwrap()).collect();
    let state = setup.protocol.start(&instance).unwrap();
    let plan = Plan {
        title: &setup.title,
        judge: &*judge,
        grid: &grid,
        most: 1_000_000,
    };
    game(&state, plan).unwrap()
}

/// A line of the file.
#[derive(Debug)]
enum Node {
    Chance(Vec<(String, Exact)>),
    Choice(usize, usize, Vec<String>),
    End(Exact),
}

/// The words of a line: quoted texts whole, single spaces between all of them.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let (word, after) = match text.strip_prefix('"') {
            Some(quoted) => {
                let (inside, after) = quoted.split_once('"').expect("a closing quote");
                assert!(
                    after.is_empty() || after.starts_with(' '),
                    "no space in {line}"
                );
                (format!("\"{inside}"), after.strip_prefix(' '))
            }
            None => match text.split_once(' ') {
                Some((word, after)) => (word.to_owned(), Some(after)),
                None => (text.to_owned(), None),
            },
        };
        assert!(!word.is_empty(), "two spaces in {line}");
        words.push(word);
        rest = after;
    }
    words
}

fn braced(words: &[String]) -> (&[String], &[String]) {
    assert_eq!(words[0], "{");
    let end = words.iter().position(|word| word == "}").expect("a brace");
    (&words[1..end], &words[end + 1..])
}

fn number(text: &str) -> usize {
    text.parse().expect("a number")
}

/// Reads a file, checking the profile line by line.
fn read(game: &Game) -> Vec<Node> {
    assert!(game.text.is_ascii() && game.text.ends_with('\n'));
    let mut lines = game.text.lines();
    let header = words(lines.next().expect("a header"));
    assert_eq!(header[..3], ["EFG", "2", "R"]);
    assert!(header[3].starts_with('"'));
    assert_eq!(header[4..], ["{", "\"Prover", "\"Opponent", "}"]);
    let (mut sets, mut chances, mut ends) = ([0, 0], 0, 0);
    let mut actions: [Vec<Vec<String>>; 2] = [Vec::new(), Vec::new()];
    let mut nodes = Vec::new();
    for line in lines {
        let words = words(line);
        assert!(words[1].starts_with('"'), "{line}");
        nodes.push(match words[0].as_str() {
            "c" => {
                chances += 1;
                assert_eq!(number(&words[2]), chances, "a fresh set");
                let (inside, after) = braced(&words[4..]);
                assert_eq!(after, ["0"]);
                let each: Vec<(String, Exact)> = inside
                    .chunks_exact(2)
                    .map(|pair| (pair[0].clone(), parse(&pair[1]).unwrap()))
                    .collect();
                let sum = each.iter().fold(Exact::default(), |sum, (_, p)| sum + p);
                assert_eq!(sum, Exact::ratio(1, 1));
                unique(each.iter().map(|(label, _)| label));
                Node::Chance(each)
            }
            "p" => {
                let player = number(&words[2]) - 1;
                let set = number(&words[3]);
                let (inside, after) = braced(&words[5..]);
                assert_eq!(after, ["0"]);
                assert!(set <= sets[player] + 1, "numbered by first visit");
                unique(inside.iter());
                if set > sets[player] {
                    sets[player] = set;
                    actions[player].push(inside.to_vec());
                }
                assert_eq!(
                    actions[player][set - 1],
                    inside,
                    "the same actions in a set"
                );
                Node::Choice(player, set, inside.to_vec())
            }
            "t" => {
                ends += 1;
                assert_eq!(number(&words[2]), ends, "a fresh outcome");
                let (inside, after) = braced(&words[4..]);
                assert!(after.is_empty());
                let [one, other] = [&inside[0], &inside[1]].map(|text| parse(text).unwrap());
                assert_eq!(one, -other);
                Node::End(one)
            }
            other => panic!("{other}"),
        });
    }
    assert_eq!(nodes.len() as u64, game.nodes);
    assert_eq!(ends as u64, game.terminals);
    nodes
}

fn unique<'l>(labels: impl Iterator<Item = &'l String>) {
    let mut seen = std::collections::HashSet::new();
    for label in labels {
        assert!(label.starts_with('"') && seen.insert(label), "{label}");
    }
}

/// What the prover expects where both players take every action as often.
fn evenly(nodes: &mut impl Iterator<Item = Node>) -> Exact {
    match nodes.next().expect("a node") {
        Node::End(payoff) => payoff,
        Node::Chance(each) => each
            .into_iter()
            .fold(Exact::default(), |sum, (_, p)| sum + p * evenly(nodes)),
        Node::Choice(_, _, actions) => {
            let count = i64::try_from(actions.len()).unwrap();
            let sum = actions
                .iter()
                .fold(Exact::default(), |sum, _| sum + evenly(nodes));
            sum * Exact::ratio(1, count)
        }
    }
}

#[test]
fn the_file_is_the_debate() {
    let setup = setup(NOT_SO);
    let tenths = [
        "0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1",
    ];
    let game = exported(&setup, &tenths);
    let found = evenly(&mut read(&game).into_iter());
    // The players named random take every action as often, and every tenth.
    let instance = setup.instance(0);
    let registry = Registry::<Exact>::builtin();
    let built = |name: &str, seat| -> Built<'_, Exact> {
        let spec = Spec::named(name);
        registry
            .build(&spec, seat, &instance, &setup.protocol)
            .unwrap()
    };
    let players = [
        built("random", Seat::Prover),
        built("random", Seat::Opponent),
        built("oracle", Seat::Judge),
    ];
    let start = setup.protocol.start::<Exact>(&instance).unwrap();
    let actors = players.each_ref().map(|player| Actor::Plays(&**player));
    let expected = Walk::new(&start, actors, Effort::default())
        .value(start)
        .unwrap();
    assert_eq!(found, expected.value());
    assert!(!game.wide);
}

#[test]
fn what_is_sealed_makes_information_sets() {
    let nodes = read(&exported(&setup(NOT_SO), &["0", "1"]));
    let first = nodes.iter().find_map(|node| match node {
        Node::Choice(1, set, _) => Some(*set),
        _ => None,
    });
    // The opponent does not see the answer, so both nodes are in one set.
    let in_first = nodes
        .iter()
        .filter(|node| matches!(node, Node::Choice(1, 1, _)));
    assert_eq!((first, in_first.count()), (Some(1), 2));
    // The prover sees everything: every one of its nodes is a set of its own.
    let mut sets: Vec<usize> = Vec::new();
    for node in &nodes {
        if let Node::Choice(0, set, _) = node {
            sets.push(*set);
        }
    }
    assert_eq!(sets, (1..=sets.len()).collect::<Vec<_>>());
}

#[test]
fn a_large_game_is_refused() {
    let setup = setup(NOT_SO);
    let instance = setup.instance(0);
    let spec = Spec::named("oracle");
    let registry = Registry::<Exact>::builtin();
    let judge = registry
        .build(&spec, Seat::Judge, &instance, &setup.protocol)
        .unwrap();
    let state = setup.protocol.start(&instance).unwrap();
    let plan = Plan {
        title: "t",
        judge: &*judge,
        grid: &[Exact::ratio(1, 2)],
        most: 5,
    };
    assert_eq!(game(&state, plan), Err(Unsolved::TooLarge(5)));
}
