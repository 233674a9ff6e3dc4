//! Measures of a finished save, for lists and statistics.

use std::path::Path;

use super::Save;
use debate_core::number::Exact;
use debate_core::player::{Player, PlayerSpec};
use debate_core::protocol::{Rules as _, Seat};
use debate_solver::analysis::review::{LastJudgeVerdict, total_estimate_gap};
use debate_solver::setup::ScenarioLimits;

/// The measures of the users' replies in a finished debate that need no search of its game tree: the gap and the last
/// verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserMeasuresOfFinishedDebate {
    /// The total gap of a user's estimates, as a probability; `None` if no user gave estimates.
    pub gap: Option<Exact>,
    /// The last verdict of the judge, if a user was the judge.
    pub verdict: Option<LastJudgeVerdict>,
}

impl UserMeasuresOfFinishedDebate {
    /// Computes the measures by replaying a save. `None` if it cannot be read, or if the debate is not finished.
    pub fn measures_of_save(path: &Path) -> Option<Self> {
        let save = Save::read_save(path).ok()?;
        let setup = save.read_saved_scenario(&ScenarioLimits::default()).ok()?;
        let instance = save.header.debated_instance(&setup).ok()?;
        let outside = [Player::Outside, Player::Outside, Player::Outside];
        let seating = save.seat(&instance, outside).ok()?;
        let state = seating.state();
        if state.request().is_some() {
            return None;
        }
        let is_user = |seat| {
            let name = save.header.player_name(seat);
            let spec = name.and_then(|name| PlayerSpec::parse(name).ok());
            spec.is_some_and(|spec| spec.is_human())
        };
        let mut measures = Self::default();
        if is_user(Seat::Opponent) {
            measures.gap = total_estimate_gap(seating.state_at_start(), seating.moves());
        }
        if is_user(Seat::Judge) {
            measures.verdict = LastJudgeVerdict::last_verdict(state, seating.log(), &instance);
        }
        Some(measures)
    }
}
