//! Language models as players: the address that a player's name stands for, and the command that starts the client.
//!
//! The program plays a language model with a client of its own, which speaks the messages of an engine. The host only
//! starts it, so deadlines, retries, costs and forfeits are the same as for every engine.
//!
//! Before a debate begins, [`ModelProgramAndNamedModels::check_model_usable`] refuses a model that cannot be asked.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Map, Value, json};

use super::options;
use super::pipes::set_own_process_group;
use crate::message::{EngineHello, EngineOption, EngineOptionKind};
use debate_core::player::{MODEL_PROVIDERS, PlayerSpec};

/// The API format of a provider's requests and responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelApi {
    /// The chat completions API, as OpenAI, OpenRouter, Ollama, vLLM and llama.cpp offer it.
    OpenAi,
    /// The Messages API of Anthropic.
    Anthropic,
}

/// The address of a language model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelAddress {
    /// The model's name at the provider.
    pub model: String,
    /// The URL to which requests are sent.
    pub url: String,
    pub api: ModelApi,
    /// The environment variable that contains the API key; `None` if the provider needs no key.
    pub key_variable: Option<&'static str>,
}

/// A provider of language models. A player's name has the provider's word before its colon.
struct Provider {
    word: &'static str,
    /// The provider's base URL, to which the path of the API is appended. The environment variable `url_variable` can
    /// replace it.
    url: &'static str,
    url_variable: &'static str,
    api: ModelApi,
    key_variable: Option<&'static str>,
}

const PROVIDERS: [Provider; 4] = [
    Provider {
        word: "openai",
        url: "https://api.openai.com/v1",
        url_variable: "OPENAI_BASE_URL",
        api: ModelApi::OpenAi,
        key_variable: Some("OPENAI_API_KEY"),
    },
    Provider {
        word: "anthropic",
        url: "https://api.anthropic.com/v1",
        url_variable: "ANTHROPIC_BASE_URL",
        api: ModelApi::Anthropic,
        key_variable: Some("ANTHROPIC_API_KEY"),
    },
    Provider {
        word: "openrouter",
        url: "https://openrouter.ai/api/v1",
        url_variable: "OPENROUTER_BASE_URL",
        api: ModelApi::OpenAi,
        key_variable: Some("OPENROUTER_API_KEY"),
    },
    Provider {
        word: "ollama",
        url: "http://localhost:11434/v1",
        url_variable: "OLLAMA_BASE_URL",
        api: ModelApi::OpenAi,
        key_variable: None,
    },
];

/// The environment variable with the API key of a model whose address is `model:NAME@URL`.
const KEY_OF_URL: &str = "MODEL_API_KEY";

impl ModelAddress {
    /// Parses the address of a language model: `model:NAME@URL`, or the name of a provider, a colon and the model's
    /// name. `environment_variable` returns the value of an environment variable.
    ///
    /// # Errors
    /// If the text names no model or no known provider. Also if the URL does not begin with `http://` or `https://`, or
    /// contains a user, a query or a fragment. The error is the end of a sentence.
    pub fn parse(
        text: &str,
        environment_variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let (word, rest) = text.split_once(':').unwrap_or((text, ""));
        let set = |name: &str| environment_variable(name).filter(|value| !value.is_empty());
        let (model, base, api, key_variable) = if word == "model" {
            let at = rest.find("@http://").or_else(|| rest.find("@https://"));
            let (model, url) = at.and_then(|at| rest.split_at_checked(at)).ok_or(
                "the model has no URL; write 'model:NAME@URL', such as 'model:qwen3@http://localhost:8000/v1'",
            )?;
            let url = url.trim_start_matches('@').to_owned();
            (model, url, ModelApi::OpenAi, Some(KEY_OF_URL))
        } else {
            let known = PROVIDERS.iter().find(|provider| provider.word == word);
            let provider = known.ok_or_else(|| {
                let words = MODEL_PROVIDERS.join(", ");
                format!(
                    "the word {word:?} is not a provider of language models; use one of: {words}"
                )
            })?;
            let url = set(provider.url_variable).unwrap_or_else(|| provider.url.to_owned());
            (rest, url, provider.api, provider.key_variable)
        };
        let model = model.trim();
        if model.is_empty() {
            return Err("the name of the model is missing".to_owned());
        }
        Ok(Self {
            model: model.to_owned(),
            url: request_url(&base, api)?,
            api,
            key_variable,
        })
    }

    /// True if requests are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.url.starts_with("https://")
    }
}

