//! Settings on the screen: the program follows config.ron.

use std::fs;

use crate::support::pty::Pty;

const WATCHING: [&str; 5] = ["primes", "--role", "none", "--seed", "7"];

/// The program with this configuration, and a log beside it.
fn with(config: &str, arguments: &[&str], variables: &[(&str, &str)]) -> (Pty, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.ron");
    fs::write(&path, config).unwrap();
    let path = path.to_str().unwrap();
    let waits = ["--set", "auto_play=false"];
    let waits = &waits[..waits.len() * usize::from(!config.contains("speed"))];
    let arguments = [&WATCHING[..], &["--config", path], waits, arguments].concat();
    let mut pty = Pty::program_at(&arguments, (80, 24), variables);
    pty.begin();
    (pty, folder)
}

fn has_colour(pty: &Pty) -> bool {
    let bytes = pty.bytes();
    let text = String::from_utf8_lossy(&bytes);
    // Crossterm writes named colours by their palette number.
    text.contains("\x1b[38;5;")
}

#[test]
fn keys_and_symbols_follow_the_settings() {
    let (mut pty, _folder) = with(
        "(ascii: \"always\", keys: {\"play-to-turn\": [\"z\"], \"quit\": [\"Q\"]})",
        &[],
        &[],
    );
    pty.wait_for("z to the end");
    pty.settle();
    assert!(!pty.screen(|screen| screen.contents().contains('│')));
    pty.type_in("qz");
    pty.wait_for("The end");
    pty.type_in("Q");
    assert_eq!(pty.exit_code(), 0);
    pty.assert_restored();
}

#[test]
fn automatic_moves_can_be_switched_off() {
    let (mut pty, _folder) = with("(speed: 6)", &[], &[]);
    pty.wait_for("The end");
    pty.type_in("q");
    assert_eq!(pty.exit_code(), 0);
}

#[test]
fn flags_override_the_environment_and_the_environment_the_file() {
    let shown = |config: &str, arguments: &[&str], variables: &[(&str, &str)]| {
        let (pty, _folder) = with(config, arguments, variables);
        pty.wait_for("Next move");
        pty.settle();
        has_colour(&pty)
    };
    let none = [("NO_COLOR", "1")];
    assert!(shown("()", &[], &[("NO_COLOR", "")]));
    assert!(!shown("(color: \"never\")", &[], &[("NO_COLOR", "")]));
    assert!(!shown("(color: \"always\")", &[], &none));
    assert!(shown("(color: \"never\")", &["--color", "always"], &none));
    assert!(!shown("(color: \"always\")", &["--color", "never"], &[]));
    assert!(!shown("(theme: \"monochrome\")", &[], &[("NO_COLOR", "")]));
    assert!(shown(
        "(theme: \"monochrome\")",
        &["--set", "theme=light"],
        &none
    ));
}

#[test]
fn no_diagnostics_are_printed_while_the_screen_is_shown() {
    let log = tempfile::tempdir().unwrap();
    let file = log.path().join("log");
    let flags = ["-vv", "--log", file.to_str().unwrap()];
    let (mut pty, _folder) = with("()", &flags, &[]);
    pty.wait_for("Next move");
    pty.type_in("\r");
    pty.wait_for("The end");
    pty.signal(rustix::process::Signal::TERM);
    assert_eq!(pty.exit_code(), 143);
    pty.assert_restored();
    let bytes = pty.bytes();
    let text = String::from_utf8_lossy(&bytes);
    let (before, drawn) = text.split_once("\x1b[?1049h").unwrap();
    let (drawn, _) = drawn.split_once("\x1b[?1049l").unwrap();
    assert!(
        before.contains("scenario read") && !drawn.contains("DEBUG"),
        "{drawn:?}"
    );
    let told = fs::read_to_string(&file).unwrap();
    for line in [
        "scenario read",
        "debate begins",
        "save begun",
        "move",
        "debate over",
        "ended by a signal signal=15",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
}

/// The number of bells in the output of a debate that reaches the user's turn, and the debate with this configuration.
fn bells(config: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.ron");
    fs::write(&path, config).unwrap();
    let arguments = ["primes-small", "--role", "opponent", "--seed", "7"];
    let path = path.to_str().unwrap();
    let arguments = [&arguments[..], &["--config", path]].concat();
    let mut pty = Pty::program_at(&arguments, (80, 24), &[]);
    // The briefing, if it is shown, and the other player's first moves.
    pty.type_until("\r", "How likely");
    pty.settle();
    let bytes = pty.bytes();
    pty.type_in("q");
    String::from_utf8_lossy(&bytes).matches('\u{7}').count()
}

#[test]
fn the_bell_rings_at_the_users_turn_only_if_it_is_set() {
    assert_eq!(bells("(speed: 6)"), 0);
    assert_eq!(bells("(speed: 6, bell: true)"), 1);
}
