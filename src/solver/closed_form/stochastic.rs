//! Solves stochastic debate by dynamic programming over the sequences of bits so far (DE Figure 2, Theorem 6.2 and
//! Appendix D, arXiv:2311.14125).
//!
//! The rest of a debate depends only on the previous bits that a later step reads. So the probability that Alice wins
//! is computed from the last bit backwards. For each step, this takes the distributions of all players' samples, and
//! the values after a 0 and after a 1. The best-responding Bob chooses the lesser of the values of objecting and
//! continuing, at every outcome. The best-responding Alice chooses a number; her gain is affine in it between the
//! numbers at which the verdict of a test changes. If the gain increases towards such a number and drops there, no
//! number is best, and the result is the supremum.

mod model;
mod samples;
mod step;

use std::collections::HashMap;
use std::sync::Arc;

use crate::expectation::{
    CertainRewardsAndExpenses, DebateRoundIndices, ExpectedRewardsAndExpenses,
    PayoffNotComputedReason, StepCounter,
};
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number};
use debate_core::player::stochastic::{
    StochasticDebatePolicy, StochasticDebatePolicyAdapter, StochasticView,
};
use debate_core::player::{
    ChallengerObjectionRule, PlayableStrategy, PlayerSpec, PolicyAsStrategy, ReplyDistribution,
    StrategyMemoryAndCosts,
};
use debate_core::protocol::stochastic::StochasticProtocolParameters;
use debate_core::protocol::{
    Reply, Reward, Round, Rules as _, Seat, SeatResourceCosts, State, StochasticDebate,
};
use debate_core::scenario::Instance;
pub use model::StochasticDebateModel;
use model::{
    AliceStatedProbabilityDistribution, AlicesProbabilityRule, StepProbabilitiesByObserver,
    continue_without_objection,
};
pub use samples::{
    AcceptanceWindow, AcceptanceWindowForStatedMean, OnesCountDistribution,
    OnesCountDistributionNumber,
};
pub use step::CoinFromStatedProbabilityRule;
use step::{
    BestProverReply, DebateStepOutcomeProbabilities, StochasticDebateStepModel,
    StochasticObjectionRule,
};

/// Maximum total number of bits in the stored sequences that follow one witness.
const MAX_BITS: usize = 1 << 26;

/// Maximum number of sample outcomes in the cache of [`StepDistributions`]. A fuller cache is cleared.
const MAX_REMEMBERED: usize = 1 << 22;

/// A node of the dynamic program: the previous bits that a later step reads, and the data of the next step.
#[derive(Debug)]
struct Node<N> {
    bits: Vec<bool>,
    p: StepProbabilitiesByObserver,
    asks: bool,
    words: AliceStatedProbabilityDistribution,
    /// Alice's expenses for choosing the probability that she states.
    spent: SeatResourceCosts,
    /// The indices in the next level of the nodes after a 0 and after a 1; `None` if the bit is impossible.
    after: [Option<usize>; 2],
    /// The probability that Alice wins from this node.
    value: N,
    /// The best probability for Alice to state at this step. `None` if she is not the best response, or if the debate
    /// has ended.
    word: Option<Exact>,
    /// The distribution of the number of ones among the verifier's samples at this step, if it is stored.
    law: Option<Arc<OnesCountDistribution<N>>>,
}

impl<N: Number> Node<N> {
    /// Creates a node whose successors and values are not computed yet.
    fn of(
        bits: Vec<bool>,
        p: StepProbabilitiesByObserver,
        words: AliceStatedProbabilityDistribution,
    ) -> Self {
        Self {
            bits,
            p,
            asks: false,
            words,
            spent: SeatResourceCosts::default(),
            after: [None, None],
            value: N::zero(),
            word: None,
            law: None,
        }
    }

    /// Returns the probabilities that Alice wins after the bit 0 and after the bit 1.
    fn values_after(&self, later: &[Self]) -> [N; 2] {
        self.after.map(|place| {
            let there = place.and_then(|place| later.get(place));
            there.map_or_else(N::zero, |there| there.value.clone())
        })
    }
}

/// A solved stochastic debate after one witness: for each step, one node for each value of the previous bits that later
/// steps read.
#[derive(Debug)]
struct PrefixGraph<N> {
    /// The bits of Alice's witness, which precede the first level.
    witness: Vec<bool>,
    levels: Vec<Vec<Node<N>>>,
    coin: CoinFromStatedProbabilityRule,
}

