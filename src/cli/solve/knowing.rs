//! The best response of somebody who knows part of the instance.

use super::{ONE, SolveTask, check_instance_limit, unsolved};
use crate::cli::Failure;
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number};
use debate_core::player::{Knowledge, Spec};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_core::text::counted;
use debate_lab::analysis::{DebateSolver, KnowingSeat, average_over_instances};
use debate_lab::expectimax::BEST_RESPONSE;
use debate_lab::plan::worlds;
use debate_lab::setup::Setup;
use debate_lab::theory::{BestResponseTerms, SolvedPoint, SweepPoint};

/// Instances with their shares.
type WeightedInstances = Vec<(Exact, Instance)>;

/// The most instances that somebody may think possible of a single one.
const MAX_BELIEVED: usize = 2000;

/// What the best response knows, and may say, where it is not simply everything.
pub(super) fn of(
    setup: &Setup,
    protocol: &Protocol,
    players: &[Spec; 3],
    answers: Option<bool>,
) -> Result<Option<BestResponseTerms>, Failure> {
    let best = |seat: &Seat| players[seat.index()].name == BEST_RESPONSE;
    let seat = [Seat::Prover, Seat::Opponent].into_iter().find(best);
    if answers.is_some() && seat != Some(Seat::Prover) {
        return Err(Failure::input(
            "--prover-answers says what the best response may answer; take --prover best-response \
             with it",
        ));
    }
    let Some(seat) = seat else {
        return Ok(None);
    };
    let knows = setup.knows[seat.index()].clone();
    let queries = setup.queries[seat.index()];
    if answers.is_none() && queries == 0 && matches!(knows, None | Some(Knowledge::Everything)) {
        return Ok(None);
    }
    if !protocol.conditions().hides_truths() {
        return Err(Failure::Input(format!(
            "under {} everybody is shown all that is debated, so nobody knows less than another; \
             leave out what a seat knows, its queries and --prover-answers",
            protocol.kind().variant()
        )));
    }
    let knows = knows.unwrap_or_default();
    Ok(Some(BestResponseTerms {
        seat,
        queries,
        answers,
        blocks: 0,
        knows,
    }))
}

/// Solves one point over all instances at once: what is best in one block of instances is one
/// strategy.
pub(super) fn solve_point<N: Number>(
    task: &SolveTask,
    solver: &DebateSolver<'_, N>,
    terms: &BestResponseTerms,
    budget: Budget<'_>,
    mut point: SweepPoint,
) -> Result<SolvedPoint<N>, Failure> {
    let setup = &task.setup;
    let (instances, blocks) = instances(setup, &terms.knows)?;
    check_instance_limit(instances.len(), task.instances, ONE)?;
    let kinds: std::collections::HashSet<usize> = blocks.iter().copied().collect();
    if let Some(terms) = &mut point.knowing {
        terms.blocks = kinds.len();
    }
    let instances: Vec<(N, Instance)> = instances
        .into_iter()
        .map(|(share, instance)| (N::from_exact(&share), instance))
        .collect();
    let seat = KnowingSeat {
        seat: terms.seat,
        blocks,
        queries: terms.queries,
        answers: terms.answers,
    };
    let solved = solver
        .solve_knowing(&instances, &seat, budget)
        .map_err(|error| unsolved(&error, None))?;
    // The strategy is the best over all of a block; what is told is of those that were asked for.
    let asked: Vec<usize> = task.worlds.iter().map(|(_, world)| *world).collect();
    let each = instances.into_iter().zip(solved);
    let each: Vec<_> = each
        .filter(|((_, instance), _)| !task.asks_one || asked.contains(&instance.world()))
        .collect();
    let total = each
        .iter()
        .fold(N::zero(), |sum, ((share, _), _)| sum + share.clone());
    let names: Vec<String> = each
        .iter()
        .map(|((_, instance), _)| instance.name().to_owned())
        .collect();
    let solutions: Vec<_> = each
        .into_iter()
        .map(|((share, _), solution)| (share / total.clone(), solution))
        .collect();
    let mean = average_over_instances(&solutions)
        .ok_or_else(|| Failure::input("there is no instance to solve"))?;
    let solutions = solutions.into_iter().map(|(_, solution)| solution);
    Ok(SolvedPoint {
        point,
        instances: names.into_iter().zip(solutions).collect(),
        mean,
        judge_errors: None,
        soundness: None,
    })
}

/// All instances with their shares, and the block of each.
pub(super) fn instances(
    setup: &Setup,
    knows: &Knowledge,
) -> Result<(WeightedInstances, Vec<usize>), Failure> {
    let problem = setup.decomposition.as_ref();
    if problem.worlds().len() == 1 && *knows != Knowledge::Everything {
        // Of a single instance whose truths are hard to find somebody may think several possible.
        let believed = setup.instance(0).believed(MAX_BELIEVED);
        let believed = believed.filter(|believed| believed.len() > 1);
        if let Some(believed) = believed {
            let blocks = vec![0; believed.len()];
            return Ok((believed, blocks));
        }
    }
    let blocks = knows.blocks(problem).map_err(Failure::input)?;
    let all = worlds(setup, Some("all"))?.into_iter();
    let instances = all.map(|(share, world)| (share, setup.instance(world)));
    Ok((instances.collect(), blocks.to_vec()))
}

/// What was compared with what, in a paragraph.
pub(super) fn told(terms: &BestResponseTerms, grid: &[String]) -> String {
    let (who, other) = match terms.seat {
        Seat::Prover => ("Alice", "Bob"),
        _ => ("Bob", "Alice"),
    };
    let she = if terms.seat == Seat::Prover {
        "she"
    } else {
        "he"
    };
    let mut parts = vec![format!(
        "{who} replies as is best against these players, whom {she} knows, for anybody who knows of \
         the instance: {}",
        terms.knows
    )];
    parts.push(match terms.blocks {
        1 => " (all instances look the same)".to_owned(),
        blocks => format!(" ({blocks} blocks of instances that look the same within)"),
    });
    if terms.queries > 0 {
        let most = counted(terms.queries, "leaf", "leaves");
        parts.push(format!(", and looks up at most {most} in a debate"));
    }
    if let Some(answer) = terms.answers {
        parts.push(format!(", and answers {answer}"));
    }
    parts.push(format!(
        ". {other} is who is named above, and no other {other}."
    ));
    if terms.seat == Seat::Opponent && !grid.is_empty() {
        parts.push(format!(
            " Probabilities are the best of {}: {}; what lies between may leave her less still.",
            grid.len(),
            grid.join(", ")
        ));
    }
    parts.concat()
}
