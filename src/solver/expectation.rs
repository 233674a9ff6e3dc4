//! Expected rewards and expenses of a debate from some point on.

mod proof_plan;
mod report;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use thiserror::Error;

use debate_core::budget::{ComputationBudget, ComputationStopReason};
use debate_core::number::Number;
use debate_core::player::BuiltinDebateUnfinishedError;
use debate_core::protocol::{
    Event, EventSink, IllegalReply, ReplySeal, ResourceCostsBySeat, Reward, Round, Seat,
    SeatResourceCosts,
};
pub(crate) use proof_plan::{
    ProofBitValues, ProofBitValuesOnPossiblePaths, SearchResultWithFixedProofBits, best_plan,
};
pub use report::{
    BySeat, DecimalOrFractionNumber, FirstAnswerRoundLabel, OneOrMany, ReportNumberFormat,
    RoundNumberOrInitial, SeatResourceExpenses, as_text,
};

/// The number of types of expense that a ledger records for a seat ([`SeatResourceCosts`]).
pub(crate) const EXPENSE_KINDS: usize = 5;
/// The names of the types of expense, in the order of [`ExpectedRewardsAndExpenses::expected_expenses`].
pub const EXPENSES: [&str; EXPENSE_KINDS] = [
    "oracle_queries",
    "bits_read",
    "configurations_read",
    "samples",
    "calls",
];
/// The number of seats that have expenses: prover, opponent and judge.
const SEATS: usize = 3;

/// The expected rewards and expenses of a debate from some point on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedRewardsAndExpenses<N: Number> {
    by_round: ExpectedRoundRewards<N>,
    /// The number of rounds in the debate's schedule.
    rounds: usize,
    /// The expected value of the square of the sum of all rewards.
    pub square: N,
    /// Two probabilities: that the debate finds the root claim true, and that it finds it false.
    findings: [N; 2],
    /// The expected expenses, by seat and then by type. Empty if only the total payoff is computed. All rounds then
    /// share one index, and the expected square of the payoff is not computed.
    spent: Vec<N>,
    /// The proof bits that a best-responding prover writes from this point on.
    pub(crate) given: ProofBitValuesOnPossiblePaths,
}

impl<N: Number> ExpectedRewardsAndExpenses<N> {
    /// Returns the expected values at the end of a debate of `rounds` rounds, where nothing more is paid.
    pub fn zero(rounds: usize) -> Self {
        Self {
            rounds,
            spent: vec![N::zero(); EXPENSE_KINDS * SEATS],
            ..Self::default()
        }
    }

    /// Returns the expected values at the end of a debate. Its finding is that the root claim is true or that it is
    /// false, or there is none ([`debate_core::protocol::Rules::finding`]).
    pub(crate) fn expectation_of_finished_debate(
        rounds: usize,
        root_finding: Option<bool>,
    ) -> Self {
        let is = |wanted: bool| N::indicator(root_finding == Some(wanted));
        Self {
            findings: [is(true), is(false)],
            ..Self::zero(rounds)
        }
    }

    /// Returns the probability that the debate ends with the answer that the root claim is true, or that it is false.
    pub fn probability_of_final_answer(&self, answer: bool) -> &N {
        let [found_true, found_false] = &self.findings;
        if answer { found_true } else { found_false }
    }

    /// Returns the expected sum of all rewards to the prover: her expected payoff.
    pub fn expected_payoff(&self) -> N {
        self.by_round.total_expected_reward()
    }

    /// Returns the expected reward to the prover in each round, in the order of the schedule.
    pub fn expected_rewards_by_round(&self) -> Vec<N> {
        let mut each = vec![N::zero(); self.rounds];
        for (index, reward) in self.by_round.expected_rewards_by_round_index() {
            if let Some(there) = each.get_mut(index) {
                *there = reward;
            }
        }
        each
    }

    /// Returns the variance of the sum of all rewards.
    pub fn payoff_variance(&self) -> N {
        let mean = self.expected_payoff();
        let variance = self.square.clone() - mean.clone() * mean;
        variance.clear_rounding_error(&self.square)
    }

