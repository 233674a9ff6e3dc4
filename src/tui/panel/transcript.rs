//! The transcript panel: the events of the debate, entry by entry, with scrolling, search and jumps by round.

use crate::tui::widget::Canvas;
use std::ops::Range;
use std::time::Instant;

use ratatui::layout::Rect;

use crate::tui::widget::scroll::{
    Entries, EntriesCachedForFrame, Entry, ResumableEntrySearch, Scroll, lines_up_to,
};
use debate_text::transcript::{TranscriptFormatter, log_entry_starts_round};

/// Columns for the speaker.
pub const MARGIN: u16 = 8;

/// Returns the width of the column for the speaker. In the short form, it contains only the mark of new entries,
/// because the lines themselves name the speaker.
fn margin(view: &TranscriptFormatter<'_, '_>) -> u16 {
    if view.brief.is_some() { 1 } else { MARGIN }
}

impl Entries for TranscriptFormatter<'_, '_> {
    fn len(&self) -> usize {
        // A judge who does not follow the debate must not see the number of entries.
        let follows = self.view.reader.is_shown_debate_during_play();
        self.view.log.entries().len() * usize::from(follows)
    }

    fn entry(&self, number: usize) -> Entry {
        TranscriptFormatter::entry_line(self, number)
    }
}

/// Scroll position and search state of the transcript.
#[derive(Debug)]
pub struct TranscriptPanel {
    pub scroll: Scroll,
    /// A running search of the transcript that takes longer than a frame.
    search: Option<ResumableEntrySearch>,
}

impl Default for TranscriptPanel {
    fn default() -> Self {
        Self {
            scroll: Scroll::following_list_end(MARGIN),
            search: None,
        }
    }
}

impl TranscriptPanel {
    /// Returns the number of lines of the transcript at a width of `columns`, counted up to `max_lines`.
    pub fn line_count(view: &TranscriptFormatter<'_, '_>, columns: u16, max_lines: u16) -> usize {
        lines_up_to(
            view,
            columns - margin(view).min(columns / 3),
            max_lines.into(),
        )
    }

    /// Draws the entries of the transcript that are in view. Those in `newest` are marked as new.
    pub fn draw(
        &mut self,
        view: &TranscriptFormatter<'_, '_>,
        newest: &Range<usize>,
        is_inside_frame: bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        let entries = EntriesCachedForFrame::new(view);
        self.scroll.margin = margin(view);
        self.scroll
            .draw(&entries, newest, is_inside_frame, canvas, area);
    }

    /// Starts a search.
    pub fn start_search(&mut self, view: &TranscriptFormatter<'_, '_>, forward: bool) {
        let count = view.view.log.entries().len();
        self.search = Some(
            self.scroll
                .search_cursor_from_last_match_or_view(count, forward),
        );
    }

    /// Returns the searched proportion of the transcript, in percent; `None` if no search is running.
    pub fn transcript_search_percent(&self) -> Option<usize> {
        self.search
            .as_ref()
            .map(ResumableEntrySearch::percent_searched)
    }

    /// Cancels the search of the transcript. Returns false if none was running.
    pub fn cancel_transcript_search(&mut self) -> bool {
        self.search.take().is_some()
    }

    /// Continues the search of the transcript until it finds a match, or until the deadline. Returns true if a match
    /// was found, false if there is none; `None` if the search is unfinished or none is running.
    pub fn continue_transcript_search(
        &mut self,
        view: &TranscriptFormatter<'_, '_>,
        pattern: &str,
        until: Option<Instant>,
    ) -> Option<bool> {
        let mut search = self.search.take()?;
        while let Some(number) = search.next() {
            // The speaker is part of the visible text.
            if view
                .log_entry_line_text(number)
                .to_lowercase()
                .contains(pattern)
            {
                self.scroll.show_search_match(view, number, pattern);
                return Some(true);
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                self.search = Some(search);
                return None;
            }
        }
        Some(false)
    }

    /// Scrolls to the next start of a round below the top of the view, or to the last one above it if `forward` is
    /// false. Without such a start, scrolls to the end or the beginning.
    pub fn scroll_to_round(&mut self, view: &TranscriptFormatter<'_, '_>, forward: bool) {
        let log = view.view.log;
        let top = self.scroll.top_entry();
        let count = log.entries().len();
        let starts = |number: &usize| log_entry_starts_round(log, *number);
        let start = if forward {
            (top + 1..count).find(starts)
        } else {
            (0..top).rev().find(starts)
        };
        match start {
            Some(number) => self.scroll.scroll_entry_to_top(view, number),
            None if forward => self.scroll.follow_list_end(),
            None => self.scroll.scroll_to_start(view),
        }
    }

    /// Returns the transcript of the round in view, to be copied to the clipboard.
    pub fn transcript_of_round_on_screen(&self, view: &TranscriptFormatter<'_, '_>) -> String {
        let log = view.view.log;
        let count = log.entries().len();
        let starts = |number: &usize| log_entry_starts_round(log, *number);
        // At the end, the last round is meant, even if an older one is at the top.
        let at = if self.scroll.follows_new_entries() {
            count.saturating_sub(1)
        } else {
            self.scroll.top_entry()
        };
        let from = (0..=at).rev().find(starts).unwrap_or(0);
        let to = (from + 1..count).find(starts).unwrap_or(count);
        let seen = |number: &usize| log.observation_at(*number, view.view.reader).is_some();
        let lines = (from..to)
            .filter(seen)
            .map(|number| view.log_entry_line_text(number));
        lines.collect::<Vec<_>>().join("\n")
    }
}
