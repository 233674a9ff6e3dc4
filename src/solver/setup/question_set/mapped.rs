//! Reads questions from data sets with other field names: the user names the fields for question, choices and answer.

use std::collections::HashSet;
use std::str::FromStr;

use serde_json::{Map, Value};

use super::{DebatedWrongAnswers, QuestionSetEntry};

/// Maximum number of choices that a question may have.
const MAX_CHOICES: usize = 26;

/// The names of a data set's fields for question, choices and answer. A dot leads into an object: `choices.text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionFieldNames {
    question: String,
    answer: String,
    choices: String,
    id: Option<String>,
    source: Option<String>,
}

impl FromStr for QuestionFieldNames {
    type Err = String;

    /// Parses entries `NAME=FIELD`, separated by commas. The names are question, answer, choices, id and source, in any
    /// order. Without an entry, question, answer and choices are their own field names.
    fn from_str(text: &str) -> Result<Self, String> {
        const NAMES: [&str; 5] = ["question", "answer", "choices", "id", "source"];
        let mut fields: [Option<String>; 5] = [const { None }; 5];
        for part in text.split(',') {
            let pair = part.split_once('=');
            let pair = pair.map(|(name, field)| (name.trim(), field.trim()));
            let (name, field) = pair.filter(|(_, field)| !field.is_empty()).ok_or_else(|| {
                format!(
                    "the entry {part:?} does not have the form NAME=FIELD, such as question=prompt"
                )
            })?;
            let Some(at) = NAMES.iter().position(|known| *known == name) else {
                return Err(format!(
                    "the name {name:?} is unknown; use {known}",
                    known = NAMES.join(", ")
                ));
            };
            if fields[at].replace(field.to_owned()).is_some() {
                return Err(format!("{name:?} is given twice"));
            }
        }
        let [question, answer, choices, id, source] = fields;
        // A name that is not mapped is the field's own name.
        let or_name = |field: Option<String>, name: &str| field.unwrap_or_else(|| name.to_owned());
        Ok(Self {
            question: or_name(question, "question"),
            answer: or_name(answer, "answer"),
            choices: or_name(choices, "choices"),
            id,
            source,
        })
    }
}

/// Returns the questions in one line of the data; an empty list if the right answer is not given.
pub(super) fn questions_in_line(
    fields: &Map<String, Value>,
    map: &QuestionFieldNames,
    line: usize,
    pairs: DebatedWrongAnswers,
) -> Result<Vec<QuestionSetEntry>, String> {
    let question = text(fields, &map.question)?;
    let choices = choices(fields, &map.choices)?;
    let Some(right) = right_choice(fields, &map.answer, &choices)? else {
        return Ok(Vec::new());
    };
    let id = match &map.id {
        None => format!("q{line}"),
        Some(field) => match value(fields, field)? {
            Value::Number(number) => number.to_string(),
            _ => text(fields, field)?,
        },
    };
    let source = match &map.source {
        None => String::new(),
        Some(field) => text(fields, field)?,
    };
    let wrong = (0..choices.len()).filter(|choice| *choice != right);
    let wrong: Vec<usize> = match pairs {
        DebatedWrongAnswers::Best => wrong.take(1).collect(),
        DebatedWrongAnswers::All => wrong.collect(),
    };
    let several = wrong.len() > 1;
    let rows = wrong.into_iter().map(|wrong| {
        // The order of the data, so that the right answer is not always the first.
        let [first, second] = [right.min(wrong), right.max(wrong)];
        QuestionSetEntry {
            id: if several {
                format!("{id}-{wrong}")
            } else {
                id.clone()
            },
            question: question.clone(),
            answers: [choices[first].clone(), choices[second].clone()],
            correct: Some(u32::from(right == second)),
            source: source.as_str().into(),
            source_file: None,
            difficulty: None,
            group: None,
        }
    });
    Ok(rows.collect())
}

/// Returns the value of a field by its name. A dot in the name leads into an object. Returns an error if the field is
/// missing.
fn value<'f>(fields: &'f Map<String, Value>, field: &str) -> Result<&'f Value, String> {
    if let Some(value) = fields.get(field) {
        return Ok(value);
    }
    let (outer, inner) = field.split_once('.').unwrap_or((field, ""));
    let value = fields.get(outer).and_then(|outer| {
        let parts = inner.split('.');
        parts
            .filter(|part| !part.is_empty())
            .try_fold(outer, |value, part| value.get(part))
    });
    value.ok_or_else(|| {
        let names: Vec<&str> = fields.keys().map(String::as_str).take(20).collect();
        format!(
            "the field `{field}` is missing; this line of the question file has the fields {fields}",
            fields = names.join(", ")
        )
    })
}

fn text(fields: &Map<String, Value>, field: &str) -> Result<String, String> {
    match value(fields, field)?.as_str() {
        Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
        _ => Err(format!(
            "the field `{field}` must be a text that is not empty"
        )),
    }
}

