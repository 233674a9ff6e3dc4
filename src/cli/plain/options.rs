//! What stands below a question in plain lines: the choices, the bits as prepared, the steps.

use std::io::Write;

use super::super::replies;
use super::PlainDebate;
use debate_core::number::{Exact, Number as _, percent};
use debate_core::protocol::words::{Narrator, WrittenStep, shortened};
use debate_core::protocol::{Ask, Bits, Event, Request, Rules, Seat};
use debate_core::text::cardinal;

/// How many steps stand below a question, and how many are shown at once.
const FIRST_STEPS: u64 = 8;
const MOST_STEPS: u64 = 100;
/// How many variables are named.
const NAMED: usize = 24;

impl<O: Write, T: Fn(Seat) -> &'static str> PlainDebate<'_, '_, O, T> {
    /// What there is to choose from, one line each.
    pub(super) fn options(&self, request: &Request<Exact>) -> Vec<String> {
        let narrator = self.narrator();
        match request {
            Request::Support { claim, offered } => {
                let numbered = |n: u32| format!("  {}. {}", n + 1, narrator.support(*claim, n));
                let mut lines: Vec<String> = (0..*offered).map(numbered).collect();
                if let Some(most) = self.instance.composing(*claim) {
                    let most = cardinal(most);
                    lines.push(format!(
                        "  In your own words, up to {most} subclaims: all: first; second"
                    ));
                }
                lines
            }
            Request::Select { .. } => {
                let mut lines = self.subclaims();
                let beside = narrator.parts_context(self.session.seating().log());
                lines.extend(beside.into_iter().map(|line| format!("  {line}")));
                lines
            }
            Request::Challenge { steps, .. } if steps.end - steps.start == 1 => Vec::new(),
            Request::Challenge { steps, .. } => {
                let few = (steps.end - steps.start).min(FIRST_STEPS);
                let mut lines = self.steps(steps.start, steps.start + few.saturating_sub(1));
                if steps.start + few < steps.end {
                    lines.push("  … (show 17..25 shows such steps)".to_owned());
                }
                lines
            }
            Request::Bits {
                ask: Ask::Answers { claim, support, .. },
                ..
            } => {
                let chosen = self.instance.support(*claim, *support);
                let texts = chosen.into_iter().flat_map(|support| &support.on);
                texts
                    .enumerate()
                    .map(|(n, y)| format!("  {}. {}", n + 1, self.instance.text(*y)))
                    .collect()
            }
            Request::Bits { ask, .. } if replies::is_prepared(*ask) => self.bits(*ask, request),
            Request::Probability { .. } => {
                vec!["  In percent from 0 to 100, or as a fraction such as 1/3.".to_owned()]
            }
            _ => Vec::new(),
        }
    }

    /// What stands there for bits that are asked for: what the problem says, else zeros.
    pub(super) fn prepared(&self, request: &Request<Exact>) -> Bits {
        let Request::Bits { length, .. } = request else {
            return Bits::default();
        };
        let length = *length as usize;
        let prepared = self.session.seating().state().prepared();
        prepared
            .filter(|bits| bits.len() == length)
            .unwrap_or_else(|| Bits::zeros(length))
    }

    /// The bits that stand prepared, in short, and what can be done with them.
    fn bits(&self, ask: Ask, request: &Request<Exact>) -> Vec<String> {
        let prepared = self.prepared(request);
        let mut lines = vec![format!("  Prepared: {}", shortened(&prepared))];
        if let Ask::Configuration { .. } = ask {
            let text = self.narrator().configuration(&prepared);
            lines.extend(text.map(|text| format!("  That says: {text}")));
        }
        if let Ask::Transcript { .. } = ask {
            lines.extend(self.unwritten());
        }
        if let (Ask::Block { block, .. }, Some(formula)) = (ask, self.instance.formula())
            && let Some(block) = formula.blocks().get(block as usize)
        {
            let names = block.variables.iter().take(NAMED);
            let letter = block.quantifier.letter();
            let names: Vec<String> = names.map(|name| format!("{letter}{name}")).collect();
            let more = if block.variables.len() > NAMED {
                " …"
            } else {
                ""
            };
            lines.push(format!("  They are, in order: {}{more}", names.join(" ")));
        }
        lines.push(
            "Enter alone sends them; or type all bits, or the places to turn around, such as \
             flip 0 3."
                .to_owned(),
        );
        lines
    }

    /// Steps of the computation under discussion, each with what was written and what it reads.
    pub(super) fn steps(&self, first: u64, last: u64) -> Vec<String> {
        let Some(computed) = self.session.seating().state().transcript() else {
            return vec!["There are no steps to show here.".to_owned()];
        };
        let count = computed.computation.steps();
        if first >= count {
            return vec![format!(
                "There is no step {first}: the last is {}.",
                count - 1
            )];
        }
        let last = last.min(count - 1).min(first + MOST_STEPS - 1);
        let steps = (first..=last).map(|step| WrittenStep::on(&computed, step));
        let lines = steps.flat_map(|written| {
            let text = evidence_of(&written);
            std::iter::once(format!("  {}", written.sentence(self.perspective))).chain(text)
        });
        lines.collect()
    }

    /// The first steps of the computation that is to be written down.
    fn unwritten(&self) -> Vec<String> {
        let Some(computed) = self.session.seating().state().transcript() else {
            return Vec::new();
        };
        let steps = 0..computed.computation.steps().min(FIRST_STEPS);
        let lines = steps.flat_map(|step| {
            let written = WrittenStep::on(&computed, step);
            let text = evidence_of(&written);
            std::iter::once(format!("  step {step}: {}", written.text)).chain(text)
        });
        lines.collect()
    }

    /// The subclaims of this round, with what was said of each.
    fn subclaims(&self) -> Vec<String> {
        let log = self.session.seating().log();
        let start = log
            .entries()
            .iter()
            .rposition(|entry| matches!(entry.event, Event::Supported { .. } | Event::Parts { .. }))
            .unwrap_or(0);
        let mut lines: Vec<String> = Vec::new();
        let first = log.entries().get(start).map(|entry| &entry.event);
        let parted = matches!(first, Some(Event::Parts { .. }));
        for entry in log.entries().iter().skip(start) {
            match &entry.event {
                Event::Parts { on, .. } => {
                    let texts = on.iter().map(|part| self.instance.text(*part));
                    let numbered = texts.enumerate();
                    lines.extend(numbered.map(|(n, text)| format!("  {}. {text}", n + 1)));
                }
                Event::Estimated {
                    claim,
                    alone: false,
                    p,
                    ..
                } if !parted => {
                    let text = self.instance.short_text(*claim);
                    let p = percent(p.to_float());
                    lines.push(format!("  {}. {text}: {p}", lines.len() + 1));
                }
                Event::Tossed { value, .. } => {
                    if let Some(line) = lines.last_mut() {
                        line.push_str(if *value {
                            ", came out true"
                        } else {
                            ", came out false"
                        });
                    }
                }
                Event::Claimed {
                    claim,
                    support,
                    answers,
                } => {
                    let chosen = self.instance.support(*claim, *support);
                    let on = chosen.into_iter().flat_map(|support| &support.on);
                    for (y, answer) in on.zip(answers.as_slice()) {
                        let text = self.instance.short_text(*y);
                        let answer = Narrator::truth(*answer);
                        lines.push(format!("  {}. {text}: claimed {answer}", lines.len() + 1));
                    }
                }
                _ => {}
            }
        }
        lines
    }
}

/// What there is to read for whoever answers a step's question.
fn evidence_of(written: &WrittenStep) -> Option<String> {
    let text = written.evidence.as_ref()?.replace('\n', "\n    ");
    Some(format!("    A judge would read: {text}"))
}
