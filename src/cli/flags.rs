//! Flags shared by several commands, each with one meaning and one text. Structs of flags have no doc comments,
//! because clap would show them instead of the command's description.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum, ValueHint};

use super::errors::complain;
use super::output::is_terminal;
use super::{Failure, Result};
use crate::app::{AppOptions, AppPage, Preferences, ScreenPlace};
use crate::tui::theme::ThemeChoice;
use debate_core::chance::Seed;
use debate_core::player::{Knowledge, KnowledgeError};
use debate_core::protocol::{Protocol, Seat};
use debate_host::engine::EngineLimits;
use debate_host::plan::{
    DebateOptions, EngineOptions, SaveOptions, load_player_files, rules, seed, world,
};
use debate_solver::expectation::NumberFormat;
use debate_solver::setup::{Limits, Setup};
use debate_solver::simulate::MAX_DEBATES;

/// How a seat is named on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SeatName {
    /// Alice: answers, decomposes, defends.
    #[value(aliases = ["alice"])]
    Prover,
    /// Bob: estimates, or contests.
    #[value(aliases = ["bob", "estimator", "challenger"])]
    Opponent,
    /// Answers the oracle's questions.
    Judge,
    /// Nobody: watch.
    None,
}

impl SeatName {
    /// The seat, unless it is that of somebody who watches.
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
pub(super) struct SeatArgs {
    /// Who plays Alice, the prover (see `list strategies`).
    #[arg(long, value_name = "NAME")]
    prover: Option<String>,
    /// Who plays Bob, the opponent: the estimator or challenger.
    #[arg(long, value_name = "NAME")]
    opponent: Option<String>,
    /// Who answers the oracle's questions.
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
}

impl SeatArgs {
    /// The names that were given, by seat.
    pub(super) fn named(&self) -> [Option<&str>; 3] {
        [&self.prover, &self.opponent, &self.judge].map(Option::as_deref)
    }
}

// The debaters' knowledge about the instance before the debate.
#[derive(Debug, Args)]
pub(super) struct KnowledgeArgs {
    /// What Alice knows of the instance: everything, nothing (but which instances there are), offered
    /// (what the problem grants a player who cannot decide claims), 'leaves(a, b)' (whether these
    /// claims are true) or 'instances(01 10 | 11)' (these blocks, which she tells apart).
    #[arg(long, value_name = "WHAT")]
    prover_knows: Option<String>,
    /// The same of Bob.
    #[arg(long, value_name = "WHAT")]
    opponent_knows: Option<String>,
    /// How many leaves Alice, where she replies best, may look up by herself in a debate.
    #[arg(long, value_name = "N")]
    prover_queries: Option<u32>,
    /// The same of Bob.
    #[arg(long, value_name = "N")]
    opponent_queries: Option<u32>,
}

impl KnowledgeArgs {
    /// True if the knowledge of prover and opponent is given; true if their queries are.
    pub(super) fn given(&self) -> [[bool; 2]; 2] {
        [
            [self.prover_knows.is_some(), self.opponent_knows.is_some()],
            [
                self.prover_queries.is_some(),
                self.opponent_queries.is_some(),
            ],
        ]
    }

