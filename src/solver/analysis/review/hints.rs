//! Hints: the worth of each reply to whoever is asked, as far as they can know.

use super::beliefs::{InstanceBelief, PossibleInstance, SealedReplies, SeatKnowledge};
use super::hint_search::{HintSearch, HintValues, LaterReplies, ReplyFilter};
use super::{ReviewContext, examples, seated};
use super::{ReviewError, even_grid, same, unless_stopped};
use crate::expectation::Unsolved;
use crate::expectimax::Expectimax;
use crate::game::{Node, every_reply};
use debate_core::budget::{Budget, Exceeded};
use debate_core::gate::{EvenShare, Fit};
use debate_core::number::{Exact, Number as _};
use debate_core::player::{Choice, Move, Registry, Spec};
use debate_core::protocol::{Reply, Rules as _, Seat};

/// The most replies that are played to value those to one request.
#[derive(Clone, Copy)]
pub(super) struct HintEffort {
    /// Against the players at the table.
    table: u64,
    /// Against them with the best later replies.
    best: u64,
    /// In search of the worst player of the other seat.
    worst: u64,
    /// To follow the built-in players who may sit there, in all instances.
    rivals: u64,
}

impl HintEffort {
    /// While somebody waits. Together less than half a second of work: some 300 replies a millisecond.
    const HINT: Self = Self {
        table: 45_000,
        best: 60_000,
        worst: 55_000,
        rivals: 25_000,
    };
    /// After the end.
    pub(super) const REVIEW: Self = Self {
        table: 2_000_000,
        best: 300_000,
        worst: 200_000,
        rivals: 400_000,
    };
}

/// The most coins of a debate: the more coins, the longer the exact numbers, and the slower each reply.
const MAX_COINS: u64 = 30;
/// The most replies of one built-in player that are valued, where nobody can list all.
const MAX_REPLIES_OF_PLAYER: usize = 4;
/// Into how many parts the grid of probabilities splits the range.
const PARTS: u32 = 20;
/// Into how many where so many take too long.
const FEW_PARTS: u32 = 4;

/// A reply with its worth.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedReply {
    pub reply: Reply<Exact>,
    /// The prover's expectation after it against the player of the other seat.
    pub value: Exact,
    /// The prover's expectation after it against the player there who is worst for whoever is
    /// asked; `None` where that is not known.
    pub worst: Option<Exact>,
}

/// Among whom the worst was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RivalPool {
    /// Everybody who might sit in the other seat, knowing the instance.
    Everybody,
    /// So many built-in players.
    Listed(usize),
}

/// The worth of each reply to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Hints {
    pub seat: Seat,
    /// The prover's expectation before the reply.
    pub before: Exact,
    /// Every reply, or those on a grid of probabilities, or those of built-in players.
    pub replies: Vec<RatedReply>,
    /// True if nobody can list all replies, so that these are the ones that built-in players would give.
    pub of_players: bool,
    /// Among whom the worst was looked for; `None` where it is not known, or where the later replies
    /// are the best against the one player who sits there.
    pub rivals: Option<RivalPool>,
    /// Whose the later replies are.
    pub later: LaterReplies,
    /// True if something is sealed from whoever is asked, so that these are means over it.
    pub means: bool,
    /// Over how many instances, which whoever is asked cannot tell apart, these are means.
    pub instances: usize,
}

/// Advice to an estimator: the even share, which fits.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareAdvice {
    /// The number that the built-in `even` would say.
    pub even: Exact,
    /// The numbers that fit what was said, the least and the greatest.
    pub fitting: (Exact, Exact),
    /// The quantity that is shared out evenly; `None` where the gate shares nothing out.
    pub share: Option<EvenShare<Exact>>,
    /// How many subclaims are left, this one included; 0 where the number is no part of a claim.
    pub left: u32,
    /// The claim's truth, where a test told it for certain.
    pub known: Option<bool>,
    /// True if the coins have decided the claim, so that every number fits.
    pub is_decided: bool,
}

/// Advice on the pending request.
#[derive(Clone, Debug, PartialEq)]
pub enum Advice {
    /// To an estimator.
    Share(ShareAdvice),
    /// To anybody else.
    Replies(Hints),
}

impl Hints {
    /// A value to the prover as a value to whoever is asked; to a judge, that to the prover.
    pub fn to_asked(&self, value: Exact) -> Exact {
        match self.seat {
            Seat::Opponent => -value,
            _ => value,
        }
    }

