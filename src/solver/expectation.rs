//! The expectation of the rest of a debate: rewards and expenses.

mod proof_plan;
mod report;
mod report_number;
mod rounds;
mod unsolved;

use std::collections::HashMap;

use debate_core::number::Number;
use debate_core::protocol::{Event, Ledger, Reward, Round, Seal, Seat, Sink, Spent};
pub(crate) use proof_plan::{GivenBits, ProofPlan, UnderPlan, best_plan};
pub use report::{BySeat, Expenses, InitialRound, OneOrMany, RoundLabel};
pub use report_number::{NumberFormat, ReportNumber};
use rounds::RoundRewards;
pub(crate) use unsolved::StepCounter;
pub use unsolved::Unsolved;

/// The number of kinds of expense in a [`Spent`].
pub(crate) const KINDS: usize = 5;
/// The kinds of expense, in the order of [`Expected::spent`].
pub const EXPENSES: [&str; KINDS] = [
    "oracle_queries",
    "bits_read",
    "configurations_read",
    "samples",
    "calls",
];
/// The number of seats that spend.
const SEATS: usize = 3;

/// Expected rewards and expenses from some point of a debate on.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected<N: Number> {
    by_round: RoundRewards<N>,
    /// The number of rounds of the schedule.
    rounds: usize,
    /// The expected square of the sum of all rewards.
    pub square: N,
    /// The probability that the debate finds the claim true, and that it finds it false.
    findings: [N; 2],
    /// Expected expenses, seat by seat, kind by kind. Empty where the value alone is kept, of one
    /// round that stands for all and without a square.
    spent: Vec<N>,
    /// The proof bits that whoever replies best gives on the way.
    pub(crate) given: GivenBits,
}

impl<N: Number> Expected<N> {
    /// The expectation if nothing more happens, in so many rounds.
    pub fn nothing(rounds: usize) -> Self {
        Self {
            by_round: RoundRewards::default(),
            rounds,
            square: N::zero(),
            findings: [N::zero(), N::zero()],
            spent: vec![N::zero(); KINDS * SEATS],
            given: GivenBits::default(),
        }
    }

    /// The expectation once a debate is over, which found this of the claim
    /// ([`debate_core::protocol::Rules::finding`]).
    pub(crate) fn over(rounds: usize, found: Option<bool>) -> Self {
        let is = |wanted: bool| N::indicator(found == Some(wanted));
        Self {
            findings: [is(true), is(false)],
            ..Self::nothing(rounds)
        }
    }

    /// The probability that the debate finds this of the claim.
    pub fn finds(&self, holds: bool) -> &N {
        let [found_true, found_false] = &self.findings;
        if holds { found_true } else { found_false }
    }

    /// The expected sum of all rewards to the prover.
    pub fn value(&self) -> N {
        self.by_round.total()
    }

    /// The expected reward to the prover of each round, in the order of the schedule.
    pub fn by_round(&self) -> Vec<N> {
        let mut each = vec![N::zero(); self.rounds];
        for (place, reward) in self.by_round.each() {
            if let Some(there) = each.get_mut(place) {
                *there = reward;
            }
        }
        each
    }

    /// The variance of the sum of all rewards.
    pub fn variance(&self) -> N {
        let mean = self.value();
        self.square.clone() - mean.clone() * mean
    }

    /// Expected expenses of a seat: oracle queries, bits read, configurations read, samples,
    /// replies.
    pub fn spent(&self, seat: Seat) -> &[N] {
        let from = seat.index() * KINDS;
        self.spent.get(from..from + KINDS).unwrap_or(&[])
    }

    /// Moves the rounds to these places of a longer schedule.
    pub(crate) fn placed(&self, places: &[usize], rounds: usize) -> Self {
        let there = |place: usize| places.get(place).copied();
        Self {
            by_round: self.by_round.map(N::clone, there),
            rounds,
            ..self.clone()
        }
    }

    /// Converts all numbers.
    pub(crate) fn converted<M: Number>(&self, convert: impl Fn(&N) -> M) -> Expected<M> {
        let all = |values: &[N]| values.iter().map(&convert).collect();
        Expected {
            by_round: self.by_round.map(&convert, Some),
            rounds: self.rounds,
            square: convert(&self.square),
            findings: self.findings.each_ref().map(&convert),
            spent: all(&self.spent),
            given: self.given.clone(),
        }
    }

    /// Adds what is expected with a probability.
    pub(crate) fn add(&mut self, chance: &N, more: &Self) {
        let add = |sums: &mut [N], more: &[N]| {
            for (sum, more) in sums.iter_mut().zip(more) {
                if !more.is_zero() {
                    *sum += chance.clone() * more.clone();
                }
            }
        };
        self.by_round.add(chance, &more.by_round);
        self.given.merge(&more.given);
        add(&mut self.spent, &more.spent);
        add(&mut self.findings, &more.findings);
        self.square += chance.clone() * more.square.clone();
    }

