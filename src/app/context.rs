//! The terminal while the program has it, and what holds for all pages.

use std::env;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use clap::ValueEnum;

use super::exit_report::ExitReport;
use super::{Failure, Result};
use crate::exit::InputError;
use crate::tui::actions::KeyMap;
use crate::tui::input::{Inbox, Waker};
use crate::tui::keys::Action;
use crate::tui::menu::{Form, FormOutcome, Waiting};
use crate::tui::scene::Tempo;
use crate::tui::screen;
use crate::tui::screen::{Ended, Errand, Screen, ScreenExt as _};
use crate::tui::settings::{Settings, SettingsError, Tristate};
use crate::tui::terminal::{EndReason, LocalTerminal, RemoteTerminal, Terminal, TerminalFeatures};
use crate::tui::theme::{ASCII, Appearance, Background, Colours, Theme, ThemeChoice, UNICODE};
use debate_core::budget::Budget;
use debate_host::plan::{DebateOptions, SaveOptions};

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
    /// The place of the screen.
    pub place: ScreenPlace,
}

/// Preferences: flags before the environment, before the file, before the standard.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    /// The settings, with flags laid over those of the file.
    pub settings: Settings,
    /// The file, whether it exists or not; `None` where none is to be used.
    pub path: Option<PathBuf>,
    /// True if to use colours, NO_COLOR and flags having been asked.
    pub color: Tristate,
}

impl Preferences {
    /// True if the look hangs on what the terminal says of its background.
    pub fn asks_background(&self) -> bool {
        self.settings.theme == ThemeChoice::Auto && self.color != Tristate::Never
    }

    /// True if output is coloured, which `is_terminal` decides if the settings do not.
    pub fn colours(&self, is_terminal: bool) -> bool {
        match self.color {
            Tristate::Always => true,
            Tristate::Never => false,
            Tristate::Auto => is_terminal && env::var_os("TERM").is_none_or(|term| term != "dumb"),
        }
    }
}

impl InputError for SettingsError {}

/// The place where screens are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ScreenPlace {
    /// The terminal that the program was started in.
    #[default]
    Terminal,
    /// Frames and input as lines of JSON.
    JsonLines,
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
    /// True if the user asked for home on the screen that was shown last.
    pub(super) goes_home: bool,
    pub(super) options: AppOptions,
}

/// The terminal while the program has it.
struct OpenTerminal {
    terminal: Box<dyn Terminal>,
    look: Appearance,
}

impl OpenTerminal {
    fn new(options: &AppOptions, inbox: &Inbox<()>) -> Result<Self> {
        let preferences = &options.preferences;
        let settings = &preferences.settings;
        let mouse = !settings.no_mouse;
        let terminal: Box<dyn Terminal> = match options.place {
            ScreenPlace::Terminal => {
                let features = TerminalFeatures {
                    mouse,
                    asks_background: preferences.asks_background(),
                };
                Box::new(LocalTerminal::open(features, inbox)?)
            }
            ScreenPlace::JsonLines => Box::new(RemoteTerminal::open(mouse, inbox)?),
        };
        let background = terminal.background();
        let look = look(settings, preferences.color, options.place, background);
        Ok(Self { terminal, look })
    }
}

