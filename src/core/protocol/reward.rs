//! Rewards: the payment of each round to the prover, stored as the terms of its formula.

use super::event::{Event, EventSink};
use super::{Bet, ResourceCostsBySeat, Round, Seat, SeatResourceCosts};
use crate::number::Number;

/// A reward as its formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Reward<N> {
    /// The reward for the root's coin: r_init = weight · 1(ẑ = a).
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
    /// The reward of the bet of round k: r_k = weight · A_k · (outcome − p_k).
    Bet {
        /// The round k.
        round: u32,
        /// r^k.
        weight: N,
        /// The exponent of r in the weight.
        exponent: u32,
        /// A_k.
        bet: Bet,
        /// The outcome of the bet: the gate's value M(z), or the oracle's answer O at a leaf.
        outcome: bool,
        /// True if the outcome is the oracle's answer, false if it is the gate's value.
        judged: bool,
        /// p_k.
        p: N,
    },
    /// The reward of a debate that a verifier decides: +1 if it decides for the prover, else −1.
    Decided {
        /// True if the verifier decides for the prover.
        for_prover: bool,
    },
    /// The reward of a debate in free speeches: p − ½, with the judge's probability p of the prover's answer.
    Persuaded {
        /// The judge's probability of the answer that the prover argues for.
        p: N,
    },
    /// The only reward of plain recursive debate. The prover gets +1 if the oracle's answer about the leaf equals the
    /// prover's answer, else −1.
    Verdict {
        /// The prover's answer to the leaf.
        claimed: bool,
        /// The oracle's answer.
        answer: bool,
    },
}

impl<N: Number> Reward<N> {
    /// Returns the reward of a round for a bet against the estimate `p`, if the gate has this outcome. `weight` is
    /// r^round.
    pub fn bet_reward(round: u32, weight: N, bet: Bet, outcome: bool, p: N) -> Self {
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

    /// Returns the amount that this reward pays to the prover.
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

    /// Returns the reward of this bet for another outcome of the gate or oracle. Rewards that are not for a bet are
    /// returned unchanged.
    #[must_use]
    pub fn with_bet_outcome(mut self, gate_or_oracle_outcome: bool) -> Self {
        if let Self::Bet { outcome, .. } = &mut self {
            *outcome = gate_or_oracle_outcome;
        }
        self
    }

    /// Returns the round for which this reward is paid: the initial round for the prover's first answer, the bet's
    /// round for a bet, and round 0 for the result of a debate without bets.
    pub fn round_of_reward(&self) -> Round {
        match self {
            Self::Agreement { .. } => Round::Initial,
            Self::Bet { round, .. } => Round::Number(*round),
            Self::Decided { .. } | Self::Persuaded { .. } | Self::Verdict { .. } => {
                Round::Number(0)
            }
        }
    }
}

/// A round's reward before it is paid: the terms of its formula that are already known.
#[derive(Clone, Debug, PartialEq)]
pub struct RewardBeforePayment<N> {
    pub round: Round,
    /// The maximum payment of the round, r^k.
    pub weight: N,
    /// p_k, the estimate of the round's claim; `None` before the round begins.
    pub p: Option<N>,
    /// A_k, the prover's bet; `None` if it is not yet placed or is sealed.
    pub bet: Option<Bet>,
    /// M(z), the gate's value; `None` as long as the coins do not determine it.
    pub outcome: Option<bool>,
}

impl<N: Number> RewardBeforePayment<N> {
    /// Returns the least and the greatest reward that the prover can still receive for the round, over all values of
    /// the unknown terms. A verdict's ±1 counts as a bet of weight 1 on an estimate of 0 or 1.
    pub fn least_and_greatest_round_reward(&self) -> [N; 2] {
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
        Reward::bet_reward(0, self.weight.clone(), bet, outcome, p)
    }
}

/// The account of a debate: the sum of the prover's payments, and the costs of every seat so far.
#[derive(Clone, Debug)]
pub struct PaymentsAndResourceCosts<N> {
    /// The sum of the payments that the prover has received.
    pub(super) payoff: N,
    /// The spending of each seat.
    pub(super) ledger: ResourceCostsBySeat,
    /// True if, under these rules, the prover's claim is always that the root is true. A positive payoff then means
    /// that the debate finds it true.
    pub(super) prover_always_claims_true: bool,
}

impl<N> PaymentsAndResourceCosts<N> {
    /// Adds one to the number of a seat's replies.
    #[inline]
    pub(super) fn count_reply(&mut self, seat: Seat) {
        self.ledger.spending_of_seat_mut(seat).calls += 1;
    }

    /// Returns the costs of the judge, to add to them.
    #[inline]
    pub(super) fn judge_spending(&mut self) -> &mut SeatResourceCosts {
        self.ledger.spending_of_seat_mut(Seat::Judge)
    }
}

impl<N: Number> PaymentsAndResourceCosts<N> {
    /// Creates the account of a new debate, with all payments and costs 0.
    pub(super) fn new(prover_always_claims_true: bool) -> Self {
        Self {
            payoff: N::zero(),
            ledger: ResourceCostsBySeat::default(),
            prover_always_claims_true,
        }
    }

    /// Pays the prover the single reward of a debate that pays only at its end, and ends the debate.
    pub(super) fn pay_and_end(&mut self, reward: Reward<N>, sink: &mut dyn EventSink<N>) {
        self.payoff = reward.payment_to_prover();
        sink.record_unsealed_event(Seat::Chance, || Event::Rewarded(reward));
        self.end_debate(sink);
    }

    /// Records the end of the debate with its payoff as an event.
    pub(super) fn end_debate(&self, sink: &mut dyn EventSink<N>) {
        let payoff = &self.payoff;
        sink.record_unsealed_event(Seat::Chance, || Event::Ended {
            payoff: payoff.clone(),
        });
    }

    /// Ends the debate with the verifier's decision for or against the prover.
    pub(super) fn end_by_verifier(&mut self, for_prover: bool, sink: &mut dyn EventSink<N>) {
        self.pay_and_end(Reward::Decided { for_prover }, sink);
    }
}

/// Returns +1 or −1.
fn one_if<N: Number>(prover: bool) -> N {
    if prover { N::one() } else { -N::one() }
}

/// Returns the rounds and weights of a debate that pays only once, in its last round. Rounds count down from `first` to
/// 0; only round 0 has a weight above 0.
pub(super) fn schedule_of_end<N: Number>(first: u32) -> Vec<(Round, N)> {
    let rounds = (0..=first).rev();
    rounds
        .map(|k| (Round::Number(k), N::indicator(k == 0)))
        .collect()
}
