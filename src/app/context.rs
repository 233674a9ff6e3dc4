//! The open terminal, and the state that all pages of the terminal program share.

use std::env;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;

use super::exit_report::ExitReport;
use super::{CommandFailure, Result};
use crate::exit::InputError;
use crate::tui::actions::KeyMap;
use crate::tui::input::{MainLoopInbox, MainLoopWaker};
use crate::tui::keys::Action;
use crate::tui::menu::{ComputationWaitScreen, Form, FormOutcome};
use crate::tui::scene::AutoplaySettings;
use crate::tui::screen;
use crate::tui::screen::{AppRequest, Screen, ScreenExt as _, ScreenOutcomeOrAppRequest};
use crate::tui::settings::{AutoAlwaysNever, Settings, SettingsError};
use crate::tui::terminal::{
    LocalTerminal, RemoteTerminal, ScreensClosedReason, Terminal, TerminalFeaturesToEnable,
};
use crate::tui::theme::{
    ASCII, ScreenAppearance, TerminalBackground, TerminalColours, Theme, ThemeChoice, UNICODE,
};
use debate_core::budget::ComputationBudget;
use debate_host::engine::{ModelPlayerProgram, ModelProgramAndNamedModels};
use debate_host::plan::{DebateOptions, DebatePlan, SaveStorageOptions};

/// Delay before a screen shows that a page is waiting for a computation.
const PATIENCE: Duration = Duration::from_millis(30);

/// Options of the command line that the pages of the terminal program use.
#[derive(Clone, Debug, Default)]
pub struct AppOptions {
    /// The settings, flags included.
    pub preferences: EffectivePreferences,
    /// The folder of saves, or the choice to write no save.
    pub save_options: SaveStorageOptions,
    /// Options of a new debate, used after the user picks a scenario.
    pub debate: DebateOptions,
    /// The kind of screen: local terminal or JSON lines.
    pub screen_kind: LocalOrRemoteScreen,
}

/// The user's preferences. Command-line flags override environment variables, which override the settings file, which
/// overrides the defaults. Exceptions: `NO_COLOR` also overrides `--color auto`; `FORCE_COLOR` and `CLICOLOR_FORCE`
/// only replace `color: auto`; a theme given on the command line turns off `NO_COLOR` and `color: never` of the file.
#[derive(Clone, Debug, Default)]
pub struct EffectivePreferences {
    /// The user's settings: those of the settings file, overridden by command-line flags.
    pub settings: Settings,
    /// The path of the settings file, which need not exist; `None` if no file is used.
    pub path: Option<PathBuf>,
    /// The choice of colours, after flags and environment variables such as `NO_COLOR` are applied.
    pub color: AutoAlwaysNever,
}

impl EffectivePreferences {
    /// Returns the language models that the settings name, and the path of this program, which is run as their client.
    pub fn language_model_settings(&self) -> ModelProgramAndNamedModels {
        // Without a path to this program, a language model cannot be started, and the error then says so.
        let program = env::current_exe().ok();
        ModelProgramAndNamedModels {
            client: program.map(|program| ModelPlayerProgram {
                program,
                has_tls: cfg!(feature = "tls"),
            }),
            named: self.settings.models.clone(),
            http: None,
        }
    }

    /// True if the theme depends on the terminal's background, so that the program has to query the terminal for it.
    pub fn queries_terminal_background(&self) -> bool {
        self.settings.theme == ThemeChoice::Auto && self.color != AutoAlwaysNever::Never
    }

