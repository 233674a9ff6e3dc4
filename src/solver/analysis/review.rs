//! The worth of the replies of a debate: hints while it is played, and faults when it is over.
//!
//! One yardstick for each seat. An estimator's numbers are asked whether they fit together, which is exact and the same
//! whoever bets against them. Other replies have a value: the payoff that the prover can expect with these players in
//! the other seats, and in a person's place, from their next reply on, the player whom the scenario seats there. A
//! judge's replies, speeches, and debates that a person judges have none.
//!
//! What is hidden from somebody is not used in what they are told while the debate goes on: their
//! replies are valued over all instances that they cannot tell apart and over all that the others
//! may have sealed, as likely as their strategies and all that is open make it. Replies are ranked
//! by what they guarantee, whoever sits in the other seat, and then by what they are worth against
//! the player who does.

mod beliefs;
mod faults;
mod hint_search;
mod hints;
mod trials;

use std::sync::{Arc, OnceLock};

use thiserror::Error;

use crate::expectation::Unsolved;
use beliefs::PossibleInstance;
use debate_core::budget::Budget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::{BuildError, Built, Registry, Spec, StrategyEntry};
use debate_core::protocol::{Kind, Protocol, Refused, Reply, Round, Rules as _, Seat, State};
use debate_core::scenario::Instance;
pub use faults::{Fault, FaultCause, Misfit, MoveReview, PayoffParts, Review, Stake};
pub use hint_search::LaterReplies;
pub use hints::{Advice, Hints, RatedReply, RivalPool, ShareAdvice};
pub use trials::{TrialComparison, TrialResults};

/// Why a value was not found.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReviewError {
    /// The search did not come to its end.
    #[error(transparent)]
    Unsolved(#[from] Unsolved),
    /// A player cannot be built.
    #[error(transparent)]
    Player(BuildError),
    /// The debate cannot be begun.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Sealed replies do not follow from what is open.
    #[error("what is sealed from you cannot be told from what is open, so no value is known")]
    Sealed,
    /// Too much is sealed.
    #[error("too much is sealed from you to weigh all that it may be")]
    TooMuchSealed,
    /// Too many instances are possible.
    #[error("too many instances are possible, as far as you can know, to weigh each")]
    TooManyInstances,
    /// Nothing is asked.
    #[error("nothing is asked")]
    NotAsked,
    /// Nobody's replies are valued here.
    #[error("what a reply is worth is not told in speeches, to a judge, or where a person judges")]
    NotRated,
    /// There was no thread to compute it on, or it was lost.
    #[error("the system gave no thread to compute it on")]
    NoThread,
}

impl From<BuildError> for ReviewError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Exceeded { exceeded, .. } => Self::Unsolved(exceeded.into()),
            error => Self::Player(error),
        }
    }
}

impl ReviewError {
    /// True if it was stopped from elsewhere.
    pub fn is_stopped(&self) -> bool {
        *self == Self::Unsolved(Unsolved::STOPPED)
    }
}

/// The result, or `None` where it cannot be computed. Only a stop by the user ends the rest.
fn unless_stopped<T>(found: Result<T, ReviewError>) -> Result<Option<T>, ReviewError> {
    match found {
        Err(error) if error.is_stopped() => Err(error),
        found => Ok(found.ok()),
    }
}

/// True if two replies come to the same.
fn same(one: &Reply<Exact>, other: &Reply<Exact>) -> bool {
    match (one, other) {
        (Reply::Oracle { holds, .. }, Reply::Oracle { holds: also, .. }) => holds == also,
        _ => one == other,
    }
}

/// Equally spaced probabilities from 0 to 1.
fn even_grid(parts: u32) -> Vec<Exact> {
    let ratio = |n: u32| Exact::ratio(n.into(), parts.into());
    (0..=parts).map(ratio).collect()
}

/// The most replies that are played for a whole debate: some seconds of work.
const MAX_REVIEW_REPLIES: u64 = 1_000_000;
/// The most instances that are weighed.
const MAX_INSTANCES: usize = 256;

/// The players of a registry for a seat, each as it can be named.
fn examples(registry: &Registry<Exact>, seat: Seat, kind: Kind) -> impl Iterator<Item = Spec> {
    let names = registry
        .for_seat(seat, kind)
        .flat_map(StrategyEntry::examples);
    names.filter_map(|name| Spec::parse(&name).ok())
}

/// The same players with another one in a seat.
fn seated(players: &[Spec; 3], seat: Seat, spec: Spec) -> [Spec; 3] {
    let mut table = players.clone();
    table[seat.index()] = spec;
    table
}

/// An instance, its rules and its players, owned.
#[derive(Clone, Debug)]
pub struct ReviewContext {
    instance: Arc<Instance>,
    protocol: Protocol,
    /// The players as they were named, people among them.
    sits: [Spec; 3],
    /// The scenario's own players, built-in ones alone.
    own: [Option<Spec>; 3],
    /// The players, with somebody to stand in for each person; found when it is first asked for.
    plays: Arc<OnceLock<[Spec; 3]>>,
    registry: Registry<Exact>,
}

impl ReviewContext {
    /// The debate about an instance between these players, people among them: in their place plays
    /// whom the scenario seats there (`own`), or else the first who can.
    pub fn new(
        instance: &Instance,
        protocol: &Protocol,
        sits: [Spec; 3],
        own: [Option<Spec>; 3],
        registry: Registry<Exact>,
    ) -> Self {
        Self {
            instance: Arc::new(instance.unvisited_copy()),
            protocol: protocol.clone(),
            sits,
            own,
            plays: Arc::default(),
            registry,
        }
    }

