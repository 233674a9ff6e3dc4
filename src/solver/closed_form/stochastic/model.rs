//! The rules and the players of a stochastic debate, as its closed-form solution models them.

use std::sync::Arc;

use num_traits::{One as _, Zero as _};

use super::samples::AcceptanceWindow;
use super::step::CoinFromStatedProbabilityRule;
use crate::expectation::PayoffNotComputedReason;
use crate::expectimax::is_best_response;
use debate_core::number::Exact;
use debate_core::player::stochastic::{HALVES, approximate_oracle};
use debate_core::player::{
    ChallengerObjectionRule, ClosedFormStrategy, PlayableStrategy, PlayerSpec, ReplyDistribution,
    StrategyMemoryAndCosts, StrategyRegistry,
};
use debate_core::protocol::stochastic::constants::RequiredSamplesAndTests;
use debate_core::protocol::stochastic::{SamplingConstants, StochasticProtocolParameters};
use debate_core::protocol::{
    IllegalReply, Protocol, Reply, Rules as _, Seat, SeatResourceCosts, State, StochasticDebate,
    View,
};
use debate_core::scenario::{InformedReader, Instance, RandomComputation, all_witnesses};

/// The rule by which Alice chooses the probability that she states.
pub(super) enum AlicesProbabilityRule<'a> {
    /// The rule of a named strategy, whose choice depends only on the previous bits
    /// ([`ClosedFormStrategy::BitsSoFar`]).
    Plays(PlayableStrategy<'a, Exact>),
    /// The best response to Bob, among the listed probabilities; among all probabilities if the list is empty.
    BestReply(Vec<Exact>),
}

/// The distribution of the probability that Alice states at a step.
#[derive(Debug)]
pub(super) enum AliceStatedProbabilityDistribution {
    /// Alice states the mean of this number of samples, each of which is 1 with probability `p`.
    Mean { samples: u64, p: Exact },
    /// Pairs of numbers: the chance of a choice, and the probability that Alice states with this chance.
    Listed(Vec<(Exact, Exact)>),
    /// Alice states the probability that is her best response to Bob.
    BestReply,
}

/// The probabilities of a 1 at a step: in truth, and in the samples of verifier and Bob.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct StepProbabilitiesByObserver {
    /// The true probability.
    pub(super) truth: Exact,
    /// The probability of 1 in each of the verifier's samples.
    pub(super) voted: Exact,
    /// The probability of 1 in each of Bob's samples.
    pub(super) seen_by_bob: Exact,
}

/// A stochastic debate after Alice has given a witness.
pub(super) struct StochasticDebateAfterWitness<'a> {
    /// The probability of this witness; 1 for every witness if Alice is the best response.
    pub(super) chance: Exact,
    /// Its bits.
    pub(super) witness: Vec<bool>,
    pub(super) state: State<'a, Exact>,
}

/// A stochastic debate with its constants and players. Callers may change public fields to solve the debate with other
/// constants.
pub struct StochasticDebateModel<'a> {
    instance: &'a Instance,
    protocol: Protocol,
    pub(super) process: Arc<dyn RandomComputation>,
    /// The numbers of samples and the acceptance limits of all players.
    pub terms: RequiredSamplesAndTests<Exact>,
    /// The thresholds of Bob's test.
    pub bob: AcceptanceWindow,
    /// The thresholds of the verifier's test of a stated probability.
    pub verifier: AcceptanceWindow,
    /// The rule that determines the step's bit from the probability that Alice states.
    pub coin: CoinFromStatedProbabilityRule,
    /// True if Bob sees the step's bit before he decides whether to object.
    pub sees: bool,
    /// The rule by which Bob objects; `None` if he gives his best reply.
    pub(super) objecting: Option<ChallengerObjectionRule<Exact>>,
    pub(super) prover: AlicesProbabilityRule<'a>,
    /// If several judges vote as a panel: the probability that a vote is inverted; else `None`.
    pub(super) flip: Option<Exact>,
    /// True if the verifier's sample distributions are stored for a player that uses the solution.
    pub(super) keeps: bool,
}