    /// True if a reply is better than another: it guarantees more, or as much and is worth more
    /// against this player.
    fn is_better(&self, one: &RatedReply, other: &RatedReply) -> bool {
        let worst = |rated: &RatedReply| rated.worst.clone().map(|worst| self.to_asked(worst));
        let value = |rated: &RatedReply| self.to_asked(rated.value.clone());
        match (worst(one), worst(other)) {
            (Some(one), Some(other)) if one != other => one > other,
            _ => value(one) > value(other),
        }
    }

    /// The best reply, the first of the best: which guarantees the most, and of these is worth the
    /// most against this player. `None` for a judge, who has no stake.
    pub fn best(&self) -> Option<&RatedReply> {
        self.ranked().into_iter().next()
    }

    /// All replies from the best on; none for a judge, who has no stake.
    pub fn ranked(&self) -> Vec<&RatedReply> {
        let mut ranked: Vec<&RatedReply> = Vec::new();
        if !matches!(self.seat, Seat::Prover | Seat::Opponent) {
            return ranked;
        }
        for rated in &self.replies {
            let place = ranked.iter().position(|other| self.is_better(rated, other));
            ranked.insert(place.unwrap_or(ranked.len()), rated);
        }
        ranked
    }

    /// The worth of a reply, if it is among those that were valued. How sure a judge was makes
    /// no difference.
    pub fn of(&self, reply: &Reply<Exact>) -> Option<&RatedReply> {
        self.replies.iter().find(|rated| same(&rated.reply, reply))
    }
}

impl ReviewContext {
    /// Advice on the request after these moves.
    ///
    /// # Errors
    /// If nobody's replies are valued here; else as of [`Self::hints`].
    pub fn advice(&self, moves: &[Move<Exact>], budget: Budget<'_>) -> Result<Advice, ReviewError> {
        let mut at = Node::new(self.start()?);
        for made in moves {
            let seat = made.seat;
            let illegal = |illegal| Unsolved::Illegal { seat, illegal };
            at.state
                .reply(made.reply.clone(), &mut ())
                .map_err(illegal)?;
        }
        let turn = at.state.request().ok_or(ReviewError::NotAsked)?;
        if !self.rates(turn.seat) {
            return Err(ReviewError::NotRated);
        }
        if !self.is_estimator(turn.seat) || !turn.request.takes_probability() {
            return self.hints(moves, budget).map(Advice::Replies);
        }
        let table = seated(self.plays(budget)?, turn.seat, Spec::named("even"));
        let even = self.build_seat(&table, turn.seat, &self.instance, budget)?;
        let choice = at.asked(&turn, &*even)?;
        let first = choice.each().and_then(|each| each.into_iter().next());
        let Some((_, Reply::Probability(even))) = first else {
            return Err(Unsolved::NoReply(turn.seat).into());
        };
        let fit = at.state.fit();
        let whole = || (Exact::ratio(0, 1), Exact::ratio(1, 1));
        let fitting = fit.as_ref().map(|fit| fit.fitting().into_inner());
        Ok(Advice::Share(ShareAdvice {
            even,
            fitting: fitting.unwrap_or_else(whole),
            share: fit.as_ref().and_then(Fit::share),
            left: fit.as_ref().map_or(0, Fit::left),
            known: self.known(&turn.request),
            is_decided: fit.is_some_and(|fit| fit.is_decided()),
        }))
    }

    /// The worth of each reply to the request after these moves.
    ///
    /// # Errors
    /// If nothing is asked, it takes too long or is stopped, or what is hidden cannot be
    /// weighed.
    pub fn hints(&self, moves: &[Move<Exact>], budget: Budget<'_>) -> Result<Hints, ReviewError> {
        let fine = self.hints_after(moves, ReplyFilter::All(&even_grid(PARTS)), budget);
        match fine {
            Err(ReviewError::Unsolved(Unsolved::Exceeded(Exceeded::TooLarge { .. }))) => {
                self.hints_after(moves, ReplyFilter::All(&even_grid(FEW_PARTS)), budget)
            }
            fine => fine,
        }
    }

