//! The rewards and the question are visible in every frame, at every size.

use debate_core::number::{Exact, Number};
use debate_core::protocol::{Log, Reward, Rules as _, Seat, State};
use debate_host::record::SavedDebateWithCursor;
use debate_text::PayoffFormatter;
use debate_tui::tui::debate::{DebateScreen, ReplayScreen};
use debate_tui::tui::keys;
use debate_tui::tui::screen::Screen;
use debate_tui::tui::theme::{ASCII, ScreenAppearance};
use ratatui::buffer::Buffer;

use super::table::{Anything, TABLE};
use super::{TO_THE_PICTURE, picture, press};
use crate::support::scenes::{Setup, bundled, primes, primes_recursive};

/// Columns around every bound of the layout, starting with the smallest width of a strip with two lines; and rows.
const COLUMNS: [u16; 11] = [60, 69, 70, 80, 109, 110, 120, 179, 180, 200, 250];
const ROWS: [u16; 4] = [20, 24, 36, 60];

/// Screens of a debate without an overlay.
const DEBATES: [&str; 25] = [
    "ask-answer",
    "ask-estimate-first",
    "ask-estimate",
    "ask-bet",
    "ask-support",
    "ask-choice",
    "ask-contest",
    "ask-proof-bit",
    "ask-answers",
    "ask-bits",
    "ask-halves",
    "ask-transcript",
    "ask-variables",
    "ask-steps",
    "ask-share",
    "ask-oracle",
    "watch",
    "tree",
    "search",
    "compose",
    "end",
    "replay",
    "replay-transcript",
    "lesson-question",
    "lesson-end",
];

/// Debates with a human judge.
const JUDGES: [&str; 4] = ["ask-oracle", "watch", "tree", "search"];

/// The rewards always show their total, except to a judge, who sees no figures.
fn tells_rewards(name: &str, text: &str) -> bool {
    text.contains("total ") != JUDGES.contains(&name)
}

fn with_debates(mut test: impl FnMut(&str, &mut dyn Anything)) {
    let mut found = 0;
    for made in TABLE.iter().filter(|made| DEBATES.contains(&made.name)) {
        found += 1;
        (made.hand_out)(&mut |screen| test(made.name, screen));
    }
    assert_eq!(found, DEBATES.len());
}

/// Checks that every screen of a debate shows the total at these sizes.
fn check_total(sizes: &[(u16, u16)]) {
    with_debates(|name, screen| {
        let unicode = ScreenAppearance::default().glyphs;
        // Three does not divide the number of rows, so both sets of glyphs are drawn with all columns and all rows.
        let glyphs = [unicode, &ASCII, unicode].into_iter().cycle();
        for (&(columns, rows), glyphs) in sizes.iter().zip(glyphs) {
            let look = ScreenAppearance {
                glyphs,
                ..ScreenAppearance::default()
            };
            let text = picture::text(&screen.at(&look, columns, rows));
            assert!(
                tells_rewards(name, &text),
                "{name} at {columns}x{rows}:\n{text}"
            );
        }
        // At the smallest size, the rewards have one line.
        let text = picture::text(&screen.at(&ScreenAppearance::default(), 40, 12));
        assert!(tells_rewards(name, &text), "{name}:\n{text}");
    });
}

#[test]
fn every_screen_of_a_debate_shows_the_total() {
    // Each number of columns and each number of rows at least once.
    let sizes: Vec<(u16, u16)> = COLUMNS.into_iter().zip(ROWS.into_iter().cycle()).collect();
    check_total(&sizes);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: every_screen_of_a_debate_shows_the_total"]
fn every_screen_of_a_debate_shows_the_total_at_every_size() {
    let sizes = COLUMNS.map(|columns| ROWS.map(|rows| (columns, rows)));
    check_total(sizes.as_flattened());
}

/// Checks the total after each move of whole debates: in all four layouts after every `stride`-th move, and in a single
/// layout after the others.
fn check_total_of_moves(stride: usize) {
    const LAYOUTS: [(u16, u16); 4] = [(60, 20), (80, 24), (110, 20), (200, 60)];
    let map = keys::default_key_map().unwrap();
    for setup in [
        primes(),
        primes_recursive(),
        bundled("turing"),
        bundled("one-question"),
    ] {
        let scene = setup.scene();
        let mut seating = setup.seating(&[]);
        while seating.make_automatic_move().is_ok() {}
        let (start, moves) = (seating.state_at_start().clone(), seating.moves());
        let history = SavedDebateWithCursor::from_moves(start.clone(), moves).unwrap();
        let mut replay = ReplayScreen::new(history, &scene, &map);
        for step in 0..=moves.len() {
            replay.go_to_step(step);
            let layouts = if step % stride == 0 {
                &LAYOUTS[..]
            } else {
                std::slice::from_ref(&LAYOUTS[step % LAYOUTS.len()])
            };
            for &(columns, rows) in layouts {
                let look = ScreenAppearance::default();
                let text = picture::text(&picture::buffer(&mut replay, &look, columns, rows));
                assert!(
                    tells_rewards("", &text),
                    "{step} at {columns}x{rows}:\n{text}"
                );
            }
        }
        // At the end the total equals the payments of the rules, in points.
        let mut state: State<'_, Exact> = start;
        let mut log = Log::default();
        for made in moves {
            state.reply(made.reply.clone(), &mut log).unwrap();
        }
        let rewards: Vec<Exact> = log.paid_rewards().map(Reward::payment_to_prover).collect();
        let amounts = PayoffFormatter::formatter_in_points_of_schedule(&state.schedule());
        let total = amounts.amounts_with_sum(&rewards, &state.payoff()).sum;
        let text = picture::text(&picture::buffer(
            &mut replay,
            &ScreenAppearance::default(),
            60,
            20,
        ));
        assert!(
            text.contains(&format!("total to Alice {total} ")),
            "{total}: {text}"
        );
    }
}

#[test]
fn the_total_is_shown_after_every_move() {
    check_total_of_moves(16);
}

#[test]
#[ignore = "exhaustive: 1 s; every day: the_total_is_shown_after_every_move"]
fn the_total_is_shown_after_every_move_in_every_layout() {
    check_total_of_moves(1);
}

fn played<T>(
    setup: &Setup,
    seat: Seat,
    script: &str,
    look: impl FnOnce(&mut DebateScreen) -> T,
) -> T {
    let scene = setup.scene();
    let map = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[seat]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &map);
    press(&mut debate, script);
    look(&mut debate)
}

