//! Computes the expected payoff of a debate by simulating every possible reply. The entry point for players given by
//! name is `DebateSolutionInputs::solve`.

mod half_coins;
mod search;

use std::collections::HashMap;
use std::sync::Arc;

use crate::expectation::{
    DebateRoundIndices, ExpectedRewardsAndExpenses, PayoffNotComputedReason, ProofBitValues,
    SearchResultWithFixedProofBits, best_plan,
};
pub use crate::game::SeatDecisionMaker;
use crate::game::{CandidateReplies, DebateAndStrategyStates, StateKey, normal_form};
use debate_core::budget::ComputationBudget;
use debate_core::number::Number;
use debate_core::player::{PlayableStrategy, PlayerSpec};
use debate_core::protocol::{PendingTurn, Reply, Rules as _, Seat, State};
use search::{ChanceNode, SearchStep, expected_payoff_of_seat};

/// The size limit of the table of known positions: one entry per this number of replies in the budget, at least
/// `MIN_POINTS`. An entry takes up to about 2 kB.
const REPLIES_A_POINT: u64 = 200;
const MIN_POINTS: u64 = 200_000;

/// Maximum length of bit strings of which all values are tried. For longer strings, only candidates in normal form are
/// tried, if a normal form exists.
const FEW_BITS: u32 = 6;

/// The name of the computed player with the greatest expected payoff against known players.
pub const BEST_RESPONSE: &str = "best-response";

/// True if the named player is the computed best response.
pub(crate) fn is_best_response(spec: &PlayerSpec) -> bool {
    spec.name == BEST_RESPONSE && spec.arguments.is_empty()
}

/// A reply with its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReplyValue<N: Number> {
    /// The reply.
    pub reply: Reply<N>,
    pub expected: ExpectedRewardsAndExpenses<N>,
}

/// The search for the expected payoff of debates between known players, or a best response to them.
pub struct ExhaustiveExpectimax<'p, 'a, N: Number> {
    players: [SeatDecisionMaker<'p, 'a, N>; 3],
    /// The replies among which a best response chooses: the grid of probabilities, and restrictions.
    pub(crate) replies: CandidateReplies<N>,
    round_indices: DebateRoundIndices,
    budget: ComputationBudget<'p>,
    /// The number of replies simulated so far.
    pub(crate) played: u64,
    /// Known expected values by position. Searches may share this table if they have the same players, grid and fixed
    /// proof bits.
    pub(crate) table: TranspositionTable<N>,
    /// Cached outcomes of the verifier's samples, because the same distribution occurs at many positions.
    sampled: HashMap<StateKey, Vec<(N, Reply<N>)>>,
    /// True if a round's coins may be summarised by the gate's probability instead of followed one by one.
    counts: bool,
    /// True if some player's replies depend on coins of earlier rounds.
    uses_earlier_coins: bool,
}

impl<'p, 'a, N: Number> ExhaustiveExpectimax<'p, 'a, N> {
    /// Creates a search for debates that begin at `start`, between the players of prover, opponent and judge.
    pub fn new(
        start: &State<'a, N>,
        players: [SeatDecisionMaker<'p, 'a, N>; 3],
        budget: ComputationBudget<'p>,
    ) -> Self {
        let [prover, opponent, _] = &players;
        let counts = match (prover, opponent) {
            (SeatDecisionMaker::Plays(prover), SeatDecisionMaker::Plays(opponent)) => {
                prover.ignores_round_coins() && opponent.ignores_round_coins()
            }
            // If no other player looks at the coins, the best reply does not depend on their outcomes.
            (SeatDecisionMaker::BestResponse, SeatDecisionMaker::Plays(opponent)) => {
                opponent.ignores_round_coins()
            }
            (_, SeatDecisionMaker::BestResponse) => false,
        };
        Self {
            counts,
            uses_earlier_coins: players.iter().any(SeatDecisionMaker::uses_earlier_coins),
            players,
            replies: CandidateReplies::default(),
            round_indices: DebateRoundIndices::from_schedule(&start.schedule()),
            budget,
            played: 0,
            table: TranspositionTable::default(),
            sampled: HashMap::new(),
        }
    }

