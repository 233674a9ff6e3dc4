//! The states of the debate that a seat considers possible. They differ in the unknown part of the instance and in the
//! replies sealed from the seat.

use std::collections::HashSet;

use super::hints::ClaimKnowledgeAndEstimate;
use super::{ReviewError, have_same_effect};
use crate::expectation::{PayoffNotComputedReason, ProofBitValues, ProofBitValuesOnPossiblePaths};
use crate::game::{DebateAndStrategyStates, every_reply, outcomes};
use debate_core::number::Exact;
use debate_core::player::{DebateTimeline, Move, PlayableStrategy, ReplyDistribution};
use debate_core::protocol::{PendingTurn, Reply, Round, Rules as _, Seat, State};
use debate_core::scenario::{ClaimId, Instance};
use num_traits::Zero as _;

/// Maximum number of possible positions.
const MAX_BELIEFS: usize = 4096;

/// An instance that a seat considers possible, with the players built for it.
pub(super) struct PriorInstanceWithPlayers<'w> {
    /// Its prior probability.
    pub(super) chance: Exact,
    /// The instance.
    pub(super) instance: &'w Instance,
    /// The debate about this instance before the first move.
    pub(super) start: State<'w, Exact>,
    /// The players of prover, opponent and judge. Stand-ins replace human players.
    pub(super) players: [PlayableStrategy<'w, Exact>; 3],
}

/// The knowledge of one seat in an unfinished debate.
pub(super) struct SeatKnowledge<'m> {
    /// The seat.
    pub(super) seat: Seat,
    /// The moves so far.
    pub(super) moves: &'m [Move<Exact>],
    /// For each move so far, true if its reply is sealed from the seat.
    sealed: Vec<bool>,
    /// The pending request.
    pub(super) turn: PendingTurn<Exact>,
    /// The proof bits that the prover has written so far.
    pub(super) proof: ProofBitValues,
    /// For each seat, true if a human player holds it.
    people: [bool; 3],
    /// The claim with an estimate, if the seat must now bet on it.
    bet: Option<ClaimToBetOn>,
    /// The subclaims with their estimates, if the seat must now select one of them. Empty if a subclaim
    /// has several estimates.
    offered: Vec<(ClaimId, Exact)>,
}

/// A claim with the opponent's estimate, on which the prover must bet.
struct ClaimToBetOn {
    /// The number of its round. In round 0 the judge will decide the claim, in other rounds the coins of its subclaims.
    round: u32,
    claim: ClaimId,
    estimate: Exact,
}

/// A possible instance with the positions that the debate may have reached in it.
pub(super) struct PossibleInstanceWithDebatePositions<'r, 'w> {
    pub(super) world: &'r PriorInstanceWithPlayers<'w>,
    /// The probability of this instance, given all public replies.
    pub(super) chance: Exact,
    /// The possible positions of the debate about this instance, with probabilities that sum to 1.
    pub(super) each: Vec<(Exact, DebateAndStrategyStates<'w, Exact>)>,
}

/// The players whose visible replies the program uses to infer hidden facts: a reply counts by its probability under
/// its player's strategy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LikelihoodSource {
    /// The replies of all players count; a human player is modelled by a stand-in.
    All,
    /// Built-in players only.
    Players,
    /// No players.
    Nobody,
}

/// The assumption about the players who gave the replies that are sealed from a seat.
#[derive(Clone, Copy)]
pub(super) enum SealedReplyAuthorAssumption {
    /// The debate's own players gave them.
    Players,
    /// Sealed replies come from an arbitrary player in this seat, so any legal reply is possible.
    Anybody(Seat),
}

impl<'m> SeatKnowledge<'m> {
    /// Returns what the seat to move knows after the given moves.
    ///
    /// # Errors
    /// Returns an error if no request is pending.
    pub(super) fn new(
        start: &State<'_, Exact>,
        moves: &'m [Move<Exact>],
        people: [bool; 3],
    ) -> Result<Self, ReviewError> {
        let mut timeline = DebateTimeline::new(start.clone());
        let mut given = ProofBitValuesOnPossiblePaths::default();
        for made in moves {
            let seat = made.seat;
            if let Some(turn) = timeline.state().request() {
                given.note(&turn.request, &made.reply);
            }
            let illegal = |illegal| PayoffNotComputedReason::Illegal { seat, illegal };
            timeline.make_move(made.clone()).map_err(illegal)?;
        }
        let turn = timeline.state().request().ok_or(ReviewError::NotAsked)?;
        Ok(Self {
            seat: turn.seat,
            moves,
            sealed: sealed_moves(&timeline, turn.seat),
            bet: claim_to_bet_on(&timeline, &turn),
            offered: subclaims_to_select(&timeline, &turn),
            turn,
            proof: given.to_proof_bit_values(),
            people,
        })
    }

