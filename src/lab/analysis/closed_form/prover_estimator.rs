//! The worst estimator that a built-in prover can meet, by dynamic programming (PROTOCOLS, "Making
//! exact evaluation fast"); against honest Alice that of PE Lemma A.5.
//!
//! What the rest of a debate is worth at a claim with probability p is −A·w·p + W(claim, A), where
//! the bet A follows from the claim and p: at most three values a claim and round, not one for
//! every p. Within a round honest Alice goes on with the subclaim that was most wrong so far, so
//! all that matters of what was said is which one that is, and of the coins (where the gate is
//! symmetric) how many came out true. Who goes on anywhere makes even that irrelevant: what each
//! word is worth adds up.

pub(in crate::analysis) mod random;
mod round;
mod way;

use std::collections::HashMap;

use crate::analysis::expectimax::{Steps, Unsolved};
use debate_core::budget::{Budget, Exceeded};
use debate_core::number::{Number, powers};
use debate_core::player::prover_estimator::PeView;
use debate_core::player::{Choice, Mind, Policy, Spec};
use debate_core::protocol::prover_estimator::{Carry, EarlyLeaf, Parameters};
use debate_core::protocol::{Bet, ProverEstimator, Reply, Request, Seat};
use debate_core::scenario::{BitId, ClaimId, Instance, Support};
pub(in crate::analysis) use round::WordChoice;
use round::{Round, Stage};
use way::Way;

/// A claim in a round, with the bet on it.
type Node = (ClaimId, u32, Bet);

/// The worst estimator against a prover among those that say the probabilities of a grid.
#[derive(Debug)]
pub struct BestEstimator<'a, N> {
    instance: &'a Instance,
    way: Way<'a>,
    /// What the prover says of the root.
    answer: bool,
    terms: Terms<N>,
    /// What each node is worth beyond −A·w·p.
    worth: HashMap<Node, N>,
    /// The rounds with the best words in each.
    rounds: HashMap<Node, Round<N>>,
    /// The place in the grid of what it says of the root.
    first: usize,
    value: N,
}

/// What never changes.
#[derive(Debug)]
struct Terms<N> {
    epsilon: N,
    /// r^0 … r^(d+1).
    weights: Vec<N>,
    carry: Carry,
    early_leaf: EarlyLeaf,
    /// How often the judge errs.
    flip: N,
    grid: Vec<N>,
    said: WordChoice,
}

/// How often a judge errs, where it is one of those that answer from the oracle.
pub(in crate::analysis) fn flip<N: Number>(judge: &Spec) -> Option<N> {
    match (judge.name.as_str(), judge.arguments.as_slice()) {
        ("oracle", []) => Some(N::zero()),
        ("noisy", [flip]) => {
            let flip = debate_core::number::parse(flip).ok()?;
            flip.is_probability().then(|| N::from_exact(&flip))
        }
        _ => None,
    }
}

impl<'a, N: Number> BestEstimator<'a, N> {
    /// The worst estimator against this prover and judge; `None` where the prover draws what it
    /// bets or is not a built-in one, or the judge does not answer from the oracle.
    ///
    /// # Errors
    /// Where it takes too long, or the oracle cannot answer.
    pub fn against(
        [prover, _, judge]: &[Spec; 3],
        instance: &'a Instance,
        parameters: &Parameters,
        grid: &[N],
        budget: Budget<'_>,
    ) -> Option<Result<Self, Unsolved>> {
        Self::saying(
            WordChoice::Best,
            [prover, judge],
            instance,
            parameters,
            grid,
            budget,
        )
    }

