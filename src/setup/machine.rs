//! Machines: from the file as it is written to a checked specification.

use super::file;
use super::read::{Reader, Result};
use crate::scenario::Path;
use crate::scenario::machine::{Answer, OracleState, RuleSpec, Shift, Turing};

/// The inputs, of which there is one or a list.
pub(super) fn inputs(
    reader: &Reader<'_>,
    input: Option<String>,
    inputs: Option<Vec<String>>,
    at: &Path,
) -> Result<Vec<String>> {
    match (input, inputs) {
        (Some(one), None) => Ok(vec![reader.prose(one, || at.then("input"))?]),
        (None, Some(many)) => {
            let each = many.into_iter().enumerate();
            each.map(|(place, input)| reader.prose(input, || at.then("inputs").item(place)))
                .collect()
        }
        (None, None) => reader.flawed(
            at,
            "a Machine reads an `input: \"0110\"` or one of several `inputs: […]`; give one of \
             them",
        ),
        (Some(_), Some(_)) => reader.flawed(
            &at.then("inputs"),
            "`input` and `inputs` stand together; keep one of them",
        ),
    }
}

/// A state's name, which stands in sentences.
fn name(reader: &Reader<'_>, text: String, path: impl Fn() -> Path) -> Result<String> {
    reader.name(&text, &path)?;
    if text.trim().is_empty() {
        return reader.flawed(&path(), "a state needs a name; write one");
    }
    Ok(text)
}

/// The machine itself. What its names mean is checked when it is built.
pub(super) fn turing(reader: &Reader<'_>, written: file::Turing, at: &Path) -> Result<Turing> {
    let states = written.states.map(|states| {
        let named = states.into_iter().enumerate();
        named
            .map(|(place, state)| name(reader, state, || at.then("states").item(place)))
            .collect::<Result<Vec<_>>>()
    });
    let rules = written.rules.into_iter().enumerate();
    let rules = rules.map(|(place, file::Rule(state, read, to, write, shift))| {
        let path = || at.then("rules").item(place);
        reader.name(&read, path)?;
        reader.name(&write, path)?;
        Ok(RuleSpec {
            state: name(reader, state, path)?,
            read,
            to: name(reader, to, path)?,
            write,
            shift: match shift {
                file::Shift::Left => Shift::Left,
                file::Shift::Right => Shift::Right,
                file::Shift::Stay => Shift::Stay,
            },
        })
    });
    Ok(Turing {
        states: states.transpose()?,
        start: name(reader, written.start, || at.then("start"))?,
        accept: name(reader, written.accept, || at.then("accept"))?,
        reject: name(reader, written.reject, || at.then("reject"))?,
        rules: rules.collect::<Result<_>>()?,
    })
}

/// The oracle state, if there is one.
pub(super) fn oracle_state(
    reader: &Reader<'_>,
    written: Option<file::OracleState<'_>>,
    at: &Path,
) -> Result<Option<OracleState>> {
    let Some(written) = written else {
        return Ok(None);
    };
    let at = at.then("oracle_state");
    reader.unique(&written.answers, || at.then("answers"))?;
    let answers = written.answers.0.into_iter().map(|(word, answer)| {
        let path = || at.then("answers").entry(&word);
        let prose = |text: Option<String>, field| {
            let text = text.map(|text| reader.prose(text, || path().then(field)));
            text.transpose()
        };
        let judged_true = answer
            .judged_true
            .map(|raw| reader.probability(raw, || path().then("judged_true")));
        let answer = Answer {
            truth: answer.truth,
            text: prose(answer.text, "text")?,
            evidence: prose(answer.evidence, "evidence")?,
            judged_true: judged_true.transpose()?,
        };
        Ok((word, answer))
    });
    Ok(Some(OracleState {
        answers: answers.collect::<Result<_>>()?,
        state: name(reader, written.state, || at.then("state"))?,
        yes: name(reader, written.yes, || at.then("yes"))?,
        no: name(reader, written.no, || at.then("no"))?,
    }))
}
