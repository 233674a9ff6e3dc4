//! `solve`: the exact expected payoff of named players, round by round.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint};

use super::flags::{
    DebaterKnowledgeArgs, OutputFormatArgs, ProtocolReplacementArgs, ScenarioLimitArgs,
    SeatPlayerArgs,
};
use super::output::{is_terminal, stderr};
use super::output_files::{CheckedOutputFiles, ReplaceExistingOutputsArgs};
use super::progress::{install_exit_signal_handler, let_exit_message_replace_progress_line};
use super::{CommandFailure, Result};
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number, RonNumber, format_as_short_decimal_or_fraction, parse};
use debate_core::player::{KnowledgePartition, PlayerSpec, is_outside_player_name};
use debate_core::protocol::{ParameterValue, Protocol, ProtocolError, ProtocolParameterKind, Seat};
use debate_host::plan::players;
use debate_lab::export::vega;
use debate_solver::analysis::{SolveError, debater_gives_probabilities, default_probability_grid};
use debate_solver::expectation::PayoffNotComputedReason;
use debate_solver::expectimax::BEST_RESPONSE;
use debate_solver::setup::LoadedScenario;
use debate_text::results::SolveResult;
use debate_theory::amplification::MAX_REPETITIONS;
use debate_theory::{
    BestResponseConstraints, SweepPointError, SweepPointRulesAndPlayers, SweepPointSolver,
};

/// The default limit on the number of solved instances. The cost of each instance grows with their number, because
/// beliefs about one are averaged over all.
pub(super) const MAX_INSTANCES: u64 = 2000;
/// The flag that raises the limit on instances.
const INSTANCES_FLAG: &str = "--max-instances";

/// The advice in the error for too many instances.
const FEWER_INSTANCES_ADVICE: &str =
    "use one instance with --instance, or `simulate`, which samples instances";

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("outputs"))]
#[command(after_help = include_str!("help/solve.txt"))]
pub(super) struct ExpectedPayoffArgs {
    /// A scenario file, or the name of a bundled scenario (see `list scenarios`); `-` reads one from
    /// stdin.
    scenario: String,
    #[command(flatten)]
    seats: SeatPlayerArgs,
    #[command(flatten)]
    knowledge: DebaterKnowledgeArgs,
    /// Restrict Alice, as `best-response`, to this answer to the root claim. For a true claim, `false` gives the
    /// best liar.
    #[arg(long, value_name = "true|false")]
    prover_answers: Option<bool>,
    /// Also compute the effect of errors of the judge. Print Alice's expected payoff as a polynomial in the rate at
    /// which each answer is flipped, the first rate at which it is zero, and the leaves where an error costs her
    /// most. `--judge 'wrong(page1)'` plays a judge who errs there.
    #[arg(long, conflicts_with = "csv")]
    judge_errors: bool,
    #[command(flatten)]
    proof: SoundnessArgs,
    /// Also compute the probability that Alice wins more than half of N debates (DE §4.1). N is odd, at most 999.
    #[arg(long, value_name = "N", conflicts_with_all = ["csv", "sweep"])]
    majority: Option<u32>,
    #[command(flatten)]
    rules: ProtocolReplacementArgs,
    /// The instance; `all` averages over the distribution. The default is the scenario's own instance, or else all.
    #[arg(long, value_name = "NAME|all")]
    instance: Option<String>,
    /// Compute with exact fractions and print them.
    #[arg(long)]
    exact: bool,
    /// The probabilities that `best-response` may say, such as 0,1/4,1/2,3/4,1. Under stochastic debate the default
    /// is any probability.
    #[arg(long, value_name = "P,P,…")]
    grid: Option<String>,
    /// Solve for N evenly spaced values of a parameter: `epsilon`, `rho`, `k`, or a name in braces in a player's
    /// name.
    #[arg(long, value_name = "NAME=FROM..TO:COUNT")]
    sweep: Option<String>,
    /// Write a chart of the sweep to this file (Vega-Lite).
    #[arg(long, group = "outputs", value_name = "FILE", value_hint = ValueHint::FilePath, requires = "sweep")]
    vega: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceExistingOutputsArgs,
    /// Give up after this number of replies for one instance.
    #[arg(long, value_name = "N", default_value_t = ComputationBudget::default().steps)]
    max_replies: u64,
    /// Refuse scenarios with more instances. Each instance takes longer the more there are.
    #[arg(long, value_name = "N", default_value_t = MAX_INSTANCES)]
    max_instances: u64,
    #[command(flatten)]
    form: OutputFormatArgs,
    #[command(flatten)]
    limits: ScenarioLimitArgs,
}

