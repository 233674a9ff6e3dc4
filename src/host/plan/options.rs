//! The options of a debate, from which a plan is made.

use std::path::PathBuf;
use std::sync::Arc;

use super::{DebatePlan, DebatePlanError};
use crate::engine::{EngineWaitAndRetryLimits, ModelProgramAndNamedModels};
use crate::message::DebateOverrides;
use crate::record::{self, add_recent_scenario};
use debate_core::player::{ERRS, PlayerSpec, is_outside_player_name};
use debate_core::{Exact, Protocol, Seat, Seed};
use debate_solver::registry;
use debate_solver::setup::{LoadedScenario, ScenarioLimits, ScenarioTextSource};

/// The options of a debate: choices that a message of another program can also make, and limits that only this program
/// sets.
#[derive(Clone, Debug, Default)]
pub struct DebateOptions {
    pub choices: DebateOverrides,
    /// The seats that users play. The entry `None` means that the user watches and plays no seat.
    pub roles: Vec<Option<Seat>>,
    /// True if the values of replies are shown as hints from the start.
    pub hints: bool,
    /// Limits of a scenario.
    pub limits: ScenarioLimits,
    /// The limits and permissions of external players, and the settings of language models.
    pub engines: ExternalPlayerOptions,
}

impl DebateOptions {
    /// Makes the plan of a debate of a scenario, given by name or path.
    ///
    /// # Errors
    /// If the scenario cannot be read, or does not fit these choices.
    pub fn plan_named_scenario(&self, scenario: &str) -> Result<DebatePlan, DebatePlanError> {
        self.plan_loaded_scenario(LoadedScenario::find_scenario(scenario, &self.limits)?)
    }

    /// Makes the plan of a debate of a loaded scenario.
    ///
    /// # Errors
    /// If it does not fit these choices.
    pub fn plan_loaded_scenario(
        &self,
        mut setup: LoadedScenario,
    ) -> Result<DebatePlan, DebatePlanError> {
        let choices = &self.choices;
        let named = choices.players.player_names_by_seat();
        for name in named.into_iter().flatten() {
            self.engines
                .check_player_allowed(&PlayerSpec::parse(name)?)?;
        }
        load_player_files(&mut setup, named.into_iter().flatten(), &self.limits)?;
        let protocol = given_or_scenario_rules(choices.protocol.as_deref(), &setup, &self.limits)?;
        let seed = given_or_random_seed(choices.seed.as_deref())?;
        let asked = index_of_named_instance(choices.instance.as_deref(), &setup)?;
        let world = asked.unwrap_or_else(|| setup.world_of_debate(&seed, choices.number));
        let players = players(named, &self.roles, &setup, &protocol)?;
        // A scenario or its file may name models too.
        for player in players.iter().filter(|player| player.is_language_model()) {
            self.engines.check_player_allowed(player)?;
        }
        // A command that the caller names may run; one that only a file names needs permission.
        let of_file = |(spec, named): (&PlayerSpec, Option<&str>)| {
            spec.command_or_model_name().is_some() && named.is_none()
        };
        let by_file = players.iter().zip(named).any(of_file);
        let engines = ExternalPlayerOptions {
            allow_commands: self.engines.allow_commands || !by_file,
            ..self.engines.clone()
        };
        Ok(DebatePlan {
            debate: choices.number,
            world,
            fixed_world: asked.is_some(),
            blind: choices.blind,
            hints: self.hints,
            may_follow: named[Seat::Prover.seat_index()].is_none(),
            engines,
            ..DebatePlan::new(setup, protocol, seed, players)
        })
    }
}

/// The limits and permissions of external players, and the settings of language models.
#[derive(Clone, Debug, Default)]
pub struct ExternalPlayerOptions {
    /// True if commands that a file or a message to the server names may run.
    pub allow_commands: bool,
    pub limits: EngineWaitAndRetryLimits,
    pub models: Arc<ModelProgramAndNamedModels>,
    /// True if only built-in players are allowed: no program is started, and no player file is read. For users who are
    /// not trusted with this machine.
    pub confined: bool,
}

