//! What happened, in lines: the transcript.

use std::ops::Range;

use debate_core::number::Exact;
use debate_core::observe::Observation;
use debate_core::protocol::{Log, Reader, Reward, Seal};

use super::{Line, Narrator, ReplyMark, Role, Script, Viewpoint, grouped, seat_role};

/// The log of a debate, entry by entry.
#[derive(Clone, Debug)]
pub struct TranscriptView<'s, 'a> {
    pub view: Viewpoint<'s, 'a>,
    pub script: Script,
    /// True on a screen, which tells payoffs in points; else as the rules and all files have them.
    pub in_points: bool,
    /// The columns of a line if each event is one short line, as beside the claims; 0 if the line is not drawn yet.
    pub brief: Option<usize>,
    /// Rewards and the end among the entries from this one on are not shown yet: their coins are still falling.
    pub withheld: usize,
}

impl<'s, 'a> Viewpoint<'s, 'a> {
    /// The log as a screen has it.
    pub fn transcript(&self, script: Script) -> TranscriptView<'s, 'a> {
        TranscriptView {
            view: self.clone(),
            script,
            in_points: true,
            brief: None,
            withheld: usize::MAX,
        }
    }
}

/// True if a round begins with this entry.
pub fn starts_round(log: &Log<Exact>, number: usize) -> bool {
    let entry = log.entries().get(number);
    number == 0 || entry.is_some_and(|entry| entry.event.round_entered().is_some())
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
    let judged = |number: usize| match log.entries().get(number)?.event.verdict()? {
        (claim, answer, None) => Some((claim, answer)),
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

impl<'a> TranscriptView<'_, 'a> {
    fn narrator(&self) -> Narrator<'a> {
        self.view.narrator(self.script)
    }

    /// The remark on a reply.
    fn mark(&self, number: usize) -> Option<&ReplyMark> {
        let marks = self.view.marks;
        let place = marks
            .binary_search_by_key(&number, |mark| mark.entry)
            .ok()?;
        marks.get(place)
    }

    /// The event in words, without the speaker.
    pub fn text(&self, number: usize) -> String {
        let view = &self.view;
        let event = self.narrator().tell(view.log, number, view.reader);
        let text = event.map(|event| event.text).unwrap_or_default();
        match reward(view.log, number, view.reader).filter(|_| self.narrator().figures) {
            Some(reward) => joined(self.narrator().payment(reward, view.log), "\n"),
            None => text,
        }
    }

    /// The event with its speaker, as one line.
    pub fn line(&self, number: usize) -> String {
        let view = &self.view;
        let event = self.narrator().tell(view.log, number, view.reader);
        let label = |seat| format!("{}: ", view.perspective.name(seat));
        let who = event.and_then(|event| event.who);
        let speaker = who.map_or_else(String::new, label);
        format!("{speaker}{}", self.text(number).replace('\n', " "))
    }

    /// The event with its speaker; a silent line where it has no text.
    pub fn entry(&self, number: usize) -> Line {
        let view = &self.view;
        if number >= self.withheld && is_result(view.log, number) {
            return Line::silent();
        }
        // A power for each round: files, whose payoffs are not in points, do without.
        let amounts = self
            .in_points
            .then(|| view.amounts().in_script(self.script));
        let narrator = Narrator {
            points: amounts.as_ref(),
            ..self.narrator()
        };
        let Some(event) = narrator.tell(view.log, number, view.reader) else {
            return Line::silent();
        };
        // Of the same answers in a row the first is told, and at the last how many more came.
        match repeated_answer(view.log, number) {
            Some(RepeatedAnswer::Between) => return Line::silent(),
            Some(RepeatedAnswer::Last(more @ 2..)) => {
                let text = format!("{} more answered alike", grouped(more as u64));
                return Line::of(Role::Faint, text);
            }
            _ => {}
        }
        let mark = self.mark(number);
        if let Some(room) = self.brief
            && let Some((role, text)) = narrator.tell_in_room(view.log, number, view.reader, room)
        {
            let line = Line::default().telling(role, &text);
            return line.marked(mark);
        }
        let label = event.who.map_or("", |seat| view.perspective.name(seat));
        let line = Line {
            label: label.to_owned(),
            label_role: event.who.map(seat_role),
            ..Line::default()
        };
        if event.role != Role::Text {
            return line.then(event.role, event.text);
        }
        // A round is a paragraph of its own.
        let mut later = number + 1..view.log.entries().len();
        let next = later.find_map(|next| narrator.tell(view.log, next, view.reader));
        let gap = match next {
            Some(next) if next.role == Role::Title => "\n",
            _ => "",
        };
        if let Some(reward) = reward(view.log, number, view.reader) {
            let value = view.perspective.value(reward.value());
            let role = Role::of_payoff(&value);
            let [paid, _] = narrator.payment(reward, view.log);
            return line.then(role, paid).then(Role::Text, gap);
        }
        let speech = view.log.entries().get(number);
        match speech.and_then(|entry| entry.event.speech()) {
            Some(speech) if speech.is_empty() => line.then(Role::Faint, event.text),
            Some(speech) => line.speaking(speech, self.script),
            None => line.telling(Role::Text, &event.text).marked(mark),
        }
        .then(Role::Text, gap)
    }
}

