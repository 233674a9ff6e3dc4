//! Reads the answer of a language model's provider: the model's words, its refusal, the token counts, and the reply in
//! the words.

use serde_json::Value;

/// Maximum number of bytes at the end of an answer in which a reply is searched for.
const MAX_SEARCHED: usize = 1 << 16;
/// Maximum number of characters of a provider's error message, or of its name of the model, that are shown.
const MAX_WORDS: usize = 200;
/// Upper limit to which a provider's token count is cut.
const MAX_TOKENS: u64 = 1_000_000_000_000;

/// A provider's answer: read whole, or joined from the parts of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ModelAnswer {
    pub text: String,
    /// The words with which the model or the provider's content filter refuses an answer; empty if neither refuses.
    pub refusal: String,
    /// The exact name of the model version that answered.
    pub snapshot: Option<String>,
    /// The token counts, as the provider wrote them.
    usage: serde_json::Map<String, Value>,
    /// True if the provider's response contains a message of the model. A response without one counts as a fault of the
    /// provider.
    pub has_message: bool,
    /// True if the message is complete: it was not streamed, or the provider says so.
    pub is_complete: bool,
}

/// An error that the provider reports inside an HTTP response with status 200.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProviderErrorInSuccessResponse {
    pub words: String,
    /// The HTTP status that the provider's error names; `None` if it names none.
    pub status: Option<u16>,
}

impl ModelAnswer {
    /// Adds a JSON value to the answer: a whole answer, or a part of a streamed one.
    ///
    /// # Errors
    /// If the value is an error of the provider.
    pub(super) fn add_answer_json(
        &mut self,
        value: &Value,
    ) -> Result<(), ProviderErrorInSuccessResponse> {
        let choice = value.get("choices").and_then(|choices| choices.get(0));
        let error = non_null(value.get("error"))
            .or_else(|| choice.and_then(|it| non_null(it.get("error"))));
        if let Some(error) = error {
            let status = error.get("code").and_then(status_code);
            let words = words_in_json(error);
            return Err(ProviderErrorInSuccessResponse { words, status });
        }
        // The start of a streamed message at Anthropic contains the message.
        let message = value.get("message").unwrap_or(value);
        if self.snapshot.is_none() {
            let name = message.get("model").and_then(Value::as_str);
            self.snapshot = name.map(|name| name.chars().take(MAX_WORDS).collect());
        }
        for usage in [message.get("usage"), value.get("usage")]
            .into_iter()
            .flatten()
        {
            if let Some(usage) = usage.as_object() {
                self.usage.extend(usage.clone());
            }
        }
        if let Some(choice) = choice {
            self.add_choice(choice);
        } else {
            self.add_anthropic(value);
        }
        Ok(())
    }

    /// Reads a choice from a response in the format of OpenAI's chat completions, and adds its words to the answer. A
    /// choice has the `message` of a whole answer, or the `delta` of a streamed part.
    fn add_choice(&mut self, choice: &Value) {
        for name in ["message", "delta"] {
            let Some(message) = choice.get(name).filter(|it| it.is_object()) else {
                continue;
            };
            self.has_message = true;
            self.add_content(message.get("content"));
            if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
                self.refusal += refusal;
            }
            self.is_complete |= name == "message";
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.is_complete = true;
            if reason == "content_filter" && self.refusal.is_empty() {
                "the provider's content filter stopped the model's answer"
                    .clone_into(&mut self.refusal);
            }
        }
    }

    /// Adds a value in the format of Anthropic's messages: a whole message, or an event of a streamed one.
    fn add_anthropic(&mut self, value: &Value) {
        let delta = value.get("delta");
        if value.get("type").and_then(Value::as_str) == Some("message") {
            self.has_message = true;
            self.is_complete = true;
            self.add_content(value.get("content"));
        }
        if let Some(text) = delta.and_then(|delta| delta.get("text")?.as_str()) {
            self.has_message = true;
            self.text += text;
        }
        let stop = [Some(value), delta].into_iter().flatten();
        for reason in stop.filter_map(|it| it.get("stop_reason")?.as_str()) {
            self.has_message = true;
            self.is_complete = true;
            if reason == "refusal" && self.refusal.is_empty() {
                "the model refused to answer".clone_into(&mut self.refusal);
            }
        }
    }

    /// Adds the content of a message: a text, or a list of parts. Only the text and the refusal of a part are added, so
    /// parts with neither, such as the model's thinking, are left out.
    fn add_content(&mut self, content: Option<&Value>) {
        match content {
            Some(Value::String(text)) => self.text += text,
            Some(Value::Array(parts)) => {
                for part in parts {
                    let text = part.get("text").unwrap_or(part).as_str();
                    self.text += text.unwrap_or_default();
                    let refusal = part.get("refusal").and_then(Value::as_str);
                    self.refusal += refusal.unwrap_or_default();
                }
            }
            _ => {}
        }
    }

    /// Returns the numbers of tokens that the model read and wrote. Some providers leave reasoning out of the output
    /// count and report it only in the total or in a count of its own. It is billed as output, so it is added to the
    /// output here.
    pub(super) fn input_and_output_tokens(&self) -> [u64; 2] {
        let count = |path: &[&str]| {
            let (first, rest) = path.split_first()?;
            let value = rest
                .iter()
                .try_fold(self.usage.get(*first)?, |at, name| at.get(name))?;
            Some(value.as_u64()?.min(MAX_TOKENS))
        };
        let or_zero = |path: &[&str]| count(path).unwrap_or_default();
        let read = count(&["prompt_tokens"]).unwrap_or_else(|| {
            or_zero(&["input_tokens"])
                + or_zero(&["cache_read_input_tokens"])
                + or_zero(&["cache_creation_input_tokens"])
        });
        let written = count(&["completion_tokens"]).unwrap_or_else(|| or_zero(&["output_tokens"]));
        let reasoning = or_zero(&["reasoning_tokens"])
            .max(or_zero(&["completion_tokens_details", "reasoning_tokens"]));
        let apart = if reasoning > written {
            written + reasoning
        } else {
            written
        };
        [
            read,
            apart.max(or_zero(&["total_tokens"]).saturating_sub(read)),
        ]
    }
}

