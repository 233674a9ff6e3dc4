//! Several players at one keyboard, and subclaims in a user's own words.

use debate_core::number::{Exact, Number as _};
use debate_core::protocol::{Bet, BitString, Reply, Request, Seat};
use debate_host::Debate;
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::screen::{Screen, ScreenEffect, ScreenExt as _, ScreenWithTimedUpdates as _};
use debate_tui::tui::theme::ScreenAppearance;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent, MouseEventKind};

use super::values::{settled, valued};
use super::{picture, press};
use crate::support::scenes::{Setup, bridge, bundled, primes, primes_recursive};

fn text(show: &mut impl Screen) -> String {
    picture::text(&picture::buffer(show, &ScreenAppearance::default(), 80, 24))
}

fn write(debate: &mut DebateScreen, text: &str) {
    for c in text.chars() {
        debate.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
    }
}

fn control(debate: &mut DebateScreen, c: char) {
    debate.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL));
}

/// Opens a debate in which every seat has a human player.
fn together(setup: &Setup, test: impl FnOnce(&mut DebateScreen)) {
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&Seat::PLAYERS);
    test(&mut DebateScreen::new(&mut running, players, &scene, &keys));
}

fn open() -> Setup {
    bundled("open")
}

#[test]
fn two_people_and_a_judge_debate_in_their_own_words() {
    together(&open(), |debate| {
        press(debate, "y enter");
        let cover = text(debate);
        assert!(cover.contains("Hand the keyboard to Bob"), "{cover}");
        press(debate, "enter 5 0 enter enter");
        let bet = text(debate);
        assert!(bet.contains("Hand the keyboard to Alice"), "{bet}");
        press(debate, "enter 1 enter");
        insta::assert_snapshot!("composing_empty", text(debate));
        write(debate, "Readers would use them: quickly?");
        press(debate, "enter");
        write(debate, "図書館 can afford it");
        control(debate, 't');
        control(debate, 'g');
        insta::assert_snapshot!("composing", text(debate));
        let small = picture::buffer(debate, &ScreenAppearance::default(), 45, 20);
        insta::assert_snapshot!("composing_small", picture::text(&small));
        press(debate, "enter enter");
        let handed = text(debate);
        assert!(handed.contains("Hand the keyboard to Bob"), "{handed}");
        assert!(!handed.contains("Readers"), "{handed}");
        press(debate, "enter");
        let asked = text(debate);
        assert!(
            asked.contains("Readers would use them: quickly?"),
            "{asked}"
        );
        press(debate, "6 0 enter enter 3 0 enter enter enter 2 enter");
        // The subclaim that the judge got is not split further.
        press(debate, "1 enter");
        let handed = text(debate);
        assert!(
            handed.contains("Hand the keyboard to the judge"),
            "{handed}"
        );
        press(debate, "enter");
        let asked = text(debate);
        assert!(asked.contains("You are the JUDGE"), "{asked}");
        press(debate, "y enter");
        let over = text(debate);
        assert!(over.contains("The end"), "{over}");
    });
}

#[test]
fn letters_are_text_on_a_line_and_mistakes_are_shown() {
    together(&open(), |debate| {
        press(debate, "y enter enter 5 0 enter enter enter 1 enter");
        write(debate, "u?:q");
        let shown = text(debate);
        assert!(shown.contains("u?:q_"), "{shown}");
        press(debate, "enter");
        debate.paste("u?:q\nanother\nthird\nfourth\nfifth");
        press(debate, "enter");
        let shown = text(debate);
        assert!(shown.contains("are equal"), "{shown}");
        // The listed supports are above the gate.
        press(debate, "up up up up up up up enter");
        let shown = text(debate);
        assert!(shown.contains("Hand the keyboard to Bob"), "{shown}");
    });
}

#[test]
fn handing_over_the_keyboard_blocks_all_other_actions() {
    together(&primes(), |debate| {
        press(debate, "y enter");
        let cover = text(debate);
        assert!(cover.contains("Hand the keyboard to Bob"), "{cover}");
        for keys in ["1", "tab", "/", "y", "space", ".", "p", "h", "3", "g"] {
            assert_eq!(press(debate, keys), ScreenEffect::None, "{keys}");
            assert_eq!(text(debate), cover, "{keys}");
        }
        for kind in [MouseEventKind::ScrollUp, MouseEventKind::Moved] {
            debate.mouse(MouseEvent {
                kind,
                column: 20,
                row: 8,
                modifiers: KeyModifiers::NONE,
            });
        }
        debate.paste("50");
        debate.wake();
        assert_eq!(text(debate), cover);
        // The palette offers no action that would reveal more.
        press(debate, ":");
        let palette = text(debate);
        assert!(!palette.contains("Copy the round"), "{palette}");
        press(debate, "esc");
        // Alice may undo her answer before Bob sits down, and Bob may not.
        assert!(text(debate).contains("u undo"));
        press(debate, "u");
        let again = text(debate);
        assert!(
            again.contains("undone") && again.contains("You are ALICE"),
            "{again}"
        );
        press(debate, "n enter enter");
        let bob = text(debate);
        assert!(
            bob.contains("You are BOB") && !bob.contains("u undo"),
            "{bob}"
        );
        press(debate, "u");
        let refused = text(debate);
        assert!(
            refused.contains("Not undone: the last reply is Alice's"),
            "{refused}"
        );
    });
}