    /// Puts what was said in place of what the scenario says.
    pub(super) fn put(&self, setup: &mut Setup) -> Result {
        let prover = self.prover_knows.as_deref();
        let opponent = self.opponent_knows.as_deref();
        put_knowledge(setup, Seat::Prover, prover, self.prover_queries)?;
        put_knowledge(setup, Seat::Opponent, opponent, self.opponent_queries)
    }
}

/// Puts what a seat is said to know in place of what the scenario says.
pub(super) fn put_knowledge(
    setup: &mut Setup,
    seat: Seat,
    knows: Option<&str>,
    queries: Option<u32>,
) -> Result {
    if let Some(text) = knows {
        let failure =
            |error: KnowledgeError| Failure::Input(format!("--{}-knows: {error}", seat.name()));
        let knows = Knowledge::parse(text).map_err(failure)?;
        setup.set_knowledge(seat, knows).map_err(failure)?;
    }
    if let Some(queries) = queries {
        setup.queries[seat.index()] = queries;
    }
    Ok(())
}

/// By which rules.
/// The form of numbers that `--exact` asks for.
pub(super) fn number_format(exact: bool) -> NumberFormat {
    if exact {
        NumberFormat::Fraction
    } else {
        NumberFormat::Decimal
    }
}

#[derive(Debug, Args)]
pub(super) struct RulesArgs {
    /// The rules, instead of the scenario's own, as a scenario writes them: 'Recursive', or
    /// 'ProverEstimator(epsilon: 0.25, rho: "1/2")'.
    #[arg(long, value_name = "RON")]
    pub(super) protocol: Option<String>,
}

impl RulesArgs {
    /// As [`rules`] reads them.
    pub(super) fn of(&self, setup: &Setup, limits: &Limits) -> Result<Protocol> {
        Ok(rules(self.protocol.as_deref(), setup, limits)?)
    }
}

// The instance and the coins.
#[derive(Debug, Args)]
pub(super) struct CoinArgs {
    /// Where all coins come from; a random one is taken and shown where none is given.
    #[arg(long, value_name = "TEXT")]
    pub(super) seed: Option<String>,
    /// Which instance of the scenario's distribution; the scenario's own, else one drawn from the
    /// seed, where it is not said.
    #[arg(long, value_name = "NAME")]
    pub(super) instance: Option<String>,
}

impl CoinArgs {
    /// The seed that was given, else a random one.
    pub(super) fn seed(&self) -> Result<Seed> {
        Ok(seed(self.seed.as_deref())?)
    }

    /// The instance that was asked for, by its number.
    pub(super) fn world(&self, setup: &Setup) -> Result<Option<usize>> {
        Ok(world(self.instance.as_deref(), setup)?)
    }
}

// The number of the debate under the seed.
#[derive(Debug, Args)]
pub(super) struct DebateArgs {
    /// Which debate under the seed: `simulate` numbers its debates from 0.
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
pub(super) struct OutputArgs {
    /// Print a table of comma-separated values.
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
    /// Print one JSON document and nothing else on stdout.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct DisplayArgs {
    /// Lines of text on stdin and stdout instead of a screen; the default without a terminal, and on
    /// one that draws nothing (TERM is `dumb`, empty or not set).
    #[arg(long)]
    pub(super) plain: bool,
    /// Print one JSON document and nothing else on stdout.
    #[arg(long)]
    pub(super) json: bool,
    /// The colours of the screen; `--print-themes` shows them. `auto` asks the terminal whether its
    /// background is light, and takes dark where it does not answer within half a second.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(ThemeChoice::NAMES))]
    pub(super) theme: Option<String>,
    /// Draw with ASCII characters only.
    #[arg(long)]
    pub(super) ascii: bool,
    /// Leave the mouse to the terminal.
    #[arg(long)]
    pub(super) no_mouse: bool,
    /// Where the screen is: this terminal, or elsewhere, behind lines of JSON on stdin and stdout
    /// (`debate-tui guide web`).
    #[arg(long, value_enum, value_name = "PLACE", conflicts_with_all = ["plain", "json"])]
    #[arg(default_value_t = ScreenPlace::Terminal, hide_short_help = true)]
    pub(super) screen: ScreenPlace,
    /// --screen json-lines: whoever sits there is not trusted with this machine: no program is started
    /// for a seat, and no file is read or written but saves and settings.
    #[arg(long, requires = "screen", hide_short_help = true)]
    pub(super) visitor: bool,
    /// `--quiet`, put here once the line is read.
    #[arg(skip)]
    pub(super) quiet: bool,
    /// What the user likes, these flags included; put here once the line is read.
    #[arg(skip)]
    pub(super) preferences: Preferences,
}

impl DisplayArgs {
    /// Whether there is to be a screen, and a terminal to draw it on.
    pub(super) fn wants_screen(&self) -> bool {
        self.screen == ScreenPlace::JsonLines
            || !self.plain && !self.json && is_terminal(&io::stdout()) && is_terminal(&io::stdin())
    }

