//! `export`: a scenario for another program.

use std::fs::OpenOptions;
use std::io::{self, Write as _};

use super::plan::worlds;
use super::{ExportArgs, Failure, Format, Role, registry};
use crate::analysis::Unsolved;
use crate::analysis::efg::{Plan, Start, game};
use crate::number::{Exact, Number as _, parse};
use crate::player::Spec;
use crate::protocol::{Kind, Protocol, Seat};
use crate::scenario::Instance;
use crate::setup::Setup;
use crate::text::safe;

pub(super) const EXAMPLES: &str = "\
Examples:
  debate-tui export tiny.ron --to efg --out tiny.efg
  debate-tui export tiny.ron --to efg --grid 0,1/4,1/2,3/4,1 | head
  debate-tui export hidden-flaw --to efg --instance all --blind prover --blind opponent --grid 0,1

The players are Prover and Opponent; coins and the judge are chance, and so is the instance where
there are several. Replies that a seat has not seen make information sets, and so do instances that
a blind seat cannot tell apart by the claims and by what the scenario says that it knows. A game
grows fast: take few claims and a short grid.";

pub(super) fn export(args: &ExportArgs) -> Result<(), Failure> {
    let setup = Setup::find(&args.scenario, &args.limits.limits()).map_err(Failure::input)?;
    let protocol = match &args.protocol {
        Some(text) => Protocol::parse(text).map_err(Failure::input)?,
        None => setup.protocol.clone(),
    };
    setup
        .check_depth(&protocol, &args.limits.limits())
        .map_err(Failure::input)?;
    let worlds = worlds(&setup, args.instance.as_deref())?;
    let spec = Spec::parse(&args.judge).map_err(Failure::input)?;
    let registry = registry::<Exact>();
    let instances: Vec<Instance> = worlds
        .iter()
        .map(|(_, world)| setup.instance(*world))
        .collect();
    let mut judges = Vec::with_capacity(instances.len());
    for instance in &instances {
        let judge = registry.build(&spec, Seat::Judge, instance, &protocol);
        judges.push(judge.map_err(Failure::input)?);
    }
    let mut starts = Vec::with_capacity(instances.len());
    for ((instance, judge), (chance, _)) in instances.iter().zip(&judges).zip(worlds) {
        starts.push(Start {
            chance,
            instance,
            state: protocol.start(instance).map_err(Failure::input)?,
            judge: &**judge,
        });
    }
    let grid = grid(&args.grid)?;
    let Format::Efg = args.to;
    let plan = Plan {
        title: &setup.title,
        starts: &starts,
        blind: blind(&args.blind, protocol.kind())?,
        grid: &grid,
        most: args.most_nodes,
    };
    let game = game(plan).map_err(|unsolved| match unsolved {
        Unsolved::TooLarge(most) => Failure::input(format!(
            "this game has more than {most} nodes; shorten --grid, take fewer claims, or raise \
             --most-nodes"
        )),
        unsolved => Failure::input(unsolved),
    })?;
    match &args.out {
        None => io::stdout().lock().write_all(game.text.as_bytes())?,
        Some(path) => {
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(path)
                .map_err(|error| {
                    let path = path.display().to_string();
                    Failure::input(format!("{}: {error}", safe(&path)))
                })?;
            file.write_all(game.text.as_bytes())?;
        }
    }
    let (nodes, terminals) = (game.nodes, game.terminals);
    writeln!(io::stderr(), "{nodes} nodes, {terminals} of them terminals")?;
    if game.wide {
        writeln!(
            io::stderr(),
            "some fractions have parts beyond 32 bits: Gambit reads this file, OpenSpiel does not"
        )?;
    }
    Ok(())
}

/// Whether prover and opponent are blind: as told, else whoever estimates is.
fn blind(roles: &[Role], kind: Kind) -> Result<[bool; 2], Failure> {
    if roles.is_empty() {
        return Ok([false, kind == Kind::ProverEstimator]);
    }
    if roles.contains(&Role::Judge) {
        return Err(Failure::input(
            "--blind: the judge is chance in a game; name prover, opponent or none",
        ));
    }
    Ok([Role::Prover, Role::Opponent].map(|role| roles.contains(&role)))
}

/// Probabilities in rising order, each once.
fn grid(texts: &[String]) -> Result<Vec<Exact>, Failure> {
    let mut grid = Vec::with_capacity(texts.len());
    for text in texts {
        let p = parse(text.trim()).ok().filter(Exact::is_probability);
        let wrong = || Failure::input(format!("--grid: {} is no number from 0 to 1", safe(text)));
        grid.push(p.ok_or_else(wrong)?);
    }
    grid.sort();
    grid.dedup();
    Ok(grid)
}