    /// Returns what the seat knows about the last claim, if it must bet on it.
    pub(super) fn knowledge_of_last_claim_to_bet_on(
        &self,
        beliefs: &[PossibleInstanceWithDebatePositions<'_, '_>],
    ) -> Option<ClaimKnowledgeAndEstimate> {
        let bet = self.bet.as_ref().filter(|bet| bet.round == 0)?;
        knowledge_of_claim(bet.claim, &bet.estimate, beliefs)
    }

    /// Returns what the seat knows about a subclaim that it can select now. `place` is the subclaim's index. `None` if
    /// the subclaims have no estimates, or if they have separate ones.
    pub(super) fn knowledge_of_subclaim_to_select(
        &self,
        place: u32,
        beliefs: &[PossibleInstanceWithDebatePositions<'_, '_>],
    ) -> Option<ClaimKnowledgeAndEstimate> {
        let (claim, estimate) = self.offered.get(place as usize)?;
        knowledge_of_claim(*claim, estimate, beliefs)
    }

    /// Returns the stake and the estimate of the claim on which the seat must bet, if coins will decide the claim.
    /// `schedule` lists the rounds with their stakes.
    pub(super) fn estimate_decided_by_coins<'s>(
        &'s self,
        schedule: &'s [(Round, Exact)],
    ) -> Option<(&'s Exact, &'s Exact)> {
        let bet = self.bet.as_ref().filter(|bet| bet.round > 0)?;
        let round = Round::Number(bet.round);
        let (_, stake) = schedule.iter().find(|(other, _)| *other == round)?;
        Some((stake, &bet.estimate))
    }

    /// True if some reply so far is sealed from the seat.
    pub(super) fn has_replies_sealed_from_seat(&self) -> bool {
        self.sealed.contains(&true)
    }

    /// Returns the instances that are possible given all public replies, and the possible positions in each. A sealed
    /// reply may be any reply of its player's strategy, with its probability given the public replies. The seat's own
    /// replies give it no information.
    ///
    /// # Errors
    /// Returns an error if no instance is possible, or if too many positions are.
    pub(super) fn beliefs<'r, 'w>(
        &self,
        worlds: &'r [PriorInstanceWithPlayers<'w>],
    ) -> Result<Vec<PossibleInstanceWithDebatePositions<'r, 'w>>, ReviewError> {
        // If a human gave a reply that the stand-in never gives, no instance is possible; then fewer players count as
        // evidence.
        for telling in [
            LikelihoodSource::All,
            LikelihoodSource::Players,
            LikelihoodSource::Nobody,
        ] {
            let mut beliefs = Vec::with_capacity(worlds.len());
            let mut all = Exact::default();
            for world in worlds {
                let weighs = worlds.len() > 1 || self.has_replies_sealed_from_seat();
                let telling = if weighs {
                    telling
                } else {
                    LikelihoodSource::Nobody
                };
                let each = self.follow(
                    world,
                    &world.players,
                    telling,
                    SealedReplyAuthorAssumption::Players,
                )?;
                let (likely, each) = normalised(each);
                let chance = &world.chance * likely;
                if chance > Exact::default() {
                    all += &chance;
                    beliefs.push(PossibleInstanceWithDebatePositions {
                        world,
                        chance,
                        each,
                    });
                }
            }
            for belief in &mut beliefs {
                belief.chance /= &all;
            }
            if !beliefs.is_empty() {
                return Ok(beliefs);
            }
        }
        Err(ReviewError::Sealed)
    }

    /// Returns the possible positions in an instance. Sealed replies are those of `players`, or any replies of the seat
    /// that `sealing` names. If replies of `players` are sealed, public replies count by their probabilities, unless
    /// these players never give them. Empty if the replies of that seat cannot be listed.
    ///
    /// # Errors
    /// Returns an error if too many positions are possible.
    pub(super) fn positions<'w>(
        &self,
        world: &PriorInstanceWithPlayers<'w>,
        players: &[PlayableStrategy<'w, Exact>; 3],
        sealing: SealedReplyAuthorAssumption,
    ) -> Result<Vec<(Exact, DebateAndStrategyStates<'w, Exact>)>, ReviewError> {
        if let (SealedReplyAuthorAssumption::Players, true) =
            (sealing, self.has_replies_sealed_from_seat())
        {
            let each = self.follow(world, players, LikelihoodSource::All, sealing)?;
            if !each.is_empty() {
                return Ok(normalised(each).1);
            }
        }
        let each = self.follow(world, players, LikelihoodSource::Nobody, sealing)?;
        Ok(normalised(each).1)
    }

    fn informs(&self, seat: Seat, telling: LikelihoodSource) -> bool {
        match telling {
            LikelihoodSource::Nobody => false,
            // A seat's own replies carry no information for it.
            _ if seat == self.seat => false,
            LikelihoodSource::All => true,
            LikelihoodSource::Players => self.people.get(seat.seat_index()) != Some(&true),
        }
    }

    fn follow<'w>(
        &self,
        world: &PriorInstanceWithPlayers<'w>,
        players: &[PlayableStrategy<'w, Exact>; 3],
        telling: LikelihoodSource,
        sealing: SealedReplyAuthorAssumption,
    ) -> Result<Vec<(Exact, DebateAndStrategyStates<'w, Exact>)>, ReviewError> {
        let mut each = vec![(
            Exact::from_integer(1.into()),
            DebateAndStrategyStates::new(world.start.clone()),
        )];
        for (made, sealed) in self.moves.iter().zip(&self.sealed) {
            let mut next = Vec::with_capacity(each.len());
            for (chance, mut at) in each {
                let Some(turn) = at.state.request() else {
                    continue;
                };
                if turn.seat != made.seat {
                    continue;
                }
                let player = players.get(turn.seat.seat_index());
                let choice =
                    player.and_then(|player| at.choice_without_expenses(&turn, &**player).ok());
                if *sealed {
                    let replies = match sealing {
                        SealedReplyAuthorAssumption::Anybody(seat) if seat == turn.seat => {
                            every_legal(&turn)
                        }
                        _ => replies_with_probabilities(choice, ReviewError::TooMuchSealed)?,
                    };
                    for (weight, reply) in replies {
                        let mut at = at.clone();
                        if at.state.reply(reply, &mut ()).is_ok() {
                            next.push((&chance * weight, at));
                        }
                    }
                    if next.len() > MAX_BELIEFS {
                        return Err(ReviewError::TooMuchSealed);
                    }
                    continue;
                }
                let likely = if !self.informs(turn.seat, telling) {
                    Exact::from_integer(1.into())
                } else if let Some((_, draw)) = turn.request.requested_draw() {
                    likelihood(&outcomes(draw, None)?, &made.reply)
                } else {
                    let too_many = PayoffNotComputedReason::Countless(turn.seat).into();
                    likelihood(&replies_with_probabilities(choice, too_many)?, &made.reply)
                };
                if likely > Exact::default() && at.state.reply(made.reply.clone(), &mut ()).is_ok()
                {
                    next.push((chance * likely, at));
                }
            }
            each = next;
        }
        each.retain(|(_, at)| {
            let turn = at.state.request();
            turn.is_some_and(|turn| {
                turn.seat == self.turn.seat
                    && turn.request.has_same_kind_and_options(&self.turn.request)
            })
        });
        let into_search_root = |(chance, at): (Exact, DebateAndStrategyStates<'w, Exact>)| {
            (chance, at.into_search_root())
        };
        Ok(each.into_iter().map(into_search_root).collect())
    }
}

