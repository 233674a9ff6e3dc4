//! Two debates to compare: the rules and the players of each.

use super::{DebatePlan, PlanError, players};
use debate_core::protocol::{Kind, Protocol, Seat};
use debate_core::{Exact, Spec};
use debate_solver::registry;
use debate_solver::setup::{Limits, Setup, default_protocol};
use debate_solver::simulate::SimulationSide;

/// Returns one side of a comparison: rules and players. A seat for which no flag names a player has the scenario's
/// player.
///
/// # Errors
/// If a name is not the name of a player, a seat is human, or the rules are too deep for the scenario.
pub fn side(
    setup: &Setup,
    flags: [Option<&str>; 3],
    protocol: Protocol,
    limits: &Limits,
) -> Result<SimulationSide, PlanError> {
    setup.check_depth(&protocol, limits)?;
    let players = players(flags, &[None], setup, &protocol)?;
    if players.iter().any(Spec::is_human) {
        return Err(PlanError::People);
    }
    Ok(SimulationSide { protocol, players })
}

/// Returns this side of a comparison under other rules, or with another player. `text` is a protocol, a player, or a
/// player with its seat (`opponent=random`). The name of the scenario's protocol, without parameters, means that
/// protocol.
///
/// # Errors
/// If the text is neither a protocol nor a player, or is a player that fits several seats.
pub fn versus(
    setup: &Setup,
    side: &SimulationSide,
    flags: [Option<&str>; 3],
    text: &str,
    limits: &Limits,
) -> Result<SimulationSide, PlanError> {
    let names = |kind: &Kind| text.trim_start().starts_with(kind.variant_name());
    let protocol = match Protocol::parse(text) {
        Ok(protocol) => protocol,
        // The name suffices for the scenario's own rules.
        Err(_) if setup.protocol.kind().variant_name() == text.trim() => setup.protocol.clone(),
        Err(error) if Kind::ALL.iter().any(names) => return Err(error.into()),
        Err(_) => return with_player(side, text),
    };
    // A player that the other rules do not know is replaced by their default.
    let registry = registry::<Exact>();
    let kept = Seat::PLAYERS.map(|seat| {
        let named = Spec::parse(flags[seat.index()]?).ok()?;
        let known = registry.spec_without_invalid_arguments(&named, seat, protocol.kind())?;
        Some(known.to_string())
    });
    let flags = kept.each_ref().map(Option::as_deref);
    self::side(setup, flags, protocol, limits)
}

/// Splits a text into a player and, if the text names one, a seat: `opponent=bayes`, or `bayes`.
pub fn split_seat_and_player(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((seat, name)) if !seat.contains('(') => (Some(seat.trim()), name),
        _ => (None, text),
    }
}

/// Returns this side of a comparison with another player in the only seat that the player can take.
fn with_player(side: &SimulationSide, text: &str) -> Result<SimulationSide, PlanError> {
    let (seat, name) = split_seat_and_player(text);
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

/// The name of the default opponent under plain recursion, a challenger.
const CHALLENGER: &str = "bounded(0)";

/// Returns two protocols, plain recursion and prover-estimator debate with the scenario's parameters; `None` if the
/// problem cannot be debated under both.
pub fn recursion_and_prover_estimator(setup: &Setup) -> Option<[Protocol; 2]> {
    let own = match setup.protocol.kind() {
        Kind::ProverEstimator => setup.protocol.clone(),
        _ => default_protocol(),
    };
    let recursive = Protocol::parse(Kind::Recursive.variant_name()).ok()?;
    let both = [recursive, own];
    let fits = |protocol: &Protocol| protocol.fits_problem(setup.decomposition.as_ref());
    both.iter().all(fits).then_some(both)
}

/// Returns a side of a comparison under plain recursion or prover-estimator debate. Under plain recursion, the default
/// opponent is a challenger without lookups, because an estimator has none either.
///
/// # Errors
/// If a name is not the name of a player.
pub fn side_of_usual_protocol(
    setup: &Setup,
    protocol: &Protocol,
    flags: [Option<&str>; 3],
    limits: &Limits,
) -> Result<SimulationSide, PlanError> {
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

/// True if a scenario can be debated under both plain recursion and prover-estimator debate.
pub fn fits_recursion_and_prover_estimator(setup: &Setup) -> bool {
    setup.decomposition.as_open().is_none() && recursion_and_prover_estimator(setup).is_some()
}

/// Returns two plans with a debate's instance and coins: under plain recursion, and under prover-estimator debate. The
/// plan's own players are kept if the rules know them, and built-in players replace people.
///
/// # Errors
/// If the problem cannot be debated under both.
pub fn plans_under_both_protocols(plan: &DebatePlan) -> Result<[DebatePlan; 2], PlanError> {
    let Some(usual) = recursion_and_prover_estimator(&plan.setup) else {
        return Err(PlanError::NotComparable);
    };
    let limits = Limits::default();
    let named = |player: &Spec| (!player.is_human()).then(|| player.to_string());
    let names = plan.players.each_ref().map(named);
    let registry = registry::<Exact>();
    let half = |protocol: &Protocol| -> Result<DebatePlan, PlanError> {
        let sits = |seat: Seat| {
            let player = &plan.players[seat.index()];
            registry.check_spec(player, seat, protocol.kind()).is_ok()
        };
        let flags = Seat::PLAYERS.map(|seat| names[seat.index()].as_deref().filter(|_| sits(seat)));
        let side = side_of_usual_protocol(&plan.setup, protocol, flags, &limits)?;
        Ok(plan.with_side(side))
    };
    Ok([half(&usual[0])?, half(&usual[1])?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_solver::setup::bundled;

    #[test]
    fn every_comparison_has_players_under_both_rules() {
        let mut compared = 0;
        for scenario in bundled() {
            let setup = Setup::bundled(scenario.name, &Limits::default()).unwrap();
            let Some(usual) = recursion_and_prover_estimator(&setup)
                .filter(|_| fits_recursion_and_prover_estimator(&setup))
            else {
                continue;
            };
            let registry = registry::<Exact>();
            for protocol in usual {
                let side = side_of_usual_protocol(&setup, &protocol, [None; 3], &Limits::default())
                    .unwrap_or_else(|_| panic!("{}", scenario.name));
                for (seat, player) in Seat::PLAYERS.into_iter().zip(&side.players) {
                    let known = registry.check_spec(player, seat, protocol.kind());
                    known.unwrap_or_else(|why| panic!("{}: {why}", scenario.name));
                }
            }
            compared += 1;
        }
        assert!(compared > 10, "{compared}");
    }
}
