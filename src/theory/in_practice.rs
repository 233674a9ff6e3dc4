//! Completeness in practice: finds estimators (Bobs) against whom honest Alice expects a negative payoff, the failed
//! hypotheses of PE Lemma A.5, and the least error of Bob's estimates with which she loses.
//!
//! The error of an estimate is its distance from the truth of its claim. Up to an error of ε honest Alice never bets,
//! so she cannot lose. Two kinds of Bob are searched. The worst Bob may choose every estimate among a few errors, up to
//! a limit. The even Bob makes the same error everywhere. The payoff against the worst Bob can only fall if the limit
//! rises, so a bisection finds the least limit. For the even Bob, the first error of a scan is refined by a bisection.

use num_traits::{One as _, Zero as _};
use serde::Serialize;

use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, Number as _};
use debate_core::player::{PlayerSpec, StrategyRegistry};
use debate_core::protocol::prover_estimator::ProverEstimatorParameters;
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::{Instance, stability};
use debate_solver::analysis::equilibrium::independent_strategies;
use debate_solver::analysis::promise::{
    CompletenessLemma, DECIDED, TheoremHypothesis, scenario_judge,
};
use debate_solver::analysis::{DebateSolutionInputs, SolveError};
use debate_solver::closed_form::prover_estimator::errors::{AllowedEstimateErrors, least_payoff};
use debate_solver::closed_form::prover_estimator::random;
use debate_solver::expectation::{
    DecimalOrFractionNumber, PayoffNotComputedReason, ReportNumberFormat, RoundNumberOrInitial,
    as_text,
};
use debate_solver::setup::LoadedScenario;

/// Maximum number of the scenario's instances that are examined.
const MAX_INSTANCES: usize = 64;
/// Maximum number of simulated replies for one instance and one named Bob.
const MAX_REPLIES: u64 = 20_000;
/// Maximum number of steps of the dynamic program for one instance and one limit on Bob's errors.
const MAX_STEPS: u64 = 2_000_000;
/// The inverse of the accuracy of the least error: the interval around it is at most 1/1000 wide.
const PARTS: i64 = 1000;
/// The number of evenly spaced errors up to 1. The search for a uniform error of Bob's estimates tries those above ε.
const SCANNED_ERROR_COUNT: i64 = 100;

/// Honest Alice's payoffs against built-in estimators, and the errors of estimates with which she loses.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "InPracticeReport")]
pub struct HonestAliceLossConditionsReport {
    /// The number of the scenario's instances that were examined.
    pub instances: usize,
    /// True if the scenario has more instances than were examined.
    pub more_instances: bool,
    /// The hypotheses of PE Lemma A.5 that fail or are unknown. If there are none, the lemma promises honest Alice a
    /// positive payoff.
    pub missing: Vec<&'static str>,
    /// Honest Alice's payoff against each built-in Bob whose replies do not depend on her strategy, except those in
    /// `left_out`.
    pub opponents: Vec<AlicePayoffAgainstNamedBob>,
    /// The Bobs against whom Alice's payoff was not computed, with the reason.
    pub left_out: Vec<OpponentWithPayoffNotComputed>,
    /// The least error with which Alice loses if Bob chooses each estimate freely up to this error. Null if it was not
    /// computed.
    pub worst: Option<EstimateErrorAtWhichHonestAliceLoses>,
    /// The least error with which Alice loses if all of Bob's estimates have this error. Null if it was not computed.
    pub even: Option<EstimateErrorAtWhichHonestAliceLoses>,
    /// The reason why the least errors of Bob's estimates, in the fields `worst` and `even`, were not computed.
    pub not_computed: Option<String>,
}

