//! Plans in words: checks the steps of a plan in a scenario file, and builds the problem.

use ron::value::RawValue;
use serde::Deserialize;

use super::error::ScenarioLimitFlag;
use super::reader::{
    OneOfTwoFields, ProblemInFile, RequestedDecomposition, Result, ScenarioReader,
};
use super::written::MapEntries;
use debate_core::gate::Gate;
use debate_core::number::Exact;
use debate_core::scenario::written::{Probability, optional_number};
use debate_core::scenario::{
    CheckedComputationPlan, Decomposition as _, PlanProblemStepSpec, ProgramStepActionSpec,
    ScenarioValuePath, StraightLineProgramSpec,
};

/// A plan as the scenario file states it.
#[derive(Deserialize)]
#[serde(rename = "Plan", deny_unknown_fields)]
pub(super) struct ComputationPlanInFile<'f> {
    #[serde(borrow)]
    steps: Vec<StepForm<'f>>,
    answer: Option<String>,
    #[serde(default, deserialize_with = "optional_number")]
    lipschitz: Option<Exact>,
}

/// A step of a plan with all fields that a scenario file may give; [`step`] rejects fields that do not belong to the
/// step's action.
#[derive(Deserialize)]
#[serde(rename = "Step", deny_unknown_fields)]
struct StepForm<'f> {
    id: String,
    text: Option<String>,
    ask: Option<String>,
    #[serde(borrow)]
    judged_true: Option<&'f RawValue>,
    evidence: Option<String>,
    truth: Option<bool>,
    compute: Option<Gate>,
    on: Option<Vec<String>>,
    not: Option<Vec<String>>,
    witness: Option<bool>,
}

impl ProblemInFile for ComputationPlanInFile<'_> {
    type Problem = CheckedComputationPlan;
    const KIND: &'static str = "plan";
    const OWN_DECOMPOSITION: Option<&'static str> =
        Some("a plan is decomposed by its own steps; remove `decomposition`");

    fn problem(
        self,
        reader: &ScenarioReader<'_>,
        _: RequestedDecomposition<'_>,
    ) -> Result<CheckedComputationPlan> {
        let at = &Self::path();
        let spec = spec(reader, self, at)?;
        let built = CheckedComputationPlan::build(spec, at)
            .map_err(|flaw| reader.scenario_error_in_value(&flaw))?;
        reader.check_decomposition_depth(built.size(0).depth, &at.path_of_field("steps"))?;
        Ok(built)
    }
}

fn spec(
    reader: &ScenarioReader<'_>,
    written: ComputationPlanInFile<'_>,
    at: &ScenarioValuePath,
) -> Result<StraightLineProgramSpec> {
    let count = written.steps.len() as u128;
    reader.limit(
        ScenarioLimitFlag::Claims,
        count,
        || at.path_of_field("steps"),
        "steps",
    )?;
    if let Some(answer) = &written.answer {
        reader.check_one_line_text(answer, || at.path_of_field("answer"))?;
    }
    let steps = written
        .steps
        .into_iter()
        .enumerate()
        .map(|(index, written)| {
            step(reader, written, || {
                at.path_of_field("steps").then_list_item(index)
            })
        })
        .collect::<Result<_>>()?;
    Ok(StraightLineProgramSpec {
        steps,
        answer: written.answer,
        lipschitz: written.lipschitz,
    })
}

