//! `engine check` tests if a program can play, with a few messages and a debate under each protocol in each seat.
//! `engine model` plays as a language model. `engine prompts` writes the instructions for language models.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::flags::{EngineArgs, HttpRecordingArgs};
use super::output::stdout;
use super::{CommandFailure, Result, progress};
use crate::model;
use debate_core::budget::ComputationBudget;
use debate_core::player::{ENGINE, PlayerSpec};
use debate_core::protocol::{ProtocolKind, Seat};
use debate_core::scenario::Instance;
use debate_core::text::replace_unsafe_characters;
use debate_host::engine::{EngineProcess, EngineThinkingOrFailedAttempt};
use debate_host::message::{DebateOverrides, EngineHello};
use debate_host::plan::{DebateOptions, DebatePlan, DebatePlanError, ExternalPlayerOptions};
use debate_host::{AdvanceResult, Debate};
use debate_solver::setup::bundled_scenarios;

/// The seed of the debates that a check of an engine plays, so that the check can be repeated.
const SEED: &str = "7";

#[derive(Debug, Args)]
pub(super) struct EngineSubcommandArgs {
    #[command(subcommand)]
    command: EngineCommand,
}

impl EngineSubcommandArgs {
    /// Returns the flags for engines of `engine check`; `None` for the other subcommands.
    pub(super) fn engine_args_of_check(&mut self) -> Option<&mut EngineArgs> {
        match &mut self.command {
            EngineCommand::Check(args) => Some(&mut args.engines),
            EngineCommand::Model(_) | EngineCommand::Prompts(_) => None,
        }
    }
}

#[derive(Debug, Subcommand)]
enum EngineCommand {
    /// Check that a program can play: its messages, then a debate under each protocol except `Verified`, in each seat
    /// that replies. Print one line per check, and exit with 1 if one fails.
    Check(EngineCheckArgs),
    /// Play as a language model: read an engine's messages from stdin, ask the model's provider, and write the replies.
    /// The program starts this command itself for a player such as `ollama:NAME`.
    Model(EngineModelArgs),
    /// Write the instructions for language models, one for each seat, to new files in a folder. Change them and name
    /// the folder with `model(prompts=DIR):NAME`.
    Prompts(EnginePromptsArgs),
}

#[derive(Debug, Args)]
struct EnginePromptsArgs {
    /// The folder.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
}

#[derive(Debug, Args)]
struct EngineModelArgs {
    /// The model: `model:NAME@URL`, `openai:NAME`, `anthropic:NAME`, `openrouter:NAME` or `ollama:NAME`.
    model: String,
    #[command(flatten)]
    http: HttpRecordingArgs,
}

#[derive(Debug, Args)]
struct EngineCheckArgs {
    /// The command line without the prefix `engine:`, or a language model such as `ollama:NAME`.
    command: String,
    #[command(flatten)]
    engines: EngineArgs,
}

/// The outcome of the checks so far: true in `failed` if one of them failed.
#[derive(Default)]
struct Checklist {
    failed: bool,
}

impl Checklist {
    /// Prints the result of one check of an engine, and records a failure.
    fn record(&mut self, what: &str, result: Result<(), String>) -> Result {
        let line = match result {
            Ok(()) => format!("pass  {what}"),
            Err(why) => {
                self.failed = true;
                format!("FAIL  {what}: {why}")
            }
        };
        Ok(writeln!(stdout(), "{}", replace_unsafe_characters(&line))?)
    }
}

pub(super) fn run_engine_subcommand(args: &EngineSubcommandArgs) -> Result {
    match &args.command {
        EngineCommand::Check(args) => check(args),
        EngineCommand::Prompts(args) => {
            let written =
                model::export_prompts(&args.folder).map_err(CommandFailure::from_input_error)?;
            for path in written {
                let line = path.display().to_string();
                writeln!(stdout(), "{}", replace_unsafe_characters(&line))?;
            }
            Ok(())
        }
        EngineCommand::Model(args) => {
            let output = Box::new(io::stdout());
            let recording = args.http.recording()?;
            model::play_as_engine(&args.model, recording, io::stdin().lock(), output).map_err(
                |why| {
                    CommandFailure::from_input_error(format!("`{}` cannot play: {why}", args.model))
                },
            )
        }
    }
}

fn check(args: &EngineCheckArgs) -> Result {
    progress::install_engine_ending_signal_handler()?;
    let options = args.engines.external_player_options();
    let mut list = Checklist::default();
    if let Some(hello) = check_messages(&args.command, &options, &mut list)? {
        check_debates(&args.command, &options, &hello, &mut list)?;
    }
    CommandFailure::No.fail_unless(!list.failed)
}