    /// The same of an estimator who says these words, of which the one that says any plays by no
    /// table of the best.
    pub(in crate::analysis) fn saying(
        said: WordChoice,
        [prover, judge]: [&Spec; 2],
        instance: &'a Instance,
        parameters: &Parameters,
        grid: &[N],
        budget: Budget<'_>,
    ) -> Option<Result<Self, Unsolved>> {
        let (way, flip) = (Way::of(prover, instance)?, flip(judge)?);
        let ratio = N::from_exact(&parameters.ratio());
        let depth = instance.size().depth;
        let terms = Terms {
            epsilon: N::from_exact(&parameters.epsilon.0),
            weights: powers(&ratio, depth + 1).collect(),
            carry: parameters.carry,
            early_leaf: parameters.early_leaf,
            flip,
            grid: grid.to_vec(),
            said,
        };
        let mut worst = Self {
            instance,
            answer: way.answer::<N>(),
            way,
            terms,
            worth: HashMap::new(),
            rounds: HashMap::new(),
            first: 0,
            value: N::zero(),
        };
        Some(worst.find(budget).map(|()| worst))
    }

    /// What Alice expects against it.
    #[must_use]
    pub fn value(&self) -> &N {
        &self.value
    }

    /// What the prover says of the root.
    pub(in crate::analysis) fn answers(&self) -> bool {
        self.answer
    }

    /// The prover's bet.
    fn bet(&self, claim: ClaimId, p: &N) -> Bet {
        let epsilon = &self.terms.epsilon;
        self.way.bet(self.answer, claim, p, epsilon)
    }

    fn find(&mut self, budget: Budget<'_>) -> Result<(), Unsolved> {
        if self.terms.grid.is_empty() {
            return Err(Unsolved::NoReply(Seat::Opponent));
        }
        let mut steps = Steps::of(budget);
        let root = self.instance.root();
        let depth = self.instance.size().depth;
        let mut values = Vec::with_capacity(self.terms.grid.len());
        for p in self.terms.grid.clone() {
            let agrees = if self.answer {
                p.clone()
            } else {
                N::one() - p.clone()
            };
            let mut value = self.terms.weights[depth as usize + 1].clone() * agrees;
            if !self.stops(&p) {
                value += self.at(root, depth, &p, &mut steps)?;
            }
            values.push(value);
        }
        let (place, value) = self.terms.said.settled(values.into_iter());
        (self.first, self.value) = (place as usize, value);
        Ok(())
    }

    /// Whether Alice bets nothing at all after this was said of the root.
    fn stops(&self, p: &N) -> bool {
        let off = N::indicator(self.answer) - p.clone();
        self.way.may_stop() && Bet::beyond(&off, &self.terms.epsilon) == Bet::AboutRight
    }

    /// The claim's round, a leaf's being its own.
    fn round_of(&self, claim: ClaimId, round: u32) -> u32 {
        if self.terms.early_leaf == EarlyLeaf::Jump && self.instance.is_leaf(claim) {
            0
        } else {
            round
        }
    }

    /// The node of a claim of which p was said.
    fn node(&self, claim: ClaimId, round: u32, p: &N) -> Node {
        (claim, self.round_of(claim, round), self.bet(claim, p))
    }

    /// What the rest is worth at a claim of which p was said.
    fn at(
        &mut self,
        claim: ClaimId,
        round: u32,
        p: &N,
        steps: &mut Steps<'_>,
    ) -> Result<N, Unsolved> {
        let node = self.node(claim, round, p);
        let (_, round, bet) = node;
        let beyond = self.worth(node, steps)?;
        let weight = self.terms.weights[round as usize].clone();
        Ok(beyond - bet.times(weight * p.clone()))
    }

