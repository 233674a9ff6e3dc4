//! The screen while something is computed that the next screen needs.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::actions::{KeyMap, ScreenContext};
use crate::tui::background::BackgroundTask;
use crate::tui::input::Waker;
use crate::tui::keys::{Action, COMPUTING, WAITING};
use crate::tui::screen::{Effect, Overlay, Screen, footer, page};
use crate::tui::theme::{Appearance, Role};
use crate::tui::widget::measure;
use debate_core::budget::Budget;
use debate_lab::analysis::review::ReviewError;

/// A computation on a thread of its own, and the screen while it is waited for. The screen leaves
/// with what was computed; with `None` where the user does not want to wait.
pub struct Waiting<'k, T> {
    /// The work, as a sentence begins: "The players are being prepared".
    what: String,
    task: BackgroundTask<T>,
    keys: &'k KeyMap<Action>,
    overlay: Overlay,
    note: Option<String>,
}

impl<'k, T: Send + 'static> Waiting<'k, T> {
    /// Starts a computation.
    pub fn new(
        what: &str,
        waker: &Waker,
        keys: &'k KeyMap<Action>,
        work: impl FnOnce(Budget<'_>) -> T + Send + 'static,
    ) -> Self {
        Self {
            what: what.to_owned(),
            task: BackgroundTask::start(waker, move |signals| Ok(work(signals.budget()))),
            keys,
            overlay: Overlay::default(),
            note: None,
        }
    }

    fn waiting(&self) -> String {
        format!("{} …", self.what)
    }

    /// The result, if it is there within so long; an error where there is no thread for it.
    pub fn take(&mut self, patience: Duration) -> Option<Result<T, ReviewError>> {
        self.task.wait(patience);
        match std::mem::replace(&mut self.task, BackgroundTask::Idle) {
            BackgroundTask::Done(found) => Some(found),
            running => {
                self.task = running;
                None
            }
        }
    }
}

impl<T: Send + 'static> Screen for Waiting<'_, T> {
    type Outcome = Option<Result<T, ReviewError>>;

    fn render(&mut self, look: &Appearance, buffer: &mut Buffer, area: Rect) {
        let [_, body, last] = page(area);
        let text = self.waiting();
        let row = measure::after(measure::row(body, usize::from(body.height / 3)), 2);
        look.put(&text, Role::Title, buffer, row);
        let note = self.note.as_deref();
        footer(note, self.keys, self.screen_context(), look, buffer, last);
    }

    fn screen_context(&self) -> ScreenContext {
        ScreenContext {
            context: WAITING,
            screen: WAITING,
            facts: COMPUTING,
        }
    }

    fn standing(&self) -> Option<String> {
        Some(self.waiting())
    }

    fn overlay(&mut self) -> (&mut Overlay, &KeyMap<Action>) {
        (&mut self.overlay, self.keys)
    }

    fn about(&self) -> [String; 2] {
        let about = "The program computes what the next screen needs. {stop} and {quit} do not wait \
                     for it.";
        [about.to_owned(), String::new()]
    }

    fn act(&mut self, action: Action) -> Effect<Self::Outcome> {
        match action {
            Action::Stop | Action::Quit => Effect::Leave(None),
            _ => Effect::None,
        }
    }

    fn note(&mut self) -> &mut Option<String> {
        &mut self.note
    }

    fn gone(&self) -> Self::Outcome {
        None
    }

    fn woken(&mut self) -> Effect<Self::Outcome> {
        let result = self.take(Duration::ZERO);
        result.map_or(Effect::None, |result| Effect::Leave(Some(result)))
    }
}
