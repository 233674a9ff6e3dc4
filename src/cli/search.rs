//! `search`: small games in which a statement close to those of the papers fails, and the gain from variants of the
//! rules.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueHint};

use super::merge::{ShardArg, read_shard, write_shard};
use super::output::PrintedFormat;
use super::output_files::{CheckedOutputFiles, ReplaceExistingOutputsArgs, write};
use super::progress::{
    install_exit_signal_handler, print_covered_part_and_fail_if_interrupted, thread_count,
    with_progress,
};
use super::solve::parse_estimate_grid;
use super::{CommandFailure, Result};
use debate_core::number::{Exact, Number as _};
use debate_core::protocol::SupportDisputeRule;
use debate_core::protocol::prover_estimator::{CarriedEstimateKind, EarlyLeafWeight};
use debate_lab::export::vega;
use debate_text::results::CounterexampleSearchResultText;
use debate_theory::search::{
    CARRIES, CounterexampleGameSearchReport, CounterexampleSearch, CounterexampleSearchResults,
    EARLY_LEAVES, FoundGameVerificationError, GameSearchSpaceParameters, GameSpace,
    RootSupportSoundnessFilter, RuleVariantRow, SUPPORTS, SearchShard, StatementTestedOnGames,
    WARRANTS,
};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs").multiple(true))]
#[command(after_help = include_str!("help/search.txt"))]
pub(super) struct CounterexampleSearchArgs {
    /// The statement to test; `frontier` compares variants of the rules.
    #[arg(value_parser = PossibleValuesParser::new(statements()))]
    #[arg(required_unless_present = "resume")]
    statement: Option<String>,
    #[command(flatten)]
    space: SpaceArgs,
    /// Search only shard I of M and write it for `merge`. Shards count from 1 to M; 0 means M.
    #[arg(long, value_name = "I/M")]
    shard: Option<ShardArg>,
    /// Write the results to this file, for `merge` and --resume. Ctrl-C writes the results so far.
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Continue the search that wrote this file, with the file's settings. The file is then replaced by the new
    /// result.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["shard", "out", "statement"])]
    #[arg(value_hint = ValueHint::FilePath)]
    resume: Option<PathBuf>,
    /// Write the scenario of the smallest game in which the statement fails to this file.
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    save: Option<PathBuf>,
    /// frontier: write a chart to this file (Vega-Lite).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    vega: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceExistingOutputsArgs,
    /// The number of threads [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,
    /// Print the result as one JSON document on stdout.
    #[arg(long)]
    json: bool,
}

// The space of games to search.
#[derive(Debug, Args)]
struct SpaceArgs {
    /// The number of leaves: at most N, or from A to B. N and B are at most 4.
    #[arg(long, value_name = "N|A..B", default_value = "2", value_parser = parse_range::<4>)]
    width: [usize; 2],
    /// The maximum number of levels of gates.
    #[arg(long, value_name = "1|2", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=2))]
    depth: u32,
    /// The number of instances of μ: at most N, or from A to B.
    #[arg(long, value_name = "N|A..B", default_value = "2", value_parser = parse_range::<16>)]
    worlds: [usize; 2],
    /// The sum of the instances' weights, which are whole numbers: at most N, or from A to B.
    #[arg(long, value_name = "N|A..B", default_value = "4", value_parser = parse_range::<64>)]
    weight: [usize; 2],
    /// Search only games with symmetric gates: a gate's value depends only on the number of its true subclaims.
    #[arg(long)]
    counting: bool,
    /// The root's supports: those that imply its claim, those that do not, or both. The default is `any` for
    /// truthful-bob and recursion, and `sound` for other statements.
    #[arg(long, value_name = "WHICH", value_parser = choice_parser(
        &SUPPORTS,
        ["Supports whose subclaims imply the claim", "Supports that do not imply the claim: the root claim is false, whatever its subclaims are", "Supports of both kinds"],
    ))]
    supports: Option<RootSupportSoundnessFilter>,
    /// Search only games in which every instance is stable.
    #[arg(long)]
    stable: bool,
    /// The values of ε.
    #[arg(long, value_name = "E,E,…", default_value = "1/10,1/6,1/4")]
    epsilon: String,
    /// The values of ρ.
    #[arg(long, value_name = "R,R,…", default_value = "1/2,3/4")]
    rho: String,
    /// The probability that is carried into the next round.
    #[arg(long, default_value = "conditional", value_parser = choice_parser(
        &CARRIES,
        [
            "The next round starts from Bob's estimate given the coins of earlier subclaims, as in the paper",
            "The next round starts from Bob's separate estimate of the chosen subclaim, given before any coin",
        ],
    ))]
    carry: CarriedEstimateKind,
    /// The weight with which a leaf that is reached before the last round is played.
    #[arg(long, default_value = "jump", value_parser = choice_parser(
        &EARLY_LEAVES,
        ["A leaf that is reached early has the weight of the last round", "A leaf that is reached early has the weight of the round in which it is reached"],
    ))]
    early_leaf: EarlyLeafWeight,
    /// The rule by which Bob may dispute that a claim follows from its subclaims.
    #[arg(long, default_value = "none", value_parser = choice_parser(
        &WARRANTS,
        ["Bob may not dispute the step from the subclaims to the claim, as in the papers", "Bob may dispute the step from the subclaims to the claim; the judge then checks only this step"],
    ))]
    warrants: SupportDisputeRule,
}

