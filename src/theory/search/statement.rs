//! The statements for which the search tries to find counterexamples.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number};
use debate_core::player::{KnowledgePartition, PlayerSpec};
use debate_core::protocol::Seat;

use super::GameReportedBySearch;
use super::game::GameOfSearchSpace;
use super::part::variant_name;
use super::values::{EstimatorRule, GamePayoffCalculator, HonestOrBestResponseProver};
use crate::solve::{
    BestResponseConstraints, SweepPointError, SweepPointRulesAndPlayers, SweepPointSolver,
};
use debate_core::scenario::stability::{completeness_bound, soundness_offset};
use debate_solver::expectimax::BEST_RESPONSE;
use debate_solver::registry;
use debate_solver::setup::{LoadedScenario, ScenarioError, ScenarioLimits, ScenarioTextSource};

/// A statement for which the search tries to find a game as a counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementTestedOnGames {
    /// PE Lemma A.5.
    Completeness,
    /// Soundness (PE Lemma A.4), with estimators that do not know the instance.
    Soundness,
    /// The step of the proof of PE Lemma A.4 for an estimator whose estimates no test distinguishes from the truth.
    Posterior,
    /// PE equation (9): no lie gains against an estimator whose estimates are the truth.
    TruthfulBob,
    /// Under plain recursion, no liar wins against a Bob who knows everything.
    Recursion,
    /// The condition of PE Theorem 6.2: honest Alice guarantees more than any strategy that lies more often.
    Leader,
}

impl StatementTestedOnGames {
    /// All statements that the search can test, with their names in files and on the command line.
    pub const ALL: [(&str, Self); 6] = [
        ("completeness", Self::Completeness),
        ("soundness", Self::Soundness),
        ("posterior", Self::Posterior),
        ("truthful-bob", Self::TruthfulBob),
        ("recursion", Self::Recursion),
        ("leader", Self::Leader),
    ];

    /// Returns the statement in words, as a sentence.
    pub fn statement_text(self) -> &'static str {
        // A test checks that the file can be parsed.
        static SENTENCES: LazyLock<HashMap<&str, &str>> =
            LazyLock::new(|| ron::from_str(include_str!("statements.ron")).unwrap_or_default());
        SENTENCES
            .get(variant_name(self))
            .copied()
            .unwrap_or_default()
    }

    /// True if the statement is a lower bound, violated by a smaller value; false if it is an upper bound.
    pub(super) fn is_lower_bound(self) -> bool {
        matches!(self, Self::Completeness | Self::Leader)
    }

    /// Returns the value and the bound for those players with whom the statement is nearest to failing in a game.
    /// `None` if its hypotheses do not hold, and for `Soundness` in games of depth 2.
    pub(super) fn verdict<N: Number>(
        self,
        game: &GameOfSearchSpace<'_>,
    ) -> Option<StatementPayoffAndBound<N>> {
        let values = GamePayoffCalculator::<N>::calculator_for_game(game);
        let worlds = 0..game.rows.len();
        let stable = |world: &usize| game.is_stable(*world);
        if game.space.terms.stable && !worlds.clone().all(|world| stable(&world)) {
            return None;
        }
        match self {
            Self::Completeness => completeness_verdict(game, &values, worlds.filter(stable)),
            Self::Soundness if game.shape().depth() > 1 => None,
            // If Bob disputes the step, only the reward for the first answer is paid.
            Self::Soundness if game.is_root_inference_refutable() => {
                Some(blind_verdict(game, &values, EstimatorRule::Posterior))
            }
            Self::Soundness => Some(blind_verdict(game, &values, EstimatorRule::Marginal)),
            Self::Posterior => Some(blind_verdict(game, &values, EstimatorRule::Posterior)),
            Self::TruthfulBob | Self::Recursion => {
                let each = worlds.map(|world| {
                    let lie = !game.is_root_true(game.rows[world]);
                    if self == Self::TruthfulBob {
                        return StatementPayoffAndBound {
                            value: values.expected_alice_payoff(
                                HonestOrBestResponseProver::Informed(world),
                                lie,
                                EstimatorRule::Truthful,
                            ),
                            bound: N::zero(),
                            unit: values.true_answer_reward(),
                            players: StatementPayoffPlayers::of(
                                Some(lie),
                                EstimatorRule::Truthful.estimator_name_in_solve(),
                                Some(world),
                            ),
                        };
                    }
                    let wins = values.liar_wins(0, lie, world);
                    StatementPayoffAndBound {
                        value: if wins { N::one() } else { -N::one() },
                        bound: -N::one(),
                        unit: N::one(),
                        players: StatementPayoffPlayers {
                            recursive: true,
                            ..StatementPayoffPlayers::of(Some(lie), "honest", Some(world))
                        },
                    }
                });
                farthest(each, false)
            }
            Self::Leader => {
                let all_stable = worlds.clone().all(|world| stable(&world));
                all_stable.then(|| leader_verdict(game, &values)).flatten()
            }
        }
    }
}

