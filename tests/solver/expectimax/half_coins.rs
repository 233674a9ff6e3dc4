use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::stochastic::{
    StochasticDebatePolicy, StochasticDebatePolicyAdapter, StochasticView,
};
use debate_core::player::{
    PlayerSpec, PolicyAsStrategy, ReplyDistribution, Strategy, StrategyMemoryAndCosts,
    StrategyRegistry, half,
};
use debate_core::protocol::{Reply, Seat, StochasticDebate};
use debate_solver::expectation::ExpectedRewardsAndExpenses;
use debate_solver::expectimax::{ExhaustiveExpectimax, SeatDecisionMaker};

use crate::support::scenarios::setup;

/// A scenario with one question, and its answer.
const ASKED: &str = r#"Scenario(
    format: 1, title: "Asked",
    problem: Plan(steps: [
        Step(id: "a", ask: "Yes?", judged_true: "1/2"),
        Step(id: "b", text: "a said yes", compute: All, on: ["a"]),
    ]),
    protocol: Stochastic(k: 1, constants: Paper),
)"#;

/// A player that states a number and gives a half of a coin by a rule.
struct Giving {
    said: Exact,
    half: Half,
}

/// A rule for the half of a coin.
enum Half {
    /// A fixed number.
    Known(Exact),
    /// One of n equally likely halves, as a choice that can be counted.
    Counted(u64),
    /// The same n halves as a list.
    Listed(u32),
}

impl StochasticDebatePolicy<Exact> for Giving {
    fn say(
        &self,
        _view: StochasticView<'_, '_, Exact>,
        _state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        Some(ReplyDistribution::Certain(Reply::Probability(
            self.said.clone(),
        )))
    }

    fn share(&self) -> Option<ReplyDistribution<Exact>> {
        Some(match &self.half {
            Half::Known(half) => ReplyDistribution::Certain(Reply::Probability(half.clone())),
            Half::Counted(parts) => ReplyDistribution::Share { parts: *parts },
            Half::Listed(parts) => {
                let share = Exact::ratio(1, i64::from(*parts));
                let each = (0..*parts).map(|place| {
                    let half = half(place.into(), (*parts).into());
                    (share.clone(), Reply::Probability(half))
                });
                ReplyDistribution::Weighted(each.collect())
            }
        })
    }

    fn challenge(
        &self,
        _view: StochasticView<'_, '_, Exact>,
        _state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<Exact>> {
        Some(ReplyDistribution::Certain(Reply::Challenge(None)))
    }
}

#[test]
fn halves_are_counted_as_if_each_were_tried() {
    let setup = setup(ASKED);
    let instance = setup.instance(0);
    let judge = StrategyRegistry::registry_with_builtin_players().build(
        &PlayerSpec::without_arguments("oracle"),
        Seat::Judge,
        &instance,
        &setup.protocol,
    );
    let judge = judge.unwrap();
    let start = setup.protocol.start::<Exact>(&instance).unwrap();
    let value = |said: &Exact, halves: [Half; 2]| -> ExpectedRewardsAndExpenses<Exact> {
        let [alice, bob] = halves.map(|half| {
            let said = said.clone();
            PolicyAsStrategy::<_, StochasticDebate<'_, Exact>>::new(StochasticDebatePolicyAdapter(
                Giving { said, half },
            ))
        });
        let actors =
            [&alice as &dyn Strategy<'_, Exact>, &bob, &*judge].map(SeatDecisionMaker::Plays);
        let mut walk = ExhaustiveExpectimax::new(&start, actors, ComputationBudget::default());
        walk.expectation_from_state(start.clone()).unwrap()
    };
    let ratio = Exact::ratio;
    for (said, first) in [
        (ratio(1, 2), ratio(0, 1)),
        (ratio(1, 2), ratio(1, 3)),
        (ratio(7, 8), ratio(3, 10)),
        (ratio(1, 3), ratio(1, 1)),
        (ratio(0, 1), ratio(1, 4)),
        (ratio(1, 1), ratio(3, 4)),
    ] {
        for parts in [1, 2, 7, 16] {
            let counted = value(
                &said,
                [Half::Counted(parts.into()), Half::Known(first.clone())],
            );
            let tried = value(&said, [Half::Listed(parts), Half::Known(first.clone())]);
            assert_eq!(counted, tried, "{said} {first} {parts}");
            let counted = value(
                &said,
                [Half::Counted(parts.into()), Half::Counted(parts.into())],
            );
            let tried = value(&said, [Half::Listed(parts), Half::Listed(parts)]);
            assert_eq!(counted, tried, "{said} {parts}");
        }
    }
}
