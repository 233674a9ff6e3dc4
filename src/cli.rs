//! The command line: defines the commands and their flags, parses them, and runs the chosen command.

mod check;
mod compare;
mod completion;
mod daily;
mod engine;
mod equilibrium;
mod errors;
mod export;
#[cfg(any(not(feature = "mcp"), not(feature = "web")))]
mod feature;
mod flags;
mod global_args;
mod guide;
mod import;
mod judgements;
mod list;
mod log;
mod matches;
#[cfg(feature = "mcp")]
mod mcp;
mod me;
mod merge;
mod output;
mod output_files;
mod plain;
mod play;
mod print;
mod progress;
mod queries;
mod rejudge;
mod report;
mod saves;
mod schema;
mod search;
mod serve;
mod simulate;
mod solve;
mod study;
mod theorems;
mod train;
mod tutorial;
#[cfg(feature = "web")]
mod web;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

use crate::app::{self, AppContext, AppOptions, AppPage, LocalOrRemoteScreen, ReplayAudience};
use crate::exit::{CommandFailure, Result};
use crate::tui::terminal::print_remote_screen_failure;
use clap::builder::ArgPredicate;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use debate_host::message::DebateOverrides;
use debate_host::plan::{DebateOptions, ExternalPlayerOptions};
use flags::{
    DebateNumberArgs, DisplayArgs, EngineArgs, ProtocolReplacementArgs, SaveStorageArgs,
    ScenarioLimitArgs, SeatName, SeatPlayerArgs, SeedAndInstanceArgs,
};
use output::{stderr, stdout};

/// The version and the optional features of this build.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let features = [
        ("mcp", cfg!(feature = "mcp")),
        ("tls", cfg!(feature = "tls")),
        ("web", cfg!(feature = "web")),
    ];
    let names: Vec<&str> = features
        .into_iter()
        .filter_map(|(name, is_built)| is_built.then_some(name))
        .collect();
    let names = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    format!("{} (features: {names})", env!("CARGO_PKG_VERSION"))
});

/// A terminal game and laboratory for AI-safety debate.
///
/// Play the prover, the estimator or the judge in a debate whose rules make lying unprofitable, and see the value
/// of every reply.
#[derive(Debug, Parser)]
#[command(name = "debate-tui", version, long_version = LONG_VERSION.as_str())]
#[command(after_help = include_str!("cli/help/debate-tui.txt"))]
#[command(subcommand_precedence_over_arg = true)]
#[command(
    override_usage = "debate-tui [OPTIONS] [SCENARIO]\n       debate-tui [OPTIONS] <COMMAND>"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    play: PlayArgs,
    #[command(flatten)]
    print: print::PrintKeysConfigThemesFlags,
    #[command(flatten)]
    global: global_args::GlobalArgs,
    /// The name of the command that the user runs; set after the command line is parsed.
    #[arg(skip)]
    name: String,
    /// True if the full screen is shown by another program, to which frames are sent as lines of JSON. Set after the
    /// command line is parsed.
    #[arg(skip)]
    is_remote: bool,
}

