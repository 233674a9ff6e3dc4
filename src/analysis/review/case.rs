//! A debate with all that is needed to value it anywhere: on another thread, for a screen that
//! must not wait.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::often::{Often, Tried};
use super::{Hints, Reference, Review, Unknown, even_grid, hints, ledger, worth};
use crate::analysis::walk::{Unsolved, Walk};
use crate::budget::Budget;
use crate::chance::Seed;
use crate::number::{Exact, Number as _};
use crate::player::{BuildError, Built, Chances as _, Mind, Move, Registry, Seeded, Spec};
use crate::protocol::{Protocol, Reply, Request, Rules as _, Seat, State};
use crate::scenario::Instance;

/// How many replies are played in search of the best later ones, before a stand-in gives them.
const FOR_THE_BEST: u64 = 200_000;
/// How many replies are played otherwise.
const AT_MOST: u64 = 20_000_000;
/// Into how many parts the grid of probabilities splits the range: of a question alone, and where
/// the best later estimates are taken from it as well.
const FINE: u32 = 20;
/// As of [`FINE`].
const COARSE: u32 = 10;

/// Who waits for what is being computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch<'w> {
    /// Set from elsewhere to give it up.
    pub cancel: Option<&'w AtomicBool>,
    /// Counts the positions that have been looked at.
    pub seen: Option<&'w AtomicU64>,
}

/// An instance, its rules and its players, owned.
#[derive(Clone, Debug)]
pub struct Case {
    instance: Arc<Instance>,
    protocol: Protocol,
    /// Who sits in each seat.
    sits: [Spec; 3],
    /// The same, with somebody to stand in for each person; found when it is first asked for.
    plays: Arc<OnceLock<[Spec; 3]>>,
    registry: Registry<Exact>,
}

impl Case {
    /// The debate about an instance between these players, people among them.
    #[must_use]
    pub fn new(
        instance: &Instance,
        protocol: &Protocol,
        sits: [Spec; 3],
        registry: Registry<Exact>,
    ) -> Self {
        Self {
            instance: Arc::new(instance.anew()),
            protocol: protocol.clone(),
            sits,
            plays: Arc::default(),
            registry,
        }
    }

    /// Who plays, with somebody to stand in for each person.
    pub(super) fn plays(&self) -> &[Spec; 3] {
        self.plays.get_or_init(|| {
            Seat::PLAYERS.map(|seat| {
                let spec = &self.sits[seat.index()];
                if spec.is_human() {
                    stand_in(&self.registry, seat, &self.instance, &self.protocol)
                } else {
                    spec.clone()
                }
            })
        })
    }

    /// Whether a person sits in a seat.
    #[must_use]
    pub fn is_person(&self, seat: Seat) -> bool {
        self.sits.get(seat.index()).is_some_and(Spec::is_human)
    }

    /// Who plays in a seat, or stands in for the person there: the name alone, since arguments such
    /// as the place of a lie are not for those who play against it.
    #[must_use]
    pub fn player(&self, seat: Seat) -> String {
        let spec = self.plays().get(seat.index());
        spec.map(|spec| spec.name.clone()).unwrap_or_default()
    }