/// Divides the probabilities by their sum. Also returns the sum.
fn normalised<T>(mut each: Vec<(Exact, T)>) -> (Exact, Vec<(Exact, T)>) {
    let all: Exact = each.iter().map(|(chance, _)| chance).sum();
    for (chance, _) in &mut each {
        *chance /= &all;
    }
    (all, each)
}

/// Returns, for each move, true if its reply is sealed from the seat `viewer`.
fn sealed_moves(timeline: &DebateTimeline<'_, Exact>, viewer: Seat) -> Vec<bool> {
    let hidden = |entry: usize| {
        let observation = timeline.log_to_cursor().observation_at(entry, Some(viewer));
        observation.is_some_and(|observation| observation.is_reply_content_sealed())
    };
    (0..timeline.move_count_before_cursor())
        .map(|number| {
            timeline
                .log_range_of_move(number)
                .into_iter()
                .flatten()
                .any(hidden)
        })
        .collect()
}

/// Returns the listed replies to a request, each with weight 1, for a sealed reply of a player whose strategy is
/// unknown. The caller drops illegal ones. Empty if the replies cannot be listed.
fn every_legal(turn: &PendingTurn<Exact>) -> Vec<(Exact, Reply<Exact>)> {
    let each = every_reply(turn, &[]).unwrap_or_default();
    let one = Exact::from_integer(1.into());
    each.into_iter().map(|reply| (one.clone(), reply)).collect()
}

