//! The use of a screen's columns and rows: panels and popups fill the room that they have, texts are cut only if there
//! is none, and a key changes few cells.

use std::collections::{BTreeMap, BTreeSet};

use debate_core::protocol::Seat;
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::theme::ScreenAppearance;
use ratatui::buffer::Buffer;

use super::values::{settled, valued};
use super::words::without_panel;
use super::{picture, press};
use crate::support::scenes::{Setup, bundled};

/// Columns and rows.
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 36), (200, 60)];

fn with<T>(
    name: &str,
    people: &[Seat],
    script: &str,
    look: impl FnOnce(&mut DebateScreen) -> T,
) -> T {
    let setup: Setup = bundled(name);
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(people);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, script);
    look(&mut debate)
}

fn drawn(debate: &mut DebateScreen, (columns, rows): (u16, u16)) -> Buffer {
    picture::buffer(debate, &ScreenAppearance::default(), columns, rows)
}

fn text(debate: &mut DebateScreen, size: (u16, u16)) -> String {
    picture::text(&drawn(debate, size))
}

/// The lines inside the frame of a panel.
fn panel_lines(screen: &str, title: &str) -> Vec<String> {
    let (_, panel) = without_panel(screen, title);
    let lines = panel
        .lines()
        .filter(|line| line.starts_with(['│', '↑', '↓']));
    let inside = lines.map(|line| line.chars().skip(1).collect::<String>());
    inside.map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn the_transcript_fills_its_panel_before_it_hides_older_lines() {
    let script = "enter 6 7 enter enter 9 0 enter enter 3 3 enter enter 5 0 enter enter";
    with("primes", &[Seat::Opponent], script, |debate| {
        for size in SIZES {
            let screen = text(debate, size);
            let lines = panel_lines(&screen, "Transcript");
            let free = lines.iter().filter(|line| line.is_empty()).count();
            let hides = lines.is_empty() || !screen.contains("Alice: yes");
            // Rounds are separated by blank lines in whole sentences, which only wide screens show.
            let is_full = size.0 < 200 && free == 0;
            assert!(!hides || is_full, "{size:?}, {free} free rows:\n{screen}");
        }
    });
}

#[test]
fn wide_screens_show_the_transcript_in_sentences() {
    with("primes", &[Seat::Opponent], "enter 6 7 enter", |debate| {
        for size in SIZES {
            let lines = panel_lines(&text(debate, size), "Transcript").join("\n");
            let has_sentences = lines.contains("estimate “109,931 is prime” at 67 %");
            assert_eq!(has_sentences, size.0 >= 200, "{size:?}: {lines}");
        }
    });
}

#[test]
fn a_popup_is_as_wide_as_its_text_can_be_read() {
    for columns in [80, 90, 100, 107, 108, 120, 200] {
        for (key, title) in [
            ("?", " Help "),
            (":", " Commands: "),
            ("i", " closes "),
            ("b", " closes "),
        ] {
            with("primes", &[Seat::Opponent], "enter", |debate| {
                press(debate, key);
                let screen = text(debate, (columns, 40));
                let frame = screen.lines().find_map(|line| {
                    let (before, after) = line.split_once(title)?;
                    let (_, before) = before.rsplit_once('╭')?;
                    let (after, _) = after.split_once('╮')?;
                    Some(format!("╭{before}{title}{after}╮"))
                });
                let width = frame.expect(&screen).chars().count();
                // No few columns of the screen below are left, in which single letters would be seen.
                let beside = usize::from(columns) - width;
                assert!(beside == 0 || beside >= 8, "{key} {columns}: {screen}");
                let is_page = key != ":";
                assert!(
                    width >= usize::from(columns.min(100)) && (!is_page || width < 108),
                    "{key} {columns}: {screen}"
                );
            });
        }
    }
}

#[test]
fn claims_show_the_digits_that_the_player_typed() {
    let script = "enter 6 6 . 7 enter enter 3 3 . 3 enter";
    with("primes", &[Seat::Opponent], script, |debate| {
        for size in SIZES {
            let screen = text(debate, size);
            let rows = screen.lines().filter(|line| line.contains("├ no"));
            let row = rows.clone().find(|line| line.contains("33.3 %"));
            assert!(row.is_some(), "{size:?}:\n{screen}");
            // No claim is cut for the digits.
            assert!(rows.clone().all(|line| !line.contains('…')), "{screen}");
            let root = screen.lines().find(|line| line.contains("66.7 %"));
            assert!(root.is_some(), "{size:?}:\n{screen}");
        }
    });
}

/// A claim about several steps shows the state of the machine after one of them.
#[test]
fn the_state_of_a_machine_has_the_number_of_its_step() {
    let mut shown = 0;
    for moves in 0..6 {
        // The first `enter` of each move lets Alice move until the user's turn.
        let script = format!("enter{}", " enter 2 enter".repeat(moves));
        with("turing", &[Seat::Opponent], &script, |debate| {
            for size in SIZES {
                let screen = text(debate, size);
                let claims = screen.lines().take_while(|line| !line.starts_with('├'));
                for line in claims {
                    let row = line.split('│').nth(1).unwrap_or_default();
                    let row = row.trim_start_matches(|c: char| !c.is_alphabetic());
                    if !row.starts_with("steps ") || !row.contains("state ") {
                        continue;
                    }
                    shown += 1;
                    let steps: Vec<u64> = row
                        .split(|c: char| !c.is_ascii_digit())
                        .filter_map(|number| number.parse().ok())
                        .collect();
                    let [first, last, time] = steps[..] else {
                        panic!("{size:?}: {line}");
                    };
                    assert!((first..last).contains(&time), "{size:?}: {line}");
                }
            }
        });
    }
    assert!(shown > 10, "{shown}");
}

/// The panel of rewards speaks of its recipient: a result has the sign of its amount.
#[test]
fn the_rewards_have_one_point_of_view() {
    for (people, choice) in [
        (&[][..], ""),
        (&[Seat::Opponent][..], "1 enter"),
        (&[Seat::Opponent][..], "2 enter"),
    ] {
        with("turing", people, "enter", |debate| {
            let mut screen = text(debate, (200, 60));
            for _ in 0..20 {
                if !screen.contains("├ The end") {
                    press(debate, choice);
                    screen = text(debate, (200, 60));
                }
            }
            assert!(screen.contains("├ The end"), "{screen}");
            let row = screen.lines().find(|line| line.contains("•end")).unwrap();
            let (_, row) = row.split_once("•end").unwrap();
            assert!(!row.contains("Alice") && !row.contains("You"), "{row}");
            let is_loss = row.contains(" -1 ");
            assert_eq!(row.contains("lost"), is_loss, "{row}");
            assert_eq!(row.contains("won"), !is_loss, "{row}");
        });
    }
}

/// The same as `a_key_redraws_only_changed_cells` of the terminal, without a terminal: the number of cells does not
/// depend on the speed of the machine.
#[test]
fn a_key_changes_few_cells() {
    for size in SIZES {
        with("primes", &[Seat::Opponent], "enter 5 0", |debate| {
            let changed = |before: &Buffer, after: &Buffer| {
                let cells = before.content().iter().zip(after.content());
                cells.filter(|(before, after)| before != after).count()
            };
            let before = drawn(debate, size);
            let signs = before.content().iter().filter(|cell| cell.symbol() != " ");
            let signs = signs.count();
            press(debate, "k");
            let after = drawn(debate, size);
            let count = changed(&before, &after);
            assert!(
                0 < count && count < signs / 10,
                "{size:?}: {count} of {signs}"
            );
            // A key without an effect changes no cell.
            press(debate, "Z");
            assert_eq!(changed(&after, &drawn(debate, size)), 0, "{size:?}");
        });
    }
}

/// Returns the keys of a user's reply in a debate on `primes`, or a single move of another player. Estimates have
/// different lengths.
fn keys_of_step(screen: &str, step: usize) -> String {
    let numbers = ["0", "7 5", "6 6 . 6 7", "1 0 0", "9 3 . 7 5", "5"];
    let is_asked = |question: &str| screen.contains(question);
    if is_asked("├ How likely") {
        format!("{} enter", numbers[step % numbers.len()])
    } else if is_asked("├ Is this true") || is_asked("├ Is “") {
        "y enter".to_owned()
    } else if is_asked("about right?") {
        "1 enter".to_owned()
    } else if is_asked("Which subclaim") {
        "4 enter".to_owned()
    } else if screen.contains(" enter send ") {
        "enter".to_owned()
    } else {
        ".".to_owned()
    }
}

/// The marks of the claims have fixed columns during a debate at one size of the screen.
#[test]
fn no_mark_of_the_claims_moves_during_a_debate() {
    let signs = [
        "◂ you",
        "⚄ yes",
        "⚄ no",
        "▕",
        "▏",
        " %",
        "yes ◇",
        "yes ▲",
        "Alice ◇",
        "You ▲",
        "◂ 4",
    ];
    for (seat, size) in [Seat::Opponent, Seat::Prover]
        .into_iter()
        .flat_map(|seat| SIZES.map(|size| (seat, size)))
    {
        with("primes", &[seat], "", |debate| {
            let mut columns = BTreeMap::<&str, BTreeSet<usize>>::new();
            let mut screen = text(debate, size);
            for step in 0..200 {
                if screen.contains(" The end ") {
                    break;
                }
                for row in panel_rows_at_left(&screen) {
                    for sign in signs {
                        let before = row
                            .split_once(sign)
                            .map(|(before, _)| before.chars().count());
                        columns.entry(sign).or_default().extend(before);
                    }
                }
                press(debate, &keys_of_step(&screen, step));
                screen = text(debate, size);
            }
            assert!(screen.contains(" The end "), "{screen}");
            // Alice is asked in the column of her replies, and about her answer in that of the coins.
            for (sign, columns) in columns {
                assert!(columns.len() <= 1, "{seat} {size:?} {sign}: {columns:?}");
            }
        });
    }
}

/// The notice about the next move is complete at every width.
#[test]
fn the_notice_of_the_next_move_is_complete() {
    with("primes", &[Seat::Opponent], "", |debate| {
        let mut screen = text(debate, (120, 36));
        for step in 0..200 {
            if screen.contains("The judge, played by") {
                break;
            }
            press(debate, &keys_of_step(&screen, step));
            screen = text(debate, (120, 36));
        }
        for columns in 60..=200 {
            let screen = text(debate, (columns, 36));
            let (_, notice) = screen.split_once("You are BOB").expect(&screen);
            let lines = notice.lines().map(|line| line.trim_matches(['│', ' ']));
            let notice = lines.collect::<Vec<_>>().join(" ");
            let judge = "The judge, played by a judge who knows the answers (oracle), judges “";
            assert!(
                notice.contains(judge) && notice.contains("” next."),
                "{screen}"
            );
        }
    });
}

/// Returns the rows of the upper left panel without its frame.
fn panel_rows_at_left(screen: &str) -> impl Iterator<Item = String> {
    let frame = screen.lines().nth(1).unwrap_or_default();
    let width = frame.chars().skip(1).position(|c| ['┬', '╮'].contains(&c));
    let width = width.unwrap_or_default();
    let rows = screen
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('│'));
    rows.map(move |row| row.chars().skip(1).take(width).collect())
}

