//! Starting and resuming the debates of the server.
//!
//! A handle is a secret of 128 bits for one seat of one debate. The folder of saves has a file for each handle. The
//! file is named by the handle's digest and contains the name of the save. So a reader of the folder cannot take a
//! seat.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::debate::{
    CallerSeatHandles, DebateWithOwnInstance, RequestContentFlags, ServedDebate, ServedDebateError,
    end_message,
};
use super::{ServeOptions, file_name};
use crate::debate::Debate;
use crate::message::{DebateStartRequest, MessageRefusalKind, ScenarioSource, SeatName};
use crate::plan::{
    DebateOptions, DebatePlan, OpenedDebate, SaveOpenForAppending, SaveStorageOptions,
};
use crate::record::{Forfeit, Save};
use debate_core::budget::ComputationBudget;
use debate_core::digest::Digest;
use debate_core::player::{Player, PlayerSpec, SERVED, SeatedDebate, StrategyRegistry};
use debate_core::{Exact, Instance, Seat};
use debate_solver::setup::{self, STDIN, ScenarioLimits, check_regular_file};

/// Returns the plan of a requested debate that never waits for a disk, an engine or a slow player. Such a debate has no
/// save and a bundled scenario, and all players other than the caller answer by a rule. `None` for all other debates,
/// and for a request that cannot be planned.
pub(super) fn plan_immediate_debate(
    new: &DebateStartRequest,
    options: &ServeOptions,
) -> Option<DebatePlan> {
    let unkept = new.save == Some(false) || options.save_options.no_save;
    let ScenarioSource::Name(scenario) = &new.scenario else {
        return None;
    };
    if !unkept || !setup::bundled_names().any(|name| name == scenario) {
        return None;
    }
    // The thread of the debate reports the error.
    let plan = plan_requested_debate(new, options).ok()?;
    let by_rule = StrategyRegistry::<Exact>::registry_with_builtin_players();
    let kind = plan.protocol.kind();
    let mut players = Seat::PLAYERS.into_iter().zip(&plan.players);
    let at_once = players.all(|(seat, player)| {
        player.is_program_using_serve() || by_rule.check_spec(player, seat, kind).is_ok()
    });
    at_once.then_some(plan)
}

/// Starts a new debate. `at_once` is the plan of the debate, if it was built already. `save` is set to the file name of
/// the save, if the debate has one.
pub(super) fn start_debate(
    new: &DebateStartRequest,
    options: &ServeOptions,
    at_once: Option<DebatePlan>,
    callers: CallerSeatHandles,
    save: &OnceLock<String>,
) -> Result<DebateWithOwnInstance, ServedDebateError> {
    let plan = match at_once {
        Some(plan) => plan,
        None => plan_requested_debate(new, options)?,
    };
    let save_options = SaveStorageOptions {
        no_save: new.save == Some(false) || options.save_options.no_save,
        ..options.save_options.clone()
    };
    let parts = RequestContentFlags {
        text: new.text != Some(false),
        history: new.history != Some(false),
    };
    DebateWithOwnInstance::try_new(plan.instance(), |instance| {
        let debate = plan.start(instance, &save_options)?;
        if let Some(name) = store_handles(&debate, &callers.handles, parts)? {
            let _ = save.set(name);
        }
        Ok(ServedDebate::new(debate, plan, instance, callers, parts))
    })
}

/// Stores the handles of a debate beside its save. Returns the file name of the save, if there is one.
pub(super) fn store_handles(
    debate: &Debate<'_>,
    handles: &[Option<String>; 3],
    parts: RequestContentFlags,
) -> Result<Option<String>, ServedDebateError> {
    let index = debate
        .save_path()
        .and_then(|path| Some((path.parent()?, file_name(path)?)));
    let Some((folder, save)) = index else {
        return Ok(None);
    };
    for (seat, handle) in SEATS.into_iter().zip(handles) {
        let Some(handle) = handle else { continue };
        let kept = StoredSeatHandle {
            save: save.clone(),
            seat,
            parts,
        };
        let written = kept.store_handle_record(folder, handle);
        written
            .map_err(|error| ServedDebateError::new(MessageRefusalKind::Save, error.to_string()))?;
    }
    Ok(Some(save))
}

const SEATS: [SeatName; 3] = [SeatName::Prover, SeatName::Opponent, SeatName::Judge];

/// Returns the plan of the requested debate, with external players in the caller's seats.
pub(super) fn plan_requested_debate(
    new: &DebateStartRequest,
    options: &ServeOptions,
) -> Result<DebatePlan, ServedDebateError> {
    let bad = |why: &str| Err(ServedDebateError::new(MessageRefusalKind::BadRequest, why));
    if new.scenario == ScenarioSource::default() {
        return bad(
            "`scenario` is missing; give the name of a bundled scenario or of an allowed file",
        );
    }
    if new.scenario == ScenarioSource::Name(STDIN.to_owned()) {
        return bad(
            "a scenario cannot be read from stdin, because the messages are read from there",
        );
    }
    if new.seats.is_empty() {
        return bad("`seats` is empty; name the seats that you play, such as [\"judge\"]");
    }
    for player in new
        .choices
        .players
        .player_names_by_seat()
        .into_iter()
        .flatten()
    {
        options
            .scenarios
            .check_player_file_in_allowed_folder(player)?;
    }
    let setup = options.scenarios.read(&new.scenario, &options.limits)?;
    let options = DebateOptions {
        choices: new.choices.clone(),
        roles: new.seats.iter().map(|seat| Some((*seat).into())).collect(),
        hints: false,
        limits: options.limits.clone(),
        engines: options.engines.clone(),
    };
    let allows = options.engines.allow_commands;
    let mut plan = options.plan_loaded_scenario(setup)?;
    // A message counts as an untrusted file, so it may name commands only if the server allows them.
    plan.engines.allow_commands = allows;
    for (seat, player) in SEATS.into_iter().zip(&mut plan.players) {
        if new.seats.contains(&seat) {
            *player = PlayerSpec::without_arguments(SERVED);
        } else if player.is_human() || player.is_program_using_serve() {
            let seat = Seat::from(seat);
            return bad(&format!(
                "the {seat} has no player; name the seat in `seats`, or its player in `players`"
            ));
        }
    }
    Ok(plan)
}

