//! Flags shared by several commands, each with one meaning and one text. Structs of flags have no doc comments,
//! because clap would show them instead of the command's description.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum, ValueHint};

use super::errors::print_warning;
use super::output::is_terminal;
use super::{CommandFailure, Result};
use crate::app::{AppOptions, AppPage, EffectivePreferences, LocalOrRemoteScreen};
use crate::tui::theme::ThemeChoice;
use debate_core::chance::Seed;
use debate_core::player::{KnowledgeError, KnowledgePartition};
use debate_core::protocol::{Protocol, Seat};
use debate_host::engine::{EngineWaitAndRetryLimits, HttpRecording, ModelProgramAndNamedModels};
use debate_host::plan::{
    DebateOptions, ExternalPlayerOptions, SaveStorageOptions, given_or_random_seed,
    given_or_scenario_rules, index_of_named_instance, load_player_files,
};
use debate_solver::expectation::ReportNumberFormat;
use debate_solver::setup::{LoadedScenario, ScenarioLimits};
use debate_solver::simulate::MAX_DEBATES;

/// The name of a seat on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SeatName {
    /// Alice: answers, decomposes and defends.
    #[value(aliases = ["alice"])]
    Prover,
    /// Bob: estimates or challenges.
    #[value(aliases = ["bob", "estimator", "challenger"])]
    Opponent,
    /// Answers the oracle's questions.
    Judge,
    /// No seat: watch.
    None,
}

impl SeatName {
    /// Returns the seat, or `None` for a spectator.
    pub(super) fn seat(self) -> Option<Seat> {
        match self {
            Self::Prover => Some(Seat::Prover),
            Self::Opponent => Some(Seat::Opponent),
            Self::Judge => Some(Seat::Judge),
            Self::None => None,
        }
    }
}

// The players. The scenario decides for every seat without a flag.
#[derive(Debug, Args)]
pub(super) struct SeatPlayerArgs {
    /// The player of Alice, the prover (see `list strategies`).
    #[arg(long, value_name = "NAME")]
    prover: Option<String>,
    /// The player of Bob, the opponent: the estimator or challenger.
    #[arg(long, value_name = "NAME")]
    opponent: Option<String>,
    /// The player who answers the oracle's questions.
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
}

impl SeatPlayerArgs {
    /// Returns the names of the players in the order of the seats; `None` for a seat without a flag.
    pub(super) fn player_names(&self) -> [Option<&str>; 3] {
        [&self.prover, &self.opponent, &self.judge].map(Option::as_deref)
    }
}

// The debaters' knowledge about the instance before the debate.
#[derive(Debug, Args)]
pub(super) struct DebaterKnowledgeArgs {
    /// Alice's knowledge of the instance: everything; nothing (only the possible instances); offered (what the
    /// problem gives a player who cannot decide claims); 'leaves(a, b)' (the truth of these claims); or
    /// 'instances(01 10 | 11)' (the block that the instance is in).
    #[arg(long, value_name = "WHAT")]
    prover_knows: Option<String>,
    /// Bob's knowledge of the instance, written as for --prover-knows.
    #[arg(long, value_name = "WHAT")]
    opponent_knows: Option<String>,
    /// The number of leaves that a best-responding Alice may look up in a debate.
    #[arg(long, value_name = "N")]
    prover_queries: Option<u32>,
    /// The number of leaves that a best-responding Bob may look up in a debate.
    #[arg(long, value_name = "N")]
    opponent_queries: Option<u32>,
}

impl DebaterKnowledgeArgs {
    /// Returns two pairs of booleans; each pair is for prover and opponent. The first pair is true for seats whose
    /// knowledge of the instance a flag gives. The second is true for seats whose number of leaf queries a flag gives.
    pub(super) fn is_knowledge_or_query_flag_given(&self) -> [[bool; 2]; 2] {
        [
            [self.prover_knows.is_some(), self.opponent_knows.is_some()],
            [
                self.prover_queries.is_some(),
                self.opponent_queries.is_some(),
            ],
        ]
    }