fn non_null(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !value.is_null())
}

/// Returns the HTTP status that an error contains as a number or in digits; `None` if it contains none.
fn status_code(code: &Value) -> Option<u16> {
    match code {
        Value::Number(number) => u16::try_from(number.as_u64()?).ok(),
        Value::String(digits) => digits.parse().ok(),
        _ => None,
    }
}

/// Returns the message of a provider's error in JSON.
fn words_in_json(error: &Value) -> String {
    let inner = non_null(error.get("error")).unwrap_or(error);
    let message = inner.get("message").unwrap_or(inner);
    let text = message
        .as_str()
        .map_or_else(|| message.to_string(), str::to_owned);
    one_line(&text)
}

/// Returns the words of a provider's error: the message of its JSON, or the text of its page.
pub(super) fn provider_error_text(body: &[u8]) -> String {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => words_in_json(&value),
        Err(_) => one_line(&text_of_page(&String::from_utf8_lossy(body))),
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(MAX_WORDS).collect();
    if line.is_empty() {
        "an empty answer".to_owned()
    } else {
        line
    }
}

/// Returns the text of an HTML page that a provider sent as an error: without tags, scripts and styles.
fn text_of_page(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, tag)) = rest.split_once('<') {
        text += before;
        text.push(' ');
        let hidden = ["script", "style"]
            .into_iter()
            .find(|name| tag.starts_with(name));
        let after = match hidden {
            Some(name) => tag.split_once(&format!("</{name}")).map(|(_, after)| after),
            None => Some(tag),
        };
        rest = after
            .and_then(|after| after.split_once('>'))
            .map_or("", |(_, after)| after);
    }
    text + rest
}

