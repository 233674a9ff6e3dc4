//! `match`: players against players. Saves each debate and prints a table of the results.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueHint};
use ratatui::crossterm::terminal;
use unicode_width::UnicodeWidthStr as _;

use super::errors::print_warning;
use super::flags::{EngineArgs, OutputFormatArgs, ScenarioLimitArgs};
use super::merge::ShardArg;
use super::output::{is_terminal, wrapped_page_lines};
use super::output_files::{CheckedOutputFiles, ReplaceExistingOutputsArgs};
use super::{CommandFailure, Result, progress};
use debate_host::plan::SaveStorageOptions;
use debate_lab::matches::{
    Match, MatchPlan, MatchReport, MatchRunOptions, MatchRunOutcome, NamedDebateRules, SprtTest,
    TotalCostCaps, ratings_chart_svg, ratings_chart_vega,
};
use debate_text::results::PrintableCommandResult as _;

/// The interval between redraws of a match's table on a terminal.
const REDRAW: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs").multiple(true))]
#[command(after_help = include_str!("help/match.txt"))]
pub(super) struct MatchArgs {
    /// The plan: a file in RON.
    #[arg(required_unless_present = "scenario", value_hint = ValueHint::FilePath)]
    plan: Option<PathBuf>,
    /// A scenario file or the name of a bundled scenario; repeatable, like the flags below.
    #[arg(long, value_name = "SCENARIO")]
    scenario: Vec<String>,
    /// A prover (see `list strategies`).
    #[arg(long, value_name = "NAME")]
    prover: Vec<String>,
    /// An opponent.
    #[arg(long, value_name = "NAME")]
    opponent: Vec<String>,
    /// A judge.
    #[arg(long, value_name = "NAME")]
    judge: Vec<String>,
    /// Rules to compare, written as in a scenario. The default is the scenario's own rules.
    #[arg(long, value_name = "RON")]
    protocol: Vec<String>,
    /// An instance by its name; `all` means every instance. The default is the scenario's own instance, or else one
    /// drawn for each debate.
    #[arg(long, value_name = "NAME|all")]
    instance: Vec<String>,
    /// Derive all coins from this text. Required, so that a stopped match can be continued.
    #[arg(long, value_name = "TEXT")]
    seed: Option<String>,
    /// The number of debates under the seed for each instance and combination of players.
    #[arg(short = 'n', long, value_name = "N")]
    debates: Option<u64>,
    /// Debate each open question a second time with its answers swapped.
    #[arg(long)]
    both_orders: bool,
    #[command(flatten)]
    pace: MatchLimitArgs,
    /// Store the saves in this folder. The default is `match-NAME` in the folder of saves.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    saves: Option<PathBuf>,
    /// Write a chart of the ratings to this file (SVG).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    chart: Option<PathBuf>,
    /// Write a chart of the ratings to this file (Vega-Lite).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    vega: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceExistingOutputsArgs,
    /// Stop once a sequential test of two players is decided: H0 (elo0) against H1 (elo1), with the error rates alpha
    /// and beta. Name both players with --prover and with --opponent; -n is the limit.
    #[arg(long, value_name = "ELO0,ELO1,ALPHA,BETA", conflicts_with = "shard")]
    #[arg(allow_hyphen_values = true)]
    sprt: Option<SprtTest>,
    /// Play only shard I of M and print its result. Shards count from 1 to M; 0 means M. All shards may share a
    /// folder of saves. --dry-run without a shard prints their combined result.
    #[arg(long, value_name = "I/M")]
    shard: Option<ShardArg>,
    /// Play no debates, and print the results of the existing saves.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    form: OutputFormatArgs,
    #[command(flatten)]
    limits: ScenarioLimitArgs,
    #[command(flatten)]
    pub(super) engines: EngineArgs,
    /// The folder of saves from the environment or the settings; set after the command line is parsed.
    #[arg(skip)]
    pub(super) default_saves: Option<PathBuf>,
}

