//! Texts of every script, and texts that no scenario file may hold, in the buffers of the screens.

use std::sync::Arc;

use debate_tui::protocol::{Protocol, Seat};
use debate_tui::scenario::{
    Argument, ArgumentSpec, ClaimSpec, Instance, Oracle, Path, SupportSpec,
};
use debate_tui::text::is_unsafe;
use debate_tui::tui::panel::measure;
use debate_tui::tui::screen::{Debate, Show, keys};
use debate_tui::tui::theme::{ASCII, Look};
use debate_tui::{gate::Gate, number::Exact, number::Number};
use ratatui::buffer::Buffer;

use super::{picture, press};
use crate::scenes::Setup;

/// Wide signs, joined emoji, flags, marks, both directions with the controls that turn them,
/// joiners, hyphens that do not show, tabs, and what would move the cursor.
const TEXTS: [&str; 7] = [
    "素数かどうか、한국어도 함께 씁니다、これは長い文です",
    "👩‍🔬👨‍👩‍👧‍👦 two of a family 🏳️‍🌈 👍🏽 ❤️ 1️⃣ 🇩🇪🇫🇷🇩",
    "z\u{301}\u{302}\u{330}a\u{331}\u{332}l\u{333}g\u{334}o\u{335}\u{337} over and under",
    "هل العدد \u{202e}أولي\u{202c}؟ \u{2067}לא\u{2069}\u{200f} 4331 if (admin\u{202e} \u{2066}// check\u{2069}",
    "क्\u{200d}ष نمی\u{200c}خواهم ทำได้ ក្រុម ᄀ\u{1161}\u{11a8} \u{17d8} ⸻ ｶﾞ",
    "soft\u{ad}hy\u{ad}phens\tand\ttabs\u{200b}\u{2060}\u{feff}\u{3164}",
    "\u{1b}[2J\u{9b}31m\u{7}\u{8}\r\n\u{301}\u{200d}\u{fe0f}\u{1f3fd}",
];

fn hostile() -> Setup {
    let names = || (0..TEXTS.len()).map(|n| format!("c{n}"));
    let root = ClaimSpec {
        text: TEXTS.join(" "),
        supports: vec![SupportSpec {
            label: Some(TEXTS[3].to_owned()),
            gate: Gate::All,
            on: names().collect(),
            sound: true,
        }],
        ..ClaimSpec::default()
    };
    let leaf = |text: &&str| ClaimSpec {
        text: (*text).to_owned(),
        truth: Some(true),
        evidence: Some(format!("{text}\n{text}")),
        estimate: Some(Exact::ratio(7, 10)),
        ..ClaimSpec::default()
    };
    let leaves = names().zip(TEXTS.iter().map(leaf));
    let spec = ArgumentSpec {
        root: "root".to_owned(),
        claims: std::iter::once(("root".to_owned(), root))
            .chain(leaves)
            .collect(),
        proof: Vec::new(),
        worlds: Vec::new(),
    };
    let argument = Argument::build(spec, &Path::field("problem")).unwrap();
    Setup {
        instance: Instance::new(Arc::new(argument), 0, Oracle::Truth),
        protocol: Protocol::parse("ProverEstimator(epsilon: 0.25, rho: \"1/2\")").unwrap(),
        title: TEXTS.join(" "),
        about: TEXTS.join(" "),
        players: ["honest", "stubborn(0.6)", "oracle"].map(str::to_owned),
        seed: TEXTS[1].to_owned(),
    }
}

/// Every place holds what it has room for, and lines that a frame begins at the left end with it
/// at the right.
fn assert_framed(buffer: &Buffer) {
    let right = buffer.area.width - 1;
    for row in 0..buffer.area.height {
        let symbol = |column: u16| buffer[(column, row)].symbol();
        let mut column = 0;
        while column <= right {
            let here = symbol(column);
            assert!(!here.contains(is_unsafe), "{here:?}");
            // Where the sign in a place is measured character by character, it ends where the
            // next one begins.
            let width = measure::width(here).max(1);
            for hidden in column + 1..column + u16::try_from(width).unwrap() {
                assert_eq!(symbol(hidden), " ", "{row}, {hidden}");
            }
            column += u16::try_from(width).unwrap();
        }
        assert_eq!(
            column,
            right + 1,
            "a sign stands across the edge of line {row}"
        );
        let told = || picture::text(buffer);
        match symbol(0) {
            "┌" | "┏" => assert!("┐┓".contains(symbol(right)), "{}", told()),
            "└" | "┗" => assert!("┘┛".contains(symbol(right)), "{}", told()),
            "│" | "┃" => assert!("│┃↑↓".contains(symbol(right)), "{}", told()),
            _ => {}
        }
    }
}

#[test]
fn every_text_stays_in_its_place() {
    let setup = hostile();
    let scene = setup.scene();
    let keys = keys::map().unwrap();
    for (columns, rows) in [(80, 24), (40, 12), (160, 50), (71, 13)] {
        for seat in [Seat::Prover, Seat::Opponent, Seat::Judge] {
            for look in [
                Look::default(),
                Look {
                    glyphs: &ASCII,
                    ..Look::default()
                },
            ] {
                let mut seating = setup.seating(&[seat]);
                let mut debate = Debate::new(&mut seating, &scene, &keys);
                for script in [
                    "",
                    "enter",
                    "5 0 enter",
                    "y enter",
                    "space",
                    "tab",
                    "tab",
                    "G",
                    "?",
                    "esc",
                    "enter",
                    "enter",
                ] {
                    press(&mut debate, script);
                    assert_framed(&picture::buffer(&mut debate, &look, columns, rows));
                }
                debate.say(TEXTS.join(" "));
                assert_framed(&picture::buffer(&mut debate, &look, columns, rows));
            }
        }
    }
}
