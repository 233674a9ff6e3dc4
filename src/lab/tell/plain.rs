//! A debate in lines of text: what happened, and the pending request with what there is to choose
//! from and what is at stake.
//!
//! Plain mode tells it so to a person, and another program in a seat reads the same.

use num_traits::Zero as _;

use super::{Narrator, Perspective, Script, WrittenStep, shortened};
use debate_core::number::{Exact, Number as _, percent, short, signed};
use debate_core::observe::Observation;
use debate_core::player::Seating;
use debate_core::protocol::{
    Ask, Bits, Event, Log, Reader, Reply, Request, Reward, Round, Rules, Seat, Turn,
};
use debate_core::scenario::Instance;
use debate_core::text::cardinal;

use super::transcript::paid;

/// Steps below a question, and the most that are shown at once.
const FIRST_STEPS: u64 = 8;
const MOST_STEPS: u64 = 100;
/// Variables that are named at most.
const NAMED: usize = 24;

/// An event as a line, with who did it; what goes on over several lines is set in. `None` where the
/// reader sees nothing of it.
pub fn plain_line(
    narrator: &Narrator<'_>,
    log: &Log<Exact>,
    index: usize,
    reader: Reader,
) -> Option<String> {
    let told = narrator.tell(log, index, reader)?;
    if let Some(Event::Rewarded(reward)) = log.entries().get(index).map(|entry| &entry.event) {
        let paid = paid(narrator, log, reward, None);
        return Some(match reward {
            Reward::Decided { .. } => paid,
            _ => format!("{paid} {}", told.text),
        });
    }
    let text = told.text.replace('\n', "\n     ");
    Some(match told.who {
        Some(seat) => format!("{} {text}", narrator.perspective.name(seat)),
        None => text,
    })
}

/// A debate whose pending request is put in lines.
#[derive(Clone, Copy)]
pub struct PlainQuestion<'q, 'a> {
    pub seating: &'q Seating<'a, Exact>,
    pub instance: &'q Instance,
    /// The reader of the question.
    pub reader: Reader,
    pub perspective: Perspective,
    /// True if the worth of replies is not told.
    pub blind: bool,
    /// True if a person types the reply; a program has it described as data.
    pub typed: bool,
}

/// Whether bits of this kind stand prepared, so that nobody has to give them all.
pub fn is_prepared(ask: Ask) -> bool {
    !matches!(ask, Ask::Proof(_) | Ask::Answers { .. })
}

/// What stands there for bits that are asked for: what the problem says, else zeros.
pub fn prepared_bits(seating: &Seating<'_, Exact>, request: &Request<Exact>) -> Bits {
    let Request::Bits { length, .. } = request else {
        return Bits::default();
    };
    let length = *length as usize;
    let prepared = seating.state().prepared();
    prepared
        .filter(|bits| bits.len() == length)
        .unwrap_or_else(|| Bits::zeros(length))
}

