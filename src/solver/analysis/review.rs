//! Evaluates the replies of a debate by their expected payoff: hints during play, and mistakes (faults) afterwards.
//!
//! Each seat has one measure. The numbers of an estimator are checked for consistency: the check is exact and does not
//! depend on the player who bets against them. Other replies have a value: the payoff that the prover can expect with
//! the players at the table. For the later replies of a human player, the scenario's player for that seat is assumed
//! (the stand-in). A judge's replies, speeches, and debates with a human judge have no value.
//!
//! Hints use no information that is hidden from the user during the debate. Replies are valued over all
//! instances that the seat cannot tell apart and over all possible sealed replies, weighted by the strategies
//! and the public moves. Replies are ranked first by their guarantee against any player of the other seat,
//! then by their value against the current player.

mod beliefs;
mod faults;
mod hint_search;
mod hints;
mod measures;
mod reference;
mod trials;

use std::sync::{Arc, OnceLock};

use thiserror::Error;

use crate::expectation::PayoffNotComputedReason;
use beliefs::PriorInstanceWithPlayers;
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::{
    PlayableStrategy, PlayerSpec, StrategyBuildError, StrategyEntry, StrategyRegistry,
};
use debate_core::protocol::{
    Protocol, ProtocolError, ProtocolKind, Reply, Round, Rules as _, Seat, State,
};
use debate_core::scenario::Instance;
pub use faults::{
    DebateReview, EstimateFurthestFromReference, EstimatePosteriorDistances, EstimatorMeasures,
    InconsistentEstimate, LastClaimStake, MaxRoundPayoff, MoveReview, PayoffParts,
    PlayerAndReferenceEstimateErrors, ReplyFault, ReplyFaultCause, RoundGapSum,
    truth_for_knowledge_score,
};
pub use hint_search::LaterReplyAssumption;
pub use hints::{
    ClaimKnowledgeAndEstimate, EstimateAdvice, ExpectedBetOutcome, MAX_REPLIES_FOR_HINT,
    PosteriorAsCaseCounts, RatedReply, ReplyPayoffHint, RequestAdvice, SearchedRivals,
};
pub use measures::{
    LastJudgeVerdict, has_visible_gap_in_a_round, largest_round_gap, total_estimate_gap,
};
use reference::ReferenceEstimator;
pub use reference::{
    ClaimPosteriorsGivenOpponentKnowledge, ReferenceEstimate, ReferenceEstimateBasis,
};
pub use trials::{
    HistogramBar, ManyDebatesEstimateMeasures, ManyDebatesPayoffs, PayoffsWithReplacedPlayers,
};

/// The reason why the replies to a request cannot be rated.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReviewError {
    /// The search did not finish.
    #[error(transparent)]
    Unsolved(#[from] PayoffNotComputedReason),
    /// A player cannot be built.
    #[error(transparent)]
    Player(StrategyBuildError),
    /// The debate cannot start.
    #[error(transparent)]
    Refused(#[from] ProtocolError),
    /// The seat's information is consistent with no debate that the search can follow, or the seat's information does
    /// not determine the possible sealed replies.
    #[error(
        "the replies cannot be rated, because what you see of the debate does not determine the \
         replies that are hidden from your seat"
    )]
    Sealed,
    /// Too many sealed replies are possible.
    #[error(
        "the replies cannot be rated, because the replies that are hidden from your seat could be \
         too many different ones"
    )]
    TooMuchSealed,
    /// Too many instances are possible.
    #[error(
        "the replies cannot be rated, because too many instances are possible for what your seat \
         knows"
    )]
    TooManyInstances,
    /// No request is pending.
    #[error("no request is pending")]
    NotAsked,
    /// The reply to this request cannot be rated: it is a judge's reply or a speech, or the debate has a human judge.
    #[error(
        "hints and reviews give no value to a judge's replies, to speeches, or to replies in a debate with a human judge"
    )]
    NotRated,
    /// No thread could be started for the computation, or the thread was lost.
    #[error("the system could not start a thread for the computation")]
    NoThread,
}

impl From<StrategyBuildError> for ReviewError {
    fn from(error: StrategyBuildError) -> Self {
        match error {
            StrategyBuildError::Exceeded { exceeded, .. } => Self::Unsolved(exceeded.into()),
            error => Self::Player(error),
        }
    }
}

impl ReviewError {
    /// True if the user stopped the computation.
    pub fn was_cancelled(&self) -> bool {
        *self == Self::Unsolved(PayoffNotComputedReason::STOPPED)
    }
}

/// Returns the computed value, or `None` if it cannot be computed. If the user stopped the computation, returns this
/// error.
fn unless_stopped<T>(found: Result<T, ReviewError>) -> Result<Option<T>, ReviewError> {
    match found {
        Err(error) if error.was_cancelled() => Err(error),
        found => Ok(found.ok()),
    }
}