impl<'a> StochasticDebateModel<'a> {
    /// Creates the model of a debate. Returns `None` if this module does not model the behaviour of a player, or if the
    /// problem is not a random computation. Also `None` if a seat needs more samples than can be counted.
    ///
    /// `grid`: the probabilities that a best-responding Alice may state; any probability if it is empty.
    pub fn new(
        players: &[PlayerSpec; 3],
        instance: &'a Instance,
        parameters: &StochasticProtocolParameters,
        grid: &[Exact],
    ) -> Option<Self> {
        let process = instance.random_computation()?;
        let terms = RequiredSamplesAndTests::sample_counts_and_tests_of_parameters(
            parameters,
            process.debated_steps(),
        )?;
        let protocol = Protocol::Stochastic(parameters.clone());
        let registry = StrategyRegistry::<Exact>::registry_with_builtin_players();
        let build = |seat: Seat| {
            let built = registry.build(&players[seat.seat_index()], seat, instance, &protocol);
            built.ok()
        };
        let [prover, opponent, _] = players;
        let objecting = if is_best_response(opponent) {
            None
        } else {
            match build(Seat::Opponent)?.as_closed_form()? {
                ClosedFormStrategy::Challenger(objection) => Some(objection),
                _ => return None,
            }
        };
        let prover = if is_best_response(prover) {
            AlicesProbabilityRule::BestReply(grid.to_vec())
        } else {
            let built = build(Seat::Prover)?;
            matches!(built.as_closed_form(), Some(ClosedFormStrategy::BitsSoFar)).then_some(())?;
            AlicesProbabilityRule::Plays(built)
        };
        let flip = match parameters.constants {
            SamplingConstants::Panel { .. } => {
                Some(build(Seat::Judge)?.oracle_error_probability()?)
            }
            _ => None,
        };
        let shared = parameters.constants == SamplingConstants::Paper;
        Some(Self {
            bob: AcceptanceWindow::window_of_sample_mean_test(&terms.bob),
            verifier: AcceptanceWindow::window_of_sample_mean_test(&terms.verifier),
            coin: if shared {
                CoinFromStatedProbabilityRule::Shared(HALVES)
            } else {
                CoinFromStatedProbabilityRule::Trusted
            },
            instance,
            protocol,
            process,
            terms,
            sees: shared,
            objecting,
            prover,
            flip,
            keeps: false,
        })
    }

    /// True if Bob draws his own samples before he objects.
    pub(super) fn bob_samples_before_objecting(&self) -> bool {
        matches!(
            self.objecting,
            Some(
                ChallengerObjectionRule::Tested
                    | ChallengerObjectionRule::TestedByApproximateOracle(_)
            )
        )
    }

    /// Returns the probabilities of a 1 at the step after these bits: the true one, and those in the samples of the
    /// verifier and of Bob. `asks` is true if the step queries the oracle.
    pub(super) fn step_probabilities(
        &self,
        bits: &[bool],
        asks: bool,
    ) -> Result<StepProbabilitiesByObserver, PayoffNotComputedReason> {
        let truth = self.process.next(bits).exact().clone();
        let voted = match &self.flip {
            Some(flip) if asks => {
                let claim = self.instance.claim_with_key(self.process.claim(bits));
                let yes = InformedReader::new(self.instance)
                    .oracle_yes_probability(claim, &[])
                    .ok_or(PayoffNotComputedReason::NoReply(Seat::Judge))?;
                let one = Exact::one();
                yes.exact() * (&one - flip) + (&one - yes.exact()) * flip
            }
            _ => truth.clone(),
        };
        let seen_by_bob = match &self.objecting {
            Some(ChallengerObjectionRule::TestedByApproximateOracle(by)) if asks => {
                approximate_oracle(self.process.as_ref(), bits, &truth, by, Seat::Opponent)
            }
            _ => truth.clone(),
        };
        Ok(StepProbabilitiesByObserver {
            truth,
            voted,
            seen_by_bob,
        })
    }

    /// Returns the probabilities that Alice may state for the pending request, and her expenses for choosing one.
    pub(super) fn stated_probabilities_and_expenses(
        &self,
        state: &State<'a, Exact>,
    ) -> Result<(AliceStatedProbabilityDistribution, SeatResourceCosts), PayoffNotComputedReason>
    {
        let AlicesProbabilityRule::Plays(strategy) = &self.prover else {
            return Ok((
                AliceStatedProbabilityDistribution::BestReply,
                SeatResourceCosts::default(),
            ));
        };
        let silent = || PayoffNotComputedReason::NoReply(Seat::Prover);
        let turn = state.request().ok_or_else(silent)?;
        let mut policy_state = StrategyMemoryAndCosts::default();
        let choice = strategy.choose(
            View::new(state, Seat::Prover),
            &turn.request,
            &mut policy_state,
        );
        let words = match choice.ok_or_else(silent)? {
            // Honest Alice takes the number of samples in the terms, which a caller may have changed.
            ReplyDistribution::Mean { p, .. } => AliceStatedProbabilityDistribution::Mean {
                samples: self.terms.alice,
                p,
            },
            choice => {
                let each = choice
                    .weighted_replies()
                    .ok_or(PayoffNotComputedReason::Countless(Seat::Prover))?
                    .into_iter()
                    .map(|(chance, reply)| match reply {
                        Reply::Probability(word) => Some((chance, word)),
                        _ => None,
                    });
                AliceStatedProbabilityDistribution::Listed(
                    each.collect::<Option<_>>().ok_or_else(silent)?,
                )
            }
        };
        Ok((words, policy_state.spent))
    }