fn text_of(debate: &mut impl Screen, columns: u16, rows: u16) -> String {
    picture::text(&picture::buffer(
        debate,
        &ScreenAppearance::default(),
        columns,
        rows,
    ))
}

/// The same debate from its three seats: each seat sees its own sign.
#[test]
fn figures_carry_the_sign_of_the_seat_that_looks() {
    let to_the_question = "enter";
    played(&primes(), Seat::Judge, to_the_question, |debate| {
        let text = text_of(debate, 80, 24);
        assert!(
            !text.contains("Rewards") && !text.contains("total"),
            "{text}"
        );
        // No panel shows a judge an estimate, a coin or a bet.
        assert!(!text.contains(['%', '⚄', '◇', '▲', '▼']), "{text}");
    });
    // Bob's estimate is 100 %: the coin agrees with Alice, who gets one point from him.
    played(
        &primes(),
        Seat::Opponent,
        "enter 1 0 0 enter enter",
        |debate| {
            let text = text_of(debate, 80, 24);
            assert!(text.contains("total -1 "), "{text}");
        },
    );
}

#[test]
fn one_key_shows_points_as_payoffs_and_back() {
    played(
        &primes(),
        Seat::Opponent,
        "enter 1 0 0 enter enter 5 0",
        |debate| {
            let before = text_of(debate, 80, 24);
            assert!(
                before.contains("total -1 ") && before.contains("▸1     ±10 "),
                "{before}"
            );
            press(debate, "=");
            let exact = text_of(debate, 80, 24);
            assert!(exact.contains("total -0.0001"), "{exact}");
            assert!(exact.contains("±0.001"), "{exact}");
            // The input field still has the answer.
            assert!(exact.contains("50_ %"), "{exact}");
            // Any other key removes the notice.
            press(debate, "= f3 esc");
            assert_eq!(text_of(debate, 80, 24), before);
        },
    );
}

/// A judge whose question has a sealed bet sees neither its amount nor its direction.
#[test]
fn the_strip_hides_sealed_bets() {
    let told = |script: &str| {
        let setup = Setup {
            players: ["random", "bayes", "oracle"].map(str::to_owned),
            seed: script.to_owned(),
            ..primes()
        };
        played(&setup, Seat::Judge, "enter", |debate| {
            let text = text_of(debate, 60, 20);
            let line = text.lines().find(|line| line.contains("this round "));
            line.unwrap_or_default().to_owned()
        })
    };
    for seed in ["1", "2", "3", "4", "5", "6"] {
        let line = told(seed);
        assert!(line.is_empty(), "{seed}: {line}");
    }
}

/// Returns true if a row of the picture is part of the frame, starting at its first column.
fn starts(line: &str, signs: &[char]) -> bool {
    line.starts_with(signs)
}

/// The lines inside the lowest panel, and the number of rows inside those above it.
fn parts(buffer: &Buffer) -> (Vec<String>, usize) {
    let text = picture::text(buffer);
    let lines: Vec<&str> = text.lines().collect();
    let top = lines
        .iter()
        .rposition(|line| starts(line, &['╭', '├']))
        .unwrap();
    let inside = lines[top + 1..].iter();
    let inside = inside.take_while(|line| !starts(line, &['╰']));
    let strip = |line: &&str| line.trim_matches(['│', '↓', '↑']).trim().to_owned();
    let first = lines.iter().position(|line| starts(line, &['╭'])).unwrap();
    let above = lines[first + 1..].iter();
    let above = above.take_while(|line| !starts(line, &['╰', '├'])).count();
    (inside.map(strip).collect(), above)
}