/// True if an entry pays a reward or ends the debate.
fn is_result(log: &Log<Exact>, index: usize) -> bool {
    let entry = log.entries().get(index);
    entry.is_some_and(|entry| entry.event.reward().is_some() || entry.event.is_end())
}

/// The reward that an entry pays, where it may be seen.
fn reward(log: &Log<Exact>, index: usize, reader: Reader) -> Option<&Reward<Exact>> {
    match log.seen_by(index, reader)? {
        Observation::Open(entry) => entry.event.reward(),
        Observation::Sealed { .. } => None,
    }
}

/// What is paid, and behind it the formula where there is one.
fn joined([paid, formula]: [String; 2], between: &str) -> String {
    if formula.is_empty() {
        paid
    } else {
        paid + between + &formula
    }
}

/// An event as a line, with who did it; what goes on over several lines is set in. `None` where the
/// reader sees nothing of it.
///
/// Plain mode tells it so to a person, and another program in a seat reads the same.
pub fn plain_line(
    narrator: &Narrator<'_>,
    log: &Log<Exact>,
    index: usize,
    reader: Reader,
) -> Option<String> {
    let event = narrator.tell(log, index, reader)?;
    if let Some(reward) = reward(log, index, reader) {
        return Some(joined(narrator.payment(reward, log), " "));
    }
    let text = event.text.replace('\n', "\n     ");
    Some(match event.who {
        Some(seat) => format!("{} {text}", narrator.perspective.name(seat)),
        None => text,
    })
}

/// True if the sentence about an opening contains the opened reply: "Alice had bet nothing".
pub fn opening_tells(seal: Seal) -> bool {
    match seal {
        Seal::Answer | Seal::Bet(_) => true,
        Seal::Share(_) | Seal::Speech(_) => false,
    }
}

/// The lines of new entries for a reader who was told all entries before them, each line with its entry. After an
/// opening come the replies that it opens, unless its own sentence contains them.
pub fn plain_news(
    narrator: &Narrator<'_>,
    log: &Log<Exact>,
    new: Range<usize>,
    reader: Reader,
) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let told = new.start;
    for index in new {
        let seal = log
            .entries()
            .get(index)
            .and_then(|it| it.event.opened_seal());
        let opened = match seal {
            Some(seal) if !opening_tells(seal) => log.opened_by(index, told, reader),
            _ => Vec::new(),
        };
        for entry in std::iter::once(index).chain(opened) {
            lines.extend(plain_line(narrator, log, entry, reader).map(|line| (entry, line)));
        }
    }
    lines
}
