//! The report of `check`: the size of a scenario, its stability, and the bounds that theorems give for it.

mod theorems;

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::ToPrimitive as _;
use serde::Serialize;

use crate::amplification::NeededRepetitionsReport;
use crate::evidence::JointEvidenceErrors;
use crate::in_practice::HonestAliceLossConditionsReport;
use crate::judge_error::{self, TolerableJudgeErrors};
use crate::papers::{StatementStatusReport, protocol_status_reports};
use crate::provability::{proportion_by_knowledge, proportion_by_queries};
use debate_core::budget::ComputationBudget;
use debate_core::number::{Exact, format_rounded};
use debate_core::player::prover_estimator::slow_estimators;
use debate_core::player::{KnowledgePartition, PlayerSpec, StrategyRegistry};
use debate_core::protocol::stochastic::constants::ExpectedQueryBound;
use debate_core::protocol::{self, Protocol, Seat, VerifierCostBound};
use debate_core::scenario::{BlindReader, Instance, ProverSupportLimits, stability};
use debate_solver::analysis::DebateSolutionInputs;
use debate_solver::analysis::promise::{CompletenessLemma, TheoremHypothesis};
use debate_solver::expectation::{DecimalOrFractionNumber, ReportNumberFormat};
use debate_solver::setup::LoadedScenario;

/// Maximum number of instances whose root claims' truths a report lists.
const MAX_LISTED: usize = 1000;
/// Maximum number of instances for which the tolerable errors of the judge are computed.
const MAX_JUDGED_INSTANCES: usize = 64;
/// Maximum number of simulated replies, for each instance and judge, to compute the tolerable errors of the judge.
const MAX_REPLIES: u64 = 5_000;
/// Maximum number of claims of an instance for which the tolerable errors of the judge are computed.
const MAX_CLAIMS: u32 = 200;

/// Checks a scenario under a protocol and returns the report.
///
/// # Errors
/// Returns a sentence if the protocol does not suit the scenario's problem.
pub fn check(
    setup: &LoadedScenario,
    protocol: &Protocol,
    form: ReportNumberFormat,
) -> Result<ScenarioCheckReport, String> {
    let decomposition = &setup.decomposition;
    let worlds = decomposition.worlds();
    let world = setup.requested_world.unwrap_or(0);
    let size = decomposition.size(world);
    let truth = |world: usize| decomposition.truth(&decomposition.root(world), world);
    let mut warnings = setup.inconsistency_notes();
    if worlds.len() > MAX_LISTED {
        let count = worlds.len();
        warnings.push(format!(
            "only the truths of the first {MAX_LISTED} of {count} instances are listed"
        ));
    }
    let truths = match worlds.len() {
        1 => RootTruthByInstance::One(truth(0)),
        count => RootTruthByInstance::Each((0..count.min(MAX_LISTED)).map(truth).collect()),
    };
    if let Some((open, _)) = decomposition.as_open() {
        warnings.push(format!(
            "open: Alice writes the subclaims, so truth, stability and provability are unknown in \
             advance, and honest Alice's bound is not promised; she splits claims up to {} levels \
             deep, into at most {} subclaims each, and people judge",
            open.depth, open.width
        ));
    } else if !decomposition.is_decidable(world) {
        warnings.push(
            "some claims cannot be decided, so players that need the truth of every claim are refused"
                .to_owned(),
        );
    }
    protocol
        .check_fits_problem(decomposition.as_ref())
        .map_err(|misfit| format!("{}: {misfit}", setup.origin))?;
    let instance = setup.instance(world);
    let mut report = ScenarioCheckReport {
        ok: true,
        title: setup.scenario_texts(world).title,
        protocol: protocol.kind().protocol_name(),
        parameters: protocol.to_string(),
        problem: setup.problem,
        instance: worlds[world].name.clone(),
        truth: truths,
        instances: worlds.len(),
        claim: instance.text(instance.root()),
        claim_true: truth(world),
        drawn: setup.requested_world.is_none() && worlds.len() > 1,
        splits: decomposition.can_split_root(),
        open: instance.prover_writing_limits(),
        claims: JsonCount::from(&size.claims),
        leaves: JsonCount::from(&size.leaves),
        depth: size.depth,
        width: size.width,
        reward_ratio: protocol
            .weight_ratio_if_constant()
            .map(|ratio| DecimalOrFractionNumber::new(&ratio, form)),
        stability: None,
        unstable: None,
        mend: None,
        provable: None,
        provable_by: provable_by(setup, form),
        judge_error_allowed: None,
        judge_errors: judge_errors(setup, protocol, form),
        lipschitz: None,
        bounds: PromisedBoundsReport {
            most: by_expense(&protocol.protocol_parameters().bounds(&instance)),
            ..PromisedBoundsReport::default()
        },
        completeness_hypotheses: Vec::new(),
        soundness_hypotheses: Vec::new(),
        statements: protocol_status_reports(protocol.kind()),
        query_bounds: query_bounds(&instance, protocol),
        in_practice: None,
        warnings,
    };
    theorems::add_theorem_fields(&mut report, setup, protocol, &instance, form);
    if protocol.protocol_parameters().has_estimator() {
        let slow = slow_estimators(&BlindReader::new(&instance)).into_iter();
        report.warnings.extend(slow.map(|(name, takes)| {
            format!(
                "{name} as Bob takes about {} s for a reply here; for faster replies, use a smaller scenario or another \
                 player",
                format_rounded(takes.as_secs_f64(), 1)
            )
        }));
    }
    Ok(report)
}