impl ExternalPlayerOptions {
    /// Checks that these options allow a player, which may be an external program or a player from a file.
    ///
    /// # Errors
    /// If the player is a program or comes from a file, and only built-in players are allowed; or if the player is a
    /// language model that cannot be asked.
    pub fn check_player_allowed(&self, player: &PlayerSpec) -> Result<(), DebatePlanError> {
        let is_outside =
            player.command_or_model_name().is_some() || player.player_file_argument().is_some();
        if self.confined && is_outside {
            return Err(DebatePlanError::Confined);
        }
        self.models
            .check_model_usable(player)
            .map_err(|why| DebatePlanError::Model {
                player: player.name.clone(),
                why,
            })
    }
}

/// The user's setting for saving debates: the default folder, another folder, or no save at all.
#[derive(Clone, Debug, Default)]
pub struct SaveStorageOptions {
    /// The folder for saves that the user asked for.
    pub folder: Option<PathBuf>,
    /// True if the debate is not saved.
    pub no_save: bool,
}

impl SaveStorageOptions {
    /// Returns options for a debate without a save.
    pub fn without_save() -> Self {
        Self {
            folder: None,
            no_save: true,
        }
    }

    /// Returns the folder of saves: the one that the user asked for, or else the default.
    ///
    /// # Errors
    /// If the platform has no data directory.
    pub fn saves_folder(&self) -> Result<PathBuf, DebatePlanError> {
        record::saves_folder(self.folder.as_deref()).map_err(DebatePlanError::Save)
    }

    /// Remembers that a scenario file was opened, so that it can be offered again. Does nothing for a scenario that is
    /// not a file, or if the debate is not saved.
    pub fn add_to_recent_scenarios(&self, setup: &LoadedScenario) {
        if let (ScenarioTextSource::File(path), false) = (&setup.origin, self.no_save)
            && let Ok(folder) = self.saves_folder()
        {
            // A convenience: an error here loses no data.
            let _ = add_recent_scenario(&folder, path);
        }
    }
}

/// Loads the files that players such as `trained(FILE)` name. Skips players without a file.
///
/// # Errors
/// If a file cannot be read.
pub fn load_player_files<'n>(
    setup: &mut LoadedScenario,
    names: impl IntoIterator<Item = &'n str>,
    limits: &ScenarioLimits,
) -> Result<(), DebatePlanError> {
    // An invalid name is refused at the place where it is used.
    for spec in names
        .into_iter()
        .filter_map(|name| PlayerSpec::parse(name).ok())
    {
        setup.load_player_file(&spec, limits)?;
    }
    Ok(())
}

/// Returns the protocol that the user named, or else the scenario's own protocol.
///
/// # Errors
/// If the text is not a protocol, or the scenario is too deep for it.
pub fn given_or_scenario_rules(
    given: Option<&str>,
    setup: &LoadedScenario,
    limits: &ScenarioLimits,
) -> Result<Protocol, DebatePlanError> {
    let protocol = match given {
        Some(text) => Protocol::parse(text)?,
        None => setup.protocol.clone(),
    };
    setup.check_depth(&protocol, limits)?;
    Ok(protocol)
}

/// Returns the index of the instance that the user named; `None` if the user named none.
///
/// # Errors
/// If the scenario has no instance of this name.
pub fn index_of_named_instance(
    name: Option<&str>,
    setup: &LoadedScenario,
) -> Result<Option<usize>, DebatePlanError> {
    let world = name.map(|name| setup.world_index(name));
    Ok(world.transpose()?)
}

/// Returns the seed that the user gave, or else a random one.
///
/// # Errors
/// If the text is not a seed.
pub fn given_or_random_seed(given: Option<&str>) -> Result<Seed, DebatePlanError> {
    match given {
        Some(text) => Seed::new(text).ok_or(DebatePlanError::Seed),
        None => Ok(Seed::random_seed(&mut rand::rng())),
    }
}

/// The name of the built-in estimator whose numbers hints recommend.
const REFERENCE: &str = "reference";