/// Honest Alice's payoff against a built-in Bob.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "NamedLoss")]
pub struct AlicePayoffAgainstNamedBob {
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub opponent: PlayerSpec,
    /// Honest Alice's mean payoff over the examined instances.
    pub payoff: DecimalOrFractionNumber,
    /// Honest Alice's least payoff in any examined instance.
    pub least: DecimalOrFractionNumber,
    /// The instance in which honest Alice's payoff is least.
    pub instance: String,
    /// The number of instances in which honest Alice's payoff is negative.
    pub lost: usize,
    /// The round in which honest Alice loses most in the instance `instance`. Null if she loses in no round, or if Bob
    /// draws his estimates at random.
    pub round: Option<RoundNumberOrInitial>,
    /// Honest Alice's expected reward in the round `round`.
    pub reward: Option<DecimalOrFractionNumber>,
}

/// A built-in Bob against whom Alice's payoff was not computed, with the reason.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "OpponentWithoutPayoff"))]
#[serde(rename = "LeftOut")]
pub struct OpponentWithPayoffNotComputed {
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub opponent: PlayerSpec,
    pub reason: String,
}

/// The least error of Bob's estimates with which honest Alice expects a negative payoff.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "LeastError")]
pub struct EstimateErrorAtWhichHonestAliceLoses {
    /// The instance in which honest Alice loses with the smallest error of Bob's estimates. If she loses in no
    /// instance, the one in which her payoff is least.
    pub instance: String,
    /// The greatest tried error of Bob's estimates with which honest Alice does not lose.
    pub safe: DecimalOrFractionNumber,
    /// The least tried error of Bob's estimates with which honest Alice loses; null if she never loses.
    pub losing: Option<DecimalOrFractionNumber>,
    /// Honest Alice's payoff with the error `losing`. If she never loses, her least payoff over all tried errors.
    pub payoff: DecimalOrFractionNumber,
}

/// An interval around the least error of Bob's estimates with which honest Alice loses. Its numbers are fractions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HonestLossThresholdInterval {
    pub safe: Exact,
    pub losing: Option<Exact>,
    pub payoff: Exact,
}

impl HonestLossThresholdInterval {
    /// True if honest Alice loses with a smaller error of Bob's estimates here than in `other`. If she loses in
    /// neither, true if her payoff is smaller here.
    fn is_worse_than(&self, other: &Self) -> bool {
        match (&self.losing, &other.losing) {
            (Some(own), Some(other)) => own < other,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => self.payoff < other.payoff,
        }
    }
}

/// Examines the payoffs of honest Alice in a scenario under prover-estimator rules.
///
/// # Errors
/// Returns an error if the rules have no estimator, if claims are written during the debate, if the requested instance
/// does not exist, or if the computation is stopped.
pub fn in_practice(
    setup: &LoadedScenario,
    protocol: &Protocol,
    form: ReportNumberFormat,
    budget: ComputationBudget<'_>,
) -> Result<HonestAliceLossConditionsReport, HonestLossReportError> {
    let Protocol::ProverEstimator(parameters) = protocol else {
        return Err(HonestLossReportError::NoEstimates);
    };
    if setup.decomposition.as_open().is_some() {
        return Err(HonestLossReportError::Open);
    }
    let worlds = setup
        .requested_worlds(None)
        .map_err(|error| HonestLossReportError::Worlds(error.to_string()))?;
    let cases: Vec<(Exact, Instance)> = worlds
        .iter()
        .take(MAX_INSTANCES)
        .map(|(share, world)| (share.clone(), setup.instance(*world)))
        .collect();
    let judge = scenario_judge(setup);
    let promise = CompletenessLemma::for_scenario(setup, parameters, &judge, stability::MAX_CLAIMS);
    let does_not_hold = |one: &&TheoremHypothesis| one.holds != Some(true);
    let missing = promise.hypotheses.iter().filter(does_not_hold);
    let missing: Vec<&'static str> = missing.map(|one| one.what).collect();
    let judge = match judge.name.as_str() {
        "human" => PlayerSpec::without_arguments("oracle"),
        _ => judge,
    };
    let table = Table {
        registry: &debate_solver::registry(),
        protocol,
        parameters,
        judge: &judge,
        cases: &cases,
        form,
        budget: budget
            .with_step_limit_for_long_numbers(setup.approximate_digits_of_smallest_stake(protocol)),
    };
    let mut report = HonestAliceLossConditionsReport {
        instances: cases.len(),
        more_instances: worlds.len() > cases.len(),
        missing,
        opponents: Vec::new(),
        left_out: Vec::new(),
        worst: None,
        even: None,
        not_computed: None,
    };
    for opponent in independent_strategies(table.registry, Seat::Opponent, protocol) {
        match table.named(&opponent) {
            Ok(loss) => report.opponents.push(loss),
            Err(error) if error.was_cancelled() => return Err(HonestLossReportError::Stopped),
            Err(error) => report.left_out.push(OpponentWithPayoffNotComputed {
                opponent,
                reason: match error {
                    SolveError::Unsolved(PayoffNotComputedReason::Exceeded(_)) => {
                        "the computation takes too many steps in an instance".to_owned()
                    }
                    error => error.to_string(),
                },
            }),
        }
    }
    if report.missing.contains(&DECIDED) {
        report.not_computed = Some("some claims that Alice may reach cannot be decided".to_owned());
        return Ok(report);
    }
    match table.least_errors() {
        Ok([worst, even]) => {
            report.worst = worst;
            report.even = even;
        }
        Err(error) if error.was_cancelled() => return Err(HonestLossReportError::Stopped),
        Err(error) => report.not_computed = Some(error.to_string()),
    }
    if report.worst.is_none() && report.not_computed.is_none() {
        report.not_computed = Some(
            "the computation cannot model this judge, or debates in which Bob may dispute a step"
                .to_owned(),
        );
    }
    Ok(report)
}