    /// Replaces the scenario's knowledge and numbers of queries with those that the flags give.
    pub(super) fn apply_knowledge_flags_to(&self, setup: &mut LoadedScenario) -> Result {
        let prover = self.prover_knows.as_deref();
        let opponent = self.opponent_knows.as_deref();
        set_knowledge(setup, Seat::Prover, prover, self.prover_queries)?;
        set_knowledge(setup, Seat::Opponent, opponent, self.opponent_queries)
    }
}

/// Replaces a seat's knowledge of the instance and its number of queries with the given values.
pub(super) fn set_knowledge(
    setup: &mut LoadedScenario,
    seat: Seat,
    knows: Option<&str>,
    queries: Option<u32>,
) -> Result {
    if let Some(text) = knows {
        let failure = |error: KnowledgeError| {
            CommandFailure::Input(format!(
                "--{}-knows: {error}",
                seat.name_in_flags_and_json()
            ))
        };
        let knows = KnowledgePartition::parse(text).map_err(failure)?;
        setup.set_knowledge(seat, knows).map_err(failure)?;
    }
    if let Some(queries) = queries {
        setup.queries[seat.seat_index()] = queries;
    }
    Ok(())
}

/// Returns the format of printed numbers, exact if `--exact` is given.
pub(super) fn number_format(exact: bool) -> ReportNumberFormat {
    if exact {
        ReportNumberFormat::Fraction
    } else {
        ReportNumberFormat::Decimal
    }
}

#[derive(Debug, Args)]
pub(super) struct ProtocolReplacementArgs {
    /// Use these rules instead of the scenario's own, written as in a scenario: 'Recursive', or
    /// 'ProverEstimator(epsilon: 0.25, rho: "1/2")'.
    #[arg(long, value_name = "RON")]
    pub(super) protocol: Option<String>,
}

impl ProtocolReplacementArgs {
    /// Returns the protocol of `--protocol`, or else the scenario's own.
    pub(super) fn given_or_scenario_rules(
        &self,
        setup: &LoadedScenario,
        limits: &ScenarioLimits,
    ) -> Result<Protocol> {
        Ok(given_or_scenario_rules(
            self.protocol.as_deref(),
            setup,
            limits,
        )?)
    }
}

// The instance and the coins.
#[derive(Debug, Args)]
pub(super) struct SeedAndInstanceArgs {
    /// Derive all coins from this text. The default is a random seed, which is shown.
    #[arg(long, value_name = "TEXT")]
    pub(super) seed: Option<String>,
    /// The instance, by its name in the scenario's distribution. The default is the scenario's own instance, or
    /// else one drawn from the seed.
    #[arg(long, value_name = "NAME")]
    pub(super) instance: Option<String>,
}

impl SeedAndInstanceArgs {
    /// Returns the seed that the flag `--seed` gives, or else a random seed.
    pub(super) fn seed(&self) -> Result<Seed> {
        Ok(given_or_random_seed(self.seed.as_deref())?)
    }

    /// Returns the index of the instance that `--instance` names; `None` without this flag.
    pub(super) fn index_of_instance_flag(&self, setup: &LoadedScenario) -> Result<Option<usize>> {
        Ok(index_of_named_instance(self.instance.as_deref(), setup)?)
    }
}

// The number of the debate under the seed.
#[derive(Debug, Args)]
pub(super) struct DebateNumberArgs {
    /// The number of the debate under the seed; `simulate` numbers its debates from 0 [default: 0].
    #[arg(
        long = "debate",
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true
    )]
    #[arg(value_parser = clap::value_parser!(u64).range(..MAX_DEBATES))]
    pub(super) number: u64,
}

