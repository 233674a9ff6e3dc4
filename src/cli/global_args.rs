//! Flags that every command accepts, and the use of the user's settings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgAction, Args, ColorChoice, CommandFactory as _, FromArgMatches as _, ValueEnum};
use clap::{ArgMatches, ValueHint};

use super::errors::print_remark;
use super::flags::EngineArgs;
use super::output::env_variable;
use super::saves::resolve_last_save_flag;
use super::{Cli, Command, CommandFailure, DisplayArgs, Result, log, unknown_name};
use crate::app::{EffectivePreferences, LocalOrRemoteScreen};
use crate::tui::settings::{
    ALL_SETTINGS, AutoAlwaysNever, CONFIG_VARIABLE, Settings, default_settings_path, setting_named,
};
use crate::tui::terminal::terminal_unsupported_reason;
use debate_core::text::replace_unsafe_characters;
use debate_host::engine::ModelProgramAndNamedModels;
use debate_host::record::FOLDER_VARIABLE;

#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(super) struct GlobalArgs {
    /// Print only what was asked for.
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
    /// Log what the program does on stderr; -vv logs more. The log pauses while the screen is shown.
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub(super) verbose: u8,
    /// When to use colours on the screen, in help and in --print-themes. Plain lines, tables and JSON have none.
    /// Without this flag or with `auto`, `NO_COLOR` means never, except with --theme. `FORCE_COLOR` or `CLICOLOR_FORCE`
    /// then means always if the setting `color` is auto.
    #[arg(long, global = true, value_enum, value_name = "WHEN")]
    pub(super) color: Option<ColorFlag>,
    /// Append a log of what the program does to this file: scenarios, replies, saves, errors. -v and -vv log more;
    /// -q logs only warnings and errors.
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) log: Option<PathBuf>,
    /// Read the settings from this file. The default is $DEBATE_TUI_CONFIG, or else config.ron in the platform's
    /// configuration folder.
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) config: Option<PathBuf>,
    /// Change a setting of config.ron for this run, such as speed=5; repeatable, before or after the name of a
    /// command.
    #[arg(long, global = true, value_name = "NAME=VALUE")]
    pub(super) set: Vec<String>,
    /// Ignore the settings file and use the standard settings.
    #[arg(long, global = true, conflicts_with = "config")]
    pub(super) no_config: bool,
}

/// [`AutoAlwaysNever`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorFlag {
    /// Use colours if the output is a terminal.
    Auto,
    /// Use colours even if the output is not a terminal.
    Always,
    /// Use bold, underlined and reversed text instead.
    Never,
}

impl From<ColorFlag> for AutoAlwaysNever {
    fn from(choice: ColorFlag) -> Self {
        match choice {
            ColorFlag::Auto => Self::Auto,
            ColorFlag::Always => Self::Always,
            ColorFlag::Never => Self::Never,
        }
    }
}

impl GlobalArgs {
    /// Returns the settings of the settings file, and the path of this file. Returns the standard settings and `None`
    /// if no file is used.
    fn settings_from_file(&self) -> Result<(Settings, Option<PathBuf>)> {
        if self.no_config {
            return Ok((Settings::default(), None));
        }
        if let Some(path) = &self.config
            && !path.exists()
        {
            let shown = path.display().to_string();
            return Err(CommandFailure::from_input_error(format!(
                "{path}: no such file; `debate-tui --print-config` prints a template",
                path = replace_unsafe_characters(&shown)
            )));
        }
        let given = self.config.clone();
        let Some(path) = given
            .or_else(|| env_variable(CONFIG_VARIABLE).map(PathBuf::from))
            .or_else(default_settings_path)
        else {
            return Ok((Settings::default(), None));
        };
        let settings = Settings::load(&path)?;
        let shown = path.display().to_string();
        tracing::debug!(path = shown, exists = path.exists(), "settings");
        Ok((settings, Some(path)))
    }

