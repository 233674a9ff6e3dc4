//! Prover-estimator debate: the best response to a prover whose replies depend only on the current round
//! ([`MarkovProver`]), by dynamic programming. Honest Alice of PE Lemma A.5 is such a prover.
//!
//! The value of the rest of a debate at a claim with estimate p is −A·w·p + W(claim, A). The bet A is determined by the
//! claim and p, and has three possible values. So at most three numbers W are needed per claim and round, instead of
//! one for every p. Within a round, honest Alice continues with the subclaim whose estimate has the greatest error so
//! far. Therefore only this subclaim and its estimate matter, not the other estimates. If the gate is symmetric, only
//! the number of coins that are 1 matters. If a prover selects the subclaim independently of the estimates, no estimate
//! has to be remembered: the contributions of the estimates add up.

pub mod errors;
pub mod random;
mod round;

use std::collections::HashMap;

use crate::expectation::{PayoffNotComputedReason, StepCounter};
use debate_core::budget::{ComputationBudget, ComputationStopReason};
use debate_core::number::{Number, powers, to_u32_saturating};
use debate_core::player::prover_estimator::{
    EstimateQuery, MarkovProver, PeView, SubclaimSelectionRule,
};
use debate_core::player::{
    ClosedFormStrategy, PlayableStrategy, Policy, PolicyAsStrategy, ReplyDistribution, Strategy,
    StrategyMemoryAndCosts,
};
use debate_core::protocol::prover_estimator::ProverEstimatorParameters;
use debate_core::protocol::{Bet, ProverEstimatorDebate, Reply, Request, Reward, Seat};
use debate_core::scenario::{BitId, ClaimId, Instance, Support};
use errors::AllowedEstimateErrors;
pub(crate) use round::BestOrRandomEstimateRule;
use round::{ProverSubclaimSelectionRule, RoundSolver, RoundValueAndEstimates};

/// A state for the dynamic program: a claim, its round, and the direction of Alice's bet on the claim's estimate.
type Node = (ClaimId, u32, Bet);

/// The result of the dynamic program: the estimates from a grid with which the estimator responds best to a known
/// prover. Under [`BestOrRandomEstimateRule::Uniform`], only the value of uniformly random estimates.
#[derive(Debug)]
pub(crate) struct BestEstimatorResponse<N> {
    /// The prover's answer.
    answer: bool,
    terms: Terms<N>,
    /// For each state (claim, round and bet), the solved round with the estimator's best estimates.
    rounds: HashMap<Node, RoundValueAndEstimates<N>>,
    /// The index in the grid of the estimator's best estimate for the root claim.
    first: usize,
    /// Alice's expected payoff.
    value: N,
    /// True if the estimator may gain by challenging the step from subclaims to a claim. This module does not compute
    /// that gain.
    gains_by_dispute: bool,
}

/// The estimates that the estimator may state (a grid, with a limit on errors), and the rule by which it chooses one.
pub(crate) struct AllowedEstimatesAndChoiceRule<N> {
    grid: Vec<N>,
    choice: BestOrRandomEstimateRule,
    errors: AllowedEstimateErrors<N>,
}

/// The running dynamic program: the values W found so far, and the result under construction.
struct ClaimSearch<'p, 'a, N> {
    prover: &'p dyn MarkovProver<N>,
    instance: &'a Instance,
    steps: StepCounter<'p>,
    /// The expected payoff W of Alice from each state, without the fixed term −A·w·p (bet, stake, estimate).
    value: HashMap<Node, N>,
    values: BestEstimatorResponse<N>,
}

/// The terms of the debate.
#[derive(Debug)]
struct Terms<N> {
    epsilon: N,
    /// r^0 … r^(d+1).
    weights: Vec<N>,
    parameters: ProverEstimatorParameters,
    /// The probability that the judge inverts the oracle's answer.
    flip: N,
    grid: Vec<N>,
    said: BestOrRandomEstimateRule,
    errors: AllowedEstimateErrors<N>,
}

impl<N: Number> Terms<N> {
    /// Returns Alice's reward for a bet on a claim. `outcome` is the claim's coin or verdict, and p its estimate.
    fn paid(&self, round: u32, bet: Bet, outcome: bool, p: N) -> N {
        let weight = self.weights[round as usize].clone();
        Reward::bet_reward(round, weight, bet, outcome, p).payment_to_prover()
    }
}

/// Returns Alice's expected reward for her first answer if the root claim's coin is 1 with probability p. `weights` are
/// r^0 … r^(d+1).
pub fn expected_answer_reward<N: Number>(weights: &[N], answer: bool, p: &N) -> N {
    let exponent = weights.len() - 1;
    let paid = |coin| agreement(&weights[exponent], exponent, coin, answer);
    paid(true) * p.clone() + paid(false) * (N::one() - p.clone())
}

