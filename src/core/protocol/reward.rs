//! Rewards: the formula of what a round pays. Each protocol makes its own where it pays.

use super::{Bet, Round};
use crate::number::Number;

/// A reward as its formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Reward<N> {
    /// r_init = weight · 1(ẑ = a).
    Agreement {
        /// r^(d+1).
        weight: N,
        /// The exponent of r in the weight.
        exponent: u32,
        /// The root's coin ẑ.
        coin: bool,
        /// The prover's answer a.
        answer: bool,
    },
    /// r_k = weight · A_k · (outcome − p_k).
    Bet {
        /// The round k.
        round: u32,
        /// r^k.
        weight: N,
        /// The exponent of r in the weight.
        exponent: u32,
        /// A_k.
        bet: Bet,
        /// The gate's value M(z), or the oracle's answer O at a leaf.
        outcome: bool,
        /// True if the outcome is the oracle's.
        judged: bool,
        /// p_k.
        p: N,
    },
    /// +1 where the verifier decides for the prover, else −1.
    Decided {
        /// True if it does.
        for_prover: bool,
    },
    /// p − ½: how far the judge was brought from even odds towards the prover's answer.
    Persuaded {
        /// The judge's probability of the answer that the prover argues for.
        p: N,
    },
    /// +1 where the oracle's answer is the claimed one, else −1.
    Verdict {
        /// The prover's answer to the leaf.
        claimed: bool,
        /// The oracle's answer.
        answer: bool,
    },
}

impl<N: Number> Reward<N> {
    /// The reward of the prover.
    #[inline]
    pub fn value(&self) -> N {
        match self {
            Self::Agreement {
                weight,
                coin,
                answer,
                ..
            } => {
                if coin == answer {
                    weight.clone()
                } else {
                    N::zero()
                }
            }
            Self::Bet {
                weight,
                bet,
                outcome,
                p,
                ..
            } => bet.times(weight.clone() * (N::indicator(*outcome) - p.clone())),
            Self::Decided { for_prover } => one_if(*for_prover),
            Self::Persuaded { p } => p.clone() - N::ratio(1, 2),
            Self::Verdict { claimed, answer } => one_if(claimed == answer),
        }
    }

    /// The same, had the gate or the oracle that a bet is on come out so.
    #[must_use]
    pub fn with_outcome(mut self, holds: bool) -> Self {
        if let Self::Bet { outcome, .. } = &mut self {
            *outcome = holds;
        }
        self
    }

    /// The round that is rewarded.
    pub fn round(&self) -> Round {
        match self {
            Self::Agreement { .. } => Round::Initial,
            Self::Bet { round, .. } => Round::Number(*round),
            Self::Decided { .. } | Self::Persuaded { .. } | Self::Verdict { .. } => {
                Round::Number(0)
            }
        }
    }
}

/// +1, or −1.
fn one_if<N: Number>(prover: bool) -> N {
    if prover { N::one() } else { -N::one() }
}
