//! A debate with all that is needed to value it anywhere: on another thread, for a screen that
//! must not wait.

use std::sync::{Arc, OnceLock};

use super::beliefs::{PossibleInstance, SeatKnowledge};
use super::hints::{HintSearch, HintValues, ReplyFilter, RivalPool, worse};
use super::trials::{TrialComparison, TrialResults};
use super::{Hints, RatedReply, Review, ReviewError, even_grid, ledger};
use crate::analysis::expectimax::{Actor, Expectimax, Unsolved};
use debate_core::budget::Budget;
use debate_core::chance::Seed;
use debate_core::number::{Exact, Number as _};
use debate_core::player::{BuildError, Built, Move, Registry, Seeded, Spec, play_between};
use debate_core::protocol::{Protocol, Reply, Request, Rules as _, Seat, State};
use debate_core::scenario::Instance;

/// How many replies are played to value a debate as it went: some seconds of work.
const AT_MOST: u64 = 1_000_000;
/// How many replies are played for a hint against the players at the table.
const FOR_A_HINT: u64 = 2_000_000;
/// How many are played in search of the worst player of the other seat.
const FOR_THE_WORST: u64 = 200_000;
/// How many are played to follow one built-in player who may sit there, in all instances.
const FOR_A_RIVAL: u64 = 40_000;
/// How many instances are weighed at most.
const MOST_INSTANCES: usize = 256;
/// Into how many parts the grid of probabilities splits the range: for a hint, and for each of the
/// many replies of a review.
const FINE: u32 = 20;
/// As of [`FINE`].
const COARSE: u32 = 10;

/// An instance, its rules and its players, owned.
#[derive(Clone, Debug)]
pub struct ReviewContext {
    instance: Arc<Instance>,
    protocol: Protocol,
    /// Who sits in each seat.
    sits: [Spec; 3],
    /// Whom the scenario seats there, built-in players alone.
    own: [Option<Spec>; 3],
    /// Who sits there, with somebody to stand in for each person; found when it is first asked for.
    plays: Arc<OnceLock<[Spec; 3]>>,
    registry: Registry<Exact>,
}

impl ReviewContext {
    /// The debate about an instance between these players, people among them: in their place plays
    /// whom the scenario seats there (`own`), or else the first who can.
    #[must_use]
    pub fn new(
        instance: &Instance,
        protocol: &Protocol,
        (sits, own): ([Spec; 3], [Option<Spec>; 3]),
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

    /// Who plays, with somebody to stand in for each person.
    fn plays(&self) -> &[Spec; 3] {
        self.plays.get_or_init(|| {
            let someone =
                |seat: Seat| stand_in(&self.registry, seat, &self.instance, &self.protocol);
            let mut plays = self.sits.clone();
            for seat in Seat::PLAYERS {
                let place = seat.index();
                if plays[place].is_human() {
                    plays[place] = self.own[place].clone().unwrap_or_else(|| someone(seat));
                }
            }
            for seat in Seat::PLAYERS {
                let place = seat.index();
                let built = || {
                    let registry = &self.registry;
                    registry.build_at(&plays, seat, &self.instance, &self.protocol)
                };
                if self.sits[place].is_human() && built().is_err() {
                    plays[place] = someone(seat);
                }
            }
            plays
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

    /// Whether whoever stands in for a person is the scenario's own player.
    #[must_use]
    pub fn is_of_scenario(&self, seat: Seat) -> bool {
        let own = self.own.get(seat.index()).and_then(Option::as_ref);
        own.is_some() && own == self.plays().get(seat.index())
    }

    fn built<'i>(
        &self,
        plays: &[Spec; 3],
        instance: &'i Instance,
    ) -> Result<[Built<'i, Exact>; 3], BuildError> {
        let build = |seat: Seat| {
            self.registry
                .build_at(plays, seat, instance, &self.protocol)
        };
        Ok([
            build(Seat::Prover)?,
            build(Seat::Opponent)?,
            build(Seat::Judge)?,
        ])
    }

    fn start(&self) -> Result<State<'_, Exact>, ReviewError> {
        Ok(self.protocol.start(&self.instance)?)
    }

    /// The instances among which a seat cannot tell which one is debated, with their
    /// probabilities: Bob knows what the scenario says that he does, others that it is one of them.
    fn known_to(&self, seat: Seat) -> Result<Vec<(Exact, Instance)>, ReviewError> {
        let conditions = self.protocol.conditions();
        let found = match seat {
            _ if !conditions.hides_truths() => {
                return Ok(vec![(
                    Exact::from_integer(1.into()),
                    self.instance.unvisited_copy(),
                )]);
            }
            Seat::Opponent => self.instance.believed(MOST_INSTANCES),
            _ => self.instance.of_distribution(MOST_INSTANCES),
        };
        found.ok_or(ReviewError::TooManyInstances)
    }

    fn worlds<'w>(
        &self,
        known: &'w [(Exact, Instance)],
    ) -> Result<Vec<PossibleInstance<'w>>, ReviewError> {
        let schedule = self.start()?.schedule();
        let mut worlds = Vec::with_capacity(known.len());
        for (chance, instance) in known {
            let start: State<'w, Exact> = self.protocol.start(instance)?;
            // How long a debate is everybody sees.
            if start.schedule() == schedule {
                worlds.push(PossibleInstance {
                    chance: chance.clone(),
                    instance,
                    start,
                    players: self.built(self.plays(), instance)?,
                });
            }
        }
        Ok(worlds)
    }