    /// How the screen begins.
    pub(super) fn app(&self, keeping: impl Into<SaveOptions>, debate: DebateOptions) -> AppOptions {
        let mut debate = debate;
        debate.engines.confined |= self.visitor;
        AppOptions {
            preferences: self.preferences.clone(),
            keeping: keeping.into(),
            debate,
            place: self.screen,
        }
    }

    /// Shows a page and all that follow it on the screen.
    pub(super) fn show(&self, keeping: impl Into<SaveOptions>, page: AppPage) -> Result {
        super::on_screen(self.app(keeping, DebateOptions::default()), page)
    }
}

#[derive(Debug, Args)]
pub(super) struct KeepingArgs {
    /// Keep saves in this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) saves: Option<PathBuf>,
    /// Keep no save.
    #[arg(long)]
    pub(super) no_save: bool,
}

impl From<&KeepingArgs> for SaveOptions {
    fn from(args: &KeepingArgs) -> Self {
        Self {
            folder: args.saves.clone(),
            no_save: args.no_save,
        }
    }
}

// The scenarios that messages may name.
#[derive(Clone, Debug, Args)]
pub(super) struct NamedScenarioArgs {
    /// Let messages name the scenario files in this folder, besides the bundled scenarios; may be repeated. No
    /// other file is read.
    #[arg(long = "scenarios", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) folders: Vec<PathBuf>,
}

// Limits of programs that play a seat.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct EngineArgs {
    /// Run commands that a scenario, a save or a message names as players: engine:COMMAND.
    #[arg(long)]
    allow_commands: bool,
    /// How long an engine may take to say hello (30 where this flag is left out) and to think about a reply
    /// (600); each word from it begins that anew, ten times as long in all.
    #[arg(long, value_name = "SECONDS")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=86_400))]
    engine_timeout: Option<u64>,
}

impl EngineArgs {
    pub(super) fn options(self) -> EngineOptions {
        let limits = EngineLimits::default();
        let limits = self.engine_timeout.map_or(limits, |seconds| {
            let time = Duration::from_secs(seconds);
            EngineLimits {
                hello: time,
                reply: time,
                stall: time * 10,
                ..limits
            }
        });
        EngineOptions {
            allow_commands: self.allow_commands,
            limits,
            confined: false,
        }
    }
}

// Higher limits on the size of a scenario.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_field_names, reason = "a field's name is its flag")]
pub(super) struct LimitArgs {
    /// Bytes that a scenario file may have.
    #[arg(long, value_name = "BYTES", hide_short_help = true)]
    pub(super) max_file: Option<u64>,
    /// Claims that a scenario may write down.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_claims: Option<usize>,
    /// Rounds that a debate may take.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_depth: Option<u32>,
    /// Subclaims that a support may have.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_width: Option<u32>,
    /// Characters that a text may have.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_text: Option<usize>,
    /// Gates that a circuit may have.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_gates: Option<u32>,
    /// Digits that the smallest reward of a round may have, and the power of ε for the widest support.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) max_digits: Option<u64>,
}

impl LimitArgs {
    /// The scenario that is called so, within the limits. Notes on its files go to stderr.
    pub(super) fn find(&self, scenario: &str) -> Result<Setup> {
        let setup = Setup::find(scenario, &self.limits()).map_err(Failure::input)?;
        for note in setup.notes() {
            complain(format!("note on {scenario}: {note}"))?;
        }
        Ok(setup)
    }

    /// The same, with the player files that these names lead to.
    pub(super) fn find_with<'n>(
        &self,
        scenario: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Setup> {
        let mut setup = self.find(scenario)?;
        load_player_files(&mut setup, names, &self.limits())?;
        Ok(setup)
    }
    pub(super) fn limits(&self) -> Limits {
        let standard = Limits::default();
        Limits {
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
