//! A page of a study on the screen: a text for the participant, and a question about it.

use std::time::{Duration, Instant};

use crate::tui::widget::Canvas;
use ratatui::crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};

use crate::tui::actions::{Contexts, KeyMap, ScreenKeyContext};
use crate::tui::ask::{
    AnswerWidget, ReplyPickList, SliderWidget, UnmappedWidgetInput, pass_unmapped_key,
};
use crate::tui::keys::{
    Action, STUDY_CHOICE, STUDY_NUMBER, STUDY_READ, STUDY_TEXT, UNREAD, scroll_text, wheel_lines,
};
use crate::tui::screen::{
    BorrowedScreenParts, Screen, ScreenBase, ScreenEffect, ScreenWithTimedUpdates,
    UnmappedScreenInput, draw_title, page_areas,
};
use crate::tui::theme::{GlyphSet, TextRole, UNICODE};
use crate::tui::widget::choice::ChoiceItem;
use crate::tui::widget::measure;
use crate::tui::widget::scroll::{Entry, Scroll, measure_lines};
use crate::tui::widget::text_input::{LineInputResult, TextInput};
use debate_core::protocol::Reply;
use debate_core::text::replace_unsafe_multiline;
use debate_study::{
    ParticipantInput, SessionClock, StudyPagePointOrRemark, StudySessionPage, StudyTerminalTexts,
};
use debate_text::{DebateAnswerForm, FormulaCharacterSet, SignCharacters, TextWithRole};

/// The participant's action.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum StudyPageOutcome {
    /// An answer to the page, or the wish to leave the study.
    Input(ParticipantInput),
    /// The participant closed the window, or left the page after the end of the session.
    #[default]
    Gone,
}

/// The reading position in the text of a study page. The next page with the same text continues there.
#[derive(Clone, Debug)]
pub struct StudyPageReadingPosition {
    lines: Vec<Entry>,
    scroll: Scroll,
    was_read_to_end: bool,
}

/// The state of a study page on the screen.
pub struct StudyPageScreen<'t> {
    page: StudySessionPage,
    words: StudyTerminalTexts<'t>,
    /// The clock of the participant's active time in the session. The page reports each key press and mouse event to it
    /// as activity.
    clock: &'t mut SessionClock,
    base: ScreenBase<'t>,
    /// The text of the page as last drawn. It includes the question if the question has no separate area.
    drawn_text: Vec<Entry>,
    scroll: Scroll,
    /// True if some of the page's text is below the visible part.
    unread: bool,
    /// True once the end of the page's text was shown. Before that, no answer is accepted.
    was_read_to_end: bool,
    answer: Answer,
    /// The area of the answer.
    answer_area: Rect,
    /// The page's text for the screen reader if it has not been announced yet; `None` afterwards.
    news: Option<String>,
    size: (u16, u16),
    /// Reads the participant's page again at intervals while the participant waits, for example for other participants.
    /// `None` if the page changes only after the participant's input.
    polling: Option<Polling<'t>>,
}

/// Rereads a waiting participant's page at intervals, for example until a place in the study is free.
struct Polling<'t> {
    /// The function that returns the current page, or the reason of a failure.
    read_page: Box<dyn FnMut() -> Result<StudySessionPage, String> + 't>,
    next: Instant,
}

/// The interval at which the terminal reads the page of a waiting participant again.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The draft of the answer.
enum Answer {
    /// The page asks for no answer, only for a key to continue.
    None,
    /// The page asks for one of several answers, none of which is preselected.
    Choice(ReplyPickList),
    Percent(SliderWidget),
    Text(TextInput),
}

impl Answer {
    fn new(kind: Option<&DebateAnswerForm>) -> Self {
        match kind {
            None
            | Some(DebateAnswerForm::Next | DebateAnswerForm::Size | DebateAnswerForm::Reply(_)) => {
                Self::None
            }
            Some(DebateAnswerForm::OneOf(options)) => {
                let items = options.iter().map(|option| ChoiceItem::new(None, option));
                let places = (0..).map(Reply::Select).take(options.len());
                let list = ReplyPickList::new(items.collect(), places.collect());
                Self::Choice(list.without_initial_choice())
            }
            Some(DebateAnswerForm::Percent { .. }) => {
                Self::Percent(SliderWidget::slider_for_study_page())
            }
            Some(DebateAnswerForm::Text { .. }) => Self::Text(TextInput::default()),
        }
    }

