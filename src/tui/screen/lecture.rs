//! A page of the tutorial: words, and figures that are computed while it is read.

use std::time::Instant;

use ratatui::{
    buffer::Buffer,
    crossterm::event::MouseEvent,
    layout::{Position, Rect},
};

use super::aside::{Task, next_look};
use super::keys::{COMPUTING, LECTURE, LESSON};
use super::stage::{edges, footer};
use super::{Do, Effect, Here, Over, Show, wheel_action};
use crate::tui::actions::KeyMap;
use crate::tui::panel::{
    frame,
    overlay::centred,
    scroll::{Entry, Scroll},
};
use crate::tui::theme::{Look, Role};
use debate_lab::analysis::review::{Unknown, Watch};

/// Lines of words at most so wide: longer ones are hard to read.
const COLUMNS: u16 = 80;
/// Columns of labels.
const MARGIN: u16 = 0;

/// What was decided at the end of a part of the tutorial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Went {
    /// To go on.
    On,
    /// To leave.
    Away,
}

/// What a page tells: a label and sentences each; a label may be empty.
pub type Paragraphs = Vec<(String, String)>;

/// A page on the screen.
pub struct Lecture<'k> {
    title: String,
    /// What is said above the figures, and below them.
    words: [Paragraphs; 2],
    figures: Task<Paragraphs>,
    keys: &'k KeyMap<Do>,
    scroll: Scroll,
    /// Where the words were drawn.
    place: Rect,
    over: Over,
    said: Option<String>,
}

impl<'k> Lecture<'k> {
    /// A page with these words.
    #[must_use]
    pub fn new(title: &str, words: Paragraphs, keys: &'k KeyMap<Do>) -> Self {
        let mut scroll = Scroll::new(MARGIN);
        scroll.unstick();
        Self {
            title: title.to_owned(),
            words: [words, Paragraphs::new()],
            figures: Task::Idle,
            keys,
            scroll,
            place: Rect::ZERO,
            over: Over::default(),
            said: None,
        }
    }

    /// The same with figures below, found on the side, and with more words below those.
    #[must_use]
    pub fn with_figures(
        mut self,
        work: impl FnOnce(Watch<'_>) -> Result<Paragraphs, Unknown> + Send + 'static,
        below: Paragraphs,
    ) -> Self {
        self.figures = Task::start(move |signals| work(signals.watch()));
        self.words[1] = below;
        self
    }

    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut tell = |told: &[(String, String)]| {
            for (label, text) in told {
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
            Task::Idle => {}
            Task::Running(_) => {
                let stop = self.keys.called(LECTURE, Do::Stop);
                tell(&alone(format!(
                    "The figures are being computed; {stop} stops."
                )));
            }
            Task::Done(Ok(told)) => tell(told),
            Task::Done(Err(why)) => tell(&alone(format!("The figures are not known: {why}."))),
        }
        tell(below);
        entries
    }

    fn scroll(&mut self, lines: isize) {
        let entries = self.entries();
        self.scroll.scroll(&entries[..], lines);
        self.scroll.unstick();
    }
}

impl Show for Lecture<'_> {
    type Outcome = Went;

    fn picture(&mut self, look: &Look, buffer: &mut Buffer, area: Rect) {
        self.figures.poll();
        let room = Rect {
            height: area.height.saturating_sub(1),
            ..area
        };
        let upper = centred(room, COLUMNS, room.height);
        let inner = frame(&self.title, true, look, buffer, upper);
        self.place = inner;
        let entries = self.entries();
        self.scroll.fit(&entries[..], inner);
        self.scroll
            .render(&entries[..], &(0..0), look, buffer, inner);
        edges(&self.scroll, &entries[..], true, look, buffer, inner);
        let last = Rect {
            y: area.bottom() - 1,
            height: 1,
            ..area
        };
        let said = self.said.as_deref();
        footer(said, self.keys, self.here(), look, buffer, last);
    }

    fn here(&self) -> Here {
        Here {
            context: LECTURE,
            screen: LECTURE,
            facts: LESSON | COMPUTING.only_if(self.figures.is_running()),
        }
    }

    fn over(&mut self) -> (&mut Over, &KeyMap<Do>) {
        (&mut self.over, self.keys)
    }

    fn about(&self) -> [String; 2] {
        let about = "A page of the tutorial.";
        [about.to_owned(), String::new()]
    }

    fn act(&mut self, action: Do) -> Effect<Went> {
        let page = self.scroll.page();
        match action {
            Do::Onward => return Effect::Leave(Went::On),
            Do::Quit => return Effect::Leave(Went::Away),
            Do::Up => self.scroll(-1),
            Do::Down => self.scroll(1),
            Do::PageUp => self.scroll(-page),
            Do::PageDown => self.scroll(page),
            Do::First => self.scroll(isize::MIN / 2),
            Do::Last => self.scroll(isize::MAX / 2),
            Do::Stop => self.figures.stop(),
            _ => {}
        }
        Effect::None
    }

    fn said(&mut self) -> &mut Option<String> {
        &mut self.said
    }

    fn gone(&self) -> Went {
        Went::Away
    }

    fn touch(&mut self, event: MouseEvent) -> Effect<Went> {
        if !self.place.contains(Position::new(event.column, event.row)) {
            return Effect::None;
        }
        match wheel_action(event.kind) {
            Some(Do::Up) => self.scroll(-3),
            Some(_) => self.scroll(3),
            None => {}
        }
        Effect::None
    }

    fn deadline(&self) -> Option<Instant> {
        self.figures.is_running().then(next_look)
    }
}
