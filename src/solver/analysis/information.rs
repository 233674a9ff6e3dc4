//! The best strategy of a seat that knows only part of the instance, against known players.
//!
//! Two histories are in one information set of a seat if the seat has the same knowledge of the instance and
//! the same observations ([`debate_core::observe`]). The seat has perfect recall: its observations and
//! replies determine the information set. The best reply in a set therefore maximises the weighted sum over
//! the set's histories. The private draws and memory of the other players belong to the histories.
//!
//! The weight of a history is the probability of its instance times the probabilities of all draws so far. Weights are
//! not normalised, so the value of a set is the sum over its branches. Sets with the same positions and the same
//! proportions of weights share an entry of the table. The proportions matter, because the replies of the other players
//! carry information about the instance.

mod case_classes;
mod proof_steps;

use std::collections::HashMap;

use case_classes::InstanceClassesByRemainingDebate;
use proof_steps::{ProofStepSplitFacts, SoundnessProofRewardSplitter};

use crate::expectation::{
    CertainRewardsAndExpenses, DebateRoundIndices, ExpectedRewardsAndExpenses,
    PayoffNotComputedReason, ProofBitValues, ProofBitValuesOnPossiblePaths, ReplyRewardSink,
    SearchResultWithFixedProofBits, best_plan,
};
use crate::game::{
    CandidateReplies, DebateAndStrategyStates, SeatDecisionMaker, StateKey, distinct_leaves,
    leaf_truth,
};
use debate_core::budget::ComputationBudget;
use debate_core::number::{Number, to_u32_saturating};
use debate_core::observe::ObservationKeyBuilder;
use debate_core::protocol::{
    ChanceDraw, EventSink, PendingTurn, Reply, Rules as _, Seat, SeatResourceCosts, State,
};
use debate_core::scenario::{ClaimKey, Instance};
pub use proof_steps::SoundnessProofStep;

/// Maximum number of consecutive replies and coins that the search follows.
const MAX_LEVELS: u32 = 600;

/// The expected payoffs for the histories of an information set, and the proof bits that the seat plans to write.
type Planned<N> = (Vec<ExpectedRewardsAndExpenses<N>>, ProofBitValues);

/// A search for the best strategy of a seat that sees only part of the debate.
pub(crate) struct ImperfectInformationSearch<'p, 'a, N: Number> {
    seat: Seat,
    cases: Vec<PossibleInstanceInSearch<'p, 'a, N>>,
    round_indices: Vec<DebateRoundIndices>,
    /// The replies that the seat considers.
    pub(crate) replies: CandidateReplies<N>,
    /// The leaves that the seat may query. `queries` below is the maximum number of queries in a debate.
    leaves: Vec<ClaimKey>,
    queries: u32,
    /// The weights r^0 … r^d, if rewards are split by the steps of the soundness proof; otherwise empty.
    splits: Vec<N>,
    budget: ComputationBudget<'p>,
    /// The number of replies simulated so far.
    pub(crate) played: u64,
    table: HashMap<StateKey, Vec<ExpectedRewardsAndExpenses<N>>>,
    classes: InstanceClassesByRemainingDebate,
}

impl<'p, 'a, N: Number> ImperfectInformationSearch<'p, 'a, N> {
    pub(crate) fn new(
        seat: Seat,
        cases: Vec<PossibleInstanceInSearch<'p, 'a, N>>,
        budget: ComputationBudget<'p>,
    ) -> Self {
        let round_indices = cases
            .iter()
            .map(|case| DebateRoundIndices::from_schedule(&case.start.schedule()));
        Self {
            seat,
            round_indices: round_indices.collect(),
            classes: InstanceClassesByRemainingDebate::new(seat, &cases),
            cases,
            replies: CandidateReplies::default(),
            leaves: Vec::new(),
            queries: 0,
            splits: Vec::new(),
            budget,
            played: 0,
            table: HashMap::new(),
        }
    }