fn choices(fields: &Map<String, Value>, field: &str) -> Result<Vec<String>, String> {
    let what =
        || format!("the field `{field}` must be a list of 2 to {MAX_CHOICES} different choices");
    let list = value(fields, field)?.as_array().ok_or_else(what)?;
    let texts = list.iter().map(|choice| choice.as_str().map(str::to_owned));
    let texts: Vec<String> = texts.collect::<Option<_>>().ok_or_else(what)?;
    let different: HashSet<&String> = texts.iter().collect();
    if !(2..=MAX_CHOICES).contains(&texts.len()) || different.len() < texts.len() {
        return Err(what());
    }
    Ok(texts)
}

/// Returns the index of the right choice. The data states it as an index from 0, a letter, or the text of a choice.
/// `None` if the data's field is null, empty or -1, as in test sets without labels.
fn right_choice(
    fields: &Map<String, Value>,
    field: &str,
    choices: &[String],
) -> Result<Option<usize>, String> {
    let answer = value(fields, field)?;
    let count = choices.len();
    let index = match answer {
        Value::Null => return Ok(None),
        Value::Number(number) if number.as_i64() == Some(-1) => return Ok(None),
        Value::Number(number) => number
            .as_u64()
            .and_then(|index| usize::try_from(index).ok()),
        Value::String(text) if text.trim().is_empty() => return Ok(None),
        Value::String(text) => {
            let text = text.trim();
            let letter = match text.as_bytes() {
                [letter] if letter.is_ascii_alphabetic() => {
                    Some(usize::from(letter.to_ascii_uppercase() - b'A'))
                }
                _ => None,
            };
            let same = choices.iter().position(|choice| choice.trim() == text);
            same.or(letter).or_else(|| text.parse().ok())
        }
        _ => None,
    };
    match index {
        Some(index) if index < count => Ok(Some(index)),
        _ => Err(format!(
            "the field `{field}` must state the question's right choice: its index from 0 to {last}, its letter or its text",
            last = count - 1
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(
        line: &str,
        map: &str,
        pairs: DebatedWrongAnswers,
    ) -> Result<Vec<QuestionSetEntry>, String> {
        let fields = serde_json::from_str(line).unwrap();
        questions_in_line(&fields, &map.parse().unwrap(), 3, pairs)
    }

    #[test]
    fn an_answer_is_an_index_a_letter_or_a_text() {
        let map = "question=q,answer=a,choices=c";
        for answer in ["1", "\"1\"", "\"B\"", "\"b\"", "\"wind\""] {
            let line =
                format!(r#"{{"q": "Who?", "a": {answer}, "c": ["keeper", "wind", "rain"]}}"#);
            let best = rows(&line, map, DebatedWrongAnswers::Best).unwrap();
            let [row] = best.as_slice() else {
                panic!("{best:?}");
            };
            assert_eq!((row.id.as_str(), row.correct), ("q3", Some(1)), "{answer}");
            assert_eq!(row.answers, ["keeper", "wind"]);
            let all = rows(&line, map, DebatedWrongAnswers::All).unwrap();
            let ids: Vec<&str> = all.iter().map(|row| row.id.as_str()).collect();
            assert_eq!(ids, ["q3-0", "q3-2"]);
            assert_eq!((&*all[1].answers[0], all[1].correct), ("wind", Some(0)));
        }
        for answer in ["null", "-1", "\"\""] {
            let line = format!(r#"{{"q": "Who?", "a": {answer}, "c": ["keeper", "wind"]}}"#);
            assert_eq!(rows(&line, map, DebatedWrongAnswers::Best), Ok(Vec::new()));
        }
        // The text of a choice comes before its letter.
        let line = r#"{"question": "Grade?", "answer": "A", "choices": ["B", "A"], "n": 7, "s": {"t": "x"}}"#;
        let own = rows(line, "id=n,source=s.t", DebatedWrongAnswers::Best).unwrap();
        assert_eq!((own[0].id.as_str(), own[0].correct), ("7", Some(1)));
        assert_eq!(&*own[0].source, "x");
    }

    #[test]
    fn mistakes_name_the_field() {
        let good = r#"{"question": "Who?", "answer": 0, "choices": ["a", "b"]}"#;
        for (line, map, why) in [
            (good, "question=prompt", "`prompt` is missing"),
            (good, "choices=choices.text", "`choices.text` is missing"),
            (good, "choices=question", "`question` must be a list"),
            (good, "question=answer", "`answer` must be a text"),
            (
                good,
                "answer=choices",
                "`choices` must state the question's right choice",
            ),
            (
                r#"{"question": "Who?", "answer": 2, "choices": ["a", "b"]}"#,
                "id=answer",
                "index from 0 to 1",
            ),
            (
                r#"{"question": "Who?", "answer": 0, "choices": ["a", "a"]}"#,
                "id=answer",
                "different texts",
            ),
        ] {
            let error = rows(line, map, DebatedWrongAnswers::Best).unwrap_err();
            assert!(error.contains(why), "{map}: {error}");
        }
        for map in [
            "",
            "question",
            "question=",
            "quest=a",
            "question=a,question=b",
        ] {
            map.parse::<QuestionFieldNames>().unwrap_err();
        }
    }
}
