//! The possible states behind what is hidden from somebody: the instance, as far as they do
//! not know it, and what is sealed from them.

use super::{ReviewError, same};
use crate::expectation::{GivenBits, ProofPlan, Unsolved};
use crate::game::{Node, every_reply, outcomes};
use debate_core::number::Exact;
use debate_core::player::{Built, Choice, Move, Timeline};
use debate_core::protocol::{Reply, Rules as _, Seat, State, Turn};
use debate_core::scenario::Instance;

/// The most possibilities that are weighed.
const MOST: usize = 4096;

/// An instance that is possible, with who plays there.
pub(super) struct PossibleInstance<'w> {
    /// Its probability before anything is said.
    pub(super) chance: Exact,
    /// The instance.
    pub(super) instance: &'w Instance,
    /// The debate before anybody has spoken.
    pub(super) start: State<'w, Exact>,
    /// Prover, opponent and judge; in the place of people, those that stand in.
    pub(super) players: [Built<'w, Exact>; 3],
}

/// The knowledge of one seat of a debate under way.
pub(super) struct SeatKnowledge<'m> {
    /// Whose.
    pub(super) seat: Seat,
    /// The moves so far.
    pub(super) moves: &'m [Move<Exact>],
    /// For each of them whether it is sealed from the seat.
    sealed: Vec<bool>,
    /// The pending request.
    pub(super) turn: Turn<Exact>,
    /// The proof bits that were given.
    pub(super) proof: ProofPlan,
    /// In which seats people sit.
    people: [bool; 3],
}

/// A possible instance as the debate stands.
pub(super) struct InstanceBelief<'r, 'w> {
    pub(super) world: &'r PossibleInstance<'w>,
    /// The probability of the instance, all that is open considered.
    pub(super) chance: Exact,
    /// The positions that are possible there, with probabilities that sum to 1.
    pub(super) each: Vec<(Exact, Node<'w, Exact>)>,
}

/// Whose replies in the open tell of what is hidden: they are as likely as their players make them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LikelihoodSource {
    /// Everybody's, people being taken for those that stand in.
    All,
    /// Those of built-in players.
    Players,
    /// Nobody's.
    Nobody,
}

/// The origin of sealed replies.
#[derive(Clone, Copy)]
pub(super) enum SealedReplies {
    /// The players at the table.
    Players,
    /// In this seat anybody, so it may be any legal reply.
    Anybody(Seat),
}

impl<'m> SeatKnowledge<'m> {
    /// The knowledge of the seat that is asked after these moves.
    ///
    /// # Errors
    /// If nothing is asked.
    pub(super) fn new(
        start: &State<'_, Exact>,
        moves: &'m [Move<Exact>],
        people: [bool; 3],
    ) -> Result<Self, ReviewError> {
        let mut timeline = Timeline::new(start.clone());
        let mut given = GivenBits::default();
        for made in moves {
            let seat = made.seat;
            if let Some(turn) = timeline.state().request() {
                given.note(&turn.request, &made.reply);
            }
            let illegal = |illegal| Unsolved::Illegal { seat, illegal };
            timeline.push(made.clone()).map_err(illegal)?;
        }
        let turn = timeline.state().request().ok_or(ReviewError::NotAsked)?;
        Ok(Self {
            seat: turn.seat,
            moves,
            sealed: sealed_moves(&timeline, turn.seat),
            turn,
            proof: given.plan(),
            people,
        })
    }

    /// True if something is sealed from the seat.
    pub(super) fn hides(&self) -> bool {
        self.sealed.contains(&true)
    }