/// Returns Alice's reward for her first answer, given the root claim's coin. `weight` is r^exponent.
fn agreement<N: Number>(weight: &N, exponent: usize, coin: bool, answer: bool) -> N {
    let reward = Reward::Agreement {
        weight: weight.clone(),
        exponent: to_u32_saturating(exponent),
        coin,
        answer,
    };
    reward.payment_to_prover()
}

impl<N: Number> BestEstimatorResponse<N> {
    /// Computes the estimator's best estimates against this prover, for a judge that inverts the oracle's answer with
    /// probability `flip`. Under [`BestOrRandomEstimateRule::Uniform`], computes the value of uniformly random
    /// estimates.
    ///
    /// # Errors
    /// Returns an error if the computation takes too long, if the oracle cannot answer, or if a claim allows no
    /// estimate.
    pub(crate) fn new(
        estimates: AllowedEstimatesAndChoiceRule<N>,
        prover: &dyn MarkovProver<N>,
        flip: N,
        instance: &Instance,
        parameters: &ProverEstimatorParameters,
        budget: ComputationBudget<'_>,
    ) -> Result<Self, PayoffNotComputedReason> {
        let ratio = N::from_exact(&parameters.weight_ratio_to_next_round());
        let terms = Terms {
            epsilon: N::from_exact(&parameters.epsilon.0),
            weights: powers(&ratio, instance.size().depth + 1).collect(),
            parameters: parameters.clone(),
            flip,
            grid: estimates.grid,
            said: estimates.choice,
            errors: estimates.errors,
        };
        let search = ClaimSearch {
            prover,
            instance,
            steps: StepCounter::new(budget),
            value: HashMap::new(),
            values: Self {
                answer: prover.claims(instance.root()),
                terms,
                rounds: HashMap::new(),
                first: 0,
                value: N::zero(),
                gains_by_dispute: false,
            },
        };
        search.found()
    }

    /// Returns the prover's bet.
    fn bet(&self, prover: &dyn MarkovProver<N>, claim: ClaimId, p: &N) -> Bet {
        prover.bet_on(self.answer, claim, p, &self.terms.epsilon)
    }

    /// True if Alice bets on nothing in the rest of the debate once the root claim's estimate is p.
    fn stops(&self, prover: &dyn MarkovProver<N>, p: &N) -> bool {
        prover.bets_nothing(self.answer, p, &self.terms.epsilon)
    }
}