// The flags for the steps of the soundness proof, and its δ.
#[derive(Clone, Debug, Args)]
struct SoundnessArgs {
    /// Compare Alice's payoff with the bound of the soundness proof of prover-estimator debate (PE Lemma A.4), step
    /// by step, and name the hypothesis that fails. With --prover best-response --prover-knows …: for the best
    /// prover with this knowledge.
    #[arg(long, conflicts_with = "csv")]
    soundness: bool,
    /// δ for --soundness: the largest advantage of any test of Alice. The default is the estimator's own δ if it is
    /// `indistinguishable(DELTA)`, else that of PE Theorem 6.2, εr^(d+1)/(2d + 1).
    #[arg(long, value_name = "DELTA", requires = "soundness")]
    delta: Option<String>,
}

impl SoundnessArgs {
    /// Returns the δ of `--delta`, or else, with `--soundness`, the δ in the name of an `indistinguishable(DELTA)`
    /// estimator. `None` without either.
    fn delta(&self, point: &SweepPointRulesAndPlayers) -> Result<Option<Exact>> {
        let bob = &point.players[Seat::Opponent.seat_index()];
        let is_own = self.soundness && bob.name == "indistinguishable";
        let own = bob.arguments.first().filter(|_| is_own);
        let Some(text) = self.delta.as_ref().or(own) else {
            return Ok(None);
        };
        let delta =
            parse(text).map_err(|error| CommandFailure::Input(format!("--delta: {error}")))?;
        if delta > Exact::default() && delta < Exact::ratio(1, 1) {
            return Ok(Some(delta));
        }
        Err(CommandFailure::Input(format!(
            "--delta: {text} is out of range; give a number above 0 and below 1"
        )))
    }
}

pub(super) fn run_expected_payoff(args: &ExpectedPayoffArgs, quiet: bool) -> Result {
    install_exit_signal_handler()?;
    let outputs = CheckedOutputFiles::check(args.replace, [args.vega.as_ref()])?;
    let named = args.seats.player_names().into_iter().flatten();
    let mut setup = args
        .limits
        .find_scenario_with_players(&args.scenario, named)?;
    let shows_progress = !quiet && is_terminal(&io::stderr());
    if shows_progress {
        let_exit_message_replace_progress_line();
    }
    args.knowledge.apply_knowledge_flags_to(&mut setup)?;
    let asked = args.instance.as_deref();
    let worlds = setup.requested_worlds(asked)?;
    check_instance_limit(worlds.len(), args.max_instances, FEWER_INSTANCES_ADVICE)?;
    let points = sweep_points(args, &setup)?;
    let count = worlds.len();
    if let (Some(debates), Some(point)) = (args.majority, points.first()) {
        check_majority(debates, point, count)?;
    }
    // Floating-point numbers have a fixed size, so only exact numbers have a length in digits.
    let is_exact = args.exact || args.judge_errors || args.proof.soundness;
    let digits = points
        .iter()
        .map(|point| setup.approximate_digits_of_smallest_stake(&point.protocol));
    let digits = digits.max().filter(|_| is_exact).unwrap_or(0);
    let shows_progress = shows_progress && count > 1;
    let solver = SweepPointSolver {
        setup: &setup,
        worlds: &worlds,
        asks_one: asked.is_some_and(|name| name != "all"),
        budget: step_budget(args.max_replies, "--max-replies")
            .with_step_limit_for_long_numbers(digits),
        instances: step_budget(args.max_instances, INSTANCES_FLAG),
        judge_errors: args.judge_errors,
        soundness: args.proof.soundness,
        majority: args.majority,
        begin: &|number| {
            if shows_progress {
                // If stderr is closed, the line has no reader.
                let _ = write!(stderr(), "\rInstance {number} of {count}");
            }
        },
    };
    if args.exact {
        check_exact(&solver, &points)?;
        print_solved::<Exact>(args, outputs, &solver, points, shows_progress, quiet)
    } else {
        print_solved::<f64>(args, outputs, &solver, points, shows_progress, quiet)
    }
}

