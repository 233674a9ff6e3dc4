//! Depth-first search of the game tree. It uses a loop with an explicit stack, so the length of a debate is unlimited.

use super::ExhaustiveExpectimax;
use super::half_coins::GameTreeEdge;
use crate::expectation::{
    CertainRewardsAndExpenses, ExpectedRewardsAndExpenses, PayoffNotComputedReason,
};
use crate::game::{DebateAndStrategyStates, SeatDecisionMaker, StateKey, sample_key};
use debate_core::number::Number;
use debate_core::protocol::{PendingTurn, Reply, Reward, Rules as _, Seat};

impl<'a, N: Number> ExhaustiveExpectimax<'_, 'a, N> {
    /// Runs the search until no frame is left on the stack.
    pub(super) fn run(
        &mut self,
        mut next: SearchStep<'a, N>,
        mut waiting: Vec<SearchStackFrame<'a, N>>,
    ) -> Result<ExpectedRewardsAndExpenses<N>, PayoffNotComputedReason> {
        loop {
            next = match next {
                SearchStep::Enter { at, fresh } => self.enter(*at, fresh, &mut waiting)?,
                SearchStep::Found(rest) => match waiting.pop() {
                    Some(waits) => self.resume_frame(waits, rest, &mut waiting)?,
                    None => return Ok(rest),
                },
            };
        }
    }

    /// Follows replies without an alternative up to a position with several branches. If `fresh` is true, the expected
    /// values of the position are computed even if the table has them.
    fn enter(
        &mut self,
        mut at: DebateAndStrategyStates<'a, N>,
        mut fresh: bool,
        waiting: &mut Vec<SearchStackFrame<'a, N>>,
    ) -> Result<SearchStep<'a, N>, PayoffNotComputedReason> {
        let mut gains: Vec<CertainRewardsAndExpenses<N>> = Vec::new();
        loop {
            let Some(turn) = at.state.request() else {
                let over = self.round_indices.finished(at.state.finding());
                let rest = gains.iter().rev().fold(
                    over,
                    ExpectedRewardsAndExpenses::preceded_by_certain_rewards,
                );
                return Ok(SearchStep::Found(rest));
            };
            if !std::mem::take(&mut fresh)
                && let Some(key) = at.state_key(self.uses_earlier_coins)
            {
                waiting.push(SearchStackFrame::After(gains));
                if let Some(known) = self.table.get(&key) {
                    return Ok(SearchStep::Found(known.clone()));
                }
                waiting.push(SearchStackFrame::Store(key));
                return Ok(SearchStep::step_that_enters_node(at, true));
            }
            let whole = at.can_replace_round_coins_by_gate_probability();
            let shared = self.half_coin_edges(&at, &turn)?;
            if shared.is_none()
                && let Some(SeatDecisionMaker::BestResponse) =
                    self.players.get(turn.seat.seat_index())
            {
                waiting.push(SearchStackFrame::After(gains));
                let each = self.options(&at.state, &turn)?.into_iter();
                let best = MaxNode {
                    at,
                    is_bit: turn.request.requested_proof_bit().is_some(),
                    turn,
                    each,
                    best: None,
                };
                return self.max_node(best, waiting);
            }
            if self.counts
                && whole
                && turn.seat == Seat::Chance
                && at.state.gate_decided_by_coins_with_estimates().is_some()
            {
                waiting.push(SearchStackFrame::After(gains));
                return self.search_counted_round(at, waiting);
            }
            let mut gain = CertainRewardsAndExpenses::default();
            let mut each = match shared {
                Some(each) => each,
                None => self.edges(&mut at, &turn, &mut gain)?,
            };
            gains.push(gain);
            if each.len() != 1 {
                waiting.push(SearchStackFrame::After(gains));
                let branch = ChanceNode {
                    at,
                    each: each.into_iter(),
                    sum: self.round_indices.zero(),
                };
                return self.chance_node(branch, waiting);
            }
            let way = each.swap_remove(0);
            self.count_played_reply()?;
            for (seat, reply) in std::iter::once(way.reply).chain(way.then) {
                gains.push(at.reply(seat, reply, &self.round_indices)?.0);
            }
        }
    }

    /// Continues the frame `waits` with the expected values `rest` that it waited for.
    fn resume_frame(
        &mut self,
        waits: SearchStackFrame<'a, N>,
        rest: ExpectedRewardsAndExpenses<N>,
        waiting: &mut Vec<SearchStackFrame<'a, N>>,
    ) -> Result<SearchStep<'a, N>, PayoffNotComputedReason> {
        Ok(match waits {
            SearchStackFrame::After(gains) => SearchStep::Found(gains.iter().rev().fold(
                rest,
                ExpectedRewardsAndExpenses::preceded_by_certain_rewards,
            )),
            SearchStackFrame::Store(key) => {
                self.table.store(key, &rest, &self.budget)?;
                SearchStep::Found(rest)
            }
            SearchStackFrame::Counted {
                probability,
                rewards,
            } => SearchStep::Found(self.weighed(&probability, &rewards, &rest)),
            SearchStackFrame::Chance(mut branch, chance, gains) => {
                let rest = gains.iter().rev().fold(
                    rest,
                    ExpectedRewardsAndExpenses::preceded_by_certain_rewards,
                );
                branch.sum.add_weighted(&chance, &rest);
                self.chance_node(branch, waiting)?
            }
            SearchStackFrame::Max(mut best, gain, bit) => {
                best.take(rest.preceded_by_certain_rewards(&gain), bit.as_ref());
                self.max_node(best, waiting)?
            }
        })
    }

    /// Follows the next edge of a chance node, or returns the node's weighted sum after the last edge.
    pub(super) fn chance_node(
        &mut self,
        mut branch: ChanceNode<'a, N>,
        waiting: &mut Vec<SearchStackFrame<'a, N>>,
    ) -> Result<SearchStep<'a, N>, PayoffNotComputedReason> {
        let Some(way) = branch.each.next() else {
            return Ok(SearchStep::Found(branch.sum));
        };
        self.count_played_reply()?;
        let mut at = branch.at.clone();
        let (seat, reply) = way.reply;
        let (gain, open) = at.reply(seat, reply, &self.round_indices)?;
        let mut gains = vec![gain];
        if let Some((seat, reply)) = way.then {
            gains.push(at.reply(seat, reply, &self.round_indices)?.0);
        } else if !open
            && self
                .players
                .iter()
                .any(SeatDecisionMaker::chooses_among_all_replies)
        {
            return Err(PayoffNotComputedReason::Hidden(seat));
        }
        waiting.push(SearchStackFrame::Chance(branch, way.chance, gains));
        Ok(SearchStep::step_that_enters_node(at, false))
    }

    /// Tries the next reply of a best response, or returns the best result after the last reply.
    fn max_node(
        &mut self,
        mut best: MaxNode<'a, N>,
        waiting: &mut Vec<SearchStackFrame<'a, N>>,
    ) -> Result<SearchStep<'a, N>, PayoffNotComputedReason> {
        while let Some(reply) = best.each.next() {
            self.count_played_reply()?;
            let mut at = best.at.clone();
            let bit = best.is_bit.then(|| reply.clone());
            match at.reply(best.turn.seat, reply, &self.round_indices) {
                Err(PayoffNotComputedReason::Illegal { .. }) => {}
                Err(error) => return Err(error),
                Ok((gain, _)) => {
                    waiting.push(SearchStackFrame::Max(best, gain, bit));
                    return Ok(SearchStep::step_that_enters_node(at, false));
                }
            }
        }
        let expected = best.best.map(|(_, expected)| SearchStep::Found(expected));
        expected.ok_or(PayoffNotComputedReason::NoReply(best.turn.seat))
    }

    /// Returns the edges of the game tree after a request, each with its probability.
    fn edges(
        &mut self,
        at: &mut DebateAndStrategyStates<'a, N>,
        turn: &PendingTurn<N>,
        gain: &mut CertainRewardsAndExpenses<N>,
    ) -> Result<Vec<GameTreeEdge<N>>, PayoffNotComputedReason> {
        let way = |(chance, reply)| GameTreeEdge {
            chance,
            reply: (turn.seat, reply),
            then: None,
        };
        let each = self.replies(at, turn, gain)?;
        Ok(each.into_iter().map(way).collect())
    }

    fn replies(
        &mut self,
        at: &mut DebateAndStrategyStates<'a, N>,
        turn: &PendingTurn<N>,
        gain: &mut CertainRewardsAndExpenses<N>,
    ) -> Result<Vec<(N, Reply<N>)>, PayoffNotComputedReason> {
        let player = self.players.get(turn.seat.seat_index());
        let strategy = player.and_then(SeatDecisionMaker::strategy_unless_best_response);
        let draw = turn.request.requested_draw();
        let key = draw
            .and_then(|(_, draw)| sample_key(draw, at.state.draw_outcomes_that_pass().as_ref()));
        let Some(key) = key else {
            return at.reply_distribution(turn, strategy, gain);
        };
        if let Some(known) = self.sampled.get(&key) {
            return Ok(known.clone());
        }
        let each = at.reply_distribution(turn, strategy, gain)?;
        self.sampled.insert(key, each.clone());
        Ok(each)
    }

    pub(super) fn count_played_reply(&mut self) -> Result<(), PayoffNotComputedReason> {
        self.played += 1;
        Ok(self.budget.check_total_steps(self.played, "replies")?)
    }

    /// Searches the rest of a round in which no player's reply depends on the coins. Follows only one outcome of the
    /// coins. The reward that depends on the gate is weighted by the gate's probability.
    fn search_counted_round(
        &mut self,
        mut at: DebateAndStrategyStates<'a, N>,
        waiting: &mut Vec<SearchStackFrame<'a, N>>,
    ) -> Result<SearchStep<'a, N>, PayoffNotComputedReason> {
        let mut gains = Vec::new();
        loop {
            let turn = at
                .state
                .request()
                .ok_or(PayoffNotComputedReason::NoReply(Seat::Chance))?;
            let mut gain = CertainRewardsAndExpenses::default();
            let each = self.replies(&mut at, &turn, &mut gain)?;
            gains.push(gain);
            self.count_played_reply()?;
            let probability = match (turn.seat, at.state.gate_decided_by_coins_with_estimates()) {
                (Seat::Chance, Some((gate, given))) => Some((gate.clone(), given.to_vec())),
                _ => None,
            };
            let (_, reply) = each
                .into_iter()
                .next()
                .ok_or(PayoffNotComputedReason::NoReply(turn.seat))?;
            let (gain, sink) = at.reply_with_sink(turn.seat, reply)?;
            let rewards = sink.paid;
            gains.push(gain);
            if let (Some((gate, given)), false) = (probability, rewards.is_empty()) {
                let probability = gate.probability(&given);
                waiting.push(SearchStackFrame::After(gains));
                waiting.push(SearchStackFrame::Counted {
                    probability,
                    rewards,
                });
                return Ok(SearchStep::step_that_enters_node(at, false));
            }
        }
    }

    /// Returns the expected values after a gate that is true with the given probability. `rewards` depend on the gate.
    fn weighed(
        &self,
        probability: &N,
        rewards: &[Reward<N>],
        rest: &ExpectedRewardsAndExpenses<N>,
    ) -> ExpectedRewardsAndExpenses<N> {
        let mut sum: ExpectedRewardsAndExpenses<N> = self.round_indices.zero();
        for (holds, chance) in [
            (true, probability.clone()),
            (false, N::one() - probability.clone()),
        ] {
            let mut gain = CertainRewardsAndExpenses::default();
            let paid = rewards
                .iter()
                .map(|reward| reward.clone().with_bet_outcome(holds));
            for reward in paid {
                gain.add_reward(
                    self.round_indices.index_of_round(reward.round_of_reward()),
                    reward.payment_to_prover(),
                );
            }
            sum.add_weighted(&chance, &rest.clone().preceded_by_certain_rewards(&gain));
        }
        sum
    }
}