    fn widget(&mut self) -> Option<&mut dyn AnswerWidget> {
        match self {
            Self::Choice(list) => Some(list),
            Self::Percent(slider) => Some(slider),
            Self::None | Self::Text(_) => None,
        }
    }
}

/// Width in columns of the margin beside the debaters' arguments: for the mark of new lines and the number of each
/// point.
const NUMBER_COLUMNS: u16 = 9;
/// The number of cells in the bar of a probability.
const BAR_CELLS: u32 = 10;

/// Returns the new text of a page and its question as a text for screen readers.
fn in_words(page: &StudySessionPage, words: StudyTerminalTexts<'_>) -> String {
    let lines = page
        .unseen_page_lines()
        .into_iter()
        .filter(|line| !line.is_empty());
    let all: Vec<String> = std::iter::once(page_title(page))
        .chain(lines)
        .chain(words.request_lines(page))
        .map(|it| replace_unsafe_multiline(&it).into_owned())
        .collect();
    all.join("\n")
}

/// Returns the heading of a page, with its details and the remaining time.
fn page_title(page: &StudySessionPage) -> String {
    let time_left = page.progress.as_ref().and_then(|it| it.time_left.clone());
    let details = Some(page.details.clone()).filter(|details| !details.is_empty());
    let parts = [Some(page.page.heading.clone()), details, time_left];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(" - ")
}

/// Returns the scroll position at the start of a page's new text, or at the start of a page that is new as a whole.
fn scroll_to_new_text(page: &StudySessionPage, text: &[Entry]) -> Scroll {
    let has_arguments = !page.arguments.is_empty();
    let mut scroll =
        Scroll::at_start_without_following(if has_arguments { NUMBER_COLUMNS } else { 0 });
    let first_new = page.arguments.iter().position(|line| line.is_new);
    // The question is above the first arguments, and is read with them.
    let first_new = first_new.filter(|index| *index > 0);
    if let Some(index) = first_new {
        scroll.scroll_entry_to_top(text, page.page.lines.len() + index);
    } else if page.new_from > 0 && !has_arguments {
        scroll.scroll_entry_to_top(text, page.new_from);
    }
    scroll
}

/// Returns the text of a page: its lines, and the tree of the arguments.
fn text_entries(page: &StudySessionPage, glyphs: &GlyphSet) -> Vec<Entry> {
    // Nothing is marked if all lines are new.
    let marks_new = page.arguments.iter().any(|line| !line.is_new);
    let arguments = page.arguments.iter();
    let arguments = arguments.map(|line| argument_entry(line, marks_new, glyphs));
    page.page.lines.iter().cloned().chain(arguments).collect()
}

/// Returns a line of the debaters' arguments. Its label contains the mark of a new line and the number of a point.
fn argument_entry(line: &StudyPagePointOrRemark, marks_new: bool, glyphs: &GlyphSet) -> Entry {
    let indent = " ".repeat(usize::from(line.depth.min(2)));
    let script = if glyphs.unicode {
        FormulaCharacterSet::Unicode
    } else {
        FormulaCharacterSet::Ascii
    };
    let is_new = line.is_new && marks_new;
    let mark = if is_new {
        SignCharacters::symbols_for_character_set(script).newest
    } else {
        " "
    };
    let number = line.number.as_deref().unwrap_or_default();
    let mut entry = line.body.clone();
    entry.label = format!("{mark}{indent}{number}");
    entry.label_role = Some(if is_new {
        TextRole::Newest
    } else {
        TextRole::Faint
    });
    if line.is_current {
        let words = entry.plain_body_text();
        entry.body = vec![TextWithRole {
            text: words,
            role: TextRole::Current,
        }];
    }
    for note in &line.notes {
        entry = entry.append_span(TextRole::Faint, format!("\n{note}"));
    }
    match line.percent {
        Some(percent) => {
            entry.append_span(TextRole::Text, format!(" {}", percent_bar(percent, glyphs)))
        }
        None => entry,
    }
}

