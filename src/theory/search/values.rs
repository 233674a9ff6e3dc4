//! Alice's expected payoff in a small game against an estimator, from the formulas of the rules ([`Reward`],
//! [`Bet::beyond`], `EarlyLeafWeight::round_after_selection`). Tests compare it with `solve`.

use debate_core::number::{Number, powers};
use debate_core::protocol::prover_estimator::CarriedEstimateKind;
use debate_core::protocol::{Bet, Reward};

use super::game::GameOfSearchSpace;
use super::shape::{GateAndTruthTable, row_digits};
use debate_solver::closed_form::prover_estimator::expected_answer_reward;

/// Bob's rule for estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EstimatorRule {
    /// Bob states the posterior probability of the claim, given the coins so far.
    Posterior,
    /// Bob states each claim's unconditional probability. For the root, he combines the subclaims' probabilities as if
    /// they were independent.
    Marginal,
    /// Bob states 1 for a true claim and 0 for a false claim.
    Truthful,
}

impl EstimatorRule {
    /// Returns the name of the built-in estimator that follows this rule, as the command `solve` accepts it.
    pub(super) fn estimator_name_in_solve(self) -> &'static str {
        match self {
            Self::Posterior => "bayes",
            Self::Marginal => "marginal",
            Self::Truthful => "truthful",
        }
    }
}

/// Alice's strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HonestOrBestResponseProver {
    /// Honest Alice, who follows PE equation 13 in the instance with this index.
    Honest(usize),
    /// Alice's best strategy if she knows the instance, whose index is given.
    Informed(usize),
    /// Alice's best strategy if she knows only the distribution μ.
    Blind,
}

impl HonestOrBestResponseProver {
    fn world(self) -> Option<usize> {
        match self {
            Self::Honest(world) | Self::Informed(world) => Some(world),
            Self::Blind => None,
        }
    }
}

/// A claim of the game: a leaf, or a gate over other claims.
struct Node<'g> {
    /// The set of instances in which the claim is true, as bits of a number.
    holds: u16,
    /// The gate of the claim, with the indices of its subclaims; `None` for a leaf.
    gate: Option<(&'g GateAndTruthTable, Vec<usize>)>,
}

/// The data of a game for computing payoffs with numbers of type `N`.
pub(super) struct GamePayoffCalculator<'g, N> {
    nodes: Vec<Node<'g>>,
    /// The probabilities of the instances.
    shares: Vec<N>,
    epsilon: N,
    /// r^0 … r^(d+1).
    powers: Vec<N>,
    depth: u32,
    game: &'g GameOfSearchSpace<'g>,
}

impl<'g, N: Number> GamePayoffCalculator<'g, N> {
    pub(super) fn calculator_for_game(game: &'g GameOfSearchSpace<'g>) -> Self {
        let shape = game.shape();
        let depth = shape.depth();
        let worlds = |holds: &dyn Fn(usize) -> bool| -> u16 {
            let each = game.rows.iter().enumerate();
            each.filter(|(_, row)| holds(**row))
                .fold(0, |mask, (world, _)| mask | 1 << world)
        };
        let leaves = shape.leaf_count();
        let leaf = |index: usize| Node {
            holds: worlds(&|row| row >> (leaves - 1 - index) & 1 == 1),
            gate: None,
        };
        let mut nodes = vec![Node {
            holds: worlds(&|row| game.is_root_true(row)),
            gate: Some((&shape.root, (1..=shape.parts.len()).collect())),
        }];
        let mut below = Vec::new();
        let mut first = 0;
        for (index, part) in shape.parts.iter().enumerate() {
            nodes.push(match part {
                None => leaf(first),
                Some(gate) => {
                    let from = 1 + shape.parts.len() + below.len();
                    below.extend((first..first + gate.subclaim_count()).map(leaf));
                    Node {
                        holds: worlds(&|row| shape.subclaim_truths(row)[index]),
                        gate: Some((gate, (from..from + gate.subclaim_count()).collect())),
                    }
                }
            });
            first += part.as_ref().map_or(1, GateAndTruthTable::subclaim_count);
        }
        nodes.extend(below);
        let all: u32 = game.weights.iter().sum();
        let share = |weight: &u32| N::ratio(i64::from(*weight), i64::from(all));
        let ratio = N::from_exact(&game.parameters().weight_ratio_to_next_round());
        Self {
            nodes,
            shares: game.weights.iter().map(share).collect(),
            epsilon: N::from_exact(&game.parameters().epsilon.0),
            powers: powers(&ratio, depth + 1).collect(),
            depth,
            game,
        }
    }

