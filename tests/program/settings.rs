//! Settings and their printed form, the log, and the program's description of its command line.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::program::{Said, program, run_here, say};
use debate_tui::tui::keys::actions;
use debate_tui::tui::settings::{ALL_SETTINGS, Settings};
use debate_tui::tui::theme::Theme;
use serde_json::Value;
use tempfile::{TempDir, tempdir};

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A folder with this configuration in the file that the program reads.
fn with(config: &str) -> TempDir {
    let dir = tempdir().unwrap();
    fs::write(dir.path().join("config.ron"), config).unwrap();
    dir
}

fn said(dir: &TempDir, arguments: &[&str]) -> Said {
    let said = say(dir.path(), arguments, "");
    assert_eq!(said.code, Some(0), "{arguments:?}: {said:?}");
    said
}

fn refused(dir: &TempDir, arguments: &[&str]) -> String {
    let said = say(dir.path(), arguments, "");
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(2), ""),
        "{arguments:?}: {said:?}"
    );
    assert!(said.is_clean());
    said.err
}

#[test]
fn the_printed_configuration_reads_back() {
    let dir = with("(speed: 2, keys: {\"undo\": [\"z\"]})");
    let file = dir.path().join("other.ron");
    let flags = [
        "--theme",
        "light",
        "--ascii",
        "--no-mouse",
        "--set",
        "auto_play=true",
    ];
    let printed = said(&dir, &[&flags[..], &["--print-config"]].concat()).out;
    for line in [
        "theme: \"light\"",
        "ascii: \"always\"",
        "mouse: false",
        "auto_play: true",
        "speed: 2",
        "\"undo\": [\"z\"]",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
    fs::write(&file, &printed).unwrap();
    assert_eq!(
        said(&dir, &["--config", path(&file), "--print-config"]).out,
        printed
    );
    assert_eq!(
        Settings::load(&file).unwrap().to_settings_file_text(),
        printed
    );
    let standard = said(&dir, &["--no-config", "--print-config"]).out;
    assert_eq!(standard, Settings::default().to_settings_file_text());
    let json: Value = serde_json::from_str(&said(&dir, &["--print-config", "--json"]).out).unwrap();
    let names = json
        .as_array()
        .unwrap()
        .iter()
        .map(|field| field["name"].as_str().unwrap());
    assert!(names.eq(ALL_SETTINGS.iter().map(|field| field.name)));
    let mut fields = json.as_array().unwrap().iter();
    let speed = fields.find(|field| field["name"] == "speed").unwrap();
    assert_eq!(speed["value"], "2");
}

#[test]
fn a_wrong_configuration_gives_one_sentence_with_its_location() {
    let dir = with("(\n  // colours\n  theem: \"dark\",\n)");
    for arguments in [
        &["primes", "--plain"][..],
        &["list", "scenarios"],
        &["solve", "primes"],
        &["--print-keys"],
    ] {
        let told = refused(&dir, arguments);
        let place = format!(
            "{}:3:3: there is no field `theem`",
            path(&dir.path().join("config.ron"))
        );
        assert!(
            told.contains(&place) && told.contains("did you mean `theme`?"),
            "{told}"
        );
        assert_eq!(told.lines().count(), 1);
    }
    // These must work with any configuration, so that users can find the error.
    said(&dir, &["--no-config", "list", "scenarios"]);
    said(&dir, &["completions", "bash"]);
    said(&dir, &["man"]);
    let keys = with("(keys: {\"undo\": [\"z\"], \"auto\": [\"z\"]})");
    let told = refused(&keys, &["--print-keys"]);
    assert!(
        told.contains("`z` cannot mean both `auto` and `undo`"),
        "{told}"
    );
    let told = refused(&dir, &["--config", "nowhere.ron", "list", "scenarios"]);
    assert!(told.contains("nowhere.ron: no such file"), "{told}");
    let told = refused(&with("()"), &["--set", "sped=3", "--print-config"]);
    assert!(told.contains("did you mean `speed`?"), "{told}");
}

#[test]
fn the_save_folder_is_from_flag_environment_or_file_in_this_order() {
    let dir = with("(saves: \"filed\")");
    let count = |folder: &str| fs::read_dir(dir.path().join(folder)).map_or(0, Iterator::count);
    let play = |flags: &[&str], variable: Option<&str>| {
        let mut command = program(dir.path());
        command
            .args(["primes", "--plain", "--seed", "7"])
            .args(flags);
        match variable {
            Some(folder) => command.env("DEBATE_TUI_SAVES", dir.path().join(folder)),
            None => command.env_remove("DEBATE_TUI_SAVES"),
        };
        assert!(command.status().unwrap().success());
    };
    play(&[], None);
    assert_eq!([count("filed"), count("named"), count("flag")], [1, 0, 0]);
    play(&[], Some("named"));
    assert_eq!([count("filed"), count("named"), count("flag")], [1, 1, 0]);
    play(&["--saves", path(&dir.path().join("flag"))], Some("named"));
    assert_eq!([count("filed"), count("named"), count("flag")], [1, 1, 1]);
}

#[test]
fn hints_are_shown_if_the_setting_is_on() {
    let arguments = ["caffeine", "--plain", "--role", "prover", "--seed", "7"];
    let without = said(&with("()"), &arguments).out;
    let hinted = with("(hints: true)");
    let shown = said(&hinted, &arguments).out;
    assert!(
        shown.len() > without.len() && shown.contains("best"),
        "{shown}"
    );
    let blind = said(&hinted, &[&arguments[..], &["--blind"]].concat()).out;
    assert!(!blind.contains("best"), "{blind}");
}

#[test]
fn every_action_is_printed_with_its_keys() {
    let dir = with("(keys: {\"undo\": [\"z\", \"ctrl-u\"], \"copy\": []})");
    let text = said(&dir, &["--print-keys"]).out;
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let json: Value = serde_json::from_str(&said(&dir, &["--print-keys", "--json"]).out).unwrap();
    let printed = json.as_array().unwrap();
    assert_eq!(printed.len(), actions().len());
    for (action, printed) in actions().iter().zip(printed) {
        assert_eq!(printed["action"], action.name);
        assert!(!printed["contexts"].as_array().unwrap().is_empty());
        assert!(
            text.contains(action.name) && flowing.contains(action.doc),
            "{}",
            action.name
        );
    }
    let undo = printed
        .iter()
        .find(|printed| printed["action"] == "undo")
        .unwrap();
    assert_eq!(undo["keys"], serde_json::json!(["z", "ctrl-u"]));
    assert_eq!(undo["standard"], serde_json::json!(["u"]));
    assert!(text.contains("undo") && text.contains("z  ctrl-u") && text.contains("no key"));
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

#[test]
fn colours_are_used_only_on_request() {
    let dir = with("()");
    let plain = said(&dir, &["--print-themes"]).out;
    for theme in Theme::ALL {
        assert!(plain.contains(theme.theme_name()) && plain.contains(theme.theme_description()));
    }
    assert!(!plain.contains('\u{1b}'), "no terminal, no colours");
    let coloured = said(&dir, &["--print-themes", "--color", "always"]).out;
    assert!(coloured.contains("\u{1b}[0;92mgood"));
    let mut without = String::new();
    let mut escaped = false;
    for c in coloured.chars() {
        escaped |= c == '\u{1b}';
        if !escaped {
            without.push(c);
        }
        escaped &= c != 'm';
    }
    assert_eq!(without, plain);
    let always = with("(color: \"always\")");
    assert!(said(&always, &["--print-themes"]).out.contains('\u{1b}'));
    assert!(
        !said(&always, &["--print-themes", "--color=never"])
            .out
            .contains('\u{1b}')
    );
    let mut command = program(always.path());
    let quiet = command
        .env("NO_COLOR", "1")
        .arg("--print-themes")
        .output()
        .unwrap();
    assert!(!quiet.stdout.contains(&0x1b));
    // Covers subcommands, before and after their names.
    for arguments in [
        ["solve", "--help", "--color", "always"],
        ["--color", "always", "solve", "--help"],
    ] {
        assert!(said(&dir, &arguments).out.contains('\u{1b}'));
    }
    assert!(
        !said(&dir, &["solve", "--help", "--color", "never"])
            .out
            .contains('\u{1b}')
    );
}

#[test]
fn diagnostics_go_to_stderr_and_only_when_asked_for() {
    let dir = with("()");
    let silent = said(&dir, &["solve", "primes", "--json"]);
    assert_eq!(silent.err, "");
    for arguments in [
        ["-v", "solve", "primes", "--json"],
        ["solve", "primes", "--json", "-v"],
    ] {
        let told = said(&dir, &arguments);
        assert_eq!(told.out, silent.out);
        for word in ["started", "command=\"solve\"", "scenario read", "ended"] {
            assert!(told.err.contains(word), "{word}: {}", told.err);
        }
        assert!(told.is_clean());
    }
    let both = say(dir.path(), &["solve", "primes", "-q", "-v"], "");
    assert_eq!(both.code, Some(2));
    let wrong = say(dir.path(), &["--seed", "7", "solve", "primes"], "");
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong
            .err
            .contains("'--seed <TEXT>' cannot be given before 'solve'"),
        "{}",
        wrong.err
    );
}

#[test]
fn the_log_has_the_actions_and_no_sealed_replies() {
    let dir = with("()");
    let log = dir.path().join("log");
    let play = ["primes", "--plain", "--no-save", "--seed", "7"];
    let quiet = said(&dir, &play);
    let logged = said(&dir, &[&play[..], &["--log", path(&log)]].concat());
    assert_eq!((&logged.out, &logged.err), (&quiet.out, &quiet.err));
    let first = fs::read_to_string(&log).unwrap();
    for word in [
        "INFO started",
        "scenario read",
        "debate begins seed=\"7\"",
        "debate over",
        "ended status=0",
    ] {
        assert!(first.contains(word), "{word}: {first}");
    }
    assert!(!first.contains("DEBUG"));
    said(&dir, &[&play[..], &["-vv", "--log", path(&log)]].concat());
    let second = fs::read_to_string(&log).unwrap();
    assert!(second.starts_with(&first) && second.contains("DEBUG move seat=\"prover\""));
    assert!(
        !second.contains("TooLow") && !second.contains("TooHigh"),
        "a bet is sealed"
    );
    let failed = say(
        dir.path(),
        &["solve", "no\u{1b}where", "--log", path(&log), "-q"],
        "",
    );
    assert_eq!(failed.code, Some(2));
    let third = fs::read_to_string(&log).unwrap();
    let last = third.strip_prefix(&second).unwrap();
    assert!(
        last.contains("ERROR") && last.lines().count() == 1 && !last.contains('\u{1b}'),
        "{last:?}"
    );
}

#[cfg(unix)]
#[test]
fn the_log_is_private_and_follows_no_link() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let dir = with("()");
    let log = dir.path().join("log");
    said(&dir, &["list", "scenarios", "--log", path(&log)]);
    let mode = fs::metadata(&log).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let before = fs::read(&log).unwrap();
    let (link, dangling) = (dir.path().join("link"), dir.path().join("dangling"));
    symlink(&log, &link).unwrap();
    symlink(dir.path().join("nothing"), &dangling).unwrap();
    for wrong in [&link, &dangling, &dir.path().to_owned()] {
        let told = refused(&dir, &["list", "scenarios", "--log", path(wrong)]);
        assert!(told.contains("this is not a regular file"), "{told}");
    }
    assert_eq!(fs::read(&log).unwrap(), before);
    assert!(!dir.path().join("nothing").exists());
}

