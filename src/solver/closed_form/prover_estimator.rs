//! Prover-estimator debate: the best response to a prover who plays by the round alone
//! ([`MarkovProver`]), by dynamic programming (PROTOCOLS, "Making
//! exact evaluation fast"); against honest Alice that of PE Lemma A.5.
//!
//! What the rest of a debate is worth at a claim with probability p is −A·w·p + W(claim, A), where
//! the bet A follows from the claim and p: at most three values a claim and round, not one for
//! every p. Within a round honest Alice goes on with the subclaim that was most wrong so far, so
//! all that matters of what was said is which one that is, and of the coins (where the gate is
//! symmetric) how many came out true. Who goes on anywhere makes even that irrelevant: what each
//! word is worth adds up.

pub mod random;
mod round;

use std::collections::HashMap;

use crate::expectation::{StepCounter, Unsolved};
use debate_core::budget::{Budget, Exceeded};
use debate_core::number::{Number, powers, small};
use debate_core::player::prover_estimator::{EstimateQuery, MarkovProver, PeView, Selection};
use debate_core::player::{Built, Choice, Markov, Policy, PolicyState, PolicyStrategy, Strategy};
use debate_core::protocol::prover_estimator::Parameters;
use debate_core::protocol::{Bet, ProverEstimator, Reply, Request, Reward, Seat};
use debate_core::scenario::{BitId, ClaimId, Instance, Support};
pub(crate) use round::WordChoice;
use round::{RoundSolution, RoundSolver, SelectionRule};

/// A claim in a round, with the bet on it.
type Node = (ClaimId, u32, Bet);

/// The best probability on a grid for an estimator to say of each claim.
#[derive(Debug)]
pub(crate) struct ClaimValues<N> {
    /// The prover's answer.
    answer: bool,
    terms: Terms<N>,
    /// The rounds with the best words in each.
    rounds: HashMap<Node, RoundSolution<N>>,
    /// The place in the grid of what it says of the root.
    first: usize,
    /// Alice's expectation.
    value: N,
    /// True if an estimator may gain by disputing a step, which is not worked out here.
    gains_by_dispute: bool,
}

/// The search for them.
struct ClaimSearch<'p, 'a, N> {
    prover: &'p dyn MarkovProver<N>,
    instance: &'a Instance,
    steps: StepCounter<'p>,
    /// The worth W of each node, beyond −A·w·p.
    worth: HashMap<Node, N>,
    values: ClaimValues<N>,
}

/// The terms of the debate.
#[derive(Debug)]
struct Terms<N> {
    epsilon: N,
    /// r^0 … r^(d+1).
    weights: Vec<N>,
    parameters: Parameters,
    /// The probability that the judge errs.
    flip: N,
    grid: Vec<N>,
    said: WordChoice,
}

impl<N: Number> Terms<N> {
    /// The reward for a bet on a claim of which p was said.
    fn paid(&self, round: u32, bet: Bet, outcome: bool, p: N) -> N {
        let weight = self.weights[round as usize].clone();
        Reward::bet(round, weight, bet, outcome, p).value()
    }
}

/// The expected reward for an answer if the root's coin comes out 1 with probability p; `weights`: r^0 …
/// r^(d+1).
pub fn expected_agreement<N: Number>(weights: &[N], answer: bool, p: &N) -> N {
    let exponent = weights.len() - 1;
    let paid = |coin| agreement(&weights[exponent], exponent, coin, answer);
    paid(true) * p.clone() + paid(false) * (N::one() - p.clone())
}

/// The reward for an answer if the root's coin falls so; `weight`: r^exponent.
fn agreement<N: Number>(weight: &N, exponent: usize, coin: bool, answer: bool) -> N {
    let reward = Reward::Agreement {
        weight: weight.clone(),
        exponent: small(exponent),
        coin,
        answer,
    };
    reward.value()
}

