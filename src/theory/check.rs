//! The `check` report: the size of a scenario, its stability and the bounds that the theorems promise.

mod theorems;

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::ToPrimitive as _;
use serde::Serialize;

use crate::amplification::RepetitionReport;
use crate::evidence::EvidenceErrors;
use crate::in_practice::InPracticeReport;
use crate::judge_error::{self, JudgeErrors};
use crate::papers::{StatusReport, status_reports};
use crate::provability::{proportion_by_knowledge, proportion_by_queries};
use debate_core::budget::Budget;
use debate_core::number::{Exact, short};
use debate_core::player::prover_estimator::slow_estimators;
use debate_core::player::{Knowledge, Registry, Spec};
use debate_core::protocol::stochastic::constants::ExpectedQueries;
use debate_core::protocol::{self, Protocol, Seat, SpendingBound};
use debate_core::scenario::{Blind, Instance, OpenLimits, stability};
use debate_solver::analysis::SolverInput;
use debate_solver::analysis::promise::{Completeness, Hypothesis};
use debate_solver::expectation::{NumberFormat, ReportNumber};
use debate_solver::setup::Setup;

/// Maximum number of instances whose truths a report lists.
const MAX_LISTED: usize = 1000;
/// Maximum number of instances of μ for which the tolerable judge errors are computed.
const MAX_JUDGED_INSTANCES: usize = 64;
/// Maximum number of replies that are played per instance and judge to compute the tolerable judge errors.
const MAX_REPLIES: u64 = 5_000;
/// Maximum number of claims of an instance for which the tolerable judge errors are computed.
const MAX_CLAIMS: u32 = 200;

/// Checks a scenario under a protocol.
///
/// # Errors
/// Returns a sentence if the protocol does not suit the scenario's problem.
pub fn check(
    setup: &Setup,
    protocol: &Protocol,
    form: NumberFormat,
) -> Result<CheckReport, String> {
    let decomposition = &setup.decomposition;
    let worlds = decomposition.worlds();
    let world = setup.requested_world.unwrap_or(0);
    let size = decomposition.size(world);
    let truth = |world: usize| decomposition.truth(&decomposition.root(world), world);
    let mut warnings = setup.notes();
    if worlds.len() > MAX_LISTED {
        let count = worlds.len();
        warnings.push(format!(
            "only the truths of the first {MAX_LISTED} of {count} instances are listed"
        ));
    }
    let truths = match worlds.len() {
        1 => Truths::One(truth(0)),
        count => Truths::Each((0..count.min(MAX_LISTED)).map(truth).collect()),
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
            "some claims cannot be decided, so players that need every truth are refused"
                .to_owned(),
        );
    }
    protocol
        .check_problem(decomposition.as_ref())
        .map_err(|misfit| format!("{}: {misfit}", setup.origin))?;
    let instance = setup.instance(world);
    let mut report = CheckReport {
        ok: true,
        title: setup.texts(world).title,
        protocol: protocol.kind().name(),
        parameters: protocol.to_string(),
        problem: setup.problem,
        instance: worlds[world].name.clone(),
        truth: truths,
        instances: worlds.len(),
        claim: instance.text(instance.root()),
        claim_true: truth(world),
        drawn: setup.requested_world.is_none() && worlds.len() > 1,
        splits: decomposition.has_claims(),
        open: instance.open(),
        claims: ClaimCount::from(&size.claims),
        leaves: ClaimCount::from(&size.leaves),
        depth: size.depth,
        width: size.width,
        reward_ratio: protocol
            .reward_ratio()
            .map(|ratio| ReportNumber::new(&ratio, form)),
        stability: None,
        unstable: None,
        mend: None,
        provable: None,
        provable_by: provable_by(setup, form),
        judge_error_allowed: None,
        judge_errors: judge_errors(setup, protocol, form),
        lipschitz: None,
        bounds: BoundsReport {
            most: by_expense(&protocol.conditions().bounds(&instance)),
            ..BoundsReport::default()
        },
        completeness_hypotheses: Vec::new(),
        soundness_hypotheses: Vec::new(),
        statements: status_reports(protocol.kind()),
        query_bounds: query_bounds(&instance, protocol),
        in_practice: None,
        warnings,
    };
    theorems::add_theorems(&mut report, setup, protocol, &instance, form);
    if protocol.conditions().has_estimator() {
        let slow = slow_estimators(&Blind::new(&instance)).into_iter();
        report.warnings.extend(slow.map(|(name, takes)| {
            format!(
                "{name} as Bob takes about {} s for a reply here, and the screen does not respond \
                 meanwhile; use a smaller scenario or another player",
                short(takes.as_secs_f64(), 1)
            )
        }));
    }
    Ok(report)
}

