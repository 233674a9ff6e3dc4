//! The search behind a hint: the expected payoff of each reply, over all positions that the seat considers possible.

use super::ReviewError;
use super::beliefs::{
    PossibleInstanceWithDebatePositions, PriorInstanceWithPlayers, SealedReplyAuthorAssumption,
    SeatKnowledge,
};
use crate::analysis::information::{
    ImperfectInformationSearch, PossibleHistoryInSearch, PossibleInstanceInSearch,
};
use crate::expectation::{ExpectedRewardsAndExpenses, PayoffNotComputedReason, ProofBitValues};
use crate::expectimax::{ExhaustiveExpectimax, ReplyValue};
use crate::game::{DebateAndStrategyStates, SeatDecisionMaker, every_reply};
use debate_core::bits::BitString;
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::PlayableStrategy;
use debate_core::protocol::{PendingTurn, ProtocolKind, Reply, Rules as _, Seat};
use debate_core::scenario::BitId;

/// The assumption about later replies of the seat to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaterReplyAssumption {
    /// The later replies of the seat with the hint are its best ones against the debate's actual players, for what the
    /// seat knows.
    Best,
    /// The later replies of the seat with the hint are those of a built-in player who stands in for the user.
    PlaceholderPlayer,
}

/// The replies that are valued.
#[derive(Clone, Copy)]
pub(super) enum RepliesToValue<'r> {
    /// All replies of the seat. Estimates are taken from this grid of probabilities.
    All(&'r [Exact]),
    /// Only the replies in this list are evaluated, for example those of built-in players if there are too many
    /// possible replies.
    These(&'r [Reply<Exact>]),
}

/// Maximum number of proof bits that a prover's plan may fix in advance.
const MAX_BITS: usize = 4096;

/// A search for the expected payoff of each reply of a seat, given what the seat knows about the debate.
pub(super) struct ReplyPayoffSearch<'s, 'm, 'r, 'w> {
    pub(super) view: &'s SeatKnowledge<'m>,
    pub(super) worlds: &'r [PriorInstanceWithPlayers<'w>],
    pub(super) beliefs: &'s [PossibleInstanceWithDebatePositions<'r, 'w>],
    pub(super) filter: RepliesToValue<'s>,
    pub(super) budget: ComputationBudget<'s>,
}

/// The prover's expected payoff before the pending reply, and after each possible reply.
#[derive(Clone)]
pub(super) struct ProverPayoffBeforeAndAfterReply {
    pub(super) before: Exact,
    pub(super) replies: Vec<(Reply<Exact>, Exact)>,
}

