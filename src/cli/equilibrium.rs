//! `equilibrium`: every prover against every opponent, and who should lead.

use std::io::{self, Write as _};

use clap::Args;
use serde_json::{Value, json};

use super::flags::{LimitArgs, OutputArgs, RulesArgs};
use super::interrupt::ends_at_once;
use super::solve::{MAX_INSTANCES, check_instance_limit};
use super::{Failure, print_json};
use crate::app::plan::load_player_files;
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number, canonical, parse, short, short_exact};
use debate_core::player::{Registry, Spec};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_core::text::safe;
use debate_lab::analysis::equilibrium::{Equilibrium, PayoffTable};
use debate_lab::analysis::{SolveError, Unsolved, default_grid};
use debate_lab::export::table;
use debate_lab::setup::Setup;

/// What to ask for where there are too many instances.
const FEWER_INSTANCES: &str = "a scenario of fewer, or one that names its `instance`";

/// How many provers stand beside each other in the printed table.
const PROVERS_PER_BLOCK: usize = 5;

/// Every prover against every opponent, exactly, and who should lead (PE Theorem 6.2).
#[derive(Debug, Args)]
pub(super) struct EquilibriumArgs {
    /// A scenario file, or the name of a bundled scenario (see `list scenarios`); `-` reads one from
    /// stdin.
    scenario: String,
    /// A prover of the table; may be given more than once. The default is every built-in one.
    #[arg(long, value_name = "NAME")]
    prover: Vec<String>,
    /// An opponent of the table; may be given more than once. The default is every built-in one
    /// that is not made against the prover; `best-response` is, and can be named.
    #[arg(long, value_name = "NAME")]
    opponent: Vec<String>,
    /// Who answers the oracle's questions.
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    #[command(flatten)]
    rules: RulesArgs,
    /// Compute in fractions and print them; nothing is rounded.
    #[arg(long)]
    exact: bool,
    /// The probabilities that `best-response` may say, such as 0,1/4,1/2,3/4,1.
    #[arg(long, value_name = "P,P,…")]
    grid: Option<String>,
    /// Leave out players who take more replies than this for one instance. The whole table may take
    /// 8 times as many.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    max_replies: u64,
    /// Take at most so many instances: each takes longer the more there are.
    #[arg(long, value_name = "N", default_value_t = MAX_INSTANCES)]
    max_instances: u64,
    #[command(flatten)]
    form: OutputArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn equilibrium(args: &EquilibriumArgs) -> Result<(), Failure> {
    if args.exact {
        found::<Exact>(args)
    } else {
        found::<f64>(args)
    }
}

/// How a number is written in JSON and CSV.
trait OutputNumber: Number {
    fn json(&self) -> Value;
    fn csv(&self) -> String;
}

impl OutputNumber for f64 {
    fn json(&self) -> Value {
        json!(self)
    }
    fn csv(&self) -> String {
        self.to_string()
    }
}

impl OutputNumber for Exact {
    fn json(&self) -> Value {
        json!(format!("{}/{}", self.numer(), self.denom()))
    }
    fn csv(&self) -> String {
        canonical(self)
    }
}

fn found<N: OutputNumber>(args: &EquilibriumArgs) -> Result<(), Failure> {
    ends_at_once(false)?;
    let limits = args.limits.limits();
    let mut setup = Setup::find(&args.scenario, &limits).map_err(Failure::input)?;
    let names = args.prover.iter().chain(&args.opponent).chain(&args.judge);
    load_player_files(&mut setup, names.map(String::as_str), &limits)?;
    let protocol = args.rules.of(&setup, &limits)?;
    protocol
        .suits(setup.decomposition.as_ref())
        .map_err(Failure::input)?;
    let registry = debate_lab::registry::<N>().with(setup.player_files());
    let named = |names: &[String], seat| match names {
        [] => Ok(every(&registry, seat, &protocol)),
        names => names
            .iter()
            .map(|name| Spec::parse(name).map_err(Failure::input))
            .collect(),
    };
    let (provers, opponents) = (
        named(&args.prover, Seat::Prover)?,
        named(&args.opponent, Seat::Opponent)?,
    );
    let judge = args.judge.as_deref();
    let judge = judge.or_else(|| setup.players.get(Seat::Judge));
    let judge = judge.filter(|name| *name != "human").unwrap_or("oracle");
    let judge = Spec::parse(judge).map_err(Failure::input)?;
    let grid = grid::<N>(args.grid.as_deref(), &protocol)?;
    let instances = instances::<N>(&setup);
    check_instance_limit(instances.len(), args.max_instances, FEWER_INSTANCES)?;
    let table = PayoffTable {
        registry: &registry,
        protocol: &protocol,
        judge: &judge,
        instances: &instances,
        grid: &grid,
    };
    let budget = Budget {
        steps: args.max_replies,
        flag: Some("--max-replies"),
        ..Budget::default()
    };
    let found = table
        .fill(&provers, &opponents, budget)
        .map_err(|error| match error {
            SolveError::Unsolved(Unsolved::Exceeded(_)) => Failure::Input(format!(
                "{error}: name fewer players with --prover and --opponent"
            )),
            error => Failure::input(error),
        })?;
    if found.leader().is_none() {
        let reasons = found.left_out.iter();
        let mut reasons: Vec<_> = reasons.map(|left| left.reason.as_str()).collect();
        reasons.dedup();
        return Err(Failure::Input(reasons.join("; ")));
    }
    show(args, &setup, &protocol, &found)
}

/// Every strategy of a seat as it can be asked for, but those that are made against another seat.
/// Of `shifted` also the one that is off by ε, where honest Alice's bound is reached.
fn every<N: Number>(registry: &Registry<N>, seat: Seat, protocol: &Protocol) -> Vec<Spec> {
    let made_against = ["indistinguishable", "best-response"];
    let entries = registry.for_seat(seat, protocol.kind());
    let examples = entries
        .filter(|entry| !made_against.contains(&entry.name))
        .flat_map(debate_core::player::StrategyEntry::examples);
    let stable = protocol.conditions().epsilon_and_rho();
    let stable = stable.filter(|_| seat == Seat::Opponent);
    let tight = stable.map(|(epsilon, _)| format!("shifted({})", short_exact(epsilon)));
    examples
        .chain(tight)
        .filter_map(|text| Spec::parse(&text).ok())
        .collect()
}

fn grid<N: Number>(given: Option<&str>, protocol: &Protocol) -> Result<Vec<N>, Failure> {
    let each: Vec<Exact> = match given {
        None => default_grid(protocol),
        Some(text) => text
            .split(',')
            .map(|p| parse(p).map_err(Failure::input))
            .collect::<Result<_, _>>()?,
    };
    if let Some(p) = each.iter().find(|p| !p.is_probability()) {
        return Err(Failure::Input(format!(
            "the grid's {} is no probability; give numbers from 0 to 1",
            canonical(p)
        )));
    }
    Ok(each.iter().map(N::from_exact).collect())
}

fn instances<N: Number>(setup: &Setup) -> Vec<(N, Instance)> {
    let worlds = setup.decomposition.worlds();
    if let Some(world) = setup.requested_world {
        return vec![(N::one(), setup.instance(world))];
    }
    let all: Exact = worlds.iter().map(|world| &world.weight).sum();
    worlds
        .iter()
        .zip(0..)
        .map(|(world, number)| {
            (
                N::from_exact(&(&world.weight / &all)),
                setup.instance(number),
            )
        })
        .collect()
}

/// What is said of the leader.
struct Leader<'f, N> {
    prover: usize,
    reply: usize,
    value: &'f N,
    correct: Option<&'f N>,
    /// 1 − 4ε, which PE Theorem 6.2 compares with.
    threshold: Option<Exact>,
}

