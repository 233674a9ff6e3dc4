//! Plans in words: from steps as they are written to a specification.

use ron::value::RawValue;

use super::argument::gate;
use super::file::{self, Entries};
use super::limits::Flag;
use super::place;
use super::read::{Reader, Result};
use crate::number::Exact;
use crate::scenario::{Does, Path, PlanSpec, PlanStep};

pub(super) fn spec(
    reader: &Reader<'_>,
    steps: Vec<file::PlanStep<'_>>,
    answer: Option<String>,
    lipschitz: Option<&RawValue>,
    at: &Path,
) -> Result<PlanSpec> {
    let most = reader.limits.claims;
    if steps.len() > most {
        let what = format!("{} steps are more than {most} claims", steps.len());
        return Err(reader
            .source
            .too_large(&at.then("steps"), what, Flag::Claims));
    }
    if let Some(answer) = &answer {
        reader.name(answer, || at.then("answer"))?;
    }
    let lipschitz = lipschitz
        .map(|raw| reader.number(raw, || at.then("lipschitz")))
        .transpose()?;
    let steps = steps
        .into_iter()
        .enumerate()
        .map(|(index, written)| step(reader, written, || at.then("steps").item(index)))
        .collect::<Result<_>>()?;
    Ok(PlanSpec {
        steps,
        answer,
        lipschitz,
    })
}

fn step(
    reader: &Reader<'_>,
    written: file::PlanStep<'_>,
    path: impl Fn() -> Path,
) -> Result<PlanStep> {
    reader.name(&written.id, || path().then("id"))?;
    if written.id.trim().is_empty() {
        return reader.flawed(&path().then("id"), "a step needs an id; name it");
    }
    let text = written
        .text
        .map(|text| words(reader, text, || path().then("text")))
        .transpose()?;
    let does = match (written.ask, written.compute) {
        (Some(question), None) => {
            if written.on.is_some() {
                return reader.flawed(
                    &path().then("on"),
                    "a step that asks reads no gate's steps; remove `on`, or compute",
                );
            }
            let Some(raw) = written.judged_true else {
                return reader.flawed(
                    &path(),
                    "a step that asks needs `judged_true`: how likely a judge is to say yes",
                );
            };
            Does::Ask {
                question: words(reader, question, || path().then("ask"))?,
                judged_true: table(reader, raw, || path().then("judged_true"))?,
                evidence: written
                    .evidence
                    .map(|evidence| reader.prose(evidence, || path().then("evidence")))
                    .transpose()?,
                truth: written.truth,
            }
        }
        (None, Some(compute)) => {
            let strays = [
                ("judged_true", written.judged_true.is_some()),
                ("evidence", written.evidence.is_some()),
                ("truth", written.truth.is_some()),
            ];
            if let Some((field, _)) = strays.into_iter().find(|(_, given)| *given) {
                return reader.flawed(
                    &path().then(field),
                    "a step that computes asks nobody; remove this, or ask",
                );
            }
            let on = written.on.unwrap_or_default();
            reader.width(on.len(), || path().then("on"))?;
            for (index, id) in on.iter().enumerate() {
                reader.name(id, || path().then("on").item(index))?;
            }
            Does::Compute {
                gate: gate(compute),
                on,
            }
        }
        (Some(_), Some(_)) => {
            return reader.flawed(
                &path().then("compute"),
                "a step either asks or computes; make two steps of this",
            );
        }
        (None, None) => {
            return reader.flawed(
                &path(),
                "a step needs `ask` (a question) or `compute` (a gate over earlier steps)",
            );
        }
    };
    Ok(PlanStep {
        id: written.id,
        text,
        does,
    })
}

/// A text with something in it.
fn words(reader: &Reader<'_>, text: String, path: impl Fn() -> Path) -> Result<String> {
    let text = reader.prose(text, &path)?;
    if text.trim().is_empty() {
        return reader.flawed(&path(), "words are missing here; write what is meant");
    }
    Ok(text)
}

/// One probability, or a table of them by the bits so far.
fn table(
    reader: &Reader<'_>,
    raw: &RawValue,
    path: impl Fn() -> Path,
) -> Result<Vec<(String, Exact)>> {
    if !place::value(raw.get_ron()).starts_with('{') {
        return Ok(vec![(String::new(), reader.probability(raw, path)?)]);
    }
    let entries: Entries<&RawValue> = reader.part(raw)?;
    reader.unique(&entries, &path)?;
    if entries.0.is_empty() {
        return reader.flawed(&path(), "an empty table says nothing; give a probability");
    }
    entries
        .0
        .into_iter()
        .map(|(bits, raw)| {
            let p = reader.probability(raw, || path().entry(&bits))?;
            Ok((bits, p))
        })
        .collect()
}