/// Returns a map from the name of each type of expense to its upper bound.
fn by_expense(bounds: &[VerifierCostBound]) -> BTreeMap<String, u64> {
    let most = bounds
        .iter()
        .map(|bound| (bound.what.to_owned(), bound.most));
    most.collect()
}

fn query_bounds(instance: &Instance, protocol: &Protocol) -> Vec<ProvedVerifierBoundReport> {
    let promises = protocol::verifier_cost_bounds_by_protocol(instance, protocol)
        .into_iter()
        .map(|promise| ProvedVerifierBoundReport::Promise {
            protocol: promise.protocol,
            sources: promise.bounds.iter().map(|bound| bound.source).collect(),
            most: by_expense(&promise.bounds),
        });
    let laws = protocol::verifier_bits_read_lower_bounds(instance)
        .into_iter()
        .map(|law| ProvedVerifierBoundReport::Law {
            about: law.about,
            bits_read: law.bits,
            sources: [law.source],
        });
    promises.chain(laws).collect()
}

/// Computes the judge errors that honest Alice tolerates against the scenario's own Bob, or against the default Bob if
/// the scenario names no built-in one. Returns `None` if no player judges leaves, if players write the claims, or if
/// the computation fails or would take too long.
fn judge_errors(
    setup: &LoadedScenario,
    protocol: &Protocol,
    form: ReportNumberFormat,
) -> Option<TolerableJudgeErrorsAgainstOpponent> {
    let judges_leaves = matches!(
        protocol,
        Protocol::ProverEstimator(_) | Protocol::Recursive(_)
    );
    let worlds = setup.decomposition.worlds();
    let is_small = |world| setup.decomposition.size(world).claims <= MAX_CLAIMS.into();
    if !judges_leaves
        || worlds.len() > MAX_JUDGED_INSTANCES
        || setup.decomposition.as_open().is_some()
        || !(0..worlds.len()).all(is_small)
    {
        return None;
    }
    let registry: StrategyRegistry<Exact> = debate_solver::registry();
    let opponent = own_opponent(setup, protocol, &registry);
    let players = [
        PlayerSpec::without_arguments("honest"),
        PlayerSpec::parse(opponent).ok()?,
        PlayerSpec::without_arguments("oracle"),
    ];
    let asked = setup.requested_worlds(None).ok()?.into_iter();
    let instances: Vec<(Exact, Instance)> = asked
        .map(|(share, world)| (share, setup.instance(world)))
        .collect();
    let solver = DebateSolutionInputs {
        registry: &registry,
        protocol,
        players: &players,
        grid: &[],
    };
    let digits = setup.approximate_digits_of_smallest_stake(protocol);
    let budget = ComputationBudget::default()
        .with_computation_step_limit(MAX_REPLIES)
        .with_step_limit_for_long_numbers(digits);
    let allowed = tolerated_judge_flip_rate(setup, protocol);
    let errors = judge_error::judge_errors(&solver, &instances, allowed, budget).ok()?;
    Some(TolerableJudgeErrorsAgainstOpponent {
        opponent: opponent.to_owned(),
        errors: errors.map(&|value| DecimalOrFractionNumber::new(value, form)),
    })
}