/// The players of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StatementPayoffPlayers {
    /// The answer to the root claim that a best-responding Alice gives; `None` for honest Alice.
    answers: Option<bool>,
    bob: &'static str,
    /// The index of the instance, which Alice knows. `None` if the value is a mean over all instances; a
    /// best-responding Alice then knows only the distribution μ.
    world: Option<usize>,
    /// True if the players debate under plain recursion.
    recursive: bool,
}

/// Alice's expected payoff in a game, the statement's bound on it, and the players who get this payoff.
#[derive(Clone, Debug)]
pub(super) struct StatementPayoffAndBound<N> {
    pub(super) value: N,
    pub(super) bound: N,
    /// The unit of the payoff: r^(d+1), or the payoff of a win.
    pub(super) unit: N,
    pub(super) players: StatementPayoffPlayers,
}

impl<N: Number> StatementPayoffAndBound<N> {
    /// Returns the amount by which the payoff violates the bound, in units of `unit`. It is at most 0 if the payoff
    /// respects the bound.
    pub(super) fn excess_over_bound(&self, is_lower_bound: bool) -> N {
        let beyond = if is_lower_bound {
            self.bound.clone() - self.value.clone()
        } else {
            self.value.clone() - self.bound.clone()
        };
        beyond / self.unit.clone()
    }
}

/// Returns the one of several payoffs of Alice that violates the statement's bound most or is nearest to it, the first
/// one if several are equal. `least` is true if the bounds are lower bounds. `None` without payoffs.
fn farthest<N: Number>(
    each: impl Iterator<Item = StatementPayoffAndBound<N>>,
    least: bool,
) -> Option<StatementPayoffAndBound<N>> {
    let mut worst: Option<StatementPayoffAndBound<N>> = None;
    for one in each {
        let more = |worst: &StatementPayoffAndBound<N>| {
            one.excess_over_bound(least)
                .exceeds(&worst.excess_over_bound(least))
        };
        if worst.as_ref().is_none_or(more) {
            worst = Some(one);
        }
    }
    worst
}

/// The estimators (rules of the opponent, Bob) against which statements about honest Alice are tested.
const ESTIMATORS: [EstimatorRule; 3] = [
    EstimatorRule::Posterior,
    EstimatorRule::Marginal,
    EstimatorRule::Truthful,
];

fn honest<N: Number>(
    game: &GameOfSearchSpace<'_>,
    values: &GamePayoffCalculator<'_, N>,
    world: usize,
    bob: EstimatorRule,
) -> N {
    let answer = game.is_root_true(game.rows[world]);
    values.expected_alice_payoff(HonestOrBestResponseProver::Honest(world), answer, bob)
}

fn completeness_verdict<N: Number>(
    game: &GameOfSearchSpace<'_>,
    values: &GamePayoffCalculator<'_, N>,
    worlds: impl Iterator<Item = usize>,
) -> Option<StatementPayoffAndBound<N>> {
    let terms = game.parameters();
    let bound = completeness_bound(
        &terms.epsilon.0,
        &terms.weight_ratio_to_next_round(),
        game.shape().depth(),
    );
    let bound = N::from_exact(&bound);
    let each = worlds
        .flat_map(|world| ESTIMATORS.map(|bob| (world, bob)))
        .map(|(world, bob)| StatementPayoffAndBound {
            value: honest(game, values, world, bob),
            bound: bound.clone(),
            unit: values.true_answer_reward(),
            players: StatementPayoffPlayers::of(None, bob.estimator_name_in_solve(), Some(world)),
        });
    farthest(each, true)
}

/// Returns honest Alice's expected payoff, averaged over instances, against the tested estimator that leaves her least,
/// with the bound of PE Theorem 6.2.
fn leader_verdict<N: Number>(
    game: &GameOfSearchSpace<'_>,
    values: &GamePayoffCalculator<'_, N>,
) -> Option<StatementPayoffAndBound<N>> {
    let epsilon = N::from_exact(&game.parameters().epsilon.0);
    let bound = (N::one() - N::ratio(4, 1) * epsilon) * values.true_answer_reward();
    let each = ESTIMATORS.map(|bob| {
        let all: u32 = game.weights.iter().sum();
        let mut value = N::zero();
        for (world, weight) in game.weights.iter().enumerate() {
            let share = N::ratio(i64::from(*weight), i64::from(all));
            value += share * honest(game, values, world, bob);
        }
        StatementPayoffAndBound {
            value,
            bound: bound.clone(),
            unit: values.true_answer_reward(),
            players: StatementPayoffPlayers::of(None, bob.estimator_name_in_solve(), None),
        }
    });
    farthest(each.into_iter(), true)
}