/// Returns the expected rewards and expenses of a stochastic debate, and the number of computation steps. Returns
/// `None` if [`StochasticDebateModel::new`] does, or if there are too many sequences of bits.
///
/// `grid`: the probabilities that a best-responding Alice may state; any probability if it is empty.
///
/// # Errors
/// Returns an error if the computation takes too long, or if a player has no reply.
pub fn solve<N: Number>(
    players: &[PlayerSpec; 3],
    instance: &Instance,
    parameters: &StochasticProtocolParameters,
    grid: &[N],
    budget: ComputationBudget<'_>,
) -> Result<Option<(ExpectedRewardsAndExpenses<N>, u64)>, PayoffNotComputedReason> {
    let grid: Vec<Exact> = grid.iter().map(Number::to_exact).collect();
    let Some(model) = StochasticDebateModel::new(players, instance, parameters, &grid) else {
        return Ok(None);
    };
    let mut steps = StepCounter::new(budget);
    let is_exact = std::any::TypeId::of::<N>() == std::any::TypeId::of::<Exact>();
    let solution = if is_exact && model.terms.has_exact_binomial_tails() {
        let graphs = WitnessGraphs::<Exact>::of(&model, &mut steps)?;
        graphs.map(|(_, expected)| expected.convert_numbers(N::from_exact))
    } else {
        let graphs = WitnessGraphs::<f64>::of(&model, &mut steps)?;
        let convert_numbers =
            |value: &f64| N::from_exact(&Exact::from_float(*value).unwrap_or_default());
        graphs.map(|(_, expected)| expected.convert_numbers(convert_numbers))
    };
    Ok(solution.map(|expected| (expected, steps.taken)))
}

impl StochasticDebateModel<'_> {
    /// Returns the debate's expected rewards and expenses as fractions; `None` if there are too many sequences of bits.
    ///
    /// # Errors
    /// Returns an error if the computation takes too long, or if a player has no reply.
    pub fn debate_expectation(
        &self,
        budget: ComputationBudget<'_>,
    ) -> Result<Option<ExpectedRewardsAndExpenses<Exact>>, PayoffNotComputedReason> {
        let solution = WitnessGraphs::<Exact>::of(self, &mut StepCounter::new(budget))?;
        Ok(solution.map(|(_, expected)| expected))
    }
}

/// The distributions of the samples of Bob, the verifier and Alice at one step.
struct StepDistributions<N> {
    bob: Option<OnesCountDistribution<N>>,
    verifier: Arc<OnesCountDistribution<N>>,
    alice: Option<(u64, OnesCountDistribution<N>)>,
    /// The outcome of the step if Alice states the mean of her samples; stored if it does not depend on later steps.
    mean: Option<DebateStepOutcomeProbabilities<N>>,
}

impl<N: OnesCountDistributionNumber> StepDistributions<N> {
    fn of(node: &Node<N>, model: &StochasticDebateModel<'_>) -> Self {
        let StepProbabilitiesByObserver {
            truth,
            voted,
            seen_by_bob,
        } = &node.p;
        let terms = &model.terms;
        let bob = model.bob_samples_before_objecting();
        let mut laws = Self {
            bob: bob.then(|| OnesCountDistribution::new(terms.bob.samples, seen_by_bob)),
            verifier: Arc::new(OnesCountDistribution::new(terms.verifier.samples, voted)),
            alice: match &node.words {
                AliceStatedProbabilityDistribution::Mean { samples, p } => {
                    Some((*samples, OnesCountDistribution::new(*samples, p)))
                }
                _ => None,
            },
            mean: None,
        };
        if let (Some((samples, law)), true) = (&laws.alice, model.objecting.is_some()) {
            let step = laws.step(truth, model, [N::zero(), N::zero()]);
            laws.mean = Some(step.outcome_of_mean(*samples, law));
        }
        laws
    }