impl AppContext {
    /// The context of these options; nothing is shown yet.
    pub fn new(options: AppOptions) -> Result<Self> {
        let settings = &options.preferences.settings;
        let keys = settings.keys().map_err(Failure::system)?;
        Ok(Self {
            open: None,
            inbox: Inbox::new(),
            keys: Rc::new(keys),
            tempo: settings.tempo,
            goes_home: false,
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
        let place = self.options.place;
        let background = self
            .open
            .as_ref()
            .and_then(|open| open.terminal.background());
        move |settings| look(settings, color, place, background)
    }

    /// Takes over what was changed in the settings; the rest stays as flags and keys have made it.
    pub(super) fn apply(&mut self, before: &Settings, settings: &Settings) -> Result {
        // Screens that are shown below the settings have these keys too.
        self.keys
            .take_keys(&settings.keys().map_err(Failure::system)?);
        self.tempo = settings.tempo;
        self.options.preferences.settings.no_animation = settings.no_animation;
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

    /// Shows a form over a screen, which is shown again afterwards.
    pub(super) fn show_over(&mut self, form: &mut Form<'_>) -> Result<FormOutcome> {
        loop {
            match self.run(form)? {
                Ended::Outcome(outcome) => return Ok(outcome),
                Ended::Errand(Errand::Home) => {
                    self.goes_home = true;
                    return Ok(FormOutcome::Left);
                }
                Ended::Errand(Errand::Settings | Errand::Export(_)) => {
                    form.say("Leave this form first.".to_owned());
                }
            }
        }
    }

    /// True once if the user asked for home.
    pub(super) fn take_going_home(&mut self) -> bool {
        std::mem::take(&mut self.goes_home)
    }

    /// Shows a screen until it ends, or asks for something that is done elsewhere.
    pub(super) fn run<S: Screen>(&mut self, screen: &mut S) -> Result<Ended<S::Outcome>> {
        let open = match self.open.take() {
            Some(open) => open,
            None => OpenTerminal::new(&self.options, &self.inbox)?,
        };
        let open = self.open.insert(open);
        Ok(screen::run(
            open.terminal.as_mut(),
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
    ) -> Result<Option<T>> {
        let keys = self.keys();
        let mut waiting = Waiting::new(what, &self.waker(), &keys, work);
        let result = match waiting.take(PATIENCE) {
            Some(result) => Some(result),
            None => self.show(&mut waiting)?,
        };
        result.transpose().map_err(Failure::system)
    }

    /// True if coins are seen to fall: not on a line that may be slow.
    pub(super) fn is_animated(&self) -> bool {
        !self.options.preferences.settings.no_animation && !self.is_remote()
    }

    /// True if the user and their files are elsewhere.
    pub(super) fn is_remote(&self) -> bool {
        self.options.place != ScreenPlace::Terminal
    }

    /// Hands a file to the user, who is elsewhere.
    pub(super) fn hand_over(&mut self, name: &str, text: &str) -> Result {
        if let Some(open) = &mut self.open {
            open.terminal.hand_over(name, text)?;
        }
        Ok(())
    }

    /// Gives the terminal back, and says what is left to say.
    ///
    /// # Errors
    /// Says that Ctrl-C or the end of the terminal ended it all.
    pub fn close(self, parting: ExitReport) -> Result {
        let Some(OpenTerminal { mut terminal, .. }) = self.open else {
            return parting.tell();
        };
        let ended = terminal.ended();
        if self.options.place == ScreenPlace::Terminal {
            drop(terminal);
            parting.tell()?;
        } else if ended != Some(EndReason::HungUp) {
            terminal.part(&parting.into_lines())?;
        }
        match ended {
            None => Ok(()),
            // The end of its input is how a screen elsewhere is left.
            Some(EndReason::HungUp) if self.options.place == ScreenPlace::JsonLines => Ok(()),
            Some(EndReason::HungUp) => Err(Failure::Interrupted(1)),
            Some(EndReason::Interrupted) => Err(Failure::Interrupted(2)),
        }
    }
}

/// The look of the screen, on a terminal whose background is known or not.
fn look(
    settings: &Settings,
    color: Tristate,
    place: ScreenPlace,
    background: Option<Background>,
) -> Appearance {
    let environment = Appearance::from_environment();
    let colours = match (place, settings.true_color) {
        // Lines of frames name their colours.
        (ScreenPlace::JsonLines, _) | (_, Tristate::Never) => Colours::Named,
        (ScreenPlace::Terminal, Tristate::Auto) => environment.colours,
        (ScreenPlace::Terminal, Tristate::Always) => Colours::True,
    };
    let glyphs = match settings.ascii {
        Tristate::Auto => environment.glyphs,
        Tristate::Always => &ASCII,
        Tristate::Never => &UNICODE,
    };
    let theme = match color {
        Tristate::Never => Theme::Monochrome,
        Tristate::Auto | Tristate::Always => settings.theme.theme(background),
    };
    Appearance {
        theme,
        colours,
        glyphs,
        frame: None,
    }
}
