//! `equilibrium`: the payoffs of every prover against every opponent, and the best prover for an Alice who commits
//! first. With `--all` it gives the value over all strategies of both debaters.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueHint};

use super::errors::print_warning;
use super::flags::{
    DebaterKnowledgeArgs, OutputFormatArgs, ProtocolReplacementArgs, ScenarioLimitArgs,
    number_format,
};
use super::output::print;
use super::output_files::{CheckedOutputFiles, ReplaceExistingOutputsArgs};
use super::progress::install_exit_signal_handler;
use super::solve::{
    MAX_INSTANCES, check_instance_limit, parse_estimate_grid, sorted_grid_if_rules_use_it,
    step_budget,
};
use super::{CommandFailure, Result};
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number, parse};
use debate_core::player::PlayerSpec;
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_lab::export::vega;
use debate_solver::analysis::equilibrium::{
    EquilibriumTrainingReport, PayoffTableInputs, UnrestrictedDebaterGame, independent_strategies,
    learn, scenario_theorem_hypotheses, theorem_hypotheses,
};
use debate_solver::analysis::{SolveError, debater_gives_probabilities, default_probability_grid};
use debate_solver::expectation::PayoffNotComputedReason;
use debate_solver::setup::LoadedScenario;
use debate_text::results::{AllStrategiesEquilibriumResult, BuiltInProverOpponentPayoffs};

/// The advice in the error for too many instances.
const FEWER_INSTANCES: &str =
    "use a scenario with fewer instances, or a scenario that names its `instance`";

// The payoffs of the debaters against each other, and the best prover for an Alice who commits first (PE Theorem 6.2).
//
// Computes every named prover against every named opponent exactly. With `--all`, computes every strategy of one
// against every strategy of the other.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs"))]
#[command(after_help = include_str!("help/equilibrium.txt"))]
pub(super) struct EquilibriumArgs {
    /// A scenario file, or the name of a bundled scenario (see `list scenarios`); `-` reads one from
    /// stdin.
    scenario: String,
    /// Print the payoffs of named provers against named opponents. This is the default.
    #[arg(long, conflicts_with = "all")]
    named: bool,
    /// Compute exact bounds on the value over all strategies of both debaters. --grid or --points sets the
    /// probabilities that Bob (Alice under stochastic debate) may say.
    #[arg(long, conflicts_with_all = ["prover", "opponent", "csv"])]
    all: bool,
    /// With --all: the number of evenly spaced probabilities that Bob (Alice under stochastic debate) may say
    /// [default: 3].
    #[arg(long, value_name = "N", requires = "all", conflicts_with = "grid")]
    #[arg(value_parser = clap::value_parser!(u32).range(2..=1001))]
    points: Option<u32>,
    /// With --all: find the Alice who answers truthfully least among those whose guarantee is at most this far
    /// below the value.
    #[arg(long, value_name = "A", requires = "all")]
    alpha: Option<String>,
    /// With --all: stop with an error after this number of positions.
    #[arg(long, value_name = "N", default_value_t = 3_000_000)]
    max_positions: u64,
    /// With --all, if the game is too large for one linear program: stop after this number of rounds and print the
    /// bounds reached.
    #[arg(long, value_name = "N", default_value_t = 300)]
    max_rounds: u32,
    /// With --all: also train both sides (PE Appendix D) with this number of updates of Alice.
    #[arg(long, value_name = "N", requires = "all")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    train: Option<u32>,
    /// With --train: the number of updates of Bob for each update of Alice.
    #[arg(long, value_name = "N", requires = "train", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    bob_updates: u32,
    /// Stop after about this number of seconds. With --all, print the bounds reached; otherwise no table is
    /// printed.
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seconds: Option<u64>,
    #[command(flatten)]
    knowledge: DebaterKnowledgeArgs,
    /// A prover of the table; repeatable. The default is every built-in one.
    #[arg(long, value_name = "NAME")]
    prover: Vec<String>,
    /// An opponent of the table; repeatable. The default is every built-in one that does not depend on the prover,
    /// except `asks`. `best-response` depends on the prover, and can be named.
    #[arg(long, value_name = "NAME")]
    opponent: Vec<String>,
    /// The player who answers the oracle's questions.
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    #[command(flatten)]
    rules: ProtocolReplacementArgs,
    /// Compute with exact fractions and print them.
    #[arg(long)]
    exact: bool,
    /// The probabilities that `best-response` may say, such as 0,1/4,1/2,3/4,1. With --all: those of every Bob, or
    /// of every Alice under stochastic debate.
    #[arg(long, value_name = "P,P,…")]
    grid: Option<String>,
    /// Leave out players who need more replies than this for one instance. The whole table may take 8 times as
    /// many.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    max_replies: u64,
    /// Refuse scenarios with more instances. Each instance takes longer the more there are.
    #[arg(long, value_name = "N", default_value_t = MAX_INSTANCES)]
    max_instances: u64,
    /// Write a chart of the table of named players to this file (Vega-Lite).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "all")]
    vega: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceExistingOutputsArgs,
    #[command(flatten)]
    form: OutputFormatArgs,
    #[command(flatten)]
    limits: ScenarioLimitArgs,
}

