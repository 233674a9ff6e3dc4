//! `efg`: a small debate as a game in extensive form.

use std::io::Write;

use super::{
    ExportError, ExportFormat, ExportFunctionByInput, ExportNotes, ExportOptions, Result,
    ScenarioToExport,
};
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _, parse};
use debate_core::player::{KnowledgePartition, PlayerSpec};
use debate_core::text::{count_with_noun, replace_unsafe_characters};
use debate_core::{Instance, Seat};
use debate_solver::analysis::debater_gives_probabilities;
use debate_solver::analysis::efg::{ExtensiveGameExportInputs, GameInstance, write_efg_game};
use debate_solver::expectation::PayoffNotComputedReason;

pub(super) const FORMAT: ExportFormat = ExportFormat {
    name: "efg",
    dated: false,
    about: "a game in extensive form, for Gambit and OpenSpiel",
    ending: "efg",
    takes: &[
        "--instance",
        "--protocol",
        "--judge",
        "--blind",
        "--prover-knows",
        "--opponent-knows",
        "--prover-queries",
        "--opponent-queries",
        "--grid",
        "--most-nodes",
    ],
    of: ExportFunctionByInput::Scenario(write),
};

/// The default of `--most-nodes`.
const NODES: u64 = 100_000;

fn write(
    proposal: &ScenarioToExport<'_>,
    asked: &ExportOptions,
    out: &mut dyn Write,
) -> Result<ExportNotes> {
    let ScenarioToExport {
        setup,
        protocol,
        worlds,
        ..
    } = *proposal;
    let judge = PlayerSpec::parse(asked.judge.as_deref().unwrap_or("oracle"))?;
    let registry = debate_solver::registry::<Exact>();
    let instances: Vec<Instance> = worlds
        .iter()
        .map(|(_, world)| setup.instance(*world))
        .collect();
    let judges = instances
        .iter()
        .map(|instance| registry.build(&judge, Seat::Judge, instance, protocol))
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let knows = |position: usize, seat: Seat| match asked.blind {
        Some(blind) if blind[position] => KnowledgePartition::Offered,
        Some(_) => KnowledgePartition::Everything,
        None => setup.initial_instance_knowledge(seat),
    };
    let of_alice = knows(0, Seat::Prover).instance_blocks(setup.decomposition.as_ref())?;
    let of_bob = knows(1, Seat::Opponent).instance_blocks(setup.decomposition.as_ref())?;
    let mut starts = Vec::with_capacity(instances.len());
    for ((instance, judge), (chance, world)) in instances.iter().zip(&judges).zip(worlds) {
        starts.push(GameInstance {
            chance: chance.clone(),
            instance,
            state: protocol.start(instance)?,
            judge: &**judge,
            blocks: [of_alice[*world], of_bob[*world]],
        });
    }
    let grid = match &asked.grid {
        Some(texts) => grid(texts)?,
        None => vec![Exact::ratio(0, 1), Exact::ratio(1, 2), Exact::ratio(1, 1)],
    };
    let plan = ExtensiveGameExportInputs {
        title: &setup.title,
        starts: &starts,
        grid: &grid,
        queries: [Seat::Prover, Seat::Opponent].map(|seat| setup.queries[seat.seat_index()]),
        budget: ComputationBudget {
            steps: asked.most_nodes.unwrap_or(NODES),
            flag: Some("--most-nodes"),
            ..ComputationBudget::default()
        }
        .with_step_limit_for_long_numbers(setup.approximate_digits_of_smallest_stake(protocol)),
    };
    let tree = write_efg_game(plan).map_err(|unsolved| match unsolved {
        PayoffNotComputedReason::Exceeded(exceeded) if debater_gives_probabilities(protocol) => {
            ExportError::TooLarge(exceeded)
        }
        PayoffNotComputedReason::Exceeded(exceeded) => ExportError::TooManyClaims(exceeded),
        unsolved => ExportError::Unsolved(unsolved),
    })?;
    let nodes = count_with_noun(tree.nodes, "node", "nodes");
    let mut notes = vec![format!(
        "{nodes} in the game tree, of which {terminals} are terminal nodes",
        terminals = tree.terminals
    )];
    let wide = "some fractions have a numerator or denominator of more than 32 bits: Gambit can read this file, OpenSpiel cannot";
    notes.extend(tree.wide.then(|| wide.to_owned()));
    out.write_all(tree.text.as_bytes())?;
    Ok(notes)
}

/// Parses the probabilities that a debater may state, and sorts them without duplicates.
fn grid(texts: &[String]) -> Result<Vec<Exact>> {
    let mut grid = Vec::with_capacity(texts.len());
    for text in texts {
        let p = parse(text.trim()).ok().filter(Exact::is_probability);
        let wrong = || ExportError::Grid(replace_unsafe_characters(text).into_owned());
        grid.push(p.ok_or_else(wrong)?);
    }
    grid.sort();
    grid.dedup();
    Ok(grid)
}
