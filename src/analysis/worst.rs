//! The worst estimator that the honest prover of PE Lemma A.5 can meet, by dynamic programming
//! (PROTOCOLS, "Making exact evaluation fast").
//!
//! What the rest of a debate is worth at a claim with probability p is −A·w·p + W(claim, A), where
//! the bet A follows from p by equation (13): at most three values a claim and round, not one for
//! every p. Within a round honest Alice goes on with the subclaim that was most wrong so far, so
//! all that matters of what was said is which one that is, and of the coins (where the gate is
//! symmetric) how many came out true.

mod round;

use std::collections::HashMap;

use super::walk::{Effort, Steps, Unsolved};
use crate::number::{Number, power};
use crate::player::prover_estimator::PeView;
use crate::player::prover_estimator::provers::{bet_beyond, error, sound_place};
use crate::player::{Choice, Mind, Policy, Spec};
use crate::protocol::prover_estimator::{Carry, EarlyLeaf, Parameters};
use crate::protocol::{Bet, ProverEstimator, Reply, Request, Seat};
use crate::scenario::{ClaimId, Informed, Instance, Support};
use round::{Round, Stage};

/// A claim in a round, with the bet on it.
type Node = (ClaimId, u32, Bet);

/// The worst estimator against honest Alice among those that say the probabilities of a grid.
#[derive(Debug)]
pub struct Worst<'a, N> {
    instance: &'a Instance,
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
    /// Whether Alice follows equation (13) whatever was said of the root.
    markov: bool,
    /// How often the judge errs.
    flip: N,
    grid: Vec<N>,
}

/// How the honest prover is called, and whether it is the one of equation (13) alone.
fn honest(prover: &Spec) -> Option<bool> {
    let arguments: Vec<&str> = prover.arguments.iter().map(String::as_str).collect();
    match (prover.name.as_str(), arguments.as_slice()) {
        ("honest", []) => Some(false),
        ("honest", ["markov"]) => Some(true),
        _ => None,
    }
}

/// How often a judge errs, where it is one of those that answer from the oracle.
pub(super) fn flip<N: Number>(judge: &Spec) -> Option<N> {
    match (judge.name.as_str(), judge.arguments.as_slice()) {
        ("oracle", []) => Some(N::zero()),
        ("noisy", [flip]) => {
            let flip = crate::number::parse(flip).ok()?;
            flip.is_probability().then(|| N::from_exact(&flip))
        }
        _ => None,
    }
}

impl<'a, N: Number> Worst<'a, N> {
    /// The worst estimator against this prover and judge; `None` where the prover is not the
    /// honest one, or the judge does not answer from the oracle.
    ///
    /// # Errors
    /// Where it takes too long, or the oracle cannot answer.
    pub fn against(
        [prover, _, judge]: &[crate::player::Spec; 3],
        instance: &'a Instance,
        parameters: &Parameters,
        grid: &[N],
        effort: Effort<'_>,
    ) -> Option<Result<Self, Unsolved>> {
        let (markov, flip) = (honest(prover)?, flip(judge)?);
        let ratio = N::from_exact(&parameters.ratio());
        let depth = instance.size().depth;
        let terms = Terms {
            epsilon: N::from_exact(&parameters.epsilon.0),
            weights: (0..=depth + 1).map(|k| power(&ratio, k)).collect(),
            carry: parameters.carry,
            early_leaf: parameters.early_leaf,
            markov,
            flip,
            grid: grid.to_vec(),
        };
        let mut worst = Self {
            instance,
            terms,
            worth: HashMap::new(),
            rounds: HashMap::new(),
            first: 0,
            value: N::zero(),
        };
        Some(worst.find(effort).map(|()| worst))
    }

    /// What Alice expects against it.
    #[must_use]
    pub fn value(&self) -> &N {
        &self.value
    }