// The number of concurrent debates and the cost caps of a match.
#[derive(Debug, Args)]
pub(super) struct MatchLimitArgs {
    /// The number of debates to play at once [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Stop before a call that could exceed N model calls for all replies.
    #[arg(long, value_name = "N")]
    max_calls: Option<u64>,
    /// Stop before a call that could exceed N tokens, input and output.
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// Stop before a call that could exceed this cost in US dollars.
    #[arg(long, value_name = "USD")]
    max_usd: Option<String>,
}

impl MatchLimitArgs {
    pub(super) fn jobs(&self) -> usize {
        progress::thread_count(self.jobs)
    }

    /// Returns the cost caps of the match's plan, overridden by the flags.
    pub(super) fn override_caps(&self, plan_caps: TotalCostCaps) -> TotalCostCaps {
        TotalCostCaps {
            calls: self.max_calls.or(plan_caps.calls),
            tokens: self.max_tokens.or(plan_caps.tokens),
            usd: self.max_usd.clone().or(plan_caps.usd),
        }
    }
}

pub(super) fn run_match(args: &MatchArgs, quiet: bool) -> Result {
    progress::install_match_signal_handler()?;
    let outputs =
        CheckedOutputFiles::check(args.replace, [args.chart.as_ref(), args.vega.as_ref()])?;
    let mut game = Match::new(args.match_plan()?, args.match_options()?)?;
    if let Some(shard) = args.shard {
        game.restrict_to_debate_range(shard.debate_numbers(game.debate_count()));
    }
    play_unfinished(&game, args.dry_run, quiet, |report| {
        write_charts(args, outputs, report)?;
        outputs.print(report, &args.form)
    })
}

/// Writes charts of the ratings to the files that flags name.
fn write_charts(args: &MatchArgs, outputs: CheckedOutputFiles, report: &MatchReport) -> Result {
    if report.ratings.is_empty() && (args.chart.is_some() || args.vega.is_some()) {
        return Err(CommandFailure::from_input_error(
            "there are no ratings to draw: a rating needs more than two players, or two players who each played both seats",
        ));
    }
    if let Some(path) = &args.chart {
        outputs.write(path, ratings_chart_svg(report) + "\n")?;
    }
    outputs.write_chart(args.vega.as_deref(), || ratings_chart_vega(report))
}

/// Plays the unfinished debates of a match and prints its report. If `dry_run` is true, plays no debate.
pub(super) fn play_unfinished(
    game: &Match,
    dry_run: bool,
    quiet: bool,
    print: impl FnOnce(&MatchReport) -> Result,
) -> Result {
    for note in game.take_in_or_delete_saves_and_list_skipped()? {
        print_warning(format!("skipped: {note}"))?;
    }
    let end = if dry_run {
        MatchRunOutcome::default()
    } else {
        play(game, !quiet && is_terminal(&io::stderr()))?
    };
    for why in &end.void_reasons {
        print_warning(format!(
            "a debate stays unfinished and counts as lost for no player: {why}"
        ))?;
    }
    if let Some(cap) = &end.cap {
        print_warning(format!(
            "a cap is reached, so no further calls to language models or engines are made: {cap}"
        ))?;
    }
    let report = game.report();
    print(&report)?;
    let is_decided = (report.sprt.as_ref()).is_some_and(|sprt| sprt.accepted.is_some());
    let complete = report.finished == report.debates || is_decided;
    CommandFailure::No.fail_unless(complete || dry_run)
}

