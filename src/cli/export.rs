//! `export`: a scenario for another program.

use std::fs::OpenOptions;
use std::io::{self, Write as _};

use super::{ExportArgs, Failure, Format, registry};
use crate::analysis::Unsolved;
use crate::analysis::efg::{Plan, game};
use crate::number::{Exact, Number as _, parse};
use crate::player::Spec;
use crate::protocol::{Protocol, Seat};
use crate::setup::Setup;
use crate::text::safe;

pub(super) const EXAMPLES: &str = "\
Examples:
  debate-tui export tiny.ron --to efg --out tiny.efg
  debate-tui export tiny.ron --to efg --grid 0,1/4,1/2,3/4,1 | head

The players are Prover and Opponent; coins and the judge are chance. Replies that a seat has not
seen make information sets. A game grows fast: take few claims and a short grid.";

pub(super) fn export(args: &ExportArgs) -> Result<(), Failure> {
    let setup = Setup::find(&args.scenario, &args.limits.limits()).map_err(Failure::input)?;
    let protocol = match &args.protocol {
        Some(text) => Protocol::parse(text).map_err(Failure::input)?,
        None => setup.protocol.clone(),
    };
    let world = match &args.instance {
        Some(name) => setup.instance_named(name).map_err(Failure::input)?,
        None => 0,
    };
    let instance = setup.instance(world);
    let state = protocol.start::<Exact>(&instance).map_err(Failure::input)?;
    let spec = Spec::parse(&args.judge).map_err(Failure::input)?;
    let judge = registry::<Exact>()
        .build(&spec, Seat::Judge, &instance, &protocol)
        .map_err(Failure::input)?;
    let grid = grid(&args.grid)?;
    let Format::Efg = args.to;
    let plan = Plan {
        title: &setup.title,
        judge: &*judge,
        grid: &grid,
        most: args.most_nodes,
    };
    let game = game(&state, plan).map_err(|unsolved| match unsolved {
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
