//! The transcript: the events of a debate as lines.

use std::ops::Range;

use debate_core::number::Exact;
use debate_core::observe::Observation;
use debate_core::protocol::{Log, LogViewer, Reward, Seal};

use super::{
    Line, Narrator, ReplyMark, Role, Script, Viewpoint, seat_role, with_thousands_separators,
};

/// The log of a debate, entry by entry.
#[derive(Clone, Debug)]
pub struct TranscriptView<'s, 'a> {
    pub view: Viewpoint<'s, 'a>,
    pub script: Script,
    /// True on a screen, which shows payoffs in points. False to show payoffs as in the rules and in files.
    pub in_points: bool,
    /// The width of a line in columns if each event is one short line, as beside the claims; 0 before the first
    /// drawing.
    pub brief: Option<usize>,
    /// Index of the first entry whose reward or end is still hidden, because its coins are still being animated.
    pub withheld: usize,
}

impl<'s, 'a> Viewpoint<'s, 'a> {
    /// Returns the log as a screen shows it.
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

/// An answer of the judge that repeats the previous one.
enum RepeatedAnswer {
    /// More repetitions follow.
    Between,
    /// The last repetition of an answer, with the number of repetitions.
    Last(usize),
}

/// Returns the position of an answer of the judge among repetitions of one answer about the same claim. `None` if it
/// repeats no answer.
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

    /// Returns the remark on the user's reply in this log entry, if there is one.
    fn mark(&self, number: usize) -> Option<&ReplyMark> {
        let marks = self.view.marks;
        let position = marks
            .binary_search_by_key(&number, |mark| mark.entry)
            .ok()?;
        marks.get(position)
    }

    /// Returns the event in words, without the speaker.
    pub fn entry_text(&self, number: usize) -> String {
        let view = &self.view;
        let event = self.narrator().narrate(view.log, number, view.reader);
        let text = event.map(|event| event.text).unwrap_or_default();
        match reward(view.log, number, view.reader).filter(|_| self.narrator().figures) {
            Some(reward) => joined(self.narrator().payment_and_formula(reward, view.log), "\n"),
            None => text,
        }
    }

    /// Returns the event with its speaker, as one line.
    pub fn line(&self, number: usize) -> String {
        let view = &self.view;
        let event = self.narrator().narrate(view.log, number, view.reader);
        let label = |seat| format!("{}: ", view.perspective.player_name(seat));
        let who = event.and_then(|event| event.who);
        let speaker = who.map_or_else(String::new, label);
        format!("{speaker}{}", self.entry_text(number).replace('\n', " "))
    }

    /// Returns the event with its speaker; a silent line if it has no text.
    pub fn entry_line(&self, number: usize) -> Line {
        let view = &self.view;
        if number >= self.withheld && is_result(view.log, number) {
            return Line::silent();
        }
        // Points need an exact power for each round; files show payoffs and do not need it.
        let amounts = self
            .in_points
            .then(|| view.amounts().with_script(self.script));
        let narrator = Narrator {
            points: amounts.as_ref(),
            ..self.narrator()
        };
        let Some(event) = narrator.narrate(view.log, number, view.reader) else {
            return Line::silent();
        };
        // Collapses runs of equal answers: the first one, then the number of repetitions.
        match repeated_answer(view.log, number) {
            Some(RepeatedAnswer::Between) => return Line::silent(),
            Some(RepeatedAnswer::Last(more @ 2..)) => {
                let text = format!(
                    "{} more answered alike",
                    with_thousands_separators(more as u64)
                );
                return Line::unlabelled(Role::Faint, text);
            }
            _ => {}
        }
        let mark = self.mark(number);
        if let Some(room) = self.brief
            && let Some((role, text)) =
                narrator.one_line_sentence(view.log, number, view.reader, room)
        {
            let line = Line::default().append_sentence(role, &text);
            return line.with_mark(mark);
        }
        let label = event
            .who
            .map_or("", |seat| view.perspective.player_name(seat));
        let line = Line {
            label: label.to_owned(),
            label_role: event.who.map(seat_role),
            ..Line::default()
        };
        if event.role != Role::Text {
            return line.append_span(event.role, event.text);
        }
        // A blank line separates rounds.
        let mut later = number + 1..view.log.entries().len();
        let next = later.find_map(|next| narrator.narrate(view.log, next, view.reader));
        let gap = match next {
            Some(next) if next.role == Role::Title => "\n",
            _ => "",
        };
        if let Some(reward) = reward(view.log, number, view.reader) {
            let value = view.perspective.value(reward.payment_to_prover());
            let role = Role::of_payoff(&value);
            let [paid, _] = narrator.payment_and_formula(reward, view.log);
            return line.append_span(role, paid).append_span(Role::Text, gap);
        }
        let speech = view.log.entries().get(number);
        match speech.and_then(|entry| entry.event.speech()) {
            Some(speech) if speech.is_empty() => line.append_span(Role::Faint, event.text),
            Some(speech) => line.append_speech(speech, self.script),
            None => line
                .append_sentence(Role::Text, &event.text)
                .with_mark(mark),
        }
        .append_span(Role::Text, gap)
    }
}

