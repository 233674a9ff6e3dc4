mod game;
mod rounding;
mod stochastic;
mod vectors;
mod warrants;
mod worked;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number, parse};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::Protocol;
use debate_solver::analysis::{DebateSolution, DebateSolutionInputs, average_over_instances};
use debate_solver::setup::LoadedScenario;

fn exact(text: &str) -> Exact {
    parse(text).unwrap()
}

fn players(prover: &str, opponent: &str, judge: &str) -> [PlayerSpec; 3] {
    [prover, opponent, judge].map(|name| PlayerSpec::parse(name).unwrap())
}

/// The mean over μ of a scenario's expected payoff under some rules.
fn mean<N: Number>(
    setup: &LoadedScenario,
    protocol: &Protocol,
    names: [&str; 3],
    grid: &[N],
) -> DebateSolution<N> {
    let registry = StrategyRegistry::<N>::registry_with_builtin_players();
    let [prover, opponent, judge] = names;
    let case = DebateSolutionInputs {
        registry: &registry,
        protocol,
        players: &players(prover, opponent, judge),
        grid,
    };
    let worlds = setup.decomposition.worlds();
    let total: Exact = worlds.iter().map(|world| &world.weight).sum();
    let each: Vec<_> = (0..worlds.len())
        .map(|world| {
            let solved = case.solve(&setup.instance(world), ComputationBudget::default());
            let share = N::from_exact(&(&worlds[world].weight / &total));
            (share, solved.unwrap())
        })
        .collect();
    average_over_instances(&each).unwrap()
}

fn value(setup: &LoadedScenario, names: [&str; 3]) -> Exact {
    mean::<Exact>(setup, &setup.protocol, names, &[])
        .expected
        .expected_payoff()
}
