//! The terminal while the program has it, and what holds for all pages.

use std::rc::Rc;
use std::time::Duration;

use super::Failure;
use super::plan::{DebateOptions, SaveOptions};
use super::preferences::{self, Preferences};
use crate::tui::actions::KeyMap;
use crate::tui::input::{Inbox, Waker};
use crate::tui::scene::Tempo;
use crate::tui::screen::{self, Action, Screen, Waiting};
use crate::tui::settings::Settings;
use crate::tui::terminal::{EndReason, Terminal, TerminalFeatures};
use crate::tui::theme::Appearance;
use debate_core::budget::Budget;

/// A page waits so long for a computation before the screen says so.
const PATIENCE: Duration = Duration::from_millis(30);

/// Options of the command line.
#[derive(Clone, Debug, Default)]
pub struct AppOptions {
    /// The settings, flags included.
    pub preferences: Preferences,
    /// The folder of saves, or none.
    pub keeping: SaveOptions,
    /// Options for a scenario that is picked.
    pub debate: DebateOptions,
}

/// The context of all pages: the terminal, the keys, the options.
pub struct AppContext {
    /// The terminal; taken when the first screen is shown, so that what is wrong before is said
    /// where it can be read.
    open: Option<OpenTerminal>,
    inbox: Inbox<()>,
    keys: Rc<KeyMap<Action>>,
    /// The pace of the others' moves.
    pub(super) tempo: Tempo,
    pub(super) options: AppOptions,
}

/// The terminal while the program has it.
struct OpenTerminal {
    terminal: Terminal,
    look: Appearance,
}

impl OpenTerminal {
    fn new(preferences: &Preferences, inbox: &Inbox<()>) -> Result<Self, Failure> {
        let settings = &preferences.settings;
        let options = TerminalFeatures {
            mouse: !settings.no_mouse,
            asks_background: preferences.asks_background(),
        };
        let terminal = Terminal::open(options, inbox)?;
        let look = preferences::look(settings, preferences.color, terminal.background());
        Ok(Self { terminal, look })
    }
}

impl AppContext {
    /// The context of these options; nothing is shown yet.
    pub fn new(options: AppOptions) -> Result<Self, Failure> {
        let settings = &options.preferences.settings;
        let keys = settings.keys().map_err(Failure::system)?;
        Ok(Self {
            open: None,
            inbox: Inbox::new(),
            keys: Rc::new(keys),
            tempo: settings.tempo,
            options,
        })
    }

    /// The keys of all screens.
    pub(super) fn keys(&self) -> Rc<KeyMap<Action>> {
        Rc::clone(&self.keys)
    }

    /// Wakes the screen that is shown.
    pub(super) fn waker(&self) -> Waker {
        self.inbox.waker()
    }

    /// The look of the screen under any settings. Colours are on or off as it was
    /// asked for.
    pub(super) fn looks(&self) -> impl Fn(&Settings) -> Appearance + use<> {
        let color = self.options.preferences.color;
        let background = self
            .open
            .as_ref()
            .and_then(|open| open.terminal.background());
        move |settings| preferences::look(settings, color, background)
    }

    /// Takes over what was changed in the settings; the rest stays as flags and keys have made it.
    pub(super) fn apply(&mut self, before: &Settings, settings: &Settings) -> Result<(), Failure> {
        self.keys = Rc::new(settings.keys().map_err(Failure::system)?);
        self.tempo = settings.tempo;
        let looks = self.looks();
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        if settings.looks_different(before) {
            open.look = looks(settings);
        }
        if before.no_mouse != settings.no_mouse && open.terminal.has_mouse() == settings.no_mouse {
            open.terminal.toggle_mouse()?;
        }
        Ok(())
    }

    /// Shows a screen until it ends.
    pub(super) fn show<S: Screen>(&mut self, screen: &mut S) -> Result<S::Outcome, Failure> {
        let open = match self.open.take() {
            Some(open) => open,
            None => OpenTerminal::new(&self.options.preferences, &self.inbox)?,
        };
        let open = self.open.insert(open);
        Ok(screen::run(
            &mut open.terminal,
            &mut self.inbox,
            screen,
            &mut open.look,
        )?)
    }

    /// Computes something on a thread of its own. Where it is not there within a frame, the screen
    /// says what is waited for. `None`: the user does not want to wait.
    pub(super) fn wait_for<T: Send + 'static>(
        &mut self,
        what: &str,
        work: impl FnOnce(Budget<'_>) -> T + Send + 'static,
    ) -> Result<Option<T>, Failure> {
        let keys = self.keys();
        let mut waiting = Waiting::new(what, &self.waker(), &keys, work);
        let found = match waiting.take(PATIENCE) {
            Some(found) => Some(found),
            None => self.show(&mut waiting)?,
        };
        found.transpose().map_err(Failure::system)
    }

    /// Gives the terminal back.
    ///
    /// # Errors
    /// Says that Ctrl-C or the end of the terminal ended it all.
    pub fn close(self) -> Result<(), Failure> {
        let Some(OpenTerminal { terminal, .. }) = self.open else {
            return Ok(());
        };
        let ended = terminal.ended();
        terminal.close();
        match ended {
            None => Ok(()),
            Some(EndReason::HungUp) => Err(Failure::Interrupted(1)),
            Some(EndReason::Interrupted) => Err(Failure::Interrupted(2)),
        }
    }
}