fn leading<'f, N: Number>(
    found: &'f Equilibrium<N>,
    protocol: &Protocol,
) -> Result<Leader<'f, N>, Failure> {
    let lost = || Failure::Input("nobody is left to lead".to_owned());
    let prover = found.leader().ok_or_else(lost)?;
    let stable = protocol.conditions().epsilon_and_rho();
    let threshold = stable.map(|(epsilon, _)| Exact::ratio(1, 1) - Exact::ratio(4, 1) * epsilon);
    Ok(Leader {
        prover,
        reply: found.best_reply(prover).ok_or_else(lost)?,
        value: found.guaranteed(prover).ok_or_else(lost)?,
        correct: found.answer_correct[prover].as_ref(),
        threshold,
    })
}

fn show<N: OutputNumber>(
    args: &EquilibriumArgs,
    setup: &Setup,
    protocol: &Protocol,
    found: &Equilibrium<N>,
) -> Result<(), Failure> {
    let leading = leading(found, protocol)?;
    for left in &found.left_out {
        let (who, reason) = (left.player.to_string(), &left.reason);
        writeln!(
            io::stderr(),
            "debate-tui: {} is left out: {}",
            safe(&who),
            safe(reason)
        )?;
    }
    if args.form.json {
        return print_json(&document(setup, protocol, found, &leading));
    }
    let mut out = io::stdout().lock();
    if args.form.csv {
        writeln!(out, "prover,opponent,payoff,answer_correct")?;
        for (row, prover) in found.provers.iter().enumerate() {
            let correct = found.answer_correct[row].as_ref().map(OutputNumber::csv);
            let correct = correct.unwrap_or_default();
            for (opponent, payoff) in found.opponents.iter().zip(&found.payoff[row]) {
                let [prover, opponent] =
                    [prover, opponent].map(|player| table::text(&player.to_string()));
                let cells = [prover, opponent, payoff.csv(), correct.clone()];
                writeln!(out, "{}", table::line(cells))?;
            }
        }
        return Ok(());
    }
    writeln!(out, "{} ({})", safe(&setup.title), protocol.summary())?;
    writeln!(
        out,
        "What each prover expects; * marks the best reply to it."
    )?;
    let rows: Vec<usize> = (0..found.provers.len()).collect();
    for rows in rows.chunks(PROVERS_PER_BLOCK) {
        block(&mut out, found, rows)?;
    }
    let prover = &found.provers[leading.prover];
    writeln!(
        out,
        "\nLeads: {prover}, which keeps {} against {}, the best reply to it.",
        text(leading.value, args.exact),
        found.opponents[leading.reply]
    )?;
    match (leading.correct, &leading.threshold) {
        (None, _) => writeln!(out, "Whether its answer is true cannot be decided here.")?,
        (Some(correct), None) => {
            writeln!(
                out,
                "Its answer is true with probability {}.",
                text(correct, args.exact)
            )?;
        }
        (Some(correct), Some(threshold)) => {
            writeln!(
                out,
                "Its answer is true with probability {}.",
                text(correct, args.exact)
            )?;
            writeln!(
                out,
                "PE Theorem 6.2, where its hypotheses hold, promises more than 1 - 4ε = {}.",
                text(threshold, args.exact)
            )?;
        }
    }
    Ok(())
}

