use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;
use proptest::prelude::*;

crate::members! { Contexts: LIST TREE }
crate::members! { Facts: MY_TURN }

static TABLE: &[ActionDefinition<u8>] = &[
    ActionDefinition::new(
        0,
        "down",
        "Go to the next line",
        &["j", "down"],
        LIST.or(TREE),
    )
    .hint("next", 1),
    ActionDefinition::new(1, "open", "Open the branch", &["l", "right"], TREE).hint("open", 5),
    ActionDefinition::new(2, "send", "Send your reply", &["enter"], LIST)
        .hint("send", 9)
        .requires(MY_TURN),
    ActionDefinition::new(3, "like", "Mark the line", &["l"], LIST),
];

fn key(text: &str) -> KeyPress {
    text.parse().unwrap()
}

#[test]
fn a_key_has_the_meaning_of_its_context() {
    let map = KeyMap::new(TABLE).unwrap();
    assert_eq!(map.action_of_key(TREE, Facts::NONE, key("l")), Some(1));
    assert_eq!(map.action_of_key(LIST, Facts::NONE, key("l")), Some(3));
    assert_eq!(
        map.action_of_key(LIST, Facts::NONE, key("down")),
        map.action_of_key(LIST, Facts::NONE, key("j"))
    );
    assert_eq!(map.action_of_key(LIST, Facts::NONE, key("x")), None);
}

#[test]
fn an_action_is_unavailable_without_its_facts() {
    let map = KeyMap::new(TABLE).unwrap();
    assert_eq!(map.action_of_key(LIST, Facts::NONE, key("enter")), None);
    assert_eq!(map.action_of_key(LIST, MY_TURN, key("enter")), Some(2));
    let help = map.help_entries(LIST, Facts::NONE);
    assert_eq!(help.iter().filter(|entry| entry.possible).count(), 2);
    assert_eq!(help.len(), 3);
}

#[test]
fn sentences_name_an_action_by_its_key_or_by_its_command() {
    let map = KeyMap::with_overrides(TABLE, [("open", &[][..]), ("down", &["left"])]).unwrap();
    assert_eq!(map.key_or_command_name(LIST, 0), "left");
    assert_eq!(map.key_or_command_name(TREE, 1), "the command “open”");
    // The action has no key in this context.
    assert_eq!(map.key_or_command_name(LIST, 1), "");
    let filled = map.with_key_names("{down} goes down, {open} opens; {up} {and on}, {");
    assert_eq!(
        filled,
        "left goes down, the command “open” opens; {up} {and on}, {"
    );
}

#[test]
fn the_lightest_hints_are_dropped_first() {
    let map = KeyMap::new(TABLE).unwrap();
    let words = |columns| {
        let hints = map.hints(LIST, MY_TURN, true, columns);
        hints
            .iter()
            .map(|hint| format!("{} {}", hint.key, hint.word))
            .collect::<Vec<_>>()
    };
    assert_eq!(words(80), ["j next", "enter send"]);
    assert_eq!(words(18), ["j next", "enter send"]);
    assert_eq!(words(17), ["enter send"]);
    assert!(words(0).is_empty());
}

#[test]
fn the_palette_finds_words_in_names_and_docs() {
    let map = KeyMap::new(TABLE).unwrap();
    let names = |typed: &str| {
        map.command_palette_entries(LIST, Facts::ALL, typed)
            .iter()
            .map(|entry| entry.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names("LINE"), ["down", "like"]);
    assert_eq!(names("li"), ["like", "down"]);
    assert_eq!(names("send reply"), ["send"]);
    assert!(names("nothing").is_empty());
}

#[test]
fn overrides_replace_keys_and_win_over_defaults() {
    let map = KeyMap::with_overrides(TABLE, [("send", vec!["j"])]).unwrap();
    assert_eq!(map.action_of_key(LIST, MY_TURN, key("j")), Some(2));
    assert_eq!(map.action_of_key(LIST, MY_TURN, key("enter")), None);
    assert_eq!(map.action_of_key(LIST, MY_TURN, key("down")), Some(0));
}

#[test]
fn errors_name_the_wrong_override() {
    let error = |overrides: Vec<(&str, Vec<&str>)>| {
        KeyMap::with_overrides(TABLE, overrides)
            .unwrap_err()
            .to_string()
    };
    assert!(error(vec![("fly", vec![])]).contains("`fly`"));
    assert!(error(vec![("send", vec!["hyper-q"])]).contains("`hyper-q`"));
    let clash = error(vec![("send", vec!["x"]), ("like", vec!["x"])]);
    assert_eq!(
        clash,
        "`x` cannot mean both `send` and `like`; give one of them another key"
    );
}

#[test]
fn a_key_with_two_actions_in_a_context_is_refused() {
    static CLASH: &[ActionDefinition<u8>] = &[
        ActionDefinition::new(0, "one", "", &["ctrl-a"], LIST),
        ActionDefinition::new(1, "two", "", &["Ctrl-A"], LIST.or(TREE)),
    ];
    assert!(matches!(
        KeyMap::new(CLASH),
        Err(KeyMapError::Conflict { .. })
    ));
}

#[test]
fn keys_are_read_and_written_the_same_way() {
    for text in [
        "q",
        "Q",
        "?",
        ":",
        "ctrl-z",
        "space",
        "ctrl-space",
        "shift-left",
        "alt-x",
        "minus",
        "f12",
        "ctrl-alt-delete",
        "pageup",
        "shift-tab",
        "日",
    ] {
        assert_eq!(key(text).to_string(), text);
    }
    assert_eq!(key("-"), key("minus"));
    assert_eq!(key("ctrl--"), key("ctrl-minus"));
    assert_eq!(key("shift-q"), key("Q"));
    assert_eq!(key("shift-left").key_label(true), "shift-←");
    for wrong in ["", "ctrl-", "qq", "f0", "f25", "super-q", " ", "\u{1b}"] {
        assert!(wrong.parse::<KeyPress>().is_err(), "{wrong:?}");
    }
}

#[test]
fn key_events_of_terminals_equal_key_names() {
    let event = |code, modifiers| KeyPress::from(KeyEvent::new(code, modifiers));
    assert_eq!(event(KeyCode::Char('Q'), KeyModifiers::SHIFT), key("Q"));
    assert_eq!(event(KeyCode::Char('Q'), KeyModifiers::NONE), key("Q"));
    assert_eq!(
        event(KeyCode::BackTab, KeyModifiers::SHIFT),
        key("shift-tab")
    );
    assert_eq!(event(KeyCode::Char('?'), KeyModifiers::SHIFT), key("?"));
}

proptest! {
    #[test]
    fn any_text_is_a_key_or_an_error(text in any::<String>()) {
        if let Ok(key) = text.parse::<KeyPress>() {
            prop_assert_eq!(key.to_string().parse::<KeyPress>().unwrap(), key);
        }
    }
}