    /// Adds a gain that is certain and comes before.
    pub(crate) fn after(mut self, gain: &Gain<N>) -> Self {
        let mut sum = N::zero();
        let mean = self.value();
        for (round, reward) in &gain.rewards {
            sum += reward.clone();
            self.by_round.reward(*round, reward.clone());
        }
        if self.spent.is_empty() {
            return self;
        }
        if !sum.is_zero() {
            // E[(g + R)²] = g² + 2 g E[R] + E[R²].
            let two = N::one() + N::one();
            self.square += sum.clone() * (sum + two * mean);
        }
        for (place, amount) in gain.spent.iter().flatten().enumerate() {
            if *amount > 0 {
                let amount = i64::try_from(*amount).unwrap_or(i64::MAX);
                self.spent[place] += N::ratio(amount, 1);
            }
        }
        self
    }
}

/// Rewards and expenses that are certain.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gain<N> {
    /// The rewards, each with its place in the schedule.
    rewards: Vec<(usize, N)>,
    /// As of [`Expected`].
    spent: SeatExpenses,
}

impl<N: Number> Gain<N> {
    /// Nothing yet.
    pub(crate) fn nothing() -> Self {
        Self {
            rewards: Vec::new(),
            spent: SeatExpenses::default(),
        }
    }

    /// Adds a reward of a round with this place in the schedule.
    pub(crate) fn reward(&mut self, place: usize, reward: N) {
        self.rewards.push((place, reward));
    }

    /// Adds what was spent between two ledgers.
    pub(crate) fn ledger(&mut self, before: &Ledger, after: &Ledger) {
        for seat in Seat::PLAYERS {
            self.spend(seat, before.of(seat), after.of(seat));
        }
    }

    /// Adds what a seat spent between two sums.
    pub(crate) fn spend(&mut self, seat: Seat, before: &Spent, after: &Spent) {
        add_spent(&mut self.spent[seat.index()], before, after);
    }
}

/// Expenses of prover, opponent and judge, kind by kind in the order of [`EXPENSES`].
pub(crate) type SeatExpenses = [[u64; KINDS]; SEATS];

/// Adds what was spent between two sums.
pub(crate) fn add_spent(sums: &mut [u64; KINDS], before: &Spent, after: &Spent) {
    for (sum, (before, after)) in sums.iter_mut().zip(kinds(before).iter().zip(kinds(after))) {
        *sum += after.saturating_sub(*before);
    }
}

/// Expenses by kind, in the order of [`EXPENSES`].
pub(crate) fn kinds(spent: &Spent) -> [u64; KINDS] {
    [
        spent.oracle_queries,
        spent.bits_read,
        spent.configurations_read,
        spent.samples,
        spent.calls,
    ]
}

/// Keeps the rewards of a reply, and whether anything of it was in the open.
#[derive(Debug)]
pub(crate) struct RewardSink<N> {
    /// The rewards in order.
    pub(crate) paid: Vec<Reward<N>>,
    /// True if the others see something of it.
    pub(crate) open: bool,
    /// The outcome of the last coin.
    pub(crate) tossed: Option<bool>,
}

impl<N> Default for RewardSink<N> {
    fn default() -> Self {
        Self {
            paid: Vec::new(),
            open: false,
            tossed: None,
        }
    }
}

impl<N: Number> Sink<N> for RewardSink<N> {
    fn wants(&self) -> bool {
        true
    }

    fn note(&mut self, _seat: Seat, seal: Option<Seal>, event: Event<N>) {
        self.open |= seal.is_none();
        self.tossed = event.tossed().or(self.tossed);
        self.paid.extend(event.into_reward());
    }
}

/// The places of rounds in a schedule.
#[derive(Clone, Debug)]
pub(crate) struct RoundPlaces {
    rounds: HashMap<Round, usize>,
    /// True if the value of a debate is all that is asked for: one place for all rounds then.
    only_value: bool,
}

impl RoundPlaces {
    pub(crate) fn of<N>(schedule: &[(Round, N)]) -> Self {
        let rounds = schedule.iter().map(|(round, _)| *round);
        Self {
            rounds: rounds.zip(0..).collect(),
            only_value: false,
        }
    }

    /// So many places, each for the round of its number.
    pub(crate) fn numbered(count: usize) -> Self {
        Self {
            rounds: (0..).map(Round::Number).zip(0..count).collect(),
            only_value: false,
        }
    }

    /// One place for all rounds.
    pub(crate) fn one() -> Self {
        Self {
            rounds: HashMap::new(),
            only_value: true,
        }
    }

    pub(crate) fn of_round(&self, round: Round) -> usize {
        let place = self.rounds.get(&round).copied();
        place.unwrap_or_else(|| self.rounds.len().saturating_sub(1))
    }

    pub(crate) fn len(&self) -> usize {
        self.rounds.len().max(usize::from(self.only_value))
    }

    /// The expectation if nothing more happens.
    pub(crate) fn nothing<N: Number>(&self) -> Expected<N> {
        self.kept(Expected::nothing(self.len()))
    }

    /// The expectation once a debate is over, which found this of the claim.
    pub(crate) fn over<N: Number>(&self, answer: Option<bool>) -> Expected<N> {
        self.kept(Expected::over(self.len(), answer))
    }

    fn kept<N: Number>(&self, mut expected: Expected<N>) -> Expected<N> {
        if self.only_value {
            expected.spent.clear();
        }
        expected
    }
}