    /// Returns r^(d+1).
    pub(super) fn true_answer_reward(&self) -> N {
        self.powers[self.depth as usize + 1].clone()
    }

    /// Returns the total probability of a set of instances, given as bits.
    fn probability_of(&self, worlds: u16) -> N {
        let each = self.shares.iter().enumerate();
        let mut sum = N::zero();
        for (world, share) in each {
            if worlds >> world & 1 == 1 {
                sum += share.clone();
            }
        }
        sum
    }

    /// Returns the probability that the answer to the root claim is right.
    pub(super) fn probability_root_answer_is_right(&self, answer: bool) -> N {
        let holds = self.marginal(0);
        if answer { holds } else { N::one() - holds }
    }

    fn marginal(&self, node: usize) -> N {
        self.probability_of(self.nodes[node].holds)
    }

    fn is_true(&self, node: usize, world: usize) -> bool {
        self.nodes[node].holds >> world & 1 == 1
    }

    /// Returns Bob's estimate of a claim. `left` is the set of instances that the coins so far leave possible.
    fn estimate(&self, bob: EstimatorRule, node: usize, left: u16, world: Option<usize>) -> N {
        match (bob, world) {
            (EstimatorRule::Truthful, Some(world)) => N::indicator(self.is_true(node, world)),
            (EstimatorRule::Posterior, _) if left != u16::MAX => {
                self.probability_of(left & self.nodes[node].holds) / self.probability_of(left)
            }
            _ => self.marginal(node),
        }
    }

    /// Returns Bob's estimate of the root claim.
    fn root_estimate(&self, bob: EstimatorRule, world: Option<usize>) -> N {
        match (bob, &self.nodes[0].gate) {
            (EstimatorRule::Marginal, Some((gate, on))) => {
                let each: Vec<N> = on.iter().map(|part| self.marginal(*part)).collect();
                gate.gate.probability(&each)
            }
            _ => self.estimate(bob, 0, u16::MAX, world),
        }
    }

    /// Returns Alice's expected payoff if she gives this answer to the root claim. If Alice does not know the instance,
    /// it is the mean over μ.
    pub(super) fn expected_alice_payoff(
        &self,
        alice: HonestOrBestResponseProver,
        answer: bool,
        bob: EstimatorRule,
    ) -> N {
        let world = alice.world();
        let p = self.root_estimate(bob, world);
        let first: N = expected_answer_reward(&self.powers, answer, &p);
        if let HonestOrBestResponseProver::Honest(world) = alice {
            let error = N::indicator(self.is_true(0, world)) - p.clone();
            if Bet::beyond(&error, &self.epsilon) == Bet::AboutRight {
                return first;
            }
        }
        // Bob knows that the step does not hold and disputes it, and the judge pays nothing for the rest.
        if self.game.is_root_inference_refutable() {
            return first;
        }
        first + self.remaining_payoff(alice, bob, 0, self.depth, &p)
    }

    /// Returns Alice's expected payoff from the rest of the debate, if she continues with a claim whose estimate is
    /// `p`.
    fn remaining_payoff(
        &self,
        alice: HonestOrBestResponseProver,
        bob: EstimatorRule,
        node: usize,
        round: u32,
        p: &N,
    ) -> N {
        let at = &self.nodes[node];
        let early = self.game.parameters().early_leaf;
        let round = early.round_after_selection(at.gate.is_none(), round);
        let Some((gate, on)) = &at.gate else {
            let yes = match alice.world() {
                Some(world) => N::indicator(self.is_true(node, world)),
                None => self.marginal(node),
            };
            return self.round_reward(alice, node, round, &yes, p);
        };
        let mut sum = RoundRewardSum {
            holds: N::zero(),
            continues: N::zero(),
        };
        let mut estimates = Vec::with_capacity(on.len());
        let start = FallenCoins {
            chance: N::one(),
            left: u16::MAX,
            row: 0,
        };
        self.follow_coins(
            alice,
            bob,
            (gate, on, round),
            start,
            &mut estimates,
            &mut sum,
        );
        self.round_reward(alice, node, round, &sum.holds, p) + sum.continues
    }

    /// Returns Alice's expected reward in a round whose gate or leaf is true with probability `yes`. The claim's
    /// estimate is `p`.
    fn round_reward(
        &self,
        alice: HonestOrBestResponseProver,
        node: usize,
        round: u32,
        yes: &N,
        p: &N,
    ) -> N {
        let paid = |bet: Bet| {
            let of = |outcome| {
                let weight = self.powers[round as usize].clone();
                Reward::bet_reward(round, weight, bet, outcome, p.clone()).payment_to_prover()
            };
            of(true) * yes.clone() + of(false) * (N::one() - yes.clone())
        };
        if let HonestOrBestResponseProver::Honest(world) = alice {
            let error = N::indicator(self.is_true(node, world)) - p.clone();
            return paid(Bet::beyond(&error, &self.epsilon));
        }
        let mut best = paid(Bet::AboutRight);
        for bet in [Bet::TooHigh, Bet::TooLow] {
            let worth = paid(bet);
            if worth > best {
                best = worth;
            }
        }
        best
    }