    /// Creates the model of a step with these distributions. `after` has the probabilities that Alice wins after a 0
    /// and after a 1.
    fn step<'t>(
        &'t self,
        truth: &'t Exact,
        model: &'t StochasticDebateModel<'_>,
        after: [N; 2],
    ) -> StochasticDebateStepModel<'t, N> {
        StochasticDebateStepModel {
            objects: match (&model.objecting, &self.bob) {
                (None, _) => StochasticObjectionRule::BestReply,
                (
                    Some(
                        ChallengerObjectionRule::Tested
                        | ChallengerObjectionRule::TestedByApproximateOracle(_),
                    ),
                    law,
                ) => match law {
                    Some(law) => StochasticObjectionRule::Tested(&model.bob, law),
                    None => StochasticObjectionRule::Fixed(N::zero()),
                },
                (Some(ChallengerObjectionRule::Chance(chance)), _) => {
                    StochasticObjectionRule::Fixed(N::from_exact(chance))
                }
                (Some(ChallengerObjectionRule::NearTruth), _) => {
                    StochasticObjectionRule::Near(truth, &model.terms.verifier.limit)
                }
            },
            window: &model.verifier,
            law: &self.verifier,
            coin: model.coin,
            sees: model.sees,
            after,
        }
    }

    fn len(&self) -> usize {
        let alice = self
            .alice
            .as_ref()
            .map_or(0, |(_, law)| law.stored_outcome_count());
        self.verifier.stored_outcome_count()
            + self
                .bob
                .as_ref()
                .map_or(0, OnesCountDistribution::stored_outcome_count)
            + alice
    }
}

/// The possible results of a step with their probabilities, and the best probability for Alice to state if she is a
/// best response.
type PrefixOutcome<N> = (DebateStepOutcomeProbabilities<N>, Option<Exact>);

impl<N: OnesCountDistributionNumber> PrefixGraph<N> {
    /// Solves a debate with a given witness; returns `None` if it has too many sequences of bits.
    fn of<'a>(
        model: &StochasticDebateModel<'a>,
        witness: Vec<bool>,
        state: State<'a, Exact>,
        steps: &mut StepCounter<'_>,
    ) -> Result<Option<(Self, ExpectedRewardsAndExpenses<N>)>, PayoffNotComputedReason> {
        let Some(levels) = levels(model, witness.clone(), state, steps)? else {
            return Ok(None);
        };
        let mut graph = Self {
            witness,
            levels,
            coin: model.coin,
        };
        let expected = graph.fill(model, steps)?;
        let schedule = model.initial_state()?.schedule();
        let places = DebateRoundIndices::from_schedule(&schedule);
        let place = places.index_of_round(Round::Number(0));
        Ok(Some((
            graph,
            expected.with_round_rewards_reindexed(&[place], places.len()),
        )))
    }

    /// Computes the values of all nodes, from the last bit back to the first.
    fn fill(
        &mut self,
        model: &StochasticDebateModel<'_>,
        steps: &mut StepCounter<'_>,
    ) -> Result<ExpectedRewardsAndExpenses<N>, PayoffNotComputedReason> {
        // The probability of Alice's samples is `None` if she states no mean.
        let mut known: HashMap<(StepProbabilitiesByObserver, Option<Exact>), StepDistributions<N>> =
            HashMap::new();
        let mut remembered = 0;
        let mut after: Vec<ExpectedRewardsAndExpenses<N>> = Vec::new();
        for level in (0..self.levels.len()).rev() {
            let (earlier, later) = self.levels.split_at_mut(level + 1);
            let later = later.first();
            let mut here = Vec::new();
            for node in earlier.last_mut().into_iter().flatten() {
                let Some(later) = later else {
                    let wins = node.bits.last() == Some(&true);
                    node.value = N::indicator(wins);
                    here.push(ended(wins, &CertainRewardsAndExpenses::default()));
                    continue;
                };
                let mean = match &node.words {
                    AliceStatedProbabilityDistribution::Mean { p, .. } => Some(p.clone()),
                    _ => None,
                };
                let key = (node.p.clone(), mean);
                if !known.contains_key(&key) {
                    steps.count_steps(model.sample_outcomes_per_step(&node.words))?;
                    let laws = StepDistributions::of(node, model);
                    remembered += laws.len();
                    if remembered > MAX_REMEMBERED {
                        known.clear();
                        remembered = laws.len();
                    }
                    known.insert(key.clone(), laws);
                }
                let Some(laws) = known.get(&key) else {
                    continue;
                };
                let values = node.values_after(later);
                let (outcome, word) = played(node, laws, model, &values, steps)?;
                node.value = outcome.prover_win_probability(&values);
                node.word = word;
                node.law = model.keeps.then(|| Arc::clone(&laws.verifier));
                here.push(expected(node, &outcome, model, &after));
            }
            after = here;
        }
        Ok(after
            .pop()
            .unwrap_or_else(|| ExpectedRewardsAndExpenses::zero(1)))
    }

    /// Returns the node that these bits reach; `None` if they begin with another witness or are impossible.
    fn node(&self, bits: &[bool]) -> Option<&Node<N>> {
        let mut node = self.levels.first()?.first()?;
        let bits = bits.strip_prefix(self.witness.as_slice())?;
        for (bit, level) in bits.iter().zip(self.levels.iter().skip(1)) {
            let place = node.after[usize::from(*bit)]?;
            node = level.get(place)?;
        }
        Some(node)
    }

    /// Returns the probabilities that Alice wins after these bits and a next bit of 0, or of 1; `None` if these bits
    /// reach no step.
    fn values(&self, bits: &[bool]) -> Option<[N; 2]> {
        let node = self.node(bits)?;
        let level = self.levels.get(bits.len() - self.witness.len() + 1)?;
        Some(node.values_after(level))
    }
}