// The output format; sentences if no flag is given.
#[derive(Debug, Args)]
pub(super) struct OutputFormatArgs {
    /// Print the result as comma-separated values.
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each boolean field of this struct is a separate command-line flag"
)]
pub(super) struct DisplayArgs {
    /// Use lines of text on stdin and stdout instead of a screen. This is the default without a terminal, and on Unix
    /// if TERM is `dumb`, empty or unset.
    #[arg(long)]
    pub(super) plain: bool,
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    pub(super) json: bool,
    /// The colours of the screen; `--print-themes` shows them. `auto` asks the terminal for its background and uses
    /// dark if it does not answer within half a second.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(ThemeChoice::NAMES))]
    pub(super) theme: Option<String>,
    /// Draw with ASCII characters only.
    #[arg(long)]
    pub(super) ascii: bool,
    /// Leave mouse events to the terminal.
    #[arg(long)]
    pub(super) no_mouse: bool,
    /// Show the screen on this terminal, or exchange it with another program as lines of JSON on stdin and stdout
    /// (`debate-tui guide web`).
    #[arg(long, value_enum, value_name = "PLACE", conflicts_with_all = ["plain", "json"])]
    #[arg(default_value_t = LocalOrRemoteScreen::Terminal, hide_short_help = true)]
    pub(super) screen: LocalOrRemoteScreen,
    /// --screen json-lines: do not trust the user with this machine. Start no external program, and read and write
    /// no files except saves and settings.
    #[arg(long, requires = "screen", hide_short_help = true)]
    pub(super) visitor: bool,
    /// The flag `--quiet`; set after the command line is parsed.
    #[arg(skip)]
    pub(super) quiet: bool,
    /// The user's preferences, with these flags applied; set after the command line is parsed.
    #[arg(skip)]
    pub(super) preferences: EffectivePreferences,
}

impl DisplayArgs {
    /// True if the command shows a full screen: on the terminal, if the user wants one and there is a terminal, or as
    /// lines of JSON.
    pub(super) fn uses_full_screen(&self) -> bool {
        self.screen == LocalOrRemoteScreen::JsonLines
            || !self.plain && !self.json && is_terminal(&io::stdout()) && is_terminal(&io::stdin())
    }

    /// Returns the options with which the full-screen program starts.
    pub(super) fn app_options(
        &self,
        save_options: impl Into<SaveStorageOptions>,
        debate: DebateOptions,
    ) -> AppOptions {
        let mut debate = debate;
        debate.engines.confined |= self.visitor;
        // Also for a command without the flag for hints: its screens lead to new debates.
        debate.hints |= self.preferences.settings.hints && !debate.choices.blind;
        // Also for a command without flags for engines: its screens lead to the lobby.
        debate.engines.models = Arc::new(ModelProgramAndNamedModels {
            http: debate.engines.models.http.clone(),
            ..self.preferences.language_model_settings()
        });
        AppOptions {
            preferences: self.preferences.clone(),
            save_options: save_options.into(),
            debate,
            screen_kind: self.screen,
        }
    }

    /// Shows a page of the full-screen program and the pages that follow it.
    pub(super) fn show_page(
        &self,
        save_options: impl Into<SaveStorageOptions>,
        page: AppPage,
    ) -> Result {
        super::on_screen(
            self.app_options(save_options, DebateOptions::default()),
            page,
        )
    }
}

#[derive(Debug, Args)]
pub(super) struct SaveStorageArgs {
    /// Store saves in this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) saves: Option<PathBuf>,
    /// Write no save.
    #[arg(long)]
    pub(super) no_save: bool,
}

impl From<&SaveStorageArgs> for SaveStorageOptions {
    fn from(args: &SaveStorageArgs) -> Self {
        Self {
            folder: args.saves.clone(),
            no_save: args.no_save,
        }
    }
}

// The scenarios that messages may name.
#[derive(Clone, Debug, Args)]
pub(super) struct ServedScenarioFolderArgs {
    /// Let messages name the scenario files in this folder, besides the bundled scenarios; repeatable. No other
    /// file is read.
    #[arg(long = "scenarios", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) folders: Vec<PathBuf>,
}

// Limits of programs that play a seat.
#[derive(Clone, Debug, Args)]
pub(super) struct EngineArgs {
    /// Run commands that a scenario, a save or a message names as players (engine:COMMAND).
    #[arg(long)]
    allow_commands: bool,
    /// The time limit for an engine's greeting [default: 30] and for its thinking about a reply [default: 600].
    /// Each message restarts the time, up to ten times the limit in all.
    #[arg(long, value_name = "SECONDS")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=86_400))]
    engine_timeout: Option<u64>,
    #[command(flatten)]
    pub(super) http: HttpRecordingArgs,
    /// The language models that the settings name, and the program that is run as their client; set after the command
    /// line is parsed.
    #[arg(skip)]
    pub(super) models: Arc<ModelProgramAndNamedModels>,
}