/// Returns a bar that shows a percentage.
fn percent_bar(percent: f64, glyphs: &GlyphSet) -> String {
    let halves = (0..2 * BAR_CELLS)
        .filter(|half| percent >= 100.0 * (f64::from(*half) + 0.5) / f64::from(2 * BAR_CELLS));
    let halves = halves.count();
    let cells = usize::try_from(BAR_CELLS).unwrap_or(0);
    let half = if halves % 2 == 1 {
        glyphs.right_half
    } else {
        ""
    };
    let rest = cells - halves.div_ceil(2);
    format!(
        "{}{}{half}{}{}",
        glyphs.stake_left,
        glyphs.whole.repeat(halves / 2),
        " ".repeat(rest),
        glyphs.stake_right
    )
}

impl<'t> StudyPageScreen<'t> {
    /// Opens a study page at the first new line or argument of its text. If the first argument is new, or everything or
    /// nothing, opens the page at the start.
    pub fn new(
        page: StudySessionPage,
        words: StudyTerminalTexts<'t>,
        clock: &'t mut SessionClock,
        keys: &'t KeyMap<Action>,
    ) -> Self {
        let text = text_entries(&page, &UNICODE);
        let scroll = scroll_to_new_text(&page, &text);
        Self {
            news: Some(in_words(&page, words)),
            answer: Answer::new(page.page.ask.as_ref().map(|ask| &ask.kind)),
            drawn_text: text,
            answer_area: Rect::ZERO,
            page,
            words,
            clock,
            base: ScreenBase::new(keys),
            scroll,
            unread: false,
            was_read_to_end: false,
            size: (0, 0),
            polling: None,
        }
    }

    /// Makes the screen read its study page again with `read_page` every second while the page waits.
    #[must_use]
    pub fn polling(
        mut self,
        read_page: impl FnMut() -> Result<StudySessionPage, String> + 't,
    ) -> Self {
        self.polling = Some(Polling {
            read_page: Box::new(read_page),
            next: Instant::now() + POLL_INTERVAL,
        });
        self
    }

    /// Reads the page of a waiting participant once more, and shows it if it has changed.
    pub fn poll_waiting_page(&mut self) {
        let Some(polling) = &mut self.polling else {
            return;
        };
        match (polling.read_page)() {
            Ok(page) => self.replace_page(page),
            Err(why) => self.base.note = Some(why),
        }
    }

    /// Replaces the page by another one and scrolls to its new text, or to its start if nothing is new. An equal page
    /// changes nothing.
    fn replace_page(&mut self, page: StudySessionPage) {
        if page == self.page {
            return;
        }
        self.news = Some(in_words(&page, self.words));
        self.answer = Answer::new(page.page.ask.as_ref().map(|ask| &ask.kind));
        self.drawn_text = text_entries(&page, &UNICODE);
        self.scroll = scroll_to_new_text(&page, &self.drawn_text);
        self.was_read_to_end = false;
        self.page = page;
    }

    /// Continues at a reading position if the previous page had the same text.
    #[must_use]
    pub fn restore_study_page_position(
        mut self,
        reading_position: Option<StudyPageReadingPosition>,
    ) -> Self {
        if let Some(reading_position) = reading_position
            .filter(|reading_position| reading_position.lines == text_entries(&self.page, &UNICODE))
        {
            self.scroll = reading_position.scroll;
            self.was_read_to_end = reading_position.was_read_to_end;
        }
        self
    }

    /// Returns the reading position.
    pub fn reading_position(&self) -> StudyPageReadingPosition {
        StudyPageReadingPosition {
            lines: text_entries(&self.page, &UNICODE),
            scroll: self.scroll.clone(),
            was_read_to_end: self.was_read_to_end,
        }
    }

    /// Returns the kind of answer that the page asks for; `None` if it asks for none.
    fn ask(&self) -> Option<&DebateAnswerForm> {
        self.page.page.ask.as_ref().map(|ask| &ask.kind)
    }