/// Solved debates between two players, one for each witness that Alice may give.
#[derive(Debug)]
struct WitnessGraphs<N> {
    each: Vec<PrefixGraph<N>>,
    /// The index of the witness with Alice's greatest expected payoff.
    best: usize,
}

impl<N: OnesCountDistributionNumber> WitnessGraphs<N> {
    /// Solves the debate after each witness. Returns `None` if one of these debates has too many sequences of bits.
    fn of(
        model: &StochasticDebateModel<'_>,
        steps: &mut StepCounter<'_>,
    ) -> Result<Option<(Self, ExpectedRewardsAndExpenses<N>)>, PayoffNotComputedReason> {
        let mut graphs = Self {
            each: Vec::new(),
            best: 0,
        };
        let schedule = model.initial_state()?.schedule();
        let mut mean = DebateRoundIndices::from_schedule(&schedule).zero::<N>();
        let mut most: Option<ExpectedRewardsAndExpenses<N>> = None;
        for start in model.states_after_witnesses()? {
            let solved = PrefixGraph::of(model, start.witness, start.state, steps)?;
            let Some((graph, expected)) = solved else {
                return Ok(None);
            };
            mean.add_weighted(&N::from_exact(&start.chance), &expected);
            if most
                .as_ref()
                .is_none_or(|most| expected.expected_payoff() > most.expected_payoff())
            {
                graphs.best = graphs.each.len();
                most = Some(expected);
            }
            graphs.each.push(graph);
        }
        let expected = match (&model.prover, most) {
            (AlicesProbabilityRule::BestReply(_), Some(most)) => most,
            _ => mean,
        };
        let witness = SeatResourceCosts {
            calls: u64::from(model.process.witness_length() > 0),
            ..SeatResourceCosts::default()
        };
        Ok(Some((
            graphs,
            expected.preceded_by_certain_rewards(&spent(Seat::Prover, &witness)),
        )))
    }

    /// Returns the solved debate for the witness with which these bits begin; `None` if there is none.
    fn graph_for(&self, bits: &[bool]) -> Option<&PrefixGraph<N>> {
        let mut each = self.each.iter();
        each.find(|graph| bits.starts_with(&graph.witness))
    }
}

/// Returns the nodes after a witness: one level for each step, and one for the ends. `None` if they have too many bits.
fn levels<'a, N: OnesCountDistributionNumber>(
    model: &StochasticDebateModel<'a>,
    witness: Vec<bool>,
    state: State<'a, Exact>,
    steps: &mut StepCounter<'_>,
) -> Result<Option<Vec<Vec<Node<N>>>>, PayoffNotComputedReason> {
    let process = &model.process;
    let mut levels = Vec::new();
    let first = witness.len() as u64;
    let mut open = vec![(witness, state)];
    let mut written = 0_usize;
    for length in first..process.steps() {
        let asks = process.is_oracle(length);
        let mut places: HashMap<Vec<bool>, usize> = HashMap::new();
        let mut next = Vec::new();
        let mut level = Vec::new();
        for (bits, state) in open {
            steps.count_steps(1)?;
            let (words, spent) = model.stated_probabilities_and_expenses(&state)?;
            let mut after = [None, None];
            for (bit, can) in [false, true].into_iter().zip(model.possible_bits(&words)) {
                if !can {
                    continue;
                }
                let mut longer = Vec::with_capacity(bits.len() + 1);
                longer.extend_from_slice(&bits);
                longer.push(bit);
                process.forget(&mut longer);
                let place = if let Some(place) = places.get(&longer) {
                    *place
                } else {
                    written += longer.len();
                    if written > MAX_BITS {
                        return Ok(None);
                    }
                    places.insert(longer.clone(), next.len());
                    next.push((longer, continue_without_objection(&state, bit)?));
                    next.len() - 1
                };
                after[usize::from(bit)] = Some(place);
            }
            let p = model.step_probabilities(&bits, asks)?;
            level.push(Node {
                asks,
                spent,
                after,
                ..Node::of(bits, p, words)
            });
        }
        levels.push(level);
        open = next;
    }
    let end = |bits| {
        Node::of(
            bits,
            StepProbabilitiesByObserver::default(),
            AliceStatedProbabilityDistribution::BestReply,
        )
    };
    levels.push(open.into_iter().map(|(bits, _)| end(bits)).collect());
    Ok(Some(levels))
}