/// Returns the replies of a player's strategy with their probabilities, or the error `too_many` if they cannot be
/// listed. Empty if the strategy gives no reply.
fn replies_with_probabilities(
    choice: Option<ReplyDistribution<Exact>>,
    too_many: ReviewError,
) -> Result<Vec<(Exact, Reply<Exact>)>, ReviewError> {
    let Some(choice) = choice else {
        return Ok(Vec::new());
    };
    let mut each = choice.weighted_replies().ok_or(too_many)?;
    each.retain(|(chance, _)| *chance > Exact::default());
    Ok(each)
}

/// Returns the probability of a reply in a list of replies with probabilities; 0 if it is not in the list.
fn likelihood(each: &[(Exact, Reply<Exact>)], reply: &Reply<Exact>) -> Exact {
    let alike = each
        .iter()
        .filter(|(_, other)| have_same_effect(other, reply));
    alike.map(|(chance, _)| chance).sum()
}

/// Returns the probability of a claim, from what a seat knows. `None` if the truth of the claim is not known in a
/// possible instance.
fn knowledge_of_claim(
    claim: ClaimId,
    estimate: &Exact,
    beliefs: &[PossibleInstanceWithDebatePositions<'_, '_>],
) -> Option<ClaimKnowledgeAndEstimate> {
    let mut probability = Exact::zero();
    let mut cases = 0;
    for belief in beliefs {
        if belief.world.instance.truth(claim)? {
            probability += &belief.chance;
            cases += 1;
        }
    }
    let are_alike = beliefs.windows(2).all(|two| two[0].chance == two[1].chance);
    Some(ClaimKnowledgeAndEstimate {
        probability,
        cases: are_alike.then_some((cases, beliefs.len())),
        estimate: estimate.clone(),
    })
}

/// Returns the subclaims with their estimates, if the pending request is for the selection of one of them. Empty if a
/// subclaim has several estimates.
fn subclaims_to_select(
    timeline: &DebateTimeline<'_, Exact>,
    turn: &PendingTurn<Exact>,
) -> Vec<(ClaimId, Exact)> {
    if !turn.request.is_subclaim_selection_request() {
        return Vec::new();
    }
    let log = timeline.log_to_cursor();
    let estimates = log.subclaim_estimates();
    let claims: HashSet<ClaimId> = estimates.iter().map(|it| it.claim).collect();
    if claims.len() != estimates.len() {
        return Vec::new();
    }
    let offered = estimates.into_iter().map(|it| (it.claim, it.p.clone()));
    offered.collect()
}

/// Returns the claim of the pending request with its estimate, if the request is for the bet on it.
fn claim_to_bet_on(
    timeline: &DebateTimeline<'_, Exact>,
    turn: &PendingTurn<Exact>,
) -> Option<ClaimToBetOn> {
    let claim = turn.request.claim_of_request()?;
    if !turn.request.is_bet_request() {
        return None;
    }
    let entered = timeline.log_to_cursor().entries().iter().rev();
    let mut entered = entered.filter_map(|entry| entry.event.round_begun_by_event());
    let (round, entered, p) = entered.next()?;
    Some(ClaimToBetOn {
        round,
        claim,
        estimate: p.filter(|_| entered == claim)?.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that listing the possible replies of a player fails with the error that the caller passes, if there are
    /// too many replies.
    #[test]
    fn too_many_replies_give_the_reason_of_the_caller() {
        let drawn_by_alice = PayoffNotComputedReason::Countless(Seat::Prover).into();
        for reason in [ReviewError::TooMuchSealed, drawn_by_alice] {
            let choice = ReplyDistribution::Share { parts: 1 << 30 };
            let listed = replies_with_probabilities(Some(choice), reason.clone());
            assert_eq!(listed, Err(reason));
        }
    }
}
