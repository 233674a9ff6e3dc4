//! What each reply to a request is worth to whoever is asked, as far as they can know.

use super::beliefs::{InstanceBelief, PossibleInstance, SealedReplies, SeatKnowledge};
use super::{ReviewError, same};
use crate::analysis::expectimax::{Actor, Expectimax, Unsolved};
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number};
use debate_core::player::Built;
use debate_core::protocol::{Reply, Request, Rules as _, Seat};

/// What a reply is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedReply<N> {
    /// The reply.
    pub reply: Reply<N>,
    /// What the prover can expect after it against the player of the other seat.
    pub value: N,
    /// What the prover can expect after it against the player there who is worst for whoever is
    /// asked; `None` where that is not known.
    pub worst: Option<N>,
}

/// Among whom the worst was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RivalPool {
    /// Everybody who might sit in the other seat, knowing the instance.
    Everybody,
    /// So many built-in players.
    Listed(usize),
}

/// What each reply to a request is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Hints<N> {
    /// Who is asked.
    pub seat: Seat,
    /// What the prover can expect before the reply.
    pub before: N,
    /// Every reply, or those on a grid of probabilities.
    pub replies: Vec<RatedReply<N>>,
    /// Among whom the worst was looked for; `None` where it is not known.
    pub among: Option<RivalPool>,
    /// Whether something is sealed from whoever is asked, so that these are means over it.
    pub means: bool,
    /// Over how many instances, which whoever is asked cannot tell apart, these are means.
    pub instances: usize,
}

impl<N: Number> Hints<N> {
    /// What a value to the prover is worth to whoever is asked; to a judge, that to the prover.
    #[must_use]
    pub fn to_asked(&self, value: N) -> N {
        match self.seat {
            Seat::Opponent => -value,
            _ => value,
        }
    }

    /// Whether a reply is better than another: it guarantees more, or as much and is worth more
    /// against this player.
    fn is_better(&self, one: &RatedReply<N>, other: &RatedReply<N>) -> bool {
        let worst = |rated: &RatedReply<N>| rated.worst.clone().map(|worst| self.to_asked(worst));
        let value = |rated: &RatedReply<N>| self.to_asked(rated.value.clone());
        match (worst(one), worst(other)) {
            (Some(one), Some(other)) if one != other => one > other,
            _ => value(one) > value(other),
        }
    }

    /// The best reply, the first of the best: which guarantees the most, and of these is worth the
    /// most against this player. `None` for a judge, who has no stake.
    #[must_use]
    pub fn best(&self) -> Option<&RatedReply<N>> {
        self.ranked().into_iter().next()
    }

    /// All replies from the best on; none for a judge, who has no stake.
    #[must_use]
    pub fn ranked(&self) -> Vec<&RatedReply<N>> {
        let mut ranked: Vec<&RatedReply<N>> = Vec::new();
        if !matches!(self.seat, Seat::Prover | Seat::Opponent) {
            return ranked;
        }
        for rated in &self.replies {
            let place = ranked.iter().position(|other| self.is_better(rated, other));
            ranked.insert(place.unwrap_or(ranked.len()), rated);
        }
        ranked
    }

    /// What a reply is worth, where it is among those that were valued. How sure a judge was makes
    /// no difference.
    #[must_use]
    pub fn of(&self, reply: &Reply<N>) -> Option<&RatedReply<N>> {
        self.replies.iter().find(|rated| same(&rated.reply, reply))
    }
}