/// Checks the messages that an engine sends before and after debates. Returns `None` if the program is not an engine.
fn check_messages(
    command: &str,
    options: &ExternalPlayerOptions,
    list: &mut Checklist,
) -> Result<Option<EngineHello>> {
    let engine = match EngineProcess::start(command, options.limits, &options.models) {
        Ok(engine) => engine,
        Err(why) => {
            list.record("says hello", Err(why))?;
            return Ok(None);
        }
    };
    let hello = engine.hello_message().clone();
    let name = &hello.name;
    let version = &hello.version;
    list.record(&format!("says hello: {name} {version}"), Ok(()))?;
    list.record("answers a ping", engine.ping())?;
    engine.send_raw_line("{\"type\":\"of_a_later_version\",\"more\":[1]}");
    list.record("ignores an unknown message", engine.ping())?;
    let ended = if engine.end_engine_within_time_limit() {
        Ok(())
    } else {
        let seconds = options.limits.quit.as_secs_f64();
        Err(format!("the engine still ran {seconds} s after `bye`"))
    };
    list.record("ends after `bye`", ended)?;
    Ok(Some(hello))
}

/// Plays debates with an engine: under each protocol, in each seat that replies in it and that the engine supports.
fn check_debates(
    command: &str,
    engines: &ExternalPlayerOptions,
    hello: &EngineHello,
    list: &mut Checklist,
) -> Result {
    let plays =
        |names: &[String], name: &str| names.is_empty() || names.iter().any(|other| other == name);
    let mut seen: Vec<ProtocolKind> = Vec::new();
    let mut refused_once = false;
    for scenario in bundled_scenarios() {
        for seat in Seat::PLAYERS {
            let mut players = [None, None, None];
            let is_model = PlayerSpec::without_arguments(command).is_language_model();
            let prefix = if is_model { "" } else { ENGINE };
            players[seat.seat_index()] = Some(format!("{prefix}{command}"));
            let options = DebateOptions {
                choices: DebateOverrides {
                    players: players.into(),
                    seed: Some(SEED.to_owned()),
                    ..DebateOverrides::default()
                },
                roles: vec![None],
                engines: engines.clone(),
                ..DebateOptions::default()
            };
            let plan = options.plan_named_scenario(scenario.name)?;
            let instance = plan.instance();
            let kind = plan.protocol.kind();
            // In an open argument, human players write the claims.
            if seen.contains(&kind) || instance.prover_writing_limits().is_some() {
                break;
            }
            let asked = plan.protocol.protocol_parameters().asks(seat, &instance);
            if asked
                && plays(&hello.seats, seat.name_in_flags_and_json())
                && plays(&hello.protocols, kind.protocol_name())
            {
                let title = kind.title(seat);
                let rules = kind.protocol_name();
                let what = format!(
                    "the engine plays the {seat_title} in the scenario {scenario} ({rules})",
                    seat_title = title,
                    scenario = scenario.name
                );
                if !refused_once {
                    refused_once = true;
                    let what = "the engine replies again after an illegal reply";
                    list.record(what, check_refusal(&plan, &instance))?;
                }
                list.record(&what, play_to_end(&plan, &instance))?;
            }
            if seat == Seat::Judge {
                seen.push(kind);
            }
        }
    }
    Ok(())
}

/// Returns a new debate that has no save, with its engines started.
fn debate<'a>(plan: &DebatePlan, instance: &'a Instance) -> Result<Debate<'a>, DebatePlanError> {
    let players = plan.build_players(instance, ComputationBudget::default())?;
    let debate = Debate::new(plan.seat(instance, players)?, None);
    Ok(debate.with_engines(plan.start_engines(instance)?))
}

/// Plays a debate until the engine is asked for its first reply, then refuses that reply.
fn check_refusal(plan: &DebatePlan, instance: &Instance) -> Result<(), String> {
    let mut debate = debate(plan, instance).map_err(|error| error.to_string())?;
    let answered = debate.check_engine_retries_refused_reply();
    debate.notify_engines_of_end();
    answered
}

/// Plays a debate to its end. Returns an error if an engine makes any fault.
fn play_to_end(plan: &DebatePlan, instance: &Instance) -> Result<(), String> {
    let mut debate = debate(plan, instance).map_err(|error| error.to_string())?;
    loop {
        match debate
            .advance_by_one_move()
            .map_err(|error| error.to_string())?
        {
            AdvanceResult::Moved | AdvanceResult::Pending => {}
            AdvanceResult::Over => break,
            AdvanceResult::Failed(ending) => {
                return Err(format!("{}: {}", ending.fault, ending.why));
            }
            AdvanceResult::Ask(turn) => {
                return Err(format!(
                    "the engine does not play the {seat}",
                    seat = turn.seat
                ));
            }
            AdvanceResult::Stopped => return Err("the check was interrupted".to_owned()),
        }
    }
    debate.notify_engines_of_end();
    for news in debate.take_engine_events() {
        if let EngineThinkingOrFailedAttempt::Refused { why, .. }
        | EngineThinkingOrFailedAttempt::Failed { why, .. } = news
        {
            return Err(why);
        }
    }
    Ok(())
}