/// The reason why the losses of honest Alice were not computed for this scenario (`check --in-practice`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HonestLossReportError {
    #[error("--in-practice is about estimates, but these rules have none")]
    NoEstimates,
    #[error(
        "--in-practice: claims are written during this debate, so honest Alice is not a program"
    )]
    Open,
    #[error("{0}")]
    Worlds(String),
    #[error("the computation was stopped")]
    Stopped,
}

/// A round's label, with the reward that Alice expects in this round.
type RoundReward = (RoundNumberOrInitial, Exact);

/// The instances in which honest Alice is examined, with rules, judge and limits.
struct Table<'t> {
    registry: &'t StrategyRegistry<Exact>,
    protocol: &'t Protocol,
    parameters: &'t ProverEstimatorParameters,
    judge: &'t PlayerSpec,
    cases: &'t [(Exact, Instance)],
    form: ReportNumberFormat,
    budget: ComputationBudget<'t>,
}

impl Table<'_> {
    fn number(&self, value: &Exact) -> DecimalOrFractionNumber {
        DecimalOrFractionNumber::new(value, self.form)
    }

    /// Computes honest Alice's payoffs against a built-in Bob.
    fn named(&self, opponent: &PlayerSpec) -> Result<AlicePayoffAgainstNamedBob, SolveError> {
        let honest = PlayerSpec::without_arguments("honest");
        let players = [honest, opponent.clone(), self.judge.clone()];
        let solver = DebateSolutionInputs {
            registry: self.registry,
            protocol: self.protocol,
            players: &players,
            grid: &[],
        };
        let mut all = Exact::zero();
        let mut sum = Exact::zero();
        let mut lost = 0;
        let mut least: Option<(Exact, usize, Option<RoundReward>)> = None;
        for (index, (share, instance)) in self.cases.iter().enumerate() {
            let budget = self.budget.with_computation_step_limit(MAX_REPLIES);
            let case = Case::new(self, instance)?;
            let bob = solver.build(Seat::Opponent, instance, budget)?;
            let [alice, judge] = case.players.each_ref().map(|player| &**player);
            // A Bob who draws his estimates at random has too many replies for a search.
            let drawn = random::payoff_with_random_replies(
                [alice, &*bob, judge],
                instance,
                self.protocol,
                case.budget,
            );
            let (value, rewards): (Exact, Vec<RoundReward>) = if let Some(drawn) = drawn {
                (drawn?.0, Vec::new())
            } else {
                let solved = solver.solve(instance, budget)?;
                let rounds = solved.schedule.iter().map(|(round, _)| (*round).into());
                let rewards = rounds
                    .zip(solved.expected.expected_rewards_by_round())
                    .collect();
                (solved.expected_prover_payoff(), rewards)
            };
            all += share;
            sum += share * &value;
            lost += usize::from(value < Exact::zero());
            if least.as_ref().is_none_or(|(least, ..)| value < *least) {
                let worst = rewards.into_iter().min_by(|a, b| a.1.cmp(&b.1));
                let worst = worst.filter(|(_, reward)| *reward < Exact::zero());
                least = Some((value, index, worst));
            }
        }
        let (least, index, worst) =
            least.ok_or(PayoffNotComputedReason::NoReply(Seat::Opponent))?;
        Ok(AlicePayoffAgainstNamedBob {
            opponent: opponent.clone(),
            payoff: self.number(&(sum / all)),
            least: self.number(&least),
            instance: self.cases[index].1.world_name().to_owned(),
            lost,
            round: worst.as_ref().map(|(round, _)| *round),
            reward: worst.map(|(_, reward)| self.number(&reward)),
        })
    }

    /// Returns the least errors of Bob's estimates with which honest Alice loses, over all instances. In the first case
    /// Bob chooses the error of each estimate freely; in the second, all estimates have the same error.
    fn least_errors(
        &self,
    ) -> Result<[Option<EstimateErrorAtWhichHonestAliceLoses>; 2], SolveError> {
        let mut least: [Option<(HonestLossThresholdInterval, usize)>; 2] = [None, None];
        for (index, (_, instance)) in self.cases.iter().enumerate() {
            let case = Case::new(self, instance)?;
            for (kind, found) in [case.worst()?, case.even()?].into_iter().enumerate() {
                let Some(found) = found else {
                    return Ok([None, None]);
                };
                let known = least[kind].as_ref();
                if known.is_none_or(|(known, _)| found.is_worse_than(known)) {
                    least[kind] = Some((found, index));
                }
            }
        }
        Ok(least.map(|found| {
            let (found, index) = found?;
            Some(EstimateErrorAtWhichHonestAliceLoses {
                instance: self.cases[index].1.world_name().to_owned(),
                safe: self.number(&found.safe),
                losing: found.losing.as_ref().map(|error| self.number(error)),
                payoff: self.number(&found.payoff),
            })
        }))
    }
}

