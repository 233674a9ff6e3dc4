//! The run of a machine, shown while the user chooses the half of the run that is wrong. The user steps through the
//! run. It is computed only from the machine's rules and the first configuration of the contested part.

use crate::tui::widget::measure;
use debate_core::bits::BitString;
use debate_text::{
    ContestedPartOfRun, align_tapes, rule_text_of_configuration, shortened_configuration,
    with_thousands_separators,
};

/// Maximum number of steps of a machine's run that the user can step through. A step back runs the machine again from
/// the start.
const MAX_STEPS: u64 = 10_000;

/// Returns a text such as "You, step 3". `time` counts from the machine's start.
fn steps_ran_text(time: u64) -> String {
    format!("You, step {}", with_thousands_separators(time))
}

/// The user's position in the contested part of a machine's run.
#[derive(Debug)]
pub struct MachineRunPosition {
    contested: ContestedPartOfRun,
    /// The step that is shown, and the machine's configuration at that step. `None` before the user presses a key.
    shown: Option<(u64, BitString)>,
    /// Width of the longest label before a tape, in columns. All tapes begin after it, so that the tape does not move
    /// from step to step.
    columns: usize,
}

impl MachineRunPosition {
    /// Creates the position at the start of the contested part of a run. Returns `None` if this part is too long, if
    /// the machine has no tape, or if the first configuration cannot be decoded.
    pub fn new(contested: ContestedPartOfRun) -> Option<Self> {
        let steps = contested.to - contested.from;
        let machine = contested.run.tape()?;
        let states = machine.states().iter();
        let state = states.max_by_key(|name| measure::width(name))?;
        let cells = machine.decode(&contested.start)?.tape.len();
        let columns = measure::width(&format!(
            "{steps}: state {state}, head at {cells}",
            steps = steps_ran_text(contested.to)
        ));
        (steps <= MAX_STEPS).then_some(Self {
            contested,
            shown: None,
            columns,
        })
    }

    /// Runs the machine for one step. Returns false at the end of the contested part.
    pub fn run_contested_step(&mut self) -> bool {
        let time = self.time() + 1;
        if time > self.contested.to {
            return false;
        }
        self.run_to(time)
    }

    /// Goes back by one step of the machine. Returns false at the start.
    pub fn step_back(&mut self) -> bool {
        match self.time().checked_sub(1) {
            Some(time) if time >= self.contested.from => self.run_to(time),
            _ => false,
        }
    }

    /// Runs the machine to the step in the middle of the contested part.
    pub fn run_machine_to_middle_step(&mut self) -> bool {
        self.run_to(self.contested.middle)
    }

    fn time(&self) -> u64 {
        let shown = self.shown.as_ref();
        shown.map_or(self.contested.from, |(time, _)| *time)
    }

    fn run_to(&mut self, time: u64) -> bool {
        let ContestedPartOfRun {
            run, from, start, ..
        } = &self.contested;
        // Continues from the configuration in view if it is earlier, to run fewer steps.
        let (known, bits) = match &self.shown {
            Some((known, bits)) if *known <= time => (*known, bits),
            _ => (*from, start),
        };
        let configuration = run.follow(bits, time - known);
        self.shown = configuration.map(|bits| (time, bits));
        self.shown.is_some()
    }

    /// Returns the lines to show: the given lines with the configurations that were stated in the debate; then, once
    /// the user has walked, the configuration at the user's step, its comparison with Alice's, and the next rule.
    pub fn lines_with_current_configuration(
        &self,
        given_configuration_lines: &[String],
    ) -> Vec<String> {
        let Some((time, bits)) = &self.shown else {
            return given_configuration_lines.to_vec();
        };
        let run = &*self.contested.run;
        let current = format!(
            "{}: state {}",
            steps_ran_text(*time),
            shortened_configuration(run, bits)
        );
        let mut lines = align_tapes(
            &[given_configuration_lines, &[current]].concat(),
            self.columns,
        );
        lines.extend(self.contested.comparison_with_claim(*time, bits));
        let rule = rule_text_of_configuration(run, bits);
        lines.extend(rule.map(|rule| format!("The next rule: {rule}.")));
        lines
    }
}

#[cfg(test)]
mod tests;
