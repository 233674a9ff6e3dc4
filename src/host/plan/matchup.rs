//! Two debates to compare: the rules and the players of each.

use super::{DebatePlan, DebatePlanError, players};
use debate_core::protocol::{Protocol, ProtocolKind, Seat};
use debate_core::{Exact, PlayerSpec};
use debate_solver::registry;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, default_protocol};
use debate_solver::simulate::RulesAndPlayers;

/// Returns one side of a comparison: rules and players. A seat for which no flag names a player has the scenario's
/// player.
///
/// # Errors
/// If a name is not the name of a player, a seat is human, or the rules are too deep for the scenario.
pub fn side(
    setup: &LoadedScenario,
    flags: [Option<&str>; 3],
    protocol: Protocol,
    limits: &ScenarioLimits,
) -> Result<RulesAndPlayers, DebatePlanError> {
    setup.check_depth(&protocol, limits)?;
    let players = players(flags, &[None], setup, &protocol)?;
    if players.iter().any(PlayerSpec::is_human) {
        return Err(DebatePlanError::People);
    }
    Ok(RulesAndPlayers { protocol, players })
}

/// Returns this side of a comparison under other rules, or with another player. `text` is a protocol, a player, or a
/// player with its seat (`opponent=random`). The name of the scenario's protocol, without parameters, means that
/// protocol.
///
/// # Errors
/// If the text is neither a protocol nor a player, or is a player that fits several seats.
pub fn versus(
    setup: &LoadedScenario,
    side: &RulesAndPlayers,
    flags: [Option<&str>; 3],
    text: &str,
    limits: &ScenarioLimits,
) -> Result<RulesAndPlayers, DebatePlanError> {
    let names = |kind: &ProtocolKind| {
        text.trim_start()
            .starts_with(kind.protocol_name_in_scenarios())
    };
    let protocol = match Protocol::parse(text) {
        Ok(protocol) => protocol,
        // The name suffices for the scenario's own rules.
        Err(_) if setup.protocol.kind().protocol_name_in_scenarios() == text.trim() => {
            setup.protocol.clone()
        }
        Err(error) if ProtocolKind::ALL.iter().any(names) => return Err(error.into()),
        Err(_) => return with_player(side, text),
    };
    // A player that the other rules do not know is replaced by the scenario's player, or by the default of these rules.
    let registry = registry::<Exact>();
    let kept = Seat::PLAYERS.map(|seat| {
        let named = PlayerSpec::parse(flags[seat.seat_index()]?).ok()?;
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
fn with_player(side: &RulesAndPlayers, text: &str) -> Result<RulesAndPlayers, DebatePlanError> {
    let (seat, name) = split_seat_and_player(text);
    let spec = PlayerSpec::parse(name)?;
    let registry = registry::<Exact>();
    let kind = side.protocol.kind();
    let is_meant = |of: &Seat| {
        seat.is_none_or(|named| named == of.name_in_flags_and_json() || named == kind.title(*of))
    };
    let takes = |of: &Seat| registry.find(&spec.name, *of, kind).is_ok();
    let seats = Seat::PLAYERS.into_iter().filter(is_meant).filter(takes);
    match seats.collect::<Vec<_>>()[..] {
        [] => Err(DebatePlanError::UnknownSide {
            text: text.to_owned(),
            protocol: kind.protocol_name(),
        }),
        [seat] => {
            let mut other = side.clone();
            other.players[seat.seat_index()] = spec;
            Ok(other)
        }
        _ => Err(DebatePlanError::SeveralSeats(name.to_owned())),
    }
}

/// The name of the default opponent under plain recursion, a challenger.
const CHALLENGER: &str = "bounded(0)";

/// Returns plain recursion and prover-estimator debate; `None` if the problem cannot be debated under both.
/// Prover-estimator debate has the scenario's parameters, or the default ones if the scenario has another protocol.
pub fn recursion_and_prover_estimator_protocols(setup: &LoadedScenario) -> Option<[Protocol; 2]> {
    let own = match setup.protocol.kind() {
        ProtocolKind::ProverEstimator => setup.protocol.clone(),
        _ => default_protocol(),
    };
    let recursive = Protocol::parse(ProtocolKind::Recursive.protocol_name_in_scenarios()).ok()?;
    let both = [recursive, own];
    let fits = |protocol: &Protocol| protocol.fits_problem(setup.decomposition.as_ref());
    both.iter().all(fits).then_some(both)
}

/// Returns a side of a comparison under plain recursion or prover-estimator debate. Under plain recursion, unless it is
/// the scenario's own protocol, a challenger without lookups is the default opponent, because an estimator has no
/// lookups either. The default replaces an opponent that no flag names, or that plain recursion does not know.
///
/// # Errors
/// If a name is not the name of a player.
pub fn side_of_usual_protocol(
    setup: &LoadedScenario,
    protocol: &Protocol,
    flags: [Option<&str>; 3],
    limits: &ScenarioLimits,
) -> Result<RulesAndPlayers, DebatePlanError> {
    let base = side(setup, [None; 3], protocol.clone(), limits)?;
    let mut side = versus(setup, &base, flags, &protocol.to_string(), limits)?;
    let [_, opponent, _] = &side.players;
    let usual = protocol.kind() == ProtocolKind::Recursive
        && setup.protocol.kind() != ProtocolKind::Recursive
        && flags[1] != Some(&opponent.to_string());
    if usual {
        side.players[1] = PlayerSpec::parse(CHALLENGER)?;
    }
    Ok(side)
}

/// True if a scenario can be debated under both plain recursion and prover-estimator debate.
pub fn fits_recursion_and_prover_estimator(setup: &LoadedScenario) -> bool {
    setup.decomposition.as_open().is_none()
        && recursion_and_prover_estimator_protocols(setup).is_some()
}

/// Returns two plans with a debate's instance and coins: under plain recursion, and under prover-estimator debate. The
/// plan's own players are kept if the rules know them, and built-in players replace people.
///
/// # Errors
/// If the problem cannot be debated under both.
pub fn plans_under_both_protocols(plan: &DebatePlan) -> Result<[DebatePlan; 2], DebatePlanError> {
    let Some(usual) = recursion_and_prover_estimator_protocols(&plan.setup) else {
        return Err(DebatePlanError::NotComparable);
    };
    let limits = ScenarioLimits::default();
    let named = |player: &PlayerSpec| (!player.is_human()).then(|| player.to_string());
    let names = plan.players.each_ref().map(named);
    let registry = registry::<Exact>();
    let half = |protocol: &Protocol| -> Result<DebatePlan, DebatePlanError> {
        let sits = |seat: Seat| {
            let player = &plan.players[seat.seat_index()];
            registry.check_spec(player, seat, protocol.kind()).is_ok()
        };
        let flags =
            Seat::PLAYERS.map(|seat| names[seat.seat_index()].as_deref().filter(|_| sits(seat)));
        let side = side_of_usual_protocol(&plan.setup, protocol, flags, &limits)?;
        Ok(plan.compared_plan_with_rules_and_players(side))
    };
    Ok([half(&usual[0])?, half(&usual[1])?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_solver::setup::bundled_scenarios;

    #[test]
    fn every_comparison_has_players_under_both_rules() {
        let mut compared = 0;
        for scenario in bundled_scenarios() {
            let setup =
                LoadedScenario::load_bundled_scenario(scenario.name, &ScenarioLimits::default())
                    .unwrap();
            let Some(usual) = recursion_and_prover_estimator_protocols(&setup)
                .filter(|_| fits_recursion_and_prover_estimator(&setup))
            else {
                continue;
            };
            let registry = registry::<Exact>();
            for protocol in usual {
                let side = side_of_usual_protocol(
                    &setup,
                    &protocol,
                    [None; 3],
                    &ScenarioLimits::default(),
                )
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
