//! The debate in the sentences of plain mode, for whoever does not see the screen.

use super::Debate;
use super::handover::is_shared;
use crate::tui::widget::scroll::in_words;
use debate_core::text::{safe, safe_multiline};
use debate_lab::tell::{PlainQuestion, Script, conclusion, plain_line};

/// Lines that are said at once at most: of more, the last.
const MOST_LINES: usize = 200;

/// What was said of a debate so far.
#[derive(Debug, Default)]
pub(super) struct SpokenSoFar {
    /// Entries of the log.
    entries: usize,
    /// The moves before the question that was put last.
    asked: Option<usize>,
    is_over: bool,
    /// What the tutorial said last.
    coach: Option<String>,
}

impl Debate<'_, '_> {
    /// What happened since this was asked last, and the question that is put now.
    pub(super) fn news_in_words(&mut self) -> Option<String> {
        let view = self.live.view();
        let (instance, seating) = (view.scene.facts.instance, self.live.seating());
        let log = seating.log();
        let narrator = view.viewpoint().narrator(Script::Unicode);
        let count = log.entries().len();
        // After an undo there are fewer.
        let from = self.spoken.entries.min(count);
        let events = (from..count).filter_map(|at| plain_line(&narrator, log, at, view.reader));
        let mut lines: Vec<String> = events.map(|line| safe(&line).into_owned()).collect();
        let coach = self.coach_text().map(|entry| entry.text());
        lines.extend(coach.clone().filter(|_| coach != self.spoken.coach));
        let moves = seating.moves().len();
        let asked = self.ask.as_ref().map(|_| moves);
        if let Some(ask) = self.ask.as_ref().filter(|_| asked != self.spoken.asked) {
            let question = PlainQuestion {
                seating,
                instance,
                reader: view.reader,
                perspective: view.perspective,
                blind: view.scene.facts.blind,
                typed: true,
            };
            let text = question.lines(ask.turn());
            lines.extend(text.iter().map(|line| safe_multiline(line).into_owned()));
        }
        let is_over = self.live.is_over();
        if is_over && !self.spoken.is_over {
            lines.extend(conclusion(seating, instance, view.perspective));
        }
        self.spoken = SpokenSoFar {
            entries: count,
            asked,
            is_over,
            coach,
        };
        let skipped = lines.len().saturating_sub(MOST_LINES);
        let text = lines.split_off(skipped).join("\n");
        (!text.is_empty()).then_some(text)
    }

    /// Who is to sit down, the page over the debate, the answer as it stands, or who is next where that waits for the user.
    pub(super) fn standing_in_words(&self) -> Option<String> {
        if let Some(seat) = self.next_person() {
            let sentences = self.handover(seat).map(|(_, sentence)| sentence);
            return Some(sentences.join("\n"));
        }
        if let Some(page) = self.tasks.in_words() {
            return Some(page);
        }
        if let Some(ask) = &self.ask {
            // Where several share the keyboard, the others would hear the answer too.
            let alone = !is_shared(self.live.seating());
            return ask.in_words().filter(|_| alone);
        }
        let waits = !self.live.is_over() && (self.is_held() || !self.pace.is_playing());
        // What the tutorial says stands first, and is news.
        let notice = self
            .notice
            .get(usize::from(self.coach_text().is_some())..)?;
        waits.then(|| in_words("", notice))
    }
}