/// Returns the reply in a model's words: the last JSON object with a field of a legal reply. It may be in a fenced
/// block or inside other text, after the model's reasoning. Without such an object, returns the trimmed words after the
/// reasoning as a JSON string; the host refuses it, and the model is asked again with the reason.
pub(super) fn extract_reply_json(model_text: &str, legal: &Value) -> Value {
    let answer = model_text
        .rsplit_once("</think>")
        .map_or(model_text, |(_, answer)| answer);
    let mut start = answer.len().saturating_sub(MAX_SEARCHED);
    while !answer.is_char_boundary(start) {
        start += 1;
    }
    let (_, mut rest) = answer.split_at(start);
    let fields = legal.get("properties").and_then(Value::as_object);
    let mut found = None;
    while let Some((_, from)) = rest.find('{').and_then(|at| rest.split_at_checked(at)) {
        let mut values = serde_json::Deserializer::from_str(from).into_iter::<Value>();
        let value = values.next().and_then(Result::ok);
        let end = values.byte_offset();
        let is_reply = value
            .as_ref()
            .and_then(Value::as_object)
            .is_some_and(|object| {
                let mut names = object.keys();
                names.any(|name| fields.is_none_or(|fields| fields.contains_key(name)))
            });
        // An object without a field of a legal reply may contain an object that has one.
        let after = if is_reply { end.max(1) } else { 1 };
        if is_reply {
            found = value;
        }
        rest = from.split_at_checked(after).map_or("", |(_, after)| after);
    }
    found.unwrap_or_else(|| Value::from(answer.trim()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn whole(value: &Value) -> Result<ModelAnswer, ProviderErrorInSuccessResponse> {
        let mut answer = ModelAnswer::default();
        answer.add_answer_json(value).map(|()| answer)
    }

    #[test]
    fn the_last_object_with_a_field_of_a_reply_is_the_reply() {
        let legal = json!({"properties": {"select": {}, "oracle": {}}});
        let reply = json!({"select": 1});
        for words in [
            "{\"select\": 1}",
            "Let {x} be it. {\"select\": 99}\n```json\n{\n \"select\": 1}\n```\nThat is {for now} all.",
            "<think>{\"select\": 2}</think>{\"select\": 1}",
            "{\"select\": 1} I leave {} and {\"note\": [{}]} open.",
            "{\"answer\": {\"select\": 1}}",
            "{{{{{\"select\": 1}",
            "é{\"select\": 1",
        ] {
            let found = extract_reply_json(words, &legal);
            let is_whole = words.contains('}');
            assert_eq!(found == reply, is_whole, "{words}: {found}");
        }
        assert_eq!(extract_reply_json(" I say yes. ", &legal), "I say yes.");
        let deep = "{\"a\":".repeat(100_000);
        assert!(extract_reply_json(&deep, &legal).is_string());
    }

    #[test]
    fn parts_of_an_answer_are_added_up() {
        let mut answer = ModelAnswer::default();
        for part in [
            json!({"model": "m-1", "choices": [{"delta": {"role": "assistant", "content": ""}}]}),
            json!({"choices": [{"delta": {"content": "{\"select\""}}]}),
            json!({"choices": [{"delta": {"content": [": 1}"]}, "finish_reason": "stop"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}),
        ] {
            answer.add_answer_json(&part).unwrap();
        }
        assert_eq!(answer.text, "{\"select\": 1}");
        assert_eq!(
            (answer.input_and_output_tokens(), answer.snapshot.as_deref()),
            ([7, 2], Some("m-1"))
        );
        assert!(answer.is_complete);

        let mut answer = ModelAnswer::default();
        for event in [
            json!({"type": "message_start", "message": {"model": "c-1", "usage": {"input_tokens": 9}}}),
            json!({"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}}),
            json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "yes"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}}),
        ] {
            answer.add_answer_json(&event).unwrap();
        }
        assert_eq!(answer.text, "yes");
        assert_eq!(
            (answer.input_and_output_tokens(), answer.snapshot.as_deref()),
            ([9, 4], Some("c-1"))
        );
        assert!(answer.is_complete);
    }

    #[test]
    fn reasoning_is_counted_as_output_once() {
        let tokens = |usage: Value| {
            whole(&json!({"usage": usage}))
                .unwrap()
                .input_and_output_tokens()
        };
        let details = json!({"reasoning_tokens": 500});
        for usage in [
            json!({"prompt_tokens": 7, "completion_tokens": 505, "total_tokens": 512, "completion_tokens_details": details}),
            json!({"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 512}),
            json!({"prompt_tokens": 7, "completion_tokens": 5, "completion_tokens_details": details}),
            json!({"input_tokens": 7, "output_tokens": 505}),
        ] {
            assert_eq!(tokens(usage.clone()), [7, 505], "{usage}");
        }
    }

    #[test]
    fn an_error_and_a_refusal_have_the_words_of_the_provider() {
        let error = whole(&json!({"error": {"message": "No credit.", "code": 402}})).unwrap_err();
        assert_eq!(
            (error.words.as_str(), error.status),
            ("No credit.", Some(402))
        );
        let error = whole(&json!({"error": "gone"})).unwrap_err();
        assert_eq!((error.words.as_str(), error.status), ("gone", None));
        let refused = json!({"choices": [{"message": {"content": null, "refusal": "No."}}]});
        assert_eq!(whole(&refused).unwrap().refusal, "No.");
        let refused = json!({"type": "message", "content": [], "stop_reason": "refusal"});
        assert_eq!(
            whole(&refused).unwrap().refusal,
            "the model refused to answer"
        );
        assert!(!whole(&json!({"choices": []})).unwrap().has_message);
        let page = b"<html><style>p {}</style><p>The upstream\nis <b>gone</b>.</p></html>";
        assert_eq!(provider_error_text(page), "The upstream is gone .");
        assert_eq!(provider_error_text(b""), "an empty answer");
    }
}
