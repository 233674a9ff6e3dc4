//! Texts in every script, and texts that scenario files may not contain, in the buffers of the screens.

use std::sync::Arc;

use debate_core::gate::Gate;
use debate_core::number::{Exact, Number};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::{
    ArgumentProblem, ArgumentProblemSpec, ClaimSpec, Instance, Oracle, ScenarioValuePath,
    SupportSpec,
};
use debate_core::text::is_unsafe_character;
use debate_host::record::SavedDebateWithCursor;
use debate_tui::tui::actions::Facts;
use debate_tui::tui::debate::{CompareScreen, ComparedDebatePair, DebateScreen, ReplayScreen};
use debate_tui::tui::keys;
use debate_tui::tui::menu::{
    Form, FormField, FormModel, HomeItem, HomeItemPreview, HomeModel, HomeScreen, HomeSection,
    ReadingPage, SeatChoice, SeatChooserContents, SeatToPlayScreen,
};
use debate_tui::tui::screen::{Screen, ScreenExt as _};
use debate_tui::tui::settings::{Settings, SettingsForm, setting_named};
use debate_tui::tui::theme::{ASCII, ScreenAppearance, TextRole};
use debate_tui::tui::widget::measure;
use debate_tui::tui::widget::scroll::Entry;
use debate_tui::tui::widget::tree::TreeRow;
use ratatui::buffer::Buffer;

use super::side_by_side::half;
use super::{picture, press};
use crate::support::scenes::{Setup, bundled};

/// Wide characters, joined emoji, flags, marks, both directions with their control characters, joiners, soft hyphens,
/// tabs, and characters that would move the cursor.
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
    let spec = ArgumentProblemSpec {
        root: "root".to_owned(),
        claims: std::iter::once(("root".to_owned(), root))
            .chain(leaves)
            .collect(),
        proof: Vec::new(),
        worlds: Vec::new(),
        open: None,
    };
    let argument =
        ArgumentProblem::build(spec, &ScenarioValuePath::path_of_top_level_field("problem"))
            .unwrap();
    Setup {
        instance: Instance::new(Arc::new(argument), 0, Oracle::Truth),
        protocol: Protocol::parse("ProverEstimator(epsilon: 0.25, rho: \"1/2\")").unwrap(),
        title: TEXTS.join(" "),
        about: TEXTS.join(" "),
        players: ["honest", "stubborn(0.6)", "oracle"].map(str::to_owned),
        seed: TEXTS[1].to_owned(),
    }
}

/// Asserts that each cell holds what fits, and that lines with a frame at the left end have one at the right.
fn assert_framed(buffer: &Buffer) {
    let right = buffer.area.width - 1;
    for row in 0..buffer.area.height {
        let symbol = |column: u16| buffer[(column, row)].symbol();
        let mut column = 0;
        while column <= right {
            let here = symbol(column);
            assert!(!here.contains(is_unsafe_character), "{here:?}");
            // If a character is measured code point by code point, its end is the start of the next one.
            let width = measure::width(here).max(1);
            for hidden in column + 1..column + u16::try_from(width).unwrap() {
                assert_eq!(symbol(hidden), " ", "{row}, {hidden}");
            }
            column += u16::try_from(width).unwrap();
        }
        assert_eq!(
            column,
            right + 1,
            "a character crosses the edge of line {row}"
        );
        let told = || picture::text(buffer);
        // Another panel may be beside the first one; beside a narrow panel there may be blanks.
        let last = (1..=right).rev().map(symbol).find(|sign| *sign != " ");
        let ends = |signs: &str| last.is_some_and(|sign| signs.contains(sign));
        match symbol(0) {
            "╭" => assert!(ends("╮"), "{}", told()),
            "╰" => assert!(ends("╯"), "{}", told()),
            "│" | "├" => assert!(ends("│┤↑↓╮╯"), "{}", told()),
            _ => {}
        }
    }
}

/// Asserts that the edges of a panel run from each corner to the corner below.
fn assert_boxed(buffer: &Buffer) {
    let told = || picture::text(buffer);
    for column in 0..buffer.area.width {
        for (begins, ends, edges) in [("╭", "╰", "│├┴┬"), ("╮", "╯", "│┤↑↓")]
        {
            let mut inside = false;
            for row in 0..buffer.area.height {
                let symbol = buffer[(column, row)].symbol();
                let is = |signs: &str| signs.contains(symbol) && symbol != " ";
                if inside && is(ends) {
                    inside = false;
                } else if inside {
                    assert!(is(edges), "{row}, {column}:\n{}", told());
                } else {
                    inside = is(begins);
                }
            }
            assert!(!inside, "{column}:\n{}", told());
        }
    }
}