    fn context(&self) -> Contexts {
        match self.answer {
            Answer::None => STUDY_READ,
            Answer::Choice(_) => STUDY_CHOICE,
            Answer::Percent(_) => STUDY_NUMBER,
            Answer::Text(_) => STUDY_TEXT,
        }
    }

    /// Returns the question in lines. On a page without a question, returns the prompt for the key that continues, or a
    /// remark on unread text or on waiting.
    fn question_entries(&self) -> Vec<Entry> {
        let question = match &self.page.page.ask {
            None => self.words.press_enter_to_close_text(),
            Some(ask) => match ask.kind {
                DebateAnswerForm::Next if !self.was_read_to_end => {
                    self.words.more_text_below_remark()
                }
                DebateAnswerForm::Next if self.page.polls => self.words.waiting_page_remark(),
                DebateAnswerForm::Next | DebateAnswerForm::Size => self.words.press_enter_prompt(),
                _ => ask.text.clone(),
            },
        };
        question
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| Entry::unlabelled(TextRole::Title, line))
            .collect()
    }

    /// Returns the number of rows that the answer needs below the question.
    fn rows(&self, columns: u16) -> u16 {
        measure::to_u16_saturating(match &self.answer {
            Answer::None => 0,
            Answer::Choice(list) => list.rows(columns).all,
            Answer::Percent(_) if self.page.scale.is_some() => 3,
            Answer::Percent(_) => 2,
            Answer::Text(_) => 1,
        })
    }

    fn draw_answer(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        self.answer_area = area;
        match &mut self.answer {
            Answer::None => {}
            Answer::Choice(list) => list.draw(canvas, area),
            Answer::Percent(slider) => {
                let [track, below, last] =
                    Layout::vertical([Length(1), Length(1), Length(1)]).areas(area);
                self.answer_area = track;
                slider.draw(canvas, track);
                let percent = whole_percent(slider);
                if let Some(scale) = &self.page.scale {
                    let [most, least] = &scale.ends;
                    let columns = usize::from(below.width);
                    let gap = columns.saturating_sub(measure::width(least) + measure::width(most));
                    let ends = format!("{least}{}{most}", " ".repeat(gap.max(1)));
                    canvas.draw_text_clipped(&ends, TextRole::Faint, below);
                    if let Some(percent) = percent.filter(|_| scale.repeats_number) {
                        let words = scale.percent_in_words(percent);
                        canvas.draw_text_clipped(
                            &format!("{percent} %: {words}"),
                            TextRole::Title,
                            last,
                        );
                    }
                } else if let Some(DebateAnswerForm::Percent { answers, .. }) = self.ask() {
                    let shares = percent.map_or_else(
                        || ["?".to_owned(), "?".to_owned()],
                        |p| [p.to_string(), (100 - p).to_string()],
                    );
                    let [first_answer, second_answer] = answers;
                    let split = format!(
                        "{first_answer}: {first_percent} %   {second_answer}: {second_percent} %",
                        first_percent = shares[0],
                        second_percent = shares[1]
                    );
                    canvas.draw_text_clipped(&split, TextRole::Text, below);
                }
            }
            Answer::Text(line) => {
                let typed = line.visible_text(area.width.into());
                canvas.draw_text_line(&typed, TextRole::Title, area);
            }
        }
    }

    /// Submits the participant's answer. If the end of the text was not shown yet, scrolls down instead.
    fn send(&mut self) -> ScreenEffect<StudyPageOutcome> {
        if !self.was_read_to_end {
            let text = &self.drawn_text[..];
            self.scroll.scroll(text, self.scroll.lines_per_page_key());
            let remark = if self.scroll.is_scrolled_to_end(text) {
                self.words.end_of_text_shown_remark()
            } else {
                self.words.more_text_below_remark()
            };
            let has_answer = !matches!(
                self.ask(),
                None | Some(DebateAnswerForm::Next | DebateAnswerForm::Size)
            );
            self.base.note = has_answer.then_some(remark);
            return ScreenEffect::None;
        }
        let input = match &self.answer {
            Answer::None if self.ask() == Some(&DebateAnswerForm::Size) => {
                Ok(ParticipantInput::Size(Some(self.size)))
            }
            Answer::None => Ok(ParticipantInput::Next),
            Answer::Choice(list) => list
                .marked_index()
                .map(ParticipantInput::Choice)
                .ok_or_else(|| self.words.nothing_chosen_remark()),
            Answer::Percent(slider) => slider
                .value_as_text()
                .map(ParticipantInput::Text)
                .ok_or_else(|| self.words.missing_percentage_remark()),
            Answer::Text(line) => Ok(ParticipantInput::Text(line.typed_text().to_owned())),
        };
        match input {
            Ok(input) => ScreenEffect::Leave(StudyPageOutcome::Input(input)),
            Err(missing) => {
                self.base.note = Some(missing);
                ScreenEffect::None
            }
        }
    }
}

