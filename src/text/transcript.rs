//! The transcript: the events of a debate as lines.

use std::ops::Range;

use debate_core::number::Exact;
use debate_core::observe::ObservedLogEntry;
use debate_core::protocol::{Log, LogViewerRole, ReplySeal, Reward};

use super::{
    DebateNarrator, DebateViewpoint, FormulaCharacterSet, Line, ReplyRemark, TextRole,
    text_role_of_seat, with_thousands_separators,
};

/// The transcript: the log of a debate as lines, one for each entry.
#[derive(Clone, Debug)]
pub struct TranscriptFormatter<'s, 'a> {
    pub view: DebateViewpoint<'s, 'a>,
    pub script: FormulaCharacterSet,
    /// True to show payoffs in points, as on a screen. False to show them in the unit of the rules and of files.
    pub in_points: bool,
    /// The maximum width of a line, in columns, if each event is shown in one short line, as beside the claim tree; 0
    /// before the first drawing.
    pub brief: Option<usize>,
    /// Index of the log entry from which on rewards and the end of the debate are hidden, because the coins are still
    /// being animated.
    pub withheld: usize,
}

impl<'s, 'a> DebateViewpoint<'s, 'a> {
    /// Returns the transcript of the log as a screen shows it.
    pub fn transcript(&self, script: FormulaCharacterSet) -> TranscriptFormatter<'s, 'a> {
        TranscriptFormatter {
            view: self.clone(),
            script,
            in_points: true,
            brief: None,
            withheld: usize::MAX,
        }
    }
}

/// True if a round begins with this log entry, or if it is the first entry of the log.
pub fn log_entry_starts_round(log: &Log<Exact>, number: usize) -> bool {
    let entry = log.entries().get(number);
    number == 0 || entry.is_some_and(|entry| entry.event.round_started_by_event().is_some())
}

/// The position of a log entry in a series of equal answers by the judge about one claim. If the first answer is
/// repeated at least twice, the transcript shows only the first answer and a count.
enum RepeatedAnswer {
    /// More repetitions follow.
    Between,
    /// The last of the equal answers. The field is the number of answers that repeat the first one.
    Last(usize),
}

/// If a log entry is a judge's answer without a confidence that repeats the entry before it, returns its position among
/// the repetitions. `None` for any other entry.
fn repeated_answer(log: &Log<Exact>, number: usize) -> Option<RepeatedAnswer> {
    let judged = |number: usize| match log.entries().get(number)?.event.judge_verdict()? {
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

impl<'a> TranscriptFormatter<'_, 'a> {
    fn narrator(&self) -> DebateNarrator<'a> {
        self.view.narrator(self.script)
    }

    /// Returns the remark on the user's reply in this log entry, if there is a remark.
    fn mark(&self, number: usize) -> Option<&ReplyRemark> {
        let marks = self.view.marks;
        let position = marks
            .binary_search_by_key(&number, |mark| mark.entry)
            .ok()?;
        marks.get(position)
    }

    /// Describes the event of a log entry in words, without the speaker.
    pub fn entry_text(&self, entry_index: usize) -> String {
        let view = &self.view;
        let event = self.narrator().narrate(view.log, entry_index, view.reader);
        let text = event.map(|event| event.text).unwrap_or_default();
        match reward(view.log, entry_index, view.reader).filter(|_| self.narrator().figures) {
            Some(reward) => joined(
                self.narrator()
                    .reward_in_words_and_formula(reward, view.log),
                "\n",
            ),
            None => text,
        }
    }

    /// Describes the event of a log entry in one line, with its speaker.
    pub fn log_entry_line_text(&self, number: usize) -> String {
        let view = &self.view;
        let event = self.narrator().narrate(view.log, number, view.reader);
        let label = |seat| format!("{}: ", view.perspective.player_name_or_you(seat));
        let who = event.and_then(|event| event.who);
        let speaker = who.map_or_else(String::new, label);
        // Speeches are indented, and their quotations marked with `>`, which needs lines of their own.
        let text = self.entry_text(number).replace("\n> ", " ");
        let text = text.replace("\n  ", " ").replace('\n', " ");
        format!("{speaker}{text}")
    }

    /// Describes the last step of the debate in one line, with its speaker. A step that also starts a round is
    /// described by its own event, not by the start of the round.
    pub fn newest_step_line(&self) -> String {
        let entries = self.view.log.entries();
        let mut newest = self.view.newest.clone();
        let starts_round = |number: &usize| {
            let entry = entries.get(*number);
            entry.is_some_and(|entry| entry.event.round_started_by_event().is_some())
        };
        let number = newest.find(|number| !starts_round(number));
        self.log_entry_line_text(number.unwrap_or(self.view.newest.start))
    }

    /// Returns the transcript line of a log entry, with its speaker. The line is not displayed if the entry has no
    /// text.
    pub fn entry_line(&self, entry_index: usize) -> Line {
        let view = &self.view;
        if entry_index >= self.withheld && is_result(view.log, entry_index) {
            return Line::empty_line_without_space();
        }
        // Points need an exact power for each round; files show payoffs and do not need it.
        let is_reward = view
            .log
            .entries()
            .get(entry_index)
            .is_some_and(|entry| entry.event.reward().is_some());
        let amounts = self.in_points.then(|| {
            let amounts = view.payoff_formatter().with_script(self.script);
            if is_reward {
                amounts.with_digits_matching_log_payments(view.log)
            } else {
                amounts
            }
        });
        let narrator = DebateNarrator {
            points: amounts.as_ref(),
            ..self.narrator()
        };
        let Some(event) = narrator.narrate(view.log, entry_index, view.reader) else {
            return Line::empty_line_without_space();
        };
        // Collapses runs of three or more equal answers: the first one, then the number of repetitions.
        match repeated_answer(view.log, entry_index) {
            Some(RepeatedAnswer::Between) => return Line::empty_line_without_space(),
            Some(RepeatedAnswer::Last(more @ 2..)) => {
                let text = format!(
                    "{} more answered alike",
                    with_thousands_separators(more as u64)
                );
                return Line::unlabelled(TextRole::Faint, text);
            }
            _ => {}
        }
        let mark = self.mark(entry_index);
        if let Some(room) = self.brief
            && let Some((role, text)) =
                narrator.one_line_sentence(view.log, entry_index, view.reader, room)
        {
            let line = Line::default().append_with_truth_and_bet_roles(role, &text);
            return line.with_reply_remark(mark);
        }
        let label = event
            .who
            .map_or("", |seat| view.perspective.player_name_or_you(seat));
        let line = Line {
            label: label.to_owned(),
            label_role: event.who.map(text_role_of_seat),
            ..Line::default()
        };
        if event.role != TextRole::Text {
            return line.append_span(event.role, event.text);
        }
        // A blank line separates rounds.
        let mut later = entry_index + 1..view.log.entries().len();
        let next = later.find_map(|next| narrator.narrate(view.log, next, view.reader));
        let gap = match next {
            Some(next) if next.role == TextRole::Title => "\n",
            _ => "",
        };
        if let Some(reward) = reward(view.log, entry_index, view.reader) {
            let value = view.perspective.value(reward.payment_to_prover());
            let role = TextRole::role_of_payoff_sign(&value);
            let [paid, _] = narrator.reward_in_words_and_formula(reward, view.log);
            return line
                .append_span(role, paid)
                .append_span(TextRole::Text, gap);
        }
        let speech = view.log.entries().get(entry_index);
        match speech.and_then(|entry| entry.event.speech()) {
            Some(speech) if speech.is_empty() => line.append_span(TextRole::Faint, event.text),
            Some(speech) => line.append_speech(speech, self.script),
            None => line
                .append_with_truth_and_bet_roles(TextRole::Text, &event.text)
                .with_reply_remark(mark),
        }
        .append_span(TextRole::Text, gap)
    }
}