    /// What each reply to the request after these moves is worth.
    ///
    /// # Errors
    /// Where nothing is asked, it takes too long or is cancelled, or what is hidden cannot be
    /// weighed.
    pub fn hints(
        &self,
        moves: &[Move<Exact>],
        budget: Budget<'_>,
    ) -> Result<Hints<Exact>, ReviewError> {
        let start = self.start()?;
        let view = SeatKnowledge::new(&start, moves, self.people())?;
        let known = self.known_to(view.seat)?;
        let worlds = self.worlds(&known)?;
        self.hints_of(&view, &worlds, ReplyFilter::All(&even_grid(FINE)), budget)
    }

    /// What one reply to that request is worth, and `None` where it is illegal.
    ///
    /// # Errors
    /// As of [`Self::hints`].
    pub fn worth(
        &self,
        moves: &[Move<Exact>],
        reply: &Reply<Exact>,
        budget: Budget<'_>,
    ) -> Result<Option<RatedReply<Exact>>, ReviewError> {
        let start = self.start()?;
        let view = SeatKnowledge::new(&start, moves, self.people())?;
        let known = self.known_to(view.seat)?;
        let worlds = self.worlds(&known)?;
        let hints = self.hints_of(&view, &worlds, ReplyFilter::One(reply), budget)?;
        Ok(hints.replies.into_iter().next())
    }

