//! A page of the tutorial: words, and figures that are computed while it is read.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::MouseEvent;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};

use crate::tui::actions::{KeyMap, ScreenContext};
use crate::tui::background::BackgroundTask;
use crate::tui::input::Waker;
use crate::tui::keys::{Action, COMPUTING, LECTURE, LESSON, scroll_text, wheel_lines};
use crate::tui::screen::{Effect, Overlay, Screen, footer};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::scroll::{Entry, Scroll, in_words};
use crate::tui::widget::{centred, frame};
use debate_core::budget::Budget;
use debate_lab::analysis::review::ReviewError;

/// Lines of words at most so wide: longer ones are hard to read.
const COLUMNS: u16 = 80;

/// The user's decision at the end of a part of the tutorial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LessonOutcome {
    /// To go on.
    Continue,
    /// To leave.
    Leave,
}

/// Paragraphs of a page: a label and sentences each; a label may be empty.
pub type Paragraphs = Vec<(String, String)>;

/// A page on the screen.
pub struct Lecture<'k> {
    title: String,
    /// The texts above the figures and below them.
    words: [Paragraphs; 2],
    figures: BackgroundTask<Paragraphs>,
    keys: &'k KeyMap<Action>,
    scroll: Scroll,
    /// The area of the text.
    place: Rect,
    overlay: Overlay,
    note: Option<String>,
}

impl<'k> Lecture<'k> {
    /// A page with these words.
    pub fn new(title: &str, words: Paragraphs, keys: &'k KeyMap<Action>) -> Self {
        Self {
            title: title.to_owned(),
            words: [words, Paragraphs::new()],
            figures: BackgroundTask::Idle,
            keys,
            scroll: Scroll::fixed(0),
            place: Rect::ZERO,
            overlay: Overlay::default(),
            note: None,
        }
    }

    /// Adds figures, computed in the background, and more words below them.
    #[must_use]
    pub fn with_figures(
        mut self,
        work: impl FnOnce(Budget<'_>) -> Result<Paragraphs, ReviewError> + Send + 'static,
        below: Paragraphs,
        waker: &Waker,
    ) -> Self {
        self.figures = BackgroundTask::start(waker, move |signals| work(signals.budget()));
        self.words[1] = below;
        self
    }

    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut tell = |rows: &[(String, String)]| {
            for (label, text) in rows {
                if !entries.is_empty() {
                    entries.push(Entry::default());
                }
                let mut entry = Entry::default();
                if !label.is_empty() {
                    entry = entry.then(Role::Title, format!("{label}: "));
                }
                entries.push(entry.then(Role::Text, text));
            }
        };
        let [above, below] = &self.words;
        tell(above);
        let alone = |text: String| vec![(String::new(), text)];
        match &self.figures {
            BackgroundTask::Idle => {}
            BackgroundTask::Running(_) => {
                let stop = self.keys.called(LECTURE, Action::Stop);
                tell(&alone(format!(
                    "The figures are being computed; {stop} stops."
                )));
            }
            BackgroundTask::Done(Ok(told)) => tell(told),
            BackgroundTask::Done(Err(why)) => {
                tell(&alone(format!("The figures are not known: {why}.")));
            }
        }
        tell(below);
        entries
    }
}

impl Screen for Lecture<'_> {
    type Outcome = LessonOutcome;

    fn render(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        self.figures.poll();
        let [room, last] = Layout::vertical([Fill(1), Length(1)]).areas(area);
        let upper = centred(room, COLUMNS, room.height);
        let inner = frame(&self.title, true, look, buffer, upper);
        self.place = inner;
        let entries = self.entries();
        self.scroll
            .draw(&entries[..], &(0..0), true, look, buffer, inner);
        let note = self.note.as_deref();
        footer(note, self.keys, self.screen_context(), look, buffer, last);
    }

    fn screen_context(&self) -> ScreenContext {
        ScreenContext {
            context: LECTURE,
            screen: LECTURE,
            facts: LESSON | COMPUTING.only_if(self.figures.is_running()),
        }
    }

    fn standing(&self) -> Option<String> {
        Some(in_words(&self.title, &self.entries()))
    }

    fn overlay(&mut self) -> (&mut Overlay, &KeyMap<Action>) {
        (&mut self.overlay, self.keys)
    }

    fn about(&self) -> [String; 2] {
        let about = "A page of the tutorial.";
        [about.to_owned(), String::new()]
    }

    fn act(&mut self, action: Action) -> Effect<LessonOutcome> {
        match action {
            Action::Onward => return Effect::Leave(LessonOutcome::Continue),
            Action::Quit => return Effect::Leave(LessonOutcome::Leave),
            Action::Stop => self.figures.stop(),
            _ => {
                let entries = self.entries();
                scroll_text(action, &mut self.scroll, &entries);
            }
        }
        Effect::None
    }

    fn note(&mut self) -> &mut Option<String> {
        &mut self.note
    }

    fn gone(&self) -> LessonOutcome {
        LessonOutcome::Leave
    }

    fn touch(&mut self, event: MouseEvent) -> Effect<LessonOutcome> {
        let at = Position::new(event.column, event.row);
        if let Some(lines) = wheel_lines(event.kind).filter(|_| self.place.contains(at)) {
            let entries = self.entries();
            self.scroll.scroll(&entries[..], lines);
        }
        Effect::None
    }
}
