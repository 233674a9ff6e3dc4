//! Builds the body of an HTTP request to a language model's provider.

use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value, json};

use debate_host::engine::{ModelApi, parse_extra_request_fields};

/// Maximum number of tokens of an answer, unless the user sets another limit. Used for providers that require a limit.
const DEFAULT_MAX_TOKENS: u64 = 8192;

/// The options of a language model, as `model(temperature=0.7):NAME@URL` sets them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ModelOptions {
    pub temperature: f64,
    /// Maximum number of tokens of an answer; 0 for the provider's own limit, or for [`DEFAULT_MAX_TOKENS`] if the
    /// provider requires a limit.
    pub max_tokens: u64,
    /// Price of a million tokens that the model reads, in US dollars.
    pub price_in: f64,
    /// Price of a million tokens that the model writes, in US dollars.
    pub price_out: f64,
    /// The environment variable with the API key; empty for the provider's usual variable.
    pub key: String,
    /// A folder with the user's system prompts; empty for the bundled ones.
    pub prompts: String,
    /// Additional JSON fields for the body of each request.
    #[serde(deserialize_with = "read_extra_fields")]
    pub extra: Map<String, Value>,
}

/// Deserialises additional request fields from a text, which is empty or contains a JSON object.
fn read_extra_fields<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Map<String, Value>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_extra_request_fields(&text).map_err(de::Error::custom)
}

/// Optional features of a request that some providers refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ModelRequestFeatures {
    /// True if the request asks the provider to return only replies that match the JSON Schema of a legal reply. The
    /// user message contains the schema anyway; requests to Anthropic never ask this.
    pub schema: bool,
    pub temperature: bool,
    /// True if the answer is streamed: sent in parts while the model writes it.
    pub stream: bool,
}

impl ModelRequestFeatures {
    pub(super) const ALL: Self = Self {
        schema: true,
        temperature: true,
        stream: true,
    };

    /// Returns all combinations of optional features. The first one has all features.
    pub(super) fn all_feature_combinations() -> [Self; 8] {
        std::array::from_fn(|without| Self {
            schema: without & 1 == 0,
            temperature: without & 2 == 0,
            stream: without & 4 == 0,
        })
    }

    /// Returns the features without the one that the provider's refusal names. If it names none, leaves out the schema
    /// or else the temperature. `None` if it names none and both are already left out.
    pub(super) fn without_refused_feature(self, refusal: &str) -> Option<Self> {
        let refusal = refusal.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| refusal.contains(word));
        if self.temperature && names(&["temperature"]) {
            return Some(Self {
                temperature: false,
                ..self
            });
        }
        if self.stream && names(&["stream"]) {
            return Some(Self {
                stream: false,
                ..self
            });
        }
        if self.schema {
            return Some(Self {
                schema: false,
                ..self
            });
        }
        self.temperature.then_some(Self {
            temperature: false,
            ..self
        })
    }
}

/// The texts of a request.
pub(super) struct ModelPrompt<'r> {
    pub system: &'r str,
    /// The rules, the events so far and the question, as far as the seat may see them.
    pub text: &'r str,
    /// The JSON Schema of a legal reply.
    pub legal: &'r Value,
    /// The reason why the host refused the model's last reply.
    pub wrong: Option<&'r str>,
}

impl ModelPrompt<'_> {
    /// Returns the message with the role `user`: the text, the schema of a legal reply, and the reason of a refusal.
    fn user_message(&self) -> String {
        let Self {
            text: prompt_text,
            legal: reply_schema,
            ..
        } = self;
        let mut message = format!(
            "{prompt_text}\n\nReply with one JSON object that matches this JSON Schema:\n{reply_schema}"
        );
        if let Some(wrong) = self.wrong {
            message += "\n\nYour last reply was not legal: ";
            message += wrong;
        }
        message
    }
}

/// Returns the JSON body of a request to the provider.
pub(super) fn request_body(
    api: ModelApi,
    model: &str,
    prompt: &ModelPrompt<'_>,
    options: &ModelOptions,
    features: ModelRequestFeatures,
) -> Value {
    let user = json!({"role": "user", "content": prompt.user_message()});
    let mut body = match api {
        ModelApi::OpenAi => {
            json!({"model": model, "messages": [{"role": "system", "content": prompt.system}, user]})
        }
        ModelApi::Anthropic => json!({"model": model, "system": prompt.system, "messages": [user]}),
    };
    let mut set = |name: &str, value: Value| {
        if let Some(fields) = body.as_object_mut() {
            fields.insert(name.to_owned(), value);
        }
    };
    if features.temperature {
        set("temperature", json!(options.temperature));
    }
    if features.stream {
        set("stream", json!(true));
    }
    match api {
        ModelApi::OpenAi => {
            if features.stream {
                set("stream_options", json!({"include_usage": true}));
            }
            if options.max_tokens > 0 {
                set("max_tokens", json!(options.max_tokens));
            }
            if features.schema {
                let schema = json!({"name": "reply", "strict": true, "schema": prompt.legal});
                set(
                    "response_format",
                    json!({"type": "json_schema", "json_schema": schema}),
                );
            }
        }
        ModelApi::Anthropic => {
            let limit = match options.max_tokens {
                0 => DEFAULT_MAX_TOKENS,
                limit => limit,
            };
            set("max_tokens", json!(limit));
        }
    }
    // The user's fields are set last, so that they may replace any other.
    for (name, value) in &options.extra {
        set(name, value.clone());
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_feature_is_left_out_once() {
        let all = ModelRequestFeatures::ALL;
        let cool = all
            .without_refused_feature("Unsupported value: 'temperature'")
            .unwrap();
        assert_eq!(
            cool,
            ModelRequestFeatures {
                temperature: false,
                ..all
            }
        );
        let plain = cool
            .without_refused_feature("response_format is not supported")
            .unwrap();
        assert!(!plain.schema && plain.stream);
        assert_eq!(plain.without_refused_feature("what?"), None);
        let whole = all
            .without_refused_feature("unknown field: stream_options")
            .unwrap();
        assert!(!whole.stream && whole.schema);
    }

    #[test]
    fn a_request_has_the_form_of_its_interface() {
        let prompt = ModelPrompt {
            system: "Play.",
            text: "Is it so?",
            legal: &json!({"type": "object"}),
            wrong: Some("too late"),
        };
        let options = ModelOptions::default();
        let body = |api| request_body(api, "m", &prompt, &options, ModelRequestFeatures::ALL);
        let openai = body(ModelApi::OpenAi);
        assert_eq!(openai["messages"][0]["content"], "Play.");
        assert_eq!(openai["response_format"]["json_schema"]["strict"], true);
        assert!(openai.get("max_tokens").is_none());
        let anthropic = body(ModelApi::Anthropic);
        assert_eq!(anthropic["system"], "Play.");
        assert_eq!(anthropic["max_tokens"], DEFAULT_MAX_TOKENS);
        assert!(anthropic.get("response_format").is_none());
        let message = anthropic["messages"][0]["content"].as_str().unwrap();
        assert!(message.starts_with("Is it so?") && message.ends_with("not legal: too late"));
    }
}
