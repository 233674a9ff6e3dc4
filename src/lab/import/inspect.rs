//! Importer for debates in logs of `inspect_ai`, whose samples have two debaters and a judge.
//!
//! A sample is a debate if it has two `choices` and messages of debaters. The speaker of a message is
//! `metadata.speaker` (`first`, `second` or `judge`), or its first words: `Debater A:`, `Debater B:` or `Judge:`.
//! Messages without a speaker are skipped. A judge's message gives the probability of the first answer as
//! `metadata.p_first`. If no judge's message after the last speeches does, a score named `p_first` gives the last
//! probability. The source is `metadata.source` of the sample.
//!
//! Samples are read individually, so that one bad sample does not cause the whole log to be refused. Inspect writes
//! `NaN` and `Infinity` as numbers, which are not JSON; both are read as null.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    DebatesInFile, FORMAT, ImportError, ImportedSpeech, ImportedSpeechDebate, ImportedSpeechRound,
    RoundJudgement, WrittenProbability,
};

type Result<T, E = ImportError> = std::result::Result<T, E>;

/// The number constants that `inspect_ai` writes and that are not valid JSON, such as `NaN`.
const CONSTANTS: [&str; 2] = ["NaN", "Infinity"];

/// The maximum number of characters of a sample's error message in the import's summary.
const MAX_ERROR: usize = 200;

#[derive(Deserialize)]
struct Sample {
    id: Value,
    #[serde(default)]
    epoch: u32,
    input: Value,
    #[serde(default)]
    choices: Option<Vec<String>>,
    #[serde(default)]
    target: Value,
    messages: Vec<Message>,
    #[serde(default)]
    scores: Option<Map<String, Value>>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Message {
    content: Value,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

/// The speaker of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker {
    /// A debater: 0 or 1.
    Debater(usize),
    Judge,
}

/// Reads the debates of an `inspect_ai` log as saves. Returns `None` if the text is not such a log.
pub fn read_inspect_log(text: &str) -> Option<Result<DebatesInFile>> {
    let mut value: Value =
        serde_json::from_str(&replace_non_finite_json_numbers_by_null(text)).ok()?;
    value.get("eval")?;
    Some(read_log(&mut value))
}

fn read_log(log: &mut Value) -> Result<DebatesInFile> {
    let samples = log.get_mut("samples").map(Value::take);
    let Some(Value::Array(samples)) = samples else {
        let what = "the log has no list of samples; export the whole log: inspect log dump FILE > log.json";
        return Err(ImportError::error_at_place("samples", what));
    };
    let task = log.pointer("/eval/task").and_then(Value::as_str);
    let mut read = DebatesInFile::default();
    for (index, sample) in samples.into_iter().enumerate() {
        let place = match sample.get("id") {
            Some(id) => format!("samples[{index}] (id {})", id_text(id)),
            None => format!("samples[{index}]"),
        };
        if let Some(error) = sample.get("error").filter(|error| !error.is_null()) {
            let what = format!(
                "the sample ended with an error: {error}",
                error = error_text(error)
            );
            read.skipped.push(ImportError::error_at_place(place, what));
            continue;
        }
        let debate = serde_json::from_value(sample)
            .map_err(|error| {
                ImportError::whole(format_args!(
                    "this is not a sample of an `inspect_ai` log: {error}"
                ))
            })
            .and_then(|sample: Sample| sample.transcript(task))
            .and_then(|transcript| Ok((transcript.to_imported_save()?, Some(transcript))));
        match debate {
            Ok(debate) => read.debates.push(debate),
            Err(error) => read.refused.push(ImportError::error_at_place(place, error)),
        }
    }
    Ok(read)
}

/// Replaces `NaN`, `Infinity` and `-Infinity` outside strings by `null`.
pub(super) fn replace_non_finite_json_numbers_by_null(text: &str) -> Cow<'_, str> {
    if !CONSTANTS.iter().any(|name| text.contains(name)) {
        return Cow::Borrowed(text);
    }
    let mut json = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['"', 'N', 'I']) {
        let (before, from) = rest.split_at(start);
        json.push_str(before);
        if let Some(name) = CONSTANTS.iter().find(|name| from.starts_with(**name)) {
            if json.ends_with('-') {
                json.pop();
            }
            json.push_str("null");
            rest = from.get(name.len()..).unwrap_or_default();
            continue;
        }
        let length = if from.starts_with('"') {
            string_length(from)
        } else {
            1
        };
        let (token, after) = from.split_at(length);
        json.push_str(token);
        rest = after;
    }
    json.push_str(rest);
    Cow::Owned(json)
}

/// Returns the length in bytes of the JSON string at the start of `text`, with both quotation marks.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the id of a sample as text. In the log, the id is a number or a string.
fn id_text(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// Returns the message of a sample's error, truncated to [`MAX_ERROR`] characters.
fn error_text(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str);
    let text = message.map_or_else(|| error.to_string(), str::to_owned);
    text.chars().take(MAX_ERROR).collect()
}