/// Returns the greatest rate at which a judge may invert the oracle's answers while honest Alice keeps the payoff bound
/// of PE Lemma A.5. Returns `None` if the lemma promises no bound.
pub(super) fn tolerated_judge_flip_rate(
    setup: &LoadedScenario,
    protocol: &Protocol,
) -> Option<Exact> {
    let Protocol::ProverEstimator(parameters) = protocol else {
        return None;
    };
    if setup.decomposition.as_open().is_some() {
        return None;
    }
    let oracle = PlayerSpec::without_arguments("oracle");
    CompletenessLemma::for_scenario(setup, parameters, &oracle, stability::MAX_CLAIMS)
        .allowed_judge_flip_rate()
}

/// Returns the opponent that the scenario names, if it is a built-in strategy for these rules; otherwise the default
/// opponent.
fn own_opponent<'s>(
    setup: &'s LoadedScenario,
    protocol: &Protocol,
    registry: &'s StrategyRegistry<Exact>,
) -> &'s str {
    let kind = protocol.kind();
    let plays = |name: &&str| {
        PlayerSpec::parse(name)
            .is_ok_and(|spec| registry.find(&spec.name, Seat::Opponent, kind).is_ok())
    };
    let own = setup.players.text_of_seat(Seat::Opponent).filter(plays);
    own.unwrap_or_else(|| registry.default_strategy_name(Seat::Opponent, kind))
}

/// Computes the proportion of instances in which the prover can prove all claims, with the knowledge and the queries
/// that the scenario grants her.
fn provable_by(setup: &LoadedScenario, form: ReportNumberFormat) -> Option<ProvabilityBounds> {
    let position = Seat::Prover.seat_index();
    let knows = setup.knows[position].as_ref();
    let queries = setup.queries[position];
    let decomposition = &setup.decomposition;
    let nothing_asked = knows.is_none() && queries == 0;
    if nothing_asked || decomposition.as_open().is_some() || !decomposition.can_split_root() {
        return None;
    }
    // Without other settings, the prover reads the instance and searches for the flaw.
    let tried = match knows {
        None => proportion_by_queries(decomposition.as_ref(), queries),
        Some(_) => None,
    };
    let (knows, share, distribution) = if let Some(share) = tried {
        (
            "instance".to_owned(),
            share,
            InstanceDistributionForProvability::EvenPlaces,
        )
    } else {
        let knows = knows.unwrap_or(&KnowledgePartition::Nothing);
        let blocks = knows.instance_blocks(decomposition.as_ref()).ok()?;
        let share = proportion_by_knowledge(decomposition, &blocks, queries)?;
        (
            knows.to_string(),
            share,
            InstanceDistributionForProvability::Mu,
        )
    };
    let worlds = decomposition.worlds().iter().map(|world| &world.weight);
    let all: Exact = worlds.clone().sum();
    let likeliest = worlds.max()? / all;
    Some(ProvabilityBounds {
        knows,
        queries,
        distribution,
        instances: decomposition.worlds().len(),
        likeliest: DecimalOrFractionNumber::new(&likeliest, form),
        low: DecimalOrFractionNumber::new(&share.low, form),
        high: DecimalOrFractionNumber::new(&share.high, form),
    })
}

