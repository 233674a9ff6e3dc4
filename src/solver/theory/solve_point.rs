//! Points of `solve`, each solved over the instances of a scenario.

use std::collections::HashSet;

use thiserror::Error;

use super::{BestResponseTerms, JudgeErrors, JudgedDebate, SolvedPoint, Soundness, SweepPoint};
use crate::analysis::{DebateSolver, KnowingSeat, Solution, SolveError, average_over_instances};
use crate::setup::Setup;
use debate_core::budget::{Budget, Exceeded};
use debate_core::number::{Exact, Number};
use debate_core::player::{Knowledge, KnowledgeError, Registry};
use debate_core::protocol::Seat;
use debate_core::scenario::Instance;

/// The most instances that somebody may think possible of a single one.
const MAX_BELIEVED: usize = 2000;

/// Instances with their shares.
type WeightedInstances = Vec<(Exact, Instance)>;

/// The name of an instance, with its share and its solution.
type SolvedInstance<N> = (String, (N, Solution<N>));

/// Solves points of a scenario.
#[derive(Clone, Copy)]
pub struct PointSolver<'s> {
    pub setup: &'s Setup,
    /// The worlds, each with its share.
    pub worlds: &'s [(Exact, usize)],
    /// Whether one instance was asked for by name.
    pub asks_one: bool,
    /// The replies that are played through for one instance.
    pub budget: Budget<'s>,
    /// The instances, as steps.
    pub instances: Budget<'s>,
    /// Whether to find how wrong the judge may be.
    pub judge_errors: bool,
    /// Whether to set what is kept beside what soundness promises.
    pub soundness: bool,
    /// Told the number of each instance before it is solved, from 1 on.
    pub begin: &'s dyn Fn(usize),
}

