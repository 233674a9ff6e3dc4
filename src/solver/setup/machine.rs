//! Machines: from the file as it is written to a checked specification.

use ron::value::RawValue;
use serde::Deserialize;

use super::reader::{Method, OneOf, ProblemForm, Result, ScenarioReader};
use super::written::MapEntries;
use debate_core::scenario::Path;
use debate_core::scenario::machine::{self, Machine, MachineSpec, RuleSpec};

#[derive(Deserialize)]
#[serde(rename = "Machine", deny_unknown_fields)]
pub(super) struct RonMachine<'f> {
    turing: RonTuring,
    input: Option<String>,
    inputs: Option<Vec<String>>,
    steps: u64,
    cells: Option<u64>,
    #[serde(borrow)]
    oracle_state: Option<RonOracleState<'f>>,
}

#[derive(Deserialize)]
#[serde(rename = "turing", deny_unknown_fields)]
struct RonTuring {
    states: Option<Vec<String>>,
    start: String,
    accept: String,
    reject: String,
    rules: Vec<RonRule>,
}

/// In this state, on this symbol: go to that state, write that symbol, move.
#[derive(Deserialize)]
#[serde(rename = "rule")]
struct RonRule(
    String,
    String,
    String,
    String,
    #[serde(with = "RonShift")] machine::Shift,
);

#[derive(Deserialize)]
#[serde(remote = "machine::Shift", rename = "move")]
enum RonShift {
    Left,
    Right,
    Stay,
}

#[derive(Deserialize)]
#[serde(rename = "oracle_state", deny_unknown_fields)]
struct RonOracleState<'f> {
    state: String,
    yes: String,
    no: String,
    #[serde(borrow, default)]
    answers: MapEntries<RonAnswer<'f>>,
}

#[derive(Deserialize)]
#[serde(rename = "Answer", deny_unknown_fields)]
struct RonAnswer<'f> {
    truth: bool,
    text: Option<String>,
    evidence: Option<String>,
    #[serde(borrow)]
    judged_true: Option<&'f RawValue>,
}

impl ProblemForm for RonMachine<'_> {
    type Problem = Machine;
    const KIND: &'static str = "machine";
    const OWN_DECOMPOSITION: Option<&'static str> = Some(
        "a Machine takes Halves or Blocks(width: 8), of what its tableau writes; take one of \
         these, or leave `decomposition` out",
    );

    fn problem(self, reader: &ScenarioReader<'_>, _: Method<'_>) -> Result<Machine> {
        let at = &Self::path();
        let spec = MachineSpec {
            turing: turing(reader, self.turing, &at.then("turing"))?,
            inputs: inputs(reader, self.input, self.inputs, at)?,
            steps: self.steps,
            cells: self.cells,
            oracle_state: oracle_state(reader, self.oracle_state, at)?,
        };
        Machine::build(spec, at).map_err(|flaw| reader.flaw(&flaw))
    }
}

/// The inputs, of which there is one or a list.
fn inputs(
    reader: &ScenarioReader<'_>,
    input: Option<String>,
    inputs: Option<Vec<String>>,
    at: &Path,
) -> Result<Vec<String>> {
    let neither = "a Machine reads an `input: \"0110\"` or one of several `inputs: […]`; give one of \
                   them";
    match reader.one_of(at, ["input", "inputs"], (input, inputs), neither)? {
        OneOf::First(one) => Ok(vec![reader.prose(one, || at.then("input"))?]),
        OneOf::Second(many) => {
            let each = many.into_iter().enumerate();
            each.map(|(place, input)| reader.prose(input, || at.then("inputs").item(place)))
                .collect()
        }
    }
}

/// A state's name, which stands in sentences.
fn name(reader: &ScenarioReader<'_>, text: String, path: impl Fn() -> Path) -> Result<String> {
    reader.name(&text, &path)?;
    reader.not_blank(&text, path, "a state needs a name; write one")?;
    Ok(text)
}

/// The machine itself. What its names mean is checked when it is built.
fn turing(reader: &ScenarioReader<'_>, written: RonTuring, at: &Path) -> Result<machine::Turing> {
    let states = written.states.map(|states| {
        let named = states.into_iter().enumerate();
        named
            .map(|(place, state)| name(reader, state, || at.then("states").item(place)))
            .collect::<Result<Vec<_>>>()
    });
    let rules = written.rules.into_iter().enumerate();
    let rules = rules.map(|(place, RonRule(state, read, to, write, shift))| {
        let path = || at.then("rules").item(place);
        reader.name(&read, path)?;
        reader.name(&write, path)?;
        Ok(RuleSpec {
            state: name(reader, state, path)?,
            read,
            to: name(reader, to, path)?,
            write,
            shift,
        })
    });
    Ok(machine::Turing {
        states: states.transpose()?,
        start: name(reader, written.start, || at.then("start"))?,
        accept: name(reader, written.accept, || at.then("accept"))?,
        reject: name(reader, written.reject, || at.then("reject"))?,
        rules: rules.collect::<Result<_>>()?,
    })
}

fn oracle_state(
    reader: &ScenarioReader<'_>,
    written: Option<RonOracleState<'_>>,
    at: &Path,
) -> Result<Option<machine::OracleState>> {
    let Some(written) = written else {
        return Ok(None);
    };
    let at = at.then("oracle_state");
    reader.unique(&written.answers, || at.then("answers"))?;
    let answers = written.answers.0.into_iter().map(|(word, answer)| {
        let path = || at.then("answers").entry(&word);
        let prose = |text, field| reader.optional_prose(text, || path().then(field));
        let judged_true = answer
            .judged_true
            .map(|raw| reader.probability(raw, || path().then("judged_true")));
        let answer = machine::Answer {
            truth: answer.truth,
            text: prose(answer.text, "text")?,
            evidence: prose(answer.evidence, "evidence")?,
            judged_true: judged_true.transpose()?,
        };
        Ok((word, answer))
    });
    Ok(Some(machine::OracleState {
        answers: answers.collect::<Result<_>>()?,
        state: name(reader, written.state, || at.then("state"))?,
        yes: name(reader, written.yes, || at.then("yes"))?,
        no: name(reader, written.no, || at.then("no"))?,
    }))
}
