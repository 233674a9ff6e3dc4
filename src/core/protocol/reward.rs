//! Rewards: the formula of a round's payment. Each protocol builds its rewards when it pays them.

use super::event::{Event, EventSink};
use super::{Bet, Ledger, Round, Seat, Spent};
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
        /// True if the outcome is the oracle's answer, false if it is the gate's value.
        judged: bool,
        /// p_k.
        p: N,
    },
    /// +1 if the verifier decides for the prover, else −1.
    Decided {
        /// True if it does.
        for_prover: bool,
    },
    /// p − ½: how far the judge moved from ½ towards the prover's answer.
    Persuaded {
        /// The judge's probability of the answer that the prover argues for.
        p: N,
    },
    /// +1 if the oracle's answer is the claimed one, else −1.
    Verdict {
        /// The prover's answer to the leaf.
        claimed: bool,
        /// The oracle's answer.
        answer: bool,
    },
}

impl<N: Number> Reward<N> {
    /// Returns the reward of a round, with r^round as `weight`, for a bet against p on a gate's outcome.
    pub fn bet(round: u32, weight: N, bet: Bet, outcome: bool, p: N) -> Self {
        Self::Bet {
            round,
            weight,
            exponent: round,
            bet,
            outcome,
            judged: false,
            p,
        }
    }

    /// Returns the amount that the reward pays the prover.
    #[inline]
    pub fn payment_to_prover(&self) -> N {
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

    /// Returns the reward that would be paid if the gate or oracle of the bet had this outcome.
    #[must_use]
    pub fn with_outcome(mut self, holds: bool) -> Self {
        if let Self::Bet { outcome, .. } = &mut self {
            *outcome = holds;
        }
        self
    }

    /// Returns the rewarded round.
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

/// A round's reward before it is paid: the fixed parts of its formula.
#[derive(Clone, Debug, PartialEq)]
pub struct UnpaidReward<N> {
    pub round: Round,
    /// The maximum payment of the round, r^k.
    pub weight: N,
    /// p_k, once the round has begun.
    pub p: Option<N>,
    /// A_k, if the bet was made and is visible.
    pub bet: Option<Bet>,
    /// M(z), if the coins determine it.
    pub outcome: Option<bool>,
}

impl<N: Number> UnpaidReward<N> {
    /// Returns the least and the greatest reward that the prover can still receive for the round, over all open values.
    /// A verdict's ±1 is the bet of weight 1 on an estimate of 0 or 1.
    pub fn possible_payments(&self) -> [N; 2] {
        if self.round == Round::Initial {
            return [false, true].map(|coin| self.agreement(coin).payment_to_prover());
        }
        let bets = self.bet.map_or_else(|| Bet::ALL.to_vec(), |bet| vec![bet]);
        let outcomes = self
            .outcome
            .map_or_else(|| vec![false, true], |one| vec![one]);
        let estimates = match &self.p {
            Some(p) => vec![p.clone()],
            None => vec![N::zero(), N::one()],
        };
        let mut range: Option<[N; 2]> = None;
        for bet in bets {
            for outcome in &outcomes {
                for p in &estimates {
                    let value = self.bet(bet, *outcome, p.clone()).payment_to_prover();
                    range = Some(match range {
                        None => [value.clone(), value],
                        Some([least, most]) if value < least => [value, most],
                        Some([least, most]) if value > most => [least, value],
                        Some(range) => range,
                    });
                }
            }
        }
        range.unwrap_or_else(|| [N::zero(), N::zero()])
    }

    fn agreement(&self, coin: bool) -> Reward<N> {
        Reward::Agreement {
            weight: self.weight.clone(),
            exponent: 0,
            coin,
            answer: true,
        }
    }

    fn bet(&self, bet: Bet, outcome: bool, p: N) -> Reward<N> {
        Reward::bet(0, self.weight.clone(), bet, outcome, p)
    }
}

/// The account of a debate: the prover's payments and every seat's spending so far.
#[derive(Clone, Debug)]
pub struct PaymentsAndSpending<N> {
    /// The sum of the payments that the prover has received.
    pub(super) payoff: N,
    /// The spending of each seat.
    pub(super) ledger: Ledger,
    /// True if the rules fix the prover's claim, so that the payoff says if the claim is true.
    pub(super) fixes_claim: bool,
}

impl<N> PaymentsAndSpending<N> {
    /// Counts a reply of a seat.
    #[inline]
    pub(super) fn count_reply(&mut self, seat: Seat) {
        self.ledger.spending_of_seat_mut(seat).calls += 1;
    }

    /// Returns the spending of the judge.
    #[inline]
    pub(super) fn judge_spending(&mut self) -> &mut Spent {
        self.ledger.spending_of_seat_mut(Seat::Judge)
    }
}

impl<N: Number> PaymentsAndSpending<N> {
    /// Creates the payments and spending of a new debate, all 0.
    pub(super) fn new(fixes_claim: bool) -> Self {
        Self {
            payoff: N::zero(),
            ledger: Ledger::default(),
            fixes_claim,
        }
    }

    /// Pays the only reward of a debate, and ends the debate.
    pub(super) fn pay_and_end(&mut self, reward: Reward<N>, sink: &mut dyn EventSink<N>) {
        self.payoff = reward.payment_to_prover();
        sink.note_unsealed(Seat::Chance, || Event::Rewarded(reward));
        self.end_debate(sink);
    }

    /// Ends the debate and records its payoff.
    pub(super) fn end_debate(&self, sink: &mut dyn EventSink<N>) {
        let payoff = &self.payoff;
        sink.note_unsealed(Seat::Chance, || Event::Ended {
            payoff: payoff.clone(),
        });
    }

    /// Ends a debate that a verifier decides.
    pub(super) fn end_by_verifier(&mut self, for_prover: bool, sink: &mut dyn EventSink<N>) {
        self.pay_and_end(Reward::Decided { for_prover }, sink);
    }
}

/// Returns +1 or −1.
fn one_if<N: Number>(prover: bool) -> N {
    if prover { N::one() } else { -N::one() }
}

/// Returns the rounds of a debate that pays once, at its end: from the first down to 0, the only one that pays.
pub(super) fn schedule_of_end<N: Number>(first: u32) -> Vec<(Round, N)> {
    let rounds = (0..=first).rev();
    rounds
        .map(|k| (Round::Number(k), N::indicator(k == 0)))
        .collect()
}