fn step(
    reader: &ScenarioReader<'_>,
    written: StepForm<'_>,
    path: impl Fn() -> ScenarioValuePath,
) -> Result<PlanProblemStepSpec> {
    reader.check_one_line_text(&written.id, || path().path_of_field("id"))?;
    reader.check_not_blank(
        &written.id,
        || path().path_of_field("id"),
        "a step needs an id; add it",
    )?;
    let text = written
        .text
        .map(|text| words(reader, text, || path().path_of_field("text")))
        .transpose()?;
    let given = [
        ("ask", written.ask.is_some()),
        ("compute", written.compute.is_some()),
        ("judged_true", written.judged_true.is_some()),
        ("evidence", written.evidence.is_some()),
        ("truth", written.truth.is_some()),
        ("on", written.on.is_some()),
        ("not", written.not.is_some()),
    ];
    let refuse = |strays: &[&str], why: &str| {
        let mut given = given.iter().filter(|(_, is_given)| *is_given);
        let stray = given.find(|(field, _)| strays.contains(field));
        stray.map_or(Ok(()), |(field, _)| {
            reader.flaw_error(&path().path_of_field(field), why)
        })
    };
    let action = if written.witness == Some(true) {
        refuse(
            &given.map(|(field, _)| field),
            "with `witness: true`, Alice gives the bit of this step; remove this field, or remove `witness`",
        )?;
        ProgramStepActionSpec::Witness
    } else {
        let neither = "a step needs `ask` (a question) or `compute` (a gate over earlier steps); \
                       add one of them";
        let given = (written.ask, written.compute);
        match reader.exactly_one_of(&path(), ["ask", "compute"], given, neither)? {
            OneOfTwoFields::First(question) => {
                refuse(
                    &["on", "not"],
                    "a step with `ask` has no inputs; remove this field, or use `compute`",
                )?;
                let Some(raw) = written.judged_true else {
                    return reader.flaw_error(
                        &path(),
                        "a step with `ask` needs `judged_true`, the probability that a judge says \
                         yes; add it",
                    );
                };
                ProgramStepActionSpec::Ask {
                    question: words(reader, question, || path().path_of_field("ask"))?,
                    judged_true: table(reader, raw, || path().path_of_field("judged_true"))?,
                    evidence: reader.check_optional_prose(written.evidence, || {
                        path().path_of_field("evidence")
                    })?,
                    truth: written.truth,
                }
            }
            OneOfTwoFields::Second(gate) => {
                refuse(
                    &["judged_true", "evidence", "truth"],
                    "a step with `compute` has no judge; remove this field, or use `ask`",
                )?;
                let on = written.on.unwrap_or_default();
                let not = written.not.unwrap_or_default();
                reader.check_subclaim_count(on.len() + not.len(), || path().path_of_field("on"))?;
                for (field, ids) in [("on", &on), ("not", &not)] {
                    for (index, id) in ids.iter().enumerate() {
                        reader.check_one_line_text(id, || {
                            path().path_of_field(field).then_list_item(index)
                        })?;
                    }
                }
                ProgramStepActionSpec::Compute { gate, on, not }
            }
        }
    };
    Ok(PlanProblemStepSpec {
        id: written.id,
        text,
        action,
    })
}

/// Checks a text of a plan, which must not be blank.
fn words(
    reader: &ScenarioReader<'_>,
    text: String,
    path: impl Fn() -> ScenarioValuePath,
) -> Result<String> {
    let text = reader.checked_prose(text, &path)?;
    reader.check_not_blank(
        &text,
        path,
        "this text of the plan is empty in the file; write it",
    )?;
    Ok(text)
}

/// Reads one probability, or a table of probabilities by the previous bits. Looks at the first character instead of
/// `deserialize_any`, which would convert numbers to floating point.
fn table(
    reader: &ScenarioReader<'_>,
    raw: &RawValue,
    path: impl Fn() -> ScenarioValuePath,
) -> Result<Vec<(String, Exact)>> {
    if !raw.trim().get_ron().starts_with('{') {
        let Probability(p) = reader.parse_slice(raw)?;
        return Ok(vec![(String::new(), p)]);
    }
    let entries: MapEntries<Probability> = reader.parse_slice(raw)?;
    reader.check_unique_keys(&entries.0, &path)?;
    if entries.0.is_empty() {
        return reader.flaw_error(
            &path(),
            "the table of probabilities is empty; give a probability",
        );
    }
    let entries = entries.0.into_iter();
    Ok(entries.map(|(bits, Probability(p))| (bits, p)).collect())
}
