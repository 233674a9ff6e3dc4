mod optimal;

use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _, parse};
use debate_core::player::{Registry, Spec};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_solver::analysis::equilibrium::{Equilibrium, PayoffTable};
use debate_solver::setup::{Limits, Setup};

fn specs(names: &[&str]) -> Vec<Spec> {
    names
        .iter()
        .map(|name| Spec::parse(name).unwrap())
        .collect()
}

fn filled(name: &str, provers: &[&str], opponents: &[&str]) -> (Setup, Equilibrium<Exact>) {
    let setup = Setup::bundled(name, &Limits::default()).unwrap();
    let worlds = setup.decomposition.worlds();
    let all: Exact = worlds.iter().map(|world| &world.weight).sum();
    let instances: Vec<(Exact, Instance)> = worlds
        .iter()
        .enumerate()
        .map(|(number, world)| (&world.weight / &all, setup.instance(number)))
        .collect();
    let registry = Registry::builtin();
    let table = PayoffTable {
        registry: &registry,
        protocol: &setup.protocol,
        judge: &Spec::named("oracle"),
        instances: &instances,
        grid: &[],
    };
    let budget = Budget {
        steps: 100_000,
        ..Budget::default()
    };
    let found = table.fill(&specs(provers), &specs(opponents), budget);
    (setup.clone(), found.unwrap())
}

/// On a stable decomposition the honest prover leads, and answers truly; what it keeps is the bound
/// of Lemma A.5 at least.
#[test]
fn honesty_leads_where_it_is_stable() {
    let provers = ["honest", "contrarian", "liar", "exploiter"];
    let opponents = ["truthful", "shifted(0.25)", "stubborn(0.5)", "drifting"];
    let (setup, found) = filled("primes-stable", &provers, &opponents);
    let leader = found.leader().unwrap();
    assert_eq!(found.provers[leader].name, "honest");
    assert_eq!(found.answer_correct[leader], Some(Exact::ratio(1, 1)));
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        panic!("{}", setup.protocol);
    };
    let depth = setup.decomposition.size(0).depth;
    let bound = debate_core::scenario::stability::completeness(
        &parameters.epsilon.0,
        &parameters.ratio(),
        depth,
    );
    // Tight: reached where the root's estimate is off by ε.
    assert_eq!(found.guaranteed(leader), Some(&bound));
    let reply = found.best_reply(leader).unwrap();
    assert_eq!(found.opponents[reply].to_string(), "shifted(0.25)");
}

/// Against `bayes` alone the one who looks at nothing leads with one half; with `marginal` beside
/// it is left r²/4, and honesty keeps more.
#[test]
fn a_liar_leads_until_the_opponent_has_the_right_reply() {
    let (_, alone) = filled("hidden-flaw", &["honest", "exploiter"], &["bayes"]);
    let leader = alone.leader().unwrap();
    assert_eq!(alone.provers[leader].name, "exploiter");
    assert_eq!(alone.payoff[leader], [Exact::ratio(1, 2)]);
    assert_eq!(alone.answer_correct[leader], Some(Exact::ratio(0, 1)));
    let (_, both) = filled(
        "hidden-flaw",
        &["honest", "exploiter"],
        &["bayes", "marginal"],
    );
    assert_eq!(both.payoff[1][1], parse("1/4096").unwrap());
    assert_eq!(both.best_reply(1), Some(1));
    assert_eq!(both.provers[both.leader().unwrap()].name, "honest");
}

#[test]
fn who_has_no_exact_value_is_left_out() {
    let (_, found) = filled("hidden-flaw", &["honest", "nobody"], &["bayes", "nobody"]);
    let left: Vec<(Seat, &str)> = found
        .left_out
        .iter()
        .map(|left| (left.seat, left.player.name.as_str()))
        .collect();
    assert_eq!(left.len(), 2);
    assert!(left.contains(&(Seat::Prover, "nobody")) && left.contains(&(Seat::Opponent, "nobody")));
    assert!(
        found
            .left_out
            .iter()
            .all(|left| left.reason.contains("nobody"))
    );
    assert_eq!((found.provers.len(), found.opponents.len()), (1, 1));
}
