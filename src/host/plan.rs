//! The plan of a debate before its first move: scenario, instance, coins, rules and players.
//!
//! Entry points: [`DebateOptions`] contains the choices as text, from a command line, a form or a message.
//! [`DebateOptions::plan_named_scenario`] reads the scenario and checks the choices against it. A [`DebatePlan`]
//! seats the players, begins the save and starts the engines. [`DebatePlan::reproduction_info`] returns the command
//! line that makes the same plan. [`OpenedDebate::open_save`] returns the plan of a saved debate.

mod command;
mod daily;
mod follow;
mod levels;
mod matchup;
mod options;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use thiserror::Error;

use crate::debate::{AdvanceResult, Debate, DebateError};
use crate::engine::{DebateFactsForEngines, EngineFailure, EngineProcess, SeatedEngines};
use crate::message::SeatMessageBuilder;
use crate::record::{DAILY_TAG, Save, SaveBranchPoint, SaveFileError, SaveHeader, SaveJournal};
use debate_core::budget::ComputationBudget;
use debate_core::chance::{MAX_SEED, Seed};
use debate_core::player::{
    CannotAdvanceDebate, Player, PlayerSpec, PlayerSpecError, SeatedDebate, StrategyBuildError,
    is_outside_player_name,
};
use debate_core::protocol::{LogViewerRole, Protocol, ProtocolError, Seat};
use debate_core::{Exact, Instance};
use debate_solver::analysis::review::ReviewContext;
use debate_solver::registry;
use debate_solver::setup::{
    LoadedScenario, ScenarioError, ScenarioLimits, ScenarioTextSource, name_of_bundled_text,
};
use debate_solver::simulate::RulesAndPlayers;
use debate_text::{DebateDescription, ViewerPerspective};

pub use command::{ReproductionInfo, quote_for_shell, quote_path_for_shell};
pub use daily::{
    DailyDate, DailyPracticeReason, DailyResult, HINT_NOTE, daily_date_of_save,
    daily_debate_result_lines, daily_streak, estimator_measures_of_save, finished_daily_save,
    unfinished_daily_save,
};
pub use follow::{AlwaysTooLowBetEarnings, prover_betting_against_past_estimates};
pub use levels::{
    DifficultyLevel, LevelStep, adjacent_difficulty_index, adjacent_difficulty_level,
    difficulty_index, difficulty_levels, is_saved_debate_won, level_end_sentence,
    level_of_players_text, level_order_sentence, recommended_level, result_sentence,
    seats_that_determine_difficulty_level,
};
pub use matchup::{
    fits_recursion_and_prover_estimator, plans_under_both_protocols,
    recursion_and_prover_estimator_protocols, side, side_of_usual_protocol, split_seat_and_player,
    versus,
};
pub use options::{
    DebateOptions, ExternalPlayerOptions, SaveStorageOptions, given_or_random_seed,
    given_or_scenario_rules, index_of_named_instance, load_player_files, players,
};

/// The full description of a debate that is ready to be started: scenario, rules, players, seed and options.
#[derive(Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a plan has many `bool` fields, because each is a separate option of a debate"
)]
pub struct DebatePlan {
    pub setup: LoadedScenario,
    pub protocol: Protocol,
    pub seed: Seed,
    /// Index of the debate among the debates with the same seed.
    pub debate: u64,
    pub world: usize,
    /// True if the user chose the instance, so that a change of the seed does not change the instance.
    pub fixed_world: bool,
    /// Prover, opponent and judge.
    pub players: [PlayerSpec; 3],
    /// True if players, values and the scenario's description are hidden until the end, and the rules from a judge.
    pub blind: bool,
    /// True if the values of replies are shown from the start.
    pub hints: bool,
    /// True if the user did not name the prover. Her bets may then depend on a person's past debates
    /// ([`Self::seat_prover_using_past_estimates`]).
    pub may_follow: bool,
    /// The limits and permissions of external players, and the settings of language models.
    pub engines: ExternalPlayerOptions,
    /// Tags for the save's header: a match and its condition, rules and judge; or the date of a daily debate.
    pub tags: BTreeMap<String, String>,
}

