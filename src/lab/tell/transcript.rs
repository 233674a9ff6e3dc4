//! The transcript: every event of the log, told when it is seen.

use num_traits::{Signed, Zero};

use super::{Amounts, Narrator, Script, grouped};
use debate_core::number::{Exact, Number, signed};
use debate_core::observe::Observation;
use debate_core::protocol::{Event, Log, Reward};

use super::{Line, ReplyMark, Role, Viewpoint, seat_role};

/// The log of a debate, entry by entry.
#[derive(Clone, Debug)]
pub struct TranscriptView<'s, 'a> {
    pub view: Viewpoint<'s, 'a>,
    /// Remarks on people's replies, in the order of the log.
    pub marks: &'s [ReplyMark],
    pub script: Script,
    /// True on a screen, which tells payoffs in points; else as the rules and all files have them.
    pub in_points: bool,
}

/// True if a round begins with this entry.
pub fn starts_round(log: &Log<Exact>, number: usize) -> bool {
    let entry = log.entries().get(number);
    number == 0 || entry.is_some_and(|entry| matches!(entry.event, Event::Entered { .. }))
}

/// An answer of the judge that only repeats the one before.
enum RepeatedAnswer {
    /// More of them follow.
    Between,
    /// The last of so many.
    Last(usize),
}

/// Tells an answer of the judge that repeats the one before, about the same claim.
fn repeated_answer(log: &Log<Exact>, number: usize) -> Option<RepeatedAnswer> {
    let judged = |number: usize| match &log.entries().get(number)?.event {
        Event::Judged {
            claim,
            answer,
            confidence: None,
        } => Some((*claim, *answer)),
        _ => None,
    };
    let here = Some(judged(number)?);
    if judged(number.checked_sub(1)?) != here {
        return None;
    }
    if judged(number + 1) == here {
        return Some(RepeatedAnswer::Between);
    }
    let before = (0..number).rev().take_while(|n| judged(*n) == here);
    Some(RepeatedAnswer::Last(before.count()))
}

impl TranscriptView<'_, '_> {
    fn points(&self) -> Amounts {
        self.view.amounts().in_script(self.script)
    }

    /// The event in words, without the speaker.
    pub fn text(&self, number: usize) -> String {
        let view = &self.view;
        let narrator = view.narrator(self.script);
        let told = narrator.tell(view.log, number, view.reader);
        let told = told.map(|told| told.text).unwrap_or_default();
        match view.log.seen_by(number, view.reader) {
            Some(Observation::Open(entry)) => match &entry.event {
                // A decision has no formula but itself.
                Event::Rewarded(reward @ Reward::Decided { .. }) => {
                    paid(&narrator, view.log, reward, None)
                }
                Event::Rewarded(reward) => paid(&narrator, view.log, reward, None) + "\n" + &told,
                _ => told,
            },
            _ => told,
        }
    }

    /// The event with its speaker, as one line.
    pub fn line(&self, number: usize) -> String {
        let view = &self.view;
        let narrator = view.narrator(self.script);
        let who = narrator
            .tell(view.log, number, view.reader)
            .and_then(|told| told.who)
            .map_or_else(String::new, |seat| {
                format!("{}: ", view.perspective.name(seat))
            });
        format!("{who}{}", self.text(number).replace('\n', " "))
    }