/// Returns the text of a message or an input: the string itself, or all texts in a list of contents.
fn plain(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| {
                let text = part.get("text").or_else(|| part.get("content"))?;
                Some(plain(text))
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

impl Message {
    /// Returns the speaker and the text of a log message; `None` if the speaker is unknown.
    fn speech(&self) -> Option<(Speaker, String)> {
        let text = plain(&self.content);
        let named = self.field("speaker").and_then(Value::as_str);
        if let Some(name) = named {
            let speaker = match name.to_ascii_lowercase().as_str() {
                "first" | "a" | "debater a" => Speaker::Debater(0),
                "second" | "b" | "debater b" => Speaker::Debater(1),
                "judge" => Speaker::Judge,
                _ => return None,
            };
            return Some((speaker, text));
        }
        let begins = [
            ("Debater A:", Speaker::Debater(0)),
            ("Debater B:", Speaker::Debater(1)),
            ("Judge:", Speaker::Judge),
        ];
        begins.into_iter().find_map(|(words, speaker)| {
            let speech = text.trim_start().strip_prefix(words)?;
            Some((speaker, speech.trim().to_owned()))
        })
    }

    fn field(&self, name: &str) -> Option<&Value> {
        self.metadata.as_ref()?.get(name)
    }
}

/// Reads the judge's probability from a JSON value: a number or a text. `None` for any other value.
fn likelihood(value: &Value) -> Option<WrittenProbability> {
    match value {
        Value::Number(number) => number.as_f64().map(WrittenProbability::Number),
        Value::String(text) => Some(WrittenProbability::Text(text.clone())),
        _ => None,
    }
}

impl Sample {
    fn metadata(&self, name: &str) -> Option<&Value> {
        self.metadata.as_ref()?.get(name)
    }

    fn words(&self, name: &str) -> Option<String> {
        Some(self.metadata(name)?.as_str()?.to_owned())
    }

    /// Returns the index of the right answer (0 or 1). The sample's target is a letter or the text of the answer;
    /// `None` if it is neither.
    fn correct(&self, answers: &[String; 2]) -> Option<u32> {
        let target = match &self.target {
            Value::Array(targets) => targets.first()?.as_str()?,
            target => target.as_str()?,
        };
        match target.trim() {
            "A" => Some(0),
            "B" => Some(1),
            target => {
                let place = answers.iter().position(|answer| answer.trim() == target)?;
                u32::try_from(place).ok()
            }
        }
    }

    /// Returns the judge's probability of the first answer, taken from the sample's score `p_first`; `None` if there is
    /// none.
    fn score(&self) -> Option<WrittenProbability> {
        // Inspect gives an unscored sample the value NaN, for which `likelihood` returns `None`.
        let score = self.scores.as_ref()?.get("p_first")?;
        likelihood(score.get("value")?)
    }

    fn transcript(&self, task: Option<&str>) -> Result<ImportedSpeechDebate> {
        let choices = self.choices.clone().unwrap_or_default();
        let count = choices.len();
        let wrong = format!("the sample has {count} answers; give exactly two");
        let answers: Result<[String; 2], _> = choices.try_into();
        let answers = answers.map_err(|_choices| ImportError::error_at_place("choices", wrong))?;
        let mut debaters = [None, None];
        let mut opening: Option<RoundJudgement> = None;
        let mut rounds: Vec<ImportedSpeechRound> = Vec::new();
        for (place, message) in self.messages.iter().enumerate() {
            let Some((speaker, text)) = message.speech() else {
                continue;
            };
            match speaker {
                Speaker::Debater(side) => {
                    let taken = |round: &ImportedSpeechRound| {
                        let later = round.speeches.iter().skip(side).flatten();
                        round.judgement.is_some() || later.count() > 0
                    };
                    if rounds.last().is_none_or(taken) {
                        rounds.push(ImportedSpeechRound::default());
                    }
                    if let Some(round) = rounds.last_mut() {
                        round.speeches[side] = Some(ImportedSpeech::Marked(text));
                    }
                    let name = message.model.as_deref().unwrap_or("model");
                    debaters[side].get_or_insert_with(|| name.to_owned());
                }
                Speaker::Judge => {
                    let Some(p_first) = message.field("p_first") else {
                        continue;
                    };
                    let Some(p_first) = likelihood(p_first) else {
                        let at = format!("messages[{place}].metadata.p_first");
                        let what =
                            "the value of p_first is not a probability; give a number from 0 to 1";
                        return Err(ImportError::error_at_place(at, what));
                    };
                    let turn = RoundJudgement {
                        p_first,
                        says: (!text.is_empty()).then_some(ImportedSpeech::Marked(text)),
                        ends: None,
                    };
                    let place_of = match rounds.last_mut() {
                        Some(round) => &mut round.judgement,
                        None => &mut opening,
                    };
                    if place_of.replace(turn).is_some() {
                        let what = "the judge gives two probabilities in a row";
                        return Err(ImportError::error_at_place(
                            format!("messages[{place}]"),
                            what,
                        ));
                    }
                }
            }
        }
        if rounds.is_empty() {
            let what = "no message of a debater; mark the speaker by metadata.speaker (first, second or \
                        judge) or begin the message with `Debater A:`, `Debater B:` or `Judge:`";
            return Err(ImportError::error_at_place("messages", what));
        }
        if let Some(round) = rounds.last_mut()
            && round.judgement.is_none()
        {
            round.judgement = self.score().map(|p_first| RoundJudgement {
                p_first,
                says: None,
                ends: Some(true),
            });
        }
        let id = id_text(&self.id);
        let epoch = match self.epoch {
            0 | 1 => String::new(),
            epoch => format!("-{epoch}"),
        };
        Ok(ImportedSpeechDebate {
            format: FORMAT,
            name: format!("{}-{id}{epoch}", task.unwrap_or("inspect")),
            question: plain(&self.input),
            correct: self.correct(&answers),
            answers,
            source: self.words("source").unwrap_or_default(),
            story: self.words("story"),
            condition: self.words("condition").or_else(|| task.map(str::to_owned)),
            debaters,
            judge: self.words("judge"),
            started: None,
            opening,
            rounds,
            judgements: Vec::new(),
            remarks: String::new(),
            tags: std::collections::BTreeMap::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn log(messages: &Value) -> String {
        json!({"version": 2, "eval": {"task": "noon"}, "samples": [{
            "id": 3, "epoch": 2, "input": "Did he go?", "choices": ["Yes", "No"], "target": "B",
            "messages": messages, "scores": {"p_first": {"value": 0.25}},
            "metadata": {"source": "He did not go."},
        }]})
        .to_string()
    }

    #[test]
    fn roles_of_debaters_and_judge_are_recognised() {
        let messages = json!([
            {"role": "system", "content": "You debate."},
            {"role": "assistant", "content": "He went.", "model": "m1", "metadata": {"speaker": "first"}},
            {"role": "assistant", "content": [{"type": "text", "text": "Debater B: <quote>did not go</quote>"}]},
            {"role": "user", "content": "Judge: Hm.", "metadata": {"p_first": "1/3"}},
            {"role": "assistant", "content": "Debater A: He did."},
            {"role": "assistant", "content": "Debater B: No."},
        ]);
        let (save, read) = read_inspect_log(&log(&messages))
            .unwrap()
            .unwrap()
            .debates
            .remove(0);
        let read = read.unwrap();
        assert_eq!((read.name.as_str(), read.correct), ("noon-3-2", Some(1)));
        assert_eq!(read.rounds.len(), 2);
        assert_eq!(
            read.debaters,
            [Some("m1".to_owned()), Some("model".to_owned())]
        );
        assert!(save.finished, "{}", save.text);
        for there in [
            "Quote(\"did not go\")",
            "payoff: \"-1/4\"",
            "Text(\"Hm.\")",
            "judged: EachRound",
        ] {
            assert!(save.text.contains(there), "{there}: {}", save.text);
        }
    }

    /// Returns the reason why the only sample of a log was refused.
    fn refused(messages: &Value) -> String {
        let read = read_inspect_log(&log(messages)).unwrap().unwrap();
        assert!(read.debates.is_empty() && read.skipped.is_empty());
        read.refused[0].to_string()
    }

    #[test]
    fn an_invalid_sample_is_refused_with_its_location() {
        let silent = refused(&json!([{"role": "user", "content": "Hello."}]));
        assert!(
            silent.starts_with("samples[0] (id 3): messages: no message"),
            "{silent}"
        );
        let turn = json!({"role": "user", "content": "Judge: x", "metadata": {"p_first": 0.5}});
        assert!(refused(&json!([turn, turn])).contains("two probabilities in a row"));
        let unclear = json!({"content": "Judge: x", "metadata": {"p_first": null}});
        assert!(refused(&json!([unclear])).contains("messages[0].metadata.p_first"));
        assert!(refused(&json!("none")).contains("not a sample"));
    }

    #[test]
    fn a_log_without_samples_is_an_error_and_other_text_is_not_a_log() {
        assert!(read_inspect_log("{}").is_none() && read_inspect_log("[").is_none());
        for text in [r#"{"eval": {}}"#, r#"{"eval": {}, "samples": null}"#] {
            let error = read_inspect_log(text).unwrap().unwrap_err().to_string();
            assert!(error.starts_with("samples: the log has no list"), "{error}");
        }
    }

    #[test]
    fn constants_outside_strings_become_null() {
        let text =
            r#"{"NaN": "-Infinity \" NaN", "a": [NaN, -Infinity, Infinity, -1, "\\"], "b": NaN}"#;
        let read: Value =
            serde_json::from_str(&replace_non_finite_json_numbers_by_null(text)).unwrap();
        let expected = json!({
            "NaN": "-Infinity \" NaN", "a": [null, null, null, -1, "\\"], "b": null,
        });
        assert_eq!(read, expected);
        for open in ["\"NaN", "NaN \"\\", "{\"é\": NaN", "Inf", "N", "I\"NaN\""] {
            let _ = replace_non_finite_json_numbers_by_null(open);
        }
    }
}