pub(super) fn run_equilibrium(args: &EquilibriumArgs) -> Result {
    if args.exact {
        print_table::<Exact>(args)
    } else {
        print_table::<f64>(args)
    }
}

fn print_table<N: Number>(args: &EquilibriumArgs) -> Result {
    install_exit_signal_handler()?;
    let outputs = CheckedOutputFiles::check(args.replace, [args.vega.as_ref()])?;
    let names = args
        .prover
        .iter()
        .chain(&args.opponent)
        .chain(&args.judge)
        .map(String::as_str);
    let mut setup = args
        .limits
        .find_scenario_with_players(&args.scenario, names)?;
    args.knowledge.apply_knowledge_flags_to(&mut setup)?;
    let protocol = args
        .rules
        .given_or_scenario_rules(&setup, &args.limits.limits())?;
    let suits = protocol.check_fits_problem(setup.decomposition.as_ref());
    suits?;
    let judge = judge_spec(args, &setup)?;
    if args.all {
        return print_value_bounds(args, &setup, &protocol, &judge);
    }
    let registry =
        debate_solver::registry::<N>().with_player_files(setup.files_for_building_players());
    let players = |names: &[String], seat| match names {
        [] => Ok(independent_strategies(&registry, seat, &protocol)),
        names => {
            let specs = names.iter().map(|name| PlayerSpec::parse(name));
            specs
                .collect::<Result<_, _>>()
                .map_err(CommandFailure::from_input_error)
        }
    };
    let provers = players(&args.prover, Seat::Prover)?;
    let opponents = players(&args.opponent, Seat::Opponent)?;
    let probabilities = match args.grid.as_deref() {
        None => default_probability_grid(&protocol),
        Some(text) => parse_estimate_grid(text)?,
    };
    let grid: Vec<N> = probabilities.iter().map(N::from_exact).collect();
    let instances = instances(args, &setup)?;
    let table = PayoffTableInputs {
        registry: &registry,
        protocol: &protocol,
        judge: &judge,
        instances: &instances,
        grid: &grid,
    };
    let digits = if args.exact {
        setup.approximate_digits_of_smallest_stake(&protocol)
    } else {
        0
    };
    let stop = Arc::new(AtomicBool::new(false));
    let budget = ComputationBudget {
        stop: Some(&stop),
        ..step_budget(args.max_replies, "--max-replies").with_step_limit_for_long_numbers(digits)
    };
    stop_after(args.seconds, &stop)?;
    let how_to_shrink = if provers.len() * opponents.len() > 1 {
        "name fewer players with --prover and --opponent"
    } else {
        "use a smaller scenario"
    };
    let payoffs = table
        .fill(&provers, &opponents, budget)
        .map_err(|error| match error {
            error if error.was_cancelled() => CommandFailure::Input(format!(
                "the payoff table cannot be computed within --seconds; allow more seconds, or {how_to_shrink}"
            )),
            SolveError::Unsolved(PayoffNotComputedReason::Exceeded(_)) => {
                CommandFailure::Input(format!("{error}: {how_to_shrink}"))
            }
            error => CommandFailure::from_input_error(error),
        })?;
    let Some(leader) = payoffs.best_leading_prover() else {
        let left_out = payoffs.left_out.iter();
        let mut reasons: Vec<_> = left_out.map(|left| left.reason.as_str()).collect();
        reasons.dedup();
        return Err(CommandFailure::Input(reasons.join("; ")));
    };
    for left in &payoffs.left_out {
        print_warning(format!(
            "the player {player} is left out of the payoff table: {reason}",
            player = left.player,
            reason = left.reason
        ))?;
    }
    let result = BuiltInProverOpponentPayoffs {
        title: &setup.title,
        protocol: &protocol,
        payoffs: &payoffs,
        leader,
        hypotheses: scenario_theorem_hypotheses(&setup, &protocol, &judge),
    };
    outputs.write_chart_of_result(&result, args.vega.as_deref(), vega::payoff_table_chart)?;
    outputs.print(&result, &args.form)
}