/// Returns a map from each kind of expense to its upper bound.
fn by_expense(bounds: &[SpendingBound]) -> BTreeMap<String, u64> {
    let most = bounds
        .iter()
        .map(|bound| (bound.what.to_owned(), bound.most));
    most.collect()
}

fn query_bounds(instance: &Instance, protocol: &Protocol) -> Vec<QueryBoundReport> {
    let promises = protocol::promised_bounds(instance, protocol)
        .into_iter()
        .map(|promise| QueryBoundReport::Promise {
            protocol: promise.protocol,
            sources: promise.bounds.iter().map(|bound| bound.source).collect(),
            most: by_expense(&promise.bounds),
        });
    let laws = protocol::query_bounds(instance)
        .into_iter()
        .map(|law| QueryBoundReport::Law {
            about: law.about,
            bits_read: law.bits,
            sources: [law.source],
        });
    promises.chain(laws).collect()
}

/// Computes the tolerable judge errors between honest Alice and the scenario's own Bob. Returns `None` if no
/// player judges leaves, or if the computation would take too long.
fn judge_errors(
    setup: &Setup,
    protocol: &Protocol,
    form: NumberFormat,
) -> Option<CheckedJudgeErrors> {
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
    let registry: Registry<Exact> = debate_solver::registry();
    let opponent = own_opponent(setup, protocol, &registry);
    let players = [
        Spec::without_arguments("honest"),
        Spec::parse(opponent).ok()?,
        Spec::without_arguments("oracle"),
    ];
    let asked = setup.worlds(None).ok()?.into_iter();
    let instances: Vec<(Exact, Instance)> = asked
        .map(|(share, world)| (share, setup.instance(world)))
        .collect();
    let solver = SolverInput {
        registry: &registry,
        protocol,
        players: &players,
        grid: &[],
    };
    let digits = setup.smallest_weight_digits(protocol);
    let budget = Budget::default()
        .with_steps(MAX_REPLIES)
        .for_arithmetic_with_digits(digits);
    let allowed = allowed_flip_rate(setup, protocol);
    let errors = judge_error::judge_errors(&solver, &instances, allowed, budget).ok()?;
    Some(CheckedJudgeErrors {
        opponent: opponent.to_owned(),
        errors: errors.map(&|value| ReportNumber::new(value, form)),
    })
}

/// Returns the rate up to which a judge may flip the oracle's answers while honest Alice keeps the bound of
/// PE Lemma A.5. Returns `None` if that bound is not promised.
pub(super) fn allowed_flip_rate(setup: &Setup, protocol: &Protocol) -> Option<Exact> {
    let Protocol::ProverEstimator(parameters) = protocol else {
        return None;
    };
    if setup.decomposition.as_open().is_some() {
        return None;
    }
    let oracle = Spec::without_arguments("oracle");
    Completeness::for_scenario(setup, parameters, &oracle, stability::MAX_CLAIMS)
        .allowed_flip_rate()
}

