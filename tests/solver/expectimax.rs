mod half_coins;
mod normal_form;

use std::sync::atomic::AtomicBool;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number, parse};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;
use debate_solver::expectation::{ExpectedRewardsAndExpenses, PayoffNotComputedReason};
use debate_solver::expectimax::{ExhaustiveExpectimax, SeatDecisionMaker};
use debate_solver::setup::LoadedScenario;

use crate::support::scenarios::{ALL_OF_THREE, examples, setup};

struct Table<'a> {
    instance: &'a Instance,
    protocol: Protocol,
}

impl<'a> Table<'a> {
    fn of(setup: &LoadedScenario, instance: &'a Instance) -> Self {
        Self {
            instance,
            protocol: setup.protocol.clone(),
        }
    }

    fn built<N: Number>(
        &self,
        name: &str,
        seat: Seat,
    ) -> debate_core::player::PlayableStrategy<'a, N> {
        let spec = PlayerSpec::parse(name).unwrap();
        let registry = StrategyRegistry::registry_with_builtin_players();
        registry
            .build(&spec, seat, self.instance, &self.protocol)
            .unwrap()
    }

    fn value<N: Number>(
        &self,
        prover: &str,
        opponent: &str,
        plain: bool,
    ) -> ExpectedRewardsAndExpenses<N> {
        let players = [
            self.built::<N>(prover, Seat::Prover),
            self.built(opponent, Seat::Opponent),
            self.built("oracle", Seat::Judge),
        ];
        let start = self.protocol.start::<N>(self.instance).unwrap();
        let actors = players
            .each_ref()
            .map(|player| SeatDecisionMaker::Plays(&**player));
        let mut walk = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default());
        if plain {
            walk = walk.follow_each_coin_separately();
        }
        walk.expectation_from_state(start).unwrap()
    }
}

#[test]
fn counting_is_walking_for_every_pair_of_players() {
    let setup = setup(ALL_OF_THREE);
    let instance = setup.instance(0);
    let table = Table::of(&setup, &instance);
    let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
    let names = |seat| examples(&registry, seat, setup.protocol.kind());
    for prover in names(Seat::Prover) {
        for opponent in names(Seat::Opponent) {
            if opponent == "random" {
                // Eleven replies for each of many estimates are too many to walk exactly.
                continue;
            }
            let counted = table.value::<Exact>(&prover, &opponent, false);
            let walked = table.value::<Exact>(&prover, &opponent, true);
            assert_eq!(counted, walked, "{prover} against {opponent}");
            let float = table
                .value::<f64>(&prover, &opponent, false)
                .expected_payoff();
            assert!((float - counted.expected_payoff().to_float()).abs() < 1e-12);
        }
    }
}

#[test]
fn the_best_replies_are_no_worse_than_any() {
    let setup = setup(ALL_OF_THREE);
    let instance = setup.instance(0);
    let table = Table::of(&setup, &instance);
    let start = table.protocol.start::<Exact>(&instance).unwrap();
    let judge = table.built::<Exact>("oracle", Seat::Judge);
    for opponent in ["calibrated", "stubborn(0.5)", "truthful"] {
        let built = table.built::<Exact>(opponent, Seat::Opponent);
        let actors = [
            SeatDecisionMaker::BestResponse,
            SeatDecisionMaker::Plays(&*built),
            SeatDecisionMaker::Plays(&*judge),
        ];
        let best = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default())
            .expectation_from_state(start.clone())
            .unwrap();
        for prover in ["honest", "contrarian", "liar", "obfuscator", "lazy"] {
            let other = table.value::<Exact>(prover, opponent, false);
            assert!(
                best.expected_payoff() >= other.expected_payoff(),
                "{prover} against {opponent}"
            );
        }
    }
    let grid: Vec<Exact> = ["0", "0.1", "0.5", "0.9", "1"]
        .map(|p| parse(p).unwrap())
        .into();
    let honest = table.built::<Exact>("honest", Seat::Prover);
    let actors = [
        SeatDecisionMaker::Plays(&*honest),
        SeatDecisionMaker::BestResponse,
        SeatDecisionMaker::Plays(&*judge),
    ];
    let worst = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default())
        .with_probability_grid(grid)
        .expectation_from_state(start.clone())
        .unwrap();
    for p in ["0", "0.1", "0.5", "0.9", "1"] {
        let other = table.value::<Exact>("honest", &format!("stubborn({p})"), false);
        assert!(worst.expected_payoff() <= other.expected_payoff());
    }
}

#[test]
fn a_prover_that_hides_a_draw_has_no_best_reply() {
    let setup = setup(ALL_OF_THREE);
    let instance = setup.instance(0);
    let table = Table::of(&setup, &instance);
    let start = table.protocol.start::<f64>(&instance).unwrap();
    let random = table.built::<f64>("random", Seat::Prover);
    let judge = table.built::<f64>("oracle", Seat::Judge);
    let actors = [
        SeatDecisionMaker::Plays(&*random),
        SeatDecisionMaker::BestResponse,
        SeatDecisionMaker::Plays(&*judge),
    ];
    let found = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default())
        .with_probability_grid(vec![0.0, 1.0])
        .expectation_from_state(start);
    assert_eq!(found, Err(PayoffNotComputedReason::Hidden(Seat::Prover)));
}

#[test]
fn too_much_is_refused_and_cancelled() {
    let setup = setup(ALL_OF_THREE);
    let instance = setup.instance(0);
    let table = Table::of(&setup, &instance);
    let start = table.protocol.start::<f64>(&instance).unwrap();
    let players = [
        table.built::<f64>("random", Seat::Prover),
        table.built("bayes", Seat::Opponent),
        table.built("oracle", Seat::Judge),
    ];
    let actors = || {
        players
            .each_ref()
            .map(|player| SeatDecisionMaker::Plays(&**player))
    };
    let few = ComputationBudget {
        steps: 20,
        ..ComputationBudget::default()
    };
    let found =
        ExhaustiveExpectimax::new(&start, actors(), few).expectation_from_state(start.clone());
    let refused = found.unwrap_err().to_string();
    assert_eq!(refused, "the computation takes more than 20 replies");
    let stop = AtomicBool::new(true);
    let stopped = ComputationBudget {
        stop: Some(&stop),
        ..ComputationBudget::default()
    };
    let found =
        ExhaustiveExpectimax::new(&start, actors(), stopped).expectation_from_state(start.clone());
    assert_eq!(found, Err(PayoffNotComputedReason::STOPPED));
}