    /// Allows the seat to query up to `queries` leaves in a debate. Every leaf of a possible instance can be queried.
    ///
    /// # Errors
    /// Returns an error if there are more leaves than `max_leaves`.
    pub(crate) fn allow_queries(
        &mut self,
        queries: u32,
        max_leaves: usize,
    ) -> Result<(), PayoffNotComputedReason> {
        if queries == 0 {
            return Ok(());
        }
        self.queries = queries;
        // The answers may be about leaves outside the current claim, which the classes ignore.
        self.classes = InstanceClassesByRemainingDebate::default();
        let leaves = distinct_leaves(self.cases.iter().map(|case| case.instance), max_leaves);
        let exceeded = || {
            self.budget
                .with_computation_step_limit(max_leaves as u64)
                .limit_exceeded_error("leaves")
        };
        self.leaves = leaves.ok_or_else(exceeded)?;
        Ok(())
    }

    /// Fixes the proof bits that the prover writes; all other proof bits stay open.
    pub(crate) fn fix_proof_bits_of_prover(&mut self, proof: ProofBitValues) {
        self.replies.proof = proof;
        // Table entries are valid only for the proof bits that were fixed before.
        self.table.clear();
    }

    /// Restricts the search to the total expected payoff, without its parts by round.
    #[must_use]
    pub(crate) fn for_total_payoff_only(mut self) -> Self {
        self.round_indices
            .fill(DebateRoundIndices::one_index_for_all_rounds());
        self
    }

    /// Splits the expected payoff by the steps of the soundness proof instead of by round
    /// ([`SoundnessProofStep::soundness_proof_steps_of_depth`]). `round_weights` are r^0 … r^d.
    pub(crate) fn split_by_proof_step(&mut self, round_weights: Vec<N>) {
        let depth = to_u32_saturating(round_weights.len().saturating_sub(1));
        let steps = DebateRoundIndices::one_index_per_round(
            SoundnessProofStep::soundness_proof_steps_of_depth(depth).len(),
        );
        self.round_indices.fill(steps);
        self.splits = round_weights;
        // The steps depend on truths of claims.
        self.classes = InstanceClassesByRemainingDebate::default();
    }