/// Each estimate of the round has its number in the explanation, however few rows the panel has.
#[test]
fn an_estimate_is_explained_with_its_number() {
    let script = "enter 0 enter enter 7 5 enter enter 6 7 enter enter 5 0 enter enter 9 9";
    with("primes", &[Seat::Opponent], script, |debate| {
        for rows in 30..46 {
            let screen = text(debate, (120, rows));
            let Some((_, panel)) = screen.split_once(" The estimates ") else {
                continue;
            };
            for number in ["75 %", "67 %", "50 %", "99 %"] {
                let row = panel.lines().find(|line| line.contains(number));
                // The first estimates share a row only if no row is free.
                let is_full = !panel
                    .lines()
                    .take_while(|line| !line.contains('┴'))
                    .any(|line| {
                        line.trim_end_matches('│')
                            .ends_with("│                                   ")
                    });
                assert!(
                    row.is_some() || is_full && number != "99 %",
                    "{rows} {number}:\n{screen}"
                );
            }
        }
    });
}

/// The tree of claims and the explanation give an estimate the same digits.
#[test]
fn an_estimate_has_the_same_digits_in_all_panels() {
    let script = "enter 0 enter enter 6 6 . 6 7";
    with(
        "primes",
        &[Seat::Opponent],
        &format!("{script} enter enter"),
        |debate| {
            for size in [(120, 36), (200, 60)] {
                let screen = text(debate, size);
                assert!(screen.matches("66.67 %").count() > 2, "{screen}");
                assert!(!screen.replace("66.67 %", "").contains("67 %"), "{screen}");
            }
        },
    );
}

