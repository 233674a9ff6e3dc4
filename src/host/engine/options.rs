//! The options of an engine: those that it lists in `hello`, those that the player's name sets, and the resulting
//! values.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::message::{EngineHello, EngineOption, EngineOptionKind};
use debate_core::player::{ALIAS, PlayerSpec};

/// Maximum number of options of an engine.
const MAX_OPTIONS: usize = 64;
/// Maximum number of characters of an option's name or default value.
const MAX_TEXT: usize = 200;

/// Returns the value of each option of an engine. The player's name takes precedence over the user's settings, and
/// these over the engine's default.
///
/// # Errors
/// If a value is set for an unknown option, or a value in the player's name is not of the option's kind. Values of the
/// settings are not checked for their kind here. The error is the end of a sentence.
pub(super) fn resolve(
    hello: &EngineHello,
    player: &PlayerSpec,
    of_settings: &BTreeMap<String, Value>,
) -> Result<BTreeMap<String, Value>, String> {
    let known = |name: &str| hello.options.iter().find(|option| option.name == name);
    let defaults = hello
        .options
        .iter()
        .map(|option| (option.name.clone(), option.default.clone()));
    let mut values: BTreeMap<String, Value> = defaults.collect();
    for (name, value) in of_settings {
        known(name).ok_or_else(|| unknown(name, &hello.options))?;
        values.insert(name.clone(), value.clone());
    }
    for (name, text) in player.engine_or_model_options() {
        let option = match known(name) {
            Some(option) => option,
            // The alias is for the tables of a match, not for the engine.
            None if name == ALIAS => continue,
            None => return Err(unknown(name, &hello.options)),
        };
        values.insert(name.to_owned(), value(option, text)?);
    }
    Ok(values)
}

/// Returns the mistake in an engine's list of options, as the end of a sentence; `None` if the list is valid.
pub(super) fn mistake_in_option_list(options: &[EngineOption]) -> Option<String> {
    if options.len() > MAX_OPTIONS {
        return Some(format!("the engine has more than {MAX_OPTIONS} options"));
    }
    let wrong = options.iter().find(|option| {
        let default = written(&option.default);
        let letters = option.name.chars();
        option.name.is_empty()
            || letters.clone().count() > MAX_TEXT
            || letters.clone().any(|letter| "=,():".contains(letter))
            || option.default.is_object()
            || option.default.is_array()
            || default.chars().count() > MAX_TEXT
    });
    let what = "has a name or a default value that cannot be written in a player's name, such as engine(t=1):COMMAND";
    wrong.map(|option| format!("its option {:?} {what}", option.name))
}

fn unknown(name: &str, options: &[EngineOption]) -> String {
    if options.is_empty() {
        return format!("the engine has no option {name:?}, because it has no options");
    }
    let names: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
    format!(
        "the engine has no option {name:?}; it has {known}",
        known = names.join(", ")
    )
}

fn value(option: &EngineOption, text: &str) -> Result<Value, String> {
    let (value, wanted) = match option.kind {
        EngineOptionKind::Text => (Some(Value::from(text)), "a text"),
        EngineOptionKind::Number => (
            serde_json::from_str(text).ok().filter(Value::is_number),
            "a number",
        ),
        EngineOptionKind::Boolean => (text.parse().ok().map(Value::Bool), "true or false"),
    };
    value.ok_or_else(|| {
        format!(
            "the option {option:?} takes {wanted}, not {text:?}",
            option = option.name
        )
    })
}

/// Returns the values of an engine's options in the notation of saves.
pub(super) fn engine_option_texts_for_save(
    values: &BTreeMap<String, Value>,
) -> BTreeMap<String, String> {
    let values = values.iter();
    values
        .map(|(name, value)| (name.clone(), written(value)))
        .collect()
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> EngineHello {
        let line = r#"{"options": [{"name": "t", "kind": "number", "default": 0},
            {"name": "style", "default": "long"}, {"name": "think", "kind": "boolean", "default": false}]}"#;
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn unset_options_have_the_defaults_of_the_engine() {
        let resolved = |player: &str| {
            resolve(
                &hello(),
                &PlayerSpec::parse(player).unwrap(),
                &BTreeMap::new(),
            )
        };
        let values = resolved("engine(t=0.7, think=true):cat").unwrap();
        assert_eq!(
            serde_json::to_value(&values).unwrap(),
            serde_json::json!({"t": 0.7, "style": "long", "think": true})
        );
        assert_eq!(engine_option_texts_for_save(&values)["t"], "0.7");
        for (player, why) in [
            (
                "engine(heat=1):cat",
                "the engine has no option \"heat\"; it has t, style, think",
            ),
            ("engine(t=hot):cat", "takes a number, not \"hot\""),
            ("engine(think=maybe):cat", "takes true or false"),
        ] {
            let refused = resolved(player).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
        assert_eq!(mistake_in_option_list(&hello().options), None);
        let mut hello = hello();
        hello.options[0].name = "a=b".to_owned();
        assert!(mistake_in_option_list(&hello.options).is_some());
    }
}