impl<'a, N: Number> ClaimSearch<'_, 'a, N> {
    fn found(mut self) -> Result<BestEstimatorResponse<N>, PayoffNotComputedReason> {
        let grid = self.values.terms.grid.clone();
        let root = self.instance.root();
        if !grid.iter().any(|p| self.may_state(root, p)) {
            return Err(PayoffNotComputedReason::NoReply(Seat::Opponent));
        }
        let depth = self.instance.size().depth;
        let mut each = Vec::with_capacity(grid.len());
        for (index, p) in (0..).zip(&grid) {
            if !self.may_state(root, p) {
                continue;
            }
            let values = &self.values;
            let mut value = expected_answer_reward(&values.terms.weights, values.answer, p);
            if !values.stops(self.prover, p) {
                value += self.at(root, depth, p)?;
            }
            each.push((index, value));
        }
        let (place, value) = self.values.terms.said.settled(each.into_iter());
        self.values.first = place as usize;
        self.values.value = value;
        Ok(self.values)
    }

    /// True if the estimator may state the estimate p for a claim, given its limits on errors.
    fn may_state(&self, claim: ClaimId, p: &N) -> bool {
        let truth = self.instance.truth(claim);
        self.values.terms.errors.allows_error_of_estimate(truth, p)
    }

    /// Returns the state in which Alice continues with a claim whose estimate is p.
    fn node(&self, claim: ClaimId, round: u32, p: &N) -> Node {
        let early_leaf = self.values.terms.parameters.early_leaf;
        let round = early_leaf.round_after_selection(self.instance.is_leaf(claim), round);
        (claim, round, self.values.bet(self.prover, claim, p))
    }

    /// Returns Alice's expected payoff from the rest of the debate, if she continues with a claim whose estimate is p.
    fn at(&mut self, claim: ClaimId, round: u32, p: &N) -> Result<N, PayoffNotComputedReason> {
        let node = self.node(claim, round, p);
        let (_, round, bet) = node;
        let beyond = self.value(node)?;
        let value = beyond + self.values.terms.paid(round, bet, false, p.clone());
        self.weigh_dispute(claim, &value)?;
        Ok(value)
    }

    /// Records if the estimator may gain by disputing the step from subclaims to the claim. `value` is the prover's
    /// expected payoff from the rest of the debate without a dispute.
    fn weigh_dispute(&mut self, claim: ClaimId, value: &N) -> Result<(), PayoffNotComputedReason> {
        let offered = self.instance.supports(claim);
        let terms = &self.values.terms;
        if offered.is_empty() || !terms.parameters.warrants.allows_support_disputes() {
            return Ok(());
        }
        let place = to_u32_saturating(self.prover.support_index(offered));
        let warrant = self.instance.warrant_claim(claim, place);
        let yes = self.verdict(warrant)?;
        let half = N::ratio(1, 2);
        let pays = |p: &N| {
            let bet = self.values.bet(self.prover, warrant, p);
            let paid = |outcome| terms.paid(0, bet, outcome, p.clone());
            let disputed = paid(true) * yes.clone() + paid(false) * (N::one() - yes.clone());
            disputed < *value || disputed < N::zero()
        };
        let mut low = terms.grid.iter().filter(|p| !p.exceeds(&half));
        let gains = low.any(pays);
        self.values.gains_by_dispute |= gains;
        Ok(())
    }

    /// Computes the value W of a state: Alice's expected payoff without a fixed term, as in the field `value`. Uses an
    /// explicit stack instead of recursion, so the depth of the tree is unlimited.
    fn value(&mut self, node: Node) -> Result<N, PayoffNotComputedReason> {
        let mut open = vec![node];
        let mut last = None;
        while let Some(next) = open.last().copied() {
            if let Some(known) = self.value.get(&next) {
                last = Some(known.clone());
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(self.unknown_below(next));
            if open.len() == before {
                let value = self.node_value(next)?;
                self.value.insert(next, value);
            }
        }
        last.ok_or(PayoffNotComputedReason::NoReply(Seat::Opponent))
    }

    /// Returns the support that the prover chooses for a claim; `None` at a leaf.
    fn chosen(&self, claim: ClaimId) -> Option<&'a Support> {
        let offered = self.instance.supports(claim);
        offered.get(self.prover.support_index(offered))
    }

    /// Returns the states that must be solved before this state: its value W depends on their W, which is not known
    /// yet.
    fn unknown_below(&self, (claim, round, _): Node) -> Vec<Node> {
        let claims = self.chosen(claim).into_iter();
        let mut nodes = Vec::new();
        for claim in claims.flat_map(|support| &support.on) {
            let from = nodes.len();
            for p in &self.values.terms.grid {
                let node = self.node(*claim, round - 1, p);
                if self.may_state(*claim, p)
                    && !self.value.contains_key(&node)
                    && !nodes[from..].contains(&node)
                {
                    nodes.push(node);
                }
            }
        }
        nodes
    }

    /// Computes the value W of a state (Alice's expected payoff without a fixed term) from those of all later states.
    fn node_value(&mut self, node: Node) -> Result<N, PayoffNotComputedReason> {
        let (claim, round, bet) = node;
        let stake = self.values.terms.paid(round, bet, true, N::zero());
        match self.chosen(claim) {
            None => Ok(stake * self.verdict(claim)?),
            Some(support) => {
                let solution = self.round(support, round, stake)?;
                let value = solution.value.clone();
                self.values.rounds.insert(node, solution);
                Ok(value)
            }
        }
    }

    fn round(
        &mut self,
        support: &Support,
        round: u32,
        stake: N,
    ) -> Result<RoundValueAndEstimates<N>, PayoffNotComputedReason> {
        let leads = self.prover.selection() == SubclaimSelectionRule::Greatest;
        let width = support.on.len();
        let grid = self.values.terms.grid.clone();
        let cost = round::round_solution_step_count(support, grid.len(), leads);
        self.steps.count_steps(cost).map_err(|error| match error {
            ComputationStopReason::TooLarge { limit, .. } => PayoffNotComputedReason::TooFine {
                width,
                grid: grid.len(),
                steps: cost,
                most: limit,
            },
            ComputationStopReason::Stopped => PayoffNotComputedReason::STOPPED,
        })?;
        let mut after = Vec::new();
        for claim in &support.on {
            if !grid.iter().any(|p| self.may_state(*claim, p)) {
                return Err(PayoffNotComputedReason::NoReply(Seat::Opponent));
            }
            for p in &grid {
                after.push(if self.may_state(*claim, p) {
                    Some(self.at(*claim, round - 1, p)?)
                } else {
                    None
                });
            }
        }
        let terms = &self.values.terms;
        let stage = RoundSolver {
            gate: &support.gate,
            width,
            grid: &grid,
            said: terms.said,
            stake,
            selection: ProverSubclaimSelectionRule::selection_rule_of_prover(
                self.prover,
                &support.on,
                &grid,
            ),
            after,
        };
        Ok(stage.solve_round(terms.parameters.carry))
    }

    /// Returns the probability that the judge accepts a leaf or a warrant, given the proof bits that the prover writes.
    fn verdict(&self, leaf: ClaimId) -> Result<N, PayoffNotComputedReason> {
        let bits = self.instance.proof_bits_read_by_leaf(leaf).iter();
        let given = |bit: &BitId| self.prover.bit(*bit);
        let bits: Vec<bool> = bits.map(given).collect();
        let yes = self
            .instance
            .oracle_yes_probability(leaf, &bits)
            .ok_or(PayoffNotComputedReason::NoReply(Seat::Judge))?;
        let (yes, flip) = (N::of(&yes), self.values.terms.flip.clone());
        let kept = yes.clone() * (N::one() - flip.clone());
        Ok(kept + (N::one() - yes) * flip)
    }
}