/// Plays a match. If `shows_table` is true, redraws the match's current table on stderr.
fn play(game: &Match, shows_table: bool) -> Result<MatchRunOutcome> {
    let stop = AtomicBool::new(false);
    let (over, waits) = channel::<()>();
    let end = thread::scope(|scope| {
        let player = scope.spawn(|| {
            let end = game.play_remaining_debates(&stop);
            drop(over);
            end
        });
        let mut screen = LiveTable::default();
        while waits.recv_timeout(REDRAW) == Err(RecvTimeoutError::Timeout) {
            if shows_table {
                // If stderr is closed, the table has no reader.
                let _ = screen.draw(&game.report());
            }
        }
        if shows_table {
            let _ = screen.wipe();
        }
        player.join()
    });
    match end {
        Ok(end) => Ok(end?),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

impl MatchArgs {
    /// Returns the match's plan from the plan file, overridden by the flags.
    fn match_plan(&self) -> Result<MatchPlan> {
        let file = self.plan.as_deref().map(MatchPlan::read_match_plan);
        let mut plan = file.transpose()?.unwrap_or_default();
        let replace = |list: &mut Vec<String>, flags: &[String]| {
            if !flags.is_empty() {
                *list = flags.to_vec();
            }
        };
        replace(&mut plan.scenarios, &self.scenario);
        replace(&mut plan.instances, &self.instance);
        replace(&mut plan.provers, &self.prover);
        replace(&mut plan.opponents, &self.opponent);
        replace(&mut plan.judges, &self.judge);
        if !self.protocol.is_empty() {
            let named = |protocol: &String| NamedDebateRules {
                name: protocol.clone(),
                protocol: protocol.clone(),
            };
            plan.conditions = self.protocol.iter().map(named).collect();
        }
        plan.both_orders |= self.both_orders;
        plan.debates = self.debates.unwrap_or(plan.debates);
        plan.seed = self.seed.clone().or(plan.seed);
        plan.caps = self.pace.override_caps(plan.caps);
        plan.sprt = self.sprt.or(plan.sprt);
        if plan.sprt.is_some() && self.shard.is_some() {
            return Err(CommandFailure::from_input_error(
                "a match with a sequential test (`sprt` in the plan) cannot be played in shards; leave out --shard",
            ));
        }
        Ok(plan)
    }

    fn match_options(&self) -> Result<MatchRunOptions> {
        let named = [&self.prover, &self.opponent, &self.judge];
        Ok(MatchRunOptions {
            folder: self.folder()?,
            jobs: self.pace.jobs(),
            limits: self.limits.limits(),
            engines: self.engines.external_player_options(),
            named: named.into_iter().flatten().cloned().collect(),
        })
    }

    /// Returns the folder in which the match's saves are stored.
    fn folder(&self) -> Result<PathBuf> {
        if let Some(folder) = &self.saves {
            return Ok(folder.clone());
        }
        let all = SaveStorageOptions {
            folder: self.default_saves.clone(),
            no_save: false,
        };
        let first = self.scenario.first().map(Path::new);
        let named = self.plan.as_deref().or(first);
        let stem = named.and_then(Path::file_stem).unwrap_or_default();
        Ok(all
            .saves_folder()?
            .join(format!("match-{}", stem.display())))
    }
}

/// A table on stderr that is redrawn in place while a match is played.
#[derive(Default)]
struct LiveTable {
    /// The number of lines of the table as it was drawn last; the next drawing replaces them.
    drawn: usize,
}

impl LiveTable {
    fn draw(&mut self, report: &MatchReport) -> io::Result<()> {
        let (columns, rows) = terminal::size().unwrap_or((80, 24));
        let mut lines = wrapped_page_lines(&report.page());
        // Lines that scroll off the screen could not be erased.
        lines.truncate(usize::from(rows.saturating_sub(1)));
        self.wipe()?;
        let mut err = io::stderr().lock();
        for line in &lines {
            let mut shown = String::new();
            for sign in line.chars() {
                if shown.width() + 2 > usize::from(columns) {
                    break;
                }
                shown.push(sign);
            }
            writeln!(err, "{shown}")?;
        }
        self.drawn = lines.len();
        err.flush()
    }

    /// Erases the drawn lines.
    fn wipe(&mut self) -> io::Result<()> {
        let mut err = io::stderr().lock();
        if self.drawn > 0 {
            write!(err, "\x1b[{}A\x1b[J", self.drawn)?;
        }
        self.drawn = 0;
        err.flush()
    }
}