/// Asserts that a screen keeps its frames with any content, at several sizes, after each of these keys.
fn keeps_its_frames(show: &mut impl Screen, scripts: &[&str]) {
    let ascii = ScreenAppearance {
        glyphs: &ASCII,
        ..ScreenAppearance::default()
    };
    for script in [""].iter().chain(scripts) {
        press(show, script);
        for (columns, rows) in [(80, 24), (40, 12), (160, 50), (71, 13), (109, 30)] {
            let buffer = picture::buffer(show, &ScreenAppearance::default(), columns, rows);
            assert_framed(&buffer);
            assert_boxed(&buffer);
            assert_framed(&picture::buffer(show, &ascii, columns, rows));
        }
    }
}

/// A home screen with such texts.
struct Shelves(Vec<HomeSection<usize>>);

impl HomeModel for Shelves {
    type HomeItem = usize;

    fn sections(&self) -> &[HomeSection<usize>] {
        &self.0
    }

    fn preview(&mut self, item: &usize) -> HomeItemPreview {
        let about = |text: &str| Entry::default().append_span(TextRole::Text, text);
        let row = |text: &&str| TreeRow {
            text: (*text).to_owned(),
            value: TEXTS[*item].to_owned(),
            ..TreeRow::default()
        };
        HomeItemPreview {
            about: TEXTS.iter().copied().map(about).collect(),
            claims: TEXTS.iter().map(row).collect(),
        }
    }

    fn facts(&self, _book: &usize) -> Facts {
        keys::COMPARABLE | keys::READABLE
    }
}

/// A form with such texts, like the lobby and the settings.
struct Texts;

impl FormModel for Texts {
    fn title(&self) -> String {
        TEXTS.join(" ")
    }

    fn fields(&self) -> Vec<FormField> {
        let field = |text: &&str| FormField {
            note: String::new(),
            label: (*text).to_owned(),
            value: TEXTS.join(" "),
            about: TEXTS.join(" "),
            has_choices: text.len().is_multiple_of(2),
            is_writable: true,
        };
        TEXTS.iter().map(field).collect()
    }

    fn change_choice(&mut self, _field: usize, _by: isize) -> Result<(), String> {
        Err(TEXTS.join(" "))
    }

    fn write(&mut self, _field: usize, text: &str) -> Result<(), String> {
        Err(text.to_owned())
    }

    fn notes(&self) -> Vec<(String, String)> {
        let note = |text: &&str| ((*text).to_owned(), (*text).to_owned());
        TEXTS.iter().map(note).collect()
    }

    fn help(&self) -> [String; 2] {
        [TEXTS[0].to_owned(), TEXTS[3].to_owned()]
    }
}

#[test]
fn home_and_forms_keep_their_frames() {
    let keys = keys::default_key_map().unwrap();
    let section = |heading: &str| HomeSection {
        heading: heading.to_owned(),
        items: (0..TEXTS.len())
            .map(|what| HomeItem {
                title: TEXTS[what].to_owned(),
                value: TEXTS[what].to_owned(),
                ..HomeItem::with_home_item_target(what)
            })
            .collect(),
    };
    let mut sections = Shelves(TEXTS.map(section).into());
    let mut home = HomeScreen::new(&mut sections, &keys, None);
    keeps_its_frames(&mut home, &["down", "down", "tab", "]", "G"]);
    press(&mut home, "/");
    for text in TEXTS {
        home.paste(text);
        keeps_its_frames(&mut home, &[]);
    }
    let mut texts = Texts;
    let mut form = Form::new(&mut texts, &keys);
    keeps_its_frames(&mut form, &["down", "right", "down", "down", "right", "e"]);
    for text in TEXTS {
        form.paste(text);
        keeps_its_frames(&mut form, &["left"]);
    }
    keeps_its_frames(&mut form, &["home", "end", "enter"]);
}