/// True if two replies have the same effect on the debate. The confidence of an oracle reply makes no difference.
fn have_same_effect(one: &Reply<Exact>, other: &Reply<Exact>) -> bool {
    match (one, other) {
        (Reply::Oracle { holds, .. }, Reply::Oracle { holds: also, .. }) => holds == also,
        _ => one == other,
    }
}

/// Returns `parts` + 1 equally spaced probabilities from 0 to 1.
fn uniform_grid(parts: u32) -> Vec<Exact> {
    let ratio = |n: u32| Exact::ratio(n.into(), parts.into());
    (0..=parts).map(ratio).collect()
}

/// Maximum number of replies that are simulated to compute the exact expected payoff of trials: a few seconds of work.
const MAX_REVIEW_REPLIES: u64 = 1_000_000;
/// Maximum number of possible instances for which probabilities are computed.
const MAX_INSTANCES: usize = 256;

/// Returns the specifications of the registry's players for a seat, with example arguments.
fn specs_of_seat(
    registry: &StrategyRegistry<Exact>,
    seat: Seat,
    kind: ProtocolKind,
) -> impl Iterator<Item = PlayerSpec> {
    let names = registry
        .strategies_for_seat(seat, kind)
        .flat_map(StrategyEntry::example_specs_with_arguments);
    names.filter_map(|name| PlayerSpec::parse(&name).ok())
}

/// Returns a copy of `players` in which the player `spec` has the seat `seat`.
fn seated(players: &[PlayerSpec; 3], seat: Seat, spec: PlayerSpec) -> [PlayerSpec; 3] {
    let mut table = players.clone();
    table[seat.seat_index()] = spec;
    table
}

/// The instance, the rules and the players of a debate under review.
#[derive(Clone, Debug)]
pub struct ReviewContext {
    instance: Arc<Instance>,
    protocol: Protocol,
    /// The players of the three seats as the user specified them, including human ones.
    sits: [PlayerSpec; 3],
    /// The players that the scenario names, if they are built-in ones.
    own: [Option<PlayerSpec>; 3],
    /// The players with a built-in stand-in for each human; computed on first use.
    plays: Arc<OnceLock<[PlayerSpec; 3]>>,
    registry: StrategyRegistry<Exact>,
}

impl ReviewContext {
    /// Creates the context for a debate about `instance` between these players. In computations, a built-in player
    /// stands in for each human: the scenario's player for the seat (`own`), or else the first player that can be
    /// built.
    pub fn new(
        instance: &Instance,
        protocol: &Protocol,
        sits: [PlayerSpec; 3],
        own: [Option<PlayerSpec>; 3],
        registry: StrategyRegistry<Exact>,
    ) -> Self {
        Self {
            instance: Arc::new(instance.copy_with_only_root_numbered()),
            protocol: protocol.clone(),
            sits,
            own,
            plays: Arc::default(),
            registry,
        }
    }

    /// Returns the players of the three seats, with a built-in stand-in for each human.
    fn plays(&self, budget: ComputationBudget<'_>) -> Result<&[PlayerSpec; 3], ReviewError> {
        if let Some(known) = self.plays.get() {
            return Ok(known);
        }
        let mut plays = self.sits.clone();
        let people = || {
            Seat::PLAYERS
                .into_iter()
                .filter(|seat| self.is_human_seat(*seat))
        };
        for seat in people() {
            let own = self.own[seat.seat_index()].clone();
            plays[seat.seat_index()] = own.unwrap_or_else(|| self.stand_in(seat));
        }
        for seat in people() {
            let built = self.build_seat(&plays, seat, &self.instance, budget);
            if unless_stopped(built)?.is_none() {
                plays[seat.seat_index()] = self.stand_in(seat);
            }
        }
        Ok(self.plays.get_or_init(|| plays))
    }

    /// Returns the first of the registry's players for a seat that can be built for this instance, or the default
    /// player if none can.
    fn stand_in(&self, seat: Seat) -> PlayerSpec {
        let (registry, kind) = (&self.registry, self.protocol.kind());
        let built = |spec: &PlayerSpec| registry.build(spec, seat, &self.instance, &self.protocol);
        specs_of_seat(registry, seat, kind)
            .find(|spec| built(spec).is_ok())
            .unwrap_or_else(|| {
                PlayerSpec::without_arguments(registry.default_strategy_name(seat, kind))
            })
    }

    /// Returns the debated instance.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// True if debaters may be uninformed about the truths of claims under these rules.
    pub fn rules_allow_uninformed_debaters(&self) -> bool {
        self.protocol.protocol_parameters().hides_truths()
    }

    /// Returns the kind of the debate's protocol, without its parameters.
    pub fn protocol_kind(&self) -> ProtocolKind {
        self.protocol.kind()
    }