    /// Sets rewards and probabilities to 0 if they consist only of rounding errors. `max_rewards` are the largest
    /// possible rewards by round.
    pub(crate) fn clear_rounding_error(mut self, max_rewards: &[N]) -> Self {
        let clean = |index: usize, reward: &N| match max_rewards.get(index) {
            Some(max_rewards) => reward.clone().clear_rounding_error(max_rewards),
            None => reward.clone(),
        };
        let each = self.by_round.expected_rewards_by_round_index();
        let is_residue = |(index, reward): (&usize, &N)| clean(*index, reward) != *reward;
        if each.iter().any(is_residue) {
            let mut rewards = ExpectedRoundRewards::default();
            for (index, reward) in each {
                rewards.add_certain_reward(index, clean(index, &reward));
            }
            self.by_round = rewards;
        }
        self.findings = self
            .findings
            .map(|chance| chance.clear_rounding_error(&N::one()));
        self
    }

    /// Returns the expected expenses of a seat by type: oracle queries, bits read, configurations read, samples, calls.
    /// Empty if only the total payoff was computed.
    pub fn expected_expenses(&self, seat: Seat) -> &[N] {
        let from = seat.seat_index() * EXPENSE_KINDS;
        self.spent.get(from..from + EXPENSE_KINDS).unwrap_or(&[])
    }

    /// Moves the rewards by round to a longer schedule of `rounds` rounds. Round i gets the index `indices[i]`.
    pub(crate) fn with_round_rewards_reindexed(&self, indices: &[usize], rounds: usize) -> Self {
        let there = |index: usize| indices.get(index).copied();
        Self {
            by_round: self.by_round.map(N::clone, there),
            rounds,
            ..self.clone()
        }
    }

    /// Converts all numbers.
    pub(crate) fn convert_numbers<M: Number>(
        &self,
        convert: impl Fn(&N) -> M,
    ) -> ExpectedRewardsAndExpenses<M> {
        let all = |values: &[N]| values.iter().map(&convert).collect();
        ExpectedRewardsAndExpenses {
            by_round: self.by_round.map(&convert, Some),
            rounds: self.rounds,
            square: convert(&self.square),
            findings: self.findings.each_ref().map(&convert),
            spent: all(&self.spent),
            given: self.given.clone(),
        }
    }

    /// Adds the expected values `more`, weighted by the probability `chance`.
    pub(crate) fn add_weighted(&mut self, chance: &N, more: &Self) {
        let add = |sums: &mut [N], more: &[N]| {
            for (sum, more) in sums.iter_mut().zip(more) {
                if !more.is_zero() {
                    *sum += chance.clone() * more.clone();
                }
            }
        };
        self.by_round.add_weighted_rewards(chance, &more.by_round);
        self.given.merge(&more.given);
        add(&mut self.spent, &more.spent);
        add(&mut self.findings, &more.findings);
        self.square += chance.clone() * more.square.clone();
    }

    /// Adds rewards and expenses that are certain to occur before this point.
    pub(crate) fn preceded_by_certain_rewards(
        mut self,
        gain: &CertainRewardsAndExpenses<N>,
    ) -> Self {
        let mut sum = N::zero();
        let mean = self.expected_payoff();
        for (round, reward) in &gain.rewards {
            sum += reward.clone();
            self.by_round.add_certain_reward(*round, reward.clone());
        }
        if self.spent.is_empty() {
            return self;
        }
        if !sum.is_zero() {
            // E[(g + R)²] = g² + 2 g E[R] + E[R²].
            let two = N::one() + N::one();
            self.square += sum.clone() * (sum + two * mean);
        }
        for (index, amount) in gain.spent.iter().flatten().enumerate() {
            if *amount > 0 {
                let amount = i64::try_from(*amount).unwrap_or(i64::MAX);
                self.spent[index] += N::ratio(amount, 1);
            }
        }
        self
    }
}

/// Rewards and expenses that are certain to occur, for example those of one reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CertainRewardsAndExpenses<N> {
    /// The rewards, each with its round's index in the schedule.
    rewards: Vec<(usize, N)>,
    /// The expenses of each seat, by seat and then by type.
    spent: SeatExpenses,
}

impl<N: Number> CertainRewardsAndExpenses<N> {
    /// Adds a reward to the round with this index in the schedule.
    pub(crate) fn add_reward(&mut self, round_index: usize, reward: N) {
        self.rewards.push((round_index, reward));
    }

    /// Adds the expenses of all seats that a debate's ledger recorded between two points.
    pub(crate) fn add_ledger_difference(
        &mut self,
        before: &ResourceCostsBySeat,
        after: &ResourceCostsBySeat,
    ) {
        for seat in Seat::PLAYERS {
            self.add_expenses(
                seat,
                before.spending_of_seat(seat),
                after.spending_of_seat(seat),
            );
        }
    }

