//! Words for computations: bits given, steps pointed at, what the verifier reads and checks.

use debate_core::bits::Bits;
use debate_core::number::{Number, percent, short};
use debate_core::protocol::{Ask, Check, Event, Kind, Log, LogEntry, Reward, Seat};
use debate_core::scenario::{ClaimId, Source};
use debate_core::text::{counted, shortened_around};

use super::{Narrator, WrittenStep, grouped, shortened};

/// Longer meanings of a configuration are shortened.
const MEANING: usize = 160;

/// The lesson of a debate that is over: where a verifier decided and no coin fell,
/// what the rules promise; else that one debate proves nothing.
pub fn moral<N>(log: &Log<N>, kind: Kind) -> String {
    let any = |what: fn(&Event<N>) -> bool| log.entries().iter().any(|entry| what(&entry.event));
    let decided = any(|event| matches!(event, Event::Rewarded(Reward::Decided { .. })));
    let chance = any(|event| {
        matches!(
            event,
            Event::Tossed { .. } | Event::Sampled { .. } | Event::Shared { .. }
        )
    });
    if decided && !chance {
        return format!("Under these rules: {}.", kind.introduction().guarantee);
    }
    "One debate proves nothing, the average does; the payoff is a training signal, not a verdict."
        .to_owned()
}

/// A sentence on how many samples were 1.
fn sampled(ones: u64, count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for reading")]
    let mean = ones as f64 / count.max(1) as f64;
    let say = if ones == 1 { "says" } else { "say" };
    format!(
        "Of {} answers, {} {say} yes: {}",
        grouped(count),
        grouped(ones),
        percent(mean)
    )
}

/// The bits given last before an entry of the log.
fn given<N>(log: &Log<N>, index: usize, wanted: Ask) -> Option<&Bits> {
    let before = log.entries().get(..index)?.iter().rev();
    let mut found = before.filter_map(|entry| match &entry.event {
        Event::Gave { ask, bits } if *ask == wanted => Some(bits),
        _ => None,
    });
    found.next()
}

/// More parts than this are not named one by one.
const LISTED_PARTS: usize = 4;

/// More bits that are read at once are told together.
const READ_SINGLY: usize = 8;

/// The place of the sentence that tells of several bits read in one go.
enum GroupedReads {
    /// At this event, in these words.
    Here(String),
    /// At the first of them, an earlier event.
    There,
}

