//! Read-only pages: texts of the tutorial, the progress of a study's participants, and the wait for a computation.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::MouseEvent;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};

use crate::tui::actions::{KeyMap, ScreenKeyContext};
use crate::tui::background::BackgroundTaskState;
use crate::tui::input::MainLoopWaker;
use crate::tui::keys::{
    Action, COMPUTING, LECTURE, LESSON, STUDY_STATUS, UNREAD, WAITING, scroll_text, wheel_lines,
};
use crate::tui::screen::{
    BorrowedScreenParts, Screen, ScreenBase, ScreenEffect, ScreenWithTimedUpdates,
    UnmappedScreenInput, draw_title, page_areas,
};
use crate::tui::theme::TextRole;
use crate::tui::widget::scroll::{Entry, Scroll, screen_reader_text};
use crate::tui::widget::{Canvas, centred, measure};
use debate_core::budget::ComputationBudget;
use debate_solver::analysis::review::ReviewError;

/// Maximum width of text lines; longer lines are hard to read.
const MAX_TEXT_COLUMNS: u16 = 80;

/// The text of a page as paragraphs, each with a label, which may be empty, and sentences.
pub type Paragraphs = Vec<(String, String)>;

/// The state of a page on the screen.
pub struct ReadingPage<'k> {
    title: String,
    /// The texts above and below the page's figures.
    paragraphs: [Paragraphs; 2],
    figures: BackgroundTaskState<Paragraphs>,
    base: ScreenBase<'k>,
    scroll: Scroll,
    /// The area of the text.
    text_area: Rect,
}

impl<'k> ReadingPage<'k> {
    /// Creates a page with these paragraphs.
    pub fn new(title: &str, paragraphs: Paragraphs, keys: &'k KeyMap<Action>) -> Self {
        Self {
            title: title.to_owned(),
            paragraphs: [paragraphs, Paragraphs::new()],
            figures: BackgroundTaskState::Idle,
            base: ScreenBase::new(keys),
            scroll: Scroll::at_start_without_following(0),
            text_area: Rect::ZERO,
        }
    }

    /// Adds figures, which a background computation returns, and further paragraphs below them.
    #[must_use]
    pub fn with_figures(
        mut self,
        work: impl FnOnce(ComputationBudget<'_>) -> Result<Paragraphs, ReviewError> + Send + 'static,
        below: Paragraphs,
        waker: &MainLoopWaker,
    ) -> Self {
        self.figures = BackgroundTaskState::start(waker, move |signals| {
            work(signals.cancellable_search_budget())
        });
        self.paragraphs[1] = below;
        self
    }

    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut add_paragraphs = |rows: &[(String, String)]| {
            for (label, text) in rows {
                if !entries.is_empty() {
                    entries.push(Entry::default());
                }
                let mut entry = Entry::default();
                if !label.is_empty() {
                    entry = entry.append_span(TextRole::Title, format!("{label}: "));
                }
                entries.push(entry.append_span(TextRole::Text, text));
            }
        };
        let [above, below] = &self.paragraphs;
        add_paragraphs(above);
        let alone = |text: String| vec![(String::new(), text)];
        match &self.figures {
            BackgroundTaskState::Idle => {}
            BackgroundTaskState::Running(_) => {
                let stop_key = self.base.keys.key_or_command_name(LECTURE, Action::Stop);
                add_paragraphs(&alone(format!(
                    "The numbers are being computed; {stop_key} stops the computation."
                )));
            }
            BackgroundTaskState::Done(Ok(computed)) => add_paragraphs(computed),
            BackgroundTaskState::Done(Err(why)) => {
                add_paragraphs(&alone(format!("The numbers are unknown: {why}.")));
            }
        }
        add_paragraphs(below);
        entries
    }
}