impl<'w> ReplyPayoffSearch<'_, '_, '_, 'w> {
    /// Returns the mean of the payoffs that `payoffs_in_instance` computes, over the instances that the seat considers
    /// possible and weighted by their probabilities. `payoffs_in_instance` also adds the number of replies that it
    /// simulated to its last argument, which counts them even if it fails.
    fn mean_over_possible_instances(
        &mut self,
        payoffs_in_instance: impl Fn(
            &PossibleInstanceWithDebatePositions<'_, 'w>,
            ComputationBudget<'_>,
            &mut u64,
        ) -> Result<ProverPayoffBeforeAndAfterReply, ReviewError>,
    ) -> Result<ProverPayoffBeforeAndAfterReply, ReviewError> {
        let mut sum: Option<ProverPayoffBeforeAndAfterReply> = None;
        for belief in self.beliefs {
            let mut played = 0;
            let values = payoffs_in_instance(belief, self.budget, &mut played);
            self.budget.steps = self.budget.steps.saturating_sub(played);
            let mut values = values?;
            values.before *= &belief.chance;
            for (_, value) in &mut values.replies {
                *value *= &belief.chance;
            }
            let Some(sum) = &mut sum else {
                sum = Some(values);
                continue;
            };
            sum.before += values.before;
            // A reply is legal in all possible instances or in none.
            sum.replies.retain_mut(|(reply, value)| {
                let more = values.replies.iter().find(|(other, _)| other == reply);
                more.is_some_and(|(_, more)| {
                    *value += more;
                    true
                })
            });
        }
        sum.ok_or(ReviewError::Sealed)
    }

    /// Returns the expected payoff of each reply that the seat can give now, against the debate's actual players. The
    /// seat's later replies are the best ones if these are found within `most` simulated replies, otherwise a
    /// stand-in's. The returned flag says which.
    pub(super) fn values_against_players(
        &mut self,
        most: u64,
    ) -> Result<(ProverPayoffBeforeAndAfterReply, LaterReplyAssumption), ReviewError> {
        match self.with_the_best_later(most) {
            Ok(Some(values)) => return Ok((values, LaterReplyAssumption::Best)),
            Err(error) if error.was_cancelled() => return Err(error),
            // There is no fallback for a proof bit: its value cannot be computed from the current position alone.
            Err(error) if self.view.turn.request.requested_proof_bit().is_some() => {
                return Err(error);
            }
            // The replies cannot be listed, or the search takes too long.
            Err(_) | Ok(None) => {}
        }
        Ok((
            self.with_stand_in()?,
            LaterReplyAssumption::PlaceholderPlayer,
        ))
    }

    /// Returns the prover's expected payoff after each reply that the seat can give now. The other seats have the
    /// debate's actual players, and the seat's later replies are the best ones. `None` in stochastic debate, for the
    /// estimator, for the judge, and if no instance is possible.
    fn with_the_best_later(
        &self,
        most: u64,
    ) -> Result<Option<ProverPayoffBeforeAndAfterReply>, ReviewError> {
        let seat = self.view.seat;
        let filter = self.filter;
        let Some(first) = self.beliefs.first() else {
            return Ok(None);
        };
        let estimates = match seat {
            Seat::Prover => first.world.start.kind() == ProtocolKind::Stochastic,
            Seat::Opponent => matches!(
                first.world.start.kind(),
                ProtocolKind::ProverEstimator | ProtocolKind::Stochastic
            ),
            _ => true,
        };
        if estimates {
            return Ok(None);
        }
        let cases = self.worlds.iter().map(|world| {
            let mut players = SeatDecisionMaker::decision_makers_of_players(&world.players);
            players[seat.seat_index()] = SeatDecisionMaker::BestResponse;
            PossibleInstanceInSearch {
                instance: world.instance,
                start: world.start.clone(),
                players,
            }
        });
        let budget = self.budget.with_computation_step_limit(most);
        let mut search =
            ImperfectInformationSearch::new(seat, cases.collect(), budget).for_total_payoff_only();
        search.fix_proof_bits_of_prover(self.view.proof.clone());
        if seat == Seat::Prover {
            let plan = self.proof_plan(&mut search)?;
            if let Some(bit) = self.view.turn.request.requested_proof_bit() {
                return self.values_of_bit(&mut search, bit).map(Some);
            }
            search.fix_proof_bits_of_prover(plan);
        }
        let mut set = Vec::new();
        for belief in self.beliefs {
            let mut places = self.worlds.iter();
            let place = places.position(|world| std::ptr::eq(world, belief.world));
            for (chance, at) in &belief.each {
                let weight = &belief.chance * chance;
                set.push(search.candidate_history(place.unwrap_or_default(), weight, at.clone()));
            }
        }
        let worth = |expected: Vec<ExpectedRewardsAndExpenses<Exact>>| -> Exact {
            let each = set.iter().zip(expected);
            each.map(|(history, rest)| {
                &history.weight * (history.at.state.payoff() + rest.expected_payoff())
            })
            .sum()
        };
        let before = worth(search.best_expectation(&set)?.0);
        let request = set.first().and_then(|first| first.at.state.request());
        let turn = request.ok_or(ReviewError::NotAsked)?;
        let mut replies = Vec::new();
        for reply in filter.filtered_replies(&turn)? {
            if let Some(expected) = search.values_after_reply(&set, &reply)? {
                replies.push((reply, worth(expected)));
            }
        }
        Ok(Some(ProverPayoffBeforeAndAfterReply { before, replies }))
    }

    /// Returns the debate before the first move, once for each possible instance.
    fn starts(
        &self,
        search: &ImperfectInformationSearch<'_, 'w, Exact>,
    ) -> Vec<PossibleHistoryInSearch<'w, Exact>> {
        let worlds = self.worlds.iter().enumerate();
        let history = |(place, world): (usize, &PriorInstanceWithPlayers<'w>)| {
            let at = DebateAndStrategyStates::new(world.start.clone());
            search.candidate_history(place, world.chance.clone(), at)
        };
        worlds.map(history).collect()
    }

    /// Returns the best plan for the proof bits, as of before the first move, that agrees with the bits written since.
    /// In a plan, later bits do not depend on replies in between.
    fn proof_plan(
        &self,
        search: &mut ImperfectInformationSearch<'_, 'w, Exact>,
    ) -> Result<ProofBitValues, ReviewError> {
        let mut open = Vec::new();
        for world in self.worlds {
            let bits = world.start.ungiven_proof_bits_unless_too_many(MAX_BITS);
            open.extend(bits.ok_or(PayoffNotComputedReason::Endless(Seat::Prover))?);
        }
        if open.is_empty() {
            return Ok(ProofBitValues::default());
        }
        let (_, plan) = search.best_expectation(&self.starts(search))?;
        Ok(plan.with_missing_bits_zero(&open))
    }

    /// Returns the values of writing 0 and of writing 1 as a proof bit, if the seat's later replies are the best ones.
    /// The search starts before the first move, because a proof bit must not depend on replies.
    fn values_of_bit(
        &self,
        search: &mut ImperfectInformationSearch<'_, 'w, Exact>,
        bit: BitId,
    ) -> Result<ProverPayoffBeforeAndAfterReply, ReviewError> {
        let starts = self.starts(search);
        let mut replies = Vec::new();
        for value in [false, true] {
            search.fix_proof_bits_of_prover(self.view.proof.with_proof_bit(bit, value));
            let (expected, _) = search.best_expectation(&starts)?;
            let each = starts.iter().zip(&expected);
            let worth =
                each.map(|(history, expected)| &history.weight * expected.expected_payoff());
            replies.push((
                Reply::Bits(BitString::from(vec![value])),
                worth.sum::<Exact>(),
            ));
        }
        let before = replies.iter().map(|(_, worth)| worth.clone()).max();
        if let RepliesToValue::These(these) = self.filter {
            replies.retain(|(reply, _)| these.contains(reply));
        }
        Ok(ProverPayoffBeforeAndAfterReply {
            before: before.unwrap_or_default(),
            replies,
        })
    }

    /// Returns the expected payoff of each reply that the seat can give now, against the debate's actual players, if a
    /// stand-in gives the seat's later replies.
    fn with_stand_in(&mut self) -> Result<ProverPayoffBeforeAndAfterReply, ReviewError> {
        let filter = self.filter;
        self.mean_over_possible_instances(|belief, budget, played| {
            let PriorInstanceWithPlayers { start, players, .. } = belief.world;
            let mut search = ExhaustiveExpectimax::between_players(start, players, budget)
                .with_probability_grid(filter.grid());
            let values = mean(&mut search, &belief.each, filter, true);
            *played += search.played;
            values
        })
    }

    /// Returns the expected payoff of each reply that the seat can give now: a mean over the instances that the seat
    /// considers possible. `make` builds the players for one instance.
    pub(super) fn values_against_built_players(
        &mut self,
        make: impl Fn(
            &PriorInstanceWithPlayers<'w>,
        ) -> Result<[PlayableStrategy<'w, Exact>; 3], ReviewError>,
    ) -> Result<ProverPayoffBeforeAndAfterReply, ReviewError> {
        let view = self.view;
        let filter = self.filter;
        self.mean_over_possible_instances(|belief, budget, played| {
            let players = make(belief.world)?;
            let each =
                view.positions(belief.world, &players, SealedReplyAuthorAssumption::Players)?;
            let start = &belief.world.start;
            let mut search = ExhaustiveExpectimax::between_players(start, &players, budget)
                .with_probability_grid(filter.grid());
            let values = mean(&mut search, &each, filter, false);
            *played += search.played;
            values
        })
    }

    /// Returns the expected payoff of each reply that the seat can give now, against the player in the seat `rival`
    /// that is worst for the seat to move. This player knows the instance and chooses its sealed and later replies
    /// freely.
    pub(super) fn values_against_worst_player(
        &mut self,
        rival: Seat,
    ) -> Result<ProverPayoffBeforeAndAfterReply, ReviewError> {
        let view = self.view;
        let filter = self.filter;
        // Only the seat to move chooses from the grid.
        let asks = view.turn.request.is_answered_with_probability();
        self.mean_over_possible_instances(|belief, budget, played| {
            let world = belief.world;
            let each = view.positions(
                world,
                &world.players,
                SealedReplyAuthorAssumption::Anybody(rival),
            )?;
            let mut actors = SeatDecisionMaker::decision_makers_of_players(&world.players);
            actors[rival.seat_index()] = SeatDecisionMaker::BestResponse;
            let grid = if asks { filter.grid() } else { Vec::new() };
            let mut search = ExhaustiveExpectimax::new(&world.start, actors, budget)
                .restrict_to_total_payoff()
                .with_probability_grid(grid);
            let mut least: Option<ProverPayoffBeforeAndAfterReply> = None;
            for (_, position) in each {
                let sure = [(Exact::ratio(1, 1), position)];
                let simulated = search.played;
                let values = mean(&mut search, &sure, filter, false);
                *played += search.played - simulated;
                let values = values?;
                match &mut least {
                    None => least = Some(values),
                    Some(least) => least.keep_better_payoffs_for_rival(&values, rival),
                }
            }
            least.ok_or(ReviewError::Sealed)
        })
    }
}