impl DebatePlan {
    /// Plans the first debate that a seed determines, on the scenario's own instance, or else on one that is drawn from
    /// the seed. The debate is not blind.
    pub fn new(
        setup: LoadedScenario,
        protocol: Protocol,
        seed: Seed,
        players: [PlayerSpec; 3],
    ) -> Self {
        Self {
            debate: 0,
            world: setup.world_of_debate(&seed, 0),
            fixed_world: false,
            players,
            blind: false,
            hints: false,
            may_follow: false,
            engines: ExternalPlayerOptions::default(),
            tags: BTreeMap::new(),
            setup,
            protocol,
            seed,
        }
    }

    /// Returns the plan of a saved debate. The plan keeps the tag of a daily debate, but no other tags: a debate that
    /// continues from a match's save does not belong to the match.
    ///
    /// # Errors
    /// If a saved name is not the name of a player.
    pub fn plan_of_saved_debate(
        header: &SaveHeader,
        setup: LoadedScenario,
        instance: &Instance,
    ) -> Result<Self, DebatePlanError> {
        let [prover, opponent, judge] = header
            .players
            .each_ref()
            .map(|name| PlayerSpec::parse(name));
        let protocol = header.protocol.clone();
        let seed = header.seed.clone();
        let daily = header.tags.get_key_value(DAILY_TAG);
        let tags = daily.map(|(name, date)| (name.clone(), date.clone()));
        Ok(Self {
            debate: header.debate,
            world: instance.world_index(),
            fixed_world: true,
            blind: header.blind,
            tags: tags.into_iter().collect(),
            ..Self::new(setup, protocol, seed, [prover?, opponent?, judge?])
        })
    }

    /// Returns a plan with the same instance and coins, but other rules and players. The debate is not blind: its
    /// players and the scenario's description are shown.
    #[must_use]
    pub fn compared_plan_with_rules_and_players(&self, side: RulesAndPlayers) -> Self {
        Self {
            protocol: side.protocol,
            players: side.players,
            fixed_world: true,
            blind: false,
            hints: false,
            may_follow: false,
            ..self.clone()
        }
    }

    /// Draws the instance from the seed, even if the scenario prefers one: a user who has played the preferred instance
    /// knows its answer. Keeps an instance that the user chose. Also keeps the preferred instance if the scenario has
    /// the same texts for all instances, because these texts are then about the preferred one.
    pub fn draw_instance_from_seed_unless_chosen(&mut self) {
        if self.fixed_world {
            return;
        }
        self.world = if self.setup.title_or_debrief_differs_in_first_two_instances() {
            self.setup.draw_world_by_weight(&self.seed, self.debate)
        } else {
            self.setup.world_of_debate(&self.seed, self.debate)
        };
    }

    /// Returns the instance under debate.
    pub fn instance(&self) -> Instance {
        self.setup.instance(self.world)
    }