/// The estimator that minimises a prover's payoff, among those that state probabilities of a grid.
pub struct PayoffMinimisingEstimator<'a, N: Number> {
    prover: PlayableStrategy<'a, N>,
    values: BestEstimatorResponse<N>,
}

impl<'a, N: Number> PayoffMinimisingEstimator<'a, N> {
    /// Computes the estimator that minimises the payoff of this prover, with this judge. Returns `None` if the prover's
    /// replies depend on more than the current round, if the judge does not answer by the oracle, or if the estimator
    /// may gain by disputing a step.
    ///
    /// # Errors
    /// Returns an error if the computation takes too long, or if the oracle cannot answer.
    pub fn against(
        prover: PlayableStrategy<'a, N>,
        judge: &dyn Strategy<'a, N>,
        instance: &'a Instance,
        parameters: &ProverEstimatorParameters,
        grid: &[N],
        budget: ComputationBudget<'_>,
    ) -> Option<Result<Self, PayoffNotComputedReason>> {
        let known = as_markov_prover(&*prover)?;
        let flip = judge.oracle_error_probability()?;
        let estimates = AllowedEstimatesAndChoiceRule {
            grid: grid.to_vec(),
            choice: BestOrRandomEstimateRule::Best,
            errors: AllowedEstimateErrors::Any,
        };
        match BestEstimatorResponse::new(estimates, known, flip, instance, parameters, budget) {
            Ok(values) if values.gains_by_dispute => None,
            solved => Some(solved.map(|values| Self { prover, values })),
        }
    }

    /// Returns the prover's expected payoff against this estimator, which minimises it.
    pub fn expected_prover_payoff(&self) -> &N {
        &self.values.value
    }

    /// Converts the estimator into a player.
    pub fn into_player(self) -> PlayableStrategy<'a, N> {
        Box::new(PolicyAsStrategy::<_, ProverEstimatorDebate<'a, N>>::new(
            self,
        ))
    }

    /// Returns the grid index of the estimator's next estimate in a round; `None` if this estimator would not have made
    /// the earlier estimates.
    fn next(&self, view: &PeView<'_, 'a, N>, alone: bool) -> Option<usize> {
        let prover = as_markov_prover(&*self.prover)?;
        let values = &self.values;
        if values.stops(prover, view.root_claim_estimate()) {
            // No later reward depends on this estimate.
            return Some(0);
        }
        let claim = view.claim_under_discussion();
        let bet = values.bet(prover, claim, view.claim_probability());
        let round = values.rounds.get(&(claim, view.round(), bet))?;
        let place_of = |p: &N| values.terms.grid.iter().position(|q| q == p);
        let words: Option<Vec<usize>> = view
            .next_round_estimate_per_subclaim()
            .iter()
            .map(place_of)
            .collect();
        let coins: Vec<bool> = view.tossed_subclaims().map(|(_, coin)| coin).collect();
        round.next_estimate(&words?, &coins, alone)
    }
}

/// Returns the strategy as a prover whose replies depend only on the current round; `None` if it is not such a prover.
pub(crate) fn as_markov_prover<'s, N: Number>(
    strategy: &'s dyn Strategy<'_, N>,
) -> Option<&'s dyn MarkovProver<N>> {
    match strategy.as_closed_form()? {
        ClosedFormStrategy::Prover(prover) => Some(prover),
        _ => None,
    }
}

impl<'a, N: Number> Policy<N, ProverEstimatorDebate<'a, N>> for PayoffMinimisingEstimator<'a, N> {
    fn choose(
        &self,
        view: PeView<'_, 'a, N>,
        request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let Some(asked) = EstimateQuery::of(request) else {
            // The estimator may dispute a step here, but never gains by it.
            return Some(ReplyDistribution::Certain(Reply::Challenge(None)));
        };
        let next = match asked.place {
            None => self.values.first,
            Some(_) => self.next(&view, asked.alone)?,
        };
        let p = self.values.terms.grid.get(next)?.clone();
        Some(ReplyDistribution::Certain(Reply::Probability(p)))
    }
}