/// Opens a debate again from its save. If the debate is over, reports its end and returns `None`.
pub(super) fn reopen_from_save(
    path: &Path,
    parts: RequestContentFlags,
    options: &ServeOptions,
    callers: CallerSeatHandles,
) -> Result<Option<DebateWithOwnInstance>, ServedDebateError> {
    let save = Save::read_save(path)?;
    if save.stated_debate_end().is_some() {
        report_end(save, &options.limits, &callers)?;
        return Ok(None);
    }
    let OpenedDebate {
        plan,
        instance,
        file,
    } = OpenedDebate::open_save(path, options.engines.clone())?;
    log_removed_incomplete_line(&file);
    let opened = DebateWithOwnInstance::try_new(instance, |instance| {
        let players = plan.build_players(instance, ComputationBudget::default())?;
        let debate = file.debate(instance, players)?;
        let debate = debate.with_engines(plan.start_engines(instance)?);
        Ok::<_, ServedDebateError>(ServedDebate::new(debate, plan, instance, callers, parts))
    })?;
    Ok(Some(opened))
}

/// A debate that is over, read from its save.
pub(super) struct FinishedDebateFromSave {
    pub(super) plan: DebatePlan,
    pub(super) instance: Instance,
    save: Save,
}

impl FinishedDebateFromSave {
    pub(super) fn from_finished_save(
        save: Save,
        limits: &ScenarioLimits,
    ) -> Result<Self, ServedDebateError> {
        let setup = save.read_saved_scenario(limits)?;
        let instance = save.header.debated_instance(&setup)?;
        let plan = DebatePlan::plan_of_saved_debate(&save.header, setup, &instance)?;
        Ok(Self {
            plan,
            instance,
            save,
        })
    }

    pub(super) fn replayed_state_and_players(
        &self,
    ) -> Result<SeatedDebate<'_, Exact>, ServedDebateError> {
        let nobody = [Player::Outside, Player::Outside, Player::Outside];
        Ok(self.save.seat(&self.instance, nobody)?)
    }

    pub(super) fn forfeit(&self) -> Option<Forfeit> {
        self.save.forfeit()
    }
}

/// Reports the end of a debate that was over before the caller resumed it.
fn report_end(
    save: Save,
    limits: &ScenarioLimits,
    callers: &CallerSeatHandles,
) -> Result<(), ServedDebateError> {
    let debate = FinishedDebateFromSave::from_finished_save(save, limits)?;
    let plan = &debate.plan;
    let instance = &debate.instance;
    let seating = debate.replayed_state_and_players()?;
    let forfeit = debate.forfeit();
    for (seat, handle) in Seat::PLAYERS.into_iter().zip(&callers.handles) {
        if let Some(handle) = handle {
            let view_builder = plan.view_builder(instance, seat);
            let end = end_message(
                &seating,
                plan,
                instance,
                &view_builder,
                handle,
                forfeit.as_ref(),
            );
            callers.outlet.send(&end);
        }
    }
    Ok(())
}

/// Writes a warning to the program's log if an incomplete last line was removed from a save.
pub(super) fn log_removed_incomplete_line(file: &SaveOpenForAppending) {
    if let Some(notice) = file.incomplete_line_notice() {
        tracing::warn!("{notice}");
    }
}

/// The folder that stores the handles of debates, beside the saves.
const FOLDER: &str = "handles";

/// Returns a new handle.
pub(super) fn random_handle() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// The stored record of a handle: its save and its seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredSeatHandle {
    /// The save's file name.
    pub(super) save: String,
    pub(super) seat: SeatName,
    #[serde(flatten)]
    pub(super) parts: RequestContentFlags,
}

impl StoredSeatHandle {
    fn path(folder: &Path, handle: &str) -> PathBuf {
        let digest = Digest::digest_of_bytes(handle.as_bytes());
        folder.join(FOLDER).join(digest.to_string())
    }

    /// Stores the record of the save and the seat to which a handle belongs.
    pub(super) fn store_handle_record(&self, folder: &Path, handle: &str) -> std::io::Result<()> {
        fs::create_dir_all(folder.join(FOLDER))?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(Self::path(folder, handle))?;
        file.write_all(serde_json::to_string(self)?.as_bytes())
    }

    /// Returns the stored record of a handle; `None` if there is none, or if it does not name a save of this folder.
    pub(super) fn read_stored_seat_handle(folder: &Path, handle: &str) -> Option<Self> {
        let path = Self::path(folder, handle);
        check_regular_file(&path).ok()?;
        let text = fs::read(path).ok()?;
        let kept: Self = serde_json::from_slice(&text).ok()?;
        let inside = Path::new(&kept.save).file_name()? == kept.save.as_str();
        inside.then_some(kept)
    }
}
