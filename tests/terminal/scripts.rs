//! Texts in every script in a real terminal: the frames stay in place.
//!
//! The emulator measures one character at a time, as the simplest terminals do.

use std::fs;

use crate::support::pty::Pty;

/// Texts whose width a terminal may underestimate or overestimate.
const TEXTS: [&str; 8] = [
    "素数かどうか、한국어도 함께 씁니다、これは長い文です",
    "👩‍🔬👨‍👩‍👧‍👦 two of a family 🏳️‍🌈 👍🏽👍🏿 ❤️ 1️⃣ ☺︎",
    "🇩🇪🇫🇷🇯🇵 flags, and half a flag: 🇩",
    "z\u{301}\u{302}\u{303}\u{304}\u{330}a\u{331}\u{332}l\u{333}g\u{334}o\u{335}\u{336}\u{337} over and under",
    "هل العدد أولي؟ لا، ليس كذلك",
    "האם המספר ראשוני? 4331 לא",
    "क्\u{200d}ष नमस्ते می\u{200c}خواهم ทำได้ ក្រុម",
    "ᄀ\u{200d}ᅡ각 \u{1f3fd} \u{301}\u{302} 👩\u{200d}",
];

fn scenario() -> String {
    let claim = |(n, text): (usize, &str)| {
        format!(
            "        \"c{n}\": Claim(text: \"{text}\", truth: true, evidence: \"{text}\\n\\t{text}\"),\n"
        )
    };
    let claims: String = TEXTS.into_iter().enumerate().map(claim).collect();
    let ids: Vec<String> = (0..TEXTS.len()).map(|n| format!("\"c{n}\"")).collect();
    format!(
        "Scenario(\n    format: 1,\n    title: \"{}\",\n    about: \"{}\",\n    problem: Argument(root: \"r\", claims: {{\n        \
         \"r\": Claim(text: \"{} {}\", supports: [Support(label: \"{}\", gate: All, on: [{}])]),\n{claims}    }}),\n    \
         players: (prover: \"honest\", opponent: \"random\", judge: \"oracle\"),\n)\n",
        TEXTS[1],
        TEXTS.join(" "),
        TEXTS[1],
        TEXTS[4],
        TEXTS[5],
        ids.join(", ")
    )
}

/// Asserts that every line with a frame at the left end has one at the right. Lines between panels must be below the
/// corners above.
fn assert_framed(pty: &Pty, (columns, rows): (u16, u16), after: &str) {
    let cells = pty.screen(|screen| {
        let line = |row| {
            let cell = |column| {
                screen
                    .cell(row, column)
                    .map_or("", vt100::Cell::contents)
                    .to_owned()
            };
            (0..columns).map(cell).collect::<Vec<String>>()
        };
        (0..rows).map(line).collect::<Vec<_>>()
    });
    let whole = || {
        cells
            .iter()
            .map(|line| line.concat())
            .collect::<Vec<_>>()
            .join("\n")
    };
    let mut framed = 0;
    let mut bars: Vec<usize> = Vec::new();
    for line in &cells {
        let is =
            |column: usize, signs: &str| signs.contains(&line[column]) && !line[column].is_empty();
        let right = usize::from(columns) - 1;
        if is(0, "╭├") {
            assert!(is(right, "╮┤"), "after {after}:\n{}", whole());
            bars = (0..=right).filter(|column| is(*column, "╭╮├┤┬")).collect();
        } else if is(0, "│") {
            framed += 1;
            for bar in &bars {
                // An arrow marks more text.
                assert!(is(*bar, "│├┤↑↓"), "{bar} after {after}:\n{}", whole());
            }
        } else if is(0, "╰") {
            assert!(is(right, "╯"), "after {after}:\n{}", whole());
        }
    }
    // A small screen has no frames; leftovers of earlier texts are checked separately.
    assert!(framed >= 3 || columns < 80, "after {after}:\n{}", whole());
}

/// Asserts that the screen after many small changes equals a complete redraw.
fn assert_nothing_is_left(pty: &Pty, (columns, rows): (u16, u16)) {
    let trimmed = |text: &str| {
        let lines = text.lines().map(str::trim_end);
        lines.collect::<Vec<_>>().join("\n")
    };
    pty.settle();
    let before = trimmed(&pty.screen(vt100::Screen::contents));
    pty.resize(columns + 1, rows);
    pty.settle();
    pty.resize(columns, rows);
    pty.wait_until(&before, |shown| trimmed(shown) == before);
}

#[test]
fn every_script_stays_within_its_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scripts.ron");
    fs::write(&path, scenario()).unwrap();
    let path = path.to_str().unwrap();
    for size in [(80, 24), (40, 12)] {
        for role in ["none", "estimator", "judge"] {
            let mut pty = Pty::program_at(&[path, "--role", role, "--seed", "7"], size, &[]);
            pty.begin();
            pty.wait_for("Next move");
            let mut typed = String::new();
            for keys in [
                "\r", " ", "50\r", "\t", "\x1b[6~", "\t", "\x1b[6~", "G", "\r", "?", "\x1b", "\r",
            ] {
                pty.type_in(keys);
                typed.push_str(&keys.escape_debug().to_string());
                pty.settle();
                assert_framed(&pty, size, &typed);
            }
            assert_nothing_is_left(&pty, size);
            let bytes = pty.bytes();
            let sent = String::from_utf8_lossy(&bytes);
            let turned = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            assert!(!sent.contains(turned));
            assert!(
                size.0 < 80 || sent.contains('ה') && sent.contains('素'),
                "the texts are shown"
            );
        }
    }
}

#[test]
fn a_scenario_cannot_turn_the_reading_direction() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trojan.ron");
    for c in ['\u{202e}', '\u{2067}', '\u{200f}', '\u{ad}'] {
        fs::write(&path, scenario().replace("flags", &format!("fla{c}gs"))).unwrap();
        let mut pty = Pty::program_at(&[path.to_str().unwrap()], (80, 24), &[]);
        assert_eq!(pty.exit_code(), 2);
        let bytes = pty.bytes();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("remove it") && !text.contains(c), "{text:?}");
    }
}