// Deferred: a start builds only the flags of the command that runs.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    /// Learn the game in at most twelve minutes: one debate from each seat, and the purpose of the rules.
    Tutorial(tutorial::TutorialArgs),
    /// Play today's debate: the same scenario, instance, coins and opponent for everybody.
    Daily(daily::DailyDebateArgs),
    /// Continue an unfinished debate.
    Resume(ResumeArgs),
    /// Step through a saved debate.
    Replay(ReplayArgs),
    /// Check saves: every reply against the rules, every coin against the seed, and every reward.
    Verify(VerifyArgs),
    /// Check scenarios: report if they are valid, and their size.
    Check(CheckArgs),
    /// Export a debate for readers or a scenario for other programs.
    Export(export::ExportArgs),
    /// Import debates and questions as saves and scenarios: the NYU study, transcripts of models, QuALITY.
    Import(import::ImportArgs),
    /// Summarise judgements of debates: accuracy, scores and calibration, with intervals.
    Report(judgements::JudgementReportArgs),
    /// Show your calibration over your saved debates: estimates against the truth, gaps over time, and verdicts.
    Me(me::OwnCalibrationArgs),
    /// Compute the exact expected payoffs of the given players, round by round.
    Solve(solve::ExpectedPayoffArgs),
    /// Play many debates on all cores: print means, win rates and costs.
    Simulate(simulate::SimulateArgs),
    /// Play the same instance with the same coins under two sets of rules, side by side.
    Compare(compare::CompareArgs),
    /// Merge the shards that `simulate --shard` or `search --shard` wrote.
    Merge(merge::MergeShardsArgs),
    /// Compute the exact payoff of every prover against every opponent, and the best prover for an Alice who commits
    /// first (PE Theorem 6.2).
    Equilibrium(equilibrium::EquilibriumArgs),
    /// Train an estimator whose estimates no test distinguishes from the truth (PE Algorithm 1).
    Train(train::TrainArgs),
    /// List the statements of the papers with the commands that check them, their figures and outcomes.
    Theorems(theorems::TheoremsArgs),
    /// Search for small games in which a statement close to those of the papers fails.
    Search(search::CounterexampleSearchArgs),
    /// Bound the fewest bits that a verifier must read to decide small functions (DQC Definition 1).
    Queries(queries::QueryBoundsArgs),
    /// Check an external program that plays a seat.
    Engine(engine::EngineSubcommandArgs),
    /// Play a tournament: all players against each other over instances and debates. Save each debate and print a
    /// table with intervals. Continue a match that was stopped.
    Match(matches::MatchArgs),
    /// Let another program run debates, with messages as lines of JSON.
    Serve(serve::ServeDebatesArgs),
    /// Run a pilot study with human judges: from a study file to a report.
    Study(Box<study::StudyArgs>),
    /// Serve debates to a client of the Model Context Protocol.
    #[cfg(feature = "mcp")]
    Mcp(mcp::McpArgs),
    /// Serve debates to a client of the Model Context Protocol (not in this build).
    #[cfg(not(feature = "mcp"))]
    #[command(hide = true)]
    Mcp(feature::ArgsOfMissingFeature),
    /// Serve the game to browsers. Each visitor has a separate page and separate saves.
    #[cfg(feature = "web")]
    Web(web::WebArgs),
    /// Serve the game to browsers (not in this build).
    #[cfg(not(feature = "web"))]
    #[command(hide = true)]
    Web(feature::ArgsOfMissingFeature),
    /// List scenarios, players, rules, problems or saves, one per line.
    List(ListArgs),
    /// Print the JSON Schema of a document. Without a name, list the documents.
    Schema(schema::SchemaArgs),
    /// Show a page of the user's guide. Without a topic, list the pages.
    Guide(guide::GuideArgs),
    /// Print the script that completes this command line in a shell.
    Completions(completion::ShellCompletionsArgs),
    /// Print the manual page, or write one page per command.
    Man(completion::ManArgs),
}

#[derive(Debug, Args)]
struct PlayArgs {
    /// A scenario file, or the name of a bundled scenario (see `list scenarios`); `-` reads one from
    /// stdin.
    scenario: Option<String>,
    /// Play this seat; repeatable. `alice` means prover; `bob`, `estimator` and `challenger` mean opponent; `none`
    /// watches.
    #[arg(long, value_name = "SEAT")]
    role: Vec<SeatName>,
    #[command(flatten)]
    seats: SeatPlayerArgs,
    #[command(flatten)]
    rules: ProtocolReplacementArgs,
    #[command(flatten)]
    coins: SeedAndInstanceArgs,
    #[command(flatten)]
    debate: DebateNumberArgs,
    /// Until the end, hide the names of the other players, the background of the scenario and the values of
    /// replies. Also hide the rules from a judge.
    #[arg(long)]
    blind: bool,
    /// Show the value of each reply from the start. Without this flag, `h` shows it on the screen and `hint` in
    /// plain lines.
    #[arg(long, conflicts_with = "blind")]
    hints: bool,
    #[command(flatten)]
    display: DisplayArgs,
    #[command(flatten)]
    save_options: SaveStorageArgs,
    #[command(flatten)]
    limits: ScenarioLimitArgs,
    #[command(flatten)]
    engines: EngineArgs,
}

impl PlayArgs {
    /// Returns the options that the flags give for debates of a scenario.
    fn debate_options(&self) -> DebateOptions {
        DebateOptions {
            choices: DebateOverrides {
                players: self
                    .seats
                    .player_names()
                    .map(|name| name.map(str::to_owned))
                    .into(),
                protocol: self.rules.protocol.clone(),
                seed: self.coins.seed.clone(),
                number: self.debate.number,
                instance: self.coins.instance.clone(),
                blind: self.blind,
            },
            roles: self.role.iter().map(|role| role.seat()).collect(),
            hints: self.hints,
            limits: self.limits.limits(),
            engines: ExternalPlayerOptions {
                confined: self.display.visitor,
                ..self.engines.external_player_options()
            },
        }
    }
}