    /// Adds the expenses of a seat between two points: the difference of the sums `before` and `after`.
    pub(crate) fn add_expenses(
        &mut self,
        seat: Seat,
        before: &SeatResourceCosts,
        after: &SeatResourceCosts,
    ) {
        add_expense_difference(&mut self.spent[seat.seat_index()], before, after);
    }
}

/// The expenses of prover, opponent and judge, each by type in the order of [`EXPENSES`].
pub(crate) type SeatExpenses = [[u64; EXPENSE_KINDS]; SEATS];

/// Adds to `sums` the expenses between two points: `after` minus `before`, by type.
pub(crate) fn add_expense_difference(
    sums: &mut [u64; EXPENSE_KINDS],
    before: &SeatResourceCosts,
    after: &SeatResourceCosts,
) {
    for (sum, (before, after)) in sums
        .iter_mut()
        .zip(expenses_by_kind(before).iter().zip(expenses_by_kind(after)))
    {
        *sum += after.saturating_sub(*before);
    }
}

/// Returns expenses by type, in the order of [`EXPENSES`].
pub(crate) fn expenses_by_kind(spent: &SeatResourceCosts) -> [u64; EXPENSE_KINDS] {
    [
        spent.oracle_queries,
        spent.bits_read,
        spent.configurations_read,
        spent.samples,
        spent.calls,
    ]
}

impl From<&SeatResourceCosts> for SeatResourceExpenses<u64> {
    fn from(spent: &SeatResourceCosts) -> Self {
        expenses_by_kind(spent).into()
    }
}

/// Collects the rewards of a reply. Also records its last coin, and if any of its events was public.
#[derive(Debug, Default)]
pub(crate) struct ReplyRewardSink<N> {
    /// The rewards in order.
    pub(crate) paid: Vec<Reward<N>>,
    /// True if the other seats observe at least one event of the reply.
    pub(crate) open: bool,
    /// The outcome of the last coin that the reply caused to be thrown.
    pub(crate) tossed: Option<bool>,
}

impl<N: Number> EventSink<N> for ReplyRewardSink<N> {
    fn wants(&self) -> bool {
        true
    }

    fn note(&mut self, _seat: Seat, seal: Option<ReplySeal>, event: Event<N>) {
        self.open |= seal.is_none();
        self.tossed = event.coin_outcome().or(self.tossed);
        self.paid.extend(event.into_reward());
    }
}

/// The index of each round in a debate's schedule.
#[derive(Clone, Debug)]
pub(crate) struct DebateRoundIndices {
    rounds: HashMap<Round, usize>,
    /// True if only the total payoff is computed. All rounds then share one index.
    only_value: bool,
}

impl DebateRoundIndices {
    pub(crate) fn from_schedule<N>(schedule: &[(Round, N)]) -> Self {
        let rounds = schedule.iter().map(|(round, _)| *round);
        Self {
            rounds: rounds.zip(0..).collect(),
            only_value: false,
        }
    }

    /// Creates a map from the rounds 0 to `count` − 1 to indices; each round's index equals its number.
    pub(crate) fn one_index_per_round(count: usize) -> Self {
        Self {
            rounds: (0..).map(Round::Number).zip(0..count).collect(),
            only_value: false,
        }
    }

    /// Creates a single index that all rounds share.
    pub(crate) fn one_index_for_all_rounds() -> Self {
        Self {
            rounds: HashMap::new(),
            only_value: true,
        }
    }

    /// Returns the index of a round. A round without an own index gets the last index.
    pub(crate) fn index_of_round(&self, round: Round) -> usize {
        let index = self.rounds.get(&round).copied();
        index.unwrap_or_else(|| self.rounds.len().saturating_sub(1))
    }

    pub(crate) fn len(&self) -> usize {
        self.rounds.len().max(usize::from(self.only_value))
    }

    /// Returns expected values of zero for all rounds and expenses.
    pub(crate) fn zero<N: Number>(&self) -> ExpectedRewardsAndExpenses<N> {
        self.kept(ExpectedRewardsAndExpenses::zero(self.len()))
    }

    /// Returns the expected values at the end of a debate with a finding about the root claim.
    pub(crate) fn finished<N: Number>(
        &self,
        answer: Option<bool>,
    ) -> ExpectedRewardsAndExpenses<N> {
        self.kept(ExpectedRewardsAndExpenses::expectation_of_finished_debate(
            self.len(),
            answer,
        ))
    }