/// The next step of the depth-first search.
pub(super) enum SearchStep<'a, N: Number> {
    /// Searches from a position. If `fresh` is true, the search ignores known values of this position.
    Enter {
        at: Box<DebateAndStrategyStates<'a, N>>,
        fresh: bool,
    },
    /// The expected values of the position are known. The waiting stack frame continues with them.
    Found(ExpectedRewardsAndExpenses<N>),
}

impl<'a, N: Number> SearchStep<'a, N> {
    pub(super) fn step_that_enters_node(at: DebateAndStrategyStates<'a, N>, fresh: bool) -> Self {
        Self::Enter {
            at: Box::new(at),
            fresh,
        }
    }
}

/// A frame of the search's stack. It waits for the expected values of the rest of the debate.
pub(super) enum SearchStackFrame<'a, N: Number> {
    /// The rewards and expenses that precede the position that is being searched.
    After(Vec<CertainRewardsAndExpenses<N>>),
    /// A position that several histories can reach. Its expected values are stored in the table under this key.
    Store(StateKey),
    /// A gate that is true with a known probability, and the rewards that depend on it.
    Counted {
        probability: N,
        rewards: Vec<Reward<N>>,
    },
    /// A chance node, with the probability and the rewards of the edge that is being searched.
    Chance(ChanceNode<'a, N>, N, Vec<CertainRewardsAndExpenses<N>>),
    /// A best response's choice, with the rewards of the reply that is being searched, and this reply if it is a proof
    /// bit.
    Max(
        MaxNode<'a, N>,
        CertainRewardsAndExpenses<N>,
        Option<Reply<N>>,
    ),
}