    /// The worth of one reply to that request; `None` if it is illegal.
    ///
    /// # Errors
    /// As of [`Self::hints`].
    pub fn worth(
        &self,
        moves: &[Move<Exact>],
        reply: &Reply<Exact>,
        budget: Budget<'_>,
    ) -> Result<Option<RatedReply>, ReviewError> {
        let hints = self.hints_after(
            moves,
            ReplyFilter::These(std::slice::from_ref(reply)),
            budget,
        )?;
        Ok(hints.replies.into_iter().next())
    }

    fn hints_after(
        &self,
        moves: &[Move<Exact>],
        filter: ReplyFilter<'_>,
        budget: Budget<'_>,
    ) -> Result<Hints, ReviewError> {
        let start = self.start()?;
        let view = SeatKnowledge::new(&start, moves, self.people())?;
        // Half of a coin is valued without playing what follows.
        let is_half = view.turn.request.is_half_of_coin();
        if start.coins() > MAX_COINS && !is_half {
            let exceeded = budget.with_steps(MAX_COINS).exceeded("coins");
            return Err(Unsolved::Exceeded(exceeded).into());
        }
        let known = self.known_to(view.seat)?;
        let worlds = self.possible(&known, budget)?;
        self.hints_of(&view, &worlds, filter, HintEffort::HINT, budget)
    }