/// Returns an error if `--majority` is not defined: for an even or too large number of debates, for rules without a
/// winner, or for several instances.
fn check_majority(debates: u32, point: &SweepPointRulesAndPlayers, instances: usize) -> Result {
    if debates.is_multiple_of(2) || debates > MAX_REPETITIONS {
        return Err(CommandFailure::Input(format!(
            "--majority: {debates} is not an odd number from 1 to {MAX_REPETITIONS}"
        )));
    }
    if !point.rules_have_winner() {
        return Err(CommandFailure::Input(format!(
            "--majority: a debate under {} has payoffs and no winner; use other rules with --protocol",
            point.protocol.kind().protocol_name_in_scenarios()
        )));
    }
    if instances > 1 {
        return Err(CommandFailure::from_input_error(
            "--majority: repeated debates are about one instance; choose it with --instance",
        ));
    }
    Ok(())
}

/// Returns an error if `--exact` is impossible, because the rules would round the probabilities of a player's replies.
fn check_exact(solver: &SweepPointSolver<'_>, points: &[SweepPointRulesAndPlayers]) -> Result {
    for point in points {
        for (_, world) in solver.worlds {
            let instance = solver.setup.instance(*world);
            if let Some(samples) = point
                .protocol
                .protocol_parameters()
                .rounded_samples(&instance)
            {
                return Err(CommandFailure::Input(format!(
                    "--exact: a player uses the mean of {samples} samples, whose \
                     probabilities are rounded; remove --exact, or use constants: Custom(…) \
                     with fewer samples"
                )));
            }
        }
    }
    Ok(())
}

fn print_solved<N: Number>(
    args: &ExpectedPayoffArgs,
    outputs: CheckedOutputFiles,
    solver: &SweepPointSolver<'_>,
    points: Vec<SweepPointRulesAndPlayers>,
    shows_progress: bool,
    quiet: bool,
) -> Result {
    let registry =
        debate_solver::registry::<N>().with_player_files(solver.setup.files_for_building_players());
    let mut solved = Vec::with_capacity(points.len());
    for point in points {
        let delta = args.proof.delta(&point)?;
        let result = solver.solve(&registry, point, delta.as_ref());
        if shows_progress {
            let _ = write!(stderr(), "\r\u{1b}[K");
        }
        solved.push(result?);
    }
    let result = SolveResult {
        setup: solver.setup,
        points: solved,
        sweep: sweep_of(args)?.map(|sweep| sweep.name),
        quiet,
    };
    outputs.write_chart_of_result(&result, args.vega.as_deref(), vega::parameter_sweep_chart)?;
    outputs.print(&result, &args.form)
}

impl From<SweepPointError> for CommandFailure {
    fn from(error: SweepPointError) -> Self {
        let advice = match (error.cause(), &error) {
            (Some(SolveError::Unsolved(PayoffNotComputedReason::Exceeded(_))), _) => {
                ": name players that do not randomise, or use `simulate`, which samples debates"
                    .to_owned()
            }
            (_, SweepPointError::TooManyInstances(_)) => format!(": {FEWER_INSTANCES_ADVICE}"),
            _ => String::new(),
        };
        Self::Input(format!("{error}{advice}"))
    }
}

/// Returns an error if more than `limit` instances are to be solved. The error ends with `advice`.
pub(super) fn check_instance_limit(instances: usize, limit: u64, advice: &str) -> Result {
    let taken = step_budget(limit, INSTANCES_FLAG).check_total_steps(instances as u64, "instances");
    taken.map_err(|exceeded| CommandFailure::Input(format!("{exceeded}: {advice}")))
}

