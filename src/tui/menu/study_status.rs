//! How far the participants of a study are: looked up anew every few seconds.

use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::actions::{KeyMap, ScreenContext};
use crate::tui::keys::{Action, STUDY_STATUS, UNREAD};
use crate::tui::screen::{Effect, Overlay, Screen, footer, page};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::scroll::{Entry, Scroll, in_words};
use crate::tui::widget::{frame, measure};

/// How often it is looked up again.
const AGAIN: Duration = Duration::from_secs(2);

/// What is shown, and where it comes from.
pub struct StudyStatusScreen<'t> {
    /// Looks it up: lines, the first of them a heading; or why they cannot be had.
    look_up: Box<dyn FnMut() -> Result<Vec<String>, String> + 't>,
    heading: String,
    lines: Vec<Entry>,
    scroll: Scroll,
    next: Instant,
    keys: &'t KeyMap<Action>,
    unread: bool,
    overlay: Overlay,
    note: Option<String>,
}

impl<'t> StudyStatusScreen<'t> {
    pub fn new(
        look_up: impl FnMut() -> Result<Vec<String>, String> + 't,
        keys: &'t KeyMap<Action>,
    ) -> Self {
        let mut shown = Self {
            look_up: Box::new(look_up),
            heading: String::new(),
            lines: Vec::new(),
            scroll: Scroll::fixed(0),
            next: Instant::now(),
            keys,
            unread: false,
            overlay: Overlay::default(),
            note: None,
        };
        shown.wake();
        shown
    }
}

impl Screen for StudyStatusScreen<'_> {
    type Outcome = ();

    fn render(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        let [head, body, last] = page(area);
        let room = usize::from(head.width.saturating_sub(2));
        let heading = measure::clip(&self.heading, room, look.glyphs.ellipsis);
        let style = look.style(Role::Title);
        measure::put(&format!(" {heading}"), style, buffer, head);
        let inner = frame("Participants", true, look, buffer, body);
        self.scroll
            .draw(&self.lines[..], &(0..0), true, look, buffer, inner);
        self.unread = !self.scroll.is_at_end(&self.lines[..]);
        let note = self.note.as_deref();
        footer(note, self.keys, self.screen_context(), look, buffer, last);
    }

    fn screen_context(&self) -> ScreenContext {
        ScreenContext {
            context: STUDY_STATUS,
            screen: STUDY_STATUS,
            facts: UNREAD.only_if(self.unread),
        }
    }

    fn standing(&self) -> Option<String> {
        Some(in_words(&self.heading, &self.lines))
    }

    fn overlay(&mut self) -> (&mut Overlay, &KeyMap<Action>) {
        (&mut self.overlay, self.keys)
    }

    fn about(&self) -> [String; 2] {
        let about = "Who takes part in the study, and how far they are. It is looked up again every two seconds.";
        [about.to_owned(), String::new()]
    }

    fn act(&mut self, action: Action) -> Effect<()> {
        if action == Action::Quit {
            return Effect::Leave(());
        }
        if let Some(lines) = action.scroll_lines(self.scroll.page()) {
            self.scroll.scroll(&self.lines[..], lines);
        }
        Effect::None
    }

    fn note(&mut self) -> &mut Option<String> {
        &mut self.note
    }

    fn gone(&self) {}

    /// Home shows debates: the researcher stays here.
    fn go_home(&mut self) -> Effect<()> {
        Effect::None
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.next)
    }

    fn wake(&mut self) {
        if Instant::now() < self.next {
            return;
        }
        match (self.look_up)() {
            Ok(lines) => {
                let mut lines = lines.into_iter();
                self.heading = lines.next().unwrap_or_default();
                let entry = |line: String| Entry::default().then(Role::Text, line);
                self.lines = lines.map(entry).collect();
            }
            Err(why) => self.note = Some(why),
        }
        self.next = Instant::now() + AGAIN;
    }
}