/// Returns the verdict for the best Alice who does not know the instance. She gives the answer that violates the bound
/// more.
///
/// If Bob is `marginal`, no other Bob who does not know the instance leaves her less. Proof: let m_j be the marginals
/// of the subclaims, and b_j his estimates of them. She gets at least r²·P[ẑ = a] + r·|E M(z) − p| + E max_j |m_j −
/// b_j|. This is least if b_j = m_j, because other estimates change E M(z) by at most q·E max_j |m_j − b_j|, and q·r² ≤
/// 1.
fn blind_verdict<N: Number>(
    game: &GameOfSearchSpace<'_>,
    values: &GamePayoffCalculator<'_, N>,
    bob: EstimatorRule,
) -> StatementPayoffAndBound<N> {
    let terms = game.parameters();
    let offset = soundness_offset(
        &terms.epsilon.0,
        &terms.weight_ratio_to_next_round(),
        game.shape().depth(),
    );
    let of = |answer: bool| StatementPayoffAndBound {
        value: values.expected_alice_payoff(HonestOrBestResponseProver::Blind, answer, bob),
        bound: values.true_answer_reward() * values.probability_root_answer_is_right(answer)
            + N::from_exact(&offset),
        unit: values.true_answer_reward(),
        players: StatementPayoffPlayers::of(Some(answer), bob.estimator_name_in_solve(), None),
    };
    let yes = of(true);
    let no = of(false);
    if no
        .excess_over_bound(false)
        .exceeds(&yes.excess_over_bound(false))
    {
        no
    } else {
        yes
    }
}

/// The reason why a game that the search found fails its check by `solve`: `solve` cannot solve the game, or its value
/// differs.
#[derive(Debug, thiserror::Error)]
pub enum FoundGameVerificationError {
    /// The scenario is rejected.
    #[error("the result of the search cannot be checked: the scenario of the game that the search found is not valid: {reason}", reason = .0)]
    Setup(Box<ScenarioError>),
    /// The scenario cannot be solved.
    #[error("the result of the search cannot be checked: `solve` cannot solve the game that the search found: {reason}", reason = .0)]
    Solve(#[from] SweepPointError),
    /// `solve` finds another value.
    #[error(
        "game {number} ({game}) has the value {value} in the search and {solved} by the rules; this is a bug in the program",
        number = .0.number, game = .0.game, value = .0.value, solved = .0.solved
    )]
    Differs(Box<GameReportedBySearch>),
}

impl From<ScenarioError> for FoundGameVerificationError {
    fn from(error: ScenarioError) -> Self {
        Self::Setup(Box::new(error))
    }
}

impl StatementPayoffPlayers {
    fn of(answers: Option<bool>, bob: &'static str, world: Option<usize>) -> Self {
        Self {
            answers,
            bob,
            world,
            recursive: false,
        }
    }

    /// Returns the name of the player in Alice's seat.
    fn alice(&self) -> &'static str {
        self.answers.map_or("honest", |_| BEST_RESPONSE)
    }

    /// Returns the knowledge of the instance that a best-responding Alice has.
    fn knows(&self) -> KnowledgePartition {
        self.world.map_or(KnowledgePartition::Nothing, |_| {
            KnowledgePartition::Everything
        })
    }

    /// Returns the name of the instance, or `all`.
    fn instance(&self, game: &GameOfSearchSpace<'_>) -> String {
        let world = self.world.map(|world| game.instance_name(world));
        world.unwrap_or_else(|| "all".to_owned())
    }

    /// Returns the command-line flags with which `solve` computes the players' value.
    pub(super) fn solve_command_flags(&self, game: &GameOfSearchSpace<'_>) -> String {
        let mut flags = String::new();
        if self.recursive {
            let _ = write!(flags, "--protocol \"{}\" ", game.recursive_protocol());
        }
        let _ = write!(flags, "--prover {}", self.alice());
        if let Some(answer) = self.answers {
            if self.world.is_none() {
                let _ = write!(flags, " --prover-knows {}", self.knows());
            }
            let _ = write!(flags, " --prover-answers {answer}");
        }
        let bob = self.bob;
        let instance = self.instance(game);
        let _ = write!(flags, " --opponent {bob} --instance {instance} --exact");
        flags
    }

    /// Returns the players' value as computed by `solve`, which applies the rules move by move with fractions.
    pub(super) fn value_by_solve(
        &self,
        game: &GameOfSearchSpace<'_>,
    ) -> Result<Exact, FoundGameVerificationError> {
        let origin = ScenarioTextSource::Text("a game that the search found".to_owned());
        let setup = LoadedScenario::from_text(
            &game.generated_scenario_text(),
            origin,
            &ScenarioLimits::default(),
        )?;
        let protocol = if self.recursive {
            game.recursive_protocol()
        } else {
            game.prover_estimator_protocol()
        };
        let point = SweepPointRulesAndPlayers {
            value: None,
            protocol,
            players: [self.alice(), self.bob, "oracle"].map(PlayerSpec::without_arguments),
            grid: Vec::new(),
            knowing: self.answers.map(|answer| BestResponseConstraints {
                seat: Seat::Prover,
                knows: self.knows(),
                blocks: 0,
                queries: 0,
                answers: Some(answer),
            }),
        };
        let solver = SweepPointSolver {
            majority: None,
            setup: &setup,
            worlds: &setup.requested_worlds(Some(&self.instance(game)))?,
            asks_one: self.world.is_some(),
            budget: ComputationBudget::default(),
            instances: ComputationBudget::default(),
            judge_errors: false,
            soundness: false,
            begin: &|_| {},
        };
        let solved = solver.solve(&registry::<Exact>(), point, None)?;
        Ok(solved.mean.expected.expected_payoff())
    }
}
