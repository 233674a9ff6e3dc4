//! The panel with the question and its source text, in place of the tree of claims. It has a search, and a mark that
//! moves by sentences.

use crate::tui::widget::Canvas;
use ratatui::layout::Rect;

use crate::tui::theme::TextRole;
use crate::tui::widget::scroll::{Entries, Entry, Scroll, TextWithRole, lines_up_to};
use debate_text::QuestionSourceView;

/// Columns for the name of the player who quoted a sentence of the source.
const QUOTER_COLUMNS: u16 = 3;

/// The panel with a question and its source text, of which one sentence is marked.
#[derive(Debug)]
pub struct SourcePanel {
    pub quoted: QuestionSourceView,
    scroll: Scroll,
    /// The index of the marked sentence among the panel's entries; `None` if the viewer may not read the source.
    marked: Option<usize>,
    /// True before the first frame that shows the source. That frame scrolls to the source, which is below the
    /// question.
    is_before_first_frame: bool,
    /// True after the user has marked a sentence of the source.
    is_marked_by_user: bool,
}

/// The entries of the question and the source, one of which is marked.
struct MarkedEntries<'s> {
    quoted: &'s QuestionSourceView,
    marked: Option<(usize, TextRole)>,
}

impl<'s> MarkedEntries<'s> {
    fn none(quoted: &'s QuestionSourceView) -> Self {
        let marked = None;
        Self { quoted, marked }
    }
}

impl Entries for MarkedEntries<'_> {
    fn len(&self) -> usize {
        self.quoted.len()
    }

    fn entry(&self, number: usize) -> Entry {
        let entry = self.quoted.source_list_row_line(number);
        let Some((_, role)) = self.marked.filter(|(marked, _)| *marked == number) else {
            return entry;
        };
        let body = entry
            .body
            .into_iter()
            .map(|span| TextWithRole { role, ..span });
        Entry {
            body: body.collect(),
            ..entry
        }
    }
}

impl SourcePanel {
    pub fn new(quoted: QuestionSourceView) -> Self {
        Self {
            marked: quoted.first_sentence_row(),
            quoted,
            scroll: Scroll::at_start_without_following(QUOTER_COLUMNS),
            is_before_first_frame: true,
            is_marked_by_user: false,
        }
    }

    /// Returns the name of the panel: "Source" if the viewer may read the source, else "Question".
    pub fn panel_name(&self) -> &'static str {
        if self.quoted.may_see_source() {
            "Source"
        } else {
            "Question"
        }
    }

    /// Returns the marked sentence.
    pub fn marked_sentence(&self) -> Option<&str> {
        self.quoted.source_sentence_in_list_row(self.marked?)
    }

    /// Returns the number of lines of question and source at a width of `columns`, counted up to `max_lines`.
    pub fn line_count(&self, columns: u16, max_lines: usize) -> usize {
        let columns = columns - QUOTER_COLUMNS.min(columns / 3);
        let text = MarkedEntries::none(&self.quoted);
        lines_up_to(&text, columns, max_lines)
    }

    /// Moves the mark by `sentences` sentences of the source and scrolls it into view. A move back from the first
    /// sentence shows the top of the panel. If the source has no sentence, scrolls by this number of lines.
    pub fn move_mark(&mut self, sentences: isize) {
        let Some(first) = self.quoted.first_sentence_row() else {
            let text = MarkedEntries::none(&self.quoted);
            self.scroll.scroll(&text, sentences);
            return;
        };
        let last = self.quoted.len().saturating_sub(1);
        let at = self.marked.unwrap_or(first);
        let target = at.saturating_add_signed(sentences).clamp(first, last);
        if target == first && sentences < 0 {
            // The question and the judge's estimates are above the first sentence, where no mark can go.
            let text = MarkedEntries::none(&self.quoted);
            self.scroll.scroll_to_start(&text);
            if at == first {
                return;
            }
        }
        self.mark(target);
    }

    /// Scrolls the source by pages; the mark moves with the view.
    pub fn scroll_pages(&mut self, pages: isize) {
        let text = MarkedEntries::none(&self.quoted);
        let lines = pages * self.scroll.lines_per_page_key();
        self.scroll.scroll(&text, lines);
        if let Some(first) = self.quoted.first_sentence_row() {
            self.marked = Some(self.scroll.top_entry().max(first));
        }
    }

    /// Scrolls by lines.
    pub fn scroll_lines(&mut self, lines: isize) {
        let text = MarkedEntries::none(&self.quoted);
        self.scroll.scroll(&text, lines);
    }

    fn mark(&mut self, number: usize) {
        self.marked = Some(number);
        self.is_marked_by_user = true;
        let text = MarkedEntries::none(&self.quoted);
        self.scroll.scroll_into_view(&text, number);
    }

    /// Marks the next or the previous sentence of the source that contains `words`, a text in lower case. The search
    /// continues at the other end of the source. Returns false if no sentence contains the text.
    pub fn search_next(&mut self, words: &str, forward: bool) -> bool {
        let count = self.quoted.len();
        let at = self.marked.unwrap_or(0);
        let sentence = (1..=count)
            .map(|step| {
                let step = if forward { step } else { count - step };
                (at + step) % count
            })
            .find(|number| {
                let sentence = self.quoted.source_sentence_in_list_row(*number);
                sentence.is_some_and(|sentence| sentence.to_lowercase().contains(words))
            });
        if let Some(number) = sentence {
            self.mark(number);
        }
        sentence.is_some()
    }

    pub fn draw(
        &mut self,
        focused: bool,
        is_inside_frame: bool,
        canvas: &mut Canvas<'_>,
        area: Rect,
    ) {
        // A change of the player at the keyboard may have closed the source.
        self.marked = self.marked.filter(|_| self.quoted.may_see_source());
        // At the end of the debate, the judge sees the source for the first time.
        self.is_before_first_frame |= self.marked.is_none() && self.quoted.may_see_source();
        self.marked = self.marked.or_else(|| self.quoted.first_sentence_row());
        let text = MarkedEntries {
            quoted: &self.quoted,
            marked: match self.marked {
                Some(marked) if focused => Some((marked, TextRole::Selected)),
                Some(marked) if self.is_marked_by_user => Some((marked, TextRole::Match)),
                _ => None,
            },
        };
        self.scroll.fit_to_area(&text, area);
        if std::mem::take(&mut self.is_before_first_frame)
            && let Some(first) = self.marked
        {
            // The line above the source explains the marks.
            self.scroll
                .scroll_entry_to_top(&text, first.saturating_sub(1));
        }
        self.scroll
            .draw(&text, &(0..0), is_inside_frame, canvas, area);
    }
}