/// Returns the players of the debate: the named ones (prover, opponent, judge), else the scenario's own if they play
/// this protocol, else the protocol's defaults. Seats in `roles` are human. With any roles, the scenario makes no other
/// seat human, except in an open argument that the user does not only watch. In a bundled scenario under
/// prover-estimator rules, Bob opposite a person who plays Alice is the reference estimator unless `named` names
/// another one. Hints, reviews and this Bob then give the same numbers.
///
/// # Errors
/// If a name is not the name of a player, or the roles ask both to watch and to play.
pub fn players(
    named: [Option<&str>; 3],
    roles: &[Option<Seat>],
    setup: &LoadedScenario,
    protocol: &Protocol,
) -> Result<[PlayerSpec; 3], DebatePlanError> {
    if roles.contains(&None) && roles.len() > 1 {
        return Err(DebatePlanError::Roles);
    }
    let registry = registry::<Exact>();
    let kind = protocol.kind();
    // No strategy writes claims, so people keep the seats that the scenario gives them in an open argument, unless the
    // user only watches.
    let is_bundled = matches!(setup.origin, ScenarioTextSource::Bundled(_));
    let open = setup.decomposition.as_open().is_some();
    let gives_way = !roles.is_empty() && (!open || roles.contains(&None));
    let mut players = Seat::PLAYERS
        .map(|seat| PlayerSpec::without_arguments(registry.default_strategy_name(seat, kind)));
    for (seat, player) in Seat::PLAYERS.into_iter().zip(&mut players) {
        let flag = named[seat.seat_index()]
            .map(PlayerSpec::parse)
            .transpose()?;
        if roles.contains(&Some(seat)) {
            *player = PlayerSpec::without_arguments("human");
        } else if let Some(spec) = flag {
            *player = spec;
        } else if is_bundled
            && seat == Seat::Opponent
            && kind == debate_core::protocol::ProtocolKind::ProverEstimator
            && roles.contains(&Some(Seat::Prover))
        {
            *player = PlayerSpec::without_arguments(REFERENCE);
        } else if let Some(own) = own_player(setup, seat, protocol)?
            && !(own.is_human() && gives_way)
        {
            *player = own;
        }
    }
    Ok(players)
}

/// The name of the built-in prover that lies, and that also plays under rules without bets.
const OBFUSCATOR: &str = "obfuscator";

/// Returns the scenario's own player of a seat; `None` if the scenario names none, or if `protocol` does not know the
/// player. The prover `errs` exists only under prover-estimator rules. Under other rules, `obfuscator` replaces her,
/// because both give the root a false answer.
fn own_player(
    setup: &LoadedScenario,
    seat: Seat,
    protocol: &Protocol,
) -> Result<Option<PlayerSpec>, DebatePlanError> {
    let Some(name) = setup.players.text_of_seat(seat) else {
        return Ok(None);
    };
    let own = PlayerSpec::parse(name)?;
    let kind = protocol.kind();
    if is_outside_player_name(&own.name) || kind == setup.protocol.kind() {
        return Ok(Some(own));
    }
    let own = if own.name == ERRS {
        PlayerSpec::without_arguments(OBFUSCATOR)
    } else {
        own
    };
    Ok(registry::<Exact>().spec_without_invalid_arguments(&own, seat, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `compare primes` shows a liar on both sides, because `errs` becomes `obfuscator` under rules without bets.
    #[test]
    fn errs_is_obfuscator_under_rules_without_bets() {
        let setup =
            LoadedScenario::load_bundled_scenario("primes", &ScenarioLimits::default()).unwrap();
        let prover = |rules: &str| {
            let protocol = Protocol::parse(rules).unwrap();
            let [prover, ..] = players([None; 3], &[], &setup, &protocol).unwrap();
            prover.to_string()
        };
        assert_eq!(prover("Recursive"), "obfuscator");
        assert_eq!(
            prover("ProverEstimator(epsilon: 0.45, rho: \"1/9\")"),
            "errs(+, -)"
        );
    }
}