    /// Returns the user's preferences: the settings of the file, overridden by these command-line flags. Environment
    /// variables such as `NO_COLOR` also change the choice of colours.
    pub(super) fn preferences(
        &self,
        display: Option<&DisplayArgs>,
    ) -> Result<EffectivePreferences> {
        let (mut settings, path) = self.settings_from_file()?;
        let filed = settings.color;
        let mut flag = self.color.map(AutoAlwaysNever::from);
        let mut theme_is_asked = false;
        let theme = display.and_then(|display| display.theme.as_ref());
        let theme = theme.map(|name| format!("theme={name}"));
        let is_ascii = display.is_some_and(|display| display.ascii);
        let ascii = is_ascii.then(|| "ascii=always".to_owned());
        for set in self.set.iter().chain(&theme).chain(&ascii) {
            let name = self::apply_setting(&mut settings, set)?;
            theme_is_asked |= name == "theme";
            if name == "color" {
                flag = flag.or(Some(settings.color));
            }
        }
        settings.no_mouse |= display.is_some_and(|display| display.no_mouse);
        settings.color = flag.unwrap_or(filed);
        let no_color = env_variable("NO_COLOR").is_some();
        let color = match flag {
            Some(AutoAlwaysNever::Always | AutoAlwaysNever::Never) => settings.color,
            _ if no_color && !theme_is_asked => AutoAlwaysNever::Never,
            _ if is_colour_forced() && settings.color == AutoAlwaysNever::Auto => {
                AutoAlwaysNever::Always
            }
            _ if theme_is_asked => AutoAlwaysNever::Auto,
            _ => settings.color,
        };
        Ok(EffectivePreferences {
            settings,
            path,
            color,
        })
    }
}

/// True if an environment variable asks for colours even if the output is not a terminal. `NO_COLOR` overrides such a
/// variable.
fn is_colour_forced() -> bool {
    let is_set = |name: &str| env_variable(name).is_some_and(|value| value != "0");
    (is_set("FORCE_COLOR") || is_set("CLICOLOR_FORCE")) && env_variable("NO_COLOR").is_none()
}

/// Returns the values of `--set` in the order in which they were typed. Needed because clap drops the values before a
/// subcommand's name if others follow it.
fn settings_on_command_line(args: &[OsString]) -> Vec<String> {
    let mut words = args.iter().skip(1).take_while(|word| *word != "--");
    let mut values = Vec::new();
    while let Some(word) = words.next() {
        let value = match word.to_str() {
            Some("--set") => words.next().and_then(|value| value.to_str()),
            Some(word) => word.strip_prefix("--set="),
            None => None,
        };
        values.extend(value.map(str::to_owned));
    }
    values
}

/// Applies a setting written as `NAME=VALUE` to the settings. Returns its name.
fn apply_setting<'s>(settings: &mut Settings, text: &'s str) -> Result<&'s str> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let field = setting_named(name).ok_or_else(|| {
        let names: Vec<&str> = ALL_SETTINGS.iter().map(|field| field.name).collect();
        unknown_name("--set: unknown setting", name, &names)
    })?;
    field
        .set(settings, value)
        .map_err(|takes| CommandFailure::from_input_error(format!("--set: {takes}")))?;
    Ok(name)
}

/// Parses a command line, whose first word is the name of the program.
///
/// # Errors
/// If the command line is wrong, or asks for help or the version: the error then prints that.
pub(super) fn parse_command_line(args: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = Cli::command().color(clap_colours(args.iter().skip(1)));
    let matches = command.try_get_matches_from_mut(args);
    // clap takes an unknown command for a scenario, and reports the next word as unexpected.
    let first = match &matches {
        Err(error) if error.kind() == ErrorKind::UnknownArgument => {
            let lenient = Cli::command().ignore_errors(true);
            lenient.try_get_matches_from(args).ok()
        }
        matches => matches.as_ref().ok().cloned(),
    };
    if let Some(text) = first.and_then(|first| mistyped_command_error(&command, &first)) {
        return Err(command.error(ErrorKind::InvalidSubcommand, text));
    }
    let matches = matches?;
    if let Some(flag) = misplaced_flag(&command, &matches) {
        let subcommand = matches.subcommand_name().unwrap_or_default();
        let text = format!(
            "'{flag}' cannot be given before '{subcommand}'; give the arguments of '{subcommand}' after it"
        );
        return Err(command.error(ErrorKind::ArgumentConflict, text));
    }
    let mut cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    if !cli.global.set.is_empty() {
        cli.global.set = settings_on_command_line(args);
    }
    let name = matches.subcommand_name().unwrap_or("play").to_owned();
    Ok(Cli { name, ..cli })
}