/// Returns a clap parser for the names of these choices, with a help text for each name.
fn choice_parser<T: Copy + Send + Sync + 'static, const MANY: usize>(
    choices: &'static [(&'static str, T); MANY],
    helps: [&'static str; MANY],
) -> impl TypedValueParser<Value = T> {
    let names = choices.iter().zip(helps);
    let values = names.map(|((name, _), help)| PossibleValue::new(*name).help(help));
    PossibleValuesParser::new(values).try_map(|name| {
        let chosen = choices.iter().find(|(known, _)| *known == name);
        chosen.map(|(_, choice)| *choice).ok_or("unknown value")
    })
}

/// Parses a range of numbers: `N` (from 1 to N) or `A..B`, at most `MAX`.
fn parse_range<const MAX: usize>(text: &str) -> Result<[usize; 2], String> {
    let read = || {
        let (least, most) = text.split_once("..").unwrap_or(("1", text));
        let (least, most) = (least.parse().ok()?, most.parse().ok()?);
        let fits = (1..=most).contains(&least) && most <= MAX;
        fits.then_some([least, most])
    };
    read().ok_or_else(|| format!("give a number from 1 to {MAX}, or a range such as 1..2"))
}

/// Returns the names of the statements that `search` can test, and `frontier`, which compares variants of the rules.
fn statements() -> impl Iterator<Item = PossibleValue> {
    let named = StatementTestedOnGames::ALL
        .into_iter()
        .map(|(name, statement)| PossibleValue::new(name).help(statement.statement_text()));
    let frontier = PossibleValue::new(FRONTIER)
        .help("honest Alice's least expected payoff against bayes, marginal and truthful in each variant of the rules, and the liars that still profit");
    named.chain([frontier])
}

const FRONTIER: &str = "frontier";

/// Parses a list of probabilities above 0 and below `below`. Errors name the flag.
fn parse_probabilities(text: &str, flag: &str, below: &Exact) -> Result<Vec<Exact>> {
    let numbers = parse_estimate_grid(text)
        .map_err(|error| CommandFailure::Input(error.to_string().replace("--grid", flag)))?;
    let fits = |number: &Exact| *number > Exact::default() && number < below;
    if numbers.iter().all(fits) {
        return Ok(numbers);
    }
    Err(CommandFailure::Input(format!(
        "{flag}: give numbers above 0 and below {below}"
    )))
}

fn saturating_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl SpaceArgs {
    fn space_terms(&self, statement: StatementTestedOnGames) -> Result<GameSearchSpaceParameters> {
        // These statements do not mention supports.
        let standard = match statement {
            StatementTestedOnGames::Recursion | StatementTestedOnGames::TruthfulBob => {
                RootSupportSoundnessFilter::Any
            }
            _ => RootSupportSoundnessFilter::Sound,
        };
        Ok(GameSearchSpaceParameters {
            leaves: self.width,
            depth: self.depth,
            worlds: self.worlds,
            weight: self.weight.map(saturating_u32),
            counting: self.counting,
            supports: self.supports.unwrap_or(standard),
            stable: self.stable,
            epsilons: parse_probabilities(&self.epsilon, "--epsilon", &Exact::ratio(1, 2))?,
            rhos: parse_probabilities(&self.rho, "--rho", &Exact::ratio(1, 1))?,
            carry: self.carry,
            early_leaf: self.early_leaf,
            warrants: self.warrants,
        })
    }
}

/// A run of the command `search`, with its start time.
struct Run<'a> {
    args: &'a CounterexampleSearchArgs,
    quiet: bool,
    begun: Instant,
}

impl Run<'_> {
    /// Examines the games in a range. Returns the results, and the signal that stopped the search, or 0.
    fn search_games(
        &self,
        space: &GameSpace,
        statement: StatementTestedOnGames,
        games: std::ops::Range<u64>,
    ) -> Result<(CounterexampleSearchResults, u8)> {
        let search = CounterexampleSearch {
            space,
            statement,
            games,
            threads: thread_count(self.args.threads),
        };
        let count = search.games.end - search.games.start;
        let shown = !self.quiet;
        let (results, signal) = with_progress(count, "games", shown, |budget| search.run(budget))?;
        Ok((results?, signal))
    }

    fn report(
        &self,
        space: &GameSpace,
        statement: StatementTestedOnGames,
        results: &CounterexampleSearchResults,
    ) -> Result<CounterexampleGameSearchReport> {
        let (time, threads) = (self.begun.elapsed(), thread_count(self.args.threads));
        Ok(CounterexampleGameSearchReport::of(
            space, statement, results, time, threads,
        )?)
    }
}