    fn hints_of(
        &self,
        view: &SeatKnowledge<'_>,
        worlds: &[PossibleInstance<'_>],
        which: ReplyFilter<'_>,
        budget: Budget<'_>,
    ) -> Result<Hints<Exact>, ReviewError> {
        if let Some(hints) = self.half_of_a_coin(view, worlds, which, budget)? {
            return Ok(hints);
        }
        let here = view.beliefs(worlds)?;
        let mut search = HintSearch {
            view,
            here: &here,
            which,
            budget: budget.with_steps(FOR_A_HINT),
        };
        let found = search.here()?;
        search.budget = budget.with_steps(FOR_THE_WORST);
        let guaranteed = self.guaranteed(&mut search, &found)?;
        let worst = |reply: &Reply<Exact>| {
            let (values, _) = guaranteed.as_ref()?;
            let found = values.replies.iter().find(|(other, _)| other == reply);
            found.map(|(_, worst)| worst.clone())
        };
        let rated = |(reply, value): (Reply<Exact>, Exact)| RatedReply {
            worst: worst(&reply),
            reply,
            value,
        };
        Ok(Hints {
            seat: view.seat,
            before: found.before,
            replies: found.replies.into_iter().map(rated).collect(),
            among: guaranteed.as_ref().map(|(_, among)| *among),
            means: here.iter().any(|standing| standing.each.len() > 1),
            instances: here.len(),
        })
    }

    /// Half of a coin, where the other half is drawn evenly: whatever the one is, the coin falls as
    /// it should, and nothing need be listed.
    fn half_of_a_coin(
        &self,
        view: &SeatKnowledge<'_>,
        worlds: &[PossibleInstance<'_>],
        which: ReplyFilter<'_>,
        budget: Budget<'_>,
    ) -> Result<Option<Hints<Exact>>, ReviewError> {
        let Request::Share { .. } = view.turn().request else {
            return Ok(None);
        };
        // The second half is asked for while the first is sealed: what counts is the coin.
        let first = view
            .moves
            .split_last()
            .filter(|_| view.seat != Seat::Opponent);
        let moves = first.map_or(view.moves, |(_, before)| before);
        let start = self.start()?;
        let before = SeatKnowledge::new(&start, moves, self.people())?;
        let here = before.beliefs(worlds)?;
        let mut value = Exact::default();
        for standing in &here {
            let PossibleInstance { start, players, .. } = standing.world;
            let actors = players.each_ref().map(|player| Actor::Plays(&**player));
            let mut walk =
                Expectimax::new(start, actors, budget.with_steps(FOR_A_HINT)).for_value();
            for (chance, at) in &standing.each {
                let turn = at.state.request().ok_or(ReviewError::NotAsked)?;
                let Some(expected) = walk.shared_value(at, &turn)? else {
                    return Ok(None);
                };
                value += &standing.chance * chance * (at.state.payoff() + expected.value());
            }
        }
        let said: Vec<Reply<Exact>> = match which {
            ReplyFilter::All(grid) => grid.iter().cloned().map(Reply::Probability).collect(),
            ReplyFilter::One(reply) => vec![reply.clone()],
        };
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
            replies: said.into_iter().filter(legal).map(rated).collect(),
            among: None,
            means: view.seat != Seat::Opponent,
            instances: here.len(),
        }))
    }

    /// What replies guarantee, whoever sits in the other seat from the start; where that cannot be
    /// found, whoever of the built-in players. `found`: what they are worth against the one who
    /// does.
    fn guaranteed<'w>(
        &self,
        search: &mut HintSearch<'_, '_, '_, 'w>,
        found: &HintValues,
    ) -> Result<Option<(HintValues, RivalPool)>, ReviewError> {
        let rival = match search.view.seat {
            Seat::Prover => Seat::Opponent,
            Seat::Opponent => Seat::Prover,
            _ => return Ok(None),
        };
        match search.worst(rival) {
            Ok(worst) => return Ok(Some((worst, RivalPool::Everybody))),
            Err(ReviewError::Unsolved(Unsolved::STOPPED)) => return Err(Unsolved::STOPPED.into()),
            Err(_) => {}
        }
        let listed = Registry::<Exact>::builtin();
        let listed = listed
            .for_seat(rival, self.protocol.kind())
            .flat_map(debate_core::player::StrategyEntry::examples)
            .filter_map(|name| Spec::parse(&name).ok());
        let sits = &self.plays()[rival.index()];
        let mut least = HintValues {
            before: found.before.clone(),
            replies: found.replies.clone(),
        };
        let mut count = 1;
        for spec in listed.filter(|spec| spec != sits) {
            let mut plays = self.plays().clone();
            plays[rival.index()] = spec;
            search.budget.steps = FOR_A_RIVAL;
            let make = |world: &PossibleInstance<'w>| self.built(&plays, world.instance).ok();
            match search.against(make) {
                Ok(values) => {
                    worse(&mut least, &values, rival);
                    count += 1;
                }
                Err(ReviewError::Unsolved(Unsolved::STOPPED)) => {
                    return Err(Unsolved::STOPPED.into());
                }
                // Who cannot play here, or takes too long to follow, is not among them.
                Err(_) => {}
            }
        }
        Ok((count > 1).then_some((least, RivalPool::Listed(count))))
    }

    fn people(&self) -> [bool; 3] {
        Seat::PLAYERS.map(|seat| self.is_person(seat))
    }

    /// What every one of these moves was worth.
    ///
    /// # Errors
    /// Where a value takes too long or is cancelled, or a player fails.
    pub fn review(
        &self,
        moves: &[Move<Exact>],
        budget: Budget<'_>,
    ) -> Result<Review<Exact>, ReviewError> {
        let start = self.start()?;
        let players = self.built(self.plays(), &self.instance)?;
        let people = self.people();
        let mut known = Vec::new();
        for seat in Seat::PLAYERS {
            // What nobody can weigh is left open; the ledger stands without it.
            let asked = people[seat.index()];
            known.push(asked.then(|| self.known_to(seat).ok()).flatten());
        }
        let mut worlds = Vec::new();
        for known in &known {
            worlds.push(known.as_ref().map(|known| self.worlds(known)).transpose()?);
        }
        let regret = |moves: &[Move<Exact>]| {
            let Some((made, before)) = moves.split_last() else {
                return Ok(None);
            };
            let Some(Some(worlds)) = worlds.get(made.seat.index()) else {
                return Ok(None);
            };
            let view = SeatKnowledge::new(&start, before, people)?;
            // What was really said is among those compared.
            let mut grid = even_grid(COARSE);
            if let Reply::Probability(p) = &made.reply
                && !grid.contains(p)
            {
                grid.push(p.clone());
            }
            ledger::regret(
                self.hints_of(&view, worlds, ReplyFilter::All(&grid), budget),
                &made.reply,
            )
        };
        let bets = self.protocol.reward_ratio().is_some();
        ledger::review(
            (&start, moves),
            &players,
            (&regret, bets),
            budget.with_steps(AT_MOST),
        )
    }

    /// How the least and the most that the rules pay the prover lie.
    ///
    /// # Errors
    /// Where the debate cannot be begun.
    pub fn range(&self) -> Result<(Exact, Exact), ReviewError> {
        let bets = self.protocol.reward_ratio().is_some();
        Ok(super::range(&self.start()?, bets))
    }

    /// Plays the pair so many times, and with `honest` in the prover's seat as often; `told` hears
    /// how many debates have been played.
    ///
    /// # Errors
    /// Where a player fails, or it is cancelled.
    pub fn trials(
        &self,
        seed: &Seed,
        count: u32,
        budget: Budget<'_>,
        told: &dyn Fn(u32),
    ) -> Result<TrialComparison, ReviewError> {
        let pair = self.trial_results(self.plays(), seed, count, budget, told)?;
        let told = |more| told(count + more);
        let honest = self.with_honesty();
        let honest = honest.map(|plays| self.trial_results(&plays, seed, count, budget, &told));
        Ok(TrialComparison {
            pair,
            honest: honest.transpose()?,
        })
    }

    /// How many debates [`Self::trials`] plays in all.
    #[must_use]
    pub fn debates(&self, count: u32) -> u32 {
        count * (1 + u32::from(self.with_honesty().is_some()))
    }

    /// The same table with the honest prover, where another one sits there.
    fn with_honesty(&self) -> Option<[Spec; 3]> {
        let mut plays = self.plays().clone();
        plays[Seat::Prover.index()] = Spec::named("honest");
        let kind = self.protocol.kind();
        let exists = self.registry.find("honest", Seat::Prover, kind).is_ok();
        (exists && plays != *self.plays()).then_some(plays)
    }

    fn trial_results(
        &self,
        plays: &[Spec; 3],
        seed: &Seed,
        count: u32,
        budget: Budget<'_>,
        told: &dyn Fn(u32),
    ) -> Result<TrialResults, ReviewError> {
        let start = self.start()?;
        let players = self.built(plays, &self.instance)?;
        let actors = players
            .each_ref()
            .map(|player| crate::analysis::Actor::Plays(&**player));
        let mut walk = Expectimax::new(&start, actors, budget.with_steps(AT_MOST)).for_value();
        let exact = walk.value(start.clone());
        if exact == Err(Unsolved::STOPPED) {
            return Err(Unsolved::STOPPED.into());
        }
        let mut payoffs = Vec::with_capacity(count as usize);
        for number in 0..count {
            let mut chances = Seeded::new(seed, number.into(), start.coins());
            let mut state = start.clone();
            let players = players.each_ref().map(|player| &**player);
            let played = play_between(&mut state, players, &mut chances, &mut (), &budget);
            payoffs.push(played.map_err(Unsolved::from)?.payoff.to_float());
            told(number + 1);
        }
        let names = plays.each_ref().map(ToString::to_string);
        Ok(TrialResults::new(
            names,
            payoffs,
            exact.map(|found| found.value()),
        ))
    }
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
        .flat_map(debate_core::player::StrategyEntry::examples);
    let specs = examples.filter_map(|name| Spec::parse(&name).ok());
    let mut plays = specs.filter(|spec| registry.build(spec, seat, instance, protocol).is_ok());
    plays
        .next()
        .unwrap_or_else(|| Spec::named(registry.default_for(seat, kind)))
}