    /// Creates a history of the debate about instance number `case`. The seat's observations are recorded from this
    /// point on.
    pub(crate) fn candidate_history(
        &self,
        case: usize,
        weight: N,
        at: DebateAndStrategyStates<'a, N>,
    ) -> PossibleHistoryInSearch<'a, N> {
        let observer = ObservationKeyBuilder::new(Some(self.seat), self.cases[case].instance, 0);
        PossibleHistoryInSearch {
            case,
            weight,
            at: at.with_observers([observer]),
            queries: self.queries,
            level: 0,
            trace: ProofStepSplitFacts::default(),
        }
    }

    /// Returns the prover's expected payoffs, by history, if the seat's strategy is the best one for their weighted
    /// sum: the prover maximises the sum, the opponent minimises it. The seat cannot tell the histories apart. Also
    /// returns the seat's plan for the proof bits, which it chooses before any reply.
    ///
    /// # Errors
    /// Returns an error if the search exceeds the budget, or if a player has no reply.
    pub(crate) fn best_expectation(
        &mut self,
        set: &[PossibleHistoryInSearch<'a, N>],
    ) -> Result<Planned<N>, PayoffNotComputedReason> {
        let values = self.planned(set, |search| search.value(set).map(Some))?;
        values.ok_or(PayoffNotComputedReason::NoReply(self.seat))
    }

    /// Calls `search` on an information set for each plan of the proof bits and returns the best result. `None` if the
    /// search finds no values.
    fn planned(
        &mut self,
        set: &[PossibleHistoryInSearch<'a, N>],
        mut search: impl FnMut(
            &mut Self,
        ) -> Result<
            Option<Vec<ExpectedRewardsAndExpenses<N>>>,
            PayoffNotComputedReason,
        >,
    ) -> Result<Option<Planned<N>>, PayoffNotComputedReason> {
        let settled = self.replies.proof.clone();
        let (values, plan) = best_plan(&settled, |plan| {
            let values = if *plan == settled {
                search(self)?
            } else {
                // Table entries are valid only for the proof bits that are fixed now.
                let known = std::mem::take(&mut self.table);
                self.replies.proof = plan.clone();
                let values = search(self);
                self.table = known;
                self.replies.proof = settled.clone();
                values?
            };
            let mut given = ProofBitValuesOnPossiblePaths::default();
            let each = set.iter().zip(values.iter().flatten());
            for (_, expected) in each.filter(|(history, _)| !history.weight.is_zero()) {
                given.merge(&expected.given);
            }
            let worth = values
                .as_ref()
                .map(|values| self.weighted_payoff(set, values));
            Ok(SearchResultWithFixedProofBits {
                worth: worth.unwrap_or_else(N::zero),
                result: values,
                given,
            })
        })?;
        Ok(values.map(|values| (values, plan)))
    }

    /// Returns the expected payoff in each of the given histories after the seat's reply; `None` if the reply is
    /// illegal.
    ///
    /// # Errors
    /// As for [`Self::best_expectation`].
    pub(crate) fn values_after_reply(
        &mut self,
        set: &[PossibleHistoryInSearch<'a, N>],
        reply: &Reply<N>,
    ) -> Result<Option<Vec<ExpectedRewardsAndExpenses<N>>>, PayoffNotComputedReason> {
        let values = self.planned(set, |search| search.replied(set, reply))?;
        Ok(values.map(|(values, _)| values))
    }

    /// Returns the expected payoffs by history, as [`Self::best_expectation`], but for fixed proof bits. Uses the table
    /// of known sets if all histories have state keys.
    fn value(
        &mut self,
        set: &[PossibleHistoryInSearch<'a, N>],
    ) -> Result<Vec<ExpectedRewardsAndExpenses<N>>, PayoffNotComputedReason> {
        if set.first().is_some_and(|first| first.level > MAX_LEVELS) {
            let deep = self.budget.with_computation_step_limit(MAX_LEVELS.into());
            return Err(deep.limit_exceeded_error("replies in a row").into());
        }
        let uses_earlier_coins = self.cases.iter().any(|case| {
            let mut players = case.players.iter();
            players.any(SeatDecisionMaker::uses_earlier_coins)
        });
        let Some((key, classes)) = self.key_of(set, uses_earlier_coins) else {
            return self.value_without_lookup(set);
        };
        let known = self.table.get(&key).cloned();
        let values = if let Some(known) = known {
            known
        } else {
            let merged = merged(set, &classes);
            let values = self.value_without_lookup(&merged)?;
            self.table.insert(key, values.clone());
            values
        };
        Ok(classes.iter().map(|class| values[*class].clone()).collect())
    }

    /// Returns the table key of an information set; `None` if a history has no state key, or if all weights are 0. Also
    /// returns, for each history, the index of its class of equal histories.
    fn key_of(
        &self,
        set: &[PossibleHistoryInSearch<'a, N>],
        uses_earlier_coins: bool,
    ) -> Option<(StateKey, Vec<usize>)> {
        let mut kinds: Vec<(Vec<u64>, N)> = Vec::new();
        let mut round_indices = HashMap::new();
        let mut classes = Vec::with_capacity(set.len());
        let mut total = N::zero();
        for history in set {
            let state = history.at.state_key(uses_earlier_coins)?;
            let [observer] = &history.at.observers;
            let [outside, below] = self.classes.key(history, self.cases[history.case].instance);
            let mut own = vec![
                outside,
                below,
                history.trace.history_key_part(),
                observer.sealed_entry_keys().len() as u64,
            ];
            own.extend(observer.sealed_entry_keys().flatten());
            own.extend(&*state);
            let next = kinds.len();
            let place = *round_indices.entry(own.clone()).or_insert(next);
            if place == next {
                kinds.push((own, N::zero()));
            }
            kinds[place].1 += history.weight.clone();
            total += history.weight.clone();
            classes.push(place);
        }
        if total.is_zero() {
            return None;
        }
        let mut key = vec![set.first()?.queries.into()];
        for (own, weight) in kinds {
            key.push(own.len() as u64);
            key.extend(own);
            (weight / total.clone()).add_to_key(&mut key);
        }
        Some((key.into(), classes))
    }

    fn value_without_lookup(
        &mut self,
        set: &[PossibleHistoryInSearch<'a, N>],
    ) -> Result<Vec<ExpectedRewardsAndExpenses<N>>, PayoffNotComputedReason> {
        let Some(turn) = set.first().and_then(|first| first.at.state.request()) else {
            let over = |one: &PossibleHistoryInSearch<'a, N>| {
                self.round_indices[one.case].finished(one.at.state.finding())
            };
            return Ok(set.iter().map(over).collect());
        };
        if turn.seat == self.seat && self.cases[set[0].case].chooses(self.seat) {
            if !self.splits.is_empty() && set.iter().all(|history| history.weight.is_zero()) {
                // No debate reaches this set, so its expectation is zero.
                let nothing =
                    |one: &PossibleHistoryInSearch<'a, N>| self.round_indices[one.case].zero();
                return Ok(set.iter().map(nothing).collect());
            }
            return self.best(set, &turn);
        }
        let mut branches = Vec::new();
        for (parent, history) in set.iter().enumerate() {
            self.branch(parent, history, &mut branches)?;
        }
        self.follow(set, branches)
    }

    /// Adds the branches of a history that follow a reply of another seat or a coin.
    fn branch(
        &mut self,
        parent: usize,
        history: &PossibleHistoryInSearch<'a, N>,
        branches: &mut Vec<Branch<'a, N>>,
    ) -> Result<(), PayoffNotComputedReason> {
        // The same seat moves in all histories of a set, but the request may be about another claim.
        let request = history.at.state.request();
        let turn = request.ok_or(PayoffNotComputedReason::NoReply(Seat::Chance))?;
        if self.asks_truth(history, &turn) {
            branches.extend(self.true_coin_branch(parent, history, &turn)?);
            if history.trace.history_coins_equal_truths() {
                return Ok(());
            }
        }
        let player = self.cases[history.case].players.get(turn.seat.seat_index());
        let strategy = player.and_then(SeatDecisionMaker::strategy_unless_best_response);
        let (mut asked, mut spent) = (history.clone(), CertainRewardsAndExpenses::default());
        for (chance, reply) in asked.at.reply_distribution(&turn, strategy, &mut spent)? {
            let mut next = asked.clone();
            next.weight *= chance.clone();
            let (gain, seen) = self.reply(&mut next, turn.seat, reply)?;
            branches.push(Branch {
                parent,
                chance,
                gains: [spent.clone(), gain],
                next,
                seen,
            });
        }
        Ok(())
    }

    /// True if the search must also follow a hypothetical branch, in which the claim's coin equals the claim's truth.
    /// It must if rewards are split by proof step, and if this history is itself hypothetical or no coin of its round
    /// was thrown yet.
    fn asks_truth(&self, history: &PossibleHistoryInSearch<'a, N>, turn: &PendingTurn<N>) -> bool {
        let coin = turn.request.requested_draw().is_some();
        let asked = history.trace.history_coins_equal_truths() || history.trace.is_before_coins();
        coin && asked && !self.splits.is_empty()
    }

    /// Returns the hypothetical branch in which a coin shows the truth; `None` if that outcome is impossible.
    fn true_coin_branch(
        &mut self,
        parent: usize,
        history: &PossibleHistoryInSearch<'a, N>,
        turn: &PendingTurn<N>,
    ) -> Result<Option<Branch<'a, N>>, PayoffNotComputedReason> {
        let (Some((_, draw)), Some(claim)) = (
            turn.request.requested_draw(),
            turn.request.claim_of_request(),
        ) else {
            return Ok(None);
        };
        let truth = self.cases[history.case].instance.truth(claim) == Some(true);
        let possible = match draw {
            ChanceDraw::Bernoulli(p) if truth => !p.is_zero(),
            ChanceDraw::Bernoulli(p) => !p.is_one(),
            ChanceDraw::Binomial { .. } => false,
        };
        if !possible {
            return Ok(None);
        }
        let mut next = history.clone();
        next.weight = N::zero();
        next.trace = history.trace.with_coins_showing_truth();
        let (gain, seen) = self.reply(&mut next, turn.seat, Reply::Drawn(truth.into()))?;
        Ok(Some(Branch::certain(parent, gain, next, seen)))
    }

    /// Applies a reply to a history. Returns the payoff of the reply and the seat's observations.
    fn reply(
        &mut self,
        history: &mut PossibleHistoryInSearch<'a, N>,
        seat: Seat,
        reply: Reply<N>,
    ) -> Result<(CertainRewardsAndExpenses<N>, Vec<u64>), PayoffNotComputedReason> {
        self.played += 1;
        self.budget.check_total_steps(self.played, "replies")?;
        let case = history.case;
        let instance = self.cases[case].instance;
        let mut paid = ReplyRewardSink::default();
        let mut split = SoundnessProofRewardSplitter {
            instance,
            weights: &self.splits,
            trace: &mut history.trace,
            parts: Vec::new(),
        };
        let sink: &mut dyn EventSink<N> = if self.splits.is_empty() {
            &mut paid
        } else {
            &mut split
        };
        let mut gain = history.at.reply_to(seat, reply, sink)?;
        for (place, amount) in split.parts {
            gain.add_reward(place, amount);
        }
        for reward in paid.paid {
            let place = self.round_indices[case].index_of_round(reward.round_of_reward());
            gain.add_reward(place, reward.payment_to_prover());
        }
        let [observer] = &mut history.at.observers;
        Ok((gain, observer.take_observation_key()))
    }

    /// Returns the expected payoff in each history of an information set, given all branches after them.
    fn follow(
        &mut self,
        set: &[PossibleHistoryInSearch<'a, N>],
        mut branches: Vec<Branch<'a, N>>,
    ) -> Result<Vec<ExpectedRewardsAndExpenses<N>>, PayoffNotComputedReason> {
        let nothing =
            |history: &PossibleHistoryInSearch<'a, N>| self.round_indices[history.case].zero();
        let mut sums: Vec<ExpectedRewardsAndExpenses<N>> = set.iter().map(nothing).collect();
        let over = |branch: &mut Branch<'a, N>| branch.next.trace.does_proof_ignore_later_rewards();
        for branch in branches.extract_if(.., over) {
            let [asked, gain] = &branch.gains;
            let rest = self.round_indices[branch.next.case].zero();
            sums[branch.parent].add_weighted(
                &branch.chance,
                &rest
                    .preceded_by_certain_rewards(gain)
                    .preceded_by_certain_rewards(asked),
            );
        }
        for alike in distinguished(branches) {
            let histories = alike.iter().map(|branch| PossibleHistoryInSearch {
                level: branch.next.level + 1,
                ..branch.next.clone()
            });
            let values = self.value(&histories.collect::<Vec<_>>())?;
            for (branch, rest) in alike.iter().zip(values) {
                let [asked, gain] = &branch.gains;
                sums[branch.parent].add_weighted(
                    &branch.chance,
                    &rest
                        .preceded_by_certain_rewards(gain)
                        .preceded_by_certain_rewards(asked),
                );
            }
        }
        Ok(sums)
    }

    /// Returns the prover's expected payoff in each history of an information set, for the seat's reply or query that
    /// is best for the weighted sum.
    fn best(
        &mut self,
        set: &[PossibleHistoryInSearch<'a, N>],
        turn: &PendingTurn<N>,
    ) -> Result<Vec<ExpectedRewardsAndExpenses<N>>, PayoffNotComputedReason> {
        let mut best: Option<(N, Vec<ExpectedRewardsAndExpenses<N>>)> = None;
        let mut take = |worth: N, values: Vec<ExpectedRewardsAndExpenses<N>>| {
            if best.as_ref().is_none_or(|(most, _)| worth.exceeds(most)) {
                best = Some((worth, values));
            }
        };
        let is_bit = turn.request.requested_proof_bit().is_some();
        for reply in self.replies.for_request(turn)? {
            if let Some(mut values) = self.replied(set, &reply)? {
                for expected in values.iter_mut().filter(|_| is_bit) {
                    expected.given.note(&turn.request, &reply);
                }
                take(self.weighted_payoff(set, &values), values);
            }
        }
        // A proof bit does not depend on queries.
        if set.iter().all(|history| history.queries > 0) && !is_bit {
            for leaf in self.leaves.clone() {
                if let Some(values) = self.values_after_query(set, &leaf)? {
                    take(self.weighted_payoff(set, &values), values);
                }
            }
        }
        best.map(|(_, values)| values)
            .ok_or(PayoffNotComputedReason::NoReply(turn.seat))
    }

    /// Returns the sum of the seat's expected payoffs over the histories of an information set, each multiplied by the
    /// history's weight.
    fn weighted_payoff(
        &self,
        set: &[PossibleHistoryInSearch<'a, N>],
        values: &[ExpectedRewardsAndExpenses<N>],
    ) -> N {
        let each = set.iter().zip(values);
        let sum = each.fold(N::zero(), |sum, (history, expected)| {
            sum + history.weight.clone() * expected.expected_payoff()
        });
        match self.seat {
            Seat::Opponent => -sum,
            _ => sum,
        }
    }

    fn replied(
        &mut self,
        set: &[PossibleHistoryInSearch<'a, N>],
        reply: &Reply<N>,
    ) -> Result<Option<Vec<ExpectedRewardsAndExpenses<N>>>, PayoffNotComputedReason> {
        let mut branches = Vec::with_capacity(set.len());
        for (parent, history) in set.iter().enumerate() {
            let mut next = history.clone();
            let (gain, seen) = match self.reply(&mut next, self.seat, reply.clone()) {
                Err(PayoffNotComputedReason::Illegal { .. }) => return Ok(None),
                done => done?,
            };
            branches.push(Branch::certain(parent, gain, next, seen));
        }
        self.follow(set, branches).map(Some)
    }

    /// Returns the expected payoffs by history if the seat first queries a leaf. Returns `None` if the leaf has the
    /// same truth in all histories, because the query then gives no information.
    fn values_after_query(
        &mut self,
        set: &[PossibleHistoryInSearch<'a, N>],
        leaf: &ClaimKey,
    ) -> Result<Option<Vec<ExpectedRewardsAndExpenses<N>>>, PayoffNotComputedReason> {
        let truth = |history: &PossibleHistoryInSearch<'a, N>| {
            leaf_truth(self.cases[history.case].instance, leaf)
        };
        let truths: Vec<Option<bool>> = set.iter().map(truth).collect();
        if truths.windows(2).all(|pair| pair[0] == pair[1]) {
            return Ok(None);
        }
        let mut spent = CertainRewardsAndExpenses::default();
        let after = SeatResourceCosts {
            oracle_queries: 1,
            ..SeatResourceCosts::default()
        };
        spent.add_expenses(self.seat, &SeatResourceCosts::default(), &after);
        let branches = set.iter().zip(truths).enumerate();
        let branches: Vec<_> = branches
            .map(|(parent, (history, truth))| {
                let seen = vec![truth.map_or(0, |truth| u64::from(truth) + 1)];
                let next = PossibleHistoryInSearch {
                    queries: history.queries - 1,
                    ..history.clone()
                };
                Branch::certain(parent, spent.clone(), next, seen)
            })
            .collect();
        self.follow(set, branches).map(Some)
    }
}

/// A possible instance for the searching seat, and its players.
#[derive(Clone)]
pub(crate) struct PossibleInstanceInSearch<'p, 'a, N: Number> {
    pub(crate) instance: &'a Instance,
    /// The debate before the first move.
    pub(crate) start: State<'a, N>,
    /// The players of the prover's, the opponent's and the judge's seat. The searching seat has a strategy or the best
    /// response.
    pub(crate) players: [SeatDecisionMaker<'p, 'a, N>; 3],
}

impl<N: Number> PossibleInstanceInSearch<'_, '_, N> {
    /// True if the player in a seat considers all possible replies.
    fn chooses(&self, seat: Seat) -> bool {
        self.players
            .get(seat.seat_index())
            .is_some_and(SeatDecisionMaker::chooses_among_all_replies)
    }
}

/// A possible course of the debate up to now, about one instance. It includes everything that is hidden from the seat.
#[derive(Clone)]
pub(crate) struct PossibleHistoryInSearch<'a, N> {
    /// The index of the history's instance in the search's list `cases`.
    pub(crate) case: usize,
    /// The product of the probabilities of all chance outcomes and other seats' replies in this history. A common
    /// factor of all histories is left out.
    pub(crate) weight: N,
    /// The current state of the debate, with the seat's observer.
    pub(crate) at: DebateAndStrategyStates<'a, N, 1>,
    /// The number of leaf queries that the seat may still make; equal in all histories of an information set.
    queries: u32,
    /// The number of replies and coins that the search followed to this history; equal in all histories of an
    /// information set.
    level: u32,
    /// The state of the soundness proof, if rewards are split by the proof's steps.
    trace: ProofStepSplitFacts,
}

/// A branch of the game tree: a history of the debate, continued by one reply.
struct Branch<'a, N: Number> {
    /// The index in the information set of the history that this branch continues.
    parent: usize,
    /// The probability of this branch, given its history.
    chance: N,
    gains: [CertainRewardsAndExpenses<N>; 2],
    next: PossibleHistoryInSearch<'a, N>,
    /// The seat's observations during the branch's reply.
    seen: Vec<u64>,
}

impl<'a, N: Number> Branch<'a, N> {
    /// Creates the branch of a reply that is certain, with its payoff.
    fn certain(
        parent: usize,
        gain: CertainRewardsAndExpenses<N>,
        next: PossibleHistoryInSearch<'a, N>,
        seen: Vec<u64>,
    ) -> Self {
        Self {
            parent,
            chance: N::one(),
            gains: [CertainRewardsAndExpenses::default(), gain],
            next,
            seen,
        }
    }
}

/// Merges equal histories into one history with the sum of their weights.
fn merged<'a, N: Number>(
    set: &[PossibleHistoryInSearch<'a, N>],
    classes: &[usize],
) -> Vec<PossibleHistoryInSearch<'a, N>> {
    let mut merged: Vec<PossibleHistoryInSearch<'a, N>> = Vec::new();
    for (history, class) in set.iter().zip(classes) {
        match merged.get_mut(*class) {
            Some(one) => one.weight += history.weight.clone(),
            None => merged.push(history.clone()),
        }
    }
    merged
}

/// Groups branches by the seat's observations, in order of first occurrence.
fn distinguished<N: Number>(branches: Vec<Branch<'_, N>>) -> Vec<Vec<Branch<'_, N>>> {
    let mut round_indices: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut sets: Vec<Vec<Branch<'_, N>>> = Vec::new();
    for branch in branches {
        let next = sets.len();
        let place = *round_indices.entry(branch.seen.clone()).or_insert(next);
        match sets.get_mut(place) {
            Some(set) => set.push(branch),
            None => sets.push(vec![branch]),
        }
    }
    sets
}