    /// Follows all outcomes of the remaining coins in a round, and adds up the results.
    fn follow_coins(
        &self,
        alice: HonestOrBestResponseProver,
        bob: EstimatorRule,
        round: (&GateAndTruthTable, &[usize], u32),
        fallen: FallenCoins<N>,
        estimates: &mut Vec<N>,
        sum: &mut RoundRewardSum<N>,
    ) {
        let (gate, on, number) = round;
        let FallenCoins { chance, left, row } = fallen;
        let Some(part) = on.get(estimates.len()) else {
            if gate.value_at_row(row) {
                sum.holds += chance.clone();
            }
            sum.continues += chance * self.value_of_choice(alice, bob, on, number, estimates);
            return;
        };
        let p = self.estimate(bob, *part, left, alice.world());
        let holds = self.nodes[*part].holds;
        estimates.push(p.clone());
        for (coin, share, worlds) in [(0, N::one() - p.clone(), !holds), (1, p, holds)] {
            if share.is_zero() {
                continue;
            }
            let next = FallenCoins {
                chance: chance.clone() * share,
                left: left & worlds,
                row: 2 * row + coin,
            };
            self.follow_coins(alice, bob, round, next, estimates, sum);
        }
        estimates.pop();
    }

    /// Returns Alice's expected payoff after the coins of a round, when she chooses the subclaim with which to
    /// continue.
    fn value_of_choice(
        &self,
        alice: HonestOrBestResponseProver,
        bob: EstimatorRule,
        on: &[usize],
        round: u32,
        estimates: &[N],
    ) -> N {
        let carried = |index: usize| match self.game.parameters().carry {
            CarriedEstimateKind::Conditional => estimates[index].clone(),
            CarriedEstimateKind::Marginal => self.estimate(bob, on[index], u16::MAX, alice.world()),
        };
        let mut best: Option<(N, N)> = None;
        for (index, part) in on.iter().enumerate() {
            let p = carried(index);
            let score = match alice {
                HonestOrBestResponseProver::Honest(world) => {
                    (N::indicator(self.is_true(*part, world)) - p.clone()).abs()
                }
                HonestOrBestResponseProver::Informed(_) | HonestOrBestResponseProver::Blind => {
                    self.remaining_payoff(alice, bob, *part, round - 1, &p)
                }
            };
            if best.as_ref().is_none_or(|(most, _)| score.exceeds(most)) {
                let worth = match alice {
                    HonestOrBestResponseProver::Honest(_) => {
                        self.remaining_payoff(alice, bob, *part, round - 1, &p)
                    }
                    HonestOrBestResponseProver::Informed(_) | HonestOrBestResponseProver::Blind => {
                        score.clone()
                    }
                };
                best = Some((score, worth));
            }
        }
        best.map_or_else(N::zero, |(_, worth)| worth)
    }

    /// True if, under plain recursion, a liar wins in an instance against a Bob who knows everything.
    pub(super) fn liar_wins(&self, node: usize, claimed: bool, world: usize) -> bool {
        let Some((gate, on)) = &self.nodes[node].gate else {
            return self.is_true(node, world) == claimed;
        };
        if node == 0 && claimed && self.game.is_root_inference_refutable() {
            return false;
        }
        let answers =
            (0..1_usize << gate.subclaim_count()).filter(|row| gate.value_at_row(*row) == claimed);
        // Bob contests a subclaim with which the liar does not win, so she must win with each of them.
        let mut rows = answers.map(|row| row_digits(gate.subclaim_count(), row).zip(on));
        rows.any(|mut row| row.all(|(answer, part)| self.liar_wins(*part, answer, world)))
    }
}

/// The coins of the current round that were already thrown, while the search follows all outcomes.
struct FallenCoins<N> {
    /// The probability of the outcomes so far.
    chance: N,
    /// The set of instances that the coins so far leave possible, as bits.
    left: u16,
    /// The outcomes of the coins so far, as the binary digits of a number.
    row: usize,
}

/// Sums over all outcomes of a round's coins, weighted by probability.
struct RoundRewardSum<N> {
    /// The probability that the round's gate is true.
    holds: N,
    /// Alice's expected payoff after the round.
    continues: N,
}