/// Checks that the question and its notes are not cut if a panel above them has a free line.
fn check_question(columns: &[u16]) {
    let look = ScreenAppearance::default();
    with_debates(|name, screen| {
        // Lists that may scroll, and the report, which scrolls.
        let scrolls = [
            "ask-bits",
            "ask-steps",
            "ask-transcript",
            "ask-variables",
            "ask-halves",
            "compose",
        ];
        let asks = name.starts_with("ask-") || name == "lesson-question";
        if !asks || scrolls.contains(&name) {
            return;
        }
        for &columns in columns {
            // The background is shown only if there is room for the whole text.
            let about = [primes().about, crate::support::scenes::bridge().about];
            let (all, _) = parts(&screen.at(&look, columns, 200));
            // Every height occurs at some width.
            for rows in (20 + columns / 20 % 4..60).step_by(4) {
                let (shown, above) = parts(&screen.at(&look, columns, rows));
                let cut = all.iter().find(|line| {
                    let background = about.iter().any(|about| about.contains(line.as_str()));
                    !background && !shown.contains(line)
                });
                assert!(
                    cut.is_none() || above <= 3,
                    "{name} at {columns}x{rows}: {cut:?} with {above} rows above\n{}",
                    picture::text(&screen.at(&look, columns, rows))
                );
            }
        }
    });
}

#[test]
fn the_question_is_complete_if_there_is_room() {
    check_question(&[60, 120]);
}

#[test]
#[ignore = "exhaustive: 1 s; every day: the_question_is_complete_if_there_is_room"]
fn the_question_is_complete_if_there_is_room_at_any_width() {
    check_question(&[60, 80, 100, 120, 200]);
}

#[test]
fn the_background_of_a_question_is_one_key_away() {
    played(&primes(), Seat::Opponent, TO_THE_PICTURE, |debate| {
        let before = text_of(debate, 80, 24);
        press(debate, "i");
        let page = text_of(debate, 100, 50);
        for told in [
            "Now",
            "Then",
            "The rules",
            "exact payoffs count it as 0.0001",
        ] {
            assert!(page.contains(told), "{told}: {page}");
        }
        // Each key closes its own page, and opens it over the other page.
        press(debate, "b");
        let page = text_of(debate, 100, 50);
        assert!(
            page.contains("You are BOB") && !page.contains("The rules"),
            "{page}"
        );
        press(debate, "b");
        assert_eq!(text_of(debate, 80, 24), before);
    });
}

#[test]
fn a_wide_window_shows_claims_in_full() {
    played(&primes(), Seat::Opponent, TO_THE_PICTURE, |debate| {
        let text = text_of(debate, 200, 60);
        assert!(
            text.contains("├ 4331 has no divisor from 18 to 33"),
            "{text}"
        );
    });
}

/// A claim has a bar if there is room for it. Its number and its coin are in every list of claims.
#[test]
fn claims_are_aligned_in_columns() {
    played(&primes(), Seat::Opponent, TO_THE_PICTURE, |debate| {
        for (columns, rows) in [(200, 60), (120, 36), (80, 24)] {
            let text = text_of(debate, columns, rows);
            let mut lines = text.lines();
            let row = lines.find(|line| line.contains("├ ") && line.contains('⚄'));
            let row = row.unwrap_or_default();
            assert!(row.contains(" %") && row.contains('▕'), "{text}");
            assert!(text.contains("◂ you"), "{text}");
        }
    });
}

/// The payment of the last step is marked among the rewards.
#[test]
fn a_reward_is_marked_wherever_it_shows() {
    let setup = primes();
    let scene = setup.scene();
    let map = keys::default_key_map().unwrap();
    let mut seating = setup.seating(&[]);
    while seating.make_automatic_move().is_ok() {}
    let moves = seating.moves().to_vec();
    let start = seating.state_at_start().clone();
    let mut replay = ReplayScreen::new(
        SavedDebateWithCursor::from_moves(start.clone(), &moves).unwrap(),
        &scene,
        &map,
    );
    let mut state: State<'_, Exact> = start;
    let mut paid = 0;
    for (number, made) in moves.into_iter().enumerate() {
        let before = state.payoff();
        state.reply(made.reply, &mut ()).unwrap();
        if state.payoff() == before {
            continue;
        }
        paid += 1;
        replay.go_to_step(number + 1);
        let text = text_of(&mut replay, 160, 50);
        let marked = text
            .lines()
            .filter(|line| line.contains('•'))
            .collect::<Vec<_>>();
        let rewards = |line: &&str| line.chars().skip(110).any(|c| c == '•');
        assert!(marked.iter().any(rewards), "{text}");
    }
    assert!(paid > 0, "{}", state.payoff().to_float());
}
