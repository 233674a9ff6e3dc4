//! The value of the game under optimal play with full information: Alice chooses her claims, bets and selections, Bob
//! the numbers of a grid.

use std::collections::HashMap;

use debate_core::gate::{Gate, GateEvaluationState};
use debate_core::number::{Exact, Number as _, power};
use debate_core::protocol::prover_estimator::EarlyLeafWeight;
use debate_core::protocol::{Bet, ChanceDraw, Protocol, Reply, Request, Rules as _, Seat, State};
use debate_core::scenario::{ClaimId, Instance};
use debate_solver::setup::LoadedScenario;
use num_traits::{One as _, Signed as _, Zero as _};

use super::exact;
use crate::support::scenarios::setup;

/// A game with the known values of positions where histories meet.
struct Game<'g> {
    instance: &'g Instance,
    grid: &'g [Exact],
    known: HashMap<Vec<u64>, Exact>,
}

impl Game<'_> {
    fn value(&mut self, state: &State<'_, Exact>) -> Exact {
        let mut marks = Vec::new();
        let meets = state.state_key(&mut marks);
        // Payments so far are not part of the shared value.
        if let Some(rest) = self.known.get(&marks).filter(|_| meets) {
            return state.payoff() + rest;
        }
        let found = self.fresh(state);
        if meets {
            self.known.insert(marks, &found - state.payoff());
        }
        found
    }

    fn after(&mut self, state: &State<'_, Exact>, reply: Reply<Exact>) -> Exact {
        let mut next = state.clone();
        next.reply(reply, &mut ()).unwrap();
        self.value(&next)
    }

    fn fresh(&mut self, state: &State<'_, Exact>) -> Exact {
        let Some(turn) = state.request() else {
            return state.payoff();
        };
        let replies: Vec<Reply<Exact>> = match turn.request {
            Request::Answer { .. } => [true, false].map(Reply::Answer).into(),
            Request::Direction { .. } => Bet::ALL.map(Reply::Direction).into(),
            Request::Support { offered, .. } => (0..offered).map(Reply::Support).collect(),
            Request::Select { count, .. } => (0..count).map(Reply::Select).collect(),
            Request::Probability { .. } => {
                self.grid.iter().cloned().map(Reply::Probability).collect()
            }
            Request::Oracle { claim, .. } => {
                let holds = self.instance.truth(claim).unwrap();
                let verdict = Reply::Oracle {
                    holds,
                    confidence: None,
                };
                return self.after(state, verdict);
            }
            Request::Draw {
                draw: ChanceDraw::Bernoulli(p),
                ..
            } => {
                let each = [(1, p.clone()), (0, Exact::one() - p)].into_iter();
                let possible = each.filter(|(_, chance)| !chance.is_zero());
                return possible
                    .map(|(bit, chance)| chance * self.after(state, Reply::Drawn(bit)))
                    .sum();
            }
            other => panic!("{other:?}"),
        };
        let values = replies.into_iter().map(|reply| self.after(state, reply));
        match turn.seat {
            Seat::Prover => values.max(),
            _ => values.min(),
        }
        .unwrap()
    }
}

/// The same by dynamic programming. The remaining value depends on the claim, its round and its probability; within a
/// round, on the coins and on the best subclaim so far.
struct Table<'g> {
    instance: &'g Instance,
    grid: &'g [Exact],
    weights: Vec<Exact>,
    jumps: bool,
    /// The value of a round beyond −A·w·p.
    rounds: HashMap<(ClaimId, u32, i8), Exact>,
}

impl Table<'_> {
    fn at(&mut self, claim: ClaimId, round: u32, p: &Exact) -> Exact {
        let is_leaf = self.instance.is_leaf(claim);
        let round = if is_leaf && self.jumps { 0 } else { round };
        let weight = self.weights[round as usize].clone();
        if is_leaf {
            let truth = Exact::indicator(self.instance.truth(claim).unwrap());
            return weight * (truth - p).abs();
        }
        let bets = [-1, 0, 1].map(|bet| {
            let stake = &weight * Exact::ratio(bet.into(), 1);
            self.round(claim, round, bet, &stake) - stake * p
        });
        bets.into_iter().max().unwrap()
    }

    fn round(&mut self, claim: ClaimId, round: u32, bet: i8, stake: &Exact) -> Exact {
        if let Some(known) = self.rounds.get(&(claim, round, bet)) {
            return known.clone();
        }
        let instance = self.instance;
        let supports = instance.supports(claim).iter();
        let found = supports.map(|support| {
            let words: Vec<_> = support
                .on
                .iter()
                .map(|y| {
                    let each = self
                        .grid
                        .iter()
                        .map(|p| (p.clone(), self.at(*y, round - 1, p)));
                    each.collect::<Vec<_>>()
                })
                .collect();
            least(
                &support.gate,
                &words,
                stake,
                GateEvaluationState::default(),
                None,
                &mut HashMap::new(),
            )
        });
        let found = found.max().unwrap();
        self.rounds.insert((claim, round, bet), found.clone());
        found
    }
}

/// The coins so far, and the best subclaim.
type Midway = (u32, usize, Option<Exact>);