/// Returns a computation budget of `steps` steps. The error for an exceeded budget names the flag that raises it.
pub(super) fn step_budget(steps: u64, flag: &'static str) -> ComputationBudget<'static> {
    ComputationBudget {
        steps,
        flag: Some(flag),
        ..ComputationBudget::default()
    }
}

fn sweep_of(args: &ExpectedPayoffArgs) -> Result<Option<ParameterSweepRange>> {
    let sweep = args
        .sweep
        .as_deref()
        .map(ParameterSweepRange::parse)
        .transpose();
    sweep.map_err(CommandFailure::Input)
}

/// Returns the parameter points to solve: one, or one per value of a sweep.
fn sweep_points(
    args: &ExpectedPayoffArgs,
    setup: &LoadedScenario,
) -> Result<Vec<SweepPointRulesAndPlayers>> {
    let protocol = args
        .rules
        .given_or_scenario_rules(setup, &args.limits.limits())?;
    let names = names(args, setup, &protocol)?;
    let point = |value: Option<Exact>, protocol: Protocol, names: &[String; 3]| {
        let spec =
            |name: &String| PlayerSpec::parse(name).map_err(CommandFailure::from_input_error);
        let [prover, opponent, judge] = names;
        let players = [spec(prover)?, spec(opponent)?, spec(judge)?];
        if let Some(index) = players.iter().position(PlayerSpec::is_human) {
            return Err(CommandFailure::from_input_error(format!(
                "the replies of a human {} cannot be predicted; name a strategy (see \
                 `debate-tui list strategies`)",
                Seat::PLAYERS[index]
            )));
        }
        let grid = parsed_grid(args.grid.as_deref(), &protocol)?;
        let knowing = best_response_limits(setup, &protocol, &players, args.prover_answers)?;
        Ok(SweepPointRulesAndPlayers {
            value,
            protocol,
            players,
            grid,
            knowing,
        })
    };
    let Some(sweep) = sweep_of(args)? else {
        return Ok(vec![point(None, protocol, &names)?]);
    };
    let mut points = Vec::new();
    for value in sweep.swept_values() {
        let (protocol, names) = sweep.rules_and_players_at(&value, &protocol, &names)?;
        points.push(point(Some(value), protocol, &names)?);
    }
    Ok(points)
}

/// Returns the knowledge, the queries and the allowed answers of the best-responding debater. `None` if neither debater
/// is a best response, or if no flag and no scenario limits it.
fn best_response_limits(
    setup: &LoadedScenario,
    protocol: &Protocol,
    players: &[PlayerSpec; 3],
    answers: Option<bool>,
) -> Result<Option<BestResponseConstraints>> {
    let best = |seat: &Seat| players[seat.seat_index()].name == BEST_RESPONSE;
    let seat = [Seat::Prover, Seat::Opponent].into_iter().find(best);
    if answers.is_some() && seat != Some(Seat::Prover) {
        return Err(CommandFailure::from_input_error(
            "--prover-answers restricts a best response; add --prover best-response \
             to it",
        ));
    }
    let Some(seat) = seat else {
        return Ok(None);
    };
    let knows = setup.knows[seat.seat_index()].clone();
    let queries = setup.queries[seat.seat_index()];
    if answers.is_none()
        && queries == 0
        && matches!(knows, None | Some(KnowledgePartition::Everything))
    {
        return Ok(None);
    }
    if !protocol.protocol_parameters().hides_truths() {
        return Err(CommandFailure::Input(format!(
            "under {} every player sees the whole problem, so no seat can know less than another; \
             remove the flags for knowledge and queries, and --prover-answers",
            protocol.kind().protocol_name_in_scenarios()
        )));
    }
    Ok(Some(BestResponseConstraints {
        seat,
        queries,
        answers,
        blocks: 0,
        knows: knows.unwrap_or_default(),
    }))
}

/// Returns the names of the three players. If the scenario names a player whose replies cannot be predicted, the
/// standard player replaces it.
fn names(
    args: &ExpectedPayoffArgs,
    setup: &LoadedScenario,
    protocol: &Protocol,
) -> Result<[String; 3]> {
    let registry = debate_solver::registry::<Exact>();
    let kind = protocol.kind();
    let named = args.seats.player_names();
    let players = players(named, &[None], setup, protocol)?;
    Ok(Seat::PLAYERS.map(|seat| {
        let player = &players[seat.seat_index()];
        if named[seat.seat_index()].is_none() && is_outside_player_name(&player.name) {
            registry.default_strategy_name(seat, kind).to_owned()
        } else {
            player.to_string()
        }
    }))
}

fn parsed_grid(text: Option<&str>, protocol: &Protocol) -> Result<Vec<Exact>> {
    match text {
        None => Ok(default_probability_grid(protocol)),
        Some(text) => sorted_grid_if_rules_use_it(text, protocol),
    }
}

/// Returns the probabilities of `--grid`, sorted and without duplicates; empty if the rules let players state none.
pub(super) fn sorted_grid_if_rules_use_it(text: &str, protocol: &Protocol) -> Result<Vec<Exact>> {
    let mut grid = parse_estimate_grid(text)?;
    grid.sort();
    grid.dedup();
    grid.retain(|_| debater_gives_probabilities(protocol));
    Ok(grid)
}

/// Parses the probabilities of `--grid`, in the order in which they are written.
pub(super) fn parse_estimate_grid(text: &str) -> Result<Vec<Exact>> {
    let parse = |part| {
        let p = parse(part).map_err(|error| CommandFailure::Input(format!("--grid: {error}")))?;
        if p.is_probability() {
            return Ok(p);
        }
        Err(CommandFailure::Input(format!(
            "--grid: {part} is not a probability; give numbers from 0 to 1"
        )))
    };
    text.split(',').map(parse).collect()
}

/// The maximum number of values of a sweep.
const MAX_POINTS: u32 = 10_000;

/// A sweep such as `epsilon=0.1..0.4:7`.
pub(super) struct ParameterSweepRange {
    pub(super) name: String,
    from: Exact,
    to: Exact,
    count: u32,
}

impl ParameterSweepRange {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let form = || {
            format!(
                "--sweep: `{text}` is not of the form NAME=FROM..TO:COUNT, such as \
                 epsilon=0.1..0.4:7"
            )
        };
        let (name, rest) = text.split_once('=').ok_or_else(form)?;
        let (from, rest) = rest.split_once("..").ok_or_else(form)?;
        let (to, count) = rest.rsplit_once(':').ok_or_else(form)?;
        let number = |text: &str| parse(text).map_err(|error| format!("--sweep: {error}"));
        let count: u32 = count.trim().parse().map_err(|_error| form())?;
        if count == 0 || count > MAX_POINTS {
            return Err(format!(
                "--sweep: give 1 to {MAX_POINTS} values, not {count}"
            ));
        }
        Ok(Self {
            name: name.trim().to_owned(),
            from: number(from)?,
            to: number(to)?,
            count,
        })
    }

    /// Returns the values of a swept parameter, from the first to the last in equal steps.
    pub(super) fn swept_values(&self) -> Vec<Exact> {
        let steps = i64::from(self.count - 1).max(1);
        let value = |step: u32| {
            let part = Exact::ratio(step.into(), steps);
            &self.from + (&self.to - &self.from) * part
        };
        (0..self.count).map(value).collect()
    }

    /// Returns the rules and the players' names after the swept parameter is set to `value`.
    pub(super) fn rules_and_players_at(
        &self,
        value: &Exact,
        protocol: &Protocol,
        names: &[String; 3],
    ) -> Result<(Protocol, [String; 3]), String> {
        let brace = format!("{{{}}}", self.name);
        if names.iter().any(|name| name.contains(&brace)) {
            let text = value.to_string();
            let filled = names.each_ref().map(|name| name.replace(&brace, &text));
            return Ok((protocol.clone(), filled));
        }
        let mut protocol = protocol.clone();
        let put = protocol.change(&self.name, |parameter| match &mut parameter.value {
            ParameterValue::Number(number) => {
                **number = RonNumber(value.clone());
                true
            }
            ParameterValue::Count(..) | ParameterValue::Choice(_) => false,
        });
        if put != Some(true) {
            let parameters = protocol.list_parameters().into_iter();
            let names: Vec<String> = parameters
                .filter(|parameter| parameter.kind == ProtocolParameterKind::Number)
                .map(|parameter| parameter.words.name.to_owned() + ", ")
                .collect();
            return Err(format!(
                "--sweep: unknown parameter {0}; use {1}or write {{{0}}} in a player's \
                 name, such as --opponent 'stubborn({{{0}}})'",
                self.name,
                names.concat()
            ));
        }
        protocol
            .protocol_parameters()
            .check()
            .map_err(|refused: ProtocolError| {
                format!(
                    "--sweep at {}: {refused}",
                    format_as_short_decimal_or_fraction(value)
                )
            })?;
        Ok((protocol, names.clone()))
    }
}
