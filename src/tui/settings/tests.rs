use std::fs;
use std::path::PathBuf;

use super::*;
use crate::tui::theme::Theme;
use debate_solver::setup::ScenarioTextSource;
use proptest::prelude::*;

fn parsed(text: &str) -> Result<Settings, String> {
    let origin = ScenarioTextSource::File(PathBuf::from("config.ron"));
    Settings::parse_settings(text, &origin).map_err(|error| error.to_string())
}

/// Returns settings that all differ from their defaults.
fn others() -> Settings {
    let mut settings = Settings::default();
    for field in ALL_SETTINGS {
        let other = match field.kind {
            SettingValueKind::Folder => "~/débats \"2\"".to_owned(),
            SettingValueKind::Models => {
                "{\"a-1\": (address: \"openai:m\", extra: {\"b\": [0.9, \"\\u{e9}\", true], \"c\": {\"d\": 12}}, key: \"K\", price_in: 0.15, temperature: 0), }".to_owned()
            }
            SettingValueKind::Keys => "{\"undo\": [\"z\", \"ctrl-u\"], \"copy\": []}".to_owned(),
            _ => {
                let mut choices = field.value_choices().into_iter();
                choices
                    .find(|value| *value != field.get(&settings))
                    .unwrap()
            }
        };
        field.set(&mut settings, &other).unwrap();
        assert_ne!(
            field.get(&settings),
            field.get(&Settings::default()),
            "{}",
            field.name
        );
    }
    settings
}

#[test]
fn every_setting_has_its_purpose() {
    for field in ALL_SETTINGS {
        assert!(field.doc().ends_with('.'), "{}", field.name);
    }
}

#[test]
fn written_settings_read_back() {
    for settings in [Settings::default(), others()] {
        let text = settings.to_settings_file_text();
        assert_eq!(parsed(&text).unwrap(), settings, "{text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{text}"
        );
        for field in ALL_SETTINGS {
            assert!(text.contains(&format!("\n    {}: ", field.name)));
        }
    }
}

#[test]
fn every_choice_of_every_setting_is_accepted() {
    for field in ALL_SETTINGS {
        for choice in field.value_choices() {
            let mut settings = Settings::default();
            field.set(&mut settings, &choice).unwrap();
            assert_eq!(field.get(&settings), choice);
        }
        let mut settings = Settings::default();
        let refused = field.set(&mut settings, "\u{202e}");
        assert!(refused.unwrap_err().contains(field.name));
        assert_eq!(settings, Settings::default());
    }
    let themes = setting_named("theme").unwrap().value_choices();
    assert_eq!(themes, ThemeChoice::NAMES);
}

#[test]
fn minimal_settings_files_are_accepted() {
    for text in [
        "",
        "  \n// nothing yet\n",
        "()",
        "(\n)",
        "Settings()",
        "\u{feff}()",
    ] {
        assert_eq!(parsed(text).as_ref(), Ok(&Settings::default()), "{text:?}");
    }
    let light = parsed("(theme: \"light\",)").unwrap();
    assert_eq!(light.theme, ThemeChoice::Theme(Theme::Light));
}

#[test]
fn a_fault_in_the_settings_is_one_sentence_with_its_location() {
    for (text, told) in [
        (
            "(\n  tehme: \"dark\",\n)",
            "config.ron:2:3: there is no field `tehme` in `Settings`; did you mean `theme`?",
        ),
        (
            "(theme: \"pink\")",
            "config.ron:1:9: theme: found \"pink\", but `theme` takes \"dark\", \"light\", \"high-contrast\", \"monochrome\" or \"auto\"",
        ),
        (
            "(speed: 7)",
            "config.ron:1:9: speed: found \"7\", but `speed` takes a whole number from 1 to 6",
        ),
        (
            "(mouse: 1)",
            "config.ron:1:9: `true` or `false` is expected here",
        ),
        (
            "(theme: \"dark\", theme: \"dark\")",
            "config.ron:1:17: the field `theme` occurs twice; remove one",
        ),
        (
            "(keys: {\"send\": [\"enter\"], \"udno\": [\"z\"]})",
            "config.ron:1:28: keys[\"udno\"]: unknown action; did you mean `undo`?",
        ),
        (
            "(keys: {\"undo\": [\"z\", \"kaboom\"]})",
            "config.ron:1:23: keys[\"undo\"][1]: `kaboom` is not a key; write for example `q`, `ctrl-z`, `shift-left`, `space` or `f1`",
        ),
        (
            "(keys: {\"undo\": [\"z\"], \"undo\": []})",
            "config.ron:1:24: keys[\"undo\"]: this action appears twice; remove one entry",
        ),
        (
            "(keys: {\"undo\": [\"z\"], \"copy\": [\"y\"], \"auto\": [\"z\"]})",
            "config.ron:1:39: keys[\"auto\"]: `z` cannot mean both `auto` and `undo`; give one of them another key",
        ),
        (
            "(keys: {\"quit\": []})",
            "config.ron:1:9: keys[\"quit\"]: the action `quit` would have no key, so the screen could not be left; give it a key",
        ),
        ("{", "config.ron:1:1: expected `Settings(…)` here"),
    ] {
        let error = parsed(text).unwrap_err();
        assert_eq!(error, told, "{text}");
        assert!(!error.contains('\n') && !error.contains(is_unsafe_character));
    }
}

