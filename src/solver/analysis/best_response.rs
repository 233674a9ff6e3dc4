//! The computed player `best-response`: it maximises its expected payoff against the known players in the other seats.

use std::sync::{LazyLock, Mutex, PoisonError};

use serde::Deserialize;

use crate::analysis::solve::default_probability_grid;
use crate::closed_form::prover_estimator::PayoffMinimisingEstimator;
use crate::closed_form::stochastic;
use crate::expectation::{PayoffNotComputedReason, ProofBitValues};
use crate::expectimax::{
    BEST_RESPONSE, ExhaustiveExpectimax, TranspositionTable, is_best_response,
};
use crate::game::{CandidateReplies, SeatDecisionMaker};
use debate_core::budget::ComputationBudget;
use debate_core::number::Number;
use debate_core::player::{
    BuildFunction, PlayableStrategy, PlayerSpec, Policy, ReplyDistribution, StrategyBuildError,
    StrategyBuildInputs, StrategyEntry, StrategyMemoryAndCosts, StrategyRegistry,
};
use debate_core::protocol::{Protocol, ProtocolKind, Request, Seat, State, View};

/// Maximum number of simulated replies in the search for one reply of the best response.
const MAX_STATES: u64 = 5_000_000;

/// Returns the registry of all strategies: the built-in ones, and those that this crate computes.
pub fn registry<N: Number>() -> StrategyRegistry<N> {
    let mut registry = StrategyRegistry::registry_with_builtin_players();
    for entry in entries().chain(crate::training::entries()) {
        registry.add(entry);
    }
    registry
}

/// One-line descriptions of the best responses of prover and opponent under one protocol.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BestResponseWords {
    protocol: ProtocolKind,
    prover: &'static str,
    opponent: &'static str,
}

/// The descriptions of the best responses, for the protocols whose possible replies can be listed.
static PROTOCOLS: LazyLock<Vec<BestResponseWords>> =
    // A test checks that the file can be parsed.
    LazyLock::new(|| ron::from_str(include_str!("best_response.ron")).unwrap_or_default());

fn entries<N: Number>() -> impl Iterator<Item = StrategyEntry<N>> {
    PROTOCOLS.iter().flat_map(|words| {
        let entry = |seat, about, build: BuildFunction<N>| StrategyEntry {
            name: BEST_RESPONSE,
            seat,
            protocol: Some(words.protocol),
            parameters: &[],
            about: Some(about),
            uses_no_claim_knowledge: false,
            build,
        };
        [
            entry(Seat::Prover, words.prover, |order| {
                best(order, Seat::Prover)
            }),
            entry(Seat::Opponent, words.opponent, |order| {
                best(order, Seat::Opponent)
            }),
        ]
    })
}