    /// The instances that all that is open leaves possible, and how the debate may stand in each:
    /// replies sealed from the seat may be any that their players would have given, as likely as
    /// all that is open makes them. What the seat itself replied tells it nothing.
    ///
    /// # Errors
    /// If nothing is possible, or too much is.
    pub(super) fn beliefs<'r, 'w>(
        &self,
        worlds: &'r [PossibleInstance<'w>],
    ) -> Result<Vec<InstanceBelief<'r, 'w>>, ReviewError> {
        // Where a person has said what their stand-in never would, less is told by it.
        for telling in [
            LikelihoodSource::All,
            LikelihoodSource::Players,
            LikelihoodSource::Nobody,
        ] {
            let mut beliefs = Vec::with_capacity(worlds.len());
            let mut all = Exact::default();
            for world in worlds {
                let weighs = worlds.len() > 1 || self.hides();
                let telling = if weighs {
                    telling
                } else {
                    LikelihoodSource::Nobody
                };
                let each = self.follow(world, &world.players, telling, SealedReplies::Players)?;
                let (likely, each) = normalised(each);
                let chance = &world.chance * likely;
                if chance > Exact::default() {
                    all += &chance;
                    beliefs.push(InstanceBelief {
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

    /// The positions in an instance where other players sit: as likely as they make it,
    /// and where they would not have replied so, as far as it can be at all. Nothing where what is
    /// sealed cannot be listed.
    ///
    /// # Errors
    /// If too much is possible.
    pub(super) fn positions<'w>(
        &self,
        world: &PossibleInstance<'w>,
        players: &[Built<'w, Exact>; 3],
        sealing: SealedReplies,
    ) -> Result<Vec<(Exact, Node<'w, Exact>)>, ReviewError> {
        if let (SealedReplies::Players, true) = (sealing, self.hides()) {
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
            // What it said itself tells it nothing.
            _ if seat == self.seat => false,
            LikelihoodSource::All => true,
            LikelihoodSource::Players => self.people.get(seat.index()) != Some(&true),
        }
    }

    fn follow<'w>(
        &self,
        world: &PossibleInstance<'w>,
        players: &[Built<'w, Exact>; 3],
        telling: LikelihoodSource,
        sealing: SealedReplies,
    ) -> Result<Vec<(Exact, Node<'w, Exact>)>, ReviewError> {
        let mut each = vec![(
            Exact::from_integer(1.into()),
            Node::new(world.start.clone()),
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
                let player = players.get(turn.seat.index());
                let choice = player.and_then(|player| at.asked(&turn, &**player).ok());
                if *sealed {
                    let replies = match sealing {
                        SealedReplies::Anybody(seat) if seat == turn.seat => every_legal(&turn),
                        _ => weighted(choice)?,
                    };
                    for (weight, reply) in replies {
                        let mut at = at.clone();
                        if at.state.reply(reply, &mut ()).is_ok() {
                            next.push((&chance * weight, at));
                        }
                    }
                    if next.len() > MOST {
                        return Err(ReviewError::TooMuchSealed);
                    }
                    continue;
                }
                let likely = if !self.informs(turn.seat, telling) {
                    Exact::from_integer(1.into())
                } else if let Some((_, draw)) = turn.request.draw() {
                    likelihood(&outcomes(draw, None)?, &made.reply)
                } else {
                    likelihood(&weighted(choice)?, &made.reply)
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
                turn.seat == self.turn.seat && turn.request.asks_the_same(&self.turn.request)
            })
        });
        let taken_up = |(chance, at): (Exact, Node<'w, Exact>)| (chance, at.taken_up());
        Ok(each.into_iter().map(taken_up).collect())
    }
}

/// Divides probabilities by their sum, and returns it.
fn normalised<T>(mut each: Vec<(Exact, T)>) -> (Exact, Vec<(Exact, T)>) {
    let all: Exact = each.iter().map(|(chance, _)| chance).sum();
    for (chance, _) in &mut each {
        *chance /= &all;
    }
    (all, each)
}

/// For each move whether it is sealed from a seat as the debate stands.
fn sealed_moves(timeline: &Timeline<'_, Exact>, viewer: Seat) -> Vec<bool> {
    let hidden = |entry: usize| {
        let observation = timeline.log().seen_by(entry, Some(viewer));
        observation.is_some_and(|observation| observation.is_sealed())
    };
    (0..timeline.at())
        .map(|number| timeline.events(number).into_iter().flatten().any(hidden))
        .collect()
}

/// Every reply to a request, each as likely; none where they cannot be listed.
fn every_legal(turn: &Turn<Exact>) -> Vec<(Exact, Reply<Exact>)> {
    let each = every_reply(turn, &[]).unwrap_or_default();
    let one = Exact::from_integer(1.into());
    each.into_iter().map(|reply| (one.clone(), reply)).collect()
}

/// The replies of a choice, where they are few.
fn weighted(choice: Option<Choice<Exact>>) -> Result<Vec<(Exact, Reply<Exact>)>, ReviewError> {
    let Some(choice) = choice else {
        return Ok(Vec::new());
    };
    let mut each = choice.each().ok_or(ReviewError::TooMuchSealed)?;
    each.retain(|(chance, _)| *chance > Exact::default());
    Ok(each)
}

/// The probability of a reply among these.
fn likelihood(each: &[(Exact, Reply<Exact>)], reply: &Reply<Exact>) -> Exact {
    let alike = each.iter().filter(|(_, other)| same(other, reply));
    alike.map(|(chance, _)| chance).sum()
}