#[test]
fn changed_keys_can_be_restored() {
    let mut settings = Settings::default();
    settings.bind_keys("undo", Some(&["z"])).unwrap();
    let before = settings.clone();
    assert!(settings.bind_keys("auto", Some(&["z"])).is_err());
    assert!(settings.bind_keys("kaboom", Some(&["z"])).is_err());
    assert!(settings.bind_keys("undo", Some(&["kaboom"])).is_err());
    // These are the only keys of another action, which must have at least one.
    assert!(settings.bind_keys("undo", Some(&["q", "ctrl-c"])).is_err());
    assert_eq!(settings, before);
    let keys = settings.key_map().unwrap();
    let undo = keys
        .all_actions()
        .into_iter()
        .find(|entry| entry.name == "undo");
    assert_eq!(undo.unwrap().keys, ["z".parse().unwrap()]);
    settings.bind_keys("undo", None).unwrap();
    assert_eq!(settings, Settings::default());
}

#[test]
fn settings_written_by_hand_are_backed_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/config.ron");
    assert_eq!(Settings::load(&path).unwrap(), Settings::default());
    let stored = Settings::default().store(&path).unwrap();
    assert_eq!(stored.backup, None);
    let mine = "( // mine\n theme: \"light\" )";
    fs::write(&path, mine).unwrap();
    let mut settings = Settings::load(&path).unwrap();
    settings.hints = true;
    let kept = settings.store(&path).unwrap().backup.unwrap();
    assert_eq!(fs::read_to_string(&kept).unwrap(), mine);
    assert_eq!(Settings::load(&path).unwrap(), settings);
    // A file written by the program is not backed up, and existing backups remain.
    settings.hints = false;
    assert_eq!(settings.store(&path).unwrap().backup, None);
    fs::write(&path, "/* broken").unwrap();
    let second = settings.store(&path).unwrap().backup.unwrap();
    assert_ne!(kept, second);
    assert_eq!(fs::read_to_string(&kept).unwrap(), mine);
    assert_eq!(fs::read_to_string(&second).unwrap(), "/* broken");
    let names = fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(names, 3, "nothing half written is left");
}

#[cfg(unix)]
#[test]
fn storing_settings_preserves_a_symbolic_link() {
    let folder = tempfile::tempdir().unwrap();
    let (link, real) = (
        folder.path().join("config.ron"),
        folder.path().join("real.ron"),
    );
    fs::write(&real, "()").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    others().store(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(Settings::load(&real).unwrap(), others());
}

#[test]
fn an_endless_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.ron");
    fs::write(&path, "/".repeat(1 << 20)).unwrap();
    let error = Settings::load(&path).unwrap_err().to_string();
    assert!(error.contains("has more than 65536 bytes"), "{error}");
    #[cfg(unix)]
    assert!(matches!(
        Settings::load("/dev/zero".as_ref()),
        Err(SettingsError::TooLarge { .. })
    ));
    fs::write(&path, "[".repeat(60_000)).unwrap();
    assert!(Settings::load(&path).is_err());
    fs::write(&path, [0xff, b'(']).unwrap();
    assert!(
        Settings::load(&path)
            .unwrap_err()
            .to_string()
            .contains("cannot be read")
    );
}

#[test]
fn a_relative_folder_of_saves_is_relative_to_the_configuration() {
    let named = |name: &str| Settings {
        saves: Some(name.to_owned()),
        ..Settings::default()
    };
    let at = Path::new("/etc/debates/config.ron");
    assert_eq!(
        named("kept").saves_folder_in_settings(Some(at)),
        Some("/etc/debates/kept".into())
    );
    assert_eq!(
        named("/kept").saves_folder_in_settings(Some(at)),
        Some("/kept".into())
    );
    assert_eq!(Settings::default().saves_folder_in_settings(Some(at)), None);
    if let Some(home) = directories::BaseDirs::new() {
        let expected = Some(home.home_dir().join("kept"));
        assert_eq!(named("~/kept").saves_folder_in_settings(Some(at)), expected);
    }
}

proptest! {
    #[test]
    fn error_messages_for_any_settings_text_are_printable(text in "[(){}\\[\\]:,\"a-z_/ \n\u{202e}\u{1b}]{0,60}") {
        if let Err(error) = parsed(&text) {
            prop_assert!(!error.contains(is_unsafe_character), "{error:?}");
            prop_assert!(error.starts_with("config.ron:"));
        }
    }
}