/// True if an entry pays a reward or ends the debate.
fn is_result(log: &Log<Exact>, index: usize) -> bool {
    let entry = log.entries().get(index);
    entry.is_some_and(|entry| entry.event.reward().is_some() || entry.event.is_end())
}

/// Returns the reward that an entry pays, if the reader can see it.
fn reward(log: &Log<Exact>, index: usize, reader: LogViewer) -> Option<&Reward<Exact>> {
    match log.observation_at(index, reader)? {
        Observation::Open(entry) => entry.event.reward(),
        Observation::Sealed { .. } => None,
    }
}

/// Joins the payment and its formula, if there is one.
fn joined([paid, formula]: [String; 2], between: &str) -> String {
    if formula.is_empty() {
        paid
    } else {
        paid + between + &formula
    }
}

/// Returns an event as text with its speaker; continuation lines are indented. `None` if the reader sees no event.
///
/// Plain mode shows this text to users, and an external program in a seat reads the same text.
pub fn plain_line(
    narrator: &Narrator<'_>,
    log: &Log<Exact>,
    index: usize,
    reader: LogViewer,
) -> Option<String> {
    let event = narrator.narrate(log, index, reader)?;
    if let Some(reward) = reward(log, index, reader) {
        return Some(joined(narrator.payment_and_formula(reward, log), " "));
    }
    let text = event.text.replace('\n', "\n     ");
    Some(match event.who {
        Some(seat) => format!("{} {text}", narrator.perspective.player_name(seat)),
        None => text,
    })
}

/// True if the sentence about an opening contains the opened reply: "Alice had bet that the estimate is too low".
pub fn opening_shows_reply(seal: Seal) -> bool {
    match seal {
        Seal::Answer | Seal::Bet(_) => true,
        Seal::Share(_) | Seal::Speech(_) => false,
    }
}

/// Returns the lines of new entries for a reader who has read all earlier entries, each line with its entry. An opening
/// is followed by the replies that it opens, unless its own sentence contains them.
pub fn new_plain_lines(
    narrator: &Narrator<'_>,
    log: &Log<Exact>,
    new: Range<usize>,
    reader: LogViewer,
) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let told = new.start;
    for index in new {
        let seal = log
            .entries()
            .get(index)
            .and_then(|it| it.event.opened_seal());
        let opened = match seal {
            Some(seal) if !opening_shows_reply(seal) => log.unsealed_entries(index, told, reader),
            _ => Vec::new(),
        };
        for entry in std::iter::once(index).chain(opened) {
            lines.extend(plain_line(narrator, log, entry, reader).map(|line| (entry, line)));
        }
    }
    lines
}
