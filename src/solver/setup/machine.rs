//! Machines: converts a file's machine into a checked specification.

use serde::Deserialize;

use super::reader::{EitherField, Method, ProblemForm, Result, ScenarioReader};
use debate_core::scenario::Path;
use debate_core::scenario::machine::{Machine, MachineSpec, OracleState, Turing};

/// A machine problem as a file states it: with one input or several.
#[derive(Deserialize)]
#[serde(rename = "Machine", deny_unknown_fields)]
pub(super) struct MachineForm {
    turing: Turing,
    input: Option<String>,
    inputs: Option<Vec<String>>,
    steps: u64,
    cells: Option<u64>,
    oracle_state: Option<OracleState>,
}

impl ProblemForm for MachineForm {
    type Problem = Machine;
    const KIND: &'static str = "machine";
    const OWN_DECOMPOSITION: Option<&'static str> = Some(
        "a Machine can only be decomposed into Halves or Blocks(width: 8) of its tableau; use one \
         of these, or remove `decomposition`",
    );

    fn problem(mut self, reader: &ScenarioReader<'_>, _: Method<'_>) -> Result<Machine> {
        let at = &Self::path();
        check_turing(reader, &self.turing, &at.then("turing"))?;
        let inputs = inputs(reader, self.input, self.inputs, at)?;
        if let Some(oracle_state) = &mut self.oracle_state {
            check_oracle_state(reader, oracle_state, &at.then("oracle_state"))?;
        }
        let spec = MachineSpec {
            turing: self.turing,
            inputs,
            steps: self.steps,
            cells: self.cells,
            oracle_state: self.oracle_state,
        };
        Machine::build(spec, at).map_err(|flaw| reader.flaw(&flaw))
    }
}

/// Returns the machine's inputs, from `input` (one) or `inputs` (a list).
fn inputs(
    reader: &ScenarioReader<'_>,
    input: Option<String>,
    inputs: Option<Vec<String>>,
    at: &Path,
) -> Result<Vec<String>> {
    let neither = "a Machine needs `input: \"0110\"` or `inputs: […]`; give one of them";
    match reader.exactly_one_of(at, ["input", "inputs"], (input, inputs), neither)? {
        EitherField::First(one) => Ok(vec![reader.prose(one, || at.then("input"))?]),
        EitherField::Second(many) => {
            let each = many.into_iter().enumerate();
            each.map(|(position, input)| reader.prose(input, || at.then("inputs").item(position)))
                .collect()
        }
    }
}

/// Checks the name of a state.
fn check_state(reader: &ScenarioReader<'_>, name: &str, path: impl Fn() -> Path) -> Result<()> {
    reader.name(name, &path)?;
    reader.check_not_blank(name, path, "a state needs a name; write one")
}

/// Checks the texts of a machine. [`Machine::build`] checks that its states and symbols exist.
fn check_turing(reader: &ScenarioReader<'_>, turing: &Turing, at: &Path) -> Result<()> {
    for (index, state) in turing.states.iter().flatten().enumerate() {
        check_state(reader, state, || at.then("states").item(index))?;
    }
    for (index, rule) in turing.rules.iter().enumerate() {
        let path = || at.then("rules").item(index);
        reader.name(&rule.read, path)?;
        reader.name(&rule.write, path)?;
        check_state(reader, &rule.state, path)?;
        check_state(reader, &rule.to, path)?;
    }
    check_state(reader, &turing.start, || at.then("start"))?;
    check_state(reader, &turing.accept, || at.then("accept"))?;
    check_state(reader, &turing.reject, || at.then("reject"))
}

fn check_oracle_state(
    reader: &ScenarioReader<'_>,
    oracle_state: &mut OracleState,
    at: &Path,
) -> Result<()> {
    reader.check_unique_keys(&oracle_state.answers, || at.then("answers"))?;
    for (word, answer) in &mut oracle_state.answers {
        let path = || at.then("answers").entry(word);
        if let Some(text) = &mut answer.text {
            reader.normalise_lines(text, || path().then("text"))?;
        }
        if let Some(evidence) = &mut answer.evidence {
            reader.normalise_lines(evidence, || path().then("evidence"))?;
        }
    }
    check_state(reader, &oracle_state.state, || at.then("state"))?;
    check_state(reader, &oracle_state.yes, || at.then("yes"))?;
    check_state(reader, &oracle_state.no, || at.then("no"))
}
