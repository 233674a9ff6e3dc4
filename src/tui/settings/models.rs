//! The setting `models`, which gives short names to language models.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Map, Value};

use debate_core::scenario::{ScenarioValueError, ScenarioValuePath};
use debate_core::text::is_unsafe_character;
use debate_host::engine::{ConfiguredLanguageModel, ModelAddress};
use debate_host::record::ron_string_literal;
use debate_solver::setup::{MapEntries, ron_options};

/// Maximum number of characters of a model's name.
const MAX_NAME: usize = 100;
/// Maximum number of characters of each of a model's fields `key`, `prompts` and `extra` (as JSON).
const MAX_TEXT: usize = 2000;

/// A language model as the settings file contains it.
#[derive(Deserialize)]
#[serde(rename = "Model", deny_unknown_fields)]
pub(super) struct ModelSettingsEntry {
    address: String,
    #[serde(default)]
    temperature: Option<f64>,
    #[serde(default)]
    max_tokens: Option<u64>,
    #[serde(default)]
    price_in: Option<f64>,
    #[serde(default)]
    price_out: Option<f64>,
    #[serde(default)]
    key: Option<String>,
    #[serde(default)]
    prompts: Option<String>,
    /// Additional JSON fields for the body of each request to the model.
    #[serde(default)]
    extra: Option<Map<String, Value>>,
}

/// Parses a map of language models in the form that [`super::Setting::set`] accepts.
pub(super) fn parse_models(text: &str) -> Option<BTreeMap<String, ConfiguredLanguageModel>> {
    checked_models(ron_options().from_str(text).ok()?).ok()
}

/// Returns the language models of a settings file, or an error if one of them is wrong.
pub(super) fn checked_models(
    entries: MapEntries<ModelSettingsEntry>,
) -> Result<BTreeMap<String, ConfiguredLanguageModel>, ScenarioValueError> {
    let mut models = BTreeMap::new();
    for (name, entry) in entries.0 {
        let here = ScenarioValuePath::path_of_top_level_field("models").then_map_entry(&name);
        let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || name.chars().count() > MAX_NAME || !name.chars().all(is_plain) {
            let what = format!(
                "a model's name has 1 to {MAX_NAME} letters, digits, hyphens, underscores or dots"
            );
            return Err(here.error_at_path(what));
        }
        let model = checked_model(&here, entry)?;
        if models.insert(name, model).is_some() {
            return Err(here.error_at_path("this name appears twice; remove one entry"));
        }
    }
    Ok(models)
}

fn checked_model(
    here: &ScenarioValuePath,
    entry: ModelSettingsEntry,
) -> Result<ConfiguredLanguageModel, ScenarioValueError> {
    ModelAddress::parse(&entry.address, |_| None)
        .map_err(|why| here.path_of_field("address").error_at_path(why))?;
    let mut options = BTreeMap::new();
    let amounts = [
        ("temperature", entry.temperature),
        ("price_in", entry.price_in),
        ("price_out", entry.price_out),
    ];
    for (name, amount) in amounts {
        let Some(amount) = amount else { continue };
        let number = Some(amount)
            .filter(|amount| *amount >= 0.0)
            .and_then(number);
        let number = number.ok_or_else(|| {
            here.path_of_field(name)
                .error_at_path("the number must be finite and at least 0")
        })?;
        options.insert(name.to_owned(), number);
    }
    if let Some(tokens) = entry.max_tokens {
        options.insert("max_tokens".to_owned(), tokens.into());
    }
    let extra = entry.extra.map(|extra| Value::Object(extra).to_string());
    let texts = [
        ("key", entry.key),
        ("prompts", entry.prompts),
        ("extra", extra),
    ];
    for (name, text) in texts {
        let Some(text) = text else { continue };
        if text.chars().count() > MAX_TEXT || text.chars().any(is_unsafe_character) {
            let what = format!(
                "the text may have at most {MAX_TEXT} characters, and no control or invisible characters"
            );
            return Err(here.path_of_field(name).error_at_path(what));
        }
        options.insert(name.to_owned(), text.into());
    }
    Ok(ConfiguredLanguageModel {
        address: entry.address,
        options,
    })
}

/// Returns a number as JSON in its shortest form: 0, not 0.0.
fn number(amount: f64) -> Option<Value> {
    serde_json::from_str(&amount.to_string()).ok()
}

/// Formats language models as a map in the settings file. `before` is written before each entry, `end` after the last
/// one.
pub(super) fn format_models(
    models: &BTreeMap<String, ConfiguredLanguageModel>,
    before: &str,
    end: &str,
) -> String {
    if models.is_empty() {
        return "{}".to_owned();
    }
    // In a file, each field is a line.
    let between = if before.is_empty() {
        " "
    } else {
        "\n            "
    };
    let mut text = "{".to_owned();
    for (name, model) in models {
        let (name, address) = (ron_string_literal(name), ron_string_literal(&model.address));
        let _ = write!(text, "{before}{name}: (address: {address}");
        for (option, value) in &model.options {
            let value = match value {
                Value::String(object) if option == "extra" => {
                    in_ron(&serde_json::from_str(object).unwrap_or_default())
                }
                value => in_ron(value),
            };
            let _ = write!(text, ",{between}{option}: {value}");
        }
        text += "),";
    }
    text + end + "}"
}

/// Returns a JSON value in RON, the notation of the settings file.
fn in_ron(value: &Value) -> String {
    match value {
        Value::Null => "()".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => ron_string_literal(text),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(in_ron).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields
                .map(|(name, value)| format!("{}: {}", ron_string_literal(name), in_ron(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
    }
}