/// Computes the outcome of the step after a sequence of bits.
fn played<N: OnesCountDistributionNumber>(
    node: &Node<N>,
    laws: &StepDistributions<N>,
    model: &StochasticDebateModel<'_>,
    after: &[N; 2],
    steps: &mut StepCounter<'_>,
) -> Result<PrefixOutcome<N>, PayoffNotComputedReason> {
    let step = laws.step(&node.p.truth, model, after.clone());
    match (&node.words, &laws.alice, &model.prover) {
        (AliceStatedProbabilityDistribution::Mean { .. }, Some((samples, law)), _) => {
            let known = laws.mean.clone();
            Ok((
                known.unwrap_or_else(|| step.outcome_of_mean(*samples, law)),
                None,
            ))
        }
        (AliceStatedProbabilityDistribution::Listed(each), _, _) => {
            let mut sum = DebateStepOutcomeProbabilities::default();
            for (chance, word) in each {
                steps.count_steps(1)?;
                sum.add_weighted_outcome(
                    &N::from_exact(chance),
                    step.outcome_of_stated_probability(word),
                );
            }
            Ok((sum, None))
        }
        (_, _, AlicesProbabilityRule::BestReply(grid)) => {
            let best = if grid.is_empty() {
                step.best(|| steps.count_steps(1))?
            } else {
                step.best_reply_among(grid)
            };
            let BestProverReply { outcome, word, .. } =
                best.ok_or(PayoffNotComputedReason::NoReply(Seat::Prover))?;
            Ok((outcome, Some(word)))
        }
        _ => Err(PayoffNotComputedReason::NoReply(Seat::Prover)),
    }
}

/// Returns the expected values of a debate that has ended with this winner.
fn ended<N: Number>(
    for_prover: bool,
    gain: &CertainRewardsAndExpenses<N>,
) -> ExpectedRewardsAndExpenses<N> {
    let mut gain = gain.clone();
    gain.add_reward(0, Reward::<N>::Decided { for_prover }.payment_to_prover());
    ExpectedRewardsAndExpenses::expectation_of_finished_debate(1, Some(for_prover))
        .preceded_by_certain_rewards(&gain)
}

/// Returns a change of the expected values that consists only of a seat's expenses.
fn spent<N: Number>(seat: Seat, more: &SeatResourceCosts) -> CertainRewardsAndExpenses<N> {
    let mut gain = CertainRewardsAndExpenses::default();
    gain.add_expenses(seat, &SeatResourceCosts::default(), more);
    gain
}

/// Returns the expected values from a node to the end of the debate.
fn expected<N: OnesCountDistributionNumber>(
    node: &Node<N>,
    outcome: &DebateStepOutcomeProbabilities<N>,
    model: &StochasticDebateModel<'_>,
    after: &[ExpectedRewardsAndExpenses<N>],
) -> ExpectedRewardsAndExpenses<N> {
    let mut sum = ExpectedRewardsAndExpenses::zero(1);
    for (place, chance) in node.after.iter().zip(&outcome.continues) {
        if let Some(rest) = place.and_then(|place| after.get(place)) {
            sum.add_weighted(chance, rest);
        }
    }
    let checks = spent(Seat::Judge, &model.verifier_check_expenses(node.asks));
    let lost = outcome.objects.clone() - outcome.wins.clone();
    sum.add_weighted(&outcome.wins, &ended(true, &checks));
    sum.add_weighted(&lost, &ended(false, &checks));
    let [alice, bob] = model.step_expenses(node.asks, &node.spent);
    sum.preceded_by_certain_rewards(&spent(Seat::Prover, &alice))
        .preceded_by_certain_rewards(&spent(Seat::Opponent, &bob))
}

