//! `solve`: the exact expected payoff of named players, round by round.

mod csv;
mod knowing;
mod soundness;
mod sweep;
mod text;

use std::io::{self, IsTerminal as _, Write as _};

use clap::Args;

use super::Failure;
use super::flags::{KnowledgeArgs, LimitArgs, OutputArgs, RulesArgs, SeatArgs};
use super::interrupt::ends_at_once;
use super::output::print_json;
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number, parse};
use debate_core::player::{Registry, Spec};
use debate_core::protocol::{Protocol, Seat};
use debate_lab::analysis::{
    DebateSolver, SolveError, average_over_instances, default_grid, says_probabilities,
};
use debate_lab::expectation::{ReportNumber, Unsolved};
use debate_lab::plan::{load_player_files, worlds};
use debate_lab::setup::Setup;
use debate_lab::theory::{
    JudgeErrors, JudgedDebate, SolveDocument, SolvedPoint, SweepPoint, SweptReport,
};
use soundness::SoundnessArgs;
use sweep::Sweep;

/// The most instances that are solved where nothing else is asked: what players believe of one is
/// weighed over all.
pub(super) const MAX_INSTANCES: u64 = 2000;

/// What to ask for where there are too many.
const ONE: &str = "one with --instance, or `simulate`, which draws them";

const EXAMPLES: &str = "\
Examples:
  debate-tui solve primes                          what Alice expects against the scenario's Bob
  debate-tui solve hidden-flaw --exact             the same as fractions, nothing rounded
  debate-tui solve primes-stable --opponent best-response
                                                   the worst that any Bob on a grid can do to her
  debate-tui solve primes --prover best-response --opponent 'stubborn(0.5)'
                                                   the most that any Alice gets from this Bob
  debate-tui solve primes --prover best-response --prover-knows nothing --exact
                                                   the most that anybody gets who knows of the
                                                   number no more than which ten it may be
  debate-tui solve caffeine --sweep epsilon=0.1..0.4:7 --csv
                                                   seven values of a parameter, as a table
  debate-tui solve law --judge 'noisy({f})' --sweep f=0..0.2:5
                                                   how wrong may the judge be?
  debate-tui solve law --judge-errors              the same, exactly: from which rate on she expects
                                                   nothing, and which leaf it is worst to get wrong
  debate-tui solve hidden-flaw --prover best-response --prover-knows nothing --soundness --delta 0.01
                                                   what the soundness proof promises, what the best
                                                   prover keeps, and which hypothesis that is owed to