#[test]
fn every_command_has_a_manual_page() {
    let dir = with("()");
    let pages = dir.path().join("man");
    let printed = |arguments: &[&str]| {
        let said = run_here(dir.path(), arguments, "");
        assert_eq!(said.code, Some(0), "{arguments:?}: {said:?}");
        said.out
    };
    printed(&["man", "--out", path(&pages)]);
    let help = printed(&["--help"]);
    let (_, listed) = help.split_once("Commands:\n").unwrap();
    let names = listed.lines().take_while(|line| !line.is_empty());
    let names: Vec<&str> = names
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.contains(&"simulate") && names.len() > 10, "{names:?}");
    for name in names.iter().filter(|name| **name != "help") {
        let page = fs::read_to_string(pages.join(format!("debate-tui-{name}.1"))).unwrap();
        assert_eq!(printed(&["man", name]), page);
    }
    assert_eq!(
        printed(&["man"]),
        fs::read_to_string(pages.join("debate-tui.1")).unwrap()
    );
    let told = refused(&dir, &["man", "sovle"]);
    assert!(
        told.contains("unknown command `sovle`; did you mean `solve`?"),
        "{told}"
    );
    let shown = ["debate-tui", "debate-tui-solve", "debate-tui-export"];
    assert_man_shows(shown.map(|name| pages.join(format!("{name}.1"))));
}

#[test]
#[ignore = "exhaustive: 1 s; every day: settings::every_command_has_a_manual_page"]
fn man_shows_every_manual_page() {
    let dir = with("()");
    let pages = dir.path().join("man");
    said(&dir, &["man", "--out", path(&pages)]);
    let pages = fs::read_dir(&pages).unwrap();
    assert_man_shows(pages.map(|page| page.unwrap().path()));
}

/// Renders pages with `man`, without warnings.
fn assert_man_shows(pages: impl IntoIterator<Item = PathBuf>) {
    for page in pages {
        let mut man = Command::new("man");
        let Ok(output) = man.args(["-l", "--warnings"]).arg(&page).output() else {
            println!("skipped: there is no man");
            return;
        };
        let (out, err) = (output.stdout, output.stderr);
        assert_eq!(String::from_utf8_lossy(&err), "", "{}", page.display());
        assert!(String::from_utf8_lossy(&out).contains("debate-tui"));
    }
}