    /// Creates a search between known players that computes only the total payoff.
    pub(super) fn between_players(
        start: &State<'a, N>,
        players: &'p [PlayableStrategy<'a, N>; 3],
        budget: ComputationBudget<'p>,
    ) -> Self {
        Self::new(
            start,
            SeatDecisionMaker::decision_makers_of_players(players),
            budget,
        )
        .restrict_to_total_payoff()
    }

    /// Sets the probabilities that a best response may state as an estimate.
    #[must_use]
    pub fn with_probability_grid(mut self, grid: Vec<N>) -> Self {
        self.replies.grid = grid;
        self
    }

    /// Restricts a best response, at every request, to its candidates in normal form: a small set of replies that
    /// contains a best one. By default, this set is used only if there are too many replies. If no such set is known,
    /// the search fails with [`PayoffNotComputedReason::Endless`].
    #[must_use]
    pub fn restrict_to_sufficient_replies(mut self) -> Self {
        self.replies.use_normal_form = true;
        self
    }

    /// Restricts the search to the total payoff, without its parts by round and without expenses.
    #[must_use]
    pub fn restrict_to_total_payoff(mut self) -> Self {
        self.round_indices = DebateRoundIndices::one_index_for_all_rounds();
        self
    }

    /// Makes the search follow every coin of a round separately, instead of using the gate's probability.
    #[must_use]
    pub fn follow_each_coin_separately(mut self) -> Self {
        self.counts = false;
        self
    }

    /// Returns the expected values of the debate from a state on.
    ///
    /// # Errors
    /// Returns an error if the search takes too long, or if a player has no reply, an illegal reply or too many
    /// replies. Also if a best response would have to reply to sealed random draws.
    pub fn expectation_from_state(
        &mut self,
        state: State<'a, N>,
    ) -> Result<ExpectedRewardsAndExpenses<N>, PayoffNotComputedReason> {
        self.expectation_from_node(&DebateAndStrategyStates::new(state))
    }

    /// Returns the expected values from a request for one of the two numbers (halves) whose sum decides a coin. `None`
    /// if the possible numbers would have to be enumerated.
    pub(super) fn half_coin_value(
        &mut self,
        at: &DebateAndStrategyStates<'a, N>,
        turn: &PendingTurn<N>,
    ) -> Result<Option<ExpectedRewardsAndExpenses<N>>, PayoffNotComputedReason> {
        let Some(each) = self.half_coin_edges(at, turn)? else {
            return Ok(None);
        };
        let branch = ChanceNode {
            at: at.clone(),
            each: each.into_iter(),
            sum: self.round_indices.zero(),
        };
        let mut waiting = Vec::new();
        let next = self.chance_node(branch, &mut waiting)?;
        self.run(next, waiting).map(Some)
    }

    /// Returns the best reply of the seat to move, the first one if several are best; `None` if the debate is over.
    ///
    /// # Errors
    /// Returns an error if there are too many replies, if the search takes too long, or if a player has no reply.
    pub(super) fn best_reply(
        &mut self,
        state: &State<'a, N>,
    ) -> Result<Option<ReplyValue<N>>, PayoffNotComputedReason> {
        let Some(turn) = state.request() else {
            return Ok(None);
        };
        let mut best: Option<(N, ReplyValue<N>)> = None;
        let replies = self.options(state, &turn)?;
        for worth in
            self.reply_values(&DebateAndStrategyStates::new(state.clone()), &turn, replies)?
        {
            let value = expected_payoff_of_seat(turn.seat, &worth.expected);
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                best = Some((value, worth));
            }
        }
        best.map(|(_, best)| Some(best))
            .ok_or(PayoffNotComputedReason::NoReply(turn.seat))
    }

    /// Returns the replies that a best response tries: all available ones, or a subset that contains a best reply. The
    /// subset is used if there are too many replies, or if [`Self::restrict_to_sufficient_replies`] was called.
    fn options(
        &self,
        state: &State<'a, N>,
        turn: &PendingTurn<N>,
    ) -> Result<Vec<Reply<N>>, PayoffNotComputedReason> {
        let few = || {
            let opponent =
                self.players[Seat::Opponent.seat_index()].strategy_unless_best_response();
            let rule = opponent.and_then(debate_core::player::Policy::as_challenge_rule);
            normal_form(state, turn, rule).ok_or(PayoffNotComputedReason::Endless(turn.seat))
        };
        if self.replies.use_normal_form {
            return few();
        }
        let many = turn
            .request
            .requested_bit_count()
            .is_some_and(|bits| bits > FEW_BITS);
        if many && let Ok(few) = few() {
            return Ok(few);
        }
        match self.replies.for_request(turn) {
            Err(PayoffNotComputedReason::Endless(_)) => few(),
            all => all,
        }
    }

    /// Returns the expected values of the debate from a position on. Uses an explicit stack instead of recursion, so
    /// the length of a debate is unlimited.
    pub(super) fn expectation_from_node(
        &mut self,
        at: &DebateAndStrategyStates<'a, N>,
    ) -> Result<ExpectedRewardsAndExpenses<N>, PayoffNotComputedReason> {
        Ok(self.planned_from(at, true)?.0)
    }

    /// Returns the expected values of the debate from a state on, and the best response's plan for its proof bits.
    pub(super) fn value_and_plan(
        &mut self,
        state: State<'a, N>,
    ) -> Result<(ExpectedRewardsAndExpenses<N>, ProofBitValues), PayoffNotComputedReason> {
        self.planned_from(&DebateAndStrategyStates::new(state), true)
    }

    /// Returns the expected values from a position on, with the best plan for the proof bits. The plan is fixed before
    /// any later reply. If `fresh` is true, the search ignores known values of this position.
    fn planned_from(
        &mut self,
        at: &DebateAndStrategyStates<'a, N>,
        fresh: bool,
    ) -> Result<(ExpectedRewardsAndExpenses<N>, ProofBitValues), PayoffNotComputedReason> {
        let settled = self.replies.proof.clone();
        best_plan(&settled, |plan| {
            let step = SearchStep::step_that_enters_node(at.clone(), fresh);
            let expected = if *plan == settled {
                self.run(step, Vec::new())?
            } else {
                // Table entries are valid only for the proof bits that are fixed now.
                let known = std::mem::take(&mut self.table);
                self.replies.proof = plan.clone();
                let expected = self.run(step, Vec::new());
                self.table = known;
                self.replies.proof = settled.clone();
                expected?
            };
            Ok(SearchResultWithFixedProofBits {
                worth: expected.expected_payoff(),
                given: expected.given.clone(),
                result: expected,
            })
        })
    }

    /// Returns the expected values after a reply at a position; `None` if the reply is illegal there.
    fn reply_value(
        &mut self,
        at: &DebateAndStrategyStates<'a, N>,
        seat: Seat,
        reply: Reply<N>,
    ) -> Result<Option<ExpectedRewardsAndExpenses<N>>, PayoffNotComputedReason> {
        let mut next = at.clone();
        let gain = match next.reply(seat, reply, &self.round_indices) {
            Err(PayoffNotComputedReason::Illegal { .. }) => return Ok(None),
            gain => gain?.0,
        };
        let (rest, _) = self.planned_from(&next, false)?;
        Ok(Some(rest.preceded_by_certain_rewards(&gain)))
    }

    /// Returns the given replies with the expected values after each; leaves out illegal replies.
    pub(super) fn reply_values(
        &mut self,
        at: &DebateAndStrategyStates<'a, N>,
        turn: &PendingTurn<N>,
        replies: Vec<Reply<N>>,
    ) -> Result<Vec<ReplyValue<N>>, PayoffNotComputedReason> {
        let mut reply_values = Vec::with_capacity(replies.len());
        for reply in replies {
            self.count_played_reply()?;
            if let Some(expected) = self.reply_value(at, turn.seat, reply.clone())? {
                reply_values.push(ReplyValue { reply, expected });
            }
        }
        Ok(reply_values)
    }
}

/// A table of expected values for positions that several histories can reach.
#[derive(Debug, Default)]
pub(crate) struct TranspositionTable<N: Number>(
    HashMap<StateKey, Arc<ExpectedRewardsAndExpenses<N>>>,
);

impl<N: Number> TranspositionTable<N> {
    fn get(&self, key: &StateKey) -> Option<&ExpectedRewardsAndExpenses<N>> {
        self.0.get(key).map(AsRef::as_ref)
    }

    /// Stores the expected values of a position. Returns an error if the table is full.
    fn store(
        &mut self,
        key: StateKey,
        expected: &ExpectedRewardsAndExpenses<N>,
        budget: &ComputationBudget<'_>,
    ) -> Result<(), PayoffNotComputedReason> {
        let room = (budget.steps / REPLIES_A_POINT).max(MIN_POINTS);
        if self.0.len() as u64 >= room {
            return Err(budget.limit_exceeded_error("replies in memory").into());
        }
        self.0.insert(key, Arc::new(expected.clone()));
        Ok(())
    }
}
