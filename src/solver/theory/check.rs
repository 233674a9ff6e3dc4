//! `check`: how large a scenario is, whether it is stable, and what the theorems promise.

mod report;
mod theorems;

use std::collections::BTreeMap;

use crate::analysis::DebateSolver;
use crate::expectation::{NumberFormat, ReportNumber};
use crate::setup::Setup;
use crate::theory::papers::standings;
use crate::theory::provability::{ProvableShare, by_blocks, by_trying};
use debate_core::budget::Budget;
use debate_core::number::{Exact, short};
use debate_core::player::prover_estimator::slow;
use debate_core::player::{Knowledge, Registry, Spec};
use debate_core::protocol::{self, Bound, Protocol, Seat};
use debate_core::scenario::{Blind, Instance};
pub use report::{
    AverageQueries, BoundsReport, CheckFailure, CheckReport, Checked, CheckedJudgeErrors,
    ClaimCount, EvidenceReport, FlawDistribution, LipschitzReport, OpenLimits, ProvableBy,
    QueryBoundReport, StabilityReport, Truths,
};

/// How many instances have their truths listed.
const MAX_LISTED: usize = 1000;
/// The most instances of μ for which it is found how wrong the judge may be.
const MAX_JUDGED_INSTANCES: usize = 64;
/// The most replies for one instance before one judge.
const MAX_REPLIES: u64 = 5_000;
/// The most claims of an instance.
const MAX_CLAIMS: u32 = 200;

/// Looks at a scenario under a protocol.
///
/// # Errors
/// The protocol does not suit the scenario's problem; a sentence.
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
    let mut warnings = Vec::new();
    if worlds.len() > MAX_LISTED {
        let count = worlds.len();
        warnings.push(format!(
            "of {count} instances only the first {MAX_LISTED} truths are listed"
        ));
    }
    let truths = match worlds.len() {
        1 => Truths::One(truth(0)),
        count => Truths::Each((0..count.min(MAX_LISTED)).map(truth).collect()),
    };
    if let Some((open, _)) = decomposition.as_open() {
        warnings.push(format!(
            "open: Alice writes the subclaims, so nobody can tell beforehand whether it is true, \
             stable or provable, and honest Alice's bound is not promised; she splits claims up \
             to {} levels deep, in up to {} parts each, and people judge",
            open.depth, open.width
        ));
    } else if !decomposition.is_decidable(world) {
        warnings.push(
            "some claims cannot be decided here: players that need every truth are refused"
                .to_owned(),
        );
    }
    protocol
        .suits(decomposition.as_ref())
        .map_err(|misfit| format!("{}: {misfit}", setup.origin))?;
    let instance = setup.instance(world);
    let mut report = CheckReport {
        ok: true,
        title: setup.title.clone(),
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
        open: instance.open().map(|open| OpenLimits {
            depth: open.depth,
            width: open.width,
        }),
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
        soundness_hypotheses: Vec::new(),
        statements: standings(protocol.kind()),
        query_bounds: query_bounds(&instance, protocol),
        warnings,
    };
    theorems::add_theorems(&mut report, setup, protocol, &instance, form);
    if protocol.conditions().has_estimator() {
        let slow = slow(&Blind::new(&instance)).into_iter();
        report.warnings.extend(slow.map(|(name, takes)| {
            format!(
                "{name} as Bob takes about {} s for a reply here, and the screen stands still for \
                 as long; a smaller scenario or another player does not",
                short(takes.as_secs_f64(), 1)
            )
        }));
    }
    Ok(report)
}

/// The most that is spent, by what is spent.
fn by_expense(bounds: &[Bound]) -> BTreeMap<String, u64> {
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

/// Between honest Alice and the scenario's own Bob; `None` where there is nothing to be found, or not
/// in a short time.
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
    let registry: Registry<Exact> = crate::registry();
    let opponent = own_opponent(setup, protocol, &registry);
    let players = [
        Spec::named("honest"),
        Spec::parse(opponent).ok()?,
        Spec::named("oracle"),
    ];
    let asked = setup.worlds(None).ok()?.into_iter();
    let instances: Vec<(Exact, Instance)> = asked
        .map(|(share, world)| (share, setup.instance(world)))
        .collect();
    let solver = DebateSolver {
        registry: &registry,
        protocol,
        players: &players,
        grid: &[],
    };
    let budget = Budget::default().with_steps(MAX_REPLIES);
    let errors = solver.judge_errors(&instances, budget).ok()?;
    Some(CheckedJudgeErrors {
        opponent: opponent.to_owned(),
        errors: errors.map(&|value| ReportNumber::new(value, form)),
    })
}

/// The scenario's own opponent where it is a built-in strategy of these rules, else their default.
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
    own.unwrap_or_else(|| registry.default_for(Seat::Opponent, kind))
}

/// The share of μ that can be proved by a prover who knows what the setup says of her.
fn provable_by(setup: &Setup, form: NumberFormat) -> Option<ProvableBy> {
    let place = Seat::Prover.index();
    let (knows, queries) = (setup.knows[place].as_ref(), setup.queries[place]);
    let decomposition = &setup.decomposition;
    if decomposition.as_open().is_some() || !decomposition.has_claims() {
        return None;
    }
    let (knows, share) = match knows {
        None if queries == 0 => return None,
        None => match by_trying(decomposition.as_ref(), queries) {
            Some(share) => ("instance".to_owned(), share),
            None => return provable_by_blocks(setup, &Knowledge::Nothing, queries, form),
        },
        Some(knows) => return provable_by_blocks(setup, knows, queries, form),
    };
    let over_mu = provable(knows, queries, &share, form);
    Some(ProvableBy {
        distribution: FlawDistribution::EvenPlaces,
        ..over_mu
    })
}

fn provable_by_blocks(
    setup: &Setup,
    knows: &Knowledge,
    queries: u32,
    form: NumberFormat,
) -> Option<ProvableBy> {
    let blocks = knows.blocks(setup.decomposition.as_ref()).ok()?;
    let share = by_blocks(&setup.decomposition, &blocks, queries)?;
    Some(provable(knows.to_string(), queries, &share, form))
}

fn provable(knows: String, queries: u32, share: &ProvableShare, form: NumberFormat) -> ProvableBy {
    ProvableBy {
        knows,
        queries,
        distribution: FlawDistribution::Mu,
        low: ReportNumber::new(&share.low, form),
        high: ReportNumber::new(&share.high, form),
    }
}
