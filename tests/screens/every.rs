//! Every screen of the program: its styles in each theme, its layout at any size, and its keys.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use debate_core::protocol::Seat;
use debate_tui::tui::actions::ScreenKeyContext;
use debate_tui::tui::actions::{Contexts, Facts, KeyMap};
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::keys::{Action, CONTEXTS, actions};
use debate_tui::tui::menu::HomeScreen;
use debate_tui::tui::theme::{ASCII, ScreenAppearance, Theme};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{buffer::Buffer, layout::Rect};

use super::choices::joined;
use super::lessons::in_lesson_with;
use super::lists::Few;
use super::table::{Anything, TABLE};
use super::{picture, press};
use crate::support::scenes::primes;

/// The contexts of overlays, which no screen of the table has itself.
const OVERLAYS: Contexts = keys::HELP
    .or(keys::BRIEFING)
    .or(keys::REVIEW)
    .or(keys::COMMANDS);

/// Calls `test` with every screen of the table.
fn with_every(mut test: impl FnMut(&'static str, &mut dyn Anything)) {
    for made in TABLE {
        let mut times = 0;
        (made.hand_out)(&mut |screen| {
            times += 1;
            test(made.name, screen);
        });
        assert_eq!(times, 1, "{}", made.name);
    }
}

/// Collects the types that implement `Screen` from the sources.
fn showing(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            showing(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for line in text.lines().filter(|line| line.starts_with("impl")) {
            if let Some((_, shown)) = line.split_once(" Screen for ") {
                let name = shown.split(['<', ' ']).next().unwrap();
                found.insert(name.to_owned());
            }
        }
    }
}

#[test]
fn no_screen_is_left_out_of_the_table() {
    let mut written = BTreeSet::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    showing(&source, &mut written);
    assert!(written.len() >= 7, "{written:?}");
    let (mut shown, mut contexts) = (BTreeSet::new(), Contexts::NONE);
    with_every(|_, screen| {
        shown.insert(screen.kind().to_owned());
        // Moves the focus through all panels.
        for _ in 0..5 {
            contexts = contexts | screen.place().context;
            screen.press("tab");
        }
    });
    assert_eq!(shown, written);
    for (name, context) in CONTEXTS {
        // The help, the briefing, the palette and the review are overlays, and the screens below keep their own
        // context.
        let met = contexts.intersects(*context) || OVERLAYS.contains_all(*context);
        assert!(met, "nothing in the table has the keys of {name}");
    }
}

#[test]
fn every_screen_has_its_styles_in_every_theme() {
    with_every(|name, screen| {
        let mut told = String::new();
        for (columns, rows) in [(80, 24), (160, 50)] {
            let shown = Theme::ALL.map(|theme| {
                let look = ScreenAppearance {
                    theme,
                    ..ScreenAppearance::default()
                };
                screen.at(&look, columns, rows)
            });
            let text = picture::text(&shown[0]);
            for other in &shown[1..] {
                assert_eq!(picture::text(other), text, "{name}");
            }
            let themes = Theme::ALL.map(Theme::theme_name).join(" | ");
            let styles = picture::styles_of(&shown.each_ref());
            for part in [&*text, "\n-- ", &*themes, "\n", &*styles, "\n"] {
                told.push_str(part);
            }
        }
        insta::assert_snapshot!(name, told);
    });
}

/// Checks that a screen draws only inside its area.
fn check_size(
    name: &str,
    screen: &mut dyn Anything,
    (columns, rows): (u16, u16),
    ascii: bool,
) -> Result<(), TestCaseError> {
    let area = Rect::new(2, 1, columns, rows);
    let mut look = ScreenAppearance::default();
    if ascii {
        look.glyphs = &ASCII;
    }
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns + 4, rows + 2));
    // The panels scroll in the first frame of a size. The second frame is drawn at rest.
    screen.paint(&look, &mut buffer, area);
    screen.paint(&look, &mut buffer, area);
    let outside = |position: &ratatui::layout::Position| !area.contains(*position);
    for position in buffer.area.positions().filter(outside) {
        prop_assert_eq!(buffer[position].symbol(), " ", "{}", name);
    }
    Ok(())
}