fn least(
    gate: &Gate,
    words: &[Vec<(Exact, Exact)>],
    stake: &Exact,
    coins: GateEvaluationState,
    best: Option<Exact>,
    known: &mut HashMap<Midway, Exact>,
) -> Exact {
    let Some(next) = words.get(coins.seen as usize) else {
        let paid = if gate.value_of_tally(coins) {
            stake.clone()
        } else {
            Exact::zero()
        };
        return paid + best.unwrap();
    };
    let midway = (coins.seen, gate.tally_index(coins), best.clone());
    if let Some(known) = known.get(&midway) {
        return known.clone();
    }
    let mut values = Vec::new();
    for (p, worth) in next {
        let best = best
            .clone()
            .filter(|best| best > worth)
            .unwrap_or_else(|| worth.clone());
        let mut sum = Exact::zero();
        for (coin, chance) in [(true, p.clone()), (false, Exact::one() - p)] {
            if !chance.is_zero() {
                let coins = gate.tally_with_outcome(coins, coin);
                sum += chance * least(gate, words, stake, coins, Some(best.clone()), known);
            }
        }
        values.push(sum);
    }
    let found = values.into_iter().min().unwrap();
    known.insert(midway, found.clone());
    found
}

/// The value of the game on a scenario's first instance, by dynamic programming.
pub(super) fn game_value(setup: &LoadedScenario, grid: &[Exact]) -> Exact {
    let instance = setup.instance(0);
    let Protocol::ProverEstimator(parameters) = &setup.protocol else {
        panic!("another protocol");
    };
    let (ratio, depth) = (
        parameters.weight_ratio_to_next_round(),
        instance.size().depth,
    );
    let mut table = Table {
        instance: &instance,
        grid,
        weights: (0..=depth + 1).map(|k| power(&ratio, k)).collect(),
        jumps: parameters.early_leaf == EarlyLeafWeight::Jump,
        rounds: HashMap::new(),
    };
    let first = table.weights[depth as usize + 1].clone();
    let after: Vec<Exact> = grid
        .iter()
        .map(|p| table.at(instance.root(), depth, p))
        .collect();
    let answers = [true, false].map(|answer| {
        let each = grid.iter().zip(&after).map(|(p, rest)| {
            let agrees = if answer { p.clone() } else { Exact::one() - p };
            &first * agrees + rest
        });
        each.min().unwrap()
    });
    answers.into_iter().max().unwrap()
}

/// The value of the game on a scenario's first instance, by trying all replies.
fn played(setup: &LoadedScenario, grid: &[Exact]) -> Exact {
    let instance = setup.instance(0);
    let start = setup.protocol.start::<Exact>(&instance).unwrap();
    let mut game = Game {
        instance: &instance,
        grid,
        known: HashMap::new(),
    };
    game.value(&start)
}

fn tree(claims: &str, rules: &str) -> LoadedScenario {
    setup(&format!(
        "Scenario(format: 1, title: \"Tree\", problem: Argument(root: \"r\", claims: {{ {claims}
            \"t\": Claim(text: \"T.\", truth: true), \"f\": Claim(text: \"F.\", truth: false),
            \"g\": Claim(text: \"G.\", truth: false) }}),
          protocol: ProverEstimator({rules}))"
    ))
}

/// An opponent who may state the truth leaves at most r^(d+1), and a true claim always earns that. An opponent who may
/// state only one half loses half of the leaf's weight.
#[test]
fn games_by_hand() {
    let rules = "epsilon: 0.25, rho: 0.5"; // r = 1/32
    let gate = |gate: &str, on: &str| {
        format!("\"r\": Claim(text: \"R.\", supports: [Support(gate: {gate}, on: [{on}])]),")
    };
    let whole = ["0", "1/2", "1"].map(exact);
    for (gate_name, on) in [
        ("All", "\"t\", \"f\""),
        ("Any", "\"f\", \"t\""),
        ("Not", "\"t\""),
    ] {
        let setup = tree(&gate(gate_name, on), rules);
        assert_eq!(game_value(&setup, &whole), exact("1/1024"), "{gate_name}");
        assert_eq!(played(&setup, &whole), exact("1/1024"), "{gate_name}");
    }
    let setup = tree(&gate("All", "\"t\""), rules);
    // r²/2 for the answer, 0 for the gate, and one half at the leaf.
    assert_eq!(game_value(&setup, &whole[1..2]), exact("1025/2048"));
    // Bob cannot state the truth, so he states the number that costs him least.
    let few = ["1/5", "1/2"].map(exact);
    for (gate_name, on) in [
        ("All", "\"t\", \"f\""),
        ("Xor", "\"t\", \"f\", \"g\""),
        ("Majority", "\"f\", \"t\", \"g\""),
    ] {
        let setup = tree(&gate(gate_name, on), rules);
        assert_eq!(
            game_value(&setup, &few),
            played(&setup, &few),
            "{gate_name}"
        );
    }
    // Honesty's bound fails on a tree that is not stable, but Alice's best play keeps it.
    let majority = format!(
        "{} \"b\": Claim(text: \"B.\", supports: [Support(gate: Majority, on: [\"t\", \"f\", \"u\"])]),
         \"u\": Claim(text: \"U.\", truth: true),",
        gate("AtLeast(2)", "\"t\", \"b\", \"f\"")
    );
    let setup = tree(&majority, "epsilon: 0.1, rho: 0.5");
    let grid = ["0", "101/1000", "1"].map(exact);
    assert_eq!(game_value(&setup, &grid), exact("1/512000"), "r³");
}
