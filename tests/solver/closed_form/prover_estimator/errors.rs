//! The least payoff with limited errors, against a walk over every estimate that does not share any positions.

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _, power};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::{ClaimId, Instance};
use debate_solver::closed_form::prover_estimator::errors::{AllowedEstimateErrors, least_payoff};
use debate_solver::setup::LoadedScenario;
use num_traits::{One as _, Zero as _};

use super::{Node, build, exact, setup};

/// The walk: honest Alice of Lemma A.5, written down from the paper.
struct Walk<'w> {
    instance: &'w Instance,
    grid: &'w [Exact],
    rule: &'w AllowedEstimateErrors<Exact>,
    epsilon: Exact,
    ratio: Exact,
}

impl Walk<'_> {
    fn truth(&self, claim: ClaimId) -> bool {
        self.instance.truth(claim).unwrap()
    }

    fn error(&self, claim: ClaimId, p: &Exact) -> Exact {
        if self.truth(claim) {
            Exact::one() - p
        } else {
            p.clone()
        }
    }

    fn allowed(&self, claim: ClaimId) -> Vec<Exact> {
        let fits = |p: &&Exact| match self.rule {
            AllowedEstimateErrors::Any => true,
            AllowedEstimateErrors::AtMost(limit) => self.error(claim, p) <= *limit,
            AllowedEstimateErrors::Exactly(limit) => self.error(claim, p) == *limit,
        };
        self.grid.iter().filter(fits).cloned().collect()
    }

    fn root(&self) -> Exact {
        let root = self.instance.root();
        let depth = self.instance.size().depth;
        let each = self.allowed(root).into_iter().map(|p| {
            let error = self.error(root, &p);
            let first = power(&self.ratio, depth + 1) * (Exact::one() - &error);
            if error > self.epsilon {
                first + self.round(root, depth, &p)
            } else {
                first
            }
        });
        each.min().unwrap()
    }

    /// Returns the payoff from the round about a claim with estimate p.
    fn round(&self, claim: ClaimId, k: u32, p: &Exact) -> Exact {
        let bet = match (self.error(claim, p) > self.epsilon, self.truth(claim)) {
            (false, _) => Exact::zero(),
            (true, true) => Exact::one(),
            (true, false) => -Exact::one(),
        };
        let Some(support) = self.instance.supports(claim).first() else {
            return bet * (Exact::indicator(self.truth(claim)) - p);
        };
        let stake = bet * power(&self.ratio, k);
        self.estimates(
            &support.on,
            &mut Vec::new(),
            &mut Vec::new(),
            &|coins, given| {
                let gate = support.gate.value_for_outcomes(coins.iter().copied());
                let errors = support
                    .on
                    .iter()
                    .zip(given)
                    .map(|(on, p)| self.error(*on, p));
                let mut chosen = 0;
                let mut most = -Exact::one();
                for (index, error) in errors.enumerate() {
                    if error > most {
                        (chosen, most) = (index, error);
                    }
                }
                let after = self.round(support.on[chosen], k - 1, &given[chosen]);
                &stake * (Exact::indicator(gate) - p) + after
            },
        )
    }

    fn estimates(
        &self,
        on: &[ClaimId],
        coins: &mut Vec<bool>,
        given: &mut Vec<Exact>,
        end: &dyn Fn(&[bool], &[Exact]) -> Exact,
    ) -> Exact {
        let Some(claim) = on.get(coins.len()) else {
            return end(coins, given);
        };
        let mut least: Option<Exact> = None;
        for p in self.allowed(*claim) {
            given.push(p.clone());
            let mut mean = Exact::zero();
            for (coin, chance) in [(true, p.clone()), (false, Exact::one() - &p)] {
                if chance.is_zero() {
                    continue;
                }
                coins.push(coin);
                mean += chance * self.estimates(on, coins, given, end);
                coins.pop();
            }
            given.pop();
            least = Some(least.map_or_else(|| mean.clone(), |least| least.min(mean.clone())));
        }
        least.unwrap()
    }
}

fn both(setup: &LoadedScenario, grid: &[Exact], rule: &AllowedEstimateErrors<Exact>) -> [Exact; 2] {
    let instance = setup.instance(0);
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        panic!("another protocol");
    };
    let prover = build(setup, "honest", Seat::Prover, &instance);
    let judge = build(setup, "oracle", Seat::Judge, &instance);
    let players = [&*prover, &*judge];
    let budget = ComputationBudget::default();
    let found = least_payoff(players, &instance, parameters, grid, rule.clone(), budget);
    let walk = Walk {
        instance: &instance,
        grid,
        rule,
        epsilon: parameters.epsilon.0.clone(),
        ratio: parameters.weight_ratio_to_next_round(),
    };
    [found.unwrap().unwrap(), walk.root()]
}

#[test]
fn limited_errors_agree_with_a_walk_over_all_estimates() {
    let leaves = |truths: &[bool]| truths.iter().map(|truth| Node::Leaf(*truth)).collect();
    let pair = |kind| Node::Inner(kind, leaves(&[true, false]));
    let roots = [
        Node::Inner(0, leaves(&[true, true, true])),
        Node::Inner(2, leaves(&[true, true, false])),
        Node::Inner(3, leaves(&[true, false])),
        Node::Inner(0, vec![pair(1), Node::Leaf(true)]),
        Node::Inner(1, vec![pair(0), pair(3)]),
    ];
    let grid = ["0", "1/5", "1/4", "3/4", "4/5", "1"].map(exact);
    let rules = [
        AllowedEstimateErrors::Any,
        AllowedEstimateErrors::AtMost(exact("1/4")),
        AllowedEstimateErrors::AtMost(exact("1/5")),
        AllowedEstimateErrors::Exactly(exact("1/4")),
        AllowedEstimateErrors::Exactly(exact("4/5")),
    ];
    let mut losses = 0;
    for root in roots {
        let setup = setup(&root, "");
        for rule in &rules {
            let [found, walked] = both(&setup, &grid, rule);
            assert_eq!(found, walked, "{root:?} {rule:?}");
            losses += usize::from(found < Exact::zero());
        }
    }
    assert!(losses > 5, "only {losses} cases lose");
}

#[test]
fn an_error_that_no_estimate_has_is_refused() {
    let setup = setup(&Node::Inner(0, vec![Node::Leaf(true)]), "");
    let instance = setup.instance(0);
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        panic!("another protocol");
    };
    let prover = build(&setup, "honest", Seat::Prover, &instance);
    let judge = build(&setup, "oracle", Seat::Judge, &instance);
    let rule = AllowedEstimateErrors::Exactly(exact("1/3"));
    let grid = [exact("0"), exact("1")];
    let players = [&*prover, &*judge];
    let found = least_payoff(
        players,
        &instance,
        parameters,
        &grid,
        rule,
        ComputationBudget::default(),
    );
    found.unwrap().unwrap_err();
}