/// The strategies of honest Alice and of the judge in one instance.
struct Case<'c> {
    instance: &'c Instance,
    parameters: &'c ProverEstimatorParameters,
    players: [debate_core::player::PlayableStrategy<'c, Exact>; 2],
    budget: ComputationBudget<'c>,
}

impl<'c> Case<'c> {
    fn new(table: &Table<'c>, instance: &'c Instance) -> Result<Self, SolveError> {
        let honest = &PlayerSpec::without_arguments("honest");
        let build = |spec: &PlayerSpec, seat| {
            let registry = table.registry;
            registry.build(spec, seat, instance, table.protocol)
        };
        Ok(Self {
            instance,
            parameters: table.parameters,
            players: [
                build(honest, Seat::Prover)?,
                build(table.judge, Seat::Judge)?,
            ],
            budget: table.budget.with_computation_step_limit(MAX_STEPS),
        })
    }

    /// Returns honest Alice's least payoff if the errors of Bob's estimates are among `errors` and obey the rule.
    /// `None` if the dynamic program cannot model the players.
    fn payoff(
        &self,
        errors: &[Exact],
        rule: AllowedEstimateErrors<Exact>,
    ) -> Result<Option<Exact>, SolveError> {
        let mut grid: Vec<Exact> = errors.to_vec();
        grid.extend(errors.iter().map(|error| Exact::one() - error));
        grid.sort();
        grid.dedup();
        let [prover, judge] = self.players.each_ref().map(|player| &**player);
        let least = least_payoff(
            [prover, judge],
            self.instance,
            self.parameters,
            &grid,
            rule,
            self.budget,
        );
        Ok(least.transpose()?)
    }