    fn informed(&self) -> Informed<'a> {
        Informed::new(self.instance)
    }

    fn find(&mut self, effort: Effort<'_>) -> Result<(), Unsolved> {
        if self.terms.grid.is_empty() {
            return Err(Unsolved::NoReply(Seat::Opponent));
        }
        let mut steps = Steps::of(effort);
        let root = self.instance.root();
        let answer = self.informed().truth(root).unwrap_or(false);
        let depth = self.instance.size().depth;
        let mut best: Option<(usize, N)> = None;
        for (place, p) in self.terms.grid.clone().iter().enumerate() {
            let agrees = if answer {
                p.clone()
            } else {
                N::one() - p.clone()
            };
            let mut value = self.terms.weights[depth as usize + 1].clone() * agrees;
            if !self.stops(answer, p) {
                value += self.at(root, depth, p, &mut steps)?;
            }
            if best.as_ref().is_none_or(|(_, least)| value < *least) {
                best = Some((place, value));
            }
        }
        if let Some((place, value)) = best {
            (self.first, self.value) = (place, value);
        }
        Ok(())
    }

    /// Whether Alice bets nothing at all after this was said of the root.
    fn stops(&self, answer: bool, p: &N) -> bool {
        let off = N::indicator(answer) - p.clone();
        !self.terms.markov && Bet::beyond(&off, &self.terms.epsilon) == Bet::AboutRight
    }

    /// The claim's round, a leaf's being its own.
    fn round_of(&self, claim: ClaimId, round: u32) -> u32 {
        if self.terms.early_leaf == EarlyLeaf::Jump && self.instance.is_leaf(claim) {
            0
        } else {
            round
        }
    }

    /// What the rest is worth at a claim of which p was said.
    fn at(
        &mut self,
        claim: ClaimId,
        round: u32,
        p: &N,
        steps: &mut Steps<'_>,
    ) -> Result<N, Unsolved> {
        let round = self.round_of(claim, round);
        let bet = bet_beyond(self.informed(), claim, p, &self.terms.epsilon);
        let beyond = self.worth((claim, round, bet), steps)?;
        let weight = self.terms.weights[round as usize].clone();
        Ok(beyond - bet.times(weight * p.clone()))
    }

    /// W of a node.
    fn worth(&mut self, node: Node, steps: &mut Steps<'_>) -> Result<N, Unsolved> {
        if let Some(known) = self.worth.get(&node) {
            return Ok(known.clone());
        }
        let (claim, round, bet) = node;
        let stake = bet.times(self.terms.weights[round as usize].clone());
        let offered = self.instance.supports(claim);
        let worth = match offered.get(sound_place(self.informed(), offered)) {
            None => stake * self.verdict(claim)?,
            Some(support) => {
                let found = self.round(support, round, stake, steps)?;
                let worth = found.value().clone();
                self.rounds.insert(node, found);
                worth
            }
        };
        self.worth.insert(node, worth.clone());
        Ok(worth)
    }

    fn round(
        &mut self,
        support: &Support,
        round: u32,
        stake: N,
        steps: &mut Steps<'_>,
    ) -> Result<Round<N>, Unsolved> {
        let mut off = Vec::new();
        let mut after = Vec::new();
        for claim in &support.on {
            for p in self.terms.grid.clone() {
                off.push(error(self.informed(), *claim, &p).abs());
                after.push(self.at(*claim, round - 1, &p, steps)?);
            }
        }
        steps.take(round::cost(support, self.terms.grid.len()))?;
        let stage = Stage {
            gate: &support.gate,
            width: support.on.len(),
            grid: &self.terms.grid,
            stake,
            off,
            after,
        };
        Ok(match self.terms.carry {
            Carry::Conditional => stage.conditional(),
            Carry::Marginal => stage.marginal(),
        })
    }

    /// The probability that the judge says yes at a leaf whose proof bits are the true ones.
    fn verdict(&self, leaf: ClaimId) -> Result<N, Unsolved> {
        let informed = self.informed();
        let bits = self.instance.reads(leaf).iter();
        let bits: Vec<bool> = bits.map(|bit| informed.bit(*bit)).collect();
        let yes = informed
            .oracle(leaf, &bits)
            .ok_or(Unsolved::NoReply(Seat::Judge))?;
        let (yes, flip) = (N::of(&yes), self.terms.flip.clone());
        let kept = yes.clone() * (N::one() - flip.clone());
        Ok(kept + (N::one() - yes) * flip)
    }

    /// The place in the grid of what it says next in a round; `None` where something else was said
    /// before than it would have said.
    fn next(&self, view: &PeView<'_, 'a, N>, alone: bool) -> Option<usize> {
        let answer = view.answer().unwrap_or(false);
        if self.stops(answer, view.root_p()) {
            // Nothing is at stake any more.
            return Some(0);
        }
        let claim = view.claim();
        let bet = bet_beyond(self.informed(), claim, view.p(), &self.terms.epsilon);
        let round = self.rounds.get(&(claim, view.round(), bet))?;
        let place_of = |p: &N| self.terms.grid.iter().position(|q| q == p);
        let said: Option<Vec<usize>> = view.carried().iter().map(place_of).collect();
        let coins: Vec<bool> = view.prefix().map(|(_, coin)| coin).collect();
        round.next(&said?, &coins, alone)
    }
}

impl<'a, N: Number> Policy<N, ProverEstimator<'a, N>> for Worst<'a, N> {
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
