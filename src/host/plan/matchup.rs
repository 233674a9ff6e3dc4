//! Two debates to compare: the rules and the players of each.

use super::{DebatePlan, PlanError, players};
use debate_core::protocol::{Kind, Protocol, Seat};
use debate_core::{Exact, Spec};
use debate_solver::registry;
use debate_solver::setup::{Limits, Setup, default_protocol};
use debate_solver::simulate::Side;

/// Players and rules. A seat that the flags (prover, opponent, judge) do not name is as the
/// scenario says.
///
/// # Errors
/// If a name is no player's, people sit at the table, or the rules are too deep for the scenario.
pub fn side(
    setup: &Setup,
    flags: [Option<&str>; 3],
    protocol: Protocol,
    limits: &Limits,
) -> Result<Side, PlanError> {
    setup.check_depth(&protocol, limits)?;
    let players = players(flags, &[None], setup, &protocol)?;
    if players.iter().any(Spec::is_human) {
        return Err(PlanError::People);
    }
    Ok(Side { protocol, players })
}

/// This side under other rules, or with another player: `text` is a protocol, a player, or a player
/// with its seat (`opponent=random`). The name alone of the scenario's own protocol is that one.
///
/// # Errors
/// If the text names neither rules nor a player, or a player who fits several seats.
pub fn versus(
    setup: &Setup,
    side: &Side,
    flags: [Option<&str>; 3],
    text: &str,
    limits: &Limits,
) -> Result<Side, PlanError> {
    let names = |kind: &Kind| text.trim_start().starts_with(kind.variant());
    let protocol = match Protocol::parse(text) {
        Ok(protocol) => protocol,
        // Of the rules that the scenario is played by the name is enough.
        Err(_) if setup.protocol.kind().variant() == text.trim() => setup.protocol.clone(),
        Err(error) if Kind::ALL.iter().any(names) => return Err(error.into()),
        Err(_) => return with_player(side, text),
    };
    // A player that the other rules do not know gives way to theirs.
    let registry = registry::<Exact>();
    let kept = Seat::PLAYERS.map(|seat| {
        let named = Spec::parse(flags[seat.index()]?).ok()?;
        let known = registry.known(&named, seat, protocol.kind())?;
        Some(known.to_string())
    });
    let flags = kept.each_ref().map(Option::as_deref);
    self::side(setup, flags, protocol, limits)
}

/// A seat, if one is named, and a player: `opponent=bayes`, or `bayes`.
pub fn seat_and_name(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((seat, name)) if !seat.contains('(') => (Some(seat.trim()), name),
        _ => (None, text),
    }
}

/// This side with another player in the one seat that it can take.
fn with_player(side: &Side, text: &str) -> Result<Side, PlanError> {
    let (seat, name) = seat_and_name(text);
    let spec = Spec::parse(name)?;
    let registry = registry::<Exact>();
    let kind = side.protocol.kind();
    let is_meant =
        |of: &Seat| seat.is_none_or(|named| named == of.name() || named == kind.title(*of));
    let takes = |of: &Seat| registry.find(&spec.name, *of, kind).is_ok();
    let seats = Seat::PLAYERS.into_iter().filter(is_meant).filter(takes);
    match seats.collect::<Vec<_>>()[..] {
        [] => Err(PlanError::UnknownSide {
            text: text.to_owned(),
            protocol: kind.name(),
        }),
        [seat] => {
            let mut other = side.clone();
            other.players[seat.index()] = spec;
            Ok(other)
        }
        _ => Err(PlanError::SeveralSeats(name.to_owned())),
    }
}

/// The challenger under plain recursion where nobody else is named.
const CHALLENGER: &str = "bounded(0)";

/// Plain recursion, and prover-estimator debate as the scenario has it; `None` where the problem
/// is not debated under both.
pub fn usual(setup: &Setup) -> Option<[Protocol; 2]> {
    let own = match setup.protocol.kind() {
        Kind::ProverEstimator => setup.protocol.clone(),
        _ => default_protocol(),
    };
    let recursive = Protocol::parse(Kind::Recursive.variant()).ok()?;
    let both = [recursive, own];
    let fits = |protocol: &Protocol| protocol.fits(setup.decomposition.as_ref());
    both.iter().all(fits).then_some(both)
}

/// A side under one of the usual rules. Under plain recursion a challenger who can look nothing up
/// sits against the prover where nobody else is named: an estimator cannot either.
///
/// # Errors
/// If a name is no player's.
pub fn usual_side(
    setup: &Setup,
    protocol: &Protocol,
    flags: [Option<&str>; 3],
    limits: &Limits,
) -> Result<Side, PlanError> {
    let base = side(setup, [None; 3], protocol.clone(), limits)?;
    let mut side = versus(setup, &base, flags, &protocol.to_string(), limits)?;
    let [_, opponent, _] = &side.players;
    let usual = protocol.kind() == Kind::Recursive
        && setup.protocol.kind() != Kind::Recursive
        && flags[1] != Some(&opponent.to_string());
    if usual {
        side.players[1] = Spec::parse(CHALLENGER)?;
    }
    Ok(side)
}

/// True if a scenario can be debated under both usual rules.
pub fn is_comparable(setup: &Setup) -> bool {
    setup.decomposition.as_open().is_none() && usual(setup).is_some()
}

/// A debate's instance and coins under both usual rules. The plan's own players sit where the
/// rules know them, and built-in ones where people sat.
///
/// # Errors
/// If the problem is not debated under both.
pub fn usual_plans(plan: &DebatePlan) -> Result<[DebatePlan; 2], PlanError> {
    let Some(usual) = usual(&plan.setup) else {
        return Err(PlanError::NotComparable);
    };
    let limits = Limits::default();
    let named = |player: &Spec| (!player.is_human()).then(|| player.to_string());
    let names = plan.players.each_ref().map(named);
    let registry = registry::<Exact>();
    let half = |protocol: &Protocol| -> Result<DebatePlan, PlanError> {
        let sits = |seat: Seat| {
            let player = &plan.players[seat.index()];
            registry.check(player, seat, protocol.kind()).is_ok()
        };
        let flags = Seat::PLAYERS.map(|seat| names[seat.index()].as_deref().filter(|_| sits(seat)));
        let side = usual_side(&plan.setup, protocol, flags, &limits)?;
        Ok(plan.with_side(side))
    };
    Ok([half(&usual[0])?, half(&usual[1])?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_solver::setup::bundled;

    #[test]
    fn whatever_can_be_compared_has_players_under_both_rules() {
        let mut compared = 0;
        for scenario in bundled() {
            let setup = Setup::bundled(scenario.name, &Limits::default()).unwrap();
            let Some(usual) = usual(&setup).filter(|_| is_comparable(&setup)) else {
                continue;
            };
            let registry = registry::<Exact>();
            for protocol in usual {
                let side = usual_side(&setup, &protocol, [None; 3], &Limits::default())
                    .unwrap_or_else(|_| panic!("{}", scenario.name));
                for (seat, player) in Seat::PLAYERS.into_iter().zip(&side.players) {
                    let known = registry.check(player, seat, protocol.kind());
                    known.unwrap_or_else(|why| panic!("{}: {why}", scenario.name));
                }
            }
            compared += 1;
        }
        assert!(compared > 10, "{compared}");
    }
}