/// Returns the URL to which requests are sent: the base URL followed by the path of the API, unless the base already
/// ends with this path.
fn request_url(base: &str, api: ModelApi) -> Result<String, String> {
    let base = base.trim_end_matches('/');
    let host = base
        .strip_prefix("http://")
        .or_else(|| base.strip_prefix("https://"))
        .filter(|host| !host.is_empty() && !host.starts_with('/'));
    let Some(host) = host else {
        return Err(format!(
            "the address {base:?} is not a URL; write one such as http://localhost:8000/v1"
        ));
    };
    // The URL is written into saves and recordings, which must not contain a password or a key.
    let host = host.split('/').next().unwrap_or(host);
    if host.contains('@') {
        return Err(
            "its URL contains a user or a password; leave them out, and name the environment variable of the key \
             with the option `key`"
                .to_owned(),
        );
    }
    if base.contains(['?', '#']) {
        return Err(
            "its URL contains '?' or '#'; leave out everything from this sign on, and give further fields with the \
             option `extra`"
                .to_owned(),
        );
    }
    let path = match api {
        ModelApi::OpenAi => "/chat/completions",
        ModelApi::Anthropic => "/messages",
    };
    Ok(if base.ends_with(path) {
        base.to_owned()
    } else {
        format!("{base}{path}")
    })
}

/// The program that plays language models.
#[derive(Clone, Debug)]
pub struct ModelPlayerProgram {
    /// The executable, which plays the model NAME when it is started with the arguments `engine model NAME`.
    pub program: PathBuf,
    /// True if the program that plays language models can send encrypted requests (`https`).
    pub has_tls: bool,
}

/// A model's address and options in the settings. Players name it as `model:NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfiguredLanguageModel {
    /// The address of the language model: `model:MODEL@URL`, or a provider, a colon and the model's name.
    pub address: String,
    /// The values of this model's options, such as its temperature. A player's name can override them for that player.
    pub options: BTreeMap<String, Value>,
}

/// The folder in which HTTP exchanges with providers are recorded, or from which they are replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpRecording {
    Record(PathBuf),
    /// No request is sent.
    Replay(PathBuf),
}

/// The settings of language models: the models of the user, and the program that plays them.
#[derive(Clone, Debug, Default)]
pub struct ModelProgramAndNamedModels {
    /// The program that plays language models; `None` if this program has no client for them.
    pub client: Option<ModelPlayerProgram>,
    /// Models by their short names. Players name them as `model:NAME`.
    pub named: BTreeMap<String, ConfiguredLanguageModel>,
    pub http: Option<HttpRecording>,
}

impl ModelProgramAndNamedModels {
    /// Returns the model of the user's settings that a player names; `None` if the player's name contains the model's
    /// address.
    ///
    /// # Errors
    /// If the player has neither an address nor a name of the settings. The error is the end of a sentence.
    fn named_model(&self, player: &str) -> Result<Option<&ConfiguredLanguageModel>, String> {
        let Some(name) = player.strip_prefix("model:") else {
            return Ok(None);
        };
        if name.contains("@http://") || name.contains("@https://") {
            return Ok(None);
        }
        match self.named.get(name.trim()) {
            Some(model) => Ok(Some(model)),
            None => Err(format!(
                "it has no URL, and the settings have no model of this name; write 'model:NAME@URL', such as \
                 'model:qwen3@http://localhost:8000/v1', or add {name:?} to `models` in config.ron"
            )),
        }
    }

    /// Returns the option values that the user's settings give a player; empty if the player is not a model of the
    /// settings.
    pub(super) fn settings_options_of_player(&self, player: &str) -> BTreeMap<String, Value> {
        let named = self.named_model(player).ok().flatten();
        named.map_or_else(BTreeMap::new, |model| model.options.clone())
    }

    /// Checks that a player who is a language model can be asked: its address, its options, encryption and the API key.
    /// Other players pass.
    ///
    /// # Errors
    /// If it cannot be asked. The error is the end of a sentence.
    pub fn check_model_usable(&self, player: &PlayerSpec) -> Result<(), String> {
        if !player.is_language_model() {
            return Ok(());
        }
        let named = self.named_model(&player.name)?;
        let name = named.map_or(player.name.as_str(), |model| &model.address);
        let address = ModelAddress::parse(name, variable)?;
        let hello = EngineHello {
            options: options_of_every_model_player(),
            ..EngineHello::default()
        };
        let of_settings = named.map(|model| model.options.clone());
        let values = options::resolve(&hello, player, &of_settings.unwrap_or_default())?;
        parse_extra_request_fields(values.get("extra").and_then(Value::as_str).unwrap_or(""))?;
        if self.is_replay() {
            return Ok(());
        }
        if self.client.as_ref().is_some_and(|client| !client.has_tls) {
            check_unencrypted(&address)?;
        }
        let chosen = values.get("key").and_then(Value::as_str);
        let usual = address.key_variable.filter(|_| address.is_encrypted());
        let key = chosen.filter(|name| !name.is_empty()).or(usual);
        match key.filter(|name| variable(name).is_none_or(|value| value.is_empty())) {
            None => Ok(()),
            Some(name) => Err(format!(
                "the model's key is missing: set the environment variable {name}"
            )),
        }
    }

