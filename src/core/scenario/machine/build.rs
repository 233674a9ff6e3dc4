//! Checks a machine in a scenario file and builds it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::table::{BLANK, CheckedMachine, MachineOracleQueryStates};
use super::{
    MAX_CELLS, MAX_INPUTS, MAX_STATES, MAX_STEPS, MAX_SYMBOLS, MachineProblem, MachineProblemSpec,
    OracleQueryStateSpec, TuringMachineSpec, TuringRun,
};
use crate::scenario::computation::{StateId, SymbolId, TapeAction};
use crate::scenario::{PossibleWorld, ScenarioValueError, ScenarioValuePath};

impl MachineProblem {
    /// Checks a machine problem.
    ///
    /// # Errors
    /// Returns the first flaw with its path, which is below `at`, the path of the problem. Examples of flaws are an
    /// exceeded limit, an unlisted state, a symbol that is not one character, and a rule that can never apply.
    pub fn build(
        spec: MachineProblemSpec,
        at: &ScenarioValuePath,
    ) -> Result<Self, ScenarioValueError> {
        let steps = spec.steps;
        if !(1..=MAX_STEPS).contains(&steps) {
            return Err(at.path_of_field("steps").error_at_path(format_args!(
                "the machine cannot run for {steps} steps; use 1 to {MAX_STEPS}"
            )));
        }
        let cells = cells(&spec, at)?;
        let states = States::of(&spec, at)?;
        let symbols = symbols(&spec, at)?;
        let turing = &spec.turing;
        let state = |name: &str, field| {
            states.number(name, || at.path_of_field("turing").path_of_field(field))
        };
        let mut table = CheckedMachine {
            start: state(&turing.start, "start")?,
            accept: state(&turing.accept, "accept")?,
            reject: state(&turing.reject, "reject")?,
            actions: Vec::new(),
            asking: None,
            states: states.names.clone(),
            symbols,
            cells,
            steps: spec.steps,
        };
        if table.accept == table.reject {
            let path = at.path_of_field("turing").path_of_field("reject");
            let what = "the accepting and the rejecting state must differ; use another state";
            return Err(path.error_at_path(what));
        }
        if let Some(asking) = spec.oracle_state {
            table.asking = Some(ask(
                &table,
                &states,
                asking,
                &at.path_of_field("oracle_state"),
            )?);
        }
        table.actions = actions(&table, &states, &spec.turing, at)?;
        let table = Arc::new(table);
        let mut worlds = Vec::with_capacity(spec.inputs.len());
        let mut runs = Vec::with_capacity(spec.inputs.len());
        let mut seen = HashSet::new();
        let count = spec.inputs.len();
        for (index, input) in spec.inputs.into_iter().enumerate() {
            let path = || input_path(at, index, count);
            let symbols = input
                .chars()
                .filter_map(|sign| table.symbol_id(sign))
                .collect();
            let name = if input.is_empty() { "empty" } else { &input };
            if !seen.insert(name.to_owned()) {
                return Err(path().error_at_path("this input is listed twice; remove one of them"));
            }
            worlds.push(PossibleWorld::new(name));
            runs.push(Arc::new(TuringRun::new(&table, input, symbols)));
        }
        Ok(Self {
            tableaux: runs.iter().map(|_| OnceLock::new()).collect(),
            table,
            worlds,
            runs,
        })
    }
}

/// Returns the path of an input in the scenario file: the only input, or an element of the list of inputs.
fn input_path(at: &ScenarioValuePath, index: usize, count: usize) -> ScenarioValuePath {
    match count {
        1 => at.path_of_field("input"),
        _ => at.path_of_field("inputs").then_list_item(index),
    }
}