/// Returns the scenario's own opponent if it is a built-in strategy for these rules; otherwise the default
/// opponent.
fn own_opponent<'s>(
    setup: &'s Setup,
    protocol: &Protocol,
    registry: &'s Registry<Exact>,
) -> &'s str {
    let kind = protocol.kind();
    let plays = |name: &&str| {
        Spec::parse(name).is_ok_and(|spec| registry.find(&spec.name, Seat::Opponent, kind).is_ok())
    };
    let own = setup.players.get(Seat::Opponent).filter(plays);
    own.unwrap_or_else(|| registry.default_strategy_name(Seat::Opponent, kind))
}

/// Computes the proportion of μ that a prover can prove, given the knowledge and queries that the setup
/// grants her.
fn provable_by(setup: &Setup, form: NumberFormat) -> Option<ProverSuccessBounds> {
    let position = Seat::Prover.index();
    let knows = setup.knows[position].as_ref();
    let queries = setup.queries[position];
    let decomposition = &setup.decomposition;
    let nothing_asked = knows.is_none() && queries == 0;
    if nothing_asked || decomposition.as_open().is_some() || !decomposition.has_claims() {
        return None;
    }
    // Without other settings, the prover reads the instance and searches for the flaw.
    let tried = match knows {
        None => proportion_by_queries(decomposition.as_ref(), queries),
        Some(_) => None,
    };
    let (knows, share, distribution) = if let Some(share) = tried {
        ("instance".to_owned(), share, FlawDistribution::EvenPlaces)
    } else {
        let knows = knows.unwrap_or(&Knowledge::Nothing);
        let blocks = knows.instance_blocks(decomposition.as_ref()).ok()?;
        let share = proportion_by_knowledge(decomposition, &blocks, queries)?;
        (knows.to_string(), share, FlawDistribution::Mu)
    };
    let worlds = decomposition.worlds().iter().map(|world| &world.weight);
    let all: Exact = worlds.clone().sum();
    let likeliest = worlds.max()? / all;
    Some(ProverSuccessBounds {
        knows,
        queries,
        distribution,
        instances: decomposition.worlds().len(),
        likeliest: ReportNumber::new(&likeliest, form),
        low: ReportNumber::new(&share.low, form),
        high: ReportNumber::new(&share.high, form),
    })
}

/// The report of `check` on a valid scenario.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckReport {
    /// Always true: an invalid scenario gives a [`CheckFailure`].
    pub ok: bool,
    pub title: String,
    /// The protocol's name.
    pub protocol: &'static str,
    /// The protocol as a scenario file writes it.
    pub parameters: String,
    pub problem: &'static str,
    /// The instance that is checked.
    pub instance: String,
    /// The truth of the root claim in each instance.
    pub truth: Truths,
    /// The number of instances.
    pub instances: usize,
    /// The root claim.
    pub claim: String,
    /// True if the root claim is true in the checked instance; null if its truth is unknown.
    pub claim_true: Option<bool>,
    /// True if the seed draws the instance of a debate.
    pub drawn: bool,
    /// True if the root claim is split into subclaims.
    pub splits: bool,
    /// The limits on written claims, if players write the claims during the debate.
    pub open: Option<OpenLimits>,
    pub claims: ClaimCount,
    pub leaves: ClaimCount,
    pub depth: u32,
    pub width: u32,
    /// r, the weight of a round divided by that of the next round; null if all rounds have the same weight.
    pub reward_ratio: Option<ReportNumber>,
    /// Stability by PE Definition 5.3; null under rules that do not depend on it.
    pub stability: Option<StabilityReport>,
    /// The reason why the decomposition is unstable, as a sentence.
    pub unstable: Option<String>,
    /// Advice: a change that would make the decomposition stable.
    pub mend: Option<String>,
    /// The probability that all claims can be proved (PE Definition 5.2).
    pub provable: Option<ReportNumber>,
    /// The same probability for a prover with the requested knowledge; null if none was requested or the
    /// probability is unknown.
    pub provable_by: Option<ProverSuccessBounds>,
    /// The greatest probability with which a judge may err on a leaf such that `bounds.completeness` holds;
    /// null if that bound is not promised.
    pub judge_error_allowed: Option<ReportNumber>,
    /// The tolerable judge errors between honest Alice and the scenario's own Bob, in addition to that bound.
    /// Null if no player judges leaves or the computation takes too long here (`solve --judge-errors` allows
    /// more time).
    pub judge_errors: Option<CheckedJudgeErrors>,
    /// The Lipschitz constant K of a random computation.
    pub lipschitz: Option<LipschitzReport>,
    pub bounds: BoundsReport,
    /// The hypotheses of `bounds.completeness` (PE Lemma A.5), which is null unless all of them hold. Empty
    /// under other rules, and if players write the claims.
    pub completeness_hypotheses: Vec<Hypothesis>,
    /// The hypotheses under which lies earn less. Empty under rules without such a promise, and if players
    /// write the claims.
    pub soundness_hypotheses: Vec<Hypothesis>,
    /// The statements of the papers that the figures depend on, with their status.
    pub statements: Vec<StatusReport>,
    /// The bounds that each playable protocol promises, and the lower bounds that hold for every protocol.
    pub query_bounds: Vec<QueryBoundReport>,
    /// Honest Alice's losses, with `--in-practice`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_practice: Option<InPracticeReport>,
    pub warnings: Vec<String>,
}

