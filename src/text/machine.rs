//! Describes a machine's rules in words, and its true run beside the configurations that the prover gave.

use std::collections::BTreeMap;

use debate_core::bits::BitString;
use debate_core::number::Exact;
use debate_core::protocol::{BitsMeaning, Log, Seat};
use debate_core::scenario::machine::HeadMove;
use debate_core::scenario::{MachineRun, StateId, SymbolId, TapeMachine, TapeMachineTransition};
use debate_core::text::count_with_noun;

use super::{DebateNarrator, Line, TextRole, with_thousands_separators};

/// Maximum number of lines of the list of rules, including its title. `STEPS`, a separate limit, is the maximum number
/// of steps of a run that are shown.
const RULES: usize = 60;
const STEPS: u64 = 100;

/// Describes a machine's action in a state that reads a symbol: "writes 1, right, to carry 0".
pub fn rule_text(machine: &dyn TapeMachine, state: StateId, symbol: SymbolId) -> String {
    let action = match machine.transition(state, symbol) {
        TapeMachineTransition::Halt => return "halts".to_owned(),
        TapeMachineTransition::Ask => return "asks the oracle".to_owned(),
        TapeMachineTransition::Act(action) => action,
    };
    let sign = |symbol: SymbolId| machine.symbols().get(usize::from(symbol)).copied();
    let write = match sign(action.write) {
        Some(sign) if action.write != symbol => format!("writes {sign}, "),
        _ => String::new(),
    };
    let shift = match action.shift {
        HeadMove::Left => "left",
        HeadMove::Right => "right",
        HeadMove::Stay => "stays",
    };
    let to = match machine.states().get(usize::from(action.to)) {
        Some(name) if action.to != state => format!(", to {name}"),
        _ => String::new(),
    };
    format!("{write}{shift}{to}")
}

/// Describes the rule that a machine applies to a configuration: "in state carry 0 on symbol 1: right". `None` if the
/// machine has no tape, or if the configuration is malformed.
pub fn rule_text_of_configuration(
    run: &dyn MachineRun,
    configuration: &BitString,
) -> Option<String> {
    let machine = run.tape()?;
    let now = machine.decode(configuration)?;
    let symbol = *now.tape.get(now.head)?;
    let sign = machine.symbols().get(usize::from(symbol))?;
    let name = machine.states().get(usize::from(now.state))?;
    let rule = rule_text(machine, now.state, symbol);
    Some(format!("in state {name} on symbol {sign}: {rule}"))
}

fn text(role: TextRole, text: impl Into<String>) -> Line {
    Line::unlabelled(role, text)
}

impl DebateNarrator<'_> {
    /// Returns lines about the instance's machine: its rules, a check of each single step that the prover gave, and its
    /// true run beside the prover's configurations. Only the rules if the machine asks the oracle; empty without a
    /// machine. A long run is shown from the latest given time before that of the prover's last configuration.
    pub fn machine_rules_and_run(&self, log: &Log<Exact>) -> Vec<Line> {
        let Some(run) = self.instance.run() else {
            return Vec::new();
        };
        let mut lines = transition_rules(&*run);
        if run.asks() {
            return lines;
        }
        let mut last = 0;
        let mut given: BTreeMap<u64, BitString> = BTreeMap::new();
        for (ask, bits) in log.bit_strings_given_by_players() {
            if let BitsMeaning::Configuration { time } = ask {
                given.insert(time, bits.clone());
                last = time;
            }
        }
        lines.extend(steps_checked(&*run, &given));
        lines.push(text(TextRole::Title, "The machine's own run"));
        let nearest = given.range(..last).next_back();
        let from = match nearest {
            Some((time, _)) if run.steps() > STEPS => *time,
            _ => 0,
        };
        let mut before = None;
        let to = run.steps().min(from + STEPS);
        for time in from..=to {
            let Some(here) = run.at(time) else {
                break;
            };
            // The configuration of a halted machine does not change, so it is shown once.
            if before.as_ref() != Some(&here) || given.contains_key(&time) {
                let words = self
                    .machine_configuration_or_invalid_bits_text(&here)
                    .unwrap_or_default();
                let rule = rule_text_of_configuration(&*run, &here);
                let rule = rule.map_or_else(String::new, |rule| format!(" ({rule})"));
                let line = format!("{}  {words}{rule}", with_thousands_separators(time));
                lines.push(text(TextRole::Text, line));
            }
            if let Some(claimed) = given.get(&time) {
                let words = self
                    .machine_configuration_or_invalid_bits_text(claimed)
                    .unwrap_or_default();
                let says = self.perspective.verb_form(Seat::Prover, "says", "say");
                let line = format!(
                    "    {} {says}: {words}",
                    self.perspective.player_name_or_you(Seat::Prover)
                );
                lines.push(text(TextRole::Current, line));
            }
            before = Some(here);
        }
        lines
    }
}

/// Returns a sentence about each single step for which the prover gave both configurations: whether the step is right.
/// For the first step, the machine's start counts as the configuration before it.
fn steps_checked(run: &dyn MachineRun, given: &BTreeMap<u64, BitString>) -> Vec<Line> {
    let mut lines = Vec::new();
    let start = (0, run.start());
    let ends = given.iter().map(|(time, bits)| (*time, bits));
    for (time, before) in std::iter::once((start.0, &start.1)).chain(ends) {
        let Some(after) = given.get(&(time + 1)) else {
            continue;
        };
        let follows = run.is_well_formed(before) && run.after(before).as_ref() == Some(after);
        let follows_or_not = if follows {
            "follows"
        } else {
            "does not follow"
        };
        let rule = rule_text_of_configuration(run, before)
            .map_or_else(String::new, |rule| format!(", {rule}"));
        let number = with_thousands_separators(time + 1);
        let steps = count_with_noun(with_thousands_separators(time), "step", "steps");
        lines.push(text(
            TextRole::Text,
            format!("Step {number} {follows_or_not} from the configuration after {steps}{rule}."),
        ));
    }
    if !lines.is_empty() {
        lines.insert(0, text(TextRole::Title, "Single steps"));
        lines.push(Line::default());
    }
    lines
}

/// Lists the machine's transition rules, one line each, below a title. Omits the rules that halt. Empty if the machine
/// has no tape.
fn transition_rules(run: &dyn MachineRun) -> Vec<Line> {
    let Some(machine) = run.tape() else {
        return Vec::new();
    };
    let mut lines = vec![text(TextRole::Title, "The machine's rules")];
    for (state, name) in (0..).zip(machine.states()) {
        for (symbol, sign) in (0..).zip(machine.symbols()) {
            if machine.transition(state, symbol) != TapeMachineTransition::Halt {
                let rule = rule_text(machine, state, symbol);
                lines.push(text(
                    TextRole::Text,
                    format!("In state {name} on symbol {sign}: {rule}."),
                ));
            }
        }
    }
    if lines.len() > RULES {
        let omitted = lines.len() - (RULES - 1);
        lines.truncate(RULES - 1);
        lines.push(text(
            TextRole::Faint,
            format!("{} more rules", with_thousands_separators(omitted as u64)),
        ));
    }
    lines.push(Line::default());
    lines
}