/// Returns the error text for an unknown scenario whose name resembles a command; `None` for any other command line.
fn mistyped_command_error(command: &clap::Command, matches: &ArgMatches) -> Option<String> {
    if matches.subcommand_name().is_some() {
        return None;
    }
    let typed = matches.get_one::<String>("scenario")?;
    let commands: Vec<&str> = command
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    let mut known: Vec<&str> = debate_solver::setup::bundled_names().collect();
    known.extend(&commands);
    if known.contains(&typed.as_str()) || Path::new(typed).exists() {
        return None;
    }
    let meant =
        debate_solver::setup::nearest_name(typed, &known).filter(|near| commands.contains(near))?;
    let typed = replace_unsafe_characters(typed);
    Some(format!(
        "{typed}: no such command, file or scenario; did you mean the command `{meant}`?"
    ))
}

/// Returns a flag of the default command (play) that was given before a subcommand; `None` if there is none.
fn misplaced_flag(command: &clap::Command, matches: &ArgMatches) -> Option<String> {
    matches.subcommand_name()?;
    let given = |arg: &&clap::Arg| {
        let source = matches.value_source(arg.get_id().as_str());
        !arg.is_global_set() && source == Some(ValueSource::CommandLine)
    };
    command.get_arguments().find(given).map(ToString::to_string)
}

/// Returns the colour choice for clap's help and error messages. Called before the command line is parsed.
fn clap_colours<'a>(args: impl Iterator<Item = &'a OsString>) -> ColorChoice {
    let mut args = args.take_while(|arg| *arg != "--");
    let mut choice = match env_variable("NO_COLOR") {
        Some(_) => ColorChoice::Never,
        None if is_colour_forced() => ColorChoice::Always,
        None => ColorChoice::Auto,
    };
    while let Some(arg) = args.next() {
        let given = match arg.to_str() {
            Some("--color") => args.next().and_then(|when| when.to_str()),
            Some(arg) => arg.strip_prefix("--color="),
            None => None,
        };
        match given {
            Some("always") => choice = ColorChoice::Always,
            Some("never") => choice = ColorChoice::Never,
            Some("auto") => choice = ColorChoice::Auto,
            _ => {}
        }
    }
    choice
}

impl Cli {
    /// Returns the flags for external engines that the command has, if any.
    fn engine_args(&mut self) -> Option<&mut EngineArgs> {
        match &mut self.command {
            None => Some(&mut self.play.engines),
            Some(Command::Resume(args)) => Some(&mut args.engines),
            Some(Command::Match(args)) => Some(&mut args.engines),
            Some(Command::Serve(args)) => Some(&mut args.engines),
            #[cfg(feature = "mcp")]
            Some(Command::Mcp(args)) => Some(&mut args.engines),
            Some(Command::Study(args)) => args.engines(),
            Some(Command::Engine(args)) => args.engine_args_of_check(),
            Some(_) => None,
        }
    }