/// Returns the slider's percentage if it is a whole number.
fn whole_percent(slider: &SliderWidget) -> Option<u8> {
    let answer = slider.value_as_text()?;
    let percent = answer.strip_suffix('%')?.parse().ok();
    percent.filter(|percent| *percent <= 100)
}

impl Screen for StudyPageScreen<'_> {
    type Outcome = StudyPageOutcome;

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        self.size = (area.width, area.height);
        let [head, body, last] = page_areas(area);
        draw_title(&page_title(&self.page), canvas, head);
        let columns = body.width.saturating_sub(2);
        let question_entries = self.question_entries();
        let lines = measure::to_u16_saturating(measure_lines(&question_entries, columns));
        let rows = self.rows(columns).min(body.height / 2);
        // A question that is too long for a separate area is appended to the text.
        let most = (body.height * 2 / 3).saturating_sub(rows + 2);
        let apart = lines <= most;
        let below = rows + 2 + if apart { lines } else { 0 };
        // A question without a text is at the top, where reading starts.
        let alone = self.page.page.lines.is_empty() && self.page.arguments.is_empty() && apart;
        let [upper, lower] = if alone {
            let [lower, _] = Layout::vertical([Length(below), Fill(1)]).areas(body);
            [Rect::ZERO, lower]
        } else {
            Layout::vertical([Fill(1), Length(below)])
                .spacing(-1)
                .areas(body)
        };
        self.drawn_text = text_entries(&self.page, canvas.look.glyphs);
        if !apart {
            self.drawn_text.extend(question_entries);
        }
        let text = &self.drawn_text[..];
        // Lines of the arguments have their own marks.
        let has_new_lines = self.page.new_from > 0 && self.page.arguments.is_empty();
        let new = self.page.new_from..if has_new_lines {
            text.len()
        } else {
            self.page.new_from
        };
        if alone {
            self.unread = false;
            self.was_read_to_end = true;
        } else {
            let inner = canvas.draw_frame(&self.words.title_of_reading_area(), !apart, upper);
            self.scroll.draw(text, &new, true, canvas, inner);
            self.unread = !self.scroll.is_scrolled_to_end(text);
            self.was_read_to_end |= !self.unread;
        }
        let inner = canvas.draw_frame(&self.words.question_area_title(), true, lower);
        let [question, answer] = Layout::vertical([Fill(1), Length(rows)]).areas(inner);
        if apart {
            // `was_read_to_end`, on which the question depends, is up to date only here.
            let question_entries = self.question_entries();
            Scroll::at_start_without_following(0).draw(
                &question_entries[..],
                &(0..0),
                false,
                canvas,
                question,
            );
        }
        self.draw_answer(canvas, answer);
        self.base.draw_footer(self.screen_context(), canvas, last);
    }

    fn screen_context(&self) -> ScreenKeyContext {
        ScreenKeyContext::of_single_panel(self.context(), UNREAD.only_if(self.unread))
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        self.base.shared_parts()
    }

    fn act(&mut self, action: Action) -> ScreenEffect<StudyPageOutcome> {
        match action {
            Action::Send | Action::Onward => return self.send(),
            Action::Quit if self.page.is_session_over() => {
                return ScreenEffect::Leave(StudyPageOutcome::Gone);
            }
            Action::Quit => {
                return ScreenEffect::Leave(StudyPageOutcome::Input(ParticipantInput::Leave));
            }
            _ => {
                let widget = self.answer.widget();
                if !widget.is_some_and(|widget| widget.act(action)) {
                    scroll_text(action, &mut self.scroll, &self.drawn_text);
                }
            }
        }
        ScreenEffect::None
    }

    fn screen_reader_text(&self) -> Option<String> {
        match &self.answer {
            Answer::Choice(list) => list.marked_choice_in_words(),
            Answer::Percent(slider) => slider.chosen_value_for_screen_readers(),
            Answer::None | Answer::Text(_) => None,
        }
    }

    fn news(&mut self) -> Option<String> {
        self.news.take()
    }

    fn timer(&mut self) -> Option<&mut dyn ScreenWithTimedUpdates> {
        let waits = self.page.polls && self.polling.is_some();
        waits.then_some(self)
    }

    /// Ignores the request for home: the home screen would show other debates to a participant.
    fn go_home(&mut self) -> ScreenEffect<StudyPageOutcome> {
        ScreenEffect::None
    }

    fn input(&mut self, input: UnmappedScreenInput<'_>) -> Option<ScreenEffect<Self::Outcome>> {
        match input {
            UnmappedScreenInput::Typed(event) => self.write_typed_character(event),
            UnmappedScreenInput::Unbound(event) => Some(self.other_key(event)),
            UnmappedScreenInput::Mouse(event) => Some(self.handle_mouse(event)),
            UnmappedScreenInput::Paste(text) => {
                self.handle_paste(text);
                None
            }
            UnmappedScreenInput::Palette(_) | UnmappedScreenInput::Signal => None,
        }
    }
}