fn text<N: Number>(value: &N, exact: bool) -> String {
    if exact {
        canonical(&value.to_exact())
    } else {
        short(value.to_float(), 4)
    }
}

/// Some provers beside each other.
fn block<N: Number>(
    out: &mut impl io::Write,
    found: &Equilibrium<N>,
    rows: &[usize],
) -> Result<(), Failure> {
    write!(out, "\n{:<18}", "")?;
    for row in rows {
        write!(out, "{:>12}", short_name(&found.provers[*row]))?;
    }
    writeln!(out)?;
    for (column, opponent) in found.opponents.iter().enumerate() {
        write!(out, "{:<18}", safe(&opponent.to_string()))?;
        for row in rows {
            let best = found.best_reply(*row) == Some(column);
            let mark = if best { "*" } else { "" };
            let value = short(found.payoff[*row][column].to_float(), 3);
            write!(out, "{:>12}", format!("{mark}{value}"))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A player's name as it fits its column.
fn short_name(spec: &Spec) -> String {
    spec.to_string().chars().take(11).collect()
}

fn document<N: OutputNumber>(
    setup: &Setup,
    protocol: &Protocol,
    found: &Equilibrium<N>,
    leading: &Leader<'_, N>,
) -> Value {
    let names = |specs: &[Spec]| specs.iter().map(ToString::to_string).collect::<Vec<_>>();
    let replies = (0..found.provers.len()).map(|row| {
        let column = found.best_reply(row)?;
        Some(found.opponents[column].to_string())
    });
    let payoff = |row: &Vec<N>| row.iter().map(OutputNumber::json).collect::<Value>();
    let correct = |correct: &Option<N>| correct.as_ref().map(OutputNumber::json);
    let margin = leading
        .correct
        .zip(leading.threshold.as_ref())
        .map(|(correct, threshold)| correct.clone() - N::from_exact(threshold));
    let left_out: Vec<Value> = found
        .left_out
        .iter()
        .map(|left| json!({"player": left.player.to_string(), "reason": left.reason}))
        .collect();
    json!({
        "title": setup.title,
        "protocol": protocol.kind().name(),
        "parameters": protocol.to_string(),
        "provers": names(&found.provers),
        "opponents": names(&found.opponents),
        "payoff": found.payoff.iter().map(payoff).collect::<Value>(),
        "answer_correct": found.answer_correct.iter().map(correct).collect::<Vec<_>>(),
        "best_replies": replies.collect::<Vec<_>>(),
        "leader_choice": found.provers[leading.prover].to_string(),
        "best_reply": found.opponents[leading.reply].to_string(),
        "value": leading.value.json(),
        "answers_truly": leading.correct.map(N::is_one),
        "leader_answer_correct": leading.correct.map(OutputNumber::json),
        "margin": margin.as_ref().map(OutputNumber::json),
        "left_out": left_out,
    })
}