impl ProverPayoffBeforeAndAfterReply {
    /// For each reply, takes the payoff from `other` if it is better for the seat `rival` than the stored one.
    pub(super) fn keep_better_payoffs_for_rival(&mut self, other: &Self, rival: Seat) {
        for (reply, value) in &mut self.replies {
            let Some((_, also)) = other.replies.iter().find(|(other, _)| other == reply) else {
                continue;
            };
            let is_worse = match rival {
                Seat::Prover => also > value,
                _ => also < value,
            };
            if is_worse {
                *value = also.clone();
            }
        }
    }
}

impl RepliesToValue<'_> {
    /// True if all replies are evaluated, on a grid of estimates with at most `max_intervals` intervals.
    pub(super) fn evaluates_all_replies_on_grid(self, max_intervals: u32) -> bool {
        matches!(self, Self::All(grid) if grid.len() <= max_intervals as usize + 1)
    }

    /// Returns the replies to evaluate for a request. Some of them may be illegal.
    pub(super) fn filtered_replies(
        self,
        turn: &PendingTurn<Exact>,
    ) -> Result<Vec<Reply<Exact>>, PayoffNotComputedReason> {
        match self {
            Self::All(grid) => every_reply(turn, grid),
            Self::These(replies) => Ok(replies.to_vec()),
        }
    }

    /// Returns the probabilities among the replies to value: the grid of estimates, or the listed probabilities.
    fn grid(self) -> Vec<Exact> {
        match self {
            Self::All(grid) => grid.to_vec(),
            Self::These(replies) => {
                let probability = |reply: &Reply<Exact>| match reply {
                    Reply::Probability(p) => Some(p.clone()),
                    _ => None,
                };
                replies.iter().filter_map(probability).collect()
            }
        }
    }
}

