//! How wrong a judge may be, as far as `check` has the time to find out.

use super::CheckedJudgeErrors;
use crate::expectation::{NumberFormat, ReportNumber};
use crate::setup::Setup;
use crate::theory::JudgeErrorsReport;
use crate::theory::judge_error::JudgedDebate;
use debate_core::budget::Budget;
use debate_core::number::Exact;
use debate_core::player::{Registry, Spec};
use debate_core::protocol::{Protocol, Seat};
use debate_core::scenario::Instance;

/// The most instances of μ.
const MAX_INSTANCES: usize = 64;
/// The most replies for one instance before one judge.
const MAX_REPLIES: u64 = 5_000;
/// The most claims of an instance.
const MAX_CLAIMS: u32 = 200;

/// Between honest Alice and the scenario's own Bob; `None` where there is nothing to be found, or not
/// in a short time.
pub(super) fn between_honest_and_own(
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
        || worlds.len() > MAX_INSTANCES
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
    let total: Exact = worlds.iter().map(|world| &world.weight).sum();
    let instances: Vec<(Exact, Instance)> = match setup.requested_world {
        Some(world) => vec![(Exact::from_integer(1.into()), setup.instance(world))],
        None => (0..)
            .zip(worlds)
            .map(|(world, known)| (&known.weight / &total, setup.instance(world)))
            .collect(),
    };
    let debate = JudgedDebate {
        registry: &registry,
        protocol,
        players: &players,
        instances: &instances,
    };
    let budget = Budget::default().with_steps(MAX_REPLIES);
    let errors = debate.errors(budget).ok()?;
    let allowed = protocol.conditions().epsilon_and_rho();
    let allowed = allowed.map(|(epsilon, rho)| epsilon * rho);
    let number = |value: &Exact| ReportNumber::new(value, form);
    Some(CheckedJudgeErrors {
        opponent: opponent.to_owned(),
        errors: JudgeErrorsReport::of(&errors, allowed.as_ref(), &number),
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