impl Narrator<'_> {
    /// An event of a computation in words; `None` where there is nothing to tell.
    pub(super) fn step_event<N: Number>(
        &self,
        log: &Log<N>,
        index: usize,
        seat: Seat,
        event: &Event<N>,
    ) -> Option<String> {
        let gives = self.perspective.verb(seat, "gives", "give");
        Some(match event {
            Event::Gave { ask, bits } => self.gave(seat, *ask, bits),
            Event::Shared { share, .. } => {
                format!("{gives} {} for the coin", short(share.to_float(), 4))
            }
            Event::Challenged { step, verifier } => {
                self.challenged(log, index, seat, (*step, *verifier))
            }
            // A claim that comes down to itself is no news.
            Event::Parts { claim, on } if on[..] == [*claim] => return None,
            Event::Parts { claim, on } if on.last() == Some(claim) => self.steps_to(on)?,
            Event::Parts { on, .. } => self.parts(on)?,
            Event::Read {
                source,
                value,
                verifier,
            } => match self.grouped_reads(log, index) {
                Some(GroupedReads::There) => return None,
                Some(GroupedReads::Here(told)) => told,
                None => format!(
                    "The verifier reads {} = {}",
                    self.source(*source, *verifier),
                    u8::from(*value)
                ),
            },
            Event::Sampled { ones, count, .. } => sampled(*ones, *count),
            Event::Checked {
                check: Check::WellFormed { .. },
                holds: true,
            } => self.well_formed(log, index)?,
            Event::Checked { check, holds } => self.checked(log, *check, *holds),
            _ => return None,
        })
    }

    /// Configurations that are found well formed one after the other, told at the last of them;
    /// `None` at those before.
    fn well_formed<N>(&self, log: &Log<N>, index: usize) -> Option<String> {
        let holds = |entry: &LogEntry<N>| {
            matches!(
                entry.event,
                Event::Checked {
                    check: Check::WellFormed { .. },
                    holds: true
                }
            )
        };
        let entries = log.entries();
        if entries.get(index + 1).is_some_and(holds) {
            return None;
        }
        let before = entries.get(..=index)?.iter().rev();
        let prover = self.perspective.within(Seat::Prover);
        Some(match before.take_while(|entry| holds(entry)).count() {
            0 | 1 => format!("What {prover} gave is a configuration of the machine"),
            count => format!(
                "All {} that {prover} gave are configurations of the machine",
                grouped(count as u64)
            ),
        })
    }

    /// Many bits that are read for one step, told in one sentence at the first of them. `None`
    /// where each is told on its own.
    fn grouped_reads<N>(&self, log: &Log<N>, index: usize) -> Option<GroupedReads> {
        let is_read = |entry: &&LogEntry<N>| matches!(entry.event, Event::Read { .. });
        let (before, after) = log.entries().split_at_checked(index)?;
        let earlier = before.iter().rev().take_while(is_read).count();
        let count = earlier + after.iter().take_while(is_read).count();
        let asked = before.get(..index - earlier)?.iter().rev();
        let mut asked = asked.filter_map(|entry| match entry.event {
            Event::Challenged { step, verifier } => Some((step, verifier)),
            _ => None,
        });
        let (step, false) = asked.next()? else {
            return None;
        };
        if count <= READ_SINGLY {
            return None;
        }
        // Pointing at nothing is pointing at the output.
        let last = || Some(self.instance.computation()?.steps().saturating_sub(1));
        let step = step.or_else(last)?;
        let written = self.written(log, index, step)?;
        if earlier > 0 {
            return Some(GroupedReads::There);
        }
        let (value, read) = (written.digit(), written.read());
        let bits = counted(count, "bit", "bits");
        let told = format!("The verifier reads {bits}: step {step} = {value}; {read}");
        Some(GroupedReads::Here(told))
    }

    /// The name of requested bits.
    pub fn what(&self, ask: Ask) -> String {
        match ask {
            Ask::Proof(bit) => format!("proof bit {}", self.instance.bit_name(bit)),
            Ask::Answers { .. } => "answers".to_owned(),
            Ask::Configuration { time: 0 } => "the configuration at the start".to_owned(),
            Ask::Configuration { time } => {
                format!("the configuration after {}", counted(time, "step", "steps"))
            }
            Ask::Witness => "the witness".to_owned(),
            Ask::Transcript { verifier: false } => "what every step writes".to_owned(),
            Ask::Transcript { verifier: true } => {
                "what every step of the verifier writes".to_owned()
            }
            Ask::Block { claim, .. } => self.instance.short_text(claim),
        }
    }

    fn gave(&self, seat: Seat, ask: Ask, bits: &Bits) -> String {
        let does = |third, second| self.perspective.verb(seat, third, second);
        let meaning = match ask {
            Ask::Configuration { .. } => self.configuration(bits),
            Ask::Witness => {
                let computation = self.instance.computation();
                computation.and_then(|computation| computation.witness_text(bits))
            }
            Ask::Block { block, .. } => {
                let formula = self.instance.formula();
                let number = usize::try_from(block).unwrap_or(usize::MAX);
                let values = formula.and_then(|formula| formula.values_text(number, bits));
                if let Some(values) = values {
                    return format!("{} {values}", does("chooses", "choose"));
                }
                None
            }
            _ => None,
        };
        let bits = meaning.unwrap_or_else(|| shortened(bits));
        format!("{} {}: {bits}", does("gives", "give"), self.what(ask))
    }

    /// A configuration in words and signs, where the problem is a run of a machine.
    pub fn configuration(&self, bits: &Bits) -> Option<String> {
        let run = self.instance.run()?;
        if !run.is_well_formed(bits) {
            return Some(format!("{}, which is no configuration", shortened(bits)));
        }
        Some(shortened_around(&run.text(bits), '[', MEANING))
    }

    /// The parts of a claim, where they take no more than a line or two.
    fn parts(&self, on: &[ClaimId]) -> Option<String> {
        Some(match on {
            [only] => format!("It comes down to {}", self.brief(*only)),
            _ => format!("It falls into {}", self.listed("parts", on)?),
        })
    }

    /// The steps by which a claim is reached, itself the last of them.
    fn steps_to(&self, on: &[ClaimId]) -> Option<String> {
        Some(format!("There are {}", self.listed("steps", on)?))
    }

    /// The number of claims, and each of them, or the first and the last.
    fn listed(&self, what: &str, on: &[ClaimId]) -> Option<String> {
        let (first, last) = (on.first()?, on.last()?);
        let count = grouped(on.len() as u64);
        if on.len() <= LISTED_PARTS {
            let each: Vec<String> = on.iter().map(|part| self.brief(*part)).collect();
            return Some(format!("{count} {what}: {}", each.join("; ")));
        }
        let (first, last) = (self.brief(*first), self.brief(*last));
        Some(format!("{count} {what}, from {first} to {last}"))
    }

    fn challenged<N>(
        &self,
        log: &Log<N>,
        index: usize,
        seat: Seat,
        (step, verifier): (Option<u64>, bool),
    ) -> String {
        let does = |third, second| self.perspective.verb(seat, third, second);
        let points = does("points", "point");
        let before = log.entries().get(index.wrapping_sub(1));
        let disputes = before.is_some_and(|entry| matches!(entry.event, Event::Supported { .. }));
        match (step, verifier) {
            (Some(_), _) if disputes => {
                let what = "that the claim follows from these";
                format!("{} {what}", does("disputes", "dispute"))
            }
            (None, _) if disputes => format!("{} the step stand", does("lets", "let")),
            (None, _) if log.transcript_given().is_none() => {
                format!("{} it stand", does("lets", "let"))
            }
            (Some(_), false) if log.transcript_given().is_none() => {
                format!("{} it checked", does("has", "have"))
            }
            (None, _) => format!("{points} at nothing"),
            (Some(step), false) => match self.written(log, index, step) {
                Some(written) => format!("{points} at {}", written.sentence(self.perspective)),
                None => format!("{points} at {}", self.step(step, verifier)),
            },
            (Some(step), true) => {
                let wrote = given(log, index, Ask::Transcript { verifier })
                    .and_then(|bits| bits.at(step))
                    .map_or_else(String::new, |bit| {
                        let prover = self.perspective.within(Seat::Prover);
                        format!(", where {prover} wrote {}", u8::from(bit))
                    });
                format!("{points} at {}{wrote}", self.step(step, verifier))
            }
        }
    }

    /// A step of the transcript that was given before an entry of the log.
    fn written<N>(&self, log: &Log<N>, index: usize, step: u64) -> Option<WrittenStep> {
        let computation = self.instance.computation()?;
        let transcript = given(log, index, Ask::Transcript { verifier: false })?;
        let none = Bits::default();
        let witness = given(log, index, Ask::Witness).unwrap_or(&none);
        Some(WrittenStep::of(&*computation, witness, step, |step| {
            transcript.at(step)
        }))
    }

    /// A step in words.
    fn step(&self, step: u64, verifier: bool) -> String {
        if verifier {
            // The verifier of a formula's game computes its matrix.
            return match self.instance.formula() {
                Some(formula) => format!("step {step} ({})", formula.step_text(step)),
                None => format!("step {step} of the verifier"),
            };
        }
        if let Some(computation) = self.instance.computation() {
            let text = computation.step_text(step);
            return format!("step {step} ({text})");
        }
        format!("step {step}")
    }

    /// True if a step asks the oracle.
    fn is_asked(&self, step: u64) -> bool {
        let computation = self.instance.computation();
        computation.is_some_and(|computation| {
            WrittenStep::of(&*computation, &Bits::default(), step, |_| None).asked
        })
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

    /// The finding of a check of the verifier, as a sentence without a full stop.
    pub fn checked<N: Number>(&self, log: &Log<N>, check: Check, holds: bool) -> String {
        let prover = self.perspective.within(Seat::Prover);
        let (yes, no) = match check {
            Check::Output if log.transcript_given().is_none() => (
                "The last step came out true".to_owned(),
                "The last step came out false".to_owned(),
            ),
            Check::WellFormed { time } => (
                format!(
                    "What {prover} gave is, after {}, a configuration",
                    counted(time, "step", "steps")
                ),
                format!(
                    "What {prover} gave for {} is no configuration of the machine",
                    counted(time, "step", "steps")
                ),
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
                let asked = !verifier && self.is_asked(step);
                let step = capital(&self.step(step, verifier));
                if asked {
                    let is = if holds { "is" } else { "is not" };
                    return format!("{step} {is} as {}", self.judge_says());
                }
                (
                    format!("{step} follows from what it reads"),
                    format!("{step} does not follow from what it reads"),
                )
            }
            Check::Output => ("The output is 1".to_owned(), "The output is 0".to_owned()),
            Check::Estimate { .. } => {
                let said = log
                    .last_estimate()
                    .map_or_else(String::new, |p| percent(p.to_float()));
                let whose = capital(self.perspective.whose(Seat::Prover));
                (
                    format!("{whose} {said} is near enough"),
                    format!("{whose} {said} is too far off"),
                )
            }
            Check::Matrix => (
                "The matrix holds".to_owned(),
                "The matrix does not hold".to_owned(),
            ),
        };
        if holds { yes } else { no }
    }

    /// Why a reward was what it was, in words: where a verifier decided, what it found.
    pub fn why<N: Number>(&self, reward: &Reward<N>, log: &Log<N>) -> String {
        let because = self.because(reward);
        let found = match reward {
            Reward::Decided { .. } => self.verdict(log),
            _ => None,
        };
        match found {
            Some(found) => format!("{because}, since {found}"),
            None => because,
        }
    }

    /// Why the verifier decided as it did, from the check that settled it or else from what it
    /// read last: a clause without a full stop. `None` where it did neither.
    pub fn verdict<N: Number>(&self, log: &Log<N>) -> Option<String> {
        let checks = log.entries().iter();
        let checks = checks.filter_map(|entry| match entry.event {
            Event::Checked { check, holds } => Some((check, holds)),
            _ => None,
        });
        // The first check that fails settles it; where all hold, the last one does.
        let settled = checks.fold(None, |settled, check| match settled {
            Some((_, false)) => settled,
            _ => Some(check),
        });
        if let Some((check, holds)) = settled {
            return Some(small(&self.checked(log, check, holds)));
        }
        let mut backwards = log.entries().iter().rev();
        backwards.find_map(|entry| match entry.event {
            Event::Read {
                source,
                value,
                verifier,
            } => {
                let source = self.source(source, verifier);
                Some(format!("the verifier reads {source} = {}", u8::from(value)))
            }
            _ => None,
        })
    }
}

/// With its first letter large.
fn capital(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + rest.as_str()
}

/// With its first letter small, where it begins no name.
fn small(text: &str) -> String {
    if text.starts_with("Alice") {
        return text.to_owned();
    }
    let mut rest = text.chars();
    let first = rest.next().map(|c| c.to_lowercase().to_string());
    first.unwrap_or_default() + rest.as_str()
}