    /// True if output is coloured. With the choice `Auto`, output is coloured only on a terminal that is not `dumb`.
    pub fn uses_colours(&self, is_terminal: bool) -> bool {
        match self.color {
            AutoAlwaysNever::Always => true,
            AutoAlwaysNever::Never => false,
            AutoAlwaysNever::Auto => {
                is_terminal && env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

impl InputError for SettingsError {}

/// The kind of screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LocalOrRemoteScreen {
    /// The terminal that the program was started in.
    #[default]
    Terminal,
    /// A remote screen: its frames and the user's input are lines of JSON.
    JsonLines,
}

/// The context of all pages: the terminal, the keys, the options.
pub struct AppContext {
    /// The terminal. It is opened when the first screen is shown, so that earlier errors are printed where the user
    /// can read them.
    open: Option<OpenTerminal>,
    inbox: MainLoopInbox<()>,
    keys: Rc<KeyMap<Action>>,
    /// The pace at which the screen plays the moves of the other players.
    pub(super) tempo: AutoplaySettings,
    /// True if the user asked for the home page on the last screen.
    pub(super) goes_home: bool,
    /// True if the user last turned hints on, false if off. `None` if the user has not switched hints since the start,
    /// or since the last change of the setting `hints`. Later debates, except daily debates and lessons, begin with
    /// this choice.
    pub(super) hints_on: Option<bool>,
    pub(super) options: AppOptions,
}

/// The open terminal, and the appearance of the screens on it.
struct OpenTerminal {
    terminal: Box<dyn Terminal>,
    look: ScreenAppearance,
}

impl OpenTerminal {
    fn new(options: &AppOptions, inbox: &MainLoopInbox<()>) -> Result<Self> {
        let preferences = &options.preferences;
        let settings = &preferences.settings;
        let mouse = !settings.no_mouse;
        let terminal: Box<dyn Terminal> = match options.screen_kind {
            LocalOrRemoteScreen::Terminal => {
                let features = TerminalFeaturesToEnable {
                    mouse,
                    queries_background: preferences.queries_terminal_background(),
                };
                Box::new(LocalTerminal::open(features, inbox)?)
            }
            LocalOrRemoteScreen::JsonLines => Box::new(RemoteTerminal::open(mouse, inbox)?),
        };
        let background = terminal.background();
        let look = look(settings, preferences.color, options.screen_kind, background);
        Ok(Self { terminal, look })
    }
}

impl AppContext {
    /// Creates the context of all pages from the program's options, without opening the terminal.
    pub fn new(options: AppOptions) -> Result<Self> {
        let settings = &options.preferences.settings;
        let keys = settings
            .key_map()
            .map_err(CommandFailure::from_system_error)?;
        Ok(Self {
            open: None,
            inbox: MainLoopInbox::new(),
            keys: Rc::new(keys),
            tempo: settings.tempo,
            goes_home: false,
            hints_on: None,
            options,
        })
    }

    /// Returns the map of all key bindings. All screens share this map.
    pub(super) fn keys(&self) -> Rc<KeyMap<Action>> {
        Rc::clone(&self.keys)
    }

    /// Returns a handle with which other threads wake the current screen.
    pub(super) fn waker(&self) -> MainLoopWaker {
        self.inbox.waker()
    }

    /// Returns a function that computes the screen's appearance from settings. The command line's choice of colours
    /// overrides the settings.
    pub(super) fn appearance_of(&self) -> impl Fn(&Settings) -> ScreenAppearance + use<> {
        let color = self.options.preferences.color;
        let screen_kind = self.options.screen_kind;
        let background = self
            .open
            .as_ref()
            .and_then(|open| open.terminal.background());
        move |settings| look(settings, color, screen_kind, background)
    }

    /// Applies new settings to the running program. `before` are the settings before the change. A value that a flag or
    /// a key has set stays unless its setting changed.
    pub(super) fn apply_settings(&mut self, before: &Settings, settings: &Settings) -> Result {
        // Screens below the settings share this key map.
        self.keys.copy_key_bindings_from(
            &settings
                .key_map()
                .map_err(CommandFailure::from_system_error)?,
        );
        if before.tempo != settings.tempo {
            self.tempo = settings.tempo;
        }
        let models = &mut self.options.debate.engines.models;
        *models = Arc::new(ModelProgramAndNamedModels {
            named: settings.models.clone(),
            ..(**models).clone()
        });
        let current = &mut self.options.preferences.settings;
        if before.no_animation != settings.no_animation {
            current.no_animation = settings.no_animation;
        }
        if before.bell != settings.bell {
            current.bell = settings.bell;
        }
        if before.hints != settings.hints {
            self.options.debate.hints = settings.hints && !self.options.debate.choices.blind;
            self.hints_on = None;
        }
        let appearance_of = self.appearance_of();
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        if settings.has_different_theme_or_glyphs(before) {
            open.look = appearance_of(settings);
        }
        if before.no_mouse != settings.no_mouse && open.terminal.has_mouse() == settings.no_mouse {
            open.terminal.toggle_mouse()?;
        }
        Ok(())
    }

    /// Shows a form over a screen. The caller shows the screen again afterwards.
    pub(super) fn show_form(&mut self, form: &mut Form<'_>) -> Result<FormOutcome> {
        loop {
            match self.run_screen(form)? {
                ScreenOutcomeOrAppRequest::Outcome(outcome) => return Ok(outcome),
                ScreenOutcomeOrAppRequest::AppRequest(AppRequest::Home) => {
                    self.goes_home = true;
                    return Ok(FormOutcome::Left);
                }
                ScreenOutcomeOrAppRequest::AppRequest(
                    AppRequest::Settings | AppRequest::Export(_),
                ) => {
                    form.show_note("Leave this form first.".to_owned());
                }
            }
        }
    }

    /// True if a new debate of the plan begins with hints: as the user last switched them, else as the plan, the flags
    /// and the settings say. Blind debates have no hints.
    pub(super) fn begins_with_hints(&self, plan: &DebatePlan) -> bool {
        let by_default = plan.hints || self.options.debate.hints;
        self.hints_on.unwrap_or(by_default) && !plan.blind
    }

    /// Returns true once after the user asked for the home page, then resets the flag.
    pub(super) fn take_home_page_request(&mut self) -> bool {
        std::mem::take(&mut self.goes_home)
    }

    /// Shows a screen until it ends, or until it requests an action that the caller has to carry out (an `AppRequest`).
    pub(super) fn run_screen<S: Screen>(
        &mut self,
        screen: &mut S,
    ) -> Result<ScreenOutcomeOrAppRequest<S::Outcome>> {
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

    /// Runs a computation on a separate thread. If it is not done after a short delay ([`PATIENCE`]), the screen shows
    /// `activity` as the reason for the wait. Returns `None` if the user cancels.
    pub(super) fn wait_for<T: Send + 'static>(
        &mut self,
        activity: &str,
        work: impl FnOnce(ComputationBudget<'_>) -> T + Send + 'static,
    ) -> Result<Option<T>> {
        let keys = self.keys();
        let mut waiting = ComputationWaitScreen::new(activity, &self.waker(), &keys, work);
        let result = match waiting.wait_for_computation_result(PATIENCE) {
            Some(result) => Some(result),
            None => self.show(&mut waiting)?,
        };
        result
            .transpose()
            .map_err(CommandFailure::from_system_error)
    }

    /// True if coin throws are animated. Animation is off for remote screens, because the connection may be slow.
    pub(super) fn animates_coins(&self) -> bool {
        !self.options.preferences.settings.no_animation && !self.is_user_remote()
    }

    /// True if the terminal bell rings at the user's turn.
    pub(super) fn rings_bell(&self) -> bool {
        self.options.preferences.settings.bell && !self.is_user_remote()
    }

    /// True if the user and their files are on another machine.
    pub(super) fn is_user_remote(&self) -> bool {
        self.options.screen_kind != LocalOrRemoteScreen::Terminal
    }

    /// Sends a file to the remote user; does nothing if no screen was shown yet.
    pub(super) fn send_file_to_remote_user(&mut self, name: &str, text: &str) -> Result {
        if let Some(open) = &mut self.open {
            open.terminal.send_file(name, text)?;
        }
        Ok(())
    }

    /// Restores the terminal and prints the exit report. On a remote screen, sends the report instead, unless the
    /// screen's input has ended.
    /// # Errors
    /// Returns the error of printing the report, such as a failed save. Returns [`CommandFailure::Interrupted`] if
    /// Ctrl-C or the end of a local terminal ended the program. The end of a remote screen's input is no error.
    pub fn restore_terminal_and_print(self, report: ExitReport) -> Result {
        let Some(OpenTerminal { mut terminal, .. }) = self.open else {
            return report.print_exit_report();
        };
        let end_reason = terminal.end_reason();
        if self.options.screen_kind == LocalOrRemoteScreen::Terminal {
            drop(terminal);
            report.print_exit_report()?;
        } else if end_reason != Some(ScreensClosedReason::HungUp) {
            terminal.send_final_lines(&report.into_remote_screen_lines())?;
        }
        match end_reason {
            None => Ok(()),
            // The end of the input is the regular way to leave a remote screen.
            Some(ScreensClosedReason::HungUp)
                if self.options.screen_kind == LocalOrRemoteScreen::JsonLines =>
            {
                Ok(())
            }
            Some(ScreensClosedReason::HungUp) => Err(CommandFailure::Interrupted(1)),
            Some(ScreensClosedReason::Interrupted) => Err(CommandFailure::Interrupted(2)),
        }
    }
}

/// Returns the appearance of the screen. `background` is the terminal's background, if known.
fn look(
    settings: &Settings,
    color: AutoAlwaysNever,
    screen_kind: LocalOrRemoteScreen,
    background: Option<TerminalBackground>,
) -> ScreenAppearance {
    let environment = ScreenAppearance::appearance_from_environment();
    let colours = match (screen_kind, settings.true_color) {
        // Frames as JSON lines contain colour names.
        (LocalOrRemoteScreen::JsonLines, _) | (_, AutoAlwaysNever::Never) => TerminalColours::Named,
        (LocalOrRemoteScreen::Terminal, AutoAlwaysNever::Auto) => environment.colours,
        (LocalOrRemoteScreen::Terminal, AutoAlwaysNever::Always) => TerminalColours::True,
    };
    let glyphs = match settings.ascii {
        AutoAlwaysNever::Auto => environment.glyphs,
        AutoAlwaysNever::Always => &ASCII,
        AutoAlwaysNever::Never => &UNICODE,
    };
    let theme = match color {
        AutoAlwaysNever::Never => Theme::Monochrome,
        AutoAlwaysNever::Auto | AutoAlwaysNever::Always => settings.theme.theme(background),
    };
    ScreenAppearance {
        theme,
        colours,
        glyphs,
        frame: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_debate_begins_with_the_hints_of_the_settings_until_the_user_switches_them() {
        let mut app = AppContext::new(AppOptions::default()).unwrap();
        let mut plan = app.options.debate.plan_named_scenario("primes").unwrap();
        assert!(!app.begins_with_hints(&plan));
        let before = Settings::default();
        let mut with_hints = before.clone();
        with_hints.hints = true;
        app.apply_settings(&before, &with_hints).unwrap();
        assert!(app.begins_with_hints(&plan));
        app.hints_on = Some(false);
        assert!(!app.begins_with_hints(&plan));
        // A change of the setting is the latest choice.
        app.apply_settings(&with_hints, &before).unwrap();
        app.apply_settings(&before, &with_hints).unwrap();
        assert!(app.begins_with_hints(&plan));
        plan.blind = true;
        assert!(!app.begins_with_hints(&plan));
    }
}