impl PlainQuestion<'_, '_> {
    fn narrator(&self) -> Narrator<'_> {
        Narrator::new(self.instance, Script::Unicode).seen_from(self.perspective)
    }

    /// The question to the seat that is asked, with what stands below it.
    pub fn lines(&self, turn: &Turn<Exact>) -> Vec<String> {
        let log = self.seating.log();
        let question = self.narrator().ask(turn, log);
        let who = match turn.seat {
            Seat::Judge => "the judge".to_owned(),
            seat => format!(
                "{}, the {}",
                seat.person(),
                self.seating.state().kind().title(seat)
            ),
        };
        let mut text = vec![format!("You are {who}. {}", question.text)];
        text.extend(Some(question.clauses).filter(|clauses| !clauses.is_empty()));
        text.extend(
            question
                .evidence
                .map(|evidence| format!("Evidence: {evidence}")),
        );
        if !self.reader.follows() && self.reader.sees_path() {
            text.extend(self.narrator().path(turn, log));
        }
        text.extend(self.options(&turn.request));
        text.extend(self.stake(&turn.request));
        text
    }

    /// Whether a seat may be told what its replies are worth: none in a blind debate, and no judge
    /// from whom something is kept that follows from it.
    pub fn tells_worth(&self, seat: Seat) -> bool {
        let mut log = self.seating.log().all_seen_by(self.reader);
        let keeps =
            !self.reader.follows() || log.any(|seen| matches!(seen, Observation::Sealed { .. }));
        !(self.blind || seat == Seat::Judge && keeps)
    }

    /// The worth of the reply.
    fn stake(&self, request: &Request<Exact>) -> Option<String> {
        let seating = self.seating;
        if let Request::Oracle { .. } = request {
            if !self.tells_worth(Seat::Judge) {
                return None;
            }
            let worth = |holds| {
                seating.immediate_reward(Reply::Oracle {
                    holds,
                    confidence: None,
                })
            };
            let (yes, no) = (worth(true)?, worth(false)?);
            if yes != no {
                let (yes, no) = (signed(yes.to_float(), 4), signed(no.to_float(), 4));
                return Some(format!("Worth to Alice: yes {yes}, no {no}."));
            }
            let mut log = seating.log().entries().iter();
            let bets = log.any(|entry| matches!(entry.event, Event::Betted { .. }));
            return bets.then(|| "Alice bets nothing: your answer moves no reward.".to_owned());
        }
        let round = seating.state().round()?;
        let schedule = seating.state().schedule();
        let paying = schedule.iter().filter(|(_, weight)| !weight.is_zero());
        let once = paying.count() == 1;
        // Where one round alone pays, that is what every reply is about.
        let mut here = schedule
            .iter()
            .filter(|(of, weight)| *of == round || once && !weight.is_zero());
        let weight = here.next_back()?.1.to_float();
        (weight > 0.0).then(|| {
            let when = match round {
                _ if once => "at the end".to_owned(),
                Round::Initial => "now".to_owned(),
                Round::Number(k) => {
                    let first = Round::first_of(&schedule).unwrap_or(k);
                    format!("in round {}", Round::counted(k, first))
                }
            };
            let so_far = if once {
                String::new()
            } else {
                let payoff = self.perspective.value(seating.state().payoff());
                let to = self.perspective.recipient();
                format!(" So far: {} to {to}.", signed(payoff.to_float(), 4))
            };
            format!("At stake {when}: {}.{so_far}", short(weight, 4))
        })
    }

    /// The choices, one line each.
    fn options(&self, request: &Request<Exact>) -> Vec<String> {
        let narrator = self.narrator();
        match request {
            Request::Support { claim, offered } => {
                let numbered = |n: u32| format!("  {}. {}", n + 1, narrator.support(*claim, n));
                let mut lines: Vec<String> = (0..*offered).map(numbered).collect();
                if let (true, Some(most)) = (self.typed, self.instance.composing(*claim)) {
                    let most = cardinal(most);
                    lines.push(format!(
                        "  In your own words, up to {most} subclaims: all: first; second"
                    ));
                }
                lines
            }
            Request::Select { .. } => {
                let mut lines = self.subclaims();
                let beside = narrator.parts_context(self.seating.log());
                lines.extend(beside.into_iter().map(|line| format!("  {line}")));
                lines
            }
            Request::Challenge { steps, .. } if steps.end - steps.start == 1 => {
                let typed = "  yes to have it checked, or none to go on.".to_owned();
                self.typed.then_some(typed).into_iter().collect()
            }
            Request::Challenge { steps, .. } => {
                let few = (steps.end - steps.start).min(FIRST_STEPS);
                let mut lines = self.steps(steps.start, steps.start + few.saturating_sub(1));
                if steps.start + few < steps.end {
                    let more = if self.typed {
                        " (show 17..25 shows such steps)"
                    } else {
                        ""
                    };
                    lines.push(format!("  …{more}"));
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
            Request::Bits { ask, .. } if is_prepared(*ask) => self.bits(*ask, request),
            Request::Probability { .. } if self.typed => {
                vec!["  In percent from 0 to 100, or as a fraction such as 1/3.".to_owned()]
            }
            _ => Vec::new(),
        }
    }

    /// The bits that stand prepared, in short, and what can be done with them.
    fn bits(&self, ask: Ask, request: &Request<Exact>) -> Vec<String> {
        let prepared = prepared_bits(self.seating, request);
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
        if self.typed {
            lines.push(
                "Enter alone sends them; or type all bits, or the places to turn around, such as \
                 flip 0 3."
                    .to_owned(),
            );
        }
        lines
    }

    /// Steps of the computation under discussion, each with what was written and what it reads.
    pub fn steps(&self, first: u64, last: u64) -> Vec<String> {
        let Some(computed) = self.seating.state().transcript() else {
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
        let Some(computed) = self.seating.state().transcript() else {
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
        let log = self.seating.log();
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