    /// The event with its speaker; a silent entry where it has no text.
    pub fn entry(&self, number: usize) -> Line {
        let view = &self.view;
        let narrator = view.narrator(self.script);
        let Some(told) = narrator.tell(view.log, number, view.reader) else {
            return Line::silent();
        };
        let Some(seen) = view.log.seen_by(number, view.reader) else {
            return Line::silent();
        };
        // Of the same answers in a row the first is told, and at the last how many more came.
        match repeated_answer(view.log, number) {
            Some(RepeatedAnswer::Between) => return Line::silent(),
            Some(RepeatedAnswer::Last(more @ 2..)) => {
                let text = format!("{} more answered alike", grouped(more as u64));
                return Line::default().then(Role::Faint, text);
            }
            _ => {}
        }
        let label = told.who.map_or("", |seat| view.perspective.name(seat));
        let entry = Line {
            label: label.to_owned(),
            label_role: told.who.map(seat_role),
            ..Line::default()
        };
        let Observation::Open(open) = seen else {
            return entry.then(Role::Faint, told.text);
        };
        // A round is a paragraph of its own.
        let silent = |next: &usize| narrator.tell(view.log, *next, view.reader).is_none();
        let last = view.log.entries().len();
        let next = (number + 1..last).find(|next| !silent(next));
        let next = next.and_then(|next| view.log.entries().get(next));
        let gap = match next.map(|next| &next.event) {
            Some(Event::Entered { .. } | Event::Ended { .. }) => "\n",
            _ => "",
        };
        match &open.event {
            Event::Ended { payoff } if self.in_points => {
                let text = format!("The debate is over. {}", self.points().paid(payoff));
                entry.then(Role::Title, text)
            }
            Event::Entered { .. } | Event::Ended { .. } => entry.then(Role::Title, told.text),
            Event::Rewarded(reward) => {
                let value = view.perspective.value(reward.value());
                let role = if value.is_zero() {
                    Role::Text
                } else if value.is_positive() {
                    Role::Good
                } else {
                    Role::Bad
                };
                let points = self.in_points.then(|| self.points());
                let entry = entry.then(role, paid(&narrator, view.log, reward, points.as_ref()));
                match reward {
                    Reward::Decided { .. } => entry.then(Role::Faint, gap.to_owned()),
                    _ => entry.then(Role::Faint, format!("\n{}{gap}", told.text)),
                }
            }
            Event::Spoke { speech, .. } if speech.is_empty() => {
                entry.then(Role::Faint, told.text).then(Role::Text, gap)
            }
            Event::Spoke { speech, .. } => {
                entry.speaking(speech, self.script).then(Role::Text, gap)
            }
            _ => {
                let marks = self.marks;
                let mark = marks.binary_search_by_key(&number, |mark| mark.entry);
                let mark = mark.ok().and_then(|place| marks.get(place));
                let entry = entry.telling(Role::Text, &told.text);
                let entry = match mark {
                    Some(mark) => entry.then(mark.role, format!("\n{}", mark.text)),
                    None => entry,
                };
                entry.then(Role::Text, gap)
            }
        }
    }
}

/// A reward in words, before its formula: in points where `amounts` writes them, else as a payoff.
pub(super) fn paid(
    narrator: &Narrator<'_>,
    log: &Log<Exact>,
    reward: &Reward<Exact>,
    amounts: Option<&Amounts>,
) -> String {
    let because = narrator.why(reward, log);
    let perspective = narrator.perspective;
    let value = reward.value();
    if value.is_zero() {
        return format!("Nothing is paid: {because}.");
    }
    if !perspective.has_stake() {
        let (alice, bob) = match amounts {
            Some(points) => (points.gained(&value), points.with_sign(&-value)),
            None => (signed(value.to_float(), 3), signed((-value).to_float(), 3)),
        };
        return format!("Alice {alice}, Bob {bob}: {because}.");
    }
    let points = amounts.map(|points| points.gained(&value));
    let value = perspective.value(value);
    let end = if value.is_positive() {
        "You won"
    } else {
        "You lost"
    };
    let value = points.unwrap_or_else(|| signed(value.to_float(), 3));
    match reward {
        Reward::Agreement { .. } => format!("{value} to you: {because}."),
        Reward::Bet { .. } => format!("{end} this round, {value} to you: {because}."),
        Reward::Decided { .. } | Reward::Persuaded { .. } | Reward::Verdict { .. } => {
            format!("{end}, {value} to you: {because}.")
        }
    }
}