impl CheckReport {
    /// True if every hypothesis of PE Lemma A.5 holds, including stability.
    pub fn all_hypotheses_hold(&self) -> bool {
        self.bounds.completeness.is_some()
    }
}

/// PE Definition 5.2 for the class of provers with the given knowledge and number of leaf queries before they
/// speak: the greatest probability with which one of them answers every claim truly.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProvableBy"))]
pub struct ProverSuccessBounds {
    /// The knowledge, in the syntax of `--prover-knows`. `instance` means a prover who reads the instance and
    /// knows if it contains a flaw, but not where the flaw is.
    pub knows: String,
    pub queries: u32,
    pub distribution: FlawDistribution,
    /// The number of instances of μ; `likeliest` is the proportion of the likeliest one.
    pub instances: usize,
    pub likeliest: ReportNumber,
    pub low: ReportNumber,
    /// The upper bound on the probability; equal to `low` if the best plan is known.
    pub high: ReportNumber,
}

/// The distribution that a probability of provability refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FlawDistribution {
    /// μ, as in PE Definition 5.2.
    Mu,
    /// In each instance, the flaw is equally likely at each of its possible positions, whatever μ says. The prover
    /// guesses the leaves that were not queried. This models instances that nobody has seen before.
    EvenPlaces,
}

/// The tolerable judge errors between honest Alice and an estimator or challenger.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckedJudgeErrors {
    pub opponent: String,
    #[serde(flatten)]
    pub errors: JudgeErrors<ReportNumber>,
}

/// The report of `check` on an invalid scenario.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckFailure {
    /// Always false.
    pub ok: bool,
    /// The scenario as the user named it.
    pub scenario: String,
    pub error: String,
}

/// The result of `check` for one scenario.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Checked {
    Valid(Box<CheckReport>),
    Invalid(CheckFailure),
}

/// The truth of the root claim; null if it is unknown.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Truths {
    /// The truth of the root claim in the only instance.
    One(Option<bool>),
    /// The truth of the root claim in each of the first instances.
    Each(Vec<Option<bool>>),
}

/// A count; a string of digits if it exceeds the range of a JSON number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ClaimCount {
    Number(u64),
    Digits(String),
}

impl From<&BigUint> for ClaimCount {
    fn from(count: &BigUint) -> Self {
        count
            .to_u64()
            .map_or_else(|| Self::Digits(count.to_string()), Self::Number)
    }
}

