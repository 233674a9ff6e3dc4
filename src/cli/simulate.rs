//! `simulate`: many debates on all cores.

use std::path::PathBuf;
use std::time::Instant;

use clap::{ArgGroup, Args, ValueHint};

use super::Result;
use super::flags::{
    OutputFormatArgs, ProtocolReplacementArgs, ScenarioLimitArgs, SeatPlayerArgs,
    SeedAndInstanceArgs,
};
use super::merge::{ShardArg, write_shard};
use super::output_files::{CheckedOutputFiles, ReplaceExistingOutputsArgs};
use super::progress::{
    install_exit_signal_handler, print_covered_part_and_fail_if_interrupted, thread_count,
    with_progress,
};
use debate_core::number::Exact;
use debate_host::plan::{side, split_seat_and_player, versus};
use debate_lab::export::vega;
use debate_solver::setup::LoadedScenario;
use debate_solver::simulate::{
    MAX_DEBATES, PlannedSimulation, RulesAndPlayers, SimulationIdentity, SimulationShard,
};
use debate_text::results::SimulationResult;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs").multiple(true))]
#[command(after_help = include_str!("help/simulate.txt"))]
pub(super) struct SimulateArgs {
    /// A scenario file, or the name of a bundled scenario (see `list scenarios`); `-` reads one from
    /// stdin.
    scenario: String,
    /// The number of debates; 1e6 is a million.
    #[arg(short = 'n', long, value_name = "N", default_value = "10000", value_parser = parse_debate_count)]
    debates: u64,
    /// The number of threads [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,
    #[command(flatten)]
    coins: SeedAndInstanceArgs,
    #[command(flatten)]
    seats: SeatPlayerArgs,
    #[command(flatten)]
    rules: ProtocolReplacementArgs,
    /// Compare with another player or other rules on the same instances and coins: a player, a player with its seat
    /// (opponent=random), or a protocol.
    #[arg(long, value_name = "NAME|PROTOCOL")]
    versus: Option<String>,
    /// Play only shard I of M and write it for `merge`. Shards count from 1 to M; 0 means M.
    #[arg(long, value_name = "I/M", requires = "seed", conflicts_with = "csv")]
    shard: Option<ShardArg>,
    /// Write the shard to this file instead of stdout. Ctrl-C writes the debates played so far.
    #[arg(long, group = "outputs", value_name = "FILE", requires = "shard", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Write a chart of payoffs and rounds to this file (Vega-Lite).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "shard")]
    vega: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceExistingOutputsArgs,
    #[command(flatten)]
    form: OutputFormatArgs,
    #[command(flatten)]
    limits: ScenarioLimitArgs,
}

/// Parses a whole number of debates, written with digits or as in 1e6.
fn parse_debate_count(text: &str) -> Result<u64, String> {
    let whole = debate_core::number::parse(text)
        .ok()
        .filter(Exact::is_integer);
    let count = whole.and_then(|whole| u64::try_from(whole.to_integer()).ok());
    count
        .filter(|count| (1..=MAX_DEBATES).contains(count))
        .ok_or_else(|| format!("give a whole number from 1 to {MAX_DEBATES}"))
}

pub(super) fn run_simulate(args: &SimulateArgs, quiet: bool) -> Result {
    install_exit_signal_handler()?;
    let outputs = CheckedOutputFiles::check(args.replace, [args.out.as_ref(), args.vega.as_ref()])?;
    let versus = args
        .versus
        .as_deref()
        .map(|text| split_seat_and_player(text).1);
    let named = args
        .seats
        .player_names()
        .into_iter()
        .chain([versus])
        .flatten();
    let setup = args
        .limits
        .find_scenario_with_players(&args.scenario, named)?;
    let seed = args.coins.seed()?;
    let sides = sides(args, &setup)?;
    let world = args.coins.index_of_instance_flag(&setup)?;
    let whole = 0..args.debates;
    let simulation = PlannedSimulation {
        setup: &setup,
        world,
        seed: &seed,
        sides: &sides,
        debates: args
            .shard
            .map_or(whole, |part| part.debate_numbers(args.debates)),
        threads: thread_count(args.threads),
    };
    let begun = Instant::now();
    let count = simulation.debates.end - simulation.debates.start;
    let (simulated, signal) = with_progress(count, "debates", !quiet, |budget| {
        let registry =
            debate_solver::registry().with_player_files(setup.files_for_building_players());
        let exact = debate_solver::registry().with_player_files(setup.files_for_building_players());
        simulation.run(&registry, &exact, budget)
    })?;
    let part = SimulationShard {
        identity: SimulationIdentity::identity_of_simulation(&simulation, args.debates),
        simulated: simulated?,
        seconds: begun.elapsed().as_secs_f64(),
        threads: simulation.threads as u64,
    };
    if args.shard.is_some() {
        write_shard(&part.to_json_line(), args.out.as_deref(), outputs)?;
    } else {
        let result = SimulationResult::from_shard(&part, Some(&args.scenario))?;
        outputs.write_chart_of_result(&result, args.vega.as_deref(), vega::simulation_chart)?;
        outputs.print(&result, &args.form)?;
    }
    let done = part.simulated.debates.end - part.simulated.debates.start;
    print_covered_part_and_fail_if_interrupted(signal, &format!("debates played before: {done}"))
}

/// Returns the rules and players to simulate, and those to compare them with, if `--versus` is given.
fn sides(args: &SimulateArgs, setup: &LoadedScenario) -> Result<Vec<RulesAndPlayers>> {
    let limits = args.limits.limits();
    let flags = args.seats.player_names();
    let side = side(
        setup,
        flags,
        args.rules.given_or_scenario_rules(setup, &limits)?,
        &limits,
    )?;
    let Some(text) = &args.versus else {
        return Ok(vec![side]);
    };
    let other = versus(setup, &side, flags, text, &limits)?;
    Ok(vec![side, other])
}
