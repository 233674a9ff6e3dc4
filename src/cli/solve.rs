//! `solve`: the exact expected payoff of named players, round by round.

mod show;
mod sweep;

use std::io::{self, IsTerminal as _, Write as _};

use clap::Args;
use serde_json::json;

use super::flags::{LimitArgs, OutputArgs, RulesArgs, SeatArgs};
use super::interrupt::ends_at_once;
use super::{Failure, print_json};
use crate::app::plan::{load_player_files, worlds};
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number, parse};
use debate_core::player::{Registry, Spec};
use debate_core::protocol::{Protocol, Seat};
use debate_lab::analysis::{
    BEST_RESPONSE, DebateSolver, Solution, SolveError, Unsolved, average_over_instances,
    default_grid,
};
use debate_lab::setup::Setup;
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
  debate-tui solve caffeine --sweep epsilon=0.1..0.4:7 --csv
                                                   seven values of a parameter, as a table
  debate-tui solve law --judge 'noisy({f})' --sweep f=0..0.2:5
                                                   how wrong may the judge be?

Every coin and every reply that a player might give is followed with its probability, so that the
figures are expectations and no estimates. Where that takes too long, `simulate` draws debates.
`debate-tui list strategies` lists who can play; `best-response` can sit in one of Alice's and
Bob's seats: it knows the other players and the instance, and does whatever gets it the most.";

/// What do these players get on average? Exactly, round by round.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SolveArgs {
    /// A scenario file, or the name of a bundled scenario (see `list scenarios`); `-` reads one from
    /// stdin.
    scenario: String,
    #[command(flatten)]
    seats: SeatArgs,
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
    replies: u64,
    /// Whether to say on stderr how far it is.
    progress: bool,
}

/// One point of a sweep, or the only one.
struct SweepPoint {
    /// The value that was put in.
    value: Option<Exact>,
    protocol: Protocol,
    players: [Spec; 3],
    /// Where somebody replies best, the probabilities that it chooses among.
    grid: Vec<Exact>,
}

impl SweepPoint {
    /// The seat that replies best, if one does.
    fn best(&self) -> Option<Seat> {
        let is_best = |seat: &Seat| self.players[seat.index()].name == BEST_RESPONSE;
        [Seat::Prover, Seat::Opponent].into_iter().find(is_best)
    }
}

/// What was found of each instance: its share, its name, and what is expected.
type SolvedInstances<N> = Vec<(N, String, Solution<N>)>;

/// A point with what was found: each instance by name with its share, and their mean.
struct SolvedPoint<N: Number> {
    point: SweepPoint,
    each: Vec<(String, Solution<N>)>,
    mean: Solution<N>,
}

pub(super) fn solve(args: &SolveArgs) -> Result<(), Failure> {
    let limits = args.limits.limits();
    let mut setup = Setup::find(&args.scenario, &limits).map_err(Failure::input)?;
    let named = args.seats.named();
    load_player_files(&mut setup, named.into_iter().flatten(), &limits)?;
    let progress = !args.quiet && io::stderr().is_terminal();
    ends_at_once(progress)?;
    let worlds = worlds(&setup, args.instance.as_deref())?;
    check_instance_limit(worlds.len(), args.max_instances, ONE)?;
    let task = SolveTask {
        worlds,
        replies: args.max_replies,
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
    let mut found = Vec::new();
    for point in points {
        found.push(at(task, &registry, point)?);
    }
    let setup = &task.setup;
    let name = args.sweep.as_ref().map(|_| sweep_of(args)).transpose()?;
    let name = name.as_ref().map(|sweep| sweep.name.as_str());
    let mut out = io::stdout().lock();
    if args.form.json {
        let mut documents: Vec<_> = found.iter().map(|found| show::json(found, name)).collect();
        let document = match name {
            None => documents.swap_remove(0),
            Some(name) => json!({"sweep": name, "points": documents}),
        };
        return print_json(&document);
    }
    if args.form.csv {
        show::csv(&mut out, &found, name)?;
    } else if let (None, [found]) = (name, found.as_slice()) {
        show::table(&mut out, setup, found, args.quiet)?;
    } else {
        show::sweep(
            &mut out,
            setup,
            &found,
            name.unwrap_or_default(),
            args.quiet,
        )?;
    }
    Ok(())
}

/// Solves one point, on every instance.
fn at<N: Number>(
    task: &SolveTask,
    registry: &Registry<N>,
    point: SweepPoint,
) -> Result<SolvedPoint<N>, Failure> {
    let grid: Vec<N> = point.grid.iter().map(N::from_exact).collect();
    let case = DebateSolver {
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
    let work = || -> Result<SolvedInstances<N>, Failure> {
        let mut each = Vec::new();
        for (number, (share, world)) in task.worlds.iter().enumerate() {
            if task.progress && count > 1 {
                // Where stderr is closed there is nobody to tell.
                let _ = write!(io::stderr(), "\rInstance {} of {count}", number + 1);
            }
            let instance = task.setup.instance(*world);
            let name = instance.name().to_owned();
            match case.solve(&instance, budget) {
                Ok(solved) => each.push((N::from_exact(share), name, solved)),
                Err(error) => return Err(unsolved(&error, (count > 1).then_some(&name))),
            }
        }
        Ok(each)
    };
    let done = work();
    if task.progress && count > 1 {
        let _ = write!(io::stderr(), "\r\u{1b}[K");
    }
    let each = done?;
    let shares: Vec<(N, Solution<N>)> = each
        .iter()
        .map(|(share, _, solved)| (share.clone(), solved.clone()))
        .collect();
    let mean = average_over_instances(&shares)
        .ok_or_else(|| Failure::input("there is no instance to solve"))?;
    let each = each
        .into_iter()
        .map(|(_, name, solved)| (name, solved))
        .collect();
    Ok(SolvedPoint { point, each, mean })
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

fn sweep_of(args: &SolveArgs) -> Result<Sweep, Failure> {
    let text = args.sweep.as_deref().unwrap_or_default();
    Sweep::parse(text).map_err(Failure::Input)
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
        Ok(SweepPoint {
            value,
            protocol,
            players,
            grid,
        })
    };
    if args.sweep.is_none() {
        return Ok(vec![point(None, protocol, &names)?]);
    }
    let sweep = sweep_of(args)?;
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
            if !spec.is_human() && registry.find(&spec.name, seat, kind).is_ok() {
                return Ok(own.to_owned());
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
    let Some(text) = text else {
        return Ok(default_grid(protocol));
    };
    let mut grid = Vec::new();
    for part in text.split(',') {
        let p = parse(part).map_err(|error| Failure::Input(format!("--grid: {error}")))?;
        if !p.is_probability() {
            return Err(Failure::Input(format!(
                "--grid: {part} is not a probability; give numbers from 0 to 1"
            )));
        }
        grid.push(p);
    }
    grid.sort();
    grid.dedup();
    Ok(grid)
}