#[derive(Debug, Args)]
struct ResumeArgs {
    /// The save of an unfinished debate. Without it, choose from the unfinished debates on the screen; in plain
    /// lines, they are listed.
    save: Option<PathBuf>,
    /// Use the most recently written unfinished debate in the folder of saves.
    #[arg(long, conflicts_with = "save")]
    last: bool,
    #[command(flatten)]
    display: DisplayArgs,
    #[command(flatten)]
    engines: EngineArgs,
    /// Look for unfinished debates in this folder, and store the saves of new debates there.
    #[arg(long = "saves", value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = include_str!("cli/help/replay.txt"))]
struct ReplayArgs {
    /// A save; `-` reads one from stdin. With --as judge also a folder of saves.
    #[arg(required = false, required_unless_present = "last")]
    #[arg(default_value_if("last", ArgPredicate::IsPresent, "."))]
    save: PathBuf,
    /// Use the most recently written save in the folder of saves.
    #[arg(long, conflicts_with = "save")]
    last: bool,
    /// Judge the finished debate again, round by round. Later rounds and the judgements of the first judge stay
    /// hidden. A folder gives all its debates in random order.
    #[arg(long = "as", value_enum, value_name = "SEAT")]
    #[arg(conflicts_with_all = ["from", "seen_by", "json"])]
    judge_again: Option<RejudgeSeat>,
    /// --as judge: derive the order of a folder's debates from this text. The default is a random order.
    #[arg(long, requires = "judge_again")]
    seed: Option<String>,
    /// --as judge: append the judgements to this file, and skip debates that the same judge already judged there.
    /// The default is rejudgements.jsonl beside the saves.
    #[arg(long, value_name = "FILE", requires = "judge_again", value_hint = ValueHint::FilePath)]
    results: Option<PathBuf>,
    /// --as judge: the name of the judge in the file of judgements [default: me].
    #[arg(long, value_name = "NAME", requires = "judge_again")]
    judge_name: Option<String>,
    /// Start at round k, which counts down from d to 0 as in formulas and files. (Sentences count rounds up: round
    /// 1 is k = d.)
    #[arg(long, value_name = "K")]
    from: Option<u32>,
    /// Show only the information that this seat has; `none` shows everything. By default a finished debate is shown
    /// in full, and an unfinished one as its players see it.
    #[arg(long, value_name = "SEAT")]
    seen_by: Option<SeatName>,
    /// In plain lines: compare each reply of a human player with the best one, which may take seconds. On the
    /// screen, the review does this.
    #[arg(long, conflicts_with = "judge_again")]
    hints: bool,
    #[command(flatten)]
    display: DisplayArgs,
    #[command(flatten)]
    save_options: SaveStorageArgs,
}

/// The seat of `replay --as`. The only value is the judge's seat, in which the user judges a finished debate again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RejudgeSeat {
    Judge,
}

impl ReplayArgs {
    /// Returns the viewer of the replay: without `--seen-by`, the players of the saved debate; for `none`, a viewer who
    /// sees everything.
    fn seen_by(&self) -> ReplayAudience {
        match self.seen_by.map(SeatName::seat) {
            None => ReplayAudience::Players,
            Some(None) => ReplayAudience::All,
            Some(Some(seat)) => ReplayAudience::Seat(seat),
        }
    }
}