/// Returns the judge of `--judge`, or else the scenario's. If neither names a judge, or the judge is human, returns
/// `oracle`.
fn judge_spec(args: &EquilibriumArgs, setup: &LoadedScenario) -> Result<PlayerSpec> {
    let named = args.judge.as_deref();
    let judge = named.or_else(|| setup.players.text_of_seat(Seat::Judge));
    let strategy = judge.filter(|name| *name != "human");
    PlayerSpec::parse(strategy.unwrap_or("oracle")).map_err(CommandFailure::from_input_error)
}

/// Returns the scenario's instances with their probabilities. Returns an error if there are too many.
fn instances<N: Number>(
    args: &EquilibriumArgs,
    setup: &LoadedScenario,
) -> Result<Vec<(N, Instance)>> {
    let worlds = setup.requested_worlds(None)?;
    check_instance_limit(worlds.len(), args.max_instances, FEWER_INSTANCES)?;
    let worlds = worlds.iter();
    let instances = worlds.map(|(share, world)| (N::from_exact(share), setup.instance(*world)));
    Ok(instances.collect())
}

/// The default number of evenly spaced probabilities that a debater may state (`--points`).
const POINTS: u32 = 3;

pub(super) fn print_value_bounds(
    args: &EquilibriumArgs,
    setup: &LoadedScenario,
    protocol: &Protocol,
    judge: &PlayerSpec,
) -> Result {
    let grid = sayable_probabilities(args, protocol)?;
    let alpha = args.alpha.as_deref().unwrap_or("0");
    let alpha = parse(alpha).map_err(|error| CommandFailure::Input(format!("--alpha: {error}")))?;
    if alpha < Exact::default() {
        return Err(CommandFailure::from_input_error(
            "--alpha: the number is negative; give 0 or more",
        ));
    }
    let instances = instances::<Exact>(args, setup)?;
    let seats = [Seat::Prover, Seat::Opponent];
    let knows = seats.map(|seat| setup.initial_instance_knowledge(seat));
    let blocks = knows.each_ref().map(|knowledge| {
        let all = knowledge.instance_blocks(setup.decomposition.as_ref())?;
        let own = instances
            .iter()
            .map(|(_, instance)| all[instance.world_index()]);
        Ok::<Vec<usize>, CommandFailure>(own.collect())
    });
    let [prover, opponent] = blocks;
    let (prover, opponent) = (prover?, opponent?);
    let game = UnrestrictedDebaterGame {
        protocol,
        judge,
        instances: &instances,
        blocks: [&prover, &opponent],
        queries: seats.map(|seat| setup.queries[seat.seat_index()]),
        grid: &grid,
        alpha: &alpha,
        rounds: args.max_rounds,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let digits = setup.approximate_digits_of_smallest_stake(protocol);
    let budget = ComputationBudget {
        stop: Some(&stop),
        ..step_budget(args.max_positions, "--max-positions")
            .with_step_limit_for_long_numbers(digits)
    };
    stop_after(args.seconds, &stop)?;
    // Restricting the probabilities does not lower this bound.
    let is_too_large = game.min_position_count() > args.max_positions.into();
    let fewer_probabilities_or = if is_too_large {
        ""
    } else {
        fewer_probabilities(args, protocol)
    };
    let play = game.solve(budget).map_err(|error| match error {
        SolveError::Unsolved(PayoffNotComputedReason::Exceeded(_)) => CommandFailure::Input(
            format!("{error}: use {fewer_probabilities_or}a smaller scenario"),
        ),
        // The scenario's size is not the cause: the replies to one request cannot be listed.
        SolveError::Unsolved(PayoffNotComputedReason::Endless(_)) => {
            CommandFailure::Input(format!("{error}; remove --all to compare named players"))
        }
        error => CommandFailure::from_input_error(error),
    })?;
    let least = play.least_truth.as_ref();
    let hypotheses = theorem_hypotheses(setup, &game, least.map_or(&alpha, |least| &least.alpha));
    let form = number_format(args.exact);
    let knows = [&knows[0], &knows[1]];
    let mut report = play.report(&setup.title, &game, knows, &hypotheses, form);
    if let Some(updates) = args.train {
        report.training = train(&game, updates, args.bob_updates, budget)?;
    }
    let result = AllStrategiesEquilibriumResult {
        protocol,
        report,
        play: &play,
    };
    print(&result, &args.form)
}

/// Trains both debaters of a game; `None` if the training is stopped before the game is built.
fn train(
    game: &UnrestrictedDebaterGame<'_>,
    updates: u32,
    bob_updates: u32,
    budget: ComputationBudget<'_>,
) -> Result<Option<EquilibriumTrainingReport>> {
    match game.build_game(budget, false) {
        Ok(built) => Ok(Some(learn(
            &built.form.float_form(),
            updates,
            bob_updates,
            budget,
        ))),
        Err(error) if error.was_cancelled() => Ok(None),
        Err(error) => Err(CommandFailure::from_input_error(error)),
    }
}

/// Returns a phrase of advice for an error message: to allow fewer probabilities. The words "a smaller scenario" follow
/// it. Empty if the rules use no stated probabilities, or if the number cannot be reduced.
fn fewer_probabilities(args: &EquilibriumArgs, protocol: &Protocol) -> &'static str {
    if !debater_gives_probabilities(protocol) {
        return "";
    }
    match (&args.grid, args.points) {
        (Some(grid), _) if grid.contains(',') => "fewer probabilities in --grid or ",
        (Some(_), _) | (None, Some(2)) => "",
        (None, _) => "fewer --points or ",
    }
}

/// Sets the cancellation flag `stop` after this number of seconds; does nothing if the number is `None`.
fn stop_after(seconds: Option<u64>, stop: &Arc<AtomicBool>) -> Result {
    let Some(seconds) = seconds else {
        return Ok(());
    };
    let stop = Arc::clone(stop);
    let timer = thread::Builder::new().name("timer".to_owned());
    timer.spawn(move || {
        thread::sleep(Duration::from_secs(seconds));
        stop.store(true, Ordering::Relaxed);
    })?;
    Ok(())
}

/// Returns the probabilities that debaters may state; empty if the rules let them state none.
fn sayable_probabilities(args: &EquilibriumArgs, protocol: &Protocol) -> Result<Vec<Exact>> {
    if let Some(text) = args.grid.as_deref() {
        return sorted_grid_if_rules_use_it(text, protocol);
    }
    if !debater_gives_probabilities(protocol) {
        return Ok(Vec::new());
    }
    let parts = i64::from(args.points.unwrap_or(POINTS).max(2)) - 1;
    Ok((0..=parts).map(|part| Exact::ratio(part, parts)).collect())
}