#[test]
fn a_popup_leaves_no_ends_of_texts_beside_it() {
    with(
        "primes",
        &[Seat::Opponent],
        "enter 6 7 enter enter 9 0 enter enter",
        |debate| {
            let frame = |line: &str, column: usize| line.chars().nth(column) == Some('│');
            for columns in 110..=220 {
                press(debate, "i");
                let screen = text(debate, (columns, 60));
                press(debate, "esc");
                let line = screen
                    .lines()
                    .find(|line| line.contains("Now  "))
                    .expect(&screen);
                let cells: Vec<char> = line.chars().collect();
                let center = cells.len() / 2;
                let right = (center..cells.len()).find(|column| frame(line, *column));
                let right = right.expect("the frame of the popup");
                let beside: String = cells[right + 1..].iter().collect();
                let (end, _) = beside.split_once('│').unwrap_or((&beside, ""));
                let is_panel = end.chars().count() >= 12;
                assert!(is_panel || end.trim().is_empty(), "{columns}: {line}");
            }
        },
    );
}

/// At the end, the table of rewards shows all rounds, and says what its bars and its first column are.
#[test]
fn all_rewards_are_in_view_at_the_end() {
    let script = "0 enter".to_owned() + &" enter 5 0 enter".repeat(14);
    with(
        "primes",
        &[Seat::Opponent],
        &format!("enter {script}"),
        |debate| {
            for _ in 0..20 {
                press(debate, "enter");
            }
            for size in SIZES {
                let screen = text(debate, size);
                assert!(screen.contains(" The end "), "{screen}");
                for round in '0'..='4' {
                    let cells = screen.lines().flat_map(|line| line.split(['│', '↑']));
                    let mut rows = cells.map(|cell| cell.trim_start_matches([' ', '•', '◆']));
                    let is_row = |row: &str| {
                        row.strip_prefix(round)
                            .is_some_and(|row| row.starts_with(' '))
                    };
                    assert!(rows.any(is_row), "{size:?} {round}:\n{screen}");
                }
                assert!(screen.contains("log scale│"), "{screen}");
                // The scroll position of the transcript is no part of a row.
                assert!(size.0 < 110 || !screen.contains("↑•"), "{screen}");
                assert_eq!(
                    screen.contains(" round  "),
                    size.0 >= 200,
                    "{size:?}:\n{screen}"
                );
            }
        },
    );
}

/// Claims that are cut beside their hints have the whole text below them, also the last one of the list.
#[test]
fn each_subclaim_to_choose_from_is_readable_in_full_at_80_columns() {
    let setup: Setup = bundled("five-parts");
    let scene = valued(&setup, &[Seat::Prover], true);
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[Seat::Prover]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    let look = ScreenAppearance::default();
    let mut screen = String::new();
    for key in ["y", "1", "enter"].into_iter().cycle().take(60) {
        screen = settled(&mut debate, &look, 80, 24);
        if screen.contains("Which subclaim comes next?") {
            break;
        }
        press(&mut debate, key);
    }
    let (_, panel) = screen.rsplit_once('├').unwrap();
    for text in [
        "Every test passed.",
        "The notes name every change that users see.",
        "Every file that was added names its licence.",
        "No archive is larger than 5 MB.",
        "1.4.0.",
    ] {
        assert!(panel.contains(text), "{text}: {screen}");
    }
    insta::assert_snapshot!("long-subclaims", screen);
}