    /// True if the player in this seat is human.
    pub fn is_human_seat(&self, seat: Seat) -> bool {
        self.sits
            .get(seat.seat_index())
            .is_some_and(PlayerSpec::is_human)
    }

    /// Returns, for each seat, true if a human player holds it.
    fn human_seats(&self) -> [bool; 3] {
        Seat::PLAYERS.map(|seat| self.is_human_seat(seat))
    }

    /// Returns the players with stand-ins for humans if these were computed; otherwise the players as specified.
    fn known_players(&self) -> &[PlayerSpec; 3] {
        self.plays.get().unwrap_or(&self.sits)
    }

    /// Returns the name of the player in a seat: for a human, of the stand-in if it was computed. Arguments are left
    /// out, because those such as the position of a lie must stay hidden from opponents.
    pub fn player_name(&self, seat: Seat) -> String {
        let spec = self.known_players().get(seat.seat_index());
        spec.map(|spec| spec.name.clone()).unwrap_or_default()
    }

    /// True if the stand-in for the human in a seat is the scenario's own player.
    pub fn is_stand_in_scenario_player(&self, seat: Seat) -> bool {
        let own = self.own.get(seat.seat_index()).and_then(Option::as_ref);
        own.is_some() && own == self.known_players().get(seat.seat_index())
    }

    fn build_seat<'i>(
        &self,
        plays: &[PlayerSpec; 3],
        seat: Seat,
        instance: &'i Instance,
        budget: ComputationBudget<'_>,
    ) -> Result<PlayableStrategy<'i, Exact>, ReviewError> {
        let built = self
            .registry
            .build_at(plays, seat, instance, &self.protocol, budget);
        Ok(built?)
    }

    /// Builds prover, opponent and judge.
    fn build<'i>(
        &self,
        plays: &[PlayerSpec; 3],
        instance: &'i Instance,
        budget: ComputationBudget<'_>,
    ) -> Result<[PlayableStrategy<'i, Exact>; 3], ReviewError> {
        let build = |seat| self.build_seat(plays, seat, instance, budget);
        let [prover, opponent, judge] = Seat::PLAYERS.map(build);
        Ok([prover?, opponent?, judge?])
    }

    /// Builds the reference estimator.
    fn reference(&self) -> ReferenceEstimator<'_> {
        ReferenceEstimator::new(&self.instance)
    }

    fn start(&self) -> Result<State<'_, Exact>, ReviewError> {
        Ok(self.protocol.start(&self.instance)?)
    }

    /// Returns the instances that a seat cannot tell apart from the debated one, with their probabilities. The scenario
    /// states what each seat knows. By default, Bob knows what the problem reveals to him, and the other seats know
    /// only μ. Under rules that hide no truths, returns only the debated instance.
    fn instances_known_to(&self, seat: Seat) -> Result<Vec<(Exact, Instance)>, ReviewError> {
        let conditions = self.protocol.protocol_parameters();
        if !conditions.hides_truths() {
            let instance = self.instance.copy_with_only_root_numbered();
            return Ok(vec![(Exact::ratio(1, 1), instance)]);
        }
        let instances = self
            .instance
            .instances_known_to(seat.seat_index(), MAX_INSTANCES);
        instances.ok_or(ReviewError::TooManyInstances)
    }

    /// Returns those of the `known` instances whose debates have the same rounds as this debate. The rounds are public,
    /// so other instances are impossible.
    fn possible<'w>(
        &self,
        known: &'w [(Exact, Instance)],
        budget: ComputationBudget<'_>,
    ) -> Result<Vec<PriorInstanceWithPlayers<'w>>, ReviewError> {
        let schedule = self.start()?.schedule();
        let mut possible = Vec::with_capacity(known.len());
        for (chance, instance) in known {
            let start: State<'w, Exact> = self.protocol.start(instance)?;
            if start.schedule() == schedule {
                possible.push(PriorInstanceWithPlayers {
                    chance: chance.clone(),
                    instance,
                    start,
                    players: self.build(self.plays(budget)?, instance, budget)?,
                });
            }
        }
        Ok(possible)
    }

    /// Returns the least and the greatest payoff that the prover can get under the rules.
    ///
    /// # Errors
    /// Returns an error if the debate cannot start.
    pub fn prover_payoff_range_under_rules(&self) -> Result<(Exact, Exact), ReviewError> {
        let (mut least, mut most) = (Exact::default(), Exact::default());
        for (round, weight) in self.start()?.schedule() {
            // In all rounds but the first, the payoff may be negative. So may the ±1 of a verdict.
            if matches!(round, Round::Number(_)) {
                least -= &weight;
            }
            most += weight;
        }
        Ok((least, most))
    }

    /// True if the prover bets under these rules, so that a round can also cost her its stake.
    fn has_bets(&self) -> bool {
        self.protocol.weight_ratio_if_constant().is_some()
    }
}
