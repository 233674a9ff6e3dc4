//! `--theme auto`: the program asks the terminal if it is light, and the screen opens after any answer.

use rustix::process::Signal;

use crate::support::BEGIN;
use crate::support::pty::Pty;

/// The request for the background, and the attributes that any terminal answers.
const ASKS: &str = "\x1b]11;?";
const ATTRIBUTES: &str = "\x1b[?62;22c";

fn opened(theme: &str) -> Pty {
    Pty::program(&["primes", "--role", "none", "--seed", "7", "--theme", theme])
}

fn text(pty: &Pty) -> String {
    String::from_utf8_lossy(&pty.bytes()).into_owned()
}

/// Waits until the program has asked the terminal.
fn asked(pty: &Pty) {
    pty.wait_for_bytes(ASKS);
}

/// The theme after the current one, which identifies the current theme.
fn next_colours(pty: &mut Pty) -> &'static str {
    pty.begin();
    pty.type_in("T");
    let all = ["light", "high-contrast", "monochrome", "dark"];
    let named = |shown: &str| {
        let is_shown = |name: &&str| shown.contains(&format!("Colours: {name}."));
        all.into_iter().find(is_shown)
    };
    pty.wait_until("a name of colours", |shown| named(shown).is_some());
    pty.screen(|screen| named(&screen.contents())).unwrap()
}

fn ends(mut pty: Pty) {
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn the_answer_picks_dark_or_light() {
    for (answer, next) in [
        // Light: the next theme is high contrast.
        ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "high-contrast"),
        ("\x1b]11;rgb:fd/f6/e3\x07", "high-contrast"),
        ("\x1b]11;rgb:0000/0000/0000\x1b\\", "light"),
        ("\x1b]11;rgb:1e1e/1e1e/2e2e\x07", "light"),
        // An answer to another question, or an invalid one.
        ("\x1b]11;pink\x07", "light"),
        ("", "light"),
    ] {
        let mut pty = opened("auto");
        // The answer is sent at once, so it is there when the program asks, even on a busy machine.
        pty.type_in(&format!("{answer}{ATTRIBUTES}"));
        asked(&pty);
        assert_eq!(next_colours(&mut pty), next, "{answer:?}");
        ends(pty);
    }
}

#[test]
fn the_settings_may_ask_too_and_the_form_knows_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.ron");
    std::fs::write(&path, "(theme: \"auto\")").unwrap();
    let path = path.to_str().unwrap();
    let mut pty = Pty::program(&["--config", path]);
    pty.type_in(&format!("\x1b]11;rgb:ffff/ffff/ffff\x07{ATTRIBUTES}"));
    asked(&pty);
    pty.wait_for("What next");
    // Switches to dark and back to auto, which is light here.
    pty.type_in(",");
    pty.wait_for("< auto >");
    pty.type_in("l");
    pty.wait_for("< dark >");
    pty.type_in("h\r");
    pty.wait_for("Saved in");
    pty.type_in("T");
    pty.wait_for("Colours: high-contrast");
    ends(pty);
}

#[test]
fn a_silent_terminal_is_dark_after_a_bounded_time() {
    let mut pty = opened("auto");
    asked(&pty);
    pty.wait_for(BEGIN);
    // A late answer is not a key.
    pty.type_in(&format!("\x1b]11;rgb:ffff/ffff/ffff\x1b\\{ATTRIBUTES}"));
    assert_eq!(next_colours(&mut pty), "light");
    ends(pty);
}

#[test]
fn ending_during_the_background_query_restores_the_terminal() {
    let mut pty = opened("auto");
    asked(&pty);
    pty.signal(Signal::TERM);
    assert_eq!(pty.exit_code(), 143);
    pty.assert_restored();
}

#[test]
fn the_background_is_queried_only_for_theme_auto() {
    for theme in ["dark", "light"] {
        let mut pty = opened(theme);
        pty.begin();
        assert!(!text(&pty).contains(ASKS), "{theme}");
        ends(pty);
    }
    let arguments = [
        "primes", "--role", "none", "--theme", "auto", "--color", "never",
    ];
    let mut pty = Pty::program(&arguments);
    pty.begin();
    assert!(!text(&pty).contains(ASKS));
    ends(pty);
}

#[test]
fn the_mouse_is_switched_while_the_screen_is_up() {
    let mut pty = opened("dark");
    pty.begin();
    pty.type_in("M");
    pty.wait_for("The mouse is off.");
    pty.wait_for_bytes("\x1b[?1000l");
    pty.type_in("M");
    pty.wait_for("The mouse is on.");
    // The setting can also be changed on the settings screen, which saves it.
    let mut home = Pty::program(&[]);
    home.wait_for("What next");
    home.type_in(",");
    home.wait_for("Description");
    home.type_in("jjjjl\r");
    home.wait_for("Saved in");
    home.type_in("M");
    home.wait_for("The mouse is on.");
    ends(home);
    ends(pty);
}