    /// Returns the debate after each witness that Alice may give, with its probability. If Alice is the best response,
    /// returns all witnesses. If the process needs no witness, returns only the start of the debate.
    pub(super) fn states_after_witnesses(
        &self,
    ) -> Result<Vec<StochasticDebateAfterWitness<'a>>, PayoffNotComputedReason> {
        let start = self.initial_state()?;
        let silent = || PayoffNotComputedReason::NoReply(Seat::Prover);
        if self.process.witness_length() == 0 {
            return Ok(vec![StochasticDebateAfterWitness {
                chance: Exact::one(),
                witness: Vec::new(),
                state: start,
            }]);
        }
        let each = match &self.prover {
            AlicesProbabilityRule::BestReply(_) => all_witnesses(self.process.witness_length())
                .map(|bits| (Exact::one(), Reply::Bits(bits.into())))
                .collect(),
            AlicesProbabilityRule::Plays(strategy) => {
                let turn = start.request().ok_or_else(silent)?;
                let view = View::new(&start, Seat::Prover);
                let choice =
                    strategy.choose(view, &turn.request, &mut StrategyMemoryAndCosts::default());
                let each = choice.ok_or_else(silent)?.weighted_replies();
                each.ok_or(PayoffNotComputedReason::Countless(Seat::Prover))?
            }
        };
        let given = |(chance, reply): (Exact, Reply<Exact>)| {
            let Reply::Bits(bits) = &reply else {
                return Err(silent());
            };
            let (bits, mut next) = (bits.as_slice().to_vec(), start.clone());
            next.reply(reply, &mut ())
                .map_err(|illegal| illegal_of(Seat::Prover, illegal))?;
            Ok(StochasticDebateAfterWitness {
                chance,
                witness: bits,
                state: next,
            })
        };
        each.into_iter().map(given).collect()
    }

    /// Returns the debate at its start.
    pub(super) fn initial_state(&self) -> Result<State<'a, Exact>, PayoffNotComputedReason> {
        let start = self.protocol.start(self.instance);
        start.map_err(|_refused| PayoffNotComputedReason::NoReply(Seat::Prover))
    }

    /// Returns the approximate number of outcomes of all sample distributions at a step. `prover_number` is the
    /// distribution of Alice's stated probability.
    pub(super) fn sample_outcomes_per_step(
        &self,
        prover_number: &AliceStatedProbabilityDistribution,
    ) -> u64 {
        let alice = match prover_number {
            AliceStatedProbabilityDistribution::Mean { samples, .. } => *samples,
            _ => 0,
        };
        let bob = if self.bob_samples_before_objecting() {
            self.terms.bob.samples
        } else {
            0
        };
        let each = [alice, bob, self.terms.verifier.samples];
        // Weights are stored within about ten standard deviations on both sides; a standard deviation is at most √n /
        // 2.
        each.iter().map(|samples| 10 * samples.isqrt() + 1).sum()
    }

    /// Returns the expenses of Alice and Bob at a step. `number_expenses` are Alice's expenses for choosing her stated
    /// probability.
    pub(super) fn step_expenses(
        &self,
        queries_oracle: bool,
        number_expenses: &SeatResourceCosts,
    ) -> [SeatResourceCosts; 2] {
        let calls = match self.coin {
            CoinFromStatedProbabilityRule::Trusted => 1,
            CoinFromStatedProbabilityRule::Shared(_) => 2,
        };
        let reply = SeatResourceCosts {
            calls,
            ..SeatResourceCosts::default()
        };
        let mut alice = reply;
        let mut bob = reply;
        alice += *number_expenses;
        if queries_oracle && self.bob_samples_before_objecting() {
            let samples = self.terms.bob.samples;
            bob.samples = samples;
            bob.oracle_queries = samples;
        }
        [alice, bob]
    }

    /// Returns the verifier's expenses for a check after an objection.
    pub(super) fn verifier_check_expenses(&self, queries_oracle: bool) -> SeatResourceCosts {
        let samples = if queries_oracle {
            self.terms.verifier.samples
        } else {
            0
        };
        SeatResourceCosts {
            samples,
            oracle_queries: samples,
            calls: if self.flip.is_some() { samples } else { 0 },
            ..SeatResourceCosts::default()
        }
    }

    /// Returns two flags: true if the bit 0 (the bit 1) may follow Alice's reply. Both are true unless her
    /// probabilities are `Listed`.
    pub(super) fn possible_bits(
        &self,
        prover_number: &AliceStatedProbabilityDistribution,
    ) -> [bool; 2] {
        let AliceStatedProbabilityDistribution::Listed(each) = prover_number else {
            return [true, true];
        };
        let ones = || {
            each.iter()
                .map(|(_, word)| self.coin.probability_of_one(word))
        };
        [
            ones().any(|one| !one.is_one()),
            ones().any(|one| !one.is_zero()),
        ]
    }
}

/// Continues the debate from Alice's request: the coin for the step gives the bit `coin`, and Bob does not object.
pub(super) fn continue_without_objection<'a>(
    state: &State<'a, Exact>,
    coin: bool,
) -> Result<State<'a, Exact>, PayoffNotComputedReason> {
    let rules = <&StochasticDebate<'a, Exact>>::try_from(state)
        .map_err(|_other| PayoffNotComputedReason::NoReply(Seat::Prover))?;
    Ok(State::Stochastic(rules.after_coin_without_challenge(coin)))
}

fn illegal_of(seat: Seat, illegal: IllegalReply) -> PayoffNotComputedReason {
    PayoffNotComputedReason::Illegal { seat, illegal }
}