    pub(super) fn built<'i>(
        &'i self,
        plays: &[Spec; 3],
    ) -> Result<[Built<'i, Exact>; 3], BuildError> {
        let build = |seat: Seat| {
            let spec = &plays[seat.index()];
            self.registry
                .build(spec, seat, &self.instance, &self.protocol)
        };
        Ok([
            build(Seat::Prover)?,
            build(Seat::Opponent)?,
            build(Seat::Judge)?,
        ])
    }

    pub(super) fn start(&self) -> Result<State<'_, Exact>, Unknown> {
        Ok(self.protocol.start(&self.instance)?)
    }

    /// What each reply to the request after these moves is worth.
    ///
    /// # Errors
    /// Where nothing is asked, it takes too long or is cancelled, or what is sealed cannot be
    /// weighed.
    pub fn hints(&self, moves: &[Move<Exact>], watch: Watch<'_>) -> Result<Hints<Exact>, Unknown> {
        let start = self.start()?;
        let players = self.built(self.plays())?;
        let asked = super::standing(&start, moves)?;
        let seat = asked.request().ok_or(Unknown::NotAsked)?.seat;
        let try_with = |best: Option<Seat>| {
            let reference = Reference {
                players: &players,
                best,
            };
            let budget = budget(best, watch);
            hints(&start, moves, &reference, grid(best), budget)
        };
        best_or_not(debater(seat), try_with)
    }

    /// What one reply to that request is worth to the prover, and `None` where it is illegal.
    /// `like`: the hints beside which it stands, under whose reference it is valued.
    ///
    /// # Errors
    /// As of [`Self::hints`].
    pub fn worth(
        &self,
        moves: &[Move<Exact>],
        reply: &Reply<Exact>,
        like: &Hints<Exact>,
        watch: Watch<'_>,
    ) -> Result<Option<Exact>, Unknown> {
        let start = self.start()?;
        let players = self.built(self.plays())?;
        let best = (like.later == super::Later::Best).then_some(like.seat);
        let reference = Reference {
            players: &players,
            best,
        };
        let budget = budget(best, watch);
        worth(&start, moves, &reference, (reply, grid(best)), budget)
    }

    /// What every one of these moves was worth.
    ///
    /// # Errors
    /// Where a value takes too long or is cancelled, or a player fails.
    pub fn review(
        &self,
        moves: &[Move<Exact>],
        watch: Watch<'_>,
    ) -> Result<Review<Exact>, Unknown> {
        let start = self.start()?;
        let players = self.built(self.plays())?;
        let people = Seat::PLAYERS.map(|seat| self.is_person(seat));
        let alone = match people {
            [true, false, _] => Some(Seat::Prover),
            [false, true, _] => Some(Seat::Opponent),
            _ => None,
        };
        let bets = self.protocol.reward_ratio().is_some();
        best_or_not(alone, |best| {
            let reference = Reference {
                players: &players,
                best,
            };
            let budget = budget(best, watch);
            let grid = grid(best);
            ledger::review(&start, moves, &reference, (people, bets), (&grid, budget))
        })
    }

    /// How the least and the most that the rules pay the prover lie.
    ///
    /// # Errors
    /// Where the debate cannot be begun.
    pub fn range(&self) -> Result<(Exact, Exact), Unknown> {
        let bets = self.protocol.reward_ratio().is_some();
        Ok(super::range(&self.start()?, bets))
    }

    /// Plays the pair so many times, and with `honest` in the prover's seat as often; `told` hears
    /// how many debates have been played.
    ///
    /// # Errors
    /// Where a player fails, or it is cancelled.
    pub fn often(
        &self,
        seed: &Seed,
        count: u32,
        watch: Watch<'_>,
        told: &dyn Fn(u32),
    ) -> Result<Often, Unknown> {
        let pair = self.tried(self.plays(), seed, count, watch, told)?;
        let mut plays = self.plays().clone();
        plays[Seat::Prover.index()] = Spec::named("honest");
        let kind = self.protocol.kind();
        let exists = self.registry.find("honest", Seat::Prover, kind).is_ok();
        let honest = if exists && plays != *self.plays() {
            let told = |more| told(count + more);
            Some(self.tried(&plays, seed, count, watch, &told)?)
        } else {
            None
        };
        Ok(Often { pair, honest })
    }

    fn tried(
        &self,
        plays: &[Spec; 3],
        seed: &Seed,
        count: u32,
        watch: Watch<'_>,
        told: &dyn Fn(u32),
    ) -> Result<Tried, Unknown> {
        let start = self.start()?;
        let players = self.built(plays)?;
        let actors = players
            .each_ref()
            .map(|player| crate::analysis::Actor::Plays(&**player));
        let mut walk = Walk::new(&start, actors, budget(None, watch)).for_value();
        let exact = walk.value(start.clone());
        if exact == Err(Unsolved::STOPPED) {
            return Err(Unsolved::STOPPED.into());
        }
        let mut payoffs = Vec::with_capacity(count as usize);
        for number in 0..count {
            if watch
                .cancel
                .is_some_and(|flag| flag.load(Ordering::Relaxed))
            {
                return Err(Unsolved::STOPPED.into());
            }
            let chances = Seeded::new(seed, number.into(), start.coins());
            payoffs.push(played(start.clone(), &players, chances)?.to_float());
            told(number + 1);
        }
        let names = plays.each_ref().map(ToString::to_string);
        Ok(Tried::new(names, payoffs, exact.map(|found| found.value())))
    }
}