/// Columns and rows of the pictures that are compared.
type Sizes = &'static [(u16, u16)];

/// The narrow and the wide layout.
const FEW_SIZES: Sizes = &[(45, 20), (111, 30)];
const ALL_SIZES: Sizes = &[(40, 12), (45, 20), (80, 24), (111, 30), (160, 50)];

/// The pictures of a debate that a seat sees after these replies: before it takes the keyboard, and after each key.
fn pictures(setup: &Setup, replies: &[Reply<Exact>], then: &[&str], sizes: Sizes) -> Vec<String> {
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let mut seating = setup.seating(&Seat::PLAYERS);
    for reply in replies {
        seating.reply(reply.clone()).unwrap();
        while seating.awaited_seat_of_user_or_driving_program().is_none() {
            seating.make_automatic_move().unwrap();
        }
    }
    let (mut running, players) = (Debate::new(seating, None), setup.thread(&Seat::PLAYERS));
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    let mut pictures = Vec::new();
    for press_next in [""].iter().chain(then) {
        // The text to copy is compared as well.
        pictures.push(format!("{:?}", press(&mut debate, press_next)));
        for &(columns, rows) in sizes {
            let buffer = picture::buffer(&mut debate, &ScreenAppearance::default(), columns, rows);
            pictures.push(picture::text(&buffer) + &picture::styles(&buffer));
        }
    }
    pictures
}

/// Checks that a sealed answer or bet changes no picture for the next seat.
fn check_sealed(sizes: Sizes) {
    let half = || Reply::Probability(Exact::ratio(1, 2));
    // Goes through all panels, the help, the palette and a refused undo.
    let keys = [
        "enter", "1", "2", "tab", "y", "tab", "y", "tab", "y", "u", ":", "esc",
    ];
    for setup in [primes(), bridge(), open()] {
        let pairs = [
            [true, false].map(|answer| vec![Reply::Answer(answer)]),
            [Bet::TooLow, Bet::TooHigh].map(|bet| {
                vec![
                    Reply::Answer(true),
                    half(),
                    Reply::Direction(bet),
                    Reply::Support(0),
                ]
            }),
            [Bet::TooLow, Bet::AboutRight].map(|bet| {
                vec![
                    Reply::Answer(true),
                    half(),
                    Reply::Direction(bet),
                    Reply::Support(0),
                    half(),
                ]
            }),
        ];
        for [one, other] in pairs {
            let one = pictures(&setup, &one, &keys, sizes);
            assert!(one[1].contains("Hand the keyboard to"), "{}", one[1]);
            assert!(one.iter().any(|shown| shown.starts_with("Copy(")));
            let other = pictures(&setup, &other, &keys, sizes);
            assert_eq!(one, other, "{}", setup.title);
        }
    }
}

#[test]
fn a_sealed_reply_changes_no_picture_of_another_seat() {
    check_sealed(FEW_SIZES);
}

#[test]
#[ignore = "exhaustive: 3 s; every day: a_sealed_reply_changes_no_picture_of_another_seat"]
fn a_sealed_reply_changes_no_picture_of_another_seat_at_any_size() {
    check_sealed(ALL_SIZES);
}

/// All replies up to the judge's question; `last` is the bet on the leaf.
fn to_the_judge(setup: &Setup, last: Bet) -> Vec<Reply<Exact>> {
    let mut seating = setup.seating(&Seat::PLAYERS);
    let mut replies = Vec::new();
    while let Some(turn) = seating.turn() {
        let reply = match turn.request {
            Request::Draw { .. } => {
                seating.make_automatic_move().unwrap();
                continue;
            }
            Request::Oracle { .. } => return replies,
            Request::Answer { .. } => Reply::Answer(true),
            Request::Probability { .. } => Reply::Probability(Exact::ratio(1, 4)),
            Request::Direction { claim } if setup.instance.is_leaf(claim) => Reply::Direction(last),
            Request::Direction { .. } => Reply::Direction(Bet::TooLow),
            Request::Support { .. } => Reply::Support(0),
            Request::Select { .. } => Reply::Select(0),
            other => panic!("{other:?}"),
        };
        seating.reply(reply.clone()).unwrap();
        replies.push(reply);
    }
    panic!("nobody asked the judge");
}