#[derive(Debug, Args)]
struct VerifyArgs {
    /// The saves; `-` reads one from stdin. Also the log of a study's session, or the folder of a study for all its
    /// logs.
    #[arg(required_unless_present = "last")]
    saves: Vec<PathBuf>,
    /// Use the most recently written save in the folder of saves.
    #[arg(long, conflicts_with = "saves")]
    last: bool,
    /// The last hash that was noted for this save. Exit with 1 if the save has another last hash.
    #[arg(long, value_name = "HASH", value_parser = saves::parse_hash)]
    expect: Option<String>,
    /// --last: look for the save in this folder.
    #[arg(long = "saves", value_name = "DIR", requires = "last", value_hint = ValueHint::DirPath)]
    folder: Option<PathBuf>,
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
struct CheckArgs {
    /// Scenario files, or names of bundled scenarios; `-` reads one from stdin.
    #[arg(required_unless_present = "in_practice")]
    scenarios: Vec<String>,
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    json: bool,
    /// Print exact fractions; numbers that are not fractions stay decimal.
    #[arg(long)]
    exact: bool,
    #[command(flatten)]
    rules: ProtocolReplacementArgs,
    /// The knowledge of the prover whose provable share of μ is computed (PE Definition 5.2): everything, nothing,
    /// offered, 'leaves(a, b)' or 'instances(01 10 | 11)'.
    #[arg(long, value_name = "WHAT")]
    prover_knows: Option<String>,
    /// The number of leaves that the prover of --prover-knows may look up before she answers. In a problem about a
    /// number, without --prover-knows: she has the number and a test of it, and tries N divisors.
    #[arg(long, value_name = "N")]
    prover_queries: Option<u32>,
    /// Exit with 1 unless every scenario is (ε, ρ)-stable and meets the other hypotheses of PE Lemma A.5.
    #[arg(long)]
    require_stable: bool,
    /// Show the Bobs against whom honest Alice loses, and the smallest error of their estimates at which she loses.
    /// Without a scenario: every bundled scenario with estimates.
    #[arg(long)]
    in_practice: bool,
    #[command(flatten)]
    limits: ScenarioLimitArgs,
}

#[derive(Debug, Args)]
struct ListArgs {
    /// The list to print.
    #[arg(value_enum)]
    what: ListTopic,
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    json: bool,
    /// saves: list the saves in this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    saves: Option<PathBuf>,
}

/// The lists that `list` can print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ListTopic {
    /// The bundled scenarios.
    Scenarios,
    /// The built-in players by protocol and seat.
    Strategies,
    /// The protocols.
    Protocols,
    /// The problems that can be debated.
    Problems,
    /// The saved debates, most recently written first.
    Saves,
}