/// Returns the number of cells of the tape. Returns an error if there is no input or too many, if the tape is empty or
/// too long, or if an input does not fit on it.
fn cells(spec: &MachineProblemSpec, at: &ScenarioValuePath) -> Result<usize, ScenarioValueError> {
    if spec.inputs.is_empty() {
        return Err(at.error_at_path("a machine needs an input; add `input: \"0110\"`"));
    }
    if spec.inputs.len() > MAX_INPUTS {
        return Err(at.path_of_field("inputs").error_at_path(format_args!(
            "the machine has {count} inputs; use at most {MAX_INPUTS}",
            count = spec.inputs.len()
        )));
    }
    let lengths = spec.inputs.iter().map(|input| input.chars().count() as u64);
    let (index, longest) = lengths
        .enumerate()
        .max_by_key(|(_, length)| *length)
        .unwrap_or_default();
    let cells = spec.cells.unwrap_or_else(|| longest.max(spec.steps + 1));
    if cells == 0 || cells > MAX_CELLS {
        let field = spec.cells.map_or("steps", |_| "cells");
        return Err(at.path_of_field(field).error_at_path(format_args!(
            "the tape cannot have {cells} cells; set `cells` to 1 to {MAX_CELLS} (the default is `steps` + 1, or the length of the longest input if that is larger)"
        )));
    }
    if longest > cells {
        return Err(
            input_path(at, index, spec.inputs.len()).error_at_path(format_args!(
                "an input of {longest} symbols does not fit on a tape of {cells} cells; use more cells"
            )),
        );
    }
    Ok(crate::number::index_saturating(cells))
}

/// The states of a machine with their numbers.
struct States {
    names: Vec<String>,
    numbers: HashMap<String, StateId>,
    /// True if the scenario file lists the states.
    listed: bool,
}

impl States {
    /// Returns the states that the scenario file lists. If the file has no list of states, returns all states that it
    /// names: first the start state, then those of the rules and of the oracle, last the accepting and rejecting state.
    fn of(spec: &MachineProblemSpec, at: &ScenarioValuePath) -> Result<Self, ScenarioValueError> {
        let mut states = Self {
            names: Vec::new(),
            numbers: HashMap::new(),
            listed: spec.turing.states.is_some(),
        };
        let turing = &spec.turing;
        if let Some(listed) = &turing.states {
            let path = at.path_of_field("turing").path_of_field("states");
            for (index, name) in listed.iter().enumerate() {
                if states.numbers.contains_key(name) {
                    let what = "this state is listed twice; remove one of them";
                    return Err(path.then_list_item(index).error_at_path(what));
                }
                states.add(name, &path)?;
            }
            return Ok(states);
        }
        let path = at.path_of_field("turing");
        let rules = turing.rules.iter().flat_map(|rule| [&rule.state, &rule.to]);
        let asking = spec.oracle_state.iter();
        let asking = asking.flat_map(|asking| [&asking.state, &asking.yes, &asking.no]);
        let halting = [&turing.accept, &turing.reject];
        let named = std::iter::once(&turing.start).chain(rules);
        for name in named.chain(asking).chain(halting) {
            states.add(name, &path)?;
        }
        Ok(states)
    }

    fn add(&mut self, name: &str, path: &ScenarioValuePath) -> Result<(), ScenarioValueError> {
        if self.numbers.contains_key(name) {
            return Ok(());
        }
        if self.names.len() == MAX_STATES {
            return Err(path.error_at_path(format_args!(
                "the machine has more than {MAX_STATES} states; use fewer"
            )));
        }
        let number = StateId::try_from(self.names.len()).unwrap_or(StateId::MAX);
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Ok(())
    }

    fn number(
        &self,
        name: &str,
        path: impl Fn() -> ScenarioValuePath,
    ) -> Result<StateId, ScenarioValueError> {
        let states_or_rules_do = if self.listed {
            "`states` does"
        } else {
            "the rules do"
        };
        let missing = || {
            path().error_at_path(format_args!(
                "{states_or_rules_do} not contain the state {name:?}; add it, or use another state"
            ))
        };
        self.numbers.get(name).copied().ok_or_else(missing)
    }
}