    fn kept<N: Number>(
        &self,
        mut expected: ExpectedRewardsAndExpenses<N>,
    ) -> ExpectedRewardsAndExpenses<N> {
        if self.only_value {
            expected.spent.clear();
        }
        expected
    }
}

/// Maximum number of rounds whose rewards a sum stores itself. More rewards are moved to a part that several sums
/// share, so that adding a reward stays cheap in long debates.
const MAX_OWN_ROUNDS: usize = 64;
/// Maximum number of shared sums of rewards that one sum refers to.
const MAX_SHARED_PARTS: usize = 8;

/// The expected rewards of a debate, by the index of the round in the schedule.
#[derive(Clone, Debug, Default)]
pub(super) struct ExpectedRoundRewards<N> {
    /// Sorted by index.
    own: Vec<(usize, N)>,
    /// Sums of rewards that this sum shares with other sums, each with the factor by which it is multiplied here.
    shared: Vec<(N, Arc<SharedSum<N>>)>,
}

/// An immutable sum of rewards that several other sums refer to.
#[derive(Debug)]
struct SharedSum<N> {
    sum: ExpectedRoundRewards<N>,
    /// The total over all rounds.
    total: N,
    /// The nesting depth: one more than the greatest height of the shared sums in it.
    height: usize,
}

/// Two sums are equal if they have the same reward in each round, whatever parts they share.
impl<N: Number> PartialEq for ExpectedRoundRewards<N> {
    fn eq(&self, other: &Self) -> bool {
        let some = |sum: &Self| {
            let mut each = sum.expected_rewards_by_round_index();
            each.retain(|_, reward| !reward.is_zero());
            each
        };
        some(self) == some(other)
    }
}

impl<N: Number> ExpectedRoundRewards<N> {
    /// Returns the sum of the expected rewards over all rounds.
    pub(super) fn total_expected_reward(&self) -> N {
        let add = |sum: N, more: N| sum + more;
        let own = self.own.iter().map(|(_, reward)| reward.clone());
        let shared = self
            .shared
            .iter()
            .map(|(often, part)| often.clone() * part.total.clone());
        own.chain(shared).fold(N::zero(), add)
    }

    /// Adds a reward to the round with this index.
    pub(super) fn add_certain_reward(&mut self, round_index: usize, reward: N) {
        match self
            .own
            .binary_search_by_key(&round_index, |(round_index, _)| *round_index)
        {
            Ok(found) => self.own[found].1 += reward,
            Err(there) => self.own.insert(there, (round_index, reward)),
        }
        if self.own.len() > MAX_OWN_ROUNDS {
            self.share();
        }
    }

    /// Adds the rewards of `more`, weighted by the probability `chance`.
    pub(super) fn add_weighted_rewards(&mut self, chance: &N, more: &Self) {
        for (often, part) in &more.shared {
            self.part(chance.clone() * often.clone(), part);
        }
        for (index, reward) in &more.own {
            if !reward.is_zero() {
                self.add_certain_reward(*index, chance.clone() * reward.clone());
            }
        }
        if self.shared.len() > MAX_SHARED_PARTS {
            let all = std::mem::take(self).expected_rewards_by_round_index();
            self.own = all.into_iter().collect();
            self.share();
        }
    }

    fn part(&mut self, often: N, part: &Arc<SharedSum<N>>) {
        let same = |(_, other): &&mut (N, Arc<SharedSum<N>>)| Arc::ptr_eq(part, other);
        match self.shared.iter_mut().find(same) {
            Some((sum, _)) => *sum += often,
            None => self.shared.push((often, Arc::clone(part))),
        }
    }

    /// Moves all stored rewards into a new shared sum, which this sum then refers to.
    fn share(&mut self) {
        let heights = self.shared.iter().map(|(_, part)| part.height);
        let shared = SharedSum {
            total: self.total_expected_reward(),
            height: heights.max().unwrap_or(0) + 1,
            sum: std::mem::take(self),
        };
        self.shared.push((N::one(), Arc::new(shared)));
    }

    /// Returns the expected rewards by round index. Visits shared sums in order of descending height, so that each is
    /// visited only once.
    pub(super) fn expected_rewards_by_round_index(&self) -> BTreeMap<usize, N> {
        let mut rewards = BTreeMap::new();
        let mut open = BTreeMap::new();
        let one = N::one();
        let mut take = |often: &N, sum: &Self, open: &mut BTreeMap<_, (N, Arc<SharedSum<N>>)>| {
            for (index, reward) in &sum.own {
                let all = rewards.entry(*index).or_insert_with(N::zero);
                *all += often.clone() * reward.clone();
            }
            for (more, part) in &sum.shared {
                let more = often.clone() * more.clone();
                let key = (part.height, Arc::as_ptr(part) as usize);
                let known = open.entry(key);
                let (sum, _) = known.or_insert_with(|| (N::zero(), Arc::clone(part)));
                *sum += more;
            }
        };
        take(&one, self, &mut open);
        while let Some((_, (often, part))) = open.pop_last() {
            take(&often, &part.sum, &mut open);
        }
        rewards
    }