/// Builds the best response to the players in the other seats. A judge who is a person or not named is assumed to
/// answer like the oracle.
fn best<'a, N: Number>(
    order: &StrategyBuildInputs<'a, '_>,
    seat: Seat,
) -> Result<PlayableStrategy<'a, N>, StrategyBuildError> {
    let other = match seat {
        Seat::Prover => Seat::Opponent,
        _ => Seat::Prover,
    };
    let against = |player: &PlayerSpec| StrategyBuildError::Against {
        name: order.name,
        seat: other,
        player: player.to_string(),
    };
    let spec = order.spec_of_other_seat(other)?;
    if is_best_response(spec) {
        return Err(against(spec));
    }
    let named = order.spec_of_other_seat(Seat::Judge);
    let judge = named
        .cloned()
        .unwrap_or_else(|_| PlayerSpec::without_arguments("oracle"));
    // Two best responses against each other would build each other forever, so this seat counts as unknown to the other
    // player.
    let table = [Seat::Prover, Seat::Opponent, Seat::Judge].map(|there| match there {
        Seat::Judge => judge.clone(),
        there if there == other => spec.clone(),
        _ => PlayerSpec::without_arguments("human"),
    });
    let name = order.name;
    let refuse = |reason: String| StrategyBuildError::Refused { name, reason };
    let refused = |unsolved| match unsolved {
        PayoffNotComputedReason::Exceeded(exceeded) => {
            StrategyBuildError::Exceeded { name, exceeded }
        }
        unsolved => refuse(unsolved.to_string()),
    };
    let grid: Vec<N> = default_probability_grid(order.protocol)
        .iter()
        .map(N::from_exact)
        .collect();
    let budget = order.budget.with_computation_step_limit(MAX_STATES);
    if let Protocol::Stochastic(parameters) = order.protocol {
        let mut players = table;
        players[seat.seat_index()] = PlayerSpec::without_arguments(BEST_RESPONSE);
        let best = stochastic::best(&players, order.instance, parameters, budget);
        return best.map_err(refused)?.ok_or_else(|| against(spec));
    }
    let registry = registry::<N>().with_player_files(order.player_files.clone());
    let built =
        |seat| registry.build_at(&table, seat, order.instance, order.protocol, order.budget);
    if let (Seat::Opponent, Protocol::ProverEstimator(parameters)) = (seat, order.protocol) {
        let (prover, judge) = (built(other)?, built(Seat::Judge)?);
        let best = PayoffMinimisingEstimator::against(
            prover,
            &*judge,
            order.instance,
            parameters,
            &grid,
            budget,
        );
        if let Some(best) = best {
            return best
                .map(PayoffMinimisingEstimator::into_player)
                .map_err(refused);
        }
    }
    let start = order.protocol.start(order.instance);
    let mut response = BestResponse {
        seat,
        other: built(other)?,
        judge: built(Seat::Judge)?,
        replies: CandidateReplies {
            grid,
            ..CandidateReplies::default()
        },
        start: start.map_err(|refused| refuse(refused.to_string()))?,
        table: Mutex::default(),
    };
    // The search runs now, so that a failure is reported here; its results are stored.
    let searched = response.searched(budget, |search| {
        search.value_and_plan(response.start.clone())
    });
    let (_, proof) = searched.map_err(refused)?;
    if proof != ProofBitValues::default() {
        // All proof bits are fixed from now on; those that no debate requests are 0.
        let open = response
            .start
            .ungiven_proof_bits_unless_too_many(usize::MAX)
            .unwrap_or_default();
        response.replies.proof = proof.with_missing_bits_zero(&open);
        response.table = Mutex::default();
    }
    Ok(Box::new(response))
}

/// A player that maximises its expected remaining payoff against known players.
struct BestResponse<'a, N: Number> {
    seat: Seat,
    other: PlayableStrategy<'a, N>,
    judge: PlayableStrategy<'a, N>,
    /// The replies that this player considers, and the proof bits to which it has committed.
    replies: CandidateReplies<N>,
    start: State<'a, N>,
    table: Mutex<TranspositionTable<N>>,
}

impl<'a, N: Number> BestResponse<'a, N> {
    /// Runs a search that reuses the table of positions from earlier searches.
    fn searched<T>(
        &self,
        budget: ComputationBudget<'_>,
        work: impl FnOnce(&mut ExhaustiveExpectimax<'_, 'a, N>) -> Result<T, PayoffNotComputedReason>,
    ) -> Result<T, PayoffNotComputedReason> {
        let other = SeatDecisionMaker::Plays(&*self.other);
        let (prover, opponent) = match self.seat {
            Seat::Prover => (SeatDecisionMaker::BestResponse, other),
            _ => (other, SeatDecisionMaker::BestResponse),
        };
        let actors = [prover, opponent, SeatDecisionMaker::Plays(&*self.judge)];
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let mut search = ExhaustiveExpectimax::new(&self.start, actors, budget);
        search.replies = self.replies.clone();
        search.table = std::mem::take(&mut table);
        let done = work(&mut search);
        *table = search.table;
        done
    }
}

impl<'a, N: Number> Policy<N, State<'a, N>> for BestResponse<'a, N> {
    fn choose(
        &self,
        view: View<'_, State<'a, N>>,
        _request: &Request<N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        if view.viewing_seat() != self.seat {
            return None;
        }
        let budget = ComputationBudget::default().with_computation_step_limit(MAX_STATES);
        let best = self.searched(budget, |search| search.best_reply(view.state()));
        best.ok()?
            .map(|worth| ReplyDistribution::Certain(worth.reply))
    }
}