impl ScreenWithTimedUpdates for StudyPageScreen<'_> {
    fn deadline(&self) -> Option<Instant> {
        self.polling.as_ref().map(|polling| polling.next)
    }

    fn wake(&mut self) {
        let Some(polling) = &mut self.polling else {
            return;
        };
        if Instant::now() < polling.next {
            return;
        }
        polling.next = Instant::now() + POLL_INTERVAL;
        self.poll_waiting_page();
    }
}

impl StudyPageScreen<'_> {
    fn write_typed_character(&mut self, event: KeyEvent) -> Option<ScreenEffect<StudyPageOutcome>> {
        self.clock.record_key_press();
        let Answer::Text(line) = &mut self.answer else {
            return None;
        };
        match line.key(event) {
            LineInputResult::Submitted => Some(self.send()),
            LineInputResult::Cancelled => Some(ScreenEffect::Leave(StudyPageOutcome::Input(
                ParticipantInput::Leave,
            ))),
            LineInputResult::Changed => Some(ScreenEffect::None),
            LineInputResult::Ignored => None,
        }
    }

    fn other_key(&mut self, event: KeyEvent) -> ScreenEffect<StudyPageOutcome> {
        if let Some(widget) = self.answer.widget() {
            pass_unmapped_key(widget, event);
        }
        ScreenEffect::None
    }

    /// Handles a mouse event. A click only marks an answer. The user submits the answer by its key, or by a click on
    /// this key's hint.
    fn handle_mouse(&mut self, event: MouseEvent) -> ScreenEffect<StudyPageOutcome> {
        self.clock.record_key_press();
        let at = Position::new(event.column, event.row);
        let presses = [MouseEventKind::Down, MouseEventKind::Drag];
        if let Some(lines) = wheel_lines(event.kind) {
            self.scroll.scroll(&self.drawn_text[..], lines);
        } else if presses
            .map(|press| press(MouseButton::Left))
            .contains(&event.kind)
            && let Some(widget) = self.answer.widget()
        {
            let area = self.answer_area;
            widget.input(UnmappedWidgetInput::Click { at, area });
        }
        ScreenEffect::None
    }

    fn handle_paste(&mut self, text: &str) {
        if let Answer::Text(line) = &mut self.answer {
            line.paste(text);
        }
    }
}
