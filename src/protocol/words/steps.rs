//! Words for computations: bits given, steps pointed at, what the verifier reads and checks.

use std::ops::Range;

use super::{Ask, ClaimId, Event, Log, Question, Request, Teller};
use crate::bits::Bits;
use crate::number::{Number, percent, short};
use crate::protocol::Check;
use crate::scenario::Source;

/// Longer strings of bits are shortened.
const SHOWN: usize = 48;

/// Bits as they are shown: all of them, or the first and the last and how many there are.
#[must_use]
pub fn shortened(bits: &Bits) -> String {
    let slice = bits.as_slice();
    let text = |part: &[bool]| {
        part.iter()
            .map(|bit| if *bit { '1' } else { '0' })
            .collect::<String>()
    };
    if slice.len() <= SHOWN {
        return text(slice);
    }
    let (head, tail) = (
        slice.get(..SHOWN / 2).unwrap_or_default(),
        slice.get(slice.len() - SHOWN / 4..).unwrap_or_default(),
    );
    format!("{}…{} ({} bits)", text(head), text(tail), slice.len())
}

/// How many samples were 1.
fn sampled(ones: u64, count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for reading")]
    let mean = ones as f64 / count.max(1) as f64;
    format!("Of {count} samples {ones} are yes: {}", percent(mean))
}

/// Whether the claim under discussion fell into parts that no support offers.
pub(super) fn parted<N>(log: &Log<N>) -> bool {
    let mut backwards = log.entries().iter().rev();
    backwards
        .find_map(|entry| match entry.event {
            Event::Parts { .. } => Some(true),
            Event::Supported { .. } => Some(false),
            _ => None,
        })
        .unwrap_or(false)
}