    pub(super) fn hints_of(
        &self,
        view: &SeatKnowledge<'_>,
        worlds: &[PossibleInstance<'_>],
        filter: ReplyFilter<'_>,
        effort: HintEffort,
        budget: Budget<'_>,
    ) -> Result<Hints, ReviewError> {
        if let Some(hints) = self.half_of_a_coin(view, worlds, filter, budget)? {
            return Ok(hints);
        }
        let beliefs = view.beliefs(worlds)?;
        let endless = matches!(filter, ReplyFilter::All(_))
            && matches!(every_reply(&view.turn, &[]), Err(Unsolved::Endless(_)));
        let listed = if endless {
            self.replies_of_players(view, &beliefs, budget)?
        } else {
            Vec::new()
        };
        let filter = if listed.is_empty() {
            filter
        } else {
            ReplyFilter::These(&listed)
        };
        let mut search = HintSearch {
            view,
            worlds,
            beliefs: &beliefs,
            filter,
            budget: budget.with_steps(effort.table),
        };
        let (at_table, later) = search.at_table(effort.best)?;
        let guaranteed = match later {
            // Bets are valued against the estimator who sits there.
            _ if self.has_bets() => None,
            LaterReplies::Best => None,
            LaterReplies::StandIn => self.guaranteed(&mut search, &at_table, effort)?,
        };
        let worst = |reply: &Reply<Exact>| {
            let (values, _) = guaranteed.as_ref()?;
            let same = values.replies.iter().find(|(other, _)| other == reply);
            same.map(|(_, worst)| worst.clone())
        };
        let rated = |(reply, value): (Reply<Exact>, Exact)| RatedReply {
            worst: worst(&reply),
            reply,
            value,
        };
        Ok(Hints {
            seat: view.seat,
            before: at_table.before,
            replies: at_table.replies.into_iter().map(rated).collect(),
            of_players: !listed.is_empty(),
            rivals: guaranteed.as_ref().map(|(_, rivals)| *rivals),
            later,
            means: beliefs.iter().any(|belief| belief.each.len() > 1),
            instances: beliefs.len(),
        })
    }

    /// The replies that built-in players would give in the seat, the one who stands in for it first, each once; of one
    /// who draws among many the first ones.
    fn replies_of_players(
        &self,
        view: &SeatKnowledge<'_>,
        beliefs: &[InstanceBelief<'_, '_>],
        budget: Budget<'_>,
    ) -> Result<Vec<Reply<Exact>>, ReviewError> {
        let registry = Registry::builtin();
        let listed = examples(&registry, view.seat, self.protocol.kind());
        let plays = self.plays(budget)?;
        let stand_in = plays[view.seat.index()].clone();
        let mut replies: Vec<Reply<Exact>> = Vec::new();
        for spec in std::iter::once(stand_in).chain(listed) {
            let table = seated(plays, view.seat, spec);
            for belief in beliefs {
                let world = belief.world;
                let players = self.build(&table, world.instance, budget);
                // A player who cannot play here has no say.
                let Some(players) = unless_stopped(players)? else {
                    continue;
                };
                let each = view.positions(world, &players, SealedReplies::Players)?;
                for (_, mut at) in each {
                    let asked = at.asked(&view.turn, &*players[view.seat.index()]);
                    let each = asked.ok().and_then(Choice::each).unwrap_or_default();
                    let few = each.into_iter().take(MAX_REPLIES_OF_PLAYER);
                    for (_, reply) in few {
                        if !replies.iter().any(|other| same(other, &reply)) {
                            replies.push(reply);
                        }
                    }
                }
            }
        }
        Ok(replies)
    }

    /// Half of a coin, where the other half is drawn evenly: whatever the one is, the coin falls as
    /// it should, and nothing need be listed.
    fn half_of_a_coin(
        &self,
        view: &SeatKnowledge<'_>,
        worlds: &[PossibleInstance<'_>],
        filter: ReplyFilter<'_>,
        budget: Budget<'_>,
    ) -> Result<Option<Hints>, ReviewError> {
        if !view.turn.request.is_half_of_coin() {
            return Ok(None);
        }
        // The second half is asked for while the first is sealed: what counts is the coin.
        let first = view
            .moves
            .split_last()
            .filter(|_| view.seat != Seat::Opponent);
        let moves = first.map_or(view.moves, |(_, before)| before);
        let start = self.start()?;
        let before = SeatKnowledge::new(&start, moves, self.people())?;
        let beliefs = before.beliefs(worlds)?;
        let mut value = Exact::default();
        for belief in &beliefs {
            let PossibleInstance { start, players, .. } = belief.world;
            let effort = budget.with_steps(HintEffort::REVIEW.table);
            let mut search = Expectimax::between(start, players, effort);
            for (chance, at) in &belief.each {
                let turn = at.state.request().ok_or(ReviewError::NotAsked)?;
                let Some(expected) = search.half_coin_value(at, &turn)? else {
                    return Ok(None);
                };
                value += &belief.chance * chance * (at.state.payoff() + expected.value());
            }
        }
        let replies = filter.replies(&view.turn)?;
        let legal =
            |reply: &Reply<Exact>| matches!(reply, Reply::Probability(p) if p.is_probability());
        let rated = |reply| RatedReply {
            reply,
            value: value.clone(),
            worst: None,
        };
        Ok(Some(Hints {
            seat: view.seat,
            before: value.clone(),
            replies: replies.into_iter().filter(legal).map(rated).collect(),
            of_players: false,
            rivals: None,
            later: LaterReplies::StandIn,
            means: view.seat != Seat::Opponent,
            instances: beliefs.len(),
        }))
    }

    /// The guarantees of replies, whoever sits in the other seat from the start; where that cannot be
    /// found, whoever of the built-in players. `at_table`: what they are worth against the one who
    /// does.
    fn guaranteed(
        &self,
        search: &mut HintSearch<'_, '_, '_, '_>,
        at_table: &HintValues,
        effort: HintEffort,
    ) -> Result<Option<(HintValues, RivalPool)>, ReviewError> {
        let rival = match search.view.seat {
            Seat::Prover => Seat::Opponent,
            Seat::Opponent => Seat::Prover,
            _ => return Ok(None),
        };
        // Where the grid is coarse the players at the table took too long already.
        if !search.filter.is_coarse(FEW_PARTS) {
            search.budget = search.budget.with_steps(effort.worst);
            if let Some(worst) = unless_stopped(search.worst(rival))? {
                return Ok(Some((worst, RivalPool::Everybody)));
            }
        }
        search.budget = search.budget.with_steps(effort.rivals);
        let plays = self.plays(search.budget)?;
        let registry = Registry::builtin();
        let listed = examples(&registry, rival, self.protocol.kind())
            .filter(|spec| *spec != plays[rival.index()]);
        let mut least = at_table.clone();
        let mut count = 1;
        for spec in listed {
            let table = seated(plays, rival, spec);
            let budget = search.budget;
            let values = search.against(|world| self.build(&table, world.instance, budget));
            let is_late = matches!(values, Err(ReviewError::Unsolved(Unsolved::Exceeded(_))));
            // A player who cannot play here does not count.
            if let Some(values) = unless_stopped(values)? {
                least.take_worse(&values, rival);
                count += 1;
            } else if is_late {
                // No more are followed than there is time for.
                break;
            }
        }
        Ok((count > 1).then_some((least, RivalPool::Listed(count))))
    }
}