/// Checks every screen at the smallest and largest sizes, and at random sizes.
fn check_sizes(cases: u32) {
    with_every(|name, screen| {
        for size in [(1, 1), (40, 12), (39, 12), (40, 11), (250, 80)] {
            check_size(name, screen, size, false).unwrap();
        }
        let screen = RefCell::new(screen);
        let config = ProptestConfig {
            cases,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let size = |columns: u16, rows: u16| (1..=columns, 1..=rows);
        // Small sizes are the most likely to fail.
        let sizes = prop_oneof![
            1 => size(250, 80),
            2 => size(70, 26),
            1 => size(12, 12),
        ];
        let outcome = TestRunner::new(config).run(&(sizes, any::<bool>()), |(size, ascii)| {
            check_size(name, *screen.borrow_mut(), size, ascii)
        });
        outcome.unwrap();
    });
}

#[test]
fn every_screen_fits_every_size() {
    check_sizes(6);
}

#[test]
#[ignore = "exhaustive: 5 s; every day: every_screen_fits_every_size"]
fn every_screen_fits_very_many_sizes() {
    check_sizes(100);
}

/// The keys in the help over a screen, and their descriptions.
fn helped(screen: &mut dyn Anything) -> Vec<(String, String)> {
    let text = picture::text(&screen.at(&ScreenAppearance::default(), 76, 200));
    let mut told: Vec<(String, String)> = Vec::new();
    let mut lines = text.lines().skip_while(|line| !line.contains("╭ Help "));
    lines.next();
    let inside = lines.take_while(|line| !line.starts_with('╰'));
    for line in inside.filter_map(|line| line.strip_prefix('│')) {
        let line = line.trim_end_matches(['│', '↓', '↑']);
        let keys: String = line.chars().take(22).collect();
        let words: String = line.chars().skip(22).collect();
        let (keys, words) = (keys.trim(), words.trim());
        match told.last_mut() {
            Some((_, before)) if keys.is_empty() && !words.is_empty() => {
                *before += " ";
                *before += words;
            }
            _ => told.push((keys.to_owned(), words.to_owned())),
        }
    }
    // The panel's description precedes the keys, and the scenario follows them.
    let titles = ["", "This panel", "This scenario", "Signs"];
    told.retain(|(keys, _)| !titles.contains(&&**keys));
    told
}

/// The same keys and descriptions, from the key map. Actions that are unavailable are left out.
fn mapped(map: &KeyMap<Action>, here: ScreenKeyContext) -> Vec<(String, String)> {
    let mut told: Vec<(Action, String, String)> = Vec::new();
    let entries = map.help_entries(here.context, here.facts);
    for (index, entry) in entries.iter().enumerate() {
        // Of two descriptions of an action, the help has the first.
        let is_described = entries[..index].iter().any(|before| {
            before.possible
                && before.id == entry.id
                && before.keys == entry.keys
                && before.doc != entry.doc
        });
        if !entry.possible || is_described {
            continue;
        }
        let keys: Vec<String> = entry.keys.iter().map(|key| key.key_label(true)).collect();
        let doc = entry.doc.to_owned();
        let same = |(id, _, said): &&mut (Action, String, String)| *id == entry.id && *said == doc;
        match told.iter_mut().find(same) {
            Some((_, before, _)) => *before = format!("{before} {}", keys.join(" ")),
            None if keys.is_empty() => {}
            None => told.push((entry.id, keys.join(" "), doc)),
        }
    }
    told.into_iter().map(|(_, keys, doc)| (keys, doc)).collect()
}

/// Opens the help with its key in this context.
fn open_help(screen: &mut dyn Anything, map: &KeyMap<Action>, here: ScreenKeyContext) {
    let question = "?".parse().unwrap();
    if map.action_of_key(here.context, Facts::ALL, question) == Some(Action::Help) {
        screen.press("?");
    } else {
        screen.type_in(KeyEvent::new(KeyCode::F(1), KeyModifiers::NONE));
    }
}

/// Returns true if the palette over a screen finds an action by its name, or another action with the same effect.
fn is_offered(screen: &mut dyn Anything, palette: &str, name: &str, id: Action) -> bool {
    screen.press(palette);
    for c in name.chars() {
        screen.press(&c.to_string());
    }
    let text = picture::text(&screen.at(&ScreenAppearance::default(), 80, 24));
    screen.press("esc");
    let mut same = actions().iter().filter(|action| action.id == id);
    // The name starts the row, so it is not part of another action's name.
    same.any(|action| text.contains(&format!("│{} ", action.name)))
}

/// Checks that every action has keys, is in the help and is found in the palette. If `everywhere`, in every context;
/// otherwise once.
fn check_actions(everywhere: bool) {
    let map = keys::default_key_map().unwrap();
    let mut seen: Vec<Contexts> = Vec::new();
    let (mut by_key, mut by_palette) = (BTreeSet::new(), BTreeSet::new());
    with_every(|name, screen| {
        if ["help", "palette", "many"].contains(&name) {
            return;
        }
        for _ in 0..5 {
            let here = screen.place();
            if !seen.contains(&here.context) {
                seen.push(here.context);
                open_help(screen, &map, here);
                assert_eq!(helped(screen), mapped(&map, here), "{name}");
                let shown = picture::text(&screen.at(&ScreenAppearance::default(), 80, 24));
                assert!(!shown.contains('{'), "{name}: {shown}");
                screen.press("esc");
                // If letters are text input, the palette has another key.
                let palette = [":", "f8"].into_iter().find(|key| {
                    let found = map.action_of_key(here.context, Facts::ALL, key.parse().unwrap());
                    found == Some(Action::Palette)
                });
                for action in actions() {
                    if action.contexts.intersects(here.context) {
                        for key in action.keys {
                            let found =
                                map.action_of_key(here.context, Facts::ALL, key.parse().unwrap());
                            assert_eq!(found, Some(action.id), "{name}: {key}");
                        }
                        by_key.insert(action.name);
                    }
                    let at_home = action.contexts.intersects(here.context | here.screen);
                    if let Some(palette) = palette
                        && at_home
                        && action.id != Action::Palette
                        && (everywhere || !by_palette.contains(action.name))
                    {
                        let offered = is_offered(screen, palette, action.name, action.id);
                        assert!(offered, "{name}: {}", action.name);
                        by_palette.insert(action.name);
                    }
                }
            }
            screen.press("tab");
        }
    });
    for action in actions() {
        // Contexts of overlays only.
        let help =
            !action.contexts.intersects(Contexts::ALL) || OVERLAYS.contains_all(action.contexts);
        assert!(help || by_key.contains(action.name), "{}", action.name);
        let mut same = actions().iter().filter(|other| other.id == action.id);
        let offered = same.any(|other| by_palette.contains(other.name));
        // Participants of a study have no palette.
        let needless = help || action.id == Action::Palette || action.name.starts_with("study-");
        assert!(needless || offered, "{}", action.name);
    }
}

#[test]
fn every_action_is_reached_by_key_by_palette_and_by_help() {
    check_actions(false);
}

#[test]
#[ignore = "exhaustive: 2 s; every day: every_action_is_reached_by_key_by_palette_and_by_help"]
fn every_action_is_in_the_palette_of_each_of_its_screens() {
    check_actions(true);
}

#[test]
fn other_keys_are_in_the_help_in_the_footer_and_in_sentences() {
    let other = [
        ("help", &["H"][..]),
        ("play-to-turn", &["z", "ctrl-n"]),
        ("send", &["x"]),
        ("down", &["J"]),
        ("go-on", &[]),
        ("take-seat", &["s"]),
    ];
    let map = KeyMap::with_overrides(actions(), other).unwrap();
    let setup = primes();
    let scene = setup.scene();
    let (mut running, players) = setup.debate(&[Seat::Opponent]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &map);
    let shown = picture::text(&debate.at(&ScreenAppearance::default(), 80, 24));
    assert!(shown.contains("z to my turn"), "{shown}");
    let here = debate.place();
    debate.press("H");
    let told = helped(&mut debate);
    assert_eq!(told, mapped(&map, here));
    assert!(told.iter().any(|(keys, _)| keys == "z ctrl-n"));
    assert!(told.iter().any(|(keys, _)| keys == "H"));
    let shown = picture::text(&debate.at(&ScreenAppearance::default(), 80, 24));
    assert!(
        shown.contains("╭ Help ") && shown.contains(" esc close"),
        "{shown}"
    );
    debate.press("esc z H");
    let shown = picture::text(&debate.at(&ScreenAppearance::default(), 80, 24));
    assert!(shown.contains("x sends it."), "{shown}");
    debate.press("esc x");
    let shown = picture::text(&debate.at(&ScreenAppearance::default(), 80, 24));
    assert!(shown.contains("then press x."), "{shown}");
    let (mut running, players) = setup.debate(&Seat::PLAYERS);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &map);
    debate.press("y x");
    let shown = picture::text(&debate.at(&ScreenAppearance::default(), 80, 24));
    assert!(shown.contains("Press s when Bob sits here."), "{shown}");
    // The tutorial names keys that exist.
    in_lesson_with(&map, 0, "", &mut |lesson| {
        let shown = |lesson: &mut DebateScreen<'_, '_>| {
            picture::text(&lesson.at(&ScreenAppearance::default(), 80, 24))
        };
        assert!(shown(lesson).contains("Press z."), "{}", shown(lesson));
        lesson.press("z");
        assert!(
            joined(&shown(lesson)).contains("Type 0, then press x."),
            "{}",
            shown(lesson)
        );
    });
    in_lesson_with(&map, 2, "z n x", &mut |lesson| {
        let shown = picture::text(&lesson.at(&ScreenAppearance::default(), 170, 50));
        assert!(shown.contains("the command “go-on”"), "{shown}");
    });
}

#[test]
fn idle_screens_set_no_timer() {
    with_every(|name, screen| {
        // A page that computes is woken when it is done; the status of a study's participants changes without input.
        assert_eq!(screen.wakes().is_some(), name == "study-status", "{name}");
    });
    let keys = keys::default_key_map().unwrap();
    let mut few = Few::new();
    assert_eq!(HomeScreen::new(&mut few, &keys, None).wakes(), None);
    let setup = primes();
    let scene = setup.scene();
    let (mut running, players) = setup.debate(&[Seat::Opponent]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    for keys in ["", "enter", "?", "esc :", "esc 4 0 enter", "/ a enter"] {
        press(&mut debate, keys);
        assert_eq!(debate.wakes(), None, "{keys}");
    }
}