impl Teller<'_> {
    /// What happened in a computation; `None` where there is nothing to tell.
    pub(super) fn step_event<N: Number>(&self, event: &Event<N>) -> Option<String> {
        Some(match event {
            Event::Gave { ask, bits } => self.gave(*ask, bits),
            Event::Shared { share, .. } => {
                format!("gives {} for the coin", short(share.to_float(), 4))
            }
            Event::Challenged { step, verifier } => self.challenged(*step, *verifier),
            Event::Read {
                source,
                value,
                verifier,
            } => format!(
                "The verifier reads {} = {}",
                self.source(*source, *verifier),
                u8::from(*value)
            ),
            Event::Sampled { ones, count, .. } => sampled(*ones, *count),
            Event::Checked { check, holds } => self.checked(*check, *holds),
            _ => return None,
        })
    }

    /// What is asked in a computation.
    pub(super) fn ask_step<N>(&self, request: &Request<N>) -> Question {
        let plain = |title, text: String| Question {
            title,
            text,
            evidence: None,
        };
        match request {
            Request::Bits { ask, length } => self.ask_bits(*ask, *length),
            Request::Challenge { claim, steps } => self.ask_challenge(*claim, steps),
            Request::Share { claim } => plain(
                "Your number",
                format!(
                    "Give a number from 0 to 1 for the coin of {}. The other side gives one \
                     too, unseen; their sum decides, so draw yours evenly.",
                    self.quoted(*claim)
                ),
            ),
            _ => plain("", String::new()),
        }
    }

    /// What bits are, in words.
    fn what(&self, ask: Ask) -> String {
        match ask {
            Ask::Proof(bit) => format!("proof bit {}", self.instance.bit_name(bit)),
            Ask::Answers { .. } => "answers".to_owned(),
            Ask::Configuration { time: 0 } => "the configuration at the start".to_owned(),
            Ask::Configuration { time: 1 } => "the configuration after 1 step".to_owned(),
            Ask::Configuration { time } => format!("the configuration after {time} steps"),
            Ask::Witness => "the witness".to_owned(),
            Ask::Transcript { verifier: false } => "what every step writes".to_owned(),
            Ask::Transcript { verifier: true } => {
                "what every step of the verifier writes".to_owned()
            }
            Ask::Block { claim, .. } => self.instance.short_text(claim),
        }
    }

    fn gave(&self, ask: Ask, bits: &Bits) -> String {
        let meaning = match ask {
            Ask::Configuration { .. } => self.instance.run().map(|run| run.text(bits)),
            Ask::Block { block, .. } => {
                let formula = self.instance.formula();
                let number = usize::try_from(block).unwrap_or(usize::MAX);
                let values = formula.and_then(|formula| formula.values_text(number, bits));
                if let Some(values) = values {
                    return format!("chooses {values}");
                }
                None
            }
            _ => None,
        };
        let bits = meaning.unwrap_or_else(|| shortened(bits));
        format!("gives {}: {bits}", self.what(ask))
    }

    fn ask_bits(&self, ask: Ask, length: u32) -> Question {
        let (title, text) = match ask {
            Ask::Configuration { .. } => (
                "Your configuration",
                format!("What is {}, in {length} bits?", self.what(ask)),
            ),
            Ask::Witness => (
                "Your witness",
                format!("Give a witness of {length} bits that the claim is true."),
            ),
            Ask::Block { .. } => (
                "Your values",
                format!("Choose the values of {}.", self.what(ask)),
            ),
            _ => (
                "Your transcript",
                format!("Write down {}: {length} bits.", self.what(ask)),
            ),
        };
        let evidence = match ask {
            Ask::Block { claim, .. } => self.instance.evidence(claim),
            _ => None,
        };
        Question {
            title,
            text,
            evidence,
        }
    }

    fn ask_challenge(&self, claim: ClaimId, steps: &Range<u64>) -> Question {
        let is_process = self.instance.process().is_some();
        let text = if is_process && steps.end - steps.start == 1 {
            format!(
                "Is Alice's probability for {} so wrong that the verifier should check it?",
                self.brief(claim)
            )
        } else {
            format!(
                "Alice wrote down {} steps for {}. Point at one that does not follow from what \
                 it reads, or at none.",
                steps.end - steps.start,
                self.brief(claim)
            )
        };
        Question {
            title: "Your challenge",
            text,
            evidence: None,
        }
    }

    fn challenged(&self, step: Option<u64>, verifier: bool) -> String {
        match step {
            None => "points at nothing".to_owned(),
            Some(step) => format!("points at {}", self.step(step, verifier)),
        }
    }

    /// A step in words.
    fn step(&self, step: u64, verifier: bool) -> String {
        if verifier {
            // The verifier of a formula's game computes its matrix.
            return match self.instance.formula() {
                Some(formula) => format!("step {step}: {}", formula.step_text(step)),
                None => format!("step {step} of the verifier"),
            };
        }
        if let Some(computation) = self.instance.computation() {
            let text = computation.step_text(step);
            return format!("step {step}: {text}");
        }
        format!("step {step}")
    }

    /// A bit that is read, in words.
    fn source(&self, source: Source, verifier: bool) -> String {
        if let (Source::Input(place), Some(formula)) = (source, self.instance.formula()) {
            return formula.name(u32::try_from(place).unwrap_or(u32::MAX));
        }
        match (source, verifier, self.instance.computation()) {
            (Source::Input(place), true, _) => format!("bit {place} of the debate"),
            (Source::Step(step), true, _) => format!("step {step} of the verifier"),
            (source, _, Some(computation)) => computation.source_text(source),
            (Source::Input(place), ..) => format!("x{place}"),
            (Source::Witness(place), ..) => format!("w{place}"),
            (Source::Step(step), ..) => format!("step {step}"),
        }
    }

    fn checked(&self, check: Check, holds: bool) -> String {
        let (yes, no) = match check {
            Check::WellFormed { time } => (
                format!("What was given for time {time} is a configuration"),
                format!("What was given for time {time} is no configuration"),
            ),
            Check::Start => (
                "The first configuration is the machine's start".to_owned(),
                "The first configuration is not the machine's start".to_owned(),
            ),
            Check::Accepts => (
                "The last configuration accepts".to_owned(),
                "The last configuration does not accept".to_owned(),
            ),
            Check::Follows { time } => (
                format!("Step {} follows from the one before", time + 1),
                format!("Step {} does not follow from the one before", time + 1),
            ),
            Check::Step { step, verifier } => {
                let step = self.step(step, verifier);
                (
                    format!("It follows from what it reads ({step})"),
                    format!("It does not follow from what it reads ({step})"),
                )
            }
            Check::Output => ("The output is 1".to_owned(), "The output is 0".to_owned()),
            Check::Estimate { .. } => (
                "Alice's probability lies near enough".to_owned(),
                "Alice's probability is too far off".to_owned(),
            ),
            Check::Matrix => (
                "The matrix holds".to_owned(),
                "The matrix does not hold".to_owned(),
            ),
        };
        if holds { yes } else { no }
    }
}
