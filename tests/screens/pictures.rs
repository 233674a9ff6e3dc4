//! Pictures of screens as SVG: the README's picture, and their colours.

use std::path::Path;

use debate_core::protocol::Seat;
use debate_tui::tui::debate::DebateScreen;
use debate_tui::tui::keys;
use debate_tui::tui::picture::screen_as_svg as svg;
use debate_tui::tui::theme::{ScreenAppearance, TerminalColours, TextRole, Theme};

use super::{picture, press};
use crate::support::scenes::{Setup, bundled};

/// From the start to the second round: Bob's numbers in the first one are consistent.
const TO_THE_SECOND_ROUND: &str =
    "enter 0 enter enter 7 5 enter enter 6 7 enter enter 5 0 enter enter 0 enter enter";

/// A picture of the board of a real debate, `columns` × `rows`.
fn board(script: &str, theme: Theme, columns: u16, rows: u16) -> String {
    let setup = Setup {
        seed: "1".to_owned(),
        ..bundled("primes")
    };
    let scene = setup.scene();
    let keys = keys::default_key_map().unwrap();
    let (mut running, players) = setup.debate(&[Seat::Opponent]);
    let mut debate = DebateScreen::new(&mut running, players, &scene, &keys);
    press(&mut debate, script);
    let look = ScreenAppearance {
        theme,
        colours: TerminalColours::True,
        ..ScreenAppearance::default()
    };
    let buffer = picture::buffer(&mut debate, &look, columns, rows);
    svg(&buffer, theme, &setup.title)
}

/// The board as the README shows it.
fn board_of_the_readme() -> String {
    let script = format!("{TO_THE_SECOND_ROUND} 9 2 enter enter 9 1");
    board(&script, Theme::Dark, 116, 30)
}

/// `UPDATE=1 cargo test --test suite pictures::` writes the current picture.
#[test]
fn the_readme_shows_the_current_board() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/guide/board.svg");
    let picture = board_of_the_readme();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, picture).unwrap();
    } else {
        let shown = std::fs::read_to_string(path).unwrap();
        assert!(
            shown == picture,
            "src/guide/board.svg is not the board of today"
        );
    }
    let readme = include_str!("../../README.md");
    assert!(readme.contains("(src/guide/board.svg)"));
}

/// Pictures use the true colours of the themes and no others.
#[test]
fn pictures_have_the_colours_of_their_theme() {
    for (theme, ground) in [
        (Theme::Dark, "#14171f"),
        (Theme::Light, "#fbfbfd"),
        (Theme::HighContrast, "#000000"),
        (Theme::Monochrome, "#000000"),
    ] {
        let picture = board("enter 0 enter", theme, 80, 24);
        assert!(picture.contains(ground), "{theme:?}");
        let dark = picture.contains("#5cc8d6");
        assert_eq!(dark, theme == Theme::Dark, "{theme:?}");
    }
}

/// Exported pages have the colours of the themes, which identify Alice, Bob and coins.
#[test]
fn pages_have_the_colours_of_the_themes() {
    let style = include_str!("../../src/lab/export/html/page.css");
    let hex = |theme: Theme, role| {
        let colour = theme.style(role, TerminalColours::True).fg.unwrap();
        colour.to_string().to_lowercase()
    };
    let roles = [
        ("alice", TextRole::Party(0)),
        ("bob", TextRole::Party(1)),
        ("judge", TextRole::Party(2)),
        ("coin", TextRole::Party(3)),
        ("good", TextRole::Good),
        ("bad", TextRole::Bad),
    ];
    let (light, dark) = style.split_once("prefers-color-scheme: dark").unwrap();
    for (name, role) in roles {
        for (theme, part) in [(Theme::Light, light), (Theme::Dark, dark)] {
            let rule = format!("--{name}: {};", hex(theme, role));
            assert!(part.contains(&rule), "{theme:?}: {rule}");
        }
    }
}