/// The report of `check` on a valid scenario.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "CheckReport")]
pub struct ScenarioCheckReport {
    /// Always true. The report on an invalid scenario is a [`InvalidScenarioReport`].
    pub ok: bool,
    pub title: String,
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol with its parameters, as a scenario file writes it.
    pub parameters: String,
    pub problem: &'static str,
    /// The instance that is checked.
    pub instance: String,
    /// The truth of the root claim in each of the first instances (at most 1,000).
    pub truth: RootTruthByInstance,
    /// The number of instances.
    pub instances: usize,
    /// The root claim.
    pub claim: String,
    /// True if the root claim of the checked instance is true; null if its truth is unknown.
    pub claim_true: Option<bool>,
    /// True if the instance of a debate is drawn at random from the seed.
    pub drawn: bool,
    /// True if the root claim is split into subclaims.
    pub splits: bool,
    /// The limits on the claims that players write during the debate; null if the scenario states all claims.
    pub open: Option<ProverSupportLimits>,
    pub claims: JsonCount,
    pub leaves: JsonCount,
    pub depth: u32,
    pub width: u32,
    /// The reward ratio r: a round's stake divided by the next round's. Null under rules without such a ratio.
    pub reward_ratio: Option<DecimalOrFractionNumber>,
    /// The stability of the decomposition (PE Definition 5.3). Null under rules that do not depend on stability, and if
    /// players write the claims.
    pub stability: Option<StabilityReport>,
    /// The reason why the decomposition is not stable, as a sentence; null unless it is known to be unstable.
    pub unstable: Option<String>,
    /// Advice to the user: a change that would make the decomposition stable.
    pub mend: Option<String>,
    /// The probability, over μ, that honest Alice can prove every claim that a debate reaches (PE Definition 5.2). Null
    /// if `stability` is null.
    pub provable: Option<DecimalOrFractionNumber>,
    /// Bounds on the probability that a prover with the requested knowledge and queries can prove all claims. Null if
    /// neither was requested, if the probability is unknown, or if the scenario's root is not split or players write
    /// the claims.
    pub provable_by: Option<ProvabilityBounds>,
    /// The greatest probability with which a judge may err on a leaf so that the bound `bounds.completeness` holds.
    /// Null if that bound is not promised.
    pub judge_error_allowed: Option<DecimalOrFractionNumber>,
    /// The judge errors that honest Alice tolerates against the scenario's own Bob, or against the default Bob if it
    /// names no built-in one. They may exceed `judge_error_allowed`. Null if no player judges leaves, if players write
    /// the claims, or if the computation fails or takes too long (`solve --judge-errors` allows more time).
    pub judge_errors: Option<TolerableJudgeErrorsAgainstOpponent>,
    /// The Lipschitz constant K of a random computation. Null under rules other than stochastic debate.
    pub lipschitz: Option<LipschitzReport>,
    pub bounds: PromisedBoundsReport,
    /// The hypotheses of PE Lemma A.5, on which the bound `bounds.completeness` depends; it is absent unless all hold.
    /// Empty under other rules, and if players write the claims.
    pub completeness_hypotheses: Vec<TheoremHypothesis>,
    /// The hypotheses under which lies earn less than true answers. Empty under rules without such a promise, and if
    /// players write the claims.
    pub soundness_hypotheses: Vec<TheoremHypothesis>,
    /// The statements of the papers on which the report's figures depend, with their status.
    pub statements: Vec<StatementStatusReport>,
    /// For each protocol that can debate this problem, the bounds on the verifier's work that the protocol promises.
    /// Also the lower bounds that hold for all protocols.
    pub query_bounds: Vec<ProvedVerifierBoundReport>,
    /// Honest Alice's losses, with `--in-practice`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_practice: Option<HonestAliceLossConditionsReport>,
    pub warnings: Vec<String>,
}

impl ScenarioCheckReport {
    /// True if every hypothesis of PE Lemma A.5 holds for the scenario, including stability.
    pub fn all_hypotheses_hold(&self) -> bool {
        self.bounds.completeness.is_some()
    }
}

/// Bounds on the probability that a prover can answer every claim truly (PE Definition 5.2). The prover has the stated
/// knowledge and may query a number of leaves first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProvableBy"))]
#[serde(rename = "AllClaimsAnsweredTrulyBounds")]
pub struct ProvabilityBounds {
    /// The prover's knowledge, in the syntax of `--prover-knows`. `instance` means that the prover reads the instance
    /// and knows if it contains a flaw, but not where.
    pub knows: String,
    pub queries: u32,
    pub distribution: InstanceDistributionForProvability,
    /// The number of instances. `likeliest` is the probability of the likeliest one.
    pub instances: usize,
    pub likeliest: DecimalOrFractionNumber,
    pub low: DecimalOrFractionNumber,
    /// The upper bound on the probability. It equals `low` if the best plan of queries is known.
    pub high: DecimalOrFractionNumber,
}