/// Which replies are valued.
#[derive(Clone, Copy)]
pub(super) enum ReplyFilter<'r> {
    /// All, of probabilities those of this grid.
    All(&'r [Exact]),
    /// This one alone.
    One(&'r Reply<Exact>),
}

/// What a seat knows, and how much may be done to find what replies are worth to it.
pub(super) struct HintSearch<'s, 'm, 'r, 'w> {
    pub(super) view: &'s SeatKnowledge<'m>,
    pub(super) here: &'s [InstanceBelief<'r, 'w>],
    pub(super) which: ReplyFilter<'s>,
    pub(super) budget: Budget<'s>,
}

/// What replies are worth to the prover.
pub(super) struct HintValues {
    pub(super) before: Exact,
    pub(super) replies: Vec<(Reply<Exact>, Exact)>,
}

impl<'w> HintSearch<'_, '_, '_, 'w> {
    /// Values the replies in every possible instance, with what `of` finds there.
    fn over(
        &mut self,
        mut of: impl FnMut(
            &InstanceBelief<'_, 'w>,
            ReplyFilter<'_>,
            &mut Budget<'_>,
        ) -> Result<HintValues, ReviewError>,
    ) -> Result<HintValues, ReviewError> {
        let mut sum: Option<HintValues> = None;
        let mut budget = self.budget;
        for standing in self.here {
            let found = of(standing, self.which, &mut budget)?;
            let chance = &standing.chance;
            match &mut sum {
                None => {
                    sum = Some(HintValues {
                        before: chance * found.before,
                        replies: found
                            .replies
                            .into_iter()
                            .map(|(reply, value)| (reply, chance * value))
                            .collect(),
                    });
                }
                Some(sum) => {
                    sum.before += chance * found.before;
                    // A reply is legal in all instances or in none that is possible.
                    sum.replies.retain_mut(|(reply, value)| {
                        let more = found.replies.iter().find(|(other, _)| other == reply);
                        more.is_some_and(|(_, more)| {
                            *value += chance * more;
                            true
                        })
                    });
                }
            }
        }
        self.budget = budget;
        sum.ok_or(ReviewError::Sealed)
    }

    /// Against the players at the table.
    pub(super) fn here(&mut self) -> Result<HintValues, ReviewError> {
        self.over(|standing, which, budget| {
            let PossibleInstance { start, players, .. } = standing.world;
            let actors = players.each_ref().map(|player| Actor::Plays(&**player));
            let grid = which.grid();
            let mut walk = Expectimax::new(start, actors, *budget)
                .for_value()
                .on_grid(grid);
            let found = mean(&mut walk, &standing.each, which, true);
            budget.steps = budget.steps.saturating_sub(walk.played());
            found
        })
    }

    /// Against other players in one seat, made for each instance.
    pub(super) fn against(
        &mut self,
        make: impl Fn(&PossibleInstance<'w>) -> Option<[Built<'w, Exact>; 3]>,
    ) -> Result<HintValues, ReviewError> {
        let view = self.view;
        self.over(|standing, which, budget| {
            let world = standing.world;
            let players = make(world).ok_or(ReviewError::NotAsked)?;
            let each = view.among(world, &players, SealedReplies::Players)?;
            let actors = players.each_ref().map(|player| Actor::Plays(&**player));
            let grid = which.grid();
            let mut walk = Expectimax::new(&world.start, actors, *budget)
                .for_value()
                .on_grid(grid);
            let found = mean(&mut walk, &each, which, false);
            budget.steps = budget.steps.saturating_sub(walk.played());
            found
        })
    }

    /// Against whoever there may be in a seat, who knows the instance: whatever is sealed there, and
    /// whatever comes.
    pub(super) fn worst(&mut self, rival: Seat) -> Result<HintValues, ReviewError> {
        let view = self.view;
        // On the grid the asked seat alone chooses.
        let asks = matches!(
            view.turn().request,
            Request::Probability { .. } | Request::Share { .. }
        );
        self.over(|standing, which, budget| {
            let world = standing.world;
            let each = view.among(world, &world.players, SealedReplies::Anybody(rival))?;
            let actors = Seat::PLAYERS.map(|seat| {
                if seat == rival {
                    Actor::BestResponse
                } else {
                    Actor::Plays(&*world.players[seat.index()])
                }
            });
            let grid = if asks { which.grid() } else { Vec::new() };
            let mut walk = Expectimax::new(&world.start, actors, *budget)
                .for_value()
                .on_grid(grid);
            let mut least: Option<HintValues> = None;
            for at in each {
                let found = mean(
                    &mut walk,
                    &[(Exact::from_integer(1.into()), at.1)],
                    which,
                    false,
                )?;
                match &mut least {
                    None => least = Some(found),
                    Some(least) => worse(least, &found, rival),
                }
            }
            budget.steps = budget.steps.saturating_sub(walk.played());
            least.ok_or(ReviewError::Sealed)
        })
    }
}

/// Takes of each reply what is the better for a rival.
pub(super) fn worse(least: &mut HintValues, other: &HintValues, rival: Seat) {
    for (reply, value) in &mut least.replies {
        let Some((_, also)) = other.replies.iter().find(|(found, _)| found == reply) else {
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

impl ReplyFilter<'_> {
    fn grid(self) -> Vec<Exact> {
        match self {
            Self::All(grid) => grid.to_vec(),
            Self::One(Reply::Probability(p)) => vec![p.clone()],
            Self::One(_) => Vec::new(),
        }
    }
}

/// What replies are worth where a debate may stand so. `before`: whether that is asked for as well.
fn mean<'w>(
    walk: &mut Expectimax<'_, 'w, Exact>,
    each: &[(Exact, crate::analysis::expectimax::Position<'w, Exact>)],
    which: ReplyFilter<'_>,
    before: bool,
) -> Result<HintValues, ReviewError> {
    let mut sum = HintValues {
        before: Exact::default(),
        replies: Vec::new(),
    };
    for (chance, at) in each {
        let so_far = at.state.payoff();
        let turn = at.state.request().ok_or(Unsolved::NoReply(Seat::Chance))?;
        if before {
            let expected = walk.value_at(at.clone())?.value();
            sum.before += chance * (&so_far + expected);
        }
        let found = match which {
            ReplyFilter::All(_) => walk.each(at, &turn)?,
            ReplyFilter::One(reply) => {
                let expected = walk.worth_at(at, turn.seat, reply.clone())?;
                let worth = |expected| crate::analysis::expectimax::ReplyValue {
                    reply: reply.clone(),
                    expected,
                };
                expected.map(worth).into_iter().collect()
            }
        };
        for worth in found {
            let value = chance * (&so_far + worth.expected.value());
            match sum
                .replies
                .iter_mut()
                .find(|(reply, _)| *reply == worth.reply)
            {
                Some((_, sum)) => *sum += value,
                None => sum.replies.push((worth.reply, value)),
            }
        }
    }
    Ok(sum)
}