Every coin and every reply that a player might give is followed with its probability, so that the
figures are expectations and no estimates. Where that takes too long, `simulate` draws debates.
`debate-tui list strategies` lists who can play; `best-response` can sit in one of Alice's and
Bob's seats: it knows the other players and, where neither the scenario nor --prover-knows says less, the
instance, and does whatever gets it the most.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SolveArgs {
    /// A scenario file, or the name of a bundled scenario (see `list scenarios`); `-` reads one from
    /// stdin.
    scenario: String,
    #[command(flatten)]
    seats: SeatArgs,
    #[command(flatten)]
    knowledge: KnowledgeArgs,
    /// Let Alice, as `best-response`, give this answer to the root claim alone: false for the best
    /// of those who say so, such as the best liar where it is true.
    #[arg(long, value_name = "true|false")]
    prover_answers: Option<bool>,
    /// Find also how wrong the judge may be: what Alice expects as a polynomial in the rate at which
    /// each answer is flipped, the first rate at which she expects nothing, and the leaves about
    /// which it costs her the most to be wrong. `--judge 'wrong(page1)'` plays one who is.
    #[arg(long, conflicts_with = "csv")]
    judge_errors: bool,
    #[command(flatten)]
    proof: SoundnessArgs,
    #[command(flatten)]
    rules: RulesArgs,
    /// Which instance of the scenario's distribution; `all` averages over it. The default is the
    /// scenario's own instance, else all.
    #[arg(long, value_name = "NAME|all")]
    instance: Option<String>,
    /// Compute in fractions and print them; nothing is rounded.
    #[arg(long)]
    exact: bool,
    /// The probabilities that `best-response` may say, such as 0,1/4,1/2,3/4,1. Under stochastic
    /// debate it may say any where none are given.
    #[arg(long, value_name = "P,P,…")]
    grid: Option<String>,
    /// Solve for so many evenly spaced values of a parameter: `epsilon`, `rho`, `k`, or one that
    /// stands in braces in a player's name.
    #[arg(long, value_name = "NAME=FROM..TO:COUNT")]
    sweep: Option<String>,
    /// Give up after playing through so many replies for one instance.
    #[arg(long, value_name = "N", default_value_t = Budget::default().steps)]
    max_replies: u64,
    /// Solve at most so many instances: each takes longer the more there are.
    #[arg(long, value_name = "N", default_value_t = MAX_INSTANCES)]
    max_instances: u64,
    #[command(flatten)]
    form: OutputArgs,
    /// Leave out all that is not asked for.
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

/// What is to be solved, everything being known.
struct SolveTask {
    setup: Setup,
    /// The worlds, each with its share.
    worlds: Vec<(Exact, usize)>,
    /// Whether one instance was asked for by name.
    asks_one: bool,
    replies: u64,
    /// The most instances.
    instances: u64,
    /// Whether to find how wrong the judge may be.
    judge_errors: bool,
    /// Whether to set what is kept beside what soundness promises, and with which δ.
    proof: SoundnessArgs,
    /// Whether to say on stderr how far it is.
    progress: bool,
}

pub(super) fn solve(args: &SolveArgs) -> Result<(), Failure> {
    let limits = args.limits.limits();
    let mut setup = Setup::find(&args.scenario, &limits).map_err(Failure::input)?;
    let named = args.seats.named();
    load_player_files(&mut setup, named.into_iter().flatten(), &limits)?;
    let progress = !args.quiet && io::stderr().is_terminal();
    ends_at_once(progress)?;
    args.knowledge.put(&mut setup)?;
    let worlds = worlds(&setup, args.instance.as_deref())?;
    check_instance_limit(worlds.len(), args.max_instances, ONE)?;
    let task = SolveTask {
        worlds,
        judge_errors: args.judge_errors,
        proof: args.proof.clone(),
        asks_one: args.instance.as_deref().is_some_and(|name| name != "all"),
        replies: args.max_replies,
        instances: args.max_instances,
        progress,
        setup,
    };
    let points = points(args, &task.setup)?;
    if args.exact {
        check_exact(&task, &points)?;
        solved::<Exact>(args, &task, points)
    } else {
        solved::<f64>(args, &task, points)
    }
}

/// Checks that nothing would be rounded.
fn check_exact(task: &SolveTask, points: &[SweepPoint]) -> Result<(), Failure> {
    for point in points {
        for (_, world) in &task.worlds {
            let instance = task.setup.instance(*world);
            if let Some(samples) = point.protocol.conditions().rounded_samples(&instance) {
                return Err(Failure::Input(format!(
                    "--exact: here somebody takes the mean of {samples} samples, whose \
                     probabilities are rounded; leave out --exact, or take constants: Custom(…) \
                     with fewer samples"
                )));
            }
        }
    }
    Ok(())
}

fn solved<N: Number>(
    args: &SolveArgs,
    task: &SolveTask,
    points: Vec<SweepPoint>,
) -> Result<(), Failure> {
    let registry = debate_lab::registry::<N>().with(task.setup.player_files());
    let points = points.into_iter();
    let points = points.map(|point| solve_point(task, &registry, point));
    let mut points: Vec<_> = points.collect::<Result<_, _>>()?;
    let name = sweep_of(args)?.map(|sweep| sweep.name);
    if args.form.json {
        return print_json(&document(&points, name));
    }
    let mut out = io::stdout().lock();
    if args.form.csv {
        return csv::table(&mut out, &points, name.as_deref());
    }
    match name {
        None => text::point(&mut out, &task.setup, &points.swap_remove(0), args.quiet),
        Some(name) => text::sweep(&mut out, &task.setup, &points, &name, args.quiet),
    }
}

/// The reports of all points, or of the only one.
fn document<N: Number>(points: &[SolvedPoint<N>], sweep: Option<String>) -> SolveDocument {
    let Some(sweep) = sweep else {
        return SolveDocument::Point(Box::new(points[0].report()));
    };
    let points = points.iter().map(|solved| {
        let value = solved.point.value.as_ref().map(N::from_exact);
        let parameter = value.map(|value| (sweep.clone(), ReportNumber::of(&value)));
        SweptReport {
            report: solved.report(),
            parameter: parameter.into_iter().collect(),
        }
    });
    SolveDocument::Sweep {
        points: points.collect(),
        sweep,
    }
}

/// Solves one point, on every instance.
fn solve_point<N: Number>(
    task: &SolveTask,
    registry: &Registry<N>,
    point: SweepPoint,
) -> Result<SolvedPoint<N>, Failure> {
    let grid: Vec<N> = point.grid.iter().map(N::from_exact).collect();
    let solver = DebateSolver {
        registry,
        protocol: &point.protocol,
        players: &point.players,
        grid: &grid,
    };
    let budget = Budget {
        steps: task.replies,
        flag: Some("--max-replies"),
        ..Budget::default()
    };
    let count = task.worlds.len();
    let several = count > 1;
    let worlds = task.worlds.iter().zip(1..);
    let judge_errors = task
        .judge_errors
        .then(|| judge_errors(task, &point, budget));
    let judge_errors = judge_errors.transpose()?;
    let soundness = task
        .proof
        .soundness
        .then(|| soundness::of(task, &point, budget));
    let soundness = soundness.transpose()?;
    if let Some(knowing) = &point.knowing {
        let solved = knowing::solve_point(task, &solver, knowing, budget, point.clone())?;
        return Ok(SolvedPoint {
            soundness,
            ..solved
        });
    }
    let solved = worlds.map(|((share, world), number)| {
        if task.progress && several {
            // Where stderr is closed there is nobody to tell.
            let _ = write!(io::stderr(), "\rInstance {number} of {count}");
        }
        let instance = task.setup.instance(*world);
        let name = instance.name().to_owned();
        match solver.solve(&instance, budget) {
            Ok(solution) => Ok(((N::from_exact(share), solution), name)),
            Err(error) => Err(unsolved(&error, several.then_some(&name))),
        }
    });
    let solved: Result<(Vec<_>, Vec<_>), _> = solved.collect();
    if task.progress && several {
        let _ = write!(io::stderr(), "\r\u{1b}[K");
    }
    let (solutions, names) = solved?;
    let mean = average_over_instances(&solutions)
        .ok_or_else(|| Failure::input("there is no instance to solve"))?;
    let solutions = solutions.into_iter().map(|(_, solution)| solution);
    Ok(SolvedPoint {
        point,
        instances: names.into_iter().zip(solutions).collect(),
        mean,
        judge_errors,
        soundness,
    })
}

/// How wrong the judge may be between the players of a point.
fn judge_errors(
    task: &SolveTask,
    point: &SweepPoint,
    budget: Budget<'_>,
) -> Result<JudgeErrors, Failure> {
    let registry = debate_lab::registry::<Exact>().with(task.setup.player_files());
    let instances = task.worlds.iter();
    let instances = instances.map(|(share, world)| (share.clone(), task.setup.instance(*world)));
    let debate = JudgedDebate {
        registry: &registry,
        protocol: &point.protocol,
        players: &point.players,
        instances: &instances.collect::<Vec<_>>(),
    };
    debate
        .errors(budget)
        .map_err(|error| unsolved(&error, None))
}

/// Why there is no value; `instance`: where there are several, of which.
fn unsolved(error: &SolveError, instance: Option<&String>) -> Failure {
    let which = instance.map(|name| format!("instance {name}: "));
    let advice = match error {
        SolveError::Unsolved(Unsolved::Exceeded(_)) => {
            ", such as players that do not draw, or `simulate`, which draws debates"
        }
        _ => "",
    };
    Failure::Input(format!("{}{error}{advice}", which.unwrap_or_default()))
}

/// Refuses more instances than are to be solved.
pub(super) fn check_instance_limit(
    instances: usize,
    most: u64,
    advice: &str,
) -> Result<(), Failure> {
    let budget = Budget {
        steps: most,
        flag: Some("--max-instances"),
        ..Budget::default()
    };
    let few = budget.taken(instances as u64, "instances");
    few.map_err(|exceeded| Failure::Input(format!("{exceeded}: {advice}")))
}

fn sweep_of(args: &SolveArgs) -> Result<Option<Sweep>, Failure> {
    let sweep = args.sweep.as_deref().map(Sweep::parse).transpose();
    sweep.map_err(Failure::Input)
}

/// What is to be solved: once, or for every value of a sweep.
fn points(args: &SolveArgs, setup: &Setup) -> Result<Vec<SweepPoint>, Failure> {
    let protocol = args.rules.of(setup, &args.limits.limits())?;
    let names = names(args, setup, &protocol)?;
    let point = |value: Option<Exact>, protocol: Protocol, names: &[String; 3]| {
        let spec = |name: &String| Spec::parse(name).map_err(Failure::input);
        let [prover, opponent, judge] = names;
        let players = [spec(prover)?, spec(opponent)?, spec(judge)?];
        if let Some(place) = players.iter().position(Spec::is_human) {
            return Err(Failure::input(format!(
                "what a person would say as {} cannot be foreseen; name a strategy (see \
                 `debate-tui list strategies`)",
                Seat::PLAYERS[place]
            )));
        }
        let grid = grid(args.grid.as_deref(), &protocol)?;
        let knowing = knowing::of(setup, &protocol, &players, args.prover_answers)?;
        Ok(SweepPoint {
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
    for value in sweep.values() {
        let (protocol, names) = sweep
            .put(&value, &protocol, &names)
            .map_err(Failure::Input)?;
        points.push(point(Some(value), protocol, &names)?);
    }
    Ok(points)
}

/// Who sits where: the flags, else the scenario's own players as far as they play these rules,
/// else the protocol's defaults.
fn names(args: &SolveArgs, setup: &Setup, protocol: &Protocol) -> Result<[String; 3], Failure> {
    let registry = debate_lab::registry::<Exact>();
    let kind = protocol.kind();
    let [prover, opponent, judge] = args.seats.named();
    let name = |seat: Seat, flag: Option<&str>| -> Result<String, Failure> {
        if let Some(flag) = flag {
            return Ok(flag.to_owned());
        }
        if let Some(own) = setup.players.get(seat) {
            let spec = Spec::parse(own).map_err(Failure::input)?;
            // Of the scenario's own rules whatever it says of its players stands.
            if kind == setup.protocol.kind() && registry.find(&spec.name, seat, kind).is_ok() {
                return Ok(own.to_owned());
            }
            if let Some(known) = registry.known(&spec, seat, kind) {
                return Ok(known.to_string());
            }
        }
        Ok(registry.default_for(seat, kind).to_owned())
    };
    Ok([
        name(Seat::Prover, prover)?,
        name(Seat::Opponent, opponent)?,
        name(Seat::Judge, judge)?,
    ])
}

fn grid(text: Option<&str>, protocol: &Protocol) -> Result<Vec<Exact>, Failure> {
    match text {
        None => Ok(default_grid(protocol)),
        Some(text) => said_grid(text, protocol),
    }
}

/// The probabilities of `--grid`, sorted, each once; none where nobody says any.
pub(super) fn said_grid(text: &str, protocol: &Protocol) -> Result<Vec<Exact>, Failure> {
    let mut grid = parse_grid(text)?;
    grid.sort();
    grid.dedup();
    grid.retain(|_| says_probabilities(protocol));
    Ok(grid)
}

/// Parses the probabilities of `--grid`, in their order.
pub(super) fn parse_grid(text: &str) -> Result<Vec<Exact>, Failure> {
    let parse = |part| {
        let p = parse(part).map_err(|error| Failure::Input(format!("--grid: {error}")))?;
        if p.is_probability() {
            return Ok(p);
        }
        Err(Failure::Input(format!(
            "--grid: {part} is not a probability; give numbers from 0 to 1"
        )))
    };
    text.split(',').map(parse).collect()
}