/// The distribution of instances over which the probability of provability is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[serde(rename = "FlawDistribution")]
pub enum InstanceDistributionForProvability {
    /// The scenario's distribution μ, as in PE Definition 5.2.
    Mu,
    /// In each instance, the flaw is equally likely at each of its possible positions, whatever μ says. The prover
    /// guesses the leaves that were not queried. This models instances that nobody has seen before.
    EvenPlaces,
}

/// The judge errors that honest Alice tolerates against a given opponent.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "CheckedJudgeErrors"))]
pub struct TolerableJudgeErrorsAgainstOpponent {
    pub opponent: String,
    #[serde(flatten)]
    pub errors: TolerableJudgeErrors<DecimalOrFractionNumber>,
}

/// The report of `check` on an invalid scenario.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "CheckFailure")]
pub struct InvalidScenarioReport {
    /// Always false.
    pub ok: bool,
    /// The scenario's name or path, as the user typed it.
    pub scenario: String,
    pub error: String,
}

/// The result of `check` for one scenario: a report, or the reason for failure.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "Checked")]
pub enum ScenarioCheckResult {
    Valid(Box<ScenarioCheckReport>),
    Invalid(InvalidScenarioReport),
}

/// The truth of the root claim; null where it is unknown.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "Truths")]
pub enum RootTruthByInstance {
    /// The truth of the root claim in the only instance.
    One(Option<bool>),
    /// The truth of the root claim in each of the first instances, at most 1,000.
    Each(Vec<Option<bool>>),
}

/// A count of claims. It is written as a string of digits if it exceeds the range of a JSON number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "ClaimCount")]
pub enum JsonCount {
    Number(u64),
    Digits(String),
}

impl From<&BigUint> for JsonCount {
    fn from(count: &BigUint) -> Self {
        count
            .to_u64()
            .map_or_else(|| Self::Digits(count.to_string()), Self::Number)
    }
}

impl std::fmt::Display for JsonCount {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(count) => count.fmt(out),
            Self::Digits(digits) => digits.fmt(out),
        }
    }
}

/// The (ε, ρ)-stability of a decomposition (PE Definition 5.3).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StabilityReport {
    pub epsilon: DecimalOrFractionNumber,
    pub rho: DecimalOrFractionNumber,
    /// True if the decomposition is stable; null if that is unknown.
    pub stable: Option<bool>,
    /// The claim whose probability changes most if an estimator errs on the subclaims.
    pub worst_claim: Option<String>,
    pub worst_deviation: DecimalOrFractionNumber,
    /// ρε, the greatest permitted deviation.
    pub allowed: DecimalOrFractionNumber,
    pub worst_instance: Option<String>,
    /// The proportion of instances, by probability, that are stable.
    pub share: DecimalOrFractionNumber,
    /// The least number of independent pieces of evidence for each subclaim that would make an unstable decomposition
    /// stable. Found by trying. Null unless the decomposition is known to be unstable, and if the search finds no
    /// number.
    pub copies: Option<u64>,
    /// The number of pieces of evidence for each subclaim that the proof of PE Theorem 8.3 needs for this ρ: 2
    /// ln(w/(ρε)) / ln(1/(6ε(1 − 3ε/2))). It is rounded up to an odd number. For ε ≥ 1/3, a sharper bound is used. Null
    /// if ε is too close to 1/2. The theorem itself assumes ρ = 1/2.
    pub copies_needed: Option<u64>,
    /// True if the decomposition is stable in the checked instance; null if that is unknown.
    pub instance_stable: Option<bool>,
    /// The numbers of pieces of evidence of a `Stable` decomposition; null for other decompositions.
    pub evidence: Option<EvidenceReport>,
}