    /// Returns the facts about the debate that are not in its log, such as title, rules, briefings and players. Some of
    /// them, such as the debrief, are shown only after the end.
    pub fn facts<'t>(&self, instance: &'t Instance) -> DebateDescription<'t> {
        DebateDescription {
            blind: self.blind,
            seed: self.seed.as_str().to_owned(),
            players: self.player_names(),
            prover_follows_person: self.prover_uses_past_debates_of_bob(),
            opponent_levels: self.opponent_levels(),
            ..DebateDescription::of_scenario(&self.setup, instance, &self.protocol)
        }
    }

    /// Returns, for each seat that a user could take, the difficulty level of the players in the other seats. Leaves
    /// out seats for which these players have no level.
    fn opponent_levels(&self) -> Vec<(Seat, String)> {
        let kind = self.protocol.kind();
        let names = self.player_names();
        let level = |seat: Seat| Some((seat, level_of_players_text(kind, seat, &names)?));
        Seat::PLAYERS.into_iter().filter_map(level).collect()
    }

    /// Returns the names of the prover, opponent and judge.
    pub fn player_names(&self) -> [String; 3] {
        self.players.each_ref().map(ToString::to_string)
    }

    /// Returns the seats of human players.
    pub fn human_seats(&self) -> impl Iterator<Item = Seat> {
        let seats = Seat::PLAYERS.into_iter();
        seats.filter(|seat| self.players[seat.seat_index()].is_human())
    }

    /// Returns the viewer whose view of the log is shown while the debate runs: the only human player. Without human
    /// players, the viewer sees everything. Several human players see only entries that are hidden from no seat.
    pub fn viewer_while_running(&self) -> LogViewerRole {
        LogViewerRole::for_user_seats(self.human_seats(), self.setup.judge_sees)
    }

    /// Returns the perspective of the narration: that of the only human player's seat, or a neutral one unless there is
    /// exactly one human player.
    pub fn narration_perspective(&self) -> ViewerPerspective {
        ViewerPerspective::perspective_of_user_seats(self.human_seats())
    }

    /// Returns the builder of messages to the player of a seat.
    pub fn view_builder<'t>(&self, instance: &'t Instance, seat: Seat) -> SeatMessageBuilder<'t> {
        SeatMessageBuilder::new(&self.setup, &self.protocol, instance, seat, self.blind)
    }

    /// Builds the players now, on the calling thread. `budget` can stop the training of players.
    ///
    /// # Errors
    /// If a player cannot be built.
    pub fn build_players<'a>(
        &self,
        instance: &'a Instance,
        budget: ComputationBudget<'_>,
    ) -> Result<[Player<'a, Exact>; 3], DebatePlanError> {
        let registry =
            registry::<Exact>().with_player_files(self.setup.files_for_building_players());
        let build = |seat: Seat| {
            let spec = &self.players[seat.seat_index()];
            if spec.is_human() || spec.is_program_using_serve() {
                return Ok(Player::Outside);
            }
            if spec.command_or_model_name().is_some() {
                return Ok(Player::Engine);
            }
            let built = registry.build_at(&self.players, seat, instance, &self.protocol, budget);
            built.map(Player::Builtin)
        };
        let [prover, opponent, judge] = Seat::PLAYERS.map(build);
        Ok([prover?, opponent?, judge?])
    }

    /// Returns a debate that these players play, before its first move.
    ///
    /// # Errors
    /// If the rules cannot debate the instance.
    pub fn seat<'a>(
        &self,
        instance: &'a Instance,
        players: [Player<'a, Exact>; 3],
    ) -> Result<SeatedDebate<'a, Exact>, DebatePlanError> {
        let start = self.protocol.start(instance)?;
        Ok(SeatedDebate::new(start, players, &self.seed, self.debate))
    }

    /// Plays a debate of built-in players to its end without a save.
    ///
    /// # Errors
    /// If a player cannot be built or fails, the budget ends, or the reply of an external player is awaited.
    pub fn play_out<'a>(
        &self,
        instance: &'a Instance,
        budget: &ComputationBudget<'_>,
    ) -> Result<Debate<'a>, DebatePlanError> {
        let players = self.build_players(instance, *budget)?;
        let mut debate = Debate::new(self.seat(instance, players)?, None);
        loop {
            budget
                .check_not_cancelled()
                .map_err(CannotAdvanceDebate::from)?;
            match debate.advance_by_one_move()? {
                AdvanceResult::Moved | AdvanceResult::Pending | AdvanceResult::Stopped => {}
                AdvanceResult::Over => return Ok(debate),
                AdvanceResult::Ask(turn) => {
                    return Err(CannotAdvanceDebate::Awaited(turn.seat).into());
                }
                AdvanceResult::Failed(ending) => return Err(DebatePlanError::Engine(ending)),
            }
        }
    }

    /// Begins the debate: builds the built-in players, starts the engines, and creates the save. In this order, a
    /// player that fails leaves no save.
    ///
    /// # Errors
    /// If a player cannot be built or started, the rules cannot debate the instance, or the save cannot be written.
    pub fn start<'a>(
        &self,
        instance: &'a Instance,
        save_options: &SaveStorageOptions,
    ) -> Result<Debate<'a>, DebatePlanError> {
        let players = self.build_players(instance, ComputationBudget::default())?;
        let engines = self.start_engines(instance)?;
        let debate = self.debate(instance, players, save_options, None)?;
        Ok(debate.with_engines(engines))
    }

    /// Returns a debate that these players play, with a new save if saves are on.
    ///
    /// # Errors
    /// If the rules cannot debate the instance, or the save cannot be written.
    pub fn debate<'a>(
        &self,
        instance: &'a Instance,
        players: [Player<'a, Exact>; 3],
        save_options: &SaveStorageOptions,
        branch: Option<SaveBranchPoint>,
    ) -> Result<Debate<'a>, DebatePlanError> {
        let seating = self.seat(instance, players)?;
        tracing::info!(
            seed = self.seed.as_str(),
            debate = self.debate,
            protocol = self.protocol.kind().protocol_name(),
            prover = %self.players[0],
            opponent = %self.players[1],
            judge = %self.players[2],
            "debate begins"
        );
        if save_options.no_save {
            return Ok(Debate::new(seating, None));
        }
        let origin = self.setup.origin.to_string();
        // The save of a question in a set is named after the question's id.
        let own = origin.rsplit_once('#').map_or(&*origin, |(_, id)| id);
        // A scenario that was read from a save keeps its bundled name.
        let own = match self.setup.origin {
            ScenarioTextSource::Text(_) => name_of_bundled_text(&self.setup.source).unwrap_or(own),
            _ => own,
        };
        let stem = Path::new(own).file_stem().unwrap_or_default();
        // A daily debate is usually about another instance than the one in its scenario's name.
        let name = match self.daily_date() {
            Some(date) => format!("daily-{date}"),
            None => stem.to_string_lossy().into_owned(),
        };
        let journal = self.begin_save(instance, &save_options.saves_folder()?, &name, branch)?;
        Ok(Debate::new(seating, Some(journal)))
    }

    /// Creates the save of a debate that begins now, in a folder. The file name contains `name`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin_save(
        &self,
        instance: &Instance,
        folder: &Path,
        name: &str,
        branch: Option<SaveBranchPoint>,
    ) -> Result<SaveJournal, DebatePlanError> {
        let protocol = self.protocol.clone();
        let seed = self.seed.clone();
        let plain = SaveHeader::new(&self.setup, protocol, seed, instance, self.player_names());
        let header = SaveHeader {
            debate: self.debate,
            blind: self.blind,
            branch,
            tags: self.tags.clone(),
            ..plain.with_start_time(SystemTime::now())
        };
        SaveJournal::create_save(folder, name, &header).map_err(DebatePlanError::Save)
    }

    /// Starts the engines of the plan; the result is empty if no player is an engine.
    ///
    /// # Errors
    /// If a command is not allowed, or its program cannot play.
    pub fn start_engines<'a>(
        &self,
        instance: &'a Instance,
    ) -> Result<SeatedEngines<'a>, DebatePlanError> {
        let limits = self.engines.limits;
        let models = Arc::clone(&self.engines.models);
        self.seat_engines(instance, move |command| {
            let engine = EngineProcess::start(command, limits, &models)?;
            Ok(Arc::new(engine))
        })
    }

    /// Seats the engines of the plan. `start` returns the process of a command. The result is empty if no player is an
    /// engine.
    ///
    /// # Errors
    /// If a command is not allowed, or its program cannot play.
    pub fn seat_engines<'a>(
        &self,
        instance: &'a Instance,
        start: impl Fn(&str) -> Result<Arc<EngineProcess>, String> + 'a,
    ) -> Result<SeatedEngines<'a>, DebatePlanError> {
        for player in &self.players {
            self.engines.check_player_allowed(player)?;
        }
        if let Some(command) = self
            .players
            .iter()
            .find_map(PlayerSpec::command_or_model_name)
            && !self.engines.allow_commands
        {
            return Err(DebatePlanError::NotAllowed(command.to_owned()));
        }
        let debate = DebateFactsForEngines {
            instance,
            protocol: self.protocol.clone(),
            seed: self.seed.clone(),
            number: self.debate,
            players: self.player_names(),
        };
        let view_builder = |seat| self.view_builder(instance, seat);
        SeatedEngines::start(debate, &self.players, start, view_builder)
            .map_err(DebatePlanError::Engine)
    }

    /// Returns the context in which the values of replies are computed. `None` if people write the claims, because no
    /// value can then be computed. The scenario's own built-in players replace humans and engines; `prover`, if given,
    /// replaces a human prover or an engine in the prover's seat.
    pub fn review_context(
        &self,
        instance: &Instance,
        prover: Option<PlayerSpec>,
    ) -> Option<ReviewContext> {
        if instance.prover_writing_limits().is_some() {
            return None;
        }
        let registry =
            registry::<Exact>().with_player_files(self.setup.files_for_building_players());
        let own = |seat: Seat| {
            let own = PlayerSpec::parse(self.setup.players.text_of_seat(seat)?).ok()?;
            let own = Some(own).filter(|own| !own.is_human())?;
            registry.spec_without_invalid_arguments(&own, seat, self.protocol.kind())
        };
        let mut stand_ins = Seat::PLAYERS.map(own);
        if prover.is_some() {
            stand_ins[Seat::Prover.seat_index()] = prover;
        }
        // An engine is valued as a person is, because its replies cannot be predicted.
        let seated = self.players.each_ref().map(|player| {
            let is_built_in = Some(player).filter(|player| !is_outside_player_name(&player.name));
            is_built_in
                .cloned()
                .unwrap_or_else(|| PlayerSpec::without_arguments("human"))
        });
        let rules = &self.protocol;
        Some(ReviewContext::new(
            instance, rules, seated, stand_ins, registry,
        ))
    }
}