/// Returns the error for an unknown name. The error suggests the nearest known name, or lists all names.
fn unknown_name(what: &str, name: &str, known: &[&str]) -> CommandFailure {
    let hint = debate_solver::setup::nearest_name(name, known).map_or_else(
        || format!("take one of {}", known.join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    let name = debate_core::text::replace_unsafe_characters(name);
    CommandFailure::Input(format!("{what} `{name}`; {hint}"))
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    // If a shell requests completions, this call prints them and ends the process.
    completion::answer_shell_completion_request();
    let args: Vec<OsString> = env::args_os().collect();
    errors::choose_error_format(&args);
    let mut cli = match global_args::parse_command_line(&args) {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(print_usage(&error)),
    };
    let status = carry_out(&mut cli);
    // Engines are ended here because a thread may still hold one.
    debate_host::engine::kill_engine_process_groups();
    tracing::info!(status, "ended");
    ExitCode::from(status)
}

/// The exit code and the output of a command line that ran in this process.
#[derive(Debug)]
pub struct CapturedRun {
    pub code: u8,
    pub out: Vec<u8>,
    pub err: Vec<u8>,
}

/// Runs a command line on this thread and captures its output, for tests and for programs that embed this one. `args`
/// does not contain the program's name.
///
/// `input` replaces stdin for replies; a file named `-` is still read from the stdin of the process. `variables`
/// replace the environment for `NO_COLOR`, `FORCE_COLOR`, `CLICOLOR_FORCE`, `DEBATE_TUI_CONFIG` and
/// `DEBATE_TUI_SAVES`. Hints and reviews have no deadline. The caller handles signals. Engines that the command has
/// started may outlive it. The output of `engine` and of the commands that serve is not captured.
pub fn run_captured(
    args: &[&str],
    input: &str,
    variables: &[(&'static str, &OsStr)],
) -> CapturedRun {
    let program = ["debate-tui"].iter();
    let args: Vec<OsString> = program.chain(args).map(OsString::from).collect();
    let variables = variables
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()));
    errors::choose_error_format(&args);
    let run = || match global_args::parse_command_line(&args) {
        Ok(mut cli) => carry_out(&mut cli),
        Err(error) => print_usage(&error),
    };
    let (code, out, err) = output::capture(input, variables.collect(), run);
    CapturedRun { code, out, err }
}

/// Prints help, the version, or the reason why a command line is wrong. Returns the exit code.
fn print_usage(error: &clap::Error) -> u8 {
    let code = u8::try_from(error.exit_code()).unwrap_or(u8::MAX);
    if error.use_stderr() && errors::print_usage_error_as_json(error, code) {
        return code;
    }
    let printed = if output::is_output_captured() {
        let mut stream = if error.use_stderr() {
            stderr()
        } else {
            stdout()
        };
        write!(stream, "{}", error.render())
    } else {
        // clap prints in colours if the stream is a terminal.
        error.print()
    };
    if error.use_stderr() {
        // An error that cannot be printed keeps its exit code.
        return code;
    }
    let printed = printed.and_then(|()| stdout().flush());
    errors::print_failure_and_exit_code(&printed.map_err(CommandFailure::from))
}

/// Executes a parsed command line. If it fails, prints the reason. Returns the exit code.
fn carry_out(cli: &mut Cli) -> u8 {
    let done = execute(cli);
    if cli.is_remote
        && let Some(why) = done
            .as_ref()
            .err()
            .and_then(CommandFailure::unprinted_error_message)
    {
        // The user may have closed the connection.
        let _ = print_remote_screen_failure(&debate_core::text::replace_unsafe_multiline(why));
    }
    errors::print_failure_and_exit_code(&done)
}

/// Executes a parsed command line. Returns after all output is written.
fn execute(cli: &mut Cli) -> Result {
    cli.start_program_log_and_apply_settings()?;
    dispatch(cli)?;
    Ok(stdout().flush()?)
}

/// Shows a page of the terminal program and the pages that follow it. After the terminal is released, prints the exit
/// report.
fn on_screen(options: AppOptions, first: AppPage) -> Result {
    if options.screen_kind == LocalOrRemoteScreen::JsonLines {
        // On a terminal the screen handles the signals.
        progress::install_engine_ending_signal_handler()?;
    }
    let mut app = AppContext::new(options)?;
    let farewell = app::run(&mut app, first)?;
    app.restore_terminal_and_print(farewell)
}

fn dispatch(cli: &Cli) -> Result {
    let display = &cli.play.display;
    let printed = cli
        .print
        .print_requested_list(display.json, &display.preferences);
    match &cli.command {
        None => printed.unwrap_or_else(|| play::run_play(&cli.play)),
        Some(Command::Tutorial(args)) => tutorial::run_tutorial(args),
        Some(Command::Daily(args)) => daily::run_daily_debate(args),
        Some(Command::Resume(args)) => play::run_resume(args),
        Some(Command::Replay(args)) => saves::run_replay(args),
        Some(Command::Verify(args)) => saves::run_verify_saves(args, cli.global.quiet),
        Some(Command::Check(args)) => check::run_scenario_check(args),
        Some(Command::Export(args)) => export::run_export(args),
        Some(Command::Import(args)) => import::run_import(args, cli.global.quiet),
        Some(Command::Report(args)) => judgements::run_judgement_report(args),
        Some(Command::Me(args)) => me::run_own_calibration(args, cli.global.quiet),
        Some(Command::Solve(args)) => solve::run_expected_payoff(args, cli.global.quiet),
        Some(Command::Simulate(args)) => simulate::run_simulate(args, cli.global.quiet),
        Some(Command::Compare(args)) => compare::run_debate_comparison(args),
        Some(Command::Merge(args)) => merge::run_merge_shards(args),
        Some(Command::Equilibrium(args)) => equilibrium::run_equilibrium(args),
        Some(Command::Train(args)) => train::run_train(args),
        Some(Command::Theorems(args)) => theorems::run_theorems(args, cli.global.quiet),
        Some(Command::Search(args)) => search::run_counterexample_search(args, cli.global.quiet),
        Some(Command::Queries(args)) => queries::run_query_bounds(args),
        Some(Command::Engine(args)) => engine::run_engine_subcommand(args),
        Some(Command::Match(args)) => matches::run_match(args, cli.global.quiet),
        Some(Command::Serve(args)) => serve::run_serve_debates(args),
        Some(Command::Study(args)) => study::run_study(args),
        #[cfg(feature = "mcp")]
        Some(Command::Mcp(args)) => mcp::run_mcp(args),
        #[cfg(not(feature = "mcp"))]
        Some(Command::Mcp(args)) => feature::refuse_without_mcp(args),
        #[cfg(feature = "web")]
        Some(Command::Web(args)) => web::run_web(args),
        #[cfg(not(feature = "web"))]
        Some(Command::Web(args)) => feature::refuse_without_web(args),
        Some(Command::List(args)) => list::run_list(args),
        Some(Command::Schema(args)) => schema::run_schema(args),
        Some(Command::Guide(args)) => guide::run_guide(args),
        Some(Command::Completions(args)) => completion::run_shell_completions(args),
        Some(Command::Man(args)) => completion::run_man(args),
    }
}