/// Plays a debate to its end; what the prover received.
fn played<'a>(
    mut state: State<'a, Exact>,
    players: &[Built<'a, Exact>; 3],
    mut chances: Seeded,
) -> Result<Exact, Unsolved> {
    let mut minds = [Mind::default(); 3];
    let mut number = 0;
    while let Some(turn) = state.request() {
        let seat = turn.seat;
        let reply = if let Request::Draw { ordinal, draw, .. } = &turn.request {
            Reply::Drawn(draw.outcome(chances.coin(*ordinal)))
        } else {
            let player = players.get(seat.index()).ok_or(Unsolved::NoReply(seat))?;
            let mind = &mut minds[seat.index()];
            let choice = player.choose(&state, seat, &turn.request, mind);
            let choice = choice.ok_or(Unsolved::NoReply(seat))?;
            choice.settle(|| chances.private(seat, number))
        };
        let illegal = |illegal| Unsolved::Illegal { seat, illegal };
        state.reply(reply, &mut ()).map_err(illegal)?;
        number += 1;
    }
    Ok(state.payoff())
}

/// Whoever can be built first in a seat: the table's order is by default.
fn stand_in(
    registry: &Registry<Exact>,
    seat: Seat,
    instance: &Instance,
    protocol: &Protocol,
) -> Spec {
    let kind = protocol.kind();
    let examples = registry
        .for_seat(seat, kind)
        .flat_map(crate::player::Entry::examples);
    let specs = examples.filter_map(|name| Spec::parse(&name).ok());
    let mut plays = specs.filter(|spec| registry.build(spec, seat, instance, protocol).is_ok());
    plays
        .next()
        .unwrap_or_else(|| Spec::named(registry.default_for(seat, kind)))
}

/// The seat itself where it debates.
fn debater(seat: Seat) -> Option<Seat> {
    matches!(seat, Seat::Prover | Seat::Opponent).then_some(seat)
}

fn budget(best: Option<Seat>, watch: Watch<'_>) -> Budget<'_> {
    let Watch { cancel, seen } = watch;
    Budget {
        steps: if best.is_some() {
            FOR_THE_BEST
        } else {
            AT_MOST
        },
        flag: None,
        stop: cancel,
        progress: seen,
    }
}

fn grid(best: Option<Seat>) -> Vec<Exact> {
    // A prover chooses among few replies; only an estimator takes its later ones from the grid.
    even_grid(if best == Some(Seat::Opponent) {
        COARSE
    } else {
        FINE
    })
}

/// With the best later replies where these can be found, else with those of the stand-in.
fn best_or_not<T>(
    seat: Option<Seat>,
    with: impl Fn(Option<Seat>) -> Result<T, Unknown>,
) -> Result<T, Unknown> {
    use Unsolved::{Countless, Endless, Exceeded, Hidden, NoReply};
    if seat.is_none() {
        return with(None);
    }
    match with(seat) {
        Err(Unknown::Unsolved(Unsolved::STOPPED)) => Err(Unknown::Unsolved(Unsolved::STOPPED)),
        Err(Unknown::Unsolved(
            Exceeded(_) | Countless(_) | Endless(_) | Hidden(_) | NoReply(_),
        )) => with(None),
        found => found,
    }
}