    /// True if recorded HTTP exchanges are replayed, so that no request is sent.
    fn is_replay(&self) -> bool {
        matches!(self.http, Some(HttpRecording::Replay(_)))
    }

    /// Returns the command that starts the client of a language model.
    ///
    /// # Errors
    /// If there is no client, the name is no address, or the client cannot reach it. The error is the end of a
    /// sentence.
    pub(super) fn model_client_command(&self, name: &str) -> Result<Command, String> {
        let client = self
            .client
            .as_ref()
            .ok_or("this program has no client for language models")?;
        let named = self.named_model(name)?;
        let name = named.map_or(name, |model| &model.address);
        let address = ModelAddress::parse(name, variable)?;
        if !client.has_tls && !self.is_replay() {
            check_unencrypted(&address)?;
        }
        let mut command = Command::new(&client.program);
        // The client has no settings of its own: this process resolved the name.
        command.args(["engine", "model", name, "--no-config"]);
        match &self.http {
            Some(HttpRecording::Record(folder)) => command.arg("--record-http").arg(folder),
            Some(HttpRecording::Replay(folder)) => command.arg("--replay-http").arg(folder),
            None => &mut command,
        };
        set_own_process_group(&mut command);
        Ok(command)
    }
}

/// Returns the options that every language model has as a player.
pub fn options_of_every_model_player() -> Vec<EngineOption> {
    let option = |name: &str, kind, default| EngineOption {
        name: name.to_owned(),
        kind,
        default,
    };
    let number = |name| option(name, EngineOptionKind::Number, json!(0));
    let text = |name| option(name, EngineOptionKind::Text, json!(""));
    vec![
        number("temperature"),
        number("max_tokens"),
        number("price_in"),
        number("price_out"),
        text("key"),
        text("prompts"),
        text("extra"),
    ]
}

/// Parses a model's option `extra`, a JSON object with further fields for each request. An empty text means no fields.
///
/// # Errors
/// If the text is not a JSON object. The error is the end of a sentence.
pub fn parse_extra_request_fields(text: &str) -> Result<Map<String, Value>, String> {
    if text.is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_str(text).map_err(|error| {
        format!("the option `extra` is not a JSON object, such as {{\"top_p\": 0.9}} ({error}): {text:?}")
    })
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Returns an error if a model's address needs encryption (`https`); for programs that cannot encrypt.
fn check_unencrypted(address: &ModelAddress) -> Result<(), String> {
    if !address.is_encrypted() {
        return Ok(());
    }
    Err(
        "its URL begins with https://, and this program was built without the feature `tls`; \
         build it with `--features tls`, or use an address with http://"
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ModelAddress, String> {
        ModelAddress::parse(text, |name| {
            (name == "OPENAI_BASE_URL").then(|| "http://10.0.0.1:80/v1/".to_owned())
        })
    }

    #[test]
    fn an_address_has_the_path_of_its_interface() {
        for (text, model, url) in [
            (
                "model:org/a@b@http://localhost:8000/v1",
                "org/a@b",
                "http://localhost:8000/v1/chat/completions",
            ),
            (
                "model:m@https://h/v1/chat/completions",
                "m",
                "https://h/v1/chat/completions",
            ),
            ("openai:m", "m", "http://10.0.0.1:80/v1/chat/completions"),
            ("anthropic:m", "m", "https://api.anthropic.com/v1/messages"),
            (
                "ollama:llama3.2:1b",
                "llama3.2:1b",
                "http://localhost:11434/v1/chat/completions",
            ),
        ] {
            let address = parse(text).unwrap();
            assert_eq!((address.model.as_str(), address.url.as_str()), (model, url));
        }
    }

    #[test]
    fn an_address_without_a_model_or_a_url_is_refused() {
        for (text, why) in [
            ("model:m", "the model has no URL"),
            ("model:@http://h/v1", "the name of the model is missing"),
            ("model:m@http://", "is not a URL"),
            ("model:m@http://u:p@h/v1", "contains a user or a password"),
            (
                "model:m@https://token@h/v1",
                "contains a user or a password",
            ),
            ("model:m@http://h/v1?key=secret", "contains '?' or '#'"),
            ("model:m@http://h/v1#part", "contains '?' or '#'"),
            ("ollama: ", "the name of the model is missing"),
            ("other:m", "is not a provider"),
        ] {
            let refused = parse(text).unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }

    #[test]
    fn an_encrypted_address_needs_the_feature() {
        let plain = parse("ollama:m").unwrap();
        assert_eq!(check_unencrypted(&plain), Ok(()));
        let encrypted = parse("anthropic:m").unwrap();
        let why = check_unencrypted(&encrypted).unwrap_err();
        assert!(why.contains("without the feature `tls`"), "{why}");
    }

    #[test]
    fn every_provider_of_a_name_has_an_address() {
        for word in MODEL_PROVIDERS {
            assert!(parse(&format!("{word}:m@http://h")).is_ok(), "{word}");
        }
    }
}