/// Returns the machine's symbols: the blank, then all symbols of rules and inputs in the order of their first use.
fn symbols(
    spec: &MachineProblemSpec,
    at: &ScenarioValuePath,
) -> Result<Vec<char>, ScenarioValueError> {
    let mut symbols = vec![BLANK];
    let mut seen = HashSet::from([BLANK]);
    let mut add = |sign: char, path: &dyn Fn() -> ScenarioValuePath| {
        if sign.is_whitespace() {
            let what = "a space is not a symbol; write another character, or _ for blank";
            return Err(path().error_at_path(what));
        }
        if seen.insert(sign) {
            symbols.push(sign);
        }
        if symbols.len() > MAX_SYMBOLS {
            return Err(path().error_at_path(format_args!(
                "the machine has more than {MAX_SYMBOLS} symbols; use fewer"
            )));
        }
        Ok(())
    };
    for (index, rule) in spec.turing.rules.iter().enumerate() {
        let path = || {
            at.path_of_field("turing")
                .path_of_field("rules")
                .then_list_item(index)
        };
        for written in [&rule.read, &rule.write] {
            add(one(written, path)?, &path)?;
        }
    }
    for (index, input) in spec.inputs.iter().enumerate() {
        for sign in input.chars() {
            add(sign, &|| input_path(at, index, spec.inputs.len()))?;
        }
    }
    Ok(symbols)
}

/// Returns the only character of a text, or an error if the text does not have exactly one character.
fn one(text: &str, path: impl Fn() -> ScenarioValuePath) -> Result<char, ScenarioValueError> {
    let mut signs = text.chars();
    match (signs.next(), signs.next()) {
        (Some(sign), None) => Ok(sign),
        _ => Err(path().error_at_path(format_args!(
            "the text {text:?} is not a symbol; write one character, or _ for blank"
        ))),
    }
}

fn actions(
    table: &CheckedMachine,
    states: &States,
    turing: &TuringMachineSpec,
    at: &ScenarioValuePath,
) -> Result<Vec<Option<TapeAction>>, ScenarioValueError> {
    let mut actions = vec![None; table.states.len() * table.symbols.len()];
    for (index, rule) in turing.rules.iter().enumerate() {
        let path = || {
            at.path_of_field("turing")
                .path_of_field("rules")
                .then_list_item(index)
        };
        let state = states.number(&rule.state, path)?;
        let to = states.number(&rule.to, path)?;
        let never = |why: &str| {
            path().error_at_path(format_args!(
                "this rule is never used, because in the state {state:?} {what_happens}; remove it",
                what_happens = why,
                state = rule.state
            ))
        };
        if table.halts(state) {
            return Err(never("the machine has halted"));
        }
        if table.asking.as_ref().is_some_and(|ask| ask.state == state) {
            return Err(never("the oracle is asked"));
        }
        let symbol = |text: &str| Ok(table.symbol_id(one(text, path)?).unwrap_or(0));
        let read = symbol(&rule.read)?;
        let write = symbol(&rule.write)?;
        let slot = usize::from(state) * table.symbols.len() + usize::from(read);
        let shift = rule.shift;
        if actions[slot]
            .replace(TapeAction { to, write, shift })
            .is_some()
        {
            return Err(path().error_at_path(format_args!(
                "there are two rules for the state {state:?} and the symbol {symbol:?}; remove one",
                state = rule.state,
                symbol = rule.read
            )));
        }
    }
    Ok(actions)
}

fn ask(
    table: &CheckedMachine,
    states: &States,
    asking: OracleQueryStateSpec,
    at: &ScenarioValuePath,
) -> Result<MachineOracleQueryStates, ScenarioValueError> {
    let state = |name: &str, field| states.number(name, || at.path_of_field(field));
    let asks = state(&asking.state, "state")?;
    let (yes, no) = (state(&asking.yes, "yes")?, state(&asking.no, "no")?);
    if table.halts(asks) {
        return Err(at.path_of_field("state").error_at_path(
            "the machine halts in this state, so it never asks the oracle; use another oracle \
             state",
        ));
    }
    let mut answers = HashMap::with_capacity(asking.answers.len());
    for (word, answer) in asking.answers {
        let path = || at.path_of_field("answers").then_map_entry(&word);
        let symbols: Option<Vec<SymbolId>> =
            word.chars().map(|sign| table.symbol_id(sign)).collect();
        let never = "this query has a symbol that is in no rule and no input, so it is never asked; remove the query";
        let symbols = symbols.ok_or_else(|| path().error_at_path(never))?;
        if symbols.first() == Some(&0) || symbols.last() == Some(&0) {
            return Err(path().error_at_path(
                "an oracle query cannot begin or end with a blank symbol; remove the blanks",
            ));
        }
        answers.insert(table.oracle_query_on_tape(&symbols), answer);
    }
    Ok(MachineOracleQueryStates {
        state: asks,
        yes,
        no,
        answers,
    })
}