/// True if a log entry pays a reward or ends the debate.
fn is_result(log: &Log<Exact>, index: usize) -> bool {
    let entry = log.entries().get(index);
    entry.is_some_and(|entry| entry.event.reward().is_some() || entry.event.is_debate_end())
}

/// Returns the reward that a log entry pays, if the reader can see it.
fn reward(log: &Log<Exact>, index: usize, reader: LogViewerRole) -> Option<&Reward<Exact>> {
    match log.observation_at(index, reader)? {
        ObservedLogEntry::Open(entry) => entry.event.reward(),
        ObservedLogEntry::Sealed { .. } => None,
    }
}

/// Joins the text of a payment and its formula; the formula may be empty.
fn joined([paid, formula]: [String; 2], between: &str) -> String {
    if formula.is_empty() {
        paid
    } else {
        paid + between + &formula
    }
}

/// Describes the event of a log entry as plain text with its speaker; lines after the first are indented. `None` if the
/// reader sees no event.
///
/// Plain mode shows this text to users, and an external program in a seat reads the same text.
pub fn plain_line(
    narrator: &DebateNarrator<'_>,
    log: &Log<Exact>,
    index: usize,
    reader: LogViewerRole,
) -> Option<String> {
    let event = narrator.narrate(log, index, reader)?;
    if let Some(reward) = reward(log, index, reader) {
        return Some(joined(
            narrator.reward_in_words_and_formula(reward, log),
            " ",
        ));
    }
    let text = event.text.replace('\n', "\n     ");
    Some(match event.who {
        Some(seat) => format!("{} {text}", narrator.perspective.player_name_or_you(seat)),
        None => text,
    })
}

/// True if the transcript's sentence about the opening of this seal also states the sealed reply: "Alice had bet that
/// it is too low".
pub fn seal_opening_sentence_states_reply(seal: ReplySeal) -> bool {
    match seal {
        ReplySeal::Answer | ReplySeal::Bet(_) => true,
        ReplySeal::Share(_) | ReplySeal::Speech(_) => false,
    }
}

/// Returns the plain lines of new log entries, each with its entry's index, for a reader who has read all earlier ones.
/// When a seal opens, the lines of its replies follow, unless the opening's own sentence contains them.
pub fn new_plain_lines(
    narrator: &DebateNarrator<'_>,
    log: &Log<Exact>,
    new: Range<usize>,
    reader: LogViewerRole,
) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let told = new.start;
    for index in new {
        let seal = log
            .entries()
            .get(index)
            .and_then(|it| it.event.opened_seal());
        let opened = match seal {
            Some(seal) if !seal_opening_sentence_states_reply(seal) => {
                log.unsealed_entries(index, told, reader)
            }
            _ => Vec::new(),
        };
        for entry in std::iter::once(index).chain(opened) {
            lines.extend(plain_line(narrator, log, entry, reader).map(|line| (entry, line)));
        }
    }
    lines
}