impl Screen for ReadingPage<'_> {
    type Outcome = ();

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        self.figures.poll();
        let [room, last] = Layout::vertical([Fill(1), Length(1)]).areas(area);
        let upper = centred(room, MAX_TEXT_COLUMNS, room.height);
        let inner = canvas.draw_frame(&self.title, true, upper);
        self.text_area = inner;
        let entries = self.entries();
        self.scroll.draw(&entries[..], &(0..0), true, canvas, inner);
        self.base.draw_footer(self.screen_context(), canvas, last);
    }

    fn screen_context(&self) -> ScreenKeyContext {
        ScreenKeyContext::of_single_panel(
            LECTURE,
            LESSON | COMPUTING.only_if(self.figures.is_running()),
        )
    }

    fn screen_reader_text(&self) -> Option<String> {
        Some(screen_reader_text(&self.title, &self.entries()))
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        self.base.shared_parts()
    }

    fn act(&mut self, action: Action) -> ScreenEffect<()> {
        match action {
            Action::Onward | Action::Quit => return ScreenEffect::Leave(()),
            Action::Stop if !self.figures.is_running() => return ScreenEffect::Leave(()),
            Action::Stop => self.figures.cancel(),
            _ => {
                let entries = self.entries();
                scroll_text(action, &mut self.scroll, &entries);
            }
        }
        ScreenEffect::None
    }

    fn input(&mut self, input: UnmappedScreenInput<'_>) -> Option<ScreenEffect<Self::Outcome>> {
        match input {
            UnmappedScreenInput::Mouse(event) => Some(self.handle_mouse(event)),
            UnmappedScreenInput::Typed(_)
            | UnmappedScreenInput::Unbound(_)
            | UnmappedScreenInput::Paste(_)
            | UnmappedScreenInput::Palette(_)
            | UnmappedScreenInput::Signal => None,
        }
    }
}

impl ReadingPage<'_> {
    fn handle_mouse(&mut self, event: MouseEvent) -> ScreenEffect<()> {
        let at = Position::new(event.column, event.row);
        if let Some(lines) = wheel_lines(event.kind).filter(|_| self.text_area.contains(at)) {
            let entries = self.entries();
            self.scroll.scroll(&entries[..], lines);
        }
        ScreenEffect::None
    }
}

/// The interval at which a study's status is read again from the disk.
const REFRESH_INTERVAL: Duration = Duration::from_secs(2);

/// A study's status page, with the source of its lines.
pub struct StudyStatusScreen<'t> {
    /// The function that returns the lines of the status, the first of which is a heading, or the reason of a failure.
    read_lines: Box<dyn FnMut() -> Result<Vec<String>, String> + 't>,
    heading: String,
    lines: Vec<Entry>,
    scroll: Scroll,
    next_refresh: Instant,
    base: ScreenBase<'t>,
    unread: bool,
}

impl<'t> StudyStatusScreen<'t> {
    pub fn new(
        read_lines: impl FnMut() -> Result<Vec<String>, String> + 't,
        keys: &'t KeyMap<Action>,
    ) -> Self {
        let mut shown = Self {
            read_lines: Box::new(read_lines),
            heading: String::new(),
            lines: Vec::new(),
            scroll: Scroll::at_start_without_following(0),
            next_refresh: Instant::now(),
            base: ScreenBase::new(keys),
            unread: false,
        };
        shown.wake();
        shown
    }
}

impl Screen for StudyStatusScreen<'_> {
    type Outcome = ();

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let [head, body, last] = page_areas(area);
        draw_title(&self.heading, canvas, head);
        self.scroll
            .draw_panel("Participants", true, &self.lines, canvas, body);
        self.unread = !self.scroll.is_scrolled_to_end(&self.lines[..]);
        self.base.draw_footer(self.screen_context(), canvas, last);
    }

    fn screen_context(&self) -> ScreenKeyContext {
        ScreenKeyContext::of_single_panel(STUDY_STATUS, UNREAD.only_if(self.unread))
    }

    fn screen_reader_text(&self) -> Option<String> {
        Some(screen_reader_text(&self.heading, &self.lines))
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        self.base.shared_parts()
    }

    fn act(&mut self, action: Action) -> ScreenEffect<()> {
        if action == Action::Quit {
            return ScreenEffect::Leave(());
        }
        if let Some(lines) = action.scroll_lines(self.scroll.lines_per_page_key()) {
            self.scroll.scroll(&self.lines[..], lines);
        }
        ScreenEffect::None
    }

    /// Ignores the request for the home screen. The home screen shows debates, and a study's status page must not lead
    /// the researcher to them.
    fn go_home(&mut self) -> ScreenEffect<()> {
        ScreenEffect::None
    }

    fn timer(&mut self) -> Option<&mut dyn ScreenWithTimedUpdates> {
        Some(self)
    }
}