impl<N: Number> ClaimValues<N> {
    /// Against this prover and a judge who errs so often.
    ///
    /// # Errors
    /// If it takes too long, or the oracle cannot answer.
    pub(crate) fn new(
        said: WordChoice,
        prover: &dyn MarkovProver<N>,
        flip: N,
        instance: &Instance,
        parameters: &Parameters,
        grid: &[N],
        budget: Budget<'_>,
    ) -> Result<Self, Unsolved> {
        let ratio = N::from_exact(&parameters.ratio());
        let terms = Terms {
            epsilon: N::from_exact(&parameters.epsilon.0),
            weights: powers(&ratio, instance.size().depth + 1).collect(),
            parameters: parameters.clone(),
            flip,
            grid: grid.to_vec(),
            said,
        };
        let search = ClaimSearch {
            prover,
            instance,
            steps: StepCounter::of(budget),
            worth: HashMap::new(),
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

    /// The prover's bet.
    fn bet(&self, prover: &dyn MarkovProver<N>, claim: ClaimId, p: &N) -> Bet {
        prover.bet_on(self.answer, claim, p, &self.terms.epsilon)
    }

    /// True if Alice bets nothing at all after this was said of the root.
    fn stops(&self, prover: &dyn MarkovProver<N>, p: &N) -> bool {
        prover.abstains(self.answer, p, &self.terms.epsilon)
    }
}

impl<'a, N: Number> ClaimSearch<'_, 'a, N> {
    fn found(mut self) -> Result<ClaimValues<N>, Unsolved> {
        let grid = self.values.terms.grid.clone();
        if grid.is_empty() {
            return Err(Unsolved::NoReply(Seat::Opponent));
        }
        let root = self.instance.root();
        let depth = self.instance.size().depth;
        let mut each = Vec::with_capacity(grid.len());
        for p in &grid {
            let values = &self.values;
            let mut value = expected_agreement(&values.terms.weights, values.answer, p);
            if !values.stops(self.prover, p) {
                value += self.at(root, depth, p)?;
            }
            each.push(value);
        }
        let (place, value) = self.values.terms.said.settled(each.into_iter());
        self.values.first = place as usize;
        self.values.value = value;
        Ok(self.values)
    }

    /// The node of a claim of which p was said.
    fn node(&self, claim: ClaimId, round: u32, p: &N) -> Node {
        let early_leaf = self.values.terms.parameters.early_leaf;
        let round = early_leaf.round_of(self.instance.is_leaf(claim), round);
        (claim, round, self.values.bet(self.prover, claim, p))
    }

    /// The worth of the rest at a claim of which p was said.
    fn at(&mut self, claim: ClaimId, round: u32, p: &N) -> Result<N, Unsolved> {
        let node = self.node(claim, round, p);
        let (_, round, bet) = node;
        let beyond = self.worth(node)?;
        let value = beyond + self.values.terms.paid(round, bet, false, p.clone());
        self.weigh_dispute(claim, &value)?;
        Ok(value)
    }

    /// Notes whether it may pay to dispute the step that the prover makes at a claim, the rest being
    /// worth so much to her, or nothing where she bets no more.
    fn weigh_dispute(&mut self, claim: ClaimId, value: &N) -> Result<(), Unsolved> {
        let offered = self.instance.supports(claim);
        let terms = &self.values.terms;
        if offered.is_empty() || !terms.parameters.warrants.can_be_disputed() {
            return Ok(());
        }
        let place = small(self.prover.support_place(offered));
        let warrant = self.instance.warrant(claim, place);
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

    /// W of a node: first of all nodes that it hangs on, however deep these lie.
    fn worth(&mut self, node: Node) -> Result<N, Unsolved> {
        let mut open = vec![node];
        let mut last = None;
        while let Some(next) = open.last().copied() {
            if let Some(known) = self.worth.get(&next) {
                last = Some(known.clone());
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(self.unknown_below(next));
            if open.len() == before {
                let worth = self.node_worth(next)?;
                self.worth.insert(next, worth);
            }
        }
        last.ok_or(Unsolved::NoReply(Seat::Opponent))
    }

    /// The support with which the prover goes on at a claim; none at a leaf.
    fn chosen(&self, claim: ClaimId) -> Option<&'a Support> {
        let offered = self.instance.supports(claim);
        offered.get(self.prover.support_place(offered))
    }

    /// The nodes that a node hangs on and of which W is not known yet.
    fn unknown_below(&self, (claim, round, _): Node) -> Vec<Node> {
        let claims = self.chosen(claim).into_iter();
        let mut nodes = Vec::new();
        for claim in claims.flat_map(|support| &support.on) {
            let from = nodes.len();
            for p in &self.values.terms.grid {
                let node = self.node(*claim, round - 1, p);
                if !self.worth.contains_key(&node) && !nodes[from..].contains(&node) {
                    nodes.push(node);
                }
            }
        }
        nodes
    }

    /// W of a node, that of all that it hangs on being known.
    fn node_worth(&mut self, node: Node) -> Result<N, Unsolved> {
        let (claim, round, bet) = node;
        let stake = self.values.terms.paid(round, bet, true, N::zero());
        match self.chosen(claim) {
            None => Ok(stake * self.verdict(claim)?),
            Some(support) => {
                let solution = self.round(support, round, stake)?;
                let worth = solution.value.clone();
                self.values.rounds.insert(node, solution);
                Ok(worth)
            }
        }
    }

    fn round(
        &mut self,
        support: &Support,
        round: u32,
        stake: N,
    ) -> Result<RoundSolution<N>, Unsolved> {
        let leads = self.prover.selection() == Selection::Greatest;
        let width = support.on.len();
        let grid = self.values.terms.grid.clone();
        let cost = round::cost(support, grid.len(), leads);
        self.steps.take(cost).map_err(|error| match error {
            Exceeded::TooLarge { limit, .. } => Unsolved::TooFine {
                width,
                grid: grid.len(),
                steps: cost,
                most: limit,
            },
            Exceeded::Stopped => Unsolved::STOPPED,
        })?;
        let mut after = Vec::new();
        for claim in &support.on {
            for p in &grid {
                after.push(self.at(*claim, round - 1, p)?);
            }
        }
        let terms = &self.values.terms;
        let stage = RoundSolver {
            gate: &support.gate,
            width,
            grid: &grid,
            said: terms.said,
            stake,
            selection: SelectionRule::of(self.prover, &support.on, &grid),
            after,
        };
        Ok(stage.solved(terms.parameters.carry))
    }

    /// The probability that the judge says yes at a leaf, its proof bits being the prover's.
    fn verdict(&self, leaf: ClaimId) -> Result<N, Unsolved> {
        let bits = self.instance.reads(leaf).iter();
        let given = |bit: &BitId| self.prover.bit(*bit);
        let bits: Vec<bool> = bits.map(given).collect();
        let yes = self
            .instance
            .oracle(leaf, &bits)
            .ok_or(Unsolved::NoReply(Seat::Judge))?;
        let (yes, flip) = (N::of(&yes), self.values.terms.flip.clone());
        let kept = yes.clone() * (N::one() - flip.clone());
        Ok(kept + (N::one() - yes) * flip)
    }
}

/// The worst estimator against a prover among those that say the probabilities of a grid.
pub struct BestEstimator<'a, N: Number> {
    prover: Built<'a, N>,
    values: ClaimValues<N>,
}

impl<'a, N: Number> BestEstimator<'a, N> {
    /// The worst estimator against this prover and judge; `None` if the prover does not play by
    /// the round alone, the judge does not answer from the oracle, or it may gain by a dispute.
    ///
    /// # Errors
    /// If it takes too long, or the oracle cannot answer.
    pub fn against(
        prover: Built<'a, N>,
        judge: &dyn Strategy<'a, N>,
        instance: &'a Instance,
        parameters: &Parameters,
        grid: &[N],
        budget: Budget<'_>,
    ) -> Option<Result<Self, Unsolved>> {
        let known = markov(&*prover)?;
        let flip = judge.as_oracle()?;
        let choice = WordChoice::Best;
        match ClaimValues::new(choice, known, flip, instance, parameters, grid, budget) {
            Ok(values) if values.gains_by_dispute => None,
            solved => Some(solved.map(|values| Self { prover, values })),
        }
    }