/// Checks that Alice's sealed bet on the leaf changes no picture of a judge who shares her keyboard.
fn check_judge(sizes: Sizes) {
    let keys = [
        "enter", "y", "n", "tab", "1", "2", "3", "tab", "tab", "u", ":", "esc", "?", "esc",
    ];
    for setup in [primes(), bridge()] {
        let bets = [Bet::TooLow, Bet::AboutRight, Bet::TooHigh];
        let [one, other, third] =
            bets.map(|bet| pictures(&setup, &to_the_judge(&setup, bet), &keys, sizes));
        // The first element is the effect of no key; a picture of each size follows.
        assert!(
            one[2].contains("Hand the keyboard to the judge"),
            "{}",
            one[2]
        );
        let asked = one.iter().find(|shown| shown.contains("no, it is false"));
        let asked = asked.unwrap();
        assert!(!asked.contains("0 or "), "{asked}");
        assert_eq!(one, other, "{}", setup.title);
        assert_eq!(one, third, "{}", setup.title);
        // A judge without other players at the keyboard does not learn it either.
        let scene = setup.scene();
        let map = keys::default_key_map().unwrap();
        let (mut running, players) = setup.debate(&[Seat::Judge]);
        let mut debate = DebateScreen::new(&mut running, players, &scene, &map);
        press(&mut debate, "enter");
        let shown = text(&mut debate);
        assert!(shown.contains("Is this claim true"), "{shown}");
    }
}

#[test]
fn a_judge_beside_alice_sees_no_trace_of_her_bet() {
    check_judge(FEW_SIZES);
}

#[test]
#[ignore = "exhaustive: 1 s; every day: a_judge_beside_alice_sees_no_trace_of_her_bet"]
fn a_judge_beside_alice_sees_no_trace_of_her_bet_at_any_size() {
    check_judge(ALL_SIZES);
}

#[test]
fn hints_at_a_shared_keyboard_ignore_sealed_replies() {
    let setup = primes();
    let scene = valued(&setup, &Seat::PLAYERS, true);
    let map = keys::default_key_map().unwrap();
    let shown = [Bet::TooLow, Bet::AboutRight, Bet::TooHigh].map(|bet| {
        let mut seating = setup.seating(&Seat::PLAYERS);
        for reply in to_the_judge(&setup, bet) {
            seating.reply(reply).unwrap();
            while seating.awaited_seat_of_user_or_driving_program().is_none() {
                seating.make_automatic_move().unwrap();
            }
        }
        let (mut running, players) = (Debate::new(seating, None), setup.thread(&Seat::PLAYERS));
        let mut debate = DebateScreen::new(&mut running, players, &scene, &map);
        press(&mut debate, "enter y");
        settled(&mut debate, &ScreenAppearance::default(), 100, 30)
    });
    assert!(shown[0].contains("no, it is false"), "{}", shown[0]);
    assert_eq!(shown[0], shown[1]);
    assert_eq!(shown[0], shown[2]);
}

#[test]
fn handing_over_hides_the_debate_until_confirmed() {
    let setup = primes_recursive();
    let claims = |bits: &str| {
        vec![
            Reply::Answer(true),
            Reply::Support(0),
            Reply::Bits(BitString::parse(bits).unwrap()),
        ]
    };
    // No reply is sealed here, but the screen is covered all the same.
    let covered = pictures(&setup, &claims("1111"), &[], ALL_SIZES);
    assert!(covered.iter().all(|picture| !picture.contains("none of")));
    assert!(covered.iter().any(|picture| picture.contains("to Bob")));
}

/// Draws the cover and the editor of a support at these columns and rows.
fn check_cover_and_editor(columns: &[u16], rows: &[u16]) {
    together(&open(), |debate| {
        press(debate, "y enter");
        for cover in [true, false] {
            if !cover {
                press(debate, "enter 5 0 enter enter enter 1 enter");
                debate.paste("one\n二 two\nمرحبا بالعالم\n👩‍👩‍👧‍👦 family");
            }
            for &columns in columns {
                for &rows in rows {
                    let buffer =
                        picture::buffer(debate, &ScreenAppearance::default(), columns, rows);
                    let shown = picture::text(&buffer);
                    if columns >= 45 && rows >= 20 {
                        let wanted = if cover {
                            "Hand the keyboard"
                        } else {
                            "family_"
                        };
                        assert!(shown.contains(wanted), "{columns}x{rows}\n{shown}");
                    }
                }
            }
        }
    });
}

#[test]
fn the_cover_and_the_editor_fit_any_terminal() {
    check_cover_and_editor(&[1, 12, 39, 45, 78, 111, 250], &[1, 6, 11, 20, 26, 80]);
}

#[test]
#[ignore = "exhaustive: 1 s; every day: the_cover_and_the_editor_fit_any_terminal"]
fn the_cover_and_the_editor_fit_very_many_terminals() {
    let columns: Vec<u16> = (1..=250).step_by(11).collect();
    let rows: Vec<u16> = (1..=80).step_by(5).collect();
    check_cover_and_editor(&columns, &rows);
}