impl std::fmt::Display for ClaimCount {
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
    pub epsilon: ReportNumber,
    pub rho: ReportNumber,
    /// Null if the stability is unknown.
    pub stable: Option<bool>,
    /// The claim whose support an estimator can move most.
    pub worst_claim: Option<String>,
    pub worst_deviation: ReportNumber,
    /// ρε, the greatest permitted deviation.
    pub allowed: ReportNumber,
    pub worst_instance: Option<String>,
    /// The proportion of instances that are stable.
    pub share: ReportNumber,
    /// The least number of independent pieces of evidence per subclaim that makes the decomposition stable, found by
    /// trying.
    pub copies: Option<u64>,
    /// The number of pieces that the proof of PE Theorem 8.3 needs for this ρ: 2 ln(w/(ρε)) / ln(1/(6ε(1 − 3ε/2))). The
    /// theorem itself is for ρ = 1/2.
    pub copies_needed: Option<u64>,
    /// True if the checked instance is stable on its own.
    pub instance_stable: Option<bool>,
    /// The evidence counts, for a decomposition that is made stable.
    pub evidence: Option<EvidenceReport>,
}

/// The evidence counts of a decomposition that is made stable.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EvidenceReport {
    /// w, the number of subclaims of a claim.
    pub inputs: u64,
    /// κ, the number of pieces of evidence for each subclaim.
    pub copies: u32,
    /// κ as printed in the paper, for ρ = 1/2: the second of two expressions. Null if ε ≥ 1/3.
    pub copies_printed: Option<u64>,
    /// The first of the proof's two printed expressions for κ, which is twice as large as the second.
    pub copies_printed_first: Option<u64>,
    /// κ by the proof of PE Theorem 8.3, for this ρ: 2 ln(w/(ρε)) / ln(1/(6ε(1 − 3ε/2))).
    pub copies_needed: Option<u64>,
    /// True if ρ is 1/2, as the theorem and its printed numbers assume.
    pub theorem_is_for_this_rho: bool,
    /// The least κ, by exact search.
    pub copies_least: Option<u64>,
    /// q, the width of a support.
    pub width: u32,
    /// s = κ^d, the number of pieces of evidence for a claim.
    pub pieces: ClaimCount,
    /// Null if some truth is unknown, or if there are too many claims.
    pub errors: Option<EvidenceErrors<ReportNumber>>,
}

/// The Lipschitz constant of a random computation: how much its answer can change if its oracle changes a little.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LipschitzReport {
    /// A lower bound on the least K.
    pub low: ReportNumber,
    /// A K that suffices.
    pub high: ReportNumber,
    /// The K that the scenario claims.
    pub claimed: Option<ReportNumber>,
    /// The K that the protocol uses.
    pub k: ReportNumber,
    /// The number of steps that ask the oracle. This K always suffices (DE §6).
    pub steps: u64,
}

/// The bounds that the rules promise.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoundsReport {
    /// The verifier's maximum expenses, by kind.
    #[serde(flatten)]
    pub most: BTreeMap<String, u64>,
    /// The least payoff that honest Alice expects (PE Lemma A.5); absent unless all of
    /// `completeness_hypotheses` hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completeness: Option<ReportNumber>,
    /// The term that PE Lemma A.4 adds to r^(d+1)·P[A = L]. The lemma's printed proof fails (Errata 1 and 6);
    /// it is open if the lemma holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soundness_offset: Option<ReportNumber>,
    /// DE Theorem 6.2, machine-checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries_on_average: Option<ExpectedQueries>,
    /// DE §4.1: numbers of debates whose majority errs rarely, if the honest player wins each with probability at least
    /// 3/5 (DE Theorem 6.2). Absent under rules without this bound.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repetitions: Vec<RepetitionReport>,
}

/// A bound that a protocol promises, or a lower bound for every protocol.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum QueryBoundReport {
    /// A protocol's promise.
    Promise {
        /// The protocol as scenario files write it.
        protocol: String,
        /// The verifier's maximum expenses, by kind.
        #[serde(flatten)]
        most: BTreeMap<String, u64>,
        /// The theorems that prove the promise.
        sources: Vec<&'static str>,
    },
    /// A lower bound for every debate about this function.
    Law {
        /// The lower bound, in words.
        about: &'static str,
        bits_read: u64,
        /// The theorem that proves the lower bound.
        sources: [&'static str; 1],
    },
}