    /// The prover's expectation against it.
    pub fn value(&self) -> &N {
        &self.values.value
    }

    /// The estimator as a player.
    pub fn into_player(self) -> Built<'a, N> {
        Box::new(PolicyStrategy::<_, ProverEstimator<'a, N>>::new(self))
    }

    /// The place in the grid of what it says next in a round; `None` where something else was said
    /// before than it would have said.
    fn next(&self, view: &PeView<'_, 'a, N>, alone: bool) -> Option<usize> {
        let prover = markov(&*self.prover)?;
        let values = &self.values;
        if values.stops(prover, view.root_p()) {
            // Nothing is at stake any more.
            return Some(0);
        }
        let claim = view.claim();
        let bet = values.bet(prover, claim, view.p());
        let round = values.rounds.get(&(claim, view.round(), bet))?;
        let place_of = |p: &N| values.terms.grid.iter().position(|q| q == p);
        let words: Option<Vec<usize>> = view.carried().iter().map(place_of).collect();
        let coins: Vec<bool> = view.prefix().map(|(_, coin)| coin).collect();
        round.next(&words?, &coins, alone)
    }
}

/// The strategy as a prover who plays by the round alone.
pub(crate) fn markov<'s, N: Number>(
    strategy: &'s dyn Strategy<'_, N>,
) -> Option<&'s dyn MarkovProver<N>> {
    match strategy.as_markov()? {
        Markov::Prover(prover) => Some(prover),
        _ => None,
    }
}

impl<'a, N: Number> Policy<N, ProverEstimator<'a, N>> for BestEstimator<'a, N> {
    fn choose(
        &self,
        view: PeView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut PolicyState,
    ) -> Option<Choice<N>> {
        let Some(asked) = EstimateQuery::of(request) else {
            // It may dispute a step, and gains by none.
            return Some(Choice::Sure(Reply::Challenge(None)));
        };
        let next = match asked.place {
            None => self.values.first,
            Some(_) => self.next(&view, asked.alone)?,
        };
        let p = self.values.terms.grid.get(next)?.clone();
        Some(Choice::Sure(Reply::Probability(p)))
    }
}