#[test]
fn the_settings_keep_their_frames() {
    let keys = keys::default_key_map().unwrap();
    let looks = |_: &Settings| ScreenAppearance::default();
    let path = std::path::PathBuf::from(TEXTS.join("/"));
    let mut settings = Settings::default();
    let folder = setting_named("saves").unwrap();
    for text in TEXTS {
        // The setting rejects this text, so the form does not show it.
        let _ = folder.set(&mut settings, text);
    }
    let mut sheet = SettingsForm::new(settings, &path, &looks);
    let mut form = Form::new(&mut sheet, &keys);
    keeps_its_frames(&mut form, &["up", "up", "e"]);
    for text in TEXTS {
        form.paste(text);
        keeps_its_frames(&mut form, &["enter"]);
    }
}

#[test]
fn the_editor_and_the_cover_keep_their_frames() {
    let keys = keys::default_key_map().unwrap();
    let setup = Setup {
        title: TEXTS.join(" "),
        ..bundled("open")
    };
    let scene = setup.scene();
    let (mut running, players) = setup.debate(&Seat::PLAYERS);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    keeps_its_frames(
        &mut debate,
        &["y enter", "enter 5 0 enter enter enter 1 enter"],
    );
    for text in TEXTS {
        debate.paste(text);
        keeps_its_frames(&mut debate, &["left", "home", "end", "enter"]);
    }
    keeps_its_frames(
        &mut debate,
        &["up", "up", "down down down down down", "enter"],
    );
}

#[test]
fn two_debates_side_by_side_and_a_replay_keep_their_frames() {
    let keys = keys::default_key_map().unwrap();
    let recursive = Setup {
        protocol: Protocol::parse("Recursive").unwrap(),
        players: ["honest", "honest", "oracle"].map(str::to_owned),
        ..hostile()
    };
    let setup = hostile();
    let pair = ComparedDebatePair::new([half(&recursive), half(&setup)]);
    let mut compare = CompareScreen::new(&pair, &keys);
    keeps_its_frames(
        &mut compare,
        &["right right", "right right", "tab", "end", "tab"],
    );
    let scene = setup.scene();
    let mut played = setup.seating(&[]);
    while played.make_automatic_move().is_ok() {}
    let start = setup.protocol.start(&setup.instance).unwrap();
    let history = SavedDebateWithCursor::from_moves(start, played.moves()).unwrap();
    let mut replay = ReplayScreen::new(history, &scene, &keys);
    keeps_its_frames(&mut replay, &["right right right", "tab", "tab", "end"]);
    let offer = SeatChooserContents {
        draws_other_instance: false,
        last_results: &[],
        scene: &scene,
        preselected: SeatChoice::Watch,
        can_change_players: true,
        stronger: None,
    };
    keeps_its_frames(&mut SeatToPlayScreen::new(&offer, &keys), &["down"]);
    let told = TEXTS.map(|text| (text.to_owned(), TEXTS.join(" ")));
    let mut page = ReadingPage::new(&TEXTS.join(" "), told.into(), &keys);
    keeps_its_frames(&mut page, &["down", "G"]);
}

/// Plays a debate of hostile texts at four sizes in each seat, and checks every frame: in both looks if `all_looks`,
/// otherwise in a single look.
fn check_debates(all_looks: bool) {
    let setup = hostile();
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let ascii = ScreenAppearance {
        glyphs: &ASCII,
        ..ScreenAppearance::default()
    };
    let looks = [ScreenAppearance::default(), ascii];
    let sizes = [(80, 24), (40, 12), (160, 50), (71, 13)];
    for (number, (columns, rows)) in sizes.into_iter().enumerate() {
        for seat in Seat::PLAYERS {
            for (place, look) in looks.iter().enumerate() {
                if !all_looks && (number + seat.seat_index() + place) % 2 == 1 {
                    continue;
                }
                let (mut running, players) = setup.debate(&[seat]);
                let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
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
                    assert_framed(&picture::buffer(&mut debate, look, columns, rows));
                }
                debate.show_note(TEXTS.join(" "));
                assert_framed(&picture::buffer(&mut debate, look, columns, rows));
            }
        }
    }
}

#[test]
fn a_debate_of_hostile_texts_keeps_its_frames() {
    check_debates(false);
}

#[test]
#[ignore = "exhaustive: 1 s; every day: a_debate_of_hostile_texts_keeps_its_frames"]
fn a_debate_of_hostile_texts_keeps_its_frames_in_both_looks() {
    check_debates(true);
}