/// A position with several possible continuations, each with a known probability.
pub(super) struct ChanceNode<'a, N: Number> {
    pub(super) at: DebateAndStrategyStates<'a, N>,
    pub(super) each: std::vec::IntoIter<GameTreeEdge<N>>,
    /// The sum of the expected values over the edges searched so far, weighted by probability.
    pub(super) sum: ExpectedRewardsAndExpenses<N>,
}

/// A position at which a best response tries its replies.
pub(super) struct MaxNode<'a, N: Number> {
    at: DebateAndStrategyStates<'a, N>,
    turn: PendingTurn<N>,
    /// True if the best response must write a proof bit here.
    is_bit: bool,
    each: std::vec::IntoIter<Reply<N>>,
    /// The best result so far: the expected payoff of the seat to move, with all expected values.
    best: Option<(N, ExpectedRewardsAndExpenses<N>)>,
}

impl<N: Number> MaxNode<'_, N> {
    /// Keeps the expected values after a reply if they are better than the best so far. `bit` is the reply, if it is a
    /// proof bit.
    fn take(&mut self, mut expected: ExpectedRewardsAndExpenses<N>, bit: Option<&Reply<N>>) {
        let value = expected_payoff_of_seat(self.turn.seat, &expected);
        if self.best.as_ref().is_none_or(|(most, _)| value > *most) {
            if let Some(bit) = bit {
                expected.given.note(&self.turn.request, bit);
            }
            self.best = Some((value, expected));
        }
    }
}

/// Returns the expected payoff of a seat, which it maximises: the prover's payoff or its negative.
pub(super) fn expected_payoff_of_seat<N: Number>(
    seat: Seat,
    expected: &ExpectedRewardsAndExpenses<N>,
) -> N {
    match seat {
        Seat::Prover => expected.expected_payoff(),
        _ => -expected.expected_payoff(),
    }
}
