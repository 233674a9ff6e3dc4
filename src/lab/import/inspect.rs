//! Debates in logs of `inspect_ai`: samples in which two debaters and a judge speak.
//!
//! A sample is a debate where it has two `choices` and messages of debaters. A message says whose
//! it is by `metadata.speaker` (`first`, `second` or `judge`), or by its first words, `Debater A:`,
//! `Debater B:` or `Judge:`; messages of nobody are passed over. A judge's message gives the
//! probability of the first answer as `metadata.p_first`; where none does, a score of that name
//! gives the last one. The source is `metadata.source` of the sample.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{FORMAT, ImportError, JudgedTurn, Likelihood, SpokenText, Transcript, TranscriptRound};

type Result<T, E = ImportError> = std::result::Result<T, E>;

#[derive(Deserialize)]
struct EvalLog {
    eval: Value,
    samples: Vec<Sample>,
}

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

/// Reads the debates of a log; `None` where the text is no such log.
pub fn read(text: &str) -> Option<Result<Vec<Transcript>>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let is_log = value.get("eval").is_some() && value.get("samples").is_some();
    is_log.then(|| {
        let log: EvalLog = serde_json::from_value(value)?;
        let task = log.eval.get("task").and_then(Value::as_str);
        let samples = log.samples.into_iter().enumerate();
        let read = samples.map(|(place, sample)| {
            sample
                .transcript(task)
                .map_err(|error| ImportError::at(format!("samples[{place}]"), error))
        });
        read.collect()
    })
}

/// The text of a message or an input: itself, or the texts of a list of contents.
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
    /// The speaker and the text.
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

/// A probability in a field of JSON.
fn likelihood(value: &Value) -> Option<Likelihood> {
    match value {
        Value::Number(number) => number.as_f64().map(Likelihood::Number),
        Value::String(text) => Some(Likelihood::Text(text.clone())),
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

    /// The place of the right answer: the target as a letter, or as the answer itself.
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

    /// The probability that a score of the sample gives the first answer.
    fn score(&self) -> Option<Likelihood> {
        let score = self.scores.as_ref()?.get("p_first")?;
        likelihood(score.get("value")?)
    }

    fn transcript(&self, task: Option<&str>) -> Result<Transcript> {
        let choices = self.choices.clone().unwrap_or_default();
        let count = choices.len();
        let wrong = format!("{count} answers; there must be two");
        let answers: Result<[String; 2], _> = choices.try_into();
        let answers = answers.map_err(|_choices| ImportError::at("choices", wrong))?;
        let mut debaters = [None, None];
        let mut opening: Option<JudgedTurn> = None;
        let mut rounds: Vec<TranscriptRound> = Vec::new();
        for (place, message) in self.messages.iter().enumerate() {
            let Some((speaker, text)) = message.speech() else {
                continue;
            };
            match speaker {
                Speaker::Debater(side) => {
                    let taken = |round: &TranscriptRound| {
                        let later = round.speeches.iter().skip(side).flatten();
                        round.judgement.is_some() || later.count() > 0
                    };
                    if rounds.last().is_none_or(taken) {
                        rounds.push(TranscriptRound::default());
                    }
                    if let Some(round) = rounds.last_mut() {
                        round.speeches[side] = Some(SpokenText::Marked(text));
                    }
                    let name = message.model.as_deref().unwrap_or("model");
                    debaters[side].get_or_insert_with(|| name.to_owned());
                }
                Speaker::Judge => {
                    let Some(p_first) = message.field("p_first").and_then(likelihood) else {
                        continue;
                    };
                    let turn = JudgedTurn {
                        p_first,
                        says: (!text.is_empty()).then_some(SpokenText::Marked(text)),
                        ends: None,
                    };
                    let place_of = match rounds.last_mut() {
                        Some(round) => &mut round.judgement,
                        None => &mut opening,
                    };
                    if place_of.replace(turn).is_some() {
                        let what = "the judge gives two probabilities in a row";
                        return Err(ImportError::at(format!("messages[{place}]"), what));
                    }
                }
            }
        }
        if rounds.is_empty() {
            let what = "no message of a debater; one says so by metadata.speaker (first, second or \
                        judge) or begins with `Debater A:`, `Debater B:` or `Judge:`";
            return Err(ImportError::at("messages", what));
        }
        if let Some(round) = rounds.last_mut()
            && round.judgement.is_none()
        {
            round.judgement = self.score().map(|p_first| JudgedTurn {
                p_first,
                says: None,
                ends: Some(true),
            });
        }
        let id = self
            .id
            .as_str()
            .map_or_else(|| self.id.to_string(), str::to_owned);
        let epoch = match self.epoch {
            0 | 1 => String::new(),
            epoch => format!("-{epoch}"),
        };
        Ok(Transcript {
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
    fn two_debaters_and_a_judge_are_told_apart() {
        let messages = json!([
            {"role": "system", "content": "You debate."},
            {"role": "assistant", "content": "He went.", "model": "m1", "metadata": {"speaker": "first"}},
            {"role": "assistant", "content": [{"type": "text", "text": "Debater B: <quote>did not go</quote>"}]},
            {"role": "user", "content": "Judge: Hm.", "metadata": {"p_first": "1/3"}},
            {"role": "assistant", "content": "Debater A: He did."},
            {"role": "assistant", "content": "Debater B: No."},
        ]);
        let read = read(&log(&messages)).unwrap().unwrap().remove(0);
        assert_eq!((read.name.as_str(), read.correct), ("noon-3-2", Some(1)));
        assert_eq!(read.rounds.len(), 2);
        assert_eq!(
            read.debaters,
            [Some("m1".to_owned()), Some("model".to_owned())]
        );
        let save = read.to_save().unwrap();
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

    #[test]
    fn what_is_no_debate_is_told_and_what_is_no_log_is_none() {
        let nobody = read(&log(&json!([{"role": "user", "content": "Hello."}]))).unwrap();
        let told = nobody.unwrap_err().to_string();
        assert!(
            told.starts_with("samples[0]: messages: no message"),
            "{told}"
        );
        let turn = json!({"role": "user", "content": "Judge: x", "metadata": {"p_first": 0.5}});
        let twice = read(&log(&json!([turn, turn]))).unwrap().unwrap_err();
        assert!(twice.to_string().contains("two probabilities in a row"));
        assert!(read("{}").is_none() && read("[").is_none());
    }
}