    /// Starts the log, and uses the user's settings as defaults of the command-line flags.
    pub(super) fn start_program_log_and_apply_settings(&mut self) -> Result {
        let global = &self.global;
        log::start_log(global.log.as_deref(), global.verbose, global.quiet)?;
        let command = self.name.as_str();
        tracing::info!(version = env!("CARGO_PKG_VERSION"), command, "started");
        for text in &global.set {
            apply_setting(&mut Settings::default(), text)?;
        }
        // These commands must work even if the settings file is invalid.
        if let Some(
            Command::Completions(_) | Command::Guide(_) | Command::Man(_) | Command::Schema(_),
        ) = self.command
        {
            return Ok(());
        }
        let engines = self.engine_args();
        let http = engines
            .map(|engines| engines.http.recording())
            .transpose()?;
        let global = &self.global;
        let mut display = match &mut self.command {
            None => Some(&mut self.play.display),
            Some(Command::Daily(args)) => Some(&mut args.display),
            Some(Command::Resume(args)) => Some(&mut args.display),
            Some(Command::Replay(args)) => Some(&mut args.display),
            Some(Command::Compare(args)) => Some(args.display_args()),
            Some(Command::Tutorial(args)) => Some(args.display_args()),
            Some(Command::Study(args)) => args.display_args(),
            Some(_) => None,
        };
        let preferences = global.preferences(display.as_deref())?;
        let has_screen = display.as_ref().is_some_and(|it| it.uses_full_screen());
        let is_plain = !has_screen && !self.print.has_print_flag();
        if global.color == Some(ColorFlag::Always) && is_plain && !global.quiet {
            print_remark(
                "--color always has no effect on this command: its lines have no colours.",
            )?;
        }
        let models = ModelProgramAndNamedModels {
            http: http.flatten(),
            ..preferences.language_model_settings()
        };
        let hints = preferences.settings.hints;
        let folder = preferences
            .settings
            .saves_folder_in_settings(preferences.path.as_deref());
        let is_remote = display
            .as_ref()
            .is_some_and(|display| display.screen == LocalOrRemoteScreen::JsonLines);
        if let Some(display) = &mut display {
            display.quiet = global.quiet;
            display.preferences = preferences;
            if let Some(terminal_problem) = terminal_unsupported_reason()
                && display.screen == LocalOrRemoteScreen::Terminal
                && display.uses_full_screen()
                && !self.print.has_print_flag()
            {
                display.plain = true;
                if !global.quiet {
                    print_remark(format!(
                        "{terminal_problem}: the program continues in plain lines, as with --plain."
                    ))?;
                }
            }
        }
        self.is_remote = is_remote;
        if let Some(engines) = self.engine_args() {
            engines.models = Arc::new(models);
        }
        self.play.hints |= hints && !self.play.blind;
        let only_reads_saves = self.only_reads_saves();
        let saves = match &mut self.command {
            Some(Command::Tutorial(args)) => args.saves_folder_arg(),
            Some(Command::Daily(args)) => &mut args.saves,
            Some(Command::Resume(args)) => &mut args.folder,
            Some(Command::Replay(args)) => &mut args.save_options.saves,
            Some(Command::Verify(args)) => &mut args.folder,
            Some(Command::Export(args)) => &mut args.folder,
            Some(Command::List(args)) => &mut args.saves,
            Some(Command::Me(args)) => &mut args.saves,
            Some(Command::Match(args)) => &mut args.default_saves,
            Some(Command::Serve(args)) => &mut args.save_options.saves,
            #[cfg(feature = "mcp")]
            Some(Command::Mcp(args)) => &mut args.saves,
            _ => &mut self.play.save_options.saves,
        };
        if let Some(folder) = saves
            .as_deref()
            .filter(|it| only_reads_saves && !it.is_dir())
        {
            return Err(CommandFailure::from_input_error(format!(
                "--saves: there is no folder {folder}",
                folder = folder.display()
            )));
        }
        if saves.is_none() {
            *saves = env_variable(FOLDER_VARIABLE).map(PathBuf::from).or(folder);
        }
        let saves = saves.clone();
        resolve_last_save_flag(&mut self.command, saves.as_deref())
    }

    /// True if the command works on saves that exist already. A folder that the user names must then exist.
    fn only_reads_saves(&self) -> bool {
        match &self.command {
            Some(
                Command::List(_)
                | Command::Me(_)
                | Command::Resume(_)
                | Command::Verify(_)
                | Command::Export(_),
            ) => true,
            Some(Command::Daily(args)) => args.share,
            Some(Command::Replay(args)) => args.last,
            _ => false,
        }
    }
}
