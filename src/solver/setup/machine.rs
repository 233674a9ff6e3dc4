//! Turing machines in scenario files: checks the machine, and builds the problem.

use serde::Deserialize;

use super::reader::{
    OneOfTwoFields, ProblemInFile, RequestedDecomposition, Result, ScenarioReader,
};
use debate_core::scenario::ScenarioValuePath;
use debate_core::scenario::machine::{
    MachineProblem, MachineProblemSpec, OracleQueryStateSpec, TuringMachineSpec,
};

/// A machine problem as the scenario file states it, with one input or several.
#[derive(Deserialize)]
#[serde(rename = "Machine", deny_unknown_fields)]
pub(super) struct MachineProblemInFile {
    turing: TuringMachineSpec,
    input: Option<String>,
    inputs: Option<Vec<String>>,
    steps: u64,
    cells: Option<u64>,
    oracle_state: Option<OracleQueryStateSpec>,
}

impl ProblemInFile for MachineProblemInFile {
    type Problem = MachineProblem;
    const KIND: &'static str = "machine";
    const OWN_DECOMPOSITION: Option<&'static str> = Some(
        "a Machine can only be decomposed into Halves or Blocks(width: 8) of its tableau; use one \
         of these, or remove `decomposition`",
    );

    fn problem(
        mut self,
        reader: &ScenarioReader<'_>,
        _: RequestedDecomposition<'_>,
    ) -> Result<MachineProblem> {
        let at = &Self::path();
        check_turing(reader, &self.turing, &at.path_of_field("turing"))?;
        let inputs = inputs(reader, self.input, self.inputs, at)?;
        if let Some(oracle_state) = &mut self.oracle_state {
            check_oracle_state(reader, oracle_state, &at.path_of_field("oracle_state"))?;
        }
        let spec = MachineProblemSpec {
            turing: self.turing,
            inputs,
            steps: self.steps,
            cells: self.cells,
            oracle_state: self.oracle_state,
        };
        MachineProblem::build(spec, at).map_err(|flaw| reader.scenario_error_in_value(&flaw))
    }
}

/// Returns the machine's inputs, from the field `input` (one) or `inputs` (a list).
fn inputs(
    reader: &ScenarioReader<'_>,
    input: Option<String>,
    inputs: Option<Vec<String>>,
    at: &ScenarioValuePath,
) -> Result<Vec<String>> {
    let neither = "a Machine needs `input: \"0110\"` or `inputs: […]`; give one of them";
    match reader.exactly_one_of(at, ["input", "inputs"], (input, inputs), neither)? {
        OneOfTwoFields::First(one) => Ok(vec![
            reader.checked_prose(one, || at.path_of_field("input"))?,
        ]),
        OneOfTwoFields::Second(many) => {
            let each = many.into_iter().enumerate();
            each.map(|(position, input)| {
                reader.checked_prose(input, || {
                    at.path_of_field("inputs").then_list_item(position)
                })
            })
            .collect()
        }
    }
}

/// Checks the name of a state of the machine.
fn check_state(
    reader: &ScenarioReader<'_>,
    name: &str,
    path: impl Fn() -> ScenarioValuePath,
) -> Result<()> {
    reader.check_one_line_text(name, &path)?;
    reader.check_not_blank(name, path, "a state of the machine needs a name; write one")
}

/// Checks the texts in the description of a machine. [`MachineProblem::build`] checks that its states and symbols
/// exist.
fn check_turing(
    reader: &ScenarioReader<'_>,
    turing: &TuringMachineSpec,
    at: &ScenarioValuePath,
) -> Result<()> {
    for (index, state) in turing.states.iter().flatten().enumerate() {
        check_state(reader, state, || {
            at.path_of_field("states").then_list_item(index)
        })?;
    }
    for (index, rule) in turing.rules.iter().enumerate() {
        let path = || at.path_of_field("rules").then_list_item(index);
        reader.check_one_line_text(&rule.read, path)?;
        reader.check_one_line_text(&rule.write, path)?;
        check_state(reader, &rule.state, path)?;
        check_state(reader, &rule.to, path)?;
    }
    check_state(reader, &turing.start, || at.path_of_field("start"))?;
    check_state(reader, &turing.accept, || at.path_of_field("accept"))?;
    check_state(reader, &turing.reject, || at.path_of_field("reject"))
}

fn check_oracle_state(
    reader: &ScenarioReader<'_>,
    oracle_state: &mut OracleQueryStateSpec,
    at: &ScenarioValuePath,
) -> Result<()> {
    reader.check_unique_keys(&oracle_state.answers, || at.path_of_field("answers"))?;
    for (word, answer) in &mut oracle_state.answers {
        let path = || at.path_of_field("answers").then_map_entry(word);
        if let Some(text) = &mut answer.text {
            reader.normalise_lines(text, || path().path_of_field("text"))?;
        }
        if let Some(evidence) = &mut answer.evidence {
            reader.normalise_lines(evidence, || path().path_of_field("evidence"))?;
        }
    }
    check_state(reader, &oracle_state.state, || at.path_of_field("state"))?;
    check_state(reader, &oracle_state.yes, || at.path_of_field("yes"))?;
    check_state(reader, &oracle_state.no, || at.path_of_field("no"))
}