    /// The players, with somebody to stand in for each person.
    fn plays(&self, budget: Budget<'_>) -> Result<&[Spec; 3], ReviewError> {
        if let Some(known) = self.plays.get() {
            return Ok(known);
        }
        let mut plays = self.sits.clone();
        let people = || {
            Seat::PLAYERS
                .into_iter()
                .filter(|seat| self.is_person(*seat))
        };
        for seat in people() {
            let own = self.own[seat.index()].clone();
            plays[seat.index()] = own.unwrap_or_else(|| self.stand_in(seat));
        }
        for seat in people() {
            let built = self.build_seat(&plays, seat, &self.instance, budget);
            if unless_stopped(built)?.is_none() {
                plays[seat.index()] = self.stand_in(seat);
            }
        }
        Ok(self.plays.get_or_init(|| plays))
    }

    /// The first player that can be built for a seat, in the registry's order.
    fn stand_in(&self, seat: Seat) -> Spec {
        let (registry, kind) = (&self.registry, self.protocol.kind());
        let built = |spec: &Spec| registry.build(spec, seat, &self.instance, &self.protocol);
        examples(registry, seat, kind)
            .find(|spec| built(spec).is_ok())
            .unwrap_or_else(|| Spec::named(registry.default_for(seat, kind)))
    }

    /// The instance that is debated.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The kind of the rules.
    pub fn kind(&self) -> Kind {
        self.protocol.kind()
    }

    /// True if a person sits in a seat.
    pub fn is_person(&self, seat: Seat) -> bool {
        self.sits.get(seat.index()).is_some_and(Spec::is_human)
    }

    /// The seats in which people sit.
    fn people(&self) -> [bool; 3] {
        Seat::PLAYERS.map(|seat| self.is_person(seat))
    }

    /// The players with stand-ins, once something was computed; before that as they were named.
    fn known_players(&self) -> &[Spec; 3] {
        self.plays.get().unwrap_or(&self.sits)
    }

    /// The player of a seat, or, once something was computed, the stand-in for a person there: the
    /// name alone, since arguments such as the place of a lie are not for those who play against it.
    pub fn player(&self, seat: Seat) -> String {
        let spec = self.known_players().get(seat.index());
        spec.map(|spec| spec.name.clone()).unwrap_or_default()
    }

    /// True if whoever stands in for a person is the scenario's own player.
    pub fn is_of_scenario(&self, seat: Seat) -> bool {
        let own = self.own.get(seat.index()).and_then(Option::as_ref);
        own.is_some() && own == self.known_players().get(seat.index())
    }

    fn build_seat<'i>(
        &self,
        plays: &[Spec; 3],
        seat: Seat,
        instance: &'i Instance,
        budget: Budget<'_>,
    ) -> Result<Built<'i, Exact>, ReviewError> {
        let built = self
            .registry
            .build_at(plays, seat, instance, &self.protocol, budget);
        Ok(built?)
    }

    /// Prover, opponent and judge, built.
    fn build<'i>(
        &self,
        plays: &[Spec; 3],
        instance: &'i Instance,
        budget: Budget<'_>,
    ) -> Result<[Built<'i, Exact>; 3], ReviewError> {
        let build = |seat| self.build_seat(plays, seat, instance, budget);
        let [prover, opponent, judge] = Seat::PLAYERS.map(build);
        Ok([prover?, opponent?, judge?])
    }

    fn start(&self) -> Result<State<'_, Exact>, ReviewError> {
        Ok(self.protocol.start(&self.instance)?)
    }

    /// The instances among which a seat cannot tell which one is debated, with their
    /// probabilities: as the scenario says what it knows; where it says nothing, Bob
    /// knows what the problem grants him, others that it is one of μ.
    fn known_to(&self, seat: Seat) -> Result<Vec<(Exact, Instance)>, ReviewError> {
        let conditions = self.protocol.conditions();
        if !conditions.hides_truths() {
            let instance = self.instance.unvisited_copy();
            return Ok(vec![(Exact::ratio(1, 1), instance)]);
        }
        let instances = self.instance.known_to(seat.index(), MAX_INSTANCES);
        instances.ok_or(ReviewError::TooManyInstances)
    }

    /// Those of the instances whose debates are as long as this one: how long it is everybody sees.
    fn possible<'w>(
        &self,
        known: &'w [(Exact, Instance)],
        budget: Budget<'_>,
    ) -> Result<Vec<PossibleInstance<'w>>, ReviewError> {
        let schedule = self.start()?.schedule();
        let mut possible = Vec::with_capacity(known.len());
        for (chance, instance) in known {
            let start: State<'w, Exact> = self.protocol.start(instance)?;
            if start.schedule() == schedule {
                possible.push(PossibleInstance {
                    chance: chance.clone(),
                    instance,
                    start,
                    players: self.build(self.plays(budget)?, instance, budget)?,
                });
            }
        }
        Ok(possible)
    }

    /// The least and the most that the rules pay the prover.
    ///
    /// # Errors
    /// If the debate cannot be begun.
    pub fn range(&self) -> Result<(Exact, Exact), ReviewError> {
        let (mut least, mut most) = (Exact::default(), Exact::default());
        for (round, weight) in self.start()?.schedule() {
            // All but the first are bets; a verdict's ±1 is one as well.
            if matches!(round, Round::Number(_)) {
                least -= &weight;
            }
            most += weight;
        }
        Ok((least, most))
    }

    /// True if what a round pays can be lost as well.
    fn has_bets(&self) -> bool {
        self.protocol.reward_ratio().is_some()
    }
}