impl ScreenWithTimedUpdates for StudyStatusScreen<'_> {
    fn deadline(&self) -> Option<Instant> {
        Some(self.next_refresh)
    }

    fn wake(&mut self) {
        if Instant::now() < self.next_refresh {
            return;
        }
        match (self.read_lines)() {
            Ok(lines) => {
                let mut lines = lines.into_iter();
                self.heading = lines.next().unwrap_or_default();
                let entry = |line: String| Entry::unlabelled(TextRole::Text, line);
                self.lines = lines.map(entry).collect();
            }
            Err(why) => self.base.note = Some(why),
        }
        self.next_refresh = Instant::now() + REFRESH_INTERVAL;
    }
}

/// A screen that runs a computation on a separate thread and shows that the user waits for it. The outcome is the
/// computation's result, or `None` if the user cancels the wait.
pub struct ComputationWaitScreen<'k, T> {
    /// The computation's activity, as the start of a sentence: "The players are being prepared".
    activity: String,
    task: BackgroundTaskState<T>,
    base: ScreenBase<'k>,
}

impl<'k, T: Send + 'static> ComputationWaitScreen<'k, T> {
    /// Starts a computation.
    pub fn new(
        activity: &str,
        waker: &MainLoopWaker,
        keys: &'k KeyMap<Action>,
        work: impl FnOnce(ComputationBudget<'_>) -> T + Send + 'static,
    ) -> Self {
        Self {
            activity: activity.to_owned(),
            task: BackgroundTaskState::start(waker, move |signals| {
                Ok(work(signals.cancellable_search_budget()))
            }),
            base: ScreenBase::new(keys),
        }
    }

    fn waiting_text(&self) -> String {
        format!("{} …", self.activity)
    }

    /// Returns the computation's result if it arrives within `timeout`, or an error if its thread could not be started
    /// or has failed. `None` if the computation is still running.
    pub fn wait_for_computation_result(
        &mut self,
        timeout: Duration,
    ) -> Option<Result<T, ReviewError>> {
        self.task.wait_for_result(timeout);
        match std::mem::replace(&mut self.task, BackgroundTaskState::Idle) {
            BackgroundTaskState::Done(found) => Some(found),
            running => {
                self.task = running;
                None
            }
        }
    }
}

impl<T: Send + 'static> Screen for ComputationWaitScreen<'_, T> {
    type Outcome = Option<Result<T, ReviewError>>;

    fn render(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let [_, body, last] = page_areas(area);
        let text = self.waiting_text();
        let row = measure::skip_columns(measure::row(body, usize::from(body.height / 3)), 2);
        canvas.draw_text_line(&text, TextRole::Title, row);
        self.base.draw_footer(self.screen_context(), canvas, last);
    }

    fn screen_context(&self) -> ScreenKeyContext {
        ScreenKeyContext::of_single_panel(WAITING, COMPUTING)
    }

    fn screen_reader_text(&self) -> Option<String> {
        Some(self.waiting_text())
    }

    fn shared_parts(&mut self) -> BorrowedScreenParts<'_> {
        self.base.shared_parts()
    }

    fn act(&mut self, action: Action) -> ScreenEffect<Self::Outcome> {
        match action {
            Action::Stop | Action::Quit => ScreenEffect::Leave(None),
            _ => ScreenEffect::None,
        }
    }

    fn input(&mut self, input: UnmappedScreenInput<'_>) -> Option<ScreenEffect<Self::Outcome>> {
        match input {
            UnmappedScreenInput::Signal => Some(self.handle_wake()),
            UnmappedScreenInput::Typed(_)
            | UnmappedScreenInput::Unbound(_)
            | UnmappedScreenInput::Mouse(_)
            | UnmappedScreenInput::Paste(_)
            | UnmappedScreenInput::Palette(_) => None,
        }
    }
}

impl<T: Send + 'static> ComputationWaitScreen<'_, T> {
    fn handle_wake(&mut self) -> ScreenEffect<Option<Result<T, ReviewError>>> {
        let result = self.wait_for_computation_result(Duration::ZERO);
        result.map_or(ScreenEffect::None, |result| {
            ScreenEffect::Leave(Some(result))
        })
    }
}
