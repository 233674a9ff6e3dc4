//! `equilibrium --all`: the value between all strategies of both debaters.

use super::{EquilibriumArgs, FEWER_INSTANCES};
use crate::cli::Failure;
use crate::cli::output::print;
use crate::cli::solve::{check_instance_limit, given_grid};
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _, parse};
use debate_core::player::Spec;
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_lab::analysis::SolveError;
use debate_lab::analysis::equilibrium::{GameOfAll, hypotheses};
use debate_lab::expectation::NumberFormat;
use debate_lab::setup::Setup;
use debate_lab::tell::results::OptimalResult;

/// The probabilities that Bob may say where nothing else is asked.
const POINTS: u32 = 3;

pub(super) fn all(
    args: &EquilibriumArgs,
    setup: &Setup,
    protocol: &Protocol,
    judge: &Spec,
) -> Result<(), Failure> {
    let grid = grid(args, protocol)?;
    let alpha = args.alpha.as_deref().unwrap_or("0");
    let alpha = parse(alpha).map_err(|error| Failure::Input(format!("--alpha: {error}")))?;
    if alpha < Exact::default() {
        return Err(Failure::input("--alpha: take 0 or more"));
    }
    let worlds = setup.worlds(None).map_err(Failure::input)?.into_iter();
    let instances: Vec<(Exact, Instance)> = worlds
        .map(|(share, world)| (share, setup.instance(world)))
        .collect();
    check_instance_limit(instances.len(), args.max_instances, FEWER_INSTANCES)?;
    let seats = [Seat::Prover, Seat::Opponent];
    let knows = seats.map(|seat| setup.knowledge(seat));
    let mut blocks = Vec::with_capacity(2);
    for knowledge in &knows {
        let all = knowledge
            .blocks(setup.decomposition.as_ref())
            .map_err(Failure::input)?;
        let own: Vec<usize> = instances
            .iter()
            .map(|(_, instance)| all[instance.world()])
            .collect();
        blocks.push(own);
    }
    let game = GameOfAll {
        protocol,
        judge,
        instances: &instances,
        blocks: [&blocks[0], &blocks[1]],
        queries: seats.map(|seat| setup.queries[seat.index()]),
        grid: &grid,
        alpha: &alpha,
        rounds: args.max_rounds,
    };
    let budget = Budget {
        steps: args.max_positions,
        flag: Some("--max-positions"),
        ..Budget::default()
    };
    let play = game.solve(budget).map_err(|error| match error {
        SolveError::Unsolved(unsolved) => Failure::Input(format!(
            "{unsolved}: take fewer --points, or a smaller scenario"
        )),
        error => Failure::input(error),
    })?;
    let least = play.least_truth.as_ref();
    let hypotheses = hypotheses(setup, &game, least.map_or(&alpha, |least| &least.alpha));
    let form = if args.exact {
        NumberFormat::Fraction
    } else {
        NumberFormat::Decimal
    };
    let knows = [&knows[0], &knows[1]];
    let result = OptimalResult {
        protocol,
        report: play.report(&setup.title, &game, knows, &hypotheses, form),
        play: &play,
    };
    print(&result, &args.form)
}

/// The probabilities that can be said: none where nobody says any.
fn grid(args: &EquilibriumArgs, protocol: &Protocol) -> Result<Vec<Exact>, Failure> {
    if let Some(text) = args.grid.as_deref() {
        return given_grid(text, protocol);
    }
    if !protocol.conditions().has_estimator() {
        return Ok(Vec::new());
    }
    let parts = i64::from(args.points.unwrap_or(POINTS).max(2)) - 1;
    Ok((0..=parts).map(|part| Exact::ratio(part, parts)).collect())
}