    /// W of a node: first of all nodes that it hangs on, however deep these lie.
    fn worth(&mut self, node: Node, steps: &mut Steps<'_>) -> Result<N, Unsolved> {
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
                let worth = self.found(next, steps)?;
                self.worth.insert(next, worth);
            }
        }
        last.ok_or(Unsolved::NoReply(Seat::Opponent))
    }

    /// The nodes that a node hangs on and of which W is not known yet.
    fn unknown_below(&self, (claim, round, _): Node) -> Vec<Node> {
        let offered = self.instance.supports(claim);
        let chosen = offered.get(self.way.support(offered));
        let claims = chosen.into_iter().flat_map(|support| &support.on);
        let mut found = Vec::new();
        for claim in claims {
            let from = found.len();
            for p in &self.terms.grid {
                let node = self.node(*claim, round - 1, p);
                if !self.worth.contains_key(&node) && !found[from..].contains(&node) {
                    found.push(node);
                }
            }
        }
        found
    }

    /// W of a node, that of all that it hangs on being known.
    fn found(&mut self, node: Node, steps: &mut Steps<'_>) -> Result<N, Unsolved> {
        let (claim, round, bet) = node;
        let stake = bet.times(self.terms.weights[round as usize].clone());
        let offered = self.instance.supports(claim);
        match offered.get(self.way.support(offered)) {
            None => Ok(stake * self.verdict(claim)?),
            Some(support) => {
                let found = self.round(support, round, stake, steps)?;
                let worth = found.value().clone();
                self.rounds.insert(node, found);
                Ok(worth)
            }
        }
    }

    fn round(
        &mut self,
        support: &Support,
        round: u32,
        stake: N,
        steps: &mut Steps<'_>,
    ) -> Result<Round<N>, Unsolved> {
        let leads = self.way.follows_words();
        let (width, grid) = (support.on.len(), self.terms.grid.len());
        let cost = round::cost(support, grid, leads);
        steps.take(cost).map_err(|error| match error {
            Exceeded::TooLarge { limit, .. } => Unsolved::TooFine {
                width,
                grid,
                steps: cost,
                most: limit,
            },
            Exceeded::Stopped => Unsolved::STOPPED,
        })?;
        let mut after = Vec::new();
        for claim in &support.on {
            for p in self.terms.grid.clone() {
                after.push(self.at(*claim, round - 1, &p, steps)?);
            }
        }
        let stage = Stage {
            gate: &support.gate,
            width: support.on.len(),
            grid: &self.terms.grid,
            said: self.terms.said,
            stake,
            going: self.way.going(&support.on, &self.terms.grid),
            after,
        };
        Ok(match self.terms.carry {
            Carry::Conditional => stage.conditional(),
            Carry::Marginal => stage.marginal(),
        })
    }

    /// The probability that the judge says yes at a leaf, its proof bits being the prover's.
    fn verdict(&self, leaf: ClaimId) -> Result<N, Unsolved> {
        let bits = self.instance.reads(leaf).iter();
        let given = |bit: &BitId| self.way.proof_bit(*bit);
        let bits: Vec<bool> = bits.map(given).collect();
        let yes = self
            .instance
            .oracle(leaf, &bits)
            .ok_or(Unsolved::NoReply(Seat::Judge))?;
        let (yes, flip) = (N::of(&yes), self.terms.flip.clone());
        let kept = yes.clone() * (N::one() - flip.clone());
        Ok(kept + (N::one() - yes) * flip)
    }

    /// The place in the grid of what it says next in a round; `None` where something else was said
    /// before than it would have said.
    fn next(&self, view: &PeView<'_, 'a, N>, alone: bool) -> Option<usize> {
        if self.stops(view.root_p()) {
            // Nothing is at stake any more.
            return Some(0);
        }
        let claim = view.claim();
        let bet = self.bet(claim, view.p());
        let round = self.rounds.get(&(claim, view.round(), bet))?;
        let place_of = |p: &N| self.terms.grid.iter().position(|q| q == p);
        let said: Option<Vec<usize>> = view.carried().iter().map(place_of).collect();
        let coins: Vec<bool> = view.prefix().map(|(_, coin)| coin).collect();
        round.next(&said?, &coins, alone)
    }
}

impl<'a, N: Number> Policy<N, ProverEstimator<'a, N>> for BestEstimator<'a, N> {
    fn choose(
        &self,
        view: PeView<'_, 'a, N>,
        request: &Request<N>,
        _mind: &mut Mind,
    ) -> Option<Choice<N>> {
        let &Request::Probability { place, alone, .. } = request else {
            return None;
        };
        let next = match place {
            None => self.first,
            Some(_) => self.next(&view, alone)?,
        };
        let p = self.terms.grid.get(next)?.clone();
        Some(Choice::Sure(Reply::Probability(p)))
    }
}

#[cfg(test)]
mod tests;