    /// Converts the rewards to another number type and to other round indices. Drops the rewards of rounds for which
    /// `index` is `None`.
    pub(super) fn map<M: Number>(
        &self,
        convert: impl Fn(&N) -> M,
        index: impl Fn(usize) -> Option<usize>,
    ) -> ExpectedRoundRewards<M> {
        let mut rewards = ExpectedRoundRewards::default();
        for (at, reward) in self.expected_rewards_by_round_index() {
            if let Some(at) = index(at) {
                rewards.add_certain_reward(at, convert(&reward));
            }
        }
        rewards
    }
}

/// A budget, with a counter of the steps that a computation has taken.
pub(crate) struct StepCounter<'b> {
    pub(crate) taken: u64,
    budget: ComputationBudget<'b>,
}

impl<'b> StepCounter<'b> {
    pub(crate) fn new(budget: ComputationBudget<'b>) -> Self {
        Self { taken: 0, budget }
    }

    /// Counts `steps` more steps. Returns an error if the budget is exceeded, or if the user stopped the computation.
    pub(crate) fn count_steps(&mut self, steps: u64) -> Result<(), ComputationStopReason> {
        self.budget.check_not_cancelled()?;
        self.taken = self.taken.saturating_add(steps);
        self.budget.add_to_progress(steps);
        if self.taken > self.budget.steps {
            return Err(self.budget.limit_exceeded_error("steps"));
        }
        Ok(())
    }
}

impl PayoffNotComputedReason {
    /// The error of a computation that the user stopped.
    pub const STOPPED: Self = Self::Exceeded(ComputationStopReason::Stopped);
}

impl From<BuiltinDebateUnfinishedError> for PayoffNotComputedReason {
    fn from(error: BuiltinDebateUnfinishedError) -> Self {
        match error {
            BuiltinDebateUnfinishedError::NoReply(seat) => Self::NoReply(seat),
            BuiltinDebateUnfinishedError::Illegal { seat, illegal } => {
                Self::Illegal { seat, illegal }
            }
            BuiltinDebateUnfinishedError::Exceeded(exceeded) => Self::Exceeded(exceeded),
        }
    }
}

/// The reason why a debate's expected payoff was not computed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PayoffNotComputedReason {
    /// The computation needs more steps, replies or stored results than the budget allows, or the user stopped it.
    #[error(transparent)]
    Exceeded(#[from] ComputationStopReason),
    /// The search for an estimator's best estimates in a round would take too many steps.
    #[error(
        "a round of {width} subclaims on a grid of {grid} probabilities takes {steps} steps, and \
         all rounds together may take {most}; use a smaller --grid or a narrower decomposition, or \
         raise --max-replies"
    )]
    TooFine {
        /// The number of subclaims.
        width: usize,
        /// The number of probabilities.
        grid: usize,
        /// The number of steps of the search for the best estimates of this round.
        steps: u64,
        /// The maximum number of steps for all rounds together.
        most: u64,
    },
    /// A player has no reply.
    #[error("the {seat} cannot reply to a request, because the scenario lacks the information", seat = .0)]
    NoReply(Seat),
    /// A player's reply is illegal.
    #[error("the {seat} gave an illegal reply: {illegal}")]
    Illegal {
        /// The seat whose player gave the illegal reply.
        seat: Seat,
        /// The reason.
        illegal: IllegalReply,
    },
    /// A best response cannot be computed, because the player in this seat draws random replies that stay sealed.
    #[error(
        "the {0} draws replies that stay sealed, so there is no best reply to them; choose a \
         player that draws none, such as honest or liar"
    )]
    Hidden(Seat),
    /// A player draws at random among too many replies to list.
    #[error(
        "the {0} draws among too many replies to list; choose a player that draws none, such as \
         honest, or use `simulate`"
    )]
    Countless(Seat),
    /// A best reply cannot be found by trying all replies, because there are too many.
    #[error("the {seat} has too many possible replies to try all of them", seat = .0)]
    Endless(Seat),
}