/// The reason why a debate cannot be planned or started.
#[derive(Debug, Error)]
pub enum DebatePlanError {
    /// The scenario cannot be read, or has no such instance.
    #[error(transparent)]
    Setup(#[from] ScenarioError),
    /// The text is not the name of a player.
    #[error(transparent)]
    Spec(#[from] PlayerSpecError),
    /// A player cannot be built for its seat in this debate.
    #[error(transparent)]
    Build(#[from] StrategyBuildError),
    /// The text is not the name of a protocol, or the rules cannot debate this problem.
    #[error(transparent)]
    Rules(#[from] ProtocolError),
    /// The text is not a seed.
    #[error("the seed is not valid; give 1 to {MAX_SEED} characters without control characters")]
    Seed,
    /// The user asked both to watch the debate and to take a seat.
    #[error("--role none only watches; give it without another --role")]
    Roles,
    /// The user named an engine or a player from a file, but only built-in players are allowed.
    #[error("this server allows only built-in players: no programs, and no players from files")]
    Confined,
    /// The user named a language model that cannot be asked.
    #[error("`{player}` cannot play: {why}")]
    Model {
        /// The name of the language model as a player, without options.
        player: String,
        why: String,
    },
    /// A file or a message to the server names a command as a player, and the user has not allowed such commands.
    #[error("a file or a message names the command `{command}` as a player; to allow this, add --allow-commands", command = .0)]
    NotAllowed(String),
    /// A seat has a human player in a debate that is played automatically.
    #[error("this command plays without users; name built-in players (see `list strategies`)")]
    People,
    /// The text for the second side of a comparison is neither a protocol nor a player.
    #[error(
        "{text:?} is neither a protocol nor a player under {protocol}; see `debate-tui list \
         strategies`"
    )]
    UnknownSide {
        text: String,
        /// The name of the protocol that the first side of the comparison has.
        protocol: &'static str,
    },
    /// The user named a player that fits several seats, without a seat.
    #[error("the player {player} can take several seats; name the seat, as in opponent={player}", player = .0)]
    SeveralSeats(String),
    /// A comparison needs plain recursion and prover-estimator debate, and one of them cannot debate the problem.
    #[error(
        "this comparison needs plain recursion and prover-estimator debate, and at least one of them \
         cannot debate this problem"
    )]
    NotComparable,
    /// The debate cannot continue automatically.
    #[error(transparent)]
    CannotAdvance(#[from] CannotAdvanceDebate),
    /// A debate that was already started cannot continue, or its save cannot be written.
    #[error(transparent)]
    Debate(#[from] DebateError),
    /// A saved debate cannot be continued.
    #[error("{}: {error}", path.display())]
    Kept { path: PathBuf, error: SaveFileError },
    /// There is no folder of saves, or a save cannot be written.
    #[error(transparent)]
    Save(SaveFileError),
    /// An engine cannot play.
    #[error("{0}")]
    Engine(EngineFailure),
}

impl DebatePlanError {
    /// True if a save cannot be created or written, or an engine cannot play. False for all other errors, such as a
    /// wrong request of the user or a scenario that cannot be read.
    pub fn is_system_error(&self) -> bool {
        let is_save = matches!(self, Self::Debate(DebateError::Save { .. }));
        is_save || matches!(self, Self::Save(_) | Self::Engine(_))
    }
}

/// A saved debate that can be continued.
pub struct OpenedDebate {
    pub plan: DebatePlan,
    pub instance: Instance,
    pub file: SaveOpenForAppending,
}

/// The save of a debate, opened for appending.
pub struct SaveOpenForAppending {
    path: PathBuf,
    save: Save,
    journal: SaveJournal,
}

impl OpenedDebate {
    /// Opens the save of an unfinished debate. Does not check its moves.
    ///
    /// # Errors
    /// If the save cannot be read or written, its debate is finished, or its header does not fit its own scenario.
    pub fn open_save(path: &Path, engines: ExternalPlayerOptions) -> Result<Self, DebatePlanError> {
        let named = |error| DebatePlanError::Kept {
            path: path.to_owned(),
            error,
        };
        let (save, journal) = SaveJournal::open_to_continue(path).map_err(named)?;
        let setup = save
            .read_saved_scenario(&ScenarioLimits::default())
            .map_err(named)?;
        let instance = save.header.debated_instance(&setup).map_err(named)?;
        let plan = DebatePlan {
            engines,
            ..DebatePlan::plan_of_saved_debate(&save.header, setup, &instance)?
        };
        let path = path.to_owned();
        let file = SaveOpenForAppending {
            path,
            save,
            journal,
        };
        Ok(Self {
            plan,
            instance,
            file,
        })
    }
}

impl SaveOpenForAppending {
    /// Returns a sentence that the save's last line was incomplete; `None` if it was not.
    pub fn incomplete_line_notice(&self) -> Option<String> {
        let torn = self.save.torn?;
        Some(format!(
            "Line {line} of the save was incomplete and was dropped.",
            line = torn.line
        ))
    }

    /// Returns a debate that these players continue from the end of its save.
    ///
    /// # Errors
    /// If the save does not follow from the rules and the seed, or cannot be written.
    pub fn debate<'a>(
        self,
        instance: &'a Instance,
        players: [Player<'a, Exact>; 3],
    ) -> Result<Debate<'a>, DebatePlanError> {
        let path = self.path;
        let seated = self.save.seat(instance, players);
        let seating = seated.map_err(|error| DebatePlanError::Kept { path, error })?;
        let mut debate = Debate::new(seating, Some(self.journal));
        // If the debate is over, only its closing line was lost.
        debate.close_save_if_over()?;
        Ok(debate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use debate_solver::setup::bundled_scenarios;

    /// Checks that a user's second debate of a scenario is about another instance than the first. Exceptions: the user
    /// chose the instance, or the scenario's texts describe one instance.
    #[test]
    fn another_instance_is_drawn_if_the_texts_name_the_instance() {
        let mut varied = Vec::new();
        for scenario in bundled_scenarios() {
            let options = DebateOptions::default();
            let first = options.plan_named_scenario(scenario.name).unwrap();
            let drawn = |is_fixed| {
                let worlds = (0..20).map(|seed: u32| {
                    let mut plan = first.clone();
                    plan.fixed_world = is_fixed;
                    plan.seed = Seed::new(seed.to_string()).unwrap();
                    plan.draw_instance_from_seed_unless_chosen();
                    plan.world
                });
                worlds.collect::<std::collections::BTreeSet<_>>()
            };
            assert_eq!(drawn(true).len(), 1, "{}", scenario.name);
            if first.setup.requested_world.is_some() && drawn(false).len() > 1 {
                varied.push(scenario.name);
            }
        }
        assert_eq!(
            varied,
            ["primes", "primes-recursive", "pull-request", "primes-4331"]
        );
    }
}