    /// Returns the smallest error above ε that the search tries.
    fn just_above_epsilon(&self) -> Exact {
        &self.parameters.epsilon.0 + Exact::ratio(1, PARTS)
    }

    /// Returns the errors up to `limit` among which the search lets Bob choose.
    fn levels(&self, limit: &Exact) -> Vec<Exact> {
        let epsilon = &self.parameters.epsilon.0;
        let quarters = (0..=4).map(|quarter| Exact::ratio(quarter, 4));
        let mut levels: Vec<Exact> = quarters
            .chain([epsilon.clone(), self.just_above_epsilon(), limit.clone()])
            .filter(|level| level <= limit)
            .collect();
        levels.sort();
        levels.dedup();
        levels
    }

    /// Returns the least error with which Alice loses if Bob chooses each error freely up to it. `None` if the dynamic
    /// program cannot model the players.
    fn worst(&self) -> Result<Option<HonestLossThresholdInterval>, SolveError> {
        let at = |limit: &Exact| {
            self.payoff(
                &self.levels(limit),
                AllowedEstimateErrors::AtMost(limit.clone()),
            )
        };
        let Some(payoff) = at(&Exact::one())? else {
            return Ok(None);
        };
        if payoff >= Exact::zero() {
            return Ok(Some(HonestLossThresholdInterval {
                safe: Exact::one(),
                losing: None,
                payoff,
            }));
        }
        let safe = self.parameters.epsilon.0.clone();
        narrow_loss_interval(
            safe,
            (Exact::one(), payoff),
            Some(self.just_above_epsilon()),
            at,
        )
    }

    /// Returns the least error with which Alice loses if all of Bob's estimates have it. `None` if the dynamic program
    /// cannot model the players.
    fn even(&self) -> Result<Option<HonestLossThresholdInterval>, SolveError> {
        let at = |error: &Exact| {
            self.payoff(
                std::slice::from_ref(error),
                AllowedEstimateErrors::Exactly(error.clone()),
            )
        };
        let mut safe = self.parameters.epsilon.0.clone();
        let mut least: Option<Exact> = None;
        let scanned = (1..=SCANNED_ERROR_COUNT).map(|part| Exact::ratio(part, SCANNED_ERROR_COUNT));
        let above = self.just_above_epsilon();
        let errors = [above.clone()]
            .into_iter()
            .chain(scanned.filter(|error| *error > above));
        for error in errors {
            let Some(payoff) = at(&error)? else {
                return Ok(None);
            };
            if payoff < Exact::zero() {
                return narrow_loss_interval(safe, (error, payoff), None, at);
            }
            safe = error;
            if least.as_ref().is_none_or(|least| payoff < *least) {
                least = Some(payoff);
            }
        }
        Ok(Some(HonestLossThresholdInterval {
            safe,
            losing: None,
            payoff: least.unwrap_or_else(Exact::zero),
        }))
    }
}

/// Narrows an interval of errors of Bob's estimates to a width of at most 1/1000. Alice does not lose with the error
/// `safe`, and loses with `losing`. The first step tries the error `first`, if it is below `losing`; all other steps
/// try the middle. `at` returns Alice's payoff for an error. Returns `None` if a payoff is unknown.
fn narrow_loss_interval(
    mut safe: Exact,
    (mut losing, mut payoff): (Exact, Exact),
    mut first: Option<Exact>,
    at: impl Fn(&Exact) -> Result<Option<Exact>, SolveError>,
) -> Result<Option<HonestLossThresholdInterval>, SolveError> {
    while &losing - &safe > Exact::ratio(1, PARTS) {
        let middle = first
            .take()
            .filter(|error| *error < losing)
            .unwrap_or_else(|| (&safe + &losing) / Exact::ratio(2, 1));
        let Some(found) = at(&middle)? else {
            return Ok(None);
        };
        if found < Exact::zero() {
            (losing, payoff) = (middle, found);
        } else {
            safe = middle;
        }
    }
    Ok(Some(HonestLossThresholdInterval {
        safe,
        losing: Some(losing),
        payoff,
    }))
}