pub(super) fn run_counterexample_search(args: &CounterexampleSearchArgs, quiet: bool) -> Result {
    install_exit_signal_handler()?;
    let run = Run {
        args,
        quiet,
        begun: Instant::now(),
    };
    if args.statement.as_deref() == Some(FRONTIER) {
        return frontier(&run);
    }
    if args.vega.is_some() {
        return Err(CommandFailure::from_input_error(
            "--vega draws only the result of `search frontier`; remove --vega, or search frontier",
        ));
    }
    let outputs = CheckedOutputFiles::check(args.replace, [args.out.as_ref(), args.save.as_ref()])?;
    let (statement, space, before) = start_search(args)?;
    let games = match (&before, args.shard) {
        (Some(before), _) => before.results.end..before.until,
        (None, Some(shard)) => shard.debate_numbers(space.game_count()),
        (None, None) => 0..space.game_count(),
    };
    let until = games.end;
    let (mut results, signal) = run.search_games(&space, statement, games)?;
    if let Some(before) = before {
        let end = results.end;
        results.add(&before.results);
        results.first = before.results.first;
        results.end = end;
    }
    let part = SearchShard::new(statement, &space.terms, until, results);
    let text = || part.to_json_line().map_err(io::Error::from);
    if let Some(path) = &args.resume {
        // The file of the stopped search is the one that is continued, so it is always replaced.
        write(path, format!("{}\n", text()?), true)?;
    } else if args.out.is_some() || args.shard.is_some() {
        write_shard(&text()?, args.out.as_deref(), outputs)?;
    }
    let prints_report = args.shard.is_none() || args.out.is_some();
    if prints_report || args.save.is_some() {
        let report = run.report(&space, statement, &part.results)?;
        let save = args.save.as_deref();
        if let (Some(path), Some(game)) = (save, &report.smallest) {
            outputs.write(path, format!("{}\n", game.scenario.trim_end()))?;
        }
        if prints_report {
            let page = CounterexampleSearchResultText {
                report: &report,
                saved: save,
            };
            outputs.print(&page, PrintedFormat::page_or_json(args.json))?;
        }
    }
    let examined_count = part.results.end - part.results.first;
    print_covered_part_and_fail_if_interrupted(
        signal,
        &format!(
            "{examined_count} games that were examined, of {game_count} games in the space",
            game_count = space.game_count()
        ),
    )
}

/// Returns the statement to test, the space of games, and the results of an earlier run that is continued.
fn start_search(
    args: &CounterexampleSearchArgs,
) -> Result<(StatementTestedOnGames, GameSpace, Option<SearchShard>)> {
    if let Some(path) = &args.resume {
        let part = SearchShard::parse_search_shard_file(&read_shard(path)?)
            .map_err(|error| CommandFailure::from_file_error(path, error))?;
        let (statement, space) = part
            .statement_and_space()
            .map_err(|error| CommandFailure::from_file_error(path, error))?;
        return Ok((statement, space, Some(part)));
    }
    let name = args.statement.as_deref().unwrap_or_default();
    let mut named = StatementTestedOnGames::ALL.into_iter();
    let (_, statement) = named.find(|(known, _)| *known == name).ok_or_else(|| {
        CommandFailure::from_input_error(
            "no statement of a paper given; name one of the statements that --help lists",
        )
    })?;
    let space = GameSpace::new(args.space.space_terms(statement)?)?;
    Ok((statement, space, None))
}

impl From<FoundGameVerificationError> for CommandFailure {
    fn from(error: FoundGameVerificationError) -> Self {
        match error {
            FoundGameVerificationError::Differs(_) => Self::System(error.to_string()),
            error => Self::from_input_error(error),
        }
    }
}

fn frontier(run: &Run<'_>) -> Result {
    let args = run.args;
    if args.shard.is_some() || args.out.is_some() || args.save.is_some() {
        return Err(CommandFailure::from_input_error(
            "frontier runs several searches; remove --shard, --out and --save, which need one statement",
        ));
    }
    let outputs = CheckedOutputFiles::check(args.replace, [args.vega.as_ref()])?;
    let mut rows = Vec::new();
    // The supports depend on the statement; the variants do not.
    for variant in args
        .space
        .space_terms(StatementTestedOnGames::Completeness)?
        .spaces_by_rule_variant()
    {
        let mut reports = Vec::new();
        for statement in RuleVariantRow::STATEMENTS {
            let terms = GameSearchSpaceParameters {
                supports: args.space.space_terms(statement)?.supports,
                ..variant.clone()
            };
            let space = GameSpace::new(terms)?;
            let (results, signal) = run.search_games(&space, statement, 0..space.game_count())?;
            if signal != 0 {
                return Err(CommandFailure::Interrupted(signal));
            }
            reports.push(run.report(&space, statement, &results)?);
        }
        rows.push(RuleVariantRow::row_of_rule_variant(&variant, reports));
    }
    outputs.write_chart(args.vega.as_deref(), || {
        vega::rule_variant_payoff_chart(&rows)
    })?;
    outputs.print(rows.as_slice(), PrintedFormat::page_or_json(args.json))
}