/// The numbers of pieces of evidence in a `Stable` decomposition, in which a majority of pieces decides each subclaim.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvidenceReport {
    /// The number w of subclaims of a claim.
    pub inputs: u64,
    /// The number κ of pieces of evidence for each subclaim.
    pub copies: u32,
    /// The value of κ that the paper prints for ρ = 1/2: the second of its two expressions. Null if ε ≥ 1/3.
    pub copies_printed: Option<u64>,
    /// The first of the paper's two printed expressions for κ. Before rounding to an odd number, it is twice the
    /// second.
    pub copies_printed_first: Option<u64>,
    /// The value of κ that the proof of PE Theorem 8.3 needs for this ρ: 2 ln(w/(ρε)) / ln(1/(6ε(1 − 3ε/2))). It is
    /// rounded up to an odd number. For ε ≥ 1/3, a sharper bound is used. Null if ε is too close to 1/2.
    pub copies_needed: Option<u64>,
    /// True if ρ is 1/2, as PE Theorem 8.3 and its printed numbers assume.
    pub theorem_is_for_this_rho: bool,
    /// The least κ that makes the decomposition stable, by exact search.
    pub copies_least: Option<u64>,
    /// The width q of a support: its number of pieces of evidence for all subclaims.
    pub width: u32,
    /// The number s = κ^d of pieces of evidence for each claim at depth d, the greatest depth.
    pub pieces: JsonCount,
    /// The errors of the evidence. Null if some truth is unknown, if a claim has no sound support, or if there are too
    /// many claims or instances.
    pub errors: Option<JointEvidenceErrors<DecimalOrFractionNumber>>,
}

/// The Lipschitz constant of a random computation: the largest change of its answer's probability per change of its
/// oracle.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LipschitzReport {
    /// A lower bound on the least valid Lipschitz constant K.
    pub low: DecimalOrFractionNumber,
    /// A K that suffices.
    pub high: DecimalOrFractionNumber,
    /// The Lipschitz constant K that the scenario file states.
    pub claimed: Option<DecimalOrFractionNumber>,
    /// The Lipschitz constant K that the protocol uses.
    pub k: DecimalOrFractionNumber,
    /// The number of steps that ask the oracle. It is always a valid Lipschitz constant K (DE §6).
    pub steps: u64,
}

/// The bounds that theorems promise under the scenario's rules.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename = "BoundsReport")]
pub struct PromisedBoundsReport {
    /// The verifier's maximum expenses, by type.
    #[serde(flatten)]
    pub most: BTreeMap<String, u64>,
    /// The guaranteed expected payoff of honest Alice (PE Lemma A.5). Absent unless all `completeness_hypotheses` hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completeness: Option<DecimalOrFractionNumber>,
    /// The offset that PE Lemma A.4 adds to r^(d+1)·P[A = L] in its bound on the prover's payoff. The lemma's printed
    /// proof fails (Errata 1 and 6); whether the lemma holds is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soundness_offset: Option<DecimalOrFractionNumber>,
    /// The bounds on the expected numbers of oracle queries (DE Theorem 6.2, machine-checked). Absent under rules
    /// without these bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries_on_average: Option<ExpectedQueryBound>,
    /// Numbers of repeated debates whose majority rarely errs (DE §4.1). They assume that the honest player wins each
    /// with probability at least 3/5 (DE Theorem 6.2). Absent under rules without this bound.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repetitions: Vec<NeededRepetitionsReport>,
}

/// A bound on the verifier's work that a protocol promises, or a lower bound for every protocol.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[serde(rename = "QueryBoundReport")]
pub enum ProvedVerifierBoundReport {
    /// A protocol's promise.
    Promise {
        /// The protocol with its parameters, as a scenario file writes it.
        protocol: String,
        /// The verifier's maximum expenses, by type.
        #[serde(flatten)]
        most: BTreeMap<String, u64>,
        /// The theorems by which the protocol promises the bounds in `most`.
        sources: Vec<&'static str>,
    },
    /// A lower bound on the bits that a verifier reads, for every debate about this function.
    Law {
        /// The lower bound, in words.
        about: &'static str,
        bits_read: u64,
        /// The theorem from which the lower bound follows.
        sources: [&'static str; 1],
    },
}