/// Builds the best response to the other debater in a stochastic debate. Returns `None` if
/// [`StochasticDebateModel::new`] does, or if there are too many sequences of bits.
///
/// # Errors
/// Returns an error if the computation takes too long, or if a player has no reply.
pub(crate) fn best<'a, N: Number>(
    players: &[PlayerSpec; 3],
    instance: &'a Instance,
    parameters: &StochasticProtocolParameters,
    budget: ComputationBudget<'_>,
) -> Result<Option<PlayableStrategy<'a, N>>, PayoffNotComputedReason> {
    let Some(mut model) = StochasticDebateModel::new(players, instance, parameters, &[]) else {
        return Ok(None);
    };
    model.keeps = true;
    if model.terms.has_exact_binomial_tails() {
        built::<N, Exact>(&model, budget)
    } else {
        built::<N, f64>(&model, budget)
    }
}

fn built<'a, N: Number, M: OnesCountDistributionNumber>(
    model: &StochasticDebateModel<'_>,
    budget: ComputationBudget<'_>,
) -> Result<Option<PlayableStrategy<'a, N>>, PayoffNotComputedReason> {
    let solution = WitnessGraphs::<M>::of(model, &mut StepCounter::new(budget))?;
    Ok(solution.map(|(graphs, _)| -> PlayableStrategy<'a, N> {
        Box::new(PolicyAsStrategy::<_, StochasticDebate<'a, N>>::new(
            StochasticDebatePolicyAdapter(BestResponsePlayer(graphs)),
        ))
    }))
}

/// The best response: it states the best probability as Alice, and objects as Bob if that is better for him.
struct BestResponsePlayer<M>(WitnessGraphs<M>);

impl<M: OnesCountDistributionNumber> BestResponsePlayer<M> {
    /// True if Bob's objection leaves Alice a smaller probability of winning than continuing. `None` if the solver
    /// considered the debate so far impossible.
    fn objects<N: Number>(&self, view: StochasticView<'_, '_, N>) -> Option<bool> {
        let graph = self.0.graph_for(view.bits_before_step())?;
        let node = graph.node(view.bits_before_step())?;
        let word = view.stated_step_probability();
        let law = node.law.as_ref()?;
        let passes =
            M::one() - law.probability_outside(&view.terms().verifier.passing_counts(word));
        let [no, yes] = graph.values(view.bits_before_step())?;
        let rest = match view.written_step_bit() {
            Some(true) => yes,
            Some(false) => no,
            None => {
                let one = M::from_exact(&graph.coin.probability_of_one(&word.to_exact()));
                (M::one() - one.clone()) * no + one * yes
            }
        };
        Some(passes < rest)
    }
}

impl<N: Number, M: OnesCountDistributionNumber> StochasticDebatePolicy<N>
    for BestResponsePlayer<M>
{
    fn witness(
        &self,
        _view: StochasticView<'_, '_, N>,
        _length: u32,
    ) -> Option<ReplyDistribution<N>> {
        let witness = &self.0.each.get(self.0.best)?.witness;
        Some(ReplyDistribution::Certain(Reply::Bits(
            witness.clone().into(),
        )))
    }

    fn say(
        &self,
        view: StochasticView<'_, '_, N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let node = self
            .0
            .graph_for(view.bits_before_step())?
            .node(view.bits_before_step())?;
        let word = match node.words {
            AliceStatedProbabilityDistribution::BestReply => node.word.as_ref()?,
            _ => return None,
        };
        Some(ReplyDistribution::Certain(Reply::Probability(
            N::from_exact(word),
        )))
    }

    fn share(&self) -> Option<ReplyDistribution<N>> {
        match self.0.each.first()?.coin {
            CoinFromStatedProbabilityRule::Shared(parts) => {
                Some(ReplyDistribution::Share { parts })
            }
            CoinFromStatedProbabilityRule::Trusted => None,
        }
    }

    fn challenge(
        &self,
        view: StochasticView<'_, '_, N>,
        _policy_state: &mut StrategyMemoryAndCosts,
    ) -> Option<ReplyDistribution<N>> {
        let objects = self.objects(view).unwrap_or(false);
        let step = objects.then(|| view.step_number());
        Some(ReplyDistribution::Certain(Reply::Challenge(step)))
    }
}