/// Returns the mean value of each reply over the given positions. If `before` is true, also computes the value before
/// the reply.
fn mean<'w>(
    search: &mut ExhaustiveExpectimax<'_, 'w, Exact>,
    each: &[(Exact, DebateAndStrategyStates<'w, Exact>)],
    filter: RepliesToValue<'_>,
    before: bool,
) -> Result<ProverPayoffBeforeAndAfterReply, ReviewError> {
    let mut sum = ProverPayoffBeforeAndAfterReply {
        before: Exact::default(),
        replies: Vec::new(),
    };
    for (chance, at) in each {
        let so_far = at.state.payoff();
        let turn = at
            .state
            .request()
            .ok_or(PayoffNotComputedReason::NoReply(Seat::Chance))?;
        if before {
            let expected = search.expectation_from_node(at)?.expected_payoff();
            sum.before += chance * (&so_far + expected);
        }
        for ReplyValue { reply, expected } in
            search.reply_values(at, &turn, filter.filtered_replies(&turn)?)?
        {
            let value = chance * (&so_far + expected.expected_payoff());
            match sum.replies.iter_mut().find(|(other, _)| *other == reply) {
                Some((_, sum)) => *sum += value,
                None => sum.replies.push((reply, value)),
            }
        }
    }
    Ok(sum)
}