// The recording of requests to language models.
#[derive(Clone, Debug, Args)]
pub(super) struct HttpRecordingArgs {
    /// Record each request to a language model and the response in this folder. The key is not recorded.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "replay_http")]
    record_http: Option<PathBuf>,
    /// Take the responses of language models from this folder, and send no request.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    replay_http: Option<PathBuf>,
}

impl HttpRecordingArgs {
    /// Returns the folder in which requests to language models are recorded or from which they are replayed; `None`
    /// without these flags. The folder exists.
    ///
    /// # Errors
    /// If the folder cannot be created or does not exist.
    pub(super) fn recording(&self) -> Result<Option<HttpRecording>> {
        if let Some(folder) = &self.replay_http {
            if !folder.is_dir() {
                return Err(CommandFailure::from_input_error(format!(
                    "--replay-http: there is no folder {folder}",
                    folder = folder.display()
                )));
            }
            return Ok(Some(HttpRecording::Replay(folder.clone())));
        }
        let Some(folder) = &self.record_http else {
            return Ok(None);
        };
        std::fs::create_dir_all(folder).map_err(|error| {
            let folder = folder.display();
            CommandFailure::from_input_error(format!(
                "--record-http: {folder} cannot be created: {error}"
            ))
        })?;
        Ok(Some(HttpRecording::Record(folder.clone())))
    }
}

impl EngineArgs {
    /// Returns the options for external programs and language models as players.
    pub(super) fn external_player_options(&self) -> ExternalPlayerOptions {
        let limits = EngineWaitAndRetryLimits::default();
        let limits = self.engine_timeout.map_or(limits, |seconds| {
            let time = Duration::from_secs(seconds);
            EngineWaitAndRetryLimits {
                hello: time,
                reply: time,
                stall: time * 10,
                ..limits
            }
        });
        ExternalPlayerOptions {
            allow_commands: self.allow_commands,
            limits,
            models: Arc::clone(&self.models),
            confined: false,
        }
    }
}

// Higher limits on the size of a scenario.
#[derive(Clone, Debug, Args)]
#[expect(
    clippy::struct_field_names,
    reason = "the name of a field is the name of its command-line flag"
)]
pub(super) struct ScenarioLimitArgs {
    /// The maximum size of a scenario file, in bytes.
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    pub(super) max_file: Option<u64>,
    /// The maximum number of claims in a scenario.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_claims: Option<usize>,
    /// The maximum number of levels of subclaims below the root claim.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_depth: Option<u32>,
    /// The maximum number of subclaims in a support.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_width: Option<u32>,
    /// The maximum number of characters in a text of a scenario, such as a statement.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_text: Option<usize>,
    /// The maximum number of gates in a circuit.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_gates: Option<u32>,
    /// The maximum number of digits of the smallest stake, and of ε to the power of the number of subclaims of the
    /// widest support.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_digits: Option<u64>,
}

impl ScenarioLimitArgs {
    /// Returns the scenario with this name or path, within the limits of the flags. Prints notes on the scenario's
    /// files on stderr.
    pub(super) fn find_scenario(&self, scenario: &str) -> Result<LoadedScenario> {
        let setup = LoadedScenario::find_scenario(scenario, &self.limits())
            .map_err(CommandFailure::from_input_error)?;
        for note in setup.inconsistency_notes() {
            print_warning(format!("note on {scenario}: {note}"))?;
        }
        Ok(setup)
    }

    /// Returns the scenario, together with the player files that the given player names refer to.
    pub(super) fn find_scenario_with_players<'n>(
        &self,
        scenario: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<LoadedScenario> {
        let mut setup = self.find_scenario(scenario)?;
        load_player_files(&mut setup, names, &self.limits())?;
        Ok(setup)
    }
    pub(super) fn limits(&self) -> ScenarioLimits {
        let standard = ScenarioLimits::default();
        ScenarioLimits {
            file: self.max_file.unwrap_or(standard.file),
            claims: self.max_claims.unwrap_or(standard.claims),
            depth: self.max_depth.unwrap_or(standard.depth),
            width: self.max_width.unwrap_or(standard.width),
            text: self.max_text.unwrap_or(standard.text),
            gates: self.max_gates.unwrap_or(standard.gates),
            digits: self.max_digits.unwrap_or(standard.digits),
        }
    }
}