/// Why a point has no value.
#[derive(Debug, Error)]
pub enum PointError {
    /// Of one of several instances.
    #[error("instance {instance}: {error}")]
    Instance { instance: String, error: SolveError },
    #[error("{0}")]
    Unsolved(#[from] SolveError),
    #[error("{0}")]
    TooManyInstances(Exceeded),
    #[error("{0}")]
    Knowledge(#[from] KnowledgeError),
    #[error("there is no instance to solve")]
    NoInstance,
}

impl PointError {
    /// Why the debate has no value.
    pub fn cause(&self) -> Option<&SolveError> {
        match self {
            Self::Instance { error, .. } | Self::Unsolved(error) => Some(error),
            Self::TooManyInstances(_) | Self::Knowledge(_) | Self::NoInstance => None,
        }
    }
}

impl PointSolver<'_> {
    /// Solves one point. `delta`: δ of the soundness proof, where it is not PE Theorem 6.2's.
    ///
    /// # Errors
    /// If it has no value, or there are too many instances.
    pub fn solve<N: Number>(
        &self,
        registry: &Registry<N>,
        mut point: SweepPoint,
        delta: Option<&Exact>,
    ) -> Result<SolvedPoint<N>, PointError> {
        let exact = crate::registry::<Exact>().with(self.setup.player_files());
        let judge_errors = self.judge_errors.then(|| self.judge_errors(&exact, &point));
        let soundness = self
            .soundness
            .then(|| self.soundness(&exact, &point, delta));
        let (judge_errors, soundness) = (judge_errors.transpose()?, soundness.transpose()?);
        let grid: Vec<N> = point.grid.iter().map(N::from_exact).collect();
        let players = point.players.clone();
        let protocol = point.protocol.clone();
        let solver = DebateSolver {
            registry,
            protocol: &protocol,
            players: &players,
            grid: &grid,
        };
        let solved = match &mut point.knowing {
            Some(terms) => self.solve_knowing(&solver, terms)?,
            None => self.solve_each(&solver)?,
        };
        let (names, solutions): (Vec<_>, Vec<_>) = solved.into_iter().unzip();
        let mean = average_over_instances(&solutions).ok_or(PointError::NoInstance)?;
        let each = names.into_iter().zip(solutions);
        Ok(SolvedPoint {
            point,
            instances: each.map(|(name, (_, solution))| (name, solution)).collect(),
            mean,
            judge_errors,
            soundness,
        })
    }

    /// Each instance by itself, with its name and its share.
    fn solve_each<N: Number>(
        &self,
        solver: &DebateSolver<'_, N>,
    ) -> Result<Vec<SolvedInstance<N>>, PointError> {
        let several = self.worlds.len() > 1;
        let worlds = self.worlds.iter().zip(1..);
        let solve = |((share, world), number): (&(Exact, usize), usize)| {
            (self.begin)(number);
            let instance = self.setup.instance(*world);
            let name = instance.name().to_owned();
            match solver.solve(&instance, self.budget) {
                Ok(solution) => Ok((name, (N::from_exact(share), solution))),
                Err(error) if several => Err(PointError::Instance {
                    instance: name,
                    error,
                }),
                Err(error) => Err(error.into()),
            }
        };
        worlds.map(solve).collect()
    }

    /// All instances at once: what is best in one block of instances is one strategy.
    fn solve_knowing<N: Number>(
        &self,
        solver: &DebateSolver<'_, N>,
        terms: &mut BestResponseTerms,
    ) -> Result<Vec<SolvedInstance<N>>, PointError> {
        let (instances, blocks) = self.instances(&terms.knows)?;
        let count = instances.len() as u64;
        let limited = self.instances.taken(count, "instances");
        limited.map_err(PointError::TooManyInstances)?;
        terms.blocks = blocks.iter().collect::<HashSet<_>>().len();
        let weighted = instances.into_iter();
        let instances: Vec<(N, Instance)> = weighted
            .map(|(share, instance)| (N::from_exact(&share), instance))
            .collect();
        let seat = KnowingSeat {
            seat: terms.seat,
            blocks,
            queries: terms.queries,
            answers: terms.answers,
        };
        let solutions = solver.solve_knowing(&instances, &seat, self.budget)?;
        // The strategy is the best over all of a block; the report is of those that were asked for.
        let asked: HashSet<usize> = self.worlds.iter().map(|(_, world)| *world).collect();
        let solved: Vec<_> = (instances.into_iter().zip(solutions))
            .filter(|((_, instance), _)| !self.asks_one || asked.contains(&instance.world()))
            .collect();
        let shares = solved.iter().map(|((share, _), _)| share.clone());
        let total = shares.fold(N::zero(), |sum, share| sum + share);
        let named = solved.into_iter().map(|((share, instance), solution)| {
            let name = instance.name().to_owned();
            (name, (share / total.clone(), solution))
        });
        Ok(named.collect())
    }

    /// How wrong the judge may be between the players of a point.
    fn judge_errors(
        &self,
        registry: &Registry<Exact>,
        point: &SweepPoint,
    ) -> Result<JudgeErrors, PointError> {
        let debate = JudgedDebate {
            registry,
            protocol: &point.protocol,
            players: &point.players,
            instances: &self.asked_instances(),
        };
        Ok(debate.errors(self.budget)?)
    }

    /// What every step of the soundness proof accounts for between the players of a point.
    fn soundness(
        &self,
        registry: &Registry<Exact>,
        point: &SweepPoint,
        delta: Option<&Exact>,
    ) -> Result<Soundness, PointError> {
        let solver = DebateSolver {
            registry,
            protocol: &point.protocol,
            players: &point.players,
            grid: &point.grid,
        };
        let terms = point.knowing.as_ref();
        let (instances, blocks) = match terms {
            Some(terms) => self.instances(&terms.knows)?,
            None => (self.asked_instances(), (0..self.worlds.len()).collect()),
        };
        let seat = KnowingSeat {
            seat: point.best_response().unwrap_or(Seat::Prover),
            blocks,
            queries: terms.map_or(0, |terms| terms.queries),
            answers: terms.and_then(|terms| terms.answers),
        };
        Ok(solver.soundness(&instances, &seat, delta, self.budget)?)
    }

    fn asked_instances(&self) -> WeightedInstances {
        let worlds = self.worlds.iter();
        let instances = worlds.map(|(share, world)| (share.clone(), self.setup.instance(*world)));
        instances.collect()
    }

    /// All instances with their shares, and the block of each.
    fn instances(&self, knows: &Knowledge) -> Result<(WeightedInstances, Vec<usize>), PointError> {
        let setup = self.setup;
        let problem = setup.decomposition.as_ref();
        if problem.worlds().len() == 1 && *knows != Knowledge::Everything {
            // Of a single instance whose truths are hard to find somebody may think several possible.
            let believed = setup.instance(0).believed(MAX_BELIEVED);
            if let Some(several) = believed.filter(|instances| instances.len() > 1) {
                let blocks = vec![0; several.len()];
                return Ok((several, blocks));
            }
        }
        let blocks = knows.blocks(problem)?;
        let all = setup.all_worlds().into_iter();
        let instances = all.map(|(share, world)| (share, setup.instance(world)));
        Ok((instances.collect(), blocks.to_vec()))
    }
}
