//! The neighbourhood of a step: what it reads, how that came about, and who reads it.

use debate_core::bits::Bits;
use debate_core::scenario::{Computation, Source};

use crate::tui::theme::Appearance;

/// Steps that read more sources than this are told without their neighbourhood.
const SOURCES: usize = 4;
/// Readers that are named.
const READERS: usize = 6;
/// In longer computations nobody looks for the readers of a step: that takes a look at all of it.
const SEARCHED: u64 = 20_000;

/// The neighbours of a step, a line each: what it reads with what was written there, and the steps
/// that read it. Empty where it reads too much for that, or nothing.
pub(super) fn neighbours(
    computation: &dyn Computation,
    witness: &Bits,
    step: u64,
    value: impl Fn(u64) -> Option<bool>,
    look: &Appearance,
) -> Vec<String> {
    let mut sources = Vec::new();
    computation.reads(step, &mut sources);
    sources.sort_unstable();
    sources.dedup();
    if sources.is_empty() || sources.len() > SOURCES {
        return Vec::new();
    }
    let last = sources.len() - 1;
    let line = |(number, source): (usize, &Source)| {
        let branch = if number == last {
            look.glyphs.last_branch
        } else {
            look.glyphs.branch
        };
        let name = computation.source_text(*source);
        let told = match source {
            Source::Step(step) => {
                let value = value(*step).map_or("?", digit);
                let text = computation.step_text(*step);
                // The text of a gate begins with its name.
                let rule = text.strip_prefix(&format!("{name} = "));
                let rule = rule.unwrap_or(&text).to_owned();
                format!("{name} = {value}, written for {rule}")
            }
            Source::Input(_) => {
                let value = digit(computation.bit(*source, witness, &[]));
                format!("{name} = {value}, of the input")
            }
            Source::Witness(_) => {
                let value = digit(computation.bit(*source, witness, &[]));
                format!("{name} = {value}, of the witness")
            }
        };
        format!("{branch} {told}")
    };
    let mut lines: Vec<String> = sources.iter().enumerate().map(line).collect();
    lines.extend(readers(computation, step));
    lines
}

fn digit(bit: bool) -> &'static str {
    if bit { "1" } else { "0" }
}

/// The steps that read a step, in one line; `None` where there is none, or too many to look at.
fn readers(computation: &dyn Computation, step: u64) -> Option<String> {
    if computation.steps() > SEARCHED {
        return None;
    }
    let mut sources = Vec::new();
    let mut reads = |later: &u64| {
        computation.reads(*later, &mut sources);
        sources.contains(&Source::Step(step))
    };
    let mut found = (step + 1..computation.steps()).filter(|later| reads(later));
    let named: Vec<String> = found
        .by_ref()
        .take(READERS)
        .map(|later| computation.source_text(Source::Step(later)))
        .collect();
    let more = match found.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let name = computation.source_text(Source::Step(step));
    (!named.is_empty()).then(|| format!("{name} is read by {}{more}.", named.join(", ")))
}
